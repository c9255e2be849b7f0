/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct pooling {
    struct tensor src, dst;
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg;
    struct reference_window window;
    dnnl_dims_t padding_r;
    struct chain chain;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct pooling *p = user;
    dnnl_primitive_attr_t attr = chain_attr(&p->chain);
    dnnl_status_t st = dnnl_pooling_forward_primitive_desc_create(pd, engine,
            p->prop_kind, p->alg, p->src.md, p->dst.md, p->window.strides,
            p->window.kernel, p->window.dilates, p->window.padding_l,
            p->padding_r, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct pooling *p = user;
    return chain_apply(&p->chain,
            reference_pooling(&p->src.view, p->alg, &p->window, place));
}

static bool run(struct pooling *p)
{
    const struct run_argument args[] = {
            {DNNL_ARG_SRC, &p->src}, {DNNL_ARG_DST, &p->dst}};
    return run_twice(describe, p, args, 2);
}

static void fini(struct pooling *p)
{
    tensor_fini(&p->src);
    tensor_fini(&p->dst);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct pooling *p)
{
    if (run(p)) expect_tensor(&p->dst, expected, p);
    fini(p);
}

/* A shape; missing spatial dimensions at the end. */
struct shape {
    int spatial;
    dnnl_dims_t src; /* with batch and channels */
    dnnl_dims_t kernel, strides, dilates, padding_l, padding_r;
};

static void init(struct pooling *p, const struct shape *shape,
        dnnl_alg_kind_t alg, dnnl_data_type_t src, dnnl_data_type_t dst,
        dnnl_format_tag_t tag)
{
    dnnl_dims_t out;
    memset(p, 0, sizeof *p);
    memcpy(out, shape->src, sizeof out);
    for (int d = 0; d < shape->spatial; d++) {
        dnnl_dim_t range = (shape->kernel[d] - 1) * (shape->dilates[d] + 1) + 1;
        out[2 + d] = (shape->src[2 + d] - range + shape->padding_l[d]
                             + shape->padding_r[d])
                             / shape->strides[d]
                     + 1;
    }
    tensor_init(&p->src, src, shape->spatial + 2, shape->src, tag);
    tensor_init(&p->dst, dst, shape->spatial + 2, out, tag);
    p->prop_kind = dnnl_forward_inference;
    p->alg = alg;
    memcpy(p->window.strides, shape->strides, sizeof out);
    memcpy(p->window.kernel, shape->kernel, sizeof out);
    memcpy(p->window.dilates, shape->dilates, sizeof out);
    memcpy(p->window.padding_l, shape->padding_l, sizeof out);
    memcpy(p->padding_r, shape->padding_r, sizeof out);
}

static const dnnl_alg_kind_t algorithms[] = {dnnl_pooling_max,
        dnnl_pooling_avg_include_padding, dnnl_pooling_avg_exclude_padding};

static const dnnl_format_tag_t plain_tags[] = {dnnl_abc, dnnl_abcd, dnnl_abcde};

static const struct shape plane = {
        2, {2, 5, 13, 11}, {3, 4}, {2, 1}, {1, 0}, {1, 2}, {2, 1}};

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Pooling, TakesAllShapes)
{
    static const struct shape shapes[] = {
            {1, {3, 7, 17}, {4}, {3}, {0}, {1}, {2}},
            {1, {1, 1, 1}, {1}, {1}, {0}, {0}, {0}},
            {2, {2, 5, 13, 11}, {3, 4}, {2, 1}, {1, 0}, {1, 2}, {2, 1}},
            {2, {1, 3, 7, 7}, {7, 7}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
            /* Of a whole image: global. */
            {1, {2, 3, 37}, {37}, {1}, {0}, {0}, {0}},
            {3, {1, 5, 3, 4, 5}, {3, 4, 5}, {1, 1, 1}, {0}, {0}, {0}},
            {2, {1, 67, 5, 31}, {1, 2}, {1, 2}, {0, 2}, {0, 1}, {0, -1}},
            {3, {2, 3, 5, 6, 7}, {2, 3, 2}, {1, 2, 3}, {1, 0, 2}, {1, 1, 0},
                    {0, 1, 2}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(shapes) * COUNT(algorithms); i++) {
        struct pooling p;
        init(&p, &shapes[i / COUNT(algorithms)],
                algorithms[i % COUNT(algorithms)], dnnl_f32, dnnl_f32,
                plain_tags[shapes[i / COUNT(algorithms)].spatial - 1]);
        tensor_randomize(&p.src, &seed, -3.0, 3.0);
        check(&p);
        if (test_has_failed()) {
            test_fail(__FILE__, __LINE__, "shape and algorithm %zu", i);
            break;
        }
    }
}

TEST_C(Pooling, TakesChannelsInnermost)
{
    uint64_t seed = test_seed();
    struct pooling p;
    init(&p, &plane, dnnl_pooling_avg_exclude_padding, dnnl_f32, dnnl_f32,
            dnnl_nhwc);
    tensor_randomize(&p.src, &seed, -3.0, 3.0);
    check(&p);
}

/* Numbers of both signs, some of which are infinite, and some none. */
static void make_special(struct tensor *t, uint64_t *seed)
{
    static const double special[] = {-INFINITY, INFINITY, NAN};
    enum { MOST = 1 << 14 };
    double values[MOST];
    size_t count = (size_t)reference_count(&t->view);
    ASSERT_TRUE(count <= MOST);
    for (size_t i = 0; i < count; i++)
        values[i] = random_below(seed, 4) > 0
                            ? (double)random_below(seed, 7) - 3.0
                            : special[random_below(seed, COUNT(special))];
    tensor_set(t, values, count);
}

/* On CPUs lines of dense elements are computed in vectors of sixteen. */
static const struct shape lines[] = {
        /* One vector and a part, or several; each distance of taps. */
        {2, {2, 17, 3, 19}, {2, 3}, {1, 1}, {0, 0}, {1, 1}, {0, 1}},
        {2, {1, 35, 5, 70}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 0}},
        {2, {2, 3, 6, 101}, {2, 2}, {2, 3}, {0, 1}, {0, 0}, {0, 2}},
        /* Padding that whole vectors lie in, on both sides. */
        {2, {1, 16, 2, 5}, {1, 40}, {1, 1}, {0, 0}, {0, 39}, {0, 39}},
        {3, {1, 18, 3, 4, 33}, {2, 2, 5}, {1, 2, 2}, {1, 0, 6}, {1, 1, 20},
                {1, 0, 19}},
        {1, {1, 1, 1}, {1}, {1}, {0}, {0}, {0}},
        {1, {3, 32, 48}, {1}, {1}, {0}, {0}, {0}}};

TEST_C(Pooling, TakesLinesOfEveryKind)
{
    static const dnnl_format_tag_t inner[] = {dnnl_nwc, dnnl_nhwc, dnnl_ndhwc};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(lines) * 6 && !test_has_failed(); i++) {
        const struct shape *shape = &lines[i / 6];
        const dnnl_format_tag_t *tags = i % 2 == 0 ? plain_tags : inner;
        dnnl_alg_kind_t alg = algorithms[i / 2 % 3];
        struct pooling p;
        init(&p, shape, alg, dnnl_f32, dnnl_f32, tags[shape->spatial - 1]);
        if (alg == dnnl_pooling_max)
            make_special(&p.src, &seed);
        else
            tensor_randomize(&p.src, &seed, -3.0, 3.0);
        check(&p);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "shape, algorithm and tag %zu", i);
    }
}

