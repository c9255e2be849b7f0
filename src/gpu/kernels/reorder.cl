/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src) in another layout or data type. Integers go to integers
 * without a detour through float, unless there are post-ops.
 */

#ifndef BLOCKS

/* A launch of several, of which some scale src: this one does if alpha is not
 * 0. */
#ifdef SRC_SCALE
#define SCALE_PARAMETER , const __global ELEMENT(SRC_SCALE) *src_scale
#define IS_SCALED(p) ((p).alpha != 0.0f)
#define SCALED(p, s) (IS_SCALED(p) ? (s) * LOAD(SRC_SCALE, src_scale, 0) : (s))
#else
#define SCALE_PARAMETER
#define IS_SCALED(p) false
#define SCALED(p, s) (s)
#endif

__kernel GROUP_OF_ITEMS void reorder(
        const __global ELEMENT(SRC) *src,
        __global ELEMENT(DST) *dst SCALE_PARAMETER,
        const struct elementwise_params p TAIL_PARAMETERS)
{
    uint runs = (uint)p.runs;
    uint step = (uint)get_num_groups(0) * ITEMS;
    int src_stride = SRC_STRIDE(p);
    int dst_stride = DST_STRIDE(p);
    for (uint first = (uint)get_group_id(0) * ITEMS; first < runs;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= runs) continue;
        struct run run = run_of(&p, (int)i);
        for (int j = 0; j < run.count; j++) {
            int from = run.src + j * src_stride;
            int to = run.dst + j * dst_stride;
#if IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
            if (!IS_SCALED(p)) {
                STORE_INTEGER(DST, src[from], dst, to);
                continue;
            }
#endif
            float s = LOAD(SRC, src, from);
            s = SCALED(p, s);
            s = PREPARE(s, dst, to);
            STORE(DST, FINISH(s, dst, to), dst, to);
        }
    }
}
#else

/* Layouts in blocks. Elements of dst are written in the order they lie in,
 * padding included, which becomes 0. */

#define MAX_BLOCKS 4

/* The structs of these names in primitives/reorder.c. What is not used has
 * size 1: all loops have bounds that compilers know, since a driver (rusticl)
 * fails where an argument is indexed by what only the device knows. */
struct blocked_layout {
    int offset;
    int strides[MAX_DIMS]; /* from block to block */
    int blocks[MAX_BLOCKS]; /* outermost first, the unused ones before */
    int block_dims[MAX_BLOCKS];
};

struct blocks_params {
    int elements; /* with padding */
    int dims[MAX_DIMS];
    int order[MAX_DIMS]; /* of dst's blocks, outermost first */
    int outer[MAX_DIMS]; /* dst's number of blocks, in that order */
    struct blocked_layout src;
    struct blocked_layout dst; /* strides in that order */
};

/* Element number i in dst's own order: writes where in each dimension it is,
 * returns its place in dst. */
static inline int find_in_dst(const struct blocks_params *p, int i, int *where)
{
    int steps[MAX_DIMS];
    int at = p->dst.offset;
    int stride = 1;
    for (int d = 0; d < MAX_DIMS; d++) {
        where[d] = 0;
        steps[d] = 1;
    }
    for (int b = MAX_BLOCKS - 1; b >= 0; b--) {
        int size = p->dst.blocks[b];
        int d = p->dst.block_dims[b];
        int digit = i % size;
        i /= size;
        at += digit * stride;
        stride *= size;
        where[d] += digit * steps[d];
        steps[d] *= size;
    }
    for (int k = MAX_DIMS - 1; k >= 0; k--) {
        int d = p->order[k];
        int digit = i % p->outer[k];
        i /= p->outer[k];
        at += digit * p->dst.strides[k];
        where[d] += digit * steps[d];
    }
    return at;
}

/* The place in src, of which the dimensions are taken apart. */
static inline int find_in_src(const struct blocks_params *p, int *where)
{
    int at = p->src.offset;
    int stride = 1;
    for (int b = MAX_BLOCKS - 1; b >= 0; b--) {
        int size = p->src.blocks[b];
        int d = p->src.block_dims[b];
        at += where[d] % size * stride;
        where[d] /= size;
        stride *= size;
    }
    for (int d = 0; d < MAX_DIMS; d++)
        at += where[d] * p->src.strides[d];
    return at;
}

/* With HALF_BYTES, dst has two elements a byte: a work-item computes both. They
 * lie densely, from the first byte on, so that no other has a part of it. */
#ifdef HALF_BYTES
#define AT_ONCE 2
#define PUT_INTEGER(s, to) byte |= TO_HALF_BYTE(DST, s) << ((to) % 2 * 4)
#define PUT(s, to) PUT_INTEGER(convert_int_sat_rte(zero_if_nan(s)), to)
#else
#define AT_ONCE 1
#define PUT_INTEGER(s, to) STORE_INTEGER(DST, s, dst, to)
#define PUT(s, to) STORE(DST, s, dst, to)
#endif

__kernel GROUP_OF_ITEMS void reorder_blocks(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct blocks_params p TAIL_PARAMETERS)
{
    uint elements = (uint)p.elements;
    uint step = (uint)get_num_groups(0) * ITEMS * AT_ONCE;
    for (uint first = (uint)get_global_id(0) * AT_ONCE; first < elements;
            first += step) {
#ifdef HALF_BYTES
        uint byte = 0;
#endif
        for (uint i = first; i < min(first + AT_ONCE, elements); i++) {
            int where[MAX_DIMS];
            int to = find_in_dst(&p, (int)i, where);
            int is_padding = 0;
            for (int d = 0; d < MAX_DIMS; d++)
                is_padding |= where[d] >= p.dims[d];
            if (is_padding) {
                PUT(0.0f, to);
                continue;
            }
#if HAS_TAIL
            /* To the tail, dst has no blocks: elements are counted with the
             * last dimension running fastest. */
            int number = 0;
            for (int d = 0; d < MAX_DIMS; d++)
                number = number * p.dims[d] + where[d];
#endif
            int from = find_in_src(&p, where);
#if IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
            PUT_INTEGER(LOAD_WHOLE(SRC, src, from), to);
#else
            float s = LOAD(SRC, src, from);
            s = PREPARE(s, dst, number);
            s = FINISH_AT(s, dst, number, to);
            PUT(s, to);
#endif
        }
#ifdef HALF_BYTES
        dst[(p.dst.offset + (int)first) / 2] = (uchar)byte;
#endif
    }
}
#endif
