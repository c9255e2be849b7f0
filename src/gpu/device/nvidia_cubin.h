/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ELF header and the sections of a CUBIN, NVIDIA's machine code. Any
 * bytes are safe to read. */
#ifndef DNNL_CACHE_GPU_NVIDIA_CUBIN_H
#define DNNL_CACHE_GPU_NVIDIA_CUBIN_H

#include "src/blob/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the bytes are a whole CUBIN for compute capability sm (90 for 9.0)
 * with code for each of the kernels, whose names stand one behind the other,
 * each with a NUL; else why not. */
bool nvidia_cubin_check(const uint8_t *bytes, size_t size, unsigned sm,
        const char *kernels, uint32_t kernel_count, struct blob_reason *reason);

#endif /* DNNL_CACHE_GPU_NVIDIA_CUBIN_H */
