/* SPDX-License-Identifier: Apache-2.0 */
/* What list and stats write, to the byte. */
#include "prometheus_text.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/journal.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- list ---------------------------------------------------------------- */

TEST_SAMPLE_STORE(ToolList, WritesATable)
{
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
                    s->made[0].brief, s->made[1].brief, s->made[2].brief),
            run->out);
}

TEST_SAMPLE_STORE(ToolList, WritesJson)
{
    const struct run *run = run_tool("list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    char expected[4096];
    size_t n = (size_t)snprintf(expected, sizeof expected,
            "{\n  \"command\": \"list\",\n  \"entries\": [");
    static const char *const kinds[] = {"engine", "program", "program"};
    static const char *const drivers[] = {"1.0", "1.0", "2.0"};
    static const char *const options[] = {"null", "\"-O2\"", "\"-O2\""};
    static const char copy[] = "[\n        \"copy\"\n      ]";
    const char *const kernels[] = {"[]", copy, copy};
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
                "      \"device\": \"Sample GPU\",\n"
                "      \"build_options\": %s,\n"
                "      \"implementation\": null,\n"
                "      \"kernels\": %s\n"
                "    }",
                i > 0 ? "," : "", s->made[i].name, kinds[i], s->made[i].id_size,
                s->made[i].size, i + 1, i, i, drivers[i], options[i],
                kernels[i]);
    snprintf(expected + n, sizeof expected - n, "\n  ]\n}\n");
    EXPECT_STR_EQ(expected, run->out);
}

TEST_SAMPLE_STORE(ToolList, TellsWhichProgramAnEntryIs)
{
    struct made primitive = read_blob("good-primitive");
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &primitive, 0);
    dnnl_cache_store_close(store);
    const struct run *run = run_tool("list", "--long", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "  implementation or options  kernels\n"));
    EXPECT_NOT_NULL(strstr(run->out, "  -O2                        copy\n"));
    EXPECT_NOT_NULL(strstr(run->out, "  copy, fill\n")); /* each once */
    EXPECT_EQ(exit_usage, run_tool("stats", "--long", NULL)->code);
    /* A damaged blob tells nothing, and is counted. */
    flip_byte(blob_file("store", &s->made[2]), 20);
    run = run_tool("list", "--json", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"kernels\": null\n"));
    EXPECT_NOT_NULL(strstr(run->err, "1 damaged: see dnnl-cache verify\n"));
    made_fini(&primitive);
}

/* A file has no width: a row is a line with all that there is. */
TEST_C(ToolList, CutsNothingInAFile)
{
    static const char names[] =
            "first_of_them, second_of_them, third, fourth, fifth, sixth, "
            "seventh_of_them_all\n";
    char options[200] = "-DLONG=";
    memset(options + strlen(options), '1', 100);
    struct made made = make_program("Sample GPU", "1.0", "copy", options, NULL);
    struct made many = make_kernel_program("many",
            "first_of_them;second_of_them;third;fourth;fifth;sixth;"
            "seventh_of_them_all");
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &made, 0);
    put_made(store, &many, 0);
    dnnl_cache_store_close(store);
    setenv("COLUMNS", "40", 1);
    const struct run *run = run_tool("list", "--long", NULL);
    unsetenv("COLUMNS");
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, options));
    EXPECT_NOT_NULL(strstr(run->out, names));
    EXPECT_STR_EQ("", run->err);
    made_fini(&made);
    made_fini(&many);
}

TEST_C(ToolList, OfAnEmptyStoreIsEmpty)
{
    dnnl_cache_store_close(open_test_store("store"));
    EXPECT_STR_EQ("no entries\n", run_tool("list", NULL)->out);
    const struct run *run = run_tool("list", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(
            "{\n  \"command\": \"list\",\n  \"entries\": []\n}\n", run->out);
}

TEST_C(ToolList, EscapesStrangeNames)
{
    struct made odd = make_program(
            "Card \033[31m\xff\"\\\n", "\xc3\xa4\xc2\x9b", "x", "", NULL);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &odd, 0);
    dnnl_cache_store_close(store);
    const struct run *run = run_tool("list", NULL);
    EXPECT_NOT_NULL(strstr(
            run->out, "\xc3\xa4\\xc2\\x9b  Card \\x1b[31m\\xff\"\\\\n\n"));
    EXPECT_NULL(strchr(run->out, '\033'));
    run = run_tool("list", "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out, "\"driver\": \"\xc3\xa4\\u009b\","));
    EXPECT_NOT_NULL(strstr(
            run->out, "\"device\": \"Card \\u001b[31m\\ufffd\\\"\\\\\\n\",\n"));
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

