/* SPDX-License-Identifier: Apache-2.0 */
/* What a store records of all processes, and when it says that its capacity is
 * too small. */
#include "store_suite.h"
#include "stores/core/store_place.h"
#include "stores/core/store_totals.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { small = 1000 };

static struct dnnl_cache_store_totals totals_of(
        dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    return totals;
}

/* Of a store that is opened read-only for this: what is in the file. */
static struct dnnl_cache_store_totals recorded_totals(
        const struct store_kind *kind)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.read_only = true;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    const struct dnnl_cache_store_totals totals = totals_of(store);
    dnnl_cache_store_close(store);
    return totals;
}

static const char *totals_path(
        char path[path_size], const struct store_kind *kind)
{
    return path_in_store(
            path, kind == &pack_kind ? "blobs.pack-totals" : STORE_TOTALS_FILE);
}

/* One hit, two misses, one put and one that is refused. */
static void use(dnnl_cache_store_handle_t *store)
{
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_OK(put_number(store, 2, 2 * small));
}

static struct dnnl_cache_store_options options_for_use(
        const struct store_kind *kind)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = dnnl_cache_store_megabytes(3);
    options.policy = dnnl_cache_store_policy_lru;
    options.max_blob_bytes = small;
    return options;
}

static void expect_totals(const struct dnnl_cache_store_totals *totals,
        uint64_t hits, uint64_t misses, uint64_t puts, uint64_t refused)
{
    EXPECT_EQ(hits, totals->hits);
    EXPECT_EQ(misses, totals->misses);
    EXPECT_EQ(puts, totals->puts);
    EXPECT_EQ(0, totals->evictions);
    EXPECT_EQ(refused, totals->refused);
    EXPECT_EQ(3 * 1024 * 1024, totals->capacity_bytes);
    EXPECT_EQ(dnnl_cache_store_policy_lru, totals->policy);
    EXPECT_NE(0, totals->since_ns);
}

STORE_TEST(Totals, AreRecordedAtClose)
{
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    use(store);
    struct dnnl_cache_store_totals totals = totals_of(store);
    expect_totals(&totals, 1, 2, 1, 1); /* not recorded yet, and counted */
    dnnl_cache_store_close(store);
    totals = recorded_totals(kind);
    expect_totals(&totals, 1, 2, 1, 1);
    /* What is asked of a store that is read-only is not counted. */
    struct dnnl_cache_store_options reading = options;
    reading.read_only = true;
    store = kind_open(kind, &reading);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_STATUS(dnnl_runtime_error, dnnl_cache_store_reset_totals(store));
    dnnl_cache_store_close(store);
    totals = recorded_totals(kind);
    expect_totals(&totals, 1, 2, 1, 1);
}

static int use_in_child(void *user)
{
    const struct store_kind *kind = user;
    const struct dnnl_cache_store_options options = options_for_use(kind);
    for (int i = 0; i < 50; i++) {
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        EXPECT_OK(get_number(store, 1, small));
        EXPECT_OK(dnnl_cache_store_record_totals(store));
        EXPECT_OK(get_number(store, 1, small));
        dnnl_cache_store_close(store);
    }
    return test_has_failed();
}

static int use_in_children(void *user)
{
    const int first = fork();
    if (first < 0) return 1;
    const int code = use_in_child(user);
    int status = 0;
    if (first == 0) _exit(code);
    return waitpid(first, &status, 0) != first || status != 0 || code != 0;
}

STORE_TEST(Totals, OfSeveralProcessesAddUp)
{
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    use(store);
    EXPECT_EQ(0, in_child(use_in_children, (void *)(uintptr_t)kind));
    dnnl_cache_store_close(store);
    const struct dnnl_cache_store_totals totals = recorded_totals(kind);
    expect_totals(&totals, 201, 2, 1, 1);
}

/* A child leaves its parent's counts to the parent. */
static int close_inherited(void *user)
{
    dnnl_cache_store_handle_t *store = user;
    EXPECT_OK(dnnl_cache_store_record_totals(store)); /* its own begin here */
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(dnnl_cache_store_record_totals(store));
    return test_has_failed();
}

STORE_TEST(Totals, OfAForkedChildAreItsOwn)
{
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    use(store);
    EXPECT_EQ(0, in_child(close_inherited, store));
    dnnl_cache_store_close(store);
    const struct dnnl_cache_store_totals totals = recorded_totals(kind);
    expect_totals(&totals, 2, 2, 1, 1);
}

/* Uses the store until what it counts is in the file, which takes a second, and
 * dies. */
static int use_until_recorded(void *user)
{
    const struct store_kind *kind = user;
    const struct dnnl_cache_store_options options = options_for_use(kind);
    const time_t end = time(NULL) + 120;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(put_number(store, 1, small));
    while (recorded_totals(kind).hits == 0 && time(NULL) < end)
        EXPECT_OK(get_number(store, 1, small));
    raise(SIGKILL);
    return 1;
}

static void expect_counts_of_the_killed(const struct store_kind *kind)
{
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_close(kind_open(kind, &options));
    EXPECT_EQ(128 + SIGKILL,
            in_child(use_until_recorded, (void *)(uintptr_t)kind));
    const struct dnnl_cache_store_totals totals = recorded_totals(kind);
    EXPECT_GT(totals.hits, 0);
    EXPECT_EQ(1, totals.puts);
}

