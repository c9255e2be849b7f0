/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every store with a clock of the day that moves: what is used now is kept,
 * whatever times the entries have that were written before.
 */
#include "fault.h"

#include "store_suite.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { day = 86400, working_set = 4 };

static const enum dnnl_cache_store_policy policies[] = {
        dnnl_cache_store_policy_fifo, dnnl_cache_store_policy_lru,
        dnnl_cache_store_policy_cost};
enum { policy_count = sizeof policies / sizeof *policies };

/* The other tests of this program need SQLite as it is made here. */
static struct dnnl_cache_store_options begin(const struct store_kind *kind)
{
    fault_watch_sqlite();
    return kind_options(kind);
}

/* The kernel's clock is not moved: what files say of it is. */
static time_t file_time;

static int set_times(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    const struct timespec times[2] = {{file_time, 0}, {file_time, 0}};
    (void)st;
    (void)at;
    if (type == FTW_F) EXPECT_EQ(0, utimensat(AT_FDCWD, path, times, 0));
    return 0;
}

static void move_files(int64_t seconds)
{
    char root[path_size];
    file_time = time(NULL) + (time_t)seconds;
    nftw(path_in_test(root, "store"), set_times, 16, FTW_PHYS);
}

/* The same of the files that were written since the test began. */
static int set_new_times(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    enum { minutes = 3600 };
    return st->st_mtime > time(NULL) - minutes ? set_times(path, st, type, at)
                                               : 0;
}

static void move_new_files(int64_t seconds)
{
    char root[path_size];
    file_time = time(NULL) + (time_t)seconds;
    nftw(path_in_test(root, "store"), set_new_times, 16, FTW_PHYS);
}

