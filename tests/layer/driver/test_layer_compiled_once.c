/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does not compile a program again with the options that it was
 * compiled with last, as Intel's for CPUs: what it refuses without the layer,
 * it refuses under it, whatever was asked in between. Intel's runtime 2026.22
 * answers all of this so. */
#include "application.h"

#include "test.h"

static const char *const as_intel[] = {
        "FAKE_OPENCL_PLATFORM_NAME=Intel(R) OpenCL", "FAKE_OPENCL_INTEL_CPU=1",
        "FAKE_OPENCL_DEVICES=2", NULL};

static cl_program new_program(const struct application *a)
{
    return program_of_source(a, "#ifdef BY\n#endif\n"
                                "kernel void one(global float *x) { *x = 1; }");
}

/* For the device, or all for NULL. */
static cl_int compile(
        cl_program program, const cl_device_id *device, const char *options)
{
    return clCompileProgram(program, device != NULL ? 1 : 0, device, options, 0,
            NULL, NULL, NULL, NULL);
}

/* For each device. */
static void expect_compiled(
        const struct application *a, cl_program program, const char *options)
{
    for (cl_uint i = 0; i < a->device_count; i++) {
        char actual[16] = "";
        cl_build_status status = 77;
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BUILD_OPTIONS, sizeof actual, actual, NULL));
        EXPECT_STR_EQ(options, actual);
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramBuildInfo(program, a->devices[i],
                        CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        EXPECT_EQ(CL_BUILD_SUCCESS, status);
    }
}

/* ---- With options in turn ------------------------------------------------ */

static void compile_in_turns(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = new_program(&a);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(CL_SUCCESS, compile(program, NULL, i % 2 ? "-DBY" : ""));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerCompiledOnce, IsKeptWithOneAndOtherOptions)
{
    ASSERT_EQ(0, run_application(as_intel, compile_in_turns, NULL));
    ASSERT_EQ(0, run_application(as_intel, compile_in_turns, NULL));
    EXPECT_EQ(4, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
}

/* ---- After a call that fails and changes nothing ------------------------- */

enum fault { fault_user, fault_count, fault_stranger, fault_build, faults };

static void fail_once(cl_program program, enum fault fault)
{
    int user = 0;
    const cl_device_id stranger = NULL;
    switch (fault) {
    case fault_user:
        EXPECT_EQ(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "-DBY",
                                            0, NULL, NULL, NULL, &user));
        break;
    case fault_count:
        EXPECT_EQ(CL_INVALID_VALUE, clCompileProgram(program, 1, NULL, "-DBY",
                                            0, NULL, NULL, NULL, NULL));
        break;
    case fault_stranger:
        EXPECT_EQ(CL_INVALID_DEVICE, compile(program, &stranger, "-DBY"));
        break;
    default:
        EXPECT_EQ(CL_INVALID_VALUE,
                clBuildProgram(program, 0, NULL, "-DBY", NULL, &user));
        break;
    }
}

static void compile_after_failures(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    for (enum fault fault = 0; fault < faults; fault++) {
        cl_program program = new_program(&a);
        EXPECT_EQ(CL_SUCCESS, compile(program, NULL, ""));
        fail_once(program, fault);
        EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE, compile(program, NULL, NULL));
        expect_compiled(&a, program, "");
        EXPECT_EQ(CL_SUCCESS, compile(program, NULL, "-DBY"));
        expect_compiled(&a, program, "-DBY");
        EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE, compile(program, NULL, "-DBY"));
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    application_close(&a);
}

TEST_C(LayerCompiledOnce, IsRefusedAfterACallThatFailed)
{
    ASSERT_EQ(0, run_application(as_intel, compile_after_failures, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(as_intel, compile_after_failures, NULL));
    EXPECT_EQ(faults, counted("hits"));
}

static void CL_CALLBACK ignore(cl_program program, void *user)
{
    (void)program;
    (void)user;
}

/* Nothing is wrong with the call. The object was loaded, so the driver compiles
 * that first. */
static void compile_after_refusal(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = new_program(&a);
    EXPECT_EQ(CL_SUCCESS, compile(program, NULL, ""));
    fake_opencl_fail("clCompileProgram", 2, CL_INVALID_OPERATION);
    EXPECT_EQ(CL_INVALID_OPERATION, clCompileProgram(program, 0, NULL, "-DNEW",
                                            0, NULL, NULL, ignore, NULL));
    EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE, compile(program, NULL, ""));
    expect_compiled(&a, program, "");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerCompiledOnce, IsRefusedAfterACallThatTheDriverRefused)
{
    ASSERT_EQ(0, run_application(as_intel, compile_in_turns, NULL));
    ASSERT_EQ(0, run_application(as_intel, compile_after_refusal, NULL));
    EXPECT_EQ(1, counted("hits"));
}

/* ---- After a compilation for some devices -------------------------------- */

static void compile_in_parts(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 2);
    cl_program program = new_program(&a);
    EXPECT_EQ(CL_SUCCESS, compile(program, NULL, ""));
    EXPECT_EQ(CL_SUCCESS, compile(program, &a.devices[0], "-DBY"));
    /* The second device has it already, but not the first. */
    EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE, compile(program, NULL, ""));
    expect_compiled(&a, program, "");
    EXPECT_EQ(CL_SUCCESS, compile(program, NULL, "-DBY"));
    expect_compiled(&a, program, "-DBY");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    program = new_program(&a);
    EXPECT_EQ(CL_SUCCESS, compile(program, &a.devices[1], ""));
    EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE, compile(program, NULL, ""));
    expect_compiled(&a, program, "");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerCompiledOnce, IsRefusedForTheDevicesThatHaveIt)
{
    ASSERT_EQ(0, run_application(as_intel, compile_in_parts, NULL));
    ASSERT_EQ(0, run_application(as_intel, compile_in_parts, NULL));
    EXPECT_EQ(1, counted("hits"));
}
