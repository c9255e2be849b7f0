/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/store_types.h"

#include "src/common/sized_struct.h"
#include "src/platform/file.h"
#include "src/platform/file_system.h"
#include "stores/bucket/bucket_store.h"
#include "stores/core/store_internal.h"
#include "stores/core/store_recognise.h"
#include "stores/core/store_report.h"
#include "stores/flat/flat_store.h"
#include "stores/pack/pack_store.h"
#include "stores/tree/tree_store.h"

#include <stdio.h>
#include <string.h>

enum { type_size = sizeof(struct dnnl_cache_store_type) };

static const struct registered {
    struct dnnl_cache_store_type type;
    dnnl_status_t (*open)(dnnl_cache_store_handle_t **store,
            const struct dnnl_cache_store_options *options);
} types[] = {
        {{type_size, "bucket",
                 "a directory with an index, as oneDNN's proposal", false,
                 store_recognise_bucket},
                bucket_store_open},
        {{type_size, "flat",
                 "a directory with a file for each entry, as Intel's driver's",
                 false, store_recognise_flat},
                flat_store_open},
        {{type_size, "tree",
                 "directories by device, source and options, as SYCL's", false,
                 store_recognise_tree},
                tree_store_open},
        {{type_size, "pack", "one SQLite file", true, store_recognise_pack},
                pack_store_open},
};
enum { type_count = sizeof types / sizeof *types };

const struct dnnl_cache_store_type *dnnl_cache_store_get_type(size_t index)
{
    return index < type_count ? &types[index].type : NULL;
}

static const struct registered *find(const char *name)
{
    for (size_t i = 0; name != NULL && i < type_count; i++)
        if (strcmp(name, types[i].type.name) == 0) return &types[i];
    return NULL;
}

const struct dnnl_cache_store_type *dnnl_cache_store_find_type(const char *name)
{
    const struct registered *found = find(name);
    return found != NULL ? &found->type : NULL;
}

static void report_unknown(
        const struct dnnl_cache_store_options *options, const char *name)
{
    char text[256];
    if (options->log == NULL) return;
    (void)snprintf(text, sizeof text, "unknown store type \"%.64s\": use %s",
            name, DNNL_CACHE_STORE_TYPE_TEXT);
    options->log(dnnl_cache_log_error, text, options->log_user);
}

static void tell_file_system(const dnnl_cache_store_handle_t *store)
{
    const char *path = store->options.path;
    if (store->options.off || path == NULL) return;
    const struct file_system fs = file_system_of(path);
    if (fs.kind != file_system_is_local)
        store_log(store, dnnl_cache_log_info, "%s: on %s: %s", path, fs.name,
                file_system_words(fs.kind));
}

dnnl_status_t dnnl_cache_store_open(dnnl_cache_store_handle_t **store,
        const char *type, const struct dnnl_cache_store_options *options)
{
    struct dnnl_cache_store_options read;
    const struct registered *found = find(type);
    if (store == NULL || type == NULL || options == NULL)
        return dnnl_invalid_arguments;
    if (found != NULL) {
        const dnnl_status_t st = found->open(store, options);
        if (st == dnnl_success) tell_file_system(*store);
        return st;
    }
    if (sized_struct_read(&read, sizeof read, options))
        report_unknown(&read, type);
    return dnnl_invalid_arguments;
}

const struct dnnl_cache_store_type *dnnl_cache_store_get_default_type(void)
{
    return dnnl_cache_store_find_type(DNNL_CACHE_STORE_DEFAULT_TYPE_NAME);
}

static const struct dnnl_cache_store_type *type_of_new(
        int fd, const struct dnnl_cache_store_type *usual)
{
    struct file_facts facts;
    return usual != NULL && usual->is_file && file_facts(&facts, fd) == 0
                           && facts.kind == file_is_folder
                   ? dnnl_cache_store_get_default_type()
                   : usual;
}

/* In a store of the usual type an entry is found among the first names; to know
 * that there is none of another type, all names have to be read. */
static const struct dnnl_cache_store_type *look_at(
        int fd, const struct dnnl_cache_store_type *usual)
{
    const struct dnnl_cache_store_type *found = NULL;
    enum dnnl_cache_store_trace most = dnnl_cache_store_trace_none;
    if (usual != NULL && usual->recognise(fd) == dnnl_cache_store_trace_entries)
        return usual;
    for (size_t i = 0; i < type_count; i++) {
        const enum dnnl_cache_store_trace trace = types[i].type.recognise(fd);
        if (trace <= most) continue;
        most = trace;
        found = &types[i].type;
    }
    return found != NULL ? found : type_of_new(fd, usual);
}

const struct dnnl_cache_store_type *dnnl_cache_store_find_type_at(
        const char *path, const struct dnnl_cache_store_type *usual)
{
    int fd;
    if (path == NULL
            || file_open(
                       &fd, file_here, path, file_for_reading | file_no_wait, 0)
                       != 0)
        return usual;
    const struct dnnl_cache_store_type *type = look_at(fd, usual);
    (void)file_close(fd);
    return type;
}
