/* SPDX-License-Identifier: Apache-2.0 */
/* What attributes do to results: sums, binary and PReLU post-ops, scales and
 * zero points, behind a product of matrices (which has a bias) and behind an
 * element-wise primitive. Chains of eltwise post-ops are tested with the kinds
 * of primitives. */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 8, MAX_ARGS = 4 + 5 + MAX_STEPS };

/* ---- A primitive with attributes ----------------------------------------- */

struct step {
    dnnl_primitive_kind_t kind;
    dnnl_alg_kind_t alg; /* eltwise, binary */
    float alpha;         /* eltwise; sum: scale */
    float beta;
    int zero_point; /* sum */
    dnnl_data_type_t type;
    int mask;             /* prelu */
    struct tensor tensor; /* binary, prelu */
};

/* Numbers of scales or zero points; none if the tensor has no descriptor. */
struct numbers {
    int arg; /* DNNL_ARG_ATTR_* | DNNL_ARG_* */
    int mask;
    struct tensor tensor;
};

enum { SRC_SCALE, WEIGHTS_SCALE, DST_SCALE, DST_ZERO, NUMBERS };

struct problem {
    bool is_matmul; /* else eltwise, 1 * src + 0 */
    struct tensor src, weights, bias, dst;
    unsigned char *before; /* dst's bytes */
    int count;
    struct step steps[MAX_STEPS];
    struct numbers numbers[NUMBERS];
};

static bool has(const struct tensor *t)
{
    return t->md != NULL;
}

