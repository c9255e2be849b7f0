/* SPDX-License-Identifier: Apache-2.0 */
/* Stores without an index in damaged, hostile, read-only and full directories:
 * never a wrong blob, never more than a miss, and the next put heals. */
#include "walk_suite.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { small = 20, blob_size = 3000 };

/* ---- Damage -------------------------------------------------------------- */

/* With a file of entry 10 damaged in some way: a miss if it is one that
 * matters, entry 11 is not harmed, and a put heals. */
static void expect_healing(const struct walk_kind *kind, struct store *store,
        const struct store_options *options, bool matters)
{
    char path[path_size];
    EXPECT_TRUE(kind->file(path, 10, kind->blob_file));
    const bool gone = access(path, F_OK) != 0;
    EXPECT_STATUS(matters || gone ? dnnl_cache_miss : dnnl_success,
            get_number(store, 10, small));
    EXPECT_OK(get_number(store, 11, small));
    EXPECT_OK(put_number(store, 10, small));
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_EQ(2, count_entries(store));
    if (matters) walk_expect_order(kind, store, options);
}

static struct store *open_with_two(
        const struct walk_kind *kind, const struct store_options *options)
{
    struct store *store = walk_open(kind, options);
    if (store == NULL) return NULL;
    EXPECT_OK(put_number(store, 10, small));
    EXPECT_OK(put_number(store, 11, small));
    return store;
}

static void book_path(char path[path_size], const struct walk_kind *kind)
{
    snprintf(path, path_size, "%s/store/%s", test_directory(), kind->book);
}

/* The book, and all files of an entry. */
static bool any_file(
        char path[path_size], const struct walk_kind *kind, unsigned i)
{
    if (i > 0) return kind->file(path, 10, i - 1);
    book_path(path, kind);
    return true;
}

void walk_EveryBitOfEveryFile(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; any_file(path, kind, i); i++) {
        size_t size;
        uint8_t *bytes = read_whole(path, &size);
        const bool matters = i > 0 && i - 1 <= kind->blob_file;
        for (size_t bit = 0; bit < 8 * size && !test_has_failed(); bit++) {
            free(bytes);
            bytes = read_whole(path, &size);
            if (bit >= 8 * size) break;
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            write_whole(path, bytes, size);
            expect_healing(kind, store, &options, matters);
        }
        free(bytes);
        /* What cannot be told from good books is put right by a walk. */
        EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, NULL));
        walk_expect_order(kind, store, &options);
    }
    store_close(store);
}

void walk_EveryLengthOfEveryFile(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; any_file(path, kind, i); i++) {
        size_t full;
        free(read_whole(path, &full));
        const bool matters = i > 0 && i - 1 <= kind->blob_file;
        for (size_t size = 0; size < full + 5 && !test_has_failed(); size++) {
            if (size == full) continue;
            EXPECT_EQ(0, truncate(path, (off_t)size));
            expect_healing(kind, store, &options, matters);
        }
        EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, NULL));
        walk_expect_order(kind, store, &options);
    }
    store_close(store);
}

void walk_MissingFiles(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; any_file(path, kind, i); i++) {
        EXPECT_EQ(0, unlink(path));
        expect_healing(
                kind, store, &options, i > 0 && i - 1 <= kind->blob_file);
    }
    for (unsigned i = 0; kind->file(path, 10, i); i++)
        unlink(path);
    expect_healing(kind, store, &options, false);
    EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, NULL));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_TheBlobOfAnotherId(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char from[path_size];
    char to[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned last = 0; last <= kind->blob_file; last++) {
        for (unsigned i = kind->blob_file - last; i <= kind->blob_file; i++) {
            size_t size;
            EXPECT_TRUE(kind->file(from, 11, i));
            EXPECT_TRUE(kind->file(to, 10, i));
            uint8_t *bytes = read_whole(from, &size);
            write_whole(to, bytes, size);
            free(bytes);
        }
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, small));
        EXPECT_OK(get_number(store, 11, small));
        EXPECT_OK(put_number(store, 10, small));
        EXPECT_OK(get_number(store, 10, small));
        EXPECT_OK(get_number(store, 11, small));
    }
    store_close(store);
}

