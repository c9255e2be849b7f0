/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct reduction {
    struct tensor src, dst;
    dnnl_alg_kind_t alg;
    float p, eps;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct reduction *r = user;
    dnnl_primitive_attr_t attr = chain_attr(&r->chain);
    dnnl_status_t st = dnnl_reduction_primitive_desc_create(
            pd, engine, r->alg, r->src.md, r->dst.md, r->p, r->eps, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct reduction *r = user;
    return chain_apply(
            &r->chain, reference_reduction(&r->src.view, &r->dst.view, r->alg,
                               r->p, r->eps, place));
}

static bool run(struct reduction *r)
{
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &r->src}, {DNNL_ARG_DST, &r->dst}};
    return run_twice(describe, r, args, 2);
}

static void fini(struct reduction *r)
{
    tensor_fini(&r->src);
    tensor_fini(&r->dst);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct reduction *r)
{
    if (run(r)) expect_tensor(&r->dst, expected, r);
    fini(r);
}

/* Rows to numbers. */
static void init_matrix(struct reduction *r, dnnl_data_type_t src,
        dnnl_data_type_t dst, dnnl_dim_t rows, dnnl_dim_t columns)
{
    memset(r, 0, sizeof *r);
    tensor_init(&r->src, src, 2, (dnnl_dims_t){rows, columns}, dnnl_ab);
    tensor_init(&r->dst, dst, 2, (dnnl_dims_t){rows, 1}, dnnl_ab);
    r->alg = dnnl_reduction_sum;
    r->p = 2.0f;
}

/* ---- Algorithms and types ------------------------------------------------ */

struct alg_case {
    dnnl_alg_kind_t alg;
    float p, eps;
};