static dnnl_primitive_attr_t make_attr(const struct problem *p)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    for (int i = 0; i < p->count; i++) {
        const struct step *s = &p->steps[i];
        dnnl_status_t st =
                s->kind == dnnl_eltwise ? dnnl_post_ops_append_eltwise(
                        ops, s->alg, s->alpha, s->beta)
                : s->kind == dnnl_sum ? dnnl_post_ops_append_sum(
                          ops, s->alpha, s->zero_point, s->type)
                : s->kind == dnnl_binary
                        ? dnnl_post_ops_append_binary(ops, s->alg, s->tensor.md)
                        : dnnl_post_ops_append_prelu(ops, s->mask);
        EXPECT_OK(st);
    }
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    for (int i = 0; i < NUMBERS; i++) {
        const struct numbers *n = &p->numbers[i];
        if (!has(&n->tensor)) continue;
        int arg = n->arg & 0xfff;
        EXPECT_OK(i == DST_ZERO ? dnnl_primitive_attr_set_zero_points_mask(
                          attr, arg, n->mask)
                                : dnnl_primitive_attr_set_scales_mask(
                                        attr, arg, n->mask));
    }
    return attr;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct problem *p = user;
    dnnl_primitive_attr_t attr = make_attr(p);
    dnnl_status_t st =
            p->is_matmul
                    ? dnnl_matmul_primitive_desc_create(pd, engine, p->src.md,
                            p->weights.md, p->bias.md, p->dst.md, attr)
                    : dnnl_eltwise_forward_primitive_desc_create(pd, engine,
                            dnnl_forward_inference, dnnl_eltwise_linear,
                            p->src.md, p->dst.md, 1.0f, 0.0f, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- What is expected ---------------------------------------------------- */

/* An algorithm of an inexact number and an element: all are monotone in the
 * number. */
static struct reference_value apply(
        dnnl_alg_kind_t alg, struct reference_value a, double b)
{
    struct reference_value v = reference_binary(alg, a.value, b);
    double low = reference_binary(alg, a.value - a.tolerance, b).value;
    double high = reference_binary(alg, a.value + a.tolerance, b).value;
    v.tolerance += fmax(fabs(low - v.value), fabs(high - v.value));
    return v;
}

/* The slope's side may be uncertain. */
static struct reference_value apply_prelu(
        struct reference_value a, double slope)
{
    struct reference_value v = reference_prelu(a.value, slope);
    double low = reference_prelu(a.value - a.tolerance, slope).value;
    double high = reference_prelu(a.value + a.tolerance, slope).value;
    v.tolerance += fmax(fabs(low - v.value), fabs(high - v.value));
    return v;
}

/* The element of a number list: dense over the dimensions of the mask. */
static double number_at(const struct numbers *n, const struct tensor *of,
        const dnnl_dims_t place)
{
    dnnl_dim_t at = 0;
    for (int d = 0; d < of->view.ndims; d++)
        if (n->mask >> d & 1) at = at * of->view.dims[d] + place[d];
    return reference_read(&n->tensor.view, at);
}

static struct reference_value apply_sum(const struct problem *p,
        const struct step *s, struct reference_value v, const dnnl_dims_t place)
{
    struct reference_tensor before = p->dst.view;
    before.data = p->before;
    if (s->type != dnnl_data_type_undef) before.type = s->type;
    double part = (double)s->alpha
                  * (reference_at(&before, place) - (double)s->zero_point);
    struct reference_value sum = apply(dnnl_binary_add, v, part);
    /* The part's own roundings: of the difference and the product. */
    sum.tolerance += 2 * 0x1p-23 * fabs(part);
    return sum;
}

static struct reference_value apply_step(const struct problem *p,
        const struct step *s, struct reference_value v, const dnnl_dims_t place)
{
    switch (s->kind) {
    case dnnl_eltwise:
        return reference_eltwise(s->alg, v, s->alpha, s->beta);
    case dnnl_sum:
        return apply_sum(p, s, v, place);
    case dnnl_binary:
        return apply(s->alg, v, reference_at(&s->tensor.view, place));
    default:
        return apply_prelu(v, reference_at(&s->tensor.view, place));
    }
}

static struct reference_value scaled(const struct problem *p, int which,
        const struct tensor *of, dnnl_alg_kind_t alg, struct reference_value v,
        const dnnl_dims_t place)
{
    const struct numbers *n = &p->numbers[which];
    return has(&n->tensor) ? apply(alg, v, number_at(n, of, place)) : v;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct problem *p = user;
    int ndims = p->dst.view.ndims;
    struct reference_value v = {0.0, 0.0};
    if (p->is_matmul)
        v = reference_matmul(
                &p->src.view, &p->weights.view, NULL, ndims, place);
    else
        v.value = reference_at(&p->src.view, place);
    v = scaled(p, SRC_SCALE, &p->src, dnnl_binary_mul, v, place);
    v = scaled(p, WEIGHTS_SCALE, &p->weights, dnnl_binary_mul, v, place);
    if (has(&p->bias))
        v = apply(dnnl_binary_add, v, reference_at(&p->bias.view, place));
    for (int i = 0; i < p->count; i++)
        v = apply_step(p, &p->steps[i], v, place);
    v = scaled(p, DST_SCALE, &p->dst, dnnl_binary_div, v, place);
    return scaled(p, DST_ZERO, &p->dst, dnnl_binary_add, v, place);
}

/* ---- Running ------------------------------------------------------------- */

static int add(struct run_argument *args, int n, int arg, struct tensor *t)
{
    if (!has(t)) return n;
    args[n] = (struct run_argument){arg, t};
    return n + 1;
}

static void fini(struct problem *p)
{
    tensor_fini(&p->src);
    tensor_fini(&p->weights);
    tensor_fini(&p->bias);
    tensor_fini(&p->dst);
    for (int i = 0; i < p->count; i++)
        tensor_fini(&p->steps[i].tensor);
    for (int i = 0; i < NUMBERS; i++)
        tensor_fini(&p->numbers[i].tensor);
    free(p->before);
}

/* Runs on inputs that are there, compares, and frees everything. */
static void check(struct problem *p)
{
    struct run_argument args[MAX_ARGS];
    int n = add(args, 0, DNNL_ARG_SRC, &p->src);
    n = add(args, n, DNNL_ARG_WEIGHTS, &p->weights);
    n = add(args, n, DNNL_ARG_BIAS, &p->bias);
    n = add(args, n, DNNL_ARG_DST, &p->dst);
    for (int i = 0; i < p->count; i++)
        n = add(args, n,
                DNNL_ARG_ATTR_MULTIPLE_POST_OP(i)
                        | (p->steps[i].kind == dnnl_prelu ? DNNL_ARG_WEIGHTS
                                                          : DNNL_ARG_SRC_1),
                &p->steps[i].tensor);
    for (int i = 0; i < NUMBERS; i++)
        n = add(args, n, p->numbers[i].arg, &p->numbers[i].tensor);
    p->before = malloc(p->dst.size + 1);
    ASSERT_TRUE(p->before != NULL);
    memcpy(p->before, p->dst.bytes, p->dst.size);
    run_and_expect(describe, expected, p, args, n);
    fini(p);
}

static void fill(struct tensor *t, uint64_t *seed, double most)
{
    tensor_randomize(t, seed, -most, most);
}

/* src is dst's shape. */
static void init_eltwise(struct problem *p, int ndims, const dnnl_dims_t dims,
        dnnl_format_tag_t tag, dnnl_data_type_t dst_type, uint64_t *seed)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, dnnl_f32, ndims, dims, tag);
    tensor_init(&p->dst, dst_type, ndims, dims, tag);
    fill(&p->src, seed, 8.0);
    fill(&p->dst, seed, 8.0);
}

