/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/build_process.h"

#include "src/common/log.h"
#include "src/drivers/build_message.h"
#include "src/drivers/option_words.h"
#include "src/gpu/device/driver_name.h"
#include "src/platform/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* From the folder of the library to the program: as installed, in the build's
 * folder, and where libraries are in a folder for the processor. */
#define WORKER "libexec/dnnl_cache/build_worker"
#ifndef DNNL_CACHE_BUILD_WORKER_PATH
#define DNNL_CACHE_BUILD_WORKER_PATH "../" WORKER
#endif

enum { usual_timeout_ms = 10 * 60 * 1000, patience_ms = 1000 };

extern char **environ;

/* ---- The program --------------------------------------------------------- */

/* Beside the file that this code is in. The caller frees it; NULL: none. */
static char *find_installed(void)
{
    static const char *const places[] = {
            DNNL_CACHE_BUILD_WORKER_PATH, "../" WORKER, "../../" WORKER};
    Dl_info info;
    char path[PATH_MAX];
    char *found = NULL;
    if (dladdr((void *)(uintptr_t)build_processes_init, &info) == 0
            || info.dli_fname == NULL)
        return NULL;
    /* Of a program that has the library inside this may be its name alone. */
    char *own = realpath(strchr(info.dli_fname, '/') != NULL ? info.dli_fname
                                                             : "/proc/self/exe",
            NULL);
    if (own == NULL) return NULL;
    const int folder = (int)(strrchr(own, '/') - own);
    for (size_t i = 0; found == NULL && i < sizeof places / sizeof *places;
            i++) {
        const int size =
                snprintf(path, sizeof path, "%.*s/%s", folder, own, places[i]);
        if (size > 0 && (size_t)size < sizeof path)
            found = realpath(path, NULL);
    }
    free(own);
    return found;
}

dnnl_status_t build_processes_init(struct build_processes *processes,
        dnnl_cache_build_processes_t use, const char *file, uint32_t timeout_ms)
{
    *processes = (struct build_processes){.use = use,
            .timeout_ns =
                    (uint64_t)(timeout_ms > 0 ? timeout_ms : usual_timeout_ms)
                    * 1000000};
    if (use == dnnl_cache_build_processes_never) return dnnl_success;
    if (file == NULL) file = secure_getenv("DNNL_CACHE_BUILD_WORKER");
    processes->worker = file != NULL ? strdup(file) : find_installed();
    if (file != NULL && processes->worker == NULL) return dnnl_out_of_memory;
    if (processes->worker == NULL || access(processes->worker, X_OK) != 0) {
        log_message(dnnl_cache_log_warning, "build_queue",
                "%s cannot be started: programs are compiled in this process",
                processes->worker != NULL ? processes->worker : WORKER);
        free(processes->worker);
        processes->worker = NULL;
    }
    return dnnl_success;
}

void build_processes_fini(struct build_processes *processes)
{
    free(processes->worker);
}

/* ---- A process ----------------------------------------------------------- */

/* Without the layer, which would keep what the process compiles. The caller
 * frees the list, not the texts. */
static char **make_environment(void)
{
    size_t count = 0;
    size_t kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (strncmp(environ[i], "OPENCL_LAYERS=", 14) != 0)
            list[kept++] = environ[i];
    return list;
}

/* A group of its own, so that what it starts can be ended with it, and a
 * terminal interrupts the application alone; no signal blocked or ignored. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
                                | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

/* The socket is standard input, and no other file of the application's is
 * inherited; what the driver prints goes to standard error. */
static int set_files(posix_spawn_file_actions_t *actions, int fd)
{
    int error = posix_spawn_file_actions_adddup2(actions, fd, STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(
                actions, STDERR_FILENO, STDOUT_FILENO);
#if __GLIBC_PREREQ(2, 34)
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(
                actions, STDERR_FILENO + 1);
#endif
    return error;
}

static int spawn(struct build_process *p, int fd)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    char *const arguments[] = {p->all->worker, NULL};
    char **environment = make_environment();
    if (environment == NULL) return ENOMEM;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        free(environment);
        return error;
    }
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = set_attributes(&attributes);
        if (error == 0) error = set_files(&actions, fd);
        if (error == 0)
            error = posix_spawn(&p->pid, p->all->worker, &actions, &attributes,
                    arguments, environment);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)posix_spawnattr_destroy(&attributes);
    free(environment);
    return error;
}

