/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/waits.h"

#include <pthread.h>
#include <stddef.h>

/* What the calling thread waits for; its address stands for the thread. */
static _Thread_local struct work *awaited;

/* Guards every thread's awaited and every work's doer. Leaf. Taken once a piece
 * of work and twice a wait, never by a hit. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void work_init(struct work *work)
{
    work->doer = &awaited;
}

void work_begin(struct work *work)
{
    pthread_mutex_lock(&lock);
    work->doer = &awaited;
    pthread_mutex_unlock(&lock);
}

void work_end(struct work *work)
{
    pthread_mutex_lock(&lock);
    work->doer = NULL;
    pthread_mutex_unlock(&lock);
}

enum waits_answer waits_begin(struct work *work)
{
    enum waits_answer answer = waits_granted;
    pthread_mutex_lock(&lock);
    struct work *at = work;
    while (at != NULL && at->doer != NULL && at->doer != &awaited)
        at = *at->doer;
    if (at != NULL && at->doer != NULL)
        answer = at == work ? waits_nested : waits_circular;
    else
        awaited = work;
    pthread_mutex_unlock(&lock);
    return answer;
}

void waits_end(void)
{
    pthread_mutex_lock(&lock);
    awaited = NULL;
    pthread_mutex_unlock(&lock);
}
