/* SPDX-License-Identifier: Apache-2.0 */
/* Each command on stores of real blobs: what it writes, to the byte. */
#include "bucket_store.h"
#include "commands.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A text made of a format, until the next one. */
static const char *text_of(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

static const char *text_of(const char *format, ...)
{
    static char text[16384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- list ---------------------------------------------------------------- */

TEST_C(ToolList, WritesATable)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct run *run = run_tool("list", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(
            text_of("name          kind      size  compile  created           "
                    "used              driver  device\n"
                    "%s  engine   200 B   1.0 ms  2100-01-01 00:00  "
                    "2100-01-01 00:00  1.0     Sample GPU\n"
                    "%s  program  477 B   2.0 ms  2100-01-01 00:01  "
                    "2100-01-01 00:01  1.0     Sample GPU\n"
                    "%s  program  413 B   3.0 ms  2100-01-01 00:02  "
                    "2100-01-01 00:02  2.0     Sample GPU\n",
                    s.made[0].brief, s.made[1].brief, s.made[2].brief),
            run->out);
    sample_store_fini(&s);
}

TEST_C(ToolList, WritesJson)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct run *run = run_tool("list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    char expected[4096];
    size_t n = (size_t)snprintf(expected, sizeof expected,
            "{\n  \"command\": \"list\",\n  \"entries\": [");
    static const char *const kinds[] = {"engine", "program", "program"};
    static const char *const drivers[] = {"1.0", "1.0", "2.0"};
    for (int i = 0; i < sample_entries; i++)
        n += (size_t)snprintf(expected + n, sizeof expected - n,
                "%s\n    {\n"
                "      \"name\": \"%s\",\n"
                "      \"kind\": \"%s\",\n"
                "      \"id_bytes\": %zu,\n"
                "      \"blob_bytes\": %zu,\n"
                "      \"compile_ns\": %d000000,\n"
                "      \"created\": \"2100-01-01T00:0%d:00.000000000Z\",\n"
                "      \"used\": \"2100-01-01T00:0%d:00.000000000Z\",\n"
                "      \"driver\": \"%s\",\n"
                "      \"device\": \"Sample GPU\"\n"
                "    }",
                i > 0 ? "," : "", s.made[i].name, kinds[i], s.made[i].id_size,
                s.made[i].size, i + 1, i, i, drivers[i]);
    snprintf(expected + n, sizeof expected - n, "\n  ]\n}\n");
    EXPECT_STR_EQ(expected, run->out);
    sample_store_fini(&s);
}

TEST_C(ToolList, OfAnEmptyStoreIsEmpty)
{
    ASSERT_EQ(0, mkdir(in_test("store"), 0700));
    EXPECT_STR_EQ("name  kind  size  compile  created  used  driver  device\n",
            run_tool("list", NULL)->out);
    const struct run *run = run_tool("list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(
            "{\n  \"command\": \"list\",\n  \"entries\": []\n}\n", run->out);
}

TEST_C(ToolList, EscapesStrangeNames)
{
    struct made odd = make_program(
            "Card \033[31m\xff\"\\\n", "\xc3\xa4\xc2\x9b", "x", "", NULL);
    struct store *store = open_test_store("store");
    put_made(store, &odd, 0);
    store_close(store);
    const struct run *run = run_tool("list", NULL);
    EXPECT_NOT_NULL(strstr(
            run->out, "\xc3\xa4\\xc2\\x9b  Card \\x1b[31m\\xff\"\\\\n\n"));
    EXPECT_NULL(strchr(run->out, '\033'));
    run = run_tool("list", "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"driver\": \"\xc3\xa4\\u009b\","));
    EXPECT_NOT_NULL(strstr(
            run->out, "\"device\": \"Card \\u001b[31m\\ufffd\\\"\\\\\\n\"\n"));
    run = run_tool("inspect", odd.brief, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    /* Not UTF-8: the bytes themselves. */
    EXPECT_NOT_NULL(strstr(run->out, "\"name\": \"device_name\",\n"
                                     "      \"tag\": 769,\n"
                                     "      \"hex\": "
                                     "\"43617264201b5b33316dff225c0a\"\n"));
    made_fini(&odd);
}

/* ---- stats --------------------------------------------------------------- */

TEST_C(ToolStats, WritesTables)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct run *run = run_tool("stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("store              %s\n"
                          "entries            3\n"
                          "blobs              1.1 KiB\n"
                          "on disk            1.6 KiB\n"
                          "capacity           unknown (its applications "
                          "decide)\n"
                          "compile time kept  6.0 ms\n"
                          "oldest             2100-01-01 00:00\n"
                          "newest             2100-01-01 00:02\n"
                          "last use noted     2100-01-01 00:02\n"
                          "\n"
                          "entries  blobs  compile time  kind\n"
                          "      1  200 B        1.0 ms  engine\n"
                          "      2  890 B        5.0 ms  program\n"
                          "\n"
                          "entries  blobs  compile time  driver  device\n"
                          "      2  677 B        3.0 ms  1.0     Sample GPU\n"
                          "      1  413 B        3.0 ms  2.0     Sample GPU\n",
                          in_test("store")),
            run->out);
    sample_store_fini(&s);
}

TEST_C(ToolStats, WritesJson)
{
    struct sample_store s;
    struct store_statistics statistics;
    sample_store_make(&s);
    struct store *store = open_test_store("store");
    ASSERT_OK(store_get_statistics(store, &statistics));
    store_close(store);
    const struct run *run = run_tool("--json", "stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
#define SUM(indent, entries, bytes, ns, oldest, newest)                        \
    indent "\"entries\": " entries ",\n" indent "\"blob_bytes\": " bytes       \
           ",\n" indent "\"compile_ns\": " ns ",\n" indent                     \
           "\"oldest\": \"2100-01-01T00:0" oldest ":00.000000000Z\",\n" indent \
           "\"newest\": \"2100-01-01T00:0" newest ":00.000000000Z\",\n" indent \
           "\"used\": \"2100-01-01T00:0" newest ":00.000000000Z\""
    EXPECT_STR_EQ(
            text_of("{\n"
                    "  \"command\": \"stats\",\n"
                    "  \"store\": \"%s\",\n" SUM("  ", "3", "1090", "6000000",
                            "0",
                            "2") ",\n"
                                 "  \"disk_bytes\": %llu,\n"
                                 "  \"capacity_bytes\": null,\n"
                                 "  \"kinds\": [\n"
                                 "    {\n"
                                 "      \"kind\": \"engine\",\n" SUM("      ",
                                         "1", "200", "1000000", "0",
                                         "0") "\n"
                                              "    },\n"
                                              "    {\n"
                                              "      \"kind\": "
                                              "\"program\",\n" SUM("      ",
                                                      "2", "890", "5000000",
                                                      "1",
                                                      "2") "\n"
                                                           "    }\n"
                                                           "  ],\n"
                                                           "  \"devices\": [\n"
                                                           "    {\n"
                                                           "      \"device\": "
                                                           "\"Sample GPU\",\n"
                                                           "      \"driver\": "
                                                           "\"1.0\",\n" SUM(
                                                                   "      ",
                                                                   "2", "677",
                                                                   "3000000",
                                                                   "0",
                                                                   "1") "\n"
                                                                        "    "
                                                                        "},\n"
                                                                        "    "
                                                                        "{\n"
                                                                        "      "
                                                                        "\"devi"
                                                                        "ce\": "
                                                                        "\"Samp"
                                                                        "le "
                                                                        "GPU\","
                                                                        "\n"
                                                                        "      "
                                                                        "\"driv"
                                                                        "er\": "
                                                                        "\"2."
                                                                        "0\","
                                                                        "\n" SUM(
                                                                                "      ",
                                                                                "1",
                                                                                "413",
                                                                                "3000000",
                                                                                "2",
                                                                                "2") "\n"
                                                                                     "    }\n"
                                                                                     "  ]\n"
                                                                                     "}\n",
                    in_test("store"), (unsigned long long)statistics.bytes),
            run->out);
#undef SUM
    sample_store_fini(&s);
}

TEST_C(ToolStats, OfAnEmptyStoreIsZeros)
{
    ASSERT_EQ(0, mkdir(in_test("store"), 0700));
    const struct run *run = run_tool("stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("store              %s\n"
                          "entries            0\n"
                          "blobs              0 B\n"
                          "on disk            not recorded\n"
                          "capacity           unknown (its applications "
                          "decide)\n"
                          "compile time kept  -\n"
                          "oldest             -\n"
                          "newest             -\n"
                          "last use noted     -\n",
                          in_test("store")),
            run->out);
    EXPECT_EQ(exit_ok, run_tool("stats", "--json", NULL)->code);
    /* Nothing was written there. */
    EXPECT_EQ(0, rmdir(in_test("store")));
}

/* ---- inspect ------------------------------------------------------------- */

TEST_C(ToolInspect, ShowsAnEntry)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct made *m = &s.made[1];
    const struct run *run = run_tool("inspect", m->brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("entry               %s\n"
                          "ID                  %zu B\n"
                          "compile time        2.0 ms\n"
                          "created             2100-01-01 00:01\n"
                          "last use noted      2100-01-01 00:01\n"
                          "blob                477 B\n"
                          "kind                program\n"
                          "format version      1\n"
                          "sections            5\n"
                          "programs            1\n"
                          "kernels             1\n"
                          "binaries            13 B\n"
                          "binaries as stored  13 B\n"
                          "compressed          no\n"
                          "\n"
                          "ingredient          value\n"
                          "library_version     0.1.0\n"
                          "device_name         Sample GPU\n"
                          "address_bits        64\n"
                          "driver_version      1.0\n"
                          "driver_environment  A=1\n"
                          "source              "
                          "34512ebf8c227e910fc930db1c338a6898252c49cf38bc96"
                          "5ad0e44c2abe10ff\n"
                          "build_options       -O2\n"
                          "\n"
                          "build log\n"
                          "  warning: a sample\n"
                          "  second \\x1b[1mline\n",
                          m->name, m->id_size),
            run->out);
    sample_store_fini(&s);
}

