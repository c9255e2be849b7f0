/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/convolution_plan.h"
#include "src/gpu/kinds/staging.h"
#include "src/gpu/kinds/window.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/factors.h"

/* What attributes may do. */
enum {
    quantized = uses_src_scales | uses_weights_scales | uses_dst_scales
                | uses_src_zero_points | uses_weights_zero_points
                | uses_dst_zero_points
};

static const struct primitive_kind convolution_kind = {dnnl_convolution,
        "ocl:convolution:tiled", convolution_plan, quantized | takes_rounding};
static const struct primitive_kind deconvolution_kind = {dnnl_deconvolution,
        "ocl:deconvolution:tiled", convolution_plan, quantized};

/* ---- Checking ------------------------------------------------------------ */

/* The arguments of a creation call, with what may be left out filled in. */
struct problem {
    const struct primitive_kind *kind;
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    int with_groups;
    struct window window;
    struct factors f;
};

/* Do the numbers of channels match? */
static bool do_channels_match(const struct problem *p)
{
    const dnnl_dim_t *w = p->f.weights.dims + p->with_groups;
    dnnl_dim_t groups = p->with_groups ? p->f.weights.dims[0] : 1;
    dnnl_dim_t in;
    dnnl_dim_t out;
    if (groups < 1 || __builtin_mul_overflow(groups, w[0], &out)
            || __builtin_mul_overflow(groups, w[1], &in))
        return false;
    return p->f.src.dims[1] == in && p->f.dst.dims[1] == out
           && p->f.src.dims[0] == p->f.dst.dims[0]
           && (!factors_have_bias(&p->f)
                   || (p->f.bias.ndims == 1 && p->f.bias.dims[0] == out));
}

/* NULL: the arguments agree with each other. */
static const char *find_contradiction(const struct problem *p)
{
    int ndims = p->window.spatial + 2;
    if (p->f.dst.ndims != ndims || p->f.weights.ndims != ndims + p->with_groups)
        return REFUSAL_NDIMS;
    if (!do_channels_match(p)) return REFUSAL_DIMS;
    return window_is_consistent(&p->window) ? NULL : REFUSAL_WINDOW;
}

/* Bytes are summed up as integers, whatever comes of them. */
static bool do_types_match(const struct problem *p)
{
    dnnl_data_type_t src = p->f.src.data_type;
    dnnl_data_type_t weights = p->f.weights.data_type;
    dnnl_data_type_t bias = p->f.bias.data_type;
    dnnl_data_type_t dst = p->f.dst.data_type;
    if (data_type_is_byte(src)) return weights == dnnl_s8;
    return data_type_is_float(src) && weights == src
           && (dst == src || dst == dnnl_f32
                   || (data_type_is_byte(dst) && src != dnnl_bf16))
           && (!factors_have_bias(&p->f) || bias == src || bias == dnnl_f32);
}

/* Distances in memory from src to places in its padding are computed in 32
 * bits, too. Those of a deconvolution are as far as its window reaches. */
static bool do_places_fit(const struct problem *p)
{
    const struct window *w = &p->window;
    const dnnl_dim_t limit = 1 << 29;
    dnnl_dim_t distance = 0;
    if (!window_fits_int32(w)) return false;
    for (int d = 0; d < w->spatial; d++) {
        dnnl_dim_t padding = w->padding_l[d] > w->padding_r[d]
                                     ? w->padding_l[d]
                                     : w->padding_r[d];
        if (p->kind == &deconvolution_kind)
            padding = window_range(w, d) / w->strides[d] + 1;
        dnnl_dim_t more;
        if (__builtin_mul_overflow(padding, p->f.src.strides[2 + d], &more)
                || __builtin_add_overflow(distance, more, &distance)
                || distance > limit)
            return false;
    }
    return true;
}

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct problem *p)
{
    if (!do_types_match(p)) return LACK_TYPES;
    return do_places_fit(p) ? factors_find_misfit(&p->f) : LACK_WINDOW;
}

/* ---- Creation ------------------------------------------------------------ */

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct problem *p,
        const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, p->kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = p->prop_kind;
    pd->alg_kind = p->alg_kind;
    pd->with_groups = p->with_groups;
    window_describe(&p->window, pd);
    factors_describe(&p->f, pd);
    if (!factors_are_taken(&p->f, pd->facts))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}

