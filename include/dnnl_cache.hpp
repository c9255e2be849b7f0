/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache.hpp: the C++ interface, a thin layer over dnnl_cache.h.
 *
 * Names, signatures and behaviour are those of oneDNN 3.8's C++ interface as
 * far as the C interface goes. Header only, C++11, with exceptions.
 *
 *   cold                                 warm
 *   dnnl::matmul p(pd);                  blob = your store's, by the ID
 *   id = pd.get_cache_blob_id();         dnnl::matmul p(pd, blob);
 *   blob = p.get_cache_blob();
 *   keep it under the ID
 *
 * Rules for every call
 *   - Objects are references to objects of the C interface: a copy refers to
 *     the same object, which is destroyed with its last reference. What a
 *     getter says is borrowed (engines) does not keep the object alive.
 *   - A C call that fails throws dnnl::error with its status, and nothing has
 *     changed then; so does using an object that refers to nothing
 *     (dnnl_invalid_arguments). std::bad_alloc may leave every call that
 *     makes something. What a comment says is thrown comes on top of that.
 *   - Threads are dnnl_cache.h's matter; one C++ object may be read by several
 *     threads at once, or changed by one, as a std::shared_ptr.
 *
 * Everything lives in an inline namespace of this library's own, so that a
 * process may link objects that were compiled for oneDNN too.
 */
#ifndef DNNL_CACHE_HPP
#define DNNL_CACHE_HPP

#include "dnnl_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* ==== Statuses and errors ================================================= */

/* Without exceptions (-fno-exceptions, or DNNL_ENABLE_EXCEPTIONS defined as 0),
 * an error is printed and ends the process. */
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

/* What a failure does where exceptions are disabled. */
#define DNNL_TRAP() __builtin_trap()

#if DNNL_ENABLE_EXCEPTIONS
/* Throws dnnl::error; msg is static. */
#define DNNL_THROW_ERROR(status, msg) throw error(status, msg)
#else
#define DNNL_THROW_ERROR(status, msg) \
    do {                              \
        (void)(status);               \
        std::fputs(msg, stderr);      \
        DNNL_TRAP();                  \
    } while (0)
#endif

/* What a C call returns: dnnl_status_t with a scope. */
enum class status {
    success = ::dnnl_success,
    out_of_memory = ::dnnl_out_of_memory,
    invalid_arguments = ::dnnl_invalid_arguments,
    unimplemented = ::dnnl_unimplemented,
    last_impl_reached = ::dnnl_last_impl_reached,
    runtime_error = ::dnnl_runtime_error,
    not_required = ::dnnl_not_required,
    invalid_graph = ::dnnl_invalid_graph,
    invalid_graph_op = ::dnnl_invalid_graph_op,
    invalid_shape = ::dnnl_invalid_shape,
    invalid_data_type = ::dnnl_invalid_data_type,
    cache_miss = ::dnnl_cache_miss,
    cache_blob_corrupt = ::dnnl_cache_blob_corrupt,
    cache_blob_stale = ::dnnl_cache_blob_stale,
    cache_blob_unsupported = ::dnnl_cache_blob_unsupported,
};

/* convert_to_c(): the enumerator of C. */
#define DNNL_CACHE_CONVERT(cpp, c)    \
    inline c convert_to_c(cpp value)  \
    {                                 \
        return static_cast<c>(value); \
    }
DNNL_CACHE_CONVERT(status, dnnl_status_t)

/* Thrown by every call that fails: the status, and what could not be done.
 * message has static lifetime; the log callback gets the driver's messages. */
struct error : public std::exception {
    dnnl_status_t status; /* of the C call, or of the check that failed */
    const char *message;  /* static text; never NULL */

    /* amessage is static text. */
    error(dnnl_status_t astatus, const char *amessage) noexcept
        : status(astatus), message(amessage)
    {
    }

    /* The message; never null. */
    const char *what() const noexcept override { return message; }

    /* Throws an error with this status and message, unless it is success. */
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage)
    {
        if (astatus != dnnl_success) DNNL_THROW_ERROR(astatus, amessage);
    }
};

/* ==== Handles ============================================================= */

/* Throws dnnl_invalid_arguments with the message if v has fewer elements than
 * min_size, or more than max_size unless that is negative. */
template <typename T>
void validate_container_size(const T &v, const char *error_message,
        int min_size = 1, int max_size = -1)
{
    const size_t size = v.size();
    if (size < static_cast<size_t>(std::max(min_size, 0))
            || (max_size >= 0 && size > static_cast<size_t>(max_size)))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
}

/* How objects of a C type are destroyed. */
template <typename T> struct handle_traits;

/*
 * A reference to an object of the C interface, shared by all copies; the last
 * one destroys the object. Empty after default construction, after a move from
 * it, and after reset(nullptr). T is a pointer such as dnnl_engine_t.
 */
template <typename T, typename traits = handle_traits<T>> struct handle {
    handle() = default;
    handle(const handle &) = default;
    handle(handle &&) = default;
    handle &operator=(const handle &) = default;
    handle &operator=(handle &&) = default;

    /* Takes ownership of a C object. If weak, it does not, and the object must
     * outlive every copy of this handle. */
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /* Releases the object and refers to t instead, as the constructor does. If
     * memory runs out, t is destroyed. */
    void reset(T t, bool weak = false)
    {
        if (t == nullptr)
            data_.reset();
        else if (weak)
            data_ = pointer(pointer(), t);
        else
            data_.reset(t, destroyer());
    }

    /* The C object, borrowed. If there is none, throws, or returns nullptr with
     * allow_empty. */
    T get(bool allow_empty = false) const
    {
        if (data_ == nullptr && !allow_empty)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the object is empty");
        return data_.get();
    }

    /* The same without a throw. */
    explicit operator T() const { return data_.get(); }
    /* Is there an object? */
    explicit operator bool() const { return data_ != nullptr; }

    /* Is it the same object? */
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return data_ != other.data_; }

  private:
    typedef std::shared_ptr<typename std::remove_pointer<T>::type> pointer;

    struct destroyer {
        void operator()(T t) const { (void)traits::destructor(t); }
    };

    pointer data_;
};

namespace detail
{

template <typename T, dnnl_status_t (*destroy)(T)> struct destroyed_by {
    static dnnl_status_t destructor(T object) { return destroy(object); }
};

} // namespace detail

template <>
struct handle_traits<dnnl_engine_t>
    : detail::destroyed_by<dnnl_engine_t, dnnl_engine_destroy> {
};

template <>
struct handle_traits<dnnl_stream_t>
    : detail::destroyed_by<dnnl_stream_t, dnnl_stream_destroy> {
};

template <>
struct handle_traits<dnnl_memory_desc_t>
    : detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {
};

template <>
struct handle_traits<dnnl_memory_t>
    : detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {
};

namespace detail
{

/* The bytes of a call with a size query (see dnnl_cache.h): fill(&size, bytes).
 * Empty if there are none. */
template <typename Fill>
std::vector<uint8_t> bytes_of(Fill fill, const char *message)
{
    size_t size = 0;
    error::wrap_c_api(fill(&size, nullptr), message);
    std::vector<uint8_t> bytes(size);
    if (size == 0) return bytes;
    error::wrap_c_api(fill(&size, bytes.data()), message);
    bytes.resize(size);
    return bytes;
}

/* What a C call writes to its first argument; with two or more outputs also to
 * its last. Throws if the call fails. */
template <typename Out, typename... Parameters, typename... Arguments>
Out made_by(const char *message, dnnl_status_t (*call)(Out *, Parameters...),
        const Arguments &...arguments)
{
    Out out = Out();
    error::wrap_c_api(call(&out, arguments...), message);
    return out;
}

template <typename In, typename Out, typename Argument>
Out got_from(const char *message, dnnl_status_t (*call)(In, Out *),
        const Argument &argument)
{
    Out out = Out();
    error::wrap_c_api(call(argument, &out), message);
    return out;
}

template <typename Out, typename... Parameters, typename... Arguments>
Out got_from(const char *message, dnnl_status_t (*call)(Parameters...),
        const Arguments &...arguments)
{
    Out out = Out();
    error::wrap_c_api(call(arguments..., &out), message);
    return out;
}

} // namespace detail

/* ==== Library ============================================================= */

/* What version() returns. */
typedef dnnl_version_t version_t;

/* The interface's version and the git hash of the library. Static memory. */
inline const version_t *version()
{
    return dnnl_version();
}

/* The library does not depend on the host's instruction set and reports no code
 * to profilers: calls that change this throw. */
enum class cpu_isa {
    isa_default = ::dnnl_cpu_isa_default,
    sse41 = ::dnnl_cpu_isa_sse41,
    avx = ::dnnl_cpu_isa_avx,
    avx2 = ::dnnl_cpu_isa_avx2,
    avx2_vnni = ::dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = ::dnnl_cpu_isa_avx2_vnni_2,
    avx512_core = ::dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = ::dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = ::dnnl_cpu_isa_avx512_core_bf16,
    avx10_1_512 = ::dnnl_cpu_isa_avx10_1_512,
    avx512_core_fp16 = ::dnnl_cpu_isa_avx512_core_fp16,
    avx10_1_512_amx = ::dnnl_cpu_isa_avx10_1_512_amx,
    avx512_core_amx = ::dnnl_cpu_isa_avx512_core_amx,
    avx10_1_512_amx_fp16 = ::dnnl_cpu_isa_avx10_1_512_amx_fp16,
    avx512_core_amx_fp16 = ::dnnl_cpu_isa_avx512_core_amx_fp16,
};

/* dnnl_cpu_isa_hints_t with a scope. */
enum class cpu_isa_hints {
    no_hints = ::dnnl_cpu_isa_no_hints,
    prefer_ymm = ::dnnl_cpu_isa_prefer_ymm,
};

/* See dnnl_set_verbose(). */
inline status set_verbose(int level)
{
    return static_cast<status>(dnnl_set_verbose(level));
}

/* The library writes no code to files: see dnnl_set_jit_dump(). */
inline status set_jit_dump(int enable)
{
    return static_cast<status>(dnnl_set_jit_dump(enable));
}

/* See dnnl_set_jit_profiling_flags(). */
inline status set_jit_profiling_flags(unsigned flags)
{
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}

/* See dnnl_set_jit_profiling_jitdumpdir(). */
inline status set_jit_profiling_jitdumpdir(const std::string &dir)
{
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}

