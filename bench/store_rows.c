/* SPDX-License-Identifier: Apache-2.0 */
#include "store_rows.h"

#include "failure.h"
#include "plain_file.h"
#include "store_blob.h"
#include "store_journal.h"
#include "store_locked.h"
#include <dnnl_cache/store.h>

#include <dnnl_cache.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blobs as large as a kernel's usually are, and an ID; so many that caches of
 * a store's own do not hold them. */
enum {
    blob_size = 90000,
    id_size = 600,
    entry_count = 400,
    many_count = 50,
    thread_count = 4
};

enum which { bucket, pack, flat, store_count };

struct store_bench {
    char folder[4096];
    size_t repeat; /* pairs of each row, 0: the row's own number */
    /* The first have all entries; the others are full, so that every put
     * evicts. */
    dnnl_cache_store_handle_t *stores[store_count];
    dnnl_cache_store_handle_t *full[store_count];
    struct store_locked *locked; /* a tree */
    struct store_journal_bench *journal;
    unsigned next; /* entry, for both sides of a row */
    unsigned next_put;
    uint8_t id[id_size];
    uint8_t blob[blob_size];
};

/* ---- Making -------------------------------------------------------------- */

static const uint8_t *id_of(uint8_t id[id_size], unsigned number)
{
    store_blob_id(id, id_size, number);
    return id;
}

static void plain_path(
        char path[4200], const struct store_bench *b, const char *name)
{
    snprintf(path, 4200, "%s/%s", b->folder, name);
}

static bool write_plain(const struct store_bench *b, const char *name)
{
    char path[4200];
    plain_path(path, b, name);
    return plain_file_write(path, b->blob, blob_size);
}

/* The blob in the bench is that number's. */
static bool put(dnnl_cache_store_handle_t *store, struct store_bench *b,
        unsigned number)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    return s->put(s->user, id_size, id_of(b->id, number), blob_size, b->blob,
                   NULL)
           == dnnl_success;
}

static void log_line(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info) fprintf(stderr, "%s\n", text);
}

static dnnl_cache_store_handle_t *open_one(
        const struct store_bench *b, enum which which, bool full)
{
    static const char *const names[store_count][2] = {{"bucket", "bucket_full"},
            {"pack/all", "pack/full"}, {"flat", "flat_full"}};
    char path[4200];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    plain_path(path, b, names[which][full]);
    options.path = path;
    options.log = log_line;
    /* The same work in all types: flat's own would note each use. */
    options.policy = dnnl_cache_store_policy_fifo;
    options.low_water_percent = 100;
    if (full) options.capacity = dnnl_cache_store_megabytes(20);
    const char *type = which == bucket ? "bucket"
                       : which == pack ? "pack"
                                       : "flat";
    if (dnnl_cache_store_open(&store, type, &options) != dnnl_success)
        failure_set("%s cannot be opened", path);
    return store;
}

static bool fill(struct store_bench *b)
{
    char name[32];
    for (unsigned i = 0; i < entry_count; i++) {
        snprintf(name, sizeof name, "%u", i);
        store_blob_make(b->blob, blob_size, id_size, i);
        bool done = write_plain(b, name);
        for (int w = 0; w < store_count && done; w++)
            done = put(b->stores[w], b, i) && put(b->full[w], b, i);
        if (!done) {
            failure_set("the stores cannot be filled");
            return false;
        }
    }
    b->next_put = entry_count;
    return true;
}

bool store_bench_open(
        struct store_bench **bench, const char *folder, size_t repeat)
{
    struct store_bench *b = calloc(1, sizeof *b);
    if (b == NULL) {
        failure_set("out of memory");
        return false;
    }
    snprintf(b->folder, sizeof b->folder, "%s", folder);
    b->repeat = repeat;
    uint32_t state = 1;
    for (size_t i = 0; i < blob_size; i++) {
        state = state * 1664525u + 1013904223u;
        b->blob[i] = (uint8_t)(state >> 24);
    }
    bool done = true;
    for (int w = 0; w < store_count && done; w++) {
        b->stores[w] = open_one(b, (enum which)w, false);
        b->full[w] = open_one(b, (enum which)w, true);
        done = b->stores[w] != NULL && b->full[w] != NULL;
    }
    if (!done || !fill(b)
            || !store_locked_open(&b->locked, folder, blob_size, b->blob)
            || !store_journal_open(&b->journal, folder)) {
        store_bench_close(b);
        return false;
    }
    *bench = b;
    return true;
}

