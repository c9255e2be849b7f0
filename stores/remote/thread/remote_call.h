/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_call.h: the requests of one caller, their deadlines and bodies.
 *
 * A call is made and filled in by its caller, worked on by a thread
 * (remote_thread.h), and freed by who is last.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_CALL_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_CALL_H

#include "stores/remote/thread/remote_transport.h"

#include <pthread.h>
#include <stdatomic.h>

/* In front of each body; a blob in a body has room for a pointer before it. */
enum { remote_body_headroom = 16 };

struct remote_thread;

struct remote_call {
    struct remote_thread *thread;
    /* For a call that nobody waits for, when all of it is done: on the thread,
     * with its lock. NULL: nothing. */
    void (*finish)(struct remote_call *call);
    void *user;
    /* Just before it is freed, by whom it may be, without a lock. NULL:
     * nothing. */
    void (*last)(struct remote_call *call);
    /* May what has come of a body become what is asked for? Only then do its
     * bytes move the deadline, and only then is a long one taken: else it ends
     * as too large, with what has come. On the thread. NULL: it may. */
    bool (*is_wanted)(const struct remote_request *request);
    struct remote_leases
            *leases;     /* a reference, of what holds_lease or is led */
    uint64_t timeout_ns; /* of each request, from start_ns on */
    uint64_t longest_ns; /* 0, or how long it may be postponed */
    bool goes_first;     /* before all that is queued */
    bool starts_late;    /* time runs from when the transport gets it */
    bool may_rest;       /* its caller waits for one request */
    bool may_drive;      /* its caller waits at once, and drives, if need be */
    uint64_t rests_until_ns; /* 0, or when its caller has it submitted */
    uint64_t asked_ns;       /* when the caller submitted it */
    uint64_t start_ns;       /* the thread's once it is submitted */
    atomic_bool is_asked;    /* the transport has, or had, some of it */
    /* Bytes that arrived, and when the last did; written by the thread. */
    atomic_uint_fast64_t arrived, arrived_ns;
    atomic_uint_fast64_t postponed_ns; /* until then; the same */
    /* thread->lock guards these: */
    pthread_cond_t done; /* nothing is pending */
    size_t pending;
    size_t wake_at; /* and the caller is woken when so many are left */
    size_t untaken; /* pending or finished */
    size_t pinned;  /* by who is about to wake its caller: it stays */
    struct remote_request *finished; /* done, and not yet taken by it */
    bool is_left;                    /* by its caller: the thread frees it */
    bool is_driving;  /* its caller has the transport: remote_thread_lent.c */
    int cancel_state; /* of the caller's thread, before that */
    bool is_given_up; /* counted, and noted by the breaker */
    size_t count;
    struct remote_request requests[];
};

/* NULL: out of memory. The requests are zeroed. */
struct remote_call *remote_call_make(size_t count);

/* Frees bodies too. NULL is fine. */
void remote_call_destroy(struct remote_call *call);

/* A body that was taken from a request. NULL is fine. */
void remote_body_free(uint8_t *body);

/* When its caller leaves that has so much patience: later while bytes arrive.
 */
uint64_t remote_call_leave_ns(
        const struct remote_call *call, uint64_t patience_ns);

/* A request was answered, with whatever. */
void remote_call_note_answer(struct remote_call *call);

/* Of struct remote_host. */
uint64_t remote_call_deadline(const struct remote_request *request);
bool remote_call_expect(struct remote_request *request, uint64_t size);
bool remote_call_receive(struct remote_request *request, const void *data,
        size_t size, enum remote_result *result);
uint8_t *remote_call_room(struct remote_request *request, size_t *size);
void remote_call_fill(struct remote_request *request, size_t size);
void remote_call_restart(struct remote_request *request);
void remote_call_postpone(struct remote_request *request, uint64_t until_ns);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_CALL_H */
