/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_types.h: statuses, enumerators, constants and opaque types.
 *
 * Names and values are those of oneDNN 3.8, so that a program written for it
 * compiles unmodified; what oneDNN does not have is named dnnl_cache_*. This
 * header needs no OpenCL. It is valid C99 and C++11.
 */
#ifndef DNNL_CACHE_TYPES_H
#define DNNL_CACHE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Visibility ---------------------------------------------------------- */

#ifndef DNNL_API
#if defined(__GNUC__)
#define DNNL_API __attribute__((visibility("default")))
#else
#define DNNL_API
#endif
#endif

/* ---- What the library was built with ------------------------------------- */

/* 0 for a library built without primitives (-DDNNL_CACHE_PRIMITIVES=OFF): what
 * it does not have is not declared. Its CMake package and pkg-config file
 * define it; who uses neither does. */
#ifndef DNNL_CACHE_PRIMITIVES
#define DNNL_CACHE_PRIMITIVES 1
#endif

/* ---- Version of this library --------------------------------------------- */

#define DNNL_CACHE_VERSION_MAJOR 0
#define DNNL_CACHE_VERSION_MINOR 1
#define DNNL_CACHE_VERSION_PATCH 0

/* The oneDNN version whose interface the names below follow. */
#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 8
#define DNNL_VERSION_PATCH 0

/* Values of dnnl_version_t::cpu_runtime and ::gpu_runtime. */
#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u

/* ---- Statuses ------------------------------------------------------------ */

/*
 * What every call returns. What the caller should do next:
 *
 * dnnl_success            go on.
 * dnnl_out_of_memory      host or device memory ran out; free some, try again.
 * dnnl_invalid_arguments  the caller's mistake; no output was written.
 * dnnl_unimplemented      this library cannot do it for these arguments.
 * dnnl_runtime_error      the driver failed; the log callback has its words.
 * dnnl_cache_miss         it would have to be compiled and the compile mode
 *                         is dnnl_cache_compile_mode_cached_only.
 * dnnl_cache_blob_corrupt the bytes are no intact cache blob: drop them from
 *                         the store and compile.
 * dnnl_cache_blob_stale   an intact blob of something else (driver, device,
 *                         library version, object): compile, replace it.
 * dnnl_cache_blob_unsupported
 *                         an intact blob of a newer format: compile; leave it
 *                         for the newer library that wrote it.
 */
typedef enum {
    dnnl_success = 0,
    dnnl_out_of_memory = 1,
    dnnl_invalid_arguments = 2,
    dnnl_unimplemented = 3,
    dnnl_last_impl_reached = 4,
    dnnl_runtime_error = 5,
    dnnl_not_required = 6,
    dnnl_invalid_graph = 7,
    dnnl_invalid_graph_op = 8,
    dnnl_invalid_shape = 9,
    dnnl_invalid_data_type = 10,

    dnnl_cache_miss = 100,
    dnnl_cache_blob_corrupt = 101,
    dnnl_cache_blob_stale = 102,
    dnnl_cache_blob_unsupported = 103
} dnnl_status_t;

/* ---- Tensors ------------------------------------------------------------- */

/* Most dimensions a tensor can have. */
#define DNNL_MAX_NDIMS 12

typedef int64_t dnnl_dim_t;
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/* A dimension, stride or offset that is known at execution only; what the size
 * of a tensor with one is. */
#define DNNL_RUNTIME_DIM_VAL INT64_MIN
#define DNNL_RUNTIME_S32_VAL INT32_MIN
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

typedef enum {
    dnnl_data_type_undef = 0,
    dnnl_f16 = 1,
    dnnl_bf16 = 2,
    dnnl_f32 = 3,
    dnnl_s32 = 4,
    dnnl_s8 = 5,
    dnnl_u8 = 6,
    dnnl_f64 = 7,
    /* Names and sizes only from here on: nothing computes with them. */
    dnnl_boolean = 8,
    dnnl_f8_e5m2 = 9,
    dnnl_f8_e4m3 = 10,
    dnnl_s4 = 11, /* two elements a byte, and so below */
    dnnl_u4 = 12,
    dnnl_e8m0 = 13,
    dnnl_f4_e2m1 = 14,
    dnnl_f4_e3m0 = 15
} dnnl_data_type_t;

typedef enum {
    dnnl_format_kind_undef = 0,
    dnnl_format_kind_any = 1,
    dnnl_blocked = 2
} dnnl_format_kind_t;

/*
 * Format tags name the physical order of the dimensions, outermost first; the
 * letters a, b, c ... are the logical dimensions. A capital letter is a
 * dimension that is cut into blocks, which numbers and letters at the end
 * describe, outermost first: aBcd16b has 16 neighbours of dimension b
 * innermost. A blocked dimension is padded to a multiple of its blocks. Domain
 * names (nchw, nChw16c, oihw ...) are aliases.
 */
