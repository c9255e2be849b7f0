/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl_table.h"

#include "layer/driver/next_layer.h"

#include "src/platform/library.h"
#include "src/platform/loaded_libraries.h"

#include <stdio.h>
#include <string.h>

/* The functions that driver/next_layer.c calls; a test compares the two. */
#define FUNCTIONS(X)                            \
    X(clBuildProgram)                           \
    X(clCompileProgram)                         \
    X(clCreateBuffer)                           \
    X(clCreateCommandQueue)                     \
    X(clCreateContext)                          \
    X(clCreateKernel)                           \
    X(clCreateProgramWithBinary)                \
    X(clCreateProgramWithSource)                \
    X(clEnqueueCopyBuffer)                      \
    X(clEnqueueMapBuffer)                       \
    X(clEnqueueMarkerWithWaitList)              \
    X(clEnqueueNDRangeKernel)                   \
    X(clEnqueueReadBuffer)                      \
    X(clEnqueueUnmapMemObject)                  \
    X(clEnqueueWriteBuffer)                     \
    X(clFinish)                                 \
    X(clFlush)                                  \
    X(clGetCommandQueueInfo)                    \
    X(clGetContextInfo)                         \
    X(clGetDeviceIDs)                           \
    X(clGetDeviceInfo)                          \
    X(clGetEventProfilingInfo)                  \
    X(clGetExtensionFunctionAddressForPlatform) \
    X(clGetKernelArgInfo)                       \
    X(clGetKernelInfo)                          \
    X(clGetKernelWorkGroupInfo)                 \
    X(clGetMemObjectInfo)                       \
    X(clGetPlatformIDs)                         \
    X(clGetPlatformInfo)                        \
    X(clGetProgramBuildInfo)                    \
    X(clGetProgramInfo)                         \
    X(clLinkProgram)                            \
    X(clReleaseCommandQueue)                    \
    X(clReleaseContext)                         \
    X(clReleaseDevice)                          \
    X(clReleaseEvent)                           \
    X(clReleaseKernel)                          \
    X(clReleaseMemObject)                       \
    X(clReleaseProgram)                         \
    X(clRetainCommandQueue)                     \
    X(clRetainContext)                          \
    X(clRetainDevice)                           \
    X(clRetainEvent)                            \
    X(clRetainMemObject)                        \
    X(clRetainProgram)                          \
    X(clSetKernelArg)                           \
    X(clWaitForEvents)

/* Those that a loader of OpenCL 1.2 or 2.0 lacks, and what is called instead.
 */
static cl_program CL_API_CALL no_create_program_with_il(
        cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    (void)context;
    (void)il;
    (void)length;
    if (errcode_ret != NULL) *errcode_ret = CL_INVALID_OPERATION;
    return NULL;
}

static cl_int CL_API_CALL no_get_kernel_sub_group_info(cl_kernel kernel,
        cl_device_id device, cl_kernel_sub_group_info param_name,
        size_t input_value_size, const void *input_value,
        size_t param_value_size, void *param_value,
        size_t *param_value_size_ret)
{
    (void)kernel;
    (void)device;
    (void)param_name;
    (void)input_value_size;
    (void)input_value;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

static cl_int CL_API_CALL no_set_program_specialization_constant(
        cl_program program, cl_uint spec_id, size_t spec_size,
        const void *spec_value)
{
    (void)program;
    (void)spec_id;
    (void)spec_size;
    (void)spec_value;
    return CL_INVALID_OPERATION;
}

#define NEWER_FUNCTIONS(X)                                   \
    X(clCreateProgramWithIL, no_create_program_with_il)      \
    X(clGetKernelSubGroupInfo, no_get_kernel_sub_group_info) \
    X(clSetProgramSpecializationConstant,                    \
            no_set_program_specialization_constant)

static cl_icd_dispatch table;
static char origin[path_size];

/* ---- Which loader -------------------------------------------------------- */

static bool is_no_loader(void *found, const struct library_facts *library)
{
    const char *slash = strrchr(library->path, '/');
    const char *name = slash != NULL ? slash + 1 : library->path;
    /* libOpenCL.so.1, and the names that wheels give to their copies of it. */
    if (strncmp(name, "libOpenCL", 9) != 0 || (name[9] != '.' && name[9] != '-')
            || strlen(library->path) >= path_size)
        return true;
    strcpy(found, library->path);
    return false;
}

/* One in which, or in whose libraries, OpenCL's functions are; NULL, and why.
 */
static struct library *open_source(
        const struct opencl_source *source, char *why, size_t why_capacity)
{
    char loader[path_size];
    struct library *object;
    const char *error;
    if (source->user != NULL) {
        object = library_open_loaded(source->user);
        if (object == NULL)
            (void)snprintf(why, why_capacity, "%s is not loaded", source->user);
        return object;
    }
    if (!libraries_each(is_no_loader, loader)) {
        object = library_open_loaded(loader);
        if (object != NULL) return object;
    }
    if (source->fallback == NULL) {
        (void)snprintf(why, why_capacity, "no OpenCL loader is loaded");
        return NULL;
    }
    object = library_open(source->fallback, false, &error);
    if (object == NULL)
        (void)snprintf(why, why_capacity, "no OpenCL loader: %s", error);
    return object;
}

/* ---- The table ----------------------------------------------------------- */

static bool fill(
        cl_icd_dispatch *to, struct library *object, char *why, size_t capacity)
{
    const char *missing = NULL;
    memset(to, 0, sizeof *to);
#define TAKE(name) \
    if (!library_find(object, #name, &to->name)) missing = #name;
#define TAKE_OR(name, instead) \
    if (!library_find(object, #name, &to->name)) to->name = (instead);
    FUNCTIONS(TAKE)
    NEWER_FUNCTIONS(TAKE_OR)
#undef TAKE
#undef TAKE_OR
    if (missing != NULL)
        (void)snprintf(why, capacity, "the OpenCL loader has no %s", missing);
    return missing == NULL;
}

bool opencl_table_fill(
        const struct opencl_source *source, char *why, size_t why_capacity)
{
    cl_icd_dispatch found;
    struct library *object = open_source(source, why, why_capacity);
    if (object == NULL) return false;
    if (!fill(&found, object, why, why_capacity)) {
        library_close(object);
        return false;
    }
    /* The object stays open: its functions are called from now on. */
    (void)library_file_of(origin, *(void **)&found.clGetPlatformIDs);
    table = found;
    next_layer = &table;
    return true;
}

const char *opencl_table_origin(void)
{
    return origin;
}
