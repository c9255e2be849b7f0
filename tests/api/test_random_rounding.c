/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic rounding of what convolution and reorder make: bits of the
 * reference, since what is rounded is exact. */
#include "blocked_tensor.h"
#include "convolutions.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void init_seed(struct tensor *t, uint64_t *seed)
{
    tensor_init(t, dnnl_s32, 1, (dnnl_dims_t){1}, dnnl_a);
    const uint32_t bits = (uint32_t)random_below(seed, (dnnl_dim_t)1 << 32);
    memcpy(t->bytes, &bits, sizeof bits);
}

static uint32_t bits_of(const struct tensor *t)
{
    uint32_t bits;
    memcpy(&bits, t->bytes, sizeof bits);
    return bits;
}

static dnnl_primitive_attr_t rounding_attr(void)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    return attr;
}

static bool is_supported(dnnl_data_type_t type)
{
    return type != dnnl_f16 || test_takes_half();
}

/* ---- Reorder ------------------------------------------------------------- */

struct move {
    struct tensor src, dst, seed;
    bool has_post_op; /* times -0.5 */
};

static dnnl_status_t describe_move(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct move *m = user;
    dnnl_primitive_attr_t attr = rounding_attr();
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_post_ops_create(&ops));
    if (m->has_post_op)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                ops, dnnl_eltwise_linear, -0.5f, 0.0f));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, m->src.md, engine, m->dst.md, engine, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static bool run_move(struct move *m)
{
    const struct run_argument args[] = {{DNNL_ARG_SRC, &m->src},
            {DNNL_ARG_DST, &m->dst}, {DNNL_ARG_ATTR_ROUNDING_SEED, &m->seed}};
    return run_twice(describe_move, m, args, 3);
}

static struct reference_value expected_move(
        const void *user, const dnnl_dims_t place)
{
    const struct move *m = user;
    const double s = reference_at(&m->src.view, place);
    const uint32_t i = (uint32_t)reference_offset(&m->dst.view, place);
    const struct reference_value v = {
            reference_round(m->has_post_op ? -0.5 * s : s, m->dst.view.type, i,
                    bits_of(&m->seed)),
            0.0};
    return v;
}

static void fini_move(struct move *m)
{
    tensor_fini(&m->src);
    tensor_fini(&m->dst);
    tensor_fini(&m->seed);
}

static void init_move(struct move *m, dnnl_data_type_t from,
        dnnl_data_type_t to, uint64_t *seed)
{
    const dnnl_dims_t dims = {3, 17, 29};
    memset(m, 0, sizeof *m);
    tensor_init(&m->src, from, 3, dims, dnnl_abc);
    tensor_init(&m->dst, to, 3, dims, dnnl_acb);
    init_seed(&m->seed, seed);
}

/* Any bits; of magnitudes that s8, u8 and f16 have a few times as often. A
 * device need not have numbers that are not normal: none. */
static void fill_with_floats(struct tensor *t, uint64_t *seed)
{
    for (size_t at = 0; at < t->size; at += sizeof(float)) {
        uint32_t bits = (uint32_t)random_below(seed, (dnnl_dim_t)1 << 32);
        const uint32_t exponent = (uint32_t)(120 + random_below(seed, 24));
        if (random_below(seed, 8) != 0 || (bits >> 23 & 255) == 0)
            bits = (bits & 0x807fffffu) | exponent << 23;
        /* What the few random bits of f16 and bf16 are enough for. */
        if (random_below(seed, 2) == 0) bits |= 0xff00u;
        if (random_below(seed, 4) == 0) bits |= 0x1f00u;
        memcpy(t->bytes + at, &bits, sizeof bits);
    }
}

/* From floats, with the ends of the range, infinities and NaN among them. */
static void check_move_of_floats(dnnl_data_type_t to, uint64_t *seed)
{
    static const float ends[] = {FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN,
            FLT_MIN, -FLT_MIN, 0.0f, -0.0f, 65504.0f, 65519.0f, 65536.0f,
            -128.0f, -128.9f, 127.9f, 255.9f, 0x1p-14f, 0x1.ffcp-15f,
            -0x1.fp-15f};
    struct move m;
    if (!is_supported(to)) return;
    init_move(&m, dnnl_f32, to, seed);
    fill_with_floats(&m.src, seed);
    memcpy(m.src.bytes, ends, sizeof ends);
    if (run_move(&m)) expect_tensor(&m.dst, expected_move, &m);
    if (test_has_failed())
        test_fail(__FILE__, __LINE__, "to %s", dnnl_dt2str(to));
    fini_move(&m);
}

