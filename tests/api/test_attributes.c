/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache.h"
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

TEST_C(Attributes, AreMadeAndDestroyed)
{
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, NULL));
    EXPECT_OK(dnnl_post_ops_destroy(ops));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_post_ops_destroy(NULL));
    EXPECT_OK(dnnl_primitive_attr_destroy(NULL));
}

TEST_C(Attributes, RefuseMissingArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    EXPECT_STATUS(wrong, dnnl_primitive_attr_create(NULL));
    EXPECT_STATUS(wrong, dnnl_post_ops_create(NULL));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_post_ops(NULL, NULL));
    EXPECT_STATUS(wrong,
            dnnl_post_ops_append_eltwise(NULL, dnnl_eltwise_relu, 0.0f, 0.0f));
}

TEST_C(Attributes, RefuseWhatIsNoEltwiseAlgorithm)
{
    dnnl_post_ops_t ops;
    const dnnl_alg_kind_t algorithms[] = {dnnl_alg_kind_undef,
            dnnl_convolution_direct, (dnnl_alg_kind_t)(dnnl_eltwise_relu - 1),
            (dnnl_alg_kind_t)(dnnl_eltwise_hardswish + 1), (dnnl_alg_kind_t)-1};
    ASSERT_OK(dnnl_post_ops_create(&ops));
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_post_ops_append_eltwise(ops, algorithms[i], 0.5f, 0.5f));
    dnnl_post_ops_destroy(ops);
}

TEST_C(Attributes, RefuseParametersOutsideTheDomain)
{
    dnnl_post_ops_t ops;
    const struct {
        dnnl_alg_kind_t alg;
        float alpha;
        float beta;
        dnnl_status_t status;
    } cases[] = {{dnnl_eltwise_clip, 1.0f, 0.0f, dnnl_invalid_arguments},
            {dnnl_eltwise_clip_v2, 1.0f, 0.0f, dnnl_invalid_arguments},
            {dnnl_eltwise_clip, NAN, 0.0f, dnnl_invalid_arguments},
            {dnnl_eltwise_clip, 0.0f, NAN, dnnl_invalid_arguments},
            {dnnl_eltwise_soft_relu, 0.0f, 0.0f, dnnl_success},
            {dnnl_eltwise_clip, 1.0f, 1.0f, dnnl_success},
            {dnnl_eltwise_clip_v2, -INFINITY, INFINITY, dnnl_success},
            {dnnl_eltwise_soft_relu, -1.0f, 0.0f, dnnl_success},
            {dnnl_eltwise_pow, 0.0f, 0.0f, dnnl_success}};
    ASSERT_OK(dnnl_post_ops_create(&ops));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        EXPECT_STATUS(
                cases[i].status, dnnl_post_ops_append_eltwise(ops, cases[i].alg,
                                         cases[i].alpha, cases[i].beta));
    dnnl_post_ops_destroy(ops);
}

TEST_C(Attributes, HoldALimitedNumberOfPostOps)
{
    dnnl_post_ops_t ops;
    ASSERT_OK(dnnl_post_ops_create(&ops));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    dnnl_post_ops_destroy(ops);
}

/* ---- What an ID says of them --------------------------------------------- */

/* The ID of a product with a chain of post-ops. */
struct id {
    uint8_t bytes[16384];
    size_t size;
};

static void get_id(const_dnnl_primitive_attr_t attr, struct id *id)
{
    const dnnl_dims_t dims = {4, 4};
    dnnl_primitive_desc_t pd;
    id->size = sizeof id->bytes;
    memset(id->bytes, 0, sizeof id->bytes);
    dnnl_memory_desc_t md = tagged_md(2, dims, dnnl_f32, dnnl_ab);
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, test_engine(), md, md, NULL, md, attr));
    EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(
            pd, &id->size, id->bytes));
    EXPECT_GT(id->size, 0);
    dnnl_primitive_desc_destroy(pd);
}

