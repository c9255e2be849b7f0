/* SPDX-License-Identifier: Apache-2.0 */
#include "model_form.h"

#include "model/onnx/onnx.h"
#include "model_text.h"
#include "reference_graph.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_any(
        struct graph *graph, const char *text, struct failure *failure)
{
    struct model_text model;
    model_text_init(&model, text);
    struct onnx_source source = {.bytes = model.bytes, .size = model.size};
    *graph = (struct graph){0};
    bool ok = onnx_read_graph(graph, &source, failure);
    model_text_fini(&model);
    return ok;
}

static bool read_text(struct graph *graph, const char *text)
{
    struct failure failure = {""};
    bool ok = read_any(graph, text, &failure);
    if (!ok) test_fail(__FILE__, __LINE__, "%s: %s", failure.text, text);
    return ok;
}

/* Feeds a tensor 0, 1, 2 ... */
static void feed(struct reference_graph *run, const struct graph *graph, int to)
{
    const struct graph_tensor *t = &graph->tensors[to];
    int64_t count = graph_shape_count(&t->shape);
    void *data = calloc((size_t)count, 8);
    for (int64_t i = 0; data != NULL && i < count; i++) {
        if (t->type == graph_type_f32)
            ((float *)data)[i] = (float)i;
        else if (t->type == graph_type_i64)
            ((int64_t *)data)[i] = i;
        else if (t->type == graph_type_i32)
            ((int32_t *)data)[i] = (int32_t)i;
        else if (t->type == graph_type_u8 || t->type == graph_type_i8)
            ((uint8_t *)data)[i] = (uint8_t)i;
    }
    if (data != NULL) reference_graph_set(run, to, data);
    free(data);
}

/* "[2, 3] 0 1 2 3 4 5", as the first output is. */
static void output_text(struct reference_graph *run, const struct graph *graph,
        char *text, size_t room)
{
    int tensor = graph->outputs[0].tensor;
    const struct graph_shape *shape = &graph->tensors[tensor].shape;
    const double *values = reference_graph_values(run, tensor);
    char dims[graph_shape_text_size];
    graph_shape_text(dims, shape);
    size_t at = (size_t)snprintf(text, room, "%s", dims);
    for (int64_t i = 0; i < graph_shape_count(shape) && at < room; i++)
        at += (size_t)snprintf(text + at, room - at, " %.4g", values[i]);
}

void expect_forms(const struct form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct graph graph;
        char text[1000];
        if (!read_text(&graph, forms[i].text)) continue;
        struct reference_graph *run = reference_graph_create(&graph);
        for (int k = 0; k < graph.input_count; k++)
            feed(run, &graph, graph.inputs[k]);
        reference_graph_compute_all(run);
        output_text(run, &graph, text, sizeof text);
        test_asserts();
        if (strcmp(text, forms[i].output) != 0
                || (forms[i].nodes != any_number
                        && graph.node_count != forms[i].nodes))
            test_fail(__FILE__, __LINE__, "%d nodes, %s\nfor: %s",
                    graph.node_count, text, forms[i].text);
        reference_graph_destroy(run);
        graph_fini(&graph);
    }
}

void expect_refusals(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct graph graph;
        struct failure failure = {""};
        test_asserts();
        if (read_any(&graph, refusals[i].text, &failure))
            test_fail(__FILE__, __LINE__, "read: %s", refusals[i].text);
        else if (strstr(failure.text, refusals[i].message) == NULL)
            test_fail(__FILE__, __LINE__, "%s\nfor: %s", failure.text,
                    refusals[i].text);
        graph_fini(&graph);
    }
}
