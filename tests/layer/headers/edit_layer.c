/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer below the one that is tested, next to the driver: before each
 * build it writes the text EDIT_LAYER_TEXT to the file EDIT_LAYER_FILE. So a
 * header changes in the moment between the cache's look at it and the
 * compiler's.
 */
#include <CL/cl_layer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const cl_icd_dispatch *target; /* fixed by clInitLayer */
static cl_icd_dispatch own;           /* what is not in it is passed on */

static cl_int CL_API_CALL build(cl_program program, cl_uint count,
        const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program program, void *user), void *user)
{
    const char *path = getenv("EDIT_LAYER_FILE");
    const char *text = getenv("EDIT_LAYER_TEXT");
    FILE *file = path != NULL && text != NULL ? fopen(path, "w") : NULL;

    if (file == NULL) return CL_OUT_OF_HOST_MEMORY;
    fputs(text, file);
    if (fclose(file) != 0) return CL_OUT_OF_HOST_MEMORY;
    return target->clBuildProgram(
            program, count, devices, options, notify, user);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(
        cl_layer_info param, size_t capacity, void *value, size_t *size_ret)
{
    static const char name[] = "edit a header";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *answer = &version;
    size_t size = sizeof(version);

    if (param == CL_LAYER_NAME) {
        answer = name;
        size = sizeof(name);
    } else if (param != CL_LAYER_API_VERSION) {
        return CL_INVALID_VALUE;
    }
    if (value != NULL) {
        if (capacity < size) return CL_INVALID_VALUE;
        memcpy(value, answer, size);
    }
    if (size_ret != NULL) *size_ret = size;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    if (target_dispatch == NULL || nentries_ret == NULL
            || layer_dispatch == NULL
            || nentries < sizeof(own) / sizeof(own.clGetPlatformIDs))
        return CL_INVALID_VALUE;
    target = target_dispatch;
    own.clBuildProgram = build;
    *layer_dispatch = &own;
    *nentries_ret = sizeof(own) / sizeof(own.clGetPlatformIDs);
    return CL_SUCCESS;
}
