/* SPDX-License-Identifier: Apache-2.0 */
/* bucket_store.h: opens a bucket store, for dnnl_cache_store_open(). */
#ifndef DNNL_CACHE_STORES_BUCKET_BUCKET_STORE_H
#define DNNL_CACHE_STORES_BUCKET_BUCKET_STORE_H

#include "dnnl_cache/bucket_store.h"

dnnl_status_t bucket_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_BUCKET_BUCKET_STORE_H */
