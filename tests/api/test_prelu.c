/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

struct prelu {
    struct tensor src, weights, dst;
};

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct prelu *p = user;
    return dnnl_prelu_forward_primitive_desc_create(pd, engine,
            dnnl_forward_training, p->src.md, p->weights.md, p->dst.md, NULL);
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct prelu *p = user;
    return reference_prelu(reference_at(&p->src.view, place),
            reference_at(&p->weights.view, place));
}

static bool run(struct prelu *p)
{
    const struct run_argument args[] = {{DNNL_ARG_SRC, &p->src},
            {DNNL_ARG_WEIGHTS, &p->weights}, {DNNL_ARG_DST, &p->dst}};
    return run_twice(describe, p, args, 3);
}

static void fini(struct prelu *p)
{
    tensor_fini(&p->src);
    tensor_fini(&p->weights);
    tensor_fini(&p->dst);
}

/* Runs on inputs that are there already, compares, and frees the tensors. */
static void check(struct prelu *p)
{
    if (run(p)) expect_tensor(&p->dst, expected, p);
    fini(p);
}

static void randomize(struct prelu *p, uint64_t *seed, double most)
{
    tensor_randomize(&p->src, seed, -most, most);
    tensor_randomize(&p->weights, seed, -2.0, 2.0);
}

/* ---- Numbers and types --------------------------------------------------- */

TEST_C(Prelu, TakesSpecialNumbers)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 1e30, -1e30, INFINITY,
            -INFINITY, NAN, -1e-20};
    static const double slopes[] = {0.25, -3.0, 0.0, 1e10, INFINITY, NAN, 1.0};
    const dnnl_dims_t dims = {COUNT(values) * COUNT(slopes)};
    struct prelu p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 1, dims, dnnl_a);
    tensor_init(&p.weights, dnnl_f32, 1, dims, dnnl_a);
    tensor_init(&p.dst, dnnl_f32, 1, dims, dnnl_a);
    tensor_set(&p.src, values, COUNT(values));
    tensor_set(&p.weights, slopes, COUNT(slopes));
    check(&p);
}

TEST_C(Prelu, TakesEveryType)
{
    static const dnnl_data_type_t cases[][3] = {{dnnl_f16, dnnl_f32, dnnl_f16},
            {dnnl_bf16, dnnl_bf16, dnnl_bf16}, {dnnl_s8, dnnl_f16, dnnl_s8},
            {dnnl_s32, dnnl_s8, dnnl_f32}, {dnnl_f32, dnnl_u8, dnnl_u8}};
    const dnnl_dims_t dims = {3, 37, 5};
    uint64_t seed = test_seed();
    bool with_half = test_takes_half();
    for (size_t i = 0; i < COUNT(cases) && !test_has_failed(); i++) {
        const dnnl_data_type_t *types = cases[i];
        struct prelu p;
        if (!with_half && (types[0] == dnnl_f16 || types[1] == dnnl_f16))
            continue;
        memset(&p, 0, sizeof p);
        tensor_init(&p.src, types[0], 3, dims, dnnl_abc);
        tensor_init(&p.weights, types[1], 3, (dnnl_dims_t){1, 37, 1}, dnnl_abc);
        tensor_init(&p.dst, types[2], 3, dims, dnnl_abc);
        randomize(&p, &seed, 150.0);
        check(&p);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* ---- Shapes and layouts -------------------------------------------------- */

TEST_C(Prelu, RepeatsWeightsInAnyLayout)
{
    static const dnnl_dim_t sizes[] = {1, 2, 3, 5, 7, 11};
    uint64_t seed = test_seed();
    for (int i = 0; i < 40 && !test_has_failed(); i++) {
        struct prelu p;
        int ndims = 1 + i % 5;
        dnnl_dims_t dims;
        dnnl_dims_t few;
        memset(&p, 0, sizeof p);
        for (int d = 0; d < ndims; d++) {
            dims[d] = sizes[random_below(&seed, COUNT(sizes))];
            few[d] = random_below(&seed, 2) == 0 ? 1 : dims[d];
        }
        tensor_init_random(&p.src, dnnl_f32, ndims, dims, &seed);
        tensor_init_random(&p.weights, dnnl_f32, ndims, few, &seed);
        tensor_init_random(&p.dst, dnnl_f32, ndims, dims, &seed);
        randomize(&p, &seed, 1.0);
        check(&p);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %d", i);
    }
}

TEST_C(Prelu, LeavesAnEmptyTensorAlone)
{
    struct prelu p;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 2, (dnnl_dims_t){3, 0}, dnnl_ab);
    tensor_init(&p.weights, dnnl_f32, 2, (dnnl_dims_t){3, 1}, dnnl_ab);
    tensor_init(&p.dst, dnnl_f32, 2, (dnnl_dims_t){3, 0}, dnnl_ab);
    check(&p);
}

TEST_C(Prelu, WorksInPlace)
{
    const dnnl_dims_t dims = {13, 67};
    uint64_t seed = test_seed();
    struct prelu p;
    struct tensor both;
    memset(&p, 0, sizeof p);
    tensor_init(&p.src, dnnl_f32, 2, dims, dnnl_ab);
    tensor_init(&p.weights, dnnl_f32, 2, (dnnl_dims_t){1, 67}, dnnl_ab);
    tensor_init(&p.dst, dnnl_f32, 2, dims, dnnl_ab);
    tensor_init(&both, dnnl_f32, 2, dims, dnnl_ab);
    randomize(&p, &seed, 1.0);
    memcpy(both.bytes, p.src.bytes, both.size);
    const struct run_argument args[] = {{DNNL_ARG_SRC, &both},
            {DNNL_ARG_WEIGHTS, &p.weights}, {DNNL_ARG_DST, &both}};
    run_and_expect(describe, expected, &p, args, 3);
    tensor_fini(&both);
    fini(&p);
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(Prelu, GivesTheLayoutOfSrcForAny)
{
    dnnl_primitive_desc_t pd;
    dnnl_prop_kind_t prop_kind;
    const dnnl_dims_t dims = {2, 3, 4, 5};
    dnnl_memory_desc_t src = tagged_md(4, dims, dnnl_f32, dnnl_nhwc);
    dnnl_memory_desc_t any = tagged_md(4, dims, dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_prelu_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_inference, src, any, any, NULL));
    EXPECT_DESC(src, pd, dnnl_query_weights_md, 0);
    EXPECT_DESC(src, pd, dnnl_query_dst_md, 0);
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind));
    EXPECT_EQ(dnnl_forward_inference, prop_kind);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_status_t try_call(dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
        const_dnnl_memory_desc_t dst)
{
    dnnl_primitive_desc_t out = untouched_pd();
    dnnl_status_t st = dnnl_prelu_forward_primitive_desc_create(
            &out, engine, prop_kind, src, weights, dst, NULL);
    return tried(st, out);
}

