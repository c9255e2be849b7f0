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

/* dnnl_status_t of a status. */
inline dnnl_status_t convert_to_c(status astatus)
{
    return static_cast<dnnl_status_t>(astatus);
}

/* What every failing call throws: the status, and what could not be done.
 * message has static lifetime; the log callback has the driver's words. */
struct error : public std::exception {
    dnnl_status_t status;
    const char *message;

    error(dnnl_status_t astatus, const char *amessage) noexcept
        : status(astatus), message(amessage)
    {
    }

    /* The message; never null. */
    const char *what() const noexcept override { return message; }

    /* Throws an error with this status and message, unless it is success. */
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage)
    {
        if (astatus != dnnl_success) throw error(astatus, amessage);
    }
};

/* ==== Handles ============================================================= */

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

    /* Takes over a C object, unless weak: then somebody else owns it, and it
     * must outlive every copy of this. */
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /* Lets go of what is referred to and refers to t instead, as the
     * constructor does. t is destroyed if there is no memory to refer to it. */
    void reset(T t, bool weak = false)
    {
        if (t == nullptr)
            data_.reset();
        else if (weak)
            data_ = pointer(pointer(), t);
        else
            data_.reset(t, destroyer());
    }

    /* The C object, borrowed. Throws if there is none, unless allow_empty:
     * then that is nullptr. */
    T get(bool allow_empty = false) const
    {
        if (data_ == nullptr && !allow_empty)
            throw error(dnnl_invalid_arguments, "the object is empty");
        return data_.get();
    }

    /* The same without a throw. */
    explicit operator T() const { return data_.get(); }
    /* Is there an object? */
    explicit operator bool() const { return data_ != nullptr; }

    /* Is it the very same object? */
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return data_ != other.data_; }

  private:
    typedef std::shared_ptr<typename std::remove_pointer<T>::type> pointer;

    struct destroyer {
        void operator()(T t) const { (void)traits::destructor(t); }
    };

    pointer data_;
};

template <> struct handle_traits<dnnl_engine_t> {
    static dnnl_status_t destructor(dnnl_engine_t p)
    {
        return dnnl_engine_destroy(p);
    }
};

template <> struct handle_traits<dnnl_stream_t> {
    static dnnl_status_t destructor(dnnl_stream_t p)
    {
        return dnnl_stream_destroy(p);
    }
};

template <> struct handle_traits<dnnl_memory_desc_t> {
    static dnnl_status_t destructor(dnnl_memory_desc_t p)
    {
        return dnnl_memory_desc_destroy(p);
    }
};

template <> struct handle_traits<dnnl_memory_t> {
    static dnnl_status_t destructor(dnnl_memory_t p)
    {
        return dnnl_memory_destroy(p);
    }
};

namespace detail
{

/* The bytes of a call that follows dnnl_cache.h's rule of size queries:
 * fill(&size, bytes). Empty if there are none. */
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

} // namespace detail

/* ==== Library ============================================================= */

typedef dnnl_version_t version_t;

/* The interface's version and the git hash of the library. Static memory. */
inline const version_t *version()
{
    return dnnl_version();
}

/* Nothing here depends on the host's instruction set or tells profilers of
 * code, so that what changes that throws. */
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

enum class cpu_isa_hints {
    no_hints = ::dnnl_cpu_isa_no_hints,
    prefer_ymm = ::dnnl_cpu_isa_prefer_ymm,
};

inline status set_jit_profiling_flags(unsigned flags)
{
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}

inline status set_jit_profiling_jitdumpdir(const std::string &dir)
{
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}

