// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors, primitives and blobs of dnnl_cache.hpp.
#include "fake_device.hpp"

#include <cstring>

using dnnl::algorithm;
using dnnl::memory;
using dnnl::primitive;
using dnnl::prop_kind;

typedef memory::data_type dt;
typedef memory::format_tag tag;
typedef memory::dims dims;

// ---- Primitive descriptors
// ---------------------------------------------------

class CppPrimitiveDesc : public FakeDevice
{
};

TEST_F(CppPrimitiveDesc, OfEltwiseTellsWhatItIs)
{
    const dnnl::engine e = engine();
    const dnnl::eltwise_forward::primitive_desc pd(e,
            prop_kind::forward_training, algorithm::eltwise_linear,
            vector_desc(8), memory::desc({8}, dt::f32, tag::any), 2.0f, 3.0f);
    EXPECT_EQ(primitive::kind::eltwise, pd.get_kind());
    EXPECT_EQ(prop_kind::forward_training, pd.get_prop_kind());
    EXPECT_EQ(algorithm::eltwise_linear, pd.get_algorithm());
    EXPECT_EQ(2.0f, pd.get_alpha());
    EXPECT_EQ(3.0f, pd.get_beta());
    EXPECT_EQ(e, pd.get_engine());
    EXPECT_EQ(e, pd.scratchpad_engine());
    EXPECT_EQ(vector_desc(8), pd.src_desc());
    EXPECT_EQ(vector_desc(8), pd.dst_desc());
    EXPECT_EQ(vector_desc(8),
            pd.query_md(dnnl::query::exec_arg_md, DNNL_ARG_DST));
    EXPECT_TRUE(pd.weights_desc().is_zero());
    EXPECT_TRUE(pd.workspace_desc().is_zero());
    EXPECT_TRUE(pd.scratchpad_desc().is_zero());
    EXPECT_TRUE(pd.get_strides().empty());
    EXPECT_STRNE("", pd.impl_info_str());
    EXPECT_EQ(0, pd.query_s64(dnnl::query::memory_consumption_s64));
    EXPECT_EQ(pd.get_cache_blob_id().size(),
            static_cast<size_t>(
                    pd.query_s64(dnnl::query::cache_blob_id_size_s64)));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { pd.query_md(dnnl::query::engine); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { pd.query_s64(dnnl::query::engine); }));
}

TEST_F(CppPrimitiveDesc, OfConvolutionTellsWhatItIs)
{
    const dnnl::engine e = engine();
    const memory::desc src({1, 2, 5, 6}, dt::f32, tag::nchw);
    const memory::desc weights({3, 2, 3, 2}, dt::f32, tag::oihw);
    const memory::desc bias({3}, dt::f32, tag::x);
    typedef dnnl::convolution_forward::primitive_desc conv_desc;
    const conv_desc plain(e, prop_kind::forward_inference,
            algorithm::convolution_direct, src, weights,
            memory::desc({1, 3, 3, 5}, dt::f32, tag::nchw), dims({1, 1}),
            dims({0, 0}), dims({0, 0}));
    EXPECT_TRUE(plain.bias_desc().is_zero());
    EXPECT_EQ(dims({0, 0}), plain.get_dilations());
    const conv_desc dilated(e, prop_kind::forward_inference,
            algorithm::convolution_direct, src, weights, bias,
            memory::desc({1, 3, 3, 3}, dt::f32, tag::nchw), dims({1, 2}),
            dims({1, 0}), dims({1, 0}), dims({1, 0}));
    EXPECT_EQ(primitive::kind::convolution, dilated.get_kind());
    EXPECT_EQ(bias, dilated.bias_desc());
    EXPECT_EQ(weights, dilated.weights_desc());
    EXPECT_EQ(dims({1, 2}), dilated.get_strides());
    EXPECT_EQ(dims({1, 0}), dilated.get_dilations());
    EXPECT_EQ(dims({1, 0}), dilated.get_padding_l());
    EXPECT_EQ(dims({1, 0}), dilated.get_padding_r());
    EXPECT_EQ(0.0f, dilated.get_alpha());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        conv_desc(e, prop_kind::forward_inference,
                algorithm::convolution_direct, src, weights, bias,
                memory::desc({1, 3, 3, 5}, dt::f32, tag::nchw), dims({1}),
                dims({0, 0}), dims({0, 0}), dnnl::primitive_attr(), true);
    }));
}

