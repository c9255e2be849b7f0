/* SPDX-License-Identifier: Apache-2.0 */
/* The bucket store as its users see it: layout, order, limits, statuses. */
#include "dnnl_cache/store.h"

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

TEST_C(BucketStore, MegabytesSayWhatTheyMean)
{
    EXPECT_EQ(3 * 1024 * 1024, dnnl_cache_store_megabytes(3));
    EXPECT_TRUE(dnnl_cache_store_megabytes(UINT64_MAX / 1000)
                == DNNL_CACHE_STORE_UNLIMITED);
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

TEST_OPENED(BucketStore, HasTheLayoutOfTheProposal)
{
    const struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    EXPECT_EQ(0, recorded_bytes(options.path));
    EXPECT_OK(put_bytes(store, "an id", "a blob", 6));
    /* size.txt, index.bin, totals, bucket */
    EXPECT_EQ(4, count_names(options.path));

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
}

/* The optional first level for back-ends that share a directory: each has a
 * tree of its own below it, and they do not mind each other. */
TEST_C(BucketStore, ABackEndMayHaveALevelOfItsOwn)
{
    static const char *const names[] = {"store/opencl", "store/level_zero"};
    dnnl_cache_store_handle_t *stores[2];
    char path[path_size];
    char text[16];
    struct dnnl_cache_store_options options = test_options();
    dnnl_cache_store_handle_t *above = open_store(&options);
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
    EXPECT_OK(dnnl_cache_store_trim(
            above, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(get_text(stores[1], "id", text, sizeof text));
    EXPECT_EQ(1, count_entries(stores[0]));
    EXPECT_EQ(0, count_entries(above));
    dnnl_cache_store_close(stores[0]);
    dnnl_cache_store_close(stores[1]);
    dnnl_cache_store_close(above);
}

TEST_OPENED(BucketStore, NamesBucketsByTheDecimalHash)
{
    char path[path_size];
    struct stat st;
    /* XXH3-64 with seed 0: where an ID is must not change with a release. */
    EXPECT_OK(put_bytes(store, "xxhash", "x", 1));
    path_in_test(path, "store/12271230650071847902/0/kernel.bin");
    EXPECT_EQ(0, stat(path, &st));
}

TEST_C(BucketStore, IsItsOwnersAloneUnlessAskedOtherwise)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    const mode_t mask = umask(0);
    dnnl_cache_store_handle_t *store = open_store(&options);
    EXPECT_OK(put_bytes(store, "id", "blob", 4));
    umask(mask);
    EXPECT_EQ(0600, mode_of(text_entry_path(path, "id", "key.bin")));
    EXPECT_EQ(0600, mode_of(text_entry_path(path, "id", "kernel.bin")));
    EXPECT_EQ(0700, mode_of(text_entry_path(path, "id", "")));
    EXPECT_EQ(0700, mode_of(options.path));
    dnnl_cache_store_close(store);
}

TEST_C(BucketStore, SharesModesWithTheGroupIfAsked)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    options.sharing = dnnl_cache_store_sharing_group;
    const mode_t mask = umask(077);
    dnnl_cache_store_handle_t *store = open_store(&options);
    EXPECT_OK(put_bytes(store, "id", "blob", 4));
    umask(mask);
    EXPECT_EQ(0660, mode_of(text_entry_path(path, "id", "key.bin")));
    EXPECT_EQ(0660, mode_of(text_entry_path(path, "id", "kernel.bin")));
    EXPECT_EQ(0770, mode_of(text_entry_path(path, "id", "")));
    EXPECT_EQ(0770, mode_of(options.path));
    EXPECT_EQ(0660, mode_of(path_in_test(path, "store/size.txt")));
    EXPECT_EQ(0660, mode_of(path_in_test(path, "store/index.bin")));
    dnnl_cache_store_close(store);
}

TEST_C(BucketStore, MakesMissingParents)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    options.path = path_in_test(path, "a/b/c/store");
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_OK(get_number(store, 1, 10));
    dnnl_cache_store_close(store);
}

/* ---- Damage that is met -------------------------------------------------- */

static bool keep_id(void *user, const struct dnnl_cache_store_verdict *verdict)
{
    if (!verdict->intact)
        snprintf(user, 32, "%.*s", (int)verdict->id_size,
                verdict->id != NULL ? (const char *)verdict->id : "");
    return true;
}

TEST_OPENED(BucketStore, TellsOfDamageThatItMeets)
{
    char path[path_size];
    char id[32] = "";
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(put_bytes(store, "one", "blob", 4));
    EXPECT_OK(put_bytes(store, "two", "blob", 4));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(0, unlink(text_entry_path(path, "one", "kernel.bin")));
    EXPECT_EQ(1, count_entries(store));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_OK(dnnl_cache_store_verify(store, false, keep_id, id, &check));
    EXPECT_EQ(1, check.damaged);
    EXPECT_STR_EQ("one", id);
    /* An ID that is not this bucket's is none. */
    write_whole(text_entry_path(path, "one", "key.bin"), "xyz", 3);
    EXPECT_OK(dnnl_cache_store_verify(store, false, keep_id, id, &check));
    EXPECT_EQ(1, check.damaged);
    EXPECT_STR_EQ("", id);
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
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    struct stat st;
    options.hash = hash_seven;
    dnnl_cache_store_handle_t *store = open_store(&options);
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
    dnnl_cache_store_close(store);
}

