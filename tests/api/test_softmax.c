/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct softmax {
    struct tensor src, dst;
    dnnl_alg_kind_t alg;
    int axis;
    struct chain chain;
    struct tensor src_scale, dst_scale; /* none if there is no descriptor */
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct softmax *s = user;
    dnnl_primitive_attr_t attr = chain_attr(&s->chain);
    if (attr == NULL) EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (s->src_scale.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    if (s->dst_scale.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    dnnl_status_t st = dnnl_softmax_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, s->alg, s->src.md, s->dst.md, s->axis,
            attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct softmax *s = user;
    const double eps = (double)FLT_EPSILON;
    struct reference_value v =
            reference_softmax(&s->src.view, s->alg, s->axis, place);
    double scale = 1.0;
    if (s->src_scale.md != NULL) scale = reference_read(&s->src_scale.view, 0);
    v.value *= scale;
    if (s->src_scale.md != NULL)
        v.tolerance = v.tolerance * fabs(scale) + eps * fabs(v.value);
    v = chain_apply(&s->chain, v);
    if (s->dst_scale.md == NULL) return v;
    scale = reference_read(&s->dst_scale.view, 0);
    v.value /= scale;
    v.tolerance = v.tolerance / fabs(scale) + 3.0 * eps * fabs(v.value);
    return v;
}

static bool run(struct softmax *s)
{
    struct run_argument args[4] = {
            {DNNL_ARG_SRC, &s->src}, {DNNL_ARG_DST, &s->dst}};
    int count = 2;
    if (s->src_scale.md != NULL)
        args[count++] = (struct run_argument){
                DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, &s->src_scale};
    if (s->dst_scale.md != NULL)
        args[count++] = (struct run_argument){
                DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, &s->dst_scale};
    return run_twice(describe, s, args, count);
}

static void fini(struct softmax *s)
{
    tensor_fini(&s->src);
    tensor_fini(&s->dst);
    tensor_fini(&s->src_scale);
    tensor_fini(&s->dst_scale);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct softmax *s)
{
    if (run(s)) expect_tensor(&s->dst, expected, s);
    fini(s);
}

static void init_matrix(struct softmax *s, dnnl_data_type_t src,
        dnnl_data_type_t dst, dnnl_dim_t lines, dnnl_dim_t length)
{
    const dnnl_dims_t dims = {lines, length};
    memset(s, 0, sizeof *s);
    tensor_init(&s->src, src, 2, dims, dnnl_ab);
    tensor_init(&s->dst, dst, 2, dims, dnnl_ab);
    s->alg = dnnl_softmax_accurate;
    s->axis = 1;
}

/* ---- Types and algorithms ------------------------------------------------ */

struct typed_case {
    dnnl_data_type_t src, dst;
    dnnl_alg_kind_t alg;
    struct chain chain;
};

/* Each type is read and written, each algorithm compiled; what becomes an
 * integer is first spread over its range. */
TEST_C(Softmax, TakesEveryTypeAndAlgorithm)
{
    static const struct typed_case cases[] = {
            {dnnl_f32, dnnl_f32, dnnl_softmax_accurate, {0}},
            {dnnl_f32, dnnl_f32, dnnl_softmax_log, {0}},
            {dnnl_f16, dnnl_f16, dnnl_softmax_log, {0}},
            {dnnl_bf16, dnnl_bf16, dnnl_softmax_accurate, {0}},
            {dnnl_s8, dnnl_f32, dnnl_softmax_accurate, {0}},
            {dnnl_u8, dnnl_bf16, dnnl_softmax_log, {0}},
            {dnnl_bf16, dnnl_u8, dnnl_softmax_accurate,
                    {1, {{dnnl_eltwise_linear, 1000.0f, -1.0f}}}},
            {dnnl_f16, dnnl_s8, dnnl_softmax_log,
                    {2, {{dnnl_eltwise_linear, 7.0f, 20.0f},
                                {dnnl_eltwise_relu, 0.5f, 0.0f}}}}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct softmax s;
        if (!with_half && (c->src == dnnl_f16 || c->dst == dnnl_f16)) continue;
        if (!is_in_sample(i, first)) continue;
        init_matrix(&s, c->src, c->dst, 7, 101);
        s.alg = c->alg;
        s.chain = c->chain;
        tensor_randomize(&s.src, &seed, -9.0, 9.0);
        check(&s);
    }
}

static void set_scale(struct tensor *scale, double value)
{
    tensor_init(scale, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_set(scale, &value, 1);
}

/* Results of a softmax are up to 1: the scales spread them over the type. */
static void check_bytes(dnnl_data_type_t src, dnnl_data_type_t dst,
        dnnl_alg_kind_t alg, double src_scale, double dst_scale)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 6 && !test_has_failed(); i++) {
        struct softmax s;
        dnnl_dims_t dims;
        memset(&s, 0, sizeof s);
        for (int d = 0; d < 3; d++)
            dims[d] = 1 + random_below(&seed, 19);
        tensor_init_random(&s.src, src, 3, dims, &seed);
        tensor_init_random(&s.dst, dst, 3, dims, &seed);
        s.alg = alg;
        s.axis = i % 3;
        set_scale(&s.src_scale, src_scale);
        set_scale(&s.dst_scale, dst_scale);
        tensor_randomize(&s.src, &seed, src == dnnl_u8 ? 120.0 : -3.0,
                src == dnnl_u8 ? 125.0 : 3.0);
        check(&s);
    }
}

TEST_C(Softmax, TakesBytesAndScales)
{
    check_bytes(dnnl_s8, dnnl_u8, dnnl_softmax_accurate, 0.5, 0.5 / 255.0);
}

TEST_C(Softmax, TakesMoreBytesAndScales)
{
    check_bytes(dnnl_u8, dnnl_s8, dnnl_softmax_log, -2.0, 0.25);
    check_bytes(dnnl_u8, dnnl_u8, dnnl_softmax_accurate, 1.5, 0.0078125);
}

/* The whole range of a type in one line. */
TEST_C(Softmax, TakesEveryByte)
{
    struct softmax s;
    double values[256];
    for (int i = 0; i < 256; i++)
        values[i] = i - 128;
    init_matrix(&s, dnnl_s8, dnnl_u8, 1, 256);
    set_scale(&s.src_scale, 1.0);
    set_scale(&s.dst_scale, 0.00390625);
    tensor_set(&s.src, values, 256);
    check(&s);
}

/* One program serves every shape, of lines of neighbours and of others. */
TEST_C(Softmax, SharesItsProgram)
{
    struct softmax s;
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < 2; i++) {
            init_matrix(&s, dnnl_f32, dnnl_f32, 3 + i, 41 * (i + 1));
            s.axis = axis;
            origin = test_created(describe, &s);
            fini(&s);
        }
        EXPECT_EQ(dnnl_cache_origin_memory_hit, origin);
    }
}

