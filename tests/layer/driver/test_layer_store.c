/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applications and the store: many that start at once, some that are killed,
 * files that are damaged, removed or not to be written. Each gets its programs.
 */
#include "application.h"

#include "dnnl_cache/store.h"
#include "layer_process.h"
#include "own_descriptors.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAMS = 6, KINDS = 4 };

static const struct kind {
    const char *variable;
    const char *type;
} kinds[KINDS] = {
        {"DNNL_CACHE_STORE=flat", "flat"},
        {"DNNL_CACHE_STORE=bucket", "bucket"},
        {"DNNL_CACHE_STORE=tree", "tree"},
        {"DNNL_CACHE_STORE=pack", "pack"},
};

/* What is compiled is between two numbers. */
struct range {
    unsigned long least;
    unsigned long most;
};

static struct range all = {PROGRAMS, PROGRAMS};
static struct range none = {0, 0};
static struct range any = {0, PROGRAMS};

static void use_programs(void *user)
{
    const struct range *range = user;
    struct application a;
    application_open(&a, 1);
    for (int i = 0; i < PROGRAMS; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%d", i);
        use_program(&a, kernel, "-DX=1");
    }
    EXPECT_GE(source_builds(&a), range->least);
    EXPECT_LE(source_builds(&a), range->most);
    application_close(&a);
}

static void store_path(char path[512])
{
    (void)snprintf(path, 512, "%s/store", test_directory());
}

/* While applications run they may make again what was removed. */
static int try_to_remove_all(void)
{
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'/store* 2>/dev/null",
            test_directory());
    return system(command);
}

static void remove_all(void)
{
    ASSERT_EQ(0, try_to_remove_all());
}

static void remove_own(void)
{
    char command[600];
    (void)snprintf(
            command, sizeof command, "rm -rf '%s'/own*", test_directory());
    ASSERT_EQ(0, system(command));
}

/* ---- Many at once -------------------------------------------------------- */

static bool count_item(void *user, const struct dnnl_cache_store_entry *item)
{
    EXPECT_EQ(dnnl_cache_blob_kind_program, item->kind);
    EXPECT_GT(item->compile_ns, 1000000); /* 20 ms, here */
    ++*(unsigned *)user;
    return true;
}

static dnnl_status_t open_to_read(
        dnnl_cache_store_handle_t **store, const struct kind *kind)
{
    char path[512];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    store_path(path);
    options.path = path;
    options.read_only = true;
    return dnnl_cache_store_open(store, kind->type, &options);
}