TEST_C(ToolInspect, WritesJson)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct made *m = &s.made[0];
    const struct run *run = run_tool("inspect", m->name, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("{\n"
                          "  \"command\": \"inspect\",\n"
                          "  \"file\": null,\n"
                          "  \"name\": \"%s\",\n"
                          "  \"compile_ns\": 1000000,\n"
                          "  \"created\": \"2100-01-01T00:00:00.000000000Z\",\n"
                          "  \"used\": \"2100-01-01T00:00:00.000000000Z\",\n"
                          "  \"blob\": {\n"
                          "    \"status\": \"success\",\n"
                          "    \"kind\": \"engine\",\n"
                          "    \"bytes\": 200,\n"
                          "    \"format_version\": 1,\n"
                          "    \"sections\": 2,\n"
                          "    \"programs\": 0,\n"
                          "    \"kernels\": 0,\n"
                          "    \"binary_bytes\": 0,\n"
                          "    \"stored_bytes\": 0,\n"
                          "    \"compressed\": false,\n"
                          "    \"build_log\": \"\"\n"
                          "  },\n"
                          "  \"id_bytes\": %zu,\n"
                          "  \"ingredients\": [\n"
                          "    {\n"
                          "      \"name\": \"library_version\",\n"
                          "      \"tag\": 257,\n"
                          "      \"text\": \"0.1.0\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"device_name\",\n"
                          "      \"tag\": 769,\n"
                          "      \"text\": \"Sample GPU\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"address_bits\",\n"
                          "      \"tag\": 775,\n"
                          "      \"hex\": \"40000000\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"driver_version\",\n"
                          "      \"tag\": 1281,\n"
                          "      \"text\": \"1.0\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"driver_environment\",\n"
                          "      \"tag\": 1283,\n"
                          "      \"text\": \"A=1\"\n"
                          "    }\n"
                          "  ]\n"
                          "}\n",
                          m->name, m->id_size),
            run->out);
    sample_store_fini(&s);
}

