/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_types.h: statuses, enumerators, constants and opaque types.
 *
 * Names and values are those of oneDNN 3.8, so that a program written for
 * oneDNN compiles unmodified. Names that oneDNN does not have begin with
 * dnnl_cache_. This header needs no OpenCL. It is valid C99 and C++11.
 */
#ifndef DNNL_CACHE_TYPES_H
#define DNNL_CACHE_TYPES_H

#include "dnnl_cache_format_tags.h"

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

/* 0 for a library built without primitives (-DDNNL_CACHE_PRIMITIVES=OFF): calls
 * for primitives are then not declared. The library's CMake package and
 * pkg-config file define the macro; without them, define it yourself. */
#ifndef DNNL_CACHE_PRIMITIVES
#define DNNL_CACHE_PRIMITIVES 1
#endif

/* ---- Version of this library --------------------------------------------- */

/* The version of this library; dnnl_cache_version() is that of the shared
 * object. */
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
/* An older name. */
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL

/* ---- Statuses ------------------------------------------------------------ */

/*
 * What every call returns. What the caller should do next:
 *
 * dnnl_success            continue.
 * dnnl_out_of_memory      host or device memory ran out; free some, try again.
 * dnnl_invalid_arguments  correct the call; no output was written.
 * dnnl_unimplemented      not supported for these arguments.
 * dnnl_runtime_error      the driver failed; the log callback got the details.
 * dnnl_cache_miss         the object would have to be compiled, and the compile
 *                         mode is dnnl_cache_compile_mode_cached_only.
 * dnnl_cache_blob_corrupt the bytes are not an intact cache blob: remove them
 *                         from the store and compile.
 * dnnl_cache_blob_stale   an intact blob of another driver, device, library
 *                         version or object: compile, and replace the blob.
 * dnnl_cache_blob_unsupported
 *                         an intact blob of a newer format: compile, and leave
 *                         the blob for the newer library that wrote it.
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

/* The type of a tensor's elements. docs/ONEDNN.md says which primitives
 * support which. */
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
     * u4 of them: weights of matmul, and reorder. */
    dnnl_boolean = 8,
    dnnl_f8_e5m2 = 9,
    dnnl_f8_e4m3 = 10,
    dnnl_s4 = 11, /* this and the following: two elements per byte */
    dnnl_u4 = 12,
    dnnl_e8m0 = 13,
    dnnl_f4_e2m1 = 14,
    dnnl_f4_e3m0 = 15,
    dnnl_data_type_max = 0x7fff /* not a type: above all types */
} dnnl_data_type_t;

/* How the layout of a tensor is described. */
typedef enum {
    dnnl_format_kind_undef = 0,
    dnnl_format_kind_any = 1,
    dnnl_blocked = 2,
    /* No descriptor of this library has these kinds. */
    dnnl_format_kind_opaque = 3,
    dnnl_format_kind_sparse = 4,
    dnnl_format_kind_max = 0x7fff
} dnnl_format_kind_t;

