/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct binary {
    struct tensor src0, src1, dst;
    dnnl_alg_kind_t alg;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct binary *b = user;
    dnnl_primitive_attr_t attr = chain_attr(&b->chain);
    dnnl_status_t st = dnnl_binary_primitive_desc_create(
            pd, engine, b->alg, b->src0.md, b->src1.md, b->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* Kernels compute in f32; no other type but s32 loses by it. */
static double read_f32(const struct tensor *t, const dnnl_dims_t place)
{
    float read = (float)reference_at(&t->view, place);
    return (double)read;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct binary *b = user;
    return chain_apply(
            &b->chain, reference_binary(b->alg, read_f32(&b->src0, place),
                               read_f32(&b->src1, place)));
}

static bool run(struct binary *b)
{
    const struct run_argument args[] = {{DNNL_ARG_SRC_0, &b->src0},
            {DNNL_ARG_SRC_1, &b->src1}, {DNNL_ARG_DST, &b->dst}};
    return run_twice(describe, b, args, 3);
}

static void fini(struct binary *b)
{
    tensor_fini(&b->src0);
    tensor_fini(&b->src1);
    tensor_fini(&b->dst);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct binary *b)
{
    if (run(b)) expect_tensor(&b->dst, expected, b);
    fini(b);
}

static void init_typed(struct binary *b, dnnl_dim_t n, dnnl_alg_kind_t alg,
        const dnnl_data_type_t types[3])
{
    const dnnl_dims_t dims = {n};
    memset(b, 0, sizeof *b);
    tensor_init(&b->src0, types[0], 1, dims, dnnl_a);
    tensor_init(&b->src1, types[1], 1, dims, dnnl_a);
    tensor_init(&b->dst, types[2], 1, dims, dnnl_a);
    b->alg = alg;
}

static void init_vector(struct binary *b, dnnl_dim_t n, dnnl_alg_kind_t alg)
{
    const dnnl_data_type_t types[3] = {dnnl_f32, dnnl_f32, dnnl_f32};
    init_typed(b, n, alg, types);
}

static void randomize(struct binary *b, uint64_t *seed, double most)
{
    tensor_randomize(&b->src0, seed, -most, most);
    tensor_randomize(&b->src1, seed, -most, most);
}

/* ---- Functions and types ------------------------------------------------- */

TEST_C(Binary, ComputesEveryAlgorithm)
{
    /* Every special number meets every other: the lists have lengths with no
     * common divisor. */
    static const double left[] = {0.0, 1.0, -1.0, 3.0, -2.5, 1e30, -1e30, 1e-30,
            INFINITY, -INFINITY, NAN};
    static const double right[] = {0.0, 1.0, -1.0, 3.0, -0.0, 7.0, 1e30, -1e-30,
            INFINITY, -INFINITY, NAN, 16777217.0};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        struct binary b;
        if (!is_in_sample((size_t)i, first)) continue;
        dnnl_alg_kind_t alg = (dnnl_alg_kind_t)(dnnl_binary_add + i);
        init_vector(&b, COUNT(left) * COUNT(right), alg);
        tensor_set(&b.src0, left, COUNT(left));
        tensor_set(&b.src1, right, COUNT(right));
        check(&b);
        init_vector(&b, 1031, alg);
        randomize(&b, &seed, 10.0);
        check(&b);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "algorithm 0x%x", (unsigned)alg);
    }
}

struct typed_case {
    dnnl_data_type_t types[3];
    dnnl_alg_kind_t alg;
    struct chain chain;
};

/* Each type is read from both sources and written; results leave the range of
 * dst, or meet ties of its rounding. */
