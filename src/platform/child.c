/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/child.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

/* A descriptor for all it prints, or -1: only standard error is the user's. */
static void set_output(const int *output)
{
    if (output == NULL) return;
    make_quiet();
    if (*output < 0) return;
    (void)dup2(*output, STDOUT_FILENO);
    (void)dup2(*output, STDERR_FILENO);
}

/* Writes the errno of a failure to the pipe, which a success closes. */
static _Noreturn void become(const struct child_signals *signals, int pipe_end,
        pid_t parent, char *const arguments[], const int *output)
{
    enum { exit_unseen = 126 };
    /* Of SIGKILL, which nobody can forward. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_unseen); /* it has been killed before */
    set_output(output);
    child_signals_end(signals);
    execvp(arguments[0], arguments);
    const int error = errno;
    while (write(pipe_end, &error, sizeof error) < 0 && errno == EINTR)
        continue;
    _exit(exit_unseen);
}

/* The child, or -1; *error says why it does not run. */
static pid_t start(const struct child_signals *signals, char *const arguments[],
        const int *output, int *error)
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
    if (child == 0) become(signals, ends[1], self, arguments, output);
    if (child < 0) *error = errno;
    close(ends[1]);
    do
        got = child < 0 ? 0 : read(ends[0], error, sizeof *error);
    while (got < 0 && errno == EINTR);
    close(ends[0]);
    return child;
}

static void send_beside(const struct child_hooks *hooks, int signal)
{
    if (hooks->beside != NULL && hooks->beside->number > 0)
        (void)kill((pid_t)hooks->beside->number, signal);
}

/* As a shell does with a job: the process stops where its child did, and goes
 * on with it. */
static void stop_as_well(const struct child_hooks *hooks, pid_t child)
{
    send_beside(hooks, SIGSTOP);
    if (hooks->stops != NULL) hooks->stops(hooks->user);
    (void)raise(SIGSTOP);
    send_beside(hooks, SIGCONT);
    if (hooks->goes_on != NULL) hooks->goes_on(hooks->user);
    (void)kill(child, SIGCONT);
}

/* False: it is only stopped. */
static bool note_status(struct child_end *end, const struct child_hooks *hooks,
        pid_t child, int status)
{
    if (WIFSTOPPED(status)) {
        stop_as_well(hooks, child);
        return false;
    }
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->code = end->signal != 0 ? 128 + end->signal : WEXITSTATUS(status);
    return true;
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u
           + (uint64_t)time->tv_usec * 1000u;
}

static void note_beside(
        struct child_beside *beside, int status, const struct rusage *used)
{
    if (WIFSTOPPED(status)) return;
    beside->number = 0;
    beside->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    beside->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    beside->used_ns =
            nanoseconds(&used->ru_utime) + nanoseconds(&used->ru_stime);
}

/* Other children are orphans, which the first process of a container gets. */
static bool is_over(
        struct child_end *end, const struct child_hooks *hooks, pid_t child)
{
    int status;
    struct rusage used;
    pid_t found;
    while ((found = wait4(-1, &status, WNOHANG | WUNTRACED, &used)) > 0) {
        if (hooks->beside != NULL && found == (pid_t)hooks->beside->number)
            note_beside(hooks->beside, status, &used);
        else if (found == child && note_status(end, hooks, child, status))
            return true;
    }
    return found < 0 && errno != EINTR;
}

static void wait_for(
        struct child_end *end, const struct child_hooks *hooks, pid_t child)
{
    sigset_t set;
    siginfo_t info;
    waited_for(&set);
    while (!is_over(end, hooks, child)) {
        if (sigwaitinfo(&set, &info) < 0) continue;
        if (info.si_signo == SIGCHLD) continue;
        if (asks_to_end(info.si_signo)) end->asked_to_end = info.si_signo;
        forward(child, &info);
    }
}

