/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes on one store without an index, and their deaths. */
#include "walk_suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { numbers = 24, other_size = 7000 };

static size_t size_of(unsigned number)
{
    return 500 + 311 * (size_t)number;
}

static struct store_options small_store(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = store_limit_bytes(40000); /* about half of all */
    options.lock_timeout_ms = 60000;
    options.log = NULL;
    return options;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Puts, gets and removes at random; number of wrong answers. */
static int work(struct store *store, uint64_t seed, int rounds)
{
    int wrong = 0;
    for (int i = 0; i < rounds; i++) {
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
    struct store *store;
    uint64_t seed;
    int rounds;
    int wrong;
};

static void *work_in_thread(void *user)
{
    struct worker *worker = user;
    worker->wrong = work(worker->store, worker->seed, worker->rounds);
    return NULL;
}

enum { most_threads = 8 };

/* Number of wrong answers. */
static int work_in_threads(
        struct store *store, uint64_t seed, int threads, int rounds)
{
    struct worker workers[most_threads];
    int wrong = 0;
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){
                .store = store, .seed = next_random(&seed), .rounds = rounds};
        if (pthread_create(
                    &workers[i].thread, NULL, work_in_thread, &workers[i])
                != 0)
            abort();
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    return wrong;
}

void walk_ThreadsShareAStore(const struct walk_kind *kind)
{
    const struct store_options options = small_store(kind);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, work_in_threads(store, test_seed(), most_threads, 300));
    walk_expect_order(kind, store, &options);
    const struct store_statistics statistics = walk_statistics(store);
    EXPECT_EQ(0, statistics.damaged);
    EXPECT_EQ(0, statistics.recounts);
    EXPECT_EQ(0, statistics.puts_lock_timeout);
    EXPECT_EQ(0, statistics.puts_failed);
    EXPECT_GT(statistics.hits, 0);
    EXPECT_GT(statistics.evictions, 0);
    store_close(store);
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
    const struct walk_kind *kind;
    const struct store_options *options;
    uint64_t seed;
    /* In memory shared with the parent; NULL: works until it is killed. */
    const atomic_bool *stop;
};

static int work_in_process(void *user)
{
    const struct process *p = user;
    struct store *store;
    int wrong = 0;
    uint64_t seed = p->seed;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Opens again and again: that is part of what is tested. */
    while (wrong == 0 && !(p->stop && atomic_load(p->stop))) {
        if (p->kind->open(&store, p->options) != dnnl_success) return 100;
        wrong = work_in_threads(store, next_random(&seed), 3, 15);
        store_close(store);
    }
    return wrong > 99 ? 99 : wrong;
}

/* Stops all workers to look at the directory as it is at one instant. */
static void expect_within_capacity(
        const pid_t *pids, int count, const struct store_options *options)
{
    int status;
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGSTOP);
    for (int i = 0; i < count; i++)
        if (waitpid(pids[i], &status, WUNTRACED) == pids[i])
            EXPECT_TRUE(WIFSTOPPED(status));
    EXPECT_LE(tree_bytes(options->path), options->capacity.bytes);
    for (int i = 0; i < count; i++)
        kill(pids[i], SIGCONT);
}

void walk_ProcessesShareADirectory(const struct walk_kind *kind)
{
    enum { processes = 4 };
    const struct store_options options = small_store(kind);
    const uint64_t seed = test_seed();
    struct process p[processes];
    pid_t pids[processes];
    atomic_bool *stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_TRUE(stop != MAP_FAILED);
    for (int i = 0; i < processes; i++) {
        p[i] = (struct process){kind, &options, seed + (uint64_t)i, stop};
        pids[i] = start(work_in_process, &p[i]);
    }
    for (int i = 0; i < 100 && !test_has_failed(); i++) {
        usleep(20000);
        expect_within_capacity(pids, processes, &options);
    }
    atomic_store(stop, true);
    for (int i = 0; i < processes; i++) {
        int status = 0;
        EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(0, WEXITSTATUS(status));
    }
    munmap(stop, sizeof(*stop));
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, walk_statistics(store).recounts);
    walk_expect_order(kind, store, &options);
    store_close(store);
}

/* ---- The lock ------------------------------------------------------------ */

struct holder {
    const struct walk_kind *kind;
    int ready;
};

/* Takes the writers' lock and keeps it until it is killed. */
static int hold_lock(void *user)
{
    const struct holder *holder = user;
    char path[path_size];
    snprintf(path, sizeof path, "%s/store/%s", test_directory(),
            holder->kind->book);
    const int fd = open(path, O_RDWR);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) return 1;
    if (write(holder->ready, "!", 1) != 1) return 1;
    for (;;)
        pause();
}