static bool start(struct build_process *p)
{
    int ends[2];
    /* The application has closed it, and the process ends. */
    if (p->pid != 0 && !kept_descriptor_is_ours(&p->socket))
        build_process_end(p);
    if (p->pid != 0) return true;
    if (p->has_failed) return false;
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0
                        ? 0
                        : errno;
    if (error == 0) {
        error = spawn(p, ends[1]);
        (void)close(ends[1]);
        if (error == 0)
            error = kept_descriptor_keep(&p->socket, ends[0]);
        else
            (void)close(ends[0]);
    }
    if (error == 0) return true;
    p->pid = 0;
    p->has_failed = true;
    log_message(dnnl_cache_log_warning, "build_queue",
            "%s cannot be started (%s): programs are compiled in this process",
            p->all->worker, strerror(error));
    return false;
}

/* False: it runs still. */
static bool reap(struct build_process *p, int flags, int *status)
{
    pid_t pid;
    *status = 0;
    do
        pid = waitpid(p->pid, status, flags);
    while (pid < 0 && errno == EINTR);
    return pid != 0; /* an error: the application has reaped it */
}

/* With what its driver has started. Returns how it ended, of itself or so. */
static int kill_process(struct build_process *p)
{
    int status;
    siginfo_t info;
    kept_descriptor_close(&p->socket);
    /* If it is dead, its group's number is nobody else's until it is reaped. */
    const bool is_dead =
            waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0
            && info.si_pid == p->pid;
    (void)kill(-p->pid, SIGKILL);
    if (!is_dead) (void)kill(p->pid, SIGKILL);
    (void)reap(p, 0, &status);
    p->pid = 0;
    return status;
}

void build_process_end(struct build_process *p)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status;
    if (p->pid == 0) return;
    /* It ends when it reads the end. */
    if (kept_descriptor_is_ours(&p->socket))
        (void)shutdown(p->socket.fd, SHUT_RDWR);
    for (int ms = 0; ms < patience_ms; ms++) {
        if (reap(p, WNOHANG, &status)) {
            kept_descriptor_close(&p->socket);
            p->pid = 0;
            return;
        }
        (void)nanosleep(&pause, NULL);
    }
    (void)kill_process(p);
}

/* ---- Messages ------------------------------------------------------------ */

static void put_item(struct buffer *message, enum build_item_kind kind,
        uint32_t number, size_t size, const void *data)
{
    buffer_append_u32(message, kind);
    buffer_append_u32(message, number);
    buffer_append_u64(message, size);
    buffer_append(message, data, size);
}

static void put_text(
        struct buffer *message, enum build_item_kind kind, const char *text)
{
    put_item(message, kind, 0, strlen(text) + 1, text);
}

/* False: they are not known. */
static bool put_device(struct buffer *message, cl_device_id device)
{
    char platform[driver_name_size];
    char name[256];
    driver_name(platform, device);
    if (platform[0] == '\0'
            || clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL)
                       != CL_SUCCESS)
        return false;
    put_text(message, build_item_platform, platform);
    put_text(message, build_item_device, name);
    return true;
}

static void put_program(struct buffer *message,
        const struct dnnl_cache_program_desc *d, const struct program_id *id)
{
    put_item(message, build_item_id, 0, id->size, id->data);
    for (size_t i = 0; i < d->source_count; i++)
        put_item(message, build_item_source, 0,
                d->lengths[i] > 0 ? d->lengths[i] : strlen(d->sources[i]),
                d->sources[i]);
    if (d->il != NULL) put_item(message, build_item_il, 0, d->il_size, d->il);
    put_text(message, build_item_options, d->options);
    for (size_t i = 0; i < d->headers.count; i++) {
        const struct header *header = &d->headers.list[i];
        put_text(message, build_item_header_name, header->name);
        put_item(
                message, build_item_header_text, 0, header->size, header->text);
    }
    for (size_t i = 0; i < d->constant_count; i++)
        put_item(message, build_item_constant, d->constants[i].id,
                d->constants[i].size, d->constants[i].value);
    if (driver_compiles_one_at_a_time(d->engine->device))
        put_item(message, build_item_wants_object, 0, 0, NULL);
    put_item(message, build_item_includes,
            d->includes_followed ? build_includes_followed
            : d->includes_known  ? build_includes_known
                                 : build_includes_none,
            0, NULL);
}

