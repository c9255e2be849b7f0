/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h: threads of ours in a process that is the application's. Mutexes,
 * conditions and once are pthread.h's, which every system has as a library.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_THREAD_H
#define DNNL_CACHE_SRC_PLATFORM_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts one that gets no signal but those of its own faults: the others are
 * the application's, and its handlers run in its threads. The caller joins it.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

struct thread_signals {
    sigset_t before; /* the thread's mask */
};

/* Between the two the calling thread, and those that it starts, get no signal
 * but those of their own faults. Around a library that starts threads. */
void thread_signals_block(struct thread_signals *signals);
void thread_signals_restore(const struct thread_signals *signals);

/* Others go before the calling thread, by so much (1 to 19: UNIX's niceness).
 */
void thread_be_nice(int niceness);

/* How long the calling thread could have run and had no processor. False: the
 * system does not tell. */
bool thread_waiting_ns(uint64_t *ns);

/* How often its processor was given to another one; 0 if the system does not
 * tell. */
uint64_t thread_preemptions(void);

/* A condition whose deadlines are clock_ns()'s. 0 or an errno value. */
int thread_condition_init(pthread_cond_t *condition);

/* Waits for it, at most until then (UINT64_MAX: for ever). False: it is too
 * late. */
bool thread_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
        uint64_t deadline_ns);

#endif /* DNNL_CACHE_SRC_PLATFORM_THREAD_H */
