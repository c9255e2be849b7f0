/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.h: the blobs of the layer, in memory and in the store on disk, as the
 * settings say.
 *
 * The store is opened at first use. If it cannot be opened or a call of it
 * fails, the layer works without it; failures are counted, and printed if
 * DNNL_CACHE_PRINT_DEBUG=1. Thread-safe; while the store is opened calls wait,
 * and else no lock is held during disk access.
 */
#ifndef DNNL_CACHE_LAYER_STORAGE_H
#define DNNL_CACHE_LAYER_STORAGE_H

#include "dnnl_cache/sys/note.h"

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

/* True: the caller releases *entry, and checks whether the blob is intact and
 * has this ID. False: entry->damaged is true if the store found a damaged
 * entry, which the next put replaces; nothing else of *entry is set. */
bool storage_get(
        struct storage_entry *entry, size_t id_size, const uint8_t *id);
void storage_release(struct storage_entry *entry);

/* After a miss: waits while another host compiles it, if the store can tell
 * (store callback acquire_lease). True: it is in the storage now. With
 * *holds_lease others wait for this process, until storage_put() or
 * storage_release_lease().
 */
bool storage_acquire_lease(
        size_t id_size, const uint8_t *id, bool *holds_lease);
void storage_release_lease(size_t id_size, const uint8_t *id);

/* What became of a blob that was put. */
enum storage_outcome {
    storage_kept,      /* on disk, or in memory if that is all there is */
    storage_unchanged, /* the very bytes were there */
    storage_too_small, /* its binaries, for the disk; it is in memory */
    storage_too_large, /* the same */
    storage_not_kept   /* off, read-only, full, or failing */
};

/* Stores a copy of a blob, and replaces one of the same ID. compile_ns: the
 * time of its compilation; 0: unknown. Waits a few seconds at most for other
 * writers. */
enum storage_outcome storage_put(size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob, uint64_t compile_ns);

/* True if a blob that is put now can be expected to be kept: there is a store
 * that may be written and is not full, and it has not refused a put in the last
 * minute. Without persistence, if there is the memory. */
bool storage_can_keep(void);

/* ---- The store's journal (include/dnnl_cache/journal.h) ---- */

/* True: the journal has the note. */
bool storage_note(const dnnl_cache_note_t *note);
/* Calls visit for all notes, until it returns false. */
void storage_for_each_note(
        bool (*visit)(void *user, const dnnl_cache_note_t *note, uint64_t key),
        void *user);
void storage_drop_notes(size_t count, const uint64_t *keys);
/* How many bytes of notes may wait for what is not urgent: a quarter of what
 * the journal takes. */
uint64_t storage_most_waiting(void);
/* True: no other process makes entries from notes until storage_end_drain().
 * Waits for none. */
bool storage_begin_drain(void);
void storage_end_drain(void);

/* Removes a blob from memory and disk. */
void storage_remove(size_t id_size, const uint8_t *id);

/* Calls visit for all entries on disk, until it returns false. created_ns:
 * since the epoch. Slow: reads the head of every entry. */
void storage_for_each_id(bool (*visit)(void *user, size_t id_size,
                                 const uint8_t *id, uint64_t created_ns),
        void *user);

/* Tells the statistics what the store on a server came to, before it is closed;
 * not in a child of fork(). */
void storage_count_remote(void);

/* Frees memory and closes files, at exit. Entries that are not released yet
 * stay valid; later calls find and store nothing. */
void storage_close(void);
/* Takes that back: the next call opens the store again. */
void storage_open_again(void);

#endif /* DNNL_CACHE_LAYER_STORAGE_H */
