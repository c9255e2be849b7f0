/* SPDX-License-Identifier: Apache-2.0 */
#include "harvest.h"

#include "calls/exit_hook.h"
#include "clock.h"
#include "driver/idle.h"
#include "driver/quirks.h"
#include "keep.h"
#include "storage/settings.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct job {
    struct job *next;
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    uint64_t due_ns;               /* 0: at once */
    bool needs_idle;               /* not for the worker */
    bool is_left;                  /* there is no worker that does it */
    bool is_past;                  /* the worker's; nobody else uses it */
};

/* What waits for the end, or the application, is not freed, nor is what the
 * application has done with before the worker comes to it: one that builds for
 * ever must not run out of memory by that. Of either. */
enum { most_waiting = 1024 };

/* Guards what follows; a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake; /* monotonic clock */
static struct job *jobs;
static size_t waiting;      /* jobs that are left */
static size_t past;         /* jobs that are past */
static struct job *in_work; /* the worker's, which frees it */
static pthread_t worker;
static bool is_running;
static bool is_closing;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void wake_init(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* The parent's work is the parent's, and so is its worker: the driver is not
 * asked for anything in a child that only happens to end. What a child builds
 * itself is its own to keep. */
static void after_fork_in_child(void)
{
    free(in_work);
    in_work = NULL;
    while (jobs != NULL) {
        struct job *of_parent = jobs;
        jobs = of_parent->next;
        free(of_parent);
    }
    waiting = 0;
    past = 0;
    is_running = false;
    wake_init();
    exit_hook_after_fork();
    after_fork();
}

/* Takes out the job that is due first; those for an idle driver only if idle is
 * true. NULL: none is; *next_ns is when the next will be, 0 if there is none.
 */
static struct job *take_locked(uint64_t now, bool idle, uint64_t *next_ns)
{
    struct job **first = NULL;
    *next_ns = 0;
    for (struct job **place = &jobs; *place != NULL; place = &(*place)->next)
        if ((!(*place)->needs_idle || idle)
                && (first == NULL || (*place)->due_ns < (*first)->due_ns))
            first = place;
    if (first == NULL) return NULL;
    struct job *job = *first;
    if (job->due_ns > now) {
        *next_ns = job->due_ns;
        return NULL;
    }
    *first = job->next;
    if (job->is_left) waiting--;
    if (job->is_past) past--;
    return job;
}

static void put(struct layer_program *program, struct build *build)
{
    build_release(build);
    objects_put_program(program);
}

static void do_job(const struct job *job)
{
    keep_build(job->program, job->build);
    put(job->program, job->build);
}

static void wait_locked(uint64_t next_ns)
{
    if (next_ns == 0) {
        pthread_cond_wait(&wake, &lock);
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)(next_ns / 1000000000u),
            .tv_nsec = (long)(next_ns % 1000000000u)};
    pthread_cond_timedwait(&wake, &lock, &until);
}

