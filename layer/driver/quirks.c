/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/quirks.h"

#include "layer/driver/next_layer.h"
#include "src/drivers/driver_binaries.h"
#include "src/drivers/pocl_stand_in_file.h"

#include <stdlib.h>
#include <string.h>

enum { name_size = 64 };

/* A text of its platform; "" if it is longer, or not known. */
static void find_text(
        char *text, size_t size, cl_device_id device, cl_platform_info what)
{
    cl_platform_id platform = NULL;
    if (next_layer->clGetDeviceInfo(
                device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                    != CL_SUCCESS
            || next_layer->clGetPlatformInfo(platform, what, size, text, NULL)
                       != CL_SUCCESS)
        text[0] = '\0';
}

static void find_name(char name[name_size], cl_device_id device)
{
    find_text(name, name_size, device, CL_PLATFORM_NAME);
}

static bool is_of(cl_device_id device, const char *platform_name)
{
    char name[name_size];
    find_name(name, device);
    return strcmp(name, platform_name) == 0;
}

bool quirk_needs_idle(cl_device_id device)
{
    return is_of(device, POCL_PLATFORM_NAME);
}

bool quirk_compiles_launches(cl_device_id device)
{
    char name[name_size];
    find_name(name, device);
    return driver_has_launch_classes(name);
}

bool quirk_takes_stand_ins(cl_device_id device)
{
    char version[256];
    find_text(version, sizeof version, device, CL_PLATFORM_VERSION);
    return is_of(device, POCL_PLATFORM_NAME)
           && pocl_stand_ins_are_tested(version);
}

bool quirk_answers_at_once(cl_device_id device)
{
    char name[name_size];
    find_name(name, device);
    return driver_binaries_of(name) == driver_binaries_at_hand;
}

bool quirk_tells_arguments_without_options(cl_device_id device)
{
    return is_of(device, POCL_PLATFORM_NAME);
}

bool quirk_takes_parts_for_devices(cl_device_id device)
{
    return is_of(device, POCL_PLATFORM_NAME);
}

bool quirk_shares_folders(cl_device_id device)
{
    return is_of(device, POCL_PLATFORM_NAME) && !quirk_links_from_cache(device);
}

bool quirk_links_from_cache(cl_device_id device)
{
    const char *cache = getenv("POCL_KERNEL_CACHE");
    return is_of(device, POCL_PLATFORM_NAME)
           && (cache == NULL || cache[0] != '0');
}

bool quirk_never_recovers(cl_device_id device)
{
    return is_of(device, "Intel(R) OpenCL");
}

bool quirk_compiles_once(cl_device_id device)
{
    return is_of(device, "Intel(R) OpenCL");
}

bool quirk_links_loaded_without_arguments(cl_device_id device)
{
    return is_of(device, "Intel(R) OpenCL");
}

bool quirk_counts_local_bytes_by_form(cl_device_id device)
{
    return is_of(device, "NVIDIA CUDA");
}
