/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNNL_CACHE_COMPILE_MODE and DNNL_CACHE_MIN_COMPILE_MS: what is not there
 * fails as a source that does not compile does, is compiled in place of what is
 * there, or is compared with it; what compiles fast is not kept.
 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODE "DNNL_CACHE_COMPILE_MODE="
#define OWN_HEADER "FAKE_OPENCL_OWN_HEADER="

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";
/* What the driver reads before it says what the arguments are. */
static const char source_of_header[] = "kernel void one(ARGUMENTS) { }";
static const char one_argument[] =
        OWN_HEADER "#define ARGUMENTS global float *x\n";
static const char two_arguments[] =
        OWN_HEADER "#define ARGUMENTS global float *x, global float *y\n";
/* If the compiler meets it, the process ends. */
static const char deadly[] =
        "/* fate: crash */ kernel void one(global float *x) { *x = 1.0f; }";

static const char *const cached_only[] = {
        MODE "cached_only", "FAKE_OPENCL_DEADLY_SOURCES=1", NULL};
static const char *const cached_only_mildly[] = {MODE "cached_only", NULL};
static const char *const cached_only_two[] = {MODE "cached_only",
        "FAKE_OPENCL_DEADLY_SOURCES=1", "FAKE_OPENCL_DEVICES=2",
        "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", NULL};
static const char *const cached_only_il[] = {
        MODE "cached_only", "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
static const char *const with_il[] = {
        "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};

/* ---- What is said -------------------------------------------------------- */

static const char *said_path(void)
{
    static char path[600];
    (void)snprintf(path, sizeof path, "%s/said", test_directory());
    return path;
}

/* Standard error, to its end. */
static void listen_to_process(void)
{
    const int fd =
            open(said_path(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_TRUE(fd >= 0);
    ASSERT_EQ(STDERR_FILENO, dup2(fd, STDERR_FILENO));
    (void)close(fd);
}

static void expect_said(const char *text)
{
    char *said = layer_process_read_file(said_path());
    ASSERT_NOT_NULL(said);
    if (strstr(said, text) == NULL)
        test_fail(__FILE__, __LINE__, "not said: %s, but: %s", text, said);
    free(said);
}

/* ---- Failing ------------------------------------------------------------- */

static void expect_failed(
        const struct application *a, cl_program program, const char *options)
{
    for (cl_uint i = 0; i < a->device_count; i++) {
        cl_build_status status = 77;
        cl_program_binary_type type = 77;
        char text[2048] = "";
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        /* The fake driver ends with the first device that fails. */
        EXPECT_TRUE(status != CL_BUILD_SUCCESS);
        if (i > 0) continue;
        EXPECT_EQ(CL_BUILD_ERROR, status);
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
        EXPECT_EQ(CL_PROGRAM_BINARY_TYPE_NONE, type);
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
        EXPECT_NOT_NULL(strstr(text, MODE "cached_only"));
        if (options == NULL) continue; /* of a link, which may have no ID */
        EXPECT_NOT_NULL(strstr(text, MODE "normal"));
        EXPECT_NOT_NULL(strstr(text, "DNNL_CACHE_DIR"));
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
        EXPECT_STR_EQ(options, text);
    }
}

static void expect_no_kernel(cl_program program)
{
    cl_int error = CL_SUCCESS;
    EXPECT_NULL(clCreateKernel(program, "one", &error));
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE, error);
}

static void fail_to_build(void *user)
{
    struct application a;
    char text[256] = "";
    application_open(&a, *(cl_uint *)user);
    cl_program program = program_of_source(&a, deadly);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
                clBuildProgram(program, 0, NULL, "-DX=1", NULL, NULL));
        expect_failed(&a, program, "-DX=1");
        expect_no_kernel(program);
    }
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_SOURCE,
                                  sizeof text, text, NULL));
    EXPECT_STR_EQ(deadly, text);
    /* Wrong arguments are the driver's to refuse. */
    EXPECT_EQ(
            CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, "", NULL, NULL));
    expect_failed(&a, program, "-DX=1");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyFailsAsASourceDoesThatIsWrong)
{
    ASSERT_EQ(0, run_application(cached_only, fail_to_build, &(cl_uint){1}));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(0, counted("hits"));
    EXPECT_GE(missed_by("missing"), 2);
    ASSERT_EQ(
            0, run_application(cached_only_two, fail_to_build, &(cl_uint){2}));
    EXPECT_EQ(0, counted("kept"));
}

