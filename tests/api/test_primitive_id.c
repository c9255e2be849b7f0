/* SPDX-License-Identifier: Apache-2.0 */
/* What the ID of a primitive is made of, ingredient by ingredient. */
#include "bytes.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

/* An eltwise descriptor with all that can differ. */
struct variant {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    float alpha;
    float beta;
    dnnl_dim_t rows;
    dnnl_format_tag_t tag;
    int post_op_count;
    dnnl_alg_kind_t post_ops[2];
    float post_op_alpha;
};

static struct bytes id_of_variant(dnnl_engine_t engine, struct variant v)
{
    const dnnl_dims_t dims = {v.rows, 5};
    dnnl_memory_desc_t md = NULL;
    dnnl_post_ops_t post_ops = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, v.tag));
    EXPECT_OK(dnnl_post_ops_create(&post_ops));
    for (int i = 0; i < v.post_op_count; i++)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                post_ops, v.post_ops[i], v.post_op_alpha, 1.0f));
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    EXPECT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
            v.prop_kind, v.alg_kind, md, md, v.alpha, v.beta, attr));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_post_ops_destroy(post_ops));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

static const struct variant base_variant = {.prop_kind = dnnl_forward_inference,
        .alg_kind = dnnl_eltwise_linear,
        .alpha = 0.5f,
        .beta = 0.25f,
        .rows = 3,
        .tag = dnnl_ab,
        .post_op_count = 2,
        .post_ops = {dnnl_eltwise_relu, dnnl_eltwise_linear},
        .post_op_alpha = 0.125f};

/* Notes a failure unless the variant's ID differs in exactly that field. */
static void expect_counts(struct variant other, const char *field)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes a = id_of_variant(rig.engine, base_variant);
    struct bytes b = id_of_variant(rig.engine, other);
    expect_id_diff(field, &a, &b);
    bytes_free(&a);
    bytes_free(&b);
    rig_close(&rig);
}

TEST_C(PrimitiveId, HasThePropagationKind)
{
    struct variant v = base_variant;
    v.prop_kind = dnnl_forward_training;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheAlgorithm)
{
    struct variant v = base_variant;
    v.alg_kind = dnnl_eltwise_hardswish;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheAlgorithmsParameters)
{
    struct variant v = base_variant;
    v.alpha = 0.75f;
    expect_counts(v, "op_desc");
    v = base_variant;
    v.beta = 0.75f;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheShape)
{
    struct variant v = base_variant;
    v.rows = 4;
    expect_counts(v, "memory_desc");
}

TEST_C(PrimitiveId, HasTheLayout)
{
    struct variant v = base_variant;
    v.tag = dnnl_ba;
    expect_counts(v, "memory_desc");
}

TEST_C(PrimitiveId, HasTheNumberOfPostOps)
{
    struct variant v = base_variant;
    v.post_op_count = 1;
    expect_counts(v, "post_ops");
}

TEST_C(PrimitiveId, HasTheKindAndOrderOfPostOps)
{
    struct variant v = base_variant;
    v.post_ops[0] = dnnl_eltwise_linear;
    v.post_ops[1] = dnnl_eltwise_relu;
    expect_counts(v, "post_ops");
}

TEST_C(PrimitiveId, HasThePostOpsParameters)
{
    struct variant v = base_variant;
    v.post_op_alpha = 0.5f;
    expect_counts(v, "post_ops");
}

TEST_RIG(PrimitiveId, HasTheKindOfPrimitive)
{
    dnnl_primitive_desc_t relu = relu_desc(rig->engine, 4, 0.0f);
    dnnl_primitive_desc_t reorder = NULL;
    EXPECT_OK(try_reorder_desc(&reorder, rig->engine, 4, dnnl_f32));
    struct bytes a = primitive_id(relu);
    struct bytes b = primitive_id(reorder);
    EXPECT_FALSE(bytes_equal(&a, &b));
    bytes_free(&a);
    bytes_free(&b);
    EXPECT_OK(dnnl_primitive_desc_destroy(relu));
    EXPECT_OK(dnnl_primitive_desc_destroy(reorder));
}

TEST_RIG(PrimitiveId, HasTheDataType)
{
    dnnl_primitive_desc_t to_s8 = NULL;
    dnnl_primitive_desc_t to_u8 = NULL;
    EXPECT_OK(try_reorder_desc(&to_s8, rig->engine, 4, dnnl_s8));
    EXPECT_OK(try_reorder_desc(&to_u8, rig->engine, 4, dnnl_u8));
    struct bytes a = primitive_id(to_s8);
    struct bytes b = primitive_id(to_u8);
    expect_id_diff("memory_desc", &a, &b);
    bytes_free(&a);
    bytes_free(&b);
    EXPECT_OK(dnnl_primitive_desc_destroy(to_s8));
    EXPECT_OK(dnnl_primitive_desc_destroy(to_u8));
}

static struct bytes id_of_softmax(dnnl_engine_t engine, int axis)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = matrix_desc(5, 5);
    EXPECT_OK(dnnl_softmax_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, dnnl_softmax_log, md, md, axis, NULL));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

TEST_RIG(PrimitiveId, HasTheAxis)
{
    struct bytes a = id_of_softmax(rig->engine, 0);
    struct bytes b = id_of_softmax(rig->engine, 1);
    expect_id_diff("op_desc", &a, &b);
    bytes_free(&a);
    bytes_free(&b);
}

