/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attributes.hpp: what primitive descriptors are created with: kinds of
 * propagation, algorithms, flags, operations on a result, attributes.
 */
#ifndef DNNL_CACHE_ONEDNN_ATTRIBUTES_HPP
#define DNNL_CACHE_ONEDNN_ATTRIBUTES_HPP

#include "primitive.hpp"

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_primitive_attr_t>
    : detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {
};

template <>
struct handle_traits<dnnl_post_ops_t>
    : detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {
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
    rms_norm = ::dnnl_rms_norm,
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

/* dnnl_quantization_mode_t with a scope. */
enum class quantization_mode {
    undef = ::dnnl_quantization_mode_undef,
    static_sazp = ::dnnl_quantization_mode_static_sazp,
    dynamic_mx = ::dnnl_quantization_mode_dynamic_mx,
    dynamic_fp = ::dnnl_quantization_mode_dynamic_fp,
};

DNNL_CACHE_CONVERT(quantization_mode, dnnl_quantization_mode_t)

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
    /* With a third operand: see dnnl_post_ops_append_binary_v2(). */
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc,
            const memory::desc &src2_desc)
    {
        error::wrap_c_api(
                dnnl_post_ops_append_binary_v2(get(), convert_to_c(aalgorithm),
                        src1_desc.get(), src2_desc.get()),
                "could not append a post-op of three operands");
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
    void get_params_binary(int index, algorithm &aalgorithm,
            memory::desc &src1_desc, memory::desc &src2_desc) const
    {
        const_dnnl_memory_desc_t borrowed = nullptr;
        dnnl_memory_desc_t copy = nullptr;
        get_params_binary(index, aalgorithm, src1_desc);
        error::wrap_c_api(dnnl_post_ops_get_params_binary_v2(
                                  get(), index, nullptr, nullptr, &borrowed),
                "could not get the parameters of a binary post-op");
        error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                "could not copy a memory descriptor");
        src2_desc = memory::desc(copy);
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
            memory::data_type data_type = memory::data_type::f32,
            bool is_on_host = false,
            quantization_mode qmode = quantization_mode::static_sazp)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_scales_v3(get(), arg, mask,
                        static_cast<int>(groups.size()), groups.data(),
                        memory::convert_to_c(data_type), is_on_host,
                        convert_to_c(qmode)),
                "could not set scales");
    }
    /* One scale that an execution takes from the host. */
    void set_host_scale(
            int arg, memory::data_type data_type = memory::data_type::f32)
    {
        set_scales(arg, 0, {}, data_type, true);
    }
    void set_zero_points_mask(int arg, int mask)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
                "could not set a mask of zero points");
    }
    void set_zero_points(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32,
            bool is_on_host = false)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_zero_points_v2(get(), arg, mask,
                        static_cast<int>(groups.size()), groups.data(),
                        memory::convert_to_c(data_type), is_on_host),
                "could not set zero points");
    }
    void set_host_zero_point(
            int arg, memory::data_type data_type = memory::data_type::s32)
    {
        set_zero_points(arg, 0, {}, data_type, true);
    }
    /* See dnnl_primitive_attr_set_precomputed_reductions(). */
    void set_precomputed_reductions(int arg, int mask,
            const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_precomputed_reductions(get(), arg, mask,
                        static_cast<int>(groups.size()), groups.data(),
                        memory::convert_to_c(data_type)),
                "could not set precomputed reductions");
    }

    /* The quantization of recurrent primitives is stored and can be read back.
     * Descriptors that it would change throw; see onednn/absent.h. */
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
    void get_dropout(memory::desc &mask_desc, memory::data_type &seed_dt,
            bool &use_offset, bool &use_host_scalars) const
    {
        dnnl_data_type_t type = dnnl_data_type_undef;
        int has_offset = 0;
        int is_on_host = 0;
        get_dropout(mask_desc);
        error::wrap_c_api(dnnl_primitive_attr_get_dropout_v2(get(), nullptr,
                                  &type, &has_offset, &is_on_host),
                "could not get the parameters of dropout");
        seed_dt = static_cast<memory::data_type>(type);
        use_offset = has_offset != 0;
        use_host_scalars = is_on_host != 0;
    }
    /* Dropout of a matmul's results, with such a mask: see
     * dnnl_primitive_attr_set_dropout(). */
    void set_dropout(const memory::desc &mask_desc)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_dropout(get(), mask_desc.get()),
                "could not set dropout");
    }
    /* See dnnl_primitive_attr_set_dropout_v2(). */
    void set_dropout(const memory::desc &mask_desc, memory::data_type seed_dt,
            bool use_offset, bool use_host_scalars)
    {
        error::wrap_c_api(
                dnnl_primitive_attr_set_dropout_v2(get(), mask_desc.get(),
                        memory::convert_to_c(seed_dt), use_offset,
                        use_host_scalars),
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

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_ATTRIBUTES_HPP */
