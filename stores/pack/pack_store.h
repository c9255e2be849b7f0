/* SPDX-License-Identifier: Apache-2.0 */
/* pack_store.h: opens a pack store, for dnnl_cache_store_open(). */
#ifndef DNNL_CACHE_STORES_PACK_PACK_STORE_H
#define DNNL_CACHE_STORES_PACK_PACK_STORE_H

#include "dnnl_cache/pack_store.h"

dnnl_status_t pack_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_PACK_PACK_STORE_H */
