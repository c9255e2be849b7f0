/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.hpp: oneDNN's calls that belong to no object: versions, verbosity,
 * and what concerns a host's processor.
 */
#ifndef DNNL_CACHE_ONEDNN_LIBRARY_HPP
#define DNNL_CACHE_ONEDNN_LIBRARY_HPP

#include "../base.hpp"

#include <string>

namespace dnnl
{
inline namespace dnnlc_0_1
{

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
    avx10_2 = ::dnnl_cpu_isa_avx10_2,
    avx10_2_512 = ::dnnl_cpu_isa_avx10_2_512,
    avx10_2_amx_2 = ::dnnl_cpu_isa_avx10_2_amx_2,
    avx10_2_512_amx_2 = ::dnnl_cpu_isa_avx10_2_512_amx_2,
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

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_ONEDNN_LIBRARY_HPP */
