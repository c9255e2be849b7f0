/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct eltwise {
    struct tensor src, dst;
    struct chain_step function;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct eltwise *e = user;
    dnnl_primitive_attr_t attr = chain_attr(&e->chain);
    dnnl_status_t st = dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, e->function.alg, e->src.md, e->dst.md,
            e->function.alpha, e->function.beta, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct eltwise *e = user;
    /* Kernels compute in f32; no other type but s32 loses by it. */
    float read = (float)reference_at(&e->src.view, place);
    struct reference_value s = {(double)read, 0.0};
    return chain_apply(&e->chain, reference_eltwise(e->function.alg, s,
                                          e->function.alpha, e->function.beta));
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct eltwise *e)
{
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &e->src}, {DNNL_ARG_DST, &e->dst}};
    run_and_expect(describe, expected, e, args, 2);
    tensor_fini(&e->src);
    tensor_fini(&e->dst);
}

static void init_typed(struct eltwise *e, dnnl_dim_t n,
        struct chain_step function, dnnl_data_type_t src, dnnl_data_type_t dst)
{
    memset(e, 0, sizeof *e);
    tensor_init(&e->src, src, 1, (dnnl_dims_t){n}, dnnl_a);
    tensor_init(&e->dst, dst, 1, (dnnl_dims_t){n}, dnnl_a);
    e->function = function;
}

static void init_vector(
        struct eltwise *e, dnnl_dim_t n, struct chain_step function)
{
    init_typed(e, n, function, dnnl_f32, dnnl_f32);
}

static const struct chain_step relu = {dnnl_eltwise_relu, 0.5f, 0.0f};

/* ---- Functions ----------------------------------------------------------- */

TEST_C(Eltwise, ComputesEveryAlgorithm)
{
    /* Each with the parameters of one program's launches. */
    static const struct chain_step functions[] = {
            {dnnl_eltwise_relu, 0.0f, 0.0f}, {dnnl_eltwise_relu, -0.25f, 0.0f},
            {dnnl_eltwise_tanh, 0.0f, 0.0f}, {dnnl_eltwise_elu, 1.5f, 0.0f},
            {dnnl_eltwise_square, 0.0f, 0.0f}, {dnnl_eltwise_abs, 0.0f, 0.0f},
            {dnnl_eltwise_sqrt, 0.0f, 0.0f}, {dnnl_eltwise_linear, 3.0f, -7.0f},
            {dnnl_eltwise_soft_relu, 1.0f, 0.0f},
            {dnnl_eltwise_soft_relu, -2.0f, 0.0f},
            {dnnl_eltwise_soft_relu, 0.0f, 0.0f}, /* infinity, as oneDNN's */
            {dnnl_eltwise_hardsigmoid, 0.2f, 0.5f},
            {dnnl_eltwise_logistic, 0.0f, 0.0f}, {dnnl_eltwise_exp, 0.0f, 0.0f},
            {dnnl_eltwise_gelu_tanh, 0.0f, 0.0f},
            {dnnl_eltwise_gelu_erf, 0.0f, 0.0f},
            {dnnl_eltwise_swish, 1.702f, 0.0f}, {dnnl_eltwise_log, 0.0f, 0.0f},
            {dnnl_eltwise_clip, -1.5f, 2.25f},
            {dnnl_eltwise_clip_v2, 0.0f, INFINITY},
            {dnnl_eltwise_pow, 0.5f, 3.0f}, {dnnl_eltwise_pow, 2.0f, -0.5f},
            {dnnl_eltwise_pow, 2.0f, 0.0f}, {dnnl_eltwise_round, 0.0f, 0.0f},
            {dnnl_eltwise_mish, 0.0f, 0.0f},
            {dnnl_eltwise_hardswish, 1.0f / 6.0f, 0.5f}};
    /* Zeros, ties of rounding, saturation, overflow, tiny and huge. */
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5,
            -2.5, 3.0, -3.0, 1e-6, -1e-6, 20.0, -20.0, 87.5, -87.5, 100.0,
            -100.0, 1e10, -1e10, 1e30, -1e30, 1e-30, -1e-30, 0.999999,
            8388609.0, -8388607.5};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct eltwise e;
        if (!is_in_sample(i, first)) continue;
        init_vector(&e, COUNT(special), functions[i]);
        tensor_set(&e.src, special, COUNT(special));
        check(&e);
        init_vector(&e, 1000, functions[i]);
        tensor_randomize(&e.src, &seed, -10.0, 10.0);
        check(&e);
        if (test_has_failed()) {
            test_fail(__FILE__, __LINE__, "algorithm 0x%x",
                    (unsigned)functions[i].alg);
            break;
        }
    }
}

