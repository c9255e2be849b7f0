/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_thread_internal.h"

#include "src/platform/kept_descriptor.h"
#include "src/platform/library.h"
#include "src/platform/thread.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a store and its threads share ---------------------------------- */

static uint64_t monotonic_ns(void *unused)
{
    (void)unused;
    return clock_ns();
}

void remote_core_init(struct remote_core *core, struct remote_url *url,
        const struct remote_transport_calls *transport,
        void (*destroy)(struct remote_core *core))
{
    atomic_init(&core->refs, 1);
    core->destroy = destroy;
    core->url = *url;
    *url = (struct remote_url){0};
    core->transport = transport;
    core->clock_ns = monotonic_ns;
}

void remote_core_release(struct remote_core *core)
{
    if (core == NULL || atomic_fetch_sub(&core->refs, 1) != 1) return;
    remote_url_fini(&core->url);
    core->destroy(core);
}

uint64_t remote_core_now(const struct remote_core *core)
{
    return core->clock_ns(core->clock_user);
}

/* ---- Making and freeing -------------------------------------------------- */

struct remote_thread *remote_thread_make(
        struct remote_core *core, size_t most_requests, uint64_t most_bytes)
{
    struct remote_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) return NULL;
    thread->core = core;
    atomic_fetch_add(&core->refs, 1);
    atomic_init(&thread->refs, 1);
    pthread_mutex_init(&thread->lock, NULL);
    /* These cannot fail on Linux. */
    (void)thread_condition_init(&thread->work);
    (void)thread_condition_init(&thread->idle);
    remote_breaker_init(&thread->breaker, core->url.timeout_ms * 1000000);
    thread->last = &thread->first;
    thread->most_open = most_requests > 0 ? most_requests : SIZE_MAX;
    thread->most_bytes = most_bytes > 0 ? most_bytes : UINT64_MAX;
    return thread;
}

void remote_thread_retain(struct remote_thread *thread)
{
    atomic_fetch_add(&thread->refs, 1);
}

void remote_thread_release(struct remote_thread *thread)
{
    if (atomic_fetch_sub(&thread->refs, 1) != 1) return;
    pthread_cond_destroy(&thread->idle);
    pthread_cond_destroy(&thread->work);
    pthread_mutex_destroy(&thread->lock);
    remote_core_release(thread->core);
    free(thread);
}

/* ---- What requests come to ----------------------------------------------- */

void remote_thread_keep_why_locked(
        struct remote_thread *thread, const struct remote_request *request)
{
    const char *why = request->why;
    if (why[0] == '\0')
        why = request->result == remote_result_timed_out ? "no answer in time"
                                                         : "failed";
    snprintf(thread->why, sizeof thread->why, "%s", why);
    thread->has_news = true;
}

/* One of many that were asked at once, and the server answered others: it is
 * there, and has more to do than fits into the time. */
bool remote_call_is_blameless(
        const struct remote_call *call, enum remote_result result)
{
    return result == remote_result_timed_out && call->count > 1
           && atomic_load(&call->arrived) > 0;
}

static void judge_locked(
        struct remote_thread *thread, const struct remote_request *request)
{
    struct remote_core *core = thread->core;
    const enum remote_result result = request->result;
    if (remote_result_is_error(result)) remote_count(&core->counters.errors, 1);
    if (result == remote_result_timed_out)
        remote_count(&core->counters.timeouts, 1);
    if (result == remote_result_refused)
        remote_count(&core->counters.refusals, 1);
    if (result == remote_result_too_large)
        remote_count(&core->counters.too_large, 1);
    remote_count(&core->counters.bytes_received, request->body_size);
    if (result == remote_result_done && request->verb == remote_verb_put)
        remote_count(&core->counters.bytes_sent, request->size);
    if (thread->is_ending || result == remote_result_dropped
            || remote_call_is_blameless(request->core_data, result))
        return;
    /* Who takes no put is not sent the next: for puts that is an error. */
    const bool takes_none =
            request->verb == remote_verb_put && result == remote_result_refused;
    if (remote_breaker_note(&thread->breaker,
                takes_none ? remote_result_failed : result,
                remote_core_now(core)))
        remote_thread_keep_why_locked(thread, request);
}

/* Nobody has the call any more. */
static bool is_over_locked(const struct remote_call *call)
{
    return call->pending == 0 && call->is_left && call->pinned == 0;
}

