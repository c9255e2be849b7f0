/* SPDX-License-Identifier: Apache-2.0 */
/* In place of pack stores, where the library was built without SQLite. */
#include "stores/pack/pack_store.h"

dnnl_status_t pack_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options)
{
    (void)store;
    if (options->log != NULL)
        options->log(dnnl_cache_log_error,
                "pack stores need SQLite, which this library was built without",
                options->log_user);
    return dnnl_unimplemented;
}
