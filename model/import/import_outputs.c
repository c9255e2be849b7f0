/* SPDX-License-Identifier: Apache-2.0 */
/* What the node in hand becomes. */
#include "model/graph/fold.h"
#include "model/import/import.h"
#include "model/import/import_inline.h"
#include "model/import/import_whole.h"
#include "model/onnx/onnx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool import_has_output(const struct import *im, int output)
{
    return output >= 0 && (size_t)output < im->node->n_output
           && im->node->output[output][0] != '\0';
}

bool import_alias(struct import *im, int tensor, int output)
{
    if (import_has_output(im, output))
        names_find(im->names, import_name(im, im->node->output[output]))
                ->tensor = tensor;
    return true;
}

/* A name for a tensor that the file has none for. */
bool import_fresh_name(struct import *im, char name[import_name_size])
{
    const char *first = im->node->output[0];
    do
        (void)snprintf(name, import_name_size, "%.150s~%d", first, ++im->fresh);
    while (names_find(im->names, name) != NULL);
    return names_add(&im->names, name, graph_none, im->failure);
}

/* Adds the tensor of an output, or one in between. */
static int add_tensor(struct import *im, enum graph_type type,
        const struct graph_shape *shape, void *data, int output)
{
    char fresh[import_name_size];
    const char *name = fresh;
    if (import_has_output(im, output)) {
        name = import_name(im, im->node->output[output]);
    } else if (!import_fresh_name(im, fresh)) {
        free(data);
        return graph_none;
    }
    int tensor =
            graph_add_tensor(im->graph, name, type, shape, data, im->failure);
    if (tensor != graph_none) (void)import_alias(im, tensor, output);
    return tensor;
}

int import_emit_constant(struct import *im, enum graph_type type,
        const struct graph_shape *shape, void *data, bool is_weight, int output)
{
    int tensor = add_tensor(im, type, shape, data, output);
    if (tensor != graph_none) im->graph->tensors[tensor].is_weight = is_weight;
    return tensor;
}

