/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/store_types.h"

#include "dnnl_cache/bucket_store.h"
#include "dnnl_cache/flat_store.h"
#include "dnnl_cache/pack_store.h"
#include "dnnl_cache/tree_store.h"
#include "src/platform/file.h"
#include "stores/core/store_recognise.h"

#include <string.h>

static const struct dnnl_cache_store_type types[] = {
        {"bucket", "a directory with an index, as oneDNN's proposal", false,
                dnnl_cache_store_open_bucket, store_recognise_bucket},
        {"flat", "a directory with a file for each entry, as Intel's driver's",
                false, dnnl_cache_store_open_flat, store_recognise_flat},
        {"tree", "directories by device, source and options, as SYCL's", false,
                dnnl_cache_store_open_tree, store_recognise_tree},
        {"pack", "one SQLite file", true, dnnl_cache_store_open_pack,
                store_recognise_pack},
};

const struct dnnl_cache_store_type *dnnl_cache_store_get_type(size_t index)
{
    return index < sizeof types / sizeof *types ? &types[index] : NULL;
}

const struct dnnl_cache_store_type *dnnl_cache_store_find_type(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0) return &types[i];
    return NULL;
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
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const enum dnnl_cache_store_trace trace = types[i].recognise(fd);
        if (trace <= most) continue;
        most = trace;
        found = &types[i];
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