TEST_F(CppPrimitiveDesc, OfDeconvolutionsTellWhatTheyAre)
{
    const dnnl::engine e = engine();
    const memory::desc src({1, 2, 4, 5}, dt::f32, tag::nchw);
    const memory::desc weights({3, 2, 3, 2}, dt::f32, tag::oihw);
    const memory::desc bias({3}, dt::f32, tag::x);
    typedef dnnl::deconvolution_forward::primitive_desc deconv_desc;
    const deconv_desc plain(e, prop_kind::forward_inference,
            algorithm::deconvolution_direct, src, weights,
            memory::desc({1, 3, 6, 6}, dt::f32, tag::nchw), dims({1, 1}),
            dims({0, 0}), dims({0, 0}));
    EXPECT_EQ(primitive::kind::deconvolution, plain.get_kind());
    EXPECT_TRUE(plain.bias_desc().is_zero());
    const deconv_desc dilated(e, prop_kind::forward_inference,
            algorithm::deconvolution_direct, src, weights, bias,
            memory::desc({1, 3, 6, 10}, dt::f32, tag::nchw), dims({1, 2}),
            dims({1, 0}), dims({1, 0}), dims({1, 0}));
    EXPECT_EQ(bias, dilated.bias_desc());
    EXPECT_EQ(dims({1, 2}), dilated.get_strides());
    EXPECT_EQ(dims({1, 0}), dilated.get_dilations());
    EXPECT_EQ(dims({1, 0}), dilated.get_padding_r());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        deconv_desc(e, prop_kind::forward_inference,
                algorithm::convolution_direct, src, weights,
                memory::desc({1, 3, 6, 6}, dt::f32, tag::nchw), dims({1, 1}),
                dims({0, 0}), dims({0, 0}));
    }));
}

TEST_F(CppPrimitiveDesc, OfMatmulAndReorderTellWhatTheyAre)
{
    const dnnl::engine e = engine();
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    const memory::desc square({4, 4}, dt::f32, tag::ab);
    const memory::desc row({1, 4}, dt::f32, tag::ab);
    const dnnl::matmul::primitive_desc product(e, square, square, square);
    EXPECT_EQ(primitive::kind::matmul, product.get_kind());
    EXPECT_TRUE(product.bias_desc().is_zero());
    EXPECT_EQ(prop_kind::undef, product.get_prop_kind());
    EXPECT_EQ(algorithm::undef, product.get_algorithm());
    EXPECT_EQ(row, dnnl::matmul::primitive_desc(e, square, square, row, square)
                           .bias_desc());
    const dnnl::reorder::primitive_desc copy(host, square, e, square);
    EXPECT_EQ(primitive::kind::reorder, copy.get_kind());
    EXPECT_EQ(host, copy.get_src_engine());
    EXPECT_EQ(e, copy.get_dst_engine());
}

TEST_F(CppPrimitiveDesc, OfTwoSourcesTellsWhatItIs)
{
    const dnnl::engine e = engine();
    const memory::desc image({2, 3, 4}, dt::f32, tag::abc);
    const memory::desc channels({1, 3, 1}, dt::f32, tag::abc);
    const memory::desc any({2, 3, 4}, dt::f32, tag::any);
    const dnnl::binary::primitive_desc sum(
            e, algorithm::binary_add, image, channels, any);
    EXPECT_EQ(primitive::kind::binary, sum.get_kind());
    EXPECT_EQ(image, sum.query_md(dnnl::query::exec_arg_md, DNNL_ARG_SRC_0));
    EXPECT_EQ(channels, sum.query_md(dnnl::query::exec_arg_md, DNNL_ARG_SRC_1));
    EXPECT_EQ(image, sum.dst_desc());
    EXPECT_EQ(dnnl_unimplemented, thrown_by([&] {
        dnnl::binary::primitive_desc(
                e, algorithm::binary_select, image, image, image, image);
    }));
    EXPECT_FALSE(static_cast<bool>(
            dnnl::binary::primitive_desc(e, algorithm::binary_add, image,
                    channels, channels, dnnl::primitive_attr(), true)));
    const dnnl::prelu_forward::primitive_desc prelu(
            e, prop_kind::forward_inference, image, channels, any);
    EXPECT_EQ(primitive::kind::prelu, prelu.get_kind());
    EXPECT_EQ(channels, prelu.weights_desc());
    EXPECT_EQ(image, prelu.dst_desc());
}

