/* SPDX-License-Identifier: Apache-2.0 */
/* Every store as its users see it. */
#include "store_suite.h"
#include "syncs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The interface ------------------------------------------------------- */

STORE_TEST(Store, GivesBackWhatWasPut)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 2, 1));
    EXPECT_OK(put_number(store, 3, 3000000));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 2, 1));
    EXPECT_OK(get_number(store, 3, 3000000));
    EXPECT_EQ(3, statistics_of(store).hits);
    EXPECT_EQ(1, statistics_of(store).misses);
    EXPECT_EQ(3, statistics_of(store).puts);
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_GT(statistics_of(store).bytes, 3001001);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, RefusesNullAndEmpty)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_EQ(sizeof(dnnl_cache_store_t), s->struct_size);
    const uint8_t id[] = "id";
    const uint8_t *blob = id + 1;
    size_t size = 77;
    bool damaged;
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, s->get(NULL, 2, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 0, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, NULL, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, NULL, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, &size, NULL));
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 2, id, &size, &blob));
    EXPECT_STATUS(
            bad, dnnl_cache_store_find(NULL, 2, id, &size, &blob, &damaged));
    EXPECT_STATUS(bad, dnnl_cache_store_find(store, 2, id, &size, &blob, NULL));
    EXPECT_STATUS(
            bad, dnnl_cache_store_find(store, 0, id, &size, &blob, &damaged));
    EXPECT_EQ(77, size);
    EXPECT_PTR_EQ(id + 1, blob);
    EXPECT_STATUS(bad, s->put(NULL, 2, id, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 0, id, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, NULL, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, id, 0, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, id, 2, NULL, NULL));
    EXPECT_STATUS(bad, s->remove(NULL, 2, id));
    EXPECT_STATUS(bad, s->remove(s->user, 0, id));
    EXPECT_STATUS(bad, s->remove(s->user, 2, NULL));
    EXPECT_STATUS(bad, dnnl_cache_store_get_statistics(store, NULL));
    EXPECT_STATUS(bad, dnnl_cache_store_iterate(store, NULL, NULL));
    EXPECT_STATUS(bad, dnnl_cache_store_verify(store, true, NULL, NULL, NULL));
    EXPECT_STATUS(bad, dnnl_cache_store_trim(NULL, 0, 1, NULL));
    EXPECT_EQ(0, count_entries(store));
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(NULL);
}

STORE_TEST(Store, RefusesOptionsThatMakeNoSense)
{
    dnnl_cache_store_handle_t *store =
            (dnnl_cache_store_handle_t *)&store; /* must stay untouched */
    dnnl_cache_store_handle_t *const untouched = store;
    struct dnnl_cache_store_options options = kind_options(kind);
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, dnnl_cache_store_open(NULL, kind->type, &options));
    EXPECT_STATUS(bad, dnnl_cache_store_open(&store, kind->type, NULL));
    options.path = NULL;
    EXPECT_STATUS(bad, dnnl_cache_store_open(&store, kind->type, &options));
    options.path = "";
    EXPECT_STATUS(bad, dnnl_cache_store_open(&store, kind->type, &options));
    for (int i = 0; i < 5; i++) {
        options = kind_options(kind);
        if (i == 0) options.struct_size = 0;
        if (i == 1) options.struct_size = sizeof(size_t) - 1;
        if (i == 2) options.durability = (enum dnnl_cache_store_durability)99;
        if (i == 3) options.sharing = (enum dnnl_cache_store_sharing)99;
        if (i == 4) options.policy = (enum dnnl_cache_store_policy)5;
        EXPECT_STATUS(bad, dnnl_cache_store_open(&store, kind->type, &options));
    }
    options = kind_options(kind);
    options.low_water_percent = 101;
    EXPECT_STATUS(bad, dnnl_cache_store_open(&store, kind->type, &options));
    EXPECT_PTR_EQ(untouched, store);
    EXPECT_NE(0, access(kind_options(kind).path, F_OK));
}

