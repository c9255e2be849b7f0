/* SPDX-License-Identifier: Apache-2.0 */
/* Stores without an index as their users see them: look-ups, limits, order. */
#include "walk_suite.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { trailer_size = 64, id_size = 5, mac_size = 32, blob_size = 3000 };

struct store_options walk_options(const struct walk_kind *kind)
{
    const struct store_options place = test_options();
    struct store_options options = kind->options();
    options.path = place.path;
    options.log = place.log;
    return options;
}

struct store *walk_open(
        const struct walk_kind *kind, const struct store_options *options)
{
    struct store *store = NULL;
    EXPECT_OK(kind->open(&store, options));
    return store;
}

struct store_statistics walk_statistics(const struct store *store)
{
    struct store_statistics statistics = {0};
    EXPECT_OK(store_get_statistics(store, &statistics));
    return statistics;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
                                                        : 0;
}

uint64_t walk_entry_bytes(const struct walk_kind *kind, const char *path)
{
    char book[2 * path_size];
    snprintf(book, sizeof book, "%s/%s", path, kind->book);
    return tree_bytes(path) - file_bytes(book);
}

struct store_limit walk_room(
        const struct walk_kind *kind, unsigned n, size_t size)
{
    return store_limit_bytes(n * (size + id_size + trailer_size + kind->extra)
                             + kind->book_size);
}

uint64_t walk_ago(unsigned seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec - seconds) * 1000000000u
           + (uint64_t)now.tv_nsec;
}

void walk_expect_order(const struct walk_kind *kind, struct store *store,
        const struct store_options *options)
{
    char path[path_size];
    EXPECT_EQ(walk_entry_bytes(kind, options->path),
            walk_statistics(store).bytes);
    if (options->capacity.kind == store_limit_kind_bytes)
        EXPECT_LE(tree_bytes(options->path), options->capacity.bytes);
    snprintf(path, sizeof path, "%s/.tmp", options->path);
    EXPECT_NE(0, access(path, F_OK));
}

void walk_shell(const char *format, ...)
{
    char command[4 * path_size];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    EXPECT_EQ(0, system(command));
}

/* ---- The interface ------------------------------------------------------- */

void walk_GivesBackWhatWasPut(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 1, 1000));
    EXPECT_OK(put_number(store, 2, 1));
    EXPECT_OK(put_number(store, 3, 300000));
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_OK(get_number(store, 2, 1));
    EXPECT_OK(get_number(store, 3, 300000));
    const struct store_statistics statistics = walk_statistics(store);
    EXPECT_EQ(3, statistics.hits);
    EXPECT_EQ(1, statistics.misses);
    EXPECT_EQ(3, statistics.puts);
    EXPECT_EQ(0, statistics.damaged);
    EXPECT_EQ(0, statistics.recounts);
    EXPECT_EQ(301001 + 3 * (4 + trailer_size + kind->extra), statistics.bytes);
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_RefusesNullAndEmpty(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = store_callbacks(store);
    const uint8_t id[] = "id";
    const uint8_t *blob = id + 1;
    size_t size = 77;
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_EQ(sizeof(dnnl_cache_store_t), s->struct_size);
    EXPECT_STATUS(bad, s->get(NULL, 2, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 0, id, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, NULL, &size, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, NULL, &blob));
    EXPECT_STATUS(bad, s->get(s->user, 2, id, &size, NULL));
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 2, id, &size, &blob));
    EXPECT_EQ(77, size);
    EXPECT_PTR_EQ(id + 1, blob);
    EXPECT_STATUS(bad, s->put(NULL, 2, id, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 0, id, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, NULL, 2, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, id, 0, id, NULL));
    EXPECT_STATUS(bad, s->put(s->user, 2, id, 2, NULL, NULL));
    EXPECT_STATUS(bad, s->remove(NULL, 2, id));
    EXPECT_STATUS(bad, s->remove(s->user, 0, id));
    EXPECT_STATUS(bad, s->remove(s->user, 2, NULL));
    EXPECT_STATUS(bad, store_iterate(store, NULL, NULL));
    EXPECT_STATUS(bad, store_verify(store, false, NULL, NULL, NULL));
    EXPECT_EQ(0, count_entries(store));
    store_close(store);
}

