/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/harvest.h"

#include "layer/capture/budget.h"
#include "layer/capture/capture_build.h"
#include "layer/capture/capture_queue.h"
#include "layer/capture/later_forms.h"
#include "layer/capture/made_files.h"
#include "layer/capture/quiet.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/exit_hook.h"
#include "layer/driver/idle.h"
#include "layer/driver/quirks.h"
#include "layer/programs/lead.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/thread.h"

#include <stdatomic.h>
#include <stdlib.h>

struct job {
    struct job *next;
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    uint64_t due_ns;               /* 0: at once */
    bool needs_idle;               /* not for the worker */
    bool has_no_worker;            /* another thread does it later */
    bool is_urgent; /* the worker's, and the application is done */
    /* It takes long: within a budget at the end, else by the journal. */
    bool is_costly;
    /* Of what the driver has compiled for launches: as late as possible. */
    bool is_of_compiled;
    uint64_t pause_ns; /* until it is looked at again */
};

/* Limits the jobs without a worker, and the urgent ones: an application that
 * builds for ever must not run out of memory. */
enum { most_waiting = 1024 };

/* With so many urgent jobs the worker does not wait for a quiet moment. */
enum { many_urgent = 16 };

/* Guards what follows; a leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake; /* monotonic clock */
static struct job *jobs;
static size_t waiting;           /* jobs without a worker */
static size_t urgent;            /* urgent jobs */
static struct job *in_work;      /* the worker's, which frees it */
static struct later_forms forms; /* the worker's; most_waiting at most */
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
}

/* Jobs and worker are the parent's: a child harvests only what it has built
 * itself. */
static void after_fork_in_child(void)
{
    free(in_work);
    in_work = NULL;
    while (jobs != NULL) {
        struct job *of_parent = jobs;
        jobs = of_parent->next;
        free(of_parent);
    }
    later_forms_forget(&forms);
    waiting = 0;
    urgent = 0;
    is_running = false;
    wake_init();
    exit_hook_after_fork();
    after_fork();
}

static bool is_for_end(const struct job *job)
{
    return job->needs_idle || job->is_costly;
}

/* When the job begins if the application is quiet from quiet_ns on. Other hosts
 * wait for what leads. */
static uint64_t begin_ns(const struct job *job, uint64_t quiet_ns)
{
    return job->due_ns > quiet_ns || atomic_load(&job->build->leads)
                   ? job->due_ns
                   : quiet_ns;
}

/* Takes out the job that begins first; one for the end only if is_end is true,
 * and then without waiting for anything. NULL: none begins now; *next_ns is the
 * time of the next one, 0 if there is none. */
static struct job *take_locked(uint64_t now, bool is_end, uint64_t *next_ns)
{
    struct job **first = NULL;
    const uint64_t quiet_ns =
            is_end || urgent >= many_urgent ? 0 : quiet_from_ns(now);
    *next_ns = 0;
    for (struct job **place = &jobs; *place != NULL; place = &(*place)->next)
        if ((!is_for_end(*place) || is_end)
                && (first == NULL
                        || begin_ns(*place, quiet_ns)
                                   < begin_ns(*first, quiet_ns)))
            first = place;
    if (first == NULL) return NULL;
    struct job *job = *first;
    if (begin_ns(job, quiet_ns) > now) {
        *next_ns = begin_ns(job, quiet_ns);
        return NULL;
    }
    *first = job->next;
    if (job->has_no_worker) waiting--;
    if (job->is_urgent) urgent--;
    return job;
}

static void put(struct layer_program *program, struct build *build)
{
    build_release(build);
    objects_put_program(program);
}

/* No launch can come: the application has neither program nor kernels. */
static bool is_let_go(const struct job *job)
{
    return objects_app_references(job->program) == 0
           && atomic_load(&job->program->kernels) == 0
           && capture_is_ready(job->program, job->build);
}

/* At the end of a process. Drivers let kernels go a moment after their commands
 * have ended. All jobs together wait no longer than that, since the
 * application may wait for the end. */
