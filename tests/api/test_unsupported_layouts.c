/* SPDX-License-Identifier: Apache-2.0 */
/* Every forward primitive says so when it is given dimensions that are not
 * known yet. */
#include "run_primitive.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 16, SIDE = 4 };

/* Tensors with an unknown dimension. */
typedef dnnl_memory_desc_t (*make_tensor)(int ndims, const dnnl_dims_t dims);

static dnnl_memory_desc_t with_unknown(
        int ndims, const dnnl_dims_t dims, int unknown)
{
    dnnl_dims_t changed;
    memcpy(changed, dims, sizeof changed);
    changed[unknown] = DNNL_RUNTIME_DIM_VAL;
    return plain_md(ndims, changed, dnnl_f32);
}

static dnnl_memory_desc_t unknown_first(int ndims, const dnnl_dims_t dims)
{
    return with_unknown(ndims, dims, 0);
}

static dnnl_memory_desc_t unknown_second(int ndims, const dnnl_dims_t dims)
{
    return with_unknown(ndims, dims, 1);
}

static dnnl_memory_desc_t unknown_last(int ndims, const dnnl_dims_t dims)
{
    return with_unknown(ndims, dims, ndims - 1);
}

static dnnl_memory_desc_t plain(int ndims, const dnnl_dims_t dims)
{
    return plain_md(ndims, dims, dnnl_f32);
}

struct tensors {
    dnnl_memory_desc_t odd; /* an image of 16 channels */
    dnnl_memory_desc_t odd_filter;
    dnnl_memory_desc_t odd_matrix;
    dnnl_memory_desc_t image, filter, small;
};

static void tensors_init(struct tensors *t, make_tensor make)
{
    const dnnl_dims_t image = {2, CHANNELS, SIDE, SIDE};
    const dnnl_dims_t filter = {CHANNELS, CHANNELS, 1, 1};
    const dnnl_dims_t flat = {2, CHANNELS};
    const dnnl_dims_t small = {2, CHANNELS, 1, 1};
    t->odd = make(4, image);
    t->odd_filter = make(4, filter);
    t->odd_matrix = make(2, flat);
    t->image = plain(4, image);
    t->filter = plain(4, filter);
    t->small = plain(4, small);
}

#define REFUSED(call)                            \
    do {                                         \
        pd = untouched_pd();                     \
        EXPECT_STATUS(dnnl_unimplemented, call); \
        EXPECT_PTR_EQ(untouched_pd(), pd);       \
    } while (0)

/* One operand of each is odd. */
static void expect_elementwise_refused(const struct tensors *t)
{
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    const float scales[] = {1.0f, 1.0f};
    const_dnnl_memory_desc_t srcs[] = {t->odd, t->odd};
    REFUSED(dnnl_eltwise_forward_primitive_desc_create(
            &pd, e, prop, dnnl_eltwise_relu, t->odd, t->odd, 0.0f, 0.0f, NULL));
    REFUSED(dnnl_softmax_forward_primitive_desc_create(
            &pd, e, prop, dnnl_softmax_accurate, t->odd, t->odd, 1, NULL));
    REFUSED(dnnl_binary_primitive_desc_create(
            &pd, e, dnnl_binary_add, t->odd, t->odd, t->odd, NULL));
    REFUSED(dnnl_prelu_forward_primitive_desc_create(
            &pd, e, prop, t->odd, t->odd, t->odd, NULL));
    REFUSED(dnnl_shuffle_forward_primitive_desc_create(
            &pd, e, prop, t->odd, t->odd, 1, 4, NULL));
    REFUSED(dnnl_sum_primitive_desc_create(
            &pd, e, t->odd, 2, scales, srcs, NULL));
    REFUSED(dnnl_reduction_primitive_desc_create(
            &pd, e, dnnl_reduction_sum, t->odd, t->small, 0.0f, 0.0f, NULL));
    REFUSED(dnnl_lrn_forward_primitive_desc_create(&pd, e, prop,
            dnnl_lrn_across_channels, t->odd, t->odd, 5, 1.0f, 0.75f, 1.0f,
            NULL));
    REFUSED(dnnl_resampling_forward_primitive_desc_create(
            &pd, e, prop, dnnl_resampling_nearest, NULL, t->odd, t->odd, NULL));
}