inline status set_max_cpu_isa(cpu_isa isa)
{
    return static_cast<status>(
            dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}

inline cpu_isa get_effective_cpu_isa()
{
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

inline status set_cpu_isa_hints(cpu_isa_hints hints)
{
    return static_cast<status>(
            dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(hints)));
}

inline cpu_isa_hints get_cpu_isa_hints()
{
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}

/* Products of matrices on the host: there are none here. */
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda,
        const float *B, dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc)
{
    return static_cast<status>(dnnl_sgemm(
            transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A,
        dnnl_dim_t lda, uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co)
{
    return static_cast<status>(dnnl_gemm_u8s8s32(transa, transb, offsetc, M, N,
            K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

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
        dnnl_engine_t made = nullptr;
        error::wrap_c_api(dnnl_engine_create(&made, convert_to_c(akind), index),
                "could not create an engine");
        reset(made);
    }

    /* Number of engines of a kind. Throws nothing. */
    static size_t get_count(kind akind)
    {
        return dnnl_engine_get_count(convert_to_c(akind));
    }

    kind get_kind() const
    {
        dnnl_engine_kind_t akind = dnnl_any_engine;
        error::wrap_c_api(dnnl_engine_get_kind(get(), &akind),
                "could not get the kind of an engine");
        return static_cast<kind>(akind);
    }

    static dnnl_engine_kind_t convert_to_c(kind akind)
    {
        return static_cast<dnnl_engine_kind_t>(akind);
    }
};

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
    enum class flags : unsigned {
        in_order = ::dnnl_stream_in_order,
        out_of_order = ::dnnl_stream_out_of_order,
        default_flags = ::dnnl_stream_default_flags
    };

    using handle::handle;
    stream() = default;

    /* A stream with a queue of its own. */
    stream(const engine &aengine, flags aflags = flags::default_flags)
    {
        dnnl_stream_t made = nullptr;
        error::wrap_c_api(dnnl_stream_create(&made, aengine.get(),
                                  static_cast<unsigned>(aflags)),
                "could not create a stream");
        reset(made);
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        dnnl_engine_t borrowed = nullptr;
        error::wrap_c_api(dnnl_stream_get_engine(get(), &borrowed),
                "could not get the engine of a stream");
        return engine(borrowed, true);
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

/* ==== Memory ============================================================== */

/* What a query asks for: dnnl_query_t with a scope. */
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
};

inline dnnl_query_t convert_to_c(query aquery)
{
    return static_cast<dnnl_query_t>(aquery);
}

/* A tensor on an engine: a description and a buffer. */
struct memory : public handle<dnnl_memory_t> {
    typedef dnnl_dim_t dim;
    /* Dimensions, strides ...: one number a dimension. */
    typedef std::vector<dim> dims;

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

    enum class format_kind {
        undef = ::dnnl_format_kind_undef,
        any = ::dnnl_format_kind_any,
        blocked = ::dnnl_blocked,
    };

    /* Orders of dimensions, outermost first; see dnnl_format_tag_t. */
    enum class format_tag {
        undef = ::dnnl_format_tag_undef,
        any = ::dnnl_format_tag_any,
        a = ::dnnl_a,
        ab = ::dnnl_ab,
        abc = ::dnnl_abc,
        abcd = ::dnnl_abcd,
        abcde = ::dnnl_abcde,
        abcdef = ::dnnl_abcdef,
        abcdefg = ::dnnl_abcdefg,
        abcdefgh = ::dnnl_abcdefgh,
        abcdefghi = ::dnnl_abcdefghi,
        abcdefghij = ::dnnl_abcdefghij,
        abcdefghijk = ::dnnl_abcdefghijk,
        abcdefghijkl = ::dnnl_abcdefghijkl,
        ba = ::dnnl_ba,
        acb = ::dnnl_acb,
        bac = ::dnnl_bac,
        bca = ::dnnl_bca,
        cab = ::dnnl_cab,
        cba = ::dnnl_cba,
        abdc = ::dnnl_abdc,
        acbd = ::dnnl_acbd,
        acdb = ::dnnl_acdb,
        adbc = ::dnnl_adbc,
        adcb = ::dnnl_adcb,
        bacd = ::dnnl_bacd,
        bcda = ::dnnl_bcda,
        cdab = ::dnnl_cdab,
        cdba = ::dnnl_cdba,
        dcab = ::dnnl_dcab,
        abced = ::dnnl_abced,
        abdec = ::dnnl_abdec,
        acbde = ::dnnl_acbde,
        acdeb = ::dnnl_acdeb,
        adecb = ::dnnl_adecb,
        bacde = ::dnnl_bacde,
        bcdea = ::dnnl_bcdea,
        cdeab = ::dnnl_cdeab,
        cdeba = ::dnnl_cdeba,
        decab = ::dnnl_decab,
        abcdfe = ::dnnl_abcdfe,
        abdefc = ::dnnl_abdefc,
        abdfce = ::dnnl_abdfce,
        acbdef = ::dnnl_acbdef,
        adefcb = ::dnnl_adefcb,
        defcab = ::dnnl_defcab,
        abcdegf = ::dnnl_abcdegf,
        abcdefhg = ::dnnl_abcdefhg,
        abcdefgih = ::dnnl_abcdefgih,
        abcdefghji = ::dnnl_abcdefghji,
        abcdefghikj = ::dnnl_abcdefghikj,
        abcdefghijlk = ::dnnl_abcdefghijlk,
        Ab16a = ::dnnl_Ab16a,
        AB16a16b = ::dnnl_AB16a16b,
        AB16b16a = ::dnnl_AB16b16a,
        Ab32a = ::dnnl_Ab32a,
        Ab4a = ::dnnl_Ab4a,
        Ab8a = ::dnnl_Ab8a,
        AB8b4a = ::dnnl_AB8b4a,
        BA16a16b = ::dnnl_BA16a16b,
        BA16b16a = ::dnnl_BA16b16a,
        BA4b4a = ::dnnl_BA4b4a,
        BA8b4a = ::dnnl_BA8b4a,
        Abc16a = ::dnnl_Abc16a,
        ABc16a16b = ::dnnl_ABc16a16b,
        aBc16b = ::dnnl_aBc16b,
        ABc16b16a = ::dnnl_ABc16b16a,
        ABc2b8a4b = ::dnnl_ABc2b8a4b,
        ABc32a16b = ::dnnl_ABc32a16b,
        ABc32a32b = ::dnnl_ABc32a32b,
        aBc32b = ::dnnl_aBc32b,
        aBc4b = ::dnnl_aBc4b,
        ABc4b16a4b = ::dnnl_ABc4b16a4b,
        Abc8a = ::dnnl_Abc8a,
        ABc8a4b = ::dnnl_ABc8a4b,
        ABc8a8b = ::dnnl_ABc8a8b,
        aBc8b = ::dnnl_aBc8b,
        ABc8b16a2b = ::dnnl_ABc8b16a2b,
        ABc8b8a = ::dnnl_ABc8b8a,
        Acb16a = ::dnnl_Acb16a,
        AcB16a4b = ::dnnl_AcB16a4b,
        AcB16b16a = ::dnnl_AcB16b16a,
        Acb4a = ::dnnl_Acb4a,
        Acb8a = ::dnnl_Acb8a,
        AcB8b16a2b = ::dnnl_AcB8b16a2b,
        BAc16b16a = ::dnnl_BAc16b16a,
        Abcd16a = ::dnnl_Abcd16a,
        ABcd16a16b = ::dnnl_ABcd16a16b,
        ABcd16a16b2a = ::dnnl_ABcd16a16b2a,
        aBcd16b = ::dnnl_aBcd16b,
        ABcd16b16a = ::dnnl_ABcd16b16a,
        ABcd16b16a2b = ::dnnl_ABcd16b16a2b,
        ABcd16b16a4b = ::dnnl_ABcd16b16a4b,
        aBCd16b16c = ::dnnl_aBCd16b16c,
        aBCd16c16b = ::dnnl_aBCd16c16b,
        aBCd2b4c2b = ::dnnl_aBCd2b4c2b,
        ABcd2b8a4b = ::dnnl_ABcd2b8a4b,
        aBCd2c4b2c = ::dnnl_aBCd2c4b2c,
        aBCd2c8b4c = ::dnnl_aBCd2c8b4c,
        ABcd32a16b = ::dnnl_ABcd32a16b,
        ABcd32a32b = ::dnnl_ABcd32a32b,
        aBcd32b = ::dnnl_aBcd32b,
        Abcd4a = ::dnnl_Abcd4a,
        aBcd4b = ::dnnl_aBcd4b,
        ABcd4b16a4b = ::dnnl_ABcd4b16a4b,
        aBCd4b8c2b = ::dnnl_aBCd4b8c2b,
        aBCd4c16b4c = ::dnnl_aBCd4c16b4c,
        aBCd4c8b2c = ::dnnl_aBCd4c8b2c,
        Abcd8a = ::dnnl_Abcd8a,
        ABcd8a16b2a = ::dnnl_ABcd8a16b2a,
        ABcd8a4b = ::dnnl_ABcd8a4b,
        ABcd8a8b = ::dnnl_ABcd8a8b,
        aBcd8b = ::dnnl_aBcd8b,
        ABcd8b16a2b = ::dnnl_ABcd8b16a2b,
        aBCd8b4c = ::dnnl_aBCd8b4c,
        ABcd8b8a = ::dnnl_ABcd8b8a,
        aBCd8b8c = ::dnnl_aBCd8b8c,
        aBCd8c16b2c = ::dnnl_aBCd8c16b2c,
        aBCd8c8b = ::dnnl_aBCd8c8b,
        aBdc16b = ::dnnl_aBdc16b,
        aBdC16b4c = ::dnnl_aBdC16b4c,
        aBdc8b = ::dnnl_aBdc8b,
        aCBd16c16b = ::dnnl_aCBd16c16b,
        Acdb16a = ::dnnl_Acdb16a,
        AcdB16a4b = ::dnnl_AcdB16a4b,
        AcdB16b16a = ::dnnl_AcdB16b16a,
        AcdB16b16a2b = ::dnnl_AcdB16b16a2b,
        AcdB16b16a4b = ::dnnl_AcdB16b16a4b,
        AcdB16b32a = ::dnnl_AcdB16b32a,
        AcdB16b48a = ::dnnl_AcdB16b48a,
        AcdB16b64a = ::dnnl_AcdB16b64a,
        Acdb32a = ::dnnl_Acdb32a,
        Acdb4a = ::dnnl_Acdb4a,
        AcdB4b16a4b = ::dnnl_AcdB4b16a4b,
        Acdb8a = ::dnnl_Acdb8a,
        AcdB8b16a2b = ::dnnl_AcdB8b16a2b,
        AcdB8b8a = ::dnnl_AcdB8b8a,
        BAcd16a16b = ::dnnl_BAcd16a16b,
        BAcd16b16a = ::dnnl_BAcd16b16a,
        Abcde16a = ::dnnl_Abcde16a,
        ABcde16a16b = ::dnnl_ABcde16a16b,
        aBcde16b = ::dnnl_aBcde16b,
        ABcde16b16a = ::dnnl_ABcde16b16a,
        ABcde16b16a2b = ::dnnl_ABcde16b16a2b,
        ABcde16b16a4b = ::dnnl_ABcde16b16a4b,
        aBCde16b16c = ::dnnl_aBCde16b16c,
        aBCde16b16c2b = ::dnnl_aBCde16b16c2b,
        aBCde16c16b = ::dnnl_aBCde16c16b,
        aBCde16c16b2c = ::dnnl_aBCde16c16b2c,
        aBCde16c16b4c = ::dnnl_aBCde16c16b4c,
        aBCde2b4c2b = ::dnnl_aBCde2b4c2b,
        aBCde2c4b2c = ::dnnl_aBCde2c4b2c,
        aBCde2c8b4c = ::dnnl_aBCde2c8b4c,
        ABcde32a16b = ::dnnl_ABcde32a16b,
        ABcde32a32b = ::dnnl_ABcde32a32b,
        aBcde32b = ::dnnl_aBcde32b,
        Abcde4a = ::dnnl_Abcde4a,
        aBcde4b = ::dnnl_aBcde4b,
        ABcde4b16a4b = ::dnnl_ABcde4b16a4b,
        aBCde4b4c = ::dnnl_aBCde4b4c,
        aBCde4b8c2b = ::dnnl_aBCde4b8c2b,
        aBCde4c16b4c = ::dnnl_aBCde4c16b4c,
        aBCde4c8b2c = ::dnnl_aBCde4c8b2c,
        Abcde8a = ::dnnl_Abcde8a,
        ABcde8a4b = ::dnnl_ABcde8a4b,
        ABcde8a8b = ::dnnl_ABcde8a8b,
        aBcde8b = ::dnnl_aBcde8b,
        ABcde8b16a2b = ::dnnl_ABcde8b16a2b,
        aBCde8b4c = ::dnnl_aBCde8b4c,
        ABcde8b8a = ::dnnl_ABcde8b8a,
        aBCde8b8c = ::dnnl_aBCde8b8c,
        aBCde8c16b2c = ::dnnl_aBCde8c16b2c,
        aBCde8c8b = ::dnnl_aBCde8c8b,
        aBdec16b = ::dnnl_aBdec16b,
        aBdeC16b4c = ::dnnl_aBdeC16b4c,
        aBdec8b = ::dnnl_aBdec8b,
        aCBde16b16c = ::dnnl_aCBde16b16c,
        aCBde16c16b = ::dnnl_aCBde16c16b,
        Acdeb16a = ::dnnl_Acdeb16a,
        AcdeB16a4b = ::dnnl_AcdeB16a4b,
        AcdeB16b16a = ::dnnl_AcdeB16b16a,
        AcdeB16b16a2b = ::dnnl_AcdeB16b16a2b,
        AcdeB16b16a4b = ::dnnl_AcdeB16b16a4b,
        Acdeb4a = ::dnnl_Acdeb4a,
        Acdeb8a = ::dnnl_Acdeb8a,
        AcdeB8b8a = ::dnnl_AcdeB8b8a,
        BAcde16a16b = ::dnnl_BAcde16a16b,
        decbA16a = ::dnnl_decbA16a,
        decbA8a = ::dnnl_decbA8a,
        Abcdef16a = ::dnnl_Abcdef16a,
        aBcdef16b = ::dnnl_aBcdef16b,
        aBCdef16b16c = ::dnnl_aBCdef16b16c,
        aBCdef16c16b = ::dnnl_aBCdef16c16b,
        aBCdef16c16b2c = ::dnnl_aBCdef16c16b2c,
        aBCdef16c16b4c = ::dnnl_aBCdef16c16b4c,
        aBCdef2b4c2b = ::dnnl_aBCdef2b4c2b,
        aBCdef2c4b2c = ::dnnl_aBCdef2c4b2c,
        aBCdef2c8b4c = ::dnnl_aBCdef2c8b4c,
        aBcdef32b = ::dnnl_aBcdef32b,
        aBcdef4b = ::dnnl_aBcdef4b,
        aBCdef4b4c = ::dnnl_aBCdef4b4c,
        aBCdef4b8c2b = ::dnnl_aBCdef4b8c2b,
        aBCdef4c16b4c = ::dnnl_aBCdef4c16b4c,
        aBCdef4c8b2c = ::dnnl_aBCdef4c8b2c,
        Abcdef8a = ::dnnl_Abcdef8a,
        aBcdef8b = ::dnnl_aBcdef8b,
        aBCdef8b4c = ::dnnl_aBCdef8b4c,
        aBCdef8b8c = ::dnnl_aBCdef8b8c,
        aBCdef8c16b2c = ::dnnl_aBCdef8c16b2c,
        aBCdef8c8b = ::dnnl_aBCdef8c8b,
        aBdefc16b = ::dnnl_aBdefc16b,
        aBdefC16b4c = ::dnnl_aBdefC16b4c,
        aBdefc8b = ::dnnl_aBdefc8b,
        aCBdef16b16c = ::dnnl_aCBdef16b16c,
        aCBdef16c16b = ::dnnl_aCBdef16c16b,
        format_tag_last = ::dnnl_format_tag_last,
        x = ::dnnl_x,
        nc = ::dnnl_nc,
        cn = ::dnnl_cn,
        tn = ::dnnl_tn,
        nt = ::dnnl_nt,
        ncw = ::dnnl_ncw,
        nwc = ::dnnl_nwc,
        nchw = ::dnnl_nchw,
        nhwc = ::dnnl_nhwc,
        chwn = ::dnnl_chwn,
        ncdhw = ::dnnl_ncdhw,
        ndhwc = ::dnnl_ndhwc,
        oi = ::dnnl_oi,
        io = ::dnnl_io,
        oiw = ::dnnl_oiw,
        owi = ::dnnl_owi,
        wio = ::dnnl_wio,
        iwo = ::dnnl_iwo,
        oihw = ::dnnl_oihw,
        hwio = ::dnnl_hwio,
        ohwi = ::dnnl_ohwi,
        ihwo = ::dnnl_ihwo,
        iohw = ::dnnl_iohw,
        oidhw = ::dnnl_oidhw,
        iodhw = ::dnnl_iodhw,
        dhwio = ::dnnl_dhwio,
        odhwi = ::dnnl_odhwi,
        idhwo = ::dnnl_idhwo,
        goiw = ::dnnl_goiw,
        goihw = ::dnnl_goihw,
        giohw = ::dnnl_giohw,
        hwigo = ::dnnl_hwigo,
        goidhw = ::dnnl_goidhw,
        giodhw = ::dnnl_giodhw,
        dhwigo = ::dnnl_dhwigo,
        tnc = ::dnnl_tnc,
        ntc = ::dnnl_ntc,
        giow = ::dnnl_giow,
        gowi = ::dnnl_gowi,
        ldgo = ::dnnl_ldgo,
        ldio = ::dnnl_ldio,
        ldoi = ::dnnl_ldoi,
        wigo = ::dnnl_wigo,
        gohwi = ::dnnl_gohwi,
        ldgoi = ::dnnl_ldgoi,
        ldigo = ::dnnl_ldigo,
        godhwi = ::dnnl_godhwi,
        IOw16i16o = ::dnnl_IOw16i16o,
        nCw16c = ::dnnl_nCw16c,
        NCw16n16c = ::dnnl_NCw16n16c,
        nCw32c = ::dnnl_nCw32c,
        NCw32n16c = ::dnnl_NCw32n16c,
        NCw32n32c = ::dnnl_NCw32n32c,
        nCw4c = ::dnnl_nCw4c,
        nCw8c = ::dnnl_nCw8c,
        OIw16i16o = ::dnnl_OIw16i16o,
        Oiw16o = ::dnnl_Oiw16o,
        OIw16o16i = ::dnnl_OIw16o16i,
        OIw2i8o4i = ::dnnl_OIw2i8o4i,
        OIw4i16o4i = ::dnnl_OIw4i16o4i,
        OIw8i16o2i = ::dnnl_OIw8i16o2i,
        OIw8i8o = ::dnnl_OIw8i8o,
        Oiw8o = ::dnnl_Oiw8o,
        OIw8o4i = ::dnnl_OIw8o4i,
        OIw8o8i = ::dnnl_OIw8o8i,
        OwI16i16o = ::dnnl_OwI16i16o,
        Owi16o = ::dnnl_Owi16o,
        OwI16o4i = ::dnnl_OwI16o4i,
        Owi4o = ::dnnl_Owi4o,
        OwI8i16o2i = ::dnnl_OwI8i16o2i,
        Owi8o = ::dnnl_Owi8o,
        gIOw16i16o = ::dnnl_gIOw16i16o,
        Goiw16g = ::dnnl_Goiw16g,
        gOIw16i16o = ::dnnl_gOIw16i16o,
        gOiw16o = ::dnnl_gOiw16o,
        gOIw16o16i = ::dnnl_gOIw16o16i,
        gOIw2i4o2i = ::dnnl_gOIw2i4o2i,
        gOIw2i8o4i = ::dnnl_gOIw2i8o4i,
        gOIw2o4i2o = ::dnnl_gOIw2o4i2o,
        Goiw4g = ::dnnl_Goiw4g,
        gOIw4i16o4i = ::dnnl_gOIw4i16o4i,
        gOIw4i8o2i = ::dnnl_gOIw4i8o2i,
        gOIw4o8i2o = ::dnnl_gOIw4o8i2o,
        Goiw8g = ::dnnl_Goiw8g,
        gOIw8i16o2i = ::dnnl_gOIw8i16o2i,
        gOIw8i8o = ::dnnl_gOIw8i8o,
        gOiw8o = ::dnnl_gOiw8o,
        gOIw8o4i = ::dnnl_gOIw8o4i,
        gOIw8o8i = ::dnnl_gOIw8o8i,
        gOwi16o = ::dnnl_gOwi16o,
        gOwI16o4i = ::dnnl_gOwI16o4i,
        gOwi8o = ::dnnl_gOwi8o,
        IOhw16i16o = ::dnnl_IOhw16i16o,
        IOhw16o16i = ::dnnl_IOhw16o16i,
        nChw16c = ::dnnl_nChw16c,
        NChw16n16c = ::dnnl_NChw16n16c,
        nChw32c = ::dnnl_nChw32c,
        NChw32n16c = ::dnnl_NChw32n16c,
        NChw32n32c = ::dnnl_NChw32n32c,
        nChw4c = ::dnnl_nChw4c,
        nChw8c = ::dnnl_nChw8c,
        OhwI16i16o = ::dnnl_OhwI16i16o,
        OhwI16i16o2i = ::dnnl_OhwI16i16o2i,
        OhwI16i16o4i = ::dnnl_OhwI16i16o4i,
        OhwI16i32o = ::dnnl_OhwI16i32o,
        OhwI16i48o = ::dnnl_OhwI16i48o,
        OhwI16i64o = ::dnnl_OhwI16i64o,
        Ohwi16o = ::dnnl_Ohwi16o,
        OhwI16o4i = ::dnnl_OhwI16o4i,
        Ohwi32o = ::dnnl_Ohwi32o,
        OhwI4i16o4i = ::dnnl_OhwI4i16o4i,
        Ohwi4o = ::dnnl_Ohwi4o,
        OhwI8i16o2i = ::dnnl_OhwI8i16o2i,
        OhwI8i8o = ::dnnl_OhwI8i8o,
        Ohwi8o = ::dnnl_Ohwi8o,
        OIhw16i16o = ::dnnl_OIhw16i16o,
        OIhw16i16o2i = ::dnnl_OIhw16i16o2i,
        OIhw16i16o4i = ::dnnl_OIhw16i16o4i,
        Oihw16o = ::dnnl_Oihw16o,
        OIhw16o16i = ::dnnl_OIhw16o16i,
        OIhw16o16i2o = ::dnnl_OIhw16o16i2o,
        OIhw2i8o4i = ::dnnl_OIhw2i8o4i,
        OIhw4i16o4i = ::dnnl_OIhw4i16o4i,
        OIhw8i16o2i = ::dnnl_OIhw8i16o2i,
        OIhw8i8o = ::dnnl_OIhw8i8o,
        Oihw8o = ::dnnl_Oihw8o,
        OIhw8o16i2o = ::dnnl_OIhw8o16i2o,
        OIhw8o4i = ::dnnl_OIhw8o4i,
        OIhw8o8i = ::dnnl_OIhw8o8i,
        gIOhw16i16o = ::dnnl_gIOhw16i16o,
        gIOhw16o16i = ::dnnl_gIOhw16o16i,
        gOhwi16o = ::dnnl_gOhwi16o,
        gOhwI16o4i = ::dnnl_gOhwI16o4i,
        gOhwi8o = ::dnnl_gOhwi8o,
        Goihw16g = ::dnnl_Goihw16g,
        gOIhw16i16o = ::dnnl_gOIhw16i16o,
        gOIhw16i16o2i = ::dnnl_gOIhw16i16o2i,
        gOIhw16i16o4i = ::dnnl_gOIhw16i16o4i,
        gOihw16o = ::dnnl_gOihw16o,
        gOIhw16o16i = ::dnnl_gOIhw16o16i,
        gOIhw16o16i2o = ::dnnl_gOIhw16o16i2o,
        gOIhw2i4o2i = ::dnnl_gOIhw2i4o2i,
        gOIhw2i8o4i = ::dnnl_gOIhw2i8o4i,
        gOIhw2o4i2o = ::dnnl_gOIhw2o4i2o,
        Goihw4g = ::dnnl_Goihw4g,
        gOIhw4i16o4i = ::dnnl_gOIhw4i16o4i,
        gOIhw4i8o2i = ::dnnl_gOIhw4i8o2i,
        gOIhw4o4i = ::dnnl_gOIhw4o4i,
        gOIhw4o8i2o = ::dnnl_gOIhw4o8i2o,
        Goihw8g = ::dnnl_Goihw8g,
        gOIhw8i16o2i = ::dnnl_gOIhw8i16o2i,
        gOIhw8i8o = ::dnnl_gOIhw8i8o,
        gOihw8o = ::dnnl_gOihw8o,
        gOIhw8o4i = ::dnnl_gOIhw8o4i,
        gOIhw8o8i = ::dnnl_gOIhw8o8i,
        hwioG16g = ::dnnl_hwioG16g,
        hwioG8g = ::dnnl_hwioG8g,
        IOdhw16o16i = ::dnnl_IOdhw16o16i,
        nCdhw16c = ::dnnl_nCdhw16c,
        NCdhw16n16c = ::dnnl_NCdhw16n16c,
        nCdhw32c = ::dnnl_nCdhw32c,
        NCdhw32n16c = ::dnnl_NCdhw32n16c,
        NCdhw32n32c = ::dnnl_NCdhw32n32c,
        nCdhw4c = ::dnnl_nCdhw4c,
        nCdhw8c = ::dnnl_nCdhw8c,
        OdhwI16i16o = ::dnnl_OdhwI16i16o,
        OdhwI16i16o2i = ::dnnl_OdhwI16i16o2i,
        OdhwI16i16o4i = ::dnnl_OdhwI16i16o4i,
        Odhwi16o = ::dnnl_Odhwi16o,
        OdhwI16o4i = ::dnnl_OdhwI16o4i,
        Odhwi4o = ::dnnl_Odhwi4o,
        OdhwI8i8o = ::dnnl_OdhwI8i8o,
        Odhwi8o = ::dnnl_Odhwi8o,
        OIdhw16i16o = ::dnnl_OIdhw16i16o,
        OIdhw16i16o2i = ::dnnl_OIdhw16i16o2i,
        OIdhw16i16o4i = ::dnnl_OIdhw16i16o4i,
        Oidhw16o = ::dnnl_Oidhw16o,
        OIdhw16o16i = ::dnnl_OIdhw16o16i,
        OIdhw4i16o4i = ::dnnl_OIdhw4i16o4i,
        OIdhw8i16o2i = ::dnnl_OIdhw8i16o2i,
        OIdhw8i8o = ::dnnl_OIdhw8i8o,
        Oidhw8o = ::dnnl_Oidhw8o,
        OIdhw8o4i = ::dnnl_OIdhw8o4i,
        OIdhw8o8i = ::dnnl_OIdhw8o8i,
        gIOdhw16o16i = ::dnnl_gIOdhw16o16i,
        gOdhwi16o = ::dnnl_gOdhwi16o,
        gOdhwI16o4i = ::dnnl_gOdhwI16o4i,
        gOdhwi8o = ::dnnl_gOdhwi8o,
        Goidhw16g = ::dnnl_Goidhw16g,
        gOIdhw16i16o = ::dnnl_gOIdhw16i16o,
        gOIdhw16i16o2i = ::dnnl_gOIdhw16i16o2i,
        gOIdhw16i16o4i = ::dnnl_gOIdhw16i16o4i,
        gOidhw16o = ::dnnl_gOidhw16o,
        gOIdhw16o16i = ::dnnl_gOIdhw16o16i,
        gOIdhw2i4o2i = ::dnnl_gOIdhw2i4o2i,
        gOIdhw2i8o4i = ::dnnl_gOIdhw2i8o4i,
        gOIdhw2o4i2o = ::dnnl_gOIdhw2o4i2o,
        gOIdhw4i16o4i = ::dnnl_gOIdhw4i16o4i,
        gOIdhw4i8o2i = ::dnnl_gOIdhw4i8o2i,
        gOIdhw4o4i = ::dnnl_gOIdhw4o4i,
        gOIdhw4o8i2o = ::dnnl_gOIdhw4o8i2o,
        Goidhw8g = ::dnnl_Goidhw8g,
        gOIdhw8i16o2i = ::dnnl_gOIdhw8i16o2i,
        gOIdhw8i8o = ::dnnl_gOIdhw8i8o,
        gOidhw8o = ::dnnl_gOidhw8o,
        gOIdhw8o4i = ::dnnl_gOIdhw8o4i,
        gOIdhw8o8i = ::dnnl_gOIdhw8o8i,
    };

    /* Throws dnnl_invalid_arguments if there are more dimensions than a tensor
     * can have, or fewer than min_size. */
    template <typename T>
    static void validate_dims(const std::vector<T> &v, int min_size = 0)
    {
        if (v.size() > DNNL_MAX_NDIMS
                || (min_size > 0 && v.size() < static_cast<size_t>(min_size)))
            throw error(dnnl_invalid_arguments,
                    "there are too many dimensions, or too few");
    }

    /* Bytes of an element. */
    static size_t data_type_size(data_type adata_type)
    {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    static dnnl_data_type_t convert_to_c(data_type adata_type)
    {
        return static_cast<dnnl_data_type_t>(adata_type);
    }

    static dnnl_format_tag_t convert_to_c(format_tag atag)
    {
        return static_cast<dnnl_format_tag_t>(atag);
    }

    /*
     * Shape, data type and layout of a tensor. Immutable, so copies may share.
     * Getters of an empty handle throw; a default-constructed descriptor is no
     * empty handle, but describes a tensor of no dimensions.
     */
    struct desc : public handle<dnnl_memory_desc_t> {
        desc()
        {
            dnnl_memory_desc_t made = nullptr;
            error::wrap_c_api(
                    dnnl_memory_desc_create_with_tag(&made, 0, nullptr,
                            dnnl_data_type_undef, dnnl_format_tag_undef),
                    "could not create a memory descriptor");
            reset(made);
        }

        /* Takes over a C descriptor, as every handle does; implicit, as in
         * oneDNN. */
        desc(dnnl_memory_desc_t md, bool weak = false) : handle(md, weak) {}

        /* A layout that the tag names. With allow_empty a failure gives an
         * empty handle instead of an error; not if there are too many
         * dimensions. */
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

        /* Strides in elements, one a dimension, or none: dense. allow_empty as
         * above. */
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

        /* From the bytes of get_blob(). Throws also dnnl_invalid_arguments: not
         * so many bytes; dnnl_cache_blob_corrupt, dnnl_cache_blob_unsupported.
         */
        explicit desc(const std::vector<uint8_t> &blob)
        {
            /* The C call takes no size. */
            if (blob.size() != DNNL_CACHE_MEMORY_DESC_BLOB_SIZE)
                throw error(dnnl_invalid_arguments,
                        "a memory descriptor's blob has another size");
            dnnl_memory_desc_t made = nullptr;
            error::wrap_c_api(
                    dnnl_memory_desc_create_with_blob(&made, blob.data()),
                    "could not create a memory descriptor from a blob");
            reset(made);
        }

        /* A part of this tensor: adims elements of each dimension from number
         * offsets on. allow_empty as above. */
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

        /* The same elements as other dimensions. allow_empty as above. */
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

        /* The same tensor; dimension d becomes permutation[d]. allow_empty as
         * above. */
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

        int get_ndims() const { return ask<int>(query::ndims_s32, 0); }
        /* Of what a handle refers to; there is one, of index 0. */
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
        /* Empty for layouts that have none (any, undef), and so below. */
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

        /* Bytes from the first to past the last element; 0 if there is none,
         * or the layout is any. */
        size_t get_size(int index = 0) const
        {
            return dnnl_memory_desc_get_size_v2(get(), index);
        }

        /* Has it no dimensions? */
        bool is_zero() const { return get_ndims() == 0; }

        /* Do they describe the same tensor? An empty handle equals another
         * one only. */
        bool operator==(const desc &other) const
        {
            return dnnl_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

      private:
        template <typename T> T ask(query what, T otherwise) const
        {
            T answer = otherwise;
            dnnl_status_t st = dnnl_memory_desc_query(
                    get(), dnnl::convert_to_c(what), &answer);
            return st == dnnl_success ? answer : otherwise;
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

    /* A tensor with a buffer of the library's (DNNL_MEMORY_ALLOCATE), with
     * none (DNNL_MEMORY_NONE) or with the application's: a cl_mem, which is
     * retained, or a host pointer, which must outlive this. */
    memory(const desc &md, const engine &aengine,
            void *ahandle = DNNL_MEMORY_ALLOCATE)
    {
        dnnl_memory_t made = nullptr;
        error::wrap_c_api(
                dnnl_memory_create(&made, md.get(), aengine.get(), ahandle),
                "could not create a memory object");
        reset(made);
    }

    /* The same; as many handles as the layout has buffers: one. */
    memory(const desc &md, const engine &aengine, std::vector<void *> handles)
    {
        dnnl_memory_t made = nullptr;
        error::wrap_c_api(
                dnnl_memory_create_v2(&made, md.get(), aengine.get(),
                        static_cast<int>(handles.size()), handles.data()),
                "could not create a memory object");
        reset(made);
    }

    /* A copy of the descriptor. */
    desc get_desc() const
    {
        const_dnnl_memory_desc_t borrowed = nullptr;
        error::wrap_c_api(dnnl_memory_get_memory_desc(get(), &borrowed),
                "could not get the descriptor of a memory object");
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                "could not copy a memory descriptor");
        return desc(copy);
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        dnnl_engine_t borrowed = nullptr;
        error::wrap_c_api(dnnl_memory_get_engine(get(), &borrowed),
                "could not get the engine of a memory object");
        return engine(borrowed, true);
    }

    /* The cl_mem or the host pointer: borrowed; null if there is none. There is
     * one buffer: index is 0, here and below. */
    void *get_data_handle(int index = 0) const
    {
        void *borrowed = nullptr;
        error::wrap_c_api(
                dnnl_memory_get_data_handle_v2(get(), &borrowed, index),
                "could not get the buffer of a memory object");
        return borrowed;
    }

    /* Replaces the buffer by the application's: a cl_mem, which is retained, or
     * a host pointer, which must outlive this; null: none. */
    void set_data_handle(void *ahandle, int index = 0) const
    {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), ahandle, index),
                "could not set the buffer of a memory object");
    }

    /* The buffer for reading and writing on the host, until unmap_data(); null
     * if there is none. Wait for streams first. */
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

inline dnnl_data_type_t convert_to_c(memory::data_type adata_type)
{
    return memory::convert_to_c(adata_type);
}

inline dnnl_format_tag_t convert_to_c(memory::format_tag atag)
{
    return memory::convert_to_c(atag);
}

#if DNNL_CACHE_PRIMITIVES

template <> struct handle_traits<dnnl_primitive_attr_t> {
    static dnnl_status_t destructor(dnnl_primitive_attr_t p)
    {
        return dnnl_primitive_attr_destroy(p);
    }
};

template <> struct handle_traits<dnnl_post_ops_t> {
    static dnnl_status_t destructor(dnnl_post_ops_t p)
    {
        return dnnl_post_ops_destroy(p);
    }
};

template <> struct handle_traits<dnnl_primitive_desc_t> {
    static dnnl_status_t destructor(dnnl_primitive_desc_t p)
    {
        return dnnl_primitive_desc_destroy(p);
    }
};

template <> struct handle_traits<dnnl_primitive_t> {
    static dnnl_status_t destructor(dnnl_primitive_t p)
    {
        return dnnl_primitive_destroy(p);
    }
};

/* ==== Attributes ========================================================== */

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

inline dnnl_prop_kind_t convert_to_c(prop_kind akind)
{
    return static_cast<dnnl_prop_kind_t>(akind);
}

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

inline dnnl_alg_kind_t convert_to_c(algorithm aalgorithm)
{
    return static_cast<dnnl_alg_kind_t>(aalgorithm);
}

/* What a normalization takes and does besides. */
enum class normalization_flags : unsigned {
    none = ::dnnl_normalization_flags_none,
    use_global_stats = ::dnnl_use_global_stats,
    use_scale = ::dnnl_use_scale,
    use_shift = ::dnnl_use_shift,
    fuse_norm_relu = ::dnnl_fuse_norm_relu,
    fuse_norm_add_relu = ::dnnl_fuse_norm_add_relu,
};

inline dnnl_normalization_flags_t convert_to_c(normalization_flags flags)
{
    return static_cast<dnnl_normalization_flags_t>(flags);
}

DNNL_CACHE_FLAG_OPERATORS(normalization_flags)
/* How inexact computing with floating-point numbers may be. */
enum class fpmath_mode {
    strict = ::dnnl_fpmath_mode_strict,
    bf16 = ::dnnl_fpmath_mode_bf16,
    f16 = ::dnnl_fpmath_mode_f16,
    any = ::dnnl_fpmath_mode_any,
    tf32 = ::dnnl_fpmath_mode_tf32,
};

inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode)
{
    return static_cast<dnnl_fpmath_mode_t>(mode);
}

inline fpmath_mode get_default_fpmath_mode()
{
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    error::wrap_c_api(dnnl_get_default_fpmath_mode(&mode),
            "could not get the default math mode");
    return static_cast<fpmath_mode>(mode);
}

inline status set_default_fpmath_mode(fpmath_mode mode)
{
    return static_cast<status>(
            dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/* What sums may be kept in. */
enum class accumulation_mode {
    strict = ::dnnl_accumulation_mode_strict,
    relaxed = ::dnnl_accumulation_mode_relaxed,
    any = ::dnnl_accumulation_mode_any,
    s32 = ::dnnl_accumulation_mode_s32,
    f32 = ::dnnl_accumulation_mode_f32,
    f16 = ::dnnl_accumulation_mode_f16,
};

inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode)
{
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

/* Who allocates the memory an execution needs besides its tensors. */
enum class scratchpad_mode {
    library = ::dnnl_scratchpad_mode_library,
    user = ::dnnl_scratchpad_mode_user,
};

inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode mode)
{
    return static_cast<dnnl_scratchpad_mode_t>(mode);
}

/* ==== Primitives ========================================================== */

struct primitive_desc;

/* A computation that is ready to run. Shared by its copies; it needs neither
 * its descriptor nor a blob any more. */
struct primitive : public handle<dnnl_primitive_t> {
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

    /* What bytes of get_binaries() are of. */
    enum class binary_kind {
        kernel = 0 /* kernels as the driver compiled them */
    };

    using handle::handle;
    primitive() = default;

    /* From memory, an attached store or the compiler. */
    explicit primitive(const_dnnl_primitive_desc_t pd)
    {
        dnnl_primitive_t made = nullptr;
        error::wrap_c_api(dnnl_primitive_create(&made, pd),
                "could not create a primitive");
        reset(made);
    }
    inline primitive(const primitive_desc &pd);

    /* From a blob of a primitive of this very descriptor; compiles nothing. An
     * empty one throws dnnl_invalid_arguments: check what a store gives. */
    primitive(const_dnnl_primitive_desc_t pd,
            const std::vector<uint8_t> &cache_blob)
    {
        dnnl_primitive_t made = nullptr;
        error::wrap_c_api(dnnl_primitive_create_from_cache_blob(&made, pd,
                                  cache_blob.size(), cache_blob.data()),
                "could not create a primitive from a cache blob");
        reset(made);
    }
    inline primitive(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /* The same from get_binaries(). Throws dnnl_unimplemented for a kind
     * that is not of binary_kind, dnnl_invalid_arguments for a list that is
     * not get_binaries()'s. */
    inline primitive(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind);

    /* The descriptor: the primitive's own. */
    const_dnnl_primitive_desc_t get_primitive_desc() const
    {
        const_dnnl_primitive_desc_t pd = nullptr;
        error::wrap_c_api(dnnl_primitive_get_primitive_desc(get(), &pd),
                "could not get the descriptor of a primitive");
        return pd;
    }

    kind get_kind() const
    {
        dnnl_primitive_kind_t akind = dnnl_undefined_primitive;
        error::wrap_c_api(dnnl_primitive_desc_query(get_primitive_desc(),
                                  dnnl_query_primitive_kind, 0, &akind),
                "could not get the kind of a primitive");
        return static_cast<kind>(akind);
    }

    /* What an equal descriptor makes this from again, to be kept under its
     * get_cache_blob_id(); empty if there is nothing to cache. */
    std::vector<uint8_t> get_cache_blob() const
    {
        dnnl_primitive_t p = get();
        return detail::bytes_of(
                [p](size_t *size, uint8_t *bytes) {
                    return dnnl_primitive_get_cache_blob(p, size, bytes);
                },
                "could not get the cache blob of a primitive");
    }

    /* The same as a list of binaries, which is empty if there is nothing to
     * cache and for primitives that have no blobs (of a CPU engine). This
     * release puts all kernels of a primitive into one. Throws
     * dnnl_unimplemented for a kind that is not of binary_kind. */
    std::vector<std::vector<uint8_t>> get_binaries(binary_kind akind) const
    {
        check_binary_kind(akind);
        std::vector<std::vector<uint8_t>> binaries;
        try {
            std::vector<uint8_t> blob = get_cache_blob();
            if (!blob.empty()) binaries.push_back(std::move(blob));
        } catch (const error &e) {
            if (e.status != dnnl_unimplemented) throw;
        }
        return binaries;
    }

    /* Submits the computation. args: by DNNL_ARG_*, all that the descriptor
     * has; empty ones are as if they were absent. They must stay alive until
     * the work is done. */
    void execute(const stream &astream,
            const std::unordered_map<int, memory> &args) const
    {
        std::vector<dnnl_exec_arg_t> c_args = to_c(args);
        error::wrap_c_api(
                dnnl_primitive_execute(get(), astream.get(),
                        static_cast<int>(c_args.size()), c_args.data()),
                "could not execute a primitive");
    }

    /* Arguments as the C interface has them; borrowed. */
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
            throw error(
                    dnnl_unimplemented, "there are binaries of kernels only");
    }

    /* The one blob of a list. */
    static const std::vector<uint8_t> &
    one_of(const std::vector<std::vector<uint8_t>> &binaries, binary_kind akind)
    {
        check_binary_kind(akind);
        if (binaries.size() != 1)
            throw error(dnnl_invalid_arguments,
                    "a primitive has one binary, not several or none");
        return binaries.front();
    }
};

/* ==== Attributes ========================================================== */

enum class rnn_flags : unsigned {
    undef = ::dnnl_rnn_flags_undef,
    diff_weights_overwrite = ::dnnl_rnn_flags_diff_weights_overwrite,
};

enum class rnn_direction {
    undef = ::dnnl_rnn_direction_undef,
    unidirectional_left2right = ::dnnl_unidirectional_left2right,
    unidirectional_right2left = ::dnnl_unidirectional_right2left,
    bidirectional_concat = ::dnnl_bidirectional_concat,
    bidirectional_sum = ::dnnl_bidirectional_sum,
};

inline dnnl_rnn_flags_t convert_to_c(rnn_flags flags)
{
    return static_cast<dnnl_rnn_flags_t>(flags);
}

DNNL_CACHE_FLAG_OPERATORS(rnn_flags)
#undef DNNL_CACHE_FLAG_OPERATORS

inline dnnl_rnn_direction_t convert_to_c(rnn_direction direction)
{
    return static_cast<dnnl_rnn_direction_t>(direction);
}

/* What is done to a result before it is written, step by step. Copies share:
 * what is appended to one is appended to all. */
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle::handle;

    post_ops(dnnl_post_ops_t ops, bool weak = false) : handle(ops, weak) {}

    /* None. */
    post_ops()
    {
        dnnl_post_ops_t made = nullptr;
        error::wrap_c_api(dnnl_post_ops_create(&made),
                "could not create a chain of post-ops");
        reset(made);
    }

    int len() const { return dnnl_post_ops_len(get()); }

    /* What a step is. Throws dnnl_invalid_arguments if there is no such step.
     */
    primitive::kind kind(int index) const
    {
        error::wrap_c_api(index >= 0 && index < len() ? dnnl_success
                                                      : dnnl_invalid_arguments,
                "there is no such post-op");
        return static_cast<primitive::kind>(
                dnnl_post_ops_get_kind(get(), index));
    }

    /* Appends a sum with what dst has: scale * (it - zero_point). */
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
            memory::data_type data_type = memory::data_type::undef)
    {
        error::wrap_c_api(dnnl_post_ops_append_sum(get(), scale, zero_point,
                                  memory::convert_to_c(data_type)),
                "could not append a sum");
    }

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
        dnnl_data_type_t type = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(
                                  get(), index, &scale, &zero_point, &type),
                "could not get the parameters of a sum");
        data_type = static_cast<memory::data_type>(type);
    }

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

    void get_params_prelu(int index, int &mask) const
    {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
                "could not get the parameters of a PReLU post-op");
    }

    /* Always throws: no primitive here does it. */
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

    /* A chain of its own with the same steps. */
    post_ops clone() const
    {
        dnnl_post_ops_t copy = nullptr;
        error::wrap_c_api(dnnl_post_ops_clone(&copy, get()),
                "could not copy a chain of post-ops");
        return post_ops(copy);
    }

    /* Appends an element-wise operation, see eltwise_forward. */
    void append_eltwise(algorithm aalgorithm, float alpha, float beta)
    {
        error::wrap_c_api(dnnl_post_ops_append_eltwise(
                                  get(), convert_to_c(aalgorithm), alpha, beta),
                "could not append an element-wise post-op");
    }
};

