/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of primitives: the chain of post-ops.
 */
#ifndef DNNL_CACHE_GPU_ATTRIBUTES_H
#define DNNL_CACHE_GPU_ATTRIBUTES_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct post_op {
    dnnl_primitive_kind_t kind; /* eltwise */
    dnnl_alg_kind_t alg_kind;
    float alpha;
    float beta;
};

struct dnnl_post_ops {
    int count;
    struct post_op ops[DNNL_CACHE_MAX_POST_OPS];
};

struct dnnl_primitive_attr {
    struct dnnl_post_ops post_ops;
};

/* True if alg is an eltwise algorithm of this library and the parameters are
 * in its domain. */
bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta);

/* True if alg is a binary algorithm of two sources. */
static inline bool binary_is_valid(dnnl_alg_kind_t alg)
{
    return alg >= dnnl_binary_add && alg <= dnnl_binary_ne;
}

/* Writes what decides about code and results (number, kinds, algorithms and
 * parameters, in order) to `at`, which has room for post_ops_id_size() bytes,
 * and returns the end. */
uint8_t *post_ops_write_id(const struct dnnl_post_ops *post_ops, uint8_t *at);

static inline size_t post_ops_id_size(const struct dnnl_post_ops *post_ops)
{
    return 4 + 16 * (size_t)post_ops->count;
}

#endif /* DNNL_CACHE_GPU_ATTRIBUTES_H */
