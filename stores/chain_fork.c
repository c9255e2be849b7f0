/* SPDX-License-Identifier: Apache-2.0 */
#include "chain_internal.h"

/* ---- fork() ----------------------------------------------------------------
 *
 * The locks of a chain are held for a few instructions at a time. fork() takes
 * all of them, so that no thread has one that is missing in the child. */

/* Guards the list; taken before the locks of chains. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct chain *all;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&all_lock);
    for (struct chain *chain = all; chain != NULL; chain = chain->next) {
        (void)pthread_mutex_lock(&chain->lock);
        (void)pthread_mutex_lock(&chain->loans.lock);
    }
}

static void after_fork(void)
{
    for (struct chain *chain = all; chain != NULL; chain = chain->next) {
        (void)pthread_mutex_unlock(&chain->loans.lock);
        (void)pthread_mutex_unlock(&chain->lock);
    }
    (void)pthread_mutex_unlock(&all_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

void chain_locks_init(struct chain *chain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_init(&chain->lock, NULL); /* cannot fail on Linux */
    (void)pthread_mutex_init(&chain->loans.lock, NULL);
    (void)pthread_mutex_lock(&all_lock);
    chain->next = all;
    all = chain;
    (void)pthread_mutex_unlock(&all_lock);
}

void chain_locks_fini(struct chain *chain)
{
    (void)pthread_mutex_lock(&all_lock);
    struct chain **at = &all;
    while (*at != chain)
        at = &(*at)->next;
    *at = chain->next;
    (void)pthread_mutex_unlock(&all_lock);
    (void)pthread_mutex_destroy(&chain->lock);
    (void)pthread_mutex_destroy(&chain->loans.lock);
}