/* How a primitive differs from its kind. Copies share. */
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle::handle;

    primitive_attr(dnnl_primitive_attr_t attr, bool weak = false)
        : handle(attr, weak)
    {
    }

    /* Not at all. */
    primitive_attr()
    {
        dnnl_primitive_attr_t made = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_create(&made),
                "could not create attributes");
        reset(made);
    }

    /* Copies the chain: what is appended later does not count. */
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

    /* Attributes of their own with the same values. */
    primitive_attr clone() const
    {
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, get()),
                "could not copy attributes");
        return primitive_attr(copy);
    }

    /* In which dimensions the numbers differ that execution gets for an
     * argument, see dnnl_primitive_attr_set_scales_mask(). */
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

    /* Quantization of recurrent primitives, which are not here: throws
     * dnnl_unimplemented. */
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

    /* Modes; they change nothing, see dnnl_cache.h. */
    fpmath_mode get_fpmath_mode() const
    {
        dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode(get(), &mode),
                "could not get the math mode");
        return static_cast<fpmath_mode>(mode);
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const
    {
        dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
        int applies = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode_v2(
                                  get(), &c_mode, &applies),
                "could not get the math mode");
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
        dnnl_accumulation_mode_t mode = dnnl_accumulation_mode_strict;
        error::wrap_c_api(
                dnnl_primitive_attr_get_accumulation_mode(get(), &mode),
                "could not get the accumulation mode");
        return static_cast<accumulation_mode>(mode);
    }
    void set_accumulation_mode(accumulation_mode mode)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_accumulation_mode(
                                  get(), convert_to_c(mode)),
                "could not set the accumulation mode");
    }
    bool get_deterministic() const
    {
        int value = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_deterministic(get(), &value),
                "could not get the deterministic mode");
        return value != 0;
    }
    void set_deterministic(bool value)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_deterministic(get(), value),
                "could not set the deterministic mode");
    }
    scratchpad_mode get_scratchpad_mode() const
    {
        dnnl_scratchpad_mode_t mode = dnnl_scratchpad_mode_library;
        error::wrap_c_api(dnnl_primitive_attr_get_scratchpad_mode(get(), &mode),
                "could not get the scratchpad mode");
        return static_cast<scratchpad_mode>(mode);
    }
    void set_scratchpad_mode(scratchpad_mode mode)
    {
        error::wrap_c_api(dnnl_primitive_attr_set_scratchpad_mode(
                                  get(), convert_to_c(mode)),
                "could not set the scratchpad mode");
    }
};