/* What is between lines is neither read nor written. */
TEST_C(Pooling, LeavesGapsBetweenLinesAlone)
{
    uint64_t seed = test_seed();
    struct pooling p;
    const struct shape line = {1, {2, 3, 41}, {3}, {1}, {0}, {1}, {1}};
    init(&p, &line, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_abc);
    fini(&p);
    tensor_init_strided(
            &p.src, dnnl_f32, 3, line.src, (dnnl_dims_t){170, 50, 1});
    tensor_init_strided(
            &p.dst, dnnl_f32, 3, line.src, (dnnl_dims_t){164, 45, 1});
    make_special(&p.src, &seed);
    check(&p);
}

TEST_C(Pooling, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct pooling p;
    const struct shape line = {1, {2, 3, 9}, {2}, {2}, {0}, {1}, {0}};
    init(&p, &line, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_abc);
    const dnnl_dims_t out = {2, 3, 5};
    fini(&p);
    tensor_init_strided(
            &p.src, dnnl_f32, 3, line.src, (dnnl_dims_t){70, 20, 2});
    tensor_init_strided(&p.dst, dnnl_f32, 3, out, (dnnl_dims_t){64, 20, 3});
    tensor_randomize(&p.src, &seed, -3.0, 3.0);
    check(&p);
}