TEST_C(ToolInspect, NeedsNoStoreForAFile)
{
    const char *path =
            text_of("%s/blobs/good-primitive.blob", DNNL_CACHE_TEST_DATA_DIR);
    char copy[path_size];
    snprintf(copy, sizeof copy, "%s", path);
    struct made m = read_blob("good-primitive");
    const struct run *run = run_tool("inspect", copy, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out,
            text_of("file                %s\nname of its ID      %s\n", copy,
                    m.name)));
    EXPECT_NOT_NULL(strstr(run->out, "kind                primitive\n"
                                     "format version      1\n"
                                     "sections            5\n"
                                     "programs            2\n"
                                     "kernels             3\n"
                                     "binaries            113 B\n"
                                     "binaries as stored  23 B\n"
                                     "compressed          yes\n"));
    EXPECT_NOT_NULL(strstr(run->out, "build log\n  warning: a sample\n"));
    EXPECT_FALSE(exists(in_test("store")));

    write_whole(in_test("an.id"), m.id, m.id_size);
    run = run_tool("inspect", in_test("an.id"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "  \"blob\": null,\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"name\": \"op_desc\",\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, SaysWhyABlobIsNone)
{
    static const struct {
        const char *name;
        const char *status;
    } bad[] = {{"bad-checksum", "cache_blob_corrupt"},
            {"bad-magic", "cache_blob_corrupt"},
            {"bad-cut-header", "cache_blob_corrupt"},
            {"unsupported-version", "cache_blob_unsupported"},
            {"unsupported-kind", "cache_blob_unsupported"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[path_size];
        snprintf(path, sizeof path, "%s/blobs/%s.blob",
                DNNL_CACHE_TEST_DATA_DIR, bad[i].name);
        const struct run *run = run_tool("inspect", path, "--json", NULL);
        EXPECT_EQ(exit_found, run->code);
        EXPECT_NOT_NULL(
                strstr(run->out, text_of("\"status\": \"%s\"", bad[i].status)));
        EXPECT_NOT_NULL(strstr(run->out, "\"ingredients\": []"));
        EXPECT_NOT_NULL(strstr(run->err, bad[i].status));
        EXPECT_EQ(exit_found, run_tool("inspect", path, NULL)->code);
    }
    write_whole(in_test("empty.blob"), "", 0);
    EXPECT_EQ(
            exit_found, run_tool("inspect", in_test("empty.blob"), NULL)->code);
}

TEST_C(ToolInspect, NamesTheTroubleWithAnArgument)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct run *run = run_tool("inspect", "0123456789abcdef", NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ("dnnl-cache: 0123456789abcdef: no entry has this name (list "
                  "shows them)\n",
            run->err);
    run = run_tool("inspect", "nonsense", NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ("dnnl-cache: nonsense: neither an entry's name nor a file "
                  "(list shows the entries)\n",
            run->err);
    run = run_tool("inspect", "./nonsense", NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ(
            "dnnl-cache: ./nonsense: No such file or directory\n", run->err);
    run = run_tool("inspect", in_test("store"), NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "Is a directory"));
    run = run_tool("inspect", "/dev/zero", NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ("", run->out);
    sample_store_fini(&s);
}

TEST_C(ToolInspect, WantsAPrefixOfOneEntryOnly)
{
    /* Seventeen names: two of them begin with the same digit. */
    struct made made[17];
    char first[17];
    struct store *store = open_test_store("store");
    for (int i = 0; i < 17; i++) {
        char source[8];
        snprintf(source, sizeof source, "%d", i);
        made[i] = make_program("d", "1", source, "", NULL);
        first[i] = made[i].name[0];
        put_made(store, &made[i], 0);
    }
    store_close(store);
    for (int i = 0; i < 17; i++) {
        const char digit[2] = {first[i], '\0'};
        int same = 0;
        for (int j = 0; j < 17; j++)
            same += first[j] == first[i];
        const struct run *run = run_tool("inspect", digit, NULL);
        EXPECT_EQ(same > 1 ? exit_no_entry : exit_ok, run->code);
        if (same > 1) EXPECT_NOT_NULL(strstr(run->err, "more than one entry"));
        /* Digits in capitals are digits. */
        char upper[33];
        for (int j = 0; j < 33; j++)
            upper[j] = (char)(made[i].name[j] >= 'a' ? made[i].name[j] - 32
                                                     : made[i].name[j]);
        run = run_tool("inspect", upper, NULL);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_NOT_NULL(strstr(run->out, made[i].name));
    }
    for (int i = 0; i < 17; i++)
        made_fini(&made[i]);
}

TEST_C(ToolInspect, TakesAFileForAFileWhateverItsName)
{
    struct sample_store s;
    sample_store_make(&s);
    char *before = getcwd(NULL, 0);
    ASSERT_EQ(0, chdir(test_directory()));
    write_whole("cafe", s.made[2].blob, s.made[2].size);
    write_whole("-x.blob", s.made[2].blob, s.made[2].size);
    EXPECT_NOT_NULL(strstr(run_tool("inspect", "cafe", NULL)->out, "file "));
    EXPECT_EQ(exit_ok, run_tool("inspect", "./cafe", NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("inspect", "-x.blob", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("inspect", "--", "-x.blob", NULL)->code);
    ASSERT_EQ(0, chdir(before));
    free(before);
    sample_store_fini(&s);
}

/* ---- why ----------------------------------------------------------------- */

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

/* ---- verify -------------------------------------------------------------- */

TEST_C(ToolVerify, FindsAStoreIntact)
{
    struct sample_store s;
    sample_store_make(&s);
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ("intact             3\n"
                  "intact blobs       1.1 KiB\n"
                  "damaged            0\n"
                  "foreign            0\n"
                  "of a newer format  0\n"
                  "removed            0\n",
            run->out);
    run = run_tool("verify", "--quiet", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->out);
    sample_store_fini(&s);
}

TEST_C(ToolVerify, FindsAndRepairsDamage)
{
    struct sample_store s;
    sample_store_make(&s);
    struct made other = make_engine("Other", "1");
    struct made stray = make_program("Stray", "1", "x", "", NULL);
    struct made newer = read_blob("unsupported-section");
    newer.kind = dnnl_cache_blob_kind_engine;
    struct store *store = open_test_store("store");
    put_under(store, &other, &s.made[1], 0); /* another ID's blob */
    put_under(store, &stray, &newer, 0);
    store_close(store);
    flip_byte(blob_file("store", &s.made[2]), 20);
    char place[path_size];
    const char *file = blob_file("store", &s.made[2]);
    snprintf(place, sizeof place, "%s", strstr(file, "/store/") + 7);
    *strstr(place, "/kernel.bin") = '\0';

    const char *findings = text_of(
            "damaged  %-32s  the bytes are not those that were written\n"
            "foreign  %s  the blob of another ID\n",
            place, other.name);
    char expected[1024];
    snprintf(expected, sizeof expected,
            "%sintact             2\n"
            "intact blobs       677 B\n"
            "damaged            1\n"
            "foreign            1\n"
            "of a newer format  1\n"
            "removed            0\n",
            findings);
    const struct run *run = run_tool("verify", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ(expected, run->out);
    EXPECT_STR_EQ("dnnl-cache: damage was found: verify --repair removes it\n",
            run->err);
    run = run_tool("verify", "--json", "--quiet", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("{\n"
                          "  \"command\": \"verify\",\n"
                          "  \"intact\": 2,\n"
                          "  \"intact_blob_bytes\": 677,\n"
                          "  \"damaged\": 1,\n"
                          "  \"foreign\": 1,\n"
                          "  \"newer\": 1,\n"
                          "  \"removed\": 0,\n"
                          "  \"findings\": [\n"
                          "    {\n"
                          "      \"name\": \"%s\",\n"
                          "      \"problem\": \"damaged\",\n"
                          "      \"reason\": null\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"%s\",\n"
                          "      \"problem\": \"foreign\",\n"
                          "      \"reason\": \"the blob of another ID\"\n"
                          "    }\n"
                          "  ]\n"
                          "}\n",
                          place, other.name),
            run->out);

    run = run_tool("verify", "--repair", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out, "removed            2\n"));
    run = run_tool("verify", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "intact             2\n"));
    EXPECT_NOT_NULL(strstr(run->out, "of a newer format  1\n"));
    store = open_test_store("store");
    EXPECT_OK(get_made(store, &s.made[0]));
    EXPECT_OK(get_made(store, &s.made[1]));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &s.made[2]));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &other));
    store_close(store);
    made_fini(&other);
    made_fini(&stray);
    made_fini(&newer);
    sample_store_fini(&s);
}

TEST_C(ToolVerify, AsksForTheKeyOfSignedEntries)
{
    struct made m = make_engine("GPU", "1");
    struct store_options options = store_options_default();
    char key[path_size];
    snprintf(key, sizeof key, "%s", in_test("key"));
    ASSERT_OK(store_key_file_make(key));
    options.path = in_test("store");
    options.key_file = key;
    struct store *store = NULL;
    ASSERT_OK(bucket_store_open(&store, &options));
    put_made(store, &m, 0);
    store_close(store);
    EXPECT_EQ(exit_ok, run_tool("verify", "--key", key, NULL)->code);
    /* An unsigned one does not belong there. */
    struct made forged = make_engine("GPU", "2");
    store = open_test_store("store");
    put_made(store, &forged, 0);
    store_close(store);
    EXPECT_EQ(exit_ok, run_tool("verify", NULL)->code);
    const struct run *run = run_tool("verify", "--key", key, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "damaged            1\n"));
    run = run_tool("verify", "--key", in_test("none"), NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "/none: "));
    made_fini(&m);
    made_fini(&forged);
}

