/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

enum { MAX_SOURCES = 64 };

struct sum {
    int n;
    struct tensor srcs[MAX_SOURCES];
    struct tensor dst;
    float scales[MAX_SOURCES];
    bool has_no_dst; /* the library chooses */
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct sum *s = user;
    const_dnnl_memory_desc_t srcs[MAX_SOURCES];
    for (int i = 0; i < s->n; i++)
        srcs[i] = s->srcs[i].md;
    return dnnl_sum_primitive_desc_create(pd, engine,
            s->has_no_dst ? NULL : s->dst.md, s->n, s->scales, srcs, NULL);
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct sum *s = user;
    const struct reference_tensor *srcs[MAX_SOURCES];
    for (int i = 0; i < s->n; i++)
        srcs[i] = &s->srcs[i].view;
    return reference_sum(srcs, s->scales, s->n, place);
}

static void fini(struct sum *s)
{
    for (int i = 0; i < s->n; i++)
        tensor_fini(&s->srcs[i]);
    tensor_fini(&s->dst);
}

static bool run(struct sum *s)
{
    struct run_argument args[MAX_SOURCES + 1];
    for (int i = 0; i < s->n; i++) {
        args[i].arg = DNNL_ARG_MULTIPLE_SRC + i;
        args[i].tensor = &s->srcs[i];
    }
    args[s->n].arg = DNNL_ARG_DST;
    args[s->n].tensor = &s->dst;
    return run_twice(describe, s, args, s->n + 1);
}

/* Runs on random numbers and scales, compares, and frees the tensors. */
static void check(struct sum *s, uint64_t *seed)
{
    for (int i = 0; i < s->n; i++) {
        tensor_randomize(&s->srcs[i], seed, -50.0, 50.0);
        s->scales[i] = (float)(random_below(seed, 65) - 32) / 16.0f;
    }
    if (run(s)) expect_tensor(&s->dst, expected, s);
    if (test_has_failed()) test_fail(__FILE__, __LINE__, "%d sources", s->n);
    fini(s);
}

/* All of one type and layout. */
static void init(struct sum *s, int n, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int i = 0; i < n; i++)
        tensor_init(&s->srcs[i], type, ndims, dims, tag);
    tensor_init(&s->dst, type, ndims, dims, tag);
}

/* ---- Sources ------------------------------------------------------------- */

TEST_C(Sum, TakesOneSourceAndMany)
{
    static const int counts[] = {1, 3, 8, 9, 32, 64};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(counts) && !test_has_failed(); i++) {
        struct sum s;
        init(&s, counts[i], dnnl_f32, 2, (dnnl_dims_t){3, 37}, dnnl_ab);
        check(&s, &seed);
    }
}

/* Each source is read once, scaled by its own number. */
TEST_C(Sum, GivesEachSourceItsScale)
{
    struct sum s;
    init(&s, 17, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
    double total = 0.0;
    for (int i = 0; i < s.n; i++) {
        /* All sums of different ones of these are different. */
        const double value = ldexp(1.0, i);
        tensor_set(&s.srcs[i], &value, 1);
        s.scales[i] = i % 3 == 0 ? 0.0f : 1.0f;
        total += (double)s.scales[i] * value;
    }
    if (run(&s)) EXPECT_EQ(total, reference_read(&s.dst.view, 0));
    fini(&s);
}

TEST_C(Sum, SharesItsProgramBetweenScalesAndShapes)
{
    struct sum s;
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    for (int i = 0; i < 2; i++) {
        init(&s, 5, dnnl_f32, 2, (dnnl_dims_t){3 + i, 41}, dnnl_ab);
        s.scales[0] = (float)i;
        origin = test_created(describe, &s);
        fini(&s);
    }
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin);
}

TEST_C(Sum, HasItsScalesInItsId)
{
    struct sum s;
    dnnl_primitive_desc_t pd;
    uint8_t ids[2][4096];
    size_t sizes[2] = {sizeof ids[0], sizeof ids[1]};
    init(&s, 2, dnnl_f32, 1, (dnnl_dims_t){4}, dnnl_a);
    for (int i = 0; i < 2; i++) {
        s.scales[1] = (float)i;
        ASSERT_OK(describe(&pd, test_engine(), &s));
        ASSERT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(
                pd, &sizes[i], ids[i]));
        dnnl_primitive_desc_destroy(pd);
    }
    EXPECT_EQ(sizes[0], sizes[1]);
    EXPECT_TRUE(memcmp(ids[0], ids[1], sizes[0]) != 0);
    fini(&s);
}

