/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: makes the plan of a graph.
 *
 * Operators become steps; those that only change shapes become views, which
 * cost nothing; what follows a convolution, a product or a sum of two tensors
 * element by element is done by the same step, and a BatchNormalization behind
 * a convolution by its weights. A Concat of images is where its parts are
 * written to in the first place.
 */
#ifndef DNNL_CACHE_MODEL_LOWER_LOWER_H
#define DNNL_CACHE_MODEL_LOWER_LOWER_H

#include "model/graph/graph.h"
#include "model/plan/plan.h"

/* Can a graph be computed in float16? True if all its floats are that in the
 * file. */
bool lower_is_half(const struct graph *graph);

/* Fills an empty plan, of which is_half may be set: then it is one of halves,
 * unless a step needs floats. It borrows names and constants from the graph;
 * the caller frees it with plan_fini() in any case. False, with a text that
 * names the node, for what this loader does not compute. */
bool lower_graph(
        struct plan *plan, const struct graph *graph, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_LOWER_LOWER_H */
