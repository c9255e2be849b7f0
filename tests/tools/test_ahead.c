/* SPDX-License-Identifier: Apache-2.0 */
/* A record whose programs are compiled ahead of the application that
 * dnnl-cache-run starts. */
#include "refresh_runs.h"
#include "test.h"
#include "tool_helpers.h"

#include "tools/common/state/ahead_session.h"
#include "tools/common/state/ahead_state.h"
#include "tools/common/state/state_folder.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLIENT "refresh_client"

/* ---- Runs ---------------------------------------------------------------- */

static bool has_two_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

/* The fake driver, built once more: another build-id. */
static void update_driver(void)
{
    use_variable("OCL_ICD_VENDORS", DNNL_CACHE_TEST_FAKE "_rebuilt");
}

static void use_record(void)
{
    static char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("record"));
    use_variable("DNNL_CACHE_RECORD", path);
}

/* Records so many programs, which the store has for an older driver alone. */
static void record(const char *milliseconds, int count)
{
    use_record();
    use_variable("FAKE_OPENCL_BUILD_MS", milliseconds);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", "0.5");
    ASSERT_EQ(0, run_and_keep("store", count).code);
    use_variable("FAKE_OPENCL_DRIVER_VERSION", NULL);
}

/* The client under dnnl-cache-run, with the layer's statistics. */
static struct outcome run_ahead_of(int count, const char *option)
{
    char number[16];
    char store[path_size];
    char unused[path_size];
    snprintf(number, sizeof number, "%d", count);
    snprintf(store, sizeof store, "%s", in_test("store"));
    snprintf(unused, sizeof unused, "%s", in_test("unused"));
    const char *const arguments[] = {option, "--stats", "--dir", store,
            "--layer", DNNL_CACHE_TEST_LAYER, DNNL_CACHE_TEST_CLIENT, "plain",
            unused, number, NULL};
    use_variable("DNNL_CACHE_FILE_DIGESTS", "0");
    return run_file(DNNL_CACHE_TEST_RUNNER, arguments);
}

static struct ahead_state read_state(void)
{
    struct ahead_state state = {.made = 0};
    const int folder = state_folder_open_path(in_test("store/layer"), false);
    EXPECT_LE(0, folder);
    EXPECT_TRUE(ahead_state_read(&state, folder, CLIENT));
    close(folder);
    return state;
}

/* A number of the layer's statistics. */
static long number_of(const struct outcome *run, const char *name)
{
    const char *at = strstr(run->err, name);
    if (at == NULL) {
        test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", name, run->err);
        return -1;
    }
    return strtol(at + strlen(name), NULL, 10);
}

static size_t count_logged(void)
{
    size_t size;
    size_t count = 0;
    if (access(in_test("store/layer/refresh.log"), F_OK) != 0) return 0;
    uint8_t *bytes = read_whole(in_test("store/layer/refresh.log"), &size);
    char *text = calloc(1, size + 1);
    memcpy(text, bytes, size);
    count = count_of(text, "compiled ahead: ");
    free(text);
    free(bytes);
    return count;
}

/* ---- What is made -------------------------------------------------------- */

TEST_C(Ahead, CompilesWhatAnApplicationIsGoingToAskFor)
{
    enum { programs = 6 };
    if (!has_two_processors()) SKIP_TEST("one processor");
    use_fake(true);
    record("20", programs);
    use_variable("REFRESH_CLIENT_AHEAD", "2");
    const struct outcome run = run_ahead_of(programs, "--quiet");
    EXPECT_EQ(0, run.code);
    EXPECT_GT(number_of(&run, "\n  hits "), 0);
    const struct ahead_state state = read_state();
    EXPECT_GT((long)state.made, 1);
    EXPECT_EQ(0, (long)state.unused);
    EXPECT_NE(0, state.record);
    EXPECT_FALSE(state.is_stopped);
}

/* The rest is compiled by the application, and what was made counts. */
TEST_C(Ahead, EndsWithARefreshThatIsKilled)
{
    enum { programs = 6 };
    if (!has_two_processors()) SKIP_TEST("one processor");
    use_fake(true);
    record("30", programs);
    use_variable("REFRESH_CLIENT_AHEAD", "1");
    use_variable("REFRESH_CLIENT_KILLS_AHEAD", "1");
    const struct outcome run = run_ahead_of(programs, "--quiet");
    EXPECT_EQ(0, run.code);
    EXPECT_GT(number_of(&run, "\n  hits "), 0);
    EXPECT_GT(number_of(&run, "\n  misses "), 0);
    const struct ahead_state state = read_state();
    EXPECT_GT((long)state.made, 0);
    EXPECT_EQ(0, (long)state.unused);
    EXPECT_EQ(0, state.drivers); /* something may be missing still */
}

