/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan makes of operators, on a device, DNNL_CACHE_TEST_PLATFORM or
 * PoCL, against the reference: those that the ONNX project's cases leave out,
 * and what becomes of several together. */
#include "model/lower/lower.h"
#include "model_rig.h"
#include "model_text.h"

#include "model/onnx/onnx.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a model that is a text; it comes to so many steps. */
static void check_text(const char *file, int line, int steps, const char *text)
{
    struct model_text model;
    struct graph graph = {0};
    struct failure failure = {""};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    if (onnx_read_graph(&graph, &source, &failure)) {
        struct model_rig_run run = {.graph = &graph};
        const bool had_failed = test_has_failed();
        model_rig_check(&run);
        if (run.steps != steps)
            test_fail(file, line, "%d steps, not %d", run.steps, steps);
        if (test_has_failed() && !had_failed)
            test_fail(file, line, "that was this model:\n%s", text);
    } else {
        test_fail(file, line, "%s", failure.text);
    }
    graph_fini(&graph);
    model_text_fini(&model);
}

/* Runs a model that is a text with an input of so many elements. It must fail
 * if there is a text of a failure. */
static void check_input(const char *text, const void *data, const char *failure)
{
    struct model_text model;
    struct graph graph = {0};
    struct failure reason = {""};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    if (onnx_read_graph(&graph, &source, &reason)) {
        struct graph_tensor input = graph.tensors[graph.inputs[0]];
        input.data = (void *)(uintptr_t)data;
        struct model_rig_run run = {
                .graph = &graph, .inputs = &input, .failure = failure};
        model_rig_check(&run);
    } else {
        test_fail(__FILE__, __LINE__, "%s", reason.text);
    }
    graph_fini(&graph);
    model_text_fini(&model);
}

#define CHECK(steps, text) check_text(__FILE__, __LINE__, steps, text)

/* ---- What one step does for several -------------------------------------- */

TEST_C(ModelOperators, NormalizationShortcutAndReluAreTheConvolutions)
{
    CHECK(2, "opset 13\n"
             "input x f32 1,4,6,6\n"
             "const w f32 4,4,3,3 = 0.5 -1 0.25 2 -0.125 0.75 1\n"
             "const v f32 4,4,1,1 = 1 0.5 -0.5\n"
             "const b f32 4 = 1 2 -1 0.5\n"
             "const s f32 4 = 1.5 0.5 2 1\n"
             "const h f32 4 = 0.5 -0.5\n"
             "const m f32 4 = 0.25 -2\n"
             "const r f32 4 = 2 1 0.5 4\n"
             "Conv:short x,v,b -> z\n"
             "Conv:main x,w,b -> c pads=[1,1,1,1]\n"
             "BatchNormalization c,s,h,m,r -> n epsilon=0.001\n"
             "Add n,z -> a\n"
             "Relu a -> y\n"
             "output y f32 1,4,6,6\n");
}

TEST_C(ModelOperators, WhatOthersReadIsNotLeftOut)
{
    CHECK(3, "opset 13\n"
             "input x f32 1,2,4,4\n"
             "const w f32 2,2,1,1 = 0.5 -1 0.25 2\n"
             "Conv x,w -> c\n"
             "Relu c -> r\n"
             "Sigmoid c -> s\n"
             "Sub r,s -> y\n"
             "output y f32 1,2,4,4\n"
             "output c f32 1,2,4,4\n");
}

TEST_C(ModelOperators, DifferencesAreTakenEitherWay)
{
    CHECK(2, "opset 13\n"
             "input x f32 3,4\n"
             "input z f32 3,4\n"
             "const w f32 4,4 = 0.5 -1 0.25 2 1\n"
             "MatMul x,w -> a\n"
             "Sub z,a -> b\n"
             "MatMul b,w -> c\n"
             "Sub c,z -> y\n"
             "output y f32 3,4\n");
}

TEST_C(ModelOperators, PartsOfAConcatAreWrittenInPlace)
{
    CHECK(3, "opset 13\n"
             "input x f32 1,3,4,4\n"
             "const w f32 2,3,1,1 = 0.5 -1 0.25 2 1 -0.5\n"
             "Conv x,w -> a\n"
             "Relu a -> b\n"
             "MaxPool x -> c kernel_shape=[3,3] pads=[1,1,1,1]\n"
             "Concat b,c -> d axis=1\n"
             "AveragePool d -> y kernel_shape=[2,2] strides=[2,2]\n"
             "output y f32 1,5,2,2\n");
}

TEST_C(ModelOperators, OtherConcatsAreCopied)
{
    CHECK(3, "opset 13\n"
             "input x f32 2,3\n"
             "input z f32 2,2\n"
             "Relu x -> a\n"
             "Concat a,z,a -> b axis=1\n"
             "Concat b,b -> c axis=0\n"
             "output c f32 4,8\n");
}

TEST_C(ModelOperators, ChannelsAreShuffledWithOneCopy)
{
    CHECK(2, "opset 13\n"
             "input x f32 1,6,3,2\n"
             "const a i64 5 = 1 3 2 3 2\n"
             "const b i64 4 = 1 6 3 2\n"
             "Reshape x,a -> p\n"
             "Transpose p -> q perm=[0,2,1,3,4]\n"
             "Reshape q,b -> r\n"
             "Relu r -> y\n"
             "output y f32 1,6,3,2\n");
}

/* ---- Windows ------------------------------------------------------------- */

TEST_C(ModelOperators, DeconvolutionsTakeGroupsAndStrides)
{
    CHECK(1, "opset 13\n"
             "input x f32 2,4,5,4\n"
             "const w f32 4,3,3,2 = 0.5 -1 0.25 2 1 -0.5 0.125\n"
             "const b f32 6 = 1 -1 0.5\n"
             "ConvTranspose x,w,b -> y group=2 strides=[2,3] pads=[1,0,0,1] "
             "output_padding=[1,0]\n"
             "output y f32 2,6,11,10\n");
}

