/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that oneDNN has since 3.9: numbers on the host, post-ops of three
 * operands, dropout with an offset or without a mask. */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MAX_ARGS = 13 };

/* ---- Problems ------------------------------------------------------------ */

/* A product of bytes or floats, whose sums are exact, with one of these. */
struct problem {
    struct tensor src, weights, dst;
    struct tensor numbers[3]; /* scales of src and dst, zero point of dst */
    bool adds_number;         /* that of the host to each result */
    struct tensor number;
    bool selects; /* between result and other */
    struct tensor other, condition;
    bool drops_out;
    bool is_on_host; /* what dropout needs */
    struct tensor mask, probability, seed, offset;
};

static const int number_args[3] = {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST};

static void set_numbers(dnnl_primitive_attr_t attr)
{
    EXPECT_OK(dnnl_primitive_attr_set_scales_v2(
            attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 1));
    EXPECT_OK(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 0, 0, NULL,
            dnnl_f32, 1, dnnl_quantization_mode_static_sazp));
    EXPECT_OK(dnnl_primitive_attr_set_zero_points_v2(
            attr, DNNL_ARG_DST, 0, 0, NULL, dnnl_s32, 1));
}

static void set_post_ops(dnnl_primitive_attr_t attr, const struct problem *p)
{
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_post_ops_create(&ops));
    if (p->adds_number)
        EXPECT_OK(dnnl_post_ops_append_binary_v2(
                ops, dnnl_binary_add, p->number.md, NULL));
    if (p->selects)
        EXPECT_OK(dnnl_post_ops_append_binary_v2(
                ops, dnnl_binary_select, p->other.md, p->condition.md));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
}

static dnnl_memory_desc_t empty_md(void)
{
    return plain_md(0, NULL, dnnl_data_type_undef);
}

static dnnl_primitive_attr_t make_attr(const struct problem *p)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    if (p->numbers[0].md != NULL) set_numbers(attr);
    set_post_ops(attr, p);
    if (p->drops_out)
        EXPECT_OK(dnnl_primitive_attr_set_dropout_v2(attr,
                p->mask.md != NULL ? p->mask.md : empty_md(), dnnl_s64,
                p->offset.md != NULL, p->is_on_host));
    return attr;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct problem *p = user;
    dnnl_primitive_attr_t attr = make_attr(p);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            pd, engine, p->src.md, p->weights.md, NULL, p->dst.md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- What is expected ---------------------------------------------------- */

static bool is_kept(const struct problem *p, const dnnl_dims_t place)
{
    const uint32_t i = (uint32_t)reference_offset(&p->dst.view, place);
    int64_t seed;
    int64_t offset = 0;
    memcpy(&seed, p->seed.bytes, sizeof seed);
    if (p->offset.md != NULL) memcpy(&offset, p->offset.bytes, sizeof offset);
    return reference_random_from(i, seed, offset) > 4294967295.0 * 0.5;
}

static struct reference_value expected_mask(
        const void *user, const dnnl_dims_t place)
{
    return (struct reference_value){is_kept(user, place), 0.0};
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct problem *p = user;
    struct reference_value v =
            reference_matmul(&p->src.view, &p->weights.view, NULL, 2, place);
    v.tolerance = 0.0;
    if (p->drops_out) v.value *= is_kept(p, place) ? 2.0 : 0.0;
    if (p->numbers[0].md != NULL) v.value *= 0.5;
    if (p->adds_number) v.value += 1.25;
    if (p->selects && reference_at(&p->condition.view, place) == 0.0) {
        const dnnl_dims_t at = {0, place[1]};
        v.value = reference_at(&p->other.view, at);
    }
    return p->numbers[0].md != NULL
                   ? (struct reference_value){v.value / 0.25 + 3.0, 0.0}
                   : v;
}

/* ---- Running ------------------------------------------------------------- */

static void init(struct problem *p, dnnl_data_type_t type, uint64_t *seed)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, type, 2, (dnnl_dims_t){5, 3}, dnnl_ab);
    tensor_init(&p->weights, type, 2, (dnnl_dims_t){3, 18}, dnnl_ab);
    tensor_init(&p->dst, type, 2, (dnnl_dims_t){5, 18}, dnnl_ab);
    const double values[] = {-3.0, 2.0, 1.0, 0.0, -2.0, 3.0, -1.0};
    tensor_set(&p->src, values, COUNT(values));
    tensor_randomize(&p->weights, seed, -3.0, 3.0);
    tensor_set(&p->weights, values, COUNT(values) - 1);
}

/* One number on the host. */
static void init_scalar(
        struct tensor *t, dnnl_data_type_t type, const void *value)
{
    memset(t, 0, sizeof *t);
    tensor_init(t, type == dnnl_s64 ? dnnl_f32 : type, 1, (dnnl_dims_t){2},
            dnnl_a); /* for the room: of s64 the reference knows nothing */
    dnnl_memory_desc_destroy(t->md);
    EXPECT_OK(dnnl_memory_desc_create_host_scalar(&t->md, type));
    t->size = dnnl_data_type_size(type);
    memcpy(t->bytes, value, t->size);
}

