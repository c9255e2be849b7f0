/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.h: scales, zero points, post-ops and the like. */
#ifndef DNNL_CACHE_ONEDNN_ATTRIBUTES_H
#define DNNL_CACHE_ONEDNN_ATTRIBUTES_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Only one thread at a time may use attributes and post-op chains while they
 * are changed. Primitive descriptors copy what they need.
 */

/* Creates default attributes. The caller destroys them. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/* Creates equal attributes. The caller destroys them. Statuses as
 * dnnl_primitive_attr_create()'s. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/* Copies a chain of post-ops into the attributes; NULL empties it. Statuses:
 * dnnl_success; dnnl_invalid_arguments (attr NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/* The attributes' own chain, valid until the attributes are changed or
 * destroyed. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/*
 * Scales: an element means element * scale, so that an output is written as
 * result / scale. Zero points: an element means (element - zero point) * scale.
 * The values are given at execution, as DNNL_ARG_ATTR_SCALES | arg and
 * DNNL_ARG_ATTR_ZERO_POINTS | arg. They are dense, with one value for each
 * index of the dimensions of tensor `arg` whose bits are in mask (0: one value
 * for the tensor; bits beyond its dimensions are ignored), the last dimension
 * innermost. The _mask calls take f32
 * scales and s32 zero points; the others take another type, and groups of
 * neighbouring elements that share a value (group_dims, one for each of the
 * last ndims dimensions). Groups of more than one element are supported for the
 * weights of matmul, and have to divide the dimensions.
 *
 * Statuses: dnnl_success; dnnl_invalid_arguments (attr NULL, an impossible
 * argument, mask, group or type); dnnl_out_of_memory. Scales and zero points
 * that a primitive does not support are rejected with dnnl_unimplemented when
 * its descriptor is created. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type);
/* The same for zero points, whose types are s32, s8, u8, s4 or u4. */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/* The same for one number that an execution takes from the host: with
 * is_on_host (mask 0, no groups) the argument is a
 * dnnl_memory_create_host_scalar(). A mode other than
 * dnnl_quantization_mode_static_sazp asks the primitive to compute the scales
 * of its result: none here does. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_v2(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_v3(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host, dnnl_quantization_mode_t qmode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points_v2(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
        int is_on_host);

/* Sums of src or weights that the caller has, by the places that mask and
 * groups say, for zero points of the other factor. Matmul computes these sums
 * anyway and does not read them: the argument
 * DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS of an execution may be given or not.
 * Statuses: as above, also dnnl_invalid_arguments for an argument other than
 * src and weights, and a type other than s32. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_set_precomputed_reductions(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/*
 * Get and set modes. A mode allows an implementation to compute less exactly,
 * in another order, or in memory of the caller. No implementation here does so,
 * and the modes change nothing: every primitive computes in f32 (sums of
 * integers in s32), gives the same bits each time and needs no scratch memory.
 * But matmul multiplies floats by weights that are integers only if
 * apply_to_int allows it. The first two calls get and set the default of new
 * attributes. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such
 * mode). (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode,
        int *apply_to_int);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_deterministic(
        const_dnnl_primitive_attr_t attr, int *value);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_deterministic(
        dnnl_primitive_attr_t attr, int value);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/* Dropout of a matmul's results: between bias and post-ops each is dropped,
 * that is 0, with some probability p, or else divided by 1 - p. The descriptor
 * is that of a mask, of type u8 or s8 and with dst's dimensions and layout
 * (layout any means dst's), which an execution writes: 1 where a result was
 * kept. An execution's further arguments are DNNL_ARG_ATTR_DROPOUT_MASK,
 * DNNL_ARG_ATTR_DROPOUT_PROBABILITY (one f32) and DNNL_ARG_ATTR_DROPOUT_SEED
 * (one s32). The mask depends on seed, probability and the places in dst alone,
 * and is oneDNN's. A descriptor without dimensions, the default, means no
 * dropout. The getter returns the attributes' own descriptor; its mask_desc may
 * be NULL. Statuses: dnnl_success; dnnl_invalid_arguments (NULL);
 * dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/* The same with more of a choice. mask_desc without dimensions: dropout without
 * a mask. seed_dt: s32 or s64. use_offset: a further argument is
 * DNNL_ARG_ATTR_DROPOUT_OFFSET (one s64), the place where the seed's random
 * numbers begin; with offset 0 the mask is that of dnnl_primitive_attr_
 * set_dropout(), of the seed's lower 32 bits. use_host_scalars: probability,
 * seed and offset are dnnl_memory_create_host_scalar(). Outputs of the getter
 * may be NULL; of attributes without dropout seed_dt is dnnl_data_type_undef.
 * Statuses: as above; dnnl_invalid_arguments for another seed_dt. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_dropout_v2(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc,
        dnnl_data_type_t *seed_dt, int *use_offset, int *use_host_scalars);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_dropout_v2(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc,
        dnnl_data_type_t seed_dt, int use_offset, int use_host_scalars);

/* Rounding of an argument; the default is dnnl_rounding_mode_environment, to
 * nearest even. dnnl_rounding_mode_stochastic of DNNL_ARG_DST, which matmul,
 * convolution and reorder take, adds random bits below the last digit that a
 * number of dst's type has, and cuts off what is below that digit. Results stay
 * in the type's range; what is below its smallest normal number becomes 0. The
 * seed is an execution's argument DNNL_ARG_ATTR_ROUNDING_SEED (one s32). As in
 * oneDNN, 8 bits are added for f16 and bf16, which lose 13 and 16, so that
 * results tend towards 0; s8 and u8 get 16 bits, of 17 and 16, and are then
 * rounded to nearest; of f32 only what is not normal changes. Other arguments
 * are those of backward primitives. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such mode, dnnl_rounding_mode_stochastic for
 * an argument other than DNNL_ARG_DST, DNNL_ARG_DIFF_SRC and
 * DNNL_ARG_DIFF_WEIGHTS); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/* Destroys attributes. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/* Creates an empty chain. The caller destroys it. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/* Creates an equal chain. The caller destroys it. Statuses as
 * dnnl_post_ops_create()'s. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/* Appends an element-wise operation. alpha and beta mean what they mean for the
 * algorithm: see dnnl_eltwise_forward_primitive_desc_create(). Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, not an eltwise algorithm,
 * parameters outside the algorithm's domain); dnnl_out_of_memory (the chain has
 * DNNL_CACHE_MAX_POST_OPS already). (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, float alpha, float beta);
#define DNNL_CACHE_MAX_POST_OPS 32

/* Appends result + scale * (previous dst - zero_point). The bytes of dst are
 * read as data_type, which must have the size of dst's type, or as dst's type
 * if data_type is dnnl_data_type_undef. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such type); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops,
        float scale, int32_t zero_point, dnnl_data_type_t data_type);

/* Appends an operation on the result and an element of another tensor, which is
 * passed to execution as DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_SRC_1.
 * The tensor has dst's rank, and each dimension is dst's or 1; layout any means
 * dst's layout. The descriptor is copied. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, not a binary algorithm of two operands,
 * run-time dimensions); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/* The same for operations of three operands: with dnnl_binary_select the result
 * stays where the condition, of type s8, is not 0, and becomes the other
 * tensor's element elsewhere. The condition is passed to execution as
 * DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_SRC_2, has dst's rank, and
 * each dimension is dst's or 1. For operations of two operands src2_desc is not
 * read. A src1_desc of dnnl_memory_desc_create_host_scalar() is one number for
 * all of dst, which execution takes from the host. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc,
        const_dnnl_memory_desc_t src2_desc);

/* Appends result > 0 ? result : result * slope. The slopes are f32 and dense;
 * they have dst's dimensions where mask has the dimension's bit, and 1
 * elsewhere; bits beyond are ignored. They are passed to execution as
 * DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_WEIGHTS. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, mask); dnnl_out_of_memory.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_prelu(
        dnnl_post_ops_t post_ops, int mask);

/* Appends a depthwise convolution of the result. No primitive here supports it,
 * nor does oneDNN's GPU engine: descriptors with it are rejected with
 * dnnl_unimplemented. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL; no such type, or dnnl_data_type_undef for
 * weights or dst; kernel_size or stride_size below 1; padding_l_size not below
 * kernel_size); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
        dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
        dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
        dnnl_dim_t stride_size, dnnl_dim_t padding_l_size);

/* The number of steps (0 for NULL), and the kind of one step
 * (dnnl_undefined_primitive if there is no such step). (oneDNN) */
int DNNL_API dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);
dnnl_primitive_kind_t DNNL_API dnnl_post_ops_get_kind(
        const_dnnl_post_ops_t post_ops, int index);

/* The parameters of a step; each output may be NULL. *src1_desc belongs to the
 * chain. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such step, a
 * step of another kind). (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_get_params_eltwise(
        const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg_kind,
        float *alpha, float *beta);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_sum(
        const_dnnl_post_ops_t post_ops, int index, float *scale,
        int32_t *zero_point, dnnl_data_type_t *data_type);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_binary(
        const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg_kind,
        const_dnnl_memory_desc_t *src1_desc);
/* Without a second tensor *src2_desc is an empty descriptor. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_get_params_binary_v2(
        const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg_kind,
        const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_prelu(
        const_dnnl_post_ops_t post_ops, int index, int *mask);
dnnl_status_t DNNL_API dnnl_post_ops_get_params_dw(
        const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size,
        dnnl_dim_t *stride_size, dnnl_dim_t *padding_l_size);

/* Destroys a chain. Always dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_ATTRIBUTES_H */
