/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer under which every device says that it has cl_khr_fp16. No
 * driver that tests run on has it; but storage of halves, which is all that the
 * library's kernels use, is a part of OpenCL that every device has.
 *
 *     OPENCL_LAYERS=libhalf_device_layer.so program
 */
#include "small_layer.h"

#include <stdlib.h>
#include <string.h>

const char layer_name[] = "half device";

static cl_int answer(const char *text, size_t room, void *to, size_t *size)
{
    const size_t needed = strlen(text) + 1;
    if (size != NULL) *size = needed;
    if (to == NULL) return CL_SUCCESS;
    if (room < needed) return CL_INVALID_VALUE;
    memcpy(to, text, needed);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_info(cl_device_id device,
        cl_device_info name, size_t room, void *to, size_t *size)
{
    static const char more[] = " cl_khr_fp16";
    size_t length = 0;
    if (name != CL_DEVICE_EXTENSIONS
            || target->clGetDeviceInfo(device, name, 0, NULL, &length)
                       != CL_SUCCESS)
        return target->clGetDeviceInfo(device, name, room, to, size);
    char *text = calloc(length + sizeof(more), 1);
    if (text == NULL) return CL_OUT_OF_HOST_MEMORY;
    cl_int error = target->clGetDeviceInfo(device, name, length, text, NULL);
    if (error == CL_SUCCESS) {
        memcpy(text + strlen(text), more, sizeof(more));
        error = answer(text, room, to, size);
    }
    free(text);
    return error;
}

bool layer_init(cl_icd_dispatch *own)
{
    own->clGetDeviceInfo = get_device_info;
    return true;
}
