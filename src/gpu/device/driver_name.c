/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/driver_name.h"

#include <string.h>

void driver_name(char name[driver_name_size], cl_device_id device)
{
    cl_platform_id platform = NULL;
    if (clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                    != CL_SUCCESS
            || clGetPlatformInfo(
                       platform, CL_PLATFORM_NAME, driver_name_size, name, NULL)
                       != CL_SUCCESS)
        name[0] = '\0';
}

bool driver_is(cl_device_id device, const char *platform_name)
{
    char name[driver_name_size];
    driver_name(name, device);
    return strcmp(name, platform_name) == 0;
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

bool driver_compiles_one_at_a_time(cl_device_id device)
{
    return driver_is(device,
            POCL_PLATFORM_NAME); /* docs/how_to/build_in_the_background.md */
}
