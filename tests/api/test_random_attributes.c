/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout and stochastic rounding as attributes: kept, told, checked. What
 * kernels make of them is in test_random_matmul and test_random_rounding. */
#include "bytes.h"
#include "refusal_drafts.h"
#include "rig.h"
#include "small_primitives.h"
#include "test.h"

#include <string.h>

static dnnl_primitive_attr_t new_attr(void)
{
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    return attr;
}

/* ---- Kept ---------------------------------------------------------------- */

TEST_C(RandomAttributes, KeepDropout)
{
    const_dnnl_memory_desc_t got = NULL;
    dnnl_memory_desc_t md = matrix_desc(4, 6);
    dnnl_memory_desc_t none = NULL;
    dnnl_primitive_attr_t attr = new_attr();
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &none, 0, NULL, dnnl_data_type_undef, dnnl_format_tag_undef));
    EXPECT_OK(dnnl_primitive_attr_get_dropout(attr, &got));
    EXPECT_TRUE(dnnl_memory_desc_equal(none, got));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, md));
    EXPECT_OK(dnnl_primitive_attr_get_dropout(attr, &got));
    EXPECT_TRUE(got != md && dnnl_memory_desc_equal(md, got));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, got));
    EXPECT_OK(dnnl_primitive_attr_get_dropout(attr, &got));
    EXPECT_TRUE(dnnl_memory_desc_equal(md, got));
    EXPECT_OK(dnnl_primitive_attr_get_dropout(attr, NULL));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, none));
    EXPECT_OK(dnnl_primitive_attr_get_dropout(attr, &got));
    EXPECT_TRUE(dnnl_memory_desc_equal(none, got));
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_dropout(NULL, md));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_dropout(attr, NULL));
    EXPECT_STATUS(wrong, dnnl_primitive_attr_get_dropout(NULL, &got));
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(none);
    dnnl_primitive_attr_destroy(attr);
}

static void expect_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode)
{
    dnnl_rounding_mode_t got = (dnnl_rounding_mode_t)9;
    EXPECT_OK(dnnl_primitive_attr_get_rounding(attr, arg, &got));
    EXPECT_EQ(mode, got);
}

TEST_C(RandomAttributes, KeepRounding)
{
    static const int args[] = {
            DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS};
    const dnnl_rounding_mode_t plain = dnnl_rounding_mode_environment;
    const dnnl_rounding_mode_t stochastic = dnnl_rounding_mode_stochastic;
    const dnnl_status_t wrong = dnnl_invalid_arguments;
    dnnl_primitive_attr_t attr = new_attr();
    for (int i = 0; i < 3; i++) {
        expect_rounding(attr, args[i], plain);
        EXPECT_OK(dnnl_primitive_attr_set_rounding(attr, args[i], stochastic));
        for (int k = 0; k < 3; k++)
            expect_rounding(attr, args[k], k == i ? stochastic : plain);
        EXPECT_OK(dnnl_primitive_attr_set_rounding(attr, args[i], plain));
    }
    EXPECT_OK(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, plain));
    EXPECT_STATUS(wrong,
            dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, stochastic));
    expect_rounding(attr, DNNL_ARG_SRC, plain);
    EXPECT_STATUS(wrong, dnnl_primitive_attr_set_rounding(
                                 attr, DNNL_ARG_DST, (dnnl_rounding_mode_t)2));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_set_rounding(NULL, DNNL_ARG_DST, plain));
    dnnl_rounding_mode_t mode;
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_get_rounding(NULL, DNNL_ARG_DST, &mode));
    EXPECT_STATUS(
            wrong, dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, NULL));
    dnnl_primitive_attr_destroy(attr);
}

TEST_C(RandomAttributes, AreCloned)
{
    const_dnnl_memory_desc_t got = NULL;
    dnnl_memory_desc_t md = matrix_desc(4, 6);
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_primitive_attr_t clone = NULL;
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, md));
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    ASSERT_OK(dnnl_primitive_attr_clone(&clone, attr));
    /* On their own. */
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_environment));
    dnnl_primitive_attr_destroy(attr);
    EXPECT_OK(dnnl_primitive_attr_get_dropout(clone, &got));
    EXPECT_TRUE(dnnl_memory_desc_equal(md, got));
    expect_rounding(clone, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    expect_rounding(clone, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_environment);
    dnnl_primitive_attr_destroy(clone);
    dnnl_memory_desc_destroy(md);
}

