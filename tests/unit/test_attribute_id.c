/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an ID that is the attributes'. Of those that descriptors are
 * refused for no ID is ever asked, and still no two may be one. */
#include "src/gpu/primitive/attributes.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { most_bytes = 4096 };

struct part {
    size_t size;
    uint8_t bytes[most_bytes];
};

static void write_part(
        const struct dnnl_primitive_attr *attr, struct part *part)
{
    memset(part, 0, sizeof *part);
    part->size = attr_id_size(attr);
    ASSERT_TRUE(part->size <= most_bytes);
    EXPECT_PTR_EQ(part->bytes + part->size, attr_write_id(attr, part->bytes));
}

static bool is_same(const struct part *a, const struct part *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void append_depthwise(dnnl_primitive_attr_t attr, const int *numbers)
{
    dnnl_post_ops_t ops;
    ASSERT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_post_ops_append_dw(ops, (dnnl_data_type_t)numbers[0],
            (dnnl_data_type_t)numbers[1], (dnnl_data_type_t)numbers[2],
            numbers[3], numbers[4], numbers[5]));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
}

static void set_dropout(dnnl_primitive_attr_t attr, dnnl_data_type_t type)
{
    struct dnnl_memory_desc md = {.ndims = 1,
            .data_type = type,
            .format_kind = dnnl_blocked,
            .dims = {4},
            .strides = {1}};
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, &md));
}

static void set_scales(dnnl_primitive_attr_t attr, bool is_projection,
        dnnl_dim_t count, int mask, float last)
{
    const float scales[] = {count == 1 ? last : 1.0f, last};
    EXPECT_OK(is_projection
                      ? dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                              attr, count, mask, scales)
                      : dnnl_primitive_attr_set_rnn_weights_qparams(
                              attr, count, mask, scales));
}

static void set_stochastic(dnnl_primitive_attr_t attr, int arg)
{
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            attr, arg, dnnl_rounding_mode_stochastic));
}

/* Scales or zero points of weights, which differ in what is known of them. */
static void set_groups(dnnl_primitive_attr_t attr, const int *numbers)
{
    const dnnl_dims_t groups = {numbers[2], numbers[3]};
    const bool is_scale = numbers[4] == dnnl_f16 || numbers[4] == dnnl_f32;
    EXPECT_OK((is_scale ? dnnl_primitive_attr_set_scales
                        : dnnl_primitive_attr_set_zero_points)(attr,
            DNNL_ARG_WEIGHTS, numbers[0], numbers[1], groups,
            (dnnl_data_type_t)numbers[4]));
}

enum { DEPTHWISE = 16, GROUPS = 23, SETTINGS = 31 };

/* A setting that no other number has; 0: none. */
static void set(dnnl_primitive_attr_t attr, int which)
{
    static const int depthwise[][6] = {{dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1},
            {dnnl_s8, dnnl_f32, dnnl_f32, 3, 1, 1},
            {dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 1},
            {dnnl_f32, dnnl_f32, dnnl_s8, 3, 1, 1},
            {dnnl_f32, dnnl_f32, dnnl_f32, 5, 1, 1},
            {dnnl_f32, dnnl_f32, dnnl_f32, 3, 2, 1},
            {dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 0}};
    static const int groups[][5] = {{3, 2, 32, 1, dnnl_f16},
            {3, 2, 64, 1, dnnl_f16}, {3, 2, 32, 2, dnnl_f16},
            {3, 2, 32, 1, dnnl_f32}, {1, 2, 32, 1, dnnl_f16},
            {3, 1, 32, 0, dnnl_f16}, {3, 2, 32, 1, dnnl_u4},
            {3, 2, 32, 1, dnnl_s4}};
    if (which >= GROUPS)
        set_groups(attr, groups[which - GROUPS]);
    else if (which >= DEPTHWISE)
        append_depthwise(attr, depthwise[which - DEPTHWISE]);
    switch (which) {
    case 1:
        EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 2.0f, 0.0f));
        break;
    case 2:
        EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 1.0f, 2.0f));
        break;
    case 3:
    case 4:
        set_scales(attr, which == 4, 1, 0, 2.0f);
        break;
    case 5:
    case 6:
        set_scales(attr, which == 6, 1, 1, 2.0f);
        break;
    case 7:
    case 8:
        set_scales(attr, which == 8, 2, 0, 2.0f);
        break;
    case 9:
    case 10:
        set_scales(attr, which == 10, 2, 0, 3.0f);
        break;
    case 11:
    case 12:
        set_dropout(attr, which == 11 ? dnnl_u8 : dnnl_s8);
        break;
    case 13:
        set_stochastic(attr, DNNL_ARG_DST);
        break;
    case 14:
        set_stochastic(attr, DNNL_ARG_DIFF_SRC);
        break;
    case 15:
        set_stochastic(attr, DNNL_ARG_DIFF_WEIGHTS);
        break;
    default:
        break;
    }
}

TEST_C(AttributeIds, DifferByEverySetting)
{
    static struct part parts[SETTINGS];
    static struct part of_clone;
    for (int i = 0; i < SETTINGS; i++) {
        dnnl_primitive_attr_t attr, clone;
        ASSERT_OK(dnnl_primitive_attr_create(&attr));
        set(attr, i);
        ASSERT_OK(dnnl_primitive_attr_clone(&clone, attr));
        EXPECT_EQ(i == 0, attr_is_default(attr));
        write_part(attr, &parts[i]);
        dnnl_primitive_attr_destroy(attr);
        write_part(clone, &of_clone);
        EXPECT_TRUE(is_same(&parts[i], &of_clone));
        dnnl_primitive_attr_destroy(clone);
        for (int k = 0; k < i; k++)
            EXPECT_FALSE(is_same(&parts[i], &parts[k]));
    }
}

/* Primitives that were kept before there were such settings stay where they
 * are. */
TEST_C(AttributeIds, HaveNothingOfWhatChangesNothing)
{
    static struct part plain, part;
    dnnl_primitive_attr_t attr;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    write_part(attr, &plain);
    EXPECT_EQ(8, plain.size);
    set_scales(attr, false, 2, 1, 1.0f);
    set_scales(attr, true, 1, 0, 1.0f);
    EXPECT_OK(dnnl_primitive_attr_set_rnn_data_qparams(attr, 1.0f, 0.0f));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, &memory_desc_zero));
    write_part(attr, &part);
    EXPECT_TRUE(is_same(&plain, &part));
    EXPECT_TRUE(attr_is_default(attr));
    dnnl_primitive_attr_destroy(attr);
}