/* A process whose clock is so far off fills the store. */
static void fill(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options, int64_t seconds)
{
    fault_set_clock(seconds);
    dnnl_cache_store_handle_t *store = kind_open(kind, options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 100; i < 110; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    for (unsigned i = 100; i < 110; i++)
        (void)get_number(store, i, suite_blob);
    dnnl_cache_store_close(store);
    move_files(seconds);
    fault_set_clock(0);
}

/* Uses the working set as an application does; how much of it was missing. */
static unsigned use_working_set(dnnl_cache_store_handle_t *store)
{
    unsigned misses = 0;
    for (unsigned i = 0; i < working_set; i++) {
        if (get_number(store, i, suite_blob) == dnnl_success) continue;
        misses++;
        EXPECT_OK(put_number(store, i, suite_blob));
    }
    return misses;
}

static void expect_working_set_kept(const struct store_kind *kind,
        enum dnnl_cache_store_policy policy, int64_t seconds)
{
    struct dnnl_cache_store_options options = begin(kind);
    char root[path_size];
    options.policy = policy;
    options.capacity = kind->room_for(8);
    remove_path(path_in_test(root, "store"));
    fill(kind, &options, seconds);
    for (unsigned start = 0; start < 4; start++) {
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        const unsigned misses = use_working_set(store);
        EXPECT_LE(kind_bytes(), options.capacity);
        if (start > 0) EXPECT_EQ(0, misses);
        dnnl_cache_store_close(store);
    }
    if (test_has_failed())
        printf("policy %d, %lld s\n", (int)policy, (long long)seconds);
}

STORE_TEST(Clock, WhatIsUsedNowStaysBesideEntriesOfTheFuture)
{
    static const int64_t ahead[] = {3600, day, 3650 * (int64_t)day};
    for (int policy = 0; policy < policy_count; policy++)
        for (int i = 0; i < 3 && !test_has_failed(); i++)
            expect_working_set_kept(kind, policies[policy], ahead[i]);
}

/* A clock that is behind, as at the start of a machine without one of its own,
 * makes all that was written before an entry of the future. */
STORE_TEST(Clock, WhatIsUsedNowStaysWithAClockThatIsBehind)
{
    struct dnnl_cache_store_options options = begin(kind);
    options.capacity = kind->room_for(8);
    for (int policy = 0; policy < policy_count && !test_has_failed();
            policy++) {
        char root[path_size];
        options.policy = policies[policy];
        remove_path(path_in_test(root, "store"));
        fill(kind, &options, 0);
        for (unsigned start = 0; start < 4; start++) {
            fault_set_clock(-day);
            dnnl_cache_store_handle_t *store = kind_open(kind, &options);
            ASSERT_NOT_NULL(store);
            const unsigned misses = use_working_set(store);
            if (start > 0) EXPECT_EQ(0, misses);
            dnnl_cache_store_close(store);
            fault_set_clock(0);
        }
    }
}

/* The least recently used goes, also if what the store knows of the creation of
 * its entries is ahead of the clock. */
STORE_TEST(Clock, TheOrderOfUseOutlivesAClockThatWasAhead)
{
    struct dnnl_cache_store_options options = begin(kind);
    unsigned misses = 0;
    options.policy = dnnl_cache_store_policy_lru;
    options.capacity = kind->room_for(8);
    fill(kind, &options, 3650 * (int64_t)day);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    /* Each round has an entry that is used once. */
    for (unsigned round = 0; round < 12; round++) {
        misses = use_working_set(store);
        if (round > 1) EXPECT_EQ(0, misses);
        EXPECT_OK(put_number(store, 200 + round, suite_blob));
        await_file_tick();
    }
    dnnl_cache_store_close(store);
}

/* Who is too old goes once the clock is right, if the entries' use is noted:
 * that was right then. */
STORE_TEST(Clock, WhatIsNotUsedAnyMoreExpiresAfterAClockThatWasAhead)
{
    struct dnnl_cache_store_options options = begin(kind);
    options.policy = dnnl_cache_store_policy_lru;
    options.max_age_seconds = 3600;
    fill(kind, &options, 3650 * (int64_t)day);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 100, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(2 * (int64_t)3600);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 100, suite_blob));
    /* Those that were not used since: nobody knows how old they are. */
    EXPECT_OK(get_number(store, 101, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
}

/* It may be wrong for a minute without a word: clocks of machines differ. */
STORE_TEST(Clock, ASmallDifferenceChangesNoOrder)
{
    struct dnnl_cache_store_options options = begin(kind);
    char root[path_size];
    options.policy = dnnl_cache_store_policy_lru;
    options.capacity = kind->room_for(8);
    remove_path(path_in_test(root, "store"));
    fault_set_clock(-100);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
    move_files(-100);
    fault_set_clock(20);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 4; i < 8; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 8; i < 10; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    for (unsigned i = 4; i < 10; i++)
        EXPECT_OK(get_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
}

/* Of what was put an hour ago, one is used now, and one is new. */
STORE_TEST(Policy, AgeIsSinceTheLastUse)
{
    enum { age = 1800 };
    for (int by_use = 0; by_use < 2; by_use++) {
        struct dnnl_cache_store_options options = begin(kind);
        options.policy = by_use != 0 ? dnnl_cache_store_policy_lru
                                     : dnnl_cache_store_policy_fifo;
        fault_set_clock(-3600);
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 0; i < 6; i++)
            EXPECT_OK(put_number(store, i, 100));
        dnnl_cache_store_close(store);
        move_files(-3600);
        fault_set_clock(0);
        store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(get_number(store, 2, 100));
        EXPECT_OK(put_number(store, 9, 100));
        dnnl_cache_store_close(store);
        options.max_age_seconds = age;
        store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_EQ(by_use != 0 ? 5 : 6, statistics_of(store).expired);
        EXPECT_EQ(by_use != 0 ? 2 : 1, count_entries(store));
        EXPECT_OK(get_number(store, 9, 100));
        uint64_t removed = 77;
        EXPECT_OK(dnnl_cache_store_trim(store, UINT64_MAX, age, &removed));
        EXPECT_EQ(0, removed);
        EXPECT_OK(dnnl_cache_store_trim(
                store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
        dnnl_cache_store_close(store);
    }
}

/* The index is lost after puts between which the clock went back, and went back
 * once more: creation is what the entries themselves say, in the order of the
 * puts. */
TEST_C(BucketClock, OrderOfCreationSurvivesALostIndexAndAClockThatWentBack)
{
    enum { kept = 4, all = 8 };
    struct dnnl_cache_store_options options = begin(&bucket_kind);
    char path[path_size];
    unsigned numbers[all];
    options.capacity = bucket_kind.room_for(kept);
    numbers_by_falling_hash(numbers, all);
    for (unsigned i = 0; i < all && !test_has_failed(); i++) {
        fault_set_clock(-(int64_t)i * day);
        dnnl_cache_store_handle_t *store = kind_open(&bucket_kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, numbers[i], suite_blob));
        for (unsigned k = 0; k <= i; k++)
            EXPECT_STATUS(k + kept <= i ? dnnl_cache_miss : dnnl_success,
                    get_number(store, numbers[k], suite_blob));
        EXPECT_EQ(i > 0 ? 1 : 0, statistics_of(store).recounts);
        dnnl_cache_store_close(store);
        EXPECT_EQ(0, unlink(path_in_test(path, "store/index.bin")));
    }
    fault_set_clock(0);
}

/* ---- Ages ---------------------------------------------------------------- */

enum { early = 20 * 365, week = 7 };

/* A process whose clock is off by so many days and seconds uses entries; what
 * is missing is put. How many were. */
static unsigned use_entries(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options, int64_t days,
        int64_t seconds, unsigned from, unsigned count)
{
    unsigned misses = 0;
    const int64_t off = days * day + seconds;
    fault_set_clock(off);
    dnnl_cache_store_handle_t *store = kind_open(kind, options);
    if (store == NULL) return count;
    for (unsigned i = from; i < from + count; i++) {
        if (get_number(store, i, suite_blob) == dnnl_success) continue;
        misses++;
        EXPECT_OK(put_number(store, i, suite_blob));
    }
    dnnl_cache_store_close(store);
    move_new_files(off);
    fault_set_clock(0);
    return misses;
}

static struct dnnl_cache_store_options begin_ages(const struct store_kind *kind)
{
    struct dnnl_cache_store_options options = begin(kind);
    options.policy = dnnl_cache_store_policy_lru;
    options.max_age_seconds = week * day;
    return options;
}

/* From a day long ago, the clock is put right, or wrong; or nobody was there.
 */
STORE_TEST(Clock, AJumpIsNoAge)
{
    const struct dnnl_cache_store_options options = begin_ages(kind);
    EXPECT_EQ(3, use_entries(kind, &options, -early, 0, 0, 3));
    EXPECT_EQ(1, use_entries(kind, &options, -60, 0, 10, 1));
    EXPECT_EQ(0, use_entries(kind, &options, -60, 600, 10, 1));
    EXPECT_EQ(0, use_entries(kind, &options, -60, 1200, 0, 3));
    EXPECT_EQ(0, use_entries(kind, &options, early, 0, 10, 1));
    EXPECT_EQ(0, use_entries(kind, &options, -59, 0, 0, 3));
    EXPECT_EQ(0, use_entries(kind, &options, -59, 600, 10, 1));
}

/* Each day of two weeks the machine starts with a clock of long ago, with which
 * some are used, then others with the right one, and one only once. */
STORE_TEST(Clock, WhatAnEarlyClockUsesEachDayIsNotOld)
{
    enum { days = 10, first = -60, once = 100 };
    const struct dnnl_cache_store_options options = begin_ages(kind);
    for (int i = 0; i < days; i++) {
        const unsigned expected = i == 0 ? 2 : 0;
        EXPECT_EQ(expected, use_entries(kind, &options, -early, i, 0, 2));
        EXPECT_EQ(expected, use_entries(kind, &options, first + i, 0, 10, 2));
        EXPECT_EQ(1, use_entries(kind, &options, first + i, 60,
                             once + (unsigned)i, 1));
    }
    EXPECT_EQ(0, use_entries(kind, &options, first + days, 0, 10, 2));
    fault_set_clock((first + days) * (int64_t)day);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < days; i++)
        EXPECT_STATUS(i < days - week ? dnnl_cache_miss : dnnl_success,
                get_number(store, once + i, suite_blob));
    EXPECT_OK(get_number(store, 0, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
}

/* Nor is it the first to make room. */
STORE_TEST(Clock, WhatAnEarlyClockUsesIsNotEvictedFirst)
{
    enum { days = 10, first = -60, once = 100 };
    struct dnnl_cache_store_options options = begin_ages(kind);
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    options.capacity = kind->room_for(12);
    for (int i = 0; i < days; i++) {
        const unsigned expected = i == 0 ? 2 : 0;
        EXPECT_EQ(expected, use_entries(kind, &options, -early, i, 0, 2));
        EXPECT_EQ(expected, use_entries(kind, &options, first + i, 0, 10, 2));
        EXPECT_EQ(1, use_entries(kind, &options, first + i, 60,
                             once + (unsigned)i, 1));
    }
}

/* What nobody uses any more goes, though the clock was years ahead once. */
STORE_TEST(Clock, AgesGoOnAfterAClockThatWasAhead)
{
    enum { days = 20, first = -60 };
    const struct dnnl_cache_store_options options = begin_ages(kind);
    EXPECT_EQ(1, use_entries(kind, &options, early, 0, 10, 1));
    EXPECT_EQ(1, use_entries(kind, &options, first, 0, 0, 1));
    for (int i = 0; i < days; i++)
        EXPECT_EQ(i == 0, use_entries(kind, &options, first + i, 60, 1, 1));
    fault_set_clock((first + days) * (int64_t)day);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 0, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
    fault_set_clock(0);
}
