/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <string.h>

/* ---- Running ------------------------------------------------------------- */

/* A product: tensors and post-ops. Without bias its rank is 0. */
struct product {
    struct tensor src, weights, bias, dst;
    struct chain chain;
};

static const struct tensor *bias_of(const struct product *p)
{
    return p->bias.md != NULL ? &p->bias : NULL;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct product *p = user;
    dnnl_primitive_attr_t attr = chain_attr(&p->chain);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            pd, engine, p->src.md, p->weights.md, p->bias.md, p->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* Integers all the way: nothing is rounded. */
static bool is_exact(const struct product *p)
{
    return tensor_is_integer(&p->src) && tensor_is_integer(&p->weights)
           && tensor_is_integer(&p->dst)
           && (bias_of(p) == NULL || tensor_is_integer(&p->bias))
           && p->chain.count == 0;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct product *p = user;
    struct reference_value sum = reference_matmul(&p->src.view,
            &p->weights.view, p->bias.md != NULL ? &p->bias.view : NULL,
            p->dst.view.ndims, place);
    if (is_exact(p)) sum.tolerance = 0.0;
    return chain_apply(&p->chain, sum);
}

/* Runs the product on inputs that are there already, compares, and frees the
 * tensors. */
static void check_filled(struct product *p)
{
    struct run_argument args[4];
    int n = 0;
    args[n++] = (struct run_argument){DNNL_ARG_SRC, &p->src};
    args[n++] = (struct run_argument){DNNL_ARG_WEIGHTS, &p->weights};
    if (bias_of(p) != NULL)
        args[n++] = (struct run_argument){DNNL_ARG_BIAS, &p->bias};
    args[n++] = (struct run_argument){DNNL_ARG_DST, &p->dst};
    run_and_expect(describe, expected, p, args, n);
    tensor_fini(&p->src);
    tensor_fini(&p->weights);
    tensor_fini(&p->bias);
    tensor_fini(&p->dst);
}

/* The same of random inputs. */
static void check(struct product *p, uint64_t *seed)
{
    tensor_randomize_type(&p->src, seed);
    tensor_randomize_type(&p->weights, seed);
    if (bias_of(p) != NULL) tensor_randomize_type(&p->bias, seed);
    check_filled(p);
}

/* A plain matrix product with matrices laid out by tag. */
static void init_matrices(struct product *p, dnnl_dim_t m, dnnl_dim_t n,
        dnnl_dim_t k, dnnl_format_tag_t src, dnnl_format_tag_t weights,
        dnnl_format_tag_t dst)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, dnnl_f32, 2, (dnnl_dims_t){m, k}, src);
    tensor_init(&p->weights, dnnl_f32, 2, (dnnl_dims_t){k, n}, weights);
    tensor_init(&p->dst, dnnl_f32, 2, (dnnl_dims_t){m, n}, dst);
}

/* ---- Shapes -------------------------------------------------------------- */

TEST_C(Matmul, ComputesMatricesOfOddSizes)
{
    /* One, primes, tiles and their neighbours. */
    static const dnnl_dim_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {5, 1, 13},
            {8, 64, 31}, {9, 17, 33}, {13, 67, 1}, {64, 64, 32}, {63, 65, 31},
            {65, 129, 47}, {127, 3, 64}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct product p;
        init_matrices(&p, sizes[i][0], sizes[i][1], sizes[i][2], dnnl_ab,
                dnnl_ab, dnnl_ab);
        check(&p, &seed);
    }
}

/* Edges of a CPU's tiles and their neighbours: strips of 6 rows, 8 or 43 of
 * them a tile; vectors of 16 columns, 2 a tile; fillings of 64 or 128 products.
 */
static const dnnl_dim_t edge_rows[] = {5, 6, 7, 47, 48, 49, 257, 258, 259};
static const dnnl_dim_t edge_columns[] = {15, 16, 17, 31, 32, 33};
static const dnnl_dim_t edge_products[] = {2, 63, 64, 65, 127, 128, 129};

