/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model of ONNX whose tensors are in files beside it: "data",
 * "below/data", one that is a link out of the folder, and one that is empty.
 * What is refused gives a reason; a tensor that is read has the numbers of a
 * file of the folder; read at once or when it is needed it is the same.
 */
#include "model/onnx/onnx.h"
#include "pieces.h"
#include "scratch.h"

#include <unistd.h>

enum { data_size = 48 << 10, constant_limit = 1 << 20 };

static void make_files(void)
{
    static uint8_t data[data_size];
    char path[scratch_path_size];
    uint32_t number = 1;
    for (size_t i = 0; i < data_size; i++) {
        data[i] = (uint8_t)(number >> 24);
        /* Floats of small numbers, so that none is what is made of another. */
        if (i % 4 == 3) data[i] = 0x3f;
        number = number * 1664525u + 1013904223u;
    }
    scratch_write("data", data, data_size);
    scratch_write("below/data", data, data_size / 2);
    scratch_write("empty", data, 0);
    scratch_path(path, "link");
    REQUIRE(symlink("/etc/passwd", path) == 0);
}

static bool read_at_once(struct graph *graph, struct failure *failure,
        const struct onnx_source *source)
{
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    return onnx_read_graph(graph, source, failure);
}

/* In two steps: files stay open until the numbers are read. */
static bool read_later(struct graph *graph, struct failure *failure,
        const struct onnx_source *source)
{
    *graph = (struct graph){0};
    *failure = (struct failure){""};
    struct onnx_model *model =
            onnx_model_open(source->bytes, source->size, failure);
    const bool good = model != NULL
                      && onnx_model_read_graph(graph, model, source, failure)
                      && graph_read(graph, failure)
                      && graph_close_files(graph, failure);
    onnx_model_close(model);
    return good;
}

static void compare(const struct graph *a, const struct graph *b)
{
    REQUIRE(a->tensor_count == b->tensor_count);
    for (int i = 0; i < a->tensor_count; i++) {
        const struct graph_tensor *one = &a->tensors[i];
        const struct graph_tensor *two = &b->tensors[i];
        REQUIRE((one->data == NULL) == (two->data == NULL));
        if (one->data == NULL) continue;
        REQUIRE(one->type == two->type
                && graph_tensor_size(one) == graph_tensor_size(two));
        REQUIRE(memcmp(one->data, two->data, graph_tensor_size(one)) == 0);
    }
}

static void check_failure(bool good, const struct failure *failure)
{
    if (good)
        REQUIRE(failure->text[0] == '\0');
    else
        REQUIRE(failure->text[0] != '\0'
                && strchr(failure->text, '\n') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_made;
    struct graph graph;
    struct graph later;
    struct failure failure;
    struct failure second;
    struct onnx_source source = {.bytes = data,
            .size = size,
            .folder = scratch_folder(),
            .constant_limit = constant_limit,
            .open_dimension = 1};
    if (!is_made) make_files();
    is_made = true;
    const bool good = read_at_once(&graph, &failure, &source);
    check_failure(good, &failure);
    const bool good_later = read_later(&later, &second, &source);
    check_failure(good_later, &second);
    REQUIRE(good == good_later);
    if (good) compare(&graph, &later);
    graph_fini(&graph);
    graph_fini(&later);
    source.folder = NULL;
    const bool good_alone = read_at_once(&graph, &failure, &source);
    check_failure(good_alone, &failure);
    REQUIRE(good || !good_alone);
    graph_fini(&graph);
    return 0;
}
