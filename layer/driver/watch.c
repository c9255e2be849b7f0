/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/watch.h"

#include "src/platform/clock.h"
#include "src/platform/thread.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint under_way; /* works */
static atomic_ulong begun;    /* works that ever were */

/* The threads that were at work are not in the child. */
static void forget_parents(void)
{
    atomic_store(&under_way, 0);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget_parents);
}

void watch_work_begin(void)
{
    atomic_fetch_add(&begun, 1);
    atomic_fetch_add(&under_way, 1);
}

void watch_work_end(void)
{
    atomic_fetch_sub(&under_way, 1);
}

/* ---- The processor ------------------------------------------------------- */

/* A little of it is everywhere. */
static bool has_waited(const struct watch *watch)
{
    uint64_t waiting = 0;
    if (!watch->knows_waiting)
        return thread_preemptions() != watch->preemptions;
    return !thread_waiting_ns(&waiting)
           || waiting - watch->waiting_ns > (clock_ns() - watch->begun_ns) / 8;
}

/* To look costs some 20 us: of many loads some will do. */
enum { all_at_first = 32, one_of_later = 8 };

/* ---- Watching ------------------------------------------------------------ */

void watch_begin(struct watch *watch)
{
    watch->begun = atomic_fetch_add(&begun, 1) + 1;
    watch->alone = atomic_fetch_add(&under_way, 1) == 0;
    watch->is_sample =
            watch->begun <= all_at_first || watch->begun % one_of_later == 0;
    if (!watch->is_sample) return;
    watch->knows_waiting = thread_waiting_ns(&watch->waiting_ns);
    if (!watch->knows_waiting) watch->preemptions = thread_preemptions();
    watch->begun_ns = clock_ns();
}

bool watch_end(const struct watch *watch)
{
    watch_work_end();
    return watch->is_sample && watch->alone
           && atomic_load(&begun) == watch->begun && !has_waited(watch);
}
