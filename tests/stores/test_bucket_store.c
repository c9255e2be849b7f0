/* SPDX-License-Identifier: Apache-2.0 */
/* The bucket store as its users see it: layout, order, limits, statuses. */
#include "bucket_store.h"

#include "store_helpers.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an entry of put_number() takes on disk besides its blob. */
enum { trailer_size = 64, id_digits_max = 5 + 3 };

static struct store_statistics statistics_of(const struct store *store)
{
    struct store_statistics statistics = {0};
    EXPECT_OK(store_get_statistics(store, &statistics));
    return statistics;
}

/* ---- The interface ------------------------------------------------------- */

TEST_C(BucketStore, GivesBackWhatWasPut)
{
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 2, 1));
    EXPECT_OK(put_number(store, 3, 300000));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 2, 1));
    EXPECT_OK(get_number(store, 3, 300000));
    const struct store_statistics statistics = statistics_of(store);
    EXPECT_EQ(3, statistics.hits);
    EXPECT_EQ(1, statistics.misses);
    EXPECT_EQ(3, statistics.puts);
    EXPECT_EQ(0, statistics.damaged);
    EXPECT_EQ(entry_bytes(options.path), statistics.bytes);
    store_close(store);
}

TEST_C(BucketStore, RefusesNullAndEmpty)
{
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = store_callbacks(store);
    EXPECT_EQ(sizeof(dnnl_cache_store_t), s->struct_size);
    const uint8_t id[] = "id";
    const uint8_t *blob = id + 1;
    size_t size = 77;
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, s->get(NULL, 2, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 0, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, NULL, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, NULL, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, &size, NULL));
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 2, id, &size, &blob));
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
    EXPECT_STATUS(bad, store_get_statistics(store, NULL));
    EXPECT_STATUS(bad, store_iterate(store, NULL, NULL));
    EXPECT_EQ(0, count_entries(store));
    store_close(store);
    store_close(NULL);
}

TEST_C(BucketStore, RefusesOptionsThatMakeNoSense)
{
    struct store *store = (struct store *)&store; /* must stay untouched */
    struct store *const untouched = store;
    struct store_options options = test_options();
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, bucket_store_open(NULL, &options));
    EXPECT_STATUS(bad, bucket_store_open(&store, NULL));
    options.path = NULL;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options.path = "";
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options = test_options();
    options.capacity = store_limit_bytes(0); /* neither off nor unlimited */
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options.capacity.kind = 0;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options = test_options();
    options.max_blob_bytes = 0;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options = test_options();
    options.hash = NULL;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options = test_options();
    options.durability = 99;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    options = test_options();
    options.sharing = 99;
    EXPECT_STATUS(bad, bucket_store_open(&store, &options));
    EXPECT_PTR_EQ(untouched, store);
    EXPECT_NE(0, access(test_options().path, F_OK));
}

TEST_C(BucketStore, LimitsSayWhatTheyMean)
{
    EXPECT_EQ(5, store_limit_bytes(5).bytes);
    EXPECT_EQ(3 * 1024 * 1024, store_limit_mb(3).bytes);
    EXPECT_TRUE(store_limit_mb(UINT64_MAX / 1000).bytes == UINT64_MAX);
    EXPECT_EQ(store_limit_kind_unlimited, store_limit_unlimited().kind);
    EXPECT_EQ(store_limit_kind_off, store_limit_off().kind);
}

/* ---- Layout -------------------------------------------------------------- */

static int count_names(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    if (dir == NULL) return -1;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 2;
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_mode & 07777u : 0;
}

TEST_C(BucketStore, HasTheLayoutOfTheProposal)
{
    const struct store_options options = test_options();
    char path[path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, recorded_bytes(options.path));
    EXPECT_OK(put_bytes(store, "an id", "a blob", 6));
    EXPECT_EQ(3, count_names(options.path)); /* size.txt, index.bin, bucket */

    size_t size;
    uint8_t *key = read_whole(text_entry_path(path, "an id", "key.bin"), &size);
    EXPECT_BYTES_EQ("an id", 5, key, size);
    free(key);
    EXPECT_EQ(0600, mode_of(path));
    uint8_t *blob =
            read_whole(text_entry_path(path, "an id", "kernel.bin"), &size);
    EXPECT_EQ(6 + trailer_size, size);
    EXPECT_BYTES_EQ("a blob", 6, blob, 6);
    EXPECT_BYTES_EQ("dnnlcent", 8, blob + 6, 8);
    free(blob);
    EXPECT_EQ(0600, mode_of(path));
    EXPECT_EQ(2, count_names(text_entry_path(path, "an id", "")));
    EXPECT_EQ(0700, mode_of(path));
    *strrchr(path, '/') = '\0';
    EXPECT_EQ(0700, mode_of(path));
    EXPECT_EQ(0700, mode_of(options.path));
    EXPECT_EQ(5 + 6 + trailer_size, recorded_bytes(options.path));
    EXPECT_EQ(5 + 6 + trailer_size, entry_bytes(options.path));
    store_close(store);
}