TEST_SAMPLE_STORE(ToolStats, WritesTables)
{
    const struct run *run = run_tool("stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("store              %s\n"
                          "type               bucket\n"
                          "entries            3\n"
                          "blobs              1.1 KiB\n"
                          "on disk            1.6 KiB\n"
                          "capacity           1.0 GiB\n"
                          "compile time kept  6.0 ms\n"
                          "oldest             2100-01-01 00:00\n"
                          "newest             2100-01-01 00:02\n"
                          "last use noted     2100-01-01 00:02\n"
                          "policy             fifo\n"
                          "counted since      2100-01-01 00:00\n"
                          "hits               0\n"
                          "misses             0\n"
                          "puts               3\n"
                          "evictions          0\n"
                          "refused puts       0\n"
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
}

/* The members of a sum whose entries were created at these minutes. */
static void write_sum(FILE *out, const char *indent, int entries, int bytes,
        int compile_ms, int oldest, int newest)
{
    static const char time[] = "2100-01-01T00:0";
    static const char zeros[] = ":00.000000000Z";
    fprintf(out, "%s\"entries\": %d,\n", indent, entries);
    fprintf(out, "%s\"blob_bytes\": %d,\n", indent, bytes);
    fprintf(out, "%s\"compile_ns\": %d000000,\n", indent, compile_ms);
    fprintf(out, "%s\"oldest\": \"%s%d%s\",\n", indent, time, oldest, zeros);
    fprintf(out, "%s\"newest\": \"%s%d%s\",\n", indent, time, newest, zeros);
    fprintf(out, "%s\"used\": \"%s%d%s\"", indent, time, newest, zeros);
}

static void write_stats(FILE *out, unsigned long long disk_bytes)
{
    static const char *const kinds[] = {"engine", "program"};
    static const char *const drivers[] = {"1.0", "2.0"};
    static const int kind_sums[][5] = {{1, 200, 1, 0, 0}, {2, 890, 5, 1, 2}};
    static const int driver_sums[][5] = {{2, 677, 3, 0, 1}, {1, 413, 3, 2, 2}};
    fprintf(out,
            "{\n  \"command\": \"stats\",\n  \"store\": \"%s\",\n"
            "  \"type\": \"bucket\",\n",
            in_test("store"));
    write_sum(out, "  ", 3, 1090, 6, 0, 2);
    fprintf(out, ",\n  \"disk_bytes\": %llu,\n", disk_bytes);
    fputs("  \"capacity_bytes\": 1073741824,\n"
          "  \"policy\": \"fifo\",\n"
          "  \"totals\": {\n"
          "    \"since\": \"2100-01-01T00:00:00.000000000Z\",\n"
          "    \"hits\": 0,\n    \"misses\": 0,\n    \"puts\": 3,\n"
          "    \"evictions\": 0,\n    \"refused\": 0\n  },\n"
          "  \"proved\": 0,\n  \"differed\": 0,\n"
          "  \"failed_builds\": 0,\n  \"failed_once\": 0,\n"
          "  \"failed_bytes\": 0,\n"
          "  \"ahead_made\": 0,\n  \"ahead_unused\": 0,\n"
          "  \"ahead_stopped\": 0,\n"
          "  \"kinds\": [",
            out);
    for (int i = 0; i < 2; i++) {
        const int *s = kind_sums[i];
        fprintf(out, "%s\n    {\n      \"kind\": \"%s\",\n", i > 0 ? "," : "",
                kinds[i]);
        write_sum(out, "      ", s[0], s[1], s[2], s[3], s[4]);
        fputs("\n    }", out);
    }
    fputs("\n  ],\n  \"devices\": [", out);
    for (int i = 0; i < 2; i++) {
        const int *s = driver_sums[i];
        fprintf(out,
                "%s\n    {\n      \"device\": \"Sample GPU\",\n"
                "      \"driver\": \"%s\",\n",
                i > 0 ? "," : "", drivers[i]);
        write_sum(out, "      ", s[0], s[1], s[2], s[3], s[4]);
        fputs("\n    }", out);
    }
    fputs("\n  ]\n}\n", out);
}

TEST_SAMPLE_STORE(ToolStats, WritesJson)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    char *expected = NULL;
    size_t size;
    dnnl_cache_store_handle_t *store = open_test_store("store");
    ASSERT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    dnnl_cache_store_close(store);
    EXPECT_EQ(1615, statistics.bytes); /* IDs, blobs and three trailers */
    FILE *out = open_memstream(&expected, &size);
    write_stats(out, 1615);
    fclose(out);
    const struct run *run = run_tool("--json", "stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(expected, run->out);
    free(expected);
}

/* What an application recorded, and nothing of the tool's own reading. */
TEST_SAMPLE_STORE(ToolStats, ShowsCapacityAndTotalsUntilReset)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    options.path = in_test("store");
    options.capacity = dnnl_cache_store_megabytes(3);
    options.policy = dnnl_cache_store_policy_cost;
    ASSERT_OK(dnnl_cache_store_open(&store, "bucket", &options));
    EXPECT_OK(get_made(store, &s->made[0]));
    dnnl_cache_store_close(store);
    for (int i = 0; i < 2; i++) {
        const struct run *run = run_tool("stats", NULL);
        EXPECT_NOT_NULL(strstr(run->out, "\ncapacity           3.0 MiB\n"));
        EXPECT_NOT_NULL(strstr(run->out, "\npolicy             cost\n"));
        EXPECT_NOT_NULL(strstr(run->out, "\nhits               1\n"));
        EXPECT_NOT_NULL(strstr(run->out, "\nputs               3\n"));
    }
    set_clock(TEST_EPOCH_NS + UINT64_C(3600000000000));
    const struct run *run = run_tool("stats", "--reset", "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"capacity_bytes\": 3145728,\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"policy\": \"cost\",\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"since\": \"2100-01-01T01:00:"));
    EXPECT_NOT_NULL(strstr(run->out, "\"hits\": 0,\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"puts\": 0,\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"entries\": 3,\n"));
    EXPECT_EQ(exit_usage, run_tool("list", "--reset", NULL)->code);
}

