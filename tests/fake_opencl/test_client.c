/* SPDX-License-Identifier: Apache-2.0 */
/* Another process under the driver: test_client ACTION (name, fail, misuse,
 * damaged or binary). It ends with 0 if what the action expects is so. */
#include <CL/cl.h>

#include <string.h>

static int has_name(cl_device_id device)
{
    char name[64] = "";

    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL);
    return strcmp(name, "from outside") == 0;
}

static int build_fails(cl_context context)
{
    const char *source = "kernel void a() {}";
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, NULL);

    if (program == NULL) return 1;
    return clBuildProgram(program, 0, NULL, "", NULL, NULL)
           == CL_BUILD_PROGRAM_FAILURE;
}

static int misuse_is_refused(cl_context context)
{
    clReleaseContext(context);
    return clReleaseContext(context) == CL_INVALID_CONTEXT;
}

static int damaged_is_refused(cl_context context, cl_device_id device)
{
    const unsigned char *bytes = (const unsigned char *)"damaged";
    const size_t size = 7;
    cl_int st = CL_SUCCESS;

    clCreateProgramWithBinary(context, 1, &device, &size, &bytes, NULL, &st);
    return st == CL_INVALID_BINARY;
}

/* Builds a program, and one of its binary. */
static int binary_is_built(cl_context context, cl_device_id device)
{
    const char *source = "kernel void own() {}";
    unsigned char bytes[1024], *to = bytes;
    const unsigned char *from = bytes;
    size_t size = sizeof(bytes);
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, NULL);

    if (clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS
            || clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
                       &size, NULL)
                       != CL_SUCCESS
            || size > sizeof(bytes)
            || clGetProgramInfo(
                       program, CL_PROGRAM_BINARIES, sizeof(to), &to, NULL)
                       != CL_SUCCESS)
        return 0;
    program = clCreateProgramWithBinary(
            context, 1, &device, &size, &from, NULL, NULL);
    return clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device = NULL;
    cl_context context;
    int fine = 0;

    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        return 2;
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (strcmp(argv[1], "name") == 0) fine = has_name(device);
    if (strcmp(argv[1], "fail") == 0) fine = build_fails(context);
    if (strcmp(argv[1], "misuse") == 0) fine = misuse_is_refused(context);
    if (strcmp(argv[1], "binary") == 0) fine = binary_is_built(context, device);
    if (strcmp(argv[1], "damaged") == 0)
        fine = damaged_is_refused(context, device);
    return fine ? 0 : 1;
}