void store_bench_close(struct store_bench *bench)
{
    if (bench == NULL) return;
    for (int w = 0; w < store_count; w++) {
        dnnl_cache_store_close(bench->stores[w]);
        dnnl_cache_store_close(bench->full[w]);
    }
    store_locked_close(bench->locked);
    store_journal_close(bench->journal);
    free(bench);
}

/* ---- Sides --------------------------------------------------------------- */

/* Far from the one before. */
static unsigned next_entry(struct store_bench *b)
{
    b->next = (b->next + 151) % entry_count;
    return b->next;
}

static bool missed(const char *what)
{
    failure_set("%s failed", what);
    return false;
}

static bool get(dnnl_cache_store_handle_t *store, unsigned number)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    uint8_t id[id_size];
    const uint8_t *blob;
    size_t size;
    if (s->get(s->user, id_size, id_of(id, number), &size, &blob)
            != dnnl_success)
        return false;
    const bool right = size == blob_size && store_blob_has_number(blob, number);
    s->release(s->user, size, blob);
    return right;
}

static bool get_one(struct store_bench *b, enum which which, double *value)
{
    const unsigned number = next_entry(b);
    const uint64_t began = clock_ns();
    const bool done = get(b->stores[which], number);
    *value = (double)(clock_ns() - began);
    return done || missed("a get");
}

static bool get_bucket(void *bench, double *value)
{
    return get_one(bench, bucket, value);
}

static bool get_pack(void *bench, double *value)
{
    return get_one(bench, pack, value);
}

/* What a program pays for a hit before its driver gets a byte: the blob's own
 * checksum is verified, too. */
static bool hit(struct store_bench *b, enum which which, double *value)
{
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(b->stores[which]);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    uint8_t id[id_size];
    const uint8_t *blob;
    size_t size;
    id_of(id, next_entry(b));
    const uint64_t began = clock_ns();
    bool done = s->get(s->user, id_size, id, &size, &blob) == dnnl_success;
    if (done) {
        done = dnnl_cache_blob_inspect(size, blob, &info) == dnnl_success;
        s->release(s->user, size, blob);
    }
    *value = (double)(clock_ns() - began);
    return done || missed("a hit");
}

static bool hit_bucket(void *bench, double *value)
{
    return hit(bench, bucket, value);
}

static bool hit_flat(void *bench, double *value)
{
    return hit(bench, flat, value);
}

static bool hit_pack(void *bench, double *value)
{
    return hit(bench, pack, value);
}

static bool read_file(void *bench, bool passes, double *value)
{
    struct store_bench *b = bench;
    char path[4200];
    char name[32];
    snprintf(name, sizeof name, "%u", next_entry(b));
    plain_path(path, b, name);
    const uint64_t began = clock_ns();
    uint8_t *bytes = plain_file_read(path, blob_size);
    const bool done = bytes != NULL
                      && (!passes || store_blob_is_intact(bytes, blob_size));
    free(bytes);
    *value = (double)(clock_ns() - began);
    return done || missed("reading a file");
}

/* No less can be done: the bytes, and one pass over them. */
static bool read_and_pass(void *bench, double *value)
{
    return read_file(bench, true, value);
}

static bool read_plain(void *bench, double *value)
{
    return read_file(bench, false, value);
}

static bool put_one(struct store_bench *b, enum which which, double *value)
{
    const unsigned number = b->next_put++;
    store_blob_make(b->blob, blob_size, id_size, number);
    const uint64_t began = clock_ns();
    const bool done = put(b->full[which], b, number);
    *value = (double)(clock_ns() - began);
    return done || missed("a put");
}

static bool put_bucket(void *bench, double *value)
{
    return put_one(bench, bucket, value);
}

static bool put_pack(void *bench, double *value)
{
    return put_one(bench, pack, value);
}

static bool replace_plain(void *bench, double *value)
{
    struct store_bench *b = bench;
    char from[4200];
    char to[4200];
    plain_path(from, b, "new");
    plain_path(to, b, "replaced");
    const uint64_t began = clock_ns();
    const bool done = write_plain(b, "new") && rename(from, to) == 0;
    *value = (double)(clock_ns() - began);
    return done || missed("writing a file");
}

/* ---- Many ---------------------------------------------------------------- */

/* Blobs that are needed together are in memory together: all are given back in
 * the end, as those of get_many() are. */
