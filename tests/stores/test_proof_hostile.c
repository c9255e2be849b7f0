/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that somebody prepared: devices, sockets, huge files, names with
 * dots, two stores that disagree, an entry of another user's. */
#include "bucket_store.h"

#include "scenes.h"
#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

enum { small = 20 };

/* ---- What is no file ----------------------------------------------------- */

/* /dev/zero, which would give bytes for ever. False without the right to. */
static bool plant_device(const char *path)
{
    unlink(path);
    return mknod(path, S_IFCHR | 0600, makedev(1, 5)) == 0;
}

static bool plant_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    unlink(path);
    if (strlen(path) >= sizeof address.sun_path) return false;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool good =
            fd >= 0
            && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) close(fd);
    return good;
}

/* One such thing in place of each file of a store with entries 1 and 2. */
static void expect_healing(bool (*plant)(const char *path))
{
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (int which = 0; which < 4; which++) {
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(put_number(store, 2, small));
        if (which == 0) entry_path(path, 1, "key.bin");
        if (which == 1) entry_path(path, 1, "kernel.bin");
        if (which == 2) path_in_test(path, "store/size.txt");
        if (which == 3) path_in_test(path, "store/index.bin");
        if (!plant(path)) {
            store_close(store);
            SKIP_TEST("such files cannot be made here");
        }
        EXPECT_STATUS(which == 1 ? dnnl_cache_miss : dnnl_success,
                get_number(store, 1, small));
        EXPECT_OK(get_number(store, 2, small));
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(put_number(store, 3 + (unsigned)which, small));
        EXPECT_OK(get_number(store, 1, small));
        expect_no_orphans(options.path);
        EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    }
    store_close(store);
}

TEST_C(BucketHostile, DevicesInPlaceOfFiles)
{
    expect_healing(plant_device);
}

TEST_C(BucketHostile, SocketsInPlaceOfFiles)
{
    expect_healing(plant_socket);
}

/* ---- Names --------------------------------------------------------------- */

/* IDs are bytes; none of them becomes a part of a path. */
TEST_C(BucketHostile, IdsThatLookLikePaths)
{
    static const char *const ids[] = {"../../escape", "..", ".", "/etc/passwd",
            "size.txt", "index.bin", ".tmp", "a/../b", "0"};
    enum { count = sizeof ids / sizeof ids[0] };
    char text[64];
    char path[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < count; i++)
        EXPECT_OK(put_bytes(store, ids[i], ids[i], strlen(ids[i])));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_OK(get_text(store, ids[i], text, sizeof text));
        EXPECT_STR_EQ(ids[i], text);
    }
    EXPECT_EQ(count, count_entries(store));
    expect_no_orphans(options.path);
    EXPECT_NE(0, access(path_in_test(path, "escape"), F_OK));
    store_close(store);
}

/* Names that are nearly a bucket's or an entry's, and links upwards. */
TEST_C(BucketHostile, NamesWithDots)
{
    static const char *const names[] = {
            "store/..1", "store/1..", "store/...", "store/-1", "store/+1"};
    enum { count = sizeof names / sizeof names[0] };
    char path[path_size];
    char bucket[path_size];
    const struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, mkdir(path_in_test(path, names[i]), 0700));
    /* A bucket that is the store's parent, an entry that is the store. */
    EXPECT_EQ(0, symlink("..", path_in_test(path, "store/77")));
    *strrchr(entry_path(bucket, 1, ""), '/') = '\0';
    snprintf(path, sizeof path, "%.400s/1", bucket);
    EXPECT_EQ(0, symlink("../..", path));
    snprintf(path, sizeof path, "%.400s/..2", bucket);
    EXPECT_EQ(0, mkdir(path, 0700));
    unlink(path_in_test(path, "store/index.bin"));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, access(path_in_test(path, names[i]), F_OK));
    EXPECT_EQ(0, access(options.path, F_OK));
    store_close(store);
}

/* ---- Huge files ---------------------------------------------------------- */

