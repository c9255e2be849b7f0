/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache refresh on a driver that compiles at once. */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache/journal.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void expect_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", part, text);
}

/* A journal with notes of so many programs. */
static void note(int count)
{
    use_fake(true);
    ASSERT_EQ(0, run_client("note", count).code);
    EXPECT_EQ(count, waiting());
}

/* The store has all of them, complete. */
static void expect_all_kept(int count)
{
    char text[64];
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(count, (long long)count_entries("store"));
    snprintf(text, sizeof text, "from the store %d, compiled 0", count);
    expect_has(run_client("run", count).out, text);
    expect_no_temporary();
}

static int count_launches(void)
{
    dnnl_cache_store_handle_t *store = open_test_store("store");
    struct dnnl_cache_store_journal_statistics s =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_journal_get_statistics(store, &s));
    dnnl_cache_store_close(store);
    return (int)s.launches;
}

TEST_C(Refresh, KeepsWhatWasNoted)
{
    note(5);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "5 kept, 0 failed, 0 refused, 0 of other devices, "
                        "0 left\n");
    expect_all_kept(5);
    /* There is nothing to do then. */
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
}

/* Its clock is in its name, and in no ID. */
TEST_C(Refresh, FindsACpu)
{
    use_fake(true);
    use_variable("FAKE_OPENCL_DEVICE_TYPE", "cpu");
    use_variable("FAKE_OPENCL_DEVICE_NAME", "Fake CPU @ 2.30GHz");
    ASSERT_EQ(0, run_client("note", 2).code);
    use_variable("FAKE_OPENCL_DEVICE_NAME", "Fake CPU @ 3.00GHz");
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "2 kept, 0 failed, 0 refused, 0 of other devices, "
                        "0 left\n");
    expect_all_kept(2);
    use_variable("FAKE_OPENCL_DEVICE_NAME", NULL);
    use_variable("FAKE_OPENCL_DEVICE_TYPE", NULL);
}

/* How many processes opened a device for five programs. */
static int count_processes(const char *option)
{
    char log[path_size];
    size_t size;
    note(5);
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_variable("FAKE_OPENCL_LOG", log);
    EXPECT_EQ(0, run_refresh("--jobs", "1", option, NULL).code);
    use_variable("FAKE_OPENCL_LOG", NULL);
    uint8_t *calls = read_whole(log, &size);
    EXPECT_EQ(5, (long long)count_of((const char *)calls, "clBuildProgram"));
    const size_t count = count_of((const char *)calls, "clCreateContext");
    free(calls);
    EXPECT_EQ(5, (long long)count_entries("store"));
    return (int)count;
}

/* A driver and its compiler take long to start. */
TEST_C(Refresh, MakesManyEntriesInOneProcess)
{
    EXPECT_EQ(1, count_processes(NULL));
}

/* One user's program must not reach what another's becomes. */
TEST_C(Refresh, MakesEachEntryOfASharedStoreInAProcessOfItsOwn)
{
    EXPECT_EQ(5, count_processes("--shared"));
}

/* The entries are in the store. */
TEST_C(Refresh, GivesASilentServerOneSecond)
{
    char url[64];
    note(2);
    const int server = begin_silent_server(url);
    const struct outcome run = run_refresh("--remote", url, NULL);
    EXPECT_EQ(0, close(server));
    EXPECT_EQ(0, run.code);
    expect_has(run.err,
            ": the server did not take all within 1000 ms: entries that were "
            "not sent: 2\n");
    expect_all_kept(2);
}

/* Entries that end with other bytes. */
static void damage_entries(void)
{
    char command[2 * path_size];
    snprintf(command, sizeof command,
            "for f in '%s'/*.cl_cache; do printf XXXXXXXX |"
            " dd of=\"$f\" bs=1 seek=200 conv=notrunc status=none; done",
            store_path());
    EXPECT_EQ(0, system(command));
}

