/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src at the centres of dst's elements): a work-item takes an
 * element of dst. With NEAREST it is the nearest element of src, else the mean
 * of its neighbours, two in each dimension, weighted by how near they are.
 * Spatial dimensions are z, y, x; missing ones have size 1. With LINES, for
 * devices whose work-items run one after the other, a work-item takes a line of
 * dst, along x or the channels, of nearest elements, and divides once a line.
 */

/* struct resampling_params of resampling.c. */
struct resampling_params {
    int results;
    int channels;
    int out_z, out_y, out_x;
    int in_z, in_y, in_x;
    int src_offset, src_n, src_c, src_z, src_y, src_x;
    int dst_offset, dst_n, dst_c, dst_z, dst_y, dst_x;
    int lines; /* of dst */
};

/* For products of sizes. */
#ifdef WIDE
typedef long wide;
#else
typedef int wide;
#endif

/* The centre of element `at` of `out` is at (2 at + 1) in / (2 out) in src,
 * where element i reaches from i to i + 1. */
static inline int nearest(int at, int out, int in)
{
    return (int)((2 * (wide)at + 1) * in / (2 * (wide)out));
}

/* The neighbours whose centres are around that, at the edge the same one
 * twice, and the weight of the second. */
struct neighbours {
    int first, second;
    float weight;
};

static inline struct neighbours neighbours(int at, int out, int in)
{
    struct neighbours n = {0, 0, 0.0f};
    wide centre = (2 * (wide)at + 1) * in - out; /* in parts of 2 out */
    if (centre <= 0) return n;
    n.first = (int)(centre / (2 * (wide)out));
    n.second = min(n.first + 1, in - 1);
    wide rest = centre - n.first * (2 * (wide)out);
    n.weight = convert_float(rest) / convert_float(2 * (wide)out);
    return n;
}

/* Takes a dimension off the number of a result. */
#define SPLIT(name, size) \
    int name = rest % size; \
    rest /= size;

/* Of one element, at places of src and dst. */
#if IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
#define COPY(from, to) STORE_INTEGER(DST, src[from], dst, to);
#else
#define COPY(from, to)                       \
    {                                        \
        int at = to;                         \
        float s = LOAD(SRC, src, from);      \
        STORE(DST, FINISH(s, dst, at), dst, at); \
    }
#endif

#ifdef LINES
__kernel GROUP_OF_ITEMS void resampling(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct resampling_params p TAIL_PARAMETERS)
{
    for (int line = (int)get_group_id(0); line < p.lines;
            line += (int)get_num_groups(0)) {
        int rest = line;
#ifdef CHANNELS_INNER
        SPLIT(x, p.out_x)
#endif
        SPLIT(y, p.out_y)
        SPLIT(z, p.out_z)
#ifndef CHANNELS_INNER
        SPLIT(c, p.channels)
#endif
        int n = rest;
        int from = p.src_offset + n * p.src_n
                   + nearest(z, p.out_z, p.in_z) * p.src_z
                   + nearest(y, p.out_y, p.in_y) * p.src_y;
        int to = p.dst_offset + n * p.dst_n + z * p.dst_z + y * p.dst_y;
#ifdef CHANNELS_INNER
        from += nearest(x, p.out_x, p.in_x) * p.src_x;
        to += x * p.dst_x;
        for (int c = 0; c < p.channels; c++)
            COPY(from + c * p.src_c, to + c * p.dst_c)
#else
        from += c * p.src_c;
        to += c * p.dst_c;
        /* nearest() of one x after the other: its quotient and remainder. */
        wide divisor = 2 * (wide)p.out_x;
        int quotient = (int)(p.in_x / divisor);
        wide remainder = p.in_x % divisor;
        int step = p.in_x / p.out_x;
        wide remainder_step = 2 * (wide)(p.in_x % p.out_x);
        for (int x = 0; x < p.out_x; x++) {
            COPY(from + quotient * p.src_x, to + x * p.dst_x)
            remainder += remainder_step;
            bool carries = remainder >= divisor;
            quotient += step + carries;
            remainder -= carries ? divisor : 0;
        }
#endif
    }
}
#else
__kernel GROUP_OF_ITEMS void resampling(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct resampling_params p TAIL_PARAMETERS)
{
    uint results = (uint)p.results;
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < results;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= results) continue;
        int rest = (int)i;
#ifdef CHANNELS_INNER
        SPLIT(c, p.channels)
#endif
        SPLIT(x, p.out_x)
        SPLIT(y, p.out_y)
        SPLIT(z, p.out_z)
#ifndef CHANNELS_INNER
        SPLIT(c, p.channels)
#endif
        int n = rest;
        int image = p.src_offset + n * p.src_n + c * p.src_c;
        int to = p.dst_offset + n * p.dst_n + c * p.dst_c + z * p.dst_z
                 + y * p.dst_y + x * p.dst_x;
#ifdef NEAREST
        int from = image + nearest(z, p.out_z, p.in_z) * p.src_z
                   + nearest(y, p.out_y, p.in_y) * p.src_y
                   + nearest(x, p.out_x, p.in_x) * p.src_x;
        COPY(from, to)
#else
        struct neighbours nz = neighbours(z, p.out_z, p.in_z);
        struct neighbours ny = neighbours(y, p.out_y, p.in_y);
        struct neighbours nx = neighbours(x, p.out_x, p.in_x);
        float s = 0.0f;
        for (int corner = 0; corner < 8; corner++) {
            bool far_z = (corner & 4) != 0;
            bool far_y = (corner & 2) != 0;
            bool far_x = (corner & 1) != 0;
            float weight = (far_z ? nz.weight : 1.0f - nz.weight)
                           * (far_y ? ny.weight : 1.0f - ny.weight)
                           * (far_x ? nx.weight : 1.0f - nx.weight);
            /* What does not count may be infinite. */
            if (weight == 0.0f) continue;
            int from = image + (far_z ? nz.second : nz.first) * p.src_z
                       + (far_y ? ny.second : ny.first) * p.src_y
                       + (far_x ? nx.second : nx.first) * p.src_x;
            s += weight * LOAD(SRC, src, from);
        }
        STORE(DST, FINISH(s, dst, to), dst, to);
#endif
    }
}
#endif
