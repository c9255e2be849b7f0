/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/product.h"
#include "src/gpu/kinds/staging.h"
#include "src/gpu/primitive/dimensions.h"

/* src has N rows and weights O columns; all other dimensions, which both have,
 * are summed up. */

/* ---- Planning ------------------------------------------------------------ */

/* The longest dimension is a run of products, the others are those of runs. An
 * empty src has no products. */
static void fill_sum(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights, struct matmul_params *p)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    /* All but the rows; in the order of src, which stands for dst. */
    int count = dimensions_find(dims, weights, src, 0);
    int longest = 0;
    int at = MAX_RUN_DIMS;
    /* Dimensions besides an empty one may have a product above 32 bits. */
    if (memory_desc_nelems(src) == 0) return;
    p->k = 1;
    for (int i = 1; i < count; i++)
        if (dims[i].size >= dims[longest].size) longest = i;
    for (int i = count - 1; i >= 0; i--) {
        if (i == longest) {
            p->k = (cl_int)dims[i].size;
            p->src_k = (cl_int)dims[i].dst;
            p->weights_k = (cl_int)dims[i].src[0];
        } else {
            at--;
            p->run_dims[at] = (cl_int)dims[i].size;
            p->src_runs[at] = (cl_int)dims[i].dst;
            p->weights_runs[at] = (cl_int)dims[i].src[0];
            p->runs *= p->run_dims[at];
        }
    }
}

static dnnl_status_t plan_inner_product(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct matmul_params p;
    product_init(&p);
    p.m = (cl_int)dst->dims[0];
    p.n = (cl_int)dst->dims[1];
    fill_sum(src, weights, &p);
    p.src_offset = (cl_int)src->offset0;
    p.src_m = factors_stride(src, 0);
    p.weights_offset = (cl_int)weights->offset0;
    p.weights_n = factors_stride(weights, 0);
    p.bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p.bias_n = factors_stride(bias, 0);
    p.dst_offset = (cl_int)dst->offset0;
    p.dst_m = factors_stride(dst, 0);
    p.dst_n = factors_stride(dst, 1);
    return product_plan(pd, &p, plan);
}

static const struct primitive_kind inner_product_kind = {dnnl_inner_product,
        "ocl:inner_product:tiled", plan_inner_product,
        uses_src_scales | uses_weights_scales | uses_dst_scales
                | uses_src_zero_points | uses_weights_zero_points
                | uses_dst_zero_points};

/* ---- Creation ------------------------------------------------------------ */

enum { MIN_NDIMS = 2, MAX_NDIMS = 5 };

static bool do_shapes_match(const struct factors *f)
{
    if (f->src.ndims < MIN_NDIMS || f->src.ndims > MAX_NDIMS
            || f->weights.ndims != f->src.ndims || f->dst.ndims != 2
            || f->dst.dims[0] != f->src.dims[0]
            || f->dst.dims[1] != f->weights.dims[0])
        return false;
    for (int d = 1; d < f->src.ndims; d++)
        if (f->weights.dims[d] != f->src.dims[d]) return false;
    return !factors_have_bias(f)
           || (f->bias.ndims == 1 && f->bias.dims[0] == f->dst.dims[1]);
}

/* Columns side by side, and their elements in the order of src's rows: what the
 * kernel reads fastest. */
static void set_weights_layout(
        struct dnnl_memory_desc *weights, const struct dnnl_memory_desc *src)
{
    struct dnnl_memory_desc order = *src;
    if (weights->format_kind != dnnl_format_kind_any) return;
    /* Less than any stride of src, which may be 0 or INT64_MAX. */
    order.strides[0] = -1;
    memory_desc_set_like(weights, &order);
}

static void set_layouts(struct factors *f)
{
    if (f->weights.format_kind != dnnl_format_kind_any)
        memory_desc_set_like(&f->src, &f->weights);
    memory_desc_set_plain(&f->src);
    set_weights_layout(&f->weights, &f->src);
    factors_set_plain(f);
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const struct factors *f, const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st =
            primitive_desc_start(&pd, engine, &inner_product_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    factors_describe(f, pd);
    if (!product_takes_types(f, pd->facts))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
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
                dnnl_inner_product_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, src_desc,
                        weights_desc, bias_desc, dst_desc, attr));
    struct factors f;
    if (primitive_desc == NULL || engine == NULL
            || !factors_init(&f, src_desc, weights_desc, bias_desc, dst_desc))
        return refuse(dnnl_inner_product, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_inner_product, REFUSAL_PROP_KIND);
    if (factors_have_runtime(&f))
        return factors_decline(&f, dnnl_inner_product, LACK_RUNTIME);
    if (!do_shapes_match(&f)) return refuse(dnnl_inner_product, REFUSAL_DIMS);
    set_layouts(&f);
    const enum lack lack = factors_find_misfit(&f);
    if (lack != LACK_NONE) return factors_decline(&f, dnnl_inner_product, lack);
    return create(primitive_desc, engine, prop_kind, &f, attr);
}
