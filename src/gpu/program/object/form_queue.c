/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/form_queue.h"

#include "src/common/log.h"
#include "src/gpu/engine/context_state.h"
#include "src/gpu/engine/exit_hook.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/main_end.h"
#include "src/platform/thread.h"

#include <stdlib.h>

enum {
    /* Of jobs that wait, and of their entries: who compiles for ever must not
     * run out of memory. */
    most_jobs = 1024,
    most_bytes = 64 << 20,
    /* With so many jobs the thread does not wait for a quiet moment. */
    many_jobs = 16,
    niceness = 10,
    moment_ns = 50000000
};

/* Of a job that a thread is doing; on its stack. */
struct task {
    struct task *next;
    const struct store *store; /* of the job, as the context: to compare */
    cl_context context;
    pthread_t thread;
};

/* What the last engine, or who ends the process, has for the jobs left. */
static const uint64_t patience_ns = UINT64_C(10000000000);

static long process; /* that has the thread; set once, before is_open */
static atomic_bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Guards what follows; leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work; /* on the clock of clock_ns() */
static pthread_cond_t has_ended = PTHREAD_COND_INITIALIZER; /* a task has */
static struct form_job *jobs; /* the oldest first */
static struct form_job **last = &jobs;
static size_t job_count;
static size_t job_bytes;
static struct task *tasks;
static pthread_t thread;
static bool is_running;
static bool is_closing; /* for good: no job is taken any more */

/* ---- A quiet moment ------------------------------------------------------ */

static atomic_int calls;
static atomic_uint_least64_t ended_ns; /* the last one that did */

void form_queue_call_begin(void)
{
    atomic_fetch_add(&calls, 1);
}

void form_queue_call_end(void)
{
    atomic_store(&ended_ns, clock_ns());
    atomic_fetch_sub(&calls, 1);
}

static uint64_t quiet_from_ns(void)
{
    return (atomic_load(&calls) > 0 ? clock_ns() : atomic_load(&ended_ns))
           + moment_ns;
}

/* ---- Jobs ---------------------------------------------------------------- */

/* Whose jobs are meant; all of them if neither is set. */
struct owner {
    const struct store *store;
    cl_context context;
};

static bool owns(const struct owner *owner, const struct store *store,
        cl_context context)
{
    return (owner->store == NULL || store == owner->store)
           && (owner->context == NULL || context == owner->context);
}

/* The owner's oldest job, taken out; NULL: there is none. */
static struct form_job *take_locked(const struct owner *owner)
{
    struct form_job **place = &jobs;
    while (*place != NULL && !owns(owner, (*place)->store, (*place)->context))
        place = &(*place)->next;
    struct form_job *job = *place;
    if (job == NULL) return NULL;
    *place = job->next;
    if (last == &job->next) last = place;
    job_count--;
    job_bytes -= job->size;
    return job;
}

/* Without the lock, which the caller has. */
static void do_locked(struct form_job *job)
{
    struct task task = {.next = tasks,
            .store = job->store,
            .context = job->context,
            .thread = pthread_self()};
    tasks = &task;
    pthread_mutex_unlock(&lock);
    form_job_do(job);
    form_job_destroy(job);
    pthread_mutex_lock(&lock);
    struct task **place = &tasks;
    while (*place != &task)
        place = &(*place)->next;
    *place = task.next;
    pthread_cond_broadcast(&has_ended);
}

/* True if another thread does a job of the owner's. */
static bool is_being_done_locked(const struct owner *owner)
{
    const struct task *task = tasks;
    while (task != NULL
            && (pthread_equal(task->thread, pthread_self())
                    || !owns(owner, task->store, task->context)))
        task = task->next;
    return task != NULL;
}

static bool is_ours(void)
{
    return atomic_load(&is_open) && process == process_number();
}

/* Does the owner's jobs until then, drops the rest, and waits for those that
 * others do. */
