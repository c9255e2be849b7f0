/* SPDX-License-Identifier: Apache-2.0 */
/* Counting, failing, blocking, misuse: what the driver is there for. */
#include "test_world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const source = "kernel void a(global int *x) {}";

/* Everything a program's life calls; the first error, or success. Nothing is
 * left alive whatever fails. */
static cl_int life(const struct world *world)
{
    const size_t global = 1;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_mem memory = NULL;
    cl_int st;

    program = clCreateProgramWithSource(
            world->context, 1, (const char **)(uintptr_t)&source, NULL, &st);
    if (st == CL_SUCCESS) st = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    if (st == CL_SUCCESS) kernel = clCreateKernel(program, "a", &st);
    if (st == CL_SUCCESS)
        memory = clCreateBuffer(world->context, 0, 4, NULL, &st);
    if (st == CL_SUCCESS)
        st = clSetKernelArg(kernel, 0, sizeof(memory), &memory);
    if (st == CL_SUCCESS)
        st = clEnqueueNDRangeKernel(
                world->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    if (st == CL_SUCCESS) st = clFinish(world->queue);
    if (memory != NULL && clReleaseMemObject(memory) != CL_SUCCESS && !st)
        st = CL_OUT_OF_RESOURCES;
    if (kernel != NULL && clReleaseKernel(kernel) != CL_SUCCESS && !st)
        st = CL_OUT_OF_RESOURCES;
    if (program != NULL && clReleaseProgram(program) != CL_SUCCESS && !st)
        st = CL_OUT_OF_RESOURCES;
    return st;
}

TEST_WORLD(FakeControl, FailsTheChosenCall)
{
    cl_int st = 1;

    fake_opencl_fail("clCreateBuffer", 2, CL_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(CL_SUCCESS, life(world));
    EXPECT_NULL((void *)(uintptr_t)fake_opencl_last_failure());
    EXPECT_EQ(CL_OUT_OF_HOST_MEMORY, life(world));
    EXPECT_STR_EQ("clCreateBuffer", fake_opencl_last_failure());
    EXPECT_EQ(CL_SUCCESS, life(world));
    EXPECT_EQ(3, fake_opencl_count("clCreateBuffer"));

    fake_opencl_fail("clGetDeviceInfo", 1, 0);
    EXPECT_EQ(CL_OUT_OF_RESOURCES,
            clGetDeviceInfo(world->device, CL_DEVICE_NAME, 0, NULL, NULL));
    fake_opencl_fail("clCreateContext", 1, 0);
    EXPECT_NULL(clCreateContext(NULL, 1, &world->device, NULL, NULL, &st));
    EXPECT_EQ(CL_DEVICE_NOT_AVAILABLE, st);
    fake_opencl_fail("clFinish", 1, 0);
    fake_opencl_fail("clFinish", 0, 0);
    EXPECT_EQ(CL_SUCCESS, clFinish(world->queue));
}

/* Everything of OpenCL 3.0 is there, and can be counted and made to fail. */
TEST_C(FakeControl, HasEveryFunction)
{
    static const char *const names[] = {
#define FUNCTION(name, error) #name,
#include "fake_functions.def"
#undef FUNCTION
    };
    struct world world;

    world_open(&world);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (clGetExtensionFunctionAddressForPlatform(world.platform, names[i])
                == NULL)
            test_fail(__FILE__, __LINE__, "no %s", names[i]);
        fake_opencl_fail(names[i], 1000, 0);
    }
    /* The loader answers for some names itself. */
    EXPECT_GT(fake_opencl_count("clGetExtensionFunctionAddressForPlatform"), 0);
    EXPECT_NULL(clGetExtensionFunctionAddressForPlatform(
            world.platform, "clNothing"));
    world_close(&world);
}

/* The loop that tests of the library use: each call fails once. */
TEST_WORLD(FakeControl, FailsEveryCallInTurn)
{
    unsigned long calls;
    unsigned failed = 0;
    char all[512] = "";

    EXPECT_EQ(CL_SUCCESS, life(world));
    calls = fake_opencl_total_calls();
    for (unsigned nth = 1;; nth++) {
        fake_opencl_reset();
        fake_opencl_fail_any(nth, 0);
        if (life(world) == CL_SUCCESS) break;
        failed++;
        strcat(all, fake_opencl_last_failure());
        strcat(all, " ");
    }
    EXPECT_NULL((void *)(uintptr_t)fake_opencl_last_failure());
    EXPECT_EQ(calls, failed);
    EXPECT_STR_EQ("clCreateProgramWithSource clBuildProgram clCreateKernel "
                  "clCreateBuffer clSetKernelArg clEnqueueNDRangeKernel "
                  "clFinish clReleaseMemObject clReleaseKernel "
                  "clReleaseProgram ",
            all);
    fake_opencl_reset();
}

TEST_WORLD(FakeControl, NoticesMisuse)
{
    struct fake_opencl_objects objects;
    cl_mem memory;
    cl_int st;

    memory = clCreateBuffer(world->context, 0, 4, NULL, &st);
    fake_opencl_live_objects(&objects);
    EXPECT_EQ(1, objects.memories);
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    EXPECT_EQ(0, fake_opencl_misuses());
    EXPECT_EQ(CL_INVALID_MEM_OBJECT, clReleaseMemObject(memory));
    EXPECT_EQ(1, fake_opencl_misuses());
    EXPECT_EQ(CL_INVALID_MEM_OBJECT, clRetainMemObject(memory));
    EXPECT_EQ(CL_INVALID_MEM_OBJECT,
            clRetainMemObject((cl_mem)(void *)world->queue));
    EXPECT_EQ(3, fake_opencl_misuses());
    fake_opencl_live_objects(&objects);
    EXPECT_EQ(0, objects.memories);
    EXPECT_EQ(1, objects.queues);

    /* A context that only its queue holds is alive, but not to be released. */
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(world->context));
    EXPECT_EQ(CL_INVALID_CONTEXT, clReleaseContext(world->context));
    EXPECT_EQ(4, fake_opencl_misuses());
    EXPECT_EQ(CL_SUCCESS, clRetainContext(world->context));
    fake_opencl_reset();
}

