/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model of ONNX. What is refused says why in a line, and leaves
 * nothing. What is read is what graph.h promises, it is the same when read
 * again, and, where it is small, the reference executor computes it: from
 * shapes and parameters alone, so that they must fit each other.
 */
#include "fuzz.h"
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"
#include "reference_graph.h"

#include <string.h>

enum {
    constant_limit = 1 << 20,
    /* What is computed: the product of two is what a convolution costs. */
    most_elements = 1 << 10,
    most_window = 1 << 8,
    most_nodes = 32
};

/* ---- What graph.h promises ----------------------------------------------- */

static void check_tensor(const struct graph *graph, int number)
{
    const struct graph_tensor *t = &graph->tensors[number];
    REQUIRE(t->name[0] != '\0');
    REQUIRE(graph_type_size(t->type) != 0);
    REQUIRE(t->shape.ndims >= 0 && t->shape.ndims <= graph_max_ndims);
    REQUIRE(graph_shape_fits(&t->shape, t->data != NULL ? 0 : 1));
    REQUIRE(graph_find_tensor(graph, t->name) == number);
    REQUIRE(t->data == NULL || t->producer == graph_none);
    if (t->data == NULL) return;
    /* All of it can be read, which a sanitizer sees. */
    unsigned sum = 0;
    size_t size = graph_tensor_size(t);
    REQUIRE(size <= constant_limit);
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)t->data)[i];
    REQUIRE(t->type != graph_type_bool || sum <= size);
}

static void check_node(const struct graph *graph, int number, bool *is_there)
{
    const struct graph_node *node = &graph->nodes[number];
    REQUIRE((unsigned)node->op < graph_op_count);
    REQUIRE(node->label[0] != '\0' && node->input_count >= 1);
    REQUIRE(node->input_count <= graph_max_inputs
            || node->op == graph_op_concat);
    REQUIRE(node->inputs[0] != graph_none);
    for (int i = 0; i < node->input_count; i++) {
        int input = node->inputs[i];
        REQUIRE(input >= graph_none && input < graph->tensor_count);
        if (input == graph_none) continue;
        REQUIRE(is_there[input]);
        REQUIRE(graph_shape_fits(&graph->tensors[input].shape, 1));
    }
    REQUIRE(node->output >= 0 && node->output < graph->tensor_count);
    REQUIRE(!is_there[node->output]);
    REQUIRE(graph->tensors[node->output].producer == number);
    is_there[node->output] = true;
}

static void check_graph(const struct graph *graph)
{
    bool *is_there = calloc((size_t)graph->tensor_count + 1, sizeof *is_there);
    REQUIRE(is_there != NULL);
    for (int i = 0; i < graph->tensor_count; i++) {
        check_tensor(graph, i);
        is_there[i] = graph->tensors[i].data != NULL;
    }
    for (int i = 0; i < graph->input_count; i++)
        is_there[graph->inputs[i]] = true;
    for (int i = 0; i < graph->node_count; i++)
        check_node(graph, i, is_there);
    REQUIRE(graph->output_count > 0);
    for (int i = 0; i < graph->output_count; i++)
        REQUIRE(is_there[graph->outputs[i].tensor]);
    for (int i = 0; i < graph->tensor_count; i++)
        REQUIRE(is_there[i]);
    free(is_there);
}

/* ---- What it computes ---------------------------------------------------- */

static bool is_window(enum graph_op op)
{
    return op == graph_op_conv || op == graph_op_conv_transpose
           || op == graph_op_max_pool || op == graph_op_average_pool;
}

static bool is_small(const struct graph *graph)
{
    bool small = graph->node_count <= most_nodes;
    for (int i = 0; small && i < graph->tensor_count; i++)
        small = graph_shape_count(&graph->tensors[i].shape) <= most_elements;
    for (int i = 0; small && i < graph->node_count; i++) {
        const struct graph_window *w = &graph->nodes[i].u.window;
        int64_t elements = 1;
        if (!is_window(graph->nodes[i].op)) continue;
        for (int d = 0; d < w->spatial; d++)
            elements *= w->kernel[d];
        small = elements <= most_window;
    }
    return small;
}

static void compute(const struct graph *graph)
{
    struct reference_graph *run = reference_graph_create(graph);
    for (int i = 0; i < graph->input_count; i++) {
        const struct graph_tensor *t = &graph->tensors[graph->inputs[i]];
        void *zeros = calloc(1, graph_tensor_size(t));
        REQUIRE(zeros != NULL);
        reference_graph_set(run, graph->inputs[i], zeros);
        free(zeros);
    }
    reference_graph_compute_all(run);
    reference_graph_destroy(run);
}

/* ---- The properties ------------------------------------------------------ */

static bool read(struct graph *graph, struct failure *failure,
        const uint8_t *data, size_t size)
{
    struct onnx_source source = {.bytes = data,
            .size = size,
            .constant_limit = constant_limit,
            .open_dimension = 1};
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    return onnx_read_graph(graph, &source, failure);
}

static void check_again(
        const struct graph *first, const uint8_t *data, size_t size)
{
    struct graph again;
    struct failure failure;
    REQUIRE(read(&again, &failure, data, size));
    REQUIRE(again.tensor_count == first->tensor_count
            && again.node_count == first->node_count);
    for (int i = 0; i < again.tensor_count; i++) {
        const struct graph_tensor *a = &again.tensors[i];
        const struct graph_tensor *b = &first->tensors[i];
        REQUIRE(strcmp(a->name, b->name) == 0);
        REQUIRE(graph_shape_equal(&a->shape, &b->shape));
        REQUIRE((a->data == NULL) == (b->data == NULL));
        REQUIRE(a->data == NULL
                || memcmp(a->data, b->data, graph_tensor_size(a)) == 0);
    }
    graph_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct graph graph;
    struct failure failure;
    struct graph_tensor tensor = {0};
    if (read(&graph, &failure, data, size)) {
        REQUIRE(failure.text[0] == '\0');
        check_graph(&graph);
        check_again(&graph, data, size);
        REQUIRE(weights_randomize(&graph, 1, &failure));
        if (is_small(&graph)) compute(&graph);
    } else {
        REQUIRE(failure.text[0] != '\0' && strchr(failure.text, '\n') == NULL);
        REQUIRE(graph.tensors == NULL && graph.nodes == NULL);
    }
    graph_fini(&graph);
    /* The same bytes as a tensor. */
    failure = (struct failure){""};
    if (tensor_file_parse(&tensor, data, size, &failure))
        REQUIRE(graph_shape_fits(&tensor.shape, 0));
    else
        REQUIRE(failure.text[0] != '\0' && tensor.data == NULL);
    tensor_file_fini(&tensor);
    return 0;
}