/* The store has all of it; until another driver is there. */
TEST_C(Ahead, LooksOnceWithEachDriver)
{
    enum { programs = 1 };
    if (!has_two_processors()) SKIP_TEST("one processor");
    use_fake(true);
    use_variable("REFRESH_CLIENT_AHEAD", "1000");
    record("20", programs);
    EXPECT_EQ(0, run_ahead_of(programs, "--verbose").code);
    EXPECT_EQ(1, (long)count_logged());
    EXPECT_NE(0, read_state().drivers);
    EXPECT_EQ(0, run_ahead_of(programs, "--verbose").code);
    EXPECT_EQ(1, (long)count_logged());
    update_driver();
    use_variable("DNNL_CACHE_AHEAD", "0");
    EXPECT_EQ(0, run_ahead_of(programs, "--verbose").code);
    EXPECT_EQ(1, (long)count_logged());
    use_variable("DNNL_CACHE_AHEAD", NULL);
    EXPECT_EQ(0, run_ahead_of(programs, "--verbose").code);
    EXPECT_EQ(2, (long)count_logged());
}

TEST_C(Ahead, StopsForAnApplicationThatAsksForLittle)
{
    enum { programs = 8 };
    if (!has_two_processors()) SKIP_TEST("one processor");
    use_fake(true);
    record("5", programs);
    use_variable("REFRESH_CLIENT_AHEAD", "6");
    const struct outcome run = run_ahead_of(1, "--verbose");
    EXPECT_EQ(0, run.code);
    if (strstr(run.err, "compiled ahead of " CLIENT " it did not ask for")
            == NULL)
        test_fail(__FILE__, __LINE__, "not told: %s", run.err);
    const struct ahead_state state = read_state();
    EXPECT_TRUE(state.is_stopped);
    EXPECT_GT((long)state.unused * 3, (long)state.made);
    const struct outcome stats =
            run_program("stats", "--store", store_path(), "--json", NULL);
    EXPECT_EQ(0, stats.code);
    EXPECT_NOT_NULL(strstr(stats.out, "\"ahead_stopped\": 1"));
    /* With another driver, too, nothing is made; and nothing is told. */
    update_driver();
    const struct outcome again = run_ahead_of(1, "--verbose");
    EXPECT_EQ(0, again.code);
    EXPECT_NULL(strstr(again.err, "did not ask for"));
    EXPECT_EQ((long)state.made, (long)read_state().made);
    /* Until the record is another one. */
    ASSERT_EQ(0, run_with_store("elsewhere", programs + 2).code);
    EXPECT_EQ(0, run_ahead_of(1, "--verbose").code);
    EXPECT_NE(state.record, read_state().record);
}

/* ---- What an application waits for --------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* A session of this process's, as if it were the refresh. */
static struct ahead_session *share(void)
{
    static char path[64];
    struct ahead_session *session = NULL;
    const int fd = ahead_session_create(&session);
    if (session == NULL) abort();
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    use_variable(AHEAD_SESSION_VARIABLE, path);
    EXPECT_TRUE(ahead_session_claim(session));
    EXPECT_FALSE(ahead_session_claim(session));
    return session;
}

/* The first program of the client, which it has asked for. */
static uint64_t find_program(struct ahead_session *session)
{
    EXPECT_EQ(0, run_with_store("elsewhere", 1).code);
    const uint64_t program = atomic_load(&session->last);
    EXPECT_NE(0, program);
    EXPECT_TRUE(ahead_session_is_asked(session, program));
    return program;
}

/* Its maker hangs. */
TEST_C(Ahead, ApplicationWaitsAsLongAsTheProgramTookAndCompilesIt)
{
    enum { limit_ms = 400 };
    use_fake(true);
    struct ahead_session *session = share();
    const uint64_t program = find_program(session);
    ahead_session_begin(session, program, limit_ms * UINT64_C(1000000));
    const uint64_t began = now_ms();
    EXPECT_EQ(0, run_with_store("store", 1).code);
    EXPECT_GE((long)(now_ms() - began), limit_ms);
    EXPECT_EQ(1, (long)atomic_load(&session->waits));
    EXPECT_EQ(1, (long)atomic_load(&session->late));
    EXPECT_GE((long)(atomic_load(&session->wait_ns) / 1000000), limit_ms);
    ahead_session_close(session);
}

static void *end_soon(void *session)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    (void)nanosleep(&pause, NULL);
    ahead_session_end(session, true);
    return NULL;
}

/* It fails, or makes another program than was asked for. */
TEST_C(Ahead, ApplicationCompilesWhatWasNotMadeInTheEnd)
{
    enum { limit_ms = 20000 };
    pthread_t thread;
    use_fake(true);
    struct ahead_session *session = share();
    const uint64_t program = find_program(session);
    ahead_session_begin(session, program, limit_ms * UINT64_C(1000000));
    ASSERT_EQ(0, pthread_create(&thread, NULL, end_soon, session));
    const uint64_t began = now_ms();
    EXPECT_EQ(0, run_with_store("store", 1).code);
    EXPECT_LT((long)(now_ms() - began), limit_ms);
    EXPECT_EQ(0, pthread_join(thread, NULL));
    EXPECT_EQ(1, (long)atomic_load(&session->waits));
    EXPECT_EQ(0, (long)atomic_load(&session->late));
    const struct ahead_counts counts = ahead_session_count(session);
    EXPECT_EQ(1, (long)counts.made);
    EXPECT_EQ(0, (long)counts.unused);
    ahead_session_close(session);
}

