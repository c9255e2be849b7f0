/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer of a transformer's encoder, as BERT has it: what its primitives are
 * described by and executed on. Queries, keys and values are made by one
 * product, and each head's are parts of its result; scores are scaled and
 * masked, and what was fed to a half of the layer is added to its result, by
 * post-ops.
 */
#ifndef DNNL_CACHE_TESTS_API_TRANSFORMER_H
#define DNNL_CACHE_TESTS_API_TRANSFORMER_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct transformer_sizes {
    dnnl_dim_t batch, length; /* texts, words of each */
    dnnl_dim_t heads, width;  /* numbers of a head for a word */
    dnnl_dim_t inner;         /* numbers of a word between the last products */
};

enum transformer_tensor {
    LAYER_NONE, /* an argument that is not there */
    LAYER_SRC,
    LAYER_QKV_WEIGHTS,
    LAYER_QKV_BIAS,
    LAYER_QKV,
    LAYER_QUERIES, /* parts of that */
    LAYER_KEYS,
    LAYER_VALUES,
    LAYER_MASK,
    LAYER_SCORES,
    LAYER_PROBABILITIES,
    LAYER_CONTEXT,
    LAYER_CONTEXT_OF_HEADS, /* the same numbers by heads */
    LAYER_OUT_WEIGHTS,
    LAYER_OUT_BIAS,
    LAYER_ATTENDED,
    LAYER_NORM_SCALE,
    LAYER_NORM_SHIFT,
    LAYER_NORMED,
    LAYER_INNER_WEIGHTS,
    LAYER_INNER_BIAS,
    LAYER_INNER,
    LAYER_OUTER_WEIGHTS,
    LAYER_OUTER_BIAS,
    LAYER_OUTER,
    LAYER_LAST_SCALE,
    LAYER_LAST_SHIFT,
    LAYER_DST,
    LAYER_TENSORS
};

enum { TRANSFORMER_STEPS = 9, TRANSFORMER_MAX_ARGS = 5 };

/* One primitive. Without weights it is a softmax; without dst's product, but
 * with norm, a layer normalization. */
struct transformer_step {
    dnnl_primitive_kind_t kind; /* matmul, softmax, layer normalization */
    enum transformer_tensor src, weights, bias, dst; /* weights, bias: or scale
                                                        and shift */
    bool is_scaled;                                  /* by 1 / sqrt(width) */
    bool has_gelu;                                   /* gelu_erf */
    enum transformer_tensor addend;                  /* of the last post-op */
};

extern const struct transformer_step transformer_steps[TRANSFORMER_STEPS];

/* What scores are multiplied by. */
float transformer_score_scale(const struct transformer_sizes *sizes);
#define TRANSFORMER_EPSILON 1e-5f

/* The tensor's descriptor, which the caller destroys; aborts if it cannot be
 * made. */
dnnl_memory_desc_t transformer_md(
        const struct transformer_sizes *sizes, enum transformer_tensor tensor);

/* The tensor that a part is of; others are their own. */
enum transformer_tensor transformer_whole(enum transformer_tensor tensor);

/* Describes a step's primitive. */
dnnl_status_t transformer_describe(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const struct transformer_sizes *sizes, int step);

/* What a step's primitive is executed on; returns the number of arguments. */
struct transformer_argument {
    int arg;
    enum transformer_tensor tensor;
};
int transformer_arguments(
        int step, struct transformer_argument args[TRANSFORMER_MAX_ARGS]);

#endif /* DNNL_CACHE_TESTS_API_TRANSFORMER_H */
