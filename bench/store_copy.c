/* SPDX-License-Identifier: Apache-2.0 */
#include "store_copy.h"

#include "failure.h"
#include "plain_file.h"
#include "src/platform/clock.h"
#include <dnnl_cache/store_types.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The entries --------------------------------------------------------- */

struct entry {
    uint8_t *id;
    uint8_t *blob;
    size_t id_size;
    size_t blob_size;
    dnnl_cache_store_metadata_t metadata;
};

struct entries {
    dnnl_cache_store_handle_t *from;
    struct entry *all;
    size_t count;
    bool failed;
};

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size);
    if (copy != NULL) memcpy(copy, data, size);
    return copy;
}

static bool add_entry(struct entries *e,
        const struct dnnl_cache_store_entry *item, const uint8_t *blob,
        size_t size)
{
    struct entry *more = realloc(e->all, (e->count + 1) * sizeof *more);
    if (more == NULL) return false;
    e->all = more;
    struct entry *entry = &more[e->count];
    *entry = (struct entry){.id = copy_of(item->id, item->id_size),
            .blob = copy_of(blob, size),
            .id_size = item->id_size,
            .blob_size = size,
            .metadata = {.struct_size = sizeof entry->metadata,
                    .kind = item->kind,
                    .compile_ns = item->compile_ns}};
    if (entry->id == NULL || entry->blob == NULL) {
        free(entry->id);
        free(entry->blob);
        return false;
    }
    e->count++;
    return true;
}

static bool take_item(void *user, const struct dnnl_cache_store_entry *item)
{
    struct entries *e = user;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(e->from);
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (s->get(s->user, item->id_size, item->id, &size, &blob) != dnnl_success)
        return true; /* gone or damaged by now */
    e->failed = !add_entry(e, item, blob, size);
    s->release(s->user, size, blob);
    return !e->failed;
}

static void free_entries(struct entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        free(e->all[i].id);
        free(e->all[i].blob);
    }
    free(e->all);
}

static bool read_entries(struct entries *e, const char *path)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type_at(path, NULL);
    if (type == NULL) {
        failure_set("%s: not a store", path);
        return false;
    }
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path;
    options.read_only = true;
    if (!succeeded(dnnl_cache_store_open(&e->from, type->name, &options),
                "opening the store"))
        return false;
    const dnnl_status_t st = dnnl_cache_store_iterate(e->from, take_item, e);
    dnnl_cache_store_close(e->from);
    if (!succeeded(st, "dnnl_cache_store_iterate")) return false;
    if (e->failed || e->count == 0) {
        failure_set("%s: %s", path, e->failed ? "out of memory" : "no entry");
        return false;
    }
    return true;
}

/* ---- A copy -------------------------------------------------------------- */

/* As a store of a type; without one, as plain files of a directory. */
struct copy {
    const struct entries *entries;
    const struct dnnl_cache_store_type *type;
    const char *folder;
    char path[4200];
    dnnl_cache_store_handle_t *open; /* NULL unless gets are measured */
    unsigned generation;             /* of what was put */
    size_t next;
};

static bool open_copy(const struct copy *c, dnnl_cache_store_handle_t **store)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = c->path;
    options.policy = dnnl_cache_store_policy_lru; /* as the layer's */
    return succeeded(dnnl_cache_store_open(store, c->type->name, &options),
            "opening a copy");
}

static void plain_path(
        char path[4400], const struct copy *c, size_t i, const char *end)
{
    snprintf(path, 4400, "%s/%zu%s", c->path, i, end);
}

static bool write_plain(const struct copy *c, size_t i)
{
    char path[4400], temporary[4400];
    const struct entry *entry = &c->entries->all[i];
    plain_path(temporary, c, i, ".tmp");
    plain_path(path, c, i, "");
    return plain_file_write(temporary, entry->blob, entry->blob_size)
           && rename(temporary, path) == 0;
}

static bool read_plain(const struct copy *c, size_t i)
{
    char path[4400];
    plain_path(path, c, i, "");
    uint8_t *bytes = plain_file_read(path, c->entries->all[i].blob_size);
    const bool done = bytes != NULL;
    free(bytes);
    if (!done) failure_set("cannot read %s", path);
    return done;
}

static bool get_one(dnnl_cache_store_handle_t *store, const struct entry *entry)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (!succeeded(s->get(s->user, entry->id_size, entry->id, &size, &blob),
                "get"))
        return false;
    const bool same =
            size == entry->blob_size && memcmp(blob, entry->blob, size) == 0;
    s->release(s->user, size, blob);
    if (!same) failure_set("get: another blob");
    return same;
}

/* ---- Sides: one value each, in ns for each entry ------------------------- */

/* Writes all entries to a new place; the one before it stays, for its removal
 * is not measured. */
