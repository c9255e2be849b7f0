/* SPDX-License-Identifier: Apache-2.0 */
#include "store_journal.h"

#include "failure.h"
#include "samples.h"
#include <dnnl_cache/journal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Sources as large as those of image processing are. */
enum { long_notes = 1600, text_size = 14000 };

/* As small as launches' are; each third one has a source of its own. */
enum { many_notes = 100000, small_text_size = 370 };

enum { store_journal_many = store_journal_long + 1, path_count };

struct store_journal_bench {
    char paths[path_count][4200]; /* the short one's, the long one's, ... */
    bool has_many;
    char text[text_size + 1];
};

static dnnl_cache_store_handle_t *open_store(const char *path)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path;
    if (dnnl_cache_store_open(&store, "bucket", &options) != dnnl_success)
        failure_set("%s cannot be opened", path);
    return store;
}

/* The source begins with a number, and so does the ID. */
static dnnl_status_t append_sized(struct store_journal_bench *b,
        dnnl_cache_store_handle_t *store, unsigned number, unsigned source,
        size_t size)
{
    const char *sources[] = {b->text};
    const size_t sizes[] = {size};
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    char id[32];
    memset(b->text, 'x', size);
    snprintf(id, sizeof id, "%u", source);
    memcpy(b->text, id, strlen(id));
    snprintf(id, sizeof id, "%u", number);
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_library;
    note.type = dnnl_cache_note_executable;
    note.id = (const uint8_t *)id;
    note.id_size = strlen(id);
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = sizes;
    return dnnl_cache_store_journal_append(store, &note);
}

static dnnl_status_t append(struct store_journal_bench *b,
        dnnl_cache_store_handle_t *store, unsigned number)
{
    return append_sized(b, store, number, number, text_size);
}

static dnnl_status_t append_small(struct store_journal_bench *b,
        dnnl_cache_store_handle_t *store, unsigned number)
{
    return append_sized(b, store, number, number - number % 3, small_text_size);
}

static bool fill_many(struct store_journal_bench *b)
{
    dnnl_cache_store_handle_t *store = open_store(b->paths[store_journal_many]);
    unsigned i = 0;
    if (store == NULL) return false;
    while (i < many_notes && append_small(b, store, i) == dnnl_success)
        i++;
    dnnl_cache_store_close(store);
    if (i < many_notes) failure_set("a note could not be appended");
    return i == many_notes;
}

static bool fill(struct store_journal_bench *b, bool is_long)
{
    dnnl_cache_store_handle_t *store = open_store(b->paths[is_long]);
    const unsigned count = is_long ? long_notes : 1;
    if (store == NULL) return false;
    unsigned i = 0;
    while (i < count && append(b, store, i) == dnnl_success)
        i++;
    dnnl_cache_store_close(store);
    if (i < count) failure_set("a note could not be appended");
    return i == count;
}

bool store_journal_open(struct store_journal_bench **bench, const char *folder)
{
    struct store_journal_bench *b = calloc(1, sizeof *b);
    if (b == NULL) {
        failure_set("out of memory");
        return false;
    }
    snprintf(b->paths[0], sizeof b->paths[0], "%s/journal_short", folder);
    snprintf(b->paths[1], sizeof b->paths[1], "%s/journal_long", folder);
    snprintf(b->paths[store_journal_many], sizeof b->paths[0],
            "%s/journal_many", folder);
    if (!fill(b, false) || !fill(b, true)) {
        free(b);
        return false;
    }
    *bench = b;
    return true;
}

void store_journal_close(struct store_journal_bench *bench)
{
    free(bench);
}

static bool start(struct store_journal_bench *b, const char *path,
        dnnl_status_t (*add)(struct store_journal_bench *b,
                dnnl_cache_store_handle_t *store, unsigned number),
        double *value)
{
    const uint64_t began = clock_ns();
    dnnl_cache_store_handle_t *store = open_store(path);
    const bool done = store != NULL && add(b, store, 0) == dnnl_success;
    dnnl_cache_store_close(store);
    *value = (double)(clock_ns() - began);
    if (!done) failure_set("a note could not be appended");
    return done;
}

bool store_journal_start(struct store_journal_bench *bench,
        enum store_journal which, double *value)
{
    return start(bench, bench->paths[which], append, value);
}

bool store_journal_start_many(struct store_journal_bench *bench, double *value)
{
    if (!bench->has_many) bench->has_many = fill_many(bench);
    return bench->has_many
           && start(bench, bench->paths[store_journal_many], append_small,
                   value);
}

/* The record at the end of a journal: stores/journal/journal_format.h and
 * journal_index.h have its bytes. */
enum { head_size = 40, tail_size = 24, checksum_at = 32, read_at = 16 };

/* It says that all was read when the epoch began, and nothing since. */
static bool age(const char *path)
{
    char name[4300];
    unsigned char tail[head_size + tail_size];
    (void)snprintf(name, sizeof name, "%s/journal", path);
    FILE *file = fopen(name, "r+b");
    if (file == NULL) return false;
    bool done = fseek(file, -(long)sizeof tail, SEEK_END) == 0
                && fread(tail, sizeof tail, 1, file) == 1
                && memcmp(tail, "dnjr", 4) == 0;
    memset(tail + head_size + read_at - 4, 0, 4 + 8);
    tail[head_size + read_at] = 1;
    const XXH64_hash_t sum = XXH3_64bits_withSeed(
            tail + head_size, tail_size, XXH3_64bits(tail, checksum_at));
    for (unsigned i = 0; i < 8; i++)
        tail[checksum_at + i] = (unsigned char)(sum >> 8 * i);
    done = done && fseek(file, -(long)sizeof tail, SEEK_END) == 0
           && fwrite(tail, sizeof tail, 1, file) == 1;
    return fclose(file) == 0 && done;
}

bool store_journal_start_old(struct store_journal_bench *bench, double *value)
{
    if (age(bench->paths[store_journal_long]))
        return store_journal_start(bench, store_journal_long, value);
    failure_set("the journal has no record at its end");
    return false;
}
