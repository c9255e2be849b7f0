/* SPDX-License-Identifier: Apache-2.0 */
/* store_options.h: what the options of a store may be. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H
#define DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H

#include "dnnl_cache/store.h"

/* What makes no sense in the options, for a message; NULL: nothing. */
const char *store_options_find_mistake(
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H */
