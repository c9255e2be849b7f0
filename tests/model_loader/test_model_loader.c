/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX project's own tests on a device, DNNL_CACHE_TEST_PLATFORM or PoCL:
 * each layer against the reference, and the results against what is expected.
 */
#include "model_case.h"
#include "model_rig.h"

#include "model/graph/fold_parts.h"
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"

#include "test.h"
#include "test_platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA DNNL_CACHE_TEST_DATA_DIR "/onnx/"

enum { path_size = 4096, least_cases = 50, least_nodes = 80 };

static bool read_graph(struct graph *graph, const char *path)
{
    struct failure failure = {""};
    *graph = (struct graph){0};
    if (onnx_read_model(graph, path, &failure)) return true;
    test_fail(__FILE__, __LINE__, "%s: %s", path, failure.text);
    return false;
}

/* ---- Operators ----------------------------------------------------------- */

/* Elements that differ by more than `relative` of the expected one and
 * `absolute`, and all if type or shape differ; 0: as expected. */
static int64_t count_wrong(const struct graph_tensor *expected,
        const struct graph_tensor *actual, double relative, double absolute)
{
    const int64_t count = graph_shape_count(&expected->shape);
    int64_t wrong = 0;
    if (expected->type != actual->type
            || !graph_shape_equal(&expected->shape, &actual->shape))
        return count > 0 ? count : 1;
    for (int64_t i = 0; i < count; i++) {
        const double e = fold_read_float(expected, i);
        const double a = fold_read_float(actual, i);
        const bool is_same = e == a || (isnan(e) && isnan(a));
        /* Everything is within a part of infinity. */
        const bool is_near =
                isfinite(e) && fabs(e - a) <= relative * fabs(e) + absolute;
        if (!is_same && !is_near) wrong++;
    }
    return wrong;
}

/* By the tolerances of the project's own tests. */
static void compare_output(
        void *user, int output, const struct graph_tensor *tensor)
{
    const struct model_case *c = user;
    EXPECT_EQ(0, count_wrong(&c->outputs[output], tensor, 1e-3, 1e-7));
}

static void run_case(enum model_case_kind kind, const char *name)
{
    struct model_case c;
    const bool had_failed = test_has_failed();
    if (!model_case_init(&c, kind, name)) return;
    struct model_rig_run run = {.graph = &c.graph,
            .inputs = c.inputs,
            .show = compare_output,
            .user = &c};
    model_rig_check(&run);
    if (test_has_failed() && !had_failed)
        test_fail(__FILE__, __LINE__, "that was %s", name);
    model_case_fini(&c);
}

static void run_exported(const char *name)
{
    run_case(model_case_exported, name);
}

TEST_C(ModelLoader, GivesWhatTheOperatorCasesExpect)
{
    EXPECT_GE(model_case_for_each(model_case_exported, run_exported),
            least_cases);
}

static void run_node(const char *name)
{
    run_case(model_case_node, name);
}

TEST_C(ModelLoader, GivesWhatTheNodeCasesExpect)
{
    EXPECT_GE(model_case_for_each(model_case_node, run_node), least_nodes);
}

/* A third of them, each time others: most have a program of their own. */
static struct {
    uint64_t next;
    int run;
} sample;

static void run_every_third_node(const char *name)
{
    if (sample.next++ % 3 != 0) return;
    sample.run++;
    run_node(name);
}

TEST_C(ModelLoader, GivesWhatSomeNodeCasesExpect)
{
    sample.next = test_seed() % 3;
    (void)model_case_for_each(model_case_node, run_every_third_node);
    EXPECT_GE(sample.run, least_nodes / 3);
}

/* ---- Networks ------------------------------------------------------------ */

struct network {
    const char *name;
    int steps;    /* what it comes to: fusions are not to be lost */
    int compared; /* tensors that the device shows */
};

/* The shipped weights give one number everywhere; these do not. Each layer is
 * compared with what the reference makes of the layers before it. */
static void run_network(const struct network *network)
{
    char path[path_size];
    struct graph graph;
    struct failure failure = {""};
    snprintf(path, sizeof path, "%snetworks/%s.onnx", DATA, network->name);
    if (!read_graph(&graph, path)) return;
    EXPECT_TRUE(weights_randomize(&graph, 1, &failure));
    struct graph_tensor ramp = graph.tensors[graph.inputs[0]];
    ramp.data = tensor_file_ramp(graph_shape_count(&ramp.shape));
    struct model_rig_run run = {.graph = &graph, .inputs = &ramp};
    model_rig_check(&run);
    EXPECT_EQ(network->steps, run.steps);
    EXPECT_EQ(network->compared, run.compared);
    free(ramp.data);
    graph_fini(&graph);
}

TEST_C(ModelLoader, ComputesEachLayerOfSqueezeNet)
{
    run_network(&(const struct network){"light_squeezenet", 31, 31});
}

/* Oclgrind had 18 GB after 20 minutes of AlexNet. */
static const char too_large[] = "too large for an interpreter";

TEST_C(ModelLoader, ComputesEachLayerOfAlexNet)
{
    if (test_platform_is_interpreted()) SKIP_TEST(too_large);
    run_network(&(const struct network){"light_bvlc_alexnet", 14, 14});
}

TEST_C(ModelLoader, ComputesEachLayerOfShuffleNet)
{
    run_network(&(const struct network){"light_shufflenet", 75, 59});
}

TEST_C(ModelLoader, ComputesEachLayerOfResNet50)
{
    if (test_platform_is_interpreted()) SKIP_TEST(too_large);
    run_network(&(const struct network){"light_resnet50", 57, 57});
}