/* ---- Numbers ------------------------------------------------------------- */

TEST_C(Softmax, OverflowsForNoFiniteNumber)
{
    /* Lines of eight: sums that overflow or vanish without the maximum taken
     * off, one that towers, differences beyond the range of exp. */
    static const double values[] = {88.0, 89.0, 90.0, 100.0, 88.5, 99.5, 1.0,
            0.0, -100.0, -101.0, -99.0, -120.0, -100.5, -103.0, -104.0, -200.0,
            3e38, -3e38, 0.0, 1.0, 3e38, -1.0, 1e30, -1e30, 1e5, 99999.0,
            1e5 - 80.0, 1e5 - 87.5, 1e5 - 90.0, 1e5 - 103.0, 1e5 - 104.0, 0.0,
            -0.0, 0.0, 1e-40, -1e-40, 1e-30, 0.0, 0.0, 0.0};
    struct softmax s;
    for (int log = 0; log < 2; log++) {
        init_matrix(&s, dnnl_f32, dnnl_f32, COUNT(values) / 8, 8);
        if (log) s.alg = dnnl_softmax_log;
        tensor_set(&s.src, values, COUNT(values));
        check(&s);
    }
}

TEST_C(Softmax, TakesMinusInfinityForNothing)
{
    static const double values[] = {-INFINITY, 1.0, 2.0, -INFINITY};
    struct softmax s;
    for (int log = 0; log < 2; log++) {
        init_matrix(&s, dnnl_f32, dnnl_f32, 3, COUNT(values));
        if (log) s.alg = dnnl_softmax_log;
        tensor_set(&s.src, values, COUNT(values));
        check(&s);
    }
}

