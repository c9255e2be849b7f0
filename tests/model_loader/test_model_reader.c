/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of ONNX refuses, and how it says so. */
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"
#include "model_case.h"
#include "model_text.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_bytes(struct graph *graph, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    struct onnx_source source = {.bytes = bytes,
            .size = size,
            .constant_limit = 1 << 20,
            .open_dimension = 1};
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    return onnx_read_graph(graph, &source, failure);
}

static bool read_text(
        struct graph *graph, const char *text, struct failure *failure)
{
    struct model_text model;
    model_text_init(&model, text);
    bool ok = read_bytes(graph, model.bytes, model.size, failure);
    model_text_fini(&model);
    return ok;
}

/* A model that is refused, and a part of what is said of it. */
struct refused {
    const char *text;
    const char *part;
};

static void expect_refused(const struct refused *models, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct graph graph;
        struct failure failure;
        if (read_text(&graph, models[i].text, &failure))
            test_fail(__FILE__, __LINE__, "read: %s", models[i].text);
        else if (strstr(failure.text, models[i].part) == NULL)
            test_fail(__FILE__, __LINE__, "\"%s\" for: %s", failure.text,
                    models[i].text);
        EXPECT_NULL(graph.tensors);
        EXPECT_NULL(graph.nodes);
        EXPECT_NULL(graph.outputs);
        graph_fini(&graph);
    }
}

#define EXPECT_REFUSED(...)                                     \
    do {                                                        \
        static const struct refused models[] = __VA_ARGS__;     \
        expect_refused(models, sizeof models / sizeof *models); \
    } while (0)

#define X "opset 13\ninput x f32 1,4,8,8\n"
#define Y "\noutput y"

/* ---- Names and order ----------------------------------------------------- */

TEST_C(ModelReader, NamesTheNodeThatIsNotKnown)
{
    EXPECT_REFUSED({
            {X "Fancy:n x -> y" Y, "Fancy 'n': operator Fancy is not known"},
            {X "Fancy x -> y" Y, "Fancy of 'y'"},
            {X "domain com.example\nRelu:n x -> y" Y, "Relu 'n': operators of "
                                                      "com.example"},
            {X "Relu:n x -> y\nFancy:dead x -> z" Y, "Fancy 'dead'"},
    });
}

TEST_C(ModelReader, RefusesNamesWithoutATensor)
{
    EXPECT_REFUSED({
            {X "Relu:n z -> y" Y, "Relu 'n': input 'z' is nowhere computed"},
            {X "Relu:n x -> z" Y, "output 'y' is nowhere computed"},
            {X "Relu:n x -> " Y, "Relu 'n': no output"},
            {X "Relu:n x -> y\nRelu:m x -> y" Y, "two things are called 'y'"},
            {X "const x f32 1 = 1" Y, "'y' is nowhere computed"},
            {X "const w f32 1 = 1\nconst w f32 1 = 1\nRelu w -> y" Y,
                    "two things are called 'w'"},
            {X "Relu x -> x\noutput x", "two things are called 'x'"},
            {X "Relu x -> y", "no outputs"},
            {X "MaxPool:p x -> y,i kernel_shape=[2,2]\nRelu:n i -> z\noutput z",
                    "Relu 'n': input 'i' is an output that is not computed"},
            {X "Relu:n i -> y\nMaxPool x -> p,i kernel_shape=[2,2]" Y,
                    "Relu 'n': input 'i' is an output that is not computed"},
            {X "MaxPool x -> y,i kernel_shape=[2,2]\noutput i",
                    "output 'i' is not computed here"},
            {X "Relu:n , -> y" Y, "Relu 'n': 2 inputs"},
            {X "Add:n x, -> y" Y, "Add 'n': input 1 is missing"},
    });
}

TEST_C(ModelReader, RefusesCycles)
{
    EXPECT_REFUSED({
            {X "Relu:n y -> y" Y, "Relu 'n': input 'y' depends on its own"},
            {X "Add:a x,b -> c\nRelu:r c -> b\nRelu c -> y" Y,
                    "depends on its own result"},
    });
}

TEST_C(ModelReader, TakesNodesInAnyOrder)
{
    struct graph graph;
    struct failure failure;
    ASSERT_TRUE(read_text(
            &graph, X "Neg b -> y\nAbs a -> b\nRelu x -> a" Y, &failure));
    ASSERT_EQ(3, graph.node_count);
    EXPECT_EQ(graph_op_relu, graph.nodes[0].op);
    EXPECT_EQ(graph_op_abs, graph.nodes[1].op);
    EXPECT_EQ(graph_op_neg, graph.nodes[2].op);
    graph_fini(&graph);
}

