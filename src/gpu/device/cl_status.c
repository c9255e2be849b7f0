/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/cl_status.h"

#include "src/common/log.h"

#include <stdlib.h>

const char *cl_error_name(cl_int error)
{
#define NAME(code) \
    case code:     \
        return #code
    switch (error) {
        NAME(CL_SUCCESS);
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_MEM_COPY_OVERLAP);
        NAME(CL_IMAGE_FORMAT_MISMATCH);
        NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_MAP_FAILURE);
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        NAME(CL_COMPILE_PROGRAM_FAILURE);
        NAME(CL_LINKER_NOT_AVAILABLE);
        NAME(CL_LINK_PROGRAM_FAILURE);
        NAME(CL_DEVICE_PARTITION_FAILED);
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE_TYPE);
        NAME(CL_INVALID_PLATFORM);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_QUEUE_PROPERTIES);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_HOST_PTR);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        NAME(CL_INVALID_IMAGE_SIZE);
        NAME(CL_INVALID_SAMPLER);
        NAME(CL_INVALID_BINARY);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL_DEFINITION);
        NAME(CL_INVALID_KERNEL);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_VALUE);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_DIMENSION);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_GLOBAL_OFFSET);
        NAME(CL_INVALID_EVENT_WAIT_LIST);
        NAME(CL_INVALID_EVENT);
        NAME(CL_INVALID_OPERATION);
        NAME(CL_INVALID_GL_OBJECT);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_MIP_LEVEL);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        NAME(CL_INVALID_PROPERTY);
        NAME(CL_INVALID_IMAGE_DESCRIPTOR);
        NAME(CL_INVALID_COMPILER_OPTIONS);
        NAME(CL_INVALID_LINKER_OPTIONS);
        NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
        NAME(CL_INVALID_PIPE_SIZE);
        NAME(CL_INVALID_DEVICE_QUEUE);
        NAME(CL_INVALID_SPEC_ID);
        NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    }
#undef NAME
    return "CL error";
}

dnnl_status_t cl_status(cl_int error, const char *function)
{
    switch (error) {
    case CL_SUCCESS:
        return dnnl_success;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        log_message(dnnl_cache_log_error, "opencl", "%s failed: %s (%d)",
                function, cl_error_name(error), (int)error);
        return dnnl_out_of_memory;
    default:
        log_message(dnnl_cache_log_error, "opencl", "%s failed: %s (%d)",
                function, cl_error_name(error), (int)error);
        return dnnl_runtime_error;
    }
}

dnnl_status_t cl_object_status(cl_int error, const char *function)
{
    switch (error) {
    case CL_INVALID_DEVICE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_MEM_OBJECT:
    case CL_INVALID_PROGRAM:
        return dnnl_invalid_arguments;
    default:
        return cl_status(error, function);
    }
}

dnnl_status_t device_string(
        cl_device_id device, cl_device_info name, char **out)
{
    size_t size = 0;
    if (clGetDeviceInfo(device, name, 0, NULL, &size) != CL_SUCCESS)
        return dnnl_runtime_error;
    char *text = calloc(size + 1, 1);
    if (text == NULL) return dnnl_out_of_memory;
    if (clGetDeviceInfo(device, name, size, text, NULL) != CL_SUCCESS) {
        free(text);
        return dnnl_runtime_error;
    }
    *out = text;
    return dnnl_success;
}

dnnl_status_t platform_string(
        cl_platform_id platform, cl_platform_info name, char **out)
{
    size_t size = 0;
    if (clGetPlatformInfo(platform, name, 0, NULL, &size) != CL_SUCCESS)
        return dnnl_runtime_error;
    char *text = calloc(size + 1, 1);
    if (text == NULL) return dnnl_out_of_memory;
    if (clGetPlatformInfo(platform, name, size, text, NULL) != CL_SUCCESS) {
        free(text);
        return dnnl_runtime_error;
    }
    *out = text;
    return dnnl_success;
}
