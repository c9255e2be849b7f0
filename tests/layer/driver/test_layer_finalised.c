/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalised forms of binaries, on a driver that passes for NVIDIA's: loaded
 * first; and if the driver refuses one or dies of it, the entry stays good.
 */
#include "application.h"

#include "dnnl_cache/store.h"

#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define AS_NVIDIA                                                          \
    "FAKE_OPENCL_PLATFORM_NAME=NVIDIA CUDA",                               \
            "FAKE_OPENCL_PLATFORM_VERSION=OpenCL 3.0 CUDA 13.0.97",        \
            "FAKE_OPENCL_DRIVER_VERSION=999.1.0", "FAKE_OPENCL_NV_CC=9.0", \
            "FAKE_OPENCL_PTX=1"

static const char *const usual[] = {AS_NVIDIA, NULL};
static const char *const refusing[] = {
        AS_NVIDIA, "FAKE_OPENCL_REFUSES_CUBINS=1", NULL};
static const char *const deadly[] = {
        AS_NVIDIA, "FAKE_OPENCL_DEADLY_CUBINS=1", NULL};

static const char *const of_two_devices[] = {
        AS_NVIDIA, "FAKE_OPENCL_DEVICES=2", NULL};

struct plan {
    cl_uint devices; /* or programs */
    unsigned long builds;
};

static void use_one(void *user)
{
    const struct plan *plan = user;
    struct application a;
    application_open(&a, plan->devices);
    use_program(&a, "one", "");
    EXPECT_EQ(plan->builds, source_builds(&a));
    application_close(&a);
}

static struct plan compiled = {1, 1};
static struct plan loaded = {1, 0};

TEST_C(LayerForm, IsLoadedBeforeTheBinary)
{
    ASSERT_EQ(0, run_application(usual, use_one, &compiled));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(0, counted("finalised_hits"));
    ASSERT_EQ(0, run_application(usual, use_one, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("finalised_hits"));
}

TEST_C(LayerForm, IsOfEveryDevice)
{
    struct plan of_two = {2, 1};
    ASSERT_EQ(0, run_application(of_two_devices, use_one, &of_two));
    of_two.builds = 0;
    ASSERT_EQ(0, run_application(of_two_devices, use_one, &of_two));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("finalised_hits"));
}

static cl_ulong local_bytes(cl_kernel kernel, cl_device_id device)
{
    cl_ulong bytes = 0;
    size_t size = 0;
    EXPECT_EQ(CL_SUCCESS,
            clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE,
                    sizeof bytes, &bytes, &size));
    EXPECT_EQ(sizeof bytes, size);
    return bytes;
}

/* As a program of PTX has it: four bytes before there are arguments. */
static void expect_local_bytes(cl_kernel kernel, cl_device_id device)
{
    cl_int err = CL_SUCCESS;
    cl_ulong bytes = 1;
    EXPECT_EQ(4, local_bytes(kernel, device));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, 100, NULL));
    EXPECT_EQ(104, local_bytes(kernel, device));
    cl_kernel clone = clCloneKernel(kernel, &err);
    ASSERT_EQ(CL_SUCCESS, err);
    EXPECT_EQ(104, local_bytes(clone, device));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, 20, NULL));
    EXPECT_EQ(24, local_bytes(kernel, device));
    EXPECT_EQ(104, local_bytes(clone, device));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(clone));
    EXPECT_EQ(CL_INVALID_VALUE,
            clGetKernelWorkGroupInfo(
                    kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, 4, &bytes, NULL));
    EXPECT_EQ(1, bytes);
    size_t size = 0;
    EXPECT_EQ(CL_SUCCESS, clGetKernelWorkGroupInfo(kernel, device,
                                  CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, &size));
    EXPECT_EQ(sizeof bytes, size);
}

