/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/queue/build_queue.h"

#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/thread.h"

#include <stdlib.h>
#include <utlist.h>

/* ---- Life ---------------------------------------------------------------- */

static bool is_last(atomic_int *references)
{
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

struct build_task *build_task_create(
        const struct dnnl_cache_program_desc *desc, struct buffer *key)
{
    struct build_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        buffer_fini(key);
        return NULL;
    }
    atomic_init(&task->references, 1);
    task->desc = program_desc_retain(desc);
    task->key = *key; /* moved */
    task->state = dnnl_cache_build_waiting;
    return task;
}

void build_task_release(struct build_task *task)
{
    if (task == NULL || !is_last(&task->references)) return;
    program_made_fini(&task->made);
    buffer_fini(&task->key);
    dnnl_cache_program_desc_destroy(task->desc);
    free(task);
}

void build_job_release(struct dnnl_cache_build_job *job)
{
    if (!is_last(&job->references)) return;
    build_task_release(job->task);
    dnnl_cache_program_desc_destroy(job->desc);
    build_queue_release(job->queue);
    free(job);
}

void build_queue_release(struct dnnl_cache_build_queue *q)
{
    if (!is_last(&q->references)) return;
    pthread_cond_destroy(&q->has_ended);
    pthread_cond_destroy(&q->has_work);
    pthread_mutex_destroy(&q->lock);
    build_processes_fini(&q->processes);
    free(q->threads);
    free(q);
}

/* ---- The lists ----------------------------------------------------------- */

struct build_task *build_queue_find_locked(
        struct dnnl_cache_build_queue *q, const struct buffer *key)
{
    struct build_task *found = NULL;
    if (key->size > 0) HASH_FIND(hh, q->by_key, key->data, key->size, found);
    return found;
}

/* Behind those that are as urgent. Most come last: it looks from there. */
static void enter_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    struct build_task *at = q->waiting != NULL ? q->waiting->prev : NULL;
    while (at != NULL && at->priority < task->priority)
        at = at != q->waiting ? at->prev : NULL;
    if (at != NULL)
        DL_APPEND_ELEM(q->waiting, at, task);
    else
        DL_PREPEND(q->waiting, task);
}

static int priority_of(const struct build_task *task)
{
    int highest = task->jobs->priority;
    const struct dnnl_cache_build_job *job;
    LL_FOREACH(task->jobs, job)
    {
        if (job->priority > highest) highest = job->priority;
    }
    return highest;
}

void build_queue_add_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    if (task->key.size > 0)
        HASH_ADD_KEYPTR(hh, q->by_key, task->key.data, task->key.size, task);
    enter_locked(q, task);
    q->waiting_tasks++;
    pthread_cond_signal(&q->has_work);
}

void build_queue_rank_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    const int priority = priority_of(task);
    if (priority == task->priority) return;
    DL_DELETE(q->waiting, task);
    task->priority = priority;
    enter_locked(q, task);
}

void build_queue_join_locked(struct dnnl_cache_build_queue *q,
        struct build_task *task, struct dnnl_cache_build_job *job)
{
    const bool waits = task->state == dnnl_cache_build_waiting;
    atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
    job->task = task;
    LL_PREPEND(task->jobs, job);
    task->job_count++;
    q->counts.submitted++;
    ++*(waits ? &q->counts.waiting : &q->counts.building);
    if (waits) build_queue_rank_locked(q, task);
}

/* The builder has the queue's reference from now on. */
void build_queue_take_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    DL_DELETE(q->waiting, task);
    DL_APPEND(q->building, task);
    q->waiting_tasks--;
    task->state = dnnl_cache_build_building;
    q->counts.waiting -= task->job_count;
    q->counts.building += task->job_count;
}

static void forget_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    /* Not in the table for lack of memory: it has no handle there. */
    if (task->hh.tbl != NULL) HASH_DELETE(hh, q->by_key, task);
}

void build_queue_cancel_locked(struct dnnl_cache_build_queue *q,
        struct dnnl_cache_build_job *job, struct build_task **dropped)
{
    struct build_task *task = job->task;
    const bool waits = task->state == dnnl_cache_build_waiting;
    *dropped = NULL;
    LL_DELETE(task->jobs, job);
    task->job_count--;
    job->state = dnnl_cache_build_cancelled;
    --*(waits ? &q->counts.waiting : &q->counts.building);
    q->counts.cancelled++;
    if (waits && task->jobs != NULL) build_queue_rank_locked(q, task);
    if (waits && task->jobs == NULL) {
        DL_DELETE(q->waiting, task);
        q->waiting_tasks--;
        forget_locked(q, task);
        task->state = dnnl_cache_build_cancelled;
        *dropped = task;
    }
    pthread_cond_broadcast(&q->has_ended);
}