/* A sample of the store in the test's folder. */
static double sample_of(const char *text, const char *name, const char *more)
{
    char sample[4 * path_size];
    snprintf(sample, sizeof sample, "%s{place=\"%s\",type=\"bucket\"%s}", name,
            in_test("store"), more);
    return prometheus_value(text, sample);
}

TEST_SAMPLE_STORE(ToolStats, AreTextForPrometheusToo)
{
    static const char device[] = ",device=\"Sample GPU\",driver=\"1.0\"";
    static const char engine[] = ",kind=\"engine\"";
    const struct run *run = run_tool("stats", "--prometheus", NULL);
    EXPECT_EQ(exit_ok, run->code);
    const char *mistake = prometheus_find_mistake(run->out);
    EXPECT_NULL(mistake);
    if (mistake != NULL) printf("%s\n", mistake);
    EXPECT_TRUE(sample_of(run->out, "dnnl_cache_place_entries", engine) == 1.0);
    EXPECT_TRUE(sample_of(run->out, "dnnl_cache_place_compile_seconds", engine)
                == 0.001);
    EXPECT_TRUE(
            sample_of(run->out, "dnnl_cache_place_device_blob_bytes", device)
            == 677.0);
    EXPECT_TRUE(sample_of(run->out, "dnnl_cache_place_is_listed", "") == 1.0);
    EXPECT_TRUE(sample_of(run->out, "dnnl_cache_place_puts_total", "") == 3.0);
    EXPECT_TRUE(sample_of(run->out, "dnnl_cache_place_misses_total", "") == 0);
    EXPECT_EQ(exit_usage,
            run_tool("stats", "--prometheus", "--json", NULL)->code);
}

