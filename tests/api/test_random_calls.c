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
#include <string.h>

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
    unsigned lines = 0; /* those of memory descriptors do not count */
    for (const char *at = log.text;
            (at = strstr(at, " primitive,create:")) != NULL; at++)
        lines++;
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
        test_fail(__FILE__, __LINE__,
                "%s is not in docs/reference/onednn.md: %s", call->kind,
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

/* Asked at once after the creation call, before there is a primitive: of every
 * kind. */
TEST_C(RandomCalls, HaveTheirIdBeforeAnythingIsBuilt)
{
    enum { most_kinds = 64, kinds = 18 };
    struct rig rig;
    struct random_calls calls;
    struct random_call call;
    const char *seen[most_kinds];
    int seen_count = 0;
    open_calls(&rig, &calls, false);
    const unsigned long builds = fake_opencl_source_builds();
    const unsigned long programs =
            fake_opencl_count("clCreateProgramWithSource");
    for (int i = 0; i < SMALL_CALLS && !test_has_failed(); i++) {
        int at = 0;
        size_t size = 0;
        make_call(&calls, &call);
        if (call.status != dnnl_success) continue;
        EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(
                call.pd, &size, NULL));
        if (size == 0)
            test_fail(__FILE__, __LINE__, "a %s has no ID", call.kind);
        while (at < seen_count && strcmp(seen[at], call.kind) != 0)
            at++;
        if (at == seen_count && at < most_kinds) seen[seen_count++] = call.kind;
        EXPECT_OK(dnnl_primitive_desc_destroy(call.pd));
    }
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(programs, fake_opencl_count("clCreateProgramWithSource"));
    EXPECT_EQ(kinds, seen_count);
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

/* What draws that lie far apart make of a product: an empty src whose strides
 * only execution tells. Its size is told, as 0, but no memory is made of its
 * descriptor; with one that tells them, it is executed. */
TEST_RIG(RandomCalls, EmptyTensorsMayHaveStridesThatOnlyExecutionTells)
{
    const dnnl_dims_t dims[] = {{0, 4}, {4, 3}, {0, 3}};
    const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    dnnl_memory_desc_t mds[3];
    dnnl_exec_arg_t given[3];
    dnnl_memory_desc_t later;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_memory_t none;
    dnnl_stream_t stream;
    ASSERT_OK(dnnl_stream_create(
            &stream, rig->engine, dnnl_stream_default_flags));
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(dnnl_memory_desc_create_with_strides(
                &mds[i], 2, dims[i], dnnl_f32, NULL));
        given[i].arg = args[i];
        ASSERT_OK(dnnl_memory_create(
                &given[i].memory, mds[i], rig->engine, DNNL_MEMORY_ALLOCATE));
    }
    ASSERT_OK(dnnl_memory_desc_create_with_strides(&later, 2, dims[0], dnnl_f32,
            (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, 1}));
    EXPECT_EQ(0u, dnnl_memory_desc_get_size(later));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_memory_create(&none, later,
                                            rig->engine, DNNL_MEMORY_ALLOCATE));

    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, rig->engine, mds[0], mds[1], NULL, mds[2], NULL));
    EXPECT_TRUE(blank_execution_is_small(pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, rig->engine, later, mds[1], NULL, mds[2], NULL));
    EXPECT_FALSE(blank_execution_is_small(pd));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 3, given));
    EXPECT_OK(dnnl_stream_wait(stream));

    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(later);
    for (int i = 0; i < 3; i++) {
        dnnl_memory_destroy(given[i].memory);
        dnnl_memory_desc_destroy(mds[i]);
    }
}

/* ---- Memory descriptors -------------------------------------------------- */

/* Splits, joins and swaps dimensions, takes a part, and goes through a blob.
 * Whatever comes of it has a size, and is given to the caller. */
static dnnl_memory_desc_t derive(
        struct random_calls *calls, const_dnnl_memory_desc_t md)
{
    int ndims = 0;
    dnnl_dims_t dims, offsets;
    int permutation[DNNL_MAX_NDIMS];
    dnnl_memory_desc_t made = NULL;
    const dnnl_dims_t *known = NULL;
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    EXPECT_OK(dnnl_memory_desc_query(md, dnnl_query_dims, &known));
    for (int d = 0; d < DNNL_MAX_NDIMS; d++) {
        permutation[d] = ndims - 1 - d;
        dims[d] = d < ndims && random_calls_draw(calls, 4) != 0
                          ? (*known)[d]
                          : random_calls_number(calls);
        offsets[d] = random_calls_draw(calls, 2) == 0
                             ? 0
                             : random_calls_number(calls);
    }
    size_t size = 0;
    switch (random_calls_draw(calls, 5)) {
    case 0:
        (void)dnnl_memory_desc_permute_axes(&made, md, permutation);
        break;
    case 1:
        (void)dnnl_memory_desc_create_submemory(&made, md, dims, offsets);
        break;
    case 2: { /* one dimension as two */
        dnnl_dim_t by = 1 + (dnnl_dim_t)random_calls_draw(calls, 4);
        if (ndims == DNNL_MAX_NDIMS) break;
        memcpy(dims, *known, sizeof dims);
        dims[ndims] = by;
        if (dims[ndims - 1] > 0) dims[ndims - 1] /= by;
        (void)dnnl_memory_desc_reshape(&made, md, ndims + 1, dims);
        break;
    }
    case 3:
        (void)dnnl_memory_desc_reshape(&made, md,
                1 + (int)random_calls_draw(calls, DNNL_MAX_NDIMS), dims);
        break;
    default: {
        uint8_t blob[2048];
        size = sizeof blob;
        EXPECT_OK(dnnl_memory_desc_get_blob(blob, &size, md));
        EXPECT_OK(dnnl_memory_desc_create_with_blob(&made, blob));
        EXPECT_TRUE(dnnl_memory_desc_equal(md, made));
        break;
    }
    }
    return made;
}

TEST_C(RandomCalls, DescribeMemoryWhateverTheNumbers)
{
    struct random_calls calls = {.seed = test_seed(), .is_extreme = true};
    int derived = 0;
    for (int i = 0; i < EXTREME_CALLS && !test_has_failed(); i++) {
        dnnl_memory_desc_t md = random_calls_md(&calls);
        for (int j = 0; j < 4 && md != NULL; j++) {
            dnnl_memory_desc_t next = derive(&calls, md);
            /* In bytes, it fits. */
            EXPECT_TRUE(
                    dnnl_memory_desc_get_size(md) <= INT64_MAX
                    || dnnl_memory_desc_get_size(md) == DNNL_RUNTIME_SIZE_VAL);
            derived += next != NULL;
            dnnl_memory_desc_destroy(md);
            md = next;
        }
        dnnl_memory_desc_destroy(md);
    }
    EXPECT_GT(derived, EXTREME_CALLS / 4);
}
