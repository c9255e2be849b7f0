/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assembler of PTX that NVIDIA's driver package installs beside the driver,
 * libnvidia-ptxjitcompiler.so, with the calls that NVIDIA documents as the PTX
 * Compiler API. It needs neither GPU nor context.
 */
#ifndef DNNL_CACHE_GPU_NVIDIA_COMPILER_H
#define DNNL_CACHE_GPU_NVIDIA_COMPILER_H

#include "src/blob/reader.h"
#include "src/common/buffer.h"

#include <CL/cl.h>

#include <stdbool.h>

struct nvidia_compiler;

/* The compiler of a device's driver: the file of the driver's own version in
 * the folder that the driver was loaded from. Opened, and tried out by
 * self_test, once in a process; NULL, and why: there is none to be trusted.
 * self_test is called with no lock held. */
const struct nvidia_compiler *nvidia_compiler_of(cl_device_id device,
        bool (*self_test)(const struct nvidia_compiler *compiler, void *arg,
                struct blob_reason *reason),
        void *arg, struct blob_reason *reason);

/* Appends the CUBIN of a PTX text. Statuses: dnnl_success; dnnl_unimplemented,
 * and why; dnnl_out_of_memory. Cannot be cancelled. */
dnnl_status_t nvidia_compiler_assemble(const struct nvidia_compiler *compiler,
        const char *ptx, int option_count, const char *const *options,
        struct buffer *out, struct blob_reason *reason);

#endif /* DNNL_CACHE_GPU_NVIDIA_COMPILER_H */
