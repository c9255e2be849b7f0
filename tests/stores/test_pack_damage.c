/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged, foreign and hostile files in place of a pack: never a wrong blob,
 * and the next put heals. */
#include "dnnl_cache/store.h"

#include "store_suite.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { small = 200, entries = 4 };

static struct dnnl_cache_store_options pack_options(void)
{
    struct dnnl_cache_store_options options = kind_options(&pack_kind);
    options.capacity = 300000; /* pages of 1024 bytes */
    return options;
}

/* A closed store with a few entries, as bytes. */
static uint8_t *make_store(
        const struct dnnl_cache_store_options *options, size_t *size)
{
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, options);
    for (unsigned i = 0; i < entries; i++)
        EXPECT_OK(put_number(store, i, small + 700 * i));
    dnnl_cache_store_close(store);
    return read_whole(options->path, size);
}

/* Whatever is in the file: no wrong blob, and after a put all is well. */
static void expect_healing(const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    ASSERT_OK(dnnl_cache_store_open(&store, "pack", options));
    for (unsigned i = 0; i < entries; i++) {
        const int got = get_number_quietly(store, i, small + 700 * i);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
    }
    for (unsigned i = 0; i < entries; i++) {
        EXPECT_OK(put_number(store, i, small + 700 * i));
        EXPECT_OK(get_number(store, i, small + 700 * i));
    }
    EXPECT_OK(remove_id(store, "id 0"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 0, small));
    EXPECT_EQ(0, statistics_of(store).puts_failed);
    dnnl_cache_store_close(store);
}

static void corrupt(const struct dnnl_cache_store_options *options,
        const uint8_t *bytes, size_t size)
{
    write_whole(options->path, bytes, size);
}

/* ---- Damage -------------------------------------------------------------- */

TEST_C(PackDamage, EveryByteOfTheHeaderAndManyOthers)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint64_t seed = test_seed();
    uint8_t *good = make_store(&options, &size);
    for (size_t at = 0; at < size && !test_has_failed();
            at += at < 112 ? 1 : 1 + (size_t)(next_random(&seed) % 15)) {
        const uint8_t was = good[at];
        good[at] ^= (uint8_t)(1u << (next_random(&seed) % 8));
        corrupt(&options, good, size);
        expect_healing(&options);
        if (test_has_failed()) printf("byte %zu\n", at);
        good[at] = was;
    }
    free(good);
}

TEST_C(PackDamage, BytesInAnOpenStore)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint64_t seed = test_seed();
    free(make_store(&options, &size));
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    for (int round = 0; round < 200 && !test_has_failed(); round++) {
        uint8_t *bytes = read_whole(options.path, &size);
        for (int i = 0; i < 1 + round % 40; i++)
            bytes[next_random(&seed) % size] = (uint8_t)next_random(&seed);
        FILE *f = fopen(options.path, "r+b"); /* the same file, not cut */
        ASSERT_NOT_NULL(f);
        EXPECT_EQ(size, fwrite(bytes, 1, size, f));
        fclose(f);
        free(bytes);
        for (unsigned i = 0; i < entries; i++) {
            const int got = get_number_quietly(store, i, small + 700 * i);
            EXPECT_TRUE(
                    got == (int)dnnl_success || got == (int)dnnl_cache_miss);
        }
        for (unsigned i = 0; i < entries; i++) {
            EXPECT_OK(put_number(store, i, small + 700 * i));
            /* What SQLite had read before it may not see; a get does, and the
             * put after it heals. */
            if (get_number(store, i, small + 700 * i) == dnnl_success) continue;
            EXPECT_OK(put_number(store, i, small + 700 * i));
            EXPECT_OK(get_number(store, i, small + 700 * i));
        }
    }
    EXPECT_EQ(0, statistics_of(store).puts_failed);
    dnnl_cache_store_close(store);
}

/* It has no tables any more, like a new one, and no new ones can be made. */
TEST_C(PackDamage, OfTheSchemaAndTheFreePages)
{
    enum { first_free = 32, free_count = 36, cell_count = 103 };
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint8_t *bytes = make_store(&options, &size);
    bytes[cell_count] = bytes[cell_count + 1] = 0;
    memset(bytes + first_free, 0, 4);
    bytes[first_free + 3] = 200; /* behind the end */
    memset(bytes + free_count, 0, 4);
    bytes[free_count + 3] = 7;
    corrupt(&options, bytes, size);
    free(bytes);
    expect_healing(&options);
}

