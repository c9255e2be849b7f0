/* SPDX-License-Identifier: Apache-2.0 */
/* Disks with bad places, and clocks that are wrong. */
#include "bucket_store.h"

#include "fault.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
