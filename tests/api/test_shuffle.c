/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"
#include "test.h"

#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct shuffle {
    struct tensor src, dst;
    int axis;
    dnnl_dim_t group_size;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct shuffle *s = user;
    return dnnl_shuffle_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, s->src.md, s->dst.md, s->axis,
            s->group_size, NULL);
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct shuffle *s = user;
    return reference_shuffle(&s->src.view, s->axis, s->group_size, place);
}

static void fini(struct shuffle *s)
{
    tensor_fini(&s->src);
    tensor_fini(&s->dst);
}

/* Runs on random numbers, compares, and frees the tensors. */
static void check(struct shuffle *s, uint64_t *seed)
{
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &s->src}, {DNNL_ARG_DST, &s->dst}};
    tensor_randomize(&s->src, seed, -200.0, 200.0);
    run_and_expect(describe, expected, s, args, 2);
    if (test_has_failed())
        test_fail(__FILE__, __LINE__, "axis %d in groups of %lld", s->axis,
                (long long)s->group_size);
    fini(s);
}

static void init(struct shuffle *s, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, dnnl_format_tag_t src, dnnl_format_tag_t dst,
        int axis, dnnl_dim_t group_size)
{
    tensor_init(&s->src, type, ndims, dims, src);
    tensor_init(&s->dst, type, ndims, dims, dst);
    s->axis = axis;
    s->group_size = group_size;
}

/* ---- What it computes ---------------------------------------------------- */

/* Six channels in groups of three, told in full: rows 0 1 2 and 3 4 5 become
 * columns. */
TEST_C(Shuffle, TransposesTheGroups)
{
    static const double src[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
    static const double dst[] = {0.0, 3.0, 1.0, 4.0, 2.0, 5.0};
    struct shuffle s;
    init(&s, dnnl_f32, 2, (dnnl_dims_t){1, 6}, dnnl_ab, dnnl_ab, 1, 3);
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &s.src}, {DNNL_ARG_DST, &s.dst}};
    tensor_set(&s.src, src, COUNT(src));
    if (run_twice(describe, &s, args, 2))
        for (size_t i = 0; i < COUNT(dst); i++)
            EXPECT_EQ(dst[i], reference_read(&s.dst.view, (dnnl_dim_t)i));
    fini(&s);
}

TEST_C(Shuffle, TakesEveryType)
{
    static const dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f16};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        struct shuffle s;
        dnnl_primitive_desc_t pd = NULL;
        init(&s, types[i], 3, (dnnl_dims_t){3, 20, 7}, dnnl_abc, dnnl_abc, 1,
                5);
        dnnl_status_t st = describe(&pd, test_engine(), &s);
        dnnl_primitive_desc_destroy(pd);
        if (types[i] == dnnl_f16 && st == dnnl_unimplemented)
            fini(&s);
        else
            check(&s, &seed);
    }
}

TEST_C(Shuffle, TakesEveryAxisAndGroup)
{
    static const dnnl_dim_t groups[] = {1, 2, 3, 4, 6, 12};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 3 * COUNT(groups) && !test_has_failed(); i++) {
        struct shuffle s;
        dnnl_dims_t dims = {5, 3, 7};
        dims[i % 3] = 12;
        init(&s, dnnl_f32, 3, dims, dnnl_abc, dnnl_abc, (int)(i % 3),
                groups[i / 3]);
        check(&s, &seed);
    }
}

TEST_C(Shuffle, TakesOddSizes)
{
    static const dnnl_dim_t shapes[][4] = {/* before, axis, after, group */
            {1, 1, 1, 1}, {1, 7, 1, 7}, {1, 7, 1, 1}, {3, 101, 1, 101},
            {1, 323, 5, 17}, {2, 1517, 1, 37}, {61, 4, 131, 2},
            {1, 65536, 1, 256}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes) && !test_has_failed(); i++) {
        struct shuffle s;
        init(&s, dnnl_f32, 3, shapes[i], dnnl_abc, dnnl_abc, 1, shapes[i][3]);
        check(&s, &seed);
    }
}

/* ---- Layouts ------------------------------------------------------------- */

TEST_C(Shuffle, TakesEveryLayout)
{
    static const dnnl_format_tag_t tags[][2] = {{dnnl_nchw, dnnl_nhwc},
            {dnnl_nhwc, dnnl_nchw}, {dnnl_nhwc, dnnl_nhwc},
            {dnnl_cdba, dnnl_bacd}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 4 * COUNT(tags) && !test_has_failed(); i++) {
        struct shuffle s;
        init(&s, dnnl_f32, 4, (dnnl_dims_t){4, 6, 8, 10}, tags[i / 4][0],
                tags[i / 4][1], (int)(i % 4), 2);
        check(&s, &seed);
    }
}

