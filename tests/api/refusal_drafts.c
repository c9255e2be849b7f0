/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal_drafts.h"

#include <stdlib.h>

/* ---- Descriptors --------------------------------------------------------- */

enum { MAX_MDS = 128 };

/* What the calls below use, until the next of them. */
static dnnl_memory_desc_t mds[MAX_MDS];
static int md_count;
dnnl_primitive_attr_t draft_attr;
dnnl_primitive_desc_t draft_pd;

void must(dnnl_status_t st)
{
    if (st != dnnl_success) abort();
}

static dnnl_memory_desc_t keep(dnnl_memory_desc_t md)
{
    if (md_count == MAX_MDS) abort();
    return mds[md_count++] = md;
}

dnnl_memory_desc_t draft_strided(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, const dnnl_dims_t strides)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_create_with_strides(&md, ndims, dims, type, strides));
    return keep(md);
}

dnnl_memory_desc_t draft_tagged(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    return keep(md);
}

dnnl_memory_desc_t draft_matrix(dnnl_data_type_t type)
{
    return draft_strided(2, (dnnl_dims_t){4, 4}, type, NULL);
}

dnnl_memory_desc_t draft_image(dnnl_data_type_t type)
{
    return draft_strided(4, (dnnl_dims_t){2, 4, 3, 3}, type, NULL);
}

dnnl_memory_desc_t draft_filter(dnnl_data_type_t type)
{
    return draft_strided(4, (dnnl_dims_t){4, 4, 1, 1}, type, NULL);
}

dnnl_primitive_attr_t draft_new_attr(void)
{
    must(dnnl_primitive_attr_create(&draft_attr));
    return draft_attr;
}

dnnl_status_t draft_finish(dnnl_status_t st)
{
    while (md_count > 0)
        dnnl_memory_desc_destroy(mds[--md_count]);
    dnnl_primitive_attr_destroy(draft_attr);
    dnnl_primitive_desc_destroy(draft_pd);
    draft_attr = NULL;
    draft_pd = NULL;
    return st;
}

/* ---- Calls --------------------------------------------------------------- */

dnnl_status_t draft_relu(
        dnnl_engine_t e, dnnl_memory_desc_t src, dnnl_memory_desc_t dst)
{
    return draft_finish(dnnl_eltwise_forward_primitive_desc_create(&draft_pd, e,
            dnnl_forward_inference, dnnl_eltwise_relu, src, dst, 0.0f, 0.0f,
            draft_attr));
}

dnnl_status_t draft_multiply(dnnl_engine_t e, dnnl_memory_desc_t src,
        dnnl_memory_desc_t weights, dnnl_memory_desc_t dst)
{
    return draft_finish(dnnl_matmul_primitive_desc_create(
            &draft_pd, e, src, weights, NULL, dst, draft_attr));
}

dnnl_status_t draft_convolve(dnnl_engine_t e, dnnl_alg_kind_t alg,
        dnnl_memory_desc_t src, dnnl_memory_desc_t weights,
        dnnl_memory_desc_t dst)
{
    const dnnl_dims_t ones = {1, 1};
    const dnnl_dims_t none = {0, 0};
    return draft_finish(dnnl_convolution_forward_primitive_desc_create(
            &draft_pd, e, dnnl_forward_inference, alg, src, weights, NULL, dst,
            ones, none, none, none, draft_attr));
}

dnnl_status_t draft_convolve_bytes(dnnl_engine_t e)
{
    return draft_convolve(e, dnnl_convolution_direct, draft_image(dnnl_u8),
            draft_filter(dnnl_s8), draft_image(dnnl_f32));
}

dnnl_status_t draft_reorder(dnnl_memory_desc_t src, dnnl_engine_t from,
        dnnl_memory_desc_t dst, dnnl_engine_t to)
{
    return draft_finish(dnnl_reorder_primitive_desc_create(
            &draft_pd, src, from, dst, to, draft_attr));
}

