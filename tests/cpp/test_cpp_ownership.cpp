// SPDX-License-Identifier: Apache-2.0
// Who owns the objects of the C interface that classes of dnnl_cache.hpp are
// made from, and which of these conversions are implicit: as in oneDNN.
#include "fake_device.hpp"

#include <type_traits>

using dnnl::algorithm;
using dnnl::engine;
using dnnl::memory;
using dnnl::prop_kind;
using dnnl::stream;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace
{

const prop_kind inference = prop_kind::forward_inference;
const dnnl::normalization_flags no_flags = dnnl::normalization_flags::none;

memory::desc tensor(const memory::dims &dims)
{
    const tag tags[] = {tag::a, tag::ab, tag::abc, tag::abcd};
    return memory::desc(dims, dt::f32, tags[dims.size() - 1]);
}

// A descriptor of each kind of primitive.
template <typename kind> struct small;

#define SMALL(kind, ...)                                        \
    template <> struct small<dnnl::kind> {                      \
        static dnnl::kind::primitive_desc make(const engine &e) \
        {                                                       \
            return dnnl::kind::primitive_desc(__VA_ARGS__);     \
        }                                                       \
    }

SMALL(batch_normalization_forward, e, inference, tensor({2, 4, 8}),
        tensor({2, 4, 8}), 1e-5f, no_flags);
SMALL(binary, e, algorithm::binary_add, tensor({8}), tensor({8}), tensor({8}));
SMALL(concat, e, 0, {tensor({8}), tensor({8})});
SMALL(convolution_forward, e, inference, algorithm::convolution_direct,
        tensor({1, 1, 4}), tensor({1, 1, 3}), tensor({1, 1, 2}), {1}, {0}, {0});
SMALL(deconvolution_forward, e, inference, algorithm::deconvolution_direct,
        tensor({1, 1, 2}), tensor({1, 1, 3}), tensor({1, 1, 4}), {1}, {0}, {0});
SMALL(eltwise_forward, e, inference, algorithm::eltwise_abs, tensor({8}),
        tensor({8}));
SMALL(group_normalization_forward, e, inference, tensor({2, 4, 8}),
        tensor({2, 4, 8}), 2, 1e-5f, no_flags);
SMALL(inner_product_forward, e, inference, tensor({2, 4}), tensor({3, 4}),
        tensor({2, 3}));
SMALL(layer_normalization_forward, e, inference, tensor({2, 4}), tensor({2, 4}),
        1e-5f, no_flags);
SMALL(lrn_forward, e, inference, algorithm::lrn_across_channels,
        tensor({1, 4, 2, 2}), tensor({1, 4, 2, 2}), 3, 1.0f, 0.75f, 1.0f);
SMALL(matmul, e, tensor({2, 3}), tensor({3, 4}), tensor({2, 4}));
SMALL(pooling_forward, e, inference, algorithm::pooling_max, tensor({1, 1, 4}),
        tensor({1, 1, 2}), {2}, {2}, {0}, {0}, {0});
SMALL(prelu_forward, e, inference, tensor({2, 4}), tensor({1, 4}),
        tensor({2, 4}));
SMALL(reduction, e, algorithm::reduction_sum, tensor({2, 4}), tensor({1, 4}),
        0.0f, 0.0f);
SMALL(reorder, e, tensor({8}), e, tensor({8}));
SMALL(resampling_forward, e, inference, algorithm::resampling_nearest,
        tensor({1, 1, 4}), tensor({1, 1, 8}));
SMALL(shuffle_forward, e, inference, tensor({2, 4}), tensor({2, 4}), 1, 2);
SMALL(softmax_forward, e, inference, algorithm::softmax_accurate,
        tensor({2, 4}), tensor({2, 4}), 1);
SMALL(sum, e, std::vector<float>({1.0f, 2.0f}), {tensor({8}), tensor({8})});
#undef SMALL

// True if a C object becomes a C++ one without a word.
template <typename from, typename to> constexpr bool implicit()
{
    return std::is_convertible<from, to>::value;
}

// True if it has to be asked for.
template <typename from, typename to> constexpr bool explicit_only()
{
    return std::is_constructible<to, from>::value && !implicit<from, to>();
}

} // namespace

class CppConversion : public FakeDevice
{
};

template <typename kind> class CppOwnership : public FakeDevice
{
};

typedef ::testing::Types<dnnl::batch_normalization_forward, dnnl::binary,
        dnnl::concat, dnnl::convolution_forward, dnnl::deconvolution_forward,
        dnnl::eltwise_forward, dnnl::group_normalization_forward,
        dnnl::inner_product_forward, dnnl::layer_normalization_forward,
        dnnl::lrn_forward, dnnl::matmul, dnnl::pooling_forward,
        dnnl::prelu_forward, dnnl::reduction, dnnl::reorder,
        dnnl::resampling_forward, dnnl::shuffle_forward, dnnl::softmax_forward,
        dnnl::sum>
        Kinds;
