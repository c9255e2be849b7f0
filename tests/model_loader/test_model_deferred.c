/* SPDX-License-Identifier: Apache-2.0 */
/* Large tensors stay in the model's file until they are needed. */
#include "model/base/half.h"
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_message.h"
#include "model_case.h"
#include "model_text.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { path_size = 4096 };

/* 9216 floats, and 16 that are not worth a second look. */
#define NETWORK                                                             \
    "opset 13\ninput x f32 1,16,4,4\nconst w f32 64,16,3,3 = 0.5 -1 0.25\n" \
    "const b f32 64 = 1 2\nConv x,w,b -> y pads=[1,1,1,1]\noutput y"

static void path_of(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/%s", test_directory(), name);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[path_size];
    path_of(path, name);
    FILE *file = fopen(path, "wb");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    struct model_text model;
    model_text_init(&model, text);
    write_bytes(name, model.bytes, model.size);
    model_text_fini(&model);
}

/* A graph of a file in the test's folder, large tensors not read. */
static bool find_graph(
        struct graph *graph, const char *name, struct failure *failure)
{
    char path[path_size];
    const struct onnx_source source = {.folder = test_directory()};
    path_of(path, name);
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    struct onnx_model *model = onnx_model_open_file(path, failure);
    const bool ok = model != NULL
                    && onnx_model_read_graph(graph, model, &source, failure);
    onnx_model_close(model);
    return ok;
}

static struct graph_tensor *tensor_of(struct graph *graph, const char *name)
{
    const int number = graph_find_tensor(graph, name);
    return number == graph_none ? NULL : &graph->tensors[number];
}

static void expect_numbers(
        const struct graph_tensor *tensor, const float *numbers, int count)
{
    const int64_t all = graph_shape_count(&tensor->shape);
    int64_t wrong = 0;
    for (int64_t i = 0; i < all; i++)
        wrong += ((const float *)tensor->data)[i] != numbers[i % count];
    EXPECT_EQ(0, wrong);
}

static const float numbers[] = {0.5F, -1.0F, 0.25F};

TEST_C(ModelDeferred, LargeTensorsAreReadWhenTheyAreNeeded)
{
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    struct graph_tensor *w = tensor_of(&graph, "w");
    ASSERT_NOT_NULL(w->deferred);
    EXPECT_FALSE(w->deferred->is_read);
    EXPECT_NULL(tensor_of(&graph, "b")->deferred);
    float part[4];
    ASSERT_TRUE(deferred_copy(w->deferred, 3000, 4, part, &failure));
    EXPECT_BYTES_EQ(numbers, sizeof numbers, part, sizeof numbers);
    ASSERT_TRUE(graph_read(&graph, &failure));
    EXPECT_TRUE(w->deferred->is_read);
    expect_numbers(w, numbers, 3);
    EXPECT_TRUE(graph_close_files(&graph, &failure));
    graph_fini(&graph);
}

TEST_C(ModelDeferred, AFileThatBecameShorterIsAFailure)
{
    char path[path_size];
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    path_of(path, "m.onnx");
    ASSERT_EQ(0, truncate(path, 8192));
    EXPECT_FALSE(graph_read(&graph, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "m.onnx: it has become shorter"));
    graph_fini(&graph);
}

TEST_C(ModelDeferred, AFileThatWasWrittenToIsAFailure)
{
    char path[path_size];
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    ASSERT_TRUE(graph_read(&graph, &failure));
    path_of(path, "m.onnx");
    FILE *file = fopen(path, "ab");
    ASSERT_NOT_NULL(file);
    fputc(0, file);
    fclose(file);
    EXPECT_FALSE(graph_close_files(&graph, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "m.onnx was written to while"));
    graph_fini(&graph);
}

/* A process that replaces the file leaves the old one to those that read it. */
TEST_C(ModelDeferred, AFileThatIsReplacedIsReadToItsEnd)
{
    char path[path_size], other[path_size];
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    write_text("other.onnx", "opset 13\ninput x f32 1\nRelu x -> y\noutput y");
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    path_of(path, "m.onnx");
    path_of(other, "other.onnx");
    ASSERT_EQ(0, rename(other, path));
    EXPECT_TRUE(graph_read(&graph, &failure));
    expect_numbers(tensor_of(&graph, "w"), numbers, 3);
    EXPECT_TRUE(graph_close_files(&graph, &failure));
    graph_fini(&graph);
}

