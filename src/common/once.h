/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something that is done once, may fail, and is then tried again: the first
 * thread to come does it with no lock held, others wait for it.
 *
 *     switch (once_begin(&o)) {
 *     case once_is_done: break;
 *     case once_is_ours:
 *         st = do_it(...);
 *         once_end(&o, st == dnnl_success);
 *         break;
 *     case once_is_nested: st = dnnl_runtime_error; break;
 *     }
 *
 * Who does it is not cancelled meanwhile: that waits for once_end().
 *
 * What was written before once_end(.., true) is seen by everyone who is told
 * once_is_done.
 */
#ifndef DNNL_CACHE_COMMON_ONCE_H
#define DNNL_CACHE_COMMON_ONCE_H

#include "src/common/waits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct once {
    atomic_bool done;       /* written under the lock, read without it */
    pthread_mutex_t lock;   /* guards busy; leaf */
    pthread_cond_t changed; /* busy has ended */
    bool busy;              /* somebody is doing it */
    int cancel_state;       /* the doer's, to be restored */
    struct work work;       /* what those wait for who come meanwhile */
};

enum once_state {
    once_is_done,
    once_is_ours, /* the caller does it and calls once_end() */
    /* The caller is doing it already, further up its stack; or who does it
     * waits, in the end, for something that the caller does. */
    once_is_nested
};

void once_init(struct once *once);
void once_fini(struct once *once);

/* For what was done before anyone else could see it. */
void once_set_done(struct once *once);
bool once_get_done(struct once *once);

enum once_state once_begin(struct once *once);
void once_end(struct once *once, bool done);

#endif /* DNNL_CACHE_COMMON_ONCE_H */
