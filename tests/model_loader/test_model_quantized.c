/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized operators on a device: as exact as integers, also where floats
 * compute them. Results are compared bit by bit with what is said here; the
 * reference of model_rig.h allows floats their roundings. */
#include "model/onnx/onnx.h"
#include "model_rig.h"
#include "model_text.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model, its inputs' elements and the outputs'. */
struct quantized {
    struct graph graph;
    const void *inputs[2];
    void *outputs[2];
    size_t sizes[2]; /* bytes of the outputs */
    int steps;
};

static void keep_output(void *user, int output, const struct graph_tensor *t)
{
    struct quantized *q = user;
    q->sizes[output] = graph_tensor_size(t);
    q->outputs[output] = malloc(q->sizes[output] + 1);
    if (q->outputs[output] != NULL)
        memcpy(q->outputs[output], t->data, q->sizes[output]);
}

static bool read_model(struct quantized *q, const char *text)
{
    struct model_text model;
    struct failure failure = {""};
    *q = (struct quantized){.steps = 0};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    const bool ok = onnx_read_graph(&q->graph, &source, &failure);
    if (!ok) test_fail(__FILE__, __LINE__, "%s in\n%s", failure.text, text);
    model_text_fini(&model);
    return ok;
}

static void run_model(struct quantized *q)
{
    struct graph_tensor inputs[2];
    struct model_rig_run run = {.graph = &q->graph,
            .inputs = inputs,
            .show = keep_output,
            .user = q};
    for (int i = 0; i < q->graph.input_count; i++) {
        inputs[i] = q->graph.tensors[q->graph.inputs[i]];
        inputs[i].data = (void *)(uintptr_t)q->inputs[i];
    }
    model_rig_check(&run);
    q->steps = run.steps;
}

static void end_model(struct quantized *q)
{
    graph_fini(&q->graph);
    free(q->outputs[0]);
    free(q->outputs[1]);
}

static int count_nodes(const struct graph *graph, enum graph_op op)
{
    int count = 0;
    for (int i = 0; i < graph->node_count; i++)
        count += graph->nodes[i].op == op;
    return count;
}

/* Tensors that a device computes as integers. */
static int count_integers(const struct graph *graph)
{
    int count = 0;
    for (int i = 0; i < graph->tensor_count; i++)
        count += graph->tensors[i].type != graph_type_f32
                 && graph->tensors[i].producer != graph_none;
    return count;
}

/* ---- To integers and back ------------------------------------------------ */

enum {
    most_halves = 700,
    specials = 8,
    numbers = 2 * most_halves + 1 + specials
};

/* Multiples of half a scale: each integer, each tie, and more than fits. */
static void fill_numbers(float *to, float scale)
{
    static const float special[specials] = {
            NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -0.0f, 1e-40f, -1e-40f};
    for (int i = 0; i <= 2 * most_halves; i++)
        to[i] = 0.5f * (float)(i - most_halves) * scale;
    memcpy(to + 2 * most_halves + 1, special, sizeof special);
}

/* What the integer of a type is, NaN being 0, and the number for it. */
static float there_and_back(float x, float scale, int zero, int least, int most)
{
    float q = rintf(x / scale) + (float)zero;
    if (q < (float)least) q = (float)least;
    if (q > (float)most) q = (float)most;
    const int integer = isnan(q) ? 0 : (int)q;
    return (float)(integer - zero) * scale;
}

static void check_back(const char *type, int least, int most, int zero)
{
    static float x[numbers], expected[numbers];
    const float scale = 0.25f;
    struct quantized q;
    char text[256];
    fill_numbers(x, scale);
    for (int i = 0; i < numbers; i++)
        expected[i] = there_and_back(x[i], scale, zero, least, most);
    snprintf(text, sizeof text,
            "opset 21\ninput x f32 %d\nconst s f32 - = 0.25\n"
            "const z %s - = %d\nQuantizeLinear x,s,z -> q\n"
            "DequantizeLinear q,s,z -> y\noutput y f32 %d\n",
            (int)numbers, type, zero, (int)numbers);
    if (read_model(&q, text)) {
        q.inputs[0] = x;
        run_model(&q);
        EXPECT_EQ(1, q.steps);
        EXPECT_EQ(0, count_integers(&q.graph));
        EXPECT_BYTES_EQ(expected, sizeof expected, q.outputs[0], q.sizes[0]);
    }
    end_model(&q);
}

TEST_C(ModelQuantized, FloatsGoThereAndBackAsIntegersDo)
{
    check_back("u8", 0, 255, 0);
    check_back("u8", 0, 255, 131);
    check_back("i8", -128, 127, 0);
    check_back("i8", -128, 127, -7);
    check_back("i16", -32768, 32767, -32700);
    check_back("u16", 0, 65535, 65300);
}

