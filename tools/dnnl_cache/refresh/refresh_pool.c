/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_pool.h"

#include "src/platform/clock.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/layer_place.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <dnnl_cache/file_digests.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "dnnl-cache-refresh-" /* and six characters */

extern char **environ;

/* ---- Folders ------------------------------------------------------------- */

static int remove_one(
        const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path) != 0 && errno != ENOENT ? errno : 0;
}

static int remove_folder(const char *path)
{
    const int error = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return error == -1 && errno == ENOENT ? 0 : error;
}

/* A folder is locked, itself, by the process that made it, as long as it lives.
 * Who removes one of another process locks it first: so a folder that is locked
 * and still has its name is nobody else's. -1: it is in use, gone, or not of
 * this user; *is_locked: somebody has the lock. */
static int lock_folder(const char *path, bool *is_locked)
{
    struct stat opened;
    struct stat named;
    *is_locked = false;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &opened) == 0 && opened.st_uid == geteuid()) {
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            *is_locked = errno == EWOULDBLOCK;
        else if (lstat(path, &named) == 0 && named.st_ino == opened.st_ino
                 && named.st_dev == opened.st_dev)
            return fd;
    }
    close(fd);
    return -1;
}

static bool is_name_of_folder(const char *name)
{
    const size_t size = sizeof FOLDER - 1;
    return strncmp(name, FOLDER, size) == 0 && strlen(name) == size + 6;
}

/* What refreshes left that were killed. */
static void remove_left(const char *parent)
{
    char path[PATH_MAX];
    bool is_locked;
    const struct dirent *entry;
    DIR *dir = opendir(parent);
    if (dir == NULL) return;
    while ((entry = readdir(dir)) != NULL) {
        if (!is_name_of_folder(entry->d_name)
                || (size_t)snprintf(
                           path, sizeof path, "%s/%s", parent, entry->d_name)
                           >= sizeof path)
            continue;
        const int fd = lock_folder(path, &is_locked);
        if (fd < 0) continue;
        (void)remove_folder(path);
        close(fd);
    }
    closedir(dir);
}

static int make_folder(struct refresh_pool *pool)
{
    const char *parent = getenv("TMPDIR");
    bool is_locked = false;
    if (parent == NULL || parent[0] != '/') parent = "/tmp";
    remove_left(parent);
    const int n = snprintf(
            pool->folder, sizeof pool->folder, "%s/" FOLDER "XXXXXX", parent);
    if (n < 0 || (size_t)n >= sizeof pool->folder - 64) {
        pool->folder[0] = '\0';
        return ENAMETOOLONG;
    }
    const size_t name_at = strlen(pool->folder) - 6;
    while (mkdtemp(pool->folder) != NULL) {
        struct stat st;
        pool->folder_fd = lock_folder(pool->folder, &is_locked);
        /* Without locks nobody removes it. */
        if (pool->folder_fd >= 0
                || (!is_locked && lstat(pool->folder, &st) == 0))
            return 0;
        /* Another refresh took it for one that was left. */
        memcpy(pool->folder + name_at, "XXXXXX", 6);
    }
    const int error = errno;
    pool->folder[0] = '\0';
    return error;
}

/* ---- Life ---------------------------------------------------------------- */

static void signals(sigset_t *set)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

static void set_turn(struct refresh_slot *slot, char turn)
{
    const int most = (int)sizeof slot->folder - 32;
    slot->turn = turn;
    snprintf(slot->job_folder, sizeof slot->job_folder,
            "%.*s/" REFRESH_WORK "%c", most, slot->folder, turn);
}

static void slot_init(struct refresh_pool *pool, size_t index)
{
    struct refresh_slot *slot = &pool->slots[index];
    const int most = (int)sizeof pool->folder - 64;
    slot->talk_fd = -1;
    snprintf(slot->folder, sizeof slot->folder, "%.*s/%zu", most, pool->folder,
            index);
    set_turn(slot, '0');
}