STORE_TEST(Store, ReplacesAndRemoves)
{
    char text[64];
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(remove_id(store, "id"));
    EXPECT_OK(put_bytes(store, "id", "first", 5));
    EXPECT_OK(put_bytes(store, "id", "the second", 10));
    EXPECT_OK(get_text(store, "id", text, sizeof text));
    EXPECT_STR_EQ("the second", text);
    EXPECT_OK(put_bytes(store, "id", "the second", 10));
    EXPECT_OK(put_bytes(store, "other", "x", 1));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(3, statistics_of(store).puts);
    EXPECT_EQ(1, statistics_of(store).puts_unchanged);
    EXPECT_OK(remove_id(store, "id"));
    EXPECT_STATUS(dnnl_cache_miss, get_text(store, "id", text, sizeof text));
    EXPECT_OK(get_text(store, "other", text, sizeof text));
    EXPECT_EQ(1, statistics_of(store).removes);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

struct job {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
};

static int put_twenty(void *user)
{
    const struct job *job = user;
    dnnl_cache_store_handle_t *store = kind_open(job->kind, &job->options);
    if (store == NULL) return 1;
    for (unsigned i = 0; i < 20; i++)
        if (put_number(store, i, 100 + i) != dnnl_success) return 2;
    return 0; /* without closing: a process may end at any time */
}

STORE_TEST(Store, LaterProcessesFindTheEntries)
{
    struct job job = {kind, kind_options(kind)};
    EXPECT_EQ(0, in_child(put_twenty, &job));
    dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(get_number(store, i, 100 + i));
    EXPECT_EQ(20, count_entries(store));
    EXPECT_EQ(0, statistics_of(store).recounts);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

/* Its first file has descriptor 0 then. */
static int put_without_input(void *user)
{
    const struct job *job = user;
    char path[path_size];
    if (close(STDIN_FILENO) != 0) return 1;
    if (access(path_in_test(path, "none"), F_OK) == 0) return 2; /* errno */
    dnnl_cache_store_handle_t *store = kind_open(job->kind, &job->options);
    if (store == NULL) return 3;
    if (put_number(store, 7, 100) != dnnl_success) return 4;
    if (get_number(store, 7, 100) != dnnl_success) return 5;
    dnnl_cache_store_close(store);
    return 0;
}

STORE_TEST(Store, WorksWithoutStandardInput)
{
    struct job job = {kind, kind_options(kind)};
    EXPECT_EQ(0, in_child(put_without_input, &job));
    dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 7, 100));
    dnnl_cache_store_close(store);
}

struct seen {
    int count;
    int stop_after;
    struct dnnl_cache_store_entry last;
    char last_id[32];
};

static bool see(void *user, const struct dnnl_cache_store_entry *item)
{
    struct seen *seen = user;
    seen->last = *item;
    snprintf(seen->last_id, sizeof seen->last_id, "%.*s", (int)item->id_size,
            (const char *)item->id);
    return ++seen->count != seen->stop_after;
}

STORE_TEST(Store, IteratesOverIntactEntries)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, "one", "blob", 4));
    struct seen seen = {0};
    EXPECT_OK(dnnl_cache_store_iterate(store, see, &seen));
    EXPECT_EQ(1, seen.count);
    EXPECT_EQ(sizeof seen.last, seen.last.struct_size);
    EXPECT_STR_EQ("one", seen.last_id);
    EXPECT_EQ(4, seen.last.blob_size);
    EXPECT_EQ(12345, seen.last.compile_ns);
    EXPECT_EQ(dnnl_cache_blob_kind_program, seen.last.kind);
    EXPECT_GT(seen.last.created_ns, 1500000000000000000);
    EXPECT_GE(seen.last.used_ns, seen.last.created_ns);
    for (unsigned i = 0; i < 99; i++)
        EXPECT_OK(put_number(store, i, 10));
    EXPECT_EQ(100, count_entries(store));
    /* Who has not even a trailer left. (In a pack that takes SQL.) */
    if (kind->entry_files != NULL) {
        EXPECT_OK(put_number(store, 777, 1000));
        EXPECT_EQ(101, count_entries(store));
        kind->damage(777, 1000);
        EXPECT_EQ(100, count_entries(store));
        EXPECT_OK(put_number(store, 777, 1000));
        EXPECT_OK(remove_id(store, "id 777"));
    }
    for (int stop = 1; stop <= 100; stop += 31) {
        seen = (struct seen){.stop_after = stop};
        EXPECT_OK(dnnl_cache_store_iterate(store, see, &seen));
        EXPECT_EQ(stop, seen.count);
    }
    dnnl_cache_store_close(store);
}

