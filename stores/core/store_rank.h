/* SPDX-License-Identifier: Apache-2.0 */
/* store_rank.h: which entries of a store go first when room is needed. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_RANK_H
#define DNNL_CACHE_STORES_CORE_STORE_RANK_H

#include "stores/core/store_age.h"

/* True if the policy or the age limit asks when entries were last used. */
bool store_notes_use(const struct dnnl_cache_store_options *options);

/* True if a get of this handle is a use to be noted, as far as the store can be
 * written. */
bool store_is_user(const dnnl_cache_store_handle_t *store);

/* What is left in use once room is needed: low_water_percent of the capacity,
 * UINT64_MAX if that is unlimited. */
uint64_t store_low_water(const struct dnnl_cache_store_options *options);

/* How little an entry would be missed: those with the smallest value go first,
 * by the policy. now_ns: one moment for all that are compared. Entries whose
 * time is ahead go before all others: they were not used since the clock was
 * put right, and would keep out what is used now for as long as they are
 * ahead. Before even these go, where uses are noted, entries that were dated
 * back (store_age.h). */
double store_eviction_rank(const struct dnnl_cache_store_options *options,
        const struct dnnl_cache_store_entry *item, uint64_t now_ns);

#endif /* DNNL_CACHE_STORES_CORE_STORE_RANK_H */
