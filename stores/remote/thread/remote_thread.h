/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_thread.h: the thread that has a transport, and how callers wait.
 *
 *     struct remote_call *call = remote_call_make(count);
 *     call->requests[i].verb = ...                  fill in each
 *     call->timeout_ns = ...
 *     remote_thread_submit(thread, call);
 *     remote_call_wait(call, patience_ns);          for a while
 *     ... call->requests[i].result: remote_result_none if it is not done ...
 *     remote_call_leave(call);                      the thread frees the rest
 *
 * Nothing here waits for the network but that thread. A thread that does not
 * come back (a resolver that hangs) has references to all it uses, and is left
 * alone at close.
 *
 * Locks: remote_thread.lock is a leaf; while it is held nothing is called but a
 * transport's wake() and a call's finish().
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_H

#include "stores/remote/thread/remote_breaker.h"
#include "stores/remote/thread/remote_call.h"

/* Each on its own: no lock, no order. */
struct remote_counters {
    atomic_uint_fast64_t errors, timeouts, refusals, too_large, gets_failed,
            gets_skipped, lists, puts_dropped, bytes_received, bytes_sent,
            waited_ns;
};

/* What a store and its threads share, also when the store is closed. */
struct remote_core {
    atomic_uint refs;
    void (*destroy)(struct remote_core *core); /* by the last reference */
    struct remote_url url;                     /* owned */
    const struct remote_transport_calls *transport;
    /* Of the breakers; tests have their own. */
    uint64_t (*clock_ns)(void *user);
    void *clock_user;
    struct remote_counters counters;
};

/* One reference; takes over *url. */
void remote_core_init(struct remote_core *core, struct remote_url *url,
        const struct remote_transport_calls *transport,
        void (*destroy)(struct remote_core *core));
void remote_core_release(struct remote_core *core);

/* ---- Threads ------------------------------------------------------------- */

/* No thread runs yet. It takes so many requests and bytes of puts at most; 0:
 * any number. NULL: out of memory. */
struct remote_thread *remote_thread_make(
        struct remote_core *core, size_t most_requests, uint64_t most_bytes);

void remote_thread_retain(struct remote_thread *thread);
void remote_thread_release(struct remote_thread *thread);

/* Queues all requests of a call. False: it would be too many, no thread could
 * be started, or it is ending; nothing was queued. */
bool remote_thread_submit(
        struct remote_thread *thread, struct remote_call *call);

/* Waits until all of a call is done, at most so long, or a little longer while
 * bytes arrive. */
void remote_call_wait(struct remote_call *call, uint64_t patience_ns);

/* The same until half of what was not taken is done, or all of a few: being
 * woken for each one would cost more than checking it. What is done and was not
 * taken yet, a list with results; NULL: nothing more comes in time. */
struct remote_request *remote_call_take_some(
        struct remote_call *call, uint64_t patience_ns);

/* The result of a request, after waiting: remote_result_none if it is not done.
 * With any other one the request's fields may be read, and its body taken
 * (set NULL). */
enum remote_result remote_call_result(struct remote_call *call, size_t i);

/* A caller waited for the whole time-out in vain, and the transport has not
 * said so: it may be stuck. Counts and notes it. */
void remote_call_give_up(struct remote_call *call);

/* The caller's last use; what is not done goes on without it. */
void remote_call_leave(struct remote_call *call);

/* Waits until nothing is queued or asked any more. False: not by then. */
bool remote_thread_flush(struct remote_thread *thread, uint64_t until_ns);

/* Ends the thread: what is queued fails. Waits until it has ended, and then
 * joins it; at that time it is left alone. The caller's reference is gone. */
void remote_thread_end(struct remote_thread *thread, uint64_t until_ns);

/* Takes back puts of a name that are queued and not with the transport yet. */
void remote_thread_drop_puts(struct remote_thread *thread, const char *name);

/* Requests that are queued or asked. */
size_t remote_thread_open_requests(struct remote_thread *thread);

/* The breaker opened since this was last called: why in words. */
bool remote_thread_take_news(
        struct remote_thread *thread, char why[remote_why_size]);

/* The thread's breaker, with the lock. */
enum remote_admission remote_thread_admit(
        struct remote_thread *thread, uint64_t *wait_ns);
/* The breaker is open; and would let no request through now. */
bool remote_thread_is_open(struct remote_thread *thread);
bool remote_thread_rests(struct remote_thread *thread);
uint64_t remote_thread_opened(struct remote_thread *thread);
void remote_thread_waited(
        struct remote_thread *thread, uint64_t waited_ns, uint64_t saved_ns);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_H */
