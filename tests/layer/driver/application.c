/* SPDX-License-Identifier: Apache-2.0 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most_variables = 16, text_size = 1024 };

/* ---- Its process --------------------------------------------------------- */

struct body {
    void (*run)(void *user);
    void *user;
};

/* exit() and not just a return: what the layer does at exit is part of it. */
static int run_body(void *user)
{
    const struct body *body = user;
    body->run(body->user);
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
}

static const char *statistics_path(void)
{
    static char path[text_size];
    (void)snprintf(path, sizeof path, "%s/statistics", test_directory());
    return path;
}

static bool is_measured; /* the test has said what compiling takes */

pid_t start_application(
        const char *const *variables, void (*body)(void *user), void *user)
{
    static char store[text_size + 32];
    static char statistics[text_size + 32];
    const char *all[most_variables + 1] = {"OPENCL_LAYERS=" LAYER,
            "FAKE_OPENCL_STRICT=1", "FAKE_OPENCL_DIE_ON_DAMAGED=1",
            "FAKE_OPENCL_BUILD_MS=20", store, statistics};
    size_t count = 6;
    struct body what = {body, user};
    (void)snprintf(
            store, sizeof store, "DNNL_CACHE_DIR=%s/store", test_directory());
    (void)snprintf(statistics, sizeof statistics, "DNNL_CACHE_STATS=%s",
            statistics_path());
    is_measured = false;
    for (; variables != NULL && *variables != NULL && count < most_variables;
            variables++) {
        is_measured = is_measured || strstr(*variables, "BUILD_MS=") != NULL;
        all[count++] = *variables;
    }
    EXPECT_TRUE(variables == NULL || *variables == NULL);
    return layer_process_start(all, run_body, &what);
}

void forget_counts(void)
{
    (void)unlink(statistics_path());
}

/* Of an application that failed: why it compiled, and did not keep. */
static void print_statistics(void)
{
    char *text = layer_process_read_file(statistics_path());
    (void)printf("its statistics: %s\n", text != NULL ? text : "none");
    free(text);
}

int run_application(
        const char *const *variables, void (*body)(void *user), void *user)
{
    forget_counts();
    const int result =
            layer_process_wait(start_application(variables, body, user));
    if (result != 0) print_statistics();
    return result;
}

/* The number behind "name": in what stands behind `from`, NULL: at its start.
 */
static unsigned long number_of(const char *from, const char *name)
{
    char quoted[64];
    unsigned long number = 0;
    char *text = layer_process_read_file(statistics_path());
    EXPECT_NOT_NULL(text);
    if (text == NULL) return 0;
    const char *at = from != NULL ? strstr(text, from) : text;
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    if (at != NULL) at = strstr(at, quoted);
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

unsigned long counted(const char *name)
{
    return number_of(NULL, name);
}

unsigned long missed_by(const char *reason)
{
    return number_of("\"misses_by\":{", reason);
}

unsigned long counted_by_all(const char *name)
{
    char quoted[64];
    unsigned long sum = 0;
    char *text = layer_process_read_file(statistics_path());
    EXPECT_NOT_NULL(text);
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at = strstr(at, quoted);
        if (at == NULL) break;
        sum += strtoul(at + strlen(quoted), NULL, 10);
    }
    free(text);
    return sum;
}

/* ---- Its objects --------------------------------------------------------- */

/* Loading must have been faster, else the layer stands aside, and asking for
 * binaries, else it leaves them to the journal: an hour is more than either
 * takes on any machine, however busy, and nobody waits for it. */
static void say_that_compiling_is_slow(void)
{
    static const uint64_t hour = UINT64_C(3600000000000);
    void (*set)(uint64_t ns) = NULL;
    void *layer = dlopen(LAYER, RTLD_LAZY | RTLD_NOLOAD);
    if (layer == NULL) return; /* the test goes without it */
    *(void **)&set = dlsym(layer, "dnnl_cache_layer_set_compile_ns");
    EXPECT_TRUE(set != NULL);
    if (set != NULL) set(hour);
    (void)dlclose(layer);
}