static void finish(const struct owner *owner, uint64_t until_ns)
{
    struct form_job *job;
    int cancel_state;
    if (!is_ours()) return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&lock);
    while ((job = take_locked(owner)) != NULL) {
        if (clock_ns() < until_ns) {
            do_locked(job);
            continue;
        }
        pthread_mutex_unlock(&lock);
        form_job_destroy(job);
        pthread_mutex_lock(&lock);
    }
    while (is_being_done_locked(owner))
        pthread_cond_wait(&has_ended, &lock);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel_state, NULL);
}

static uint64_t patience(void)
{
    return clock_ns() + patience_ns;
}

void form_queue_finish_context(cl_context context)
{
    const struct owner owner = {.context = context};
    finish(&owner, patience());
}

/* A callback of the store's that takes it away calls none itself. */
static void finish_store(struct store *store, bool is_detached)
{
    const struct owner owner = {.store = store};
    finish(&owner, is_detached || store_is_inside() ? 0 : patience());
}

/* ---- The thread ---------------------------------------------------------- */

static void *work(void *unused)
{
    static const struct owner all = {.store = NULL};
    kept_descriptor_note_thread();
    log_note_own_thread();
    thread_be_nice(niceness);
    pthread_mutex_lock(&lock);
    while (!is_closing) {
        const uint64_t quiet_ns = job_count < many_jobs ? quiet_from_ns() : 0;
        if (jobs == NULL)
            pthread_cond_wait(&has_work, &lock);
        else if (quiet_ns > clock_ns())
            (void)thread_condition_wait(&has_work, &lock, quiet_ns);
        else
            do_locked(take_locked(&all));
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static bool start_locked(void)
{
    if (!is_running && !is_closing)
        is_running = thread_start(&thread, work, NULL);
    return is_running;
}

static void stop(void)
{
    if (!is_ours()) return;
    pthread_mutex_lock(&lock);
    const bool was_running = is_running;
    is_closing = true;
    is_running = false;
    pthread_cond_signal(&has_work);
    pthread_mutex_unlock(&lock);
    if (was_running) (void)pthread_join(thread, NULL);
}

/* The main thread ends the process; nothing is taken down yet. */
static void end(void)
{
    static const struct owner all = {.store = NULL};
    exit_hook_run(); /* may add jobs */
    finish(&all, patience());
    stop();
}

static void open_once(void)
{
    process = process_number();
    if (thread_condition_init(&has_work) != 0 || atexit(stop) != 0) return;
    store_set_leave(finish_store);
    atomic_store(&is_open, true);
}

/* The first call on the main thread may come after one on another. */
static void hook_end(void)
{
    static struct main_end at_end = {end};
    static atomic_bool is_hooked;
    if (!main_end_is_here() || atomic_exchange(&is_hooked, true)) return;
    (void)main_end_call(&at_end);
}

bool form_queue_takes(cl_device_id device, const struct store *store)
{
    const struct finaliser *finaliser = finaliser_of(device);
    if (finaliser == NULL || finaliser->replaces || finaliser_takes_large()
            || store->callbacks.put == NULL || store_is_inside())
        return false;
    (void)pthread_once(&once, open_once);
    if (!is_ours()) return false;
    hook_end();
    pthread_mutex_lock(&lock);
    const bool takes =
            job_count < most_jobs && job_bytes < most_bytes && start_locked();
    pthread_mutex_unlock(&lock);
    return takes;
}

/* Where no engine is left nobody is going to ask for the job's end. */
void form_queue_add(const struct form_job *given)
{
    if (!is_ours()) return;
    struct form_job *job = form_job_create(given);
    if (job == NULL) return;
    pthread_mutex_lock(&lock);
    const bool is_added = !is_closing;
    if (is_added) {
        *last = job;
        last = &job->next;
        job_count++;
        job_bytes += job->size;
        pthread_cond_signal(&has_work);
    }
    pthread_mutex_unlock(&lock);
    if (!is_added)
        form_job_destroy(job);
    else if (!context_state_is_there(given->context))
        form_queue_finish_context(given->context);
}
