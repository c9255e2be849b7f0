/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"
#include "test_platform.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

enum { MAX_SOURCES = 95 };

struct concat {
    int n;
    int axis;
    struct tensor srcs[MAX_SOURCES];
    struct tensor dst;
    bool has_no_dst;                   /* the library chooses */
    struct tensor scales[MAX_SOURCES]; /* md NULL: none */
};

/* NULL: there are no scales. */
static dnnl_primitive_attr_t make_attr(const struct concat *c)
{
    dnnl_primitive_attr_t attr = NULL;
    for (int i = 0; i < c->n; i++) {
        if (c->scales[i].md == NULL) continue;
        if (attr == NULL) EXPECT_OK(dnnl_primitive_attr_create(&attr));
        EXPECT_OK(dnnl_primitive_attr_set_scales(attr,
                DNNL_ARG_MULTIPLE_SRC + i, 0, 0, NULL, c->scales[i].view.type));
    }
    return attr;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct concat *c = user;
    const_dnnl_memory_desc_t srcs[MAX_SOURCES];
    for (int i = 0; i < c->n; i++)
        srcs[i] = c->srcs[i].md;
    dnnl_primitive_attr_t attr = make_attr(c);
    dnnl_status_t st = dnnl_concat_primitive_desc_create(pd, engine,
            c->has_no_dst ? NULL : c->dst.md, c->n, c->axis, srcs, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* The source that a place of dst is from. */
static int source_at(const struct concat *c, const dnnl_dims_t place)
{
    dnnl_dim_t end = 0;
    for (int i = 0; i < c->n; i++) {
        end += c->srcs[i].view.dims[c->axis];
        if (place[c->axis] < end) return i;
    }
    return 0;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct concat *c = user;
    const struct reference_tensor *srcs[MAX_SOURCES];
    for (int i = 0; i < c->n; i++)
        srcs[i] = &c->srcs[i].view;
    struct reference_value v = reference_concat(srcs, c->axis, place);
    const struct tensor *scale = &c->scales[source_at(c, place)];
    if (scale->md == NULL) return v;
    v.value *= reference_read(&scale->view, 0);
    v.tolerance = (double)FLT_EPSILON * fabs(v.value);
    return v;
}

static void fini(struct concat *c)
{
    for (int i = 0; i < c->n; i++) {
        tensor_fini(&c->srcs[i]);
        tensor_fini(&c->scales[i]);
    }
    tensor_fini(&c->dst);
}

static bool run(struct concat *c)
{
    struct run_argument args[MAX_SOURCES + 1];
    int count = 0;
    for (int i = 0; i < c->n; i++) {
        const int arg = DNNL_ARG_MULTIPLE_SRC + i;
        args[count++] = (struct run_argument){arg, &c->srcs[i]};
        if (c->scales[i].md != NULL)
            args[count++] = (struct run_argument){
                    DNNL_ARG_ATTR_SCALES | arg, &c->scales[i]};
    }
    args[count++] = (struct run_argument){DNNL_ARG_DST, &c->dst};
    return run_twice(describe, c, args, count);
}

/* Runs on random numbers, compares, and frees the tensors. */
static void check(struct concat *c, uint64_t *seed)
{
    for (int i = 0; i < c->n; i++)
        tensor_randomize(&c->srcs[i], seed, -300.0, 300.0);
    if (run(c)) expect_tensor(&c->dst, expected, c);
    if (test_has_failed())
        test_fail(__FILE__, __LINE__, "%d sources along %d", c->n, c->axis);
    fini(c);
}

/* Starts with no sources and a dst of the other dimensions. */
static void init(struct concat *c, int axis)
{
    memset(c, 0, sizeof *c);
    c->axis = axis;
}

/* Adds a source that is `length` long along the axis; dims is stepped to what
 * dst has of it so far. */
static void add(struct concat *c, dnnl_data_type_t type, int ndims,
        dnnl_dims_t dims, dnnl_dim_t length, dnnl_format_tag_t tag)
{
    dnnl_dim_t before = c->n == 0 ? 0 : dims[c->axis];
    dims[c->axis] = length;
    tensor_init(&c->srcs[c->n++], type, ndims, dims, tag);
    dims[c->axis] = before + length;
}

/* ---- Axes and sources ---------------------------------------------------- */

TEST_C(Concat, TakesEveryAxisOfEveryLayout)
{
    static const dnnl_format_tag_t tags[][3] = {/* dst, sources */
            {dnnl_nchw, dnnl_nchw, dnnl_nchw},
            {dnnl_nhwc, dnnl_nhwc, dnnl_nhwc},
            {dnnl_nhwc, dnnl_nchw, dnnl_nhwc},
            {dnnl_cdba, dnnl_bacd, dnnl_nchw}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < 4 * COUNT(tags) && !test_has_failed(); i++) {
        const dnnl_format_tag_t *tag = tags[i / 4];
        dnnl_dims_t dims = {3, 5, 4, 7};
        struct concat c;
        init(&c, (int)(i % 4));
        add(&c, dnnl_f32, 4, dims, 2, tag[1]);
        add(&c, dnnl_f32, 4, dims, 1, tag[2]);
        add(&c, dnnl_f32, 4, dims, 11, tag[1]);
        tensor_init(&c.dst, dnnl_f32, 4, dims, tag[0]);
        check(&c, &seed);
    }
}

TEST_C(Concat, TakesOneSourceAndMany)
{
    static const int counts[] = {1, 2, 7, 64, MAX_SOURCES};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(counts) && !test_has_failed(); i++) {
        dnnl_dims_t dims = {3, 0, 5};
        struct concat c;
        init(&c, 1);
        for (int j = 0; j < counts[i]; j++)
            add(&c, dnnl_f32, 3, dims, 1 + j % 3, dnnl_abc);
        tensor_init(&c.dst, dnnl_f32, 3, dims, dnnl_abc);
        check(&c, &seed);
    }
}

/* Some sources are empty, or all are. */
TEST_C(Concat, TakesRandomEmptyTensors)
{
    static const dnnl_format_tag_t tags[] = {
            dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    uint64_t seed = test_seed();
    for (int i = 0; i < 12 && !test_has_failed(); i++) {
        const int ndims = 1 + (int)random_below(&seed, 5);
        const int count = 1 + (int)random_below(&seed, 5);
        const int empty = (int)random_below(&seed, count);
        dnnl_dims_t dims;
        struct concat c;
        init(&c, (int)random_below(&seed, ndims));
        if (random_below(&seed, 4) == 0)
            random_empty_dims(ndims, dims, &seed);
        else
            for (int d = 0; d < ndims; d++)
                dims[d] = 1 + random_below(&seed, 5);
        for (int j = 0; j < count; j++) {
            add(&c, dnnl_f32, ndims, dims,
                    j == empty ? 0 : random_below(&seed, 5), tags[ndims - 1]);
            tensor_lay_out_randomly(&c.srcs[j], &seed);
        }
        tensor_init_random(&c.dst, dnnl_f32, ndims, dims, &seed);
        check(&c, &seed);
    }
}

TEST_C(Concat, TakesOddSizes)
{
    static const dnnl_dim_t lengths[][3] = {
            {1, 1, 1}, {64, 1, 63}, {65, 127, 128}, {4099, 1, 10007}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(lengths) && !test_has_failed(); i++) {
        dnnl_dims_t dims = {0};
        struct concat c;
        init(&c, 0);
        for (int j = 0; j < 3; j++)
            add(&c, dnnl_f32, 1, dims, lengths[i][j], dnnl_a);
        tensor_init(&c.dst, dnnl_f32, 1, dims, dnnl_a);
        check(&c, &seed);
    }
}

TEST_C(Concat, LeavesSourcesWithoutElementsOut)
{
    static const dnnl_dim_t lengths[][3] = {
            {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 5}, {0, 0, 0}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(lengths) && !test_has_failed(); i++) {
        dnnl_dims_t dims = {3, 0, 5};
        struct concat c;
        init(&c, 1);
        for (int j = 0; j < 3; j++)
            add(&c, dnnl_f32, 3, dims, lengths[i][j], dnnl_abc);
        tensor_init(&c.dst, dnnl_f32, 3, dims, dnnl_abc);
        check(&c, &seed);
    }
}

/* ---- Types and layouts --------------------------------------------------- */

TEST_C(Concat, TakesEveryTypeAndConverts)
{
    static const dnnl_data_type_t types[][2] = {/* dst, sources */
            {dnnl_bf16, dnnl_bf16}, {dnnl_s32, dnnl_s32}, {dnnl_s8, dnnl_s8},
            {dnnl_u8, dnnl_u8}, {dnnl_u8, dnnl_f32}, {dnnl_f32, dnnl_s8},
            {dnnl_f16, dnnl_f16}, {dnnl_s8, dnnl_f16}};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        dnnl_dims_t dims = {3, 0, 5};
        struct concat c;
        if (types[i][1] == dnnl_f16 && !with_half) continue;
        init(&c, 1);
        add(&c, types[i][1], 3, dims, 7, dnnl_abc);
        add(&c, types[i][1], 3, dims, 2, dnnl_abc);
        tensor_init(&c.dst, types[i][0], 3, dims, dnnl_abc);
        check(&c, &seed);
    }
}

TEST_C(Concat, LeavesGapsAlone)
{
    uint64_t seed = test_seed();
    struct concat c;
    init(&c, 1);
    c.n = 2;
    /* The second source repeats its last dimension. */
    tensor_init_strided(&c.srcs[0], dnnl_f32, 3, (dnnl_dims_t){3, 4, 5},
            (dnnl_dims_t){70, 3, 13});
    tensor_init_strided(&c.srcs[1], dnnl_f32, 3, (dnnl_dims_t){3, 2, 5},
            (dnnl_dims_t){2, 7, 0});
    tensor_init_strided(&c.dst, dnnl_f32, 3, (dnnl_dims_t){3, 6, 5},
            (dnnl_dims_t){1, 42, 7});
    check(&c, &seed);
}

/* Sources of few and of many dimensions, in one kernel. */
TEST_C(Concat, TakesTwelveDimensionsThatDoNotMerge)
{
    uint64_t seed = test_seed();
    dnnl_dims_t dims = {2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2};
    struct concat c;
    init(&c, 5);
    c.n = 1;
    tensor_init_strided(&c.srcs[0], dnnl_f32, 12, dims,
            (dnnl_dims_t){1, 2, 4, 8, 8, 16, 32, 64, 64, 128, 256, 512});
    add(&c, dnnl_f32, 12, dims, 1, dnnl_abcdefghijkl);
    tensor_init(&c.dst, dnnl_f32, 12, dims, dnnl_abcdefghijkl);
    check(&c, &seed);
}

TEST_C(Concat, ChoosesALayoutLikeTheFirstSource)
{
    uint64_t seed = test_seed();
    dnnl_dims_t dims = {2, 0, 4, 5};
    dnnl_primitive_desc_t pd;
    struct concat c;
    init(&c, 1);
    add(&c, dnnl_bf16, 4, dims, 3, dnnl_nhwc);
    add(&c, dnnl_bf16, 4, dims, 2, dnnl_nchw);
    tensor_init(&c.dst, dnnl_bf16, 4, dims, dnnl_nhwc);
    c.has_no_dst = true;
    ASSERT_OK(describe(&pd, test_engine(), &c));
    EXPECT_DESC(c.dst.md, pd, dnnl_query_dst_md, 0);
    dnnl_primitive_desc_destroy(pd);
    check(&c, &seed);
}

TEST_C(Concat, SharesItsProgramBetweenNumbersOfSources)
{
    dnnl_cache_origin_t origin = dnnl_cache_origin_none;
    for (int i = 0; i < 2; i++) {
        dnnl_dims_t dims = {3, 0, 5};
        struct concat c;
        init(&c, 1);
        for (int j = 0; j < 2 + i; j++)
            add(&c, dnnl_f32, 3, dims, 7, dnnl_abc);
        c.has_no_dst = true;
        origin = test_created(describe, &c);
        fini(&c);
    }
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin);
}