static void CL_CALLBACK note_call(cl_program program, void *user)
{
    (void)program;
    ++*(int *)user;
}

static void fail_later(void *user)
{
    struct application a;
    cl_platform_id platform = NULL;
    int calls = 0;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, deadly);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a.devices[0], CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    (void)clBuildProgram(program, 0, NULL, "", note_call, &calls);
    /* What comes later comes here. */
    EXPECT_EQ(CL_SUCCESS, clUnloadPlatformCompiler(platform));
    EXPECT_EQ(1, calls);
    expect_failed(&a, program, "");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyCallsBack)
{
    static const char *const later[] = {MODE "cached_only",
            "FAKE_OPENCL_DEADLY_SOURCES=1", "FAKE_OPENCL_CALLBACK_LATER=1",
            NULL};
    ASSERT_EQ(0, run_application(cached_only, fail_later, NULL));
    ASSERT_EQ(0, run_application(later, fail_later, NULL));
}

/* ---- What is there ------------------------------------------------------- */

static void use_one(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use_program(&a, "one", "-DA");
    application_close(&a);
}

/* A program may fail and be there, in turns. */
static void use_in_turns(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 2; i++) {
        build(program, "-DA");
        expect_built(program, a.devices[0], "-DA", "one");
        EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
                clBuildProgram(program, 0, NULL, "-DB", NULL, NULL));
        expect_failed(&a, program, "-DB");
        EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE,
                clCompileProgram(
                        program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
        expect_failed(&a, program, "");
    }
    build(program, "-DA");
    cl_kernel kernel = clCreateKernel(program, "one", NULL);
    EXPECT_NOT_NULL(kernel);
    EXPECT_EQ(CL_INVALID_OPERATION,
            clBuildProgram(program, 0, NULL, "-DB", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    expect_built(program, a.devices[0], "-DA", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyLoadsWhatIsThere)
{
    ASSERT_EQ(0, run_application(NULL, use_one, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(cached_only_mildly, use_in_turns, NULL));
    EXPECT_EQ(3, counted("hits"));
    EXPECT_EQ(0, counted("kept"));
}

/* ---- Objects, links, IL, binaries ---------------------------------------- */

struct links {
    bool is_there;    /* what is linked */
    bool is_compiled; /* what it is linked of */
};

static void compile_and_link(void *user)
{
    const struct links *links = user;
    struct application a;
    cl_int error = 77;
    listen_to_process();
    application_open(&a, 1);
    cl_program object = program_of_source(&a, source);
    EXPECT_EQ(links->is_compiled ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE,
            clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    if (!links->is_compiled) expect_failed(&a, object, "");
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, "", 1, &object, NULL, NULL, &error);
    if (links->is_there) {
        EXPECT_EQ(CL_SUCCESS, error);
        expect_built(linked, a.devices[0], "", "one");
    } else {
        EXPECT_EQ(CL_LINK_PROGRAM_FAILURE, error);
        EXPECT_NOT_NULL(linked);
        expect_failed(&a, linked, NULL);
        expect_no_kernel(linked);
    }
    if (linked != NULL) EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

static void compile_alone(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program object = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyFailsToCompileAndToLink)
{
    ASSERT_EQ(0, run_application(cached_only, compile_and_link,
                         &(struct links){false, false}));
    ASSERT_EQ(0, run_application(NULL, compile_alone, NULL));
    ASSERT_EQ(0, run_application(cached_only, compile_and_link,
                         &(struct links){false, true}));
    ASSERT_EQ(0, run_application(
                         NULL, compile_and_link, &(struct links){true, true}));
    ASSERT_EQ(0, run_application(cached_only, compile_and_link,
                         &(struct links){true, true}));
    EXPECT_EQ(0, counted("misses"));
}

static void link_later(void *user)
{
    struct application a;
    int calls = 0;
    cl_int error = 77;
    (void)user;
    application_open(&a, 1);
    cl_program object = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, "", 1, &object, note_call, &calls, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(1, calls);
    expect_failed(&a, linked, NULL);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyCallsBackAboutALink)
{
    ASSERT_EQ(0, run_application(NULL, compile_alone, NULL));
    ASSERT_EQ(0, run_application(cached_only, link_later, NULL));
}

struct il {
    bool is_there;
    cl_uint constant;
};

/* The constants are in the ID: another one is another program. */
static void use_il(void *user)
{
    const struct il *il = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_il(&a, source);
    EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(program, 3,
                                  sizeof il->constant, &il->constant));
    if (il->is_there) {
        build(program, "");
        expect_built(program, a.devices[0], "", "one");
    } else {
        EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
                clBuildProgram(program, 0, NULL, "", NULL, NULL));
        expect_failed(&a, program, "");
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyFailsForIl)
{
    static const char *const verify[] = {
            MODE "verify", "FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    ASSERT_EQ(
            0, run_application(cached_only_il, use_il, &(struct il){false, 5}));
    ASSERT_EQ(0, run_application(with_il, use_il, &(struct il){true, 5}));
    ASSERT_EQ(
            0, run_application(cached_only_il, use_il, &(struct il){true, 5}));
    EXPECT_EQ(1, counted("hits"));
    ASSERT_EQ(
            0, run_application(cached_only_il, use_il, &(struct il){false, 6}));
    EXPECT_EQ(0, counted("hits"));
    ASSERT_EQ(0, run_application(verify, use_il, &(struct il){true, 5}));
    EXPECT_EQ(1, counted("hits"));
}

/* The application's own binaries are nothing that is compiled. */
static void use_binary(void *user)
{
    struct application a;
    size_t size = 0;
    cl_int error = 77;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA");
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size + 1);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                  sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes;
    cl_program again = clCreateProgramWithBinary(
            a.context, 1, a.devices, &size, &binary, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    build(again, "");
    expect_built(again, a.devices[0], "", "one");
    free(bytes);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(again));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, CachedOnlyPassesBinariesOn)
{
    ASSERT_EQ(0, run_application(NULL, use_one, NULL));
    ASSERT_EQ(0, run_application(cached_only_mildly, use_binary, NULL));
}

/* ---- Entries that are not what is compiled now --------------------------- */

/* The fake driver reads a text that is in no ID: so the entry is wrong. */
static void expect_arguments(void *user)
{
    struct application a;
    cl_uint count = 77;
    listen_to_process();
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source_of_header);
    build(program, "");
    cl_kernel kernel = clCreateKernel(program, "one", NULL);
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS,
                                  sizeof count, &count, NULL));
    EXPECT_EQ(*(cl_uint *)user, count);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerModes, RecompileReplacesWhatIsThere)
{
    static const char *const first[] = {one_argument, NULL};
    static const char *const second[] = {two_arguments, NULL};
    static const char *const again[] = {two_arguments, MODE "recompile", NULL};
    ASSERT_EQ(0, run_application(first, expect_arguments, &(cl_uint){1}));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(second, expect_arguments, &(cl_uint){1}));
    EXPECT_EQ(1, counted("hits"));
    ASSERT_EQ(0, run_application(again, expect_arguments, &(cl_uint){2}));
    EXPECT_EQ(0, counted("hits"));
    EXPECT_EQ(1, missed_by("recompile"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(first, expect_arguments, &(cl_uint){2}));
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerModes, RecompileReplacesWhatIsLinked)
{
    static const char *const again[] = {MODE "recompile", NULL};
    ASSERT_EQ(0, run_application(
                         NULL, compile_and_link, &(struct links){true, true}));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(
                         again, compile_and_link, &(struct links){true, true}));
    EXPECT_EQ(0, counted("hits"));
    EXPECT_EQ(2, missed_by("recompile"));
    EXPECT_EQ(2, counted("kept"));
}

