/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/attributes.h"

#include "src/common/byte_order.h"
#include "src/gpu/memory/data_type.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What new attributes are made with. */
static atomic_int default_fpmath_mode = dnnl_fpmath_mode_strict;

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    struct dnnl_primitive_attr *a = malloc(sizeof *a);
    if (a == NULL) return dnnl_out_of_memory;
    (void)attr_copy(a, NULL); /* nothing to allocate */
    *attr = a;
    return dnnl_success;
}

/* To where there are none. */
static dnnl_status_t copy_quantizations(struct dnnl_primitive_attr *copy,
        const struct dnnl_primitive_attr *attr)
{
    if (attr->quantization_count == 0) return dnnl_success;
    size_t size =
            (size_t)attr->quantization_count * sizeof(struct quantization);
    copy->quantizations = malloc(size);
    if (copy->quantizations == NULL) return dnnl_out_of_memory;
    memcpy(copy->quantizations, attr->quantizations, size);
    copy->quantization_count = attr->quantization_count;
    return dnnl_success;
}

dnnl_status_t attr_copy(struct dnnl_primitive_attr *copy,
        const struct dnnl_primitive_attr *attr)
{
    if (attr == NULL) {
        *copy = (struct dnnl_primitive_attr){
                .fpmath_mode = (dnnl_fpmath_mode_t)atomic_load_explicit(
                        &default_fpmath_mode, memory_order_relaxed)};
        return dnnl_success;
    }
    *copy = *attr;
    copy->quantizations = NULL;
    copy->quantization_count = 0;
    copy->random = NULL;
    copy->unused = NULL;
    dnnl_status_t st = post_ops_copy(&copy->post_ops, &attr->post_ops);
    if (st == dnnl_success) st = copy_quantizations(copy, attr);
    if (st == dnnl_success)
        st = random_attributes_copy(&copy->random, attr->random);
    if (st == dnnl_success)
        st = unused_attributes_copy(&copy->unused, attr->unused);
    if (st != dnnl_success) attr_fini(copy);
    return st;
}

void attr_fini(struct dnnl_primitive_attr *attr)
{
    post_ops_fini(&attr->post_ops);
    free(attr->quantizations);
    attr->quantizations = NULL;
    attr->quantization_count = 0;
    random_attributes_destroy(attr->random);
    attr->random = NULL;
    unused_attributes_destroy(attr->unused);
    attr->unused = NULL;
}

