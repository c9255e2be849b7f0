/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_graph.h"
#include "reference_nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reference_graph {
    const struct graph *graph;
    struct reference_slot *slots; /* one a tensor */
    bool *is_there;               /* its values, or it is a constant */
};

/* ---- Elements ------------------------------------------------------------ */

static double read_element(enum graph_type type, const void *data, int64_t i)
{
    switch (type) {
    case graph_type_f32:
        return (double)((const float *)data)[i];
    case graph_type_f64:
        return ((const double *)data)[i];
    case graph_type_i32:
        return ((const int32_t *)data)[i];
    case graph_type_i64:
        return (double)((const int64_t *)data)[i];
    case graph_type_bool:
    case graph_type_u8:
        return ((const uint8_t *)data)[i];
    case graph_type_i8:
        return ((const int8_t *)data)[i];
    case graph_type_i16:
        return ((const int16_t *)data)[i];
    case graph_type_u16:
        return ((const uint16_t *)data)[i];
    case graph_type_u32:
        return ((const uint32_t *)data)[i];
    }
    return NAN;
}

double reference_value_at(const struct reference_slot *slot, int64_t i)
{
    return slot->values != NULL
                   ? slot->values[i]
                   : read_element(slot->tensor->type, slot->tensor->data, i);
}

double reference_tolerance_at(const struct reference_slot *slot, int64_t i)
{
    return slot->tolerances != NULL ? slot->tolerances[i] : 0.0;
}

static void *must(void *memory)
{
    if (memory != NULL) return memory;
    (void)fprintf(stderr, "reference_graph: out of memory\n");
    abort();
}

double *reference_alloc(int64_t count)
{
    return must(calloc((size_t)count + 1, sizeof(double)));
}

/* ---- Places -------------------------------------------------------------- */

void reference_strides(
        const struct graph_shape *shape, int64_t strides[graph_max_ndims])
{
    int64_t stride = 1;
    for (int d = shape->ndims - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape->dims[d];
    }
}

void reference_broadcast(const struct graph_shape *from,
        const struct graph_shape *to, int64_t strides[graph_max_ndims])
{
    int64_t stride = 1;
    for (int d = to->ndims - 1; d >= 0; d--) {
        int own = d - (to->ndims - from->ndims);
        bool is_one = own < 0 || from->dims[own] == 1;
        strides[d] = is_one ? 0 : stride;
        if (own >= 0) stride *= from->dims[own];
    }
}

void reference_split(const struct graph_shape *shape, int64_t index,
        int64_t place[graph_max_ndims])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        place[d] = index % shape->dims[d];
        index /= shape->dims[d];
    }
}

int64_t reference_locate(const struct graph_shape *shape,
        const int64_t place[graph_max_ndims],
        const int64_t strides[graph_max_ndims])
{
    int64_t at = 0;
    for (int d = 0; d < shape->ndims; d++)
        at += place[d] * strides[d];
    return at;
}

/* ---- Runs ---------------------------------------------------------------- */

struct reference_graph *reference_graph_create(const struct graph *graph)
{
    struct reference_graph *run = must(calloc(1, sizeof *run));
    size_t count = (size_t)graph->tensor_count + 1;
    run->graph = graph;
    run->slots = must(calloc(count, sizeof *run->slots));
    run->is_there = must(calloc(count, sizeof *run->is_there));
    for (int i = 0; i < graph->tensor_count; i++) {
        run->slots[i].tensor = &graph->tensors[i];
        run->is_there[i] = graph->tensors[i].data != NULL;
    }
    return run;
}

void reference_graph_drop(struct reference_graph *run, int tensor)
{
    struct reference_slot *slot = &run->slots[tensor];
    free(slot->values);
    free(slot->tolerances);
    slot->values = slot->tolerances = NULL;
    run->is_there[tensor] = slot->tensor->data != NULL;
}

void reference_graph_destroy(struct reference_graph *run)
{
    if (run == NULL) return;
    for (int i = 0; i < run->graph->tensor_count; i++)
        reference_graph_drop(run, i);
    free(run->slots);
    free(run->is_there);
    free(run);
}

void reference_graph_set(
        struct reference_graph *run, int tensor, const void *elements)
{
    struct reference_slot *slot = &run->slots[tensor];
    int64_t count = graph_shape_count(&slot->tensor->shape);
    double *values = reference_alloc(count);
    for (int64_t i = 0; i < count; i++)
        values[i] = read_element(slot->tensor->type, elements, i);
    reference_graph_drop(run, tensor);
    slot->values = values;
    run->is_there[tensor] = true;
}