inline dnnl_primitive_kind_t convert_to_c(primitive::kind akind)
{
    return static_cast<dnnl_primitive_kind_t>(akind);
}

/* ==== Primitive descriptors =============================================== */

/*
 * What to compute, on which engine, in which layouts. Immutable, so copies may
 * share. A getter of what a kind of primitive does not have gives 0, undef, an
 * empty list or descriptor.
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

    /* Which implementation it is; lives as long as the descriptor. */
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
            throw error(dnnl_invalid_arguments, "not a query of an s64");
        return ask<memory::dim>(what, 0);
    }

    /* A copy of a memory descriptor, one without dimensions if there is none.
     * Throws dnnl_invalid_arguments for other queries. */
    memory::desc query_md(query what, int index = 0) const
    {
        const bool is_md = (what > query::some_md && what < query::ndims_s32);
        if (!is_md)
            throw error(dnnl_invalid_arguments,
                    "not a query of a memory descriptor");
        const_dnnl_memory_desc_t borrowed =
                dnnl_primitive_desc_query_md(get(), convert_to_c(what), index);
        if (borrowed == nullptr) return memory::desc();
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                "could not copy a memory descriptor");
        return memory::desc(copy);
    }

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

    /* A copy of what it was created with. */
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
    /* Of recurrent primitives, which are not here: undefined. */
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
    /* Of resampling, one for each spatial dimension. */
    std::vector<float> get_factors() const
    {
        const float *factors = ask<const float *>(query::factors, nullptr);
        if (factors == nullptr) return std::vector<float>();
        return std::vector<float>(
                factors, factors + (src_desc().get_ndims() - 2));
    }
    inline normalization_flags get_flags() const
    {
        return static_cast<normalization_flags>(ask(query::flags, 0u));
    }
    memory::dims get_strides() const { return ask_dims(query::strides); }
    memory::dims get_dilations() const { return ask_dims(query::dilations); }
    memory::dims get_kernel() const { return ask_dims(query::kernel); }
    memory::dims get_padding_l() const { return ask_dims(query::padding_l); }
    memory::dims get_padding_r() const { return ask_dims(query::padding_r); }

    /* The name under which a primitive's blob is kept; known before anything
     * is compiled. Empty if there is nothing to cache. */
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
    /* A C descriptor, if it is of that kind; else throws. */
    static dnnl_primitive_desc_t of_kind(
            dnnl_primitive_desc_t pd, dnnl_primitive_kind_t kind)
    {
        dnnl_primitive_kind_t is = dnnl_undefined_primitive;
        if (pd == nullptr) return pd;
        error::wrap_c_api(dnnl_primitive_desc_query(
                                  pd, dnnl_query_primitive_kind, 0, &is),
                "could not query a primitive descriptor");
        if (is != kind)
            throw error(dnnl_invalid_arguments,
                    "the primitive descriptor is of another kind");
        return pd;
    }

    /* Another handle of a C descriptor, which stays the caller's. */
    void reset_with_clone(const_dnnl_primitive_desc_t pd)
    {
        dnnl_primitive_desc_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_clone(&copy, pd),
                "could not copy a primitive descriptor");
        reset(copy);
    }

    /* What a creation call made: its status, and what it wrote. */
    void take(dnnl_status_t st, dnnl_primitive_desc_t made, bool allow_empty,
            const char *message)
    {
        if (!allow_empty) error::wrap_c_api(st, message);
        reset(made);
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

    /* False: there is no other implementation; the descriptor stays. */
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
    : primitive(pd.get(), one_of(binaries, akind))
{
}

namespace detail
{

/* The C descriptors of a list, for a call. */
inline std::vector<const_dnnl_memory_desc_t> handles_of(
        const std::vector<memory::desc> &descs)
{
    std::vector<const_dnnl_memory_desc_t> handles;
    handles.reserve(descs.size());
    for (const memory::desc &md : descs)
        handles.push_back(md.get());
    return handles;
}

/* Their number, no larger than an int. */
inline int count_of(const std::vector<memory::desc> &descs)
{
    const size_t most = static_cast<size_t>(std::numeric_limits<int>::max());
    return static_cast<int>(std::min(descs.size(), most));
}

/* A descriptor of one kind of primitive; what it can be asked is base's. */
template <dnnl_primitive_kind_t kind, typename base = primitive_desc>
struct desc_of : public base {
    desc_of() = default;
    explicit desc_of(dnnl_primitive_desc_t pd) : base(base::of_kind(pd, kind))
    {
    }
};

/* A primitive of one kind. */
template <typename desc> struct primitive_of : public primitive {
    using primitive_desc = desc;

    primitive_of() = default;
    primitive_of(const primitive_desc &pd) : primitive(pd) {}
    primitive_of(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob)
    {
    }
    primitive_of(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind)
        : primitive(pd, binaries, akind)
    {
    }
};

} // namespace detail

/*
 * Each kind of primitive has a primitive_desc of its own, which is its other
 * name, from which it is made as primitive says. The descriptors' constructors
 * mirror the C calls, in dnnl_cache.h; with allow_empty a C call that fails
 * gives an empty descriptor instead of an error. Each also takes over a C
 * descriptor of its kind (dnnl_invalid_arguments if it is of another, which
 * stays the caller's).
 */

/* dst = f(src), element by element: dnnl_eltwise_forward_primitive_desc_create.
 */
struct eltwise_forward_desc : public detail::desc_of<dnnl_eltwise> {
    using desc_of::desc_of;
    eltwise_forward_desc() = default;

    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst, float alpha, float beta,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_eltwise_forward_primitive_desc_create(&made, aengine.get(),
                        convert_to_c(aprop_kind), convert_to_c(aalgorithm),
                        src.get(), dst.get(), alpha, beta, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of an element-wise "
                "primitive");
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst, float alpha,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, alpha,
                0.0f, attr, allow_empty)
    {
    }
    eltwise_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : eltwise_forward_desc(aengine, aprop_kind, aalgorithm, src, dst, 0.0f,
                0.0f, attr, allow_empty)
    {
    }
};