/* ---- A cleaner ----------------------------------------------------------- */

static bool cleans;

/* IDs are hashed while they are looked for, with the lock held. */
static uint64_t hash_and_clean(const void *data, size_t size)
{
    char path[path_size];
    if (cleans) (void)rmdir(path_in_test(path, "store/.tmp"));
    return hash_seven(data, size);
}

/* It is not gone because .tmp is. */
TEST_C(BucketStore, RemoveEndsIfItsWorkFolderIsTakenAway)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    options.hash = hash_and_clean;
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 50));
    /* So that remove counts first, and has the folder open when it looks. */
    EXPECT_EQ(0, unlink(path_in_test(path, "store/size.txt")));
    cleans = true;
    alarm(20); /* it went on for ever */
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    alarm(0);
    cleans = false;
    EXPECT_OK(get_number(store, 1, 50));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 50));
    EXPECT_EQ(0, recorded_bytes(options.path));
    dnnl_cache_store_close(store);
}

/* ---- Capacity ------------------------------------------------------------ */

enum { blob_size = 4096 };

/* Room for n entries of blob_size, but not for n + 1. */
static uint64_t room_for(unsigned n)
{
    return n * (blob_size + trailer_size + id_digits_max + 40) + 3800;
}

/* Put in the reverse order of the buckets' names, so that no order of names or
 * hashes passes for that of creation. */
TEST_C(BucketStore, OrderOfCreationSurvivesALostIndex)
{
    enum { kept = 4, all = 6 };
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    unsigned numbers[all];
    options.capacity = room_for(kept);
    numbers_by_falling_hash(numbers, all);
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < kept; i++)
        EXPECT_OK(put_number(store, numbers[i], blob_size));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, unlink(path_in_test(path, "store/index.bin")));
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(1, statistics_of(store).recounts);
    for (unsigned i = kept; i < all; i++)
        EXPECT_OK(put_number(store, numbers[i], blob_size));
    for (unsigned i = 0; i < all; i++)
        EXPECT_STATUS(i < all - kept ? dnnl_cache_miss : dnnl_success,
                get_number(store, numbers[i], blob_size));
    dnnl_cache_store_close(store);
}

/* As a user who may not look into one of the buckets. */
static int put_beside_unreadable(void *user)
{
    const struct dnnl_cache_store_options *options = user;
    char path[path_size];
    if (!test_drop_capabilities()) return 77;
    for (int i = 0; i < 2; i++) {
        /* It is to be evicted; then all are to be counted. */
        if (i > 0 && unlink(path_in_test(path, "store/index.bin")) != 0)
            return 1;
        dnnl_cache_store_handle_t *store = open_store(options);
        if (store == NULL) return 2;
        if (put_number(store, 4, blob_size) != dnnl_runtime_error) return 3;
        if (get_number(store, 4, blob_size) != dnnl_cache_miss) return 4;
        if (get_number(store, 0, blob_size) != dnnl_cache_miss) return 5;
        if (get_number(store, 1, blob_size) != dnnl_success) return 6;
        if (count_entries(store) != 3) return 7;
        dnnl_cache_store_close(store);
    }
    if (chmod(bucket_path(path, 0), 0700) != 0) return 8;
    dnnl_cache_store_handle_t *store = open_store(options);
    if (store == NULL) return 9;
    if (put_number(store, 4, blob_size) != dnnl_success) return 10;
    if (get_number(store, 0, blob_size) != dnnl_cache_miss) return 11;
    if (count_entries(store) != 4) return 12;
    dnnl_cache_store_close(store);
    return 0;
}

/* What is in it takes room all the same. */
TEST_C(BucketStore, WhatMayNotBeReadIsNotGone)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    options.capacity = room_for(4);
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 4; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, chmod(bucket_path(path, 0), 0));
    EXPECT_EQ(0, in_child(put_beside_unreadable, &options));
}

/* ---- Size accounting ----------------------------------------------------- */

TEST_OPENED(BucketStore, RecountsWhatItCannotBelieve)
{
    static const char *const texts[] = {"", "12x", "-1",
            "99999999999999999999999", "7", "007", "18446744073709551616",
            "0\n"};
    const struct dnnl_cache_store_options options = test_options();
    char path[path_size];
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
}

/* A bucket that holds something else stays, and that is no trouble. */
TEST_OPENED(BucketStore, RemovesWithoutCountingAgain)
{
    const struct dnnl_cache_store_options options = test_options();
    char bucket[path_size];
    char path[path_size + 16];
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(remove_id(store, "id 0"));
    bucket_path(bucket, 1);
    snprintf(path, sizeof path, "%s/other", bucket);
    write_whole(path, "x", 1);
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, access(path, F_OK));
    EXPECT_OK(put_number(store, 3, blob_size));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
}