TEST_C(Reduction, ComputesEveryAlgorithm)
{
    /* Each with the parameters of one program's launches. */
    static const struct alg_case cases[] = {{dnnl_reduction_max, 0.0f, 0.0f},
            {dnnl_reduction_min, 0.0f, 0.0f}, {dnnl_reduction_sum, 0.0f, 0.0f},
            {dnnl_reduction_mul, 0.0f, 0.0f}, {dnnl_reduction_mean, 0.0f, 0.0f},
            {dnnl_reduction_norm_lp_max, 2.0f, 0.0f},
            {dnnl_reduction_norm_lp_max, 1.0f, 900.0f},
            {dnnl_reduction_norm_lp_max, 3.0f, 0.5f},
            {dnnl_reduction_norm_lp_sum, 2.0f, 0.25f},
            {dnnl_reduction_norm_lp_sum, 1.5f, 0.0f},
            {dnnl_reduction_norm_lp_power_p_max, 2.0f, 0.0f},
            {dnnl_reduction_norm_lp_power_p_max, 4.0f, 1e6f},
            {dnnl_reduction_norm_lp_power_p_sum, 1.0f, 3.0f},
            {dnnl_reduction_norm_lp_power_p_sum, 2.5f, 0.0f}};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        if (!is_in_sample(i, first)) continue;
        const struct alg_case *c = &cases[i];
        bool is_product = c->alg == dnnl_reduction_mul;
        struct reduction r;
        init_matrix(&r, dnnl_f32, dnnl_f32, 17, 301);
        r.alg = c->alg;
        r.p = c->p;
        r.eps = c->eps;
        tensor_randomize(&r.src, &seed, is_product ? 0.8 : -3.0,
                is_product ? 1.25 : 3.0);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

struct typed_case {
    dnnl_data_type_t src, dst;
    dnnl_alg_kind_t alg;
    struct chain chain;
};

TEST_C(Reduction, TakesEveryType)
{
    static const struct typed_case cases[] = {
            {dnnl_f16, dnnl_f16, dnnl_reduction_mean, {0}},
            {dnnl_bf16, dnnl_bf16, dnnl_reduction_max, {0}},
            {dnnl_s8, dnnl_s8, dnnl_reduction_sum,
                    {1, {{dnnl_eltwise_linear, 0.125f, 3.0f}}}},
            {dnnl_u8, dnnl_s32, dnnl_reduction_sum, {0}},
            {dnnl_u8, dnnl_f32, dnnl_reduction_mean, {0}},
            {dnnl_s8, dnnl_u8, dnnl_reduction_norm_lp_sum, {0}},
            {dnnl_s32, dnnl_f32, dnnl_reduction_min,
                    {1, {{dnnl_eltwise_linear, 0.5f, 1.0f}}}},
            {dnnl_f32, dnnl_s8, dnnl_reduction_min, {0}}};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct reduction r;
        if (!with_half && c->src == dnnl_f16) continue;
        init_matrix(&r, c->src, c->dst, 33, 65);
        r.alg = c->alg;
        r.chain = c->chain;
        tensor_randomize(&r.src, &seed, -300.0, 300.0);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* As f32 the neighbours would be the same. */
TEST_C(Reduction, ComparesIntegersExactly)
{
    static const double values[] = {2147483646.0, 2147483647.0, 2147483645.0,
            16777216.0, 16777217.0, -2147483648.0};
    static const int32_t most[] = {2147483647, 16777217};
    static const int32_t least[] = {2147483645, -2147483647 - 1};
    for (int i = 0; i < 2; i++) {
        struct reduction r;
        init_matrix(&r, dnnl_s32, dnnl_s32, 2, 3);
        r.alg = i == 0 ? dnnl_reduction_max : dnnl_reduction_min;
        tensor_set(&r.src, values, COUNT(values));
        if (run(&r))
            EXPECT_BYTES_EQ((const uint8_t *)(i == 0 ? most : least),
                    sizeof most, r.dst.bytes, r.dst.size);
        fini(&r);
    }
}

TEST_C(Reduction, HandsNotANumberAndInfinityOn)
{
    static const double rows[] = {NAN, 1.0, 2.0, 1.0, NAN, 2.0, 1.0, 2.0, NAN,
            INFINITY, 1.0, 2.0, -INFINITY, 1.0, -2.0, INFINITY, -INFINITY, 0.0,
            -INFINITY, -INFINITY, -INFINITY, 0.0, -0.0, 0.0};
    for (int i = 0; i < 5; i++) {
        struct reduction r;
        init_matrix(&r, dnnl_f32, dnnl_f32, COUNT(rows) / 3, 3);
        r.alg = (dnnl_alg_kind_t)(dnnl_reduction_max + i);
        tensor_set(&r.src, rows, COUNT(rows));
        check(&r);
    }
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Reduction, TakesAllLengths)
{
    static const dnnl_dim_t shapes[][2] = {{1, 2}, {5, 2}, {3, 31}, {3, 32},
            {2, 33}, {131, 15}, {7, 255}, {7, 256}, {5, 257}, {1, 70001},
            {5000, 3}, {4099, 40}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes) && !test_has_failed(); i++) {
        struct reduction r;
        init_matrix(&r, dnnl_f32, dnnl_f32, shapes[i][0], shapes[i][1]);
        tensor_randomize(&r.src, &seed, -1.0, 1.0);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* Any of the dimensions, in any layout. */
static void init_random(struct reduction *r, int ndims, uint64_t *seed)
{
    static const dnnl_dim_t sizes[] = {1, 2, 3, 5, 7, 19};
    dnnl_dims_t dims;
    dnnl_dims_t kept;
    int must = (int)random_below(seed, ndims);
    memset(r, 0, sizeof *r);
    for (int d = 0; d < ndims; d++) {
        dims[d] = sizes[random_below(seed, ndims > 5 ? 3 : 6)];
        if (d == must) dims[d] = 3;
        kept[d] = random_below(seed, 2) == 0 || d == must ? 1 : dims[d];
    }
    tensor_init_random(&r->src, dnnl_f32, ndims, dims, seed);
    tensor_init_random(&r->dst, dnnl_f32, ndims, kept, seed);
    r->alg = dnnl_reduction_sum;
    tensor_randomize(&r->src, seed, -1.0, 1.0);
}

TEST_C(Reduction, ReducesAnyDimensionsInAnyLayout)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 60 && !test_has_failed(); i++) {
        struct reduction r;
        init_random(&r, 1 + i % 6, &seed);
        check(&r);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

TEST_C(Reduction, TakesTwelveDimensions)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 4 && !test_has_failed(); i++) {
        struct reduction r;
        init_random(&r, DNNL_MAX_NDIMS, &seed);
        check(&r);
    }
}

/* The reduced dimension is not the innermost: one item a result. */
TEST_C(Reduction, ReducesColumns)
{
    static const dnnl_dims_t shapes[] = {{3, 1000}, {300, 5003}, {300, 7}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes); i++) {
        dnnl_dim_t columns = shapes[i][1];
        struct reduction r;
        memset(&r, 0, sizeof r);
        tensor_init(&r.src, dnnl_f32, 2, shapes[i], dnnl_ab);
        tensor_init(&r.dst, dnnl_f32, 2, (dnnl_dims_t){1, columns}, dnnl_ab);
        r.alg = dnnl_reduction_sum;
        tensor_randomize(&r.src, &seed, -1.0, 1.0);
        check(&r);
    }
}

TEST_C(Reduction, LeavesAnEmptyTensorAlone)
{
    struct reduction r;
    init_matrix(&r, dnnl_f32, dnnl_f32, 0, 5);
    check(&r);
}