TEST_C(PackDamage, EveryKindOfLength)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint8_t *good = make_store(&options, &size);
    for (size_t n = 0; n < size && !test_has_failed(); n += n < 130 ? 1
                                                            : n % 1024 == 0
                                                                    ? 1023
                                                                    : 1) {
        corrupt(&options, good, n);
        expect_healing(&options);
        if (test_has_failed()) printf("cut to %zu\n", n);
    }
    uint8_t *zeros = calloc(1, size);
    corrupt(&options, zeros, size);
    expect_healing(&options);
    memcpy(zeros + 1024, good + 1024, size - 1024);
    corrupt(&options, zeros, size); /* the first page only */
    dnnl_cache_store_close(NULL);
    expect_healing(&options);
    free(zeros);
    free(good);
}

/* Damage in one entry leaves the others as they are. */
TEST_C(PackDamage, OfABlobIsAMissThatHeals)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint8_t *bytes = make_store(&options, &size);
    static uint8_t probe[16];
    /* The blob of put_number(3), by its first bytes. */
    uint64_t state = 4;
    for (size_t i = 0; i < sizeof probe; i++)
        probe[i] = (uint8_t)next_random(&state);
    uint8_t *at = memmem(bytes, size, probe, sizeof probe);
    ASSERT_NOT_NULL(at);
    at[5] ^= 4;
    corrupt(&options, bytes, size);
    free(bytes);
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(1, check.damaged);
    EXPECT_EQ(0, check.repaired);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 3, small + 2100));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_EQ(4, count_entries(store)); /* its blob is not looked at */
    EXPECT_OK(put_number(store, 3, small + 2100));
    EXPECT_OK(get_number(store, 3, small + 2100));
    EXPECT_EQ(4, count_entries(store));
    for (unsigned i = 0; i < 3; i++)
        EXPECT_OK(get_number(store, i, small + 700 * i));
    dnnl_cache_store_close(store);
}

static void change(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path, &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(db, text, NULL, NULL, NULL));
    sqlite3_close(db);
}

struct seen {
    unsigned intact;
    unsigned damaged;
    unsigned most;
    unsigned ids; /* that were told */
};

static bool see(void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct seen *seen = user;
    EXPECT_NOT_NULL(strchr(verdict->name, '/'));
    seen->ids += verdict->id != NULL;
    if (verdict->intact)
        seen->intact++;
    else
        seen->damaged++;
    return seen->intact + seen->damaged < seen->most;
}

/* What somebody did with SQL. */
TEST_C(PackDamage, VerifyFindsAndRepairs)
{
    static const char *const changes[] = {
            "UPDATE dnnl_cache_blob SET blob = x'00' WHERE number = 2",
            "UPDATE dnnl_cache_blob SET blob = 'text' WHERE number = 2",
            "UPDATE dnnl_cache_blob SET tail = x'00' WHERE number = 2",
            ("REPLACE INTO dnnl_cache_blob SELECT 2, tail, blob"
             " FROM dnnl_cache_blob WHERE number = 1"),
            "DELETE FROM dnnl_cache_blob WHERE number = 2",
            "UPDATE dnnl_cache_entry SET hash = x'0102030405060708' WHERE "
            "number = 2",
            "UPDATE dnnl_cache_entry SET size = 9 WHERE number = 2",
            "UPDATE dnnl_cache_entry SET id = x'61' WHERE number = 2",
    };
    enum { deletion = 4 };
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    uint8_t *good = make_store(&options, &size);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        struct seen seen = {0, 0, 100, 0};
        corrupt(&options, good, size);
        change(options.path, changes[i]);
        dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_EQ(i == deletion ? 3 : 4, count_entries(store));
        EXPECT_EQ(i == deletion, statistics_of(store).damaged);
        EXPECT_OK(dnnl_cache_store_verify(store, false, see, &seen, &check));
        EXPECT_EQ(3, check.intact);
        EXPECT_EQ(1, check.damaged);
        EXPECT_EQ(0, check.repaired);
        EXPECT_EQ(3, seen.intact);
        EXPECT_EQ(1, seen.damaged);
        EXPECT_EQ(i == 5 || i == 7 ? 0 : 1, seen.ids); /* hash, ID */
        seen = (struct seen){0, 0, 2, 0};
        EXPECT_OK(dnnl_cache_store_verify(store, true, see, &seen, &check));
        EXPECT_EQ(2, seen.intact + seen.damaged);
        EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
        EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
        EXPECT_EQ(3, check.intact);
        EXPECT_EQ(0, check.damaged);
        EXPECT_EQ(3, count_entries(store));
        EXPECT_OK(put_number(store, 1, small + 700));
        EXPECT_OK(get_number(store, 1, small + 700));
        EXPECT_EQ(4, count_entries(store));
        dnnl_cache_store_close(store);
    }
    free(good);
}

