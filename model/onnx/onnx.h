/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx.h: reads a model of ONNX, operator sets 1 to 21, as a graph: with every
 * shape inferred and all that depends on constants computed. Nothing of a file
 * is trusted. What it cannot read is a failure whose text names the file's
 * node, tensor or attribute: bytes that are no model, operators that are not
 * known here, names without a tensor, cycles, shapes that do not fit each other
 * or what the file says of its outputs, more constants than allowed.
 */
#ifndef DNNL_CACHE_MODEL_ONNX_ONNX_H
#define DNNL_CACHE_MODEL_ONNX_ONNX_H

#include "model/graph/graph.h"

enum { onnx_oldest_opset = 1, onnx_newest_opset = 25 };

/* The bytes of a file, which the caller frees. */
bool onnx_read_file(const char *path, uint8_t **bytes, size_t *size,
        struct failure *failure);

/* The folder that a path names a file in, for its external data; the caller
 * frees it. NULL: no memory. */
char *onnx_folder(const char *path);

/* A shape that an input is given. */
struct onnx_shape {
    const char *name; /* the input's */
    struct graph_shape shape;
};

/* An input that is none: each of its elements is this number. */
struct onnx_constant {
    const char *name; /* the input's */
    double value;
};

struct onnx_source {
    const uint8_t *bytes; /* of the model's file, borrowed */
    size_t size;
    const char *folder;      /* in which its external data is, and nowhere else;
                              * NULL if it must not have any */
    uint64_t constant_limit; /* bytes of constants that are computed, which a
                              * small file may ask for many of; 0: 1 GiB.
                              * Those that files have are not counted. */
    int shape_count;
    const struct onnx_shape *shapes; /* borrowed */
    int constant_count;
    const struct onnx_constant *constants; /* borrowed */
    int64_t open_dimension; /* what dimensions are that neither the file nor
                             * `shapes` says; 0: they are a failure */
};

/* Fills in a zeroed graph, which the caller ends with graph_fini(); nothing is
 * in it after a failure. A dimension of an input that the file leaves open is
 * that of `shapes`. One with a symbol is also that of another input's dimension
 * with the same symbol. Of `constants` all names must be inputs'. */
bool onnx_read_graph(struct graph *graph, const struct onnx_source *source,
        struct failure *failure);

/* ---- In two steps -------------------------------------------------------- */

/* A model's message, as it is in the file. */
struct onnx_model;

/* onnx_model_close() ends it; NULL after a failure. Bytes must stay until the
 * graph has been read, or its files have been closed. */
struct onnx_model *onnx_model_open(
        const uint8_t *bytes, size_t size, struct failure *failure);
struct onnx_model *onnx_model_open_file(
        const char *path, struct failure *failure);
void onnx_model_close(struct onnx_model *model); /* NULL is fine */

/* The model's bytes without the numbers of large tensors: two models that have
 * the same ones need the same programs. */
const uint8_t *onnx_model_outline(const struct onnx_model *model, size_t *size);

/* What onnx_read_graph() does, and large weights stay where they are until
 * graph_tensor_read(). The bytes of the source are not looked at. The graph
 * takes small weights out of the model, which can only be closed then. */
bool onnx_model_read_graph(struct graph *graph, struct onnx_model *model,
        const struct onnx_source *source, struct failure *failure);

/* ---- What a file declares ------------------------------------------------ */

struct onnx_dimension {
    int64_t value; /* at least 0; -1: left open */
    char *symbol;  /* of an open one; "" if it has none */
};

/* An input that is no initializer, or an output. */
struct onnx_value {
    char *name;
    int type; /* TensorProto.DataType; 0: not said, or no tensor */
    bool has_shape;
    int ndims;
    struct onnx_dimension *dims;
};

struct onnx_info {
    int64_t opset; /* of the standard operators */
    int64_t ir_version;
    char *producer; /* "" if it is not said */
    size_t node_count;
    size_t parameter_tensors; /* initializers, and Constant nodes of floats */
    uint64_t parameter_count; /* their elements */
    uint64_t parameter_bytes; /* as the file has them, external data, too */
    int input_count;
    struct onnx_value *inputs;
    int output_count;
    struct onnx_value *outputs;
};

/* onnx_info_fini() is due in any case. */
bool onnx_model_describe(struct onnx_info *info, const struct onnx_model *model,
        struct failure *failure);
void onnx_info_fini(struct onnx_info *info);

/* Forgets an input. */
void onnx_info_remove_input(struct onnx_info *info, int index);

/* The number that files have for a type. */
int onnx_type_number(enum graph_type type);
/* "FLOAT"; "UNDEFINED" for numbers that mean nothing. */
const char *onnx_type_name(int type);
#endif /* DNNL_CACHE_MODEL_ONNX_ONNX_H */
