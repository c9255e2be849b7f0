/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of drivers' files in the user's cache folder. A process finds its
 * place once, so each step is a process of its own.
 */
#include "dnnl_cache/file_digests.h"

#include "store_helpers.h"
#include "stores/digests/file_digest_list.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { digest_size = DNNL_CACHE_FILE_DIGEST_SIZE };

static const char first_key[] = "boot 1 2 3 4.5 6.7 /lib/first.so";
static const char second_key[] = "boot 1 2 3 4.5 6.7 /lib/second.so";

/* ---- Steps, each of a process -------------------------------------------- */

static void fill_digest(uint8_t digest[digest_size], const char *key)
{
    for (size_t i = 0; i < digest_size; i++)
        digest[i] = (uint8_t)((uint8_t)key[i % strlen(key)] + i);
}

static int put_key(void *user)
{
    uint8_t digest[digest_size];
    const char *key = user;
    const dnnl_cache_file_digests_t *c = &file_digests_callbacks;
    fill_digest(digest, key);
    if (c->put(c->user, strlen(key), (const uint8_t *)key, digest)
            != dnnl_success)
        return 1;
    c->flush(c->user);
    return 0;
}

/* 0: it has the digest that put_key() put; 1: there is none; 2: another. */
static int get_key(void *user)
{
    uint8_t digest[digest_size];
    uint8_t right[digest_size];
    const char *key = user;
    const dnnl_cache_file_digests_t *c = &file_digests_callbacks;
    fill_digest(right, key);
    if (c->get(c->user, strlen(key), (const uint8_t *)key, digest)
            != dnnl_success)
        return 1;
    return memcmp(digest, right, digest_size) == 0 ? 0 : 2;
}

static void expect_put(const char *key)
{
    EXPECT_EQ(0, in_child(put_key, (void *)(uintptr_t)key));
}

static void expect_get(const char *key, bool is_there)
{
    EXPECT_EQ(is_there ? 0 : 1, in_child(get_key, (void *)(uintptr_t)key));
}

/* The folder that the variable names, which is not there yet. */
static const char *use_folder(char path[path_size])
{
    path_in_test(path, "digests");
    EXPECT_EQ(0, setenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE, path, 1));
    return path;
}

static const char *file_path(char path[path_size])
{
    return path_in_test(path, "digests/file_digests");
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* ---- The place ----------------------------------------------------------- */

TEST_C(FileDigests, AreThisUsersAlone)
{
    char folder[path_size];
    char path[path_size];
    size_t names = 0;
    use_folder(folder);
    expect_get(first_key, false);
    EXPECT_FALSE(exists(folder)); /* asking makes nothing */
    expect_put(first_key);
    expect_put(second_key);
    expect_get(first_key, true);
    expect_get(second_key, true);
    expect_get("boot 1 2 3 4.5 6.8 /lib/first.so", false);
    EXPECT_EQ(0700, mode_of(folder));
    EXPECT_EQ(0600, mode_of(file_path(path)));
    DIR *dir = opendir(folder);
    ASSERT_TRUE(dir != NULL);
    while (readdir(dir) != NULL)
        names++;
    closedir(dir);
    EXPECT_EQ(4, names); /* ".", "..", the file and its lock */
}

TEST_C(FileDigests, AreInTheUsersCacheFolder)
{
    char home[path_size];
    char path[path_size];
    EXPECT_EQ(0, unsetenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE));
    EXPECT_EQ(0, unsetenv("XDG_CACHE_HOME"));
    EXPECT_EQ(0, mkdir(path_in_test(home, "home"), 0700));
    EXPECT_EQ(0, setenv("HOME", home, 1));
    expect_put(first_key);
    EXPECT_TRUE(exists(
            path_in_test(path, "home/.cache/dnnl_cache_digests/file_digests")));
    EXPECT_EQ(0, setenv("XDG_CACHE_HOME", path_in_test(home, "xdg"), 1));
    expect_put(first_key);
    EXPECT_TRUE(exists(path_in_test(path, "xdg/dnnl_cache_digests")));
    /* Not from the root on. */
    EXPECT_EQ(0, setenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE, "digests", 1));
    expect_get(first_key, true);
    EXPECT_EQ(0, setenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE, "0", 1));
    expect_get(first_key, false);
    expect_put(first_key);
    EXPECT_EQ(0, unsetenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE));
    EXPECT_EQ(0, unsetenv("XDG_CACHE_HOME"));
    EXPECT_EQ(0, unsetenv("HOME"));
    expect_put(first_key);
    expect_get(first_key, false);
}

