/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that stores are made of: sizes, files, trailers. */
#include "dnnl_cache/store.h"
#include "src/common/byte_order.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_file.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_names.h"
#include "stores/files/store_size.h"
#include "stores/files/store_tmp.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

TEST_C(StoreSize, StopsInsteadOfWrapping)
{
    EXPECT_EQ(5, store_size_add(2, 3));
    EXPECT_TRUE(store_size_add(UINT64_MAX - 1, 1) == UINT64_MAX);
    EXPECT_TRUE(store_size_add(UINT64_MAX, 1) == UINT64_MAX);
    EXPECT_EQ(1, store_size_subtract(3, 2));
    EXPECT_EQ(0, store_size_subtract(2, 3));
}

TEST_C(StoreNames, ReadsCanonicalDecimalsOnly)
{
    static const char *const bad[] = {"", "00", "01", "-1", "+1", " 1", "1 ",
            "0x1", "18446744073709551616", "99999999999999999999", "1\n"};
    uint64_t value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_FALSE(store_name_parse_decimal(bad[i], &value));
    EXPECT_EQ(7, value);
    EXPECT_TRUE(store_name_parse_decimal("0", &value));
    EXPECT_EQ(0, value);
    EXPECT_TRUE(store_name_parse_decimal("18446744073709551615", &value));
    EXPECT_TRUE(value == UINT64_MAX);
}

TEST_C(Folder, RemovesLinksNotTheirTargets)
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
    EXPECT_EQ(ENOTEMPTY, folder_remove_tree(dir, "tree", 1));
    EXPECT_EQ(0, folder_remove_tree(dir, "tree", 2));
    EXPECT_EQ(0, folder_remove_tree(dir, "link", 4));
    EXPECT_EQ(0, folder_remove_tree(dir, "nothing", 4));
    EXPECT_NE(0, faccessat(dir, "tree", F_OK, 0));
    EXPECT_EQ(0, faccessat(dir, "keep/file", F_OK, 0));
    close(dir);
}

static int open_beneath(int *fd, int dir, const char *path)
{
    return file_open(fd, dir, path, file_for_reading | file_beneath, 0);
}

static void expect_no_way_out(int dir)
{
    int fd = -1;
    EXPECT_EQ(0, open_beneath(&fd, dir, "real/file"));
    close(fd);
    fd = -1;
    EXPECT_EQ(ELOOP, open_beneath(&fd, dir, "leaf"));
    EXPECT_NE(0, open_beneath(&fd, dir, "way/file"));
    EXPECT_EQ(ENOENT, open_beneath(&fd, dir, "real/no"));
    EXPECT_EQ(ENOENT, open_beneath(&fd, dir, "no/file"));
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

TEST_C(File, OpensNothingThroughALink)
{
    make_ways();
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    expect_no_way_out(dir);
    close(dir);
}

/* Makes openat2() fail as on an old kernel. False: that is not allowed here. */
static bool lose_openat2(void)
{
    struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int use_without_openat2(void *user)
{
    const struct dnnl_cache_store_options *options = user;
    if (!lose_openat2()) return 77;
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    expect_no_way_out(dir);
    close(dir);
    dnnl_cache_store_handle_t *store = open_store(options);
    if (store == NULL) return 1;
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, 100));
    EXPECT_EQ(1, count_entries(store));
    dnnl_cache_store_close(store);
    return test_has_failed() ? 1 : 0;
}

TEST_C(File, WorksWithoutOpenat2)
{
    struct dnnl_cache_store_options options = test_options();
    make_ways();
    const int result = in_child(use_without_openat2, &options);
    if (result == 77) SKIP_TEST("system call filters are not allowed here");
    EXPECT_EQ(0, result);
}

/* Gives the name "file" to one file and the other, until it is killed. Not as
 * fast as it can: eight times while one file is opened would be too often. */
