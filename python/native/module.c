/* SPDX-License-Identifier: Apache-2.0 */
/* What the Python package calls besides the library and the stores. */
#include "module.h"

#include "opencl_table.h"

#include "dnnl_cache.h"
#include "dnnl_cache/store.h"
#include "dnnl_cache/store_types.h"

#include <string.h>

bool dnnl_cache_python_use_loader(
        const char *user, char *why, size_t why_capacity)
{
    const struct opencl_source source = {user, "libOpenCL.so.1"};
    return opencl_table_fill(&source, why, why_capacity);
}

const char *dnnl_cache_python_get_loader(void)
{
    return opencl_table_origin();
}

size_t dnnl_cache_python_get_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {
            {"dnnl_cache_creation_info_t", sizeof(dnnl_cache_creation_info_t)},
            {"dnnl_cache_blob_info_t", sizeof(dnnl_cache_blob_info_t)},
            {"dnnl_cache_id_field_t", sizeof(dnnl_cache_id_field_t)},
            {"dnnl_cache_capture_options_t",
                    sizeof(dnnl_cache_capture_options_t)},
            {"dnnl_cache_store_metadata_t",
                    sizeof(dnnl_cache_store_metadata_t)},
            /* As far as the package knows it. */
            {"dnnl_cache_store_t", offsetof(dnnl_cache_store_t, get_many)},
            {"struct dnnl_cache_store_options",
                    sizeof(struct dnnl_cache_store_options)},
            {"struct dnnl_cache_store_type",
                    offsetof(struct dnnl_cache_store_type, recognise)},
            {"struct dnnl_cache_store_entry",
                    sizeof(struct dnnl_cache_store_entry)},
            {"struct dnnl_cache_store_check",
                    sizeof(struct dnnl_cache_store_check)},
            {"struct dnnl_cache_store_statistics",
                    sizeof(struct dnnl_cache_store_statistics)},
            {"dnnl_exec_arg_t", sizeof(dnnl_exec_arg_t)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) return types[i].size;
    return 0;
}
