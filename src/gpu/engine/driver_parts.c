/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's driver is made of, for people who compare two machines. */
#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "src/common/buffer.h"
#include "src/gpu/device/device.h"
#include "src/gpu/device/driver_build.h"
#include "src/gpu/engine/output.h"

dnnl_status_t dnnl_cache_device_get_driver_parts(
        cl_device_id device, size_t *size, char *text)
{
    char reason[160];
    struct buffer parts;
    cl_device_id root = NULL;
    cl_platform_id platform = NULL;
    if (device == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = device_root(device, &root);
    if (st != dnnl_success) return st;
    if (clGetDeviceInfo(
                root, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            != CL_SUCCESS)
        return dnnl_runtime_error;
    buffer_init(&parts);
    st = driver_build_describe(platform, root, &parts, reason, sizeof reason);
    if (st == dnnl_runtime_error) st = dnnl_success; /* its identity says why */
    buffer_append(&parts, "", 1);
    if (st == dnnl_success) st = buffer_status(&parts);
    if (st == dnnl_success)
        st = output_bytes(parts.data, parts.size, size, text);
    buffer_fini(&parts);
    return st;
}

dnnl_status_t dnnl_cache_device_get_identified_parts(
        cl_device_id device, size_t *size, char *text)
{
    const struct device_identity *identity;
    if (device == NULL || size == NULL) return dnnl_invalid_arguments;
    const dnnl_status_t st = device_identify(device, &identity);
    if (st != dnnl_success) return st;
    return output_bytes(identity->parts.data, identity->parts.size, size, text);
}
