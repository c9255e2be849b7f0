// SPDX-License-Identifier: Apache-2.0
// What every kind of primitive of dnnl_cache.hpp can be made from, and from
// nothing else: looked at by the compiler.
#include "dnnl_cache.hpp"

#include "counted_gtest.h"

#include <type_traits>

using dnnl::primitive;

template <typename kind> class CppKind : public ::testing::Test
{
};

using Kinds = ::testing::Types<dnnl::batch_normalization_forward, dnnl::binary,
        dnnl::concat, dnnl::convolution_forward, dnnl::deconvolution_forward,
        dnnl::eltwise_forward, dnnl::group_normalization_forward,
        dnnl::inner_product_forward, dnnl::layer_normalization_forward,
        dnnl::lrn_forward, dnnl::matmul, dnnl::pooling_forward,
        dnnl::prelu_forward, dnnl::reduction, dnnl::reorder,
        dnnl::resampling_forward, dnnl::shuffle_forward, dnnl::softmax_forward,
        dnnl::sum>;
TYPED_TEST_SUITE(CppKind, Kinds, );

TYPED_TEST(CppKind, IsMadeFromItsDescriptor)
{
    using desc = typename TypeParam::primitive_desc;
    using blob = std::vector<uint8_t>;
    EXPECT_TRUE((std::is_base_of<primitive, TypeParam>::value));
    EXPECT_TRUE((std::is_convertible<const desc &, TypeParam>::value));
    EXPECT_TRUE((std::is_constructible<TypeParam, const desc &,
            const blob &>::value));
    EXPECT_TRUE((std::is_constructible<TypeParam, const desc &,
            const std::vector<blob> &, primitive::binary_kind>::value));
    EXPECT_TRUE(std::is_default_constructible<TypeParam>::value);
    EXPECT_EQ(sizeof(primitive), sizeof(TypeParam));
}

TYPED_TEST(CppKind, IsMadeFromNoOtherDescriptor)
{
    EXPECT_FALSE((std::is_constructible<TypeParam,
            const dnnl::primitive_desc &>::value));
    EXPECT_FALSE((std::is_constructible<TypeParam,
            const_dnnl_primitive_desc_t>::value));
}

// Not called: it need only compile.
dnnl::matmul multiply_braces(
        const dnnl::engine &engine, const dnnl::memory::desc &md);
dnnl::matmul multiply_braces(
        const dnnl::engine &engine, const dnnl::memory::desc &md)
{
    return dnnl::matmul({engine, md, md, md});
}
