/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives of tensors in blocks: results are those of plain tensors, bit for
 * bit, and padding is 0. What plain tensors give, other tests hold against
 * references. */
#include "blocked_tensor.h"
#include "run_primitive.h"
#include "test.h"
#include "test_platform.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };

/* A tensor of a problem; arg 0 ends a list. */
struct operand {
    int arg;
    dnnl_data_type_t type;
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t tag;
    bool is_output;
};

/* What is run: tensors, and a call that describes the primitive of their
 * descriptors, in that order. */
struct problem {
    const char *name;
    struct operand operands[MOST];
    dnnl_status_t (*describe)(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
            const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr);
    dnnl_primitive_attr_t (*attr)(const dnnl_memory_desc_t *md); /* or NULL */
};

/* A problem, with tensors in the layouts that it names or in plain ones. */
struct setup {
    const struct problem *problem;
    struct blocked_tensor tensors[MOST];
    dnnl_memory_desc_t md[MOST];
    int count;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct setup *s = user;
    dnnl_primitive_attr_t attr =
            s->problem->attr != NULL ? s->problem->attr(s->md) : NULL;
    dnnl_status_t st = s->problem->describe(pd, engine, s->md, attr);
    if (attr != NULL) EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    return st;
}

static dnnl_format_tag_t plain_tag(int ndims)
{
    static const dnnl_format_tag_t tags[] = {dnnl_format_tag_undef, dnnl_a,
            dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    return tags[ndims];
}

static void setup_init(
        struct setup *s, const struct problem *problem, bool is_plain)
{
    memset(s, 0, sizeof *s);
    s->problem = problem;
    while (s->count < MOST && problem->operands[s->count].arg != 0) {
        const struct operand *o = &problem->operands[s->count];
        struct blocked_tensor *t = &s->tensors[s->count];
        blocked_tensor_init(t, o->type, o->ndims, o->dims,
                is_plain ? plain_tag(o->ndims) : o->tag);
        s->md[s->count++] = t->tensor.md;
    }
}

static void setup_fini(struct setup *s)
{
    for (int i = 0; i < s->count; i++)
        tensor_fini(&s->tensors[i].tensor);
}

/* Gives elements of the blocked tensor the plain one's numbers. */
static void move(const struct operand *o, const struct blocked_tensor *plain,
        struct blocked_tensor *blocked)
{
    const size_t size = dnnl_data_type_size(o->type);
    for (dnnl_dim_t i = 0; i < tag_loops_size(&blocked->loops); i++) {
        dnnl_dims_t place;
        tag_loops_place(&blocked->loops, i, place);
        if (!blocked_tensor_is_inside(blocked, o->dims, place)) continue;
        const size_t from = (size_t)tag_loops_offset(&plain->loops, place);
        memcpy(blocked->tensor.bytes + (size_t)i * size,
                plain->tensor.bytes + from * size, size);
    }
}

/* The result: the same numbers, and zeros in the padding. */
static void expect_moved(const struct problem *problem, const struct operand *o,
        const struct blocked_tensor *plain,
        const struct blocked_tensor *blocked)
{
    const size_t size = dnnl_data_type_size(o->type);
    static const unsigned char zeros[8];
    for (dnnl_dim_t i = 0; i < tag_loops_size(&blocked->loops); i++) {
        dnnl_dims_t place;
        const unsigned char *expected = zeros;
        tag_loops_place(&blocked->loops, i, place);
        if (blocked_tensor_is_inside(blocked, o->dims, place))
            expected = plain->tensor.bytes
                       + (size_t)tag_loops_offset(&plain->loops, place) * size;
        if (memcmp(expected, blocked->tensor.bytes + (size_t)i * size, size)
                == 0)
            continue;
        test_fail(__FILE__, __LINE__, "%s: output %d: element at %lld is %.9g",
                problem->name, o->arg, (long long)i,
                reference_read(&blocked->tensor.view, i));
        return;
    }
}

static int fill_arguments(struct setup *s, struct run_argument *args)
{
    for (int i = 0; i < s->count; i++)
        args[i] = (struct run_argument){
                s->problem->operands[i].arg, &s->tensors[i].tensor};
    return s->count;
}

/* Runs both, for each of the outputs. */
static void check(const struct problem *problem, uint64_t *seed)
{
    struct setup plain;
    struct setup blocked;
    struct run_argument args[MOST];
    setup_init(&plain, problem, true);
    setup_init(&blocked, problem, false);
    for (int i = 0; i < plain.count; i++) {
        /* Padding stays a gap: nobody may read it. */
        tensor_randomize(&plain.tensors[i].tensor, seed, 1.0, 9.0);
        move(&problem->operands[i], &plain.tensors[i], &blocked.tensors[i]);
    }
    for (int i = 0; i < plain.count && !test_has_failed(); i++) {
        const struct operand *o = &problem->operands[i];
        if (!o->is_output) continue;
        bool done = run_twice_for(o->arg, describe, &plain, args,
                            fill_arguments(&plain, args))
                    && run_twice_for(o->arg, describe, &blocked, args,
                            fill_arguments(&blocked, args));
        if (done)
            expect_moved(problem, o, &plain.tensors[i], &blocked.tensors[i]);
        else
            test_fail(__FILE__, __LINE__, "%s cannot be run", problem->name);
    }
    setup_fini(&plain);
    setup_fini(&blocked);
}

static void check_all(const struct problem *problems, size_t count)
{
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    for (size_t i = 0; i < count && !test_has_failed(); i++)
        if (is_in_sample(i, first)) check(&problems[i], &seed);
}

/* ---- Element by element -------------------------------------------------- */

static dnnl_status_t relu(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_linear, md[0], md[1], -1.5f,
            4.0f, attr);
}

