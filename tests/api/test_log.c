/* SPDX-License-Identifier: Apache-2.0 */
/* The log callback: what it is told, and what it may do. */
#include "identity_process.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

TEST_RIG(LogCallback, GetsTextWithoutANewline)
{
    struct log_capture log;
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_blob_check(rig->engine, 1, (const uint8_t *)"x"));
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_warning));
    /* The capture ends each message itself. */
    EXPECT_TRUE(log.size > 1 && log.text[log.size - 2] != '\n');
    log_capture_stop(&log);
}

static void note_thread(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)text;
    *(pthread_t *)user = pthread_self();
}

static void *check_garbage(void *engine)
{
    (void)dnnl_cache_blob_check(engine, 1, (const uint8_t *)"x");
    return NULL;
}

TEST_C(LogCallback, RunsOnTheThreadThatKnows)
{
    struct rig rig;
    pthread_t told;
    pthread_t thread;
    rig_open(&rig, 0);
    memset(&told, 0, sizeof told);
    EXPECT_OK(dnnl_cache_set_log_callback(note_thread, &told));
    ASSERT_EQ(0, pthread_create(&thread, NULL, check_garbage, rig.engine));
    pthread_join(thread, NULL);
    EXPECT_TRUE(pthread_equal(told, thread));
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    rig_close(&rig);
}

TEST_RIG(LogCallback, IsReplacedByTheNext)
{
    struct log_capture first;
    struct log_capture second;
    log_capture_start(&first);
    log_capture_start(&second);
    check_garbage(rig->engine);
    EXPECT_EQ(0, log_capture_count(&first, dnnl_cache_log_warning));
    EXPECT_EQ(1, log_capture_count(&second, dnnl_cache_log_warning));
    log_capture_stop(&second);
    check_garbage(rig->engine);
    EXPECT_EQ(1, second.counts[dnnl_cache_log_warning]);
    log_capture_stop(&first);
}

/* ---- A callback that calls ----------------------------------------------- */

/* Uses the library from within each message, once inside itself. */
struct caller {
    struct rig *rig;
    bool busy;
    unsigned messages;
    struct bytes bad;
};

static void use_programs(const struct caller *c)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe(c->rig->engine, "bad", "-DFAKE_BUILD_FAILURE");
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    program = build(c->rig->engine, scale_source, "-DINSIDE");
    struct bytes blob = program_blob(program);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

static void use_the_library(const struct caller *c)
{
    dnnl_engine_t engine = NULL;
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&statistics));
    EXPECT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    EXPECT_OK(dnnl_engine_destroy(engine));
    use_programs(c);
    (void)dnnl_cache_blob_check(c->rig->engine, c->bad.size, c->bad.data);
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    /* From inside the probe of this very engine there are no facts yet. */
    dnnl_status_t st = try_relu_desc(&pd, c->rig->engine, 16, 0.0f);
    EXPECT_TRUE(st == dnnl_success || st == dnnl_runtime_error);
    if (pd != NULL) EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
}

static void call_back(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct caller *c = user;
    (void)level;
    (void)text;
    c->messages++;
    if (c->busy) return;
    c->busy = true;
    use_the_library(c);
    c->busy = false;
}

static void caller_start(struct caller *c, struct rig *rig)
{
    memset(c, 0, sizeof *c);
    c->rig = rig;
    c->bad = bytes_copy("no blob", 7);
    EXPECT_OK(dnnl_cache_set_log_callback(call_back, c));
}

static void caller_stop(struct caller *c)
{
    EXPECT_GT(c->messages, 0);
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    bytes_free(&c->bad);
}

/* Each of these would hang if a lock were held around the message. */

TEST_C(LogCallback, MayCallWhileADeviceIsIdentified)
{
    struct rig rig;
    struct caller caller;
    fake_opencl_set("DEVICES", "6");
    rig_open(&rig, 5);
    caller_start(&caller, &rig);
    struct bytes id = engine_id(rig.device); /* logs the driver's parts */
    EXPECT_GT(id.size, 0);
    bytes_free(&id);
    caller_stop(&caller);
    rig_close(&rig);
}

TEST_C(LogCallback, MayCallWhileADeviceIsNotIdentified)
{
    struct rig rig;
    struct caller caller;
    /* Each reason is told once: this is no other test's. */
    fake_opencl_set("DEVICES", "2");
    fake_opencl_set("DEVICE_VENDOR_1", "!-5");
    rig_open(&rig, 1);
    caller_start(&caller, &rig);
    struct bytes id = engine_id(rig.device);
    EXPECT_EQ(0, id.size);
    caller_stop(&caller);
    rig_close(&rig);
}

