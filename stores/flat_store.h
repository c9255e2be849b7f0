/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_store.h: one directory of files, in the layout of Intel's driver cache.
 *
 *     <path>/config.file                  the recorded size; the writers' lock
 *     <path>/1f0c97d3a86e55b2.cl_cache    an entry: the blob, its ID, a trailer
 *
 * An entry's name is the 64-bit hash of its ID in hexadecimal. The whole ID is
 * in the file and compared: of two IDs with the same hash the last one put is
 * kept, and the other is a miss, never a wrong blob.
 *
 * Readers take no lock and never wait. Writers take turns. Files are written in
 * <path>/.tmp and renamed into place, which replaces an entry's file
 * atomically.
 *
 * config.file, 40 bytes, little-endian, is changed in place and never removed:
 *
 *      0  8  magic "dnnlccfg"
 *      8  4  version, 1
 *     12  4  1 while a writer changes things
 *     16  8  bytes of all entries
 *     24  8  when the directory was last changed, ns since the epoch
 *     32  8  XXH3-64 of the above
 *
 * If config.file is missing, damaged, or marked by a writer that died, or if
 * files were changed without it, the next writer counts all entries: files may
 * be removed and added by hand at any time. If config.file cannot be opened,
 * nothing is put, and existing entries are still found.
 *
 * When a put does not fit, the least recently used entries are removed until a
 * third of the capacity is free. The time of an entry's last use is its file's
 * modification time, which get() sets; so the file system need not keep access
 * times. If the time cannot be set (the file belongs to another user, the disk
 * is read-only), it is the time of creation. Of entries with the same time the
 * largest is removed first. With FIFO the order is that of creation. Entries
 * whose time is in the future, for example after the clock was set back, are
 * removed first.
 *
 * Only files named by 16 hexadecimal digits and one of the extensions are
 * entries; all other files in the directory are ignored.
 */
#ifndef DNNL_CACHE_STORE_FLAT_H
#define DNNL_CACHE_STORE_FLAT_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* As dnnl_cache_store_options_default(), but LRU, and an eviction frees a third
 * of the capacity. Where Intel's variable of size 0 means no limit, use
 * dnnl_cache_store_limit_unlimited(). */
struct dnnl_cache_store_options dnnl_cache_store_flat_options_default(void);

/* Opens the store, creates it if it does not exist, and evicts what is above
 * the capacity. A directory that cannot be written to is opened read-only. The
 * caller closes the store. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, an invalid option); dnnl_out_of_memory; dnnl_runtime_error (the
 * directory does not exist and cannot be created, or is not safe: the reason is
 * logged). */
dnnl_status_t dnnl_cache_store_open_flat(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

/* The API whose blobs the store keeps; it decides the extension. */
enum dnnl_cache_store_flat_api {
    dnnl_cache_store_flat_opencl = 0,    /* .cl_cache */
    dnnl_cache_store_flat_level_zero = 1 /* .l0_cache */
};

/* The same for another extension. Stores of both extensions may share a
 * directory and its capacity: each sees only its own entries, and evicts
 * entries of both. */
dnnl_status_t dnnl_cache_store_open_flat_for(
        struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options,
        enum dnnl_cache_store_flat_api api);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_FLAT_H */