static bool put_all(void *arg, double *value)
{
    struct copy *c = arg;
    dnnl_cache_store_handle_t *store = NULL;
    snprintf(c->path, sizeof c->path, "%s/%s-%u", c->folder,
            c->type == NULL ? "plain" : c->type->name, ++c->generation);
    const uint64_t start = clock_ns();
    bool done =
            c->type == NULL ? mkdir(c->path, 0700) == 0 : open_copy(c, &store);
    for (size_t i = 0; done && i < c->entries->count; i++) {
        const struct entry *entry = &c->entries->all[i];
        if (c->type == NULL) {
            done = write_plain(c, i);
            continue;
        }
        const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
        done = succeeded(
                s->put(s->user, entry->id_size, entry->id, entry->blob_size,
                        entry->blob, &entry->metadata),
                "put");
    }
    dnnl_cache_store_close(store);
    *value = (double)(clock_ns() - start) / (double)c->entries->count;
    return done;
}

/* A process's start: opens the store, gets all entries, closes the store. */
static bool start_all(void *arg, double *value)
{
    struct copy *c = arg;
    dnnl_cache_store_handle_t *store = NULL;
    const uint64_t start = clock_ns();
    bool done = c->type == NULL || open_copy(c, &store);
    for (size_t i = 0; done && i < c->entries->count; i++)
        done = c->type == NULL ? read_plain(c, i)
                               : get_one(store, &c->entries->all[i]);
    dnnl_cache_store_close(store);
    *value = (double)(clock_ns() - start) / (double)c->entries->count;
    return done;
}

/* One entry after the other, of a store that is open. */
static bool get_next(void *arg, double *value)
{
    struct copy *c = arg;
    const size_t i = c->next++ % c->entries->count;
    const uint64_t start = clock_ns();
    const bool done = c->type == NULL ? read_plain(c, i)
                                      : get_one(c->open, &c->entries->all[i]);
    *value = (double)(clock_ns() - start);
    return done;
}

/* ---- Files and bytes ----------------------------------------------------- */

static struct {
    double files;
    double bytes;
} counted;

static int count_file(
        const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)path;
    (void)ftw;
    counted.files += flag == FTW_F;
    counted.bytes += (double)st->st_blocks * 512; /* directories too */
    return 0;
}

static bool count(const char *path, double *files, double *bytes)
{
    counted.files = counted.bytes = 0;
    if (nftw(path, count_file, 16, FTW_PHYS) != 0) {
        failure_set("cannot count the files of %s", path);
        return false;
    }
    *files = counted.files;
    *bytes = counted.bytes;
    return true;
}

/* ---- Rows ---------------------------------------------------------------- */

struct measurement {
    const char *name;
    const char *unit;
    const char *what;
    bool (*side)(void *arg, double *value);
    struct effort effort;
};

static const struct measurement measurements[] = {
        {"put", "ns", "putting each entry", put_all, {5, 5}},
        {"start", "ns", "opening, getting each entry, closing", start_all,
                {31, 31}},
        {"get", "ns", "getting an entry of an open store", get_next,
                {501, 501}},
};

static struct line make_line(const struct copy *c, const char *name,
        const char *unit, const char *what)
{
    struct line line = {.unit = unit,
            .store = c->type->name,
            .operation = name,
            .versus = "plain",
            .entries = (unsigned)c->entries->count};
    snprintf(line.row, sizeof line.row, "copy_%s_%s", name, c->type->name);
    snprintf(line.what, sizeof line.what, "%s, %s / plain files", what,
            c->type->name);
    return line;
}

static void finish(struct report *report, struct line *line, bool done)
{
    if (!done)
        snprintf(line->result.reason, sizeof line->result.reason, "%s",
                failure_text());
    report_line(report, line);
}

static void measure_files(
        struct report *report, const struct copy *c, const struct copy *plain)
{
    struct line files = make_line(c, "files", "files", "files");
    struct line bytes = make_line(c, "bytes", "bytes", "bytes on disk");
    double n[2], size[2];
    sync(); /* file systems decide on blocks when they write */
    const bool done = count(c->path, &n[0], &size[0])
                      && count(plain->path, &n[1], &size[1]);
    if (done) {
        set_result(&files.result, n[0], n[1]);
        set_result(&bytes.result, size[0], size[1]);
    }
    finish(report, &files, done);
    finish(report, &bytes, done);
}

static void measure_type(struct report *report, struct copy *c,
        struct copy *plain, size_t repeat)
{
    bool done = true;
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++) {
        const struct measurement *m = &measurements[i];
        struct line line = make_line(c, m->name, m->unit, m->what);
        const struct effort effort =
                effort_of(repeat, m->effort.least, m->effort.most);
        if (m->side == get_next) done = done && open_copy(c, &c->open);
        done = done
               && measure_pairs((struct side){m->side, c},
                       (struct side){m->side, plain}, effort, 0, line.row,
                       &line.result);
        finish(report, &line, done);
    }
    dnnl_cache_store_close(c->open);
    c->open = NULL;
    if (done) measure_files(report, c, plain);
}

bool store_copy_measure(struct report *report, const char *from,
        const char *folder, size_t repeat)
{
    struct entries entries = {.from = NULL};
    struct copy plain = {.entries = &entries, .folder = folder};
    const bool done = read_entries(&entries, from);
    for (size_t i = 0; done; i++) {
        struct copy c = {.entries = &entries,
                .type = dnnl_cache_store_get_type(i),
                .folder = folder};
        if (c.type == NULL) break;
        measure_type(report, &c, &plain, repeat);
    }
    free_entries(&entries);
    return done;
}
