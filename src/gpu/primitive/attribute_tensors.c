/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/attribute_tensors.h"

#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/random_tensors.h"
#include "src/gpu/primitive/refusal.h"

/* Adds an input whose elements are counted by dimensions of another tensor. Its
 * own may be larger, and too many then: kernels do not see those of a primitive
 * with an empty dst. */
static dnnl_status_t add_tensor(struct dnnl_primitive_desc *pd, int arg,
        const struct dnnl_memory_desc *md)
{
    if (!memory_desc_size_fits(md))
        return decline_of(pd, LACK_ATTRIBUTE_TENSOR);
    primitive_desc_add(pd, arg, false, md);
    return dnnl_success;
}

/* ---- Which there are ----------------------------------------------------- */

/* Bits of attribute_use that allow the numbers for an argument. */
static unsigned use_of(int arg)
{
    switch (arg) {
    case DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC:
        return uses_src_scales;
    case DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_1:
        return uses_src1_scales;
    case DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS:
        return uses_weights_scales;
    case DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST:
        return uses_dst_scales;
    case DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC:
        return uses_src_zero_points;
    case DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS:
        return uses_weights_zero_points;
    case DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST:
        return uses_dst_zero_points;
    default:
        return arg >= (DNNL_ARG_ATTR_SCALES | DNNL_ARG_MULTIPLE_SRC)
                               && arg < (DNNL_ARG_ATTR_SCALES
                                          | DNNL_ARG_MULTIPLE_DST)
                       ? uses_multiple_src_scales
                       : 0;
    }
}

enum { QUANTIZATION_KINDS = DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS };

/* Sums that the caller has already: matmul computes them and reads none. */
static bool are_reductions(const struct quantization *q)
{
    return (q->arg & QUANTIZATION_KINDS) == 0;
}

static bool is_number_type(dnnl_data_type_t type, bool is_scale)
{
    return is_scale ? data_type_is_float(type) : data_type_is_integer(type);
}

/* Numbers of weights that a kernel of this kind takes by groups: these may be
 * zero points of half a byte, too. */
static bool are_taken_by_groups(
        const struct dnnl_primitive_desc *pd, const struct quantization *q)
{
    return (pd->kind->attributes & uses_weights_groups) != 0
           && (q->arg & ~QUANTIZATION_KINDS) == DNNL_ARG_WEIGHTS;
}

/* oneDNN scales the inputs of convolutions of bytes only. */
static bool is_scaled_float(
        const struct dnnl_primitive_desc *pd, const struct quantization *q)
{
    dnnl_primitive_kind_t kind = pd->kind->kind;
    return (kind == dnnl_convolution || kind == dnnl_deconvolution)
           && q->arg != (DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST)
           && !data_type_is_byte(pd_tensor(pd, DNNL_ARG_SRC)->data_type);
}

/* One number for each place in the dimensions of the mask, or for each group of
 * places, dense, in a dimension of their own. */
static dnnl_status_t describe_numbers(const struct dnnl_primitive_desc *pd,
        const struct quantization *q, const struct dnnl_memory_desc *of,
        struct dnnl_memory_desc *md)
{
    *md = memory_desc_zero;
    md->ndims = 1;
    md->data_type = q->data_type;
    md->format_kind = dnnl_blocked;
    md->dims[0] = 1;
    md->strides[0] = 1;
    for (int d = 0; d < of->ndims; d++) {
        if ((q->mask >> d & 1) == 0) continue;
        if (of->dims[d] == DNNL_RUNTIME_DIM_VAL)
            return decline_of(pd, LACK_RUNTIME_NUMBERS);
        const dnnl_dim_t group = quantization_group(q, of->ndims, d);
        if (of->dims[d] % group != 0) return decline_of(pd, LACK_UNEVEN_GROUPS);
        md->dims[0] *= of->dims[d] / group;
    }
    memory_desc_pad(md);
    return dnnl_success;
}

static dnnl_status_t add_numbers(
        struct dnnl_primitive_desc *pd, struct quantization *q)
{
    bool is_scale = (q->arg & QUANTIZATION_KINDS) == DNNL_ARG_ATTR_SCALES;
    const struct dnnl_memory_desc *of =
            pd_tensor(pd, q->arg & ~QUANTIZATION_KINDS);
    struct dnnl_memory_desc md;
    enum lack lack = LACK_NONE;
    if (are_reductions(q))
        return pd->kind->kind == dnnl_matmul ? dnnl_success
                                             : decline_of(pd, LACK_NUMBERS);
    if ((use_of(q->arg) & pd->kind->attributes) == 0 || of == NULL)
        lack = LACK_NUMBERS;
    else if (quantization_has_groups(q) && !are_taken_by_groups(pd, q))
        lack = LACK_GROUPS;
    else if (!is_number_type(q->data_type, is_scale)
             && (is_scale || !data_type_is_half_byte(q->data_type)
                     || !are_taken_by_groups(pd, q)))
        lack = LACK_NUMBER_TYPE;
    else if (is_scaled_float(pd, q))
        lack = LACK_SCALED_FLOATS;
    else if (q->is_dynamic)
        lack = LACK_DYNAMIC;
    if (lack != LACK_NONE) return decline_of(pd, lack);
    /* As in oneDNN: a mask of ones stands for all dimensions that there are. */
    q->mask &= (1 << of->ndims) - 1;
    dnnl_status_t st = describe_numbers(pd, q, of, &md);
    return st == dnnl_success ? add_tensor(pd, q->arg, &md) : st;
}