/* The application had told it, if it tells anything. */
TEST_C(Refresh, TellsOfADamagedEntryOnce)
{
    note(1);
    EXPECT_EQ(0, run_refresh("--journal-only", NULL).code);
    for (int debug = 0; debug < 2; debug++) {
        damage_entries();
        EXPECT_EQ(0, run_client("note", 1).code);
        use_variable("DNNL_CACHE_PRINT_DEBUG", debug ? "1" : NULL);
        const struct outcome run = run_refresh("--journal-only", NULL);
        EXPECT_EQ(0, run.code);
        EXPECT_EQ(1 - debug, (long long)count_of(run.err, ": damaged\n"));
        use_variable("DNNL_CACHE_PRINT_DEBUG", NULL);
    }
    expect_all_kept(1);
}

/* Lines of drivers are there, each with the process that it comes from. */
static void expect_prefixed(const char *said)
{
    EXPECT_GE(count_of(said, "2 warnings generated.\n"), 2);
    EXPECT_EQ(count_of(said, "2 warnings generated.\n"),
            count_of(said, "dnnl-cache: worker 1: 2 warnings generated.\n")
                    + count_of(said,
                            "dnnl-cache: worker 2: 2 warnings generated.\n"));
}

/* Warnings of compilers are not about this command. */
TEST_C(Refresh, OfQuietWorkersShowsNothingThatDriversPrint)
{
    note(1);
    use_variable("FAKE_OPENCL_PRINTS", "2 warnings generated.");
    struct outcome run = run_refresh("--quiet", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ("", run.out);
    EXPECT_STR_EQ("", run.err);
    /* Without the option they are no part of the report. */
    EXPECT_EQ(0, run_client("note", 2).code);
    run = run_refresh("--json", NULL);
    use_variable("FAKE_OPENCL_PRINTS", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, (long long)count_of(run.out, "warnings"));
    expect_prefixed(run.err);
}

/* Who passes it on is waited for: nothing comes after the command's end, and
 * where nobody waits for orphans, none stays. */
TEST_C(Refresh, EndsAfterAllThatItsWorkersPrint)
{
    enum { length = 3000, most = 20 };
    char text[length + 1];
    memset(text, 'x', length);
    text[length] = '\0';
    note(most);
    EXPECT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
    use_variable("FAKE_OPENCL_PRINTS", text);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    use_variable("FAKE_OPENCL_PRINTS", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_GE(count_of(run.err, text), 2 * most);
    EXPECT_EQ(-1, waitpid(-1, NULL, WNOHANG));
    EXPECT_EQ(ECHILD, errno);
    EXPECT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 0));
}

TEST_C(Refresh, TellsWhatItDidAsJson)
{
    note(2);
    const struct outcome run = run_refresh("--json", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_TRUE(json_is_valid(run.out, strlen(run.out)));
    expect_has(run.out, "\"kept\": 2");
    expect_has(run.out, "\"left\": 0");
}

TEST_C(Refresh, TellsHowFarItIsIfItTakesLongerThanASecond)
{
    note(2);
    use_variable("FAKE_OPENCL_BUILD_MS", "1300");
    const struct outcome run = run_refresh("--jobs", "1", "--progress", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.err, "keeping 1 of 2 programs; interrupt safely\n");
    expect_has(run.err, "keeping 2 of 2 programs, ");
    expect_has(run.err, " s left; interrupt safely\n");
}

TEST_SAMPLE_STORE(Refresh, OfAStoreWithoutAJournalDoesNothing)
{
    use_fake(true);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(sample_entries, (long long)count_entries("store"));
}

TEST_C(Refresh, IsRefusedWhereThereIsNoStore)
{
    use_fake(true);
    EXPECT_EQ(3, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(2, run_refresh("--jobs", "0", NULL).code);
    EXPECT_EQ(2, run_refresh("--timeout", "soon", NULL).code);
}

TEST_C(Refresh, LeavesProgramsOfOtherDevicesInTheJournal)
{
    note(2);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "another");
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 kept, 0 failed, 0 refused, 2 of other devices");
    use_variable("FAKE_OPENCL_DRIVER_VERSION", NULL);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(2);
}

/* The application and refresh find different drivers of one device: a library
 * path, a container. Nothing is kept under the ID of the application's. */
TEST_C(Refresh, KeepsNothingOfAnotherDriver)
{
    note(2);
    use_variable("OCL_ICD_VENDORS", DNNL_CACHE_TEST_FAKE "_rebuilt");
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "0 kept, 0 failed, 0 refused, 2 of other devices");
    EXPECT_EQ(1, (long long)count_of(run.err, "another driver"));
    EXPECT_EQ(2, waiting());
    EXPECT_EQ(0, (long long)count_entries("store"));
    use_variable("OCL_ICD_VENDORS", DNNL_CACHE_TEST_FAKE);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(2);
}

