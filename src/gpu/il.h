/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate language (SPIR-V), for devices that take it. */
#ifndef DNNL_CACHE_GPU_IL_H
#define DNNL_CACHE_GPU_IL_H

#include "dnnl_cache.h"

/* The versions of IL that the device takes, "SPIR-V_1.2 ...", malloc'ed.
 * Statuses: dnnl_success; dnnl_unimplemented (none); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t il_version(cl_device_id device, char **version);

/* A program of IL, by the core call or the extension's. Statuses:
 * dnnl_success; dnnl_invalid_arguments (the bytes are not well-formed);
 * dnnl_unimplemented; dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t il_create_program(cl_context context, cl_device_id device,
        const void *il, size_t size, cl_program *program);

/* Statuses: dnnl_success; dnnl_invalid_arguments (no such constant, or not of
 * that size); dnnl_unimplemented; dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t il_set_constant(cl_program program, cl_device_id device,
        uint32_t id, size_t size, const void *value);

#endif /* DNNL_CACHE_GPU_IL_H */
