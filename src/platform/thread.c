/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/thread.h"

#include "src/platform/file.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void thread_signals_block(struct thread_signals *signals)
{
    static const int faults[] = {
            SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    sigset_t blocked;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void)sigdelset(&blocked, faults[i]);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &signals->before);
}

void thread_signals_restore(const struct thread_signals *signals)
{
    (void)pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    struct thread_signals signals;
    thread_signals_block(&signals);
    const bool is_started = pthread_create(thread, NULL, run, user) == 0;
    thread_signals_restore(&signals);
    return is_started;
}

void thread_be_nice(int niceness)
{
    /* On Linux a thread has one of its own. */
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness);
}

bool thread_waiting_ns(uint64_t *ns)
{
    char text[128];
    size_t size = 0;
    int fd;
    if (file_open(&fd, file_here, "/proc/thread-self/schedstat",
                file_for_reading, 0)
            != 0)
        return false;
    (void)file_read_some(&size, fd, text, sizeof text - 1);
    (void)file_close(fd);
    text[size] = '\0';
    return sscanf(text, "%*u %" SCNu64, ns) == 1;
}

uint64_t thread_preemptions(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nivcsw;
}

int thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error != 0) return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) error = pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return error;
}

bool thread_condition_wait(
        pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns)
{
    if (deadline_ns == UINT64_MAX)
        return pthread_cond_wait(condition, mutex) == 0;
    const struct timespec until = {(time_t)(deadline_ns / 1000000000u),
            (long)(deadline_ns % 1000000000u)};
    return pthread_cond_timedwait(condition, mutex, &until) == 0;
}