/* ---- Types --------------------------------------------------------------- */

TEST_C(Sum, TakesEveryTypeAndMixesThem)
{
    static const dnnl_data_type_t types[][3] = {/* dst, sources */
            {dnnl_bf16, dnnl_bf16, dnnl_f32}, {dnnl_s32, dnnl_s32, dnnl_s8},
            {dnnl_s8, dnnl_s8, dnnl_u8}, {dnnl_u8, dnnl_u8, dnnl_bf16},
            {dnnl_f32, dnnl_s8, dnnl_s32}, {dnnl_f16, dnnl_f16, dnnl_f32},
            {dnnl_f32, dnnl_u8, dnnl_f16}};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        struct sum s;
        const dnnl_dims_t dims = {5, 101};
        bool is_half = false;
        memset(&s, 0, sizeof s);
        s.n = 2;
        for (int j = 0; j < 3; j++)
            is_half = is_half || types[i][j] == dnnl_f16;
        if (is_half && !with_half) continue;
        tensor_init(&s.dst, types[i][0], 2, dims, dnnl_ab);
        tensor_init(&s.srcs[0], types[i][1], 2, dims, dnnl_ab);
        tensor_init(&s.srcs[1], types[i][2], 2, dims, dnnl_ab);
        check(&s, &seed);
    }
}

TEST_C(Sum, SaturatesIntegers)
{
    static const double values[] = {127.0, -128.0, 100.0, -100.0, 0.0, 1.0};
    struct sum s;
    init(&s, 2, dnnl_s8, 1, (dnnl_dims_t){COUNT(values)}, dnnl_a);
    s.scales[0] = s.scales[1] = 1.0f;
    tensor_set(&s.srcs[0], values, COUNT(values));
    tensor_set(&s.srcs[1], values, COUNT(values));
    if (run(&s)) expect_tensor(&s.dst, expected, &s);
    fini(&s);
}

TEST_C(Sum, KeepsInfinityAndNotANumber)
{
    static const double left[] = {INFINITY, INFINITY, NAN, 3e38, -3e38, 0.0};
    static const double right[] = {1.0, -INFINITY, 1.0, 3e38, -3e38, -0.0};
    struct sum s;
    init(&s, 2, dnnl_f32, 1, (dnnl_dims_t){COUNT(left)}, dnnl_a);
    s.scales[0] = s.scales[1] = 1.0f;
    tensor_set(&s.srcs[0], left, COUNT(left));
    tensor_set(&s.srcs[1], right, COUNT(right));
    if (run(&s)) expect_tensor(&s.dst, expected, &s);
    fini(&s);
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Sum, TakesOddSizes)
{
    static const dnnl_dim_t lengths[] = {1, 2, 63, 64, 65, 127, 4099, 100003};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(lengths) && !test_has_failed(); i++) {
        struct sum s;
        init(&s, 2, dnnl_f32, 1, (dnnl_dims_t){lengths[i]}, dnnl_a);
        check(&s, &seed);
    }
}

TEST_C(Sum, TakesALayoutForEach)
{
    static const dnnl_format_tag_t tags[][4] = {/* dst, sources */
            {dnnl_nchw, dnnl_nhwc, dnnl_nchw, dnnl_nhwc},
            {dnnl_nhwc, dnnl_nhwc, dnnl_nchw, dnnl_nchw},
            {dnnl_bacd, dnnl_cdba, dnnl_nhwc, dnnl_nchw},
            {dnnl_nhwc, dnnl_nchw, dnnl_nchw, dnnl_nchw}};
    const dnnl_dims_t dims = {3, 5, 7, 4};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(tags) && !test_has_failed(); i++) {
        struct sum s;
        memset(&s, 0, sizeof s);
        s.n = 3;
        tensor_init(&s.dst, dnnl_f32, 4, dims, tags[i][0]);
        for (int j = 0; j < 3; j++)
            tensor_init(&s.srcs[j], dnnl_f32, 4, dims, tags[i][j + 1]);
        check(&s, &seed);
    }
}

