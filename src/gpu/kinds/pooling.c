/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/staging.h"
#include "src/gpu/kinds/window.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/plan.h"

#include <string.h>

/* Mirrors the struct of this name in kernels/pooling.cl. */
struct pooling_params {
    cl_int results;
    cl_int channels;
    struct window_params window;
    cl_int src_offset, src_n, src_c, src[SPATIAL];
    cl_int dst_offset, dst_n, dst_c, dst[SPATIAL];
    cl_int workspace_offset, workspace_n, workspace_c, workspace[SPATIAL];
    cl_int lines;
    cl_int vector_end;
};

/* Elements of the kernel's vectors; the fewest of a line that gain by them. */
enum { VECTOR = 16, SHORTEST_LINE = 4 };

/* ---- Planning ------------------------------------------------------------ */

/* Lines: see the kernel. Elements that lie side by side make one. */
static int find_line_axis(const struct dnnl_memory_desc *dst)
{
    return plan_has_channels_inner(dst) ? 1 : dst->ndims - 1;
}

static bool has_lines(const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const int axis = find_line_axis(dst);
    return !plan_is_gpu_like(pd->facts)
           && pd_tensor(pd, DNNL_ARG_WORKSPACE) == NULL
           && dst->dims[axis] >= SHORTEST_LINE && src->strides[axis] == 1
           && dst->strides[axis] == 1;
}

/* Vectors may read beside what they are for, if that is of src: what lies in
 * gaps may be written meanwhile. */
static void fill_lines(
        const struct dnnl_primitive_desc *pd, struct pooling_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const int axis = find_line_axis(dst);
    const int64_t stride = axis == 1 ? 1 : p->window.stride[X];
    const int64_t end = memory_desc_nelems(src) - (VECTOR - 1) * stride;
    p->lines = dst->dims[axis] > 0 ? p->results / (cl_int)dst->dims[axis] : 0;
    p->vector_end = memory_desc_is_dense(src) && end > 0 ? (cl_int)end : 0;
}

static void fill_params(
        const struct dnnl_primitive_desc *pd, struct pooling_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct dnnl_memory_desc *workspace =
            pd_tensor(pd, DNNL_ARG_WORKSPACE);
    memset(p, 0, sizeof *p);
    p->results = (cl_int)memory_desc_nelems(dst);
    p->channels = (cl_int)dst->dims[1];
    p->src_offset = (cl_int)src->offset0;
    p->src_n = (cl_int)src->strides[0];
    p->src_c = (cl_int)src->strides[1];
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_n = (cl_int)dst->strides[0];
    p->dst_c = (cl_int)dst->strides[1];
    window_fill(&p->window, pd, src->dims + 2, dst->dims + 2, pd->kernel);
    window_fill_strides(p->src, pd->spatial, src->strides + 2);
    window_fill_strides(p->dst, pd->spatial, dst->strides + 2);
    fill_lines(pd, p);
    if (workspace == NULL) return;
    p->workspace_offset = (cl_int)workspace->offset0;
    p->workspace_n = (cl_int)workspace->strides[0];
    p->workspace_c = (cl_int)workspace->strides[1];
    window_fill_strides(p->workspace, pd->spatial, workspace->strides + 2);
}

static dnnl_status_t add_options(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory_desc *workspace, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    dnnl_status_t st = plan_add_types(plan, pd_tensor(pd, DNNL_ARG_SRC), dst);
    if (st == dnnl_success && pd->alg_kind == dnnl_pooling_max)
        st = plan_add_option(plan, "-DMAX");
    if (st == dnnl_success && pd->alg_kind == dnnl_pooling_avg_include_padding)
        st = plan_add_option(plan, "-DINCLUDE_PADDING");
    if (st == dnnl_success && workspace != NULL)
        st = plan_add_type(plan, "WORKSPACE", workspace->data_type);
    if (st == dnnl_success) st = plan_add_channels_inner(plan, dst);
    if (st == dnnl_success && has_lines(pd))
        st = plan_add_option(plan, "-DLINES");
    if (st == dnnl_success) st = plan_add_tail(plan, pd);
    return st;
}