typedef enum {
    dnnl_format_tag_undef = 0,
    dnnl_format_tag_any = 1,
    dnnl_a = 2,
    dnnl_ab = 3,
    dnnl_abc = 4,
    dnnl_abcd = 5,
    dnnl_abcde = 6,
    dnnl_abcdef = 7,
    dnnl_abcdefg = 8,
    dnnl_abcdefgh = 9,
    dnnl_abcdefghi = 10,
    dnnl_abcdefghij = 11,
    dnnl_abcdefghijk = 12,
    dnnl_abcdefghijkl = 13,
    dnnl_ba = 14,
    dnnl_acb = 15,
    dnnl_bac = 16,
    dnnl_bca = 17,
    dnnl_cab = 18,
    dnnl_cba = 19,
    dnnl_abdc = 20,
    dnnl_acbd = 21,
    dnnl_acdb = 22,
    dnnl_adbc = 23,
    dnnl_adcb = 24,
    dnnl_bacd = 25,
    dnnl_bcda = 26,
    dnnl_cdab = 27,
    dnnl_cdba = 28,
    dnnl_dcab = 29,
    dnnl_abced = 30,
    dnnl_abdec = 31,
    dnnl_acbde = 32,
    dnnl_acdeb = 33,
    dnnl_adecb = 34,
    dnnl_bacde = 35,
    dnnl_bcdea = 36,
    dnnl_cdeab = 37,
    dnnl_cdeba = 38,
    dnnl_decab = 39,
    dnnl_abcdfe = 40,
    dnnl_abdefc = 41,
    dnnl_abdfce = 42,
    dnnl_acbdef = 43,
    dnnl_adefcb = 44,
    dnnl_defcab = 45,
    dnnl_abcdegf = 46,
    dnnl_abcdefhg = 47,
    dnnl_abcdefgih = 48,
    dnnl_abcdefghji = 49,
    dnnl_abcdefghikj = 50,
    dnnl_abcdefghijlk = 51,
    dnnl_Ab16a = 52,
    dnnl_AB16a16b = 53,
    dnnl_AB16b16a = 54,
    dnnl_Ab32a = 55,
    dnnl_Ab4a = 56,
    dnnl_Ab8a = 57,
    dnnl_AB8b4a = 58,
    dnnl_BA16a16b = 59,
    dnnl_BA16b16a = 60,
    dnnl_BA4b4a = 61,
    dnnl_BA8b4a = 62,
    dnnl_Abc16a = 63,
    dnnl_ABc16a16b = 64,
    dnnl_aBc16b = 65,
    dnnl_ABc16b16a = 66,
    dnnl_ABc2b8a4b = 67,
    dnnl_ABc32a16b = 68,
    dnnl_ABc32a32b = 69,
    dnnl_aBc32b = 70,
    dnnl_aBc4b = 71,
    dnnl_ABc4b16a4b = 72,
    dnnl_Abc8a = 73,
    dnnl_ABc8a4b = 74,
    dnnl_ABc8a8b = 75,
    dnnl_aBc8b = 76,
    dnnl_ABc8b16a2b = 77,
    dnnl_ABc8b8a = 78,
    dnnl_Acb16a = 79,
    dnnl_AcB16a4b = 80,
    dnnl_AcB16b16a = 81,
    dnnl_Acb4a = 82,
    dnnl_Acb8a = 83,
    dnnl_AcB8b16a2b = 84,
    dnnl_BAc16b16a = 85,
    dnnl_Abcd16a = 86,
    dnnl_ABcd16a16b = 87,
    dnnl_ABcd16a16b2a = 88,
    dnnl_aBcd16b = 89,
    dnnl_ABcd16b16a = 90,
    dnnl_ABcd16b16a2b = 91,
    dnnl_ABcd16b16a4b = 92,
    dnnl_aBCd16b16c = 93,
    dnnl_aBCd16c16b = 94,
    dnnl_aBCd2b4c2b = 95,
    dnnl_ABcd2b8a4b = 96,
    dnnl_aBCd2c4b2c = 97,
    dnnl_aBCd2c8b4c = 98,
    dnnl_ABcd32a16b = 99,
    dnnl_ABcd32a32b = 100,
    dnnl_aBcd32b = 101,
    dnnl_Abcd4a = 102,
    dnnl_aBcd4b = 103,
    dnnl_ABcd4b16a4b = 104,
    dnnl_aBCd4b8c2b = 105,
    dnnl_aBCd4c16b4c = 106,
    dnnl_aBCd4c8b2c = 107,
    dnnl_Abcd8a = 108,
    dnnl_ABcd8a16b2a = 109,
    dnnl_ABcd8a4b = 110,
    dnnl_ABcd8a8b = 111,
    dnnl_aBcd8b = 112,
    dnnl_ABcd8b16a2b = 113,
    dnnl_aBCd8b4c = 114,
    dnnl_ABcd8b8a = 115,
    dnnl_aBCd8b8c = 116,
    dnnl_aBCd8c16b2c = 117,
    dnnl_aBCd8c8b = 118,
    dnnl_aBdc16b = 119,
    dnnl_aBdC16b4c = 120,
    dnnl_aBdc8b = 121,
    dnnl_aCBd16c16b = 122,
    dnnl_Acdb16a = 123,
    dnnl_AcdB16a4b = 124,
    dnnl_AcdB16b16a = 125,
    dnnl_AcdB16b16a2b = 126,
    dnnl_AcdB16b16a4b = 127,
    dnnl_AcdB16b32a = 128,
    dnnl_AcdB16b48a = 129,
    dnnl_AcdB16b64a = 130,
    dnnl_Acdb32a = 131,
    dnnl_Acdb4a = 132,
    dnnl_AcdB4b16a4b = 133,
    dnnl_Acdb8a = 134,
    dnnl_AcdB8b16a2b = 135,
    dnnl_AcdB8b8a = 136,
    dnnl_BAcd16a16b = 137,
    dnnl_BAcd16b16a = 138,
    dnnl_Abcde16a = 139,
    dnnl_ABcde16a16b = 140,
    dnnl_aBcde16b = 141,
    dnnl_ABcde16b16a = 142,
    dnnl_ABcde16b16a2b = 143,
    dnnl_ABcde16b16a4b = 144,
    dnnl_aBCde16b16c = 145,
    dnnl_aBCde16b16c2b = 146,
    dnnl_aBCde16c16b = 147,
    dnnl_aBCde16c16b2c = 148,
    dnnl_aBCde16c16b4c = 149,
    dnnl_aBCde2b4c2b = 150,
    dnnl_aBCde2c4b2c = 151,
    dnnl_aBCde2c8b4c = 152,
    dnnl_ABcde32a16b = 153,
    dnnl_ABcde32a32b = 154,
    dnnl_aBcde32b = 155,
    dnnl_Abcde4a = 156,
    dnnl_aBcde4b = 157,
    dnnl_ABcde4b16a4b = 158,
    dnnl_aBCde4b4c = 159,
    dnnl_aBCde4b8c2b = 160,
    dnnl_aBCde4c16b4c = 161,
    dnnl_aBCde4c8b2c = 162,
    dnnl_Abcde8a = 163,
    dnnl_ABcde8a4b = 164,
    dnnl_ABcde8a8b = 165,
    dnnl_aBcde8b = 166,
    dnnl_ABcde8b16a2b = 167,
    dnnl_aBCde8b4c = 168,
    dnnl_ABcde8b8a = 169,
    dnnl_aBCde8b8c = 170,
    dnnl_aBCde8c16b2c = 171,
    dnnl_aBCde8c8b = 172,
    dnnl_aBdec16b = 173,
    dnnl_aBdeC16b4c = 174,
    dnnl_aBdec8b = 175,
    dnnl_aCBde16b16c = 176,
    dnnl_aCBde16c16b = 177,
    dnnl_Acdeb16a = 178,
    dnnl_AcdeB16a4b = 179,
    dnnl_AcdeB16b16a = 180,
    dnnl_AcdeB16b16a2b = 181,
    dnnl_AcdeB16b16a4b = 182,
    dnnl_Acdeb4a = 183,
    dnnl_Acdeb8a = 184,
    dnnl_AcdeB8b8a = 185,
    dnnl_BAcde16a16b = 186,
    dnnl_decbA16a = 187,
    dnnl_decbA8a = 188,
    dnnl_Abcdef16a = 189,
    dnnl_aBcdef16b = 190,
    dnnl_aBCdef16b16c = 191,
    dnnl_aBCdef16c16b = 192,
    dnnl_aBCdef16c16b2c = 193,
    dnnl_aBCdef16c16b4c = 194,
    dnnl_aBCdef2b4c2b = 195,
    dnnl_aBCdef2c4b2c = 196,
    dnnl_aBCdef2c8b4c = 197,
    dnnl_aBcdef32b = 198,
    dnnl_aBcdef4b = 199,
    dnnl_aBCdef4b4c = 200,
    dnnl_aBCdef4b8c2b = 201,
    dnnl_aBCdef4c16b4c = 202,
    dnnl_aBCdef4c8b2c = 203,
    dnnl_Abcdef8a = 204,
    dnnl_aBcdef8b = 205,
    dnnl_aBCdef8b4c = 206,
    dnnl_aBCdef8b8c = 207,
    dnnl_aBCdef8c16b2c = 208,
    dnnl_aBCdef8c8b = 209,
    dnnl_aBdefc16b = 210,
    dnnl_aBdefC16b4c = 211,
    dnnl_aBdefc8b = 212,
    dnnl_aCBdef16b16c = 213,
    dnnl_aCBdef16c16b = 214,
    /* Not a tag: past the last one. */
    dnnl_format_tag_last = 215,

    dnnl_x = dnnl_a,
    dnnl_nc = dnnl_ab,
    dnnl_cn = dnnl_ba,
    dnnl_tn = dnnl_ab,
    dnnl_nt = dnnl_ba,
    dnnl_ncw = dnnl_abc,
    dnnl_nwc = dnnl_acb,
    dnnl_nchw = dnnl_abcd,
    dnnl_nhwc = dnnl_acdb,
    dnnl_chwn = dnnl_bcda,
    dnnl_ncdhw = dnnl_abcde,
    dnnl_ndhwc = dnnl_acdeb,
    dnnl_oi = dnnl_ab,
    dnnl_io = dnnl_ba,
    dnnl_oiw = dnnl_abc,
    dnnl_owi = dnnl_acb,
    dnnl_wio = dnnl_cba,
    dnnl_iwo = dnnl_bca,
    dnnl_oihw = dnnl_abcd,
    dnnl_hwio = dnnl_cdba,
    dnnl_ohwi = dnnl_acdb,
    dnnl_ihwo = dnnl_bcda,
    dnnl_iohw = dnnl_bacd,
    dnnl_oidhw = dnnl_abcde,
    dnnl_iodhw = dnnl_bacde,
    dnnl_dhwio = dnnl_cdeba,
    dnnl_odhwi = dnnl_acdeb,
    dnnl_idhwo = dnnl_bcdea,
    dnnl_goiw = dnnl_abcd,
    dnnl_goihw = dnnl_abcde,
    dnnl_giohw = dnnl_acbde,
    dnnl_hwigo = dnnl_decab,
    dnnl_goidhw = dnnl_abcdef,
    dnnl_giodhw = dnnl_acbdef,
    dnnl_dhwigo = dnnl_defcab,
    dnnl_tnc = dnnl_abc,
    dnnl_ntc = dnnl_bac,
    dnnl_giow = dnnl_acbd,
    dnnl_gowi = dnnl_abdc,
    dnnl_ldgo = dnnl_abcd,
    dnnl_ldio = dnnl_abcd,
    dnnl_ldoi = dnnl_abdc,
    dnnl_wigo = dnnl_dcab,
    dnnl_gohwi = dnnl_abdec,
    dnnl_ldgoi = dnnl_abdec,
    dnnl_ldigo = dnnl_abcde,
    dnnl_godhwi = dnnl_abdefc,
    dnnl_IOw16i16o = dnnl_BAc16b16a,
    dnnl_nCw16c = dnnl_aBc16b,
    dnnl_NCw16n16c = dnnl_ABc16a16b,
    dnnl_nCw32c = dnnl_aBc32b,
    dnnl_NCw32n16c = dnnl_ABc32a16b,
    dnnl_NCw32n32c = dnnl_ABc32a32b,
    dnnl_nCw4c = dnnl_aBc4b,
    dnnl_nCw8c = dnnl_aBc8b,
    dnnl_OIw16i16o = dnnl_ABc16b16a,
    dnnl_Oiw16o = dnnl_Abc16a,
    dnnl_OIw16o16i = dnnl_ABc16a16b,
    dnnl_OIw2i8o4i = dnnl_ABc2b8a4b,
    dnnl_OIw4i16o4i = dnnl_ABc4b16a4b,
    dnnl_OIw8i16o2i = dnnl_ABc8b16a2b,
    dnnl_OIw8i8o = dnnl_ABc8b8a,
    dnnl_Oiw8o = dnnl_Abc8a,
    dnnl_OIw8o4i = dnnl_ABc8a4b,
    dnnl_OIw8o8i = dnnl_ABc8a8b,
    dnnl_OwI16i16o = dnnl_AcB16b16a,
    dnnl_Owi16o = dnnl_Acb16a,
    dnnl_OwI16o4i = dnnl_AcB16a4b,
    dnnl_Owi4o = dnnl_Acb4a,
    dnnl_OwI8i16o2i = dnnl_AcB8b16a2b,
    dnnl_Owi8o = dnnl_Acb8a,
    dnnl_gIOw16i16o = dnnl_aCBd16c16b,
    dnnl_Goiw16g = dnnl_Abcd16a,
    dnnl_gOIw16i16o = dnnl_aBCd16c16b,
    dnnl_gOiw16o = dnnl_aBcd16b,
    dnnl_gOIw16o16i = dnnl_aBCd16b16c,
    dnnl_gOIw2i4o2i = dnnl_aBCd2c4b2c,
    dnnl_gOIw2i8o4i = dnnl_aBCd2c8b4c,
    dnnl_gOIw2o4i2o = dnnl_aBCd2b4c2b,
    dnnl_Goiw4g = dnnl_Abcd4a,
    dnnl_gOIw4i16o4i = dnnl_aBCd4c16b4c,
    dnnl_gOIw4i8o2i = dnnl_aBCd4c8b2c,
    dnnl_gOIw4o8i2o = dnnl_aBCd4b8c2b,
    dnnl_Goiw8g = dnnl_Abcd8a,
    dnnl_gOIw8i16o2i = dnnl_aBCd8c16b2c,
    dnnl_gOIw8i8o = dnnl_aBCd8c8b,
    dnnl_gOiw8o = dnnl_aBcd8b,
    dnnl_gOIw8o4i = dnnl_aBCd8b4c,
    dnnl_gOIw8o8i = dnnl_aBCd8b8c,
    dnnl_gOwi16o = dnnl_aBdc16b,
    dnnl_gOwI16o4i = dnnl_aBdC16b4c,
    dnnl_gOwi8o = dnnl_aBdc8b,
    dnnl_IOhw16i16o = dnnl_BAcd16b16a,
    dnnl_IOhw16o16i = dnnl_BAcd16a16b,
    dnnl_nChw16c = dnnl_aBcd16b,
    dnnl_NChw16n16c = dnnl_ABcd16a16b,
    dnnl_nChw32c = dnnl_aBcd32b,
    dnnl_NChw32n16c = dnnl_ABcd32a16b,
    dnnl_NChw32n32c = dnnl_ABcd32a32b,
    dnnl_nChw4c = dnnl_aBcd4b,
    dnnl_nChw8c = dnnl_aBcd8b,
    dnnl_OhwI16i16o = dnnl_AcdB16b16a,
    dnnl_OhwI16i16o2i = dnnl_AcdB16b16a2b,
    dnnl_OhwI16i16o4i = dnnl_AcdB16b16a4b,
    dnnl_OhwI16i32o = dnnl_AcdB16b32a,
    dnnl_OhwI16i48o = dnnl_AcdB16b48a,
    dnnl_OhwI16i64o = dnnl_AcdB16b64a,
    dnnl_Ohwi16o = dnnl_Acdb16a,
    dnnl_OhwI16o4i = dnnl_AcdB16a4b,
    dnnl_Ohwi32o = dnnl_Acdb32a,
    dnnl_OhwI4i16o4i = dnnl_AcdB4b16a4b,
    dnnl_Ohwi4o = dnnl_Acdb4a,
    dnnl_OhwI8i16o2i = dnnl_AcdB8b16a2b,
    dnnl_OhwI8i8o = dnnl_AcdB8b8a,
    dnnl_Ohwi8o = dnnl_Acdb8a,
    dnnl_OIhw16i16o = dnnl_ABcd16b16a,
    dnnl_OIhw16i16o2i = dnnl_ABcd16b16a2b,
    dnnl_OIhw16i16o4i = dnnl_ABcd16b16a4b,
    dnnl_Oihw16o = dnnl_Abcd16a,
    dnnl_OIhw16o16i = dnnl_ABcd16a16b,
    dnnl_OIhw16o16i2o = dnnl_ABcd16a16b2a,
    dnnl_OIhw2i8o4i = dnnl_ABcd2b8a4b,
    dnnl_OIhw4i16o4i = dnnl_ABcd4b16a4b,
    dnnl_OIhw8i16o2i = dnnl_ABcd8b16a2b,
    dnnl_OIhw8i8o = dnnl_ABcd8b8a,
    dnnl_Oihw8o = dnnl_Abcd8a,
    dnnl_OIhw8o16i2o = dnnl_ABcd8a16b2a,
    dnnl_OIhw8o4i = dnnl_ABcd8a4b,
    dnnl_OIhw8o8i = dnnl_ABcd8a8b,
    dnnl_gIOhw16i16o = dnnl_aCBde16c16b,
    dnnl_gIOhw16o16i = dnnl_aCBde16b16c,
    dnnl_gOhwi16o = dnnl_aBdec16b,
    dnnl_gOhwI16o4i = dnnl_aBdeC16b4c,
    dnnl_gOhwi8o = dnnl_aBdec8b,
    dnnl_Goihw16g = dnnl_Abcde16a,
    dnnl_gOIhw16i16o = dnnl_aBCde16c16b,
    dnnl_gOIhw16i16o2i = dnnl_aBCde16c16b2c,
    dnnl_gOIhw16i16o4i = dnnl_aBCde16c16b4c,
    dnnl_gOihw16o = dnnl_aBcde16b,
    dnnl_gOIhw16o16i = dnnl_aBCde16b16c,
    dnnl_gOIhw16o16i2o = dnnl_aBCde16b16c2b,
    dnnl_gOIhw2i4o2i = dnnl_aBCde2c4b2c,
    dnnl_gOIhw2i8o4i = dnnl_aBCde2c8b4c,
    dnnl_gOIhw2o4i2o = dnnl_aBCde2b4c2b,
    dnnl_Goihw4g = dnnl_Abcde4a,
    dnnl_gOIhw4i16o4i = dnnl_aBCde4c16b4c,
    dnnl_gOIhw4i8o2i = dnnl_aBCde4c8b2c,
    dnnl_gOIhw4o4i = dnnl_aBCde4b4c,
    dnnl_gOIhw4o8i2o = dnnl_aBCde4b8c2b,
    dnnl_Goihw8g = dnnl_Abcde8a,
    dnnl_gOIhw8i16o2i = dnnl_aBCde8c16b2c,
    dnnl_gOIhw8i8o = dnnl_aBCde8c8b,
    dnnl_gOihw8o = dnnl_aBcde8b,
    dnnl_gOIhw8o4i = dnnl_aBCde8b4c,
    dnnl_gOIhw8o8i = dnnl_aBCde8b8c,
    dnnl_hwioG16g = dnnl_decbA16a,
    dnnl_hwioG8g = dnnl_decbA8a,
    dnnl_IOdhw16o16i = dnnl_BAcde16a16b,
    dnnl_nCdhw16c = dnnl_aBcde16b,
    dnnl_NCdhw16n16c = dnnl_ABcde16a16b,
    dnnl_nCdhw32c = dnnl_aBcde32b,
    dnnl_NCdhw32n16c = dnnl_ABcde32a16b,
    dnnl_NCdhw32n32c = dnnl_ABcde32a32b,
    dnnl_nCdhw4c = dnnl_aBcde4b,
    dnnl_nCdhw8c = dnnl_aBcde8b,
    dnnl_OdhwI16i16o = dnnl_AcdeB16b16a,
    dnnl_OdhwI16i16o2i = dnnl_AcdeB16b16a2b,
    dnnl_OdhwI16i16o4i = dnnl_AcdeB16b16a4b,
    dnnl_Odhwi16o = dnnl_Acdeb16a,
    dnnl_OdhwI16o4i = dnnl_AcdeB16a4b,
    dnnl_Odhwi4o = dnnl_Acdeb4a,
    dnnl_OdhwI8i8o = dnnl_AcdeB8b8a,
    dnnl_Odhwi8o = dnnl_Acdeb8a,
    dnnl_OIdhw16i16o = dnnl_ABcde16b16a,
    dnnl_OIdhw16i16o2i = dnnl_ABcde16b16a2b,
    dnnl_OIdhw16i16o4i = dnnl_ABcde16b16a4b,
    dnnl_Oidhw16o = dnnl_Abcde16a,
    dnnl_OIdhw16o16i = dnnl_ABcde16a16b,
    dnnl_OIdhw4i16o4i = dnnl_ABcde4b16a4b,
    dnnl_OIdhw8i16o2i = dnnl_ABcde8b16a2b,
    dnnl_OIdhw8i8o = dnnl_ABcde8b8a,
    dnnl_Oidhw8o = dnnl_Abcde8a,
    dnnl_OIdhw8o4i = dnnl_ABcde8a4b,
    dnnl_OIdhw8o8i = dnnl_ABcde8a8b,
    dnnl_gIOdhw16o16i = dnnl_aCBdef16b16c,
    dnnl_gOdhwi16o = dnnl_aBdefc16b,
    dnnl_gOdhwI16o4i = dnnl_aBdefC16b4c,
    dnnl_gOdhwi8o = dnnl_aBdefc8b,
    dnnl_Goidhw16g = dnnl_Abcdef16a,
    dnnl_gOIdhw16i16o = dnnl_aBCdef16c16b,
    dnnl_gOIdhw16i16o2i = dnnl_aBCdef16c16b2c,
    dnnl_gOIdhw16i16o4i = dnnl_aBCdef16c16b4c,
    dnnl_gOidhw16o = dnnl_aBcdef16b,
    dnnl_gOIdhw16o16i = dnnl_aBCdef16b16c,
    dnnl_gOIdhw2i4o2i = dnnl_aBCdef2c4b2c,
    dnnl_gOIdhw2i8o4i = dnnl_aBCdef2c8b4c,
    dnnl_gOIdhw2o4i2o = dnnl_aBCdef2b4c2b,
    dnnl_gOIdhw4i16o4i = dnnl_aBCdef4c16b4c,
    dnnl_gOIdhw4i8o2i = dnnl_aBCdef4c8b2c,
    dnnl_gOIdhw4o4i = dnnl_aBCdef4b4c,
    dnnl_gOIdhw4o8i2o = dnnl_aBCdef4b8c2b,
    dnnl_Goidhw8g = dnnl_Abcdef8a,
    dnnl_gOIdhw8i16o2i = dnnl_aBCdef8c16b2c,
    dnnl_gOIdhw8i8o = dnnl_aBCdef8c8b,
    dnnl_gOidhw8o = dnnl_aBcdef8b,
    dnnl_gOIdhw8o4i = dnnl_aBCdef8b4c,
    dnnl_gOIdhw8o8i = dnnl_aBCdef8b8c
} dnnl_format_tag_t;