TEST_C(Refresh, SetsTheEnvironmentThatAnIdHas)
{
    use_fake(true);
    use_variable("POCL_WORK_GROUP_METHOD", "loopvec");
    ASSERT_EQ(0, run_client("note", 1).code);
    /* The ID has a variable that the refresh has not, and the other way round.
     */
    use_variable("POCL_WORK_GROUP_METHOD", NULL);
    use_variable("POCL_MAX_WORK_GROUP_SIZE", "512");
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    use_variable("POCL_MAX_WORK_GROUP_SIZE", NULL);
    use_variable("POCL_WORK_GROUP_METHOD", "loopvec");
    expect_all_kept(1);
}

/* One process has one environment. */
TEST_C(Refresh, SetsTheEnvironmentOfEachOfManyIds)
{
    use_fake(true);
    ASSERT_EQ(0, run_client("note", 1).code);
    use_variable("POCL_WORK_GROUP_METHOD", "loopvec");
    ASSERT_EQ(0, run_client("note", 2).code);
    use_variable("POCL_WORK_GROUP_METHOD", "cbs");
    ASSERT_EQ(0, run_client("note", 2).code);
    use_variable("POCL_WORK_GROUP_METHOD", NULL);
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "5 kept");
    EXPECT_EQ(5, (long long)count_entries("store"));
    expect_has(run_client("run", 1).out, "from the store 1, compiled 0");
    use_variable("POCL_WORK_GROUP_METHOD", "cbs");
    expect_has(run_client("run", 2).out, "from the store 2, compiled 0");
}

TEST_C(Refresh, TriesThreeTimesWhatFails)
{
    note(1);
    use_variable("FAKE_OPENCL_BUILD_ERROR", "-11");
    for (int i = 0; i < 3; i++) {
        const struct outcome run = run_refresh("--jobs", "2", NULL);
        EXPECT_EQ(1, run.code);
        expect_has(run.out, "0 kept, 1 failed");
        expect_has(run.err, "the driver failed");
    }
    use_variable("FAKE_OPENCL_BUILD_ERROR", NULL);
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 1 refused");
}

TEST_C(Refresh, LosesOneJobWithAWorkerThatDies)
{
    note(3);
    use_variable("FAKE_OPENCL_BUILD_MS", "300");
    const pid_t refresh = start_refresh("--jobs", "1", NULL);
    const pid_t worker = find_worker(refresh);
    ASSERT_GT(worker, 0);
    EXPECT_EQ(0, kill(worker, SIGKILL));
    const struct outcome run = end_refresh(refresh);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "2 kept, 1 failed");
    expect_has(run.err, "the worker process was killed");
    EXPECT_EQ(1, waiting());
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(3);
}

/* Begins, until the first worker has a job and the next one is written. */
static pid_t start_with_job_ahead(const char *workers, pid_t *worker)
{
    const pid_t refresh = start_refresh("--jobs", workers, NULL);
    *worker = find_worker(refresh);
    EXPECT_GT(*worker, 0);
    EXPECT_EQ(1, (long long)await_files(refresh, in_test("tmp"),
                         "dnnl-cache-refresh-*/0/work1/job/journal", 1));
    return refresh;
}

