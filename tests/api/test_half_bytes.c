/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders from and to tensors of two elements a byte. */
#include "run_primitive.h"
#include "test.h"

#include <string.h>

struct reorder {
    struct tensor src, dst;
    struct tensor scale; /* of dst, for each column; none if its rank is 0 */
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct reorder *r = user;
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (r->scale.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(
                attr, DNNL_ARG_DST, 1 << 1));
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, r->src.md, engine, r->dst.md, engine, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* Scales are powers of two: what becomes of an element is exact. */
static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct reorder *r = user;
    double value = reference_at(&r->src.view, place);
    if (r->scale.md != NULL) value /= reference_read(&r->scale.view, place[1]);
    return (struct reference_value){value, 0.0};
}

/* Rounded to nearest even and saturated; the half of a byte behind an odd
 * number of elements becomes 0. */
static void expect_converted(struct reorder *r)
{
    const struct reference_tensor *dst = &r->dst.view;
    dnnl_dims_t place;
    for (dnnl_dim_t i = 0; i < reference_count(dst); i++) {
        unsigned char bytes[8] = {0};
        struct reference_tensor one = {.type = dst->type, .data = bytes};
        reference_place(dst, i, place);
        (void)reference_convert(expected(r, place).value, dst->type, bytes);
        EXPECT_EQ(reference_read(&one, 0), reference_at(dst, place));
        if (test_has_failed()) return;
    }
    if ((dst->type == dnnl_s4 || dst->type == dnnl_u4)
            && reference_count(dst) % 2 != 0)
        EXPECT_EQ(0, r->dst.bytes[r->dst.size - 1] >> 4);
}

static void check(dnnl_data_type_t from, dnnl_format_tag_t src,
        dnnl_data_type_t to, dnnl_format_tag_t dst, bool is_scaled,
        uint64_t *seed)
{
    static const dnnl_dims_t sizes[] = {{3, 7}, {1, 1}, {16, 24}, {33, 65}};
    for (size_t i = 0; i < COUNT(sizes) && !test_has_failed(); i++) {
        struct reorder r;
        struct run_argument args[3] = {{DNNL_ARG_SRC, &r.src},
                {DNNL_ARG_DST, &r.dst},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, &r.scale}};
        const double scales[] = {0.5, 2.0, 4.0};
        memset(&r, 0, sizeof r);
        tensor_init(&r.src, from, 2, sizes[i], src);
        tensor_init(&r.dst, to, 2, sizes[i], dst);
        tensor_randomize(&r.src, seed, -20.0, 20.0);
        if (is_scaled) {
            tensor_init(
                    &r.scale, dnnl_f32, 1, (dnnl_dims_t){sizes[i][1]}, dnnl_a);
            tensor_set(&r.scale, scales, COUNT(scales));
        }
        if (run_twice(describe, &r, args, is_scaled ? 3 : 2))
            expect_converted(&r);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "%s to %s: %lld x %lld",
                    dnnl_dt2str(from), dnnl_dt2str(to), (long long)sizes[i][0],
                    (long long)sizes[i][1]);
        tensor_fini(&r.src);
        tensor_fini(&r.dst);
        tensor_fini(&r.scale);
    }
}

TEST_C(HalfBytes, ArePackedAndUnpacked)
{
    uint64_t seed = test_seed();
    check(dnnl_f32, dnnl_ab, dnnl_u4, dnnl_ab, false, &seed);
    check(dnnl_s4, dnnl_ba, dnnl_f32, dnnl_ab, false, &seed);
}

TEST_C(HalfBytes, AreMadeOfEveryTypeAndLayout)
{
    uint64_t seed = test_seed();
    check(dnnl_s8, dnnl_ba, dnnl_s4, dnnl_ab, false, &seed);
    check(dnnl_s4, dnnl_ab, dnnl_u4, dnnl_ba, false, &seed);
    check(dnnl_u4, dnnl_ab, dnnl_s8, dnnl_ba, false, &seed);
    check(dnnl_bf16, dnnl_ab, dnnl_s4, dnnl_ba, true, &seed);
}

/* ---- Blocks -------------------------------------------------------------- */

/* There and back; padding is 0. */
TEST_C(HalfBytes, LieInBlocks)
{
    const dnnl_dims_t dims = {18, 21};
    uint64_t seed = test_seed();
    struct reorder to;
    struct reorder back;
    memset(&to, 0, sizeof to);
    memset(&back, 0, sizeof back);
    tensor_init(&to.src, dnnl_s8, 2, dims, dnnl_ab);
    tensor_init(&to.dst, dnnl_s4, 2, dims, dnnl_BA16a16b);
    tensor_init(&back.dst, dnnl_s8, 2, dims, dnnl_ab);
    tensor_randomize(&to.src, &seed, -8.5, 7.5);
    struct run_argument there[] = {
            {DNNL_ARG_SRC, &to.src}, {DNNL_ARG_DST, &to.dst}};
    struct run_argument and_back[] = {
            {DNNL_ARG_SRC, &to.dst}, {DNNL_ARG_DST, &back.dst}};
    /* 32 x 32 elements of half a byte. */
    EXPECT_EQ(512u, to.dst.size);
    if (run_twice(describe, &to, there, 2)) {
        back.src = to.dst;
        if (run_twice(describe, &back, and_back, 2))
            EXPECT_BYTES_EQ(
                    to.src.bytes, to.src.size, back.dst.bytes, back.dst.size);
    }
    tensor_fini(&to.src);
    tensor_fini(&to.dst);
    tensor_fini(&back.dst);
}