/* ---- Scales -------------------------------------------------------------- */

static void set_scale(
        struct concat *c, int source, dnnl_data_type_t type, double value)
{
    tensor_init(&c->scales[source], type, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_set(&c->scales[source], &value, 1);
}

/* Random sources, of which some have a scale, some none, some no element. */
static void check_scales(
        dnnl_data_type_t src, dnnl_data_type_t dst, uint64_t *seed)
{
    for (int i = 0; i < 6 && !test_has_failed(); i++) {
        const int count = 1 + (int)random_below(seed, 6);
        const int scaled = (int)random_below(seed, count);
        dnnl_dims_t dims;
        struct concat c;
        init(&c, (int)random_below(seed, 3));
        for (int d = 0; d < 3; d++)
            dims[d] = 1 + random_below(seed, 9);
        for (int j = 0; j < count; j++) {
            add(&c, src, 3, dims, random_below(seed, 7), dnnl_abc);
            if (j == scaled || random_below(seed, 2) == 0)
                set_scale(&c, j, dnnl_f32,
                        0.125 * (double)(1 + random_below(seed, 30)));
        }
        tensor_init_random(&c.dst, dst, 3, dims, seed);
        check(&c, seed);
    }
}

TEST_C(Concat, ScalesSources)
{
    uint64_t seed = test_seed();
    check_scales(dnnl_f32, dnnl_f32, &seed);
}

TEST_C(Concat, ScalesSourcesOfEveryKind)
{
    uint64_t seed = test_seed();
    check_scales(dnnl_s8, dnnl_u8, &seed);
    check_scales(dnnl_bf16, dnnl_s8, &seed);
}

/* What has no scale keeps integers that no float has. */
TEST_C(Concat, KeepsIntegersBesideScaledOnes)
{
    static const double large[] = {16777217.0, -2147483647.0, 33554435.0};
    const int32_t *dst;
    dnnl_dims_t dims = {0};
    struct concat c;
    init(&c, 0);
    add(&c, dnnl_s32, 1, dims, 3, dnnl_a);
    add(&c, dnnl_s32, 1, dims, 3, dnnl_a);
    tensor_init(&c.dst, dnnl_s32, 1, dims, dnnl_a);
    tensor_set(&c.srcs[0], large, 3);
    tensor_set(&c.srcs[1], (double[]){2.0, -7.0, 40.0}, 3);
    set_scale(&c, 1, dnnl_bf16, 2.5);
    if (run(&c)) {
        dst = (const int32_t *)c.dst.view.data;
        for (int i = 0; i < 3; i++)
            EXPECT_EQ(large[i], dst[i]);
        EXPECT_EQ(5, dst[3]);
        EXPECT_EQ(-18, dst[4]); /* -17.5 to the even neighbour */
        EXPECT_EQ(100, dst[5]);
    }
    fini(&c);
}

static dnnl_status_t try_scales(const struct concat *c, int arg, int mask,
        dnnl_data_type_t type, int other)
{
    const_dnnl_memory_desc_t srcs[] = {c->srcs[0].md, c->srcs[1].md};
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_scales(attr, arg, mask, 0, NULL, type));
    if (other != 0)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, other, 0));
    dnnl_status_t st = dnnl_concat_primitive_desc_create(
            &out, test_engine(), NULL, 2, 0, srcs, attr);
    dnnl_primitive_attr_destroy(attr);
    return tried(st, out);
}

