/* SPDX-License-Identifier: Apache-2.0 */
/* What only several faults at once, or several programs, bring about. */
#include "dnnl_cache/store.h"
#include "stores/files/store_lock.h"

#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { small = 20000 };

static dnnl_cache_store_handle_t *open_with(
        const char *type, const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_OK(dnnl_cache_store_open(&store, type, options));
    return store;
}

/* A test that hangs is killed: the default action of SIGALRM. */
static void watch(void)
{
    alarm(60);
}

/* ---- Bucket: damage, a count, an eviction -------------------------------- */

/* Each leaves nothing of an entry in which a count finds a time, or little. */
static void damage(unsigned number, int which)
{
    char key[path_size];
    char blob[path_size];
    char entry[path_size];
    entry_path(key, number, "key.bin");
    entry_path(blob, number, "kernel.bin");
    snprintf(entry, sizeof entry, "%.*s", (int)(strrchr(key, '/') - key), key);
    if (which == 0) run_shell("rm '%s'", key);
    if (which == 1) run_shell(": > '%s'", key);
    if (which == 2) run_shell("rm '%s'", blob);
    if (which == 3) run_shell("rm '%s' '%s'", key, blob);
    if (which == 4) run_shell("rm -r '%s'; echo x > '%s'", entry, entry);
    if (which == 5) run_shell("truncate -s 10 '%s'", blob);
}

TEST_C(BucketAttack, EvictsWhatACountFoundDamaged)
{
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    options.capacity = 100000;
    watch();
    for (int which = 0; which < 6; which++) {
        dnnl_cache_store_handle_t *store = open_store(&options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 1; i <= 3; i++)
            EXPECT_OK(put_number(store, i, small));
        damage(1, which);
        EXPECT_EQ(0, unlink(path_in_test(path, "store/size.txt")));
        for (unsigned i = 4; i <= 9; i++) {
            EXPECT_OK(put_number(store, i, small));
            EXPECT_OK(get_number(store, i, small));
        }
        EXPECT_LE(tree_bytes(options.path), 100000);
        damage(9, which);
        uint64_t removed;
        EXPECT_EQ(0, unlink(path_in_test(path, "store/size.txt")));
        EXPECT_OK(dnnl_cache_store_trim(
                store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
        EXPECT_EQ(0, count_entries(store));
        dnnl_cache_store_close(store);
        run_shell("rm -rf '%s'", options.path);
    }
    alarm(0);
}

TEST_C(BucketAttack, LeavesDirectoriesOfOthersAlone)
{
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    run_shell("mkdir -m 700 '%s'; mkdir -p '%s/2023/12'; echo photo > "
              "'%s/2023/12/img.jpg'",
            options.path, options.path, options.path);
    options.max_age_seconds = 100;
    watch();
    dnnl_cache_store_handle_t *store = open_store(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(1, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, access(path_in_test(path, "store/2023/12/img.jpg"), F_OK));
    dnnl_cache_store_close(store);
    alarm(0);
}

/* ---- Directories --------------------------------------------------------- */

TEST_C(RootAttack, ARootMadeAnewIsLookedAt)
{
    static const char *const kinds[] = {"bucket", "tree", "flat"};
    struct dnnl_cache_store_options options = test_options();
    options.log = NULL;
    for (int k = 0; k < 3; k++) {
        dnnl_cache_store_handle_t *store = open_with(kinds[k], &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 1, small));
        run_shell("rm -rf '%s'; mkdir '%s'; chmod 777 '%s'", options.path,
                options.path, options.path);
        (void)put_number(store, 2, small);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
        EXPECT_EQ(0, tree_bytes(options.path));
        run_shell("chmod 700 '%s'", options.path);
        EXPECT_OK(put_number(store, 2, small));
        EXPECT_OK(get_number(store, 2, small));
        dnnl_cache_store_close(store);
        run_shell("rm -rf '%s'", options.path);
    }
}

TEST_C(RootAttack, AnotherKindOfStoreIsRefused)
{
    static const char *const kinds[] = {"bucket", "tree", "flat"};
    struct dnnl_cache_store_options options = test_options();
    for (int first = 0; first < 3; first++) {
        dnnl_cache_store_handle_t *store = open_with(kinds[first], &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 1, small));
        dnnl_cache_store_close(store);
        for (int second = 0; second < 3; second++) {
            dnnl_cache_store_handle_t *other = NULL;
            EXPECT_STATUS(first == second ? dnnl_success : dnnl_runtime_error,
                    dnnl_cache_store_open(&other, kinds[second], &options));
            dnnl_cache_store_close(other);
        }
        run_shell("rm -rf '%s'", options.path);
    }
}

TEST_C(RootAttack, ARelativePathIsThatOfOpening)
{
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    char *before = getcwd(NULL, 0);
    ASSERT_NOT_NULL(before);
    EXPECT_EQ(0, chdir(test_directory()));
    options.path = "store";
    dnnl_cache_store_handle_t *store = open_store(&options);
    EXPECT_EQ(0, chdir("/"));
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    run_shell("rm -rf '%s'", path_in_test(path, "store"));
    EXPECT_OK(put_number(store, 2, small));
    EXPECT_EQ(0, access(path_in_test(path, "store/index.bin"), F_OK));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, chdir(before));
    free(before);
}