/* ---- Descriptors --------------------------------------------------------- */

enum { ROWS = 6, COLUMNS = 5 };

/* What is set of a matmul's attributes. */
struct setting {
    dnnl_data_type_t mask; /* undef: no dropout */
    dnnl_format_tag_t tag; /* of the mask; undef: as dst */
    int rounded;           /* argument; 0: none */
    bool any_rows;         /* of dst and mask */
};

static dnnl_memory_desc_t matrix_of(
        dnnl_data_type_t type, dnnl_format_tag_t tag, bool any_rows)
{
    const dnnl_dims_t dims = {any_rows ? DNNL_RUNTIME_DIM_VAL : ROWS, COLUMNS};
    const dnnl_dims_t strides = {any_rows ? DNNL_RUNTIME_DIM_VAL : COLUMNS, 1};
    dnnl_memory_desc_t md = NULL;
    if (tag == dnnl_format_tag_undef)
        EXPECT_OK(dnnl_memory_desc_create_with_strides(
                &md, 2, dims, type, strides));
    else
        EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, type, tag));
    return md;
}

static dnnl_status_t describe(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const struct setting *setting)
{
    dnnl_memory_desc_t dst =
            matrix_of(dnnl_f32, dnnl_format_tag_undef, setting->any_rows);
    dnnl_memory_desc_t weights = matrix_desc(COLUMNS, COLUMNS);
    dnnl_primitive_attr_t attr = new_attr();
    if (setting->mask != dnnl_data_type_undef) {
        dnnl_memory_desc_t mask =
                matrix_of(setting->mask, setting->tag, setting->any_rows);
        EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, mask));
        dnnl_memory_desc_destroy(mask);
    }
    if (setting->rounded != 0)
        EXPECT_OK(dnnl_primitive_attr_set_rounding(
                attr, setting->rounded, dnnl_rounding_mode_stochastic));
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            pd, engine, dst, weights, NULL, dst, attr);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    return st;
}

static struct bytes id_of(dnnl_engine_t engine, const struct setting *setting)
{
    struct bytes id = {NULL, 0};
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_OK(describe(&pd, engine, setting));
    if (pd != NULL) id = primitive_id(pd);
    EXPECT_GT(id.size, 0);
    dnnl_primitive_desc_destroy(pd);
    return id;
}

static const struct setting both = {.mask = dnnl_u8, .rounded = DNNL_ARG_DST};

TEST_C(RandomAttributes, HaveIdsOfTheirOwn)
{
    static const struct setting settings[] = {{.rounded = 0}, {.mask = dnnl_u8},
            {.mask = dnnl_s8}, {.rounded = DNNL_ARG_DST},
            {.mask = dnnl_u8, .rounded = DNNL_ARG_DST}};
    struct bytes ids[COUNT(settings)];
    struct rig rig;
    rig_open(&rig, 0);
    for (size_t i = 0; i < COUNT(settings); i++) {
        ids[i] = id_of(rig.engine, &settings[i]);
        struct bytes again = id_of(rig.engine, &settings[i]);
        EXPECT_TRUE(bytes_equal(&ids[i], &again));
        bytes_free(&again);
        for (size_t j = 0; j < i; j++)
            EXPECT_FALSE(bytes_equal(&ids[i], &ids[j]));
    }
    for (size_t i = 0; i < COUNT(settings); i++)
        bytes_free(&ids[i]);
    rig_close(&rig);
}

/* An ID of its own would make a process compile anew. */
TEST_RIG(RandomAttributes, ThatChangeNothingAreInNoId)
{
    static const struct setting none = {.rounded = 0};
    dnnl_primitive_desc_t pd = NULL;
    struct bytes id = id_of(rig->engine, &none);
    dnnl_memory_desc_t dst = matrix_of(dnnl_f32, dnnl_format_tag_undef, false);
    dnnl_memory_desc_t weights = matrix_desc(COLUMNS, COLUMNS);
    dnnl_memory_desc_t empty = NULL;
    dnnl_primitive_attr_t attr = new_attr();
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &empty, 0, NULL, dnnl_data_type_undef, dnnl_format_tag_undef));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, dst));
    EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, empty));
    EXPECT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_environment));
    EXPECT_OK(dnnl_matmul_primitive_desc_create(
            &pd, rig->engine, dst, weights, NULL, dst, attr));
    struct bytes other = primitive_id(pd);
    EXPECT_TRUE(bytes_equal(&id, &other));
    bytes_free(&id);
    bytes_free(&other);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(empty);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
}