TEST_C(LayerModes, VerifyFindsWhatIsNotWhatIsCompiled)
{
    static const char *const first[] = {one_argument, NULL};
    static const char *const same[] = {one_argument, MODE "verify", NULL};
    static const char *const other[] = {two_arguments, MODE "verify", NULL};
    ASSERT_EQ(0, run_application(first, expect_arguments, &(cl_uint){1}));
    ASSERT_EQ(0, run_application(same, expect_arguments, &(cl_uint){1}));
    EXPECT_EQ(1, counted("hits"));
    expect_said("verify: 1 programs compared, 0 differ, 0 not compared\n");
    expect_said("verify: machine code compared and the same: 1 programs\n");
    ASSERT_EQ(0, run_application(other, expect_arguments, &(cl_uint){2}));
    EXPECT_EQ(0, counted("hits"));
    EXPECT_EQ(1, missed_by("differs"));
    EXPECT_EQ(1, counted("kept"));
    expect_said("the number of a kernel's arguments of one: 1, compiled now 2");
    expect_said("verify: 1 programs compared, 1 differ, 0 not compared\n");
    ASSERT_EQ(0, run_application(first, expect_arguments, &(cl_uint){2}));
    EXPECT_EQ(1, counted("hits"));
}

static void use_loudly(void *user)
{
    listen_to_process();
    use_one(user);
}

