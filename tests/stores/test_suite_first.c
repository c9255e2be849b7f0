/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that a tool has go first. */
#include "store_suite.h"
#include "stores/core/store_age.h"

#include <string.h>

enum { room = 6 };

static const enum dnnl_cache_store_policy policies_of_use[] = {
        dnnl_cache_store_policy_lru, dnnl_cache_store_policy_cost};

static struct dnnl_cache_store_options options_of(
        const struct store_kind *kind, enum dnnl_cache_store_policy policy)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.policy = policy;
    options.capacity = kind->room_for(room);
    return options;
}

/* Blobs differ in size by their number, which tells them apart in a list. */
static size_t size_of(unsigned number)
{
    return suite_blob - number;
}

struct sought {
    uint64_t size;
    uint8_t id[256];
    size_t id_size;
    uint64_t used_ns;
};

static bool find(void *user, const struct dnnl_cache_store_entry *item)
{
    struct sought *sought = user;
    if (item->blob_size != sought->size || item->id_size > sizeof sought->id)
        return true;
    memcpy(sought->id, item->id, item->id_size);
    sought->id_size = item->id_size;
    sought->used_ns = item->used_ns;
    return false;
}

static struct sought look_for(dnnl_cache_store_handle_t *store, unsigned number)
{
    struct sought sought = {.size = size_of(number)};
    EXPECT_OK(dnnl_cache_store_iterate(store, find, &sought));
    EXPECT_GT((long long)sought.id_size, 0);
    return sought;
}

static void let_go(dnnl_cache_store_handle_t *store, unsigned number)
{
    const struct sought sought = look_for(store, number);
    EXPECT_OK(dnnl_cache_store_evict_first(
            store, sought.id_size, sought.id, sought.used_ns));
}

static dnnl_cache_store_handle_t *open_full(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    remove_path(options->path);
    dnnl_cache_store_handle_t *store = kind_open(kind, options);
    for (unsigned i = 0; i < room; i++)
        EXPECT_OK(put_number(store, i, size_of(i)));
    return store;
}

static dnnl_status_t look(dnnl_cache_store_handle_t *store, unsigned number)
{
    return get_number(store, number, size_of(number));
}

/* Though it was used last. */
STORE_TEST(EvictFirst, GoesBeforeAllOthers)
{
    for (size_t p = 0; p < 2; p++) {
        const struct dnnl_cache_store_options options =
                options_of(kind, policies_of_use[p]);
        dnnl_cache_store_handle_t *store = open_full(kind, &options);
        let_go(store, room - 1);
        let_go(store, room - 2);
        EXPECT_OK(put_number(store, room, size_of(room)));
        EXPECT_EQ(1, statistics_of(store).evictions);
        EXPECT_STATUS(dnnl_cache_miss, look(store, room - 2));
        EXPECT_OK(put_number(store, room + 1, size_of(room + 1)));
        EXPECT_STATUS(dnnl_cache_miss, look(store, room - 1));
        EXPECT_OK(look(store, 0));
        EXPECT_OK(look(store, room));
        dnnl_cache_store_close(store);
    }
}

/* Under the policy cost, one that took months to compile. */
STORE_TEST(EvictFirst, GoesHoweverDearItIs)
{
    static const uint8_t id[] = "dear";
    static uint8_t blob[suite_blob - room];
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    const struct dnnl_cache_store_options options =
            options_of(kind, dnnl_cache_store_policy_cost);
    const uint8_t *found = NULL;
    size_t size = 0;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (unsigned i = 0; i + 1 < room; i++)
        EXPECT_OK(put_number(store, i, size_of(i)));
    metadata.compile_ns = UINT64_C(10000000000000000);
    EXPECT_OK(s->put(s->user, sizeof id, id, sizeof blob, blob, &metadata));
    const struct sought dear = look_for(store, room); /* of that size */
    EXPECT_OK(dnnl_cache_store_evict_first(
            store, dear.id_size, dear.id, dear.used_ns));
    EXPECT_OK(put_number(store, room + 1, size_of(room + 1)));
    EXPECT_STATUS(
            dnnl_cache_miss, s->get(s->user, sizeof id, id, &size, &found));
    EXPECT_OK(look(store, 0));
    dnnl_cache_store_close(store);
}

