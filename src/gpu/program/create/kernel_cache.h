/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels in memory. Names of kernels repeat across programs, so a kernel is
 * known by its program and its name; or, without the program at hand, by the
 * key of the program (its device, IL or source, specialization constants,
 * options) and the name: one look-up instead of two.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_KERNEL_CACHE_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_KERNEL_CACHE_H

#include "src/gpu/program/create/program_acquire.h"
#include "src/gpu/program/object/kernel.h"

/* The kernel of that name: of its program's context if the program is in memory
 * there, else one for the caller alone. It may take *first over, a kernel
 * object of that program and name, and sets it to NULL then; NULL, or to NULL:
 * there is none. dnnl_cache_blob_stale: the program has no such kernel;
 * dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t kernel_acquire(struct dnnl_engine *engine,
        struct program *program, const char *name, cl_kernel *first,
        struct kernel **out);

/* The kernel of that name in the program of a recipe, as program_acquire():
 * with one look-up if it is in memory. Statuses: those of both. */
dnnl_status_t kernel_acquire_fast(const struct program_recipe *recipe,
        const char *name, struct kernel **out, struct shared_text **note);

/* What a caller gets who asked for a kernel that its program has not: no blob
 * is at fault. Tells the log its name. dnnl_invalid_arguments. */
dnnl_status_t kernel_not_there(const char *name);

/* The caller's handle of a kernel, which it takes over, also on failure. */
dnnl_status_t kernel_handle_create(
        struct kernel *kernel, struct dnnl_cache_kernel **out);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_KERNEL_CACHE_H */
