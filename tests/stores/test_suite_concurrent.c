/* SPDX-License-Identifier: Apache-2.0 */
/* Every store with threads, processes, forks and sudden deaths. */
#include "store_suite.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { numbers = 24, other_size = 7000 };

static size_t size_of(unsigned number)
{
    return 500 + 2011 * (size_t)number;
}

/* About half of all blobs find room. */
static struct dnnl_cache_store_options small_store(
        const struct store_kind *kind)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(15);
    options.lock_timeout_ms = 60000;
    options.log = NULL;
    return options;
}

/* Of all workers of a test that waits for them; in memory shared with it. */
struct shared {
    atomic_bool stop;
    atomic_uint operations;
};
static struct shared *shared;

/* Puts, gets and removes at random; number of wrong answers. */
static int work(dnnl_cache_store_handle_t *store, uint64_t seed, int rounds)
{
    int wrong = 0;
    for (int i = 0; i < rounds; i++) {
        if (shared != NULL) atomic_fetch_add(&shared->operations, 1);
        const unsigned number = (unsigned)(next_random(&seed) % numbers);
        const size_t size = size_of(number);
        char id[32];
        int got;
        switch (next_random(&seed) % 8) {
        case 0:
            snprintf(id, sizeof id, "id %u", number);
            wrong += remove_id(store, id) != dnnl_success;
            break;
        case 1:
        case 2:
        case 3:
            wrong += put_number(store, number, size) != dnnl_success;
            break;
        default:
            got = get_number_quietly(store, number, size);
            wrong += got != (int)dnnl_success && got != (int)dnnl_cache_miss;
            break;
        }
    }
    return wrong;
}

/* ---- Threads ------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    dnnl_cache_store_handle_t *store;
    uint64_t seed;
    int wrong;
};

static void *work_in_thread(void *user)
{
    struct worker *worker = user;
    worker->wrong = work(worker->store, worker->seed, 300);
    return NULL;
}

STORE_TEST(Concurrent, ThreadsShareAStore)
{
    enum { threads = 8 };
    static const enum dnnl_cache_store_policy policies[] = {
            dnnl_cache_store_policy_fifo, dnnl_cache_store_policy_lru,
            dnnl_cache_store_policy_cost};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct dnnl_cache_store_options options = small_store(kind);
        const uint64_t seed = test_seed();
        struct worker workers[threads];
        options.policy = policies[p];
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        for (int i = 0; i < threads; i++) {
            workers[i] =
                    (struct worker){.store = store, .seed = seed + (uint64_t)i};
            ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL,
                                 work_in_thread, &workers[i]));
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(workers[i].thread, NULL);
            EXPECT_EQ(0, workers[i].wrong);
        }
        EXPECT_LE(kind_bytes(), options.capacity);
        kind_expect_order(kind, store);
        const struct dnnl_cache_store_statistics statistics =
                statistics_of(store);
        EXPECT_EQ(0, statistics.recounts);
        EXPECT_GT(statistics.evictions, 50);
        EXPECT_GT(statistics.hits, 100);
        EXPECT_EQ(0, statistics.damaged);
        EXPECT_EQ(0, statistics.puts_lock_timeout);
        EXPECT_EQ(0, statistics.puts_failed);
        dnnl_cache_store_close(store);
    }
}

/* ---- Processes ----------------------------------------------------------- */

static pid_t start(int (*body)(void *user), void *user)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) _exit(body(user));
    return pid;
}

struct process {
    const struct store_kind *kind;
    const struct dnnl_cache_store_options *options;
    uint64_t seed;
};

/* Opens again and again, and works with two threads: that is part of what is
 * tested. Until it is told to stop, or killed. */
static int work_in_process(void *user)
{
    const struct process *p = user;
    dnnl_cache_store_handle_t *store;
    int wrong = 0;
    uint64_t seed = p->seed;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (wrong == 0 && !(shared && atomic_load(&shared->stop))) {
        if (dnnl_cache_store_open(&store, p->kind->type, p->options)
                != dnnl_success)
            return 100;
        struct worker other = {.store = store, .seed = next_random(&seed)};
        if (pthread_create(&other.thread, NULL, work_in_thread, &other) != 0)
            return 101;
        wrong = work(store, next_random(&seed), 300);
        pthread_join(other.thread, NULL);
        wrong += other.wrong;
        dnnl_cache_store_close(store);
    }
    return wrong > 99 ? 99 : wrong;
}

/* Stops all workers to look at the files as they are at one instant. */
static void expect_within_capacity(const pid_t *pids, int count,
        const struct dnnl_cache_store_options *options)
{
    int status;
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGSTOP);
    for (int i = 0; i < count; i++)
        if (waitpid(pids[i], &status, WUNTRACED) == pids[i])
            EXPECT_TRUE(WIFSTOPPED(status));
    EXPECT_LE(kind_bytes(), options->capacity);
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGCONT);
}

/* Returns once the workers have done so much more. */
static void await_operations(unsigned more)
{
    const unsigned before = atomic_load(&shared->operations);
    for (int ms = 0; ms < 120000; ms++) {
        if (atomic_load(&shared->operations) - before >= more) return;
        usleep(1000);
    }
    test_fail(__FILE__, __LINE__, "the workers do nothing");
}

