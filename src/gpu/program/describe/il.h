/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate language (SPIR-V), for devices that take it. */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_IL_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_IL_H

#include "dnnl_cache.h"

/* The versions of IL that the device takes, "SPIR-V_1.2 ...", malloc'ed.
 * Statuses: dnnl_success; dnnl_unimplemented (none); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t il_version(cl_device_id device, char **version);

struct spec_constant {
    uint32_t id;
    uint32_t size;    /* bytes: 1, 2, 4 or 8 */
    uint8_t value[8]; /* as the driver gets it */
};

/* A program of IL, by the core call or the extension's, with its constants set.
 * Statuses: dnnl_success; dnnl_invalid_arguments (the bytes are not
 * well-formed; no such constant, or not of that size); dnnl_unimplemented (the
 * driver takes no IL, or no constants); dnnl_out_of_memory; dnnl_runtime_error.
 */
dnnl_status_t il_create_program(cl_context context, cl_device_id device,
        const void *il, size_t size, const struct spec_constant *constants,
        size_t count, cl_program *program);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_IL_H */