/* ---- Operations ---------------------------------------------------------- */

typedef enum {
    dnnl_prop_kind_undef = 0,
    dnnl_forward_training = 64,
    dnnl_forward_inference = 96,
    dnnl_forward = dnnl_forward_training,
    dnnl_backward = 128,
    dnnl_backward_data = 160,
    dnnl_backward_weights = 192,
    dnnl_backward_bias = 193
} dnnl_prop_kind_t;

typedef enum {
    dnnl_undefined_primitive = 0,
    dnnl_reorder = 1,
    dnnl_shuffle = 2,
    dnnl_concat = 3,
    dnnl_sum = 4,
    dnnl_convolution = 5,
    dnnl_deconvolution = 6,
    dnnl_eltwise = 7,
    dnnl_lrn = 8,
    dnnl_batch_normalization = 9,
    dnnl_inner_product = 10,
    dnnl_rnn = 11,
    dnnl_gemm = 12,
    dnnl_binary = 13,
    dnnl_matmul = 14,
    dnnl_resampling = 15,
    dnnl_pooling = 16,
    dnnl_reduction = 17,
    dnnl_prelu = 18,
    dnnl_softmax = 19,
    dnnl_layer_normalization = 20,
    dnnl_group_normalization = 21
} dnnl_primitive_kind_t;

