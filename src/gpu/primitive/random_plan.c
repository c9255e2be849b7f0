/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/random_plan.h"

#include "src/gpu/primitive/plan.h"
#include "src/gpu/primitive/random_tensors.h"

#include <string.h>

bool random_plan_has_part(const struct dnnl_primitive_desc *pd)
{
    return random_attributes_drop_out(pd->attr.random)
           || random_attributes_round(pd->attr.random, ROUNDED_DST);
}

struct random_places random_plan_places(const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *mask =
            pd_tensor(pd, DNNL_ARG_ATTR_DROPOUT_MASK);
    return (struct random_places){
            .dst = (cl_int)pd_tensor(pd, DNNL_ARG_DST)->offset0,
            .mask = mask != NULL ? (cl_int)mask->offset0 : 0};
}

/* Before post_ops.cl, whose macros contain its own. */
static void add_source(struct primitive_plan *plan)
{
    size_t at = 0;
    while (plan->sources[at] != kernel_post_ops_cl)
        at++;
    memmove(&plan->sources[at + 1], &plan->sources[at],
            (plan->source_count - at) * sizeof plan->sources[0]);
    plan->sources[at] = kernel_random_cl;
    plan->source_count++;
}

static dnnl_status_t add_memory(struct primitive_plan *plan, int arg)
{
    if (plan_memory_count(plan) == PLAN_MAX_MEMORIES)
        return plan_decline(plan, LACK_ATTRIBUTE_ROOM);
    plan->memories[plan_memory_count(plan)] = arg;
    plan->tail_memory_count++;
    return dnnl_success;
}

static dnnl_status_t add_mask(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *mask =
            pd_tensor(pd, DNNL_ARG_ATTR_DROPOUT_MASK);
    if (mask == NULL) return dnnl_success;
    if (!random_tensors_is_mask_of(mask, pd_tensor(pd, DNNL_ARG_DST)))
        return dnnl_invalid_arguments;
    if (!memory_desc_has_runtime(mask) && !memory_desc_fits_int32(mask))
        return plan_decline(plan, LACK_ATTRIBUTE_TENSOR);
    dnnl_status_t st = plan_add_type(plan, "DROPOUT_MASK", mask->data_type);
    return st == dnnl_success ? add_memory(plan, DNNL_ARG_ATTR_DROPOUT_MASK)
                              : st;
}

static dnnl_status_t add_dropout(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd)
{
    const struct random_attributes *random = pd->attr.random;
    if (!random_attributes_drop_out(random)) return dnnl_success;
    dnnl_status_t st = plan_add_option(plan, "-DDROPOUT_SEED=%s",
            random->seed_type == dnnl_s64 ? "long" : "int");
    if (st == dnnl_success) st = add_mask(plan, pd);
    if (st == dnnl_success)
        st = add_memory(plan, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
    if (st == dnnl_success) st = add_memory(plan, DNNL_ARG_ATTR_DROPOUT_SEED);
    if (st != dnnl_success || !random->has_offset) return st;
    st = plan_add_option(plan, "-DDROPOUT_OFFSET");
    return st == dnnl_success ? add_memory(plan, DNNL_ARG_ATTR_DROPOUT_OFFSET)
                              : st;
}

dnnl_status_t random_plan_add(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd)
{
    if (!random_plan_has_part(pd)) return dnnl_success;
    add_source(plan);
    dnnl_status_t st = add_dropout(plan, pd);
    if (!random_attributes_round(pd->attr.random, ROUNDED_DST)) return st;
    if (st == dnnl_success) st = plan_add_option(plan, "-DROUNDING");
    return st == dnnl_success ? add_memory(plan, DNNL_ARG_ATTR_ROUNDING_SEED)
                              : st;
}