TEST_C(ModelOperators, AveragesCountPaddingOrNot)
{
    CHECK(1, "opset 13\n"
             "input x f32 1,2,7,7\n"
             "AveragePool x -> y kernel_shape=[3,3] pads=[1,1,1,1] "
             "strides=[2,2] count_include_pad=1\n"
             "output y f32 1,2,4,4\n");
    CHECK(1, "opset 13\n"
             "input x f32 1,2,8,8\n"
             "AveragePool x -> y kernel_shape=[3,3] strides=[2,2] "
             "ceil_mode=1\n"
             "output y f32 1,2,4,4\n");
    /* The last windows reach beyond the padding: that does not count. */
    CHECK(2, "opset 13\n"
             "input x f32 1,2,6,6\n"
             "AveragePool x -> y kernel_shape=[3,3] pads=[1,1,1,1] "
             "strides=[2,2] ceil_mode=1 count_include_pad=1\n"
             "output y f32 1,2,4,4\n");
}

TEST_C(ModelOperators, GlobalPoolingsAreOfAnySize)
{
    CHECK(1, "opset 13\n"
             "input x f32 2,3,5,7\n"
             "GlobalMaxPool x -> y\n"
             "output y f32 2,3,1,1\n");
}

/* ---- Products ------------------------------------------------------------ */

TEST_C(ModelOperators, GemmScalesAndTransposes)
{
    CHECK(1, "opset 13\n"
             "input a f32 4,3\n"
             "const b f32 5,4 = 0.5 -1 0.25 2 1 -0.5 0.125\n"
             "const c f32 3,1 = 1 -2 3\n"
             "Gemm a,b,c -> y alpha=0.5 beta=2.0 transA=1 transB=1\n"
             "output y f32 3,5\n");
    /* Factors of what is no constant are steps. */
    CHECK(3, "opset 13\n"
             "input a f32 3,4\n"
             "input b f32 4,5\n"
             "input c f32 5\n"
             "Gemm a,b,c -> y alpha=0.5 beta=2.0\n"
             "output y f32 3,5\n");
}

TEST_C(ModelOperators, MatricesAreMultipliedInBatches)
{
    CHECK(1, "opset 13\n"
             "input a f32 2,1,3,4\n"
             "input b f32 5,4,2\n"
             "MatMul a,b -> y\n"
             "output y f32 2,5,3,2\n");
}

/* ---- Normalizations ------------------------------------------------------ */

TEST_C(ModelOperators, NormalizesByImageLayerAndChannel)
{
    CHECK(1, "opset 13\n"
             "input x f32 2,3,4,5\n"
             "const s f32 3 = 1.5 0.5 2\n"
             "const b f32 3 = 0.5 -0.5 1\n"
             "InstanceNormalization x,s,b -> y epsilon=0.01\n"
             "output y f32 2,3,4,5\n");
    CHECK(1, "opset 17\n"
             "input x f32 2,3,4,5\n"
             "const s f32 4,5 = 1.5 0.5 2\n"
             "const b f32 4,5 = 0.5 -0.5 1\n"
             "LayerNormalization x,s,b -> y axis=-2 epsilon=0.01\n"
             "output y f32 2,3,4,5\n");
    CHECK(1, "opset 13\n"
             "input x f32 1,8,3,3\n"
             "LRN x -> y size=5 alpha=0.5 beta=0.75 bias=2.0\n"
             "output y f32 1,8,3,3\n");
    CHECK(1, "opset 13\n"
             "input x f32 2,3,4\n"
             "Softmax x -> y axis=1\n"
             "output y f32 2,3,4\n");
}

/* ---- Integers, comparisons, logic ---------------------------------------- */

TEST_C(ModelOperators, IntegersWrapAroundInTheirOwnBits)
{
    static const char *const types[] = {"i8", "u8", "i16", "u16", "i32", "u32"};
    char text[512];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        snprintf(text, sizeof text,
                "opset 18\n"
                "input x %s 4,60\n"
                "const c %s 1 = 117\n"
                "Mul x,c -> a\n"
                "Add a,x -> b\n"
                "Neg b -> d\n"
                "ReduceSum d -> y axes=[1]\n"
                "output b %s 4,60\n"
                "output y %s 4,1\n",
                types[i], types[i], types[i], types[i]);
        CHECK(4, text);
    }
}

TEST_C(ModelOperators, ComparesAndChooses)
{
    CHECK(6, "opset 13\n"
             "input a f32 3,4\n"
             "input b f32 4\n"
             "Less a,b -> l\n"
             "GreaterOrEqual a,b -> g\n"
             "Equal l,g -> e\n"
             "Not e -> n\n"
             "Where n,b,a -> y\n"
             "output y f32 3,4\n"
             "output n bool 3,4\n");
    CHECK(5, "opset 13\n"
             "input a bool 3,4\n"
             "input b bool 3,1\n"
             "And a,b -> c\n"
             "Or c,b -> d\n"
             "Xor d,a -> e\n"
             "Where e,a,b -> y\n"
             "output y bool 3,4\n");
}

TEST_C(ModelOperators, RemaindersHaveEitherSign)
{
    CHECK(2, "opset 13\n"
             "input a i64 24\n"
             "const b i64 4 = 7 -7 3 -4\n"
             "const s i64 2 = 6 4\n"
             "Reshape a,s -> c\n"
             "Mod c,b -> d\n"
             "Mod c,b -> e fmod=1\n"
             "Concat d,e -> y axis=0\n"
             "output y i64 12,4\n");
}

TEST_C(ModelOperators, BitsAreShiftedAndCombined)
{
    CHECK(4, "opset 18\n"
             "input a u8 12\n"
             "const b u8 - = 3\n"
             "BitShift a,b -> c direction='LEFT'\n"
             "BitShift c,b -> d direction='RIGHT'\n"
             "BitwiseXor d,a -> e\n"
             "BitwiseNot e -> y\n"
             "output y u8 12\n");
}

TEST_C(ModelOperators, TrigonometricFunctions)
{
    static const char *const names[] = {"Sin", "Cos", "Tan", "Asin", "Acos",
            "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Sign",
            "Shrink"};
    char text[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 101\n%s x -> y\noutput y f32 101\n",
                names[i]);
        CHECK(1, text);
    }
}

