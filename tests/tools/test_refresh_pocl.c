/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache refresh on PoCL, which compiles a kernel for each class of
 * launches: after a refresh the next start compiles nothing. */
#include "redis_server.h"
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { no_platform = 77 };

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

TEST_C(RefreshPocl, OfTheLibraryHasAllLaunches)
{
    use_fake(false);
    struct outcome run = run_client("note", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, run.code);
    /* Each of the two kernels for its own class, and for no other. */
    EXPECT_EQ(2, (long long)count_of(run.err, "Built a"));
    EXPECT_EQ(2, (long long)count_of(run.err, "Built a specialized"));
    run = run_client("run", 1);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "from the store 1, compiled 0, checksum ");
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    /* What is there for all launches is not made again. */
    ASSERT_EQ(0, run_client("note", 1).code);
    EXPECT_EQ(1, waiting());
    run = run_refresh("--jobs", "2", NULL);
    expect_has(run.out, "1 kept");
    EXPECT_EQ(0, (long long)count_of(run.err, "clBuildProgram"));
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    EXPECT_EQ(0, waiting());
    expect_no_temporary();
}

/* Of two classes that differ in that alone PoCL compiles one in a process. */
TEST_C(RefreshPocl, OfTheLibraryHasLaunchesOnSmallAndLargeGrids)
{
    use_fake(false);
    use_variable("REFRESH_CLIENT_LARGE_GRID", "1");
    struct outcome run = run_client("note", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(3, (long long)count_of(run.err, "Built a specialized"));
    EXPECT_EQ(3, (long long)count_of(run.err, "Built a"));
    ASSERT_EQ(0, run_client("note", 1).code);
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    run = run_client("run", 1);
    expect_has(run.out, "from the store 1, compiled 0, checksum ");
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
}

TEST_C(RefreshPocl, OfTheLibraryHasLaunchesWhoseSizeTheDriverChose)
{
    use_fake(false);
    use_variable("REFRESH_CLIENT_AUTO", "1");
    struct outcome run = run_client("note", 1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(2, (long long)count_of(run.err, "Built a specialized"));
    run = run_program("--store", store_path(), "list", "--long", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "first");
    EXPECT_NULL(strstr(run.out, "auto-"));
    ASSERT_EQ(0, run_client("note", 1).code);
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.err, "clBuildProgram"));
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    EXPECT_EQ(0, waiting());
    use_variable("REFRESH_CLIENT_AUTO", NULL);
}

TEST_C(RefreshPocl, OfTheLayerHasAllLaunchesAlsoOfWhatIsLinked)
{
    char checksum[128];
    use_fake(false);
    struct outcome run = run_under_layer(2);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    EXPECT_GT((long long)count_of(run.err, "Built a"), 0);
    snprintf(checksum, sizeof checksum, "%s", run.out);
    EXPECT_EQ(3, waiting()); /* built, compiled, linked */
    run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "3 kept, 0 failed, 0 refused");
    run = run_under_layer(2);
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ(checksum, run.out);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    EXPECT_EQ(0, waiting());
}

/* Objects whose headers are programs, and what is linked of them: of a driver
 * with its own cache on, what is linked is compiled by a worker alone. No file
 * is read for them. */
TEST_C(RefreshPocl, OfTheLayerHasHeadersThatArePrograms)
{
    char checksum[128];
    static const char *const caches[] = {"0", "1"};
    for (size_t i = 0; i < COUNT(caches); i++) {
        use_fake(false);
        use_variable("REFRESH_CLIENT_HEADER_PROGRAMS", "1");
        use_variable("POCL_KERNEL_CACHE", caches[i]);
        struct outcome run = run_under_layer(2);
        if (run.code == no_platform) SKIP_TEST("PoCL is not here");
        ASSERT_EQ(0, run.code);
        EXPECT_GT((long long)count_of(run.err, "Built a"), 0);
        snprintf(checksum, sizeof checksum, "%s", run.out);
        run = run_refresh("--jobs", "2", NULL);
        EXPECT_EQ(0, run.code);
        expect_has(run.out, ", 0 failed, 0 refused");
        EXPECT_EQ(4, (long long)count_entries("store"));
        use_variable("DNNL_CACHE_STATS", "1");
        run = run_under_layer(2);
        EXPECT_EQ(0, run.code);
        EXPECT_STR_EQ(checksum, run.out);
        EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
        expect_has(run.err, "\n  misses                                0\n");
        EXPECT_EQ(0, waiting());
        EXPECT_EQ(0, rename(store_path(), in_test(text_of("store%zu", i))));
    }
}