TEST_C(Pooling, LeavesAnEmptyTensorAlone)
{
    const struct shape shape = {1, {0, 3, 9}, {2}, {2}, {0}, {1}, {0}};
    struct pooling p;
    init(&p, &shape, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_abc);
    check(&p);
}

/* All of a window may lie in the padding; then it has the lowest number, or an
 * average of 0. An empty src has windows of that kind alone. */
TEST_C(Pooling, TakesWindowsOverNothing)
{
    static const struct shape shapes[] = {
            {2, {1, 3, 2, 3}, {1, 2}, {1, 1}, {0, 0}, {2, 3}, {1, 3}},
            {2, {1, 3, 2, 3}, {1, 2}, {1, 1}, {0, 0}, {2, 30}, {1, 19}},
            {2, {2, 3, 0, 5}, {3, 2}, {1, 1}, {0, 0}, {2, 0}, {2, 1}},
            {2, {1, 2, 0, 0}, {2, 1}, {2, 1}, {1, 0}, {3, 1}, {3, 2}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 2 * COUNT(shapes); i++) {
        struct pooling p;
        init(&p, &shapes[i / 2], algorithms[i % 2], dnnl_f32, dnnl_f32,
                dnnl_abcd);
        EXPECT_GT(reference_count(&p.dst.view), 0);
        tensor_randomize(&p.src, &seed, -3.0, 3.0);
        check(&p);
    }
}

/* Of an empty image in a random layout: all of a window lies in the padding. */
TEST_C(Pooling, TakesRandomEmptyTensors)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 10 && !test_has_failed(); i++) {
        struct shape shape = {.spatial = 1 + (int)random_below(&seed, 3)};
        struct pooling p;
        random_empty_dims(shape.spatial, shape.src + 2, &seed);
        shape.src[0] = random_below(&seed, 3);
        shape.src[1] = random_below(&seed, 9);
        for (int d = 0; d < shape.spatial; d++) {
            shape.kernel[d] = 1 + random_below(&seed, 3);
            shape.dilates[d] = random_below(&seed, 2);
            shape.strides[d] = 1 + random_below(&seed, 2);
            shape.padding_l[d] =
                    (shape.kernel[d] - 1) * (shape.dilates[d] + 1) + 1;
            shape.padding_r[d] = random_below(&seed, 3);
        }
        init(&p, &shape, algorithms[random_below(&seed, 2)], dnnl_f32, dnnl_f32,
                plain_tags[shape.spatial - 1]);
        tensor_lay_out_randomly(&p.src, &seed);
        tensor_lay_out_randomly(&p.dst, &seed);
        check(&p);
    }
}

/* ---- Types --------------------------------------------------------------- */

struct typed_case {
    dnnl_alg_kind_t alg;
    dnnl_data_type_t src, dst;
    double reach;
    struct chain chain;
};

