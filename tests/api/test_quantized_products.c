/* SPDX-License-Identifier: Apache-2.0 */
/* Matmul and inner product of bytes that stand for other numbers. */
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Running ------------------------------------------------------------- */

/* Numbers of an argument; none if its rank is 0. */
struct numbers {
    struct tensor tensor;
    int mask;
};

struct quantized {
    bool is_inner; /* inner product: weights have a row for a column of dst */
    bool any_rows; /* only execution tells how many rows there are */
    struct tensor src, weights, bias, dst; /* bias: none if its rank is 0 */
    struct numbers src_zero, weights_zero, dst_zero;
    struct numbers src_scale, weights_scale, dst_scale;
    struct tensor src_shifted, weights_shifted; /* less the zero points */
    struct chain chain;
};

static void set_scales(
        dnnl_primitive_attr_t attr, int arg, const struct numbers *n)
{
    if (n->tensor.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, arg, n->mask));
}

static void set_zero_points(
        dnnl_primitive_attr_t attr, int arg, const struct numbers *n)
{
    if (n->tensor.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_zero_points(
                attr, arg, n->mask, 0, NULL, n->tensor.view.type));
}

/* What is said of src or dst beforehand. */
static dnnl_memory_desc_t described(
        const struct quantized *q, const struct tensor *t)
{
    dnnl_dims_t dims;
    memcpy(dims, t->view.dims, sizeof dims);
    if (q->any_rows) dims[0] = DNNL_RUNTIME_DIM_VAL;
    return strided_md(2, dims, t->view.type, t->view.strides);
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct quantized *q = user;
    dnnl_primitive_attr_t attr = chain_attr(&q->chain);
    if (attr == NULL) EXPECT_OK(dnnl_primitive_attr_create(&attr));
    set_scales(attr, DNNL_ARG_SRC, &q->src_scale);
    set_scales(attr, DNNL_ARG_WEIGHTS, &q->weights_scale);
    set_scales(attr, DNNL_ARG_DST, &q->dst_scale);
    set_zero_points(attr, DNNL_ARG_SRC, &q->src_zero);
    set_zero_points(attr, DNNL_ARG_WEIGHTS, &q->weights_zero);
    set_zero_points(attr, DNNL_ARG_DST, &q->dst_zero);
    dnnl_memory_desc_t src = described(q, &q->src);
    dnnl_memory_desc_t dst = described(q, &q->dst);
    dnnl_status_t st =
            q->is_inner ? dnnl_inner_product_forward_primitive_desc_create(pd,
                    engine, dnnl_forward_inference, src, q->weights.md,
                    q->bias.md, dst, attr)
                        : dnnl_matmul_primitive_desc_create(pd, engine, src,
                                q->weights.md, q->bias.md, dst, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- What is expected ---------------------------------------------------- */

/* The number for an index of the mask's one dimension. */
static double number_at(const struct numbers *n, dnnl_dim_t index, double none)
{
    if (n->tensor.md == NULL) return none;
    return reference_read(&n->tensor.view, n->mask == 0 ? 0 : index);
}

/* A tensor of the elements less the zero point. */
static void shift(struct tensor *shifted, const struct tensor *t,
        const struct numbers *zero)
{
    tensor_init_strided(shifted, dnnl_s32, t->view.ndims, t->view.dims, NULL);
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++) {
        dnnl_dims_t place;
        reference_place(&t->view, i, place);
        ((int32_t *)shifted->view.data)[i] =
                (int32_t)(reference_at(&t->view, place)
                          - number_at(zero, 0, 0.0));
    }
}

/* Times a number that a device rounds: the product is rounded, too. */
static struct reference_value times(struct reference_value v, double factor)
{
    v.value *= factor;
    v.tolerance = v.tolerance * fabs(factor)
                  + 2.0 * (double)FLT_EPSILON * fabs(v.value);
    return v;
}

static struct reference_value plus(struct reference_value v, double term)
{
    v.tolerance += (double)FLT_EPSILON * (fabs(v.value) + fabs(term));
    v.value += term;
    return v;
}

/* Integers all the way: nothing is rounded. */
static bool is_exact(const struct quantized *q)
{
    return tensor_is_integer(&q->dst) && q->src_scale.tensor.md == NULL
           && q->weights_scale.tensor.md == NULL
           && q->dst_scale.tensor.md == NULL && q->dst_zero.tensor.md == NULL
           && (q->bias.md == NULL || tensor_is_integer(&q->bias))
           && q->chain.count == 0;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct quantized *q = user;
    const struct reference_tensor *src = &q->src_shifted.view;
    const struct reference_tensor *weights = &q->weights_shifted.view;
    bool has_bias = q->bias.md != NULL;
    struct reference_value v =
            q->is_inner ? reference_inner_product(src, weights, NULL, place)
                        : reference_matmul(src, weights, NULL, 2, place);
    double bias = has_bias ? reference_read(&q->bias.view, place[1]) : 0.0;
    if (is_exact(q)) return (struct reference_value){v.value + bias, 0.0};
    v = times(v, number_at(&q->src_scale, 0, 1.0));
    v = times(v, number_at(&q->weights_scale, place[1], 1.0));
    v = chain_apply(&q->chain, plus(v, bias));
    v = times(v, 1.0 / number_at(&q->dst_scale, 0, 1.0));
    return plus(v, number_at(&q->dst_zero, 0, 0.0));
}

/* ---- Making them --------------------------------------------------------- */

static void init(struct quantized *q, bool is_inner, dnnl_dim_t m, dnnl_dim_t n,
        dnnl_dim_t k, dnnl_data_type_t dst)
{
    memset(q, 0, sizeof *q);
    q->is_inner = is_inner;
    tensor_init(&q->src, dnnl_u8, 2, (dnnl_dims_t){m, k}, dnnl_ab);
    tensor_init(&q->weights, dnnl_s8, 2,
            (dnnl_dims_t){is_inner ? n : k, is_inner ? k : n}, dnnl_ab);
    tensor_init(&q->dst, dst, 2, (dnnl_dims_t){m, n}, dnnl_ab);
}

static void init_numbers(struct numbers *n, dnnl_data_type_t type, int mask,
        dnnl_dim_t count, double first)
{
    n->mask = mask;
    tensor_init(&n->tensor, type, 1, (dnnl_dims_t){count}, dnnl_a);
    const double values[] = {first, first / 2.0, first * 3.0};
    tensor_set(&n->tensor, values, 3);
}

static void fini(struct quantized *q)
{
    struct tensor *tensors[] = {&q->src, &q->weights, &q->bias, &q->dst,
            &q->src_zero.tensor, &q->weights_zero.tensor, &q->dst_zero.tensor,
            &q->src_scale.tensor, &q->weights_scale.tensor,
            &q->dst_scale.tensor, &q->src_shifted, &q->weights_shifted};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        tensor_fini(tensors[i]);
}

static void add(
        struct run_argument *args, int *count, int arg, struct tensor *tensor)
{
    if (tensor->md != NULL)
        args[(*count)++] = (struct run_argument){arg, tensor};
}

/* Fills src, weights and bias, runs the product, compares, and frees all. */
static void check(struct quantized *q, uint64_t *seed)
{
    struct run_argument args[10];
    int n = 0;
    tensor_randomize_type(&q->src, seed);
    tensor_randomize_type(&q->weights, seed);
    if (q->bias.md != NULL) tensor_randomize(&q->bias, seed, -50.0, 50.0);
    shift(&q->src_shifted, &q->src, &q->src_zero);
    shift(&q->weights_shifted, &q->weights, &q->weights_zero);
    add(args, &n, DNNL_ARG_SRC, &q->src);
    add(args, &n, DNNL_ARG_WEIGHTS, &q->weights);
    add(args, &n, DNNL_ARG_BIAS, &q->bias);
    add(args, &n, DNNL_ARG_DST, &q->dst);
    add(args, &n, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
            &q->src_zero.tensor);
    add(args, &n, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
            &q->weights_zero.tensor);
    add(args, &n, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST,
            &q->dst_zero.tensor);
    add(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, &q->src_scale.tensor);
    add(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
            &q->weights_scale.tensor);
    add(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, &q->dst_scale.tensor);
    run_and_expect(describe, expected, q, args, n);
    fini(q);
}

/* ---- Zero points --------------------------------------------------------- */

TEST_C(QuantizedProducts, SubtractZeroPoints)
{
    /* Past the tensors' ends tiles are 0, not less the zero point. */
    static const dnnl_dim_t sizes[][3] = {
            {19, 71, 37}, {64, 64, 32}, {9, 1, 1}, {13, 7, 0}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct quantized q;
        init(&q, false, sizes[i][0], sizes[i][1], sizes[i][2], dnnl_s32);
        init_numbers(&q.src_zero, dnnl_s32, 0, 1, 131.0);
        init_numbers(&q.weights_zero, dnnl_s32, 0, 1, -7.0);
        check(&q, &seed);
    }
}

TEST_C(QuantizedProducts, TakeTransposedMatrices)
{
    uint64_t seed = test_seed();
    struct quantized q;
    init(&q, false, 37, 41, 43, dnnl_s32);
    tensor_fini(&q.src);
    tensor_fini(&q.weights);
    tensor_init(&q.src, dnnl_u8, 2, (dnnl_dims_t){37, 43}, dnnl_ba);
    tensor_init(&q.weights, dnnl_s8, 2, (dnnl_dims_t){43, 41}, dnnl_ba);
    init_numbers(&q.src_zero, dnnl_u8, 0, 1, 200.0);
    init_numbers(&q.weights_zero, dnnl_s8, 0, 1, -128.0);
    check(&q, &seed);
}

/* ---- Scales -------------------------------------------------------------- */

static void add_all(struct quantized *q, int weights_mask)
{
    dnnl_dim_t n = q->dst.view.dims[1];
    tensor_init_strided(&q->bias, dnnl_f32, q->is_inner ? 1 : 2,
            q->is_inner ? (dnnl_dims_t){n} : (dnnl_dims_t){1, n}, NULL);
    init_numbers(&q->src_zero, dnnl_s32, 0, 1, 120.0);
    init_numbers(&q->dst_zero, dnnl_s32, 0, 1, 100.0);
    init_numbers(&q->src_scale, dnnl_f32, 0, 1, 0.25);
    init_numbers(&q->weights_scale, dnnl_f32, weights_mask, n, 0.02);
    init_numbers(&q->dst_scale, dnnl_f32, 0, 1, 3.7);
}

TEST_C(QuantizedProducts, ScaleResultsOfMatmul)
{
    const struct chain chain = {1, {{dnnl_eltwise_relu, 0.5f, 0.0f}}};
    uint64_t seed = test_seed();
    struct quantized q;
    init(&q, false, 19, 71, 37, dnnl_u8);
    add_all(&q, 1 << 1);
    q.chain = chain;
    check(&q, &seed);
}

TEST_C(QuantizedProducts, ScaleAnyNumberOfRows)
{
    uint64_t seed = test_seed();
    for (dnnl_dim_t m = 1; m < 100; m += 33) {
        struct quantized q;
        init(&q, false, m, 71, 37, dnnl_u8);
        add_all(&q, 1 << 1);
        q.any_rows = true;
        check(&q, &seed);
    }
}

TEST_C(QuantizedProducts, ScaleResultsOfInnerProduct)
{
    uint64_t seed = test_seed();
    struct quantized q;
    init(&q, true, 19, 71, 37, dnnl_s8);
    add_all(&q, 1 << 0);
    check(&q, &seed);
}

/* ---- Arguments ----------------------------------------------------------- */

/* Creates both kinds of product; matmul has a use for some of it. */
static void expect_refusal(dnnl_primitive_attr_t attr, dnnl_status_t of_matmul)
{
    dnnl_primitive_desc_t pd = untouched_pd();
    const dnnl_dims_t dims = {8, 8};
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_s8);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_inner_product_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, md, md, NULL, md, attr));
    EXPECT_PTR_EQ(untouched_pd(), pd);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            &pd, test_engine(), md, md, NULL, md, attr);
    EXPECT_STATUS(of_matmul, st);
    (void)tried(st, pd);
}

/* Numbers that differ within a sum, or that nothing here applies. */
TEST_C(QuantizedProducts, RefuseNumbersTheyHaveNoUseFor)
{
    const dnnl_dims_t groups = {2, 1};
    for (int i = 0; i < 5; i++) {
        dnnl_primitive_attr_t attr;
        ASSERT_OK(dnnl_primitive_attr_create(&attr));
        dnnl_status_t st =
                i == 0 ? dnnl_primitive_attr_set_zero_points_mask(
                        attr, DNNL_ARG_SRC, 1 << 1)
                : i == 1 ? dnnl_primitive_attr_set_scales_mask(
                          attr, DNNL_ARG_SRC, 1 << 1)
                : i == 2 ? dnnl_primitive_attr_set_zero_points_mask(
                          attr, DNNL_ARG_WEIGHTS, 3)
                : i == 3 ? dnnl_primitive_attr_set_scales_mask(
                          attr, DNNL_ARG_WEIGHTS, 3)
                         : dnnl_primitive_attr_set_scales(attr,
                                 DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32);
        EXPECT_OK(st);
        expect_refusal(attr, i < 2 ? dnnl_unimplemented : dnnl_success);
        dnnl_primitive_attr_destroy(attr);
    }
}
