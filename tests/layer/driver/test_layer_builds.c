/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are built again and again: each build that succeeds is kept,
 * and what the application sees is what it would see without the layer.
 */
#include "application.h"

#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of one kernel; with WRONG it does not compile. */
static const char source[] = "#ifdef WRONG\n"
                             "#error this is wrong\n"
                             "#endif\n"
                             "kernel void one(global float *x) { *x = 1.0f; }";

struct plan {
    unsigned long builds; /* that must reach the driver */
    bool is_late; /* binaries are asked for at the end of the process only */
};

/* Builds that must reach the driver. */
static unsigned long none = 0;

static void expect_status(
        const struct application *a, cl_program program, cl_build_status wanted)
{
    cl_build_status status = 77;
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, a->devices[0],
                    CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    EXPECT_EQ(wanted, status);
}

static void build_and_use(
        const struct application *a, cl_program program, const char *options)
{
    build(program, options);
    for (cl_uint i = 0; i < a->device_count; i++)
        expect_built(program, a->devices[i], options, "one");
}

static cl_kernel make_kernel(cl_program program)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return kernel;
}

/* ---- Several builds ------------------------------------------------------ */

static void build_in_turns(void *user)
{
    static const char *const options[] = {"-DA", "-DB", "-DA", "-DB", "-DC"};
    const struct plan *plan = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        build_and_use(&a, program, options[i]);
    EXPECT_EQ(plan->builds, source_builds(&a));
    a.is_alone = !plan->is_late;
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

/* What waits for its capture need not be built again either. */
TEST_C(LayerBuilds, OfOneProgramAreAllKept)
{
    ASSERT_EQ(
            0, run_application(NULL, build_in_turns, &(struct plan){3, false}));
    EXPECT_EQ(3, counted("misses"));
    EXPECT_EQ(2, counted("hits"));
    EXPECT_EQ(3, counted("kept"));
    EXPECT_EQ(0, counted("not_kept"));
    ASSERT_EQ(0, run_application(NULL, build_in_turns, &(struct plan){0}));
    EXPECT_EQ(5, counted("hits"));
}

/* The same of a driver that is asked at the end of the process only. */
TEST_C(LayerBuilds, OfOneProgramAreAllKeptAtTheEnd)
{
    static const char *const late[] = {
            "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language", NULL};
    ASSERT_EQ(
            0, run_application(late, build_in_turns, &(struct plan){3, true}));
    EXPECT_EQ(3, counted("kept"));
    ASSERT_EQ(0, run_application(late, build_in_turns, &(struct plan){0}));
}

static void build_on_two_devices(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 2);
    cl_program program = program_of_source(&a, source);
    build_and_use(&a, program, "-DA");
    build_and_use(&a, program, "-DB");
    EXPECT_EQ(*builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, ForTwoDevicesAreAllKept)
{
    static const char *const two[] = {"FAKE_OPENCL_DEVICES=2",
            "FAKE_OPENCL_DEVICE_NAME_1=Other GPU", NULL};
    ASSERT_EQ(
            0, run_application(two, build_on_two_devices, &(unsigned long){2}));
    EXPECT_EQ(4, counted("kept"));
    ASSERT_EQ(0, run_application(two, build_on_two_devices, &none));
}

/* The driver has just built the program, and its binary is still to come. */
static void build_known_after_unknown(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build_and_use(&a, program, "-DNEW");
    build_and_use(&a, program, "-DA");
    EXPECT_EQ(1, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, AfterAMissAreFound)
{
    ASSERT_EQ(
            0, run_application(NULL, build_in_turns, &(struct plan){3, false}));
    ASSERT_EQ(0, run_application(NULL, build_known_after_unknown, NULL));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("kept"));
}

/* IL with another constant each time: the second program of the same IL has
 * them, too. */
static void specialize_in_turns(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    cl_program program =
            program_of_il(&a, "kernel void one(global float *x) { *x = 1; }");
    for (cl_uint i = 0; i < 4; i++) {
        const cl_uint value = i % 2;
        EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(
                                      program, 3, sizeof value, &value));
        build_and_use(&a, program, "");
    }
    EXPECT_EQ(*builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, OfIlAreAllKept)
{
    static const char *const il[] = {"FAKE_OPENCL_IL_VERSION=SPIR-V_1.0", NULL};
    ASSERT_EQ(0, run_application(il, specialize_in_turns, &(unsigned long){2}));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(il, specialize_in_turns, &none));
    EXPECT_EQ(4, counted("hits"));
}

/* ---- Kernels ------------------------------------------------------------- */

/* Of whatever build, in the driver's program or beside it: they forbid the next
 * one, and lose nothing by having asked. */
