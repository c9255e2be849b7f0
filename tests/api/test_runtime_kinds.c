/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions that only execution tells, of the kinds that do not take them:
 * what oneDNN 3.8's tests ask of a GPU engine (test_iface_runtime_dims.cpp). It
 * asks neither of matmul, which takes them here, nor of reorder. */
#include "rig.h"
#include "test.h"

/* ---- Descriptors --------------------------------------------------------- */

/* Each of the tests' tensors, with so many rows. */
struct tensors {
    dnnl_memory_desc_t image, wide, filter, small, half, matrix, lines, means,
            full, out;
};

static dnnl_memory_desc_t make(int ndims, const dnnl_dims_t dims)
{
    static const dnnl_format_tag_t tags[] = {
            dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd};
    dnnl_memory_desc_t md = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &md, ndims, dims, dnnl_f32, tags[ndims - 1]));
    return md;
}

static struct tensors with_rows(dnnl_dim_t rows)
{
    return (struct tensors){.image = make(4, (dnnl_dims_t){rows, 16, 7, 7}),
            .wide = make(4, (dnnl_dims_t){rows, 32, 7, 7}),
            .filter = make(4, (dnnl_dims_t){32, 16, 3, 3}),
            .small = make(4, (dnnl_dims_t){rows, 16, 8, 8}),
            .half = make(4, (dnnl_dims_t){rows, 16, 4, 4}),
            .matrix = make(2, (dnnl_dims_t){rows, 16}),
            .lines = make(3, (dnnl_dims_t){rows, 16, 16}),
            .means = make(2, (dnnl_dims_t){rows, 16}),
            .full = make(4, (dnnl_dims_t){32, 16, 7, 7}),
            .out = make(2, (dnnl_dims_t){rows, 32})};
}

static void destroy(struct tensors *t)
{
    dnnl_memory_desc_t mds[] = {t->image, t->wide, t->filter, t->small, t->half,
            t->matrix, t->lines, t->means, t->full, t->out};
    for (size_t i = 0; i < COUNT(mds); i++)
        dnnl_memory_desc_destroy(mds[i]);
}

/* ---- Kinds --------------------------------------------------------------- */

typedef dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t);

static const dnnl_dims_t none = {0, 0}, ones = {1, 1}, twos = {2, 2};
static const dnnl_prop_kind_t forward = dnnl_forward_training;

static dnnl_status_t normalize_batches(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, e, forward, t->image, t->image, 0.1f, 0, NULL);
}

static dnnl_status_t combine(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_binary_primitive_desc_create(
            pd, e, dnnl_binary_add, t->image, t->image, t->image, NULL);
}

static dnnl_status_t join(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    const_dnnl_memory_desc_t sources[] = {t->image, t->image};
    return dnnl_concat_primitive_desc_create(pd, e, NULL, 2, 1, sources, NULL);
}

static dnnl_status_t convolve(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_convolution_forward_primitive_desc_create(pd, e, forward,
            dnnl_convolution_direct, t->image, t->filter, NULL, t->wide, ones,
            NULL, ones, ones, NULL);
}

static dnnl_status_t deconvolve(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_deconvolution_forward_primitive_desc_create(pd, e, forward,
            dnnl_deconvolution_direct, t->image, t->filter, NULL, t->wide, ones,
            NULL, ones, ones, NULL);
}

static dnnl_status_t rectify(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, e, forward,
            dnnl_eltwise_relu, t->image, t->image, 0.1f, 0.0f, NULL);
}

static dnnl_status_t multiply(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_inner_product_forward_primitive_desc_create(
            pd, e, forward, t->image, t->full, NULL, t->out, NULL);
}

static dnnl_status_t normalize_lines(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_layer_normalization_forward_primitive_desc_create(
            pd, e, forward, t->lines, t->lines, t->means, 0.1f, 0, NULL);
}

static dnnl_status_t normalize_places(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_lrn_forward_primitive_desc_create(pd, e, forward,
            dnnl_lrn_across_channels, t->image, t->image, 5, 1.0f, 0.75f, 1.0f,
            NULL);
}

static dnnl_status_t pool(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_pooling_forward_primitive_desc_create(pd, e, forward,
            dnnl_pooling_max, t->small, t->half, twos, twos, none, none, none,
            NULL);
}

static dnnl_status_t slope(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_prelu_forward_primitive_desc_create(
            pd, e, forward, t->image, t->image, t->image, NULL);
}

static dnnl_status_t shuffle(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_shuffle_forward_primitive_desc_create(
            pd, e, forward, t->image, t->image, 1, 4, NULL);
}

static dnnl_status_t weigh(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_softmax_forward_primitive_desc_create(pd, e, forward,
            dnnl_softmax_accurate, t->matrix, t->matrix, 1, NULL);
}

static dnnl_status_t sum(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    const_dnnl_memory_desc_t sources[] = {t->image, t->image};
    const float scales[] = {1.0f, 1.0f};
    return dnnl_sum_primitive_desc_create(
            pd, e, NULL, 2, scales, sources, NULL);
}

static dnnl_status_t move(
        dnnl_primitive_desc_t *pd, dnnl_engine_t e, const struct tensors *t)
{
    return dnnl_reorder_primitive_desc_create(
            pd, t->image, e, t->image, e, NULL);
}

/* ---- Answers ------------------------------------------------------------- */

