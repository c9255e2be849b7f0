/* SPDX-License-Identifier: Apache-2.0 */
/* primitive_desc.h: operations, described. */
#ifndef DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_H
#define DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What to compute, on which engine, in which layouts. Immutable. The first
 * descriptor of an engine establishes the engine's facts (see
 * dnnl_ocl_interop_engine_get_cache_blob()), which may compile a probe.
 *
 * Every creation call below writes *primitive_desc, which the caller destroys;
 * memory descriptors and attributes are copied; attr NULL is default. Statuses
 * of each: dnnl_success; dnnl_invalid_arguments (NULL; contradicting shapes or
 * types); dnnl_unimplemented (layouts, types, attributes or a kind of engine
 * that this library does not support); dnnl_cache_miss (the probe would have to
 * be compiled in cached-only mode); dnnl_out_of_memory; dnnl_runtime_error.
 */

/* dst[b, m, n] = post_ops(sum over k of src[b, m, k] * weights[b, k, n] +
 * bias[b, m, n]) with 2 to DNNL_MAX_NDIMS dimensions. Batch dimensions of src
 * and weights, and all dimensions of bias, may be 1 and are then broadcast.
 * bias NULL: none. Layouts: any strides; any becomes plain. (oneDNN)
 *
 * Types of src, weights and dst: f32, f32, f32; or f16, f16, and f16, f32, s8
 * or u8; or bf16, bf16, and bf16 or f32; each with a bias of f32, f16 or bf16.
 * Or s8 or u8 for src and weights, and s32, s8, u8, f32, f16 or bf16 for dst
 * and bias. Products of bytes are summed in s32 without rounding: an s32 dst is
 * exact if there is no bias of another type, no post-op and no scale. f16 is
 * supported only where the device stores it. Zero points of src and weights:
 * one for the tensor (mask 0).
 *
 * Dimensions and strides may be DNNL_RUNTIME_DIM_VAL. Then each execution takes
 * them from the descriptors of its memories, and returns dnnl_invalid_arguments
 * if they contradict what is known, or each other. ID, blob and program are the
 * same for all shapes; a program of known shapes is faster. */
dnnl_status_t DNNL_API dnnl_matmul_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* dst[n, o] = post_ops(sum over c, d, h, w of src[n, c, d, h, w] * weights[o,
 * c, d, h, w] + bias[o]), with 0 to 3 spatial dimensions. bias NULL: none.
 * Types: those of dnnl_matmul_primitive_desc_create(). Layouts: any strides.
 * any becomes plain: for src like weights, for weights with o innermost and
 * otherwise like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* Convolution of src [N, IC, (D,) (H,) W] with weights [(G,) OC/G, IC/G, (KD,)
 * (KH,) KW] into dst [N, OC, (OD,) (OH,) OW], with 1 to 3 spatial dimensions.
 * In elements per spatial dimension: strides at least 1, dilates (0 is dense;
 * NULL is all 0), padding_l at least 0, padding_r (NULL: as padding_l) at least
 * minus the stride. All must match dst's shape. bias [OC] or NULL. alg_kind
 * direct or auto.
 *
 * Types: src and weights both f32, f16 or bf16, and dst of that type or f32,
 * or, except for bf16, s8 or u8; bias of that type or f32. Or src s8 or u8,
 * weights s8, and bias and dst of any type: then sums are exact. f16 where the
 * device stores it. Scales of src and dst (mask 0) and of weights (mask 0, or
 * output channels: 1, or 3 with groups). Zero points of src and dst (mask 0, or
 * channels: 2) and of weights (masks as its scales); padding has the value of
 * src's zero point. Layouts: any strides; any becomes plain. (oneDNN) */
dnnl_status_t DNNL_API dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);

/* Deconvolution: each element of src [N, IC, (D,) (H,) W], multiplied by the
 * weights [(G,) OC/G, IC/G, (KD,) (KH,) KW], is added to dst [N, OC, (OD,)
 * (OH,) OW], beginning at the element's position times the strides, minus
 * padding_l. Strides, dilates and paddings are those of the convolution from
 * dst's shape to src's; types and layouts are those of a convolution. alg_kind
 * direct. (oneDNN) */
dnnl_status_t DNNL_API dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr);