static void build_with_kernels(void *user)
{
    static const char *const options[] = {"-DA", "-DB", "-DC"};
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (size_t i = 0; i < 3; i++) {
        cl_program of = NULL;
        build(program, options[i]);
        cl_kernel kernel = make_kernel(program);
        cl_kernel clone = clCloneKernel(kernel, NULL);
        cl_kernel all[1] = {NULL};
        EXPECT_EQ(CL_SUCCESS, clCreateKernelsInProgram(program, 1, all, NULL));
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
        EXPECT_EQ(CL_INVALID_OPERATION,
                clBuildProgram(program, 0, NULL, "-DD", NULL, NULL));
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(all[0]));
        EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(clone, CL_KERNEL_PROGRAM,
                                      sizeof of, &of, NULL));
        EXPECT_PTR_EQ(program, of);
        EXPECT_EQ(CL_INVALID_OPERATION,
                clBuildProgram(program, 0, NULL, "-DD", NULL, NULL));
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(clone));
        expect_built(program, a.devices[0], options[i], "one");
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

/* By a compilation with headers, too, which is the driver's alone. */
static void compile_with_kernels(void *user)
{
    static const char *const name = "header";
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program header = program_of_source(&a, "/* nothing */");
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 2; i++) {
        build(program, i == 0 ? "-DA" : "-DB");
        cl_kernel kernel = make_kernel(program);
        EXPECT_EQ(CL_INVALID_OPERATION,
                clCompileProgram(program, 0, NULL, "", 1, &header,
                        (const char **)(uintptr_t)&name, NULL, NULL));
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
        expect_built(program, a.devices[0], i == 0 ? "-DA" : "-DB", "one");
    }
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(program, 0, NULL, "", 1, &header,
                                  (const char **)(uintptr_t)&name, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(header));
    application_close(&a);
}

TEST_C(LayerBuilds, WithKernelsAreNotCompiledEither)
{
    ASSERT_EQ(0, run_application(NULL, compile_with_kernels, NULL));
    ASSERT_EQ(0, run_application(NULL, compile_with_kernels, NULL));
    EXPECT_GE(counted("hits"), 1);
}

TEST_C(LayerBuilds, AreRefusedWhileThereAreKernels)
{
    ASSERT_EQ(0, run_application(NULL, build_with_kernels, NULL));
    EXPECT_EQ(3, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, build_with_kernels, NULL));
    EXPECT_EQ(3, counted("hits"));
}

/* Of a driver that counts a kernel among its program's after the launch, until
 * the queue gets another command: for the application there is none. */
static const char *const keeping[] = {"FAKE_OPENCL_KEEPS_LAUNCHED=1", NULL};

static void launch_and_release(
        const struct application *a, cl_command_queue queue, cl_program program)
{
    static const size_t one = 1;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = make_kernel(program);
    cl_mem memory = clCreateBuffer(
            a->context, CL_MEM_READ_WRITE, sizeof(float), NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    EXPECT_EQ(CL_INVALID_OPERATION,
            clBuildProgram(program, 0, NULL, "-DD", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
}

static void build_after_launches(void *user)
{
    static const char *const options[] = {"-DA", "-DA", "-DB", "-DA", "-DB"};
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    cl_command_queue queue =
            clCreateCommandQueue(a.context, a.devices[0], 0, NULL);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        build_and_use(&a, program, options[i]);
        launch_and_release(&a, queue, program);
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, AreNotRefusedForKernelsThatWereReleased)
{
    ASSERT_EQ(0, run_application(keeping, build_after_launches, NULL));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(keeping, build_after_launches, NULL));
    EXPECT_EQ(5, counted("hits"));
}

/* ---- Failures ------------------------------------------------------------ */

static void expect_failure(
        const struct application *a, cl_program program, const char *options)
{
    char log[256] = "";
    char found[64] = "";
    cl_int error = CL_SUCCESS;
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, options, NULL, NULL));
    expect_status(a, program, CL_BUILD_ERROR);
    EXPECT_EQ(CL_SUCCESS, clGetProgramBuildInfo(program, a->devices[0],
                                  CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    EXPECT_NOT_NULL(strstr(log, "this is wrong"));
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, a->devices[0],
                    CL_PROGRAM_BUILD_OPTIONS, sizeof found, found, NULL));
    EXPECT_STR_EQ(options, found);
    EXPECT_NULL(clCreateKernel(program, "one", &error));
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE, error);
}

static void fail_in_between(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    expect_failure(&a, program, "-DWRONG");
    build_and_use(&a, program, "-DA");
    expect_failure(&a, program, "-DWRONG=2");
    build_and_use(&a, program, "-DB");
    expect_failure(&a, program, "-DWRONG=3");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, ThatFailAreSeenAndTheOthersKept)
{
    ASSERT_EQ(0, run_application(NULL, fail_in_between, NULL));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, fail_in_between, NULL));
    EXPECT_EQ(2, counted("hits"));
    EXPECT_EQ(3, counted("misses"));
}