TEST_C(Concat, RefusesScalesThatOneDnnHasNot)
{
    const int src = DNNL_ARG_MULTIPLE_SRC;
    dnnl_dims_t dims = {0, 4};
    struct concat c;
    init(&c, 0);
    add(&c, dnnl_f32, 2, dims, 3, dnnl_ab);
    add(&c, dnnl_f32, 2, dims, 2, dnnl_ab);
    EXPECT_OK(try_scales(&c, src, 0, dnnl_f32, src + 1));
    EXPECT_STATUS(dnnl_unimplemented, try_scales(&c, src + 1, 2, dnnl_f32, 0));
    EXPECT_STATUS(dnnl_unimplemented, try_scales(&c, src + 2, 0, dnnl_f32, 0));
    EXPECT_STATUS(
            dnnl_unimplemented, try_scales(&c, DNNL_ARG_DST, 0, dnnl_f32, 0));
    EXPECT_STATUS(
            dnnl_unimplemented, try_scales(&c, src, 0, dnnl_bf16, src + 1));
    fini(&c);
}

/* ---- Events -------------------------------------------------------------- */

static dnnl_memory_t make_memory(const struct tensor *t)
{
    dnnl_memory_t memory = NULL;
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_create(
            &memory, t->md, test_engine(), DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    memcpy(mapped, t->bytes, t->size);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static cl_int status_of(cl_event event)
{
    cl_int status = -77;
    EXPECT_EQ(
            CL_SUCCESS, clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                sizeof status, &status, NULL));
    return status;
}

/* All copies wait for what the caller waits for, and its event for all. */
TEST_C(Concat, HasOneEventForAllItsCopies)
{
    uint64_t seed = test_seed();
    dnnl_dims_t dims = {3, 0, 50000};
    dnnl_exec_arg_t args[4];
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    cl_context context = NULL;
    cl_event done = NULL;
    cl_int error;
    void *mapped = NULL;
    struct concat c;
    dnnl_status_t st = dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_out_of_order);
    if (st == dnnl_unimplemented) SKIP_TEST("no out-of-order queues");
    ASSERT_OK(st);
    init(&c, 1);
    for (int i = 0; i < 3; i++) {
        add(&c, dnnl_f32, 3, dims, 1 + i, dnnl_abc);
        tensor_randomize(&c.srcs[i], &seed, -1.0, 1.0);
        args[i].arg = DNNL_ARG_MULTIPLE_SRC + i;
        args[i].memory = make_memory(&c.srcs[i]);
    }
    tensor_init(&c.dst, dnnl_f32, 3, dims, dnnl_abc);
    args[3].arg = DNNL_ARG_DST;
    args[3].memory = make_memory(&c.dst);
    ASSERT_OK(describe(&pd, test_engine(), &c));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(dnnl_ocl_interop_engine_get_context(test_engine(), &context));
    cl_event gate = clCreateUserEvent(context, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(dnnl_ocl_interop_primitive_execute(
            primitive, stream, 4, args, &gate, 1, &done));
    ASSERT_NOT_NULL(done);
    EXPECT_GT(status_of(done), CL_COMPLETE);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &done));
    ASSERT_OK(dnnl_memory_map_data(args[3].memory, &mapped));
    memcpy(c.dst.bytes, mapped, c.dst.size);
    EXPECT_OK(dnnl_memory_unmap_data(args[3].memory, mapped));
    expect_tensor(&c.dst, expected, &c);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    for (int i = 0; i < 4; i++)
        dnnl_memory_destroy(args[i].memory);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    fini(&c);
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t try_call(dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst, int n, int axis,
        const_dnnl_memory_desc_t const *srcs, const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_concat_primitive_desc_create(
            &out, engine, dst, n, axis, srcs, attr);
    return tried(st, out);
}