/* A visitor that puts what it sees is shown each entry once all the same. */
struct rewriter {
    dnnl_cache_store_handle_t *store;
    int count;
};

static bool rewrite(void *user, const struct dnnl_cache_store_entry *item)
{
    struct rewriter *r = user;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(r->store);
    uint8_t blob[100] = {0};
    EXPECT_OK(s->put(s->user, item->id_size, item->id,
            (size_t)item->blob_size + 1, blob, NULL));
    return ++r->count < 1000;
}

STORE_TEST(Store, VisitorsMayWrite)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 70; i++)
        EXPECT_OK(put_number(store, i, 10));
    struct rewriter r = {store, 0};
    EXPECT_OK(dnnl_cache_store_iterate(store, rewrite, &r));
    EXPECT_EQ(70, r.count);
    EXPECT_EQ(70, count_entries(store));
    dnnl_cache_store_close(store);
}

static uint64_t hash_seven(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

STORE_TEST(Store, ComparesWholeIds)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.hash = hash_seven;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    uint8_t id[5000] = {0};
    const uint8_t *blob;
    size_t size;
    /* Prefixes, NUL bytes, a difference past the first page. */
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"a", NULL));
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 4999, id, &size, &blob));
    EXPECT_OK(s->put(s->user, 4999, id, 1, (const uint8_t *)"b", NULL));
    id[4999] = 1;
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 5000, id, &size, &blob));
    if (kind->one_id_of_a_hash) {
        dnnl_cache_store_close(store);
        return;
    }
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"c", NULL));
    static const char *const expected[] = {"c", "a", "b"};
    for (int i = 0; i < 3; i++) {
        id[4999] = i == 0;
        ASSERT_OK(s->get(s->user, i == 2 ? 4999 : 5000, id, &size, &blob));
        EXPECT_BYTES_EQ(expected[i], 1, blob, size);
        s->release(s->user, size, blob);
    }
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 50));
    EXPECT_OK(remove_id(store, "id 2"));
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i == 2 || i == 5 ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, 50));
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, OffTouchesNothing)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.off = true;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 10));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(1, statistics_of(store).puts_off);
    EXPECT_EQ(0, statistics_of(store).bytes);
    EXPECT_OK(dnnl_cache_store_trim(store, 0, 1, NULL));
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_NE(0, access(options.path, F_OK));
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, SyncsAtEveryDurability)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    for (int d = 0; d <= 2; d++) {
        options.durability = (enum dnnl_cache_store_durability)d;
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        const struct syncs before = syncs_so_far();
        EXPECT_OK(put_number(store, (unsigned)d, 5000));
        EXPECT_OK(put_number(store, 10, (size_t)(5000 + d)));
        const struct syncs after = syncs_so_far();
        EXPECT_OK(get_number(store, (unsigned)d, 5000));
        dnnl_cache_store_close(store);
        EXPECT_EQ(d >= dnnl_cache_store_durability_data,
                after.files > before.files);
        /* SQLite syncs the directory of its journal with the data. */
        const bool journal =
                kind == &pack_kind && d == dnnl_cache_store_durability_data;
        EXPECT_EQ(
                d == dnnl_cache_store_durability_data_and_directory || journal,
                after.directories > before.directories);
    }
}

/* ---- Capacity ------------------------------------------------------------ */

/* Of numbers below end all from first on are there, and none before. */
static void expect_only_from(
        dnnl_cache_store_handle_t *store, unsigned first, unsigned end)
{
    for (unsigned i = 0; i < end; i++)
        EXPECT_STATUS(i < first ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, suite_blob));
}