/* A blob's file that has become huge without any disk. */
TEST_C(RootAttack, HugeFilesAreDamage)
{
    static const char *const kinds[] = {"bucket", "tree", "flat"};
    struct dnnl_cache_store_options options = test_options();
    options.max_blob_bytes = INT64_MAX;
    for (int k = 0; k < 3; k++) {
        dnnl_cache_store_handle_t *store = open_with(kinds[k], &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 1, small));
        run_shell("find '%s' -type f -size +10k -exec truncate -s 4T {} +",
                options.path);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
        struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
        EXPECT_EQ(1, check.damaged);
        EXPECT_OK(put_number(store, 1, small));
        EXPECT_OK(get_number(store, 1, small));
        dnnl_cache_store_close(store);
        run_shell("rm -rf '%s'", options.path);
    }
}

/* ---- Locks --------------------------------------------------------------- */

/* Holds the lock, has a child that does nothing, and dies. */
static int die_with_a_child(void *user)
{
    int *pipe_ends = user;
    int fd;
    const struct dnnl_cache_store_options options = test_options();
    if (store_lock_file(&fd, AT_FDCWD, options.path, &options, 0) != 0)
        return 1;
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        char byte;
        close(pipe_ends[1]);
        /* Until the test is over. */
        _exit(read(pipe_ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    raise(SIGKILL);
    return 3;
}

TEST_C(LockAttack, DiesWithItsProcessWhateverItsChildrenDo)
{
    int pipe_ends[2];
    int fd = -1;
    const struct dnnl_cache_store_options options = test_options();
    ASSERT_EQ(0, pipe(pipe_ends));
    EXPECT_EQ(128 + SIGKILL, in_child(die_with_a_child, pipe_ends));
    /* The child may not have been running yet when its parent died. */
    EXPECT_EQ(0, store_lock_file(&fd, AT_FDCWD, options.path, &options, 5000));
    store_unlock_file(fd);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

/* ---- Pack ---------------------------------------------------------------- */

static struct dnnl_cache_store_options pack_options(void)
{
    static char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    EXPECT_EQ(0, mkdir(options.path, 0700));
    options.path = path_in_test(path, "store/p");
    return options;
}

static void sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path, &db));
    sqlite3_exec(db, text, NULL, NULL, &message);
    EXPECT_STR_EQ("", message != NULL ? message : "");
    sqlite3_free(message);
    sqlite3_close(db);
}

TEST_C(PackAttack, OtherProgramsMayTidyUp)
{
    static const char *const acts[] = {"VACUUM", "ANALYZE", "REINDEX",
            "CREATE TABLE mine(a); INSERT INTO mine VALUES(1)",
            "DROP TABLE mine; VACUUM"};
    const struct dnnl_cache_store_options options = pack_options();
    dnnl_cache_store_handle_t *store = open_with("pack", &options);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(put_number(store, i, small));
    for (unsigned i = 0; i < 20; i += 2)
        EXPECT_OK(put_number(store, i, small / 2)); /* free pages */
    dnnl_cache_store_close(store);
    for (size_t a = 0; a < sizeof acts / sizeof acts[0]; a++) {
        sql(options.path, acts[a]);
        store = open_with("pack", &options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 0; i < 20; i++)
            EXPECT_OK(get_number(store, i, i % 2 == 0 ? small / 2 : small));
        EXPECT_OK(put_number(store, 30 + (unsigned)a, small));
        EXPECT_OK(get_number(store, 30 + (unsigned)a, small));
        dnnl_cache_store_close(store);
        if (test_has_failed()) printf("after %s\n", acts[a]);
    }
}

