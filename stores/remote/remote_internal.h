/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_internal.h: what the parts of a remote store know of each other.
 *
 * remote_store.c opens and closes it, remote_get.c and remote_put.c have its
 * callbacks, remote_list.c what reads all of it, remote_marker.c finds out that
 * a server's entries are of another encryption key; remote_thread*.c is the
 * thread that has a transport, remote_call.c what it does for one caller,
 * remote_breaker.c decides whether to ask and how long to wait, remote_module.c
 * finds the module.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_REMOTE_INTERNAL_H
#define DNNL_CACHE_STORES_REMOTE_REMOTE_INTERNAL_H

#include "dnnl_cache/remote_store.h"
#include "src/platform/fork.h"
#include "stores/core/store_internal.h"
#include "stores/remote/remote_entry.h"
#include "stores/remote/thread/remote_lease.h"
#include "stores/remote/thread/remote_thread.h"

/* The threads of one process. */
struct remote_live {
    unsigned forks; /* fork_count() when it was made */
    struct remote_thread *gets;
    struct remote_thread *puts;
    struct remote_leases *leases; /* a reference */
    struct remote_live *former;   /* of the process this one was forked from */
};

/* What a get of one entry waited for in vain. Of two threads one may be lost.
 */
struct remote_missed {
    atomic_uint_fast64_t name; /* its beginning; 0: none */
    atomic_uint_fast64_t waited_ns;
};

/* Whose entries a server has: remote_marker.c. */
struct remote_marker {
    /* Of the encryption keys. Copies: an answer may come after close. */
    unsigned char numbers[2][remote_cipher_number_size];
    size_t count;       /* fixed after open */
    atomic_bool is_put; /* or tried */
    atomic_bool is_asked;
    atomic_uint found; /* enum remote_verdict; remote_intact: nothing to tell */
};

/* A store whose memory its threads keep alive. */
struct remote_store {
    dnnl_cache_store_handle_t base; /* first */
    struct remote_core core;
    struct remote_keys *keys; /* owned */
    struct dnnl_cache_store_remote_options options;
    _Atomic(struct remote_live *) live; /* NULL before the first call */
    /* The beginnings of the names of entries that were told to be bad, each at
     * a place that it chooses itself; 0: none. */
    atomic_uint_fast64_t told[256];
    atomic_bool told_too_large; /* of any entry */
    struct remote_missed missed[16];
    atomic_uint told_settings; /* bits: 1 << enum remote_verdict */
    struct remote_marker marker;
    atomic_bool has_told_lease; /* that a lease had no expiry */
};

static inline struct remote_store *remote_store_of(
        const dnnl_cache_store_handle_t *store)
{
    return (struct remote_store *)(uintptr_t)store;
}

/* The threads of this process; NULL: out of memory. */
struct remote_live *remote_store_live(struct remote_store *store);

/* Logs what the threads found out since this was last called. */
void remote_store_report_news(
        struct remote_store *store, struct remote_live *live);

/* Asks for a tool, which waits longer than a get, whatever the breaker says.
 * False: could not be asked. */
bool remote_store_ask(struct remote_thread *thread, struct remote_call *call);

/* How long tools wait: for a page of names, a large entry. */
#define REMOTE_TOOL_TIMEOUT_NS ((uint64_t)30 * 1000000000u)

/* True for another store than a remote one. */
bool remote_store_is_other(const dnnl_cache_store_handle_t *store);

/* remote_get.c */
dnnl_status_t remote_store_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
/* Of the calls that get entries (remote_call.is_wanted). */
bool remote_store_wants(const struct remote_request *request);
void remote_store_release(void *user, size_t size, const uint8_t *blob);
void remote_store_describe_lent(
        dnnl_cache_store_metadata_t *metadata, const uint8_t *blob);
dnnl_status_t remote_store_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs);
dnnl_status_t remote_store_acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob);
void remote_store_release_lease(void *user, size_t id_size, const uint8_t *id);

/* Of all entries, a missing key or encryption is told once: true the first
 * time. */
bool remote_store_tells_setting(
        struct remote_store *store, enum remote_verdict verdict);

/* remote_marker.c */
/* Of the object that says whose key is used; no entry. */
void remote_marker_name(char name[remote_name_size]);
void remote_marker_init(struct remote_store *store);
/* Of a get that missed. Asks once, and waits for nothing. */
void remote_marker_note_miss(
        struct remote_store *store, struct remote_live *live);
/* Before a put; the same. */
void remote_marker_note_put(
        struct remote_store *store, struct remote_live *live);
/* Of a host without a key, which has removed what is encrypted; of another one
 * it stays. */
dnnl_status_t remote_marker_remove(
        struct remote_store *store, struct remote_live *live);
/* Logs what was found. */
void remote_marker_report(struct remote_store *store);

/* remote_put.c */
dnnl_status_t remote_store_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t remote_store_remove(
        void *user, size_t id_size, const uint8_t *id);
dnnl_status_t remote_store_can_put(void *user);
/* 0 or an errno value. */
int remote_store_remove_name(struct remote_store *store,
        struct remote_live *live, const char name[remote_name_size]);

/* remote_list.c */
dnnl_status_t remote_store_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user);
dnnl_status_t remote_store_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check);

/* Opens a store with a given transport, which a test makes itself. Takes over
 * *url, also if it fails. */
dnnl_status_t remote_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_remote_options *options,
        struct remote_url *url, const struct remote_transport_calls *transport);

/* NULL: the server did request number i, or has no such entry. Else why not. */
const char *remote_call_find_failure(struct remote_call *call, size_t i);

#endif /* DNNL_CACHE_STORES_REMOTE_REMOTE_INTERNAL_H */
