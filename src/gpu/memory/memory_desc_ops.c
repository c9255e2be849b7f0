/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of the same elements seen otherwise: a part of a tensor, its
 * dimensions in another order, split or joined. No element moves.
 */
#include "src/gpu/engine/lacks.h"
#include "src/gpu/memory/memory_desc.h"

#include <string.h>

/* ---- A part of a tensor -------------------------------------------------- */

/* Keeps the part of a dimension, which begins with a block and ends with one or
 * with the tensor. */
static dnnl_status_t cut(struct dnnl_memory_desc *md, int d, dnnl_dim_t size,
        dnnl_dim_t offset, dnnl_dim_t block)
{
    if (size < 0 || offset < 0 || offset > md->dims[d]
            || size > md->dims[d] - offset)
        return dnnl_invalid_arguments;
    bool is_at_end = offset + size == md->dims[d];
    if (offset % block != 0 || (!is_at_end && size % block != 0))
        return lack_report("memory_desc", LACK_PART_OF_BLOCK);
    /* Where nothing begins does not matter, and may be past the end. */
    if (size > 0) md->offset0 += offset / block * md->strides[d];
    md->dims[d] = size;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims,
        const dnnl_dims_t offsets)
{
    const struct dnnl_memory_desc *parent = parent_memory_desc;
    if (memory_desc == NULL || parent == NULL || dims == NULL
            || offsets == NULL)
        return dnnl_invalid_arguments;
    if (memory_desc_has_runtime(parent) || parent->format_kind != dnnl_blocked)
        return lack_report("memory_desc", LACK_PART_OF_UNKNOWN);
    struct dnnl_memory_desc md = *parent;
    dnnl_dims_t blocks;
    memory_desc_block_dims(parent, blocks);
    dnnl_status_t st = dnnl_success;
    for (int d = 0; d < md.ndims && st == dnnl_success; d++)
        st = cut(&md, d, dims[d], offsets[d], blocks[d]);
    if (st != dnnl_success) return st;
    memory_desc_pad(&md);
    return memory_desc_give(&md, memory_desc);
}

/* ---- Dimensions in another order ----------------------------------------- */

static bool is_permutation(const int *permutation, int ndims)
{
    unsigned seen = 0;
    for (int d = 0; d < ndims; d++) {
        if (permutation[d] < 0 || permutation[d] >= ndims) return false;
        seen |= 1u << permutation[d];
    }
    return seen == (1u << ndims) - 1;
}

dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, const int *permutation)
{
    const struct dnnl_memory_desc *in = in_memory_desc;
    if (out_memory_desc == NULL || in == NULL || permutation == NULL)
        return dnnl_invalid_arguments;
    if (in->format_kind == dnnl_format_kind_undef
            || in->format_kind == dnnl_format_kind_host_scalar
            || memory_desc_has_runtime(in)
            || !is_permutation(permutation, in->ndims))
        return dnnl_invalid_arguments;
    struct dnnl_memory_desc out = *in;
    for (int d = 0; d < in->ndims; d++) {
        out.dims[permutation[d]] = in->dims[d];
        out.padded_dims[permutation[d]] = in->padded_dims[d];
        out.strides[permutation[d]] = in->strides[d];
    }
    for (int i = 0; i < in->inner_nblks; i++)
        out.inner_idxs[i] = permutation[in->inner_idxs[i]];
    return memory_desc_give(&out, out_memory_desc);
}

/* ---- Dimensions split or joined ------------------------------------------ */

/* Neighbouring dimensions of a descriptor that stand for neighbouring ones of
 * another: as many elements, none of them of size 1 unless all are. An empty
 * dimension stands for an empty one, and is alone. */
struct group {
    int first;
    int end;
    dnnl_dim_t size;
};

static void extend(const struct dnnl_memory_desc *md, struct group *g)
{
    g->size *= md->dims[g->end];
    g->end++;
}

/* Dimensions of size 1 with blocks are more than that in memory. */
static bool is_one(const struct dnnl_memory_desc *md, int d)
{
    return md->dims[d] == 1 && md->padded_dims[d] == 1;
}

static int skip_ones(const struct dnnl_memory_desc *md, int d)
{
    while (d < md->ndims && is_one(md, d))
        d++;
    return d;
}

/* The next group of each, after those given. The smaller one grows until both
 * have as many elements. False: they never have. */