void walk_RefusesOptionsThatMakeNoSense(const struct walk_kind *kind)
{
    struct store *store = NULL;
    struct store_options options = walk_options(kind);
    EXPECT_STATUS(dnnl_invalid_arguments, kind->open(NULL, &options));
    EXPECT_STATUS(dnnl_invalid_arguments, kind->open(&store, NULL));
    options.capacity = store_limit_bytes(0); /* neither off nor unlimited */
    EXPECT_STATUS(dnnl_invalid_arguments, kind->open(&store, &options));
    options = walk_options(kind);
    options.max_age_seconds = 0;
    EXPECT_STATUS(dnnl_invalid_arguments, kind->open(&store, &options));
    options = walk_options(kind);
    options.path = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments, kind->open(&store, &options));
    EXPECT_NULL(store);
    EXPECT_NE(0, access(walk_options(kind).path, F_OK));
}

struct process_work {
    const struct walk_kind *kind;
    const struct store_options *options;
};

static int put_twenty(void *user)
{
    const struct process_work *work = user;
    struct store *store = walk_open(work->kind, work->options);
    if (store == NULL) return 1;
    for (unsigned i = 0; i < 20; i++)
        if (put_number(store, i, 100 + i) != dnnl_success) return 2;
    return 0; /* without closing: a process may end at any time */
}

void walk_LaterProcessesFindTheEntries(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    struct process_work work = {kind, &options};
    EXPECT_EQ(0, in_child(put_twenty, &work));
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(get_number(store, i, 100 + i));
    EXPECT_EQ(20, count_entries(store));
    EXPECT_EQ(0, walk_statistics(store).recounts);
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_ReplacesABlob(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char text[64];
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_bytes(store, "a", "first", 5));
    EXPECT_OK(put_bytes(store, "a", "second one", 10));
    EXPECT_OK(get_text(store, "a", text, sizeof text));
    EXPECT_STR_EQ("second one", text);
    EXPECT_OK(put_bytes(store, "a", "second one", 10));
    EXPECT_EQ(2, walk_statistics(store).puts);
    EXPECT_EQ(1, walk_statistics(store).puts_unchanged);
    EXPECT_EQ(1, count_entries(store));
    EXPECT_EQ(
            10 + 1 + trailer_size + kind->extra, walk_statistics(store).bytes);
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_RemovesWhatItIsTold(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    char text[64];
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(remove_id(store, "nothing"));
    EXPECT_OK(put_number(store, 10, 100));
    EXPECT_OK(put_bytes(store, "b", "2", 1));
    EXPECT_OK(remove_id(store, "id 10"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 100));
    EXPECT_OK(get_text(store, "b", text, sizeof text));
    for (unsigned i = 0; kind->file(path, 10, i); i++)
        EXPECT_NE(0, access(path, F_OK));
    EXPECT_EQ(1, walk_statistics(store).removes);
    EXPECT_EQ(1, count_entries(store));
    walk_expect_order(kind, store, &options);
    EXPECT_OK(remove_id(store, "b"));
    EXPECT_EQ(0, walk_statistics(store).bytes);
    store_close(store);
}

struct seen {
    int count;
    int stop_after;
    struct store_item last;
    char last_id[32];
};

static bool see(void *user, const struct store_item *item)
{
    struct seen *seen = user;
    seen->last = *item;
    snprintf(seen->last_id, sizeof seen->last_id, "%.*s", (int)item->id_size,
            (const char *)item->id);
    return ++seen->count != seen->stop_after;
}

void walk_IteratesOverIntactEntries(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 44));
    kind->set_used(10, walk_ago(1000));
    struct seen seen = {0};
    EXPECT_OK(store_iterate(store, see, &seen));
    EXPECT_EQ(1, seen.count);
    EXPECT_STR_EQ("id 10", seen.last_id);
    EXPECT_EQ(44, seen.last.blob_size);
    EXPECT_EQ(12345, seen.last.compile_ns);
    EXPECT_EQ(dnnl_cache_blob_kind_program, seen.last.kind);
    EXPECT_GT(seen.last.created_ns, walk_ago(100));
    EXPECT_GT(seen.last.used_ns, walk_ago(1100));
    EXPECT_LT(seen.last.used_ns, walk_ago(900));
    EXPECT_OK(put_number(store, 11, 44));
    EXPECT_OK(put_number(store, 12, 44));
    EXPECT_EQ(3, count_entries(store));
    seen = (struct seen){.stop_after = 2};
    EXPECT_OK(store_iterate(store, see, &seen));
    EXPECT_EQ(2, seen.count);
    EXPECT_TRUE(kind->file(path, 11, 0));
    EXPECT_EQ(0, truncate(path, 3));
    EXPECT_EQ(2, count_entries(store));
    store_close(store);
}