TEST_C(RandomRounding, ReordersFloats)
{
    uint64_t seed = test_seed();
    check_move_of_floats(dnnl_bf16, &seed);
}

TEST_C(RandomRounding, ReordersFloatsToEveryType)
{
    static const dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_f16, dnnl_s8, dnnl_u8};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types); i++)
        check_move_of_floats(types[i], &seed);
}

TEST_C(RandomRounding, ReordersAfterPostOps)
{
    uint64_t seed = test_seed();
    struct move m;
    init_move(&m, dnnl_f32, dnnl_bf16, &seed);
    m.has_post_op = true;
    fill_with_floats(&m.src, &seed);
    if (run_move(&m)) expect_tensor(&m.dst, expected_move, &m);
    fini_move(&m);
}

/* What the type has stays: of 16 bits everything but what is not normal, which
 * becomes 0; integers of dst's range. */
TEST_C(RandomRounding, KeepsWhatTheTypeHas)
{
    static const dnnl_data_type_t types[][2] = {
            {dnnl_bf16, dnnl_bf16}, {dnnl_f16, dnnl_f16}, {dnnl_s8, dnnl_s8}};
    uint64_t seed = test_seed();
    for (size_t t = 0; t < COUNT(types) && is_supported(types[t][0]); t++) {
        const dnnl_dims_t dims = {256, 256};
        const size_t size = dnnl_data_type_size(types[t][0]);
        struct move m;
        memset(&m, 0, sizeof m);
        tensor_init(&m.src, types[t][0], 2, dims, dnnl_ab);
        tensor_init(&m.dst, types[t][1], 2, dims, dnnl_ab);
        init_seed(&m.seed, &seed);
        for (size_t i = 0; i < (size_t)65536; i++) {
            const uint16_t bits = (uint16_t)i;
            memcpy(m.src.bytes + i * size, &bits, size);
        }
        EXPECT_TRUE(run_move(&m));
        for (dnnl_dim_t i = 0; i < 65536; i++) {
            const double s = reference_read(&m.src.view, i);
            const double least = types[t][0] == dnnl_f16 ? 0x1p-14 : 0x1p-126;
            const double wanted = fabs(s) < least ? 0.0 : s;
            const double got = reference_read(&m.dst.view, i);
            if (got != wanted && !(isnan(s) && isnan(got))) {
                test_fail(__FILE__, __LINE__, "%s: %a became %a",
                        dnnl_dt2str(types[t][0]), s, got);
                break;
            }
        }
        fini_move(&m);
    }
}

/* With blocks, an element's number is its place among blocks and padding. */
TEST_C(RandomRounding, ReordersToBlocks)
{
    const dnnl_dims_t dims = {2, 19, 3, 5};
    uint64_t seed = test_seed();
    struct blocked_tensor dst;
    struct move m;
    memset(&m, 0, sizeof m);
    tensor_init(&m.src, dnnl_f32, 4, dims, dnnl_nchw);
    blocked_tensor_init(&dst, dnnl_bf16, 4, dims, dnnl_nChw8c);
    m.dst = dst.tensor;
    init_seed(&m.seed, &seed);
    fill_with_floats(&m.src, &seed);
    if (run_move(&m))
        for (dnnl_dim_t i = 0; i < reference_count(&m.dst.view); i++) {
            dnnl_dims_t place;
            tag_loops_place(&dst.loops, i, place);
            const bool is_inside = blocked_tensor_is_inside(&dst, dims, place);
            const double wanted =
                    is_inside
                            ? reference_round(reference_at(&m.src.view, place),
                                    dnnl_bf16, (uint32_t)i, bits_of(&m.seed))
                            : 0.0;
            const double got = reference_read(&m.dst.view, i);
            if (got == wanted || (isnan(got) && isnan(wanted))) continue;
            test_fail(__FILE__, __LINE__, "element %lld is %a, not %a",
                    (long long)i, got, wanted);
            break;
        }
    fini_move(&m);
}

/* ---- Between host and device --------------------------------------------- */