/* Scales and zero points for each row; the integers are an output, too, after
 * they were moved. */
TEST_C(ModelQuantized, AxesHaveParametersOfTheirOwn)
{
    static const float scales[3] = {0.5f, 0.25f, 0.0078125f};
    static const int zeros[3] = {0, 3, 250};
    static float x[3 * numbers], expected[3 * numbers];
    static uint8_t integers[3 * numbers];
    struct quantized q;
    char text[512];
    for (int r = 0; r < 3; r++) {
        fill_numbers(x + r * numbers, scales[r]);
        for (int i = 0; i < numbers; i++) {
            const float y = there_and_back(
                    x[r * numbers + i], scales[r], zeros[r], 0, 255);
            expected[i * 3 + r] = y;
            integers[i * 3 + r] = (uint8_t)(y / scales[r] + (float)zeros[r]);
        }
    }
    snprintf(text, sizeof text,
            "opset 13\ninput x f32 3,%d\nconst s f32 3 = 0.5 0.25 0.0078125\n"
            "const z u8 3 = 0 3 250\nQuantizeLinear x,s,z -> q axis=0\n"
            "Transpose q -> t perm=[1,0]\n"
            "DequantizeLinear t,s,z -> y axis=1\n"
            "output y f32 %d,3\noutput t u8 %d,3\n",
            (int)numbers, (int)numbers, (int)numbers);
    if (read_model(&q, text)) {
        q.inputs[0] = x;
        run_model(&q);
        EXPECT_EQ(1, count_integers(&q.graph));
        EXPECT_BYTES_EQ(expected, sizeof expected, q.outputs[0], q.sizes[0]);
        EXPECT_BYTES_EQ(integers, sizeof integers, q.outputs[1], q.sizes[1]);
    }
    end_model(&q);
}

TEST_C(ModelQuantized, TablesArePickedFromAsFloats)
{
    static const int64_t indices[3] = {2, -1, 0};
    static const float expected[6] = {
            -99.0f, -2.0f, -127.0f, -0.5f, -127.5f, 0};
    struct quantized q;
    if (read_model(&q, "opset 13\ninput i i64 3\n"
                       "const w u8 4,2 = 0 255 7 9 57 251 1 254\n"
                       "const s f32 - = 0.5\nconst z u8 - = 255\n"
                       "Gather w,i -> g\nDequantizeLinear g,s,z -> y\n"
                       "output y f32 3,2\n")) {
        q.inputs[0] = indices;
        run_model(&q);
        EXPECT_EQ(0, count_integers(&q.graph));
        EXPECT_BYTES_EQ(expected, sizeof expected, q.outputs[0], q.sizes[0]);
    }
    end_model(&q);
}

/* ---- Products ------------------------------------------------------------ */

enum { most_terms = 4096 };

/* A row of 255 times a column of one weight. */
static void check_product(int terms, int weight, int parts, const char *result)
{
    static uint8_t a[most_terms];
    const bool is_float = strcmp(result, "f32") == 0;
    struct quantized q;
    char text[256];
    const int32_t sum = 255 * terms * weight;
    const float rounded = (float)sum;
    snprintf(text, sizeof text,
            "opset 13\ninput a u8 1,%d\nconst b i8 %d,1 = %d\n"
            "MatMulInteger a,b -> %s\n%soutput y %s 1,1\n",
            terms, terms, weight, is_float ? "p" : "y",
            is_float ? "Cast p -> y to=1\n" : "", result);
    memset(a, 255, sizeof a);
    if (read_model(&q, text)) {
        EXPECT_EQ(parts, count_nodes(&q.graph, graph_op_matmul));
        q.inputs[0] = a;
        run_model(&q);
        if (is_float)
            EXPECT_BYTES_EQ(&rounded, sizeof rounded, q.outputs[0], q.sizes[0]);
        else
            EXPECT_BYTES_EQ(&sum, sizeof sum, q.outputs[0], q.sizes[0]);
    }
    end_model(&q);
}

/* 518 terms of 255 * 127 are below 2^24, 519 are an odd number above: no
 * float. 723 of 255 * 91 are one less than 2^24: the sum of a column's weights
 * is what counts, not the largest that there may be. */
TEST_C(ModelQuantized, ProductsAreExactAroundTheLastTermThatFits)
{
    check_product(518, 127, 1, "i32");
    check_product(519, 127, 2, "i32");
    check_product(519, -127, 2, "i32");
    check_product(723, 91, 1, "i32");
    check_product(535, 123, 2, "i32");
    check_product(1501, 127, 3, "i32");
    check_product(4001, 1, 1, "i32");
}