/* What one host's application left in the journal, refresh compiles and sends
 * to the server; another host, whose store is empty, compiles nothing. */
TEST_C(RefreshPocl, WarmsOtherHosts)
{
    char url[2 * path_size];
    char key[path_size];
    char checksum[128];
    struct redis_process server;
    if (!redis_is_there()) return;
    snprintf(key, sizeof key, "%s", in_test("key"));
    EXPECT_OK(dnnl_cache_store_key_file_make(key));
    redis_start(&server, test_directory(), NULL);
    snprintf(url, sizeof url, "unix://%s?timeout_ms=20000&key_file=%s",
            server.socket, key);
    use_fake(false);
    use_variable("DNNL_CACHE_REMOTE", url);
    struct outcome run = run_under_layer(1);
    if (run.code == no_platform) {
        redis_kill(&server);
        SKIP_TEST("PoCL is not here");
    }
    EXPECT_EQ(0, run.code);
    EXPECT_GT((long long)count_of(run.err, "Built a"), 0);
    snprintf(checksum, sizeof checksum, "%s", run.out);
    EXPECT_EQ(0, redis_number(&server, "DBSIZE"));
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept");
    EXPECT_EQ(1, redis_number(&server, "DBSIZE"));
    EXPECT_EQ(0, rename(store_path(), in_test("of_the_first_host")));
    run = run_under_layer(1);
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ(checksum, run.out);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    use_variable("DNNL_CACHE_REMOTE", NULL);
    redis_kill(&server);
}

/* Of a process's statistics. */
static uint64_t number_of(const char *file, const char *name)
{
    char quoted[64];
    size_t size;
    uint8_t *text = read_whole(file, &size);
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = memmem(text, size, quoted, strlen(quoted));
    const uint64_t number =
            at != NULL ? strtoull(at + strlen(quoted), NULL, 10) : 0;
    if (at == NULL) test_fail(__FILE__, __LINE__, "no %s", name);
    free(text);
    return number;
}

static bool take_compile_ns(
        void *user, const struct dnnl_cache_store_entry *item)
{
    *(uint64_t *)user = item->compile_ns;
    return true;
}

/* A hit saves what the application has compiled for, and not what refresh has,
 * whose compiler was not warm. */
