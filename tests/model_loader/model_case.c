/* SPDX-License-Identifier: Apache-2.0 */
#include "model_case.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_tensor.h"
#include "model/onnx/tensor_file.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA DNNL_CACHE_TEST_DATA_DIR "/onnx/"

enum { path_size = 4096 };

bool onnx_read_model(
        struct graph *graph, const char *path, struct failure *failure)
{
    uint8_t *bytes;
    struct onnx_source source = {0};
    if (!onnx_read_file(path, &bytes, &source.size, failure)) return false;
    char *folder = onnx_folder(path);
    source.bytes = bytes;
    source.folder = folder;
    bool ok = folder != NULL ? onnx_read_graph(graph, &source, failure)
                             : fail_out_of_memory(failure);
    free(folder);
    free(bytes);
    return ok;
}

static const char *folder_of(enum model_case_kind kind)
{
    return kind == model_case_exported ? DATA "models" : DATA "nodes";
}

static int is_model(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".onnx") == 0;
}

int model_case_for_each(
        enum model_case_kind kind, void (*function)(const char *name))
{
    struct dirent **entries;
    int count = scandir(folder_of(kind), &entries, is_model, alphasort);
    for (int i = 0; i < count; i++) {
        *strrchr(entries[i]->d_name, '.') = '\0';
        function(entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return count;
}

/* ---- Tensors in files of their own --------------------------------------- */

static bool read_file(struct graph_tensor *tensor, const char *name,
        const char *kind, int number, struct failure *failure)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s%s_%s_%d.pb", DATA, name, kind, number);
    return tensor_file_read(tensor, path, failure);
}

static bool read_files(
        struct model_case *c, const char *name, struct failure *failure)
{
    bool ok = true;
    for (int i = 0; ok && i < c->graph.input_count; i++)
        ok = read_file(&c->inputs[i], name, "input", i, failure);
    for (int i = 0; ok && i < c->graph.output_count; i++)
        ok = read_file(&c->outputs[i], name, "output", i, failure);
    return ok;
}

/* ---- Tensors among the model's own --------------------------------------- */

/* An initializer that no node takes: "test input 0". */
static bool read_hidden(struct graph_tensor *tensor, Onnx__ModelProto *model,
        const char *kind, int number, struct failure *failure)
{
    char name[64];
    snprintf(name, sizeof name, "test %s %d", kind, number);
    for (size_t i = 0; i < model->graph->n_initializer; i++) {
        Onnx__TensorProto *message = model->graph->initializer[i];
        if (strcmp(message->name, name) == 0)
            return onnx_tensor_read(tensor, message, name, NULL, failure);
    }
    return fail(failure, "no tensor '%s'", name);
}

static bool read_all_hidden(
        struct model_case *c, const char *path, struct failure *failure)
{
    uint8_t *bytes;
    size_t size;
    if (!onnx_read_file(path, &bytes, &size, failure)) return false;
    Onnx__ModelProto *model = onnx_message_model(bytes, size, failure);
    bool ok = model != NULL;
    for (int i = 0; ok && i < c->graph.input_count; i++)
        ok = read_hidden(&c->inputs[i], model, "input", i, failure);
    for (int i = 0; ok && i < c->graph.output_count; i++)
        ok = read_hidden(&c->outputs[i], model, "output", i, failure);
    if (model != NULL) onnx__model_proto__free_unpacked(model, NULL);
    free(bytes);
    return ok;
}

/* ---- Cases --------------------------------------------------------------- */

/* The graph must have the types and shapes that the tensors have. */
static bool fits(const struct graph *graph, int number,
        const struct graph_tensor *tensor, struct failure *failure)
{
    const struct graph_tensor *its = &graph->tensors[number];
    char wanted[graph_shape_text_size];
    char is[graph_shape_text_size];
    graph_shape_text(wanted, &tensor->shape);
    graph_shape_text(is, &its->shape);
    return (its->type == tensor->type && strcmp(wanted, is) == 0)
           || fail(failure, "'%s' is %s %s, not %s %s", its->name,
                   graph_type_name(its->type), is,
                   graph_type_name(tensor->type), wanted);
}

static bool all_fit(const struct model_case *c, struct failure *failure)
{
    bool ok = true;
    for (int i = 0; ok && i < c->graph.input_count; i++)
        ok = fits(&c->graph, c->graph.inputs[i], &c->inputs[i], failure);
    for (int i = 0; ok && i < c->graph.output_count; i++)
        ok = fits(
                &c->graph, c->graph.outputs[i].tensor, &c->outputs[i], failure);
    return ok;
}

bool model_case_init(
        struct model_case *c, enum model_case_kind kind, const char *name)
{
    char path[path_size];
    struct failure failure = {""};
    memset(c, 0, sizeof *c);
    snprintf(path, sizeof path, "%s/%s.onnx", folder_of(kind), name);
    bool ok = onnx_read_model(&c->graph, path, &failure)
              && ((c->graph.input_count <= model_case_most
                          && c->graph.output_count <= model_case_most)
                      || fail(&failure, "too many tensors"))
              && (kind == model_case_exported
                              ? read_files(c, name, &failure)
                              : read_all_hidden(c, path, &failure))
              && all_fit(c, &failure);
    if (ok) return true;
    test_fail(__FILE__, __LINE__, "%s: %s", name, failure.text);
    model_case_fini(c);
    return false;
}

void model_case_fini(struct model_case *c)
{
    for (int i = 0; i < model_case_most; i++) {
        tensor_file_fini(&c->inputs[i]);
        tensor_file_fini(&c->outputs[i]);
    }
    graph_fini(&c->graph);
}