/* dst = f(src), element by element; src and dst have one shape and may be one
 * memory. f by alg_kind, with s the source element, a = alpha, b = beta:
 *   relu s>0?s:a*s; tanh; elu s>0?s:a*(e^s-1); square; abs; sqrt; linear a*s+b;
 *   soft_relu ln(1+e^(a*s))/a; hardsigmoid max(0,min(1,a*s+b)); logistic
 *   1/(1+e^-s); exp; gelu_tanh; gelu_erf; swish s/(1+e^(-a*s)); log; clip and
 *   clip_v2 to [a,b]; pow a*s^b; round to nearest even; mish s*tanh(ln(1+e^s));
 *   hardswish s*max(0,min(1,a*s+b)); relu, tanh, elu, sqrt, logistic, exp and
 *   clip_v2 also as _use_dst_for_bwd, which is the same (relu and elu: a >= 0).
 * prop_kind forward_training or forward_inference. Types of src and dst: f32,
 * f16, bf16, s32, s8, u8, any two of them; f is computed in f32, see
 * dnnl_reorder_primitive_desc_create() for the conversions. Layouts: any
 * strides; a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        float alpha, float beta, const_dnnl_primitive_attr_t attr);

/* dst = src in another layout or data type. Floats become integers by rounding
 * to nearest even and saturating, NaN becomes 0; f32 is rounded to nearest even
 * for f16 and bf16. At least one engine is a dnnl_gpu engine. If the other is a
 * dnnl_cpu engine, the reorder runs on a stream of the dnnl_gpu engine, and the
 * host's pointer must stay valid until it has finished. Of two dnnl_gpu engines
 * it runs on a stream of dst_engine; what fills src must have finished before
 * the execution. Layouts: any strides, and blocks, whose padding becomes 0 in
 * dst. Types: f32, f16, bf16, s32, s8, u8 (f16, here and elsewhere, on devices
 * whose compiler accepts half storage). (oneDNN) */
dnnl_status_t DNNL_API dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr);

/* Each element of dst [N, C, (OD,) (OH,) OW] is computed from a window of src
 * [N, C, (D,) (H,) W], with 1 to 3 spatial dimensions. pooling_max: the largest
 * element (NaN if the window contains one; the type's lowest number if it
 * contains only padding). pooling_avg_include_padding: the average over the
 * window, with padding 0. pooling_avg_exclude_padding: the average over the
 * window's elements in src. In elements per spatial dimension: strides and
 * kernel at least 1, dilation (0 is dense; NULL is all 0) and padding_l at
 * least 0, padding_r (NULL: as padding_l) at least -stride. All must match
 * dst's shape; for pooling_avg_exclude_padding each window must reach into src.
 * prop_kind forward_inference or forward_training; the latter with pooling_max
 * also writes DNNL_ARG_WORKSPACE, which dnnl_query_workspace_md describes.
 * Types: f32, f16, bf16, s32, s8 or u8 for src and dst; for inference also s8
 * or u8 on one side and f32, f16, s8 or u8 on the other. Layouts: any strides;
 * a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/* Shuffles src along axis. The C elements there are a matrix with rows of
 * group_size elements (which divides C), and dst is its transpose: element v *
 * (C / group_size) + u of dst is element u * group_size + v of src. src and dst
 * have the same shape and type, f32, f16, bf16, s32, s8 or u8; they must be
 * different memories. prop_kind forward_training or forward_inference. Layouts:
 * any strides; a dst of any becomes like src. No attributes. (oneDNN) */
dnnl_status_t DNNL_API dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr);

