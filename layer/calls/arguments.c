/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/calls/arguments.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"

bool arguments_are_malformed(cl_uint device_count, const cl_device_id *devices,
        build_callback notify, const void *user)
{
    return (device_count == 0) != (devices == NULL)
           || (notify == NULL && user != NULL);
}

static bool has(const cl_device_id *list, size_t count, cl_device_id device)
{
    size_t i = 0;
    while (i < count && list[i] != device)
        i++;
    return i < count;
}

/* The device that is listed: itself, or the one that it is a part of. NULL:
 * neither. */
static cl_device_id device_of(
        const cl_device_id *all, size_t count, cl_device_id device)
{
    while (device != NULL && !has(all, count, device)) {
        cl_device_id parent = NULL;
        next_layer->clGetDeviceInfo(
                device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
        device = parent;
    }
    return device;
}

size_t arguments_devices(cl_context context, cl_uint device_count,
        const cl_device_id *devices, const cl_device_id *all, size_t all_count,
        cl_device_id *asked)
{
    cl_device_id own[most_devices];
    size_t size = 0;
    size_t count = 0;
    if (next_layer->clGetContextInfo(
                context, CL_CONTEXT_DEVICES, sizeof own, own, &size)
            != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < device_count; i++) {
        const cl_device_id device = device_of(all, all_count, devices[i]);
        if (device == NULL || has(devices, i, devices[i])
                || !(has(own, size / sizeof own[0], devices[i])
                        || has(all, all_count, devices[i])
                        || quirk_takes_parts_for_devices(device)))
            return 0;
        if (!has(asked, count, device)) asked[count++] = device;
    }
    return count;
}