TYPED_TEST_SUITE(CppOwnership, Kinds, );

TYPED_TEST(CppOwnership, DescriptorIsACopyOfOneOfC)
{
    typedef typename TypeParam::primitive_desc desc;
    const engine e = this->engine();
    const desc pd = small<TypeParam>::make(e);
    const dnnl::primitive::kind kind = pd.get_kind();
    desc kept;
    {
        const desc other(pd.get());
        const desc third = pd.get();
        EXPECT_EQ(kind, other.get_kind());
        EXPECT_EQ(pd.get_cache_blob_id(), third.get_cache_blob_id());
        kept = third.get();
    }
    EXPECT_EQ(kind, kept.get_kind());
    EXPECT_EQ(kind, pd.get_kind());
    EXPECT_FALSE(static_cast<bool>(desc(nullptr)));
}

TYPED_TEST(CppOwnership, DescriptorIsACopyOfAPrimitives)
{
    typedef typename TypeParam::primitive_desc desc;
    desc kept;
    {
        const TypeParam primitive(small<TypeParam>::make(this->engine()));
        const_dnnl_primitive_desc_t own = primitive.get_primitive_desc();
        const desc pd(const_cast<dnnl_primitive_desc_t>(own));
        EXPECT_EQ(own, primitive.get_primitive_desc());
        kept = pd;
        /* Made from it again, in three ways. */
        const TypeParam second(pd);
        const dnnl::primitive third = own;
        const TypeParam fourth = {const_cast<dnnl_primitive_desc_t>(own)};
        EXPECT_EQ(primitive.get_kind(), third.get_kind());
        EXPECT_EQ(second.get_cache_blob(), fourth.get_cache_blob());
    }
    EXPECT_NE(dnnl::primitive::kind::undef, kept.get_kind());
}

TYPED_TEST(CppOwnership, DescriptorOfAnotherKindIsRefusedAndStaysTheCallers)
{
    typedef typename TypeParam::primitive_desc desc;
    const bool is_sum = std::is_same<TypeParam, dnnl::sum>::value;
    dnnl_primitive_desc_t c_pd = nullptr;
    const engine e = this->engine();
    const dnnl::concat::primitive_desc concat = small<dnnl::concat>::make(e);
    const dnnl::sum::primitive_desc sum = small<dnnl::sum>::make(e);
    ASSERT_EQ(dnnl_success, dnnl_primitive_desc_clone(
                                    &c_pd, is_sum ? concat.get() : sum.get()));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { desc pd(c_pd); }));
    EXPECT_EQ(dnnl_success, dnnl_primitive_desc_destroy(c_pd));
}

TYPED_TEST(CppOwnership, DescriptorOfAnyKindTakesOver)
{
    const auto pd = small<TypeParam>::make(this->engine());
    dnnl_primitive_desc_t c_pd = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_primitive_desc_clone(&c_pd, pd.get()));
    const dnnl::primitive_desc any(c_pd);
    EXPECT_EQ(c_pd, any.get());
    const dnnl::primitive_desc_base weak(pd.get(), true);
    EXPECT_EQ(pd.get(), weak.get());
}

TYPED_TEST(CppOwnership, ConversionsAreImplicit)
{
    typedef typename TypeParam::primitive_desc desc;
    EXPECT_TRUE((implicit<dnnl_primitive_desc_t, desc>()));
    EXPECT_FALSE(
            (std::is_constructible<desc, dnnl_primitive_desc_t, bool>::value));
    EXPECT_FALSE(
            (std::is_constructible<desc, const_dnnl_primitive_desc_t>::value));
    EXPECT_TRUE((implicit<const desc &, TypeParam>()));
    EXPECT_TRUE((implicit<const desc &, dnnl::primitive_desc_base>()));
    EXPECT_TRUE((explicit_only<const desc &, dnnl_primitive_desc_t>()));
    EXPECT_FALSE((std::is_constructible<TypeParam, dnnl_primitive_t>::value));
}

TEST_F(CppConversion, DescriptorOfAnotherDirectionIsRefused)
{
    const auto pd = small<dnnl::eltwise_forward>::make(engine());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::eltwise_backward::primitive_desc backward(pd.get());
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        dnnl::lstm_forward::primitive_desc recurrent(pd.get());
    }));
    EXPECT_EQ(dnnl::primitive::kind::eltwise, pd.get_kind());
}

