/* SPDX-License-Identifier: Apache-2.0 */
/* Weights from another file. */
#include "model/import/weights.h"
#include "model/onnx/onnx_model.h"
#include "model/onnx/onnx_tensor.h"

#include <stdlib.h>
#include <string.h>

/* Replaces the weight that an initializer has the name of, if there is one. */
static bool replace(struct graph *graph, Onnx__TensorProto *message,
        bool *replaced, struct onnx_files *files, struct failure *failure)
{
    const char *name = message->name == NULL ? "" : message->name;
    int number = graph_find_tensor(graph, name);
    if (number == graph_none || !graph->tensors[number].is_weight) return true;
    struct graph_tensor *tensor = &graph->tensors[number];
    struct graph_tensor read;
    if (!onnx_tensor_find(&read, message, name, files, true, failure))
        return false;
    if (read.type != tensor->type
            || !graph_shape_equal(&read.shape, &tensor->shape)) {
        deferred_destroy(read.deferred);
        free(read.data);
        return fail(failure, "weights '%s' are of another type or shape", name);
    }
    deferred_destroy(tensor->deferred);
    free(tensor->data);
    tensor->data = read.data;
    tensor->deferred = read.deferred;
    replaced[number] = true;
    return true;
}

static bool replace_all(struct graph *graph, Onnx__GraphProto *file,
        struct onnx_files *files, struct failure *failure)
{
    bool *replaced = calloc((size_t)graph->tensor_count + 1, sizeof *replaced);
    bool ok = replaced != NULL || fail_out_of_memory(failure);
    for (size_t i = 0; ok && i < file->n_initializer; i++)
        ok = replace(graph, file->initializer[i], replaced, files, failure);
    for (int i = 0; ok && i < graph->tensor_count; i++)
        if (graph->tensors[i].is_weight && !replaced[i])
            ok = fail(failure, "weights '%s' are not there",
                    graph->tensors[i].name);
    free(replaced);
    return ok;
}

bool weights_read(
        struct graph *graph, const char *path, struct failure *failure)
{
    struct failure reason = {""};
    struct onnx_model *model = onnx_model_open_file(path, &reason);
    char *folder = onnx_folder(path);
    bool ok = model != NULL && folder != NULL;
    if (ok) {
        struct onnx_files files = {.folder = folder, .source = model->source};
        ok = model->message->graph != NULL
                     ? replace_all(
                             graph, model->message->graph, &files, &reason)
                     : fail(&reason, "a model without a graph");
        onnx_files_close(&files);
    } else {
        (void)fail_out_of_memory(&reason);
    }
    if (!ok) (void)fail(failure, "%s: %s", path, reason.text);
    onnx_model_close(model);
    free(folder);
    return ok;
}
