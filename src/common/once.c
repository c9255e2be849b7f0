/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/once.h"

void once_init(struct once *once)
{
    atomic_init(&once->done, false);
    pthread_mutex_init(&once->lock, NULL);
    pthread_cond_init(&once->changed, NULL);
    once->busy = false;
    once->work = (struct work){NULL};
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

/* True, and it is the caller's, unless another thread is busy with it. */
static bool claim(struct once *once)
{
    pthread_mutex_lock(&once->lock);
    bool ours = !once->busy;
    once->busy = true;
    pthread_mutex_unlock(&once->lock);
    if (ours) {
        /* Those who wait would wait for ever. */
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &once->cancel_state);
        work_begin(&once->work);
    }
    return ours;
}

static void sleep_while_busy(struct once *once)
{
    /* Waiting must not end the thread: it would stay in the path of others. */
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&once->lock);
    while (once->busy)
        pthread_cond_wait(&once->changed, &once->lock);
    pthread_mutex_unlock(&once->lock);
    pthread_setcancelstate(cancel_state, NULL);
}

enum once_state once_begin(struct once *once)
{
    while (!once_get_done(once)) {
        if (claim(once)) {
            /* It may have been done since we looked. */
            if (!once_get_done(once)) return once_is_ours;
            once_end(once, true);
            return once_is_done;
        }
        if (waits_begin(&once->work) != waits_granted) return once_is_nested;
        sleep_while_busy(once);
        waits_end();
    }
    return once_is_done;
}

void once_end(struct once *once, bool done)
{
    int cancel_state = once->cancel_state;
    work_end(&once->work);
    pthread_mutex_lock(&once->lock);
    if (done) once_set_done(once);
    once->busy = false;
    pthread_cond_broadcast(&once->changed);
    pthread_mutex_unlock(&once->lock);
    pthread_setcancelstate(cancel_state, NULL);
}