TEST_F(CppPrimitiveDesc, OfReductionTellsWhatItIs)
{
    const dnnl::engine e = engine();
    const memory::desc image({2, 3, 4}, dt::f32, tag::abc);
    const memory::desc rows({2, 3, 1}, dt::f32, tag::abc);
    const dnnl::reduction::primitive_desc sum(
            e, algorithm::reduction_sum, image, rows, 0.0f, 0.0f);
    EXPECT_EQ(primitive::kind::reduction, sum.get_kind());
    EXPECT_EQ(image, sum.src_desc());
    EXPECT_EQ(rows, sum.dst_desc());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::reduction::primitive_desc(
                e, algorithm::reduction_norm_lp_sum, image, rows, 0.5f, 0.0f);
    }));
    EXPECT_FALSE(static_cast<bool>(
            dnnl::reduction::primitive_desc(e, algorithm::reduction_sum, image,
                    image, 0.0f, 0.0f, dnnl::primitive_attr(), true)));
}

TEST_F(CppPrimitiveDesc, OfResamplingTakesFactorsOrDst)
{
    typedef dnnl::resampling_forward::primitive_desc resampling_desc;
    const dnnl::engine e = engine();
    const memory::desc image({1, 2, 4, 6}, dt::f32, tag::nchw);
    const memory::desc twice({1, 2, 8, 12}, dt::f32, tag::nchw);
    const std::vector<float> factors = {2.0f, 2.0f};
    const resampling_desc of_dst(e, prop_kind::forward_inference,
            algorithm::resampling_linear, image, twice);
    const resampling_desc of_factors(e, prop_kind::forward_inference,
            algorithm::resampling_linear, factors, image);
    EXPECT_EQ(primitive::kind::resampling, of_dst.get_kind());
    EXPECT_EQ(twice, of_factors.dst_desc());
    EXPECT_EQ(of_dst.get_cache_blob_id(), of_factors.get_cache_blob_id());
    // Factors only make a dst that is not given.
    EXPECT_TRUE(static_cast<bool>(resampling_desc(e,
            prop_kind::forward_inference, algorithm::resampling_nearest,
            factors, image, image, dnnl::primitive_attr(), true)));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        resampling_desc(e, prop_kind::forward_inference,
                algorithm::resampling_nearest, {2.0f}, image);
    }));
}

TEST_F(CppPrimitiveDesc, ThatFailsThrowsOrIsEmpty)
{
    const dnnl::engine e = engine();
    const memory::desc square({4, 4}, dt::f32, tag::ab);
    const dnnl::primitive_attr attr;
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::matmul::primitive_desc(e, square, square, vector_desc(4));
    }));
    const dnnl::matmul::primitive_desc empty(
            e, square, square, vector_desc(4), attr, true);
    EXPECT_FALSE(static_cast<bool>(empty));
    EXPECT_EQ(
            dnnl_invalid_arguments, thrown_by([&] { dnnl::matmul p(empty); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { empty.get_cache_blob_id(); }));
    EXPECT_FALSE(static_cast<bool>(dnnl::eltwise_forward::primitive_desc(e,
            prop_kind::forward_inference, algorithm::eltwise_relu,
            vector_desc(4), vector_desc(5), attr, true)));
    EXPECT_FALSE(static_cast<bool>(dnnl::reorder::primitive_desc(
            e, square, e, vector_desc(4), attr, true)));
    EXPECT_FALSE(static_cast<bool>(dnnl::convolution_forward::primitive_desc(e,
            prop_kind::forward_inference, algorithm::convolution_direct,
            memory::desc({1, 1, 4}, dt::f32, tag::abc),
            memory::desc({1, 1, 3}, dt::f32, tag::abc),
            memory::desc({1, 1, 9}, dt::f32, tag::abc), dims({1}), dims({0}),
            dims({0}), attr, true)));
}

