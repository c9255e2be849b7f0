/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/runtime_dims.h"

#include "src/gpu/primitive/attribute_tensors.h"

#include <stdlib.h>
#include <string.h>

static bool is_known_as(dnnl_dim_t described, dnnl_dim_t given)
{
    return described == DNNL_RUNTIME_DIM_VAL || described == given;
}

/* Is a memory what was described, as far as it was? */
static bool is_as_described(const struct dnnl_memory_desc *described,
        const struct dnnl_memory_desc *given)
{
    if (given->ndims != described->ndims
            || given->data_type != described->data_type
            || !memory_desc_is_plain(given)
            || !is_known_as(described->offset0, given->offset0))
        return false;
    for (int d = 0; d < given->ndims; d++)
        if (!is_known_as(described->dims[d], given->dims[d])
                || (given->dims[d] != 1
                        && !is_known_as(
                                described->strides[d], given->strides[d])))
            return false;
    return true;
}

/* A copy of the descriptor with the memories' shapes; for planning only: it
 * owns nothing but room for its tensors. */
static struct dnnl_primitive_desc *copy_with(
        const struct dnnl_primitive_desc *pd,
        struct dnnl_memory *const *memories)
{
    struct dnnl_primitive_desc *copy = malloc(sizeof *copy);
    if (copy == NULL) return NULL;
    memcpy(copy, pd, sizeof *copy);
    copy->tensors = malloc((size_t)pd->tensor_count * sizeof *copy->tensors);
    if (copy->tensors == NULL) {
        free(copy);
        return NULL;
    }
    for (int t = 0; t < pd->tensor_count; t++) {
        copy->tensors[t] = pd->tensors[t];
        if (memory_desc_has_runtime(&pd->tensors[t].md))
            copy->tensors[t].md = memories[t]->md;
    }
    return copy;
}

static dnnl_status_t plan_copy(const struct dnnl_primitive_desc *pd,
        const struct primitive_plan *program, struct primitive_plan **out)
{
    struct primitive_plan *plan = NULL;
    dnnl_status_t st = primitive_plan_create(pd, &plan, NULL);
    /* Options that depend on shapes would be our bug. */
    if (st == dnnl_success && strcmp(plan->options, program->options) != 0)
        st = dnnl_runtime_error;
    if (st == dnnl_success && !primitive_desc_has_empty_output(pd)) {
        *out = plan;
        plan = NULL;
    }
    primitive_plan_destroy(plan);
    return st;
}

dnnl_status_t runtime_dims_plan(const struct dnnl_primitive_desc *pd,
        struct dnnl_memory *const *memories,
        const struct primitive_plan *program, struct primitive_plan **plan)
{
    for (int t = 0; t < pd->tensor_count; t++)
        if (memory_desc_has_runtime(&pd->tensors[t].md)
                && !is_as_described(&pd->tensors[t].md, &memories[t]->md))
            return dnnl_invalid_arguments;
    struct dnnl_primitive_desc *copy = copy_with(pd, memories);
    if (copy == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = attribute_tensors_fit(copy)
                               ? plan_copy(copy, program, plan)
                               : dnnl_invalid_arguments;
    free(copy->tensors);
    free(copy);
    return st;
}