TEST_C(Eltwise, ComputesTheSameWhereTheDerivativeIsOfDst)
{
    static const struct chain_step functions[] = {
            {dnnl_eltwise_relu_use_dst_for_bwd, 0.25f, 0.0f},
            {dnnl_eltwise_tanh_use_dst_for_bwd, 0.0f, 0.0f},
            {dnnl_eltwise_elu_use_dst_for_bwd, 1.5f, 0.0f},
            {dnnl_eltwise_sqrt_use_dst_for_bwd, 0.0f, 0.0f},
            {dnnl_eltwise_logistic_use_dst_for_bwd, 0.0f, 0.0f},
            {dnnl_eltwise_exp_use_dst_for_bwd, 0.0f, 0.0f},
            {dnnl_eltwise_clip_v2_use_dst_for_bwd, -1.0f, 2.0f}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct eltwise e;
        init_vector(&e, 1000, functions[i]);
        tensor_randomize(&e.src, &seed, -10.0, 10.0);
        check(&e);
    }
}

TEST_C(Eltwise, HandsNotANumberAndInfinityOn)
{
    static const double special[] = {NAN, INFINITY, -INFINITY};
    struct eltwise e;
    init_vector(&e, COUNT(special), relu);
    tensor_set(&e.src, special, COUNT(special));
    check(&e);
}

/* ---- How exact ----------------------------------------------------------- */

enum { SAMPLES = 1 << 14 };

/* Floats of every exponent between two, of both signs, and the special ones. */
static double sample(int i, float least, float most)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0,
            -1.0, 3.9199, -3.9201, 0x1p-126, -0x1p-126};
    uint32_t low, high, bits;
    float s;
    if ((size_t)i < COUNT(special)) return special[i];
    memcpy(&low, &least, sizeof low);
    memcpy(&high, &most, sizeof high);
    bits = low + (uint32_t)((uint64_t)(high - low) * (uint32_t)i / SAMPLES);
    memcpy(&s, &bits, sizeof s);
    return (double)(i % 2 == 0 ? s : -s);
}

/* Computes the samples; the caller frees the tensors. */
static bool compute_samples(
        struct eltwise *e, struct chain_step function, float least, float most)
{
    double *samples = malloc(SAMPLES * sizeof *samples);
    if (samples == NULL) abort();
    init_vector(e, SAMPLES, function);
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = sample(i, least, most);
    tensor_set(&e->src, samples, SAMPLES);
    free(samples);
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &e->src}, {DNNL_ARG_DST, &e->dst}};
    return run_twice(describe, e, args, 2);
}

/* The error function is at most 10 ulp off: of 2^-24, as it is below 1. */
TEST_C(Eltwise, ErrorFunctionIsAsExactAsItSays)
{
    const struct chain_step gelu = {dnnl_eltwise_gelu_erf, 0.0f, 0.0f};
    struct eltwise e;
    const bool ok = compute_samples(&e, gelu, 0x1p-60f, 0x1p100f);
    for (dnnl_dim_t i = 0; ok && i < SAMPLES; i++) {
        const dnnl_dims_t place = {i};
        const double s = reference_at(&e.src.view, place);
        const double y = reference_at(&e.dst.view, place);
        const double exact = 0.5 * s * (1.0 + erf(s * sqrt(0.5)));
        /* Half of that, and roundings of the product and the sum. */
        const double off = (5.0 + 3.0) * 0x1p-24 * fabs(s);
        if (isnan(exact) ? isnan(y) : y == exact || fabs(y - exact) <= off)
            continue;
        test_fail(__FILE__, __LINE__, "of %a: %a, not %a", s, y, exact);
        break;
    }
    tensor_fini(&e.src);
    tensor_fini(&e.dst);
}

/* Neighbours of a float are so far apart. */
static double ulp_of(double y)
{
    int exponent;
    (void)frexp(y, &exponent);
    return ldexp(1.0, exponent - FLT_MANT_DIG);
}