TEST_C(ModelOperators, WhatIsNoNumberStays)
{
    static const float data[6] = {NAN, -INFINITY, INFINITY, -1.0f, 0.5f, 7.0f};
    static const char *const nodes[] = {"Relu x -> y", "Max x,c -> y",
            "Max c,x -> y", "Min x,c -> y", "Min c,x -> y", "Clip x,c,d -> y",
            "Clip x,c -> y", "HardSigmoid x -> y", "Abs x -> a\nRelu a -> y",
            "Erf x -> y"};
    char text[256];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 6\nconst c f32 - = 0.25\n"
                "const d f32 - = 3\n%s\noutput y f32 6\n",
                nodes[i]);
        check_input(text, data, NULL);
    }
}

static void check_sampled(
        void *user, int output, const struct graph_tensor *result)
{
    const float *x = user;
    const float *y = result->data;
    (void)output;
    for (int64_t i = 0; i < graph_shape_count(&result->shape); i++) {
        const double exact = erf((double)x[i]);
        int exponent;
        (void)frexp(exact, &exponent);
        const double off = 10.0 * ldexp(1.0, exponent - 24);
        const bool is_right = isnan(exact) ? isnan(y[i])
                              : fabs(exact) < 0x1p-120
                                      ? !signbit(y[i]) == !signbit(exact)
                                                && fabsf(y[i]) < 0x1p-119F
                                      : fabs((double)y[i] - exact) <= off
                                                && fabs((double)y[i]) <= 1.0;
        if (is_right) continue;
        test_fail(__FILE__, __LINE__, "erf(%a) is %a, not %a", (double)x[i],
                (double)y[i], exact);
        break;
    }
}

/* Floats of every exponent: at most 10 units in the last place are wrong. */
TEST_C(ModelOperators, ErrorFunctionIsAsExactAsItSays)
{
    enum { count = 1 << 16 };
    struct model_text model;
    struct graph graph = {0};
    struct failure failure = {""};
    float *x = malloc(count * sizeof *x);
    if (x == NULL) abort();
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = i << 16 | (i * 40503U & 0xffffU);
        memcpy(&x[i], &bits, sizeof bits);
    }
    /* From where it is about half to where it is about 1. */
    for (int i = 0; i < count / 2; i++)
        x[i * 2] = (float)(i - count / 4) * (8.5F / count * 2.0F);
    model_text_init(&model, "opset 13\ninput x f32 65536\nErf x -> y\n"
                            "output y f32 65536\n");
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    if (onnx_read_graph(&graph, &source, &failure)) {
        struct graph_tensor input = graph.tensors[graph.inputs[0]];
        input.data = x;
        struct model_rig_run run = {.graph = &graph,
                .inputs = &input,
                .show = check_sampled,
                .user = x};
        model_rig_check(&run);
    } else {
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    }
    graph_fini(&graph);
    model_text_fini(&model);
    free(x);
}

/* Nor is the difference of what is infinite a number. */
TEST_C(ModelOperators, LogarithmsOfSumsMayBeInfinite)
{
    static const float floats[15] = {INFINITY, 1, 2, -INFINITY, -INFINITY,
            -INFINITY, -INFINITY, 1, 2, -INFINITY, INFINITY, 0, 1, NAN, 2};
    double doubles[15];
    for (size_t i = 0; i < 15; i++)
        doubles[i] = (double)floats[i];
    check_input("opset 13\ninput x f32 5,3\nReduceLogSumExp x -> y axes=[1]\n"
                "output y f32 5,1\n",
            floats, NULL);
    check_input("opset 13\ninput x f64 5,3\nReduceLogSumExp x -> y axes=[1]\n"
                "output y f64 5,1\n",
            doubles, NULL);
}

/* Also after a run that has failed. */
TEST_C(ModelOperators, IndicesOutOfRangeAreErrors)
{
    static const int64_t right[4] = {0, -3, 2, -1};
    static const char *const nodes[] = {"Gather c,x -> y axis=1",
            "GatherElements d,x -> y axis=0",
            "Reshape x,s -> i\nGatherND e,i -> y",
            "Reshape x,s -> i\nGatherND f,i -> y batch_dims=1",
            "Reshape x,t -> i\nGatherND c,i -> y batch_dims=1"};
    char text[400];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(text, sizeof text,
                "opset 13\ninput x i64 4\nconst c f32 2,3 = 1 2 3 4 5 6\n"
                "const d f32 3 = 1 2 3\nconst e f32 3,3,2 = 1 2 3 4 5 6 7\n"
                "const f f32 2,3,3 = 1 2 3 4 5 6 7\nconst s i64 2 = 2\n"
                "const t i64 3 = 2 2 1\n%s\noutput y\n",
                nodes[i]);
        check_input(text, right, NULL);
        for (int k = 0; k < 4; k++) {
            int64_t wrong[4];
            memcpy(wrong, right, sizeof wrong);
            wrong[k] = k % 2 != 0 ? -4 : 3;
            check_input(text, wrong, "Gather");
            wrong[k] = k % 2 != 0 ? INT64_MIN : INT64_C(1) << 32;
            check_input(text, wrong, "an index is out of range");
        }
    }
}

/* What is out of range is an error, and the elements that are there stay. */
TEST_C(ModelOperators, UpdatesOutOfRangeAreErrors)
{
    static const int64_t right[4] = {0, -3, 2, -1};
    static const char *const nodes[] = {"ScatterElements d,x,u -> y axis=0",
            "ScatterElements d,x,u -> y reduction='add'",
            "Reshape x,t -> i\nScatterND d,i,u -> y reduction='max'",
            "Reshape x,s -> i\nScatterND e,i,v -> y"};
    char text[400];
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(text, sizeof text,
                "opset 18\ninput x i64 4\nconst d f32 3 = 1 2 3\n"
                "const u f32 4 = 5 6 7 8\nconst v f32 2,2 = 1 2\n"
                "const e f32 3,3,2 = 1 2 3 4 5 6 7\nconst s i64 2 = 2\n"
                "const t i64 2 = 4 1\n%s\noutput y\n",
                nodes[i]);
        if (i != 0) check_input(text, right, NULL); /* twice element 2 */
        for (int k = 0; k < 4; k++) {
            int64_t wrong[4];
            memcpy(wrong, right, sizeof wrong);
            wrong[k] = k % 2 != 0 ? -4 : 3;
            check_input(text, wrong, "Scatter");
            wrong[k] = k % 2 != 0 ? INT64_MIN : INT64_C(1) << 32;
            check_input(text, wrong, "an index is out of range");
        }
    }
}