TEST_C(ToolInspect, TellsOfADamagedEntry)
{
    struct sample_store s;
    sample_store_make(&s);
    flip_byte(blob_file("store", &s.made[2]), 20);
    const struct run *run = run_tool("inspect", s.made[2].brief, NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "blob            cache_blob_corrupt\n"
                                     "because         its bytes are not those "
                                     "that were written\n"));
    EXPECT_NOT_NULL(strstr(run->out, "driver_version      2.0\n"));
    sample_store_fini(&s);
}

/* ---- evict, gc, clear ---------------------------------------------------- */

TEST_C(ToolEvict, RemovesTheOldestFirst)
{
    struct made made[3];
    struct store *store = open_test_store("store");
    for (int i = 0; i < 3; i++) {
        char source[8];
        snprintf(source, sizeof source, "%d", i);
        made[i] = make_large_program("GPU", source, 10000);
        put_made(store, &made[i], 0);
    }
    store_close(store);
    const struct run *run = run_tool("evict", "--to", "25K", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("1 removed, 2 left with 20.7 KiB on disk\n", run->out);
    run = run_tool("evict", "--to=1KiB", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("{\n"
                  "  \"command\": \"evict\",\n"
                  "  \"removed\": 2,\n"
                  "  \"entries\": 0,\n"
                  "  \"disk_bytes\": 0\n"
                  "}\n",
            run->out);
    run = run_tool("evict", "--to", "0", "--quiet", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->out);
    for (int i = 0; i < 3; i++)
        made_fini(&made[i]);
}

TEST_C(ToolEvict, ByCostKeepsWhatIsDear)
{
    struct made dear = make_large_program("GPU", "dear", 10000);
    struct made cheap = make_large_program("GPU", "cheap", 10000);
    struct store *store = open_test_store("store");
    put_made(store, &dear, UINT64_C(90000000000));
    put_made(store, &cheap, 1000000);
    store_close(store);
    EXPECT_STR_EQ("1 removed, 1 left with 10.3 KiB on disk\n",
            run_tool("evict", "--to", "15K", "--policy", "cost", NULL)->out);
    store = open_test_store("store");
    EXPECT_OK(get_made(store, &dear));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &cheap));
    store_close(store);
    made_fini(&dear);
    made_fini(&cheap);
}