typedef enum {
    dnnl_alg_kind_undef = 0,
    dnnl_convolution_direct = 0x1,
    dnnl_convolution_winograd = 0x2,
    dnnl_convolution_auto = 0x3,
    dnnl_deconvolution_direct = 0x4,
    dnnl_deconvolution_winograd = 0x5,
    dnnl_eltwise_relu = 0x20,
    dnnl_eltwise_tanh = 0x21,
    dnnl_eltwise_elu = 0x22,
    dnnl_eltwise_square = 0x23,
    dnnl_eltwise_abs = 0x24,
    dnnl_eltwise_sqrt = 0x25,
    dnnl_eltwise_linear = 0x26,
    dnnl_eltwise_soft_relu = 0x27,
    dnnl_eltwise_hardsigmoid = 0x28,
    dnnl_eltwise_logistic = 0x29,
    dnnl_eltwise_exp = 0x2a,
    dnnl_eltwise_gelu_tanh = 0x2b,
    dnnl_eltwise_swish = 0x2c,
    dnnl_eltwise_log = 0x2d,
    dnnl_eltwise_clip = 0x2e,
    dnnl_eltwise_clip_v2 = 0x2f,
    dnnl_eltwise_pow = 0x30,
    dnnl_eltwise_gelu_erf = 0x31,
    dnnl_eltwise_round = 0x32,
    dnnl_eltwise_mish = 0x33,
    dnnl_eltwise_hardswish = 0x34,
    dnnl_eltwise_relu_use_dst_for_bwd = 0x100,
    dnnl_eltwise_tanh_use_dst_for_bwd = 0x101,
    dnnl_eltwise_elu_use_dst_for_bwd = 0x102,
    dnnl_eltwise_sqrt_use_dst_for_bwd = 0x103,
    dnnl_eltwise_logistic_use_dst_for_bwd = 0x104,
    dnnl_eltwise_exp_use_dst_for_bwd = 0x105,
    dnnl_eltwise_clip_v2_use_dst_for_bwd = 0x106,
    dnnl_pooling_max = 0x1ff,
    dnnl_pooling_avg_include_padding = 0x2ff,
    dnnl_pooling_avg_exclude_padding = 0x3ff,
    dnnl_lrn_across_channels = 0xaff,
    dnnl_lrn_within_channel = 0xbff,
    dnnl_vanilla_rnn = 0x1fff,
    dnnl_vanilla_lstm = 0x2fff,
    dnnl_vanilla_gru = 0x3fff,
    dnnl_lbr_gru = 0x4fff,
    dnnl_vanilla_augru = 0x5fff,
    dnnl_lbr_augru = 0x6fff,
    dnnl_binary_add = 0x1fff0,
    dnnl_binary_mul = 0x1fff1,
    dnnl_binary_max = 0x1fff2,
    dnnl_binary_min = 0x1fff3,
    dnnl_binary_div = 0x1fff4,
    dnnl_binary_sub = 0x1fff5,
    dnnl_binary_ge = 0x1fff6,
    dnnl_binary_gt = 0x1fff7,
    dnnl_binary_le = 0x1fff8,
    dnnl_binary_lt = 0x1fff9,
    dnnl_binary_eq = 0x1fffa,
    dnnl_binary_ne = 0x1fffb,
    dnnl_binary_select = 0x1fffc,
    dnnl_resampling_nearest = 0x2fff0,
    dnnl_resampling_linear = 0x2fff1,
    dnnl_reduction_max = 0x2fff2,
    dnnl_reduction_min = 0x2fff3,
    dnnl_reduction_sum = 0x2fff4,
    dnnl_reduction_mul = 0x2fff5,
    dnnl_reduction_mean = 0x2fff6,
    dnnl_reduction_norm_lp_max = 0x2fff7,
    dnnl_reduction_norm_lp_sum = 0x2fff8,
    dnnl_reduction_norm_lp_power_p_max = 0x2fff9,
    dnnl_reduction_norm_lp_power_p_sum = 0x2fffa,
    dnnl_softmax_accurate = 0x30000,
    dnnl_softmax_log = 0x30001
} dnnl_alg_kind_t;

