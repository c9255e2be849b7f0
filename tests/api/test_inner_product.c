/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <string.h>

/* ---- Running ------------------------------------------------------------- */

/* Without bias its rank is 0. */
struct product {
    struct tensor src, weights, bias, dst;
    struct chain chain;
};

static bool has_bias(const struct product *p)
{
    return p->bias.md != NULL;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct product *p = user;
    dnnl_primitive_attr_t attr = chain_attr(&p->chain);
    dnnl_status_t st = dnnl_inner_product_forward_primitive_desc_create(pd,
            engine, dnnl_forward_inference, p->src.md, p->weights.md,
            p->bias.md, p->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* Integers all the way: nothing is rounded. */
static bool is_exact(const struct product *p)
{
    return tensor_is_integer(&p->src) && tensor_is_integer(&p->dst)
           && (!has_bias(p) || tensor_is_integer(&p->bias))
           && p->chain.count == 0;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct product *p = user;
    struct reference_value sum = reference_inner_product(&p->src.view,
            &p->weights.view, has_bias(p) ? &p->bias.view : NULL, place);
    if (is_exact(p)) sum.tolerance = 0.0;
    return chain_apply(&p->chain, sum);
}

/* Fills the inputs, runs the product, compares, and frees the tensors. */
static void check(struct product *p, uint64_t *seed)
{
    struct run_argument args[4];
    int n = 0;
    tensor_randomize_type(&p->src, seed);
    tensor_randomize_type(&p->weights, seed);
    args[n++] = (struct run_argument){DNNL_ARG_SRC, &p->src};
    args[n++] = (struct run_argument){DNNL_ARG_WEIGHTS, &p->weights};
    if (has_bias(p)) {
        tensor_randomize_type(&p->bias, seed);
        args[n++] = (struct run_argument){DNNL_ARG_BIAS, &p->bias};
    }
    args[n++] = (struct run_argument){DNNL_ARG_DST, &p->dst};
    run_and_expect(describe, expected, p, args, n);
    tensor_fini(&p->src);
    tensor_fini(&p->weights);
    tensor_fini(&p->bias);
    tensor_fini(&p->dst);
}

/* Of no spatial dimension, with bias, f32. */
static void init_matrices(struct product *p, dnnl_dim_t n, dnnl_dim_t o,
        dnnl_dim_t c, dnnl_format_tag_t weights)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, dnnl_f32, 2, (dnnl_dims_t){n, c}, dnnl_ab);
    tensor_init(&p->weights, dnnl_f32, 2, (dnnl_dims_t){o, c}, weights);
    tensor_init(&p->bias, dnnl_f32, 1, (dnnl_dims_t){o}, dnnl_a);
    tensor_init(&p->dst, dnnl_f32, 2, (dnnl_dims_t){n, o}, dnnl_ab);
}

/* ---- Shapes -------------------------------------------------------------- */

TEST_C(InnerProduct, ComputesMatricesOfOddSizes)
{
    static const dnnl_dim_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {5, 1, 13},
            {8, 64, 31}, {9, 17, 33}, {13, 67, 1}, {64, 64, 32}, {65, 129, 47}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct product p;
        if (!is_in_sample(i, first)) continue;
        init_matrices(&p, sizes[i][0], sizes[i][1], sizes[i][2], dnnl_ab);
        check(&p, &seed);
        init_matrices(&p, sizes[i][0], sizes[i][1], sizes[i][2], dnnl_ba);
        check(&p, &seed);
    }
}