TEST_C(ToolStats, OfAPlaceWithAStrangeNameAreTextForPrometheus)
{
    static const char name[] = "a \"b\" \\c\nd \xff\xc3\xa4";
    dnnl_cache_store_close(open_test_store(name));
    const struct run *run =
            run_bare("--store", in_test(name), "stats", "--prometheus", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NULL(prometheus_find_mistake(run->out));
    EXPECT_NOT_NULL(strstr(run->out, "/a \\\"b\\\" \\\\c\\nd ?\xc3\xa4\""));
}

TEST_C(ToolStats, OfAnEmptyStoreIsZeros)
{
    set_clock(TEST_EPOCH_NS);
    setenv("TZ", "UTC", 1);
    dnnl_cache_store_close(open_test_store("store"));
    const struct run *run = run_tool("stats", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("store              %s\n"
                          "type               bucket\n"
                          "entries            0\n"
                          "blobs              0 B\n"
                          "on disk            0 B\n"
                          "capacity           1.0 GiB\n"
                          "compile time kept  -\n"
                          "oldest             -\n"
                          "newest             -\n"
                          "last use noted     -\n"
                          "policy             fifo\n"
                          "counted since      2100-01-01 00:00\n"
                          "hits               0\n"
                          "misses             0\n"
                          "puts               0\n"
                          "evictions          0\n"
                          "refused puts       0\n",
                          in_test("store")),
            run->out);
    EXPECT_EQ(exit_ok, run_tool("stats", "--json", NULL)->code);
}

/* ---- Launches that wait -------------------------------------------------- */

static void note_launch(
        dnnl_cache_store_handle_t *store, const struct made *made, size_t local)
{
    static const char source[] = "kernel void copy() {}";
    static const char *const sources[] = {source};
    static const size_t sizes[] = {sizeof source - 1};
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.id_size = made->id_size;
    note.id = made->id;
    note.type = dnnl_cache_note_executable;
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = sizes;
    EXPECT_STATUS(dnnl_success, dnnl_cache_store_journal_append(store, &note));
    note = (dnnl_cache_note_t)DNNL_CACHE_NOTE_INIT;
    note.kind = dnnl_cache_note_launch;
    note.origin = dnnl_cache_note_layer;
    note.id_size = made->id_size;
    note.id = made->id;
    note.kernel = "copy";
    note.work_dim = 1;
    note.local_size[0] = local;
    note.local_size[1] = note.local_size[2] = 1;
    note.is_small_grid = 1;
    EXPECT_STATUS(dnnl_success, dnnl_cache_store_journal_append(store, &note));
}

/* What a program was launched as since it was kept. */
TEST_SAMPLE_STORE(ToolList, NamesLaunchesThatAnEntryLacks)
{
    const struct run *run = run_tool("list", "--long", NULL);
    EXPECT_NULL(strstr(run->out, "lacks"));
    dnnl_cache_store_handle_t *store = open_test_store("store");
    note_launch(store, &s->made[1], 64);
    note_launch(store, &s->made[1], 32);
    dnnl_cache_store_close(store);
    run = run_tool("list", "--long", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "  lacks launches\n"));
    EXPECT_NOT_NULL(strstr(run->out, "  copy 64-1-1-goffs0-smallgrid, "
                                     "copy 32-1-1-goffs0-smallgrid\n"));
    run = run_tool("list", "--json", NULL);
    EXPECT_NOT_NULL(
            strstr(run->out, "\"lacks_launches\": [\n"
                             "        \"copy 64-1-1-goffs0-smallgrid\""));
    run = run_tool("why", s->made[1].brief, NULL);
    EXPECT_EQ(
            0, strncmp(run->out,
                       "incomplete: lacks kernel copy 64-1-1-goffs0-smallgrid; "
                       "run dnnl-cache refresh\n",
                       77));
    run = run_tool("why", s->made[2].brief, NULL);
    EXPECT_NULL(strstr(run->out, "incomplete"));
}
