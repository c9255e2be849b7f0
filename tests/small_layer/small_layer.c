/* SPDX-License-Identifier: Apache-2.0 */
#include "small_layer.h"

#include "layer/calls/layer_api.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

const cl_icd_dispatch *target;
static cl_icd_dispatch own;

EXPORT cl_int CL_API_CALL clGetLayerInfo(
        cl_layer_info param, size_t capacity, void *value, size_t *size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const bool is_name = param == CL_LAYER_NAME;
    const void *answer = is_name ? (const void *)layer_name : &version;
    const size_t size = is_name ? strlen(layer_name) + 1 : sizeof(version);

    if (!is_name && param != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value != NULL && capacity < size) return CL_INVALID_VALUE;
    if (value != NULL) memcpy(value, answer, size);
    if (size_ret != NULL) *size_ret = size;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    static const cl_uint known = sizeof(own) / sizeof(own.clGetPlatformIDs);

    if (target_dispatch == NULL || nentries_ret == NULL
            || layer_dispatch == NULL || nentries < known || !layer_init(&own))
        return CL_INVALID_VALUE;
    target = target_dispatch;
    *layer_dispatch = &own;
    *nentries_ret = known;
    return CL_SUCCESS;
}

/* Loaders of 2026 look for this one. */
EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch,
        const cl_layer_properties *properties)
{
    (void)properties;
    return clInitLayer(nentries, target_dispatch, nentries_ret, layer_dispatch);
}
