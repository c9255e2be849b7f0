/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/timed_child.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { limit_ms = 10000 };

static _Noreturn void become(char *const arguments[],
        const char *const *variables, int pipe_end, pid_t parent)
{
    enum { exit_unseen = 127 };
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_unseen);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDERR_FILENO);
    (void)dup2(pipe_end, STDOUT_FILENO);
    for (; variables[0] != NULL; variables += 2)
        if (variables[1] == NULL)
            (void)unsetenv(variables[0]);
        else
            (void)setenv(variables[0], variables[1], 1);
    execv(arguments[0], arguments);
    _exit(exit_unseen);
}

/* False: it is late. */
static bool read_all(int fd, char out[], size_t capacity)
{
    const uint64_t end_ns = clock_ns() + limit_ms * UINT64_C(1000000);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    size_t size = 0;
    char rest[512];
    ssize_t got = 1;
    while (got > 0) {
        const uint64_t now_ns = clock_ns();
        const bool has_room = size + 1 < capacity;
        if (now_ns >= end_ns) break;
        const int count =
                poll(&ready, 1, (int)((end_ns - now_ns) / 1000000u) + 1);
        if (count < 0 && errno != EINTR) break;
        if (count <= 0) continue;
        got = has_room ? read(fd, out + size, capacity - 1 - size)
                       : read(fd, rest, sizeof rest);
        if (got > 0 && has_room) size += (size_t)got;
        if (got < 0 && errno == EINTR) got = 1;
    }
    out[size] = '\0';
    return got <= 0;
}

struct timed_child_end timed_child_run(char *const arguments[],
        const char *const *variables, char out[], size_t capacity)
{
    struct timed_child_end end = {.code = -1};
    const pid_t self = getpid();
    int ends[2];
    int status = 0;
    pid_t waited;
    out[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) return end;
    const pid_t child = fork();
    if (child == 0) become(arguments, variables, ends[1], self);
    close(ends[1]);
    end.is_late = child > 0 && !read_all(ends[0], out, capacity);
    close(ends[0]);
    if (child < 0) return end;
    if (end.is_late) (void)kill(child, SIGKILL);
    do
        waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited != child) return end; /* the parent ignores SIGCHLD */
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return end;
}
