/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout and stochastic rounding of matmul's results, whose sums are exact in
 * f32: masks and what is rounded have the reference's bits. */
#include "blocked_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Problems ------------------------------------------------------------ */

enum mask_layout { MASK_AS_DST, MASK_ANY };

struct problem {
    dnnl_data_type_t src, weights, dst, bias; /* bias undef: none */
    dnnl_data_type_t mask;                    /* undef: no dropout */
    enum mask_layout mask_layout;
    float probability;
    bool is_rounded;
    bool has_post_ops;  /* a sum, a binary, a linear function */
    bool is_scaled;     /* dst's scale and zero point, src's scale */
    bool any_rows;      /* only execution tells how many rows there are */
    bool any_layout;    /* drawn; else rows with gaps between them */
    bool is_compressed; /* weights are integers that become floats */
};

struct size {
    dnnl_dim_t batch; /* 0: matrices of two dimensions */
    dnnl_dim_t m, k, n;
};

/* A problem of a size, with tensors: md NULL if there is none. */
struct setup {
    const struct problem *problem;
    int ndims;
    struct tensor src, weights, bias, dst, mask, probability, dropout_seed,
            rounding_seed, addend, numbers[3];
    struct tensor before;  /* what dst has */
    struct tensor *blocks; /* weights in another layout; NULL: as they are */
};

/* Of what attributes there are numbers. */
static const int number_args[3] = {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST};

static const float linear_factor = -0.5f, linear_addend = 0.25f;

static uint32_t bits_of(const struct tensor *t)
{
    uint32_t bits;
    memcpy(&bits, t->bytes, sizeof bits);
    return bits;
}

/* ---- Descriptors --------------------------------------------------------- */

static void set_post_ops(dnnl_primitive_attr_t attr, const struct setup *s)
{
    dnnl_post_ops_t ops;
    EXPECT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_post_ops_append_sum(ops, 2.0f, 0, dnnl_data_type_undef));
    EXPECT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, s->addend.md));
    EXPECT_OK(dnnl_post_ops_append_eltwise(
            ops, dnnl_eltwise_linear, linear_factor, linear_addend));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
}

/* The tensor's, or without its number of rows. */
static dnnl_memory_desc_t described(
        const struct setup *s, const struct tensor *t)
{
    dnnl_dims_t dims;
    if (!s->problem->any_rows) return t->md;
    memcpy(dims, t->view.dims, sizeof dims);
    dims[s->ndims - 2] = DNNL_RUNTIME_DIM_VAL;
    return strided_md(s->ndims, dims, t->view.type, t->view.strides);
}

static void set_dropout(dnnl_primitive_attr_t attr, const struct setup *s)
{
    dnnl_memory_desc_t md = NULL;
    if (s->problem->mask_layout == MASK_ANY)
        md = tagged_md(s->ndims, s->dst.view.dims, s->problem->mask,
                dnnl_format_tag_any);
    else
        md = described(s, &s->mask);
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, md));
}

