/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/fork.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The first use ------------------------------------------------------- */

static atomic_bool is_used;
static atomic_bool has_forked;

/* Relaxed: the caller of fork() knows nothing of this thread but by what
 * fork.c itself orders. */
static void *use_first(void *user)
{
    (void)user;
    EXPECT_EQ(0, fork_count());
    atomic_store_explicit(&is_used, true, memory_order_relaxed);
    while (!atomic_load_explicit(&has_forked, memory_order_relaxed))
        usleep(100);
    return NULL;
}

static int enter_and_leave(void *user)
{
    (void)user;
    if (fork_enter(0) != 0) return 1;
    fork_leave();
    return 0;
}

/* Where the handlers are registered by one thread while another forks:
 * ThreadSanitizer looks. The first test of this file and of its program: later
 * the handlers are there. */
TEST_C(StoreFork, MayFollowTheFirstUseByAnotherThread)
{
    pthread_t thread;
    ASSERT_EQ(0, pthread_create(&thread, NULL, use_first, NULL));
    while (!atomic_load_explicit(&is_used, memory_order_relaxed))
        usleep(100);
    EXPECT_EQ(0, in_child(enter_and_leave, NULL));
    atomic_store_explicit(&has_forked, true, memory_order_relaxed);
    ASSERT_EQ(0, pthread_join(thread, NULL));
}

/* ---- Locks and work ------------------------------------------------------ */

/* A thread that has a lock, or is at work, while others fork. */
struct holder {
    struct fork_mutex *mutex; /* NULL: is at work */
    atomic_bool has_it;
    atomic_bool may_end;
    atomic_bool is_done; /* its work */
};

static void *hold(void *user)
{
    struct holder *h = user;
    if (h->mutex != NULL)
        (void)fork_lock(h->mutex);
    else
        EXPECT_EQ(0, fork_enter(UINT64_MAX));
    atomic_store(&h->has_it, true);
    while (!atomic_load(&h->may_end))
        usleep(100);
    atomic_store(&h->is_done, true);
    if (h->mutex != NULL) {
        fork_unlock(h->mutex);
    } else {
        /* Somebody waits to fork, and waits for this thread. */
        EXPECT_EQ(0, fork_enter(0));
        fork_leave();
        fork_leave();
    }
    return NULL;
}

static int take_twice(void *user)
{
    struct fork_mutex *mutex = user;
    const enum fork_state first = fork_lock(mutex);
    fork_unlock(mutex);
    const enum fork_state second = fork_lock(mutex);
    fork_unlock(mutex);
    return second == fork_same ? (int)first : 99;
}

/* The state that a child and a grandchild find. */
static int take_and_fork(void *user)
{
    const int own = take_twice(user);
    return 10 * own + in_child(take_twice, user);
}

TEST_C(StoreFork, MutexTellsEachProcessOnce)
{
    static struct fork_mutex mutex = FORK_MUTEX_INIT;
    EXPECT_EQ(fork_same, take_twice(&mutex));
    EXPECT_EQ(10 * fork_whole + fork_whole, in_child(take_and_fork, &mutex));
    EXPECT_EQ(fork_same, take_twice(&mutex));
}

TEST_C(StoreFork, MutexOfAThreadThatIsGoneIsMadeAnew)
{
    struct fork_mutex mutex;
    struct holder h = {.mutex = &mutex};
    pthread_t thread;
    ASSERT_EQ(0, fork_mutex_init(&mutex));
    ASSERT_EQ(0, pthread_create(&thread, NULL, hold, &h));
    while (!atomic_load(&h.has_it))
        usleep(100);
    EXPECT_EQ(10 * fork_torn + fork_whole, in_child(take_and_fork, &mutex));
    atomic_store(&h.may_end, true);
    EXPECT_EQ(fork_same, take_twice(&mutex));
    pthread_join(thread, NULL);
    fork_mutex_fini(&mutex);
}

/* 0: the work was done when the process forked, and more can begin. */
static int look_at_work(void *user)
{
    const struct holder *h = user;
    if (!atomic_load(&h->is_done)) return 1;
    if (fork_enter(0) != 0) return 2;
    fork_leave();
    return 0;
}

static void *fork_amid_work(void *user)
{
    EXPECT_EQ(0, in_child(look_at_work, user));
    return NULL;
}

TEST_C(StoreFork, WaitsForWork)
{
    struct holder h = {.mutex = NULL};
    pthread_t worker;
    pthread_t forker;
    const unsigned before = fork_count();
    ASSERT_EQ(0, pthread_create(&worker, NULL, hold, &h));
    while (!atomic_load(&h.has_it))
        usleep(100);
    ASSERT_EQ(0, pthread_create(&forker, NULL, fork_amid_work, &h));
    int error;
    while ((error = fork_enter(0)) == 0) {
        fork_leave();
        usleep(100);
    }
    EXPECT_EQ(ETIMEDOUT, error);
    atomic_store(&h.may_end, true);
    EXPECT_EQ(0, fork_enter(UINT64_MAX)); /* once it has forked */
    fork_leave();
    pthread_join(forker, NULL);
    pthread_join(worker, NULL);
    EXPECT_EQ(before, fork_count());
}