TEST_C(Attributes, AreInTheIdByAlgorithmParametersAndOrder)
{
    static const struct chain chains[] = {
            {1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}},
            {1, {{dnnl_eltwise_relu, 0.5f, 0.0f}}},
            {1, {{dnnl_eltwise_relu, 0.0f, 0.5f}}},
            {1, {{dnnl_eltwise_elu, 0.5f, 0.0f}}},
            {2, {{dnnl_eltwise_relu, 0.5f, 0.0f},
                        {dnnl_eltwise_elu, 0.5f, 0.0f}}},
            {2, {{dnnl_eltwise_elu, 0.5f, 0.0f},
                        {dnnl_eltwise_relu, 0.5f, 0.0f}}},
            {2, {{dnnl_eltwise_elu, 0.5f, 0.0f},
                        {dnnl_eltwise_elu, 0.5f, 0.0f}}}};
    enum { COUNT = sizeof chains / sizeof chains[0] };
    static struct id ids[COUNT + 1];
    get_id(NULL, &ids[COUNT]);
    for (int i = 0; i < COUNT; i++) {
        dnnl_primitive_attr_t attr = chain_attr(&chains[i]);
        get_id(attr, &ids[i]);
        dnnl_primitive_attr_destroy(attr);
    }
    for (int i = 0; i <= COUNT; i++)
        for (int j = 0; j < i; j++)
            EXPECT_TRUE(
                    ids[i].size != ids[j].size
                    || memcmp(ids[i].bytes, ids[j].bytes, ids[i].size) != 0);
}

TEST_C(Attributes, ThatAreEmptyAreNone)
{
    static struct id with;
    static struct id without;
    dnnl_primitive_attr_t attr;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    get_id(attr, &with);
    get_id(NULL, &without);
    EXPECT_BYTES_EQ(without.bytes, without.size, with.bytes, with.size);
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(Attributes, AreCopiedWhereTheyAreGiven)
{
    static struct id before;
    static struct id after;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    get_id(attr, &before);
    ASSERT_OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0.0f, 0.0f));
    dnnl_post_ops_destroy(ops);
    get_id(attr, &after);
    EXPECT_BYTES_EQ(before.bytes, before.size, after.bytes, after.size);
    dnnl_primitive_attr_destroy(attr);
}

/* ---- What was set is what is got ----------------------------------------- */

TEST_C(Attributes, TellEveryStepOfAChain)
{
    const dnnl_dims_t dims = {1, 4};
    dnnl_post_ops_t ops;
    dnnl_alg_kind_t alg;
    dnnl_data_type_t type;
    const_dnnl_memory_desc_t src1;
    float scale, alpha, beta;
    int32_t zero_point;
    int mask;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_bf16);
    ASSERT_OK(dnnl_post_ops_create(&ops));
    EXPECT_EQ(0, dnnl_post_ops_len(ops));
    EXPECT_OK(dnnl_post_ops_append_sum(ops, 0.5f, -3, dnnl_s8));
    EXPECT_OK(dnnl_post_ops_append_eltwise(
            ops, dnnl_eltwise_linear, 2.0f, 0.25f));
    EXPECT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_max, md));
    EXPECT_OK(dnnl_post_ops_append_prelu(ops, 2));
    EXPECT_EQ(4, dnnl_post_ops_len(ops));
    const dnnl_primitive_kind_t kinds[] = {
            dnnl_sum, dnnl_eltwise, dnnl_binary, dnnl_prelu};
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(kinds[i], dnnl_post_ops_get_kind(ops, i));
    EXPECT_EQ(dnnl_undefined_primitive, dnnl_post_ops_get_kind(ops, 4));
    EXPECT_EQ(dnnl_undefined_primitive, dnnl_post_ops_get_kind(ops, -1));

    EXPECT_OK(dnnl_post_ops_get_params_sum(ops, 0, &scale, &zero_point, &type));
    EXPECT_TRUE(scale == 0.5f && zero_point == -3 && type == dnnl_s8);
    EXPECT_OK(dnnl_post_ops_get_params_eltwise(ops, 1, &alg, &alpha, &beta));
    EXPECT_TRUE(alg == dnnl_eltwise_linear && alpha == 2.0f && beta == 0.25f);
    EXPECT_OK(dnnl_post_ops_get_params_binary(ops, 2, &alg, &src1));
    EXPECT_EQ(dnnl_binary_max, alg);
    EXPECT_TRUE(dnnl_memory_desc_equal(md, src1));
    EXPECT_OK(dnnl_post_ops_get_params_prelu(ops, 3, &mask));
    EXPECT_EQ(2, mask);

    const dnnl_status_t wrong = dnnl_invalid_arguments;
    EXPECT_STATUS(wrong,
            dnnl_post_ops_get_params_sum(ops, 1, &scale, &zero_point, &type));
    EXPECT_STATUS(wrong,
            dnnl_post_ops_get_params_eltwise(ops, 0, &alg, &alpha, &beta));
    EXPECT_STATUS(wrong, dnnl_post_ops_get_params_binary(ops, 4, &alg, &src1));
    EXPECT_STATUS(wrong, dnnl_post_ops_get_params_prelu(ops, -1, &mask));
    EXPECT_STATUS(wrong, dnnl_post_ops_get_params_dw(
                                 ops, 0, NULL, NULL, NULL, NULL, NULL, NULL));
    dnnl_post_ops_destroy(ops);
}