int import_emit_scalar(struct import *im, float value)
{
    struct graph_shape shape = {.ndims = 0};
    float *data = malloc(sizeof *data);
    if (data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    *data = value;
    return import_emit_constant(
            im, graph_type_f32, &shape, data, false, import_between);
}

static bool shape_fits(
        struct import *im, const struct graph_shape *shape, int64_t least)
{
    char text[graph_shape_text_size];
    graph_shape_text(text, shape);
    return graph_shape_fits(shape, least)
           || import_fail(im, "no tensor may have dimensions %s", text);
}

bool import_charge(struct import *im, uint64_t bytes)
{
    if (bytes > im->bytes_left)
        return import_fail(im,
                "takes %llu bytes, %llu are left for computed constants",
                (unsigned long long)bytes, (unsigned long long)im->bytes_left);
    im->bytes_left -= bytes;
    return true;
}

/* Computes a node of constants. */
static int fold(struct import *im, const struct graph_node *node,
        enum graph_type type, const struct graph_shape *shape, int output)
{
    struct graph_tensor result = {.type = type, .shape = *shape};
    const size_t size = graph_tensor_size(&result);
    if (!import_charge(im, size)) return graph_none;
    result.data = malloc(size == 0 ? 1 : size);
    if (result.data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    if (!fold_compute(im->graph, node, &result, im->failure)) {
        free(result.data);
        return graph_none;
    }
    const struct graph_tensor *x = import_tensor(im, node->inputs[0]);
    const bool is_weight = fold_moves_only(node->op) && x->is_weight;
    const bool is_half = type == graph_type_f32 && x->is_half;
    const int tensor = import_emit_constant(
            im, type, shape, result.data, is_weight, output);
    if (tensor != graph_none) im->graph->tensors[tensor].is_half = is_half;
    return tensor;
}

/* Without elements there is nothing to compute. */
static int emit_nothing(struct import *im, enum graph_type type,
        const struct graph_shape *shape, int output)
{
    void *data = malloc(1);
    if (data != NULL)
        return import_emit_constant(im, type, shape, data, false, output);
    (void)fail_out_of_memory(im->failure);
    return graph_none;
}

/* A few bytes of loops and layers of many steps stand for any number. */
static bool check_count(struct import *im)
{
    enum { most_nodes = 1 << 18 };
    return im->graph->node_count < most_nodes
           || import_fail(
                   im, "the model becomes more than %d nodes", (int)most_nodes);
}

int import_emit(struct import *im, struct graph_node *node,
        enum graph_type type, const struct graph_shape *shape, int output)
{
    node->label = im->label;
    if (!shape_fits(im, shape, 0)) return graph_none;
    if (fold_can(im->graph, node)) return fold(im, node, type, shape, output);
    if (graph_shape_count(shape) == 0)
        return emit_nothing(im, type, shape, output);
    if (import_moves_whole(im, node, type))
        return import_emit_moved(im, node, type, shape, output);
    for (int i = 0; i < node->input_count; i++)
        if (node->inputs[i] != graph_none
                && !shape_fits(
                        im, &import_tensor(im, node->inputs[i])->shape, 1))
            return graph_none;
    if (!check_count(im)) return graph_none;
    node->output = add_tensor(im, type, shape, NULL, output);
    if (node->output == graph_none
            || graph_add_node(im->graph, node, im->failure) == graph_none)
        return graph_none;
    return node->output;
}

int import_emit_unary(struct import *im, enum graph_op op, int x, int output)
{
    if (x == graph_none) return graph_none;
    const struct graph_tensor *t = import_tensor(im, x);
    struct graph_shape shape = t->shape;
    struct graph_node node = {.op = op, .input_count = 1, .inputs = &x};
    return import_emit(im, &node, t->type, &shape, output);
}

int import_emit_binary(
        struct import *im, enum graph_op op, int a, int b, int output)
{
    struct graph_shape shape;
    int inputs[2] = {a, b};
    struct graph_node node = {.op = op, .input_count = 2, .inputs = inputs};
    const bool compares = op >= graph_op_equal && op <= graph_op_xor;
    if (a == graph_none || b == graph_none
            || !import_broadcast(im, &import_tensor(im, a)->shape,
                    &import_tensor(im, b)->shape, &shape))
        return graph_none;
    return import_emit(im, &node,
            compares ? graph_type_bool : import_tensor(im, a)->type, &shape,
            output);
}

int import_emit_cast(struct import *im, int x, enum graph_type type, int output)
{
    struct graph_node node = {
            .op = graph_op_cast, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (type == graph_type_f32) {
        bool done;
        const int y = import_emit_whole_cast(im, x, output, &done);
        if (done) return y;
    }
    if (import_tensor(im, x)->type != type)
        return import_emit(im, &node, type, &shape, output);
    (void)import_alias(im, x, output);
    return x;
}

int import_emit_where(
        struct import *im, int condition, int x, int y, int output)
{
    struct graph_shape both, all;
    int inputs[3] = {condition, x, y};
    struct graph_node node = {
            .op = graph_op_where, .input_count = 3, .inputs = inputs};
    if (condition == graph_none || x == graph_none || y == graph_none
            || !import_broadcast(im, &import_tensor(im, x)->shape,
                    &import_tensor(im, y)->shape, &both)
            || !import_broadcast(
                    im, &both, &import_tensor(im, condition)->shape, &all))
        return graph_none;
    return import_emit(im, &node, import_tensor(im, x)->type, &all, output);
}

int import_emit_reshape(
        struct import *im, int x, const struct graph_shape *shape, int output)
{
    if (x == graph_none) return graph_none;
    const struct graph_tensor *t = import_tensor(im, x);
    struct graph_node node = {
            .op = graph_op_reshape, .input_count = 1, .inputs = &x};
    if (!graph_shape_equal(&t->shape, shape))
        return import_emit(im, &node, t->type, shape, output);
    (void)import_alias(im, x, output);
    return x;
}

/* ---- Broadcasting -------------------------------------------------------- */

/* The dimension that counts from the last one; 1 before the first. */
static int64_t dim_from_end(const struct graph_shape *shape, int place)
{
    return place < shape->ndims ? shape->dims[shape->ndims - 1 - place] : 1;
}

bool import_broadcast(struct import *im, const struct graph_shape *a,
        const struct graph_shape *b, struct graph_shape *out)
{
    struct graph_shape result = {
            .ndims = a->ndims > b->ndims ? a->ndims : b->ndims};
    for (int i = 0; i < result.ndims; i++) {
        int64_t of_a = dim_from_end(a, i);
        int64_t of_b = dim_from_end(b, i);
        if (of_a != of_b && of_a != 1 && of_b != 1) {
            char a_text[graph_shape_text_size];
            char b_text[graph_shape_text_size];
            graph_shape_text(a_text, a);
            graph_shape_text(b_text, b);
            return import_fail(im, "dimensions %s and %s do not go together",
                    a_text, b_text);
        }
        result.dims[result.ndims - 1 - i] = of_a == 1 ? of_b : of_a;
    }
    *out = result;
    return true;
}
