/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every store, and a chain of two, in a process with a small limit: for the
 * size of files, for descriptors, for memory; in one that a timer interrupts;
 * below mounts that change. The process lives, is sent no signal because of the
 * store, gets nothing wrong, and leaves a store that others can use.
 */
#include "store_suite.h"

#include "dnnl_cache/chain_store.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { small_blob = 1000, large_blob = 50000, wrong = 1 };

struct limited {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
    unsigned resource;
    rlim_t limit;
    bool chained;
    dnnl_cache_store_handle_t *store; /* of those that share it */
};

/* What names a resource is an enumeration in glibc, an int in musl. */
static int set_limit(const struct limited *l)
{
    const struct rlimit limit = {l->limit, l->limit};
    switch (l->resource) {
    case RLIMIT_AS:
        return setrlimit(RLIMIT_AS, &limit);
    case RLIMIT_FSIZE:
        return setrlimit(RLIMIT_FSIZE, &limit);
    case RLIMIT_MEMLOCK:
        return setrlimit(RLIMIT_MEMLOCK, &limit);
    case RLIMIT_NOFILE:
        return setrlimit(RLIMIT_NOFILE, &limit);
    default:
        return -1;
    }
}

static volatile sig_atomic_t signals_seen;

static void count_signal(int number)
{
    (void)number;
    signals_seen++;
}

/* What the application has of signals must be as before. */
struct signals {
    sigset_t mask;
    sigset_t pending;
};

static void look_at_signals(struct signals *signals)
{
    sigprocmask(SIG_SETMASK, NULL, &signals->mask);
    sigpending(&signals->pending);
}

static bool are_equal(const struct signals *a, const struct signals *b)
{
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&a->mask, number) != sigismember(&b->mask, number)
                || sigismember(&a->pending, number)
                           != sigismember(&b->pending, number))
            return false;
    return true;
}

static bool is_answer(dnnl_status_t st)
{
    return st == dnnl_success || st == dnnl_cache_miss
           || st == dnnl_out_of_memory || st == dnnl_runtime_error;
}

static bool pass_by(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)user;
    (void)item;
    return true;
}

/* Each call once or more; what is wrong with the answers. */
static int use(dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    uint64_t removed;
    int failures = 0;
    for (unsigned i = 0; i < 6; i++) {
        const size_t size = i % 2 == 0 ? small_blob : large_blob;
        const dnnl_status_t put = put_number(store, i, size);
        const int get = get_number_quietly(store, i, size);
        failures += !is_answer(put);
        failures += get < 0 || !is_answer((dnnl_status_t)get);
    }
    failures += get_number_quietly(store, 50, small_blob) < 0;
    failures += !is_answer(remove_id(store, "id 0"));
    failures += !is_answer(dnnl_cache_store_iterate(store, pass_by, NULL));
    failures += !is_answer(
            dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    failures += !is_answer(
            dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    failures +=
            !is_answer(dnnl_cache_store_trim(store, 1000000, 1000, &removed));
    return failures;
}

static dnnl_cache_store_handle_t *open_limited(
        const struct limited *l, dnnl_cache_store_handle_t *members[2])
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    struct dnnl_cache_store_options second = l->options;
    char path[path_size];
    members[0] = members[1] = NULL;
    if (dnnl_cache_store_open(&members[0], l->kind->type, &l->options)
            != dnnl_success)
        return NULL;
    if (!l->chained) return members[0];
    second.path = path_in_test(path, "second");
    (void)dnnl_cache_store_open(&members[1], l->kind->type, &second);
    const struct dnnl_cache_store_chain_member list[] = {
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = members[0],
                    .role = dnnl_cache_store_chain_role_write},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = members[1],
                    .role = dnnl_cache_store_chain_role_write}};
    if (dnnl_cache_store_open_chain(&store, list, 2, &options) != dnnl_success)
        return NULL;
    return store;
}

static int use_limited(void *user)
{
    const struct limited *l = user;
    struct signals before;
    struct signals after;
    dnnl_cache_store_handle_t *members[2];
    int failures = 0;
    look_at_signals(&before);
    if (set_limit(l) != 0) return 77;
    dnnl_cache_store_handle_t *store = open_limited(l, members);
    if (store != NULL) failures = use(store);
    if (store != members[0]) dnnl_cache_store_close(store);
    dnnl_cache_store_close(members[0]);
    dnnl_cache_store_close(members[1]);
    look_at_signals(&after);
    failures += !are_equal(&before, &after);
    failures += signals_seen;
    return failures > 0 ? wrong : 0;
}

/* Without a limit the store works, and has what the parent put. */
static void expect_in_order(const struct limited *l)
{
    dnnl_cache_store_handle_t *store = kind_open(l->kind, &l->options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1000, small_blob));
    EXPECT_OK(put_number(store, 1001, large_blob));
    EXPECT_OK(get_number(store, 1001, large_blob));
    kind_expect_order(l->kind, store);
    EXPECT_OK(remove_id(store, "id 1001"));
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
}

