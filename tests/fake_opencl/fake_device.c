/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and parts of them. */
#include "fake_internal.h"

#include <stdio.h>

#define MAX_DEVICES 8

static cl_device_id devices[MAX_DEVICES]; /* made at need, never released */

uint64_t device_number(cl_device_id device, const char *key)
{
    return setting_number(key, device->index);
}

unsigned device_version(cl_device_id device)
{
    unsigned major = 0, minor = 0;

    sscanf(setting("DEVICE_VERSION", device->index), "OpenCL %u.%u", &major,
            &minor);
    return major * 10 + minor;
}

static cl_int make_whole(cl_uint index)
{
    cl_int st;

    if (devices[index] != NULL) return CL_SUCCESS;
    st = object_create(
            &devices[index], sizeof(*devices[index]), OBJECT_DEVICE, NULL);
    if (st != CL_SUCCESS) return st;
    devices[index]->index = index;
    object_make_eternal(devices[index]);
    return CL_SUCCESS;
}

static bool wanted(cl_device_id device, cl_device_type type)
{
    if (type == CL_DEVICE_TYPE_ALL)
        return device_type(device) != CL_DEVICE_TYPE_CUSTOM;
    if ((type & CL_DEVICE_TYPE_DEFAULT) != 0 && device->index == 0) return true;
    return (type & device_type(device)) != 0;
}

cl_int devices_of_type(cl_platform_id platform, cl_device_type type,
        cl_uint capacity, cl_device_id *list, cl_uint *count)
{
    cl_uint total = (cl_uint)setting_number("DEVICES", 0);
    cl_uint found = 0;
    cl_int st = object_check(platform, OBJECT_PLATFORM);

    if (total > MAX_DEVICES) fatal("at most %d DEVICES", MAX_DEVICES);
    if (st != CL_SUCCESS) return st;
    if ((list == NULL) == (capacity != 0) || (list == NULL && count == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < total && st == CL_SUCCESS; i++) {
        st = make_whole(i);
        if (st != CL_SUCCESS || !wanted(devices[i], type)) continue;
        if (found < capacity) list[found] = devices[i];
        found++;
    }
    if (st != CL_SUCCESS) return st;
    if (found == 0) return CL_DEVICE_NOT_FOUND;
    if (count != NULL) *count = found;
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clGetDeviceIDs(cl_platform_id platform,
        cl_device_type type, cl_uint capacity, cl_device_id *list,
        cl_uint *count)
{
    cl_int st = call_enter(
            CALL_clGetDeviceIDs, "type=0x%llx", (unsigned long long)type);

    if (st == CL_SUCCESS)
        st = devices_of_type(platform, type, capacity, list, count);
    return call_leave(CALL_clGetDeviceIDs, st);
}

cl_int devices_check(cl_uint n, const cl_device_id *list, cl_uint nall,
        const cl_device_id *all)
{
    for (cl_uint i = 0; i < n; i++) {
        bool found = false;
        cl_int st = object_check(list[i], OBJECT_DEVICE);

        if (st != CL_SUCCESS) return st;
        for (cl_uint j = 0; j < nall; j++)
            found = found || all[j] == list[i];
        if (!found) return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* ---- sub-devices ---- */

static void sub_device_destroy(struct object *object)
{
    cl_device_id device = (cl_device_id)object;

    object_drop(device->parent);
}

static cl_int sub_device_create(
        cl_device_id *device, cl_device_id parent, cl_uint units)
{
    cl_device_id made;
    cl_int st = object_create(
            &made, sizeof(*made), OBJECT_DEVICE, sub_device_destroy);

    if (st != CL_SUCCESS) return st;
    made->index = parent->index;
    made->parent = parent;
    object_hold(parent);
    made->compute_units = units;
    made->partition[0] = CL_DEVICE_PARTITION_EQUALLY;
    made->partition[1] = (cl_device_partition_property)units;
    *device = made;
    return CL_SUCCESS;
}

static cl_int sub_devices(cl_device_id parent,
        const cl_device_partition_property *properties, cl_uint capacity,
        cl_device_id *list, cl_uint *count)
{
    cl_uint all, units, n, made = 0;
    cl_int st = object_check(parent, OBJECT_DEVICE);

    if (st != CL_SUCCESS) return st;
    if (properties == NULL || properties[0] != CL_DEVICE_PARTITION_EQUALLY
            || properties[2] != 0)
        return CL_INVALID_VALUE;
    all = parent->parent != NULL
                  ? parent->compute_units
                  : (cl_uint)device_number(parent, "COMPUTE_UNITS");
    units = (cl_uint)properties[1];
    if (units == 0 || units > all) return CL_INVALID_DEVICE_PARTITION_COUNT;
    n = all / units;
    if (list != NULL && capacity < n) return CL_INVALID_VALUE;
    for (; list != NULL && made < n; made++) {
        st = sub_device_create(&list[made], parent, units);
        if (st != CL_SUCCESS) break;
    }
    if (st != CL_SUCCESS) {
        while (made > 0)
            object_disown(list[--made]);
        return st;
    }
    if (count != NULL) *count = n;
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clCreateSubDevices(cl_device_id device,
        const cl_device_partition_property *properties, cl_uint capacity,
        cl_device_id *list, cl_uint *count)
{
    cl_int st = call_enter(
            CALL_clCreateSubDevices, "device=%p", (const void *)device);

    if (st == CL_SUCCESS)
        st = sub_devices(device, properties, capacity, list, count);
    return call_leave(CALL_clCreateSubDevices, st);
}

cl_int CL_API_CALL fake_clRetainDevice(cl_device_id device)
{
    cl_int st =
            call_enter(CALL_clRetainDevice, "device=%p", (const void *)device);

    if (st == CL_SUCCESS) st = object_retain(device, OBJECT_DEVICE);
    return call_leave(CALL_clRetainDevice, st);
}

cl_int CL_API_CALL fake_clReleaseDevice(cl_device_id device)
{
    cl_int st =
            call_enter(CALL_clReleaseDevice, "device=%p", (const void *)device);
    cl_int done = object_release(device, OBJECT_DEVICE);

    return call_leave(CALL_clReleaseDevice, st != CL_SUCCESS ? st : done);
}
