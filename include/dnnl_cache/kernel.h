/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: kernels by name, kept in memory between uses. */
#ifndef DNNL_CACHE_KERNEL_H
#define DNNL_CACHE_KERNEL_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/opencl.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kernel objects in memory, for applications that ask for a kernel at every
 * launch. A kernel of a cacheable program is created once and then found: by
 * its program and name, or directly by descriptor and name, with one look-up
 * and no program handle. While the caller has a kernel, no other caller gets
 * the same kernel object. Its arguments, and what clSetKernelExecInfo() sets,
 * are undefined when the caller gets it: set them each time. A kernel keeps its
 * program alive, even if the program is evicted from memory meanwhile.
 */

/* A kernel, by its name, of a descriptor's program; if the program is not in
 * memory, it is created as by dnnl_cache_program_create(). The caller destroys
 * the kernel. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such
 * kernel); else as dnnl_cache_program_create(). */
dnnl_status_t DNNL_API dnnl_cache_kernel_create(dnnl_cache_kernel_t *kernel,
        const_dnnl_cache_program_desc_t program_desc, const char *name);

/* The same for a program that the caller has. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, no such kernel); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t DNNL_API dnnl_cache_kernel_create_from_program(
        dnnl_cache_kernel_t *kernel, const_dnnl_cache_program_t program,
        const char *name);

/* Writes the kernel object: borrowed. As OpenCL requires, only one thread at a
 * time may use it. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_kernel_get_cl_kernel(
        const_dnnl_cache_kernel_t kernel, cl_kernel *cl_kernel);

/* Returns the kernel object to memory for later calls. It may have been
 * enqueued: work in progress continues. The object then keeps no buffer alive,
 * provided that the driver reports which arguments are buffers, and that these
 * are among the first 63. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_kernel_destroy(dnnl_cache_kernel_t kernel);

/* Limits the total size in bytes of the binaries of the programs in memory, for
 * each cl_context separately. The default is DNNL_CACHE_NO_LIMIT, or the value
 * of the environment variable DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD (bytes;
 * there 0 means no limit), which is read at first use. 0 keeps no programs,
 * kernels and primitives at all, and so does DNNL_CACHE_IN_MEM=0. A variable
 * that is not a number is ignored, and a message is logged.
 *
 * Beyond the limit the least recently used program is evicted at once, with its
 * kernels and the primitives that use it. Objects in use live on until they are
 * released, but are not counted any more. Programs of primitives that are kept
 * after the last engine of their context was destroyed are not counted either.
 * While there is a limit, the driver is asked for the size of each program that
 * it builds (some drivers then compile what they would have compiled at the
 * first launch), and a program whose size the driver does not report is not
 * kept.
 *
 * The capacity for primitives is separate: it is what
 * dnnl_set_primitive_cache_capacity() or its variable set, else 0 if
 * DNNL_CACHE_IN_MEM was 0. Always dnnl_success. */
dnnl_status_t DNNL_API dnnl_cache_set_program_cache_limit(uint64_t bytes);

/* Writes that limit. Statuses: dnnl_success; dnnl_invalid_arguments (NULL). */
dnnl_status_t DNNL_API dnnl_cache_get_program_cache_limit(uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_KERNEL_H */
