/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_transport.h: what a module for a kind of server implements.
 *
 * A module is a shared object with one exported name, dnnl_cache_remote_module.
 * It knows its protocol, no more: what is in an entry, who waits how long, when
 * a server is left alone is the core's (remote_store.c, remote_thread.c).
 *
 * A transport belongs to one thread of the core, which has all signals blocked.
 * That thread alone calls create(), submit(), drive() and destroy(); wake() is
 * called by any. A store has two transports: one for what callers wait for, and
 * one for puts, so that neither holds up the other. While its thread has
 * nothing to do, a transport that allows it (lend()) is lent to a caller, which
 * calls submit() and drive() in the thread's place, and waits for no other
 * thread.
 *
 *     create()
 *     submit() ... submit()    as requests come; none of them blocks
 *     drive()                  until something is done; calls host->done()
 *     destroy()
 *
 * A transport has to end each request with host->done() by itself, at the
 * latest at its deadline. The core does not rely on that: callers leave at
 * their own deadline, and if drive() never returns (a resolver that hangs), the
 * thread is left alone for ever.
 *
 * What a server sends is checked by the core before one byte goes on: a
 * transport may hand over garbage. It may not hand over more than
 * request->max_bytes.
 *
 * Descriptors are opened with CLOEXEC. After fork() the child makes transports
 * of its own and touches its parent's no more.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_TRANSPORT_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_TRANSPORT_H

#include "src/platform/clock.h"
#include "stores/remote/thread/remote_url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with any structure or rule here, or in remote_url.h. */
enum { remote_interface_version = 8, remote_request_name_size = 128 };

enum remote_verb {
    remote_verb_get = 1,
    remote_verb_put = 2, /* in place of what is there */
    remote_verb_head = 3,
    remote_verb_remove = 4,
    remote_verb_list = 5,
    /* One compilation for many hosts, where the server has leases. lead: waits
     * while another host compiles the entry. done: the body, as get; absent:
     * compile, and with request->holds_lease others wait until this store says
     * built, stop or fail. Of a name that it does not lead these do nothing. */
    remote_verb_lease = 6,
    remote_verb_built = 7, /* the entry is on the server */
    remote_verb_stop = 8,  /* it will not be: the next host leads */
    /* Nor will it be after the next attempt: hosts that wait for it compile it,
     * each for itself. */
    remote_verb_fail = 9
};

enum remote_result {
    remote_result_none = 0, /* not done */
    /* get: the body; head: it is there; put, remove: done, and of remove also
     * if there was none; list: a page. */
    remote_result_done = 1,
    remote_result_absent = 2, /* get, head: the server says it has none */
    remote_result_too_large = 3,
    /* The server answers, and does not do it: no permission, full. */
    remote_result_refused = 4,
    remote_result_unsupported = 5, /* this kind of server cannot (list) */
    /* These three are errors of the server or of the way there, for the
     * breaker: no connection, an answer that is none, "later" (429, 503). */
    remote_result_failed = 6,
    remote_result_timed_out = 7,
    remote_result_out_of_memory = 8, /* ours; not for the breaker */
    remote_result_dropped = 9        /* by the core, before it was submitted */
};

/* A request is the core's; the transport has it from submit() to done(). */
struct remote_request {
    struct remote_request *next; /* of a list of whoever has it */
    enum remote_verb verb;
    /* The object: 64 hexadecimal digits for an entry (remote_entry.h); others
     * have letters, digits, "-", "_" and "." only. The transport puts the URL's
     * path or prefix in front. list: unused. */
    char name[remote_request_name_size];
    /* put: unchanged until done(). */
    const uint8_t *data;
    size_t size;
    size_t max_bytes;  /* of a body */
    uint64_t asked_ns; /* when it was queued */

    /* Of the answer. The transport fills the body by host->receive(). list:
     * names without prefix, each with a NUL behind it. */
    enum remote_result result; /* set by done() */
    uint8_t *body;             /* owned by the request */
    size_t body_size;
    size_t body_capacity;
    /* list: where to go on; in: "" for the beginning; out: "" at the end. */
    char cursor[128];
    bool holds_lease; /* of lead: others wait for us */
    /* get: how long the transport did not ask, because it expected to be told
     * that another host compiles it. This is not the server's time. */
    uint64_t held_ns;
    char why[128]; /* for messages: "HTTP 503", "connection refused"; or "" */

    void *transport_data; /* the transport's, while it has the request */
    void *core_data;      /* these two the core's */
    struct remote_request *next_flying;
};

/* What the core gives to transports; all may be called between submit() and
 * done() of the request, on the transport's thread. */