static void replace_for_ever(int dir)
{
    static const char *const files[] = {"one", "other"};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 0;; i++) {
        if (linkat(dir, files[i % 2], dir, "new", 0) != 0
                || renameat(dir, "new", dir, "file") != 0)
            _exit(1);
        usleep(200);
    }
}

static int open_what_is_replaced(void *user)
{
    char path[path_size];
    int fd = -1;
    (void)user;
    write_whole(path_in_test(path, "one"), "x", 1);
    write_whole(path_in_test(path, "other"), "x", 1);
    write_whole(path_in_test(path, "file"), "x", 1);
    const int dir = open(test_directory(), O_RDONLY | O_DIRECTORY);
    const pid_t other = fork();
    if (other == 0) replace_for_ever(dir);
    if (!lose_openat2()) return 77;
    for (int i = 0; i < 6000 && !test_has_failed(); i++) {
        EXPECT_EQ(0, open_beneath(&fd, dir, "file"));
        close(fd);
    }
    EXPECT_EQ(0, waitpid(other, NULL, WNOHANG));
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    close(dir);
    return test_has_failed() ? 1 : 0;
}

/* Between the opening and the look at the name, which the call itself needs
 * not: then it is opened again. */
TEST_C(File, ThatIsReplacedIsOpenedWithoutOpenat2)
{
    const int result = in_child(open_what_is_replaced, NULL);
    if (result == 77) SKIP_TEST("system call filters are not allowed here");
    EXPECT_EQ(0, result);
}

TEST_C(File, TemporaryNamesDiffer)
{
    char a[file_unique_size];
    char b[file_unique_size];
    file_unique_name(a, "");
    file_unique_name(b, "");
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
    EXPECT_EQ(0, store_tail_check(&size, file, file_size, 3, "key", NULL,
                         store_depth_header));
    EXPECT_EQ(4, size);
    EXPECT_EQ(EBADMSG, store_tail_check(&size, file, file_size, 3, "kez", NULL,
                               store_depth_header));
    EXPECT_EQ(EBADMSG, store_tail_check(&size, file, file_size, 4, "keyb", NULL,
                               store_depth_header));
    for (size_t i = 0; i < file_size; i++) {
        file[i] ^= 1;
        EXPECT_EQ(EBADMSG, store_tail_check(&size, file, file_size, 3, "key",
                                   NULL, store_depth_header));
        file[i] ^= 1;
        EXPECT_EQ(EBADMSG, store_tail_check(&size, file, i, 3, "key", NULL,
                                   store_depth_header));
    }
    read.blob_size = 77;
    EXPECT_EQ(EBADMSG, store_trailer_decode(&read, bytes, 4));
    EXPECT_EQ(EBADMSG,
            store_trailer_decode(&read, bytes, 5 + store_trailer_size));
    EXPECT_EQ(77, read.blob_size);
}

/* ---- Entries that were used ---------------------------------------------- */

enum { user_count = 4, keys_of_user = 250 };

struct user {
    pthread_t thread;
    dnnl_cache_store_handle_t *store;
    unsigned first;
};

/* Each its own keys, of 10 bytes and then of 20, more than have places that
 * need no lock. */
static void *note_keys(void *arg)
{
    const struct user *user = arg;
    for (uint64_t bytes = 10; bytes <= 20; bytes += 10)
        for (unsigned i = 0; i < keys_of_user; i++)
            store_used_note(user->store, 1 + user->first + i, bytes);
    return NULL;
}

