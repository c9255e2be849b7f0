/* SPDX-License-Identifier: Apache-2.0 */
/* A loader that takes the layer in and lets it go, again and again: this one is
 * the test itself, on the fake driver's own calls. */
#include "fake_opencl_control.h"
#include "layer/calls/layer_api.h"
#include "layer_process.h"
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { text_size = 600, entries = sizeof(cl_icd_dispatch) / sizeof(void *) };

/* ---- The loader ---------------------------------------------------------- */

static __typeof__(&clInitLayer) init;
static __typeof__(&clInitLayerWithProperties) init_with_properties;
static __typeof__(&clDeinitLayer) deinit;

static cl_platform_id platform;
static cl_icd_dispatch below; /* the driver's calls */
static const cl_icd_dispatch *above;
static unsigned long calls_at_end; /* of the driver; 0: it may be called */

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    EXPECT_NOT_NULL(found);
    memcpy(function, &found, sizeof found);
}

/* On a busy machine loading may be no faster than the fake driver compiles: it
 * is told that this takes an hour. */
static void load_layer(void)
{
    void (*set_compile_ns)(uint64_t ns);
    void *layer = dlopen(LAYER, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NOT_NULL(layer);
    find(layer, "dnnl_cache_layer_set_compile_ns", &set_compile_ns);
    set_compile_ns(UINT64_C(3600000000000));
    find(layer, "clInitLayer", &init);
    find(layer, "clInitLayerWithProperties", &init_with_properties);
    find(layer, "clDeinitLayer", &deinit);
}

static void load_driver(void)
{
    const cl_icd_dispatch *dispatch;
    void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
    void *(CL_API_CALL * address_of)(const char *name);
    __typeof__(&clGetPlatformIDs) get_platforms;
    EXPECT_NOT_NULL(driver);
    find(driver, "clGetExtensionFunctionAddress", &address_of);
    void *found = address_of("clIcdGetPlatformIDsKHR");
    memcpy(&get_platforms, &found, sizeof found);
    EXPECT_EQ(CL_SUCCESS, get_platforms(1, &platform, NULL));
    memcpy(&dispatch, platform, sizeof dispatch);
    below = *dispatch;
}

static void take_layer(void)
{
    cl_uint count = 0;
    calls_at_end = 0;
    EXPECT_EQ(CL_SUCCESS,
            init_with_properties(entries, &below, &count, &above, NULL));
    EXPECT_TRUE(count > 0);
}

/* As a loader that closes the driver then; the process ends badly if something
 * calls it later. */
static void let_layer_go(void)
{
    EXPECT_EQ(CL_SUCCESS, deinit());
    calls_at_end = fake_opencl_total_calls();
}

static void check_calls(void)
{
    enum { called_late = 70 };
    if (calls_at_end != 0 && fake_opencl_total_calls() != calls_at_end)
        _exit(called_late);
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') count++;
    if (folder != NULL) (void)closedir(folder);
    return count;
}

/* The kernel lists a thread for a moment after it was joined. ThreadSanitizer
 * has threads of its own. */
static void expect_one_thread(void)
{
#ifdef DNNL_CACHE_TEST_TSAN
    EXPECT_TRUE(count_threads() > 0);
#else
    enum { moment_us = 1000, most_moments = 120000 };
    for (int i = 0; i < most_moments && count_threads() > 1; i++)
        (void)usleep(moment_us);
    EXPECT_EQ(1, count_threads());
#endif
}

/* ---- The application ----------------------------------------------------- */

static cl_context new_context(cl_device_id *device)
{
    EXPECT_EQ(CL_SUCCESS, above->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1,
                                  device, NULL));
    cl_context context =
            above->clCreateContext(NULL, 1, device, NULL, NULL, NULL);
    EXPECT_NOT_NULL(context);
    return context;
}

static cl_program build(
        cl_context context, cl_device_id device, const char *source)
{
    cl_program program =
            above->clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    EXPECT_NOT_NULL(program);
    EXPECT_EQ(CL_SUCCESS,
            above->clBuildProgram(program, 1, &device, "", NULL, NULL));
    return program;
}

/* What the application has of the driver's objects, and nobody else. */
static void expect_alive(size_t contexts, size_t programs, size_t kernels)
{
    struct fake_opencl_objects alive;
    (void)fake_opencl_live_objects(&alive);
    EXPECT_EQ(contexts, alive.contexts);
    EXPECT_EQ(programs, alive.programs);
    EXPECT_EQ(kernels, alive.kernels);
}

/* ---- Its process --------------------------------------------------------- */

struct body {
    void (*run)(void);
};

