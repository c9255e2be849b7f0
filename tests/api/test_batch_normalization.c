/* SPDX-License-Identifier: Apache-2.0 */
#include "normalizations.h"
#include "onnx_tensor.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void init(struct normalization *n, const struct normalization_case *c,
        uint64_t *seed)
{
    normalization_init(n, dnnl_batch_normalization, c, seed, NORMALIZATION_LOW,
            NORMALIZATION_HIGH);
}

static void check_all(const struct normalization_case *cases, size_t count)
{
    normalization_check_all(dnnl_batch_normalization, cases, count);
}

static const struct normalization_case image = {INFERENCE, SCALED | GIVEN, 0,
        dnnl_f32, dnnl_f32, 4, {2, 5, 7, 3}, dnnl_nchw, dnnl_nchw};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(BatchNormalization, TakesAllShapesWithStatistics)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 2, {17, 131},
                    dnnl_ab, dnnl_ab},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 2, {1, 1},
                    dnnl_ab, dnnl_ba},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 3, {2, 3, 257},
                    dnnl_abc, dnnl_abc},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 4, {2, 5, 7, 3},
                    dnnl_nchw, dnnl_nhwc},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 4, {3, 67, 5, 2},
                    dnnl_nhwc, dnnl_nhwc},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 4, {2, 3, 4, 5},
                    dnnl_cdba, dnnl_bacd},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 5,
                    {2, 3, 2, 3, 5}, dnnl_abcde, dnnl_acdeb},
            {TRAINING, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 3, {2, 3, 5},
                    dnnl_abc, dnnl_abc},
            {INFERENCE, SCALED | GIVEN, 0, dnnl_f32, dnnl_f32, 4, {0, 3, 5, 2},
                    dnnl_nchw, dnnl_nchw}};
    check_all(cases, COUNT(cases));
}

TEST_C(BatchNormalization, ComputesStatisticsOfAllShapes)
{
    static const struct normalization_case cases[] = {
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {131, 7}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 2, {1, 3}, dnnl_ab,
                    dnnl_ab},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 3, {2, 3, 65}, dnnl_abc,
                    dnnl_abc},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 4, {3, 5, 7, 3},
                    dnnl_nchw, dnnl_nhwc},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 4, {2, 3, 4, 5},
                    dnnl_cdba, dnnl_bacd},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 5, {2, 3, 2, 3, 5},
                    dnnl_acdeb, dnnl_abcde},
            {TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 3, {2, 0, 5}, dnnl_abc,
                    dnnl_abc}};
    check_all(cases, COUNT(cases));
}

TEST_C(BatchNormalization, TakesRandomShapes)
{
    normalization_check_random(dnnl_batch_normalization);
}

TEST_C(BatchNormalization, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    for (int is_given = 0; is_given < 2; is_given++) {
        struct normalization_case c = image;
        struct normalization n;
        c.prop_kind = TRAINING;
        c.flags = is_given ? SCALED | GIVEN : SCALED;
        init(&n, &c, &seed);
        tensor_fini(&n.src);
        tensor_fini(&n.dst);
        tensor_init_strided(
                &n.src, dnnl_f32, 4, c.dims, (dnnl_dims_t){200, 40, 5, 1});
        tensor_init_strided(
                &n.dst, dnnl_f32, 4, c.dims, (dnnl_dims_t){1, 2, 40, 11});
        tensor_randomize(&n.src, &seed, -3.0, 3.0);
        normalization_check(&n);
    }
}

TEST_C(BatchNormalization, WorksInPlace)
{
    static const unsigned flags[] = {SCALED, SCALED | GIVEN};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct normalization_case c = image;
        struct normalization n;
        c.prop_kind = TRAINING;
        c.flags = flags[i];
        init(&n, &c, &seed);
        normalization_run(&n, true);
        normalization_fini(&n);
    }
}

/* One program serves every shape and epsilon. */
TEST_C(BatchNormalization, SharesItsProgram)
{
    uint64_t seed = test_seed();
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    for (int i = 0; i < 2; i++) {
        struct normalization_case c = image;
        struct normalization n;
        c.dims[1] += i;
        init(&n, &c, &seed);
        n.epsilon *= (float)(i + 1);
        origin = test_created(normalization_describe, &n);
        normalization_fini(&n);
    }
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin);
}

/* ---- Types and flags ----------------------------------------------------- */

