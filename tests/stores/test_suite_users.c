/* SPDX-License-Identifier: Apache-2.0 */
/* Who has used a store: what its totals say of that. */
#include "store_suite.h"
#include "stores/core/store_place.h"
#include "stores/core/store_totals.h"
#include "stores/core/store_users.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint64_t day_ns = UINT64_C(86400) * 1000000000u;

TEST_C(Users, AreForgottenAfterThreeMonths)
{
    struct store_users users = {.since_ns = 0};
    const uint64_t now = 20000 * day_ns;
    store_users_note(&users, 7, now);
    EXPECT_EQ(now, users.since_ns);
    EXPECT_EQ(0, store_users_count_others(&users, 7, now));
    EXPECT_EQ(1, store_users_count_others(&users, 8, now));
    EXPECT_EQ(1, store_users_count_others(&users, 8, now - day_ns)); /* ahead */
    store_users_note(&users, 8, now + day_ns);
    EXPECT_EQ(now, users.since_ns);
    EXPECT_EQ(1, store_users_count_others(&users, 8, now + 89 * day_ns));
    EXPECT_EQ(0, store_users_count_others(&users, 8, now + 91 * day_ns));
    EXPECT_EQ(1, store_users_count_others(&users, 7, now + 90 * day_ns));
    /* One that is not known is not alone, and is not noted. */
    struct store_users none = {.since_ns = 0};
    store_users_note(&none, 0, now);
    EXPECT_EQ(0, none.since_ns);
    EXPECT_EQ(1, store_users_count_others(&none, 0, now));
}

TEST_C(Users, MayBeMoreThanThereArePlaces)
{
    struct store_users users = {.since_ns = 0};
    for (uint64_t who = 1; who <= 3 * store_users_most; who++)
        store_users_note(&users, who, 20000 * day_ns + who);
    EXPECT_EQ(store_users_most - 1,
            store_users_count_others(
                    &users, 3 * store_users_most, 20000 * day_ns));
    EXPECT_EQ(store_users_most,
            store_users_count_others(&users, 1, 20000 * day_ns));
}

static const char *totals_path(
        char path[path_size], const struct store_kind *kind)
{
    return path_in_store(
            path, kind == &pack_kind ? "blobs.pack-totals" : STORE_TOTALS_FILE);
}

static struct dnnl_cache_store_totals totals_of(const struct store_kind *kind)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    struct dnnl_cache_store_options options = kind_options(kind);
    options.read_only = true;
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    dnnl_cache_store_close(store);
    return totals;
}

static void sum(uint8_t *bytes, size_t size)
{
    const uint64_t hash = XXH3_64bits(bytes, size - 8);
    for (size_t i = 0; i < 8; i++)
        bytes[size - 8 + i] = (uint8_t)(hash >> (8 * i));
}

static void use(const struct store_kind *kind)
{
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    EXPECT_OK(put_number(store, 1, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    dnnl_cache_store_close(store);
}

STORE_TEST(Users, AreNotedByWhoUsesIt)
{
    enum { first_user = 96 };
    char path[path_size];
    size_t size = 0;
    use(kind);
    const uint64_t since_ns = totals_of(kind).users_since_ns;
    EXPECT_GT(since_ns, 0);
    EXPECT_EQ(0, totals_of(kind).other_users);
    uint8_t *bytes = read_whole(totals_path(path, kind), &size);
    ASSERT_EQ(store_totals_bytes, size);
    bytes[first_user] ^= 1; /* it was somebody else */
    sum(bytes, size);
    write_whole(path, bytes, size);
    EXPECT_EQ(1, totals_of(kind).other_users);
    use(kind);
    EXPECT_EQ(1, totals_of(kind).other_users);
    EXPECT_EQ(since_ns, totals_of(kind).users_since_ns);
    bytes[first_user] ^= 2; /* damaged */
    write_whole(path, bytes, size);
    EXPECT_EQ(0, totals_of(kind).users_since_ns);
    free(bytes);
}

/* A file that has no users keeps what it counted. */
STORE_TEST(Users, AreAddedToTotalsThatHaveNone)
{
    char path[path_size];
    size_t size = 0;
    use(kind);
    uint8_t *bytes = read_whole(totals_path(path, kind), &size);
    bytes[8] = 1;
    sum(bytes, store_totals_old_bytes);
    write_whole(path, bytes, store_totals_old_bytes);
    free(bytes);
    EXPECT_EQ(1, totals_of(kind).hits);
    EXPECT_EQ(0, totals_of(kind).users_since_ns);
    use(kind);
    EXPECT_EQ(2, totals_of(kind).hits);
    EXPECT_GT(totals_of(kind).users_since_ns, 0);
}