static void expect_normalization_refused(const struct tensors *t)
{
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    REFUSED(dnnl_batch_normalization_forward_primitive_desc_create(
            &pd, e, prop, t->odd, t->odd, 1e-3f, 0, NULL));
    REFUSED(dnnl_layer_normalization_forward_primitive_desc_create(
            &pd, e, prop, t->odd, t->odd, NULL, 1e-3f, 0, NULL));
    REFUSED(dnnl_group_normalization_forward_primitive_desc_create(
            &pd, e, prop, t->odd, t->odd, 4, 1e-3f, 0, NULL));
}

static void expect_window_refused(const struct tensors *t)
{
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    const dnnl_dims_t ones = {1, 1};
    const dnnl_dims_t zeros = {0, 0};
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    REFUSED(dnnl_pooling_forward_primitive_desc_create(&pd, e, prop,
            dnnl_pooling_max, t->odd, t->odd, ones, ones, zeros, zeros, zeros,
            NULL));
    REFUSED(dnnl_convolution_forward_primitive_desc_create(&pd, e, prop,
            dnnl_convolution_direct, t->odd, t->filter, NULL, t->odd, ones,
            zeros, zeros, zeros, NULL));
    REFUSED(dnnl_convolution_forward_primitive_desc_create(&pd, e, prop,
            dnnl_convolution_direct, t->image, t->odd_filter, NULL, t->image,
            ones, zeros, zeros, zeros, NULL));
    REFUSED(dnnl_deconvolution_forward_primitive_desc_create(&pd, e, prop,
            dnnl_deconvolution_direct, t->odd, t->filter, NULL, t->odd, ones,
            zeros, zeros, zeros, NULL));
}

static void expect_product_refused(const struct tensors *t)
{
    const dnnl_dims_t filter = {CHANNELS, CHANNELS};
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t weights = plain(2, filter);
    REFUSED(dnnl_inner_product_forward_primitive_desc_create(&pd, e,
            dnnl_forward_inference, t->odd_matrix, weights, NULL, t->odd_matrix,
            NULL));
}

static void expect_all_refused(make_tensor make)
{
    struct tensors t;
    tensors_init(&t, make);
    expect_elementwise_refused(&t);
    expect_normalization_refused(&t);
    expect_window_refused(&t);
    expect_product_refused(&t);
}

TEST_C(UnsupportedLayouts, UnknownBatchesAreForMatmul)
{
    expect_all_refused(unknown_first);
}

TEST_C(UnsupportedLayouts, UnknownChannelsAreForMatmul)
{
    expect_all_refused(unknown_second);
}

TEST_C(UnsupportedLayouts, UnknownWidthsAreForMatmul)
{
    expect_all_refused(unknown_last);
}

TEST_C(UnsupportedLayouts, MatmulHasNoBlocksBesideUnknownDimensions)
{
    const dnnl_dims_t square = {CHANNELS, CHANNELS};
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t unknown = unknown_first(2, square);
    dnnl_memory_desc_t blocks = tagged_md(2, square, dnnl_f32, dnnl_AB16b16a);
    REFUSED(dnnl_matmul_primitive_desc_create(
            &pd, e, unknown, blocks, NULL, unknown, NULL));
}

TEST_C(UnsupportedLayouts, ConcatHasNoUnknownDimensions)
{
    const dnnl_dims_t image = {2, CHANNELS, SIDE, SIDE};
    dnnl_engine_t e = test_engine();
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t unknown = unknown_first(4, image);
    const_dnnl_memory_desc_t unknowns[] = {unknown, unknown};
    REFUSED(dnnl_concat_primitive_desc_create(
            &pd, e, NULL, 2, 1, unknowns, NULL));
}
