/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_breaker.h: whether to ask a server now, and how long to wait for it.
 *
 * The breaker opens after errors, and the server is not asked any more: after
 * three in a row, or after the first if the server has not answered yet. After
 * a while, which doubles each time, one request is let through whose answer
 * nobody waits for; any answer closes the breaker.
 *
 * The budget limits what callers wait for in vain, with a server that answers
 * too: at most one time-out, which a twentieth of the time that passes refills.
 * What a hit saved compared with compiling refills it as well.
 *
 * Times are those of a clock that never goes backwards. Not locked: its owner's
 * lock guards it.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_BREAKER_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_BREAKER_H

#include "stores/remote/thread/remote_transport.h"

enum {
    remote_breaker_failures = 3,     /* in a row */
    remote_breaker_budget_share = 20 /* of time: one part */
};

struct remote_breaker {
    unsigned failures; /* in a row */
    bool has_answered;
    bool is_open;
    uint64_t retry_at_ns;
    uint64_t pause_ns; /* the next one */
    uint64_t opened;   /* times */
    /* The budget. */
    uint64_t capacity_ns; /* one time-out */
    uint64_t debt_ns;     /* above the capacity: of answers that were waited for
                           * since they arrived fast enough */
    uint64_t debt_at_ns;
};

void remote_breaker_init(struct remote_breaker *breaker, uint64_t timeout_ns);

enum remote_admission {
    remote_admission_ask = 0,   /* and wait at most *wait_ns */
    remote_admission_probe = 1, /* and do not wait */
    remote_admission_none = 2
};

enum remote_admission remote_breaker_admit(
        struct remote_breaker *breaker, uint64_t now_ns, uint64_t *wait_ns);

/* Would no request be let through now? */
bool remote_breaker_rests(
        const struct remote_breaker *breaker, uint64_t now_ns);

/* What a request came to. True if the breaker opened. */
bool remote_breaker_note(struct remote_breaker *breaker,
        enum remote_result result, uint64_t now_ns);

/* A caller waited, and what it got saved so much of compiling; 0: nothing. */
void remote_breaker_waited(struct remote_breaker *breaker, uint64_t waited_ns,
        uint64_t saved_ns, uint64_t now_ns);

/* Is it an error of the server, or of the way there? */
bool remote_result_is_error(enum remote_result result);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_BREAKER_H */
