/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caller that waits for one request, while the thread has nothing to do, does
 * the thread's work itself: no thread is woken for the request, and none when
 * it is done. Waking two costs more than what a server nearby takes to answer.
 *
 * Only a transport that never blocks then is lent (can_be_lent()), so the
 * caller leaves when its time is over, as it does otherwise. What is not done
 * by then the thread goes on with. Others submit to it as they do to the
 * thread: they wake the transport, and whoever drives it takes what is queued.
 */
#include "stores/remote/thread/remote_thread_internal.h"

bool remote_thread_can_lend(const struct remote_thread *thread)
{
    const struct remote_transport_calls *calls = thread->core->transport;
    return thread->transport != NULL && calls->can_be_lent != NULL
           && calls->can_be_lent(thread->transport);
}

bool remote_thread_lend_locked(
        struct remote_thread *thread, struct remote_call *call)
{
    if (!call->may_drive || !thread->is_parked || thread->is_lent
            || thread->is_ending || thread->first != NULL
            || thread->in_flight > 0 || !remote_thread_can_lend(thread))
        return false;
    thread->is_lent = true;
    thread->is_driving = true; /* others wake the transport */
    call->is_driving = true;
    return true;
}

void remote_call_begin_driving(struct remote_call *call)
{
    struct remote_thread *thread = call->thread;
    /* Whoever is cancelled amid it would leave the transport to nobody. */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &call->cancel_state);
    thread->core->transport->lend(thread->transport, true);
}

void remote_call_drive_locked(struct remote_call *call, uint64_t until_ns)
{
    struct remote_thread *thread = call->thread;
    struct remote_request *taken = remote_thread_take_locked(thread);
    pthread_mutex_unlock(&thread->lock);
    remote_thread_work(thread, taken, until_ns);
    const bool is_lent_on = remote_thread_can_lend(thread);
    pthread_mutex_lock(&thread->lock);
    if (!is_lent_on || thread->is_ending) remote_call_end_driving_locked(call);
}

/* What is the thread's to do now. It naps if all of it can wait. */
static bool has_work_locked(const struct remote_thread *thread)
{
    return thread->first != NULL || thread->in_flight > 0 || thread->is_ending
           || (remote_thread_is_busy(thread)
                   && (!thread->is_napping || !remote_thread_can_lend(thread)));
}

void remote_call_end_driving_locked(struct remote_call *call)
{
    struct remote_thread *thread = call->thread;
    if (!call->is_driving) return;
    thread->core->transport->lend(thread->transport, false);
    call->is_driving = false;
    thread->is_lent = false;
    thread->is_driving = false;
    thread->used_ns = clock_ns();
    if (has_work_locked(thread)) pthread_cond_signal(&thread->work);
    (void)pthread_setcancelstate(call->cancel_state, NULL);
}