static void await_launches(const struct job *job)
{
    enum { most_pauses = 20 };
    static atomic_int pauses;
    while (!capture_is_ready(job->program, job->build)
            && atomic_fetch_add(&pauses, 1) < most_pauses)
        clock_sleep_ns(1000000);
}

/* ---- Forms --------------------------------------------------------------- */

/* Without a worker that could make them they are left to the journal: whoever
 * released the program would wait. */
static void hold_forms(struct missing_forms *more)
{
    if (more == NULL) return;
    pthread_mutex_lock(&lock);
    const bool holds = is_running && !is_closing && forms.count < most_waiting;
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

/* ---- Jobs that are done -------------------------------------------------- */

/* False: what the driver has compiled could not be had alone, and the driver
 * compiles more at the end, within a budget. *left: forms that were left out.
 */
static bool do_job(const struct job *job, struct missing_forms **left)
{
    const struct layer_settings *settings = layer_settings();
    bool is_done = false;
    *left = NULL;
    if (job->is_of_compiled) {
        await_launches(job);
        is_done = capture_compiled(job->program, job->build,
                settings->harvest_exit_ns == 0 && !settings->harvest_now);
        if (!is_done && !settings->harvest_now) return false;
    }
    if (!is_done) *left = capture_build(job->program, job->build);
    put(job->program, job->build);
    return true;
}

/* Frees the job if too many wait already: the journal has it. */
static void leave_for_end(struct job *job)
{
    pthread_mutex_lock(&lock);
    const bool has_room = waiting < most_waiting;
    if (has_room) {
        job->is_of_compiled = false;
        job->is_costly = true;
        job->is_urgent = false;
        job->has_no_worker = true;
        job->needs_idle = quirk_needs_idle(job->build->devices[0].device);
        job->next = jobs;
        jobs = job;
        waiting++;
    }
    pthread_mutex_unlock(&lock);
    if (has_room) return;
    capture_leave_to_journal(job->program, job->build);
    put(job->program, job->build);
    free(job);
}

/* The application has released the program, and has kernels of it, or launches
 * are under way: the worker looks again later. True: it is queued again. */
static bool wait_again_locked(struct job *job)
{
    static const uint64_t first_ns = 20000000;
    static const uint64_t longest_ns = UINT64_C(10000000000);
    if (!job->is_of_compiled) return false;
    pthread_mutex_unlock(&lock);
    const bool is_free = is_let_go(job);
    pthread_mutex_lock(&lock);
    if (is_free) return false;
    job->pause_ns = job->pause_ns == 0 ? first_ns : 2 * job->pause_ns;
    if (job->pause_ns > longest_ns) job->pause_ns = longest_ns;
    job->due_ns = clock_ns() + job->pause_ns;
    job->is_urgent = false;
    job->next = jobs;
    jobs = job;
    return true;
}

static void wait_locked(uint64_t next_ns)
{
    (void)thread_condition_wait(
            &wake, &lock, next_ns > 0 ? next_ns : UINT64_MAX);
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
        struct job *job = take_locked(clock_ns(), false, &next_ns);
        if (job == NULL) {
            if (!make_form_locked(&next_ns)) wait_locked(next_ns);
            continue;
        }
        in_work = job;
        if (wait_again_locked(job)) {
            in_work = NULL;
            continue;
        }
        pthread_mutex_unlock(&lock);
        const bool is_done = do_job(job, &left);
        hold_forms(left);
        pthread_mutex_lock(&lock);
        in_work = NULL;
        if (is_done) {
            free(job);
            continue;
        }
        pthread_mutex_unlock(&lock);
        leave_for_end(job);
        pthread_mutex_lock(&lock);
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

/* ---- The end ------------------------------------------------------------- */

static struct job *take_any(void)
{
    uint64_t next_ns;
    pthread_mutex_lock(&lock);
    struct job *job = take_locked(UINT64_MAX, true, &next_ns);
    pthread_mutex_unlock(&lock);
    return job;
}

/* Does all jobs on this thread, those that take long within their budget. */
static void do_all(void)
{
    struct budget budget;
    struct job *job;
    struct later_forms all = take_forms();
    budget_init(&budget);
    while ((job = take_any()) != NULL) {
        struct missing_forms *left = NULL;
        if (job->is_costly || !do_job(job, &left))
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
    do_all();
}

static void init(void)
{
    wake_init();
    /* If another thread ends the process: no job begins then. */
    atexit(stop_for_good);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void harvest_init(void)
{
    pthread_once(&once, init);
    exit_hook_try(finish);
}

bool harvest_is_over(void)
{
    pthread_mutex_lock(&lock);
    const bool is_over = is_ending;
    pthread_mutex_unlock(&lock);
    return is_over;
}

void harvest_end(void)
{
    stop();
    do_all();
}

void harvest_pause(void)
{
    stop();
}

/* The jobs that waited for the worker have one again. */
void harvest_go_on(void)
{
    pthread_mutex_lock(&lock);
    is_closing = is_ending;
    if (!is_closing && (jobs != NULL || forms.first != NULL)
            && exit_hook_is_set())
        (void)start_locked();
    pthread_mutex_unlock(&lock);
}

/* It holds the context until then. */
static bool waits_for_application(const struct job *job)
{
    return job->needs_idle || job->is_of_compiled;
}

/* Where the worker must not do it, the job waits for the end of the process or
 * of the last context, or for the application to release the program. */
static bool add_job_locked(struct job *job, bool is_watched)
{
    if (is_closing || (waits_for_application(job) && is_watched)) return false;
    /* With harvest_now whoever releases the program waits for its entry. */
    job->has_no_worker = is_for_end(job) || layer_settings()->harvest_now
                         || !exit_hook_is_set() || !start_locked();
    if (job->has_no_worker) {
        if (waiting == most_waiting) return false;
        waiting++;
    }
    job->next = jobs;
    jobs = job;
    if (!job->has_no_worker) pthread_cond_signal(&wake);
    return true;
}

/* Can what the driver compiled for launches be had, or noted? The latter does
 * not need the driver, and is of no use if it is asked for all at the end. */
static bool is_compiled_known(const struct build *build)
{
    return stand_ins_suit(build)
           || (layer_settings()->harvest_exit_ns == 0
                   && !layer_settings()->harvest_now && made_files_suit(build));
}

static bool add_job(struct layer_program *program, struct build *build)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return false;
    *job = (struct job){.program = program,
            .build = build,
            /* Other hosts wait for what leads. */
            .due_ns = atomic_load(&build->leads)
                              ? 0
                              : clock_ns()
                                        + layer_settings()->harvest_seconds
                                                  * UINT64_C(1000000000),
            .is_of_compiled = is_compiled_known(build)};
    if (job->is_of_compiled) {
        job->due_ns = UINT64_MAX;
    } else {
        job->needs_idle = quirk_needs_idle(build->devices[0].device);
        job->is_costly = !layer_settings()->harvest_now
                         && (job->needs_idle || atomic_load(&build->is_noted));
    }
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

/* There will be no time at the end: nothing is held at the driver. */
static bool is_for_journal_alone(const struct build *build)
{
    if (layer_settings()->harvest_exit_ns > 0 || !atomic_load(&build->is_noted)
            || is_compiled_known(build))
        return false;
    for (size_t i = 0; i < build->count; i++)
        if (!build->devices[i].is_kept) statistics_count_deferred();
    return true;
}

/* What the driver linked here may be of another ID: a worker, where its cache
 * is off, links it. */
static bool is_for_worker(struct build *build)
{
    static const char why[] = "PoCL may have linked it from its own cache";
    if (build->kind != build_linked || build->is_loaded
            || !quirk_links_from_cache(build->devices[0].device))
        return false;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        if (d->is_kept) continue;
        if (atomic_load(&build->is_noted)) {
            statistics_count_deferred();
        } else {
            statistics_count_not_kept(layer_reason_unsupported, 0);
            trace_not_kept(layer_reason_unsupported, why, d->id_size, d->id);
        }
    }
    lead_end(build);
    return true;
}

/* What could be had of what is compiled is in the journal. */
static void give_up(struct layer_program *program, struct build *build)
{
    if (stand_ins_suit(build))
        capture_leave_to_journal(program, build);
    else
        capture_queue_give_up(program, build);
}

/* An entry removed for a call that the driver then rejected still has its job
 * queued. */
void harvest_expect(struct layer_program *program, struct build *build)
{
    harvest_init();
    if (is_for_journal_alone(build) || is_for_worker(build)) return;
    if (!capture_queue_add(program, build)) return;
    if (!has_job(program, build) && !add_job(program, build))
        give_up(program, build);
    /* Other hosts wait for it, and no worker does it soon. */
    else if (atomic_load(&build->leads) && !exit_hook_is_set())
        hold_forms(capture_build(program, build));
}

/* False: the limit is reached, or the journal is to have it: nothing is held at
 * the driver for that. */
static bool make_due_locked(struct job *job)
{
    job->due_ns = 0;
    if (job->is_costly && !job->needs_idle) return false;
    if (job->has_no_worker || job->is_urgent) return true;
    if (urgent == most_waiting) return false;
    urgent++;
    job->is_urgent = true;
    return true;
}

/* Returns the jobs that are not to be done, taken out. */
static struct job *make_all_due_locked(
        const struct layer_program *program, const struct build *build)
{
    struct job *rejected = NULL;
    struct job **place = &jobs;
    while (*place != NULL) {
        struct job *job = *place;
        if (!is_of(job, program, build) || make_due_locked(job)) {
            place = &job->next;
            continue;
        }
        *place = job->next;
        if (job->has_no_worker) waiting--;
        job->next = rejected;
        rejected = job;
    }
    return rejected;
}

void harvest_soon(struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&lock);
    struct job *rejected = make_all_due_locked(program, build);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    while (rejected != NULL) {
        struct job *job = rejected;
        rejected = job->next;
        if (job->is_costly || job->is_of_compiled)
            capture_leave_to_journal(program, job->build);
        else
            capture_queue_give_up(program, job->build);
        put(program, job->build);
        free(job);
    }
}

/* Takes out a job of the program that any thread may do now. */
static struct job *take_without_worker(const struct layer_program *program)
{
    pthread_mutex_lock(&lock);
    struct job **place = &jobs;
    while (*place != NULL
            && ((*place)->program != program
                    || (!layer_settings()->harvest_now
                            && (!(*place)->has_no_worker
                                    || is_for_end(*place)))))
        place = &(*place)->next;
    struct job *job = *place;
    if (job != NULL) {
        *place = job->next;
        if (job->has_no_worker) waiting--;
        if (job->is_urgent) urgent--;
    }
    pthread_mutex_unlock(&lock);
    return job;
}

/* Takes out a job of the context that waits for an idle driver, or for the
 * application. */
static struct job *take_waiting(cl_context context)
{
    pthread_mutex_lock(&lock);
    struct job **place = &jobs;
    while (*place != NULL
            && !(waits_for_application(*place)
                    && (*place)->program->context == context))
        place = &(*place)->next;
    struct job *job = *place;
    if (job != NULL) {
        *place = job->next;
        if (job->has_no_worker) waiting--;
        if (job->is_urgent) urgent--;
    }
    pthread_mutex_unlock(&lock);
    return job;
}

void harvest_drop(cl_context context)
{
    struct job *job;
    while ((job = take_waiting(context)) != NULL) {
        if (job->is_of_compiled)
            capture_leave_to_journal(job->program, job->build);
        else
            capture_queue_give_up(job->program, job->build);
        put(job->program, job->build);
        free(job);
    }
}

void harvest_released(struct layer_program *program)
{
    struct job *job;
    struct missing_forms *left;
    harvest_init();
    harvest_soon(program, NULL);
    while ((!exit_hook_is_set() || layer_settings()->harvest_now)
            && (job = take_without_worker(program)) != NULL) {
        if (do_job(job, &left))
            free(job);
        else
            leave_for_end(job);
        hold_forms(left);
    }
    objects_put_program(program);
}

void harvest_idle(void)
{
    harvest_init();
    if (idle_is_certain() && !exit_hook_is_set()) do_all();
}