/* One of s64, on the device. */
static void init_long(struct tensor *t, int64_t value)
{
    init_scalar(t, dnnl_s64, &value);
    dnnl_memory_desc_destroy(t->md);
    t->md = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(
            &t->md, 1, (dnnl_dims_t){1}, dnnl_s64, dnnl_a));
}

static void add(
        struct run_argument *args, int *count, int arg, struct tensor *tensor)
{
    if (tensor->md != NULL)
        args[(*count)++] = (struct run_argument){arg, tensor};
}

static int bind(struct problem *p, struct run_argument args[MAX_ARGS])
{
    int count = 0;
    const int step = DNNL_ARG_ATTR_MULTIPLE_POST_OP(p->adds_number ? 1 : 0);
    add(args, &count, DNNL_ARG_SRC, &p->src);
    add(args, &count, DNNL_ARG_WEIGHTS, &p->weights);
    add(args, &count, DNNL_ARG_DST, &p->dst);
    for (int i = 0; i < 3; i++)
        add(args, &count, number_args[i], &p->numbers[i]);
    add(args, &count, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
            &p->number);
    add(args, &count, step | DNNL_ARG_SRC_1, &p->other);
    add(args, &count, step | DNNL_ARG_SRC_2, &p->condition);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_MASK, &p->mask);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, &p->probability);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_SEED, &p->seed);
    add(args, &count, DNNL_ARG_ATTR_DROPOUT_OFFSET, &p->offset);
    return count;
}

static void check(struct problem *p)
{
    struct run_argument args[MAX_ARGS];
    const int count = bind(p, args);
    if (p->mask.md != NULL
            && run_twice_for(
                    DNNL_ARG_ATTR_DROPOUT_MASK, describe, p, args, count))
        expect_tensor(&p->mask, expected_mask, p);
    run_and_expect(describe, expected, p, args, count);
}

static void fini(struct problem *p)
{
    struct tensor *tensors[] = {&p->src, &p->weights, &p->dst, &p->numbers[0],
            &p->numbers[1], &p->numbers[2], &p->number, &p->other,
            &p->condition, &p->mask, &p->probability, &p->seed, &p->offset};
    for (size_t i = 0; i < COUNT(tensors); i++)
        tensor_fini(tensors[i]);
}

/* ---- Numbers on the host ------------------------------------------------- */

TEST_C(LaterAttributes, TakeScalesAndZeroPointsFromTheHost)
{
    const float scales[] = {0.5f, 0.25f};
    const int32_t zero = 3;
    uint64_t seed = 1;
    struct problem p;
    init(&p, dnnl_s8, &seed);
    init_scalar(&p.numbers[0], dnnl_f32, &scales[0]);
    init_scalar(&p.numbers[1], dnnl_f32, &scales[1]);
    init_scalar(&p.numbers[2], dnnl_s32, &zero);
    check(&p);
    fini(&p);
}

TEST_C(LaterAttributes, AddANumberOfTheHost)
{
    const float number = 1.25f;
    uint64_t seed = 2;
    struct problem p;
    init(&p, dnnl_f32, &seed);
    p.adds_number = true;
    init_scalar(&p.number, dnnl_f32, &number);
    check(&p);
    fini(&p);
}

/* A number where attributes ask for one on the host, and the other way round;
 * then one of another type. */
TEST_C(LaterAttributes, TakeNumbersOnlyFromWhereTheySay)
{
    const float scales[] = {0.5f, 0.25f};
    const int32_t zero = 3;
    uint64_t seed = 3;
    struct problem p;
    struct tensor on_device;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    init(&p, dnnl_s8, &seed);
    init_scalar(&p.numbers[0], dnnl_f32, &scales[0]);
    init_scalar(&p.numbers[1], dnnl_f32, &scales[1]);
    init_scalar(&p.numbers[2], dnnl_s32, &zero);
    tensor_init(&on_device, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
    ASSERT_OK(describe(&pd, test_engine(), &p));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    struct tensor *tensors[] = {&p.src, &p.weights, &p.dst, &p.numbers[0],
            &p.numbers[1], &p.numbers[2]};
    const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
            number_args[0], number_args[1], number_args[2]};
    dnnl_exec_arg_t exec[6];
    for (int i = 0; i < 6; i++) {
        exec[i].arg = args[i];
        if (i < 3)
            ASSERT_OK(dnnl_memory_create(&exec[i].memory, tensors[i]->md,
                    test_engine(), DNNL_MEMORY_ALLOCATE));
        else
            ASSERT_OK(dnnl_memory_create_host_scalar(
                    &exec[i].memory, tensors[i]->md, tensors[i]->bytes));
    }
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 6, exec));
    dnnl_memory_t memory = NULL;
    dnnl_memory_t kept = exec[3].memory;
    ASSERT_OK(dnnl_memory_create(
            &memory, on_device.md, test_engine(), DNNL_MEMORY_ALLOCATE));
    exec[3].memory = memory;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(primitive, stream, 6, exec));
    exec[3].memory = exec[5].memory; /* s32 instead of f32 */
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(primitive, stream, 6, exec));
    exec[3].memory = kept;
    dnnl_memory_t src = exec[0].memory;
    exec[0].memory = kept;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(primitive, stream, 6, exec));
    exec[0].memory = src;
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 6, exec));
    EXPECT_OK(dnnl_stream_wait(stream));
    for (int i = 0; i < 6; i++)
        dnnl_memory_destroy(exec[i].memory);
    dnnl_memory_destroy(memory);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    tensor_fini(&on_device);
    fini(&p);
}