/* Encodings of sparse tensors, which this library does not support. */
typedef enum {
    dnnl_sparse_encoding_undef = 0,
    dnnl_csr = 1,
    dnnl_packed = 2,
    dnnl_coo = 3
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
    dnnl_fuse_norm_add_relu = 16
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

/* Recurrent networks, which this library does not support. */
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
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16
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

/* ---- Engines, streams, memory -------------------------------------------- */

/* Kinds of engines: host memory (dnnl_cpu), and every OpenCL device, a
 * processor too (dnnl_gpu). */
typedef enum {
    dnnl_any_engine = 0,
    dnnl_cpu = 1,
    dnnl_gpu = 2
} dnnl_engine_kind_t;

/* How a stream executes; the flags can be combined. */
typedef enum {
    dnnl_stream_in_order = 0x1,
    dnnl_stream_out_of_order = 0x2,
    dnnl_stream_profiling = 0x4, /* not supported */
    dnnl_stream_default_flags = dnnl_stream_in_order
} dnnl_stream_flags_t;

/* A memory object without a buffer. */
#define DNNL_MEMORY_NONE (NULL)
/* A memory object whose buffer the library allocates. */
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

/* What a profile contains. */
typedef enum {
    dnnl_profiling_data_kind_undef = 0,
    dnnl_profiling_data_kind_time = 1 /* nanoseconds */
} dnnl_profiling_data_kind_t;

/* What dnnl_version() returns. */
typedef struct {
    int major;            /* oneDNN interface version */
    int minor;            /* its minor number */
    int patch;            /* its patch number */
    const char *hash;     /* git hash of this library's sources */
    unsigned cpu_runtime; /* DNNL_RUNTIME_* */
    unsigned gpu_runtime; /* DNNL_RUNTIME_* */
} dnnl_version_t;

/* Opaque types. Each may be used from several threads at once unless its
 * section in dnnl_cache.h says otherwise. Do not destroy one while another
 * thread uses it. */
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

/* Handles of the opaque types. The caller destroys a handle that a call
 * created; borrowed ones are named so. dnnl_cache.h describes each type. */
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
typedef struct dnnl_cache_build_queue *dnnl_cache_build_queue_t;
typedef struct dnnl_cache_build_job *dnnl_cache_build_job_t;

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
 * post-op number idx. */
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) \
    (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))
/* Of recurrent networks, backward primitives and attributes that this library
 * does not support. */
#define DNNL_ARG_REDUCE 42
#define DNNL_ARG_ATTR_ROUNDING_SEED 508
#define DNNL_ARG_ATTR_DROPOUT_MASK 509
#define DNNL_ARG_ATTR_DROPOUT_PROBABILITY 510
#define DNNL_ARG_ATTR_DROPOUT_SEED 511
#define DNNL_ARG_ATTR_OUTPUT_SCALES 513
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

/* ---- dnnl_cache: not in oneDNN ------------------------------------------- */

/* When an engine may compile. */
typedef enum {
    /* Look up, and compile what is not found. */
    dnnl_cache_compile_mode_normal = 0,
    /* Never compile: a call that would compile returns dnnl_cache_miss at once,
     * also for objects that are not cacheable (with an ID of size 0). */
    dnnl_cache_compile_mode_cached_only = 1,
    /* Ignore objects in memory and in an attached store; compile again and
     * replace them. A blob that the caller passes is still used. */
    dnnl_cache_compile_mode_recompile = 2
} dnnl_cache_compile_mode_t;

/* Where an object came from. */
typedef enum {
    dnnl_cache_origin_none = 0,       /* nothing to compile (empty tensor) */
    dnnl_cache_origin_memory_hit = 1, /* shared with an earlier object */
    dnnl_cache_origin_blob = 2,       /* from the blob that the caller passed */
    dnnl_cache_origin_store_hit = 3,  /* from an attached store */
    dnnl_cache_origin_compiled = 4,   /* compiled from source */
    dnnl_cache_origin_adopted = 5     /* built by the application */
} dnnl_cache_origin_t;

/* Which form of the driver's binary an object was loaded from. */
typedef enum {
    dnnl_cache_binary_form_none = 0,     /* none: it was compiled */
    dnnl_cache_binary_form_driver = 1,   /* as the driver gave it */
    dnnl_cache_binary_form_finalised = 2 /* what a finaliser made of it */
} dnnl_cache_binary_form_t;

/* What happened when an object was created. Set struct_size with
 * DNNL_CACHE_CREATION_INFO_INIT; fields beyond the caller's struct_size are not
 * written. */
