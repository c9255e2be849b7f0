/* SPDX-License-Identifier: Apache-2.0 */
/* Files beside the model: external data, weights, tensors. */
#include "model/base/whole_file.h"
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"
#include "model_case.h"
#include "model_text.h"
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 4096 };

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    FILE *file = fopen(path, "wb");
    ASSERT_NOT_NULL(file);
    EXPECT_EQ(size, fwrite(bytes, 1, size, file));
    fclose(file);
}

static bool read_model(
        struct graph *graph, const char *name, struct failure *failure)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    return onnx_read_model(graph, path, failure);
}

static void write_text(const char *name, const char *text)
{
    struct model_text model;
    model_text_init(&model, text);
    write_file(name, model.bytes, model.size);
    model_text_fini(&model);
}

/* ---- External data ------------------------------------------------------- */

/* A model with weights of two floats in another file. */
static void write_external_to(const char *model, const char *location,
        const char *offset, const char *length)
{
    char text[512];
    snprintf(text, sizeof text,
            "opset 13\ninput x f32 3,2\nexternal w f32 2 = %s %s %s\n"
            "Add x,w -> y\noutput y",
            location, offset, length);
    write_text(model, text);
}

static void write_external(
        const char *location, const char *offset, const char *length)
{
    write_external_to("model.onnx", location, offset, length);
}

TEST_C(ModelFiles, ReadsExternalData)
{
    static const float numbers[] = {9.0F, 1.5F, -2.5F};
    struct graph graph;
    struct failure failure;
    write_file("weights.bin", numbers, sizeof numbers);
    write_external("weights.bin", "4", "8");
    ASSERT_TRUE(read_model(&graph, "model.onnx", &failure));
    int w = graph_find_tensor(&graph, "w");
    ASSERT_NE(graph_none, w);
    EXPECT_BYTES_EQ(numbers + 1, 8, graph.tensors[w].data,
            graph_tensor_size(&graph.tensors[w]));
    graph_fini(&graph);
    /* Without a length it is what the shape needs. */
    write_external("./weights.bin", "0", "");
    ASSERT_TRUE(read_model(&graph, "model.onnx", &failure));
    graph_fini(&graph);
}

static void expect_refused(const char *location, const char *offset,
        const char *length, const char *part)
{
    struct graph graph;
    struct failure failure;
    write_external(location, offset, length);
    EXPECT_FALSE(read_model(&graph, "model.onnx", &failure));
    if (strstr(failure.text, part) == NULL)
        test_fail(__FILE__, __LINE__, "%s %s %s: \"%s\"", location, offset,
                length, failure.text);
    EXPECT_NOT_NULL(strstr(failure.text, "initializer 'w'"));
    graph_fini(&graph);
}

TEST_C(ModelFiles, RefusesExternalDataElsewhere)
{
    static const float numbers[] = {9.0F, 1.5F, -2.5F};
    char folder[path_size];
    write_file("weights.bin", numbers, sizeof numbers);
    snprintf(folder, sizeof folder, "%s/folder", test_directory());
    EXPECT_EQ(0, mkdir(folder, 0777));
    expect_refused("/etc/passwd", "0", "8", "beside the model");
    expect_refused("../weights.bin", "0", "8", "beside the model");
    expect_refused("folder/../weights.bin", "0", "8", "beside the model");
    expect_refused("none.bin", "0", "8", "no file");
    expect_refused("folder", "0", "8", "no file");
}

static void make_link(const char *name, const char *to)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    EXPECT_EQ(0, symlink(to, path));
}

