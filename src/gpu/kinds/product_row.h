/* SPDX-License-Identifier: Apache-2.0 */
/* Products of one row, by kernels/matmul_row.cl, for devices whose work-items
 * run one after the other. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_ROW_H
#define DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_ROW_H

#include "src/gpu/kinds/product.h"

/* True if the kernel computes this product, of parameters whose shapes and
 * strides are filled in. */
bool product_is_row(
        const struct dnnl_primitive_desc *pd, const struct matmul_params *p);

/* Plans it; adds the tiles to the parameters. */
dnnl_status_t product_plan_row(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_ROW_H */