STORE_TEST(Store, EvictsTheOldestFirst)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(3);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 100 && !test_has_failed(); i++) {
        EXPECT_OK(put_number(store, i, suite_blob));
        EXPECT_LE(kind_bytes(), options.capacity);
        expect_only_from(store, i < 3 ? 0 : i - 2, i + 1);
    }
    EXPECT_EQ(97, statistics_of(store).evictions);
    EXPECT_EQ(0, statistics_of(store).recounts);
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

STORE_TEST(Policy, FifoDoesNotMindUse)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(3);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_OK(get_number(store, 0, suite_blob));
    EXPECT_OK(put_number(store, 3, suite_blob));
    EXPECT_EQ(1, statistics_of(store).evictions);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 0, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, AReplacedEntryIsYoungAgain)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(4);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_OK(put_number(store, 0, suite_blob - 1));
    EXPECT_OK(put_number(store, 3, suite_blob));
    EXPECT_OK(put_number(store, 4, suite_blob));
    EXPECT_OK(get_number(store, 0, suite_blob - 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, suite_blob));
    EXPECT_OK(get_number(store, 2, suite_blob));
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, ASmallerCapacityEvictsAtOpen)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(40);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 30; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_EQ(30, count_entries(store));
    dnnl_cache_store_close(store);
    options.capacity = kind->room_for(5);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_GE(count_entries(store), 5);
    EXPECT_LE(count_entries(store), 6);
    EXPECT_LE(kind_bytes(), options.capacity);
    EXPECT_OK(get_number(store, 29, suite_blob));
    EXPECT_OK(get_number(store, 25, suite_blob));
    dnnl_cache_store_close(store);
}

STORE_TEST(Store, DoesNotKeepWhatCanNeverFit)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(4);
    options.max_blob_bytes = 3 * suite_blob;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, suite_blob));
    EXPECT_OK(put_number(store, 2, 100 * suite_blob));
    EXPECT_OK(put_number(store, 3, 3 * suite_blob + 1));
    EXPECT_EQ(2, statistics_of(store).puts_too_large);
    EXPECT_EQ(0, statistics_of(store).evictions);
    EXPECT_OK(get_number(store, 1, suite_blob));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100 * suite_blob));
    EXPECT_OK(put_number(store, 4, 3 * suite_blob));
    EXPECT_OK(get_number(store, 4, 3 * suite_blob));
    dnnl_cache_store_close(store);

    options.max_blob_bytes = 100 * suite_blob;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 5, (size_t)options.capacity - 100));
    EXPECT_EQ(1, statistics_of(store).puts_too_large);
    dnnl_cache_store_close(store);
}

/* ---- Policies ------------------------------------------------------------ */

STORE_TEST(Policy, LruKeepsWhatIsUsed)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(4);
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_OK(put_number(store, i, suite_blob));
        await_file_tick();
    }
    EXPECT_OK(get_number(store, 0, suite_blob));
    await_file_tick();
    EXPECT_OK(get_number(store, 2, suite_blob));
    await_file_tick();
    EXPECT_OK(put_number(store, 4, suite_blob));
    /* The use counts after a restart, too. */
    EXPECT_OK(get_number(store, 3, suite_blob));
    dnnl_cache_store_close(store);
    await_file_tick();
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 5, suite_blob));
    EXPECT_EQ(1, statistics_of(store).evictions);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i < 2 ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
}

static dnnl_status_t put_with_cost(
        dnnl_cache_store_handle_t *store, unsigned number, uint64_t compile_ns)
{
    char id[32];
    static uint8_t blob[suite_blob];
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    int n = snprintf(id, sizeof id, "cost %u", number);
    memset(blob, (int)number, sizeof blob);
    metadata.kind = dnnl_cache_blob_kind_program;
    metadata.compile_ns = compile_ns;
    return s->put(s->user, (size_t)n, (const uint8_t *)id, sizeof blob, blob,
            &metadata);
}