/* Each type is read and written; large s32 lie closer than floats do. */
TEST_C(Pooling, TakesEveryType)
{
    static const struct typed_case cases[] = {
            {dnnl_pooling_max, dnnl_bf16, dnnl_bf16, 3.0, {0}},
            {dnnl_pooling_avg_include_padding, dnnl_f16, dnnl_f16, 3.0, {0}},
            {dnnl_pooling_max, dnnl_s32, dnnl_s32, 2e9, {0}},
            {dnnl_pooling_avg_exclude_padding, dnnl_s8, dnnl_u8, 127.0, {0}},
            {dnnl_pooling_avg_include_padding, dnnl_u8, dnnl_f32, 255.0,
                    {1, {{dnnl_eltwise_linear, 0.5f, -3.0f}}}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct pooling p;
        dnnl_primitive_desc_t pd = NULL;
        init(&p, &plane, c->alg, c->src, c->dst, dnnl_nchw);
        p.chain = c->chain;
        tensor_randomize(&p.src, &seed, -c->reach, c->reach);
        dnnl_status_t st = describe(&pd, test_engine(), &p);
        dnnl_primitive_desc_destroy(pd);
        if (c->src == dnnl_f16 && st == dnnl_unimplemented)
            fini(&p);
        else
            check(&p);
    }
}

TEST_C(Pooling, TakesLinesOfEveryType)
{
    static const struct typed_case cases[] = {
            {dnnl_pooling_max, dnnl_s8, dnnl_s8, 127.0, {0}},
            {dnnl_pooling_max, dnnl_u8, dnnl_u8, 255.0,
                    {1, {{dnnl_eltwise_linear, 0.5f, 3.0f}}}},
            {dnnl_pooling_max, dnnl_f16, dnnl_f16, 3.0, {0}},
            {dnnl_pooling_avg_exclude_padding, dnnl_bf16, dnnl_bf16, 3.0, {0}},
            {dnnl_pooling_max, dnnl_s32, dnnl_s32, 2e9, {0}}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const struct typed_case *c = &cases[i];
        struct pooling p;
        dnnl_primitive_desc_t pd = NULL;
        init(&p, &lines[1], c->alg, c->src, c->dst,
                i % 2 == 0 ? dnnl_nchw : dnnl_nhwc);
        p.chain = c->chain;
        tensor_randomize(&p.src, &seed, -c->reach, c->reach);
        dnnl_status_t st = describe(&pd, test_engine(), &p);
        dnnl_primitive_desc_destroy(pd);
        if (c->src == dnnl_f16 && st == dnnl_unimplemented)
            fini(&p);
        else
            check(&p);
    }
}

TEST_C(Pooling, FindsInfinityAndNotANumber)
{
    static const double values[] = {
            -INFINITY, -INFINITY, INFINITY, 1.0, NAN, 2.0, -3e38, -INFINITY};
    const struct shape pairs = {1, {1, 1, 8}, {2}, {2}, {0}, {0}, {0}};
    struct pooling p;
    init(&p, &pairs, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_abc);
    tensor_set(&p.src, values, COUNT(values));
    check(&p);
}

/* ---- Workspace ----------------------------------------------------------- */

/* It is an output like dst; what it holds is nobody's business. */
TEST_C(Pooling, HasAWorkspaceForTraining)
{
    static const dnnl_dim_t kernels[] = {16, 17};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(kernels); i++) {
        struct shape shape = {
                2, {1, 2, 19, 18}, {16, 16}, {2, 1}, {0, 0}, {1, 0}, {0, 1}};
        struct pooling p;
        struct tensor workspace;
        dnnl_primitive_desc_t pd = NULL;
        dnnl_data_type_t type;
        int outputs = 0;
        shape.kernel[0] = kernels[i];
        init(&p, &shape, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_nhwc);
        p.prop_kind = dnnl_forward_training;
        ASSERT_OK(describe(&pd, test_engine(), &p));
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
        ASSERT_OK(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
        EXPECT_EQ(kernels[i] == 16 ? dnnl_u8 : dnnl_s32, type);
        EXPECT_OK(dnnl_primitive_desc_query(
                pd, dnnl_query_num_of_outputs_s32, 0, &outputs));
        EXPECT_EQ(2, outputs);
        tensor_init(&workspace, type, 4, p.dst.view.dims, dnnl_nhwc);
        EXPECT_TRUE(dnnl_memory_desc_equal(md, workspace.md));
        dnnl_primitive_desc_destroy(pd);
        const struct run_argument args[] = {{DNNL_ARG_SRC, &p.src},
                {DNNL_ARG_DST, &p.dst}, {DNNL_ARG_WORKSPACE, &workspace}};
        tensor_randomize(&p.src, &seed, -3.0, 3.0);
        run_and_expect(describe, expected, &p, args, 3);
        tensor_fini(&workspace);
        fini(&p);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(Pooling, AnswersQueries)
{
    struct pooling p;
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_dims_t *dims = NULL;
    int ndims = -1;
    init(&p, &plane, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_nchw);
    ASSERT_OK(describe(&pd, test_engine(), &p));
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_kernel, 0, &dims));
    EXPECT_EQ(4, (*dims)[1]);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_strides, 0, &dims));
    EXPECT_EQ(2, (*dims)[0]);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_dilations, 0, &dims));
    EXPECT_EQ(1, (*dims)[0]);
    EXPECT_OK(dnnl_memory_desc_query(
            dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0),
            dnnl_query_ndims_s32, &ndims));
    EXPECT_EQ(0, ndims);
    dnnl_primitive_desc_destroy(pd);
    fini(&p);
}

