/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights.h: other weights for a graph than its file has. The models of the
 * ONNX project's tests have the same number everywhere, with which a wrong
 * result looks like a right one.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_WEIGHTS_H
#define DNNL_CACHE_MODEL_IMPORT_WEIGHTS_H

#include "model/graph/graph.h"

/* Replaces the weights of more than one element: f32 constants that came from
 * initializers or were made by ConstantOfShape, also where they have been
 * transposed or cut since. The same graph and seed give the same numbers on
 * every machine. They are scaled by what they are used for, so that activations
 * keep their magnitude from layer to layer and differ from each other: weights
 * of products by the number of terms of a sum, factors and variances around 1,
 * all others small. Fails when out of memory, before anything is changed. */
bool weights_randomize(
        struct graph *graph, uint64_t seed, struct failure *failure);

/* Replaces all weights by initializers of the same names and shapes in another
 * file: the model as it was before its weights were taken out. Fails if one is
 * not there; some may have been replaced then. */
bool weights_read(
        struct graph *graph, const char *path, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_IMPORT_WEIGHTS_H */
