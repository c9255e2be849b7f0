/* SPDX-License-Identifier: Apache-2.0 */
/* Which ingredients why names, and which entry is the nearest. */
#include "src/blob/id.h"
#include "test.h"
#include "tool_helpers.h"
#include "tools/common/text/text.h"

#include <string.h>

TEST_SAMPLE_STORE(ToolWhy, NamesTheIngredientsWithBothValues)
{
    const struct made *a = &s->made[1];
    const struct made *b = &s->made[2];
    const struct run *run = run_tool("why", a->brief, b->brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(text_of("%s and %s differ in: driver_version\n"
                          "\n"
                          "ingredient      %s  %s\n"
                          "driver_version  1.0           2.0\n",
                          a->brief, b->brief, a->brief, b->brief),
            run->out);
    run = run_tool("why", a->brief, b->brief, "--json", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(text_of("{\n"
                          "  \"command\": \"why\",\n"
                          "  \"equal\": false,\n"
                          "  \"nearest\": false,\n"
                          "  \"a\": {\n"
                          "    \"name\": \"%s\",\n"
                          "    \"file\": null,\n"
                          "    \"kind\": \"program\"\n"
                          "  },\n"
                          "  \"b\": {\n"
                          "    \"name\": \"%s\",\n"
                          "    \"file\": null,\n"
                          "    \"kind\": \"program\"\n"
                          "  },\n"
                          "  \"differences\": [\n"
                          "    {\n"
                          "      \"ingredient\": \"driver_version\",\n"
                          "      \"a\": [\n"
                          "        {\n"
                          "          \"text\": \"1.0\"\n"
                          "        }\n"
                          "      ],\n"
                          "      \"b\": [\n"
                          "        {\n"
                          "          \"text\": \"2.0\"\n"
                          "        }\n"
                          "      ]\n"
                          "    }\n"
                          "  ],\n"
                          "  \"included_files\": null,\n"
                          "  \"driver_files\": null,\n"
                          "  \"lines\": []\n"
                          "}\n",
                          a->name, b->name),
            run->out);
    run = run_tool("why", a->brief, b->brief, "--quiet", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->out);
}

TEST_SAMPLE_STORE(ToolWhy, FindsTheNearestEntryOfItsKind)
{
    /* One ingredient away from the second driver's, two from the first's. */
    struct made wanted = make_program("Sample GPU", "2.0", "copy", "", NULL);
    write_whole(in_test("wanted.blob"), wanted.blob, wanted.size);
    write_whole(in_test("wanted.id"), wanted.id, wanted.id_size);
    char expected[512];
    snprintf(expected, sizeof expected,
            "nearest: %s and %s differ in: build_options\n"
            "\n"
            "ingredient     %s  %s\n"
            "build_options                -O2\n",
            wanted.brief, s->made[2].brief, wanted.brief, s->made[2].brief);
    const struct run *run = run_tool("why", in_test("wanted.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    run = run_tool("why", in_test("wanted.id"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);

    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &wanted, 0);
    dnnl_cache_store_close(store);
    run = run_tool("why", in_test("wanted.id"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("%s is in the store\n", wanted.brief), run->out);
    /* An entry is not its own nearest one. */
    run = run_tool("why", wanted.brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    /* Of another source nothing can be told, and that is said first. */
    struct made other = make_program("Sample GPU", "2.0", "other", "", NULL);
    write_whole(in_test("other.id"), other.id, other.id_size);
    run = run_tool("why", in_test("other.id"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_EQ(run->out,
            strstr(run->out,
                    text_of("no entry of the same source\nnearest: %s and "
                            "%s differ in: source\n",
                            other.brief, wanted.brief)));
    run = run_tool("why", in_test("other.id"), "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"same_source\": false,\n"));
    run = run_tool("why", wanted.brief, "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"same_source\": true,\n"));
    made_fini(&other);
    /* Engines are no programs. */
    run = run_tool("why", s->made[0].brief, NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: the store has no other entry of its "
                          "kind\n",
                          s->made[0].brief),
            run->err);
    made_fini(&wanted);
}

/* After an update of the driver: the same source under the old driver tells
 * why, another source under the new one does not. */
TEST_C(ToolWhy, ExplainsFoldersThatAreNumbers)
{
    struct made a =
            make_program("Sample GPU", "2.0", "copy", "-I <folder 1> -w", NULL);
    struct made b = make_program(
            "Sample GPU", "2.0", "copy", "-I <folder 1> -O2", NULL);
    write_whole(in_test("a.blob"), a.blob, a.size);
    write_whole(in_test("b.blob"), b.blob, b.size);
    const struct run *run =
            run_tool("why", in_test("a.blob"), in_test("b.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out,
            "\n<folder 1> is the first absolute folder of -I, wherever it is"));
    EXPECT_TRUE(strstr(run->out, "application_key") == NULL);
    made_fini(&a);
    made_fini(&b);
}

TEST_C(ToolWhy, PrefersTheSameSourceToTheSameDriver)
{
    struct made old = make_program("Old GPU", "1.0", "copy", "-O2", NULL);
    struct made other = make_program("New GPU", "2.0", "fill", "-O2", NULL);
    struct made wanted = make_program("New GPU", "2.0", "copy", "-O2", NULL);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &old, 0);
    put_made(store, &other, 0);
    write_whole(in_test("wanted.blob"), wanted.blob, wanted.size);
    const char *out = run_tool("why", in_test("wanted.blob"), NULL)->out;
    EXPECT_NOT_NULL(
            strstr(out, text_of("nearest: %s and %s differ in: device_name, "
                                "driver_version\n",
                                wanted.brief, old.brief)));
    /* Without it, the nearest of the others. */
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->remove(s->user, old.id_size, old.id));
    dnnl_cache_store_close(store);
    out = run_tool("why", in_test("wanted.blob"), NULL)->out;
    EXPECT_NOT_NULL(strstr(out, "differ in: source\n"));
    made_fini(&old);
    made_fini(&other);
    made_fini(&wanted);
}

/* A source that was edited has other bytes, and kernels of the same names. */
TEST_C(ToolWhy, FindsTheEditedSourceByItsKernels)
{
    struct made former = make_kernel_program("scale, version 1", "scale");
    struct made other = make_program("Sample GPU", "1.0", "fill", "-O2", NULL);
    struct made wanted = make_kernel_program("scale, version 2", "scale");
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &former, 0);
    put_made(store, &wanted, 0);
    put_made(store, &other, 0); /* the youngest, and as near by its ID */
    dnnl_cache_store_close(store);
    const struct run *run = run_tool("why", wanted.brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(
            strstr(run->out, text_of("no entry of the same source\n"
                                     "an entry with 1 kernel of the same name\n"
                                     "nearest: %s and %s differ in: source\n",
                                     wanted.brief, former.brief)));
    run = run_tool("why", wanted.brief, "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"shared_kernels\": 1,\n"));
    run = run_tool("why", other.brief, "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"shared_kernels\": 0,\n"));
    made_fini(&former);
    made_fini(&other);
    made_fini(&wanted);
}