TEST_F(CppPrimitiveDesc, HasTheAttributes)
{
    const dnnl::engine e = engine();
    dnnl::post_ops ops;
    dnnl::primitive_attr attr;
    ops.append_eltwise(algorithm::eltwise_relu, 0.0f, 0.0f);
    attr.set_post_ops(ops);
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        ops.append_eltwise(algorithm::convolution_auto, 0.0f, 0.0f);
    }));
    const memory::desc square({4, 4}, dt::f32, tag::ab);
    const dnnl::matmul::primitive_desc with(e, square, square, square, attr);
    const dnnl::matmul::primitive_desc without(e, square, square, square);
    EXPECT_NE(with.get_cache_blob_id(), without.get_cache_blob_id());
}

// ---- Primitives
// --------------------------------------------------------------

class CppPrimitive : public FakeDevice
{
};

TEST_F(CppPrimitive, ReorderOfTwoMemoriesRuns)
{
    const dnnl::engine e = engine();
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    float there[4] = {1, 2, 3, 4};
    float back[4] = {};
    const memory from(vector_desc(4), host, there);
    const memory to(vector_desc(4), host, back);
    const memory m(vector_desc(4), e);
    dnnl::stream s(e);
    dnnl::reorder(from, m).execute(s, from, m);
    dnnl::reorder(m, to).execute(s, {{DNNL_ARG_FROM, m}, {DNNL_ARG_TO, to}});
    s.wait();
    EXPECT_EQ(0, std::memcmp(there, back, sizeof there));
}

TEST_F(CppPrimitive, CacheHasACapacity)
{
    EXPECT_EQ(1024, dnnl::get_primitive_cache_capacity());
    dnnl::set_primitive_cache_capacity(3);
    EXPECT_EQ(3, dnnl::get_primitive_cache_capacity());
}

TEST(CppVersion, IsTheInterfaces)
{
    EXPECT_EQ(DNNL_VERSION_MAJOR, dnnl::version()->major);
    EXPECT_EQ(DNNL_VERSION_MINOR, dnnl::version()->minor);
}

// ---- Engines' blobs
// ----------------------------------------------------------

class CppEngineBlob : public FakeDevice
{
};

TEST_F(CppEngineBlob, IdIsThatOfTheCInterface)
{
    size_t size = 0;
    ASSERT_EQ(dnnl_success,
            dnnl_ocl_interop_engine_get_cache_blob_id(device_, &size, nullptr));
    bytes expected(size);
    ASSERT_EQ(dnnl_success, dnnl_ocl_interop_engine_get_cache_blob_id(
                                    device_, &size, expected.data()));
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(expected, dnnl::ocl_interop::get_engine_cache_blob_id(device_));
}

TEST_F(CppEngineBlob, IsThatOfTheCInterface)
{
    const dnnl::engine e = engine();
    size_t size = 0;
    ASSERT_EQ(dnnl_success,
            dnnl_ocl_interop_engine_get_cache_blob(e.get(), &size, nullptr));
    bytes expected(size);
    ASSERT_EQ(dnnl_success, dnnl_ocl_interop_engine_get_cache_blob(
                                    e.get(), &size, expected.data()));
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(expected, dnnl::ocl_interop::get_engine_cache_blob(e));
}

TEST_F(CppEngineBlob, MakesAnEngineThatCompilesNothing)
{
    bytes blob;
    {
        const dnnl::engine cold = engine();
        blob = dnnl::ocl_interop::get_engine_cache_blob(cold);
    }
    ASSERT_FALSE(blob.empty());
    const unsigned long builds = fake_opencl_source_builds();
    EXPECT_LT(0u, builds);
    const dnnl::engine warm =
            dnnl::ocl_interop::make_engine(device_, context_, blob);
    EXPECT_EQ(device_, dnnl::ocl_interop::get_device(warm));
    EXPECT_EQ(context_, dnnl::ocl_interop::get_context(warm));
    EXPECT_FALSE(relu_desc(warm).get_cache_blob_id().empty());
    EXPECT_EQ(blob, dnnl::ocl_interop::get_engine_cache_blob(warm));
    EXPECT_EQ(builds, fake_opencl_source_builds());
}

TEST_F(CppEngineBlob, ThatIsWrongThrows)
{
    bytes blob = dnnl::ocl_interop::get_engine_cache_blob(engine());
    blob.back() ^= 1;
    EXPECT_EQ(dnnl_cache_blob_corrupt, thrown_by([&] {
        dnnl::ocl_interop::make_engine(device_, context_, blob);
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::ocl_interop::make_engine(device_, context_, bytes());
    }));
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { dnnl::ocl_interop::get_engine_cache_blob(host); }));
}

