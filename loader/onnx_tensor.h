/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_tensor.h: the numbers of a TensorProto, wherever it keeps them.
 */
#ifndef DNNL_CACHE_LOADER_ONNX_TENSOR_H
#define DNNL_CACHE_LOADER_ONNX_TENSOR_H

#include "graph.h"
#include "onnx_message.h"

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

#endif /* DNNL_CACHE_LOADER_ONNX_TENSOR_H */
