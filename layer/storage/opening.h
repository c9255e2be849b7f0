/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h: the stores that the settings name, and their options. */
#ifndef DNNL_CACHE_LAYER_OPENING_H
#define DNNL_CACHE_LAYER_OPENING_H

#include "layer/settings/settings.h"

#include <dnnl_cache/tiers.h>

/* DNNL_CACHE_MAX_SIZE is for all files of the store's folder: a share of it is
 * kept for the journal, another one for the file that replaces it, and a third
 * one for the record. What else the layer keeps there has bounds of its own
 * (docs/reference/stores.md). This is one share, the limit of a journal
 * and of a record.
 */
uint64_t opening_journal_limit(const struct layer_settings *settings);

/* The least DNNL_CACHE_MAX_SIZE with so much for entries. */
uint64_t opening_max_size_for(uint64_t capacity);

/* Without a log. The path is the settings'. */
struct dnnl_cache_store_options opening_options(
        const struct layer_settings *settings);

/* All of them, without a log. The strings are the settings'; *local is filled
 * in, and the local store's options. */
struct dnnl_cache_store_tiers opening_tiers(
        const struct layer_settings *settings,
        struct dnnl_cache_store_options *local);

#endif /* DNNL_CACHE_LAYER_OPENING_H */
