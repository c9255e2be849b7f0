/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that somebody prepared: links, devices, huge files, names with
 * dots, two stores that disagree, file systems that are read-only or keep no
 * times. */
#include "scenes.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { small = 20 };

/* ---- What is no file ----------------------------------------------------- */

static bool plant_link(const char *path, const char *outside)
{
    return symlink(outside, path) == 0;
}

static bool plant_link_to_nowhere(const char *path, const char *outside)
{
    (void)outside;
    return symlink("/nowhere/at/all", path) == 0;
}

static bool plant_directory(const char *path, const char *outside)
{
    (void)outside;
    return mkdir(path, 0700) == 0;
}

static bool plant_directory_with_link(const char *path, const char *outside)
{
    char inside[2 * path_size];
    snprintf(inside, sizeof inside, "%s/0", path);
    return mkdir(path, 0700) == 0 && symlink(outside, inside) == 0;
}

static bool plant_fifo(const char *path, const char *outside)
{
    (void)outside;
    return mkfifo(path, 0600) == 0;
}

/* /dev/zero, which would give bytes for ever. False without the right to. */
static bool plant_device(const char *path, const char *outside)
{
    (void)outside;
    return mknod(path, S_IFCHR | 0600, makedev(1, 5)) == 0;
}

/* Addresses are shorter than paths may be: named by way of the directory. */
static bool plant_socket(const char *path, const char *outside)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char parent[path_size];
    (void)outside;
    snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = '\0';
    const int dir = open(parent, O_RDONLY | O_DIRECTORY);
    snprintf(address.sun_path, sizeof address.sun_path,
            "/proc/self/fd/%d/%.80s", dir, strrchr(path, '/') + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool good =
            fd >= 0
            && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) close(fd);
    if (dir >= 0) close(dir);
    return good;
}

static const struct plant {
    const char *name;
    bool (*put)(const char *path, const char *outside);
} plants[] = {
        {"a link", plant_link},
        {"a link to nowhere", plant_link_to_nowhere},
        {"a directory", plant_directory},
        {"a directory with a link", plant_directory_with_link},
        {"a FIFO", plant_fifo},
        {"a device", plant_device},
        {"a socket", plant_socket},
};
enum { plant_count = sizeof plants / sizeof plants[0] };

/* With something in place of a file, or in the way: at most the one entry is
 * missing, and a put heals. */
static void expect_healing(const struct store_kind *kind,
        dnnl_cache_store_handle_t *store, unsigned most)
{
    unsigned missed = 0;
    alarm(60); /* a FIFO must not be waited for */
    for (unsigned i = 1; i <= 2; i++) {
        const int got = get_number_quietly(store, i, small);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
        missed += got != (int)dnnl_success;
    }
    EXPECT_LE(missed, most);
    /* Another blob first: putting the same may change nothing. */
    for (unsigned i = 1; i <= 2; i++) {
        EXPECT_OK(put_number(store, i, small + 1));
        EXPECT_OK(put_number(store, i, small));
        EXPECT_OK(get_number(store, i, small));
    }
    alarm(0);
    EXPECT_EQ(2, count_entries(store));
    /* Nobody can know what stood where now a link is, until it is counted. */
    EXPECT_LE(kind_counted_bytes(kind), kind_recorded_bytes(kind, store));
}

static bool is_refused(const struct store_kind *kind, const char *name)
{
    return kind->refused != NULL && strcmp(kind->refused, name) == 0;
}

/* A link in a directory: foreign in a tree, where it is left alone; in place of
 * an entry of a bucket, which heals it. */
static void remove_foreign(const struct store_kind *kind, const char *name)
{
    char inside[path_size];
    char path[path_size];
    snprintf(inside, sizeof inside, "%.400s/0", name);
    if (kind == &tree_kind) unlink(path_in_store(path, inside));
}

