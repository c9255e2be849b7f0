/* SPDX-License-Identifier: Apache-2.0 */
/* store_options.h: what the options of a store may be. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H
#define DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H

#include "dnnl_cache/store.h"

/* What 0 means in the options of a type of stores. */
struct store_defaults {
    uint64_t capacity;
    enum dnnl_cache_store_policy policy;
    unsigned low_water_percent;
    uint64_t max_age_seconds;
};

/* Those of bucket and pack. */
extern const struct store_defaults store_usual_defaults;

/* Reads the caller's options into ours, in which no default is left. False: the
 * struct_size is not one that can be read (sized_struct.h). */
bool store_options_read(struct dnnl_cache_store_options *ours,
        const struct dnnl_cache_store_options *callers,
        const struct store_defaults *defaults);

/* Of options that were read: may entries have to be evicted to keep to a
 * capacity? False if it is off or unlimited. */
bool store_has_capacity(const struct dnnl_cache_store_options *options);

/* What makes no sense in options that were read, for a message; NULL:
 * nothing. */
const char *store_options_find_mistake(
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_CORE_STORE_OPTIONS_H */