/* True: the caller is to be woken. */
static bool settle_locked(struct remote_thread *thread,
        struct remote_request *request, enum remote_result result)
{
    struct remote_call *call = request->core_data;
    request->result = result;
    if (!call->is_given_up) judge_locked(thread, request);
    thread->open--;
    thread->open_bytes -= request->size;
    request->next = call->finished;
    call->finished = request;
    call->pending--;
    if (call->pending == 0 && call->is_left && call->finish != NULL)
        call->finish(call);
    if (thread->open == 0) pthread_cond_broadcast(&thread->idle);
    return !call->is_left && !call->is_driving
           && (call->pending == 0 || call->pending == call->wake_at);
}

void remote_thread_settle(struct remote_thread *thread,
        struct remote_request *request, enum remote_result result)
{
    struct remote_call *call = request->core_data;
    pthread_mutex_lock(&thread->lock);
    const bool wakes = settle_locked(thread, request, result);
    if (wakes) {
        /* Without the lock, for which the caller would have to wait at once. */
        call->pinned++;
        pthread_mutex_unlock(&thread->lock);
        pthread_cond_signal(&call->done);
        pthread_mutex_lock(&thread->lock);
        call->pinned--;
    }
    const bool is_over = is_over_locked(call);
    pthread_mutex_unlock(&thread->lock);
    if (is_over) remote_call_destroy(call);
}

/* ---- The thread ---------------------------------------------------------- */

static void host_done(struct remote_request *request, enum remote_result result)
{
    struct remote_call *call = request->core_data;
    struct remote_request **at = &call->thread->flying;
    while (*at != request)
        at = &(*at)->next_flying;
    *at = request->next_flying;
    call->thread->in_flight--;
    if (!remote_result_is_error(result) && result != remote_result_dropped)
        remote_call_note_answer(call);
    remote_thread_settle(call->thread, request, result);
}

static const struct remote_host host = {
        .expect = remote_call_expect,
        .receive = remote_call_receive,
        .room = remote_call_room,
        .fill = remote_call_fill,
        .restart = remote_call_restart,
        .done = host_done,
        .deadline = remote_call_deadline,
        .postpone = remote_call_postpone,
};

/* Is something of the same object on its way, which must come first? A get is
 * not held up, nor is anything by it. */
static bool must_wait(const struct remote_thread *thread,
        const struct remote_request *request)
{
    if (request->verb != remote_verb_put && request->verb != remote_verb_remove)
        return false;
    for (const struct remote_request *f = thread->flying; f != NULL;
            f = f->next_flying)
        if (f->verb != remote_verb_get && strcmp(f->name, request->name) == 0)
            return true;
    return false;
}

bool remote_thread_is_busy(const struct remote_thread *thread)
{
    const struct remote_transport_calls *calls = thread->core->transport;
    return thread->transport != NULL && calls->is_busy != NULL
           && calls->is_busy(thread->transport);
}

/* Until when it waits for work: 0: there is some. A transport whose own work
 * can wait is left to callers, one of which mostly drives it again in a moment.
 */
static uint64_t waits_until_locked(const struct remote_thread *thread)
{
    static const uint64_t a_while_ns = 1000000000u;
    /* Not woken each time that it is given back. */
    if (thread->is_lent) return clock_ns() + a_while_ns;
    if (thread->first != NULL || thread->in_flight > 0 || thread->is_ending)
        return 0;
    if (!remote_thread_is_busy(thread)) return UINT64_MAX;
    return remote_thread_can_lend(thread) ? thread->used_ns + a_while_ns : 0;
}

static void await_work_locked(struct remote_thread *thread)
{
    thread->used_ns = clock_ns();
    thread->is_driving = false;
    thread->is_parked = true;
    for (;;) {
        const uint64_t until_ns = waits_until_locked(thread);
        if (until_ns <= clock_ns()) break;
        thread->is_napping = until_ns != UINT64_MAX;
        (void)thread_condition_wait(&thread->work, &thread->lock, until_ns);
    }
    thread->is_parked = false;
}

struct remote_request *remote_thread_take_locked(struct remote_thread *thread)
{
    const struct remote_core *core = thread->core;
    const unsigned most = core->transport->max_in_flight != NULL
                                  ? core->transport->max_in_flight(&core->url)
                                  : UINT_MAX;
    struct remote_request *taken = thread->first;
    struct remote_request **end = &taken;
    size_t n = thread->in_flight;
    while (*end != NULL
            && (thread->is_ending || (n < most && !must_wait(thread, *end)))) {
        end = &(*end)->next;
        n++;
    }
    thread->first = *end;
    if (thread->first == NULL) thread->last = &thread->first;
    *end = NULL;
    return taken;
}

/* Waits for work if there is none; takes what may be submitted. NULL with
 * *is_ending: the end. */
