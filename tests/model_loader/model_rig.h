/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_rig.h: runs a graph on the test platform, and compares what each step
 * writes with the reference executor. A step may be several nodes; then the
 * last one's tensor is compared, which the reference computes from what was
 * seen of the device before. A node may be several steps; then its tensor is
 * compared if it is an output, at the end.
 */
#ifndef DNNL_CACHE_TESTS_MODEL_RIG_H
#define DNNL_CACHE_TESTS_MODEL_RIG_H

#include "model/graph/graph.h"

struct model_rig_run {
    const struct graph *graph;
    /* A tensor for each input; NULL: numbers that differ from their neighbours,
     * between -2 and 2, of integers odd ones. */
    const struct graph_tensor *inputs;
    /* Shown each output of the graph at the end; NULL: nobody is. */
    void (*show)(void *user, int output, const struct graph_tensor *tensor);
    void *user;
    /* A part of the text with which the run must fail; NULL: it must not. */
    const char *failure;
    bool is_apart; /* as if the device had memory of its own */
    bool is_half;  /* halves on the device, if no step needs floats */
    /* What came of it: whether they were halves, steps of the plan, and how
     * many wrote a tensor that was compared. */
    bool was_half;
    int steps, compared;
};

/* Runs a graph. Failures are the test's. */
void model_rig_check(struct model_rig_run *run);

#endif /* DNNL_CACHE_TESTS_MODEL_RIG_H */
