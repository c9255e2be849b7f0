/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of the application's own: description, creation, kernels, logs. */
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(ProgramDesc, CopiesWhatItIsGiven)
{
    struct rig rig;
    char source[] = "__kernel void mine(void) {}";
    char options[] = "-DA=1";
    const char *sources[] = {source};
    size_t lengths[] = {0};
    dnnl_cache_program_desc_t desc = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_cache_program_desc_create(
            &desc, rig.engine, 1, sources, lengths, options));
    memset(source, 'x', sizeof source - 1);
    memset(options, 'x', sizeof options - 1);
    sources[0] = NULL;
    lengths[0] = 77;
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "mine");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(ProgramDesc, JoinsItsSources)
{
    struct rig rig;
    static const char *const sources[] = {
            "__kernel void ", "mine", "(void) {}"};
    dnnl_cache_program_desc_t desc = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_cache_program_desc_create(
            &desc, rig.engine, 3, sources, NULL, NULL));
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "mine");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* A length ends a string that goes on; 0 means up to the NUL. */
TEST_C(ProgramDesc, TakesLengthsOfItsSources)
{
    struct rig rig;
    static const char *const sources[] = {
            "__kernel void mine FAKE_BUILD_FAILURE", "(void) {}"};
    static const size_t lengths[] = {18, 0};
    dnnl_cache_program_desc_t desc = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_cache_program_desc_create(
            &desc, rig.engine, 2, sources, lengths, NULL));
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "mine");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_RIG(ProgramDesc, PassesItsOptionsToTheCompiler)
{
    dnnl_cache_program_t program =
            build(rig->engine, "__kernel void NAME(void) {}", "-DNAME=named");
    expect_kernel(program, "named");
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(ProgramDesc, BuildsNothing)
{
    unsigned long calls = fake_opencl_total_calls();
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_EQ(calls, fake_opencl_total_calls());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramDesc, MayGoBeforeItsPrograms)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    expect_kernel(program, "scale");
    struct bytes blob = program_blob(program);
    EXPECT_GT(blob.size, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(ProgramDesc, AndProgramMayOutliveTheEnginesHandle)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_C(ProgramDesc, IsNotOfTheHost)
{
    dnnl_engine_t host = NULL;
    dnnl_cache_program_desc_t desc = (dnnl_cache_program_desc_t)&host;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_cache_program_desc_create(&desc, host,
                                            1, &scale_source, NULL, NULL));
    EXPECT_PTR_EQ(&host, desc);
    EXPECT_OK(dnnl_engine_destroy(host));
}

/* ---- Kernels ------------------------------------------------------------- */

TEST_RIG(Program, GivesKernelsByName)
{
    char name[32] = "";
    cl_kernel kernel = NULL;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "fill", &kernel));
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
                                  sizeof name, name, NULL));
    EXPECT_STR_EQ("fill", name);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* A kernel carries its arguments: each caller gets one of its own. */
TEST_RIG(Program, GivesAFreshKernelEachTime)
{
    cl_kernel first = NULL;
    cl_kernel second = NULL;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "scale", &first));
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "scale", &second));
    EXPECT_TRUE(first != second);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(first));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(second));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, RefusesAnUnknownKernel)
{
    struct log_capture log;
    cl_kernel kernel = (cl_kernel)rig;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_get_kernel(program, "scal", &kernel));
    EXPECT_PTR_EQ(rig, kernel);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, ItsKernelsLiveOn)
{
    cl_kernel kernel = NULL;
    float a = 2.0f;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "scale", &kernel));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof a, &a));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
}

TEST_RIG(Program, LendsItsProgramObject)
{
    cl_program object = NULL;
    cl_program again = NULL;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    ASSERT_NOT_NULL(object);
    cl_uint references = program_references(object);
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &again));
    EXPECT_PTR_EQ(object, again);
    EXPECT_EQ(references, program_references(object));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Builds that fail ---------------------------------------------------- */

static const char *const bad_source =
        "__kernel void k(void) { FAKE_BUILD_FAILURE }";

