/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/replay/replay_describe.h"

#include "dnnl_cache/sys/layer.h"
#include "src/drivers/option_folders.h"
#include "src/includes/includes.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/common/state/layer_key.h"
#include "tools/dnnl_cache/jobs/refresh_build.h"
#include "tools/dnnl_cache/jobs/replay_headers.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HASH_ADD of what cannot grow refuses. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { most_platforms = 32, most_devices = 64, most_all = 256 };

/* ---- Devices ------------------------------------------------------------- */

static void describe_device(
        struct replay_device *device, cl_device_id id, const char *platform)
{
    char name[128] = "";
    char driver[96] = "";
    (void)clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL);
    (void)clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    snprintf(device->name, sizeof device->name, "%.128s: %s (driver %s)",
            platform, name, driver);
    device->id = id;
    device->is_pocl = strcmp(platform, "Portable Computing Language") == 0;
    device->driver = refresh_device_driver(id);
}

static uint8_t *engine_id(cl_device_id device, size_t *size)
{
    *size = 0;
    if (dnnl_ocl_interop_engine_get_cache_blob_id(device, size, NULL)
                    != dnnl_success
            || *size == 0)
        return NULL;
    uint8_t *id = malloc(*size);
    if (id != NULL
            && dnnl_ocl_interop_engine_get_cache_blob_id(device, size, id)
                       == dnnl_success)
        return id;
    free(id);
    return NULL;
}

/* Devices that share their entries are one. */
struct seen {
    struct replay_id ids[most_all];
    size_t count;
};

static bool is_new(struct seen *seen, cl_device_id device)
{
    struct replay_id id;
    id.id = engine_id(device, &id.size);
    if (id.id == NULL || seen->count == most_all) return false;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->ids[i].size == id.size
                && memcmp(seen->ids[i].id, id.id, id.size) == 0)
            return false;
    seen->ids[seen->count++] = id;
    return true;
}

static void look_at(struct replay_device *found, struct seen *seen,
        cl_platform_id platform, const char *text, size_t index)
{
    char name[256] = "";
    char version[256] = "";
    cl_device_id devices[most_devices];
    cl_uint count = 0;
    /* "PoCL" is in its version alone. */
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
                    != CL_SUCCESS
            || clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                       version, NULL)
                       != CL_SUCCESS
            || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, most_devices,
                       devices, &count)
                       != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < most_devices; i++) {
        struct replay_device device = *found;
        describe_device(&device, devices[i], name);
        if ((text != NULL && strcasestr(device.name, text) == NULL
                    && strcasestr(version, text) == NULL)
                || !is_new(seen, devices[i]))
            continue;
        device.count++;
        device.own = seen->ids[seen->count - 1];
        if (found->count == index)
            *found = device;
        else
            found->count++;
    }
}

