/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_worker.h"

#include "layer/capture/budget.h"
#include "layer/capture/capture.h"
#include "layer/capture/capture_build.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/exit_hook.h"
#include "layer/driver/quirks.h"
#include "layer/settings/settings.h"
#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/thread.h"

#include <stdlib.h>

/* Guards what follows; a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;   /* monotonic clock */
static pthread_cond_t rested; /* the same: there is no in_work */
static struct jobs jobs;
static struct job *in_work; /* the worker's, which frees it */
/* Whose it is, until the worker has let go of it. */
static const struct layer_program *worked_on;
static struct later_forms forms; /* the worker's; jobs_most at most */
static pthread_t worker;
static bool is_running;
static bool is_closing; /* no job is added, and the worker ends */
static bool is_ending;  /* the process does; for good */

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
    (void)thread_condition_init(&wake);
    (void)thread_condition_init(&rested);
}

/* Jobs and worker are the parent's: a child captures only what it has built
 * itself. */
static void after_fork_in_child(void)
{
    free(in_work);
    in_work = NULL;
    worked_on = NULL;
    jobs_forget(&jobs);
    later_forms_forget(&forms);
    is_running = false;
    wake_init();
    exit_hook_after_fork();
    after_fork();
}

/* ---- Forms --------------------------------------------------------------- */

/* Without a worker that could make them they are left to the journal: whoever
 * released the program would wait. */
void capture_worker_hold_forms(struct missing_forms *more)
{
    if (more == NULL) return;
    pthread_mutex_lock(&lock);
    const bool holds = is_running && !is_closing && forms.count < jobs_most;
    if (holds) {
        later_forms_add(&forms, more);
        pthread_cond_signal(&wake);
    }
    pthread_mutex_unlock(&lock);
    if (!holds) missing_forms_end(more, false);
}

/* Makes one without the lock, which the caller has. False: not yet, and
 * *next_ns may be earlier. */
static bool make_form_locked(uint64_t *next_ns)
{
    struct missing_forms *left = later_forms_take(&forms, next_ns);
    if (left == NULL) return false;
    pthread_mutex_unlock(&lock);
    missing_forms_end(left, true);
    pthread_mutex_lock(&lock);
    return true;
}

static struct later_forms take_forms(void)
{
    pthread_mutex_lock(&lock);
    const struct later_forms all = forms;
    forms = (struct later_forms){.first = NULL};
    pthread_mutex_unlock(&lock);
    return all;
}

/* ---- The thread ---------------------------------------------------------- */

/* The job, which is in no list, is one of those that are done at the end.
 * Without the lock: the driver is asked what it is. */
static void make_for_end(struct job *job)
{
    job->is_of_compiled = false;
    job->is_costly = true;
    job->is_urgent = false;
    job->has_no_worker = true;
    job->needs_idle = quirk_needs_idle(job->build->devices[0].device);
}

/* False: too many wait already. */
static bool add_for_end_locked(struct job *job)
{
    if (jobs.without_worker >= jobs_most) return false;
    jobs_add(&jobs, job);
    return true;
}

static void leave_to_journal(struct job *job)
{
    capture_leave_to_journal(job->program, job->build);
    job_put(job);
    free(job);
}

void capture_worker_leave_for_end(struct job *job)
{
    make_for_end(job);
    pthread_mutex_lock(&lock);
    const bool is_left = add_for_end_locked(job);
    pthread_mutex_unlock(&lock);
    if (!is_left) leave_to_journal(job);
}

/* The application has released the program, and has kernels of it, or launches
 * are under way; or it is not known yet where folders of programs are, for
 * which some seconds are time enough. The worker looks again later. True: it is
 * queued again. */
static bool wait_again_locked(struct job *job)
{
    static const uint64_t first_ns = 20000000;
    static const uint64_t longest_ns = UINT64_C(10000000000);
    if (!job->is_of_compiled) return false;
    const bool has_waited_long = job->pause_ns == longest_ns;
    pthread_mutex_unlock(&lock);
    const bool is_free =
            job_is_let_go(job)
            && (has_waited_long || !stand_ins_wait_for_folder(job->build));
    pthread_mutex_lock(&lock);
    if (is_free) return false;
    job->pause_ns = job->pause_ns == 0 ? first_ns : 2 * job->pause_ns;
    if (job->pause_ns > longest_ns) job->pause_ns = longest_ns;
    job->due_ns = clock_ns() + job->pause_ns;
    job->is_urgent = false;
    jobs_add(&jobs, job);
    return true;
}

static void wait_locked(uint64_t next_ns)
{
    (void)thread_condition_wait(
            &wake, &lock, next_ns > 0 ? next_ns : UINT64_MAX);
}

static void rest_locked(void)
{
    in_work = NULL;
    worked_on = NULL;
    pthread_cond_broadcast(&rested);
}