struct builder {
    const struct world *world;
    cl_int st;
};

static void *build(void *argument)
{
    struct builder *builder = argument;

    builder->st = life(builder->world);
    return NULL;
}

TEST_C(FakeControl, BlocksBuilds)
{
    struct world world;
    struct builder builders[3];
    pthread_t threads[3];

    world_open(&world);
    fake_opencl_block_builds(true);
    for (size_t i = 0; i < 3; i++) {
        builders[i].world = &world;
        builders[i].st = 1;
        EXPECT_EQ(0, pthread_create(&threads[i], NULL, build, &builders[i]));
    }
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(3));
    EXPECT_EQ(3, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_count("clCreateKernel"));
    fake_opencl_block_builds(false);
    for (size_t i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_EQ(CL_SUCCESS, builders[i].st);
    }
    world_close(&world);
}

static void *live_often(void *argument)
{
    struct builder *builder = argument;

    for (unsigned i = 0; i < 200 && builder->st == CL_SUCCESS; i++)
        builder->st = life(builder->world);
    return NULL;
}

TEST_C(FakeControl, ServesManyThreads)
{
    struct world world;
    struct builder builders[8];
    pthread_t threads[8];

    world_open(&world);
    for (size_t i = 0; i < 8; i++) {
        builders[i].world = &world;
        builders[i].st = CL_SUCCESS;
        EXPECT_EQ(
                0, pthread_create(&threads[i], NULL, live_often, &builders[i]));
    }
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_EQ(CL_SUCCESS, builders[i].st);
    }
    EXPECT_EQ(1600, fake_opencl_source_builds());
    world_close(&world);
}

/* Runs the client with one more setting in the environment; its exit status,
 * or -1 for a signal. What it prints is discarded. */
