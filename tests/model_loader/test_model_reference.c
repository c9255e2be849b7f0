/* SPDX-License-Identifier: Apache-2.0 */
/* What reader and reference executor make of the ONNX project's own tests. */
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"
#include "model_case.h"
#include "reference_graph.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA DNNL_CACHE_TEST_DATA_DIR "/onnx/"

enum { path_size = 4096, exported_count = 56, node_count = 340 };

static bool read_graph(struct graph *graph, const char *path)
{
    struct failure failure = {""};
    *graph = (struct graph){0};
    if (onnx_read_model(graph, path, &failure)) return true;
    test_fail(__FILE__, __LINE__, "%s: %s", path, failure.text);
    return false;
}

/* ---- Operators ----------------------------------------------------------- */

/* The expected results come from another executor in f32. */
static void run_case(enum model_case_kind kind, const char *name)
{
    struct model_case c;
    if (!model_case_init(&c, kind, name)) return;
    struct reference_graph *run = reference_graph_create(&c.graph);
    for (int i = 0; i < c.graph.input_count; i++)
        reference_graph_set(run, c.graph.inputs[i], c.inputs[i].data);
    reference_graph_compute_all(run);
    for (int i = 0; i < c.graph.output_count; i++) {
        struct reference_differences d;
        reference_graph_observe(
                run, c.graph.outputs[i].tensor, c.outputs[i].data, 1.0, &d);
        if (d.count != 0)
            test_fail(__FILE__, __LINE__,
                    "%s, element %lld: %.9g, not %.9g within %.2g", name,
                    (long long)d.at, d.expected, d.actual, d.tolerance);
    }
    reference_graph_destroy(run);
    model_case_fini(&c);
}

static void run_exported(const char *name)
{
    run_case(model_case_exported, name);
}

static void run_node(const char *name)
{
    run_case(model_case_node, name);
}

TEST_C(ModelReference, GivesWhatTheExportedCasesExpect)
{
    EXPECT_EQ(exported_count,
            model_case_for_each(model_case_exported, run_exported));
}

TEST_C(ModelReference, GivesWhatTheCasesOfEachOperatorExpect)
{
    EXPECT_EQ(node_count, model_case_for_each(model_case_node, run_node));
}

/* ---- Networks ------------------------------------------------------------ */

/* Runs a network on the ramp, one layer's tensors at a time. */
static struct reference_graph *run_network(const struct graph *graph)
{
    struct reference_graph *run = reference_graph_create(graph);
    int input = graph->inputs[0];
    int64_t count = graph_shape_count(&graph->tensors[input].shape);
    float *ramp = tensor_file_ramp(count);
    if (ramp != NULL) reference_graph_set(run, input, ramp);
    free(ramp);
    reference_graph_compute_all(run);
    return run;
}

static void expect_output(struct reference_graph *run,
        const struct graph *graph, const char *name)
{
    char path[path_size];
    struct graph_tensor expected;
    struct failure failure = {""};
    int tensor = graph->outputs[0].tensor;
    const double *values = reference_graph_values(run, tensor);
    snprintf(path, sizeof path, "%snetworks/%s_output_0.pb", DATA, name);
    if (!tensor_file_read(&expected, path, &failure)) {
        test_fail(__FILE__, __LINE__, "%s", failure.text);
        return;
    }
    int64_t count = graph_shape_count(&graph->tensors[tensor].shape);
    EXPECT_EQ(count, graph_shape_count(&expected.shape));
    for (int64_t i = 0; i < count && !test_has_failed(); i++)
        EXPECT_TRUE(
                fabs(values[i] - (double)((float *)expected.data)[i]) <= 1e-6);
    tensor_file_fini(&expected);
}

/* How a tensor's elements differ from each other. */
static double deviation(const double *values, int64_t count)
{
    double mean = 0.0;
    double squares = 0.0;
    for (int64_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)count);
}

/* With random weights every layer must tell right from wrong: its elements
 * differ, by as much as numbers of networks do. The last are shares of 1. */
static void expect_varied(struct reference_graph *run,
        const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];
        int64_t count = graph_shape_count(&graph->tensors[node->output].shape);
        double its =
                deviation(reference_graph_values(run, node->output), count);
        double least = node->op == graph_op_softmax ? 1e-4 : 1e-2;
        if (!(its > least && its < 1e2))
            test_fail(__FILE__, __LINE__, "%s, %s: deviation %g", name,
                    node->label, its);
    }
}

static void run_whole(const char *name)
{
    char path[path_size];
    struct graph graph;
    struct failure failure = {""};
    snprintf(path, sizeof path, "%snetworks/%s.onnx", DATA, name);
    if (!read_graph(&graph, path)) return;
    struct reference_graph *run = run_network(&graph);
    expect_output(run, &graph, name);
    reference_graph_destroy(run);
    EXPECT_TRUE(weights_randomize(&graph, 1, &failure));
    run = run_network(&graph);
    expect_varied(run, &graph, name);
    reference_graph_destroy(run);
    graph_fini(&graph);
}

TEST_C(ModelReference, GivesWhatSqueezeNetExpects)
{
    run_whole("light_squeezenet");
}

TEST_C(ModelReference, GivesWhatShuffleNetExpects)
{
    run_whole("light_shufflenet");
}

TEST_C(ModelReference, GivesWhatAlexNetExpects)
{
    run_whole("light_bvlc_alexnet");
}

TEST_C(ModelReference, GivesWhatResNet50Expects)
{
    run_whole("light_resnet50");
}