static bool get_in_turn(struct store_bench *b, enum which which, double *value)
{
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(b->stores[which]);
    const uint8_t *blobs[many_count];
    size_t sizes[many_count];
    uint8_t id[id_size];
    unsigned count = 0;
    const unsigned first = next_entry(b);
    const uint64_t began = clock_ns();
    for (; count < many_count; count++)
        if (s->get(s->user, id_size, id_of(id, (first + count) % entry_count),
                    &sizes[count], &blobs[count])
                != dnnl_success)
            break;
    for (unsigned i = 0; i < count; i++)
        s->release(s->user, sizes[i], blobs[i]);
    *value = (double)(clock_ns() - began);
    return count == many_count || missed("a get");
}

static bool many_of_bucket(void *bench, double *value)
{
    return get_in_turn(bench, bucket, value);
}

static bool many_of_pack(void *bench, double *value)
{
    return get_in_turn(bench, pack, value);
}

static bool many_at_once(void *bench, double *value)
{
    struct store_bench *b = bench;
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(b->stores[pack]);
    static uint8_t ids[many_count][id_size];
    const uint8_t *pointers[many_count];
    size_t id_sizes[many_count];
    size_t sizes[many_count] = {0};
    const uint8_t *blobs[many_count] = {NULL};
    const unsigned first = next_entry(b);
    for (unsigned i = 0; i < many_count; i++) {
        pointers[i] = id_of(ids[i], (first + i) % entry_count);
        id_sizes[i] = id_size;
    }
    const uint64_t began = clock_ns();
    bool done =
            s->get_many(s->user, many_count, id_sizes, pointers, sizes, blobs)
            == dnnl_success;
    for (unsigned i = 0; i < many_count && done; i++) {
        done = blobs[i] != NULL;
        if (done) s->release(s->user, sizes[i], blobs[i]);
    }
    *value = (double)(clock_ns() - began);
    return done || missed("get_many");
}

/* ---- Threads ------------------------------------------------------------- */

struct reader {
    pthread_t thread;
    dnnl_cache_store_handle_t *store;
    unsigned first;
    bool done;
};

static void *read_many(void *user)
{
    struct reader *r = user;
    r->done = true;
    for (unsigned i = 0; i < many_count && r->done; i++)
        r->done = get(r->store, (r->first + i) % entry_count);
    return NULL;
}

/* As many gets in each of them. */
static bool get_in_threads(
        struct store_bench *b, enum which which, int threads, double *value)
{
    struct reader readers[thread_count];
    bool done = true;
    int started = 0;
    const uint64_t began = clock_ns();
    for (; started < threads; started++) {
        struct reader *r = &readers[started];
        *r = (struct reader){.store = b->stores[which], .first = next_entry(b)};
        if (pthread_create(&r->thread, NULL, read_many, r) != 0) break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(readers[i].thread, NULL);
        done = done && readers[i].done;
    }
    *value = (double)(clock_ns() - began);
    return (done && started == threads) || missed("a get");
}

static bool threads_of_one_bucket(void *bench, double *value)
{
    return get_in_threads(bench, bucket, 1, value);
}

static bool threads_of_one_pack(void *bench, double *value)
{
    return get_in_threads(bench, pack, 1, value);
}

static bool threads_of_bucket(void *bench, double *value)
{
    return get_in_threads(bench, bucket, thread_count, value);
}

static bool threads_of_pack(void *bench, double *value)
{
    return get_in_threads(bench, pack, thread_count, value);
}

/* ---- Opening ------------------------------------------------------------- */

static bool open_and_close(
        struct store_bench *b, enum which which, double *value)
{
    const uint64_t began = clock_ns();
    dnnl_cache_store_handle_t *store = open_one(b, which, false);
    dnnl_cache_store_close(store);
    *value = (double)(clock_ns() - began);
    return store != NULL;
}

static bool open_bucket(void *bench, double *value)
{
    return open_and_close(bench, bucket, value);
}

static bool open_pack(void *bench, double *value)
{
    return open_and_close(bench, pack, value);
}

/* ---- Beside a writer ----------------------------------------------------- */

static bool get_locked(void *bench, double *value)
{
    return store_locked_get(((struct store_bench *)bench)->locked, true, value);
}

static bool get_unlocked(void *bench, double *value)
{
    return store_locked_get(
            ((struct store_bench *)bench)->locked, false, value);
}