/* A product of each pair of edges, in these layouts. */
static void check_edges(dnnl_format_tag_t src, dnnl_format_tag_t weights,
        dnnl_format_tag_t dst, uint64_t *seed)
{
    size_t products = 0;
    for (size_t i = 0; i < COUNT(edge_rows); i++)
        for (size_t j = 0; j < COUNT(edge_columns); j++) {
            struct product p;
            init_matrices(&p, edge_rows[i], edge_columns[j],
                    edge_products[products++ % COUNT(edge_products)], src,
                    weights, dst);
            check(&p, seed);
        }
}

TEST_C(Matmul, ComputesTheEdgesOfStrips)
{
    uint64_t seed = test_seed();
    check_edges(dnnl_ab, dnnl_ab, dnnl_ab, &seed);
}

TEST_C(Matmul, ComputesTheEdgesOfStripsInAnyLayout)
{
    uint64_t seed = test_seed();
    check_edges(dnnl_ba, dnnl_ab, dnnl_ab, &seed);
    check_edges(dnnl_ab, dnnl_ba, dnnl_ab, &seed);
    check_edges(dnnl_ab, dnnl_ab, dnnl_ba, &seed);
}

TEST_C(Matmul, ComputesManyTilesInOneLaunch)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    /* More tiles than any launch has work-groups on a CPU. */
    tensor_init(&p.src, dnnl_f32, 3, (dnnl_dims_t){1200, 2, 3}, dnnl_abc);
    tensor_init(&p.weights, dnnl_f32, 3, (dnnl_dims_t){1200, 3, 2}, dnnl_abc);
    tensor_init(&p.dst, dnnl_f32, 3, (dnnl_dims_t){1200, 2, 2}, dnnl_abc);
    check(&p, &seed);
}

TEST_C(Matmul, RepeatsBatchesOfSizeOne)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 5, (dnnl_dims_t){3, 1, 2, 11, 5}, dnnl_abcde);
    tensor_init(
            &p.weights, dnnl_f32, 5, (dnnl_dims_t){1, 4, 2, 5, 7}, dnnl_abcde);
    tensor_init(&p.dst, dnnl_f32, 5, (dnnl_dims_t){3, 4, 2, 11, 7}, dnnl_abcde);
    check(&p, &seed);
}

TEST_C(Matmul, TakesTwelveDimensions)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 12,
            (dnnl_dims_t){2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 9, 3},
            dnnl_abcdefghijkl);
    tensor_init(&p.weights, dnnl_f32, 12,
            (dnnl_dims_t){1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 3, 2},
            dnnl_abcdefghijkl);
    tensor_init(&p.dst, dnnl_f32, 12,
            (dnnl_dims_t){2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 9, 2},
            dnnl_abcdefghijkl);
    check(&p, &seed);
}

TEST_C(Matmul, LeavesAnEmptyResultAlone)
{
    static const dnnl_dim_t sizes[][3] = {{0, 4, 3}, {4, 0, 3}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct product p;
        init_matrices(&p, sizes[i][0], sizes[i][1], sizes[i][2], dnnl_ab,
                dnnl_ab, dnnl_ab);
        check(&p, &seed);
    }
}

TEST_C(Matmul, SumsUpNothingToBias)
{
    uint64_t seed = test_seed();
    struct product p;
    init_matrices(&p, 9, 7, 0, dnnl_ab, dnnl_ab, dnnl_ab);
    check(&p, &seed);
    init_matrices(&p, 9, 7, 0, dnnl_ab, dnnl_ab, dnnl_ab);
    tensor_init(&p.bias, dnnl_f32, 2, (dnnl_dims_t){9, 7}, dnnl_ab);
    check(&p, &seed);
}