/* Without a word. */
TEST_C(Ahead, NobodyWaitsForAMakerThatHasDied)
{
    const uint64_t program = 7;
    struct ahead_session *session = NULL;
    const int fd = ahead_session_create(&session);
    ASSERT_NOT_NULL(session);
    const pid_t child = fork();
    if (child == 0) {
        if (ahead_session_claim(session))
            ahead_session_begin(session, program, UINT64_MAX / 2);
        _exit(0);
    }
    EXPECT_EQ(child, waitpid(child, NULL, 0));
    EXPECT_EQ((long)program, (long)atomic_load(&session->work));
    EXPECT_EQ((long)ahead_is_over, (long)ahead_session_await(session, program));
    EXPECT_EQ((long)ahead_is_not_made,
            (long)ahead_session_await(session, program + 1));
    ahead_session_close(session);
    close(fd);
}

/* A table that is full tells too little, and blames nobody. */
TEST_C(Ahead, CountsNothingAsUnusedThatMayHaveBeenAskedFor)
{
    struct ahead_session *session = NULL;
    const int fd = ahead_session_create(&session);
    ASSERT_NOT_NULL(session);
    for (uint64_t i = 0; i < ahead_most_asked + 1; i++)
        ahead_session_ask(session, 1 + i * 3);
    EXPECT_TRUE(ahead_session_is_asked(session, 1));
    EXPECT_NE(0, atomic_load(&session->lost));
    ahead_session_begin(session, 2, 0);
    ahead_session_end(session, true);
    const struct ahead_counts counts = ahead_session_count(session);
    EXPECT_EQ(1, (long)counts.made);
    EXPECT_EQ(0, (long)counts.unused);
    ahead_session_close(session);
    close(fd);
}

/* ---- The state ----------------------------------------------------------- */

TEST_C(Ahead, RemembersTheApplicationsThatWereStartedLast)
{
    struct ahead_state state;
    char name[32];
    ASSERT_EQ(0, mkdir(in_test("layer"), 0700));
    const int folder = state_folder_open_path(in_test("layer"), false);
    EXPECT_LE(0, folder);
    for (unsigned i = 0; i < ahead_most_applications + 2; i++) {
        snprintf(name, sizeof name, "an application %u", i);
        EXPECT_TRUE(ahead_state_read(&state, folder, name));
        EXPECT_EQ(0, (long)state.made);
        state.made = i + 1;
        state.unused = i;
        state.drivers = UINT64_MAX - i;
        state.is_stopped = ahead_is_mostly_unused(&state);
        EXPECT_TRUE(ahead_state_write(folder, &state));
    }
    EXPECT_TRUE(ahead_state_read(&state, folder, "an application 0"));
    EXPECT_EQ(0, (long)state.made);
    EXPECT_TRUE(ahead_state_read(&state, folder, "an application 2"));
    EXPECT_EQ(3, (long)state.made);
    EXPECT_FALSE(state.is_stopped); /* of so few */
    EXPECT_TRUE(ahead_state_read(&state, folder, "an application 9"));
    EXPECT_EQ(9, (long)state.unused);
    EXPECT_EQ(UINT64_MAX - 9, state.drivers);
    EXPECT_TRUE(state.is_stopped);
    EXPECT_EQ(
            ahead_most_applications - 1, (long)ahead_state_sum(folder).stopped);
    EXPECT_FALSE(ahead_state_read(&state, folder, ""));
    EXPECT_FALSE(ahead_state_read(&state, folder, "two\nlines"));
    close(folder);
}

/* ---- A real driver ------------------------------------------------------- */

/* The variable is in PoCL's IDs, as another build of it would be. */
TEST_C(Ahead, CompilesForAnotherPocl)
{
    enum { programs = 6, no_platform = 77 };
    char checksum[128] = "";
    if (!has_two_processors()) SKIP_TEST("one processor");
    use_fake(false);
    use_record();
    struct outcome run = run_and_keep("store", programs);
    if (run.code == no_platform) SKIP_TEST("PoCL is not here");
    ASSERT_EQ(0, run.code);
    snprintf(checksum, sizeof checksum, "%s", run.out);
    use_variable("POCL_WORK_GROUP_METHOD", "loops");
    use_variable("REFRESH_CLIENT_AHEAD", "2");
    run = run_ahead_of(programs, "--quiet");
    EXPECT_EQ(0, run.code);
    EXPECT_STR_EQ(checksum, run.out);
    EXPECT_GT(number_of(&run, "\n  hits "), 0);
    const struct ahead_state state = read_state();
    EXPECT_GT((long)state.made, 0);
    EXPECT_EQ(0, (long)state.unused);
}