/* The model's folder is `folder` here; a link may lead to it. */
TEST_C(ModelFiles, FollowsLinksInsideTheModelsFolderAlone)
{
    static const float numbers[] = {1.5F, -2.5F};
    static const char *const good[] = {
            "in.bin", "alias/weights.bin", "sub/up.bin", "whole.bin"};
    static const char *const bad[] = {"out.bin", "outside/weights.bin",
            "sub/out.bin", "absolute.bin", "chain.bin", "parent/weights.bin"};
    char path[path_size];
    struct graph graph;
    struct failure failure;
    snprintf(path, sizeof path, "%s/folder", test_directory());
    EXPECT_EQ(0, mkdir(path, 0777));
    snprintf(path, sizeof path, "%s/folder/sub", test_directory());
    EXPECT_EQ(0, mkdir(path, 0777));
    /* One whose name begins as that of the model's. */
    snprintf(path, sizeof path, "%s/folder2", test_directory());
    EXPECT_EQ(0, mkdir(path, 0777));
    write_file("folder/sub/weights.bin", numbers, sizeof numbers);
    write_file("folder2/weights.bin", numbers, sizeof numbers);
    write_file("weights.bin", numbers, sizeof numbers);
    make_link("folder/in.bin", "sub/weights.bin");
    make_link("folder/alias", "sub");
    make_link("folder/sub/up.bin", "../in.bin");
    snprintf(path, sizeof path, "%s/folder/in.bin", test_directory());
    make_link("folder/whole.bin", path);
    make_link("folder/out.bin", "../weights.bin");
    make_link("folder/outside", "../folder2");
    make_link("folder/sub/out.bin", "../../weights.bin");
    make_link("folder/absolute.bin", "/etc/passwd");
    make_link("folder/chain.bin", "out.bin");
    make_link("folder/parent", "..");
    make_link("linked", "folder");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        write_external_to("folder/model.onnx", good[i], "0", "8");
        EXPECT_TRUE(read_model(&graph, "folder/model.onnx", &failure));
        graph_fini(&graph);
        EXPECT_TRUE(read_model(&graph, "linked/model.onnx", &failure));
        graph_fini(&graph);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_external_to("folder/model.onnx", bad[i], "0", "8");
        EXPECT_FALSE(read_model(&graph, "folder/model.onnx", &failure));
        EXPECT_NOT_NULL(strstr(failure.text, "out of the model's folder"));
        EXPECT_NOT_NULL(strstr(failure.text, bad[i]));
        EXPECT_NOT_NULL(strstr(failure.text, "initializer 'w'"));
    }
}

TEST_C(ModelFiles, RefusesExternalDataInWhatIsNoFile)
{
    char path[path_size];
    make_link("nowhere.bin", "none.bin");
    make_link("loop.bin", "loop.bin");
    snprintf(path, sizeof path, "%s/pipe.bin", test_directory());
    EXPECT_EQ(0, mkfifo(path, 0600));
    expect_refused("nowhere.bin", "0", "8", "no file");
    expect_refused("loop.bin", "0", "8", "no file");
    expect_refused("pipe.bin", "0", "8", "no file");
}

TEST_C(ModelFiles, RefusesExternalDataThatIsNotThere)
{
    static const float numbers[] = {9.0F, 1.5F, -2.5F};
    write_file("weights.bin", numbers, sizeof numbers);
    expect_refused("weights.bin", "5", "8", "12 bytes");
    expect_refused("weights.bin", "18446744073709551612", "8", "12 bytes");
    expect_refused("weights.bin", "9223372036854775807", "8", "12 bytes");
    expect_refused("weights.bin", "18446744073709551616", "8", "offset");
    expect_refused("weights.bin", "-4", "8", "offset");
    expect_refused("weights.bin", "0", "12", "12 bytes of data");
    expect_refused("weights.bin", "0", "x", "length");
}

TEST_C(ModelFiles, BytesAloneHaveNoExternalData)
{
    struct model_text model;
    struct graph graph = {0};
    struct failure failure = {""};
    model_text_init(&model, "input x f32 2\nexternal w f32 2 = w.bin 0 8\n"
                            "Add x,w -> y\noutput y");
    struct onnx_source source = {.bytes = model.bytes, .size = model.size};
    EXPECT_FALSE(onnx_read_graph(&graph, &source, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "beside the model"));
    model_text_fini(&model);
}

/* ---- Weights ------------------------------------------------------------- */

#define NETWORK                                                           \
    "opset 13\ninput x f32 1,4,8,8\nconst s i64 4 = 6 4 3 3\n"            \
    "ConstantOfShape s -> w value={f32 1 = 0.02}\nconst b f32 6 = 0.02\n" \
    "Conv x,w,b -> y\noutput y"

