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
 * What was written before once_end(.., true) is seen by everyone who is told
 * once_is_done.
 */
#ifndef DNNL_CACHE_COMMON_ONCE_H
#define DNNL_CACHE_COMMON_ONCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct once {
    atomic_bool done;     /* read without the lock */
    pthread_mutex_t lock; /* guards busy and owner; leaf */
    pthread_cond_t changed;
    bool busy;
    pthread_t owner; /* who is doing it, while busy */
};

enum once_state {
    once_is_done,
    once_is_ours,  /* the caller does it and calls once_end() */
    once_is_nested /* the caller is doing it already, further up its stack */
};

void once_init(struct once *once);
void once_fini(struct once *once);

/* For what was done before anyone else could see it. */
void once_set_done(struct once *once);
bool once_get_done(struct once *once);

enum once_state once_begin(struct once *once);
void once_end(struct once *once, bool done);

#endif /* DNNL_CACHE_COMMON_ONCE_H */
