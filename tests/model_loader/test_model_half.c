/* SPDX-License-Identifier: Apache-2.0 */
/* float16 in files: read as f32, written as it was. */
#include "model/base/half.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_tensor.h"
#include "model/onnx/tensor_file.h"
#include "model_text.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------- */

TEST_C(ModelHalf, EachIsAFloatAndBack)
{
    for (unsigned h = 0; h <= 0xffff; h++) {
        const float value = half_to_float((uint16_t)h);
        if ((h & 0x7fff) > 0x7c00)
            EXPECT_TRUE(isnan(value)
                        && isnan(half_to_float(half_from_float(value))));
        else
            EXPECT_EQ(h, half_from_float(value));
        if (h > 0 && h <= 0x7c00)
            EXPECT_TRUE(value > half_to_float((uint16_t)(h - 1)));
    }
    EXPECT_TRUE(half_to_float(0x3c00) == 1.0F);
    EXPECT_TRUE(half_to_float(0xc000) == -2.0F);
    EXPECT_TRUE(half_to_float(0x0001) == 0x1p-24F);
    EXPECT_TRUE(half_to_float(0x7bff) == 65504.0F);
    EXPECT_TRUE(half_to_float(0xfc00) == -INFINITY);
}

/* Between two it is the nearer one, in the middle the even one. */
TEST_C(ModelHalf, FloatsAreRoundedToTheNearest)
{
    for (unsigned h = 0; h < 0x7bff; h++) {
        const float low = half_to_float((uint16_t)h);
        const float middle = (low + half_to_float((uint16_t)(h + 1))) / 2;
        EXPECT_EQ(h, half_from_float(nextafterf(middle, 0.0F)));
        EXPECT_EQ(h + (h & 1), half_from_float(middle));
        EXPECT_EQ(h + 1, half_from_float(nextafterf(middle, INFINITY)));
    }
    EXPECT_EQ(0x7bff, half_from_float(nextafterf(65520.0F, 0.0F)));
    EXPECT_EQ(0x7c00, half_from_float(65520.0F));
    EXPECT_EQ(0xfc00, half_from_float(-1e30F));
    EXPECT_EQ(0x8000, half_from_float(-1e-30F));
}

/* ---- Files --------------------------------------------------------------- */

static void path_of(char path[4096], const char *name)
{
    snprintf(path, 4096, "%s/%s", test_directory(), name);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[4096];
    path_of(path, name);
    FILE *file = fopen(path, "wb");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    fclose(file);
}

static const float floats[] = {1.5F, -2.0F, 0x1p-24F};
static const uint16_t halves[] = {0x3e00, 0xc000, 0x0001};

TEST_C(ModelHalf, WeightsAreReadFromWhereverTheyAre)
{
    static const char *const texts[] = {
            "const w f16 3 = 1.5 -2 0.000000059604644775390625\n",
            "external w f16 3 = weights.bin 2 6\n"};
    static const uint16_t external[] = {0, 0x3e00, 0xc000, 0x0001};
    write_bytes("weights.bin", external, sizeof external);
    for (size_t i = 0; i < 2; i++) {
        struct model_text model;
        struct graph graph = {0};
        struct failure failure = {""};
        char text[256];
        snprintf(text, sizeof text,
                "opset 13\ninput x f16 2,3\n%sAdd x,w -> a\n"
                "Cast a -> y to=1\noutput y f32 2,3\noutput a f16 2,3",
                texts[i]);
        model_text_init(&model, text);
        const struct onnx_source source = {.bytes = model.bytes,
                .size = model.size,
                .folder = test_directory()};
        ASSERT_TRUE(onnx_read_graph(&graph, &source, &failure));
        const int w = graph_find_tensor(&graph, "w");
        ASSERT_NE(graph_none, w);
        EXPECT_EQ(graph_type_f32, graph.tensors[w].type);
        EXPECT_BYTES_EQ(
                floats, sizeof floats, graph.tensors[w].data, sizeof floats);
        EXPECT_EQ(1, graph.node_count); /* a cast between the two is none */
        EXPECT_FALSE(graph.outputs[0].is_half);
        EXPECT_TRUE(graph.outputs[1].is_half);
        graph_fini(&graph);
        model_text_fini(&model);
    }
}

/* As bytes or as integers; as many as the shape says. */
TEST_C(ModelHalf, ElementsAreReadInEachForm)
{
    int64_t dims[] = {3};
    int32_t integers[] = {0x3e00, 0xc000, 0x0001};
    uint16_t raw[] = {0x3e00, 0xc000, 0x0001};
    for (int i = 0; i < 4; i++) {
        Onnx__TensorProto message = ONNX__TENSOR_PROTO__INIT;
        struct graph_tensor tensor = {0};
        struct failure failure = {""};
        message.n_dims = 1;
        message.dims = dims;
        message.has_data_type = 1;
        message.data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
        message.has_raw_data = i % 2;
        message.raw_data.data = (uint8_t *)raw;
        message.raw_data.len = i == 3 ? 12 : 6;
        message.n_int32_data = i == 2 ? 2 : 3;
        message.int32_data = integers;
        const bool ok =
                onnx_tensor_read(&tensor, &message, "it", NULL, &failure);
        EXPECT_EQ(i < 2, ok);
        if (ok) {
            EXPECT_TRUE(tensor.is_half);
            EXPECT_BYTES_EQ(floats, sizeof floats, tensor.data, sizeof floats);
        } else {
            EXPECT_NOT_NULL(strstr(failure.text, "the 3 elements"));
        }
        free(tensor.data);
    }
}

TEST_C(ModelHalf, TensorsAreWrittenAsTheyWereRead)
{
    static const float numbers[] = {1.5F, -2.0F, 0x1.004p-24F};
    char path[4096], name[] = "t";
    float data[3];
    uint8_t *bytes;
    size_t size;
    struct failure failure = {""};
    struct graph_tensor read, tensor = {.name = name,
                                      .type = graph_type_f32,
                                      .shape = {.ndims = 1, .dims = {3}},
                                      .data = data,
                                      .is_half = true};
    memcpy(data, numbers, sizeof data);
    path_of(path, "t.pb");
    ASSERT_TRUE(tensor_file_write(path, &tensor, &failure));
    ASSERT_TRUE(onnx_read_file(path, &bytes, &size, &failure));
    ASSERT_GT(size, sizeof halves);
    EXPECT_BYTES_EQ(
            halves, sizeof halves, bytes + size - sizeof halves, sizeof halves);
    free(bytes);
    ASSERT_TRUE(tensor_file_read(&read, path, &failure));
    EXPECT_TRUE(read.is_half);
    EXPECT_EQ(graph_type_f32, read.type);
    EXPECT_BYTES_EQ(floats, sizeof floats, read.data, sizeof floats);
    tensor_file_fini(&read);
}