TEST_C(Sum, LeavesGapsAlone)
{
    const dnnl_dims_t dims = {3, 4, 5};
    uint64_t seed = test_seed();
    struct sum s;
    memset(&s, 0, sizeof s);
    s.n = 2;
    /* The second source repeats its first dimension. */
    tensor_init_strided(&s.srcs[0], dnnl_f32, 3, dims, (dnnl_dims_t){1, 30, 6});
    tensor_init_strided(&s.srcs[1], dnnl_f32, 3, dims, (dnnl_dims_t){0, 10, 2});
    tensor_init_strided(&s.dst, dnnl_f32, 3, dims, (dnnl_dims_t){1, 30, 6});
    check(&s, &seed);
}

TEST_C(Sum, TakesTwelveDimensionsThatDoNotMerge)
{
    const dnnl_dims_t dims = {2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2};
    uint64_t seed = test_seed();
    struct sum s;
    init(&s, 2, dnnl_f32, 12, dims, dnnl_abcdefghijkl);
    tensor_fini(&s.srcs[1]);
    /* Every dimension runs the other way. */
    tensor_init_strided(&s.srcs[1], dnnl_f32, 12, dims,
            (dnnl_dims_t){1, 2, 4, 8, 8, 16, 32, 64, 64, 128, 256, 512});
    check(&s, &seed);
}

TEST_C(Sum, ChoosesALayoutLikeTheFirstSource)
{
    uint64_t seed = test_seed();
    struct sum s;
    dnnl_primitive_desc_t pd;
    init(&s, 2, dnnl_bf16, 4, (dnnl_dims_t){2, 3, 4, 5}, dnnl_nhwc);
    tensor_fini(&s.srcs[1]);
    tensor_init(&s.srcs[1], dnnl_f32, 4, (dnnl_dims_t){2, 3, 4, 5}, dnnl_nchw);
    s.has_no_dst = true;
    ASSERT_OK(describe(&pd, test_engine(), &s));
    EXPECT_DESC(s.dst.md, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
    check(&s, &seed);
}

/* Where a source starts in its memory is no part of its layout. */
TEST_C(Sum, ChoosesNoOffset)
{
    static const float scale = 1.0f;
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t part;
    dnnl_memory_desc_t whole = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t plain = plain_md(2, (dnnl_dims_t){2, 6}, dnnl_f32);
    ASSERT_OK(dnnl_memory_desc_create_submemory(
            &part, whole, (dnnl_dims_t){2, 6}, (dnnl_dims_t){2, 0}));
    const_dnnl_memory_desc_t src = part;
    ASSERT_OK(dnnl_sum_primitive_desc_create(
            &pd, test_engine(), NULL, 1, &scale, &src, NULL));
    EXPECT_DESC(plain, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(part);
}

TEST_C(Sum, LeavesAnEmptyTensorAlone)
{
    uint64_t seed = test_seed();
    struct sum s;
    init(&s, 3, dnnl_f32, 2, (dnnl_dims_t){0, 5}, dnnl_ab);
    check(&s, &seed);
}

TEST_C(Sum, AddsToItsFirstSource)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++) {
        struct sum s;
        struct tensor both;
        init(&s, 2, types[i], 2, (dnnl_dims_t){13, 67}, dnnl_ab);
        tensor_init(&both, types[i], 2, (dnnl_dims_t){13, 67}, dnnl_ab);
        tensor_randomize(&s.srcs[0], &seed, -5.0, 5.0);
        tensor_randomize(&s.srcs[1], &seed, -5.0, 5.0);
        s.scales[0] = 0.5f;
        s.scales[1] = 3.0f;
        memcpy(both.bytes, s.srcs[0].bytes, both.size);
        const struct run_argument args[] = {{DNNL_ARG_MULTIPLE_SRC, &both},
                {DNNL_ARG_MULTIPLE_SRC + 1, &s.srcs[1]}, {DNNL_ARG_DST, &both}};
        run_and_expect(describe, expected, &s, args, 3);
        tensor_fini(&both);
        fini(&s);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t try_call(dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst, int n, const float *scales,
        const_dnnl_memory_desc_t const *srcs, const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_sum_primitive_desc_create(
            &out, engine, dst, n, scales, srcs, attr);
    return tried(st, out);
}

TEST_C(Sum, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_engine_t engine = test_engine();
    static const float scales[2] = {1.0f, 2.0f};
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){6, 4}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 6}, dnnl_f32, dnnl_format_tag_any);
    const_dnnl_memory_desc_t good[] = {md, md};
    const_dnnl_memory_desc_t bad[][2] = {
            {md, NULL}, {NULL, md}, {md, other}, {md, empty}, {any, md}};
    EXPECT_OK(try_call(engine, md, 2, scales, good, NULL));
    EXPECT_OK(try_call(engine, any, 2, scales, good, NULL));
    EXPECT_OK(try_call(engine, NULL, 2, scales, good, NULL));
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_STATUS(wrong, try_call(engine, md, 2, scales, bad[i], NULL));
    EXPECT_STATUS(wrong, try_call(NULL, md, 2, scales, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, other, 2, scales, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, empty, 2, scales, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, md, 0, scales, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, md, -1, scales, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, md, 2, NULL, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, md, 2, scales, NULL, NULL));
    EXPECT_STATUS(wrong, dnnl_sum_primitive_desc_create(
                                 NULL, engine, md, 2, scales, good, NULL));
}