/* What a normalization takes and does besides. */
typedef enum {
    dnnl_normalization_flags_none = 0,
    dnnl_use_global_stats = 1, /* statistics are inputs */
    dnnl_use_scale = 2,
    dnnl_use_shift = 4,
    dnnl_fuse_norm_relu = 8,
    dnnl_fuse_norm_add_relu = 16
} dnnl_normalization_flags_t;

/* ---- Attributes ---------------------------------------------------------- */

/* How inexact computing with floating-point numbers may be. */
typedef enum {
    dnnl_fpmath_mode_strict = 0,
    dnnl_fpmath_mode_bf16 = 1,
    dnnl_fpmath_mode_f16 = 2,
    dnnl_fpmath_mode_any = 3,
    dnnl_fpmath_mode_tf32 = 4
} dnnl_fpmath_mode_t;

/* What sums may be kept in. */
typedef enum {
    dnnl_accumulation_mode_strict = 0,
    dnnl_accumulation_mode_relaxed = 1,
    dnnl_accumulation_mode_any = 2,
    dnnl_accumulation_mode_s32 = 3,
    dnnl_accumulation_mode_f32 = 4,
    dnnl_accumulation_mode_f16 = 5
} dnnl_accumulation_mode_t;

/* Who allocates the memory an execution needs besides its tensors. */
typedef enum {
    dnnl_scratchpad_mode_library = 0,
    dnnl_scratchpad_mode_user = 1
} dnnl_scratchpad_mode_t;

/* Recurrent networks, for calls that are there but compute nothing. */
typedef enum {
    dnnl_rnn_flags_undef = 0x0,
    dnnl_rnn_flags_diff_weights_overwrite = 0x1
} dnnl_rnn_flags_t;

typedef enum {
    dnnl_rnn_direction_undef = 0,
    dnnl_unidirectional_left2right = 1,
    dnnl_unidirectional_right2left = 2,
    dnnl_bidirectional_concat = 3,
    dnnl_bidirectional_sum = 4
} dnnl_rnn_direction_t;

/* ---- CPUs ---------------------------------------------------------------- */