/* In a store that is open, and in one that is opened then. */
static void plant_everywhere(const struct store_kind *kind, bool is_open,
        char names[][path_size], unsigned count)
{
    char path[path_size];
    char outside[path_size];
    struct dnnl_cache_store_options options = kind_options(kind);
    options.log = NULL;
    write_whole(path_in_test(outside, "outside"), "precious", 8);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < count * plant_count && !test_has_failed(); i++) {
        const char *name = names[i / plant_count];
        const struct plant *plant = &plants[i % plant_count];
        if (is_refused(kind, name)) continue;
        if (!is_open) dnnl_cache_store_close(store);
        remove_path(path_in_store(path, name));
        const bool is_planted = plant->put(path, outside);
        /* Devices take a right that not everybody has. */
        if (!is_planted) EXPECT_EQ(EPERM, errno);
        if (!is_open) store = kind_open(kind, &options);
        ASSERT_NOT_NULL(store);
        expect_healing(kind, store, 1);
        remove_foreign(kind, name);
        EXPECT_OK(dnnl_cache_store_record_totals(store)); /* heals those */
        kind_expect_no_orphans(kind, store);
        EXPECT_EQ(8, tree_bytes(outside));
        if (test_has_failed()) printf("%s in place of %s\n", plant->name, name);
    }
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    kind_expect_recorded(kind, store);
    dnnl_cache_store_close(store);
}

/* All files of a store, the directories on the way to entry 1, and that of what
 * is being written. */
STORE_TEST(Hostile, NothingIsFollowedAndAllIsHealed)
{
    static char names[most_names][path_size];
    char path[path_size];
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    unsigned count = kind_list(names);
    kind->way_of(path, 1);
    const size_t root = strlen(path_in_store(names[count], ""));
    snprintf(names[count++], path_size, "%s", path + root);
    if (kind->path[0] == '\0') strcpy(names[count++], ".tmp");
    dnnl_cache_store_close(store);
    plant_everywhere(kind, true, names, count);
    plant_everywhere(kind, false, names, count);
}

/* ---- Names --------------------------------------------------------------- */

/* IDs are bytes; none of them becomes a part of a path. */
STORE_TEST(Hostile, IdsThatLookLikePaths)
{
    static const char *const ids[] = {"../../escape", "..", ".", "/etc/passwd",
            "size.txt", "index.bin", "config.file", "cache_size.txt",
            "blobs.pack", ".tmp", "a/../b", "0"};
    enum { count = sizeof ids / sizeof ids[0] };
    char text[64];
    char path[path_size];
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < count; i++)
        EXPECT_OK(put_bytes(store, ids[i], ids[i], strlen(ids[i])));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_OK(get_text(store, ids[i], text, sizeof text));
        EXPECT_STR_EQ(ids[i], text);
    }
    EXPECT_EQ(count, count_entries(store));
    kind_expect_order(kind, store);
    EXPECT_NE(0, access(path_in_test(path, "escape"), F_OK));
    dnnl_cache_store_close(store);
}

/* Directories with names that are nearly a store's, and links upwards with
 * names that are. */
STORE_TEST(Hostile, NamesWithDots)
{
    static const char *const names[] = {
            "..1", "1..", "...", "-1", "+1", "0123456789abcdeF"};
    static const char *const links[] = {
            "77", "0123456789abcdef", "0123456789abcdef.cl_cache"};
    enum {
        count = sizeof names / sizeof names[0],
        link_count = sizeof links / sizeof links[0]
    };
    char path[path_size];
    char below[path_size];
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, mkdir(path_in_store(path, names[i]), 0700));
    for (unsigned i = 0; i < link_count; i++)
        EXPECT_EQ(0, symlink("..", path_in_store(path, links[i])));
    /* The same on the way to an entry, if there are directories. */
    struct stat st;
    kind->way_of(path, 1);
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        for (unsigned i = 0; i < link_count; i++) {
            snprintf(below, sizeof below, "%.400s/%s", path, links[i]);
            EXPECT_EQ(0, symlink("../..", below));
        }
    }
    kind->upset();
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_EQ(2, count_entries(store));
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, access(path_in_store(path, names[i]), F_OK));
    EXPECT_EQ(0, access(test_directory(), F_OK));
    dnnl_cache_store_close(store);
}

STORE_TEST(Hostile, ForeignNamesAreLeftAlone)
{
    static const char *const names[] = {"README", "007", "..cl_cache",
            ".cl_cache", "0123456789abcdef", "0123456789ABCDEF.cl_cache",
            "0123456789abcdef.cl_cache.bak", "x0123456789abcdef.cl_cache",
            "0123456789abcdef0.cl_cache", "99999999999999999999", "a\nb\t\x80",
            "*", "blobs.pac", "blobs.pack2"};
    enum { count = sizeof names / sizeof names[0] };
    struct dnnl_cache_store_options options = kind_options(kind);
    char path[path_size];
    options.capacity = kind->room_for(3);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, suite_blob));
    for (unsigned i = 0; i < count; i++)
        write_whole(path_in_store(path, names[i]), "x", 1);
    kind->upset();
    for (unsigned i = 20; i < 30; i++)
        EXPECT_OK(put_number(store, i, suite_blob));
    EXPECT_OK(get_number(store, 29, suite_blob));
    EXPECT_EQ(3, count_entries(store));
    EXPECT_EQ(
            kind_counted_bytes(kind) - count, kind_recorded_bytes(kind, store));
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(
            kind_counted_bytes(kind) - count, kind_recorded_bytes(kind, store));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(0, access(path_in_store(path, names[i]), F_OK));
    dnnl_cache_store_close(store);
}