/* See dnnl_set_max_cpu_isa(). */
inline status set_max_cpu_isa(cpu_isa isa)
{
    return static_cast<status>(
            dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}

/* See dnnl_get_effective_cpu_isa(). */
inline cpu_isa get_effective_cpu_isa()
{
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

/* See dnnl_set_cpu_isa_hints(). */
inline status set_cpu_isa_hints(cpu_isa_hints hints)
{
    return static_cast<status>(
            dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(hints)));
}

/* See dnnl_get_cpu_isa_hints(). */
inline cpu_isa_hints get_cpu_isa_hints()
{
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}

/* Matrix products on the host, which are not supported. */
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda,
        const float *B, dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc)
{
    return static_cast<status>(dnnl_sgemm(
            transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

/* The same with u8 and s8. Not supported. */
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A,
        dnnl_dim_t lda, uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co)
{
    return static_cast<status>(dnnl_gemm_u8s8s32(transa, transb, offsetc, M, N,
            K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

/* The same with s8 and s8. Not supported. */
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A,
        dnnl_dim_t lda, int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co)
{
    return static_cast<status>(dnnl_gemm_s8s8s32(transa, transb, offsetc, M, N,
            K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

/* ==== Engines ============================================================= */

/* An OpenCL device with a context, or the host's memory. */
struct engine : public handle<dnnl_engine_t> {
    /* dnnl_engine_kind_t with a scope. */
    enum class kind {
        any = ::dnnl_any_engine,
        cpu = ::dnnl_cpu,
        gpu = ::dnnl_gpu
    };

    using handle::handle;
    engine() = default;

    /* Engine number index (from 0) of a kind, with a context of its own. */
    engine(kind akind, size_t index)
    {
        reset(detail::made_by("could not create an engine", dnnl_engine_create,
                convert_to_c(akind), index));
    }

    /* Number of engines of a kind. Does not throw. */
    static size_t get_count(kind akind)
    {
        return dnnl_engine_get_count(convert_to_c(akind));
    }

    /* The kind of the object. */
    kind get_kind() const
    {
        return static_cast<kind>(
                detail::got_from("could not get the kind of an engine",
                        dnnl_engine_get_kind, get()));
    }

    /* The C enumerator of the same kind. */
    static dnnl_engine_kind_t convert_to_c(kind akind)
    {
        return static_cast<dnnl_engine_kind_t>(akind);
    }
};

/* The C enumerator of the same kind. */
inline dnnl_engine_kind_t convert_to_c(engine::kind akind)
{
    return engine::convert_to_c(akind);
}

/* ==== Streams ============================================================= */

/* The operators of a set of flags. */
#define DNNL_CACHE_FLAG_OPERATORS(type)                               \
    inline type operator|(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) | static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator&(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) & static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator^(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) ^ static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator~(type a)                                     \
    {                                                                 \
        return static_cast<type>(~static_cast<unsigned>(a));          \
    }                                                                 \
    inline type &operator|=(type &a, type b)                          \
    {                                                                 \
        return a = a | b;                                             \
    }                                                                 \
    inline type &operator&=(type &a, type b)                          \
    {                                                                 \
        return a = a & b;                                             \
    }                                                                 \
    inline type &operator^=(type &a, type b)                          \
    {                                                                 \
        return a = a ^ b;                                             \
    }

/* A command queue of an engine's device. */
struct stream : public handle<dnnl_stream_t> {
    /* dnnl_stream_flags_t with a scope. */
    enum class flags : unsigned {
        in_order = ::dnnl_stream_in_order,
        out_of_order = ::dnnl_stream_out_of_order,
        default_flags = ::dnnl_stream_default_flags,
        profiling = ::dnnl_stream_profiling
    };

    using handle::handle;
    stream() = default;

    /* A stream with a queue of its own. */
    explicit stream(const engine &aengine, flags aflags = flags::default_flags)
    {
        reset(detail::made_by("could not create a stream", dnnl_stream_create,
                aengine.get(), static_cast<unsigned>(aflags)));
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        return engine(detail::got_from("could not get the engine of a stream",
                              dnnl_stream_get_engine, get()),
                true);
    }

    /* Waits for all that was submitted. */
    stream &wait()
    {
        error::wrap_c_api(
                dnnl_stream_wait(get()), "could not wait for a stream");
        return *this;
    }
};

DNNL_CACHE_FLAG_OPERATORS(stream::flags)

/* dnnl_profiling_data_kind_t with a scope. */
enum class profiling_data_kind {
    undef = ::dnnl_profiling_data_kind_undef,
    time = ::dnnl_profiling_data_kind_time
};

/* Profiling data of a stream. Not supported: both throw dnnl_invalid_arguments.
 */
inline void reset_profiling(stream &astream)
{
    error::wrap_c_api(dnnl_reset_profiling(astream.get()),
            "could not reset the profile of a stream");
}

/* See dnnl_query_profiling_data(), which is not supported. */
inline std::vector<uint64_t> get_profiling_data(
        stream &astream, profiling_data_kind data_kind)
{
    const auto c_kind = static_cast<dnnl_profiling_data_kind_t>(data_kind);
    int count = 0;
    error::wrap_c_api(
            dnnl_query_profiling_data(astream.get(), c_kind, &count, nullptr),
            "could not get the profile of a stream");
    std::vector<uint64_t> data(static_cast<size_t>(count));
    error::wrap_c_api(dnnl_query_profiling_data(
                              astream.get(), c_kind, &count, data.data()),
            "could not get the profile of a stream");
    return data;
}

/* ==== Memory ============================================================== */

/* dnnl_query_t with a scope. */
enum class query {
    undef = ::dnnl_query_undef,
    engine = ::dnnl_query_engine,
    primitive_kind = ::dnnl_query_primitive_kind,
    num_of_inputs_s32 = ::dnnl_query_num_of_inputs_s32,
    num_of_outputs_s32 = ::dnnl_query_num_of_outputs_s32,
    time_estimate_f64 = ::dnnl_query_time_estimate_f64,
    memory_consumption_s64 = ::dnnl_query_memory_consumption_s64,
    scratchpad_engine = ::dnnl_query_scratchpad_engine,
    impl_info_str = ::dnnl_query_impl_info_str,
    reorder_src_engine = ::dnnl_query_reorder_src_engine,
    reorder_dst_engine = ::dnnl_query_reorder_dst_engine,
    prop_kind = ::dnnl_query_prop_kind,
    cache_blob_id_size_s64 = ::dnnl_query_cache_blob_id_size_s64,
    cache_blob_id = ::dnnl_query_cache_blob_id,
    strides = ::dnnl_query_strides,
    dilations = ::dnnl_query_dilations,
    padding_l = ::dnnl_query_padding_l,
    padding_r = ::dnnl_query_padding_r,
    epsilon_f32 = ::dnnl_query_epsilon_f32,
    flags = ::dnnl_query_flags,
    alg_kind = ::dnnl_query_alg_kind,
    alpha_f32 = ::dnnl_query_alpha_f32,
    beta_f32 = ::dnnl_query_beta_f32,
    axis_s32 = ::dnnl_query_axis_s32,
    local_size_s64 = ::dnnl_query_local_size_s64,
    k_f32 = ::dnnl_query_k_f32,
    p_f32 = ::dnnl_query_p_f32,
    factors = ::dnnl_query_factors,
    cell_kind = ::dnnl_query_cell_kind,
    direction = ::dnnl_query_direction,
    activation_kind = ::dnnl_query_activation_kind,
    kernel = ::dnnl_query_kernel,
    group_size_s64 = ::dnnl_query_group_size_s64,
    some_md = ::dnnl_query_some_md,
    src_md = ::dnnl_query_src_md,
    diff_src_md = ::dnnl_query_diff_src_md,
    weights_md = ::dnnl_query_weights_md,
    diff_weights_md = ::dnnl_query_diff_weights_md,
    dst_md = ::dnnl_query_dst_md,
    diff_dst_md = ::dnnl_query_diff_dst_md,
    workspace_md = ::dnnl_query_workspace_md,
    scratchpad_md = ::dnnl_query_scratchpad_md,
    exec_arg_md = ::dnnl_query_exec_arg_md,
    ndims_s32 = ::dnnl_query_ndims_s32,
    dims = ::dnnl_query_dims,
    data_type = ::dnnl_query_data_type,
    submemory_offset_s64 = ::dnnl_query_submemory_offset_s64,
    padded_dims = ::dnnl_query_padded_dims,
    padded_offsets = ::dnnl_query_padded_offsets,
    format_kind = ::dnnl_query_format_kind,
    inner_nblks_s32 = ::dnnl_query_inner_nblks_s32,
    inner_blks = ::dnnl_query_inner_blks,
    inner_idxs = ::dnnl_query_inner_idxs,
    sparse_encoding = ::dnnl_query_sparse_encoding,
    nnz_s64 = ::dnnl_query_nnz_s64,
    num_handles_s32 = ::dnnl_query_num_handles_s32,
};

DNNL_CACHE_CONVERT(query, dnnl_query_t)

/* A tensor on an engine: a description and a buffer. */
struct memory : public handle<dnnl_memory_t> {
    /* A dimension, stride or offset, in elements. */
    typedef dnnl_dim_t dim;
    /* Dimensions, strides and the like: one number per dimension. */
    typedef std::vector<dim> dims;

    /* dnnl_data_type_t with a scope. */
    enum class data_type {
        undef = ::dnnl_data_type_undef,
        f16 = ::dnnl_f16,
        bf16 = ::dnnl_bf16,
        f32 = ::dnnl_f32,
        s32 = ::dnnl_s32,
        s8 = ::dnnl_s8,
        u8 = ::dnnl_u8,
        f64 = ::dnnl_f64,
        boolean = ::dnnl_boolean,
        f8_e5m2 = ::dnnl_f8_e5m2,
        f8_e4m3 = ::dnnl_f8_e4m3,
        s4 = ::dnnl_s4,
        u4 = ::dnnl_u4,
        e8m0 = ::dnnl_e8m0,
        f4_e2m1 = ::dnnl_f4_e2m1,
        f4_e3m0 = ::dnnl_f4_e3m0,
    };

    /* dnnl_format_kind_t with a scope. */
    enum class format_kind {
        undef = ::dnnl_format_kind_undef,
        any = ::dnnl_format_kind_any,
        blocked = ::dnnl_blocked,
        opaque = ::dnnl_format_kind_opaque,
        sparse = ::dnnl_format_kind_sparse,
    };

    /* dnnl_sparse_encoding_t with a scope. */
    enum class sparse_encoding {
        undef = ::dnnl_sparse_encoding_undef,
        csr = ::dnnl_csr,
        packed = ::dnnl_packed,
        coo = ::dnnl_coo,
    };

    /* Orders of dimensions, outermost first; see dnnl_format_tag_t. */
    enum class format_tag {
        undef = ::dnnl_format_tag_undef,
        any = ::dnnl_format_tag_any,
    /* clang-format off */
#define DNNL_CACHE_TAG(name) name = ::dnnl_##name,
#define DNNL_CACHE_ALIAS(name, tag) name = ::dnnl_##name,
        DNNL_CACHE_FORMAT_TAGS(DNNL_CACHE_TAG)
        format_tag_last = ::dnnl_format_tag_last,
        DNNL_CACHE_FORMAT_TAG_ALIASES(DNNL_CACHE_ALIAS)
#undef DNNL_CACHE_TAG
#undef DNNL_CACHE_ALIAS
        /* clang-format on */
    };

    /* Throws dnnl_invalid_arguments if there are more dimensions than a tensor
     * can have, or fewer than min_size. */
    template <typename T>
    static void validate_dims(const std::vector<T> &v, int min_size = 0)
    {
        if (v.size() > DNNL_MAX_NDIMS
                || (min_size > 0 && v.size() < static_cast<size_t>(min_size)))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "there are too many dimensions, or too few");
    }

    /* Bytes of an element. */
    static size_t data_type_size(data_type adata_type)
    {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    /* The C enumerator of the same type. */
    static dnnl_data_type_t convert_to_c(data_type adata_type)
    {
        return static_cast<dnnl_data_type_t>(adata_type);
    }

    /* The C enumerator of the same tag. */
    static dnnl_format_tag_t convert_to_c(format_tag atag)
    {
        return static_cast<dnnl_format_tag_t>(atag);
    }

    /*
     * Shape, data type and layout of a tensor. Immutable, so copies may share.
     * Getters of an empty handle throw. A default-constructed descriptor is not
     * an empty handle: it describes a tensor without dimensions.
     */
    struct desc : public handle<dnnl_memory_desc_t> {
        /* A tensor without dimensions. */
        desc()
        {
            reset(detail::made_by("could not create a memory descriptor",
                    dnnl_memory_desc_create_with_tag, 0, nullptr,
                    dnnl_data_type_undef, dnnl_format_tag_undef));
        }

        using handle::handle;

        /* Takes ownership of a C descriptor, as every handle does; implicit, as
         * in oneDNN. */
        desc(dnnl_memory_desc_t md) : handle(md) {}

        /* A layout by its tag. With allow_empty a failure gives an empty handle
         * instead of an error, except if there are too many dimensions. */
        desc(const dims &adims, data_type adata_type, format_tag atag,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_with_tag(&made,
                    static_cast<int>(adims.size()), adims.data(),
                    convert_to_c(adata_type), convert_to_c(atag));
            if (!allow_empty)
                error::wrap_c_api(
                        st, "could not create a memory descriptor with a tag");
            reset(made);
        }

        /* Strides in elements, one per dimension, or none: dense. allow_empty
         * as above. */
        desc(const dims &adims, data_type adata_type, const dims &strides,
                bool allow_empty = false)
        {
            validate_dims(adims);
            if (!strides.empty())
                validate_dims(strides, static_cast<int>(adims.size()));
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_with_strides(&made,
                    static_cast<int>(adims.size()), adims.data(),
                    convert_to_c(adata_type),
                    strides.empty() ? nullptr : strides.data());
            if (!allow_empty)
                error::wrap_c_api(st,
                        "could not create a memory descriptor with strides");
            reset(made);
        }

        /* From the bytes of get_blob(). Also throws dnnl_invalid_arguments
         * (another number of bytes), dnnl_cache_blob_corrupt and
         * dnnl_cache_blob_unsupported. */
        desc(const std::vector<uint8_t> &blob)
        {
            /* The C call takes no size. */
            if (blob.size() != DNNL_CACHE_MEMORY_DESC_BLOB_SIZE)
                DNNL_THROW_ERROR(dnnl_invalid_arguments,
                        "a memory descriptor's blob has another size");
            reset(detail::made_by(
                    "could not create a memory descriptor from a blob",
                    dnnl_memory_desc_create_with_blob, blob.data()));
        }

        /* Sparse tensors are not supported: throws dnnl_unimplemented, or gives
         * an empty handle with allow_empty. */
        static desc csr(const dims &adims, data_type adata_type, dim nnz,
                data_type index_dt, data_type pointer_dt,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(
                    dnnl_memory_desc_create_with_csr_encoding(&made,
                            static_cast<int>(adims.size()), adims.data(),
                            convert_to_c(adata_type), nnz,
                            convert_to_c(index_dt), convert_to_c(pointer_dt)),
                    made, allow_empty);
        }
        static desc coo(const dims &adims, data_type adata_type, dim nnz,
                data_type index_dt, bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(dnnl_memory_desc_create_with_coo_encoding(&made,
                                  static_cast<int>(adims.size()), adims.data(),
                                  convert_to_c(adata_type), nnz,
                                  convert_to_c(index_dt)),
                    made, allow_empty);
        }
        static desc packed(const dims &adims, data_type adata_type, dim nnz,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(dnnl_memory_desc_create_with_packed_encoding(&made,
                                  static_cast<int>(adims.size()), adims.data(),
                                  convert_to_c(adata_type), nnz),
                    made, allow_empty);
        }

        /* A part of this tensor: in each dimension adims elements, beginning at
         * offsets. allow_empty as above. */
        desc submemory_desc(const dims &adims, const dims &offsets,
                bool allow_empty = false) const
        {
            validate_dims(adims, get_ndims());
            validate_dims(offsets, get_ndims());
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_submemory(
                    &made, get(), adims.data(), offsets.data());
            if (!allow_empty)
                error::wrap_c_api(st, "could not describe a part of a tensor");
            return desc(made);
        }

        /* The same elements with other dimensions. allow_empty as above. */
        desc reshape(const dims &adims, bool allow_empty = false) const
        {
            if (get_ndims() > 0) validate_dims(adims, 1);
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_reshape(
                    &made, get(), static_cast<int>(adims.size()), adims.data());
            if (!allow_empty)
                error::wrap_c_api(st, "could not reshape a memory descriptor");
            return desc(made);
        }

        /* The same tensor; dimension d becomes dimension permutation[d].
         * allow_empty as above. */
        desc permute_axes(const std::vector<int> &permutation,
                bool allow_empty = false) const
        {
            validate_dims(permutation, get_ndims());
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_permute_axes(
                    &made, get(), permutation.data());
            if (!allow_empty)
                error::wrap_c_api(st,
                        "could not permute the axes of a memory descriptor");
            return desc(made);
        }

        /* The descriptor as bytes. */
        std::vector<uint8_t> get_blob() const
        {
            dnnl_memory_desc_t md = get();
            return detail::bytes_of(
                    [md](size_t *size, uint8_t *bytes) {
                        return dnnl_memory_desc_get_blob(bytes, size, md);
                    },
                    "could not get the blob of a memory descriptor");
        }

        /* The number of dimensions. */
        int get_ndims() const { return ask<int>(query::ndims_s32, 0); }
        /* The data type of a buffer; only buffer 0 exists. */
        data_type get_data_type(int index = 0) const
        {
            if (index != 0) return data_type::undef;
            return static_cast<data_type>(
                    ask(query::data_type, dnnl_data_type_undef));
        }
        format_kind get_format_kind() const
        {
            return static_cast<format_kind>(
                    ask(query::format_kind, dnnl_format_kind_undef));
        }
        /* Sparse tensors are not supported: undef and 0. */
        sparse_encoding get_sparse_encoding() const
        {
            return static_cast<sparse_encoding>(
                    ask(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }
        dim get_nnz() const { return ask<dim>(query::nnz_s64, 0); }
        /* The number of buffers: one. */
        int get_num_handles() const
        {
            return ask<int>(query::num_handles_s32, 0);
        }
        dim get_submemory_offset() const
        {
            return ask<dim>(query::submemory_offset_s64, 0);
        }
        dims get_dims() const { return ask_dims(query::dims, get_ndims()); }
        dims get_padded_dims() const
        {
            return ask_dims(query::padded_dims, get_ndims());
        }
        dims get_padded_offsets() const
        {
            return ask_dims(query::padded_offsets, get_ndims());
        }
        /* This and the following: empty for layouts without them (any, undef).
         */
        dims get_strides() const
        {
            return ask_dims(query::strides, get_ndims());
        }
        int get_inner_nblks() const
        {
            return ask<int>(query::inner_nblks_s32, 0);
        }
        dims get_inner_blks() const
        {
            return ask_dims(query::inner_blks, get_inner_nblks());
        }
        dims get_inner_idxs() const
        {
            return ask_dims(query::inner_idxs, get_inner_nblks());
        }

        /* Bytes from the first element to the end of the last; 0 if there are
         * none, or if the layout is any. */
        size_t get_size(int index = 0) const
        {
            return dnnl_memory_desc_get_size_v2(get(), index);
        }

        /* Has it no dimensions? */
        bool is_zero() const { return get_ndims() == 0; }

        /* Do both describe the same tensor? An empty handle equals only another
         * empty one. */
        bool operator==(const desc &other) const
        {
            return dnnl_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

      private:
        template <typename T> T ask(query what, T otherwise) const
        {
            T answer = otherwise;
            dnnl_status_t st = dnnl_memory_desc_query_v2(
                    get(), dnnl::convert_to_c(what), 0, &answer);
            return st == dnnl_success ? answer : otherwise;
        }

        static desc sparse(
                dnnl_status_t st, dnnl_memory_desc_t made, bool allow_empty)
        {
            if (!allow_empty)
                error::wrap_c_api(st, "could not describe a sparse tensor");
            return desc(made);
        }

        dims ask_dims(query what, int count) const
        {
            const dnnl_dims_t *answer = ask<const dnnl_dims_t *>(what, nullptr);
            if (answer == nullptr) return dims();
            return dims(*answer, *answer + count);
        }
    };

    using handle::handle;
    memory() = default;

    /* A tensor with a buffer of the library (DNNL_MEMORY_ALLOCATE), with none
     * (DNNL_MEMORY_NONE) or with one of the application: a cl_mem, which is
     * retained, or a host pointer, which must outlive this object. */
    memory(const desc &md, const engine &aengine,
            void *ahandle = DNNL_MEMORY_ALLOCATE)
    {
        reset(detail::made_by("could not create a memory object",
                dnnl_memory_create, md.get(), aengine.get(), ahandle));
    }

    /* The same with a list of handles, one per buffer: exactly one. */
    memory(const desc &md, const engine &aengine, std::vector<void *> handles)
    {
        reset(detail::made_by("could not create a memory object",
                dnnl_memory_create_v2, md.get(), aengine.get(),
                static_cast<int>(handles.size()), handles.data()));
    }

    /* A copy of the descriptor. */
    desc get_desc() const
    {
        const auto borrowed = detail::got_from(
                "could not get the descriptor of a memory object",
                dnnl_memory_get_memory_desc, get());
        return desc(detail::made_by("could not copy a memory descriptor",
                dnnl_memory_desc_clone, borrowed));
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        return engine(
                detail::got_from("could not get the engine of a memory object",
                        dnnl_memory_get_engine, get()),
                true);
    }

    /* The cl_mem or the host pointer: borrowed; null if there is none. Here and
     * below, index must be 0: there is one buffer. */
    void *get_data_handle(int index = 0) const
    {
        void *borrowed = nullptr;
        error::wrap_c_api(
                dnnl_memory_get_data_handle_v2(get(), &borrowed, index),
                "could not get the buffer of a memory object");
        return borrowed;
    }

    /* Replaces the buffer by one of the application: a cl_mem, which is
     * retained, or a host pointer, which must outlive this object; null: none.
     */
    void set_data_handle(void *ahandle, int index = 0) const
    {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), ahandle, index),
                "could not set the buffer of a memory object");
    }

    /* Maps the buffer for reading and writing on the host, until unmap_data();
     * null if there is no buffer. Wait for streams first. */
    template <typename T = void> T *map_data(int index = 0) const
    {
        void *mapped = nullptr;
        error::wrap_c_api(dnnl_memory_map_data_v2(get(), &mapped, index),
                "could not map a memory object");
        return static_cast<T *>(mapped);
    }

    /* Ends a mapping: each map_data() once. */
    void unmap_data(void *mapped, int index = 0) const
    {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped, index),
                "could not unmap a memory object");
    }
};

/* The C enumerator of the same type. */
inline dnnl_data_type_t convert_to_c(memory::data_type adata_type)
{
    return memory::convert_to_c(adata_type);
}

/* The C enumerator of the same tag. */
inline dnnl_format_tag_t convert_to_c(memory::format_tag atag)
{
    return memory::convert_to_c(atag);
}

/* C++ and C enumerators compare. */
#define DNNL_CACHE_COMPARISONS(cpp, c)       \
    inline bool operator==(cpp a, c b)       \
    {                                        \
        return memory::convert_to_c(a) == b; \
    }                                        \
    inline bool operator!=(cpp a, c b)       \
    {                                        \
        return !(a == b);                    \
    }                                        \
    inline bool operator==(c a, cpp b)       \
    {                                        \
        return b == a;                       \
    }                                        \
    inline bool operator!=(c a, cpp b)       \
    {                                        \
        return !(b == a);                    \
    }
DNNL_CACHE_COMPARISONS(memory::data_type, dnnl_data_type_t)
DNNL_CACHE_COMPARISONS(memory::format_tag, dnnl_format_tag_t)
#undef DNNL_CACHE_COMPARISONS

#if DNNL_CACHE_PRIMITIVES

template <>
struct handle_traits<dnnl_primitive_attr_t>
    : detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {
};

template <>
struct handle_traits<dnnl_post_ops_t>
    : detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {
};

template <>
struct handle_traits<dnnl_primitive_desc_t>
    : detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {
};

template <>
struct handle_traits<dnnl_primitive_t>
    : detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {
};

/* ==== Attributes ========================================================== */

/* dnnl_prop_kind_t with a scope. */
enum class prop_kind {
    undef = ::dnnl_prop_kind_undef,
    forward_training = ::dnnl_forward_training,
    forward_inference = ::dnnl_forward_inference,
    forward = ::dnnl_forward,
    backward = ::dnnl_backward,
    backward_data = ::dnnl_backward_data,
    backward_weights = ::dnnl_backward_weights,
    backward_bias = ::dnnl_backward_bias,
};

DNNL_CACHE_CONVERT(prop_kind, dnnl_prop_kind_t)

/* dnnl_alg_kind_t with a scope. */
enum class algorithm {
    undef = ::dnnl_alg_kind_undef,
    convolution_direct = ::dnnl_convolution_direct,
    convolution_winograd = ::dnnl_convolution_winograd,
    convolution_auto = ::dnnl_convolution_auto,
    deconvolution_direct = ::dnnl_deconvolution_direct,
    deconvolution_winograd = ::dnnl_deconvolution_winograd,
    eltwise_relu = ::dnnl_eltwise_relu,
    eltwise_tanh = ::dnnl_eltwise_tanh,
    eltwise_elu = ::dnnl_eltwise_elu,
    eltwise_square = ::dnnl_eltwise_square,
    eltwise_abs = ::dnnl_eltwise_abs,
    eltwise_sqrt = ::dnnl_eltwise_sqrt,
    eltwise_linear = ::dnnl_eltwise_linear,
    eltwise_soft_relu = ::dnnl_eltwise_soft_relu,
    eltwise_hardsigmoid = ::dnnl_eltwise_hardsigmoid,
    eltwise_logistic = ::dnnl_eltwise_logistic,
    eltwise_exp = ::dnnl_eltwise_exp,
    eltwise_gelu_tanh = ::dnnl_eltwise_gelu_tanh,
    eltwise_swish = ::dnnl_eltwise_swish,
    eltwise_log = ::dnnl_eltwise_log,
    eltwise_clip = ::dnnl_eltwise_clip,
    eltwise_clip_v2 = ::dnnl_eltwise_clip_v2,
    eltwise_pow = ::dnnl_eltwise_pow,
    eltwise_gelu_erf = ::dnnl_eltwise_gelu_erf,
    eltwise_round = ::dnnl_eltwise_round,
    eltwise_mish = ::dnnl_eltwise_mish,
    eltwise_hardswish = ::dnnl_eltwise_hardswish,
    eltwise_relu_use_dst_for_bwd = ::dnnl_eltwise_relu_use_dst_for_bwd,
    eltwise_tanh_use_dst_for_bwd = ::dnnl_eltwise_tanh_use_dst_for_bwd,
    eltwise_elu_use_dst_for_bwd = ::dnnl_eltwise_elu_use_dst_for_bwd,
    eltwise_sqrt_use_dst_for_bwd = ::dnnl_eltwise_sqrt_use_dst_for_bwd,
    eltwise_logistic_use_dst_for_bwd = ::dnnl_eltwise_logistic_use_dst_for_bwd,
    eltwise_exp_use_dst_for_bwd = ::dnnl_eltwise_exp_use_dst_for_bwd,
    eltwise_clip_v2_use_dst_for_bwd = ::dnnl_eltwise_clip_v2_use_dst_for_bwd,
    pooling_max = ::dnnl_pooling_max,
    pooling_avg_include_padding = ::dnnl_pooling_avg_include_padding,
    pooling_avg_exclude_padding = ::dnnl_pooling_avg_exclude_padding,
    lrn_across_channels = ::dnnl_lrn_across_channels,
    lrn_within_channel = ::dnnl_lrn_within_channel,
    vanilla_rnn = ::dnnl_vanilla_rnn,
    vanilla_lstm = ::dnnl_vanilla_lstm,
    vanilla_gru = ::dnnl_vanilla_gru,
    lbr_gru = ::dnnl_lbr_gru,
    vanilla_augru = ::dnnl_vanilla_augru,
    lbr_augru = ::dnnl_lbr_augru,
    binary_add = ::dnnl_binary_add,
    binary_mul = ::dnnl_binary_mul,
    binary_max = ::dnnl_binary_max,
    binary_min = ::dnnl_binary_min,
    binary_div = ::dnnl_binary_div,
    binary_sub = ::dnnl_binary_sub,
    binary_ge = ::dnnl_binary_ge,
    binary_gt = ::dnnl_binary_gt,
    binary_le = ::dnnl_binary_le,
    binary_lt = ::dnnl_binary_lt,
    binary_eq = ::dnnl_binary_eq,
    binary_ne = ::dnnl_binary_ne,
    binary_select = ::dnnl_binary_select,
    resampling_nearest = ::dnnl_resampling_nearest,
    resampling_linear = ::dnnl_resampling_linear,
    reduction_max = ::dnnl_reduction_max,
    reduction_min = ::dnnl_reduction_min,
    reduction_sum = ::dnnl_reduction_sum,
    reduction_mul = ::dnnl_reduction_mul,
    reduction_mean = ::dnnl_reduction_mean,
    reduction_norm_lp_max = ::dnnl_reduction_norm_lp_max,
    reduction_norm_lp_sum = ::dnnl_reduction_norm_lp_sum,
    reduction_norm_lp_power_p_max = ::dnnl_reduction_norm_lp_power_p_max,
    reduction_norm_lp_power_p_sum = ::dnnl_reduction_norm_lp_power_p_sum,
    softmax_accurate = ::dnnl_softmax_accurate,
    softmax_log = ::dnnl_softmax_log,
};

DNNL_CACHE_CONVERT(algorithm, dnnl_alg_kind_t)

/* Optional inputs and operations of a normalization. */
enum class normalization_flags : unsigned {
    none = ::dnnl_normalization_flags_none,
    use_global_stats = ::dnnl_use_global_stats,
    use_scale = ::dnnl_use_scale,
    use_shift = ::dnnl_use_shift,
    fuse_norm_relu = ::dnnl_fuse_norm_relu,
    fuse_norm_add_relu = ::dnnl_fuse_norm_add_relu,
};

DNNL_CACHE_CONVERT(normalization_flags, dnnl_normalization_flags_t)

DNNL_CACHE_FLAG_OPERATORS(normalization_flags)
/* How inexact floating-point computations may be. */
enum class fpmath_mode {
    strict = ::dnnl_fpmath_mode_strict,
    bf16 = ::dnnl_fpmath_mode_bf16,
    f16 = ::dnnl_fpmath_mode_f16,
    any = ::dnnl_fpmath_mode_any,
    tf32 = ::dnnl_fpmath_mode_tf32,
};

DNNL_CACHE_CONVERT(fpmath_mode, dnnl_fpmath_mode_t)

/* See dnnl_get_default_fpmath_mode(). */
inline fpmath_mode get_default_fpmath_mode()
{
    return static_cast<fpmath_mode>(
            detail::made_by("could not get the default math mode",
                    dnnl_get_default_fpmath_mode));
}

/* See dnnl_set_default_fpmath_mode(). */
inline status set_default_fpmath_mode(fpmath_mode mode)
{
    return static_cast<status>(
            dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/* The type in which sums may be accumulated. */
enum class accumulation_mode {
    strict = ::dnnl_accumulation_mode_strict,
    relaxed = ::dnnl_accumulation_mode_relaxed,
    any = ::dnnl_accumulation_mode_any,
    s32 = ::dnnl_accumulation_mode_s32,
    f32 = ::dnnl_accumulation_mode_f32,
    f16 = ::dnnl_accumulation_mode_f16,
};

DNNL_CACHE_CONVERT(accumulation_mode, dnnl_accumulation_mode_t)

/* Who allocates the scratch memory of an execution. */
enum class scratchpad_mode {
    library = ::dnnl_scratchpad_mode_library,
    user = ::dnnl_scratchpad_mode_user,
};

DNNL_CACHE_CONVERT(scratchpad_mode, dnnl_scratchpad_mode_t)

/* How a result is rounded to its data type. */
enum class rounding_mode {
    environment = ::dnnl_rounding_mode_environment,
    stochastic = ::dnnl_rounding_mode_stochastic,
};

DNNL_CACHE_CONVERT(rounding_mode, dnnl_rounding_mode_t)

/* ==== Primitives ========================================================== */

struct primitive_desc;

/* A computation that is ready to run. Copies share it. It needs neither its
 * descriptor nor a blob any more. */
struct primitive : public handle<dnnl_primitive_t> {
    /* dnnl_primitive_kind_t with a scope. */
    enum class kind {
        undef = ::dnnl_undefined_primitive,
        reorder = ::dnnl_reorder,
        shuffle = ::dnnl_shuffle,
        concat = ::dnnl_concat,
        sum = ::dnnl_sum,
        convolution = ::dnnl_convolution,
        deconvolution = ::dnnl_deconvolution,
        eltwise = ::dnnl_eltwise,
        lrn = ::dnnl_lrn,
        batch_normalization = ::dnnl_batch_normalization,
        inner_product = ::dnnl_inner_product,
        rnn = ::dnnl_rnn,
        gemm = ::dnnl_gemm,
        binary = ::dnnl_binary,
        matmul = ::dnnl_matmul,
        resampling = ::dnnl_resampling,
        pooling = ::dnnl_pooling,
        reduction = ::dnnl_reduction,
        prelu = ::dnnl_prelu,
        softmax = ::dnnl_softmax,
        layer_normalization = ::dnnl_layer_normalization,
        group_normalization = ::dnnl_group_normalization,
    };

    /* What the bytes of get_binaries() contain. */
    enum class binary_kind {
        kernel = 0 /* kernels as the driver compiled them */
    };

    using handle::handle;
    primitive() = default;

    /* From memory, an attached store or the compiler. Here and below, the
     * descriptor stays the caller's. */
    primitive(const_dnnl_primitive_desc_t pd)
    {
        reset(detail::made_by(
                "could not create a primitive", dnnl_primitive_create, pd));
    }
    inline primitive(const primitive_desc &pd);

    /* From a blob of a primitive with exactly this descriptor; compiles
     * nothing. An empty blob throws dnnl_invalid_arguments: check what a store
     * returns. */
    primitive(const_dnnl_primitive_desc_t pd,
            const std::vector<uint8_t> &cache_blob)
    {
        reset(detail::made_by("could not create a primitive from a cache blob",
                dnnl_primitive_create_from_cache_blob, pd, cache_blob.size(),
                cache_blob.data()));
    }
    inline primitive(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /* The same from get_binaries(). Throws dnnl_unimplemented for a kind that
     * is not in binary_kind, and dnnl_invalid_arguments for a list that
     * get_binaries() did not return. */
    primitive(const_dnnl_primitive_desc_t pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind)
        : primitive(pd, one_of(binaries, akind))
    {
    }
    inline primitive(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind);

    /* The descriptor: the primitive's own. */
    const_dnnl_primitive_desc_t get_primitive_desc() const
    {
        return detail::got_from("could not get the descriptor of a primitive",
                dnnl_primitive_get_primitive_desc, get());
    }

    /* The kind of the primitive. */
    kind get_kind() const
    {
        return static_cast<kind>(detail::got_from<dnnl_primitive_kind_t>(
                "could not get the kind of a primitive",
                dnnl_primitive_desc_query, get_primitive_desc(),
                dnnl_query_primitive_kind, 0));
    }

    /* The blob from which an equal descriptor creates this primitive again.
     * Keep it under its get_cache_blob_id(). Empty if there is nothing to
     * cache. */
    std::vector<uint8_t> get_cache_blob() const
    {
        dnnl_primitive_t p = get();
        return detail::bytes_of(
                [p](size_t *size, uint8_t *bytes) {
                    return dnnl_primitive_get_cache_blob(p, size, bytes);
                },
                "could not get the cache blob of a primitive");
    }

    /* The same as a list of binaries. It is empty if there is nothing to cache,
     * and for primitives without blobs (of a CPU engine). This release puts all
     * kernels of a primitive into one binary. Throws dnnl_unimplemented for a
     * kind that is not in binary_kind. */
    std::vector<std::vector<uint8_t>> get_binaries(binary_kind akind) const
    {
        check_binary_kind(akind);
        std::vector<std::vector<uint8_t>> binaries;
        size_t size = 0;
        if (dnnl_primitive_get_cache_blob(get(), &size, nullptr)
                == dnnl_unimplemented)
            return binaries;
        std::vector<uint8_t> blob = get_cache_blob();
        if (!blob.empty()) binaries.push_back(std::move(blob));
        return binaries;
    }

    /* Submits the computation. args has every input and output of the
     * descriptor, by DNNL_ARG_*; empty ones count as absent. They must stay
     * alive until the work is done. */
    void execute(const stream &astream,
            const std::unordered_map<int, memory> &args) const
    {
        std::vector<dnnl_exec_arg_t> c_args = to_c(args);
        error::wrap_c_api(
                dnnl_primitive_execute(get(), astream.get(),
                        static_cast<int>(c_args.size()), c_args.data()),
                "could not execute a primitive");
    }

    /* Arguments in the form of the C interface; borrowed. */
    static std::vector<dnnl_exec_arg_t> to_c(
            const std::unordered_map<int, memory> &args)
    {
        std::vector<dnnl_exec_arg_t> c_args;
        c_args.reserve(args.size());
        for (const auto &arg : args) {
            dnnl_exec_arg_t c_arg = {arg.first, arg.second.get(true)};
            c_args.push_back(c_arg);
        }
        return c_args;
    }

  private:
    static void check_binary_kind(binary_kind akind)
    {
        if (akind != binary_kind::kernel)
            DNNL_THROW_ERROR(
                    dnnl_unimplemented, "there are binaries of kernels only");
    }

    /* The one blob of a list. */
    static const std::vector<uint8_t> &
    one_of(const std::vector<std::vector<uint8_t>> &binaries, binary_kind akind)
    {
        check_binary_kind(akind);
        if (binaries.size() != 1)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "a primitive has one binary, not several or none");
        return binaries.front();
    }
};

/* ==== Attributes ========================================================== */

/* dnnl_rnn_flags_t with a scope. */
enum class rnn_flags : unsigned {
    undef = ::dnnl_rnn_flags_undef,
    diff_weights_overwrite = ::dnnl_rnn_flags_diff_weights_overwrite,
};

/* dnnl_rnn_direction_t with a scope. */
enum class rnn_direction {
    undef = ::dnnl_rnn_direction_undef,
    unidirectional_left2right = ::dnnl_unidirectional_left2right,
    unidirectional_right2left = ::dnnl_unidirectional_right2left,
    bidirectional_concat = ::dnnl_bidirectional_concat,
    bidirectional_sum = ::dnnl_bidirectional_sum,
};

DNNL_CACHE_CONVERT(rnn_flags, dnnl_rnn_flags_t)

DNNL_CACHE_FLAG_OPERATORS(rnn_flags)
#undef DNNL_CACHE_FLAG_OPERATORS

DNNL_CACHE_CONVERT(rnn_direction, dnnl_rnn_direction_t)

/* Operations on a result before it is written, step by step. Copies share the
 * chain: an operation appended to one is appended to all. */
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle::handle;

    /* Takes ownership of a C chain, as every handle does; implicit, as in
     * oneDNN. */
    post_ops(dnnl_post_ops_t ops) : handle(ops) {}

    /* None. */
    post_ops()
    {
        reset(detail::made_by(
                "could not create a chain of post-ops", dnnl_post_ops_create));
    }

    /* How many there are. */
    int len() const { return dnnl_post_ops_len(get()); }

    /* The kind of a step. Throws dnnl_invalid_arguments if there is no such
     * step. */
    primitive::kind kind(int index) const
    {
        error::wrap_c_api(index >= 0 && index < len() ? dnnl_success
                                                      : dnnl_invalid_arguments,
                "there is no such post-op");
        return static_cast<primitive::kind>(
                dnnl_post_ops_get_kind(get(), index));
    }

    /* Appends a sum with the previous value of dst: scale * (dst - zero_point).
     */
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
            memory::data_type data_type = memory::data_type::undef)
    {
        error::wrap_c_api(dnnl_post_ops_append_sum(get(), scale, zero_point,
                                  memory::convert_to_c(data_type)),
                "could not append a sum");
    }

    /* Write what the append call was given for entry number index. */
    void get_params_sum(int index, float &scale) const
    {
        error::wrap_c_api(dnnl_post_ops_get_params_sum(
                                  get(), index, &scale, nullptr, nullptr),
                "could not get the parameters of a sum");
    }
    void get_params_sum(
            int index, float &scale, memory::data_type &data_type) const
    {
        int32_t zero_point;
        get_params_sum(index, scale, zero_point, data_type);
    }
    void get_params_sum(int index, float &scale, int32_t &zero_point,
            memory::data_type &data_type) const
    {
        const auto type = detail::got_from<dnnl_data_type_t>(
                "could not get the parameters of a sum",
                dnnl_post_ops_get_params_sum, get(), index, &scale,
                &zero_point);
        data_type = static_cast<memory::data_type>(type);
    }

    /* Write what the append call was given for entry number index. */
    void get_params_eltwise(
            int index, algorithm &aalgorithm, float &alpha, float &beta) const
    {
        dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_eltwise(
                                  get(), index, &alg, &alpha, &beta),
                "could not get the parameters of an element-wise post-op");
        aalgorithm = static_cast<algorithm>(alg);
    }

    /* Appends an operation with the elements of another tensor. */
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc)
    {
        error::wrap_c_api(dnnl_post_ops_append_binary(get(),
                                  convert_to_c(aalgorithm), src1_desc.get()),
                "could not append a binary post-op");
    }

    /* Write what the append call was given for entry number index. */
    void get_params_binary(
            int index, algorithm &aalgorithm, memory::desc &src1_desc) const
    {
        dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t borrowed = nullptr;
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(
                dnnl_post_ops_get_params_binary(get(), index, &alg, &borrowed),
                "could not get the parameters of a binary post-op");
        error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                "could not copy a memory descriptor");
        aalgorithm = static_cast<algorithm>(alg);
        src1_desc = memory::desc(copy);
    }

    /* Appends slopes for numbers below 0. */
    void append_prelu(int mask)
    {
        error::wrap_c_api(dnnl_post_ops_append_prelu(get(), mask),
                "could not append a PReLU post-op");
    }

    /* Write what the append call was given for entry number index. */
    void get_params_prelu(int index, int &mask) const
    {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
                "could not get the parameters of a PReLU post-op");
    }

    /* Not supported: descriptors of a chain with it throw. */
    void append_dw(memory::data_type weights_data_type,
            memory::data_type bias_data_type, memory::data_type dst_data_type,
            memory::dim kernel_size, memory::dim stride_size,
            memory::dim padding_l_size)
    {
        error::wrap_c_api(dnnl_post_ops_append_dw(get(),
                                  memory::convert_to_c(weights_data_type),
                                  memory::convert_to_c(bias_data_type),
                                  memory::convert_to_c(dst_data_type),
                                  kernel_size, stride_size, padding_l_size),
                "could not append a depthwise convolution");
    }

    /* Write what the append call was given for entry number index. */
    void get_params_dw(int index, memory::data_type &weights_data_type,
            memory::data_type &bias_data_type, memory::data_type &dst_data_type,
            memory::dim &kernel_size, memory::dim &stride_size,
            memory::dim &padding_l_size) const
    {
        dnnl_data_type_t types[3] = {};
        error::wrap_c_api(
                dnnl_post_ops_get_params_dw(get(), index, &types[0], &types[1],
                        &types[2], &kernel_size, &stride_size, &padding_l_size),
                "could not get the parameters of a depthwise convolution");
        weights_data_type = static_cast<memory::data_type>(types[0]);
        bias_data_type = static_cast<memory::data_type>(types[1]);
        dst_data_type = static_cast<memory::data_type>(types[2]);
    }

    /* A separate chain with the same steps. */
    post_ops clone() const
    {
        return post_ops(detail::made_by("could not copy a chain of post-ops",
                dnnl_post_ops_clone, get()));
    }

    /* Appends an element-wise operation, see eltwise_forward. */
    void append_eltwise(algorithm aalgorithm, float alpha, float beta)
    {
        error::wrap_c_api(dnnl_post_ops_append_eltwise(
                                  get(), convert_to_c(aalgorithm), alpha, beta),
                "could not append an element-wise post-op");
    }
};

/* Attributes of a primitive. Copies share them. */
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle::handle;

    /* Takes ownership of C attributes, as every handle does; implicit, as in
     * oneDNN. */
    primitive_attr(dnnl_primitive_attr_t attr) : handle(attr) {}

    /* Not at all. */
    primitive_attr()
    {
        reset(detail::made_by(
                "could not create attributes", dnnl_primitive_attr_create));
    }

    /* Copies the chain: operations appended later have no effect. */
    void set_post_ops(const post_ops &ops)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_post_ops(get(), ops.get()),
                "could not set post-ops");
    }

    /* A copy of the chain. */
    post_ops get_post_ops() const
    {
        const_dnnl_post_ops_t borrowed = nullptr;
        dnnl_post_ops_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_get_post_ops(get(), &borrowed),
                "could not get post-ops");
        error::wrap_c_api(dnnl_post_ops_clone(&copy, borrowed),
                "could not copy a chain of post-ops");
        return post_ops(copy);
    }

    /* Separate attributes with the same values. */
    primitive_attr clone() const
    {
        return primitive_attr(detail::made_by(
                "could not copy attributes", dnnl_primitive_attr_clone, get()));
    }

    /* The dimensions in which the values differ that execution gets for an
     * argument; see dnnl_primitive_attr_set_scales_mask(). */
    void set_scales_mask(int arg, int mask)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_mask(get(), arg, mask),
                "could not set a mask of scales");
    }
    void set_scales(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::f32)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_scales(get(), arg, mask,
                        static_cast<int>(groups.size()), groups.data(),
                        memory::convert_to_c(data_type)),
                "could not set scales");
    }
    void set_zero_points_mask(int arg, int mask)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
                "could not set a mask of zero points");
    }
    void set_zero_points(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_zero_points(get(), arg, mask,
                        static_cast<int>(groups.size()), groups.data(),
                        memory::convert_to_c(data_type)),
                "could not set zero points");
    }

    /* The quantization of recurrent primitives is stored and can be read back.
     * Descriptors that it would change throw; see dnnl_cache_absent.h. */
    void get_rnn_data_qparams(float &scale, float &shift) const
    {
        error::wrap_c_api(
                dnnl_primitive_attr_get_rnn_data_qparams(get(), &scale, &shift),
                "could not get how recurrent data are quantized");
    }
    void set_rnn_data_qparams(float scale, float shift)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_rnn_data_qparams(get(), scale, shift),
                "could not set how recurrent data are quantized");
    }
    void get_rnn_weights_qparams(int &mask, std::vector<float> &scales) const
    {
        dnnl_dim_t count = 0;
        const float *borrowed = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_weights_qparams(
                                  get(), &count, &mask, &borrowed),
                "could not get how recurrent weights are quantized");
        scales.assign(borrowed, borrowed + count);
    }
    void set_rnn_weights_qparams(int mask, const std::vector<float> &scales)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_qparams(get(),
                                  static_cast<dnnl_dim_t>(scales.size()), mask,
                                  scales.data()),
                "could not set how recurrent weights are quantized");
    }
    void get_rnn_weights_projection_qparams(
            int &mask, std::vector<float> &scales) const
    {
        dnnl_dim_t count = 0;
        const float *borrowed = nullptr;
        error::wrap_c_api(
                dnnl_primitive_attr_get_rnn_weights_projection_qparams(
                        get(), &count, &mask, &borrowed),
                "could not get how projections are quantized");
        scales.assign(borrowed, borrowed + count);
    }
    void set_rnn_weights_projection_qparams(
            int mask, const std::vector<float> &scales)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_rnn_weights_projection_qparams(get(),
                        static_cast<dnnl_dim_t>(scales.size()), mask,
                        scales.data()),
                "could not set how projections are quantized");
    }

    /* Writes what set_dropout() set. */
    void get_dropout(memory::desc &mask_desc) const
    {
        const_dnnl_memory_desc_t borrowed = nullptr;
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout(get(), &borrowed),
                "could not get the dropout mask");
        error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                "could not copy a memory descriptor");
        mask_desc = memory::desc(copy);
    }
    /* Dropout of a matmul's results, with such a mask: see
     * dnnl_primitive_attr_set_dropout(). */
    void set_dropout(const memory::desc &mask_desc)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_dropout(get(), mask_desc.get()),
                "could not set dropout");
    }
    /* What set_rounding_mode() set, else environment. */
    rounding_mode get_rounding_mode(int arg) const
    {
        return static_cast<rounding_mode>(
                detail::got_from<dnnl_rounding_mode_t>(
                        "could not get the rounding mode",
                        dnnl_primitive_attr_get_rounding, get(), arg));
    }
    /* How results are rounded: see dnnl_primitive_attr_set_rounding(). */
    void set_rounding_mode(int arg, rounding_mode mode)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_rounding(
                                  get(), arg, convert_to_c(mode)),
                "could not set the rounding mode");
    }

    /* Modes; they change nothing, see dnnl_cache.h. */
    fpmath_mode get_fpmath_mode() const
    {
        return static_cast<fpmath_mode>(
                detail::got_from("could not get the math mode",
                        dnnl_primitive_attr_get_fpmath_mode, get()));
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const
    {
        dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
        const auto applies =
                detail::got_from<int>("could not get the math mode",
                        dnnl_primitive_attr_get_fpmath_mode_v2, get(), &c_mode);
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = applies != 0;
    }
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_fpmath_mode_v2(
                                  get(), convert_to_c(mode), apply_to_int),
                "could not set the math mode");
    }
    accumulation_mode get_accumulation_mode() const
    {
        return static_cast<accumulation_mode>(
                detail::got_from("could not get the accumulation mode",
                        dnnl_primitive_attr_get_accumulation_mode, get()));
    }
    void set_accumulation_mode(accumulation_mode mode)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_accumulation_mode(
                                  get(), convert_to_c(mode)),
                "could not set the accumulation mode");
    }
    bool get_deterministic() const
    {
        return detail::got_from("could not get the deterministic mode",
                       dnnl_primitive_attr_get_deterministic, get())
               != 0;
    }
    void set_deterministic(bool value)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_deterministic(get(), value),
                "could not set the deterministic mode");
    }
    scratchpad_mode get_scratchpad_mode() const
    {
        return static_cast<scratchpad_mode>(
                detail::got_from("could not get the scratchpad mode",
                        dnnl_primitive_attr_get_scratchpad_mode, get()));
    }
    void set_scratchpad_mode(scratchpad_mode mode)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_scratchpad_mode(
                                  get(), convert_to_c(mode)),
                "could not set the scratchpad mode");
    }
};