/* Instruction sets; nothing here depends on them. */
typedef enum {
    dnnl_cpu_isa_default = 0x0,
    dnnl_cpu_isa_sse41 = 0x1,
    dnnl_cpu_isa_avx = 0x3,
    dnnl_cpu_isa_avx2 = 0x7,
    dnnl_cpu_isa_avx2_vnni = 0xf,
    dnnl_cpu_isa_avx2_vnni_2 = 0x1f,
    dnnl_cpu_isa_avx512_core = 0x27,
    dnnl_cpu_isa_avx512_core_vnni = 0x67,
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
    dnnl_cpu_isa_avx10_1_512 = 0x1ef,
    dnnl_cpu_isa_avx512_core_fp16 = dnnl_cpu_isa_avx10_1_512,
    dnnl_cpu_isa_avx10_1_512_amx = 0xfef,
    dnnl_cpu_isa_avx512_core_amx = dnnl_cpu_isa_avx10_1_512_amx,
    dnnl_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef,
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16
} dnnl_cpu_isa_t;

typedef enum {
    dnnl_cpu_isa_no_hints = 0x0,
    dnnl_cpu_isa_prefer_ymm = 0x1
} dnnl_cpu_isa_hints_t;

/* What profilers may be told of code. */
#define DNNL_JIT_PROFILE_NONE 0u
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_PERFMAP 2u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP 4u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u
#define DNNL_JIT_PROFILE_LINUX_PERF \
    (DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_PERFMAP)

/* ---- Engines, streams, memory -------------------------------------------- */

typedef enum {
    dnnl_any_engine = 0,
    dnnl_cpu = 1,
    dnnl_gpu = 2
} dnnl_engine_kind_t;

typedef enum {
    dnnl_stream_in_order = 0x1,
    dnnl_stream_out_of_order = 0x2,
    dnnl_stream_default_flags = dnnl_stream_in_order
} dnnl_stream_flags_t;

/* A memory object without a buffer. */
#define DNNL_MEMORY_NONE (NULL)
/* A memory object whose buffer the library allocates. */
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

typedef struct {
    int major; /* oneDNN interface version */
    int minor;
    int patch;
    const char *hash;     /* git hash of this library's sources */
    unsigned cpu_runtime; /* DNNL_RUNTIME_* */
    unsigned gpu_runtime;
} dnnl_version_t;

/* Opaque types. Each may be used from several threads at once unless its
 * section in dnnl_cache.h says otherwise; destroying one while another thread
 * uses it is the caller's mistake. */
struct dnnl_engine;
struct dnnl_stream;
struct dnnl_memory;
struct dnnl_memory_desc;
struct dnnl_primitive;
struct dnnl_primitive_desc;
struct dnnl_primitive_attr;
struct dnnl_post_ops;
struct dnnl_cache_program;
struct dnnl_cache_program_desc;
struct dnnl_cache_kernel;

typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;
typedef struct dnnl_cache_program *dnnl_cache_program_t;
typedef const struct dnnl_cache_program *const_dnnl_cache_program_t;
typedef struct dnnl_cache_program_desc *dnnl_cache_program_desc_t;
typedef const struct dnnl_cache_program_desc *const_dnnl_cache_program_desc_t;
typedef struct dnnl_cache_kernel *dnnl_cache_kernel_t;
typedef const struct dnnl_cache_kernel *const_dnnl_cache_kernel_t;

/* ---- Execution arguments ------------------------------------------------- */

#define DNNL_ARG_UNDEF 0
#define DNNL_ARG_SRC_0 1
#define DNNL_ARG_SRC DNNL_ARG_SRC_0
#define DNNL_ARG_FROM DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_1 2
#define DNNL_ARG_DST_0 17
#define DNNL_ARG_DST DNNL_ARG_DST_0
#define DNNL_ARG_TO DNNL_ARG_DST_0
#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_BIAS 41
#define DNNL_ARG_MEAN 49
#define DNNL_ARG_VARIANCE 50
#define DNNL_ARG_SCALE 51
#define DNNL_ARG_SHIFT 52
#define DNNL_ARG_WORKSPACE 64
#define DNNL_ARG_SCRATCHPAD 80
/* Source i of concat and sum is DNNL_ARG_MULTIPLE_SRC + i. */
#define DNNL_ARG_MULTIPLE_SRC 1024
#define DNNL_ARG_MULTIPLE_DST 2048
/* Together with an argument: the numbers of its scales or zero points. */
#define DNNL_ARG_ATTR_SCALES 4096
#define DNNL_ARG_ATTR_ZERO_POINTS 8192
#define DNNL_ARG_ATTR_POST_OP_DW 16384
/* Together with DNNL_ARG_SRC_1 or DNNL_ARG_WEIGHTS: the other operand of
 * post-op number idx. */
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) \
    (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))
/* Of recurrent networks and backward primitives, which are not here. */
#define DNNL_ARG_SRC_2 3
#define DNNL_ARG_SRC_3 4
#define DNNL_ARG_SRC_LAYER DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_ITER DNNL_ARG_SRC_1
#define DNNL_ARG_SRC_ITER_C DNNL_ARG_SRC_2
#define DNNL_ARG_AUGRU_ATTENTION DNNL_ARG_SRC_3
#define DNNL_ARG_DST_1 18
#define DNNL_ARG_DST_2 19
#define DNNL_ARG_DST_LAYER DNNL_ARG_DST_0
#define DNNL_ARG_DST_ITER DNNL_ARG_DST_1
#define DNNL_ARG_DST_ITER_C DNNL_ARG_DST_2
#define DNNL_ARG_WEIGHTS_1 34
#define DNNL_ARG_WEIGHTS_2 35
#define DNNL_ARG_WEIGHTS_3 36
#define DNNL_ARG_WEIGHTS_LAYER DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_WEIGHTS_ITER DNNL_ARG_WEIGHTS_1
#define DNNL_ARG_WEIGHTS_PEEPHOLE DNNL_ARG_WEIGHTS_2
#define DNNL_ARG_WEIGHTS_PROJECTION DNNL_ARG_WEIGHTS_3
#define DNNL_ARG_DIFF_SRC_0 129
#define DNNL_ARG_DIFF_SRC DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_LAYER DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_1 130
#define DNNL_ARG_DIFF_SRC_ITER DNNL_ARG_DIFF_SRC_1
#define DNNL_ARG_DIFF_SRC_2 131
#define DNNL_ARG_DIFF_SRC_ITER_C DNNL_ARG_DIFF_SRC_2
#define DNNL_ARG_DIFF_SRC_3 132
#define DNNL_ARG_DIFF_AUGRU_ATTENTION DNNL_ARG_DIFF_SRC_3
#define DNNL_ARG_DIFF_DST_0 145
#define DNNL_ARG_DIFF_DST DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_LAYER DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_1 146
#define DNNL_ARG_DIFF_DST_ITER DNNL_ARG_DIFF_DST_1
#define DNNL_ARG_DIFF_DST_2 147
#define DNNL_ARG_DIFF_DST_ITER_C DNNL_ARG_DIFF_DST_2
#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_LAYER DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_1 162
#define DNNL_ARG_DIFF_WEIGHTS_ITER DNNL_ARG_DIFF_WEIGHTS_1
#define DNNL_ARG_DIFF_WEIGHTS_2 163
#define DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE DNNL_ARG_DIFF_WEIGHTS_2
#define DNNL_ARG_DIFF_WEIGHTS_3 164
#define DNNL_ARG_DIFF_WEIGHTS_PROJECTION DNNL_ARG_DIFF_WEIGHTS_3
#define DNNL_ARG_DIFF_BIAS 169
#define DNNL_ARG_DIFF_SCALE 255
#define DNNL_ARG_DIFF_SHIFT 256

