// SPDX-License-Identifier: Apache-2.0
// oneDNN's classes for what this library does not have: they compile, check
// what oneDNN's check, and answer dnnl_unimplemented.
#include "fake_device.hpp"

using dnnl::algorithm;
using dnnl::memory;
using dnnl::normalization_flags;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using dnnl::rnn_direction;
using dt = memory::data_type;
using dims = memory::dims;
using tag = memory::format_tag;

namespace
{

// No cell is of this, and none is looked at.
const memory::desc rnn_md({1, 1, 1}, dt::f32, tag::abc);

} // namespace

class CppAbsent : public FakeDevice
{
  protected:
    // How the calls of refuse() end, in their order.
    static void expect_refusals(const dnnl_status_t (&is)[6], bool is_empty)
    {
        for (int i = 0; i < 3; i++)
            EXPECT_EQ(dnnl_unimplemented, is[i]) << "descriptor " << i;
        EXPECT_TRUE(is_empty);
        for (int i = 3; i < 6; i++)
            EXPECT_EQ(dnnl_invalid_arguments, is[i]) << "call " << i;
    }

    // A descriptor from these arguments throws dnnl_unimplemented; with
    // allow_empty it is an empty one, of which no primitive can be made.
    template <typename kind, typename... Arguments>
    void refuse(const Arguments &...arguments) const
    {
        typedef typename kind::primitive_desc desc;
        const dnnl::engine e = engine();
        const desc empty(e, arguments..., primitive_attr(), true);
        expect_refusals(
                {thrown_by([&] { desc pd(e, arguments...); }), thrown_by([&] {
                     desc pd(e, arguments..., primitive_attr());
                 }),
                        thrown_by([&] {
                            desc pd(e, arguments..., primitive_attr(), false);
                        }),
                        thrown_by([&] { kind primitive(empty); }),
                        thrown_by([&] { empty.get_engine(); }), thrown_by([&] {
                            kind primitive(empty, std::vector<uint8_t>(1));
                        })},
                !static_cast<bool>(empty));
    }

    // A forward descriptor for a hint, and its tensor.
    const memory::desc md4 = memory::desc({2, 4, 4, 4}, dt::f32, tag::abcd);
    const memory::desc md2 = memory::desc({2, 4}, dt::f32, tag::ab);
    const memory::desc vector = memory::desc({4}, dt::f32, tag::a);
    const memory::desc weights = memory::desc({4, 4, 1, 1}, dt::f32, tag::abcd);
    const dims ones = {1, 1};
    const dims none = {0, 0};
    const prop_kind training = prop_kind::forward_training;
};

TEST_F(CppAbsent, AreBackwardElementwisePrimitives)
{
    const algorithm relu = algorithm::eltwise_relu;
    const dnnl::eltwise_forward::primitive_desc eltwise(
            engine(), training, relu, md2, md2, 0.5f, 0.0f);
    refuse<dnnl::eltwise_backward>(relu, md2, md2, md2, 0.5f, 0.0f, eltwise);
    refuse<dnnl::eltwise_backward>(relu, md2, md2, md2, 0.5f, eltwise);
    refuse<dnnl::eltwise_backward>(relu, md2, md2, md2, eltwise);
    const dnnl::prelu_forward::primitive_desc prelu(
            engine(), training, md2, md2, md2);
    refuse<dnnl::prelu_backward>(md2, md2, md2, md2, md2, prelu);
    const dnnl::softmax_forward::primitive_desc softmax(
            engine(), training, algorithm::softmax_log, md2, md2, 1);
    refuse<dnnl::softmax_backward>(
            algorithm::softmax_log, md2, md2, md2, 1, softmax);
    const dnnl::shuffle_forward::primitive_desc shuffle(
            engine(), training, md2, md2, 1, 2);
    refuse<dnnl::shuffle_backward>(md2, md2, 1, 2, shuffle);
}

