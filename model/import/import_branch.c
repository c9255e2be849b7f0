/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that have graphs: If and Loop. */
#include "model/import/import_scope.h"
#include "model/onnx/onnx_names.h"

#include <stdlib.h>
#include <string.h>

static const char *text(const char *or_null)
{
    return or_null == NULL ? "" : or_null;
}

/* ---- A graph ------------------------------------------------------------- */

static bool import_graph_nodes(struct import *im, const void *what)
{
    const Onnx__GraphProto *graph = what;
    return import_nodes_inside(im, graph->node, graph->n_node);
}

static bool find_outputs(struct import *im, const struct scope *scope,
        const Onnx__GraphProto *graph, int *tensors)
{
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *inside = text(graph->output[i]->name);
        const char *name = import_scope_find(scope, inside);
        const struct name_facts *facts =
                name == NULL ? NULL : names_find(im->names, name);
        if (facts == NULL || facts->tensor == graph_none)
            return import_fail(im, "output '%s' is not computed here", inside);
        tensors[i] = facts->tensor;
    }
    return true;
}

/* Imports nodes where the graph's inputs and initializers are known; tensors
 * become its outputs. */
static bool import_graph(struct import *im, struct scope *scope,
        const Onnx__GraphProto *graph, int *tensors)
{
    return import_scope_add_outputs(im, scope, graph->node, graph->n_node, NULL)
           && import_inside(im, scope, import_graph_nodes, graph)
           && find_outputs(im, scope, graph, tensors);
}

static const Onnx__GraphProto *graph_attribute(
        struct import *im, const char *name)
{
    const Onnx__AttributeProto *a = import_attribute(im, name);
    if (a != NULL && a->g != NULL) return a->g;
    (void)import_fail(im, "no graph is given");
    return NULL;
}

/* ---- If ------------------------------------------------------------------ */

static bool import_branch(struct import *im, const char *name, int *tensors)
{
    struct scope scope = {.outer = im->scope, .number = ++im->scopes};
    const Onnx__GraphProto *graph = graph_attribute(im, name);
    if (graph == NULL) return false;
    if (graph->n_output != im->node->n_output || graph->n_input != 0
            || graph->n_sparse_initializer != 0)
        return import_fail(im, "a graph with other inputs or outputs");
    const bool ok = import_scope_add_constants(im, &scope, graph)
                    && import_graph(im, &scope, graph, tensors);
    import_scope_fini(&scope);
    return ok;
}

/* Both branches are computed: what fails in one must not fail the run. */
static bool check_cannot_fail(struct import *im, int first)
{
    for (int n = first; n < im->graph->node_count; n++) {
        const struct graph_node *node = &im->graph->nodes[n];
        const bool picks = node->op == graph_op_gather
                           || node->op == graph_op_gather_elements
                           || node->op == graph_op_scatter;
        if (picks && import_tensor(im, node->inputs[1])->data == NULL)
            return import_fail(im,
                    "both graphs are computed, as the condition, '%s', is not "
                    "constant: %s in one may find an index out of range",
                    im->node->input[0], node->label);
    }
    return true;
}

static bool check_alike(struct import *im, int x, int y, size_t output)
{
    char then_text[graph_shape_text_size];
    char else_text[graph_shape_text_size];
    const struct graph_tensor *a = import_tensor(im, x);
    const struct graph_tensor *b = import_tensor(im, y);
    if (a->type == b->type && graph_shape_equal(&a->shape, &b->shape))
        return true;
    graph_shape_text(then_text, &a->shape);
    graph_shape_text(else_text, &b->shape);
    return import_fail(im,
            "the condition, '%s', is not constant, and output %zu is %s %s or "
            "%s %s (an input that it depends on may be given a value: "
            "--constant)",
            im->node->input[0], output, graph_type_name(a->type), then_text,
            graph_type_name(b->type), else_text);
}

/* Elements of one graph or of the other. */
static bool emit_choice(struct import *im, const int *x, const int *y)
{
    const struct graph_shape one = {.ndims = 0};
    const int condition =
            import_emit_reshape(im, import_input(im, 0), &one, import_between);
    if (condition == graph_none) return false;
    for (size_t i = 0; i < im->node->n_output; i++) {
        if (!check_alike(im, x[i], y[i], i)) return false;
        if (graph_shape_count(&import_tensor(im, x[i])->shape) == 0)
            (void)import_alias(im, x[i], (int)i);
        else if (import_emit_where(im, condition, x[i], y[i], (int)i)
                 == graph_none)
            return false;
    }
    return true;
}

static bool import_both(struct import *im, int *tensors)
{
    const int first = im->graph->node_count;
    int *others = tensors + im->node->n_output;
    return import_branch(im, "then_branch", tensors)
           && import_branch(im, "else_branch", others)
           && check_cannot_fail(im, first) && emit_choice(im, tensors, others);
}