TEST_C(ModelDeferred, NothingIsReadFromAClosedFile)
{
    float part[4];
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    EXPECT_TRUE(graph_close_files(&graph, &failure));
    EXPECT_FALSE(deferred_copy(
            tensor_of(&graph, "w")->deferred, 0, 4, part, &failure));
    graph_fini(&graph);
}

TEST_C(ModelDeferred, RandomWeightsNeedNoFile)
{
    struct graph graph;
    struct failure failure;
    write_text("m.onnx", NETWORK);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    ASSERT_TRUE(weights_randomize(&graph, 1, &failure));
    struct graph_tensor *w = tensor_of(&graph, "w");
    float part[5];
    EXPECT_NULL(w->deferred->source);
    EXPECT_FALSE(w->deferred->is_read);
    EXPECT_TRUE(deferred_copy(w->deferred, 5002, 5, part, &failure));
    EXPECT_TRUE(graph_read(&graph, &failure));
    EXPECT_BYTES_EQ(
            (const float *)w->data + 5002, sizeof part, part, sizeof part);
    EXPECT_TRUE(part[0] != part[1] && part[1] != part[2]);
    graph_fini(&graph);
}

TEST_C(ModelDeferred, EqualNumbersAreMadeWhenTheyAreNeeded)
{
    struct graph graph;
    struct failure failure;
    write_text("m.onnx",
            "opset 13\ninput x f32 1,16,4,4\nconst s i64 4 = 64 16 3 3\n"
            "ConstantOfShape s -> w value={f32 1 = 0.25}\n"
            "Conv x,w -> y pads=[1,1,1,1]\noutput y");
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    const struct graph_tensor *w = tensor_of(&graph, "w");
    ASSERT_NOT_NULL(w->deferred);
    EXPECT_FALSE(w->deferred->is_read);
    EXPECT_TRUE(graph_read(&graph, &failure));
    expect_numbers(w, (const float[]){0.25F}, 1);
    graph_fini(&graph);
}

/* What is computed while the model is read, and weights of another file. */
TEST_C(ModelDeferred, TransposedWeightsAreReadAtOnce)
{
    struct graph graph;
    struct failure failure;
    char path[path_size];
    write_text("m.onnx",
            "opset 13\ninput x f32 1,128\nconst w f32 64,128 = 0.5 -1 0.25\n"
            "Transpose w -> t\nMatMul x,t -> y\noutput y");
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    const struct graph_tensor *t = tensor_of(&graph, "t");
    EXPECT_NULL(t->deferred);
    EXPECT_EQ(numbers[128 % 3], ((const float *)t->data)[1]);
    graph_fini(&graph);
    write_text("m.onnx", NETWORK);
    write_text("w.onnx",
            "opset 13\ninput x f32 1,16,4,4\nconst w f32 64,16,3,3 = 2 3\n"
            "const b f32 64 = 4\nConv x,w,b -> y pads=[1,1,1,1]\noutput y");
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    path_of(path, "w.onnx");
    ASSERT_TRUE(weights_read(&graph, path, &failure));
    ASSERT_TRUE(graph_read(&graph, &failure));
    expect_numbers(tensor_of(&graph, "w"), (const float[]){2.0F, 3.0F}, 2);
    expect_numbers(tensor_of(&graph, "b"), (const float[]){4.0F}, 1);
    graph_fini(&graph);
}

/* ---- External data ------------------------------------------------------- */

static void write_floats(const char *name, int count)
{
    float *values = malloc((size_t)count * sizeof *values);
    ASSERT_NOT_NULL(values);
    for (int i = 0; i < count; i++)
        values[i] = numbers[i % 3];
    write_bytes(name, values, (size_t)count * sizeof *values);
    free(values);
}

TEST_C(ModelDeferred, ExternalDataStaysInItsFile)
{
    char path[path_size];
    struct graph graph;
    struct failure failure;
    write_floats("w.bin", 8192);
    write_text("m.onnx", "opset 13\ninput x f32 8192\n"
                         "external w f32 8192 = w.bin 0 32768\n"
                         "Add x,w -> y\noutput y");
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    ASSERT_NOT_NULL(tensor_of(&graph, "w")->deferred);
    ASSERT_TRUE(graph_read(&graph, &failure));
    expect_numbers(tensor_of(&graph, "w"), numbers, 3);
    graph_fini(&graph);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    path_of(path, "w.bin");
    ASSERT_EQ(0, truncate(path, 4096));
    EXPECT_FALSE(graph_read(&graph, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "w.bin: it has become shorter"));
    graph_fini(&graph);
}

