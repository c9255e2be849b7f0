/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/waiting.h"

#include "src/gpu/program/object/program.h"

#include <stdlib.h>

/* Taken before the lock of a program's use. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct program *first; /* guarded by lock */

void waiting_add(struct program *program)
{
    struct waiting_link *link = &program->waiting;
    pthread_mutex_lock(&lock);
    link->next = first;
    link->at = &first;
    if (first != NULL) first->waiting.at = &link->next;
    first = program;
    pthread_mutex_unlock(&lock);
}

void waiting_remove(struct program *program)
{
    struct waiting_link *link = &program->waiting;
    pthread_mutex_lock(&lock);
    if (link->at != NULL) {
        *link->at = link->next;
        if (link->next != NULL) link->next->waiting.at = link->at;
        link->at = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* False: it is being released, and waits for the lock to leave the list. */
static bool retain_living(struct program *program)
{
    int references = atomic_load(&program->references);
    while (references > 0)
        if (atomic_compare_exchange_weak(
                    &program->references, &references, references + 1))
            return true;
    return false;
}

dnnl_status_t waiting_list(cl_context context, cl_device_id device,
        struct program ***programs, size_t *count)
{
    size_t all = 0;
    size_t found = 0;
    pthread_mutex_lock(&lock);
    for (const struct program *p = first; p != NULL; p = p->waiting.next)
        all++;
    struct program **list = calloc(all + 1, sizeof *list);
    for (struct program *p = first; list != NULL && p != NULL;
            p = p->waiting.next)
        if ((context == NULL || (p->context == context && p->device == device))
                && retain_living(p))
            list[found++] = p;
    pthread_mutex_unlock(&lock);
    if (list == NULL) return dnnl_out_of_memory;
    *programs = list;
    *count = found;
    return dnnl_success;
}

uint64_t waiting_count_uncaptured(void)
{
    uint64_t count = 0;
    pthread_mutex_lock(&lock);
    for (struct program *p = first; p != NULL; p = p->waiting.next)
        count += program_is_never_captured(p);
    pthread_mutex_unlock(&lock);
    return count;
}
