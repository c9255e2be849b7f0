/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of refusals.c: each makes what one row of its table refuses. */
#include "refusal_calls.h"

#include "refusal_drafts.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include <string.h>

/* ---- Layouts, dimensions, types ------------------------------------------ */

dnnl_status_t ask_blocks_beside_unknown(const struct refusal_engines *e)
{
    const dnnl_dims_t unknown = {DNNL_RUNTIME_DIM_VAL, 16};
    dnnl_memory_desc_t src = draft_strided(2, unknown, dnnl_f32, NULL);
    dnnl_memory_desc_t weights =
            draft_tagged(2, (dnnl_dims_t){16, 16}, dnnl_f32, dnnl_AB16b16a);
    return draft_finish(dnnl_matmul_primitive_desc_create(
            &draft_pd, e->gpu, src, weights, NULL, src, NULL));
}

dnnl_status_t ask_blocked_means(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md =
            draft_strided(4, (dnnl_dims_t){2, 16, 3, 3}, dnnl_f32, NULL);
    dnnl_memory_desc_t means =
            draft_tagged(3, (dnnl_dims_t){2, 16, 3}, dnnl_f32, dnnl_aBc16b);
    return draft_finish(dnnl_layer_normalization_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_inference, md, md, means, 1e-3f,
            dnnl_use_global_stats, NULL));
}

dnnl_status_t ask_runtime(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {DNNL_RUNTIME_DIM_VAL, 4};
    dnnl_memory_desc_t md = draft_strided(2, dims, dnnl_f32, NULL);
    return draft_relu(e->gpu, md, md);
}

dnnl_status_t ask_types(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_f64, dnnl_boolean,
            dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0, dnnl_f4_e2m1, dnnl_f4_e3m0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        dnnl_status_t st = draft_relu(
                e->gpu, draft_matrix(types[i]), draft_matrix(types[i]));
        if (st != dnnl_unimplemented) return st;
        st = draft_reorder(
                draft_matrix(types[i]), e->gpu, draft_matrix(dnnl_f32), e->gpu);
        if (st != dnnl_unimplemented) return st;
    }
    return dnnl_unimplemented;
}

dnnl_status_t ask_sum_type(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_f8_e5m2));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return draft_relu(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8));
}

dnnl_status_t ask_operand_type(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_binary(
            ops, dnnl_binary_add, draft_matrix(dnnl_f64)));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return draft_relu(e->gpu, draft_matrix(dnnl_f32), draft_matrix(dnnl_f32));
}

dnnl_status_t ask_half_bytes(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_s4, dnnl_u4};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < 2 && st == dnnl_unimplemented; i++) {
        st = draft_relu(e->gpu, draft_matrix(types[i]), draft_matrix(types[i]));
        if (st == dnnl_unimplemented)
            st = draft_multiply(e->gpu, draft_matrix(types[i]),
                    draft_matrix(types[i]), draft_matrix(dnnl_f32));
    }
    return st;
}

dnnl_status_t ask_decompression(const struct refusal_engines *e)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < 2 && st == dnnl_unimplemented; i++)
        st = draft_multiply(e->gpu, draft_matrix(types[i]),
                draft_matrix(dnnl_s8), draft_matrix(dnnl_f32));
    return st;
}

dnnl_status_t ask_inner_decompression(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_fpmath_mode_v2(
            draft_new_attr(), dnnl_fpmath_mode_any, 1));
    return draft_finish(dnnl_inner_product_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_inference, draft_matrix(dnnl_f32),
            draft_matrix(dnnl_s8), NULL, draft_matrix(dnnl_f32), draft_attr));
}

/* ---- Scales and zero points ---------------------------------------------- */

dnnl_status_t ask_groups(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales(draft_new_attr(), DNNL_ARG_SRC, 3, 2,
            (dnnl_dims_t){1, 2}, dnnl_f32));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_f32));
}

dnnl_status_t ask_broken_groups(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales(draft_new_attr(), DNNL_ARG_WEIGHTS, 3,
            2, (dnnl_dims_t){3, 1}, dnnl_f32));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_f32));
}

