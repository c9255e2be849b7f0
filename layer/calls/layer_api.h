/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loader looks for in a layer: CL/cl_layer.h, and what version 1.0.1 of
 * cl_loader_layers (2025-11-25, in Khronos' OpenCL-Docs and OpenCL-Headers)
 * adds to it, for headers that are older.
 */
#ifndef DNNL_CACHE_LAYER_API_H
#define DNNL_CACHE_LAYER_API_H

#include <CL/cl_layer.h>

#ifndef CL_LAYER_PROPERTIES_LIST_END

/* Names and values in turn, up to CL_LAYER_PROPERTIES_LIST_END. */
typedef cl_properties cl_layer_properties;
#define CL_LAYER_PROPERTIES_LIST_END ((cl_layer_properties)0)

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries,
        const cl_icd_dispatch *target_dispatch, cl_uint *entries_ret,
        const cl_icd_dispatch **layer_dispatch_ret,
        const cl_layer_properties *properties);
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void);

#endif /* CL_LAYER_PROPERTIES_LIST_END */

#endif /* DNNL_CACHE_LAYER_API_H */