dnnl_status_t dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr)
{
    if (attr == NULL || existing_attr == NULL) return dnnl_invalid_arguments;
    struct dnnl_primitive_attr *a = malloc(sizeof *a);
    if (a == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = attr_copy(a, existing_attr);
    if (st == dnnl_success)
        *attr = a;
    else
        free(a);
    return st;
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr)
{
    if (attr != NULL) attr_fini(attr);
    free(attr);
    return dnnl_success;
}

/* ---- Post-ops ------------------------------------------------------------ */

dnnl_status_t dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops)
{
    static const struct dnnl_post_ops none;
    struct dnnl_post_ops copy;
    if (attr == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st =
            post_ops_copy(&copy, post_ops != NULL ? post_ops : &none);
    if (st != dnnl_success) return st;
    post_ops_fini(&attr->post_ops);
    attr->post_ops = copy;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops)
{
    if (attr == NULL || post_ops == NULL) return dnnl_invalid_arguments;
    *post_ops = &attr->post_ops;
    return dnnl_success;
}

/* ---- Scales and zero points ---------------------------------------------- */

/* Where the numbers for an argument are or would be in the list. */
static int place_of(const struct dnnl_primitive_attr *attr, int arg)
{
    int i = 0;
    while (i < attr->quantization_count && attr->quantizations[i].arg < arg)
        i++;
    return i;
}

const struct quantization *attr_quantization(
        const struct dnnl_primitive_attr *attr, int arg)
{
    int i = place_of(attr, arg);
    return i < attr->quantization_count && attr->quantizations[i].arg == arg
                   ? &attr->quantizations[i]
                   : NULL;
}

static dnnl_status_t put_quantization(
        struct dnnl_primitive_attr *attr, const struct quantization *q)
{
    int at = place_of(attr, q->arg);
    if (attr_quantization(attr, q->arg) == NULL) {
        size_t count = (size_t)attr->quantization_count;
        struct quantization *list =
                realloc(attr->quantizations, (count + 1) * sizeof *list);
        if (list == NULL) return dnnl_out_of_memory;
        memmove(&list[at + 1], &list[at], (count - (size_t)at) * sizeof *list);
        attr->quantizations = list;
        attr->quantization_count++;
    }
    attr->quantizations[at] = *q;
    return dnnl_success;
}

/* Has any primitive of oneDNN such numbers for the argument? */
static bool can_have_numbers(int kind, int arg)
{
    switch (arg) {
    case DNNL_ARG_SRC:
    case DNNL_ARG_SRC_2:
    case DNNL_ARG_WEIGHTS:
    case DNNL_ARG_DST:
        return true;
    case DNNL_ARG_SRC_1:
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC:
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS:
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST:
        return kind == DNNL_ARG_ATTR_SCALES;
    default:
        return kind == DNNL_ARG_ATTR_SCALES && arg >= DNNL_ARG_MULTIPLE_SRC
               && arg < DNNL_ARG_MULTIPLE_DST;
    }
}

/* Sets what is known of the numbers of a kind (scales, zero points) that go
 * with a tensor. */
static dnnl_status_t set_quantization(dnnl_primitive_attr_t attr,
        struct quantization q, const dnnl_dims_t group_dims)
{
    if (attr == NULL || q.mask < 0 || q.mask >= 1 << DNNL_MAX_NDIMS
            || q.group_ndims < 0 || q.group_ndims > DNNL_MAX_NDIMS
            || (q.group_ndims > 0 && group_dims == NULL)
            || (q.is_on_host && (q.mask != 0 || q.group_ndims != 0))
            || dnnl_data_type_size(q.data_type) == 0)
        return dnnl_invalid_arguments;
    for (int d = 0; d < q.group_ndims; d++) {
        if (group_dims[d] < 1) return dnnl_invalid_arguments;
        q.groups[d] = group_dims[d];
    }
    return put_quantization(attr, &q);
}

dnnl_status_t dnnl_primitive_attr_set_scales_mask(
        dnnl_primitive_attr_t attr, int arg, int mask)
{
    return dnnl_primitive_attr_set_scales(attr, arg, mask, 0, NULL, dnnl_f32);
}

dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr,
        int arg, int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type)
{
    return dnnl_primitive_attr_set_scales_v2(
            attr, arg, mask, ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr,
        int arg, int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type, int is_on_host)
{
    return dnnl_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group_dims,
            data_type, is_on_host, dnnl_quantization_mode_static_sazp);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr,
        int arg, int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type, int is_on_host,
        dnnl_quantization_mode_t qmode)
{
    if (!can_have_numbers(DNNL_ARG_ATTR_SCALES, arg)
            || qmode < dnnl_quantization_mode_static_sazp
            || qmode > dnnl_quantization_mode_dynamic_fp)
        return dnnl_invalid_arguments;
    return set_quantization(attr,
            (struct quantization){.arg = DNNL_ARG_ATTR_SCALES | arg,
                    .mask = mask,
                    .data_type = data_type,
                    .is_on_host = is_on_host != 0,
                    .is_dynamic = qmode != dnnl_quantization_mode_static_sazp,
                    .group_ndims = ndims},
            group_dims);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask)
{
    return dnnl_primitive_attr_set_zero_points(
            attr, arg, mask, 0, NULL, dnnl_s32);
}

/* Nothing is subtracted from integers but integers. */
static bool can_be_zero_point(dnnl_data_type_t type)
{
    return data_type_is_integer(type) || type == dnnl_s4 || type == dnnl_u4;
}

dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr,
        int arg, int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type)
{
    return dnnl_primitive_attr_set_zero_points_v2(
            attr, arg, mask, ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr,
        int arg, int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type, int is_on_host)
{
    if (!can_have_numbers(DNNL_ARG_ATTR_ZERO_POINTS, arg)
            || !can_be_zero_point(data_type))
        return dnnl_invalid_arguments;
    return set_quantization(attr,
            (struct quantization){.arg = DNNL_ARG_ATTR_ZERO_POINTS | arg,
                    .mask = mask,
                    .data_type = data_type,
                    .is_on_host = is_on_host != 0,
                    .group_ndims = ndims},
            group_dims);
}

dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(
        dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
        const dnnl_dims_t group_dims, dnnl_data_type_t data_type)
{
    if ((arg != DNNL_ARG_SRC && arg != DNNL_ARG_WEIGHTS)
            || data_type != dnnl_s32)
        return dnnl_invalid_arguments;
    return set_quantization(attr,
            (struct quantization){
                    .arg = DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | arg,
                    .mask = mask,
                    .data_type = data_type,
                    .group_ndims = ndims},
            group_dims);
}

/* Is the argument the other operand of a post-op that comes as a host scalar?
 */
static bool is_operand_on_host(const struct dnnl_post_ops *post_ops, int arg)
{
    const int step = arg / DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    if (step < 0 || step >= post_ops->count) return false;
    const struct post_op *op = &post_ops->ops[step];
    return arg == (DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_SRC_1)
           && op->src1 != NULL
           && op->src1->format_kind == dnnl_format_kind_host_scalar;
}

bool attr_is_on_host(const struct dnnl_primitive_attr *attr, int arg)
{
    const struct quantization *q = attr_quantization(attr, arg);
    if (q != NULL) return q->is_on_host;
    return is_operand_on_host(&attr->post_ops, arg)
           || random_attributes_are_on_host(attr->random, arg);
}

/* ---- Modes --------------------------------------------------------------- */

static bool is_fpmath_mode(dnnl_fpmath_mode_t mode)
{
    return mode <= dnnl_fpmath_mode_tf32;
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode)
{
    if (mode == NULL) return dnnl_invalid_arguments;
    *mode = (dnnl_fpmath_mode_t)atomic_load(&default_fpmath_mode);
    return dnnl_success;
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode)
{
    if (!is_fpmath_mode(mode)) return dnnl_invalid_arguments;
    atomic_store(&default_fpmath_mode, (int)mode);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode)
{
    return dnnl_primitive_attr_get_fpmath_mode_v2(attr, mode, NULL);
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode)
{
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode,
        int *apply_to_int)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    if (mode != NULL) *mode = attr->fpmath_mode;
    if (apply_to_int != NULL) *apply_to_int = attr->fpmath_applies_to_int;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int)
{
    if (attr == NULL || !is_fpmath_mode(mode)) return dnnl_invalid_arguments;
    attr->fpmath_mode = mode;
    attr->fpmath_applies_to_int = apply_to_int != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode)
{
    if (attr == NULL || mode == NULL) return dnnl_invalid_arguments;
    *mode = attr->accumulation_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode)
{
    if (attr == NULL || mode > dnnl_accumulation_mode_f16)
        return dnnl_invalid_arguments;
    attr->accumulation_mode = mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(
        const_dnnl_primitive_attr_t attr, int *value)
{
    if (attr == NULL || value == NULL) return dnnl_invalid_arguments;
    *value = attr->is_deterministic;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(
        dnnl_primitive_attr_t attr, int value)
{
    if (attr == NULL) return dnnl_invalid_arguments;
    attr->is_deterministic = value != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode)
{
    if (attr == NULL || mode == NULL) return dnnl_invalid_arguments;
    *mode = attr->scratchpad_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode)
{
    if (attr == NULL || mode > dnnl_scratchpad_mode_user)
        return dnnl_invalid_arguments;
    attr->scratchpad_mode = mode;
    return dnnl_success;
}

/* ---- ID ------------------------------------------------------------------ */

enum { STEP_ID_SIZE = 28, DEPTHWISE_ID_SIZE = 36 };

static size_t step_id_size(const struct post_op *op)
{
    return op->kind == dnnl_convolution ? STEP_ID_SIZE + DEPTHWISE_ID_SIZE
                                        : STEP_ID_SIZE;
}

static size_t quantization_id_size(const struct quantization *q)
{
    return 16 + 8 * (size_t)q->group_ndims;
}

size_t attr_id_size(const struct dnnl_primitive_attr *attr)
{
    size_t size = 8 + random_attributes_id_size(attr->random)
                  + unused_attributes_id_size(attr->unused);
    for (int i = 0; i < attr->post_ops.count; i++)
        size += step_id_size(&attr->post_ops.ops[i]);
    for (int i = 0; i < attr->quantization_count; i++)
        size += quantization_id_size(&attr->quantizations[i]);
    return size;
}

static uint8_t *write_depthwise(const struct depthwise *dw, uint8_t *at)
{
    store_le32(at, (uint32_t)dw->weights_type);
    store_le32(at + 4, (uint32_t)dw->bias_type);
    store_le32(at + 8, (uint32_t)dw->dst_type);
    store_le64(at + 12, (uint64_t)dw->kernel);
    store_le64(at + 20, (uint64_t)dw->stride);
    store_le64(at + 28, (uint64_t)dw->padding);
    return at + DEPTHWISE_ID_SIZE;
}

uint8_t *attr_write_id(const struct dnnl_primitive_attr *attr, uint8_t *at)
{
    store_le32(at, (uint32_t)attr->post_ops.count);
    store_le32(at + 4, (uint32_t)attr->quantization_count);
    at += 8;
    /* Tensors of steps are among the descriptor's. */
    for (int i = 0; i < attr->post_ops.count; i++) {
        const struct post_op *op = &attr->post_ops.ops[i];
        store_le32(at, (uint32_t)op->kind);
        store_le32(at + 4, (uint32_t)op->alg_kind);
        store_le_float(at + 8, op->alpha);
        store_le_float(at + 12, op->beta);
        store_le32(at + 16, (uint32_t)op->zero_point);
        store_le32(at + 20, (uint32_t)op->data_type);
        store_le32(at + 24, (uint32_t)op->mask);
        at += STEP_ID_SIZE;
        if (op->kind == dnnl_convolution)
            at = write_depthwise(&op->depthwise, at);
    }
    for (int i = 0; i < attr->quantization_count; i++) {
        const struct quantization *q = &attr->quantizations[i];
        store_le32(at, (uint32_t)q->arg);
        store_le32(at + 4, (uint32_t)q->mask | (uint32_t)q->is_on_host << 16);
        store_le32(at + 8, (uint32_t)q->data_type);
        store_le32(at + 12, (uint32_t)q->group_ndims);
        at += 16;
        for (int d = 0; d < q->group_ndims; d++, at += 8)
            store_le64(at, (uint64_t)q->groups[d]);
    }
    at = random_attributes_write_id(attr->random, at);
    return unused_attributes_write_id(attr->unused, at);
}
