/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What oneDNN has in <oneapi/dnnl/dnnl_config.h>: what the library was built
 * for. This one computes with OpenCL; its dnnl_cpu engine is host memory, so
 * that there is no CPU runtime.
 */
#ifndef DNNL_CACHE_COMPAT_DNNL_CONFIG_H
#define DNNL_CACHE_COMPAT_DNNL_CONFIG_H

/* DNNL_RUNTIME_*. */
#include "dnnl_cache_types.h"

/* An older name. */
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL

#define DNNL_CPU_RUNTIME DNNL_RUNTIME_NONE
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_OCL

#endif /* DNNL_CACHE_COMPAT_DNNL_CONFIG_H */
