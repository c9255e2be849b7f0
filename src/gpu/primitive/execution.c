/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/execution.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/primitive/launch.h"
#include "src/gpu/primitive/refusal.h"

/* ---- Arguments ----------------------------------------------------------- */

dnnl_status_t execution_bind(
        struct execution *e, int nargs, const dnnl_exec_arg_t *args)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    for (int t = 0; t < pd->tensor_count; t++)
        e->memories[t] = NULL;
    for (int a = 0; a < nargs; a++) {
        if (args[a].memory == NULL) continue;
        for (int t = 0; t < pd->tensor_count; t++) {
            if (pd->tensors[t].arg != args[a].arg) continue;
            if (e->memories[t] != NULL)
                return refuse_execution(
                        pd, "a memory is given twice", args[a].arg);
            e->memories[t] = args[a].memory;
        }
    }
    for (int t = 0; t < pd->tensor_count; t++) {
        const struct dnnl_memory *m = e->memories[t];
        const struct dnnl_memory_desc *md = &pd->tensors[t].md;
        const int arg = pd->tensors[t].arg;
        if (m == NULL) return refuse_execution(pd, "a memory is missing", arg);
        if (!memory_desc_has_runtime(md)
                && m->size < dnnl_memory_desc_get_size(md))
            return refuse_execution(pd, "a memory is too small", arg);
    }
    return dnnl_success;
}

cl_mem execution_buffer(const struct execution *e, const struct dnnl_memory *m)
{
    return m->engine != NULL && m->engine->kind == dnnl_gpu
                           && m->engine->context
                                      == e->primitive->pd->engine->context
                   ? m->buffer
                   : NULL;
}

static int find_tensor(const struct dnnl_primitive_desc *pd, int arg)
{
    int t = 0;
    while (t < pd->tensor_count && pd->tensors[t].arg != arg)
        t++;
    return t;
}

/* Does this execution give the tensor no element? */
static bool is_empty(const struct execution *e, int t)
{
    const struct dnnl_memory_desc *md = &e->primitive->pd->tensors[t].md;
    return memory_desc_nelems(
                   memory_desc_has_runtime(md) ? &e->memories[t]->md : md)
           == 0;
}

/* The buffer of one of the descriptor's tensors. An empty input has none, and
 * kernels read nothing of it: dst, which has elements, stands in for it. */
static cl_mem find_buffer(const struct execution *e, int arg)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    int t = find_tensor(pd, arg);
    if (t < pd->tensor_count && !pd->tensors[t].is_output && is_empty(e, t))
        t = find_tensor(pd, DNNL_ARG_DST);
    return t < pd->tensor_count ? execution_buffer(e, e->memories[t]) : NULL;
}

/* ---- Kernels ------------------------------------------------------------- */

/* Finds the buffers that a plan names; false if there is none that may be
 * used. */
static bool find_buffers(const struct execution *e,
        const struct primitive_plan *plan, struct launch_arguments *arguments)
{
    for (size_t i = 0; i < plan_memory_count(plan); i++) {
        arguments->memories[i] = find_buffer(e, plan->memories[i]);
        if (arguments->memories[i] == NULL) return false;
    }
    for (size_t i = 0; i < plan->pass_count; i++) {
        const struct plan_pass *pass = &plan->passes[i];
        if (find_buffer(e, pass->memory) == NULL
                || (pass->third != 0 && find_buffer(e, pass->third) == NULL))
            return false;
    }
    return true;
}

bool execution_has_buffers(
        const struct execution *e, const struct primitive_plan *plan)
{
    struct launch_arguments arguments;
    return find_buffers(e, plan, &arguments);
}

static dnnl_status_t launch_once(const struct execution *e,
        const struct primitive_plan *plan, cl_kernel kernel,
        const struct launch_arguments *arguments, cl_event *event)
{
    cl_event own = NULL;
    cl_event *end = event == NULL && e->commands != NULL ? &own : event;
    dnnl_status_t st = launch(e->primitive->pd->engine, e->queue, kernel, plan,
            arguments, false, e->dep_count, e->deps, end);
    if (st == dnnl_success && e->commands != NULL)
        profiled_commands_add(e->commands, *end);
    if (own != NULL) clReleaseEvent(own);
    return st;
}

/* Launches the passes, all after deps; the event is that of their common end.
 */
static dnnl_status_t launch_passes(const struct execution *e,
        const struct primitive_plan *plan, cl_kernel kernel,
        struct launch_arguments *arguments)
{
    cl_event ends[PLAN_MAX_MEMORIES];
    cl_uint end_count = 0;
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; i < plan->pass_count && st == dnnl_success; i++) {
        const struct plan_pass *pass = &plan->passes[i];
        arguments->memories[0] = find_buffer(e, pass->memory);
        if (pass->third != 0)
            arguments->memories[2] = find_buffer(e, pass->third);
        arguments->params = pass->params;
        arguments->groups = &pass->groups;
        st = launch_once(e, plan, kernel, arguments,
                e->event != NULL ? &ends[end_count] : NULL);
        if (st == dnnl_success && e->event != NULL) end_count++;
    }
    if (st == dnnl_success && e->event != NULL)
        st = cl_status(clEnqueueMarkerWithWaitList(
                               e->queue, end_count, ends, e->event),
                "clEnqueueMarkerWithWaitList");
    while (end_count > 0)
        clReleaseEvent(ends[--end_count]);
    return st;
}

dnnl_status_t execution_run_kernel(
        const struct execution *e, const struct primitive_plan *plan)
{
    struct kernel_pool *pool = &e->primitive->impl->kernel->pool;
    struct launch_arguments arguments;
    cl_kernel kernel;
    arguments.params = plan->params;
    arguments.groups = plan->groups;
    if (!find_buffers(e, plan, &arguments)) return dnnl_invalid_arguments;
    dnnl_status_t st = kernel_pool_take(pool, &kernel);
    if (st != dnnl_success) return st;
    st = plan->pass_count > 0
                 ? launch_passes(e, plan, kernel, &arguments)
                 : launch_once(e, plan, kernel, &arguments, e->event);
    kernel_pool_give(pool, kernel);
    return st;
}

dnnl_status_t execution_run_nothing(const struct execution *e)
{
    if (e->event == NULL) return dnnl_success;
    return cl_status(clEnqueueMarkerWithWaitList(
                             e->queue, e->dep_count, e->deps, e->event),
            "clEnqueueMarkerWithWaitList");
}
