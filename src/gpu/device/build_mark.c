/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/build_mark.h"

#include "src/common/hash.h"
#include "src/gpu/device/device.h"
#include "src/gpu/device/driver_name.h"

dnnl_status_t build_mark_make(char mark[build_mark_size], cl_device_id device,
        const uint8_t *id, size_t size, bool is_il)
{
    char platform[driver_name_size];
    const struct device_identity *identity = NULL;
    struct digest256_state state;
    struct digest256 stamp = {{0}};
    mark[0] = '\0';
    if (size == 0) return dnnl_success;
    driver_name(platform, device);
    if (!build_marks_are_needed(platform, is_il)) return dnnl_success;
    dnnl_status_t st = device_identify(device, &identity);
    if (st != dnnl_success) return st;
    if (identity->files != NULL) stamp = identity_files_stamp(identity->files);
    digest256_init(&state);
    digest256_update(&state, id, size);
    digest256_update(&state, stamp.bytes, sizeof stamp.bytes);
    build_mark_write(mark, digest256_final(&state).bytes);
    return dnnl_success;
}

void build_mark_announce(const char *mark, cl_device_id device)
{
    cl_platform_id platform;
    union {
        void *object;
        build_mark_note_function note;
    } found = {NULL};
    if (mark[0] == '\0'
            || clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                       &platform, NULL)
                       != CL_SUCCESS)
        return;
    found.object = clGetExtensionFunctionAddressForPlatform(
            platform, BUILD_MARK_NOTE_NAME);
    if (found.object != NULL) found.note(mark);
}