dnnl_status_t ask_number_types(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales(
            draft_new_attr(), DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_e8m0));
    dnnl_status_t st = draft_multiply(e->gpu, draft_matrix(dnnl_s8),
            draft_matrix(dnnl_s8), draft_matrix(dnnl_f32));
    if (st != dnnl_unimplemented) return st;
    must(dnnl_primitive_attr_set_zero_points(
            draft_new_attr(), DNNL_ARG_SRC, 0, 0, NULL, dnnl_u4));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_f32));
}

dnnl_status_t ask_mask_of_sum(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_SRC, 3));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_f32));
}

dnnl_status_t ask_runtime_scales(const struct refusal_engines *e)
{
    const dnnl_dims_t src = {4, 4}, any = {4, DNNL_RUNTIME_DIM_VAL};
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_WEIGHTS, 2));
    return draft_multiply(e->gpu, draft_strided(2, src, dnnl_s8, NULL),
            draft_strided(2, any, dnnl_s8, NULL),
            draft_strided(2, any, dnnl_f32, NULL));
}

dnnl_status_t ask_zero_points_of_products(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_zero_points_mask(
            draft_new_attr(), DNNL_ARG_SRC, 2));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_f32));
}

dnnl_status_t ask_scales_of_binary(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_SRC, 2));
    return draft_finish(dnnl_binary_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_binary_add, md, md, md, draft_attr));
}

dnnl_status_t ask_scales_of_concat(const struct refusal_engines *e)
{
    const_dnnl_memory_desc_t list[] = {draft_matrix(dnnl_f32)};
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_MULTIPLE_SRC, 2));
    return draft_finish(dnnl_concat_primitive_desc_create(
            &draft_pd, e->gpu, NULL, 1, 0, list, draft_attr));
}

dnnl_status_t ask_dynamic_scales(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales_v3(draft_new_attr(), DNNL_ARG_DST, 0, 0,
            NULL, dnnl_f32, 0, dnnl_quantization_mode_dynamic_mx));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_s8));
}

dnnl_status_t ask_mixed_scales(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    const_dnnl_memory_desc_t list[] = {md, md};
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_MULTIPLE_SRC, 0));
    must(dnnl_primitive_attr_set_scales(
            draft_attr, DNNL_ARG_MULTIPLE_SRC + 1, 0, 0, NULL, dnnl_bf16));
    return draft_finish(dnnl_concat_primitive_desc_create(
            &draft_pd, e->gpu, NULL, 2, 0, list, draft_attr));
}

dnnl_status_t ask_long_scaled_concat(const struct refusal_engines *e)
{
    enum { SOURCES = 48 };
    const_dnnl_memory_desc_t list[SOURCES];
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    dnnl_primitive_attr_t attr = draft_new_attr();
    for (int i = 0; i < SOURCES; i++) {
        list[i] = md;
        must(dnnl_primitive_attr_set_scales_mask(
                attr, DNNL_ARG_MULTIPLE_SRC + i, 0));
    }
    return draft_finish(dnnl_concat_primitive_desc_create(
            &draft_pd, e->gpu, NULL, SOURCES, 0, list, draft_attr));
}

dnnl_status_t ask_numbers_of_the_rest(const struct refusal_engines *e)
{
    static const int args[] = {
            DNNL_ARG_DST, DNNL_ARG_SRC, DNNL_ARG_MULTIPLE_SRC};
    enum { ARGS = sizeof args / sizeof *args };
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = 0; i < ARGS * DRAFT_WITH_SCALES && st == dnnl_unimplemented;
            i++) {
        must(dnnl_primitive_attr_set_scales_mask(
                draft_new_attr(), args[i % ARGS], 0));
        st = draft_kind(e->gpu, i / ARGS);
        if (st != dnnl_unimplemented || args[i % ARGS] != DNNL_ARG_DST)
            continue;
        must(dnnl_primitive_attr_set_zero_points_mask(
                draft_new_attr(), DNNL_ARG_DST, 0));
        st = draft_kind(e->gpu, i / ARGS);
    }
    return st;
}

dnnl_status_t ask_zero_points_of_others(const struct refusal_engines *e)
{
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = DRAFT_WITH_SCALES;
            i < DRAFT_WITH_ZERO_POINTS && st == dnnl_unimplemented; i++) {
        must(dnnl_primitive_attr_set_zero_points_mask(
                draft_new_attr(), DNNL_ARG_DST, 0));
        st = draft_kind(e->gpu, i);
    }
    return st;
}

