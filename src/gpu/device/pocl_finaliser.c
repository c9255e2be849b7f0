/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/pocl_finalise.h"
#include "src/drivers/driver_binaries.h"
#include "src/gpu/device/driver_name.h"
#include "src/gpu/device/finaliser.h"

#include <stdio.h>

static bool accepts(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char text[256] = "";
    return driver_is(device, POCL_PLATFORM_NAME)
           && clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                      &platform, NULL)
                      == CL_SUCCESS
           && clGetPlatformInfo(
                      platform, CL_PLATFORM_VERSION, sizeof text, text, NULL)
                      == CL_SUCCESS
           && pocl_finalise_is_tested(text);
}

/* PoCL compiles a class of launches that it has not seen; without intermediate
 * code it cannot, and ends the process if it is asked for the binary. So only
 * what the library launches, and nobody else can reach, and what somebody
 * stands before. */
static dnnl_status_t finalise(const struct finaliser_source *source,
        struct buffer *out, struct blob_reason *reason)
{
    if (source->is_alone)
        return pocl_finalise(source->binary, source->size,
                !source->has_known_launches, out, reason);
    snprintf(reason->text, sizeof reason->text,
            "it is an application's, who may ask for its binary");
    return dnnl_unimplemented;
}

static bool check(cl_device_id device, const uint8_t *form, size_t size,
        const char *kernels, uint32_t kernel_count, bool has_known_launches,
        struct blob_reason *reason)
{
    (void)device; /* PoCL compares the device's code with its own. */
    return pocl_finalise_check(
            form, size, kernels, kernel_count, !has_known_launches, reason);
}

const struct finaliser finaliser_pocl = {.name = DRIVER_POCL_FINALISER "1",
        .replaces = true,
        .accepts = accepts,
        .finalise = finalise,
        .check = check};
