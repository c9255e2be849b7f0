/* SPDX-License-Identifier: Apache-2.0 */
/*
 * working_set.h: what an application asks a store for while it starts, brought
 * in one round trip at the next start, on any machine that shares the store.
 *
 *     struct dnnl_cache_store_working_set_options options =
 *             DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
 *     options.store = dnnl_cache_store_get_callbacks(chain); a local store and
 * a options.application = "my_app";                    remote one, say struct
 * dnnl_cache_store_working_set *set;
 *     ... dnnl_cache_store_working_set_open(&set, &options) ...
 *     callbacks = dnnl_cache_store_working_set_callbacks(set);
 *     dnnl_cache_engine_set_store(engine, callbacks);
 *     ... the application starts ...
 *     dnnl_cache_store_working_set_save(set);    once it has what it needs
 *     dnnl_cache_engine_set_store(engine, NULL); ... end ...
 *     dnnl_cache_store_working_set_close(set);
 *
 * What the store does not have yet is listed, too: another process may put it
 * (dnnl-cache refresh). The list of IDs is an entry of the store, under a name
 * of the application's and the ID of the device, so that a remote store has it
 * for machines that never ran the application. Opening a set gets the list (one
 * round trip), and then all entries that it names with one get_many()
 * (another; one for each 512 IDs, until it has a gigabyte). What was brought is
 * given from memory when it is asked for; all else goes to the store as without
 * a set. Blobs are verified by the library like those of any get(), and a list
 * is no more trusted than they are: a wrong one costs time.
 *
 * A store that keeps no list, or does not answer, is no failure: then a set
 * brings nothing.
 */
#ifndef DNNL_CACHE_STORE_WORKING_SET_H
#define DNNL_CACHE_STORE_WORKING_SET_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* How a working set is opened: whose it is, and how much it holds. Set
 * struct_size with DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT. */
struct dnnl_cache_store_working_set_options {
    size_t struct_size; /* sizeof the struct */
    /* Copied; what its user points to must outlive the set. */
    const dnnl_cache_store_t *store;
    const char *application; /* its name: 1 to 255 bytes */
    /* The ID of the device's engines
     * (dnnl_ocl_interop_engine_get_cache_blob_id()), so that machines with
     * other drivers have lists of their own; size 0: one list for all. */
    size_t device_id_size;
    const uint8_t *device_id; /* NULL if device_id_size is 0 */
    /* The device is not known yet: the first ID that is asked for takes the
     * place of the device's, and the list is got then. */
    bool by_first_id;
    /* Of the store, the part that keeps what the rest gives (the local member
     * of a chain): who finds the list there has brought what it names before,
     * and does not again. NULL: none. Copied, as store is. */
    const dnnl_cache_store_t *near;
    /* Of blobs that are kept in memory until they are asked for, 0: 256 MiB;
     * the rest goes to the store as without a set. */
    uint64_t max_bytes;
    bool keeps_nothing; /* in memory: all goes to the store */
    /* Saves by itself, in a get at least so long after the last time, if more
     * was asked for than the list has: for processes that are killed, or never
     * end. 0: never. */
    unsigned save_every_ms;
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT                           \
    {                                                                       \
        sizeof(struct dnnl_cache_store_working_set_options), NULL, NULL, 0, \
                NULL, false, NULL, 0, false, 0                              \
    }

struct dnnl_cache_store_working_set;

/* Gets the list and what it names. Statuses: dnnl_success, also if there is no
 * list; dnnl_invalid_arguments (NULL, a name that is empty or too long, a store
 * without get or release, a device's ID and by_first_id, bad struct_size);
 * dnnl_out_of_memory.
 */
dnnl_status_t dnnl_cache_store_working_set_open(
        struct dnnl_cache_store_working_set **set,
        const struct dnnl_cache_store_working_set_options *options);

/* The callbacks to attach in place of the store's: valid until
 * dnnl_cache_store_working_set_close(). Any number of threads may use them. */
const dnnl_cache_store_t *dnnl_cache_store_working_set_callbacks(
        const struct dnnl_cache_store_working_set *set);

/* Puts the list of what was asked for, or put, since the set was opened, but
 * not of what was asked while the store failed, unless the list that was found
 * will do: it has all of them, and at most as many others. Statuses:
 * dnnl_success, also if the store did not keep it; dnnl_invalid_arguments
 * (NULL); dnnl_out_of_memory; what put returns. */
dnnl_status_t dnnl_cache_store_working_set_save(
        struct dnnl_cache_store_working_set *set);

/* Drops what was not asked for. All bytes must have been released, and no
 * thread may use the callbacks any more. Does not save. NULL is allowed. */
void dnnl_cache_store_working_set_close(
        struct dnnl_cache_store_working_set *set);

/* Calls visit for each ID of the list that was found or saved last; pointers
 * are valid until the set is closed. */
void dnnl_cache_store_working_set_for_each(
        struct dnnl_cache_store_working_set *set,
        void (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user);

/* What a working set did since it was opened. */
struct dnnl_cache_store_working_set_statistics {
    size_t struct_size; /* sizeof the struct */
    uint64_t listed;    /* IDs in the list that was found, or saved last */
    uint64_t brought;   /* of these, entries that the store gave at once */
    uint64_t bytes;     /* of their blobs */
    uint64_t given;     /* entries that were asked for, and given from memory */
    uint64_t asked;     /* IDs that a list saved now would have */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_WORKING_SET_STATISTICS_INIT                          \
    {                                                                         \
        sizeof(struct dnnl_cache_store_working_set_statistics), 0, 0, 0, 0, 0 \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size). */
dnnl_status_t dnnl_cache_store_working_set_get_statistics(
        struct dnnl_cache_store_working_set *set,
        struct dnnl_cache_store_working_set_statistics *statistics);

/* True if the ID is that of a list: its blob is none of the library's. */
bool dnnl_cache_store_working_set_is_list(size_t id_size, const uint8_t *id);

/* Calls visit for each ID of a list; pointers are valid during the call.
 * Statuses: dnnl_success; dnnl_cache_blob_corrupt (damaged, visit may have been
 * called); dnnl_cache_blob_unsupported (of a newer version);
 * dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_working_set_read_list(size_t size,
        const uint8_t *list,
        void (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_WORKING_SET_H */