TEST_C(InnerProduct, SumsSpatialDimensionsUp)
{
    static const dnnl_dims_t dims = {9, 5, 3, 2, 7};
    static const dnnl_format_tag_t tags[] = {dnnl_format_tag_undef, dnnl_a,
            dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    uint64_t seed = test_seed();
    for (int ndims = 3; ndims <= 5; ndims++) {
        struct product p;
        dnnl_dims_t weights;
        init_matrices(&p, 9, 11, 5, dnnl_ab);
        tensor_fini(&p.src);
        tensor_fini(&p.weights);
        memcpy(weights, dims, sizeof weights);
        weights[0] = 11;
        tensor_init(&p.src, dnnl_f32, ndims, dims, tags[ndims]);
        tensor_init(&p.weights, dnnl_f32, ndims, weights, tags[ndims]);
        check(&p, &seed);
    }
}

TEST_C(InnerProduct, LeavesAnEmptyResultAlone)
{
    uint64_t seed = test_seed();
    struct product p;
    init_matrices(&p, 0, 4, 3, dnnl_ab);
    check(&p, &seed);
    init_matrices(&p, 4, 0, 3, dnnl_ab);
    check(&p, &seed);
}

TEST_C(InnerProduct, SumsUpNothingToBias)
{
    uint64_t seed = test_seed();
    struct product p;
    init_matrices(&p, 9, 7, 0, dnnl_ab);
    check(&p, &seed);
}

/* Dimensions besides the empty one that no stride leads through: none of their
 * elements is read, and their product, above 32 bits, is not computed. */
TEST_C(InnerProduct, SumsUpNothingOfSeveralDimensions)
{
    const dnnl_dim_t large = 1 << 19;
    const dnnl_dims_t dims[] = {{7, 0, 7}, {7, 0, large, large, large}};
    const dnnl_dims_t strides[] = {{7, 100, 1}, {1, 1, 1, 1, 1}};
    const int ndims[] = {3, 5};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(ndims); i++) {
        struct product p;
        memset(&p, 0, sizeof p);
        tensor_init_strided(&p.src, dnnl_f32, ndims[i], dims[i], strides[i]);
        tensor_init_strided(
                &p.weights, dnnl_f32, ndims[i], dims[i], strides[i]);
        tensor_init(&p.bias, dnnl_f32, 1, (dnnl_dims_t){7}, dnnl_a);
        tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){7, 7}, dnnl_ab);
        check(&p, &seed);
    }
}

/* No product, and often a result all the same. */
TEST_C(InnerProduct, TakesRandomEmptyTensors)
{
    static const dnnl_data_type_t types[][4] = {
            {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        const dnnl_data_type_t *type = types[random_below(&seed, 2)];
        const int ndims = 2 + (int)random_below(&seed, 4);
        const dnnl_dim_t rows = random_below(&seed, 9);
        const dnnl_dim_t columns = random_below(&seed, 9);
        dnnl_dims_t src = {rows};
        dnnl_dims_t weights = {columns};
        struct product p;
        memset(&p, 0, sizeof p);
        random_empty_dims(ndims - 1, src + 1, &seed);
        memcpy(weights + 1, src + 1, (size_t)(ndims - 1) * sizeof *src);
        tensor_init_random(&p.src, type[0], ndims, src, &seed);
        tensor_init_random(&p.weights, type[1], ndims, weights, &seed);
        tensor_init(&p.bias, type[2], 1, (dnnl_dims_t){columns}, dnnl_a);
        tensor_init_random(
                &p.dst, type[3], 2, (dnnl_dims_t){rows, columns}, &seed);
        check(&p, &seed);
    }
}

/* ---- Layouts ------------------------------------------------------------- */

TEST_C(InnerProduct, TakesLayoutsThatDisagree)
{
    /* Channels innermost in one, in the other, in both; nothing in common. */
    static const dnnl_format_tag_t tags[][2] = {{dnnl_acdb, dnnl_abcd},
            {dnnl_abcd, dnnl_acdb}, {dnnl_acdb, dnnl_acdb},
            {dnnl_abcd, dnnl_cdba}, {dnnl_abdc, dnnl_abcd}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        struct product p;
        init_matrices(&p, 9, 13, 5, dnnl_ab);
        tensor_fini(&p.src);
        tensor_fini(&p.weights);
        tensor_init(&p.src, dnnl_f32, 4, (dnnl_dims_t){9, 5, 3, 7}, tags[i][0]);
        tensor_init(&p.weights, dnnl_f32, 4, (dnnl_dims_t){13, 5, 3, 7},
                tags[i][1]);
        check(&p, &seed);
    }
}

TEST_C(InnerProduct, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init_strided(&p.src, dnnl_f32, 5, (dnnl_dims_t){9, 3, 2, 5, 2},
            (dnnl_dims_t){200, 61, 1, 6, 2});
    tensor_init_strided(&p.weights, dnnl_f32, 5, (dnnl_dims_t){6, 3, 2, 5, 2},
            (dnnl_dims_t){1, 70, 140, 13, 6});
    tensor_init_strided(
            &p.bias, dnnl_f32, 1, (dnnl_dims_t){6}, (dnnl_dims_t){3});
    tensor_init_strided(
            &p.dst, dnnl_f32, 2, (dnnl_dims_t){9, 6}, (dnnl_dims_t){20, 3});
    check(&p, &seed);
}

static void expect_layout(const_dnnl_primitive_desc_t pd, dnnl_query_t tensor,
        const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = tagged_md(4, dims, dnnl_f32, tag);
    EXPECT_DESC(md, pd, tensor, 0);
}

TEST_C(InnerProduct, ChoosesLayoutsForAny)
{
    static const dnnl_format_tag_t cases[][4] = {
            /* src and weights as given, and as answered. */
            {dnnl_format_tag_any, dnnl_format_tag_any, dnnl_abcd, dnnl_bcda},
            {dnnl_acdb, dnnl_format_tag_any, dnnl_acdb, dnnl_cdba},
            {dnnl_format_tag_any, dnnl_acdb, dnnl_acdb, dnnl_acdb}};
    const dnnl_dims_t src_dims = {9, 5, 3, 7};
    const dnnl_dims_t weights_dims = {13, 5, 3, 7};
    const dnnl_dims_t dst_dims = {9, 13};
    dnnl_memory_desc_t dst =
            tagged_md(2, dst_dims, dnnl_f32, dnnl_format_tag_any);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dnnl_primitive_desc_t pd;
        dnnl_memory_desc_t src = tagged_md(4, src_dims, dnnl_f32, cases[i][0]);
        dnnl_memory_desc_t weights =
                tagged_md(4, weights_dims, dnnl_f32, cases[i][1]);
        ASSERT_OK(dnnl_inner_product_forward_primitive_desc_create(&pd,
                test_engine(), dnnl_forward_training, src, weights, NULL, dst,
                NULL));
        expect_layout(pd, dnnl_query_src_md, src_dims, cases[i][2]);
        expect_layout(pd, dnnl_query_weights_md, weights_dims, cases[i][3]);
        dnnl_primitive_desc_destroy(pd);
    }
}