typedef struct {
    int arg;              /* DNNL_ARG_* */
    dnnl_memory_t memory; /* NULL: as if the entry were absent */
} dnnl_exec_arg_t;

/* ---- Queries ------------------------------------------------------------- */

/* What dnnl_primitive_desc_query() and dnnl_memory_desc_query() answer. The
 * result type is in the name's ending or in the comment. */
typedef enum {
    dnnl_query_undef = 0,
    dnnl_query_engine = 1,         /* dnnl_engine_t * */
    dnnl_query_primitive_kind = 2, /* dnnl_primitive_kind_t * */
    dnnl_query_num_of_inputs_s32 = 3,
    dnnl_query_num_of_outputs_s32 = 4,
    dnnl_query_time_estimate_f64 = 5,
    dnnl_query_memory_consumption_s64 = 6,
    dnnl_query_scratchpad_engine = 7, /* dnnl_engine_t * */
    dnnl_query_impl_info_str = 8,     /* const char ** */
    dnnl_query_reorder_src_engine = 9,
    dnnl_query_reorder_dst_engine = 10,
    dnnl_query_prop_kind = 11, /* dnnl_prop_kind_t * */
    dnnl_query_cache_blob_id_size_s64 = 12,
    dnnl_query_cache_blob_id = 13, /* const uint8_t ** */
    dnnl_query_strides = 14,       /* const dnnl_dims_t ** */
    dnnl_query_dilations = 15,
    dnnl_query_padding_l = 16,
    dnnl_query_padding_r = 17,
    dnnl_query_epsilon_f32 = 18,
    dnnl_query_flags = 19,
    dnnl_query_alg_kind = 20, /* dnnl_alg_kind_t * */
    dnnl_query_alpha_f32 = 21,
    dnnl_query_beta_f32 = 22,
    dnnl_query_axis_s32 = 23,
    dnnl_query_local_size_s64 = 24,
    dnnl_query_k_f32 = 25,
    dnnl_query_p_f32 = 26,
    dnnl_query_factors = 27, /* const float ** */
    dnnl_query_cell_kind = 28,
    dnnl_query_direction = 29,
    dnnl_query_activation_kind = 30,
    dnnl_query_kernel = 31, /* const dnnl_dims_t ** */
    dnnl_query_group_size_s64 = 32,

    dnnl_query_some_md = 128,
    dnnl_query_src_md = 129, /* const_dnnl_memory_desc_t * */
    dnnl_query_diff_src_md = 130,
    dnnl_query_weights_md = 131,
    dnnl_query_diff_weights_md = 132,
    dnnl_query_dst_md = 133,
    dnnl_query_diff_dst_md = 134,
    dnnl_query_workspace_md = 135,
    dnnl_query_scratchpad_md = 136,
    dnnl_query_exec_arg_md = 255,

    dnnl_query_ndims_s32 = 256,
    dnnl_query_dims = 257,      /* const dnnl_dims_t ** */
    dnnl_query_data_type = 258, /* dnnl_data_type_t * */
    dnnl_query_submemory_offset_s64 = 259,
    dnnl_query_padded_dims = 260,
    dnnl_query_padded_offsets = 261,
    dnnl_query_format_kind = 262, /* dnnl_format_kind_t * */
    dnnl_query_inner_nblks_s32 = 263,
    dnnl_query_inner_blks = 264,
    dnnl_query_inner_idxs = 265
} dnnl_query_t;

/* ---- dnnl_cache: what oneDNN does not have ------------------------------- */

/* When an engine may compile. */
typedef enum {
    /* Look up, compile what is not found. */
    dnnl_cache_compile_mode_normal = 0,
    /* Never compile: what would compile returns dnnl_cache_miss at once, also
     * what cannot be cached at all: that has an ID of size 0. */
    dnnl_cache_compile_mode_cached_only = 1,
    /* Ignore what is in memory and in an attached store, compile afresh and
     * replace it. A blob that the caller hands in is used all the same. */
    dnnl_cache_compile_mode_recompile = 2
} dnnl_cache_compile_mode_t;

/* Where an object came from. */
typedef enum {
    dnnl_cache_origin_none = 0,       /* nothing was needed (empty tensor) */
    dnnl_cache_origin_memory_hit = 1, /* shared with an earlier object */
    dnnl_cache_origin_blob = 2,       /* from the blob the caller gave */
    dnnl_cache_origin_store_hit = 3,  /* from an attached store */
    dnnl_cache_origin_compiled = 4,   /* compiled from source */
    dnnl_cache_origin_adopted = 5     /* a cl_program the application built */
} dnnl_cache_origin_t;

/* What really happened when an object was created. Set struct_size with
 * DNNL_CACHE_CREATION_INFO_INIT; fields past the caller's struct_size are not
 * written. */
typedef struct {
    size_t struct_size;
    dnnl_cache_origin_t origin;
    /* Status of an attached store's blob that was refused before this object
     * was compiled; dnnl_success when there was none. A blob that the caller
     * gives and that is refused makes no object: the status is the call's, the
     * reason goes to the log callback at level info. */
    dnnl_status_t blob_status;
    /* Why it was refused: the identity field that differs, the damage found;
     * "" if nothing was refused. Owned by the object. */
    const char *blob_reason;
    uint64_t total_ns;   /* whole creation */
    uint64_t driver_ns;  /* in the driver: compiling or loading, first launch */
    uint64_t blob_bytes; /* size of the blob it was created from, else 0 */
    uint64_t binary_bytes; /* size of the driver's binary, 0 if not captured */
    /* Why the object has no cache blob ID ("" if it has one): which identity
     * query failed, which header is missing. Owned by the object. */
    const char *not_cacheable_reason;
} dnnl_cache_creation_info_t;

#define DNNL_CACHE_CREATION_INFO_INIT                               \
    {                                                               \
        sizeof(dnnl_cache_creation_info_t), dnnl_cache_origin_none, \
                dnnl_success, NULL, 0, 0, 0, 0, NULL                \
    }

typedef enum {
    dnnl_cache_blob_kind_undef = 0,
    dnnl_cache_blob_kind_engine = 1,
    dnnl_cache_blob_kind_primitive = 2,
    dnnl_cache_blob_kind_program = 3
} dnnl_cache_blob_kind_t;

/* What a blob holds, read without a device. Pointers go into the inspected
 * bytes and live as long as those. */
typedef struct {
    size_t struct_size;
    dnnl_cache_blob_kind_t kind;
    uint32_t format_version;
    uint64_t total_size; /* bytes */
    uint32_t section_count;
    uint32_t program_count;
    uint32_t kernel_count;
    uint64_t binary_bytes; /* all driver binaries, decoded */
    uint64_t stored_bytes; /* all driver binaries, as stored */
    size_t id_size;        /* bytes */
    const uint8_t *id;
    size_t build_log_size; /* bytes, without a trailing NUL */
    const char *build_log;
    /* What dnnl_cache_program_set_user_data() put into it; NULL: nothing. It
     * starts at a multiple of 8 bytes from the blob's start. */
    size_t user_data_size; /* bytes */
    const uint8_t *user_data;
} dnnl_cache_blob_info_t;

#define DNNL_CACHE_BLOB_INFO_INIT                                            \
    {                                                                        \
        sizeof(dnnl_cache_blob_info_t), dnnl_cache_blob_kind_undef, 0, 0, 0, \
                0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL                        \
    }