/* ---- Along one dimension ------------------------------------------------- */

TEST_C(ModelOperators, SumsRunEitherWay)
{
    CHECK(2, "opset 14\n"
             "input x f32 3,7,2\n"
             "const a i64 - = 1\n"
             "CumSum x,a -> b\n"
             "CumSum b,a -> y exclusive=1 reverse=1\n"
             "output y f32 3,7,2\n");
    CHECK(1, "opset 14\n"
             "input x i32 3,7\n"
             "const a i64 - = -2\n"
             "CumSum x,a -> y reverse=1\n"
             "output y i32 3,7\n");
}

TEST_C(ModelOperators, PlacesOfTheLargestAndTheLeast)
{
    CHECK(4, "opset 13\n"
             "input x f32 3,11,2\n"
             "ArgMax x -> a axis=1 keepdims=0\n"
             "ArgMin x -> b axis=0\n"
             "Round x -> r\n"
             "ArgMax r -> y axis=1 select_last_index=1\n"
             "output a i64 3,2\n"
             "output b i64 1,11,2\n"
             "output y i64 3,1,2\n");
}

TEST_C(ModelOperators, ElementsAreGatheredOneByOne)
{
    CHECK(1, "opset 13\n"
             "input x f32 3,4,5\n"
             "const i i64 2,4,3 = 0 -1 4 2 -5 1 3\n"
             "GatherElements x,i -> y axis=2\n"
             "output y f32 2,4,3\n");
}

TEST_C(ModelOperators, ElementsAreScatteredOneByOne)
{
    CHECK(2, "opset 18\n"
             "input x f32 3,4,5\n"
             "input u f32 2,4,3\n"
             "const i i64 2,4,3 = 0 -1 3 2 -5 1 4 3\n"
             "ScatterElements x,i,u -> y axis=2\n"
             "output y f32 3,4,5\n");
    CHECK(2, "opset 18\n"
             "input x f32 4,3\n"
             "input u f32 7,3\n"
             "const i i64 7,3 = 0 -1 2 2 -4 1 3\n"
             "ScatterElements x,i,u -> y reduction='add'\n"
             "output y f32 4,3\n");
    CHECK(2, "opset 18\n"
             "input x i8 4,3\n"
             "input u i8 2,6\n"
             "const i i64 2,6 = 0 -1 2 2 -3 1\n"
             "ScatterElements x,i,u -> y reduction='mul' axis=1\n"
             "output y i8 4,3\n");
}

TEST_C(ModelOperators, LinesAreScattered)
{
    CHECK(2, "opset 18\n"
             "input x f32 3,4,5\n"
             "input u f32 2,5\n"
             "const i i64 2,2 = 0 -1 2 1\n"
             "ScatterND x,i,u -> y\n"
             "output y f32 3,4,5\n");
    CHECK(2, "opset 18\n"
             "input x i32 4,3\n"
             "input u i32 5,3\n"
             "const i i64 5,1 = 0 -1 1 1 -1\n"
             "ScatterND x,i,u -> y reduction='min'\n"
             "output y i32 4,3\n");
}

/* The first element says which. */
TEST_C(ModelOperators, DataChooseAGraph)
{
    static const float samples[2][4] = {
            {1.0F, -2.0F, 3.0F, 0.5F}, {-1.0F, 2.0F, -3.0F, 0.0F}};
    for (int i = 0; i < 2; i++)
        check_input("opset 13\ninput x f32 4\nconst i i64 1 = 0\n"
                    "const z f32 - = 0\n"
                    "graph a\nAdd x,x -> p\noutput p\nend\n"
                    "graph b\nconst k f32 4 = 1 2 3 4\noutput k\nend\n"
                    "Gather x,i -> f\nGreater f,z -> c\n"
                    "If c -> y then_branch=@a else_branch=@b\n"
                    "output y f32 4\n",
                samples[i], NULL);
}

/* ---- Patterns ------------------------------------------------------------ */

TEST_C(ModelOperators, TrianglesAndOnes)
{
    CHECK(2, "opset 14\n"
             "input x f32 2,4,5\n"
             "const k i64 - = -1\n"
             "Trilu x,k -> y upper=0\n"
             "output y f32 2,4,5\n");
    CHECK(3, "opset 13\n"
             "input x f32 3,4\n"
             "Hardmax x -> y\n"
             "output y f32 3,4\n");
}

/* ---- Quantized ----------------------------------------------------------- */

TEST_C(ModelOperators, QuantizesAndBack)
{
    CHECK(3, "opset 13\n"
             "input x f32 2,3,5\n"
             "const s f32 3 = 0.015 0.25 0.007\n"
             "const z u8 3 = 128 3 90\n"
             "QuantizeLinear x,s,z -> q axis=1\n"
             "DequantizeLinear q,s,z -> y axis=1\n"
             "output q u8 2,3,5\n"
             "output y f32 2,3,5\n");
}

TEST_C(ModelOperators, ProductsOfIntegersAreExact)
{
    CHECK(6, "opset 13\n"
             "input a u8 2,3,70\n"
             "input b i8 70,4\n"
             "const z u8 - = 200\n"
             "const w i8 4 = 5 -128 127 0\n"
             "MatMulInteger a,b,z,w -> y\n"
             "output y i32 2,3,4\n");
    CHECK(1, "opset 13\n"
             "input a f64 5,3,4\n"
             "input b f64 4,2\n"
             "MatMul a,b -> y\n"
             "output y f64 5,3,2\n");
}

