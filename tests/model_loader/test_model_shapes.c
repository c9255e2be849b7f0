/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions that a model leaves open, and what a file declares. */
#include "model/onnx/onnx.h"
#include "model_text.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* ---- Given shapes -------------------------------------------------------- */

struct given {
    const char *text;
    int count;
    struct onnx_shape shapes[2];
};

static bool read(
        struct graph *graph, const struct given *given, struct failure *failure)
{
    struct model_text model;
    model_text_init(&model, given->text);
    const struct onnx_source source = {.bytes = model.bytes,
            .size = model.size,
            .shape_count = given->count,
            .shapes = given->shapes};
    *graph = (struct graph){0};
    const bool ok = onnx_read_graph(graph, &source, failure);
    model_text_fini(&model);
    return ok;
}

#define TWO                                                       \
    "opset 13\ninput a f32 ?batch,3\ninput b f32 ?batch,?width\n" \
    "Add a,b -> y\noutput y f32 ?batch,3"

TEST_C(ModelShapes, AreThoseThatAreGiven)
{
    const struct given given = {TWO, 1, {{"b", {2, {5, 3}}}}};
    struct graph graph;
    struct failure failure = {""};
    ASSERT_TRUE(read(&graph, &given, &failure));
    /* One symbol is one number in all inputs. */
    for (int i = 0; i < 2; i++) {
        const struct graph_shape *s = &graph.tensors[graph.inputs[i]].shape;
        EXPECT_EQ(2, s->ndims);
        EXPECT_EQ(5, s->dims[0]);
        EXPECT_EQ(3, s->dims[1]);
    }
    EXPECT_EQ(5, graph.tensors[graph.outputs[0].tensor].shape.dims[0]);
    graph_fini(&graph);
}

/* Converters write "?" for every dimension that they do not know. */
TEST_C(ModelShapes, OfAQuestionMarkHaveNoSymbol)
{
    const struct given given = {
            "opset 13\ninput x f32 ??,3,??\nRelu x -> y\noutput y f32 ??,3,??",
            1, {{"x", {3, {5, 3, 7}}}}};
    struct graph graph;
    struct failure failure = {""};
    ASSERT_TRUE(read(&graph, &given, &failure));
    EXPECT_EQ(5, graph.tensors[graph.inputs[0]].shape.dims[0]);
    EXPECT_EQ(7, graph.tensors[graph.inputs[0]].shape.dims[2]);
    EXPECT_STR_EQ("", graph.warning);
    graph_fini(&graph);
}