/* A path of nodes through the whole file takes no stack. */
TEST_C(ModelReader, TakesDeepGraphsBackwards)
{
    enum { depth = 20000 };
    struct graph graph;
    struct failure failure;
    char *text = malloc(depth * 32 + 200);
    ASSERT_NOT_NULL(text);
    int at = sprintf(text, X "Relu t%d -> y" Y, depth);
    for (int i = depth; i > 0; i--)
        at += sprintf(text + at, "\nRelu t%d -> t%d", i - 1, i);
    sprintf(text + at, "\nRelu x -> t0");
    EXPECT_TRUE(read_text(&graph, text, &failure));
    EXPECT_EQ(depth + 2, graph.node_count);
    graph_fini(&graph);
    free(text);
}

/* ---- Shapes -------------------------------------------------------------- */

TEST_C(ModelReader, RefusesShapesThatDoNotFit)
{
    EXPECT_REFUSED({
            {X "const w f32 2,3,1,1 = 1\nConv:c x,w -> y" Y,
                    "Conv 'c': weights of 3 to 2 channels"},
            {X "const w f32 2,4,9,9 = 1\nConv:c x,w -> y" Y,
                    "Conv 'c': a window of 9 in 8"},
            {X "const w f32 2,4,1,1 = 1\nconst b f32 3 = 1\n"
               "Conv:c x,w,b -> y" Y,
                    "Conv 'c': input 2 has dimensions [3]"},
            {X "const w f32 2,4,3,3 = 1\nConv:c x,w -> y kernel_shape=[3,2]" Y,
                    "kernel_shape"},
            {X "const w f32 2,4,3,3 = 1\nConv:c x,w -> y strides=[0,1]" Y,
                    "strides has 0"},
            {X "const w f32 2,4,3,3 = 1\nConv:c x,w -> y strides=[1]" Y,
                    "strides has 1 numbers for 2"},
            {X "const w f32 2,4,3,3 = 1\nConv:c x,w -> y group=0" Y,
                    "0 groups"},
            {X "MaxPool:p x -> y kernel_shape=[2,2] pads=[2,2,2,2]" Y,
                    "nothing but padding"},
            {X "const z f32 3,1 = 1\nAdd:a x,z -> y" Y, "do not go together"},
            {X "const z f32 5,2 = 1\nMatMul:m x,z -> y" Y,
                    "8 columns times 5 rows"},
            {X "Concat:c x,x -> y axis=4" Y, "no axis 4 of 4"},
            {X "Concat:c x,x -> y" Y, "Concat 'c': no axis"},
            {X "const s i64 2 = 3 -1\nReshape:r x,s -> y" Y, "leave a dim"},
            {X "const s i64 2 = -1 -1\nReshape:r x,s -> y" Y, "two dim"},
            {X "const s i64 1 = 7\nReshape:r x,s -> y" Y,
                    "dimensions [7] of [1, 4, 8, 8]"},
            {X "Transpose:t x -> y perm=[0,1,2,2]" Y, "axis 2 twice"},
            {X "const s i64 1 = 5\nSqueeze:s x,s -> y" Y, "no axis 5"},
            {X "const s i64 1 = 2\nSqueeze:s x,s -> y" Y, "is 8, not 1"},
    });
}

/* Shapes that it says otherwise: test_model_shapes.c. */
TEST_C(ModelReader, RefusesTypesThatTheFileSaysOtherwise)
{
    EXPECT_REFUSED({
            {X "Relu x -> y\noutput y i64 1,4,8,8", "'y' is of type f32"},
            {X "info t i64 1,4,8,8\nRelu x -> t\nRelu t -> y" Y,
                    "'t' is of type f32"},
    });
}