typedef struct {
    size_t struct_size;         /* sizeof the struct */
    dnnl_cache_origin_t origin; /* where it came from */
    /* Status of an attached store's blob that was rejected before this object
     * was compiled; dnnl_success if there was none. If a blob that the caller
     * passes is rejected, no object is created: the call returns the status,
     * and the reason is logged at level info. */
    dnnl_status_t blob_status;
    /* Why it was rejected: the identity field that differs, or the damage; ""
     * if no blob was rejected. Owned by the object. */
    const char *blob_reason;
    uint64_t total_ns;   /* whole creation */
    uint64_t driver_ns;  /* in the driver: compiling or loading, first launch */
    uint64_t blob_bytes; /* size of the blob it was created from, else 0 */
    uint64_t binary_bytes; /* size of the driver's binary, 0 if not captured */
    /* Why the object has no cache blob ID ("" if it has one): which identity
     * query failed, or which header is missing. Owned by the object. */
    const char *not_cacheable_reason;
    /* Not 0: the blob that the object was created from lacks code for kernels
     * that the application has got, or for launches that it has reported
     * (dnnl_cache_program_note_launch()): the driver compiles when they are
     * launched. As far as it is known when the info is asked for. */
    int incomplete;
    /* Which form of the binary the object's program, which may be in memory
     * since an earlier creation, was loaded from. */
    dnnl_cache_binary_form_t binary_form;
    /* Why the blob's finalised form was not used; "" if it was, or there was
     * none. Owned by the object. */
    const char *form_reason;
} dnnl_cache_creation_info_t;

/* The initial value of a dnnl_cache_creation_info_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_CREATION_INFO_INIT                               \
    {                                                               \
        sizeof(dnnl_cache_creation_info_t), dnnl_cache_origin_none, \
                dnnl_success, NULL, 0, 0, 0, 0, NULL, 0,            \
                dnnl_cache_binary_form_none, NULL                   \
    }

/* What a blob is a record of. */
typedef enum {
    dnnl_cache_blob_kind_undef = 0,
    dnnl_cache_blob_kind_engine = 1,
    dnnl_cache_blob_kind_primitive = 2,
    dnnl_cache_blob_kind_program = 3
} dnnl_cache_blob_kind_t;

/* Room for the text of dnnl_cache_blob_get_binary_text(), its NUL included. */
#define DNNL_CACHE_BINARY_TEXT_SIZE 64

/* How blobs store binaries. */
typedef enum {
    dnnl_cache_compression_none = 0, /* fastest to load (default) */
    dnnl_cache_compression_zstd = 1  /* smallest */
} dnnl_cache_compression_t;

/* Contents of a blob, read without a device. Pointers point into the inspected
 * bytes. */
typedef struct {
    size_t struct_size;          /* sizeof the struct */
    dnnl_cache_blob_kind_t kind; /* what it is a record of */
    uint32_t format_version;     /* docs/FORMAT.md */
    uint64_t total_size;         /* bytes */
    uint32_t section_count;      /* of the format */
    uint32_t program_count;      /* programs in it */
    uint32_t kernel_count;       /* kernels in it */
    uint64_t binary_bytes;       /* all driver binaries, decoded */
    uint64_t stored_bytes;       /* all driver binaries, as stored */
    size_t id_size;              /* bytes */
    const uint8_t *id;           /* the ID it was made for */
    size_t build_log_size;       /* bytes, without a trailing NUL */
    const char *build_log;       /* NULL: none */
    /* Bytes of dnnl_cache_program_set_user_data(); NULL: none. They start at a
     * multiple of 8 bytes from the blob's start. */
    size_t user_data_size;    /* bytes */
    const uint8_t *user_data; /* owned by the blob */
    /* Programs with a finalised form, and the bytes of the forms that are
     * stored beside a binary. */
    uint32_t finalised_count;
    uint64_t finalised_bytes;
    /* The first program's binary as it is stored: it is the driver's if
     * binary_compression is none. NULL: there is no program. */
    size_t binary_size;
    const uint8_t *binary;
    dnnl_cache_compression_t binary_compression;
} dnnl_cache_blob_info_t;