/* dst of any layout gets that of src; the one of nhwc runs in another test. */
TEST_C(Pooling, ChoosesTheLayoutOfSrc)
{
    static const dnnl_format_tag_t tags[] = {dnnl_nchw, dnnl_nhwc};
    for (size_t i = 0; i < COUNT(tags); i++) {
        struct pooling p;
        dnnl_primitive_desc_t pd = NULL;
        init(&p, &plane, dnnl_pooling_max, dnnl_f32, dnnl_f32, tags[i]);
        dnnl_memory_desc_t chosen = p.dst.md;
        dnnl_memory_desc_t any = tagged_md(p.dst.view.ndims, p.dst.view.dims,
                dnnl_f32, dnnl_format_tag_any);
        p.dst.md = any;
        EXPECT_OK(describe(&pd, test_engine(), &p));
        p.dst.md = chosen;
        EXPECT_DESC(chosen, pd, dnnl_query_dst_md, 0);
        dnnl_primitive_desc_destroy(pd);
        fini(&p);
    }
}

static dnnl_status_t try_call(const struct pooling *p)
{
    return try_describe(describe, p);
}

TEST_C(Pooling, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    struct pooling good;
    struct pooling p;
    init(&good, &plane, dnnl_pooling_avg_exclude_padding, dnnl_f32, dnnl_f32,
            dnnl_nchw);
    EXPECT_OK(try_call(&good));
#define REFUSES(change) \
    p = good;           \
    change;             \
    EXPECT_STATUS(wrong, try_call(&p))
    REFUSES(p.prop_kind = dnnl_backward_data);
    REFUSES(p.alg = dnnl_convolution_direct);
    REFUSES(p.window.strides[0] = 0);
    REFUSES(p.window.strides[0] = 3);
    REFUSES(p.window.kernel[1] = 0);
    REFUSES(p.window.kernel[1] = 5);
    REFUSES(p.window.kernel[1] = INT64_MAX);
    REFUSES(p.window.dilates[0] = -1);
    REFUSES(p.window.dilates[0] = INT64_MAX);
    REFUSES(p.window.padding_l[1] = -1);
    REFUSES(p.window.padding_l[1] = 4; p.padding_r[1] = -1);
    REFUSES(p.padding_r[0] = INT64_MAX);
    REFUSES(p.src.md = p.dst.md);
#undef REFUSES
    p = good;
    p.window.padding_l[1] = 4;
    p.padding_r[1] = -1;
    p.alg = dnnl_pooling_max;
    EXPECT_OK(try_call(&p));
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_STATUS(
            wrong, dnnl_pooling_forward_primitive_desc_create(&pd,
                           test_engine(), good.prop_kind, good.alg, good.src.md,
                           good.dst.md, good.window.strides, NULL, NULL,
                           good.window.padding_l, NULL, NULL));
    EXPECT_STATUS(
            wrong, dnnl_pooling_forward_primitive_desc_create(&pd,
                           test_engine(), good.prop_kind, good.alg, good.src.md,
                           NULL, good.window.strides, good.window.kernel, NULL,
                           good.window.padding_l, NULL, NULL));
    fini(&good);
}