void application_open(struct application *a, cl_uint device_count)
{
    cl_platform_id platform = NULL;
    cl_int error = CL_SUCCESS;
    memset(a, 0, sizeof *a);
    a->device_count = device_count;
    a->is_alone = true;
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &platform, NULL));
    if (!is_measured) say_that_compiling_is_slow();
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
                                  device_count, a->devices, NULL));
    a->context =
            clCreateContext(NULL, device_count, a->devices, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    a->source_builds = fake_opencl_source_builds();
}

void application_close(struct application *a)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a->context));
    EXPECT_EQ(0, fake_opencl_misuses());
    if (a->is_alone) expect_nothing_alive();
}

/* Waits up to a minute for a count to become 0. */
static void wait_for_none(size_t (*count)(void))
{
    const struct timespec a_while = {.tv_nsec = 1000000};
    for (int i = 0; i < 60000 && count() > 0; i++)
        nanosleep(&a_while, NULL);
    EXPECT_EQ(0, count());
}

static size_t count_objects(void)
{
    return fake_opencl_live_objects(NULL);
}

static size_t count_programs(void)
{
    struct fake_opencl_objects alive;
    (void)fake_opencl_live_objects(&alive);
    return alive.programs;
}

void expect_nothing_alive(void)
{
    wait_for_none(count_objects);
}

void expect_no_programs(void)
{
    wait_for_none(count_programs);
}

unsigned long source_builds(const struct application *a)
{
    return fake_opencl_source_builds() - a->source_builds;
}

cl_program program_of_source(const struct application *a, const char *source)
{
    cl_int error = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(a->context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_NOT_NULL(program);
    return program;
}

/* What the fake compiler takes for SPIR-V: its magic number, then text. */
cl_program program_of_il(const struct application *a, const char *text)
{
    char il[text_size] = {0x03, 0x02, 0x23, 0x07};
    cl_int error = CL_SUCCESS;
    (void)snprintf(il + 4, sizeof il - 4, "%s", text);
    cl_program program =
            clCreateProgramWithIL(a->context, il, strlen(text) + 4, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_NOT_NULL(program);
    return program;
}

void build(cl_program program, const char *options)
{
    EXPECT_EQ(
            CL_SUCCESS, clBuildProgram(program, 0, NULL, options, NULL, NULL));
}

static void expect_kernel(cl_program program, const char *name)
{
    char text[text_size] = "";
    cl_uint arguments = 77;
    cl_program of = NULL;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_NOT_NULL(kernel);
    if (kernel == NULL) return;
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
                                  sizeof text, text, NULL));
    EXPECT_STR_EQ(name, text);
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS,
                                  sizeof arguments, &arguments, NULL));
    EXPECT_EQ(1, arguments);
    EXPECT_EQ(CL_SUCCESS,
            clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
    EXPECT_PTR_EQ(program, of);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
}

void expect_built(cl_program program, cl_device_id device, const char *options,
        const char *kernel)
{
    char text[text_size] = "";
    cl_build_status status = CL_BUILD_NONE;
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
                    sizeof status, &status, NULL));
    EXPECT_EQ(CL_BUILD_SUCCESS, status);
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
                    sizeof text, text, NULL));
    EXPECT_STR_EQ(options, text);
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE,
                    sizeof type, &type, NULL));
    EXPECT_EQ(CL_PROGRAM_BINARY_TYPE_EXECUTABLE, type);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
                                  sizeof text, text, NULL));
    EXPECT_STR_EQ(kernel, text);
    expect_kernel(program, kernel);
}

void use_program(
        const struct application *a, const char *kernel, const char *options)
{
    char source[text_size];
    (void)snprintf(source, sizeof source,
            "kernel void %s(global float *x) { *x = 1.0f; }", kernel);
    cl_program program = program_of_source(a, source);
    build(program, options);
    for (cl_uint i = 0; i < a->device_count; i++)
        expect_built(program, a->devices[i], options, kernel);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}