DNNL_CACHE_CONVERT(primitive::kind, dnnl_primitive_kind_t)

/* ==== Primitive descriptors =============================================== */

namespace detail
{

/* How constructors with ten and more arguments take them. */
using md_ref = const memory::desc &;
using dims_ref = const memory::dims &;
using attr_ref = const primitive_attr &;

/* The propagation kinds of primitive descriptors. */
enum class direction {
    none, /* there is none */
    forward,
    backward,     /* as a whole */
    backward_any, /* as a whole, or data alone */
    backward_data,
    backward_weights
};

inline bool is_of(dnnl_prop_kind_t kind, direction adirection)
{
    switch (adirection) {
    case direction::forward:
        return kind == dnnl_forward_training || kind == dnnl_forward_inference;
    case direction::backward:
        return kind == dnnl_backward;
    case direction::backward_any:
        return kind == dnnl_backward || kind == dnnl_backward_data;
    case direction::backward_data:
        return kind == dnnl_backward_data;
    case direction::backward_weights:
        return kind == dnnl_backward_weights;
    case direction::none:
        break;
    }
    return false;
}

/* Arguments of C++ constructors in the form of the C calls; borrowed. */
inline std::nullptr_t to_c(std::nullptr_t)
{
    return nullptr;
}

template <typename T, typename traits> T to_c(const handle<T, traits> &object)
{
    return object.get();
}

template <typename T>
typename std::enable_if<
        std::is_arithmetic<T>::value || std::is_pointer<T>::value, T>::type
to_c(T value)
{
    return value;
}

template <typename T>
auto to_c(T value) -> typename std::enable_if<std::is_enum<T>::value,
        decltype(convert_to_c(value))>::type
{
    return convert_to_c(value);
}

/* The numbers of a list. Throws dnnl_invalid_arguments unless it has one for
 * each spatial dimension of md. */
inline const dnnl_dim_t *spatial_of(
        const memory::dims &list, const memory::desc &md)
{
    memory::validate_dims(list, md.get_ndims() - 2);
    return list.data();
}

inline const float *factors_of(
        const std::vector<float> &factors, const memory::desc &src)
{
    const int spatial = src.get_ndims() - 2;
    if (spatial < 1 || factors.size() != static_cast<size_t>(spatial))
        DNNL_THROW_ERROR(dnnl_invalid_arguments,
                "not as many factors as spatial dimensions");
    return factors.data();
}

/* The number of a list's elements, limited to the range of int. */
inline int count_of(const std::vector<memory::desc> &descs)
{
    const size_t most = static_cast<size_t>(std::numeric_limits<int>::max());
    return static_cast<int>(std::min(descs.size(), most));
}

} // namespace detail

