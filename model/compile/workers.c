/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/workers.h"

#include "model/compile/worker_arguments.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    max_workers = 64,
    line_size = 64,
    answer_fd = 3,
    model_fd = 4,
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
    const char *helper;
    char **arguments;
    int model; /* a file of the model's bytes; -1: none is needed */
    const struct blob_list *blobs; /* NULL: workers get none */
    unsigned long long compiled;
};

/* ---- Processes ----------------------------------------------------------- */

/* The first argument is the program's name. */
static bool make_arguments(struct worker_arguments *a,
        const struct loader_options *options, const struct pool *pool,
        const struct session *session)
{
    const struct model_device *device = &session->device;
    const int number = model_device_number(device->id);
    char identity[session_identity_size];
    worker_arguments_init(a, pool->helper);
    worker_arguments_add_number(a, worker_answers, answer_fd);
    worker_arguments_add(a, worker_model,
            pool->model >= 0 ? "/proc/self/fd/4" : options->path);
    worker_arguments_add(a, worker_folder, options->folder);
    if (pool->blobs != NULL) {
        worker_arguments_add(a, worker_blobs, "");
    } else {
        worker_arguments_add(a, worker_store, options->session.folder);
        worker_arguments_add(a, worker_remote, options->session.remote);
    }
    worker_arguments_add_number(a, worker_device, number);
    worker_arguments_add(a, worker_device_name, device->name);
    session_identity(session, identity);
    worker_arguments_add(a, worker_identity, identity);
    for (int i = 0; i < options->shape_count; i++)
        worker_arguments_add_shape(a, &options->shapes[i]);
    return !a->failed && number >= 0;
}

/* Descriptors that are to be the worker's must not be among those that are
 * overwritten before they are copied: the pipes' and the file's are higher. */
static bool spawn(
        const struct pool *pool, struct worker *w, int orders, int answers)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    sigemptyset(&none);
    /* What drivers and libraries print is not to be taken for results. */
    const bool ok =
            posix_spawnattr_setsigmask(&attributes, &none) == 0
            && posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK)
                       == 0
            && posix_spawn_file_actions_adddup2(&actions, orders, STDIN_FILENO)
                       == 0
            && posix_spawn_file_actions_adddup2(&actions, answers, answer_fd)
                       == 0
            && (pool->model < 0
                    || posix_spawn_file_actions_adddup2(
                               &actions, pool->model, model_fd)
                               == 0)
            && posix_spawn_file_actions_adddup2(
                       &actions, STDERR_FILENO, STDOUT_FILENO)
                       == 0
            && posix_spawn(&w->pid, pool->helper, &actions, &attributes,
                       pool->arguments, environ)
                       == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

/* The same file at a descriptor that no worker's own is; -1. */
static int move_up(int fd)
{
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    close(fd);
    return moved;
}

static void close_both(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
}

static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    ends[0] = move_up(ends[0]);
    ends[1] = move_up(ends[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start(struct pool *pool, struct worker *w)
{
    int orders[2] = {-1, -1}, answers[2] = {-1, -1};
    *w = (struct worker){.orders = -1, .answers = -1, .job = no_job};
    if (!open_pipe(orders) || !open_pipe(answers)
            || !spawn(pool, w, orders[0], answers[1])) {
        close_both(orders);
        close_both(answers);
        return false;
    }
    close(orders[0]);
    close(answers[1]);
    w->orders = orders[1];
    w->answers = answers[0];
    /* One that does not take them is gone, which its answers' end tells. */
    if (pool->blobs != NULL) (void)blob_list_write(pool->blobs, w->orders);
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
        if (pool->is_begun[i] || jobs->is_cancelled(jobs->user)) continue;
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
    /* Now and then it may be cancelled. */
    const int timeout = order_again(pool) ? pause_ms : 5 * pause_ms;
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

/* Nobody waits for what they are at. */
static void stop_if_cancelled(struct pool *pool)
{
    if (!pool->jobs->is_cancelled(pool->jobs->user)) return;
    for (int i = 0; i < pool->count; i++)
        if (pool->workers[i].answers >= 0) kill(pool->workers[i].pid, SIGTERM);
}

/* The bytes as a file without a name; -1. */
static int make_file(size_t size, const uint8_t *bytes)
{
    const int fd = memfd_create("model", MFD_CLOEXEC);
    if (fd < 0) return -1;
    if (!blob_pipe_write(fd, bytes, size)) {
        close(fd);
        return -1;
    }
    return move_up(fd);
}

/* The engine's blob, for workers that cannot ask the caller's store. */
static void fetch_engine(struct blob_list *blobs, const struct session *session)
{
    const dnnl_cache_store_t *store = session->options.store;
    const uint8_t *id = session->engine_id, *blob = NULL;
    size_t size = 0;
    if (id == NULL
            || store->get(
                       store->user, session->engine_id_size, id, &size, &blob)
                       != dnnl_success)
        return;
    (void)blob_list_add(blobs, session->engine_id_size, id, size, blob);
    store->release(store->user, size, blob);
}

/* Writing to a worker that is gone is an error, and not the process's end. */
static void block_sigpipe(sigset_t *before)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, before);
}

static void unblock_sigpipe(const sigset_t *before)
{
    static const struct timespec now = {0, 0};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (!sigismember(before, SIGPIPE))
        while (sigtimedwait(&pipe, NULL, &now) == SIGPIPE)
            continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void run_all(struct pool *pool, int threads)
{
    sigset_t before;
    block_sigpipe(&before);
    for (int i = 0; i < threads; i++)
        if (start(pool, &pool->workers[pool->count])) pool->count++;
    while (wait_for_answers(pool) > 0)
        stop_if_cancelled(pool);
    unblock_sigpipe(&before);
}

unsigned long long workers_run(const struct loader_options *options,
        struct session *session, size_t size, const uint8_t *bytes,
        const struct workers_jobs *jobs)
{
    struct worker_arguments arguments;
    struct blob_list blobs = {0};
    int threads = options->session.threads;
    struct pool pool = {.jobs = jobs,
            .is_begun = calloc((size_t)jobs->count + 1, sizeof(bool)),
            .helper = options->helper,
            .model = options->path == NULL ? make_file(size, bytes) : -1};
    if (options->session.store != NULL) {
        pool.blobs = &blobs;
        fetch_engine(&blobs, session);
    }
    if (threads > jobs->count) threads = jobs->count;
    if (threads > max_workers) threads = max_workers;
    if (make_arguments(&arguments, options, &pool, session)
            && pool.is_begun != NULL
            && (options->path != NULL || pool.model >= 0)) {
        pool.arguments = arguments.texts;
        run_all(&pool, threads);
    }
    if (pool.model >= 0) close(pool.model);
    worker_arguments_fini(&arguments);
    blob_list_fini(&blobs);
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

void workers_serve(struct runner *runner, struct recorder *recorder,
        const struct worker_place *place)
{
    const int answers = place->answers;
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