/* The optional first level for back-ends that share a directory: each has a
 * tree of its own below it, and they do not mind each other. */
TEST_C(BucketStore, ABackEndMayHaveALevelOfItsOwn)
{
    static const char *const names[] = {"store/opencl", "store/level_zero"};
    struct store *stores[2];
    char path[path_size];
    char text[16];
    struct store_options options = test_options();
    struct store *above = open_store(&options);
    ASSERT_NOT_NULL(above);
    for (int i = 0; i < 2; i++) {
        options.path = path_in_test(path, names[i]);
        stores[i] = open_store(&options);
        ASSERT_NOT_NULL(stores[i]);
        EXPECT_OK(put_bytes(stores[i], "id", names[i] + 6, 6));
    }
    EXPECT_OK(put_bytes(above, "id", "above", 5));
    EXPECT_OK(get_text(stores[0], "id", text, sizeof text));
    EXPECT_STR_EQ("opencl", text);
    EXPECT_OK(get_text(stores[1], "id", text, sizeof text));
    EXPECT_STR_EQ("level_", text);
    EXPECT_EQ(0, access(path_in_test(path, "store/opencl/size.txt"), F_OK));
    EXPECT_OK(store_trim(above, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(get_text(stores[1], "id", text, sizeof text));
    EXPECT_EQ(1, count_entries(stores[0]));
    EXPECT_EQ(0, count_entries(above));
    store_close(stores[0]);
    store_close(stores[1]);
    store_close(above);
}

TEST_C(BucketStore, NamesBucketsByTheDecimalHash)
{
    char path[path_size];
    struct stat st;
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    /* XXH3-64 with seed 0: where an ID is must not change with a release. */
    EXPECT_OK(put_bytes(store, "xxhash", "x", 1));
    path_in_test(path, "store/12271230650071847902/0/kernel.bin");
    EXPECT_EQ(0, stat(path, &st));
    store_close(store);
}

TEST_C(BucketStore, IsItsOwnersAloneUnlessAskedOtherwise)
{
    struct store_options options = test_options();
    char path[path_size];
    const mode_t mask = umask(0);
    struct store *store = open_store(&options);
    EXPECT_OK(put_bytes(store, "id", "blob", 4));
    umask(mask);
    EXPECT_EQ(0600, mode_of(text_entry_path(path, "id", "key.bin")));
    EXPECT_EQ(0600, mode_of(text_entry_path(path, "id", "kernel.bin")));
    EXPECT_EQ(0700, mode_of(text_entry_path(path, "id", "")));
    EXPECT_EQ(0700, mode_of(options.path));
    store_close(store);
}

TEST_C(BucketStore, SharesModesWithTheGroupIfAsked)
{
    struct store_options options = test_options();
    char path[path_size];
    options.sharing = store_sharing_group;
    const mode_t mask = umask(077);
    struct store *store = open_store(&options);
    EXPECT_OK(put_bytes(store, "id", "blob", 4));
    umask(mask);
    EXPECT_EQ(0660, mode_of(text_entry_path(path, "id", "key.bin")));
    EXPECT_EQ(0660, mode_of(text_entry_path(path, "id", "kernel.bin")));
    EXPECT_EQ(0770, mode_of(text_entry_path(path, "id", "")));
    EXPECT_EQ(0770, mode_of(options.path));
    EXPECT_EQ(0660, mode_of(path_in_test(path, "store/size.txt")));
    EXPECT_EQ(0660, mode_of(path_in_test(path, "store/index.bin")));
    store_close(store);
}

TEST_C(BucketStore, MakesMissingParents)
{
    struct store_options options = test_options();
    char path[path_size];
    options.path = path_in_test(path, "a/b/c/store");
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_OK(get_number(store, 1, 10));
    store_close(store);
}

/* ---- Replacing and removing ---------------------------------------------- */

TEST_C(BucketStore, ReplacesTheBlobOfAnId)
{
    char text[64];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, "id", "first", 5));
    EXPECT_OK(put_bytes(store, "id", "the second", 10));
    EXPECT_OK(get_text(store, "id", text, sizeof text));
    EXPECT_STR_EQ("the second", text);
    EXPECT_EQ(1, count_entries(store));
    EXPECT_EQ(2 + 10 + trailer_size, recorded_bytes(options.path));
    EXPECT_EQ(2 + 10 + trailer_size, entry_bytes(options.path));
    EXPECT_OK(put_bytes(store, "id", "the second", 10));
    EXPECT_EQ(2, statistics_of(store).puts);
    EXPECT_EQ(1, statistics_of(store).puts_unchanged);
    store_close(store);
}

