/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_thread_internal.h: what the parts of a remote thread know of each
 * other.
 *
 * remote_thread.c has its life and what it does with requests,
 * remote_thread_calls.c what callers do, remote_thread_lent.c how one of them
 * does the thread's work.
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
    /* Those with the transport: of whoever drives it, without the lock. */
    size_t in_flight;
    struct remote_request *flying;
    bool is_parked;   /* the thread waits for work: the transport may be lent */
    bool is_napping;  /* and looks again after a while by itself */
    bool is_lent;     /* to a caller, which drives it in the thread's place */
    uint64_t used_ns; /* when the transport was last driven */
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

/* ---- What whoever drives the transport does ------------------------------ */

/* Takes what may be submitted. */
struct remote_request *remote_thread_take_locked(struct remote_thread *thread);
/* Submits it, and works until something is done, or until_ns. Without the
 * lock. */
void remote_thread_work(struct remote_thread *thread,
        struct remote_request *taken, uint64_t until_ns);
/* Has the transport work of its own? */
bool remote_thread_is_busy(const struct remote_thread *thread);

/* ---- remote_thread_lent.c ------------------------------------------------ */

bool remote_thread_can_lend(const struct remote_thread *thread);
/* Lends the transport to the caller, if its thread has nothing to do. Its
 * requests are queued next. */
bool remote_thread_lend_locked(
        struct remote_thread *thread, struct remote_call *call);
/* Once the requests are queued. Without the lock. */
void remote_call_begin_driving(struct remote_call *call);
/* Works as the thread does, until something is done or that time. Gives the
 * transport back if it cannot be lent any more. */
void remote_call_drive_locked(struct remote_call *call, uint64_t until_ns);
/* Gives it back, if the caller has it. */
void remote_call_end_driving_locked(struct remote_call *call);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_THREAD_INTERNAL_H */
