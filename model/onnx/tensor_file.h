/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_file.h: tensors in files, a TensorProto of ONNX each: what a model is
 * fed, and what comes out of it.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_TENSOR_FILE_H
#define DNNL_CACHE_MODEL_ONNX_TENSOR_FILE_H

#include "model/graph/graph.h"

/* Fills in a tensor with the one of a file: name (which may be ""), type, shape
 * and data. The caller ends it with tensor_file_fini(). */
bool tensor_file_read(
        struct graph_tensor *tensor, const char *path, struct failure *failure);

/* The same of bytes. */
bool tensor_file_parse(struct graph_tensor *tensor, const uint8_t *bytes,
        size_t size, struct failure *failure);

/* Gives back name and data; a zeroed one is fine. */
void tensor_file_fini(struct graph_tensor *tensor);

/* Writes a tensor that has data, as float16 if it is_half; the same tensor
 * gives the same bytes. */
bool tensor_file_write(const char *path, const struct graph_tensor *tensor,
        struct failure *failure);

/* The input that the ONNX project's light models are tested with: element i of
 * n is i / n, rounded to f32. The caller frees it; NULL when out of memory. */
float *tensor_file_ramp(int64_t count);

#endif /* DNNL_CACHE_MODEL_ONNX_TENSOR_FILE_H */
