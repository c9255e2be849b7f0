/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_recognise.h: is there a store at a place, and of which type?
 *
 * Opening a store makes one where there is none, and lays its files over those
 * of others. So a place is looked at first; nothing here writes or locks.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_RECOGNISE_H
#define DNNL_CACHE_STORES_CORE_STORE_RECOGNISE_H

#include "dnnl_cache/store_types.h"
#include "stores/files/store_names.h"

/* For struct dnnl_cache_store_type. Those of directories find nothing in a
 * file, and the other way round. */
enum dnnl_cache_store_trace store_recognise_bucket(int fd);
enum dnnl_cache_store_trace store_recognise_flat(int fd);
enum dnnl_cache_store_trace store_recognise_tree(int fd);

/* Are our totals there? Then what is beside them is ours, too. */
bool store_recognise_totals(int fd);

/* A file of SQLite's with our number in its header, or without any table, or a
 * damaged one with one of our tables' names at its beginning. */
enum dnnl_cache_store_trace store_recognise_pack(int fd);

#endif /* DNNL_CACHE_STORES_CORE_STORE_RECOGNISE_H */