/* A loader takes no path with ':'. */
static void find_layer(struct refresh_pool *pool, const char *layer)
{
    const bool is_found = layer != NULL ? realpath(layer, pool->layer) != NULL
                                        : layer_place_find(pool->layer);
    if (!is_found || strchr(pool->layer, ':') != NULL) pool->layer[0] = '\0';
}

int refresh_pool_open(
        struct refresh_pool *pool, size_t count, const char *layer)
{
    sigset_t set;
    *pool = (struct refresh_pool){.count = count,
            .folder_fd = -1,
            .signal_fd = -1,
            .counted_ns = clock_ns()};
    pool->slots = calloc(count, sizeof *pool->slots);
    if (pool->slots == NULL) return ENOMEM;
    signals(&set);
    pool->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    const int error = pool->signal_fd < 0 ? errno : make_folder(pool);
    if (error != 0) {
        if (pool->signal_fd >= 0) close(pool->signal_fd);
        free(pool->slots);
        return error;
    }
    for (size_t i = 0; i < count; i++)
        slot_init(pool, i);
    find_layer(pool, layer);
    sigprocmask(SIG_BLOCK, &set, &pool->before);
    return 0;
}

/* A worker without a job ends when nobody talks to it any more. Returns the
 * signal that ended it, or 0. */
static int end_worker(struct refresh_slot *slot)
{
    int status = 0;
    siginfo_t info;
    close(slot->talk_fd);
    while (waitid(P_PID, (id_t)slot->pid, &info, WEXITED | WNOWAIT) < 0
            && errno == EINTR)
        continue;
    /* What a driver has started, such as a linker, while the group's number is
     * nobody else's. */
    (void)kill(-slot->pid, SIGKILL);
    while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    refresh_output_finish(&slot->output);
    slot->pid = 0;
    slot->talk_fd = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Who stops a service or a session sends these to all of its processes. */
static bool asks_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP
           || signal == SIGQUIT;
}

void refresh_pool_close(struct refresh_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->slots[i].pid == 0) continue;
        refresh_pool_kill(&pool->slots[i]);
        (void)end_worker(&pool->slots[i]);
    }
    if (pool->folder[0] != '\0') (void)remove_folder(pool->folder);
    if (pool->folder_fd >= 0) close(pool->folder_fd);
    close(pool->signal_fd);
    free(pool->slots);
    free(pool->classes);
    free(pool->chosen);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
}

void refresh_pool_set_classes(
        struct refresh_pool *pool, char *classes, char *chosen)
{
    free(pool->classes);
    free(pool->chosen);
    pool->classes = classes;
    pool->chosen = chosen;
}

/* Called before a slot gets a job or is without one. */
static void count_idle(struct refresh_pool *pool)
{
    const uint64_t now = clock_ns();
    pool->idle_ns += (pool->count - pool->running) * (now - pool->counted_ns);
    pool->counted_ns = now;
}

static int make_empty(const char *folder)
{
    const int error = remove_folder(folder);
    return error == 0 && mkdir(folder, 0700) != 0 ? errno : error;
}

int refresh_pool_empty(const struct refresh_slot *slot)
{
    return make_empty(slot->job_folder);
}

/* Of a slot without a job: what was written for the last one, too. */
static int empty_both(struct refresh_slot *slot)
{
    const char turn = slot->turn;
    set_turn(slot, turn == '0' ? '1' : '0');
    const int error = remove_folder(slot->job_folder);
    set_turn(slot, turn);
    return error == 0 ? refresh_pool_empty(slot) : error;
}

static bool can_take(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    return !pool->is_shared && slot->pid != 0 && !refresh_pool_is_killed(slot)
           && slot->makes_forms == job->is_form
           && refresh_jobs_share_environment(slot->first, job);
}

bool refresh_pool_may_take_next(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    return slot->is_busy && slot->ahead == NULL && can_take(pool, slot, job);
}

/* The lower the better; -1: it has a job. */
static int price_of(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job)
{
    if (slot->is_busy) return -1;
    if (slot->pid == 0) return 1;
    return can_take(pool, slot, job) ? 0 : 2;
}

