/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_store.h: the reference store, a directory with FIFO eviction.
 *
 *     <path>/size.txt                     bytes of all keys and blobs, decimal
 *     <path>/index.bin                    the order of creation; the lock
 *     <path>/14037140681559929700/        a bucket: the hash of an ID
 *                                0/key.bin      the ID
 *                                0/kernel.bin   the blob and a trailer
 *                                1/...          another ID of the same hash
 *
 * The trailer's checksum, or MAC, is one of the ID too, so a get reads
 * kernel.bin alone; key.bin is asked whose a blob is that does not match, and
 * for what there is to be seen in the store. The next put heals either file.
 *
 * Readers take no lock and wait for nobody. Writers take turns; one whose turn
 * does not come within lock_timeout_ms gives up. What is being written is in
 * <path>/.tmp until it is renamed into place; since that is done with the lock
 * held, whatever the next writer finds there was left by one that died.
 *
 * Before an entry is published the oldest ones go, so that all files of the
 * store, unfinished ones included, never take more than the capacity (bytes of
 * content: directories and the file system's rounding are not counted). Both
 * size.txt and index.bin may be deleted at any time: the next writer counts
 * again. So it does when the two disagree, and when a writer died.
 *
 * dnnl_cache_store_get_statistics() and dnnl_cache_store_iterate() work as
 * store.h says.
 */
#ifndef DNNL_CACHE_STORE_BUCKET_H
#define DNNL_CACHE_STORE_BUCKET_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Opens the store, makes it if it is not there, and evicts what is above the
 * capacity. A directory that cannot be written to is opened read-only. The
 * caller closes the store. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, an option that makes no sense); dnnl_out_of_memory;
 * dnnl_runtime_error (no such directory and none can be made, or one that is
 * not safe: the log callback is told why). */
dnnl_status_t dnnl_cache_store_open_bucket(
        struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_BUCKET_H */
