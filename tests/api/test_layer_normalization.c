/* SPDX-License-Identifier: Apache-2.0 */
#include "normalizations.h"
#include "test.h"

#include <math.h>

static void init(struct normalization *n, const struct normalization_case *c,
        uint64_t *seed)
{
    normalization_init(n, dnnl_layer_normalization, c, seed, NORMALIZATION_LOW,
            NORMALIZATION_HIGH);
}

static void check_all(const struct normalization_case *cases, size_t count)
{
    normalization_check_all(dnnl_layer_normalization, cases, count);
}

static const struct normalization_case text = {TRAINING, SCALED, 0, dnnl_f32,
        dnnl_f32, 3, {3, 5, 67}, dnnl_abc, dnnl_abc};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(LayerNormalization, ComputesStatisticsOfAllShapes)
{
    static const struct normalization_case cases[] = {
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {1, 1}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {131, 2}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {3, 1031}, dnnl_ab,
                    dnnl_ba},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 3, {3, 5, 67}, dnnl_abc,
                    dnnl_bac},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 4, {2, 3, 4, 5},
                    dnnl_acdb, dnnl_abcd},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 5, {2, 3, 2, 3, 5},
                    dnnl_acdeb, dnnl_cdeba},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {0, 5}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {5, 0}, dnnl_ab,
                    dnnl_ab}};
    check_all(cases, COUNT(cases));
}

TEST_C(LayerNormalization, TakesAllShapesWithStatistics)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 2, {17, 131},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 3, {3, 5, 7},
                    dnnl_bac, dnnl_abc},
            {TRAINING, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 4, {2, 3, 4, 5},
                    dnnl_abcd, dnnl_acdb},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 5,
                    {2, 3, 2, 3, 5}, dnnl_acdeb, dnnl_abcde}};
    check_all(cases, COUNT(cases));
}

/* As if the mean were 0: nothing reads or writes one. */
TEST_C(LayerNormalization, DividesByTheRootMeanSquare)
{
    static const struct normalization_case cases[] = {
            {TRAINING, SCALED | dnnl_rms_norm, 0, dnnl_f32, dnnl_f32, 3,
                    {3, 5, 67}, dnnl_abc, dnnl_bac},
            {INFERENCE, dnnl_use_scale | dnnl_rms_norm, 0, dnnl_f32, dnnl_f32,
                    2, {17, 131}, dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED | GIVEN | dnnl_rms_norm, 0, dnnl_f32, dnnl_f32,
                    3, {3, 5, 7}, dnnl_bac, dnnl_abc}};
    struct normalization n;
    uint64_t seed = 47;
    check_all(cases, COUNT(cases));
    init(&n, &cases[0], &seed);
    n.flags |= dnnl_fuse_norm_relu;
    EXPECT_STATUS(dnnl_invalid_arguments, normalization_try(&n));
    normalization_fini(&n);
}

/* Mean and variance have strides of their own. */
TEST_C(LayerNormalization, TakesRandomShapes)
{
    normalization_check_random(dnnl_layer_normalization);
}

TEST_C(LayerNormalization, LeavesGapsAlone)
{
    static const unsigned flags[] = {SCALED, SCALED | GIVEN};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct normalization_case c = text;
        struct normalization n;
        const dnnl_dims_t strides = {2, 11};
        c.flags = flags[i];
        init(&n, &c, &seed);
        tensor_fini(&n.dst);
        tensor_fini(&n.mean);
        tensor_fini(&n.variance);
        tensor_init_strided(
                &n.dst, dnnl_f32, 3, c.dims, (dnnl_dims_t){1, 500, 5});
        tensor_init_strided(&n.mean, dnnl_f32, 2, c.dims, strides);
        tensor_init_strided(&n.variance, dnnl_f32, 2, c.dims, strides);
        tensor_randomize(&n.mean, &seed, -1.0, 1.0);
        tensor_randomize(&n.variance, &seed, 0.1, 2.0);
        normalization_check(&n);
    }
}

TEST_C(LayerNormalization, WorksInPlace)
{
    static const unsigned flags[] = {SCALED, SCALED | GIVEN};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct normalization_case c = text;
        struct normalization n;
        c.flags = flags[i];
        init(&n, &c, &seed);
        normalization_run(&n, true);
        normalization_fini(&n);
    }
}

/* ---- Types and flags ----------------------------------------------------- */

