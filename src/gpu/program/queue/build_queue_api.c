/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Background builds: the calls.
 */
#include "src/gpu/engine/output.h"
#include "src/gpu/program/queue/build_queue.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/thread.h"

#include <stdlib.h>

/* A child of fork() has its parent's queues, but not the workers, and the lock
 * as it was. */
static bool is_parents(const struct dnnl_cache_build_queue *q)
{
    return q->process != process_number();
}

/* ---- Queues -------------------------------------------------------------- */

static uint32_t usable_processors(void)
{
    const uint32_t count = process_processors();
    return count > DNNL_CACHE_MAX_BUILD_WORKERS ? DNNL_CACHE_MAX_BUILD_WORKERS
                                                : count;
}

/* Copies what a newer or older caller declared. */
static bool read_options(dnnl_cache_build_queue_options_t *out,
        const dnnl_cache_build_queue_options_t *options)
{
    *out = (dnnl_cache_build_queue_options_t)
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    if (options != NULL) {
        if (options->struct_size != sizeof *options) return false;
        *out = *options;
    }
    if (out->workers == 0) out->workers = usable_processors();
    return out->workers <= DNNL_CACHE_MAX_BUILD_WORKERS
           && out->processes <= dnnl_cache_build_processes_always;
}

dnnl_status_t dnnl_cache_build_queue_create(dnnl_cache_build_queue_t *queue,
        const dnnl_cache_build_queue_options_t *options)
{
    dnnl_cache_build_queue_options_t wanted;
    if (queue == NULL || !read_options(&wanted, options))
        return dnnl_invalid_arguments;
    struct dnnl_cache_build_queue *q = calloc(1, sizeof *q);
    if (q == NULL) return dnnl_out_of_memory;
    q->threads = calloc(wanted.workers, sizeof *q->threads);
    if (q->threads == NULL) {
        free(q);
        return dnnl_out_of_memory;
    }
    atomic_init(&q->references, 1);
    q->process = process_number();
    q->workers = wanted.workers;
    q->progress = wanted.progress;
    q->user = wanted.user;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->has_work, NULL);
    const dnnl_status_t st = build_processes_init(&q->processes,
            wanted.processes, wanted.worker, wanted.process_timeout_ms);
    if (st != dnnl_success || thread_condition_init(&q->has_ended) != 0) {
        build_processes_fini(&q->processes);
        pthread_cond_destroy(&q->has_work);
        pthread_mutex_destroy(&q->lock);
        free(q->threads);
        free(q);
        return dnnl_out_of_memory;
    }
    *queue = q;
    return dnnl_success;
}

/* Cancels one job that waits. False: none does. */
static bool cancel_one(struct dnnl_cache_build_queue *q)
{
    struct dnnl_cache_build_job *job = NULL;
    struct build_task *dropped = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->waiting != NULL) {
        job = q->waiting->jobs;
        build_queue_cancel_locked(q, job, &dropped);
    }
    pthread_mutex_unlock(&q->lock);
    if (job == NULL) return false;
    build_job_report(job, dnnl_not_required);
    build_queue_report(q);
    build_task_release(dropped);
    return true;
}

