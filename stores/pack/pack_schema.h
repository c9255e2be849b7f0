/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_schema.h: the tables of a pack store's database.
 *
 * Functions that return an int give 0 or an errno value (pack_connection.h).
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_SCHEMA_H
#define DNNL_CACHE_STORES_PACK_PACK_SCHEMA_H

#include "stores/pack/pack_connection.h"

/* Sets what is fixed when a file is made. */
int pack_schema_configure(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store);

/* Makes the tables, unless there are any. */
int pack_schema_make(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store);

/* Are the tables there, as they were made? ENOENT: there is no table at all. */
int pack_schema_check(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store);

/* How many tables there are, and how many have names of ours. */
int pack_schema_count(struct pack_connection *c, int64_t *all, int64_t *ours);

#endif /* DNNL_CACHE_STORES_PACK_PACK_SCHEMA_H */
