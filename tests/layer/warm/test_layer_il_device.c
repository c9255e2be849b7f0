/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of IL with specialization constants on a real driver that takes
 * SPIR-V: what they compute without the layer, with an empty store, and with
 * the store that this filled. Each value has an entry of its own.
 */
#include "layer_process.h"
#include "test.h"
#include "test_platform.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { cannot_be_tested = 77, path_size = 512, most_il = 1024 };

/* tests/data/il/store.spv writes `value`, and 1000 more for `flag`. */
enum { id_value = 7, id_flag = 9, usual_value = 5 };

struct il_case {
    bool is_set;
    cl_uint value;
    cl_uchar flag;
    cl_uint result;
};

static const struct il_case cases[] = {
        {false, 0, 0, usual_value},
        {true, 42, 0, 42},
        {true, 43, 0, 43},
        {true, 42, 1, 1042},
};

/* ---- A client ------------------------------------------------------------ */

static bool takes_il(cl_device_id device)
{
    char version[256] = "";
    return device != NULL
           && clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version,
                      version, NULL)
                      == CL_SUCCESS
           && version[0] != '\0';
}

static cl_program make_program(cl_context context)
{
    unsigned char il[most_il];
    cl_int error = CL_SUCCESS;
    FILE *file = fopen(DNNL_CACHE_TEST_DATA_DIR "/il/store.spv", "rb");
    if (file == NULL) abort();
    const size_t size = fread(il, 1, sizeof il, file);
    EXPECT_EQ(0, fclose(file));
    cl_program program = clCreateProgramWithIL(context, il, size, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return program;
}

static void build(cl_program program, const struct il_case *c)
{
    if (c->is_set) {
        EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(program,
                                      id_value, sizeof c->value, &c->value));
        EXPECT_EQ(CL_SUCCESS, clSetProgramSpecializationConstant(program,
                                      id_flag, sizeof c->flag, &c->flag));
    }
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
}

static cl_uint run_kernel(cl_context context, cl_program program)
{
    const size_t one = 1;
    cl_uint result = 0;
    cl_int error = CL_SUCCESS;
    cl_device_id device = test_platform_device();
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_mem out = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, sizeof result, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "store", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof out, &out));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  &one, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, out, CL_TRUE, 0,
                                  sizeof result, &result, 0, NULL, NULL));
    (void)clReleaseKernel(kernel);
    (void)clReleaseMemObject(out);
    (void)clReleaseCommandQueue(queue);
    return result;
}

static cl_context open_context(void)
{
    cl_int error = CL_SUCCESS;
    cl_device_id device = test_platform_device();
    if (!takes_il(device)) exit(cannot_be_tested);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return context;
}

/* Ends the process as the layer expects it. */
static int end(cl_context context)
{
    (void)clReleaseContext(context);
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* A program for each. */
static int use_each(void *user)
{
    cl_context context = open_context();
    (void)user;
    for (size_t i = 0; i < COUNT(cases); i++) {
        cl_program program = make_program(context);
        build(program, &cases[i]);
        EXPECT_EQ(cases[i].result, run_kernel(context, program));
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    }
    return end(context);
}

/* One program for all that are set. Intel's driver for CPUs (2026.22) has the
 * constants of the first build for ever; the layer, which still needs that
 * build, compiles the others in programs of their own. */
static int specialize_one(void *user)
{
    cl_context context = open_context();
    cl_program program = make_program(context);
    (void)user;
    for (size_t i = 1; i < COUNT(cases); i++) {
        build(program, &cases[i]);
        EXPECT_EQ(cases[i].result, run_kernel(context, program));
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    return end(context);
}

/* ---- Its processes ------------------------------------------------------- */

static int run_body(int (*body)(void *user), const char *layers,
        const char *store, const char *record)
{
    static char places[4][path_size + 32];
    const char *const variables[] = {layers, places[0], places[1], places[3],
            "DNNL_CACHE_CAPTURE_NOW=1", "POCL_KERNEL_CACHE=0",
            record != NULL ? places[2] : NULL, NULL};
    (void)snprintf(
            places[0], sizeof places[0], "DNNL_CACHE_DIR=%s", in_test(store));
    (void)snprintf(places[1], sizeof places[1], "DNNL_CACHE_STATS=%s",
            in_test("statistics"));
    (void)snprintf(places[2], sizeof places[2], "DNNL_CACHE_RECORD=%s",
            record != NULL ? record : "");
    (void)snprintf(places[3], sizeof places[3], "DNNL_CACHE_TEST_PLATFORM=%s",
            test_platform_name());
    (void)unlink(in_test("statistics"));
    return layer_process_run(variables, body, NULL);
}

static int run(const char *layers, const char *store, const char *record)
{
    return run_body(use_each, layers, store, record);
}

static unsigned long counted(const char *name)
{
    char quoted[64];
    char *text = layer_process_read_file(in_test("statistics"));
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    EXPECT_NOT_NULL(text);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    const unsigned long number =
            at != NULL ? strtoul(at + strlen(quoted), NULL, 10) : 0;
    free(text);
    return number;
}

static void expect_all_hits(const char *store)
{
    EXPECT_EQ(0, run("OPENCL_LAYERS=" LAYER, store, NULL));
    EXPECT_EQ(COUNT(cases), counted("hits"));
    EXPECT_EQ(0, counted("misses"));
}

TEST_C(LayerIlDevice, HasAnEntryForEachValueOfAConstant)
{
    const int bare = run("OPENCL_LAYERS=", "store", NULL);
    if (bare == cannot_be_tested) SKIP_TEST("the driver takes no IL");
    EXPECT_EQ(0, bare);
    EXPECT_EQ(0, run("OPENCL_LAYERS=" LAYER, "store", NULL));
    EXPECT_EQ(COUNT(cases), counted("kept"));
    EXPECT_EQ(COUNT(cases), counted("misses"));
    expect_all_hits("store");
}

/* A record has the constants, too. */
TEST_C(LayerIlDevice, IsMadeOfARecordForEachValue)
{
    char record[path_size];
    char command[3 * path_size];
    (void)snprintf(record, sizeof record, "%.400s", in_test("record"));
    const int code = run("OPENCL_LAYERS=" LAYER, "store", record);
    if (code == cannot_be_tested) SKIP_TEST("the driver takes no IL");
    EXPECT_EQ(0, code);
    (void)snprintf(command, sizeof command,
            "env -u OPENCL_LAYERS '" TOOL "' replay '%s' --quiet --store '%s'",
            record, in_test("made"));
    EXPECT_EQ(0, system(command));
    expect_all_hits("made");
}

/* No entry has other constants than its ID, whatever the driver makes of a
 * program that is specialized again. */
TEST_C(LayerIlDevice, IsRightAfterAProgramThatWasSpecializedAgain)
{
    const int code =
            run_body(specialize_one, "OPENCL_LAYERS=" LAYER, "store", NULL);
    if (code == cannot_be_tested) SKIP_TEST("the driver takes no IL");
    EXPECT_EQ(0, code);
    EXPECT_GE(counted("kept"), 1);
    EXPECT_EQ(0, run("OPENCL_LAYERS=" LAYER, "store", NULL));
    EXPECT_GE(counted("hits"), 1);
    expect_all_hits("store");
}
