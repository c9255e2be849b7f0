/* SPDX-License-Identifier: Apache-2.0 */
#include "refusals.h"

#include <stdlib.h>
#include <string.h>

/* ---- Descriptors --------------------------------------------------------- */

enum { MAX_MDS = 128 };

/* What the calls below use, until the next of them. */
static dnnl_memory_desc_t mds[MAX_MDS];
static int md_count;
static dnnl_primitive_attr_t attr;
static dnnl_primitive_desc_t pd;

static void must(dnnl_status_t st)
{
    if (st != dnnl_success) abort();
}

static dnnl_memory_desc_t keep(dnnl_memory_desc_t md)
{
    if (md_count == MAX_MDS) abort();
    return mds[md_count++] = md;
}

static dnnl_memory_desc_t strided(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, const dnnl_dims_t strides)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_create_with_strides(&md, ndims, dims, type, strides));
    return keep(md);
}

static dnnl_memory_desc_t tagged(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    return keep(md);
}

static dnnl_memory_desc_t matrix(dnnl_data_type_t type)
{
    return strided(2, (dnnl_dims_t){4, 4}, type, NULL);
}

static dnnl_memory_desc_t image(dnnl_data_type_t type)
{
    return strided(4, (dnnl_dims_t){2, 4, 3, 3}, type, NULL);
}

static dnnl_memory_desc_t filter(dnnl_data_type_t type)
{
    return strided(4, (dnnl_dims_t){4, 4, 1, 1}, type, NULL);
}

/* Attributes to set something of. */
static dnnl_primitive_attr_t new_attr(void)
{
    must(dnnl_primitive_attr_create(&attr));
    return attr;
}

static dnnl_status_t finish(dnnl_status_t st)
{
    while (md_count > 0)
        dnnl_memory_desc_destroy(mds[--md_count]);
    dnnl_primitive_attr_destroy(attr);
    dnnl_primitive_desc_destroy(pd);
    attr = NULL;
    pd = NULL;
    return st;
}

/* ---- Calls --------------------------------------------------------------- */

static dnnl_status_t relu(
        dnnl_engine_t e, dnnl_memory_desc_t src, dnnl_memory_desc_t dst)
{
    return finish(dnnl_eltwise_forward_primitive_desc_create(&pd, e,
            dnnl_forward_inference, dnnl_eltwise_relu, src, dst, 0.0f, 0.0f,
            attr));
}

static dnnl_status_t multiply(dnnl_engine_t e, dnnl_memory_desc_t src,
        dnnl_memory_desc_t weights, dnnl_memory_desc_t dst)
{
    return finish(dnnl_matmul_primitive_desc_create(
            &pd, e, src, weights, NULL, dst, attr));
}

/* Of a window of one place; back: a deconvolution. */
static dnnl_status_t convolve(dnnl_engine_t e, dnnl_alg_kind_t alg,
        dnnl_memory_desc_t src, dnnl_memory_desc_t weights,
        dnnl_memory_desc_t dst)
{
    const dnnl_dims_t ones = {1, 1};
    const dnnl_dims_t none = {0, 0};
    return finish(dnnl_convolution_forward_primitive_desc_create(&pd, e,
            dnnl_forward_inference, alg, src, weights, NULL, dst, ones, none,
            none, none, attr));
}

static dnnl_status_t convolve_bytes(dnnl_engine_t e)
{
    return convolve(e, dnnl_convolution_direct, image(dnnl_u8), filter(dnnl_s8),
            image(dnnl_f32));
}

static dnnl_status_t reorder(dnnl_memory_desc_t src, dnnl_engine_t from,
        dnnl_memory_desc_t dst, dnnl_engine_t to)
{
    return finish(
            dnnl_reorder_primitive_desc_create(&pd, src, from, dst, to, attr));
}

/* ---- Layouts, dimensions, types ------------------------------------------ */

static dnnl_status_t ask_blocks(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 16, 3, 3};
    dnnl_memory_desc_t md = tagged(4, dims, dnnl_f32, dnnl_nChw16c);
    return finish(dnnl_binary_primitive_desc_create(
            &pd, e->gpu, dnnl_binary_add, md, md, md, NULL));
}