static dnnl_status_t make_kind(dnnl_engine_t e, int kind)
{
    const dnnl_dims_t ones = {1, 1}, none = {0, 0};
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_memory_desc_t md = draft_image(dnnl_f32);
    dnnl_memory_desc_t square = draft_matrix(dnnl_f32);
    const_dnnl_memory_desc_t list[] = {md};
    const float scales[] = {1.0f};
    switch (kind) {
    case 0:
        return dnnl_batch_normalization_forward_primitive_desc_create(
                &draft_pd, e, prop, md, md, 0.1f, 0, draft_attr);
    case 1:
        return dnnl_sum_primitive_desc_create(
                &draft_pd, e, NULL, 1, scales, list, draft_attr);
    case 2:
        return dnnl_eltwise_forward_primitive_desc_create(&draft_pd, e, prop,
                dnnl_eltwise_relu, md, md, 0.0f, 0.0f, draft_attr);
    case 3:
        return dnnl_lrn_forward_primitive_desc_create(&draft_pd, e, prop,
                dnnl_lrn_within_channel, md, md, 3, 1.0f, 1.0f, 1.0f,
                draft_attr);
    case 4:
        return dnnl_pooling_forward_primitive_desc_create(&draft_pd, e, prop,
                dnnl_pooling_max, md, md, ones, ones, none, none, none,
                draft_attr);
    case 5:
        return dnnl_prelu_forward_primitive_desc_create(
                &draft_pd, e, prop, md, md, md, draft_attr);
    case 6:
        return dnnl_reduction_primitive_desc_create(&draft_pd, e,
                dnnl_reduction_sum, md,
                draft_strided(4, (dnnl_dims_t){2, 1, 3, 3}, dnnl_f32, NULL),
                0.0f, 0.0f, draft_attr);
    case 7:
        return dnnl_resampling_forward_primitive_desc_create(&draft_pd, e, prop,
                dnnl_resampling_linear, NULL, md, md, draft_attr);
    case 8:
        return dnnl_shuffle_forward_primitive_desc_create(
                &draft_pd, e, prop, md, md, 1, 2, draft_attr);
    case 9:
        return dnnl_concat_primitive_desc_create(
                &draft_pd, e, NULL, 1, 0, list, draft_attr);
    case 10:
        return dnnl_softmax_forward_primitive_desc_create(&draft_pd, e, prop,
                dnnl_softmax_accurate, md, md, 1, draft_attr);
    case 11:
        return dnnl_binary_primitive_desc_create(
                &draft_pd, e, dnnl_binary_add, md, md, md, draft_attr);
    case 12:
        return dnnl_layer_normalization_forward_primitive_desc_create(
                &draft_pd, e, prop, md, md, NULL, 0.1f, 0, draft_attr);
    case 13:
        return dnnl_group_normalization_forward_primitive_desc_create(
                &draft_pd, e, prop, md, md, 2, 0.1f, 0, draft_attr);
    case 14:
        return dnnl_matmul_primitive_desc_create(
                &draft_pd, e, square, square, NULL, square, draft_attr);
    case 15:
        return dnnl_inner_product_forward_primitive_desc_create(
                &draft_pd, e, prop, square, square, NULL, square, draft_attr);
    case 16:
        return dnnl_convolution_forward_primitive_desc_create(&draft_pd, e,
                prop, dnnl_convolution_direct, md, draft_filter(dnnl_f32), NULL,
                md, ones, none, none, none, draft_attr);
    case 17:
        return dnnl_deconvolution_forward_primitive_desc_create(&draft_pd, e,
                prop, dnnl_deconvolution_direct, md, draft_filter(dnnl_f32),
                NULL, md, ones, none, none, none, draft_attr);
    default:
        return dnnl_reorder_primitive_desc_create(
                &draft_pd, md, e, md, e, draft_attr);
    }
}

dnnl_status_t draft_kind(dnnl_engine_t e, int kind)
{
    return draft_finish(make_kind(e, kind));
}