struct refresh_slot *refresh_pool_take(
        struct refresh_pool *pool, const struct refresh_job *job, int *error)
{
    struct refresh_slot *best = NULL;
    *error = 0;
    for (size_t i = 0; i < pool->count; i++) {
        struct refresh_slot *slot = &pool->slots[i];
        const int price = price_of(pool, slot, job);
        if (price >= 0 && (best == NULL || price < price_of(pool, best, job)))
            best = slot;
    }
    if (best == NULL) return NULL;
    if (best->pid != 0 && !can_take(pool, best, job)) (void)end_worker(best);
    if (best->pid == 0) *error = make_empty(best->folder);
    if (*error == 0) *error = empty_both(best);
    return *error == 0 ? best : NULL;
}

/* ---- A worker ------------------------------------------------------------ */

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The settings of the layer and the library are not the worker's. */
static bool clear_settings(void)
{
    for (size_t i = 0; environ[i] != NULL;) {
        char *name = begins_with(environ[i], "DNNL_CACHE_")
                             ? strndup(environ[i], strcspn(environ[i], "="))
                             : NULL;
        if (name == NULL && begins_with(environ[i], "DNNL_CACHE_"))
            return false;
        if (name == NULL)
            i++;
        else if (unsetenv(name) != 0)
            return false;
        free(name);
    }
    return unsetenv("OPENCL_LAYERS") == 0;
}

static bool set_in_folder(
        const char *variable, const char *folder, const char *name)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && setenv(variable, path, 1) == 0;
}

/* The layer keeps what the worker builds in the worker's own folder, at once
 * and whatever it costs. */
static bool use_layer(
        const struct refresh_pool *pool, const struct refresh_slot *slot)
{
    static const char *const settings[][2] = {
            {"DNNL_CACHE_HARVEST_NOW", "1"},
            {"DNNL_CACHE_HARVEST_LIMIT_MS", "0"},
            {"DNNL_CACHE_MAX_SIZE", "0"},
            {"DNNL_CACHE_THRESHOLD", "0"},
            {"DNNL_CACHE_STORE", "flat"},
            {CONFIGURATION_VARIABLE, "0"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (setenv(settings[i][0], settings[i][1], 1) != 0) return false;
    return setenv("OPENCL_LAYERS", pool->layer, 1) == 0
           && set_in_folder("DNNL_CACHE_DIR", slot->folder, REFRESH_RESULT);
}

static bool use_driver(const struct refresh_slot *slot)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/driver", slot->folder);
    return n > 0 && (size_t)n < sizeof path && refresh_driver_set_folder(path);
}

/* A driver that is killed leaves its files; and what is put between them
 * (refresh_stand_in.h) must be no other process's. */
static bool set_environment(
        const struct refresh_pool *pool, const struct refresh_slot *slot)
{
    /* Of the user, and not below the folder that the driver gets. */
    const char *digests = dnnl_cache_store_file_digests_folder();
    return clear_settings() && refresh_driver_set_path()
           && setenv(DNNL_CACHE_FILE_DIGESTS_VARIABLE,
                      digests[0] != '\0' ? digests : "0", 1)
                      == 0
           && refresh_jobs_set_environment(slot->job)
           && setenv("POCL_KERNEL_CACHE", "0", 1) == 0 && use_driver(slot)
           && (!slot->job->is_form
                   || setenv("DNNL_CACHE_FINALISE", "large", 1) == 0)
           && (pool->classes == NULL
                   || setenv(REFRESH_CLASSES, pool->classes, 1) == 0)
           && (pool->chosen == NULL
                   || setenv(REFRESH_CHOSEN, pool->chosen, 1) == 0)
           && (slot->job->build->note.origin != dnnl_cache_note_layer
                   || use_layer(pool, slot));
}

static _Noreturn void become_worker(const struct refresh_pool *pool,
        const struct refresh_slot *slot, int talk_fd, pid_t parent)
{
    const struct rlimit none = {0, 0};
    char program[] = "dnnl-cache";
    char command[] = REFRESH_WORKER;
    char folder[PATH_MAX];
    char talk[16];
    char *const arguments[] = {program, command, folder, talk, NULL};
    strcpy(folder, slot->folder);
    snprintf(talk, sizeof talk, "%d", talk_fd);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(refresh_worker_not_started);
    (void)setrlimit(RLIMIT_CORE, &none);
    refresh_output_use(&slot->output);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) (void)dup2(null, STDIN_FILENO);
    if (set_environment(pool, slot)
            && fcntl(talk_fd, F_SETFD, 0) == 0) { /* no FD_CLOEXEC */
        sigprocmask(SIG_SETMASK, &pool->before, NULL);
        execv("/proc/self/exe", arguments);
    }
    _exit(refresh_worker_not_started);
}

