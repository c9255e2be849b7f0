/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"
#include "test.h"

#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct lrn {
    struct tensor src, dst, workspace;
    dnnl_prop_kind_t prop_kind;
    struct reference_lrn numbers;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct lrn *l = user;
    dnnl_primitive_attr_t attr = chain_attr(&l->chain);
    dnnl_status_t st =
            dnnl_lrn_forward_primitive_desc_create(pd, engine, l->prop_kind,
                    l->numbers.alg, l->src.md, l->dst.md, l->numbers.local_size,
                    l->numbers.alpha, l->numbers.beta, l->numbers.k, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct lrn *l = user;
    return chain_apply(
            &l->chain, reference_lrn(&l->src.view, &l->numbers, place));
}

static struct reference_value expected_workspace(
        const void *user, const dnnl_dims_t place)
{
    const struct lrn *l = user;
    return reference_lrn_base(&l->src.view, &l->numbers, place);
}

static void fini(struct lrn *l)
{
    tensor_fini(&l->src);
    tensor_fini(&l->dst);
    tensor_fini(&l->workspace);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct lrn *l)
{
    const struct run_argument args[] = {{DNNL_ARG_SRC, &l->src},
            {DNNL_ARG_DST, &l->dst}, {DNNL_ARG_WORKSPACE, &l->workspace}};
    int nargs = l->prop_kind == dnnl_forward_training ? 3 : 2;
    bool is_empty = reference_count(&l->dst.view) == 0;
    run_and_expect(describe, expected, l, args, nargs);
    if (nargs == 3 && !is_empty
            && run_twice_for(DNNL_ARG_WORKSPACE, describe, l, args, nargs))
        expect_tensor(&l->workspace, expected_workspace, l);
    fini(l);
}

struct shape {
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t src_tag, dst_tag;
    dnnl_dim_t local_size;
};

static void init(struct lrn *l, const struct shape *shape, dnnl_alg_kind_t alg,
        dnnl_data_type_t type, uint64_t *seed)
{
    memset(l, 0, sizeof *l);
    tensor_init(&l->src, type, shape->ndims, shape->dims, shape->src_tag);
    tensor_init(&l->dst, type, shape->ndims, shape->dims, shape->dst_tag);
    tensor_init(
            &l->workspace, dnnl_f32, shape->ndims, shape->dims, shape->dst_tag);
    tensor_randomize(&l->src, seed, -3.0, 3.0);
    l->prop_kind = dnnl_forward_inference;
    l->numbers =
            (struct reference_lrn){alg, shape->local_size, 0.75f, 0.65f, 1.5f};
}

static const dnnl_alg_kind_t algorithms[] = {
        dnnl_lrn_across_channels, dnnl_lrn_within_channel};