/* ---- Callbacks ----------------------------------------------------------- */

void build_job_report(struct dnnl_cache_build_job *job, dnnl_status_t status)
{
    if (job->callback != NULL) job->callback(job, status, job->user);
    build_job_release(job);
}

/* As if the rest took as long as the builds so far. */
static uint64_t estimate_locked(const struct dnnl_cache_build_queue *q)
{
    const double left = (double)(q->counts.waiting + q->counts.building);
    const uint32_t builders = q->started > 0 ? q->started : 1;
    if (q->built == 0) return 0;
    return (uint64_t)(left * (double)q->built_ns / (double)q->built
                      / (double)builders);
}

void build_queue_progress_locked(const struct dnnl_cache_build_queue *q,
        dnnl_cache_build_progress_t *progress)
{
    *progress = q->counts;
    progress->struct_size = sizeof *progress;
    progress->left_ns = estimate_locked(q);
}

void build_queue_report(struct dnnl_cache_build_queue *q)
{
    dnnl_cache_build_progress_t progress;
    if (q->progress == NULL) return;
    pthread_mutex_lock(&q->lock);
    build_queue_progress_locked(q, &progress);
    pthread_mutex_unlock(&q->lock);
    q->progress(&progress, q->user);
}

/* ---- Building ------------------------------------------------------------ */

/* Gives the jobs of a task that was built their result. */
static struct dnnl_cache_build_job *end_task(
        struct dnnl_cache_build_queue *q, struct build_task *task)
{
    const dnnl_cache_build_state_t state = task->status == dnnl_success
                                                   ? dnnl_cache_build_done
                                                   : dnnl_cache_build_failed;
    struct dnnl_cache_build_job *job;
    pthread_mutex_lock(&q->lock);
    struct dnnl_cache_build_job *ended = task->jobs;
    LL_FOREACH(ended, job)
    {
        job->state = state;
    }
    task->jobs = NULL;
    task->state = state;
    DL_DELETE(q->building, task);
    forget_locked(q, task);
    q->counts.building -= task->job_count;
    *(state == dnnl_cache_build_done ? &q->counts.done : &q->counts.failed) +=
            task->job_count;
    q->built++;
    q->built_ns += task->end_ns - task->made.start_ns;
    q->counts.by_processes += task->by_process;
    pthread_cond_broadcast(&q->has_ended);
    pthread_mutex_unlock(&q->lock);
    return ended;
}

void build_task_run(struct dnnl_cache_build_queue *q, struct build_task *task)
{
    struct dnnl_cache_build_job *job;
    struct dnnl_cache_build_job *following;
    work_begin(&task->work);
    const size_t before = build_process_count();
    task->status = program_make(task->desc, &task->made);
    task->by_process = build_process_count() > before;
    task->end_ns = clock_ns();
    work_end(&task->work);
    struct dnnl_cache_build_job *ended = end_task(q, task);
    LL_FOREACH_SAFE(ended, job, following)
    {
        if (task->status != dnnl_success)
            program_desc_note_refusal(
                    job->desc, shared_text_retain(task->made.note));
        build_job_report(job, task->status);
    }
    build_queue_report(q);
    build_task_release(task);
}

/* ---- Workers ------------------------------------------------------------- */

/* The queue that the thread is a worker of. */
static _Thread_local const struct dnnl_cache_build_queue *employer;

bool build_queue_is_worker(const struct dnnl_cache_build_queue *q)
{
    return employer == q;
}

static struct build_task *next_task(struct dnnl_cache_build_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->idle++;
    while (q->waiting == NULL && !q->is_ending)
        pthread_cond_wait(&q->has_work, &q->lock);
    q->idle--;
    struct build_task *task = q->waiting;
    if (task != NULL) build_queue_take_locked(q, task);
    pthread_mutex_unlock(&q->lock);
    return task;
}

static void *work(void *arg)
{
    struct dnnl_cache_build_queue *q = arg;
    struct build_task *task;
    struct build_process process = {.all = &q->processes};
    employer = q;
    kept_descriptor_note_thread();
    while ((task = next_task(q)) != NULL) {
        build_process_use(&process, task->desc);
        build_task_run(q, task);
        build_process_use(NULL, NULL);
    }
    build_process_end(&process);
    return NULL;
}

static bool start_locked(struct dnnl_cache_build_queue *q)
{
    const bool is_started = thread_start(&q->threads[q->started], work, q);
    if (is_started) q->started++;
    return is_started;
}

bool build_queue_staff_locked(struct dnnl_cache_build_queue *q)
{
    if (q->started < q->workers && q->waiting_tasks >= q->idle)
        (void)start_locked(q);
    return q->started > 0;
}