TEST_C(StoreUsed, CountsWhatThreadsUseOnce)
{
    struct user users[user_count];
    struct dnnl_cache_store_options options = test_options();
    options.capacity = dnnl_cache_store_megabytes(1);
    dnnl_cache_store_handle_t *store = open_store(&options);
    for (unsigned i = 0; i < user_count; i++) {
        users[i] = (struct user){.store = store, .first = i * keys_of_user};
        ASSERT_EQ(0,
                pthread_create(&users[i].thread, NULL, note_keys, &users[i]));
    }
    for (unsigned i = 0; i < user_count; i++)
        pthread_join(users[i].thread, NULL);
    EXPECT_EQ(user_count * keys_of_user, atomic_load(&store->used.count));
    EXPECT_EQ(user_count * keys_of_user * 20, atomic_load(&store->used.bytes));
    /* Evicted from the first places, and from the table. */
    for (unsigned key = 1; key <= user_count * keys_of_user; key++)
        store_used_evict(store, key);
    store_used_evict(store, 1 + user_count * keys_of_user);
    EXPECT_EQ(user_count * keys_of_user, atomic_load(&store->used.evicted));
    EXPECT_EQ(user_count * keys_of_user * 20, store->used.evicted_bytes);
    dnnl_cache_store_close(store);
}

/* ---- Trailers of cache blobs --------------------------------------------- */

enum { blob_size = 300, blob_file_size = blob_size + store_trailer_size };

static void put_sum(uint8_t sum[16], const void *first, size_t first_size,
        const void *second, size_t second_size)
{
    XXH128_canonical_t canonical;
    uint8_t joined[2 * blob_size];
    memcpy(joined, first, first_size);
    memcpy(joined + first_size, second, second_size);
    XXH128_canonicalFromHash(
            &canonical, XXH3_128bits(joined, first_size + second_size));
    memcpy(sum, canonical.digest, sizeof canonical.digest);
}

/* Header and checksum as docs/reference/format.md has them, and any bytes
 * behind them. */
static void make_blob(uint8_t blob[blob_size], uint8_t first)
{
    static const uint8_t magic[12] = {
            0x8b, 'D', 'C', 'B', '\r', '\n', 0x1a, '\n', 1};
    for (size_t i = 0; i < blob_size; i++)
        blob[i] = (uint8_t)(first + 7 * i);
    memcpy(blob, magic, sizeof magic);
    store_le64(blob + 16, blob_size);
    put_sum(blob + 32, blob, 32, blob + 48, blob_size - 48);
}

static size_t put_in_file(uint8_t file[blob_file_size], const uint8_t *blob)
{
    const struct store_trailer trailer = {
            .key_size = 3, .blob_size = blob_size, .created_ns = 5};
    struct store_tail tail;
    store_tail_make(&tail, &trailer, "key", blob, NULL);
    memcpy(file, blob, blob_size);
    memcpy(file + blob_size, tail.bytes, tail.size);
    return tail.size;
}

static int check(const uint8_t *file, size_t size, const char *key,
        enum store_depth depth)
{
    size_t found = 0;
    const int error = store_tail_check(&found, file, size, 3, key, NULL, depth);
    if (error == 0) EXPECT_EQ(blob_size, found);
    return error;
}

TEST_C(StoreTrailer, OfABlobCoversItsHeader)
{
    uint8_t blob[blob_size];
    uint8_t file[blob_file_size + 1] = {0};
    uint8_t covered[3 + 48];
    uint8_t sum[16];
    make_blob(blob, 1);
    ASSERT_EQ(store_trailer_size, put_in_file(file, blob));
    const uint8_t *trailer = file + blob_size;
    EXPECT_EQ(4, trailer[8]);
    memcpy(covered, "key", 3);
    memcpy(covered + 3, blob, 48);
    put_sum(sum, covered, sizeof covered, trailer, 48);
    EXPECT_BYTES_EQ(sum, 16, trailer + 48, 16);
    EXPECT_EQ(0, check(file, blob_file_size, "key", store_depth_header));
    EXPECT_EQ(0, check(file, blob_file_size, "key", store_depth_whole));
    EXPECT_EQ(EBADMSG, check(file, blob_file_size, "kez", store_depth_header));
    for (size_t i = 0; i < blob_file_size; i++) {
        const bool is_body = i >= 48 && i < blob_size;
        file[i] ^= 1;
        /* The blob's own checksum has the rest: SealedDamage in test_reader. */
        EXPECT_EQ(is_body ? 0 : EBADMSG,
                check(file, blob_file_size, "key", store_depth_header));
        EXPECT_EQ(
                EBADMSG, check(file, blob_file_size, "key", store_depth_whole));
        file[i] ^= 1;
        EXPECT_EQ(EBADMSG, check(file, i, "key", store_depth_header));
    }
}