/* What was written for the worker that died goes to the next one. */
TEST_C(Refresh, LosesNoJobThatWasWrittenForAWorkerThatDies)
{
    pid_t worker;
    note(4);
    use_variable("FAKE_OPENCL_BUILD_MS", "300");
    const pid_t refresh = start_with_job_ahead("1", &worker);
    EXPECT_EQ(0, kill(worker, SIGKILL));
    const struct outcome run = end_refresh(refresh);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "3 kept, 1 failed");
    EXPECT_EQ(1, (long long)count_of(run.err, "the worker process was killed"));
    expect_no_temporary();
}

/* It is killed for a job that it has done meanwhile: the next one is not to
 * blame. */
TEST_C(Refresh, BlamesNoJobForWhatKilledTheWorkerBefore)
{
    note(5);
    use_variable("FAKE_OPENCL_BUILD_MS", "400");
    const pid_t refresh =
            start_refresh("--jobs", "2", "--program-timeout", "1s", NULL);
    EXPECT_EQ(2, (long long)await_files(refresh, in_test("tmp"),
                         "dnnl-cache-refresh-*/*/work1/job/journal", 2));
    /* So long that both are late when it looks at the first one. */
    EXPECT_EQ(0, kill(refresh, SIGSTOP));
    (void)usleep(1500000);
    EXPECT_EQ(0, kill(refresh, SIGCONT));
    const struct outcome run = end_refresh(refresh);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "5 kept, 0 failed");
    EXPECT_EQ(0, (long long)count_of(run.err, "died"));
}

/* At the end a worker takes what was written for another. */
TEST_C(Refresh, LeavesNoJobWithAWorkerThatIsSlow)
{
    pid_t worker;
    note(3);
    use_variable("FAKE_OPENCL_BUILD_MS", "500");
    const pid_t refresh = start_with_job_ahead("2", &worker);
    EXPECT_EQ(0, kill(worker, SIGSTOP));
    EXPECT_EQ(
            2, (long long)await_files(refresh, store_path(), "*.cl_cache", 2));
    EXPECT_EQ(0, kill(worker, SIGCONT));
    const struct outcome run = end_refresh(refresh);
    EXPECT_EQ(0, run.code);
    expect_has(run.out, "3 kept, 0 failed");
}

/* Who stops a service or logs a user out signals all processes at once. */
TEST_C(Refresh, BlamesNoProgramForAWorkerThatWasToldToEnd)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    note(2);
    use_variable("FAKE_OPENCL_BUILD_MS", "300");
    for (size_t i = 0; i < COUNT(signals); i++) {
        const pid_t refresh = start_refresh("--jobs", "1", NULL);
        const pid_t worker = find_worker(refresh);
        ASSERT_GT(worker, 0);
        EXPECT_EQ(0, kill(worker, signals[i]));
        const struct outcome run = end_refresh(refresh);
        EXPECT_EQ(1, run.code);
        expect_has(run.out, " 0 failed, 0 refused, 0 of other devices, 1 left");
        expect_has(run.err, "its worker was ended from outside");
    }
    expect_has(
            run_refresh("--dry-run", "--json", NULL).out, "\"failures\": 0,");
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(2);
}

TEST_C(Refresh, DropsLaunchesOfEntriesThatAreGone)
{
    note(2);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    /* The launches stay while there are the entries. */
    EXPECT_EQ(4, count_launches());
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(4, count_launches());
    ASSERT_EQ(0, run_tool("evict", "--to", "0", NULL)->code);
    EXPECT_EQ(4, count_launches());
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(0, count_launches());
}

TEST_C(Refresh, BringsNothingBackAfterClear)
{
    note(2);
    ASSERT_EQ(0, run_tool("clear", "--yes", NULL)->code);
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(0, count_launches());
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(0, (long long)count_entries("store"));
}

/* ---- A full store -------------------------------------------------------- */

/* As an application does. */
static dnnl_cache_store_handle_t *open_limited(uint64_t capacity)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    options.path = store_path();
    options.capacity = capacity;
    EXPECT_OK(dnnl_cache_store_open(&store, "flat", &options));
    return store;
}

