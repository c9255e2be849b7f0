/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/random_tensors.h"

#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/refusal.h"

#include <string.h>

static void add_number(
        struct dnnl_primitive_desc *pd, int arg, dnnl_data_type_t type)
{
    struct dnnl_memory_desc md;
    (void)memory_desc_start(&md, 1, (dnnl_dims_t){1}, type);
    memory_desc_set_plain(&md);
    primitive_desc_add(pd, arg, false, &md);
}

/* ---- Dropout ------------------------------------------------------------- */

bool random_tensors_is_mask_of(
        const struct dnnl_memory_desc *mask, const struct dnnl_memory_desc *dst)
{
    if (!memory_desc_is_plain(mask) || !memory_desc_same_dims(mask, dst))
        return false;
    for (int d = 0; d < dst->ndims; d++)
        if (dst->dims[d] != 1 && mask->strides[d] != dst->strides[d])
            return false;
    return true;
}

static dnnl_status_t add_mask(struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct dnnl_memory_desc mask = pd->attr.random->mask;
    if (memory_desc_is_zero(&mask)) return dnnl_success;
    if (mask.format_kind == dnnl_format_kind_any && mask.ndims == dst->ndims) {
        mask.format_kind = dst->format_kind;
        memcpy(mask.strides, dst->strides, sizeof mask.strides);
    }
    if (!random_tensors_is_mask_of(&mask, dst))
        return decline_of(pd, LACK_DROPOUT_MASK);
    if (!data_type_is_byte(mask.data_type))
        return decline_of(pd, LACK_DROPOUT_MASK_TYPE);
    primitive_desc_add(pd, DNNL_ARG_ATTR_DROPOUT_MASK, true, &mask);
    return dnnl_success;
}

static dnnl_status_t add_dropout(struct dnnl_primitive_desc *pd)
{
    const struct random_attributes *random = pd->attr.random;
    if ((pd->kind->attributes & takes_dropout) == 0)
        return decline_of(pd, LACK_DROPOUT);
    dnnl_status_t st = add_mask(pd);
    if (st != dnnl_success) return st;
    add_number(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32);
    add_number(pd, DNNL_ARG_ATTR_DROPOUT_SEED, random->seed_type);
    if (random->has_offset)
        add_number(pd, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64);
    return dnnl_success;
}

/* ---- Rounding ------------------------------------------------------------ */

static dnnl_status_t add_rounding(struct dnnl_primitive_desc *pd)
{
    const dnnl_data_type_t type = pd_tensor(pd, DNNL_ARG_DST)->data_type;
    if ((pd->kind->attributes & takes_rounding) == 0)
        return decline_of(pd, LACK_STOCHASTIC);
    if (!random_attributes_round(pd->attr.random, ROUNDED_DST))
        return dnnl_success; /* of what only backward primitives have */
    if (!data_type_is_float(type) && !data_type_is_byte(type))
        return decline_of(pd, LACK_ROUNDED_TYPE);
    add_number(pd, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32);
    return dnnl_success;
}

/* ---- Both ---------------------------------------------------------------- */

dnnl_status_t random_tensors_add(struct dnnl_primitive_desc *pd)
{
    const struct random_attributes *random = pd->attr.random;
    dnnl_status_t st =
            random_attributes_drop_out(random) ? add_dropout(pd) : dnnl_success;
    return st == dnnl_success && random_attributes_round_any(random)
                   ? add_rounding(pd)
                   : st;
}