TEST_C(ToolGc, RemovesWhatIsOlder)
{
    struct sample_store s;
    sample_store_make(&s); /* created 3, 2 and 1 minutes ago */
    EXPECT_STR_EQ("0 removed, 3 left with 1.6 KiB on disk\n",
            run_tool("gc", "--older-than", "30d", NULL)->out);
    EXPECT_STR_EQ("2 removed, 1 left with 605 B on disk\n",
            run_tool("gc", "--older-than", "90s", NULL)->out);
    struct store *store = open_test_store("store");
    EXPECT_OK(get_made(store, &s.made[2]));
    store_close(store);
    sample_store_fini(&s);
}

TEST_C(ToolClear, NeedsAYes)
{
    struct sample_store s;
    sample_store_make(&s);
    flip_byte(blob_file("store", &s.made[2]), 20);
    if (!isatty(STDIN_FILENO)) {
        const struct run *run = run_tool("clear", NULL);
        EXPECT_EQ(exit_usage, run->code);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s: nobody can be asked: say --yes "
                              "to remove all 3 entries\n",
                              in_test("store")),
                run->err);
    }
    EXPECT_EQ(3, count_entries("store"));
    const struct run *run = run_tool("clear", "--yes", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("3 removed, 0 left with 0 B on disk\n", run->out);
    EXPECT_EQ(0, count_entries("store"));
    run = run_tool("clear", "--yes", "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"removed\": 0,"));
    sample_store_fini(&s);
}