TEST_C(BucketStore, RemovesWhatItIsTold)
{
    char text[64];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(remove_id(store, "nothing"));
    EXPECT_OK(put_bytes(store, "a", "1", 1));
    EXPECT_OK(put_bytes(store, "b", "2", 1));
    EXPECT_OK(remove_id(store, "a"));
    EXPECT_STATUS(dnnl_cache_miss, get_text(store, "a", text, sizeof text));
    EXPECT_OK(get_text(store, "b", text, sizeof text));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_EQ(3, count_names(options.path));
    EXPECT_EQ(1, statistics_of(store).removes);
    store_close(store);
}

TEST_C(BucketStore, SurvivesReopening)
{
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(put_number(store, i, 100 + i));
    store_close(store);
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(get_number(store, i, 100 + i));
    EXPECT_EQ(0, statistics_of(store).recounts);
    store_close(store);
}

/* ---- Iteration ----------------------------------------------------------- */

struct seen {
    int count;
    int stop_after;
    struct store_item last;
    char last_id[32];
};

static bool see(void *user, const struct store_item *item)
{
    struct seen *seen = user;
    seen->last = *item;
    snprintf(seen->last_id, sizeof seen->last_id, "%.*s", (int)item->id_size,
            (const char *)item->id);
    return ++seen->count != seen->stop_after;
}

TEST_C(BucketStore, IteratesOverIntactEntries)
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, "one", "blob", 4));
    struct seen seen = {0};
    EXPECT_OK(store_iterate(store, see, &seen));
    EXPECT_EQ(1, seen.count);
    EXPECT_STR_EQ("one", seen.last_id);
    EXPECT_EQ(4, seen.last.blob_size);
    EXPECT_EQ(12345, seen.last.compile_ns);
    EXPECT_EQ(dnnl_cache_blob_kind_program, seen.last.kind);
    EXPECT_GT(seen.last.created_ns, 1500000000000000000);
    EXPECT_OK(put_bytes(store, "two", "blob", 4));
    EXPECT_OK(put_bytes(store, "three", "blob", 4));
    EXPECT_EQ(3, count_entries(store));
    seen = (struct seen){.stop_after = 2};
    EXPECT_OK(store_iterate(store, see, &seen));
    EXPECT_EQ(2, seen.count);
    unlink(text_entry_path(path, "two", "key.bin"));
    EXPECT_EQ(2, count_entries(store));
    store_close(store);
}

/* ---- Collisions ---------------------------------------------------------- */