static void expect_powers(float exponent, double ulps)
{
    const struct chain_step power = {dnnl_eltwise_pow, 1.0f, exponent};
    struct eltwise e;
    const bool ok = compute_samples(&e, power, 0x1p-40f, 0x1p40f);
    for (dnnl_dim_t i = 0; ok && i < SAMPLES; i++) {
        const dnnl_dims_t place = {i};
        const double s = reference_at(&e.src.view, place);
        const double y = reference_at(&e.dst.view, place);
        const double exact = pow(s, (double)exponent);
        const bool is_zero = fabs(exact) < (double)FLT_MIN;
        if (isnan(exact)       ? isnan(y)
                : isinf(exact) ? y == exact
                : is_zero      ? fabs(y) <= (double)FLT_MIN
                                    && !signbit(y) == !signbit(exact)
                          : fabs(y - exact) <= ulps * ulp_of(exact))
            continue;
        test_fail(__FILE__, __LINE__, "%a to the power of %g: %a, not %a", s,
                (double)exponent, y, exact);
        break;
    }
    tensor_fini(&e.src);
    tensor_fini(&e.dst);
}

/* Products, quotients and roots instead of pow(). A quotient may be 2.5 ulp off
 * and a root 3. */
TEST_C(Eltwise, SquaresAreAsPowersAre)
{
    expect_powers(2.0f, 0.5);
}

TEST_C(Eltwise, RootsAreAsPowersAre)
{
    expect_powers(0.5f, 3.0);
}

TEST_C(Eltwise, OtherPowersAreAsExactAsTheySay)
{
    expect_powers(3.0f, 2.0);
    expect_powers(-1.0f, 2.5);
    expect_powers(-0.5f, 6.0);
    expect_powers(2.5f, 16.0);
}

/* ---- Types --------------------------------------------------------------- */

struct typed_case {
    dnnl_data_type_t src, dst;
    struct chain_step function;
};

/* Each type is read and written, floats as integers and back; each function
 * leaves the range of its dst, or meets ties of its rounding. */
TEST_C(Eltwise, TakesEveryType)
{
    static const struct typed_case cases[] = {
            {dnnl_f16, dnnl_f16, {dnnl_eltwise_square, 0.0f, 0.0f}},
            {dnnl_bf16, dnnl_bf16, {dnnl_eltwise_gelu_erf, 0.0f, 0.0f}},
            {dnnl_s8, dnnl_s8, {dnnl_eltwise_linear, -1.5f, 0.0f}},
            {dnnl_u8, dnnl_u8, {dnnl_eltwise_linear, 1.5f, -2.0f}},
            {dnnl_s32, dnnl_s32, {dnnl_eltwise_relu, 0.5f, 0.0f}},
            {dnnl_f32, dnnl_s8, {dnnl_eltwise_linear, 2.0f, 0.5f}},
            {dnnl_s8, dnnl_bf16, {dnnl_eltwise_exp, 0.0f, 0.0f}},
            {dnnl_bf16, dnnl_s32, {dnnl_eltwise_abs, 0.0f, 0.0f}},
            {dnnl_f16, dnnl_u8, {dnnl_eltwise_logistic, 0.0f, 0.0f}}};
    static const double special[] = {0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.5, -2.5,
            3.0, 7.0, -7.0, 126.0, 127.0, -128.0, 170.0, 171.0, 255.0, 256.0,
            65504.0, -65504.0, 16777217.0, 2147483647.0, -2147483648.0, 1e-7,
            -1e-7, 0x1p-24, 0x1.fep127, NAN, INFINITY, -INFINITY};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct eltwise e;
        if (!with_half && (c->src == dnnl_f16 || c->dst == dnnl_f16)) continue;
        init_typed(&e, COUNT(special), c->function, c->src, c->dst);
        tensor_set(&e.src, special, COUNT(special));
        check(&e);
        init_typed(&e, 1000, c->function, c->src, c->dst);
        tensor_randomize(&e.src, &seed, -300.0, 300.0);
        check(&e);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "types %d to %d", (int)c->src,
                    (int)c->dst);
    }
}

TEST_C(Eltwise, RoundsOnceBehindThePostOps)
{
    /* As bf16 257 would be 256 before the post-op takes 256 off. */
    static const double values[] = {257.0, 255.0, -3.0};
    struct eltwise e;
    init_typed(&e, COUNT(values), relu, dnnl_f32, dnnl_bf16);
    e.chain = (struct chain){1, {{dnnl_eltwise_linear, 1.0f, -256.0f}}};
    tensor_set(&e.src, values, COUNT(values));
    check(&e);
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Eltwise, TakesSizesAroundAGroup)
{
    static const dnnl_dim_t sizes[] = {
            1, 2, 7, 127, 128, 129, 255, 256, 257, 1031, 70001};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct eltwise e;
        init_vector(&e, sizes[i], relu);
        tensor_randomize(&e.src, &seed, -1.0, 1.0);
        check(&e);
    }
}