TEST_C(Concat, RefusesWrongArguments)
{
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, (dnnl_dims_t){4, 12}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){5, 6}, dnnl_f32);
    dnnl_memory_desc_t bytes = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_u8);
    dnnl_memory_desc_t vector = plain_md(1, (dnnl_dims_t){4}, dnnl_f32);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 6}, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_t any_dst =
            tagged_md(2, (dnnl_dims_t){4, 12}, dnnl_f32, dnnl_format_tag_any);
    const_dnnl_memory_desc_t good[] = {md, md};
    const_dnnl_memory_desc_t bad[][2] = {{md, NULL}, {NULL, md}, {md, other},
            {md, bytes}, {md, vector}, {md, empty}, {empty, md}, {any, md},
            {md, any}};
    EXPECT_OK(try_call(engine, wide, 2, 1, good, NULL));
    EXPECT_OK(try_call(engine, any_dst, 2, 1, good, NULL));
    EXPECT_OK(try_call(engine, NULL, 2, 1, good, NULL));
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_STATUS(wrong, try_call(engine, NULL, 2, 1, bad[i], NULL));
    EXPECT_STATUS(wrong, try_call(NULL, wide, 2, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, md, 2, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, vector, 2, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, empty, 2, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, 2, 0, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, 2, -1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, 2, 2, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, 0, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, -1, 1, good, NULL));
    EXPECT_STATUS(wrong, try_call(engine, wide, 2, 1, NULL, NULL));
    EXPECT_STATUS(wrong, dnnl_concat_primitive_desc_create(
                                 NULL, engine, wide, 2, 1, good, NULL));
}