/* ---- Attributes that are only kept --------------------------------------- */

/* Every kind but these with attributes that this call sets something of. */
static dnnl_status_t ask_kinds_but(size_t count, const int *others,
        dnnl_engine_t e, dnnl_status_t (*set)(dnnl_primitive_attr_t attr))
{
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = 0; i < DRAFT_KINDS && st == dnnl_unimplemented; i++) {
        bool is_left_out = false;
        for (size_t n = 0; n < count; n++)
            is_left_out = is_left_out || others[n] == i;
        if (is_left_out) continue;
        must(set(draft_new_attr()));
        st = draft_kind(e, i);
    }
    return st;
}

static dnnl_status_t ask_all_kinds(
        dnnl_engine_t e, dnnl_status_t (*set)(dnnl_primitive_attr_t attr))
{
    return ask_kinds_but(0, NULL, e, set);
}

static dnnl_status_t set_depthwise(dnnl_primitive_attr_t attr)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1));
    dnnl_status_t st = dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_post_ops_destroy(ops);
    return st;
}

static dnnl_status_t set_data_scale(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_rnn_data_qparams(attr, 2.0f, 0.0f);
}

static dnnl_status_t set_data_shift(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_rnn_data_qparams(attr, 1.0f, 3.0f);
}

static dnnl_status_t set_weights_scales(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_rnn_weights_qparams(
            attr, 2, 8, (const float[]){1.0f, 2.0f});
}

static dnnl_status_t set_projection_scales(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_rnn_weights_projection_qparams(
            attr, 2, 8, (const float[]){1.0f, 2.0f});
}

dnnl_status_t ask_recurrent_numbers(const struct refusal_engines *e)
{
    dnnl_status_t st = ask_all_kinds(e->gpu, set_data_scale);
    if (st == dnnl_unimplemented) st = ask_all_kinds(e->gpu, set_data_shift);
    if (st == dnnl_unimplemented)
        st = ask_all_kinds(e->gpu, set_weights_scales);
    if (st == dnnl_unimplemented)
        st = ask_all_kinds(e->gpu, set_projection_scales);
    return st;
}

static dnnl_status_t set_dropout(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_dropout(attr, draft_matrix(dnnl_u8));
}

dnnl_status_t ask_dropout(const struct refusal_engines *e)
{
    const int takes_it[] = {DRAFT_MATMUL};
    return ask_kinds_but(1, takes_it, e->gpu, set_dropout);
}

static dnnl_status_t drop_out_with(
        const struct refusal_engines *e, dnnl_memory_desc_t mask)
{
    must(dnnl_primitive_attr_set_dropout(draft_new_attr(), mask));
    return draft_multiply(e->gpu, draft_matrix(dnnl_f32),
            draft_matrix(dnnl_f32), draft_matrix(dnnl_f32));
}

/* A column less, and the other order. */
dnnl_status_t ask_mask_of_dropout(const struct refusal_engines *e)
{
    const dnnl_dims_t narrow = {4, 3};
    const dnnl_dims_t dims = {4, 4};
    dnnl_status_t st =
            drop_out_with(e, draft_tagged(2, narrow, dnnl_u8, dnnl_ab));
    if (st != dnnl_unimplemented) return st;
    return drop_out_with(e, draft_tagged(2, dims, dnnl_u8, dnnl_ba));
}

dnnl_status_t ask_type_of_mask(const struct refusal_engines *e)
{
    return drop_out_with(e, draft_matrix(dnnl_s32));
}

static dnnl_status_t set_stochastic(dnnl_primitive_attr_t attr)
{
    return dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
}

dnnl_status_t ask_stochastic(const struct refusal_engines *e)
{
    const int take_it[] = {DRAFT_MATMUL, DRAFT_CONVOLUTION, DRAFT_REORDER};
    return ask_kinds_but(3, take_it, e->gpu, set_stochastic);
}

dnnl_status_t ask_rounded_type(const struct refusal_engines *e)
{
    must(set_stochastic(draft_new_attr()));
    return draft_multiply(e->gpu, draft_matrix(dnnl_s8), draft_matrix(dnnl_s8),
            draft_matrix(dnnl_s32));
}

