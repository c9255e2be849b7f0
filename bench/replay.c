/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "failure.h"

enum { BUFFER_SIZE = 64 };

static bool make_kernel(const struct device *device, cl_program program,
        const struct recipe *recipe, cl_kernel *kernel)
{
    cl_int error = clBuildProgram(
            program, 1, &device->id, recipe->options, NULL, NULL);
    if (!cl_succeeded(error, "clBuildProgram")) return false;
    *kernel = clCreateKernel(program, recipe->kernel, &error);
    return cl_succeeded(error, "clCreateKernel");
}

bool replay_binary(const struct device *device, cl_context context,
        const struct recipe *recipe, const struct bytes *binary,
        cl_program *program, cl_kernel *kernel)
{
    cl_int error;
    const unsigned char *data = binary->data;
    cl_program made = clCreateProgramWithBinary(
            context, 1, &device->id, &binary->size, &data, NULL, &error);
    if (!cl_succeeded(error, "clCreateProgramWithBinary")) return false;
    if (!make_kernel(device, made, recipe, kernel)) {
        clReleaseProgram(made);
        return false;
    }
    *program = made;
    return true;
}

static bool set_arguments(
        const struct recipe *recipe, cl_kernel kernel, cl_mem buffer)
{
    for (cl_uint i = 0; i < recipe->argument_count; i++) {
        const struct recipe_argument *a = &recipe->arguments[i];
        bool is_buffer = a->kind == argument_buffer;
        cl_int error =
                is_buffer ? clSetKernelArg(kernel, i, sizeof buffer, &buffer)
                          : clSetKernelArg(kernel, i, a->size, a->value);
        if (!cl_succeeded(error, "clSetKernelArg")) return false;
    }
    return true;
}

static bool launch(const struct device *device, cl_context context,
        const struct recipe *recipe, cl_kernel kernel)
{
    cl_int error;
    cl_mem buffer = NULL;
    cl_command_queue queue =
            clCreateCommandQueue(context, device->id, 0, &error);
    bool done = cl_succeeded(error, "clCreateCommandQueue");
    if (!done) return false;
    buffer = clCreateBuffer(
            context, CL_MEM_READ_WRITE, BUFFER_SIZE, NULL, &error);
    done = cl_succeeded(error, "clCreateBuffer");
    if (!done) goto out;
    done = set_arguments(recipe, kernel, buffer)
           && cl_succeeded(
                   clEnqueueNDRangeKernel(queue, kernel, recipe->work_dim, NULL,
                           recipe->global, recipe->local, 0, NULL, NULL),
                   "clEnqueueNDRangeKernel")
           && cl_succeeded(clFinish(queue), "clFinish");
    clReleaseMemObject(buffer);
out:
    clReleaseCommandQueue(queue);
    return done;
}

static bool query_binary(cl_program program, struct bytes *binary)
{
    size_t size = 0;
    if (!cl_succeeded(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                              sizeof size, &size, NULL),
                "clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)")
            || !bytes_resize(binary, size))
        return false;
    return cl_succeeded(clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                sizeof binary->data, &binary->data, NULL),
            "clGetProgramInfo(CL_PROGRAM_BINARIES)");
}

bool replay_source(const struct device *device, cl_context context,
        const struct recipe *recipe, struct bytes *binary, cl_program *program,
        cl_kernel *kernel)
{
    cl_int error;
    cl_kernel made_kernel = NULL;
    const char *source = recipe->source;
    cl_program made = clCreateProgramWithSource(
            context, 1, &source, &recipe->source_size, &error);
    if (!cl_succeeded(error, "clCreateProgramWithSource")) return false;
    if (make_kernel(device, made, recipe, &made_kernel)
            && (recipe->work_dim == 0
                    || launch(device, context, recipe, made_kernel))
            && query_binary(made, binary)) {
        *program = made;
        *kernel = made_kernel;
        return true;
    }
    if (made_kernel != NULL) clReleaseKernel(made_kernel);
    clReleaseProgram(made);
    return false;
}