/* The workspace is laid out before a window is checked: a product of sizes that
 * overflows is undefined behaviour (-DDNNL_CACHE_SANITIZE=undefined). */
TEST_C(Pooling, RefusesWrongWindowsOfBlockedLayouts)
{
    static const dnnl_dim_t wrong[] = {INT64_MIN / 2 + 1, -1, 0, INT64_MAX};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pooling p;
        init(&p, &plane, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_nChw16c);
        p.prop_kind = dnnl_forward_training;
        p.window.kernel[0] = wrong[i];
        p.window.kernel[1] = 256;
        EXPECT_STATUS(dnnl_invalid_arguments, try_call(&p));
        fini(&p);
    }
}

TEST_C(Pooling, RefusesSizesThatOnlyExecutionKnows)
{
    const dnnl_dims_t dims = {DNNL_RUNTIME_DIM_VAL, 5, 13, 11};
    struct pooling p;
    init(&p, &plane, dnnl_pooling_max, dnnl_f32, dnnl_f32, dnnl_nchw);
    tensor_fini(&p.src);
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &p.src.md, 4, dims, dnnl_f32, dnnl_nchw));
    EXPECT_STATUS(dnnl_unimplemented, try_call(&p));
    fini(&p);
}

TEST_C(Pooling, RefusesTypesItHasNot)
{
    static const dnnl_data_type_t pairs[][2] = {{dnnl_f32, dnnl_f16},
            {dnnl_bf16, dnnl_s8}, {dnnl_s32, dnnl_s8}, {dnnl_f64, dnnl_f64}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct pooling p;
        init(&p, &plane, dnnl_pooling_max, pairs[i][0], pairs[i][1], dnnl_nchw);
        EXPECT_STATUS(dnnl_unimplemented, try_call(&p));
        fini(&p);
    }
}

/* ---- Cases of ONNX ------------------------------------------------------- */

struct onnx_case {
    const char *name;
    dnnl_alg_kind_t alg;
    struct shape shape;
    double relative; /* of sums in another order */
};

static const struct onnx_case onnx_cases[] = {
        {"MaxPool1d", dnnl_pooling_max,
                {1, {2, 10, 4}, {4}, {4}, {0}, {0}, {0}}, 0.0},
        {"MaxPool3d_stride", dnnl_pooling_max,
                {3, {2, 3, 5, 5, 5}, {2, 2, 2}, {2, 2, 2}, {0}, {0}, {0}}, 0.0},
        {"AvgPool1d_stride", dnnl_pooling_avg_exclude_padding,
                {1, {2, 3, 6}, {2}, {2}, {0}, {0}, {0}}, 1e-6},
        {"AvgPool2d_stride", dnnl_pooling_avg_include_padding,
                {2, {2, 3, 6, 6}, {2, 2}, {2, 2}, {0}, {0}, {0}}, 1e-6},
        {"AvgPool3d_stride", dnnl_pooling_avg_exclude_padding,
                {3, {2, 3, 5, 5, 5}, {2, 2, 2}, {2, 2, 2}, {0}, {0}, {0}},
                1e-6}};

TEST_C(Pooling, AgreesWithOnnx)
{
    static const dnnl_format_tag_t tags[] = {dnnl_abc, dnnl_abcd, dnnl_abcde};
    char file[64];
    for (size_t i = 0; i < COUNT(onnx_cases); i++) {
        const struct onnx_case *c = &onnx_cases[i];
        struct pooling p;
        init(&p, &c->shape, c->alg, dnnl_f32, dnnl_f32,
                tags[c->shape.spatial - 1]);
        tensor_fini(&p.src);
        snprintf(file, sizeof file, "%s_input_0", c->name);
        onnx_tensor_init(&p.src, file);
        snprintf(file, sizeof file, "%s_output_0", c->name);
        if (run(&p)) onnx_expect(&p.dst, file, c->relative);
        fini(&p);
    }
}
