/* SPDX-License-Identifier: Apache-2.0 */
/* Matmul of weights that are kept in fewer bits than they are multiplied in. */
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Problems ------------------------------------------------------------ */

/* Zero points or scales; none if the type is undef. */
struct numbers {
    dnnl_data_type_t type;
    int mask;
    dnnl_dim_t group_k, group_n; /* 0: no groups are given */
};

struct problem {
    dnnl_data_type_t src, weights, dst;
    struct numbers zero, scale;
    dnnl_data_type_t bias;     /* undef: none */
    dnnl_data_type_t src_zero; /* of one zero point; undef: none */
    bool is_transposed;        /* weights lie along k */
    bool any_rows; /* only execution tells how many rows there are */
    bool has_post_op;
};

struct size {
    dnnl_dim_t batch; /* 0: matrices of two dimensions */
    dnnl_dim_t weights_batch;
    dnnl_dim_t m, k, n;
};

/* A problem of a size, with tensors. */
struct setup {
    const struct problem *problem;
    int ndims;
    struct tensor src, weights, bias, dst;
    struct tensor zero, scale, src_zero;
    struct chain chain;
};

static dnnl_dim_t group_of(const struct numbers *n, int from_last)
{
    const dnnl_dim_t group = from_last == 0   ? n->group_n
                             : from_last == 1 ? n->group_k
                                              : 1;
    return group > 0 ? group : 1;
}

/* The number's place among those that there are. */
static dnnl_dim_t number_place(const struct numbers *n,
        const struct reference_tensor *weights, const dnnl_dims_t place)
{
    dnnl_dim_t at = 0;
    for (int d = 0; d < weights->ndims; d++) {
        if ((n->mask >> d & 1) == 0) continue;
        const dnnl_dim_t group = group_of(n, weights->ndims - 1 - d);
        at = at * (weights->dims[d] / group) + place[d] / group;
    }
    return at;
}

static dnnl_dim_t number_count(
        const struct numbers *n, const struct reference_tensor *weights)
{
    dnnl_dim_t count = 1;
    for (int d = 0; d < weights->ndims; d++)
        if ((n->mask >> d & 1) != 0)
            count *= weights->dims[d] / group_of(n, weights->ndims - 1 - d);
    return count;
}

/* ---- Descriptors --------------------------------------------------------- */

typedef dnnl_status_t (*set_numbers)(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dims_t group_dims,
        dnnl_data_type_t data_type);

static void set(
        dnnl_primitive_attr_t attr, const struct numbers *n, set_numbers setter)
{
    const dnnl_dims_t groups = {
            group_of(n, 1), n->group_n > 0 ? n->group_n : 1};
    if (n->type == dnnl_data_type_undef) return;
    EXPECT_OK(setter(attr, DNNL_ARG_WEIGHTS, n->mask, n->group_k > 0 ? 2 : 0,
            groups, n->type));
}

/* The tensor's, or without its number of rows. */
static dnnl_memory_desc_t described(
        const struct setup *s, const struct tensor *t)
{
    dnnl_dims_t dims;
    memcpy(dims, t->view.dims, sizeof dims);
    if (s->problem->any_rows) dims[s->ndims - 2] = DNNL_RUNTIME_DIM_VAL;
    return strided_md(s->ndims, dims, t->view.type, t->view.strides);
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct setup *s = user;
    dnnl_primitive_attr_t attr = chain_attr(&s->chain);
    if (attr == NULL) EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_fpmath_mode_v2(
            attr, dnnl_fpmath_mode_strict, 1));
    set(attr, &s->problem->zero, dnnl_primitive_attr_set_zero_points);
    set(attr, &s->problem->scale, dnnl_primitive_attr_set_scales);
    if (s->src_zero.md != NULL)
        EXPECT_OK(dnnl_primitive_attr_set_zero_points(
                attr, DNNL_ARG_SRC, 0, 0, NULL, s->problem->src_zero));
    dnnl_memory_desc_t src = described(s, &s->src);
    dnnl_memory_desc_t dst = described(s, &s->dst);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            pd, engine, src, s->weights.md, s->bias.md, dst, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- What is expected ---------------------------------------------------- */

