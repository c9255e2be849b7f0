/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/primitive_desc.h"

#include <stdlib.h>

void primitive_plan_destroy(struct primitive_plan *plan)
{
    if (plan == NULL) return;
    free(plan->passes);
    free(plan);
}

dnnl_status_t primitive_plan_create(const struct dnnl_primitive_desc *pd,
        struct primitive_plan **out, enum lack *lack)
{
    struct primitive_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = pd->kind->plan(pd, plan);
    if (lack != NULL) *lack = plan->lack;
    if (st == dnnl_success)
        *out = plan;
    else
        primitive_plan_destroy(plan);
    return st;
}

dnnl_status_t primitive_plan_take(
        const struct dnnl_primitive_desc *pd, struct primitive_plan **out)
{
    struct primitive_plan *made =
            atomic_exchange(&primitive_desc_mutable(pd)->plan, NULL);
    if (made == NULL) return primitive_plan_create(pd, out, NULL);
    *out = made;
    return dnnl_success;
}
