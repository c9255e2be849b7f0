/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/context_state.h"

#include <pthread.h>
#include <stdlib.h>

/* Guards the list and every `engines`; leaf; it allocates. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context_state *states;

dnnl_status_t context_state_acquire(
        cl_context context, struct context_state **out)
{
    pthread_mutex_lock(&lock);
    struct context_state *state = states;
    while (state != NULL && state->context != context)
        state = state->next;
    if (state == NULL && (state = calloc(1, sizeof *state)) != NULL) {
        state->context = context;
        atomic_init(&state->part, NULL);
        state->next = states;
        states = state;
    }
    if (state != NULL) state->engines++;
    pthread_mutex_unlock(&lock);
    if (state == NULL) return dnnl_out_of_memory;
    *out = state;
    return dnnl_success;
}

void context_state_release(struct context_state *state)
{
    if (state == NULL) return;
    pthread_mutex_lock(&lock);
    const bool last = --state->engines == 0;
    if (last) {
        struct context_state **at = &states;
        while (*at != state)
            at = &(*at)->next;
        *at = state->next;
    }
    pthread_mutex_unlock(&lock);
    if (!last) return;
    struct context_part *part = atomic_load(&state->part);
    if (part != NULL) part->release(part);
    free(state);
}

bool context_state_is_there(cl_context context)
{
    pthread_mutex_lock(&lock);
    const struct context_state *state = states;
    while (state != NULL && state->context != context)
        state = state->next;
    pthread_mutex_unlock(&lock);
    return state != NULL;
}
