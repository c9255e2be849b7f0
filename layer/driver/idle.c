/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/idle.h"

#include "layer/driver/next_layer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long contexts; /* the application's references, of all */

bool idle_is_certain(void)
{
    return atomic_load(&contexts) <= 0;
}

void idle_count_context(int references)
{
    atomic_fetch_add(&contexts, references);
}

/* ---- Contexts that the application watches ------------------------------- */

struct watched {
    struct watched *next;
    cl_context context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct watched *watched;                          /* guarded by it */

static struct watched **find_locked(cl_context context)
{
    struct watched **place = &watched;
    while (*place != NULL && (*place)->context != context)
        place = &(*place)->next;
    return place;
}

/* Its handle may be another's next. */
static void CL_CALLBACK forget(cl_context context, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    struct watched **place = find_locked(context);
    struct watched *gone = *place;
    if (gone != NULL) *place = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
}

bool idle_is_watched(cl_context context)
{
    pthread_mutex_lock(&lock);
    const bool is_watched = *find_locked(context) != NULL;
    pthread_mutex_unlock(&lock);
    return is_watched;
}

void idle_watch_context(cl_context context)
{
    struct watched *new_one = malloc(sizeof *new_one);
    if (new_one == NULL || idle_is_watched(context)
            || next_layer->clSetContextDestructorCallback(context, forget, NULL)
                       != CL_SUCCESS) {
        free(new_one);
        return;
    }
    new_one->context = context;
    pthread_mutex_lock(&lock);
    new_one->next = watched;
    watched = new_one;
    pthread_mutex_unlock(&lock);
}

/* A callback that comes yet finds nothing. */
void idle_forget(void)
{
    pthread_mutex_lock(&lock);
    struct watched *all = watched;
    watched = NULL;
    pthread_mutex_unlock(&lock);
    atomic_store(&contexts, 0);
    while (all != NULL) {
        struct watched *next = all->next;
        free(all);
        all = next;
    }
}
