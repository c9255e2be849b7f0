/* SPDX-License-Identifier: Apache-2.0 */
/* Launching a planned kernel. */
#ifndef DNNL_CACHE_GPU_LAUNCH_H
#define DNNL_CACHE_GPU_LAUNCH_H

#include "src/gpu/primitive/primitive_desc.h"

struct launch_arguments {
    cl_mem memories[PLAN_MAX_MEMORIES]; /* in the plan's order, the tail's
                                           too */
    const void *params;                 /* the plan's params_size bytes */
    const size_t *groups;               /* as the plan's */
};

/* Sets the kernel's arguments and enqueues it: on so many groups, capped for
 * the engine, or on one. The kernel is the caller's alone, and has
 * no memories afterwards: some drivers keep alive what a kernel object was
 * given. Event parameters as clEnqueueNDRangeKernel's. */
dnnl_status_t launch(const struct dnnl_engine *engine, cl_command_queue queue,
        cl_kernel kernel, const struct primitive_plan *plan,
        const struct launch_arguments *arguments, bool one_group,
        cl_uint dep_count, const cl_event *deps, cl_event *event);

#endif /* DNNL_CACHE_GPU_LAUNCH_H */
