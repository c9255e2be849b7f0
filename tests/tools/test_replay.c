/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded on one driver, replayed into an empty store: then an application
 * compiles nothing. */
#include "redis_server.h"
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/store.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { no_platform = 77 };

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

static const char *record_path(void)
{
    static char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("record"));
    return path;
}

static const char *other_store(void)
{
    static char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("other"));
    return path;
}

/* Runs the client, which is recorded. */
static struct outcome record(int count)
{
    use_variable("DNNL_CACHE_RECORD", record_path());
    const struct outcome run = run_with_store("recorded", count);
    use_variable("DNNL_CACHE_RECORD", NULL);
    return run;
}

static struct outcome replay(const char *option)
{
    return run_program("replay", record_path(), "--store", other_store(),
            "--jobs", "2", option, NULL);
}

static struct outcome ask_quietly(void)
{
    return run_program("replay", record_path(), "--store", other_store(),
            "--dry-run", "--quiet", NULL);
}

/* What drivers write into workers' folders is removed: nobody waits for the
 * disk. */
TEST_C(Replay, WaitsForNoDisk)
{
    use_fake(true);
    ASSERT_EQ(0, record(2).code);
    use_variable("FAKE_OPENCL_SYNCS", "POCL_CACHE_DIR");
    EXPECT_NE(0, run_with_store("waits", 2).code);
    const struct outcome run = replay(NULL);
    use_variable("FAKE_OPENCL_SYNCS", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 3 compiled, 0 failed, 0 left");
}

static uint64_t bytes_of_store(void)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    options.path = other_store();
    EXPECT_OK(dnnl_cache_store_open(&store, "flat", &options));
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &s));
    dnnl_cache_store_close(store);
    return s.bytes;
}

/* As after an update of the driver: what applications used goes in, and what
 * nobody uses makes room. */
TEST_C(Replay, MakesRoomInAFullStore)
{
    enum { capacity = 100000 };
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    use_fake(true);
    ASSERT_EQ(0, record(2).code);
    options.path = other_store();
    options.capacity = capacity;
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    for (int i = 0; i < 9; i++) {
        struct made made = make_large_program(text_of("%d", i), "a", 10000);
        put_made(store, &made, 0);
        made_fini(&made);
    }
    struct made last = make_large_program(
            "last", "a", (size_t)(capacity - bytes_of_store()) - 1500);
    put_made(store, &last, 0);
    made_fini(&last);
    dnnl_cache_store_close(store);
    ASSERT_GT(capacity, (long long)bytes_of_store());
    ASSERT_GT((long long)bytes_of_store(), capacity - 1500);
    const struct outcome run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 3 compiled, 0 failed, 0 left");
    EXPECT_LE((long long)bytes_of_store(), capacity);
    expect_has(replay(NULL).out, "3 there, 0 compiled, 0 failed, 0 left");
}

/* A driver's own cache may be all processes'. */
TEST_C(Replay, LetsADriverWaitForTheDiskWhereFilesStay)
{
    use_fake(true);
    ASSERT_EQ(0, record(2).code);
    use_variable("FAKE_OPENCL_SYNCS", "TMPDIR");
    const struct outcome run = replay(NULL);
    use_variable("FAKE_OPENCL_SYNCS", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 there, 0 compiled, 3 failed, 0 left");
}

/* Of the layer's statistics. */
static void expect_hits_of(const char *store, int count)
{
    use_variable("DNNL_CACHE_STATS", "1");
    /* It does not stand aside, though the driver compiles at once. */
    use_variable("DNNL_CACHE_CAPTURE_NOW", "1");
    const struct outcome run = run_with_store(store, count);
    use_variable("DNNL_CACHE_CAPTURE_NOW", NULL);
    use_variable("DNNL_CACHE_STATS", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "\n  misses                                0\n");
}

static void expect_hits(int count)
{
    expect_hits_of("other", count);
}

/* Programs of sources, compiled, and linked. */
TEST_C(Replay, FillsAnEmptyStoreOnPocl)
{
    char checksum[128];
    use_fake(false);
    struct outcome run = record(2);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    snprintf(checksum, sizeof checksum, "%s", run.out);
    run = replay("--dry-run");
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 there, 3 to be compiled");
    EXPECT_NE(0, access(other_store(), F_OK));
    run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 3 compiled, 0 failed, 0 left");
    run = replay("--dry-run");
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "3 there, 0 to be compiled");
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    run = run_with_store("other", 2);
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ(checksum, run.out);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
    expect_no_temporary();
}