TEST_C(ModelOperators, ConvolutionsOfIntegersAreExact)
{
    CHECK(4, "opset 13\n"
             "input x u8 2,4,7,6\n"
             "const w i8 6,2,3,2 = 100 -128 3 127 -77 9 0\n"
             "const z u8 - = 200\n"
             "ConvInteger x,w,z -> y group=2 pads=[1,0,2,1] strides=[2,1] "
             "dilations=[1,2]\n"
             "output y i32 2,6,4,5\n");
    CHECK(4, "opset 13\n"
             "input x u8 1,3,9\n"
             "const xs f32 - = 0.02\n"
             "const xz u8 - = 128\n"
             "const w i8 4,3,3 = 100 -128 3 127 -77 9 0\n"
             "const ws f32 4 = 0.01 0.02 0.003 0.004\n"
             "const wz i8 - = 0\n"
             "const ys f32 - = 0.05\n"
             "const yz u8 - = 100\n"
             "const b i32 4 = 1000 -2000 3 0\n"
             "QLinearConv x,xs,xz,w,ws,wz,ys,yz,b -> y pads=[1,1]\n"
             "output y u8 1,4,9\n");
}

/* ---- Sequences ----------------------------------------------------------- */

/* One step each, whatever is given and asked for; and one that joins the last
 * states of both directions. */
TEST_C(ModelOperators, SequencesAreOneStep)
{
    CHECK(1, "opset 14\n"
             "input x f32 3,2,4\n"
             "const w f32 1,20,4 = 0.5 -0.25 0.125 0.75 -0.5 0.3 0.2\n"
             "const r f32 1,20,5 = -0.5 0.25 0.1 0.4 -0.3 0.2 0.6\n"
             "const b f32 1,40 = 0.1 -0.2 0.3\n"
             "const s f32 1,2,5 = 0.4 -0.3 0.2\n"
             "const p f32 1,15 = 0.3 -0.1 0.2 0.5\n"
             "LSTM x,w,r,b,,s,s,p -> y,,c hidden_size=5 "
             "direction='reverse'\n"
             "output y f32 3,1,2,5\n"
             "output c f32 1,2,5\n");
    CHECK(2, "opset 14\n"
             "input x f32 3,2,4\n"
             "const w f32 2,15,4 = 0.5 -0.25 0.125 0.75 -0.5 0.3 0.2\n"
             "const r f32 2,15,5 = -0.5 0.25 0.1 0.4 -0.3 0.2 0.6\n"
             "const b f32 2,30 = 0.1 -0.2 0.3\n"
             "GRU x,w,r,b -> y,h hidden_size=5 direction='bidirectional'\n"
             "output y f32 3,2,2,5\n"
             "output h f32 2,2,5\n");
    CHECK(1, "opset 14\n"
             "input x f32 2,3,4\n"
             "const w f32 1,15,4 = 0.5 -0.25 0.125 0.75 -0.5 0.3 0.2\n"
             "const r f32 1,15,5 = -0.5 0.25 0.1 0.4 -0.3 0.2 0.6\n"
             "const b f32 1,30 = 0.1 -0.2 0.3\n"
             "GRU x,w,r,b -> y,h hidden_size=5 layout=1 "
             "linear_before_reset=1\n"
             "output y f32 2,3,1,5\n"
             "output h f32 2,1,5\n");
    CHECK(1, "opset 14\n"
             "input x f32 3,2,4\n"
             "const w f32 1,5,4 = 0.5 -0.25 0.125 0.75 -0.5 0.3 0.2\n"
             "const r f32 1,5,5 = -0.5 0.25 0.1 0.4 -0.3 0.2 0.6\n"
             "RNN x,w,r -> ,h hidden_size=5\n"
             "output h f32 1,2,5\n");
}

TEST_C(ModelOperators, SequencesGoBothWays)
{
    CHECK(2, "opset 14\n"
             "input x f32 3,2,4\n"
             "const w f32 2,20,4 = 0.5 -0.25 0.125 0.75 -0.5 0.3 0.2\n"
             "const r f32 2,20,5 = -0.5 0.25 0.1 0.4 -0.3 0.2 0.6\n"
             "const b f32 2,40 = 0.1 -0.2 0.3\n"
             "LSTM x,w,r,b -> y,h,c hidden_size=5 "
             "direction='bidirectional'\n"
             "output y f32 3,2,2,5\n"
             "output h f32 2,2,5\n"
             "output c f32 2,2,5\n");
}

/* ---- Elements ------------------------------------------------------------ */

TEST_C(ModelOperators, FunctionsOfOneElement)
{
    CHECK(1, "opset 13\n"
             "input x f32 40\n"
             "Selu x -> a\nCelu a -> b alpha=0.5\nHardSigmoid b -> c\n"
             "Softplus c -> y\n"
             "output y f32 40\n");
    CHECK(1, "opset 14\n"
             "input x f32 40\n"
             "HardSwish x -> a\nExp a -> b\nLog b -> c\nReciprocal c -> y\n"
             "output y f32 40\n");
    CHECK(2, "opset 13\n"
             "input x f32 40\n"
             "const l f32 - = -1.25\n"
             "Clip x,l -> a\nFloor a -> y\n"
             "output y f32 40\n");
    CHECK(3, "opset 13\n"
             "input x f32 40\n"
             "Ceil x -> a\nErf x -> b\nAdd a,b -> y\n"
             "output y f32 40\n");
    CHECK(2, "opset 13\n"
             "input x f32 40\n"
             "ThresholdedRelu x -> a alpha=0.5\nRound a -> y\n"
             "output y f32 40\n");
}

TEST_C(ModelOperators, TypesChange)
{
    CHECK(2, "opset 13\n"
             "input x f32 40\n"
             "input n i64 40\n"
             "Cast x -> a to=7\n"
             "Div a,n -> b\n"
             "output b i64 40\n");
    CHECK(3, "opset 13\n"
             "input x f32 40\n"
             "Cast x -> a to=9\n"
             "Cast a -> b to=1\n"
             "Neg b -> y\n"
             "output y f32 40\n");
}

