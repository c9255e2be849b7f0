/* SPDX-License-Identifier: Apache-2.0 */
/* What the pack store does in a way of its own: one file, many at once, locks.
 */
#include "dnnl_cache/store.h"

#include "store_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct dnnl_cache_store_options pack_options(void)
{
    return kind_options(&pack_kind);
}

static dnnl_cache_store_handle_t *pack_open(
        const struct dnnl_cache_store_options *options)
{
    return kind_open(&pack_kind, options);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_mode & 07777u : 0;
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* The number a statement gives, with a connection of its own. */
static long long ask(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    long long number = -1;
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path, &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db, text, -1, &statement, NULL));
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    else
        EXPECT_EQ(SQLITE_DONE, code);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

/* ---- The file ------------------------------------------------------------ */

TEST_C(PackStore, IsOneDatabaseFile)
{
    const struct dnnl_cache_store_options options = pack_options();
    char path[path_size];
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, "an id", "a blob", 6));
    EXPECT_EQ(0600, mode_of(options.path));
    EXPECT_EQ(0700, mode_of(path_in_test(path, "store")));
    EXPECT_EQ(0, size_of(path_in_test(path, "store/blobs.pack-journal")));
    EXPECT_NE(0, access(path_in_test(path, "store/blobs.pack-wal"), F_OK));
    EXPECT_EQ(size_of(options.path), statistics_of(store).bytes);
    dnnl_cache_store_close(store);
    EXPECT_EQ(0x646e6301, ask(options.path, "PRAGMA application_id"));
    EXPECT_EQ(1, ask(options.path, "PRAGMA user_version"));
    EXPECT_EQ(2, ask(options.path, "PRAGMA auto_vacuum"));
    EXPECT_EQ(8192, ask(options.path, "PRAGMA page_size"));
    EXPECT_EQ(1, ask(options.path, "SELECT count(*) FROM dnnl_cache_entry"));
    EXPECT_EQ(6, ask(options.path, "SELECT length(blob) FROM dnnl_cache_blob"));
}

TEST_C(PackStore, PagesAreSmallInSmallStores)
{
    static const struct {
        uint64_t capacity;
        long long page_size;
    } cases[] = {{1000000, 1024}, {4 << 20, 4096}, {64 << 20, 8192}};
    struct dnnl_cache_store_options options = pack_options();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.capacity = cases[i].capacity;
        dnnl_cache_store_handle_t *store = pack_open(&options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 1, 100));
        dnnl_cache_store_close(store);
        EXPECT_EQ(cases[i].page_size, ask(options.path, "PRAGMA page_size"));
        EXPECT_EQ(0, unlink(options.path));
    }
    options.capacity = 66000; /* the journal's alone */
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 1));
    EXPECT_EQ(1, statistics_of(store).puts_too_large);
    dnnl_cache_store_close(store);
}

TEST_C(PackStore, SharesModesWithTheGroupIfAsked)
{
    struct dnnl_cache_store_options options = pack_options();
    char path[path_size];
    options.sharing = dnnl_cache_store_sharing_group;
    const mode_t mask = umask(077);
    dnnl_cache_store_handle_t *store = pack_open(&options);
    EXPECT_OK(put_bytes(store, "id", "blob", 4));
    umask(mask);
    EXPECT_EQ(0660, mode_of(options.path));
    EXPECT_EQ(0660, mode_of(path_in_test(path, "store/blobs.pack-journal")));
    EXPECT_EQ(0770, mode_of(path_in_test(path, "store")));
    dnnl_cache_store_close(store);
}