static void *work(void *unused)
{
    enum { niceness = 10 };
    setpriority(PRIO_PROCESS, (id_t)gettid(), niceness);
    pthread_mutex_lock(&lock);
    while (!is_closing) {
        uint64_t next_ns;
        struct job *job = take_locked(clock_now_ns(), false, &next_ns);
        if (job == NULL) {
            wait_locked(next_ns);
            continue;
        }
        in_work = job;
        pthread_mutex_unlock(&lock);
        do_job(job);
        pthread_mutex_lock(&lock);
        in_work = NULL;
        free(job);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* The application's signals are not for this thread. */
static bool start_locked(void)
{
    sigset_t all;
    sigset_t before;
    if (is_running) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_running = pthread_create(&worker, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}

/* No job is begun any more, and none is running. */
static void stop(void)
{
    pthread_mutex_lock(&lock);
    const bool was_running = is_running;
    is_closing = true;
    is_running = false;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    if (was_running) pthread_join(worker, NULL);
}

/* All that is left, on this thread. */
static void do_all(void)
{
    for (;;) {
        uint64_t next_ns;
        pthread_mutex_lock(&lock);
        struct job *job = take_locked(UINT64_MAX, true, &next_ns);
        pthread_mutex_unlock(&lock);
        if (job == NULL) return;
        do_job(job);
        free(job);
    }
}

/* The hook: the main thread ends the process, and all is still there. */
static void finish(void)
{
    stop();
    do_all();
}

static void init(void)
{
    wake_init();
    /* For who ends the process from another thread: nothing is begun then. */
    atexit(stop);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void harvest_init(void)
{
    pthread_once(&once, init);
    exit_hook_try(finish);
}

/* Where the worker may not ask, the job waits for the end, for the last
 * context's, or for the application to release the program. */
static bool add_job_locked(struct job *job, bool is_watched)
{
    if (is_closing || (job->needs_idle && is_watched)) return false;
    job->is_left = job->needs_idle || !exit_hook_is_set() || !start_locked();
    if (job->is_left) {
        if (waiting == most_waiting) return false;
        waiting++;
    }
    job->next = jobs;
    jobs = job;
    if (!job->is_left) pthread_cond_signal(&wake);
    return true;
}

static bool add_job(struct layer_program *program, struct build *build)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return false;
    *job = (struct job){.program = program,
            .build = build,
            .due_ns =
                    clock_now_ns()
                    + layer_settings()->harvest_seconds * UINT64_C(1000000000),
            .needs_idle = quirk_needs_idle(build->devices[0].device)};
    const bool is_watched = idle_is_watched(program->context);
    build_hold(build);
    objects_hold_program(program);
    pthread_mutex_lock(&lock);
    const bool is_added = add_job_locked(job, is_watched);
    pthread_mutex_unlock(&lock);
    if (is_added) return true;
    put(program, build);
    free(job);
    return false;
}

/* Of the program's build; NULL: of any. */
static bool is_of(const struct job *job, const struct layer_program *program,
        const struct build *build)
{
    return job->program == program && (build == NULL || job->build == build);
}

static bool has_job(
        const struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&lock);
    const struct job *job = jobs;
    while (job != NULL && !is_of(job, program, build))
        job = job->next;
    pthread_mutex_unlock(&lock);
    return job != NULL;
}

/* One that waited before, and was taken out for a call that the driver refused,
 * has its job yet. */
void harvest_expect(struct layer_program *program, struct build *build)
{
    harvest_init();
    if (!keep_expect(program, build)) return;
    if (!has_job(program, build) && !add_job(program, build))
        keep_give_up(program, build);
}

/* False: there are too many. */
static bool hurry_locked(struct job *job)
{
    job->due_ns = 0;
    if (job->is_left || job->is_past) return true;
    if (past == most_waiting) return false;
    past++;
    job->is_past = true;
    return true;
}

/* Returns the jobs that are too many, taken out. */
static struct job *hurry_all_locked(
        const struct layer_program *program, const struct build *build)
{
    struct job *too_many = NULL;
    struct job **place = &jobs;
    while (*place != NULL) {
        struct job *job = *place;
        if (!is_of(job, program, build) || hurry_locked(job)) {
            place = &job->next;
            continue;
        }
        *place = job->next;
        job->next = too_many;
        too_many = job;
    }
    return too_many;
}

void harvest_hurry(struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&lock);
    struct job *too_many = hurry_all_locked(program, build);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    while (too_many != NULL) {
        struct job *job = too_many;
        too_many = job->next;
        keep_give_up(program, job->build);
        put(program, job->build);
        free(job);
    }
}

/* Takes out a job of the program that any thread may do. */
static struct job *take_left(const struct layer_program *program)
{
    pthread_mutex_lock(&lock);
    struct job **place = &jobs;
    while (*place != NULL
            && ((*place)->program != program || !(*place)->is_left
                    || (*place)->needs_idle))
        place = &(*place)->next;
    struct job *job = *place;
    if (job != NULL) {
        *place = job->next;
        waiting--;
    }
    pthread_mutex_unlock(&lock);
    return job;
}

/* Takes out a job of the context that waits for an idle driver. */
static struct job *take_waiting(cl_context context)
{
    pthread_mutex_lock(&lock);
    struct job **place = &jobs;
    while (*place != NULL
            && !((*place)->needs_idle && (*place)->program->context == context))
        place = &(*place)->next;
    struct job *job = *place;
    if (job != NULL) {
        *place = job->next;
        waiting--;
    }
    pthread_mutex_unlock(&lock);
    return job;
}

void harvest_drop(cl_context context)
{
    struct job *job;
    while ((job = take_waiting(context)) != NULL) {
        keep_give_up(job->program, job->build);
        put(job->program, job->build);
        free(job);
    }
}

void harvest_released(struct layer_program *program)
{
    struct job *job;
    harvest_init();
    harvest_hurry(program, NULL);
    while (!exit_hook_is_set() && (job = take_left(program)) != NULL) {
        do_job(job);
        free(job);
    }
    objects_put_program(program);
}

void harvest_idle(void)
{
    harvest_init();
    if (idle_is_certain() && !exit_hook_is_set()) do_all();
}
