/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_store.h: one directory of files, as Intel's driver keeps its own cache.
 *
 *     <path>/config.file                  the recorded size; the writers' lock
 *     <path>/1f0c97d3a86e55b2.cl_cache    an entry: the blob, its ID, a trailer
 *
 * An entry's name is the 64-bit hash of its ID in hexadecimal. The whole ID is
 * in the file and compared: of two IDs that share a hash the one put last is
 * kept and the other one is a miss, never a wrong blob.
 *
 * Readers take no lock and wait for nobody. Writers take turns. What is being
 * written is in <path>/.tmp until it is renamed into place; the entry's file is
 * then replaced at one stroke.
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
 * If it is missing, damaged or marked, or if the directory was changed by
 * somebody who does not know of it, the next writer counts all entries: files
 * may be removed and added by hand at any time. If it cannot be opened nothing
 * is put, and entries that are there are still found.
 *
 * When a put does not fit, entries are removed, least recently used first,
 * until a third of the capacity is free. The time of an entry's last use is
 * its file's modification time, which get() sets: it does not matter if the
 * file system keeps no access times. Where that cannot be set (the file is
 * another user's, the disk is read-only) it is the time of creation, and of
 * entries of one time the largest goes first. With FIFO
 * the order is that of the times of creation. Entries whose time is ahead of
 * the clock, as when the clock was put back, go first.
 *
 * Only names of 16 hexadecimal digits and one of the extensions count as
 * entries; all else in the directory is left alone.
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

/* As dnnl_cache_store_options_default(), but the least recently used go, and a
 * third of the capacity with them. Where Intel's size of 0 means no limit, say
 * dnnl_cache_store_limit_unlimited(). */
struct dnnl_cache_store_options dnnl_cache_store_flat_options_default(void);

/* Opens the store, makes it if it is not there, and evicts what is above the
 * capacity. A directory that cannot be written to is opened read-only. The
 * caller closes the store. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, an option that makes no sense); dnnl_out_of_memory;
 * dnnl_runtime_error (no such directory and none can be made, or one that is
 * not safe: the log callback is told why). */
dnnl_status_t dnnl_cache_store_open_flat(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

/* Whose blobs they are: it decides the extension. */
enum dnnl_cache_store_flat_api {
    dnnl_cache_store_flat_opencl = 0,    /* .cl_cache */
    dnnl_cache_store_flat_level_zero = 1 /* .l0_cache */
};

/* The same for another extension. Stores of both may share a directory, and
 * its capacity; each sees its own entries, and evicts any. */
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
