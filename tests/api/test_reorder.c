/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct reorder {
    struct tensor src, dst;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct reorder *r = user;
    dnnl_primitive_attr_t attr = chain_attr(&r->chain);
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, r->src.md, engine, r->dst.md, engine, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* Both NaN, whatever their bits. */
static bool are_nan(const struct tensor *t, dnnl_dim_t at, double expected)
{
    return isnan(expected) && isnan(reference_read(&t->view, at));
}

/* Every element of dst must be, bit for bit, what conversion makes of src. */
static void expect_converted(const struct reorder *r)
{
    dnnl_dims_t place;
    unsigned char expected[8];
    for (dnnl_dim_t i = 0; i < reference_count(&r->dst.view); i++) {
        reference_place(&r->dst.view, i, place);
        struct reference_value value = {reference_at(&r->src.view, place), 0.0};
        value = chain_apply(&r->chain, value);
        size_t size =
                reference_convert(value.value, r->dst.view.type, expected);
        dnnl_dim_t at = reference_offset(&r->dst.view, place);
        if (memcmp(expected, r->dst.bytes + (size_t)at * size, size) == 0
                || are_nan(&r->dst, at, value.value))
            continue;
        test_fail(__FILE__, __LINE__,
                "type %d to %d, element %lld: %.9g became %.9g",
                (int)r->src.view.type, (int)r->dst.view.type, (long long)i,
                value.value, reference_read(&r->dst.view, at));
        break;
    }
    expect_gaps(&r->dst);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct reorder *r)
{
    const struct run_argument args[] = {
            {DNNL_ARG_FROM, &r->src}, {DNNL_ARG_TO, &r->dst}};
    if (run_twice(describe, r, args, 2)) expect_converted(r);
    tensor_fini(&r->src);
    tensor_fini(&r->dst);
}

static void init(struct reorder *r, dnnl_data_type_t from, dnnl_data_type_t to,
        int ndims, const dnnl_dims_t dims, dnnl_format_tag_t src,
        dnnl_format_tag_t dst)
{
    memset(r, 0, sizeof *r);
    tensor_init(&r->src, from, ndims, dims, src);
    tensor_init(&r->dst, to, ndims, dims, dst);
}

/* ---- Types --------------------------------------------------------------- */

TEST_C(Reorder, ConvertsEveryPairOfTypes)
{
    static const dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
    /* Ties, the ends of every type and what is next to them, numbers that
     * f32, f16 or bf16 cannot hold, the smallest halves. */
    static const double special[] = {0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5,
            0.499999, 126.5, 127.0, 127.49, 127.5, 128.0, -127.5, -128.0,
            -128.5, -128.51, -129.0, 254.5, 255.0, 255.49, 255.5, 256.0, -1.0,
            300.0, -300.0, 16777217.0, 33554435.0, 2147483583.0, 2147483647.0,
            2147483648.0, -2147483647.0, -2147483648.0, -2147483904.0, 3e9,
            -3e9, 1e20, -1e20, 2048.5, 2049.0, 2051.0, 65504.0, 65519.0,
            65520.0, -65520.0, 1e6, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25,
            0x1.ffcp-15, 1.0 + 0x1p-11, 1.0 + 0x1.8p-10, 0.1, -0.1, 3.14159,
            257.0, 259.0, 1.0 + 0x1p-8, 1.0 + 0x1.8p-7, -(1.0 + 0x1.000002p-8),
            0x1.fep127, 0x1.fefffep127, -0x1.ffp127, -0.0, INFINITY, -INFINITY};
    uint64_t seed = test_seed();
    const uint64_t first = seed;
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(types) * COUNT(types); i++) {
        if (!is_in_sample(i, first)) continue;
        dnnl_data_type_t from = types[i / COUNT(types)];
        dnnl_data_type_t to = types[i % COUNT(types)];
        struct reorder r;
        if (!with_half && (from == dnnl_f16 || to == dnnl_f16)) continue;
        init(&r, from, to, 1, (dnnl_dims_t){COUNT(special)}, dnnl_a, dnnl_a);
        tensor_set(&r.src, special, COUNT(special));
        check(&r);
        init(&r, from, to, 1, (dnnl_dims_t){777}, dnnl_a, dnnl_a);
        tensor_randomize(&r.src, &seed, -400.0, 400.0);
        check(&r);
        if (test_has_failed()) break;
    }
}

