/* SPDX-License-Identifier: Apache-2.0 */
/* Loads OpenCL's loader, builds a program on the first device, unloads the
 * loader, and ends: as applications do that can do without OpenCL. */
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static void *loader;

/* A function of the loader's, by its name, into a pointer to such a function.
 */
static int find(const char *name, void *function)
{
    void *found = dlsym(loader, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static int build(void)
{
    const char *source = "kernel void a() {}";
    __typeof__(&clGetPlatformIDs) get_platforms;
    __typeof__(&clGetDeviceIDs) get_devices;
    __typeof__(&clCreateContext) create_context;
    __typeof__(&clCreateProgramWithSource) create_program;
    __typeof__(&clBuildProgram) build_program;
    cl_platform_id platform;
    cl_device_id device;

    if (!find("clGetPlatformIDs", &get_platforms)
            || !find("clGetDeviceIDs", &get_devices)
            || !find("clCreateContext", &create_context)
            || !find("clCreateProgramWithSource", &create_program)
            || !find("clBuildProgram", &build_program))
        return 2;
    if (get_platforms(1, &platform, NULL) != CL_SUCCESS
            || get_devices(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                       != CL_SUCCESS)
        return 3;
    cl_context context = create_context(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program =
            context != NULL ? create_program(context, 1, &source, NULL, NULL)
                            : NULL;
    return program != NULL
                           && build_program(program, 1, &device, "", NULL, NULL)
                                      == CL_SUCCESS
                   ? 0
                   : 4;
}

int main(void)
{
    loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader == NULL) return 1;
    const int code = build();
    return dlclose(loader) == 0 ? code : 5;
}