/* Often of no product, and with a result all the same. */
TEST_C(Matmul, TakesRandomEmptyTensors)
{
    static const dnnl_data_type_t types[][4] = {
            {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        const dnnl_data_type_t *type = types[random_below(&seed, 2)];
        const int ndims = 2 + (int)random_below(&seed, 3);
        const int row = ndims - 2;
        dnnl_dims_t src, weights, dst;
        dnnl_dim_t sum = 0;
        struct product p;
        memset(&p, 0, sizeof p);
        if (random_below(&seed, 2)) {
            for (int d = 0; d < ndims; d++)
                dst[d] = 1 + random_below(&seed, 9);
        } else {
            random_empty_dims(ndims, dst, &seed);
            sum = random_below(&seed, 5);
        }
        memcpy(src, dst, sizeof src);
        memcpy(weights, dst, sizeof weights);
        src[row + 1] = weights[row] = sum;
        tensor_init_random(&p.src, type[0], ndims, src, &seed);
        tensor_init_random(&p.weights, type[1], ndims, weights, &seed);
        if (random_below(&seed, 2))
            tensor_init_random(&p.bias, type[2], ndims, dst, &seed);
        tensor_init_random(&p.dst, type[3], ndims, dst, &seed);
        check(&p, &seed);
    }
}

TEST_C(Matmul, ComputesRandomShapes)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 20; i++) {
        struct product p;
        memset(&p, 0, sizeof p);
        dnnl_dim_t batch = 1 + random_below(&seed, 3);
        dnnl_dim_t m = 9 + random_below(&seed, 70);
        dnnl_dim_t n = 1 + random_below(&seed, 70);
        dnnl_dim_t k = 1 + random_below(&seed, 70);
        dnnl_dim_t src_batch = random_below(&seed, 2) ? batch : 1;
        tensor_init(
                &p.src, dnnl_f32, 3, (dnnl_dims_t){src_batch, m, k}, dnnl_abc);
        tensor_init(
                &p.weights, dnnl_f32, 3, (dnnl_dims_t){batch, k, n}, dnnl_abc);
        tensor_init(&p.dst, dnnl_f32, 3, (dnnl_dims_t){batch, m, n}, dnnl_abc);
        check(&p, &seed);
    }
}

/* ---- Layouts ------------------------------------------------------------- */

TEST_C(Matmul, ReadsAndWritesTransposedMatrices)
{
    uint64_t seed = test_seed();
    struct product p;
    init_matrices(&p, 37, 41, 43, dnnl_ba, dnnl_ba, dnnl_ba);
    check(&p, &seed);
    /* Lower than any run of neighbours. */
    init_matrices(&p, 5, 41, 43, dnnl_ba, dnnl_ba, dnnl_ba);
    check(&p, &seed);
}

TEST_C(Matmul, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init_strided(
            &p.src, dnnl_f32, 2, (dnnl_dims_t){21, 35}, (dnnl_dims_t){80, 2});
    tensor_init_strided(&p.weights, dnnl_f32, 2, (dnnl_dims_t){35, 19},
            (dnnl_dims_t){21, 1});
    tensor_init_strided(
            &p.dst, dnnl_f32, 2, (dnnl_dims_t){21, 19}, (dnnl_dims_t){60, 3});
    check(&p, &seed);
}

TEST_C(Matmul, ReadsRepeatedElements)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 2, (dnnl_dims_t){10, 6}, dnnl_ab);
    tensor_init_strided(
            &p.weights, dnnl_f32, 2, (dnnl_dims_t){6, 18}, (dnnl_dims_t){0, 1});
    tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){10, 18}, dnnl_ab);
    check(&p, &seed);
}

TEST_C(Matmul, ChoosesPlainLayoutsForAny)
{
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims = {6, 6};
    const dnnl_query_t tensors[] = {
            dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
    dnnl_memory_desc_t any = tagged_md(2, dims, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t plain = tagged_md(2, dims, dnnl_f32, dnnl_ab);
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, test_engine(), any, any, any, any, NULL));
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        EXPECT_DESC(plain, pd, tensors[i], 0);
    EXPECT_DESC(plain, pd, dnnl_query_weights_md, 1);
    dnnl_primitive_desc_destroy(pd);
}