TEST_C(ModelReader, RefusesHugeDimensions)
{
    EXPECT_REFUSED({
            {"input x f32 4294967296,4294967296\nRelu x -> y" Y,
                    "input 'x': no input may have dimensions"},
            {"input x f32 -2,4\nRelu x -> y" Y, "no input may have"},
            {"input x f32 0\nRelu x -> y" Y, "no input may have"},
            {"input x f32 1,1,1,1,1,1,1,1,1\nRelu x -> y" Y, "9 dimensions"},
            {"const s i64 2 = 4294967296\nConstantOfShape:c s -> y" Y,
                    "ConstantOfShape 'c': no such shape"},
            {"const s i64 2 = 65536\nConstantOfShape:c s -> y" Y,
                    "ConstantOfShape 'c': takes 17179869184 bytes"},
            {"opset 9\ninput x f32 1,4,8,8\n"
             "const s i64 4 = 1099511627776\nTile:t x,s -> y" Y,
                    "Tile 't': no tensor may have dimensions"},
            {X "Pad:p x -> y pads=[0,0,0,0,0,0,0,9223372036854775807]" Y,
                    "Pad 'p': padding"},
            {X "const w f32 1,4,1,1 = 1\n"
               "Conv:c x,w -> y dilations=[1,9223372036854775807]" Y,
                    "dilations has"},
            {X "MaxPool:p x -> y kernel_shape=[16777216,16777216]" Y,
                    "kernel_shape is too large"},
            {X "const s f32 4 = 1e30\nResize:r x,,s -> y" Y, "scaled by"},
    });
}

/* ---- Types, attributes, constants ---------------------------------------- */

TEST_C(ModelReader, RefusesTypesThatItDoesNotRead)
{
    EXPECT_REFUSED({
            {"input x bf16 1,2\nRelu x -> y" Y,
                    "input 'x' has elements of type BFLOAT16 (16)"},
            {"input x bool 1,2\nNeg:n x -> y" Y, "Neg 'n': input 0 is of type"},
            {"input x i64 1,2,3,3\nMaxPool:n x -> y kernel_shape=[1,1]" Y,
                    "is of type i64, not f32"},
            {X "const z i64 1 = 1\nAdd:n x,z -> y" Y, "is of type i64 after"},
            {X "Cast:n x -> y to=16" Y, "BFLOAT16"},
            {X "Cast:n x -> y to=12345" Y, "(12345)"},
    });
}

TEST_C(ModelReader, RefusesAttributesOfAnotherKind)
{
    EXPECT_REFUSED({
            {X "Concat:n x -> y axis=1.5" Y, "Concat 'n': attribute axis"},
            {X "Concat:n x -> y axis='1'" Y, "attribute axis"},
            {X "Elu:n x -> y alpha=[1,2]" Y, "attribute alpha"},
            {X "Pad:n x -> y mode='wrap' pads=[0,0,0,0,0,0,0,1]" Y,
                    "mode is 'wrap'"},
            {X "LRN:n x -> y size=0" Y, "size is 0"},
            {X "Transpose:n x -> y perm=[0,1]" Y, "perm of 2 numbers"},
            {X "Constant:n  -> c value={i64 2 = }\nRelu x -> y" Y,
                    "Constant 'n' has 0 bytes where its shape needs 16"},
    });
}

TEST_C(ModelReader, RefusesParametersThatAreNotConstant)
{
    EXPECT_REFUSED({
            {X "input s i64 2\nReshape:n x,s -> y" Y,
                    "Reshape 'n': input 1, 's', is not constant"},
            {X "input s i64 1\nConstantOfShape:n s -> y" Y, "not constant"},
            {X "const s i64 9 = 1\nReshape:n x,s -> y" Y,
                    "more than 8 elements"},
            {X "const s f32 1 = 1\nReshape:n x,s -> y" Y, "f32, not i64"},
    });
}