/* As a gate of CI: quiet, and for a store that applications filled. A refresh
 * that works behind an application is waited for. */
TEST_C(Replay, TellsAFullStoreFromOthers)
{
    struct outcome run;
    int status;
    use_fake(true);
    ASSERT_EQ(0, record(2).code);
    EXPECT_EQ(1, ask_quietly().code); /* nothing is there */
    EXPECT_NE(0, access(other_store(), F_OK));
    EXPECT_EQ(0, run_and_keep("other", 1).code);
    run = ask_quietly();
    EXPECT_EQ(1, run.code); /* a part */
    EXPECT_STR_EQ("", run.out);
    EXPECT_STR_EQ("", run.err);
    EXPECT_EQ(0, run_and_keep("other", 2).code);
    EXPECT_EQ(0, ask_quietly().code);
    /* Somebody is at work for a while. */
    const int fd = open(
            in_test("other/journal.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_TRUE(fd >= 0);
    ASSERT_EQ(0, flock(fd, LOCK_EX));
    const pid_t pid = fork();
    if (pid == 0) {
        (void)usleep(1200000);
        _exit(0);
    }
    close(fd);
    run = replay("--dry-run");
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "waiting for another refresh of this store");
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
}

/* Headers with relative paths travel in the record; where PoCL's files are is
 * told in two ways, which IDs tell apart. */
TEST_C(Replay, BringsHeadersAlong)
{
    char here[path_size];
    char cache[path_size];
    snprintf(cache, sizeof cache, "%s", in_test("cache"));
    use_fake(false);
    write_whole(in_test("header.h"), "#define UNUSED\n", 15);
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    for (int has_folder = 0; has_folder < 2; has_folder++) {
        if (!has_folder) use_variable("POCL_CACHE_DIR", NULL);
        use_variable("XDG_CACHE_HOME", cache);
        use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
        ASSERT_EQ(0, chdir(test_directory()));
        struct outcome run = record(1);
        ASSERT_EQ(0, chdir(here));
        if (run.code == no_platform) SKIP_TEST("PoCL is not here");
        ASSERT_EQ(0, run.code);
        run = replay(NULL);
        EXPECT_EQ(0, run.code);
        expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
        ASSERT_EQ(0, chdir(test_directory()));
        expect_hits(1);
        ASSERT_EQ(0, chdir(here));
        use_fake(false);
    }
}

/* Headers that are programs, too, and files beside them. */
TEST_C(Replay, BringsHeadersThatAreProgramsAlong)
{
    char here[path_size];
    char checksum[128];
    use_fake(false);
    write_whole(in_test("header.h"), "#define UNUSED\n", 15);
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    use_variable("REFRESH_CLIENT_HEADER_PROGRAMS", "1");
    for (int has_file = 0; has_file < 2; has_file++) {
        if (has_file) use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
        ASSERT_EQ(0, chdir(test_directory()));
        struct outcome run = record(1);
        ASSERT_EQ(0, chdir(here));
        if (run.code == no_platform) SKIP_TEST("PoCL is not here");
        ASSERT_EQ(0, run.code);
        snprintf(checksum, sizeof checksum, "%s", run.out);
        run = replay(NULL);
        EXPECT_EQ(0, run.code);
        expect_has(run.out, has_file ? "2 there, 2 compiled, 0 failed, 0 left"
                                     : "0 there, 2 compiled, 0 failed, 0 left");
        ASSERT_EQ(0, chdir(test_directory()));
        expect_hits(1);
        run = run_with_store("other", 1);
        EXPECT_STR_EQ(checksum, run.out);
        EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
        ASSERT_EQ(0, chdir(here));
    }
}

/* Puts a header into a folder of the test's, and names that in the options. */
static void use_header_in(const char *folder)
{
    static char options[path_size + 8];
    (void)mkdir(in_test(folder), 0700);
    write_whole(
            in_test(text_of("%s/header.h", folder)), "#define UNUSED\n", 15);
    snprintf(options, sizeof options, "-I %s", in_test(folder));
    use_variable("REFRESH_CLIENT_FOLDERS", options);
}

static void move_header(const char *from, const char *to)
{
    ASSERT_EQ(0, unlink(in_test(text_of("%s/header.h", from))));
    ASSERT_EQ(0, rmdir(in_test(from)));
    use_header_in(to);
}

/* Where the record is replayed the folder is not, and where the application
 * runs it has another name. */
TEST_C(Replay, ServesWhereTheHeadersAreMoved)
{
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_header_in("one");
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    move_header("one", "elsewhere");
    run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
    expect_hits(1);
}

/* The folder of the second object, as an option, and what is in it. */
static void use_second_header_in(const char *folder)
{
    static char options[path_size + 8];
    (void)mkdir(in_test(folder), 0700);
    write_whole(
            in_test(text_of("%s/header.h", folder)), "#define SECOND 2\n", 17);
    snprintf(options, sizeof options, "-I %s", in_test(folder));
    use_variable("REFRESH_CLIENT_SECOND_FOLDERS", options);
}

/* Two objects with headers of one name: each has its own. */
TEST_C(Replay, ServesWhatIsLinkedWhereTheHeadersAreMoved)
{
    char checksum[128];
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_variable("REFRESH_CLIENT_LINKS", "1");
    use_header_in("one");
    use_second_header_in("two");
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    snprintf(checksum, sizeof checksum, "%s", run.out);
    move_header("one", "elsewhere");
    ASSERT_EQ(0, unlink(in_test("two/header.h")));
    ASSERT_EQ(0, rmdir(in_test("two")));
    use_second_header_in("another");
    run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 3 compiled, 0 failed, 0 left");
    expect_hits(1);
    run = run_with_store("other", 1);
    EXPECT_STR_EQ(checksum, run.out);
    EXPECT_EQ(0, (long long)count_of(run.err, "Built a"));
}

/* A seed that is made of the store that a record has filled, and of what an
 * application has kept in one place, serve in another: from a pack that is only
 * read, with an empty store behind it. */
TEST_C(Replay, SeedsServeWhereTheHeadersAreMoved)
{
    static const char *const stores[] = {"other", "store"};
    char seed[path_size];
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_header_in("one");
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    EXPECT_EQ(0, replay(NULL).code);
    ASSERT_EQ(0, run_under_layer(1).code);
    EXPECT_EQ(0, run_refresh("--read-files", NULL).code);
    move_header("one", "elsewhere");
    for (size_t i = 0; i < COUNT(stores); i++) {
        snprintf(seed, sizeof seed, "%s", in_test(text_of("seed%zu", i)));
        run = run_program(
                "--store", in_test(stores[i]), "export", "--seed", seed, NULL);
        EXPECT_EQ(0, run.code);
        use_variable("DNNL_CACHE_SEED", seed);
        expect_hits_of(text_of("empty%zu", i), 1);
        use_variable("DNNL_CACHE_SEED", NULL);
    }
}

/* As most programs of pyopencl. */
TEST_C(Replay, ServesWhereAFolderIsMovedThatNothingIsIn)
{
    use_fake(false);
    use_header_in("one");
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = replay(NULL);
    expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
    move_header("one", "elsewhere");
    expect_hits(1);
}

/* A folder that is named twice is another program; a record does not say so,
 * and does not bring what it has. */
TEST_C(Replay, ReadsFoldersThatAreOne)
{
    char options[2 * path_size];
    char twice[path_size];
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    use_header_in("one");
    snprintf(twice, sizeof twice, "%s", in_test("twice"));
    ASSERT_EQ(0, symlink("one", twice));
    snprintf(options, sizeof options, "-I %s -I %s", in_test("one"), twice);
    use_variable("REFRESH_CLIENT_FOLDERS", options);
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = replay(NULL);
    expect_has(run.out, "0 there, 0 compiled, 0 failed, 0 left, 0 failed "
                        "before, 1 refused");
    run = replay("--read-files");
    expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
    expect_hits(1);
}

/* The folder of the headers, in quotes that older PoCL takes for a part of the
 * name, is the working directory, as darktable's is: its ID has that. */
TEST_C(Replay, WorksInTheFolderThatTheOptionsName)
{
    static char options[path_size + 8];
    char here[path_size];
    use_fake(false);
    use_variable("REFRESH_CLIENT_INCLUDE", "header.h");
    ASSERT_TRUE(getcwd(here, sizeof here) != NULL);
    use_header_in("one");
    snprintf(options, sizeof options, "-I\"%s\"", in_test("one"));
    use_variable("REFRESH_CLIENT_FOLDERS", options);
    ASSERT_EQ(0, chdir(in_test("one")));
    struct outcome run = record(1);
    ASSERT_EQ(0, chdir(here));
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    run = replay(NULL);
    expect_has(run.out, "0 there, 0 compiled, 0 failed, 0 left, 0 failed "
                        "before, 1 refused");
    run = replay("--read-files");
    expect_has(run.out, "0 there, 1 compiled, 0 failed, 0 left");
    ASSERT_EQ(0, chdir(in_test("one")));
    expect_hits(1);
    ASSERT_EQ(0, chdir(here));
}

TEST_C(Replay, IsForAnotherDriver)
{
    use_fake(true);
    ASSERT_EQ(0, record(4).code);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "another");
    use_variable("FAKE_OPENCL_DEVICE_NAME", "Another GPU");
    struct outcome run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "Another GPU (driver another)");
    expect_has(run.out, "6 compiled, 0 failed, 0 left");
    expect_hits(4);
    /* Nothing is there for the driver that it was recorded on. */
    use_variable("FAKE_OPENCL_DRIVER_VERSION", NULL);
    use_variable("FAKE_OPENCL_DEVICE_NAME", NULL);
    run = replay("--dry-run");
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 there, 6 to be compiled");
}

