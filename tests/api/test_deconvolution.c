/* SPDX-License-Identifier: Apache-2.0 */
#include "convolutions.h"
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void check_all(const struct sizes *sizes, size_t count,
        const struct tags *tags, const struct types *types)
{
    convolution_check_all(true, sizes, count, tags, types);
}

/* ---- Windows ------------------------------------------------------------- */

TEST_C(Deconvolution, ComputesImagesOfOddSizes)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 1, 9, {1, 1}, {1, 1}, ONE, NONE, NONE, NONE},
            {2, 2, 1, 3, 65, {7, 5}, {3, 2}, ONE, NONE, NONE, NONE},
            {2, 1, 1, 5, 11, {3, 67}, {1, 3}, ONE, NONE, {0, 1}, {0, 1}},
            {2, 1, 1, 67, 13, {3, 4}, {2, 2}, {2, 2}, NONE, NONE, NONE},
            {2, 3, 1, 7, 13, {1, 1}, {6, 6}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* As convolutions, see test_convolution.c; negative padding adds planes. */
TEST_C(Deconvolution, TellsRunsAndASinglePlane)
{
    static const struct sizes sizes[] = {
            {3, 1, 1, 1, 1, {9, 3, 4}, {3, 2, 2}, {2, 2, 1}, {0, 0, 3},
                    {0, 2, 0}, {1, 0, 2}},
            {3, 1, 1, 2, 1, {1, 5, 5}, {1, 3, 3}, ONE, NONE, NONE, {-1, 0, 0}},
            {3, 1, 1, 2, 1, {1, 5, 5}, {1, 3, 3}, {2, 1, 1}, NONE, NONE,
                    {-2, 0, 0}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Deconvolution, TakesOneAndThreeSpatialDimensions)
{
    static const struct sizes sizes[] = {
            {1, 2, 1, 3, 10, {29}, {4}, {2}, {1}, {2}, {3}},
            {1, 1, 1, 37, 17, {1}, {1}, ONE, NONE, NONE, NONE},
            {3, 2, 1, 2, 9, {4, 5, 6}, {2, 3, 2}, {1, 2, 3}, NONE, {1, 1, 0},
                    {1, 1, 1}},
            {3, 1, 1, 2, 9, {3, 3, 3}, {3, 1, 2}, ONE, {1, 0, 2}, {2, 0, 1},
                    {0, 0, 2}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* Strides and dilations with and without common factors, windows smaller than
 * the stride (some of dst is reached from nowhere), paddings of all sorts: a
 * negative one behind is more of dst. */
TEST_C(Deconvolution, StepsDilatesAndPads)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 4, 12, {9, 11}, {3, 3}, {2, 3}, NONE, {1, 1}, {1, 1}},
            {2, 1, 1, 4, 12, {5, 6}, {3, 3}, {2, 4}, {1, 1}, {2, 3}, {1, 0}},
            {2, 1, 1, 2, 12, {4, 3}, {3, 2}, {6, 4}, {3, 5}, {3, 0}, {0, 2}},
            {2, 2, 1, 2, 12, {4, 3}, {2, 1}, {5, 7}, NONE, NONE, {-5, -3}},
            {2, 1, 1, 2, 12, {4, 6}, {4, 3}, {1, 2}, {2, 0}, {7, 5}, {3, 1}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Deconvolution, KeepsGroupsApart)
{
    static const struct sizes sizes[] = {
            {2, 2, 3, 6, 27, {5, 6}, {3, 2}, {2, 1}, NONE, {1, 0}, {1, 1}},
            {1, 1, 2, 10, 22, {8}, {3}, {2}, NONE, {1}, {1}},
            {2, 1, 19, 19, 19, {4, 5}, {3, 3}, {2, 2}, NONE, {1, 1}, {1, 1}},
            {2, 2, 5, 5, 10, {4, 3}, {3, 3}, {2, 2}, NONE, {1, 1}, {0, 1}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* ---- Layouts ------------------------------------------------------------- */

TEST_C(Deconvolution, MixesLayouts)
{
    static const struct sizes sizes[] = {
            {2, 2, 1, 16, 12, {6, 7}, {3, 3}, {2, 2}, NONE, {1, 1}, {1, 1}},
            {2, 1, 1, 5, 67, {5, 4}, {2, 3}, {2, 1}, {0, 1}, {0, 2}, {1, 1}},
            {2, 1, 2, 34, 20, {5, 5}, {3, 3}, {3, 2}, NONE, {1, 1}, {1, 1}},
            {2, 1, 1, 40, 9, {8, 8}, {1, 1}, ONE, NONE, NONE, NONE}};
    static const struct tags tags[] = {
            {dnnl_nhwc, dnnl_ohwi, dnnl_hwigo, dnnl_nhwc},
            {dnnl_chwn, dnnl_iohw, dnnl_giohw, dnnl_nchw}};
    for (size_t i = 0; i < COUNT(tags); i++)
        check_all(sizes, COUNT(sizes), &tags[i], &all_f32);
}

TEST_C(Deconvolution, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct convolution c;
    const struct sizes sizes = {
            2, 2, 1, 3, 9, {3, 3}, {2, 2}, {2, 3}, NONE, {1, 1}, {0, 1}};
    convolution_init(&c, true, &sizes, &plain_tags[1], &all_f32_and_bias);
    tensor_fini(&c.src);
    tensor_fini(&c.weights);
    tensor_fini(&c.bias);
    tensor_fini(&c.dst);
    tensor_init_strided(&c.src, dnnl_f32, 4, (dnnl_dims_t){2, 3, 3, 3},
            (dnnl_dims_t){200, 51, 12, 2});
    tensor_init_strided(&c.weights, dnnl_f32, 4, (dnnl_dims_t){9, 3, 2, 2},
            (dnnl_dims_t){13, 4, 2, 1});
    tensor_init_strided(
            &c.bias, dnnl_f32, 1, (dnnl_dims_t){9}, (dnnl_dims_t){3});
    tensor_init_strided(&c.dst, dnnl_f32, 4, (dnnl_dims_t){2, 9, 5, 6},
            (dnnl_dims_t){1000, 100, 15, 2});
    convolution_check(&c, &seed);
}

TEST_C(Deconvolution, ChoosesPlainLayoutsForAny)
{
    dnnl_memory_desc_t md[3];
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
    const dnnl_dims_t dims[3] = {{1, 3, 4, 4}, {4, 3, 3, 3}, {1, 4, 6, 6}};
    const dnnl_query_t tensors[] = {
            dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
    const dnnl_dims_t ones = ONE;
    const dnnl_dims_t zeros = NONE;
    const dnnl_dims_t *strides = NULL;
    for (int i = 0; i < 3; i++)
        md[i] = tagged_md(4, dims[i], dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_deconvolution_forward_primitive_desc_create(&pd,
            test_engine(), dnnl_forward_training, dnnl_deconvolution_direct,
            md[0], md[1], NULL, md[2], ones, NULL, zeros, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        dnnl_memory_desc_t plain = plain_md(4, dims[i], dnnl_f32);
        EXPECT_DESC(plain, pd, tensors[i], 0);
    }
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind));
    EXPECT_EQ(dnnl_deconvolution, kind);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_strides, 0, &strides));
    EXPECT_EQ(1, (*strides)[1]);
    dnnl_primitive_desc_destroy(pd);
}

/* ---- Bias, post-ops, types, empty ---------------------------------------- */

TEST_C(Deconvolution, AddsBiasAndAppliesPostOps)
{
    uint64_t seed = test_seed();
    struct convolution c;
    const struct sizes sizes = {
            2, 2, 2, 6, 22, {4, 3}, {3, 3}, {2, 2}, NONE, {1, 1}, {1, 1}};
    convolution_init(&c, true, &sizes, &plain_tags[1], &all_f32_and_bias);
    c.chain = (struct chain){2, {{dnnl_eltwise_relu, 0.1f, 0.0f},
                                        {dnnl_eltwise_clip, -0.2f, 1.5f}}};
    convolution_check(&c, &seed);
}

TEST_C(Deconvolution, SumsUpBytesExactly)
{
    static const struct sizes sizes[] = {
            {2, 2, 1, 37, 12, {4, 3}, {3, 3}, {2, 1}, NONE, {1, 1}, {1, 0}}};
    static const struct types types = {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32};
    check_all(sizes, COUNT(sizes), NULL, &types);
}

TEST_C(Deconvolution, LeavesAnEmptyResultAlone)
{
    static const struct sizes sizes[] = {
            {2, 0, 1, 3, 9, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE},
            {2, 1, 1, 3, 0, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Deconvolution, SumsUpNothingToBias)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 0, 9, {3, 4}, {3, 3}, {2, 2}, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32_and_bias);
}

/* A window of which nothing is placed leaves some of dst. */
TEST_C(Deconvolution, TakesAnEmptyImage)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 3, 9, {0, 4}, {3, 3}, {1, 2}, NONE, NONE, NONE},
            {2, 2, 1, 3, 9, {0, 0}, {3, 5}, {2, 2}, NONE, NONE, {0, 1}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
    check_all(sizes, COUNT(sizes), NULL, &all_f32_and_bias);
}

TEST_C(Deconvolution, TakesRandomEmptyTensors)
{
    convolution_check_empty(true, 12);
}

static void compute_random_shapes(int count)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < count && !test_has_failed(); i++) {
        struct sizes s = {.spatial = 2};
        struct convolution c;
        s.images = 1 + random_below(&seed, 2);
        s.groups = 1 + random_below(&seed, 2);
        s.in = s.groups * (1 + random_below(&seed, 20));
        s.out = s.groups * (9 + random_below(&seed, 30));
        for (int d = 0; d < 2; d++) {
            s.size[d] = 2 + random_below(&seed, 6);
            s.kernel[d] = 2 + random_below(&seed, 4);
            s.stride[d] = 1 + random_below(&seed, 4);
            s.dilate[d] = random_below(&seed, 3);
            s.left[d] = random_below(&seed, 2);
            s.right[d] = random_below(&seed, 2) - random_below(&seed, 2);
        }
        convolution_init(&c, true, &s, &plain_tags[1], &all_f32);
        convolution_check(&c, &seed);
    }
}

TEST_C(Deconvolution, ComputesRandomShapes)
{
    compute_random_shapes(4);
}

TEST_C(Deconvolution, ComputesManyRandomShapes)
{
    compute_random_shapes(25);
}

/* ---- Arguments ----------------------------------------------------------- */

static dnnl_status_t try_call(const struct convolution *c)
{
    return try_describe(convolution_describe, c);
}

TEST_C(Deconvolution, RefusesWhatContradicts)
{
    struct convolution good;
    struct convolution c;
    dnnl_primitive_desc_t pd = NULL;
    const struct sizes sizes = {
            2, 1, 2, 4, 6, {4, 5}, {3, 3}, {2, 2}, NONE, {1, 1}, {1, 1}};
    convolution_init(&good, true, &sizes, &plain_tags[1], &all_f32_and_bias);
    EXPECT_OK(try_call(&good));
#define REFUSES(change) \
    c = good;           \
    change;             \
    EXPECT_STATUS(dnnl_invalid_arguments, try_call(&c))
    REFUSES(c.window.strides[0] = 0);
    REFUSES(c.window.strides[1] = 3);
    REFUSES(c.window.dilates[1] = -1);
    REFUSES(c.window.dilates[1] = INT64_MAX);
    REFUSES(c.window.padding_l[0] = -1);
    REFUSES(c.window.padding_l[0] = INT64_MAX);
    REFUSES(c.padding_r[1] = -3);
    REFUSES(c.src.md = good.dst.md);
    REFUSES(c.weights.md = good.src.md);
    REFUSES(c.bias.md = good.src.md);
    /* The shapes of a convolution. */
    REFUSES(c.src.md = good.dst.md; c.dst.md = good.src.md);
#undef REFUSES
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_deconvolution_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_backward_data, dnnl_deconvolution_direct, good.src.md,
                    good.weights.md, NULL, good.dst.md, good.window.strides,
                    NULL, good.window.padding_l, NULL, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_deconvolution_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, dnnl_convolution_direct,
                    good.src.md, good.weights.md, NULL, good.dst.md,
                    good.window.strides, NULL, good.window.padding_l, NULL,
                    NULL));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_deconvolution_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, dnnl_deconvolution_winograd,
                    good.src.md, good.weights.md, NULL, good.dst.md,
                    good.window.strides, NULL, good.window.padding_l, NULL,
                    NULL));
    EXPECT_TRUE(pd == NULL);
    convolution_fini(&good);
}

/* ---- Cases of ONNX ------------------------------------------------------- */

/* Output padding is padding behind that is left out. Weights are there by
 * input channel. */
TEST_C(Deconvolution, AgreesWithOnnx)
{
    static const struct {
        const char *name;
        struct sizes sizes;
        const struct types *types;
    } cases[] = {{"ConvTranspose2d",
                         {2, 1, 1, 3, 4, {7, 6}, {3, 3}, {3, 2}, NONE, {1, 1},
                                 {0, 0}},
                         &all_f32_and_bias},
            {"operator_convtranspose",
                    {2, 2, 1, 3, 3, {4, 5}, {3, 3}, {3, 3}, NONE, {1, 1},
                            {-1, -1}},
                    &all_f32}};
    static const struct tags tags = {
            dnnl_nchw, dnnl_iohw, dnnl_giohw, dnnl_nchw};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct convolution c;
        convolution_init(&c, true, &cases[i].sizes, &tags, cases[i].types);
        convolution_run_onnx(&c, cases[i].name);
    }
}