static dnnl_status_t ask_blocked_dst(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md =
            tagged(4, (dnnl_dims_t){2, 16, 3, 3}, dnnl_f32, dnnl_nChw16c);
    return relu(e->gpu, md, md);
}

/* Sources in blocks: src alone. */
static dnnl_status_t ask_blocked_src(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 16, 3, 3};
    return relu(e->gpu, tagged(4, dims, dnnl_f32, dnnl_nChw16c),
            tagged(4, dims, dnnl_f32, dnnl_nchw));
}

static dnnl_status_t ask_runtime(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {DNNL_RUNTIME_DIM_VAL, 4};
    dnnl_memory_desc_t md = strided(2, dims, dnnl_f32, NULL);
    return relu(e->gpu, md, md);
}

static dnnl_status_t ask_types(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_f64, dnnl_boolean, dnnl_s4,
            dnnl_u4, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0, dnnl_f4_e2m1,
            dnnl_f4_e3m0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        dnnl_status_t st = relu(e->gpu, matrix(types[i]), matrix(types[i]));
        if (st != dnnl_unimplemented) return st;
        st = reorder(matrix(types[i]), e->gpu, matrix(dnnl_f32), e->gpu);
        if (st != dnnl_unimplemented) return st;
    }
    return dnnl_unimplemented;
}

static dnnl_status_t ask_sum_type(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_f8_e5m2));
    must(dnnl_primitive_attr_set_post_ops(new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return relu(e->gpu, matrix(dnnl_s8), matrix(dnnl_s8));
}

static dnnl_status_t ask_operand_type(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_binary(ops, dnnl_binary_add, matrix(dnnl_f64)));
    must(dnnl_primitive_attr_set_post_ops(new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return relu(e->gpu, matrix(dnnl_f32), matrix(dnnl_f32));
}

static dnnl_status_t ask_softmax_types(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_s8, dnnl_u8, dnnl_s32};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < 3 && st == dnnl_unimplemented; i++)
        st = finish(dnnl_softmax_forward_primitive_desc_create(&pd, e->gpu,
                dnnl_forward_inference, dnnl_softmax_accurate, matrix(types[i]),
                matrix(dnnl_f32), 1, NULL));
    return st;
}

static dnnl_status_t ask_decompression(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < 3 && st == dnnl_unimplemented; i++)
        st = multiply(
                e->gpu, matrix(types[i]), matrix(dnnl_s8), matrix(dnnl_f32));
    if (st == dnnl_unimplemented)
        st = finish(dnnl_inner_product_forward_primitive_desc_create(&pd,
                e->gpu, dnnl_forward_inference, matrix(dnnl_f32),
                matrix(dnnl_s8), NULL, matrix(dnnl_f32), NULL));
    return st;
}

/* ---- Scales and zero points ---------------------------------------------- */

static dnnl_status_t ask_groups(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales(
            new_attr(), DNNL_ARG_WEIGHTS, 3, 2, (dnnl_dims_t){2, 1}, dnnl_f32));
    return multiply(e->gpu, matrix(dnnl_s8), matrix(dnnl_s8), matrix(dnnl_f32));
}

static dnnl_status_t ask_number_types(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales(
            new_attr(), DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_e8m0));
    dnnl_status_t st = multiply(
            e->gpu, matrix(dnnl_s8), matrix(dnnl_s8), matrix(dnnl_f32));
    if (st != dnnl_unimplemented) return st;
    must(dnnl_primitive_attr_set_zero_points(
            new_attr(), DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_u4));
    return multiply(e->gpu, matrix(dnnl_s8), matrix(dnnl_s8), matrix(dnnl_f32));
}

static dnnl_status_t ask_mask_of_sum(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales_mask(new_attr(), DNNL_ARG_WEIGHTS, 3));
    return multiply(e->gpu, matrix(dnnl_s8), matrix(dnnl_s8), matrix(dnnl_f32));
}

static dnnl_status_t ask_runtime_scales(const struct refusal_engines *e)
{
    const dnnl_dims_t src = {4, 4}, any = {4, DNNL_RUNTIME_DIM_VAL};
    must(dnnl_primitive_attr_set_scales_mask(new_attr(), DNNL_ARG_WEIGHTS, 2));
    return multiply(e->gpu, strided(2, src, dnnl_s8, NULL),
            strided(2, any, dnnl_s8, NULL), strided(2, any, dnnl_f32, NULL));
}

