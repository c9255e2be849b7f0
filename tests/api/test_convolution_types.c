/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of other types than f32. */
#include "convolutions.h"
#include "run_primitive.h"
#include "test.h"

/* Runs that are whole and not, groups, padding, few and many channels. */
static const struct sizes sizes[] = {
        {2, 2, 1, 5, 67, {9, 18}, {2, 3}, {2, 1}, {0, 1}, {0, 2}, {1, 1}},
        {2, 1, 2, 34, 20, {5, 5}, {3, 3}, ONE, NONE, {1, 1}, {1, 1}}};

static bool has_type(const struct types *types)
{
    struct convolution c;
    dnnl_primitive_desc_t pd = NULL;
    convolution_init(&c, false, &sizes[0], &plain_tags[1], types);
    dnnl_status_t st = convolution_describe(&pd, test_engine(), &c);
    dnnl_primitive_desc_destroy(pd);
    convolution_fini(&c);
    if (st != dnnl_unimplemented) EXPECT_OK(st);
    return st == dnnl_success;
}

TEST_C(ConvolutionTypes, RoundsHalvesAtTheEnds)
{
    static const struct types types[] = {
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16},
            {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16}};
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++) {
        if (!is_in_sample(i, seed)) continue;
        /* Not every device stores f16; bf16 is ours to store. */
        if (types[i].src == dnnl_f16 && !has_type(&types[i])) continue;
        convolution_check_all(false, sizes, COUNT(sizes), NULL, &types[i]);
    }
}

/* All that can be written, with each type of bias; s32 shows every bit. */
TEST_C(ConvolutionTypes, SumsUpBytesExactly)
{
    static const struct types types[] = {
            {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
            {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},
            {dnnl_u8, dnnl_s8, dnnl_s8, dnnl_u8},
            {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8},
            {dnnl_s8, dnnl_s8, dnnl_u8, dnnl_f32},
            {dnnl_s8, dnnl_s8, dnnl_bf16, dnnl_bf16},
            {dnnl_u8, dnnl_s8, dnnl_f16, dnnl_f16}};
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++) {
        if (!is_in_sample(i, seed)) continue;
        if (types[i].dst == dnnl_f16 && !has_type(&types[i])) continue;
        convolution_check_all(false, sizes, COUNT(sizes), NULL, &types[i]);
    }
}

/* Beyond 2^24 floats miss integers. */
TEST_C(ConvolutionTypes, SumsUpBytesBeyondTheFractionOfAFloat)
{
    static const struct sizes long_sums[] = {
            {1, 1, 1, 1201, 9, {3}, {2}, ONE, NONE, NONE, NONE}};
    static const struct types types = {
            dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32};
    static const double ones_and_more[] = {255.0, 254.0, 253.0};
    static const double weights[] = {127.0, 126.0, 125.0, 127.0, 119.0};
    struct convolution c;
    convolution_init(&c, false, long_sums, &plain_tags[0], &types);
    tensor_set(&c.src, ones_and_more, COUNT(ones_and_more));
    tensor_set(&c.weights, weights, COUNT(weights));
    if (convolution_run(&c)) convolution_expect(&c);
    EXPECT_TRUE(reference_read(&c.dst.view, 0) > 0x1p24);
    convolution_fini(&c);
}

TEST_C(ConvolutionTypes, ComputesChannelsLast)
{
    static const struct tags tags = {
            dnnl_nhwc, dnnl_hwio, dnnl_hwigo, dnnl_nhwc};
    static const struct types types = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    convolution_check_all(false, sizes, COUNT(sizes), &tags, &types);
}

TEST_C(ConvolutionTypes, AppliesPostOpsBeforeRounding)
{
    uint64_t seed = test_seed();
    static const struct types types = {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_u8};
    struct convolution c;
    convolution_init(&c, false, &sizes[1], &plain_tags[1], &types);
    c.chain = (struct chain){1, {{dnnl_eltwise_linear, 1e-4f, 100.0f}}};
    convolution_check(&c, &seed);
}