TEST_C(Eltwise, LeavesAnEmptyTensorAlone)
{
    struct eltwise e;
    init_vector(&e, 0, relu);
    check(&e);
}

TEST_C(Eltwise, WorksInPlace)
{
    uint64_t seed = test_seed();
    struct eltwise e;
    struct tensor both;
    init_vector(&e, 777, relu);
    tensor_init(&both, dnnl_f32, 1, (dnnl_dims_t){777}, dnnl_a);
    tensor_randomize(&e.src, &seed, -1.0, 1.0);
    memcpy(both.bytes, e.src.bytes, both.size);
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &both}, {DNNL_ARG_DST, &both}};
    run_and_expect(describe, expected, &e, args, 2);
    tensor_fini(&both);
    tensor_fini(&e.src);
    tensor_fini(&e.dst);
}

TEST_C(Eltwise, ChangesTheLayout)
{
    uint64_t seed = test_seed();
    struct eltwise e;
    memset(&e, 0, sizeof e);
    const dnnl_dims_t dims = {2, 5, 3, 7};
    e.function = relu;
    tensor_init(&e.src, dnnl_f32, 4, dims, dnnl_nchw);
    tensor_init(&e.dst, dnnl_f32, 4, dims, dnnl_nhwc);
    tensor_randomize(&e.src, &seed, -1.0, 1.0);
    check(&e);
}

TEST_C(Eltwise, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct eltwise e;
    memset(&e, 0, sizeof e);
    const dnnl_dims_t dims = {3, 4, 5};
    e.function = relu;
    tensor_init_strided(&e.src, dnnl_f32, 3, dims, (dnnl_dims_t){0, 10, 2});
    tensor_init_strided(&e.dst, dnnl_f32, 3, dims, (dnnl_dims_t){1, 30, 6});
    tensor_randomize(&e.src, &seed, -1.0, 1.0);
    check(&e);
}

TEST_C(Eltwise, TakesTwelveDimensionsThatDoNotMerge)
{
    uint64_t seed = test_seed();
    struct eltwise e;
    memset(&e, 0, sizeof e);
    const dnnl_dims_t dims = {2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2};
    e.function = relu;
    /* Every dimension of src and dst runs the other way. */
    tensor_init_strided(&e.src, dnnl_f32, 12, dims,
            (dnnl_dims_t){1, 2, 4, 8, 8, 16, 32, 64, 64, 128, 256, 512});
    tensor_init(&e.dst, dnnl_f32, 12, dims, dnnl_abcdefghijkl);
    tensor_randomize(&e.src, &seed, -1.0, 1.0);
    check(&e);
}

TEST_C(Eltwise, GivesDstTheLayoutOfSrcForAny)
{
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims = {2, 3, 4, 5};
    dnnl_memory_desc_t src = tagged_md(4, dims, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_t dst = tagged_md(4, dims, dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_training, dnnl_eltwise_relu, src, dst, 0.0f, 0.0f,
            NULL));
    EXPECT_DESC(src, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
}

/* ---- Post-ops ------------------------------------------------------------ */

TEST_C(Eltwise, AppliesTheLongestChainOfPostOps)
{
    uint64_t seed = test_seed();
    struct eltwise e;
    init_vector(&e, 300, relu);
    /* The longest name, so that the options are the longest, too. */
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        e.chain.steps[i] = (struct chain_step){
                dnnl_eltwise_hardsigmoid, 1.0f - 0.01f * (float)i, 0.125f};
    e.chain.count = DNNL_CACHE_MAX_POST_OPS;
    tensor_randomize(&e.src, &seed, -1.0, 1.0);
    check(&e);
}

/* ---- Arguments ----------------------------------------------------------- */

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        struct chain_step function, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_eltwise_forward_primitive_desc_create(&out, engine,
            prop_kind, function.alg, src, dst, function.alpha, function.beta,
            NULL);
    return tried(st, out);
}

TEST_C(Eltwise, RefusesMissingArguments)
{
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = plain_md(1, (dnnl_dims_t){8}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_prop_kind_t kind = dnnl_forward_inference;
    ASSERT_OK(try_call(engine, kind, relu, md, md));
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    EXPECT_STATUS(wrong, try_call(NULL, kind, relu, md, md));
    EXPECT_STATUS(wrong, try_call(engine, kind, relu, NULL, md));
    EXPECT_STATUS(wrong, try_call(engine, kind, relu, md, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, relu, empty, md));
    EXPECT_STATUS(wrong, try_call(engine, kind, relu, md, empty));
    EXPECT_STATUS(
            wrong, dnnl_eltwise_forward_primitive_desc_create(NULL, engine,
                           kind, dnnl_eltwise_relu, md, md, 0.0f, 0.0f, NULL));
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(test_host(), kind, relu, md, md));
}

