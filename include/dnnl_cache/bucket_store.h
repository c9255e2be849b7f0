/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_store.h: a directory of entries with an index; the reference store.
 *
 *     dnnl_cache_store_open(&store, "bucket", &options);
 *
 *     <path>/size.txt                     bytes of all keys and blobs, decimal
 *     <path>/index.bin                    order of creation; the write lock
 *     <path>/dnnl_cache_totals            what all processes did (168 bytes)
 *     <path>/14037140681559929700/        a bucket: the hash of an ID
 *                                0/key.bin      the ID
 *                                0/kernel.bin   the blob and a trailer
 *                                1/...          another ID with the same hash
 *
 * The checksum or MAC in the trailer covers the ID too, so get() reads only
 * kernel.bin. key.bin is read when a blob does not match its ID, and by
 * dnnl_cache_store_iterate(). The next put of the ID repairs either file.
 *
 * Readers take no lock and never wait. One writer at a time holds the write
 * lock; a writer that does not get it within lock_timeout_ms gives up. A writer
 * creates files in <path>/.tmp and renames them into place under the lock, so
 * whatever the next writer finds in .tmp was left by a writer that died.
 *
 * Entries are evicted before a new one is published, so the files of the store,
 * temporary files included, never take more than the capacity. (Only content
 * counts, not directories or the file system's rounding.) size.txt and
 * index.bin may be deleted at any time. If one is missing, if they disagree, or
 * if a writer died, the next writer counts all entries again.
 */
#ifndef DNNL_CACHE_STORE_BUCKET_H
#define DNNL_CACHE_STORE_BUCKET_H

#include "dnnl_cache/store.h"

#endif /* DNNL_CACHE_STORE_BUCKET_H */