/* 100 MB in place of a few bytes are not read. */
void walk_AHugeBook(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct stat st;
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    book_path(path, kind);
    EXPECT_EQ(0, truncate(path, 100000000));
    EXPECT_EQ(0, walk_statistics(store).bytes);
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_OK(put_number(store, 12, small));
    EXPECT_EQ(1, walk_statistics(store).recounts);
    EXPECT_EQ(0, stat(path, &st));
    EXPECT_LE(st.st_size, (long)kind->book_size);
    EXPECT_EQ(3, count_entries(store));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_DeletionOfAnything(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct stat st;
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    walk_shell("rm -r '%s'", options.path);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, small));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(put_number(store, 10, small));
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_EQ(0, stat(options.path, &st));
    EXPECT_EQ(0700, st.st_mode & 07777);
    walk_expect_order(kind, store, &options);
    walk_shell("rm -r '%s'/*", options.path);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, small));
    EXPECT_OK(put_number(store, 10, small));
    EXPECT_OK(get_number(store, 10, small));
    walk_expect_order(kind, store, &options);
    /* All but the book: it says too much, until a walk. */
    EXPECT_OK(put_number(store, 11, small));
    usleep(20000); /* longer than the file system's tick */
    walk_shell("find '%s' -mindepth 1 ! -name %s -delete", options.path,
            kind->book);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, small));
    EXPECT_OK(put_number(store, 10, small));
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_LE(
            walk_entry_bytes(kind, options.path), walk_statistics(store).bytes);
    EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, NULL));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

/* ---- Hostile entries ----------------------------------------------------- */

enum { plants = 6 };

/* Puts something in place of a name. */
static void plant(const char *path, int what, const char *target)
{
    char inside[2 * path_size];
    walk_shell("rm -rf '%s'", path);
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
        snprintf(inside, sizeof inside, "%s/0", path);
        EXPECT_EQ(0, symlink(target, inside));
        break;
    }
}

static bool any_name(
        char path[path_size], const struct walk_kind *kind, unsigned i)
{
    if (i > 0) return any_file(path, kind, i - 1);
    snprintf(path, path_size, "%s/store/.tmp", test_directory());
    return true;
}

void walk_NothingIsFollowedAndAllIsHealed(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    char outside[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    path_in_test(outside, "outside");
    for (unsigned i = 0; any_name(path, kind, i); i++) {
        const bool matters = i > 1 && i - 2 <= kind->blob_file;
        for (int what = 0; what < plants && !test_has_failed(); what++) {
            /* The very file, which must be neither read nor changed. */
            if (i > 1)
                walk_shell("cp -p '%s' '%s'", path, outside);
            else
                write_whole(outside, "precious", 8);
            const uint64_t outside_bytes = tree_bytes(outside);
            plant(path, what, outside);
            EXPECT_STATUS(matters ? dnnl_cache_miss : dnnl_success,
                    get_number(store, 10, small));
            EXPECT_OK(get_number(store, 11, small));
            EXPECT_OK(put_number(store, 10, small + 1));
            EXPECT_OK(get_number(store, 10, small + 1));
            EXPECT_OK(put_number(store, 10, small));
            EXPECT_EQ(2, count_entries(store));
            EXPECT_EQ(outside_bytes, tree_bytes(outside));
            EXPECT_LE(walk_entry_bytes(kind, options.path),
                    walk_statistics(store).bytes);
        }
        EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, NULL));
        walk_expect_order(kind, store, &options);
    }
    store_close(store);
}

void walk_ForeignNamesAreLeftAlone(const struct walk_kind *kind)
{
    static const char *const names[] = {"README", "007", "..cl_cache",
            ".cl_cache", "0123456789abcdef", "0123456789ABCDEF.cl_cache",
            "0123456789abcdef.cl_cache.bak", "x0123456789abcdef.cl_cache",
            "0123456789abcdef0.cl_cache", "a\nb\t\x80", "*", "size.txt"};
    enum { count = sizeof names / sizeof names[0] };
    struct store_options options = walk_options(kind);
    char path[2 * path_size];
    options.capacity = walk_room(kind, 3, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, blob_size));
    for (unsigned i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", options.path, names[i]);
        write_whole(path, "x", 1);
    }
    usleep(20000);
    for (unsigned i = 20; i < 30; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(get_number(store, 29, blob_size));
    EXPECT_LE(count_entries(store), 3);
    EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(count, walk_entry_bytes(kind, options.path));
    EXPECT_EQ(0, walk_statistics(store).bytes);
    for (unsigned i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", options.path, names[i]);
        EXPECT_EQ(0, access(path, F_OK));
    }
    store_close(store);
}