TEST_C(Eltwise, RefusesOtherKindsAndParameters)
{
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = plain_md(1, (dnnl_dims_t){8}, dnnl_f32);
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_prop_kind_t kinds[] = {dnnl_prop_kind_undef, dnnl_backward,
            dnnl_backward_data, (dnnl_prop_kind_t)1};
    for (size_t i = 0; i < COUNT(kinds); i++)
        EXPECT_STATUS(wrong, try_call(engine, kinds[i], relu, md, md));
    const struct chain_step functions[] = {{dnnl_alg_kind_undef, 0.0f, 0.0f},
            {dnnl_convolution_direct, 0.0f, 0.0f},
            {(dnnl_alg_kind_t)(dnnl_eltwise_hardswish + 1), 0.0f, 0.0f},
            {(dnnl_alg_kind_t)(dnnl_eltwise_relu - 1), 0.0f, 0.0f},
            {dnnl_eltwise_relu_use_dst_for_bwd, -0.5f, 0.0f},
            {dnnl_eltwise_elu_use_dst_for_bwd, -0.5f, 0.0f},
            {dnnl_eltwise_clip_v2_use_dst_for_bwd, 1.0f, -1.0f},
            {(dnnl_alg_kind_t)(dnnl_eltwise_clip_v2_use_dst_for_bwd + 1), 0.0f,
                    0.0f},
            {dnnl_eltwise_clip, 1.0f, -1.0f},
            {dnnl_eltwise_clip_v2, 0.0f, NAN}};
    for (size_t i = 0; i < COUNT(functions); i++)
        EXPECT_STATUS(wrong,
                try_call(engine, dnnl_forward_inference, functions[i], md, md));
}

TEST_C(Eltwise, RefusesShapesTypesAndLayouts)
{
    dnnl_engine_t engine = test_engine();
    const dnnl_dims_t dims = {4, 5};
    const dnnl_dims_t repeat = {0, 1};
    dnnl_prop_kind_t kind = dnnl_forward_training;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t higher = plain_md(3, (dnnl_dims_t){1, 4, 5}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, dims, dnnl_f64);
    dnnl_memory_desc_t repeated = strided_md(2, dims, dnnl_f32, repeat);
    dnnl_memory_desc_t any = tagged_md(2, dims, dnnl_f32, dnnl_format_tag_any);
    EXPECT_STATUS(
            dnnl_invalid_arguments, try_call(engine, kind, relu, md, other));
    EXPECT_STATUS(
            dnnl_invalid_arguments, try_call(engine, kind, relu, md, higher));
    EXPECT_STATUS(
            dnnl_invalid_arguments, try_call(engine, kind, relu, any, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(engine, kind, relu, wide, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(engine, kind, relu, md, wide));
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(engine, kind, relu, md, repeated));
    EXPECT_OK(try_call(engine, kind, relu, repeated, md));
}

/* ---- Cases of ONNX ------------------------------------------------------- */

static void check_onnx(const char *name, struct chain_step function)
{
    struct eltwise e;
    char file[64];
    memset(&e, 0, sizeof e);
    e.function = function;
    (void)snprintf(file, sizeof file, "%s_input_0", name);
    onnx_tensor_init(&e.src, file);
    onnx_tensor_init(&e.dst, file);
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &e.src}, {DNNL_ARG_DST, &e.dst}};
    EXPECT_TRUE(run_twice(describe, &e, args, 2));
    (void)snprintf(file, sizeof file, "%s_output_0", name);
    /* Both sides compute in f32: a few of its roundings. */
    onnx_expect(&e.dst, file, 1e-6);
    tensor_fini(&e.src);
    tensor_fini(&e.dst);
}

TEST_C(Eltwise, AgreesWithOnnx)
{
    check_onnx("ELU", (struct chain_step){dnnl_eltwise_elu, 2.0f, 0.0f});
    check_onnx("LeakyReLU_with_negval",
            (struct chain_step){dnnl_eltwise_relu, 0.5f, 0.0f});
    check_onnx("ReLU", (struct chain_step){dnnl_eltwise_relu, 0.0f, 0.0f});
    check_onnx(
            "Sigmoid", (struct chain_step){dnnl_eltwise_logistic, 0.0f, 0.0f});
    check_onnx("operator_sqrt",
            (struct chain_step){dnnl_eltwise_sqrt, 0.0f, 0.0f});
}