/* Waits for the socket. False: it is too late. */
/* False also if the application has closed it. */
static bool wait_for(
        const struct kept_descriptor *kept, short events, uint64_t until_ns)
{
    for (;;) {
        const uint64_t now = clock_ns();
        if (now >= until_ns) return false;
        struct pollfd poll_fd = {.fd = kept->fd, .events = events};
        const uint64_t ms = (until_ns - now) / 1000000 + 1;
        const int n = poll(&poll_fd, 1, ms < 60000 ? (int)ms : 60000);
        if (!kept_descriptor_is_ours(kept)) return false;
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
    }
}

static bool send_all(const struct kept_descriptor *kept, const uint8_t *data,
        size_t size, uint64_t until_ns)
{
    while (size > 0) {
        if (!wait_for(kept, POLLOUT, until_ns)) return false;
        const ssize_t n =
                send(kept->fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n <= 0) continue;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* Memory grows with what arrives. */
static bool receive(const struct kept_descriptor *kept, struct buffer *data,
        size_t size, uint64_t until_ns)
{
    enum { most_at_once = 256 * 1024 };
    while (data->size < size) {
        const size_t left = size - data->size;
        const size_t room = left < most_at_once ? left : most_at_once;
        uint8_t *at = buffer_reserve(data, room);
        if (at == NULL || !wait_for(kept, POLLIN, until_ns)) return false;
        const ssize_t n = recv(kept->fd, at, room, MSG_DONTWAIT);
        if (n == 0) return false;
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n > 0) data->size += (size_t)n;
    }
    return true;
}

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
           | (uint32_t)at[3] << 24;
}

