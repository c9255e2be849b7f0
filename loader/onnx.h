/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx.h: reads a model of ONNX, operator sets 1 to 21, as a graph: with every
 * shape inferred and all that depends on constants computed. Nothing of a file
 * is trusted. What it cannot read is a failure whose text names the file's
 * node, tensor or attribute: bytes that are no model, operators that are not
 * known here, names without a tensor, cycles, shapes that do not fit each other
 * or what the file says of its outputs, more constants than allowed.
 */
#ifndef DNNL_CACHE_LOADER_ONNX_H
#define DNNL_CACHE_LOADER_ONNX_H

#include "graph.h"

enum { onnx_oldest_opset = 1, onnx_newest_opset = 21 };

/* The bytes of a file, which the caller frees. */
bool onnx_read_file(const char *path, uint8_t **bytes, size_t *size,
        struct failure *failure);

/* The folder that a path names a file in, for its external data; the caller
 * frees it. NULL: no memory. */
char *onnx_folder(const char *path);

struct onnx_source {
    const uint8_t *bytes; /* of the model's file, borrowed */
    size_t size;
    const char *folder;      /* in which its external data is, and nowhere else;
                              * NULL if it must not have any */
    uint64_t constant_limit; /* bytes of constants that are computed, which a
                              * small file may ask for many of; 0: 1 GiB.
                              * Those that files have are not counted. */
};

/* Fills in a zeroed graph, which the caller ends with graph_fini(); nothing is
 * in it after a failure. Dimensions of inputs that the file leaves open are 1.
 */
bool onnx_read_graph(struct graph *graph, const struct onnx_source *source,
        struct failure *failure);

#endif /* DNNL_CACHE_LOADER_ONNX_H */
