/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of fold.h share. */
#ifndef DNNL_CACHE_MODEL_GRAPH_FOLD_PARTS_H
#define DNNL_CACHE_MODEL_GRAPH_FOLD_PARTS_H

#include "model/graph/graph.h"

/* True for operators that compute new elements. */
bool fold_is_math(enum graph_op op);
bool fold_math(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure);

/* A copy of input 0 with updates. */
bool fold_scatter(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure);

/* Distances of neighbours in row-major order, in elements. */
void fold_strides(
        const struct graph_shape *shape, int64_t strides[graph_max_ndims]);
/* The same for an input that is broadcast to a shape: 0 where it is. */
void fold_broadcast_strides(const struct graph_shape *from,
        const struct graph_shape *to, int64_t strides[graph_max_ndims]);

/* Goes to the next place of a shape, and with it to where two inputs have their
 * elements. */
void fold_next_place(const struct graph_shape *shape,
        int64_t place[graph_max_ndims], int64_t strides[2][graph_max_ndims],
        int64_t at[2]);

/* False, and nothing is done, for types and operators that are none of those
 * that large weights have. */
bool fold_convert(const struct graph_tensor *x, struct graph_tensor *result);
bool fold_lines(enum graph_op op, const struct graph_tensor *a,
        const struct graph_tensor *b, struct graph_tensor *result);

bool fold_is_float(enum graph_type type);
/* The nearest integer towards 0 that there is; NaN is 0. */
int64_t fold_to_int(double value);
/* An element of i32, i64 or bool; of others, the nearest integer towards 0. */
int64_t fold_read_int(const struct graph_tensor *tensor, int64_t at);
/* An element of any type. */
double fold_read_float(const struct graph_tensor *tensor, int64_t at);
/* Writes one: rounded to f32, integers cut to the bits that there are. */
void fold_write_int(struct graph_tensor *tensor, int64_t at, int64_t value);
void fold_write_float(struct graph_tensor *tensor, int64_t at, double value);

#endif /* DNNL_CACHE_MODEL_GRAPH_FOLD_PARTS_H */
