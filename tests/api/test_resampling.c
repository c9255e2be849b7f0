/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct resampling {
    struct tensor src, dst;
    dnnl_alg_kind_t alg;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct resampling *r = user;
    dnnl_primitive_attr_t attr = chain_attr(&r->chain);
    dnnl_status_t st = dnnl_resampling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, r->alg, NULL, r->src.md, r->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct resampling *r = user;
    return chain_apply(&r->chain,
            reference_resampling(&r->src.view, &r->dst.view, r->alg, place));
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct resampling *r)
{
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &r->src}, {DNNL_ARG_DST, &r->dst}};
    run_and_expect(describe, expected, r, args, 2);
    tensor_fini(&r->src);
    tensor_fini(&r->dst);
}

/* Of lines, to lines of another length. */
static void init_lines(struct resampling *r, dnnl_alg_kind_t alg,
        dnnl_data_type_t src, dnnl_data_type_t dst, dnnl_dim_t from,
        dnnl_dim_t to)
{
    memset(r, 0, sizeof *r);
    tensor_init(&r->src, src, 3, (dnnl_dims_t){2, 3, from}, dnnl_abc);
    tensor_init(&r->dst, dst, 3, (dnnl_dims_t){2, 3, to}, dnnl_abc);
    r->alg = alg;
}

