/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/device/driver_name.h"

#include <string.h>

bool driver_is(cl_device_id device, const char *platform_name)
{
    cl_platform_id platform = NULL;
    char name[64] = "";
    /* A longer name does not fit, and is another's. */
    return clGetDeviceInfo(
                   device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                   == CL_SUCCESS
           && clGetPlatformInfo(
                      platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
                      == CL_SUCCESS
           && strcmp(name, platform_name) == 0;
}

bool driver_compiles_kernels_late(cl_device_id device)
{
    static const char *const platforms[] = {
            "ARM Platform" /* Mali: viennacl-dev's pull request 225 */
    };
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (driver_is(device, platforms[i])) return true;
    return false;
}