/* ---- Capacity and order -------------------------------------------------- */

void walk_KeepsWithinItsCapacity(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 9, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 90 && !test_has_failed(); i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_OK(get_number(store, i, blob_size));
        walk_expect_order(kind, store, &options);
    }
    EXPECT_GT(walk_statistics(store).evictions, 60);
    EXPECT_EQ(0, walk_statistics(store).recounts);
    store_close(store);
}

void walk_KeepsEntriesUntilRoomIsNeeded(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 12, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_EQ(options.capacity.bytes - kind->book_size,
            walk_statistics(store).bytes);
    EXPECT_EQ(0, walk_statistics(store).evictions);
    store_close(store);
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++)
        EXPECT_OK(get_number(store, i, blob_size));
    EXPECT_OK(put_number(store, 22, blob_size));
    EXPECT_GT(walk_statistics(store).evictions, 0);
    store_close(store);
}

/* Exactly the oldest ones, as many as it takes. */
void walk_EvictsTheLeastRecentlyUsed(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 12, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    for (unsigned i = 10; i < 22; i++) /* 21 was used before all others */
        kind->set_used(i, walk_ago(100 + i));
    EXPECT_OK(put_number(store, 22, blob_size));
    const uint64_t evictions = walk_statistics(store).evictions;
    const uint64_t most =
            options.capacity.bytes * options.low_water_percent / 100;
    EXPECT_LE(tree_bytes(options.path), most);
    EXPECT_GT(tree_bytes(options.path) + blob_size + 200, most);
    EXPECT_EQ(13, evictions + count_entries(store));
    for (unsigned i = 10; i < 22; i++)
        EXPECT_STATUS(i < 22 - evictions ? dnnl_success : dnnl_cache_miss,
                get_number(store, i, blob_size));
    EXPECT_OK(get_number(store, 22, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_ReadingAndWritingCountAsUse(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 12, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        kind->set_used(i, walk_ago(300 - i));
    }
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(put_number(store, 11, blob_size - 1)); /* evicts 12 and others */
    EXPECT_GT(walk_statistics(store).evictions, 2);
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 11, blob_size - 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, blob_size));
    EXPECT_OK(get_number(store, 21, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

/* An entry used in the future is as good as one used now, and no better: it
 * grows old like the others. */
void walk_ClocksThatWerePutBack(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 12, blob_size);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        kind->set_used(i, walk_ago(300 - i));
    }
    kind->set_used(10, walk_ago(0) + (uint64_t)3600 * 24 * 3650 * 1000000000u);
    EXPECT_OK(put_number(store, 22, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 11, blob_size));
    /* It survived, but nobody uses it from here on. */
    for (unsigned i = 23; i < 60; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_OK(get_number(store, 21, blob_size));
        if (i == 23) usleep(20000); /* longer than the file system's tick */
    }
    EXPECT_OK(get_number(store, 21, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    store_close(store);
}

void walk_UnlimitedEvictsNothing(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = store_limit_unlimited();
    options.max_age_seconds = STORE_AGE_UNLIMITED;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 60; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    kind->set_used(10, walk_ago(3600 * 24 * 1000));
    store_close(store);
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(50, count_entries(store));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_EQ(0, walk_statistics(store).expired);
    store_close(store);
}

void walk_OffTouchesNothing(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    struct store_check check;
    options.capacity = store_limit_off();
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 1, 10));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 10));
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_OK(store_trim(store, 0, 1, NULL));
    EXPECT_OK(store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(1, walk_statistics(store).puts_off);
    EXPECT_EQ(0, walk_statistics(store).bytes);
    EXPECT_NE(0, access(options.path, F_OK));
    store_close(store);
}