/* Whichever worker links them: of a record that others may write to, each has
 * a worker of its own. */
TEST_C(Replay, CompilesAnObjectOnce)
{
    char log[path_size];
    size_t size;
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_fake(true);
    ASSERT_EQ(0, record(6).code);
    ASSERT_EQ(0, chmod(record_path(), 0660));
    use_variable("FAKE_OPENCL_LOG", log);
    const struct outcome run = run_program("replay", record_path(), "--store",
            other_store(), "--jobs", "1", NULL);
    use_variable("FAKE_OPENCL_LOG", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 9 compiled, 0 failed, 0 left");
    char *calls = (char *)read_whole(log, &size);
    EXPECT_EQ(3, (long long)count_of(calls, "clCompileProgram"));
    free(calls);
    expect_hits(6);
}

/* One worker stops in its first job, with another object written for it: what
 * links that one waits until the other worker has made it. */
TEST_C(Replay, LinksNothingBeforeAnotherWorkerHasItsObjects)
{
    char log[path_size];
    size_t size;
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_fake(true);
    use_variable("REFRESH_CLIENT_LINKS", "1");
    ASSERT_EQ(0, record(3).code);
    use_variable("FAKE_OPENCL_LOG", log);
    use_variable("FAKE_OPENCL_BUILD_MS", "300");
    const pid_t replay = start_program("replay", record_path(), "--store",
            other_store(), "--jobs", "2", NULL);
    EXPECT_EQ(1, (long long)await_files(replay, in_test("tmp"),
                         "dnnl-cache-refresh-*/0/work1/job/journal", 1));
    const pid_t worker = find_worker(replay);
    EXPECT_EQ(0, kill(worker, SIGSTOP));
    EXPECT_EQ(
            4, (long long)await_files(replay, other_store(), "*.cl_cache", 4));
    EXPECT_EQ(0, kill(worker, SIGCONT));
    const struct outcome run = end_refresh(replay);
    use_variable("FAKE_OPENCL_BUILD_MS", NULL);
    use_variable("FAKE_OPENCL_LOG", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 there, 6 compiled, 0 failed, 0 left");
    char *calls = (char *)read_whole(log, &size);
    EXPECT_EQ(3, (long long)count_of(calls, "clCompileProgram"));
    free(calls);
    expect_hits(3);
}

/* A warm start uses what a cold one does. */
TEST_C(Replay, RecordsWhatIsLoadedAsWhatIsCompiled)
{
    struct stat cold, warm;
    use_fake(true);
    use_variable("DNNL_CACHE_CAPTURE_SECONDS", "0");
    ASSERT_EQ(0, run_with_store("recorded", 2).code);
    ASSERT_EQ(0, record(2).code);
    ASSERT_EQ(0, stat(record_path(), &cold));
    EXPECT_EQ(0, replay(NULL).code);
    expect_hits(2);
    ASSERT_EQ(0, record(2).code);
    ASSERT_EQ(0, stat(record_path(), &warm));
    EXPECT_EQ((long long)cold.st_size, (long long)warm.st_size);
}

/* Each once: of the fake driver's log. */
TEST_C(Replay, GoesOnWhereItWasKilled)
{
    char log[path_size];
    size_t size;
    snprintf(log, sizeof log, "%s", in_test("builds"));
    use_fake(true);
    ASSERT_EQ(0, record(6).code);
    use_variable("FAKE_OPENCL_BUILD_MS", "40");
    const pid_t pid = start_program("replay", record_path(), "--store",
            other_store(), "--jobs", "1", NULL);
    ASSERT_TRUE(pid > 0);
    /* As soon as there is an entry: in the middle. */
    while (access(in_test("other/dnnl_cache_totals"), F_OK) != 0
            && kill(pid, 0) == 0)
        usleep(1000);
    (void)find_worker(pid);
    kill(pid, SIGKILL);
    EXPECT_EQ(128 + SIGKILL, end_refresh(pid).code);
    use_variable("FAKE_OPENCL_BUILD_MS", NULL);
    use_variable("FAKE_OPENCL_LOG", log);
    const struct outcome run = replay("--json");
    if (run.code != 0) fprintf(stderr, "%s%s", run.out, run.err);
    EXPECT_EQ(0, run.code);
    use_variable("FAKE_OPENCL_LOG", NULL);
    const char *there = strstr(run.out, "\"there\": ");
    const char *kept = strstr(run.out, "\"kept\": ");
    ASSERT_TRUE(there != NULL && kept != NULL);
    EXPECT_EQ(9, strtol(there + 9, NULL, 10) + strtol(kept + 8, NULL, 10));
    free(read_whole(log, &size));
    expect_hits(6);
    EXPECT_EQ(0, run_program("verify", "--store", other_store(), NULL).code);
}

/* They are named, and not tried again before the driver is another. */
TEST_C(Replay, OfProgramsThatEndWorkersCostsThoseAlone)
{
    use_fake(true);
    use_variable("REFRESH_CLIENT_FATES", "1");
    ASSERT_EQ(0, record(5).code);
    use_variable("FAKE_OPENCL_DEADLY_SOURCES", "1");
    struct outcome run = run_program("replay", record_path(), "--store",
            other_store(), "--jobs", "2", "--program-timeout", "3s", "--memory",
            "400M", NULL);
    EXPECT_EQ(1, run.code);
    /* The linked one is made of the one that hangs. */
    expect_has(run.err, "the compiler crashed");
    expect_has(run.err, "took too long");
    expect_has(run.err, "took too much memory");
    expect_has(run.out, "3 compiled, 4 failed, 0 left");
    run = replay("--json");
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "\"there\": 3,");
    expect_has(run.out, "\"failed\": 0,");
    expect_has(run.out, "\"failed_before\": 4,");
    use_variable("FAKE_OPENCL_DEADLY_SOURCES", NULL);
    run = replay("--retry");
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "3 there, 4 compiled");
}