TEST_C(Attributes, RefuseStepsThatCannotBe)
{
    const dnnl_dims_t unknown = {DNNL_RUNTIME_DIM_VAL, 4};
    const dnnl_dims_t dims = {1, 4};
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t runtime = plain_md(2, unknown, dnnl_f32);
    dnnl_memory_desc_t zero =
            tagged_md(0, dims, dnnl_f32, dnnl_format_tag_undef);
    ASSERT_OK(dnnl_post_ops_create(&ops));
    EXPECT_STATUS(wrong,
            dnnl_post_ops_append_sum(ops, 1.0f, 0, (dnnl_data_type_t)99));
    EXPECT_STATUS(
            wrong, dnnl_post_ops_append_binary(ops, dnnl_eltwise_relu, md));
    EXPECT_STATUS(
            wrong, dnnl_post_ops_append_binary(ops, dnnl_binary_select, md));
    EXPECT_STATUS(
            wrong, dnnl_post_ops_append_binary(ops, dnnl_binary_add, NULL));
    EXPECT_STATUS(
            wrong, dnnl_post_ops_append_binary(ops, dnnl_binary_add, zero));
    EXPECT_STATUS(
            wrong, dnnl_post_ops_append_binary(ops, dnnl_binary_add, runtime));
    EXPECT_STATUS(wrong, dnnl_post_ops_append_prelu(ops, -1));
    EXPECT_STATUS(wrong, dnnl_post_ops_append_prelu(ops, 1 << DNNL_MAX_NDIMS));
    EXPECT_EQ(0, dnnl_post_ops_len(ops));
    EXPECT_EQ(0, dnnl_post_ops_len(NULL));
    dnnl_post_ops_destroy(ops);
}

TEST_C(Attributes, CloneOnTheirOwn)
{
    const dnnl_dims_t dims = {1, 4};
    dnnl_post_ops_t ops;
    dnnl_post_ops_t ops_clone;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_attr_t clone;
    const_dnnl_post_ops_t got;
    const_dnnl_memory_desc_t src1;
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, md));
    ASSERT_OK(dnnl_post_ops_clone(&ops_clone, ops));
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    ASSERT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    ASSERT_OK(dnnl_primitive_attr_set_deterministic(attr, 5));
    ASSERT_OK(dnnl_primitive_attr_clone(&clone, attr));
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(ops);
    EXPECT_EQ(1, dnnl_post_ops_len(ops_clone));
    EXPECT_OK(dnnl_primitive_attr_get_post_ops(clone, &got));
    EXPECT_OK(dnnl_post_ops_get_params_binary(got, 0, NULL, &src1));
    EXPECT_TRUE(dnnl_memory_desc_equal(md, src1));
    int deterministic = 0;
    EXPECT_OK(dnnl_primitive_attr_get_deterministic(clone, &deterministic));
    EXPECT_EQ(1, deterministic);
    dnnl_post_ops_destroy(ops_clone);
    dnnl_primitive_attr_destroy(clone);
}

