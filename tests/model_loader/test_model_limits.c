/* SPDX-License-Identifier: Apache-2.0 */
/* Models of a few bytes that ask for a lot: refused by their sizes, with a
 * name, before anything of such a size is allocated. */
#include "model/lower/lower.h"
#include "model/onnx/onnx.h"
#include "model/run/device_limits.h"
#include "model_text.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* As the loader makes a plan for a device with these limits. */
static bool plan_for(const struct device_limits *limits, const char *text,
        struct failure *failure)
{
    struct model_text model;
    struct graph graph = {0};
    struct plan plan = {0};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    *failure = (struct failure){""};
    const bool ok = onnx_read_graph(&graph, &source, failure)
                    && lower_graph(&plan, &graph, failure)
                    && device_limits_check(limits, &plan, failure);
    plan_fini(&plan);
    graph_fini(&graph);
    model_text_fini(&model);
    return ok;
}

static void expect_refused(const struct device_limits *limits, const char *text,
        const char *name, const char *why)
{
    struct failure failure;
    EXPECT_FALSE(plan_for(limits, text, &failure));
    if (strstr(failure.text, name) == NULL || strstr(failure.text, why) == NULL)
        test_fail(__FILE__, __LINE__, "%s: \"%s\"", text, failure.text);
}

static const struct device_limits gibibyte = {
        (uint64_t)1 << 30, (uint64_t)1 << 31};

/* What the device has no buffer for. */
TEST_C(ModelLimits, RefuseTensorsBeyondABuffer)
{
    static const char *const models[][2] = {
            {"input x f32 1,65536\nconst s i64 2 = 65536 1\n"
             "Expand:big x,s -> a\nRelu:large a -> y\noutput y",
                    "Relu 'large'"},
            {"input x f32 1,1\nconst s i64 2 = 65536 65536\n"
             "Expand:big x,s -> y\noutput y",
                    "output y"},
            {"input x f32 1,1\nconst s i64 2 = 65536 65536\n"
             "Tile:big x,s -> y\noutput y",
                    "Tile 'big'"},
            {"input x f32 1,1\nconst s i64 4 = 0 0 65536 65536\n"
             "Pad:big x,s -> y\noutput y",
                    "Pad 'big'"},
            {"input x f32 1,1,4,4\nconst s f32 4 = 1 1 16384 16384\n"
             "Resize:big x,,s -> y mode='nearest'\noutput y",
                    "Resize 'big'"},
            {"input x f32 1,1,4,4\nconst s f32 4 = 1 1 5000 5001\n"
             "Resize:big x,,s -> y mode='linear' "
             "coordinate_transformation_mode='align_corners'\noutput y",
                    "Resize 'big'"},
            {"input x f32 1,1,4,4\nconst w f32 1,1,1,1 = 1\n"
             "ConvTranspose:big x,w -> y strides=[16384,16384]\noutput y",
                    "ConvTranspose 'big'"},
            {"input x f32 1,65536\ninput z f32 65536,1\n"
             "Add:big x,z -> y\noutput y",
                    "Add 'big'"},
            {"input x f32 65536,1\ninput z f32 1,65536\n"
             "MatMul:big x,z -> y\noutput y",
                    "MatMul 'big'"},
            {"input x f32 65536,65536\nRelu x -> y\noutput y", "input x"},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[512];
        snprintf(text, sizeof text, "opset 13\n%s", models[i][0]);
        expect_refused(&gibibyte, text, models[i][1], "1073741824");
    }
}

/* Activations are parts of one buffer; weights and inputs have their own. */
TEST_C(ModelLimits, RefuseWhatIsTooLargeTogether)
{
    static const char text[] = "opset 13\ninput x f32 1024\n"
                               "input z f32 1024\nRelu:first x -> a\n"
                               "Tanh:second z -> b\nAdd:third a,b -> y\n"
                               "output y";
    struct failure failure;
    struct device_limits limits = {1 << 20, 1 << 20};
    EXPECT_TRUE(plan_for(&limits, text, &failure));
    limits.buffer = 4096;
    expect_refused(&limits, text, "'first' and what is needed with it", "4096");
    limits = (struct device_limits){1 << 20, 12000};
    expect_refused(&limits, text, "most of them for Relu 'first'", "12000");
    limits = (struct device_limits){0, 0};
    expect_refused(&limits, text, "input x", "at most 0");
}

/* What goes in and comes out is a message on the host. */
TEST_C(ModelLimits, RefuseTensorsBeyondAFile)
{
    static const struct device_limits none = {UINT64_MAX, UINT64_MAX};
    struct failure failure;
    expect_refused(&none,
            "opset 13\ninput x f32 1,1\nconst s i64 2 = 32768 16384\n"
            "Expand x,s -> y\noutput y",
            "output y", "2147483648 bytes, a TensorProto");
    expect_refused(&none,
            "opset 13\ninput x f32 32768,16384\n"
            "ReduceSum x -> y\noutput y",
            "input x", "2147483648 bytes, a TensorProto");
    EXPECT_TRUE(plan_for(&none,
            "opset 13\ninput x f32 1,1\nconst s i64 2 = 32767 16384\n"
            "Expand x,s -> y\noutput y",
            &failure));
}