static uint64_t bytes_in(const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &s));
    EXPECT_EQ(0, (long long)s.evictions);
    return s.bytes;
}

enum { capacity = 1 << 20 };

/* With entries that nobody uses, but for less than small. */
static void fill_store(uint64_t small)
{
    dnnl_cache_store_handle_t *store = open_limited(capacity);
    for (int i = 0; bytes_in(store) + small < capacity; i++) {
        const uint64_t left = capacity - bytes_in(store) - small / 2;
        struct made made = make_large_program(
                text_of("%d", i), "a", left < 100000 ? (size_t)left : 100000);
        put_made(store, &made, 0);
        made_fini(&made);
        ASSERT_GT(100, i);
    }
    dnnl_cache_store_close(store);
}

/* An application that opens the store has nothing to evict. */
static void expect_within_capacity(uint64_t bytes)
{
    dnnl_cache_store_handle_t *store = open_limited(bytes);
    EXPECT_LE((long long)bytes_in(store), (long long)bytes);
    dnnl_cache_store_close(store);
}

/* As after an update of the driver: what is made now goes in, and as little as
 * possible of the rest goes. */
TEST_C(Refresh, MakesRoomAsTheApplicationsDo)
{
    note(12);
    fill_store(16 << 10);
    const size_t before = count_entries("store");
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_EQ(0, waiting());
    EXPECT_GT((long long)count_entries("store"), (long long)before);
    expect_within_capacity(capacity);
}

/* One that evicts nothing is left as it is. */
TEST_C(Refresh, EvictsNothingWhereTheApplicationsDoNot)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    note(12);
    fill_store(16 << 10);
    options.path = store_path();
    options.capacity = capacity;
    options.policy = dnnl_cache_store_policy_none;
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    struct made made = make_large_program("more", "a", 100000);
    put_made(store, &made, 0); /* it is not kept; the policy is recorded */
    made_fini(&made);
    dnnl_cache_store_close(store);
    const size_t before = count_entries("store");
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "the store is full (its capacity is 1.0 MiB)");
    EXPECT_GE(waiting(), 1);
    EXPECT_GE((long long)count_entries("store"), (long long)before);
    expect_within_capacity(capacity);
}

/* Else each refresh would evict with its last entries its first ones. */
TEST_C(Refresh, DoesNotEvictWhatItHasJustMade)
{
    note(1);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    dnnl_cache_store_handle_t *store = open_limited(capacity);
    const uint64_t bytes = 5 * bytes_in(store);
    dnnl_cache_store_close(store);
    store = open_limited(bytes);
    struct made made = make_large_program("other", "a", 100);
    put_made(store, &made, 0); /* records the capacity */
    made_fini(&made);
    dnnl_cache_store_close(store);
    note(12);
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "the store is full");
    const long left = waiting();
    EXPECT_GE(left, 6);
    EXPECT_LE(left, 9);
    expect_within_capacity(bytes);
}

/* One that can never be kept is not compiled for ever. */
TEST_C(Refresh, GivesUpWhatIsLargerThanTheStore)
{
    note(1);
    dnnl_cache_store_handle_t *store = open_limited(700);
    struct made made = make_large_program("other", "a", 100);
    put_made(store, &made, 0);
    made_fini(&made);
    dnnl_cache_store_close(store);
    for (int i = 0; i < 3; i++) {
        const struct outcome run = run_refresh("--jobs", "1", NULL);
        EXPECT_EQ(1, run.code);
        expect_has(run.err, "larger than the store's capacity");
    }
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_NULL(strstr(run.err, "larger than the store's capacity"));
}

/* ---- A full disk --------------------------------------------------------- */

/* A log that makes each entry large: letters that compress badly. */
static void make_entries_large(void)
{
    static char log[(64 << 10) + 1];
    uint64_t random = 1;
    for (size_t i = 0; i + 1 < sizeof log; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        log[i] = (char)('a' + (random >> 33) % 26);
    }
    use_variable("FAKE_OPENCL_BUILD_LOG", log);
}