TEST_C(PackStore, FindsItsFileWhereverTheProcessGoes)
{
    struct dnnl_cache_store_options options = pack_options();
    char command[3 * path_size];
    char link[path_size];
    char before[path_size];
    EXPECT_NOT_NULL(getcwd(before, sizeof before));
    EXPECT_EQ(0, chdir(test_directory()));
    options.path = "a/b/blobs.pack";
    dnnl_cache_store_handle_t *store = pack_open(&options);
    EXPECT_EQ(0, chdir(before));
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_EQ(0600, mode_of(path_in_test(link, "a/b/blobs.pack")));
    dnnl_cache_store_close(store);
    /* A directory may be reached through a link; the file may not. */
    EXPECT_EQ(0, symlink("a", path_in_test(link, "link")));
    snprintf(command, sizeof command, "%s/b/blobs.pack", link);
    options.path = command;
    store = pack_open(&options);
    EXPECT_OK(get_number(store, 1, 10));
    dnnl_cache_store_close(store);
    static const char *const bad[] = {"a/b/", "a/b/.", "a/b/.."};
    for (int i = 0; i < 3; i++) {
        options.path = path_in_test(link, bad[i]);
        store = NULL;
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_open(&store, "pack", &options));
        EXPECT_NULL(store);
    }
}

TEST_C(PackStore, UsesFreedSpaceAgain)
{
    struct dnnl_cache_store_options options = pack_options();
    options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, 100000));
    const uint64_t full = size_of(options.path);
    for (unsigned i = 0; i < 10; i++) {
        char id[32];
        snprintf(id, sizeof id, "id %u", i);
        EXPECT_OK(remove_id(store, id));
    }
    EXPECT_EQ(full, size_of(options.path));
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, 20 + i, 100000));
    EXPECT_LE(size_of(options.path), full + 2 * 8192);
    dnnl_cache_store_close(store);
}

/* ---- Many at once -------------------------------------------------------- */

TEST_C(PackStore, FindsManyAtOnce)
{
    enum { count = 60 };
    struct dnnl_cache_store_options options = pack_options();
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    static char texts[count][16];
    static uint8_t blob[3000];
    size_t id_sizes[count];
    const uint8_t *ids[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(texts[i], sizeof texts[i], "%u", i);
        ids[i] = (const uint8_t *)texts[i];
    }
    EXPECT_STATUS(dnnl_cache_miss,
            s->get_many(s->user, count, id_sizes, ids, sizes, blobs));
    EXPECT_EQ(count, statistics_of(store).misses);
    for (unsigned i = 0; i < count; i += 2) {
        memset(blob, (int)i, sizeof blob);
        EXPECT_OK(s->put(s->user, id_sizes[i], ids[i], 1000 + i, blob, NULL));
    }
    EXPECT_OK(s->get_many(s->user, count, id_sizes, ids, sizes, blobs));
    for (unsigned i = 0; i < count; i++) {
        if (i % 2 != 0) {
            EXPECT_NULL(blobs[i]);
            EXPECT_EQ(0, sizes[i]);
            continue;
        }
        memset(blob, (int)i, sizeof blob);
        EXPECT_BYTES_EQ(blob, 1000 + i, blobs[i], sizes[i]);
        s->release(s->user, sizes[i], blobs[i]);
        blobs[i] = NULL;
        sizes[i] = 0;
    }
    EXPECT_EQ(count / 2, statistics_of(store).hits);
    EXPECT_EQ(count + count / 2, statistics_of(store).misses);

    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, s->get_many(NULL, 1, id_sizes, ids, sizes, blobs));
    EXPECT_STATUS(bad, s->get_many(s->user, 0, id_sizes, ids, sizes, blobs));
    EXPECT_STATUS(bad, s->get_many(s->user, 1, NULL, ids, sizes, blobs));
    EXPECT_STATUS(bad, s->get_many(s->user, 1, id_sizes, NULL, sizes, blobs));
    EXPECT_STATUS(bad, s->get_many(s->user, 1, id_sizes, ids, NULL, blobs));
    EXPECT_STATUS(bad, s->get_many(s->user, 1, id_sizes, ids, sizes, NULL));
    ids[1] = NULL;
    EXPECT_STATUS(bad, s->get_many(s->user, 2, id_sizes, ids, sizes, blobs));
    EXPECT_NULL(blobs[0]);
    dnnl_cache_store_close(store);
}

/* ---- Uses ---------------------------------------------------------------- */

