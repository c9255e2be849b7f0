/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/factors.h"

#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/refusal.h"

/* ---- Checking ------------------------------------------------------------ */

bool factors_init(struct factors *f, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *weights,
        const struct dnnl_memory_desc *bias, const struct dnnl_memory_desc *dst)
{
    if (src == NULL || weights == NULL || dst == NULL) return false;
    f->src = *src;
    f->weights = *weights;
    f->bias = bias != NULL ? *bias : memory_desc_zero;
    f->dst = *dst;
    return true;
}

bool factors_have_runtime(const struct factors *f)
{
    return memory_desc_has_runtime(&f->src)
           || memory_desc_has_runtime(&f->weights)
           || memory_desc_has_runtime(&f->bias)
           || memory_desc_has_runtime(&f->dst);
}

void factors_set_plain(struct factors *f)
{
    memory_desc_set_plain(&f->src);
    memory_desc_set_plain(&f->weights);
    memory_desc_set_plain(&f->bias);
    memory_desc_set_plain(&f->dst);
}

dnnl_status_t factors_decline(
        const struct factors *f, dnnl_primitive_kind_t kind, enum lack lack)
{
    const struct given_tensor tensors[] = {{DNNL_ARG_SRC, &f->src},
            {DNNL_ARG_WEIGHTS, &f->weights}, {DNNL_ARG_BIAS, &f->bias},
            {DNNL_ARG_DST, &f->dst}};
    return decline_tensors(
            kind, lack, sizeof tensors / sizeof *tensors, tensors);
}

enum lack factors_find_misfit(const struct factors *f)
{
    enum lack lack = plan_find_misfit(&f->weights);
    if (lack == LACK_NONE) lack = plan_find_misfit(&f->bias);
    return lack != LACK_NONE ? lack : plan_find_misfits(&f->src, &f->dst);
}

bool factors_are_taken(
        const struct factors *f, const struct engine_facts *facts)
{
    return plan_takes_type(facts, f->src.data_type)
           && plan_takes_type(facts, f->weights.data_type)
           && (!factors_have_bias(f)
                   || plan_takes_type(facts, f->bias.data_type))
           && plan_takes_type(facts, f->dst.data_type);
}

void factors_describe(const struct factors *f, struct dnnl_primitive_desc *pd)
{
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &f->src);
    primitive_desc_add(pd, DNNL_ARG_WEIGHTS, false, &f->weights);
    if (factors_have_bias(f))
        primitive_desc_add(pd, DNNL_ARG_BIAS, false, &f->bias);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &f->dst);
}

/* ---- Planning ------------------------------------------------------------ */

static bool is_summed_up(
        const struct dnnl_primitive_desc *pd, const struct quantization *q)
{
    int k = pd_tensor(pd, DNNL_ARG_WEIGHTS)->ndims - 2;
    return (q->mask >> k & 1) != 0;
}

bool factors_scale_weights(const struct dnnl_primitive_desc *pd)
{
    const struct quantization *q = attr_quantization(
            &pd->attr, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS);
    return q != NULL && (pd->kind->attributes & uses_weights_groups) != 0
           && (is_summed_up(pd, q) || quantization_has_groups(q));
}

bool factors_unpack_weights(const struct dnnl_primitive_desc *pd)
{
    const struct quantization *q = attr_quantization(
            &pd->attr, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS);
    dnnl_data_type_t type = pd_tensor(pd, DNNL_ARG_WEIGHTS)->data_type;
    if ((pd->kind->attributes & uses_weights_groups) == 0) return false;
    return data_type_is_half_byte(type) || factors_scale_weights(pd)
           || (q != NULL
                   && (q->mask != 0 || data_type_is_half_byte(q->data_type)));
}

/* The types of the tensors, and what sums are of. */
static dnnl_status_t add_factor_types(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    dnnl_data_type_t src = pd_tensor(pd, DNNL_ARG_SRC)->data_type;
    dnnl_data_type_t weights = pd_tensor(pd, DNNL_ARG_WEIGHTS)->data_type;
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    dnnl_status_t st = plan_add_type(plan, "SRC", src);
    if (st == dnnl_success) st = plan_add_type(plan, "WEIGHTS", weights);
    if (st == dnnl_success)
        st = plan_add_type(plan, "DST", pd_tensor(pd, DNNL_ARG_DST)->data_type);
    if (st == dnnl_success && bias != NULL)
        st = plan_add_type(plan, "BIAS", bias->data_type);
    if (st == dnnl_success && data_type_is_integer(src)
            && !data_type_is_float(weights) && !plan->scales_weights)
        st = plan_add_option(plan, "-DINTEGER_SUMS");
    if (st == dnnl_success && plan->unpacks_weights)
        st = plan_add_option(plan, "-DUNPACK_WEIGHTS");
    return st;
}

/* The mask of one number for each channel: of src's, or of those that weights
 * make. */
static bool is_by_channel(
        const struct dnnl_primitive_desc *pd, const struct quantization *q)
{
    if (pd->kind->kind != dnnl_convolution
            && pd->kind->kind != dnnl_deconvolution)
        return false;
    if (q->arg == (DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC))
        return q->mask == 2;
    return q->mask == (pd->with_groups ? 3 : 1);
}

static dnnl_status_t add_memory(struct primitive_plan *plan,
        const struct quantization *q, const char *macro)
{
    plan->memories[plan->memory_count++] = q->arg;
    return plan_add_type(plan, macro, q->data_type);
}

/* The zero points of a factor: one number for all of it, unless the kernel
 * unpacks weights, or one a channel of a convolution. */
static dnnl_status_t add_zero_point(const struct dnnl_primitive_desc *pd,
        int arg, const char *macro, struct primitive_plan *plan)
{
    const struct quantization *q =
            attr_quantization(&pd->attr, DNNL_ARG_ATTR_ZERO_POINTS | arg);
    if (q == NULL) return dnnl_success;
    const bool by_channel = q->mask != 0 && is_by_channel(pd, q);
    if (q->mask != 0 && !by_channel
            && (arg != DNNL_ARG_WEIGHTS || !plan->unpacks_weights))
        return plan_decline(plan, LACK_ZERO_POINTS);
    dnnl_status_t st = add_memory(plan, q, macro);
    return st == dnnl_success && by_channel
                   ? plan_add_option(plan, "-D%s_BY_CHANNEL", macro)
                   : st;
}

/* Scales that the kernel applies. */
static dnnl_status_t add_scale(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct quantization *q = attr_quantization(
            &pd->attr, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS);
    return plan->scales_weights ? add_memory(plan, q, "WEIGHTS_SCALE")
                                : dnnl_success;
}

dnnl_status_t factors_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    size_t n = 0;
    plan->memories[n++] = DNNL_ARG_SRC;
    plan->memories[n++] = DNNL_ARG_WEIGHTS;
    if (pd_tensor(pd, DNNL_ARG_BIAS) != NULL)
        plan->memories[n++] = DNNL_ARG_BIAS;
    plan->memory_count = n;
    dnnl_status_t st = add_zero_point(pd, DNNL_ARG_SRC, "SRC_ZERO_POINT", plan);
    if (st == dnnl_success)
        st = add_zero_point(pd, DNNL_ARG_WEIGHTS, "WEIGHTS_ZERO_POINT", plan);
    if (st == dnnl_success) st = add_scale(pd, plan);
    plan->memories[plan->memory_count++] = DNNL_ARG_DST;
    return st == dnnl_success ? add_factor_types(pd, plan) : st;
}
