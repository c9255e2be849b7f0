/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer's launch of a recurrent primitive: kernels/rnn.cl. Its descriptor
 * has the cell in alg_kind, the direction in with_groups, the activation in
 * axis, and in size 1 if the gates in scratch memory are those of one sequence
 * after the other, 0 if those of one step after the other.
 */
#ifndef DNNL_CACHE_GPU_KINDS_RNN_PLAN_H
#define DNNL_CACHE_GPU_KINDS_RNN_PLAN_H

#include "src/gpu/primitive/primitive_desc.h"

/* Gates of a cell's products, and its biases. */
int rnn_gates(dnnl_alg_kind_t cell);
int rnn_biases(dnnl_alg_kind_t cell);

static inline bool rnn_is_bidirectional(int direction)
{
    return direction == dnnl_bidirectional_concat
           || direction == dnnl_bidirectional_sum;
}

/* Floats of scratch memory: gates[directions][steps * batch][gates * units],
 * from the begin, and the states. */
dnnl_dim_t rnn_scratch_floats(dnnl_alg_kind_t cell, dnnl_dim_t directions,
        dnnl_dim_t steps, dnnl_dim_t batch, dnnl_dim_t units);

/* A struct primitive_kind's. */
dnnl_status_t rnn_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_KINDS_RNN_PLAN_H */