TEST_SAMPLE_STORE(ToolWhy, SaysThatIdsAreEqual)
{
    write_whole(in_test("a.blob"), s->made[1].blob, s->made[1].size);
    const struct run *run =
            run_tool("why", in_test("a.blob"), s->made[1].brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(
            text_of("%s: both have this ID\n", s->made[1].brief), run->out);
    run = run_tool("why", "--json", in_test("a.blob"), s->made[1].brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"equal\": true,"));
    EXPECT_NOT_NULL(strstr(run->out, "\"differences\": []"));
}

TEST_C(ToolWhy, ShowsWhatOnlyOneSideHasOfRepeatedIngredients)
{
    /* Both have driver_environment A=1; the sample file has B=2 as well, and
     * no driver_version. */
    struct made file = read_blob("good-program");
    struct made mine = make_program(
            "Sample GPU", "1", "kernel void copy() {}", "-cl-std=CL3.0", NULL);
    write_whole(in_test("a.blob"), file.blob, file.size);
    write_whole(in_test("b.blob"), mine.blob, mine.size);
    const struct run *run =
            run_tool("why", in_test("a.blob"), in_test("b.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(text_of("%s and %s differ in: driver_version, "
                          "driver_environment\n"
                          "\n"
                          "ingredient          %s  %s\n"
                          "driver_version      -             1\n"
                          "driver_environment  B=2           -\n",
                          file.brief, mine.brief, file.brief, mine.brief),
            run->out);
    EXPECT_FALSE(exists(in_test("store")));
    made_fini(&file);
    made_fini(&mine);
}

/* Files a.id and b.id, of programs with some fields more. */
struct two {
    struct id_builder a;
    struct id_builder b;
};

static void two_init(struct two *two)
{
    id_builder_init(&two->a, blob_kind_program);
    id_builder_init(&two->b, blob_kind_program);
}