static double number_at(const struct setup *s, const struct numbers *n,
        const struct tensor *of, const dnnl_dims_t place, double none)
{
    return n->type != dnnl_data_type_undef ? reference_read(
                   &of->view, number_place(n, &s->weights.view, place))
                                           : none;
}

/* A weight less its zero point is exact; times its scale, and times the element
 * of src, it is rounded: two roundings more than the sum of n products has that
 * reference.h tells of, and one of the scaled part of a sum. */
static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct setup *s = user;
    const int row = s->ndims - 2;
    const int column = s->ndims - 1;
    const dnnl_dim_t terms = s->src.view.dims[column];
    const double eps = (double)FLT_EPSILON;
    double total = 0.0;
    double magnitude = 0.0;
    dnnl_dims_t at_src;
    dnnl_dims_t at_weights;
    memcpy(at_src, place, sizeof at_src);
    memcpy(at_weights, place, sizeof at_weights);
    if (s->ndims == 3 && s->weights.view.dims[0] == 1) at_weights[0] = 0;
    for (dnnl_dim_t k = 0; k < terms; k++) {
        at_src[column] = k;
        at_weights[row] = k;
        double w = reference_at(&s->weights.view, at_weights)
                   - number_at(s, &s->problem->zero, &s->zero, at_weights, 0.0);
        w *= number_at(s, &s->problem->scale, &s->scale, at_weights, 1.0);
        double a = reference_at(&s->src.view, at_src);
        if (s->src_zero.md != NULL) a -= reference_read(&s->src_zero.view, 0);
        const double product = a * w;
        total += product;
        magnitude += fabs(product);
    }
    if (s->bias.md != NULL) {
        const double bias = reference_read(&s->bias.view, place[column]);
        total += bias;
        magnitude += fabs(bias);
    }
    const struct reference_value v = {
            total, ((double)terms + 6.0) * eps * magnitude};
    return chain_apply(&s->chain, v);
}

/* ---- Running ------------------------------------------------------------- */

static void init_numbers(struct tensor *t, const struct numbers *n,
        const struct reference_tensor *weights, uint64_t *seed)
{
    if (n->type == dnnl_data_type_undef) return;
    tensor_init(t, n->type, 1, (dnnl_dims_t){number_count(n, weights)}, dnnl_a);
    if (tensor_is_integer(t))
        tensor_randomize(t, seed, n->type == dnnl_s4 ? -8.0 : 0.0, 15.0);
    else
        tensor_randomize(t, seed, 0.01, 0.3);
}

static void init_matrix(struct tensor *t, dnnl_data_type_t type, int ndims,
        dnnl_dim_t batch, dnnl_dim_t rows, dnnl_dim_t columns,
        bool is_transposed)
{
    const dnnl_dims_t flat = {rows, columns};
    const dnnl_dims_t deep = {batch, rows, columns};
    if (ndims == 2)
        tensor_init(t, type, 2, flat, is_transposed ? dnnl_ba : dnnl_ab);
    else
        tensor_init(t, type, 3, deep, is_transposed ? dnnl_acb : dnnl_abc);
}

static void init(struct setup *s, const struct problem *problem,
        const struct size *size, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->ndims = size->batch > 0 ? 3 : 2;
    init_matrix(&s->src, problem->src, s->ndims, size->batch, size->m, size->k,
            false);
    init_matrix(&s->weights, problem->weights, s->ndims, size->weights_batch,
            size->k, size->n, problem->is_transposed);
    init_matrix(&s->dst, problem->dst, s->ndims, size->batch, size->m, size->n,
            false);
    if (problem->bias != dnnl_data_type_undef)
        init_matrix(&s->bias, problem->bias, s->ndims, 1, 1, size->n, false);
    init_numbers(&s->zero, &problem->zero, &s->weights.view, seed);
    init_numbers(&s->scale, &problem->scale, &s->weights.view, seed);
    if (problem->src_zero != dnnl_data_type_undef) {
        tensor_init(
                &s->src_zero, problem->src_zero, 1, (dnnl_dims_t){1}, dnnl_a);
        tensor_randomize(&s->src_zero, seed, 1.0, 9.0);
    }
    if (problem->has_post_op)
        s->chain = (struct chain){1, {{dnnl_eltwise_relu, 0.25f, 0.0f}}};
}