TEST_C(Reorder, ConvertsAllHalves)
{
    if (!test_takes_half()) SKIP_TEST("no f16 on this device");
    struct reorder r;
    for (int to_half = 0; to_half < 2; to_half++) {
        init(&r, to_half ? dnnl_f32 : dnnl_f16, to_half ? dnnl_f16 : dnnl_f32,
                1, (dnnl_dims_t){65536}, dnnl_a, dnnl_a);
        for (size_t i = 0; i < 65536; i++) {
            uint16_t half = (uint16_t)i;
            float value = (float)reference_from_half(half);
            if (to_half)
                memcpy(r.src.bytes + i * sizeof value, &value, sizeof value);
            else
                memcpy(r.src.bytes + i * sizeof half, &half, sizeof half);
        }
        check(&r);
    }
}

TEST_C(Reorder, ConvertsAllBrainFloats)
{
    struct reorder r;
    for (int to_bf16 = 0; to_bf16 < 2; to_bf16++) {
        init(&r, to_bf16 ? dnnl_f32 : dnnl_bf16, to_bf16 ? dnnl_bf16 : dnnl_f32,
                1, (dnnl_dims_t){65536}, dnnl_a, dnnl_a);
        for (size_t i = 0; i < 65536; i++) {
            uint16_t upper = (uint16_t)i;
            uint32_t whole = (uint32_t)i << 16;
            if (to_bf16)
                memcpy(r.src.bytes + i * sizeof whole, &whole, sizeof whole);
            else
                memcpy(r.src.bytes + i * sizeof upper, &upper, sizeof upper);
        }
        check(&r);
    }
}

/* The bits of NaN that bf16 loses must not leave infinity. */
TEST_C(Reorder, KeepsNotANumberAsBrainFloat)
{
    static const uint32_t bits[] = {
            0x7f800001u, 0xff800001u, 0x7f80ffffu, 0xffffffffu, 0x7fffffffu};
    struct reorder r;
    init(&r, dnnl_f32, dnnl_bf16, 1, (dnnl_dims_t){COUNT(bits)}, dnnl_a,
            dnnl_a);
    memcpy(r.src.bytes, bits, sizeof bits);
    check(&r);
}

TEST_C(Reorder, MakesNotANumberZeroAsInteger)
{
    static const double values[] = {NAN, 1.0, NAN};
    static const dnnl_data_type_t types[] = {dnnl_s32, dnnl_s8, dnnl_u8};
    for (size_t i = 0; i < COUNT(types); i++) {
        struct reorder r;
        init(&r, dnnl_f32, types[i], 1, (dnnl_dims_t){3}, dnnl_a, dnnl_a);
        tensor_set(&r.src, values, COUNT(values));
        check(&r);
    }
}

/* ---- Layouts ------------------------------------------------------------- */

TEST_C(Reorder, ChangesTheLayout)
{
    static const dnnl_format_tag_t tags[][2] = {{dnnl_nchw, dnnl_nhwc},
            {dnnl_nhwc, dnnl_nchw}, {dnnl_abcd, dnnl_cdba},
            {dnnl_bacd, dnnl_abdc}, {dnnl_acbd, dnnl_acbd}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(tags); i++) {
        struct reorder r;
        init(&r, dnnl_f32, dnnl_f32, 4, (dnnl_dims_t){3, 5, 7, 4}, tags[i][0],
                tags[i][1]);
        tensor_randomize(&r.src, &seed, -1.0, 1.0);
        check(&r);
    }
}

TEST_C(Reorder, ChangesTypeAndLayout)
{
    uint64_t seed = test_seed();
    struct reorder r;
    init(&r, dnnl_f32, dnnl_s8, 3, (dnnl_dims_t){5, 1, 33}, dnnl_abc, dnnl_cba);
    tensor_randomize(&r.src, &seed, -200.0, 200.0);
    check(&r);
}

TEST_C(Reorder, PacksAndSpreadsWithoutTouchingGaps)
{
    const dnnl_dims_t dims = {4, 3, 5};
    const dnnl_dims_t gaps = {64, 20, 3};
    uint64_t seed = test_seed();
    for (int i = 0; i < 2; i++) {
        struct reorder r;
        memset(&r, 0, sizeof r);
        tensor_init_strided(&r.src, dnnl_f32, 3, dims, i == 0 ? gaps : NULL);
        tensor_init_strided(&r.dst, dnnl_f32, 3, dims, i == 0 ? NULL : gaps);
        tensor_randomize(&r.src, &seed, -1.0, 1.0);
        check(&r);
    }
}

TEST_C(Reorder, RepeatsElements)
{
    uint64_t seed = test_seed();
    struct reorder r;
    memset(&r, 0, sizeof r);
    tensor_init_strided(
            &r.src, dnnl_f32, 2, (dnnl_dims_t){6, 7}, (dnnl_dims_t){0, 1});
    tensor_init(&r.dst, dnnl_f32, 2, (dnnl_dims_t){6, 7}, dnnl_ba);
    tensor_randomize(&r.src, &seed, -1.0, 1.0);
    check(&r);
}