static dnnl_primitive_attr_t make_attr(const struct setup *s)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (s->mask.md != NULL) set_dropout(attr, s);
    if (s->problem->is_compressed)
        EXPECT_OK(dnnl_primitive_attr_set_fpmath_mode_v2(
                attr, dnnl_fpmath_mode_strict, 1));
    if (s->problem->is_rounded)
        EXPECT_OK(dnnl_primitive_attr_set_rounding(
                attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    if (s->problem->has_post_ops) set_post_ops(attr, s);
    if (!s->problem->is_scaled) return attr;
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    EXPECT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    EXPECT_OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
    return attr;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct setup *s = user;
    dnnl_primitive_attr_t attr = make_attr(s);
    dnnl_memory_desc_t src = described(s, &s->src);
    dnnl_memory_desc_t dst = described(s, &s->dst);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(pd, engine, src,
            s->blocks != NULL ? s->blocks->md : s->weights.md, s->bias.md, dst,
            attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- What is expected ---------------------------------------------------- */

static uint32_t offset_of(const struct setup *s, const dnnl_dims_t place)
{
    return (uint32_t)reference_offset(&s->dst.view, place);
}

static bool is_kept(const struct setup *s, const dnnl_dims_t place)
{
    return reference_is_kept(offset_of(s, place), bits_of(&s->dropout_seed),
            s->problem->probability);
}

static struct reference_value expected_mask(
        const void *user, const dnnl_dims_t place)
{
    const struct reference_value v = {is_kept(user, place), 0.0};
    return v;
}

/* Two roundings of the divisor, of which a division may be off by 2.5 ulp, and
 * one of the product: 8 * 2^-24. */
static struct reference_value drop_out(const struct setup *s,
        const dnnl_dims_t place, struct reference_value v)
{
    const double p = (double)s->problem->probability;
    if (s->mask.md == NULL) return v;
    if (!is_kept(s, place)) return (struct reference_value){0.0, 0.0};
    v.value /= 1.0 - p;
    /* By a power of 2 it is exact. */
    if (p != 0.0 && p != 0.5 && p != 0.75)
        v.tolerance = 4.0 * (double)FLT_EPSILON * fabs(v.value);
    return v;
}

/* All exact but for what they are done to. */
static struct reference_value apply_post_ops(const struct setup *s,
        const dnnl_dims_t place, struct reference_value v)
{
    if (!s->problem->has_post_ops) return v;
    v.value += 2.0 * reference_at(&s->before.view, place);
    v.value += reference_at(&s->addend.view, place);
    v.value = (double)linear_factor * v.value + (double)linear_addend;
    v.tolerance *= fabs((double)linear_factor);
    if (v.tolerance > 0.0)
        v.tolerance += 4.0 * (double)FLT_EPSILON * (fabs(v.value) + 16.0);
    return v;
}

/* Rounding with bits that are known is monotone: between what becomes of both
 * ends of what a device may have. */
static struct reference_value round_at_random(const struct setup *s,
        const dnnl_dims_t place, struct reference_value v)
{
    const uint32_t i = offset_of(s, place);
    const uint32_t seed = bits_of(&s->rounding_seed);
    const double low = reference_round(
            (double)(float)(v.value - v.tolerance), s->dst.view.type, i, seed);
    const double high = reference_round(
            (double)(float)(v.value + v.tolerance), s->dst.view.type, i, seed);
    return (struct reference_value){(low + high) / 2.0, (high - low) / 2.0};
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct setup *s = user;
    struct reference_value v = reference_matmul(
            &s->src.view, &s->weights.view, NULL, s->ndims, place);
    v.tolerance = 0.0;
    if (s->problem->is_scaled)
        v.value *= reference_read(&s->numbers[0].view, 0);
    if (s->bias.md != NULL) v.value += reference_at(&s->bias.view, place);
    v = apply_post_ops(s, place, drop_out(s, place, v));
    if (s->problem->is_scaled) {
        v.value /= reference_read(&s->numbers[1].view, 0);
        v.tolerance /= fabs(reference_read(&s->numbers[1].view, 0));
        v.value += reference_read(&s->numbers[2].view, 0);
    }
    return s->problem->is_rounded ? round_at_random(s, place, v) : v;
}

/* ---- Running ------------------------------------------------------------- */

/* Multiples of 1/128 below 2, which bf16 has: a product is one of 2^-14, and so
 * are sums of some dozens of products, as long as a float has 22 digits. */
static void fill(struct tensor *t, uint64_t *seed)
{
    double values[997];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = (double)(random_below(seed, 511) - 255) / 128.0;
    if (tensor_is_integer(t))
        tensor_randomize(t, seed, t->view.type == dnnl_u8 ? 0.0 : -9.0, 9.0);
    else
        tensor_set(t, values, COUNT(values));
}

static void init_number(struct tensor *t, dnnl_data_type_t type, double value)
{
    tensor_init(t, type, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_set(t, &value, 1);
}

static void init_seed(struct tensor *t, uint64_t *seed)
{
    tensor_init(t, dnnl_s32, 1, (dnnl_dims_t){1}, dnnl_a);
    const uint32_t bits = (uint32_t)random_below(seed, (dnnl_dim_t)1 << 32);
    memcpy(t->bytes, &bits, sizeof bits);
}

static void init_matrix(struct setup *s, struct tensor *t,
        dnnl_data_type_t type, const struct size *size, dnnl_dim_t rows,
        dnnl_dim_t columns, uint64_t *seed)
{
    const dnnl_dims_t dims = {size->batch, rows, columns};
    const dnnl_dims_t strides = {rows * (columns + 4) + 8, columns + 4, 1};
    const int skipped = 3 - s->ndims;
    if (s->problem->any_layout)
        tensor_init_random(t, type, s->ndims, dims + skipped, seed);
    else
        tensor_init_strided(
                t, type, s->ndims, dims + skipped, strides + skipped);
    fill(t, seed);
}

static void init_attributes(
        struct setup *s, const struct size *size, uint64_t *seed)
{
    const struct problem *p = s->problem;
    init_seed(&s->dropout_seed, seed);
    init_seed(&s->rounding_seed, seed);
    if (p->mask != dnnl_data_type_undef)
        tensor_init_strided(&s->mask, p->mask, s->ndims, s->dst.view.dims,
                s->dst.view.strides);
    init_number(&s->probability, dnnl_f32, (double)p->probability);
    if (p->has_post_ops)
        init_matrix(s, &s->addend, dnnl_f32, size, 1, size->n, seed);
    if (!p->is_scaled) return;
    init_number(&s->numbers[0], dnnl_f32, 0.5);
    init_number(&s->numbers[1], dnnl_f32, 0.25);
    init_number(&s->numbers[2], dnnl_s32, 3.0);
}

static void init(struct setup *s, const struct problem *problem,
        const struct size *size, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->ndims = size->batch > 0 ? 3 : 2;
    init_matrix(s, &s->src, problem->src, size, size->m, size->k, seed);
    init_matrix(s, &s->weights, problem->weights, size, size->k, size->n, seed);
    init_matrix(s, &s->dst, problem->dst, size, size->m, size->n, seed);
    if (problem->bias != dnnl_data_type_undef)
        init_matrix(s, &s->bias, problem->bias, size, 1, size->n, seed);
    tensor_init_strided(&s->before, problem->dst, s->ndims, s->dst.view.dims,
            s->dst.view.strides);
    memcpy(s->before.bytes, s->dst.bytes, s->dst.size);
    init_attributes(s, size, seed);
}

static void fini(struct setup *s)
{
    struct tensor *tensors[] = {&s->src, &s->weights, &s->bias, &s->dst,
            &s->mask, &s->probability, &s->dropout_seed, &s->rounding_seed,
            &s->addend, &s->numbers[0], &s->numbers[1], &s->numbers[2],
            &s->before};
    for (size_t i = 0; i < COUNT(tensors); i++)
        tensor_fini(tensors[i]);
}

static void add(
        struct run_argument *args, int *count, int arg, struct tensor *tensor)
{
    if (tensor->md != NULL)
        args[(*count)++] = (struct run_argument){arg, tensor};
}

static int bind(struct setup *s, struct run_argument *args)
{
    int count = 0;
    add(args, &count, DNNL_ARG_SRC, &s->src);
    add(args, &count, DNNL_ARG_WEIGHTS,
            s->blocks != NULL ? s->blocks : &s->weights);
    add(args, &count, DNNL_ARG_BIAS, &s->bias);
    add(args, &count, DNNL_ARG_DST, &s->dst);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_MASK, &s->mask);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, &s->probability);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_SEED, &s->dropout_seed);
    add(args, &count, DNNL_ARG_ATTR_ROUNDING_SEED, &s->rounding_seed);
    add(args, &count, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
            &s->addend);
    for (int i = 0; i < 3; i++)
        add(args, &count, number_args[i], &s->numbers[i]);
    return count;
}

static void run(struct setup *s)
{
    struct run_argument args[13];
    const int count = bind(s, args);
    if (s->mask.md != NULL
            && run_twice_for(
                    DNNL_ARG_ATTR_DROPOUT_MASK, describe, s, args, count))
        expect_tensor(&s->mask, expected_mask, s);
    run_and_expect(describe, expected, s, args, count);
}

static bool is_supported(const struct problem *p)
{
    return test_takes_half()
           || (p->src != dnnl_f16 && p->dst != dnnl_f16 && p->bias != dnnl_f16);
}

static void check(
        const struct problem *problem, const struct size *size, uint64_t *seed)
{
    struct setup s;
    if (!is_supported(problem)) return;
    init(&s, problem, size, seed);
    run(&s);
    if (test_has_failed())
        test_fail(__FILE__, __LINE__, "%s to %s, p %g: %lld x %lld x %lld",
                dnnl_dt2str(problem->src), dnnl_dt2str(problem->dst),
                (double)problem->probability, (long long)size->m,
                (long long)size->k, (long long)size->n);
    fini(&s);
}

static const struct size sizes[] = {
        {0, 5, 19, 7}, {0, 37, 40, 65}, {3, 9, 5, 12}, {2, 1, 33, 50}};

static void check_sizes(const struct problem *problem, uint64_t *seed)
{
    for (size_t i = 0; i < COUNT(sizes) && !test_has_failed(); i++)
        check(problem, &sizes[i], seed);
}

/* In the merge tier with one or two of the sizes. */
static void check_all(const struct problem *problems, size_t count)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < COUNT(sizes) && !test_has_failed(); i++)
            if (is_in_sample(p + i, first))
                check(&problems[p], &sizes[i], &seed);
}

