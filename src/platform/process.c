/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/process.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Starting ------------------------------------------------------------ */

struct start {
    const struct process_plan *plan;
    pid_t parent;
    volatile int error; /* of the new process, which shares this memory */
};

/* The handlers are this process's code; ignored is ignored after exec(), too.
 */
static void reset_signals(bool is_all)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction now;
    sigset_t none;
    for (int i = 1; i <= SIGRTMAX; i++)
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL
                && (is_all || now.sa_handler != SIG_IGN))
            (void)sigaction(i, &usual, NULL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* dup2() that leaves the new one open for the program even if it is the same.
 * False: there is no such file. */
static bool put(int from, int to)
{
    return from == to ? fcntl(to, F_SETFD, 0) == 0 : dup2(from, to) == to;
}

/* Not as a standard stream that is closed, where another one is put. */
static int open_null(void)
{
    const int null = open("/dev/null", O_RDWR);
    return null >= 0 && null <= STDERR_FILENO
                   ? fcntl(null, F_DUPFD, STDERR_FILENO + 1)
                   : null;
}

/* What is put first is not what another one is put from: files that are passed
 * have higher numbers than the standard streams. */
static bool set_files(const struct process_plan *plan)
{
    const int null = open_null();
    const bool has_error = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    bool is_set = plan->error >= 0 ? put(plan->error, STDERR_FILENO)
                                   : has_error || put(null, STDERR_FILENO);
    is_set = is_set
             && put(plan->output >= 0 ? plan->output : STDERR_FILENO,
                     STDOUT_FILENO);
    is_set = is_set && put(plan->input >= 0 ? plan->input : null, STDIN_FILENO);
    return is_set && (plan->file < 0 || put(plan->file, process_file));
}

/* False: the system lacks the call; on exec() what is to be closed is. */
static bool close_others(const struct process_plan *plan)
{
#ifdef SYS_close_range
    const int first = plan->file < 0 ? process_file : process_file + 1;
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return true;
#else
    (void)plan;
#endif
    return false;
}

static void ignore_end(void)
{
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        (void)signal(asking[i], SIG_IGN);
}

/* In the new process. False: it lacks files. */
static bool follow(const struct process_plan *plan, pid_t parent)
{
    const struct rlimit none = {0, 0};
    if (plan->has_group) (void)setpgid(0, 0);
    if (plan->dies_with_parent) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(process_exit_not_found);
    }
    if (plan->leaves_no_core) (void)setrlimit(RLIMIT_CORE, &none);
    if (plan->ignores_end) ignore_end();
    if (!set_files(plan)) return false;
    reset_signals(plan->has_group);
    return true;
}

/* In the new process, whose memory is the parent's until exec(). */
static _Noreturn void become(struct start *start)
{
    const struct process_plan *plan = start->plan;
    if (follow(plan, start->parent)) {
        (void)close_others(plan);
        (void)execve(plan->program != NULL ? plan->program : "/proc/self/exe",
                plan->arguments,
                plan->environment != NULL ? plan->environment : environ);
    }
    start->error = errno;
    _exit(process_exit_not_found);
}

/* vfork(): an application may have much memory, whose tables fork() copies, and
 * handlers for fork(). A function of its own, whose variables the new process
 * does not change. */
static __attribute__((noinline)) pid_t spawn(struct start *start)
{
    const pid_t pid = vfork();
    if (pid == 0) become(start);
    return pid;
}