TEST_C(Softmax, MakesNotANumberOfLinesWithoutASum)
{
    /* Each line of four on its own; the last is untouched by the others. */
    static const double values[] = {NAN, 1.0, 2.0, 3.0, INFINITY, 1.0, 2.0, 3.0,
            -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0.0, 1.0, 2.0, 3.0};
    struct softmax s;
    for (int log = 0; log < 2; log++) {
        init_matrix(&s, dnnl_f32, dnnl_f32, COUNT(values) / 4, 4);
        if (log) s.alg = dnnl_softmax_log;
        tensor_set(&s.src, values, COUNT(values));
        check(&s);
    }
}

/* On CPUs a line of neighbours is read by vectors of sixteen. */
TEST_C(Softmax, TakesSpecialNumbersInLongLines)
{
    enum { LINES = 5, LENGTH = 41 };
    for (int log = 0; log < 2; log++) {
        double values[LINES][LENGTH];
        struct softmax s;
        for (int i = 0; i < LINES; i++)
            for (int j = 0; j < LENGTH; j++)
                values[i][j] = i == 3 ? -INFINITY : 0.25 * (j % 19) - 2.0;
        for (int j = 0; j < 20; j++)
            values[0][j] = -INFINITY; /* a vector of nothing else */
        values[1][17] = NAN;
        values[2][40] = INFINITY; /* in the last vector, which is not full */
        values[4][40] = 60.0;
        init_matrix(&s, dnnl_f32, dnnl_f32, LINES, LENGTH);
        if (log) s.alg = dnnl_softmax_log;
        tensor_set(&s.src, values[0], LINES * LENGTH);
        check(&s);
    }
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Softmax, TakesAllLengths)
{
    static const dnnl_dim_t shapes[][2] = {{1, 1}, {5, 1}, {3, 2}, {1, 15},
            {7, 16}, {2, 17}, {131, 31}, {3, 127}, {2, 128}, {3, 129},
            {2, 1031}, {1, 4001}, {4099, 3}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes) && !test_has_failed(); i++) {
        struct softmax s;
        init_matrix(&s, dnnl_f32, dnnl_f32, shapes[i][0], shapes[i][1]);
        tensor_randomize(&s.src, &seed, -5.0, 5.0);
        check(&s);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "%lld lines of %lld",
                    (long long)shapes[i][0], (long long)shapes[i][1]);
    }
}

TEST_C(Softmax, TakesEveryAxisOfEveryLayout)
{
    static const dnnl_format_tag_t tags[][2] = {{dnnl_nchw, dnnl_nchw},
            {dnnl_nchw, dnnl_nhwc}, {dnnl_cdba, dnnl_bacd}};
    const dnnl_dims_t dims = {3, 5, 7, 4};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 4 * COUNT(tags) && !test_has_failed(); i++) {
        struct softmax s;
        memset(&s, 0, sizeof s);
        tensor_init(&s.src, dnnl_f32, 4, dims, tags[i / 4][0]);
        tensor_init(&s.dst, dnnl_f32, 4, dims, tags[i / 4][1]);
        s.alg = dnnl_softmax_accurate;
        s.axis = (int)(i % 4);
        tensor_randomize(&s.src, &seed, -5.0, 5.0);
        check(&s);
    }
}