TEST_C(Concat, RefusesWhatItHasNot)
{
    static const struct chain relu = {1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}};
    const dnnl_status_t not_here = dnnl_unimplemented;
    dnnl_engine_t engine = test_engine();
    const_dnnl_memory_desc_t srcs[MAX_SOURCES + 1];
    dnnl_primitive_attr_t attr = chain_attr(&relu);
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 6}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, (dnnl_dims_t){4, 12}, dnnl_f64);
    dnnl_memory_desc_t repeated =
            strided_md(2, (dnnl_dims_t){4, 12}, dnnl_f32, (dnnl_dims_t){0, 1});
    for (int i = 0; i <= MAX_SOURCES; i++)
        srcs[i] = md;
    EXPECT_OK(try_call(engine, NULL, MAX_SOURCES, 0, srcs, NULL));
    EXPECT_STATUS(
            not_here, try_call(engine, NULL, MAX_SOURCES + 1, 0, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, wide, 2, 1, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, repeated, 2, 1, srcs, NULL));
    EXPECT_STATUS(not_here, try_call(engine, NULL, 2, 1, srcs, attr));
    srcs[0] = srcs[1] = wide;
    EXPECT_STATUS(not_here, try_call(engine, NULL, 2, 1, srcs, NULL));
    dnnl_primitive_attr_destroy(attr);
}