/* Of matmul with either, and of a convolution. */
dnnl_status_t ask_random_blocks(const struct refusal_engines *e)
{
    const dnnl_dims_t image = {2, 4, 3, 3};
    dnnl_status_t st = dnnl_unimplemented;
    for (int i = 0; i < 2 && st == dnnl_unimplemented; i++) {
        const dnnl_dims_t dims = {4, 4};
        dnnl_primitive_attr_t attr = draft_new_attr();
        must(i == 0 ? dnnl_primitive_attr_set_dropout(
                     attr, draft_tagged(2, dims, dnnl_u8, dnnl_format_tag_any))
                    : set_stochastic(attr));
        st = draft_multiply(e->gpu, draft_matrix(dnnl_f32),
                draft_matrix(dnnl_f32),
                draft_tagged(2, dims, dnnl_f32, dnnl_BA8b4a));
    }
    if (st != dnnl_unimplemented) return st;
    must(set_stochastic(draft_new_attr()));
    return draft_convolve(e->gpu, dnnl_convolution_direct,
            draft_image(dnnl_f32), draft_filter(dnnl_f32),
            draft_tagged(4, image, dnnl_f32, dnnl_aBcd8b));
}

/* ---- Convolution --------------------------------------------------------- */

dnnl_status_t ask_winograd(const struct refusal_engines *e)
{
    return draft_convolve(e->gpu, dnnl_convolution_winograd,
            draft_image(dnnl_f32), draft_filter(dnnl_f32),
            draft_image(dnnl_f32));
}

dnnl_status_t ask_depthwise(const struct refusal_engines *e)
{
    return ask_all_kinds(e->gpu, set_depthwise);
}

dnnl_status_t ask_zero_points_of_places(const struct refusal_engines *e)
{
    static const struct {
        int arg, mask;
    } asked[] = {{DNNL_ARG_SRC, 1}, {DNNL_ARG_SRC, 4}, {DNNL_ARG_WEIGHTS, 2},
            {DNNL_ARG_WEIGHTS, 3}};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        must(dnnl_primitive_attr_set_zero_points_mask(
                draft_new_attr(), asked[i].arg, asked[i].mask));
        st = draft_convolve_bytes(e->gpu);
        if (st != dnnl_unimplemented) break;
    }
    return st;
}

dnnl_status_t ask_scaled_floats(const struct refusal_engines *e)
{
    must(dnnl_primitive_attr_set_scales_mask(
            draft_new_attr(), DNNL_ARG_SRC, 0));
    return draft_convolve(e->gpu, dnnl_convolution_direct,
            draft_image(dnnl_f32), draft_filter(dnnl_f32),
            draft_image(dnnl_f32));
}

dnnl_status_t ask_group_scales(const struct refusal_engines *e)
{
    const dnnl_dims_t weights = {2, 2, 2, 1, 1};
    dnnl_status_t st = dnnl_unimplemented;
    for (int mask = 1; mask <= 2 && st == dnnl_unimplemented; mask++) {
        must(dnnl_primitive_attr_set_scales_mask(
                draft_new_attr(), DNNL_ARG_WEIGHTS, mask));
        st = draft_convolve(e->gpu, dnnl_convolution_direct,
                draft_image(dnnl_s8), draft_strided(5, weights, dnnl_s8, NULL),
                draft_image(dnnl_f32));
    }
    return st;
}

dnnl_status_t ask_far_window(const struct refusal_engines *e)
{
    const dnnl_dim_t far = ((dnnl_dim_t)1 << 29) + 1;
    const dnnl_dims_t ones = {1, 1}, none = {0, 0}, dilates = {far - 2, 0};
    const dnnl_dims_t padding = {far - 1, 0};
    dnnl_memory_desc_t md = draft_image(dnnl_f32);
    return draft_finish(dnnl_pooling_forward_primitive_desc_create(&draft_pd,
            e->gpu, dnnl_forward_inference, dnnl_pooling_max, md, md, ones,
            (dnnl_dims_t){2, 1}, dilates, padding, none, NULL));
}

