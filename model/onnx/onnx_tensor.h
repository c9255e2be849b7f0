/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_tensor.h: the numbers of a TensorProto, wherever it keeps them.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_TENSOR_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_TENSOR_H

#include "model/graph/graph.h"
#include "model/onnx/onnx_message.h"

/* The type of an element by its number in ONNX (TensorProto.DataType), f32 for
 * float16; false, and a text that begins with `what`, for one that is not known
 * here. */
bool onnx_tensor_type(enum graph_type *type, int64_t number, const char *what,
        struct failure *failure);

/* Fills in type, shape and data, which the caller frees; empty tensors have
 * data, too. `what` is for messages; the folder is that of external data, NULL
 * if there must be none. Takes the message's own bytes where that saves a copy,
 * and no more memory than the message or the file has elements for. */
bool onnx_tensor_read(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, const char *folder, struct failure *failure);

/* ---- Of a model's outline ------------------------------------------------ */

/* The files of a model that have been opened, so many at most: of each other
 * one the tensors are read at once. */
enum { onnx_files_most = 64 };

struct onnx_file {
    char *path;
    struct byte_source *source;
};

struct onnx_files {
    const char *folder;         /* of external data, or NULL; borrowed */
    struct byte_source *source; /* of the outline; borrowed */
    int count;
    struct onnx_file external[onnx_files_most];
};

/* Closes what tensors do not need. */
void onnx_files_close(struct onnx_files *files);

/* The same as onnx_tensor_read() of a message in an outline. With may_wait,
 * large tensors of floats are found but not read: tensor->deferred is for the
 * caller to take over, too. */
bool onnx_tensor_find(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, struct onnx_files *files, bool may_wait,
        struct failure *failure);

#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_TENSOR_H */