static dnnl_status_t plan_pooling(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *workspace =
            pd_tensor(pd, DNNL_ARG_WORKSPACE);
    struct pooling_params p;
    fill_params(pd, &p);
    plan_set_kernel(plan, "pooling", kernel_pooling_cl);
    plan_set_params(plan, &p, sizeof p);
    plan->memories[plan->memory_count++] = DNNL_ARG_SRC;
    if (workspace != NULL)
        plan->memories[plan->memory_count++] = DNNL_ARG_WORKSPACE;
    plan->memories[plan->memory_count++] = DNNL_ARG_DST;
    dnnl_status_t st = has_lines(pd) ? plan_set_groups(plan, 1, (size_t)p.lines)
                                     : plan_set_elements(plan, pd->facts,
                                             (size_t)p.results);
    return st == dnnl_success ? add_options(pd, workspace, plan) : st;
}

static const struct primitive_kind pooling_kind = {
        dnnl_pooling, "ocl:pooling:simple", plan_pooling, 0};

/* ---- Checking ------------------------------------------------------------ */

/* The arguments of a creation call, with what may be left out filled in. */
struct problem {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    struct window window;
    struct dnnl_memory_desc src, dst;
};

/* An average of what is in src needs some of src in every window. */
static bool has_taps_inside(const struct window *w)
{
    for (int d = 0; d < w->spatial; d++)
        if (w->padding_l[d] >= window_range(w, d)
                || w->padding_r[d] >= window_range(w, d)
                || w->dilates[d] >= w->in[d])
            return false;
    return true;
}

static bool is_consistent(const struct problem *p)
{
    if (p->dst.ndims != p->src.ndims || p->dst.dims[0] != p->src.dims[0]
            || p->dst.dims[1] != p->src.dims[1])
        return false;
    return window_is_consistent(&p->window)
           && (p->alg_kind != dnnl_pooling_avg_exclude_padding
                   || has_taps_inside(&p->window));
}

static bool is_convertible(dnnl_data_type_t type)
{
    return type == dnnl_f32 || type == dnnl_f16 || data_type_is_byte(type);
}

static bool do_types_match(const struct problem *p)
{
    dnnl_data_type_t src = p->src.data_type;
    dnnl_data_type_t dst = p->dst.data_type;
    if (src == dst) return true;
    return p->prop_kind == dnnl_forward_inference
           && (data_type_is_byte(src) || data_type_is_byte(dst))
           && is_convertible(src) && is_convertible(dst);
}

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct problem *p)
{
    if (!do_types_match(p)) return LACK_TYPES;
    return window_fits_int32(&p->window) ? plan_find_misfits(&p->src, &p->dst)
                                         : LACK_WINDOW;
}

/* ---- Creation ------------------------------------------------------------ */

static bool keeps_taps(dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind)
{
    return prop_kind == dnnl_forward_training && alg_kind == dnnl_pooling_max;
}

/* Do the numbers of a window's taps fit a byte? Nobody has checked it yet. */
static bool are_taps_few(const dnnl_dims_t kernel, int spatial)
{
    dnnl_dim_t taps = 1;
    for (int d = 0; d < spatial; d++)
        if (kernel[d] < 0 || kernel[d] > UINT8_MAX + 1
                || (taps *= kernel[d]) > UINT8_MAX + 1)
            return false;
    return true;
}

/* Numbers of taps, laid out as dst is, with its blocks and without its gaps. */
static void make_workspace(const struct dnnl_memory_desc *dst,
        const dnnl_dims_t kernel, struct dnnl_memory_desc *workspace)
{
    *workspace = *dst;
    workspace->data_type =
            are_taps_few(kernel, dst->ndims - 2) ? dnnl_u8 : dnnl_s32;
    workspace->format_kind = dnnl_format_kind_any;
    workspace->offset0 = 0;
    memory_desc_set_like(workspace, dst);
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct problem *p,
        const_dnnl_memory_desc_t workspace_desc,
        const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    struct dnnl_memory_desc workspace;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &pooling_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = p->prop_kind;
    pd->alg_kind = p->alg_kind;
    window_describe(&p->window, pd);
    memcpy(pd->kernel, p->window.kernel, sizeof pd->kernel);
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &p->src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &p->dst);
    if (!plan_takes_types(pd->facts, &p->src, &p->dst))
        return primitive_desc_decline(pd, LACK_TYPES);
    if (keeps_taps(p->prop_kind, p->alg_kind)) {
        make_workspace(&p->dst, p->window.kernel, &workspace);
        if (workspace_desc != NULL) workspace = *workspace_desc;
        primitive_desc_add(pd, DNNL_ARG_WORKSPACE, true, &workspace);
        const enum lack lack = plan_find_misfit(&workspace);
        if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    }
    return primitive_desc_finish(pd, primitive_desc);
}