TEST_RIG(Program, ThatDoesNotCompileIsAnError)
{
    struct log_capture log;
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    struct fake_opencl_objects alive;
    fake_opencl_set("BUILD_LOG", "line 7: no such thing\n");
    dnnl_cache_program_desc_t desc = describe(rig->engine, bad_source, NULL);
    log_capture_start(&log);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_PTR_EQ(rig, program);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_error, "build log"));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_error, "no such thing"));
    log_capture_stop(&log);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(Program, OptionsThatAreRefusedAreAnError)
{
    struct log_capture log;
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, scale_source, "no option");
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    EXPECT_PTR_EQ(rig, program);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Failures are not kept. */
TEST_RIG(Program, IsCompiledAgainAfterAFailure)
{
    struct log_capture log;
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    EXPECT_STATUS(
            dnnl_runtime_error, dnnl_cache_program_create(&program, desc));
    log_capture_stop(&log);
    program = create(desc);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* A lack of memory is tried again once, with nothing kept. */
TEST_RIG(Program, IsCompiledAgainIfMemoryRanOut)
{
    struct log_capture log;
    dnnl_cache_program_t other = build(rig->engine, scale_source, "-DOTHER");
    EXPECT_OK(dnnl_cache_program_destroy(other));
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    log_capture_stop(&log);
    expect_kernel(program, "scale");
    /* What was kept had to go. */
    unsigned long builds = fake_opencl_source_builds();
    other = build(rig->engine, scale_source, "-DOTHER");
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(other));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Build logs ---------------------------------------------------------- */

static char *log_of(dnnl_cache_program_t program)
{
    struct bytes b = query_bytes(query_program_log, program);
    EXPECT_GT(b.size, 0);
    if (b.size > 0) EXPECT_EQ('\0', b.data[b.size - 1]);
    return (char *)b.data;
}

TEST_RIG(Program, TellsTheCompilersLog)
{
    fake_opencl_set("BUILD_LOG", "warning: slow\n");
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    char *log = log_of(program);
    EXPECT_STR_EQ("warning: slow\n", log);
    free(log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, LogFollowsTheRuleOfSizes)
{
    fake_opencl_set("BUILD_LOG", "a remark");
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    expect_size_query(query_program_log, program);
    struct bytes blob = program_blob(program); /* captures */
    expect_size_query(query_program_log, program);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, WithoutRemarksHasAnEmptyLog)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    char *log = log_of(program);
    EXPECT_STR_EQ("", log);
    free(log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, TellsTheSameLogWarm)
{
    fake_opencl_set("BUILD_LOG", "warning: slow\n");
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t cold = create(desc);
    struct bytes blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(rig->engine)); /* forgets the program */
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));

    fake_opencl_set("BUILD_LOG", "from a binary\n");
    desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t warm = create_from(desc, &blob);
    char *log = log_of(warm);
    EXPECT_STR_EQ("warning: slow\n", log);
    free(log);
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bytes_free(&blob);
}

/* ---- Creation info ------------------------------------------------------- */

TEST_RIG(Program, CreationInfoTellsOfTheCompilation)
{
    fake_opencl_set("BUILD_MS", "5");
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    dnnl_cache_creation_info_t info = info_of(program);
    EXPECT_EQ(dnnl_cache_origin_compiled, info.origin);
    EXPECT_STATUS(dnnl_success, info.blob_status);
    EXPECT_STR_EQ("", info.blob_reason);
    EXPECT_STR_EQ("", info.not_cacheable_reason);
    EXPECT_GE(info.driver_ns, 5000000);
    EXPECT_GE(info.total_ns, info.driver_ns);
    EXPECT_EQ(0, info.blob_bytes);
    EXPECT_EQ(0, info.binary_bytes);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, CreationInfoTellsTheBinarysSizeOnceCaptured)
{
    dnnl_cache_blob_info_t blob_info = DNNL_CACHE_BLOB_INFO_INIT;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    ASSERT_OK(dnnl_cache_blob_inspect(blob.size, blob.data, &blob_info));
    EXPECT_EQ(blob_info.binary_bytes, info_of(program).binary_bytes);
    EXPECT_GT(blob_info.binary_bytes, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Capture ------------------------------------------------------------- */

TEST_RIG(Program, IsCapturedOnce)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(program));
    struct bytes first = program_blob(program);
    unsigned long calls = fake_opencl_total_calls();
    EXPECT_OK(dnnl_cache_program_capture(program));
    struct bytes second = program_blob(program);
    /* The driver is never asked again. */
    EXPECT_EQ(calls, fake_opencl_total_calls());
    EXPECT_TRUE(bytes_equal(&first, &second));
    bytes_free(&first);
    bytes_free(&second);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, IsNotAskedForItsBinaryUnlessCaptured)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    expect_kernel(program, "scale");
    EXPECT_EQ(0, fake_opencl_count("clGetProgramInfo"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Program, MayBeCapturedAfterUse)
{
    cl_kernel kernel = NULL;
    cl_int error;
    float a = 2.0f;
    const size_t global = 4;
    cl_command_queue queue =
            clCreateCommandQueue(rig->context, rig->device, 0, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_mem memory =
            clCreateBuffer(rig->context, CL_MEM_READ_WRITE, 16, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "scale", &kernel));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof a, &a));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL,
                                  &global, NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    /* There is no store to capture it for. */
    EXPECT_OK(dnnl_cache_program_capture(program));
    EXPECT_EQ(0, info_of(program).binary_bytes);
    size_t size = 0;
    EXPECT_OK(dnnl_cache_program_get_cache_blob(program, &size, NULL));
    EXPECT_GT(info_of(program).binary_bytes, 0);
    clReleaseKernel(kernel);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}
