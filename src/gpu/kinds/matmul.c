/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/product.h"
#include "src/gpu/kinds/staging.h"
#include "src/gpu/memory/data_type.h"

/* ---- Checking ------------------------------------------------------------ */

/* True if the shapes are those of a product, batches repeated where they are
 * 1. */
static bool do_shapes_match(const struct factors *f)
{
    const dnnl_dim_t *src = f->src.dims;
    const dnnl_dim_t *weights = f->weights.dims;
    const dnnl_dim_t *dst = f->dst.dims;
    int ndims = f->dst.ndims;
    if (ndims < 2 || f->src.ndims != ndims || f->weights.ndims != ndims
            || (factors_have_bias(f) && f->bias.ndims != ndims))
        return false;
    int m = ndims - 2;
    int n = ndims - 1;
    if (src[m] != dst[m] || weights[n] != dst[n] || src[n] != weights[m])
        return false;
    for (int d = 0; d < m; d++)
        if ((src[d] != weights[d] && src[d] != 1 && weights[d] != 1)
                || dst[d] != (src[d] == 1 ? weights[d] : src[d]))
            return false;
    for (int d = 0; d < f->bias.ndims; d++)
        if (f->bias.dims[d] != 1 && f->bias.dims[d] != dst[d]) return false;
    return true;
}

/* What execution has told. */
static dnnl_status_t check_again(const struct dnnl_primitive_desc *pd)
{
    struct factors f;
    (void)factors_init(&f, pd_tensor(pd, DNNL_ARG_SRC),
            pd_tensor(pd, DNNL_ARG_WEIGHTS), pd_tensor(pd, DNNL_ARG_BIAS),
            pd_tensor(pd, DNNL_ARG_DST));
    if (!do_shapes_match(&f)) return dnnl_invalid_arguments;
    const enum lack lack = factors_find_misfit(&f);
    return lack == LACK_NONE ? dnnl_success : decline_of(pd, lack);
}

/* Are all shapes known? */
static bool is_known(const struct dnnl_primitive_desc *pd)
{
    for (int t = 0; t < pd->tensor_count; t++)
        if (memory_desc_has_runtime(&pd->tensors[t].md)) return false;
    return true;
}

/* ---- Planning ------------------------------------------------------------ */

static void fill_batch(
        const struct dnnl_primitive_desc *pd, struct matmul_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    for (int d = 0; d < dst->ndims - 2; d++) {
        p->batch[d] = (cl_int)dst->dims[d];
        p->src_batch[d] = factors_stride(src, d);
        p->weights_batch[d] = factors_stride(weights, d);
        p->bias_batch[d] = factors_stride(bias, d);
        p->dst_batch[d] = factors_stride(dst, d);
    }
}

static void fill_matrices(
        const struct dnnl_primitive_desc *pd, struct matmul_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    int m = dst->ndims - 2;
    int n = dst->ndims - 1;
    p->m = (cl_int)dst->dims[m];
    p->n = (cl_int)dst->dims[n];
    p->k = (cl_int)src->dims[n];
    p->src_offset = (cl_int)src->offset0;
    p->src_m = factors_stride(src, m);
    p->src_k = factors_stride(src, n);
    p->weights_offset = (cl_int)weights->offset0;
    p->weights_k = factors_stride(weights, m);
    p->weights_n = factors_stride(weights, n);
    p->bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p->bias_m = factors_stride(bias, m);
    p->bias_n = factors_stride(bias, n);
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_m = factors_stride(dst, m);
    p->dst_n = factors_stride(dst, n);
}

static dnnl_status_t plan_matmul(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct matmul_params p;
    if (pd->has_runtime_dims && is_known(pd)) {
        dnnl_status_t st = check_again(pd);
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
                | uses_dst_zero_points | takes_runtime_dims
                | uses_weights_groups | takes_dropout | takes_rounding};

/* ---- Types --------------------------------------------------------------- */

/* Why the types are not taken; LACK_NONE: they are. As oneDNN does, weights are
 * made floats of only where the attributes say that the floating-point mode
 * applies to integers, too. */
static enum lack find_misfit(const struct factors *f,
        const struct engine_facts *facts,
        const struct dnnl_primitive_attr *attr)
{
    if (!product_has_compressed_weights(f))
        return product_takes_types(f, facts) ? LACK_NONE : LACK_TYPES;
    if (!product_takes_compressed_types(f, facts)) return LACK_TYPES;
    return data_type_is_float(f->src.data_type) && !attr->fpmath_applies_to_int
                   ? LACK_COMPRESSED_MODE
                   : LACK_NONE;
}

/* ---- Creation ------------------------------------------------------------ */

dnnl_status_t dnnl_matmul_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_WEIGHTS, &weights_desc}, {DNNL_ARG_BIAS, &bias_desc},
            {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 4, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_matmul_primitive_desc_create(&staging.operation, engine,
                        src_desc, weights_desc, bias_desc, dst_desc, attr));
    struct factors f;
    struct dnnl_primitive_desc *pd;
    if (primitive_desc == NULL || engine == NULL
            || !factors_init(&f, src_desc, weights_desc, bias_desc, dst_desc))
        return refuse(dnnl_matmul, REFUSAL_NULL);
    if (!do_shapes_match(&f)) return refuse(dnnl_matmul, REFUSAL_DIMS);
    factors_set_plain(&f);
    /* What is not known yet is checked at execution. */
    enum lack lack =
            factors_have_runtime(&f) ? LACK_NONE : factors_find_misfit(&f);
    if (lack != LACK_NONE) return factors_decline(&f, dnnl_matmul, lack);
    dnnl_status_t st = primitive_desc_start(&pd, engine, &matmul_kind, attr);
    if (st != dnnl_success) return st;
    factors_describe(&f, pd);
    lack = find_misfit(&f, pd->facts, &pd->attr);
    if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    return primitive_desc_finish(pd, primitive_desc);
}