static dnnl_memory_t memory_on(dnnl_engine_t engine, const struct tensor *t)
{
    dnnl_memory_t memory = NULL;
    void *mapped = NULL;
    EXPECT_OK(dnnl_memory_create(&memory, t->md, engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_map_data(memory, &mapped));
    if (mapped != NULL) memcpy(mapped, t->bytes, t->size);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

/* One of the tensors is in host memory; the seed is on the device. */
static void move_across(struct move *m, dnnl_engine_t from, dnnl_engine_t to)
{
    dnnl_primitive_attr_t attr = rounding_attr();
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    void *mapped = NULL;
    ASSERT_OK(dnnl_reorder_primitive_desc_create(
            &pd, m->src.md, from, m->dst.md, to, attr));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory_on(from, &m->src)},
            {DNNL_ARG_DST, memory_on(to, &m->dst)},
            {DNNL_ARG_ATTR_ROUNDING_SEED, memory_on(test_engine(), &m->seed)}};
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 3, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    EXPECT_OK(dnnl_memory_map_data(args[1].memory, &mapped));
    ASSERT_NOT_NULL(mapped);
    memcpy(m->dst.bytes, mapped, m->dst.size);
    EXPECT_OK(dnnl_memory_unmap_data(args[1].memory, mapped));
    for (size_t i = 0; i < COUNT(args); i++)
        EXPECT_OK(dnnl_memory_destroy(args[i].memory));
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(RandomRounding, ReordersBetweenHostAndDevice)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 2; i++) {
        struct move m;
        init_move(&m, dnnl_f32, dnnl_bf16, &seed);
        fill_with_floats(&m.src, &seed);
        move_across(&m, i == 0 ? test_host() : test_engine(),
                i == 0 ? test_engine() : test_host());
        expect_tensor(&m.dst, expected_move, &m);
        fini_move(&m);
    }
}

/* ---- Means --------------------------------------------------------------- */

/* The mean of what all sums of s and random bits become. */
static double mean_of(double s, dnnl_data_type_t type)
{
    const bool is_16_bits = type == dnnl_f16 || type == dnnl_bf16;
    const uint32_t count = is_16_bits ? 1u << 8 : 1u << 16;
    double sum = 0.0;
    for (uint32_t added = 0; added < count; added++)
        sum += reference_add_and_cut(s, type, added);
    return sum / (double)count;
}

enum { MEANT = 1 << 14 };

/* The mean of MEANT numbers that are all s, rounded by one seed. */
static double measured_mean(
        float s, dnnl_data_type_t type, double *step, uint64_t *seed)
{
    const double value = (double)s;
    double sum = 0.0;
    double low = INFINITY, high = -INFINITY;
    struct move m;
    memset(&m, 0, sizeof m);
    tensor_init(&m.src, dnnl_f32, 1, (dnnl_dims_t){MEANT}, dnnl_a);
    tensor_init(&m.dst, type, 1, (dnnl_dims_t){MEANT}, dnnl_a);
    init_seed(&m.seed, seed);
    tensor_set(&m.src, &value, 1);
    EXPECT_TRUE(run_move(&m));
    for (dnnl_dim_t i = 0; i < MEANT; i++) {
        const double r = reference_read(&m.dst.view, i);
        sum += r;
        low = fmin(low, r);
        high = fmax(high, r);
    }
    fini_move(&m);
    EXPECT_TRUE(low <= value && value <= high + *step);
    EXPECT_TRUE(high - low <= *step);
    return sum / (double)MEANT;
}

/* A result is one of two neighbours a step apart: its mean deviates by at most
 * step / (2 sqrt(n)), and by more than six times that once in 500 million. u8
 * has as many random bits as it loses: its mean is the number itself. */
TEST_C(RandomRounding, HasTheMeanOfItsRandomBits)
{
    static const struct {
        float s;
        dnnl_data_type_t type;
        double step;
        bool is_unbiased;
    } cases[] = {{200.3f, dnnl_u8, 1.0, true},
            {0x1.00ff80p0f, dnnl_bf16, 0x1p-7, false},
            {0x1.01fe80p3f, dnnl_bf16, 0x1p-4, false}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cases); i++) {
        double step = cases[i].step;
        const double wanted = mean_of((double)cases[i].s, cases[i].type);
        const double mean =
                measured_mean(cases[i].s, cases[i].type, &step, &seed);
        const double bound = 6.0 * step / (2.0 * sqrt((double)MEANT));
        EXPECT_TRUE(fabs(mean - wanted) <= bound);
        if (cases[i].is_unbiased)
            EXPECT_TRUE(fabs(wanted - (double)cases[i].s) <= step / 65536.0);
        else
            EXPECT_TRUE(wanted < (double)cases[i].s);
    }
}