static int client(const char *variable, const char *value, const char *action)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(90);
        setenv(variable, value, 1);
        execl(CLIENT, CLIENT, action, (char *)NULL);
        _exit(91);
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_C(FakeControl, ReadsTheEnvironment)
{
    EXPECT_EQ(0, client("FAKE_OPENCL_DEVICE_NAME", "from outside", "name"));
    EXPECT_EQ(1, client("FAKE_OPENCL_DRIVER_VERSION", "2", "name"));
    EXPECT_EQ(-1, client("FAKE_OPENCL_NO_SUCH_KEY", "1", "name"));
    EXPECT_EQ(0, client("FAKE_OPENCL_FAIL", "clBuildProgram:1:-11", "fail"));
    /* The loader's own call: it then finds no platform. */
    EXPECT_EQ(2, client("FAKE_OPENCL_FAIL",
                         "clFinish:5,*:1000,clIcdGetPlatformIDsKHR:1", "name"));
    EXPECT_EQ(1, client("FAKE_OPENCL_FAIL", "clBuildProgram:2:-11", "fail"));
    EXPECT_EQ(-1, client("FAKE_OPENCL_FAIL", "clNothing:2:-11", "fail"));
}

/* Each variant of the driver is one that the loader takes. */
TEST_C(FakeControl, ComesInVariants)
{
    static const char *const vendors[] = {"vendors", "vendors_rebuilt",
            "vendors_nobuildid", "vendors_compiler_a", "vendors_compiler_b"};
    char path[1024];

    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", VARIANTS, vendors[i]);
        EXPECT_EQ(0, client("OCL_ICD_VENDORS", path, "damaged"));
    }
    EXPECT_EQ(2, client("OCL_ICD_VENDORS", test_directory(), "damaged"));
}

/* The beginning of a file, build-id included; the number of bytes read. */
static size_t read_file(const char *path, char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;

    EXPECT_NOT_NULL(file);
    if (file == NULL) return 0;
    size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

/* What a test of identities concludes from: one driver, another compiler. */
TEST_C(FakeControl, SharesADriverBetweenCompilers)
{
    static char a[4 << 20], b[4 << 20];
    const char *name = "libfake_opencl_compiled.so";
    char path[1024];
    size_t size;

    snprintf(path, sizeof(path), "%s/compiler_a/%s", VARIANTS, name);
    size = read_file(path, a, sizeof(a));
    EXPECT_GT(size, 4096);
    EXPECT_LT(size, sizeof(a));
    snprintf(path, sizeof(path), "%s/compiler_b/%s", VARIANTS, name);
    EXPECT_EQ(size, read_file(path, b, sizeof(b)));
    EXPECT_EQ(0, memcmp(a, b, size));

    snprintf(path, sizeof(path), "%s/compiler_a/libfake_compiler.so", VARIANTS);
    size = read_file(path, a, sizeof(a));
    snprintf(path, sizeof(path), "%s/compiler_b/libfake_compiler.so", VARIANTS);
    EXPECT_EQ(size, read_file(path, b, sizeof(b)));
    EXPECT_NE(0, memcmp(a, b, size));
}

TEST_C(FakeControl, DiesWhereToldTo)
{
    EXPECT_EQ(0, client("FAKE_OPENCL_STRICT", "0", "misuse"));
    EXPECT_EQ(-1, client("FAKE_OPENCL_STRICT", "1", "misuse"));
    EXPECT_EQ(0, client("FAKE_OPENCL_DIE_ON_DAMAGED", "0", "damaged"));
    EXPECT_EQ(-1, client("FAKE_OPENCL_DIE_ON_DAMAGED", "1", "damaged"));
    EXPECT_EQ(0, client("FAKE_OPENCL_DEADLY_BINARY", "another", "binary"));
    EXPECT_EQ(-1, client("FAKE_OPENCL_DEADLY_BINARY", "void own", "binary"));
}

TEST_C(FakeControl, LogsCalls)
{
    char path[512], line[256] = "";
    unsigned lines = 0, builds = 0, failures = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/log", test_directory());
    EXPECT_EQ(0, client("FAKE_OPENCL_LOG", path, "damaged"));
    EXPECT_EQ(0, client("FAKE_OPENCL_LOG", path, "damaged"));
    file = fopen(path, "r");
    ASSERT_NOT_NULL(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        lines++;
        if (strncmp(line, "clCreateProgramWithBinary ", 26) == 0) builds++;
        if (strcmp(line, "! clCreateProgramWithBinary failed: -42\n") == 0)
            failures++;
    }
    fclose(file);
    EXPECT_GT(lines, 8);
    EXPECT_EQ(2, builds);
    EXPECT_EQ(2, failures);
}
