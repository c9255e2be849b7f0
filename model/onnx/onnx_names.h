/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_names.h: which tensor a name of the file stands for. All names that
 * the file defines are known from the beginning, so that a name is never given
 * to two things, and the nodes can be put in order.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_NAMES_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_NAMES_H

#include "model/base/failure.h"

struct name;

/* What a name stands for. */
struct name_facts {
    int node;       /* of the file, which defines it; graph_none */
    int tensor;     /* graph_none until it is there */
    bool is_output; /* the graph's outputs name it */
};

/* Adds a name, which is copied; false if it is there already (no failure) or
 * when out of memory (a failure). */
bool names_add(struct name **names, const char *name, int node,
        struct failure *failure);

/* NULL if there is none such; valid until the next is added. */
struct name_facts *names_find(struct name *names, const char *name);

/* Gives all of them back. */
void names_fini(struct name **names);

#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_NAMES_H */
