/* SPDX-License-Identifier: Apache-2.0 */
#include "opening.h"

#include <dnnl_cache/bucket_store.h>
#include <dnnl_cache/flat_store.h>
#include <dnnl_cache/pack_store.h>
#include <dnnl_cache/tree_store.h>

struct dnnl_cache_store_options opening_options(const struct layer_settings *s)
{
    struct dnnl_cache_store_options o = dnnl_cache_store_options_default();
    if (s->store == settings_store_flat)
        o = dnnl_cache_store_flat_options_default();
    if (s->store == settings_store_tree)
        o = dnnl_cache_store_tree_options_default();
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

dnnl_status_t opening_open(struct dnnl_cache_store_handle **store,
        enum settings_store type,
        const struct dnnl_cache_store_options *options)
{
    static dnnl_status_t (*const calls[])(struct dnnl_cache_store_handle **,
            const struct dnnl_cache_store_options *) = {
            [settings_store_flat] = dnnl_cache_store_open_flat,
            [settings_store_bucket] = dnnl_cache_store_open_bucket,
            [settings_store_tree] = dnnl_cache_store_open_tree,
            [settings_store_pack] = dnnl_cache_store_open_pack,
    };
    return calls[type](store, options);
}