static long long used_of_oldest(const char *path)
{
    return ask(path, "SELECT used - created FROM dnnl_cache_entry"
                     " ORDER BY number LIMIT 1");
}

TEST_C(PackStore, WritesUsesInTime)
{
    struct dnnl_cache_store_options options = pack_options();
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 200; i++)
        EXPECT_OK(put_number(store, i, 10));
    EXPECT_OK(get_number(store, 0, 10));
    EXPECT_EQ(0, used_of_oldest(options.path));
    EXPECT_OK(put_number(store, 200, 10)); /* with the next put */
    const long long first = used_of_oldest(options.path);
    EXPECT_GT(first, 0);
    EXPECT_OK(get_number(store, 0, 10));
    EXPECT_EQ(first, used_of_oldest(options.path));
    for (unsigned i = 1; i < 128; i++) /* when there are many */
        EXPECT_OK(get_number(store, i, 10));
    const long long second = used_of_oldest(options.path);
    EXPECT_GT(second, first);
    EXPECT_OK(get_number(store, 0, 10));
    dnnl_cache_store_close(store); /* in the end */
    EXPECT_GT(used_of_oldest(options.path), second);
}

static bool count_used(void *user, const struct dnnl_cache_store_entry *item)
{
    if (item->used_ns > item->created_ns) ++*(int *)user;
    return true;
}

/* The number of entries that were used. */
static int see_uses_and_close(void *user)
{
    int count = 0;
    if (dnnl_cache_store_iterate(user, count_used, &count) != dnnl_success)
        count = -1;
    dnnl_cache_store_close(user);
    return count;
}

TEST_C(PackStore, ShowsAChildTheUsesThatItsParentWillWrite)
{
    struct dnnl_cache_store_options options = pack_options();
    options.policy = dnnl_cache_store_policy_lru;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(put_number(store, i, 10));
    EXPECT_OK(get_number(store, 0, 10));
    EXPECT_EQ(1, in_child(see_uses_and_close, store));
    EXPECT_EQ(0, used_of_oldest(options.path)); /* not the child's to write */
    dnnl_cache_store_close(store);
    EXPECT_GT(used_of_oldest(options.path), 0);
}

/* The malloc() of AddressSanitizer waits in the child for threads that are not
 * there. */
#ifndef __SANITIZE_ADDRESS__

struct opener {
    const struct dnnl_cache_store_options *options;
    atomic_bool may_end;
};

static void *open_and_close(void *user)
{
    struct opener *opener = user;
    while (!atomic_load(&opener->may_end))
        dnnl_cache_store_close(pack_open(opener->options));
    return NULL;
}

static int use_after_fork(void *user)
{
    const struct opener *opener = user;
    alarm(60); /* a child that hangs fails the test */
    dnnl_cache_store_handle_t *store = pack_open(opener->options);
    const int wrong = get_number_quietly(store, 1, 100) != 0;
    dnnl_cache_store_close(store);
    return wrong;
}

/* SQLite has locks of its own, which no thread may hold at a fork. */
TEST_C(PackStore, ForksAmidOpeningAndClosing)
{
    const struct dnnl_cache_store_options options = pack_options();
    struct opener opener = {.options = &options};
    pthread_t thread;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    EXPECT_OK(put_number(store, 1, 100));
    ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_close, &opener));
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(0, in_child(use_after_fork, &opener));
    atomic_store(&opener.may_end, true);
    pthread_join(thread, NULL);
    dnnl_cache_store_close(store);
}
#endif

