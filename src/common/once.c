/* SPDX-License-Identifier: Apache-2.0 */
#include "common/once.h"

void once_init(struct once *once)
{
    atomic_init(&once->done, false);
    pthread_mutex_init(&once->lock, NULL);
    pthread_cond_init(&once->changed, NULL);
    once->busy = false;
}

void once_fini(struct once *once)
{
    pthread_cond_destroy(&once->changed);
    pthread_mutex_destroy(&once->lock);
}

void once_set_done(struct once *once)
{
    atomic_store_explicit(&once->done, true, memory_order_release);
}

bool once_get_done(struct once *once)
{
    return atomic_load_explicit(&once->done, memory_order_acquire);
}

enum once_state once_begin(struct once *once)
{
    if (once_get_done(once)) return once_is_done;
    enum once_state state = once_is_ours;
    pthread_mutex_lock(&once->lock);
    if (once->busy && pthread_equal(once->owner, pthread_self())) {
        state = once_is_nested;
    } else {
        while (once->busy)
            pthread_cond_wait(&once->changed, &once->lock);
        if (once_get_done(once)) {
            state = once_is_done;
        } else {
            once->busy = true;
            once->owner = pthread_self();
        }
    }
    pthread_mutex_unlock(&once->lock);
    return state;
}

void once_end(struct once *once, bool done)
{
    pthread_mutex_lock(&once->lock);
    if (done) once_set_done(once);
    once->busy = false;
    pthread_cond_broadcast(&once->changed);
    pthread_mutex_unlock(&once->lock);
}