STORE_TEST(EvictFirst, EndsWithAUse)
{
    for (size_t p = 0; p < 2; p++) {
        const struct dnnl_cache_store_options options =
                options_of(kind, policies_of_use[p]);
        dnnl_cache_store_handle_t *store = open_full(kind, &options);
        let_go(store, room - 1);
        for (unsigned i = 1; i < room; i++)
            EXPECT_OK(look(store, i));
        EXPECT_OK(put_number(store, room, size_of(room)));
        EXPECT_OK(look(store, room - 1));
        dnnl_cache_store_close(store);
    }
}

/* What is listed, and what an age limit asks for, is when it was used. */
STORE_TEST(EvictFirst, HidesNoTime)
{
    uint64_t removed = 1;
    const struct dnnl_cache_store_options options =
            options_of(kind, dnnl_cache_store_policy_lru);
    dnnl_cache_store_handle_t *store = open_full(kind, &options);
    const uint64_t before = look_for(store, 2).used_ns;
    let_go(store, 2);
    const uint64_t after = look_for(store, 2).used_ns;
    EXPECT_TRUE(after <= before && before - after < store_dated_share);
    EXPECT_OK(dnnl_cache_store_trim(store, UINT64_MAX, 3600, &removed));
    EXPECT_EQ(0, removed);
    EXPECT_OK(look(store, 2));
    kind_expect_order(kind, store);
    dnnl_cache_store_close(store);
}

STORE_TEST(EvictFirst, LeavesWhatWasUsedSinceAndWhatNotesNoUse)
{
    struct dnnl_cache_store_options options =
            options_of(kind, dnnl_cache_store_policy_lru);
    dnnl_cache_store_handle_t *store = open_full(kind, &options);
    struct sought sought = look_for(store, room - 1);
    EXPECT_OK(dnnl_cache_store_evict_first(
            store, sought.id_size, sought.id, sought.used_ns - 1));
    sought.id[0] ^= 1;
    EXPECT_OK(dnnl_cache_store_evict_first(
            store, sought.id_size, sought.id, sought.used_ns));
    EXPECT_OK(put_number(store, room, size_of(room)));
    EXPECT_OK(look(store, room - 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_evict_first(NULL, 1, sought.id, 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_evict_first(store, 0, sought.id, 1));
    dnnl_cache_store_close(store);
    options.policy = dnnl_cache_store_policy_fifo;
    store = open_full(kind, &options);
    let_go(store, room - 1);
    EXPECT_OK(put_number(store, room, size_of(room)));
    EXPECT_OK(look(store, room - 1));
    dnnl_cache_store_close(store);
    options.read_only = true;
    options.policy = dnnl_cache_store_policy_lru;
    store = kind_open(kind, &options);
    sought = look_for(store, room - 1);
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_evict_first(
                    store, sought.id_size, sought.id, sought.used_ns));
    dnnl_cache_store_close(store);
}

TEST_C(DatedBack, IsATimeThatNoClockHas)
{
    const uint64_t day = UINT64_C(86400) * 1000000000u;
    EXPECT_EQ(0, store_date_back(0));
    EXPECT_EQ(0, store_date_back(3653 * day)); /* 1980 */
    EXPECT_EQ(0, store_date_back(UINT64_MAX)); /* after 2500 */
    for (uint64_t at = 15000 * day; at < 55000 * day; at += 365 * day) {
        const uint64_t dated = store_date_back(at); /* 2011 to 2120 */
        EXPECT_TRUE(store_is_dated_back(dated));
        EXPECT_FALSE(store_is_dated_back(at));
        EXPECT_EQ(at, store_date_of(dated));
        EXPECT_LT(store_date_back(at - day), dated);
    }
}