/* ---- Bytes that stand for other numbers ---------------------------------- */

/* The padding stands for 0, not for the byte 0. */
TEST_C(ConvolutionTypes, SubtractsTheZeroPointOfSrc)
{
    static const struct types types = {
            dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32};
    static const struct types halves = {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_f32};
    static const struct tags last = {
            dnnl_nhwc, dnnl_hwio, dnnl_hwigo, dnnl_nhwc};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 6; i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        struct convolution c;
        bool is_transposed = i >= 4;
        convolution_init(&c, is_transposed, &sizes[i % 2],
                i / 2 == 1 ? &last : &plain_tags[1],
                i / 2 == 1 ? &halves : &types);
        convolution_set_number(&c, SRC_ZERO, i % 2 ? dnnl_s32 : dnnl_s8, 113);
        convolution_check(&c, &seed);
    }
}

static const struct types whole = {
        dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32};

TEST_C(ConvolutionTypes, SubtractsTheZeroPointsOfWeights)
{
    uint64_t seed = test_seed();
    struct convolution c;
    convolution_init(&c, false, &sizes[0], &plain_tags[1], &whole);
    convolution_set_number(&c, SRC_ZERO, dnnl_s32, 113);
    convolution_set_numbers(&c, WEIGHTS_ZERO, dnnl_s8, -100.0, 100.0, &seed);
    convolution_check(&c, &seed);
}

/* The padding stands for 0 with any of them. */
TEST_C(ConvolutionTypes, SubtractsEveryZeroPointInEveryLayout)
{
    static const struct types rounded = {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_f32};
    /* Neighbouring channels side by side, in src and in weights. */
    static const struct tags last = {
            dnnl_nhwc, dnnl_hwio, dnnl_hwigo, dnnl_nhwc};
    static const struct {
        bool is_transposed, is_last, src_by_channel, weights_by_channel;
    } cases[] = {{false, false, true, false}, {false, true, true, true},
            {true, false, true, true}, {true, true, false, true},
            {false, true, false, false}, {true, true, true, false}};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < 2 * COUNT(cases) && !test_has_failed(); i++) {
        const size_t n = i / 2;
        struct convolution c;
        if (!is_in_sample(n, first)) continue;
        convolution_init(&c, cases[n].is_transposed, &sizes[i % 2],
                cases[n].is_last ? &last : &plain_tags[1],
                cases[n].is_last ? &rounded : &whole);
        convolution_set_number(&c, SRC_ZERO, dnnl_s8, -101);
        convolution_set_number(&c, WEIGHTS_ZERO, dnnl_s32, 57);
        if (cases[n].src_by_channel)
            convolution_set_numbers(
                    &c, SRC_ZERO, dnnl_s32, -200.0, 200.0, &seed);
        if (cases[n].weights_by_channel)
            convolution_set_numbers(
                    &c, WEIGHTS_ZERO, dnnl_s8, -100.0, 100.0, &seed);
        if (cases[n].is_last)
            convolution_set_numbers(&c, DST_ZERO, dnnl_s32, -50.0, 50.0, &seed);
        convolution_check(&c, &seed);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", n);
    }
}

/* Random problems of all zero points there are, by channel. */
TEST_C(ConvolutionTypes, TakesRandomShapesWithZeroPoints)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        struct sizes s = {.spatial = 2};
        struct convolution c;
        s.groups = 1 + random_below(&seed, 3);
        s.images = 1 + random_below(&seed, 2);
        s.in = s.groups * (1 + random_below(&seed, 21));
        s.out = s.groups * (1 + random_below(&seed, 21));
        for (int d = 0; d < 2; d++) {
            s.kernel[d] = 1 + random_below(&seed, 3);
            s.stride[d] = 1 + random_below(&seed, 2);
            s.dilate[d] = random_below(&seed, 2);
            s.left[d] = random_below(&seed, 2);
            s.right[d] = random_below(&seed, 2);
            s.size[d] = 6 + random_below(&seed, 7);
        }
        convolution_init(&c, false, &s, &plain_tags[1], &whole);
        convolution_set_numbers(&c, SRC_ZERO, dnnl_s32, -200.0, 200.0, &seed);
        convolution_set_numbers(
                &c, WEIGHTS_ZERO, dnnl_s8, -100.0, 100.0, &seed);
        convolution_check(&c, &seed);
    }
}

