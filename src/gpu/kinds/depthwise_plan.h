/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of one input channel a group, by kernels/depthwise.cl, for
 * devices whose work-items run one after the other. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_DEPTHWISE_PLAN_H
#define DNNL_CACHE_GPU_PRIMITIVES_DEPTHWISE_PLAN_H

#include "src/gpu/primitive/primitive_desc.h"

/* True if the kernel computes this convolution. */
bool depthwise_is(const struct dnnl_primitive_desc *pd);

/* Plans it. As in struct primitive_kind. */
dnnl_status_t depthwise_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_DEPTHWISE_PLAN_H */
