/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of OpenCL with one platform and nothing else, for loader_probe.c:
 * loaders load layers only where there is a platform (ocl-icd), and real
 * drivers take long to load, or wake a device up.
 */
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Of cl_khr_icd, which headers have in different files. */
#ifndef CL_PLATFORM_ICD_SUFFIX_KHR
#define CL_PLATFORM_ICD_SUFFIX_KHR 0x0920
#endif

/* As cl_khr_icd has it. */
struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
};

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform,
        cl_platform_info what, size_t capacity, void *value, size_t *size_ret)
{
    const char *text;
    (void)platform;
    switch (what) {
    case CL_PLATFORM_PROFILE:
        text = "FULL_PROFILE";
        break;
    case CL_PLATFORM_VERSION:
        text = "OpenCL 3.0 none";
        break;
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR:
        text = "none";
        break;
    case CL_PLATFORM_EXTENSIONS:
        text = "cl_khr_icd";
        break;
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        text = "NONE";
        break;
    default:
        return CL_INVALID_VALUE;
    }
    const size_t size = strlen(text) + 1;
    if (value != NULL && capacity < size) return CL_INVALID_VALUE;
    if (value != NULL) memcpy(value, text, size);
    if (size_ret != NULL) *size_ret = size;
    return CL_SUCCESS;
}

/* ocl-icd sorts platforms by their devices. */
static cl_int CL_API_CALL get_device_ids(cl_platform_id platform,
        cl_device_type type, cl_uint room, cl_device_id *devices,
        cl_uint *count)
{
    (void)platform;
    (void)type;
    (void)room;
    (void)devices;
    if (count != NULL) *count = 0;
    return CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL get_platform_ids(
        cl_uint room, cl_platform_id *platforms, cl_uint *count);

static void *CL_API_CALL get_address(const char *name);

static const cl_icd_dispatch dispatch = {
        .clGetPlatformIDs = get_platform_ids,
        .clGetPlatformInfo = get_platform_info,
        .clGetDeviceIDs = get_device_ids,
        .clGetExtensionFunctionAddress = get_address,
};

static cl_int CL_API_CALL get_platform_ids(
        cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    static struct _cl_platform_id only = {&dispatch};
    if (platforms != NULL && room > 0) platforms[0] = &only;
    if (count != NULL) *count = 1;
    return CL_SUCCESS;
}

/* What loaders ask for by name, Khronos' the first alone. */
static void *CL_API_CALL get_address(const char *name)
{
    cl_int(CL_API_CALL *const get)(cl_uint, cl_platform_id *, cl_uint *) =
            get_platform_ids;
    cl_int(CL_API_CALL *const get_info)(cl_platform_id, cl_platform_info,
            size_t, void *, size_t *) = get_platform_info;
    void *address = NULL;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        memcpy(&address, &get, sizeof address);
    else if (strcmp(name, "clGetPlatformInfo") == 0)
        memcpy(&address, &get_info, sizeof address);
    return address;
}

/* What loaders look for in a driver; declared by CL/cl.h, as deprecated. */
EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return get_address(name);
}
