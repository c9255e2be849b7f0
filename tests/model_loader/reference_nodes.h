/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of reference_graph.h. */
#ifndef DNNL_CACHE_TESTS_MODEL_REFERENCE_NODES_H
#define DNNL_CACHE_TESTS_MODEL_REFERENCE_NODES_H

#include "model/graph/graph.h"

/* Twice what rounding to f32 may change, see tests/reference/reference.h. */
#define REFERENCE_EPS 0x1p-23

/* A tensor's elements in row-major order. Those of constants stay where the
 * graph has them. */
struct reference_slot {
    const struct graph_tensor *tensor;
    double *values;     /* NULL: the tensor's data */
    double *tolerances; /* NULL: all 0 */
};

double reference_value_at(const struct reference_slot *slot, int64_t i);
double reference_tolerance_at(const struct reference_slot *slot, int64_t i);

/* Room for so many, all 0; aborts when out of memory. */
double *reference_alloc(int64_t count);

/* Distances of neighbours, in elements; 0 where a tensor of this shape is
 * broadcast to another. */
void reference_strides(
        const struct graph_shape *shape, int64_t strides[graph_max_ndims]);
void reference_broadcast(const struct graph_shape *from,
        const struct graph_shape *to, int64_t strides[graph_max_ndims]);
/* Splits an element's number into its place in each dimension. */
void reference_split(const struct graph_shape *shape, int64_t index,
        int64_t place[graph_max_ndims]);
/* Where a place is, by strides. */
int64_t reference_locate(const struct graph_shape *shape,
        const int64_t place[graph_max_ndims],
        const int64_t strides[graph_max_ndims]);

/* A node with its tensors: inputs that are not given are NULL; the output has
 * room for values and tolerances, all 0. */
struct reference_call {
    const struct graph_node *node;
    const struct reference_slot **inputs;
    int input_count;
    struct reference_slot *output;
};

typedef void reference_function(const struct reference_call *call);

reference_function reference_conv, reference_conv_transpose;
reference_function reference_max_pool, reference_average_pool;
reference_function reference_gemm, reference_matmul_node;
reference_function reference_batch_norm, reference_line_norm;
reference_function reference_lrn_node, reference_softmax_node;
reference_function reference_unary, reference_cast, reference_binary_node;
reference_function reference_prelu_node, reference_reduce;
reference_function reference_concat_node, reference_gather, reference_move;
reference_function reference_pad, reference_resize;
reference_function reference_where, reference_cum_sum, reference_arg;
reference_function reference_gather_elements, reference_scatter;
reference_function reference_recurrent;

/* What is left of a number in a type of integers: it wraps around. Others stay.
 */
double reference_wrap(enum graph_type type, double value);

#endif /* DNNL_CACHE_TESTS_MODEL_REFERENCE_NODES_H */