/* More files than a model may keep open. */
TEST_C(ModelDeferred, TensorsOfManyFilesAreReadAtOnce)
{
    enum { files = 70 };
    char text[16384] = "opset 13\ninput x f32 4096\n";
    char *end = text + strlen(text);
    int waiting = 0;
    struct graph graph;
    struct failure failure;
    for (int i = 0; i < files; i++) {
        char name[32];
        snprintf(name, sizeof name, "w%d.bin", i);
        write_floats(name, 4096);
        end += sprintf(end,
                "external w%d f32 4096 = %s 0 16384\nAdd x,w%d -> y%d\n"
                "output y%d\n",
                i, name, i, i, i);
    }
    write_text("m.onnx", text);
    ASSERT_TRUE(find_graph(&graph, "m.onnx", &failure));
    for (int i = 0; i < graph.tensor_count; i++)
        waiting += graph.tensors[i].deferred != NULL;
    EXPECT_EQ(64, waiting);
    ASSERT_TRUE(graph_read(&graph, &failure));
    for (int i = 0; i < graph.tensor_count; i++)
        if (graph.tensors[i].data != NULL)
            expect_numbers(&graph.tensors[i], numbers, 3);
    graph_fini(&graph);
}

/* ---- Outlines ------------------------------------------------------------ */

/* A model with one tensor, of bytes that a test makes. */
struct made {
    size_t size;
    uint8_t bytes[200000];
};

static void put_varint(struct made *made, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        made->bytes[made->size++] = (uint8_t)(number | 0x80);
    made->bytes[made->size++] = (uint8_t)number;
}

static void put_bytes(
        struct made *made, uint64_t id, const void *bytes, size_t size)
{
    put_varint(made, id << 3 | 2);
    put_varint(made, size);
    memcpy(made->bytes + made->size, bytes, size);
    made->size += size;
}

static void put_fixed(struct made *made, uint64_t id, uint64_t number)
{
    put_varint(made, id << 3 | 1);
    memcpy(made->bytes + made->size, &number, sizeof number);
    made->size += sizeof number;
}

/* The message of the outline of a model that has this tensor. */
static Onnx__ModelProto *outline_of(const struct made *tensor,
        struct failure *failure, const Onnx__TensorProto **found)
{
    static struct made graph, model;
    size_t size = 0;
    Onnx__ModelProto *message = NULL;
    graph.size = model.size = 0;
    put_bytes(&graph, 5, tensor->bytes, tensor->size);
    put_bytes(&model, 7, graph.bytes, graph.size);
    struct byte_source *source =
            byte_source_borrow(model.bytes, model.size, failure);
    uint8_t *outline = onnx_message_outline(source, &size, failure);
    if (outline != NULL)
        message = onnx_message_of_outline(outline, size, failure);
    if (message != NULL) *found = message->graph->initializer[0];
    free(outline);
    byte_source_release(source);
    return message;
}

TEST_C(ModelDeferred, AnOutlineHasPlacesInPlaceOfNumbers)
{
    static struct made tensor;
    static const uint8_t zeros[40000];
    struct failure failure = {""};
    struct onnx_message_place place;
    const Onnx__TensorProto *found = NULL;
    tensor.size = 0;
    put_bytes(&tensor, 8, "name", 4);
    put_bytes(&tensor, 9, zeros, sizeof zeros);
    Onnx__ModelProto *message = outline_of(&tensor, &failure, &found);
    ASSERT_NOT_NULL(message);
    EXPECT_STR_EQ("name", found->name);
    EXPECT_FALSE(found->has_raw_data);
    EXPECT_TRUE(onnx_message_find_raw(found, &place));
    EXPECT_EQ(sizeof zeros, place.size);
    EXPECT_FALSE(onnx_message_find_floats(found, &place));
    onnx__model_proto__free_unpacked(message, NULL);
    tensor.size = 0;
    put_bytes(&tensor, 4, zeros, sizeof zeros);
    message = outline_of(&tensor, &failure, &found);
    ASSERT_NOT_NULL(message);
    EXPECT_EQ(0, found->n_float_data);
    EXPECT_TRUE(onnx_message_find_floats(found, &place));
    EXPECT_EQ(sizeof zeros, place.size);
    onnx__model_proto__free_unpacked(message, NULL);
}