/* ---- Locks --------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct waiting_writer {
    dnnl_cache_store_handle_t *store;
    atomic_bool has_begun;
    atomic_bool has_put;
};

static void *put_when_free(void *user)
{
    struct waiting_writer *w = user;
    atomic_store(&w->has_begun, true);
    EXPECT_OK(put_number(w->store, 2, 100));
    atomic_store(&w->has_put, true);
    return NULL;
}

/* The writer waits for two minutes, if need be. */
TEST_C(PackStore, ReadersDoNotWaitForAWaitingWriter)
{
    struct dnnl_cache_store_options options = pack_options();
    options.lock_timeout_ms = 120000;
    pthread_t writer;
    struct waiting_writer w = {.store = pack_open(&options)};
    ASSERT_NOT_NULL(w.store);
    EXPECT_OK(put_number(w.store, 1, 100));
    const pid_t holder = pack_kind.hold_lock();
    ASSERT_EQ(0, pthread_create(&writer, NULL, put_when_free, &w));
    while (!atomic_load(&w.has_begun))
        sched_yield();
    for (int i = 0; i < 1000; i++) /* at some time it waits */
        EXPECT_OK(get_number(w.store, 1, 100));
    EXPECT_FALSE(atomic_load(&w.has_put));
    release_lock(holder);
    pthread_join(writer, NULL);
    EXPECT_OK(get_number(w.store, 2, 100));
    EXPECT_EQ(0, statistics_of(w.store).puts_lock_timeout);
    dnnl_cache_store_close(w.store);
}

TEST_C(PackStore, AWriterAtWorkMakesReadersMiss)
{
    struct dnnl_cache_store_options options = pack_options();
    options.lock_timeout_ms = 100;
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 100));
    const pid_t holder = hold_transaction("BEGIN EXCLUSIVE");
    const double began = seconds();
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_TRUE(seconds() - began >= 0.1);
    EXPECT_TRUE(seconds() - began < 60);
    /* Opening waits, and then opens all the same. */
    dnnl_cache_store_handle_t *second = pack_open(&options);
    ASSERT_NOT_NULL(second);
    release_lock(holder);
    EXPECT_OK(get_number(store, 1, 100));
    EXPECT_OK(get_number(second, 1, 100));
    EXPECT_OK(put_number(second, 2, 100));
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(second);
    dnnl_cache_store_close(store);
}

/* Visitors of many threads read while they are shown entries. */
static bool dawdle(void *user, const struct dnnl_cache_store_entry *item)
{
    const struct timespec moment = {0, 2000000};
    (void)item;
    nanosleep(&moment, NULL);
    return get_number(user, 1, 1000) == dnnl_success;
}

static void *iterate_slowly(void *user)
{
    EXPECT_OK(dnnl_cache_store_iterate(user, dawdle, user));
    return NULL;
}

TEST_C(PackStore, VisitorsHoldNoConnection)
{
    enum { threads = 6 };
    pthread_t ids[threads];
    const struct dnnl_cache_store_options options = pack_options();
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 40; i++)
        EXPECT_OK(put_number(store, i, 1000));
    for (int i = 0; i < threads; i++)
        ASSERT_EQ(0, pthread_create(&ids[i], NULL, iterate_slowly, store));
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    EXPECT_EQ(threads * 40, statistics_of(store).hits);
    dnnl_cache_store_close(store);
}

/* ---- A journal left behind ----------------------------------------------- */

static int die_in_a_transaction(void *user)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(user, &db) != SQLITE_OK) return 1;
    if (sqlite3_exec(db,
                "PRAGMA cache_size=2; PRAGMA synchronous=OFF;"
                "BEGIN EXCLUSIVE;"
                "UPDATE dnnl_cache_blob SET blob = zeroblob(length(blob));"
                "DELETE FROM dnnl_cache_entry WHERE number > 5;",
                NULL, NULL, NULL)
            != SQLITE_OK)
        return 2;
    raise(SIGKILL);
    return 3;
}

TEST_C(PackStore, UndoesWhatADeadWriterLeft)
{
    struct dnnl_cache_store_options options = pack_options();
    char path[path_size];
    dnnl_cache_store_handle_t *store = pack_open(&options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, 20000));
    EXPECT_EQ(128 + SIGKILL,
            in_child(die_in_a_transaction, (char *)(uintptr_t)options.path));
    EXPECT_GT(size_of(path_in_test(path, "store/blobs.pack-journal")), 0);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(get_number(store, i, 20000));
    EXPECT_EQ(0, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
}