/* ---- Convolution --------------------------------------------------------- */

struct rounded {
    struct convolution c;
    struct tensor seed;
};

static dnnl_status_t describe_convolution(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct convolution *c = &((const struct rounded *)user)->c;
    dnnl_primitive_attr_t attr = rounding_attr();
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_post_ops_create(&ops));
    for (int i = 0; i < c->chain.count; i++)
        EXPECT_OK(dnnl_post_ops_append_eltwise(ops, c->chain.steps[i].alg,
                c->chain.steps[i].alpha, c->chain.steps[i].beta));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(pd,
            engine, dnnl_forward_inference, dnnl_convolution_direct, c->src.md,
            c->weights.md, c->bias.md, c->dst.md, c->window.strides,
            c->window.dilates, c->window.padding_l, c->padding_r, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected_convolution(
        const void *user, const dnnl_dims_t place)
{
    const struct rounded *r = user;
    const struct convolution *c = &r->c;
    double v = reference_convolution(&c->src.view, &c->weights.view,
            c->has_bias ? &c->bias.view : NULL, &c->window, place)
                       .value;
    if (c->chain.count > 0) v = v > 0.0 ? v : 0.5 * v;
    const uint32_t i = (uint32_t)reference_offset(&c->dst.view, place);
    return (struct reference_value){
            reference_round(v, c->dst.view.type, i, bits_of(&r->seed)), 0.0};
}

/* Multiples of 1/128 below 2: sums of dozens of products are exact. */
static void fill(struct tensor *t, uint64_t *seed)
{
    double values[997];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = (double)(random_below(seed, 511) - 255) / 128.0;
    if (t->md == NULL) return;
    if (tensor_is_integer(t))
        tensor_randomize(t, seed, t->view.type == dnnl_u8 ? 0.0 : -9.0, 9.0);
    else
        tensor_set(t, values, COUNT(values));
}

static void check_convolution(const struct sizes *sizes,
        const struct tags *tags, const struct types *types, uint64_t *seed)
{
    struct rounded r;
    if (!is_supported(types->src) || !is_supported(types->dst)) return;
    memset(&r, 0, sizeof r);
    convolution_init(&r.c, false, sizes, tags, types);
    init_seed(&r.seed, seed);
    fill(&r.c.src, seed);
    fill(&r.c.weights, seed);
    fill(&r.c.bias, seed);
    if (r.c.has_bias)
        r.c.chain = (struct chain){1, {{dnnl_eltwise_relu, 0.5f, 0.0f}}};
    struct run_argument args[] = {{DNNL_ARG_SRC, &r.c.src},
            {DNNL_ARG_WEIGHTS, &r.c.weights}, {DNNL_ARG_DST, &r.c.dst},
            {DNNL_ARG_ATTR_ROUNDING_SEED, &r.seed}, {DNNL_ARG_BIAS, &r.c.bias}};
    run_and_expect(describe_convolution, expected_convolution, &r, args,
            r.c.has_bias ? 5 : 4);
    convolution_fini(&r.c);
    tensor_fini(&r.seed);
}

static const struct sizes windows[] = {
        {2, 2, 1, 5, 9, {7, 6}, {3, 2}, ONE, NONE, {1, 0}, {1, 1}},
        {2, 1, 3, 6, 9, {9, 8}, {3, 3}, {2, 1}, {0, 1}, {2, 1}, {0, 3}}};

TEST_C(RandomRounding, RoundsConvolutions)
{
    /* A bias makes fractions. */
    static const struct types types = {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(windows); i++)
        check_convolution(&windows[i], &plain_tags[1], &types, &seed);
}

TEST_C(RandomRounding, RoundsConvolutionsToEveryType)
{
    static const dnnl_data_type_t none = dnnl_data_type_undef;
    const struct types types[] = {{dnnl_f16, dnnl_f16, none, dnnl_f16},
            {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_bf16},
            {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16},
            {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_s8}};
    static const struct tags last = {
            dnnl_nhwc, dnnl_oihw, dnnl_goihw, dnnl_nhwc};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t i = 0; i < COUNT(windows) && is_in_sample(t, first); i++)
            check_convolution(&windows[i], &last, &types[t], &seed);
}
