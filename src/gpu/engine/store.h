/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores attached to the process or to an engine. Whatever a store does wrong
 * is a miss here; callbacks run with no lock of ours held. What a callback asks
 * of the library is answered without any store, so that no store is entered
 * twice by one thread, and none can lead itself round in circles.
 */
#ifndef DNNL_CACHE_GPU_STORE_H
#define DNNL_CACHE_GPU_STORE_H

#include "dnnl_cache.h"
#include "src/blob/blob.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A copy of the application's struct, one for each time it is attached. Shared
 * by who uses it, so that it outlives its being detached while a call is under
 * way. */
struct store {
    atomic_int references;
    atomic_bool detached;    /* once true, no call is begun any more */
    atomic_bool has_reports; /* of launches: dnnl_cache_program_note_launch() */
    dnnl_cache_store_t callbacks; /* fixed */
    pthread_mutex_t fresh_lock;   /* guards fresh; leaf; it allocates */
    struct store_fresh *fresh;    /* by ID: what was compiled again */
    pthread_mutex_t refused_lock; /* guards refused; leaf */
    struct store_refused
            *refused; /* a put that failed; NULL: the last worked */
};

/* Copies what a newer or older caller declared. dnnl_invalid_arguments if get
 * or release is missing or struct_size is impossible. */
dnnl_status_t store_create(
        const dnnl_cache_store_t *callbacks, struct store **out);
void store_retain(struct store *store);
void store_release(struct store *store);

/* Puts a copy of what callbacks (NULL: nothing) say where *slot, guarded by a
 * lock, has another, which is detached. One that is equal stays as it is.
 * Statuses: as store_create(). */
dnnl_status_t store_attach(const dnnl_cache_store_t *callbacks,
        pthread_mutex_t *slot_lock, struct store **slot);

/* Set once: what is called before a store is detached, and again when it is,
 * before the call that detaches it returns. No lock is held. */
void store_set_leave(void (*leave)(struct store *store, bool is_detached));

/* True while the calling thread is in a callback of a store's: whatever is
 * asked of stores meanwhile is not asked, and not counted either. */
bool store_is_inside(void);

/* The process's store, retained for the caller; NULL if there is none. */
struct store *store_of_process(void);

/* Bytes got from a store, to be given back. */
struct store_blob {
    size_t size;
    const uint8_t *data;
};

/* True, and *blob filled in, if the store has something under the ID. */
bool store_get(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob);
/* After a miss, before compiling: true if another host has built it meanwhile.
 * With *holds_lease others wait for this one: store_release_lease() follows. */
bool store_acquire_lease(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob, bool *holds_lease);
void store_release_lease(
        struct store *store, const uint8_t *id, size_t id_size);
/* The same as store_get(), of which statistics know nothing. */
bool store_look(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob);
/* The same for several IDs, in one call where the store can; data is NULL for
 * those it has not. Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t store_get_many(struct store *store, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids,
        struct store_blob *blobs);
void store_give_back(struct store *store, const struct store_blob *blob);

/* Offers a blob, unless its driver (device_driver()) has changed; drops one. A
 * store without the callback is read-only. */
void store_put(struct store *store, const uint8_t *id, size_t id_size,
        const uint8_t *blob, size_t size, dnnl_cache_blob_kind_t kind,
        uint64_t compile_ns, const void *driver);
void store_remove(struct store *store, const uint8_t *id, size_t id_size);
/* True if attaching it is all that the application does. */
bool store_is_automatic(const struct store *store);
/* True if the store cannot be written, now or later. */
bool store_is_read_only(struct store *store);
/* True if a put has a chance: the store has the callback and does not say
 * otherwise, and if the last put failed, it works now when it is repeated. */
bool store_can_put(struct store *store, const void *driver);

/* True if the store's journal took the note. */
bool store_has_notes(const struct store *store);
bool store_note(struct store *store, const dnnl_cache_note_t *note);

/* Tells the application's record, if there is one. */
bool store_has_record(const struct store *store);
void store_record(struct store *store, const dnnl_cache_note_t *note);

/* Offers the blob of contents, if there is memory for it. */
void store_offer(struct store *store, const struct blob_contents *contents,
        uint64_t compile_ns, const void *driver);

/* Programs are numbered in the order in which their making began. The first of
 * these notes that one was compiled again, on purpose, and that older ones are
 * not to be offered any more; the second says whether one is such. If memory
 * lacks for the note, there is none. */
void store_note_fresh(
        struct store *store, const uint8_t *id, size_t id_size, uint64_t made);
bool store_has_fresher(
        struct store *store, const uint8_t *id, size_t id_size, uint64_t made);
/* Frees the notes; nobody else uses the store any more. */
void store_forget_fresh(struct store *store);

#endif /* DNNL_CACHE_GPU_STORE_H */
