/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/quiet.h"

#include "src/platform/clock.h"

#include <pthread.h>
#include <stdatomic.h>

static const uint64_t moment_ns = 50000000;

static atomic_int under_way;           /* calls */
static atomic_uint_least64_t ended_ns; /* the last one that did */

/* The threads that were in calls are not in the child. */
static void forget_parents(void)
{
    atomic_store(&under_way, 0);
}

__attribute__((constructor)) static void survive_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget_parents);
}

void quiet_call_begin(void)
{
    atomic_fetch_add(&under_way, 1);
}

void quiet_call_end(void)
{
    atomic_store(&ended_ns, clock_ns());
    atomic_fetch_sub(&under_way, 1);
}

uint64_t quiet_from_ns(uint64_t now)
{
    if (atomic_load(&under_way) > 0) return now + moment_ns;
    const uint64_t ended = atomic_load(&ended_ns);
    return ended > 0 ? ended + moment_ns : 0;
}