/* ---- Types --------------------------------------------------------------- */

/* Types of src, weights, bias (undef: none) and dst. */
struct types {
    dnnl_data_type_t src, weights, bias, dst;
};

static void init_types(struct product *p, const struct types *types,
        dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, types->src, 2, (dnnl_dims_t){m, k}, dnnl_ab);
    tensor_init(&p->weights, types->weights, 2, (dnnl_dims_t){k, n}, dnnl_ab);
    if (types->bias != dnnl_data_type_undef)
        tensor_init(&p->bias, types->bias, 2, (dnnl_dims_t){1, n}, dnnl_ab);
    tensor_init(&p->dst, types->dst, 2, (dnnl_dims_t){m, n}, dnnl_ab);
}

TEST_C(Matmul, TakesFloatsOfEveryType)
{
    static const struct types types[] = {
            {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_data_type_undef, dnnl_f16},
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_s8},
            {dnnl_bf16, dnnl_bf16, dnnl_data_type_undef, dnnl_bf16},
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_f32}};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct product p;
        if (!is_in_sample(i, first)) continue;
        init_types(&p, &types[i], 19, 71, 37);
        check(&p, &seed);
    }
}

TEST_C(Matmul, SumsBytesUpExactly)
{
    static const struct types types[] = {
            {dnnl_s8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
            {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32},
            {dnnl_s8, dnnl_u8, dnnl_s8, dnnl_s32}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct product p;
        /* Above 2^24 floats would be too coarse. */
        init_types(&p, &types[i], 9, 3, 2003);
        tensor_randomize(&p.src, &seed, 100.0, 127.0);
        tensor_randomize(&p.weights, &seed, 100.0, 127.0);
        if (bias_of(&p) != NULL)
            tensor_randomize(&p.bias, &seed, -100.0, 100.0);
        check_filled(&p);
    }
}

TEST_C(Matmul, MakesEveryTypeOfSumsOfBytes)
{
    static const struct types types[] = {{dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s32},
            {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s8},
            {dnnl_u8, dnnl_s8, dnnl_u8, dnnl_u8},
            {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32},
            {dnnl_s8, dnnl_s8, dnnl_bf16, dnnl_bf16},
            {dnnl_s8, dnnl_s8, dnnl_f16, dnnl_f16}};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct product p;
        if (!is_in_sample(i, first)) continue;
        init_types(&p, &types[i], 19, 71, 37);
        check(&p, &seed);
        /* Small enough not to saturate. */
        init_types(&p, &types[i], 19, 18, 1);
        tensor_randomize(&p.src, &seed, 0.0, 3.0);
        tensor_randomize(&p.weights, &seed, -30.0, 30.0);
        if (bias_of(&p) != NULL) tensor_randomize(&p.bias, &seed, 0.0, 20.0);
        check_filled(&p);
    }
}

TEST_C(Matmul, TakesBytesInAnyLayout)
{
    uint64_t seed = test_seed();
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_u8, 2, (dnnl_dims_t){37, 43}, dnnl_ba);
    tensor_init(&p.weights, dnnl_s8, 2, (dnnl_dims_t){43, 41}, dnnl_ba);
    tensor_init(&p.bias, dnnl_s32, 2, (dnnl_dims_t){37, 1}, dnnl_ab);
    tensor_init_strided(
            &p.dst, dnnl_s32, 2, (dnnl_dims_t){37, 41}, (dnnl_dims_t){2, 75});
    check(&p, &seed);
}

TEST_C(Matmul, AppliesPostOpsToSumsOfBytes)
{
    const struct types types = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    const struct chain chain = {2, {{dnnl_eltwise_linear, 0.01f, 3.0f},
                                           {dnnl_eltwise_relu, 0.0f, 0.0f}}};
    uint64_t seed = test_seed();
    struct product p;
    init_types(&p, &types, 9, 20, 31);
    p.chain = chain;
    check(&p, &seed);
}