static dnnl_status_t ask_zero_points_of_products(
        const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_zero_points_mask(
            new_attr(), DNNL_ARG_WEIGHTS, 2));
    return multiply(e->gpu, matrix(dnnl_s8), matrix(dnnl_s8), matrix(dnnl_f32));
}

static dnnl_status_t ask_zero_points_of_src(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_zero_points_mask(new_attr(), DNNL_ARG_SRC, 2));
    return convolve_bytes(e->gpu);
}

static dnnl_status_t ask_scales_of_binary(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = matrix(dnnl_f32);
    must(dnnl_primitive_attr_set_scales_mask(new_attr(), DNNL_ARG_SRC, 2));
    return finish(dnnl_binary_primitive_desc_create(
            &pd, e->gpu, dnnl_binary_add, md, md, md, attr));
}

/* One of the kinds that have neither, with attributes. */
static dnnl_status_t make_kind(dnnl_engine_t e, int kind)
{
    const dnnl_dims_t ones = {1, 1}, none = {0, 0};
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_memory_desc_t md = image(dnnl_f32);
    const_dnnl_memory_desc_t list[] = {md};
    const float scales[] = {1.0f};
    switch (kind) {
    case 0:
        return dnnl_batch_normalization_forward_primitive_desc_create(
                &pd, e, prop, md, md, 0.1f, 0, attr);
    case 1:
        return dnnl_concat_primitive_desc_create(
                &pd, e, NULL, 1, 0, list, attr);
    case 2:
        return dnnl_eltwise_forward_primitive_desc_create(
                &pd, e, prop, dnnl_eltwise_relu, md, md, 0.0f, 0.0f, attr);
    case 3:
        return dnnl_lrn_forward_primitive_desc_create(&pd, e, prop,
                dnnl_lrn_within_channel, md, md, 3, 1.0f, 1.0f, 1.0f, attr);
    case 4:
        return dnnl_pooling_forward_primitive_desc_create(&pd, e, prop,
                dnnl_pooling_max, md, md, ones, ones, none, none, none, attr);
    case 5:
        return dnnl_prelu_forward_primitive_desc_create(
                &pd, e, prop, md, md, md, attr);
    case 6:
        return dnnl_reduction_primitive_desc_create(&pd, e, dnnl_reduction_sum,
                md, strided(4, (dnnl_dims_t){2, 1, 3, 3}, dnnl_f32, NULL), 0.0f,
                0.0f, attr);
    case 7:
        return dnnl_resampling_forward_primitive_desc_create(
                &pd, e, prop, dnnl_resampling_linear, NULL, md, md, attr);
    case 8:
        return dnnl_shuffle_forward_primitive_desc_create(
                &pd, e, prop, md, md, 1, 2, attr);
    default:
        return dnnl_sum_primitive_desc_create(
                &pd, e, NULL, 1, scales, list, attr);
    }
}

static dnnl_status_t ask_numbers_of_the_rest(const struct refusal_engines *e)
{
    enum { KINDS = 10 };
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = 0; i < 2 * KINDS && st == dnnl_unimplemented; i++) {
        if (i % 2 == 0)
            must(dnnl_primitive_attr_set_scales_mask(
                    new_attr(), DNNL_ARG_DST, 0));
        else
            must(dnnl_primitive_attr_set_zero_points_mask(
                    new_attr(), DNNL_ARG_DST, 0));
        st = finish(make_kind(e->gpu, i / 2));
    }
    return st;
}

static dnnl_status_t ask_zero_points_of_others(const struct refusal_engines *e)
{
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = 0; i < 4 && st == dnnl_unimplemented; i++) {
        dnnl_memory_desc_t md = image(dnnl_f32);
        must(dnnl_primitive_attr_set_zero_points_mask(
                new_attr(), DNNL_ARG_DST, 0));
        st = finish(
                i == 0 ? dnnl_softmax_forward_primitive_desc_create(&pd, e->gpu,
                        prop, dnnl_softmax_accurate, md, md, 1, attr)
                : i == 1 ? dnnl_binary_primitive_desc_create(
                          &pd, e->gpu, dnnl_binary_add, md, md, md, attr)
                : i == 2
                        ? dnnl_layer_normalization_forward_primitive_desc_create(
                                &pd, e->gpu, prop, md, md, NULL, 0.1f, 0, attr)
                        : dnnl_group_normalization_forward_primitive_desc_create(
                                &pd, e->gpu, prop, md, md, 2, 0.1f, 0, attr));
    }
    return st;
}

