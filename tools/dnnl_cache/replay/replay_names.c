/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/replay/replay_names.h"

#include "src/platform/interrupts.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_output.h"
#include "tools/dnnl_cache/replay/replay_describe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES "names"

/* What the file begins with. The IDs follow: sizes (64 bits), bytes. */
struct head {
    uint64_t devices;
    uint64_t is_pocl;
    uint64_t group;
    uint64_t items[3];
    char device[384];
};

enum { child_ok = 0, child_no_device = 1, child_failed = 2 };

/* ---- The process --------------------------------------------------------- */

static bool write_head(FILE *out, const struct replay_device *device)
{
    struct head head = {.devices = device->count, .is_pocl = device->is_pocl};
    size_t group = 0;
    size_t items[16] = {0};
    (void)clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
            sizeof group, &group, NULL);
    (void)clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES,
            sizeof items, items, NULL);
    head.group = group;
    for (int i = 0; i < 3; i++)
        head.items[i] = items[i];
    snprintf(head.device, sizeof head.device, "%s", device->name);
    return fwrite(&head, sizeof head, 1, out) == 1;
}

static bool write_id(FILE *out, const struct replay_id *id)
{
    const uint64_t size = id->size;
    return fwrite(&size, sizeof size, 1, out) == 1
           && (size == 0 || fwrite(id->id, size, 1, out) == 1);
}

/* The engine's first. */
static bool write_ids(FILE *out, const struct replay_descriptions *all,
        const struct replay_device *device,
        const struct dnnl_cache_store_journal_list *list)
{
    if (!write_id(out, &device->own)) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].note.kind == dnnl_cache_note_build
                && !write_id(out, &all->ids[i]))
            return false;
    }
    return true;
}

struct request {
    const struct dnnl_cache_store_journal_list *list;
    const struct refresh_policy *policy;
    const char *device;
    size_t index;
    const char *folder;
};

static int name_all(const struct request *request)
{
    struct replay_device device;
    struct replay_descriptions all;
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/" NAMES, request->folder);
    if (n < 0 || (size_t)n >= sizeof path) return child_failed;
    if (!replay_device_open(&device, request->device, request->index))
        return device.count <= request->index ? child_no_device : child_failed;
    FILE *out = fopen(path, "we");
    if (out == NULL) return child_failed;
    const bool is_named = replay_describe_all(&all, &device, request->list,
                                  request->policy, request->folder)
                          && write_head(out, &device)
                          && write_ids(out, &all, &device, request->list);
    return fclose(out) == 0 && is_named ? child_ok : child_failed;
}

/* A driver's own handlers at exit have nothing to do. */
static _Noreturn void run_child(const struct request *request,
        const struct refresh_output *output, pid_t parent)
{
    const struct rlimit none = {0, 0};
    sigset_t set;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(child_failed);
    (void)setrlimit(RLIMIT_CORE, &none);
    sigemptyset(&set);
    (void)sigprocmask(SIG_SETMASK, &set, NULL);
    (void)unsetenv("OPENCL_LAYERS");
    if (!refresh_driver_set_path()) _exit(child_failed);
    refresh_output_use(output);
    _exit(name_all(request));
}

/* ---- What it found ------------------------------------------------------- */

static uint64_t read_number(const uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static size_t count_builds(const struct dnnl_cache_store_journal_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->items[i].note.kind == dnnl_cache_note_build;
    return count;
}

static bool take_id(struct replay_name *name, size_t *at,
        const struct replay_names *names, size_t size)
{
    if (size - *at < sizeof(uint64_t)) return false;
    const uint64_t id_size = read_number(names->bytes + *at);
    *at += sizeof id_size;
    if (id_size > size - *at) return false;
    *name = (struct replay_name){(size_t)id_size, names->bytes + *at};
    *at += (size_t)id_size;
    return true;
}

static bool take_ids(struct replay_names *names, size_t size)
{
    size_t at = sizeof(struct head);
    bool is_good = take_id(&names->engine, &at, names, size);
    for (size_t i = 0; is_good && i < names->count; i++)
        is_good = take_id(&names->names[i], &at, names, size);
    return is_good && at == size;
}

/* What the child wrote, the caller's; NULL: it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat st;
    uint8_t *bytes = NULL;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (fstat(fd, &st) == 0) bytes = malloc((size_t)st.st_size + 1);
    *size = bytes != NULL ? (size_t)st.st_size : 0;
    for (size_t at = 0; bytes != NULL && at < *size;) {
        const ssize_t n = read(fd, bytes + at, *size - at);
        if (n <= 0) {
            free(bytes);
            bytes = NULL;
        }
        at += (size_t)n;
    }
    close(fd);
    return bytes;
}

static bool read_names(struct replay_names *names,
        const struct dnnl_cache_store_journal_list *list, const char *folder)
{
    char path[PATH_MAX];
    struct head head;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/" NAMES, folder);
    names->bytes = read_file(path, &size);
    if (names->bytes == NULL || size < sizeof head) return false;
    memcpy(&head, names->bytes, sizeof head);
    names->devices = (size_t)head.devices;
    names->is_pocl = head.is_pocl != 0;
    names->group = head.group;
    memcpy(names->items, head.items, sizeof names->items);
    memcpy(names->device, head.device, sizeof names->device);
    names->device[sizeof names->device - 1] = '\0';
    names->count = count_builds(list);
    names->names = calloc(names->count + 1, sizeof *names->names);
    return names->names != NULL && take_ids(names, size);
}

static bool is_asked_to_end(int status)
{
    return WIFSIGNALED(status)
           && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM
                   || WTERMSIG(status) == SIGHUP);
}

/* Until the process ends, which closes its end of the pipe. A driver may hang:
 * false, and the process is killed, if this one is asked to end, or late. */
static bool wait_for(pid_t pid, int pipe_end, const struct replay_patience *how)
{
    enum { step_ms = 200 };
    struct pollfd waits[2] = {
            {pipe_end, POLLIN, 0}, {how->signal_fd, POLLIN, 0}};
    for (;;) {
        const int n = poll(waits, 2, step_ms);
        if (n > 0 && waits[0].revents != 0) return true;
        const bool is_told = n > 0 && interrupts_take(how->signal_fd) != 0;
        if (!is_told && !tool_is_late(how->tool)) continue;
        (void)kill(pid, SIGKILL);
        return false;
    }
}

enum replay_naming replay_names_make(struct replay_names *names,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy, const char *device, size_t index,
        const char *folder, const struct replay_patience *how)
{
    const struct request request = {list, policy, device, index, folder};
    struct refresh_output output;
    const pid_t self = getpid();
    int ends[2];
    int status = -1; /* neither an exit nor a signal */
    *names = (struct replay_names){.devices = 0};
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) return replay_not_named;
    refresh_output_open(&output, how->tool->options->quiet, "computing IDs");
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        run_child(&request, &output, self);
    }
    close(ends[1]);
    refresh_output_leave(&output);
    const bool is_waited = pid > 0 && wait_for(pid, ends[0], how);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    refresh_output_finish(&output);
    if (pid < 0) return replay_not_named;
    if (!is_waited || is_asked_to_end(status)) return replay_interrupted;
    if (WIFEXITED(status) && WEXITSTATUS(status) == child_no_device)
        return replay_no_device;
    if (WIFEXITED(status) && WEXITSTATUS(status) == child_ok
            && read_names(names, list, folder))
        return replay_named;
    replay_names_fini(names);
    return replay_not_named;
}

void replay_names_fini(struct replay_names *names)
{
    free(names->names);
    free(names->bytes);
    *names = (struct replay_names){.devices = 0};
}
