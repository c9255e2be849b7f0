/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of every data type, as float. A kernel's tensors have their type in
 * a macro: with -DSRC=f16, ELEMENT(SRC) is what src points to, and
 * LOAD(SRC, src, i) its element i.
 *
 * Floats become integers by rounding to nearest even and saturating, NaN
 * becomes 0; f16 and bf16 are rounded to nearest even. Both are storage only:
 * no kernel computes in them.
 */

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define ELEMENT(type) PASTE(ELEMENT_, type)
#define ELEMENT_f32 float
#define ELEMENT_f16 half
#define ELEMENT_bf16 ushort /* the upper half of a float */
#define ELEMENT_s32 int
#define ELEMENT_s8 char
#define ELEMENT_u8 uchar
#define ELEMENT_s4 uchar /* two elements, the first in the lower bits */
#define ELEMENT_u4 uchar

/* 1 if elements are integers. */
#define IS_INTEGER(type) PASTE(IS_INTEGER_, type)
#define IS_INTEGER_f32 0
#define IS_INTEGER_f16 0
#define IS_INTEGER_bf16 0
#define IS_INTEGER_s32 1
#define IS_INTEGER_s8 1
#define IS_INTEGER_u8 1
#define IS_INTEGER_s4 1
#define IS_INTEGER_u4 1

/* 1 if elements are f16, which only vload_half and the like can read. */
#define IS_HALF(type) PASTE(IS_HALF_, type)
#define IS_HALF_f32 0
#define IS_HALF_f16 1
#define IS_HALF_bf16 0
#define IS_HALF_s8 0
#define IS_HALF_u8 0
#define IS_HALF_s4 0
#define IS_HALF_u4 0

/* ---- Loads --------------------------------------------------------------- */

#define LOAD(type, at, i) PASTE(LOAD_, type)(at, i)
#define LOAD_f32(at, i) (at)[i]
#define LOAD_f16(at, i) vload_half(i, at)
#define LOAD_bf16(at, i) as_float((uint)(at)[i] << 16)
#define LOAD_s32(at, i) convert_float((at)[i])
#define LOAD_s8(at, i) convert_float((at)[i])
#define LOAD_u8(at, i) convert_float((at)[i])
#define LOAD_s4(at, i) convert_float(LOAD_WHOLE_s4(at, i))
#define LOAD_u4(at, i) convert_float(LOAD_WHOLE_u4(at, i))

/* n elements from `at` on, as a vector. */
#define LOAD_VECTOR(type, n, at) PASTE(LOAD_VECTOR_, type)(n, at)
#define LOAD_VECTOR_f32(n, at) PASTE(vload, n)(0, at)
#define LOAD_VECTOR_f16(n, at) PASTE(vload_half, n)(0, at)
#define LOAD_VECTOR_bf16(n, at) \
    PASTE(as_float, n)(PASTE(convert_uint, n)(PASTE(vload, n)(0, at)) << 16)
#define LOAD_VECTOR_s32(n, at) PASTE(convert_float, n)(PASTE(vload, n)(0, at))
#define LOAD_VECTOR_s8(n, at) PASTE(convert_float, n)(PASTE(vload, n)(0, at))
#define LOAD_VECTOR_u8(n, at) PASTE(convert_float, n)(PASTE(vload, n)(0, at))

/* The same of integers, as int. */
#define LOAD_INTEGER(at, i) convert_int((at)[i])
#define LOAD_INTEGER_VECTOR(n, at) PASTE(convert_int, n)(PASTE(vload, n)(0, at))

/* An integer of any type, as int. */
#define LOAD_WHOLE(type, at, i) PASTE(LOAD_WHOLE_, type)(at, i)
#define LOAD_WHOLE_s32(at, i) ((at)[i])
#define LOAD_WHOLE_s8(at, i) convert_int((at)[i])
#define LOAD_WHOLE_u8(at, i) convert_int((at)[i])
#define LOAD_WHOLE_s4(at, i) ((LOAD_WHOLE_u4(at, i) ^ 8) - 8)
#define LOAD_WHOLE_u4(at, i) \
    (convert_int((at)[(i) >> 1]) >> (((i) & 1) << 2) & 15)

/* ---- Stores -------------------------------------------------------------- */

/* By its bits, whatever the compiler thinks of NaN. */
static inline bool is_nan(float s)
{
    return (as_uint(s) & 0x7fffffffu) > 0x7f800000u;
}

/* Drivers differ in what integer they make of NaN. */
static inline float zero_if_nan(float s)
{
    return is_nan(s) ? 0.0f : s;
}

/* A carry goes into the exponent, from the largest number to infinity. */
static inline ushort to_bf16(float s)
{
    uint bits = as_uint(s);
    uint quiet = bits | 1u << 22;
    uint rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    return (ushort)((is_nan(s) ? quiet : rounded) >> 16);
}

#define STORE(type, s, at, i) PASTE(STORE_, type)(s, at, i)
#define STORE_f32(s, at, i) (at)[i] = (s)
#define STORE_f16(s, at, i) vstore_half_rte(s, i, at)
#define STORE_bf16(s, at, i) (at)[i] = to_bf16(s)
#define STORE_s32(s, at, i) (at)[i] = convert_int_sat_rte(zero_if_nan(s))
#define STORE_s8(s, at, i) (at)[i] = convert_char_sat_rte(zero_if_nan(s))
#define STORE_u8(s, at, i) (at)[i] = convert_uchar_sat_rte(zero_if_nan(s))

/* Of an integer into an integer, with no detour through float. */
#define STORE_INTEGER(type, s, at, i) PASTE(STORE_INTEGER_, type)(s, at, i)
#define STORE_INTEGER_s32(s, at, i) (at)[i] = convert_int_sat(s)
#define STORE_INTEGER_s8(s, at, i) (at)[i] = convert_char_sat(s)
#define STORE_INTEGER_u8(s, at, i) (at)[i] = convert_uchar_sat(s)

/* The four bits of an integer. */
#define TO_HALF_BYTE(type, s) PASTE(TO_HALF_BYTE_, type)(s)
#define TO_HALF_BYTE_s4(s) ((uint)clamp(s, -8, 7) & 15u)
#define TO_HALF_BYTE_u4(s) (uint)clamp(s, 0, 15)