static const char *write_and_compare(const struct two *two, const char *option)
{
    EXPECT_OK(id_builder_status(&two->a));
    EXPECT_OK(id_builder_status(&two->b));
    write_whole(in_test("a.id"), two->a.bytes.data, two->a.bytes.size);
    write_whole(in_test("b.id"), two->b.bytes.data, two->b.bytes.size);
    const struct run *run =
            run_tool("why", in_test("a.id"), in_test("b.id"), option, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->err);
    return run->out;
}

static void two_fini(struct two *two)
{
    id_builder_fini(&two->a);
    id_builder_fini(&two->b);
}

/* The rows of the table, behind what names the two. */
static const char *rows(const char *out)
{
    const char *start = strstr(out, "\ningredient ");
    const char *end = start != NULL ? strchr(start + 1, '\n') : NULL;
    return end != NULL ? end + 1 : "no table";
}

/* One more than 4096, and in the last of them they differ. */
TEST_C(ToolWhy, ShowsDifferencesOfIdsWithManyIngredients)
{
    enum { count = 5000 };
    struct two two;
    two_init(&two);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t constant[5] = {
                (uint8_t)i, (uint8_t)(i >> 8), 0, 0, (uint8_t)(i == count - 1)};
        id_put(&two.a, id_spec_constant, constant, sizeof constant);
        constant[4] = 0;
        id_put(&two.b, id_spec_constant, constant, sizeof constant);
    }
    EXPECT_STR_EQ("spec_constant  8713000001    8713000000\n",
            rows(write_and_compare(&two, NULL)));
    two_fini(&two);
    const struct run *run =
            run_tool("inspect", in_test("a.id"), "--json", NULL);
    size_t found = 0;
    for (const char *at = run->out;
            (at = strstr(at, "\"name\": \"spec_")) != NULL; at++)
        found++;
    EXPECT_EQ(count, found);
}

TEST_C(ToolWhy, ShowsTheFirstDifferingPartOfLongTexts)
{
    char a[400];
    char b[400];
    struct two two;
    memset(a, 'x', sizeof a);
    memset(a, '-', 100);
    a[399] = '\0';
    memcpy(b, a, sizeof b);
    memcpy(b + 200, "HERE", 4);
    b[380] = '\0';
    two_init(&two);
    id_put_string(&two.a, id_build_options, a);
    id_put_string(&two.b, id_build_options, b);
    EXPECT_STR_EQ("build_options (byte 200)  "
                  "...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... "
                  "(399 bytes)  "
                  "...xxxxxxxxxxxxxxxxHERExxxxxxxxxxxxxxxxxxxxxxxxxxxx... "
                  "(380 bytes)\n",
            rows(write_and_compare(&two, NULL)));
    /* --json has them whole. */
    const char *out = write_and_compare(&two, "--json");
    EXPECT_NOT_NULL(strstr(out, text_of("\"text\": \"%s\"", a)));
    EXPECT_NOT_NULL(strstr(out, text_of("\"text\": \"%s\"", b)));
    two_fini(&two);
}

/* One is the other and more. */
TEST_C(ToolWhy, ShowsWhereOneOfTwoLongTextsEnds)
{
    struct two two;
    two_init(&two);
    id_put_string(&two.a, id_build_options,
            "-cl-std=CL3.0 -cl-mad-enable -DTILE=16 -DUNROLL=4");
    id_put_string(&two.b, id_build_options,
            "-cl-std=CL3.0 -cl-mad-enable -DTILE=16 -DUNROLL=4 -DX");
    EXPECT_STR_EQ("build_options (byte 49)  "
                  "...LE=16 -DUNROLL=4 (49 bytes)  "
                  "...LE=16 -DUNROLL=4 -DX (53 bytes)\n",
            rows(write_and_compare(&two, NULL)));
    two_fini(&two);
}

TEST_C(ToolWhy, DoesNotCutCharactersApart)
{
    struct two two;
    two_init(&two);
    /* Each of them has two bytes; the first has one. */
    id_put_string(&two.a, id_device_name,
            "xäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü A äöüäöüäöüäöüäöüäöüäöüäöü");
    id_put_string(&two.b, id_device_name,
            "xäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü B äöüäöüäöüäöüäöüäöüäöüäöü");
    const char *out = rows(write_and_compare(&two, NULL));
    EXPECT_NOT_NULL(strstr(out, "  ...öüäöüäöü A äöü"));
    EXPECT_NOT_NULL(strstr(out, "  ...öüäöüäöü B äöü"));
    EXPECT_NULL(strstr(out, "\\x"));
    two_fini(&two);
}