void walk_LeftoversOfADeadWriterGo(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    walk_shell("mkdir -p '%s/.tmp/1-abc' && echo x >'%s/.tmp/1-abc/y' && "
               "echo x >'%s/.tmp/2-def'",
            options.path, options.path, options.path);
    EXPECT_OK(put_number(store, 12, small));
    walk_expect_order(kind, store, &options);
    EXPECT_EQ(3, count_entries(store));
    store_close(store);
}

/* ---- Roots --------------------------------------------------------------- */

void walk_UnsafeOnesAreRefused(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    struct store *store = NULL;
    EXPECT_EQ(0, mkdir(options.path, 0700));
    EXPECT_EQ(0, chmod(options.path, 0702));
    EXPECT_STATUS(dnnl_runtime_error, kind->open(&store, &options));
    EXPECT_EQ(0, chmod(options.path, 0720));
    EXPECT_STATUS(dnnl_runtime_error, kind->open(&store, &options));
    EXPECT_EQ(0, chmod(options.path, 0700));
    if (geteuid() == 0) {
        EXPECT_EQ(0, chown(options.path, 12345, (gid_t)-1));
        EXPECT_STATUS(dnnl_runtime_error, kind->open(&store, &options));
    }
    EXPECT_NULL(store);
    options.sharing = store_sharing_group;
    store = walk_open(kind, &options);
    EXPECT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, small));
    char path[path_size];
    struct stat st;
    EXPECT_TRUE(kind->file(path, 10, 0));
    EXPECT_EQ(0, stat(path, &st));
    EXPECT_EQ(0660, st.st_mode & 07777);
    store_close(store);
    walk_shell("rm -r '%s'", options.path);
    write_whole(options.path, "x", 1);
    store = NULL;
    EXPECT_STATUS(dnnl_runtime_error, kind->open(&store, &options));
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

struct child {
    const struct walk_kind *kind;
    struct store_options options;
    struct store *store;
    long call; /* the system call to fail */
    int error;
};

/* In a child that is no longer root, on a store with entry 10. */
static int use_read_only(void *user)
{
    const struct child *child = user;
    struct store *store = NULL;
    int failures = 0;
    if (geteuid() == 0 && setresuid(12345, 12345, 12345) != 0) return 77;
    CHECK(dnnl_success, child->kind->open(&store, &child->options));
    if (store == NULL) return 1;
    CHECK(dnnl_success, get_number(store, 10, small));
    CHECK(dnnl_cache_miss, get_number(store, 12, small));
    CHECK(dnnl_success, put_number(store, 12, small));
    CHECK(dnnl_cache_miss, get_number(store, 12, small));
    CHECK(dnnl_success, remove_id(store, "nothing"));
    CHECK(dnnl_runtime_error, remove_id(store, "id 10"));
    CHECK(dnnl_success, get_number(store, 10, small));
    failures += walk_statistics(store).puts_read_only != 1;
    store_close(store);
    return failures;
}

void walk_ReadOnlyServesReaders(const struct walk_kind *kind)
{
    struct child child = {.kind = kind, .options = walk_options(kind)};
    struct store *store = open_with_two(kind, &child.options);
    ASSERT_NOT_NULL(store);
    store_close(store);
    const char *path = child.options.path;
    walk_shell("chmod -R a-w '%s'", path);
    if (geteuid() == 0)
        walk_shell(
                "chown -R 12345 '%s'; chmod a+x '%s'", path, test_directory());
    EXPECT_EQ(0, in_child(use_read_only, &child));
    walk_shell("chmod -R u+w '%s'", path);
}

void walk_ReadOnlyOnRequestWritesNothing(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    char path[path_size];
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    store_close(store);
    book_path(path, kind);
    unlink(path);
    options.read_only = true;
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_OK(put_number(store, 12, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, small));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 10"));
    EXPECT_STATUS(dnnl_runtime_error,
            store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, walk_statistics(store).bytes);
    EXPECT_NE(0, access(path, F_OK));
    store_close(store);
    struct store *none = NULL;
    options.path = path_in_test(path, "missing");
    EXPECT_STATUS(dnnl_runtime_error, kind->open(&none, &options));
    EXPECT_NE(0, access(path, F_OK));
}

