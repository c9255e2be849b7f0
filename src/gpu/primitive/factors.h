/* SPDX-License-Identifier: Apache-2.0 */
/* What is multiplied, and what comes of it: tensors of matmul, inner product
 * and convolution. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_FACTORS_H
#define DNNL_CACHE_GPU_PRIMITIVES_FACTORS_H

#include "src/gpu/primitive/plan.h"

/* What a creation call is given; without a bias, that is the zero descriptor.
 */
struct factors {
    struct dnnl_memory_desc src, weights, bias, dst;
};

/* Copies descriptors; bias may be NULL. False if another is. */
bool factors_init(struct factors *f, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights,
        const struct dnnl_memory_desc *bias,
        const struct dnnl_memory_desc *dst);

static inline bool factors_have_bias(const struct factors *f)
{
    return !memory_desc_is_zero(&f->bias);
}

/* True if something of one is DNNL_RUNTIME_DIM_VAL. */
bool factors_have_runtime(const struct factors *f);

/* Gives each that has layout any a plain one. */
void factors_set_plain(struct factors *f);

/* Tells why, with all of them; returns dnnl_unimplemented. */
dnnl_status_t factors_decline(
        const struct factors *f, dnnl_primitive_kind_t kind, enum lack lack);

/* Why kernels cannot find all elements or write dst; LACK_NONE: they can. */
enum lack factors_find_misfit(const struct factors *f);

/* True if kernels on this device can have tensors of these types. */
bool factors_are_taken(
        const struct factors *f, const struct engine_facts *facts);

/* A stride as kernels have it: 0 where the tensor, if there is one, repeats its
 * one element. */
static inline cl_int factors_stride(const struct dnnl_memory_desc *md, int d)
{
    return md != NULL ? (cl_int)memory_desc_repeated_stride(md, d) : 0;
}

/* Adds the tensors to a descriptor. */
void factors_describe(const struct factors *f, struct dnnl_primitive_desc *pd);

/* True if the weights' scales differ within what is summed up, or by groups:
 * the kernel has to apply them, not the tail. Of a kind that takes them. */
bool factors_scale_weights(const struct dnnl_primitive_desc *pd);

/* True if that is so, or weights or their zero points have half a byte each, or
 * the zero points differ: the kernel unpacks element by element. */
bool factors_unpack_weights(const struct dnnl_primitive_desc *pd);

/* Sets the kernel's memories: src, weights, bias, the zero points of src and
 * weights, scales of weights that the kernel applies, dst; and adds -DSRC,
 * -DWEIGHTS, -DBIAS, -DSRC_ZERO_POINT, -DWEIGHTS_ZERO_POINT, -DWEIGHTS_SCALE
 * and -DDST, their types, of those that there are, -DSRC_ZERO_POINT_BY_CHANNEL
 * and -DWEIGHTS_ZERO_POINT_BY_CHANNEL, -DINTEGER_SUMS if both factors are
 * integers, and -DUNPACK_WEIGHTS if the plan says so. */
dnnl_status_t factors_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_FACTORS_H */
