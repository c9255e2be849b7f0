/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h: oneDNN's enumerators and constants.
 *
 * Names and values are those of oneDNN 3.13.
 */
#ifndef DNNL_CACHE_ONEDNN_TYPES_H
#define DNNL_CACHE_ONEDNN_TYPES_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/onednn/format_tags.h"

#include <stddef.h>
#include <stdint.h>

/* Names that oneDNN calls experimental are there as in oneDNN: if the
 * application defines DNNL_EXPERIMENTAL_GROUPED_MEMORY as 1, or
 * DNNL_EXPERIMENTAL_PROFILING. */
#ifndef DNNL_EXPERIMENTAL_GROUPED_MEMORY
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 0
#endif

/* ---- Tensors ------------------------------------------------------------- */

/* The largest number of dimensions of a tensor. */
#define DNNL_MAX_NDIMS 12

/* A dimension, stride or offset in elements; and one for each dimension of
 * a tensor. */
typedef int64_t dnnl_dim_t;
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/* A dimension, stride or offset that is known only at execution, and the size
 * of a tensor that has one. */
#define DNNL_RUNTIME_DIM_VAL INT64_MIN
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

/* A number that is known only at execution, for former calls of oneDNN: a
 * special NaN. */
static const union {
    unsigned u; /* the bits */
    float f;    /* the number */
} DNNL_RUNTIME_F32_VAL_REP = {0x7fc000d0};
/* The value of DNNL_RUNTIME_F32_VAL_REP. */
#define DNNL_RUNTIME_F32_VAL (DNNL_RUNTIME_F32_VAL_REP.f)
/* The same for a number of type s32. */
static const int DNNL_RUNTIME_S32_VAL_REP = INT32_MIN;
#define DNNL_RUNTIME_S32_VAL DNNL_RUNTIME_S32_VAL_REP

/* The type of a tensor's elements. docs/reference/onednn.md says which
 * primitives support which. */
typedef enum {
    dnnl_data_type_undef = 0,
    dnnl_f16 = 1,
    dnnl_bf16 = 2,
    dnnl_f32 = 3,
    dnnl_s32 = 4,
    dnnl_s8 = 5,
    dnnl_u8 = 6,
    dnnl_f64 = 7,
    /* The following types have names and sizes; primitives support only s4 and
     * u4 of them: weights of matmul, and reorder; and s64 where it says so. */
    dnnl_boolean = 8,
    dnnl_f8_e5m2 = 9,
    dnnl_f8_e4m3 = 10,
    dnnl_s4 = 11, /* this and the following: two elements per byte */
    dnnl_u4 = 12,
    dnnl_e8m0 = 13,
    dnnl_f4_e2m1 = 14,
    dnnl_f4_e3m0 = 15,
    dnnl_s64 = 16,              /* of seeds and offsets of random numbers */
    dnnl_data_type_max = 0x7fff /* not a type: above all types */
} dnnl_data_type_t;

/* How the layout of a tensor is described. */
typedef enum {
    dnnl_format_kind_undef = 0,
    dnnl_format_kind_any = 1,
    dnnl_blocked = 2,
    /* No descriptor of this library has these two kinds. */
    dnnl_format_kind_opaque = 3,
    dnnl_format_kind_sparse = 4,
    dnnl_format_kind_host_scalar = 5, /* one number, on the host */
    dnnl_format_kind_max = 0x7fff
} dnnl_format_kind_t;

/* Encodings of sparse tensors, which this library does not support. */
typedef enum {
    dnnl_sparse_encoding_undef = 0,
    dnnl_csr = 1,
    dnnl_packed = 2,
    dnnl_coo = 3,
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
    dnnl_grouped = 4
#endif
} dnnl_sparse_encoding_t;

/*
 * Format tags name the physical order of the dimensions, outermost first; the
 * letters a, b, c ... are the logical dimensions. A capital letter is a
 * dimension that is split into blocks. Numbers and letters at the end describe
 * the blocks, outermost first: in aBcd16b the innermost elements are 16
 * neighbours of dimension b. A blocked dimension is padded to a multiple of its
 * blocks. Domain names (nchw, nChw16c, oihw ...) are aliases.
 */