/* ---- Failing file systems ------------------------------------------------ */

/* From here on the system call fails in this process. */
static bool fail_call(long call, int error)
{
    struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
            BPF_STMT(BPF_RET | BPF_K,
                    SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void count_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)text;
    ++*(unsigned *)user;
}

/* 2: nothing failed, so nothing was said. */
static int put_with_failing_call(void *user)
{
    struct child *child = user;
    struct store *store = child->store;
    int failures = 0;
    if (!fail_call(child->call, child->error)) return 77;
    const dnnl_status_t new_entry = put_number(store, 30, blob_size);
    const dnnl_status_t replaced = put_number(store, 10, blob_size + 1);
    failures += new_entry != dnnl_success && new_entry != dnnl_runtime_error;
    failures += replaced != dnnl_success && replaced != dnnl_runtime_error;
    /* What was put is there, what failed was not published. */
    const int got = get_number_quietly(store, 30, blob_size);
    failures += got == -1
                || (got == (int)dnnl_success && new_entry != dnnl_success);
    if (failures > 0) return 1;
    return new_entry == dnnl_success && replaced == dnnl_success ? 2 : 0;
}

void walk_OfEverySystemCall(const struct walk_kind *kind)
{
    static const struct {
        long call;
        int error;
        bool is_harmless; /* the put works all the same */
    } calls[] = {
            {SYS_flock, ENOLCK, false}, /* lock */
            {SYS_mkdirat, ENOSPC, false},
            {SYS_pwrite64, ENOSPC, false}, /* write, and the size */
            {SYS_pwrite64, EIO, false},
            {SYS_renameat, EIO, false},
            {SYS_getdents64, EIO, false}, /* gather */
            {SYS_unlinkat, EIO, false},   /* delete */
            {SYS_pread64, EIO, false},
            {SYS_utimensat, EPERM, true},
            {SYS_openat, EMFILE, false},
    };
    struct child child = {.kind = kind, .options = walk_options(kind)};
    unsigned messages = 0;
    child.options.capacity = walk_room(kind, 4, blob_size);
    child.options.log = count_message;
    child.options.log_user = &messages;
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct store *store = walk_open(kind, &child.options);
        ASSERT_NOT_NULL(store);
        for (unsigned n = 10; n < 14; n++)
            EXPECT_OK(put_number(store, n, blob_size));
        child.store = store;
        child.call = calls[i].call;
        child.error = calls[i].error;
        const int result = in_child(put_with_failing_call, &child);
        if (result == 77) {
            store_close(store);
            SKIP_TEST("system call filters are not allowed here");
        }
        if (result != (calls[i].is_harmless ? 2 : 0))
            test_fail(__FILE__, __LINE__, "system call %u: %d", i, result);
        EXPECT_LE(tree_bytes(child.options.path), child.options.capacity.bytes);
        /* The next writer finds all in order, or puts it so. */
        for (unsigned n = 11; n < 14; n++)
            EXPECT_NE(-1, get_number_quietly(store, n, blob_size));
        if (get_number_quietly(store, 10, blob_size) == -1)
            EXPECT_OK(get_number(store, 10, blob_size + 1));
        EXPECT_OK(put_number(store, 31 + i, blob_size));
        EXPECT_OK(get_number(store, 31 + i, blob_size));
        walk_expect_order(kind, store, &child.options);
        EXPECT_EQ(0, walk_statistics(store).damaged);
        EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
        store_close(store);
    }
}

static int put_with_file_limit(void *user)
{
    struct store *store = user;
    const struct rlimit limit = {4000, 4000};
    int failures = 0;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
    CHECK(dnnl_runtime_error, put_number(store, 10, 10000));
    CHECK(dnnl_success, get_number(store, 10, small));
    CHECK(dnnl_runtime_error, put_number(store, 12, 10000));
    CHECK(dnnl_cache_miss, get_number(store, 12, 10000));
    CHECK(dnnl_success, put_number(store, 13, 1000));
    CHECK(dnnl_success, get_number(store, 13, 1000));
    failures += walk_statistics(store).puts_failed != 2;
    failures += walk_statistics(store).recounts != 0;
    return failures;
}

