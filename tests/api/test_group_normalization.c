/* SPDX-License-Identifier: Apache-2.0 */
#include "normalizations.h"
#include "test.h"

static void init(struct normalization *n, const struct normalization_case *c,
        uint64_t *seed)
{
    normalization_init(n, dnnl_group_normalization, c, seed, NORMALIZATION_LOW,
            NORMALIZATION_HIGH);
}

static void check_all(const struct normalization_case *cases, size_t count)
{
    normalization_check_all(dnnl_group_normalization, cases, count);
}

static const struct normalization_case image = {TRAINING, SCALED, 3, dnnl_f32,
        dnnl_f32, 4, {2, 6, 5, 3}, dnnl_nchw, dnnl_nchw};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(GroupNormalization, ComputesStatisticsOfAllShapes)
{
    static const struct normalization_case cases[] = {
            {TRAINING, SCALED, 1, dnnl_f32, dnnl_f32, 2, {1, 1}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 7, dnnl_f32, dnnl_f32, 2, {3, 91}, dnnl_ab,
                    dnnl_ba},
            {TRAINING, SCALED, 5, dnnl_f32, dnnl_f32, 3, {2, 5, 67}, dnnl_abc,
                    dnnl_abc},
            {TRAINING, SCALED, 1, dnnl_f32, dnnl_f32, 3, {3, 5, 31}, dnnl_abc,
                    dnnl_acb},
            {TRAINING, SCALED, 3, dnnl_f32, dnnl_f32, 4, {2, 6, 5, 3},
                    dnnl_nhwc, dnnl_nhwc},
            {TRAINING, SCALED, 2, dnnl_f32, dnnl_f32, 5, {2, 6, 2, 3, 5},
                    dnnl_acdeb, dnnl_abcde},
            {TRAINING, SCALED, 2, dnnl_f32, dnnl_f32, 3, {2, 6, 0}, dnnl_abc,
                    dnnl_abc}};
    check_all(cases, COUNT(cases));
}

TEST_C(GroupNormalization, TakesAllShapesWithStatistics)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, SCALED | GIVEN, 7, dnnl_f32, dnnl_f32, 2, {3, 91},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED | GIVEN, 3, dnnl_f32, dnnl_f32, 4, {2, 6, 5, 3},
                    dnnl_nchw, dnnl_nhwc},
            {INFERENCE, SCALED | GIVEN, 3, dnnl_f32, dnnl_f32, 5,
                    {2, 6, 2, 3, 5}, dnnl_cdeba, dnnl_abdec}};
    check_all(cases, COUNT(cases));
}

TEST_C(GroupNormalization, TakesRandomShapes)
{
    normalization_check_random(dnnl_group_normalization);
}

TEST_C(GroupNormalization, LeavesGapsAlone)
{
    static const unsigned flags[] = {SCALED, SCALED | GIVEN};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct normalization_case c = image;
        struct normalization n;
        c.flags = flags[i];
        init(&n, &c, &seed);
        tensor_fini(&n.dst);
        tensor_init_strided(
                &n.dst, dnnl_f32, 4, c.dims, (dnnl_dims_t){3, 200, 7, 40});
        normalization_check(&n);
    }
}

TEST_C(GroupNormalization, WorksInPlace)
{
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &image, &seed);
    normalization_run(&n, true);
    normalization_fini(&n);
}

/* ---- Types and flags ----------------------------------------------------- */

TEST_C(GroupNormalization, TakesEveryTypeAndFlag)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, 0, 3, dnnl_bf16, dnnl_s8, 4, {2, 6, 5, 3}, dnnl_nchw,
                    dnnl_nchw},
            {TRAINING, dnnl_use_scale, 3, dnnl_f16, dnnl_f16, 4, {2, 6, 5, 3},
                    dnnl_nhwc, dnnl_nhwc},
            {INFERENCE, dnnl_use_shift | GIVEN, 3, dnnl_u8, dnnl_bf16, 4,
                    {2, 6, 5, 3}, dnnl_nchw, dnnl_nchw}};
    check_all(cases, COUNT(cases));
}

TEST_C(GroupNormalization, TakesPostOps)
{
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &image, &seed);
    n.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.1f, 0.0f}}};
    normalization_check(&n);
}

TEST_C(GroupNormalization, IsExactFarFromZero)
{
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &image, &seed);
    tensor_randomize(&n.src, &seed, 50000.0, 50001.0);
    normalization_check(&n);
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(GroupNormalization, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    uint64_t seed = test_seed();
    struct normalization good;
    struct normalization n;
    init(&good, &image, &seed);
    EXPECT_OK(normalization_try(&good));
#define REFUSES(change) \
    n = good;           \
    change;             \
    EXPECT_STATUS(wrong, normalization_try(&n))
    REFUSES(n.prop_kind = dnnl_prop_kind_undef);
    REFUSES(n.flags = dnnl_fuse_norm_relu);
    REFUSES(n.groups = 0);
    REFUSES(n.groups = -3);
    REFUSES(n.groups = 4);
    REFUSES(n.groups = 12);
    REFUSES(n.dst.md = n.mean.md);
#undef REFUSES
    normalization_fini(&good);
}

TEST_C(GroupNormalization, RefusesTypesItHasNot)
{
    struct normalization_case c = image;
    uint64_t seed = test_seed();
    struct normalization n;
    c.src = dnnl_s32;
    init(&n, &c, &seed);
    EXPECT_STATUS(dnnl_unimplemented, normalization_try(&n));
    normalization_fini(&n);
}
