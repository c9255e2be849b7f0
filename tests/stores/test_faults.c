/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that a store makes fails in every way it can: the application is
 * told no more than that, gets nothing damaged, and loses neither memory nor
 * descriptors; the store is in order after the next put. */
#include "fault.h"

#include "scenes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More calls than any scene makes. */
enum { most_calls = 5000 };

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL) return 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

static bool is_allowed(dnnl_status_t st)
{
    return st == dnnl_success || st == dnnl_out_of_memory
           || st == dnnl_runtime_error || st == dnnl_cache_miss;
}

struct campaign {
    const struct store_kind *kind;
    const struct scene *scene;
    bool on; /* nothing works after the first fault */
    unsigned faults;
    char seen[1024]; /* each of them once: "pwrite: ENOSPC;" */
};

/* what: "call 7, pwrite: ENOSPC". */
static void see(struct campaign *c, const char *what)
{
    const char *name = strchr(what, ' ') + 1;
    const size_t n = strlen(c->seen);
    name = strchr(name, ' ') + 1;
    c->faults++;
    if (strstr(c->seen, name) == NULL)
        snprintf(c->seen + n, sizeof c->seen - n, "%s;", name);
}

/* One call of a scene with one fault in it; false if it had fewer calls. */
static bool try_fault(struct campaign *c, unsigned call, unsigned way)
{
    const struct store_kind *kind = c->kind;
    const struct scene *scene = c->scene;
    const char *what = NULL;
    struct dnnl_cache_store_options options = scene_begin(kind, scene);
    /* To SQLite a lock that fails is one that is held. */
    options.lock_timeout_ms = 100;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    if (store == NULL) return false;
    scene->prepare(kind, store);
    const unsigned before = open_descriptors();
    fault_arm(call, way, c->on);
    const dnnl_status_t st = scene->act(kind, store);
    const unsigned calls = fault_disarm(&what);
    /* SQLite opens its file again after a failure, and need not have. */
    if (kind->keeps_connections)
        EXPECT_LE(open_descriptors(), before + 1);
    else
        EXPECT_EQ(before, open_descriptors());
    EXPECT_TRUE(is_allowed(st));
    if (what == NULL) EXPECT_OK(st);
    const bool done =
            st == dnnl_success && statistics_of(store).puts_lock_timeout == 0;
    if (done && scene->expect_done != NULL) scene->expect_done(kind, store);
    if (!done && scene->expect_undone != NULL && !(c->on && kind->may_not_know))
        scene->expect_undone(kind, store);
    dnnl_cache_store_close(store);
    scene_expect_usable(kind, scene, &options);
    if (what != NULL) see(c, what);
    if (test_has_failed())
        printf("in \"%s\", %s, status %d\n", scene->name,
                what != NULL ? what : "no fault", (int)st);
    return call <= calls;
}

/* Every call of every scene, or in the short run every step-th. */
static void fail_all(const struct store_kind *kind, bool on, unsigned step)
{
    uint64_t seed = test_seed();
    unsigned faults = 0;
    for (unsigned i = 0; i < scene_count && !test_has_failed(); i++) {
        struct campaign c = {.kind = kind, .scene = &scenes[i], .on = on};
        if (!scene_is_for(&scenes[i], kind)) continue;
        for (unsigned way = 0; way < fault_ways; way++) {
            unsigned call = 1 + (unsigned)(next_random(&seed) % step);
            while (call < most_calls && !test_has_failed()
                    && try_fault(&c, call, way))
                call += step;
            EXPECT_LT(call, most_calls);
        }
        if (step == 1) EXPECT_GT(c.faults, 10);
        printf("%-28s %4u faults\n", scenes[i].name, c.faults);
        faults += c.faults;
    }
    printf("%u faults\n", faults);
    EXPECT_GT(faults, 0);
}

static unsigned step_of(const struct store_kind *kind)
{
    if (is_long_run()) return 1;
    return kind == &pack_kind ? 240 : 120; /* it makes more calls */
}

STORE_TEST(Proof, AFaultAtEveryCall)
{
    fault_watch_sqlite();
    fail_all(kind, false, step_of(kind));
}

/* Every call of a put that evicts, in one way: no stage is left to a sample. */
TEST_C(FlatFailure, EveryStageOfAPutIsChecked)
{
    static const char *const stages[] = {"flock: ", "openat2: ", "pwrite: ",
            "renameat: ", "close: ", "readdir: ", "unlinkat: "};
    struct campaign c = {.kind = &flat_kind, .scene = &scenes[0]};
    EXPECT_STR_EQ("put, evicting", c.scene->name);
    for (unsigned call = 1; !test_has_failed() && try_fault(&c, call, 0);)
        call++;
    printf("%u faults: %s\n", c.faults, c.seen);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        TEST_CHECK_(strstr(c.seen, stages[i]) != NULL, , "no %sin \"%s\"",
                stages[i], c.seen);
}