/* Each has programs of its own. */
static void check_sample(const struct problem *problems, size_t count)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t p = 0; p < count; p++)
        if (is_in_sample(p, first)) check_sizes(&problems[p], &seed);
}

/* ---- The reference ------------------------------------------------------- */

/* From the authors' library, Random123. */
TEST_C(RandomMatmul, HasAReferenceWithThePublishedNumbers)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {{{0, 0, 0, 0}, {0, 0},
                         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
            {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                    {0xffffffff, 0xffffffff},
                    {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
            {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                    {0xa4093822, 0x299f31d0},
                    {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (size_t i = 0; i < COUNT(known); i++) {
        uint32_t out[4];
        reference_philox(known[i].counter, known[i].key, out);
        EXPECT_BYTES_EQ(known[i].out, sizeof out, out, sizeof out);
    }
}

/* Of the first 64 places, as oneDNN 3.8's engine for CPUs has them. */
TEST_C(RandomMatmul, HasAReferenceWithOneDnnsMasks)
{
    static const struct {
        uint32_t seed;
        float probability;
        uint64_t mask; /* bit i: place i is kept */
    } known[] = {{0x9abc1234, 0.5f, 0x6cdcce444dae58aa},
            {0x9abc12ce, 0.75f, 0xa946000529966088}};
    for (size_t k = 0; k < COUNT(known); k++)
        for (uint32_t i = 0; i < 64; i++)
            EXPECT_EQ(known[k].mask >> i & 1,
                    reference_is_kept(i, known[k].seed, known[k].probability));
}

#define F32 .src = dnnl_f32, .weights = dnnl_f32
/* Bytes get as many random bits as they lose; a bias makes fractions. */
#define ROUNDED_BYTES \
    dnnl_u8, dnnl_s8, dnnl_u8, dnnl_f32, .is_rounded = true, .is_scaled = true

/* ---- Dropout ------------------------------------------------------------- */

TEST_C(RandomMatmul, DropsOut)
{
    static const struct problem problems[] = {
            {F32, .dst = dnnl_f32, .mask = dnnl_u8, .probability = 0.5f}};
    check_all(problems, COUNT(problems));
}

TEST_C(RandomMatmul, DropsNothingOutAndEverything)
{
    static const float probabilities[] = {
            0.0f, 1.0f, -1.0f, 2.0f, 0x1p-40f, 0x1p-149f, 1.0f - 0x1p-24f};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(probabilities); i++) {
        struct problem problem = {F32, .dst = dnnl_f32, .mask = dnnl_u8,
                .probability = probabilities[i]};
        struct setup s;
        init(&s, &problem, &sizes[1], &seed);
        struct run_argument args[13];
        const int count = bind(&s, args);
        if (run_twice_for(
                    DNNL_ARG_ATTR_DROPOUT_MASK, describe, &s, args, count))
            expect_tensor(&s.mask, expected_mask, &s);
        fini(&s);
        if (probabilities[i] == 0.0f || probabilities[i] == 1.0f)
            check(&problem, &sizes[1], &seed);
    }
}

TEST_C(RandomMatmul, DropsOutBeforePostOps)
{
    static const struct problem problems[] = {
            {F32, .bias = dnnl_f32, .dst = dnnl_f32, .mask = dnnl_s8,
                    .mask_layout = MASK_ANY, .probability = 0.75f,
                    .has_post_ops = true, .is_scaled = true},
            {F32, .bias = dnnl_f32, .dst = dnnl_f32, .mask = dnnl_u8,
                    .probability = 0.3f, .has_post_ops = true}};
    check_all(problems, COUNT(problems));
}

TEST_C(RandomMatmul, DropsOutOfEveryType)
{
    static const struct problem problems[] = {
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, .mask = dnnl_u8,
                    .probability = 0.1f},
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16, .mask = dnnl_u8,
                    .probability = 0.9f},
            {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32, .mask = dnnl_u8,
                    .probability = 0.5f},
            {dnnl_s8, dnnl_s8, dnnl_s8, .mask = dnnl_s8,
                    .mask_layout = MASK_ANY, .probability = 0.5f}};
    check_sample(problems, COUNT(problems));
}

/* The number that is kept of n is binomial: within six deviations but once in
 * 500 million. */
TEST_C(RandomMatmul, DropsOutAsOftenAsItIsTold)
{
    static const float probabilities[] = {0.02f, 0.3f, 0.5f, 0.97f};
    static const struct size size = {0, 130, 2, 151};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(probabilities); i++) {
        const struct problem problem = {F32, .dst = dnnl_f32, .mask = dnnl_u8,
                .probability = probabilities[i]};
        const double n = (double)(size.m * size.n);
        const double q = 1.0 - (double)probabilities[i];
        struct run_argument args[13];
        double kept = 0.0;
        struct setup s;
        init(&s, &problem, &size, &seed);
        const int count = bind(&s, args);
        EXPECT_TRUE(run_twice_for(
                DNNL_ARG_ATTR_DROPOUT_MASK, describe, &s, args, count));
        for (dnnl_dim_t e = 0; e < size.m * size.n; e++) {
            dnnl_dims_t place;
            reference_place(&s.mask.view, e, place);
            kept += reference_at(&s.mask.view, place);
        }
        EXPECT_TRUE(fabs(kept - n * q) <= 6.0 * sqrt(n * q * (1.0 - q)));
        fini(&s);
    }
}

/* ---- Rounding ------------------------------------------------------------ */

TEST_C(RandomMatmul, RoundsAtRandom)
{
    static const struct problem problems[] = {
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, .is_rounded = true}};
    check_all(problems, COUNT(problems));
}

