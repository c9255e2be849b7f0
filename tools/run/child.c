/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* SIGTSTP and SIGCONT are a terminal's, too: see forward(). */
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
        SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

/* ---- Signals ------------------------------------------------------------- */

static void waited_for(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(set, forwarded[i]);
    sigaddset(set, SIGCHLD);
}

/* A parent that ignores SIGCHLD is told of no child's status. */
void child_signals_begin(struct child_signals *signals)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t set;
    waited_for(&set);
    sigprocmask(SIG_BLOCK, &set, &signals->before);
    sigaction(SIGCHLD, &usual, &signals->child_before);
}

void child_signals_end(const struct child_signals *signals)
{
    sigaction(SIGCHLD, &signals->child_before, NULL);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

static bool asks_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP
           || signal == SIGQUIT;
}

/* What the kernel sends comes from the terminal, and to the whole group. But
 * for SIGCONT: to be continued twice does no harm, and a shell continues the
 * group or this process alone. */
static void forward(pid_t child, const siginfo_t *info)
{
    if (info->si_code != SI_KERNEL || info->si_signo == SIGCONT)
        (void)kill(child, info->si_signo);
}

/* ---- The child ----------------------------------------------------------- */

static void make_quiet(void)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return;
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
}

/* Writes the errno of a failure to the pipe, which a success closes. */
static _Noreturn void become(const struct child_signals *signals, int pipe_end,
        pid_t parent, char *const arguments[], bool is_quiet)
{
    enum { exit_unseen = 126 };
    /* Of SIGKILL, which nobody can forward. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_unseen); /* it has been killed before */
    if (is_quiet) make_quiet();
    child_signals_end(signals);
    execvp(arguments[0], arguments);
    const int error = errno;
    while (write(pipe_end, &error, sizeof error) < 0 && errno == EINTR)
        continue;
    _exit(exit_unseen);
}

/* The child, or -1; *error says why it does not run. */
static pid_t start(const struct child_signals *signals, char *const arguments[],
        bool is_quiet, int *error)
{
    const pid_t self = getpid();
    int ends[2];
    ssize_t got;
    *error = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) become(signals, ends[1], self, arguments, is_quiet);
    if (child < 0) *error = errno;
    close(ends[1]);
    do
        got = child < 0 ? 0 : read(ends[0], error, sizeof *error);
    while (got < 0 && errno == EINTR);
    close(ends[0]);
    return child;
}

/* As a shell does with a job: the process stops where its child did, and goes
 * on with it. */
static void stop_as_well(pid_t child)
{
    (void)raise(SIGSTOP);
    (void)kill(child, SIGCONT);
}

/* False: it is only stopped. */
static bool note_status(struct child_end *end, pid_t child, int status)
{
    if (WIFSTOPPED(status)) {
        stop_as_well(child);
        return false;
    }
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->code = end->signal != 0 ? 128 + end->signal : WEXITSTATUS(status);
    return true;
}

/* Other children are orphans, which the first process of a container gets. */
static bool is_over(struct child_end *end, pid_t child)
{
    int status;
    pid_t found;
    while ((found = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
        if (found == child && note_status(end, child, status)) return true;
    return found < 0 && errno != EINTR;
}

static void wait_for(struct child_end *end, pid_t child)
{
    sigset_t set;
    siginfo_t info;
    waited_for(&set);
    while (!is_over(end, child)) {
        if (sigwaitinfo(&set, &info) < 0) continue;
        if (info.si_signo == SIGCHLD) continue;
        if (asks_to_end(info.si_signo)) end->asked_to_end = info.si_signo;
        forward(child, &info);
    }
}

struct child_end child_run(const struct child_signals *signals,
        char *const arguments[], bool is_quiet)
{
    struct child_end end = {.code = 0};
    const pid_t child = start(signals, arguments, is_quiet, &end.error);
    if (child >= 0) wait_for(&end, child);
    return end;
}

/* ---- The end ------------------------------------------------------------- */

int child_end_alike(
        const struct child_signals *signals, const struct child_end *end)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t only;
    if (end->signal == 0) {
        child_signals_end(signals);
        return end->code;
    }
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)sigaction(end->signal, &usual, NULL);
    sigemptyset(&only);
    sigaddset(&only, end->signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    (void)raise(end->signal);
    return end->code; /* of a signal that does not end a process */
}
