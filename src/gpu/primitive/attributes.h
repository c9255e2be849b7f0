/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of primitives: the chain of post-ops, scales and zero points, and
 * modes that a caller may ask for and get back.
 */
#ifndef DNNL_CACHE_GPU_ATTRIBUTES_H
#define DNNL_CACHE_GPU_ATTRIBUTES_H

#include "src/gpu/memory/memory_desc.h"
#include "src/gpu/primitive/random_attributes.h"
#include "src/gpu/primitive/unused_attributes.h"

/* ---- Post-ops ------------------------------------------------------------ */

/* A depthwise convolution, which no primitive here does. */
struct depthwise {
    dnnl_data_type_t weights_type;
    dnnl_data_type_t bias_type; /* undef: none */
    dnnl_data_type_t dst_type;
    dnnl_dim_t kernel;
    dnnl_dim_t stride;
    dnnl_dim_t padding;
};

/* Kinds use what they need of it; the rest is 0. */
struct post_op {
    dnnl_primitive_kind_t kind; /* eltwise, sum, binary, prelu, convolution */
    dnnl_alg_kind_t alg_kind;   /* eltwise, binary */
    float alpha;                /* eltwise; sum: scale */
    float beta;                 /* eltwise */
    int32_t zero_point;         /* sum */
    dnnl_data_type_t data_type; /* sum: dst's bytes are read as; undef: as is */
    int mask;                   /* prelu: dimensions that weights differ in */
    struct dnnl_memory_desc *src1; /* binary: owned */
    struct dnnl_memory_desc *src2; /* binary, select: the condition; owned */
    struct depthwise depthwise;    /* convolution */
};

struct dnnl_post_ops {
    int count;
    struct post_op *ops; /* owned; room for DNNL_CACHE_MAX_POST_OPS or NULL */
};

/* Forward, an algorithm whose derivative is computed from dst is the one whose
 * derivative is computed from src: gives that. Others are given back. */
dnnl_alg_kind_t eltwise_forward_alg(dnnl_alg_kind_t alg);
/* True if alg is an eltwise algorithm of this library and the parameters are
 * in its domain. */
bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta);
/* True if alg is an operation on two elements. */
bool binary_is_valid(dnnl_alg_kind_t alg);

/* Makes *copy, which is overwritten, equal. Pair with post_ops_fini(). */
dnnl_status_t post_ops_copy(
        struct dnnl_post_ops *copy, const struct dnnl_post_ops *post_ops);
void post_ops_fini(struct dnnl_post_ops *post_ops);

/* ---- Scales and zero points ---------------------------------------------- */

/* What is known beforehand of numbers that execution brings. */
struct quantization {
    int arg;  /* DNNL_ARG_ATTR_SCALES, _ZERO_POINTS or _PRECOMPUTED_REDUCTIONS,
                 with the tensor's */
    int mask; /* dimensions of the tensor that the numbers differ in */
    dnnl_data_type_t data_type;
    bool is_on_host; /* one number, which comes as a host scalar */
    bool is_dynamic; /* a primitive is to compute them: none here does */
    int group_ndims; /* 0: no groups */
    dnnl_dims_t groups;
};

/* How many neighbours along dimension d of a tensor share a number. Groups are
 * given for the last dimensions. */
static inline dnnl_dim_t quantization_group(
        const struct quantization *q, int ndims, int d)
{
    int at = d - (ndims - q->group_ndims);
    return at >= 0 && at < q->group_ndims ? q->groups[at] : 1;
}

/* Does any number go with several elements along a dimension of the mask? */
static inline bool quantization_has_groups(const struct quantization *q)
{
    for (int d = 0; d < q->group_ndims; d++)
        if (q->groups[d] != 1) return true;
    return false;
}

/* ---- Attributes ---------------------------------------------------------- */

struct dnnl_primitive_attr {
    struct dnnl_post_ops post_ops;
    struct quantization *quantizations; /* owned; in order of arg */
    int quantization_count;
    struct random_attributes *random; /* owned; NULL: none was set */
    struct unused_attributes *unused; /* owned; NULL: none was set */
    /* Nothing here computes less exactly for them, so no ID has them. */
    dnnl_fpmath_mode_t fpmath_mode;
    int fpmath_applies_to_int;
    dnnl_accumulation_mode_t accumulation_mode;
    dnnl_scratchpad_mode_t scratchpad_mode;
    int is_deterministic;
};

/* Makes *copy, which is overwritten, equal; NULL is default. Pair with
 * attr_fini(). */
dnnl_status_t attr_copy(struct dnnl_primitive_attr *copy,
        const struct dnnl_primitive_attr *attr);
void attr_fini(struct dnnl_primitive_attr *attr);

/* What is set for an argument (see quantization), or NULL. */
const struct quantization *attr_quantization(
        const struct dnnl_primitive_attr *attr, int arg);

/* Does execution bring a number for this argument as a host scalar? */
bool attr_is_on_host(const struct dnnl_primitive_attr *attr, int arg);

/* True if nothing changes results. */
static inline bool attr_is_default(const struct dnnl_primitive_attr *attr)
{
    return attr == NULL
           || (attr->post_ops.count == 0 && attr->quantization_count == 0
                   && !random_attributes_are_set(attr->random)
                   && unused_attributes_lack(attr->unused) == LACK_NONE);
}

/* Writes what decides about code and results to `at`, which has room for
 * attr_id_size() bytes, and returns the end. */
uint8_t *attr_write_id(const struct dnnl_primitive_attr *attr, uint8_t *at);
size_t attr_id_size(const struct dnnl_primitive_attr *attr);

#endif /* DNNL_CACHE_GPU_ATTRIBUTES_H */
