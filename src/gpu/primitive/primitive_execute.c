/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/log.h"
#include "src/gpu/engine/stream.h"
#include "src/gpu/primitive/cross_reorder.h"
#include "src/gpu/primitive/execution.h"
#include "src/gpu/primitive/host_scalars.h"
#include "src/gpu/primitive/refusal.h"
#include "src/gpu/primitive/runtime_dims.h"
#include "src/gpu/primitive/staged.h"
#include "src/gpu/primitive/verbose.h"
#include "src/platform/clock.h"

#include <stdlib.h>

/* Plans for the shapes that this execution tells. */
static dnnl_status_t run_runtime_dims(const struct execution *e)
{
    const struct dnnl_primitive *p = e->primitive;
    struct primitive_plan *plan = NULL;
    dnnl_status_t st =
            runtime_dims_plan(p->pd, e->memories, p->impl->plan, &plan);
    if (st == dnnl_success)
        st = plan == NULL ? execution_run_nothing(e)
                          : execution_run_kernel(e, plan);
    primitive_plan_destroy(plan);
    return st;
}

static dnnl_status_t run(const struct execution *e)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    if (pd->is_empty) return execution_run_nothing(e);
    if (pd->staged != NULL) return staged_run(e);
    if (pd->crosses_contexts) return cross_reorder_run(e);
    if (pd->has_runtime_dims) return run_runtime_dims(e);
    return execution_run_kernel(e, e->primitive->impl->plan);
}

static dnnl_status_t execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args,
        const cl_event *deps, int dep_count, cl_event *return_event)
{
    struct execution e;
    struct host_scalars scalars;
    struct profiled_commands commands = {NULL, 0, false};
    cl_event event = NULL;
    if (primitive == NULL || stream == NULL || nargs < 0 || dep_count < 0
            || (args == NULL && nargs > 0) || (deps == NULL && dep_count > 0)
            || stream->engine != primitive->pd->engine)
        return dnnl_invalid_arguments;
    e.primitive = primitive;
    e.queue = stream->queue;
    e.dep_count = (cl_uint)dep_count;
    e.deps = dep_count > 0 ? deps : NULL;
    e.event = return_event != NULL && stream->is_out_of_order ? &event : NULL;
    e.commands = stream->profile != NULL ? &commands : NULL;
    dnnl_status_t st = execution_bind(&e, nargs, args);
    if (st != dnnl_success) return st;
    st = host_scalars_begin(&scalars, &e);
    if (st == dnnl_success) {
        st = run(&e);
        if (st == dnnl_invalid_arguments)
            (void)refuse_execution(primitive->pd,
                    "a memory is of another engine, or not as described", 0);
    }
    host_scalars_end(&scalars);
    if (st == dnnl_success && e.commands != NULL)
        st = stream_profile_add(stream->profile, &commands);
    else
        profiled_commands_fini(&commands);
    if (st != dnnl_success && event != NULL) clReleaseEvent(event);
    if (st == dnnl_success && return_event != NULL) *return_event = event;
    return st;
}

/* Waits for the stream before and after, for a line with the time. */
static dnnl_status_t execute_profiled(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args,
        const cl_event *deps, int dep_count, cl_event *return_event)
{
    if (!log_profiles_execution() || stream == NULL)
        return execute(
                primitive, stream, nargs, args, deps, dep_count, return_event);
    (void)dnnl_stream_wait(stream);
    uint64_t start = clock_ns();
    dnnl_status_t st = execute(
            primitive, stream, nargs, args, deps, dep_count, return_event);
    if (st != dnnl_success) return st;
    (void)dnnl_stream_wait(stream);
    verbose_execution(primitive->pd, clock_ns() - start);
    return st;
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args)
{
    return execute_profiled(primitive, stream, nargs, args, NULL, 0, NULL);
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(
        const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, const cl_event *deps, int ndeps,
        cl_event *return_event)
{
    return execute_profiled(
            primitive, stream, nargs, args, deps, ndeps, return_event);
}