// ---- Primitives' blobs
// -------------------------------------------------------

class CppPrimitiveBlob : public FakeDevice
{
};

TEST_F(CppPrimitiveBlob, MakesThePrimitiveAgainWithoutACompiler)
{
    bytes engine_blob;
    bytes id;
    bytes blob;
    dnnl::set_primitive_cache_capacity(0);
    {
        const dnnl::engine cold = engine();
        const auto pd = relu_desc(cold);
        id = pd.get_cache_blob_id();
        blob = dnnl::eltwise_forward(pd).get_cache_blob();
        engine_blob = dnnl::ocl_interop::get_engine_cache_blob(cold);
    }
    ASSERT_FALSE(blob.empty());
    const dnnl::engine warm =
            dnnl::ocl_interop::make_engine(device_, context_, engine_blob);
    ASSERT_EQ(dnnl_success, dnnl_cache_engine_set_compile_mode(warm.get(),
                                    dnnl_cache_compile_mode_cached_only));
    const unsigned long builds = fake_opencl_source_builds();
    const auto pd = relu_desc(warm);
    EXPECT_EQ(id, pd.get_cache_blob_id());
    const dnnl::eltwise_forward relu(pd, blob);
    EXPECT_EQ(blob, relu.get_cache_blob());
    EXPECT_EQ(blob, primitive(pd, blob).get_cache_blob());
    EXPECT_EQ(builds, fake_opencl_source_builds());
    const memory m(vector_desc(16), warm);
    dnnl::stream s(warm);
    relu.execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    s.wait();
}

TEST_F(CppPrimitiveBlob, MakesAnInnerProductAgain)
{
    const dnnl::engine e = engine();
    const memory::desc src({3, 5, 2, 2}, dt::u8, tag::acdb);
    const memory::desc weights({7, 5, 2, 2}, dt::s8, tag::any);
    const memory::desc bias({7}, dt::f32, tag::a);
    const memory::desc dst({3, 7}, dt::s32, tag::ab);
    using inner_product = dnnl::inner_product_forward;
    const inner_product::primitive_desc pd(
            e, prop_kind::forward_inference, src, weights, bias, dst);
    EXPECT_EQ(prop_kind::forward_inference, pd.get_prop_kind());
    EXPECT_EQ(src, pd.src_desc());
    EXPECT_EQ(memory::desc({7, 5, 2, 2}, dt::s8, tag::cdba), pd.weights_desc());
    EXPECT_EQ(bias, pd.bias_desc());
    EXPECT_EQ(dst, pd.dst_desc());
    const bytes blob = inner_product(pd).get_cache_blob();
    ASSERT_FALSE(blob.empty());
    EXPECT_EQ(blob, inner_product(pd, blob).get_cache_blob());
    const inner_product::primitive_desc without(
            e, prop_kind::forward_training, src, weights, dst);
    EXPECT_TRUE(without.bias_desc().is_zero());
    const inner_product::primitive_desc wrong(e, prop_kind::forward_training,
            src, weights, weights, dnnl::primitive_attr(), true);
    EXPECT_FALSE(wrong);
}

TEST_F(CppPrimitiveBlob, MakesASoftmaxAgain)
{
    const dnnl::engine e = engine();
    const memory::desc matrix({3, 5}, dt::bf16, tag::ab);
    const dnnl::softmax_forward::primitive_desc pd(e,
            prop_kind::forward_inference, algorithm::softmax_log, matrix,
            matrix, 1);
    EXPECT_EQ(algorithm::softmax_log, pd.get_algorithm());
    EXPECT_EQ(1, pd.get_axis());
    EXPECT_EQ(-1, relu_desc(e).get_axis());
    const bytes blob = dnnl::softmax_forward(pd).get_cache_blob();
    ASSERT_FALSE(blob.empty());
    EXPECT_EQ(blob, dnnl::softmax_forward(pd, blob).get_cache_blob());
    EXPECT_EQ(dnnl_cache_blob_stale,
            thrown_by([&] { dnnl::eltwise_forward p(relu_desc(e), blob); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::softmax_forward::primitive_desc(e, prop_kind::forward_inference,
                algorithm::softmax_log, matrix, matrix, 2);
    }));
}