static uint64_t hash_seven(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

TEST_C(BucketStore, KeepsIdsOfOneHashApart)
{
    struct store_options options = test_options();
    char path[path_size];
    struct stat st;
    options.hash = hash_seven;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 50));
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(get_number(store, i, 50));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 5, 50));
    EXPECT_EQ(5, count_names(path_in_test(path, "store/7")));
    EXPECT_EQ(0, stat(path_in_test(path, "store/7/4/key.bin"), &st));

    /* A gap is no end, and is filled first. */
    EXPECT_OK(remove_id(store, "id 0"));
    EXPECT_OK(remove_id(store, "id 2"));
    EXPECT_OK(get_number(store, 4, 50));
    EXPECT_OK(put_number(store, 9, 50));
    EXPECT_EQ(0, stat(path_in_test(path, "store/7/0/key.bin"), &st));
    EXPECT_NE(0, stat(path_in_test(path, "store/7/2/key.bin"), &st));
    EXPECT_OK(put_number(store, 4, 51));
    EXPECT_OK(get_number(store, 4, 51));
    EXPECT_OK(get_number(store, 9, 50));
    EXPECT_EQ(4, count_entries(store));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketStore, ComparesWholeKeys)
{
    struct store_options options = test_options();
    options.hash = hash_seven;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = store_callbacks(store);
    uint8_t id[5000] = {0};
    const uint8_t *blob;
    size_t size;
    /* Prefixes, NUL bytes, a difference past the first page. */
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"a", NULL));
    EXPECT_OK(s->put(s->user, 4999, id, 1, (const uint8_t *)"b", NULL));
    id[4999] = 1;
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 5000, id, &size, &blob));
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"c", NULL));
    ASSERT_OK(s->get(s->user, 5000, id, &size, &blob));
    EXPECT_BYTES_EQ("c", 1, blob, size);
    s->release(s->user, size, blob);
    id[4999] = 0;
    ASSERT_OK(s->get(s->user, 5000, id, &size, &blob));
    EXPECT_BYTES_EQ("a", 1, blob, size);
    s->release(s->user, size, blob);
    ASSERT_OK(s->get(s->user, 4999, id, &size, &blob));
    EXPECT_BYTES_EQ("b", 1, blob, size);
    s->release(s->user, size, blob);
    store_close(store);
}

/* ---- Capacity ------------------------------------------------------------ */

enum { blob_size = 4096 };

/* Room for n entries of blob_size, but not for n + 1. */
static struct store_limit room_for(unsigned n)
{
    return store_limit_bytes(
            n * (blob_size + trailer_size + id_digits_max + 40) + 3800);
}

TEST_C(BucketStore, EvictsTheOldestFirst)
{
    struct store_options options = test_options();
    options.capacity = room_for(3);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 200; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_LE(tree_bytes(options.path), options.capacity.bytes);
        EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
        for (unsigned j = 0; j <= i; j++)
            EXPECT_STATUS(j + 3 > i ? dnnl_success : dnnl_cache_miss,
                    get_number(store, j, blob_size));
        if (test_has_failed()) break;
    }
    EXPECT_EQ(197, statistics_of(store).evictions);
    EXPECT_EQ(0, statistics_of(store).recounts);
    store_close(store);
}

TEST_C(BucketStore, AReplacedEntryIsYoungAgain)
{
    struct store_options options = test_options();
    options.capacity = room_for(4);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(put_number(store, 0, blob_size - 1));
    EXPECT_OK(put_number(store, 3, blob_size));
    EXPECT_OK(put_number(store, 4, blob_size));
    EXPECT_OK(get_number(store, 0, blob_size - 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, blob_size));
    EXPECT_OK(get_number(store, 2, blob_size));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketStore, OrderOfCreationSurvivesALostIndex)
{
    struct store_options options = test_options();
    char path[path_size];
    options.capacity = room_for(4);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    store_close(store);
    EXPECT_EQ(0, unlink(path_in_test(path, "store/index.bin")));
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(1, statistics_of(store).recounts);
    EXPECT_OK(put_number(store, 4, blob_size));
    EXPECT_OK(put_number(store, 5, blob_size));
    for (unsigned i = 0; i < 6; i++)
        EXPECT_STATUS(i < 2 ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, blob_size));
    store_close(store);
}

TEST_C(BucketStore, ASmallerCapacityEvictsAtOpen)
{
    struct store_options options = test_options();
    options.capacity = store_limit_unlimited();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 30; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_EQ(30, count_entries(store));
    store_close(store);
    options.capacity = room_for(5);
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(5, count_entries(store));
    EXPECT_LE(tree_bytes(options.path), options.capacity.bytes);
    EXPECT_OK(get_number(store, 29, blob_size));
    EXPECT_OK(get_number(store, 25, blob_size));
    store_close(store);
}

TEST_C(BucketStore, DoesNotKeepWhatCanNeverFit)
{
    struct store_options options = test_options();
    options.capacity = room_for(3);
    options.max_blob_bytes = 3 * blob_size;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, blob_size));
    EXPECT_OK(put_number(store, 2, 100 * blob_size));
    EXPECT_OK(put_number(store, 3, 3 * blob_size + 1));
    EXPECT_EQ(2, statistics_of(store).puts_too_large);
    EXPECT_EQ(0, statistics_of(store).evictions);
    EXPECT_OK(get_number(store, 1, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100 * blob_size));
    EXPECT_OK(put_number(store, 4, 3 * blob_size));
    EXPECT_OK(get_number(store, 4, 3 * blob_size));
    store_close(store);
}