static dnnl_status_t add(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_binary_primitive_desc_create(
            pd, engine, dnnl_binary_sub, md[0], md[1], md[2], attr);
}

static dnnl_status_t prelu(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_prelu_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md[0], md[1], md[2], attr);
}

static dnnl_status_t sum(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    const float scales[] = {2.0f, -1.0f};
    const_dnnl_memory_desc_t srcs[] = {md[0], md[1]};
    return dnnl_sum_primitive_desc_create(
            pd, engine, md[2], 2, scales, srcs, attr);
}

static dnnl_status_t concat(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    const_dnnl_memory_desc_t srcs[] = {md[0], md[1]};
    return dnnl_concat_primitive_desc_create(
            pd, engine, md[2], 2, 1, srcs, attr);
}

static dnnl_status_t shuffle(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_shuffle_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md[0], md[1], 1, 3, attr);
}

static dnnl_primitive_attr_t attr_of(dnnl_post_ops_t ops)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_OK(dnnl_post_ops_destroy(ops));
    return attr;
}

/* dst, which the result is added to, and the last tensor. */
static dnnl_primitive_attr_t sum_and_add(const dnnl_memory_desc_t *md)
{
    dnnl_post_ops_t ops = NULL;
    int last = 0;
    while (md[last + 1] != NULL)
        last++;
    EXPECT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_post_ops_append_sum(ops, 0.5f, 0, dnnl_data_type_undef));
    EXPECT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, md[last]));
    return attr_of(ops);
}

static dnnl_status_t reorder(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_reorder_primitive_desc_create(
            pd, md[0], engine, md[1], engine, attr);
}

#define IMAGE 4, {2, 18, 3, 5}, dnnl_aBcd16b
#define POST_OP_1 (DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1)

TEST_C(BlockedLayouts, OfElements)
{
    static const struct problem problems[] = {
            {"eltwise",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    relu, NULL},
            {"binary",
                    {{DNNL_ARG_SRC_0, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_SRC_1, dnnl_f32, 4, {1, 18, 1, 1},
                                    dnnl_aBcd8b, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    add, NULL},
            {"prelu",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_WEIGHTS, dnnl_f32, 4, {1, 18, 1, 1},
                                    dnnl_aBcd16b, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    prelu, NULL},
            {"sum",
                    {{DNNL_ARG_MULTIPLE_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_MULTIPLE_SRC + 1, dnnl_f32, 4,
                                    {2, 18, 3, 5}, dnnl_abcd, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    sum, NULL},
            {"concat",
                    {{DNNL_ARG_MULTIPLE_SRC, dnnl_s8, IMAGE, false},
                            {DNNL_ARG_MULTIPLE_SRC + 1, dnnl_s8, 4,
                                    {2, 3, 3, 5}, dnnl_aBcd4b, false},
                            {DNNL_ARG_DST, dnnl_s8, 4, {2, 21, 3, 5},
                                    dnnl_aBcd16b, true}},
                    concat, NULL},
            {"shuffle",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    shuffle, NULL},
            {"reorder",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_s8, 4, {2, 18, 3, 5},
                                    dnnl_aBcd8b, true},
                            {POST_OP_1, dnnl_f32, 4, {1, 18, 1, 1},
                                    dnnl_aBcd16b, false}},
                    reorder, sum_and_add}};
    check_all(problems, COUNT(problems));
}

/* ---- Along dimensions ---------------------------------------------------- */

static dnnl_status_t softmax(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_softmax_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_softmax_accurate, md[0], md[1], 1,
            attr);
}

static dnnl_status_t reduction(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_reduction_primitive_desc_create(
            pd, engine, dnnl_reduction_max, md[0], md[1], 0.0f, 0.0f, attr);
}

static dnnl_status_t lrn(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_lrn_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_lrn_across_channels, md[0], md[1], 5,
            1.0f, 0.75f, 1.0f, attr);
}