/* Padding times the stride is 2^88, which in 64 bits is 0. */
dnnl_status_t ask_far_padding(const struct refusal_engines *e)
{
    const dnnl_dim_t far = (dnnl_dim_t)1 << 28;
    const dnnl_dims_t one = {1, 1, 1}, two = {1, 1, 2};
    const dnnl_dims_t apart = {1, 1, (dnnl_dim_t)1 << 60};
    return draft_finish(dnnl_convolution_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_inference, dnnl_convolution_direct,
            draft_strided(3, one, dnnl_f32, apart),
            draft_strided(3, one, dnnl_f32, NULL), NULL,
            draft_strided(3, two, dnnl_f32, NULL), (dnnl_dims_t){far},
            (dnnl_dims_t){0}, (dnnl_dims_t){far}, (dnnl_dims_t){0}, NULL));
}

/* ---- The others ---------------------------------------------------------- */

dnnl_status_t ask_gaps(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 3}, strides = {4, 1};
    return draft_reorder(draft_strided(2, dims, dnnl_f32, NULL), e->gpu,
            draft_strided(2, dims, dnnl_u4, strides), e->gpu);
}

/* No format tag has that many levels, but the bytes of a descriptor may. */
dnnl_status_t ask_deep_blocks(const struct refusal_engines *e)
{
    enum { LEVELS = 5, CHECKSUM_AT = 16, FIELDS_AT = 32, LEVELS_AT = 248 };
    uint8_t blob[DNNL_CACHE_MEMORY_DESC_BLOB_SIZE];
    size_t size = sizeof blob;
    dnnl_memory_desc_t deep = NULL;
    dnnl_memory_desc_t plain =
            draft_strided(2, (dnnl_dims_t){64, 1}, dnnl_f32, NULL);
    must(dnnl_memory_desc_get_blob(blob, &size,
            draft_tagged(2, (dnnl_dims_t){64, 1}, dnnl_f32, dnnl_Ab32a)));
    store_le32(blob + LEVELS_AT, LEVELS);
    for (int i = 0; i < LEVELS; i++) {
        store_le32(blob + LEVELS_AT + 8 + 8 * i, 2);
        store_le32(blob + LEVELS_AT + 8 + 8 * i + 4, 0);
    }
    const struct hash_part parts[] = {
            {blob, CHECKSUM_AT}, {blob + FIELDS_AT, sizeof blob - FIELDS_AT}};
    const struct digest128 digest = hash128_parts(parts, 2);
    memcpy(blob + CHECKSUM_AT, digest.bytes, sizeof digest.bytes);
    must(dnnl_memory_desc_create_with_blob(&deep, blob));
    dnnl_status_t st = draft_reorder(deep, e->gpu, plain, e->gpu);
    dnnl_memory_desc_destroy(deep);
    return st;
}

dnnl_status_t ask_two_cpus(const struct refusal_engines *e)
{
    return draft_reorder(
            draft_matrix(dnnl_f32), e->cpu, draft_matrix(dnnl_f32), e->cpu);
}

dnnl_status_t ask_sum_with_blocks(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 16, 3, 3};
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return draft_reorder(draft_tagged(4, dims, dnnl_f32, dnnl_nchw), e->cpu,
            draft_tagged(4, dims, dnnl_f32, dnnl_nChw16c), e->gpu);
}

dnnl_status_t ask_long_concat(const struct refusal_engines *e)
{
    enum { SOURCES = 96 };
    const_dnnl_memory_desc_t list[SOURCES];
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    for (int i = 0; i < SOURCES; i++)
        list[i] = md;
    return draft_finish(dnnl_concat_primitive_desc_create(
            &draft_pd, e->gpu, NULL, SOURCES, 0, list, NULL));
}

dnnl_status_t ask_long_sum(const struct refusal_engines *e)
{
    enum { SOURCES = 65 };
    const_dnnl_memory_desc_t list[SOURCES];
    float scales[SOURCES] = {0.0f};
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    for (int i = 0; i < SOURCES; i++)
        list[i] = md;
    return draft_finish(dnnl_sum_primitive_desc_create(
            &draft_pd, e->gpu, NULL, SOURCES, scales, list, NULL));
}

dnnl_status_t ask_layouts_of_sum(const struct refusal_engines *e)
{
    enum { SOURCES = 12 };
    const_dnnl_memory_desc_t list[SOURCES];
    float scales[SOURCES] = {0.0f};
    for (int i = 0; i < SOURCES; i++)
        list[i] = draft_strided(
                2, (dnnl_dims_t){4, 4}, dnnl_f32, (dnnl_dims_t){4 + i, 1});
    return draft_finish(dnnl_sum_primitive_desc_create(
            &draft_pd, e->gpu, NULL, SOURCES, scales, list, NULL));
}