/* The driver refuses the call, and nothing has happened. */
static void refuse_in_between(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 2; i++) {
        const char *options = i == 0 ? "-DA" : "-DB";
        build_and_use(&a, program, options);
        EXPECT_EQ(CL_INVALID_BUILD_OPTIONS,
                clBuildProgram(program, 0, NULL, "no option", NULL, NULL));
        EXPECT_EQ(CL_INVALID_DEVICE,
                clBuildProgram(
                        program, 1, &(cl_device_id){NULL}, "-DC", NULL, NULL));
        expect_built(program, a.devices[0], options, "one");
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, ThatAreRefusedChangeNothing)
{
    ASSERT_EQ(0, run_application(NULL, refuse_in_between, NULL));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, refuse_in_between, NULL));
    EXPECT_EQ(2, counted("hits"));
}

/* ---- Callbacks ----------------------------------------------------------- */

struct notice {
    unsigned count;
    cl_program program;
    cl_device_id device;
    cl_build_status status;
};

static void CL_CALLBACK notify(cl_program program, void *user)
{
    struct notice *notice = user;
    notice->count++;
    notice->program = program;
    (void)clGetProgramBuildInfo(program, notice->device,
            CL_PROGRAM_BUILD_STATUS, sizeof notice->status, &notice->status,
            NULL);
}

static void build_with_callbacks(void *user)
{
    static const char *const options[] = {"-DA", "-DB", "-DWRONG", "-DA"};
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct notice notice = {.device = a.devices[0]};
        EXPECT_EQ(CL_SUCCESS,
                clBuildProgram(program, 0, NULL, options[i], notify, &notice));
        EXPECT_EQ(1, notice.count);
        EXPECT_PTR_EQ(program, notice.program);
        EXPECT_EQ(i == 2 ? CL_BUILD_ERROR : CL_BUILD_SUCCESS, notice.status);
    }
    expect_built(program, a.devices[0], "-DA", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, CallBackForTheApplicationsProgram)
{
    /* The first: only the driver knows what is left if a later one fails. */
    ASSERT_EQ(0, run_application(NULL, build_with_callbacks, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, build_with_callbacks, NULL));
    EXPECT_EQ(2, counted("hits"));
}

/* A driver may call back when the call has returned, and what the application
 * gave it is gone. */
static const char *const later[] = {"FAKE_OPENCL_CALLBACK_LATER=1", NULL};

static void build_and_forget(void *user)
{
    char folder[512], path[528];
    cl_platform_id platform = NULL;
    struct application a;
    (void)user;
    (void)snprintf(folder, sizeof folder, "%s/headers", test_directory());
    (void)mkdir(folder, 0700);
    (void)snprintf(path, sizeof path, "%s/some.h", folder);
    FILE *header = fopen(path, "we");
    ASSERT_NOT_NULL(header);
    EXPECT_GE(fputs("/* nothing */\n", header), 0);
    EXPECT_EQ(0, fclose(header));
    application_open(&a, 1);
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(a.devices[0], CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    cl_program program = program_of_source(&a,
            "#ifdef NEVER\n#include \"some.h\"\n#endif\n"
            "kernel void one(global float *x) { *x = 1.0f; }");
    struct notice notice = {.device = a.devices[0]};
    char *options = malloc(sizeof folder + 8);
    ASSERT_NOT_NULL(options);
    (void)sprintf(options, "-I %s", folder);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, options, notify, &notice));
    EXPECT_EQ(0, notice.count);
    memset(options, 'x', strlen(options));
    free(options);
    EXPECT_EQ(CL_SUCCESS, clUnloadPlatformCompiler(platform));
    EXPECT_EQ(1, notice.count);
    EXPECT_EQ(CL_BUILD_SUCCESS, notice.status);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, AreKeptWhenTheOptionsAreGone)
{
    ASSERT_EQ(0, run_application(later, build_and_forget, NULL));
    EXPECT_EQ(1, counted("kept"));
}

/* A compilation with headers is the driver's alone, and the one before it ends
 * when it begins. */
static void compile_with_callback(void *user)
{
    static const char *const name = "header";
    struct application a;
    struct notice notice;
    (void)user;
    application_open(&a, 1);
    notice = (struct notice){.device = a.devices[0]};
    cl_program header = program_of_source(&a, "/* nothing */");
    cl_program program = program_of_source(&a, source);
    build_and_use(&a, program, "-DA");
    build_and_use(&a, program, "-DB");
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(program, 0, NULL, "-DWRONG", 1, &header,
                    (const char **)(uintptr_t)&name, notify, &notice));
    EXPECT_EQ(1, notice.count);
    EXPECT_EQ(CL_BUILD_ERROR, notice.status);
    expect_status(&a, program, CL_BUILD_ERROR);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(header));
    application_close(&a);
}

