/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single_file.c: keeps all blobs of a run in one file of the application.
 *
 *     single_file ~/.cache/blobs    compiled 3 programs, result in ...
 *     single_file ~/.cache/blobs    from the cache, result in 8 ms, ...
 *
 * The file is read once, at the start. An attached store looks up blobs in its
 * bytes, and collects new ones. At the end of the run the file is written again
 * with the blobs that this run has used, so that it does not grow with every
 * driver update.
 *
 *     "blobs 1\n", then for each: size of the ID and of the blob, 8 bytes each,
 *     lowest first; the ID; the blob
 *
 * Blobs have checksums, which the library verifies. The table around them has
 * none: the reader accepts any bytes and stops at the first impossible value. A
 * file with another beginning belongs to another program, and is neither used
 * nor replaced.
 */
#include "example.h"
#include "layer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The file ------------------------------------------------------------ */

enum { magic_size = 8, head_size = 16 };
static const char magic[magic_size + 1] = "blobs 1\n";

struct entry {
    struct entry *next;
    size_t id_size, blob_size;
    const uint8_t *id, *blob; /* in the file's bytes, or behind this struct */
    bool used;                /* found, or made, by this run */
    bool gone;
};

struct blob_file {
    uint8_t *bytes;        /* as read */
    bool foreign;          /* there is something, and it is not ours */
    pthread_mutex_t lock;  /* guards the rest */
    struct entry *entries; /* added in front, freed at the end */
    bool changed;
};

static uint64_t load_le64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static uint8_t *store_le64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

/* Reads the entries of a table; false if the table ends in the middle of one.
 */
static bool read_table(struct blob_file *file, const uint8_t *at, size_t left)
{
    while (left >= head_size) {
        const uint64_t id_size = load_le64(at), blob_size = load_le64(at + 8);
        at += head_size;
        left -= head_size;
        if (id_size > left || blob_size > left - id_size) return false;
        struct entry *entry = calloc(1, sizeof *entry);
        if (entry == NULL) return true; /* the rest is compiled */
        entry->id_size = (size_t)id_size;
        entry->blob_size = (size_t)blob_size;
        entry->id = at;
        entry->blob = at + id_size;
        entry->next = file->entries;
        file->entries = entry;
        at += id_size + blob_size;
        left -= (size_t)(id_size + blob_size);
    }
    return left == 0;
}

static void file_open(struct blob_file *file, const char *path)
{
    size_t size = 0;
    pthread_mutex_init(&file->lock, NULL);
    file->bytes = files_read(path, &size);
    if (file->bytes == NULL) {
        file->foreign = errno != ENOENT && errno != ENODATA;
    } else if (size < magic_size
               || memcmp(file->bytes, magic, magic_size) != 0) {
        files_warn(path, "is no file of blobs: neither used nor replaced");
        file->foreign = true;
    } else if (!read_table(file, file->bytes + magic_size, size - magic_size)) {
        files_warn(path, "is cut short or damaged: the rest is not used");
        file->changed = true; /* whole again after this run */
    }
}

static void file_save(const struct blob_file *file, const char *path)
{
    size_t size = magic_size;
    if (!file->changed || file->foreign) return;
    for (const struct entry *e = file->entries; e != NULL; e = e->next)
        if (e->used && !e->gone) size += head_size + e->id_size + e->blob_size;
    uint8_t *bytes = malloc(size), *at = bytes;
    if (bytes == NULL) return;
    memcpy(at, magic, magic_size);
    at += magic_size;
    for (const struct entry *e = file->entries; e != NULL; e = e->next) {
        if (!e->used || e->gone) continue;
        at = store_le64(store_le64(at, e->id_size), e->blob_size);
        memcpy(at, e->id, e->id_size);
        memcpy(at + e->id_size, e->blob, e->blob_size);
        at += e->id_size + e->blob_size;
    }
    files_write(path, size, bytes);
    free(bytes);
}

static void file_close(struct blob_file *file)
{
    for (struct entry *next, *e = file->entries; e != NULL; e = next) {
        next = e->next;
        free(e);
    }
    free(file->bytes);
    pthread_mutex_destroy(&file->lock);
}

/* ---- The store ----------------------------------------------------------- */

static struct entry *find_locked(
        const struct blob_file *file, size_t id_size, const uint8_t *id)
{
    struct entry *e = file->entries;
    while (e != NULL
            && (e->gone || e->id_size != id_size
                    || memcmp(e->id, id, id_size) != 0))
        e = e->next;
    return e;
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct blob_file *file = user;
    pthread_mutex_lock(&file->lock);
    struct entry *e = find_locked(file, id_size, id);
    if (e != NULL) {
        e->used = true;
        *size = e->blob_size;
        *blob = e->blob;
    }
    pthread_mutex_unlock(&file->lock);
    return e != NULL ? dnnl_success : dnnl_cache_miss;
}

/* No entry's bytes change or go before the end. */
static void release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static void forget_locked(
        struct blob_file *file, size_t id_size, const uint8_t *id)
{
    struct entry *e;
    while ((e = find_locked(file, id_size, id)) != NULL)
        e->gone = file->changed = true;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    struct blob_file *file = user;
    pthread_mutex_lock(&file->lock);
    forget_locked(file, id_size, id);
    pthread_mutex_unlock(&file->lock);
    return dnnl_success;
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct blob_file *file = user;
    struct entry *e = malloc(sizeof *e + id_size + size);
    (void)metadata;
    if (e == NULL) return dnnl_out_of_memory;
    uint8_t *bytes = (uint8_t *)(e + 1);
    memcpy(bytes, id, id_size);
    memcpy(bytes + id_size, blob, size);
    *e = (struct entry){.id_size = id_size,
            .blob_size = size,
            .id = bytes,
            .blob = bytes + id_size,
            .used = true};
    pthread_mutex_lock(&file->lock);
    forget_locked(file, id_size, id);
    e->next = file->entries;
    file->entries = e;
    file->changed = true;
    pthread_mutex_unlock(&file->lock);
    return dnnl_success;
}

/* ---- The run ------------------------------------------------------------- */

static dnnl_status_t run(
        const struct device *device, const char *path, bool *right)
{
    struct blob_file file = {0};
    struct layer layer = {0}; /* knows of no cache */
    const dnnl_cache_store_t store = {.struct_size = sizeof store,
            .user = &file,
            .get = get,
            .release = release,
            .put = put,
            .remove = forget};
    const double began = clock_ms();
    file_open(&file, path);
    dnnl_cache_set_default_store(&store);
    dnnl_status_t st = layer_compute(&layer, device);
    if (st == dnnl_success) {
        example_print_library_time(clock_ms() - began);
        st = layer_check(&layer, right);
    }
    layer_fini(&layer);

    /* First release everything that uses the store, primitives in memory
     * included. */
    dnnl_cache_set_default_store(NULL);
    dnnl_set_primitive_cache_capacity(0);
    if (st == dnnl_success) file_save(&file, path);
    file_close(&file);
    return st;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FILE",
            "A layer of a neural network on an OpenCL device. What it is\n"
            "compiled to is kept in one file of the application's own.\n",
            run};
    return example_main(&example, argc, argv);
}