/* ---- The command line ---------------------------------------------------- */

TEST_C(ToolOptions, RefuseWhatMakesNoSense)
{
    static const struct {
        const char *arguments[4];
        const char *message;
    } all[] = {
            {{NULL}, "no command"},
            {{"lst"}, "no such command: lst"},
            {{"list", "--nonsense"}, "no such option: --nonsense"},
            {{"-l"}, "no such option: -l"},
            {{"list", "x"}, "too many arguments for list"},
            {{"inspect"}, "too few arguments for inspect"},
            {{"why", "a", "b", "c"}, "too many arguments for why"},
            {{"export"}, "too few arguments for export"},
            {{"list", "--repair"}, "not an option of this command: --repair"},
            {{"evict"}, "this command needs --to"},
            {{"gc"}, "this command needs --older-than"},
            {{"evict", "--to"}, "no value for --to"},
            {{"evict", "--to", "10X"}, "--to: 10X: no SIZE"},
            {{"gc", "--older-than=5"}, "--older-than: 5: no AGE"},
            {{"evict", "--policy=none"}, "--policy: none: no POLICY"},
            {{"list", "--type", "tape"}, "--type: tape: no TYPE"},
            {{"list", "--json=1"}, "no value is possible: --json=1"},
            {{"list", "--store="}, "--store: : no DIR"},
            {{"l\x1bst"}, "no such command: l\\x1bst"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *const *a = all[i].arguments;
        const struct run *run =
                run_bare(a[0], a[0] != NULL ? a[1] : NULL, a[2], a[3], NULL);
        EXPECT_EQ(exit_usage, run->code);
        EXPECT_STR_EQ("", run->out);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s (dnnl-cache --help tells "
                              "more)\n",
                              all[i].message),
                run->err);
    }
}