static const struct graph_tensor *tensor_of(
        const struct graph *graph, const char *name)
{
    int number = graph_find_tensor(graph, name);
    return number == graph_none ? NULL : &graph->tensors[number];
}

TEST_C(ModelFiles, RandomWeightsFollowTheSeed)
{
    struct graph graphs[3];
    struct failure failure;
    static const uint64_t seeds[] = {1, 1, 2};
    write_text("model.onnx", NETWORK);
    for (int i = 0; i < 3; i++) {
        ASSERT_TRUE(read_model(&graphs[i], "model.onnx", &failure));
        EXPECT_TRUE(weights_randomize(&graphs[i], seeds[i], &failure));
    }
    const struct graph_tensor *w = tensor_of(&graphs[0], "w");
    size_t size = graph_tensor_size(w);
    EXPECT_BYTES_EQ(w->data, size, tensor_of(&graphs[1], "w")->data, size);
    EXPECT_NE(0, memcmp(w->data, tensor_of(&graphs[2], "w")->data, size));
    /* Uniform around 0, by the 36 terms of a sum. */
    const float *numbers = w->data;
    double most = 0.0;
    for (size_t i = 0; i < size / 4; i++)
        most = fmax(most, fabs((double)numbers[i]));
    EXPECT_TRUE(most <= sqrt(6.0 / 36.0) && most > 0.9 * sqrt(6.0 / 36.0));
    /* The first numbers, so that they stay what they are on every machine. */
    static const float first[] = {
            0x1.730138p-4F, -0x1.4622dp-3F, 0x1.6a6b88p-3F, 0x1.25862p-4F};
    EXPECT_BYTES_EQ(first, sizeof first, numbers, sizeof first);
    for (int i = 0; i < 3; i++)
        graph_fini(&graphs[i]);
}

/* Numbers that the graph computes with are no weights: they stay. */
TEST_C(ModelFiles, OnlyWeightsAreReplaced)
{
    struct graph graph;
    struct failure failure;
    write_text("model.onnx",
            "opset 13\ninput x f32 1,2\nconst w f32 3,2 = 1 2\n"
            "Transpose w -> t\nMatMul x,t -> a\nconst s f32 1 = 3\n"
            "Div a,s -> b\nConstant  -> c value={f32 3 = 4}\n"
            "Mul b,c -> y\noutput y");
    ASSERT_TRUE(read_model(&graph, "model.onnx", &failure));
    EXPECT_TRUE(weights_randomize(&graph, 1, &failure));
    EXPECT_TRUE(tensor_of(&graph, "t")->is_weight);
    EXPECT_TRUE(((const float *)tensor_of(&graph, "t")->data)[0] != 1.0F);
    EXPECT_TRUE(((const float *)tensor_of(&graph, "s")->data)[0] == 3.0F);
    EXPECT_FALSE(tensor_of(&graph, "c")->is_weight);
    EXPECT_TRUE(((const float *)tensor_of(&graph, "c")->data)[0] == 4.0F);
    graph_fini(&graph);
}

TEST_C(ModelFiles, ReadsWeightsOfAnotherModel)
{
    struct graph graph;
    struct failure failure;
    char path[path_size];
    snprintf(path, sizeof path, "%s/whole.onnx", test_directory());
    write_text("model.onnx", NETWORK);
    write_text("whole.onnx",
            "input x f32 1\nconst w f32 6,4,3,3 = 1 2 3\nconst b f32 6 = 7\n"
            "const other f32 1 = 1\nRelu x -> y\noutput y");
    ASSERT_TRUE(read_model(&graph, "model.onnx", &failure));
    EXPECT_TRUE(weights_read(&graph, path, &failure));
    EXPECT_TRUE(((const float *)tensor_of(&graph, "w")->data)[2] == 3.0F);
    EXPECT_TRUE(((const float *)tensor_of(&graph, "b")->data)[5] == 7.0F);
    write_text("whole.onnx", "const w f32 6,4,3,3 = 1 2 3\noutput w");
    EXPECT_FALSE(weights_read(&graph, path, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "weights 'b' are not there"));
    failure = (struct failure){""};
    write_text("whole.onnx", "const w f32 6,4,3 = 1 2 3\noutput w");
    EXPECT_FALSE(weights_read(&graph, path, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "'w' are of another"));
    graph_fini(&graph);
}

