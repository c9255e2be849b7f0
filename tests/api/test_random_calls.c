/* SPDX-License-Identifier: Apache-2.0 */
/* Random creation calls, on the fake driver. The sanitizers watch; the seed is
 * printed. */
#include "blank_execution.h"
#include "log_capture.h"
#include "random_calls.h"
#include "refusals.h"
#include "rig.h"
#include "small_primitives.h"
#include "test.h"

#include <stdlib.h>

enum { EXTREME_CALLS = 60000, SMALL_CALLS = 6000 };

static void open_calls(
        struct rig *rig, struct random_calls *calls, bool is_extreme)
{
    setenv("ONEDNN_VERBOSE", "error,check,dispatch", 1); /* read once */
    rig_open(rig, 0);
    /* The first one compiles a probe. */
    dnnl_primitive_desc_destroy(relu_desc(rig->engine, 16, 0.0f));
    calls->seed = test_seed();
    calls->engine = rig->engine;
    calls->is_extreme = is_extreme;
    ASSERT_OK(dnnl_engine_create(&calls->host, dnnl_cpu, 0));
}

static void close_calls(struct rig *rig, struct random_calls *calls)
{
    EXPECT_OK(dnnl_engine_destroy(calls->host));
    rig_close(rig);
}

/* Compiles, executes. */
static void expect_runs(const struct random_call *call)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t st = dnnl_primitive_create(&primitive, call->pd);
    if (st == dnnl_success) st = blank_execution_run(call->pd, primitive);
    if (st != dnnl_success)
        test_fail(__FILE__, __LINE__, "%s was described, and then: %s",
                call->kind, dnnl_status2str(st));
    dnnl_primitive_destroy(primitive);
}

/* Makes a call, which has an answer; one line, and no other, tells the reason
 * of a refusal. */
static void make_call(struct random_calls *calls, struct random_call *call)
{
    static struct log_capture log;
    log_capture_start(&log);
    random_calls_make(calls, call);
    log_capture_stop(&log);
    unsigned lines = log_capture_count(&log, dnnl_cache_log_info);
    const char *begin = call->status == dnnl_invalid_arguments
                                ? "primitive,create:check,"
                                : "primitive,create:dispatch,";
    bool is_refused = call->status == dnnl_invalid_arguments
                      || call->status == dnnl_unimplemented;
    if (call->status != dnnl_success && !is_refused)
        test_fail(__FILE__, __LINE__, "%s: %s", call->kind,
                dnnl_status2str(call->status));
    if (lines != (is_refused ? 1u : 0u)
            || (is_refused
                    && !log_capture_has(&log, dnnl_cache_log_info, begin)))
        test_fail(__FILE__, __LINE__, "%s, %s: told with\n%s", call->kind,
                dnnl_status2str(call->status), log.text);
    if (log.size > 0) log.text[log.size - 1] = '\0'; /* the newline */
    if (call->status == dnnl_unimplemented && !refusal_is_listed(log.text))
        test_fail(__FILE__, __LINE__, "%s is not in the README: %s", call->kind,
                log.text);
}

TEST_C(RandomCalls, GetAnAnswerWhateverTheNumbers)
{
    struct rig rig;
    struct random_calls calls;
    struct random_call call;
    int created = 0;
    open_calls(&rig, &calls, true);
    for (int i = 0; i < EXTREME_CALLS && !test_has_failed(); i++) {
        make_call(&calls, &call);
        if (call.status != dnnl_success) continue;
        created++;
        if (created % 16 == 0 && blank_execution_is_small(call.pd))
            expect_runs(&call);
        EXPECT_OK(dnnl_primitive_desc_destroy(call.pd));
    }
    EXPECT_GT(created, EXTREME_CALLS / 100);
    close_calls(&rig, &calls);
}

TEST_C(RandomCalls, WhatIsDescribedIsExecuted)
{
    struct rig rig;
    struct random_calls calls;
    struct random_call call;
    int created = 0;
    open_calls(&rig, &calls, false);
    for (int i = 0; i < SMALL_CALLS && !test_has_failed(); i++) {
        make_call(&calls, &call);
        if (call.status != dnnl_success) continue;
        created++;
        if (blank_execution_is_small(call.pd)) expect_runs(&call);
        EXPECT_OK(dnnl_primitive_desc_destroy(call.pd));
    }
    EXPECT_GT(created, SMALL_CALLS / 20);
    close_calls(&rig, &calls);
}
