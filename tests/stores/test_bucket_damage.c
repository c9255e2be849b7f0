/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged, hostile, read-only and full directories: never a wrong blob, never
 * more than a miss, and the next put heals. */
#include "bucket_store.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct store_statistics statistics_of(const struct store *store)
{
    struct store_statistics statistics = {0};
    EXPECT_OK(store_get_statistics(store, &statistics));
    return statistics;
}

/* ---- Damage -------------------------------------------------------------- */

enum { small = 20 };

/* What a get gives when this file of the entry is no good: the blob's checksum
 * is the ID's too, and key.bin is asked only if it does not match. */
static dnnl_status_t got_without(const char *file)
{
    return strcmp(file, "key.bin") == 0 ? dnnl_success : dnnl_cache_miss;
}

/* With entry 1 damaged in some way: a get gives that status, entry 2 is not
 * harmed, and a put heals it without leaving anything behind. */
static void expect_healing(struct store *store, dnnl_status_t got)
{
    const char *path = test_options().path;
    EXPECT_STATUS(got, get_number(store, 1, small));
    EXPECT_OK(get_number(store, 2, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(entry_bytes(path), recorded_bytes(path));
}

TEST_C(BucketDamage, EveryBitOfAnEntry)
{
    static const char *const files[] = {"key.bin", "kernel.bin"};
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    for (int f = 0; f < 2; f++) {
        size_t size;
        entry_path(path, 1, files[f]);
        uint8_t *bytes = read_whole(path, &size);
        for (size_t bit = 0; bit < 8 * size && !test_has_failed(); bit++) {
            free(bytes);
            bytes = read_whole(path, &size);
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            write_whole(path, bytes, size);
            expect_healing(store, got_without(files[f]));
        }
        free(bytes);
    }
    EXPECT_EQ(0, statistics_of(store).recounts);
    store_close(store);
}

TEST_C(BucketDamage, EveryLengthOfAnEntry)
{
    static const char *const files[] = {"key.bin", "kernel.bin"};
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    for (int f = 0; f < 2; f++) {
        size_t full;
        entry_path(path, 1, files[f]);
        free(read_whole(path, &full));
        for (size_t size = 0; size < full + 10 && !test_has_failed(); size++) {
            if (size == full) continue;
            EXPECT_EQ(0, truncate(path, (off_t)size));
            expect_healing(store, got_without(files[f]));
        }
    }
    store_close(store);
}

TEST_C(BucketDamage, EveryByteOfTheBooks)
{
    static const char *const files[] = {"store/size.txt", "store/index.bin"};
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 1; i <= 3; i++)
        EXPECT_OK(put_number(store, i, small));
    for (int f = 0; f < 2; f++) {
        size_t size;
        path_in_test(path, files[f]);
        free(read_whole(path, &size));
        for (size_t at = 0; at < size && !test_has_failed(); at++) {
            uint8_t *bytes = read_whole(path, &size);
            if (at < size) bytes[at] ^= (uint8_t)(1u << (at % 8));
            write_whole(path, bytes, size);
            free(bytes);
            EXPECT_OK(get_number(store, 1, small));
            EXPECT_OK(put_number(store, 2, small + 1 + at % 2));
            EXPECT_EQ(3, count_entries(store));
            EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
        }
        EXPECT_EQ(0, truncate(path, 1));
        EXPECT_OK(put_number(store, 2, small));
        EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    }
    store_close(store);
}

TEST_C(BucketDamage, MissingFiles)
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    unlink(entry_path(path, 1, "key.bin"));
    expect_healing(store, dnnl_success);
    unlink(entry_path(path, 1, "kernel.bin"));
    expect_healing(store, dnnl_cache_miss);
    unlink(entry_path(path, 1, "key.bin"));
    unlink(entry_path(path, 1, "kernel.bin"));
    expect_healing(store, dnnl_cache_miss);
    store_close(store);
}

TEST_C(BucketDamage, IsRemovedWithOneFileLeft)
{
    static const char *const files[] = {"key.bin", "kernel.bin"};
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (int f = 0; f < 2; f++) {
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_EQ(0, unlink(entry_path(path, 1, files[f])));
        EXPECT_OK(remove_id(store, "id 1"));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
        EXPECT_EQ(0, count_entries(store));
        EXPECT_EQ(0, recorded_bytes(options.path));
    }
    store_close(store);
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
    struct store_options options = test_options();
    options.log = keep_line;
    options.log_user = said;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_EQ(0, truncate(entry_path(path, 1, "kernel.bin"), 3));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    *strrchr(path, '/') = '\0';
    snprintf(expected, sizeof expected, "%s: damaged", path);
    EXPECT_STR_EQ(expected, said);
    store_close(store);
}