static const struct shape image = {4, {2, 11, 7, 5}, dnnl_nchw, dnnl_nchw, 5};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Lrn, TakesAllShapes)
{
    static const struct shape shapes[] = {{2, {3, 17}, dnnl_ab, dnnl_ab, 5},
            {2, {1, 1}, dnnl_ab, dnnl_ab, 1},
            {3, {2, 5, 31}, dnnl_abc, dnnl_abc, 3},
            {4, {2, 11, 7, 5}, dnnl_nchw, dnnl_nchw, 5},
            {4, {1, 67, 3, 2}, dnnl_nchw, dnnl_nchw, 4},
            {4, {2, 3, 5, 4}, dnnl_nchw, dnnl_nchw, INT64_MAX},
            {5, {2, 3, 4, 3, 5}, dnnl_abcde, dnnl_abcde, 3},
            {4, {2, 0, 7, 5}, dnnl_nchw, dnnl_nchw, 5}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 2 * COUNT(shapes) && !test_has_failed(); i++) {
        struct lrn l;
        init(&l, &shapes[i / 2], algorithms[i % 2], dnnl_f32, &seed);
        check(&l);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

TEST_C(Lrn, TakesAllLayouts)
{
    static const struct shape shapes[] = {
            {4, {2, 11, 7, 5}, dnnl_nhwc, dnnl_nhwc, 5},
            {4, {2, 11, 7, 5}, dnnl_nchw, dnnl_nhwc, 3},
            {4, {2, 11, 7, 5}, dnnl_cdba, dnnl_bacd, 3}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 2 * COUNT(shapes) && !test_has_failed(); i++) {
        struct lrn l;
        init(&l, &shapes[i / 2], algorithms[i % 2], dnnl_f32, &seed);
        check(&l);
    }
}

TEST_C(Lrn, TakesRandomShapes)
{
    static const dnnl_format_tag_t tags[] = {
            dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    uint64_t seed = test_seed();
    for (int i = 0; i < 40 && !test_has_failed(); i++) {
        struct shape shape = image;
        struct lrn l;
        shape.ndims = 2 + (int)random_below(&seed, 4);
        for (int d = 0; d < shape.ndims; d++)
            shape.dims[d] = 1 + random_below(&seed, 9);
        shape.src_tag = tags[shape.ndims - 2];
        shape.dst_tag = shape.src_tag;
        shape.local_size = 1 + random_below(&seed, 7);
        init(&l, &shape, algorithms[i % 2], dnnl_f32, &seed);
        tensor_fini(&l.src);
        tensor_fini(&l.dst);
        tensor_init_random(&l.src, dnnl_f32, shape.ndims, shape.dims, &seed);
        tensor_init_random(&l.dst, dnnl_f32, shape.ndims, shape.dims, &seed);
        tensor_randomize(&l.src, &seed, -3.0, 3.0);
        check(&l);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

TEST_C(Lrn, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct lrn l;
    init(&l, &image, dnnl_lrn_across_channels, dnnl_f32, &seed);
    tensor_fini(&l.src);
    tensor_fini(&l.dst);
    tensor_init_strided(
            &l.src, dnnl_f32, 4, image.dims, (dnnl_dims_t){0, 40, 5, 1});
    tensor_init_strided(
            &l.dst, dnnl_f32, 4, image.dims, (dnnl_dims_t){900, 80, 11, 2});
    tensor_randomize(&l.src, &seed, -3.0, 3.0);
    check(&l);
}

/* ---- Types, workspace, numbers ------------------------------------------- */

/* The workspace is f32, and an output like dst. */
TEST_C(Lrn, TakesEveryTypeAndTrains)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        struct lrn l;
        dnnl_primitive_desc_t pd = NULL;
        init(&l, &image, algorithms[i % 2], types[i], &seed);
        l.prop_kind = dnnl_forward_training;
        dnnl_status_t st = describe(&pd, test_engine(), &l);
        if (st == dnnl_success)
            EXPECT_DESC(l.workspace.md, pd, dnnl_query_workspace_md, 0);
        dnnl_primitive_desc_destroy(pd);
        if (types[i] == dnnl_f16 && st == dnnl_unimplemented)
            fini(&l);
        else
            check(&l);
    }
}

TEST_C(Lrn, TakesPostOps)
{
    uint64_t seed = test_seed();
    struct lrn l;
    init(&l, &image, dnnl_lrn_across_channels, dnnl_f32, &seed);
    l.chain = (struct chain){1, {{dnnl_eltwise_linear, 3.0f, -0.5f}}};
    check(&l);
}

/* beta of a network; 0, a product with 1; a negative one. */
TEST_C(Lrn, TakesAllNumbers)
{
    static const float numbers[][3] = {{1e-4f, 0.75f, 1.0f}, {1.0f, 0.0f, 1.0f},
            {0.5f, -1.5f, 0.0f}, {0.0f, 2.0f, 3.0f}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(numbers) && !test_has_failed(); i++) {
        struct lrn l;
        init(&l, &image, dnnl_lrn_across_channels, dnnl_f32, &seed);
        l.numbers.alpha = numbers[i][0];
        l.numbers.beta = numbers[i][1];
        l.numbers.k = numbers[i][2];
        check(&l);
    }
}

/* One program serves every shape and window. */
TEST_C(Lrn, SharesItsProgram)
{
    uint64_t seed = test_seed();
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    for (int i = 0; i < 2; i++) {
        struct shape shape = image;
        struct lrn l;
        shape.local_size += 2 * i;
        shape.dims[2] += i;
        init(&l, &shape, dnnl_lrn_within_channel, dnnl_f32, &seed);
        l.numbers.beta *= (float)(i + 1);
        origin = test_created(describe, &l);
        fini(&l);
    }
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin);
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t try_call(const struct lrn *l)
{
    return try_describe(describe, l);
}

TEST_C(Lrn, RefusesWrongArguments)
{
    uint64_t seed = test_seed();
    struct lrn good;
    struct lrn l;
    dnnl_memory_desc_t vector = plain_md(1, (dnnl_dims_t){11}, dnnl_f32);
    dnnl_memory_desc_t other =
            plain_md(4, (dnnl_dims_t){2, 11, 7, 6}, dnnl_f32);
    dnnl_memory_desc_t any =
            tagged_md(4, image.dims, dnnl_f32, dnnl_format_tag_any);
    init(&good, &image, dnnl_lrn_within_channel, dnnl_f32, &seed);
    EXPECT_OK(try_call(&good));
    l = good;
    l.dst.md = any;
    EXPECT_OK(try_call(&l));
#define REFUSES(change) \
    l = good;           \
    change;             \
    EXPECT_STATUS(dnnl_invalid_arguments, try_call(&l))
    REFUSES(l.prop_kind = dnnl_backward_data);
    REFUSES(l.numbers.alg = dnnl_pooling_max);
    REFUSES(l.numbers.local_size = 0);
    REFUSES(l.numbers.local_size = -3);
    REFUSES(l.src.md = any);
    REFUSES(l.dst.md = other);
    REFUSES(l.src.md = vector; l.dst.md = vector);
#undef REFUSES
    fini(&good);
}

TEST_C(Lrn, RefusesTypesAndLayoutsItHasNot)
{
    static const dnnl_data_type_t pairs[][2] = {
            {dnnl_s8, dnnl_s8}, {dnnl_f32, dnnl_bf16}, {dnnl_s32, dnnl_s32}};
    uint64_t seed = test_seed();
    struct lrn l;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        init(&l, &image, dnnl_lrn_across_channels, dnnl_f32, &seed);
        tensor_fini(&l.src);
        tensor_fini(&l.dst);
        tensor_init(&l.src, pairs[i][0], 4, image.dims, dnnl_nchw);
        tensor_init(&l.dst, pairs[i][1], 4, image.dims, dnnl_nchw);
        EXPECT_STATUS(dnnl_unimplemented, try_call(&l));
        fini(&l);
    }
    init(&l, &image, dnnl_lrn_across_channels, dnnl_f32, &seed);
    tensor_fini(&l.dst);
    tensor_init_strided(
            &l.dst, dnnl_f32, 4, image.dims, (dnnl_dims_t){0, 35, 5, 1});
    EXPECT_STATUS(dnnl_unimplemented, try_call(&l));
    fini(&l);
}