/* More than a float holds. */
TEST_C(ModelOperators, IntegersAndDoublesAreExact)
{
    CHECK(3, "opset 13\n"
             "input n i64 3,4\n"
             "const m i64 - = 1099511627777\n"
             "Mul n,m -> a\n"
             "Transpose a -> b perm=[1,0]\n"
             "Concat b,b -> c axis=1\n"
             "output c i64 4,6\n");
    CHECK(3, "opset 13\n"
             "input x f64 3,4\n"
             "const d f64 - = 1e-12\n"
             "Exp x -> a\n"
             "Add a,d -> b\n"
             "Sub b,a -> c\n"
             "output c f64 3,4\n");
}

TEST_C(ModelOperators, FunctionsOfTwoAreBroadcast)
{
    CHECK(1, "opset 13\n"
             "input a f32 2,3,1,5\n"
             "input b f32 4,1\n"
             "Mul a,b -> y\n"
             "output y f32 2,3,4,5\n");
    CHECK(2, "opset 13\n"
             "input a f32 3,4\n"
             "const e f32 - = 2\n"
             "const s f32 4 = 0.5 -1 2 1\n"
             "Pow a,e -> b\n"
             "PRelu b,s -> y\n"
             "output y f32 3,4\n");
    /* Powers of a constant exponent are functions of one element; others are
     * not. */
    CHECK(2, "opset 13\n"
             "input a f32 3,4\n"
             "const e f32 1,1,1 = 3\n"
             "const f f32 4 = 2 1 2 3\n"
             "Pow a,e -> b\n"
             "Neg b -> c\n"
             "Pow c,f -> y\n"
             "output y f32 1,3,4\n");
    CHECK(1, "opset 13\n"
             "input a f32 3,4\n"
             "const m f32 4 = 0.5 -1 2 1\n"
             "const e f32 - = 2\n"
             "Sub a,m -> b\n"
             "Pow b,e -> c\n"
             "Neg c -> y\n"
             "output y f32 3,4\n");
    /* Maxima and minima are programs of our own: they keep NaN. */
    CHECK(3, "opset 13\n"
             "input a f32 3,4\n"
             "input b f32 4\n"
             "input c f32 3,1\n"
             "Mean a,b,c -> d\n"
             "Max d,b,a -> y\n"
             "output y f32 3,4\n");
}

TEST_C(ModelOperators, Reductions)
{
    static const char *const names[] = {"ReduceMax", "ReduceMin", "ReduceProd",
            "ReduceL1", "ReduceL2", "ReduceSumSquare"};
    char text[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text,
                "opset 11\n"
                "input x f32 2,3,4\n"
                "%s x -> y axes=[0,2] keepdims=0\n"
                "output y f32 3\n",
                names[i]);
        CHECK(1, text);
    }
    CHECK(5, "opset 11\n"
             "input x f32 2,3,4\n"
             "ReduceLogSumExp x -> y axes=[1]\n"
             "Exp y -> e\n"
             "ReduceLogSum e -> z axes=[0,2]\n"
             "output z f32 1,1,1\n");
    /* Of dimensions of one element alone. */
    CHECK(1, "opset 11\n"
             "input x f32 1,3,1\n"
             "ReduceL2 x -> y axes=[0,2]\n"
             "output y f32 1,3,1\n");
}

/* ---- Places -------------------------------------------------------------- */

TEST_C(ModelOperators, SlicesStepEitherWay)
{
    CHECK(1, "opset 13\n"
             "input x f32 3,8\n"
             "const s i64 2 = 1 1\n"
             "const e i64 2 = 3 8\n"
             "const a i64 2 = 0 1\n"
             "const t i64 2 = 1 3\n"
             "Slice x,s,e,a,t -> b\n"
             "Relu b -> y\n"
             "output y f32 2,3\n");
    CHECK(1, "opset 13\n"
             "input x f32 3,8\n"
             "const s i64 1 = -1\n"
             "const e i64 1 = -9\n"
             "const a i64 1 = 1\n"
             "const t i64 1 = -2\n"
             "Slice x,s,e,a,t -> y\n"
             "output y f32 3,4\n");
}

TEST_C(ModelOperators, GathersTilesExpandsAndPads)
{
    CHECK(1, "opset 13\n"
             "input x f32 2,5,3\n"
             "const i i64 2,2 = 4 -5 0 -1\n"
             "Gather x,i -> y axis=1\n"
             "output y f32 2,2,2,3\n");
    CHECK(1, "opset 13\n"
             "input x f32 2,3\n"
             "const n i64 2 = 3 2\n"
             "Tile x,n -> y\n"
             "output y f32 6,6\n");
    CHECK(1, "opset 13\n"
             "input x f32 2,1,3\n"
             "const n i64 3 = 2 4 3\n"
             "Expand x,n -> e\n"
             "Neg e -> y\n"
             "output y f32 2,4,3\n");
    CHECK(1, "opset 13\n"
             "input x f32 2,4\n"
             "const p i64 4 = 0 3 1 -1\n"
             "const v f32 - = 7\n"
             "Pad x,p,v -> y\n"
             "output y f32 3,6\n");
    CHECK(2, "opset 13\n"
             "input x f32 3,4\n"
             "const p i64 4 = 2 3 1 2\n"
             "Pad x,p -> a mode='reflect'\n"
             "Pad a,p -> y mode='edge'\n"
             "output y f32 9,14\n");
}

TEST_C(ModelOperators, ResizesToNearest)
{
    CHECK(1, "opset 13\n" /* the library's own */
             "input x f32 1,2,3,4\n"
             "const s f32 4 = 1 1 2 2\n"
             "Resize x,,s -> y mode='nearest' nearest_mode='floor' "
             "coordinate_transformation_mode='asymmetric'\n"
             "output y f32 1,2,6,8\n");
    CHECK(2, "opset 13\n" /* halves are rounded down: dimension by dimension */
             "input x f32 1,2,6,8\n"
             "const s f32 4 = 1 1 0.5 0.5\n"
             "Resize x,,s -> y mode='nearest'\n"
             "output y f32 1,2,3,4\n");
}