TEST_RIG(LogCallback, MayCallWhileAProgramDoesNotCompile)
{
    struct caller caller;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, "FAKE_BUILD_FAILURE", NULL);
    caller_start(&caller, rig);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    caller_stop(&caller);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(LogCallback, MayCallWhileABlobIsRefused)
{
    struct caller caller;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    caller_start(&caller, rig);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_program_create_from_cache_blob(
                    &program, desc, 7, (const uint8_t *)"garbage"));
    caller_stop(&caller);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(LogCallback, MayCallWhileTheDriverRefusesABinary)
{
    struct caller caller;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_t cold = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    caller_start(&caller, rig);
    fake_opencl_fail("clCreateProgramWithBinary", 1, CL_INVALID_BINARY);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_cache_program_create_from_cache_blob(
                    &program, desc, blob.size, blob.data));
    caller_stop(&caller);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(LogCallback, MayCallWhileTheProbeFails)
{
    struct caller caller;
    size_t size = 77;
    caller_start(&caller, rig);
    fake_opencl_set("KERNEL_WORK_GROUP_SIZE", "0");
    EXPECT_STATUS(dnnl_runtime_error,
            dnnl_ocl_interop_engine_get_cache_blob(rig->engine, &size, NULL));
    EXPECT_EQ(77, size);
    fake_opencl_set("KERNEL_WORK_GROUP_SIZE", NULL);
    caller_stop(&caller);
}

TEST_RIG(LogCallback, MayCallWhileTheDriverFails)
{
    struct caller caller;
    dnnl_stream_t stream = NULL;
    caller_start(&caller, rig);
    fake_opencl_fail("clCreateCommandQueue", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_stream_create(&stream, rig->engine, dnnl_stream_in_order));
    EXPECT_NULL(stream);
    caller_stop(&caller);
}

/* ---- Without a callback -------------------------------------------------- */

/* What a process prints of a device that cannot be identified, with this value
 * of ONEDNN_VERBOSE: its warning and its information. */
static void expect_verbose(const char *variable, bool warnings, bool details)
{
    const char *const failing[] = {
            variable, "FAKE_OPENCL_DRIVER_VERSION=!-5", NULL};
    const char *const working[] = {variable, NULL};
    static const char *const arguments[] = {"verbose", NULL};
    struct identity process;
    identity_init(&process, failing, arguments);
    EXPECT_EQ(warnings,
            strstr(process.output, "onednn_verbose,v1,dnnl_cache,warn,identity")
                    != NULL);
    identity_fini(&process);
    identity_init(&process, working, arguments);
    EXPECT_EQ(details,
            strstr(process.output, "onednn_verbose,v1,dnnl_cache,info,identity")
                    != NULL);
    identity_fini(&process);
}

TEST_C(Verbose, PrintsErrorsAndWarningsByDefault)
{
    expect_verbose("ONEDNN_VERBOSE=", true, false);
}

TEST_C(Verbose, IsSilencedByNone)
{
    expect_verbose("ONEDNN_VERBOSE=none", false, false);
}

TEST_C(Verbose, LeavesWarningsOutByError)
{
    expect_verbose("ONEDNN_VERBOSE=error", false, false);
}

TEST_C(Verbose, PrintsDetailsByInfo)
{
    expect_verbose("ONEDNN_VERBOSE=info", true, true);
    expect_verbose("ONEDNN_VERBOSE=all", true, true);
    expect_verbose("ONEDNN_VERBOSE=2", true, true);
}

/* How many objects and files the driver is made of, and each on a line. */
TEST_C(Verbose, CountsThePartsOfTheDriver)
{
    static const char line[] = "info,identity: driver: ";
    static const char total[] = "info,identity: the driver is made of ";
    const char *const environment[] = {"ONEDNN_VERBOSE=all", NULL};
    static const char *const arguments[] = {"verbose", NULL};
    struct identity process;
    unsigned long lines = 0;
    identity_init(&process, environment, arguments);
    for (const char *at = process.output; (at = strstr(at, line)) != NULL;
            at += sizeof line)
        lines++;
    EXPECT_GT(lines, 1);
    const char *told = strstr(process.output, total);
    ASSERT_NOT_NULL(told);
    EXPECT_EQ(lines, strtoul(told + sizeof total - 1, NULL, 10));
    identity_fini(&process);
}