/* The initial value of a dnnl_cache_blob_info_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_BLOB_INFO_INIT                                            \
    {                                                                        \
        sizeof(dnnl_cache_blob_info_t), dnnl_cache_blob_kind_undef, 0, 0, 0, \
                0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, NULL,        \
                dnnl_cache_compression_none                                  \
    }

/* The parts that dnnl_cache_blob_describe() describes. */
typedef enum {
    dnnl_cache_blob_part_section = 1,
    dnnl_cache_blob_part_program = 2,
    dnnl_cache_blob_part_kernel = 3
} dnnl_cache_blob_part_kind_t;

/* One part of a blob. The library fills it in, and sets struct_size to the size
 * that it knows; later releases may have more members. Members that a kind of
 * part does not have are 0 or NULL. Pointers point into the blob, except the
 * name of a section, which is static. */
typedef struct {
    size_t struct_size;               /* sizeof the struct */
    dnnl_cache_blob_part_kind_t kind; /* what the part is */
    uint32_t index;                   /* from 0, among the parts of its kind */
    /* Section: "id", "programs", "kernels", "engine_facts", "logs",
     * "user_data", "binaries", "finalised", else "unknown". Kernel: its name.
     * Program: "". Never NULL. */
    const char *name;
    uint32_t tag;     /* section: its number in the format */
    uint32_t program; /* kernel: index of its program; program: its own */
    /* Section: its size. Program: size of the driver's binary, decoded. Kernel:
     * size of its launch facts. */
    uint64_t bytes;
    uint64_t stored_bytes;                /* the same, as stored in the blob */
    dnnl_cache_compression_t compression; /* program: of its binary */
    size_t id_size;                       /* program: its own ID, in bytes */
    const uint8_t *id;                    /* NULL for other kinds */
    size_t build_log_size; /* program: in bytes, without a trailing NUL */
    const char *build_log; /* NULL if there is none */
    /* Kernel of a program's blob: the launches that the binary has code for, as
     * PoCL names them, "64-1-1-goffs0-smallgrid"; several are separated by
     * commas. Where PoCL chose the local size: the global size, "auto-640-1-1".
     * NULL: not known, or the driver makes no such difference. */
    const char *launches;
    /* Program: what made its finalised form, and that one's version; not
     * NUL-terminated. NULL: it has none. */
    const char *finaliser;
    size_t finaliser_size;
    /* Program: size of the form beside the binary, decoded and as stored; 0 if
     * the binary itself is the form. */
    uint64_t finalised_bytes;
    uint64_t finalised_stored_bytes;
} dnnl_cache_blob_part_t;

/* Receives one part, which is valid during the call. Called on the thread of
 * dnnl_cache_blob_describe(), with no lock of the library held. Any status but
 * dnnl_success ends the description. */
typedef dnnl_status_t (*dnnl_cache_blob_part_callback_t)(
        const dnnl_cache_blob_part_t *part, void *user);

/* How a source names a file it includes. */
typedef enum {
    dnnl_cache_include_quoted = 1,  /* #include "name" */
    dnnl_cache_include_bracket = 2, /* #include <name> */
    /* Anything else that may read a file: a macro as name, #include_next,
     * #embed, __has_include, .incbin, unknown directives and pragmas, and text
     * that compilers read in different ways. The file is not known. */
    dnnl_cache_include_unknown = 3
} dnnl_cache_include_form_t;

/* One directive of a source that reads a file. The library fills it in, and
 * sets struct_size to the size that it knows; later releases may have more
 * members. */
typedef struct {
    size_t struct_size;             /* sizeof the struct */
    dnnl_cache_include_form_t form; /* how the file is named */
    /* Points into the source, not NUL-terminated: the name between its quotes
     * or brackets, which contains no backslash, line end or NUL; for an unknown
     * form the line or its beginning, for messages. */
    size_t name_size;
    const char *name;
} dnnl_cache_include_t;

/* Receives one directive, which is valid during the call. Called on the thread
 * of dnnl_cache_find_includes(), with no lock of the library held. Any status
 * but dnnl_success ends the search. */
