/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that no primitive here heeds: kept as they are set. That
 * descriptors are refused for them is in test_refusals. */
#include "rig.h"
#include "small_primitives.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static dnnl_primitive_attr_t new_attr(void)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    return attr;
}

/* ---- Numbers of recurrent primitives ------------------------------------- */

/* Both calls for factors of weights, which are one but for their names. */
struct scales_calls {
    dnnl_status_t (*set)(dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
            const float *scales);
    dnnl_status_t (*get)(const_dnnl_primitive_attr_t attr, dnnl_dim_t *count,
            int *mask, const float **scales);
};

enum { SCALES_CALLS = 2 };

static const struct scales_calls scales_calls[SCALES_CALLS] = {
        {dnnl_primitive_attr_set_rnn_weights_qparams,
                dnnl_primitive_attr_get_rnn_weights_qparams},
        {dnnl_primitive_attr_set_rnn_weights_projection_qparams,
                dnnl_primitive_attr_get_rnn_weights_projection_qparams}};

static void expect_scales(const struct scales_calls *calls,
        const_dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
        const float *scales)
{
    dnnl_dim_t got_count = 0;
    int got_mask = -1;
    const float *got = NULL;
    EXPECT_OK(calls->get(attr, &got_count, &got_mask, &got));
    EXPECT_EQ(count, got_count);
    EXPECT_EQ(mask, got_mask);
    ASSERT_NOT_NULL(got);
    EXPECT_EQ(0, memcmp(scales, got, (size_t)count * sizeof *got));
}

TEST_C(UnusedAttributes, KeepDataQuantization)
{
    dnnl_primitive_attr_t attr = new_attr();
    float scale = 0.0f, shift = 7.0f;
    EXPECT_OK(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    EXPECT_TRUE(scale == 1.0f && shift == 0.0f);
    EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 0.5f, 2.0f));
    EXPECT_OK(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, NULL));
    EXPECT_OK(dnnl_primitive_attr_get_rnn_data_qparams(attr, NULL, &shift));
    EXPECT_TRUE(scale == 0.5f && shift == 2.0f);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_attr_set_rnn_data_qparams(NULL, 0.5f, 2.0f));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_attr_get_rnn_data_qparams(NULL, &scale, &shift));
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(UnusedAttributes, KeepFactorsOfWeights)
{
    static const float one[] = {1.0f}, two[] = {2.0f}, four[] = {1, 2, 4, 8};
    for (int i = 0; i < SCALES_CALLS; i++) {
        const struct scales_calls *calls = &scales_calls[i];
        const float *own = NULL;
        dnnl_primitive_attr_t attr = new_attr();
        expect_scales(calls, attr, 1, 0, one);
        EXPECT_OK(calls->set(attr, 1, 0, two));
        expect_scales(calls, attr, 1, 0, two);
        EXPECT_OK(calls->set(attr, 4, 1 << 1, four));
        expect_scales(calls, attr, 4, 2, four);
        expect_scales(&scales_calls[1 - i], attr, 1, 0, one);
        /* Of what they have themselves. */
        EXPECT_OK(calls->get(attr, NULL, NULL, &own));
        EXPECT_OK(calls->set(attr, 3, 1, own + 1));
        expect_scales(calls, attr, 3, 1, four + 1);
        dnnl_primitive_attr_destroy(attr);
    }
}

/* Then there is one to read, whatever the number. */
TEST_C(UnusedAttributes, ReadOneFactorThatExecutionBrings)
{
    const float later = DNNL_RUNTIME_F32_VAL;
    const float all[] = {later, later, later};
    for (int i = 0; i < SCALES_CALLS; i++) {
        dnnl_primitive_attr_t attr = new_attr();
        EXPECT_OK(scales_calls[i].set(attr, 3, 4, &later));
        expect_scales(&scales_calls[i], attr, 3, 4, all);
        dnnl_primitive_attr_destroy(attr);
    }
}

