/* SPDX-License-Identifier: Apache-2.0 */
#include "opening.h"

#include <dnnl_cache/bucket_store.h>
#include <dnnl_cache/flat_store.h>
#include <dnnl_cache/pack_store.h>
#include <dnnl_cache/tree_store.h>

struct store_options opening_options(const struct layer_settings *s)
{
    struct store_options o = store_options_default();
    if (s->store == settings_store_flat) o = flat_store_options_default();
    if (s->store == settings_store_tree) o = tree_store_options_default();
    o.path = s->directory;
    o.capacity = s->max_size > 0 ? store_limit_bytes(s->max_size)
                                 : store_limit_unlimited();
    o.policy = s->evicts ? store_policy_lru : store_policy_none;
    /* The store would look at every entry whenever it is opened: see
     * upkeep.h. */
    o.max_age_seconds = STORE_AGE_UNLIMITED;
    /* The settings' limits are about binaries, which blobs are larger than. */
    o.max_blob_bytes = INT64_MAX;
    o.min_blob_bytes = 0;
    return o;
}

dnnl_status_t opening_open(struct store **store, enum settings_store type,
        const struct store_options *options)
{
    static dnnl_status_t (*const calls[])(
            struct store **, const struct store_options *) = {
            [settings_store_flat] = flat_store_open,
            [settings_store_bucket] = bucket_store_open,
            [settings_store_tree] = tree_store_open,
            [settings_store_pack] = pack_store_open,
    };
    return calls[type](store, options);
}