static void use_two_devices(void *user)
{
    struct application a;
    (void)user;
    listen_to_process();
    application_open(&a, 2);
    use_program(&a, "one", "-DA");
    application_close(&a);
}

/* Of such a driver two binaries of one program differ, and nothing is wrong. */
TEST_C(LayerModes, VerifyTellsOfADriverThatCompilesNothingTwice)
{
    static const char *const first[] = {"FAKE_OPENCL_VARIES=1", NULL};
    static const char *const verify[] = {
            "FAKE_OPENCL_VARIES=1", MODE "verify", NULL};
    ASSERT_EQ(0, run_application(first, use_loudly, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(verify, use_loudly, NULL));
    EXPECT_EQ(1, counted("hits"));
    expect_said("verify: 1 programs compared, 0 differ, 0 not compared\n");
    expect_said("verify: machine code compared and the same: 0 programs\n");
    expect_said("not compared, or not all of it: 1 programs (this driver does "
                "not compile the same twice)\n");
}

/* Each device has an entry. */
TEST_C(LayerModes, VerifyComparesTheCodeOfEachDevice)
{
    static const char *const two[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", NULL};
    static const char *const verify[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", MODE "verify", NULL};
    ASSERT_EQ(0, run_application(two, use_two_devices, NULL));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(verify, use_two_devices, NULL));
    EXPECT_EQ(1, counted("hits"));
    expect_said("verify: 1 programs compared, 0 differ, 0 not compared\n");
    expect_said("verify: machine code compared and the same: 1 programs\n");
}

TEST_C(LayerModes, VerifyTellsThatLinksAreNotCompared)
{
    static const char *const verify[] = {MODE "verify", NULL};
    ASSERT_EQ(0, run_application(
                         NULL, compile_and_link, &(struct links){true, true}));
    ASSERT_EQ(0, run_application(verify, compile_and_link,
                         &(struct links){true, true}));
    EXPECT_EQ(2, counted("hits"));
    expect_said(", 0 differ, 1 not compared\n");
}

/* ---- What compiles fast -------------------------------------------------- */

TEST_C(LayerModes, WhatCompilesFasterIsNotKept)
{
    static const char *const slow[] = {
            "DNNL_CACHE_MIN_COMPILE_MS=100000", NULL};
    static const char *const fast[] = {"DNNL_CACHE_MIN_COMPILE_MS=5", NULL};
    ASSERT_EQ(0, run_application(slow, use_one, NULL));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(0, missed_by("missing"));
    EXPECT_EQ(1, missed_by("too_fast"));
    EXPECT_EQ(0, counted("not_kept"));
    ASSERT_EQ(0, run_application(
                         slow, compile_and_link, &(struct links){true, true}));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(2, missed_by("too_fast"));
    ASSERT_EQ(0, run_application(fast, use_one, NULL));
    EXPECT_EQ(1, missed_by("missing"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(slow, use_one, NULL));
    EXPECT_EQ(1, counted("hits"));
}