/* In nanoseconds it would not fit into 64 bits, of which a short one would be
 * left. */
TEST_C(Replay, HasTimeForAProgramWithoutAnEnd)
{
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    use_variable("FAKE_OPENCL_BUILD_MS", "1500");
    const struct outcome run = run_program("replay", record_path(), "--store",
            other_store(), "--program-timeout", "18446744074s", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 compiled, 0 failed");
}

/* Nothing is compiled for it. */
TEST_C(Replay, NeedsTheServer)
{
    char url[2 * path_size];
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    ASSERT_EQ(0, run_program("key", "make", in_test("key"), NULL).code);
    snprintf(
            url, sizeof url, "redis://127.0.0.1:1?key_file=%s", in_test("key"));
    static const char *const options[] = {"--quiet", "--dry-run"};
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct outcome run = run_program(
                "replay", record_path(), "--store", url, options[i], NULL);
        EXPECT_EQ(4, run.code);
        EXPECT_EQ(1, (long long)count_of(run.err, "Connection refused"));
        EXPECT_STR_EQ("", run.out);
    }
}

/* Neither of those that compile, nor of the one that asks for IDs. */
TEST_C(Replay, OfQuietWorkersShowsNothingThatDriversPrint)
{
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    use_variable("FAKE_OPENCL_PRINTS", "2 warnings generated.");
    struct outcome run = replay("--quiet");
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ("", run.out);
    EXPECT_STR_EQ("", run.err);
    /* Otherwise each line says where it comes from. */
    ASSERT_EQ(0, record(2).code);
    run = replay("--json");
    use_variable("FAKE_OPENCL_PRINTS", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.out, "warnings"));
    EXPECT_NE(0, (long long)count_of(run.err, "2 warnings generated.\n"));
    EXPECT_EQ((long long)count_of(run.err, "2 warnings generated.\n"),
            (long long)count_of(
                    run.err, "dnnl-cache: worker 1: 2 warnings generated.\n")
                    + (long long)count_of(run.err, "dnnl-cache: computing IDs: "
                                                   "2 warnings generated.\n"));
}