struct told {
    unsigned warnings; /* that name the error */
    const char *error;
};

static void note_warning(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct told *told = user;
    if (level == dnnl_cache_log_warning && strstr(text, told->error) != NULL)
        told->warnings++;
}

/* Of the puts with one call of that name failing. */
struct outcomes {
    unsigned refused;  /* said to have failed */
    unsigned released; /* said to have worked; the lock file was told of */
};

/* False: the put makes fewer such calls. */
static bool put_with_fault(struct outcomes *outcomes,
        const struct store_kind *kind, const char *name, unsigned call,
        unsigned way, const char *error)
{
    char root[path_size];
    struct told told = {0, error};
    struct dnnl_cache_store_options options = kind_options(kind);
    const char *what = NULL;
    options.log = note_warning;
    options.log_user = &told;
    remove_path(path_in_test(root, "store"));
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    if (store == NULL) return false;
    EXPECT_OK(put_number(store, 0, suite_blob));
    fault_only(name);
    fault_arm(call, way, false);
    const dnnl_status_t st = put_number(store, 1, suite_blob);
    (void)fault_disarm(&what);
    fault_only(NULL);
    if (st != dnnl_success) {
        EXPECT_STATUS(dnnl_runtime_error, st);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, suite_blob));
        outcomes->refused++;
    } else {
        EXPECT_OK(get_number(store, 1, suite_blob));
        if (told.warnings > 0) outcomes->released++;
    }
    EXPECT_OK(get_number(store, 0, suite_blob));
    /* Nothing is left locked. */
    EXPECT_OK(put_number(store, 2, suite_blob));
    EXPECT_OK(get_number(store, 2, suite_blob));
    dnnl_cache_store_close(store);
    if (test_has_failed())
        printf("%s, status %d\n", what != NULL ? what : "no fault", (int)st);
    return what != NULL && !test_has_failed();
}

static void fail_puts(const struct store_kind *kind, const char *name,
        unsigned way, const char *error, struct outcomes *outcomes)
{
    *outcomes = (struct outcomes){0, 0};
    for (unsigned call = 1;
            put_with_fault(outcomes, kind, name, call, way, error);)
        call++;
    printf("%s, %s: %u refused, %u told of\n", name, error, outcomes->refused,
            outcomes->released);
}

/* Without the lock nothing is written; one that cannot be given back is told
 * of, and goes with its descriptor. */
STORE_TEST_OF_FILES(Failure, ALockThatFailsIsToldOf)
{
    struct outcomes outcomes;
    for (unsigned way = 0; way < 2; way++) {
        fail_puts(kind, "flock", way, strerror(way == 0 ? ENOLCK : EIO),
                &outcomes);
        EXPECT_GT(outcomes.refused, 0);
        EXPECT_GT(outcomes.released, 0);
    }
    fail_puts(kind, "flock", 2, strerror(EINTR), &outcomes);
    EXPECT_EQ(0, outcomes.refused);
}

/* What was written may not be on the disk then: it is not published. The same
 * of the lock file, which has the size, is told of. */
STORE_TEST_OF_FILES(Failure, AFileThatIsNotClosedIsNotPublished)
{
    struct outcomes outcomes;
    for (unsigned way = 0; way < 2; way++) {
        fail_puts(kind, "close", way, strerror(way == 0 ? EIO : ENOSPC),
                &outcomes);
        EXPECT_GT(outcomes.refused, 0);
        EXPECT_GT(outcomes.released, 0);
    }
}

/* A disk that is gone, a table that is full: nothing works from then on. */
STORE_TEST(Proof, NothingWorksAfterAnyCall)
{
    fault_watch_sqlite();
    fail_all(kind, true, step_of(kind));
}

static int fail_all_without_openat2(void *user)
{
    const struct store_kind *kind = user;
    fault_without_openat2();
    fail_all(kind, false, step_of(kind));
    return test_has_failed();
}

STORE_TEST(Proof, AFaultAtEveryCallWithoutOpenat2)
{
    fault_watch_sqlite();
    (void)test_directory(); /* the parent's, which is removed */
    EXPECT_EQ(0, in_child(fail_all_without_openat2, (void *)(uintptr_t)kind));
}

/* ---- A bad place on the disk --------------------------------------------- */

/* It costs one entry, not the store: that is a miss, and the first to go. */
static void expect_one_entry_lost(enum dnnl_cache_store_policy policy)
{
    char part[path_size];
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    options.policy = policy;
    options.path = path_in_test(
            path, policy == dnnl_cache_store_policy_lru ? "by use" : "by age");
    options.capacity = 4 * (4096 + 64 + 8 + 40) + 3000;
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, 4096));
    /* "<bucket>/0/kernel.bin" of entry 1. */
    const char *whole = entry_path(part, 1, "kernel.bin");
    fault_spoil(strstr(whole, "/store/") + strlen("/store/"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 4096));
    char index[path_size + 16];
    snprintf(index, sizeof index, "%s/index.bin", path);
    EXPECT_EQ(0, unlink(index));
    EXPECT_OK(put_number(store, 3, 4096));
    EXPECT_OK(put_number(store, 4, 4096));
    fault_spoil(NULL);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 4096));
    EXPECT_OK(get_number(store, 2, 4096));
    EXPECT_OK(get_number(store, 3, 4096));
    EXPECT_OK(get_number(store, 4, 4096));
    EXPECT_EQ(entry_bytes(path), recorded_bytes(path));
    dnnl_cache_store_close(store);
}

