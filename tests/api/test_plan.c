/* SPDX-License-Identifier: Apache-2.0 */
/* How often the launch of a primitive is planned. */
#include "rig.h"
#include "small_primitives.h"

#include "src/gpu/primitive/primitive_desc.h"

#include "test.h"

static const struct primitive_kind *counted;
static int plans;

static dnnl_status_t count_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    plans++;
    return counted->plan(pd, plan);
}

/* ReLU's descriptor, of a kind that counts its plans. */
static dnnl_primitive_desc_t describe(struct rig *rig, bool has_post_op)
{
    static struct primitive_kind kind;
    struct dnnl_primitive_desc *pd = NULL;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t post_ops;
    dnnl_primitive_desc_t like = relu_desc(rig->engine, 7, 0.5f);
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&post_ops));
    if (has_post_op)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                post_ops, dnnl_eltwise_square, 0.0f, 0.0f));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    counted = like->kind;
    kind = *like->kind;
    kind.plan = count_plan;
    plans = 0;
    EXPECT_OK(primitive_desc_start(&pd, rig->engine, &kind, attr));
    pd->prop_kind = like->prop_kind;
    pd->alg_kind = like->alg_kind;
    pd->alpha = like->alpha;
    for (int i = 0; i < like->tensor_count; i++)
        primitive_desc_add(pd, like->tensors[i].arg, like->tensors[i].is_output,
                &like->tensors[i].md);
    EXPECT_OK(primitive_desc_finish(pd, &pd));
    EXPECT_OK(dnnl_post_ops_destroy(post_ops));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_primitive_desc_destroy(like));
    return pd;
}

static void create(const_dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive;
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_RIG(Plan, OfADescriptorWithAttributesIsThePrimitives)
{
    dnnl_primitive_desc_t pd = describe(rig, true);
    EXPECT_EQ(1, plans);
    create(pd);
    create(pd);
    EXPECT_EQ(1, plans);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(Plan, IsNotMadeWithADescriptorWithout)
{
    dnnl_primitive_desc_t pd = describe(rig, false);
    EXPECT_EQ(0, plans);
    create(pd);
    create(pd);
    EXPECT_EQ(1, plans);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(Plan, IsMadeAgainForAPrimitiveThatIsNotInMemory)
{
    int capacity = 0;
    dnnl_primitive_desc_t pd = describe(rig, true);
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    create(pd);
    EXPECT_EQ(1, plans);
    create(pd);
    EXPECT_EQ(2, plans);
    EXPECT_OK(dnnl_set_primitive_cache_capacity(capacity));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}