typedef dnnl_status_t (*dnnl_cache_include_callback_t)(
        const dnnl_cache_include_t *include, void *user);

/* The largest size of dnnl_cache_program_set_user_data(). */
#define DNNL_CACHE_MAX_USER_DATA_SIZE ((size_t)1 << 24)

/* One ingredient of a cache blob ID. */
typedef struct {
    size_t struct_size;   /* sizeof the struct */
    uint32_t tag;         /* its number in the format */
    const char *name;     /* static: "driver_version", "source", ... */
    size_t size;          /* bytes */
    const uint8_t *value; /* points into the ID */
    int is_text;          /* value is printable text */
} dnnl_cache_id_field_t;

/* The initial value of a dnnl_cache_id_field_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_ID_FIELD_INIT                           \
    {                                                      \
        sizeof(dnnl_cache_id_field_t), 0, NULL, 0, NULL, 0 \
    }

/* What a store learns about a blob besides its bytes. */
typedef struct {
    size_t struct_size;          /* sizeof the struct */
    dnnl_cache_blob_kind_t kind; /* what the blob is a record of */
    uint64_t compile_ns;         /* time of its compilation; 0: not known */
} dnnl_cache_store_metadata_t;

/* The initial value of a dnnl_cache_store_metadata_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_STORE_METADATA_INIT                                     \
    {                                                                      \
        sizeof(dnnl_cache_store_metadata_t), dnnl_cache_blob_kind_undef, 0 \
    }

/* ---- Notes -------------------------------------------------------------- */
/*
 * A note says that something was built or launched whose binary is not complete
 * in a store yet. Stores write notes to a journal, from which the binaries are
 * made later, by the library or by "dnnl-cache refresh". A note holds no buffer
 * and no argument of a kernel.
 */
typedef enum {
    dnnl_cache_note_undef = 0,
    dnnl_cache_note_build = 1,  /* a program was compiled or linked */
    dnnl_cache_note_launch = 2, /* a kernel was launched in this way */
    dnnl_cache_note_kernel = 3  /* a kernel was created; of records alone */
} dnnl_cache_note_kind_t;

/* Whose entry the ID names. */
typedef enum {
    dnnl_cache_note_origin_undef = 0,
    dnnl_cache_note_library = 1,  /* a program of this library's API */
    dnnl_cache_note_layer = 2,    /* a build under the OpenCL layer */
    dnnl_cache_note_primitive = 3 /* the library's own; of records alone */
} dnnl_cache_note_origin_t;

/* What was built, by the call that built it. */
typedef enum {
    dnnl_cache_note_type_undef = 0,
    dnnl_cache_note_executable = 1, /* clBuildProgram() */
    dnnl_cache_note_object = 2,     /* clCompileProgram() */
    dnnl_cache_note_linked = 3      /* clLinkProgram() */
} dnnl_cache_note_type_t;

/* A header that the application embedded. */
typedef struct {
    const char *name; /* as the source includes it */
    size_t size;      /* bytes of text */
    const char *text; /* not NUL-terminated */
} dnnl_cache_note_header_t;

/* A file that was found for an include. */
typedef struct {
    const char *path;   /* as the compiler opens it */
    uint8_t digest[32]; /* BLAKE2b-256 of its contents */
} dnnl_cache_note_file_t;

/* A specialization constant. */
typedef struct {
    uint32_t id;      /* its number in the IL */
    uint32_t size;    /* bytes of value: 1, 2, 4 or 8 */
    uint8_t value[8]; /* as the application gave it */
} dnnl_cache_note_constant_t;

/* One note. Set struct_size with DNNL_CACHE_NOTE_INIT. Pointers are valid
 * during the call that the note is passed to. Members that a kind of note does
 * not have are 0 or NULL. */