TEST_C(Binary, TakesEveryType)
{
    static const struct typed_case cases[] = {
            {{dnnl_f16, dnnl_f16, dnnl_f16}, dnnl_binary_mul, {0}},
            {{dnnl_bf16, dnnl_f32, dnnl_bf16}, dnnl_binary_add, {0}},
            {{dnnl_s8, dnnl_u8, dnnl_s8}, dnnl_binary_sub, {0}},
            {{dnnl_u8, dnnl_s8, dnnl_u8}, dnnl_binary_add,
                    {1, {{dnnl_eltwise_linear, 0.5f, 0.0f}}}},
            {{dnnl_s32, dnnl_s32, dnnl_s32}, dnnl_binary_mul, {0}},
            {{dnnl_f32, dnnl_bf16, dnnl_u8}, dnnl_binary_div, {0}},
            {{dnnl_f16, dnnl_s32, dnnl_f32}, dnnl_binary_lt, {0}}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct binary b;
        if (!with_half && c->types[0] == dnnl_f16) continue;
        if (!is_in_sample(i, first)) continue;
        init_typed(&b, 1000, c->alg, c->types);
        b.chain = c->chain;
        randomize(&b, &seed, 300.0);
        check(&b);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Binary, TakesSizesAroundAGroup)
{
    static const dnnl_dim_t sizes[] = {1, 2, 63, 64, 65, 257, 4097, 70001};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct binary b;
        init_vector(&b, sizes[i], dnnl_binary_add);
        randomize(&b, &seed, 1.0);
        check(&b);
    }
}

/* A shape of up to ndims dimensions, and for each a source that repeats it. */
static void init_random(struct binary *b, int ndims, uint64_t *seed)
{
    static const dnnl_dim_t sizes[] = {1, 2, 3, 5, 7, 11};
    dnnl_dims_t dims[3];
    memset(b, 0, sizeof *b);
    for (int d = 0; d < ndims; d++) {
        dnnl_dim_t size = sizes[random_below(seed, ndims > 4 ? 3 : 6)];
        dnnl_dim_t repeat = random_below(seed, 4);
        dims[2][d] = size;
        dims[0][d] = repeat == 0 ? 1 : size;
        dims[1][d] = repeat == 1 ? 1 : size;
    }
    tensor_init_random(&b->src0, dnnl_f32, ndims, dims[0], seed);
    tensor_init_random(&b->src1, dnnl_f32, ndims, dims[1], seed);
    tensor_init_random(&b->dst, dnnl_f32, ndims, dims[2], seed);
    b->alg = dnnl_binary_sub;
    randomize(b, seed, 1.0);
}

TEST_C(Binary, RepeatsEitherSourceInAnyLayout)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 60 && !test_has_failed(); i++) {
        struct binary b;
        init_random(&b, 1 + i % 5, &seed);
        check(&b);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

TEST_C(Binary, TakesTwelveDimensionsThatDoNotMerge)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 3; i++) {
        struct binary b;
        init_random(&b, DNNL_MAX_NDIMS, &seed);
        check(&b);
    }
}

/* What a row or a column is added to is still one dense tensor. */
TEST_C(Binary, RepeatsRowsColumnsAndNumbers)
{
    static const dnnl_dims_t shapes[] = {{1, 67}, {37, 1}, {1, 1}, {37, 67}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes) * COUNT(shapes); i++) {
        const dnnl_dims_t *dims0 = &shapes[i / COUNT(shapes)];
        const dnnl_dims_t *dims1 = &shapes[i % COUNT(shapes)];
        dnnl_dims_t dims;
        struct binary b;
        memset(&b, 0, sizeof b);
        for (int d = 0; d < 2; d++)
            dims[d] = (*dims0)[d] > (*dims1)[d] ? (*dims0)[d] : (*dims1)[d];
        tensor_init(&b.src0, dnnl_f32, 2, *dims0, dnnl_ab);
        tensor_init(&b.src1, dnnl_f32, 2, *dims1, dnnl_ab);
        tensor_init(&b.dst, dnnl_f32, 2, dims, dnnl_ab);
        b.alg = dnnl_binary_add;
        randomize(&b, &seed, 1.0);
        check(&b);
    }
}