struct eltwise_forward : public detail::primitive_of<eltwise_forward_desc> {
    using primitive_of::primitive_of;
};

/* The elements along an axis, shuffled in groups:
 * dnnl_shuffle_forward_primitive_desc_create. */
struct shuffle_forward_desc : public detail::desc_of<dnnl_shuffle> {
    using desc_of::desc_of;
    shuffle_forward_desc() = default;

    shuffle_forward_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &src, const memory::desc &dst, int axis,
            int group_size, const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_shuffle_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind), src.get(), dst.get(),
                axis, group_size, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a shuffle primitive");
    }
};

struct shuffle_forward : public detail::primitive_of<shuffle_forward_desc> {
    using primitive_of::primitive_of;
};

/* src reduced over some dimensions: dnnl_reduction_primitive_desc_create. */
struct reduction_desc : public detail::desc_of<dnnl_reduction> {
    using desc_of::desc_of;
    reduction_desc() = default;

    reduction_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src, const memory::desc &dst, float p,
            float epsilon, const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_reduction_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aalgorithm), src.get(), dst.get(),
                p, epsilon, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a reduction");
    }
};

struct reduction : public detail::primitive_of<reduction_desc> {
    using primitive_of::primitive_of;
};

/* dst = src at another resolution:
 * dnnl_resampling_forward_primitive_desc_create. dnnl_invalid_arguments also if
 * there are not as many factors as spatial dimensions, with allow_empty too. */
