/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(largest, or average, of windows of src): a work-item takes an
 * element of dst, and of its window only the taps in src. With WORKSPACE, the
 * number of the largest's tap is kept. Spatial dimensions are z, y, x; missing
 * ones have size 1.
 *
 * With LINES, for devices whose work-items run one after the other, a work-item
 * takes a line of dst, dense elements along x or the channels, in vectors. Each
 * element is computed as it would be on its own, of the same taps in the same
 * order.
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
    int lines;      /* of dst */
    int vector_end; /* a vector of src must start before it */
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

#ifdef LINES
#define WIDE 16
typedef PASTE(int, WIDE) lanes; /* true is -1 */
#if IS_INTEGER(SRC) && defined(MAX)
typedef int one;
typedef lanes numbers;
#define READ_VECTOR(at) LOAD_INTEGER_VECTOR(WIDE, at)
#define ARE_NAN(s) 0
#define IDENTITY INT_MIN
#else
typedef float one;
typedef PASTE(float, WIDE) numbers;
#define READ_VECTOR(at) LOAD_VECTOR(SRC, WIDE, at)
#define ARE_NAN(s) ((as_int16(s) & 0x7fffffff) > 0x7f800000)
#ifdef MAX
#define IDENTITY -INFINITY
#else
#define IDENTITY 0.0f
#endif
#endif
#ifdef MAX
#define JOIN_TAP(a, s) select(a, s, (s > a) | ARE_NAN(s))
#else
#undef READ
#define READ(at, i) LOAD(SRC, at, i)
#define JOIN_TAP(a, s) ((a) + (s))
#endif

/* A vector of results: what is joined of their windows, and of how many taps. */
struct joined {
    numbers value;
    lanes taps;
};

/* WIDE elements of src that are `stride` apart. Nothing behind the last is
 * read: it may not exist. */
INLINE numbers read_wide(const __global ELEMENT(SRC) *at, int stride)
{
    if (stride == 1) return READ_VECTOR(at);
    if (stride == 2) {
        numbers low = READ_VECTOR(at);
        numbers high = READ_VECTOR(at + WIDE - 1);
        return (numbers)(low.even, high.odd);
    }
    one s[WIDE];
    for (int j = 0; j < WIDE; j++)
        s[j] = READ(at, j * stride);
    return vload16(0, s);
}

/* The same of those that are there: others may be outside src. */
INLINE numbers read_some(
        const __global ELEMENT(SRC) *src, int at, int stride, lanes inside)
{
    one s[WIDE];
    int there[WIDE];
    vstore16(inside, 0, there);
    for (int j = 0; j < WIDE; j++)
        s[j] = there[j] ? READ(src, at + j * stride) : (one)0;
    return vload16(0, s);
}

/* Joins a tap of each of the `count` results, the first at place `at` and
 * column x of src, the others `stride` apart. */
INLINE void join_taps(const struct pooling_params *p,
        const __global ELEMENT(SRC) *src, int at, int stride, int x, int in_x,
        int count, struct joined *joined)
{
    const lanes number = (lanes)(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    bool is_inside = x >= 0 && x + (count - 1) * stride < in_x;
    bool is_vector = (is_inside && count == WIDE)
                     || (at >= 0 && at < p->vector_end);
    if (is_vector && is_inside) {
        numbers s = read_wide(src + at, stride);
        joined->value = JOIN_TAP(joined->value, s);
        joined->taps += 1;
        return;
    }
    lanes xs = x + number * stride;
    lanes inside = (xs >= 0) & (xs < in_x) & (number < count);
    if (!any(inside)) return;
    numbers s = is_vector ? read_wide(src + at, stride)
                          : read_some(src, at, stride, inside);
    joined->value =
            select(joined->value, JOIN_TAP(joined->value, s), inside);
    joined->taps -= inside;
}

__kernel GROUP_OF_ITEMS void pooling(const __global ELEMENT(SRC) *src,
        __global ELEMENT(DST) *dst,
        const struct pooling_params p TAIL_PARAMETERS)
{
    src += p.src_offset;
    for (int line = (int)get_group_id(0); line < p.lines;
            line += (int)get_num_groups(0)) {
        int rest = line;
#ifdef CHANNELS_INNER
        SPLIT(x, p.out_x)
        const int length = p.channels;
        const int stride = 1;
        int c = 0;
#else
        const int length = p.out_x;
        const int stride = p.stride_x;
        int x = 0;
#endif
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
#ifdef CHANNELS_INNER
        int2 xs = taps_inside(x0, p.step_x, p.in_x, p.kernel_x);
#else
        int2 xs = (int2)(0, p.kernel_x);
#endif
        int image = n * p.src_n + c * p.src_c;
        int line_to = p.dst_offset + n * p.dst_n + c * p.dst_c + z * p.dst_z
                      + y * p.dst_y + x * p.dst_x;
        for (int first = 0; first < length; first += WIDE) {
            int count = min(WIDE, length - first);
            struct joined joined = {(numbers)(IDENTITY), (lanes)(0)};
            for (int kz = zs.x; kz < zs.y; kz++)
                for (int ky = ys.x; ky < ys.y; ky++)
                    for (int kx = xs.x; kx < xs.y; kx++) {
                        int at = image + (z0 + kz * p.step_z) * p.src_z
                                 + (y0 + ky * p.step_y) * p.src_y;
                        int tap_x = x0 + kx * p.step_x;
#ifdef CHANNELS_INNER
                        join_taps(&p, src, at + tap_x * p.src_x + first, 1,
                                first, length, count, &joined);
#else
                        tap_x += first * stride;
                        join_taps(&p, src, at + tap_x, stride, tap_x, p.in_x,
                                count, &joined);
#endif
                    }
#ifdef MAX
            numbers values = select(
                    (numbers)(LOWEST(SRC)), joined.value, joined.taps != 0);
#elif defined(INCLUDE_PADDING)
            numbers values =
                    joined.value
                    / convert_float(p.kernel_z * p.kernel_y * p.kernel_x);
#else
            numbers values = joined.value / convert_float16(joined.taps);
#endif
            int to = line_to + first;
#if defined(MAX) && IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
            int results[WIDE];
            vstore16(values, 0, results);
            for (int j = 0; j < count; j++)
                STORE_INTEGER(DST, results[j], dst, to + j);
#else
            float results[WIDE];
            vstore16(convert_float16(values), 0, results);
            for (int j = 0; j < count; j++) {
                float s = results[j];
                STORE(DST, FINISH(s, dst, to + j), dst, to + j);
            }
#endif
        }
    }
}
#else
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
#endif
