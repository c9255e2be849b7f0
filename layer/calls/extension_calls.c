/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that applications look up by name. */
#include "layer/calls/calls.h"
#include "layer/compile/lazy.h"
#include "layer/compile/noted_mark.h"
#include "layer/driver/next_layer.h"
#include "src/drivers/build_marks.h"

#include <stddef.h>
#include <string.h>

static const cl_icd_dispatch *own; /* the layer's table, fixed */

/* A pointer to a function as one to an object, as look-ups return it. */
union address {
    void (*function)(void);
    void *object;
};

/* The driver's own, which is not in the table. */
static create_with_il_function find_create_with_il_khr(cl_context context)
{
    cl_device_id device = NULL;
    cl_platform_id platform = NULL;
    cl_device_id devices[64];
    size_t size = 0;
    union address found = {NULL};
    if (next_layer->clGetContextInfo(
                context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size)
                    != CL_SUCCESS
            || size < sizeof device)
        return NULL;
    device = devices[0];
    if (next_layer->clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            != CL_SUCCESS)
        return NULL;
    found.object = next_layer->clGetExtensionFunctionAddressForPlatform(
            platform, "clCreateProgramWithILKHR");
    return (create_with_il_function)found.function;
}

static cl_program CL_API_CALL create_with_il_khr(
        cl_context context, const void *il, size_t size, cl_int *err)
{
    const create_with_il_function create = find_create_with_il_khr(context);
    if (create == NULL) {
        if (err != NULL) *err = CL_INVALID_OPERATION;
        return NULL;
    }
    cl_program program = create(context, il, size, err);
    if (program != NULL)
        remember_il_program(program, context, il, size, create);
    return program;
}

/* The layer's function in the place of one that was found. */
static void *own_or(const char *name, void *found)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define FUNCTION(name) {#name, offsetof(cl_icd_dispatch, name)}
            FUNCTION(clBuildProgram),
            FUNCTION(clCloneKernel),
            FUNCTION(clCompileProgram),
            FUNCTION(clCreateContext),
            FUNCTION(clCreateContextFromType),
            FUNCTION(clCreateKernel),
            FUNCTION(clCreateKernelsInProgram),
            FUNCTION(clCreateProgramWithBinary),
            FUNCTION(clCreateProgramWithBuiltInKernels),
            FUNCTION(clCreateProgramWithIL),
            FUNCTION(clCreateProgramWithSource),
            FUNCTION(clGetExtensionFunctionAddress),
            FUNCTION(clGetExtensionFunctionAddressForPlatform),
            FUNCTION(clGetKernelArgInfo),
            FUNCTION(clGetKernelInfo),
            FUNCTION(clGetProgramBuildInfo),
            FUNCTION(clGetProgramInfo),
            FUNCTION(clLinkProgram),
            FUNCTION(clReleaseContext),
            FUNCTION(clReleaseKernel),
            FUNCTION(clReleaseProgram),
            FUNCTION(clRetainContext),
            FUNCTION(clRetainKernel),
            FUNCTION(clRetainProgram),
            FUNCTION(clSetContextDestructorCallback),
            FUNCTION(clSetProgramReleaseCallback),
            FUNCTION(clSetProgramSpecializationConstant),
            FUNCTION(clUnloadCompiler),
            FUNCTION(clUnloadPlatformCompiler),
#undef FUNCTION
    };
    /* They take a program, past the layer. */
    static const char *const takers[] = {"clEnqueueReadGlobalVariableINTEL",
            "clEnqueueWriteGlobalVariableINTEL",
            "clGetDeviceFunctionPointerINTEL",
            "clGetDeviceGlobalVariablePointerINTEL"};
    union address address = {NULL};
    if (name != NULL && strcmp(name, BUILD_MARK_NOTE_NAME) == 0) {
        address.function = (void (*)(void))noted_mark_set;
        return address.object;
    }
    if (name == NULL) return found;
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        if (strcmp(name, takers[i]) == 0) lazy_end();
    if (found == NULL) return found;
    if (strcmp(name, "clCreateProgramWithILKHR") == 0) {
        address.function = (void (*)(void))create_with_il_khr;
        return address.object;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(name, functions[i].name) == 0) {
            memcpy(&address, (const char *)own + functions[i].offset,
                    sizeof address);
            return address.object;
        }
    return found;
}

static void *CL_API_CALL get_address(const char *name)
{
    return own_or(name, next_layer->clGetExtensionFunctionAddress(name));
}

static void *CL_API_CALL get_address_for_platform(
        cl_platform_id platform, const char *name)
{
    return own_or(name, next_layer->clGetExtensionFunctionAddressForPlatform(
                                platform, name));
}

void put_extension_calls(cl_icd_dispatch *table)
{
    own = table;
    table->clGetExtensionFunctionAddress = get_address;
    table->clGetExtensionFunctionAddressForPlatform = get_address_for_platform;
}
