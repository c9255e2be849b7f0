/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/launch.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/engine.h"

static cl_int set_arguments(cl_kernel kernel, const struct primitive_plan *plan,
        const struct launch_arguments *arguments)
{
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < plan->memory_count && error == CL_SUCCESS; i++)
        error = clSetKernelArg(
                kernel, index++, sizeof(cl_mem), &arguments->memories[i]);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(
                kernel, index++, plan->params_size, arguments->params);
    if (error == CL_SUCCESS && plan->tail_size > 0)
        error = clSetKernelArg(kernel, index++, plan->tail_size, plan->tail);
    const cl_mem *tail = arguments->memories + plan->memory_count;
    for (size_t i = 0; i < plan->tail_memory_count && error == CL_SUCCESS; i++)
        error = clSetKernelArg(kernel, index++, sizeof(cl_mem), &tail[i]);
    return error;
}

static void forget_memories(cl_kernel kernel, const struct primitive_plan *plan)
{
    cl_uint count = (cl_uint)plan->memory_count;
    cl_uint tail = count + 2; /* after params and the tail's */
    for (cl_uint i = 0; i < count; i++)
        (void)clSetKernelArg(kernel, i, sizeof(cl_mem), NULL);
    for (cl_uint i = 0; i < (cl_uint)plan->tail_memory_count; i++)
        (void)clSetKernelArg(kernel, tail + i, sizeof(cl_mem), NULL);
}

dnnl_status_t launch(const struct dnnl_engine *engine, cl_command_queue queue,
        cl_kernel kernel, const struct primitive_plan *plan,
        const struct launch_arguments *arguments, bool one_group,
        cl_uint dep_count, const cl_event *deps, cl_event *event)
{
    size_t global[3];
    size_t group_size = 1;
    for (cl_uint i = 0; i < plan->work_dim; i++)
        group_size *= plan->local[i];
    size_t most = one_group ? 1 : engine_max_groups(engine, group_size);
    for (cl_uint i = 0; i < plan->work_dim; i++) {
        size_t wanted = arguments->groups[i];
        size_t groups = wanted < most ? wanted : most;
        if (one_group || groups == 0) groups = 1;
        global[i] = groups * plan->local[i];
    }
    dnnl_status_t st =
            cl_status(set_arguments(kernel, plan, arguments), "clSetKernelArg");
    if (st == dnnl_success)
        st = cl_status(clEnqueueNDRangeKernel(queue, kernel, plan->work_dim,
                               NULL, global, plan->local, dep_count,
                               dep_count > 0 ? deps : NULL, event),
                "clEnqueueNDRangeKernel");
    forget_memories(kernel, plan);
    return st;
}