/* What the caller says of tensors and window, in the order of the interface. */
struct call {
    const_dnnl_memory_desc_t src, weights, bias, dst;
    const dnnl_dim_t *strides, *dilates, *padding_l, *padding_r;
};

/* Fills in a problem of which the kinds are known. */
static dnnl_status_t fill_problem(struct problem *p, const struct call *call)
{
    struct factors *f = &p->f;
    dnnl_primitive_kind_t kind = p->kind->kind;
    if (!factors_init(f, call->src, call->weights, call->bias, call->dst)
            || call->strides == NULL || call->padding_l == NULL)
        return refuse(kind, REFUSAL_NULL);
    if (!plan_is_forward(p->prop_kind)) return refuse(kind, REFUSAL_PROP_KIND);
    p->with_groups = f->weights.ndims == f->src.ndims + 1;
    if (factors_have_runtime(f)) return factors_decline(f, kind, LACK_RUNTIME);
    if (!window_set(&p->window, f->src.ndims - 2, call->strides, call->dilates,
                call->padding_l, call->padding_r))
        return refuse(kind, REFUSAL_NDIMS);
    /* What a deconvolution makes is what its window would slide over. */
    bool is_back = p->kind == &deconvolution_kind;
    const struct dnnl_memory_desc *image = is_back ? &f->dst : &f->src;
    const struct dnnl_memory_desc *out = is_back ? &f->src : &f->dst;
    window_set_sizes(&p->window, image->dims + 2, out->dims + 2,
            f->weights.dims + 2 + p->with_groups);
    const char *why = find_contradiction(p);
    if (why != NULL) return refuse(kind, why);
    factors_set_plain(f);
    const enum lack lack = find_unsupported(p);
    return lack != LACK_NONE ? factors_decline(f, kind, lack) : dnnl_success;
}

static dnnl_status_t describe(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct primitive_kind *kind,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const struct call *call, const_dnnl_primitive_attr_t attr)
{
    const bool is_back = kind == &deconvolution_kind;
    const dnnl_alg_kind_t direct =
            is_back ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    const dnnl_alg_kind_t winograd =
            is_back ? dnnl_deconvolution_winograd : dnnl_convolution_winograd;
    struct problem p = {
            .kind = kind, .prop_kind = prop_kind, .alg_kind = direct};
    if (primitive_desc == NULL || engine == NULL)
        return refuse(kind->kind, REFUSAL_NULL);
    if (alg_kind != direct && alg_kind != winograd)
        return refuse(kind->kind, REFUSAL_ALG_KIND);
    dnnl_status_t st = fill_problem(&p, call);
    if (st != dnnl_success) return st;
    if (alg_kind == winograd)
        return factors_decline(&p.f, kind->kind, LACK_WINOGRAD);
    return create(primitive_desc, engine, &p, attr);
}

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_WEIGHTS, &weights_desc}, {DNNL_ARG_BIAS, &bias_desc},
            {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 4, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_convolution_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, alg_kind,
                        src_desc, weights_desc, bias_desc, dst_desc, strides,
                        dilates, padding_l, padding_r, attr));
    const struct call call = {src_desc, weights_desc, bias_desc, dst_desc,
            strides, dilates, padding_l, padding_r};
    if (alg_kind == dnnl_convolution_auto) alg_kind = dnnl_convolution_direct;
    return describe(primitive_desc, engine, &convolution_kind, prop_kind,
            alg_kind, &call, attr);
}

dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_WEIGHTS, &weights_desc}, {DNNL_ARG_BIAS, &bias_desc},
            {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 4, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_deconvolution_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, alg_kind,
                        src_desc, weights_desc, bias_desc, dst_desc, strides,
                        dilates, padding_l, padding_r, attr));
    const struct call call = {src_desc, weights_desc, bias_desc, dst_desc,
            strides, dilates, padding_l, padding_r};
    return describe(primitive_desc, engine, &deconvolution_kind, prop_kind,
            alg_kind, &call, attr);
}