TEST_C(Softmax, TakesAVector)
{
    uint64_t seed = test_seed();
    struct softmax s;
    memset(&s, 0, sizeof s);
    tensor_init(&s.src, dnnl_f32, 1, (dnnl_dims_t){257}, dnnl_a);
    tensor_init_strided(
            &s.dst, dnnl_f32, 1, (dnnl_dims_t){257}, (dnnl_dims_t){3});
    s.alg = dnnl_softmax_log;
    tensor_randomize(&s.src, &seed, -5.0, 5.0);
    check(&s);
}

TEST_C(Softmax, LeavesGapsAlone)
{
    const dnnl_dims_t dims = {3, 4, 5};
    uint64_t seed = test_seed();
    for (int axis = 0; axis < 3; axis++) {
        struct softmax s;
        memset(&s, 0, sizeof s);
        /* The src repeats its first dimension. */
        tensor_init_strided(&s.src, dnnl_f32, 3, dims, (dnnl_dims_t){0, 10, 2});
        tensor_init_strided(&s.dst, dnnl_f32, 3, dims, (dnnl_dims_t){1, 30, 6});
        s.alg = dnnl_softmax_accurate;
        s.axis = axis;
        tensor_randomize(&s.src, &seed, -5.0, 5.0);
        check(&s);
    }
}

TEST_C(Softmax, TakesTwelveDimensionsThatDoNotMerge)
{
    const dnnl_dims_t dims = {2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2};
    uint64_t seed = test_seed();
    struct softmax s;
    memset(&s, 0, sizeof s);
    /* Every dimension of src and dst runs the other way. */
    tensor_init_strided(&s.src, dnnl_f32, 12, dims,
            (dnnl_dims_t){1, 2, 4, 8, 8, 16, 32, 64, 64, 128, 256, 512});
    tensor_init(&s.dst, dnnl_f32, 12, dims, dnnl_abcdefghijkl);
    s.alg = dnnl_softmax_accurate;
    s.axis = 5;
    tensor_randomize(&s.src, &seed, -5.0, 5.0);
    check(&s);
}

TEST_C(Softmax, LeavesAnEmptyTensorAlone)
{
    struct softmax s;
    init_matrix(&s, dnnl_f32, dnnl_f32, 0, 5);
    check(&s);
    init_matrix(&s, dnnl_f32, dnnl_f32, 5, 0);
    check(&s);
}

TEST_C(Softmax, WorksInPlace)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++) {
        struct softmax s;
        struct tensor both;
        init_matrix(&s, types[i], types[i], 13, 67);
        tensor_init(&both, types[i], 2, (dnnl_dims_t){13, 67}, dnnl_ab);
        tensor_randomize(&s.src, &seed, -5.0, 5.0);
        memcpy(both.bytes, s.src.bytes, both.size);
        const struct run_argument args[] = {
                {DNNL_ARG_SRC, &both}, {DNNL_ARG_DST, &both}};
        run_and_expect(describe, expected, &s, args, 2);
        tensor_fini(&both);
        fini(&s);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(Softmax, AnswersQueries)
{
    dnnl_primitive_desc_t pd;
    const dnnl_dims_t dims = {2, 3, 4, 5};
    int axis = -1;
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg;
    float alpha;
    dnnl_memory_desc_t src = tagged_md(4, dims, dnnl_bf16, dnnl_nhwc);
    dnnl_memory_desc_t dst = tagged_md(4, dims, dnnl_bf16, dnnl_format_tag_any);
    ASSERT_OK(dnnl_softmax_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_training, dnnl_softmax_log, src, dst, 2, NULL));
    EXPECT_DESC(src, pd, dnnl_query_dst_md, 0);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_axis_s32, 0, &axis));
    EXPECT_EQ(2, axis);
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind));
    EXPECT_EQ(dnnl_forward_training, prop_kind);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_alg_kind, 0, &alg));
    EXPECT_EQ(dnnl_softmax_log, alg);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_primitive_desc_query(pd, dnnl_query_alpha_f32, 0, &alpha));
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, int axis)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_softmax_forward_primitive_desc_create(
            &out, engine, prop_kind, alg, src, dst, axis, NULL);
    return tried(st, out);
}