/* A dimension of one element may have any stride. No kernel takes the largest,
 * and choosing the layout of weights adds nothing to it: UBSan checks that. */
TEST_C(InnerProduct, RejectsTheLargestStrideOfOneElement)
{
    const dnnl_dims_t src_dims = {9, 1, 7};
    const dnnl_dims_t src_strides = {7, INT64_MAX, 1};
    const dnnl_dims_t weights_dims = {13, 1, 7};
    const dnnl_dims_t dst_dims = {9, 13};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t src = strided_md(3, src_dims, dnnl_f32, src_strides);
    dnnl_memory_desc_t weights =
            tagged_md(3, weights_dims, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t dst = plain_md(2, dst_dims, dnnl_f32);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_inner_product_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, src, weights, NULL, dst, NULL));
    EXPECT_NULL(pd);
}

/* ---- Types and post-ops -------------------------------------------------- */

TEST_C(InnerProduct, TakesEveryType)
{
    /* src, weights, bias, dst */
    static const dnnl_data_type_t types[][4] = {
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},
            {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16},
            {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32},
            {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32}};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct product p;
        if (!is_in_sample(i, first)) continue;
        memset(&p, 0, sizeof p);
        tensor_init(&p.src, types[i][0], 3, (dnnl_dims_t){9, 5, 13}, dnnl_abc);
        tensor_init(
                &p.weights, types[i][1], 3, (dnnl_dims_t){17, 5, 13}, dnnl_abc);
        tensor_init(&p.bias, types[i][2], 1, (dnnl_dims_t){17}, dnnl_a);
        tensor_init(&p.dst, types[i][3], 2, (dnnl_dims_t){9, 17}, dnnl_ab);
        check(&p, &seed);
    }
}

TEST_C(InnerProduct, AppliesPostOps)
{
    const struct chain chain = {2, {{dnnl_eltwise_linear, 2.0f, 1.0f},
                                           {dnnl_eltwise_tanh, 0.0f, 0.0f}}};
    uint64_t seed = test_seed();
    struct product p;
    init_matrices(&p, 18, 20, 7, dnnl_ab);
    tensor_fini(&p.bias);
    p.chain = chain;
    check(&p, &seed);
}