/* Bytes put in or taken out before the trailer, and another entry's blob. */
TEST_C(StoreTrailer, OfABlobIsOfThatBlobAlone)
{
    uint8_t one[blob_size], other[blob_size];
    uint8_t file[blob_file_size], longer[blob_file_size + 1];
    make_blob(one, 1);
    make_blob(other, 2);
    put_in_file(file, one);
    memcpy(longer, file, blob_size);
    memcpy(longer + blob_size + 1, file + blob_size, store_trailer_size);
    longer[blob_size] = 0;
    EXPECT_EQ(EBADMSG, check(longer, sizeof longer, "key", store_depth_header));
    memcpy(longer + blob_size - 1, file + blob_size, store_trailer_size);
    EXPECT_EQ(EBADMSG,
            check(longer, blob_file_size - 1, "key", store_depth_header));
    memcpy(file, other, blob_size);
    EXPECT_EQ(EBADMSG, check(file, blob_file_size, "key", store_depth_header));
    put_in_file(file, other);
    EXPECT_EQ(0, check(file, blob_file_size, "key", store_depth_header));
}

/* What is no blob, or one with a wrong checksum, has all its bytes covered, and
 * so have blobs that earlier releases put. */
TEST_C(StoreTrailer, CoversAllBytesOfWhatIsNoBlob)
{
    uint8_t blob[blob_size];
    uint8_t file[blob_file_size];
    uint8_t covered[3 + blob_size];
    static const size_t wrong_at[] = {0, 8, 16, 32, 47, 48, blob_size - 1};
    for (size_t w = 0; w <= sizeof wrong_at / sizeof wrong_at[0]; w++) {
        const bool is_old = w == sizeof wrong_at / sizeof wrong_at[0];
        make_blob(blob, 1);
        if (!is_old) blob[wrong_at[w]] ^= 4;
        put_in_file(file, blob);
        uint8_t *trailer = file + blob_size;
        if (is_old) { /* version 1 */
            trailer[8] = 1;
            memcpy(covered, "key", 3);
            memcpy(covered + 3, blob, blob_size);
            put_sum(trailer + 48, covered, sizeof covered, trailer, 48);
        }
        EXPECT_EQ(1, trailer[8]);
        EXPECT_EQ(0, check(file, blob_file_size, "key", store_depth_header));
        EXPECT_EQ(0, check(file, blob_file_size, "key", store_depth_whole));
        for (size_t i = 0; i < blob_file_size; i++) {
            file[i] ^= 1;
            EXPECT_EQ(EBADMSG,
                    check(file, blob_file_size, "key", store_depth_header));
            file[i] ^= 1;
        }
    }
}

/* Its checksum is not to be taken for what it is not: with the header of no
 * blob in front, version 4 is damage. */
TEST_C(StoreTrailer, OfABlobNeedsABlob)
{
    uint8_t blob[blob_size];
    uint8_t file[blob_file_size];
    uint8_t covered[3 + 48];
    make_blob(blob, 1);
    blob[16] ^= 1; /* its size */
    put_in_file(file, blob);
    uint8_t *trailer = file + blob_size;
    trailer[8] = 4;
    memcpy(covered, "key", 3);
    memcpy(covered + 3, blob, 48);
    put_sum(trailer + 48, covered, sizeof covered, trailer, 48);
    EXPECT_EQ(EBADMSG, check(file, blob_file_size, "key", store_depth_header));
}