enum { entries_do_not_fit = 16 << 10 };

/* Notes are not lost, however often it is tried. */
static void expect_notes_stay(int count)
{
    for (int i = 0; i < 4; i++) {
        const struct outcome run = run_refresh("--jobs", "2", NULL);
        EXPECT_EQ(4, run.code);
        expect_has(run.err, "the folder of temporary files is full");
    }
    limit_files(0);
    EXPECT_EQ(count, waiting());
    expect_no_temporary();
}

TEST_C(Refresh, KeepsNotesWhoseEntriesDoNotFit)
{
    note(2);
    make_entries_large();
    limit_files(entries_do_not_fit);
    expect_notes_stay(2);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(2);
}

/* With room for temporary files for one large program, and not for two. */
static int refresh_on_small_disk(void)
{
    const char *folder = in_test("tmp");
    (void)mkdir(folder, 0700);
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", folder, "tmpfs", 0, "size=700k,mode=0700") != 0)
        return 77;
    return run_refresh("--jobs", "1", NULL).code;
}

/* What is written for the next one must not take it from the present one, nor
 * what the last one had from the next. */
TEST_C(Refresh, NeedsRoomForOneJobOfAWorkerAlone)
{
    int status = 0;
#ifdef __SANITIZE_THREAD__
    SKIP_TEST("ThreadSanitizer needs room for files of its own");
#endif
    use_fake(true);
    use_variable("REFRESH_CLIENT_LARGE", "1");
    ASSERT_EQ(0, run_client("note", 4).code);
    use_variable("FAKE_OPENCL_BUILD_MS", "50");
    const pid_t child = fork();
    if (child == 0) _exit(refresh_on_small_disk());
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, WEXITSTATUS(status));
    expect_all_kept(4);
}

/* Whatever the layer would have stored. */
TEST_C(Refresh, KeepsNotesOfTheLayerWhoseEntriesDoNotFit)
{
    use_fake(true);
    ASSERT_EQ(0, run_client("forge", 1).code);
    make_entries_large();
    limit_files(entries_do_not_fit);
    expect_notes_stay(1); /* the library's is seen to be forged */
    expect_has(run_refresh("--jobs", "2", NULL).out, "0 failed, 1 refused");
    EXPECT_EQ(0, waiting());
}

TEST_C(Refresh, GoesOnAfterAJobThatCannotBeWritten)
{
    use_fake(true);
    use_variable("REFRESH_CLIENT_USER_DATA", "4194304");
    ASSERT_EQ(0, run_client("run", 1).code);
    ASSERT_EQ(0, run_client("note", 3).code);
    /* There is room, but not for what the entry of the first has. */
    limit_files(2 << 20);
    const struct outcome run = run_refresh("--jobs", "1", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "2 kept, 1 failed");
    expect_has(run.err, "its notes cannot be written");
    limit_files(0);
    EXPECT_EQ(1, waiting());
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(3, (long long)count_entries("store"));
}

TEST_C(Refresh, SaysThatTheJournalCannotBeWritten)
{
    char path[path_size];
    note(2);
    /* In the way of the new file. */
    snprintf(path, sizeof path, "%s/journal.new", store_path());
    ASSERT_EQ(0, mkdir(path, 0700));
    const struct outcome run = run_refresh("--jobs", "2", NULL);
    EXPECT_EQ(1, run.code);
    EXPECT_EQ(1, (long long)count_of(run.err, "the journal cannot be written"));
    expect_has(run.out, "2 kept");
    EXPECT_EQ(2, waiting());
    ASSERT_EQ(0, rmdir(path));
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    expect_all_kept(2);
}

/* ---- Ended early --------------------------------------------------------- */