static dnnl_status_t get_with_cost(
        dnnl_cache_store_handle_t *store, unsigned number)
{
    char id[32];
    size_t size;
    const uint8_t *blob;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    int n = snprintf(id, sizeof id, "cost %u", number);
    dnnl_status_t st =
            s->get(s->user, (size_t)n, (const uint8_t *)id, &size, &blob);
    if (st == dnnl_success) {
        EXPECT_EQ(suite_blob, size);
        EXPECT_EQ(number & 0xff, blob[size - 1]);
        s->release(s->user, size, blob);
    }
    return st;
}

STORE_TEST(Policy, CostKeepsWhatIsDear)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(5);
    options.policy = dnnl_cache_store_policy_cost;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_with_cost(store, 0, 90000000000u));
    for (unsigned i = 1; i < 40; i++)
        EXPECT_OK(put_with_cost(store, i, 1000000));
    EXPECT_OK(get_with_cost(store, 0));
    EXPECT_OK(get_with_cost(store, 39));
    EXPECT_STATUS(dnnl_cache_miss, get_with_cost(store, 1));
    EXPECT_GT(statistics_of(store).evictions, 30);
    dnnl_cache_store_close(store);
}

static dnnl_status_t can_put(dnnl_cache_store_handle_t *store)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    return s->can_put(s->user);
}

STORE_TEST(Policy, NoneEvictsNothing)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(3);
    options.policy = dnnl_cache_store_policy_none;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_EQ(3, statistics_of(store).puts);
    EXPECT_EQ(3, statistics_of(store).puts_full);
    EXPECT_EQ(0, statistics_of(store).evictions);
    EXPECT_STATUS(dnnl_not_required, can_put(store));
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i < 3 ? dnnl_success : dnnl_cache_miss,
                get_number(store, i, suite_blob));
    dnnl_cache_store_close(store);
}

STORE_TEST(Policy, APutOfAnOffOrReadOnlyStoreMakesNoSense)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(can_put(store));
    EXPECT_OK(put_number(store, 0, suite_blob));
    dnnl_cache_store_close(store);
    options.read_only = true;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_unimplemented, can_put(store));
    dnnl_cache_store_close(store);
    options.read_only = false;
    options.off = true;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_not_required, can_put(store));
    dnnl_cache_store_close(store);
}

STORE_TEST(Policy, LowWaterEvictsManyAtOnce)
{
    static const enum dnnl_cache_store_policy policies[] = {
            dnnl_cache_store_policy_fifo, dnnl_cache_store_policy_lru,
            dnnl_cache_store_policy_cost};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct dnnl_cache_store_options options = kind_options(kind);
        options.capacity = kind->room_for(20);
        options.policy = policies[p];
        options.low_water_percent = 50;
        dnnl_cache_store_handle_t *store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 0; i < 20; i++)
            EXPECT_OK(put_number(store, i, suite_blob));
        EXPECT_EQ(0, statistics_of(store).evictions);
        EXPECT_OK(put_number(store, 20, suite_blob));
        EXPECT_GE(statistics_of(store).evictions, 10);
        EXPECT_LE(statistics_of(store).evictions, 16);
        EXPECT_OK(get_number(store, 20, suite_blob));
        EXPECT_LE(kind_bytes(), options.capacity);
        EXPECT_OK(dnnl_cache_store_trim(
                store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
        EXPECT_EQ(0, count_entries(store));
        dnnl_cache_store_close(store);
    }
}

STORE_TEST(Policy, SmallBlobsMayBeLeftOut)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.min_blob_bytes = 100;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 99));
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_EQ(1, statistics_of(store).puts_too_small);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 99));
    EXPECT_OK(get_number(store, 2, 100));
    dnnl_cache_store_close(store);
}