static uint64_t get_u64(const uint8_t *at)
{
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static bool send_message(const struct kept_descriptor *kept,
        const struct buffer *items, uint64_t until_ns)
{
    struct buffer head;
    buffer_init(&head);
    buffer_append_u32(&head, build_message_magic);
    buffer_append_u32(&head, build_message_version);
    buffer_append_u64(&head, items->size);
    const bool is_sent = buffer_status(&head) == dnnl_success
                         && send_all(kept, head.data, head.size, until_ns)
                         && send_all(kept, items->data, items->size, until_ns);
    buffer_fini(&head);
    return is_sent;
}

static bool receive_message(const struct kept_descriptor *kept,
        struct buffer *items, uint64_t until_ns)
{
    struct buffer head;
    buffer_init(&head);
    bool is_there = receive(kept, &head, build_message_head_size, until_ns)
                    && get_u32(head.data) == build_message_magic
                    && get_u32(head.data + 4) == build_message_version
                    && get_u64(head.data + 8) <= build_message_most;
    if (is_there)
        is_there =
                receive(kept, items, (size_t)get_u64(head.data + 8), until_ns);
    buffer_fini(&head);
    return is_there;
}

/* What an answer says. Pointers into it. */
struct answer {
    uint32_t outcome; /* 0: none */
    size_t blob_size;
    const uint8_t *blob;
    const char *log;
    uint64_t compile_ns;
};

/* False: it is none. */
static bool read_answer(struct answer *answer, const struct buffer *items)
{
    const uint8_t *at = items->data;
    size_t left = items->size;
    *answer = (struct answer){.outcome = 0};
    while (left >= build_item_head_size) {
        const uint32_t kind = get_u32(at);
        const uint32_t number = get_u32(at + 4);
        const uint64_t size = get_u64(at + 8);
        at += build_item_head_size;
        left -= build_item_head_size;
        if (size > left) return false;
        if (kind == build_item_status) answer->outcome = number;
        if (kind == build_item_blob) {
            answer->blob = at;
            answer->blob_size = (size_t)size;
        }
        if (kind == build_item_log && size > 0 && at[size - 1] == '\0')
            answer->log = (const char *)at;
        if (kind == build_item_compile_ns && size == 8)
            answer->compile_ns = get_u64(at);
        at += size;
        left -= (size_t)size;
    }
    return left == 0 && answer->outcome != 0;
}

/* ---- Compiling ----------------------------------------------------------- */

static _Thread_local struct build_process *current;

void build_process_use(
        struct build_process *process, const struct dnnl_cache_program_desc *d)
{
    if (process != NULL) process->desc = d;
    current = process;
}

void build_process_note_made(void)
{
    if (current != NULL) current->made++;
}

size_t build_process_count(void)
{
    return current != NULL ? current->made : 0;
}

/* Such options as -cl-opt-disable may count when it is linked, too. */
static bool is_for_compiling(const char *word, void *unused)
{
    (void)unused;
    return strncmp(word, "-cl-", 4) != 0 || strncmp(word, "-cl-std=", 8) == 0;
}

/* Is compiling, and then linking without options, the same as building? */
static bool is_fit_for_object(const struct dnnl_cache_program_desc *d)
{
    return d->source_count > 0 && d->headers.count == 0 && !d->includes_followed
           && option_words_are(d->options, is_for_compiling, NULL);
}

/* Other programs may be made on this thread meanwhile, by callbacks. */
static bool is_for(
        const struct build_process *p, const struct program_recipe *recipe)
{
    const struct dnnl_cache_program_desc *d = p->desc;
    return p->all->worker != NULL && recipe->text->options == d->options
           && !d->is_primitives && recipe->warm_up == NULL
           && recipe->key->bytes.size > 0
           && (driver_compiles_one_at_a_time(recipe->engine->device)
                           ? is_fit_for_object(d)
                           : p->all->use == dnnl_cache_build_processes_always);
}

static enum build_answer judge(const struct answer *answer, struct buffer *blob,
        uint64_t *compile_ns, struct note **note)
{
    switch (answer->outcome) {
    case build_outcome_made:
    case build_outcome_object:
        buffer_append(blob, answer->blob, answer->blob_size);
        *compile_ns = answer->compile_ns;
        if (buffer_status(blob) != dnnl_success) return build_answer_none;
        return answer->outcome == build_outcome_made ? build_answer_blob
                                                     : build_answer_object;
    case build_outcome_refused:
        *note = answer->log != NULL ? note_create(answer->log) : NULL;
        return build_answer_refused;
    default:
        log_message(dnnl_cache_log_info, "build_queue",
                "a program is compiled in this process: the worker process has "
                "no such device, gives the program another ID, or cannot "
                "compile it");
        return build_answer_none;
    }
}

/* Is it no program that can serve? These statuses are a shell's and the dynamic
 * linker's, as when a library is missing, and that of another version. */
static bool is_unusable(int status)
{
    enum { not_executable = 126, not_found = 127 };
    return WIFEXITED(status)
           && (WEXITSTATUS(status) == not_executable
                   || WEXITSTATUS(status) == not_found
                   || WEXITSTATUS(status) == build_worker_exit_version);
}

/* It said nothing that can be understood. */
static enum build_answer give_up(
        struct build_process *p, uint64_t until_ns, struct note **note)
{
    char why[160];
    const bool is_late = clock_ns() >= until_ns;
    const int status = kill_process(p);
    if (!is_late && is_unusable(status)) {
        p->has_failed = true;
        log_message(dnnl_cache_log_warning, "build_queue",
                "%s cannot be used (%s): programs are compiled in this process",
                p->all->worker,
                WEXITSTATUS(status) == build_worker_exit_version
                        ? "of another version"
                        : "it does not start");
        return build_answer_none;
    }
    const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
    if (is_late)
        snprintf(why, sizeof why, "the worker process took longer than %llu ms",
                (unsigned long long)(p->all->timeout_ns / 1000000));
    else if (was_killed)
        snprintf(why, sizeof why, "the worker process died by signal %d",
                WTERMSIG(status));
    else
        snprintf(why, sizeof why, "the worker process ended");
    log_message(dnnl_cache_log_error, "build_queue",
            "a program was not compiled: %s", why);
    *note = note_create(why);
    return build_answer_died;
}

enum build_answer build_process_compile(const struct program_recipe *recipe,
        struct buffer *blob, uint64_t *compile_ns, struct note **note)
{
    struct build_process *p = current;
    struct buffer message;
    struct answer answer;
    buffer_init(blob);
    if (p == NULL || !is_for(p, recipe)) return build_answer_none;
    const uint64_t until_ns = clock_ns() + p->all->timeout_ns;
    const struct program_id id = program_key_id(recipe->key);
    buffer_init(&message);
    enum build_answer result = build_answer_none;
    if (!put_device(&message, recipe->engine->device)) goto out;
    put_program(&message, p->desc, &id);
    if (buffer_status(&message) != dnnl_success
            || message.size > build_message_most || !start(p))
        goto out;
    const bool is_sent = send_message(&p->socket, &message, until_ns);
    buffer_fini(&message);
    result = is_sent && receive_message(&p->socket, &message, until_ns)
                             && read_answer(&answer, &message)
                     ? judge(&answer, blob, compile_ns, note)
                     : give_up(p, until_ns, note);
out:
    buffer_fini(&message);
    return result;
}