static void add(
        struct run_argument *args, int *count, int arg, struct tensor *tensor)
{
    if (tensor->md != NULL)
        args[(*count)++] = (struct run_argument){arg, tensor};
}

static void check(
        const struct problem *problem, const struct size *size, uint64_t *seed)
{
    struct setup s;
    struct run_argument args[7];
    int count = 0;
    init(&s, problem, size, seed);
    tensor_randomize(&s.src, seed, -1.0, 1.0);
    tensor_randomize_type(&s.weights, seed);
    if (s.bias.md != NULL) tensor_randomize(&s.bias, seed, -9.0, 9.0);
    add(args, &count, DNNL_ARG_SRC, &s.src);
    add(args, &count, DNNL_ARG_WEIGHTS, &s.weights);
    add(args, &count, DNNL_ARG_BIAS, &s.bias);
    add(args, &count, DNNL_ARG_DST, &s.dst);
    add(args, &count, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, &s.zero);
    add(args, &count, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, &s.scale);
    add(args, &count, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, &s.src_zero);
    run_and_expect(describe, expected, &s, args, count);
    if (test_has_failed())
        test_fail(__FILE__, __LINE__,
                "%s weights of %s%s: %lld x %lld by %lld x %lld",
                dnnl_dt2str(problem->weights), dnnl_dt2str(problem->src),
                problem->is_transposed ? ", transposed" : "",
                (long long)size->m, (long long)size->k, (long long)size->k,
                (long long)size->n);
    struct tensor *tensors[] = {&s.src, &s.weights, &s.bias, &s.dst, &s.zero,
            &s.scale, &s.src_zero};
    for (size_t i = 0; i < COUNT(tensors); i++)
        tensor_fini(tensors[i]);
}

static bool is_supported(const struct problem *p)
{
    const dnnl_data_type_t types[] = {
            p->src, p->weights, p->dst, p->bias, p->scale.type};
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i] == dnnl_f16 && !test_takes_half()) return false;
    return true;
}

/* In the merge tier some of three sizes or more. */
static void check_sizes(const struct problem *problem, const struct size *sizes,
        size_t size_count)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t i = 0;
            i < size_count && is_supported(problem) && !test_has_failed(); i++)
        if (size_count < 3 || is_in_sample(i, first))
            check(problem, &sizes[i], &seed);
}

static void check_all(const struct problem *problems, size_t problem_count,
        const struct size *sizes, size_t size_count)
{
    for (size_t p = 0; p < problem_count; p++)
        check_sizes(&problems[p], sizes, size_count);
}

/* In the merge tier some of the problems. */
static void check_sample(const struct problem *problems, size_t problem_count,
        const struct size *sizes, size_t size_count)
{
    const uint64_t seed = test_seed();
    for (size_t p = 0; p < problem_count; p++)
        if (is_in_sample(p, seed)) check_sizes(&problems[p], sizes, size_count);
}

#define K_AND_N 3
#define BATCH_K_AND_N 7

/* ---- Vectors ------------------------------------------------------------- */

/* What language models run on: groups of 32, 64 or 128 along k. The longest is
 * more than a work-group stages at a time. */
static const struct size vectors[] = {{0, 0, 1, 128, 8}, {0, 0, 1, 256, 72},
        {0, 0, 1, 4224, 40}, {0, 0, 1, 384, 104}};

TEST_C(CompressedWeights, MultiplyAVector)
{
    static const struct problem problems[] = {
            {dnnl_f32, dnnl_u4, dnnl_f32, .zero = {dnnl_u4, K_AND_N, 128, 1},
                    .scale = {dnnl_f16, K_AND_N, 128, 1}}};
    check_all(problems, COUNT(problems), vectors, COUNT(vectors));
}

