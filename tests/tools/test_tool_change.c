/* SPDX-License-Identifier: Apache-2.0 */
/* Entries removed. */
#include "test.h"
#include "tool_helpers.h"

#include <string.h>
#include <unistd.h>

/* ---- evict, gc, clear ---------------------------------------------------- */

TEST_C(ToolEvict, RemovesTheOldestFirst)
{
    struct made made[3];
    dnnl_cache_store_handle_t *store = open_test_store("store");
    for (int i = 0; i < 3; i++) {
        char source[16];
        snprintf(source, sizeof source, "%d", i);
        made[i] = make_large_program("GPU", source, 10000);
        put_made(store, &made[i], 0);
    }
    dnnl_cache_store_close(store);
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
    dnnl_cache_store_handle_t *store = open_test_store("store");
    put_made(store, &dear, UINT64_C(90000000000));
    put_made(store, &cheap, 1000000);
    dnnl_cache_store_close(store);
    EXPECT_STR_EQ("1 removed, 1 left with 10.3 KiB on disk\n",
            run_tool("evict", "--to", "15K", "--policy", "cost", NULL)->out);
    store = open_test_store("store");
    EXPECT_OK(get_made(store, &dear));
    EXPECT_STATUS(dnnl_cache_miss, get_made(store, &cheap));
    dnnl_cache_store_close(store);
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
    dnnl_cache_store_handle_t *store = open_test_store("store");
    EXPECT_OK(get_made(store, &s.made[2]));
    dnnl_cache_store_close(store);
    sample_store_fini(&s);
}

TEST_SAMPLE_STORE(ToolClear, NeedsAYes)
{
    flip_byte(blob_file("store", &s->made[2]), 20);
    if (!isatty(STDIN_FILENO)) {
        const struct run *run = run_tool("clear", NULL);
        EXPECT_EQ(exit_usage, run->code);
        EXPECT_STR_EQ(text_of("dnnl-cache: %s: not interactive: pass --yes to "
                              "remove all 3 entries\n",
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
}