TEST_C(RefreshPocl, OfTheLayerSavesTheTimeOfTheApplication)
{
    char statistics[path_size];
    uint64_t compile_ns = 0;
    use_fake(false);
    const struct outcome run = run_under_layer(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    ASSERT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    snprintf(statistics, sizeof statistics, "%s", in_test("statistics"));
    use_variable("DNNL_CACHE_STATS", statistics);
    ASSERT_EQ(0, run_under_layer(1).code);
    use_variable("DNNL_CACHE_STATS", NULL);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    EXPECT_OK(dnnl_cache_store_iterate(store, take_compile_ns, &compile_ns));
    dnnl_cache_store_close(store);
    EXPECT_EQ(1, (long long)number_of(statistics, "hits"));
    EXPECT_GT((long long)number_of(statistics, "saved_ns"), 0);
    EXPECT_EQ((long long)compile_ns,
            (long long)(number_of(statistics, "saved_ns")
                        + number_of(statistics, "load_ns")));
}

TEST_C(RefreshPocl, OfTheLayerReadsIncludedFilesIfItMay)
{
    char header[path_size];
    snprintf(header, sizeof header, "%s", in_test("header.h"));
    write_whole(header, "\n", 1);
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", header);
    struct outcome run = run_under_layer(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    run = run_refresh("--read-files", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept");
    run = run_under_layer(1);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
}

/* As hashcat has them. Assembly could take a string for the name of a file. */
TEST_C(RefreshPocl, OfTheLayerHasOptionsThatMakeStringsIfItMay)
{
    use_fake(false);
    use_variable("REFRESH_CLIENT_FOLDERS", "-D S(x)=#x");
    struct outcome run = run_under_layer(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--jobs", "1", NULL);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    run = run_refresh("--read-files", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 kept");
    run = run_under_layer(1);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
}

/* The application, with its header in a folder of that name. */
static struct outcome run_in(const char *folder)
{
    char options[path_size + 8];
    (void)mkdir(in_test(folder), 0700);
    write_whole(in_test(text_of("%s/header.h", folder)), "\n", 1);
    snprintf(options, sizeof options, "-I %s", in_test(folder));
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_variable("REFRESH_CLIENT_FOLDERS", options);
    const struct outcome run = run_under_layer(1);
    use_variable("REFRESH_CLIENT_FOLDERS", NULL);
    return run;
}

/* One program at two places, the first or the second of which is removed. */
TEST_C(RefreshPocl, OfTheLayerMakesWhatHasOnePlaceLeft)
{
    static const char *const folders[] = {"one", "other"};
    for (int gone = 0; gone < 2; gone++) {
        use_fake(false);
        for (int i = 0; i < 2; i++) {
            const struct outcome run = run_in(folders[i]);
            if (run.code == no_platform) SKIP_TEST("PoCL is not here");
            ASSERT_EQ(0, run.code);
        }
        EXPECT_EQ(1, waiting());
        const char *left = folders[1 - gone];
        ASSERT_EQ(0, unlink(in_test(text_of("%s/header.h", folders[gone]))));
        ASSERT_EQ(0, rmdir(in_test(folders[gone])));
        struct outcome run = run_refresh("--read-files", NULL);
        EXPECT_EQ(0, run.code);
        expect_has(run.out, "1 kept, 0 failed, 0 refused");
        run = run_in(left);
        EXPECT_EQ(0, run.code);
        EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
        /* What waits of the other place goes with the next. */
        run = run_refresh("--read-files", NULL);
        EXPECT_EQ(0, run.code);
        EXPECT_EQ(0, waiting());
        EXPECT_EQ(
                0, run_program("--store", store_path(), "clear", "--yes", NULL)
                           .code);
    }
}

/* Where its objects were compiled: a relative path is read there. */
TEST_C(RefreshPocl, OfTheLayerLinksObjectsWithFilesOfAFolder)
{
    char here[path_size];
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    write_whole(in_test("header.h"), "\n", 1);
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_variable("REFRESH_CLIENT_LINKS", "1");
    ASSERT_EQ(0, chdir(test_directory()));
    struct outcome run = run_under_layer(1);
    ASSERT_EQ(0, chdir(here));
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = run_refresh("--read-files", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "2 kept, 0 failed");
    ASSERT_EQ(0, chdir(test_directory()));
    run = run_under_layer(1);
    ASSERT_EQ(0, chdir(here));
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
}

TEST_C(RefreshPocl, OfAFileThatHasChangedStoresNothing)
{
    char header[path_size];
    snprintf(header, sizeof header, "%s", in_test("header.h"));
    write_whole(header, "\n", 1);
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", header);
    struct outcome run = run_under_layer(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    write_whole(header, "// changed\n", 11);
    run = run_refresh("--read-files", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
    EXPECT_EQ(0, (long long)count_entries("store"));
    EXPECT_EQ(0, waiting());
}