static void use_local_bytes(void *user)
{
    const struct plan *plan = user;
    struct application a;
    cl_int err = CL_SUCCESS;
    application_open(&a, plan->devices);
    cl_program program =
            program_of_source(&a, "kernel void one(local float *x) {}");
    build(program, "");
    for (cl_uint i = 0; i < a.device_count; i++) {
        cl_kernel kernel = clCreateKernel(program, "one", &err);
        ASSERT_EQ(CL_SUCCESS, err);
        expect_local_bytes(kernel, a.devices[i]);
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    }
    cl_kernel kernel = clCreateKernel(program, "one", &err);
    ASSERT_EQ(CL_SUCCESS, err);
    if (a.device_count == 1)
        expect_local_bytes(kernel, NULL);
    else
        EXPECT_EQ(CL_INVALID_DEVICE,
                clGetKernelWorkGroupInfo(
                        kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(plan->builds, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerForm, CountsLocalMemoryAsTheBinaryDoes)
{
    ASSERT_EQ(0, run_application(usual, use_local_bytes, &compiled));
    ASSERT_EQ(0, run_application(usual, use_local_bytes, &loaded));
    EXPECT_EQ(1, counted("finalised_hits"));
    ASSERT_EQ(0, run_application(refusing, use_local_bytes, &loaded));
    EXPECT_EQ(0, counted("finalised_hits"));
}

TEST_C(LayerForm, CountsLocalMemoryOfEveryDevice)
{
    struct plan of_two = {2, 1};
    ASSERT_EQ(0, run_application(of_two_devices, use_local_bytes, &of_two));
    of_two.builds = 0;
    ASSERT_EQ(0, run_application(of_two_devices, use_local_bytes, &of_two));
    EXPECT_EQ(1, counted("finalised_hits"));
}

TEST_C(LayerForm, ThatIsRefusedIsLeftForTheBinary)
{
    ASSERT_EQ(0, run_application(usual, use_one, &compiled));
    ASSERT_EQ(0, run_application(refusing, use_one, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("finalised_hits"));
    /* The entry is as it was. */
    ASSERT_EQ(0, run_application(usual, use_one, &loaded));
    EXPECT_EQ(1, counted("finalised_hits"));
}

TEST_C(LayerForm, ThatKillsTwoProcessesIsLeftForTheBinary)
{
    ASSERT_EQ(0, run_application(usual, use_one, &compiled));
    EXPECT_EQ(died, run_application(deadly, use_one, &loaded));
    EXPECT_EQ(died, run_application(deadly, use_one, &loaded));
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(0, run_application(deadly, use_one, &loaded));
        EXPECT_EQ(1, counted("hits"));
        EXPECT_EQ(0, counted("finalised_hits"));
        EXPECT_EQ(0, missed_by("died"));
    }
}

/* The driver dies of the form while it is made: the entry is there, and the
 * next process loads it. */
TEST_C(LayerForm, ThatKillsAProcessDoesNotTakeTheEntryAlong)
{
    EXPECT_EQ(died, run_application(deadly, use_one, &compiled));
    ASSERT_EQ(0, run_application(deadly, use_one, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("finalised_hits"));
}

static void remove_entries(void)
{
    char path[4200];
    dnnl_cache_store_handle_t *store = NULL;
    uint64_t removed = 0;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    (void)snprintf(path, sizeof path, "%s/store", test_directory());
    options.path = path;
    ASSERT_STATUS(
            dnnl_success, dnnl_cache_store_open(&store, "flat", &options));
    EXPECT_STATUS(
            dnnl_success, dnnl_cache_store_trim(store, 0,
                                  DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(1, removed);
    dnnl_cache_store_close(store);
}

/* The third process that compiles does without. */
TEST_C(LayerForm, ThatKillsTwoProcessesIsNotMadeAgain)
{
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(died, run_application(deadly, use_one, &compiled));
        remove_entries();
    }
    ASSERT_EQ(0, run_application(deadly, use_one, &compiled));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(usual, use_one, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("finalised_hits"));
}

/* ---- When nobody waits --------------------------------------------------- */

/* Its programs stay until the process ends. */
static void build_some(void *user)
{
    static const char *const options[] = {"", "-DTWO", "-DTHREE"};
    const struct plan *plan = user;
    struct application a;
    application_open(&a, 1);
    for (unsigned long i = 0; i < plan->devices; i++)
        build(program_of_source(&a, "kernel void one() {}"), options[i]);
    EXPECT_EQ(plan->builds, source_builds(&a));
}

/* The assembler would not come back. */
TEST_C(LayerForm, IsNotWaitedForWithoutABudget)
{
    static const char *const hasty[] = {AS_NVIDIA,
            "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=0", "FAKE_PTX_FAULT=hang",
            NULL};
    ASSERT_EQ(0, run_application(hasty, build_some, &compiled));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(hasty, build_some, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(0, counted("finalised_hits"));
}

/* Of one second: what is expected to take longer than the rest is not begun. */
TEST_C(LayerForm, IsMadeAtTheEndWithinTheBudget)
{
    static const char *const slow[] = {AS_NVIDIA, "FAKE_PTX_MS=700",
            "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=1", NULL};
    struct plan plan = {3, 3};
    ASSERT_EQ(0, run_application(slow, build_some, &plan));
    EXPECT_EQ(3, counted("kept"));
    plan.builds = 0;
    ASSERT_EQ(0, run_application(usual, build_some, &plan));
    EXPECT_EQ(3, counted("hits"));
    EXPECT_EQ(1, counted("finalised_hits"));
}

/* The application goes on, and waits until the layer has given all back. */
TEST_C(LayerForm, IsMadeByTheWorkerMeanwhile)
{
    static const char *const without_end[] = {
            AS_NVIDIA, "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=0", NULL};
    ASSERT_EQ(0, run_application(without_end, use_one, &compiled));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(usual, use_one, &loaded));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("finalised_hits"));
}

/* ---- While it is made ---------------------------------------------------- */

static const char *in_test_folder(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return path;
}

static cl_uint references(cl_program program)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

/* The worker stands in the compiler of machine code, and the application goes
 * on with the same program: queries it, makes kernels, builds it again. */
static void use_while_it_is_made(void *user)
{
    struct application a;
    char byte = 0;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, "kernel void one() {}");
    build(program, "");
    const int begun = open(in_test_folder("begun"), O_RDONLY);
    ASSERT_EQ(1, read(begun, &byte, 1));
    EXPECT_EQ(1, references(program));
    cl_int err = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "one", &err);
    EXPECT_EQ(CL_SUCCESS, err);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    build(program, "-DTWO");
    EXPECT_EQ(1, references(program));
    const int go = open(in_test_folder("go"), O_RDWR);
    ASSERT_EQ(1, write(go, "", 1)); /* which stays, for the next one */
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    expect_no_programs();
    close(begun);
    close(go);
    application_close(&a);
}

TEST_C(LayerForm, IsMadeWithoutHoldingTheProgram)
{
    static char gate[4200];
    const char *const variables[] = {
            AS_NVIDIA, "DNNL_CACHE_CAPTURE_SECONDS=0", gate, NULL};
    (void)snprintf(gate, sizeof gate, "FAKE_PTX_GATE=%s", test_directory());
    ASSERT_EQ(0, mkfifo(in_test_folder("begun"), 0600));
    ASSERT_EQ(0, mkfifo(in_test_folder("go"), 0600));
    ASSERT_EQ(0, run_application(variables, use_while_it_is_made, NULL));
    EXPECT_EQ(-1, access(in_test_folder("late"), F_OK));
    EXPECT_EQ(2, counted("kept"));
}

/* ---- While the application compiles -------------------------------------- */

static void *build_now(void *program)
{
    build(program, "");
    return NULL;
}

/* One thread stands in the driver's compiler, and another gives up a program
 * that is to be captured. */
static void release_while_another_compiles(void *user)
{
    static const struct timespec long_enough = {0, 300000000};
    const char *log = user;
    struct application a;
    pthread_t thread;
    application_open(&a, 1);
    cl_program first = program_of_source(&a, "kernel void one() {}");
    cl_program second = program_of_source(&a, "kernel void two() {}");
    build(first, "");
    fake_opencl_block_builds(true);
    ASSERT_EQ(0, pthread_create(&thread, NULL, build_now, second));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(first));
    nanosleep(&long_enough, NULL);
    EXPECT_EQ(-1, access(log, F_OK));
    fake_opencl_block_builds(false);
    EXPECT_EQ(0, pthread_join(thread, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(second));
    expect_no_programs();
    EXPECT_EQ(0, access(log, F_OK));
    application_close(&a);
}

TEST_C(LayerForm, IsNotBegunWhileTheApplicationCompiles)
{
    static char log[4200];
    const char *const variables[] = {AS_NVIDIA, log, NULL};
    (void)snprintf(
            log, sizeof log, "FAKE_PTX_LOG=%s", in_test_folder("assembled"));
    ASSERT_EQ(0, run_application(variables, release_while_another_compiles,
                         strchr(log, '=') + 1));
    EXPECT_EQ(2, counted("kept"));
}
