/* SPDX-License-Identifier: Apache-2.0 */
/* Other ways to the same functions: extensions and several threads. */
/* Old calls are calls, too. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include "answers.h"
#include "client.h"
#include "questions.h"

#include <CL/cl_ext.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- Functions that are looked up ---------------------------------------- */

typedef void function(void);

/* By both calls for it; NULL: not found by either. What a driver has under its
 * own platform may be all it has. */
static function *look_up(const struct client *client, const char *name)
{
    void *of_platform =
            clGetExtensionFunctionAddressForPlatform(client->platform, name);
    void *of_any = clGetExtensionFunctionAddress(name);
    function *found = NULL;

    answer("%s: %s, %s", name, of_platform != NULL ? "found" : "not found",
            of_any != NULL ? "found" : "not found");
    if (of_platform != NULL) memcpy(&found, &of_platform, sizeof(found));
    return found;
}

static void ask_looked_up_build(const struct client *client, cl_program program)
{
    function *found = look_up(client, "clGetProgramBuildInfo");
    char log[256] = "";
    cl_int(CL_API_CALL * call)(cl_program, cl_device_id, cl_program_build_info,
            size_t, void *, size_t *);

    if (found == NULL) return;
    memcpy(&call, &found, sizeof(call));
    answer_status("options, looked up",
            call(program, client->device, CL_PROGRAM_BUILD_OPTIONS, sizeof(log),
                    log, NULL));
    answer("which are %s", log);
}

/* The loader finds functions that the driver may not have. */
static bool has_extension(const struct client *client, const char *name)
{
    char names[16384] = "";

    clGetDeviceInfo(
            client->device, CL_DEVICE_EXTENSIONS, sizeof(names), names, NULL);
    return strstr(names, name) != NULL;
}

static void ask_looked_up_sub_groups(
        const struct client *client, cl_kernel kernel)
{
    static const size_t size = 8;
    function *found = look_up(client, "clGetKernelSubGroupInfoKHR");
    size_t value = 0;
    clGetKernelSubGroupInfoKHR_fn call;

    if (found == NULL || !has_extension(client, "cl_khr_subgroups")) return;
    memcpy(&call, &found, sizeof(call));
    answer_status("sub-groups, looked up",
            call(kernel, client->device,
                    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR, sizeof(size),
                    &size, sizeof(value), &value, NULL));
    answer("which is %zu", value);
}

static void ask_looked_up_local_size(
        const struct client *client, cl_kernel kernel)
{
    static const size_t global = 8;
    function *found = look_up(client, "clGetKernelSuggestedLocalWorkSizeKHR");
    size_t local = 0;
    clGetKernelSuggestedLocalWorkSizeKHR_fn call;

    if (found == NULL) return;
    memcpy(&call, &found, sizeof(call));
    answer_status("local size, looked up",
            call(client->queue, kernel, 1, NULL, &global, &local));
    answer("which is %zu", local);
}

static void build_looked_up_il(const struct client *client)
{
    static const char il[] = "\x03\x02\x23\x07"
                             "kernel void scale(global float *x, float by) {}";
    function *found = look_up(client, "clCreateProgramWithILKHR");
    clCreateProgramWithILKHR_fn call;
    cl_int status = CL_SUCCESS;
    cl_program program;

    if (found == NULL || client->is_fragile) return;
    memcpy(&call, &found, sizeof(call));
    program = call(client->context, il, sizeof(il) - 1, &status);
    answer_status("program of IL, looked up", status);
    if (program == NULL) return;
    handle_set_name(program, "looked up");
    ask_program("looked up", program, 0);
    try_program(client, program, "", "scale");
    forget_program(program);
}

void scene_extensions(const struct client *client)
{
    cl_program program = make_program(client->context, "found", scale_source);
    cl_kernel kernel = NULL;

    look_up(client, "clNoSuchFunction");
    build_looked_up_il(client);
    if (program != NULL && build_program(program, "-DBY=2"))
        kernel = make_kernel(program, "scale");
    if (kernel != NULL) {
        ask_looked_up_build(client, program);
        ask_looked_up_sub_groups(client, kernel);
        ask_looked_up_local_size(client, kernel);
    }
    forget_kernel(kernel);
    forget_program(program);
}

/* ---- Threads ------------------------------------------------------------- */

enum { THREADS = 4 };

/* One thread's program, and what became of it. */
struct worker {
    const struct client *client;
    pthread_t thread;
    unsigned number;
    cl_int status;
    cl_uint references;
    char options[64], built_with[64], name[64];
};

/* Pairs of threads build the same. */
static void *work(void *user)
{
    struct worker *worker = user;
    const char *source = scale_source;
    cl_program program = clCreateProgramWithSource(
            worker->client->context, 1, &source, NULL, &worker->status);
    cl_kernel kernel = NULL;

    snprintf(worker->options, sizeof(worker->options), "-DBY=%u",
            2 + worker->number / 2);
    if (program == NULL) return NULL;
    worker->status =
            clBuildProgram(program, 0, NULL, worker->options, NULL, NULL);
    clGetProgramBuildInfo(program, worker->client->device,
            CL_PROGRAM_BUILD_OPTIONS, sizeof(worker->built_with),
            worker->built_with, NULL);
    if (worker->status == CL_SUCCESS)
        kernel = clCreateKernel(program, "scale", &worker->status);
    if (kernel != NULL) {
        clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(worker->name),
                worker->name, NULL);
        worker->references = program_references(program);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return NULL;
}

void scene_threads(const struct client *client)
{
    struct worker workers[THREADS];

    memset(workers, 0, sizeof(workers));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].client = client;
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            answer("no thread %u", i);
            return;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        struct worker *worker = &workers[i];

        pthread_join(worker->thread, NULL);
        answer("thread %u: %s, %s for %s, kernel %s, %u references", i,
                status_name(worker->status), worker->built_with,
                worker->options, worker->name, worker->references);
    }
}
