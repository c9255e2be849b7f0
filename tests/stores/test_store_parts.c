/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that stores are made of: sizes, files, trailers. */
#include "dnnl_cache/bucket_store.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_fs.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_size.h"
#include "stores/files/store_tmp.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST_C(StoreSize, StopsInsteadOfWrapping)
{
    EXPECT_EQ(5, store_size_add(2, 3));
    EXPECT_TRUE(store_size_add(UINT64_MAX - 1, 1) == UINT64_MAX);
    EXPECT_TRUE(store_size_add(UINT64_MAX, 1) == UINT64_MAX);
    EXPECT_EQ(1, store_size_subtract(3, 2));
    EXPECT_EQ(0, store_size_subtract(2, 3));
}

TEST_C(StoreFs, ReadsCanonicalDecimalsOnly)
{
    static const char *const bad[] = {"", "00", "01", "-1", "+1", " 1", "1 ",
            "0x1", "18446744073709551616", "99999999999999999999", "1\n"};
    uint64_t value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_FALSE(store_fs_parse_decimal(bad[i], &value));
    EXPECT_EQ(7, value);
    EXPECT_TRUE(store_fs_parse_decimal("0", &value));
    EXPECT_EQ(0, value);
    EXPECT_TRUE(store_fs_parse_decimal("18446744073709551615", &value));
    EXPECT_TRUE(value == UINT64_MAX);
}

TEST_C(StoreFs, RemovesLinksNotTheirTargets)
{
    char path[path_size];
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(dir >= 0);
    EXPECT_EQ(0, mkdirat(dir, "keep", 0700));
    write_whole(path_in_test(path, "keep/file"), "x", 1);
    EXPECT_EQ(0, mkdirat(dir, "tree", 0700));
    EXPECT_EQ(0, mkdirat(dir, "tree/sub", 0700));
    EXPECT_EQ(0, symlinkat("../../keep", dir, "tree/sub/link"));
    EXPECT_EQ(0, symlinkat("keep", dir, "link"));
    EXPECT_EQ(ENOTEMPTY, store_fs_remove_tree(dir, "tree", 1));
    EXPECT_EQ(0, store_fs_remove_tree(dir, "tree", 2));
    EXPECT_EQ(0, store_fs_remove_tree(dir, "link", 4));
    EXPECT_EQ(0, store_fs_remove_tree(dir, "nothing", 4));
    EXPECT_NE(0, faccessat(dir, "tree", F_OK, 0));
    EXPECT_EQ(0, faccessat(dir, "keep/file", F_OK, 0));
    close(dir);
}

static void expect_no_way_out(int dir)
{
    int fd = -1;
    EXPECT_EQ(0, store_fs_open_beneath(&fd, dir, "real/file", O_RDONLY));
    close(fd);
    fd = -1;
    EXPECT_EQ(ELOOP, store_fs_open_beneath(&fd, dir, "leaf", O_RDONLY));
    EXPECT_NE(0, store_fs_open_beneath(&fd, dir, "way/file", O_RDONLY));
    EXPECT_EQ(ENOENT, store_fs_open_beneath(&fd, dir, "real/no", O_RDONLY));
    EXPECT_EQ(ENOENT, store_fs_open_beneath(&fd, dir, "no/file", O_RDONLY));
    EXPECT_EQ(-1, fd);
}

static void make_ways(void)
{
    char path[path_size];
    mkdir(path_in_test(path, "real"), 0700);
    write_whole(path_in_test(path, "real/file"), "x", 1);
    EXPECT_EQ(0, symlink("real", path_in_test(path, "way")));
    EXPECT_EQ(0, symlink("real/file", path_in_test(path, "leaf")));
}

TEST_C(StoreFs, OpensNothingThroughALink)
{
    make_ways();
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    expect_no_way_out(dir);
    close(dir);
}

/* Makes openat2() fail as on an old kernel. */
static int use_without_openat2(void *user)
{
    struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const struct dnnl_cache_store_options *options = user;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    expect_no_way_out(dir);
    close(dir);
    struct dnnl_cache_store_handle *store = open_store(options);
    if (store == NULL) return 1;
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_EQ(1, count_entries(store));
    dnnl_cache_store_close(store);
    return test_has_failed() ? 1 : 0;
}

TEST_C(StoreFs, WorksWithoutOpenat2)
{
    struct dnnl_cache_store_options options = test_options();
    make_ways();
    const int result = in_child(use_without_openat2, &options);
    if (result == 77) SKIP_TEST("system call filters are not allowed here");
    EXPECT_EQ(0, result);
}