TEST_C(PackDamage, VerifyThatRepairsTellsOfALostDatabase)
{
    const struct dnnl_cache_store_options options = pack_options();
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct seen seen = {0, 0, 100, 0};
    size_t size;
    uint8_t *bytes = make_store(&options, &size);
    const size_t page = (size_t)bytes[16] << 8 | bytes[17];
    memset(bytes + 2 * page, 0xff, 50); /* the table of entries */
    corrupt(&options, bytes, size);
    free(bytes);
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(dnnl_cache_store_verify(store, true, see, &seen, &check));
    EXPECT_EQ(1, check.damaged);
    EXPECT_EQ(1, check.repaired);
    EXPECT_EQ(1, seen.damaged);
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(0, count_entries(store));
    dnnl_cache_store_close(store);
}

TEST_C(PackDamage, VerifyLooksAtTheWhole)
{
    const struct dnnl_cache_store_options options = pack_options();
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    size_t size;
    uint8_t *bytes = make_store(&options, &size);
    bytes[39] = 9; /* free pages that are not */
    corrupt(&options, bytes, size);
    free(bytes);
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    struct seen seen = {0, 0, 100, 0};
    EXPECT_OK(dnnl_cache_store_verify(store, false, see, &seen, &check));
    EXPECT_EQ(4, check.intact);
    EXPECT_EQ(1, check.damaged);
    EXPECT_EQ(1, seen.damaged);
    EXPECT_EQ(4, count_entries(store));
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(1, check.repaired);
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    dnnl_cache_store_close(store);
}

/* ---- Others' files ------------------------------------------------------- */

TEST_C(PackHostile, TextIsMovedAside)
{
    struct dnnl_cache_store_options options = pack_options();
    static const char text[] = "Dear diary, today I was taken for a database.";
    char command[2 * path_size];
    char root[path_size];
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0700));
    write_whole(options.path, text, sizeof text);
    expect_healing(&options);
    snprintf(command, sizeof command, "grep -qz diary '%s'.aside-*",
            options.path);
    EXPECT_EQ(0, system(command));
    EXPECT_GT(kind_bytes(), sizeof text);
}

TEST_C(PackHostile, ReadOnlyNothingIsMovedOrHealed)
{
    struct dnnl_cache_store_options options = pack_options();
    dnnl_cache_store_handle_t *store;
    size_t size;
    uint8_t *bytes = make_store(&options, &size);
    bytes[100] = 77; /* no kind of page */
    corrupt(&options, bytes, size);
    options.read_only = true;
    store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small + 700));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(put_number(store, 1, small));
    dnnl_cache_store_close(store);
    size_t now;
    uint8_t *after = read_whole(options.path, &now);
    EXPECT_BYTES_EQ(bytes, size, after, now);
    free(after);
    free(bytes);
}

static void expect_refused(const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_store_open(&store, "pack", options));
    EXPECT_NULL(store);
}

TEST_C(PackHostile, OtherDatabasesAreLeftAlone)
{
    const struct dnnl_cache_store_options options = pack_options();
    char root[path_size];
    size_t size;
    size_t now;
    EXPECT_EQ(0, mkdir(path_in_test(root, "store"), 0700));
    change(options.path, "CREATE TABLE bookmarks(x); INSERT INTO bookmarks"
                         " VALUES(1)");
    EXPECT_EQ(0, chmod(options.path, 0600));
    uint8_t *before = read_whole(options.path, &size);
    expect_refused(&options);
    uint8_t *after = read_whole(options.path, &now);
    EXPECT_BYTES_EQ(before, size, after, now);
    free(before);
    free(after);
}

