/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h: the stores that the settings name, and their options. */
#ifndef DNNL_CACHE_LAYER_OPENING_H
#define DNNL_CACHE_LAYER_OPENING_H

#include "settings.h"

#include <dnnl_cache/layered_store.h>

/* Without a log. The path is the settings'. */
struct dnnl_cache_store_options opening_options(
        const struct layer_settings *settings);

/* All of them, without a log. The strings are the settings'. */
struct dnnl_cache_store_layers opening_layers(
        const struct layer_settings *settings);

#endif /* DNNL_CACHE_LAYER_OPENING_H */