/* The store itself has all. */
TEST_C(Replay, GivesASilentServerBehindTheStoreOneSecond)
{
    char url[64];
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    const int server = begin_silent_server(url);
    const struct outcome run = run_program("replay", record_path(), "--store",
            other_store(), "--remote", url, NULL);
    EXPECT_EQ(0, close(server));
    EXPECT_EQ(0, run.code);
    expect_has(run.err,
            ": the server did not take all within 1000 ms: entries that were "
            "not sent: 1\n");
}

/* A server that is full, as a disk would be. */
TEST_C(Replay, StopsIfTheStoreTakesNothing)
{
    static const char *const small[] = {
            "--maxmemory", "1", "--maxmemory-policy", "noeviction", NULL};
    char url[3 * path_size];
    struct redis_process server = {0};
    use_fake(true);
    if (!redis_is_there()) return;
    ASSERT_EQ(0, record(8).code);
    ASSERT_EQ(0, run_program("key", "make", in_test("key"), NULL).code);
    redis_start(&server, test_directory(), small);
    snprintf(url, sizeof url, "unix://%s?key_file=%s", server.socket,
            in_test("key"));
    const struct outcome run = run_program(
            "replay", record_path(), "--store", url, "--jobs", "1", NULL);
    redis_kill(&server);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 compiled, 3 failed, 9 left, 0 failed before");
    expect_has(run.err, "the store takes nothing");
}