TEST_C(BucketTotals, OfOneThatIsKilledAreThere)
{
    expect_counts_of_the_killed(&bucket_kind);
}

TEST_C(PackTotals, OfOneThatIsKilledAreThere)
{
    expect_counts_of_the_killed(&pack_kind);
}

STORE_TEST(Totals, BeginAnewWhenReset)
{
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    use(store);
    EXPECT_OK(dnnl_cache_store_reset_totals(store));
    struct dnnl_cache_store_totals totals = totals_of(store);
    expect_totals(&totals, 0, 0, 0, 0);
    EXPECT_OK(get_number(store, 1, small));
    dnnl_cache_store_close(store);
    totals = recorded_totals(kind);
    expect_totals(&totals, 1, 0, 0, 0);
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_store_reset_totals(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_store_record_totals(NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_store_get_totals(NULL, &totals));
}

/* Every byte of the file changed, and every length: it starts anew, stays as
 * it is, or was not changed where it matters, and the store works. */
STORE_TEST(Totals, DamageStartsThemAnew)
{
    char path[path_size];
    size_t size = 0;
    const struct dnnl_cache_store_options options = options_for_use(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    use(store);
    dnnl_cache_store_close(store);
    uint8_t *good = read_whole(totals_path(path, kind), &size);
    ASSERT_EQ(store_totals_bytes, size);
    for (size_t at = 0; at < size && !test_has_failed(); at++) {
        uint8_t bad[store_totals_bytes];
        memcpy(bad, good, size);
        bad[at] ^= 0x40;
        write_whole(path, bad, size);
        EXPECT_EQ(0, recorded_totals(kind).since_ns);
        write_whole(path, good, at);
        EXPECT_EQ(0, recorded_totals(kind).since_ns);
        store = kind_open(kind, &options);
        EXPECT_OK(get_number(store, 1, small));
        dnnl_cache_store_close(store);
        /* A beginning of less than its magic may be anybody's. */
        EXPECT_EQ(at == 0 || at >= 8, recorded_totals(kind).hits == 1);
    }
    free(good);
    write_whole(path, "somebody else's", 15);
    store = kind_open(kind, &options);
    EXPECT_OK(get_number(store, 1, small));
    dnnl_cache_store_close(store);
    EXPECT_EQ(15, tree_bytes(path));
}

/* ---- A capacity that is too small ---------------------------------------- */

struct warnings {
    unsigned count;
    char text[512];
};

static void note_warning(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct warnings *warnings = user;
    if (level != dnnl_cache_log_warning || strstr(text, "is too small") == NULL)
        return;
    warnings->count++;
    snprintf(warnings->text, sizeof warnings->text, "%s", text);
}

enum { many = 24 };

/* One run of an application that needs so many entries. */
static struct warnings run(const struct store_kind *kind,
        struct dnnl_cache_store_options options, uint64_t *evictions)
{
    struct warnings warnings = {0};
    options.log = note_warning;
    options.log_user = &warnings;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    for (unsigned i = 0; i < many; i++) {
        const int got = get_number_quietly(store, i, suite_blob + i);
        if (got != dnnl_success)
            EXPECT_OK(put_number(store, i, suite_blob + i));
    }
    *evictions = statistics_of(store).evictions;
    EXPECT_EQ(*evictions > 0, statistics_of(store).capacity_needed > 0);
    dnnl_cache_store_close(store);
    return warnings;
}

STORE_TEST(Capacity, ThatIsTooSmallIsSaidOnceWithOneThatWillDo)
{
    for (int policy = dnnl_cache_store_policy_fifo;
            policy < dnnl_cache_store_policy_none; policy++) {
        struct dnnl_cache_store_options options = kind_options(kind);
        uint64_t evictions = 0;
        uint64_t named = 0;
        options.policy = (enum dnnl_cache_store_policy)policy;
        options.low_water_percent =
                policy == dnnl_cache_store_policy_lru ? 66 : 100;
        options.capacity =
                kind->room_for(policy == dnnl_cache_store_policy_cost ? 6 : 14);
        remove_path(options.path);
        const struct warnings w = run(kind, options, &evictions);
        EXPECT_EQ(1, w.count);
        EXPECT_GT(evictions, 0);
        const char *said = strstr(w.text, "at least ");
        ASSERT_NOT_NULL(said);
        EXPECT_EQ(1, sscanf(said, "at least %" SCNu64 " bytes", &named));
        EXPECT_GT(named, options.capacity);
        if (policy == dnnl_cache_store_policy_cost)
            continue; /* said before all was known */
        /* With that, all find room, at the next start and from then on. */
        options.capacity = named;
        for (int i = 0; i < 2; i++) {
            EXPECT_EQ(0, run(kind, options, &evictions).count);
            EXPECT_EQ(0, evictions);
        }
        remove_path(options.path);
        EXPECT_EQ(0, run(kind, options, &evictions).count);
        EXPECT_EQ(0, evictions);
    }
}

/* Entries of earlier runs that are evicted are no reason to complain. */
STORE_TEST(Capacity, IsRightIfOthersEntriesGo)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    struct warnings warnings = {0};
    options.capacity = kind->room_for(6);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
    options.log = note_warning;
    options.log_user = &warnings;
    store = kind_open(kind, &options);
    for (unsigned i = 6; i < 10; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_GE(statistics_of(store).evictions, 3);
    /* Nor are those that somebody asked to have removed. */
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, warnings.count);
}