static struct remote_request *take(
        struct remote_thread *thread, bool *is_ending)
{
    pthread_mutex_lock(&thread->lock);
    await_work_locked(thread);
    *is_ending = thread->is_ending;
    struct remote_request *taken = remote_thread_take_locked(thread);
    thread->is_driving = !thread->is_ending;
    pthread_mutex_unlock(&thread->lock);
    return taken;
}

/* There is no transport. */
static void refuse(struct remote_request *request, int error)
{
    snprintf(request->why, sizeof request->why, "cannot begin: %s",
            strerror(error));
    host_done(request, error == ENOMEM ? remote_result_out_of_memory
                                       : remote_result_failed);
}

/* Tried again with each request: a file or a descriptor that it lacks may be
 * there by then. */
static int make_transport(struct remote_thread *thread)
{
    const struct remote_core *core = thread->core;
    struct remote_transport *transport = NULL;
    if (thread->transport != NULL) return 0;
    const int error = core->transport->create(&transport, &core->url, &host);
    if (error != 0) return error;
    pthread_mutex_lock(&thread->lock);
    thread->transport = transport;
    /* Who queued more meanwhile could not wake it. */
    if (thread->first != NULL) core->transport->wake(transport);
    pthread_mutex_unlock(&thread->lock);
    return 0;
}

/* From now on it is on its way. */
static void begin_flight(
        struct remote_thread *thread, struct remote_request *request)
{
    struct remote_call *call = request->core_data;
    atomic_store(&call->is_asked, true);
    request->next_flying = thread->flying;
    thread->flying = request;
    thread->in_flight++;
}

static void submit_all(
        struct remote_thread *thread, struct remote_request *taken)
{
    const int error = taken != NULL ? make_transport(thread) : 0;
    const uint64_t now = clock_ns();
    while (taken != NULL) {
        struct remote_request *request = taken;
        struct remote_call *call = request->core_data;
        taken = request->next;
        request->next = NULL;
        if (call->starts_late) call->start_ns = now;
        begin_flight(thread, request);
        if (thread->transport == NULL)
            refuse(request, error);
        else if (!call->starts_late && remote_call_deadline(request) <= now)
            /* It waited for others. */
            host_done(request, remote_result_dropped);
        else
            thread->core->transport->submit(thread->transport, request);
    }
}

void remote_thread_work(struct remote_thread *thread,
        struct remote_request *taken, uint64_t until_ns)
{
    submit_all(thread, taken);
    if (thread->in_flight > 0 || remote_thread_is_busy(thread))
        thread->core->transport->drive(thread->transport, until_ns);
}

/* What other hosts are told has no reply, so nobody waits for it. */
static bool is_notice(const struct remote_request *request)
{
    return request->verb == remote_verb_built
           || request->verb == remote_verb_stop
           || request->verb == remote_verb_fail;
}

/* A notice of the last put often comes here: it still goes out. */
static void end(struct remote_thread *thread, struct remote_request *taken)
{
    while (taken != NULL) {
        struct remote_request *request = taken;
        taken = request->next;
        request->next = NULL;
        if (is_notice(request) && thread->transport != NULL) {
            begin_flight(thread, request);
            thread->core->transport->submit(thread->transport, request);
        } else {
            remote_thread_settle(thread, request, remote_result_dropped);
        }
    }
    thread->core->transport->destroy(thread->transport);
    pthread_mutex_lock(&thread->lock);
    thread->transport = NULL;
    thread->has_ended = true;
    pthread_cond_broadcast(&thread->idle);
    pthread_mutex_unlock(&thread->lock);
}

static void *run(void *arg)
{
    struct remote_thread *thread = arg;
    bool is_ending = false;
    kept_descriptor_note_thread();
    (void)pthread_setname_np(pthread_self(), "dnnl_remote");
    for (;;) {
        struct remote_request *taken = take(thread, &is_ending);
        if (is_ending) {
            end(thread, taken);
            break;
        }
        remote_thread_work(thread, taken, UINT64_MAX);
    }
    remote_thread_release(thread);
    return NULL;
}

/* If the code of this thread were unloaded while it is stuck, the process would
 * crash: it stays loaded. In a program that is no shared object this fails, and
 * need not succeed. */
static void stay_loaded(void)
{
    (void)library_keep((const void *)(uintptr_t)run);
}

bool remote_thread_start_locked(struct remote_thread *thread)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, stay_loaded);
    atomic_fetch_add(&thread->refs, 1);
    thread->is_running = thread_start(&thread->id, run, thread);
    if (!thread->is_running) atomic_fetch_sub(&thread->refs, 1);
    return thread->is_running;
}