/* ---- ONNX's -------------------------------------------------------------- */

TEST_C(InnerProduct, AgreesWithOnnx)
{
    struct product p;
    memset(&p, 0, sizeof p);
    onnx_tensor_init(&p.src, "Linear_no_bias_input_0");
    onnx_tensor_init(&p.weights, "Linear_no_bias_weights");
    tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){4, 8}, dnnl_ab);
    struct run_argument args[] = {{DNNL_ARG_SRC, &p.src},
            {DNNL_ARG_WEIGHTS, &p.weights}, {DNNL_ARG_DST, &p.dst}};
    /* Both sides round some f32 sums. */
    if (run_twice(describe, &p, args, 3))
        onnx_expect(&p.dst, "Linear_no_bias_output_0", 1e-5);
    tensor_fini(&p.src);
    tensor_fini(&p.weights);
    tensor_fini(&p.dst);
}

/* ---- Arguments ----------------------------------------------------------- */

struct shape {
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t type;
};

static dnnl_memory_desc_t make(const struct shape *shape)
{
    return shape->ndims > 0 ? plain_md(shape->ndims, shape->dims, shape->type)
                            : NULL;
}

static void expect_refusal(dnnl_status_t status, dnnl_prop_kind_t prop_kind,
        const struct shape shapes[4])
{
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_memory_desc_t mds[4];
    for (int i = 0; i < 4; i++)
        mds[i] = make(&shapes[i]);
    EXPECT_STATUS(status,
            dnnl_inner_product_forward_primitive_desc_create(&pd, test_engine(),
                    prop_kind, mds[0], mds[1], mds[2], mds[3], NULL));
    EXPECT_PTR_EQ(untouched_pd(), pd);
}

TEST_C(InnerProduct, RefusesShapesThatContradict)
{
    const struct shape none = {0, {0}, dnnl_f32};
    const struct shape src = {3, {3, 4, 5}, dnnl_f32};
    const struct shape weights = {3, {6, 4, 5}, dnnl_f32};
    const struct shape dst = {2, {3, 6}, dnnl_f32};
    const struct shape cases[][4] = {/* Missing tensors. */
            {none, weights, none, dst}, {src, none, none, dst},
            {src, weights, none, none},
            /* Rows, columns, what is summed up. */
            {src, weights, none, {2, {2, 6}, dnnl_f32}},
            {src, weights, none, {2, {3, 5}, dnnl_f32}},
            {src, {3, {6, 3, 5}, dnnl_f32}, none, dst},
            {src, {3, {6, 4, 4}, dnnl_f32}, none, dst},
            /* Ranks. */
            {src, {2, {6, 20}, dnnl_f32}, none, dst},
            {src, weights, none, {3, {3, 6, 1}, dnnl_f32}},
            {{1, {3}, dnnl_f32}, {1, {6}, dnnl_f32}, none, dst},
            {{6, {3, 1, 1, 1, 1, 1}, dnnl_f32},
                    {6, {6, 1, 1, 1, 1, 1}, dnnl_f32}, none, dst},
            /* Bias. */
            {src, weights, {1, {3}, dnnl_f32}, dst},
            {src, weights, {2, {1, 6}, dnnl_f32}, dst}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(
                dnnl_invalid_arguments, dnnl_forward_inference, cases[i]);
    const struct shape good[4] = {src, weights, none, dst};
    expect_refusal(dnnl_invalid_arguments, dnnl_backward_data, good);
}

TEST_C(InnerProduct, RefusesTypesAndSizesItHasNoKernelFor)
{
    const struct shape none = {0, {0}, dnnl_f32};
    const dnnl_dim_t large = (dnnl_dim_t)1 << 31;
    const struct shape cases[][4] = {
            {{2, {3, 4}, dnnl_f32}, {2, {6, 4}, dnnl_f16}, none,
                    {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {6, 4}, dnnl_f32}, none,
                    {2, {3, 6}, dnnl_s8}},
            {{2, {large, 4}, dnnl_f32}, {2, {6, 4}, dnnl_f32}, none,
                    {2, {large, 6}, dnnl_f32}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(dnnl_unimplemented, dnnl_forward_inference, cases[i]);
}
