/* SPDX-License-Identifier: Apache-2.0 */
/* Random primitives of every kind with a tensor that is empty, executed on a
 * real driver; the seed is printed. What they compute is looked at by the tests
 * of each kind (TakesRandomEmptyTensors, LeavesAnEmptyTensorAlone). */
#include "blank_execution.h"
#include "random_calls.h"
#include "run_primitive.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KINDS = 32, KINDS = 18, EACH = 6, MOST_COMPILED = 2, CALLS = 40000 };

/* How many of a kind were executed, and how many of these had a program. */
struct tally {
    const char *kind;
    int executed;
    int compiled;
};

static struct tally *tally_of(struct tally *tallies, const char *kind)
{
    struct tally *t = tallies;
    while (t < tallies + MAX_KINDS - 1 && t->kind != NULL
            && strcmp(t->kind, kind) != 0)
        t++;
    t->kind = kind;
    return t;
}

/* Programs are what takes time: a kind's first ones do. Those that are there
 * already are not compiled again. */
static void execute(const struct random_call *call, struct tally *t)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t st = dnnl_primitive_create(&primitive, call->pd);
    if (st == dnnl_success)
        st = dnnl_cache_primitive_get_creation_info(primitive, &info);
    if (st == dnnl_success) st = blank_execution_run(call->pd, primitive);
    EXPECT_OK(st);
    dnnl_primitive_destroy(primitive);
    t->executed++;
    t->compiled += info.origin != dnnl_cache_origin_none;
    if (test_has_failed())
        test_fail(__FILE__, __LINE__, "%s, number %d", t->kind, t->executed);
}

TEST_C(EmptyTensors, OfEveryKindAreExecuted)
{
    struct random_calls calls = {.seed = test_seed(), .engine = test_engine()};
    struct tally tallies[MAX_KINDS] = {0};
    int done = 0;
    ASSERT_OK(dnnl_engine_create(&calls.host, dnnl_cpu, 0));
    for (int i = 0; i < CALLS && done < KINDS && !test_has_failed(); i++) {
        struct random_call call;
        random_calls_make(&calls, &call);
        if (call.status != dnnl_success) continue;
        struct tally *t = tally_of(tallies, call.kind);
        if (t->executed < EACH && t->compiled < MOST_COMPILED
                && blank_execution_is_small(call.pd)
                && blank_execution_has_empty(call.pd)) {
            execute(&call, t);
            done += t->executed == EACH || t->compiled == MOST_COMPILED;
        }
        EXPECT_OK(dnnl_primitive_desc_destroy(call.pd));
    }
    for (int i = 0; i < KINDS; i++)
        printf("%-20s %d executed, %d with a program\n",
                tallies[i].kind != NULL ? tallies[i].kind : "-",
                tallies[i].executed, tallies[i].compiled);
    EXPECT_EQ(KINDS, done);
    EXPECT_OK(dnnl_engine_destroy(calls.host));
}