static dnnl_status_t resampling(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_resampling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_resampling_nearest, NULL, md[0], md[1],
            attr);
}

static dnnl_status_t pooling(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    const dnnl_dims_t window = {2, 2};
    const dnnl_dims_t strides = {1, 2};
    const dnnl_dims_t zeros = {0, 0};
    return dnnl_pooling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_training, dnnl_pooling_max, md[0], md[1], strides,
            window, zeros, zeros, zeros, attr);
}

/* Statistics and scales are plain; the addend is laid out as dst. */
static dnnl_status_t batch_normalization(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_batch_normalization_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], 1e-3f,
            dnnl_use_global_stats | dnnl_fuse_norm_add_relu, attr);
}

static dnnl_status_t group_normalization(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_group_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, md[0], md[1], 3, 1e-3f, 0, attr);
}

static dnnl_status_t layer_normalization(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_layer_normalization_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], NULL, 1e-3f, 0, attr);
}

TEST_C(BlockedLayouts, AlongDimensions)
{
    static const struct problem problems[] = {
            {"softmax",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    softmax, NULL},
            {"reduction",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 18, 1, 1},
                                    dnnl_aBcd16b, true}},
                    reduction, NULL},
            {"lrn",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
                    lrn, NULL},
            {"resampling",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 18, 6, 4},
                                    dnnl_aBcd8b, true}},
                    resampling, NULL},
            {"pooling",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 18, 2, 2},
                                    dnnl_aBcd16b, true},
                            {DNNL_ARG_WORKSPACE, dnnl_u8, 4, {2, 18, 2, 2},
                                    dnnl_aBcd16b, true}},
                    pooling, NULL},
            {"batch normalization",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true},
                            {DNNL_ARG_SRC_1, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_MEAN, dnnl_f32, 1, {18}, dnnl_a, false},
                            {DNNL_ARG_VARIANCE, dnnl_f32, 1, {18}, dnnl_a,
                                    false}},
                    batch_normalization, NULL},
            {"group normalization",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_DST, dnnl_f32, IMAGE, true},
                            {DNNL_ARG_MEAN, dnnl_f32, 2, {2, 3}, dnnl_ab, true},
                            {DNNL_ARG_VARIANCE, dnnl_f32, 2, {2, 3}, dnnl_ab,
                                    true}},
                    group_normalization, NULL},
            {"layer normalization",
                    {{DNNL_ARG_SRC, dnnl_f32, 3, {2, 3, 17}, dnnl_aBc16b,
                             false},
                            {DNNL_ARG_DST, dnnl_f32, 3, {2, 3, 17}, dnnl_aBc16b,
                                    true}},
                    layer_normalization, NULL}};
    check_all(problems, COUNT(problems));
}

/* ---- Products ------------------------------------------------------------ */

static const dnnl_dims_t ones = {1, 1};
static const dnnl_dims_t zeros = {0, 0};

static dnnl_status_t convolution(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_convolution_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_convolution_direct, md[0], md[1],
            md[2], md[3], ones, zeros, ones, ones, attr);
}

static dnnl_status_t deconvolution(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_deconvolution_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_deconvolution_direct, md[0], md[1],
            NULL, md[2], ones, zeros, ones, ones, attr);
}

static dnnl_status_t inner_product(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const dnnl_memory_desc_t *md,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_inner_product_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, md[0], md[1], NULL, md[2], attr);
}

static dnnl_status_t matmul(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const dnnl_memory_desc_t *md, const_dnnl_primitive_attr_t attr)
{
    return dnnl_matmul_primitive_desc_create(
            pd, engine, md[0], md[1], NULL, md[2], attr);
}

