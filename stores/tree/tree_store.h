/* SPDX-License-Identifier: Apache-2.0 */
/* tree_store.h: opens a tree store, for dnnl_cache_store_open(). */
#ifndef DNNL_CACHE_STORES_TREE_TREE_STORE_H
#define DNNL_CACHE_STORES_TREE_TREE_STORE_H

#include "dnnl_cache/tree_store.h"

dnnl_status_t tree_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_TREE_TREE_STORE_H */
