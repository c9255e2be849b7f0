/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a primitive. */
#ifndef DNNL_CACHE_GPU_EXECUTION_H
#define DNNL_CACHE_GPU_EXECUTION_H

#include "src/gpu/engine/stream_profile.h"
#include "src/gpu/memory/memory.h"
#include "src/gpu/primitive/primitive.h"

/* Everything is borrowed for the time of the call. */
struct execution {
    const struct dnnl_primitive *primitive;
    cl_command_queue queue;
    struct dnnl_memory *memories[PD_MAX_TENSORS]; /* as the descriptor's
                                                     tensors */
    cl_uint dep_count;
    const cl_event *deps; /* NULL if there are none */
    cl_event *event;      /* of the end; NULL: not wanted */
    struct profiled_commands
            *commands; /* kernels are added; NULL: not wanted */
};

/* Sorts the arguments to the descriptor's tensors. dnnl_invalid_arguments if
 * one is missing, given twice or too small. */
dnnl_status_t execution_bind(
        struct execution *e, int nargs, const dnnl_exec_arg_t *args);

/* A memory's buffer, NULL if kernels of the primitive may not use it. */
cl_mem execution_buffer(const struct execution *e, const struct dnnl_memory *m);

/* Can the plan's kernel run on the memories of this execution? */
bool execution_has_buffers(
        const struct execution *e, const struct primitive_plan *plan);

/* Launches the primitive's kernel as planned. */
dnnl_status_t execution_run_kernel(
        const struct execution *e, const struct primitive_plan *plan);

/* Ends when deps have. */
dnnl_status_t execution_run_nothing(const struct execution *e);

#endif /* DNNL_CACHE_GPU_EXECUTION_H */
