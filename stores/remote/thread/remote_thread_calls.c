/* SPDX-License-Identifier: Apache-2.0 */
/* What callers do with a thread: queueing, waiting, leaving, and its breaker.
 */
#include "stores/remote/thread/remote_thread_internal.h"

#include "src/platform/thread.h"

#include <errno.h>
#include <string.h>

/* ---- Calls --------------------------------------------------------------- */

static void queue_locked(struct remote_thread *thread, struct remote_call *call)
{
    struct remote_request *first = NULL;
    struct remote_request **last = &first;
    for (size_t i = 0; i < call->count; i++) {
        *last = &call->requests[i];
        last = &call->requests[i].next;
        call->requests[i].asked_ns = call->asked_ns;
        thread->open_bytes += call->requests[i].size;
    }
    thread->open += call->count;
    if (call->goes_first || thread->first == NULL) {
        *last = thread->first;
        if (thread->first == NULL) thread->last = last;
        thread->first = first;
    } else {
        *last = NULL;
        *thread->last = first;
        thread->last = last;
    }
}

static bool has_room_locked(
        const struct remote_thread *thread, const struct remote_call *call)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < call->count; i++)
        bytes += call->requests[i].size;
    return call->count <= thread->most_open - thread->open
           && bytes <= thread->most_bytes - thread->open_bytes;
}

/* Where it waits for the server. */
static void wake_locked(struct remote_thread *thread)
{
    if (thread->is_driving && thread->transport != NULL)
        thread->core->transport->wake(thread->transport);
}

/* Until when the transport has nothing to do for it. */
static uint64_t rest_locked(
        const struct remote_thread *thread, const struct remote_call *call)
{
    const struct remote_transport_calls *calls = thread->core->transport;
    return call->may_rest && calls->rests_until != NULL && thread->is_driving
                           && thread->transport != NULL
                   ? calls->rests_until(thread->transport, &call->requests[0])
                   : 0;
}

/* What the transport was told before it was asked. */
static void end_absent_locked(struct remote_call *call)
{
    call->requests[0].result = remote_result_absent;
    call->finished = &call->requests[0];
    call->pending = 0;
}

/* The thread sees it when it wakes, and its caller wakes it if that is late: a
 * thread less that wakes for each of two requests. */
static void submit_locked(
        struct remote_thread *thread, struct remote_call *call)
{
    const uint64_t until_ns = remote_thread_lend_locked(thread, call)
                                      ? 0
                                      : rest_locked(thread, call);
    if (until_ns == REMOTE_IS_ABSENT) {
        end_absent_locked(call);
        return;
    }
    queue_locked(thread, call);
    call->rests_until_ns = until_ns;
    if (call->is_driving) return;
    if (until_ns == 0)
        wake_locked(thread);
    else if (call->requests[0].verb == remote_verb_lease)
        remote_call_postpone(&call->requests[0], until_ns);
}

bool remote_thread_submit(
        struct remote_thread *thread, struct remote_call *call)
{
    pthread_mutex_lock(&thread->lock);
    if (thread->is_ending || !has_room_locked(thread, call)
            || (!thread->is_running && !remote_thread_start_locked(thread))) {
        pthread_mutex_unlock(&thread->lock);
        return false;
    }
    call->thread = thread;
    call->asked_ns = clock_ns();
    call->start_ns = call->asked_ns;
    call->pending = call->count;
    call->untaken = call->count;
    submit_locked(thread, call);
    const bool is_driving = call->is_driving;
    pthread_mutex_unlock(&thread->lock);
    /* Without the lock, for which the thread would have to wait at once. */
    if (is_driving)
        remote_call_begin_driving(call);
    else
        pthread_cond_signal(&thread->work);
    return true;
}

/* When a caller looks again. What was postponed may have become earlier by
 * then; and what rests is submitted when it has rested. */
static uint64_t next_look_locked(
        struct remote_call *call, uint64_t now, uint64_t leave)
{
    uint64_t next =
            leave < now + call->timeout_ns ? leave : now + call->timeout_ns;
    if (call->rests_until_ns == 0 || atomic_load(&call->is_asked)) return next;
    if (call->rests_until_ns > now)
        return call->rests_until_ns < next ? call->rests_until_ns : next;
    call->rests_until_ns = 0;
    wake_locked(call->thread);
    return next;
}

/* Until so many are left, or its time is over. */
static void wait_locked(
        struct remote_call *call, uint64_t patience_ns, size_t left)
{
    struct remote_thread *thread = call->thread;
    call->wake_at = left;
    while (call->pending > left) {
        const uint64_t now = clock_ns();
        const uint64_t leave = remote_call_leave_ns(call, patience_ns);
        if (leave <= now) break;
        if (call->is_driving)
            remote_call_drive_locked(call, leave);
        else
            (void)thread_condition_wait(&call->done, &thread->lock,
                    next_look_locked(call, now, leave));
    }
    remote_call_end_driving_locked(call);
}

void remote_call_wait(struct remote_call *call, uint64_t patience_ns)
{
    pthread_mutex_lock(&call->thread->lock);
    wait_locked(call, patience_ns, 0);
    pthread_mutex_unlock(&call->thread->lock);
}

struct remote_request *remote_call_take_some(
        struct remote_call *call, uint64_t patience_ns)
{
    enum { few = 4 };
    pthread_mutex_lock(&call->thread->lock);
    /* Of what was not taken, not of what is pending: who comes late would wait
     * for more, with answers at hand. */
    wait_locked(call, patience_ns, call->untaken > few ? call->untaken / 2 : 0);
    struct remote_request *some = call->finished;
    call->finished = NULL;
    call->untaken = call->pending;
    pthread_mutex_unlock(&call->thread->lock);
    return some;
}

