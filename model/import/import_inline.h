/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_inline.h: nodes that stand for several: the model's own functions, the
 * graphs of an If, and that of a Loop in each iteration. Their nodes are
 * imported in their place, under names of their own.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_INLINE_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_INLINE_H

#include "model/import/import.h"

/* What names mean inside of such a node. */
struct scope;

/* The name that the whole model has for a name of the node in hand; NULL if
 * there is none. Valid until the node in hand is another one. */
const char *import_name(const struct import *im, const char *name);

/* The model's function that the node in hand calls; NULL: it calls none. */
const Onnx__FunctionProto *import_find_function(const struct import *im);

/* Imports a function's nodes in the place of the node in hand. */
bool import_call(struct import *im, const Onnx__FunctionProto *function);

/* Reads a constant of the node in hand's. Inside of such a node, which may be
 * imported any number of times, it is charged like one that is computed. */
bool import_read_tensor(struct import *im, struct graph_tensor *read,
        Onnx__TensorProto *message);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_INLINE_H */
