/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.h: oneDNN's calls for what this library does not do, so
 * that programs which name them can be linked.
 *
 * These calls create no object. Attributes set here are stored and can be read
 * back. Included by dnnl_cache.h.
 */
#ifndef DNNL_CACHE_ONEDNN_ABSENT_H
#define DNNL_CACHE_ONEDNN_ABSENT_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Matrix products on the host. Always dnnl_unimplemented. (oneDNN) */
dnnl_status_t DNNL_API dnnl_sgemm(char transa, char transb, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda,
        const float *B, dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc);
dnnl_status_t DNNL_API dnnl_gemm_u8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A,
        dnnl_dim_t lda, uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co);
dnnl_status_t DNNL_API dnnl_gemm_s8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A,
        dnnl_dim_t lda, int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co);

/* The instruction set of the host, for which this library generates no code.
 * Changing it is always dnnl_runtime_error. (oneDNN) */
dnnl_status_t DNNL_API dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);
dnnl_cpu_isa_t DNNL_API dnnl_get_effective_cpu_isa(void);
dnnl_status_t DNNL_API dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);
dnnl_cpu_isa_hints_t DNNL_API dnnl_get_cpu_isa_hints(void);

/* Writes generated code to files. Always dnnl_unimplemented. (oneDNN) */
dnnl_status_t DNNL_API dnnl_set_jit_dump(int enable);

/* Reports generated code to profilers. Always dnnl_unimplemented. (oneDNN) */
dnnl_status_t DNNL_API dnnl_set_jit_profiling_flags(unsigned flags);
dnnl_status_t DNNL_API dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/* Sparse tensors. Statuses: dnnl_invalid_arguments (memory_desc NULL), else
 * dnnl_unimplemented. (oneDNN) */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_csr_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
        dnnl_data_type_t pointers_dt);
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_coo_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt);
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_packed_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz);

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_grouped_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, int variable_dim_idx,
        dnnl_dim_t group_count, dnnl_data_type_t offsets_dt);
#endif

/* Does the engine create kernels from binaries? True for an engine of kind
 * dnnl_gpu. (oneDNN, for its tests) */
bool DNNL_API dnnl_impl_gpu_mayiuse_ngen_kernels(dnnl_engine_t engine);

#if DNNL_CACHE_PRIMITIVES

/* Backward primitives and augmented GRU: the kind of each, its call, and what
 * the call takes behind (dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t
 * engine). Statuses of each: dnnl_invalid_arguments (primitive_desc or engine
 * NULL), else dnnl_unimplemented. (oneDNN) */
