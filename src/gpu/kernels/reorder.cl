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
    uint count = (uint)p.count;
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < count;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= count) continue;
        int2 at = element_place(&p, (int)i);
#ifdef THROUGH_FLOAT
        float s = POST_OPS(convert_float(LOAD(src, at.x)));
#else
        SRC_TYPE s = LOAD(src, at.x);
#endif
        STORE(CONVERT(s), dst, at.y);
    }
}