TEST_C(LayerBuilds, EndBeforeACompilationCallsBack)
{
    ASSERT_EQ(0, run_application(NULL, compile_with_callback, NULL));
    ASSERT_EQ(0, run_application(NULL, compile_with_callback, NULL));
}

/* A driver that tells what comes of a build by its status, too, and calls back
 * even if it refuses. */
static const char *const both[] = {"FAKE_OPENCL_CALLBACK_AND_STATUS=1", NULL};

static void CL_CALLBACK refuse_once_more(cl_program program, void *user)
{
    notify(program, user);
    EXPECT_EQ(CL_INVALID_BUILD_OPTIONS,
            clBuildProgram(program, 0, NULL, "no option", notify, user));
}

static void refuse_and_call_back(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 10; i++) {
        struct notice notice = {.device = a.devices[0]};
        EXPECT_EQ(CL_INVALID_BUILD_OPTIONS,
                clBuildProgram(program, 0, NULL, "no option", refuse_once_more,
                        &notice));
        EXPECT_EQ(2, notice.count);
        EXPECT_PTR_EQ(program, notice.program);
        EXPECT_EQ(CL_BUILD_NONE, notice.status);
    }
    build_and_use(&a, program, "-DA");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, MayBeRefusedAndCallBack)
{
    ASSERT_EQ(0, run_application(both, refuse_and_call_back, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(both, refuse_and_call_back, NULL));
    EXPECT_EQ(1, counted("hits"));
}

static void CL_CALLBACK build_instead(cl_program program, void *user)
{
    build(program, user);
}

/* What failed is not the program any more when the call comes back. */
static void build_in_callback(void *user)
{
    char *instead = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build_and_use(&a, program, "-DA");
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(
                    program, 0, NULL, "-DWRONG", build_instead, instead));
    expect_built(program, a.devices[0], instead, "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, MayBeReplacedInTheCallback)
{
    char instead[] = "-DB=0";
    for (; instead[4] < '3'; instead[4]++)
        EXPECT_EQ(0, run_application(both, build_in_callback, instead));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, run_application(both, build_in_callback, "-DB=0"));
    EXPECT_EQ(2, counted("hits"));
}

/* ---- What is not kept ---------------------------------------------------- */

/* A build that cannot be named neither hides nor hurts the one before. */
static void build_unknown_after_known(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build_and_use(&a, program, "-DA");
    build_and_use(&a, program, "-imacros no_file");
    build_and_use(&a, program, "-DA");
    EXPECT_EQ(*builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, ThatHaveNoNameLeaveTheOthers)
{
    ASSERT_EQ(0, run_application(
                         NULL, build_unknown_after_known, &(unsigned long){2}));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(
                         NULL, build_unknown_after_known, &(unsigned long){1}));
}

/* ---- Objects ------------------------------------------------------------- */

/* Compiled with one set of options and then with another, and linked each time.
 */
static void compile_in_turns(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 4; i++) {
        cl_int error = CL_SUCCESS;
        EXPECT_EQ(CL_SUCCESS,
                clCompileProgram(program, 0, NULL, i % 2 ? "-DB" : "-DA", 0,
                        NULL, NULL, NULL, NULL));
        cl_program linked = clLinkProgram(
                a.context, 0, NULL, "", 1, &program, NULL, NULL, &error);
        EXPECT_EQ(CL_SUCCESS, error);
        expect_built(linked, a.devices[0], "", "one");
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    }
    EXPECT_LE(source_builds(&a), *builds);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, OfObjectsAreAllKept)
{
    /* Two compilations; links may be found as soon as they are kept. */
    ASSERT_EQ(0, run_application(NULL, compile_in_turns, &(unsigned long){6}));
    ASSERT_EQ(0, run_application(NULL, compile_in_turns, &none));
    EXPECT_EQ(8, counted("hits"));
}

static void make_kernels_of_object(void *user)
{
    struct application a;
    cl_kernel kernel = NULL;
    cl_uint count = 77;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    EXPECT_EQ(CL_INVALID_PROGRAM_EXECUTABLE,
            clCreateKernelsInProgram(program, 1, &kernel, &count));
    EXPECT_EQ(77, count);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerBuilds, OfObjectsHaveNoKernels)
{
    ASSERT_EQ(0, run_application(NULL, make_kernels_of_object, NULL));
    ASSERT_EQ(0, run_application(NULL, make_kernels_of_object, NULL));
    EXPECT_EQ(1, counted("hits"));
}
