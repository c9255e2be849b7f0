/* SPDX-License-Identifier: Apache-2.0 */
/* Who has to go, who may stay, and whose entries are believed. */
#include "bucket_store.h"

#include "store_helpers.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { blob_size = 2000 };

static struct store_statistics statistics_of(const struct store *store)
{
    struct store_statistics statistics = {0};
    EXPECT_OK(store_get_statistics(store, &statistics));
    return statistics;
}

/* Room for about n blobs of blob_size with all that belongs to them. */
static struct store_limit room_for(unsigned n)
{
    return store_limit_bytes(n * (blob_size + 64 + 8 + 40 + 4) + 150);
}

static dnnl_status_t put_with_cost(
        struct store *store, unsigned number, uint64_t compile_ns)
{
    char id[32];
    uint8_t blob[blob_size];
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    const dnnl_cache_store_t *s = store_callbacks(store);
    int n = snprintf(id, sizeof id, "cost %u", number);
    memset(blob, (int)number, sizeof blob);
    metadata.kind = dnnl_cache_blob_kind_program;
    metadata.compile_ns = compile_ns;
    return s->put(s->user, (size_t)n, (const uint8_t *)id, sizeof blob, blob,
            &metadata);
}

static bool has_cost(struct store *store, unsigned number)
{
    char id[32];
    size_t size;
    const uint8_t *blob;
    const dnnl_cache_store_t *s = store_callbacks(store);
    int n = snprintf(id, sizeof id, "cost %u", number);
    dnnl_status_t st =
            s->get(s->user, (size_t)n, (const uint8_t *)id, &size, &blob);
    if (st == dnnl_success) {
        EXPECT_EQ(blob_size, size);
        EXPECT_EQ(number & 0xff, blob[size - 1]);
        s->release(s->user, size, blob);
    }
    return st == dnnl_success;
}

/* Longer than a tick of the clock that file systems keep. */
static void pass_a_moment(void)
{
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
}

/* Makes the entry of a number look as if it was last used in the past. */
static void set_used(unsigned number, time_t seconds_ago)
{
    char path[path_size];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= seconds_ago;
    const struct timespec times[2] = {now, now};
    EXPECT_EQ(0, utimensat(AT_FDCWD, entry_path(path, number, "kernel.bin"),
                         times, 0));
}

/* ---- Policies ------------------------------------------------------------ */

TEST_C(BucketPolicy, LruKeepsWhatIsUsed)
{
    struct store_options options = test_options();
    options.capacity = room_for(4);
    options.policy = store_policy_lru;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        pass_a_moment();
    }
    EXPECT_OK(get_number(store, 0, blob_size));
    EXPECT_OK(get_number(store, 2, blob_size));
    pass_a_moment();
    EXPECT_OK(put_number(store, 4, blob_size));
    EXPECT_OK(put_number(store, 5, blob_size));
    EXPECT_EQ(2, statistics_of(store).evictions);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i == 1 || i == 3 ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, blob_size));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

/* The use counts in the next process, too. */
TEST_C(BucketPolicy, LruSurvivesReopening)
{
    struct store_options options = test_options();
    options.capacity = room_for(3);
    options.policy = store_policy_lru;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        pass_a_moment();
    }
    EXPECT_OK(get_number(store, 0, blob_size));
    store_close(store);
    pass_a_moment();
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 3, blob_size));
    EXPECT_OK(get_number(store, 0, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, blob_size));
    store_close(store);
}

TEST_C(BucketPolicy, FifoDoesNotMindUse)
{
    struct store_options options = test_options();
    options.capacity = room_for(3);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(get_number(store, 0, blob_size));
    EXPECT_OK(put_number(store, 3, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 0, blob_size));
    EXPECT_OK(get_number(store, 1, blob_size));
    store_close(store);
}

/* Many cheap entries do not push out one of 90 seconds. */
TEST_C(BucketPolicy, CostKeepsWhatIsDear)
{
    struct store_options options = test_options();
    options.capacity = room_for(5);
    options.policy = store_policy_cost;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_with_cost(store, 0, 90000000000u));
    for (unsigned i = 1; i < 40; i++)
        EXPECT_OK(put_with_cost(store, i, 1000000));
    EXPECT_TRUE(has_cost(store, 0));
    EXPECT_TRUE(has_cost(store, 39));
    EXPECT_FALSE(has_cost(store, 1));
    EXPECT_GT(statistics_of(store).evictions, 30);
    store_close(store);
}

TEST_C(BucketPolicy, NoneEvictsNothing)
{
    struct store_options options = test_options();
    options.capacity = room_for(3);
    options.policy = store_policy_none;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_EQ(3, statistics_of(store).puts);
    EXPECT_EQ(3, statistics_of(store).puts_full);
    EXPECT_EQ(0, statistics_of(store).evictions);
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i < 3 ? dnnl_success : dnnl_cache_miss,
                get_number(store, i, blob_size));
    store_close(store);
}

