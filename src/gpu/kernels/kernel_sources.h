/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the kernel sources, generated from src/gpu/kernels. A library
 * without primitives has the probe's only. */
#ifndef DNNL_CACHE_GPU_KERNEL_SOURCES_H
#define DNNL_CACHE_GPU_KERNEL_SOURCES_H

extern const char kernel_probe_cl[];
extern const char kernel_common_cl[];
extern const char kernel_types_cl[];
extern const char kernel_post_ops_cl[];
extern const char kernel_lrn_cl[];
extern const char kernel_matmul_cl[];
extern const char kernel_matmul_row_cl[];
extern const char kernel_matmul_vector_cl[];
extern const char kernel_convolution_cl[];
extern const char kernel_depthwise_cl[];
extern const char kernel_binary_cl[];
extern const char kernel_eltwise_cl[];
extern const char kernel_normalization_cl[];
extern const char kernel_pooling_cl[];
extern const char kernel_random_cl[];
extern const char kernel_reduction_cl[];
extern const char kernel_resampling_cl[];
extern const char kernel_reorder_cl[];
extern const char kernel_rnn_cl[];
extern const char kernel_softmax_cl[];
extern const char kernel_sum_cl[];

#endif /* DNNL_CACHE_GPU_KERNEL_SOURCES_H */