TEST_C(Shuffle, LeavesGapsAlone)
{
    const dnnl_dims_t dims = {3, 6, 5};
    uint64_t seed = test_seed();
    for (int axis = 0; axis < 2; axis++) {
        struct shuffle s;
        /* The src repeats its last dimension. */
        tensor_init_strided(&s.src, dnnl_f32, 3, dims, (dnnl_dims_t){20, 3, 0});
        tensor_init_strided(&s.dst, dnnl_f32, 3, dims, (dnnl_dims_t){2, 42, 7});
        s.axis = axis;
        s.group_size = 3;
        check(&s, &seed);
    }
}

/* Twelve dimensions, and one more for the groups. */
TEST_C(Shuffle, TakesTwelveDimensions)
{
    const dnnl_dims_t dims = {2, 2, 1, 2, 2, 4, 2, 1, 2, 2, 2, 2};
    uint64_t seed = test_seed();
    struct shuffle s;
    /* Every dimension of src and dst runs the other way. */
    tensor_init_strided(&s.src, dnnl_u8, 12, dims,
            (dnnl_dims_t){1, 2, 4, 4, 8, 16, 64, 128, 128, 256, 512, 1024});
    tensor_init(&s.dst, dnnl_u8, 12, dims, dnnl_abcdefghijkl);
    s.axis = 5;
    s.group_size = 2;
    check(&s, &seed);
}

TEST_C(Shuffle, LeavesAnEmptyTensorAlone)
{
    uint64_t seed = test_seed();
    struct shuffle s;
    init(&s, dnnl_f32, 2, (dnnl_dims_t){0, 6}, dnnl_ab, dnnl_ab, 1, 3);
    check(&s, &seed);
    init(&s, dnnl_f32, 2, (dnnl_dims_t){6, 0}, dnnl_ab, dnnl_ab, 1, 3);
    check(&s, &seed);
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, int axis,
        dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_shuffle_forward_primitive_desc_create(
            &out, engine, prop_kind, src, dst, axis, group_size, attr);
    return tried(st, out);
}

TEST_C(Shuffle, RefusesWrongArguments)
{
    dnnl_engine_t engine = test_engine();
    dnnl_prop_kind_t kind = dnnl_forward_training;
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){6, 4}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 6}, dnnl_f32, dnnl_format_tag_any);
    EXPECT_OK(try_call(engine, kind, md, any, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(NULL, kind, md, md, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, NULL, md, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, NULL, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, empty, empty, 0, 1, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, any, md, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, other, 1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, -1, 3, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, 2, 1, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, 1, 0, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, 1, -1, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, 1, 4, NULL));
    EXPECT_STATUS(wrong, try_call(engine, kind, md, md, 1, 12, NULL));
    EXPECT_STATUS(wrong, try_call(engine, dnnl_backward, md, md, 1, 3, NULL));
    EXPECT_STATUS(wrong, dnnl_shuffle_forward_primitive_desc_create(
                                 NULL, engine, kind, md, md, 1, 3, NULL));
}

TEST_C(Shuffle, RefusesWhatItHasNot)
{
    static const struct chain relu = {1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}};
    const dnnl_status_t not_here = dnnl_unimplemented;
    dnnl_engine_t engine = test_engine();
    dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_primitive_attr_t attr = chain_attr(&relu);
    const dnnl_dims_t dims = {4, 6};
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t bytes = plain_md(2, dims, dnnl_u8);
    dnnl_memory_desc_t wide = plain_md(2, dims, dnnl_f64);
    dnnl_memory_desc_t repeated =
            strided_md(2, dims, dnnl_f32, (dnnl_dims_t){0, 1});
    EXPECT_STATUS(not_here, try_call(engine, kind, md, bytes, 1, 3, NULL));
    EXPECT_STATUS(not_here, try_call(engine, kind, wide, wide, 1, 3, NULL));
    EXPECT_STATUS(not_here, try_call(engine, kind, md, repeated, 1, 3, NULL));
    EXPECT_STATUS(not_here, try_call(engine, kind, md, md, 1, 3, attr));
    dnnl_primitive_attr_destroy(attr);
}

/* Twelve dimensions of which none merges with another leave no room for the
 * groups. */
TEST_C(Shuffle, RefusesMoreDimensionsThanItsKernelHas)
{
    const dnnl_dims_t dims = {2, 2, 2, 2, 2, 4, 2, 2, 2, 2, 2, 2};
    dnnl_memory_desc_t dst = plain_md(12, dims, dnnl_u8);
    dnnl_memory_desc_t src = strided_md(12, dims, dnnl_u8,
            (dnnl_dims_t){1, 2, 4, 8, 16, 32, 128, 256, 512, 1024, 2048, 4096});
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(test_engine(), dnnl_forward_inference,
                                        src, dst, 5, 2, NULL));
    EXPECT_OK(try_call(
            test_engine(), dnnl_forward_inference, dst, dst, 5, 2, NULL));
}