TEST_C(ConvolutionTypes, ScalesAndMovesResults)
{
    static const struct types types = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 4; i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        struct convolution c;
        convolution_init(&c, i >= 2, &sizes[i % 2], &plain_tags[1], &types);
        convolution_set_number(&c, SRC_SCALE, dnnl_f32, 0.017);
        convolution_set_weights_scales(&c, &seed);
        convolution_set_number(&c, DST_SCALE, dnnl_f32, 0.31);
        convolution_set_number(&c, SRC_ZERO, dnnl_s32, 130);
        convolution_set_number(&c, DST_ZERO, dnnl_s32, 101);
        c.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.5f, 0.0f}}};
        convolution_check(&c, &seed);
    }
}

TEST_C(ConvolutionTypes, AddsToWhatIsInDst)
{
    static const struct types types = {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 4; i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        struct convolution c;
        convolution_init(&c, i >= 2, &sizes[i % 2], &plain_tags[1], &types);
        convolution_add_sum(&c, 0.75f, &seed);
        c.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}};
        convolution_check(&c, &seed);
    }
}

TEST_C(ConvolutionTypes, RefusesNumbersItHasNoUseFor)
{
    static const struct types types = {
            dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32};
    struct convolution c;
    const struct {
        int arg;
        int mask;
        bool is_scale;
    } wrong[] = {{DNNL_ARG_SRC, 1, false}, {DNNL_ARG_SRC, 3, false},
            {DNNL_ARG_WEIGHTS, 2, false}, {DNNL_ARG_WEIGHTS, 3, false},
            {DNNL_ARG_SRC, 2, true}, {DNNL_ARG_WEIGHTS, 2, true},
            {DNNL_ARG_SRC_1, 0, true}};
    convolution_init(&c, false, &sizes[0], &plain_tags[1], &types);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dnnl_primitive_attr_t attr = NULL;
        dnnl_primitive_desc_t pd = NULL;
        EXPECT_OK(dnnl_primitive_attr_create(&attr));
        EXPECT_OK(wrong[i].is_scale ? dnnl_primitive_attr_set_scales_mask(
                          attr, wrong[i].arg, wrong[i].mask)
                                    : dnnl_primitive_attr_set_zero_points_mask(
                                            attr, wrong[i].arg, wrong[i].mask));
        EXPECT_STATUS(dnnl_unimplemented,
                dnnl_convolution_forward_primitive_desc_create(&pd,
                        test_engine(), dnnl_forward_inference,
                        dnnl_convolution_direct, c.src.md, c.weights.md, NULL,
                        c.dst.md, c.window.strides, c.window.dilates,
                        c.window.padding_l, c.padding_r, attr));
        dnnl_primitive_attr_destroy(attr);
    }
    convolution_fini(&c);
}

/* ---- Refusals ------------------------------------------------------------ */

TEST_C(ConvolutionTypes, RefusesOtherPairs)
{
    static const struct types types[] = {
            {dnnl_f32, dnnl_bf16, dnnl_data_type_undef, dnnl_f32},
            {dnnl_bf16, dnnl_bf16, dnnl_data_type_undef, dnnl_s8},
            {dnnl_f32, dnnl_f32, dnnl_s32, dnnl_f32},
            {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_s32},
            {dnnl_s8, dnnl_u8, dnnl_data_type_undef, dnnl_s32},
            {dnnl_s8, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
            {dnnl_s32, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
            {dnnl_f64, dnnl_f64, dnnl_data_type_undef, dnnl_f64}};
    for (size_t i = 0; i < COUNT(types); i++)
        EXPECT_FALSE(has_type(&types[i]));
}