TEST_C(Attributes, KeepTheirModes)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_primitive_attr_t attr;
    dnnl_fpmath_mode_t math = dnnl_fpmath_mode_any;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_any;
    dnnl_scratchpad_mode_t scratchpad = dnnl_scratchpad_mode_user;
    int number = 7;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &math, &number));
    EXPECT_TRUE(math == dnnl_fpmath_mode_strict && number == 0);
    EXPECT_OK(dnnl_primitive_attr_set_fpmath_mode_v2(
            attr, dnnl_fpmath_mode_bf16, 1));
    EXPECT_OK(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &math, &number));
    EXPECT_TRUE(math == dnnl_fpmath_mode_bf16 && number == 1);
    EXPECT_OK(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_tf32));
    EXPECT_OK(dnnl_primitive_attr_get_fpmath_mode(attr, &math));
    EXPECT_EQ(dnnl_fpmath_mode_tf32, math);
    EXPECT_STATUS(wrong,
            dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)9));

    EXPECT_OK(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation));
    EXPECT_EQ(dnnl_accumulation_mode_strict, accumulation);
    EXPECT_OK(dnnl_primitive_attr_set_accumulation_mode(
            attr, dnnl_accumulation_mode_s32));
    EXPECT_OK(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation));
    EXPECT_EQ(dnnl_accumulation_mode_s32, accumulation);
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_accumulation_mode(
                                 attr, (dnnl_accumulation_mode_t)9));

    EXPECT_OK(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    EXPECT_EQ(dnnl_scratchpad_mode_library, scratchpad);
    EXPECT_OK(dnnl_primitive_attr_set_scratchpad_mode(
            attr, dnnl_scratchpad_mode_user));
    EXPECT_OK(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    EXPECT_EQ(dnnl_scratchpad_mode_user, scratchpad);
    dnnl_primitive_attr_destroy(attr);

    EXPECT_OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_f16));
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_get_fpmath_mode(attr, &math));
    EXPECT_EQ(dnnl_fpmath_mode_f16, math);
    EXPECT_OK(dnnl_get_default_fpmath_mode(&math));
    EXPECT_EQ(dnnl_fpmath_mode_f16, math);
    EXPECT_OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict));
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(Attributes, RefuseNumbersThatCannotBe)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_dims_t none = {0, 1};
    dnnl_primitive_attr_t attr;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_scales_mask(NULL, DNNL_ARG_SRC, 0));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_scales_mask(attr, 0, 0));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MEAN, 0));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_BIAS, 0));
    EXPECT_STATUS(wrong,
            dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_MEAN, 0));
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(
            attr, DNNL_ARG_MULTIPLE_SRC + 3, 0));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, -1));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_zero_points_mask(
                                 attr, DNNL_ARG_SRC, 1 << DNNL_MAX_NDIMS));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_scales(
                                 attr, DNNL_ARG_WEIGHTS, 3, 2, none, dnnl_f32));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_scales(
                                 attr, DNNL_ARG_WEIGHTS, 3, 2, NULL, dnnl_f32));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS,
                           3, 0, NULL, dnnl_data_type_undef));
    for (int type = dnnl_data_type_undef; type <= dnnl_f4_e3m0; type++) {
        bool is_integer = type == dnnl_s32 || type == dnnl_s8 || type == dnnl_u8
                          || type == dnnl_s4 || type == dnnl_u4;
        EXPECT_STATUS(is_integer ? dnnl_success : wrong,
                dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_SRC, 0, 0,
                        NULL, (dnnl_data_type_t)type));
    }
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(Attributes, AreInTheIdByTheirNumbers)
{
    enum { COUNT = 6 };
    static struct id ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        dnnl_primitive_attr_t attr;
        ASSERT_OK(dnnl_primitive_attr_create(&attr));
        if (i == 1)
            ASSERT_OK(
                    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
        if (i == 2)
            ASSERT_OK(dnnl_primitive_attr_set_scales_mask(
                    attr, DNNL_ARG_WEIGHTS, 0));
        if (i == 3)
            ASSERT_OK(dnnl_primitive_attr_set_scales_mask(
                    attr, DNNL_ARG_WEIGHTS, 2));
        if (i == 4)
            ASSERT_OK(dnnl_primitive_attr_set_zero_points_mask(
                    attr, DNNL_ARG_DST, 0));
        if (i == 5)
            ASSERT_OK(dnnl_primitive_attr_set_scales(
                    attr, DNNL_ARG_WEIGHTS, 2, 0, NULL, dnnl_f16));
        get_id(attr, &ids[i]);
        dnnl_primitive_attr_destroy(attr);
    }
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++)
            EXPECT_TRUE(
                    ids[i].size != ids[j].size
                    || memcmp(ids[i].bytes, ids[j].bytes, ids[i].size) != 0);
}

/* ---- Of a descriptor ----------------------------------------------------- */

TEST_C(Attributes, AreToldByTheDescriptorAndThePrimitive)
{
    const dnnl_dims_t dims = {4, 4};
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_desc_t clone;
    dnnl_primitive_t primitive;
    const_dnnl_primitive_desc_t of;
    const_dnnl_primitive_attr_t got;
    dnnl_scratchpad_mode_t mode;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_primitive_attr_set_scratchpad_mode(
            attr, dnnl_scratchpad_mode_user));
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, test_engine(), md, md, NULL, md, attr));
    dnnl_primitive_attr_destroy(attr);
    EXPECT_STATUS(dnnl_last_impl_reached, dnnl_primitive_desc_next_impl(pd));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_primitive_desc_next_impl(NULL));
    ASSERT_OK(dnnl_primitive_desc_clone(&clone, pd));
    dnnl_primitive_desc_destroy(pd);
    ASSERT_OK(dnnl_primitive_create(&primitive, clone));
    dnnl_primitive_desc_destroy(clone);
    ASSERT_OK(dnnl_primitive_get_primitive_desc(primitive, &of));
    EXPECT_OK(dnnl_primitive_desc_get_attr(of, &got));
    EXPECT_OK(dnnl_primitive_attr_get_scratchpad_mode(got, &mode));
    EXPECT_EQ(dnnl_scratchpad_mode_user, mode);
    dnnl_primitive_destroy(primitive);
}