/* ---- A single row -------------------------------------------------------- */

/* Ends of vectors, of groups of columns and of what one group computes, and
 * their neighbours. */
static const dnnl_dim_t widths[] = {
        1, 3, 5, 15, 16, 17, 31, 63, 64, 65, 79, 80, 130};

static void check_row(dnnl_dim_t n, dnnl_dim_t k, dnnl_format_tag_t weights,
        bool is_strided, uint64_t *seed)
{
    struct product p;
    memset(&p, 0, sizeof p);
    tensor_init_strided(&p.src, dnnl_f32, 3, (dnnl_dims_t){2, 1, k},
            is_strided ? (dnnl_dims_t){3 * k, 3 * k, 3}
                       : (dnnl_dims_t){k, k, 1});
    tensor_init(&p.weights, dnnl_f32, 3, (dnnl_dims_t){2, k, n}, weights);
    tensor_init(&p.bias, dnnl_f32, 3, (dnnl_dims_t){1, 1, n}, dnnl_abc);
    tensor_init_strided(&p.dst, dnnl_f32, 3, (dnnl_dims_t){2, 1, n},
            is_strided ? (dnnl_dims_t){1, 1, 2} : (dnnl_dims_t){n, n, 1});
    check(&p, seed);
}

TEST_C(Matmul, ComputesASingleRowOfAnyWidth)
{
    static const dnnl_dim_t depths[] = {1, 15, 16, 35};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++) {
            check_row(widths[i], depths[j], dnnl_abc, j == 2, &seed);
            check_row(widths[i], depths[j], dnnl_acb, false, &seed);
        }
}