TEST_C(ModelOperators, ResizesLinearly)
{
    CHECK(1, "opset 13\n"
             "input x f32 1,2,3,4\n"
             "const s f32 4 = 1 1 2 2\n"
             "Resize x,,s -> y mode='linear'\n"
             "output y f32 1,2,6,8\n");
    CHECK(2, "opset 13\n"
             "input x f32 1,2,3,4\n"
             "const n i64 4 = 1 2 5 7\n"
             "Resize x,,,n -> y mode='linear' "
             "coordinate_transformation_mode='align_corners'\n"
             "output y f32 1,2,5,7\n");
}

/* A dimension of its own by each product; what is outside is the edge, or
 * nothing. */
TEST_C(ModelOperators, ResizesCubically)
{
    static const char *const words[] = {"", "cubic_coeff_a=-0.5",
            "exclude_outside=1", "cubic_coeff_a=-0.5 exclude_outside=1"};
    static const char *const coordinates[] = {
            "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
    static const char *const scales[] = {"1 1 2.3 0.7", "1 1 0.3 4"};
    /* Of lengths that are whole. */
    static const char *const aligned[] = {"1 1 2.25 0.6", "1 1 0.5 4"};
    char text[512];
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++)
            for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
                snprintf(text, sizeof text,
                        "opset 13\ninput x f32 1,2,4,5\nconst s f32 4 = %s\n"
                        "Resize x,,s -> y mode='cubic' "
                        "coordinate_transformation_mode='%s' %s\noutput y\n",
                        c == 2 ? aligned[s] : scales[s], coordinates[c],
                        words[w]);
                CHECK(2, text);
            }
}

/* The dimensions stay, the elements do not. */
TEST_C(ModelOperators, ResizesWhatKeepsItsDimensions)
{
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    char text[512];
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 1,2,4,4\nconst s f32 4 = 1 1 1 1.2\n"
                "Resize x,,s -> y mode='%s' "
                "coordinate_transformation_mode='asymmetric'\n"
                "output y f32 1,2,4,4\n",
                modes[m]);
        CHECK(1, text);
    }
}

/* One channel more behind than before; also more than there are. */
TEST_C(ModelOperators, NormalizesAcrossAnEvenNumberOfChannels)
{
    static const char *const models[] = {"input x f32 2,7,3,2\nLRN x -> y "
                                         "size=4 alpha=0.5 beta=0.6 bias=2.0",
            "input x f32 1,3,2\nLRN x -> y size=2 alpha=0.5",
            "input x f32 2,5\nLRN x -> y size=10 alpha=3.0",
            "input x f32 1,3,2,2\nLRN x -> y size=2147483646 alpha=3.0",
            "input x f32 1,4,2,2\nTranspose x -> t perm=[0,2,1,3]\n"
            "LRN t -> y size=6 alpha=3.0"};
    char text[512];
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        snprintf(text, sizeof text, "opset 13\n%s\noutput y\n", models[i]);
        CHECK(3, text);
    }
}

/* Halves are floats from the file on. */
TEST_C(ModelOperators, ComputesModelsOfHalves)
{
    CHECK(3, "opset 13\n"
             "input x f16 1,4,6,6\n"
             "const w f16 4,4,3,3 = 0.5 -1 0.25 2 -0.125 0.75 1\n"
             "const b f16 4 = 1 2 -1 0.5\n"
             "const s f16 1 = 0.5\n"
             "Conv x,w,b -> c pads=[1,1,1,1]\n"
             "Relu c -> r\n"
             "Cast r -> f to=1\n"
             "Softmax f -> p axis=1\n"
             "Cast p -> h to=10\n"
             "Mul h,s -> y\n"
             "output y f16 1,4,6,6\n");
}

/* ---- Halves on the device ------------------------------------------------ */

/* Runs a model of halves as such; is_half: no step needs floats. */
static void check_halves(bool is_half, const char *text)
{
    struct model_text model;
    struct graph graph = {0};
    struct failure failure = {""};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    ASSERT_TRUE(onnx_read_graph(&graph, &source, &failure));
    EXPECT_TRUE(lower_is_half(&graph));
    struct model_rig_run run = {.graph = &graph, .is_half = true};
    model_rig_check(&run);
    EXPECT_EQ(is_half, run.was_half);
    EXPECT_GT(run.compared, 0);
    graph_fini(&graph);
    model_text_fini(&model);
}

TEST_C(ModelOperators, HalvesStayHalvesOnTheDevice)
{
    check_halves(true,
            "opset 13\ninput x f16 1,4,6,6\n"
            "const w f16 4,4,3,3 = 0.5 -1 0.25 2 -0.125 0.75 1\n"
            "const v f16 4,4,1,1 = 1 0.5 -0.5\nconst b f16 4 = 1 2 -1 0.5\n"
            "const s f16 4 = 1.5 0.5 2 1\nconst m f16 4 = 0.25 -2\n"
            "const r f16 4 = 2 1 0.5 4\n"
            "Conv x,v,b -> z\nConv x,w,b -> c pads=[1,1,1,1]\n"
            "BatchNormalization c,s,b,m,r -> n epsilon=0.001\n"
            "Add n,z -> a\nRelu a -> y\noutput y f16 1,4,6,6\n");
    check_halves(true,
            "opset 13\ninput x f16 1,4,6,6\nconst s f16 4 = 1.5 0.5 2 1\n"
            "const b f16 4 = 1 2 -1 0.5\nconst r f16 4 = 2 1 0.5 4\n"
            "BatchNormalization x,s,b,b,r -> n\n"
            "MaxPool n -> p kernel_shape=[3,3] strides=[2,2]\n"
            "AveragePool n -> q kernel_shape=[3,3] strides=[2,2]\n"
            "Concat p,q -> c axis=1\nLRN c -> l size=3\n"
            "Softmax l -> y axis=1\noutput y f16 1,8,2,2\n");
    check_halves(true, "opset 13\ninput x f16 3,32\n"
                       "const w f16 10,32 = 0.5 -1 0.25 2 -0.125 0.75 1\n"
                       "const c f16 10 = 1 -2\n"
                       "Gemm x,w,c -> g transB=1 alpha=0.5 beta=0.25\n"
                       "Sigmoid g -> h\nTranspose h -> t\nMatMul t,x -> y\n"
                       "output y f16 10,32\n");
}