TEST_C(BucketDamage, TheBlobOfAnotherId)
{
    char from[path_size];
    char to[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    size_t size;
    uint8_t *bytes = read_whole(entry_path(from, 2, "kernel.bin"), &size);
    write_whole(entry_path(to, 1, "kernel.bin"), bytes, size);
    free(bytes);
    expect_healing(store, dnnl_cache_miss);
    /* A whole entry in another's bucket: its key does not match. */
    bytes = read_whole(from, &size);
    write_whole(to, bytes, size);
    free(bytes);
    bytes = read_whole(entry_path(from, 2, "key.bin"), &size);
    write_whole(entry_path(to, 1, "key.bin"), bytes, size);
    free(bytes);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(get_number(store, 2, small));
    store_close(store);
}

TEST_C(BucketDamage, DamagedEntriesAreTheFirstToGo)
{
    struct store_options options = test_options();
    char path[path_size];
    options.capacity = store_limit_bytes(5 * (4096 + 64 + 8 + 40) + 3000);
    struct store *store = open_store(&options);
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
    store_close(store);
}

/* ---- Hostile entries ----------------------------------------------------- */

/* Puts something in place of a name. */
static void plant(const char *path, int what, const char *target)
{
    char command[2 * path_size];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    EXPECT_EQ(0, system(command));
    switch (what) {
    case 0:
        EXPECT_EQ(0, symlink(target, path));
        break;
    case 1:
        EXPECT_EQ(0, mkfifo(path, 0600));
        break;
    case 2:
        EXPECT_EQ(0, mkdir(path, 0700));
        break;
    case 3:
        EXPECT_EQ(0, symlink("/nowhere/at/all", path));
        break;
    case 4:
        write_whole(path, "a plain file", 12);
        break;
    default:
        EXPECT_EQ(0, mkdir(path, 0700));
        snprintf(command, sizeof command, "%s/0", path);
        EXPECT_EQ(0, symlink(target, command));
        break;
    }
}

enum { plants = 6 };

TEST_C(BucketHostile, NothingIsFollowedAndAllIsHealed)
{
    static const char *const names[] = {
            "/key.bin", "/kernel.bin", "", NULL /* the bucket */};
    char path[path_size];
    char outside[path_size];
    char decoy[2 * path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 2, small));
    /* What links lead to: a complete entry, which must be neither read nor
     * removed. */
    EXPECT_OK(put_number(store, 1, small));
    path_in_test(outside, "outside");
    EXPECT_EQ(0, mkdir(outside, 0700));
    snprintf(decoy, sizeof decoy, "cp -r '%s' '%s/0'", entry_path(path, 1, ""),
            outside);
    EXPECT_EQ(0, system(decoy));
    const uint64_t outside_bytes = tree_bytes(outside);

    for (unsigned n = 0; n < 4; n++) {
        for (int what = 0; what < plants && !test_has_failed(); what++) {
            const char *target = outside;
            entry_path(path, 1, "");
            if (names[n] == NULL) {
                *strrchr(path, '/') = '\0';
            } else if (names[n][0] == '\0') {
                snprintf(decoy, sizeof decoy, "%s/0", outside);
                target = decoy;
            } else {
                strcat(path, names[n]);
                snprintf(decoy, sizeof decoy, "%s/0%s", outside, names[n]);
                target = decoy;
            }
            plant(path, what, target);
            EXPECT_STATUS(names[n] != NULL && names[n][0] == '/'
                                  ? got_without(names[n] + 1)
                                  : dnnl_cache_miss,
                    get_number(store, 1, small));
            EXPECT_OK(get_number(store, 2, small));
            EXPECT_OK(put_number(store, 1, small));
            EXPECT_OK(get_number(store, 1, small));
            EXPECT_EQ(2, count_entries(store));
            /* Nobody can know what stood where now an empty bucket is. */
            EXPECT_LE(entry_bytes(options.path), recorded_bytes(options.path));
            EXPECT_EQ(outside_bytes, tree_bytes(outside));
        }
    }
    unlink(path_in_test(path, "store/size.txt"));
    EXPECT_OK(put_number(store, 3, small));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketHostile, TheStoresOwnFiles)
{
    static const char *const names[] = {
            "store/size.txt", "store/index.bin", "store/.tmp"};
    char path[path_size];
    char outside[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    write_whole(path_in_test(outside, "outside"), "precious", 8);
    for (unsigned n = 0; n < 3; n++) {
        for (int what = 0; what < plants && !test_has_failed(); what++) {
            plant(path_in_test(path, names[n]), what, outside);
            const unsigned number = n * plants + (unsigned)what;
            EXPECT_OK(put_number(store, number, small));
            EXPECT_OK(get_number(store, number, small));
            EXPECT_EQ(number + 1, count_entries(store));
            EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
            EXPECT_EQ(8, tree_bytes(outside));
        }
    }
    EXPECT_NE(0, access(path_in_test(path, "store/.tmp"), F_OK));
    store_close(store);
}

TEST_C(BucketHostile, ForeignNamesAreLeftAlone)
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    write_whole(path_in_test(path, "store/README"), "hello", 5);
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/007"), 0700));
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/99999999999999999999"), 0700));
    unlink(path_in_test(path, "store/index.bin"));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(0, access(path_in_test(path, "store/README"), F_OK));
    EXPECT_EQ(0, access(path_in_test(path, "store/007"), F_OK));
    EXPECT_EQ(2 * (4 + small + 64), recorded_bytes(options.path));
    store_close(store);
}