/* How binaries are kept in blobs. */
typedef enum {
    dnnl_cache_compression_none = 0, /* fastest to load (default) */
    dnnl_cache_compression_zstd = 1  /* smallest */
} dnnl_cache_compression_t;

/* What dnnl_cache_blob_describe() tells of. */
typedef enum {
    dnnl_cache_blob_part_section = 1,
    dnnl_cache_blob_part_program = 2,
    dnnl_cache_blob_part_kernel = 3
} dnnl_cache_blob_part_kind_t;

/* One part of a blob. The library fills it in, and sets struct_size to the size
 * that it knows; later releases may know more. Members that a kind of part does
 * not have are 0 or NULL. Pointers but the name of a section, which is static,
 * go into the blob and live as long as that. */
typedef struct {
    size_t struct_size;
    dnnl_cache_blob_part_kind_t kind;
    uint32_t index; /* from 0, among the parts of its kind */
    /* Section: "id", "programs", "kernels", "engine_facts", "logs",
     * "user_data", "binaries", else "unknown". Kernel: its name. Program: "".
     * Never NULL. */
    const char *name;
    uint32_t tag;     /* section: its number in the format */
    uint32_t program; /* kernel: index of its program; program: its own */
    /* Section: its size. Program: the driver's binary, decoded. Kernel: what
     * the blob keeps for launching it. */
    uint64_t bytes;
    uint64_t stored_bytes; /* the same as it stands in the blob */
    dnnl_cache_compression_t compression; /* program: of its binary */
    size_t id_size;                       /* program: its own ID, in bytes */
    const uint8_t *id;
    size_t build_log_size; /* program: in bytes, without a trailing NUL */
    const char *build_log; /* NULL if there is none */
} dnnl_cache_blob_part_t;

/* Receives one part, which is valid during the call; on the thread that called
 * dnnl_cache_blob_describe(), with no lock of the library held. Anything but
 * dnnl_success ends the description. */
typedef dnnl_status_t (*dnnl_cache_blob_part_callback_t)(
        const dnnl_cache_blob_part_t *part, void *user);

/* How a source names a file it includes. */
typedef enum {
    dnnl_cache_include_quoted = 1,  /* #include "name" */
    dnnl_cache_include_bracket = 2, /* #include <name> */
    /* Anything else that may read a file: a macro for a name, #include_next,
     * #embed, __has_include, .incbin, directives and pragmas that are not known
     * to read none, what compilers read in different ways.
     * Which file it is cannot be told. */
    dnnl_cache_include_unknown = 3
} dnnl_cache_include_form_t;

/* One directive of a source that reads a file. The library fills it in, and
 * sets struct_size to the size that it knows; later releases may know more. */
typedef struct {
    size_t struct_size;
    dnnl_cache_include_form_t form;
    /* Into the source, not NUL-terminated: the name between its quotes or
     * brackets, without a backslash, a line end or a NUL in it; of an unknown
     * one the line, or how it begins, for messages. */
    size_t name_size;
    const char *name;
} dnnl_cache_include_t;

/* Receives one directive, which is valid during the call; on the thread that
 * called dnnl_cache_find_includes(), with no lock of the library held. Anything
 * but dnnl_success ends the search. */
typedef dnnl_status_t (*dnnl_cache_include_callback_t)(
        const dnnl_cache_include_t *include, void *user);

/* Most bytes that dnnl_cache_program_set_user_data() takes. */
#define DNNL_CACHE_MAX_USER_DATA_SIZE ((size_t)1 << 24)

/* One ingredient of a cache blob ID. */
typedef struct {
    size_t struct_size;
    uint32_t tag;
    const char *name;     /* static: "driver_version", "source", ... */
    size_t size;          /* bytes */
    const uint8_t *value; /* into the ID */
    int is_text;          /* value is printable text */
} dnnl_cache_id_field_t;

#define DNNL_CACHE_ID_FIELD_INIT                           \
    {                                                      \
        sizeof(dnnl_cache_id_field_t), 0, NULL, 0, NULL, 0 \
    }

/* What a store learns of a blob besides its bytes. */
typedef struct {
    size_t struct_size;
    dnnl_cache_blob_kind_t kind;
    uint64_t compile_ns; /* what making it again would cost; 0: not known */
} dnnl_cache_store_metadata_t;

#define DNNL_CACHE_STORE_METADATA_INIT                                     \
    {                                                                      \
        sizeof(dnnl_cache_store_metadata_t), dnnl_cache_blob_kind_undef, 0 \
    }

/*
 * A place where blobs are kept under their IDs. IDs are compared whole. Every
 * callback may be called from several threads at once and may fail in any way:
 * a failing store is a miss, never an error of whoever asked.
 */
typedef struct {
    size_t struct_size;
    void *user; /* handed to every callback */

    /* Finds the blob of an ID. On dnnl_success *blob and *size are the bytes,
     * unchanging and owned by the store until release() is called with the
     * same pointer; they may lie at any address. dnnl_cache_miss: not there.
     * Else, or without bytes: the store failed; what it wrote is not used. */
    dnnl_status_t (*get)(void *user, size_t id_size, const uint8_t *id,
            size_t *size, const uint8_t **blob);

    /* Gives back the bytes of one successful get(), on the same thread and
     * exactly once, of a store that was detached meanwhile as well. */
    void (*release)(void *user, size_t size, const uint8_t *blob);

    /* Keeps a copy of the blob, replacing one of the same ID. dnnl_success
     * also when the store decided not to keep it (too large, read-only).
     * metadata may be NULL. Optional (NULL), like remove: a store without
     * them is read-only. */
    dnnl_status_t (*put)(void *user, size_t id_size, const uint8_t *id,
            size_t size, const uint8_t *blob,
            const dnnl_cache_store_metadata_t *metadata);

    /* Forgets the blob of an ID; dnnl_success also if there is none. */
    dnnl_status_t (*remove)(void *user, size_t id_size, const uint8_t *id);

    /* Optional (NULL): finds several at once, for
     * dnnl_cache_engine_prefetch(). All sizes are 0 and all blobs NULL on
     * entry; blobs[i] stays NULL for a miss; each found one is given back with
     * release(). dnnl_success, dnnl_cache_miss (none is there), else the store
     * failed; what was filled in then is not looked at. */
    dnnl_status_t (*get_many)(void *user, size_t count, const size_t *id_sizes,
            const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs);
} dnnl_cache_store_t;

#define DNNL_CACHE_STORE_INIT                                          \
    {                                                                  \
        sizeof(dnnl_cache_store_t), NULL, NULL, NULL, NULL, NULL, NULL \
    }

/* A number of bytes that is none. */
#define DNNL_CACHE_NO_LIMIT UINT64_MAX

typedef enum {
    dnnl_cache_log_error = 0,
    dnnl_cache_log_warning = 1,
    dnnl_cache_log_info = 2
} dnnl_cache_log_level_t;

/* Receives one message, without a newline at its end; what a compiler says has
 * newlines inside. Called on the thread where the fact became known, with no
 * lock of the library held; it may call the library, but what comes of it is
 * told in eight callbacks inside each other at most. text is valid during the
 * call. */
typedef void (*dnnl_cache_log_callback_t)(
        dnnl_cache_log_level_t level, const char *text, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TYPES_H */
