/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/clock.h"
#include "src/platform/thread.h"
#include "test.h"

#include <signal.h>
#include <stdint.h>

static void *read_mask(void *user)
{
    EXPECT_EQ(0, pthread_sigmask(SIG_BLOCK, NULL, user));
    return user;
}

TEST_C(Thread, OfOursGetsNoSignalOfTheApplications)
{
    static const int others[] = {SIGTERM, SIGINT, SIGCHLD, SIGPIPE, SIGALRM};
    static const int faults[] = {
            SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    sigset_t before;
    sigset_t after;
    sigset_t of_thread;
    pthread_t thread;
    (void)read_mask(&before);
    ASSERT_TRUE(thread_start(&thread, read_mask, &of_thread));
    EXPECT_EQ(0, pthread_join(thread, NULL));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_EQ(1, sigismember(&of_thread, others[i]));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        EXPECT_EQ(0, sigismember(&of_thread, faults[i]));
    (void)read_mask(&after);
    for (int number = 1; number < SIGRTMAX; number++)
        EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
}

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool is_here; /* lock */
};

static void *come(void *user)
{
    struct meeting *meeting = user;
    (void)pthread_mutex_lock(&meeting->lock);
    meeting->is_here = true;
    (void)pthread_cond_broadcast(&meeting->came);
    (void)pthread_mutex_unlock(&meeting->lock);
    return NULL;
}

static void wait_for(struct meeting *meeting, uint64_t deadline_ns)
{
    pthread_t thread;
    meeting->is_here = false;
    (void)pthread_mutex_lock(&meeting->lock);
    ASSERT_TRUE(thread_start(&thread, come, meeting));
    bool in_time = true;
    while (!meeting->is_here && in_time)
        in_time = thread_condition_wait(
                &meeting->came, &meeting->lock, deadline_ns);
    (void)pthread_mutex_unlock(&meeting->lock);
    EXPECT_TRUE(in_time);
    EXPECT_EQ(0, pthread_join(thread, NULL));
}

TEST_C(Thread, WaitsUntilADeadlineOfTheMonotonicClock)
{
    const uint64_t moment_ns = 20000000;
    const uint64_t hour_ns = UINT64_C(3600) * 1000000000u;
    struct meeting meeting = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ASSERT_EQ(0, thread_condition_init(&meeting.came));
    (void)pthread_mutex_lock(&meeting.lock);
    const uint64_t deadline_ns = clock_ns() + moment_ns;
    while (thread_condition_wait(&meeting.came, &meeting.lock, deadline_ns))
        continue; /* woken for nothing, which is allowed */
    EXPECT_GE(clock_ns(), deadline_ns);
    EXPECT_FALSE(thread_condition_wait(&meeting.came, &meeting.lock, 0));
    (void)pthread_mutex_unlock(&meeting.lock);
    wait_for(&meeting, clock_ns() + hour_ns);
    wait_for(&meeting, UINT64_MAX);
    EXPECT_EQ(0, pthread_cond_destroy(&meeting.came));
}
