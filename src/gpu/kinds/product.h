/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, by kernels/matmul.cl: matmul and inner product. All
 * functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_H
#define DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_H

#include "src/gpu/primitive/factors.h"

enum { MAX_BATCH_DIMS = DNNL_MAX_NDIMS - 2, MAX_RUN_DIMS = 3 };

/* Mirror the structs of these names in kernels/matmul.cl. */
struct matmul_numbers {
    cl_int group_k, group_n;
    cl_int k, n;
    cl_int batch[MAX_BATCH_DIMS];
};

struct matmul_params {
    cl_int tiles;
    cl_int tiles_n;
    cl_int tiles_mn;
    cl_int m;
    cl_int n;
    cl_int k;
    cl_int src_offset, src_m, src_k;
    cl_int weights_offset, weights_k, weights_n;
    cl_int bias_offset, bias_m, bias_n;
    cl_int dst_offset, dst_m, dst_n;
    cl_int batch[MAX_BATCH_DIMS];
    cl_int src_batch[MAX_BATCH_DIMS];
    cl_int weights_batch[MAX_BATCH_DIMS];
    cl_int bias_batch[MAX_BATCH_DIMS];
    cl_int dst_batch[MAX_BATCH_DIMS];
    cl_int runs;
    cl_int run_dims[MAX_RUN_DIMS];
    cl_int src_runs[MAX_RUN_DIMS];
    cl_int weights_runs[MAX_RUN_DIMS];
    /* From here on only of kernels that unpack weights. */
    struct matmul_numbers zero;
    struct matmul_numbers scale;
};

/* Parameters of no batch and one run, shapes and strides to be filled in. */
void product_init(struct matmul_params *p);

/* True if src and weights are of types that the kernel multiplies on this
 * device, and bias and dst of such that it adds and makes of the sums: both
 * factors of one float type, or bytes. */
bool product_takes_types(
        const struct factors *f, const struct engine_facts *facts);

/* True if weights are compressed: integers that are multiplied by floats, or of
 * half a byte. Only matmul has them. */
bool product_has_compressed_weights(const struct factors *f);
/* The same question as product_takes_types() for those. */
bool product_takes_compressed_types(
        const struct factors *f, const struct engine_facts *facts);

/* Plans the product of the descriptor's src and weights into dst: parameters
 * with shapes and strides, to which the tiles are added. */
dnnl_status_t product_plan(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct primitive_plan *plan);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PRODUCT_H */