/* batch x m x k times 1 x k x n, with a bias by columns. */
static void init_matmul(struct problem *p, dnnl_format_tag_t dst_tag,
        dnnl_data_type_t dst_type, uint64_t *seed)
{
    const dnnl_dims_t src = {2, 5, 7};
    const dnnl_dims_t weights = {1, 7, 11};
    const dnnl_dims_t bias = {1, 1, 11};
    const dnnl_dims_t dst = {2, 5, 11};
    memset(p, 0, sizeof *p);
    p->is_matmul = true;
    tensor_init(&p->src, dnnl_f32, 3, src, dnnl_abc);
    tensor_init(&p->weights, dnnl_f32, 3, weights, dnnl_abc);
    tensor_init(&p->bias, dnnl_f32, 3, bias, dnnl_abc);
    tensor_init(&p->dst, dst_type, 3, dst, dst_tag);
    fill(&p->src, seed, 1.0);
    fill(&p->weights, seed, 1.0);
    fill(&p->bias, seed, 1.0);
    fill(&p->dst, seed, 8.0);
}

static struct step *add_step(struct problem *p, dnnl_primitive_kind_t kind)
{
    struct step *s = &p->steps[p->count++];
    s->kind = kind;
    return s;
}

static void add_eltwise(
        struct problem *p, dnnl_alg_kind_t alg, float alpha, float beta)
{
    struct step *s = add_step(p, dnnl_eltwise);
    s->alg = alg;
    s->alpha = alpha;
    s->beta = beta;
}

/* A tensor that has dst's dimensions where keep has their bits, else 1. */
static void init_operand(const struct problem *p, struct tensor *t, int keep,
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_dims_t dims = {0};
    for (int d = 0; d < p->dst.view.ndims; d++)
        dims[d] = keep >> d & 1 ? p->dst.view.dims[d] : 1;
    tensor_init(t, type, p->dst.view.ndims, dims, tag);
}

static void add_binary(struct problem *p, dnnl_alg_kind_t alg, int keep,
        dnnl_data_type_t type, dnnl_format_tag_t tag, uint64_t *seed)
{
    struct step *s = add_step(p, dnnl_binary);
    s->alg = alg;
    init_operand(p, &s->tensor, keep, type, tag);
    fill(&s->tensor, seed, 4.0);
}

