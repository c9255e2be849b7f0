/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_store.h: one directory of files, laid out as the cache of Intel's
 * driver.
 *
 *     dnnl_cache_store_open(&store, "flat", &options);
 *
 *     <path>/config.file                  the recorded size; the write lock
 *     <path>/dnnl_cache_totals            what all processes did (168 bytes)
 *     <path>/1f0c97d3a86e55b2.cl_cache    an entry: the blob, its ID, a trailer
 *
 * The name of an entry is the 64-bit hash of its ID in hexadecimal. The file
 * has the whole ID, and get() compares it. Of two IDs with the same hash only
 * the one that was put last is kept; the other is a miss, never a wrong blob.
 *
 * Readers take no lock and never wait. Writers lock config.file. A writer
 * creates a file in <path>/.tmp and renames it over the entry's file.
 *
 * config.file, 40 bytes, little-endian, is changed in place and never removed:
 *
 *      0  8  magic "dnnlccfg"
 *      8  4  version, 1
 *     12  4  1 while a writer changes the store
 *     16  8  bytes of all entries
 *     24  8  when the directory was last changed, ns since the epoch
 *     32  8  XXH3-64 of the above
 *
 * The next writer counts all entries if config.file is missing or damaged, if a
 * writer died, or if another program changed the directory: entries may be
 * added and removed by hand at any time. If config.file cannot be opened,
 * nothing is put, but entries are still found. If it is neither of this size
 * nor begins like this, and no entry is there, it is somebody else's: the
 * directory is refused as a store, and the file stays as it is.
 *
 * When a put does not fit, entries are evicted, least recently used first,
 * until a third of the capacity is free. get() sets the modification time of
 * the entry's file, so file systems without access times work as well. Where
 * get() cannot set the time (the file belongs to another user, the disk is
 * read-only), the time of creation counts; of entries with the same time the
 * largest is evicted first. With FIFO the time of creation counts. Entries with
 * a time in the future (the clock was put back) are evicted first.
 *
 * For Intel's size 0 (no limit) the capacity is DNNL_CACHE_STORE_UNLIMITED.
 *
 * Only names of 16 hexadecimal digits with one of the two extensions are
 * entries. The store ignores all other files in the directory.
 */
#ifndef DNNL_CACHE_STORE_FLAT_H
#define DNNL_CACHE_STORE_FLAT_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The API that the blobs are for, which decides the extension. */
enum dnnl_cache_store_flat_api {
    dnnl_cache_store_flat_opencl = 0,    /* .cl_cache */
    dnnl_cache_store_flat_level_zero = 1 /* .l0_cache */
};

/* Opens a flat store with the extension of this API; with .cl_cache it is what
 * dnnl_cache_store_open() opens, whose statuses these are. Stores with
 * different extensions may share a directory and its capacity: each finds its
 * own entries and evicts any. */
dnnl_status_t dnnl_cache_store_open_flat_for(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options,
        enum dnnl_cache_store_flat_api api);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_FLAT_H */