TEST_C(BucketStore, RecountsEntriesRemovedByHand)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size + 16];
    char entry[path_size];
    options.capacity = room_for(4);
    dnnl_cache_store_handle_t *store = open_store(&options);
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
    dnnl_cache_store_close(store);
}

/* Nothing is discarded then, but the index is made anew. */
TEST_C(BucketStore, RecordsThatWhatItEvictsIsGone)
{
    struct dnnl_cache_store_options options = test_options();
    char command[path_size + 16];
    char bucket[path_size];
    uint64_t removed = 0;
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    snprintf(command, sizeof command, "rm -r '%s'", bucket_path(bucket, 0));
    EXPECT_EQ(0, system(command));
    EXPECT_OK(dnnl_cache_store_trim(store, recorded_bytes(options.path) - 1,
            DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(0, removed);
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_OK(put_number(store, 3, blob_size));
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_EQ(3, count_entries(store));
    dnnl_cache_store_close(store);
}

TEST_C(BucketStore, TakesInEntriesPutThereByHand)
{
    const struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    char command[3 * path_size];
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 1000));
    snprintf(command, sizeof command, "cp -r '%s' '%s'", options.path,
            path_in_test(path, "other"));
    EXPECT_EQ(0, system(command));
    EXPECT_OK(put_number(store, 2, 1000));
    dnnl_cache_store_close(store);

    struct dnnl_cache_store_options other = test_options();
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
    dnnl_cache_store_close(store);
}

/* The index's dead records are cleaned away before they cost room. */
TEST_OPENED(BucketStore, KeepsItsIndexSmall)
{
    char path[path_size];
    struct stat st;
    EXPECT_OK(put_number(store, 1000, 10)); /* stays at the front */
    for (unsigned i = 0; i < 500; i++)
        EXPECT_OK(put_number(store, i % 3, 100 + i));
    EXPECT_EQ(0, stat(path_in_test(path, "store/index.bin"), &st));
    EXPECT_LE(st.st_size, 64 + 40 * (2 * 4 + 65));
    EXPECT_EQ(0, statistics_of(store).recounts);
    EXPECT_OK(get_number(store, 1000, 10));
    EXPECT_EQ(4, count_entries(store));
}

/* ---- Damage -------------------------------------------------------------- */

TEST_C(BucketDamage, DamagedEntriesAreTheFirstToGo)
{
    struct dnnl_cache_store_options options = test_options();
    char path[path_size];
    options.capacity = 5 * (4096 + 64 + 8 + 40) + 3000;
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_OK(put_number(store, i, 4096));
    write_whole(entry_path(path, 3, "kernel.bin"), "junk", 4);
    unlink(path_in_test(path, "store/index.bin"));
    EXPECT_OK(put_number(store, 5, 4096));
    EXPECT_OK(put_number(store, 6, 4096));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 0, 4096));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 3, 4096));
    EXPECT_OK(get_number(store, 1, 4096));
    EXPECT_NE(0, access(entry_path(path, 3, ""), F_OK));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    dnnl_cache_store_close(store);
}

/* A writer that dies between making a bucket and filling it leaves one. */
TEST_OPENED(BucketHostile, EmptyBucketsGoWithTheNextCount)
{
    char path[path_size];
    EXPECT_OK(put_number(store, 1, 20));
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/123"), 0700));
    unlink(path_in_test(path, "store/index.bin"));
    EXPECT_OK(put_number(store, 2, 20));
    EXPECT_NE(0, access(path_in_test(path, "store/123"), F_OK));
    EXPECT_EQ(2, count_entries(store));
}

TEST_OPENED(BucketDamage, IsRemovedWithOneFileLeft)
{
    static const char *const files[] = {"key.bin", "kernel.bin"};
    char path[path_size];
    const struct dnnl_cache_store_options options = test_options();
    for (int f = 0; f < 2; f++) {
        EXPECT_OK(put_number(store, 1, 20));
        EXPECT_EQ(0, unlink(entry_path(path, 1, files[f])));
        EXPECT_OK(remove_id(store, "id 1"));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 20));
        EXPECT_EQ(0, count_entries(store));
        EXPECT_EQ(0, recorded_bytes(options.path));
    }
}

static void keep_line(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    if (level == dnnl_cache_log_warning)
        snprintf(user, 2 * path_size, "%s", text);
}

TEST_C(BucketDamage, IsNamedInTheLog)
{
    char path[path_size];
    char expected[2 * path_size];
    char said[2 * path_size] = "";
    struct dnnl_cache_store_options options = test_options();
    options.log = keep_line;
    options.log_user = said;
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 20));
    EXPECT_EQ(0, truncate(entry_path(path, 1, "kernel.bin"), 3));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 20));
    *strrchr(path, '/') = '\0';
    snprintf(expected, sizeof expected,
            "%s: damaged: compiled again and replaced", path);
    EXPECT_STR_EQ(expected, said);
    dnnl_cache_store_close(store);
}