typedef enum {
    dnnl_format_tag_undef = 0,
    dnnl_format_tag_any = 1,
#define DNNL_CACHE_TAG(name) dnnl_##name,
#define DNNL_CACHE_ALIAS(name, tag) dnnl_##name = dnnl_##tag,
    /* clang-format off */
    DNNL_CACHE_FORMAT_TAGS(DNNL_CACHE_TAG)
    /* Not a tag: one above the last. */
    dnnl_format_tag_last,
    DNNL_CACHE_FORMAT_TAG_ALIASES(DNNL_CACHE_ALIAS)
/* clang-format on */
#undef DNNL_CACHE_TAG
#undef DNNL_CACHE_ALIAS
} dnnl_format_tag_t;

/* ---- Operations ---------------------------------------------------------- */

/* What a primitive is for; only forward primitives are supported. */
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

/* Kinds of primitives. */
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
    dnnl_group_normalization = 21,
    dnnl_primitive_kind_max = 0x7fff
} dnnl_primitive_kind_t;

/* Algorithms; the beginning of a name says of which kind of primitive. */
typedef enum {
    dnnl_alg_kind_undef = 0,
    dnnl_convolution_direct = 0x1,
    dnnl_convolution_winograd = 0x2,
    dnnl_convolution_auto = 0x3,
    dnnl_deconvolution_direct = 0xa,
    dnnl_deconvolution_winograd = 0xb,
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

/* Optional inputs and operations of a normalization. */
typedef enum {
    dnnl_normalization_flags_none = 0,
    dnnl_use_global_stats = 1, /* statistics are inputs */
    dnnl_use_scale = 2,
    dnnl_use_shift = 4,
    dnnl_fuse_norm_relu = 8,
    dnnl_fuse_norm_add_relu = 16,
    dnnl_rms_norm = 32 /* the mean counts as 0; of layer normalization */
} dnnl_normalization_flags_t;

/* ---- Attributes ---------------------------------------------------------- */

/* How inexact floating-point computations may be. */
typedef enum {
    dnnl_fpmath_mode_strict = 0,
    dnnl_fpmath_mode_bf16 = 1,
    dnnl_fpmath_mode_f16 = 2,
    dnnl_fpmath_mode_any = 3,
    dnnl_fpmath_mode_tf32 = 4
} dnnl_fpmath_mode_t;

/* The type in which sums may be accumulated. */
typedef enum {
    dnnl_accumulation_mode_strict = 0,
    dnnl_accumulation_mode_relaxed = 1,
    dnnl_accumulation_mode_any = 2,
    dnnl_accumulation_mode_s32 = 3,
    dnnl_accumulation_mode_f32 = 4,
    dnnl_accumulation_mode_f16 = 5
} dnnl_accumulation_mode_t;

/* Who allocates the scratch memory of an execution. */
typedef enum {
    dnnl_scratchpad_mode_library = 0,
    dnnl_scratchpad_mode_user = 1
} dnnl_scratchpad_mode_t;

/* How a result is rounded to its data type; only the first is supported. */
typedef enum {
    dnnl_rounding_mode_environment = 0,
    dnnl_rounding_mode_stochastic = 1
} dnnl_rounding_mode_t;

/* How the scales of an argument come about; only the first is supported. */
typedef enum {
    dnnl_quantization_mode_undef = 0,
    dnnl_quantization_mode_static_sazp = 1, /* they are inputs */
    dnnl_quantization_mode_dynamic_mx = 2,  /* a primitive computes them */
    dnnl_quantization_mode_dynamic_fp = 3
} dnnl_quantization_mode_t;

/* Of backward recurrent primitives, which this library does not support. */
typedef enum {
    dnnl_rnn_flags_undef = 0x0,
    dnnl_rnn_flags_diff_weights_overwrite = 0x1
} dnnl_rnn_flags_t;

/* The direction of a recurrent network. */
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
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    dnnl_cpu_isa_avx10_2 = 0x201ff,
    dnnl_cpu_isa_avx10_2_512 = dnnl_cpu_isa_avx10_2,
    dnnl_cpu_isa_avx10_2_amx_2 = 0x22fff,
    dnnl_cpu_isa_avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_amx_2
} dnnl_cpu_isa_t;