/* What a call has besides tensors and attributes. */
struct call {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    const dnnl_dim_t *strides, *kernel, *dilation, *padding_l, *padding_r;
};

/* workspace_desc: where the taps go; NULL: as dst's layout says. */
static dnnl_status_t describe(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct call *call,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t workspace_desc,
        const_dnnl_primitive_attr_t attr)
{
    struct problem p;
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL || call->strides == NULL || call->kernel == NULL
            || call->padding_l == NULL)
        return refuse(dnnl_pooling, REFUSAL_NULL);
    if (!plan_is_forward(call->prop_kind))
        return refuse(dnnl_pooling, REFUSAL_PROP_KIND);
    if (call->alg_kind != dnnl_pooling_max
            && call->alg_kind != dnnl_pooling_avg_include_padding
            && call->alg_kind != dnnl_pooling_avg_exclude_padding)
        return refuse(dnnl_pooling, REFUSAL_ALG_KIND);
    p.prop_kind = call->prop_kind;
    p.alg_kind = call->alg_kind;
    p.src = *src_desc;
    p.dst = *dst_desc;
    if (memory_desc_has_runtime(&p.src) || memory_desc_has_runtime(&p.dst))
        return decline_pair(dnnl_pooling, LACK_RUNTIME, &p.src, &p.dst);
    if (!window_set(&p.window, p.src.ndims - 2, call->strides, call->dilation,
                call->padding_l, call->padding_r))
        return refuse(dnnl_pooling, REFUSAL_NDIMS);
    if (p.src.format_kind == dnnl_format_kind_any)
        return refuse(dnnl_pooling, REFUSAL_ANY);
    window_set_sizes(&p.window, p.src.dims + 2, p.dst.dims + 2, call->kernel);
    if (!is_consistent(&p)) return refuse(dnnl_pooling, REFUSAL_WINDOW);
    memory_desc_set_like(&p.dst, &p.src);
    const enum lack lack = find_unsupported(&p);
    if (lack != LACK_NONE)
        return decline_pair(dnnl_pooling, lack, &p.src, &p.dst);
    return create(primitive_desc, engine, &p, workspace_desc, attr);
}

/* Oddities of the arguments are refused later. */
static bool has_blocked_taps(
        const struct call *call, const struct dnnl_memory_desc *dst)
{
    return keeps_taps(call->prop_kind, call->alg_kind) && dst != NULL
           && call->kernel != NULL && dst->format_kind == dnnl_blocked
           && dst->inner_nblks > 0 && dst->ndims <= 2 + SPATIAL
           && memory_desc_fits_int32(dst);
}

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr)
{
    const struct call call = {prop_kind, alg_kind, strides, kernel, dilation,
            padding_l, padding_r};
    struct staging staging;
    struct dnnl_memory_desc workspace;
    const_dnnl_memory_desc_t workspace_desc = NULL;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_DST, &dst_desc}, {DNNL_ARG_WORKSPACE, &workspace_desc}};
    if (has_blocked_taps(&call, dst_desc)) {
        make_workspace(dst_desc, kernel, &workspace);
        workspace_desc = &workspace;
    }
    if (staging_begin(&staging, &attr, 3, arguments))
        return staging_end(&staging, primitive_desc,
                describe(&staging.operation, engine, &call, src_desc, dst_desc,
                        workspace_desc, attr));
    return describe(primitive_desc, engine, &call, src_desc, dst_desc,
            workspace_desc, attr);
}