static bool import_chosen(struct import *im, bool is_true, int *tensors)
{
    if (!import_branch(im, is_true ? "then_branch" : "else_branch", tensors))
        return false;
    for (size_t i = 0; i < im->node->n_output; i++)
        (void)import_alias(im, tensors[i], (int)i);
    return true;
}

bool import_if(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 1, 1)) return false;
    const struct graph_tensor *condition =
            import_tensor(im, import_input(im, 0));
    if (condition->type != graph_type_bool
            || graph_shape_count(&condition->shape) != 1)
        return import_fail(im, "the condition is not one bool");
    int *tensors = calloc(2 * im->node->n_output, sizeof *tensors);
    if (tensors == NULL) return fail_out_of_memory(im->failure);
    const uint8_t *data = condition->data;
    const bool ok = data == NULL ? import_both(im, tensors)
                                 : import_chosen(im, *data != 0, tensors);
    free(tensors);
    return ok;
}

/* ---- Loop ---------------------------------------------------------------- */

struct loop {
    const Onnx__GraphProto *body;
    int carried;   /* tensors that go from one iteration to the next */
    int rows;      /* results of which each iteration gives one row */
    int *values;   /* the body's outputs: condition, carried, rows */
    int64_t count; /* iterations */
    int *all;      /* the rows of each iteration */
    size_t room;
};

/* In a scope an input of the body is a tensor. */
static bool bind(struct import *im, struct scope *scope,
        const Onnx__ValueInfoProto *input, int tensor)
{
    if (tensor == graph_none) return false;
    const char *name = im->graph->tensors[tensor].name;
    names_find(im->names, name)->tensor = tensor;
    return import_scope_add(im, scope, text(input->name), name);
}