static void expect_unharmed(struct limited *l, rlim_t limit)
{
    l->limit = limit;
    const int result = in_child(use_limited, l);
    EXPECT_NE(77, result);
    EXPECT_EQ(0, result);
    expect_in_order(l);
    if (test_has_failed())
        printf("%s%s, resource %u, limit %llu: %d\n",
                l->chained ? "chain of " : "", l->options.path, l->resource,
                (unsigned long long)limit, result);
}

static struct limited begin(const struct store_kind *kind, unsigned resource)
{
    struct limited l = {kind, kind_options(kind), resource, 0, false, NULL};
    l.options.log = NULL; /* the harness's output has limits, too */
    l.options.policy = dnnl_cache_store_policy_lru;
    l.options.capacity = 1000000;
    l.options.lock_timeout_ms = 100;
    dnnl_cache_store_handle_t *store = kind_open(kind, &l.options);
    if (store != NULL) EXPECT_OK(put_number(store, 1000, small_blob));
    dnnl_cache_store_close(store);
    return l;
}

static const rlim_t file_limits[] = {0, 1, 16, 39, 40, 100, 511, 512, 1000,
        1024, 1100, 1536, 4096, 8191, 8192, 12288, 20000, 49152, 50000, 51000,
        60000, 100000};
enum { file_limit_count = sizeof file_limits / sizeof *file_limits };

/* The way most processes have it: the signal would end them. */
STORE_TEST(Limit, OfFileSizesKillsNobody)
{
    struct limited l = begin(kind, RLIMIT_FSIZE);
    for (int i = 0; i < file_limit_count && !test_has_failed(); i++)
        expect_unharmed(&l, file_limits[i]);
    l.chained = true;
    for (int i = 0; i < file_limit_count && !test_has_failed(); i += 3)
        expect_unharmed(&l, file_limits[i]);
}

static int use_with_handler(void *user)
{
    const struct sigaction action = {.sa_handler = count_signal};
    if (sigaction(SIGXFSZ, &action, NULL) != 0) return 77;
    return use_limited(user);
}

/* An application's own handler is not called for what the store writes. */
STORE_TEST(Limit, OfFileSizesCallsNoHandler)
{
    struct limited l = begin(kind, RLIMIT_FSIZE);
    for (int i = 0; i < file_limit_count; i += 4) {
        l.limit = file_limits[i];
        EXPECT_EQ(0, in_child(use_with_handler, &l));
    }
    expect_in_order(&l);
}

/* The application has blocked the signal, and one of its own waits. */
static int use_with_pending(void *user)
{
    sigset_t set;
    sigset_t waiting;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGXFSZ);
    const int result = use_limited(user);
    sigpending(&waiting);
    return result == 0 && sigismember(&waiting, SIGXFSZ) != 1 ? wrong : result;
}

STORE_TEST(Limit, OfFileSizesTakesNoSignalOfTheApplications)
{
    struct limited l = begin(kind, RLIMIT_FSIZE);
    l.limit = 1000;
    EXPECT_EQ(0, in_child(use_with_pending, &l));
    expect_in_order(&l);
}

STORE_TEST(Limit, OfDescriptorsKillsNobody)
{
    struct limited l = begin(kind, RLIMIT_NOFILE);
    for (rlim_t limit = 0; limit < 16 && !test_has_failed(); limit++)
        expect_unharmed(&l, limit);
    l.chained = true;
    for (rlim_t limit = 0; limit < 20 && !test_has_failed(); limit += 3)
        expect_unharmed(&l, limit);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
STORE_TEST(Limit, OfMemoryKillsNobody)
{
    (void)kind;
    SKIP_TEST("a sanitizer needs all of the address space");
}
#else
static rlim_t pages_in_use(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f != NULL) {
        if (fscanf(f, "%lu", &pages) != 1) pages = 0;
        fclose(f);
    }
    return pages;
}

STORE_TEST(Limit, OfMemoryKillsNobody)
{
    const rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
    struct limited l = begin(kind, RLIMIT_AS);
    for (rlim_t more = 0; more < 64 && !test_has_failed(); more += 6)
        expect_unharmed(&l, (pages_in_use() + more) * page);
}
#endif

/* Many threads beyond the limit at once: each takes its own signal. */
static void *put_large(void *user)
{
    const struct limited *l = user;
    for (unsigned i = 0; i < 20; i++)
        (void)put_number(l->store, i, large_blob);
    return NULL;
}

static int use_in_threads(void *user)
{
    enum { count = 8 };
    struct limited *l = user;
    pthread_t threads[count];
    if (set_limit(l) != 0) return 77;
    if (dnnl_cache_store_open(&l->store, l->kind->type, &l->options)
            != dnnl_success)
        return wrong;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, put_large, l) != 0) return 77;
    for (int i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    dnnl_cache_store_close(l->store);
    return 0;
}