static void end_by(int signal, int expected)
{
    note(3);
    use_variable("FAKE_OPENCL_BUILD_MS", "400");
    const pid_t refresh = start_refresh("--jobs", "1", NULL);
    ASSERT_GT(find_worker(refresh), 0);
    EXPECT_EQ(0, kill(refresh, signal));
    EXPECT_EQ(expected, end_refresh(refresh).code);
    /* What is not in the store is in the journal. */
    EXPECT_EQ(3, (long long)count_entries("store") + waiting());
    if (signal != SIGKILL) expect_no_temporary();
    use_variable("FAKE_OPENCL_BUILD_MS", NULL);
    EXPECT_EQ(0, run_refresh("--jobs", "2", NULL).code);
    EXPECT_EQ(0, waiting());
    EXPECT_EQ(3, (long long)count_entries("store"));
    expect_no_temporary();
}

TEST_C(Refresh, GoesOnAfterAnInterrupt)
{
    end_by(SIGINT, 1);
}

TEST_C(Refresh, GoesOnAfterItWasTerminated)
{
    end_by(SIGTERM, 1);
}

TEST_C(Refresh, GoesOnAfterItWasKilled)
{
    end_by(SIGKILL, 128 + SIGKILL);
}

TEST_C(Refresh, RemovesFoldersOfThoseThatWereKilledAlone)
{
    static const char *const names[] = {"dnnl-cache-refresh-alive0",
            "dnnl-cache-refresh-killed", "dnnl-cache-refresh-other-name"};
    char path[path_size];
    char held[path_size];
    note(1);
    (void)mkdir(in_test("tmp"), 0700);
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/tmp/%s", test_directory(), names[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
        if (i == 0) snprintf(held, sizeof held, "%s", path);
        snprintf(path, sizeof path, "%s/tmp/%s/0", test_directory(), names[i]);
        ASSERT_EQ(0, mkdir(path, 0700));
    }
    snprintf(path, sizeof path, "%s/tmp/dnnl-cache-refresh-linked",
            test_directory());
    ASSERT_EQ(0, symlink(test_directory(), path));
    const int fd = open(held, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(0, flock(fd, LOCK_EX));
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_EQ(3, (long long)count_temporary());
    EXPECT_TRUE(exists(held));
    EXPECT_TRUE(exists(path));
    close(fd);
    ASSERT_EQ(0, run_client("note", 2).code);
    EXPECT_EQ(0, run_refresh("--jobs", "1", NULL).code);
    EXPECT_FALSE(exists(held));
    EXPECT_EQ(2, (long long)count_temporary());
}

TEST_C(Refresh, StopsInTime)
{
    note(3);
    use_variable("FAKE_OPENCL_BUILD_MS", "30000");
    const struct outcome run = run_refresh("--timeout", "1s", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.out, "0 kept, 0 failed, 0 refused, 0 of other devices, "
                        "3 left\n");
    EXPECT_EQ(3, waiting());
    expect_no_temporary();
}

/* ---- Others at work ------------------------------------------------------ */

TEST_C(Refresh, WaitsForAnotherAsLongAsItIsTold)
{
    note(1);
    dnnl_cache_store_handle_t *store = open_test_store("store");
    EXPECT_OK(dnnl_cache_store_journal_begin_drain(store, 0));
    struct outcome run = run_refresh("--wait", "0", NULL);
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ("", run.out);
    run = run_refresh("--wait", "1s", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "another refresh of this store is at work");
    EXPECT_EQ(2, run_refresh("--wait", "", NULL).code);
    dnnl_cache_store_journal_end_drain(store);
    dnnl_cache_store_close(store);
    EXPECT_EQ(1, waiting());
    EXPECT_EQ(0, run_refresh("--wait", "0", NULL).code);
    expect_all_kept(1);
}

static void sleep_us(long us)
{
    const struct timespec pause = {0, us * 1000};
    (void)nanosleep(&pause, NULL);
}