TEST_F(CppConversion, OfCObjectsIsExplicitButForFour)
{
    EXPECT_TRUE((explicit_only<dnnl_engine_t, dnnl::engine>()));
    EXPECT_TRUE((explicit_only<dnnl_stream_t, stream>()));
    EXPECT_TRUE((explicit_only<dnnl_memory_t, memory>()));
    EXPECT_TRUE((explicit_only<dnnl_primitive_t, dnnl::primitive>()));
    EXPECT_TRUE((explicit_only<dnnl_primitive_desc_t, dnnl::primitive_desc>()));
    EXPECT_TRUE((
            explicit_only<dnnl_primitive_desc_t, dnnl::primitive_desc_base>()));
    EXPECT_TRUE((implicit<dnnl_memory_desc_t, memory::desc>()));
    EXPECT_TRUE((implicit<dnnl_post_ops_t, dnnl::post_ops>()));
    EXPECT_TRUE((implicit<dnnl_primitive_attr_t, dnnl::primitive_attr>()));
    EXPECT_TRUE((implicit<const_dnnl_primitive_desc_t, dnnl::primitive>()));
    EXPECT_FALSE((std::is_constructible<memory::desc,
            const_dnnl_memory_desc_t>::value));
    EXPECT_FALSE((std::is_constructible<dnnl::primitive_attr,
            const_dnnl_primitive_attr_t>::value));
}

TEST_F(CppConversion, OfOtherThingsIsAsInOneDNN)
{
    EXPECT_TRUE((explicit_only<const dnnl::engine &, stream>()));
    EXPECT_TRUE((implicit<const std::vector<uint8_t> &, memory::desc>()));
    EXPECT_TRUE((implicit<const dnnl::primitive_desc &, dnnl::primitive>()));
    EXPECT_TRUE((explicit_only<dnnl::engine, dnnl_engine_t>()));
    EXPECT_TRUE((explicit_only<dnnl::engine, bool>()));
    EXPECT_TRUE((explicit_only<memory::desc, dnnl_memory_desc_t>()));
    EXPECT_TRUE((explicit_only<memory, bool>()));
}

TEST_F(CppConversion, OfDescriptorsPostOpsAndAttributesTakesOver)
{
    const memory::desc md = tensor({2, 3});
    dnnl_memory_desc_t c_md = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_memory_desc_clone(&c_md, md.get()));
    const memory::desc taken = c_md;
    EXPECT_EQ(c_md, taken.get());
    const memory::desc weak(md.get(), true);
    EXPECT_EQ(md.get(), weak.get());

    dnnl_post_ops_t c_ops = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_post_ops_create(&c_ops));
    const dnnl::post_ops ops = c_ops;
    EXPECT_EQ(c_ops, ops.get());
    EXPECT_EQ(c_ops, dnnl::post_ops(ops.get(), true).get());

    dnnl_primitive_attr_t c_attr = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_primitive_attr_create(&c_attr));
    const dnnl::primitive_attr attr = c_attr;
    EXPECT_EQ(c_attr, attr.get());
    EXPECT_EQ(c_attr, dnnl::primitive_attr(attr.get(), true).get());
}

TEST_F(CppConversion, OfACPrimitiveTakesOver)
{
    const auto pd = small<dnnl::eltwise_forward>::make(engine());
    dnnl_primitive_t c_primitive = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_primitive_create(&c_primitive, pd.get()));
    const dnnl::primitive primitive(c_primitive);
    EXPECT_EQ(c_primitive, primitive.get());
    EXPECT_EQ(dnnl::primitive::kind::eltwise, primitive.get_kind());
}

TEST_F(CppConversion, WhatGettersGiveOutlivesTheirObject)
{
    memory::desc md;
    dnnl::primitive_attr attr;
    dnnl::post_ops ops;
    memory::desc operand;
    {
        dnnl::post_ops chain;
        dnnl::primitive_attr with;
        chain.append_binary(algorithm::binary_add, tensor({1, 3}));
        with.set_post_ops(chain);
        const dnnl::matmul::primitive_desc pd(
                engine(), tensor({2, 3}), tensor({3, 3}), tensor({2, 3}), with);
        md = pd.dst_desc();
        attr = pd.get_primitive_attr();
        ops = attr.get_post_ops();
        algorithm is = algorithm::undef;
        ops.get_params_binary(0, is, operand);
    }
    EXPECT_EQ(memory::dims({2, 3}), md.get_dims());
    EXPECT_EQ(1, attr.get_post_ops().len());
    EXPECT_EQ(dnnl::primitive::kind::binary, ops.kind(0));
    EXPECT_EQ(memory::dims({1, 3}), operand.get_dims());
}