int process_start(struct process *process, const struct process_plan *plan)
{
    struct start start = {.plan = plan, .parent = getpid()};
    sigset_t all;
    sigset_t before;
    *process = (struct process){.has_group = plan->has_group};
    /* No handler runs in the new process while it shares this memory. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = spawn(&start);
    const int error = pid < 0 ? errno : start.error;
    if (pid > 0 && error != 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) process->number = pid;
    return error;
}

static _Noreturn void run_copy(const struct process_plan *plan, pid_t parent,
        int (*run)(void *user), void *user)
{
    if (!follow(plan, parent)) _exit(process_exit_not_found);
    if (!close_others(plan)) {
        const int most = (int)sysconf(_SC_OPEN_MAX);
        for (int fd = process_file + (plan->file >= 0); fd < most; fd++)
            (void)close(fd);
    }
    _exit(run(user));
}

int process_start_copy(struct process *process, const struct process_plan *plan,
        int (*run)(void *user), void *user)
{
    const pid_t parent = getpid();
    sigset_t all;
    sigset_t before;
    *process = (struct process){.has_group = plan->has_group};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0) run_copy(plan, parent, run, user);
    const int error = pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) process->number = pid;
    return error;
}

void process_set_name(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}

int process_become(const struct process_plan *plan)
{
    if (!put(plan->input, STDIN_FILENO)) return errno;
    (void)execve("/proc/self/exe", plan->arguments, plan->environment);
    return errno;
}

int process_become_command(char *const arguments[])
{
    (void)execvp(arguments[0], arguments);
    return errno;
}

/* ---- Ending -------------------------------------------------------------- */

/* Its number is nobody else's until it is reaped. -1: the application has done
 * that; 0: it runs; 1: it has ended. */
static int look(const struct process *process, int flags)
{
    siginfo_t info = {.si_pid = 0};
    int result;
    do
        result = waitid(
                P_PID, (id_t)process->number, &info, WEXITED | WNOWAIT | flags);
    while (result != 0 && errno == EINTR);
    return result != 0 ? -1 : info.si_pid == (pid_t)process->number;
}

void process_be_nice(long number, int niceness)
{
    (void)setpriority(PRIO_PROCESS, (id_t)number, niceness);
}

bool process_ended(
        struct process *process, struct process_end *end, uint64_t until_ns)
{
    enum { pause_ns = 1000000 };
    const int flags = until_ns == UINT64_MAX ? 0 : WNOHANG;
    const pid_t pid = (pid_t)process->number;
    int status = 0;
    int found;
    pid_t waited;
    *end = (struct process_end){.code = -1};
    if (pid == 0) return true;
    while ((found = look(process, flags)) == 0) {
        if (clock_ns() >= until_ns) return false;
        clock_sleep_ns(pause_ns);
    }
    process->number = 0;
    if (found < 0) return true;
    if (process->has_group) (void)kill(-pid, SIGKILL);
    do
        waited = waitpid(pid, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited != pid) return true;
    if (WIFEXITED(status)) end->code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
    return true;
}

void process_kill(const struct process *process)
{
    const pid_t pid = (pid_t)process->number;
    const int found = pid != 0 ? look(process, WNOHANG) : -1;
    if (found < 0) return;
    if (process->has_group) (void)kill(-pid, SIGKILL);
    if (found == 0) (void)kill(pid, SIGKILL);
}

void process_resume(const struct process *process)
{
    if (process->number != 0 && look(process, WNOHANG) == 0)
        (void)kill((pid_t)process->number, SIGCONT);
}

bool process_was_asked_to_end(const struct process_end *end)
{
    return end->signal == SIGINT || end->signal == SIGTERM
           || end->signal == SIGHUP || end->signal == SIGQUIT;
}

bool process_has_crashed(const struct process_end *end)
{
    static const int signals[] = {
            SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (end->signal == signals[i]) return true;
    return false;
}

bool process_was_killed(const struct process_end *end)
{
    return end->signal == SIGKILL;
}

/* ---- Environments -------------------------------------------------------- */

/* Takes the text over. */
static void append(struct process_variables *v, char *text)
{
    char **list = text == NULL || v->has_failed
                          ? NULL
                          : realloc(v->list, (v->count + 2) * sizeof *list);
    if (list == NULL) {
        v->has_failed = true;
        free(text);
        return;
    }
    v->list = list;
    v->list[v->count++] = text;
    v->list[v->count] = NULL;
}

void process_variables_init(struct process_variables *variables)
{
    *variables = (struct process_variables){.list = calloc(1, sizeof(char *))};
    variables->has_failed = variables->list == NULL;
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++)
        append(variables, strdup(environ[i]));
}

void process_variables_fini(struct process_variables *variables)
{
    for (size_t i = 0; i < variables->count; i++)
        free(variables->list[i]);
    free(variables->list);
    *variables = (struct process_variables){.list = NULL};
}

void process_variables_remove(
        struct process_variables *variables, const char *prefix)
{
    const size_t size = strlen(prefix);
    size_t kept = 0;
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->list[i], prefix, size) == 0)
            free(variables->list[i]);
        else
            variables->list[kept++] = variables->list[i];
    variables->count = kept;
    if (variables->list != NULL) variables->list[kept] = NULL;
}

void process_variables_set(struct process_variables *variables,
        const char *name, const char *value)
{
    char *text = NULL;
    char *prefix = NULL;
    if (asprintf(&prefix, "%s=", name) < 0) {
        variables->has_failed = true;
        return;
    }
    process_variables_remove(variables, prefix);
    if (value != NULL)
        append(variables,
                asprintf(&text, "%s%s", prefix, value) < 0 ? NULL : text);
    free(prefix);
}

const char *process_variables_get(
        const struct process_variables *variables, const char *name)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->list[i], name, size) == 0
                && variables->list[i][size] == '=')
            return variables->list[i] + size + 1;
    return NULL;
}