enum remote_result remote_call_result(struct remote_call *call, size_t i)
{
    pthread_mutex_lock(&call->thread->lock);
    const enum remote_result result = call->requests[i].result;
    pthread_mutex_unlock(&call->thread->lock);
    return result;
}

void remote_call_give_up(struct remote_call *call)
{
    struct remote_thread *thread = call->thread;
    struct remote_core *core = thread->core;
    const struct remote_request late = {.result = remote_result_timed_out};
    /* What waits for another request of ours is not the server's fault. */
    if (call->starts_late && !atomic_load(&call->is_asked)) return;
    pthread_mutex_lock(&thread->lock);
    if (call->pending > 0) {
        call->is_given_up = true;
        remote_count(&core->counters.errors, call->pending);
        remote_count(&core->counters.timeouts, call->pending);
    }
    for (size_t i = 0;
            i < call->pending && !remote_call_is_blameless(call, late.result);
            i++)
        if (remote_breaker_note(
                    &thread->breaker, late.result, remote_core_now(core)))
            remote_thread_keep_why_locked(thread, &late);
    pthread_mutex_unlock(&thread->lock);
}

void remote_call_leave(struct remote_call *call)
{
    struct remote_thread *thread = call->thread;
    pthread_mutex_lock(&thread->lock);
    const bool is_ours = call->pending == 0 && call->pinned == 0;
    call->is_left = true;
    if (call->pending == 0 && call->finish != NULL) call->finish(call);
    pthread_mutex_unlock(&thread->lock);
    if (is_ours) remote_call_destroy(call);
}

bool remote_thread_flush(struct remote_thread *thread, uint64_t until_ns)
{
    pthread_mutex_lock(&thread->lock);
    /* What keeps it from working, as the end of the process may, is no event
     * that wakes it. */
    wake_locked(thread);
    while (thread->open > 0
            && thread_condition_wait(&thread->idle, &thread->lock, until_ns))
        ;
    const bool is_done = thread->open == 0;
    pthread_mutex_unlock(&thread->lock);
    return is_done;
}

void remote_thread_end(struct remote_thread *thread, uint64_t until_ns)
{
    pthread_mutex_lock(&thread->lock);
    thread->is_ending = true;
    pthread_cond_signal(&thread->work);
    wake_locked(thread);
    while (thread->is_running && !thread->has_ended
            && thread_condition_wait(&thread->idle, &thread->lock, until_ns))
        ;
    const bool is_running = thread->is_running;
    const bool has_ended = thread->has_ended;
    pthread_mutex_unlock(&thread->lock);
    if (is_running && has_ended)
        pthread_join(thread->id, NULL); /* it is returning */
    else if (is_running)
        pthread_detach(thread->id);
    remote_thread_release(thread);
}

void remote_thread_drop_puts(struct remote_thread *thread, const char *name)
{
    struct remote_request *dropped = NULL;
    pthread_mutex_lock(&thread->lock);
    struct remote_request **at = &thread->first;
    while (*at != NULL) {
        struct remote_request *request = *at;
        if (request->verb == remote_verb_put
                && strcmp(request->name, name) == 0) {
            *at = request->next;
            request->next = dropped;
            dropped = request;
        } else {
            at = &request->next;
        }
    }
    thread->last = at;
    pthread_mutex_unlock(&thread->lock);
    while (dropped != NULL) {
        struct remote_request *request = dropped;
        dropped = request->next;
        remote_thread_settle(thread, request, remote_result_dropped);
    }
}

size_t remote_thread_open_requests(struct remote_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    const size_t open = thread->open;
    pthread_mutex_unlock(&thread->lock);
    return open;
}

bool remote_thread_take_news(
        struct remote_thread *thread, char why[remote_why_size])
{
    pthread_mutex_lock(&thread->lock);
    const bool has_news = thread->has_news;
    thread->has_news = false;
    memcpy(why, thread->why, sizeof thread->why);
    pthread_mutex_unlock(&thread->lock);
    return has_news;
}

/* ---- The breaker --------------------------------------------------------- */

enum remote_admission remote_thread_admit(
        struct remote_thread *thread, uint64_t *wait_ns)
{
    pthread_mutex_lock(&thread->lock);
    const enum remote_admission admission = remote_breaker_admit(
            &thread->breaker, remote_core_now(thread->core), wait_ns);
    pthread_mutex_unlock(&thread->lock);
    return admission;
}

bool remote_thread_is_open(struct remote_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    const bool is_open = thread->breaker.is_open;
    pthread_mutex_unlock(&thread->lock);
    return is_open;
}

bool remote_thread_rests(struct remote_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    const bool rests = remote_breaker_rests(
            &thread->breaker, remote_core_now(thread->core));
    pthread_mutex_unlock(&thread->lock);
    return rests;
}

uint64_t remote_thread_opened(struct remote_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    const uint64_t opened = thread->breaker.opened;
    pthread_mutex_unlock(&thread->lock);
    return opened;
}

void remote_thread_waited(
        struct remote_thread *thread, uint64_t waited_ns, uint64_t saved_ns)
{
    pthread_mutex_lock(&thread->lock);
    remote_breaker_waited(&thread->breaker, waited_ns, saved_ns,
            remote_core_now(thread->core));
    pthread_mutex_unlock(&thread->lock);
}