TEST_C(Matmul, ComputesASingleRowOfEveryType)
{
    static const struct types types[] = {{dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32},
            {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_u8},
            {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16},
            {dnnl_f16, dnnl_f16, dnnl_data_type_undef, dnnl_f32}};
    const struct chain chain = {2, {{dnnl_eltwise_linear, 0.01f, 3.0f},
                                           {dnnl_eltwise_relu, 0.0f, 0.0f}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct product p;
        init_types(&p, &types[i], 1, 69, 37);
        check(&p, &seed);
        init_types(&p, &types[i], 1, 83, 21);
        tensor_fini(&p.weights);
        tensor_init(&p.weights, types[i].weights, 2, (dnnl_dims_t){21, 83},
                dnnl_ba);
        if (i == 1) p.chain = chain;
        check(&p, &seed);
    }
}

/* ---- Bias and post-ops --------------------------------------------------- */

TEST_C(Matmul, AddsBiasRepeatedAlongAnyDimension)
{
    static const dnnl_dims_t shapes[] = {
            {1, 1, 1}, {1, 1, 23}, {1, 12, 1}, {2, 12, 23}, {2, 1, 23}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct product p;
        memset(&p, 0, sizeof p);
        tensor_init(&p.src, dnnl_f32, 3, (dnnl_dims_t){2, 12, 5}, dnnl_abc);
        tensor_init(&p.weights, dnnl_f32, 3, (dnnl_dims_t){1, 5, 23}, dnnl_abc);
        tensor_init(&p.bias, dnnl_f32, 3, shapes[i], dnnl_abc);
        tensor_init(&p.dst, dnnl_f32, 3, (dnnl_dims_t){2, 12, 23}, dnnl_abc);
        check(&p, &seed);
    }
}

TEST_C(Matmul, AppliesPostOpsInOrder)
{
    const struct chain chains[] = {
            {3, {{dnnl_eltwise_linear, 2.0f, 1.0f},
                        {dnnl_eltwise_square, 0.0f, 0.0f},
                        {dnnl_eltwise_tanh, 0.0f, 0.0f}}},
            /* The same program with other parameters. */
            {3, {{dnnl_eltwise_linear, -0.5f, 0.25f},
                        {dnnl_eltwise_square, 0.0f, 0.0f},
                        {dnnl_eltwise_tanh, 0.0f, 0.0f}}},
            /* The same operations in another order. */
            {3, {{dnnl_eltwise_tanh, 0.0f, 0.0f},
                        {dnnl_eltwise_square, 0.0f, 0.0f},
                        {dnnl_eltwise_linear, 2.0f, 1.0f}}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        struct product p;
        init_matrices(&p, 18, 20, 7, dnnl_ab, dnnl_ab, dnnl_ab);
        tensor_init(&p.bias, dnnl_f32, 2, (dnnl_dims_t){1, 20}, dnnl_ab);
        p.chain = chains[i];
        check(&p, &seed);
    }
}

/* ---- ONNX's -------------------------------------------------------------- */

/* Of inputs and bias that are there already: both sides round a few f32 sums.
 */
static void check_onnx(struct product *p, const char *output)
{
    struct run_argument args[] = {{DNNL_ARG_SRC, &p->src},
            {DNNL_ARG_WEIGHTS, &p->weights}, {DNNL_ARG_BIAS, &p->bias},
            {DNNL_ARG_DST, &p->dst}};
    if (run_twice(describe, p, args, 4)) {
        expect_tensor(&p->dst, expected, p);
        if (output != NULL) onnx_expect(&p->dst, output, 1e-5);
    }
}

/* A product to which a row is added, and again with that as the bias. */
TEST_C(Matmul, AgreesWithOnnx)
{
    const dnnl_dims_t row = {1, 4};
    struct product p;
    struct tensor c;
    memset(&p, 0, sizeof p);
    onnx_tensor_init(&p.src, "operator_addmm_input_0");
    onnx_tensor_init(&p.weights, "operator_addmm_input_1");
    onnx_tensor_init(&c, "operator_addmm_input_2");
    tensor_init(&p.bias, dnnl_f32, 2, row, dnnl_ab);
    memcpy(p.bias.bytes, c.bytes, c.size);
    tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){2, 4}, dnnl_ab);
    check_onnx(&p, NULL);
    tensor_fini(&p.bias);
    p.bias = p.dst;
    tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){2, 4}, dnnl_ab);
    check_onnx(&p, "operator_addmm_output_0");
    tensor_fini(&c);
    tensor_fini(&p.src);
    tensor_fini(&p.weights);
    tensor_fini(&p.bias);
    tensor_fini(&p.dst);
}

/* ---- Arguments ----------------------------------------------------------- */

/* Descriptors by shape, type and layout, for calls that must fail. */
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

static void expect_refusal(dnnl_status_t status, const struct shape shapes[4])
{
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_memory_desc_t mds[4];
    for (int i = 0; i < 4; i++)
        mds[i] = make(&shapes[i]);
    EXPECT_STATUS(status, dnnl_matmul_primitive_desc_create(&pd, test_engine(),
                                  mds[0], mds[1], mds[2], mds[3], NULL));
    EXPECT_PTR_EQ(untouched_pd(), pd);
}