/* Each entry once, and all of them intact. */
static void expect_entries(const struct kind *kind, unsigned expected)
{
    unsigned count = 0;
    dnnl_cache_store_handle_t *store;
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    ASSERT_STATUS(dnnl_success, open_to_read(&store, kind));
    EXPECT_STATUS(
            dnnl_success, dnnl_cache_store_iterate(store, count_item, &count));
    EXPECT_STATUS(dnnl_success,
            dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    dnnl_cache_store_close(store);
    EXPECT_EQ(expected, count);
    EXPECT_EQ(expected, check.intact);
    EXPECT_EQ(0, check.damaged);
}

static void start_many(const struct kind *kind)
{
    enum { count = 16 };
    const char *const variables[] = {kind->variable, NULL};
    pid_t processes[count];
    forget_counts();
    for (int i = 0; i < count; i++)
        processes[i] = start_application(variables, use_programs, &any);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(0, layer_process_wait(processes[i]));
    EXPECT_EQ(count * PROGRAMS,
            counted_by_all("hits") + counted_by_all("misses"));
    EXPECT_GE(counted_by_all("kept"), PROGRAMS);
    EXPECT_EQ(0, counted_by_all("store_failures"));
    expect_entries(kind, PROGRAMS);
    ASSERT_EQ(0, run_application(variables, use_programs, &none));
    EXPECT_EQ(PROGRAMS, counted("hits"));
}

TEST_C(LayerStore, SixteenProcessesStartColdAtOnce)
{
    for (size_t i = 0; i < KINDS; i++) {
        start_many(&kinds[i]);
        remove_all();
    }
}

/* ---- Killed -------------------------------------------------------------- */

/* At any time from its start to its end. */
static void kill_one(const char *const *variables, unsigned *seed)
{
    const pid_t process = start_application(variables, use_programs, &any);
    const struct timespec a_while = {.tv_nsec = rand_r(seed) % 250000000};
    nanosleep(&a_while, NULL);
    (void)kill(process, SIGKILL);
    const int status = layer_process_wait(process);
    EXPECT_TRUE(status == 0 || status == 128 + SIGKILL);
}

/* Who is killed four times in the middle of one load has that program compiled
 * for a while: nobody can know that it was not the load. */
static void use_once_more(const char *const *variables)
{
    ASSERT_EQ(0, run_application(variables, use_programs, &any));
    ASSERT_EQ(0, run_application(variables, use_programs, &any));
    EXPECT_EQ(PROGRAMS, counted("hits") + missed_by("quarantined"));
    EXPECT_GE(counted("hits"), PROGRAMS - 1);
}

TEST_C(LayerStore, KilledProcessesLeaveItUsable)
{
    unsigned seed = (unsigned)test_seed();
    for (size_t i = 0; i < KINDS; i++) {
        const char *const variables[] = {
                kinds[i].variable, "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
        for (int round = 0; round < 12; round++)
            kill_one(variables, &seed);
        use_once_more(variables);
        remove_all();
    }
}

/* ---- Damaged ------------------------------------------------------------- */

/* How one file is damaged; nftw() has no pointer for its caller. */
static void (*damage)(const char *path, off_t size);
static unsigned damaged;

static void cut_short(const char *path, off_t size)
{
    EXPECT_EQ(0, truncate(path, size / 2));
}

static void empty(const char *path, off_t size)
{
    (void)size;
    EXPECT_EQ(0, truncate(path, 0));
}

static void flip(const char *path, off_t size)
{
    char byte;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    ASSERT_TRUE(fd >= 0);
    EXPECT_EQ(1, pread(fd, &byte, 1, size / 3));
    byte = (char)(byte ^ 0x10);
    EXPECT_EQ(1, pwrite(fd, &byte, 1, size / 3));
    close(fd);
}

static void remove_file(const char *path, off_t size)
{
    (void)size;
    EXPECT_EQ(0, unlink(path));
}

static int visit_file(
        const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)where;
    if (type != FTW_F || st->st_size == 0) return 0;
    damage(path, st->st_size);
    damaged++;
    return 0;
}

static void damage_all(void (*how)(const char *path, off_t size))
{
    char path[512];
    store_path(path);
    damage = how;
    damaged = 0;
    EXPECT_EQ(0, nftw(path, visit_file, 16, FTW_PHYS));
    EXPECT_GT(damaged, 0);
}

TEST_C(LayerStore, DamageToEveryFileIsCompiledAndMended)
{
    static void (*const ways[])(const char *, off_t) = {
            cut_short, empty, flip, remove_file};
    for (size_t i = 0; i < KINDS; i++) {
        const char *const variables[] = {kinds[i].variable, NULL};
        ASSERT_EQ(0, run_application(variables, use_programs, &all));
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            damage_all(ways[way]);
            ASSERT_EQ(0, run_application(variables, use_programs, &any));
            ASSERT_EQ(0, run_application(variables, use_programs, &none));
            EXPECT_EQ(PROGRAMS, counted("hits"));
        }
        remove_all();
    }
}

static void flip_entry(const char *path, off_t size)
{
    if (strstr(path, ".cl_cache") != NULL) flip(path, size);
}

/* Where the store's own files are in order: what is counted anew may be cleared
 * away instead. */
TEST_C(LayerStore, DamagedEntriesAreCountedAsDamaged)
{
    char trace[600];
    const char *const variables[] = {kinds[0].variable, trace, NULL};
    (void)snprintf(
            trace, sizeof trace, "DNNL_CACHE_TRACE=%s/trace", test_directory());
    ASSERT_EQ(0, run_application(variables, use_programs, &all));
    EXPECT_EQ(PROGRAMS, missed_by("missing"));
    damage_all(flip_entry);
    ASSERT_EQ(0, run_application(variables, use_programs, &all));
    EXPECT_EQ(PROGRAMS, missed_by("damaged"));
    EXPECT_EQ(0, missed_by("missing"));
    EXPECT_EQ(PROGRAMS, counted("kept"));
    char *told = layer_process_read_file(strchr(trace, '/'));
    ASSERT_NOT_NULL(told);
    EXPECT_NOT_NULL(strstr(
            told, ": miss, damaged: compiled again and replaced, kernels "));
    free(told);
    ASSERT_EQ(0, run_application(variables, use_programs, &none));
}

/* ---- Removed under way --------------------------------------------------- */