TEST_C(BlockedLayouts, OfProducts)
{
    static const struct problem problems[] = {
            {"convolution",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_WEIGHTS, dnnl_f32, 4, {20, 18, 3, 3},
                                    dnnl_ABcd16b16a, false},
                            {DNNL_ARG_BIAS, dnnl_f32, 1, {20}, dnnl_a, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 20, 3, 5},
                                    dnnl_aBcd16b, true},
                            {POST_OP_1, dnnl_f32, 4, {2, 20, 3, 5}, dnnl_aBcd8b,
                                    false}},
                    convolution, sum_and_add},
            {"grouped convolution",
                    {{DNNL_ARG_SRC, dnnl_s8, 4, {2, 8, 3, 5}, dnnl_aBcd8b,
                             false},
                            {DNNL_ARG_WEIGHTS, dnnl_s8, 5, {2, 4, 4, 3, 3},
                                    dnnl_aBCde4c4b, false},
                            {DNNL_ARG_BIAS, dnnl_f32, 1, {8}, dnnl_a, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 8, 3, 5},
                                    dnnl_aBcd16b, true}},
                    convolution, NULL},
            {"deconvolution",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_WEIGHTS, dnnl_f32, 4, {20, 18, 3, 3},
                                    dnnl_ABcd16b16a, false},
                            {DNNL_ARG_DST, dnnl_f32, 4, {2, 20, 3, 5},
                                    dnnl_aBcd16b, true}},
                    deconvolution, NULL},
            {"inner product",
                    {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                            {DNNL_ARG_WEIGHTS, dnnl_f32, 4, {7, 18, 3, 5},
                                    dnnl_aBcd16b, false},
                            {DNNL_ARG_DST, dnnl_f32, 2, {2, 7}, dnnl_ab, true}},
                    inner_product, NULL},
            {"matmul",
                    {{DNNL_ARG_SRC, dnnl_f32, 2, {5, 18}, dnnl_ab, false},
                            {DNNL_ARG_WEIGHTS, dnnl_f32, 2, {18, 20},
                                    dnnl_AB16b16a, false},
                            {DNNL_ARG_DST, dnnl_f32, 2, {5, 20}, dnnl_ab,
                                    true}},
                    matmul, NULL}};
    check_all(problems, COUNT(problems));
}

/* ---- Descriptors --------------------------------------------------------- */

static const struct problem one = {"eltwise",
        {{DNNL_ARG_SRC, dnnl_f32, IMAGE, false},
                {DNNL_ARG_DST, dnnl_f32, IMAGE, true}},
        relu, NULL};

TEST_C(BlockedLayouts, AreWhatADescriptorTells)
{
    struct setup s;
    dnnl_primitive_desc_t pd = NULL;
    setup_init(&s, &one, false);
    ASSERT_OK(describe(&pd, test_engine(), &s));
    EXPECT_DESC(s.md[0], pd, dnnl_query_src_md, 0);
    EXPECT_DESC(s.md[1], pd, dnnl_query_dst_md, 0);
    EXPECT_EQ(1,
            dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0));
    EXPECT_EQ(1, dnnl_primitive_desc_query_s32(
                         pd, dnnl_query_num_of_outputs_s32, 0));
    dnnl_dim_t consumption = 0;
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_memory_consumption_s64, 0, &consumption));
    /* Both tensors, plain: two of 2 * 18 * 3 * 5 floats. */
    EXPECT_GE(consumption, 2 * 2160);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    setup_fini(&s);
}

TEST_C(BlockedLayouts, GivePlainOnesWhereAnyIsAskedFor)
{
    struct setup s;
    dnnl_primitive_desc_t pd = NULL;
    setup_init(&s, &one, false);
    dnnl_memory_desc_t any =
            tagged_md(4, one.operands[0].dims, dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_inference, dnnl_eltwise_relu, s.md[0], any, 0.0f, 0.0f,
            NULL));
    dnnl_memory_desc_t plain = plain_md(4, one.operands[0].dims, dnnl_f32);
    EXPECT_DESC(plain, pd, dnnl_query_dst_md, 0);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    setup_fini(&s);
}

/* ---- Scratch memory ------------------------------------------------------ */

static dnnl_primitive_attr_t user_scratchpad(const dnnl_memory_desc_t *md)
{
    dnnl_primitive_attr_t attr = NULL;
    (void)md;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_scratchpad_mode(
            attr, dnnl_scratchpad_mode_user));
    return attr;
}