typedef struct {
    size_t struct_size;              /* sizeof the struct */
    dnnl_cache_note_kind_t kind;     /* what happened */
    dnnl_cache_note_origin_t origin; /* whose entry it is */
    size_t id_size;    /* of the entry that the binary is put under */
    const uint8_t *id; /* cache blob ID */

    /* ---- Of a build ---- */

    dnnl_cache_note_type_t type; /* what was built */
    uint64_t compile_ns;         /* 0: not known */
    /* The strings of clCreateProgramWithSource(), in order; or IL. Neither, if
     * the program was linked. */
    size_t source_count;
    const size_t *source_sizes; /* bytes */
    const char *const *sources; /* of source_sizes bytes each */
    size_t il_size;             /* bytes */
    const void *il;             /* intermediate language; NULL: none */
    const char *options;        /* as given; NULL is "" */
    size_t header_count;        /* headers that were given */
    const dnnl_cache_note_header_t *headers;     /* header_count of them */
    size_t constant_count;                       /* specialization constants */
    const dnnl_cache_note_constant_t *constants; /* constant_count of them */
    /* Of a link: IDs of the programs that were linked, in order. */
    size_t input_count;
    const size_t *input_id_sizes;
    const uint8_t *const *input_ids;
    /* 1: the compiler reads files, and the ID has a digest of their contents
     * (the layer's, for example). 2: it reads files that the application alone
     * knows (dnnl_cache_program_desc_set_includes_known()): such a program can
     * be captured in its own process only. */
    int reads_files;
    size_t file_count; /* of those, as far as they are known */
    const dnnl_cache_note_file_t *files; /* their paths and digests */
    const char *directory; /* where relative paths begin; NULL: not known */

    /* ---- Of a launch ---- */

    const char *kernel;   /* its name */
    uint32_t work_dim;    /* dimensions: 1 to 3 */
    size_t local_size[3]; /* 0: chosen by the driver, or no such dimension */
    int has_offset;       /* a global offset other than 0 */
    /* As PoCL means it: no dimension of the grid has many items. Drivers
     * without this distinction: 0. */
    int is_small_grid;
    /* What the driver chooses from, if it chooses the local size; else 0. */
    size_t global_size[3];

    /* ---- Of a kernel that was created, which has a name, too ---- */

    /* What its arguments are, a letter each: g, c and l a pointer to global,
     * constant and local memory; i an image or a pipe; s a sampler; v a value;
     * ? not known. NULL: none of them is known. */
    const char *arguments;
} dnnl_cache_note_t;

/* The initial value of a dnnl_cache_note_t: struct_size is set, all else is
 * 0. */
#define DNNL_CACHE_NOTE_INIT                                                 \
    {                                                                        \
        sizeof(dnnl_cache_note_t), dnnl_cache_note_undef,                    \
                dnnl_cache_note_origin_undef, 0, NULL,                       \
                dnnl_cache_note_type_undef, 0, 0, NULL, NULL, 0, NULL, NULL, \
                0, NULL, 0, NULL, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0,  \
                {0, 0, 0}, 0, 0, {0, 0, 0}, NULL                             \
    }