struct resampling_forward_desc : public detail::desc_of<dnnl_resampling> {
    using desc_of::desc_of;
    resampling_forward_desc() = default;

    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : resampling_forward_desc(aengine, aprop_kind, aalgorithm, nullptr, src,
                dst.get(), attr, allow_empty)
    {
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors,
            const memory::desc &src,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : resampling_forward_desc(aengine, aprop_kind, aalgorithm,
                checked(factors, src), src, nullptr, attr, allow_empty)
    {
    }
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const std::vector<float> &factors,
            const memory::desc &src, const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : resampling_forward_desc(aengine, aprop_kind, aalgorithm,
                checked(factors, src), src, dst.get(), attr, allow_empty)
    {
    }

  private:
    resampling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const float *factors, const memory::desc &src,
            const_dnnl_memory_desc_t dst, const primitive_attr &attr,
            bool allow_empty)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_resampling_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind),
                convert_to_c(aalgorithm), factors, src.get(), dst, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a resampling primitive");
    }
    static const float *checked(
            const std::vector<float> &factors, const memory::desc &src)
    {
        int spatial = src.get_ndims() - 2;
        if (spatial < 1 || factors.size() != static_cast<size_t>(spatial))
            throw error(dnnl_invalid_arguments,
                    "not as many factors as spatial dimensions");
        return factors.data();
    }
};

struct resampling_forward
    : public detail::primitive_of<resampling_forward_desc> {
    using primitive_of::primitive_of;
};

/* Softmax or its logarithm along an axis:
 * dnnl_softmax_forward_primitive_desc_create. */
struct softmax_forward_desc : public detail::desc_of<dnnl_softmax> {
    using desc_of::desc_of;
    softmax_forward_desc() = default;

    softmax_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst, int axis,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_softmax_forward_primitive_desc_create(&made, aengine.get(),
                        convert_to_c(aprop_kind), convert_to_c(aalgorithm),
                        src.get(), dst.get(), axis, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a softmax primitive");
    }
};

struct softmax_forward : public detail::primitive_of<softmax_forward_desc> {
    using primitive_of::primitive_of;
};

/* dst = f(src0, src1), element by element: dnnl_binary_primitive_desc_create,
 * with src2 dnnl_binary_primitive_desc_create_v2. */
struct binary_desc : public detail::desc_of<dnnl_binary> {
    using desc_of::desc_of;
    binary_desc() = default;

    binary_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src0, const memory::desc &src1,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_binary_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aalgorithm), src0.get(), src1.get(),
                dst.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a binary primitive");
    }
    binary_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &src0, const memory::desc &src1,
            const memory::desc &src2, const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_binary_primitive_desc_create_v2(&made,
                aengine.get(), convert_to_c(aalgorithm), src0.get(), src1.get(),
                src2.get(), dst.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a binary primitive");
    }

    memory::desc src0_desc() const { return src_desc(0); }
    memory::desc src1_desc() const { return src_desc(1); }
    memory::desc src2_desc() const { return src_desc(2); }
};

struct binary : public detail::primitive_of<binary_desc> {
    using primitive_of::primitive_of;
};