/* ---- Post-ops ------------------------------------------------------------ */

/* A dimension of dst that is known at execution only is compared then. */
static bool is_broadcast_of(
        const struct dnnl_memory_desc *md, const struct dnnl_memory_desc *dst)
{
    if (md->ndims != dst->ndims) return false;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] != 1 && md->dims[d] != dst->dims[d]
                && dst->dims[d] != DNNL_RUNTIME_DIM_VAL)
            return false;
    return true;
}

bool attribute_tensors_fit(const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    for (int t = 0; t < pd->tensor_count; t++)
        if (pd->tensors[t].arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE
                && !is_broadcast_of(&pd->tensors[t].md, dst))
            return false;
    return true;
}

/* Repeats a number of the host along all of dst. */
static void spread_host_scalar(
        struct dnnl_memory_desc *md, const struct dnnl_memory_desc *dst)
{
    const dnnl_data_type_t type = md->data_type;
    if (md->format_kind != dnnl_format_kind_host_scalar) return;
    *md = memory_desc_zero;
    md->ndims = dst->ndims;
    md->data_type = type;
    md->format_kind = dnnl_format_kind_any;
    for (int d = 0; d < dst->ndims; d++)
        md->dims[d] = 1;
    memory_desc_pad(md);
}

static dnnl_status_t add_operand(struct dnnl_primitive_desc *pd, int arg,
        struct dnnl_memory_desc md, const struct dnnl_memory_desc *dst)
{
    spread_host_scalar(&md, dst);
    if (!is_broadcast_of(&md, dst))
        return refuse_of(pd, "a binary post-op of other dimensions than dst's");
    if (memory_desc_has_runtime(dst))
        memory_desc_set_plain(&md);
    else
        memory_desc_set_like(&md, dst);
    primitive_desc_add(pd, arg, false, &md);
    return dnnl_success;
}

static dnnl_status_t add_binary(struct dnnl_primitive_desc *pd, int step,
        const struct dnnl_memory_desc *dst)
{
    const struct post_op *op = &pd->attr.post_ops.ops[step];
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(step);
    dnnl_status_t st = add_operand(pd, arg | DNNL_ARG_SRC_1, *op->src1, dst);
    if (st != dnnl_success || op->src2 == NULL) return st;
    return op->src2->data_type == dnnl_s8
                   ? add_operand(pd, arg | DNNL_ARG_SRC_2, *op->src2, dst)
                   : refuse_of(pd, "a condition of another type than s8");
}

/* Slopes: dst's shape, 1 where the mask has no bit; plain. */
static dnnl_status_t add_prelu(struct dnnl_primitive_desc *pd, int step,
        const struct dnnl_memory_desc *dst)
{
    int mask = pd->attr.post_ops.ops[step].mask;
    struct dnnl_memory_desc md = memory_desc_zero;
    md.ndims = dst->ndims;
    md.data_type = dnnl_f32;
    md.format_kind = dnnl_format_kind_any;
    for (int d = 0; d < dst->ndims; d++)
        md.dims[d] = (mask >> d & 1) != 0 ? dst->dims[d] : 1;
    memory_desc_pad(&md);
    memory_desc_set_plain(&md);
    return add_tensor(
            pd, DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_WEIGHTS, &md);
}

static dnnl_status_t add_step(struct dnnl_primitive_desc *pd, int step)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct post_op *op = &pd->attr.post_ops.ops[step];
    switch (op->kind) {
    case dnnl_eltwise:
        return dnnl_success;
    case dnnl_sum:
        return op->data_type == dnnl_data_type_undef
                               || dnnl_data_type_size(op->data_type)
                                          == dnnl_data_type_size(dst->data_type)
                       ? dnnl_success
                       : refuse_of(
                               pd, "a sum post-op of another size than dst's");
    case dnnl_binary:
        return add_binary(pd, step, dst);
    case dnnl_prelu:
        return add_prelu(pd, step, dst);
    case dnnl_convolution:
        return decline_of(pd, LACK_DEPTHWISE);
    default:
        return decline_of(pd, LACK_NO_POST_OPS);
    }
}

/* ---- All ----------------------------------------------------------------- */

dnnl_status_t attribute_tensors_add(struct dnnl_primitive_desc *pd)
{
    struct dnnl_primitive_attr *attr = &pd->attr;
    dnnl_status_t st = dnnl_success;
    if (attr->post_ops.count > 0
            && (pd->kind->attributes & uses_no_post_ops) != 0)
        return decline_of(pd, LACK_NO_POST_OPS);
    for (int i = 0; i < attr->post_ops.count && st == dnnl_success; i++)
        st = add_step(pd, i);
    for (int i = 0; i < attr->quantization_count && st == dnnl_success; i++)
        st = add_numbers(pd, &attr->quantizations[i]);
    if (st == dnnl_success) st = random_tensors_add(pd);
    const enum lack lack = unused_attributes_lack(attr->unused);
    return st == dnnl_success && lack != LACK_NONE ? decline_of(pd, lack) : st;
}