TEST_F(CppPrimitiveBlob, MakesAPoolingAgain)
{
    const dnnl::engine e = engine();
    const memory::desc src({1, 2, 7, 9}, dt::f32, tag::abcd);
    const memory::desc dst({1, 2, 3, 4}, dt::f32, tag::abcd);
    const dims two({2, 2});
    const dims none({0, 0});
    const auto make = [&](const dims &strides) {
        return dnnl::pooling_forward::primitive_desc(e,
                prop_kind::forward_training, algorithm::pooling_max, src, dst,
                strides, two, none, none, none);
    };
    const auto pd = make(two);
    EXPECT_EQ(algorithm::pooling_max, pd.get_algorithm());
    EXPECT_EQ(two, pd.get_kernel());
    EXPECT_EQ(two, pd.get_strides());
    EXPECT_EQ(dst.get_dims(), pd.workspace_desc().get_dims());
    EXPECT_TRUE(relu_desc(e).get_kernel().empty());
    const bytes blob = dnnl::pooling_forward(pd).get_cache_blob();
    ASSERT_FALSE(blob.empty());
    EXPECT_EQ(blob, dnnl::pooling_forward(pd, blob).get_cache_blob());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { make(dims({2})); }));
}

TEST_F(CppPrimitiveBlob, MakesALocalResponseNormalizationAgain)
{
    const dnnl::engine e = engine();
    const memory::desc image({2, 6, 3, 5}, dt::f32, tag::nhwc);
    const auto make = [&](memory::dim local_size) {
        return dnnl::lrn_forward::primitive_desc(e, prop_kind::forward_training,
                algorithm::lrn_across_channels, image, image, local_size, 1e-4f,
                0.75f, 1.0f);
    };
    const auto pd = make(5);
    EXPECT_EQ(algorithm::lrn_across_channels, pd.get_algorithm());
    EXPECT_EQ(image.get_dims(), pd.workspace_desc().get_dims());
    const bytes blob = dnnl::lrn_forward(pd).get_cache_blob();
    ASSERT_FALSE(blob.empty());
    EXPECT_EQ(blob, dnnl::lrn_forward(pd, blob).get_cache_blob());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { make(0); }));
}

/* mean and variance, scale and shift; what there is not has no dimensions. */
TEST_F(CppPrimitiveBlob, MakesNormalizationsAgain)
{
    using flags = dnnl::normalization_flags;
    const dnnl::engine e = engine();
    const memory::desc image({2, 6, 3, 5}, dt::f32, tag::nhwc);
    const auto scaled = flags::use_scale | flags::use_shift;
    const dnnl::batch_normalization_forward::primitive_desc batch(e,
            prop_kind::forward_training, image, image, 1e-5f,
            scaled | flags::fuse_norm_relu);
    EXPECT_EQ(dims({6}), batch.mean_desc().get_dims());
    EXPECT_EQ(dims({6}), batch.variance_desc().get_dims());
    EXPECT_EQ(dims({6}), batch.weights_desc().get_dims());
    EXPECT_EQ(image.get_dims(), batch.workspace_desc().get_dims());
    const bytes batch_blob =
            dnnl::batch_normalization_forward(batch).get_cache_blob();
    ASSERT_FALSE(batch_blob.empty());
    EXPECT_EQ(batch_blob, dnnl::batch_normalization_forward(batch, batch_blob)
                                  .get_cache_blob());

    const dnnl::layer_normalization_forward::primitive_desc layer(e,
            prop_kind::forward_inference, image, image, dt::bf16, 1e-5f,
            flags::use_shift);
    EXPECT_EQ(0, layer.mean_desc().get_ndims());
    EXPECT_EQ(dt::bf16, layer.weights_desc().get_data_type());
    const bytes layer_blob =
            dnnl::layer_normalization_forward(layer).get_cache_blob();
    EXPECT_EQ(layer_blob, dnnl::layer_normalization_forward(layer, layer_blob)
                                  .get_cache_blob());

    const dnnl::group_normalization_forward::primitive_desc group(
            e, prop_kind::forward_training, image, image, 3, 1e-5f, scaled);
    EXPECT_EQ(dims({2, 3}), group.mean_desc().get_dims());
    const bytes group_blob =
            dnnl::group_normalization_forward(group).get_cache_blob();
    EXPECT_EQ(group_blob, dnnl::group_normalization_forward(group, group_blob)
                                  .get_cache_blob());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::group_normalization_forward::primitive_desc(
                e, prop_kind::forward_training, image, image, 4, 1e-5f, scaled);
    }));
}