TEST_C(CompressedWeights, MultiplyVectorsOfEveryType)
{
    static const struct problem problems[] = {
            {dnnl_f16, dnnl_s4, dnnl_f16, .scale = {dnnl_f16, K_AND_N, 64, 1},
                    .is_transposed = true},
            {dnnl_f32, dnnl_s4, dnnl_f32, .zero = {dnnl_s32, 0, 0, 0},
                    .scale = {dnnl_bf16, K_AND_N, 64, 1}},
            {dnnl_f16, dnnl_u8, dnnl_f32, .zero = {dnnl_u8, K_AND_N, 32, 1},
                    .scale = {dnnl_f32, K_AND_N, 128, 1}, .bias = dnnl_f16},
            {dnnl_bf16, dnnl_s8, dnnl_bf16, .zero = {dnnl_s8, 1 << 1, 0, 0},
                    .scale = {dnnl_f32, 1 << 1, 0, 0}, .has_post_op = true},
            {dnnl_f32, dnnl_s8, dnnl_f32, .scale = {dnnl_f32, K_AND_N, 32, 1},
                    .is_transposed = true},
            {dnnl_bf16, dnnl_u8, dnnl_f32, .zero = {dnnl_u8, K_AND_N, 64, 1},
                    .is_transposed = true},
            {dnnl_f32, dnnl_u4, dnnl_f32, .zero = {dnnl_u4, K_AND_N, 32, 1},
                    .scale = {dnnl_f32, 1 << 0, 128, 1}, .is_transposed = true,
                    .has_post_op = true}};
    check_sample(problems, COUNT(problems), vectors, COUNT(vectors));
}

/* The kernel for vectors has no zero point of src. */
TEST_C(CompressedWeights, MultiplyAVectorThatHasAZeroPoint)
{
    static const struct problem problems[] = {{dnnl_f32, dnnl_u8, dnnl_f32,
            .zero = {dnnl_u8, K_AND_N, 32, 1}, .src_zero = dnnl_s32}};
    check_all(problems, COUNT(problems), vectors, 1);
}

/* Few rows, each of the sizes in one program. */
TEST_C(CompressedWeights, MultiplyAFewRows)
{
    static const struct problem problems[] = {
            {dnnl_f32, dnnl_u4, dnnl_f32, .zero = {dnnl_u4, K_AND_N, 32, 1},
                    .scale = {dnnl_f32, K_AND_N, 32, 1}, .bias = dnnl_f32},
            {dnnl_f32, dnnl_s4, dnnl_f32, .scale = {dnnl_f32, K_AND_N, 32, 1},
                    .is_transposed = true},
            {dnnl_f32, dnnl_s8, dnnl_f32,
                    .zero = {dnnl_s8, BATCH_K_AND_N, 32, 1},
                    .scale = {dnnl_f32, BATCH_K_AND_N, 64, 1}}};
    static const struct size flat[] = {
            {0, 0, 2, 64, 8}, {0, 0, 5, 160, 48}, {0, 0, 8, 1088, 24}};
    static const struct size deep[] = {
            {3, 3, 2, 64, 8}, {3, 1, 3, 192, 44}, {2, 2, 8, 64, 4}};
    _Static_assert(COUNT(flat) == COUNT(deep), "sizes for each problem");
    const uint64_t seed = test_seed();
    for (size_t p = 0; p < COUNT(problems); p++)
        if (is_in_sample(p, seed))
            check_sizes(&problems[p], p < 2 ? flat : deep, COUNT(flat));
}

/* ---- Matrices ------------------------------------------------------------ */

/* Odd ones, also of one row: words have elements of two lines. */
static const struct size matrices[] = {{0, 0, 1, 9, 7}, {0, 0, 19, 45, 71},
        {0, 0, 3, 27, 33}, {0, 0, 70, 36, 1}};

TEST_C(CompressedWeights, MultiplyMatricesOfOddSizes)
{
    static const struct problem problems[] = {
            {dnnl_f32, dnnl_u4, dnnl_f32, .zero = {dnnl_u4, K_AND_N, 3, 1},
                    .scale = {dnnl_f32, K_AND_N, 9, 1}}};
    check_all(problems, COUNT(problems), matrices, COUNT(matrices));
}

