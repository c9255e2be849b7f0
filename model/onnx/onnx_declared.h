/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_declared.h: what a file says of a tensor's type and dimensions.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_DECLARED_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_DECLARED_H

#include "model/onnx/onnx.h"
#include "model/onnx/onnx_message.h"

/* What is known of dimensions that files leave open. */
struct onnx_open {
    const Onnx__GraphProto *file;
    const struct onnx_source *source;
};

/* Type and shape of an input of the graph. */
bool onnx_declared_input(const struct onnx_open *open,
        const Onnx__ValueInfoProto *value, enum graph_type *type,
        struct graph_shape *shape, struct failure *failure);

/* Fails if a shape is given for what is none of the graph's inputs. */
bool onnx_declared_given(const struct onnx_open *open,
        const struct graph *graph, struct failure *failure);

/* The type of a value that is a tensor; NULL if it is said to be none, or
 * nothing is said. */
const Onnx__TypeProto__Tensor *onnx_declared_tensor(
        const Onnx__ValueInfoProto *value);
/* False if the dimension is left open; some programs write -1 then. */
bool onnx_declared_has_value(const Onnx__TensorShapeProto__Dimension *dim);
/* The symbol of one that is left open; "" if it has none. */
const char *onnx_declared_symbol(const Onnx__TensorShapeProto__Dimension *dim);

/* Fails if the file says another type of a tensor than it has. Another shape
 * becomes the graph's warning; dimensions left open say nothing. */
bool onnx_declared_check(struct graph *graph, const Onnx__ValueInfoProto *value,
        const struct graph_tensor *tensor, struct failure *failure);

/* True if it is said to be a tensor of float16. */
bool onnx_declared_half(const Onnx__ValueInfoProto *value);

#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_DECLARED_H */
