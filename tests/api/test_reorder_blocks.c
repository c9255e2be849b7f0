/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders from and to layouts in blocks. */
#include "blocked_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct reorder {
    dnnl_dims_t dims;
    struct blocked_tensor src, dst;
    struct chain chain;
};

static void init(struct reorder *r, dnnl_data_type_t from,
        dnnl_format_tag_t src, dnnl_data_type_t to, dnnl_format_tag_t dst,
        const dnnl_dims_t dims)
{
    int ndims = tag_letters(dnnl_fmt_tag2str(src));
    memset(r, 0, sizeof *r);
    memcpy(r->dims, dims, (size_t)ndims * sizeof dims[0]);
    blocked_tensor_init(&r->src, from, ndims, dims, src);
    blocked_tensor_init(&r->dst, to, ndims, dims, dst);
}

static void fini(struct reorder *r)
{
    tensor_fini(&r->src.tensor);
    tensor_fini(&r->dst.tensor);
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct reorder *r = user;
    dnnl_primitive_attr_t attr = chain_attr(&r->chain);
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, r->src.tensor.md, engine, r->dst.tensor.md, engine, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* What conversion makes of src, bit for bit, and zeros for padding. */
static void expect_reordered(const struct reorder *r)
{
    const struct tensor *dst = &r->dst.tensor;
    for (dnnl_dim_t i = 0; i < tag_loops_size(&r->dst.loops); i++) {
        dnnl_dims_t place;
        unsigned char expected[8] = {0};
        size_t size = dnnl_data_type_size(dst->view.type);
        tag_loops_place(&r->dst.loops, i, place);
        if (blocked_tensor_is_inside(&r->dst, r->dims, place)) {
            struct reference_value v = {
                    reference_read(&r->src.tensor.view,
                            tag_loops_offset(&r->src.loops, place)),
                    0.0};
            v = chain_apply(&r->chain, v);
            size = reference_convert(v.value, dst->view.type, expected);
        }
        if (memcmp(expected, dst->bytes + (size_t)i * size, size) == 0)
            continue;
        test_fail(__FILE__, __LINE__, "element at %lld became %.9g",
                (long long)i, reference_read(&dst->view, i));
        return;
    }
}

static void check(struct reorder *r, uint64_t *seed)
{
    const struct run_argument args[] = {
            {DNNL_ARG_FROM, &r->src.tensor}, {DNNL_ARG_TO, &r->dst.tensor}};
    /* The padding as well: nobody may read it. */
    tensor_randomize(&r->src.tensor, seed, -99.0, 99.0);
    if (run_twice(describe, r, args, 2)) expect_reordered(r);
    fini(r);
}

static void check_tags(dnnl_format_tag_t src, dnnl_format_tag_t dst,
        const dnnl_dims_t dims, uint64_t *seed)
{
    struct reorder r;
    init(&r, dnnl_f32, src, dnnl_f32, dst, dims);
    check(&r, seed);
    init(&r, dnnl_f32, dst, dnnl_f32, src, dims);
    check(&r, seed);
}

TEST_C(ReorderBlocks, FromAndToPlainLayouts)
{
    uint64_t seed = test_seed();
    check_tags(dnnl_nchw, dnnl_nChw16c, (dnnl_dims_t){2, 19, 3, 5}, &seed);
    check_tags(dnnl_nhwc, dnnl_nChw8c, (dnnl_dims_t){1, 8, 2, 3}, &seed);
    check_tags(dnnl_nchw, dnnl_NChw16n16c, (dnnl_dims_t){3, 17, 1, 2}, &seed);
    check_tags(dnnl_oihw, dnnl_OIhw16i16o, (dnnl_dims_t){17, 3, 2, 3}, &seed);
    check_tags(dnnl_oihw, dnnl_OIhw16o16i2o, (dnnl_dims_t){33, 5, 1, 3}, &seed);
    check_tags(
            dnnl_goihw, dnnl_gIOhw16i16o, (dnnl_dims_t){2, 5, 18, 1, 2}, &seed);
    check_tags(dnnl_goihw, dnnl_hwioG16g, (dnnl_dims_t){17, 1, 1, 3, 2}, &seed);
    check_tags(dnnl_ab, dnnl_BA4b4a, (dnnl_dims_t){7, 11}, &seed);
}

TEST_C(ReorderBlocks, FromBlocksToOthers)
{
    uint64_t seed = test_seed();
    check_tags(dnnl_nChw16c, dnnl_nChw8c, (dnnl_dims_t){2, 21, 3, 2}, &seed);
    check_tags(dnnl_OIhw8i16o2i, dnnl_IOhw16i16o, (dnnl_dims_t){19, 35, 1, 2},
            &seed);
    check_tags(
            dnnl_OhwI16i48o, dnnl_Ohwi32o, (dnnl_dims_t){50, 17, 2, 1}, &seed);
}

TEST_C(ReorderBlocks, OfAnyShape)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 12; i++) {
        dnnl_dims_t dims = {1 + random_below(&seed, 37),
                1 + random_below(&seed, 37), 1 + random_below(&seed, 4),
                random_below(&seed, 5)};
        check_tags(dnnl_acdb, dnnl_OIhw4i16o4i, dims, &seed);
    }
}

TEST_C(ReorderBlocks, ConvertTypes)
{
    static const dnnl_data_type_t types[] = {
            dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++) {
        struct reorder r;
        dnnl_data_type_t to = types[(i + 1) % COUNT(types)];
        if (!test_takes_half() && (types[i] == dnnl_f16 || to == dnnl_f16))
            continue;
        init(&r, types[i], dnnl_nchw, to, dnnl_nChw16c,
                (dnnl_dims_t){2, 17, 2, 2});
        check(&r, &seed);
    }
}

TEST_C(ReorderBlocks, LeavePaddingZeroAfterPostOps)
{
    uint64_t seed = test_seed();
    struct reorder r;
    init(&r, dnnl_f32, dnnl_nchw, dnnl_s8, dnnl_nChw16c,
            (dnnl_dims_t){2, 5, 2, 2});
    r.chain = (struct chain){1, {{dnnl_eltwise_linear, 0.5f, 1.0f}}};
    check(&r, &seed);
}

/* ---- Arguments ----------------------------------------------------------- */

TEST_C(ReorderBlocks, NeedKnownDimensions)
{
    const dnnl_dims_t dims = {2, DNNL_RUNTIME_DIM_VAL};
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t md = tagged_md(2, dims, dnnl_f32, dnnl_ab);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_reorder_primitive_desc_create(
                    &pd, md, test_engine(), md, test_engine(), NULL));
}