/* The C descriptors of a list, for a call; borrowed. */
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(
        const std::vector<memory::desc> &descs)
{
    std::vector<const_dnnl_memory_desc_t> handles;
    handles.reserve(descs.size());
    for (const memory::desc &md : descs)
        handles.push_back(md.get());
    return handles;
}

/*
 * What to compute, on which engine, in which layouts. Immutable, so copies may
 * share. A getter for something that a kind of primitive does not have returns
 * 0, undef, or an empty list or descriptor.
 */
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle::handle;
    primitive_desc_base() = default;

    /* The engine: borrowed. */
    engine get_engine() const { return ask_engine(query::engine); }

    /* The engine of the scratchpad: borrowed. */
    engine scratchpad_engine() const
    {
        return ask_engine(query::scratchpad_engine);
    }

    /* The implementation's name; valid as long as the descriptor. */
    const char *impl_info_str() const
    {
        return ask<const char *>(query::impl_info_str, "");
    }

    /* The answer to a query whose name ends in s64. Throws
     * dnnl_invalid_arguments for other queries. */
    memory::dim query_s64(query what) const
    {
        if (what != query::memory_consumption_s64
                && what != query::cache_blob_id_size_s64
                && what != query::local_size_s64
                && what != query::group_size_s64)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "not a query of an s64");
        return ask<memory::dim>(what, 0);
    }

    /* A copy of a memory descriptor; if the primitive does not have it, a
     * descriptor without dimensions. Throws dnnl_invalid_arguments for other
     * queries. */
    memory::desc query_md(query what, int index = 0) const
    {
        const bool is_md = (what > query::some_md && what < query::ndims_s32);
        if (!is_md)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "not a query of a memory descriptor");
        const_dnnl_memory_desc_t borrowed =
                dnnl_primitive_desc_query_md(get(), convert_to_c(what), index);
        if (borrowed == nullptr) return memory::desc();
        return memory::desc(
                detail::made_by("could not copy a memory descriptor",
                        dnnl_memory_desc_clone, borrowed));
    }

    /* The descriptors of the tensors, by their index; one that the
     * primitive does not have is without dimensions. */
    memory::desc src_desc(int index = 0) const
    {
        return query_md(query::src_md, index);
    }
    memory::desc weights_desc(int index = 0) const
    {
        return query_md(query::weights_md, index);
    }
    memory::desc dst_desc(int index = 0) const
    {
        return query_md(query::dst_md, index);
    }
    memory::desc diff_src_desc(int index = 0) const
    {
        return query_md(query::diff_src_md, index);
    }
    memory::desc diff_weights_desc(int index = 0) const
    {
        return query_md(query::diff_weights_md, index);
    }
    memory::desc diff_dst_desc(int index = 0) const
    {
        return query_md(query::diff_dst_md, index);
    }
    memory::desc workspace_desc() const
    {
        return query_md(query::workspace_md);
    }
    memory::desc scratchpad_desc() const
    {
        return query_md(query::scratchpad_md);
    }

    /* The tensor of an argument. */
    memory::desc query_exec_arg_md(int arg) const
    {
        return query_md(query::exec_arg_md, arg);
    }

    /* A copy of the attributes that it was created with. */
    primitive_attr get_primitive_attr() const
    {
        const_dnnl_primitive_attr_t borrowed = nullptr;
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &borrowed),
                "could not get the attributes of a primitive descriptor");
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, borrowed),
                "could not copy attributes");
        return primitive_attr(copy);
    }

    /* What the descriptor describes; undef or 0 if its kind of primitive
     * does not have it. */
    primitive::kind get_kind() const
    {
        return static_cast<primitive::kind>(
                ask(query::primitive_kind, dnnl_undefined_primitive));
    }
    prop_kind get_prop_kind() const
    {
        return static_cast<prop_kind>(
                ask(query::prop_kind, dnnl_prop_kind_undef));
    }
    algorithm get_algorithm() const
    {
        return static_cast<algorithm>(
                ask(query::alg_kind, dnnl_alg_kind_undef));
    }
    float get_alpha() const { return ask(query::alpha_f32, 0.0f); }
    float get_beta() const { return ask(query::beta_f32, 0.0f); }
    int get_axis() const { return ask(query::axis_s32, -1); }
    float get_epsilon() const { return ask(query::epsilon_f32, 0.0f); }
    float get_k() const { return ask(query::k_f32, 0.0f); }
    float get_p() const { return ask(query::p_f32, 0.0f); }
    memory::dim get_local_size() const
    {
        return ask<memory::dim>(query::local_size_s64, 0);
    }
    memory::dim get_group_size() const
    {
        return ask<memory::dim>(query::group_size_s64, 0);
    }
    /* Recurrent primitives are not supported: undefined. */
    algorithm get_cell_kind() const
    {
        return static_cast<algorithm>(
                ask(query::cell_kind, dnnl_alg_kind_undef));
    }
    algorithm get_activation_kind() const
    {
        return static_cast<algorithm>(
                ask(query::activation_kind, dnnl_alg_kind_undef));
    }
    rnn_direction get_direction() const
    {
        return static_cast<rnn_direction>(
                ask(query::direction, dnnl_rnn_direction_undef));
    }
    /* Factors of resampling, one for each spatial dimension. */
    std::vector<float> get_factors() const
    {
        const float *factors = ask<const float *>(query::factors, nullptr);
        if (factors == nullptr) return std::vector<float>();
        return std::vector<float>(
                factors, factors + (src_desc().get_ndims() - 2));
    }
    template <typename T = unsigned> T get_flags() const
    {
        return static_cast<T>(ask(query::flags, 0u));
    }
    memory::dims get_strides() const { return ask_dims(query::strides); }
    memory::dims get_dilations() const { return ask_dims(query::dilations); }
    memory::dims get_kernel() const { return ask_dims(query::kernel); }
    memory::dims get_padding_l() const { return ask_dims(query::padding_l); }
    memory::dims get_padding_r() const { return ask_dims(query::padding_r); }

    /* The ID under which to keep a primitive's blob; known before anything is
     * compiled. Empty if there is nothing to cache. */
    std::vector<uint8_t> get_cache_blob_id() const
    {
        dnnl_primitive_desc_t pd = get();
        return detail::bytes_of(
                [pd](size_t *size, uint8_t *bytes) {
                    return dnnl_cache_primitive_desc_get_cache_blob_id(
                            pd, size, bytes);
                },
                "could not get the cache blob ID of a primitive descriptor");
    }

    /* The same ID, for primitive::get_binaries(). */
    std::vector<uint8_t> get_id() const { return get_cache_blob_id(); }

  protected:
    using md_ref = detail::md_ref;
    using dims_ref = detail::dims_ref;
    using attr_ref = detail::attr_ref;

    /* Throws if a C descriptor is of another kind or direction. */
    static void check_kind(const_dnnl_primitive_desc_t pd,
            dnnl_primitive_kind_t kind, detail::direction direction)
    {
        const auto is = detail::got_from<dnnl_primitive_kind_t>(
                "could not query a primitive descriptor",
                dnnl_primitive_desc_query, pd, dnnl_query_primitive_kind, 0);
        if (is != kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the primitive descriptor is of another kind");
        if (direction == detail::direction::none) return;
        const auto propagates = detail::got_from<dnnl_prop_kind_t>(
                "could not query a primitive descriptor",
                dnnl_primitive_desc_query, pd, dnnl_query_prop_kind, 0);
        if (!detail::is_of(propagates, direction))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the primitive descriptor is of another direction");
    }

    /* Refers to a copy of a C descriptor; the caller keeps the original. */
    void reset_with_clone(const_dnnl_primitive_desc_t pd)
    {
        reset(detail::made_by("could not copy a primitive descriptor",
                dnnl_primitive_desc_clone, pd));
    }

    /* The result of a creation call: its status, and what it wrote. */
    void take(dnnl_status_t st, dnnl_primitive_desc_t made, bool allow_empty,
            const char *message)
    {
        if (!allow_empty) error::wrap_c_api(st, message);
        reset(made);
    }

    /* Refers to the descriptor that a C call creates from the arguments. */
    template <typename... Parameters, typename... Arguments>
    void create(const char *message, bool allow_empty,
            dnnl_status_t (*call)(
                    dnnl_primitive_desc_t *, dnnl_engine_t, Parameters...),
            const engine &aengine, const Arguments &...arguments)
    {
        dnnl_primitive_desc_t made = nullptr;
        const dnnl_status_t st =
                call(&made, aengine.get(), detail::to_c(arguments)...);
        take(st, made, allow_empty, message);
    }

    template <typename T> T ask(query what, T otherwise) const
    {
        T answer = otherwise;
        dnnl_status_t st = dnnl_primitive_desc_query(
                get(), convert_to_c(what), 0, &answer);
        if (st == dnnl_unimplemented) return otherwise;
        error::wrap_c_api(st, "could not query a primitive descriptor");
        return answer;
    }

    engine ask_engine(query what) const
    {
        return engine(ask<dnnl_engine_t>(what, nullptr), true);
    }

    memory::dims ask_dims(query what) const
    {
        const dnnl_dims_t *answer = ask<const dnnl_dims_t *>(what, nullptr);
        if (answer == nullptr) return memory::dims();
        return memory::dims(*answer, *answer + (src_desc().get_ndims() - 2));
    }
};

