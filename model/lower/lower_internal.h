/* SPDX-License-Identifier: Apache-2.0 */
/* lower_internal.h: what the lower_*.c share. Functions return false after
 * they have said why in the lowering's failure. */
#ifndef DNNL_CACHE_MODEL_LOWER_LOWER_INTERNAL_H
#define DNNL_CACHE_MODEL_LOWER_LOWER_INTERNAL_H

#include "model/lower/lower.h"

struct lowering {
    const struct graph *graph;
    struct plan *plan;
    struct failure *failure;
    struct view *views; /* by tensor; buffer -1: none yet */
    int *uses;          /* by tensor: nodes and outputs that take it */
    int *reader;        /* by tensor: the last node that takes it */
    bool *done;         /* by node: another one's step does it */
    int64_t host_bytes; /* of constants that it made */
};

bool lower_out_of_memory(struct lowering *l);
/* Says "LABEL: WHAT". */
bool lower_refuse(
        struct lowering *l, const struct graph_node *node, const char *what);

/* ---- Tensors ------------------------------------------------------------- */

bool lower_has_input(const struct graph_node *node, int i);
const struct graph_tensor *lower_tensor(
        const struct lowering *l, const struct graph_node *node, int i);

/* The view of an input, which may be a constant. */
bool lower_input(struct lowering *l, const struct graph_node *node, int i,
        struct view *view);

/* The same of what normalizations take as floats, also between halves: a
 * constant. */
bool lower_float_input(struct lowering *l, const struct graph_node *node, int i,
        struct view *view);

/* A dense view of a tensor that a step will compute, which is known as its
 * from now on. */
bool lower_result(struct lowering *l, int tensor, struct view *view);

/* A new activation of these dimensions, which is no tensor of the graph's: of
 * floats, or of others. */
bool lower_scratch(
        struct lowering *l, int ndims, const int64_t *dims, struct view *view);
bool lower_scratch_of(struct lowering *l, enum element element, int ndims,
        const int64_t *dims, struct view *view);

/* What elements of a type are here. */
enum element lower_element(const struct lowering *l, enum graph_type type);

/* The type of OpenCL C that a tensor's integers wrap around in; NULL: they have
 * 64 bits, or are no integers. */
const char *lower_narrow_type(const struct lowering *l, int tensor);

/* Takes so many bytes, a product of two that are not negative, off what the
 * plan's own constants may have: 1 GiB. To be called before they are made. */
bool lower_charge(struct lowering *l, const struct graph_node *node,
        int64_t count, int64_t size);

/* A constant of floats of the plan's own, whose data from malloc() it takes
 * over. */
bool lower_constant(struct lowering *l, int ndims, const int64_t *dims,
        float *data, struct view *view);

/* True if the view is that of a whole constant of floats, dense. */
bool lower_is_constant(const struct lowering *l, const struct view *view);

/* Makes the view that of a new constant: element i of this one, in order, is
 * multiplied by factors[i / run]. Takes over factors, from malloc(). */
bool lower_scale_constant(
        struct lowering *l, struct view *view, float *factors, int64_t run);

/* ---- Steps --------------------------------------------------------------- */

/* A step for a node, with room for arguments; NULL, said. */
struct step *lower_step(struct lowering *l, const struct graph_node *node,
        enum step_kind kind, int room);

/* A copy of a view, dense. */
bool lower_copy(struct lowering *l, const struct graph_node *node,
        const struct view *from, struct view *to);

/* Computes `to` from `from` as a node of graph_op_pad says. */
bool lower_remap_pad(struct lowering *l, const struct graph_node *node,
        const struct view *from, const struct view *to);

/* Lets the step do more for its result, the tensor of that number: appends
 * post-ops for nodes that follow it and alone take it. Writes the tensor that
 * comes out at the end. */
bool lower_tail(struct lowering *l, struct step *step, int *tensor);

/* The end of a step, its DNNL_ARG_DST: with lower_tail(); without; and without,
 * in other dimensions of as many elements. */
bool lower_finish(struct lowering *l, struct step *step, int tensor);
bool lower_finish_plain(struct lowering *l, struct step *step, int tensor);
bool lower_finish_as(struct lowering *l, struct step *step, int tensor,
        int ndims, const int64_t *dims);

/* What a function of one element is to a chain of post-ops; false, and nothing
 * appended, if it is none. */
bool lower_append_function(struct step *step, const struct graph_node *node);

/* The exponent of a power of floats that is one constant number; false: it is
 * none. */
bool lower_exponent(const struct lowering *l, const struct graph_node *node,
        float *exponent);

/* The product of two tensors that are no floats of 32 bits. */
bool lower_exact_product(struct lowering *l, const struct graph_node *node,
        const struct view *a, const struct view *b);

/* ---- Operators ----------------------------------------------------------- */

typedef bool lower_operator(struct lowering *l, const struct graph_node *node);

lower_operator lower_conv, lower_conv_transpose, lower_pool;
lower_operator lower_gemm, lower_matmul;
lower_operator lower_batch_norm, lower_instance_norm, lower_layer_norm,
        lower_lrn, lower_softmax;
lower_operator lower_function, lower_binary, lower_prelu, lower_cast,
        lower_where;
lower_operator lower_reduce;
lower_operator lower_exact_conv, lower_running_sum, lower_arg,
        lower_gather_elements, lower_scatter;
lower_operator lower_concat, lower_slice, lower_gather, lower_transpose,
        lower_reshape, lower_expand, lower_tile, lower_pad, lower_resize;
lower_operator lower_recurrent;

#endif /* DNNL_CACHE_MODEL_LOWER_LOWER_INTERNAL_H */