/* The last one counts, and floats are added to each other. */
TEST_C(ModelDeferred, FieldsThatComeTwiceStayInTheMessage)
{
    static struct made tensor;
    static uint8_t first[20000], second[30000];
    struct failure failure = {""};
    struct onnx_message_place place;
    const Onnx__TensorProto *found = NULL;
    memset(second, 7, sizeof second);
    tensor.size = 0;
    put_bytes(&tensor, 9, first, sizeof first);
    put_bytes(&tensor, 8, "name", 4);
    put_bytes(&tensor, 9, second, sizeof second);
    Onnx__ModelProto *message = outline_of(&tensor, &failure, &found);
    ASSERT_NOT_NULL(message);
    EXPECT_FALSE(onnx_message_find_raw(found, &place));
    EXPECT_BYTES_EQ(
            second, sizeof second, found->raw_data.data, found->raw_data.len);
    onnx__model_proto__free_unpacked(message, NULL);
    tensor.size = 0;
    put_bytes(&tensor, 4, first, sizeof first);
    put_bytes(&tensor, 4, second, 4);
    message = outline_of(&tensor, &failure, &found);
    ASSERT_NOT_NULL(message);
    EXPECT_FALSE(onnx_message_find_floats(found, &place));
    EXPECT_EQ(5001, found->n_float_data);
    onnx__model_proto__free_unpacked(message, NULL);
}

/* A file cannot say itself where numbers are. */
TEST_C(ModelDeferred, PlacesThatAFileHasAreLeftOut)
{
    static struct made tensor;
    struct failure failure = {""};
    struct onnx_message_place place;
    const Onnx__TensorProto *found = NULL;
    tensor.size = 0;
    for (uint64_t id = 0x1ffffffc; id <= 0x1fffffff; id++)
        put_fixed(&tensor, id, 16);
    Onnx__ModelProto *message = outline_of(&tensor, &failure, &found);
    ASSERT_NOT_NULL(message);
    EXPECT_EQ(0, message->graph->initializer[0]->base.n_unknown_fields);
    EXPECT_FALSE(onnx_message_find_raw(found, &place));
    EXPECT_FALSE(onnx_message_find_floats(found, &place));
    onnx__model_proto__free_unpacked(message, NULL);
    /* The same number, but for bits that protobuf-c would not see. */
    tensor.size = 0;
    put_fixed(&tensor, UINT64_C(0x3ffffffe), 16);
    message = outline_of(&tensor, &failure, &found);
    EXPECT_NULL(message);
    EXPECT_NOT_NULL(strstr(failure.text, "no field has number"));
}

TEST_C(ModelDeferred, ModelsThatDifferInNumbersHaveOneOutline)
{
    struct model_text models[2];
    const uint8_t *outlines[2];
    struct onnx_model *opened[2];
    size_t sizes[2];
    struct failure failure = {""};
    model_text_init(&models[0], NETWORK);
    model_text_init(&models[1],
            "opset 13\ninput x f32 1,16,4,4\nconst w f32 64,16,3,3 = 3\n"
            "const b f32 64 = 1 2\nConv x,w,b -> y pads=[1,1,1,1]\noutput y");
    for (int i = 0; i < 2; i++) {
        opened[i] = onnx_model_open(models[i].bytes, models[i].size, &failure);
        ASSERT_NOT_NULL(opened[i]);
        outlines[i] = onnx_model_outline(opened[i], &sizes[i]);
        EXPECT_LT(sizes[i], 2000);
    }
    EXPECT_BYTES_EQ(outlines[0], sizes[0], outlines[1], sizes[1]);
    for (int i = 0; i < 2; i++) {
        onnx_model_close(opened[i]);
        model_text_fini(&models[i]);
    }
}

/* ---- Halves -------------------------------------------------------------- */

TEST_C(ModelDeferred, HalvesAreWidenedWhereTheyAreRead)
{
    enum { count = 4097 };
    static uint16_t halves[count];
    float floats[count];
    struct failure failure = {""};
    for (int i = 0; i < count; i++)
        halves[i] = half_from_float((float)i / 8);
    struct byte_source *source = byte_source_borrow(
            (const uint8_t *)halves, sizeof halves, &failure);
    struct deferred *deferred =
            deferred_create(source, 0, count, true, floats, &failure);
    ASSERT_TRUE(deferred_read(deferred, &failure));
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += floats[i] != half_to_float(halves[i]);
    EXPECT_EQ(0, wrong);
    float last[3];
    ASSERT_TRUE(deferred_copy(deferred, count - 3, 3, last, &failure));
    EXPECT_BYTES_EQ(floats + count - 3, sizeof last, last, sizeof last);
    EXPECT_FALSE(deferred_copy(deferred, count - 2, 3, last, &failure));
    deferred_destroy(deferred);
    byte_source_release(source);
}
