/* SPDX-License-Identifier: Apache-2.0 */
/* server_process.h: starting and ending a server of a test's own. */
#ifndef DNNL_CACHE_TESTS_SERVER_PROCESS_H
#define DNNL_CACHE_TESTS_SERVER_PROCESS_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts a program that ends with this process. Files that it writes have at
 * most so many bytes; 0: any number. */
static inline pid_t server_spawn(
        const char *const *arguments, uint64_t most_file_bytes)
{
    sigset_t none;
    const struct rlimit limit = {most_file_bytes, most_file_bytes};
    const pid_t pid = fork();
    if (pid != 0) return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (most_file_bytes > 0) {
        (void)signal(SIGXFSZ, SIG_IGN); /* as with a full disk, writing fails */
        (void)setrlimit(RLIMIT_FSIZE, &limit);
    }
    (void)execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

/* Waits until it answers. False: it has ended, or takes a minute. */
static inline bool server_await(
        pid_t pid, bool (*answers)(const void *server), const void *server)
{
    enum { limit_ms = 60000 };
    for (int waited = 0; waited < limit_ms; waited += 5) {
        if (answers(server)) return true;
        if (waitpid(pid, NULL, WNOHANG) == pid) return false;
        (void)poll(NULL, 0, 5);
    }
    return false;
}

/* Kills it and waits for its end; it is 0 then. One that does not run (0) is
 * fine. */
static inline void server_kill(pid_t *pid)
{
    if (*pid <= 0) return;
    (void)kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

#endif /* DNNL_CACHE_TESTS_SERVER_PROCESS_H */