TEST_C(Binary, LeavesAnEmptyTensorAlone)
{
    struct binary b;
    init_vector(&b, 0, dnnl_binary_add);
    check(&b);
    memset(&b, 0, sizeof b);
    b.alg = dnnl_binary_add;
    tensor_init(&b.src0, dnnl_f32, 2, (dnnl_dims_t){0, 3}, dnnl_ab);
    tensor_init(&b.src1, dnnl_f32, 2, (dnnl_dims_t){1, 3}, dnnl_ab);
    tensor_init(&b.dst, dnnl_f32, 2, (dnnl_dims_t){0, 3}, dnnl_ab);
    check(&b);
}

TEST_C(Binary, WorksInPlace)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 3; i++) {
        struct binary b;
        struct tensor both;
        init_vector(&b, 777, dnnl_binary_sub);
        tensor_init(&both, dnnl_f32, 1, (dnnl_dims_t){777}, dnnl_a);
        randomize(&b, &seed, 1.0);
        if (i == 2) memcpy(b.src1.bytes, b.src0.bytes, b.src0.size);
        memcpy(both.bytes, (i == 1 ? b.src1 : b.src0).bytes, both.size);
        const struct run_argument args[] = {
                {DNNL_ARG_SRC_0, i == 1 ? &b.src0 : &both},
                {DNNL_ARG_SRC_1, i == 0 ? &b.src1 : &both},
                {DNNL_ARG_DST, &both}};
        run_and_expect(describe, expected, &b, args, 3);
        tensor_fini(&both);
        fini(&b);
    }
}

/* ---- Scales -------------------------------------------------------------- */

struct scaled {
    struct binary b;
    struct tensor scales[2]; /* of src0, src1 */
    int masks[2];            /* -1: none */
};