TEST_C(BucketPolicy, LowWaterEvictsManyAtOnce)
{
    static const enum store_policy policies[] = {
            store_policy_fifo, store_policy_lru, store_policy_cost};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct store_options options = test_options();
        options.capacity = room_for(20);
        options.policy = policies[p];
        options.low_water_percent = 50;
        struct store *store = open_store(&options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 0; i < 20; i++)
            EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_EQ(0, statistics_of(store).evictions);
        EXPECT_OK(put_number(store, 20, blob_size));
        EXPECT_GE(statistics_of(store).evictions, 10);
        EXPECT_LE(statistics_of(store).evictions, 12);
        EXPECT_OK(get_number(store, 20, blob_size));
        EXPECT_LE(tree_bytes(options.path), options.capacity.bytes / 2);
        EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
        store_close(store);
    }
}

/* ---- Limits -------------------------------------------------------------- */

TEST_C(BucketPolicy, SmallBlobsMayBeLeftOut)
{
    struct store_options options = test_options();
    options.min_blob_bytes = 100;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 99));
    EXPECT_OK(put_number(store, 2, 100));
    EXPECT_EQ(1, statistics_of(store).puts_too_small);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 99));
    EXPECT_OK(get_number(store, 2, 100));
    store_close(store);
}

TEST_C(BucketPolicy, OldEntriesGoAtOpen)
{
    struct store_options options = test_options();
    options.policy = store_policy_lru;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    store_close(store);
    /* Created now, they cannot have been used before. */
    set_used(0, 100);
    options.max_age_seconds = 1;
    pass_a_moment();
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, statistics_of(store).expired);
    EXPECT_EQ(4, count_entries(store));
    store_close(store);
    const struct timespec age = {1, 100000000};
    nanosleep(&age, NULL);
    set_used(2, 0);
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(3, statistics_of(store).expired);
    EXPECT_OK(get_number(store, 2, blob_size));
    EXPECT_EQ(1, count_entries(store));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketPolicy, WithFifoAgeIsSinceCreation)
{
    struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 0, blob_size));
    EXPECT_OK(put_number(store, 1, blob_size));
    const struct timespec age = {1, 100000000};
    nanosleep(&age, NULL);
    EXPECT_OK(put_number(store, 2, blob_size));
    EXPECT_OK(get_number(store, 0, blob_size));
    uint64_t removed = 77;
    EXPECT_OK(store_trim(store, UINT64_MAX, 1, &removed));
    EXPECT_EQ(2, removed);
    EXPECT_OK(get_number(store, 2, blob_size));
    EXPECT_EQ(1, count_entries(store));
    store_close(store);
}

TEST_C(BucketPolicy, TrimMakesItAsSmallAsAsked)
{
    struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    uint64_t removed = 77;
    EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(0, removed);
    EXPECT_OK(store_trim(
            store, room_for(4).bytes, STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(10, removed + count_entries(store));
    EXPECT_LE(tree_bytes(options.path), room_for(4).bytes);
    EXPECT_OK(get_number(store, 9, blob_size));
    EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(0, recorded_bytes(options.path));
    EXPECT_OK(put_number(store, 1, blob_size));
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_STATUS(dnnl_invalid_arguments, store_trim(NULL, 0, 1, NULL));
    store_close(store);
}

TEST_C(BucketPolicy, ReadOnlyIsNotTrimmed)
{
    struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, blob_size));
    store_close(store);
    options.read_only = true;
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_runtime_error,
            store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(get_number(store, 1, blob_size));
    store_close(store);
}

TEST_C(BucketPolicy, RefusesOptionsThatMakeNoSense)
{
    struct store *store = NULL;
    struct store_options good = test_options();
    struct store_options bad = good;
    bad.policy = (enum store_policy)4;
    EXPECT_STATUS(dnnl_invalid_arguments, bucket_store_open(&store, &bad));
    bad = good;
    bad.low_water_percent = 0;
    EXPECT_STATUS(dnnl_invalid_arguments, bucket_store_open(&store, &bad));
    bad.low_water_percent = 101;
    EXPECT_STATUS(dnnl_invalid_arguments, bucket_store_open(&store, &bad));
    bad = good;
    bad.max_age_seconds = 0;
    EXPECT_STATUS(dnnl_invalid_arguments, bucket_store_open(&store, &bad));
    EXPECT_NULL(store);
}

/* ---- Verify -------------------------------------------------------------- */