/* ---- Convolution --------------------------------------------------------- */

static dnnl_status_t ask_winograd(const struct refusal_engines *e)
{
    return convolve(e->gpu, dnnl_convolution_winograd, image(dnnl_f32),
            filter(dnnl_f32), image(dnnl_f32));
}

static dnnl_status_t ask_depthwise(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    (void)e;
    must(dnnl_post_ops_create(&ops));
    dnnl_status_t st =
            dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
    dnnl_post_ops_destroy(ops);
    return st;
}

static dnnl_status_t ask_weights_zero_point(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_zero_points_mask(
            new_attr(), DNNL_ARG_WEIGHTS, 0));
    return convolve_bytes(e->gpu);
}

static dnnl_status_t ask_scaled_floats(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales_mask(new_attr(), DNNL_ARG_SRC, 0));
    return convolve(e->gpu, dnnl_convolution_direct, image(dnnl_f32),
            filter(dnnl_f32), image(dnnl_f32));
}

static dnnl_status_t ask_group_scales(const struct refusal_engines *e)
{
    const dnnl_dims_t weights = {2, 2, 2, 1, 1};
    dnnl_status_t st = dnnl_unimplemented;
    for (int mask = 1; mask <= 2 && st == dnnl_unimplemented; mask++) {
        must(dnnl_primitive_attr_set_scales_mask(
                new_attr(), DNNL_ARG_WEIGHTS, mask));
        st = convolve(e->gpu, dnnl_convolution_direct, image(dnnl_s8),
                strided(5, weights, dnnl_s8, NULL), image(dnnl_f32));
    }
    return st;
}

static dnnl_status_t ask_far_window(const struct refusal_engines *e)
{
    const dnnl_dim_t far = ((dnnl_dim_t)1 << 29) + 1;
    const dnnl_dims_t ones = {1, 1}, none = {0, 0}, dilates = {far - 2, 0};
    const dnnl_dims_t padding = {far - 1, 0};
    dnnl_memory_desc_t md = image(dnnl_f32);
    return finish(dnnl_pooling_forward_primitive_desc_create(&pd, e->gpu,
            dnnl_forward_inference, dnnl_pooling_max, md, md, ones,
            (dnnl_dims_t){2, 1}, dilates, padding, none, NULL));
}

/* Padding times the stride is 2^88, which in 64 bits is 0. */
static dnnl_status_t ask_far_padding(const struct refusal_engines *e)
{
    const dnnl_dim_t far = (dnnl_dim_t)1 << 28;
    const dnnl_dims_t one = {1, 1, 1}, two = {1, 1, 2};
    const dnnl_dims_t apart = {1, 1, (dnnl_dim_t)1 << 60};
    return finish(dnnl_convolution_forward_primitive_desc_create(&pd, e->gpu,
            dnnl_forward_inference, dnnl_convolution_direct,
            strided(3, one, dnnl_f32, apart), strided(3, one, dnnl_f32, NULL),
            NULL, strided(3, two, dnnl_f32, NULL), (dnnl_dims_t){far},
            (dnnl_dims_t){0}, (dnnl_dims_t){far}, (dnnl_dims_t){0}, NULL));
}

/* ---- The others ---------------------------------------------------------- */

static dnnl_status_t ask_two_gpus(const struct refusal_engines *e)
{
    return reorder(matrix(dnnl_f32), e->gpu, matrix(dnnl_f32), e->other_gpu);
}

static dnnl_status_t ask_two_cpus(const struct refusal_engines *e)
{
    return reorder(matrix(dnnl_f32), e->cpu, matrix(dnnl_f32), e->cpu);
}