TEST_F(CppPrimitiveBlob, ThatIsWrongThrows)
{
    const dnnl::engine e = engine();
    const auto pd = relu_desc(e);
    const bytes good = dnnl::eltwise_forward(pd).get_cache_blob();
    bytes damaged = good;
    damaged[damaged.size() / 2] ^= 1;
    EXPECT_EQ(dnnl_cache_blob_corrupt,
            thrown_by([&] { dnnl::eltwise_forward p(pd, damaged); }));
    EXPECT_EQ(dnnl_cache_blob_stale, thrown_by([&] {
        dnnl::eltwise_forward p(relu_desc(e, 17), good);
    }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { dnnl::eltwise_forward p(pd, bytes()); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { primitive p(pd, {}); }));
}

TEST_F(CppPrimitiveBlob, OfNothingMakesItAgain)
{
    const dnnl::engine e = engine();
    const auto pd = relu_desc(e, 0);
    const dnnl::eltwise_forward nothing(pd);
    EXPECT_FALSE(pd.get_cache_blob_id().empty());
    const bytes blob = nothing.get_cache_blob();
    EXPECT_FALSE(blob.empty());
    const dnnl::eltwise_forward again(pd, blob);
    EXPECT_EQ(blob, again.get_cache_blob());
}

// ---- The same as lists of binaries
// -------------------------------------------

class CppBinaries : public FakeDevice
{
};

TEST_F(CppBinaries, MakeThePrimitiveAgainWithoutACompiler)
{
    const auto kernel = primitive::binary_kind::kernel;
    bytes id;
    std::vector<bytes> binaries;
    {
        const dnnl::engine cold = engine();
        const auto pd = relu_desc(cold);
        const primitive relu(pd);
        id = pd.get_id();
        binaries = relu.get_binaries(kernel);
        EXPECT_EQ(std::vector<bytes>({relu.get_cache_blob()}), binaries);
    }
    dnnl::set_primitive_cache_capacity(0);
    const dnnl::engine warm = engine();
    const auto pd = relu_desc(warm);
    EXPECT_EQ(id, pd.get_id());
    EXPECT_EQ(id, pd.get_cache_blob_id());
    const unsigned long builds = fake_opencl_source_builds();
    const primitive relu(pd, binaries, kernel);
    const dnnl::eltwise_forward typed(pd, binaries, kernel);
    EXPECT_EQ(binaries, relu.get_binaries(kernel));
    EXPECT_EQ(binaries, typed.get_binaries(kernel));
    EXPECT_EQ(builds, fake_opencl_source_builds());
}

TEST_F(CppBinaries, ThatAreNotOnesThrow)
{
    const auto kernel = primitive::binary_kind::kernel;
    const auto other = static_cast<primitive::binary_kind>(1);
    const dnnl::engine e = engine();
    const auto pd = relu_desc(e);
    const primitive relu(pd);
    std::vector<bytes> binaries = relu.get_binaries(kernel);
    EXPECT_EQ(dnnl_unimplemented, thrown_by([&] { relu.get_binaries(other); }));
    EXPECT_EQ(dnnl_unimplemented,
            thrown_by([&] { primitive p(pd, binaries, other); }));
    EXPECT_EQ(dnnl_cache_blob_stale, thrown_by([&] {
        primitive p(relu_desc(e, 17), binaries, kernel);
    }));
    binaries.push_back(binaries.front());
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { primitive p(pd, binaries, kernel); }));
    binaries.clear();
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { primitive p(pd, binaries, kernel); }));
}

// A copy between host and device has nothing compiled, and a blob of that.
TEST_F(CppBinaries, OfACopyToTheHostMakeItAgain)
{
    const dnnl::engine e = engine();
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    const memory::desc md = vector_desc(4);
    const dnnl::reorder::primitive_desc pd(e, md, host, md);
    const dnnl::reorder copy(pd);
    const auto binaries = copy.get_binaries(primitive::binary_kind::kernel);
    EXPECT_EQ(1u, binaries.size());
    const dnnl::reorder again(pd, binaries, primitive::binary_kind::kernel);
    EXPECT_EQ(binaries, again.get_binaries(primitive::binary_kind::kernel));
}
