/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that a store makes fails in every way it can: the application is
 * told no more than that, gets nothing damaged, and loses neither memory nor
 * descriptors; the store is in order after the next put. */
#include "bucket_store.h"

#include "fault.h"
#include "scenes.h"
#include "store_helpers.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
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

/* One call of a scene with one fault in it; false if it had fewer calls. */
static bool try_fault(const struct scene *scene, unsigned call, unsigned way,
        bool on, unsigned *faults)
{
    const char *what = NULL;
    const struct store_options options = scene_begin(scene);
    struct store *store = open_store(&options);
    if (store == NULL) return false;
    scene->prepare(store);
    const unsigned before = open_descriptors();
    fault_arm(call, way, on);
    const dnnl_status_t st = scene->act(store);
    const unsigned calls = fault_disarm(&what);
    EXPECT_EQ(before, open_descriptors());
    EXPECT_TRUE(is_allowed(st));
    if (what == NULL) EXPECT_OK(st);
    if (st == dnnl_success && scene->expect_done != NULL)
        scene->expect_done(store);
    if (st != dnnl_success && scene->expect_undone != NULL)
        scene->expect_undone(store);
    store_close(store);
    scene_expect_usable(scene, &options);
    *faults += what != NULL;
    if (test_has_failed())
        printf("in \"%s\", %s, status %d\n", scene->name,
                what != NULL ? what : "no fault", (int)st);
    return call <= calls;
}

/* Every call of every scene, or in the short run every step-th. */
static void fail_all(bool on, unsigned step)
{
    uint64_t seed = test_seed();
    for (unsigned i = 0; i < scene_count && !test_has_failed(); i++) {
        unsigned faults = 0;
        for (unsigned way = 0; way < fault_ways; way++) {
            unsigned call = 1 + (unsigned)(next_random(&seed) % step);
            while (call < most_calls && !test_has_failed()
                    && try_fault(&scenes[i], call, way, on, &faults))
                call += step;
            EXPECT_LT(call, most_calls);
        }
        if (step == 1) EXPECT_GT(faults, 10);
        printf("%-28s %4u faults\n", scenes[i].name, faults);
    }
}

TEST_C(BucketProof, AFaultAtEveryCall)
{
    fail_all(false, is_long_run() ? 1 : 40);
}

/* A disk that is gone, a table that is full: nothing works from then on. */
TEST_C(BucketProof, NothingWorksAfterAnyCall)
{
    fail_all(true, is_long_run() ? 1 : 40);
}

static int fail_all_without_openat2(void *user)
{
    (void)user;
    fault_without_openat2();
    fail_all(false, is_long_run() ? 1 : 40);
    return test_has_failed();
}

TEST_C(BucketProof, AFaultAtEveryCallWithoutOpenat2)
{
    EXPECT_EQ(0, in_child(fail_all_without_openat2, NULL));
}

/* ---- A bad place on the disk --------------------------------------------- */

/* It costs one entry, not the store: that is a miss, and the first to go. */
static void expect_one_entry_lost(enum store_policy policy)
{
    char part[path_size];
    char path[path_size];
    struct store_options options = test_options();
    options.policy = policy;
    options.path = path_in_test(
            path, policy == store_policy_lru ? "by use" : "by age");
    options.capacity = store_limit_bytes(4 * (4096 + 64 + 8 + 40) + 3000);
    struct store *store = open_store(&options);
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
    store_close(store);
}

TEST_C(BucketFailure, ABadPlaceOnTheDiskCostsOneEntry)
{
    expect_one_entry_lost(store_policy_fifo);
    expect_one_entry_lost(store_policy_lru);
}

/* ---- The clock ----------------------------------------------------------- */

/* The order of creation is that of the puts, whatever the clock says. */
TEST_C(BucketHostile, AClockThatStepsBackwards)
{
    struct store_options options = test_options();
    options.capacity = store_limit_bytes(4 * (4096 + 64 + 8 + 40) + 3000);
    options.max_age_seconds = 3600;
    for (unsigned i = 0; i < 8; i++) {
        struct store *store = open_store(&options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, i, 4096));
        EXPECT_OK(get_number(store, i, 4096));
        if (i > 0) EXPECT_OK(get_number(store, i - 1, 4096));
        if (i > 3)
            EXPECT_STATUS(dnnl_cache_miss, get_number(store, i - 4, 4096));
        store_close(store);
        fault_set_clock(-86400 * (int64_t)(i + 1)); /* another day back */
    }
    struct store *store = open_store(&options);
    EXPECT_EQ(4, count_entries(store));
    store_close(store);
    fault_set_clock(0);
}

/* From the future: those are not older than anything. */
TEST_C(BucketHostile, AClockThatWasAhead)
{
    struct store_options options = test_options();
    options.max_age_seconds = 3600;
    fault_set_clock(86400);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 4096));
    store_close(store);
    fault_set_clock(0);
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, 4096));
    EXPECT_OK(put_number(store, 2, 4096));
    EXPECT_OK(get_number(store, 2, 4096));
    store_close(store);
    fault_set_clock(2 * 86400);
    store = open_store(&options);
    EXPECT_EQ(0, count_entries(store));
    store_close(store);
    fault_set_clock(0);
}