/*
 * A store keeps blobs under their IDs, and compares whole IDs. Every callback
 * may be called from several threads at once, and may fail in any way: a store
 * that fails counts as a miss, and is never an error of the caller.
 */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    void *user;         /* passed to every callback */

    /* Finds the blob of an ID. On dnnl_success *blob and *size are the bytes,
     * at any address, which the store owns and must not change until release()
     * is called with the same pointer. dnnl_cache_miss: not found. With any
     * other status, or without bytes, the store has failed, and the outputs are
     * ignored. */
    dnnl_status_t (*get)(void *user, size_t id_size, const uint8_t *id,
            size_t *size, const uint8_t **blob);

    /* Releases the bytes of one successful get(): on the same thread and
     * exactly once, also if the store was detached meanwhile. */
    void (*release)(void *user, size_t size, const uint8_t *blob);

    /* Keeps a copy of the blob, in place of one with the same ID. Returns
     * dnnl_success also if the store decided not to keep it (too large,
     * read-only). metadata may be NULL. put and remove are optional (NULL): a
     * store without them is read-only. */
    dnnl_status_t (*put)(void *user, size_t id_size, const uint8_t *id,
            size_t size, const uint8_t *blob,
            const dnnl_cache_store_metadata_t *metadata);

    /* Removes the blob of an ID; dnnl_success also if there is none. */
    dnnl_status_t (*remove)(void *user, size_t id_size, const uint8_t *id);

    /* Optional (NULL): finds several blobs at once, for
     * dnnl_cache_engine_prefetch(). On entry all sizes are 0 and all blobs
     * NULL; blobs[i] stays NULL for a miss; each blob that is found is released
     * with release(). Returns dnnl_success, or dnnl_cache_miss if none is
     * found. With any other status the store has failed, and the outputs are
     * ignored. */
    dnnl_status_t (*get_many)(void *user, size_t count, const size_t *id_sizes,
            const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs);

    /* Optional (NULL): writes a note to the store's journal, unless the same
     * note is there already, so that what is missing can be added to the store
     * later. Without it, and for each note that it does not take, the library
     * gets binaries from the driver while the application runs. Before a launch
     * the build of its ID must have been noted, even if an earlier process has
     * noted it. dnnl_success: the journal has the note. With any other status
     * it has not. A call must be short: it never waits long for others. Since
     * 0.1.0. */
    dnnl_status_t (*note)(void *user, const dnnl_cache_note_t *note);

    /* Optional (NULL): says whether put() may keep a blob now. dnnl_success:
     * it may. With any other status (the store is off, read-only or full) the
     * library asks the driver for no binary, and does not call put(). Since
     * 0.1.0. */
    dnnl_status_t (*can_put)(void *user);

    /* Optional (NULL), both or neither: one compilation for many hosts that
     * share a store. After get() missed, and before compiling a program whose
     * binary is complete when it is built, the library calls wait_or_lead().
     * The store may wait while another host compiles, but never longer than
     * compiling would take. dnnl_success: *blob and *size are as get()'s, and
     * released in the same way. dnnl_cache_miss: compile; others wait until
     * put() or stop_leading() is called for this ID. With any other status:
     * compile; nobody waits. Since 0.1.0. */
    dnnl_status_t (*wait_or_lead)(void *user, size_t id_size, const uint8_t *id,
            size_t *size, const uint8_t **blob);

    /* After wait_or_lead() returned dnnl_cache_miss: the compilation ended, and
     * put() was called or will not be called. Since 0.1.0. */
    void (*stop_leading)(void *user, size_t id_size, const uint8_t *id);

    /* Optional (NULL): writes a note of what the application uses to its record
     * (docs/REPLAY.md), whatever the store has. Called once a program, kernel
     * and launch class of a process, whether it was compiled or not. The status
     * changes nothing. Since 0.1.0. */
    dnnl_status_t (*record)(void *user, const dnnl_cache_note_t *note);
} dnnl_cache_store_t;

/* The initial value of a dnnl_cache_store_t: struct_size is set, all else
 * is 0. */
#define DNNL_CACHE_STORE_INIT                                                 \
    {                                                                         \
        sizeof(dnnl_cache_store_t), NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
                NULL, NULL, NULL, NULL                                        \
    }

/* No limit, where a number of bytes is expected. */
#define DNNL_CACHE_NO_LIMIT UINT64_MAX

/* How serious a message is. */
typedef enum {
    dnnl_cache_log_error = 0,
    dnnl_cache_log_warning = 1,
    dnnl_cache_log_info = 2
} dnnl_cache_log_level_t;

/* Receives one message, without a newline at its end; compiler logs contain
 * newlines. Called on the thread where the event occurred, with no lock of the
 * library held. The callback may call the library; callbacks nest at most eight
 * deep. text is valid during the call. */
typedef void (*dnnl_cache_log_callback_t)(
        dnnl_cache_log_level_t level, const char *text, void *user);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TYPES_H */
