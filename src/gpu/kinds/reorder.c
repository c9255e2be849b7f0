/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/engine.h"
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"
#include "src/gpu/memory/data_type.h"

#include <string.h>

/* ---- On the device ------------------------------------------------------- */

static dnnl_status_t plan_reorder(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    plan_set_kernel(plan, "reorder", kernel_reorder_cl);
    dnnl_status_t st = plan_add_types(plan, src, dst);
    if (st == dnnl_success)
        st = plan_elementwise(plan, pd->facts, src, dst, 0.0f, 0.0f);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind reorder_kind = {dnnl_reorder,
        "ocl:reorder:simple", plan_reorder,
        uses_src_scales | uses_dst_scales | uses_src_zero_points
                | uses_dst_zero_points | tail_subtracts_zero_points
                | takes_rounding};

/* ---- Blocks -------------------------------------------------------------- */

/* Blocks of blocks of blocks: more than any tag has. */
enum { MAX_BLOCKS = 4 };

/* Mirror the structs of these names in kernels/reorder.cl. */
struct blocked_layout {
    cl_int offset;
    cl_int strides[DNNL_MAX_NDIMS];
    cl_int blocks[MAX_BLOCKS];
    cl_int block_dims[MAX_BLOCKS];
};

struct blocks_params {
    cl_int elements;
    cl_int dims[DNNL_MAX_NDIMS];
    cl_int order[DNNL_MAX_NDIMS];
    cl_int outer[DNNL_MAX_NDIMS];
    struct blocked_layout src;
    struct blocked_layout dst;
};

/* Strides in the order of dimensions given. */
static void fill_layout(struct blocked_layout *l,
        const struct dnnl_memory_desc *md, const int order[DNNL_MAX_NDIMS])
{
    int unused = MAX_BLOCKS - md->inner_nblks;
    l->offset = (cl_int)md->offset0;
    for (int d = 0; d < DNNL_MAX_NDIMS; d++)
        l->strides[d] = (cl_int)md->strides[order[d]];
    for (int i = 0; i < MAX_BLOCKS; i++) {
        bool is_used = i >= unused;
        l->blocks[i] = is_used ? (cl_int)md->inner_blks[i - unused] : 1;
        l->block_dims[i] = is_used ? (cl_int)md->inner_idxs[i - unused] : 0;
    }
}

/* The tensor of blocks: what its strides step over. */
static struct dnnl_memory_desc outer_of(const struct dnnl_memory_desc *md)
{
    struct dnnl_memory_desc outer = *md;
    dnnl_dims_t blocks;
    memory_desc_block_dims(md, blocks);
    for (int d = 0; d < md->ndims; d++)
        outer.dims[d] = md->padded_dims[d] / blocks[d];
    memcpy(outer.padded_dims, outer.dims, sizeof outer.padded_dims);
    outer.inner_nblks = 0;
    return outer;
}

static void fill_params(struct blocks_params *p,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    static const int as_they_are[DNNL_MAX_NDIMS] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct dnnl_memory_desc outer = outer_of(dst);
    int order[DNNL_MAX_NDIMS];
    /* Elements are written in the order they lie in. */
    memory_desc_order(dst, dst->ndims, order);
    for (int d = dst->ndims; d < DNNL_MAX_NDIMS; d++)
        order[d] = d;
    memset(p, 0, sizeof *p);
    p->elements = 1;
    for (int d = 0; d < DNNL_MAX_NDIMS; d++) {
        p->dims[d] = d < dst->ndims ? (cl_int)dst->dims[d] : 1;
        p->order[d] = order[d];
        p->outer[d] = order[d] < dst->ndims ? (cl_int)outer.dims[order[d]] : 1;
        if (d < dst->ndims) p->elements *= (cl_int)dst->padded_dims[d];
    }
    fill_layout(&p->src, src, as_they_are);
    fill_layout(&p->dst, dst, order);
}

static dnnl_status_t plan_blocks(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct blocks_params p;
    fill_params(&p, src, dst);
    plan_set_kernel(plan, "reorder_blocks", kernel_reorder_cl);
    plan_set_params(plan, &p, sizeof p);
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    dnnl_status_t st = plan_add_types(plan, src, dst);
    size_t stores = (size_t)p.elements;
    if (st == dnnl_success) st = plan_add_option(plan, "-DBLOCKS");
    if (st == dnnl_success && data_type_is_half_byte(dst->data_type)) {
        st = plan_add_option(plan, "-DHALF_BYTES");
        stores = stores / 2 + stores % 2;
    }
    if (st == dnnl_success) st = plan_set_elements(plan, pd->facts, stores);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind blocks_kind = {dnnl_reorder,
        "ocl:reorder:blocks", plan_blocks,
        uses_src_scales | uses_dst_scales | uses_src_zero_points
                | uses_dst_zero_points | tail_subtracts_zero_points
                | tail_counts_elements | takes_rounding};

/* True if no two elements, padding included, have one place. A block counts as
 * a dimension more, inside all others. */
static bool can_write_blocks(const struct dnnl_memory_desc *md)
{
    struct dnnl_memory_desc outer = outer_of(md);
    if (md->inner_nblks == 0) return plan_can_write(md);
    if (outer.ndims == DNNL_MAX_NDIMS) return false;
    int d = outer.ndims++;
    outer.dims[d] = 1;
    for (int i = 0; i < md->inner_nblks; i++)
        outer.dims[d] *= md->inner_blks[i];
    outer.padded_dims[d] = outer.dims[d];
    outer.strides[d] = 1;
    return plan_can_write(&outer);
}

/* ---- Half bytes ---------------------------------------------------------- */

/* True if a tensor has every byte from its first to its last for itself, so
 * that they can be written whole. */
static bool has_whole_bytes(const struct dnnl_memory_desc *md)
{
    size_t elements = 1;
    for (int d = 0; d < md->ndims; d++)
        elements *= (size_t)md->padded_dims[d];
    return md->offset0 % 2 == 0
           && (elements == 0
                   || dnnl_memory_desc_get_size(md)
                              == (size_t)md->offset0 / 2 + elements / 2
                                         + elements % 2);
}

static bool is_type_taken(
        const struct engine_facts *facts, dnnl_data_type_t type)
{
    return data_type_is_half_byte(type) || plan_takes_type(facts, type);
}

/* ---- Copies -------------------------------------------------------------- */

static const struct primitive_kind copy_kind = {
        dnnl_reorder, "ocl:reorder:copy", NULL, uses_no_post_ops};

/* Where kernels cannot have both tensors, bytes are copied as they are: one
 * type, one dense layout, no attributes. */
static bool is_copy(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, const_dnnl_primitive_attr_t attr)
{
    bool empty = memory_desc_nelems(src) == 0;
    return dnnl_memory_desc_equal(src, dst) && src->offset0 == 0
           && (empty || memory_desc_is_dense(src)) && attr_is_default(attr);
}

/* ---- Creation ------------------------------------------------------------ */

/* Why no kernel can do it; LACK_NONE: one can. */
static enum lack find_misfit(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    enum lack lack = plan_find_misfit(src);
    if (lack == LACK_NONE) lack = plan_find_misfit(dst);
    if (lack != LACK_NONE) return lack;
    if (src->inner_nblks > MAX_BLOCKS || dst->inner_nblks > MAX_BLOCKS)
        return LACK_DEEP_BLOCKS;
    if (!can_write_blocks(dst)) return LACK_SHARED_PLACES;
    return !data_type_is_half_byte(dst->data_type) || has_whole_bytes(dst)
                   ? LACK_NONE
                   : LACK_GAPS;
}

static const struct primitive_kind *kernel_kind(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    return src->inner_nblks > 0 || dst->inner_nblks > 0
                           || data_type_is_half_byte(src->data_type)
                           || data_type_is_half_byte(dst->data_type)
                   ? &blocks_kind
                   : &reorder_kind;
}

/* With a sum post-op, which finds dst's elements by strides: blocks are moved
 * before and after. */
static bool has_sum(const_dnnl_primitive_attr_t attr)
{
    for (int i = 0; attr != NULL && i < attr->post_ops.count; i++)
        if (attr->post_ops.ops[i].kind == dnnl_sum) return true;
    return false;
}

/* The engines of a reorder: the one whose kernels and streams it has, and the
 * other, if there is one. */
struct engines {
    dnnl_engine_t own;   /* of two dnnl_gpu engines dst's */
    dnnl_engine_t other; /* NULL: own */
    bool other_is_src;
    bool crosses_contexts;
};

static struct engines find_engines(dnnl_engine_t src, dnnl_engine_t dst)
{
    struct engines e = {dst, src, true, src->context != dst->context};
    if (dst->kind == dnnl_cpu)
        e = (struct engines){src, dst, false, e.crosses_contexts};
    if (src == dst) e.other = NULL;
    return e;
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        const struct engines *engines, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, const_dnnl_primitive_attr_t attr)
{
    bool copies = engines->crosses_contexts && is_copy(src, dst, attr);
    const enum lack lack = copies ? LACK_NONE : find_misfit(src, dst);
    if (lack != LACK_NONE) return decline_pair(dnnl_reorder, lack, src, dst);
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engines->own,
            copies ? &copy_kind : kernel_kind(src, dst), attr);
    if (st != dnnl_success) return st;
    if (engines->other != NULL) engine_retain(engines->other);
    pd->other_engine = engines->other;
    pd->other_is_src = engines->other_is_src;
    pd->crosses_contexts = engines->crosses_contexts;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    if (!copies
            && (!is_type_taken(pd->facts, src->data_type)
                    || !is_type_taken(pd->facts, dst->data_type)))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr)
{
    if (primitive_desc == NULL || src_desc == NULL || src_engine == NULL
            || dst_desc == NULL || dst_engine == NULL)
        return refuse(dnnl_reorder, REFUSAL_NULL);
    if (memory_desc_is_zero(src_desc) || memory_desc_is_zero(dst_desc))
        return refuse(dnnl_reorder, REFUSAL_NDIMS);
    if (src_desc->format_kind == dnnl_format_kind_any
            || dst_desc->format_kind == dnnl_format_kind_any)
        return refuse(dnnl_reorder, "the layout of src or dst is any");
    if (src_desc->format_kind != dnnl_blocked
            || dst_desc->format_kind != dnnl_blocked)
        return refuse(dnnl_reorder, "src or dst is a number on the host");
    if (!memory_desc_same_dims(src_desc, dst_desc))
        return refuse(dnnl_reorder, REFUSAL_DIMS);
    if (memory_desc_has_runtime(src_desc) || memory_desc_has_runtime(dst_desc))
        return decline_pair(dnnl_reorder, LACK_RUNTIME, src_desc, dst_desc);
    const struct engines engines = find_engines(src_engine, dst_engine);
    if (engines.own->kind != dnnl_gpu)
        return decline_pair(
                dnnl_reorder, LACK_HOST_REORDER, src_desc, dst_desc);
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (!engines.crosses_contexts && has_sum(attr)
            && staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_reorder_primitive_desc_create(&staging.operation, src_desc,
                        src_engine, dst_desc, dst_engine, attr));
    return create(primitive_desc, &engines, src_desc, dst_desc, attr);
}