/* The whole of it, again and again, while its applications run. */
TEST_C(LayerStore, MayBeRemovedAtAnyTime)
{
    for (size_t i = 0; i < KINDS; i++) {
        enum { count = 6 };
        const char *const variables[] = {
                kinds[i].variable, "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
        pid_t processes[count];
        for (int p = 0; p < count; p++)
            processes[p] = start_application(variables, use_programs, &any);
        for (int round = 0; round < 10; round++)
            (void)try_to_remove_all();
        for (int p = 0; p < count; p++)
            EXPECT_EQ(0, layer_process_wait(processes[p]));
        ASSERT_EQ(0, run_application(variables, use_programs, &any));
        ASSERT_EQ(0, run_application(variables, use_programs, &none));
        remove_all();
    }
}

/* ---- Not to be written --------------------------------------------------- */

static void use_one_more(void *user)
{
    struct application a;
    EXPECT_TRUE(test_drop_capabilities());
    application_open(&a, 1);
    use_program(&a, "k0", "-DX=1");
    EXPECT_EQ(0, source_builds(&a));
    use_program(&a, "another", "-DX=1");
    EXPECT_EQ(1, source_builds(&a));
    application_close(&a);
    (void)user;
}

TEST_C(LayerStore, ThatIsReadOnlyIsRead)
{
    char command[600];
    for (size_t i = 0; i < KINDS; i++) {
        const char *const variables[] = {kinds[i].variable, NULL};
        ASSERT_EQ(0, run_application(variables, use_programs, &all));
        (void)snprintf(command, sizeof command,
                "cd '%s' && chmod 755 . && chmod -R a-w,a+rX store*",
                test_directory());
        ASSERT_EQ(0, system(command));
        for (int round = 0; round < 2; round++) {
            ASSERT_EQ(0, run_application(variables, use_one_more, NULL));
            EXPECT_EQ(1, counted("hits"));
            EXPECT_EQ(1, missed_by("missing"));
            EXPECT_EQ(1, counted("store"));
            EXPECT_EQ(0, counted("capture_ns")); /* it is known before */
        }
        expect_entries(&kinds[i], PROGRAMS);
        (void)snprintf(command, sizeof command, "chmod -R u+w '%s'/store*",
                test_directory());
        ASSERT_EQ(0, system(command));
        remove_all();
    }
}

/* ---- Full ---------------------------------------------------------------- */

static void use_with_full_disk(void *user)
{
    /* More than statistics need, and less than any entry. */
    struct rlimit limit = {1000, RLIM_INFINITY};
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
    use_programs(user);
#ifdef DNNL_CACHE_COVERAGE
    /* The counts that the compiler's own code writes when the process ends. */
    limit.rlim_cur = RLIM_INFINITY;
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
#endif
}

/* ---- An application that closes what it does not know -------------------- */

/* A daemon, cold and warm. */
struct daemon {
    const struct kind *kind;
    const struct range *range;
    unsigned entries; /* that are to be in the store */
};

/* In a process of its own: the one that it is forked from keeps its descriptors
 * and locks. */
static int has_entries(void *user)
{
    const struct daemon *daemon = user;
    unsigned count = 0;
    dnnl_cache_store_handle_t *store;
    if (open_to_read(&store, daemon->kind) != dnnl_success) return 77;
    (void)dnnl_cache_store_iterate(store, count_item, &count);
    dnnl_cache_store_close(store);
    return count >= daemon->entries ? 0 : 77;
}

/* The letter after the name: S, it sleeps. */
static bool sleeps(const char *task)
{
    char path[300], line[256] = "";
    (void)snprintf(path, sizeof path, "/proc/self/task/%s/stat", task);
    FILE *file = fopen(path, "r");
    if (file == NULL) return true; /* it has ended */
    const size_t n = fread(line, 1, sizeof line - 1, file);
    (void)fclose(file);
    line[n] = '\0';
    const char *state = strrchr(line, ')');
    return state != NULL && strncmp(state, ") S", 3) == 0;
}

static bool other_threads_sleep(void)
{
    char own[32];
    bool all_sleep = true;
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL) return false;
    (void)snprintf(own, sizeof own, "%d", (int)getpid());
    for (const struct dirent *entry = readdir(folder);
            entry != NULL && all_sleep; entry = readdir(folder))
        all_sleep = entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0
                    || sleeps(entry->d_name);
    (void)closedir(folder);
    return all_sleep;
}

/* A thread of the layer's that has just opened a file cannot be told that it is
 * closed (docs/reference/layer.md, Limits): the daemon closes when all was
 * kept. */
