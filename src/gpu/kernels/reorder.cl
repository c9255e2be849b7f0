/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = src in another layout or type; SRC_TYPE and DST_TYPE are the numbers of
 * dnnl_data_type_t. Integers are saturated, halves and integers rounded to
 * nearest even. f16 is storage only: values are float on the way.
 */

#define F16 1
#define F32 3
#define S32 4
#define S8 5
#define U8 6

#if SRC_TYPE == F16
typedef half src_t;
#define LOAD(i) vload_half(i, src)
#elif SRC_TYPE == F32
typedef float src_t;
#elif SRC_TYPE == S32
typedef int src_t;
#elif SRC_TYPE == S8
typedef char src_t;
#elif SRC_TYPE == U8
typedef uchar src_t;
#endif
#ifndef LOAD
#define LOAD(i) src[i]
#endif

#if SRC_TYPE == F16 || SRC_TYPE == F32
#define TO_INTEGER(type, s) convert_##type##_sat_rte(s)
#else
#define TO_INTEGER(type, s) convert_##type##_sat(s)
#endif

#if DST_TYPE == F16
typedef half dst_t;
#define STORE(s, i) vstore_half_rte(convert_float_rte(s), i, dst)
#elif DST_TYPE == F32
typedef float dst_t;
#define STORE(s, i) dst[i] = convert_float_rte(s)
#elif DST_TYPE == S32
typedef int dst_t;
#define STORE(s, i) dst[i] = TO_INTEGER(int, s)
#elif DST_TYPE == S8
typedef char dst_t;
#define STORE(s, i) dst[i] = TO_INTEGER(char, s)
#elif DST_TYPE == U8
typedef uchar dst_t;
#define STORE(s, i) dst[i] = TO_INTEGER(uchar, s)
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void reorder(
        const __global src_t *src, __global dst_t *dst,
        const struct elementwise_params p)
{
    uint count = (uint)p.count;
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < count;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i < count) {
            int2 at = element_place(&p, (int)i);
            STORE(LOAD(at.x), at.y);
        }
    }
}
