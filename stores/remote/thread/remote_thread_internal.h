/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_thread_internal.h: what the parts of a remote thread know of each
 * other.
 *
 * remote_thread.c has its life and what it does with requests,
 * remote_thread_calls.c what callers do.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_INTERNAL_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_INTERNAL_H

#include "stores/remote/thread/remote_thread.h"

struct remote_thread {
    struct remote_core *core; /* a reference */
    atomic_uint refs;         /* the store's and the running thread's */
    pthread_mutex_t lock;     /* guards all below, and its calls; leaf */
    pthread_cond_t work;      /* something is queued, or it shall end */
    pthread_cond_t idle;      /* nothing is open any more, or it has ended */
    struct remote_breaker breaker;
    struct remote_request *first; /* queued */
    struct remote_request **last;
    size_t open;         /* queued, or with the transport */
    uint64_t open_bytes; /* of their data */
    size_t most_open;    /* fixed */
    uint64_t most_bytes; /* fixed */
    bool has_news;       /* the breaker opened, and nobody was told */
    char why[remote_why_size];
    size_t in_flight; /* of those with the transport; the thread's own */
    struct remote_request *flying; /* these; the thread's own */
    bool is_running;
    bool is_driving;
    bool is_ending;
    bool has_ended;
    pthread_t id;
    struct remote_transport *transport; /* the thread's; wake() with the lock */
};

uint64_t remote_core_now(const struct remote_core *core);

static inline void remote_count(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* Why the breaker opened, for who asks for news. */
void remote_thread_keep_why_locked(
        struct remote_thread *thread, const struct remote_request *request);

/* One of many that were asked at once, and the server answered others: it is
 * there, and has more to do than fits into the time. */
bool remote_call_is_blameless(
        const struct remote_call *call, enum remote_result result);

/* A request has come to this; its call may be freed. Without the lock. */
void remote_thread_settle(struct remote_thread *thread,
        struct remote_request *request, enum remote_result result);

/* False: no thread could be started. */
bool remote_thread_start_locked(struct remote_thread *thread);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_INTERNAL_H */