TEST_C(ToolOptions, AreAllInTheHelp)
{
    static const char *const general[] = {"--store DIR", "--type TYPE",
            "--key FILE", "--shared", "--json", "--quiet", "--help",
            "--version"};
    const struct run *run = run_bare("--help", NULL);
    EXPECT_EQ(exit_ok, run->code);
    for (const struct command *c = commands; c->name != NULL; c++)
        EXPECT_NOT_NULL(
                strstr(run->out, text_of("  %-18s %s\n", c->name, c->purpose)));
    for (const struct command *c = commands; c->name != NULL; c++) {
        run = run_bare(c->name, "--help", NULL);
        EXPECT_EQ(exit_ok, run->code);
        for (size_t i = 0; i < sizeof general / sizeof *general; i++)
            EXPECT_NOT_NULL(strstr(run->out, general[i]));
        EXPECT_EQ((c->options & option_repair) != 0,
                strstr(run->out, "--repair") != NULL);
        EXPECT_EQ((c->options & option_to) != 0,
                strstr(run->out, "--to SIZE") != NULL);
        EXPECT_EQ((c->options & option_older_than) != 0,
                strstr(run->out, "--older-than AGE") != NULL);
        EXPECT_EQ((c->options & option_policy) != 0,
                strstr(run->out, "--policy POLICY") != NULL);
        EXPECT_EQ((c->options & option_yes) != 0,
                strstr(run->out, "--yes") != NULL);
    }
    EXPECT_STR_EQ(
            text_of("dnnl-cache 0.1.0 (library %s)\n", dnnl_cache_version()),
            run_bare("--version", NULL)->out);
}