STORE_TEST(Policy, TrimMakesItAsSmallAsAsked)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(20);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    uint64_t removed = 77;
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(0, removed);
    const uint64_t half = 5 * (uint64_t)suite_blob;
    EXPECT_OK(dnnl_cache_store_trim(
            store, half, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(10, removed + count_entries(store));
    EXPECT_GE(count_entries(store), 3);
    EXPECT_LE(kind_bytes(), half);
    EXPECT_OK(get_number(store, 9, suite_blob));
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_LE(kind_bytes(), 9 * 1024);
    EXPECT_OK(put_number(store, 1, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);

    options.read_only = true;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_trim(store, 0,
                                        DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
}

/* ---- Verify -------------------------------------------------------------- */

struct looked {
    unsigned intact;
    unsigned damaged;
    unsigned most;
};

static bool look_at(void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct looked *looked = user;
    EXPECT_EQ(sizeof *verdict, verdict->struct_size);
    EXPECT_NE('\0', verdict->name[0]);
    if (verdict->id != NULL) { /* else it cannot be read */
        EXPECT_FALSE(verdict->intact);
        EXPECT_EQ(0, memcmp("id ", verdict->id, 3));
    }
    if (verdict->intact)
        looked->intact++;
    else
        looked->damaged++;
    return looked->intact + looked->damaged < looked->most;
}

STORE_TEST(Policy, VerifyFindsAndRepairs)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct looked looked = {0, 0, 100};
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 2000));
    dnnl_cache_store_close(store);
    kind->damage(1, 2000);
    kind->damage(3, 2000);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(dnnl_cache_store_verify(store, false, look_at, &looked, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(2, check.damaged);
    EXPECT_EQ(0, check.repaired);
    EXPECT_EQ(3 * 2000, check.bytes);
    EXPECT_EQ(3, looked.intact);
    EXPECT_EQ(2, looked.damaged);
    looked = (struct looked){0, 0, 2};
    EXPECT_OK(dnnl_cache_store_verify(store, false, look_at, &looked, &check));
    EXPECT_EQ(2, looked.intact + looked.damaged);
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(2, check.repaired);
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(3, count_entries(store));
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

/* A look-up of one number that finds nothing. */
static bool misses_for_damage(dnnl_cache_store_handle_t *store, const char *id)
{
    const uint8_t *blob = NULL;
    size_t size = 0;
    bool damaged = false;
    EXPECT_STATUS(dnnl_cache_miss,
            dnnl_cache_store_find(store, strlen(id), (const uint8_t *)id, &size,
                    &blob, &damaged));
    EXPECT_NULL(blob);
    return damaged;
}

static void expect_found(const dnnl_cache_store_handle_t *store, const char *id)
{
    const uint8_t *blob = NULL;
    size_t size = 0;
    bool damaged = true;
    ASSERT_STATUS(
            dnnl_success, dnnl_cache_store_find(store, strlen(id),
                                  (const uint8_t *)id, &size, &blob, &damaged));
    EXPECT_FALSE(damaged);
    EXPECT_EQ(2000, size);
    dnnl_cache_store_get_callbacks(store)->release(
            dnnl_cache_store_get_callbacks(store)->user, size, blob);
}

STORE_TEST(Store, TellsDamageFromAbsence)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, 2000));
    dnnl_cache_store_close(store);
    kind->damage(1, 2000);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_FALSE(misses_for_damage(store, "id 3"));
    EXPECT_TRUE(misses_for_damage(store, "id 1"));
    EXPECT_FALSE(misses_for_damage(store, "id 3"));
    expect_found(store, "id 2");
    EXPECT_OK(put_number(store, 1, 2000));
    expect_found(store, "id 1");
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_FALSE(misses_for_damage(store, "id 1"));
    dnnl_cache_store_close(store);
}

static void count_damage(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    *(unsigned *)user +=
            strstr(text, ": damaged: compiled again and replaced") != NULL;
}

STORE_TEST(Store, TellsOfADamagedEntryOnce)
{
    unsigned told = 0;
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, 2000));
    dnnl_cache_store_close(store);
    kind->damage(1, 2000);
    options.log = count_damage;
    options.log_user = &told;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 2000));
    EXPECT_EQ(1, told);
    EXPECT_EQ(3, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
    /* Another one is told, too. */
    kind->damage(2, 2000);
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 2000));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 2000));
    }
    EXPECT_EQ(3, told);
    dnnl_cache_store_close(store);
}