static int run_body(void *user)
{
    const struct body *body = user;
    load_driver();
    fake_opencl_control_open(DRIVER);
    (void)atexit(check_calls); /* after all others */
    load_layer();
    body->run();
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* expected: part of what the layer counted; NULL: nothing is looked at. */
static void run(void (*function)(void), const char *expected)
{
    static char store[text_size];
    static char statistics[text_size + 40];
    char path[text_size];
    const char *const variables[] = {store, statistics, "FAKE_OPENCL_STRICT=1",
            "FAKE_OPENCL_BUILD_MS=20", "DNNL_CACHE_PRINT_DEBUG=1", NULL};
    struct body body = {function};
    (void)snprintf(path, sizeof path, "%s/counted", test_directory());
    (void)snprintf(
            store, sizeof store, "DNNL_CACHE_DIR=%s/store", test_directory());
    (void)snprintf(statistics, sizeof statistics, "DNNL_CACHE_STATS=%s", path);
    EXPECT_EQ(0, layer_process_run(variables, run_body, &body));
    char *counted = layer_process_read_file(path);
    if (expected != NULL
            && (counted == NULL || strstr(counted, expected) == NULL))
        test_fail(__FILE__, __LINE__, "no %s in %s", expected,
                counted != NULL ? counted : "nothing");
    free(counted);
    (void)remove(path);
}

/* ---- What it is asked ---------------------------------------------------- */

static void ask(void)
{
    const cl_layer_properties none[] = {CL_LAYER_PROPERTIES_LIST_END};
    const cl_layer_properties unknown[] = {
            0x4242, 1, CL_LAYER_PROPERTIES_LIST_END};
    const cl_icd_dispatch *table = NULL;
    cl_uint count = 12;
    EXPECT_TRUE(deinit() != CL_SUCCESS);
    EXPECT_EQ(CL_INVALID_PROPERTY,
            init_with_properties(entries, &below, &count, &table, unknown));
    EXPECT_EQ(CL_INVALID_VALUE,
            init_with_properties(3, &below, &count, &table, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            init_with_properties(entries, NULL, &count, &table, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            init_with_properties(entries, &below, NULL, &table, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            init_with_properties(entries, &below, &count, NULL, NULL));
    EXPECT_TRUE(table == NULL && count == 12);
    EXPECT_TRUE(deinit() != CL_SUCCESS);
    EXPECT_EQ(CL_SUCCESS,
            init_with_properties(entries, &below, &count, &table, none));
    EXPECT_TRUE(table != NULL && count == entries);
    EXPECT_EQ(CL_SUCCESS, deinit());
    EXPECT_TRUE(deinit() != CL_SUCCESS);
}

TEST_C(LayerEnd, FollowsTheSpecificationOfLayers)
{
    run(ask, NULL);
}

/* ---- What is held then --------------------------------------------------- */

static size_t programs_at_end; /* that the application and its kernel have */

static void end_with_objects(void)
{
    cl_device_id device;
    take_layer();
    cl_context context = new_context(&device);
    cl_program kept = build(context, device, "kernel void a() {}");
    cl_program gone = build(context, device, "kernel void b() {}");
    cl_kernel kernel = above->clCreateKernel(kept, "a", NULL);
    EXPECT_NOT_NULL(kernel);
    EXPECT_EQ(CL_SUCCESS, above->clReleaseProgram(gone));
    let_layer_go();
    expect_alive(1, programs_at_end, 1);
    expect_one_thread();
    check_calls();
    /* What the application has is its own, as without the layer. */
    EXPECT_EQ(CL_SUCCESS, below.clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, below.clReleaseProgram(kept));
    EXPECT_EQ(CL_SUCCESS, below.clReleaseContext(context));
    EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    calls_at_end = fake_opencl_total_calls();
}

/* The second time the kernel is of a program that was loaded. */
TEST_C(LayerEnd, KeepsWhatIsLeftAndHoldsNothing)
{
    programs_at_end = 1;
    run(end_with_objects, "\"kept\":2,");
    programs_at_end = 2;
    run(end_with_objects, "\"hits\":2,");
}

static void come_and_go(void)
{
    for (int i = 0; i < 20; i++) {
        cl_device_id device;
        take_layer();
        cl_context context = new_context(&device);
        cl_program program = build(context, device, "kernel void a() {}");
        if (i % 2 == 0) {
            EXPECT_EQ(CL_SUCCESS, above->clReleaseProgram(program));
            EXPECT_EQ(CL_SUCCESS, above->clReleaseContext(context));
        }
        let_layer_go();
        expect_one_thread();
        check_calls();
        if (i % 2 == 0) continue;
        EXPECT_EQ(CL_SUCCESS, below.clReleaseProgram(program));
        EXPECT_EQ(CL_SUCCESS, below.clReleaseContext(context));
        EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    }
    calls_at_end = fake_opencl_total_calls();
}

TEST_C(LayerEnd, IsFollowedByAnotherBeginning)
{
    run(come_and_go, "\"kept\":1,");
    run(come_and_go, "\"hits\":20,");
}

/* ---- What is under way then ---------------------------------------------- */

static void *unblock_sizes(void *unused)
{
    (void)usleep(50000);
    fake_opencl_block_sizes(false);
    return unused;
}

static void end_during_capture(void)
{
    cl_device_id device;
    pthread_t other;
    take_layer();
    cl_context context = new_context(&device);
    cl_program program = build(context, device, "kernel void a() {}");
    fake_opencl_block_sizes(true);
    EXPECT_EQ(CL_SUCCESS, above->clReleaseProgram(program));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_sizes(1));
    EXPECT_EQ(0, pthread_create(&other, NULL, unblock_sizes, NULL));
    let_layer_go();
    EXPECT_EQ(0, pthread_join(other, NULL));
    expect_one_thread();
    expect_alive(1, 0, 0);
    check_calls();
}

TEST_C(LayerEnd, WaitsForTheCapture)
{
    run(end_during_capture, "\"kept\":1,");
}

static atomic_int built; /* what the build that went on said */

struct late_build {
    cl_context context;
    cl_device_id device;
    cl_program program;
};

static void *build_late(void *user)
{
    const struct late_build *late = user;
    atomic_store(&built, above->clBuildProgram(late->program, 1, &late->device,
                                 "", NULL, NULL));
    return NULL;
}

/* Of the application's: the driver stays until it has returned. */
static void end_during_build(void)
{
    const char *source = "kernel void a() {}";
    struct late_build late;
    pthread_t other;
    take_layer();
    late.context = new_context(&late.device);
    late.program = above->clCreateProgramWithSource(
            late.context, 1, &source, NULL, NULL);
    fake_opencl_block_builds(true);
    atomic_store(&built, 1);
    EXPECT_EQ(0, pthread_create(&other, NULL, build_late, &late));
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    EXPECT_EQ(CL_SUCCESS, deinit());
    fake_opencl_block_builds(false);
    EXPECT_EQ(0, pthread_join(other, NULL));
    EXPECT_EQ(CL_SUCCESS, atomic_load(&built));
    EXPECT_EQ(CL_SUCCESS, below.clReleaseProgram(late.program));
    EXPECT_EQ(CL_SUCCESS, below.clReleaseContext(late.context));
    EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    calls_at_end = fake_opencl_total_calls();
}

TEST_C(LayerEnd, DoesNotWaitForTheApplication)
{
    run(end_during_build, "\"kept\":0,");
}

/* ---- Several loaders ----------------------------------------------------- */

static unsigned own_creations;

static cl_program CL_API_CALL count_creation(cl_context context, cl_uint count,
        const char **strings, const size_t *sizes, cl_int *err)
{
    own_creations++;
    const cl_icd_dispatch *dispatch;
    memcpy(&dispatch, context, sizeof dispatch);
    return dispatch->clCreateProgramWithSource(
            context, count, strings, sizes, err);
}

static void end_with_one_loader(void)
{
    cl_device_id device;
    __typeof__(&clGetPlatformIDs) get_platforms;
    __typeof__(&clCreateProgramWithSource) create_program;
    __typeof__(&clBuildProgram) build_program;
    const char *source = "kernel void b() {}";
    below.clCreateProgramWithSource = count_creation;
    take_layer();
    void *other = dlopen(STAND_IN "/libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    EXPECT_NOT_NULL(other);
    find(other, "clGetPlatformIDs", &get_platforms);
    find(other, "clCreateProgramWithSource", &create_program);
    find(other, "clBuildProgram", &build_program);
    EXPECT_EQ(CL_SUCCESS, get_platforms(1, &platform, NULL));
    cl_context context = new_context(&device);
    (void)build(context, device, "kernel void a() {}");
    EXPECT_EQ(1, own_creations);
    EXPECT_EQ(CL_SUCCESS, deinit());
    /* The other one has the layer still, and no call goes through the first. */
    cl_program program = create_program(context, 1, &source, NULL, NULL);
    EXPECT_EQ(CL_SUCCESS, build_program(program, 1, &device, "", NULL, NULL));
    EXPECT_EQ(1, own_creations);
}

TEST_C(LayerEnd, LeavesOtherLoadersTheirLayer)
{
    (void)setenv("OPENCL_LAYERS", LAYER, 1);
    (void)setenv("OCL_ICD_FILENAMES", DRIVER, 1);
    run(end_with_one_loader, "\"kept\":2,");
    run(end_with_one_loader, "\"hits\":2,");
    (void)unsetenv("OPENCL_LAYERS");
    (void)unsetenv("OCL_ICD_FILENAMES");
}