TEST_C(LayerNormalization, TakesEveryTypeAndFlag)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, 0, 0, dnnl_bf16, dnnl_f32, 2, {7, 41}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, dnnl_use_scale, 0, dnnl_f16, dnnl_f16, 2, {7, 41},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, dnnl_use_shift, 0, dnnl_u8, dnnl_bf16, 2, {7, 41},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_s8, dnnl_s8, 2, {7, 41},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED, 0, dnnl_f32, dnnl_u8, 2, {7, 41}, dnnl_ab,
                    dnnl_ab}};
    check_all(cases, COUNT(cases));
}

static dnnl_status_t describe_typed(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct normalization *n = user;
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd, engine,
            n->prop_kind, n->src.md, n->dst.md, NULL, n->scale.view.type,
            n->epsilon, n->flags, NULL);
}

static struct reference_value expected_typed(
        const void *user, const dnnl_dims_t place)
{
    const struct normalization *n = user;
    const struct reference_box line = {{place[0], 0}, {1, n->src.view.dims[1]}};
    const dnnl_dims_t at = {place[1]};
    struct reference_statistics s = reference_statistics(&n->src.view, &line);
    return reference_normalize(reference_at(&n->src.view, place), &s,
            n->epsilon, reference_at(&n->scale.view, at),
            reference_at(&n->shift.view, at));
}

TEST_C(LayerNormalization, TakesScaleAndShiftOfEveryFloat)
{
    static const dnnl_data_type_t types[] = {dnnl_f16, dnnl_bf16};
    static const struct normalization_case c = {INFERENCE, SCALED, 0, dnnl_f32,
            dnnl_f32, 2, {7, 41}, dnnl_ab, dnnl_ab};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        struct normalization n;
        dnnl_primitive_desc_t pd = NULL;
        init(&n, &c, &seed);
        tensor_fini(&n.scale);
        tensor_fini(&n.shift);
        tensor_init(&n.scale, types[i], 1, (dnnl_dims_t){41}, dnnl_a);
        tensor_init(&n.shift, types[i], 1, (dnnl_dims_t){41}, dnnl_a);
        tensor_randomize(&n.scale, &seed, -2.0, 2.0);
        tensor_randomize(&n.shift, &seed, -2.0, 2.0);
        const struct run_argument args[] = {{DNNL_ARG_SRC, &n.src},
                {DNNL_ARG_DST, &n.dst}, {DNNL_ARG_SCALE, &n.scale},
                {DNNL_ARG_SHIFT, &n.shift}};
        dnnl_status_t st = describe_typed(&pd, test_engine(), &n);
        dnnl_primitive_desc_destroy(pd);
        if ((types[i] != dnnl_f16 || st != dnnl_unimplemented)
                && run_twice(describe_typed, &n, args, COUNT(args)))
            expect_tensor(&n.dst, expected_typed, &n);
        normalization_fini(&n);
    }
}

TEST_C(LayerNormalization, TakesPostOps)
{
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &text, &seed);
    n.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.1f, 0.0f}}};
    normalization_check(&n);
}

/* ---- Scales -------------------------------------------------------------- */

struct scaled {
    struct normalization n;
    struct tensor src_scale, dst_scale;
};

static dnnl_status_t describe_scaled(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct scaled *s = user;
    dnnl_primitive_attr_t attr;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    dnnl_status_t st = dnnl_layer_normalization_forward_primitive_desc_create(
            pd, engine, s->n.prop_kind, s->n.src.md, s->n.dst.md, NULL,
            s->n.epsilon, s->n.flags, attr);
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    return st;
}

/* The product of scales, and the roundings of two steps. */
static struct reference_value expected_scaled(
        const void *user, const dnnl_dims_t place)
{
    const struct scaled *s = user;
    const dnnl_dims_t first = {0};
    struct reference_value v = expected_typed(&s->n, place);
    double scale = reference_at(&s->src_scale.view, first)
                   / reference_at(&s->dst_scale.view, first);
    v.value *= scale;
    v.tolerance = v.tolerance * scale + 0x1p-21 * fabs(v.value);
    return v;
}