/* A descriptor of one is no tensor's, and becomes none. */
TEST_C(LaterAttributes, KeepNumbersOfTheHostApartFromTensors)
{
    const int same[] = {0};
    dnnl_memory_desc_t number = NULL;
    dnnl_memory_desc_t other = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_post_ops_t ops = NULL;
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t tensor = plain_md(1, (dnnl_dims_t){1}, dnnl_s8);
    ASSERT_OK(dnnl_memory_desc_create_host_scalar(&number, dnnl_s8));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_reshape(&other, number, 2, (dnnl_dims_t){1, 1}));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_desc_permute_axes(&other, number, same));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_reorder_primitive_desc_create(
                    &pd, number, test_engine(), tensor, test_engine(), NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_post_ops_append_binary_v2(
                    ops, dnnl_binary_select, tensor, number));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_memory_create(
                    &memory, number, test_engine(), DNNL_MEMORY_ALLOCATE));
    EXPECT_EQ(0, dnnl_post_ops_len(ops));
    dnnl_post_ops_destroy(ops);
    dnnl_memory_desc_destroy(number);
}

/* ---- Three operands ------------------------------------------------------ */

TEST_C(LaterAttributes, SelectBetweenResultAndTensor)
{
    const float number = 1.25f;
    uint64_t seed = 4;
    struct problem p;
    for (int adds_first = 0; adds_first < 2; adds_first++) {
        init(&p, dnnl_f32, &seed);
        p.selects = true;
        p.adds_number = adds_first != 0;
        if (p.adds_number) init_scalar(&p.number, dnnl_f32, &number);
        tensor_init(&p.other, dnnl_f32, 2, (dnnl_dims_t){1, 18}, dnnl_ab);
        tensor_randomize(&p.other, &seed, -100.0, 100.0);
        tensor_init(&p.condition, dnnl_s8, 2, (dnnl_dims_t){5, 18}, dnnl_ba);
        tensor_randomize(&p.condition, &seed, -1.0, 1.0);
        check(&p);
        fini(&p);
    }
}

/* So many selections that their tensors do not fit. */
TEST_C(LaterAttributes, HaveRoomForSoManyTensors)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    uint64_t seed = 5;
    struct problem p;
    init(&p, dnnl_f32, &seed);
    dnnl_memory_desc_t condition = plain_md(2, (dnnl_dims_t){5, 18}, dnnl_s8);
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    for (int i = 0; i < DNNL_CACHE_MAX_POST_OPS; i++)
        EXPECT_OK(dnnl_post_ops_append_binary_v2(
                ops, dnnl_binary_select, p.dst.md, condition));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_matmul_primitive_desc_create(&pd, test_engine(), p.src.md,
                    p.weights.md, NULL, p.dst.md, attr));
    EXPECT_TRUE(pd == NULL);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
    fini(&p);
}

/* ---- Dropout ------------------------------------------------------------- */

TEST_C(LaterAttributes, DropOutWithAllBitsOfSeedAndOffset)
{
    static const int64_t offsets[] = {7, INT64_C(0x1234567890), 0};
    const float half = 0.5f;
    uint64_t seed = 6;
    struct problem p;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        init(&p, dnnl_f32, &seed);
        p.drops_out = true;
        tensor_init(&p.mask, dnnl_u8, 2, (dnnl_dims_t){5, 18}, dnnl_ab);
        tensor_init(&p.probability, dnnl_f32, 1, (dnnl_dims_t){1}, dnnl_a);
        memcpy(p.probability.bytes, &half, sizeof half);
        init_long(&p.seed, INT64_C(0x7fedcba987654321));
        init_long(&p.offset, offsets[i]);
        check(&p);
        fini(&p);
    }
}

TEST_C(LaterAttributes, DropOutWithoutAMaskByNumbersOfTheHost)
{
    const float half = 0.5f;
    const int64_t start = 99;
    const int64_t offset = -5;
    uint64_t seed = 7;
    struct problem p;
    init(&p, dnnl_f32, &seed);
    p.drops_out = true;
    p.is_on_host = true;
    init_scalar(&p.probability, dnnl_f32, &half);
    init_scalar(&p.seed, dnnl_s64, &start);
    init_scalar(&p.offset, dnnl_s64, &offset);
    check(&p);
    fini(&p);
}