dnnl_status_t ask_wide_shuffle(const struct refusal_engines *e)
{
    dnnl_dims_t dims, forth, back;
    for (int d = 0; d < 12; d++) {
        dims[d] = d == 0 ? 4 : 2;
        forth[d] = (dnnl_dim_t)1 << (2 * d);
        back[d] = (dnnl_dim_t)1 << (2 * (11 - d));
    }
    return draft_finish(dnnl_shuffle_forward_primitive_desc_create(&draft_pd,
            e->gpu, dnnl_forward_inference,
            draft_strided(12, dims, dnnl_s8, forth),
            draft_strided(12, dims, dnnl_s8, back), 0, 2, NULL));
}

dnnl_status_t ask_repeated_operand(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {2, 2, 2, 2, 2, 2, 2};
    const dnnl_dims_t some = {1, 2, 1, 2, 1, 2, 1};
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_binary(
            ops, dnnl_binary_add, draft_strided(7, some, dnnl_f32, NULL)));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return draft_relu(e->gpu, draft_strided(7, dims, dnnl_f32, NULL),
            draft_strided(7, dims, dnnl_f32, NULL));
}

dnnl_status_t ask_long_chain(const struct refusal_engines *e)
{
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        must(dnnl_post_ops_append_binary(
                ops, dnnl_binary_add, draft_matrix(dnnl_f32)));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    return draft_multiply(e->gpu, draft_matrix(dnnl_f32),
            draft_matrix(dnnl_f32), draft_matrix(dnnl_f32));
}

dnnl_status_t ask_forbidden_post_ops(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    const_dnnl_memory_desc_t list[] = {md, md};
    const float scales[] = {1.0f, 1.0f};
    dnnl_post_ops_t ops;
    must(dnnl_post_ops_create(&ops));
    must(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    must(dnnl_primitive_attr_set_post_ops(draft_new_attr(), ops));
    dnnl_post_ops_destroy(ops);
    const dnnl_status_t answers[] = {
            dnnl_concat_primitive_desc_create(
                    &draft_pd, e->gpu, NULL, 2, 0, list, draft_attr),
            dnnl_prelu_forward_primitive_desc_create(&draft_pd, e->gpu,
                    dnnl_forward_inference, md, md, md, draft_attr),
            dnnl_shuffle_forward_primitive_desc_create(&draft_pd, e->gpu,
                    dnnl_forward_inference, md, md, 0, 2, draft_attr),
            dnnl_sum_primitive_desc_create(
                    &draft_pd, e->gpu, NULL, 2, scales, list, draft_attr)};
    dnnl_status_t st = dnnl_unimplemented;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i] != dnnl_unimplemented) st = answers[i];
    return draft_finish(st);
}

dnnl_status_t ask_huge(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {INT32_MAX - (1 << 22) + (dnnl_dim_t)1};
    dnnl_memory_desc_t md = draft_strided(1, dims, dnnl_s8, NULL);
    return draft_relu(e->gpu, md, md);
}

dnnl_status_t ask_shared_places(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 4}, strides = {0, 1};
    return draft_relu(e->gpu, draft_matrix(dnnl_f32),
            draft_strided(2, dims, dnnl_f32, strides));
}

dnnl_status_t ask_shared_reorder(const struct refusal_engines *e)
{
    const dnnl_dims_t dims = {4, 4}, strides = {0, 1};
    return draft_reorder(draft_matrix(dnnl_f32), e->gpu,
            draft_strided(2, dims, dnnl_f32, strides), e->gpu);
}

dnnl_status_t ask_shared_statistics(const struct refusal_engines *e)
{
    const dnnl_dims_t lines = {2, 4}, strides = {1, 1};
    dnnl_memory_desc_t md =
            draft_strided(3, (dnnl_dims_t){2, 4, 5}, dnnl_f32, NULL);
    return draft_finish(dnnl_layer_normalization_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_training, md, md,
            draft_strided(2, lines, dnnl_f32, strides), 0.1f, 0, NULL));
}