static void write_over(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    EXPECT_EQ(0, fclose(file));
}

/* Whoever may write to it could have one driver taken for another. */
TEST_C(FileDigests, OfAnOddPlaceAreNotBelieved)
{
    char folder[path_size];
    char path[path_size];
    char other[path_size];
    use_folder(folder);
    expect_put(first_key);
    file_path(path);
    EXPECT_EQ(0, chmod(path, 0640));
    expect_get(first_key, false);
    EXPECT_EQ(0, chmod(path, 0600));
    expect_get(first_key, true);
    EXPECT_EQ(0, chmod(folder, 0770));
    expect_get(first_key, false);
    EXPECT_EQ(0, chmod(folder, 0700));
    EXPECT_EQ(0, link(path, path_in_test(other, "second_name")));
    expect_get(first_key, false);
    EXPECT_EQ(0, unlink(path));
    EXPECT_EQ(0, symlink(other, path));
    expect_get(first_key, false);
    /* What is odd is replaced, and what it was stays as it is. */
    expect_put(second_key);
    expect_get(second_key, true);
    expect_get(first_key, false);
    EXPECT_TRUE(exists(other));
    EXPECT_EQ(0, rename(folder, path_in_test(other, "elsewhere")));
    EXPECT_EQ(0, symlink(other, folder));
    expect_get(second_key, false);
}

TEST_C(FileDigests, OfAnotherUserAreNotBelieved)
{
    char folder[path_size];
    char path[path_size];
    const uid_t nobody = 65534;
    if (geteuid() != 0) SKIP_TEST("only root gives files away");
    use_folder(folder);
    expect_put(first_key);
    EXPECT_EQ(0, chown(file_path(path), nobody, (gid_t)-1));
    expect_get(first_key, false);
    EXPECT_EQ(0, chown(path, 0, (gid_t)-1));
    expect_get(first_key, true);
    EXPECT_EQ(0, chown(folder, nobody, (gid_t)-1));
    expect_get(first_key, false);
    /* As with sudo: nothing is made in another user's folder. */
    path_in_test(path, "theirs");
    EXPECT_EQ(0, mkdir(path, 0700));
    EXPECT_EQ(0, chown(path, nobody, (gid_t)-1));
    EXPECT_EQ(0, unsetenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE));
    EXPECT_EQ(0, unsetenv("XDG_CACHE_HOME"));
    EXPECT_EQ(0, setenv("HOME", path, 1));
    expect_put(first_key);
    EXPECT_FALSE(exists(path_in_test(path, "theirs/.cache")));
}

TEST_C(FileDigests, OfADamagedFileAreReadAgain)
{
    char folder[path_size];
    char path[path_size];
    uint8_t bytes[512];
    use_folder(folder);
    expect_put(first_key);
    FILE *file = fopen(file_path(path), "rb");
    ASSERT_TRUE(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    EXPECT_EQ(0, fclose(file));
    ASSERT_TRUE(size > 0 && size < sizeof bytes);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] ^= 1;
        write_over(path, bytes, size);
        expect_get(first_key, false);
        bytes[i] ^= 1;
    }
    write_over(path, bytes, size - 1);
    expect_get(first_key, false);
    write_over(path, bytes, size);
    expect_get(first_key, true);
    /* And written anew. */
    write_over(path, "", 0);
    expect_put(second_key);
    expect_get(second_key, true);
}

/* ---- Bounds -------------------------------------------------------------- */