TEST_C(BatchNormalization, TakesEveryTypeAndFlag)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, 0, 0, dnnl_bf16, dnnl_bf16, 4, {2, 5, 7, 3}, dnnl_nchw,
                    dnnl_nchw},
            {TRAINING, dnnl_use_scale, 0, dnnl_f16, dnnl_f16, 4, {2, 5, 7, 3},
                    dnnl_nhwc, dnnl_nhwc},
            {INFERENCE, GIVEN | dnnl_use_shift, 0, dnnl_s8, dnnl_s8, 4,
                    {2, 5, 7, 3}, dnnl_nchw, dnnl_nchw},
            {INFERENCE, GIVEN | dnnl_fuse_norm_relu, 0, dnnl_f16, dnnl_f16, 4,
                    {2, 5, 7, 3}, dnnl_nchw, dnnl_nchw},
            {TRAINING, SCALED | dnnl_fuse_norm_relu, 0, dnnl_f32, dnnl_f32, 4,
                    {2, 5, 7, 3}, dnnl_nchw, dnnl_nhwc},
            {TRAINING, GIVEN | SCALED | dnnl_fuse_norm_relu, 0, dnnl_bf16,
                    dnnl_bf16, 4, {2, 5, 7, 3}, dnnl_nchw, dnnl_nchw},
            {TRAINING, SCALED | dnnl_fuse_norm_add_relu, 0, dnnl_f32, dnnl_f32,
                    4, {2, 5, 7, 3}, dnnl_nchw, dnnl_nchw},
            {INFERENCE, GIVEN | SCALED | dnnl_fuse_norm_add_relu, 0, dnnl_f32,
                    dnnl_f32, 4, {2, 5, 7, 3}, dnnl_nchw, dnnl_nhwc}};
    const uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases); i++)
        if (is_in_sample(i, seed)) check_all(&cases[i], 1);
}

TEST_C(BatchNormalization, TakesPostOps)
{
    static const unsigned flags[] = {SCALED, GIVEN | dnnl_fuse_norm_relu};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct normalization_case c = image;
        struct normalization n;
        c.flags = flags[i];
        init(&n, &c, &seed);
        n.chain = (struct chain){2, {{dnnl_eltwise_linear, 0.5f, -0.25f},
                                            {dnnl_eltwise_relu, 0.1f, 0.0f}}};
        normalization_check(&n);
    }
}

/* ---- Numbers ------------------------------------------------------------- */

/* The mean of squares less the square of the mean would be 0 here, or less. */
TEST_C(BatchNormalization, IsExactFarFromZero)
{
    static const struct normalization_case far = {TRAINING, SCALED, 0, dnnl_f32,
            dnnl_f32, 3, {2, 3, 65}, dnnl_abc, dnnl_abc};
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &far, &seed);
    tensor_randomize(&n.src, &seed, 50000.0, 50001.0);
    normalization_check(&n);
}

TEST_C(BatchNormalization, TakesConstantChannels)
{
    static const struct normalization_case constant = {TRAINING, SCALED, 0,
            dnnl_f32, dnnl_f32, 3, {2, 3, 65}, dnnl_abc, dnnl_abc};
    static const double values[] = {0.1};
    uint64_t seed = test_seed();
    struct normalization n;
    init(&n, &constant, &seed);
    tensor_set(&n.src, values, COUNT(values));
    normalization_check(&n);
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(BatchNormalization, DescribesItsTensors)
{
    uint64_t seed = test_seed();
    struct normalization_case c = image;
    struct normalization n;
    dnnl_primitive_desc_t pd = NULL;
    int inputs = 0;
    int outputs = 0;
    c.prop_kind = TRAINING;
    c.flags = SCALED | dnnl_fuse_norm_relu;
    init(&n, &c, &seed);
    dnnl_memory_desc_t chosen = n.dst.md;
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &n.dst.md, 4, c.dims, dnnl_f32, dnnl_format_tag_any));
    ASSERT_OK(normalization_describe(&pd, test_engine(), &n));
    EXPECT_DESC(chosen, pd, dnnl_query_dst_md, 0);
    EXPECT_DESC(n.workspace.md, pd, dnnl_query_workspace_md, 0);
    EXPECT_DESC(n.mean.md, pd, dnnl_query_exec_arg_md, DNNL_ARG_MEAN);
    EXPECT_DESC(n.shift.md, pd, dnnl_query_exec_arg_md, DNNL_ARG_SHIFT);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_num_of_inputs_s32, 0, &inputs));
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_num_of_outputs_s32, 0, &outputs));
    EXPECT_EQ(3, inputs);
    EXPECT_EQ(4, outputs);
    EXPECT_EQ(3,
            dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0));
    EXPECT_EQ(4, dnnl_primitive_desc_query_s32(
                         pd, dnnl_query_num_of_outputs_s32, 0));
    EXPECT_EQ(0, dnnl_primitive_desc_query_s32(pd, dnnl_query_flags, 0));
    EXPECT_EQ(0, dnnl_primitive_desc_query_s32(
                         NULL, dnnl_query_num_of_inputs_s32, 0));
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(chosen);
    normalization_fini(&n);
}

