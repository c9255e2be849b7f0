/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_case.h: the ONNX project's tests in tests/data/onnx, each a model, what
 * it is fed, and what must come out.
 */
#ifndef DNNL_CACHE_TESTS_MODEL_CASE_H
#define DNNL_CACHE_TESTS_MODEL_CASE_H

#include "model/base/failure.h"
#include "model/graph/graph.h"

enum { model_case_most = 8 };

struct model_case {
    struct graph graph;
    /* In the order of the graph's inputs and outputs. */
    struct graph_tensor inputs[model_case_most];
    struct graph_tensor outputs[model_case_most];
};

/* The operator cases exported from PyTorch (folder models), and those that the
 * ONNX project has for each operator (folder nodes). */
enum model_case_kind { model_case_exported = 1, model_case_node = 2 };

/* Reads a model's file with onnx_read_graph(); data of its own lie beside it.
 */
bool onnx_read_model(
        struct graph *graph, const char *path, struct failure *failure);

/* Calls a function for each case of a kind, by name; returns how many there
 * are. */
int model_case_for_each(
        enum model_case_kind kind, void (*function)(const char *name));

/* Reads one, which the caller ends with model_case_fini(). What is wrong is a
 * failure of the running test. */
bool model_case_init(
        struct model_case *c, enum model_case_kind kind, const char *name);
void model_case_fini(struct model_case *c);

#endif /* DNNL_CACHE_TESTS_MODEL_CASE_H */
