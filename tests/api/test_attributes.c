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
            {dnnl_eltwise_soft_relu, 0.0f, 0.0f, dnnl_invalid_arguments},
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
    dnnl_memory_desc_t md;
    dnnl_primitive_desc_t pd;
    id->size = sizeof id->bytes;
    memset(id->bytes, 0, sizeof id->bytes);
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, test_engine(), md, md, NULL, md, attr));
    EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(
            pd, &id->size, id->bytes));
    EXPECT_GT(id->size, 0);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
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