void walk_OtherPolicies(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 3, blob_size);
    options.low_water_percent = 100;
    options.policy = store_policy_fifo;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 13; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(put_number(store, 13, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 11, blob_size));
    EXPECT_EQ(1, walk_statistics(store).evictions);
    store_close(store);

    options.policy = store_policy_none;
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 14, blob_size));
    EXPECT_EQ(1, walk_statistics(store).puts_full);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 14, blob_size));
    EXPECT_EQ(3, count_entries(store));
    store_close(store);

    options.policy = store_policy_cost; /* 15 takes longest to compile */
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = store_callbacks(store);
    uint8_t dear[blob_size] = {1};
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.compile_ns = 90000000000u;
    EXPECT_OK(s->put(s->user, 5, (const uint8_t *)"dear!", sizeof dear, dear,
            &metadata));
    for (unsigned i = 20; i < 40; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    const uint8_t *blob;
    size_t size;
    ASSERT_OK(s->get(s->user, 5, (const uint8_t *)"dear!", &size, &blob));
    EXPECT_BYTES_EQ(dear, sizeof dear, blob, size);
    s->release(s->user, size, blob);
    EXPECT_OK(get_number(store, 39, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_LimitsOfOneBlob(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.capacity = walk_room(kind, 4, blob_size);
    options.min_blob_bytes = 100;
    options.max_blob_bytes = 3 * blob_size;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 99));
    EXPECT_OK(put_number(store, 11, 100));
    EXPECT_OK(put_number(store, 12, 3 * blob_size));
    EXPECT_OK(put_number(store, 13, 3 * blob_size + 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 99));
    /* Above the low-water mark, but not above the capacity. */
    EXPECT_OK(get_number(store, 12, 3 * blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, 3 * blob_size + 1));
    EXPECT_EQ(1, walk_statistics(store).puts_too_small);
    EXPECT_EQ(1, walk_statistics(store).puts_too_large);
    EXPECT_EQ(2, walk_statistics(store).puts);
    store_close(store);

    options.capacity = walk_room(kind, 1, blob_size);
    options.min_blob_bytes = 0;
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 14, 2 * blob_size));
    EXPECT_OK(put_number(store, 15, blob_size + 1));
    EXPECT_EQ(2, walk_statistics(store).puts_too_large);
    EXPECT_OK(put_number(store, 16, blob_size));
    EXPECT_OK(get_number(store, 16, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

/* ---- Age, trimming, verification ----------------------------------------- */

void walk_OldEntriesGoAtOpen(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    options.max_age_seconds = 3600;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 15; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    kind->set_used(11, walk_ago(3590));
    kind->set_used(12, walk_ago(3610));
    kind->set_used(13, walk_ago(1000000));
    store_close(store);
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(2, walk_statistics(store).expired);
    EXPECT_EQ(3, count_entries(store));
    EXPECT_OK(get_number(store, 11, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_TrimsAsToldAndAtOpen(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 30; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        kind->set_used(i, walk_ago(1000 - i));
    }
    uint64_t removed = 77;
    EXPECT_OK(store_trim(store, UINT64_MAX, STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(0, removed);
    EXPECT_OK(store_trim(store, UINT64_MAX, 986, &removed));
    EXPECT_EQ(5, removed);
    EXPECT_OK(store_trim(store, walk_room(kind, 10, blob_size).bytes,
            STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(5, removed);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 19, blob_size));
    EXPECT_OK(get_number(store, 20, blob_size));
    walk_expect_order(kind, store, &options);
    store_close(store);

    options.capacity = walk_room(kind, 4, blob_size);
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_LE(count_entries(store), 4);
    EXPECT_GT(count_entries(store), 0);
    EXPECT_OK(get_number(store, 20, blob_size)); /* used last */
    walk_expect_order(kind, store, &options);
    EXPECT_OK(store_trim(store, 0, STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(0, walk_entry_bytes(kind, options.path));
    store_close(store);
}

static bool count_seen(void *user, const char *name, bool intact)
{
    unsigned *counts = user;
    EXPECT_TRUE(name[0] != '\0');
    counts[intact]++;
    return counts[0] + counts[1] < counts[2];
}

void walk_VerifyFindsAndRepairs(const struct walk_kind *kind)
{
    const struct store_options options = walk_options(kind);
    char path[path_size];
    struct store_check check;
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 15; i++)
        EXPECT_OK(put_number(store, i, blob_size));
    for (unsigned i = 11; i < 14; i += 2) {
        size_t size;
        EXPECT_TRUE(kind->file(path, i, kind->blob_file));
        uint8_t *bytes = read_whole(path, &size);
        bytes[i] ^= 0x10;
        write_whole(path, bytes, size);
        free(bytes);
    }
    unsigned counts[3] = {0, 0, 100};
    EXPECT_OK(store_verify(store, false, count_seen, counts, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(2, check.damaged);
    EXPECT_EQ(0, check.repaired);
    EXPECT_EQ(3 * blob_size, check.bytes);
    EXPECT_EQ(2, counts[0]);
    EXPECT_EQ(3, counts[1]);
    unsigned few[3] = {0, 0, 2};
    EXPECT_OK(store_verify(store, false, count_seen, few, &check));
    EXPECT_EQ(2, few[0] + few[1]);
    EXPECT_OK(store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(2, check.repaired);
    EXPECT_OK(store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(3, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(3, count_entries(store));
    walk_expect_order(kind, store, &options);
    store_close(store);
}

void walk_WithAKeyOnlySignedEntriesCount(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    char key[path_size];
    char path[path_size];
    struct store *store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, blob_size)); /* not signed */
    store_close(store);
    options.key_file = path_in_test(key, "key");
    EXPECT_OK(store_key_file_make(key));
    store = walk_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    EXPECT_EQ(1, walk_statistics(store).damaged);
    EXPECT_OK(put_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_EQ(1, count_entries(store));
    walk_expect_order(kind, store, &options);

    /* Every byte of the signature counts. */
    size_t size;
    EXPECT_TRUE(kind->file(path, 10, kind->blob_file));
    uint8_t *bytes = read_whole(path, &size);
    const size_t at = size - trailer_size - mac_size;
    for (size_t i = at; i < at + mac_size; i++) {
        bytes[i] ^= 1;
        write_whole(path, bytes, size);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
        bytes[i] ^= 1;
    }
    write_whole(path, bytes, size);
    EXPECT_OK(get_number(store, 10, blob_size));
    free(bytes);
    store_close(store);
}

void walk_SyncsAtEveryDurability(const struct walk_kind *kind)
{
    struct store_options options = walk_options(kind);
    for (unsigned d = 0; d <= 2; d++) {
        options.durability = (enum store_durability)d;
        struct store *store = walk_open(kind, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_OK(put_number(store, 10 + d, 5000));
        EXPECT_OK(put_number(store, 20, 5000 + d));
        EXPECT_OK(get_number(store, 10 + d, 5000));
        walk_expect_order(kind, store, &options);
        store_close(store);
    }
}