static const_dnnl_memory_desc_t argument(
        const_dnnl_primitive_desc_t pd, int arg)
{
    return dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
}

static void expect_number(
        const_dnnl_memory_desc_t md, dnnl_data_type_t expected)
{
    dnnl_data_type_t type = dnnl_data_type_undef;
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    EXPECT_EQ(expected, type);
    EXPECT_EQ(4, dnnl_memory_desc_get_size(md));
}

TEST_RIG(RandomAttributes, AreToldAsArguments)
{
    const struct setting any = {.mask = dnnl_s8, .tag = dnnl_format_tag_any};
    dnnl_primitive_desc_t pd = NULL;
    int count = 0;
    ASSERT_OK(describe(&pd, rig->engine, &both));
    expect_number(argument(pd, DNNL_ARG_ATTR_DROPOUT_PROBABILITY), dnnl_f32);
    expect_number(argument(pd, DNNL_ARG_ATTR_DROPOUT_SEED), dnnl_s32);
    expect_number(argument(pd, DNNL_ARG_ATTR_ROUNDING_SEED), dnnl_s32);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_num_of_inputs_s32, 0, &count));
    EXPECT_EQ(2, count);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_num_of_outputs_s32, 0, &count));
    EXPECT_EQ(1, count);
    dnnl_primitive_desc_destroy(pd);
    /* dst's layout. */
    dnnl_memory_desc_t mask = matrix_of(dnnl_s8, dnnl_format_tag_undef, false);
    ASSERT_OK(describe(&pd, rig->engine, &any));
    EXPECT_TRUE(dnnl_memory_desc_equal(
            mask, argument(pd, DNNL_ARG_ATTR_DROPOUT_MASK)));
    dnnl_memory_desc_destroy(mask);
    dnnl_primitive_desc_destroy(pd);
}

/* ---- Refused ------------------------------------------------------------- */

TEST_RIG(RandomAttributes, TakeMasksThatAreLaidOutAsDst)
{
    static const struct setting wrong[] = {{.mask = dnnl_u8, .tag = dnnl_ba},
            {.mask = dnnl_f32}, {.mask = dnnl_s32},
            {.mask = dnnl_u8, .tag = dnnl_BA8b4a}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dnnl_primitive_desc_t pd = NULL;
        EXPECT_STATUS(
                dnnl_unimplemented, describe(&pd, rig->engine, &wrong[i]));
        EXPECT_TRUE(pd == NULL);
    }
}

/* Of other dimensions. */
TEST_RIG(RandomAttributes, TakeMasksOfTheShapeOfDst)
{
    static const dnnl_format_tag_t tags[] = {dnnl_ab, dnnl_format_tag_any};
    const dnnl_dims_t others[] = {{ROWS, COLUMNS + 1}, {1, COLUMNS},
            {COLUMNS, ROWS}, {ROWS * COLUMNS}};
    static const int ranks[] = {2, 2, 2, 1};
    dnnl_memory_desc_t dst = matrix_of(dnnl_f32, dnnl_format_tag_undef, false);
    dnnl_memory_desc_t weights = matrix_desc(COLUMNS, COLUMNS);
    for (size_t i = 0; i < COUNT(others) * COUNT(tags); i++) {
        const size_t which = i / COUNT(tags);
        const dnnl_format_tag_t tag = tags[i % COUNT(tags)];
        dnnl_primitive_desc_t pd = NULL;
        dnnl_memory_desc_t mask = NULL;
        dnnl_primitive_attr_t attr = new_attr();
        EXPECT_OK(dnnl_memory_desc_create_with_tag(&mask, ranks[which],
                others[which], dnnl_u8,
                tag == dnnl_ab && ranks[which] == 1 ? dnnl_a : tag));
        EXPECT_OK(dnnl_primitive_attr_set_dropout(attr, mask));
        EXPECT_STATUS(dnnl_unimplemented,
                dnnl_matmul_primitive_desc_create(
                        &pd, rig->engine, dst, weights, NULL, dst, attr));
        dnnl_primitive_attr_destroy(attr);
        dnnl_memory_desc_destroy(mask);
    }
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
}