/* Hints about instruction sets; nothing here depends on them. */
typedef enum {
    dnnl_cpu_isa_no_hints = 0x0,
    dnnl_cpu_isa_prefer_ymm = 0x1
} dnnl_cpu_isa_hints_t;

/* What profilers may learn about generated code. */
#define DNNL_JIT_PROFILE_NONE 0u
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_PERFMAP 2u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP 4u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u
#define DNNL_JIT_PROFILE_LINUX_PERF \
    (DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_PERFMAP)

/* ---- Execution arguments ------------------------------------------------- */

/* Which tensor of a primitive a memory is: inputs (SRC), outputs (DST),
 * weights and the others by name. The create call of the primitive's
 * descriptor says which tensors there are. */
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
/* Combined with an argument: its scales or zero points. */
#define DNNL_ARG_ATTR_SCALES 4096
#define DNNL_ARG_ATTR_ZERO_POINTS 8192
#define DNNL_ARG_ATTR_POST_OP_DW 16384
/* Combined with DNNL_ARG_SRC_1 or DNNL_ARG_WEIGHTS: the other operand of
 * post-op number idx; with DNNL_ARG_SRC_2: the condition of a select. */
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) \
    (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))
/* Of recurrent and backward primitives, and of other attributes. */
#define DNNL_ARG_REDUCE 42
#define DNNL_ARG_ATTR_DROPOUT_OFFSET 507
#define DNNL_ARG_ATTR_ROUNDING_SEED 508
#define DNNL_ARG_ATTR_DROPOUT_MASK 509
#define DNNL_ARG_ATTR_DROPOUT_PROBABILITY 510
#define DNNL_ARG_ATTR_DROPOUT_SEED 511
#define DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS 512
#define DNNL_ARG_ATTR_OUTPUT_SCALES 513
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
#define DNNL_ARG_HINT_MAX_GROUP_SIZE 384
#endif
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

/* A memory for one argument of dnnl_primitive_execute(). */
typedef struct {
    int arg;              /* DNNL_ARG_* */
    dnnl_memory_t memory; /* NULL: as if the entry were absent */
} dnnl_exec_arg_t;

/* ---- Queries ------------------------------------------------------------- */

/* Queries of dnnl_primitive_desc_query() and dnnl_memory_desc_query(). The end
 * of the name, or the comment, says the type of the result. */
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
    dnnl_query_inner_idxs = 265,
    /* Of sparse tensors, which are not supported, and of a tensor's buffers. */
    dnnl_query_sparse_encoding = 266, /* dnnl_sparse_encoding_t * */
    dnnl_query_nnz_s64 = 267,
    dnnl_query_num_handles_s32 = 268,

    dnnl_query_max = 0x7fff
} dnnl_query_t;

/* ---- Streams, memory ----------------------------------------------------- */

/* How a stream executes; the flags can be combined. */
typedef enum {
    dnnl_stream_in_order = 0x1,
    dnnl_stream_out_of_order = 0x2,
    dnnl_stream_profiling = 0x4, /* beside one of these */
    dnnl_stream_default_flags = dnnl_stream_in_order,
    dnnl_stream_flags_max = 0x7fff
} dnnl_stream_flags_t;

/* A memory object without a buffer. */
#define DNNL_MEMORY_NONE (NULL)
/* A memory object whose buffer the library allocates. */
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef DNNL_EXPERIMENTAL_PROFILING
/* What a profile contains. */
typedef enum {
    dnnl_profiling_data_kind_undef = 0,
    dnnl_profiling_data_kind_time = 1, /* nanoseconds */
    dnnl_profiling_data_max = 0x7fff
} dnnl_profiling_data_kind_t;
#endif

#endif /* DNNL_CACHE_ONEDNN_TYPES_H */