static dnnl_status_t ask_sum_with_blocks(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 16, 3, 3};
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef));
    must(dnnl_primitive_attr_set_post_ops(new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return reorder(tagged(4, dims, dnnl_f32, dnnl_nchw), e->gpu,
            tagged(4, dims, dnnl_f32, dnnl_nChw16c), e->gpu);
}

static dnnl_status_t ask_long_concat(const struct refusal_engines *e)
{
    enum { SOURCES = 96 };
    const_dnnl_memory_desc_t list[SOURCES];
    dnnl_memory_desc_t md = matrix(dnnl_f32);
    for (int i = 0; i < SOURCES; i++)
        list[i] = md;
    return finish(dnnl_concat_primitive_desc_create(
            &pd, e->gpu, NULL, SOURCES, 0, list, NULL));
}

static dnnl_status_t ask_long_sum(const struct refusal_engines *e)
{
    enum { SOURCES = 65 };
    const_dnnl_memory_desc_t list[SOURCES];
    float scales[SOURCES] = {0.0f};
    dnnl_memory_desc_t md = matrix(dnnl_f32);
    for (int i = 0; i < SOURCES; i++)
        list[i] = md;
    return finish(dnnl_sum_primitive_desc_create(
            &pd, e->gpu, NULL, SOURCES, scales, list, NULL));
}

static dnnl_status_t ask_layouts_of_sum(const struct refusal_engines *e)
{
    enum { SOURCES = 12 };
    const_dnnl_memory_desc_t list[SOURCES];
    float scales[SOURCES] = {0.0f};
    for (int i = 0; i < SOURCES; i++)
        list[i] = strided(
                2, (dnnl_dims_t){4, 4}, dnnl_f32, (dnnl_dims_t){4 + i, 1});
    return finish(dnnl_sum_primitive_desc_create(
            &pd, e->gpu, NULL, SOURCES, scales, list, NULL));
}

static dnnl_status_t ask_wide_shuffle(const struct refusal_engines *e)
{
    dnnl_dims_t dims, forth, back;
    for (int d = 0; d < 12; d++) {
        dims[d] = d == 0 ? 4 : 2;
        forth[d] = (dnnl_dim_t)1 << (2 * d);
        back[d] = (dnnl_dim_t)1 << (2 * (11 - d));
    }
    return finish(dnnl_shuffle_forward_primitive_desc_create(&pd, e->gpu,
            dnnl_forward_inference, strided(12, dims, dnnl_s8, forth),
            strided(12, dims, dnnl_s8, back), 0, 2, NULL));
}

static dnnl_status_t ask_repeated_operand(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 2, 2, 2, 2, 2, 2};
    const dnnl_dims_t some = {1, 2, 1, 2, 1, 2, 1};
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_binary(
            ops, dnnl_binary_add, strided(7, some, dnnl_f32, NULL)));
    must(dnnl_primitive_attr_set_post_ops(new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return relu(e->gpu, strided(7, dims, dnnl_f32, NULL),
            strided(7, dims, dnnl_f32, NULL));
}

static dnnl_status_t ask_long_chain(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        must(dnnl_post_ops_append_binary(
                ops, dnnl_binary_add, matrix(dnnl_f32)));
    must(dnnl_primitive_attr_set_post_ops(new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return multiply(
            e->gpu, matrix(dnnl_f32), matrix(dnnl_f32), matrix(dnnl_f32));
}

static dnnl_status_t ask_huge(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {INT32_MAX - (1 << 22) + (dnnl_dim_t)1};
    dnnl_memory_desc_t md = strided(1, dims, dnnl_s8, NULL);
    return relu(e->gpu, md, md);
}

static dnnl_status_t ask_shared_places(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 4}, strides = {0, 1};
    return relu(e->gpu, matrix(dnnl_f32), strided(2, dims, dnnl_f32, strides));
}

static dnnl_status_t ask_shared_reorder(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 4}, strides = {0, 1};
    return reorder(matrix(dnnl_f32), e->gpu,
            strided(2, dims, dnnl_f32, strides), e->gpu);
}

static dnnl_status_t ask_shared_statistics(const struct refusal_engines *e)
{
    const dnnl_dims_t lines = {2, 4}, strides = {1, 1};
    dnnl_memory_desc_t md = strided(3, (dnnl_dims_t){2, 4, 5}, dnnl_f32, NULL);
    return finish(dnnl_layer_normalization_forward_primitive_desc_create(&pd,
            e->gpu, dnnl_forward_training, md, md,
            strided(2, lines, dnnl_f32, strides), 0.1f, 0, NULL));
}

static dnnl_status_t ask_backward(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = matrix(dnnl_f32);
    return finish(dnnl_eltwise_backward_primitive_desc_create(&pd, e->gpu,
            dnnl_eltwise_relu, md, md, md, 0.0f, 0.0f, NULL, NULL));
}

static dnnl_status_t ask_recurrent(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = matrix(dnnl_f32);
    return finish(dnnl_vanilla_rnn_forward_primitive_desc_create(&pd, e->gpu,
            dnnl_forward_inference, dnnl_eltwise_tanh,
            dnnl_unidirectional_left2right, md, md, md, md, md, md, md, 0, 0.0f,
            0.0f, NULL));
}

static dnnl_status_t ask_recurrent_numbers(const struct refusal_engines *e)
{
    const float scale = 1.0f;
    const float *scales;
    float shift;
    dnnl_dim_t count;
    int mask;
    dnnl_primitive_attr_t a = new_attr();
    const dnnl_status_t answers[] = {
            dnnl_primitive_attr_set_rnn_data_qparams(a, scale, 0.0f),
            dnnl_primitive_attr_set_rnn_weights_qparams(a, 1, 0, &scale),
            dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                    a, 1, 0, &scale),
            dnnl_primitive_attr_get_rnn_data_qparams(a, &shift, &shift),
            dnnl_primitive_attr_get_rnn_weights_qparams(
                    a, &count, &mask, &scales),
            dnnl_primitive_attr_get_rnn_weights_projection_qparams(
                    a, &count, &mask, &scales)};
    (void)e;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != dnnl_unimplemented) return finish(answers[i]);
    return finish(dnnl_unimplemented);
}