/* Of a driver that lacks a tool, say. */
TEST_C(Replay, BlamesNoProgramIfAllFail)
{
    use_fake(true);
    ASSERT_EQ(0, record(3).code);
    use_variable("FAKE_OPENCL_BUILD_ERROR", "-11");
    struct outcome run = replay(NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 compiled, 4 failed");
    expect_has(run.err, "all 4 programs failed");
    use_variable("FAKE_OPENCL_BUILD_ERROR", NULL);
    run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "4 compiled, 0 failed, 0 left, 0 failed before");
}

TEST_C(Replay, FindsALinkerWithoutAPath)
{
    use_fake(false);
    struct outcome run = record(1);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    use_variable("PATH", NULL);
    run = replay(NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 compiled, 0 failed");
}

/* Who reads a FIFO waits for a writer. */
TEST_C(Replay, EndsIfADriverHangsAtItsStart)
{
    char folder[path_size];
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    snprintf(folder, sizeof folder, "%s", in_test("vendors"));
    ASSERT_EQ(0, mkdir(folder, 0700));
    ASSERT_EQ(0, mkfifo(in_test("vendors/a.icd"), 0600));
    use_variable("OCL_ICD_VENDORS", folder);
    struct outcome run = replay("--timeout=1s");
    EXPECT_EQ(1, run.code);
    expect_no_temporary();
    const pid_t pid = start_program(
            "replay", record_path(), "--store", other_store(), "--json", NULL);
    (void)find_any_child(pid);
    kill(pid, SIGTERM);
    run = end_refresh(pid);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "\"interrupted\": true,");
    expect_no_temporary();
}

/* Of a process its child that passes on what others print; 0: there is none
 * yet. */
