/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/product.h"

/* ---- Checking ------------------------------------------------------------ */

/* True if the shapes are those of a product, batches repeated where they are
 * 1. */
static bool do_shapes_match(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights,
        const struct dnnl_memory_desc *bias, const struct dnnl_memory_desc *dst)
{
    int ndims = dst->ndims;
    if (ndims < 2 || src->ndims != ndims || weights->ndims != ndims
            || (!memory_desc_is_zero(bias) && bias->ndims != ndims))
        return false;
    int m = ndims - 2;
    int n = ndims - 1;
    if (src->dims[m] != dst->dims[m] || weights->dims[n] != dst->dims[n]
            || src->dims[n] != weights->dims[m])
        return false;
    for (int d = 0; d < m; d++) {
        dnnl_dim_t s = src->dims[d];
        dnnl_dim_t w = weights->dims[d];
        if ((s != w && s != 1 && w != 1) || dst->dims[d] != (s == 1 ? w : s))
            return false;
    }
    for (int d = 0; d < bias->ndims; d++)
        if (bias->dims[d] != 1 && bias->dims[d] != dst->dims[d]) return false;
    return true;
}

static dnnl_status_t check_shapes(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights,
        const struct dnnl_memory_desc *bias, const struct dnnl_memory_desc *dst)
{
    if (!do_shapes_match(src, weights, bias, dst))
        return dnnl_invalid_arguments;
    return memory_desc_fits_int32(src) && memory_desc_fits_int32(weights)
                           && memory_desc_fits_int32(bias)
                           && memory_desc_fits_int32(dst) && plan_can_write(dst)
                   ? dnnl_success
                   : dnnl_unimplemented;
}

static dnnl_status_t check_matmul(const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    return check_shapes(primitive_desc_tensor(pd, DNNL_ARG_SRC),
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS),
            bias != NULL ? bias : &memory_desc_zero,
            primitive_desc_tensor(pd, DNNL_ARG_DST));
}

/* Are all shapes known? */
static bool is_known(const struct dnnl_primitive_desc *pd)
{
    for (int t = 0; t < pd->tensor_count; t++)
        if (memory_desc_has_runtime(&pd->tensors[t].md)) return false;
    return true;
}

/* ---- Planning ------------------------------------------------------------ */

/* A stride, 0 where the tensor repeats its one element. */
static cl_int stride_of(const struct dnnl_memory_desc *md, int d)
{
    return md == NULL || md->dims[d] == 1 ? 0 : (cl_int)md->strides[d];
}

static void fill_batch(
        const struct dnnl_primitive_desc *pd, struct matmul_params *p)
{
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    for (int d = 0; d < dst->ndims - 2; d++) {
        p->batch[d] = (cl_int)dst->dims[d];
        p->src_batch[d] = stride_of(src, d);
        p->weights_batch[d] = stride_of(weights, d);
        p->bias_batch[d] = stride_of(bias, d);
        p->dst_batch[d] = stride_of(dst, d);
    }
}

static void fill_matrices(
        const struct dnnl_primitive_desc *pd, struct matmul_params *p)
{
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    int m = dst->ndims - 2;
    int n = dst->ndims - 1;
    p->m = (cl_int)dst->dims[m];
    p->n = (cl_int)dst->dims[n];
    p->k = (cl_int)src->dims[n];
    p->src_offset = (cl_int)src->offset0;
    p->src_m = stride_of(src, m);
    p->src_k = stride_of(src, n);
    p->weights_offset = (cl_int)weights->offset0;
    p->weights_k = stride_of(weights, m);
    p->weights_n = stride_of(weights, n);
    p->bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p->bias_m = stride_of(bias, m);
    p->bias_n = stride_of(bias, n);
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_m = stride_of(dst, m);
    p->dst_n = stride_of(dst, n);
}

static dnnl_status_t plan_matmul(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct matmul_params p;
    if (pd->has_runtime_dims && is_known(pd)) {
        dnnl_status_t st = check_matmul(pd);
        if (st != dnnl_success) return st;
    }
    product_init(&p);
    fill_matrices(pd, &p);
    fill_batch(pd, &p);
    return product_plan(pd, &p, plan);
}

static const struct primitive_kind matmul_kind = {dnnl_matmul,
        "ocl:matmul:tiled", plan_matmul,
        uses_src_scales | uses_weights_scales | uses_dst_scales
                | uses_src_zero_points | uses_weights_zero_points
                | uses_dst_zero_points | takes_runtime_dims};

/* ---- Creation ------------------------------------------------------------ */

dnnl_status_t dnnl_matmul_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || weights_desc == NULL || dst_desc == NULL)
        return dnnl_invalid_arguments;
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc weights = *weights_desc;
    struct dnnl_memory_desc bias =
            bias_desc != NULL ? *bias_desc : memory_desc_zero;
    struct dnnl_memory_desc dst = *dst_desc;
    bool has_bias = !memory_desc_is_zero(&bias);
    if (!do_shapes_match(&src, &weights, &bias, &dst))
        return dnnl_invalid_arguments;
    memory_desc_set_plain(&src);
    memory_desc_set_plain(&weights);
    memory_desc_set_plain(&bias);
    memory_desc_set_plain(&dst);
    /* What is not known yet is checked at execution. */
    bool is_known = !memory_desc_has_runtime(&src)
                    && !memory_desc_has_runtime(&weights)
                    && !memory_desc_has_runtime(&bias)
                    && !memory_desc_has_runtime(&dst);
    dnnl_status_t st =
            is_known ? check_shapes(&src, &weights, &bias, &dst) : dnnl_success;
    if (st != dnnl_success) return st;

    struct dnnl_primitive_desc *pd;
    st = primitive_desc_start(&pd, engine, &matmul_kind, attr);
    if (st != dnnl_success) return st;
    if (!product_takes_types(pd->facts, &src, &weights, &bias, &dst)) {
        primitive_desc_release(pd);
        return dnnl_unimplemented;
    }
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_WEIGHTS, false, &weights);
    if (has_bias) primitive_desc_add(pd, DNNL_ARG_BIAS, false, &bias);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    return primitive_desc_finish(pd, primitive_desc);
}
