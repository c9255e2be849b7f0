/* SPDX-License-Identifier: Apache-2.0 */
#include "operations.h"

#include "small_primitives.h"

#include "test.h"

/* ---- Element by element -------------------------------------------------- */

static void open_relu(struct stage *s)
{
    s->mds[0] = vector_desc(OPERATION_ELEMENTS);
}

static dnnl_status_t describe_relu(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_relu, s->mds[0], s->mds[0],
            0.5f, 0.0f, NULL);
}

static void open_reorder(struct stage *s)
{
    const dnnl_dims_t dims = {OPERATION_ELEMENTS};
    s->mds[0] = vector_desc(OPERATION_ELEMENTS);
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[1], 1, dims, dnnl_s8, dnnl_a));
}

static dnnl_status_t describe_reorder(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return dnnl_reorder_primitive_desc_create(
            pd, s->mds[0], engine, s->mds[1], engine, NULL);
}

/* ---- In passes ----------------------------------------------------------- */

/* Of one source, so that there is one launch; room for passes is allocated. */
static void open_concat(struct stage *s)
{
    s->mds[0] = matrix_desc(4, 4);
}

static dnnl_status_t describe_concat(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    const_dnnl_memory_desc_t src = s->mds[0];
    return dnnl_concat_primitive_desc_create(
            pd, engine, NULL, 1, 1, &src, NULL);
}

/* ---- Along an axis ------------------------------------------------------- */

static void open_softmax(struct stage *s)
{
    s->mds[0] = matrix_desc(4, 4);
}

static dnnl_status_t describe_softmax(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return dnnl_softmax_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_softmax_accurate, s->mds[0], s->mds[0],
            1, NULL);
}

/* ---- Windows ------------------------------------------------------------- */

static void open_pooling(struct stage *s)
{
    const dnnl_dims_t image = {1, 1, 4, 4};
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[0], 4, image, dnnl_f32, dnnl_abcd));
}

static dnnl_status_t describe_pooling(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    const dnnl_dims_t one = {1, 1};
    const dnnl_dims_t window = {3, 3};
    return dnnl_pooling_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_pooling_max, s->mds[0], s->mds[0], one,
            window, NULL, one, NULL, NULL);
}

/* ---- Sums of products, with post-ops ------------------------------------- */

static void make_attr(struct stage *s)
{
    dnnl_post_ops_t chain = NULL;
    EXPECT_OK(dnnl_post_ops_create(&chain));
    EXPECT_OK(dnnl_post_ops_append_eltwise(
            chain, dnnl_eltwise_linear, 2.0f, 1.0f));
    EXPECT_OK(dnnl_primitive_attr_create(&s->attr));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(s->attr, chain));
    EXPECT_OK(dnnl_post_ops_destroy(chain));
}

/* Of so many rows that GPUs compute tiles. */
static void open_matmul(struct stage *s)
{
    s->mds[0] = matrix_desc(OPERATION_ELEMENTS, 1);
    s->mds[1] = matrix_desc(1, 1);
    make_attr(s);
}

static dnnl_status_t describe_matmul(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return dnnl_matmul_primitive_desc_create(
            pd, engine, s->mds[0], s->mds[1], s->mds[0], s->mds[0], s->attr);
}

/* Whose further arguments are numbers and a mask. */
static void open_random(struct stage *s)
{
    const dnnl_dims_t dims = {OPERATION_ELEMENTS, 1};
    s->mds[0] = matrix_desc(OPERATION_ELEMENTS, 1);
    s->mds[1] = matrix_desc(1, 1);
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[2], 2, dims, dnnl_u8, dnnl_ab));
    EXPECT_OK(dnnl_primitive_attr_create(&s->attr));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(s->attr, s->mds[2]));
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            s->attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
}

static void open_convolution(struct stage *s)
{
    const dnnl_dims_t image = {1, 1, 4, 4};
    const dnnl_dims_t kernel = {1, 1, 3, 3};
    const dnnl_dims_t bias = {1};
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[0], 4, image, dnnl_f32, dnnl_abcd));
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[1], 4, kernel, dnnl_f32, dnnl_abcd));
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[2], 1, bias, dnnl_f32, dnnl_a));
    make_attr(s);
}

static dnnl_status_t describe_convolution(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    const dnnl_dims_t one = {1, 1};
    return dnnl_convolution_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_convolution_direct, s->mds[0],
            s->mds[1], s->mds[2], s->mds[0], one, NULL, one, NULL, s->attr);
}

/* ---- All of them --------------------------------------------------------- */

/* ---- In stages ----------------------------------------------------------- */

/* Into blocks: two launches, the last of which is a reorder. */
static void open_blocks(struct stage *s)
{
    const dnnl_dims_t dims = {1, OPERATION_ELEMENTS, 1};
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[0], 3, dims, dnnl_f32, dnnl_abc));
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &s->mds[1], 3, dims, dnnl_f32, dnnl_aBc16b));
}

static dnnl_status_t describe_blocks(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_relu, s->mds[0], s->mds[1],
            0.5f, 0.0f, NULL);
}

const struct operation operations[OPERATION_COUNT] = {
        {"eltwise", 1, open_relu, describe_relu},
        {"reorder", 1, open_reorder, describe_reorder},
        {"reorder", 1, open_concat, describe_concat},
        {"softmax", 1, open_softmax, describe_softmax},
        {"pooling", 1, open_pooling, describe_pooling},
        {"matmul", 1, open_matmul, describe_matmul},
        {"convolution", 1, open_convolution, describe_convolution},
        {"reorder_blocks", 2, open_blocks, describe_blocks},
        {"matmul", 1, open_random, describe_matmul},
};

void operation_open(struct stage *s)
{
    s->scene->operation->open(s);
}

void operation_close(struct stage *s)
{
    for (size_t i = 0; i < sizeof s->mds / sizeof s->mds[0]; i++)
        EXPECT_OK(dnnl_memory_desc_destroy(s->mds[i]));
    EXPECT_OK(dnnl_primitive_attr_destroy(s->attr));
}

dnnl_status_t operation_describe(
        struct stage *s, dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    return s->scene->operation->describe(s, engine, pd);
}

dnnl_primitive_desc_t operation_desc(struct stage *s, dnnl_engine_t engine)
{
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_OK(operation_describe(s, engine, &pd));
    return pd;
}
