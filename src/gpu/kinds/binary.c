/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/pairwise.h"
#include "src/gpu/kinds/staging.h"

/* ---- Planning ------------------------------------------------------------ */

/* A source's scale: one number, which the kernel reads. */
static dnnl_status_t add_scale(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, int arg, const char *macro)
{
    const struct quantization *q =
            attr_quantization(&pd->attr, DNNL_ARG_ATTR_SCALES | arg);
    if (q == NULL) return dnnl_success;
    if (q->mask != 0) return plan_decline(plan, LACK_SOURCE_SCALES);
    if (!plan_takes_type(pd->facts, q->data_type))
        return plan_decline(plan, LACK_NUMBER_TYPE);
    plan->memories[plan->memory_count++] = q->arg;
    return plan_add_type(plan, macro, q->data_type);
}

enum { MAX_SOURCES = 3 };

static const int source_args[MAX_SOURCES] = {
        DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2};

/* What is computed, and of what types. */
static dnnl_status_t add_options(const struct dnnl_primitive_desc *pd,
        const struct plan_source sources[MAX_SOURCES],
        const struct dnnl_memory_desc *dst, struct primitive_plan *plan)
{
    dnnl_status_t st = plan_add_types(plan, sources[0].md, dst);
    if (st == dnnl_success)
        st = plan_add_type(plan, "SRC1", sources[1].md->data_type);
    if (st != dnnl_success) return st;
    return pd->alg_kind == dnnl_binary_select
                   ? plan_add_type(plan, "SRC2", sources[2].md->data_type)
                   : plan_add_binary(plan, "BINARY", pd->alg_kind);
}

static dnnl_status_t plan_binary(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct plan_source sources[MAX_SOURCES];
    for (int i = 0; i < MAX_SOURCES; i++) {
        sources[i].arg = source_args[i];
        sources[i].md = pd_tensor(pd, source_args[i]);
    }
    plan_set_kernel(plan, "binary", kernel_binary_cl);
    dnnl_status_t st = add_options(pd, sources, dst, plan);
    if (st == dnnl_success)
        st = plan_pairwise(plan, pd->facts, sources,
                pd->alg_kind == dnnl_binary_select ? 3 : 2, dst);
    if (st == dnnl_success) st = add_scale(pd, plan, DNNL_ARG_SRC_0, "SCALE_0");
    if (st == dnnl_success) st = add_scale(pd, plan, DNNL_ARG_SRC_1, "SCALE_1");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind binary_kind = {dnnl_binary,
        "ocl:binary:simple", plan_binary,
        uses_src_scales | uses_src1_scales | kernel_scales_inputs};

/* ---- Checking ------------------------------------------------------------ */

static bool can_repeat(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    if (src->ndims != dst->ndims) return false;
    for (int d = 0; d < dst->ndims; d++)
        if (src->dims[d] != 1 && src->dims[d] != dst->dims[d]) return false;
    return true;
}

/* Each dimension of dst is that of both sources, or of one if the other has
 * one element; a condition may be repeated, too. */
static bool are_dims_consistent(const struct dnnl_memory_desc *srcs, int count,
        const struct dnnl_memory_desc *dst)
{
    for (int i = 0; i < count; i++)
        if (!can_repeat(&srcs[i], dst)) return false;
    for (int d = 0; d < dst->ndims; d++)
        if (srcs[0].dims[d] != dst->dims[d] && srcs[1].dims[d] != dst->dims[d])
            return false;
    return true;
}

static bool are_types_taken(const struct engine_facts *facts,
        const struct dnnl_memory_desc *srcs, int count,
        const struct dnnl_memory_desc *dst)
{
    for (int i = 0; i < count; i++)
        if (!plan_takes_type(facts, srcs[i].data_type)) return false;
    return plan_takes_type(facts, dst->data_type)
           && (count < MAX_SOURCES || srcs[2].data_type == dnnl_s8);
}

/* LACK_NONE: all fit. */
static enum lack find_misfit(const struct dnnl_memory_desc *srcs, int count,
        const struct dnnl_memory_desc *dst)
{
    enum lack lack = plan_find_misfits(&srcs[0], dst);
    for (int i = 1; i < count && lack == LACK_NONE; i++)
        lack = plan_find_misfit(&srcs[i]);
    return lack;
}

/* ---- Creation ------------------------------------------------------------ */

/* Of checked shapes; all layouts are set. */
static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const struct dnnl_memory_desc *srcs, int count,
        const struct dnnl_memory_desc *dst, const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &binary_kind, attr);
    if (st != dnnl_success) return st;
    pd->alg_kind = alg_kind;
    for (int i = 0; i < count; i++)
        primitive_desc_add(pd, source_args[i], false, &srcs[i]);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    if (!are_types_taken(pd->facts, srcs, count, dst))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC_0, &src0_desc},
            {DNNL_ARG_SRC_1, &src1_desc}, {DNNL_ARG_SRC_2, &src2_desc},
            {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 4, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_binary_primitive_desc_create_v2(&staging.operation, engine,
                        alg_kind, src0_desc, src1_desc, src2_desc, dst_desc,
                        attr));
    bool has_condition = src2_desc != NULL && !memory_desc_is_zero(src2_desc);
    int count = has_condition ? 3 : 2;
    if (primitive_desc == NULL || engine == NULL || src0_desc == NULL
            || src1_desc == NULL || dst_desc == NULL)
        return refuse(dnnl_binary, REFUSAL_NULL);
    if (has_condition != (alg_kind == dnnl_binary_select)
            || (!has_condition && !binary_is_valid(alg_kind)))
        return refuse(dnnl_binary, REFUSAL_ALG_KIND);
    struct dnnl_memory_desc srcs[MAX_SOURCES] = {*src0_desc, *src1_desc,
            has_condition ? *src2_desc : memory_desc_zero};
    struct dnnl_memory_desc dst = *dst_desc;
    if (memory_desc_is_zero(&srcs[0]))
        return refuse(dnnl_binary, REFUSAL_NDIMS);
    if (srcs[0].format_kind == dnnl_format_kind_any)
        return refuse(dnnl_binary, REFUSAL_ANY);
    if (!are_dims_consistent(srcs, count, &dst))
        return refuse(dnnl_binary, REFUSAL_DIMS);
    for (int i = 1; i < count; i++)
        memory_desc_set_like(&srcs[i], &srcs[0]);
    memory_desc_set_like(&dst, &srcs[0]);
    const enum lack lack = find_misfit(srcs, count, &dst);
    if (lack != LACK_NONE)
        return decline_tensors(dnnl_binary, lack, 4,
                (const struct given_tensor[]){{DNNL_ARG_SRC_0, &srcs[0]},
                        {DNNL_ARG_SRC_1, &srcs[1]}, {DNNL_ARG_SRC_2, &srcs[2]},
                        {DNNL_ARG_DST, &dst}});
    return create(primitive_desc, engine, alg_kind, srcs, count, &dst, attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_binary_primitive_desc_create_v2(primitive_desc, engine,
            alg_kind, src0_desc, src1_desc, NULL, dst_desc, attr);
}