TEST_C(CompressedWeights, MultiplyMatricesOfEveryType)
{
    static const struct problem problems[] = {
            {dnnl_f16, dnnl_s4, dnnl_f16, .zero = {dnnl_s4, K_AND_N, 9, 1},
                    .scale = {dnnl_f16, K_AND_N, 3, 1}, .bias = dnnl_f32,
                    .is_transposed = true},
            {dnnl_bf16, dnnl_s8, dnnl_f32, .zero = {dnnl_s32, 1 << 0, 3, 1},
                    .scale = {dnnl_bf16, 1 << 1, 0, 0}, .has_post_op = true},
            {dnnl_f32, dnnl_u8, dnnl_f32, .zero = {dnnl_s32, 0, 0, 0},
                    .scale = {dnnl_f32, K_AND_N, 0, 0}, .is_transposed = true},
            {dnnl_f32, dnnl_s8, dnnl_f32, .scale = {dnnl_f32, 1 << 1, 0, 0}},
            {dnnl_f32, dnnl_s4, dnnl_f32, .scale = {dnnl_f32, 0, 0, 0},
                    .any_rows = true}};
    check_sample(problems, COUNT(problems), matrices, COUNT(matrices));
}

/* Numbers that several columns share, and batches with numbers of their own. */
TEST_C(CompressedWeights, TakeGroupsAlongEveryDimension)
{
    static const struct problem problems[] = {{dnnl_f32, dnnl_u4, dnnl_f32,
            .zero = {dnnl_u8, BATCH_K_AND_N, 1, 4},
            .scale = {dnnl_f32, BATCH_K_AND_N, 8, 1}}};
    static const struct size sizes[] = {
            {2, 2, 5, 24, 12}, {3, 1, 9, 16, 8}, {2, 2, 1, 64, 16}};
    check_all(problems, COUNT(problems), sizes, COUNT(sizes));
}

/* Sizes, groups and layouts drawn at random, by two programs. */
TEST_C(CompressedWeights, MultiplyRandomMatrices)
{
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t i = 0; i < 24 && !test_has_failed(); i++) {
        if (!is_in_sample(i, first)) continue;
        const dnnl_dim_t group = 1 + random_below(&seed, 40);
        struct size size = {.m = 1 + random_below(&seed, 12),
                .k = group * (1 + random_below(&seed, 6)),
                .n = 1 + random_below(&seed, 90)};
        const struct problem problem = {dnnl_f32, dnnl_u4, dnnl_f32,
                .zero = {dnnl_u4, K_AND_N, group, 1},
                .scale = {dnnl_f32, K_AND_N, group, 1},
                .is_transposed = random_below(&seed, 2) == 0};
        if (problem.is_transposed && random_below(&seed, 2) == 0)
            size.k = group * 32;
        check(&problem, &size, &seed);
    }
}

/* Those that are floats already, with scales along what is summed up. */
TEST_C(CompressedWeights, ScaleFloatsToo)
{
    static const struct problem problems[] = {
            {dnnl_f32, dnnl_f32, dnnl_f32, .scale = {dnnl_f32, K_AND_N, 9, 1}}};
    check_all(problems, COUNT(problems), matrices, COUNT(matrices));
}

/* On GPUs by the kernel for vectors. */
TEST_C(CompressedWeights, AreFloatsOfAnyTypeBesides)
{
    static const struct problem problems[] = {
            {dnnl_f32, dnnl_f32, .dst = dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16, .bias = dnnl_f16,
                    .is_transposed = true},
            {dnnl_bf16, dnnl_bf16, .dst = dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f32, .scale = {dnnl_f32, K_AND_N, 32, 1}},
            {dnnl_f32, dnnl_f32, dnnl_f32, .is_transposed = true,
                    .has_post_op = true}};
    static const struct size sizes[] = {
            {0, 0, 1, 4224, 40}, {0, 0, 1, 96, 9}, {0, 0, 6, 192, 36}};
    check_sample(problems, COUNT(problems), sizes, COUNT(sizes));
}

/* ---- Bytes by bytes ------------------------------------------------------ */

/* Sums of integers with a zero point a column are exact. */
TEST_C(CompressedWeights, HaveZeroPointsOfColumnsInProductsOfBytes)
{
    static const struct problem problems[] = {
            {dnnl_u8, dnnl_s8, dnnl_s32, .zero = {dnnl_s32, 1 << 1, 0, 0}},
            {dnnl_s8, dnnl_u4, dnnl_f32, .zero = {dnnl_u4, K_AND_N, 3, 1},
                    .scale = {dnnl_f32, K_AND_N, 9, 1}}};
    check_all(problems, COUNT(problems), matrices, COUNT(matrices));
}
