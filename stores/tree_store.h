/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_store.h: directories by the ingredients of an ID, in the layout of the
 * SYCL runtime's persistent cache.
 *
 *     <path>/cache_size.txt                        bytes of all entries
 *     <path>/<device>/<image>/<constants>/<options>/
 *                 0.src               the ID, with all of its ingredients
 *                 0.bin               the blob and a trailer
 *                 0_access_time.txt   its last use, ns since the epoch
 *                 1.src  ...          another ID of the same four hashes
 *
 * The directories are named by 64-bit hashes, 16 hexadecimal digits each:
 *
 *     device     platform, device, driver, and the version of the library
 *     image      sources, IL and headers; a primitive's operation
 *     constants  specialization constants
 *     options    build options, and keys that the application added
 *
 * An ID that dnnl_cache_id_get_field() cannot read has no such ingredients: all
 * of it counts as image, and the other three are hashes of no bytes. In any
 * case the whole ID is in <n>.src and compared. Numbers start at 0; a new entry
 * gets the highest existing number plus one.
 *
 * Readers take no lock and never wait. Writers take turns with a lock on
 * cache_size.txt. Files are written in <path>/.tmp and renamed into place;
 * <n>.src is the last, and with it the entry exists. Meanwhile the writer holds
 * a lock (flock) of the entry's directory, so that other tools can keep writers
 * out of a directory.
 *
 * cache_size.txt starts with "?" while a writer changes the store. If it does
 * not contain a number, because it was removed or damaged or a writer died, the
 * next writer counts all entries and removes incomplete ones. So do every
 * eviction, dnnl_cache_store_trim(), and dnnl_cache_store_verify() with repair.
 * Until then the number includes entries that were removed by hand.
 *
 * When a put does not fit, the least recently used entries are removed until
 * half of the capacity is free, and with them directories that became empty.
 * get() records a use in <n>_access_time.txt, or, if that file does not exist,
 * as the modification time of <n>.bin; the later time counts. With FIFO the
 * order is that of creation. Entries whose time is in the future, for example
 * after the clock was set back, are removed first.
 *
 * Opening a store with an age limit reads the times of all entries.
 */
#ifndef DNNL_CACHE_STORE_TREE_H
#define DNNL_CACHE_STORE_TREE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* As dnnl_cache_store_options_default(), but with 8192 MB, LRU, evictions that
 * free half of the capacity, and a maximum age of 7 days. Where SYCL's
 * variables of 0 mean no limit, use dnnl_cache_store_limit_unlimited() and
 * DNNL_CACHE_STORE_AGE_UNLIMITED. */
struct dnnl_cache_store_options dnnl_cache_store_tree_options_default(void);

/* Days in seconds, for max_age_seconds. */
uint64_t dnnl_cache_store_days(uint64_t days);

/* Opens the store, creates it if it does not exist, and evicts what is above
 * the capacity or too old. A directory that cannot be written to is opened
 * read-only. The caller closes the store. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, an invalid option); dnnl_out_of_memory;
 * dnnl_runtime_error (the directory does not exist and cannot be created, or is
 * not safe: the reason is logged). */
dnnl_status_t dnnl_cache_store_open_tree(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_TREE_H */