static dnnl_status_t ask_sparse(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 4};
    dnnl_memory_desc_t md;
    const dnnl_status_t answers[] = {
            dnnl_memory_desc_create_with_csr_encoding(
                    &md, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32),
            dnnl_memory_desc_create_with_coo_encoding(
                    &md, 2, dims, dnnl_f32, 3, dnnl_s32),
            dnnl_memory_desc_create_with_packed_encoding(
                    &md, 2, dims, dnnl_s8, 3)};
    (void)e;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != dnnl_unimplemented) return answers[i];
    return dnnl_unimplemented;
}

static dnnl_status_t ask_dropout(const struct refusal_engines *e)
{
    (void)e;
    return finish(dnnl_primitive_attr_set_dropout(new_attr(), matrix(dnnl_u8)));
}

static dnnl_status_t ask_stochastic(const struct refusal_engines *e)
{
    (void)e;
    return finish(dnnl_primitive_attr_set_rounding(
            new_attr(), DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
}

static dnnl_status_t ask_measuring(const struct refusal_engines *e)
{
    const dnnl_engine_t engines[] = {e->gpu, e->cpu};
    for (int i = 0; i < 4; i++) {
        dnnl_stream_t stream;
        dnnl_status_t st = dnnl_stream_create(&stream, engines[i / 2],
                dnnl_stream_profiling
                        | (i % 2 == 0 ? 0u : dnnl_stream_default_flags));
        if (st == dnnl_success) dnnl_stream_destroy(stream);
        if (st != dnnl_invalid_arguments) return st;
    }
    return dnnl_invalid_arguments;
}

static dnnl_status_t ask_products_of_the_cpu(const struct refusal_engines *e)
{
    const float f = 1.0f;
    const int8_t s = 1;
    const uint8_t u = 1;
    const int32_t offset = 0;
    float real = 0.0f;
    int32_t whole = 0;
    const dnnl_status_t answers[] = {
            dnnl_sgemm('n', 'n', 1, 1, 1, 1.0f, &f, 1, &f, 1, 0.0f, &real, 1),
            dnnl_gemm_u8s8s32('n', 'n', 'f', 1, 1, 1, 1.0f, &u, 1, 0, &s, 1, 0,
                    0.0f, &whole, 1, &offset),
            dnnl_gemm_s8s8s32('n', 'n', 'f', 1, 1, 1, 1.0f, &s, 1, 0, &s, 1, 0,
                    0.0f, &whole, 1, &offset)};
    (void)e;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != dnnl_unimplemented) return answers[i];
    return dnnl_unimplemented;
}

static dnnl_status_t ask_jit(const struct refusal_engines *e)
{
    (void)e;
    dnnl_status_t st = dnnl_set_jit_dump(1);
    if (st == dnnl_unimplemented)
        st = dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF);
    if (st == dnnl_unimplemented) st = dnnl_set_jit_profiling_jitdumpdir(".");
    return st;
}