static bool is_rounded(int kind)
{
    return kind == DRAFT_MATMUL || kind == DRAFT_CONVOLUTION
           || kind == DRAFT_REORDER;
}

/* As by oneDNN's GPU engines. */
TEST_RIG(RandomAttributes, AreRefusedByOtherKinds)
{
    for (int kind = 0; kind < DRAFT_KINDS; kind++) {
        must(dnnl_primitive_attr_set_dropout(
                draft_new_attr(), draft_matrix(dnnl_u8)));
        EXPECT_STATUS(kind == DRAFT_MATMUL ? dnnl_success : dnnl_unimplemented,
                draft_kind(rig->engine, kind));
        must(dnnl_primitive_attr_set_rounding(
                draft_new_attr(), DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
        EXPECT_STATUS(is_rounded(kind) ? dnnl_success : dnnl_unimplemented,
                draft_kind(rig->engine, kind));
        must(dnnl_primitive_attr_set_rounding(draft_new_attr(),
                DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic));
        EXPECT_STATUS(is_rounded(kind) ? dnnl_success : dnnl_unimplemented,
                draft_kind(rig->engine, kind));
    }
}

static dnnl_status_t try_rounded_move(dnnl_engine_t engine, dnnl_data_type_t to)
{
    must(dnnl_primitive_attr_set_rounding(
            draft_new_attr(), DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    return draft_reorder(
            draft_matrix(dnnl_f32), engine, draft_matrix(to), engine);
}

/* A number of s32 has more digits than a float; of s4 and u4 no kernel rounds.
 */
TEST_RIG(RandomAttributes, RoundToTypesOfFewDigits)
{
    static const dnnl_data_type_t taken[] = {
            dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s8, dnnl_u8};
    static const dnnl_data_type_t others[] = {dnnl_s32, dnnl_s4, dnnl_u4};
    for (size_t i = 0; i < COUNT(taken); i++)
        EXPECT_OK(try_rounded_move(rig->engine, taken[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        EXPECT_STATUS(
                dnnl_unimplemented, try_rounded_move(rig->engine, others[i]));
}

/* ---- Execution ----------------------------------------------------------- */

enum { ARGUMENTS = 7 };

/* All that an execution gets. */
struct run {
    struct rig rig;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t args[ARGUMENTS];
};

static dnnl_memory_t memory_of(
        const struct run *run, const_dnnl_memory_desc_t md)
{
    dnnl_memory_t memory = NULL;
    EXPECT_OK(dnnl_memory_create(
            &memory, md, run->rig.engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

static void open_run(struct run *run, const struct setting *setting)
{
    static const int args[ARGUMENTS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
            DNNL_ARG_DST, DNNL_ARG_ATTR_DROPOUT_MASK,
            DNNL_ARG_ATTR_DROPOUT_PROBABILITY, DNNL_ARG_ATTR_DROPOUT_SEED,
            DNNL_ARG_ATTR_ROUNDING_SEED};
    memset(run, 0, sizeof *run);
    rig_open(&run->rig, 0);
    ASSERT_OK(describe(&run->pd, run->rig.engine, setting));
    ASSERT_OK(dnnl_primitive_create(&run->primitive, run->pd));
    ASSERT_OK(dnnl_stream_create(
            &run->stream, run->rig.engine, dnnl_stream_default_flags));
    for (int i = 0; i < ARGUMENTS; i++) {
        const bool is_mask = args[i] == DNNL_ARG_ATTR_DROPOUT_MASK;
        dnnl_memory_desc_t known = matrix_of(
                is_mask ? dnnl_u8 : dnnl_f32, dnnl_format_tag_undef, false);
        const bool is_known = setting->any_rows && i != 1 && i < 4;
        run->args[i] = (dnnl_exec_arg_t){args[i],
                memory_of(run, is_known ? known : argument(run->pd, args[i]))};
        dnnl_memory_desc_destroy(known);
    }
}

static dnnl_status_t execute(const struct run *run)
{
    dnnl_status_t st = dnnl_primitive_execute(
            run->primitive, run->stream, ARGUMENTS, run->args);
    EXPECT_OK(dnnl_stream_wait(run->stream));
    return st;
}

static void close_run(struct run *run)
{
    for (int i = 0; i < ARGUMENTS; i++)
        EXPECT_OK(dnnl_memory_destroy(run->args[i].memory));
    EXPECT_OK(dnnl_stream_destroy(run->stream));
    EXPECT_OK(dnnl_primitive_destroy(run->primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(run->pd));
    rig_close(&run->rig);
}

TEST_C(RandomAttributes, NeedEveryArgumentOfTheirs)
{
    struct run run;
    open_run(&run, &both);
    EXPECT_OK(execute(&run));
    for (int i = 0; i < ARGUMENTS; i++) {
        dnnl_memory_t memory = run.args[i].memory;
        run.args[i].memory = NULL;
        EXPECT_STATUS(dnnl_invalid_arguments, execute(&run));
        run.args[i].memory = memory;
    }
    EXPECT_OK(execute(&run));
    close_run(&run);
}

TEST_C(RandomAttributes, NeedMasksThatAreLargeEnough)
{
    const dnnl_dims_t smaller = {ROWS * COLUMNS - 1};
    dnnl_memory_desc_t md = NULL;
    struct run run;
    open_run(&run, &both);
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 1, smaller, dnnl_u8, dnnl_a));
    dnnl_memory_t mask = run.args[3].memory;
    run.args[3].memory = memory_of(&run, md);
    EXPECT_STATUS(dnnl_invalid_arguments, execute(&run));
    EXPECT_OK(dnnl_memory_destroy(run.args[3].memory));
    run.args[3].memory = mask;
    EXPECT_OK(execute(&run));
    dnnl_memory_desc_destroy(md);
    close_run(&run);
}

/* Where only execution tells how many rows there are, the mask has dst's. */
TEST_C(RandomAttributes, NeedMasksOfTheRowsThatDstHas)
{
    const struct setting any_rows = {
            .mask = dnnl_u8, .rounded = DNNL_ARG_DST, .any_rows = true};
    const dnnl_dims_t wrong[][2] = {
            {{ROWS + 1, COLUMNS}, {COLUMNS, 1}}, {{ROWS, COLUMNS}, {9, 1}}};
    struct run run;
    open_run(&run, &any_rows);
    EXPECT_OK(execute(&run));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dnnl_memory_t mask = run.args[3].memory;
        dnnl_memory_desc_t md = NULL;
        ASSERT_OK(dnnl_memory_desc_create_with_strides(
                &md, 2, wrong[i][0], dnnl_u8, wrong[i][1]));
        run.args[3].memory = memory_of(&run, md);
        EXPECT_STATUS(dnnl_invalid_arguments, execute(&run));
        EXPECT_OK(dnnl_memory_destroy(run.args[3].memory));
        dnnl_memory_desc_destroy(md);
        run.args[3].memory = mask;
    }
    EXPECT_OK(execute(&run));
    close_run(&run);
}

/* Rounding of what only backward primitives have needs no seed. */
TEST_RIG(RandomAttributes, OfBackwardPrimitivesNeedNothing)
{
    const struct setting backward = {.rounded = DNNL_ARG_DIFF_WEIGHTS};
    dnnl_primitive_desc_t pd = NULL;
    ASSERT_OK(describe(&pd, rig->engine, &backward));
    EXPECT_EQ(0, dnnl_memory_desc_get_size(
                         argument(pd, DNNL_ARG_ATTR_ROUNDING_SEED)));
    dnnl_primitive_desc_destroy(pd);
}

/* Nor does it matter then where dst's elements lie. */
TEST_RIG(RandomAttributes, OfBackwardPrimitivesLeaveBlocksAlone)
{
    static const int args[] = {
            DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DST};
    dnnl_memory_desc_t src = matrix_desc(ROWS, COLUMNS);
    dnnl_memory_desc_t weights = matrix_desc(COLUMNS, COLUMNS);
    dnnl_memory_desc_t dst = matrix_of(dnnl_f32, dnnl_BA4b4a, false);
    for (int i = 0; i < 3; i++) {
        dnnl_primitive_attr_t attr = new_attr();
        dnnl_primitive_desc_t pd = NULL;
        EXPECT_OK(dnnl_primitive_attr_set_rounding(
                attr, args[i], dnnl_rounding_mode_stochastic));
        EXPECT_STATUS(i < 2 ? dnnl_success : dnnl_unimplemented,
                dnnl_matmul_primitive_desc_create(
                        &pd, rig->engine, src, weights, NULL, dst, attr));
        dnnl_primitive_desc_destroy(pd);
        dnnl_primitive_attr_destroy(attr);
    }
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(src);
}