static int emit_true(struct import *im)
{
    const struct graph_shape one = {.ndims = 0};
    uint8_t *data = malloc(1);
    if (data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    *data = 1;
    return import_emit_constant(
            im, graph_type_bool, &one, data, false, import_between);
}

/* The body once; its values are those of the iteration before, and become those
 * of this one. */
static bool import_iteration(
        struct import *im, struct scope *constants, struct loop *loop)
{
    struct scope scope = {.outer = constants, .number = ++im->scopes};
    bool ok =
            bind(im, &scope, loop->body->input[0],
                    import_emit_number(im, graph_type_i64, (double)loop->count))
            && bind(im, &scope, loop->body->input[1], emit_true(im));
    for (int i = 0; ok && i < loop->carried; i++)
        ok = bind(im, &scope, loop->body->input[2 + i], loop->values[1 + i]);
    ok = ok && import_graph(im, &scope, loop->body, loop->values);
    import_scope_fini(&scope);
    return ok;
}

static bool keep_rows(struct import *im, struct loop *loop)
{
    const size_t rows = (size_t)loop->rows;
    const size_t used = (size_t)loop->count * rows;
    if (used + rows > loop->room) {
        const size_t room = 2 * (used + rows);
        int *moved = realloc(loop->all, room * sizeof *moved);
        if (moved == NULL) return fail_out_of_memory(im->failure);
        loop->all = moved;
        loop->room = room;
    }
    if (rows > 0)
        memcpy(loop->all + used, loop->values + 1 + loop->carried,
                rows * sizeof *loop->all);
    return true;
}

/* The value of a condition, that of input 1 or of an iteration. */
static bool read_condition(
        struct import *im, int tensor, bool is_input, bool *is_true)
{
    const struct graph_tensor *t = import_tensor(im, tensor);
    if (t->type != graph_type_bool || graph_shape_count(&t->shape) != 1)
        return import_fail(im, "the condition is not one bool");
    if (t->data == NULL)
        return import_fail(im,
                "%s, '%s', is not constant: loops that data end are not "
                "supported",
                is_input ? "input 1" : "the condition",
                is_input ? im->node->input[1] : t->name);
    *is_true = *(const uint8_t *)t->data != 0;
    return true;
}

static bool read_count(struct import *im, int64_t *most)
{
    int count;
    *most = INT64_MAX;
    if (!import_has_input(im, 0)) return true;
    if (!import_constant_ints(im, 0, most, 1, &count)) return false;
    return count == 1 || import_fail(im, "input 0 is empty");
}

static bool import_iterations(
        struct import *im, struct scope *constants, struct loop *loop)
{
    int64_t most;
    bool goes_on = true;
    if (!read_count(im, &most)
            || (import_has_input(im, 1)
                    && !read_condition(
                            im, import_input(im, 1), true, &goes_on)))
        return false;
    for (; goes_on && loop->count < most; loop->count++)
        if (!import_count_inside(im) || !import_iteration(im, constants, loop)
                || !keep_rows(im, loop)
                || !read_condition(im, loop->values[0], false, &goes_on))
            return false;
    return true;
}

/* ---- Results ------------------------------------------------------------- */

static int emit_concat(struct import *im, int *inputs, int count, int output)
{
    struct graph_node node = {.op = graph_op_concat,
            .input_count = count,
            .inputs = inputs,
            .u.axis = 0};
    struct graph_shape shape = import_tensor(im, inputs[0])->shape;
    for (int i = 1; i < count; i++)
        shape.dims[0] += import_tensor(im, inputs[i])->shape.dims[0];
    return import_emit(
            im, &node, import_tensor(im, inputs[0])->type, &shape, output);
}

/* So many at a time: no concatenation has any number of sources. */
static bool emit_column(struct import *im, int *rows, int64_t count, int output)
{
    enum { most_sources = 64 };
    while (count > most_sources) {
        int64_t parts = 0;
        for (int64_t i = 0; i < count; i += most_sources) {
            const int64_t left = count - i;
            const int some = (int)(left < most_sources ? left : most_sources);
            rows[parts] = emit_concat(im, rows + i, some, import_between);
            if (rows[parts++] == graph_none) return false;
        }
        count = parts;
    }
    return emit_concat(im, rows, (int)count, output) != graph_none;
}

/* Makes rows of what iterations gave, which must be alike. */
static bool emit_rows(
        struct import *im, const struct loop *loop, int number, int *rows)
{
    for (int64_t i = 0; i < loop->count; i++) {
        const int x = loop->all[i * loop->rows + number];
        const struct graph_tensor *t = import_tensor(im, x);
        const struct graph_tensor *first = import_tensor(im, loop->all[number]);
        if (t->type != first->type
                || !graph_shape_equal(&t->shape, &first->shape))
            return import_fail(
                    im, "iterations give an output other dimensions");
        if (t->shape.ndims == graph_max_ndims)
            return import_fail(
                    im, "more than %d dimensions", (int)graph_max_ndims);
        struct graph_shape shape = {.ndims = t->shape.ndims + 1, .dims = {1}};
        memcpy(shape.dims + 1, t->shape.dims,
                (size_t)t->shape.ndims * sizeof *shape.dims);
        rows[i] = import_emit_reshape(im, x, &shape, import_between);
        if (rows[i] == graph_none) return false;
    }
    return true;
}

static bool emit_results(struct import *im, const struct loop *loop)
{
    int *rows = malloc(((size_t)loop->count + 1) * sizeof *rows);
    bool ok = rows != NULL || fail_out_of_memory(im->failure);
    for (int i = 0; i < loop->carried; i++)
        if (ok) (void)import_alias(im, loop->values[1 + i], i);
    for (int i = 0; ok && i < loop->rows; i++) {
        const int output = loop->carried + i;
        if (!import_has_output(im, output)) continue;
        if (loop->count == 0)
            ok = import_fail(
                    im, "no iteration, and output %d is of rows", output);
        ok = ok && emit_rows(im, loop, i, rows)
             && emit_column(im, rows, loop->count, output);
    }
    free(rows);
    return ok;
}

static bool check_body(struct import *im, struct loop *loop)
{
    const size_t inputs = im->node->n_input;
    const Onnx__GraphProto *body = loop->body;
    if (inputs < 2) return import_fail(im, "input 1 is missing");
    if (body->n_sparse_initializer != 0)
        return import_fail(im, "initializers that are sparse");
    if (body->n_input != inputs || body->n_output + 1 < inputs
            || im->node->n_output + 1 > body->n_output)
        return import_fail(im, "a graph with other inputs or outputs");
    for (size_t i = 2; i < inputs; i++)
        if (!import_has_input(im, i))
            return import_fail(im, "input %zu is missing", i);
    loop->carried = (int)(inputs - 2);
    loop->rows = (int)(body->n_output + 1 - inputs);
    loop->values = calloc(body->n_output, sizeof *loop->values);
    if (loop->values == NULL) return fail_out_of_memory(im->failure);
    for (int i = 0; i < loop->carried; i++)
        loop->values[1 + i] = import_input(im, 2 + (size_t)i);
    return true;
}

bool import_loop(struct import *im, enum graph_op op)
{
    (void)op;
    struct scope constants = {.outer = im->scope, .number = ++im->scopes};
    struct loop loop = {.body = graph_attribute(im, "body")};
    if (loop.body == NULL) return false;
    const bool ok = check_body(im, &loop)
                    && import_scope_add_constants(im, &constants, loop.body)
                    && import_iterations(im, &constants, &loop)
                    && emit_results(im, &loop);
    import_scope_fini(&constants);
    free(loop.values);
    free(loop.all);
    return ok;
}

bool import_scan(struct import *im, enum graph_op op)
{
    (void)op;
    return import_fail(im, "scans are not supported");
}