/* dst = src where positive, else src x weights:
 * dnnl_prelu_forward_primitive_desc_create. */
struct prelu_forward_desc : public detail::desc_of<dnnl_prelu> {
    using desc_of::desc_of;
    prelu_forward_desc() = default;

    prelu_forward_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &src, const memory::desc &weights,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_prelu_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind), src.get(),
                weights.get(), dst.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a PReLU primitive");
    }
};

struct prelu_forward : public detail::primitive_of<prelu_forward_desc> {
    using primitive_of::primitive_of;
};

/* The srcs side by side along a dimension; without dst, one like srcs[0]:
 * dnnl_concat_primitive_desc_create. */
struct concat_desc : public detail::desc_of<dnnl_concat> {
    using desc_of::desc_of;
    concat_desc() = default;

    concat_desc(const engine &aengine, const memory::desc &dst,
            int concat_dimension, const std::vector<memory::desc> &srcs,
            const primitive_attr &attr = primitive_attr())
        : concat_desc(aengine, dst.get(), concat_dimension, srcs, attr)
    {
    }
    concat_desc(const engine &aengine, int concat_dimension,
            const std::vector<memory::desc> &srcs,
            const primitive_attr &attr = primitive_attr())
        : concat_desc(aengine, nullptr, concat_dimension, srcs, attr)
    {
    }

  private:
    concat_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            int concat_dimension, const std::vector<memory::desc> &srcs,
            const primitive_attr &attr)
    {
        const auto c_srcs = detail::handles_of(srcs);
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_concat_primitive_desc_create(&made,
                aengine.get(), dst, detail::count_of(srcs), concat_dimension,
                c_srcs.data(), attr.get());
        take(st, made, false,
                "could not create a descriptor of a concat primitive");
    }
};

struct concat : public detail::primitive_of<concat_desc> {
    using primitive_of::primitive_of;
};

/* dst = sum of scales[i] * srcs[i]; without dst, one like srcs[0]:
 * dnnl_sum_primitive_desc_create. */
struct sum_desc : public detail::desc_of<dnnl_sum> {
    using desc_of::desc_of;
    sum_desc() = default;

    sum_desc(const engine &aengine, const memory::desc &dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            const primitive_attr &attr = primitive_attr())
        : sum_desc(aengine, dst.get(), scales, srcs, attr)
    {
    }
    sum_desc(const engine &aengine, const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs,
            const primitive_attr &attr = primitive_attr())
        : sum_desc(aengine, nullptr, scales, srcs, attr)
    {
    }

  private:
    sum_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs, const primitive_attr &attr)
    {
        if (scales.size() != srcs.size())
            throw error(dnnl_invalid_arguments,
                    "not as many scales as sources of a sum");
        const auto c_srcs = detail::handles_of(srcs);
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_sum_primitive_desc_create(&made, aengine.get(),
                dst, detail::count_of(srcs), scales.data(), c_srcs.data(),
                attr.get());
        take(st, made, false,
                "could not create a descriptor of a sum primitive");
    }
};

struct sum : public detail::primitive_of<sum_desc> {
    using primitive_of::primitive_of;
};

/* Local response normalization: dnnl_lrn_forward_primitive_desc_create. */
struct lrn_forward_desc : public detail::desc_of<dnnl_lrn> {
    using desc_of::desc_of;
    lrn_forward_desc() = default;

    lrn_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst, memory::dim local_size, float alpha,
            float beta, float k, const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_lrn_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind),
                convert_to_c(aalgorithm), src.get(), dst.get(), local_size,
                alpha, beta, k, attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a local response "
                "normalization");
    }
};

struct lrn_forward : public detail::primitive_of<lrn_forward_desc> {
    using primitive_of::primitive_of;
};

/* What descriptors of normalizations answer. */
struct normalization_desc : public primitive_desc {
    using primitive_desc::primitive_desc;
    normalization_desc() = default;

    /* Without dimensions if they are neither inputs nor outputs. */
    memory::desc mean_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_MEAN);
    }
    memory::desc variance_desc() const
    {
        return query_md(query::exec_arg_md, DNNL_ARG_VARIANCE);
    }
    /* Of scale and shift; without dimensions if there is neither. */
    memory::desc weights_desc() const
    {
        const memory::desc scale = query_md(query::exec_arg_md, DNNL_ARG_SCALE);
        return scale.get_ndims() > 0
                       ? scale
                       : query_md(query::exec_arg_md, DNNL_ARG_SHIFT);
    }
};

/* Each channel normalized:
 * dnnl_batch_normalization_forward_primitive_desc_create. */
struct batch_normalization_forward_desc
    : public detail::desc_of<dnnl_batch_normalization, normalization_desc> {
    using desc_of::desc_of;
    batch_normalization_forward_desc() = default;

    batch_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, float epsilon, normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_batch_normalization_forward_primitive_desc_create(&made,
                        aengine.get(), convert_to_c(aprop_kind), src.get(),
                        dst.get(), epsilon, static_cast<unsigned>(flags),
                        attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a batch normalization");
    }
};

struct batch_normalization_forward
    : public detail::primitive_of<batch_normalization_forward_desc> {
    using primitive_of::primitive_of;
};

/* Each line along the last dimension normalized:
 * dnnl_layer_normalization_forward_primitive_desc_create. */
struct layer_normalization_forward_desc
    : public detail::desc_of<dnnl_layer_normalization, normalization_desc> {
    using desc_of::desc_of;
    layer_normalization_forward_desc() = default;

    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, const memory::desc &stat, float epsilon,
            normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    /* Mean and variance laid out like src. */
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, float epsilon, normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, memory::data_type::f32, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, const memory::desc &stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                stat.get(), scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, memory::data_type scale_shift_data_type,
            float epsilon, normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : layer_normalization_forward_desc(aengine, aprop_kind, src, dst,
                nullptr, scale_shift_data_type, epsilon, flags, attr,
                allow_empty)
    {
    }

  private:
    layer_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, const_dnnl_memory_desc_t stat,
            memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, const primitive_attr &attr,
            bool allow_empty)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_layer_normalization_forward_primitive_desc_create_v2(&made,
                        aengine.get(), convert_to_c(aprop_kind), src.get(),
                        dst.get(), stat, convert_to_c(scale_shift_data_type),
                        epsilon, static_cast<unsigned>(flags), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a layer normalization");
    }
};

struct layer_normalization_forward
    : public detail::primitive_of<layer_normalization_forward_desc> {
    using primitive_of::primitive_of;
};

/* Each group of channels of each batch element normalized:
 * dnnl_group_normalization_forward_primitive_desc_create. */
struct group_normalization_forward_desc
    : public detail::desc_of<dnnl_group_normalization, normalization_desc> {
    using desc_of::desc_of;
    group_normalization_forward_desc() = default;

    group_normalization_forward_desc(const engine &aengine,
            prop_kind aprop_kind, const memory::desc &src,
            const memory::desc &dst, memory::dim groups, float epsilon,
            normalization_flags flags,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_group_normalization_forward_primitive_desc_create(&made,
                        aengine.get(), convert_to_c(aprop_kind), src.get(),
                        dst.get(), groups, epsilon,
                        static_cast<unsigned>(flags), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a group normalization");
    }
};

struct group_normalization_forward
    : public detail::primitive_of<group_normalization_forward_desc> {
    using primitive_of::primitive_of;
};

/* dst = src x weights + bias: dnnl_matmul_primitive_desc_create. */
struct matmul_desc : public detail::desc_of<dnnl_matmul> {
    using desc_of::desc_of;
    matmul_desc() = default;

    matmul_desc(const engine &aengine, const memory::desc &src,
            const memory::desc &weights, const memory::desc &bias,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : matmul_desc(aengine, src, weights, bias.get(), dst, attr, allow_empty)
    {
    }
    matmul_desc(const engine &aengine, const memory::desc &src,
            const memory::desc &weights, const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : matmul_desc(aengine, src, weights, nullptr, dst, attr, allow_empty)
    {
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }

  private:
    matmul_desc(const engine &aengine, const memory::desc &src,
            const memory::desc &weights, const_dnnl_memory_desc_t bias,
            const memory::desc &dst, const primitive_attr &attr,
            bool allow_empty)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st =
                dnnl_matmul_primitive_desc_create(&made, aengine.get(),
                        src.get(), weights.get(), bias, dst.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a matrix product");
    }
};

struct matmul : public detail::primitive_of<matmul_desc> {
    using primitive_of::primitive_of;
};

/* dst = src x weights + bias, each of src's images a row:
 * dnnl_inner_product_forward_primitive_desc_create. */
struct inner_product_forward_desc : public detail::desc_of<dnnl_inner_product> {
    using desc_of::desc_of;
    inner_product_forward_desc() = default;

    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &src, const memory::desc &weights,
            const memory::desc &bias, const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : inner_product_forward_desc(aengine, aprop_kind, src, weights,
                bias.get(), dst, attr, allow_empty)
    {
    }
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &src, const memory::desc &weights,
            const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : inner_product_forward_desc(aengine, aprop_kind, src, weights, nullptr,
                dst, attr, allow_empty)
    {
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }

  private:
    inner_product_forward_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &src, const memory::desc &weights,
            const_dnnl_memory_desc_t bias, const memory::desc &dst,
            const primitive_attr &attr, bool allow_empty)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_inner_product_forward_primitive_desc_create(
                &made, aengine.get(), convert_to_c(aprop_kind), src.get(),
                weights.get(), bias, dst.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of an inner product");
    }
};

struct inner_product_forward
    : public detail::primitive_of<inner_product_forward_desc> {
    using primitive_of::primitive_of;
};

/* dst = src convolved with weights, + bias:
 * dnnl_convolution_forward_primitive_desc_create. Strides, dilates and paddings
 * have one number for each spatial dimension, or the constructors throw
 * dnnl_invalid_arguments, with allow_empty too. */
struct convolution_forward_desc : public detail::desc_of<dnnl_convolution> {
    using desc_of::desc_of;
    convolution_forward_desc() = default;

    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias.get(), dst, strides, nullptr, padding_l,
                padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &dst,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, nullptr, dst, strides, nullptr, padding_l, padding_r,
                attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias.get(), dst, strides, &dilates, padding_l,
                padding_r, attr, allow_empty)
    {
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &dst,
            const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : convolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, nullptr, dst, strides, &dilates, padding_l, padding_r,
                attr, allow_empty)
    {
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }

  private:
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const_dnnl_memory_desc_t bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims *dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr,
            bool allow_empty)
    {
        const int spatial = src.get_ndims() - 2;
        memory::validate_dims(strides, spatial);
        if (dilates != nullptr) memory::validate_dims(*dilates, spatial);
        memory::validate_dims(padding_l, spatial);
        memory::validate_dims(padding_r, spatial);
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind),
                convert_to_c(aalgorithm), src.get(), weights.get(), bias,
                dst.get(), strides.data(),
                dilates != nullptr ? dilates->data() : nullptr,
                padding_l.data(), padding_r.data(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a convolution");
    }
};