/* ---- Which store --------------------------------------------------------- */

TEST_C(ToolStore, IsNotMadeByLooking)
{
    static const char *const all[][4] = {{"stats"}, {"list"}, {"inspect", "aa"},
            {"why", "aa", "bb"}, {"verify"}, {"verify", "--repair"},
            {"evict", "--to", "1"}, {"gc", "--older-than", "1d"},
            {"clear", "--yes"}, {"clear"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct run *run =
                run_tool(all[i][0], all[i][1], all[i][2], all[i][3], NULL);
        EXPECT_EQ(exit_store, run->code);
        EXPECT_STR_EQ("", run->out);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s: No such file or directory: name "
                              "another store with --store DIR\n",
                              in_test("store")),
                run->err);
    }
    EXPECT_EQ(exit_store, run_tool("export", in_test("x"), NULL)->code);
    EXPECT_FALSE(exists(in_test("x")));
    EXPECT_FALSE(exists(in_test("store")));
}

TEST_C(ToolStore, ThatOthersMayWriteToNeedsAWord)
{
    struct sample_store s;
    sample_store_make(&s);
    ASSERT_EQ(0, chmod(in_test("store"), 0777));
    const struct run *run = run_tool("list", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "others may write to it"));
    EXPECT_EQ(exit_ok, run_tool("list", "--shared", NULL)->code);
    sample_store_fini(&s);
}

TEST_C(ToolStore, IsFoundByTheEnvironment)
{
    struct sample_store s;
    sample_store_make(&s);
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", in_test("home"), 1);
    EXPECT_NOT_NULL(
            strstr(run_bare("list", NULL)->err, "/home/.cache/dnnl_cache: "));
    setenv("XDG_CACHE_HOME", in_test("xdg"), 1);
    EXPECT_NOT_NULL(strstr(run_bare("list", NULL)->err, "/xdg/dnnl_cache: "));
    setenv("DNNL_CACHE_DIR", in_test("store"), 1);
    EXPECT_NOT_NULL(strstr(run_bare("list", NULL)->out, s.made[0].brief));
    EXPECT_EQ(
            exit_store, run_bare("list", "--store", in_test("no"), NULL)->code);
    unsetenv("DNNL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    const struct run *run = run_bare("list", NULL);
    EXPECT_EQ(exit_store, run->code);
    EXPECT_STR_EQ(
            "dnnl-cache: no store: name one with --store DIR\n", run->err);
    sample_store_fini(&s);
}

/* Every file and directory below, by name, size and content's times. */
static uint64_t fingerprint(void)
{
    char command[path_size + 64];
    uint64_t sum = 0;
    int c;
    snprintf(command, sizeof command,
            "find '%s' -printf '%%P %%s %%m %%T@ \\n' | sort",
            in_test("store"));
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c) */
    while (f != NULL && (c = fgetc(f)) != EOF)
        sum = sum * 31 + (uint64_t)c;
    if (f != NULL) pclose(f);
    return sum;
}

TEST_C(ToolStore, IsNotTouchedByCommandsThatRead)
{
    struct sample_store s;
    sample_store_make(&s);
    write_whole(in_test("a.blob"), s.made[1].blob, s.made[1].size);
    (void)run_tool("verify", NULL); /* access times are new once */
    const uint64_t before = fingerprint();
    EXPECT_EQ(exit_ok, run_tool("stats", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("list", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("inspect", s.made[0].brief, NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("verify", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("why", in_test("a.blob"), NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("export", in_test("archive"), NULL)->code);
    EXPECT_EQ(before, fingerprint());
    sample_store_fini(&s);
}