static dnnl_status_t describe_scaled(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct scaled *s = user;
    const struct binary *b = &s->b;
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    for (int i = 0; i < 2; i++)
        if (s->masks[i] >= 0)
            EXPECT_OK(dnnl_primitive_attr_set_scales_mask(
                    attr, DNNL_ARG_SRC_0 + i, s->masks[i]));
    dnnl_status_t st = dnnl_binary_primitive_desc_create(
            pd, engine, b->alg, b->src0.md, b->src1.md, b->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static double scale_of(const struct scaled *s, int i)
{
    const dnnl_dims_t first = {0};
    return s->masks[i] < 0 ? 1.0 : reference_at(&s->scales[i].view, first);
}

static struct reference_value expected_scaled(
        const void *user, const dnnl_dims_t place)
{
    const struct scaled *s = user;
    double a = read_f32(&s->b.src0, place) * scale_of(s, 0);
    double b = read_f32(&s->b.src1, place) * scale_of(s, 1);
    struct reference_value v = reference_binary(s->b.alg, a, b);
    /* Both products are rounded. */
    v.tolerance += (double)FLT_EPSILON * (fabs(a) + fabs(b));
    return v;
}

static void init_scaled(struct scaled *s, dnnl_alg_kind_t alg, int first_mask,
        int second_mask, uint64_t *seed)
{
    static const double scales[] = {0.7, -3.0};
    init_vector(&s->b, 1031, alg);
    randomize(&s->b, seed, 10.0);
    s->masks[0] = first_mask;
    s->masks[1] = second_mask;
    for (int i = 0; i < 2; i++) {
        tensor_init(&s->scales[i], dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
        tensor_set(&s->scales[i], &scales[i], 1);
    }
}

static void fini_scaled(struct scaled *s)
{
    fini(&s->b);
    tensor_fini(&s->scales[0]);
    tensor_fini(&s->scales[1]);
}

TEST_C(Binary, ScalesItsSources)
{
    uint64_t seed = test_seed();
    for (int i = 1; i < 4; i++) {
        struct scaled s;
        struct run_argument args[5];
        int n = 0;
        init_scaled(&s, dnnl_binary_sub, (i & 1) - 1, (i >> 1) - 1, &seed);
        args[n++] = (struct run_argument){DNNL_ARG_SRC_0, &s.b.src0};
        args[n++] = (struct run_argument){DNNL_ARG_SRC_1, &s.b.src1};
        args[n++] = (struct run_argument){DNNL_ARG_DST, &s.b.dst};
        for (int j = 0; j < 2; j++)
            if (s.masks[j] >= 0)
                args[n++] = (struct run_argument){
                        DNNL_ARG_ATTR_SCALES | (DNNL_ARG_SRC_0 + j),
                        &s.scales[j]};
        run_and_expect(describe_scaled, expected_scaled, &s, args, n);
        fini_scaled(&s);
    }
}

TEST_C(Binary, HasOneScaleASource)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 2; i++) {
        struct scaled s;
        dnnl_primitive_desc_t pd = NULL;
        init_scaled(&s, dnnl_binary_add, i == 0 ? 1 : 0, i == 1 ? 1 : 0, &seed);
        EXPECT_STATUS(
                dnnl_unimplemented, describe_scaled(&pd, test_engine(), &s));
        fini_scaled(&s);
    }
}

/* ---- Conditions ---------------------------------------------------------- */

struct select {
    struct binary b;
    struct tensor condition;
};

static dnnl_status_t describe_select(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct select *s = user;
    return dnnl_binary_primitive_desc_create_v2(pd, engine, dnnl_binary_select,
            s->b.src0.md, s->b.src1.md, s->condition.md, s->b.dst.md, NULL);
}

static struct reference_value expected_select(
        const void *user, const dnnl_dims_t place)
{
    const struct select *s = user;
    bool is_first = reference_at(&s->condition.view, place) != 0.0;
    const struct tensor *src = is_first ? &s->b.src0 : &s->b.src1;
    return (struct reference_value){read_f32(src, place), 0.0};
}

TEST_C(Binary, SelectsBetweenItsSources)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 40 && !test_has_failed(); i++) {
        struct select s;
        dnnl_dims_t dims;
        int ndims = 1 + i % 5;
        init_random(&s.b, ndims, &seed);
        for (int d = 0; d < ndims; d++)
            dims[d] = random_below(&seed, 3) == 0 ? 1 : s.b.dst.view.dims[d];
        tensor_init_random(&s.condition, dnnl_s8, ndims, dims, &seed);
        tensor_randomize(&s.condition, &seed, -1.4, 1.4);
        const struct run_argument args[] = {{DNNL_ARG_SRC_0, &s.b.src0},
                {DNNL_ARG_SRC_1, &s.b.src1}, {DNNL_ARG_SRC_2, &s.condition},
                {DNNL_ARG_DST, &s.b.dst}};
        run_and_expect(describe_select, expected_select, &s, args, 4);
        tensor_fini(&s.condition);
        fini(&s.b);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(Binary, GivesTheLayoutOfTheFirstSourceForAny)
{
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims = {2, 3, 4, 5};
    dnnl_memory_desc_t src = tagged_md(4, dims, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_t any = tagged_md(4, dims, dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_binary_primitive_desc_create(
            &pd, test_engine(), dnnl_binary_max, src, any, any, NULL));
    EXPECT_DESC(src, pd, dnnl_query_exec_arg_md, DNNL_ARG_SRC_1);
    EXPECT_DESC(src, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src0, const_dnnl_memory_desc_t src1,
        const_dnnl_memory_desc_t dst)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_binary_primitive_desc_create(
            &out, engine, alg, src0, src1, dst, NULL);
    return tried(st, out);
}

TEST_C(Binary, RefusesWrongArguments)
{
    dnnl_engine_t e = test_engine();
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_alg_kind_t add = dnnl_binary_add;
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f32);
    dnnl_memory_desc_t row = plain_md(2, (dnnl_dims_t){1, 5}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t higher = plain_md(3, (dnnl_dims_t){1, 4, 5}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 5}, dnnl_f32, dnnl_format_tag_any);
    EXPECT_OK(try_call(e, add, md, row, any));
    EXPECT_OK(try_call(e, add, row, md, md));
    EXPECT_STATUS(wrong, try_call(NULL, add, md, md, md));
    EXPECT_STATUS(wrong, try_call(e, add, NULL, md, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, NULL, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, md, NULL));
    EXPECT_STATUS(wrong, try_call(e, add, empty, empty, empty));
    EXPECT_STATUS(wrong, try_call(e, add, md, empty, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, other, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, md, other));
    EXPECT_STATUS(wrong, try_call(e, add, md, md, row));
    EXPECT_STATUS(wrong, try_call(e, add, row, row, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, higher, md));
    EXPECT_STATUS(wrong, try_call(e, add, md, md, higher));
    EXPECT_STATUS(wrong, try_call(e, add, any, md, md));
    EXPECT_STATUS(wrong, try_call(e, dnnl_eltwise_exp, md, md, md));
    EXPECT_STATUS(wrong, try_call(e, dnnl_alg_kind_undef, md, md, md));
    EXPECT_STATUS(wrong, try_call(e, dnnl_binary_select, md, md, md));
    EXPECT_STATUS(wrong,
            dnnl_binary_primitive_desc_create(NULL, e, add, md, md, md, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(test_host(), add, md, md, md));
}

TEST_C(Binary, RefusesTypesAndLayoutsItHasNot)
{
    dnnl_engine_t e = test_engine();
    const dnnl_dims_t dims = {4, 5};
    const dnnl_alg_kind_t add = dnnl_binary_add;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, dims, dnnl_f64);
    dnnl_memory_desc_t huge =
            plain_md(2, (dnnl_dims_t){1 << 20, 1 << 20}, dnnl_f32);
    dnnl_memory_desc_t repeated =
            strided_md(2, dims, dnnl_f32, (dnnl_dims_t){0, 1});
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, add, wide, md, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, add, md, wide, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, add, md, md, wide));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, add, md, md, repeated));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, add, huge, huge, huge));
    EXPECT_OK(try_call(e, add, repeated, repeated, md));
}