TEST_C(Sum, RefusesWhatItHasNot)
{
    static const struct chain relu = {1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}};
    const dnnl_status_t not_here = dnnl_unimplemented;
    dnnl_engine_t engine = test_engine();
    const dnnl_dims_t dims = {4, 6};
    float scales[MAX_SOURCES + 1];
    const_dnnl_memory_desc_t srcs[MAX_SOURCES + 1];
    dnnl_primitive_attr_t attr = chain_attr(&relu);
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, dims, dnnl_f64);
    dnnl_memory_desc_t repeated =
            strided_md(2, dims, dnnl_f32, (dnnl_dims_t){0, 1});
    for (int i = 0; i <= MAX_SOURCES; i++) {
        scales[i] = 1.0f;
        srcs[i] = md;
    }
    EXPECT_OK(try_call(engine, md, MAX_SOURCES, scales, srcs, NULL));
    EXPECT_STATUS(not_here,
            try_call(engine, md, MAX_SOURCES + 1, scales, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, wide, 2, scales, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, repeated, 2, scales, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, md, 2, scales, srcs, attr));
    srcs[1] = repeated;
    EXPECT_OK(try_call(engine, md, 2, scales, srcs, NULL));
    srcs[1] = wide;
    EXPECT_STATUS(not_here, try_call(engine, md, 2, scales, srcs, NULL));
    dnnl_primitive_attr_destroy(attr);
}

/* Every source laid out in its own way: what does not fit the kernel's
 * arguments is refused, what does is computed. */
TEST_C(Sum, TakesSeveralLayoutsAndRefusesMore)
{
    uint64_t seed = test_seed();
    const dnnl_dims_t dims = {2, 2, 2, 2};
    int most = 0;
    for (int n = 2; n < 16; n++) {
        struct sum s;
        dnnl_primitive_desc_t pd = NULL;
        init(&s, n, dnnl_f32, 4, dims, dnnl_abcd);
        for (int i = 0; i < n; i++) {
            tensor_fini(&s.srcs[i]);
            tensor_init_strided(&s.srcs[i], dnnl_f32, 4, dims,
                    (dnnl_dims_t){1, 2 + i, 8 + 2 * i, 50});
        }
        dnnl_status_t st = describe(&pd, test_engine(), &s);
        dnnl_primitive_desc_destroy(pd);
        if (st == dnnl_success) {
            EXPECT_EQ(n - 1, most == 0 ? 1 : most);
            most = n;
        } else {
            EXPECT_STATUS(dnnl_unimplemented, st);
        }
        if (st == dnnl_success && n % 4 == 2)
            check(&s, &seed);
        else
            fini(&s);
    }
    EXPECT_EQ(10, most);
}