TEST_C(Matmul, RefusesShapesThatContradict)
{
    const struct shape none = {0, {0}, dnnl_f32};
    const struct shape cases[][4] = {/* Inner sizes, rows, columns. */
            {{2, {3, 4}, dnnl_f32}, {2, {5, 6}, dnnl_f32}, none,
                    {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {2, {2, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {2, {3, 5}, dnnl_f32}},
            /* Ranks. */
            {{1, {4}, dnnl_f32}, {1, {4}, dnnl_f32}, none, {1, {1}, dnnl_f32}},
            {{3, {1, 3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {3, {1, 3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {3, {1, 3, 6}, dnnl_f32}},
            /* Batches. */
            {{3, {2, 3, 4}, dnnl_f32}, {3, {3, 4, 6}, dnnl_f32}, none,
                    {3, {3, 3, 6}, dnnl_f32}},
            {{3, {1, 3, 4}, dnnl_f32}, {3, {1, 4, 6}, dnnl_f32}, none,
                    {3, {2, 3, 6}, dnnl_f32}},
            /* Bias. */
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32},
                    {2, {2, 6}, dnnl_f32}, {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, {1, {6}, dnnl_f32},
                    {2, {3, 6}, dnnl_f32}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(dnnl_invalid_arguments, cases[i]);
}

TEST_C(Matmul, RefusesTypesAndSizesItHasNoKernelFor)
{
    const struct shape none = {0, {0}, dnnl_f32};
    const dnnl_dim_t large = (dnnl_dim_t)1 << 31;
    const struct shape cases[][4] = {
            /* Factors of two types, sums of other types. */
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_bf16}, none,
                    {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_s8}, none,
                    {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_s8}, {2, {4, 6}, dnnl_f32}, none,
                    {2, {3, 6}, dnnl_f32}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {2, {3, 6}, dnnl_bf16}},
            {{2, {3, 4}, dnnl_bf16}, {2, {4, 6}, dnnl_bf16}, none,
                    {2, {3, 6}, dnnl_s8}},
            {{2, {3, 4}, dnnl_s32}, {2, {4, 6}, dnnl_s32}, none,
                    {2, {3, 6}, dnnl_s32}},
            {{2, {3, 4}, dnnl_f64}, {2, {4, 6}, dnnl_f64}, none,
                    {2, {3, 6}, dnnl_f64}},
            {{2, {3, 4}, dnnl_s8}, {2, {4, 6}, dnnl_s8}, none,
                    {2, {3, 6}, dnnl_f64}},
            {{2, {3, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32},
                    {2, {3, 6}, dnnl_s32}, {2, {3, 6}, dnnl_f32}},
            {{2, {large, 4}, dnnl_f32}, {2, {4, 6}, dnnl_f32}, none,
                    {2, {large, 6}, dnnl_f32}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refusal(dnnl_unimplemented, cases[i]);
}

TEST_C(Matmul, RefusesAResultWithSharedElements)
{
    const dnnl_dims_t dims = {4, 4};
    const dnnl_dims_t repeat = {0, 1};
    const dnnl_dims_t overlap = {2, 1};
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_memory_desc_t dst;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    for (int i = 0; i < 2; i++) {
        dst = strided_md(2, dims, dnnl_f32, i == 0 ? repeat : overlap);
        EXPECT_STATUS(dnnl_unimplemented,
                dnnl_matmul_primitive_desc_create(
                        &pd, test_engine(), md, md, NULL, dst, NULL));
        EXPECT_PTR_EQ(untouched_pd(), pd);
    }
}

TEST_C(Matmul, RefusesMissingArguments)
{
    const dnnl_dims_t dims = {4, 4};
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_matmul_primitive_desc_create(NULL,
                                            engine, md, md, NULL, md, NULL));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_matmul_primitive_desc_create(
                                            &pd, NULL, md, md, NULL, md, NULL));
    for (int i = 0; i < 3; i++) {
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_matmul_primitive_desc_create(&pd, engine,
                        i == 0 ? NULL : md, i == 1 ? NULL : md, NULL,
                        i == 2 ? NULL : md, NULL));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_matmul_primitive_desc_create(&pd, engine,
                        i == 0 ? empty : md, i == 1 ? empty : md, NULL,
                        i == 2 ? empty : md, NULL));
    }
    EXPECT_PTR_EQ(untouched_pd(), pd);
    /* An empty descriptor is no bias. */
    EXPECT_OK(dnnl_matmul_primitive_desc_create(
            &pd, engine, md, md, empty, md, NULL));
    dnnl_primitive_desc_destroy(pd);
}

TEST_C(Matmul, RefusesTheHostEngine)
{
    const dnnl_dims_t dims = {4, 4};
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_matmul_primitive_desc_create(&pd,
                                        test_host(), md, md, NULL, md, NULL));
    EXPECT_PTR_EQ(untouched_pd(), pd);
}