STORE_TEST(Concurrent, ProcessesShareAStore)
{
    enum { processes = 4 };
    const struct dnnl_cache_store_options options = small_store(kind);
    const uint64_t seed = test_seed();
    struct process p[processes];
    pid_t pids[processes];
    void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_TRUE(memory != MAP_FAILED);
    shared = memory;
    for (int i = 0; i < processes; i++) {
        p[i] = (struct process){kind, &options, seed + (uint64_t)i};
        pids[i] = start(work_in_process, &p[i]);
    }
    for (int i = 0; i < 150 && !test_has_failed(); i++) {
        await_operations(20);
        expect_within_capacity(pids, processes, &options);
    }
    atomic_store(&shared->stop, true);
    for (int i = 0; i < processes; i++) {
        int status = 0;
        EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(0, WEXITSTATUS(status));
    }
    munmap(shared, sizeof(*shared));
    shared = NULL;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    EXPECT_GT(check.intact, 3);
    EXPECT_EQ(0, statistics_of(store).recounts);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

/* ---- fork() -------------------------------------------------------------- */

static int put_after_fork(void *user)
{
    dnnl_cache_store_handle_t *store = user;
    int failures = 0;
    for (unsigned i = 0; i < 50; i++) {
        failures += put_number(store, 100 + i, 100) != dnnl_success;
        failures += get_number_quietly(store, 100 + i, 100) != 0;
    }
    dnnl_cache_store_close(store);
    return failures > 99 ? 99 : failures;
}

STORE_TEST(Concurrent, ParentAndChildUseOneHandle)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.lock_timeout_ms = 60000;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 200, 100));
    const pid_t pid = start(put_after_fork, store);
    for (unsigned i = 0; i < 50; i++)
        EXPECT_OK(put_number(store, i, 100));
    int status = 0;
    EXPECT_EQ(pid, waitpid(pid, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_EQ(101, count_entries(store));
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

/* The malloc() of AddressSanitizer waits in the child for threads that are not
 * there. */
#ifndef __SANITIZE_ADDRESS__

static int work_after_fork(void *user)
{
    dnnl_cache_store_handle_t *store = user;
    alarm(60); /* a child that hangs fails the test */
    const int wrong = work(store, 7, 20);
    return wrong > 99 ? 99 : wrong;
}

/* With other threads in the middle of calls. */
STORE_TEST(Concurrent, ForksAmidThreads)
{
    enum { threads = 3 };
    const struct dnnl_cache_store_options options = small_store(kind);
    const uint64_t seed = test_seed();
    struct worker workers[threads];
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (int i = 0; i < threads; i++) {
        workers[i] =
                (struct worker){.store = store, .seed = seed + (uint64_t)i};
        ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work_in_thread,
                             &workers[i]));
    }
    for (int i = 0; i < 10; i++) {
        const pid_t pid = start(work_after_fork, store);
        int status = 0;
        EXPECT_EQ(pid, waitpid(pid, &status, 0));
        EXPECT_EQ(0, status);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        EXPECT_EQ(0, workers[i].wrong);
    }
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
}

#endif /* __SANITIZE_ADDRESS__ */

/* ---- The lock ------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What waits for a lock here gives up after two minutes, or at once. */
STORE_TEST(Concurrent, AHeldLockStopsWritersNotReaders)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.lock_timeout_ms = 120000;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 100));
    const pid_t holder = kind->hold_lock();

    double began = seconds();
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_EQ(1, count_entries(store));
    EXPECT_OK(put_number(store, 1, 100)); /* unchanged: no lock needed */
    EXPECT_OK(remove_id(store, "nothing"));
    dnnl_cache_store_handle_t *second = kind_open(kind, &options);
    EXPECT_OK(get_number(second, 1, 100));
    dnnl_cache_store_close(second);
    EXPECT_TRUE(seconds() - began < 60);
    dnnl_cache_store_close(store);

    options.lock_timeout_ms = 200;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    began = seconds();
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_TRUE(seconds() - began >= 0.2);
    EXPECT_TRUE(seconds() - began < 60);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, statistics_of(store).puts_lock_timeout);

    release_lock(holder);
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_OK(get_number(store, 2, 100));
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
}

/* ---- Death --------------------------------------------------------------- */

/* The store after somebody died in it: within its capacity even now, no wrong
 * blob, nothing damaged, and ready to be written to. */
static void expect_usable(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    EXPECT_LE(kind_bytes(), options->capacity);
    dnnl_cache_store_handle_t *store = kind_open(kind, options);
    if (store == NULL) return;
    for (unsigned i = 0; i < numbers; i++) {
        int got = get_number_quietly(store, i, size_of(i));
        if (got < 0) got = get_number_quietly(store, i, other_size);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
    }
    const unsigned probe = 2 * numbers;
    EXPECT_OK(put_number(store, probe, 100));
    EXPECT_OK(get_number(store, probe, 100));
    EXPECT_OK(remove_id(store, "id 48"));
    EXPECT_LE(kind_bytes(), options->capacity);
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(0, statistics_of(store).puts_lock_timeout);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

STORE_TEST(Kill, AtARandomMoment)
{
    const struct dnnl_cache_store_options options = small_store(kind);
    uint64_t seed = test_seed();
    for (int i = 0; i < 100 && !test_has_failed(); i++) {
        struct process p = {kind, &options, next_random(&seed)};
        const pid_t pid = start(work_in_process, &p);
        usleep((unsigned)(next_random(&seed) % 12000));
        kill(pid, SIGKILL);
        int status = 0;
        EXPECT_EQ(pid, waitpid(pid, &status, 0));
        EXPECT_TRUE(WIFSIGNALED(status));
        expect_usable(kind, &options);
    }
}
