/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(largest, or average, of windows of src): a work-item takes an
 * element of dst, and of its window only the taps in src. With WORKSPACE, the
 * number of the largest's tap is kept. Spatial dimensions are z, y, x; missing
 * ones have size 1.
 */

/* struct pooling_params of pooling.c. */
struct pooling_params {
    int results;
    int channels;
    int out_z, out_y, out_x;
    int in_z, in_y, in_x;
    int kernel_z, kernel_y, kernel_x;
    int stride_z, stride_y, stride_x;
    int step_z, step_y, step_x; /* from tap to tap: dilation + 1 */
    int padding_z, padding_y, padding_x;
    int src_offset, src_n, src_c, src_z, src_y, src_x;
    int dst_offset, dst_n, dst_c, dst_z, dst_y, dst_x;
    int workspace_offset, workspace_n, workspace_c;
    int workspace_z, workspace_y, workspace_x;
};

/* Integers are compared as such: floats are too coarse for s32. */
#define LOWEST(type) PASTE(LOWEST_, type)
#define LOWEST_f32 (-FLT_MAX)
#define LOWEST_f16 (-65504.0f)
#define LOWEST_bf16 (-0x1.fep127f)
#define LOWEST_s32 INT_MIN
#define LOWEST_s8 CHAR_MIN
#define LOWEST_u8 0
#if IS_INTEGER(SRC)
typedef int number;
#define READ(at, i) (at)[i]
#define IS_NAN(s) 0
#else
typedef float number;
#define READ(at, i) LOAD(SRC, at, i)
#define IS_NAN(s) is_nan(s)
#endif

/* The taps from .x to before .y are in src. */
static inline int2 taps_inside(int start, int step, int size, int taps)
{
    int left = size - start;
    int2 inside;
    inside.x = start < 0 ? (step - 1 - start) / step : 0;
    inside.y = left <= 0 ? 0 : min(taps, (left + step - 1) / step);
    return inside;
}

/* Takes a dimension off the number of a result. */
#define SPLIT(name, size) \
    int name = rest % size; \
    rest /= size;

__kernel GROUP_OF_ITEMS void pooling(
        const __global ELEMENT(SRC) *src,
#ifdef WORKSPACE
        __global ELEMENT(WORKSPACE) *workspace,
#endif
        __global ELEMENT(DST) *dst,
        const struct pooling_params p TAIL_PARAMETERS)
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
        int z0 = z * p.stride_z - p.padding_z;
        int y0 = y * p.stride_y - p.padding_y;
        int x0 = x * p.stride_x - p.padding_x;
        int2 zs = taps_inside(z0, p.step_z, p.in_z, p.kernel_z);
        int2 ys = taps_inside(y0, p.step_y, p.in_y, p.kernel_y);
        int2 xs = taps_inside(x0, p.step_x, p.in_x, p.kernel_x);
        int image = p.src_offset + n * p.src_n + c * p.src_c;
#ifdef MAX
        number largest = LOWEST(SRC);
        int largest_tap = -1;
#else
        float sum = 0.0f;
#endif
        for (int kz = zs.x; kz < zs.y; kz++)
            for (int ky = ys.x; ky < ys.y; ky++)
                for (int kx = xs.x; kx < xs.y; kx++) {
                    int at = image + (z0 + kz * p.step_z) * p.src_z
                             + (y0 + ky * p.step_y) * p.src_y
                             + (x0 + kx * p.step_x) * p.src_x;
#ifdef MAX
                    number s = READ(src, at);
                    if (largest_tap < 0 || s > largest || IS_NAN(s)) {
                        largest = s;
                        largest_tap = (kz * p.kernel_y + ky) * p.kernel_x + kx;
                    }
#else
                    sum += LOAD(SRC, src, at);
#endif
                }
        int to = p.dst_offset + n * p.dst_n + c * p.dst_c + z * p.dst_z
                 + y * p.dst_y + x * p.dst_x;
#ifdef WORKSPACE
        workspace[p.workspace_offset + n * p.workspace_n + c * p.workspace_c
                  + z * p.workspace_z + y * p.workspace_y
                  + x * p.workspace_x] =
                (ELEMENT(WORKSPACE))max(largest_tap, 0);
#endif
#if defined(MAX) && IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
        STORE_INTEGER(DST, largest, dst, to);
#elif defined(MAX)
        float s = convert_float(largest);
        STORE(DST, FINISH(s, dst, to), dst, to);
#else
#ifdef INCLUDE_PADDING
        int count = p.kernel_z * p.kernel_y * p.kernel_x;
#else
        int count = (zs.y - zs.x) * (ys.y - ys.x) * (xs.y - xs.x);
#endif
        float s = sum / convert_float(count);
        STORE(DST, FINISH(s, dst, to), dst, to);
#endif
    }
}
