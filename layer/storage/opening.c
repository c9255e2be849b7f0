/* SPDX-License-Identifier: Apache-2.0 */
#include "opening.h"

struct dnnl_cache_store_options opening_options(const struct layer_settings *s)
{
    struct dnnl_cache_store_options o = s->store->options_default();
    o.path = s->directory;
    o.capacity = s->max_size > 0 ? dnnl_cache_store_limit_bytes(s->max_size)
                                 : dnnl_cache_store_limit_unlimited();
    o.policy = s->evicts ? dnnl_cache_store_policy_lru
                         : dnnl_cache_store_policy_none;
    /* The store would look at every entry whenever it is opened: see
     * upkeep.h. */
    o.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    /* The settings' limits are about binaries, which blobs are larger than. */
    o.max_blob_bytes = INT64_MAX;
    o.min_blob_bytes = 0;
    return o;
}

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

struct dnnl_cache_store_layers opening_layers(const struct layer_settings *s)
{
    struct dnnl_cache_store_layers layers = dnnl_cache_store_layers_default();
    layers.seed = text_or_null(s->seed);
    layers.remote = text_or_null(s->remote);
    layers.application = text_or_null(s->application);
    layers.type = s->store;
    layers.local = opening_options(s);
    layers.local.path = text_or_null(s->directory);
    return layers;
}