/* An index has rows that the table has not. */
TEST_C(PackAttack, RowsOfAnIndexAloneAreDamage)
{
    static const enum dnnl_cache_store_policy policies[] = {
            dnnl_cache_store_policy_lru, dnnl_cache_store_policy_cost};
    char path[path_size];
    struct dnnl_cache_store_options options = pack_options();
    options.capacity = 400000;
    watch();
    for (int p = 0; p < 2; p++) {
        options.policy = policies[p];
        dnnl_cache_store_handle_t *store = open_with("pack", &options);
        for (unsigned i = 0; i < 10; i++)
            EXPECT_OK(put_number(store, i, small));
        dnnl_cache_store_close(store);
        sql(options.path,
                "PRAGMA writable_schema=1;"
                "CREATE TABLE kept AS SELECT rowid r, * FROM sqlite_schema"
                " WHERE name='dnnl_cache_use';"
                "DELETE FROM sqlite_schema WHERE name='dnnl_cache_use'");
        sql(options.path,
                "PRAGMA writable_schema=1;"
                "DELETE FROM dnnl_cache_entry WHERE number<=8;"
                "DELETE FROM dnnl_cache_blob WHERE number<=8;"
                "INSERT INTO sqlite_schema(rowid,type,name,tbl_name,rootpage,"
                "sql) SELECT r,type,name,tbl_name,rootpage,sql FROM kept;"
                "DROP TABLE kept");
        store = open_with("pack", &options);
        ASSERT_NOT_NULL(store);
        for (unsigned i = 100; i < 140; i++) {
            EXPECT_OK(put_number(store, i, small));
            EXPECT_OK(get_number(store, i, small));
        }
        dnnl_cache_store_close(store);
        EXPECT_EQ(0, unlink(path_in_test(path, "store/p")));
    }
    alarm(0);
}

/* Puts until it is killed in the middle of one. */
static int put_for_ever(void *user)
{
    dnnl_cache_store_handle_t *store = NULL;
    if (dnnl_cache_store_open(&store, "pack", user) != dnnl_success) return 1;
    for (unsigned i = 0;; i++)
        if (put_number(store, i % 300, small + i) != dnnl_success) return 2;
}

/* A journal in the middle of its work, as a killed writer leaves it: one that
 * is killed at a moment when there is one. */
static bool leave_a_journal(
        struct dnnl_cache_store_options *options, const char *journal)
{
    struct stat st;
    for (int attempt = 0; attempt < 200; attempt++) {
        const pid_t child = fork();
        if (child == 0) _exit(put_for_ever(options));
        for (int i = 0; i < 2000; i++) {
            usleep(100);
            if (stat(journal, &st) == 0 && st.st_size > 512) break;
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (stat(journal, &st) == 0 && st.st_size > 512) return true;
    }
    return false;
}

TEST_C(PackAttack, ReadersMissUntilAWriterUndoes)
{
    char journal[path_size];
    struct dnnl_cache_store_options options = pack_options();
    options.durability = dnnl_cache_store_durability_data;
    options.capacity = 3000000;
    path_in_test(journal, "store/p-journal");
    ASSERT_TRUE(leave_a_journal(&options, journal));
    options.read_only = true;
    options.lock_timeout_ms = 100;
    dnnl_cache_store_handle_t *reader = open_with("pack", &options);
    ASSERT_NOT_NULL(reader);
    const int got = get_number_quietly(reader, 100000, small);
    EXPECT_EQ((int)dnnl_cache_miss, got);
    options.read_only = false;
    dnnl_cache_store_handle_t *writer = open_with("pack", &options);
    EXPECT_OK(put_number(writer, 1000, small));
    EXPECT_OK(get_number(reader, 1000, small));
    dnnl_cache_store_close(writer);
    dnnl_cache_store_close(reader);
}

TEST_C(PackAttack, ReadersTouchNothing)
{
    char path[path_size];
    struct stat st;
    struct dnnl_cache_store_options options = pack_options();
    dnnl_cache_store_handle_t *store = open_with("pack", &options);
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
    options.read_only = true;
    options.lock_timeout_ms = 100;
    /* A write-ahead log: no -shm and -wal for a reader. */
    sql(options.path, "PRAGMA journal_mode=WAL");
    store = open_with("pack", &options);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    dnnl_cache_store_close(store);
    EXPECT_NE(0, access(path_in_test(path, "store/p-wal"), F_OK));
    EXPECT_NE(0, access(path_in_test(path, "store/p-shm"), F_OK));
    /* What has the name of a journal and is none. */
    store = NULL;
    EXPECT_EQ(0, mkdir(path_in_test(path, "store/p-journal"), 0700));
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_cache_store_open(&store, "pack", &options));
    EXPECT_EQ(0, lstat(path, &st));
    /* A writer takes it away, be there something in it or not. */
    write_whole(path_in_test(path, "store/p-journal/x"), "x", 1);
    options.read_only = false;
    store = open_with("pack", &options);
    EXPECT_OK(get_number(store, 1, small));
    EXPECT_OK(put_number(store, 2, small));
    dnnl_cache_store_close(store);
}

TEST_C(PackAttack, TextIsNeverEmptied)
{
    char path[path_size];
    const struct dnnl_cache_store_options options = pack_options();
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text + 1000, "dnnl_cache_entry", 16);
    write_whole(options.path, text, sizeof text);
    dnnl_cache_store_handle_t *store = open_with("pack", &options);
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
    run_shell("cat '%s'.aside-* | grep -q dnnl_cache_entry",
            path_in_test(path, "store/p"));
}