static void add_prelu(
        struct problem *p, int mask, dnnl_format_tag_t tag, uint64_t *seed)
{
    struct step *s = add_step(p, dnnl_prelu);
    s->mask = mask;
    init_operand(p, &s->tensor, mask, dnnl_f32, tag);
    fill(&s->tensor, seed, 1.0);
}

static void add_sum(
        struct problem *p, float scale, int zero_point, dnnl_data_type_t type)
{
    struct step *s = add_step(p, dnnl_sum);
    s->alpha = scale;
    s->zero_point = zero_point;
    s->type = type;
}

static void set_numbers(struct problem *p, int which, int mask,
        dnnl_dim_t count, uint64_t *seed)
{
    static const int args[NUMBERS] = {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
            DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
            DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
            DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST};
    const dnnl_dims_t dims = {count};
    struct numbers *n = &p->numbers[which];
    n->arg = args[which];
    n->mask = mask;
    tensor_init(&n->tensor, which == DST_ZERO ? dnnl_s32 : dnnl_f32, 1, dims,
            dnnl_a);
    if (which == DST_ZERO)
        tensor_randomize(&n->tensor, seed, -5.0, 5.0);
    else
        tensor_randomize(&n->tensor, seed, 0.25, 2.0);
}

/* ---- Sum ----------------------------------------------------------------- */

TEST_C(PostOps, AddWhatDstHas)
{
    uint64_t seed = 1;
    struct problem p;
    init_matmul(&p, dnnl_abc, dnnl_f32, &seed);
    add_sum(&p, 0.75f, 0, dnnl_data_type_undef);
    check(&p);
    init_matmul(&p, dnnl_bac, dnnl_f32, &seed);
    add_eltwise(&p, dnnl_eltwise_relu, 0.5f, 0.0f);
    add_sum(&p, -2.0f, 3, dnnl_f32);
    add_eltwise(&p, dnnl_eltwise_relu, 0.0f, 0.0f);
    check(&p);
}

TEST_C(PostOps, AddDstsBytesAsAnotherType)
{
    const dnnl_dims_t dims = {3, 17};
    uint64_t seed = 2;
    struct problem p;
    init_eltwise(&p, 2, dims, dnnl_ab, dnnl_u8, &seed);
    memset(p.dst.bytes, 0xf0, p.dst.size); /* 240, or -16 */
    add_sum(&p, 0.5f, 10, dnnl_s8);
    add_eltwise(&p, dnnl_eltwise_abs, 0.0f, 0.0f);
    check(&p);
}

/* ---- Binary -------------------------------------------------------------- */

TEST_C(PostOps, TakeEveryAlgorithmOfTwoElements)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    uint64_t seed = 3;
    for (int alg = dnnl_binary_add; alg <= dnnl_binary_ne; alg++) {
        struct problem p;
        init_eltwise(&p, 4, dims, dnnl_abcd, dnnl_f32, &seed);
        add_binary(&p, (dnnl_alg_kind_t)alg, 0xf, dnnl_f32, dnnl_abcd, &seed);
        /* Some are equal. */
        memcpy(p.steps[0].tensor.bytes, p.src.bytes, 16);
        check(&p);
    }
}

/* One program whatever is repeated: by shape only. */
TEST_C(PostOps, RepeatATensorInAnyDimensions)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    uint64_t seed = 4;
    for (int keep = 1; keep < 0xf; keep++) {
        struct problem p;
        init_eltwise(&p, 4, dims, dnnl_abcd, dnnl_f32, &seed);
        add_binary(&p, dnnl_binary_sub, keep, dnnl_f32, dnnl_abcd, &seed);
        check(&p);
    }
}

TEST_C(PostOps, TakeOneNumberForAll)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    uint64_t seed = 5;
    struct problem p;
    init_eltwise(&p, 4, dims, dnnl_abcd, dnnl_f32, &seed);
    add_binary(&p, dnnl_binary_div, 0, dnnl_f32, dnnl_abcd, &seed);
    check(&p);
}