/* A window of so many taps, padded so that dst stays as large. */
static struct bytes id_of_pooling(dnnl_engine_t engine, dnnl_dim_t taps)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = NULL;
    const dnnl_dims_t dims = {1, 1, 9};
    const dnnl_dims_t one = {1};
    const dnnl_dims_t none = {0};
    const dnnl_dims_t kernel = {taps};
    const dnnl_dims_t padding = {taps - 1};
    EXPECT_OK(
            dnnl_memory_desc_create_with_tag(&md, 3, dims, dnnl_f32, dnnl_ncw));
    EXPECT_OK(dnnl_pooling_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, dnnl_pooling_max, md, md, one, kernel, none,
            none, padding, NULL));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

TEST_RIG(PrimitiveId, HasTheWindow)
{
    struct bytes a = id_of_pooling(rig->engine, 2);
    struct bytes b = id_of_pooling(rig->engine, 3);
    expect_id_diff("op_desc", &a, &b);
    bytes_free(&a);
    bytes_free(&b);
}

/* ---- Scales and zero points ---------------------------------------------- */

/* What an attribute says of numbers. arg 0: there are none. */
struct numbers {
    int arg;
    int mask;
    dnnl_data_type_t type;
    bool is_scale;
};

static dnnl_primitive_attr_t attr_of_numbers(const struct numbers *n)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (n->arg == 0) return attr;
    EXPECT_OK(n->is_scale ? dnnl_primitive_attr_set_scales(
                      attr, n->arg, n->mask, 0, NULL, n->type)
                          : dnnl_primitive_attr_set_zero_points(
                                  attr, n->arg, n->mask, 0, NULL, n->type));
    return attr;
}

/* Of bytes, with as many channels as images. */
static struct bytes id_of_convolution(
        dnnl_engine_t engine, const struct numbers *n)
{
    const dnnl_dims_t dims = {3, 3, 5}, weights = {3, 3, 1}, one = {1},
                      none = {0};
    dnnl_memory_desc_t src = NULL;
    dnnl_memory_desc_t filter = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr = attr_of_numbers(n);
    EXPECT_OK(
            dnnl_memory_desc_create_with_tag(&src, 3, dims, dnnl_s8, dnnl_ncw));
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &filter, 3, weights, dnnl_s8, dnnl_oiw));
    EXPECT_OK(dnnl_convolution_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, dnnl_convolution_direct, src, filter, NULL,
            src, one, none, none, none, attr));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_memory_desc_destroy(filter));
    EXPECT_OK(dnnl_memory_desc_destroy(src));
    return id;
}

static struct bytes id_of_concat(dnnl_engine_t engine, const struct numbers *n)
{
    dnnl_memory_desc_t md = matrix_desc(3, 3);
    const_dnnl_memory_desc_t srcs[] = {md, md};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr = attr_of_numbers(n);
    EXPECT_OK(dnnl_concat_primitive_desc_create(
            &pd, engine, NULL, 2, 0, srcs, attr));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

static struct bytes id_of_scaled_softmax(
        dnnl_engine_t engine, const struct numbers *n)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = matrix_desc(5, 5);
    dnnl_primitive_attr_t attr = attr_of_numbers(n);
    EXPECT_OK(dnnl_softmax_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, dnnl_softmax_accurate, md, md, 1, attr));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

enum { MOST_IDS = 10 };

/* Notes a failure unless all have IDs of their own. */
static void expect_all_differ(
        struct bytes (*id_of)(dnnl_engine_t engine, const struct numbers *n),
        const struct numbers *numbers, size_t count)
{
    struct rig rig;
    struct bytes ids[MOST_IDS];
    ASSERT_TRUE(count <= MOST_IDS);
    rig_open(&rig, 0);
    for (size_t i = 0; i < count; i++) {
        ids[i] = id_of(rig.engine, &numbers[i]);
        EXPECT_GT(ids[i].size, 0);
        for (size_t j = 0; j < i; j++)
            EXPECT_FALSE(bytes_equal(&ids[i], &ids[j]));
    }
    for (size_t i = 0; i < count; i++)
        bytes_free(&ids[i]);
    rig_close(&rig);
}

TEST_C(PrimitiveId, HasTheNumbersOfConvolution)
{
    static const struct numbers numbers[] = {{0},
            {DNNL_ARG_SRC, 0, dnnl_s32, false},
            {DNNL_ARG_SRC, 2, dnnl_s32, false},
            {DNNL_ARG_SRC, 2, dnnl_s8, false},
            {DNNL_ARG_WEIGHTS, 0, dnnl_s32, false},
            {DNNL_ARG_WEIGHTS, 1, dnnl_s32, false},
            {DNNL_ARG_WEIGHTS, 1, dnnl_u8, false},
            {DNNL_ARG_WEIGHTS, 1, dnnl_f32, true},
            {DNNL_ARG_DST, 0, dnnl_s32, false},
            {DNNL_ARG_DST, 2, dnnl_s32, false}};
    expect_all_differ(id_of_convolution, numbers, COUNT(numbers));
}

TEST_C(PrimitiveId, HasTheScalesOfConcatAndSoftmax)
{
    static const struct numbers concat[] = {{0},
            {DNNL_ARG_MULTIPLE_SRC, 0, dnnl_f32, true},
            {DNNL_ARG_MULTIPLE_SRC + 1, 0, dnnl_f32, true},
            {DNNL_ARG_MULTIPLE_SRC, 0, dnnl_bf16, true}};
    static const struct numbers softmax[] = {{0},
            {DNNL_ARG_SRC, 0, dnnl_f32, true},
            {DNNL_ARG_DST, 0, dnnl_f32, true}};
    expect_all_differ(id_of_concat, concat, COUNT(concat));
    expect_all_differ(id_of_scaled_softmax, softmax, COUNT(softmax));
}