struct remote_host {
    /* A body of this many bytes is coming: false if that is too many (the
     * transport ends the request with remote_result_too_large). */
    bool (*expect)(struct remote_request *request, uint64_t size);
    /* Appends to the body. False: it became too large, or there is no memory
     * (*result says which). */
    bool (*receive)(struct remote_request *request, const void *data,
            size_t size, enum remote_result *result);
    /* Instead: where the next bytes of an expected body belong, at most *size
     * of them, which it makes smaller. NULL: there is no room yet. */
    uint8_t *(*room)(struct remote_request *request, size_t *size);
    void (*fill)(struct remote_request *request, size_t size); /* so many did */
    /* Drops what has come of a body: the transport asks for it again. */
    void (*restart)(struct remote_request *request);
    /* The request goes back to the core, and may be gone when it returns. */
    void (*done)(struct remote_request *request, enum remote_result result);
    /* When the request has to be done, by clock_ns(). Bytes that arrive
     * fast enough move it: ask again after each drive. */
    uint64_t (*deadline)(const struct remote_request *request);
    /* lead: another host compiles it, and is not asked again before then. The
     * deadline is a time-out after that; without this, after the last answer.
     */
    void (*postpone)(struct remote_request *request, uint64_t until_ns);
};

/* For how long who compiles prolongs a lease of that length while it lives: so
 * a compiler that does not end holds up nobody for ever. A host that waits
 * leaves it after one length more, and waits for two such holders at most. */
static inline uint64_t remote_lease_longest_ns(uint64_t length_ns)
{
    enum { lengths = 10 };
    static const uint64_t most_ns = 600 * (uint64_t)1000000000u;
    if (length_ns >= most_ns) return length_ns;
    return length_ns < most_ns / lengths ? lengths * length_ns : most_ns;
}

struct remote_transport; /* each module has its own */

#define REMOTE_IS_ABSENT UINT64_MAX

struct remote_transport_calls {
    const char *name; /* "http" */
    /* Can this URL be served? Reads secrets' files to find that out; no
     * network. Called when the store is opened, by any thread. 0, or an errno
     * value with why in words. */
    int (*check)(const struct remote_url *url, char why[remote_why_size]);
    /* No network either. url and host stay until destroy(). 0, or an errno
     * value: then the requests fail, and the next one tries again. */
    int (*create)(struct remote_transport **transport,
            const struct remote_url *url, const struct remote_host *host);
    /* Ends open requests with remote_result_failed; never waits for the
     * network. NULL is fine. */
    void (*destroy)(struct remote_transport *transport);
    /* Takes a request; may call done() at once. */
    void (*submit)(
            struct remote_transport *transport, struct remote_request *request);
    /* Works for all requests until one is done, wake() was called since the
     * last drive() began, or until_ns (UINT64_MAX: no limit). May return
     * earlier. */
    void (*drive)(struct remote_transport *transport, uint64_t until_ns);
    /* Ends a drive(), or the next one if none is running. Any thread. */
    void (*wake)(struct remote_transport *transport);
    /* Of a get or a lease that is queued, and not submitted: until when the
     * transport would do nothing for it, because it is told of the entry by
     * others. Then its thread need not wake before, unless drive() ends by
     * itself, which it does with everything that the transport is told.
     * REMOTE_IS_ABSENT: it would end it as absent, at once; 0: it is to be
     * submitted. Any thread, as wake(). NULL: each is to be submitted. */
    uint64_t (*rests_until)(struct remote_transport *transport,
            const struct remote_request *request);
    /* True if it has work of its own while no request is open, and wants to be
     * driven: leases to be prolonged. NULL: never. */
    bool (*is_busy)(const struct remote_transport *transport);
    /* May a caller drive it in its thread's place, now or further on? Only if
     * nothing that submit() and drive() do then can block, and if what it has
     * to do of its own can wait for a while. NULL: never. */
    bool (*can_be_lent)(const struct remote_transport *transport);
    /* By whoever borrows it, before anything else and after all: true, then
     * false. */
    void (*lend)(struct remote_transport *transport, bool is_lent);
    /* True: it has the verbs lead, built and stop. */
    bool has_leases;
    /* How many requests of this URL may be submitted at once. NULL: any
     * number. */
    unsigned (*max_in_flight)(const struct remote_url *url);
};

struct remote_module {
    uint32_t version;      /* remote_interface_version; first for ever */
    uint32_t request_size; /* sizeof(struct remote_request) */
    uint32_t url_size;     /* sizeof(struct remote_url) */
    const struct remote_transport_calls *transport;
};

#define REMOTE_MODULE_SYMBOL "dnnl_cache_remote_module"
/* A module defines it: const, with default visibility. */
extern const struct remote_module dnnl_cache_remote_module;

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_TRANSPORT_H */
