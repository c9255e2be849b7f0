/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that finds any device for whoever looks for a GPU: for
 * applications that look for no other one but run on a processor as well. The
 * device says what it is as ever. Named first in OPENCL_LAYERS it is next to
 * the driver.
 */
#include <CL/cl_layer.h>

#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const cl_icd_dispatch *target; /* fixed by clInitLayer */
static cl_icd_dispatch own;           /* what is not in it is passed on */

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform,
        cl_device_type type, cl_uint capacity, cl_device_id *devices,
        cl_uint *n)
{
    if ((type & CL_DEVICE_TYPE_GPU) != 0) type = CL_DEVICE_TYPE_ALL;
    return target->clGetDeviceIDs(platform, type, capacity, devices, n);
}

static cl_context CL_API_CALL create_context_from_type(
        const cl_context_properties *properties, cl_device_type type,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
        void *user, cl_int *errcode)
{
    if ((type & CL_DEVICE_TYPE_GPU) != 0) type = CL_DEVICE_TYPE_ALL;
    return target->clCreateContextFromType(
            properties, type, notify, user, errcode);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(
        cl_layer_info param, size_t capacity, void *value, size_t *size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "any device for a GPU";
    const void *answer = &version;
    size_t size = sizeof(version);

    if (param == CL_LAYER_NAME) {
        answer = name;
        size = sizeof(name);
    } else if (param != CL_LAYER_API_VERSION) {
        return CL_INVALID_VALUE;
    }
    if (value != NULL) {
        if (capacity < size) return CL_INVALID_VALUE;
        memcpy(value, answer, size);
    }
    if (size_ret != NULL) *size_ret = size;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    if (target_dispatch == NULL || nentries_ret == NULL
            || layer_dispatch == NULL
            || nentries < sizeof(own) / sizeof(own.clGetPlatformIDs))
        return CL_INVALID_VALUE;
    target = target_dispatch;
    own.clGetDeviceIDs = get_device_ids;
    own.clCreateContextFromType = create_context_from_type;
    *layer_dispatch = &own;
    *nentries_ret = sizeof(own) / sizeof(own.clGetPlatformIDs);
    return CL_SUCCESS;
}