TEST_C(Reorder, LeavesAnEmptyTensorAlone)
{
    struct reorder r;
    init(&r, dnnl_f32, dnnl_f32, 2, (dnnl_dims_t){0, 5}, dnnl_ab, dnnl_ba);
    check(&r);
}

TEST_C(Reorder, AppliesPostOpsBeforeRounding)
{
    static const double values[] = {-3.0, -1.0, 0.0, 1.0, 2.0, 3.0, 500.0};
    struct reorder r;
    init(&r, dnnl_s32, dnnl_u8, 1, (dnnl_dims_t){COUNT(values)}, dnnl_a,
            dnnl_a);
    r.chain = (struct chain){1, {{dnnl_eltwise_linear, 0.5f, 1.0f}}};
    tensor_set(&r.src, values, COUNT(values));
    check(&r);
}

/* ---- Host and device ----------------------------------------------------- */

TEST_C(Reorder, CopiesBetweenHostAndDevice)
{
    const dnnl_dims_t dims = {5, 7};
    dnnl_engine_t device = test_engine();
    dnnl_memory_t memory[3]; /* test_host(), device, test_host() */
    dnnl_stream_t stream;
    int16_t from[35];
    int16_t to[35];
    for (int i = 0; i < 35; i++) {
        from[i] = (int16_t)(i * 1001);
        to[i] = -1;
    }
    dnnl_memory_desc_t md = tagged_md(2, dims, dnnl_bf16, dnnl_ba);
    ASSERT_OK(dnnl_memory_create(&memory[0], md, test_host(), from));
    ASSERT_OK(dnnl_memory_create(&memory[1], md, device, DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(&memory[2], md, test_host(), to));
    ASSERT_OK(dnnl_stream_create(&stream, device, dnnl_stream_default_flags));
    for (int i = 0; i < 2; i++) {
        dnnl_primitive_desc_t pd;
        dnnl_primitive_t primitive;
        size_t size = 1;
        ASSERT_OK(dnnl_reorder_primitive_desc_create(&pd, md,
                i == 0 ? test_host() : device, md,
                i == 0 ? device : test_host(), NULL));
        /* Nothing to compile, and an ID all the same. */
        EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(pd, &size, NULL));
        EXPECT_GT(size, 1);
        ASSERT_OK(dnnl_primitive_create(&primitive, pd));
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_FROM, memory[i]}, {DNNL_ARG_TO, memory[i + 1]}};
        EXPECT_OK(dnnl_primitive_execute(primitive, stream, 2, args));
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
    ASSERT_OK(dnnl_stream_wait(stream));
    EXPECT_BYTES_EQ(from, sizeof from, to, sizeof to);
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(memory[i]);
    dnnl_stream_destroy(stream);
}

/* One side's memory is on the host, where the tensor's bytes are. */
static void check_with_host(
        struct reorder *r, bool host_is_src, unsigned stream_flags)
{
    dnnl_engine_t device = test_engine();
    dnnl_memory_t memory[2];
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const struct tensor *sent = &r->src;
    void *mapped;
    dnnl_status_t st = dnnl_stream_create(&stream, device, stream_flags);
    if (st == dnnl_unimplemented) goto out;
    ASSERT_OK(st);
    ASSERT_OK(dnnl_memory_create(&memory[0], r->src.md,
            host_is_src ? test_host() : device,
            host_is_src ? r->src.bytes : DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(&memory[1], r->dst.md,
            host_is_src ? device : test_host(),
            host_is_src ? DNNL_MEMORY_ALLOCATE : r->dst.bytes));
    if (host_is_src) sent = &r->dst;
    ASSERT_OK(dnnl_memory_map_data(memory[host_is_src ? 1 : 0], &mapped));
    memcpy(mapped, sent->bytes, sent->size);
    EXPECT_OK(dnnl_memory_unmap_data(memory[host_is_src ? 1 : 0], mapped));
    dnnl_primitive_attr_t attr = chain_attr(&r->chain);
    ASSERT_OK(dnnl_reorder_primitive_desc_create(&pd, r->src.md,
            host_is_src ? test_host() : device, r->dst.md,
            host_is_src ? device : test_host(), attr));
    dnnl_primitive_attr_destroy(attr);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_FROM, memory[0]}, {DNNL_ARG_TO, memory[1]}};
    /* Twice: nothing is left of the first time. */
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_primitive_execute(primitive, stream, 2, args));
        EXPECT_OK(dnnl_stream_wait(stream));
    }
    if (host_is_src) {
        ASSERT_OK(dnnl_memory_map_data(memory[1], &mapped));
        memcpy(r->dst.bytes, mapped, r->dst.size);
        EXPECT_OK(dnnl_memory_unmap_data(memory[1], mapped));
    }
    expect_converted(r);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(memory[0]);
    dnnl_memory_destroy(memory[1]);
    dnnl_stream_destroy(stream);
