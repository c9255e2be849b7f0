/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/product.h"

/* src has N rows and weights O columns; all other dimensions, which both have,
 * are summed up. */

/* ---- Planning ------------------------------------------------------------ */

/* A stride, 0 where the tensor repeats its one element. */
static cl_int stride_of(const struct dnnl_memory_desc *md, int d)
{
    return md == NULL || md->dims[d] == 1 ? 0 : (cl_int)md->strides[d];
}

/* A dimension that is summed up. */
struct sum_dim {
    dnnl_dim_t size;
    dnnl_dim_t src;
    dnnl_dim_t weights;
};

/* The dimensions of more than one element, those with large strides in src
 * first, those that follow each other in both tensors as one. Returns their
 * number. */
static int find_sum_dims(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights,
        struct sum_dim dims[DNNL_MAX_NDIMS])
{
    int count = 0;
    int left = 0;
    for (int d = 1; d < src->ndims; d++) {
        int i = count;
        if (src->dims[d] == 1) continue;
        for (; i > 0 && dims[i - 1].src < src->strides[d]; i--)
            dims[i] = dims[i - 1];
        dims[i] = (struct sum_dim){
                src->dims[d], src->strides[d], weights->strides[d]};
        count++;
    }
    for (int i = 0; i < count; i++) {
        struct sum_dim *outer = &dims[left > 0 ? left - 1 : 0];
        const struct sum_dim inner = dims[i];
        if (left > 0 && outer->src == inner.size * inner.src
                && outer->weights == inner.size * inner.weights) {
            outer->size *= inner.size;
            outer->src = inner.src;
            outer->weights = inner.weights;
        } else {
            dims[left++] = inner;
        }
    }
    return left;
}

/* The longest dimension is a run of products, the others are those of runs. */
static void fill_sum(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights, struct matmul_params *p)
{
    struct sum_dim dims[DNNL_MAX_NDIMS];
    int count = find_sum_dims(src, weights, dims);
    int longest = 0;
    int at = MAX_RUN_DIMS;
    p->k = 1;
    for (int i = 1; i < count; i++)
        if (dims[i].size >= dims[longest].size) longest = i;
    for (int i = count - 1; i >= 0; i--) {
        if (i == longest) {
            p->k = (cl_int)dims[i].size;
            p->src_k = (cl_int)dims[i].src;
            p->weights_k = (cl_int)dims[i].weights;
        } else {
            at--;
            p->run_dims[at] = (cl_int)dims[i].size;
            p->src_runs[at] = (cl_int)dims[i].src;
            p->weights_runs[at] = (cl_int)dims[i].weights;
            p->runs *= p->run_dims[at];
        }
    }
}

static dnnl_status_t plan_inner_product(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    struct matmul_params p;
    product_init(&p);
    p.m = (cl_int)dst->dims[0];
    p.n = (cl_int)dst->dims[1];
    fill_sum(src, weights, &p);
    p.src_offset = (cl_int)src->offset0;
    p.src_m = stride_of(src, 0);
    p.weights_offset = (cl_int)weights->offset0;
    p.weights_n = stride_of(weights, 0);
    p.bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p.bias_n = stride_of(bias, 0);
    p.dst_offset = (cl_int)dst->offset0;
    p.dst_m = stride_of(dst, 0);
    p.dst_n = stride_of(dst, 1);
    return product_plan(pd, &p, plan);
}

static const struct primitive_kind inner_product_kind = {dnnl_inner_product,
        "ocl:inner_product:tiled", plan_inner_product,
        uses_src_scales | uses_weights_scales | uses_dst_scales
                | uses_src_zero_points | uses_weights_zero_points
                | uses_dst_zero_points};

/* ---- Creation ------------------------------------------------------------ */

struct problem {
    struct dnnl_memory_desc src, weights, bias, dst;
};

enum { MIN_NDIMS = 2, MAX_NDIMS = 5 };

static bool do_shapes_match(const struct problem *p)
{
    if (p->src.ndims < MIN_NDIMS || p->src.ndims > MAX_NDIMS
            || p->weights.ndims != p->src.ndims || p->dst.ndims != 2
            || p->dst.dims[0] != p->src.dims[0]
            || p->dst.dims[1] != p->weights.dims[0])
        return false;
    for (int d = 1; d < p->src.ndims; d++)
        if (p->weights.dims[d] != p->src.dims[d]) return false;
    return memory_desc_is_zero(&p->bias)
           || (p->bias.ndims == 1 && p->bias.dims[0] == p->dst.dims[1]);
}

/* Columns side by side, and their elements in the order of src's rows: what the
 * kernel reads fastest. */
static void set_weights_layout(
        struct dnnl_memory_desc *weights, const struct dnnl_memory_desc *src)
{
    struct dnnl_memory_desc order = *src;
    if (weights->format_kind != dnnl_format_kind_any) return;
    for (int d = 1; d < src->ndims; d++)
        order.strides[d]++;
    order.strides[0] = 0;
    memory_desc_set_like(weights, &order);
}

static void set_layouts(struct problem *p)
{
    if (p->weights.format_kind != dnnl_format_kind_any)
        memory_desc_set_like(&p->src, &p->weights);
    memory_desc_set_plain(&p->src);
    set_weights_layout(&p->weights, &p->src);
    memory_desc_set_plain(&p->bias);
    memory_desc_set_plain(&p->dst);
}

static bool do_sizes_fit(const struct problem *p)
{
    return memory_desc_fits_int32(&p->src)
           && memory_desc_fits_int32(&p->weights)
           && memory_desc_fits_int32(&p->bias)
           && memory_desc_fits_int32(&p->dst) && plan_can_write(&p->dst);
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const struct problem *p, const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st =
            primitive_desc_start(&pd, engine, &inner_product_kind, attr);
    if (st != dnnl_success) return st;
    if (!product_takes_types(
                pd->facts, &p->src, &p->weights, &p->bias, &p->dst)) {
        primitive_desc_release(pd);
        return dnnl_unimplemented;
    }
    pd->prop_kind = prop_kind;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &p->src);
    primitive_desc_add(pd, DNNL_ARG_WEIGHTS, false, &p->weights);
    if (!memory_desc_is_zero(&p->bias))
        primitive_desc_add(pd, DNNL_ARG_BIAS, false, &p->bias);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &p->dst);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    struct problem p;
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || weights_desc == NULL || dst_desc == NULL
            || !plan_is_forward(prop_kind))
        return dnnl_invalid_arguments;
    p.src = *src_desc;
    p.weights = *weights_desc;
    p.bias = bias_desc != NULL ? *bias_desc : memory_desc_zero;
    p.dst = *dst_desc;
    if (memory_desc_has_runtime(&p.src) || memory_desc_has_runtime(&p.weights)
            || memory_desc_has_runtime(&p.bias)
            || memory_desc_has_runtime(&p.dst))
        return dnnl_unimplemented;
    if (!do_shapes_match(&p)) return dnnl_invalid_arguments;
    set_layouts(&p);
    if (!do_sizes_fit(&p)) return dnnl_unimplemented;
    return create(primitive_desc, engine, prop_kind, &p, attr);
}
