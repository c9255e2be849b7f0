/* SPDX-License-Identifier: Apache-2.0 */
/* Which ingredients why names, and which entry is the nearest. */
#include "test.h"
#include "tool_helpers.h"

#include <string.h>

TEST_C(ToolWhy, NamesTheIngredientsWithBothValues)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct made *a = &s.made[1];
    const struct made *b = &s.made[2];
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
                          "  ]\n"
                          "}\n",
                          a->name, b->name),
            run->out);
    run = run_tool("why", a->brief, b->brief, "--quiet", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->out);
    sample_store_fini(&s);
}

TEST_C(ToolWhy, FindsTheNearestEntryOfItsKind)
{
    struct sample_store s;
    sample_store_make(&s);
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
            wanted.brief, s.made[2].brief, wanted.brief, s.made[2].brief);
    const struct run *run = run_tool("why", in_test("wanted.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    run = run_tool("why", in_test("wanted.id"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);

    struct store *store = open_test_store("store");
    put_made(store, &wanted, 0);
    store_close(store);
    run = run_tool("why", in_test("wanted.id"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("%s is in the store\n", wanted.brief), run->out);
    /* An entry is not its own nearest one. */
    run = run_tool("why", wanted.brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    /* Engines are no programs. */
    run = run_tool("why", s.made[0].brief, NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: no other entry of its kind is in "
                          "the store\n",
                          s.made[0].brief),
            run->err);
    made_fini(&wanted);
    sample_store_fini(&s);
}

TEST_C(ToolWhy, SaysThatIdsAreEqual)
{
    struct sample_store s;
    sample_store_make(&s);
    write_whole(in_test("a.blob"), s.made[1].blob, s.made[1].size);
    const struct run *run =
            run_tool("why", in_test("a.blob"), s.made[1].brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(
            text_of("%s: both have this ID\n", s.made[1].brief), run->out);
    run = run_tool("why", "--json", in_test("a.blob"), s.made[1].brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"equal\": true,"));
    EXPECT_NOT_NULL(strstr(run->out, "\"differences\": []"));
    sample_store_fini(&s);
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

TEST_C(ToolWhy, RefusesWhatIsNoId)
{
    write_whole(in_test("x.blob"), "nonsense", 8);
    const struct run *run =
            run_tool("why", in_test("x.blob"), in_test("x.blob"), NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->out);
    EXPECT_NOT_NULL(strstr(run->err, "neither a blob nor an ID"));
}
