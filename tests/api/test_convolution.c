/* SPDX-License-Identifier: Apache-2.0 */
#include "convolutions.h"
#include "run_primitive.h"
#include "test.h"
#include "test_platform.h"

#include <string.h>

static const struct tags channels_last = {
        dnnl_nhwc, dnnl_ohwi, dnnl_hwigo, dnnl_nhwc};

static void init(struct convolution *c, const struct sizes *sizes,
        const struct types *types)
{
    convolution_init(c, false, sizes, &plain_tags[sizes->spatial - 1], types);
}

static void check_all(const struct sizes *sizes, size_t count,
        const struct tags *tags, const struct types *types)
{
    convolution_check_all(false, sizes, count, tags, types);
}

/* ---- Windows ------------------------------------------------------------- */

TEST_C(Convolution, ComputesImagesOfOddSizes)
{
    static const struct sizes sizes[] = {
            /* A single place; one row of a tile more than full; long lines,
             * which are copied in runs. */
            {2, 1, 1, 1, 9, {1, 1}, {1, 1}, ONE, NONE, NONE, NONE},
            {2, 2, 1, 3, 65, {7, 5}, {3, 2}, ONE, NONE, NONE, NONE},
            {2, 1, 1, 5, 11, {3, 67}, {1, 3}, ONE, NONE, {0, 1}, {0, 1}},
            {2, 3, 1, 7, 13, {6, 6}, {6, 6}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, TakesOneAndThreeSpatialDimensions)
{
    static const struct sizes sizes[] = {
            {1, 2, 1, 3, 10, {29}, {4}, {2}, {1}, {2}, {3}},
            {1, 1, 1, 37, 17, {1}, {1}, ONE, NONE, NONE, NONE},
            {3, 2, 1, 2, 9, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, NONE, {1, 1, 0},
                    {1, 1, 1}},
            {3, 1, 1, 2, 9, {5, 5, 5}, {3, 1, 2}, ONE, {1, 0, 2}, {2, 0, 1},
                    {0, 0, 2}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* Sixteen pixels that follow each other in dst: in src the steps from line to
 * line and from plane to plane, or image to image, add up to none. */
TEST_C(Convolution, TellsRunsWithStepsThatAddUpToNone)
{
    static const struct sizes sizes[] = {
            {2, 2, 1, 1, 1, {3, 5}, {1, 3}, ONE, NONE, {1, 0}, {1, 0}},
            {2, 2, 1, 3, 33, {3, 5}, {1, 3}, ONE, NONE, {1, 0}, {1, 0}},
            {2, 2, 2, 4, 4, {3, 5}, {1, 3}, ONE, NONE, {1, 0}, {1, 0}},
            {2, 1, 1, 1, 7, {14, 6}, {3, 7}, ONE, NONE, {2, 3}, {1, 1}},
            {3, 1, 1, 1, 1, {2, 3, 5}, {1, 1, 3}, ONE, NONE, {0, 1, 0},
                    {0, 1, 0}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* The one plane has nothing but padding before and behind it. */
TEST_C(Convolution, PadsASinglePlane)
{
    static const struct sizes sizes[] = {
            {3, 1, 1, 2, 1, {1, 5, 5}, {1, 3, 3}, ONE, NONE, ONE, ONE},
            {3, 2, 1, 3, 17, {1, 6, 7}, {1, 3, 3}, ONE, NONE, {2, 1, 1}, ONE},
            {3, 4, 1, 18, 2, {1, 6, 2}, {1, 2, 1}, ONE, NONE, {1, 0, 0}, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, StepsDilatesAndPads)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 4, 12, {9, 11}, {3, 3}, {2, 3}, NONE, {1, 1}, {1, 1}},
            {2, 1, 1, 4, 12, {9, 11}, {3, 3}, ONE, {1, 2}, {2, 3}, {2, 3}},
            /* Each side another padding, some larger than the window. */
            {2, 1, 1, 2, 12, {4, 3}, {2, 2}, ONE, NONE, {3, 0}, {0, 2}},
            {2, 1, 1, 2, 12, {4, 3}, {2, 2}, {5, 4}, {2, 1}, {4, 7}, {5, 1}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, TakesPaddingAndDilationsLeftOut)
{
    struct convolution c;
    dnnl_primitive_desc_t pd;
    const struct sizes sizes = {
            2, 1, 1, 2, 3, {5, 5}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}};
    init(&c, &sizes, &all_f32);
    ASSERT_OK(dnnl_convolution_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_training, dnnl_convolution_auto, c.src.md,
            c.weights.md, NULL, c.dst.md, c.window.strides, NULL,
            c.window.padding_l, NULL, NULL));
    const dnnl_dims_t *dims;
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_padding_r, 0, &dims));
    EXPECT_BYTES_EQ(c.padding_r, sizeof c.padding_r, *dims, sizeof *dims);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_dilations, 0, &dims));
    EXPECT_BYTES_EQ(
            c.window.dilates, sizeof c.window.dilates, *dims, sizeof *dims);
    dnnl_primitive_desc_destroy(pd);
    uint64_t seed = test_seed();
    convolution_check(&c, &seed);
}

TEST_C(Convolution, MergesTheLinesOfAOneByOneWindow)
{
    static const struct sizes sizes[] = {
            {2, 2, 1, 33, 20, {7, 9}, {1, 1}, ONE, NONE, NONE, NONE},
            {3, 1, 1, 5, 20, {3, 4, 5}, ONE, ONE, NONE, NONE, NONE},
            /* These cannot be merged: steps, padding. */
            {2, 2, 1, 5, 20, {7, 9}, {1, 1}, {2, 1}, NONE, NONE, NONE},
            {2, 2, 1, 5, 20, {7, 9}, {1, 1}, ONE, NONE, {0, 1}, {0, 0}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* Edges of a CPU's tiles and their neighbours, as in test_matmul.c: output
 * channels, output pixels and taps; padding at each side, steps, dilation, and
 * images whose ends are in one run. */
static const struct sizes edges[] = {
        {1, 1, 1, 127, 257, {31}, {1}, ONE, NONE, NONE, NONE},
        {1, 1, 1, 128, 258, {32}, {1}, ONE, NONE, NONE, NONE},
        {1, 1, 1, 129, 259, {33}, {1}, ONE, NONE, NONE, NONE},
        {1, 3, 1, 64, 47, {11}, {1}, ONE, NONE, NONE, NONE},
        {1, 1, 1, 65, 49, {16}, {3}, ONE, NONE, {1}, {1}},
        {2, 1, 1, 7, 6, {5, 3}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}},
        {2, 1, 1, 9, 5, {4, 4}, {7, 1}, ONE, NONE, {3, 0}, {3, 0}},
        {2, 2, 1, 15, 48, {9, 17}, {3, 3}, {2, 2}, NONE, {1, 1}, {1, 1}},
        /* Runs of every other pixel, whose last one ends the image or not. */
        {2, 1, 1, 5, 8, {3, 31}, {1, 1}, {2, 2}, NONE, NONE, NONE},
        {2, 1, 1, 5, 8, {3, 32}, {1, 1}, {1, 2}, NONE, NONE, NONE},
        {2, 1, 1, 3, 7, {9, 70}, {7, 7}, {2, 2}, NONE, {3, 3}, {3, 3}},
        {2, 3, 2, 4, 6, {5, 9}, {3, 2}, {1, 2}, {0, 1}, {1, 2}, {1, 1}},
        {2, 1, 2, 30, 14, {8, 8}, {3, 3}, ONE, {1, 1}, {2, 2}, {2, 2}},
        {2, 2, 1, 3, 7, {3, 5}, {2, 2}, ONE, NONE, {0, 1}, {1, 0}},
        {3, 1, 1, 5, 7, {3, 3, 4}, {3, 3, 3}, ONE, NONE, ONE, ONE}};

TEST_C(Convolution, ComputesTheEdgesOfStrips)
{
    check_all(edges, COUNT(edges), NULL, &all_f32_and_bias);
}

/* ---- Groups -------------------------------------------------------------- */

TEST_C(Convolution, KeepsGroupsApart)
{
    static const struct sizes sizes[] = {
            {2, 2, 3, 6, 27, {5, 6}, {3, 2}, ONE, NONE, {1, 0}, {1, 1}},
            {1, 1, 2, 10, 22, {8}, {3}, {2}, NONE, {1}, {1}},
            {3, 1, 2, 4, 18, {3, 3, 3}, {2, 2, 2}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, ComputesDepthwise)
{
    static const struct sizes sizes[] = {
            {2, 1, 19, 19, 19, {8, 9}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}},
            {2, 2, 5, 5, 10, {8, 9}, {3, 3}, {2, 2}, NONE, {1, 1}, {0, 1}},
            {2, 1, 3, 3, 3, {5, 140}, {1, 3}, ONE, {0, 1}, {0, 2}, {0, 2}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

/* On CPUs such a convolution has a kernel of its own, which computes tiles. */
TEST_C(Convolution, ComputesDepthwiseOfEverySize)
{
    static const struct sizes sizes[] = {
            /* A pixel; one line; a block and its neighbours; seven by seven. */
            {2, 1, 3, 3, 3, {1, 1}, {1, 1}, ONE, NONE, NONE, NONE},
            {1, 1, 5, 5, 5, {67}, {4}, ONE, NONE, {1}, {3}},
            {2, 2, 3, 3, 3, {1, 64}, {3, 3}, ONE, NONE, ONE, ONE},
            {2, 1, 3, 3, 3, {7, 7}, {3, 3}, ONE, NONE, ONE, ONE},
            {2, 1, 3, 3, 3, {14, 14}, {5, 5}, {2, 2}, NONE, {2, 2}, {2, 2}},
            /* Several tiles along both, some smaller. */
            {2, 1, 2, 2, 2, {90, 93}, {3, 3}, ONE, NONE, ONE, ONE},
            {2, 1, 2, 2, 2, {95, 201}, {3, 5}, {2, 2}, NONE, {1, 2}, {1, 2}},
            {2, 1, 2, 2, 2, {3, 1300}, {3, 3}, ONE, NONE, ONE, ONE},
            {2, 1, 2, 2, 2, {3, 2101}, {3, 7}, {1, 2}, {0, 3}, {1, 9}, {1, 8}},
            /* Strides above the window, and of odd sizes; dilations. */
            {2, 1, 2, 2, 2, {23, 41}, {2, 2}, {3, 5}, NONE, {2, 0}, {1, 3}},
            {2, 1, 2, 2, 2, {23, 40}, {3, 3}, {2, 3}, {3, 1}, {4, 2}, {1, 3}},
            {2, 1, 2, 2, 2, {23, 40}, {3, 3}, {3, 2}, {0, 2}, {4, 3}, {1, 0}},
            /* Padding that whole tiles lie in. */
            {2, 1, 2, 2, 2, {2, 3}, {2, 2}, ONE, NONE, {70, 40}, {80, 30}},
            /* Several results a group; planes. */
            {2, 2, 3, 3, 12, {9, 17}, {3, 3}, ONE, NONE, ONE, ONE},
            {3, 2, 3, 3, 6, {4, 5, 6}, {1, 3, 3}, {2, 1, 1}, NONE, {0, 1, 1},
                    {0, 1, 1}},
            /* What another kernel computes: planes beyond the last, windows
             * with planes, windows too large for a tile, or for its taps. */
            {3, 1, 2, 2, 2, {3, 5, 6}, {1, 2, 2}, ONE, NONE, NONE, {2, 0, 0}},
            {3, 1, 2, 2, 2, {4, 5, 6}, {2, 2, 2}, ONE, NONE, NONE, NONE},
            {2, 1, 2, 2, 2, {75, 75}, {3, 3}, ONE, {34, 34}, NONE, NONE},
            {2, 1, 2, 2, 2, {14, 13}, {12, 11}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, ComputesDepthwiseOfEveryType)
{
    static const struct types types[] = {{dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s8},
            {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},
            {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16}};
    static const struct sizes sizes[] = {
            {2, 2, 5, 5, 5, {9, 20}, {3, 3}, ONE, NONE, ONE, ONE},
            {2, 1, 3, 3, 6, {8, 39}, {2, 5}, {2, 2}, NONE, {1, 2}, {0, 2}}};
    for (size_t i = 0; i < COUNT(types); i++)
        check_all(sizes, COUNT(sizes), NULL, &types[i]);
}

TEST_C(Convolution, ComputesDepthwiseWithZeroPointsAndPostOps)
{
    const struct types types = {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_u8};
    const struct sizes sizes = {
            2, 2, 5, 5, 10, {9, 20}, {3, 3}, {1, 2}, NONE, ONE, ONE};
    uint64_t seed = test_seed();
    struct convolution c;
    for (int i = 0; i < 2; i++) {
        init(&c, &sizes, &types);
        if (i == 0) {
            convolution_set_number(&c, SRC_ZERO, dnnl_s32, 11.0);
            convolution_set_number(&c, WEIGHTS_ZERO, dnnl_s32, -3.0);
        } else {
            convolution_set_numbers(&c, SRC_ZERO, dnnl_s32, -20.0, 20.0, &seed);
        }
        convolution_set_number(&c, DST_ZERO, dnnl_s32, 7.0);
        convolution_set_weights_scales(&c, &seed);
        c.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.1f, 0.0f}}};
        convolution_add_sum(&c, 0.5f, &seed);
        convolution_check(&c, &seed);
    }
}

TEST_C(Convolution, TakesOneGroupWithAGroupDimension)
{
    uint64_t seed = test_seed();
    struct convolution c;
    const struct sizes sizes = {
            2, 1, 1, 3, 11, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE};
    init(&c, &sizes, &all_f32);
    tensor_fini(&c.weights);
    tensor_init(
            &c.weights, dnnl_f32, 5, (dnnl_dims_t){1, 11, 3, 3, 3}, dnnl_goihw);
    c.window.with_groups = 1;
    convolution_check(&c, &seed);
}

/* ---- Layouts ------------------------------------------------------------- */

/* Channels in whole runs and not, images smaller and larger than a tile, few
 * output channels. */
static const struct sizes layouts[] = {
        {2, 2, 1, 16, 12, {6, 7}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}},
        {2, 1, 1, 5, 67, {9, 9}, {2, 3}, {2, 1}, {0, 1}, {0, 2}, {1, 1}},
        {2, 1, 2, 34, 20, {5, 5}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}},
        {2, 1, 1, 40, 9, {8, 8}, {1, 1}, ONE, NONE, NONE, NONE},
        {2, 1, 1, 18, 5, {6, 9}, {2, 2}, ONE, NONE, {1, 0}, {0, 1}}};

TEST_C(Convolution, ComputesChannelsLast)
{
    check_all(layouts, COUNT(layouts), &channels_last, &all_f32);
}

TEST_C(Convolution, MixesLayouts)
{
    static const struct tags tags[] = {
            {dnnl_nhwc, dnnl_oihw, dnnl_goihw, dnnl_nchw},
            {dnnl_nhwc, dnnl_hwio, dnnl_hwigo, dnnl_nhwc},
            {dnnl_nchw, dnnl_hwio, dnnl_hwigo, dnnl_nhwc},
            {dnnl_chwn, dnnl_iohw, dnnl_giohw, dnnl_nchw}};
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(tags); i++)
        if (is_in_sample(i, seed))
            check_all(layouts, COUNT(layouts), &tags[i], &all_f32);
}

TEST_C(Convolution, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct convolution c;
    const struct sizes sizes = {
            2, 2, 1, 3, 9, {4, 5}, {2, 2}, ONE, NONE, {1, 1}, {1, 1}};
    init(&c, &sizes, &all_f32_and_bias);
    tensor_fini(&c.src);
    tensor_fini(&c.weights);
    tensor_fini(&c.bias);
    tensor_fini(&c.dst);
    tensor_init_strided(&c.src, dnnl_f32, 4, (dnnl_dims_t){2, 3, 4, 5},
            (dnnl_dims_t){200, 51, 12, 2});
    tensor_init_strided(&c.weights, dnnl_f32, 4, (dnnl_dims_t){9, 3, 2, 2},
            (dnnl_dims_t){13, 4, 2, 1});
    tensor_init_strided(
            &c.bias, dnnl_f32, 1, (dnnl_dims_t){9}, (dnnl_dims_t){3});
    tensor_init_strided(&c.dst, dnnl_f32, 4, (dnnl_dims_t){2, 9, 5, 6},
            (dnnl_dims_t){1000, 100, 15, 2});
    convolution_check(&c, &seed);
}

TEST_C(Convolution, ChoosesPlainLayoutsForAny)
{
    dnnl_memory_desc_t md[3];
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims[3] = {{1, 3, 6, 6}, {4, 3, 3, 3}, {1, 4, 4, 4}};
    const dnnl_query_t tensors[] = {
            dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
    const dnnl_dims_t ones = ONE;
    const dnnl_dims_t zeros = NONE;
    for (int i = 0; i < 3; i++)
        md[i] = tagged_md(4, dims[i], dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_convolution_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_inference, dnnl_convolution_auto, md[0], md[1], NULL,
            md[2], ones, zeros, zeros, zeros, NULL));
    for (int i = 0; i < 3; i++) {
        dnnl_memory_desc_t plain_md =
                tagged_md(4, dims[i], dnnl_f32, dnnl_abcd);
        EXPECT_DESC(plain_md, pd, tensors[i], 0);
    }
    dnnl_primitive_desc_destroy(pd);
}

/* ---- Bias, post-ops, empty ----------------------------------------------- */

TEST_C(Convolution, AddsBiasAndAppliesPostOps)
{
    uint64_t seed = test_seed();
    struct convolution c;
    const struct sizes sizes = {
            2, 2, 2, 6, 22, {6, 5}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}};
    init(&c, &sizes, &all_f32_and_bias);
    convolution_check(&c, &seed);
    init(&c, &sizes, &all_f32_and_bias);
    c.chain = (struct chain){2, {{dnnl_eltwise_relu, 0.1f, 0.0f},
                                        {dnnl_eltwise_clip, -0.2f, 1.5f}}};
    convolution_check(&c, &seed);
}

TEST_C(Convolution, LeavesAnEmptyResultAlone)
{
    static const struct sizes sizes[] = {
            {2, 0, 1, 3, 9, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE},
            {2, 1, 1, 3, 0, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
}

TEST_C(Convolution, SumsUpNothingToBias)
{
    static const struct sizes sizes[] = {
            {2, 1, 1, 0, 9, {5, 5}, {3, 3}, ONE, NONE, NONE, NONE}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
    check_all(sizes, COUNT(sizes), NULL, &all_f32_and_bias);
}

/* All of the result comes from the padding. */
TEST_C(Convolution, TakesAnEmptyImage)
{
    static const struct sizes sizes[] = {
            {2, 2, 1, 3, 9, {0, 5}, {3, 3}, ONE, NONE, {2, 1}, {2, 1}},
            {2, 1, 1, 3, 9, {0, 0}, {2, 1}, {2, 1}, NONE, {2, 1}, {2, 1}},
            {2, 1, 2, 4, 6, {3, 0}, {1, 3}, ONE, {0, 1}, {0, 3}, {0, 4}}};
    check_all(sizes, COUNT(sizes), NULL, &all_f32);
    check_all(sizes, COUNT(sizes), NULL, &all_f32_and_bias);
}

/* The step from group to group of an empty image, which is above 32 bits, is
 * not computed: UBSan checks that. */
TEST_C(Convolution, TakesAnEmptyImageOfFarChannels)
{
    static const struct sizes sizes = {
            1, 1, 2, 4, 2, {0}, {1}, ONE, NONE, {1}, {0}};
    const dnnl_dims_t strides = {1, 1 << 30, 1};
    uint64_t seed = test_seed();
    struct convolution c;
    init(&c, &sizes, &all_f32_and_bias);
    tensor_fini(&c.src);
    tensor_init_strided(&c.src, dnnl_f32, 3,
            (dnnl_dims_t){1, sizes.in, sizes.size[0]}, strides);
    convolution_check(&c, &seed);
}

TEST_C(Convolution, TakesRandomEmptyTensors)
{
    convolution_check_empty(false, 12);
}

TEST_C(Convolution, ComputesRandomShapes)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 25; i++) {
        struct sizes s = {.spatial = 2};
        struct convolution c;
        s.images = 1 + random_below(&seed, 2);
        s.groups = 1 + random_below(&seed, 2);
        s.in = s.groups * (1 + random_below(&seed, 20));
        s.out = s.groups * (9 + random_below(&seed, 30));
        for (int d = 0; d < 2; d++) {
            s.kernel[d] = 1 + random_below(&seed, 4);
            s.stride[d] = 1 + random_below(&seed, 3);
            s.dilate[d] = random_below(&seed, 3);
            s.left[d] = random_below(&seed, 4);
            s.right[d] = random_below(&seed, 4);
            s.size[d] = (s.kernel[d] - 1) * (s.dilate[d] + 1) + 1
                        + random_below(&seed, 12);
        }
        init(&c, &s, &all_f32);
        convolution_check(&c, &seed);
    }
}

/* ---- Arguments ----------------------------------------------------------- */

/* A call that is right; each test makes one thing of it wrong. */
struct call {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    int ndims[4]; /* src, weights, bias, dst; 0: none */
    dnnl_dims_t dims[4];
    dnnl_data_type_t types[4];
    dnnl_dims_t strides, dilates, left, right;
};

static const struct call right_call = {
        dnnl_forward_inference,
        dnnl_convolution_direct,
        {4, 5, 1, 4},
        {{2, 6, 7, 8}, {2, 4, 3, 3, 3}, {8}, {2, 8, 7, 4}},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {1, 2},
        {0, 0},
        {1, 1},
        {1, 0},
};

static dnnl_status_t try_call(
        const struct call *call, dnnl_engine_t engine, int missing)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_memory_desc_t md[4] = {NULL, NULL, NULL, NULL};
    for (int i = 0; i < 4; i++)
        if (call->ndims[i] > 0 && missing != i)
            md[i] = plain_md(call->ndims[i], call->dims[i], call->types[i]);
    dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(&out,
            engine, call->prop_kind, call->alg_kind, md[0], md[1], md[2], md[3],
            missing == 4 ? NULL : call->strides, call->dilates,
            missing == 5 ? NULL : call->left, call->right, NULL);
    return tried(st, out);
}

static void expect_refusal(dnnl_status_t status, const struct call *call)
{
    EXPECT_STATUS(status, try_call(call, test_engine(), -1));
}

TEST_C(Convolution, RefusesMissingArguments)
{
    dnnl_engine_t engine = test_engine();
    ASSERT_OK(try_call(&right_call, engine, -1));
    ASSERT_OK(try_call(&right_call, engine, 2)); /* no bias */
    const int needed[] = {0, 1, 3, 4, 5};
    for (size_t i = 0; i < COUNT(needed); i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                try_call(&right_call, engine, needed[i]));
    EXPECT_STATUS(dnnl_invalid_arguments, try_call(&right_call, NULL, -1));
    EXPECT_STATUS(dnnl_unimplemented, try_call(&right_call, test_host(), -1));
}

TEST_C(Convolution, RefusesOtherKinds)
{
    struct call call = right_call;
    call.prop_kind = dnnl_backward_data;
    expect_refusal(dnnl_invalid_arguments, &call);
    call.prop_kind = dnnl_prop_kind_undef;
    expect_refusal(dnnl_invalid_arguments, &call);
    call = right_call;
    call.alg_kind = dnnl_eltwise_relu;
    expect_refusal(dnnl_invalid_arguments, &call);
    call.alg_kind = dnnl_convolution_winograd;
    expect_refusal(dnnl_unimplemented, &call);
    call.alg_kind = dnnl_convolution_auto;
    EXPECT_OK(try_call(&call, test_engine(), -1));
}

TEST_C(Convolution, RefusesShapesThatContradict)
{
    /* Tensor, dimension and what to write there. */
    static const struct {
        int tensor;
        int dim;
        dnnl_dim_t size;
    } wrong[] = {{0, 0, 3}, {0, 1, 5}, {0, 2, 9}, {0, 3, 10}, {1, 0, 3},
            {1, 0, 0}, {1, 1, 5}, {1, 2, 2}, {1, 3, 2}, {1, 4, 5}, {1, 3, 0},
            {2, 0, 4}, {3, 0, 1}, {3, 1, 7}, {3, 2, 8}, {3, 3, 3}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct call call = right_call;
        call.dims[wrong[i].tensor][wrong[i].dim] = wrong[i].size;
        expect_refusal(dnnl_invalid_arguments, &call);
    }
    for (int t = 0; t < 4; t++) {
        struct call call = right_call;
        call.ndims[t]++;
        call.dims[t][call.ndims[t] - 1] = 1;
        expect_refusal(dnnl_invalid_arguments, &call);
    }
    struct call call = right_call;
    call.ndims[0] = call.ndims[3] = 2;
    call.ndims[1] = 2;
    expect_refusal(dnnl_invalid_arguments, &call);
}

TEST_C(Convolution, RefusesWindowsThatContradict)
{
    const dnnl_dim_t wrong[][2] = {{0, 0}, {0, -1}, {1, -1}, {1, INT64_MAX},
            {2, -1}, {2, INT64_MAX}, {3, -1}, {3, INT64_MAX}, {0, INT64_MIN}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct call call = right_call;
        dnnl_dim_t *fields[] = {
                call.strides, call.dilates, call.left, call.right};
        fields[wrong[i][0]][1] = wrong[i][1];
        expect_refusal(dnnl_invalid_arguments, &call);
    }
    /* A window that does not fit once. */
    struct call call = right_call;
    call.dilates[0] = 4;
    call.dims[3][2] = 1;
    expect_refusal(dnnl_invalid_arguments, &call);
    /* One that fits once, and then for ever. */
    call = right_call;
    call.dims[0][2] = 3;
    call.left[0] = 0;
    call.right[0] = INT64_MAX;
    call.dims[3][2] = 1;
    expect_refusal(dnnl_invalid_arguments, &call);
}

/* ---- Channels far apart -------------------------------------------------- */

/* As far as 32 bits tell: the second channel's place is computed, that of a
 * third is not. */
enum { FAR = 1 << 30 };

/* An image of one pixel and two channels, so far apart. */
static dnnl_memory_desc_t pixel_md(dnnl_data_type_t type, dnnl_dim_t apart)
{
    const dnnl_dims_t dims = {1, 2, 1, 1};
    const dnnl_dims_t strides = {1, apart, 1, 1};
    return strided_md(4, dims, type, strides);
}

/* Of two channels that one has FAR apart or the other. */
static dnnl_primitive_t two_channels(
        dnnl_memory_desc_t src, dnnl_memory_desc_t dst, dnnl_data_type_t type)
{
    const dnnl_dims_t dims = {2, 2, 1, 1};
    const dnnl_dims_t none = {0, 0};
    const dnnl_dims_t strides = {1, 1};
    dnnl_memory_desc_t weights = plain_md(4, dims, type);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_convolution_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_inference, dnnl_convolution_direct, src, weights, NULL,
            dst, strides, none, none, none, NULL));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    return primitive;
}

/* A memory that has `count` bytes, so far apart, and is not touched in
 * between: most of it need not be there. */
static dnnl_memory_t sparse_memory(const_dnnl_memory_desc_t md,
        const uint8_t *bytes, size_t count, size_t apart)
{
    dnnl_memory_t memory = NULL;
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_create(
            &memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    for (size_t i = 0; mapped != NULL && i < count; i++)
        ((uint8_t *)mapped)[i * apart] = bytes[i];
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static void expect_bytes(
        dnnl_memory_t memory, const uint8_t *bytes, size_t count, size_t apart)
{
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    ASSERT_NOT_NULL(mapped);
    for (size_t i = 0; i < count; i++)
        EXPECT_EQ(bytes[i], ((const uint8_t *)mapped)[i * apart]);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

/* Bytes, so that a buffer has a gibibyte and not four. */
static void compute_far_apart(dnnl_dim_t src_apart, dnnl_dim_t dst_apart)
{
    static const uint8_t src[] = {3, 5};
    static const uint8_t weights[] = {1, 2, 4, 7};
    static const uint8_t unwritten[] = {99, 99};
    static const uint8_t dst[] = {3 * 1 + 5 * 2, 3 * 4 + 5 * 7};
    const dnnl_dims_t weights_dims = {2, 2, 1, 1};
    const dnnl_memory_desc_t mds[] = {pixel_md(dnnl_u8, src_apart),
            plain_md(4, weights_dims, dnnl_s8), pixel_md(dnnl_u8, dst_apart)};
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, sparse_memory(mds[0], src, 2, (size_t)src_apart)},
            {DNNL_ARG_WEIGHTS, sparse_memory(mds[1], weights, 4, 1)},
            {DNNL_ARG_DST,
                    sparse_memory(mds[2], unwritten, 2, (size_t)dst_apart)}};
    dnnl_primitive_t primitive = two_channels(mds[0], mds[2], dnnl_s8);
    dnnl_stream_t stream = NULL;
    EXPECT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 3, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    expect_bytes(args[2].memory, dst, 2, (size_t)dst_apart);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(args[i].memory);
}

TEST_C(Convolution, TakesTwoChannelsFarApart)
{
    for (int far_dst = 0; far_dst < 2; far_dst++) {
        dnnl_memory_desc_t src = pixel_md(dnnl_f32, far_dst ? 1 : FAR);
        dnnl_memory_desc_t dst = pixel_md(dnnl_f32, far_dst ? FAR : 1);
        dnnl_primitive_destroy(two_channels(src, dst, dnnl_f32));
    }
    cl_ulong largest = 0;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(test_platform_device(),
                                  CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest,
                                  &largest, NULL));
    if (largest <= FAR) SKIP_TEST("the device has no buffer of a gibibyte");
    compute_far_apart(FAR, 1);
    compute_far_apart(1, FAR);
}

/* ---- What there is no kernel for ----------------------------------------- */

TEST_C(Convolution, RefusesTypesAndSizesItHasNoKernelFor)
{
    for (int t = 0; t < 4; t++) {
        struct call call = right_call;
        call.types[t] = dnnl_f16;
        expect_refusal(dnnl_unimplemented, &call);
    }
    /* Sizes that only execution knows. */
    for (int t = 0; t < 4; t++) {
        struct call call = right_call;
        call.dims[t][0] = DNNL_RUNTIME_DIM_VAL;
        expect_refusal(dnnl_unimplemented, &call);
    }
    /* Padding as large as that: places do not fit 32 bits. */
    struct call call = right_call;
    call.left[0] = (dnnl_dim_t)1 << 30;
    call.dims[3][2] = call.left[0] + 7 + 1 - 3 + 1;
    expect_refusal(dnnl_unimplemented, &call);
}

/* ---- Cases of ONNX ------------------------------------------------------- */

TEST_C(Convolution, AgreesWithOnnx)
{
    static const struct {
        const char *name;
        struct sizes sizes;
        const struct types *types;
    } cases[] = {{"Conv1d", {1, 2, 1, 4, 5, {10}, {3}, ONE, NONE, NONE, NONE},
                         &all_f32_and_bias},
            {"Conv1d_groups", {1, 2, 2, 4, 6, {6}, {3}, ONE, NONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv1d_pad1size1", {1, 1, 1, 4, 4, {1}, {3}, ONE, NONE, {1}, {1}},
                    &all_f32_and_bias},
            {"Conv1d_pad2size1", {1, 1, 1, 4, 4, {1}, {5}, ONE, NONE, {2}, {2}},
                    &all_f32_and_bias},
            {"Conv2d", {2, 2, 1, 3, 4, {7, 5}, {3, 2}, ONE, NONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv2d_depthwise_padded",
                    {2, 2, 4, 4, 4, {6, 6}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}},
                    &all_f32_and_bias},
            {"Conv2d_depthwise_with_multiplier",
                    {2, 2, 4, 4, 8, {6, 6}, {3, 3}, ONE, NONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv2d_groups",
                    {2, 2, 2, 4, 6, {6, 5}, {3, 2}, ONE, NONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv2d_no_bias",
                    {2, 2, 1, 3, 4, {6, 5}, {3, 2}, ONE, NONE, NONE, NONE},
                    &all_f32},
            {"Conv2d_strided",
                    {2, 2, 1, 3, 4, {6, 6}, {3, 3}, {2, 2}, NONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv3d_dilated",
                    {3, 2, 1, 3, 4, {5, 5, 5}, {2, 2, 2}, ONE, ONE, NONE, NONE},
                    &all_f32_and_bias},
            {"Conv3d_groups",
                    {3, 2, 2, 4, 6, {4, 5, 4}, {3, 3, 3}, ONE, NONE, NONE,
                            NONE},
                    &all_f32_and_bias},
            {"Conv3d_stride",
                    {3, 2, 1, 3, 4, {5, 5, 5}, {2, 2, 2}, {2, 2, 2}, NONE, NONE,
                            NONE},
                    &all_f32_and_bias}};
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        struct convolution c;
        init(&c, &cases[i].sizes, cases[i].types);
        convolution_run_onnx(&c, cases[i].name);
    }
}
