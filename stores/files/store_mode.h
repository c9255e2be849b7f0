/* SPDX-License-Identifier: Apache-2.0 */
/* store_mode.h: who may use the files of a store, by its options. */
#ifndef DNNL_CACHE_STORES_FILES_STORE_MODE_H
#define DNNL_CACHE_STORES_FILES_STORE_MODE_H

#include "dnnl_cache/store.h"

#include <sys/types.h>

static inline mode_t store_directory_mode(
        const struct dnnl_cache_store_options *options)
{
    return options->sharing == dnnl_cache_store_sharing_group ? 0770 : 0700;
}

static inline mode_t store_file_mode(
        const struct dnnl_cache_store_options *options)
{
    return options->sharing == dnnl_cache_store_sharing_group ? 0660 : 0600;
}

#endif /* DNNL_CACHE_STORES_FILES_STORE_MODE_H */