void walk_AWriteCutShortPublishesNothing(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct store *store = open_with_two(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(0, in_child(put_with_file_limit, store));
    EXPECT_OK(get_number(store, 10, small));
    EXPECT_OK(put_number(store, 10, 10000));
    EXPECT_OK(get_number(store, 10, 10000));
    EXPECT_EQ(3, count_entries(store));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

static bool mount_over(const char *path, const char *what)
{
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount("none", path, "tmpfs", MS_NOATIME, what) == 0;
}

static int fill_small_disk(void *user)
{
    const struct child *child = user;
    struct store *store = NULL;
    int failures = 0;
    if (!mount_over(child->options.path, "size=200k,mode=0700")) return 77;
    CHECK(dnnl_success, child->kind->open(&store, &child->options));
    if (store == NULL) return 1;
    unsigned kept = 0;
    while (kept < 100 && put_number(store, kept, 9000) == dnnl_success)
        kept++;
    if (kept < 5 || kept > 50) return 2;
    CHECK(dnnl_runtime_error, put_number(store, kept, 9000));
    CHECK(dnnl_runtime_error, put_number(store, 0, 20000));
    for (unsigned i = 0; i < kept; i++)
        CHECK(dnnl_success, get_number(store, i, 9000));
    CHECK(dnnl_success, remove_id(store, "id 0"));
    CHECK(dnnl_success, remove_id(store, "id 1"));
    CHECK(dnnl_success, put_number(store, kept, 9000));
    CHECK(dnnl_success, get_number(store, kept, 9000));
    failures += walk_statistics(store).recounts != 0;
    store_close(store);
    return failures;
}

void walk_AFullDiskIsNoCatastrophe(const struct walk_kind *kind)
{
    struct child child = {.kind = kind, .options = walk_options(kind)};
    child.options.capacity = store_limit_unlimited();
    EXPECT_EQ(0, mkdir(child.options.path, 0700));
    const int result = in_child(fill_small_disk, &child);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}

/* ---- Access times -------------------------------------------------------- */

/* Entries 10 to 21, the later ones used longer ago; what is read is used. */
static int evict_by_use(const struct child *child, bool is_noted)
{
    struct store *store = NULL;
    int failures = 0;
    CHECK(dnnl_success, child->kind->open(&store, &child->options));
    if (store == NULL) return 1;
    for (unsigned i = 10; i < 22; i++) {
        CHECK(dnnl_success, put_number(store, i, blob_size));
        child->kind->set_used(i, walk_ago(200 + i));
    }
    if (!is_noted && !fail_call(SYS_utimensat, EPERM)) return 77;
    CHECK(dnnl_success, get_number(store, 21, blob_size));
    CHECK(dnnl_success, put_number(store, 22, blob_size));
    CHECK(is_noted ? dnnl_success : dnnl_cache_miss,
            get_number(store, 21, blob_size));
    CHECK(dnnl_cache_miss, get_number(store, 20, blob_size));
    CHECK(dnnl_success, get_number(store, 10, blob_size));
    CHECK(dnnl_success, get_number(store, 22, blob_size));
    failures += walk_statistics(store).evictions < 4;
    store_close(store);
    return failures > 99 ? 99 : failures;
}

static int evict_without_noting(void *user)
{
    const struct child *child = user;
    /* Where a store has files of its own for it, it needs no such call. */
    return evict_by_use(child, child->kind->extra > 0);
}

void walk_UseThatCannotBeNoted(const struct walk_kind *kind)
{
    struct child child = {.kind = kind, .options = walk_options(kind)};
    child.options.capacity = walk_room(kind, 12, blob_size);
    const int result = in_child(evict_without_noting, &child);
    if (result == 77) SKIP_TEST("system call filters are not allowed here");
    EXPECT_EQ(0, result);
}

static int evict_on_noatime(void *user)
{
    const struct child *child = user;
    if (!mount_over(child->options.path, "mode=0700")) return 77;
    return evict_by_use(child, true);
}

void walk_AFileSystemWithoutAccessTimes(const struct walk_kind *kind)
{
    struct child child = {.kind = kind, .options = walk_options(kind)};
    child.options.capacity = walk_room(kind, 12, blob_size);
    EXPECT_EQ(0, mkdir(child.options.path, 0700));
    const int result = in_child(evict_on_noatime, &child);
    if (result == 77) SKIP_TEST("mounting is not allowed here");
    EXPECT_EQ(0, result);
}