/* Of results they are what the nodes compute, whatever the file says. */
TEST_C(ModelShapes, ThatAreDeclaredWrongAreWarnings)
{
    static const struct {
        const char *text;
        const char *warning;
    } cases[] = {
            {"opset 13\ninput x f32 2,3\nRelu x -> y\noutput y f32 1,?",
                    "'y' has shape [2, 3], not [1, n] as the file says"},
            {"opset 13\ninput x f32 2,3\nRelu x -> y\noutput y f32 6",
                    "'y' has shape [2, 3], not [6] as the file says"},
            {"opset 13\ninput x f32 2,3\nRelu x -> y\ninfo y f32 1,3\n"
             "Neg y -> z\noutput z f32 9,3",
                    "'y' has shape [2, 3], not [1, 3] as the file says"},
            {"opset 13\ninput x f32 2,3\nRelu x -> y\noutput y f32 ?,3", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct given given = {cases[i].text, 0, {{0}}};
        struct graph graph;
        struct failure failure = {""};
        ASSERT_TRUE(read(&graph, &given, &failure));
        EXPECT_EQ(2, graph.tensors[graph.outputs[0].tensor].shape.dims[0]);
        EXPECT_STR_EQ(cases[i].warning, graph.warning);
        graph_fini(&graph);
    }
}

TEST_C(ModelShapes, AreNotGuessed)
{
    static const struct {
        struct given given;
        const char *reason;
    } cases[] = {
            {{TWO, 0, {{0}}}, "input 'a' has shape [batch, 3]: the model "},
            {{TWO, 1, {{"a", {2, {5, 3}}}}}, "input 'b' has shape [batch, wi"},
            {{TWO, 1, {{"a", {2, {5, 4}}}}},
                    "input 'a' has shape [batch, 3], which [5, 4] does not"},
            {{TWO, 1, {{"a", {3, {5, 3, 1}}}}}, "[5, 3, 1] does not match"},
            {{TWO, 2, {{"a", {2, {5, 3}}}, {"b", {2, {6, 3}}}}},
                    "'batch' is 6 in the shape [6, 3], and 5 in another"},
            {{TWO, 2, {{"b", {2, {5, 3}}}, {"c", {2, {5, 3}}}}},
                    "a shape is given for 'c'"},
            {{TWO, 1, {{"b", {2, {0, 3}}}}}, "'a' has shape [batch, 3]"},
            {{"opset 13\ninput x f32 -1,3\nRelu x -> y\noutput y", 0, {{0}}},
                    "'x' has shape [?, 3]: the model leaves"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct graph graph;
        struct failure failure = {""};
        EXPECT_FALSE(read(&graph, &cases[i].given, &failure));
        if (strstr(failure.text, cases[i].reason) == NULL)
            test_fail(__FILE__, __LINE__, "%s: not: %s", failure.text,
                    cases[i].reason);
        graph_fini(&graph);
    }
}

/* ---- Constants ----------------------------------------------------------- */

static bool read_fixed(struct graph *graph, const char *text,
        struct onnx_constant constant, struct failure *failure)
{
    struct model_text model;
    model_text_init(&model, text);
    const struct onnx_source source = {.bytes = model.bytes,
            .size = model.size,
            .constant_count = 1,
            .constants = &constant};
    *graph = (struct graph){0};
    const bool ok = onnx_read_graph(graph, &source, failure);
    model_text_fini(&model);
    return ok;
}

/* A detector of voices, as Silero's: the rate of the samples chooses a network,
 * and within the other one once more. */
#define VOICE                                                              \
    "opset 16\ninput samples f32 1,4\ninput state f32 1,2\n"               \
    "input sr i64 -\nconst r16 i64 - = 16000\nconst r8 i64 - = 8000\n"     \
    "graph a\nconst w f32 4,2 = 1\nMatMul samples,w -> p\n"                \
    "Add p,state -> q\noutput q\nend\n"                                    \
    "graph c\nconst v f32 4,2 = 2\nMatMul samples,v -> s\noutput s\nend\n" \
    "graph d\nNeg state -> u\noutput u\nend\n"                             \
    "graph b\nEqual sr,r8 -> e8\nIf e8 -> o then_branch=@c "               \
    "else_branch=@d\noutput o\nend\n"                                      \
    "Equal sr,r16 -> e16\nIf e16 -> h then_branch=@a else_branch=@b\n"     \
    "Sigmoid h -> voice\noutput voice f32 1,2"

TEST_C(ModelConstants, ChooseABranch)
{
    static const struct {
        double rate;
        int nodes;
        enum graph_op first;
    } cases[] = {{16000, 3, graph_op_matmul}, {8000, 2, graph_op_matmul},
            {44100, 2, graph_op_neg}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct graph graph;
        struct failure failure = {""};
        const struct onnx_constant sr = {"sr", cases[i].rate};
        if (!read_fixed(&graph, VOICE, sr, &failure))
            test_fail(__FILE__, __LINE__, "%s", failure.text);
        else {
            EXPECT_EQ(2, graph.input_count);
            ASSERT_EQ(cases[i].nodes, graph.node_count);
            EXPECT_EQ(cases[i].first, graph.nodes[0].op);
        }
        graph_fini(&graph);
    }
    struct graph graph;
    struct failure failure = {""};
    /* All of them are computed where the rate is that of each run. */
    const struct given none = {VOICE, 0, {{0}}};
    ASSERT_TRUE(read(&graph, &none, &failure));
    EXPECT_EQ(3, graph.input_count);
    EXPECT_GT(graph.node_count, 8);
    graph_fini(&graph);
    /* Networks with results of different sizes cannot be. */
    const struct given sizes = {"opset 13\ninput x f32 4\ninput c bool -\n"
                                "graph a\nNeg x -> p\noutput p\nend\n"
                                "graph b\nReduceMax x -> q\noutput q\nend\n"
                                "If c -> y then_branch=@a else_branch=@b\n"
                                "output y",
            0, {{0}}};
    EXPECT_FALSE(read(&graph, &sizes, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "not constant"));
    EXPECT_NOT_NULL(strstr(failure.text, "--constant"));
}

TEST_C(ModelConstants, AreInAllElementsAndMayHaveOpenDimensions)
{
    struct graph graph;
    struct failure failure = {""};
    ASSERT_TRUE(read_fixed(&graph,
            "opset 13\ninput x f32 3\ninput s f16 2,1\nCast s -> f to=1\n"
            "Add x,f -> y\noutput y f32 2,3",
            (struct onnx_constant){"s", 0.1}, &failure));
    ASSERT_EQ(1, graph.input_count);
    EXPECT_STR_EQ("x", graph.tensors[graph.inputs[0]].name);
    bool found = false;
    for (int t = 0; t < graph.tensor_count; t++) {
        const struct graph_tensor *is = &graph.tensors[t];
        if (is->data == NULL || is->shape.ndims != 2) continue;
        found = true;
        /* What a half has of it. */
        EXPECT_TRUE(((const float *)is->data)[0] == 0.0999755859375F);
        EXPECT_TRUE(((const float *)is->data)[1] == 0.0999755859375F);
    }
    EXPECT_TRUE(found);
    graph_fini(&graph);
    EXPECT_FALSE(read_fixed(
            &graph, TWO, (struct onnx_constant){"a", 1.0}, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "leaves dimensions open"));
    graph_fini(&graph);
}

TEST_C(ModelConstants, AreNumbersOfTheirType)
{
    static const struct {
        const char *type;
        double value;
        const char *reason; /* NULL: it is one */
    } cases[] = {
            {"i64", 1.5, "input 'c': 1.5 is not a number of type i64"},
            {"i64", -9007199254740992.0, NULL},
            {"i64", 9007199254740994.0, "not a number of type i64"},
            {"i32", 2147483647.0, NULL},
            {"i32", 2147483648.0, "not a number of type i32"},
            {"u8", 255.0, NULL},
            {"u8", -1.0, "not a number of type u8"},
            {"bool", 1.0, NULL},
            {"bool", 2.0, "not a number of type bool"},
            {"f16", 65504.0, NULL},
            {"f16", 65520.0, "not a number of type f16"},
            {"f32", 1e39, "not a number of type f32"},
            {"f64", 1e39, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[160];
        struct graph graph;
        struct failure failure = {""};
        (void)snprintf(text, sizeof text,
                "opset 13\ninput x f32 2\ninput c %s 1\nCast c -> d to=1\n"
                "Add x,d -> y\noutput y f32 2",
                cases[i].type);
        const bool ok = read_fixed(&graph, text,
                (struct onnx_constant){"c", cases[i].value}, &failure);
        test_asserts();
        if (ok != (cases[i].reason == NULL)
                || (!ok && strstr(failure.text, cases[i].reason) == NULL))
            test_fail(__FILE__, __LINE__, "%s of %s: %s",
                    ok ? "read" : "refused", cases[i].type, failure.text);
        graph_fini(&graph);
    }
}

/* What the file has a value for is none. */
TEST_C(ModelConstants, AreOfInputsAlone)
{
    static const char text[] =
            "opset 13\ninput x f32 2\nconst w f32 2 = 1\ninput w f32 2\n"
            "Add x,w -> y\noutput y f32 2";
    static const char *const names[] = {"w", "y", "z"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct graph graph;
        struct failure failure = {""};
        EXPECT_FALSE(read_fixed(
                &graph, text, (struct onnx_constant){names[i], 1.0}, &failure));
        EXPECT_NOT_NULL(strstr(failure.text, "no input has that name"));
        graph_fini(&graph);
    }
}

/* ---- Declarations -------------------------------------------------------- */

TEST_C(ModelShapes, AreListedAsTheFileHasThem)
{
    struct model_text text;
    struct failure failure = {""};
    struct onnx_info info = {0};
    model_text_init(&text,
            "opset 13\ninput x f16 ?batch,3,-1\nconst w f32 2,3 = 1\n"
            "const v i64 2 = 1\ninput w f32 2,3\nRelu x -> y\nRelu y -> z\n"
            "Constant  -> c value={f32 2,2 = 1}\n"
            "Constant  -> s value={i64 2 = 1}\n"
            "output z f32 ?batch,3,?");
    struct onnx_model *model = onnx_model_open(text.bytes, text.size, &failure);
    ASSERT_NOT_NULL(model);
    ASSERT_TRUE(onnx_model_describe(&info, model, &failure));
    EXPECT_EQ(13, info.opset);
    EXPECT_EQ(4, info.node_count);
    EXPECT_EQ(3, info.parameter_tensors);
    EXPECT_EQ(12, info.parameter_count);
    EXPECT_EQ(56, info.parameter_bytes);
    /* An initializer is none, also where it is listed as one. */
    ASSERT_EQ(1, info.input_count);
    EXPECT_STR_EQ("x", info.inputs[0].name);
    EXPECT_STR_EQ("FLOAT16", onnx_type_name(info.inputs[0].type));
    ASSERT_EQ(3, info.inputs[0].ndims);
    EXPECT_STR_EQ("batch", info.inputs[0].dims[0].symbol);
    EXPECT_EQ(3, info.inputs[0].dims[1].value);
    EXPECT_EQ(-1, info.inputs[0].dims[2].value);
    EXPECT_STR_EQ("", info.inputs[0].dims[2].symbol);
    ASSERT_EQ(1, info.output_count);
    EXPECT_STR_EQ("z", info.outputs[0].name);
    EXPECT_EQ(-1, info.outputs[0].dims[2].value);
    EXPECT_STR_EQ("n", info.outputs[0].dims[2].symbol);
    onnx_info_fini(&info);
    onnx_model_close(model);
    model_text_fini(&text);
}

/* ---- What can be addressed ----------------------------------------------- */

TEST_C(ModelShapes, BeyondTheMostElementsAreInNoGraph)
{
    const int64_t most = graph_most_elements();
    const struct graph_shape fits = {.ndims = 2, .dims = {1, most}};
    const struct graph_shape does_not = {.ndims = 2, .dims = {1, most + 1}};
    struct graph graph = {0};
    struct failure failure = {""};
    /* 8 bytes an element, and as many again, in a size_t. */
    EXPECT_TRUE((uint64_t)most <= SIZE_MAX / 2 / 8);
    EXPECT_NE(graph_none, graph_add_tensor(&graph, "a", graph_type_f64, &fits,
                                  NULL, &failure));
    EXPECT_EQ((size_t)most * 8, graph_tensor_size(&graph.tensors[0]));
    EXPECT_EQ(graph_none, graph_add_tensor(&graph, "b", graph_type_u8,
                                  &does_not, NULL, &failure));
    EXPECT_STR_EQ("b: more elements than can be addressed", failure.text);
    EXPECT_EQ(1, graph.tensor_count);
    graph_fini(&graph);
}

/* A small file could ask for any number of steps, of layers that are unrolled.
 */
TEST_C(ModelShapes, SequencesOfTooManyNodesAreRefused)
{
    static char text[1 << 13];
    struct model_text model;
    struct graph graph = {0};
    struct failure failure = {""};
    size_t used = (size_t)snprintf(text, sizeof text,
            "opset 18\ninput x f32 1024,1,1\nconst w i8 1,1,4 = 1\n"
            "const s f32 1 = 0.5\nconst z i8 1 = 0\n"
            "domain com.microsoft\n");
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                "DynamicQuantizeLSTM x,w,w,,,,,,s,z,s,z -> y%d hidden_size=1\n"
                "output y%d f32 1024,1,1,1\n",
                i, i);
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    EXPECT_FALSE(onnx_read_graph(&graph, &source, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "more than 262144 nodes"));
    graph_fini(&graph);
    model_text_fini(&model);
}
