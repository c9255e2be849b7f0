/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h: options of the store that the settings name. */
#ifndef DNNL_CACHE_LAYER_OPENING_H
#define DNNL_CACHE_LAYER_OPENING_H

#include "settings.h"

#include <dnnl_cache/store.h>

/* Without a log. The path is the settings'. */
struct dnnl_cache_store_options opening_options(
        const struct layer_settings *settings);

#endif /* DNNL_CACHE_LAYER_OPENING_H */
