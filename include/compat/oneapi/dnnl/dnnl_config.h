/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What oneDNN has in <oneapi/dnnl/dnnl_config.h>: what the library was built
 * for. This one computes with OpenCL; its dnnl_cpu engine is host memory, so
 * that there is no CPU runtime.
 */
#ifndef DNNL_CACHE_COMPAT_DNNL_CONFIG_H
#define DNNL_CACHE_COMPAT_DNNL_CONFIG_H

/* DNNL_RUNTIME_*, DNNL_API. */
#include "dnnl_cache/base.h"

#define DNNL_HELPER_DLL_IMPORT DNNL_API
#define DNNL_HELPER_DLL_EXPORT DNNL_API

#if defined(__GNUC__)
#define DNNL_DEPRECATED __attribute__((deprecated))
#else
#define DNNL_DEPRECATED
#endif

/* Values of DNNL_GPU_VENDOR. */
#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u

#define DNNL_CPU_RUNTIME DNNL_RUNTIME_NONE
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_OCL
#define DNNL_GPU_VENDOR DNNL_VENDOR_GENERIC

/* Which primitives there are: no backward ones. */
#define BUILD_TRAINING 0
#define BUILD_INFERENCE 1
#define BUILD_PRIMITIVE_ALL 0
#define BUILD_BATCH_NORMALIZATION 1
#define BUILD_BINARY 1
#define BUILD_CONCAT 1
#define BUILD_CONVOLUTION 1
#define BUILD_DECONVOLUTION 1
#define BUILD_ELTWISE 1
#define BUILD_GROUP_NORMALIZATION 1
#define BUILD_INNER_PRODUCT 1
#define BUILD_LAYER_NORMALIZATION 1
#define BUILD_LRN 1
#define BUILD_MATMUL 1
#define BUILD_POOLING 1
#define BUILD_PRELU 1
#define BUILD_REDUCTION 1
#define BUILD_REORDER 1
#define BUILD_RESAMPLING 1
#define BUILD_RNN 1
#define BUILD_SDPA 0
#define BUILD_SHUFFLE 1
#define BUILD_SOFTMAX 1
#define BUILD_SUM 1

/* Code for one kind of processor: there is none. */
#define BUILD_PRIMITIVE_CPU_ISA_ALL 0
#define BUILD_SSE41 0
#define BUILD_AVX2 0
#define BUILD_AVX512 0
#define BUILD_AMX 0
#define BUILD_PRIMITIVE_GPU_ISA_ALL 0
#define BUILD_GEN9 0
#define BUILD_GEN11 0
#define BUILD_XELP 0
#define BUILD_XEHP 0
#define BUILD_XEHPG 0
#define BUILD_XEHPC 0
#define BUILD_XE2 0
#define BUILD_XE3 0
#define BUILD_GEMM_KERNELS_ALL 0
#define BUILD_GEMM_KERNELS_NONE 1
#define BUILD_GEMM_SSE41 0
#define BUILD_GEMM_AVX2 0
#define BUILD_GEMM_AVX512 0

#endif /* DNNL_CACHE_COMPAT_DNNL_CONFIG_H */