TEST_C(LayerNormalization, TakesScalesOfSrcAndDst)
{
    static const struct normalization_case c = {INFERENCE, SCALED, 0, dnnl_s8,
            dnnl_u8, 2, {7, 41}, dnnl_ab, dnnl_ab};
    uint64_t seed = test_seed();
    struct scaled s;
    normalization_init(
            &s.n, dnnl_layer_normalization, &c, &seed, -127.0, 127.0);
    tensor_init(&s.src_scale, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_init(&s.dst_scale, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_randomize(&s.src_scale, &seed, 0.5, 2.0);
    tensor_randomize(&s.dst_scale, &seed, 0.01, 0.05);
    const struct run_argument args[] = {{DNNL_ARG_SRC, &s.n.src},
            {DNNL_ARG_DST, &s.n.dst}, {DNNL_ARG_SCALE, &s.n.scale},
            {DNNL_ARG_SHIFT, &s.n.shift},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, &s.src_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, &s.dst_scale}};
    run_and_expect(describe_scaled, expected_scaled, &s, args, COUNT(args));
    tensor_fini(&s.src_scale);
    tensor_fini(&s.dst_scale);
    normalization_fini(&s.n);
}

/* ---- Numbers ------------------------------------------------------------- */

TEST_C(LayerNormalization, IsExactFarFromZero)
{
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &text, &seed);
    tensor_randomize(&n.src, &seed, 50000.0, 50001.0);
    normalization_check(&n);
}

/* ---- Descriptors --------------------------------------------------------- */

/* Those of any layout, and those the caller does not describe, are like src. */
TEST_C(LayerNormalization, ChoosesTheLayoutOfStatistics)
{
    const dnnl_dims_t dims = {3, 5, 7};
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t src = tagged_md(3, dims, dnnl_f32, dnnl_bac);
    dnnl_memory_desc_t any = tagged_md(2, dims, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t like_src = tagged_md(2, dims, dnnl_f32, dnnl_ba);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(dnnl_layer_normalization_forward_primitive_desc_create(&pd, e,
                TRAINING, src, src, i == 0 ? any : NULL, 1e-3f, 0, NULL));
        EXPECT_DESC(like_src, pd, dnnl_query_exec_arg_md, DNNL_ARG_MEAN);
        dnnl_primitive_desc_destroy(pd);
    }
}

TEST_C(LayerNormalization, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    uint64_t seed = test_seed();
    struct normalization good;
    struct normalization n;
    dnnl_memory_desc_t wide = plain_md(2, (dnnl_dims_t){3, 6}, dnnl_f32);
    dnnl_memory_desc_t half = plain_md(2, (dnnl_dims_t){3, 5}, dnnl_bf16);
    dnnl_memory_desc_t vector = plain_md(1, (dnnl_dims_t){5}, dnnl_f32);
    dnnl_memory_desc_t repeated =
            strided_md(2, (dnnl_dims_t){3, 5}, dnnl_f32, (dnnl_dims_t){0, 1});
    init(&good, &text, &seed);
    EXPECT_OK(normalization_try(&good));
#define REFUSES(status, change) \
    n = good;                   \
    change;                     \
    EXPECT_STATUS(status, normalization_try(&n))
    REFUSES(wrong, n.prop_kind = dnnl_backward_data);
    REFUSES(wrong, n.flags = dnnl_fuse_norm_relu);
    REFUSES(wrong, n.mean.md = wide);
    REFUSES(wrong, n.mean.md = vector);
    REFUSES(wrong, n.dst.md = wide);
    REFUSES(wrong, n.src.md = vector; n.dst.md = vector);
    REFUSES(dnnl_unimplemented, n.mean.md = half);
    REFUSES(dnnl_unimplemented, n.mean.md = repeated);
    n = good;
    n.mean.md = repeated;
    n.flags |= GIVEN;
    EXPECT_OK(normalization_try(&n));
#undef REFUSES
    normalization_fini(&good);
}

TEST_C(LayerNormalization, RefusesTypesItHasNot)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, 0, 0, dnnl_s32, dnnl_f32, 2, {2, 3}, dnnl_ab, dnnl_ab},
            {INFERENCE, 0, 0, dnnl_f32, dnnl_s32, 2, {2, 3}, dnnl_ab, dnnl_ab}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct normalization n;
        init(&n, &cases[i], &seed);
        EXPECT_STATUS(dnnl_unimplemented, normalization_try(&n));
        normalization_fini(&n);
    }
    struct normalization n;
    dnnl_primitive_desc_t pd = NULL;
    init(&n, &text, &seed);
    n.scale.view.type = dnnl_s8;
    EXPECT_STATUS(dnnl_unimplemented, describe_typed(&pd, test_engine(), &n));
    normalization_fini(&n);
}
