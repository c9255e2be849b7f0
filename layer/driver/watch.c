/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/watch.h"

#include "src/platform/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* How long the thread could have run and had no processor, in ns. False: this
 * system does not tell. */
static bool read_waiting(uint64_t *ns)
{
    char text[128];
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return false;
    text[n] = '\0';
    return sscanf(text, "%*u %" SCNu64, ns) == 1;
}

/* How often the processor was given to somebody else. */
static long count_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* A little of it is everywhere. */
static bool has_waited(const struct watch *watch)
{
    uint64_t waiting = 0;
    if (!watch->knows_waiting) return count_preemptions() != watch->preemptions;
    return !read_waiting(&waiting)
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
    watch->knows_waiting = read_waiting(&watch->waiting_ns);
    watch->preemptions = count_preemptions();
    watch->begun_ns = clock_ns();
}

bool watch_end(const struct watch *watch)
{
    watch_work_end();
    return watch->is_sample && watch->alone
           && atomic_load(&begun) == watch->begun && !has_waited(watch);
}