TEST_C(ModelReader, RefusesFunctionsAndGraphsThatAreNotWhole)
{
    EXPECT_REFUSED({
            {X "const c bool - = 1\nIf:n c -> y" Y, "no graph is given"},
            {X "const c bool - = 1\ngraph a\nNeg x -> t\nend\n"
               "If:n c -> y then_branch=@a" Y,
                    "other inputs or outputs"},
            {X "const c bool - = 1\ngraph a\nNeg q -> t\noutput t\nend\n"
               "If:n c -> y then_branch=@a" Y,
                    "input 'q' is not computed before"},
            {X "const c bool - = 1\ngraph a\nNeg x -> t\noutput z\nend\n"
               "If:n c -> y then_branch=@a" Y,
                    "output 'z' is not computed"},
            {X "Scan:n x -> y" Y, "Scan 'n': scans are not supported"},
            {X "domain local\nfunction F p -> q\nF p -> q\nend\nF x -> y" Y,
                    "more than 32 functions, or graphs of nodes, in each"},
            /* A few bytes of calls, with a constant for each. */
            {X "function F p -> q\nConstant  -> c value={f32 100000 = 1}\n"
               "ReduceSum c -> s keepdims=0\nAdd p,s -> q\nend\n"
               "domain local\nF x -> a\nF a -> b\nF b -> y" Y,
                    "left for computed constants"},
            {X "function F p -> q\nNeg x -> q\nend\ndomain local\n"
               "F x -> y" Y,
                    "input 'x' is not computed before"},
            {X "function F p -> q\nNeg p -> r\nend\ndomain local\n"
               "F x -> y" Y,
                    "output 'y' is not computed"},
            {X "function F p -> q\nNeg p -> q\nend\ndomain local\n"
               "F:n x,x -> y" Y,
                    "more inputs or outputs than the function has"},
            {X "function F p -> q\nNeg p -> t\nNeg t -> t\nend\n"
               "domain local\nF:n x -> y" Y,
                    "two things are called 't' inside"},
            {X "const i i64 2 = 0 4\nGather:n x,i -> y axis=1" Y,
                    "Gather 'n': there is no element 4 of 4"},
            {X "const i i64 2 = 0 4\nGatherND:n x,i -> y" Y,
                    "GatherND 'n': there is no element 4 of 4"},
            {X "const i i64 2,5 = 0\nGatherND:n x,i -> y" Y,
                    "GatherND 'n': indices of 5 numbers for 4 dimensions"},
            {X "const i i64 - = 0\nGatherND:n x,i -> y" Y,
                    "GatherND 'n': batch_dims of 0 for 4 and 0 dimensions"},
            {X "const i i64 2,1 = 0\nGatherND:n x,i -> y batch_dims=2" Y,
                    "GatherND 'n': batch_dims of 2 for 4 and 2 dimensions"},
            {X "const i i64 2,1 = 0\nGatherND:n x,i -> y batch_dims=-1" Y,
                    "GatherND 'n': batch_dims of -1"},
            {X "const i i64 2,1 = 0\nGatherND:n x,i -> y batch_dims=1" Y,
                    "GatherND 'n': indices of 2 in dimension 0 of 1"},
            {X "const i i32 2,1 = 0\nGatherND:n x,i -> y" Y,
                    "GatherND 'n': indices of type i32"},
    });
}

TEST_C(ModelReader, RefusesOperatorSetsThatItDoesNotKnow)
{
    EXPECT_REFUSED({
            {"opset 26\ninput x f32 1\nRelu x -> y" Y, "operator set 26"},
            {"opset 0\ninput x f32 1\nRelu x -> y" Y, "operator set 0"},
            {"opset -5\ninput x f32 1\nRelu x -> y" Y, "operator set -5"},
    });
}

#define ONE "input x f32 1\nNeg x -> y\noutput y f32 1"

TEST_C(ModelReader, RefusesImportsThatAreMissingOrTwice)
{
    struct graph graph;
    struct failure failure;
    EXPECT_REFUSED({
            {"ir 3\n" ONE, "the model imports no operator set"},
            {"ir 8\nopset 1 com.microsoft\n" ONE,
                    "Neg of 'y': no operator set of the standard domain is "
                    "imported"},
            {"opset 13\nopset 13\n" ONE,
                    "operator sets 13 and 13 of the standard domain are "
                    "imported"},
            {"opset 13\nopset 14 ai.onnx\n" ONE,
                    "operator sets 13 and 14 of the standard domain"},
            {"opset 13\nopset 1 local\nopset 2 local\n" ONE,
                    "operator sets 1 and 2 of local are imported"},
            {"opset 13\ninput x f32 1\nNeg x -> y\noutput y f32 1\n"
             "output y f32 1",
                    "two outputs are called 'y'"},
    });
    /* Those from before there were imports, and calls alone. */
    EXPECT_TRUE(read_text(&graph, "ir 2\n" ONE, &failure));
    graph_fini(&graph);
    EXPECT_TRUE(
            read_text(&graph, "ir 8\nopset 13\nopset 1 local\n" ONE, &failure));
    graph_fini(&graph);
    EXPECT_TRUE(read_text(&graph,
            "ir 8\nopset 1 local\nfunction F p -> q\nNeg p -> q\nend\n"
            "input x f32 1\ndomain local\nF x -> y\noutput y f32 1",
            &failure));
    graph_fini(&graph);
}

TEST_C(ModelReader, RefusesConstantsThatCannotBeComputed)
{
    EXPECT_REFUSED({
            {"const a i64 1 = 1\nconst b i64 1 = 0\nDiv:d a,b -> y" Y,
                    "Div 'd': division by 0"},
            {"const a i64 2 = 1\nconst b i64 2 = 0 2\nGather:g a,b -> y" Y,
                    "Gather 'g': there is no element 2 of 2"},
            {"const a i64 0 = 1\nReduceMax:r a -> y" Y, "nothing to reduce"},
    });
}

