/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_declared.h: what a file says of a tensor's type and dimensions.
 */
#ifndef DNNL_CACHE_LOADER_ONNX_DECLARED_H
#define DNNL_CACHE_LOADER_ONNX_DECLARED_H

#include "graph.h"
#include "onnx_message.h"

/* Type and shape of an input of the graph, dimensions left open being 1. */
bool onnx_declared_input(const Onnx__ValueInfoProto *value,
        enum graph_type *type, struct graph_shape *shape,
        struct failure *failure);

/* Fails if the file says something else of a tensor than it is; dimensions left
 * open say nothing. */
bool onnx_declared_check(const Onnx__ValueInfoProto *value,
        const struct graph_tensor *tensor, struct failure *failure);

/* True if it is said to be a tensor of float16. */
bool onnx_declared_half(const Onnx__ValueInfoProto *value);

#endif /* DNNL_CACHE_LOADER_ONNX_DECLARED_H */
