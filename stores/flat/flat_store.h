/* SPDX-License-Identifier: Apache-2.0 */
/* flat_store.h: opens a flat store, for dnnl_cache_store_open(). */
#ifndef DNNL_CACHE_STORES_FLAT_FLAT_STORE_H
#define DNNL_CACHE_STORES_FLAT_FLAT_STORE_H

#include "dnnl_cache/flat_store.h"

dnnl_status_t flat_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_FLAT_FLAT_STORE_H */
