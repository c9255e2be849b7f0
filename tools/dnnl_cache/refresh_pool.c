/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_pool.h"

#include "beside.h"
#include "clock.h"
#include "refresh_worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "dnnl-cache-refresh-" /* and six characters */
#define LAYER "libdnnl_cache_layer.so"

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
    if (n < 0 || (size_t)n >= sizeof pool->folder - 32) {
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

static bool has_value(const char *variable, const char *value)
{
    const char *set = getenv(variable);
    return set != NULL && strcmp(set, value) == 0;
}

/* ---- Life ---------------------------------------------------------------- */

static void signals(sigset_t *set)
{
    static const int all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

int refresh_pool_open(struct refresh_pool *pool, size_t count)
{
    sigset_t set;
    *pool = (struct refresh_pool){.count = count, .folder_fd = -1};
    pool->slots = calloc(count, sizeof *pool->slots);
    if (pool->slots == NULL) return ENOMEM;
    const int error = make_folder(pool);
    if (error != 0) {
        free(pool->slots);
        return error;
    }
    for (size_t i = 0; i < count; i++)
        snprintf(pool->slots[i].folder, sizeof pool->slots[i].folder,
                "%.*s/%zu", (int)sizeof pool->folder - 32, pool->folder, i);
    if (!beside_find_library(pool->layer, sizeof pool->layer, LAYER)
            || strchr(pool->layer, ':') != NULL)
        pool->layer[0] = '\0';
    signals(&set);
    sigprocmask(SIG_BLOCK, &set, &pool->before);
    return 0;
}

void refresh_pool_close(struct refresh_pool *pool)
{
    int status;
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->slots[i].pid == 0) continue;
        refresh_pool_kill(&pool->slots[i]);
        while (waitpid(pool->slots[i].pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    if (pool->folder[0] != '\0') (void)remove_folder(pool->folder);
    if (pool->folder_fd >= 0) close(pool->folder_fd);
    free(pool->slots);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
}

int refresh_pool_empty(const struct refresh_slot *slot)
{
    const int error = remove_folder(slot->folder);
    return error == 0 && mkdir(slot->folder, 0700) != 0 ? errno : error;
}

struct refresh_slot *refresh_pool_take(struct refresh_pool *pool, int *error)
{
    *error = 0;
    for (size_t i = 0; i < pool->count; i++) {
        struct refresh_slot *slot = &pool->slots[i];
        if (slot->pid != 0) continue;
        *error = refresh_pool_empty(slot);
        return *error == 0 ? slot : NULL;
    }
    return NULL;
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
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (setenv(settings[i][0], settings[i][1], 1) != 0) return false;
    return setenv("OPENCL_LAYERS", pool->layer, 1) == 0
           && set_in_folder("DNNL_CACHE_DIR", slot->folder, REFRESH_RESULT);
}

/* A driver without a cache of its own that is killed leaves its files. */
static bool set_environment(
        const struct refresh_pool *pool, const struct refresh_slot *slot)
{
    return clear_settings() && refresh_jobs_set_environment(slot->job)
           && (!has_value("POCL_KERNEL_CACHE", "0")
                   || set_in_folder("POCL_CACHE_DIR", slot->folder, "driver"))
           && (slot->job->build->note.origin != dnnl_cache_note_layer
                   || use_layer(pool, slot));
}

static _Noreturn void become_worker(const struct refresh_pool *pool,
        const struct refresh_slot *slot, pid_t parent)
{
    const struct rlimit none = {0, 0};
    char program[] = "dnnl-cache";
    char command[] = REFRESH_WORKER;
    char folder[PATH_MAX];
    char *const arguments[] = {program, command, folder, NULL};
    strcpy(folder, slot->folder);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(refresh_worker_not_started);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) (void)dup2(null, STDIN_FILENO);
    /* Some compilers look for headers in the working directory. */
    if (chdir(slot->folder) == 0 && set_environment(pool, slot)) {
        sigprocmask(SIG_SETMASK, &pool->before, NULL);
        execv("/proc/self/exe", arguments);
    }
    _exit(refresh_worker_not_started);
}

int refresh_pool_start(struct refresh_pool *pool, struct refresh_slot *slot,
        struct refresh_job *job)
{
    const pid_t self = getpid();
    slot->job = job;
    slot->is_too_late = false;
    slot->began_ns = clock_now_ns();
    const pid_t pid = fork();
    if (pid == 0) become_worker(pool, slot, self);
    if (pid < 0) return errno;
    slot->pid = pid;
    pool->running++;
    return 0;
}

static struct refresh_slot *reap(struct refresh_pool *pool, int *status)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct refresh_slot *slot = &pool->slots[i];
        if (slot->pid == 0 || waitpid(slot->pid, status, WNOHANG) != slot->pid)
            continue;
        slot->pid = 0;
        pool->running--;
        return slot;
    }
    return NULL;
}

struct refresh_slot *refresh_pool_wait(
        struct refresh_pool *pool, unsigned timeout_ms, int *status)
{
    const struct timespec timeout = {
            timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    sigset_t set;
    signals(&set);
    struct refresh_slot *slot = reap(pool, status);
    if (slot != NULL) return slot;
    const int signal = sigtimedwait(&set, NULL, &timeout);
    if (signal > 0 && signal != SIGCHLD) pool->interrupted = signal;
    return signal == SIGCHLD ? reap(pool, status) : NULL;
}

void refresh_pool_kill(struct refresh_slot *slot)
{
    if (slot->pid != 0) (void)kill(slot->pid, SIGKILL);
}