static reference_function *const functions[graph_op_count] = {
        [graph_op_conv] = reference_conv,
        [graph_op_conv_transpose] = reference_conv_transpose,
        [graph_op_max_pool] = reference_max_pool,
        [graph_op_average_pool] = reference_average_pool,
        [graph_op_gemm] = reference_gemm,
        [graph_op_matmul] = reference_matmul_node,
        [graph_op_batch_norm] = reference_batch_norm,
        [graph_op_instance_norm] = reference_line_norm,
        [graph_op_layer_norm] = reference_line_norm,
        [graph_op_lrn] = reference_lrn_node,
        [graph_op_softmax] = reference_softmax_node,
        [graph_op_log_softmax] = reference_softmax_node,
        [graph_op_cast] = reference_cast,
        [graph_op_prelu] = reference_prelu_node,
        [graph_op_where] = reference_where,
        [graph_op_cum_sum] = reference_cum_sum,
        [graph_op_arg_max] = reference_arg,
        [graph_op_arg_min] = reference_arg,
        [graph_op_gather_elements] = reference_gather_elements,
        [graph_op_scatter] = reference_scatter,
        [graph_op_concat] = reference_concat_node,
        [graph_op_gather] = reference_gather,
        [graph_op_slice] = reference_move,
        [graph_op_transpose] = reference_move,
        [graph_op_reshape] = reference_move,
        [graph_op_expand] = reference_move,
        [graph_op_tile] = reference_move,
        [graph_op_pad] = reference_pad,
        [graph_op_resize] = reference_resize,
        [graph_op_recurrent] = reference_recurrent,
};

static reference_function *function_of(enum graph_op op)
{
    if (functions[op] != NULL) return functions[op];
    if (op >= graph_op_relu && op <= graph_op_bit_not) return reference_unary;
    if (op >= graph_op_add && op <= graph_op_shift_right)
        return reference_binary_node;
    if (op >= graph_op_reduce_sum && op <= graph_op_reduce_log_sum_exp)
        return reference_reduce;
    (void)fprintf(stderr, "reference_graph: no operator %d\n", (int)op);
    abort();
}

static void exact_sums(struct reference_slot *slot, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        slot->values[i] = reference_wrap(slot->tensor->type, slot->values[i]);
        slot->tolerances[i] = 0.0;
    }
}

void reference_graph_compute(struct reference_graph *run, int number)
{
    const struct graph_node *node = &run->graph->nodes[number];
    size_t inputs = (size_t)node->input_count;
    struct reference_call call = {
            .node = node,
            .inputs = must(calloc(inputs + 1, sizeof *call.inputs)),
            .input_count = node->input_count,
            .output = &run->slots[node->output],
    };
    for (int i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == graph_none) continue;
        if (!run->is_there[node->inputs[i]]) {
            (void)fprintf(stderr, "reference_graph: %s comes too early\n",
                    node->label);
            abort();
        }
        call.inputs[i] = &run->slots[node->inputs[i]];
    }
    reference_graph_drop(run, node->output);
    int64_t count = graph_shape_count(&call.output->tensor->shape);
    call.output->values = reference_alloc(count);
    call.output->tolerances = reference_alloc(count);
    function_of(node->op)(&call);
    if (!graph_type_is_float(call.output->tensor->type)
            && (node->op == graph_op_conv || node->op == graph_op_matmul
                    || node->op == graph_op_reduce_sum))
        exact_sums(call.output, count); /* of integers */
    run->is_there[node->output] = true;
    free(call.inputs);
}

void reference_graph_compute_all(struct reference_graph *run)
{
    for (int i = 0; i < run->graph->node_count; i++)
        if (!run->is_there[run->graph->nodes[i].output])
            reference_graph_compute(run, i);
}

/* ---- Results ------------------------------------------------------------- */

const double *reference_graph_values(struct reference_graph *run, int tensor)
{
    struct reference_slot *slot = &run->slots[tensor];
    if (slot->values == NULL && slot->tensor->data != NULL)
        reference_graph_set(run, tensor, slot->tensor->data);
    return slot->values;
}

const double *reference_graph_tolerances(
        struct reference_graph *run, int tensor)
{
    struct reference_slot *slot = &run->slots[tensor];
    if (slot->tolerances == NULL)
        slot->tolerances =
                reference_alloc(graph_shape_count(&slot->tensor->shape));
    return slot->tolerances;
}

/* How far off an element is, in tolerances. What f32 cannot hold may be
 * infinite, or 0. */
static double ratio(double expected, double actual, double tolerance)
{
    const double largest = 0x1.fffffep127;
    double difference = fabs(actual - expected);
    if (isnan(expected) || isnan(actual))
        return isnan(expected) && isnan(actual) ? 0.0 : INFINITY;
    if (actual == expected) return 0.0;
    if (isinf(actual))
        return (actual > 0 ? expected : -expected) + tolerance > largest
                       ? 0.0
                       : INFINITY;
    if (difference <= 0x1p-126) return 0.0;
    return tolerance > 0.0 ? difference / tolerance : INFINITY;
}

void reference_graph_observe(struct reference_graph *run, int tensor,
        const void *elements, double slack,
        struct reference_differences *differences)
{
    struct reference_differences found = {0};
    const struct graph_tensor *t = run->slots[tensor].tensor;
    const double *values = reference_graph_values(run, tensor);
    const double *tolerances = reference_graph_tolerances(run, tensor);
    int64_t count = graph_shape_count(&t->shape);
    for (int64_t i = 0; i < count; i++) {
        double actual = read_element(t->type, elements, i);
        double tolerance = slack * tolerances[i];
        double its = ratio(values[i], actual, tolerance);
        found.count += its > 1.0;
        if (i != 0 && !(its > found.ratio)) continue;
        found.at = i;
        found.ratio = its;
        found.expected = values[i];
        found.actual = actual;
        found.tolerance = tolerance;
    }
    *differences = found;
    reference_graph_set(run, tensor, elements);
}