struct child_end child_run(const struct child_signals *signals,
        char *const arguments[], const int *output,
        const struct child_hooks *hooks)
{
    static const struct child_hooks none = {.beside = NULL};
    struct child_end end = {.code = 0};
    const pid_t child = start(signals, arguments, output, &end.error);
    if (hooks == NULL) hooks = &none;
    if (child < 0) return end;
    if (end.error == 0 && hooks->runs != NULL) hooks->runs(hooks->user);
    wait_for(&end, hooks, child);
    return end;
}

/* ---- Beside it ----------------------------------------------------------- */

/* What nobody waits for takes what others leave: of a processor, and of disks.
 * A class that the kernel does not have leaves the one before. */
static void become_idle(void)
{
    enum { ioprio_who_process = 1, ioprio_idle = 3 << 13 };
    const struct sched_param none = {.sched_priority = 0};
    (void)setpriority(PRIO_PROCESS, 0, 19);
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
    (void)syscall(SYS_ioprio_set, ioprio_who_process, 0, ioprio_idle);
}

static _Noreturn void become_beside(const struct child_signals *signals,
        char *const arguments[], char *const environment[], int output,
        pid_t parent)
{
    enum { exit_unseen = 127 };
    /* It can end in good order: what it has made is stored. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(exit_unseen);
    become_idle();
    make_quiet();
    (void)dup2(output >= 0 ? output : STDIN_FILENO, STDERR_FILENO);
    if (output >= 0) (void)dup2(output, STDOUT_FILENO);
    child_signals_end(signals);
    execvpe(arguments[0], arguments, environment);
    _exit(exit_unseen);
}

void child_start_beside(struct child_beside *beside,
        const struct child_signals *signals, char *const arguments[],
        char *const environment[], int output)
{
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0)
        become_beside(signals, arguments, environment, output, self);
    *beside = (struct child_beside){.number = child > 0 ? child : 0};
}

/* Has it ended within the time? */
static bool await_beside(struct child_beside *beside, unsigned most_ms)
{
    int status;
    struct rusage used;
    for (unsigned i = 0; beside->number > 0 && i <= most_ms; i++) {
        const pid_t pid = (pid_t)beside->number;
        const pid_t found = wait4(pid, &status, WNOHANG, &used);
        if (found == pid)
            note_beside(beside, status, &used);
        else if (found < 0 && errno != EINTR)
            beside->number = 0;
        else
            clock_sleep_ns(1000000);
    }
    return beside->number == 0;
}

void child_end_beside(struct child_beside *beside)
{
    enum { patience_ms = 500, patience_killed_ms = 5000 };
    if (beside->number <= 0) return;
    beside->is_ended_early = true;
    (void)kill((pid_t)beside->number, SIGTERM);
    if (await_beside(beside, patience_ms)) return;
    (void)kill((pid_t)beside->number, SIGKILL); /* its workers die with it */
    (void)await_beside(beside, patience_killed_ms);
}

/* ---- Behind it ----------------------------------------------------------- */

/* Who reads a pipe until its end, or waits for a lock on a file, does not wait
 * for it. */
static void close_others(void)
{
#ifdef SYS_close_range
    (void)syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, ~0u, 0u);
#endif
}

/* As it is not waited for, what the shell does with its jobs is not for it. */
static _Noreturn void become_behind(const struct child_signals *signals,
        char *const arguments[], char *const environment[], int output)
{
    enum { exit_unseen = 127 };
    (void)setsid();
    make_quiet();
    (void)dup2(output >= 0 ? output : STDIN_FILENO, STDERR_FILENO);
    close_others();
    child_signals_end(signals);
    execvpe(arguments[0], arguments, environment);
    _exit(exit_unseen);
}

void child_run_behind(const struct child_signals *signals,
        char *const arguments[], char *const environment[], int output,
        unsigned most_ms)
{
    struct child_beside behind = {.number = fork()};
    if (behind.number == 0)
        become_behind(signals, arguments, environment, output);
    (void)await_beside(&behind, most_ms);
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