TEST_C(PackHostile, NewerStoresAreLeftAlone)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    size_t now;
    free(make_store(&options, &size));
    change(options.path,
            "PRAGMA application_id=0x646e6302; PRAGMA user_version=2;"
            "CREATE TABLE dnnl_cache_more(x)");
    uint8_t *before = read_whole(options.path, &size);
    expect_refused(&options);
    uint8_t *after = read_whole(options.path, &now);
    EXPECT_BYTES_EQ(before, size, after, now);
    free(before);
    free(after);
}

/* Somebody's tool has been at it. */
TEST_C(PackHostile, AWriteAheadLogIsDoneAwayWith)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    char path[path_size];
    free(make_store(&options, &size));
    change(options.path, "PRAGMA journal_mode=WAL");
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small + 700));
    EXPECT_OK(put_number(store, 9, small));
    EXPECT_OK(get_number(store, 9, small));
    EXPECT_NE(0, access(path_in_test(path, "store/blobs.pack-wal"), F_OK));
    dnnl_cache_store_close(store);
}

/* ---- What is no file ----------------------------------------------------- */

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
    default:
        EXPECT_EQ(0, symlink("/nowhere/at/all", path));
        break;
    }
}

enum { plants = 4 };

TEST_C(PackHostile, WhatIsNoFileIsRefused)
{
    const struct dnnl_cache_store_options options = pack_options();
    char outside[path_size];
    size_t size;
    free(make_store(&options, &size));
    EXPECT_EQ(0, rename(options.path, path_in_test(outside, "outside")));
    for (int what = 0; what < plants; what++) {
        plant(options.path, what, outside);
        alarm(120); /* a FIFO must not be waited for */
        expect_refused(&options);
        alarm(0);
    }
    plant(options.path, 2, NULL);
    EXPECT_EQ(0, rmdir(options.path));
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, small));
    for (int what = 0; what < plants; what++) {
        plant(options.path, what, outside);
        alarm(120);
        EXPECT_STATUS(dnnl_runtime_error, get_number(store, 1, small));
        EXPECT_STATUS(dnnl_runtime_error, put_number(store, 2, small));
        alarm(0);
    }
    EXPECT_EQ(0, unlink(options.path));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_OK(put_number(store, 1, small));
    EXPECT_OK(get_number(store, 1, small));
    dnnl_cache_store_close(store);
    EXPECT_EQ(size, tree_bytes(outside)); /* never followed */
}

TEST_C(PackHostile, JournalsThatAreNoFilesGo)
{
    static const char *const names[] = {"-journal", "-wal", "-shm"};
    const struct dnnl_cache_store_options options = pack_options();
    char outside[path_size];
    char path[2 * path_size];
    size_t size;
    free(make_store(&options, &size));
    write_whole(path_in_test(outside, "outside"), "precious", 8);
    for (int n = 0; n < 3; n++) {
        for (int what = 0; what < plants; what++) {
            snprintf(path, sizeof path, "%s%s", options.path, names[n]);
            plant(path, what, outside);
            alarm(120);
            dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
            ASSERT_NOT_NULL(store);
            EXPECT_OK(get_number(store, 3, small + 2100));
            EXPECT_OK(put_number(store, 5, (size_t)(small + what)));
            alarm(0);
            dnnl_cache_store_close(store);
            EXPECT_EQ(8, tree_bytes(outside));
        }
    }
    /* A journal of nothing we know is not believed. */
    snprintf(path, sizeof path, "%s-journal", options.path);
    write_whole(path, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 nonsense follows", 25);
    expect_healing(&options);
}

TEST_C(PackHostile, FilesOthersMayWriteToAreRefused)
{
    const struct dnnl_cache_store_options options = pack_options();
    size_t size;
    free(make_store(&options, &size));
    EXPECT_EQ(0, chmod(options.path, 0602));
    expect_refused(&options);
    EXPECT_EQ(0, chmod(options.path, 0620));
    expect_refused(&options);
    if (geteuid() == 0) {
        EXPECT_EQ(0, chmod(options.path, 0600));
        EXPECT_EQ(0, chown(options.path, 12345, (gid_t)-1));
        expect_refused(&options);
        EXPECT_EQ(0, chown(options.path, 0, (gid_t)-1));
    }
    EXPECT_EQ(0, chmod(options.path, 0644));
    dnnl_cache_store_handle_t *store = kind_open(&pack_kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(get_number(store, 1, small + 700));
    dnnl_cache_store_close(store);
}
