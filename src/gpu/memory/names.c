/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators. */
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "dnnl_cache.h"

#define NAME(name)    \
    case dnnl_##name: \
        return #name
#define NAME_AS(value, name) \
    case dnnl_##value:       \
        return name

const char *dnnl_dt2str(dnnl_data_type_t v)
{
    switch (v) {
        NAME_AS(data_type_undef, "undef");
        NAME(f16);
        NAME(bf16);
        NAME(f32);
        NAME(s32);
        NAME(s8);
        NAME(u8);
        NAME(f64);
        NAME(boolean);
        NAME(f8_e5m2);
        NAME(f8_e4m3);
        NAME(s4);
        NAME(u4);
        NAME(e8m0);
        NAME(f4_e2m1);
        NAME(f4_e3m0);
        NAME(s64);
    default:
        return "unknown dt";
    }
}

const char *dnnl_fmt_kind2str(dnnl_format_kind_t v)
{
    switch (v) {
        NAME_AS(format_kind_undef, "undef");
        NAME_AS(format_kind_any, "any");
        NAME(blocked);
        NAME_AS(format_kind_opaque, "opaque");
        NAME_AS(format_kind_sparse, "sparse");
        NAME_AS(format_kind_host_scalar, "host_scalar");
    default:
        return "unknown fmt_kind";
    }
}

const char *dnnl_prop_kind2str(dnnl_prop_kind_t v)
{
    switch (v) {
        NAME_AS(prop_kind_undef, "undef");
        NAME(forward_training);
        NAME(forward_inference);
        NAME(backward);
        NAME(backward_data);
        NAME(backward_weights);
        NAME(backward_bias);
    default:
        return "unknown prop_kind";
    }
}

const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v)
{
    switch (v) {
        NAME_AS(undefined_primitive, "undef");
        NAME(reorder);
        NAME(shuffle);
        NAME(concat);
        NAME(sum);
        NAME(convolution);
        NAME(deconvolution);
        NAME(eltwise);
        NAME(lrn);
        NAME(batch_normalization);
        NAME(inner_product);
        NAME(rnn);
        NAME(gemm);
        NAME(binary);
        NAME(matmul);
        NAME(resampling);
        NAME(pooling);
        NAME(reduction);
        NAME(prelu);
        NAME(softmax);
        NAME(layer_normalization);
        NAME(group_normalization);
    default:
        return "unknown prim_kind";
    }
}

const char *dnnl_alg_kind2str(dnnl_alg_kind_t v)
{
    switch (v) {
        NAME_AS(alg_kind_undef, "undef");
        NAME(convolution_direct);
        NAME(convolution_winograd);
        NAME(convolution_auto);
        NAME(deconvolution_direct);
        NAME(deconvolution_winograd);
        NAME(eltwise_relu);
        NAME(eltwise_tanh);
        NAME(eltwise_elu);
        NAME(eltwise_square);
        NAME(eltwise_abs);
        NAME(eltwise_sqrt);
        NAME(eltwise_linear);
        NAME(eltwise_soft_relu);
        NAME(eltwise_hardsigmoid);
        NAME(eltwise_logistic);
        NAME(eltwise_exp);
        NAME(eltwise_gelu_tanh);
        NAME(eltwise_swish);
        NAME(eltwise_log);
        NAME(eltwise_clip);
        NAME(eltwise_clip_v2);
        NAME(eltwise_pow);
        NAME(eltwise_gelu_erf);
        NAME(eltwise_round);
        NAME(eltwise_mish);
        NAME(eltwise_hardswish);
        NAME(eltwise_relu_use_dst_for_bwd);
        NAME(eltwise_tanh_use_dst_for_bwd);
        NAME(eltwise_elu_use_dst_for_bwd);
        NAME(eltwise_sqrt_use_dst_for_bwd);
        NAME(eltwise_logistic_use_dst_for_bwd);
        NAME(eltwise_exp_use_dst_for_bwd);
        NAME(eltwise_clip_v2_use_dst_for_bwd);
        NAME(pooling_max);
        NAME(pooling_avg_include_padding);
        NAME(pooling_avg_exclude_padding);
        NAME(vanilla_rnn);
        NAME(vanilla_lstm);
        NAME(vanilla_gru);
        NAME(lbr_gru);
        NAME(vanilla_augru);
        NAME(lbr_augru);
        NAME(binary_add);
        NAME(binary_mul);
        NAME(binary_max);
        NAME(binary_min);
        NAME(binary_div);
        NAME(binary_sub);
        NAME(binary_ge);
        NAME(binary_gt);
        NAME(binary_le);
        NAME(binary_lt);
        NAME(binary_eq);
        NAME(binary_ne);
        NAME(binary_select);
        NAME(resampling_nearest);
        NAME(resampling_linear);
        NAME(reduction_max);
        NAME(reduction_min);
        NAME(reduction_sum);
        NAME(reduction_mul);
        NAME(reduction_mean);
        NAME(reduction_norm_lp_max);
        NAME(reduction_norm_lp_sum);
        NAME(reduction_norm_lp_power_p_max);
        NAME(reduction_norm_lp_power_p_sum);
        NAME(softmax_accurate);
        NAME(softmax_log);
        NAME(lrn_across_channels);
        NAME(lrn_within_channel);
    default:
        return "unknown alg_kind";
    }
}

