/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_callbacks.h: a store that engines ask, as the library sees it.
 *
 * dnnl_cache/store.h has stores that are ready to use.
 */
#ifndef DNNL_CACHE_STORE_CALLBACKS_H
#define DNNL_CACHE_STORE_CALLBACKS_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/sys/note.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a store learns about a blob besides its bytes. */
typedef struct {
    size_t struct_size;          /* sizeof the struct */
    dnnl_cache_blob_kind_t kind; /* what the blob is a record of */
    uint64_t compile_ns;         /* time of its compilation; 0: not known */
} dnnl_cache_store_metadata_t;

/* The initial value of a dnnl_cache_store_metadata_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_STORE_METADATA_INIT                                     \
    {                                                                      \
        sizeof(dnnl_cache_store_metadata_t), dnnl_cache_blob_kind_undef, 0 \
    }

/*
 * A store keeps blobs under their IDs, and compares whole IDs. Every callback
 * may be called from several threads at once, and may fail in any way: a store
 * that fails counts as a miss, and is never an error of the caller.
 */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    void *user;         /* passed to every callback */

    /* Finds the blob of an ID. On dnnl_success *blob and *size are the bytes,
     * at any address, which the store owns and must not change until release()
     * is called with the same pointer. dnnl_cache_miss: not found. With any
     * other status, or without bytes, the store has failed, and the outputs are
     * ignored. */
    dnnl_status_t (*get)(void *user, size_t id_size, const uint8_t *id,
            size_t *size, const uint8_t **blob);

    /* Releases the bytes of one successful get(): on the same thread and
     * exactly once, also if the store was detached meanwhile. */
    void (*release)(void *user, size_t size, const uint8_t *blob);

    /* Keeps a copy of the blob, in place of one with the same ID. Returns
     * dnnl_success also if the store decided not to keep it (too large,
     * read-only). metadata may be NULL. put and remove are optional (NULL): a
     * store without them is read-only. */
    dnnl_status_t (*put)(void *user, size_t id_size, const uint8_t *id,
            size_t size, const uint8_t *blob,
            const dnnl_cache_store_metadata_t *metadata);

    /* Removes the blob of an ID; dnnl_success also if there is none. */
    dnnl_status_t (*remove)(void *user, size_t id_size, const uint8_t *id);

    /* Optional (NULL): finds several blobs at once, for
     * dnnl_cache_engine_prefetch(). On entry all sizes are 0 and all blobs
     * NULL; blobs[i] stays NULL for a miss; each blob that is found is released
     * with release(). Returns dnnl_success, or dnnl_cache_miss if none is
     * found. With any other status the store has failed, and the outputs are
     * ignored. */
    dnnl_status_t (*get_many)(void *user, size_t count, const size_t *id_sizes,
            const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs);

    /* Optional (NULL): writes a note to the store's journal, unless the same
     * note is there already, so that what is missing can be added to the store
     * later. Without it, and for each note that it does not take, the library
     * gets binaries from the driver while the application runs. Before a launch
     * the build of its ID must have been noted, even if an earlier process has
     * noted it. dnnl_success: the journal has the note. With any other status
     * it has not. A call must be short: it never waits long for others. Since
     * 0.1.0. */
    dnnl_status_t (*note)(void *user, const dnnl_cache_note_t *note);

    /* Optional (NULL): says whether put() may keep a blob now. dnnl_success:
     * it may. With any other status (the store is off, read-only or full) the
     * library asks the driver for no binary, and does not call put().
     * dnnl_unimplemented: the store is read-only, which statistics count.
     * Since 0.1.0. */
    dnnl_status_t (*can_put)(void *user);

    /* Optional (NULL), both or neither: one compilation for many hosts that
     * share a store. After get() missed, and before compiling a program whose
     * binary is complete when it is built, the library calls acquire_lease().
     * The store may wait while another host compiles, as long as that one
     * lives and within a bound of its own. dnnl_success: *blob and *size are as
     * get()'s, and released in the same way. dnnl_cache_miss: compile; others
     * wait until put() or release_lease() is called for this ID. With any other
     * status: compile; nobody waits. Since 0.1.0. */
    dnnl_status_t (*acquire_lease)(void *user, size_t id_size,
            const uint8_t *id, size_t *size, const uint8_t **blob);

    /* After acquire_lease() returned dnnl_cache_miss: the compilation ended,
     * and put() was called or will not be called. Since 0.1.0. */
    void (*release_lease)(void *user, size_t id_size, const uint8_t *id);

    /* Optional (NULL): writes a note of what the application uses to its record
     * (docs/how_to/record_and_replay.md), whatever the store has. Called once a
     * program, kernel and launch class of a process, whether it was compiled or
     * not. The status changes nothing. Since 0.1.0. */
    dnnl_status_t (*record)(void *user, const dnnl_cache_note_t *note);

    /* Not 0: attaching the store is all that the application does, as after
     * dnnl_cache_persistent_set_dir(). Descriptors that are created from then
     * on follow their includes
     * (dnnl_cache_program_desc_set_include_following()), and programs are
     * captured without a call: where the driver has binaries at hand, when
     * the last handle is destroyed; else when they leave memory, or when the
     * main thread ends the process, which begins no capture after ten
     * seconds. That is before destructors of drivers run, and not in a child of
     * fork(), nor if _exit() or a signal ends the process. Since 0.1.0. */
    int automatic;
} dnnl_cache_store_t;