TEST_C(BucketFailure, ABadPlaceOnTheDiskCostsOneEntry)
{
    expect_one_entry_lost(dnnl_cache_store_policy_fifo);
    expect_one_entry_lost(dnnl_cache_store_policy_lru);
}

/* Whatever fails while an entry is removed: if its bucket stays, the next
 * writer takes it away. */
TEST_OPENED(BucketFailure, ABucketThatCannotBeRemovedGoesWithTheNextPut)
{
    char bucket[path_size];
    const char *what = "";
    unsigned seen = 0;
    for (unsigned call = 1; what != NULL; call++) {
        EXPECT_OK(put_number(store, 0, 100));
        bucket_path(bucket, 0);
        EXPECT_EQ(0, access(bucket, F_OK));
        fault_arm(call, 0, false);
        (void)remove_id(store, "id 0");
        (void)fault_disarm(&what);
        if (get_number(store, 0, 100) == dnnl_success) continue;
        seen += access(bucket, F_OK) == 0;
        EXPECT_OK(put_number(store, 1 + call, 100));
        EXPECT_NE(0, access(bucket, F_OK));
        if (test_has_failed()) {
            printf("%s\n", what != NULL ? what : "no fault");
            break;
        }
    }
    EXPECT_GT(seen, 0);
}

/* ---- The clock ----------------------------------------------------------- */

/* The order of creation is that of the puts, whatever the clock says; or it is
 * what the clock says, and what was put is kept all the same. */
STORE_TEST(Hostile, AClockThatStepsBackwards)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(4);
    options.max_age_seconds = 3600;
    for (unsigned i = 0; i < 8; i++) {
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, i, suite_blob));
        EXPECT_OK(get_number(store, i, suite_blob));
        EXPECT_LE(kind_bytes(), options.capacity);
        if (i > 0 && !kind->orders_by_clock)
            EXPECT_OK(get_number(store, i - 1, suite_blob));
        if (i > 3 && !kind->orders_by_clock)
            EXPECT_STATUS(
                    dnnl_cache_miss, get_number(store, i - 4, suite_blob));
        dnnl_cache_store_close(store);
        fault_set_clock(-86400 * (int64_t)(i + 1)); /* another day back */
    }
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_EQ(4, count_entries(store));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
}

/* From the future: those are not older than anything. */
STORE_TEST(Hostile, AClockThatWasAhead)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.max_age_seconds = 3600;
    fault_set_clock(86400);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, suite_blob));
    EXPECT_OK(put_number(store, 2, suite_blob));
    EXPECT_OK(get_number(store, 2, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(2 * 86400);
    store = kind_open(kind, &options);
    EXPECT_EQ(0, count_entries(store));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
}

/* ---- Folders of a group ---------------------------------------------------
 */

/* In a sticky one, as /tmp is, the kernel lets nobody open a file of another
 * user's with O_CREAT: the first user's lock would lock the others out. */
STORE_TEST(Hostile, AStickyFolderThatProtectsFiles)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.sharing = dnnl_cache_store_sharing_group;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(put_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
    fault_protect_files(true);
    store = kind_open(kind, &options);
    EXPECT_OK(put_number(store, 2, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    EXPECT_OK(get_number(store, 2, suite_blob));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, statistics_of(store).puts_failed);
    dnnl_cache_store_close(store);
    fault_protect_files(false);
}

static void put_link_in_its_place(int fd, const char *path)
{
    char private[path_size];
    (void)unlinkat(fd, path, AT_REMOVEDIR);
    (void)symlinkat(path_in_test(private, "private"), fd, path);
}

/* Who may write to the store may put a link where a folder has just been made,
 * before that gets the group's mode. */
STORE_TEST_OF_FILES(Hostile, ALinkInPlaceOfANewFolderGivesNothingAway)
{
    char private[path_size];
    struct stat st;
    struct dnnl_cache_store_options options = kind_options(kind);
    options.sharing = dnnl_cache_store_sharing_group;
    options.log = NULL;
    EXPECT_EQ(0, mkdir(path_in_test(private, "private"), 0700));
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    fault_after_folder(put_link_in_its_place);
    for (unsigned i = 0; i < 8; i++)
        (void)put_number(store, i, suite_blob);
    fault_after_folder(NULL);
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, stat(private, &st));
    EXPECT_EQ(0700, st.st_mode & 07777);
    EXPECT_EQ(0, tree_bytes(private));
}