TEST_C(Reduction, OfNothingIsWhatAlgorithmsStartWith)
{
    for (int i = 0; i < 5; i++) {
        struct reduction r;
        init_matrix(&r, dnnl_f32, dnnl_f32, 3, 0);
        r.alg = (dnnl_alg_kind_t)(dnnl_reduction_max + i);
        check(&r);
    }
}

TEST_C(Reduction, TakesRandomEmptyTensors)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        const int ndims = 1 + (int)random_below(&seed, 6);
        dnnl_dims_t src, dst;
        struct reduction r;
        memset(&r, 0, sizeof r);
        /* Mostly those that are empty are reduced; a call that reduces none is
         * refused. */
        do {
            random_empty_dims(ndims, src, &seed);
            for (int d = 0; d < ndims; d++)
                dst[d] = random_below(&seed, 5) < (src[d] == 0 ? 4 : 1)
                                 ? 1
                                 : src[d];
        } while (memcmp(src, dst, (size_t)ndims * sizeof *src) == 0);
        tensor_init_random(&r.src, dnnl_f32, ndims, src, &seed);
        tensor_init_random(&r.dst, dnnl_f32, ndims, dst, &seed);
        r.alg = (dnnl_alg_kind_t)(dnnl_reduction_max
                                  + (int)random_below(&seed, 5));
        check(&r);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, float p)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_reduction_primitive_desc_create(
            &out, engine, alg, src, dst, p, 0.0f, NULL);
    return tried(st, out);
}

TEST_C(Reduction, GivesTheLayoutOfSrcForAny)
{
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t src =
            tagged_md(4, (dnnl_dims_t){2, 3, 4, 5}, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_t any = tagged_md(
            4, (dnnl_dims_t){2, 3, 1, 5}, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t dst =
            tagged_md(4, (dnnl_dims_t){2, 3, 1, 5}, dnnl_f32, dnnl_nhwc);
    ASSERT_OK(dnnl_reduction_primitive_desc_create(&pd, test_engine(),
            dnnl_reduction_mean, src, any, 0.0f, 0.0f, NULL));
    EXPECT_DESC(dst, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
}

TEST_C(Reduction, RefusesWrongArguments)
{
    dnnl_engine_t e = test_engine();
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_alg_kind_t sum = dnnl_reduction_sum;
    const dnnl_alg_kind_t norm = dnnl_reduction_norm_lp_max;
    dnnl_memory_desc_t src = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f32);
    dnnl_memory_desc_t dst = plain_md(2, (dnnl_dims_t){4, 1}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){1, 2}, dnnl_f32);
    dnnl_memory_desc_t vector = plain_md(1, (dnnl_dims_t){4}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, (dnnl_dims_t){4, 1}, dnnl_f64);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 5}, dnnl_f32, dnnl_format_tag_any);
    EXPECT_OK(try_call(e, sum, src, dst, 0.0f));
    EXPECT_OK(try_call(e, norm, src, dst, 1.0f));
    EXPECT_STATUS(wrong, try_call(e, norm, src, dst, 0.5f));
    EXPECT_STATUS(wrong, try_call(e, norm, src, dst, NAN));
    EXPECT_STATUS(wrong, try_call(NULL, sum, src, dst, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, NULL, dst, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, src, NULL, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, empty, empty, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, src, empty, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, src, src, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, src, other, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, src, vector, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, dst, src, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, sum, any, dst, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, dnnl_binary_add, src, dst, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, dnnl_resampling_linear, src, dst, 0.0f));
    EXPECT_STATUS(wrong, try_call(e, dnnl_softmax_log, src, dst, 0.0f));
    EXPECT_STATUS(wrong, dnnl_reduction_primitive_desc_create(
                                 NULL, e, sum, src, dst, 0.0f, 0.0f, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, sum, src, wide, 0.0f));
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(test_host(), sum, src, dst, 0.0f));
}

/* ---- Cases of ONNX ------------------------------------------------------- */

static void check_onnx(
        const char *input, const char *output, dnnl_alg_kind_t alg)
{
    struct reduction r;
    memset(&r, 0, sizeof r);
    onnx_tensor_init(&r.src, input);
    tensor_init(&r.dst, dnnl_f32, 4, (dnnl_dims_t){1, 2, 1, 4}, dnnl_abcd);
    r.alg = alg;
    if (run(&r)) onnx_expect(&r.dst, output, 1e-6);
    fini(&r);
}

TEST_C(Reduction, AgreesWithOnnx)
{
    check_onnx("operator_reduced_sum_keepdim_input_0",
            "operator_reduced_sum_keepdim_output_0", dnnl_reduction_sum);
    check_onnx("operator_reduced_mean_keepdim_input_0",
            "operator_reduced_mean_keepdim_output_0", dnnl_reduction_mean);
}