static bool put_beside(void *bench, double *value)
{
    return store_locked_put(((struct store_bench *)bench)->locked, true, value);
}

static bool put_alone(void *bench, double *value)
{
    return store_locked_put(
            ((struct store_bench *)bench)->locked, false, value);
}

static bool start_long(void *bench, double *value)
{
    return store_journal_start(
            ((struct store_bench *)bench)->journal, store_journal_long, value);
}

static bool start_short(void *bench, double *value)
{
    return store_journal_start(
            ((struct store_bench *)bench)->journal, store_journal_short, value);
}

static bool start_many(void *bench, double *value)
{
    return store_journal_start_many(
            ((struct store_bench *)bench)->journal, value);
}

static bool start_old(void *bench, double *value)
{
    return store_journal_start_old(
            ((struct store_bench *)bench)->journal, value);
}

static bool one_millisecond(void *bench, double *value)
{
    (void)bench;
    *value = 1e6;
    return true;
}

/* Threads of one process take turns with a pack: 4 is as good as it gets, and
 * the rest is what handing over costs. */
const struct store_row store_rows[] = {
        {{"get_bucket", 1.5, "ns",
                 "get of 90 KB, bucket / open, read and close of such a file"},
                get_bucket, read_plain},
        {{"get_pack", 6, "ns",
                 "get of 90 KB, pack / open, read and close of such a file"},
                get_pack, read_plain},
        {{"hit_bucket", 1.15, "ns",
                 "get and inspection of a blob of 90 KB, bucket / open, read, "
                 "close and one XXH3-128 of such a file"},
                hit_bucket, read_and_pass},
        {{"hit_flat", 1.15, "ns",
                 "get and inspection of a blob of 90 KB, flat / open, read, "
                 "close and one XXH3-128 of such a file"},
                hit_flat, read_and_pass},
        {{"hit_pack", 3, "ns",
                 "get and inspection of a blob of 90 KB, pack / open, read, "
                 "close and one XXH3-128 of such a file"},
                hit_pack, read_and_pass},
        {{"put_bucket", 30, "ns",
                 "put of 90 KB that evicts, bucket / write and rename of such "
                 "a file"},
                put_bucket, replace_plain},
        {{"put_pack", 3, "ns",
                 "put of 90 KB that evicts, pack / write and rename of such a "
                 "file"},
                put_pack, replace_plain},
        {{"many_pack", 1, "ns", "get_many of 50, pack / 50 gets, pack"},
                many_at_once, many_of_pack},
        {{"many_bucket", 1, "ns", "50 gets, bucket / get_many of 50, pack"},
                many_of_bucket, many_at_once},
        {{"threads_bucket", 4, "ns",
                 "50 gets in each of 4 threads, bucket / in one"},
                threads_of_bucket, threads_of_one_bucket},
        {{"threads_pack", 5, "ns",
                 "50 gets in each of 4 threads, pack / in one"},
                threads_of_pack, threads_of_one_pack},
        {{"open_bucket", 1, "ns",
                 "open and close of 400 entries, bucket / a get"},
                open_bucket, get_bucket},
        {{"open_pack", 5, "ns", "open and close of 400 entries, pack / a get"},
                open_pack, get_pack},
        {{"get_tree_locked", 1.2, "ns",
                 "get of 90 KB, tree, its directory and the store locked / "
                 "nothing locked"},
                get_locked, get_unlocked},
        {{"put_tree_beside", 1.2, "ns",
                 "put of 90 KB, tree, the directory of other parameters locked "
                 "/ nothing locked"},
                put_beside, put_alone},
        {{"start_journal", 5, "ns",
                 "open, first note and close, a journal of 22 MiB / of one "
                 "note"},
                start_long, start_short},
        {{"start_journal_old", 1, "ns",
                 "open, first note and close, a journal of 22 MiB that nobody "
                 "has read for a day / 1 ms"},
                start_old, one_millisecond},
        {{"start_journal_many", 1, "ns",
                 "open, first note and close, a journal of 36 MiB with 100 000 "
                 "notes / 1 ms"},
                start_many, one_millisecond},
};
const size_t store_row_count = sizeof store_rows / sizeof store_rows[0];

bool store_row_measure(struct store_bench *bench, const struct store_row *row,
        struct result *result)
{
    return measure_pairs((struct side){row->ours, bench},
            (struct side){row->reference, bench},
            effort_of(bench->repeat, 201, 2001), row->row.target, row->row.name,
            result);
}
