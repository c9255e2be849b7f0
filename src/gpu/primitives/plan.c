/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/plan.h"

#include "gpu/engine_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------- */

dnnl_status_t plan_add_option(
        struct primitive_plan *plan, const char *format, ...)
{
    size_t used = strlen(plan->options);
    size_t room = sizeof plan->options - used;
    if (used > 0 && room > 1) {
        plan->options[used++] = ' ';
        plan->options[used] = '\0';
        room--;
    }
    va_list args;
    va_start(args, format);
    int n = vsnprintf(plan->options + used, room, format, args);
    va_end(args);
    return n >= 0 && (size_t)n < room ? dnnl_success : dnnl_unimplemented;
}

/* The function of kernels/post_ops.cl, without its prefix. */
static const char *eltwise_name(dnnl_alg_kind_t alg)
{
    static const char *const names[] = {"relu", "tanh", "elu", "square", "abs",
            "sqrt", "linear", "soft_relu", "hardsigmoid", "logistic", "exp",
            "gelu_tanh", "swish", "log", "clip", "clip_v2", "pow", "gelu_erf",
            "round", "mish", "hardswish"};
    return names[alg - dnnl_eltwise_relu];
}

dnnl_status_t plan_add_eltwise(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg)
{
    return plan_add_option(plan, "-D%s=eltwise_%s", macro, eltwise_name(alg));
}

dnnl_status_t plan_add_post_ops(
        struct primitive_plan *plan, const struct dnnl_post_ops *post_ops)
{
    dnnl_status_t st =
            plan_add_option(plan, "-DPOST_OP_COUNT=%d", post_ops->count);
    for (int i = 0; i < post_ops->count && st == dnnl_success; i++)
        st = plan_add_option(plan, "-DPOST_OP_%d=eltwise_%s", i,
                eltwise_name(post_ops->ops[i].alg_kind));
    return st;
}

/* ---- Element-wise launches ----------------------------------------------- */

size_t plan_work_group_size(const struct engine_facts *facts, size_t wanted)
{
    size_t most = facts->max_work_group_size;
    return wanted < most ? wanted : most;
}

/* Work-items of an element-wise group: a multiple of the device's SIMD width
 * around this number. */
enum { ELEMENTWISE_ITEMS = 128 };

static size_t elementwise_items(const struct engine_facts *facts)
{
    size_t width = facts->simd_width;
    size_t multiples = ELEMENTWISE_ITEMS / width;
    return plan_work_group_size(facts, width * (multiples > 0 ? multiples : 1));
}

static void fill_params(struct elementwise_params *p,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    p->count = (cl_int)memory_desc_nelems(dst);
    p->ndims = dst->ndims;
    p->src_offset = (cl_int)src->offset0;
    p->dst_offset = (cl_int)dst->offset0;
    for (int d = 0; d < dst->ndims; d++) {
        p->dims[d] = (cl_int)dst->dims[d];
        p->src_strides[d] = (cl_int)src->strides[d];
        p->dst_strides[d] = (cl_int)dst->strides[d];
    }
}

/* True if element i of one is where element i of the other is, and they fill
 * their memory: then places are numbers. */
static bool is_one_layout(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b)
{
    if (!memory_desc_is_dense(a) || !memory_desc_is_dense(b)) return false;
    for (int d = 0; d < a->ndims; d++)
        if (a->dims[d] > 1 && a->strides[d] != b->strides[d]) return false;
    return true;
}

dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta)
{
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    fill_params(&p, src, dst);
    p.alpha = alpha;
    p.beta = beta;
    memcpy(plan->params, &p, sizeof p);
    plan->params_size = sizeof p;
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    size_t items = elementwise_items(facts);
    plan->work_dim = 1;
    plan->local[0] = items;
    plan->groups[0] = ((size_t)p.count + items - 1) / items;
    dnnl_status_t st = plan_add_option(plan, "-DITEMS=%zu", items);
    if (st == dnnl_success && !is_one_layout(src, dst))
        st = plan_add_option(plan, "-DSTRIDED");
    return st;
}