static dnnl_status_t ask_cpu(const struct refusal_engines *e)
{
    return relu(e->cpu, matrix(dnnl_f32), matrix(dnnl_f32));
}

static dnnl_status_t ask_usm(const struct refusal_engines *e)
{
    dnnl_memory_t memory;
    return finish(dnnl_ocl_interop_memory_create(&memory, matrix(dnnl_f32),
            e->gpu, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
}

static dnnl_status_t ask_part_of_block(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md;
    (void)e;
    return finish(dnnl_memory_desc_create_submemory(&md,
            tagged(4, (dnnl_dims_t){2, 32, 3, 3}, dnnl_f32, dnnl_nChw16c),
            (dnnl_dims_t){2, 8, 3, 3}, (dnnl_dims_t){0, 4, 0, 0}));
}

/* ---- All ----------------------------------------------------------------- */

#define BLOCKS "blocked layouts are not supported"
#define NUMBERS "scales, zero points"
#define WINDOWS "convolution, deconvolution"
#define UNUSED "unsupported argument of scales or zero points"
#define TYPES "f64, boolean, s4, u4, and floats of 8 or 4 bits"
#define MASK "unsupported mask of scales or zero points"
#define SHARED "a destination two of whose elements may share a place"
#define RECURRENT "recurrent primitives, and quantization for them"
const struct refusal refusals[] = {
        {"all but reorder",
                "tensors in blocks (`nChw16c`), which `any` "
                "never gives",
                BLOCKS, ask_blocked_src},
        {"all but reorder",
                "tensors in blocks (`nChw16c`), which `any` "
                "never gives",
                "the layout of dst has blocks, or elements that share a place",
                ask_blocked_dst},
        {"all but reorder",
                "tensors in blocks (`nChw16c`), which `any` "
                "never gives",
                "the layout of dst has blocks, or elements that share a place",
                ask_blocks},
        {"all but matmul", "dimensions that only execution tells",
                "dimensions known at execution only are not supported",
                ask_runtime},
        {"types", TYPES, "unsupported data types", ask_types},
        {"types", TYPES, "unsupported type of a sum post-op", ask_sum_type},
        {"types", TYPES, "unsupported type or size of an attribute's tensor",
                ask_operand_type},
        {"types", "softmax of integers", "unsupported data types",
                ask_softmax_types},
        {"types",
                "products of a float and an integer type (weights "
                "decompression)",
                "unsupported data types", ask_decompression},
        {NUMBERS, "shared by groups of neighbours",
                "groups of scales or zero points", ask_groups},
        {NUMBERS,
                "scales but of f32, f16, bf16, zero points but of s32, s8, "
                "u8",
                "unsupported type of scales or zero points", ask_number_types},
        {NUMBERS,
                "that differ along what is summed up (mask 3 of matmul's "
                "weights)",
                MASK, ask_mask_of_sum},
        {NUMBERS, "along a dimension that only execution tells",
                "scales or zero points along a dimension known at execution "
                "only",
                ask_runtime_scales},
        {NUMBERS, "more than one zero point for src or weights of products",
                "more than one zero point for src or weights of a product",
                ask_zero_points_of_products},
        {NUMBERS, "more than one zero point for src or weights of products",
                "more than one zero point for src", ask_zero_points_of_src},
        {NUMBERS, "more than one scale for each source of binary",
                "more than one scale for a source", ask_scales_of_binary},
        {NUMBERS,
                "of batch normalization, concat, eltwise, LRN, pooling, "
                "PReLU, reduction, resampling, shuffle, sum",
                UNUSED, ask_numbers_of_the_rest},
        {NUMBERS,
                "zero points of binary, softmax, layer and group "
                "normalization",
                UNUSED, ask_zero_points_of_others},
        {WINDOWS, "Winograd", "no Winograd algorithm", ask_winograd},
        {WINDOWS, "a depthwise convolution as a post-op", NULL, ask_depthwise},
        {WINDOWS, "a zero point of weights", UNUSED, ask_weights_zero_point},
        {WINDOWS, "scaled inputs of floats",
                "scales of a convolution's inputs that are not bytes",
                ask_scaled_floats},
        {WINDOWS,
                "in groups, scales of weights by group or by channel alone "
                "(masks 1 and 2)",
                MASK, ask_group_scales},
        {"convolution, pooling", "windows with sizes or places above 2^29",
                "a size or a place of the window is above 2^29",
                ask_far_window},
        {"convolution, pooling", "windows with sizes or places above 2^29",
                "a size or a place of the window is above 2^29",
                ask_far_padding},
        {"reorder", "between two `dnnl_gpu` engines, of one device too",
                "two dnnl_gpu engines", ask_two_gpus},
        {"reorder", "between two `dnnl_cpu` engines",
                "both engines are dnnl_cpu", ask_two_cpus},
        {"reorder", "a sum post-op with blocks",
                "a sum post-op of a reorder with blocks", ask_sum_with_blocks},
        {"concat, sum", "more than 95 sources of concat",
                "more than 95 sources", ask_long_concat},
        {"concat, sum", "more than 64 sources of sum", "more than 64 sources",
                ask_long_sum},
        {"concat, sum", "more than about 10 layouts of the sources of sum",
                "more layouts than the kernel's arguments have room for",
                ask_layouts_of_sum},
        {"shuffle", "12 dimensions of which no two lie like one",
                "more than 11 dimensions besides the axis", ask_wide_shuffle},
        {"post-ops", "tensors repeated along some of more than 6 dimensions",
                "a tensor of an attribute is repeated along some of more than "
                "6 dimensions",
                ask_repeated_operand},
        {"post-ops", "chains that take more than 1 KiB of kernel arguments",
                "the kernel's arguments have no room for all attributes",
                ask_long_chain},
        {"everywhere",
                "tensors of more than 2^31 - 2^22 elements, or that "
                "reach farther",
                "a size or a distance does not fit 32 bits", ask_huge},
        {"everywhere", SHARED,
                "the layout of dst has blocks, or elements that share a place",
                ask_shared_places},
        {"everywhere", SHARED, "elements of dst may share a place",
                ask_shared_reorder},
        {"everywhere", SHARED, "blocks, or means that share a place",
                ask_shared_statistics},
        {"everywhere", "backward primitives", "no backward propagation",
                ask_backward},
        {"everywhere", RECURRENT, "no recurrent primitives", ask_recurrent},
        {"everywhere", RECURRENT, NULL, ask_recurrent_numbers},
        {"everywhere", "sparse tensors", NULL, ask_sparse},
        {"everywhere", "dropout", NULL, ask_dropout},
        {"everywhere", "stochastic rounding", NULL, ask_stochastic},
        {"engines", "primitives of a `dnnl_cpu` engine",
                "a dnnl_cpu engine computes nothing", ask_cpu},
        {"engines", "products without an engine (`dnnl_sgemm` and its like)",
                NULL, ask_products_of_the_cpu},
        {"engines", "dumps and profiles of code made for a CPU", NULL, ask_jit},
        {"engines", "streams that measure (`dnnl_invalid_arguments`)", NULL,
                ask_measuring},
        {"memory", "USM", NULL, ask_usm},
        {"memory", "parts of a tensor that begin or end inside a block", NULL,
                ask_part_of_block}};
const int refusal_count = sizeof refusals / sizeof *refusals;

bool refusal_is_listed(const char *line)
{
    /* oneDNN has no post-ops of these kinds either. */
    static const char *const others[] = {
            "post-ops of a primitive that has none"};
    size_t size = strlen(line);
    for (int i = 0; i <= refusal_count; i++) {
        const char *reason = i < refusal_count ? refusals[i].reason : others[0];
        size_t end = reason != NULL ? strlen(reason) : size + 1;
        if (end <= size && strcmp(line + size - end, reason) == 0) return true;
    }
    return false;
}