TEST_C(ToolWhy, ShowsTheFirstDifferingPartOfBytes)
{
    uint8_t a[60];
    uint8_t b[60];
    struct two two;
    for (int i = 0; i < 60; i++)
        a[i] = b[i] = (uint8_t)i;
    b[30] = 0xff;
    two_init(&two);
    id_put(&two.a, id_device_limits, a, sizeof a);
    id_put(&two.b, id_device_limits, b, sizeof b);
    id_put(&two.a, id_op_desc, a, 24); /* short enough to be whole */
    id_put(&two.b, id_op_desc, b, 23);
    id_put_digest(&two.a, id_source, "a", 1);
    id_put_digest(&two.b, id_source, "b", 1);
    const char *out = rows(write_and_compare(&two, NULL));
    EXPECT_STR_EQ("device_limits (byte 30)  "
                  "...1a1b1c1d1e1f20212223242526272829... (60 bytes)  "
                  "...1a1b1c1dff1f20212223242526272829... (60 bytes)\n"
                  "op_desc                  "
                  "000102030405060708090a0b0c0d0e0f1011121314151617   "
                  "000102030405060708090a0b0c0d0e0f10111213141516\n"
                  "source                   "
                  "8928aae63c84d87ea098564d1e03ad81... (32 bytes)     "
                  "6e5c1f45cbaf19f94230ba3501c378a5... (32 bytes)\n",
            out);
    out = write_and_compare(&two, "--json");
    char hex[2 * 60 + 1];
    text_hex(hex, a, sizeof a);
    EXPECT_NOT_NULL(strstr(out, text_of("\"hex\": \"%s\"", hex)));
    text_hex(hex, b, sizeof b);
    EXPECT_NOT_NULL(strstr(out, text_of("\"hex\": \"%s\"", hex)));
    two_fini(&two);
}

/* A variable beside itself, not beside the next one that differs. */
TEST_C(ToolWhy, PutsVariablesConstantsAndHeadersSideBySide)
{
    static const uint8_t constant[] = {1, 0, 0, 0, 7};
    static const uint8_t changed[] = {1, 0, 0, 0, 8};
    static const uint8_t other[] = {2, 0, 0, 0, 7};
    struct two two;
    two_init(&two);
    id_put_string(&two.a, id_driver_environment, "A=1");
    id_put_string(&two.a, id_driver_environment, "B=1");
    id_put_string(&two.b, id_driver_environment, "B=2");
    id_put_string(&two.b, id_driver_environment, "C=1");
    id_put_string(&two.a, id_header_name, "a.h");
    id_put(&two.a, id_header, "a1", 2);
    id_put_string(&two.b, id_header_name, "a.h");
    id_put(&two.b, id_header, "a2", 2);
    id_put_string(&two.b, id_header_name, "b.h");
    id_put(&two.b, id_header, "a1", 2);
    id_put(&two.a, id_spec_constant, constant, sizeof constant);
    id_put(&two.b, id_spec_constant, changed, sizeof changed);
    id_put(&two.b, id_spec_constant, other, sizeof other);
    EXPECT_STR_EQ("driver_environment  A=1           -\n"
                  "driver_environment  B=1           B=2\n"
                  "driver_environment  -             C=1\n"
                  "header_name         -             b.h\n"
                  "header a.h          6131          6132\n"
                  "header b.h          -             6131\n"
                  "spec_constant       0100000007    0100000008\n"
                  "spec_constant       -             0200000007\n",
            rows(write_and_compare(&two, NULL)));
    EXPECT_NOT_NULL(strstr(write_and_compare(&two, "--json"),
            "          \"header_name\": \"b.h\",\n"
            "          \"hex\": \"6131\"\n"));
    two_fini(&two);
}

/* Text that is none is escaped in the table and in digits in JSON. */
TEST_C(ToolWhy, ShowsBytesInTextsForWhatTheyAre)
{
    struct two two;
    two_init(&two);
    id_put_string(&two.a, id_device_name, "a\xff\033[1m");
    id_put_string(&two.b, id_device_name, "b\n");
    EXPECT_STR_EQ("device_name  a\\xff\\x1b[1m  b\\n\n",
            rows(write_and_compare(&two, NULL)));
    const char *out = write_and_compare(&two, "--json");
    EXPECT_NOT_NULL(strstr(out, "\"hex\": \"61ff1b5b316d\""));
    EXPECT_NOT_NULL(strstr(out, "\"text\": \"b\\n\""));
    two_fini(&two);
}

TEST_C(ToolWhy, RefusesWhatIsNoId)
{
    write_whole(in_test("x.blob"), "nonsense", 8);
    const struct run *run =
            run_tool("why", in_test("x.blob"), in_test("x.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->out);
    EXPECT_NOT_NULL(strstr(run->err, "neither a blob nor an ID"));
}
