/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_output.h"

#include "tools/common/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longer lines are passed on in pieces. */
enum { most_line = 4096 };

/* What cannot be written is left out: who prints goes on. */
static void write_all(const char *text, size_t size)
{
    enum { patience_ms = 1000 };
    struct pollfd room = {STDERR_FILENO, POLLOUT, 0};
    while (size > 0) {
        const ssize_t n = write(STDERR_FILENO, text, size);
        if (n < 0 && errno == EINTR) continue;
        /* Whoever shares it may have made it not wait. */
        if (n < 0 && errno == EAGAIN && poll(&room, 1, patience_ms) > 0)
            continue;
        if (n <= 0) return;
        text += n;
        size -= (size_t)n;
    }
}

/* One write for a line: others write to standard error, too. */
static void pass_on(const char *who, const char *line, size_t size)
{
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "dnnl-cache: %s", who);
    char *text = text_line(prefix, line, size);
    if (text != NULL) write_all(text, strlen(text));
    free(text);
}

/* Whole lines of what is there, and the rest if it fills the buffer or is the
 * last. Returns how much is left of it, moved to the front. */
static size_t pass_on_lines(
        const char *who, char *buffer, size_t size, bool is_last)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (buffer[i] != '\n') continue;
        pass_on(who, buffer + begin, i - begin);
        begin = i + 1;
    }
    const size_t left = size - begin;
    if (left > 0 && (is_last || left == most_line)) {
        pass_on(who, buffer + begin, left);
        return 0;
    }
    memmove(buffer, buffer + begin, left);
    return left;
}

static void close_above_standard_error(void)
{
#ifdef SYS_close_range /* not every C library has a function */
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0u) == 0) return;
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    for (int i = STDERR_FILENO + 1; i < most; i++)
        (void)close(i);
}

/* Has nothing open but the pipe and standard error: descriptors of locks and
 * sockets tell others that their owner lives. */
static _Noreturn void read_all(int fd, const char *who)
{
    char buffer[most_line];
    size_t size = 0;
    (void)prctl(PR_SET_NAME, "dnnl-cache-out");
    (void)signal(SIGPIPE, SIG_IGN);
    /* It ends with those that it reads, whoever stops all of them. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    (void)dup2(fd, STDIN_FILENO);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    close_above_standard_error();
    for (;;) {
        const ssize_t n =
                read(STDIN_FILENO, buffer + size, sizeof buffer - size);
        if (n < 0 && errno == EINTR) continue;
        if (n > 0) size += (size_t)n;
        size = pass_on_lines(who, buffer, size, n <= 0);
        if (n <= 0) _exit(EXIT_SUCCESS);
    }
}

/* False: there is none. */
static bool begin_reader(struct refresh_output *output, const char *who)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    output->reader = fork();
    if (output->reader == 0) {
        (void)close(ends[1]);
        read_all(ends[0], who);
    }
    (void)close(ends[0]);
    output->to = ends[1];
    if (output->reader > 0) return true;
    refresh_output_leave(output);
    return false;
}

void refresh_output_open(
        struct refresh_output *output, bool is_quiet, const char *who)
{
    *output = (struct refresh_output){.to = -1, .reader = -1};
    if (is_quiet)
        output->to = open("/dev/null", O_WRONLY | O_CLOEXEC);
    else
        (void)begin_reader(output, who);
}

void refresh_output_use(const struct refresh_output *output)
{
    if (output->to >= 0) (void)dup2(output->to, STDERR_FILENO);
    if (output->to > STDERR_FILENO) (void)close(output->to);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

void refresh_output_leave(struct refresh_output *output)
{
    if (output->to >= 0) (void)close(output->to);
    output->to = -1;
}

void refresh_output_finish(struct refresh_output *output)
{
    enum { most_ms = 1000 };
    const struct timespec pause = {0, 1000000};
    refresh_output_leave(output);
    /* One that was stopped would be left for ever. */
    if (output->reader > 0) (void)kill(output->reader, SIGCONT);
    for (int i = 0; output->reader > 0 && i < most_ms; i++) {
        const pid_t waited = waitpid(output->reader, NULL, WNOHANG);
        if (waited == output->reader || (waited < 0 && errno != EINTR)) break;
        (void)nanosleep(&pause, NULL);
    }
    output->reader = -1;
}
