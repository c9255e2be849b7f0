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
 * The trailer's checksum, or MAC, covers the ID, too, so a get reads only
 * kernel.bin. key.bin says whose blob does not match, and lets tools list the
 * store. If either file is damaged, the next put of the ID replaces it.
 *
 * Readers take no lock and never wait. Writers take turns; a writer that does
 * not get the lock within lock_timeout_ms gives up. Files are written in
 * <path>/.tmp and renamed into place. A writer holds the lock meanwhile, so
 * files that the next writer finds in .tmp were left by a writer that died.
 *
 * Before an entry is published, the oldest entries are evicted, so that all
 * files of the store, unfinished ones included, never exceed the capacity
 * (bytes of content; directories and the file system's rounding are not
 * counted). Both size.txt and index.bin may be deleted at any time: the next
 * writer counts all entries again, as it does when the two disagree, or when a
 * writer died.
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

/* Opens the store, creates it if it does not exist, and evicts what is above
 * the capacity. A directory that cannot be written to is opened read-only. The
 * caller closes the store. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, an invalid option); dnnl_out_of_memory; dnnl_runtime_error (the
 * directory does not exist and cannot be created, or is not safe: the reason is
 * logged). */
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