TEST_C(RandomMatmul, RoundsAtRandomToEveryType)
{
    static const struct problem problems[] = {
            {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32, .is_rounded = true},
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, .is_rounded = true},
            {F32, .dst = dnnl_f32, .is_rounded = true},
            {dnnl_s8, dnnl_s8, dnnl_s8, dnnl_f32, .is_rounded = true,
                    .is_scaled = true}};
    check_sample(problems, COUNT(problems));
}

/* Post-ops, then scale and zero point of dst, then rounding. */
TEST_C(RandomMatmul, RoundsAtTheEnd)
{
    static const struct problem problems[] = {
            {ROUNDED_BYTES, .mask = dnnl_u8, .probability = 0.5f,
                    .has_post_ops = true},
            {dnnl_f16, dnnl_f16, dnnl_f16, .mask = dnnl_u8, .probability = 0.2f,
                    .is_rounded = true, .has_post_ops = true}};
    check_all(problems, COUNT(problems));
}

/* ---- Shapes -------------------------------------------------------------- */

/* Makes it a part of a matrix: what comes after so many rows. */
static void move_down(struct tensor *t, dnnl_dim_t rows)
{
    const dnnl_dims_t offsets = {rows, 0};
    const struct reference_tensor view = t->view;
    dnnl_dims_t dims;
    dnnl_memory_desc_t whole = NULL;
    memcpy(dims, view.dims, sizeof dims);
    dims[0] += rows;
    tensor_fini(t);
    tensor_init_strided(t, view.type, 2, dims, view.strides);
    whole = t->md;
    EXPECT_OK(dnnl_memory_desc_create_submemory(
            &t->md, whole, view.dims, offsets));
    EXPECT_EQ(t->size, dnnl_memory_desc_get_size(t->md));
    dnnl_memory_desc_destroy(whole);
    t->view = view;
    t->view.data =
            t->bytes
            + (size_t)(rows * view.strides[0]) * dnnl_data_type_size(view.type);
}