static bool next_groups(const struct dnnl_memory_desc *in, struct group *a,
        const struct dnnl_memory_desc *out, struct group *b)
{
    *a = (struct group){a->end, a->end, 1};
    *b = (struct group){b->end, b->end, 1};
    extend(in, a);
    extend(out, b);
    while (a->size != b->size) {
        const struct dnnl_memory_desc *md = a->size < b->size ? in : out;
        struct group *g = a->size < b->size ? a : b;
        if (g->end == md->ndims) return false;
        extend(md, g);
    }
    return true;
}

/* Are a group's dimensions like one in memory, blocks at most in the last? */
static bool is_joined(const struct dnnl_memory_desc *md, const struct group *g,
        const dnnl_dims_t blocks)
{
    int inner = g->end - 1;
    for (int d = g->end - 1; d >= g->first; d--) {
        if (md->padded_dims[d] != md->dims[d]) return false;
        if (is_one(md, d)) continue;
        if (d != inner && blocks[d] != 1) return false;
        dnnl_dim_t next; /* the stride of what follows */
        if (d != inner
                && (__builtin_mul_overflow(md->strides[inner],
                            md->dims[inner] / blocks[inner], &next)
                        || md->strides[d] != next))
            return false;
        inner = d;
    }
    return true;
}

/* Moves the blocks of dimension `from` of in to dimension `to` of out. */
static void move_blocks(const struct dnnl_memory_desc *in, int from,
        struct dnnl_memory_desc *out, int to)
{
    for (int i = 0; i < in->inner_nblks; i++)
        if (in->inner_idxs[i] == from) out->inner_idxs[i] = to;
}

/* Lays out's group out as in's. */
static bool set_group(const struct dnnl_memory_desc *in, const struct group *a,
        struct dnnl_memory_desc *out, const struct group *b,
        const dnnl_dims_t blocks)
{
    int from = a->end - 1;
    int to = b->end - 1;
    bool is_same = a->end - a->first == 1 && b->end - b->first == 1;
    while (from > a->first && is_one(in, from))
        from--;
    while (to > b->first && out->dims[to] == 1)
        to--;
    if (!is_same && !is_joined(in, a, blocks)) return false;
    /* Blocks lie within the innermost one. */
    if (!is_same && out->dims[to] % blocks[from] != 0) return false;
    dnnl_dim_t stride = in->strides[from];
    move_blocks(in, from, out, to);
    for (int d = b->end - 1; d >= b->first; d--) {
        out->strides[d] = stride;
        /* Past the last one it may be too large, and is not wanted. */
        dnnl_dim_t size = d == to ? out->dims[d] / blocks[from] : out->dims[d];
        if (d > b->first && __builtin_mul_overflow(stride, size, &stride))
            return false;
    }
    return true;
}

static bool set_groups(const struct dnnl_memory_desc *in,
        struct dnnl_memory_desc *out, const dnnl_dims_t blocks)
{
    struct group a = {0, 0, 1};
    struct group b = {0, 0, 1};
    for (;;) {
        a.end = skip_ones(in, a.end);
        for (; b.end < out->ndims && out->dims[b.end] == 1
                && (a.end == in->ndims || in->dims[a.end] != 1);
                b.end++)
            out->strides[b.end] = 1;
        if (a.end == in->ndims || b.end == out->ndims)
            return a.end == in->ndims && b.end == out->ndims;
        if (!next_groups(in, &a, out, &b)
                || !set_group(in, &a, out, &b, blocks))
            return false;
    }
}

dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, int ndims,
        const dnnl_dims_t dims)
{
    const struct dnnl_memory_desc *in = in_memory_desc;
    struct dnnl_memory_desc out;
    if (out_memory_desc == NULL || in == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = memory_desc_start(&out, ndims, dims, in->data_type);
    if (st != dnnl_success) return st;
    if (memory_desc_is_zero(in) || ndims == 0 || memory_desc_has_runtime(in)
            || memory_desc_has_runtime(&out)
            || in->format_kind == dnnl_format_kind_host_scalar
            || memory_desc_nelems(in) != memory_desc_nelems(&out))
        return dnnl_invalid_arguments;
    if (in->format_kind == dnnl_format_kind_any)
        return memory_desc_give(&out, out_memory_desc);
    dnnl_dims_t blocks;
    memory_desc_block_dims(in, blocks);
    out.format_kind = dnnl_blocked;
    out.offset0 = in->offset0;
    out.inner_nblks = in->inner_nblks;
    memcpy(out.inner_blks, in->inner_blks, sizeof out.inner_blks);
    if (!set_groups(in, &out, blocks)) return dnnl_invalid_arguments;
    memory_desc_pad(&out);
    return memory_desc_give(&out, out_memory_desc);
}
