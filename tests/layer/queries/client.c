/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include "answers.h"
#include "questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PLATFORMS = 16, NUMBERS = 8 };

const char scale_source[] = "#ifndef BY\n"
                            "#define BY 1\n"
                            "#endif\n"
                            "__kernel void scale(__global float *x, float by)\n"
                            "{ x[get_global_id(0)] *= by * BY; }\n";

/* Oclgrind dies of misuse, never returns from calls that are newer than OpenCL
 * 1.2, and answers CL_KERNEL_ATTRIBUTES with bytes that it has freed: no two of
 * its runs can be compared. */
static bool can_be_compared(const char *platform)
{
    return strcmp(platform, "Oclgrind") != 0;
}

static bool find_device(struct client *client, const char *wanted)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;

    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return false;
    if (count > MAX_PLATFORMS) count = MAX_PLATFORMS;
    for (cl_uint i = 0; i < count; i++) {
        char name[256] = "";

        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        client->platform = platforms[i];
        client->is_fragile = strcmp(name, "Intel(R) OpenCL") == 0;
        client->dies_of_objects =
                client->is_fragile || getenv("FAKE_OPENCL_INTEL_CPU") != NULL;
        client->links_blindly = strcmp(name, "NVIDIA CUDA") == 0;
        client->reads_parts_late =
                strcmp(name, "Portable Computing Language") == 0;
        if (strstr(name, wanted) != NULL && can_be_compared(name)
                && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1,
                           &client->device, NULL)
                           == CL_SUCCESS)
            return true;
    }
    return false;
}

bool client_open(struct client *client, const char *platform)
{
    memset(client, 0, sizeof(*client));
    if (!find_device(client, platform)) return false;
    client->context =
            clCreateContext(NULL, 1, &client->device, NULL, NULL, NULL);
    client->queue = clCreateCommandQueueWithProperties(
            client->context, client->device, NULL, NULL);
    handle_set_name(client->device, "the device");
    handle_set_name(client->context, "the context");
    if (client->queue != NULL) return true;
    client_close(client);
    return false;
}

void client_close(struct client *client)
{
    handle_forget(client->context);
    handle_forget(client->device);
    if (client->queue != NULL) clReleaseCommandQueue(client->queue);
    if (client->context != NULL) clReleaseContext(client->context);
}

cl_program make_program(
        cl_context context, const char *name, const char *source)
{
    cl_int status = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &status);

    if (program == NULL) answer_status(name, status);
    handle_set_name(program, name);
    return program;
}

void forget_program(cl_program program)
{
    if (program == NULL) return;
    handle_forget(program);
    clReleaseProgram(program);
}

bool build_program(cl_program program, const char *options)
{
    return answer_status(handle_name(program),
            clBuildProgram(program, 0, NULL, options, NULL, NULL));
}

cl_kernel make_kernel(cl_program program, const char *name)
{
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    answer("kernel %s of <%s>: %s", name, handle_name(program),
            status_name(status));
    handle_set_name(kernel, name);
    return kernel;
}

void forget_kernel(cl_kernel kernel)
{
    if (kernel == NULL) return;
    handle_forget(kernel);
    clReleaseKernel(kernel);
}

static void answer_numbers(const char *subject, const float *numbers)
{
    char text[256];
    size_t length = 0;

    for (size_t i = 0; i < NUMBERS; i++) {
        int added = snprintf(text + length, sizeof(text) - length, " %g",
                (double)numbers[i]);

        if (added < 0 || (size_t)added >= sizeof(text) - length) break;
        length += (size_t)added;
    }
    answer("%s computes%s", subject, text);
}

/* A driver's own threads let go of what they ran a little after it is done. */
static void wait_for_references(cl_kernel kernel, cl_uint before)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 60000 && kernel_references(kernel) > before; i++)
        nanosleep(&pause, NULL);
}

void run_kernel(cl_context context, cl_command_queue queue, const char *subject,
        cl_kernel kernel)
{
    static const size_t global = NUMBERS;
    const float by = 2;
    const cl_uint references = kernel_references(kernel);
    float numbers[NUMBERS];
    cl_int status;
    cl_mem memory;

    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (float)i;
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            sizeof(numbers), numbers, &status);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(kernel, 0, sizeof(memory), &memory);
    if (status == CL_SUCCESS)
        status = clSetKernelArg(kernel, 1, sizeof(by), &by);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(
                queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof(numbers),
                numbers, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        answer_numbers(subject, numbers);
    else
        answer_status(subject, status);
    if (memory != NULL) clReleaseMemObject(memory);
    wait_for_references(kernel, references);
}

void try_program(const struct client *client, cl_program program,
        const char *options, const char *name)
{
    const char *subject = handle_name(program);
    cl_kernel kernel = NULL;

    if (program != NULL && build_program(program, options))
        kernel = make_kernel(program, name);
    if (kernel == NULL) return;
    run_kernel(client->context, client->queue, subject, kernel);
    forget_kernel(kernel);
}