static const dnnl_alg_kind_t algs[] = {
        dnnl_resampling_nearest, dnnl_resampling_linear};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Resampling, TakesLinesOfAnyLength)
{
    static const dnnl_dim_t lengths[] = {1, 2, 3, 4, 7, 8, 64, 101};
    uint64_t seed = test_seed();
    size_t n = COUNT(lengths);
    for (size_t i = 0; i < 2 * n * n && !test_has_failed(); i++) {
        struct resampling r;
        init_lines(&r, algs[i / (n * n)], dnnl_f32, dnnl_f32,
                lengths[i / n % n], lengths[i % n]);
        tensor_randomize(&r.src, &seed, -3.0, 3.0);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* A centre right between two elements belongs to the later one. */
TEST_C(Resampling, TakesTheLaterOfTwoNearest)
{
    static const double values[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    static const float expected_values[] = {2.0f, 4.0f, 6.0f};
    struct resampling r;
    memset(&r, 0, sizeof r);
    tensor_init(&r.src, dnnl_f32, 3, (dnnl_dims_t){1, 1, 6}, dnnl_abc);
    tensor_init(&r.dst, dnnl_f32, 3, (dnnl_dims_t){1, 1, 3}, dnnl_abc);
    r.alg = dnnl_resampling_nearest;
    tensor_set(&r.src, values, COUNT(values));
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &r.src}, {DNNL_ARG_DST, &r.dst}};
    if (run_twice(describe, &r, args, 2))
        EXPECT_BYTES_EQ((const uint8_t *)expected_values,
                sizeof expected_values, r.dst.bytes, r.dst.size);
    tensor_fini(&r.src);
    tensor_fini(&r.dst);
}

TEST_C(Resampling, TakesImagesInAnyLayout)
{
    static const dnnl_dim_t sizes[] = {1, 2, 3, 5, 8, 11};
    uint64_t seed = test_seed();
    for (int i = 0; i < 48 && !test_has_failed(); i++) {
        int ndims = 3 + i % 3;
        dnnl_dims_t from;
        dnnl_dims_t to;
        struct resampling r;
        memset(&r, 0, sizeof r);
        for (int d = 0; d < ndims; d++) {
            from[d] = sizes[random_below(&seed, d < 2 ? 4 : 6)];
            to[d] = d < 2 ? from[d] : sizes[random_below(&seed, 6)];
        }
        tensor_init_random(&r.src, dnnl_f32, ndims, from, &seed);
        tensor_init_random(&r.dst, dnnl_f32, ndims, to, &seed);
        r.alg = algs[i / 3 % 2];
        tensor_randomize(&r.src, &seed, -3.0, 3.0);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

/* (2 * 70000 + 1) * 40000 is beyond 32 bits. */
TEST_C(Resampling, TakesLinesWhoseProductsAreWide)
{
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(algs); i++) {
        struct resampling r;
        memset(&r, 0, sizeof r);
        tensor_init(&r.src, dnnl_f32, 3, (dnnl_dims_t){1, 1, 40000}, dnnl_abc);
        tensor_init(&r.dst, dnnl_f32, 3, (dnnl_dims_t){1, 1, 70000}, dnnl_abc);
        r.alg = algs[i];
        tensor_randomize(&r.src, &seed, -3.0, 3.0);
        check(&r);
    }
}

TEST_C(Resampling, LeavesAnEmptyTensorAlone)
{
    struct resampling r;
    init_lines(&r, dnnl_resampling_linear, dnnl_f32, dnnl_f32, 5, 0);
    check(&r);
    memset(&r, 0, sizeof r);
    r.alg = dnnl_resampling_nearest;
    tensor_init(&r.src, dnnl_f32, 3, (dnnl_dims_t){0, 3, 4}, dnnl_abc);
    tensor_init(&r.dst, dnnl_f32, 3, (dnnl_dims_t){0, 3, 8}, dnnl_abc);
    check(&r);
}

/* ---- Types and numbers --------------------------------------------------- */

struct typed_case {
    dnnl_data_type_t src, dst;
    dnnl_alg_kind_t alg;
    double most;
    struct chain chain;
};

/* Large s32 lie closer than floats do. */
TEST_C(Resampling, TakesEveryType)
{
    static const struct typed_case cases[] = {
            {dnnl_f16, dnnl_f16, dnnl_resampling_linear, 100.0, {0}},
            {dnnl_bf16, dnnl_f32, dnnl_resampling_linear, 100.0, {0}},
            {dnnl_s32, dnnl_s32, dnnl_resampling_nearest, 2e9, {0}},
            {dnnl_u8, dnnl_s8, dnnl_resampling_linear, 200.0, {0}},
            {dnnl_s8, dnnl_u8, dnnl_resampling_nearest, 120.0,
                    {1, {{dnnl_eltwise_linear, 1.5f, 30.0f}}}},
            {dnnl_f32, dnnl_bf16, dnnl_resampling_nearest, 100.0, {0}}};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct resampling r;
        if (!with_half && c->src == dnnl_f16) continue;
        init_lines(&r, c->alg, c->src, c->dst, 37, 101);
        r.chain = c->chain;
        tensor_randomize(&r.src, &seed, -c->most, c->most);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* What is infinite counts only where its weight is not 0. */
TEST_C(Resampling, HandsNotANumberAndInfinityOn)
{
    static const double values[] = {1.0, INFINITY, 2.0, 3.0, -INFINITY, NAN};
    static const dnnl_dim_t lengths[] = {3, 6, 12, 18};
    for (size_t i = 0; i < 2 * COUNT(lengths); i++) {
        struct resampling r;
        init_lines(&r, algs[i % 2], dnnl_f32, dnnl_f32, COUNT(values),
                lengths[i / 2]);
        tensor_set(&r.src, values, COUNT(values));
        check(&r);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(Resampling, MakesDstOfFactors)
{
    const float factors[] = {2.5f, 0.3f};
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src =
            tagged_md(4, (dnnl_dims_t){2, 3, 5, 11}, dnnl_bf16, dnnl_nhwc);
    dnnl_memory_desc_t dst =
            tagged_md(4, (dnnl_dims_t){2, 3, 12, 3}, dnnl_bf16, dnnl_nhwc);
    ASSERT_OK(dnnl_resampling_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_training, dnnl_resampling_linear, factors, src, NULL,
            NULL));
    EXPECT_DESC(dst, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
}

/* The quotients of sizes, whatever was given to make dst of. */
TEST_C(Resampling, TellsTheFactorsThatItUses)
{
    static const float given[] = {2.5f, 0.3f};
    static const float used[] = {12.0f / 5.0f, 3.0f / 11.0f};
    dnnl_memory_desc_t src = plain_md(4, (dnnl_dims_t){2, 3, 5, 11}, dnnl_f32);
    dnnl_memory_desc_t dst = plain_md(4, (dnnl_dims_t){2, 3, 12, 3}, dnnl_f32);
    for (int i = 0; i < 3; i++) {
        dnnl_primitive_desc_t pd = NULL;
        const float *factors = NULL;
        ASSERT_OK(dnnl_resampling_forward_primitive_desc_create(&pd,
                test_engine(), dnnl_forward_training, dnnl_resampling_linear,
                i == 0 ? NULL : given, src, i == 1 ? NULL : dst, NULL));
        ASSERT_OK(
                dnnl_primitive_desc_query(pd, dnnl_query_factors, 0, &factors));
        for (int d = 0; d < 2; d++)
            EXPECT_TRUE(factors[d] == used[d]);
        dnnl_primitive_desc_destroy(pd);
    }
}

TEST_C(Resampling, MakesDstInTheBlocksOfSrc)
{
    static const dnnl_format_tag_t tags[] = {
            dnnl_nChw16c, dnnl_nChw8c, dnnl_NChw16n16c, dnnl_nhwc, dnnl_nchw};
    const float factors[] = {2.0f, 1.5f};
    dnnl_engine_t engine = test_engine();
    for (size_t i = 0; i < COUNT(tags); i++) {
        dnnl_memory_desc_t src, dst;
        dnnl_primitive_desc_t pd;
        src = tagged_md(4, (dnnl_dims_t){3, 17, 5, 4}, dnnl_f32, tags[i]);
        dst = tagged_md(4, (dnnl_dims_t){3, 17, 10, 6}, dnnl_f32, tags[i]);
        ASSERT_OK(dnnl_resampling_forward_primitive_desc_create(&pd, engine,
                dnnl_forward_inference, dnnl_resampling_nearest, factors, src,
                NULL, NULL));
        EXPECT_DESC(dst, pd, dnnl_query_dst_md, 0);
        dnnl_primitive_desc_destroy(pd);
    }
}

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg, const float *factors, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_resampling_forward_primitive_desc_create(
            &out, engine, prop_kind, alg, factors, src, dst, NULL);
    return tried(st, out);
}

TEST_C(Resampling, RefusesWrongArguments)
{
    dnnl_engine_t e = test_engine();
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_alg_kind_t near = dnnl_resampling_nearest;
    const dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_memory_desc_t src = plain_md(3, (dnnl_dims_t){2, 3, 5}, dnnl_f32);
    dnnl_memory_desc_t dst = plain_md(3, (dnnl_dims_t){2, 3, 7}, dnnl_f32);
    dnnl_memory_desc_t batch = plain_md(3, (dnnl_dims_t){1, 3, 7}, dnnl_f32);
    dnnl_memory_desc_t none = plain_md(3, (dnnl_dims_t){2, 3, 0}, dnnl_f32);
    dnnl_memory_desc_t flat = plain_md(2, (dnnl_dims_t){2, 3}, dnnl_f32);
    dnnl_memory_desc_t higher =
            plain_md(6, (dnnl_dims_t){2, 3, 5, 1, 1, 1}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(3, (dnnl_dims_t){2, 3, 7}, dnnl_f64);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(3, (dnnl_dims_t){2, 3, 7}, dnnl_f32, dnnl_format_tag_any);
    const float good[] = {1.4f};
    const float other[] = {1.2f};
    const float bad[][1] = {{0.0f}, {-1.0f}, {NAN}, {INFINITY}, {1e30f}};
    EXPECT_OK(try_call(e, kind, near, good, src, any));
    EXPECT_OK(try_call(e, kind, near, NULL, src, dst));
    EXPECT_STATUS(wrong, try_call(NULL, kind, near, NULL, src, dst));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, NULL, dst));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, src, NULL));
    /* Where dst is described, factors tell nothing. */
    EXPECT_OK(try_call(e, kind, near, other, src, dst));
    for (size_t i = 0; i < COUNT(bad); i++) {
        EXPECT_OK(try_call(e, kind, near, bad[i], src, dst));
        EXPECT_STATUS(wrong, try_call(e, kind, near, bad[i], src, NULL));
        EXPECT_STATUS(i == 4 ? dnnl_success : wrong,
                try_call(e, kind, near, bad[i], none, NULL));
    }
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, src, batch));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, none, dst));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, flat, flat));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, higher, higher));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, src, flat));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, empty, empty));
    EXPECT_STATUS(wrong, try_call(e, kind, near, NULL, any, dst));
    EXPECT_STATUS(wrong, try_call(e, dnnl_backward, near, NULL, src, dst));
    EXPECT_STATUS(wrong, try_call(e, kind, dnnl_reduction_max, NULL, src, dst));
    EXPECT_STATUS(wrong, dnnl_resampling_forward_primitive_desc_create(
                                 NULL, e, kind, near, NULL, src, dst, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, kind, near, NULL, src, wide));
    EXPECT_STATUS(dnnl_unimplemented,
            try_call(test_host(), kind, near, NULL, src, dst));
}