static void expect_elements(
        const struct tensor *t, expected_at at, const struct setup *s)
{
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++) {
        dnnl_dims_t place;
        reference_place(&t->view, i, place);
        EXPECT_TRUE(reference_is_close_as(
                at(s, place), t->view.type, reference_at(&t->view, place)));
    }
}

/* Whatever else the memory has before it. */
TEST_C(RandomMatmul, CountsFromWhereDstBegins)
{
    static const struct problem problem = {
            ROUNDED_BYTES, .mask = dnnl_u8, .probability = 0.5f};
    uint64_t seed = test_seed();
    struct run_argument args[13];
    struct setup s;
    init(&s, &problem, &sizes[0], &seed);
    move_down(&s.dst, 2);
    move_down(&s.mask, 3);
    const int count = bind(&s, args);
    EXPECT_TRUE(run_twice_for(
            DNNL_ARG_ATTR_DROPOUT_MASK, describe, &s, args, count));
    expect_elements(&s.mask, expected_mask, &s);
    EXPECT_TRUE(run_twice(describe, &s, args, count));
    expect_elements(&s.dst, expected, &s);
    fini(&s);
}

TEST_C(RandomMatmul, TakesRowsThatOnlyExecutionTells)
{
    static const struct problem problems[] = {
            {dnnl_bf16, dnnl_bf16, dnnl_bf16, .mask = dnnl_u8,
                    .probability = 0.5f, .is_rounded = true, .any_rows = true}};
    check_all(problems, COUNT(problems));
}

