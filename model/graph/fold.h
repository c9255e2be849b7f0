/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h: nodes of constants, computed while a model is read. Shapes are what
 * it is for: arithmetic and movement of few numbers, of integers without a
 * rounding. Weights that are transposed or cut come this way, too.
 */
#ifndef DNNL_CACHE_MODEL_GRAPH_FOLD_H
#define DNNL_CACHE_MODEL_GRAPH_FOLD_H

#include "model/graph/graph.h"

/* True if the inputs of a node are constants and its operator is among those
 * that are computed here. */
bool fold_can(const struct graph *graph, const struct graph_node *node);

/* True if the operator's results are elements of its inputs. */
bool fold_moves_only(enum graph_op op);

/* Computes such a node, of which inputs are read that have not been: type and
 * shape of the result are given, and room in its data. Fails for a division of
 * integers by 0, an index out of range. */
bool fold_compute(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_GRAPH_FOLD_H */