/* ---- Tensors ------------------------------------------------------------- */

TEST_C(ModelFiles, TensorsComeBackAsTheyWere)
{
    static int64_t numbers[] = {1, -2, INT64_MAX, INT64_MIN, 0, 5};
    char path[path_size];
    char name[] = "t";
    struct failure failure = {""};
    struct graph_tensor read;
    struct graph_tensor tensor = {
            .name = name,
            .type = graph_type_i64,
            .shape = {.ndims = 2, .dims = {2, 3}},
            .data = numbers,
    };
    snprintf(path, sizeof path, "%s/t.pb", test_directory());
    ASSERT_TRUE(tensor_file_write(path, &tensor, &failure));
    ASSERT_TRUE(tensor_file_read(&read, path, &failure));
    EXPECT_STR_EQ("t", read.name);
    EXPECT_EQ(graph_type_i64, read.type);
    EXPECT_TRUE(graph_shape_equal(&tensor.shape, &read.shape));
    EXPECT_BYTES_EQ(
            numbers, sizeof numbers, read.data, graph_tensor_size(&read));
    tensor_file_fini(&read);
    snprintf(path, sizeof path, "%s/none/t.pb", test_directory());
    EXPECT_FALSE(tensor_file_write(path, &tensor, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "none/t.pb"));
}

/* ---- Whole files --------------------------------------------------------- */

static void expect_file(const char *name, const char *text)
{
    struct failure failure = {""};
    uint8_t *bytes;
    size_t size;
    char path[path_size];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    ASSERT_TRUE(onnx_read_file(path, &bytes, &size, &failure));
    EXPECT_BYTES_EQ(text, strlen(text), bytes, size);
    free(bytes);
}

static int count_files(void)
{
    DIR *folder = opendir(test_directory());
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* A limit on files' sizes stands for a full disk. */
TEST_C(ModelFiles, AreReplacedAsAWhole)
{
    static const char large[4096];
    struct failure failure = {""};
    struct rlimit limit, before;
    char path[path_size], link[path_size];
    snprintf(path, sizeof path, "%s/file", test_directory());
    snprintf(link, sizeof link, "%s/link", test_directory());
    EXPECT_EQ(0, symlink("file", link));
    ASSERT_TRUE(whole_file_write(path, "first", 5, &failure));
    ASSERT_TRUE(whole_file_write(link, "second", 6, &failure));
    expect_file("file", "second");
    const int files = count_files();
    signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
    limit = before;
    limit.rlim_cur = 100;
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
    const bool ok = whole_file_write(path, large, sizeof large, &failure);
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
    EXPECT_FALSE(ok);
    EXPECT_NOT_NULL(strstr(failure.text, "file: File too large"));
    expect_file("file", "second");
    EXPECT_EQ(files, count_files());
}

TEST_C(ModelFiles, WhatIsNoFileIsWrittenTo)
{
    struct failure failure = {""};
    struct stat facts;
    char path[path_size];
    EXPECT_TRUE(whole_file_write("/dev/null", "text", 4, &failure));
    ASSERT_EQ(0, stat("/dev/null", &facts));
    EXPECT_TRUE(S_ISCHR(facts.st_mode));
    EXPECT_FALSE(whole_file_write("/dev/full", "text", 4, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "/dev/full"));
    failure = (struct failure){""};
    EXPECT_FALSE(whole_file_write(test_directory(), "text", 4, &failure));
    failure = (struct failure){""};
    snprintf(path, sizeof path, "%s/none/file", test_directory());
    EXPECT_FALSE(whole_file_write(path, "text", 4, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "none/file"));
}

TEST_C(ModelFiles, TheRampRisesFrom0To1)
{
    float *ramp = tensor_file_ramp(4);
    static const float expected[] = {0.0F, 0.25F, 0.5F, 0.75F};
    ASSERT_NOT_NULL(ramp);
    EXPECT_BYTES_EQ(expected, sizeof expected, ramp, sizeof expected);
    free(ramp);
}
