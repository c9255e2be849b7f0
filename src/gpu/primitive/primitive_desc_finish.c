/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a descriptor's creation: what is checked when all of it is there.
 */
#include "src/gpu/primitive/attribute_tensors.h"
#include "src/gpu/primitive/primitive_key.h"
#include "src/gpu/primitive/refusal.h"

/* Attributes that kernels cannot do are known when the launch is planned: they
 * are refused now, and the first primitive has the plan. */
static dnnl_status_t try_plan(struct dnnl_primitive_desc *pd)
{
    struct primitive_plan *plan;
    enum lack lack;
    if (attr_is_default(&pd->attr) || primitive_desc_is_copy(pd)
            || primitive_desc_has_empty_output(pd))
        return dnnl_success;
    dnnl_status_t st = primitive_plan_create(pd, &plan, &lack);
    if (st == dnnl_success)
        atomic_store(&pd->plan, plan);
    else if (st == dnnl_unimplemented)
        (void)decline_of(pd, lack);
    return st;
}

/* Kernels find elements by strides alone, but for reorder's. */
static dnnl_status_t check_tensors(struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++) {
        const struct dnnl_memory_desc *md = &pd->tensors[i].md;
        if (pd->kind->kind != dnnl_reorder && !memory_desc_is_plain(md))
            return decline_of(pd, LACK_BLOCKS);
        if (memory_desc_has_runtime(md)) pd->has_runtime_dims = true;
    }
    return pd->has_runtime_dims
                           && (pd->kind->attributes & takes_runtime_dims) == 0
                   ? decline_of(pd, LACK_RUNTIME)
                   : dnnl_success;
}

dnnl_status_t primitive_desc_decline(
        struct dnnl_primitive_desc *pd, enum lack lack)
{
    dnnl_status_t st = decline_of(pd, lack);
    primitive_desc_release(pd);
    return st;
}

dnnl_status_t primitive_desc_finish(
        struct dnnl_primitive_desc *pd, struct dnnl_primitive_desc **out)
{
    dnnl_status_t st = pd->failure;
    if (st == dnnl_success) st = attribute_tensors_add(pd);
    if (st == dnnl_success) st = pd->failure;
    if (st == dnnl_success) st = check_tensors(pd);
    if (st == dnnl_success) st = try_plan(pd);
    if (st == dnnl_success) {
        pd->is_empty = primitive_desc_has_empty_output(pd);
        st = primitive_key_make(pd);
    }
    if (st != dnnl_success) {
        primitive_desc_release(pd);
        return st;
    }
    *out = pd;
    return dnnl_success;
}
