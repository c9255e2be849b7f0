/* SPDX-License-Identifier: Apache-2.0 */
#include "support/device.h"

#include <errno.h> /* program_invocation_short_name */
#include <stdio.h>
#include <string.h>

enum { max_platforms = 16 };

static bool find_on_platform(struct device *device, cl_platform_id platform,
        cl_device_type type, const char *text)
{
    char name[sizeof device->platform_name] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strcasestr(name, text) == NULL) return false;
    if (clGetDeviceIDs(platform, type, 1, &device->id, NULL) != CL_SUCCESS)
        return false;
    memcpy(device->platform_name, name, sizeof name);
    return true;
}

static bool find(struct device *device, const char *text)
{
    static const cl_device_type types[] = {
            CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[max_platforms];
    cl_uint count = 0;
    if (clGetPlatformIDs(max_platforms, platforms, &count) != CL_SUCCESS)
        return false;
    if (count > max_platforms) count = max_platforms;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (cl_uint p = 0; p < count; p++)
            if (find_on_platform(device, platforms[p], types[t], text))
                return true;
    return false;
}

bool device_open(struct device *device, const char *platform)
{
    cl_int error;
    *device = (struct device){0};
    if (!find(device, platform)) {
        fprintf(stderr, "%s: no OpenCL device%s%s\n",
                program_invocation_short_name,
                platform[0] != '\0' ? " of a platform named " : "", platform);
        return false;
    }
    clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name,
            device->name, NULL);
    clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof device->driver,
            device->driver, NULL);
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    if (error == CL_SUCCESS) return true;
    fprintf(stderr, "%s: no context of %s: OpenCL error %d\n",
            program_invocation_short_name, device->name, (int)error);
    device->context = NULL;
    return false;
}

void device_close(struct device *device)
{
    if (device->context != NULL) clReleaseContext(device->context);
    device->context = NULL;
}