dnnl_status_t ask_backward(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    return draft_finish(dnnl_eltwise_backward_primitive_desc_create(&draft_pd,
            e->gpu, dnnl_eltwise_relu, md, md, md, 0.0f, 0.0f, NULL, NULL));
}

dnnl_status_t ask_recurrent(const struct refusal_engines *e)
{
    const dnnl_dims_t weights = {2, 1, 5, 1, 5}, layer = {3, 2, 5};
    dnnl_memory_desc_t md = draft_matrix(dnnl_f32);
    dnnl_status_t st = draft_finish(
            dnnl_augru_forward_primitive_desc_create(&draft_pd, e->gpu,
                    dnnl_forward_inference, dnnl_unidirectional_left2right, md,
                    md, md, md, md, md, md, md, 0, NULL));
    if (st != dnnl_unimplemented) return st;
    dnnl_memory_desc_t w = draft_strided(5, weights, dnnl_f32, NULL);
    dnnl_memory_desc_t x = draft_strided(3, layer, dnnl_f32, NULL);
    return draft_finish(dnnl_vanilla_rnn_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_inference, dnnl_eltwise_tanh,
            dnnl_unidirectional_left2right, x, NULL, w, w, NULL, x, NULL, 0,
            0.0f, 0.0f, NULL));
}

dnnl_status_t ask_recurrent_strides(const struct refusal_engines *e)
{
    const dnnl_dims_t weights = {1, 1, 5, 1, 5}, layer = {3, 2, 5};
    const dnnl_dims_t strides = {100, 10, 1};
    dnnl_memory_desc_t w = draft_strided(5, weights, dnnl_f32, NULL);
    dnnl_memory_desc_t x = draft_strided(3, layer, dnnl_f32, strides);
    dnnl_memory_desc_t y = draft_strided(3, layer, dnnl_f32, NULL);
    return draft_finish(dnnl_vanilla_rnn_forward_primitive_desc_create(
            &draft_pd, e->gpu, dnnl_forward_inference, dnnl_eltwise_tanh,
            dnnl_unidirectional_left2right, x, NULL, w, w, NULL, y, NULL, 0,
            0.0f, 0.0f, NULL));
}

dnnl_status_t ask_sparse(const struct refusal_engines *e)
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

dnnl_status_t ask_measuring(const struct refusal_engines *e)
{
    dnnl_stream_t stream;
    dnnl_status_t st = dnnl_stream_create(
            &stream, e->cpu, dnnl_stream_profiling | dnnl_stream_default_flags);
    if (st == dnnl_success) dnnl_stream_destroy(stream);
    return st;
}

dnnl_status_t ask_products_of_the_cpu(const struct refusal_engines *e)
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

dnnl_status_t ask_jit(const struct refusal_engines *e)
{
    (void)e;
    dnnl_status_t st = dnnl_set_jit_dump(1);
    if (st == dnnl_unimplemented)
        st = dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF);
    if (st == dnnl_unimplemented) st = dnnl_set_jit_profiling_jitdumpdir(".");
    return st;
}

dnnl_status_t ask_cpu(const struct refusal_engines *e)
{
    return draft_relu(e->cpu, draft_matrix(dnnl_f32), draft_matrix(dnnl_f32));
}

dnnl_status_t ask_usm(const struct refusal_engines *e)
{
    dnnl_memory_t memory;
    return draft_finish(
            dnnl_ocl_interop_memory_create(&memory, draft_matrix(dnnl_f32),
                    e->gpu, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
}

dnnl_status_t ask_part_of_block(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md;
    (void)e;
    return draft_finish(dnnl_memory_desc_create_submemory(&md,
            draft_tagged(4, (dnnl_dims_t){2, 32, 3, 3}, dnnl_f32, dnnl_nChw16c),
            (dnnl_dims_t){2, 8, 3, 3}, (dnnl_dims_t){0, 4, 0, 0}));
}

dnnl_status_t ask_part_of_unknown(const struct refusal_engines *e)
{
    dnnl_memory_desc_t md;
    (void)e;
    return draft_finish(dnnl_memory_desc_create_submemory(&md,
            draft_tagged(2, (dnnl_dims_t){4, 4}, dnnl_f32, dnnl_format_tag_any),
            (dnnl_dims_t){2, 2}, (dnnl_dims_t){0, 0}));
}