TEST_F(CppAbsent, AreBackwardPrimitivesOfWindows)
{
    const algorithm nearest = algorithm::resampling_nearest;
    const algorithm max = algorithm::pooling_max;
    const algorithm lrn = algorithm::lrn_across_channels;
    const dnnl::resampling_forward::primitive_desc resampling(
            engine(), training, nearest, md4, md4);
    const std::vector<float> factors(2, 1.0f);
    refuse<dnnl::resampling_backward>(nearest, md4, md4, resampling);
    refuse<dnnl::resampling_backward>(nearest, factors, md4, md4, resampling);
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::resampling_backward::primitive_desc pd(engine(), nearest,
                std::vector<float>(1, 1.0f), md4, md4, resampling);
    }));
    const dnnl::pooling_forward::primitive_desc pooling(
            engine(), training, max, md4, md4, ones, ones, none, none, none);
    refuse<dnnl::pooling_backward>(
            max, md4, md4, ones, ones, none, none, none, pooling);
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::pooling_backward::primitive_desc pd(engine(), max, md4, md4,
                dims({1}), ones, none, none, none, pooling);
    }));
    const dnnl::lrn_forward::primitive_desc normalized(
            engine(), training, lrn, md4, md4, 3, 1.0f, 0.75f, 1.0f);
    refuse<dnnl::lrn_backward>(
            lrn, md4, md4, md4, 3, 1.0f, 0.75f, 1.0f, normalized);
}

TEST_F(CppAbsent, AreBackwardNormalizations)
{
    const prop_kind backward = prop_kind::backward;
    const normalization_flags flags = normalization_flags::use_scale;
    const dnnl::batch_normalization_forward::primitive_desc batch(
            engine(), training, md4, md4, 1e-5f, flags);
    refuse<dnnl::batch_normalization_backward>(
            backward, md4, md4, md4, 1e-5f, flags, batch);
    const dnnl::group_normalization_forward::primitive_desc group(
            engine(), training, md4, md4, 2, 1e-5f, flags);
    refuse<dnnl::group_normalization_backward>(
            backward, md4, md4, md4, 2, 1e-5f, flags, group);
    const dnnl::layer_normalization_forward::primitive_desc layer(
            engine(), training, md2, md2, 1e-5f, flags);
    const memory::desc stat({2}, dt::f32, tag::a);
    refuse<dnnl::layer_normalization_backward>(
            backward, md2, md2, md2, stat, 1e-5f, flags, layer);
    refuse<dnnl::layer_normalization_backward>(
            backward, md2, md2, md2, 1e-5f, flags, layer);
    refuse<dnnl::layer_normalization_backward>(backward, md2, md2, md2, stat,
            dt::f32, dt::f32, 1e-5f, flags, layer);
    refuse<dnnl::layer_normalization_backward>(
            backward, md2, md2, md2, dt::f32, dt::f32, 1e-5f, flags, layer);
}

TEST_F(CppAbsent, AreBackwardProducts)
{
    const algorithm direct = algorithm::convolution_direct;
    const dnnl::inner_product_forward::primitive_desc product(engine(),
            training, md2, memory::desc({4, 4}, dt::f32, tag::ab), md2);
    refuse<dnnl::inner_product_backward_data>(md2, md2, md2, product);
    refuse<dnnl::inner_product_backward_weights>(md2, md2, md2, product);
    refuse<dnnl::inner_product_backward_weights>(
            md2, md2, vector, md2, product);
    const dnnl::convolution_forward::primitive_desc forward(
            engine(), training, direct, md4, weights, md4, ones, none, none);
    typedef dnnl::convolution_backward_data data;
    refuse<data>(direct, md4, weights, md4, ones, none, none, forward);
    refuse<data>(direct, md4, weights, md4, ones, none, none, none, forward);
    typedef dnnl::convolution_backward_weights by_weights;
    refuse<by_weights>(direct, md4, weights, md4, ones, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, vector, md4, ones, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, md4, ones, none, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, vector, md4, ones, none, none, none, forward);
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        data::primitive_desc pd(engine(), direct, md4, weights, md4, dims({1}),
                none, none, forward);
    }));
}

TEST_F(CppAbsent, AreBackwardDeconvolutions)
{
    const algorithm direct = algorithm::deconvolution_direct;
    const dnnl::deconvolution_forward::primitive_desc forward(
            engine(), training, direct, md4, weights, md4, ones, none, none);
    typedef dnnl::deconvolution_backward_data data;
    refuse<data>(direct, md4, weights, md4, ones, none, none, forward);
    refuse<data>(direct, md4, weights, md4, ones, none, none, none, forward);
    typedef dnnl::deconvolution_backward_weights by_weights;
    refuse<by_weights>(direct, md4, weights, md4, ones, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, vector, md4, ones, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, md4, ones, none, none, none, forward);
    refuse<by_weights>(
            direct, md4, weights, vector, md4, ones, none, none, none, forward);
}

