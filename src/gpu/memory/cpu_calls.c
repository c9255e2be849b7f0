/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's calls for a CPU that computes, which there is none of here, and for
 * sparse tensors. */
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "dnnl_cache.h"
#include "src/gpu/engine/lacks.h"

/* The answers do not depend on the arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda,
        const float *B, dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc)
{
    return lack_report("gemm", LACK_HOST_PRODUCTS);
}

dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A,
        dnnl_dim_t lda, uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co)
{
    return lack_report("gemm", LACK_HOST_PRODUCTS);
}

dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A,
        dnnl_dim_t lda, int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co)
{
    return lack_report("gemm", LACK_HOST_PRODUCTS);
}

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa)
{
    return dnnl_runtime_error;
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void)
{
    return dnnl_cpu_isa_default;
}

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints)
{
    return dnnl_runtime_error;
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void)
{
    return dnnl_cpu_isa_no_hints;
}

dnnl_status_t dnnl_set_jit_dump(int enable)
{
    return lack_report("engine", LACK_HOST_CODE);
}

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags)
{
    return lack_report("engine", LACK_HOST_CODE);
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir)
{
    return lack_report("engine", LACK_HOST_CODE);
}

static dnnl_status_t answer_sparse(const dnnl_memory_desc_t *memory_desc)
{
    return memory_desc == NULL ? dnnl_invalid_arguments
                               : lack_report("memory_desc", LACK_SPARSE);
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz, dnnl_data_type_t indices_dt,
        dnnl_data_type_t pointers_dt)
{
    return answer_sparse(memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz, dnnl_data_type_t indices_dt)
{
    return answer_sparse(memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, dnnl_dim_t nnz)
{
    return answer_sparse(memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_with_grouped_encoding(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, int variable_dim_idx,
        dnnl_dim_t group_count, dnnl_data_type_t offsets_dt)
{
    return answer_sparse(memory_desc);
}

bool dnnl_impl_gpu_mayiuse_ngen_kernels(dnnl_engine_t engine)
{
    dnnl_engine_kind_t kind;
    return dnnl_engine_get_kind(engine, &kind) == dnnl_success
           && kind == dnnl_gpu;
}