TEST_C(BucketHostile, LeftoversOfADeadWriterGo)
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/.tmp"), 0700));
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/.tmp/1-abc"), 0700));
    write_whole(path_in_test(path, "store/.tmp/1-abc/key.bin"), "x", 1);
    write_whole(path_in_test(path, "store/.tmp/2-def"), "y", 1);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_NE(0, access(path_in_test(path, "store/.tmp"), F_OK));
    store_close(store);
}

/* A writer that dies between making a bucket and filling it leaves one. */
TEST_C(BucketHostile, EmptyBucketsGoWithTheNextCount)
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/123"), 0700));
    unlink(path_in_test(path, "store/index.bin"));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_NE(0, access(path_in_test(path, "store/123"), F_OK));
    EXPECT_EQ(2, count_entries(store));
    store_close(store);
}

/* ---- Roots --------------------------------------------------------------- */

TEST_C(BucketRoot, WritableByOthersIsRefused)
{
    struct store_options options = test_options();
    struct store *store = NULL;
    EXPECT_EQ(0, mkdir(options.path, 0700));
    EXPECT_EQ(0, chmod(options.path, 0702));
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_EQ(0, chmod(options.path, 0720));
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_NULL(store);
    options.sharing = store_sharing_group;
    store = open_store(&options);
    EXPECT_NOT_NULL(store);
    store_close(store);
    options.sharing = store_sharing_private;
    EXPECT_EQ(0, chmod(options.path, 0755));
    store = open_store(&options);
    EXPECT_NOT_NULL(store);
    store_close(store);
}

TEST_C(BucketRoot, OfAnotherUserIsRefused)
{
    struct store_options options = test_options();
    struct store *store = NULL;
    if (geteuid() != 0) SKIP_TEST("only root can give a directory away");
    EXPECT_EQ(0, mkdir(options.path, 0700));
    EXPECT_EQ(0, chown(options.path, 12345, (gid_t)-1));
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_NULL(store);
    options.sharing = store_sharing_group;
    store = open_store(&options);
    EXPECT_NOT_NULL(store);
    store_close(store);
}

TEST_C(BucketRoot, MustBeADirectory)
{
    struct store_options options = test_options();
    struct store *store = NULL;
    write_whole(options.path, "x", 1);
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    char path[path_size];
    snprintf(path, sizeof path, "%s/below", options.path);
    options.path = path;
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&store, &options));
    EXPECT_NULL(store);
}

static int check_status(dnnl_status_t expected, dnnl_status_t actual, int line)
{
    if (expected == actual) return 0;
    fprintf(stderr, "%s:%d: expected %d, got %d\n", __FILE__, line,
            (int)expected, (int)actual);
    return 1;
}
#define CHECK(expected, call) failures += check_status(expected, call, __LINE__)

/* In a child that is no longer root, on a store with entry 1. */
static int use_read_only(void *user)
{
    const struct store_options *options = user;
    struct store *store = NULL;
    struct store_statistics statistics;
    int failures = 0;
    if (geteuid() == 0 && setresuid(12345, 12345, 12345) != 0) return 77;
    CHECK(dnnl_success, bucket_store_open(&store, options));
    if (store == NULL) return 1;
    CHECK(dnnl_success, get_number(store, 1, small));
    CHECK(dnnl_cache_miss, get_number(store, 2, small));
    CHECK(dnnl_success, put_number(store, 2, small));
    CHECK(dnnl_cache_miss, get_number(store, 2, small));
    CHECK(dnnl_success, remove_id(store, "nothing"));
    CHECK(dnnl_runtime_error, remove_id(store, "id 1"));
    CHECK(dnnl_success, get_number(store, 1, small));
    CHECK(dnnl_success, store_get_statistics(store, &statistics));
    failures += statistics.puts_read_only != 1 || statistics.puts != 0;
    store_close(store);
    return failures;
}

