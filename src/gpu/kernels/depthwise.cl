/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution of one input channel a group, on devices whose work-items run one
 * after the other; lines of src and dst lie dense. A work-group is one
 * work-item, which computes a tile of one channel: it copies the part of the
 * image that the tile's windows cover, padding and all, to local memory, where
 * any sixteen neighbours are a vector.
 *
 * Pixels of the part that are a stride apart lie side by side: there are
 * stride_y * stride_x phases. Each tap then has an offset to its own pixel that
 * is the same for all results, from line to line, too: the lines of the tile are
 * as far apart as those of a phase, and are computed as one. What comes out
 * between them is dropped.
 */

#define LENGTH 16 /* of a vector */
#define BLOCK 64  /* results that are computed side by side */
typedef NUMBERS(16) numbers;

/* struct depthwise_params of depthwise_plan.c. */
struct depthwise_params {
    int tiles; /* tiles_yx * channels * planes of all images */
    int tiles_x;
    int tiles_yx; /* of one plane */
    int rows;     /* of dst in a tile, as columns */
    int columns;
    int pitch; /* of a phase's lines */
    int phase; /* elements of a phase */
    int used;  /* of all phases, and what blocks read behind them */
    int channels; /* of dst */
    int m;        /* of dst in a group */
    int out_z, out_y, out_x;
    int in_z, in_y, in_x;
    int kernel_z, kernel_y, kernel_x;
    int stride_z, stride_y, stride_x;
    int step_z, step_y, step_x; /* from tap to tap: dilation + 1 */
    int padding_z, padding_y, padding_x;
    int src_offset, src_n, src_c, src_z, src_y;
    int weights_offset, weights_g, weights_m, weights_y, weights_x;
    int bias_offset, bias_c;
    int dst_offset, dst_n, dst_c, dst_z, dst_y;
};

/* Results of integers that nothing makes a float of on their way. */
#if defined(INTEGER_SUMS) && IS_INTEGER(DST) && !HAS_TAIL \
        && (!defined(BIAS) || IS_INTEGER(BIAS))
#define INTEGER_RESULTS
#endif

/* A part of an image: from line y and column x on, which may be outside. */
struct part {
    int y;
    int x;
    int height;
    int width;
};

/* Where column x of a part's line is, from the line's first. */
INLINE int column_place(const struct depthwise_params *p, int x)
{
    return x % p->stride_x * p->phase + x / p->stride_x;
}

/* Copies `count` neighbours less the zero point to the columns of a line from
 * x on. */
INLINE void copy_line(const struct depthwise_params *p,
        const __global ELEMENT(SRC) *src, int count, number zero, int x,
        __local number *line)
{
    int i = 0;
    if (p->stride_x == 1) {
        for (; i <= count - LENGTH; i += LENGTH)
            vstore16(TILE_LOAD_VECTOR(SRC, 16, src + i) - (numbers)zero, 0,
                    line + x + i);
    } else if (p->stride_x == 2) {
        for (; i < count && (x + i) % 2 != 0; i++)
            line[column_place(p, x + i)] = TILE_LOAD(SRC, src, i) - zero;
        for (; i <= count - LENGTH; i += LENGTH) {
            numbers v = TILE_LOAD_VECTOR(SRC, 16, src + i) - (numbers)zero;
            vstore8(v.even, 0, line + (x + i) / 2);
            vstore8(v.odd, 0, line + p->phase + (x + i) / 2);
        }
    }
    for (; i < count; i++)
        line[column_place(p, x + i)] = TILE_LOAD(SRC, src, i) - zero;
}

/* Copies a part of a plane, with 0 where it is outside. */
INLINE void copy_part(const struct depthwise_params *p,
        const __global ELEMENT(SRC) *src, const struct part *part, number zero,
        __local number *in)
{
    for (int i = 0; i < p->used; i += LENGTH)
        vstore16((numbers)(0), 0, in + i);
    int first = max(part->x, 0);
    int count = min(part->x + part->width, p->in_x) - first;
    int end = min(part->y + part->height, p->in_y);
    for (int y = max(part->y, 0); y < end; y++) {
        int line = y - part->y;
        copy_line(p, src + y * p->src_y + first, count, zero, first - part->x,
                in + line % p->stride_y * p->stride_x * p->phase
                        + line / p->stride_y * p->pitch);
    }
}

/* The offsets from a result's place to its taps, MAX_TAPS at most. */
INLINE void place_taps(const struct depthwise_params *p, __local int *places)
{
    for (int i = 0; i < p->kernel_y * p->kernel_x; i++) {
        int y = i / p->kernel_x * p->step_y;
        int x = i % p->kernel_x * p->step_x;
        places[i] = y % p->stride_y * p->stride_x * p->phase
                    + y / p->stride_y * p->pitch + column_place(p, x);
    }
}

/* out[i] = the sum over all taps of weight * in[i + place], for the first
 * `count` results, and up to a block more. */