/* What is made on the host has limits of its own, whatever the device. */
TEST_C(ModelLimits, RefuseConstantsTooLargeToMake)
{
    static const struct device_limits none = {UINT64_MAX, UINT64_MAX};
    static const char *const models[][3] = {
            {"const s i64 1 = 2147483648\nConstantOfShape:big s -> c\n",
                    "ConstantOfShape 'big'", "1073741824 are left"},
            {"const o f32 1 = 1\nconst s i64 1 = 2147483648\n"
             "Expand:big o,s -> c\n",
                    "Expand 'big'", "1073741824 are left"},
            {"const s i64 2 = 4294967296 4294967296\n"
             "ConstantOfShape:big s -> c\n",
                    "ConstantOfShape 'big'", "no such shape"},
            {"const r f32 4 = 1 1 1 536870912\n"
             "Resize:big x,,r -> c mode='nearest' "
             "coordinate_transformation_mode='asymmetric'\n",
                    "Resize 'big'", "16777216"},
            {"const r f32 4 = 1 1 1 536870912\nResize:big x,,r -> c "
             "mode='linear' coordinate_transformation_mode='align_corners'\n",
                    "Resize 'big'", "16777216"},
            {"const t i64 4 = 1 1 1 4096\nTile x,t -> w\n"
             "const r f32 4 = 1 1 1 1024\nResize:big w,,r -> c "
             "mode='linear' coordinate_transformation_mode='align_corners'\n",
                    "Resize 'big'", "1073741824 bytes of constants"},
            {"const i i64 2 = 4611686018427387904 2\nTile:big v,i -> c\n",
                    "Tile 'big'", ""},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[512];
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 1,1,1,4\ninput u f32 4,4\n"
                "Relu u -> v\n%sRelu x -> y\noutput y\noutput c",
                models[i][0]);
        expect_refused(&none, text, models[i][1], models[i][2]);
    }
}

/* A shape that is computed is the number that it is, or none. */
TEST_C(ModelLimits, RefuseIntegersThatDoNotFit)
{
    static const char *const nodes[] = {"Add:it a,a -> s", "Mul:it a,a -> s",
            "Sub:it n,a -> s", "Neg:it n -> s", "Abs:it n -> s",
            "Div:it n,m -> s", "Pow:it a,b -> s", "ReduceProd:it p -> s",
            "ReduceSum:it p -> s"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char text[512];
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 1\nconst a i64 1 = 4611686018427387904\n"
                "const n i64 1 = -9223372036854775808\nconst m i64 1 = -1\n"
                "const b i64 1 = 2\n"
                "const p i64 2 = 4611686018427387904 4611686018427387904\n"
                "%s\nReshape x,s -> y\noutput y",
                nodes[i]);
        expect_refused(&gibibyte, text, " 'it'", "beyond 64 bits");
    }
}

TEST_C(ModelLimits, TakeIntegersThatJustFit)
{
    struct failure failure;
    EXPECT_TRUE(plan_for(&gibibyte,
            "opset 13\ninput x f32 1\nconst a i64 1 = 4611686018427387903\n"
            "const t i64 1 = 2\nconst q i64 1 = 62\nPow t,q -> c\n"
            "Sub a,c -> d\nAbs d -> s\nReshape x,s -> y\noutput y",
            &failure));
    EXPECT_STR_EQ("", failure.text);
}

/* What has no elements has nothing to go through, in however many lines. */
TEST_C(ModelLimits, TakeTensorsWithoutElementsHoweverLong)
{
    static const char *const nodes[] = {"Add a,b -> c", "Where m,a,b -> c",
            "Equal a,b -> c", "Sqrt a -> c", "ReduceSum a,first -> c",
            "Concat a,a -> c axis=1", "Gather a,first -> c axis=1",
            "Transpose a -> c", "Slice a,first,last -> c"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char text[512];
        struct model_text model;
        struct graph graph = {0};
        struct failure failure = {""};
        snprintf(text, sizeof text,
                "opset 13\ninput x f32 1\nconst a f32 4294967295,68,0 =\n"
                "const b f32 1 = 1\nconst m bool 1 = 1\n"
                "const first i64 1 = 1\nconst last i64 1 = 4294967294\n"
                "%s\nRelu x -> y\noutput y\noutput c",
                nodes[i]);
        model_text_init(&model, text);
        const struct onnx_source source = {
                .bytes = model.bytes, .size = model.size};
        EXPECT_FALSE(onnx_read_graph(&graph, &source, &failure));
        EXPECT_STR_EQ("output 'c' has no elements", failure.text);
        graph_fini(&graph);
        model_text_fini(&model);
    }
}