TEST_C(BucketRoot, ReadOnlyServesReaders)
{
    struct store_options options = test_options();
    char command[2 * path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    store_close(store);
    snprintf(command, sizeof command, "chmod -R a-w '%s'", options.path);
    EXPECT_EQ(0, system(command));
    if (geteuid() == 0) {
        snprintf(command, sizeof command, "chown -R 12345 '%s'; chmod a+x '%s'",
                options.path, test_directory());
        EXPECT_EQ(0, system(command));
    }
    EXPECT_EQ(0, in_child(use_read_only, &options));
    snprintf(command, sizeof command, "chmod -R u+w '%s'", options.path);
    EXPECT_EQ(0, system(command));
}

TEST_C(BucketRoot, ReadOnlyOnRequestWritesNothing)
{
    struct store_options options = test_options();
    char path[path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    store_close(store);
    unlink(path_in_test(path, "store/size.txt"));
    options.read_only = true;
    store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(0, statistics_of(store).bytes);
    EXPECT_NE(0, access(path, F_OK));
    store_close(store);
    struct store *none = NULL;
    options.path = path_in_test(path, "missing");
    EXPECT_STATUS(dnnl_runtime_error, bucket_store_open(&none, &options));
    EXPECT_NE(0, access(path, F_OK));
}

/* ---- Failing file systems ------------------------------------------------ */

static int put_with_file_limit(void *user)
{
    struct store *store = user;
    const struct rlimit limit = {4000, 4000};
    struct store_statistics statistics;
    int failures = 0;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
    CHECK(dnnl_runtime_error, put_number(store, 1, 10000));
    CHECK(dnnl_success, get_number(store, 1, 1000));
    CHECK(dnnl_runtime_error, put_number(store, 2, 10000));
    CHECK(dnnl_cache_miss, get_number(store, 2, 10000));
    CHECK(dnnl_success, put_number(store, 3, 1000));
    CHECK(dnnl_success, get_number(store, 3, 1000));
    CHECK(dnnl_success, store_get_statistics(store, &statistics));
    failures += statistics.puts_failed != 2 || statistics.recounts != 0;
    return failures;
}

TEST_C(BucketFailure, AWriteCutShortPublishesNothing)
{
    const struct store_options options = test_options();
    char path[path_size];
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_EQ(0, in_child(put_with_file_limit, store));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 1, 10000));
    EXPECT_OK(get_number(store, 1, 10000));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_NE(0, access(path_in_test(path, "store/.tmp"), F_OK));
    store_close(store);
}

static int fill_small_disk(void *user)
{
    struct store_options options = *(const struct store_options *)user;
    int failures = 0;
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", options.path, "tmpfs", 0, "size=200k,mode=0700")
                       != 0)
        return 77;
    struct store *store = NULL;
    CHECK(dnnl_success, bucket_store_open(&store, &options));
    if (store == NULL) return 1;
    unsigned kept = 0;
    while (kept < 100 && put_number(store, kept, 10000) == dnnl_success)
        kept++;
    if (kept < 5 || kept > 50) return 2;
    CHECK(dnnl_runtime_error, put_number(store, kept, 10000));
    CHECK(dnnl_runtime_error, put_number(store, 0, 20000));
    for (unsigned i = 0; i < kept; i++)
        CHECK(dnnl_success, get_number(store, i, 10000));
    CHECK(dnnl_success, remove_id(store, "id 0"));
    CHECK(dnnl_success, remove_id(store, "id 1"));
    CHECK(dnnl_success, put_number(store, kept, 10000));
    CHECK(dnnl_success, get_number(store, kept, 10000));
    store_close(store);
    return failures;
}

TEST_C(BucketFailure, AFullDiskIsNoCatastrophe)
{
    struct store_options options = test_options();
    options.capacity = store_limit_unlimited();
    EXPECT_EQ(0, mkdir(options.path, 0700));
    const int result = in_child(fill_small_disk, &options);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}

static int use_without_descriptors(void *user)
{
    struct store *store = user;
    struct rlimit limit = {3, 3};
    int failures = 0;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 77;
    CHECK(dnnl_runtime_error, get_number(store, 1, small));
    CHECK(dnnl_runtime_error, put_number(store, 2, small));
    CHECK(dnnl_runtime_error, remove_id(store, "id 1"));
    return failures;
}

TEST_C(BucketFailure, NoDescriptorsLeftIsAFailureNotAMiss)
{
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_EQ(0, in_child(use_without_descriptors, store));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_EQ(1, count_entries(store));
    store_close(store);
}