struct convolution_forward
    : public detail::primitive_of<convolution_forward_desc> {
    using primitive_of::primitive_of;
};

/* dst = src spread by weights, + bias:
 * dnnl_deconvolution_forward_primitive_desc_create. Its numbers are those of
 * convolution_forward. */
struct deconvolution_forward_desc : public detail::desc_of<dnnl_deconvolution> {
    using desc_of::desc_of;
    deconvolution_forward_desc() = default;

    deconvolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : deconvolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias.get(), dst, strides, nullptr, padding_l,
                padding_r, attr, allow_empty)
    {
    }
    deconvolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &dst,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : deconvolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, nullptr, dst, strides, nullptr, padding_l, padding_r,
                attr, allow_empty)
    {
    }
    deconvolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : deconvolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, bias.get(), dst, strides, &dilates, padding_l,
                padding_r, attr, allow_empty)
    {
    }
    deconvolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const memory::desc &dst,
            const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
        : deconvolution_forward_desc(aengine, aprop_kind, aalgorithm, src,
                weights, nullptr, dst, strides, &dilates, padding_l, padding_r,
                attr, allow_empty)
    {
    }

    /* Without dimensions if there is none. */
    memory::desc bias_desc() const { return weights_desc(1); }

  private:
    deconvolution_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &weights, const_dnnl_memory_desc_t bias,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims *dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr,
            bool allow_empty)
    {
        const int spatial = src.get_ndims() - 2;
        memory::validate_dims(strides, spatial);
        if (dilates != nullptr) memory::validate_dims(*dilates, spatial);
        memory::validate_dims(padding_l, spatial);
        memory::validate_dims(padding_r, spatial);
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_deconvolution_forward_primitive_desc_create(
                &made, aengine.get(), convert_to_c(aprop_kind),
                convert_to_c(aalgorithm), src.get(), weights.get(), bias,
                dst.get(), strides.data(),
                dilates != nullptr ? dilates->data() : nullptr,
                padding_l.data(), padding_r.data(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a deconvolution");
    }
};

struct deconvolution_forward
    : public detail::primitive_of<deconvolution_forward_desc> {
    using primitive_of::primitive_of;
};

/* The maximum or mean of each window of src:
 * dnnl_pooling_forward_primitive_desc_create. dnnl_invalid_arguments also if a
 * list has no number for a spatial dimension. */
struct pooling_forward_desc : public detail::desc_of<dnnl_pooling> {
    using desc_of::desc_of;
    pooling_forward_desc() = default;

    pooling_forward_desc(const engine &aengine, prop_kind aprop_kind,
            algorithm aalgorithm, const memory::desc &src,
            const memory::desc &dst, const memory::dims &strides,
            const memory::dims &kernel, const memory::dims &dilation,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        const int spatial = src.get_ndims() - 2;
        memory::validate_dims(strides, spatial);
        memory::validate_dims(kernel, spatial);
        memory::validate_dims(dilation, spatial);
        memory::validate_dims(padding_l, spatial);
        memory::validate_dims(padding_r, spatial);
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_pooling_forward_primitive_desc_create(&made,
                aengine.get(), convert_to_c(aprop_kind),
                convert_to_c(aalgorithm), src.get(), dst.get(), strides.data(),
                kernel.data(), dilation.data(), padding_l.data(),
                padding_r.data(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a pooling primitive");
    }
};

struct pooling_forward : public detail::primitive_of<pooling_forward_desc> {
    using primitive_of::primitive_of;
};

/* dst = src in another layout, data type or place:
 * dnnl_reorder_primitive_desc_create. */
struct reorder_desc : public detail::desc_of<dnnl_reorder> {
    using desc_of::desc_of;
    reorder_desc() = default;

    reorder_desc(const engine &src_engine, const memory::desc &src,
            const engine &dst_engine, const memory::desc &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
    {
        dnnl_primitive_desc_t made = nullptr;
        dnnl_status_t st = dnnl_reorder_primitive_desc_create(&made, src.get(),
                src_engine.get(), dst.get(), dst_engine.get(), attr.get());
        take(st, made, allow_empty,
                "could not create a descriptor of a reorder");
    }
    reorder_desc(const memory &src, const memory &dst,
            const primitive_attr &attr = primitive_attr(),
            bool allow_empty = false)
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

struct reorder : public detail::primitive_of<reorder_desc> {
    using primitive_of::primitive_of;
    reorder() = default;
    /* From what is like these two to what is like them. */
    reorder(const memory &src, const memory &dst,
            const primitive_attr &attr = primitive_attr())
        : primitive_of(primitive_desc(src, dst, attr))
    {
    }

    using primitive::execute;
    /* The same with the two arguments it has. */
    void execute(
            const stream &astream, const memory &src, const memory &dst) const
    {
        execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

/* ==== The primitive cache ================================================= */

/* Primitives kept in memory, in the whole process; see
 * dnnl_set_primitive_cache_capacity(). */
inline int get_primitive_cache_capacity()
{
    int capacity = 0;
    error::wrap_c_api(dnnl_get_primitive_cache_capacity(&capacity),
            "could not get the primitive cache's capacity");
    return capacity;
}

inline void set_primitive_cache_capacity(int capacity)
{
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
            "could not set the primitive cache's capacity");
}

#endif /* DNNL_CACHE_PRIMITIVES */

/* ==== OpenCL ============================================================== */

namespace ocl_interop
{

enum class memory_kind {
    usm = ::dnnl_ocl_interop_usm, /* none exists here: dnnl_unimplemented */
    buffer = ::dnnl_ocl_interop_buffer
};

inline dnnl_ocl_interop_memory_kind_t convert_to_c(memory_kind akind)
{
    return static_cast<dnnl_ocl_interop_memory_kind_t>(akind);
}

/* The name under which the blobs of a device's engines are kept; no engine is
 * needed. Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device)
{
    return detail::bytes_of(
            [device](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob_id(
                        device, size, bytes);
            },
            "could not get the cache blob ID of an engine");
}

/* What an engine of the same device is made from again without a compiler.
 * Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine)
{
    dnnl_engine_t e = aengine.get();
    return detail::bytes_of(
            [e](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob(e, size, bytes);
            },
            "could not get the cache blob of an engine");
}

/* An engine of a device and a context that contains it, both retained, from a
 * blob. An empty one throws dnnl_invalid_arguments: check what a store gives.
 */
inline engine make_engine(cl_device_id device, cl_context context,
        const std::vector<uint8_t> &cache_blob)
{
    dnnl_engine_t made = nullptr;
    error::wrap_c_api(
            dnnl_ocl_interop_engine_create_from_cache_blob(&made, device,
                    context, cache_blob.size(), cache_blob.data()),
            "could not create an engine from a cache blob");
    return engine(made);
}

/* The same without a blob. */
inline engine make_engine(cl_device_id device, cl_context context)
{
    dnnl_engine_t made = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_engine_create(&made, device, context),
            "could not create an engine of a device and a context");
    return engine(made);
}

/* The engine's context and device: borrowed, not retained. */
inline cl_context get_context(const engine &aengine)
{
    cl_context context = nullptr;
    error::wrap_c_api(
            dnnl_ocl_interop_engine_get_context(aengine.get(), &context),
            "could not get the context of an engine");
    return context;
}

inline cl_device_id get_device(const engine &aengine)
{
    cl_device_id device = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_get_device(aengine.get(), &device),
            "could not get the device of an engine");
    return device;
}

/* A stream on the application's queue, which is retained. */
inline stream make_stream(const engine &aengine, cl_command_queue queue)
{
    dnnl_stream_t made = nullptr;
    error::wrap_c_api(
            dnnl_ocl_interop_stream_create(&made, aengine.get(), queue),
            "could not create a stream on a command queue");
    return stream(made);
}

/* The stream's queue: borrowed, not retained. */
inline cl_command_queue get_command_queue(const stream &astream)
{
    cl_command_queue queue = nullptr;
    error::wrap_c_api(
            dnnl_ocl_interop_stream_get_command_queue(astream.get(), &queue),
            "could not get the command queue of a stream");
    return queue;
}

/* A tensor in a buffer: the library's, none, or a cl_mem, which is retained. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, void *ahandle = DNNL_MEMORY_ALLOCATE)
{
    dnnl_memory_t made = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_create(&made, md.get(),
                              aengine.get(), convert_to_c(akind), ahandle),
            "could not create a memory object");
    return memory(made);
}

/* The same; as many handles as the layout has buffers: one. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, std::vector<void *> handles)
{
    dnnl_memory_t made = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_create_v2(&made, md.get(),
                              aengine.get(), convert_to_c(akind),
                              static_cast<int>(handles.size()), handles.data()),
            "could not create a memory object");
    return memory(made);
}

inline memory make_memory(
        const memory::desc &md, const engine &aengine, cl_mem mem_object)
{
    return make_memory(md, aengine, memory_kind::buffer, mem_object);
}

inline memory_kind get_memory_kind(const memory &amemory)
{
    dnnl_ocl_interop_memory_kind_t akind = dnnl_ocl_interop_buffer;
    error::wrap_c_api(
            dnnl_ocl_interop_memory_get_memory_kind(amemory.get(), &akind),
            "could not get the kind of a memory object");
    return static_cast<memory_kind>(akind);
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
/* primitive::execute() after some events. Gives an event of its end, which the
 * caller releases; null on an in-order stream. */
inline cl_event execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args,
        const std::vector<cl_event> &deps = std::vector<cl_event>())
{
    std::vector<dnnl_exec_arg_t> c_args = primitive::to_c(args);
    cl_event end = nullptr;
    error::wrap_c_api(
            dnnl_ocl_interop_primitive_execute(aprimitive.get(), astream.get(),
                    static_cast<int>(c_args.size()), c_args.data(),
                    deps.empty() ? nullptr : deps.data(),
                    static_cast<int>(deps.size()), &end),
            "could not execute a primitive");
    return end;
}
#endif

} // namespace ocl_interop

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_HPP */