static pid_t find_reader(pid_t parent)
{
    char path[64];
    char name[32] = "";
    pid_t child = 0;
    pid_t found = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent,
            (int)parent);
    FILE *children = fopen(path, "re");
    while (children != NULL && found == 0
            && fscanf(children, "%d", &child) == 1) {
        snprintf(path, sizeof path, "/proc/%d/comm", (int)child);
        FILE *comm = fopen(path, "re");
        if (comm != NULL && fgets(name, sizeof name, comm) != NULL
                && strcmp(name, "dnnl-cache-out\n") == 0)
            found = child;
        if (comm != NULL) (void)fclose(comm);
    }
    if (children != NULL) (void)fclose(children);
    return found;
}

TEST_C(Replay, LeavesNoStoppedProcess)
{
    char folder[path_size];
    pid_t reader = 0;
    pid_t waited = 0;
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    snprintf(folder, sizeof folder, "%s", in_test("vendors"));
    ASSERT_EQ(0, mkdir(folder, 0700));
    ASSERT_EQ(0, mkfifo(in_test("vendors/a.icd"), 0600)); /* it hangs */
    use_variable("OCL_ICD_VENDORS", folder);
    /* What is left becomes a child of this process. */
    ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
    const pid_t pid = start_program(
            "replay", record_path(), "--store", other_store(), NULL);
    for (int i = 0; i < 10000 && (reader = find_reader(pid)) == 0; i++)
        (void)usleep(1000);
    ASSERT_TRUE(reader > 0);
    kill(reader, SIGSTOP);
    kill(pid, SIGTERM);
    EXPECT_EQ(1, end_refresh(pid).code);
    for (int i = 0; i < 5000 && waited == 0; i++) {
        waited = waitpid(reader, NULL, WNOHANG);
        (void)usleep(1000);
    }
    EXPECT_TRUE(waited != 0);
    if (waited == 0) kill(reader, SIGKILL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* The record beside the store is what refresh goes by. */
TEST_C(Replay, OfTheRecordBesideAStoreFollowsTheDriver)
{
    char beside[path_size];
    use_fake(true);
    use_variable("DNNL_CACHE_CAPTURE_SECONDS", "0");
    ASSERT_EQ(0, run_with_store("other", 2).code);
    ASSERT_TRUE(mkdir(in_test("other/layer"), 0700) == 0 || errno == EEXIST);
    snprintf(beside, sizeof beside, "%s", in_test("other/layer/record"));
    use_variable("DNNL_CACHE_RECORD", beside);
    ASSERT_EQ(0, run_with_store("other", 2).code);
    use_variable("DNNL_CACHE_RECORD", NULL);
    struct outcome run = run_program("refresh", "--store", other_store(), NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(strstr(run.out, "of the record") == NULL);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "updated");
    run = run_program(
            "refresh", "--store", other_store(), "--journal-only", NULL);
    EXPECT_TRUE(strstr(run.out, "of the record") == NULL);
    run = run_program("refresh", "--store", other_store(), NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "of the record: 3 kept, 0 failed, 0 refused, 0 left");
    expect_hits(2);
    /* What was removed does not come back. */
    EXPECT_EQ(0,
            run_program("clear", "--yes", "--store", other_store(), NULL).code);
    run = run_program("refresh", "--store", other_store(), NULL);
    EXPECT_TRUE(strstr(run.out, "of the record") == NULL);
    EXPECT_NE(0, access(beside, F_OK));
}

TEST_C(Replay, TellsWhatItCannotOpen)
{
    use_fake(true);
    EXPECT_EQ(3, replay(NULL).code);
    write_whole(in_test("record"), "not a record, but a long text\n", 30);
    const struct outcome run = replay(NULL);
    EXPECT_EQ(3, run.code);
    expect_has(run.err, "not a record");
    EXPECT_NE(0, access(other_store(), F_OK));
    EXPECT_EQ(2, run_program("replay", NULL).code);
    EXPECT_EQ(2, run_program("replay", "a", "--nice", "20", NULL).code);
}

TEST_C(Replay, IsForTheDevicesThatAreNamed)
{
    use_fake(true);
    ASSERT_EQ(0, record(1).code);
    struct outcome run = replay("--device=fake gpu");
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "1 compiled");
    run = replay("--device=none of these");
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "no such device is here");
}