const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v)
{
    switch (v) {
        NAME(rnn_flags_undef);
        NAME(rnn_flags_diff_weights_overwrite);
    default:
        return "unknown rnn_flags";
    }
}

const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v)
{
    switch (v) {
        NAME_AS(rnn_direction_undef, "undef");
        NAME(unidirectional_left2right);
        NAME(unidirectional_right2left);
        NAME(bidirectional_concat);
        NAME(bidirectional_sum);
    default:
        return "unknown rnn_direction";
    }
}

const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v)
{
    switch (v) {
        NAME(cpu_isa_default);
        NAME(cpu_isa_sse41);
        NAME(cpu_isa_avx);
        NAME(cpu_isa_avx2);
        NAME(cpu_isa_avx2_vnni);
        NAME(cpu_isa_avx2_vnni_2);
        NAME(cpu_isa_avx512_core);
        NAME(cpu_isa_avx512_core_vnni);
        NAME(cpu_isa_avx512_core_bf16);
        NAME(cpu_isa_avx10_1_512);
        NAME(cpu_isa_avx10_1_512_amx);
        NAME(cpu_isa_avx10_1_512_amx_fp16);
        NAME(cpu_isa_avx10_2);
        NAME(cpu_isa_avx10_2_amx_2);
    default:
        return "unknown cpu_isa";
    }
}

const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v)
{
    switch (v) {
        NAME(cpu_isa_no_hints);
        NAME(cpu_isa_prefer_ymm);
    default:
        return "unknown cpu_isa_hints";
    }
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t v)
{
    switch (v) {
        NAME_AS(any_engine, "any");
        NAME(cpu);
        NAME(gpu);
    default:
        return "unknown engine_kind";
    }
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v)
{
    switch (v) {
        NAME_AS(fpmath_mode_strict, "strict");
        NAME_AS(fpmath_mode_bf16, "bf16");
        NAME_AS(fpmath_mode_f16, "f16");
        NAME_AS(fpmath_mode_any, "any");
        NAME_AS(fpmath_mode_tf32, "tf32");
    default:
        return "unknown fpmath_mode";
    }
}

const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v)
{
    switch (v) {
        NAME_AS(accumulation_mode_strict, "strict");
        NAME_AS(accumulation_mode_relaxed, "relaxed");
        NAME_AS(accumulation_mode_any, "any");
        NAME_AS(accumulation_mode_s32, "s32");
        NAME_AS(accumulation_mode_f32, "f32");
        NAME_AS(accumulation_mode_f16, "f16");
    default:
        return "unknown accumulation_mode";
    }
}

const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v)
{
    switch (v) {
        NAME_AS(scratchpad_mode_library, "library");
        NAME_AS(scratchpad_mode_user, "user");
    default:
        return "unknown scratchpad_mode";
    }
}

const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v)
{
    switch (v) {
        NAME_AS(rounding_mode_environment, "environment");
        NAME_AS(rounding_mode_stochastic, "stochastic");
    default:
        return "unknown rounding_mode";
    }
}

const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v)
{
    switch (v) {
        NAME_AS(quantization_mode_undef, "undef");
        NAME_AS(quantization_mode_static_sazp, "static_sazp");
        NAME_AS(quantization_mode_dynamic_mx, "dynamic_mx");
        NAME_AS(quantization_mode_dynamic_fp, "dynamic_fp");
    default:
        return "unknown quantization_mode";
    }
}

const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v)
{
    switch (v) {
        NAME_AS(sparse_encoding_undef, "undef");
        NAME(csr);
        NAME(packed);
        NAME(coo);
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        NAME(grouped);
#endif
    default:
        return "unknown sparse_encoding";
    }
}

const char *dnnl_runtime2str(unsigned v)
{
    switch (v) {
    case DNNL_RUNTIME_NONE:
        return "none";
    case DNNL_RUNTIME_SEQ:
        return "sequential";
    case DNNL_RUNTIME_OMP:
        return "OpenMP";
    case DNNL_RUNTIME_TBB:
        return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
        return "threadpool";
    case DNNL_RUNTIME_OCL:
        return "OpenCL";
    case DNNL_RUNTIME_SYCL:
        return "DPC++";
    default:
        return "unknown runtime";
    }
}
