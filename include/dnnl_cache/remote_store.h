/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_store.h: a store on a server, for many machines.
 *
 *     struct dnnl_cache_store_remote_options options =
 *             DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
 *     options.url = "https://cache.example/dnnl?key_file=/etc/dnnl_cache.key";
 *     dnnl_cache_store_open_remote(&store, &options);
 *
 * It is made to be the last member of a chain (chain_store.h) behind a local
 * store, which is filled with what the server has. Used alone it works, too.
 *
 * Never slower than compiling
 *   All calls of the network are made by threads of the store; a caller waits
 *   until a deadline and then has a miss. A get waits 200 ms (timeout_ms= in
 *   the URL), and longer only while the bytes of an entry arrive fast enough:
 *   the time that they are worth at 4 MB/s. What a process waits for nothing
 *   (misses, errors) is limited to that time, too, plus a twentieth of the time
 *   that passes: beyond that, gets are misses at once until time has passed, a
 *   minute at most, or a hit has saved some. Waiting for a host that compiles
 * is not part of it: for one that lives that takes at most eleven lengths of
 * its lease (lease_ms= bounds it), for at most two of them. After errors the
 * server is left alone (a circuit breaker): after three in a row, or the very
 * first if it has never answered. After 1 s, doubling up to 60 s, one get asks
 * it again, without anybody waiting for the answer. put() copies the blob into
 * a queue, from which a thread sends it; when the queue is full the blob is
 * dropped. Close waits for the queue, one second at most, and for no thread
 * that does not end.
 *
 * Statuses of the callbacks
 *   get, get_many  dnnl_success; dnnl_cache_miss, also if the server failed or
 *                  is left alone; dnnl_out_of_memory.
 *   put            dnnl_success, also if the blob is dropped;
 *                  dnnl_out_of_memory.
 *   remove         dnnl_success; dnnl_runtime_error (read-only, the server
 *                  failed, or its deadline); dnnl_out_of_memory.
 *   dnnl_cache_store_iterate() and dnnl_cache_store_verify() need a server that
 *   can list (S3, Redis), else dnnl_unimplemented and a message;
 *   dnnl_cache_store_trim() and the totals: dnnl_unimplemented, what is kept
 *   how long is the server's business.
 *
 * Any number of threads may use it. The child of a fork() has threads and
 * connections of its own from its first call on; what was queued for sending is
 * sent by the parent alone.
 *
 * The protocol is in a shared object of its own, libdnnl_cache_http.so or
 * libdnnl_cache_redis.so, which is looked for in the folder of the library or
 * program that has this code, in dnnl_cache below it, then as dlopen() looks
 * for it.
 */
#ifndef DNNL_CACHE_STORE_REMOTE_H
#define DNNL_CACHE_STORE_REMOTE_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* How a store on a server is opened. Set struct_size with
 * DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT. Strings are copied. */
struct dnnl_cache_store_remote_options {
    size_t struct_size;   /* sizeof the struct */
    const char *url;      /* see docs/reference/stores.md for its options */
    uint64_t queue_bytes; /* of puts that wait; 0: 64 MiB */
    size_t queue_entries; /* 0: 256 */
    unsigned close_timeout_ms; /* of close: what waits is sent until then; 0:
                                * 1000 */
    /* For tools, which are to read or write all, however long it takes: a get
     * waits up to 30 s, and a failure is dnnl_runtime_error, not a miss; put
     * returns when the blob was sent, or given up. */
    bool is_patient;
    /* dnnl_cache_store_verify() also repairs (removes) entries that are not of
     * a key of this store; of one without an encryption key also the object
     * that tells hosts that entries are encrypted. */
    bool repairs_unsigned;
    dnnl_cache_log_callback_t log; /* NULL: silent; never called by a thread
                                    * of the store */
    void *log_user;                /* passed to log */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT                                  \
    {                                                                         \
        sizeof(struct dnnl_cache_store_remote_options), NULL, 0, 0, 0, false, \
                false, NULL, NULL                                             \
    }

/* Opens a store on a server; does not call the server. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, bad struct_size; a URL that is none, no key and
 * not insecure=1: said in a message); dnnl_runtime_error (a
 * file of the URL cannot be read; the module is not there or of another
 * version: said in a message); dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_open_remote(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_remote_options *options);

/* Is it the URL of a store, and not a path? Not every such URL can be opened.
 * False for NULL. */
bool dnnl_cache_store_is_remote(const char *place);

/* Asks the server whether it has an object for an ID, without its bytes: get()
 * may refuse them. Waits up to 30 s. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, a size of 0, another store);
 * dnnl_runtime_error (the server failed: said in a message);
 * dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_remote_has(dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, bool *has);

/* What dnnl_cache_store_get_statistics() does not say. A get that failed is
 * counted here, not as a miss; one that was not made, either. */
struct dnnl_cache_store_remote_statistics {
    size_t struct_size;      /* sizeof the struct */
    uint64_t errors;         /* requests: no answer, or none that makes sense */
    uint64_t timeouts;       /* of those the ones over their deadline */
    uint64_t refusals;       /* requests that the server refused */
    uint64_t too_large;      /* bodies cut off: too long, or no entries */
    uint64_t gets_failed;    /* gets that ended with one of these */
    uint64_t gets_skipped;   /* gets that were not made */
    uint64_t lists;          /* of the hits, those of lists (working_set.h) */
    uint64_t puts_queued;    /* now */
    uint64_t puts_dropped;   /* queue full, breaker open, or at close */
    uint64_t breaker_opened; /* times */
    uint64_t bytes_received; /* of answers */
    uint64_t bytes_sent;     /* of requests */
    uint64_t waited_ns;      /* by callers, for gets */
    bool is_left_alone;      /* breaker open now */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT                              \
    {                                                                        \
        sizeof(struct dnnl_cache_store_remote_statistics), 0, 0, 0, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, false                                   \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, another store, bad
 * struct_size). */
dnnl_status_t dnnl_cache_store_remote_get_statistics(
        const dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_remote_statistics *statistics);

/* Waits until all puts so far are sent or given up, at most so long. Statuses:
 * dnnl_success; dnnl_runtime_error (not in time); dnnl_invalid_arguments. */
dnnl_status_t dnnl_cache_store_remote_flush(
        dnnl_cache_store_handle_t *store, unsigned timeout_ms);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_REMOTE_H */