static dnnl_status_t describe_product(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct run_argument *args = user;
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_fpmath_mode_v2(
            attr, dnnl_fpmath_mode_any, 1));
    dnnl_status_t st =
            dnnl_matmul_primitive_desc_create(pd, engine, args[0].tensor->md,
                    args[1].tensor->md, NULL, args[2].tensor->md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* As weights: the product is that of plain ones, bit for bit. */
TEST_C(HalfBytes, AreMultipliedFromBlocks)
{
    const dnnl_dims_t dims = {18, 21};
    uint64_t seed = test_seed();
    struct reorder r;
    struct tensor src;
    struct tensor dst[2];
    memset(&r, 0, sizeof r);
    tensor_init(&src, dnnl_f32, 2, (dnnl_dims_t){3, 18}, dnnl_ab);
    tensor_init(&r.src, dnnl_s4, 2, dims, dnnl_ab);
    tensor_init(&r.dst, dnnl_s4, 2, dims, dnnl_BA16a16b);
    tensor_randomize(&src, &seed, -1.0, 1.0);
    tensor_randomize(&r.src, &seed, -8.5, 7.5);
    struct run_argument moved[] = {
            {DNNL_ARG_SRC, &r.src}, {DNNL_ARG_DST, &r.dst}};
    bool done = run_twice(describe, &r, moved, 2);
    for (int i = 0; i < 2; i++) {
        tensor_init(&dst[i], dnnl_f32, 2, (dnnl_dims_t){3, 21}, dnnl_ab);
        struct run_argument args[] = {{DNNL_ARG_SRC, &src},
                {DNNL_ARG_WEIGHTS, i == 0 ? &r.src : &r.dst},
                {DNNL_ARG_DST, &dst[i]}};
        done = done && run_twice(describe_product, args, args, 3);
    }
    if (done)
        EXPECT_BYTES_EQ(dst[0].bytes, dst[0].size, dst[1].bytes, dst[1].size);
    struct tensor *tensors[] = {&src, &r.src, &r.dst, &dst[0], &dst[1]};
    for (size_t i = 0; i < COUNT(tensors); i++)
        tensor_fini(tensors[i]);
}

/* ---- Between host and device --------------------------------------------- */

TEST_C(HalfBytes, GoFromHostToDeviceAndBack)
{
    enum { COUNT_OF = 35 };
    const dnnl_dims_t dims = {5, 7};
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memories[3] = {NULL, NULL, NULL};
    float values[COUNT_OF];
    float back[COUNT_OF] = {0.0f};
    for (int i = 0; i < COUNT_OF; i++)
        values[i] = (float)(i % 16 - 8);
    dnnl_memory_desc_t floats = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t packed = plain_md(2, dims, dnnl_s4);
    EXPECT_EQ(18u, dnnl_memory_desc_get_size(packed));
    ASSERT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    ASSERT_OK(dnnl_memory_create(&memories[0], floats, test_host(), values));
    ASSERT_OK(dnnl_memory_create(
            &memories[1], packed, test_engine(), DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(&memories[2], floats, test_host(), back));
    for (int i = 0; i < 2; i++) {
        dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_t reorder = NULL;
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, memories[i]}, {DNNL_ARG_DST, memories[i + 1]}};
        ASSERT_OK(dnnl_reorder_primitive_desc_create(&pd,
                i == 0 ? floats : packed, i == 0 ? test_host() : test_engine(),
                i == 0 ? packed : floats, i == 0 ? test_engine() : test_host(),
                NULL));
        ASSERT_OK(dnnl_primitive_create(&reorder, pd));
        EXPECT_OK(dnnl_primitive_execute(reorder, stream, 2, args));
        EXPECT_OK(dnnl_stream_wait(stream));
        dnnl_primitive_destroy(reorder);
        dnnl_primitive_desc_destroy(pd);
    }
    EXPECT_BYTES_EQ(values, sizeof values, back, sizeof back);
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(memories[i]);
    dnnl_stream_destroy(stream);
}

/* ---- Arguments ----------------------------------------------------------- */

/* A byte of which one half is an element and the other is not. */
TEST_C(HalfBytes, AreNotWrittenBetweenGaps)
{
    dnnl_primitive_desc_t pd = untouched_pd();
    const dnnl_dims_t dims = {4, 3};
    const dnnl_dims_t strides = {5, 1};
    dnnl_memory_desc_t src = plain_md(2, dims, dnnl_f32);
    dnnl_memory_desc_t dst = strided_md(2, dims, dnnl_u4, strides);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_reorder_primitive_desc_create(
                    &pd, src, test_engine(), dst, test_engine(), NULL));
    EXPECT_PTR_EQ(untouched_pd(), pd);
}