static void *work(void *unused)
{
    enum { niceness = 10 };
    kept_descriptor_note_thread();
    thread_be_nice(niceness);
    pthread_mutex_lock(&lock);
    while (!is_closing) {
        uint64_t next_ns;
        struct missing_forms *left;
        struct job *job = jobs_take(&jobs, clock_ns(), false, &next_ns);
        if (job == NULL) {
            if (!make_form_locked(&next_ns)) wait_locked(next_ns);
            continue;
        }
        in_work = job;
        worked_on = job->program;
        if (wait_again_locked(job)) {
            rest_locked();
            continue;
        }
        pthread_mutex_unlock(&lock);
        const bool is_done = job_do(job, &left);
        capture_worker_hold_forms(left);
        if (!is_done) make_for_end(job);
        pthread_mutex_lock(&lock);
        in_work = NULL;
        if (is_done) {
            free(job);
        } else if (!add_for_end_locked(job)) {
            pthread_mutex_unlock(&lock);
            leave_to_journal(job);
            pthread_mutex_lock(&lock);
        }
        rest_locked();
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static bool start_locked(void)
{
    if (!is_running) is_running = thread_start(&worker, work, NULL);
    return is_running;
}

/* Afterwards no job is running, and none begins. */
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

static void stop_for_good(void)
{
    pthread_mutex_lock(&lock);
    is_ending = true;
    pthread_mutex_unlock(&lock);
    stop();
}

/* ---- Jobs of other threads ----------------------------------------------- */

/* Where the worker must not do it, the job waits for the end of the process or
 * of the last context, or for the application to release the program. */
static bool add_job_locked(struct job *job, bool is_watched)
{
    if (is_closing || (job_waits_for_application(job) && is_watched))
        return false;
    /* With capture_now whoever releases the program waits for its entry. */
    job->has_no_worker = job_is_for_end(job) || layer_settings()->capture_now
                         || !exit_hook_is_set() || !start_locked();
    if (job->has_no_worker && jobs.without_worker == jobs_most) return false;
    jobs_add(&jobs, job);
    if (!job->has_no_worker) pthread_cond_signal(&wake);
    return true;
}

bool capture_worker_add(struct job *job, bool is_watched)
{
    pthread_mutex_lock(&lock);
    const bool is_added = add_job_locked(job, is_watched);
    pthread_mutex_unlock(&lock);
    return is_added;
}

bool capture_worker_has(
        const struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&lock);
    const bool has = jobs_have(&jobs, program, build);
    pthread_mutex_unlock(&lock);
    return has;
}

struct job *capture_worker_make_due(
        const struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&lock);
    struct job *rejected = jobs_make_due(&jobs, program, build);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return rejected;
}

struct job *capture_worker_take_for_anybody(const struct layer_program *program)
{
    pthread_mutex_lock(&lock);
    struct job *job = jobs_take_for_anybody(&jobs, program);
    pthread_mutex_unlock(&lock);
    return job;
}

struct job *capture_worker_take_of_context(cl_context context)
{
    pthread_mutex_lock(&lock);
    struct job *job = jobs_take_of_context(&jobs, context);
    pthread_mutex_unlock(&lock);
    return job;
}

struct job *capture_worker_take_of_program(const struct layer_program *program)
{
    static const uint64_t most_ns = 1000000000;
    const uint64_t until_ns = clock_ns() + most_ns;
    pthread_mutex_lock(&lock);
    const bool is_worker =
            is_running && pthread_equal(worker, pthread_self()) != 0;
    while (!is_worker && worked_on == program
            && thread_condition_wait(&rested, &lock, until_ns))
        continue;
    struct job *job = jobs_take_of_program(&jobs, program);
    pthread_mutex_unlock(&lock);
    return job;
}

/* ---- The end ------------------------------------------------------------- */

static struct job *take_any(void)
{
    uint64_t next_ns;
    pthread_mutex_lock(&lock);
    struct job *job = jobs_take(&jobs, UINT64_MAX, true, &next_ns);
    pthread_mutex_unlock(&lock);
    return job;
}

void capture_worker_do_all(void)
{
    struct budget budget;
    struct job *job;
    struct later_forms all = take_forms();
    budget_init(&budget);
    while ((job = take_any()) != NULL) {
        struct missing_forms *left = NULL;
        if (job->is_costly || !job_do(job, &left))
            budget_add(&budget, job->program, job->build);
        later_forms_add(&all, left);
        free(job);
    }
    budget_spend(&budget);
    later_forms_spend(&all);
}

/* The hook: the main thread ends the process, and nothing is taken down yet. */
static void finish(void)
{
    stop_for_good();
    capture_worker_do_all();
}

static void init(void)
{
    wake_init();
    /* If another thread ends the process: no job begins then. */
    atexit(stop_for_good);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void capture_init(void)
{
    pthread_once(&once, init);
    exit_hook_try(finish);
}

bool capture_is_over(void)
{
    pthread_mutex_lock(&lock);
    const bool is_over = is_ending;
    pthread_mutex_unlock(&lock);
    return is_over;
}

void capture_end(void)
{
    stop();
    capture_worker_do_all();
}

void capture_pause(void)
{
    stop();
}

/* The jobs that waited for the worker have one again. */
void capture_go_on(void)
{
    pthread_mutex_lock(&lock);
    is_closing = is_ending;
    if (!is_closing && (jobs.first != NULL || forms.first != NULL)
            && exit_hook_is_set())
        (void)start_locked();
    pthread_mutex_unlock(&lock);
}