bool replay_device_open(
        struct replay_device *device, const char *text, size_t index)
{
    static struct seen seen;
    cl_platform_id platforms[most_platforms];
    cl_uint count = 0;
    cl_int error;
    *device = (struct replay_device){.count = 0};
    if (clGetPlatformIDs(most_platforms, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < most_platforms; i++)
        look_at(device, &seen, platforms[i], text, index);
    if (device->count <= index) return false;
    cl_context context =
            clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    return error == CL_SUCCESS
           && dnnl_ocl_interop_engine_create(
                      &device->engine, device->id, context)
                      == dnnl_success;
}

/* ---- IDs ----------------------------------------------------------------- */

/* A build of the record that has been described. */
struct described {
    UT_hash_handle hh;
    size_t index; /* of the last one with its ID */
};

struct naming {
    const struct replay_device *device;
    const struct dnnl_cache_store_journal_list *list;
    const struct refresh_policy *policy;
    const char *folder;
    size_t folders; /* of headers so far */
    struct replay_descriptions *all;
    struct described *described; /* owned, one for each item */
    struct described *table;     /* of them, by the ID in the record */
};

static bool read_id(struct replay_id *id, const_dnnl_cache_program_desc_t desc)
{
    id->size = 0;
    if (dnnl_cache_program_desc_get_cache_blob_id(desc, &id->size, NULL)
                    != dnnl_success
            || id->size == 0)
        return false;
    id->id = malloc(id->size);
    if (id->id != NULL
            && dnnl_cache_program_desc_get_cache_blob_id(
                       desc, &id->size, id->id)
                       == dnnl_success)
        return true;
    *id = (struct replay_id){0, NULL};
    return false;
}

static dnnl_status_t add_key_text(
        dnnl_cache_program_desc_t desc, const char *text)
{
    return dnnl_cache_program_desc_add_key(desc, strlen(text), text);
}

static dnnl_status_t describe_of_library(dnnl_cache_program_desc_t *desc,
        const struct naming *n, const dnnl_cache_note_t *note)
{
    const uint8_t *key;
    size_t size;
    size_t at = 0;
    dnnl_status_t st =
            refresh_build_describe_all(desc, n->device->engine, note);
    while (st == dnnl_success
            && (key = dnnl_cache_recording_next_key(
                        &size, &at, note->id_size, note->id))
                       != NULL)
        st = dnnl_cache_program_desc_add_key(*desc, size, key);
    return st;
}

/* ---- As the layer does (layer/programs/identity.c) --------------------------
 */

/* Where the compiler looks, the headers alone are; or the folder that the
 * application worked in, if the ID depends on it. */
static bool enter_headers(
        char **options, struct naming *n, const dnnl_cache_note_t *note)
{
    char folder[path_size];
    if (note->directory != NULL) return path_set_working(note->directory);
    const int size = snprintf(
            folder, sizeof folder, "%s/headers%zu", n->folder, n->folders++);
    return size > 0 && (size_t)size < sizeof folder
           && folder_make(file_here, folder, 0700, false) == 0
           && replay_headers_enter(options, note, folder, 0);
}

/* What is included, found by the layer's code. False: the layer has no ID
 * either, as what the program reads is not known: it must not be compiled. */
static bool follow_includes(struct includes *found, const struct naming *n,
        const dnnl_cache_note_t *note)
{
    static const char *const nothing = "";
    const bool has_source = note->source_count > 0;
    return includes_follow_to_move(found, NULL, &n->device->driver,
            has_source ? note->source_count : 1,
            has_source ? note->sources : &nothing,
            has_source ? note->source_sizes : NULL, note->options);
}

static dnnl_status_t add_includes(
        dnnl_cache_program_desc_t desc, const struct includes *found)
{
    if (found->moves)
        return dnnl_cache_program_desc_add_key(
                desc, sizeof found->moved_digest, found->moved_digest);
    return found->count > 0 ? dnnl_cache_program_desc_add_key(
                   desc, sizeof found->digest, found->digest)
                            : dnnl_success;
}

/* Of a program that moves the ID has numbers in place of folders. */
static dnnl_status_t describe_files(dnnl_cache_program_desc_t *desc,
        const struct naming *n, const dnnl_cache_note_t *note)
{
    dnnl_cache_note_t bare = *note;
    struct includes found;
    char *named = NULL;
    bare.header_count = 0;
    if (!follow_includes(&found, n, note)) return dnnl_runtime_error;
    if (found.moves) {
        named = option_folders_name(note->options);
        if (named == NULL) return dnnl_out_of_memory;
        bare.options = named;
    }
    dnnl_status_t st =
            refresh_build_describe_all(desc, n->device->engine, &bare);
    if (st == dnnl_success) st = add_includes(*desc, &found);
    free(named);
    return st;
}

/* What is included of files and of headers that are programs; false: what is in
 * the application's ID cannot be told. */
static bool follow_header_programs(struct includes *includes,
        const struct include_embedded *headers, const struct naming *n,
        const dnnl_cache_note_t *note)
{
    /* The layer notes one text; IL names no file. Where the application works
     * no record tells. */
    if (note->source_count > 1
            || include_places_are_working_directory(&n->device->driver))
        return false;
    return includes_follow_embedded(includes, NULL, &n->device->driver,
            note->header_program_count, headers,
            note->source_count > 0 ? note->source_sizes[0] : 0,
            note->source_count > 0 ? note->sources[0] : "", note->options);
}

/* The digest of all, then the first in words. */
static dnnl_status_t add_header_programs(dnnl_cache_program_desc_t desc,
        const struct includes *includes, size_t count,
        const struct include_embedded *headers)
{
    dnnl_status_t st = dnnl_cache_program_desc_add_key(desc,
            sizeof includes->digest,
            includes->moves ? includes->moved_digest : includes->digest);
    if (count > embedded_most_words) count = embedded_most_words;
    for (size_t i = 0; i < count && st == dnnl_success; i++) {
        char *words = embedded_words(&headers[i]);
        st = words != NULL ? add_key_text(desc, words) : dnnl_out_of_memory;
        free(words);
    }
    return st;
}

static dnnl_status_t describe_with_header_programs(
        dnnl_cache_program_desc_t *desc, const struct naming *n,
        const dnnl_cache_note_t *note)
{
    const size_t count = note->header_program_count;
    struct includes includes;
    dnnl_cache_note_t named = *note;
    char *options = NULL;
    dnnl_status_t st = dnnl_out_of_memory;
    struct include_embedded *headers = calloc(count, sizeof *headers);
    if (headers == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_note_header_t *h = &note->header_programs[i];
        headers[i] = (struct include_embedded){h->name, h->text, h->size};
    }
    if (!follow_header_programs(&includes, headers, n, note)) {
        st = dnnl_runtime_error;
        goto out;
    }
    if (includes.moves) {
        options = option_folders_name(note->options);
        if (options == NULL) goto out;
        named.options = options;
    }
    st = refresh_build_describe_all(desc, n->device->engine, &named);
    if (st == dnnl_success)
        st = add_header_programs(*desc, &includes, count, headers);
out:
    free(options);
    free(headers);
    return st;
}

static dnnl_status_t describe_source(dnnl_cache_program_desc_t *desc,
        struct naming *n, const dnnl_cache_note_t *note)
{
    dnnl_cache_note_t here = *note;
    char *options = NULL;
    /* Without headers, too: what else is in a folder must not be found. */
    if (!enter_headers(&options, n, note)) return dnnl_runtime_error;
    if (options != NULL) here.options = options;
    dnnl_status_t st;
    if (note->header_program_count > 0) {
        here.header_count = 0;
        st = describe_with_header_programs(desc, n, &here);
    } else {
        st = describe_files(desc, n, &here);
    }
    free(options);
    return st;
}

/* Of the last build before with that ID in the record; NULL: there is none. */
static const struct replay_id *find_input(
        const struct naming *n, size_t id_size, const uint8_t *id)
{
    struct described *found = NULL;
    HASH_FIND(hh, n->table, id, (unsigned)id_size, found);
    return found != NULL && n->all->ids[found->index].size > 0
                   ? &n->all->ids[found->index]
                   : NULL;
}

/* False: no memory. */
static bool note_described(struct naming *n, size_t index)
{
    const dnnl_cache_note_t *note = n->list->items[index]->note;
    struct described *known = NULL;
    HASH_FIND(hh, n->table, note->id, (unsigned)note->id_size, known);
    if (known == NULL) {
        known = &n->described[index];
        HASH_ADD_KEYPTR(hh, n->table, note->id, (unsigned)note->id_size, known);
        if (known->hh.tbl == NULL) return false;
    }
    known->index = index;
    return true;
}

static dnnl_status_t describe_link(dnnl_cache_program_desc_t *desc,
        const struct naming *n, const dnnl_cache_note_t *note)
{
    const char *source = "";
    dnnl_status_t st = dnnl_cache_program_desc_create(
            desc, n->device->engine, 1, &source, NULL, note->options);
    for (size_t i = 0; st == dnnl_success && i < note->input_count; i++) {
        const struct replay_id *input =
                find_input(n, note->input_id_sizes[i], note->input_ids[i]);
        st = input != NULL ? dnnl_cache_program_desc_add_key(
                     *desc, input->size, input->id)
                           : dnnl_invalid_arguments;
    }
    return st;
}

static dnnl_status_t describe_of_layer(dnnl_cache_program_desc_t *desc,
        struct naming *n, const dnnl_cache_note_t *note)
{
    dnnl_status_t st = note->type == dnnl_cache_note_linked
                               ? describe_link(desc, n, note)
                               : describe_source(desc, n, note);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_set_includes_known(*desc);
    if (st == dnnl_success) st = add_key_text(*desc, LAYER_KEY);
    if (st == dnnl_success && note->type == dnnl_cache_note_object)
        st = add_key_text(*desc, "compiled");
    if (st == dnnl_success && note->type == dnnl_cache_note_linked)
        st = add_key_text(*desc, "linked");
    return st;
}

/* ---- All ----------------------------------------------------------------- */

/* What has no ID is not made. */
static void describe_one(struct naming *n, size_t index)
{
    const dnnl_cache_note_t *note = n->list->items[index]->note;
    dnnl_cache_program_desc_t desc = NULL;
    if (refresh_find_text_objection(note, n->policy) != NULL) return;
    const dnnl_status_t st = note->origin == dnnl_cache_note_layer
                                     ? describe_of_layer(&desc, n, note)
                                     : describe_of_library(&desc, n, note);
    if (st == dnnl_success) (void)read_id(&n->all->ids[index], desc);
    dnnl_cache_program_desc_destroy(desc);
}

bool replay_describe_all(struct replay_descriptions *all,
        const struct replay_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy, const char *folder)
{
    struct naming n = {.device = device,
            .list = list,
            .policy = policy,
            .folder = folder,
            .all = all,
            .described = calloc(list->count + 1, sizeof *n.described)};
    all->ids = calloc(list->count + 1, sizeof *all->ids);
    bool is_done = all->ids != NULL && n.described != NULL;
    for (size_t i = 0; i < list->count && is_done; i++) {
        if (list->items[i]->note->kind != dnnl_cache_note_build) continue;
        describe_one(&n, i);
        is_done = note_described(&n, i);
    }
    HASH_CLEAR(hh, n.table);
    free(n.described);
    return is_done;
}
