/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/devices.h"

#include "src/gpu/device/environment.h"

#include <stdbool.h>
#include <stdlib.h>

static bool contains(const struct device_list *list, cl_device_id device)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->devices[i] == device) return true;
    return false;
}

/* Appends a platform's devices of a type. A platform that fails has none. */
static dnnl_status_t append_devices(
        struct device_list *list, cl_platform_id platform, cl_device_type type)
{
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, type, 0, NULL, &count) != CL_SUCCESS
            || count == 0)
        return dnnl_success;
    cl_device_id *larger =
            realloc(list->devices, (list->count + count) * sizeof *larger);
    if (larger == NULL) return dnnl_out_of_memory;
    list->devices = larger;
    cl_device_id *fresh = larger + list->count;
    if (clGetDeviceIDs(platform, type, count, fresh, NULL) != CL_SUCCESS)
        return dnnl_success;
    /* A device may be of several types (Oclgrind's is of all). */
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id device = fresh[i];
        if (!contains(list, device)) list->devices[list->count++] = device;
    }
    return dnnl_success;
}

dnnl_status_t device_list_read(struct device_list *list)
{
    static const cl_device_type order[] = {CL_DEVICE_TYPE_GPU,
            CL_DEVICE_TYPE_ACCELERATOR,
            CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_CUSTOM};
    cl_uint count = 0;
    struct device_list found = {NULL, 0};
    dnnl_status_t st = dnnl_success;
    environment_start(); /* before the drivers do */
    /* No platform at all is an error to the loader, an empty list to us. */
    if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS) count = 0;
    cl_platform_id *platforms =
            calloc(count > 0 ? count : 1, sizeof *platforms);
    if (platforms == NULL) return dnnl_out_of_memory;
    if (count > 0 && clGetPlatformIDs(count, platforms, NULL) != CL_SUCCESS)
        count = 0;
    for (size_t t = 0; t < sizeof order / sizeof order[0]; t++)
        for (cl_uint p = 0; p < count && st == dnnl_success; p++)
            st = append_devices(&found, platforms[p], order[t]);
    free(platforms);
    if (st != dnnl_success) {
        device_list_fini(&found);
        return st;
    }
    *list = found;
    return dnnl_success;
}

void device_list_fini(struct device_list *list)
{
    free(list->devices);
    list->devices = NULL;
    list->count = 0;
}
