/* SPDX-License-Identifier: Apache-2.0 */
/* Damage found and repaired, and entries removed. */
#include "bucket_store.h"
#include "test.h"
#include "tool_helpers.h"

#include <string.h>
#include <unistd.h>

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
    char complaint[2 * path_size];
    snprintf(complaint, sizeof complaint,
            "dnnl-cache: %.*s: damaged\n"
            "dnnl-cache: damage was found: verify --repair removes it\n",
            (int)(strstr(file, "/kernel.bin") - file), file);

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
    EXPECT_STR_EQ(complaint, run->err);
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
