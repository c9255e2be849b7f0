/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes of many threads on one store, watched: never a wrong or a torn
 * blob, never a byte above the capacity, and recorded sizes that are right at
 * the end.
 */
#include "scenes.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { numbers = 200, most_processes = 32, most_threads = 4 };

/* In memory of all processes. */
struct tally {
    atomic_bool stop;
    atomic_uint_fast64_t gets, hits, wrong, puts, failed, evictions, recounts,
            damaged, timeouts;
};

struct plan {
    int processes;
    int threads;
    uint64_t operations; /* between two observations */
    unsigned observations;
    uint64_t evictions; /* at least */
};

static size_t size_of(unsigned number)
{
    return 300 + 37 * (size_t)number;
}

/* Room for about five sixths of all blobs, so that stores which evict down to
 * half of it still hit more often than not; by each kind's own policy. */
static struct dnnl_cache_store_options options_of_test(
        const struct store_kind *kind)
{
    const struct dnnl_cache_store_options place = kind_options(kind);
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    uint64_t all = 0;
    for (unsigned i = 0; i < numbers; i++)
        all += size_of(i) + kind->stress_extra;
    options.path = place.path;
    options.capacity = all * 5 / 6 + kind->stress_fixed;
    options.lock_timeout_ms = 120000;
    return options;
}

/* ---- A worker ------------------------------------------------------------ */

struct worker {
    pthread_t thread;
    dnnl_cache_store_handle_t *store;
    struct tally *tally;
    uint64_t seed;
};

static void *work(void *user)
{
    struct worker *w = user;
    struct tally *t = w->tally;
    while (!atomic_load(&t->stop)) {
        const unsigned number = (unsigned)(next_random(&w->seed) % numbers);
        if (next_random(&w->seed) % 4 == 0) {
            atomic_fetch_add(&t->puts, 1);
            if (put_number(w->store, number, size_of(number)) != dnnl_success)
                atomic_fetch_add(&t->failed, 1);
            continue;
        }
        const int got = get_number_quietly(w->store, number, size_of(number));
        atomic_fetch_add(&t->gets, 1);
        if (got == (int)dnnl_success) atomic_fetch_add(&t->hits, 1);
        if (got < 0) atomic_fetch_add(&t->wrong, 1);
        if (got > 0 && got != (int)dnnl_cache_miss)
            atomic_fetch_add(&t->failed, 1);
    }
    return NULL;
}

static int work_in_process(const struct store_kind *kind,
        const struct plan *plan, const struct dnnl_cache_store_options *options,
        struct tally *tally, uint64_t seed)
{
    struct worker workers[most_threads];
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dnnl_cache_store_open(&store, kind->type, options) != dnnl_success)
        return 100;
    for (int i = 0; i < plan->threads; i++) {
        workers[i] = (struct worker){
                .store = store, .tally = tally, .seed = next_random(&seed)};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 101;
    }
    for (int i = 0; i < plan->threads; i++)
        pthread_join(workers[i].thread, NULL);
    if (dnnl_cache_store_get_statistics(store, &s) != dnnl_success) return 102;
    atomic_fetch_add(&tally->evictions, s.evictions);
    atomic_fetch_add(&tally->recounts, s.recounts);
    atomic_fetch_add(&tally->damaged, s.damaged);
    atomic_fetch_add(&tally->timeouts, s.puts_lock_timeout);
    dnnl_cache_store_close(store);
    return 0;
}

/* ---- The watch ----------------------------------------------------------- */

/* Stops all to look at the directory as it is at one instant. */
static uint64_t observe(const pid_t *pids, int count)
{
    int status;
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGSTOP);
    for (int i = 0; i < count; i++)
        while (waitpid(pids[i], &status, WUNTRACED) == pids[i]
                && !WIFSTOPPED(status) && !WIFEXITED(status))
            continue;
    const uint64_t bytes = kind_bytes();
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGCONT);
    return bytes;
}

static uint64_t operations(const struct tally *t)
{
    return atomic_load(&t->gets) + atomic_load(&t->puts);
}

static void await_operations(const struct tally *t, uint64_t more)
{
    const uint64_t before = operations(t);
    for (int ms = 0; ms < 120000; ms++) {
        if (operations(t) - before >= more) return;
        usleep(1000);
    }
    test_fail(__FILE__, __LINE__, "the workers do nothing");
}

static void watch(const struct plan *plan, const pid_t *pids,
        const struct dnnl_cache_store_options *options,
        const struct tally *tally)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < plan->observations && !test_has_failed(); i++) {
        await_operations(tally, plan->operations);
        const uint64_t bytes = observe(pids, plan->processes);
        EXPECT_LE(bytes, options->capacity);
        if (bytes > most) most = bytes;
    }
    printf("%u observations, at most %llu of %llu bytes\n", plan->observations,
            (unsigned long long)most, (unsigned long long)options->capacity);
    EXPECT_GT(most, options->capacity / 2);
}

static void expect_good_end(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_LE(kind_bytes(), options->capacity);
    dnnl_cache_store_handle_t *store = kind_open(kind, options);
    ASSERT_NOT_NULL(store);
    kind_expect_order(kind, store);
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    EXPECT_GT(check.intact, numbers / 3);
    dnnl_cache_store_close(store);
}

static void expect_tally(const struct plan *plan, const struct tally *t)
{
    printf("%llu gets, %llu hits, %llu puts, %llu evictions\n",
            (unsigned long long)t->gets, (unsigned long long)t->hits,
            (unsigned long long)t->puts, (unsigned long long)t->evictions);
    EXPECT_EQ(0, t->wrong);
    EXPECT_EQ(0, t->failed);
    EXPECT_EQ(0, t->damaged);
    EXPECT_EQ(0, t->recounts);
    EXPECT_EQ(0, t->timeouts);
    EXPECT_GE(t->evictions, plan->evictions);
    EXPECT_GE(2 * t->hits, t->gets);
    EXPECT_GT(t->gets, 100);
}

STORE_TEST(Proof, ManyProcessesOfManyThreads)
{
    const struct plan in_full = {most_processes, most_threads, 200, 1000, 1000};
    const struct plan in_short = {8, 2, 60, 40, 20};
    const struct plan plan = is_long_run() ? in_full : in_short;
    const struct dnnl_cache_store_options options = options_of_test(kind);
    uint64_t seed = test_seed();
    pid_t pids[most_processes];
    struct tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_TRUE(tally != MAP_FAILED);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < numbers; i++)
        EXPECT_OK(put_number(store, i, size_of(i)));
    dnnl_cache_store_close(store);
    fflush(NULL);
    for (int i = 0; i < plan.processes; i++) {
        const uint64_t own = next_random(&seed);
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(work_in_process(kind, &plan, &options, tally, own));
    }
    watch(&plan, pids, &options, tally);
    atomic_store(&tally->stop, true);
    for (int i = 0; i < plan.processes; i++) {
        int status = 0;
        EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
        EXPECT_EQ(0, status);
    }
    expect_tally(&plan, tally);
    expect_good_end(kind, &options);
    munmap(tally, sizeof *tally);
}