TEST_C(BatchNormalization, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    uint64_t seed = test_seed();
    struct normalization good;
    struct normalization n;
    dnnl_memory_desc_t six =
            plain_md(6, (dnnl_dims_t){1, 2, 1, 1, 1, 1}, dnnl_f32);
    init(&good, &image, &seed);
    EXPECT_OK(normalization_try(&good));
    dnnl_memory_desc_t any =
            tagged_md(4, image.dims, dnnl_f32, dnnl_format_tag_any);
#define REFUSES(status, change) \
    n = good;                   \
    change;                     \
    EXPECT_STATUS(status, normalization_try(&n))
    REFUSES(wrong, n.prop_kind = dnnl_backward);
    REFUSES(wrong, n.flags = 0x20);
    REFUSES(wrong, n.flags = dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
    REFUSES(wrong, n.src.md = any);
    REFUSES(wrong, n.src.md = n.mean.md; n.dst.md = n.mean.md);
    REFUSES(wrong, n.dst.md = n.mean.md);
    REFUSES(wrong, n.src.md = six; n.dst.md = six);
#undef REFUSES
    normalization_fini(&good);
}

TEST_C(BatchNormalization, RefusesTypesItHasNot)
{
    static const struct normalization_case cases[] = {
            {INFERENCE, 0, 0, dnnl_s8, dnnl_s8, 2, {2, 3}, dnnl_ab, dnnl_ab},
            {TRAINING, GIVEN, 0, dnnl_s8, dnnl_s8, 2, {2, 3}, dnnl_ab, dnnl_ab},
            {INFERENCE, GIVEN, 0, dnnl_u8, dnnl_u8, 2, {2, 3}, dnnl_ab,
                    dnnl_ab},
            {INFERENCE, GIVEN, 0, dnnl_f32, dnnl_bf16, 2, {2, 3}, dnnl_ab,
                    dnnl_ab},
            {INFERENCE, GIVEN, 0, dnnl_s32, dnnl_s32, 2, {2, 3}, dnnl_ab,
                    dnnl_ab}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct normalization n;
        init(&n, &cases[i], &seed);
        EXPECT_STATUS(dnnl_unimplemented, normalization_try(&n));
        normalization_fini(&n);
    }
}

TEST_C(BatchNormalization, RefusesUnknownSizes)
{
    uint64_t seed = test_seed();
    struct normalization good;
    struct normalization n;
    dnnl_memory_desc_t unknown = tagged_md(4,
            (dnnl_dims_t){2, 5, DNNL_RUNTIME_DIM_VAL, 3}, dnnl_f32, dnnl_nchw);
    init(&good, &image, &seed);
    n = good;
    n.src.md = unknown;
    n.dst.md = unknown;
    EXPECT_STATUS(dnnl_unimplemented, normalization_try(&n));
    normalization_fini(&good);
}

/* ---- Cases of ONNX ------------------------------------------------------- */

static void load(struct tensor *t, const char *name, const char *part)
{
    char file[64];
    (void)snprintf(file, sizeof file, "%s_%s", name, part);
    tensor_fini(t);
    onnx_tensor_init(t, file);
}

static void check_onnx(
        const char *name, const struct normalization_case *c, float epsilon)
{
    uint64_t seed = 1;
    struct normalization n;
    char file[64];
    init(&n, c, &seed);
    n.epsilon = epsilon;
    load(&n.src, name, "input_0");
    load(&n.scale, name, "scale");
    load(&n.shift, name, "B");
    load(&n.mean, name, "mean");
    load(&n.variance, name, "var");
    normalization_run(&n, false);
    (void)snprintf(file, sizeof file, "%s_output_0", name);
    /* Both sides compute in f32, in some order. */
    onnx_expect(&n.dst, file, 1e-5);
    normalization_fini(&n);
}

TEST_C(BatchNormalization, AgreesWithOnnx)
{
    static const struct normalization_case line = {INFERENCE, SCALED | GIVEN, 0,
            dnnl_f32, dnnl_f32, 3, {4, 5, 3}, dnnl_abc, dnnl_abc};
    static const struct normalization_case plane = {INFERENCE, SCALED | GIVEN,
            0, dnnl_f32, dnnl_f32, 4, {2, 3, 6, 6}, dnnl_abcd, dnnl_abcd};
    static const struct normalization_case cube = {INFERENCE, SCALED | GIVEN, 0,
            dnnl_f32, dnnl_f32, 5, {2, 3, 4, 4, 4}, dnnl_abcde, dnnl_abcde};
    check_onnx("BatchNorm1d_3d_input_eval", &line, 1e-5f);
    check_onnx("BatchNorm2d_momentum_eval", &plane, 1e-3f);
    check_onnx("BatchNorm3d_momentum_eval", &cube, 1e-3f);
}