void walk_AHeldLockStopsWritersNotReaders(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.lock_timeout_ms = 200;
    int ready[2];
    char byte;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 100));
    ASSERT_EQ(0, pipe(ready));
    struct holder holder = {kind, ready[1]};
    const pid_t pid = start(hold_lock, &holder);
    ASSERT_EQ(1, read(ready[0], &byte, 1));

    double began = seconds();
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_EQ(1, count_entries(store));
    EXPECT_OK(put_number(store, 1, 100)); /* unchanged: no lock needed */
    EXPECT_OK(remove_id(store, "nothing"));
    struct store *second = walk_open(kind, &options);
    EXPECT_OK(get_number(second, 1, 100));
    store_close(second);
    EXPECT_TRUE(seconds() - began < 0.15);

    began = seconds();
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_TRUE(seconds() - began >= 0.2);
    EXPECT_TRUE(seconds() - began < 5);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, walk_statistics(store).puts_lock_timeout);

    /* The kernel frees the lock of the dead at once. */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_OK(get_number(store, 2, 100));
    EXPECT_EQ(0, walk_statistics(store).recounts);
    close(ready[0]);
    close(ready[1]);
    store_close(store);
}

/* ---- Death --------------------------------------------------------------- */

/* The store after somebody died in it: within its capacity even now, no wrong
 * blob, and in order after one more put. */
static void expect_usable(
        const struct walk_kind *kind, const struct store_options *options)
{
    EXPECT_LE(tree_bytes(options->path), options->capacity.bytes);
    const double began = seconds();
    struct store *store = walk_open(kind, options);
    if (store == NULL) return;
    EXPECT_TRUE(seconds() - began < 1);
    for (unsigned i = 0; i < numbers; i++) {
        int got = get_number_quietly(store, i, size_of(i));
        if (got < 0) got = get_number_quietly(store, i, other_size);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
    }
    EXPECT_OK(put_number(store, 2 * numbers, 100));
    EXPECT_OK(get_number(store, 2 * numbers, 100));
    EXPECT_OK(remove_id(store, "id 48"));
    walk_expect_order(kind, store, options);
    struct store_check check;
    EXPECT_OK(store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(count_entries(store), check.intact);
    EXPECT_EQ(0, walk_statistics(store).damaged);
    EXPECT_EQ(0, walk_statistics(store).puts_lock_timeout);
    store_close(store);
}

void walk_AtARandomMoment(const struct walk_kind *kind)
{
    const struct store_options options = small_store(kind);
    uint64_t seed = test_seed();
    for (int i = 0; i < 120 && !test_has_failed(); i++) {
        struct process p = {kind, &options, next_random(&seed), NULL};
        const pid_t pid = start(work_in_process, &p);
        usleep((unsigned)(next_random(&seed) % 8000));
        kill(pid, SIGKILL);
        int status = 0;
        EXPECT_EQ(pid, waitpid(pid, &status, 0));
        EXPECT_TRUE(WIFSIGNALED(status));
        expect_usable(kind, &options);
    }
}

struct traced {
    struct store *store;
    unsigned number;
};

static int put_traced(void *user)
{
    const struct traced *t = user;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) return 77;
    raise(SIGSTOP);
    put_number(t->store, t->number, size_of(t->number));
    return 0;
}

/* Lets the child make `stops` stops at the entry or exit of system calls, then
 * kills it. False if it ended before. */
static bool kill_after(pid_t pid, int stops)
{
    int status = 0;
    for (int i = 0; i < stops; i++) {
        if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0) return false;
        if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            return false;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return true;
}

/* Every state the directory passes through when entry `number` is put and
 * others have to go. */
void walk_BeforeAndAfterEverySystemCall(const struct walk_kind *kind)
{
    const struct store_options options = small_store(kind);
    int killed = 0;
    for (int stops = 0; stops < 2000 && !test_has_failed(); stops++) {
        struct store *store = walk_open(kind, &options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 15; i < 21; i++)
            EXPECT_OK(put_number(store, i, size_of(i)));
        /* A new entry, and a replaced one. */
        struct traced traced = {store, stops % 2 != 0 ? 20 : 23};
        if (traced.number == 20) EXPECT_OK(put_number(store, 20, other_size));
        const pid_t pid = start(put_traced, &traced);
        int status = 0;
        EXPECT_EQ(pid, waitpid(pid, &status, 0));
        if (WIFEXITED(status)) {
            store_close(store);
            SKIP_TEST("tracing is not allowed here");
        }
        const bool died = kill_after(pid, stops / 2);
        killed += died;
        store_close(store);
        expect_usable(kind, &options);
        if (!died && stops % 2 != 0) break;
    }
    EXPECT_GT(killed, 50);
}