/* For the slot's job. 0 or an errno value. */
static int start_worker(
        const struct refresh_pool *pool, struct refresh_slot *slot)
{
    const pid_t self = getpid();
    char who[32];
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    snprintf(who, sizeof who, "worker %zu", (size_t)(slot - pool->slots) + 1);
    refresh_output_open(&slot->output, pool->is_quiet, who);
    const pid_t pid = fork();
    if (pid == 0) become_worker(pool, slot, ends[1], self);
    const int error = pid < 0 ? errno : 0;
    close(ends[1]);
    refresh_output_leave(&slot->output);
    if (error != 0) {
        refresh_output_finish(&slot->output);
        close(ends[0]);
        return error;
    }
    slot->pid = pid;
    slot->talk_fd = ends[0];
    slot->first = slot->job;
    slot->makes_forms = slot->job->is_form;
    return 0;
}

int refresh_pool_start(struct refresh_pool *pool, struct refresh_slot *slot,
        struct refresh_job *job)
{
    const char begin = slot->turn;
    slot->job = job;
    slot->is_too_late = false;
    slot->is_too_large = false;
    slot->began_ns = clock_ns();
    const int error = slot->pid == 0 ? start_worker(pool, slot) : 0;
    if (error != 0) return error;
    set_turn(slot, begin == '0' ? '1' : '0');
    slot->is_busy = true;
    count_idle(pool);
    pool->running++;
    /* If that fails the worker is dead, and refresh_pool_wait() tells. */
    (void)send(slot->talk_fd, &begin, 1, MSG_NOSIGNAL);
    return 0;
}

/* ---- Waiting ------------------------------------------------------------- */

/* Reads what a worker has said. False: nothing that ends a job. */
static bool hear(
        struct refresh_pool *pool, struct refresh_slot *slot, int *code)
{
    uint8_t said;
    const ssize_t n = recv(slot->talk_fd, &said, 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const bool was_busy = slot->is_busy;
    *code = n == 1 ? said : refresh_worker_died;
    if (n != 1 && asks_to_end(end_worker(slot)))
        *code = refresh_worker_was_ended;
    slot->is_busy = false;
    count_idle(pool);
    pool->running -= was_busy;
    return was_busy;
}

static void hear_signal(struct refresh_pool *pool)
{
    struct signalfd_siginfo info;
    if (read(pool->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        pool->interrupted = (int)info.ssi_signo;
}

struct refresh_slot *refresh_pool_wait(
        struct refresh_pool *pool, unsigned timeout_ms, int *code)
{
    struct pollfd *waits = calloc(pool->count + 1, sizeof *waits);
    struct refresh_slot *done = NULL;
    if (waits == NULL) return NULL;
    waits[pool->count] = (struct pollfd){pool->signal_fd, POLLIN, 0};
    for (size_t i = 0; i < pool->count; i++)
        waits[i] = (struct pollfd){pool->slots[i].talk_fd, POLLIN, 0};
    if (poll(waits, pool->count + 1, (int)timeout_ms) > 0) {
        if (waits[pool->count].revents != 0) hear_signal(pool);
        for (size_t i = 0; i < pool->count && done == NULL; i++)
            if (waits[i].revents != 0 && hear(pool, &pool->slots[i], code))
                done = &pool->slots[i];
    }
    free(waits);
    return done;
}

void refresh_pool_kill(struct refresh_slot *slot)
{
    if (slot->pid != 0) (void)kill(slot->pid, SIGKILL);
}