static int use_with_little_memory(void *user)
{
    const struct store_options *options = user;
    const double began = seconds_now();
    struct store *store = open_store(options);
    if (store == NULL) return 1;
    EXPECT_OK(get_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_LT(recorded_bytes(options->path), 1000);
    EXPECT_LT(tree_bytes(options->path), 10000);
    EXPECT_TRUE(seconds_now() - began < 1);
    store_close(store);
    return test_has_failed();
}

/* size.txt of 100 MB of digits, and everything else as long. */
TEST_C(BucketHostile, HugeFiles)
{
    enum { huge = 100 * 1000 * 1000 };
    char path[path_size];
    struct store_options options = test_options();
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    options.max_blob_bytes = 1000 * 1000;
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    store_close(store);
    char *digits = malloc(huge);
    ASSERT_NOT_NULL(digits);
    memset(digits, '7', huge);
    write_whole(path_in_test(path, "store/size.txt"), digits, huge);
    free(digits);
    EXPECT_EQ(0, truncate(path_in_test(path, "store/index.bin"), huge));
    EXPECT_EQ(0, truncate(entry_path(path, 1, "key.bin"), huge));
    EXPECT_EQ(0, truncate(entry_path(path, 1, "kernel.bin"), huge));
    EXPECT_EQ(0, in_child(use_with_little_memory, &options));
}

/* ---- Two stores ---------------------------------------------------------- */

TEST_C(BucketHostile, TwoStoresOnOneDirectory)
{
    struct store_options options = test_options();
    struct store *large = open_store(&options);
    ASSERT_NOT_NULL(large);
    options.capacity = store_limit_bytes(20000);
    options.policy = store_policy_lru;
    struct store *little = open_store(&options);
    ASSERT_NOT_NULL(little);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(put_number(i % 2 != 0 ? large : little, i, 2000));
    EXPECT_OK(get_number(large, 18, 2000));
    EXPECT_OK(get_number(little, 19, 2000));
    EXPECT_OK(remove_id(large, "id 19"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(little, 19, 2000));
    /* Each keeps to its own capacity when it writes. */
    EXPECT_OK(put_number(little, 20, 2000));
    EXPECT_LE(tree_bytes(options.path), 20000);
    for (unsigned i = 21; i < 40; i++)
        EXPECT_OK(put_number(large, i, 2000));
    EXPECT_GT(tree_bytes(options.path), 38000);
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    EXPECT_EQ(count_entries(large), count_entries(little));
    struct store_statistics statistics;
    EXPECT_OK(store_get_statistics(large, &statistics));
    EXPECT_EQ(0, statistics.recounts);
    store_close(little);
    store_close(large);
}

static uint64_t other_hash(const void *data, size_t size)
{
    return size > 0 ? 1000 + *(const uint8_t *)data : 0;
}

/* Who hashes otherwise finds nothing, and nothing wrong. */
TEST_C(BucketHostile, TwoStoresThatHashOtherwise)
{
    struct store_options options = test_options();
    struct store *one = open_store(&options);
    ASSERT_NOT_NULL(one);
    options.hash = other_hash;
    struct store *other = open_store(&options);
    ASSERT_NOT_NULL(other);
    EXPECT_OK(put_number(one, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(other, 1, small));
    EXPECT_OK(put_number(other, 1, small));
    EXPECT_OK(get_number(other, 1, small));
    EXPECT_OK(get_number(one, 1, small));
    EXPECT_EQ(entry_bytes(options.path), recorded_bytes(options.path));
    store_close(one);
    store_close(other);
}

/* ---- A read-only file system --------------------------------------------- */

static int use_read_only_mount(void *user)
{
    const struct store_options *options = user;
    const char *path = options->path;
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount(path, path, NULL, MS_BIND, NULL) != 0
            || mount("none", path, NULL,
                       MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOATIME, NULL)
                       != 0)
        return 77;
    struct store_statistics statistics = {0};
    struct store *store = open_store(options);
    if (store == NULL) return 1;
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_OK(store_get_statistics(store, &statistics));
    EXPECT_EQ(1, statistics.puts_read_only);
    store_close(store);
    return test_has_failed();
}

TEST_C(BucketHostile, AReadOnlyFileSystem)
{
    struct store_options options = test_options();
    options.policy = store_policy_lru;
    struct store *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    store_close(store);
    const int result = in_child(use_read_only_mount, &options);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}

/* ---- No access times ----------------------------------------------------- */

static int use_without_access_times(void *user)
{
    struct store_options options = *(const struct store_options *)user;
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", options.path, "tmpfs", MS_NOATIME | MS_NODIRATIME,
                       "size=1m,mode=0700")
                       != 0)
        return 77;
    struct store *store = open_store(&options);
    if (store == NULL) return 1;
    EXPECT_OK(put_number(store, 1, 4096));
    EXPECT_OK(put_number(store, 2, 4096));
    usleep(20000); /* longer than a clock of files ticks */
    EXPECT_OK(get_number(store, 1, 4096));
    EXPECT_OK(put_number(store, 3, 4096));
    EXPECT_OK(get_number(store, 1, 4096));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 4096));
    store_close(store);
    return test_has_failed();
}

/* Uses are noted where every file system keeps them. */
TEST_C(BucketHostile, AFileSystemWithoutAccessTimes)
{
    struct store_options options = test_options();
    options.policy = store_policy_lru;
    options.capacity = store_limit_bytes(2 * (4096 + 64 + 8 + 40) + 3000);
    EXPECT_EQ(0, mkdir(options.path, 0700));
    const int result = in_child(use_without_access_times, &options);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}
