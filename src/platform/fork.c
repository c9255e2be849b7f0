/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/fork.h"

#include "src/platform/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- fork() -------------------------------------------------------------- */

static atomic_uint forks;

/* Guards that a mutex is made anew once; only tries others while it is held. */
static pthread_mutex_t renewal = PTHREAD_MUTEX_INITIALIZER;

/* Guards what follows; held while the process forks. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed; /* monotonic clock */
static size_t inside;               /* threads at work that fork() waits for */
static bool is_closed;              /* a thread waits to fork */

static _Thread_local unsigned depth; /* of such work in this thread */

static void before_fork(void)
{
    pthread_mutex_lock(&gate);
    is_closed = true; /* nobody else begins now */
    while (inside > 0)
        pthread_cond_wait(&gate_changed, &gate);
}

static void after_fork_in_parent(void)
{
    is_closed = false;
    pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate);
}

static void after_fork_in_child(void)
{
    atomic_fetch_add(&forks, 1);
    (void)pthread_mutex_init(&renewal, NULL);
    is_closed = false;
    /* Threads that waited here are not in the child. */
    (void)thread_condition_init(&gate_changed);
    pthread_mutex_unlock(&gate);
}

/* The C library calls no handler before it is registered, but says so to no
 * other thread: the lock does. Not held while registering, which waits for a
 * fork() that holds it. */
static void begin(void)
{
    pthread_mutex_lock(&gate);
    (void)thread_condition_init(&gate_changed);
    pthread_mutex_unlock(&gate);
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

static void watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, begin);
}

unsigned fork_count(void)
{
    watch_forks();
    return atomic_load(&forks);
}

/* ---- Mutexes ------------------------------------------------------------- */

int fork_mutex_init(struct fork_mutex *mutex)
{
    atomic_init(&mutex->forks, fork_count());
    return pthread_mutex_init(&mutex->mutex, NULL);
}

void fork_mutex_fini(struct fork_mutex *mutex)
{
    /* A thread of the parent may have it. */
    (void)fork_lock(mutex);
    fork_unlock(mutex);
    pthread_mutex_destroy(&mutex->mutex);
}

enum fork_state fork_lock(struct fork_mutex *mutex)
{
    const unsigned now = fork_count();
    enum fork_state state = fork_same;
    if (atomic_load(&mutex->forks) != now) {
        pthread_mutex_lock(&renewal);
        if (atomic_load(&mutex->forks) != now) {
            state = fork_whole;
            if (pthread_mutex_trylock(&mutex->mutex) != 0) {
                state = fork_torn;
                (void)pthread_mutex_init(&mutex->mutex, NULL);
                pthread_mutex_lock(&mutex->mutex);
            }
            atomic_store(&mutex->forks, now);
        }
        pthread_mutex_unlock(&renewal);
    }
    if (state == fork_same) pthread_mutex_lock(&mutex->mutex);
    return state;
}

void fork_unlock(struct fork_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->mutex);
}

/* ---- Work that fork() waits for ------------------------------------------ */

int fork_enter(uint64_t deadline_ns)
{
    watch_forks();
    pthread_mutex_lock(&gate);
    /* fork() waits for a thread that is inside already. */
    while (is_closed && depth == 0
            && thread_condition_wait(&gate_changed, &gate, deadline_ns))
        continue;
    const bool may_enter = !is_closed || depth > 0;
    if (may_enter) {
        inside++;
        depth++;
    }
    pthread_mutex_unlock(&gate);
    return may_enter ? 0 : ETIMEDOUT;
}

void fork_leave(void)
{
    pthread_mutex_lock(&gate);
    depth--;
    if (--inside == 0 && is_closed) pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate);
}