/* clang-format off */
#define DNNL_CACHE_ABSENT_PRIMITIVES(CALL)                                     \
    CALL(dnnl_eltwise, dnnl_eltwise_backward_primitive_desc_create,            \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t data_desc, float alpha, float beta,       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_softmax, dnnl_softmax_backward_primitive_desc_create,            \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t dst_desc, int softmax_axis,               \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_pooling, dnnl_pooling_backward_primitive_desc_create,            \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const dnnl_dims_t strides, const dnnl_dims_t kernel,               \
            const dnnl_dims_t dilation, const dnnl_dims_t padding_l,           \
            const dnnl_dims_t padding_r,                                       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_lrn, dnnl_lrn_backward_primitive_desc_create,                    \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size,          \
            float alpha, float beta, float k,                                  \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_batch_normalization, dnnl_batch_normalization_backward_primitive_desc_create, \
            dnnl_prop_kind_t prop_kind,                                        \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,  \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_group_normalization, dnnl_group_normalization_backward_primitive_desc_create, \
            dnnl_prop_kind_t prop_kind,                                        \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups,              \
            float epsilon, unsigned flags,                                     \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_layer_normalization, dnnl_layer_normalization_backward_primitive_desc_create, \
            dnnl_prop_kind_t prop_kind,                                        \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t src_desc,                                 \
            const_dnnl_memory_desc_t stat_desc, float epsilon,                 \
            unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_layer_normalization, dnnl_layer_normalization_backward_primitive_desc_create_v2, \
            dnnl_prop_kind_t prop_kind,                                        \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_memory_desc_t src_desc,                                 \
            const_dnnl_memory_desc_t stat_desc,                                \
            dnnl_data_type_t diff_scale_shift_data_type,                       \
            dnnl_data_type_t scale_shift_data_type, float epsilon,             \
            unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_inner_product, dnnl_inner_product_backward_data_primitive_desc_create, \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t weights_desc,                             \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_inner_product, dnnl_inner_product_backward_weights_primitive_desc_create, \
            const_dnnl_memory_desc_t src_desc,                                 \
            const_dnnl_memory_desc_t diff_weights_desc,                        \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_convolution, dnnl_convolution_backward_data_primitive_desc_create, \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t weights_desc,                             \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const dnnl_dims_t strides, const dnnl_dims_t dilates,              \
            const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,          \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_convolution, dnnl_convolution_backward_weights_primitive_desc_create, \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,       \
            const_dnnl_memory_desc_t diff_weights_desc,                        \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const dnnl_dims_t strides, const dnnl_dims_t dilates,              \
            const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,          \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_deconvolution, dnnl_deconvolution_backward_data_primitive_desc_create, \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,  \
            const_dnnl_memory_desc_t weights_desc,                             \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const dnnl_dims_t strides, const dnnl_dims_t dilates,              \
            const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,          \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_deconvolution, dnnl_deconvolution_backward_weights_primitive_desc_create, \
            dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,       \
            const_dnnl_memory_desc_t diff_weights_desc,                        \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const dnnl_dims_t strides, const dnnl_dims_t dilates,              \
            const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,          \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_shuffle, dnnl_shuffle_backward_primitive_desc_create,            \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc, int axis,                  \
            dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,    \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_resampling, dnnl_resampling_backward_primitive_desc_create,      \
            dnnl_alg_kind_t alg_kind, const float *factors,                    \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_prelu, dnnl_prelu_backward_primitive_desc_create,                \
            const_dnnl_memory_desc_t src_desc,                                 \
            const_dnnl_memory_desc_t weights_desc,                             \
            const_dnnl_memory_desc_t diff_src_desc,                            \
            const_dnnl_memory_desc_t diff_weights_desc,                        \
            const_dnnl_memory_desc_t diff_dst_desc,                            \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_vanilla_rnn_backward_primitive_desc_create,            \
            dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t activation,            \
            dnnl_rnn_direction_t direction,                                    \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,       \
            float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,  \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_lstm_backward_primitive_desc_create,                   \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t src_iter_c_desc,                          \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t weights_peephole_desc,                    \
            const_dnnl_memory_desc_t weights_projection_desc,                  \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t dst_iter_c_desc,                          \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_src_iter_c_desc,                     \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_weights_peephole_desc,               \
            const_dnnl_memory_desc_t diff_weights_projection_desc,             \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc,                       \
            const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned flags,     \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_gru_backward_primitive_desc_create,                    \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_lbr_gru_backward_primitive_desc_create,                \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_augru_forward_primitive_desc_create,                   \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t attention_desc,                           \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,            \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_augru_backward_primitive_desc_create,                  \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t attention_desc,                           \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_attention_desc,                      \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_lbr_augru_forward_primitive_desc_create,               \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t attention_desc,                           \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,            \
            const_dnnl_primitive_attr_t attr)                                  \
    CALL(dnnl_rnn, dnnl_lbr_augru_backward_primitive_desc_create,              \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,        \
            const_dnnl_memory_desc_t src_layer_desc,                           \
            const_dnnl_memory_desc_t src_iter_desc,                            \
            const_dnnl_memory_desc_t attention_desc,                           \
            const_dnnl_memory_desc_t weights_layer_desc,                       \
            const_dnnl_memory_desc_t weights_iter_desc,                        \
            const_dnnl_memory_desc_t bias_desc,                                \
            const_dnnl_memory_desc_t dst_layer_desc,                           \
            const_dnnl_memory_desc_t dst_iter_desc,                            \
            const_dnnl_memory_desc_t diff_src_layer_desc,                      \
            const_dnnl_memory_desc_t diff_src_iter_desc,                       \
            const_dnnl_memory_desc_t diff_attention_desc,                      \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                  \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                   \
            const_dnnl_memory_desc_t diff_bias_desc,                           \
            const_dnnl_memory_desc_t diff_dst_layer_desc,                      \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,       \
            const_dnnl_primitive_desc_t hint_fwd_pd,                           \
            const_dnnl_primitive_attr_t attr)
/* clang-format on */

#define DNNL_CACHE_ABSENT_CALL(kind, name, ...)                        \
    dnnl_status_t DNNL_API name(dnnl_primitive_desc_t *primitive_desc, \
            dnnl_engine_t engine, __VA_ARGS__);
DNNL_CACHE_ABSENT_PRIMITIVES(DNNL_CACHE_ABSENT_CALL)
#undef DNNL_CACHE_ABSENT_CALL

/* Attributes that no primitive of this library supports. They are stored,
 * copied and can be read back; a descriptor whose attributes would change
 * anything is rejected with dnnl_unimplemented. */

/* Quantization of the data of recurrent primitives: scale * x + shift; the
 * defaults are 1 and 0. Each output may be NULL. Statuses: dnnl_success;
 * dnnl_invalid_arguments (attr NULL); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift);

/* Quantization of their weights and of projections' weights: count factors,
 * which differ along the dimensions of the mask; the default is one factor, 1.
 * The factors are copied; of factors that begin with DNNL_RUNTIME_F32_VAL only
 * the first is read. The getters return pointers into the attributes, valid
 * until the factors are set again; each output may be NULL. Statuses:
 * dnnl_success; dnnl_invalid_arguments (attr or scales NULL, count below 1,
 * mask below 0); dnnl_out_of_memory. (oneDNN) */
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask,
        const float **scales);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_weights_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
        const float *scales);
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask,
        const float **scales);
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
        const float *scales);

#endif

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_ONEDNN_ABSENT_H */
