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

/* A dimension or float whose value is known at execution only. */
#define DNNL_RUNTIME_DIM_VAL INT64_MIN

typedef enum {
    dnnl_data_type_undef = 0,
    dnnl_f16 = 1,
    dnnl_bf16 = 2,
    dnnl_f32 = 3,
    dnnl_s32 = 4,
    dnnl_s8 = 5,
    dnnl_u8 = 6,
    dnnl_f64 = 7
} dnnl_data_type_t;

typedef enum {
    dnnl_format_kind_undef = 0,
    dnnl_format_kind_any = 1,
    dnnl_blocked = 2
} dnnl_format_kind_t;

/*
 * Format tags name the physical order of the dimensions, outermost first; the
 * letters a, b, c ... are the logical dimensions. Domain names (nchw, oihw ...)
 * are aliases. This release knows the plain (unblocked) ones.
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
    dnnl_ntc = dnnl_bac
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
    dnnl_pooling_max = 0x1ff,
    dnnl_pooling_avg_include_padding = 0x2ff,
    dnnl_pooling_avg_exclude_padding = 0x3ff,
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
    dnnl_softmax_accurate = 0x30000,
    dnnl_softmax_log = 0x30001
} dnnl_alg_kind_t;

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
#define DNNL_ARG_WORKSPACE 64
#define DNNL_ARG_SCRATCHPAD 80
/* Source i of concat and sum is DNNL_ARG_MULTIPLE_SRC + i. */
#define DNNL_ARG_MULTIPLE_SRC 1024

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
    dnnl_query_kernel = 31, /* const dnnl_dims_t ** */

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
} dnnl_cache_blob_info_t;

#define DNNL_CACHE_BLOB_INFO_INIT                                            \
    {                                                                        \
        sizeof(dnnl_cache_blob_info_t), dnnl_cache_blob_kind_undef, 0, 0, 0, \
                0, 0, 0, 0, 0, NULL, 0, NULL                                 \
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
    /* Section: "id", "programs", "kernels", "engine_facts", "logs", "binaries",
     * else "unknown". Kernel: its name. Program: "". Never NULL. */
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