/* (What a pack makes has no name before it is complete.) */
STORE_TEST_OF_FILES(Hostile, LeftoversOfADeadWriterGo)
{
    char path[path_size];
    const struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *store = kind_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_EQ(0, mkdir(path_in_store(path, ".tmp"), 0700));
    EXPECT_EQ(0, mkdir(path_in_store(path, ".tmp/1-abc"), 0700));
    write_whole(path_in_store(path, ".tmp/1-abc/key.bin"), "x", 1);
    write_whole(path_in_store(path, ".tmp/2-def"), "y", 1);
    EXPECT_OK(put_number(store, 2, small));
    kind_expect_order(kind, store);
    EXPECT_EQ(2, count_entries(store));
    dnnl_cache_store_close(store);
}

/* ---- Huge files ---------------------------------------------------------- */

struct job {
    const struct store_kind *kind;
    struct dnnl_cache_store_options options;
};

static int use_huge_files(void *user)
{
    const struct job *job = user;
    const clock_t began = clock(); /* of this process: whatever others do */
    dnnl_cache_store_handle_t *store = kind_open(job->kind, &job->options);
    if (store == NULL) return 1;
    for (unsigned i = 1; i <= 2; i++) {
        const int got = get_number_quietly(store, i, small);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
        EXPECT_OK(put_number(store, i, small));
        EXPECT_OK(get_number(store, i, small));
    }
    EXPECT_EQ(2, count_entries(store));
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_OK(put_number(store, 3, small));
    EXPECT_LE(kind_bytes(), job->options.capacity);
    EXPECT_LE(kind_counted_bytes(job->kind),
            kind_recorded_bytes(job->kind, store));
    EXPECT_LT(clock() - began, CLOCKS_PER_SEC);
    dnnl_cache_store_close(store);
    return test_has_failed();
}

/* 100 MB, full of digits where that is what the store expects, in place of each
 * file, and then of all of them. */
STORE_TEST(Hostile, HugeFiles)
{
    enum { huge = 100 * 1000 * 1000 };
    static char names[most_names][path_size];
    char path[path_size];
    struct job job = {kind, kind_options(kind)};
    job.options.capacity = kind->room_for(3);
    job.options.max_blob_bytes = 1000 * 1000;
    char *digits = malloc(huge);
    ASSERT_NOT_NULL(digits);
    memset(digits, '7', huge);
    unsigned count = 1;
    for (unsigned f = 0; f <= count && !test_has_failed(); f++) {
        remove_path(path_in_test(path, "store"));
        dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(put_number(store, 2, small));
        dnnl_cache_store_close(store);
        count = kind_list(names);
        for (unsigned g = 0; g < count; g++) {
            path_in_store(path, names[g]);
            if (g == f && strstr(names[g], ".txt") != NULL)
                write_whole(path, digits, huge);
            else if (g == f || f == count)
                EXPECT_EQ(0, truncate(path, huge));
        }
        EXPECT_EQ(0, in_child(use_huge_files, &job));
        if (test_has_failed())
            printf("huge: %s\n", f < count ? names[f] : "all");
    }
    free(digits);
}

/* ---- Two stores ---------------------------------------------------------- */