TEST_F(CppAbsent, AreAugmentedRecurrentPrimitives)
{
    const rnn_direction d = rnn_direction::unidirectional_left2right;
    const memory::desc &m = rnn_md;
    refuse<dnnl::augru_forward>(training, d, m, m, m, m, m, m, m, m);
    refuse<dnnl::lbr_augru_forward>(training, d, m, m, m, m, m, m, m, m);
}

// Of one layer: each constructor gives a descriptor of its cell, and the
// getters find its tensors.
TEST_F(CppAbsent, AreNoForwardRecurrentPrimitives)
{
    const rnn_direction d = rnn_direction::unidirectional_right2left;
    const algorithm tanh = algorithm::eltwise_tanh;
    const memory::desc x({3, 2, 4}, dt::f32, tag::tnc);
    const memory::desc y({3, 2, 5}, dt::f32, tag::tnc);
    const memory::desc s({1, 1, 2, 5}, dt::f32, tag::ldnc);
    const auto weights_of = [](int inputs, int gates) {
        return memory::desc({1, 1, inputs, gates, 5}, dt::f32, tag::ldigo);
    };
    const auto bias_of = [](int gates) {
        return memory::desc({1, 1, gates, 5}, dt::f32, tag::ldgo);
    };
    const dnnl::engine e = engine();
    const dnnl::vanilla_rnn_forward::primitive_desc rnn(e, training, tanh, d, x,
            s, weights_of(4, 1), weights_of(5, 1), bias_of(1), y, s);
    EXPECT_EQ(algorithm::vanilla_rnn, rnn.get_cell_kind());
    EXPECT_EQ(tanh, rnn.get_activation_kind());
    EXPECT_EQ(d, rnn.get_direction());
    const dnnl::lstm_forward::primitive_desc lstm(e, training, d, x, s, s,
            weights_of(4, 4), weights_of(5, 4), bias_of(3 + 1), y, s, s);
    EXPECT_EQ(s, lstm.src_iter_c_desc());
    const dnnl::lstm_forward::primitive_desc peeping(e, training, d, x, s, s,
            weights_of(4, 4), weights_of(5, 4), bias_of(3), bias_of(4), y, s,
            s);
    EXPECT_EQ(bias_of(3), peeping.weights_peephole_desc());
    EXPECT_EQ(dnnl_unimplemented, thrown_by([&] {
        dnnl::lstm_forward::primitive_desc projected(e, training, d, x, s, s,
                weights_of(4, 4), weights_of(5, 4), bias_of(3), s, bias_of(4),
                y, s, s);
    }));
    const dnnl::gru_forward::primitive_desc gru(e, training, d, x, s,
            weights_of(4, 3), weights_of(5, 3), bias_of(3), y, s);
    EXPECT_EQ(weights_of(5, 3), gru.weights_iter_desc());
    const dnnl::lbr_gru_forward::primitive_desc lbr_gru(e, training, d, x, s,
            weights_of(4, 3), weights_of(5, 3), bias_of(4), y, s);
    EXPECT_EQ(bias_of(4), lbr_gru.bias_desc());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::gru_forward::primitive_desc other(lbr_gru.get());
    }));
}

// A backward recurrent primitive needs a hint, of which there is none.
TEST_F(CppAbsent, HintsOfBackwardRecurrentPrimitivesAreEmpty)
{
    const rnn_direction d = rnn_direction::bidirectional_sum;
    const algorithm relu = algorithm::eltwise_relu;
    const prop_kind backward = prop_kind::backward;
    const memory::desc &m = rnn_md;
    const dnnl::vanilla_rnn_forward::primitive_desc rnn;
    const dnnl::lstm_forward::primitive_desc lstm;
    const dnnl::gru_forward::primitive_desc gru;
    const dnnl::lbr_gru_forward::primitive_desc lbr_gru;
    const dnnl::augru_forward::primitive_desc augru;
    const dnnl::lbr_augru_forward::primitive_desc lbr_augru;
    const dnnl::engine e = engine();
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::vanilla_rnn_backward::primitive_desc pd(e, backward, relu, d, m,
                m, m, m, m, m, m, m, m, m, m, m, m, m, rnn);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::vanilla_rnn_backward::primitive_desc pd(e, backward, relu, d, m,
                m, m, m, m, m, m, m, m, m, m, m, m, m, 0.5f, rnn);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lstm_backward::primitive_desc pd(e, backward, d, m, m, m, m, m, m,
                m, m, m, m, m, m, m, m, m, m, m, m, lstm);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lstm_backward::primitive_desc pd(e, backward, d, m, m, m, m, m, m,
                m, m, m, m, m, m, m, m, m, m, m, m, m, m, lstm);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lstm_backward::primitive_desc pd(e, backward, d, m, m, m, m, m, m,
                m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, lstm);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::gru_backward::primitive_desc pd(
                e, backward, d, m, m, m, m, m, m, m, m, m, m, m, m, m, m, gru);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lbr_gru_backward::primitive_desc pd(e, backward, d, m, m, m, m, m,
                m, m, m, m, m, m, m, m, m, lbr_gru);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::augru_backward::primitive_desc pd(e, backward, d, m, m, m, m, m,
                m, m, m, m, m, m, m, m, m, m, m, augru);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lbr_augru_backward::primitive_desc pd(e, backward, d, m, m, m, m,
                m, m, m, m, m, m, m, m, m, m, m, m, lbr_augru);
    }));
}