TEST_C(Prelu, RefusesWrongArguments)
{
    dnnl_engine_t e = test_engine();
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    const dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_memory_desc_t md = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f32);
    dnnl_memory_desc_t row = plain_md(2, (dnnl_dims_t){1, 5}, dnnl_f32);
    dnnl_memory_desc_t other = plain_md(2, (dnnl_dims_t){4, 2}, dnnl_f32);
    dnnl_memory_desc_t vector = plain_md(1, (dnnl_dims_t){5}, dnnl_f32);
    dnnl_memory_desc_t wide = plain_md(2, (dnnl_dims_t){4, 5}, dnnl_f64);
    dnnl_memory_desc_t empty = plain_md(0, NULL, dnnl_data_type_undef);
    dnnl_memory_desc_t any =
            tagged_md(2, (dnnl_dims_t){4, 5}, dnnl_f32, dnnl_format_tag_any);
    EXPECT_OK(try_call(e, kind, md, row, any));
    EXPECT_STATUS(wrong, try_call(NULL, kind, md, row, md));
    EXPECT_STATUS(wrong, try_call(e, kind, NULL, row, md));
    EXPECT_STATUS(wrong, try_call(e, kind, md, NULL, md));
    EXPECT_STATUS(wrong, try_call(e, kind, md, row, NULL));
    EXPECT_STATUS(wrong, try_call(e, kind, empty, empty, empty));
    EXPECT_STATUS(wrong, try_call(e, kind, md, empty, md));
    EXPECT_STATUS(wrong, try_call(e, kind, md, other, md));
    EXPECT_STATUS(wrong, try_call(e, kind, md, vector, md));
    EXPECT_STATUS(wrong, try_call(e, kind, row, md, row));
    EXPECT_STATUS(wrong, try_call(e, kind, md, row, row));
    EXPECT_STATUS(wrong, try_call(e, kind, any, row, md));
    EXPECT_STATUS(wrong, try_call(e, dnnl_backward, md, row, md));
    EXPECT_STATUS(wrong, dnnl_prelu_forward_primitive_desc_create(
                                 NULL, e, kind, md, row, md, NULL));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, kind, wide, row, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, kind, md, wide, md));
    EXPECT_STATUS(dnnl_unimplemented, try_call(e, kind, md, row, wide));
    EXPECT_STATUS(dnnl_unimplemented, try_call(test_host(), kind, md, row, md));
}

TEST_C(Prelu, HasNoPostOps)
{
    const struct chain chain = {1, {{dnnl_eltwise_relu, 0.0f, 0.0f}}};
    dnnl_memory_desc_t md = plain_md(1, (dnnl_dims_t){4}, dnnl_f32);
    dnnl_primitive_attr_t attr = chain_attr(&chain);
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_prelu_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, md, md, md, attr));
    dnnl_primitive_attr_destroy(attr);
}

/* ---- Cases of ONNX ------------------------------------------------------- */

/* ONNX's slope has one dimension there, of one element. */
static void check_onnx(const char *name)
{
    char file[64];
    struct prelu p;
    struct tensor slope;
    const dnnl_dims_t one = {1, 1, 1, 1, 1};
    memset(&p, 0, sizeof p);
    snprintf(file, sizeof file, "%s_input_0", name);
    onnx_tensor_init(&p.src, file);
    snprintf(file, sizeof file, "%s_weights", name);
    onnx_tensor_init(&slope, file);
    tensor_init_strided(&p.weights, dnnl_f32, p.src.view.ndims, one, NULL);
    memcpy(p.weights.bytes, slope.bytes, slope.size);
    tensor_init_strided(
            &p.dst, dnnl_f32, p.src.view.ndims, p.src.view.dims, NULL);
    snprintf(file, sizeof file, "%s_output_0", name);
    if (run(&p)) onnx_expect(&p.dst, file, 1e-6);
    tensor_fini(&slope);
    fini(&p);
}

TEST_C(Prelu, AgreesWithOnnx)
{
    check_onnx("PReLU_1d");
    check_onnx("PReLU_2d");
    check_onnx("PReLU_3d");
}