/* ---- Keys ---------------------------------------------------------------- */

static void count_other_keys(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    EXPECT_NULL(strstr(text, "damaged"));
    *(unsigned *)user += strstr(text, ": of another key: compiled again and "
                                      "replaced")
                         != NULL;
}

STORE_TEST(Policy, WithAKeyOnlySignedEntriesCount)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    unsigned told = 0;
    char key[path_size];
    char other[path_size];
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 100)); /* not signed */
    dnnl_cache_store_close(store);
    options.key_file = path_in_test(key, "key");
    EXPECT_OK(dnnl_cache_store_key_file_make(options.key_file));
    options.log = count_other_keys;
    options.log_user = &told;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, told);
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_EQ(2, count_entries(store));
    dnnl_cache_store_close(store);

    options.key_file = path_in_test(other, "other");
    EXPECT_OK(dnnl_cache_store_key_file_make(options.key_file));
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.intact);
    EXPECT_EQ(2, check.damaged);
    dnnl_cache_store_close(store);

    options.key_file = NULL;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 2, 100));
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(2, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(200, check.bytes);
    dnnl_cache_store_close(store);
}

static const char *key_file(const char *name)
{
    static char path[4][path_size];
    static unsigned next;
    return path_in_test(path[next++ % 4], name);
}

STORE_TEST(Policy, KeyFilesMustBePrivate)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = NULL;
    options.key_file = key_file("none");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    options.key_file = key_file("key");
    EXPECT_OK(dnnl_cache_store_key_file_make(options.key_file));
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_key_file_make(options.key_file));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_cache_store_key_file_make(NULL));
    struct stat st;
    EXPECT_EQ(0, stat(options.key_file, &st));
    EXPECT_EQ(0600, st.st_mode & 0777);
    EXPECT_EQ(32, st.st_size);
    EXPECT_EQ(0, chmod(options.key_file, 0640));
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    EXPECT_EQ(0, chmod(options.key_file, 0600));
    write_whole(options.key_file, "too short", 9);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    const char *link = key_file("link");
    EXPECT_EQ(0, symlink("key", link));
    write_whole(options.key_file, "long enough for a key", 21);
    options.key_file = link;
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, kind->type, &options));
    EXPECT_NULL(store);
    options.key_file = key_file("key");
    store = kind_open(kind, &options);
    EXPECT_NOT_NULL(store);
    dnnl_cache_store_close(store);
}

STORE_TEST(Root, ReadOnlyOnRequestWritesNothing)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    char path[path_size];
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 100));
    dnnl_cache_store_close(store);
    const uint64_t bytes = kind_bytes();
    options.read_only = true;
    store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_OK(remove_id(store, "nothing"));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, statistics_of(store).puts_read_only);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(1, check.intact);
    dnnl_cache_store_close(store);
    EXPECT_EQ(bytes, kind_bytes());
    dnnl_cache_store_handle_t *none = NULL;
    options.path = path_in_test(path, "missing/store");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&none, kind->type, &options));
    EXPECT_NE(0, access(path_in_test(path, "missing"), F_OK));
}

/* Of its directory, and of all that is in it. */
STORE_TEST(Store, SurvivesDeletion)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    char path[path_size];
    char command[2 * path_size];
    struct stat st;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    path_in_test(path, "store");
    for (int i = 0; i < 4; i++) {
        EXPECT_OK(put_number(store, 1, 1000));
        EXPECT_OK(get_number(store, 1, 1000));
        EXPECT_EQ(0, stat(path, &st));
        EXPECT_EQ(0700, st.st_mode & 07777);
        snprintf(command, sizeof command,
                i / 2 == 0 ? "rm -r '%s'" : "rm -r '%s'/*", path);
        EXPECT_EQ(0, system(command));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
        EXPECT_EQ(0, count_entries(store));
        EXPECT_OK(remove_id(store, "id 1"));
    }
    EXPECT_OK(put_number(store, 1, 1000));
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}