static void damage(unsigned number, long at)
{
    char path[path_size];
    size_t size;
    uint8_t *bytes = read_whole(entry_path(path, number, "kernel.bin"), &size);
    ASSERT_NOT_NULL(bytes);
    bytes[at] ^= 0x10;
    write_whole(path, bytes, size);
    free(bytes);
}

struct seen {
    unsigned intact;
    unsigned damaged;
    unsigned most;
};

static bool see(void *user, const char *name, bool intact)
{
    struct seen *seen = user;
    EXPECT_NOT_NULL(strchr(name, '/'));
    if (intact)
        seen->intact++;
    else
        seen->damaged++;
    return seen->intact + seen->damaged < seen->most;
}

TEST_C(BucketPolicy, VerifyFindsAndRepairs)
{
    const struct store_options options = test_options();
    struct store_check check;
    struct seen seen = {0, 0, 100};
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    damage(1, 7);
    damage(3, blob_size + 20);
    EXPECT_OK(store_verify(store, false, see, &seen, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(2, check.damaged);
    EXPECT_EQ(0, check.repaired);
    EXPECT_EQ(3 * blob_size, check.bytes);
    EXPECT_EQ(3, seen.intact);
    EXPECT_EQ(2, seen.damaged);
    seen = (struct seen){0, 0, 2};
    EXPECT_OK(store_verify(store, false, see, &seen, &check));
    EXPECT_EQ(2, seen.intact + seen.damaged);
    EXPECT_OK(store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(2, check.repaired);
    EXPECT_OK(store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(3, count_entries(store));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_STATUS(dnnl_invalid_arguments,
            store_verify(store, true, NULL, NULL, NULL));
    store_close(store);
}

/* ---- Keys ---------------------------------------------------------------- */

static const char *key_file(const char *name)
{
    static char path[4][path_size];
    static unsigned next;
    return path_in_test(path[next++ % 4], name);
}

TEST_C(BucketPolicy, WithAKeyOnlySignedEntriesCount)
{
    struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, blob_size)); /* not signed */
    store_close(store);
    options.key_file = key_file("key");
    EXPECT_OK(store_key_file_make(options.key_file));
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, blob_size));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_OK(put_number(store, 1, blob_size));
    EXPECT_OK(put_number(store, 2, blob_size));
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);

    /* Another key's entries are not ours. */
    options.key_file = key_file("other");
    EXPECT_OK(store_key_file_make(options.key_file));
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, blob_size));
    store_close(store);

    /* Without a key a signed entry is as good as any. */
    options.key_file = NULL;
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 2, blob_size));
    store_close(store);
}

/* A forger who repairs the checksum, with the tail taken from an unsigned
 * entry or the signature of another one, has no key. */
TEST_C(BucketPolicy, WithAKeyForgeriesAreMisses)
{
    struct store_options options = test_options();
    char path[path_size];
    options.key_file = key_file("key");
    EXPECT_OK(store_key_file_make(options.key_file));
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, blob_size));
    store_close(store);
    size_t size;
    uint8_t *good = read_whole(entry_path(path, 1, "kernel.bin"), &size);
    ASSERT_NOT_NULL(good);
    EXPECT_EQ(blob_size + 32 + 64, size);
    for (size_t i = blob_size; i < blob_size + 32; i++) {
        good[i] ^= 1; /* the signature alone: the checksum does not see it */
        write_whole(path, good, size);
        store = open_store(&options);
        ASSERT_NOT_NULL(store);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, blob_size));
        store_close(store);
        good[i] ^= 1;
    }
    write_whole(path, good, size);
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, blob_size));
    store_close(store);
    free(good);
}

TEST_C(BucketPolicy, KeyFilesMustBePrivate)
{
    struct store_options options = test_options();
    struct store *store = NULL;
    options.key_file = key_file("none");
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    options.key_file = key_file("key");
    EXPECT_OK(store_key_file_make(options.key_file));
    EXPECT_STATUS(dnnl_runtime_error, store_key_file_make(options.key_file));
    EXPECT_STATUS(dnnl_invalid_arguments, store_key_file_make(NULL));
    struct stat st;
    EXPECT_EQ(0, stat(options.key_file, &st));
    EXPECT_EQ(0600, st.st_mode & 0777);
    EXPECT_EQ(32, st.st_size);
    EXPECT_EQ(0, chmod(options.key_file, 0640));
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_EQ(0, chmod(options.key_file, 0600));
    write_whole(options.key_file, "too short", 9);
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    const char *link = key_file("link");
    EXPECT_EQ(0, symlink("key", link));
    write_whole(options.key_file, "long enough for a key", 21);
    options.key_file = link;
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_NULL(store);
    options.key_file = key_file("key");
    store = open_store(&options);
    EXPECT_NOT_NULL(store);
    store_close(store);
}