TEST_C(RuntimeKinds, AreRefusedAsOneDnnsTestsExpect)
{
    static describe *const kinds[] = {normalize_batches, combine, join,
            convolve, deconvolve, rectify, multiply, normalize_lines,
            normalize_places, pool, slope, shuffle, weigh, sum, move};
    struct rig rig;
    rig_open(&rig, 0);
    struct tensors unknown = with_rows(DNNL_RUNTIME_DIM_VAL);
    struct tensors known = with_rows(2);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        dnnl_primitive_desc_t pd = NULL;
        EXPECT_STATUS(dnnl_unimplemented, kinds[i](&pd, rig.engine, &unknown));
        EXPECT_TRUE(pd == NULL);
        EXPECT_OK(kinds[i](&pd, rig.engine, &known));
        dnnl_primitive_desc_destroy(pd);
    }
    destroy(&unknown);
    destroy(&known);
    rig_close(&rig);
}

TEST_RIG(RuntimeKinds, HaveNoMemory)
{
    const dnnl_dims_t dims = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    const dnnl_dims_t strides = {100, 1};
    for (int i = 0; i < 2; i++) {
        dnnl_memory_desc_t md = NULL;
        dnnl_memory_t memory = NULL;
        EXPECT_OK(i == 0 ? dnnl_memory_desc_create_with_tag(
                          &md, 2, dims, dnnl_f32, dnnl_ab)
                         : dnnl_memory_desc_create_with_strides(
                                 &md, 2, dims, dnnl_f32, strides));
        EXPECT_EQ(DNNL_RUNTIME_SIZE_VAL, dnnl_memory_desc_get_size(md));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_memory_create(
                        &memory, md, rig->engine, DNNL_MEMORY_ALLOCATE));
        dnnl_memory_desc_destroy(md);
    }
}

/* ---- Matmul -------------------------------------------------------------- */

/* What test_matmul.cpp asks of matrices of which only the rank is known. */
struct product {
    dnnl_data_type_t src, weights, dst, bias; /* undef: none */
    bool has_sum;
    bool has_zero_points; /* of all three */
};

static dnnl_memory_desc_t unknown_matrix(
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    const dnnl_dims_t dims = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    dnnl_memory_desc_t md = NULL;
    if (type != dnnl_data_type_undef)
        EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, type, tag));
    return md;
}

static dnnl_primitive_attr_t make_attr(const struct product *p)
{
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    if (p->has_sum)
        EXPECT_OK(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    for (size_t i = 0; i < COUNT(args) && p->has_zero_points; i++)
        EXPECT_OK(dnnl_primitive_attr_set_zero_points_mask(attr, args[i], 0));
    return attr;
}

static void expect_taken(dnnl_engine_t engine, const struct product *p,
        dnnl_format_tag_t src_tag, dnnl_format_tag_t weights_tag)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_attr_t attr = make_attr(p);
    dnnl_memory_desc_t mds[] = {unknown_matrix(p->src, src_tag),
            unknown_matrix(p->weights, weights_tag),
            unknown_matrix(p->bias, dnnl_ab), unknown_matrix(p->dst, dnnl_ab)};
    EXPECT_OK(dnnl_matmul_primitive_desc_create(
            &pd, engine, mds[0], mds[1], mds[2], mds[3], attr));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    for (size_t i = 0; i < COUNT(mds); i++)
        dnnl_memory_desc_destroy(mds[i]);
}

TEST_RIG(RuntimeKinds, HaveMatmulAsOneDnnsTestsExpect)
{
    static const dnnl_data_type_t undef = dnnl_data_type_undef;
    static const dnnl_data_type_t floats[] = {dnnl_f32, dnnl_f16, dnnl_bf16};
    static const dnnl_data_type_t results[] = {
            dnnl_f32, dnnl_s32, dnnl_s8, dnnl_u8};
    static const dnnl_data_type_t addends[] = {
            dnnl_f32, dnnl_s32, dnnl_s8, dnnl_u8};
    for (size_t i = 0; i < COUNT(floats); i++) {
        const dnnl_data_type_t f = floats[i];
        const struct product products[] = {{f, f, f, undef, false, false},
                {f, f, f, f, false, false}, {f, f, f, f, true, false}};
        for (size_t p = 0; p < COUNT(products); p++)
            expect_taken(rig->engine, &products[p], dnnl_ab,
                    p < 2 ? dnnl_ba : dnnl_ab);
    }
    for (size_t i = 0; i < COUNT(results) * COUNT(addends); i++) {
        const struct product product = {i % 3 == 0 ? dnnl_s8 : dnnl_u8, dnnl_s8,
                results[i / COUNT(addends)], addends[i % COUNT(addends)],
                i % 2 == 1, true};
        expect_taken(rig->engine, &product, dnnl_ba, dnnl_ba);
    }
}

/* Batches of which one is known and one is not. */
TEST_RIG(RuntimeKinds, HaveMatmulOfBatchesThatAgree)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t known = make(3, (dnnl_dims_t){3, 10, 10});
    dnnl_memory_desc_t unknown =
            make(3, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, 10, 10});
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_matmul_primitive_desc_create(
                    &pd, rig->engine, known, unknown, NULL, unknown, NULL));
    EXPECT_OK(dnnl_matmul_primitive_desc_create(
            &pd, rig->engine, unknown, unknown, NULL, unknown, NULL));
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(known);
    dnnl_memory_desc_destroy(unknown);
}