TEST_C(ModelQuantized, ProductsAsFloatsAreRoundedOnce)
{
    check_product(518, 127, 1, "f32");
    check_product(519, 127, 2, "f32");
    check_product(1035, 127, 2, "f32");
    check_product(1501, 127, 3, "f32");
}

/* Neither operand is known: 514 terms of 255 * 128. Both have zero points. */
TEST_C(ModelQuantized, ProductsOfUnknownOperandsAreExact)
{
    static uint8_t a[515];
    static int8_t b[515];
    char text[256];
    memset(a, 255, sizeof a);
    memset(b, 127, sizeof b);
    for (int terms = 514; terms <= 515; terms++) {
        struct quantized q;
        snprintf(text, sizeof text,
                "opset 13\ninput a u8 1,%d\ninput b i8 %d,1\n"
                "MatMulInteger a,b -> y\noutput y i32 1,1\n",
                terms, terms);
        if (read_model(&q, text)) {
            const int32_t sum = 255 * 127 * terms;
            EXPECT_EQ(terms - 513, count_nodes(&q.graph, graph_op_matmul));
            q.inputs[0] = a;
            q.inputs[1] = b;
            run_model(&q);
            EXPECT_BYTES_EQ(&sum, sizeof sum, q.outputs[0], q.sizes[0]);
        }
        end_model(&q);
    }
}

/* A product is nothing but floats between what is dynamically quantized and
 * what it is cast to; a file's own casts to less than it has stay. */
TEST_C(ModelQuantized, DynamicProductsAreFloats)
{
    static float x[2 * 70];
    struct quantized q;
    for (int i = 0; i < 140; i++)
        x[i] = (float)(i * 37 % 101) - 40.0f;
    if (read_model(&q, "opset 13\ninput x f32 2,70\n"
                       "const w i8 70,3 = 5 -128 127 0 77 -3 1 9\n"
                       "const v i8 3 = 1 -2 0\n"
                       "const t f32 3 = 0.5 0.25 0.125\n"
                       "DynamicQuantizeLinear x -> q,s,z\n"
                       "MatMulInteger q,w,z,v -> p\nCast p -> f to=1\n"
                       "Mul s,t -> u\nMul f,u -> y\n"
                       "output y f32 2,3\n")) {
        EXPECT_EQ(0, count_integers(&q.graph));
        q.inputs[0] = x;
        run_model(&q);
    }
    end_model(&q);
    static const uint8_t a[2] = {255, 3};
    static const float expected[2] = {
            (float)(uint8_t)(255 * 100 + 3 * 7), (float)(uint8_t)(255 + 3 * 2)};
    if (read_model(&q, "opset 13\ninput a u8 1,2\n"
                       "const w i8 2,2 = 100 1 7 2\n"
                       "MatMulInteger a,w -> p\nCast p -> f to=1\n"
                       "Cast f -> i to=2\nCast i -> y to=1\n"
                       "output y f32 1,2\n")) {
        q.inputs[0] = a;
        run_model(&q);
        EXPECT_BYTES_EQ(expected, sizeof expected, q.outputs[0], q.sizes[0]);
    }
    end_model(&q);
}

/* ---- Convolutions -------------------------------------------------------- */

/* Windows of channels * 121 elements of 255 * 127. */
static void check_windows(int channels, int groups, int parts)
{
    static uint8_t x[16 * 121];
    struct quantized q;
    char text[256];
    const int all = channels * groups;
    const int32_t sum = 255 * 127 * 121 * channels;
    snprintf(text, sizeof text,
            "opset 13\ninput x u8 1,%d,11,11\nconst w i8 2,%d,11,11 = 127\n"
            "ConvInteger x,w -> y group=%d\noutput y i32 1,2,1,1\n",
            all, channels, groups);
    memset(x, 255, sizeof x);
    if (read_model(&q, text)) {
        const int32_t expected[2] = {sum, sum};
        EXPECT_EQ(parts, count_nodes(&q.graph, graph_op_conv));
        q.inputs[0] = x;
        run_model(&q);
        EXPECT_BYTES_EQ(expected, sizeof expected, q.outputs[0], q.sizes[0]);
    }
    end_model(&q);
}

TEST_C(ModelQuantized, WindowsAreExactAroundTheLastChannelThatFits)
{
    check_windows(4, 1, 1);
    check_windows(5, 1, 2);
    check_windows(4, 2, 1);
    check_windows(5, 2, 1);
}
