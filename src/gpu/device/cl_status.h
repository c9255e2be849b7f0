/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL's error codes as statuses and as text.
 */
#ifndef DNNL_CACHE_GPU_CL_STATUS_H
#define DNNL_CACHE_GPU_CL_STATUS_H

#include "dnnl_cache.h"

/* The name of a code, "CL_BUILD_PROGRAM_FAILURE", or "CL error"; static. */
const char *cl_error_name(cl_int error);

/* dnnl_success, dnnl_out_of_memory, or dnnl_runtime_error. A failure is
 * logged once, here, with the function that failed. */
dnnl_status_t cl_status(cl_int error, const char *function);

/* The same for a call about an object that the application gave: that it is no
 * such object is dnnl_invalid_arguments, and not logged. */
dnnl_status_t cl_object_status(cl_int error, const char *function);

/* Reads a string property of a device or platform into malloc'ed memory, the
 * caller's. Statuses: dnnl_success; dnnl_out_of_memory (for our copy);
 * dnnl_runtime_error (the driver does not tell, for whatever reason). */
dnnl_status_t device_string(
        cl_device_id device, cl_device_info name, char **out);
dnnl_status_t platform_string(
        cl_platform_id platform, cl_platform_info name, char **out);

#endif /* DNNL_CACHE_GPU_CL_STATUS_H */
