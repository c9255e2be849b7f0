/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of oneDNN's for what is not here, and names of enumerators. */
#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "dnnl_cache.h"
#include "test.h"

#include <stdlib.h>

TEST_C(Absent, IsTheHostAsAProcessor)
{
    float c = 7.0f;
    int32_t sum = 7;
    const float f = 1.0f;
    const uint8_t u = 1;
    const int8_t s = 1;
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_sgemm('n', 'n', 1, 1, 1, 1.0f, &f, 1, &f, 1, 0.0f, &c, 1));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_gemm_u8s8s32('n', 'n', 'f', 1, 1, 1, 1.0f, &u, 1, 0, &s, 1, 0,
                    0.0f, &sum, 1, &sum));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_gemm_s8s8s32('n', 'n', 'f', 1, 1, 1, 1.0f, &s, 1, 0, &s, 1, 0,
                    0.0f, &sum, 1, &sum));
    EXPECT_TRUE(c == 7.0f);
    EXPECT_EQ(7, sum);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_set_max_cpu_isa(dnnl_cpu_isa_default));
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints));
    EXPECT_EQ(dnnl_cpu_isa_default, dnnl_get_effective_cpu_isa());
    EXPECT_EQ(dnnl_cpu_isa_no_hints, dnnl_get_cpu_isa_hints());
}

TEST_C(Absent, IsProfiling)
{
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE));
    EXPECT_STATUS(dnnl_unimplemented, dnnl_set_jit_profiling_jitdumpdir("."));
    int entries = 7;
    uint64_t nanoseconds = 7;
    EXPECT_STATUS(dnnl_unimplemented, dnnl_set_jit_dump(1));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_reset_profiling(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_query_profiling_data(NULL, dnnl_profiling_data_kind_time,
                    &entries, &nanoseconds));
    EXPECT_EQ(7, entries);
    EXPECT_EQ(7u, nanoseconds);
}

TEST_C(Absent, AreNoBinariesOnTheHost)
{
    dnnl_engine_t engine = NULL;
    ASSERT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    EXPECT_TRUE(dnnl_impl_gpu_mayiuse_ngen_kernels(engine));
    dnnl_engine_destroy(engine);
    ASSERT_OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    EXPECT_FALSE(dnnl_impl_gpu_mayiuse_ngen_kernels(engine));
    EXPECT_FALSE(dnnl_impl_gpu_mayiuse_ngen_kernels(NULL));
    dnnl_engine_destroy(engine);
}

TEST_C(Absent, AreSparseTensors)
{
    static const char untouched = 0;
    static const dnnl_dims_t dims = {4, 4};
    dnnl_memory_desc_t md = (dnnl_memory_desc_t)(uintptr_t)&untouched;
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_memory_desc_create_with_csr_encoding(
                    &md, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_memory_desc_create_with_coo_encoding(
                                        &md, 2, dims, dnnl_f32, 3, dnnl_s32));
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_memory_desc_create_with_packed_encoding(
                                        &md, 2, dims, dnnl_f32, 3));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_csr_encoding(
                    NULL, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_coo_encoding(
                    NULL, 2, dims, dnnl_f32, 3, dnnl_s32));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_create_with_packed_encoding(
                    NULL, 2, dims, dnnl_f32, 3));
    EXPECT_TRUE((const void *)md == &untouched);
}

