/* SPDX-License-Identifier: Apache-2.0 */
#include "quirks.h"

#include "target.h"

#include <string.h>

static bool is_of(cl_device_id device, const char *platform_name)
{
    cl_platform_id platform = NULL;
    char name[64] = "";
    /* A longer name does not fit, and is another's. */
    return target->clGetDeviceInfo(
                   device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                   == CL_SUCCESS
           && target->clGetPlatformInfo(
                      platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
                      == CL_SUCCESS
           && strcmp(name, platform_name) == 0;
}

bool quirk_needs_idle(cl_device_id device)
{
    return is_of(device, "Portable Computing Language");
}

bool quirk_compiles_launches(cl_device_id device)
{
    return is_of(device, "Portable Computing Language");
}

bool quirk_answers_at_once(cl_device_id device)
{
    return is_of(device, "NVIDIA CUDA") || is_of(device, "rusticl")
           || is_of(device, "Oclgrind");
}

bool quirk_compiles_with_kernels(cl_device_id device)
{
    return is_of(device, "NVIDIA CUDA");
}

bool quirk_links_loaded_without_arguments(cl_device_id device)
{
    return is_of(device, "Intel(R) OpenCL");
}

bool quirk_counts_local_bytes_by_form(cl_device_id device)
{
    return is_of(device, "NVIDIA CUDA");
}

bool quirk_keeps_old_answers(cl_device_id device)
{
    return is_of(device, "rusticl");
}