STORE_TEST(Hostile, TwoStoresOnOneDirectory)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    options.capacity = kind->room_for(50);
    dnnl_cache_store_handle_t *large = kind_open(kind, &options);
    ASSERT_NOT_NULL(large);
    options.capacity = kind->room_for(7);
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *little = kind_open(kind, &options);
    ASSERT_NOT_NULL(little);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(put_number(i % 2 != 0 ? large : little, i, suite_blob));
    EXPECT_OK(get_number(large, 18, suite_blob));
    EXPECT_OK(get_number(little, 19, suite_blob));
    EXPECT_OK(remove_id(large, "id 19"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(little, 19, suite_blob));
    /* Each keeps to its own capacity when it writes. */
    EXPECT_OK(put_number(little, 20, suite_blob));
    EXPECT_LE(kind_bytes(), options.capacity);
    for (unsigned i = 21; i < 40; i++)
        EXPECT_OK(put_number(large, i, suite_blob));
    EXPECT_GT(kind_bytes(), 20 * (uint64_t)suite_blob);
    kind_expect_order(kind, large);
    EXPECT_EQ(count_entries(large), count_entries(little));
    EXPECT_EQ(0, statistics_of(large).recounts);
    dnnl_cache_store_close(little);
    dnnl_cache_store_close(large);
}

static uint64_t other_hash(const void *data, size_t size)
{
    return size > 0 ? 1000 + *(const uint8_t *)data : 0;
}

/* Who hashes otherwise finds nothing, and nothing wrong. */
STORE_TEST(Hostile, TwoStoresThatHashOtherwise)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    dnnl_cache_store_handle_t *one = kind_open(kind, &options);
    ASSERT_NOT_NULL(one);
    options.hash = other_hash;
    dnnl_cache_store_handle_t *other = kind_open(kind, &options);
    ASSERT_NOT_NULL(other);
    EXPECT_OK(put_number(one, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(other, 1, small));
    EXPECT_OK(put_number(other, 1, small));
    EXPECT_OK(get_number(other, 1, small));
    EXPECT_OK(get_number(one, 1, small));
    kind_expect_recorded(kind, one);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
}

/* ---- File systems -------------------------------------------------------- */

static void count_read_only(
        dnnl_cache_log_level_t level, const char *text, void *told)
{
    if (level == dnnl_cache_log_warning
            && strstr(text, ": read-only store: ") != NULL
            && strstr(text, "dnnl_cache_persistent_set_dir()") != NULL)
        ++*(unsigned *)told;
}

static int use_read_only_mount(void *user)
{
    const struct job *job = user;
    char path[path_size];
    path_in_test(path, "store");
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount(path, path, NULL, MS_BIND, NULL) != 0
            || mount("none", path, NULL,
                       MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOATIME, NULL)
                       != 0)
        return 77;
    unsigned told = 0;
    struct dnnl_cache_store_options options = job->options;
    options.log = count_read_only;
    options.log_user = &told;
    dnnl_cache_store_handle_t *store = kind_open(job->kind, &options);
    if (store == NULL) return 1;
    dnnl_cache_store_handle_t *again = kind_open(job->kind, &options);
    EXPECT_EQ(1, told); /* once a path */
    dnnl_cache_store_close(again);
    options.read_only = true;
    dnnl_cache_store_close(kind_open(job->kind, &options));
    EXPECT_EQ(1, told);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, statistics_of(store).puts_read_only);
    dnnl_cache_store_close(store);
    return test_has_failed();
}

STORE_TEST(Hostile, AReadOnlyFileSystem)
{
    struct job job = {kind, kind_options(kind)};
    job.options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = kind_open(kind, &job.options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
    const int result = in_child(use_read_only_mount, &job);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}

static int use_without_access_times(void *user)
{
    const struct job *job = user;
    char path[path_size];
    if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
            || mount("none", path_in_test(path, "store"), "tmpfs",
                       MS_NOATIME | MS_NODIRATIME, "size=2m,mode=0700")
                       != 0)
        return 77;
    dnnl_cache_store_handle_t *store = kind_open(job->kind, &job->options);
    if (store == NULL) return 1;
    EXPECT_OK(put_number(store, 1, suite_blob));
    EXPECT_OK(put_number(store, 2, suite_blob));
    await_file_tick();
    EXPECT_OK(get_number(store, 1, suite_blob));
    EXPECT_OK(put_number(store, 3, suite_blob));
    EXPECT_OK(get_number(store, 1, suite_blob));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, suite_blob));
    dnnl_cache_store_close(store);
    return test_has_failed();
}

/* Uses are noted where every file system keeps them. */
STORE_TEST(Hostile, AFileSystemWithoutAccessTimes)
{
    struct job job = {kind, kind_options(kind)};
    char path[path_size];
    job.options.policy = dnnl_cache_store_policy_lru;
    job.options.capacity = kind->room_for(2);
    EXPECT_EQ(0, mkdir(path_in_test(path, "store"), 0700));
    const int result = in_child(use_without_access_times, &job);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}
