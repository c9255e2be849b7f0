/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random creation calls of all kinds of primitives: shapes, types, layouts and
 * attributes that mostly agree with each other, and sometimes do not.
 */
#ifndef DNNL_CACHE_TESTS_API_RANDOM_CALLS_H
#define DNNL_CACHE_TESTS_API_RANDOM_CALLS_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct random_calls {
    uint64_t seed; /* stepped by each draw */
    dnnl_engine_t engine;
    dnnl_engine_t host; /* a dnnl_cpu engine, for reorders */
    /* Numbers up to those of 64 bits, of every type and layout; else numbers
     * from 0 to 4, and what kernels often have. */
    bool is_extreme;
};

struct random_call {
    const char *kind; /* static: what was called */
    dnnl_status_t status;
    dnnl_primitive_desc_t pd; /* the caller's; NULL unless it was created */
};

void random_calls_make(struct random_calls *calls, struct random_call *call);

/* A random memory descriptor, the caller's; NULL: what was drawn cannot be. */
dnnl_memory_desc_t random_calls_md(struct random_calls *calls);

/* A random number of a dimension. */
dnnl_dim_t random_calls_number(struct random_calls *calls);

/* A random number below `below`. */
uint64_t random_calls_draw(struct random_calls *calls, uint64_t below);

#endif /* DNNL_CACHE_TESTS_API_RANDOM_CALLS_H */