TEST_C(Softmax, RefusesWrongArguments)
{
    dnnl_engine_t engine = test_engine();
    dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_alg_kind_t alg = dnnl_softmax_accurate;
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t higher = plain_md(3, (dnnl_dims_t){1, 4, 5}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 5}, dnnl_f32, dnnl_format_tag_any);
    EXPECT_OK(try_call(engine, kind, alg, md, any, 1));
    EXPECT_STATUS(wrong, try_call(NULL, kind, alg, md, md, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, NULL, md, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, NULL, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, empty, empty, 0));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, empty, 0));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, md, -1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, md, 2));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, other, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, md, higher, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, alg, any, md, 1));
    EXPECT_STATUS(wrong, try_call(engine, dnnl_backward, alg, md, md, 1));
    EXPECT_STATUS(wrong, try_call(engine, kind, dnnl_eltwise_exp, md, md, 1));
    EXPECT_STATUS(
            wrong, try_call(engine, kind, dnnl_alg_kind_undef, md, md, 1));
    EXPECT_STATUS(wrong, dnnl_softmax_forward_primitive_desc_create(
                                 NULL, engine, kind, alg, md, md, 1, NULL));
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(test_host(), kind, alg, md, md, 1));
}

TEST_C(Softmax, RefusesTypesAndLayoutsItHasNot)
{
    static const dnnl_data_type_t pairs[][2] = {{dnnl_s32, dnnl_f32},
            {dnnl_f32, dnnl_s32}, {dnnl_f64, dnnl_f64}, {dnnl_f32, dnnl_f64}};
    dnnl_engine_t engine = test_engine();
    dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_alg_kind_t alg = dnnl_softmax_accurate;
    const dnnl_dims_t dims = {4, 5};
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t repeated =
            strided_md(2, dims, dnnl_f32, (dnnl_dims_t){0, 1});
    for (size_t i = 0; i < COUNT(pairs); i++) {
        dnnl_memory_desc_t src = plain_md(2, dims, pairs[i][0]);
        dnnl_memory_desc_t dst = plain_md(2, dims, pairs[i][1]);
        EXPECT_STATUS(
                dnnl_unimplemented, try_call(engine, kind, alg, src, dst, 1));
    }
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(engine, kind, alg, md, repeated, 1));
    EXPECT_OK(try_call(engine, kind, alg, repeated, md, 1));
}

/* ---- Cases of ONNX ------------------------------------------------------- */

static void check_onnx(
        const char *input, const char *output, dnnl_alg_kind_t alg)
{
    struct softmax s;
    memset(&s, 0, sizeof s);
    onnx_tensor_init(&s.src, input);
    tensor_init_strided(
            &s.dst, dnnl_f32, s.src.view.ndims, s.src.view.dims, NULL);
    s.alg = alg;
    s.axis = s.src.view.ndims - 1;
    /* Both sides compute in f32, with some ulp of exp, log and 128 terms. */
    if (run(&s)) onnx_expect(&s.dst, output, 1e-5);
    fini(&s);
}

TEST_C(Softmax, AgreesWithOnnx)
{
    check_onnx("softmax_lastdim_input_0", "softmax_lastdim_output_0",
            dnnl_softmax_accurate);
    check_onnx("log_softmax_lastdim_input_0", "log_softmax_lastdim_output_0",
            dnnl_softmax_log);
}
