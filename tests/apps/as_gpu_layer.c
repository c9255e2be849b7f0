/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that finds any device for whoever looks for a GPU: for
 * applications that look for no other one but run on a processor as well. The
 * device says what it is as ever. Named first in OPENCL_LAYERS it is next to
 * the driver.
 */
#include "small_layer.h"

#include <stddef.h>

const char layer_name[] = "any device for a GPU";

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

bool layer_init(cl_icd_dispatch *own)
{
    own->clGetDeviceIDs = get_device_ids;
    own->clCreateContextFromType = create_context_from_type;
    return true;
}