TEST_C(Names, AreThoseOfEnumerators)
{
    EXPECT_STR_EQ("undef", dnnl_dt2str(dnnl_data_type_undef));
    EXPECT_STR_EQ("f4_e3m0", dnnl_dt2str(dnnl_f4_e3m0));
    EXPECT_STR_EQ("s64", dnnl_dt2str(dnnl_s64));
    EXPECT_STR_EQ("unknown dt", dnnl_dt2str((dnnl_data_type_t)0x7ffff));
    EXPECT_STR_EQ("undef", dnnl_fmt_kind2str(dnnl_format_kind_undef));
    EXPECT_STR_EQ("blocked", dnnl_fmt_kind2str(dnnl_blocked));
    EXPECT_STR_EQ(
            "unknown fmt_kind", dnnl_fmt_kind2str((dnnl_format_kind_t)0x7ffff));
    EXPECT_STR_EQ("undef", dnnl_prop_kind2str(dnnl_prop_kind_undef));
    EXPECT_STR_EQ("backward_bias", dnnl_prop_kind2str(dnnl_backward_bias));
    EXPECT_STR_EQ(
            "unknown prop_kind", dnnl_prop_kind2str((dnnl_prop_kind_t)0x7ffff));
    EXPECT_STR_EQ("undef", dnnl_prim_kind2str(dnnl_undefined_primitive));
    EXPECT_STR_EQ("group_normalization",
            dnnl_prim_kind2str(dnnl_group_normalization));
    EXPECT_STR_EQ("unknown prim_kind",
            dnnl_prim_kind2str((dnnl_primitive_kind_t)0x7ffff));
    EXPECT_STR_EQ("undef", dnnl_alg_kind2str(dnnl_alg_kind_undef));
    EXPECT_STR_EQ("softmax_log", dnnl_alg_kind2str(dnnl_softmax_log));
    EXPECT_STR_EQ(
            "unknown alg_kind", dnnl_alg_kind2str((dnnl_alg_kind_t)0x7ffff));
    EXPECT_STR_EQ("rnn_flags_undef", dnnl_rnn_flags2str(dnnl_rnn_flags_undef));
    EXPECT_STR_EQ("rnn_flags_diff_weights_overwrite",
            dnnl_rnn_flags2str(dnnl_rnn_flags_diff_weights_overwrite));
    EXPECT_STR_EQ(
            "unknown rnn_flags", dnnl_rnn_flags2str((dnnl_rnn_flags_t)0x7ffff));
    EXPECT_STR_EQ("undef", dnnl_rnn_direction2str(dnnl_rnn_direction_undef));
    EXPECT_STR_EQ("bidirectional_sum",
            dnnl_rnn_direction2str(dnnl_bidirectional_sum));
    EXPECT_STR_EQ("unknown rnn_direction",
            dnnl_rnn_direction2str((dnnl_rnn_direction_t)0x7ffff));
    EXPECT_STR_EQ("cpu_isa_default", dnnl_cpu_isa2str(dnnl_cpu_isa_default));
    EXPECT_STR_EQ("cpu_isa_avx10_1_512_amx_fp16",
            dnnl_cpu_isa2str(dnnl_cpu_isa_avx10_1_512_amx_fp16));
    EXPECT_STR_EQ("unknown cpu_isa", dnnl_cpu_isa2str((dnnl_cpu_isa_t)0x7ffff));
    EXPECT_STR_EQ(
            "cpu_isa_no_hints", dnnl_cpu_isa_hints2str(dnnl_cpu_isa_no_hints));
    EXPECT_STR_EQ("cpu_isa_prefer_ymm",
            dnnl_cpu_isa_hints2str(dnnl_cpu_isa_prefer_ymm));
    EXPECT_STR_EQ("unknown cpu_isa_hints",
            dnnl_cpu_isa_hints2str((dnnl_cpu_isa_hints_t)0x7ffff));
    EXPECT_STR_EQ("any", dnnl_engine_kind2str(dnnl_any_engine));
    EXPECT_STR_EQ("gpu", dnnl_engine_kind2str(dnnl_gpu));
    EXPECT_STR_EQ("unknown engine_kind",
            dnnl_engine_kind2str((dnnl_engine_kind_t)0x7ffff));
    EXPECT_STR_EQ("f8_e5m2", dnnl_dt2str(dnnl_f8_e5m2));
    EXPECT_STR_EQ("eltwise_gelu_erf", dnnl_alg_kind2str(dnnl_eltwise_gelu_erf));
    EXPECT_STR_EQ("strict", dnnl_fpmath_mode2str(dnnl_fpmath_mode_strict));
    EXPECT_STR_EQ("tf32", dnnl_fpmath_mode2str(dnnl_fpmath_mode_tf32));
    EXPECT_STR_EQ("strict",
            dnnl_accumulation_mode2str(dnnl_accumulation_mode_strict));
    EXPECT_STR_EQ(
            "f16", dnnl_accumulation_mode2str(dnnl_accumulation_mode_f16));
    EXPECT_STR_EQ(
            "library", dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_library));
    EXPECT_STR_EQ("user", dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_user));
    EXPECT_STR_EQ("environment",
            dnnl_rounding_mode2str(dnnl_rounding_mode_environment));
    EXPECT_STR_EQ("stochastic",
            dnnl_rounding_mode2str(dnnl_rounding_mode_stochastic));
    EXPECT_STR_EQ("dynamic_mx",
            dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_mx));
    EXPECT_STR_EQ("unknown quantization_mode",
            dnnl_quantization_mode2str((dnnl_quantization_mode_t)4));
    EXPECT_STR_EQ("unknown rounding_mode",
            dnnl_rounding_mode2str((dnnl_rounding_mode_t)2));
    EXPECT_STR_EQ(
            "undef", dnnl_sparse_encoding2str(dnnl_sparse_encoding_undef));
    EXPECT_STR_EQ("csr", dnnl_sparse_encoding2str(dnnl_csr));
    EXPECT_STR_EQ("packed", dnnl_sparse_encoding2str(dnnl_packed));
    EXPECT_STR_EQ("coo", dnnl_sparse_encoding2str(dnnl_coo));
    EXPECT_STR_EQ("grouped", dnnl_sparse_encoding2str(dnnl_grouped));
    EXPECT_STR_EQ("unknown sparse_encoding",
            dnnl_sparse_encoding2str((dnnl_sparse_encoding_t)5));
    EXPECT_STR_EQ("opaque", dnnl_fmt_kind2str(dnnl_format_kind_opaque));
    EXPECT_STR_EQ("sparse", dnnl_fmt_kind2str(dnnl_format_kind_sparse));
    EXPECT_STR_EQ("OpenCL", dnnl_runtime2str(DNNL_RUNTIME_OCL));
    EXPECT_STR_EQ("none", dnnl_runtime2str(DNNL_RUNTIME_NONE));
    EXPECT_STR_EQ("unknown runtime", dnnl_runtime2str(3));
}