TEST_C(BlockedLayouts, TakeTheCallersScratchMemory)
{
    struct problem problem = one;
    struct setup s;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t own = NULL;
    problem.attr = user_scratchpad;
    setup_init(&s, &problem, false);
    ASSERT_OK(describe(&pd, test_engine(), &s));
    ASSERT_OK(dnnl_memory_desc_clone(&own,
            dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0)));
    EXPECT_GE(dnnl_memory_desc_get_size(own), 2u * 2160u);
    dnnl_dim_t consumption = -1;
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_memory_consumption_s64, 0, &consumption));
    EXPECT_EQ(0, consumption);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    dnnl_memory_desc_destroy(own);
    setup_fini(&s);

    /* As one more tensor, of which nobody reads what was there. */
    problem.operands[2] = (struct operand){
            DNNL_ARG_SCRATCHPAD, dnnl_u8, 1, {2 * 2304}, dnnl_a, false};
    uint64_t seed = test_seed();
    struct setup plain;
    struct run_argument args[MOST];
    setup_init(&plain, &one, true);
    setup_init(&s, &problem, false);
    tensor_randomize(&plain.tensors[0].tensor, &seed, -9.0, 9.0);
    move(&one.operands[0], &plain.tensors[0], &s.tensors[0]);
    if (run_twice(describe, &plain, args, fill_arguments(&plain, args))
            && run_twice(describe, &s, args, fill_arguments(&s, args)))
        expect_moved(
                &problem, &one.operands[1], &plain.tensors[1], &s.tensors[1]);
    setup_fini(&plain);
    setup_fini(&s);
}

/* ---- Queues -------------------------------------------------------------- */

struct execution {
    dnnl_primitive_t primitive;
    dnnl_memory_t src, dst;
};

static void execution_init(struct execution *x, const struct setup *s)
{
    dnnl_primitive_desc_t pd = NULL;
    ASSERT_OK(describe(&pd, test_engine(), s));
    ASSERT_OK(dnnl_primitive_create(&x->primitive, pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    ASSERT_OK(dnnl_memory_create(
            &x->src, s->md[0], test_engine(), DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(
            &x->dst, s->md[1], test_engine(), DNNL_MEMORY_ALLOCATE));
}

static void execution_fini(struct execution *x)
{
    dnnl_memory_destroy(x->src);
    dnnl_memory_destroy(x->dst);
    dnnl_primitive_destroy(x->primitive);
}

TEST_C(BlockedLayouts, NeedTheirScratchMemory)
{
    struct problem problem = one;
    struct setup s;
    struct execution x = {NULL, NULL, NULL};
    dnnl_stream_t stream = NULL;
    problem.attr = user_scratchpad;
    setup_init(&s, &problem, false);
    execution_init(&x, &s);
    ASSERT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, x.src}, {DNNL_ARG_DST, x.dst}};
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(x.primitive, stream, 2, args));
    EXPECT_OK(dnnl_stream_destroy(stream));
    execution_fini(&x);
    setup_fini(&s);
}

/* dst = -1.5 * src + 4, ten times from one buffer to the other and back: the
 * stages of each depend on those before, whatever order the queue takes. */
TEST_C(BlockedLayouts, KeepTheirOrderOnAnyQueue)
{
    enum { TIMES = 10 };
    struct setup s;
    struct execution x = {NULL, NULL, NULL};
    dnnl_stream_t stream = NULL;
    cl_event last = NULL;
    void *mapped = NULL;
    /* Some drivers have no such queue: in order, then. */
    if (dnnl_stream_create(&stream, test_engine(), dnnl_stream_out_of_order)
            != dnnl_success)
        ASSERT_OK(dnnl_stream_create(
                &stream, test_engine(), dnnl_stream_in_order));
    setup_init(&s, &one, false);
    execution_init(&x, &s);
    ASSERT_OK(dnnl_memory_map_data(x.src, &mapped));
    memset(mapped, 0, s.tensors[0].tensor.size);
    ASSERT_OK(dnnl_memory_unmap_data(x.src, mapped));
    float expected = 0.0f;
    for (int i = 0; i < TIMES; i++) {
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, i % 2 == 0 ? x.src : x.dst},
                {DNNL_ARG_DST, i % 2 == 0 ? x.dst : x.src}};
        cl_event event = NULL;
        ASSERT_OK(dnnl_ocl_interop_primitive_execute(x.primitive, stream, 2,
                args, last != NULL ? &last : NULL, last != NULL ? 1 : 0,
                &event));
        if (last != NULL) clReleaseEvent(last);
        last = event;
        expected = -1.5f * expected + 4.0f;
    }
    ASSERT_OK(dnnl_stream_wait(stream));
    if (last != NULL) clReleaseEvent(last);
    dnnl_memory_t result = TIMES % 2 == 0 ? x.src : x.dst;
    ASSERT_OK(dnnl_memory_map_data(result, &mapped));
    EXPECT_EQ(expected, ((const float *)mapped)[0]);
    ASSERT_OK(dnnl_memory_unmap_data(result, mapped));
    EXPECT_OK(dnnl_stream_destroy(stream));
    execution_fini(&x);
    setup_fini(&s);
}
