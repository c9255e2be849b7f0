/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.h: where the layer finds and keeps blobs: in memory, then in the
 * store on disk, as the settings say.
 *
 * The store is opened at first use. If it cannot be opened, or fails, the layer
 * works without: that is said if DNNL_CACHE_PRINT_DEBUG=1, and counted. Any
 * thread may call any of these; no lock is held while the disk is worked on.
 */
#ifndef DNNL_CACHE_LAYER_STORAGE_H
#define DNNL_CACHE_LAYER_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that were found: valid until storage_release(). */
struct storage_entry {
    size_t size;
    const uint8_t *blob;
    bool from_memory;            /* else from disk */
    bool damaged;                /* of one that was not found: see below */
    struct storage_block *block; /* the storage's own */
};

/* True: *entry is to be released. The blob is what the store gave: whether it
 * is intact and of this ID is the caller's to check. False: entry->damaged
 * tells whether one is there that the store found damaged, which the next put
 * replaces; all else of *entry is nothing. */
bool storage_get(
        struct storage_entry *entry, size_t id_size, const uint8_t *id);
void storage_release(struct storage_entry *entry);

/* What became of a blob that was put. */
enum storage_outcome {
    storage_kept,      /* on disk, or in memory if that is all there is */
    storage_unchanged, /* the very bytes were there */
    storage_too_small, /* its binaries, for the disk; it is in memory */
    storage_too_large, /* the same */
    storage_not_kept   /* off, read-only, full, or failing */
};

/* Keeps a copy of a blob, replacing one of the same ID. compile_ns: what making
 * it cost; 0: not known. May wait for other writers, a few seconds at most. */
enum storage_outcome storage_put(size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob, uint64_t compile_ns);

/* Forgets a blob that proved useless, in memory and on disk. */
void storage_remove(size_t id_size, const uint8_t *id);

/* Shows the IDs of all entries on disk, until visit returns false. created_ns:
 * since the epoch. Slow: reads the whole store's heads. */
void storage_for_each_id(bool (*visit)(void *user, size_t id_size,
                                 const uint8_t *id, uint64_t created_ns),
        void *user);

/* Gives memory and files back, at exit. What is lent out stays valid; later
 * calls find and keep nothing. */
void storage_close(void);

#endif /* DNNL_CACHE_LAYER_STORAGE_H */