/* src reduced over the dimensions that are 1 in dst; the others are src's, and
 * at least one differs. dst is post_ops of, by algorithm, with n elements s:
 * reduction_max, _min (NaN if there is one), _sum, _mul, _mean; and with t the
 * sum of |s|^p, p at least 1: _norm_lp_max max(t, eps)^(1/p), _norm_lp_sum
 * (t + eps)^(1/p), _norm_lp_power_p_max max(t, eps), _norm_lp_power_p_sum
 * t + eps. Of no elements: the lowest or the highest number, 0, 1 or NaN.
 * Types: f32, f16, bf16, s32, s8, u8 for src and dst; computed in f32, but
 * integers are compared as such. Layouts: any strides; a dst of any becomes
 * like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_reduction_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps,
        const_dnnl_primitive_attr_t attr);

/* dst [N, C, (OD,) (OH,) OW] is src [N, C, (D,) (H,) W], of 1 to 3 spatial
 * dimensions, at another resolution. The centre of element o of OW is at c = (o
 * + 0.5) * W / OW - 0.5 among the centres 0 to W - 1 of src's elements.
 * resampling_nearest takes the nearest element, and of two the later.
 * resampling_linear takes the two elements around c in each dimension, weighted
 * by their distance; at the edges only one exists. If dst_desc is NULL, each
 * size is src's times its factor (one per spatial dimension, above 0), rounded
 * down, and type and layout are src's. Otherwise factors is ignored and may be
 * NULL. dnnl_query_factors gives the quotients of the sizes. prop_kind
 * forward_training or forward_inference. Types: f32, f16, bf16, s32, s8, u8 for
 * src and dst; computed in f32. Layouts: any strides; a dst of any becomes like
 * src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* A layer of a recurrent network: for each step t in the order of direction,
 * with W = weights_layer, R = weights_iter, h and c the states before the step
 * (src_iter and src_iter_c, else zeros, at first) and a gate's sum
 * g = W_g * src_layer[t] + R_g * h + bias_g,
 *   vanilla_rnn: h = activation(g): eltwise_relu (below 0: alpha * g),
 *     eltwise_tanh or eltwise_logistic; beta is ignored;
 *   lstm, of gates i, f, c~ and o: c = logistic(f) * c + logistic(i) * tanh(c~)
 *     and h = logistic(o) * tanh(c); a peephole adds to i and f its product
 * with c before the step, to o that with c after it; gru, of gates u, r and o:
 * h = u * h + (1 - u) * tanh(o) with u and r logistic, and in o not R_o * h but
 * R_o * (r * h); lbr_gru: the same with r * (R_o * h + a fourth bias).
 * dst_layer[t] is h; dst_iter and dst_iter_c are the states after the last
 * step. bidirectional_concat has the second direction's h behind the first
 * one's channels, bidirectional_sum adds them.
 *
 * src_layer [T, N, I]; dst_layer [T, N, H], with concat [T, N, 2 * H];
 * weights_layer [1, D, I, G, H], weights_iter [1, D, H, G, H] of D directions
 * and G gates; bias [1, D, G, H] (lbr_gru: 4 for G); weights_peephole
 * [1, D, 3, H]; src_iter, src_iter_c, dst_iter and dst_iter_c [1, D, N, H]. All
 * but src_layer, weights_layer, weights_iter and dst_layer may be NULL, and
 * weights_projection must be. No dimension is 0. flags are
 * dnnl_rnn_flags_undef. prop_kind forward_training or forward_inference; there
 * is no workspace. Types: f32, f16, bf16; computed in f32, in which states go
 * from step to step. Layouts: strides by which T and N of src_layer, and G and
 * H of weights_layer, are one dimension (tnc, ntc; ldigo, ldgoi); others any;
 * those of any become plain (tnc, ldnc, ldigo, ldgo). Execution takes the
 * DNNL_ARG_ of these names. (oneDNN) */
dnnl_status_t DNNL_API dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha,
        float beta, const_dnnl_primitive_attr_t attr);
