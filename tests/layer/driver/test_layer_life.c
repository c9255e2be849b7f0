/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When binaries are asked for: after the application is done with a program, or
 * at the end of the process, and never in its way.
 */
#include "application.h"

#include "test.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As use_program() has it. */
static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

/* So many builds reach the driver. */
static unsigned long once = 1;
static unsigned long never = 0;

static void use_one(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    use_program(&a, "one", "");
    EXPECT_EQ(*builds, source_builds(&a));
    application_close(&a);
}

static void *use_one_here(void *user)
{
    use_one(user);
    return NULL;
}

static void use_one_elsewhere(void *user)
{
    pthread_t thread;
    ASSERT_EQ(0, pthread_create(&thread, NULL, use_one_here, user));
    ASSERT_EQ(0, pthread_join(thread, NULL));
}

/* The main thread never calls OpenCL. */
TEST_C(LayerLife, OfAnotherThreadIsKept)
{
    ASSERT_EQ(0, run_application(NULL, use_one_elsewhere, &once));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, use_one_elsewhere, &never));
}

/* ---- What is never given back -------------------------------------------- */

static void use_and_leave(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    expect_built(program, a.devices[0], "", "one");
}

TEST_C(LayerLife, OfAProgramThatIsNeverReleasedIsKept)
{
    ASSERT_EQ(0, run_application(NULL, use_and_leave, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, use_one, &never));
}

static void use_and_leave_by_force(void *user)
{
    use_and_leave(user);
    _Exit(test_has_failed());
}

/* Nothing is kept then, and the next one is fine. */
TEST_C(LayerLife, OfAProcessThatEndsAtOnceIsNot)
{
    ASSERT_EQ(0, run_application(NULL, use_and_leave_by_force, NULL));
    ASSERT_EQ(0, run_application(NULL, use_one, &once));
    ASSERT_EQ(0, run_application(NULL, use_one, &never));
}

/* ---- What an application asks for itself --------------------------------- */

/* A driver's binary, as the application gets it. */
struct binary {
    unsigned char bytes[4096];
    size_t size;
};

static void get_binary(cl_program program, struct binary *binary)
{
    unsigned char *to = binary->bytes;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof binary->size, &binary->size, NULL));
    EXPECT_GT(binary->size, 0);
    EXPECT_LE(binary->size, sizeof binary->bytes);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                  sizeof to, &to, NULL));
}

static int remove_one(
        const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_store(void)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/store", test_directory());
    EXPECT_EQ(0, nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS));
}

/* Found, and gone from the store before its binary is asked for. */
static void ask_for_binary(void *user)
{
    static struct binary before;
    static struct binary after;
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    EXPECT_EQ(0, source_builds(&a));
    get_binary(program, &before);
    remove_store();
    get_binary(program, &after);
    EXPECT_BYTES_EQ(before.bytes, before.size, after.bytes, after.size);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLife, OfABinaryDoesNotEndWithItsEntry)
{
    static const char *const disk[] = {"DNNL_CACHE_IN_MEM=0", NULL};
    ASSERT_EQ(0, run_application(disk, use_one, &once));
    ASSERT_EQ(0, run_application(disk, ask_for_binary, NULL));
}

/* ---- In nobody's way ----------------------------------------------------- */

/* A capture that is in the middle of its work, until the gate is opened. */
static cl_program build_and_await_capture(struct application *a)
{
    fake_opencl_block_sizes(true);
    cl_program program = program_of_source(a, source);
    build(program, "");
    EXPECT_TRUE(fake_opencl_wait_for_blocked_sizes(1));
    return program;
}

/* Makes kernels and asks questions while a capture is at work: none of them
 * waits for it, or it would be for ever. */
static void use_while_asked(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = build_and_await_capture(&a);
    alarm(120);
    for (int i = 0; i < 20; i++)
        expect_built(program, a.devices[0], "", "one");
    EXPECT_TRUE(fake_opencl_wait_for_blocked_sizes(1)); /* it still is */
    alarm(0);
    fake_opencl_block_sizes(false);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLife, IsNotDisturbedByTheCapture)
{
    static const char *const soon[] = {"DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(soon, use_while_asked, NULL));
    EXPECT_EQ(1, counted("kept"));
}

/* A child of fork() has the program, but not the thread that asks for its
 * binary: it does not wait for that. */
static void fork_while_asked(void *user)
{
    struct application a;
    cl_uint references = 0;
    int status = -1;
    (void)user;
    application_open(&a, 1);
    cl_program program = build_and_await_capture(&a);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        fake_opencl_block_sizes(false);
        EXPECT_EQ(CL_SUCCESS,
                clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
                        sizeof references, &references, NULL));
        build(program, "-DB");
        expect_built(program, a.devices[0], "-DB", "one");
        _exit(test_has_failed()); /* what the capture had is lost here */
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    fake_opencl_block_sizes(false);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLife, OfAChildGoesOnDuringTheCapture)
{
    static const char *const soon[] = {"DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(soon, fork_while_asked, NULL));
}

/* The capture's own kernels of a program keep nobody from building it anew. */
static void build_while_asked(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 20; i++) {
        build(program, i % 2 == 0 ? "-DA" : "-DB");
        expect_built(program, a.devices[0], i % 2 == 0 ? "-DA" : "-DB", "one");
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerLife, MayBuildAnewDuringTheCapture)
{
    static const char *const soon[] = {"FAKE_OPENCL_BUILD_MS=2",
            "FAKE_OPENCL_SIZES_MS=5", "DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
    ASSERT_EQ(0, run_application(soon, build_while_asked, NULL));
}

/* ---- Contexts that are watched --------------------------------------------
 */

static void CL_CALLBACK count_destroyed(cl_context context, void *user)
{
    unsigned *count = user;
    (void)context;
    ++*count;
}

/* Of a driver that is asked for binaries at the end only. */
static const char *const asked_late[] = {
        "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language", NULL};

static void watch_context(void *user)
{
    const bool *before = user;
    struct application a;
    unsigned destroyed = 0;
    application_open(&a, 1);
    if (!*before) use_program(&a, "one", "");
    ASSERT_EQ(CL_SUCCESS, clSetContextDestructorCallback(
                                  a.context, count_destroyed, &destroyed));
    if (*before) use_program(&a, "one", "");
    ASSERT_EQ(CL_SUCCESS, clReleaseContext(a.context));
    EXPECT_EQ(1, destroyed);
}

/* As use_one(), of a program that waits for the end, and its context. */
static void use_one_late(void *user)
{
    const unsigned long *builds = user;
    struct application a;
    application_open(&a, 1);
    use_program(&a, "one", "");
    EXPECT_EQ(*builds, source_builds(&a));
    ASSERT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

TEST_C(LayerLife, OfAWatchedContextEndsInTime)
{
    bool before = true;
    ASSERT_EQ(0, run_application(asked_late, watch_context, &before));
    EXPECT_EQ(0, counted("kept"));
    before = false;
    ASSERT_EQ(0, run_application(asked_late, watch_context, &before));
    EXPECT_EQ(0, counted("kept"));
    ASSERT_EQ(0, run_application(asked_late, use_one_late, &once));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(asked_late, use_one_late, &never));
}
