/* SPDX-License-Identifier: Apache-2.0 */
/* Plans kernels/convolution.cl, for convolutions and deconvolutions. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_CONVOLUTION_PLAN_H
#define DNNL_CACHE_GPU_PRIMITIVES_CONVOLUTION_PLAN_H

#include "src/gpu/primitive/primitive_desc.h"

/* As in struct primitive_kind. */
dnnl_status_t convolution_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_CONVOLUTION_PLAN_H */