/* Weights that are read on their way to the device. */
TEST_C(ModelOperators, HalvesOfLargeWeightsStayHalves)
{
    struct model_text model;
    struct failure failure = {""};
    struct graph graph = {0};
    const struct onnx_source source = {.folder = NULL};
    model_text_init(&model,
            "opset 13\ninput x f16 1,64,5,5\n"
            "const w f16 64,64,3,3 = 0.5 -1 0.25 0.125 -0.5 0.75 1\n"
            "const b f16 64 = 1 2 -1 0.5\nconst s f16 64 = 1.5 0.5\n"
            "const r f16 64 = 2 1 0.5 4\n"
            "Conv x,w,b -> c pads=[1,1,1,1]\nRelu c -> d\n"
            "Conv d,w,b -> e pads=[1,1,1,1]\n"
            "BatchNormalization e,s,b,b,r -> y\noutput y f16 1,64,5,5\n");
    struct onnx_model *opened =
            onnx_model_open(model.bytes, model.size, &failure);
    ASSERT_NOT_NULL(opened);
    ASSERT_TRUE(onnx_model_read_graph(&graph, opened, &source, &failure));
    onnx_model_close(opened);
    const int w = graph_find_tensor(&graph, "w");
    ASSERT_TRUE(graph.tensors[w].deferred != NULL);
    EXPECT_TRUE(graph.tensors[w].deferred->is_half);
    struct model_rig_run run = {.graph = &graph, .is_half = true};
    /* The reference reads its numbers from the graph. */
    float *data = graph.tensors[w].data;
    EXPECT_TRUE(deferred_copy(graph.tensors[w].deferred, 0,
            graph.tensors[w].deferred->count, data, &failure));
    model_rig_check(&run);
    EXPECT_TRUE(run.was_half);
    EXPECT_FALSE(graph.tensors[w].deferred->is_read);
    graph_fini(&graph);
    model_text_fini(&model);
}

/* Programs of the loader's own are there for floats. */
TEST_C(ModelOperators, ModelsOfHalvesMayNeedFloats)
{
    check_halves(false, "opset 13\ninput x f16 2,3\nconst s f16 3 = 0.5 1 2\n"
                        "Mul x,s -> m\nSin m -> y\noutput y f16 2,3\n");
}

/* Some of a model's numbers are floats: then all are. */
TEST_C(ModelOperators, MixedModelsAreOfFloats)
{
    static const char *const texts[] = {
            "input x f32 2,3\nconst s f16 3 = 0.5\nCast x -> c to=10\n"
            "Mul c,s -> y\n",
            "input x f16 2,3\nconst s f32 3 = 0.5\nCast x -> c to=1\n"
            "Mul c,s -> y\n",
            "input x f32 2,3\nconst s f32 3 = 0.5\nMul x,s -> y\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct model_text model;
        struct graph graph = {0};
        struct failure failure = {""};
        char text[256];
        snprintf(text, sizeof text, "opset 13\n%soutput y", texts[i]);
        model_text_init(&model, text);
        const struct onnx_source source = {
                .bytes = model.bytes, .size = model.size};
        ASSERT_TRUE(onnx_read_graph(&graph, &source, &failure));
        EXPECT_FALSE(lower_is_half(&graph));
        graph_fini(&graph);
        model_text_fini(&model);
    }
}

/* ---- Weights on their way ------------------------------------------------ */

/* A graph of which large weights have not been read. */
static void find_weights(struct graph *graph, const struct model_text *model)
{
    struct failure failure = {""};
    const struct onnx_source source = {.folder = NULL};
    struct onnx_model *opened =
            onnx_model_open(model->bytes, model->size, &failure);
    ASSERT_NOT_NULL(opened);
    ASSERT_TRUE(onnx_model_read_graph(graph, opened, &source, &failure));
    onnx_model_close(opened);
}

/* Of several parts, factors that change within one, made or read, as floats or
 * halves: also where they are written to a device's own memory. */
TEST_C(ModelOperators, LargeWeightsComeInParts)
{
    static const char *const types[] = {"f32", "f16"};
    for (int i = 0; i < 4; i++) {
        struct model_text model;
        struct graph graph = {0};
        struct failure failure = {""};
        char text[1024];
        const char *type = types[i / 2];
        snprintf(text, sizeof text,
                "opset 13\ninput x %s 1,32,2,2\n"
                "const w %s 256,32,3,3 = 0.5 -1 0.25 0.125 -0.5 0.75 1\n"
                "const b %s 256 = 1 2 -1 0.5\nconst s %s 256 = 1.5 0.5\n"
                "const r %s 256 = 2 1 0.5 4\n"
                "const m %s 1024,1100 = 0.5 0.25 -0.25 0.125 -0.5\n"
                "Conv x,w,b -> c pads=[1,1,1,1]\n"
                "BatchNormalization c,s,b,b,r -> n\n"
                "Flatten n -> f\nMatMul f,m -> y\noutput y",
                type, type, type, type, type, type);
        model_text_init(&model, text);
        find_weights(&graph, &model);
        /* The reference reads its numbers from the graph. */
        for (int t = 0; t < graph.tensor_count; t++) {
            const struct deferred *d = graph.tensors[t].deferred;
            EXPECT_TRUE(d == NULL
                        || deferred_copy(d, 0, d->count, d->data, &failure));
        }
        struct model_rig_run run = {
                .graph = &graph, .is_apart = i % 2 == 1, .is_half = i / 2 == 1};
        model_rig_check(&run);
        EXPECT_EQ(i / 2 == 1, run.was_half);
        EXPECT_EQ(2, run.compared);
        graph_fini(&graph);
        model_text_fini(&model);
    }
}