static void wait_until_all_is_kept(const struct daemon *daemon)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    const time_t start = time(NULL);
    int quiet = 0;
    while (layer_process_run(NULL, has_entries, (void *)daemon) != 0
            && time(NULL) - start < 60)
        (void)nanosleep(&pause, NULL);
    while (quiet < 5 && time(NULL) - start < 60) {
        (void)nanosleep(&pause, NULL);
        quiet = other_threads_sleep() ? quiet + 1 : 0;
    }
    EXPECT_EQ(5, quiet);
}

static void close_as_daemon(struct daemon *daemon, unsigned entries)
{
    daemon->entries = entries;
    wait_until_all_is_kept(daemon);
    EXPECT_TRUE(own_descriptors_take(test_directory(), 90));
}

static void use_as_daemon(void *user)
{
    struct daemon *daemon = user;
    struct application a;
    application_open(&a, 1);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "k%u", i);
        if (i == 2 || i == 4) close_as_daemon(daemon, i);
        use_program(&a, kernel, "-DX=1");
    }
    EXPECT_GE(source_builds(&a), daemon->range->least);
    EXPECT_LE(source_builds(&a), daemon->range->most);
    close_as_daemon(daemon, PROGRAMS);
    application_close(&a);
    EXPECT_TRUE(own_descriptors_are_untouched());
}

TEST_C(LayerStore, OfADaemonIsNotInTheDaemonsFiles)
{
#ifdef DNNL_CACHE_TEST_TSAN
    SKIP_TEST("a child may wait for a lock of ThreadSanitizer's that a thread "
              "had at the fork");
#endif
    for (size_t i = 0; i < KINDS; i++) {
        const char *const variables[] = {kinds[i].variable, NULL};
        struct daemon cold = {.kind = &kinds[i], .range = &all};
        struct daemon warm = {.kind = &kinds[i], .range = &none};
        ASSERT_EQ(0, run_application(variables, use_as_daemon, &cold));
        EXPECT_EQ(PROGRAMS, counted("kept"));
        remove_own();
        ASSERT_EQ(0, run_application(variables, use_as_daemon, &warm));
        expect_entries(&kinds[i], PROGRAMS);
        remove_all();
        remove_own();
    }
}

TEST_C(LayerStore, ThatIsFullIsDoneWithout)
{
    for (size_t i = 0; i < KINDS; i++) {
        const char *const variables[] = {
                kinds[i].variable, "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
        const char *const slow[] = {
                kinds[i].variable, "FAKE_OPENCL_SIZES_MS=100", NULL};
        ASSERT_EQ(0, run_application(slow, use_with_full_disk, &all));
        EXPECT_EQ(PROGRAMS, counted("not_kept"));
        /* After the first refusal the driver is not asked. */
        EXPECT_LT(counted("capture_ns"), 5 * 100000000ul);
        ASSERT_EQ(0, run_application(variables, use_programs, &all));
        ASSERT_EQ(0, run_application(variables, use_programs, &none));
        remove_all();
    }
}

/* A file system of its own that really is full, where that may be had. */
static int mount_small_disk(const char *path)
{
    if (mkdir(path, 0700) != 0 || unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    return mount("none", path, "tmpfs", 0, "size=24k,mode=0700");
}

enum { NO_DISK = 77 };

/* Six programs do not fit; each process gets all of them, and what was kept is
 * found. */
static int use_small_disk(void *user)
{
    const struct kind *kind = user;
    char path[512];
    char place[600];
    (void)snprintf(path, sizeof path, "%s/disk", test_directory());
    (void)snprintf(place, sizeof place, "DNNL_CACHE_DIR=%s/store", path);
    if (mount_small_disk(path) != 0) return NO_DISK;
    const char *const variables[] = {kind->variable, place, NULL};
    EXPECT_EQ(0, run_application(variables, use_programs, &all));
    EXPECT_GT(counted("not_kept"), 0);
    const unsigned long kept = counted("kept");
    EXPECT_EQ(0, run_application(variables, use_programs, &any));
    EXPECT_EQ(kept, counted("hits"));
    EXPECT_EQ(0, umount(path));
    EXPECT_EQ(0, rmdir(path));
    return test_has_failed();
}

TEST_C(LayerStore, OnADiskThatIsFullKeepsWhatFits)
{
    for (size_t i = 0; i < KINDS; i++) {
        struct kind kind = kinds[i];
        const int result = layer_process_run(NULL, use_small_disk, &kind);
        if (result == NO_DISK)
            SKIP_TEST("no right to mount; ThatIsFullIsDoneWithout has a limit");
        EXPECT_EQ(0, result);
    }
}
