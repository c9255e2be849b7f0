/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl_table.h"

#include "layer/driver/target.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* The functions that driver/target.c calls; a test compares the two. */
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
static char origin[PATH_MAX];

/* ---- Which loader -------------------------------------------------------- */

static int find_loader(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    (void)size;
    /* libOpenCL.so.1, and the names that wheels give to their copies of it. */
    if (strncmp(name, "libOpenCL", 9) != 0 || (name[9] != '.' && name[9] != '-')
            || strlen(info->dlpi_name) >= PATH_MAX)
        return 0;
    strcpy(found, info->dlpi_name);
    return 1;
}

/* An object in which, or in whose libraries, dlsym() finds OpenCL's functions;
 * NULL, and why. */
static void *open_source(
        const struct opencl_source *source, char *why, size_t why_capacity)
{
    char loader[PATH_MAX];
    void *object;
    if (source->user != NULL) {
        object = dlopen(source->user, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (object == NULL)
            (void)snprintf(why, why_capacity, "%s is not loaded", source->user);
        return object;
    }
    if (dl_iterate_phdr(find_loader, loader) != 0) {
        object = dlopen(loader, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (object != NULL) return object;
    }
    if (source->fallback == NULL) {
        (void)snprintf(why, why_capacity, "no OpenCL loader is loaded");
        return NULL;
    }
    object = dlopen(source->fallback, RTLD_LAZY | RTLD_LOCAL);
    if (object == NULL) {
        const char *error = dlerror();
        (void)snprintf(why, why_capacity, "no OpenCL loader: %s",
                error != NULL ? error : source->fallback);
    }
    return object;
}

/* ---- The table ----------------------------------------------------------- */

static bool fill(cl_icd_dispatch *to, void *object, char *why, size_t capacity)
{
    const char *missing = NULL;
    memset(to, 0, sizeof *to);
#define TAKE(name)                              \
    *(void **)&to->name = dlsym(object, #name); \
    if (to->name == NULL) missing = #name;
#define TAKE_OR(name, instead)                  \
    *(void **)&to->name = dlsym(object, #name); \
    if (to->name == NULL) to->name = (instead);
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
    Dl_info where;
    cl_icd_dispatch found;
    void *object = open_source(source, why, why_capacity);
    if (object == NULL) return false;
    if (!fill(&found, object, why, why_capacity)) {
        (void)dlclose(object);
        return false;
    }
    /* The object stays open: its functions are called from now on. */
    if (dladdr(*(void **)&found.clGetPlatformIDs, &where) != 0
            && where.dli_fname != NULL)
        (void)snprintf(origin, sizeof origin, "%s", where.dli_fname);
    table = found;
    target = &table;
    return true;
}

const char *opencl_table_origin(void)
{
    return origin;
}
