/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_graph.h: what a graph computes, done the obvious way: plain loops
 * in double precision, node by node. Every element comes with how far an
 * executor in f32 may be from it, derived from the node's own inputs and their
 * tolerances, with the rules that tests/reference/reference.h tells.
 *
 * Tolerances grow from node to node, since any error might be the worst.
 * Whoever sees what another executor computed for a tensor compares and goes on
 * from there, so that each node answers for its own errors alone:
 *
 *     struct reference_graph *run = reference_graph_create(&graph);
 *     reference_graph_set(run, graph.inputs[0], input);
 *     for (int i = 0; i < graph.node_count; i++) {
 *         reference_graph_compute(run, i);
 *         int tensor = graph.nodes[i].output;
 *         if (the executor shows it)
 *             reference_graph_observe(run, tensor, its_elements, &differences);
 *     }
 *     reference_graph_destroy(run);
 *
 * A run belongs to one thread.
 */
#ifndef DNNL_CACHE_TESTS_MODEL_REFERENCE_GRAPH_H
#define DNNL_CACHE_TESTS_MODEL_REFERENCE_GRAPH_H

#include "model/graph/graph.h"

struct reference_graph;

/* Of a graph that stays as it is until the run is destroyed. Out of memory, it
 * aborts, as all of this does. */
struct reference_graph *reference_graph_create(const struct graph *graph);
void reference_graph_destroy(struct reference_graph *run);

/* Sets a tensor, elements of its own type, without tolerances. */
void reference_graph_set(
        struct reference_graph *run, int tensor, const void *elements);

/* Computes a node, all of whose inputs are there. */
void reference_graph_compute(struct reference_graph *run, int node);
/* All nodes that have not been. */
void reference_graph_compute_all(struct reference_graph *run);

/* The elements of a tensor that is there, and their tolerances; of a constant,
 * too. They stay until it is set or observed again, or dropped. */
const double *reference_graph_values(struct reference_graph *run, int tensor);
const double *reference_graph_tolerances(
        struct reference_graph *run, int tensor);

/* Frees what is known of a tensor that no node to come needs. */
void reference_graph_drop(struct reference_graph *run, int tensor);

struct reference_differences {
    int64_t count; /* elements outside of their tolerances */
    /* The worst of all, by difference over tolerance. */
    int64_t at;
    double ratio; /* above 1 where it is outside */
    double expected, actual, tolerance;
};

/* Compares what an executor computed, elements of the tensor's type, and sets
 * the tensor to it. Tolerances times `slack` are allowed: 1, or 2 if the other
 * side is an f32 executor's word for it, too. */
void reference_graph_observe(struct reference_graph *run, int tensor,
        const void *elements, double slack,
        struct reference_differences *differences);

#endif /* DNNL_CACHE_TESTS_MODEL_REFERENCE_GRAPH_H */