out:
    tensor_fini(&r->src);
    tensor_fini(&r->dst);
}

TEST_C(Reorder, ConvertsBetweenHostAndDevice)
{
    const dnnl_dims_t dims = {4, 3, 5};
    const dnnl_dims_t gaps = {64, 20, 3};
    uint64_t seed = test_seed();
    struct reorder r;
    for (int host_is_src = 0; host_is_src < 2; host_is_src++) {
        init(&r, dnnl_f32, dnnl_s8, 3, dims, dnnl_abc, dnnl_cba);
        tensor_randomize(&r.src, &seed, -200.0, 200.0);
        check_with_host(&r, host_is_src != 0, dnnl_stream_in_order);
        memset(&r, 0, sizeof r);
        /* Gaps are nobody's business. */
        tensor_init_strided(&r.src, dnnl_f32, 3, dims, gaps);
        tensor_init_strided(&r.dst, dnnl_f32, 3, dims, gaps);
        tensor_randomize(&r.src, &seed, -1.0, 1.0);
        check_with_host(&r, host_is_src != 0, dnnl_stream_out_of_order);
        init(&r, dnnl_s32, dnnl_u8, 3, dims, dnnl_abc, dnnl_abc);
        r.chain = (struct chain){1, {{dnnl_eltwise_linear, 0.5f, 1.0f}}};
        tensor_randomize(&r.src, &seed, -200.0, 200.0);
        check_with_host(&r, host_is_src != 0, dnnl_stream_in_order);
    }
}

/* ---- Arguments ----------------------------------------------------------- */

static dnnl_status_t try_call(const_dnnl_memory_desc_t src,
        dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst,
        dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            &out, src, src_engine, dst, dst_engine, attr);
    return tried(st, out);
}

static dnnl_memory_desc_t make_md(
        dnnl_dim_t n, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    return tagged_md(2, (dnnl_dims_t){n, 4}, type, tag);
}

TEST_C(Reorder, RefusesMissingArguments)
{
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = make_md(3, dnnl_f32, dnnl_ab);
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    ASSERT_OK(try_call(md, engine, md, engine, NULL));
    EXPECT_STATUS(wrong, try_call(NULL, engine, md, engine, NULL));
    EXPECT_STATUS(wrong, try_call(md, NULL, md, engine, NULL));
    EXPECT_STATUS(wrong, try_call(md, engine, NULL, engine, NULL));
    EXPECT_STATUS(wrong, try_call(md, engine, md, NULL, NULL));
    EXPECT_STATUS(wrong, dnnl_reorder_primitive_desc_create(
                                 NULL, md, engine, md, engine, NULL));
}

TEST_C(Reorder, RefusesShapesTypesAndLayouts)
{
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = make_md(3, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_t other = make_md(2, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_t any = make_md(3, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t empty = make_md(3, dnnl_f32, dnnl_format_tag_undef);
    dnnl_memory_desc_t wide = make_md(3, dnnl_f64, dnnl_ab);
    dnnl_memory_desc_t large = make_md((dnnl_dim_t)1 << 31, dnnl_s8, dnnl_ab);
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    EXPECT_STATUS(wrong, try_call(md, engine, other, engine, NULL));
    EXPECT_STATUS(wrong, try_call(any, engine, md, engine, NULL));
    EXPECT_STATUS(wrong, try_call(md, engine, any, engine, NULL));
    EXPECT_STATUS(wrong, try_call(empty, engine, md, engine, NULL));
    EXPECT_STATUS(wrong, try_call(md, engine, empty, engine, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(md, engine, wide, engine, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(wide, engine, md, engine, NULL));
    EXPECT_STATUS(
            dnnl_unimplemented, try_call(large, engine, large, engine, NULL));
}

TEST_C(Reorder, RefusesAResultWithSharedElements)
{
    dnnl_memory_desc_t md = make_md(3, dnnl_f32, dnnl_ab);
    const dnnl_dims_t dims = {3, 4};
    const dnnl_dims_t strides = {1, 0};
    dnnl_memory_desc_t repeated = strided_md(2, dims, dnnl_f32, strides);
    EXPECT_STATUS(dnnl_unimplemented,
            try_call(md, test_engine(), repeated, test_engine(), NULL));
}

TEST_C(Reorder, RefusesHostAlone)
{
    dnnl_memory_desc_t md = make_md(3, dnnl_f32, dnnl_ab);
    EXPECT_STATUS(dnnl_unimplemented,
            try_call(md, test_host(), md, test_host(), NULL));
}
