/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_store.h: directories by the ingredients of an ID, laid out as the
 * persistent cache of the SYCL runtime.
 *
 *     dnnl_cache_store_open(&store, "tree", &options);
 *
 *     <path>/cache_size.txt                        bytes of all entries
 *     <path>/dnnl_cache_totals                     what all processes did
 *     <path>/<device>/<image>/<constants>/<options>/
 *                 0.src               the ID, with the full ingredients
 *                 0.bin               the blob and a trailer
 *                 0_access_time.txt   its last use, ns since the epoch
 *                 1.src  ...          another ID with the same four hashes
 *
 * The directories are named by 64-bit hashes, 16 hexadecimal digits each:
 *
 *     device     platform, device, driver, and the version of the library
 *     image      sources, IL and headers, or the operation of a primitive
 *     constants  specialization constants
 *     options    build options, and keys the application added
 *
 * An ID that dnnl_cache_id_next_field() cannot read is hashed whole as the
 * image; its other three directories are hashes of nothing. In either case
 * get() compares the whole ID with <n>.src. Numbers start at 0; a new entry
 * gets the highest number plus one.
 *
 * Readers take no lock and never wait. Writers lock cache_size.txt. A writer
 * creates files in <path>/.tmp and renames them into place; <n>.src comes last,
 * since an entry exists if its <n>.src does. While it changes an entry, a
 * writer also locks the entry's directory with flock(), so that other tools can
 * keep writers out of a directory.
 *
 * cache_size.txt starts with "?" while a writer changes the store. If the file
 * does not hold a number (it was removed or damaged, or a writer died), the
 * next writer counts all entries and removes incomplete ones. So do evictions,
 * dnnl_cache_store_trim(), and dnnl_cache_store_verify() with repair. Until
 * then the number includes entries that were removed by hand.
 *
 * When a put does not fit, entries are evicted, least recently used first,
 * until half of the capacity is free. Directories that become empty are
 * removed. get() writes the time of use to <n>_access_time.txt or, without such
 * a file, sets the modification time of <n>.bin; the later one counts. With
 * FIFO the time of creation counts. Entries with a time in the future (the
 * clock was put back) are evicted first.
 *
 * Opening a store with an age limit reads the times of all entries.
 */
#ifndef DNNL_CACHE_STORE_TREE_H
#define DNNL_CACHE_STORE_TREE_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Days in seconds, for max_age_seconds; 0 is 0, the default. For SYCL's value 0
 * (no limit) use DNNL_CACHE_STORE_UNLIMITED and DNNL_CACHE_STORE_AGE_UNLIMITED.
 */
uint64_t dnnl_cache_store_days(uint64_t days);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_TREE_H */