STORE_TEST(Limit, OfFileSizesKillsNoThread)
{
    struct limited l = begin(kind, RLIMIT_FSIZE);
    l.limit = 20000;
    EXPECT_EQ(0, in_child(use_in_threads, &l));
    expect_in_order(&l);
}

/* Locked memory: a key is kept in some, where there is some. */
STORE_TEST(Limit, OfLockedMemoryKillsNobody)
{
    char path[path_size];
    struct limited l;
    EXPECT_OK(dnnl_cache_store_key_file_make(path_in_test(path, "key")));
    l = begin(kind, RLIMIT_MEMLOCK);
    remove_path(l.options.path);
    l.options.key_file = path;
    dnnl_cache_store_handle_t *store = kind_open(kind, &l.options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1000, small_blob));
    dnnl_cache_store_close(store);
    expect_unharmed(&l, 0);
}

/* ---- Interruptions ------------------------------------------------------- */

/* A profiler's timer, without SA_RESTART: no call fails because of it. */
static int use_interrupted(void *user)
{
    const struct limited *l = user;
    const struct sigaction action = {.sa_handler = count_signal};
    const struct itimerval often = {{0, 100}, {0, 100}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    dnnl_cache_store_handle_t *store = NULL;
    int failures = 0;
    if (sigaction(SIGALRM, &action, NULL) != 0
            || setitimer(ITIMER_REAL, &often, NULL) != 0)
        return 77;
    for (unsigned round = 0; round < 5; round++) {
        failures += dnnl_cache_store_open(&store, l->kind->type, &l->options)
                    != dnnl_success;
        for (unsigned i = 0; store != NULL && i < 10; i++) {
            failures += put_number(store, 10 * round + i, large_blob)
                        != dnnl_success;
            failures += get_number_quietly(store, 10 * round + i, large_blob)
                        != dnnl_success;
        }
        failures += remove_id(store, "id 3") != dnnl_success;
        dnnl_cache_store_close(store);
        store = NULL;
    }
    (void)setitimer(ITIMER_REAL, &never, NULL);
    return failures > 0 || signals_seen < 10 ? wrong : 0;
}

STORE_TEST(Interruption, IsNoFailure)
{
    struct limited l = begin(kind, RLIMIT_NOFILE);
    l.options.capacity = 4000000;
    l.options.lock_timeout_ms = 10000;
    EXPECT_EQ(0, in_child(use_interrupted, &l));
    expect_in_order(&l);
}

/* ---- Mounts -------------------------------------------------------------- */

/* Says where. */
static int note_wrong(int line, bool is_wrong)
{
    if (is_wrong) fprintf(stderr, "%s:%d: wrong\n", __FILE__, line);
    return is_wrong;
}

static int use_read_only(const struct limited *l)
{
    int failures = 0;
    failures += note_wrong(
            __LINE__, !is_answer(put_number(l->store, 61, small_blob)));
    failures += note_wrong(__LINE__,
            get_number_quietly(l->store, 61, small_blob) == dnnl_success);
    failures += note_wrong(__LINE__,
            get_number_quietly(l->store, 60, small_blob) != dnnl_success);
    failures += note_wrong(__LINE__, use(l->store) != 0);
    return failures;
}

/* The file system becomes read-only while the store is open, as a disk does
 * after an error; and then something else is mounted over it. */
static int use_remounted(void *user)
{
    struct limited *l = user;
    char root[path_size];
    int failures = 0;
    path_in_test(root, "store");
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", root, "tmpfs", 0, "size=4m,mode=0700") != 0)
        return 77;
    if (dnnl_cache_store_open(&l->store, l->kind->type, &l->options)
            != dnnl_success)
        return wrong;
    failures += note_wrong(
            __LINE__, put_number(l->store, 60, small_blob) != dnnl_success);
    /* Not with a file that is open to be written to, as a pack's is. */
    if (mount("none", root, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0) {
        failures += use_read_only(l);
        if (mount("none", root, NULL, MS_REMOUNT, "mode=0700") != 0) return 77;
    } else if (!l->kind->keeps_connections) {
        return 77;
    }
    failures += note_wrong(
            __LINE__, put_number(l->store, 61, small_blob) != dnnl_success);
    failures += note_wrong(__LINE__,
            get_number_quietly(l->store, 61, small_blob) != dnnl_success);
    if (mount("none", root, "tmpfs", 0, "size=4m,mode=0700") != 0) return 77;
    failures += note_wrong(__LINE__, use(l->store) != 0);
    dnnl_cache_store_close(l->store);
    return failures > 0 ? wrong : 0;
}

STORE_TEST(Mount, ThatChangesUnderAnOpenStoreHarmsNobody)
{
    struct limited l = begin(kind, RLIMIT_NOFILE);
    const int result = in_child(use_remounted, &l);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}