TEST_C(PostOps, FindATensorOfAnotherLayout)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    const dnnl_dims_t six = {2, 3, 2, 1, 3, 2};
    const dnnl_format_tag_t tags[] = {
            dnnl_abcd, dnnl_acdb, dnnl_bcda, dnnl_cdba};
    uint64_t seed = 6;
    struct problem p;
    for (size_t i = 0; i < COUNT(tags); i++) {
        init_eltwise(&p, 4, dims, dnnl_acdb, dnnl_f32, &seed);
        add_binary(&p, dnnl_binary_max, 0xf, dnnl_f32, tags[i], &seed);
        check(&p);
    }
    init_eltwise(&p, 6, six, dnnl_abcdef, dnnl_f32, &seed);
    add_binary(&p, dnnl_binary_max, 0x2d, dnnl_f32, dnnl_abcdef, &seed);
    check(&p);
}

TEST_C(PostOps, ReadATensorOfAnyType)
{
    const dnnl_dims_t dims = {5, 7};
    const dnnl_data_type_t types[] = {
            dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
    uint64_t seed = 7;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct problem p;
        init_eltwise(&p, 2, dims, dnnl_ab, dnnl_f32, &seed);
        add_binary(&p, dnnl_binary_add, 2, types[i], dnnl_ab, &seed);
        check(&p);
    }
}

TEST_C(PostOps, GiveATensorOfAnyLayoutDsts)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    const dnnl_dims_t channels = {1, 3, 1, 1};
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd;
    dnnl_dims_t *strides;
    (void)channels;
    dnnl_memory_desc_t dst = tagged_md(4, dims, dnnl_f32, dnnl_acdb);
    dnnl_memory_desc_t any = tagged_md(4, dims, dnnl_f32, dnnl_format_tag_any);
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, any));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    ASSERT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(),
            dnnl_forward_inference, dnnl_eltwise_relu, dst, dst, 0.0f, 0.0f,
            attr));
    const_dnnl_memory_desc_t md =
            dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md,
                    DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1);
    EXPECT_TRUE(dnnl_memory_desc_equal(md, dst));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_strides, (void *)&strides));
    EXPECT_EQ(1, (*strides)[1]);
    dnnl_primitive_desc_destroy(pd);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(PostOps, RefuseATensorThatIsNotDstsShape)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    const dnnl_dims_t wrong[] = {{2, 3, 4, 4}, {2, 3, 4, 5, 1}, {3, 4, 5}};
    const int ndims[] = {4, 5, 3};
    uint64_t seed = 8;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct problem p;
        dnnl_primitive_desc_t pd;
        init_eltwise(&p, 4, dims, dnnl_abcd, dnnl_f32, &seed);
        struct step *s = add_step(&p, dnnl_binary);
        s->alg = dnnl_binary_add;
        tensor_init_strided(&s->tensor, dnnl_f32, ndims[i], wrong[i], NULL);
        EXPECT_STATUS(dnnl_invalid_arguments, describe(&pd, test_engine(), &p));
        fini(&p);
    }
}

/* ---- PReLU --------------------------------------------------------------- */

TEST_C(PostOps, HaveSlopesForWhatIsBelowZero)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    const int masks[] = {0, 2, 3, 0xf};
    uint64_t seed = 9;
    struct problem p;
    for (size_t i = 0; i < COUNT(masks); i++) {
        init_eltwise(&p, 4, dims, dnnl_abcd, dnnl_f32, &seed);
        add_prelu(&p, masks[i], dnnl_abcd, &seed);
        check(&p);
    }
    init_eltwise(&p, 4, dims, dnnl_acdb, dnnl_f32, &seed);
    add_prelu(&p, 0xf, dnnl_abcd, &seed); /* slopes are plain */
    check(&p);
}