TEST_C(BucketStore, OffTouchesNothing)
{
    struct store_options options = test_options();
    options.capacity = store_limit_off();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 10));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(1, statistics_of(store).puts_off);
    EXPECT_NE(0, access(options.path, F_OK));
    store_close(store);
}

TEST_C(BucketStore, SyncsAtEveryDurability)
{
    struct store_options options = test_options();
    for (int d = 0; d <= 2; d++) {
        options.durability = (enum store_durability)d;
        struct store *store = open_store(&options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, (unsigned)d, 5000));
        EXPECT_OK(put_number(store, 10, (size_t)(5000 + d)));
        EXPECT_OK(get_number(store, (unsigned)d, 5000));
        store_close(store);
    }
}

/* ---- Size accounting ----------------------------------------------------- */

TEST_C(BucketStore, RecountsWhatItCannotBelieve)
{
    static const char *const texts[] = {"", "12x", "-1",
            "99999999999999999999999", "7", "007", "18446744073709551616",
            "0\n"};
    const struct store_options options = test_options();
    char path[path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 100, 1000));
    path_in_test(path, "store/size.txt");
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_whole(path, texts[i], strlen(texts[i]));
        EXPECT_OK(put_number(store, i, 1000));
        EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
        EXPECT_EQ(i + 1, statistics_of(store).recounts);
    }
    unlink(path);
    EXPECT_OK(put_number(store, 101, 1000));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketStore, RecountsEntriesRemovedByHand)
{
    struct store_options options = test_options();
    char path[path_size + 16];
    char entry[path_size];
    options.capacity = room_for(4);
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "rm -r '%s'", entry_path(entry, i, ""));
        EXPECT_EQ(0, system(path));
    }
    EXPECT_OK(put_number(store, 4, blob_size));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_EQ(1, statistics_of(store).recounts);
    /* There was room for one more than the index knew. */
    EXPECT_OK(put_number(store, 5, blob_size));
    for (unsigned i = 2; i < 6; i++)
        EXPECT_OK(get_number(store, i, blob_size));
    store_close(store);
}

TEST_C(BucketStore, TakesInEntriesPutThereByHand)
{
    const struct store_options options = test_options();
    char path[path_size];
    char command[3 * path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 1000));
    snprintf(command, sizeof command, "cp -r '%s' '%s'", options.path,
            path_in_test(path, "other"));
    EXPECT_EQ(0, system(command));
    EXPECT_OK(put_number(store, 2, 1000));
    store_close(store);

    struct store_options other = test_options();
    other.path = path;
    snprintf(command, sizeof command,
            "for d in '%s'/[0-9]*; do cp -r \"$d\" '%s'; done; rm "
            "'%s'/size.txt",
            options.path, path, path);
    EXPECT_EQ(0, system(command));
    store = open_store(&other);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 2, 1000));
    EXPECT_EQ(entry_bytes(path), recorded_bytes(path));
    store_close(store);
}

TEST_C(BucketStore, SurvivesDeletionOfTheWholeDirectory)
{
    const struct store_options options = test_options();
    char command[2 * path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 1000));
    snprintf(command, sizeof command, "rm -r '%s'", options.path);
    EXPECT_EQ(0, system(command));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_EQ(0700, mode_of(options.path));
    snprintf(command, sizeof command, "rm -r '%s'/*", options.path);
    EXPECT_EQ(0, system(command));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

/* The index's dead records are cleaned away before they cost room. */
TEST_C(BucketStore, KeepsItsIndexSmall)
{
    const struct store_options options = test_options();
    char path[path_size];
    struct stat st;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1000, 10)); /* stays at the front */
    for (unsigned i = 0; i < 500; i++)
        EXPECT_OK(put_number(store, i % 3, 100 + i));
    EXPECT_EQ(0, stat(path_in_test(path, "store/index.bin"), &st));
    EXPECT_LE(st.st_size, 64 + 40 * (2 * 4 + 65));
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_OK(get_number(store, 1000, 10));
    EXPECT_EQ(4, count_entries(store));
    store_close(store);
}