/* A descriptor of a primitive of any kind. */
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;
    primitive_desc() = default;

    /* Always false: there is no other implementation, and the descriptor is
     * unchanged. */
    bool next_impl()
    {
        dnnl_status_t st = dnnl_primitive_desc_next_impl(get());
        if (st == dnnl_last_impl_reached) return false;
        error::wrap_c_api(st, "could not look for another implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc &pd) : primitive(pd.get()) {}

inline primitive::primitive(
        const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob)
{
}

inline primitive::primitive(const primitive_desc &pd,
        const std::vector<std::vector<uint8_t>> &binaries, binary_kind akind)
    : primitive(pd.get(), binaries, akind)
{
}

namespace detail
{

/* A descriptor of one kind of primitive in one direction; its getters are
 * base's. */
template <dnnl_primitive_kind_t kind, direction adirection,
        typename base = primitive_desc>
struct desc_of : public base {
    desc_of() = default;
    /* Refers to a copy: the caller keeps pd and destroys it. */
    desc_of(dnnl_primitive_desc_t pd)
    {
        if (pd == nullptr) return;
        base::check_kind(pd, kind, adirection);
        base::reset_with_clone(pd);
    }
};

/* A primitive of one kind. */
template <typename desc> struct primitive_of : public primitive {
    using primitive_desc = desc;

    primitive_of() = default;
    primitive_of(const primitive_desc &pd) : primitive(pd.get()) {}
    primitive_of(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd.get(), cache_blob)
    {
    }
    primitive_of(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind)
        : primitive(pd.get(), binaries, akind)
    {
    }
};

} // namespace detail

/* A primitive of one kind, created from its descriptor. A struct, so that it
 * may be declared ahead. */
#define DNNL_CACHE_PRIMITIVE_OF(name)                        \
    struct name : public detail::primitive_of<name##_desc> { \
        using primitive_of::primitive_of;                    \
    };

/*
 * Each kind of primitive has a primitive_desc of its own, from which it is
 * created as primitive says. The constructors of the descriptors have the
 * arguments of the C calls in dnnl_cache.h. With allow_empty a C call that
 * fails gives an empty descriptor instead of an error. Each descriptor can also
 * be created from a C descriptor of its kind and direction: it refers to a
 * copy, and the caller keeps the original. A C descriptor of another kind or
 * direction throws dnnl_invalid_arguments.
 */

/* dst = f(src), element by element: dnnl_eltwise_forward_primitive_desc_create.
 */
struct eltwise_forward_desc
    : public detail::desc_of<dnnl_eltwise, detail::direction::forward> {
    using desc_of::desc_of;
    eltwise_forward_desc() = default;

    /* Arguments as of dnnl_eltwise_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, float alpha,
            float beta, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of an element-wise primitive",
                allow_empty, dnnl_eltwise_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst, alpha, beta, attr);
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, float alpha,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, alpha,
                0.0f, attr, allow_empty)
    {
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, 0.0f,
                0.0f, attr, allow_empty)
    {
    }
};

DNNL_CACHE_PRIMITIVE_OF(eltwise_forward)

/* The elements along an axis, shuffled in groups:
 * dnnl_shuffle_forward_primitive_desc_create. */
struct shuffle_forward_desc
    : public detail::desc_of<dnnl_shuffle, detail::direction::forward> {
    using desc_of::desc_of;
    shuffle_forward_desc() = default;

    /* Arguments as of dnnl_shuffle_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    shuffle_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref dst, int axis, int group_size,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a shuffle primitive",
                allow_empty, dnnl_shuffle_forward_primitive_desc_create,
                aengine, aprop_kind, src, dst, axis, group_size, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(shuffle_forward)

/* src reduced over some dimensions: dnnl_reduction_primitive_desc_create. */
struct reduction_desc
    : public detail::desc_of<dnnl_reduction, detail::direction::none> {
    using desc_of::desc_of;
    reduction_desc() = default;

    /* Arguments as of dnnl_reduction_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    reduction_desc(const engine &aengine, algorithm aalgorithm, md_ref src,
            md_ref dst, float p, float epsilon,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a reduction", allow_empty,
                dnnl_reduction_primitive_desc_create, aengine, aalgorithm, src,
                dst, p, epsilon, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(reduction)

/* dst = src at another resolution:
 * dnnl_resampling_forward_primitive_desc_create. dnnl_invalid_arguments also if
 * there are not as many factors as spatial dimensions, with allow_empty too. */
struct resampling_forward_desc
    : public detail::desc_of<dnnl_resampling, detail::direction::forward> {
    using desc_of::desc_of;
    resampling_forward_desc() = default;

    /* Arguments as of dnnl_resampling_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                nullptr, src, dst, attr);
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors, md_ref src,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                detail::factors_of(factors, src), src, nullptr, attr);
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors, md_ref src,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create(message(), allow_empty, call(), aengine, aprop_kind, aalgorithm,
                detail::factors_of(factors, src), src, dst, attr);
    }

  private:
    static const char *message()
    {
        return "could not create a descriptor of a resampling primitive";
    }
    static decltype(&dnnl_resampling_forward_primitive_desc_create) call()
    {
        return dnnl_resampling_forward_primitive_desc_create;
    }
};

DNNL_CACHE_PRIMITIVE_OF(resampling_forward)

/* Softmax or its logarithm along an axis:
 * dnnl_softmax_forward_primitive_desc_create. */
struct softmax_forward_desc
    : public detail::desc_of<dnnl_softmax, detail::direction::forward> {
    using desc_of::desc_of;
    softmax_forward_desc() = default;

    /* Arguments as of dnnl_softmax_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    softmax_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, int axis,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a softmax primitive",
                allow_empty, dnnl_softmax_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst, axis, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(softmax_forward)

/* dst = f(src0, src1), element by element: dnnl_binary_primitive_desc_create,
 * with src2 dnnl_binary_primitive_desc_create_v2. */
struct binary_desc
    : public detail::desc_of<dnnl_binary, detail::direction::none> {
    using desc_of::desc_of;
    binary_desc() = default;

    /* Arguments as of dnnl_binary_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    binary_desc(const engine &aengine, algorithm aalgorithm, md_ref src0,
            md_ref src1, md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a binary primitive",
                allow_empty, dnnl_binary_primitive_desc_create, aengine,
                aalgorithm, src0, src1, dst, attr);
    }
    binary_desc(const engine &aengine, algorithm aalgorithm, md_ref src0,
            md_ref src1, md_ref src2, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a binary primitive",
                allow_empty, dnnl_binary_primitive_desc_create_v2, aengine,
                aalgorithm, src0, src1, src2, dst, attr);
    }

    /* The descriptors of the operands. */
    memory::desc src0_desc() const { return src_desc(0); }
    memory::desc src1_desc() const { return src_desc(1); }
    memory::desc src2_desc() const { return src_desc(2); }
};

DNNL_CACHE_PRIMITIVE_OF(binary)

/* dst = src where positive, else src x weights:
 * dnnl_prelu_forward_primitive_desc_create. */
struct prelu_forward_desc
    : public detail::desc_of<dnnl_prelu, detail::direction::forward> {
    using desc_of::desc_of;
    prelu_forward_desc() = default;

    /* Arguments as of dnnl_prelu_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    prelu_forward_desc(const engine &aengine, prop_kind aprop_kind, md_ref src,
            md_ref weights, md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a PReLU primitive",
                allow_empty, dnnl_prelu_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, dst, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(prelu_forward)

/* The srcs side by side along a dimension; without dst, one like srcs[0]:
 * dnnl_concat_primitive_desc_create. */
struct concat_desc : public detail::desc_of<dnnl_concat,
                             detail::direction::none, primitive_desc_base> {
    using desc_of::desc_of;
    concat_desc() = default;

    /* Arguments as of dnnl_concat_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    concat_desc(const engine &aengine, md_ref dst, int concat_dimension,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : concat_desc(
                aengine, dst.get(), concat_dimension, srcs, attr, allow_empty)
    {
    }
    concat_desc(const engine &aengine, int concat_dimension,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : concat_desc(
                aengine, nullptr, concat_dimension, srcs, attr, allow_empty)
    {
    }

  private:
    concat_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            int concat_dimension, const std::vector<memory::desc> &srcs,
            attr_ref attr, bool allow_empty)
    {
        const auto c_srcs = convert_to_c(srcs);
        create("could not create a descriptor of a concat primitive",
                allow_empty, dnnl_concat_primitive_desc_create, aengine, dst,
                detail::count_of(srcs), concat_dimension, c_srcs.data(), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(concat)

/* dst = sum of scales[i] * srcs[i]; without dst, one like srcs[0]:
 * dnnl_sum_primitive_desc_create. dnnl_invalid_arguments also if there are not
 * as many scales as srcs, with allow_empty too. */
struct sum_desc : public detail::desc_of<dnnl_sum, detail::direction::none,
                          primitive_desc_base> {
    using desc_of::desc_of;
    sum_desc() = default;

    /* Arguments as of dnnl_sum_primitive_desc_create(). With allow_empty a
     * failure gives an empty handle instead of an error. */
    sum_desc(const engine &aengine, md_ref dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : sum_desc(aengine, dst.get(), scales, srcs, attr, allow_empty)
    {
    }
    sum_desc(const engine &aengine, const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : sum_desc(aengine, nullptr, scales, srcs, attr, allow_empty)
    {
    }

  private:
    sum_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs, attr_ref attr,
            bool allow_empty)
    {
        validate_container_size(scales,
                "not as many scales as sources of a sum",
                detail::count_of(srcs), detail::count_of(srcs));
        const auto c_srcs = convert_to_c(srcs);
        create("could not create a descriptor of a sum primitive", allow_empty,
                dnnl_sum_primitive_desc_create, aengine, dst,
                detail::count_of(srcs), scales.data(), c_srcs.data(), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(sum)

/* Local response normalization: dnnl_lrn_forward_primitive_desc_create. */
struct lrn_forward_desc
    : public detail::desc_of<dnnl_lrn, detail::direction::forward> {
    using desc_of::desc_of;
    lrn_forward_desc() = default;

    /* Arguments as of dnnl_lrn_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    lrn_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst,
            memory::dim local_size, float alpha, float beta, float k,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a local response "
               "normalization",
                allow_empty, dnnl_lrn_forward_primitive_desc_create, aengine,
                aprop_kind, aalgorithm, src, dst, local_size, alpha, beta, k,
                attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(lrn_forward)

/* Getters of descriptors of normalizations. */
struct normalization_desc : public primitive_desc {
    /* A descriptor without dimensions if the statistics are neither inputs nor
     * outputs. */
    memory::desc mean_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_MEAN);
    }
    memory::desc variance_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_VARIANCE);
    }
    /* Descriptor of scale and shift; without dimensions if there is neither. */
    memory::desc weights_desc() const
    {
        const memory::desc scale = query_md(query::exec_arg_md, DNNL_ARG_SCALE);
        return scale.get_ndims() > 0
                       ? scale
                       : query_md(query::exec_arg_md, DNNL_ARG_SHIFT);
    }
    normalization_flags get_flags() const
    {
        return primitive_desc::get_flags<normalization_flags>();
    }
};

/* Each channel normalized:
 * dnnl_batch_normalization_forward_primitive_desc_create. */
struct batch_normalization_forward_desc
    : public detail::desc_of<dnnl_batch_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    batch_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_batch_normalization_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    batch_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a batch normalization",
                allow_empty,
                dnnl_batch_normalization_forward_primitive_desc_create, aengine,
                aprop_kind, src, dst, epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(batch_normalization_forward)

/* Each line along the last dimension normalized:
 * dnnl_layer_normalization_forward_primitive_desc_create. */
struct layer_normalization_forward_desc
    : public detail::desc_of<dnnl_layer_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    layer_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_layer_normalization_forward_primitive_desc_create_v2(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, md_ref stat,
            float epsilon, normalization_flags flags,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    /* Mean and variance laid out like src. */
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, md_ref stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }

  private:
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst,
            const_dnnl_memory_desc_t stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, attr_ref attr, bool allow_empty)
    {
        create("could not create a descriptor of a layer normalization",
                allow_empty,
                dnnl_layer_normalization_forward_primitive_desc_create_v2,
                aengine, aprop_kind, src, dst, stat, scale_shift_data_type,
                epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(layer_normalization_forward)

/* Each group of channels of each batch element normalized:
 * dnnl_group_normalization_forward_primitive_desc_create. */
struct group_normalization_forward_desc
    : public detail::desc_of<dnnl_group_normalization,
              detail::direction::forward, normalization_desc> {
    using desc_of::desc_of;
    group_normalization_forward_desc() = default;

    /* Arguments as of
     * dnnl_group_normalization_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    group_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, md_ref src, md_ref dst, memory::dim groups,
            float epsilon, normalization_flags flags,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a group normalization",
                allow_empty,
                dnnl_group_normalization_forward_primitive_desc_create, aengine,
                aprop_kind, src, dst, groups, epsilon, flags, attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(group_normalization_forward)

/* dst = src x weights + bias: dnnl_matmul_primitive_desc_create. */
struct matmul_desc
    : public detail::desc_of<dnnl_matmul, detail::direction::none> {
    using desc_of::desc_of;
    matmul_desc() = default;

    /* Arguments as of dnnl_matmul_primitive_desc_create(). With allow_empty
     * a failure gives an empty handle instead of an error. */
    matmul_desc(const engine &aengine, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        create("could not create a descriptor of a matrix product", allow_empty,
                dnnl_matmul_primitive_desc_create, aengine, src, weights, bias,
                dst, attr);
    }
    matmul_desc(const engine &aengine, md_ref src, md_ref weights, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of a matrix product", allow_empty,
                dnnl_matmul_primitive_desc_create, aengine, src, weights,
                nullptr, dst, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }
};

DNNL_CACHE_PRIMITIVE_OF(matmul)

/* dst = src x weights + bias, with each image of src as a row:
 * dnnl_inner_product_forward_primitive_desc_create. */
struct inner_product_forward_desc
    : public detail::desc_of<dnnl_inner_product, detail::direction::forward> {
    using desc_of::desc_of;
    inner_product_forward_desc() = default;

    /* Arguments as of dnnl_inner_product_forward_primitive_desc_create().
     * With allow_empty a failure gives an empty handle instead of an error. */
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref weights, md_ref bias, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product", allow_empty,
                dnnl_inner_product_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, bias, dst, attr);
    }
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            md_ref src, md_ref weights, md_ref dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
    {
        create("could not create a descriptor of an inner product", allow_empty,
                dnnl_inner_product_forward_primitive_desc_create, aengine,
                aprop_kind, src, weights, nullptr, dst, attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }
};

DNNL_CACHE_PRIMITIVE_OF(inner_product_forward)

namespace detail
{

/* Descriptors of convolution_forward and deconvolution_forward, whose C calls
 * have the same arguments. Strides, dilates and paddings must have one number
 * for each spatial dimension, or the constructors throw dnnl_invalid_arguments,
 * also with allow_empty. */
template <dnnl_primitive_kind_t kind,
        decltype(&dnnl_convolution_forward_primitive_desc_create) call>
struct convolution_forward_desc : public desc_of<kind, direction::forward> {
    using desc_of<kind, direction::forward>::desc_of;
    convolution_forward_desc() = default;

    /* Arguments as of dnnl_convolution_forward_primitive_desc_create().
     * With allow_empty a failure gives an empty handle instead of an error. */
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, dims_ref strides, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias, dst, strides, memory::dims(strides.size()),
                padding_l, padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref dst,
            dims_ref strides, dims_ref padding_l, dims_ref padding_r,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, dst, strides, memory::dims(strides.size()), padding_l,
                padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref bias,
            md_ref dst, dims_ref strides, dims_ref dilates, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aprop_kind,
                aalgorithm, src, weights, bias, dst, spatial_of(strides, src),
                spatial_of(dilates, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), attr);
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref weights, md_ref dst,
            dims_ref strides, dims_ref dilates, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        this->create(message(), allow_empty, call, aengine, aprop_kind,
                aalgorithm, src, weights, nullptr, dst,
                spatial_of(strides, src), spatial_of(dilates, src),
                spatial_of(padding_l, src), spatial_of(padding_r, src), attr);
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return this->weights_desc(1); }

  private:
    static const char *message()
    {
        return kind == dnnl_convolution
                       ? "could not create a descriptor of a convolution"
                       : "could not create a descriptor of a deconvolution";
    }
};

} // namespace detail

/* dst = src convolved with weights, + bias:
 * dnnl_convolution_forward_primitive_desc_create. */
typedef detail::convolution_forward_desc<dnnl_convolution,
        dnnl_convolution_forward_primitive_desc_create>
        convolution_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(convolution_forward)

/* dst = src spread by weights, + bias:
 * dnnl_deconvolution_forward_primitive_desc_create. */
typedef detail::convolution_forward_desc<dnnl_deconvolution,
        dnnl_deconvolution_forward_primitive_desc_create>
        deconvolution_forward_desc;

DNNL_CACHE_PRIMITIVE_OF(deconvolution_forward)

/* The maximum or mean of each window of src:
 * dnnl_pooling_forward_primitive_desc_create. dnnl_invalid_arguments also if a
 * list has no number for a spatial dimension. */
struct pooling_forward_desc
    : public detail::desc_of<dnnl_pooling, detail::direction::forward> {
    using desc_of::desc_of;
    pooling_forward_desc() = default;

    /* Arguments as of dnnl_pooling_forward_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    pooling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, md_ref src, md_ref dst, dims_ref strides,
            dims_ref kernel, dims_ref dilation, dims_ref padding_l,
            dims_ref padding_r, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        using detail::spatial_of;
        create("could not create a descriptor of a pooling primitive",
                allow_empty, dnnl_pooling_forward_primitive_desc_create,
                aengine, aprop_kind, aalgorithm, src, dst,
                spatial_of(strides, src), spatial_of(kernel, src),
                spatial_of(dilation, src), spatial_of(padding_l, src),
                spatial_of(padding_r, src), attr);
    }
};

DNNL_CACHE_PRIMITIVE_OF(pooling_forward)

/* dst = src in another layout, data type or place:
 * dnnl_reorder_primitive_desc_create. */
struct reorder_desc : public detail::desc_of<dnnl_reorder,
                              detail::direction::none, primitive_desc_base> {
    using desc_of::desc_of;
    reorder_desc() = default;

    /* Arguments as of dnnl_reorder_primitive_desc_create(). With
     * allow_empty a failure gives an empty handle instead of an error. */
    reorder_desc(const engine &src_engine, md_ref src, const engine &dst_engine,
            md_ref dst, attr_ref attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_reorder_primitive_desc_create(&made, src.get(),
                src_engine.get(), dst.get(), dst_engine.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a reorder");
    }
    reorder_desc(const memory &src, const memory &dst,
            attr_ref attr = primitive_attr(), bool allow_empty = false)
        : reorder_desc(src.get_engine(), src.get_desc(), dst.get_engine(),
                dst.get_desc(), attr, allow_empty)
    {
    }

    /* The engines: borrowed. */
    engine get_src_engine() const
    {
        return ask_engine(query::reorder_src_engine);
    }
    engine get_dst_engine() const
    {
        return ask_engine(query::reorder_dst_engine);
    }
};

/* Copies a tensor into another layout or type, or to another engine. */
struct reorder : public detail::primitive_of<reorder_desc> {
    using primitive_of::primitive_of;
    reorder() = default;
    /* A reorder between memories with the descriptors and engines of these two.
     */
    reorder(const memory &src, const memory &dst,
            const primitive_attr &attr = primitive_attr())
        : primitive_of(primitive_desc(src, dst, attr))
    {
    }

    using primitive::execute;
    /* The same with its two arguments. */
    void execute(
            const stream &astream, const memory &src, const memory &dst) const
    {
        execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

} // namespace dnnlc_0_1
} // namespace dnnl

#include "dnnl_cache_backward.hpp"
#include "dnnl_cache_recurrent.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* ==== The primitive cache ================================================= */

/* The number of primitives kept in memory, for the whole process; see
 * dnnl_set_primitive_cache_capacity(). */
inline int get_primitive_cache_capacity()
{
    return detail::made_by("could not get the primitive cache's capacity",
            dnnl_get_primitive_cache_capacity);
}

/* Sets that number: see dnnl_set_primitive_cache_capacity(). */
inline void set_primitive_cache_capacity(int capacity)
{
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
            "could not set the primitive cache's capacity");
}

#endif /* DNNL_CACHE_PRIMITIVES */

/* ==== OpenCL ============================================================== */

namespace ocl_interop
{

/* How the library accesses a buffer: as dnnl_ocl_interop_memory_kind_t. */
enum class memory_kind {
    usm = ::dnnl_ocl_interop_usm, /* none exists here: dnnl_unimplemented */
    buffer = ::dnnl_ocl_interop_buffer
};

DNNL_CACHE_CONVERT(memory_kind, dnnl_ocl_interop_memory_kind_t)

/* The ID under which to keep the blobs of a device's engines; needs no engine.
 * Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device)
{
    return detail::bytes_of(
            [device](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob_id(
                        device, size, bytes);
            },
            "could not get the cache blob ID of an engine");
}

/* The blob from which an engine of the same device is created again without
 * compiling. Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine)
{
    dnnl_engine_t e = aengine.get();
    return detail::bytes_of(
            [e](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob(e, size, bytes);
            },
            "could not get the cache blob of an engine");
}

/* An engine, from a blob, of a device and a context that contains the device;
 * both are retained. An empty blob throws dnnl_invalid_arguments: check what a
 * store returns. */
inline engine make_engine(cl_device_id device, cl_context context,
        const std::vector<uint8_t> &cache_blob)
{
    return engine(
            detail::made_by("could not create an engine from a cache blob",
                    dnnl_ocl_interop_engine_create_from_cache_blob, device,
                    context, cache_blob.size(), cache_blob.data()));
}

/* The same without a blob. */
inline engine make_engine(cl_device_id device, cl_context context)
{
    return engine(detail::made_by(
            "could not create an engine of a device and a context",
            dnnl_ocl_interop_engine_create, device, context));
}

/* The engine's context and device: borrowed, not retained. */
inline cl_context get_context(const engine &aengine)
{
    return detail::got_from("could not get the context of an engine",
            dnnl_ocl_interop_engine_get_context, aengine.get());
}

/* The engine's device: borrowed, not retained. */
inline cl_device_id get_device(const engine &aengine)
{
    return detail::got_from("could not get the device of an engine",
            dnnl_ocl_interop_get_device, aengine.get());
}

/* A stream on the application's queue, which is retained. */
inline stream make_stream(const engine &aengine, cl_command_queue queue)
{
    return stream(
            detail::made_by("could not create a stream on a command queue",
                    dnnl_ocl_interop_stream_create, aengine.get(), queue));
}

/* The stream's queue: borrowed, not retained. */
inline cl_command_queue get_command_queue(const stream &astream)
{
    return detail::got_from("could not get the command queue of a stream",
            dnnl_ocl_interop_stream_get_command_queue, astream.get());
}

/* A tensor in a buffer of the library, in none, or in a cl_mem, which is
 * retained. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, void *ahandle = DNNL_MEMORY_ALLOCATE)
{
    return memory(detail::made_by("could not create a memory object",
            dnnl_ocl_interop_memory_create, md.get(), aengine.get(),
            convert_to_c(akind), ahandle));
}

/* The same with a list of handles, one per buffer: exactly one. An empty list:
 * a buffer of the library. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, std::vector<void *> handles)
{
    if (handles.empty()) handles.push_back(DNNL_MEMORY_ALLOCATE);
    return memory(detail::made_by("could not create a memory object",
            dnnl_ocl_interop_memory_create_v2, md.get(), aengine.get(),
            convert_to_c(akind), static_cast<int>(handles.size()),
            handles.data()));
}

/* A memory on buffers of the application, which are retained. */
inline memory make_memory(
        const memory::desc &md, const engine &aengine, cl_mem mem_object)
{
    return make_memory(md, aengine, memory_kind::buffer, mem_object);
}

/* The same for several buffers, of which only one exists here. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        std::vector<cl_mem> mem_objects)
{
    return make_memory(md, aengine, memory_kind::buffer,
            std::vector<void *>(mem_objects.begin(), mem_objects.end()));
}

/* How the library accesses the buffer of a memory. */
inline memory_kind get_memory_kind(const memory &amemory)
{
    return static_cast<memory_kind>(
            detail::got_from("could not get the kind of a memory object",
                    dnnl_ocl_interop_memory_get_memory_kind, amemory.get()));
}

/* The buffer: borrowed, not retained; null if there is none. */
inline cl_mem get_mem_object(const memory &amemory, int index = 0)
{
    cl_mem mem_object = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_get_mem_object_v2(
                              amemory.get(), &mem_object, index),
            "could not get the buffer of a memory object");
    return mem_object;
}

/* Replaces the buffer, for all copies of amemory; the new one is retained. */
inline void set_mem_object(memory &amemory, cl_mem mem_object, int index = 0)
{
    error::wrap_c_api(dnnl_ocl_interop_memory_set_mem_object_v2(
                              amemory.get(), mem_object, index),
            "could not set the buffer of a memory object");
}

#if DNNL_CACHE_PRIMITIVES
/* As primitive::execute(), after the given events. Returns an event of its end,
 * which the caller releases; null on an in-order stream. */
inline cl_event execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args,
        const std::vector<cl_event> &deps = std::vector<cl_event>())
{
    std::vector<dnnl_exec_arg_t> c_args = primitive::to_c(args);
    return detail::got_from<cl_event>("could not execute a primitive",
            dnnl_ocl_interop_primitive_execute, aprimitive.get(), astream.get(),
            static_cast<int>(c_args.size()), c_args.data(),
            deps.empty() ? nullptr : deps.data(),
            static_cast<int>(deps.size()));
}
#endif

} // namespace ocl_interop

#undef DNNL_CACHE_CONVERT

} // namespace dnnlc_0_1
} // namespace dnnl

#include "dnnl_cache_programs.hpp"
#include "dnnl_cache_stores.hpp"

/* oneDNN's other name of the namespace. */
namespace oneapi
{
namespace dnnl = ::dnnl;
}

#endif /* DNNL_CACHE_HPP */
