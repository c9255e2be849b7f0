/* SPDX-License-Identifier: Apache-2.0 */
/* What dnnl-cache-run and the layer share while a command runs. */
#include "layer/settings/session.h"
#include "layer/settings/statistics.h"
#include "layer_process.h"
#include "src/platform/clock.h"
#include "test.h"
#include "tools/common/state/run_session.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS_NS UINT64_C(1000000)

static const char *path_of(int fd)
{
    static char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return path;
}

static struct run_session *create(int *fd)
{
    struct run_session *session;
    *fd = run_session_create(&session);
    EXPECT_TRUE(*fd >= 0);
    return session;
}

TEST_C(RunSession, CountsWhatTheLayerDoes)
{
    int fd;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    char path[64];
    snprintf(path, sizeof path, "%s", path_of(fd));
    const pid_t child = fork();
    if (child == 0) {
        setenv(RUN_SESSION_VARIABLE, path, 1);
        close(fd); /* by its path, and not by what is inherited */
        session_count(session_created);
        session_count(session_created);
        const unsigned first = session_compile_begin();
        const unsigned second = session_compile_begin();
        session_compile_end(first, true);
        session_compile_end(second, false);
        statistics_count_hit(true, 1, 1, 2);
        statistics_count_kept(7, 1);
        statistics_count_deferred();
        _exit(first == second);
    }
    EXPECT_EQ(0, layer_process_wait(child));
    EXPECT_EQ(2, session->created);
    EXPECT_EQ(2, session->begun);
    EXPECT_EQ(1, session->compiled);
    EXPECT_EQ(1, session->loaded);
    EXPECT_EQ(1, session->kept);
    EXPECT_EQ(1, session->deferred);
    close(fd);
    run_session_close(session);
}

TEST_C(RunSession, TakesNoOtherFile)
{
    char folder[512];
    char path[600];
    snprintf(folder, sizeof folder, "%s", test_directory());
    snprintf(path, sizeof path, "%s/file", folder);
    EXPECT_NULL(run_session_open(path));
    FILE *file = fopen(path, "we");
    ASSERT_NOT_NULL(file);
    for (size_t i = 0; i < sizeof(struct run_session); i++)
        EXPECT_EQ('d', fputc('d', file));
    EXPECT_EQ(0, fclose(file));
    EXPECT_NULL(run_session_open(path)); /* it can be cut off */
    EXPECT_NULL(run_session_open(folder));
    EXPECT_NULL(run_session_open("/dev/null"));
    EXPECT_NULL(run_session_open(""));
    static const int sizes[] = {0, 1, -1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        ASSERT_TRUE(fd >= 0);
        EXPECT_EQ(0, ftruncate(fd,
                             (off_t)sizeof(struct run_session) - 1 + sizes[i]));
        if (sizes[i] >= 0) EXPECT_EQ(0, fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
        EXPECT_NULL(run_session_open(path_of(fd))); /* size, or no magic */
        close(fd);
    }
}

/* So an application that has mapped it gets no SIGBUS. */
TEST_C(RunSession, CannotBeCutOff)
{
    int fd;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    EXPECT_NE(0, ftruncate(fd, 0));
    run_session_close(session);
    session = run_session_open(path_of(fd));
    EXPECT_NOT_NULL(session);
    run_session_close(session);
    close(fd);
}

TEST_C(RunSession, KnowsTheOldestCall)
{
    int fd;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    EXPECT_EQ(0, run_session_oldest_ns(session));
    const uint64_t before = clock_ns();
    const unsigned first = run_session_begin(session);
    const uint64_t between = clock_ns();
    const unsigned second = run_session_begin(session);
    EXPECT_NE(first, second);
    EXPECT_GE(run_session_oldest_ns(session), before);
    EXPECT_GE(between, run_session_oldest_ns(session));
    run_session_end(session, first, true);
    EXPECT_GE(run_session_oldest_ns(session), between);
    run_session_end(session, second, false);
    EXPECT_EQ(0, run_session_oldest_ns(session));
    EXPECT_EQ(2, session->begun);
    EXPECT_EQ(2, session->ended);
    EXPECT_EQ(1, session->compiled);
    run_session_close(session);
    close(fd);
}

/* Calls beyond the slots are counted, and no harm is done. */
TEST_C(RunSession, HasARoomOfCalls)
{
    int fd;
    unsigned slots[run_session_slots + 2];
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    for (int i = 0; i < run_session_slots + 2; i++)
        slots[i] = run_session_begin(session);
    EXPECT_EQ(run_session_slots, slots[run_session_slots]);
    for (int i = 0; i < run_session_slots + 2; i++)
        run_session_end(session, slots[i], true);
    EXPECT_EQ(0, run_session_oldest_ns(session));
    EXPECT_EQ(run_session_slots + 2, session->compiled);
    run_session_close(session);
    close(fd);
}

TEST_C(RunSession, ForgetsCallsOfTheDead)
{
    int fd;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    const pid_t child = fork();
    if (child == 0) {
        (void)run_session_begin(session);
        _exit(0);
    }
    EXPECT_EQ(0, layer_process_wait(child));
    EXPECT_EQ(1, session->begun);
    EXPECT_EQ(0, run_session_oldest_ns(session));
    EXPECT_EQ(0, session->slots[0].pid);
    run_session_close(session);
    close(fd);
}

static void *take_off(void *user)
{
    struct run_session *session = user;
    const struct timespec pause = {.tv_nsec = 30 * 1000 * 1000};
    nanosleep(&pause, NULL);
    EXPECT_EQ(0, run_session_oldest_ns(session)); /* the call is over, but */
    atomic_store(&session->kept, 1);              /* has not returned */
    run_session_set_shown(session, false);
    return NULL;
}

/* What the application prints next comes after the line is gone. */
TEST_C(RunSession, EndsWhenTheLineIsGone)
{
    int fd;
    pthread_t thread;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    const unsigned slot = run_session_begin(session);
    run_session_set_shown(session, true);
    ASSERT_EQ(0, pthread_create(&thread, NULL, take_off, session));
    run_session_end(session, slot, true);
    EXPECT_EQ(1, atomic_load(&session->kept));
    EXPECT_EQ(0, pthread_join(thread, NULL));
    run_session_close(session);
    close(fd);
}

/* Of a runner that is stopped, or has gone. */
TEST_C(RunSession, WaitsATenthOfASecondAtMost)
{
    int fd;
    struct run_session *session = create(&fd);
    ASSERT_NOT_NULL(session);
    unsigned slot = run_session_begin(session);
    run_session_set_shown(session, true);
    const uint64_t begun = clock_ns();
    run_session_end(session, slot, true);
    const uint64_t first = clock_ns();
    EXPECT_GE(first - begun, 99 * MS_NS);
    EXPECT_EQ(0, session->is_shown); /* the next need not wait */
    run_session_close(session);
    close(fd);
}