TEST_C(UnusedAttributes, RefuseFactorsThatCannotBe)
{
    static const float one[] = {1.0f}, three[] = {3.0f};
    for (int i = 0; i < SCALES_CALLS; i++) {
        const struct scales_calls *calls = &scales_calls[i];
        const dnnl_status_t wrong = dnnl_invalid_arguments;
        dnnl_primitive_attr_t attr = new_attr();
        EXPECT_STATUS(wrong, calls->set(NULL, 1, 0, three));
        EXPECT_STATUS(wrong, calls->set(attr, 1, 0, NULL));
        EXPECT_STATUS(wrong, calls->set(attr, 0, 0, three));
        EXPECT_STATUS(wrong, calls->set(attr, -1, 0, three));
        EXPECT_STATUS(wrong, calls->set(attr, 1, -1, three));
        EXPECT_STATUS(
                dnnl_out_of_memory, calls->set(attr, INT64_MAX, 0, three));
        EXPECT_STATUS(wrong, calls->get(NULL, NULL, NULL, NULL));
        expect_scales(calls, attr, 1, 0, one);
        dnnl_primitive_attr_destroy(attr);
    }
}

/* ---- Depthwise convolutions ---------------------------------------------- */

static void expect_depthwise(
        const_dnnl_post_ops_t ops, int step, dnnl_data_type_t bias)
{
    dnnl_data_type_t types[3] = {dnnl_f64, dnnl_f64, dnnl_f64};
    dnnl_dim_t sizes[3] = {0, 0, 0};
    EXPECT_EQ(dnnl_convolution, dnnl_post_ops_get_kind(ops, step));
    EXPECT_OK(dnnl_post_ops_get_params_dw(ops, step, &types[0], &types[1],
            &types[2], &sizes[0], &sizes[1], &sizes[2]));
    EXPECT_EQ(dnnl_s8, types[0]);
    EXPECT_EQ(bias, types[1]);
    EXPECT_EQ(dnnl_u8, types[2]);
    EXPECT_EQ(5, sizes[0]);
    EXPECT_EQ(2, sizes[1]);
    EXPECT_EQ(4, sizes[2]);
}

TEST_C(UnusedAttributes, KeepDepthwiseConvolutions)
{
    const dnnl_data_type_t none = dnnl_data_type_undef;
    dnnl_post_ops_t ops = NULL;
    dnnl_post_ops_t clone = NULL;
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_sum(ops, 1.0f, 0, none));
    EXPECT_OK(
            dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 5, 2, 4));
    EXPECT_OK(dnnl_post_ops_append_dw(ops, dnnl_s8, none, dnnl_u8, 5, 2, 4));
    EXPECT_OK(dnnl_post_ops_clone(&clone, ops));
    dnnl_post_ops_destroy(ops);
    EXPECT_EQ(3, dnnl_post_ops_len(clone));
    expect_depthwise(clone, 1, dnnl_f32);
    expect_depthwise(clone, 2, none);
    EXPECT_OK(dnnl_post_ops_get_params_dw(
            clone, 1, NULL, NULL, NULL, NULL, NULL, NULL));
    for (int step = -1; step <= 3; step++)
        EXPECT_STATUS(
                step == 1 || step == 2 ? dnnl_success : dnnl_invalid_arguments,
                dnnl_post_ops_get_params_dw(
                        clone, step, NULL, NULL, NULL, NULL, NULL, NULL));
    dnnl_post_ops_destroy(clone);
}

TEST_C(UnusedAttributes, RefuseDepthwiseConvolutionsThatCannotBe)
{
    static const struct {
        int types[3];
        dnnl_dim_t sizes[3];
    } wrong[] = {{{dnnl_data_type_undef, dnnl_f32, dnnl_f32}, {3, 1, 1}},
            {{dnnl_f32, dnnl_f32, dnnl_data_type_undef}, {3, 1, 1}},
            {{99, dnnl_f32, dnnl_f32}, {3, 1, 1}},
            {{dnnl_f32, 99, dnnl_f32}, {3, 1, 1}},
            {{dnnl_f32, dnnl_f32, 99}, {3, 1, 1}},
            {{dnnl_f32, dnnl_f32, dnnl_f32}, {0, 1, 0}},
            {{dnnl_f32, dnnl_f32, dnnl_f32}, {3, 0, 1}},
            {{dnnl_f32, dnnl_f32, dnnl_f32}, {3, 1, 3}},
            {{dnnl_f32, dnnl_f32, dnnl_f32}, {3, 1, INT64_MAX}}};
    dnnl_post_ops_t ops = NULL;
    ASSERT_OK(dnnl_post_ops_create(&ops));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_post_ops_append_dw(ops,
                        (dnnl_data_type_t)wrong[i].types[0],
                        (dnnl_data_type_t)wrong[i].types[1],
                        (dnnl_data_type_t)wrong[i].types[2], wrong[i].sizes[0],
                        wrong[i].sizes[1], wrong[i].sizes[2]));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_post_ops_append_dw(NULL, dnnl_f32,
                                            dnnl_f32, dnnl_f32, 3, 1, 1));
    EXPECT_EQ(0, dnnl_post_ops_len(ops));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        EXPECT_OK(dnnl_post_ops_append_dw(
                ops, dnnl_f32, dnnl_f32, dnnl_f32, 1, 1, 0));
    EXPECT_STATUS(dnnl_out_of_memory, dnnl_post_ops_append_dw(ops, dnnl_f32,
                                              dnnl_f32, dnnl_f32, 1, 1, 0));
    dnnl_post_ops_destroy(ops);
}