TEST_C(FileDigests, AreBounded)
{
    struct file_digest_list list = {.items = NULL};
    uint8_t digest[digest_size] = {0};
    char key[64];
    size_t size = 0;
    for (int i = 0; i < file_digest_most + 10; i++) {
        const int n = snprintf(key, sizeof key, "boot %d /x", i);
        EXPECT_TRUE(file_digest_list_put(
                &list, (size_t)n, (const uint8_t *)key, digest));
    }
    file_digest_list_trim(&list);
    EXPECT_EQ(file_digest_most, list.count);
    /* The oldest have gone. */
    EXPECT_TRUE(file_digest_list_find(&list, 9, (const uint8_t *)"boot 9 /x")
                == NULL);
    EXPECT_TRUE(file_digest_list_find(&list, 10, (const uint8_t *)"boot 10 /x")
                != NULL);
    /* After another boot none of them can be asked for. */
    EXPECT_TRUE(file_digest_list_put(
            &list, 9, (const uint8_t *)"next 1 /x", digest));
    file_digest_list_trim(&list);
    EXPECT_EQ(1, list.count);
    file_digest_list_fini(&list);
    /* Long paths fill it sooner. */
    char *longest = malloc(file_digest_most_key_size + 1);
    ASSERT_NOT_NULL(longest);
    memset(longest, '/', file_digest_most_key_size + 1);
    memcpy(longest, "boot ", 5);
    EXPECT_FALSE(file_digest_list_put(&list, file_digest_most_key_size + 1,
            (const uint8_t *)longest, digest));
    for (int i = 0; i < 200; i++) {
        longest[6] = (char)i;
        EXPECT_TRUE(file_digest_list_put(&list, file_digest_most_key_size,
                (const uint8_t *)longest, digest));
    }
    file_digest_list_trim(&list);
    EXPECT_GT(list.count, 100);
    uint8_t *bytes = file_digest_list_write(&list, &size);
    ASSERT_NOT_NULL(bytes);
    EXPECT_LE(size, file_digest_most_file_size);
    struct file_digest_list again;
    EXPECT_TRUE(file_digest_list_read(&again, size, bytes));
    EXPECT_EQ(list.count, again.count);
    file_digest_list_fini(&again);
    file_digest_list_fini(&list);
    free(bytes);
    free(longest);
}

/* ---- Verification -------------------------------------------------------- */

/* As the library makes it. */
static void key_of(char key[path_size + 256], const char *path)
{
    char boot[37] = "";
    struct stat st;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(1, fscanf(file, "%36s", boot));
    EXPECT_EQ(0, fclose(file));
    EXPECT_EQ(0, stat(path, &st));
    (void)snprintf(key, path_size + 256,
            "%s 1 %llu %llu %llu %lld.%09ld %lld.%09ld %s", boot,
            (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
            (unsigned long long)st.st_size, (long long)st.st_mtim.tv_sec,
            st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
            st.st_ctim.tv_nsec, path);
}

struct expected {
    bool is_due;
    size_t right, gone, wrong;
    uint64_t least_age_seconds;
};

static unsigned told;

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level == dnnl_cache_log_warning && strstr(text, "driver.so") != NULL)
        told++;
}

static int verify(void *user)
{
    const struct expected *e = user;
    struct dnnl_cache_store_file_digests_report report =
            DNNL_CACHE_STORE_FILE_DIGESTS_REPORT_INIT;
    EXPECT_OK(dnnl_cache_store_file_digests_verify(
            &report, e->least_age_seconds, hear, NULL));
    EXPECT_EQ(e->is_due, report.is_due);
    EXPECT_EQ(e->right, report.right);
    EXPECT_EQ(e->gone, report.gone);
    EXPECT_EQ(e->wrong, report.wrong);
    EXPECT_EQ(e->wrong, told);
    return test_has_failed() ? 1 : 0;
}

static void expect_verified(struct expected expected)
{
    EXPECT_EQ(0, in_child(verify, &expected));
}

TEST_C(FileDigests, AreVerifiedOnceADay)
{
    enum { day = 24 * 60 * 60 };
    char folder[path_size];
    char path[path_size];
    char key[path_size + 256];
    char gone[path_size + 256];
    uint8_t digest[digest_size];
    use_folder(folder);
    expect_verified((struct expected){.is_due = false});
    path_in_test(path, "gone.so");
    write_over(path, "", 0);
    key_of(gone, path);
    EXPECT_EQ(0, unlink(path));
    path_in_test(path, "driver.so");
    write_over(path, "what it is", 10);
    key_of(key, path);
    struct statfs fs;
    EXPECT_EQ(0, statfs(path, &fs));
    if (fs.f_type != EXT4_SUPER_MAGIC && fs.f_type != TMPFS_MAGIC)
        SKIP_TEST("a file system without digests");
    ASSERT_OK(
            dnnl_cache_digest_file(strlen(key), (const uint8_t *)key, digest));
    /* A wrong one, and one of a file that is gone. */
    expect_put(key);
    expect_put(gone);
    expect_verified((struct expected){true, 0, 1, 1, day});
    expect_verified(
            (struct expected){.is_due = false, .least_age_seconds = day});
    /* It was replaced. */
    expect_verified((struct expected){true, 1, 0, 0, 0});
    EXPECT_EQ(2, in_child(get_key, key));
    write_over(path, "what it is now", 14);
    expect_verified((struct expected){true, 0, 1, 0, 0});
    expect_get(key, false);
}

TEST_C(FileDigests, VerificationRefusesNull)
{
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_file_digests_verify(NULL, 0, NULL, NULL));
}