/* As in oneDNN: a mask of ones is one of all dimensions that there are. */
TEST_C(PostOps, HaveNoSlopesInDimensionsThatDstHasNot)
{
    const dnnl_dims_t dims = {2, 3};
    uint64_t seed = 10;
    struct problem p;
    init_eltwise(&p, 2, dims, dnnl_ab, dnnl_f32, &seed);
    add_prelu(&p, 3, dnnl_ab, &seed);
    p.steps[0].mask = (1 << DNNL_MAX_NDIMS) - 1;
    check(&p);
}

/* ---- Scales and zero points ---------------------------------------------- */

TEST_C(PostOps, ScaleBeforeTheBiasAndAtTheEnd)
{
    uint64_t seed = 11;
    struct problem p;
    init_matmul(&p, dnnl_abc, dnnl_f32, &seed);
    set_numbers(&p, SRC_SCALE, 0, 1, &seed);
    set_numbers(&p, WEIGHTS_SCALE, 4, 11, &seed);
    set_numbers(&p, DST_SCALE, 0, 1, &seed);
    add_eltwise(&p, dnnl_eltwise_relu, 0.25f, 0.0f);
    check(&p);
    init_matmul(&p, dnnl_acb, dnnl_f32, &seed);
    set_numbers(&p, SRC_SCALE, 2, 5, &seed); /* by rows */
    set_numbers(&p, WEIGHTS_SCALE, 0, 1, &seed);
    set_numbers(&p, DST_SCALE, 4, 11, &seed);
    set_numbers(&p, DST_ZERO, 0, 1, &seed);
    check(&p);
    init_matmul(&p, dnnl_abc, dnnl_f32, &seed);
    set_numbers(&p, WEIGHTS_SCALE, 4, 11, &seed);
    set_numbers(&p, DST_SCALE, 7, 110, &seed);
    set_numbers(&p, DST_ZERO, 1, 2, &seed);
    add_sum(&p, 0.5f, 1, dnnl_data_type_undef);
    check(&p);
}

/* 2^62 slopes or scales of an empty tensor's other dimensions, of 4 bytes. */
TEST_C(PostOps, RefuseMoreNumbersThanBytesCanBeCounted)
{
    const dnnl_dims_t dims = {0, 1 << 20, 1 << 20, 1 << 22};
    const dnnl_dims_t strides = {1, 1, 1, 1};
    const int mask = 0xe;
    dnnl_primitive_attr_t slopes;
    dnnl_primitive_attr_t scales;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = strided_md(4, dims, dnnl_u8, strides);
    ASSERT_OK(dnnl_primitive_attr_create(&slopes));
    ASSERT_OK(dnnl_primitive_attr_create(&scales));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_prelu(ops, mask));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(slopes, ops));
    ASSERT_OK(dnnl_primitive_attr_set_scales_mask(scales, DNNL_ARG_DST, mask));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_reorder_primitive_desc_create(
                    &pd, md, test_engine(), md, test_engine(), slopes));
    EXPECT_NULL(pd);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_reorder_primitive_desc_create(
                    &pd, md, test_engine(), md, test_engine(), scales));
    EXPECT_NULL(pd);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(scales);
    dnnl_primitive_attr_destroy(slopes);
}