INLINE void multiply(int taps, const __local int *places,
        const __local number *weights, const __local number *in, int count,
        __local number *out)
{
    int i = 0;
    for (; i < count - (BLOCK - LENGTH); i += BLOCK) {
        numbers s0 = 0;
        numbers s1 = 0;
        numbers s2 = 0;
        numbers s3 = 0;
        for (int t = 0; t < taps; t++) {
            const __local number *at = in + i + places[t];
            numbers w = (numbers)weights[t];
            s0 = MULTIPLY_ADD(vload16(0, at), w, s0);
            s1 = MULTIPLY_ADD(vload16(1, at), w, s1);
            s2 = MULTIPLY_ADD(vload16(2, at), w, s2);
            s3 = MULTIPLY_ADD(vload16(3, at), w, s3);
        }
        vstore16(s0, 0, out + i);
        vstore16(s1, 1, out + i);
        vstore16(s2, 2, out + i);
        vstore16(s3, 3, out + i);
    }
    for (; i < count; i += LENGTH) {
        numbers s = 0;
        for (int t = 0; t < taps; t++)
            s = MULTIPLY_ADD(vload16(0, in + i + places[t]),
                    (numbers)weights[t], s);
        vstore16(s, 0, out + i);
    }
}

__kernel GROUP_OF_ITEMS void depthwise(
        const __global ELEMENT(SRC) *src,
        const __global ELEMENT(WEIGHTS) *weights,
#ifdef BIAS
        const __global ELEMENT(BIAS) *bias,
#endif
#ifdef SRC_ZERO_POINT
        const __global ELEMENT(SRC_ZERO_POINT) *src_zero_point,
#endif
#ifdef WEIGHTS_ZERO_POINT
        const __global ELEMENT(WEIGHTS_ZERO_POINT) *weights_zero_point,
#endif
        __global ELEMENT(DST) *dst,
        const struct depthwise_params p TAIL_PARAMETERS)
{
    __local number in[IN_SIZE] __attribute__((aligned(64)));
    __local number out[OUT_SIZE] __attribute__((aligned(64)));
    __local int places[MAX_TAPS];
    __local number factors[MAX_TAPS];
    number src_zero = 0;
    number weights_zero = 0;
    if (p.tiles == 0) return;
#if defined(SRC_ZERO_POINT) && !defined(SRC_ZERO_POINT_BY_CHANNEL)
    src_zero = (number)src_zero_point[0];
#endif
#if defined(WEIGHTS_ZERO_POINT) && !defined(WEIGHTS_ZERO_POINT_BY_CHANNEL)
    weights_zero = (number)weights_zero_point[0];
#endif
    place_taps(&p, places);
    int taps = p.kernel_y * p.kernel_x;
    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int rest = tile / p.tiles_yx;
        int y0 = (tile - rest * p.tiles_yx) / p.tiles_x * p.rows;
        int x0 = (tile - rest * p.tiles_yx) % p.tiles_x * p.columns;
        int rows = min(p.rows, p.out_y - y0);
        int columns = min(p.columns, p.out_x - x0);
        int channel = rest % p.channels;
        rest /= p.channels;
        int z = rest % p.out_z;
        int image = rest / p.out_z;
        int group = channel / p.m;
#ifdef SRC_ZERO_POINT_BY_CHANNEL
        src_zero = (number)src_zero_point[group];
#endif
#ifdef WEIGHTS_ZERO_POINT_BY_CHANNEL
        weights_zero = (number)weights_zero_point[channel];
#endif
        const struct part part = {y0 * p.stride_y - p.padding_y,
                x0 * p.stride_x - p.padding_x,
                (rows - 1) * p.stride_y + (p.kernel_y - 1) * p.step_y + 1,
                (columns - 1) * p.stride_x + (p.kernel_x - 1) * p.step_x + 1};
        copy_part(&p,
                src + p.src_offset + image * p.src_n + group * p.src_c
                        + z * p.stride_z * p.src_z,
                &part, src_zero, in);
        int w = p.weights_offset + group * p.weights_g
                + (channel - group * p.m) * p.weights_m;
        for (int i = 0; i < taps; i++)
            factors[i] = TILE_LOAD(WEIGHTS, weights,
                                 w + i / p.kernel_x * p.weights_y
                                         + i % p.kernel_x * p.weights_x)
                         - weights_zero;
        multiply(taps, places, factors, in, (rows - 1) * p.pitch + columns,
                out);
        int to0 = p.dst_offset + image * p.dst_n + channel * p.dst_c
                  + z * p.dst_z + y0 * p.dst_y + x0;
#ifdef BIAS
        int addend = p.bias_offset + channel * p.bias_c;
#endif
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int to = to0 + y * p.dst_y + x;
#ifdef INTEGER_RESULTS
                int s = out[y * p.pitch + x];
#ifdef BIAS
                s = add_sat(s, LOAD_INTEGER(bias, addend));
#endif
                STORE_INTEGER(DST, s, dst, to);
#else
                float s = convert_float(out[y * p.pitch + x]);
                s = PREPARE(s, dst, to);
#ifdef BIAS
                s += LOAD(BIAS, bias, addend);
#endif
                STORE(DST, FINISH(s, dst, to), dst, to);
#endif
            }
        }
    }
}