/* A sum of sizes that no number holds. */
TEST_C(Concat, RefusesADestinationThatCannotBe)
{
    const dnnl_dim_t huge = (dnnl_dim_t)1 << 60;
    const_dnnl_memory_desc_t srcs[16];
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){0, huge}, dnnl_u8);
    for (size_t i = 0; i < COUNT(srcs); i++)
        srcs[i] = md;
    EXPECT_STATUS(dnnl_invalid_arguments,
            try_call(test_engine(), NULL, 16, 1, srcs, NULL));
}

/* ---- Cases of ONNX ------------------------------------------------------- */

TEST_C(Concat, AgreesWithOnnx)
{
    struct concat c;
    init(&c, 1);
    c.n = 2;
    onnx_tensor_init(&c.srcs[0], "operator_concat2_input_0");
    onnx_tensor_init(&c.srcs[1], "operator_concat2_input_1");
    dnnl_dims_t dims;
    memcpy(dims, c.srcs[0].view.dims, sizeof dims);
    dims[1] += c.srcs[1].view.dims[1];
    tensor_init_strided(&c.dst, dnnl_f32, c.srcs[0].view.ndims, dims, NULL);
    if (run(&c)) onnx_expect(&c.dst, "operator_concat2_output_0", 0.0);
    fini(&c);
}