TEST_C(PostOps, RefuseNumbersTheyHaveNoUseFor)
{
    const dnnl_dims_t dims = {4, 4};
    const dnnl_dims_t groups = {2, 1};
    const dnnl_dims_t ones = {1, 1};
    enum { SCALES, ZERO_POINTS, GROUPS, NO_GROUPS };
    const struct {
        int what;
        int arg;
        int mask;
        dnnl_status_t matmul;
        dnnl_status_t eltwise;
    } cases[] = {
            {SCALES, DNNL_ARG_SRC, 0, dnnl_success, dnnl_unimplemented},
            {SCALES, DNNL_ARG_SRC, 2, dnnl_unimplemented, dnnl_unimplemented},
            {SCALES, DNNL_ARG_WEIGHTS, 1, dnnl_success, dnnl_unimplemented},
            {SCALES, DNNL_ARG_WEIGHTS, 2, dnnl_success, dnnl_unimplemented},
            {SCALES, DNNL_ARG_WEIGHTS, 4095, dnnl_success, dnnl_unimplemented},
            {ZERO_POINTS, DNNL_ARG_DST, 2, dnnl_success, dnnl_unimplemented},
            {GROUPS, DNNL_ARG_WEIGHTS, 3, dnnl_success, dnnl_unimplemented},
            {GROUPS, DNNL_ARG_SRC, 3, dnnl_unimplemented, dnnl_unimplemented},
            {NO_GROUPS, DNNL_ARG_WEIGHTS, 2, dnnl_success, dnnl_unimplemented},
    };
    dnnl_memory_desc_t md = plain_md(2, dims, dnnl_f32);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dnnl_primitive_attr_t attr;
        dnnl_primitive_desc_t pd = NULL;
        int arg = cases[i].arg;
        int mask = cases[i].mask;
        ASSERT_OK(dnnl_primitive_attr_create(&attr));
        EXPECT_OK(cases[i].what == SCALES
                          ? dnnl_primitive_attr_set_scales_mask(attr, arg, mask)
                  : cases[i].what == ZERO_POINTS
                          ? dnnl_primitive_attr_set_zero_points_mask(
                                  attr, arg, mask)
                          : dnnl_primitive_attr_set_scales(attr, arg, mask, 2,
                                  cases[i].what == GROUPS ? groups : ones,
                                  dnnl_f32));
        EXPECT_STATUS(cases[i].matmul,
                dnnl_matmul_primitive_desc_create(
                        &pd, test_engine(), md, md, NULL, md, attr));
        dnnl_primitive_desc_destroy(pd);
        pd = NULL;
        EXPECT_STATUS(cases[i].eltwise,
                dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(),
                        dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f,
                        0.0f, attr));
        dnnl_primitive_desc_destroy(pd);
        dnnl_primitive_attr_destroy(attr);
    }
}

/* ---- Together ------------------------------------------------------------ */

TEST_C(PostOps, ComeInTheirOrder)
{
    uint64_t seed = 12;
    struct problem p;
    init_matmul(&p, dnnl_bca, dnnl_f32, &seed);
    set_numbers(&p, SRC_SCALE, 0, 1, &seed);
    add_binary(&p, dnnl_binary_mul, 4, dnnl_f32, dnnl_abc, &seed);
    add_eltwise(&p, dnnl_eltwise_tanh, 0.0f, 0.0f);
    add_sum(&p, 0.5f, 0, dnnl_data_type_undef);
    add_prelu(&p, 4, dnnl_abc, &seed);
    add_binary(&p, dnnl_binary_min, 7, dnnl_s8, dnnl_acb, &seed);
    add_binary(&p, dnnl_binary_add, 0, dnnl_bf16, dnnl_abc, &seed);
    add_eltwise(&p, dnnl_eltwise_linear, -1.5f, 0.5f);
    set_numbers(&p, DST_SCALE, 2, 5, &seed);
    check(&p);
}

/* More than every device takes of parameters: said when it is described. */
TEST_C(PostOps, ThatAreTooManyForADeviceAreRefused)
{
    const dnnl_dims_t dims = {2, 3, 4, 5};
    const dnnl_dims_t channels = {1, 3, 1, 1};
    dnnl_memory_desc_t md = plain_md(4, dims, dnnl_f32);
    dnnl_memory_desc_t src1 = plain_md(4, channels, dnnl_f32);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd = NULL;
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        ASSERT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, src1));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(),
                    dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f,
                    0.0f, attr));
    dnnl_primitive_desc_destroy(pd);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
}