/* Of other tensors than dst blocks are moved, and nothing is random there. */
TEST_C(RandomMatmul, TakesWeightsInBlocks)
{
    static const struct problem problem = {
            ROUNDED_BYTES, .mask = dnnl_u8, .probability = 0.5f};
    uint64_t seed = test_seed();
    struct blocked_tensor blocks;
    struct setup s;
    init(&s, &problem, &sizes[1], &seed);
    blocked_tensor_init(&blocks, dnnl_s8, 2, s.weights.view.dims, dnnl_BA8b4a);
    for (dnnl_dim_t i = 0; i < (dnnl_dim_t)blocks.tensor.size; i++) {
        dnnl_dims_t place;
        tag_loops_place(&blocks.loops, i, place);
        if (!blocked_tensor_is_inside(&blocks, s.weights.view.dims, place))
            continue;
        const int8_t value = (int8_t)reference_at(&s.weights.view, place);
        memcpy(blocks.tensor.bytes + i, &value, 1);
    }
    s.blocks = &blocks.tensor;
    run(&s);
    fini(&s);
    tensor_fini(&blocks.tensor);
}

/* By the kernel for vectors, which other sizes of weights like these do not
 * have. */
TEST_C(RandomMatmul, DropsOutOfVectors)
{
    static const struct problem problem = {dnnl_bf16, dnnl_s8, dnnl_bf16,
            dnnl_f32, .mask = dnnl_u8, .probability = 0.5f, .is_rounded = true,
            .is_compressed = true};
    static const struct size vectors[] = {
            {0, 1, 64, 40}, {0, 3, 48, 72}, {2, 1, 80, 24}, {0, 1, 31, 7}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t i = 0; i < COUNT(vectors); i++)
        if (is_in_sample(i, first)) check(&problem, &vectors[i], &seed);
}

TEST_C(RandomMatmul, TakesRandomShapes)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t i = 0; i < 12 && !test_has_failed(); i++) {
        const struct problem problem = {ROUNDED_BYTES, .mask = dnnl_u8,
                .probability = (float)random_below(&seed, 65) / 64.0f,
                .any_layout = true};
        const struct size size = {.batch = random_below(&seed, 4),
                .m = 1 + random_below(&seed, 40),
                .k = 1 + random_below(&seed, 40),
                .n = 1 + random_below(&seed, 70)};
        if (is_in_sample(i, first)) check(&problem, &size, &seed);
    }
}
