/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src) in another layout or data type. Floats become integers
 * by rounding to nearest even and saturating; NaN becomes 0. Integers go to
 * integers without a detour through float, unless there are post-ops.
 */

#if defined(SRC_f32)
#define SRC_TYPE float
#elif defined(SRC_f16)
#define SRC_TYPE half
#elif defined(SRC_s32)
#define SRC_TYPE int
#elif defined(SRC_s8)
#define SRC_TYPE char
#elif defined(SRC_u8)
#define SRC_TYPE uchar
#endif

/* Drivers differ in what integer they make of it. */
#define ZERO_IF_NAN(s) (isnan(s) ? 0.0f : (s))

#if defined(DST_f32)
#define DST_TYPE float
#define CONVERT(s) convert_float(s)
#elif defined(DST_f16)
#define DST_TYPE half
#define CONVERT(s) convert_float(s)
#elif defined(DST_s32)
#define DST_TYPE int
#define CONVERT_FLOAT(s) convert_int_sat_rte(ZERO_IF_NAN(s))
#define CONVERT(s) convert_int_sat(s)
#elif defined(DST_s8)
#define DST_TYPE char
#define CONVERT_FLOAT(s) convert_char_sat_rte(ZERO_IF_NAN(s))
#define CONVERT(s) convert_char_sat(s)
#elif defined(DST_u8)
#define DST_TYPE uchar
#define CONVERT_FLOAT(s) convert_uchar_sat_rte(ZERO_IF_NAN(s))
#define CONVERT(s) convert_uchar_sat(s)
#endif

#ifdef SRC_f16
#define LOAD(src, i) vload_half(i, src)
#else
#define LOAD(src, i) src[i]
#endif

/* What the value is between load and store. */
#if defined(SRC_f32) || defined(SRC_f16) || POST_OP_COUNT > 0
#define THROUGH_FLOAT
#endif
#if defined(THROUGH_FLOAT) && defined(CONVERT_FLOAT)
#undef CONVERT
#define CONVERT(s) CONVERT_FLOAT(s)
#endif

#ifdef DST_f16
#define STORE(s, dst, i) vstore_half_rte(s, i, dst)
#else
#define STORE(s, dst, i) dst[i] = s
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void reorder(
        const __global SRC_TYPE *src, __global DST_TYPE *dst,
        const struct elementwise_params p POST_OP_PARAMETER)
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
#ifdef THROUGH_FLOAT
            float s = POST_OPS(convert_float(LOAD(src, from)));
#else
            SRC_TYPE s = LOAD(src, from);
#endif
            STORE(CONVERT(s), dst, to);
        }
    }
}
