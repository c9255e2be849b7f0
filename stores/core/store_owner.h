/* SPDX-License-Identifier: Apache-2.0 */
/* store_owner.h: whose store is safe to run code from. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_OWNER_H
#define DNNL_CACHE_STORES_CORE_STORE_OWNER_H

#include "src/platform/owner.h"
#include "stores/core/store_internal.h"

/* As owner_objection(). With a key, which is this user's own file, entries
 * prove who made them, whoever has the files: where nothing is written that
 * will do for an owner who is not known here. */
static inline const char *store_owner_objection(const struct file_facts *facts,
        const dnnl_cache_store_handle_t *store, const char *path)
{
    if (store->mac != NULL && store->options.read_only
            && owner_is_unmapped(facts->owner))
        return NULL;
    return owner_objection(facts, path);
}

#endif /* DNNL_CACHE_STORES_CORE_STORE_OWNER_H */