TEST_C(StoreFs, TemporaryNamesDiffer)
{
    char a[store_fs_name_size];
    char b[store_fs_name_size];
    store_fs_unique_name(a);
    store_fs_unique_name(b);
    EXPECT_NE(0, strcmp(a, b));
}

/* What is there must not pass for gone because .tmp is. */
TEST_C(StoreTmp, TellsThatItWasRemovedItself)
{
    const struct dnnl_cache_store_options options = test_options();
    int tmp = -1;
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(0, mkdirat(dir, "7", 0700));
    EXPECT_EQ(0, store_tmp_open(&tmp, dir, &options));
    EXPECT_EQ(ENOENT, store_tmp_discard(tmp, dir, "8", NULL));
    EXPECT_EQ(0, unlinkat(dir, ".tmp", AT_REMOVEDIR));
    EXPECT_EQ(ESTALE, store_tmp_discard(tmp, dir, "7", NULL));
    EXPECT_EQ(0, faccessat(dir, "7", F_OK, 0));
    store_tmp_close(tmp, dir);
    EXPECT_EQ(0, store_tmp_open(&tmp, dir, &options));
    EXPECT_EQ(0, store_tmp_discard(tmp, dir, "7", NULL));
    EXPECT_NE(0, faccessat(dir, "7", F_OK, 0));
    store_tmp_close(tmp, dir);
    close(dir);
}

TEST_C(StoreLock, ALockOnAnOrphanIsNone)
{
    const struct dnnl_cache_store_options options = test_options();
    int a = -1;
    int b = -1;
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(0, store_lock_file(&a, dir, "lock", &options, 0));
    EXPECT_EQ(ETIMEDOUT, store_lock_file(&b, dir, "lock", &options, 20));
    EXPECT_EQ(-1, b);
    EXPECT_EQ(0, unlinkat(dir, "lock", 0));
    EXPECT_EQ(0, store_lock_file(&b, dir, "lock", &options, 0));
    store_unlock_file(b);
    store_unlock_file(a);
    store_unlock_file(-1);
    close(dir);
}

/* Files written by this release are read by the next. */
TEST_C(StoreTrailer, HasTheBytesOfItsDescription)
{
    const struct store_trailer trailer = {
            .key_size = 3,
            .blob_size = 4,
            .created_ns = 0x1122334455667788,
            .compile_ns = 99,
            .kind = dnnl_cache_blob_kind_primitive,
    };
    static const uint8_t expected[48] = {'d', 'n', 'n', 'l', 'c', 'e', 'n', 't',
            1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
            0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 99, 0, 0, 0, 0,
            0, 0, 0};
    struct store_tail tail;
    uint8_t file[4 + store_tail_max] = "blob";
    size_t size = 0;
    struct store_trailer read = {0};
    store_tail_make(&tail, &trailer, "key", "blob", NULL);
    ASSERT_EQ(store_trailer_size, tail.size);
    const uint8_t *bytes = tail.bytes;
    memcpy(file + 4, tail.bytes, tail.size);
    EXPECT_BYTES_EQ(expected, 48, bytes, 48);
    EXPECT_EQ(0, store_trailer_decode(&read, bytes, 4 + store_trailer_size));
    EXPECT_EQ(trailer.created_ns, read.created_ns);
    EXPECT_EQ(trailer.compile_ns, read.compile_ns);
    EXPECT_EQ(trailer.kind, read.kind);
    const size_t file_size = 4 + tail.size;
    EXPECT_EQ(0, store_tail_check(&size, file, file_size, 3, "key", NULL));
    EXPECT_EQ(4, size);
    EXPECT_EQ(
            EBADMSG, store_tail_check(&size, file, file_size, 3, "kez", NULL));
    EXPECT_EQ(
            EBADMSG, store_tail_check(&size, file, file_size, 4, "keyb", NULL));
    for (size_t i = 0; i < file_size; i++) {
        file[i] ^= 1;
        EXPECT_EQ(EBADMSG,
                store_tail_check(&size, file, file_size, 3, "key", NULL));
        file[i] ^= 1;
        EXPECT_EQ(EBADMSG, store_tail_check(&size, file, i, 3, "key", NULL));
    }
    read.blob_size = 77;
    EXPECT_EQ(EBADMSG, store_trailer_decode(&read, bytes, 4));
    EXPECT_EQ(EBADMSG,
            store_trailer_decode(&read, bytes, 5 + store_trailer_size));
    EXPECT_EQ(77, read.blob_size);
}