TEST_C(ModelReader, ControlCharactersDoNotReachTheTerminal)
{
    struct graph graph;
    struct failure failure;
    EXPECT_FALSE(read_text(&graph, X "Relu:\x1b[2J\t z -> y" Y, &failure));
    EXPECT_NULL(strpbrk(failure.text, "\x1b\t\n"));
}

/* ---- Bytes --------------------------------------------------------------- */

static const char small_model[] =
        X "const w f32 2,4,3,3 = 0.5 -1\nconst s i64 2 = 1 -1\n"
          "Conv x,w -> a pads=[1,1,1,1] auto_pad='NOTSET'\n"
          "Reshape a,s -> b\nSoftmax b -> y axis=1\noutput y f32 1,128";

/* No beginning of a model is one: its graph comes last, and in that its
 * output. */
TEST_C(ModelReader, RefusesEveryTruncation)
{
    struct model_text model;
    struct graph graph;
    struct failure failure;
    model_text_init(&model, small_model);
    ASSERT_TRUE(read_bytes(&graph, model.bytes, model.size, &failure));
    graph_fini(&graph);
    for (size_t size = 0; size < model.size; size++) {
        EXPECT_FALSE(read_bytes(&graph, model.bytes, size, &failure));
        EXPECT_TRUE(failure.text[0] != '\0');
    }
    model_text_fini(&model);
}

/* Every byte set to others: what is still read holds, which sanitizers see. */
TEST_C(ModelReader, SurvivesEveryByteChanged)
{
    static const uint8_t changes[] = {0x01, 0x80, 0x7f, 0xff};
    struct model_text model;
    int refused = 0;
    model_text_init(&model, small_model);
    for (size_t at = 0; at < model.size; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            struct graph graph;
            struct failure failure;
            model.bytes[at] ^= changes[i];
            refused += !read_bytes(&graph, model.bytes, model.size, &failure);
            graph_fini(&graph);
            model.bytes[at] ^= changes[i];
        }
    /* Most bytes say how long something is, or what. */
    EXPECT_GT(refused, (int)model.size);
    model_text_fini(&model);
}

/* Messages in messages, as deep as the bytes say: graph, node, attribute. */
TEST_C(ModelReader, RefusesBottomlessMessages)
{
    enum { levels = 100000 };
    size_t size = 0;
    uint8_t *bytes = malloc((size_t)levels * 8);
    struct graph graph;
    struct failure failure;
    static const uint8_t fields[] = {1 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2};
    ASSERT_NOT_NULL(bytes);
    /* From the inside out, so that each knows how long it is; backwards. */
    uint8_t *end = bytes + (size_t)levels * 8;
    for (int i = 0; i < levels && size + 8 < (size_t)levels * 8; i++) {
        uint8_t header[8];
        size_t length = 0;
        header[length++] = fields[(levels + 1 - i) % 3];
        size_t rest = size;
        do {
            header[length++] =
                    (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
            rest >>= 7;
        } while (rest != 0);
        size += length;
        memcpy(end - size, header, length);
    }
    end[-(ptrdiff_t)size] = 7 << 3 | 2; /* the model's graph */
    EXPECT_FALSE(read_bytes(&graph, end - size, size, &failure));
    EXPECT_NOT_NULL(strstr(failure.text,
            "more than 32 messages in each other, the last one a "));
    EXPECT_NOT_NULL(strstr(failure.text, "(a graph of an If or a Loop in"));
    free(bytes);
}

TEST_C(ModelReader, RefusesGarbage)
{
    struct graph graph;
    struct failure failure;
    uint64_t state = test_seed();
    uint8_t bytes[256];
    EXPECT_FALSE(read_bytes(&graph, bytes, 0, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "empty"));
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695041U;
            bytes[i] = (uint8_t)(state >> 56);
        }
        EXPECT_FALSE(read_bytes(&graph, bytes, sizeof bytes, &failure));
        EXPECT_TRUE(failure.text[0] != '\0');
    }
}

TEST_C(ModelReader, SaysWhichFileIsNotThere)
{
    struct graph graph = {0};
    struct failure failure = {""};
    char path[4096];
    snprintf(path, sizeof path, "%s/none.onnx", test_directory());
    EXPECT_FALSE(onnx_read_model(&graph, path, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "none.onnx"));
    failure = (struct failure){""};
    EXPECT_FALSE(onnx_read_model(&graph, test_directory(), &failure));
    EXPECT_TRUE(failure.text[0] != '\0');
}