TEST_F(CppAbsent, AreSparseTensors)
{
    EXPECT_EQ(dnnl_unimplemented, thrown_by([] {
        memory::desc::coo({4, 4}, dt::f32, 2, dt::s32);
    }));
    EXPECT_EQ(dnnl_unimplemented, thrown_by([] {
        memory::desc::csr({4, 4}, dt::f32, 2, dt::s32, dt::s32);
    }));
    EXPECT_EQ(dnnl_unimplemented, thrown_by([] {
        memory::desc::packed({4, 4}, dt::f32, 2);
    }));
    const auto empty = memory::desc::coo({4, 4}, dt::f32, 2, dt::s32, true);
    EXPECT_FALSE(static_cast<bool>(empty));
    EXPECT_EQ(memory::sparse_encoding::undef, md2.get_sparse_encoding());
    EXPECT_EQ(0, md2.get_nnz());
    EXPECT_EQ(1, md2.get_num_handles());
}

// Kept, and taken by descriptors of the product of two matrices, if the mask is
// one of dst.
TEST_F(CppAbsent, AreAttributesThatAreKept)
{
    const memory::desc square({4, 4}, dt::f32, tag::ab);
    const auto status_with = [&](const primitive_attr &attr) {
        return thrown_by([&] {
            dnnl::matmul::primitive_desc pd(
                    engine(), square, square, square, attr);
        });
    };
    primitive_attr dropout;
    memory::desc mask = md2;
    dropout.get_dropout(mask);
    EXPECT_TRUE(mask.is_zero());
    dropout.set_dropout(mask);
    EXPECT_EQ(dnnl_success, status_with(dropout));
    dropout.set_dropout(md2);
    dropout.get_dropout(mask);
    EXPECT_TRUE(mask == md2);
    EXPECT_EQ(dnnl_unimplemented, status_with(dropout));
    dropout.set_dropout(memory::desc({4, 4}, dt::u8, tag::ab));
    EXPECT_EQ(dnnl_success, status_with(dropout));

    using mode = dnnl::rounding_mode;
    primitive_attr rounding;
    rounding.set_rounding_mode(DNNL_ARG_DST, mode::stochastic);
    EXPECT_EQ(mode::stochastic, rounding.get_rounding_mode(DNNL_ARG_DST));
    EXPECT_EQ(mode::environment, rounding.get_rounding_mode(DNNL_ARG_DIFF_SRC));
    EXPECT_EQ(dnnl_success, status_with(rounding));
    rounding.set_rounding_mode(DNNL_ARG_DST, mode::environment);
    EXPECT_EQ(dnnl_success, status_with(rounding));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        rounding.set_rounding_mode(DNNL_ARG_SRC, mode::stochastic);
    }));
}