/* The initial value of a dnnl_cache_store_t: struct_size is set, all else
 * is 0. */
#define DNNL_CACHE_STORE_INIT                                                 \
    {                                                                         \
        sizeof(dnnl_cache_store_t), NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
                NULL, NULL, NULL, NULL, 0                                     \
    }

/*
 * With an attached store, nothing else in an application changes: engines and
 * programs, those of primitives included, are looked for in memory, then in the
 * store, and are then compiled and offered to the store. The store gets engine
 * blobs under engine IDs and program blobs under program IDs, so primitives
 * that share a program store it once.
 *
 * Programs of primitives are offered when they are created, programs of the
 * application when they are captured or leave memory, which usually is when the
 * last engine of their context is destroyed. If the process ends before, they
 * are not offered, unless the store is automatic; a message says so once, and
 * statistics count them (programs_never_captured). Where a capture is costly
 * (PoCL) and the store has a journal (callback note), programs whose launches
 * the application reports (dnnl_cache_program_note_launch()) are noted there
 * and not captured: "dnnl-cache refresh" and dnnl_cache_engine_capture() make
 * their entries. A program is offered only to the store that its engine had
 * when it was compiled. What is found in memory or created from a blob is not
 * offered; what a store's blob lacks is noted.
 *
 * Where machine code is made of a driver's binary (NVIDIA,
 * docs/how_it_works/finalisers.md), the store gets the binary when the program
 * is captured, and the entry with its machine code follows: put() is then
 * called by a thread of the library's, when nothing has been compiled for a
 * moment, or by the thread that detaches the store, destroys the last engine of
 * a context, or ends the process.
 *
 * All other callbacks run on the calling thread, with no lock of the library
 * held. A store that fails counts as a miss. Entries that are damaged, or of
 * another driver, are removed, compiled and replaced. Entries of a newer
 * library stay, and in cached-only mode all entries stay.
 *
 * A callback may use the library, and detach and replace stores. What it asks
 * for comes from memory or the compiler: on a thread that is in a store's
 * callback, no store is called, and what is created or captured there is not
 * offered. The program that get(), release() or remove() was called for, and
 * its primitive, cannot be created there: dnnl_runtime_error (in cached-only
 * mode dnnl_cache_miss). A callback must return. It must not wait for another
 * thread that needs that program, nor use an engine whose handle was released.
 */

/* Attaches a store to the process, for every engine without a store of its own;
 * NULL detaches it. The struct is copied. A store that was detached or replaced
 * is not called by calls that begin later, nor by a thread of the library's,
 * which this call waits for, though calls in progress may still call it. This
 * call first completes the store's entries, for ten seconds at most. Programs
 * that would have been offered to it are not offered to another. Attaching the
 * attached store again changes nothing. user must live until the store was
 * detached and every call that was in progress then has returned; if it is
 * never detached, until the last engine and every program are destroyed.
 * Statuses: dnnl_success; dnnl_invalid_arguments (no get or release, bad
 * struct_size); dnnl_out_of_memory. */
dnnl_status_t DNNL_API dnnl_cache_set_default_store(
        const dnnl_cache_store_t *store);

/* Attaches a store to one engine, in place of the process's; NULL detaches it,
 * and the engine uses the process's again. (For an engine without any store,
 * attach one whose get() returns dnnl_cache_miss, without put and remove.)
 * Statuses: as above, and dnnl_invalid_arguments (engine NULL or dnnl_cpu). */
dnnl_status_t DNNL_API dnnl_cache_engine_set_store(
        dnnl_engine_t engine, const dnnl_cache_store_t *store);

/* Loads programs and the engine's facts from its store into memory, with a
 * single call of get_many (else one get each), so that later creations find
 * them there. Use it for a start with a known working set: the IDs that the
 * store was asked for last time. IDs of other devices or drivers, of
 * primitives, and of programs whose folders of includes are numbers there are
 * skipped. Damaged and stale blobs are removed from the store,
 * except in cached-only mode. *found (found may be NULL) receives how many of
 * the IDs are in memory now. In recompile mode, or without a store, nothing is
 * loaded. count may be 0, and ids and id_sizes may be NULL then. Loading takes
 * place on the calling thread; several threads may share the IDs. Objects
 * created later count as memory hits, also in their creation info: their time
 * and bytes belong to this call. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, a size 0, a dnnl_cpu engine); dnnl_out_of_memory; dnnl_runtime_error.
 */
dnnl_status_t DNNL_API dnnl_cache_engine_prefetch(dnnl_engine_t engine,
        size_t count, const size_t *id_sizes, const uint8_t *const *ids,
        size_t *found);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_CALLBACKS_H */
