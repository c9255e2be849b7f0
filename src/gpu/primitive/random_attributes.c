/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/random_attributes.h"

#include "src/common/byte_order.h"
#include "src/gpu/primitive/attributes.h"

#include <stdlib.h>

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t random_attributes_copy(
        struct random_attributes **copy, const struct random_attributes *random)
{
    *copy = NULL;
    if (random == NULL) return dnnl_success;
    *copy = malloc(sizeof **copy);
    if (*copy == NULL) return dnnl_out_of_memory;
    **copy = *random;
    return dnnl_success;
}

void random_attributes_destroy(struct random_attributes *random)
{
    free(random);
}

/* Those of the attributes, to set something of; NULL: out of memory. */
static struct random_attributes *to_set(struct dnnl_primitive_attr *attr)
{
    if (attr->random == NULL) attr->random = calloc(1, sizeof *attr->random);
    return attr->random;
}

/* ---- Questions ----------------------------------------------------------- */

bool random_attributes_drop_out(const struct random_attributes *random)
{
    return random != NULL && random->seed_type != dnnl_data_type_undef;
}

bool random_attributes_are_on_host(
        const struct random_attributes *random, int arg)
{
    return random != NULL && random->is_on_host
           && (arg == DNNL_ARG_ATTR_DROPOUT_PROBABILITY
                   || arg == DNNL_ARG_ATTR_DROPOUT_SEED
                   || arg == DNNL_ARG_ATTR_DROPOUT_OFFSET);
}

bool random_attributes_round(const struct random_attributes *random, int which)
{
    return random != NULL && random->is_stochastic[which];
}

bool random_attributes_round_any(const struct random_attributes *random)
{
    bool is_any = false;
    for (int i = 0; i < ROUNDED_ARGS; i++)
        is_any = is_any || random_attributes_round(random, i);
    return is_any;
}

bool random_attributes_are_set(const struct random_attributes *random)
{
    return random_attributes_drop_out(random)
           || random_attributes_round_any(random);
}

/* ---- Dropout ------------------------------------------------------------- */

static dnnl_status_t set_dropout(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_type,
        bool has_offset, bool is_on_host)
{
    const struct dnnl_memory_desc md = *mask_desc; /* may be what is set */
    struct random_attributes *random = to_set(attr);
    if (random == NULL) return dnnl_out_of_memory;
    random->mask = md;
    random->seed_type = seed_type;
    random->has_offset = has_offset;
    random->is_on_host = is_on_host;
    return dnnl_success;
}

/* oneDNN 3.8: without a mask there is no dropout. */
dnnl_status_t dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc)
{
    if (attr == NULL || mask_desc == NULL) return dnnl_invalid_arguments;
    return set_dropout(attr, mask_desc,
            memory_desc_is_zero(mask_desc) ? dnnl_data_type_undef : dnnl_s32,
            false, false);
}

dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt,
        int use_offset, int use_host_scalars)
{
    if (attr == NULL || mask_desc == NULL
            || (seed_dt != dnnl_s32 && seed_dt != dnnl_s64))
        return dnnl_invalid_arguments;
    return set_dropout(
            attr, mask_desc, seed_dt, use_offset != 0, use_host_scalars != 0);
}

dnnl_status_t dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc)
{
    return dnnl_primitive_attr_get_dropout_v2(
            attr, mask_desc, NULL, NULL, NULL);
}

dnnl_status_t dnnl_primitive_attr_get_dropout_v2(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc,
        dnnl_data_type_t *seed_dt, int *use_offset, int *use_host_scalars)
{
    static const struct random_attributes none;
    if (attr == NULL) return dnnl_invalid_arguments;
    const struct random_attributes *random =
            attr->random != NULL ? attr->random : &none;
    if (mask_desc != NULL) *mask_desc = &random->mask;
    if (seed_dt != NULL) *seed_dt = random->seed_type;
    if (use_offset != NULL) *use_offset = random->has_offset;
    if (use_host_scalars != NULL) *use_host_scalars = random->is_on_host;
    return dnnl_success;
}

/* ---- Rounding ------------------------------------------------------------ */

/* The argument's place in the list; ROUNDED_ARGS: it has none. */
static int place_of(int arg)
{
    static const int args[ROUNDED_ARGS] = {
            DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS};
    int place = 0;
    while (place < ROUNDED_ARGS && args[place] != arg)
        place++;
    return place;
}

dnnl_status_t dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode)
{
    const bool is_stochastic = mode == dnnl_rounding_mode_stochastic;
    const int place = place_of(arg);
    if (attr == NULL || (place == ROUNDED_ARGS && is_stochastic)
            || (!is_stochastic && mode != dnnl_rounding_mode_environment))
        return dnnl_invalid_arguments;
    if (place == ROUNDED_ARGS) return dnnl_success; /* as it is */
    struct random_attributes *random = to_set(attr);
    if (random == NULL) return dnnl_out_of_memory;
    random->is_stochastic[place] = is_stochastic;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode)
{
    if (attr == NULL || mode == NULL) return dnnl_invalid_arguments;
    const int place = place_of(arg);
    *mode = place < ROUNDED_ARGS && random_attributes_round(attr->random, place)
                    ? dnnl_rounding_mode_stochastic
                    : dnnl_rounding_mode_environment;
    return dnnl_success;
}

/* ---- ID ------------------------------------------------------------------ */

size_t random_attributes_id_size(const struct random_attributes *random)
{
    return random_attributes_are_set(random)
                   ? 4 + memory_desc_id_size(&random->mask)
                   : 0;
}

uint8_t *random_attributes_write_id(
        const struct random_attributes *random, uint8_t *at)
{
    uint32_t stochastic = 0;
    if (!random_attributes_are_set(random)) return at;
    for (int i = 0; i < ROUNDED_ARGS; i++)
        stochastic |= (uint32_t)random->is_stochastic[i] << i;
    /* Of the former kind of dropout all three are 0. */
    const uint32_t dropout = (uint32_t)(random->seed_type == dnnl_s64)
                             | (uint32_t)random->has_offset << 1
                             | (uint32_t)random->is_on_host << 2
                             | (uint32_t)(random_attributes_drop_out(random)
                                          && memory_desc_is_zero(&random->mask))
                                       << 3;
    store_le32(at, stochastic | dropout << ROUNDED_ARGS);
    return memory_desc_write_id(
            &random->mask, DNNL_ARG_ATTR_DROPOUT_MASK, at + 4);
}