TEST_F(CppAbsent, AreNumbersOfRecurrentPrimitivesThatAreKept)
{
    const std::vector<float> one = {1.0f};
    const std::vector<float> some = {1.0f, 2.0f, 4.0f};
    primitive_attr attr;
    float scale = 0.0f, shift = 0.0f;
    int numbers = 7;
    std::vector<float> scales;
    attr.get_rnn_data_qparams(scale, shift);
    EXPECT_TRUE(scale == 1.0f && shift == 0.0f);
    attr.set_rnn_data_qparams(0.5f, 2.0f);
    attr.get_rnn_data_qparams(scale, shift);
    EXPECT_TRUE(scale == 0.5f && shift == 2.0f);

    attr.get_rnn_weights_qparams(numbers, scales);
    EXPECT_TRUE(numbers == 0 && scales == one);
    attr.set_rnn_weights_qparams(2, some);
    attr.get_rnn_weights_qparams(numbers, scales);
    EXPECT_TRUE(numbers == 2 && scales == some);

    attr.get_rnn_weights_projection_qparams(numbers, scales);
    EXPECT_TRUE(numbers == 0 && scales == one);
    attr.set_rnn_weights_projection_qparams(1, some);
    attr.clone().get_rnn_weights_projection_qparams(numbers, scales);
    EXPECT_TRUE(numbers == 1 && scales == some);
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { attr.set_rnn_weights_qparams(0, {}); }));
}

TEST_F(CppAbsent, AreDepthwiseConvolutionsThatAreKept)
{
    dnnl::post_ops ops;
    ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 2, 1);
    primitive_attr attr;
    attr.set_post_ops(ops);
    dt types[] = {dt::f32, dt::s32, dt::f32};
    memory::dim sizes[] = {0, 0, 0};
    attr.get_post_ops().get_params_dw(
            0, types[0], types[1], types[2], sizes[0], sizes[1], sizes[2]);
    EXPECT_TRUE(
            types[0] == dt::s8 && types[1] == dt::f32 && types[2] == dt::u8);
    EXPECT_TRUE(sizes[0] == 3 && sizes[1] == 2 && sizes[2] == 1);
    EXPECT_EQ(dnnl::primitive::kind::convolution, ops.kind(0));
    EXPECT_EQ(dnnl_unimplemented, thrown_by([&] {
        dnnl::convolution_forward::primitive_desc pd(engine(),
                prop_kind::forward_inference, algorithm::convolution_direct,
                md4, weights, md4, ones, none, none, attr);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 2, 3);
    }));
}

TEST_F(CppAbsent, AreProfilesOfStreamsWithoutThem)
{
    dnnl::stream s(engine());
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { dnnl::reset_profiling(s); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::get_profiling_data(s, dnnl::profiling_data_kind::time);
    }));
    dnnl::stream profiling(engine(),
            dnnl::stream::flags::in_order | dnnl::stream::flags::profiling);
    EXPECT_TRUE(
            dnnl::get_profiling_data(profiling, dnnl::profiling_data_kind::time)
                    .empty());
    EXPECT_EQ(dnnl::status::unimplemented, dnnl::set_jit_dump(1));
}

TEST_F(CppAbsent, DescriptorsOfManySourcesMayBeEmptyInstead)
{
    const memory::desc other({3}, dt::f32, tag::a);
    const std::vector<memory::desc> srcs = {vector, other};
    const primitive_attr attr;
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::sum::primitive_desc pd(engine(), {1.0f, 1.0f}, srcs);
    }));
    EXPECT_FALSE(static_cast<bool>(dnnl::sum::primitive_desc(
            engine(), {1.0f, 1.0f}, srcs, attr, true)));
    EXPECT_FALSE(static_cast<bool>(dnnl::sum::primitive_desc(
            engine(), vector, {1.0f, 1.0f}, srcs, attr, true)));
    EXPECT_FALSE(static_cast<bool>(
            dnnl::concat::primitive_desc(engine(), 7, srcs, attr, true)));
    EXPECT_FALSE(static_cast<bool>(dnnl::concat::primitive_desc(
            engine(), vector, 0, srcs, attr, true)));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::sum::primitive_desc pd(engine(), {1.0f}, srcs, attr, true);
    }));
}

TEST(CppNames, AreComparedWithThoseOfC)
{
    EXPECT_TRUE(dt::f32 == dnnl_f32);
    EXPECT_TRUE(dnnl_s8 == dt::s8);
    EXPECT_TRUE(dt::f32 != dnnl_s8);
    EXPECT_FALSE(dnnl_u8 != dt::u8);
    EXPECT_TRUE(tag::nchw == dnnl_abcd);
    EXPECT_TRUE(dnnl_nhwc == tag::acdb);
    EXPECT_TRUE(tag::nchw != dnnl_nhwc);
    EXPECT_FALSE(dnnl_abcd != tag::nchw);
}

TEST(CppNames, AreInTheNamespaceOneapiToo)
{
    const oneapi::dnnl::memory::desc md({2}, dt::f32, tag::a);
    EXPECT_EQ(1, md.get_ndims());
}
