/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_store.h: directories by what an ID is made of, as the SYCL runtime keeps
 * its persistent cache.
 *
 *     <path>/cache_size.txt                        bytes of all entries
 *     <path>/<device>/<image>/<constants>/<options>/
 *                 0.src               the ID, with the full values of all that
 *                 0.bin               the blob and a trailer
 *                 0_access_time.txt   its last use, ns since the epoch
 *                 1.src  ...          another ID of the same four hashes
 *
 * The directories are named by 64-bit hashes, 16 hexadecimal digits each:
 *
 *     device     platform, device, driver, and the version of the library
 *     image      sources, IL and headers; what a primitive is to do
 *     constants  specialization constants
 *     options    build options, and keys the application added
 *
 * An ID that dnnl_cache_id_get_field() cannot read has no such parts: it is
 * "image" as a whole, and the other three are hashes of nothing. Whichever, the
 * whole ID is in <n>.src and compared. Numbers start at 0, and a new entry has
 * one more than the highest there is.
 *
 * Readers take no lock and wait for nobody. Writers take turns, by a lock of
 * cache_size.txt; what is being written is in <path>/.tmp until it is renamed
 * into place, <n>.src last, which makes it an entry. Meanwhile the writer holds
 * a lock (flock) of the entry's directory, so that other tools may keep it out
 * of one.
 *
 * cache_size.txt starts with "?" while a writer changes things. If it does not
 * hold a number, because it was removed or damaged or a writer died, the next
 * writer counts all entries, and removes what is incomplete; so does every
 * eviction, dnnl_cache_store_trim(), and dnnl_cache_store_verify() that
 * repairs. Entries that were removed by hand are in the number until then.
 *
 * When a put does not fit, entries are removed, least recently used first,
 * until half of the capacity is free, and directories that became empty with
 * them. get() notes the use in <n>_access_time.txt, or as the modification time
 * of <n>.bin if there is no such file; the later one counts. With
 * FIFO the order is that of the times of creation. Entries whose time is ahead
 * of the clock, as when the clock was put back, go first.
 *
 * Opening a store with an age limit looks at the times of all entries.
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

/* As dnnl_cache_store_options_default(), but 8192 MB, the least recently used
 * go, half of the capacity with them, and what was not used for 7 days. Where
 * SYCL's variables say 0 for no limit, say dnnl_cache_store_limit_unlimited()
 * and DNNL_CACHE_STORE_AGE_UNLIMITED. */
struct dnnl_cache_store_options dnnl_cache_store_tree_options_default(void);

/* A threshold in days as seconds, for max_age_seconds. */
uint64_t dnnl_cache_store_days(uint64_t days);

/* Opens the store, makes it if it is not there, and evicts what is above the
 * capacity or too old. A directory that cannot be written to is opened
 * read-only. The caller closes the store. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, an option that makes no sense);
 * dnnl_out_of_memory; dnnl_runtime_error (no such directory and none can be
 * made, or one that is not safe: the log callback is told why). */
dnnl_status_t dnnl_cache_store_open_tree(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_TREE_H */