dnnl_status_t dnnl_cache_build_queue_destroy(dnnl_cache_build_queue_t queue)
{
    struct dnnl_cache_build_queue *q = queue;
    if (q == NULL || is_parents(q)) return dnnl_success;
    if (build_queue_is_worker(q)) return dnnl_runtime_error;
    pthread_mutex_lock(&q->lock);
    q->is_ending = true;
    pthread_mutex_unlock(&q->lock);
    while (cancel_one(q))
        continue;
    pthread_mutex_lock(&q->lock);
    pthread_cond_broadcast(&q->has_work);
    pthread_mutex_unlock(&q->lock);
    for (uint32_t i = 0; i < q->started; i++)
        pthread_join(q->threads[i], NULL);
    build_queue_release(q);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_build_queue_get_progress(
        dnnl_cache_build_queue_t queue, dnnl_cache_build_progress_t *progress)
{
    dnnl_cache_build_progress_t now;
    if (queue == NULL || progress == NULL) return dnnl_invalid_arguments;
    if (is_parents(queue)) return dnnl_runtime_error;
    pthread_mutex_lock(&queue->lock);
    build_queue_progress_locked(queue, &now);
    pthread_mutex_unlock(&queue->lock);
    return output_struct(&now, sizeof now, progress);
}

/* ---- Submitting ---------------------------------------------------------- */

/* What tasks are told apart by: the context, and the program's key. Empty: it
 * has none. */
static dnnl_status_t read_key(
        const struct dnnl_cache_program_desc *desc, struct buffer *key)
{
    struct program_text text;
    const struct program_recipe recipe = program_desc_recipe(desc, &text);
    const struct buffer *known = &recipe.key->bytes;
    buffer_init(key);
    if (known->size == 0) return dnnl_success;
    buffer_append(key, &desc->engine->context, sizeof desc->engine->context);
    buffer_append(key, known->data, known->size);
    const dnnl_status_t st = buffer_status(key);
    if (st != dnnl_success) buffer_fini(key);
    return st;
}

static struct dnnl_cache_build_job *new_job(struct dnnl_cache_build_queue *q,
        const struct dnnl_cache_program_desc *desc, int priority,
        dnnl_cache_build_callback_t callback, void *user)
{
    struct dnnl_cache_build_job *job = calloc(1, sizeof *job);
    if (job == NULL) return NULL;
    atomic_fetch_add_explicit(&q->references, 1, memory_order_relaxed);
    job->queue = q;
    job->desc = program_desc_retain(desc);
    job->callback = callback;
    job->user = user;
    atomic_init(&job->references, 1);
    job->state = dnnl_cache_build_waiting;
    job->priority = priority;
    return job;
}

/* Has the job's program built, by a task that there is or by this one, which is
 * taken over if it is used. */
static dnnl_status_t enqueue_locked(struct dnnl_cache_build_queue *q,
        struct dnnl_cache_build_job *job, struct build_task **task)
{
    struct build_task *found = build_queue_find_locked(q, &(*task)->key);
    if (q->is_ending) return dnnl_runtime_error;
    if (found == NULL) {
        if (!build_queue_staff_locked(q)) return dnnl_out_of_memory;
        found = *task;
        *task = NULL;
        found->priority = job->priority;
        build_queue_add_locked(q, found);
    }
    build_queue_join_locked(q, found, job);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_build_queue_submit(dnnl_cache_build_queue_t queue,
        const_dnnl_cache_program_desc_t program_desc, int priority,
        dnnl_cache_build_callback_t callback, void *user,
        dnnl_cache_build_job_t *job)
{
    struct buffer key;
    if (queue == NULL || program_desc == NULL) return dnnl_invalid_arguments;
    if (is_parents(queue)) return dnnl_runtime_error;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st == dnnl_success) st = read_key(program_desc, &key);
    if (st != dnnl_success) return st;
    struct build_task *task = build_task_create(program_desc, &key);
    struct dnnl_cache_build_job *made =
            task != NULL
                    ? new_job(queue, program_desc, priority, callback, user)
                    : NULL;
    if (made == NULL) {
        build_task_release(task);
        return dnnl_out_of_memory;
    }
    /* It may end, and be told, before this call returns. */
    if (job != NULL) atomic_store(&made->references, 2);
    pthread_mutex_lock(&queue->lock);
    st = enqueue_locked(queue, made, &task);
    pthread_mutex_unlock(&queue->lock);
    build_task_release(task);
    if (st == dnnl_success) {
        if (job != NULL) *job = made;
        return st;
    }
    atomic_store(&made->references, 1);
    build_job_release(made);
    return st;
}

/* ---- Waiting ------------------------------------------------------------- */

static uint64_t deadline(uint64_t timeout_ns)
{
    const uint64_t now = clock_ns();
    return timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
}

/* Waits until the state, of the task or of a job of it, is an end; the caller
 * has a reference. Statuses: those of dnnl_cache_build_queue_wait(). */
static dnnl_status_t await(struct dnnl_cache_build_queue *q,
        struct build_task *task, const dnnl_cache_build_state_t *state,
        uint64_t until_ns)
{
    int cancel_state;
    if (waits_begin(&task->work) != waits_granted) return dnnl_runtime_error;
    /* Waiting must not end the thread: it would stay in the path of others. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&q->lock);
    while (!build_has_ended(*state)
            && thread_condition_wait(&q->has_ended, &q->lock, until_ns))
        continue;
    const bool has_ended = build_has_ended(*state);
    pthread_mutex_unlock(&q->lock);
    waits_end();
    pthread_setcancelstate(cancel_state, NULL);
    return has_ended ? dnnl_success : dnnl_not_required;
}

/* Waits for one task. *over: there is none. */
static dnnl_status_t wait_for_any(
        struct dnnl_cache_build_queue *q, uint64_t until_ns, bool *over)
{
    dnnl_status_t st = dnnl_success;
    pthread_mutex_lock(&q->lock);
    struct build_task *task = q->waiting;
    const bool builds = task != NULL && until_ns == UINT64_MAX;
    if (builds) build_queue_take_locked(q, task);
    if (task == NULL) task = q->building;
    *over = task == NULL;
    if (!builds && task != NULL)
        atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&q->lock);
    if (builds) {
        build_task_run(q, task);
    } else if (task != NULL) {
        st = await(q, task, &task->state, until_ns);
        build_task_release(task);
    }
    return st;
}

dnnl_status_t dnnl_cache_build_queue_wait(
        dnnl_cache_build_queue_t queue, uint64_t timeout_ns)
{
    dnnl_status_t st = dnnl_success;
    bool over = false;
    if (queue == NULL) return dnnl_invalid_arguments;
    if (is_parents(queue)) return dnnl_runtime_error;
    const uint64_t until_ns = deadline(timeout_ns);
    while (st == dnnl_success && !over)
        st = wait_for_any(queue, until_ns, &over);
    return st;
}

/* The state of a job, which may have a program then. */
static dnnl_cache_build_state_t state_of(struct dnnl_cache_build_job *job)
{
    pthread_mutex_lock(&job->queue->lock);
    const dnnl_cache_build_state_t state =
            build_has_ended(job->state)
                            || job->task->state == dnnl_cache_build_waiting
                    ? job->state
                    : dnnl_cache_build_building;
    pthread_mutex_unlock(&job->queue->lock);
    /* Whoever learns of a failure finds the compiler's log in the descriptor:
     * the builder may not have come to it yet. */
    if (state == dnnl_cache_build_failed)
        program_desc_note_refusal(
                job->desc, shared_text_retain(job->task->made.note));
    return state;
}

/* Takes the job's task if it waits. */
static bool take(struct dnnl_cache_build_job *job)
{
    pthread_mutex_lock(&job->queue->lock);
    const bool waits = !build_has_ended(job->state)
                       && job->task->state == dnnl_cache_build_waiting;
    if (waits) build_queue_take_locked(job->queue, job->task);
    pthread_mutex_unlock(&job->queue->lock);
    return waits;
}

/* Until it has ended. */
static dnnl_status_t wait_for_job(
        struct dnnl_cache_build_job *job, uint64_t timeout_ns)
{
    const uint64_t until_ns = deadline(timeout_ns);
    if (build_has_ended(state_of(job))) return dnnl_success;
    if (until_ns < UINT64_MAX || !take(job))
        return await(job->queue, job->task, &job->state, until_ns);
    build_task_run(job->queue, job->task);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_build_job_wait(dnnl_cache_build_job_t job,
        uint64_t timeout_ns, dnnl_cache_program_t *program)
{
    if (job == NULL) return dnnl_invalid_arguments;
    if (is_parents(job->queue)) return dnnl_runtime_error;
    const dnnl_status_t st = wait_for_job(job, timeout_ns);
    if (st != dnnl_success) return st;
    switch (state_of(job)) {
    case dnnl_cache_build_done:
        return program != NULL ? program_made_handle(
                       &job->task->made, job->task->end_ns, job->desc, program)
                               : dnnl_success;
    case dnnl_cache_build_failed:
        return job->task->status;
    default:
        return dnnl_not_required;
    }
}

/* ---- Jobs ---------------------------------------------------------------- */

dnnl_status_t dnnl_cache_build_job_get_state(
        dnnl_cache_build_job_t job, dnnl_cache_build_state_t *state)
{
    if (job == NULL || state == NULL) return dnnl_invalid_arguments;
    if (is_parents(job->queue)) return dnnl_runtime_error;
    *state = state_of(job);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_build_job_set_priority(
        dnnl_cache_build_job_t job, int priority)
{
    if (job == NULL) return dnnl_invalid_arguments;
    if (is_parents(job->queue)) return dnnl_runtime_error;
    pthread_mutex_lock(&job->queue->lock);
    const bool waits = !build_has_ended(job->state)
                       && job->task->state == dnnl_cache_build_waiting;
    if (waits) {
        job->priority = priority;
        build_queue_rank_locked(job->queue, job->task);
    }
    pthread_mutex_unlock(&job->queue->lock);
    return waits ? dnnl_success : dnnl_not_required;
}

dnnl_status_t dnnl_cache_build_job_cancel(dnnl_cache_build_job_t job)
{
    struct build_task *dropped = NULL;
    if (job == NULL) return dnnl_invalid_arguments;
    if (is_parents(job->queue)) return dnnl_runtime_error;
    struct dnnl_cache_build_queue *q = job->queue;
    pthread_mutex_lock(&q->lock);
    const bool goes_on = !build_has_ended(job->state);
    if (goes_on) build_queue_cancel_locked(q, job, &dropped);
    pthread_mutex_unlock(&q->lock);
    if (!goes_on) return dnnl_not_required;
    build_job_report(job, dnnl_not_required);
    build_queue_report(q);
    build_task_release(dropped);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_build_job_destroy(dnnl_cache_build_job_t job)
{
    if (job != NULL && !is_parents(job->queue)) build_job_release(job);
    return dnnl_success;
}
