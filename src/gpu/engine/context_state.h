/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engines of one cl_context share. It is of whoever puts something
 * there, and goes with the last engine, so that nothing keeps a context alive.
 */
#ifndef DNNL_CACHE_GPU_CONTEXT_STATE_H
#define DNNL_CACHE_GPU_CONTEXT_STATE_H

#include "dnnl_cache.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The first member of what is shared. */
struct context_part {
    /* Called when the last engine is released, with no lock held. */
    void (*release)(struct context_part *part);
};

struct context_state {
    cl_context context;                  /* retained by its engines */
    _Atomic(struct context_part *) part; /* set once; NULL: not needed yet */
    int engines;                         /* guarded by context_state.c's lock */
    struct context_state *next;
};

/* The state of a context, for one engine more. Released by the engine, before
 * it releases the context. */
dnnl_status_t context_state_acquire(
        cl_context context, struct context_state **out);
void context_state_release(struct context_state *state);

/* True while the context has an engine. */
bool context_state_is_there(cl_context context);

#endif /* DNNL_CACHE_GPU_CONTEXT_STATE_H */