dnnl_status_t DNNL_API dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);
dnnl_status_t DNNL_API dnnl_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);
dnnl_status_t DNNL_API dnnl_lbr_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/* Along every line of src in the direction of axis (0 to ndims - 1), with s the
 * line's elements and m their maximum, dst is post_ops of
 *   softmax_accurate: e^(s - m) / sum of e^(s - m);
 *   softmax_log: s - m - ln(sum of e^(s - m)).
 * A line with NaN, with infinity, or of nothing but -infinity becomes NaN. src
 * and dst have one shape and may be one memory. prop_kind forward_training or
 * forward_inference. Types: f32, f16, bf16, s8, u8 for src and dst; computed in
 * f32. Scales of src multiply what the softmax gives, before the post-ops.
 * Layouts: any strides; a dst of any becomes like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        int softmax_axis, const_dnnl_primitive_attr_t attr);

/* dst = post_ops(f(src0, src1)), element by element; f by algorithm, with s and
 * t the elements: binary_add s + t, _mul s * t, _max, _min (of a number and
 * NaN, the number), _div s / t, _sub s - t; and the comparisons _ge s >= t,
 * _gt, _le, _lt, _eq, _ne, 1 or 0. Each dimension of dst is that of both
 * sources, or of one where the other has 1 and is repeated. dst may be one
 * memory with a source of its shape and layout. attr may also have scales of
 * DNNL_ARG_SRC_0 and _SRC_1 of mask 0, which multiply s and t. Types: f32, f16,
 * bf16, s32, s8, u8, any three of them; computed in f32. Layouts: any strides;
 * a src1 or dst of any becomes like src0. (oneDNN) */
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/* The same, and binary_select: s where the element of src2 (DNNL_ARG_SRC_2) is
 * not 0, else t. src2 is s8; each of its dimensions is dst's, or 1 and
 * broadcast. For the other algorithms it is NULL or empty. (oneDNN) */
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* dst is src's element if that is above 0, else its product with the element of
 * the weights (DNNL_ARG_WEIGHTS); no post-ops. Each dimension of the weights is
 * that of src, or 1 and broadcast. src and dst have the same shape and may be
 * the same memory. prop_kind forward_training or forward_inference. Types:
 * those of dnnl_binary_primitive_desc_create(). Layouts: any strides; weights
 * or a dst of any become like src. (oneDNN) */
dnnl_status_t DNNL_API dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/* dst is n sources side by side along concat_dimension (0 to ndims - 1), n from
 * 1 to 95. src_descs, an array of n, is copied; source i is executed as
 * DNNL_ARG_MULTIPLE_SRC + i. The sources have the same type and, except in that
 * dimension, the same shape; a source without elements contributes nothing. If
 * dst_desc is NULL, dst has the sources' type; a layout of any becomes like
 * source 0. Types: f32, f16, bf16, s32, s8 or u8; dst may have another of
 * these, and is converted. Scales of sources (DNNL_ARG_MULTIPLE_SRC + i, mask
 * 0). Layouts: any strides. No post-ops. (oneDNN) */
dnnl_status_t DNNL_API dnnl_concat_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr);

/* dst = sum of scales[i] * source i, element by element, for n sources: 1 to
 * 64. scales and src_descs are arrays of n, both copied; source i is executed
 * as DNNL_ARG_MULTIPLE_SRC + i. All sources have dst's shape. If dst_desc is
 * NULL, dst has the type of source 0; a layout of any becomes like source 0.
 * dst and source 0 may be the same memory if type and layout are the same.
 * Types: f32, f16, bf16, s32, s8 or u8, any for each; computed in f32. Layouts:
 * any strides, but about ten different layouts at most. No attributes. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_sum_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr);

/* Local response normalization: dst = post_ops(src * (k + alpha * a)^-beta),
 * where a is the average of the squares in a window of src around the element,
 * (local_size - 1) / 2 elements to both sides. With lrn_across_channels the
 * window extends over the channels of src [N, C, (D,) (H,) (W)], with
 * lrn_within_channel over each of the spatial dimensions. Elements outside src
 * count as 0, and the average divides by local_size (at least 1) for each
 * dimension of the window. prop_kind forward_inference or forward_training; the
 * latter also writes DNNL_ARG_WORKSPACE, which dnnl_query_workspace_md
 * describes. src and dst are different memories. Types: both f32, f16 or bf16;
 * computed in f32. Layouts: any strides; a dst of any becomes like src.
 * (oneDNN) */
dnnl_status_t DNNL_API dnnl_lrn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_attr_t attr);

/*
 * Normalizations: dst = post_ops((src - mean) / sqrt(variance + epsilon) *
 * scale + shift), with the mean and the variance (of the population, not of a
 * sample) of the elements that the kind of normalization combines. flags:
 * dnnl_normalization_flags_t, combined.
 *   use_global_stats: DNNL_ARG_MEAN and DNNL_ARG_VARIANCE are inputs. Without
 *     it, they are outputs for prop_kind forward_training, and not passed for
 *     forward_inference. They are f32; the kind defines their shape.
 *   use_scale, use_shift: DNNL_ARG_SCALE and DNNL_ARG_SHIFT are inputs, f32
 *     unless said otherwise. Without them, scale is 1 and shift 0.
 * Flags that a kind does not name are invalid. src and dst have the same shape,
 * of 2 to 5 dimensions, and may be the same memory; computed in f32. Layouts:
 * any strides; a dst of any becomes like src.
 */