/* Scales that come with them, and with primitives of three sources. */
TEST_RIG(UnusedAttributes, AreScalesOfWhatIsNotHere)
{
    static const int args[] = {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC,
            DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
            DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST, DNNL_ARG_SRC_2};
    dnnl_memory_desc_t md = matrix_desc(4, 4);
    for (int i = 0; i < 5; i++) {
        dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_attr_t attr = new_attr();
        if (i < 4)
            EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, args[i], 0));
        else
            EXPECT_OK(dnnl_primitive_attr_set_zero_points_mask(
                    attr, DNNL_ARG_SRC_2, 0));
        EXPECT_STATUS(dnnl_unimplemented,
                dnnl_matmul_primitive_desc_create(
                        &pd, rig->engine, md, md, NULL, md, attr));
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_primitive_attr_set_zero_points_mask(
                        attr, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 0));
        dnnl_primitive_attr_destroy(attr);
    }
    dnnl_memory_desc_destroy(md);
}

/* ---- All ----------------------------------------------------------------- */

static const float factors[] = {2.0f, 3.0f};

/* One by one; the last sets what is there anyway. */
enum { SETTINGS = 4 };

static void set_one(dnnl_primitive_attr_t attr, int which)
{
    static const float ones[] = {1.0f, 1.0f, 1.0f};
    switch (which) {
    case 0:
        EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 4.0f, 0.0f));
        break;
    case 1:
    case 2:
        EXPECT_OK(scales_calls[which - 1].set(attr, 2, 8, factors));
        break;
    default:
        EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 1.0f, 0.0f));
        EXPECT_OK(scales_calls[0].set(attr, 3, 8, ones));
        EXPECT_OK(scales_calls[1].set(attr, 1, 0, ones));
    }
}

TEST_C(UnusedAttributes, AreCloned)
{
    float scale = 0.0f;
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_primitive_attr_t clone = NULL;
    for (int i = 0; i < SETTINGS - 1; i++)
        set_one(attr, i);
    ASSERT_OK(dnnl_primitive_attr_clone(&clone, attr));
    /* On their own. */
    set_one(attr, SETTINGS - 1);
    dnnl_primitive_attr_destroy(attr);
    EXPECT_OK(dnnl_primitive_attr_get_rnn_data_qparams(clone, &scale, NULL));
    EXPECT_TRUE(scale == 4.0f);
    for (int i = 0; i < SCALES_CALLS; i++)
        expect_scales(&scales_calls[i], clone, 2, 8, factors);
    dnnl_primitive_attr_destroy(clone);
}

static void get_id(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
        uint8_t id[4096], size_t *size)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = matrix_desc(4, 4);
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, engine, md, md, NULL, md, attr));
    *size = 4096;
    EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(pd, size, id));
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
}

/* A descriptor has them then, and an ID of its own makes nobody compile anew.
 */
TEST_RIG(UnusedAttributes, ThatChangeNothingAreTaken)
{
    static uint8_t ids[2][4096];
    size_t sizes[2] = {0, 0};
    dnnl_primitive_attr_t attr = new_attr();
    get_id(rig->engine, attr, ids[0], &sizes[0]);
    set_one(attr, SETTINGS - 1);
    get_id(rig->engine, attr, ids[1], &sizes[1]);
    EXPECT_GT(sizes[0], 0);
    EXPECT_BYTES_EQ(ids[0], sizes[0], ids[1], sizes[1]);
    dnnl_primitive_attr_destroy(attr);
}
