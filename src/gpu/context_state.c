/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/engine.h"

#include "gpu/program.h"

#include <stdlib.h>

/* More programs than any network needs; a bound against runaways. */
enum { PROGRAM_CACHE_CAPACITY = 4096 };

/* Guards the list and every `engines`. Leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context_state *states;

static dnnl_status_t state_create(
        cl_context context, cl_device_id device, struct context_state **out)
{
    struct context_state *state = calloc(1, sizeof *state);
    if (state == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = cache_create(
            &state->programs, PROGRAM_CACHE_CAPACITY, &program_cache_ops);
    if (st != dnnl_success) {
        free(state);
        return st;
    }
    state->context = context;
    state->device = device;
    *out = state;
    return dnnl_success;
}

static void state_destroy(struct context_state *state)
{
    if (state == NULL) return;
    cache_destroy(state->programs);
    free(state);
}

/* The state of a context and device with one engine more, NULL if there is
 * none yet. With fresh not NULL that one enters the list then. */
static struct context_state *find_or_add(
        cl_context context, cl_device_id device, struct context_state *fresh)
{
    pthread_mutex_lock(&lock);
    struct context_state *state = states;
    while (state != NULL
            && (state->context != context || state->device != device))
        state = state->next;
    if (state == NULL && fresh != NULL) {
        state = fresh;
        state->next = states;
        states = state;
    }
    if (state != NULL) state->engines++;
    pthread_mutex_unlock(&lock);
    return state;
}

dnnl_status_t context_state_acquire(
        cl_context context, cl_device_id device, struct context_state **out)
{
    struct context_state *state = find_or_add(context, device, NULL);
    if (state == NULL) {
        struct context_state *fresh;
        dnnl_status_t st = state_create(context, device, &fresh);
        if (st != dnnl_success) return st;
        state = find_or_add(context, device, fresh);
        if (state != fresh) state_destroy(fresh);
    }
    *out = state;
    return dnnl_success;
}

void context_state_release(struct context_state *state)
{
    if (state == NULL) return;
    pthread_mutex_lock(&lock);
    bool last = --state->engines == 0;
    if (last) {
        struct context_state **at = &states;
        while (*at != state)
            at = &(*at)->next;
        *at = state->next;
    }
    pthread_mutex_unlock(&lock);
    if (last) state_destroy(state);
}
