/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    max_workers = 64,
    line_size = 64,
    answer_fd = 3,
    no_job = -1,
    pause_ms = 20 /* before a job that may not begin is asked for again */
};

struct worker {
    pid_t pid;
    int orders;  /* to write to; -1: closed */
    int answers; /* to read from; -1: it is gone */
    int job;     /* what it is at, or no_job */
};

/* Followed by a blob_list, of what the store did not keep. */
struct answer {
    int32_t step;
    int32_t status;
    uint64_t compiled; /* programs, for this order */
};

struct pool {
    int count; /* of workers */
    struct worker workers[max_workers];
    const struct workers_jobs *jobs;
    bool *is_begun; /* by job */
    unsigned long long compiled;
};

/* ---- Processes ----------------------------------------------------------- */

/* The same arguments and, before them, --worker: a "--" may be among them. */
static char **make_arguments(const struct options *options, char *number)
{
    static char flag[] = "--worker";
    const size_t n = (size_t)options->argc;
    char **arguments = calloc(n + 3, sizeof *arguments);
    if (arguments == NULL) return NULL;
    arguments[0] = options->argv[0];
    arguments[1] = flag;
    arguments[2] = number;
    memcpy(arguments + 3, options->argv + 1, (n - 1) * sizeof *arguments);
    return arguments;
}

static bool spawn(struct worker *w, char **arguments, int orders, int answers)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    /* What drivers and libraries print is not to be taken for results. */
    const bool ok =
            posix_spawn_file_actions_adddup2(&actions, orders, STDIN_FILENO)
                    == 0
            && posix_spawn_file_actions_adddup2(&actions, answers, answer_fd)
                       == 0
            && posix_spawn_file_actions_adddup2(
                       &actions, STDERR_FILENO, STDOUT_FILENO)
                       == 0
            && posix_spawn(&w->pid, "/proc/self/exe", &actions, NULL, arguments,
                       environ)
                       == 0;
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool start(struct worker *w, char **arguments)
{
    int orders[2], answers[2];
    *w = (struct worker){.orders = -1, .answers = -1, .job = no_job};
    if (pipe2(orders, O_CLOEXEC) != 0) return false;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        close(orders[0]);
        close(orders[1]);
        return false;
    }
    const bool ok = spawn(w, arguments, orders[0], answers[1]);
    close(orders[0]);
    close(answers[1]);
    if (!ok) {
        close(orders[1]);
        close(answers[0]);
        return false;
    }
    w->orders = orders[1];
    w->answers = answers[0];
    return true;
}

static void dismiss(struct worker *w)
{
    if (w->orders >= 0) close(w->orders);
    w->orders = -1;
}

static void bury(struct worker *w)
{
    dismiss(w);
    if (w->answers >= 0) close(w->answers);
    w->answers = -1;
    waitpid(w->pid, NULL, 0);
}

/* ---- Orders and answers -------------------------------------------------- */

/* A job that may begin, or no_job. *left tells whether there are others. */
static int next_job(struct pool *pool, bool *left)
{
    const struct workers_jobs *jobs = pool->jobs;
    *left = false;
    for (int i = 0; i < jobs->count; i++) {
        if (pool->is_begun[i]) continue;
        *left = true;
        if (!jobs->begin(jobs->user, i)) continue;
        pool->is_begun[i] = true;
        return i;
    }
    return no_job;
}

/* Gives a worker the next job, lets it wait, or sends it home. */
static void order(struct pool *pool, struct worker *w)
{
    char text[32];
    bool left;
    w->job = next_job(pool, &left);
    if (w->job == no_job) {
        if (!left) dismiss(w);
        return;
    }
    const int n =
            snprintf(text, sizeof text, "%d\n", pool->jobs->steps[w->job]);
    /* If that fails it is gone: it has no more to say, and is buried. */
    if (write(w->orders, text, (size_t)n) != n) dismiss(w);
}

static void finish_job(struct pool *pool, struct worker *w, bool is_done)
{
    if (w->job == no_job) return;
    pool->jobs->end(pool->jobs->user, w->job, is_done);
    w->job = no_job;
}

/* Reads the answer that has come; false if that was the worker's end. */
static bool listen_to(struct pool *pool, struct worker *w)
{
    struct answer answer;
    struct blob_list unkept = {0};
    const bool ok = blob_pipe_read(w->answers, &answer, sizeof answer)
                    && blob_list_read(&unkept, w->answers);
    if (ok) {
        pool->compiled += answer.compiled;
        pool->jobs->take(pool->jobs->user, &unkept);
        finish_job(pool, w, answer.status == (int)dnnl_success);
        order(pool, w);
    }
    blob_list_fini(&unkept);
    return ok;
}

/* Orders for those that wait for one; whether any still waits. */
static bool order_again(struct pool *pool)
{
    bool waits = false;
    for (int i = 0; i < pool->count; i++) {
        struct worker *w = &pool->workers[i];
        if (w->orders < 0 || w->job != no_job) continue;
        order(pool, w);
        waits = waits || (w->orders >= 0 && w->job == no_job);
    }
    return waits;
}

/* How many workers there still were before. */
static int wait_for_answers(struct pool *pool)
{
    struct pollfd fds[max_workers];
    int open = 0;
    const int timeout = order_again(pool) ? pause_ms : -1;
    for (int i = 0; i < pool->count; i++) {
        fds[i] = (struct pollfd){
                .fd = pool->workers[i].answers, .events = POLLIN};
        open += pool->workers[i].answers >= 0;
    }
    if (open == 0 || poll(fds, (nfds_t)pool->count, timeout) <= 0) return open;
    for (int i = 0; i < pool->count; i++) {
        struct worker *w = &pool->workers[i];
        if (fds[i].fd < 0 || fds[i].revents == 0 || listen_to(pool, w))
            continue;
        finish_job(pool, w, false);
        bury(w);
    }
    return open;
}

unsigned long long workers_run(const struct options *options, int threads,
        const struct workers_jobs *jobs)
{
    char number[16];
    struct pool pool = {.jobs = jobs,
            .is_begun = calloc((size_t)jobs->count + 1, sizeof(bool))};
    snprintf(number, sizeof number, "%d", answer_fd);
    char **arguments = make_arguments(options, number);
    if (threads > jobs->count) threads = jobs->count;
    if (threads > max_workers) threads = max_workers;
    for (int i = 0; arguments != NULL && pool.is_begun != NULL && i < threads;
            i++)
        if (start(&pool.workers[pool.count], arguments)) pool.count++;
    while (wait_for_answers(&pool) > 0)
        continue;
    free(arguments);
    free(pool.is_begun);
    return pool.compiled;
}

/* ---- The worker ---------------------------------------------------------- */

static unsigned long long compiled_so_far(void)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    if (dnnl_cache_get_statistics(&statistics) != dnnl_success) return 0;
    return statistics.programs_compiled;
}

void workers_serve(
        struct runner *runner, struct recorder *recorder, int answers)
{
    char line[line_size];
    unsigned long long told = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        int step;
        if (sscanf(line, "%d", &step) != 1 || step < 0
                || step >= runner->plan->step_count)
            return;
        const dnnl_status_t st = runner_create(runner, step);
        const unsigned long long compiled = compiled_so_far();
        const struct answer answer = {step, (int32_t)st, compiled - told};
        if (!blob_pipe_write(answers, &answer, sizeof answer)
                || !blob_list_write(&recorder->unkept, answers))
            return;
        blob_list_fini(&recorder->unkept);
        told = compiled;
    }
}