static dnnl_status_t try_three(dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t src2,
        const_dnnl_memory_desc_t dst)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st = dnnl_binary_primitive_desc_create_v2(
            &pd, test_engine(), alg, src, src, src2, dst, NULL);
    dnnl_primitive_desc_destroy(pd);
    return st;
}

TEST_C(Binary, HasAThirdSourceToSelectOnly)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_alg_kind_t select = dnnl_binary_select;
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t bytes = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_s8);
    dnnl_memory_desc_t row = plain_md(2, (dnnl_dims_t){1, 5}, dnnl_s8);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){4, 2}, dnnl_s8);
    EXPECT_OK(try_three(dnnl_binary_mul, md, NULL, md));
    EXPECT_OK(try_three(dnnl_binary_mul, md, empty, md));
    EXPECT_OK(try_three(select, md, bytes, md));
    EXPECT_OK(try_three(select, md, row, md));
    EXPECT_STATUS(wrong, try_three(dnnl_binary_mul, md, bytes, md));
    EXPECT_STATUS(wrong, try_three(select, md, NULL, md));
    EXPECT_STATUS(wrong, try_three(select, md, other, md));
    EXPECT_STATUS(wrong, try_three(select, row, bytes, bytes));
    EXPECT_STATUS(dnnl_unimplemented, try_three(select, md, md, md));
}

/* ---- Cases of ONNX ------------------------------------------------------- */

static void check_onnx(const char *name, dnnl_alg_kind_t alg)
{
    char file[64];
    struct binary b;
    memset(&b, 0, sizeof b);
    snprintf(file, sizeof file, "%s_input_0", name);
    onnx_tensor_init(&b.src0, file);
    snprintf(file, sizeof file, "%s_input_1", name);
    onnx_tensor_init(&b.src1, file);
    snprintf(file, sizeof file, "%s_output_0", name);
    tensor_init_strided(
            &b.dst, dnnl_f32, b.src0.view.ndims, b.src0.view.dims, NULL);
    b.alg = alg;
    if (run(&b)) onnx_expect(&b.dst, file, 1e-6);
    fini(&b);
}

TEST_C(Binary, AgreesWithOnnx)
{
    check_onnx("operator_max", dnnl_binary_max);
    check_onnx("operator_min", dnnl_binary_min);
}