/* Normalizes each channel of src [N, C, (D,) (H,) (W)] over all other
 * dimensions; mean, variance, scale and shift are [C]. At most one of two more
 * flags may be set: fuse_norm_relu turns negative results into 0 before
 * post_ops; fuse_norm_add_relu first adds DNNL_ARG_SRC_1, of dst's type and
 * layout. With either, forward_training also writes DNNL_ARG_WORKSPACE, which
 * dnnl_query_workspace_md describes. Types of src and dst: both f32, f16 or
 * bf16; both s8 for inference with use_global_stats. (oneDNN) */
dnnl_status_t DNNL_API dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/* Normalizes each line of src along its last dimension; scale and shift have
 * the size of that dimension. stat_desc has src's other dimensions, f32 and any
 * strides; a layout of any, or NULL, becomes like src. Types of src and dst,
 * which may differ: f32, f16, bf16, s8, u8. With the flag rms_norm the mean
 * counts as 0, the variance is the mean of squares, and there is no argument
 * for the mean. (oneDNN) */
dnnl_status_t DNNL_API dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/* The same with a type for scale and shift: f32, f16 or bf16. (oneDNN) */
dnnl_status_t DNNL_API
dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/* Splits the channels of src [N, C, (D,) (H,) (W)] into groups of neighbouring
 * channels (groups divides C), and normalizes each group of each batch element.
 * Mean and variance are [N, groups], scale and shift [C]. Types of src and dst,
 * which may differ: f32, f16, bf16, s8, u8. (oneDNN) */
dnnl_status_t DNNL_API dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/* Answers a query (see dnnl_query_t for the type of *result). The descriptor
 * owns what pointers in *result point to. index is 0, except for weights (1 is
 * the bias) and dnnl_query_exec_arg_md (a DNNL_ARG_*). The cache blob ID is
 * computed once; it is empty (size 0, NULL) if the device cannot be identified.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, index);
 * dnnl_unimplemented (a query that does not apply to this primitive); for an ID
 * also dnnl_out_of_memory and dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index, void *result);

/* The memory descriptor that what names: borrowed. An empty descriptor if the
 * primitive does not have it, NULL if what names no memory descriptor. (oneDNN)
 */
const_dnnl_memory_desc_t DNNL_API dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index);

/* The answer to dnnl_query_num_of_inputs_s32 or dnnl_query_num_of_outputs_s32;
 * 0 for another query or primitive_desc NULL. (oneDNN) */
int DNNL_API dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index);

/* dnnl_query_cache_blob_id as one call, with the size query above. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL, buffer too small);
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_get_cache_blob_id(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, uint8_t *id);

/* As dnnl_cache_program_desc_is_cacheable(), for primitives. A primitive
 * without anything to compile (an empty tensor, a copy) is cacheable: its blob
 * has no program. Statuses: as there. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_is_cacheable(
        const_dnnl_primitive_desc_t primitive_desc, int *cacheable,
        const char **reason);

/* As dnnl_cache_program_desc_get_build_log(), for primitives. Statuses: as
 * there. */
dnnl_status_t DNNL_API dnnl_cache_primitive_desc_get_build_log(
        const_dnnl_primitive_desc_t primitive_desc, size_t *size, char *log);

/* Writes another handle of the same descriptor. The caller destroys each
 * handle. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_primitive_desc_t existing_primitive_desc);

/* Always dnnl_last_impl_reached, and the descriptor is unchanged, because every
 * operation has one implementation; dnnl_invalid_arguments for NULL. (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_desc_next_impl(
        dnnl_primitive_desc_t primitive_desc);

/* The attributes that the descriptor was created with, valid as long as the
 * descriptor. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). (oneDNN)
 */
dnnl_status_t DNNL_API dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc,
        const_dnnl_primitive_attr_t *attr);

/* Destroys a descriptor; primitives created from it stay valid. Always
 * dnnl_success. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_desc_destroy(
        dnnl_primitive_desc_t primitive_desc);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_PRIMITIVE_DESC_H */