/* As one who asks whether there is a refresh, again and again. */
static void *ask_for_a_refresh(void *is_over)
{
    const int fd = open(in_test("store/journal.lock"), O_RDWR | O_CREAT, 0600);
    EXPECT_TRUE(fd >= 0);
    while (!atomic_load((atomic_bool *)is_over)) {
        EXPECT_EQ(0, flock(fd, LOCK_SH));
        sleep_us(1000);
        EXPECT_EQ(0, flock(fd, LOCK_UN));
        sleep_us(1000);
    }
    EXPECT_EQ(0, close(fd));
    return NULL;
}

/* How many of so many refreshes were not left to who asks all the time. */
static int count_not_left(int rounds)
{
    atomic_bool is_over;
    pthread_t thread;
    int count = 0;
    note(rounds);
    atomic_init(&is_over, false);
    if (pthread_create(&thread, NULL, ask_for_a_refresh, &is_over) != 0)
        return -1;
    for (int i = 0; i < rounds; i++)
        count += run_refresh("--wait", "0", "--json", NULL).out[0] != '\0';
    atomic_store(&is_over, true);
    EXPECT_EQ(0, pthread_join(thread, NULL));
    EXPECT_EQ(0, run_refresh(NULL, NULL).code);
    return count;
}

/* Who asks is not at work, and leaves nothing to be left to. On a machine with
 * much to do he may have the lock for long, so it may be tried again; without
 * waiting every other is left to him. */
TEST_C(Refresh, DoesNotWaitForOneWhoAsksAlone)
{
    enum { rounds = 16, most_left = 3, tries = 3 };
    int best = 0;
    for (int i = 0; i < tries && best < rounds - most_left; i++) {
        const int count = count_not_left(rounds);
        best = count > best ? count : best;
        expect_all_kept(rounds);
    }
    EXPECT_TRUE(best >= rounds - most_left);
}

/* What it cannot do for want of descriptors it says. Folders that it cannot
 * remove then the next one removes. */
TEST_C(Refresh, SaysThatDescriptorsAreTooFew)
{
    enum { least = 4, most = 64 };
    int code = 1;
    note(1);
    for (unsigned n = least; n < most && code != 0; n++) {
        limit_descriptors(n);
        const struct outcome run = run_refresh("--wait", "0", NULL);
        code = run.code;
        EXPECT_TRUE(code == 0 || code == 1 || code == 3 || code == 4);
        EXPECT_EQ(code != 0, run.err[0] != '\0');
        limit_descriptors(0);
        EXPECT_EQ(code != 0, waiting());
    }
    EXPECT_EQ(0, code);
    note(2); /* of which there is one */
    EXPECT_EQ(0, run_refresh(NULL, NULL).code);
    expect_all_kept(2);
}

TEST_C(Refresh, UsesTheLayerThatItIsTold)
{
    use_fake(true);
    ASSERT_EQ(0, run_client("forge", 1).code);
    const struct outcome run =
            run_refresh("--layer", "/nowhere/layer.so", NULL);
    EXPECT_EQ(1, run.code);
    expect_has(run.err, "the OpenCL layer is not installed");
    expect_has(run_refresh("--layer", DNNL_CACHE_TEST_LAYER, NULL).err,
            "what was compiled has another ID");
}

/* ---- Two at once --------------------------------------------------------- */

TEST_C(Refresh, TwoMakeEachEntryOnce)
{
    char log[path_size];
    note(4);
    snprintf(log, sizeof log, "%s", in_test("calls"));
    use_variable("FAKE_OPENCL_LOG", log);
    use_variable("FAKE_OPENCL_BUILD_MS", "100");
    const pid_t one = start_refresh("--jobs", "2", NULL);
    const pid_t other = start_refresh("--jobs", "2", NULL);
    EXPECT_EQ(0, end_refresh(one).code);
    EXPECT_EQ(0, end_refresh(other).code);
    use_variable("FAKE_OPENCL_LOG", NULL);
    size_t size;
    uint8_t *calls = read_whole(log, &size);
    EXPECT_EQ(4, (long long)count_of((const char *)calls, "clBuildProgram"));
    free(calls);
    use_variable("FAKE_OPENCL_BUILD_MS", NULL);
    expect_all_kept(4);
}
