/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/staged.h"

#include "src/gpu/device/cl_status.h"

#include <stdlib.h>

void staged_destroy(struct staged *staged)
{
    if (staged == NULL) return;
    for (int i = 0; i < staged->count; i++)
        primitive_desc_release(staged->stages[i].pd);
    free(staged->stages);
    free(staged);
}

const struct stage *staged_operation(const struct staged *staged)
{
    const struct stage *stage = staged->stages;
    while (stage->arg != 0 || stage->is_product)
        stage++;
    return stage;
}

/* ---- Creation ------------------------------------------------------------ */

/* Adds what became of a stage: what costs most is told of all. */
static void add_trace(
        struct program_trace *all, const struct program_trace *stage)
{
    if (stage->origin > all->origin) all->origin = stage->origin;
    all->driver_ns += stage->driver_ns;
    all->blob_bytes += stage->blob_bytes;
    if (all->blob_status != dnnl_success) return;
    all->blob_status = stage->blob_status;
    all->reason = stage->reason;
}

void staged_release_impls(
        const struct staged *staged, struct primitive_impl **stages)
{
    for (int i = 0; i < staged->count && stages != NULL; i++)
        primitive_impl_release(stages[i]);
    free(stages);
}

dnnl_status_t staged_create_impls(const struct staged *staged,
        const struct program_blob *blob, struct primitive_impl ***stages,
        struct program_trace *trace, struct shared_text **note)
{
    struct primitive_impl **made =
            calloc((size_t)staged->count, sizeof(struct primitive_impl *));
    dnnl_status_t st = made != NULL ? dnnl_success : dnnl_out_of_memory;
    *trace = (struct program_trace){.origin = dnnl_cache_origin_none};
    for (int i = 0; i < staged->count && st == dnnl_success; i++) {
        struct program_trace one = {.origin = dnnl_cache_origin_none};
        st = primitive_impl_create_stage(
                staged->stages[i].pd, blob, &made[i], &one, note);
        if (st == dnnl_success) add_trace(trace, &one);
    }
    if (st == dnnl_success)
        *stages = made;
    else
        staged_release_impls(staged, made);
    return st;
}

/* ---- Execution ----------------------------------------------------------- */

/* What all stages of an execution share. */
struct run {
    const struct execution *e;
    const struct staged *staged;
    struct dnnl_memory scratch;
};

static struct dnnl_memory *find_memory(const struct execution *e, int arg)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    for (int t = 0; t < pd->tensor_count; t++)
        if (pd->tensors[t].arg == arg) return e->memories[t];
    return NULL;
}

static bool is_moved(const struct staged *staged, int arg)
{
    for (int i = 0; i < staged->count; i++)
        if (staged->stages[i].arg == arg) return true;
    return false;
}

/* Is a tensor of a stage in scratch memory? Of a reorder, the one without
 * blocks; of a product, the result; of the operation, what a reorder moves, and
 * what has that name. */
static bool is_in_scratch(const struct staged *staged,
        const struct stage *stage, const struct pd_tensor *tensor)
{
    if (stage->arg != 0) return tensor->md.inner_nblks == 0;
    if (stage->is_product) return tensor->arg == DNNL_ARG_DST;
    return tensor->arg == DNNL_ARG_SCRATCHPAD || is_moved(staged, tensor->arg);
}

static void bind(
        struct run *run, const struct stage *stage, struct execution *to)
{
    for (int t = 0; t < stage->pd->tensor_count; t++) {
        const struct pd_tensor *tensor = &stage->pd->tensors[t];
        const int arg = stage->arg != 0 ? stage->arg : tensor->arg;
        to->memories[t] = is_in_scratch(run->staged, stage, tensor)
                                  ? &run->scratch
                                  : find_memory(run->e, arg);
    }
}

/* Runs stage i after all of the execution's deps, or after the stage before;
 * *event is its end. */
static dnnl_status_t run_stage(
        struct run *run, int i, cl_event before, cl_event *event)
{
    const struct stage *stage = &run->staged->stages[i];
    const struct dnnl_primitive primitive = {
            .pd = stage->pd, .impl = run->e->primitive->impl->stages[i]};
    struct execution stage_run = *run->e;
    stage_run.primitive = &primitive;
    stage_run.event = event;
    if (before != NULL) {
        stage_run.dep_count = 1;
        stage_run.deps = &before;
    }
    bind(run, stage, &stage_run);
    return stage->pd->is_empty
                   ? execution_run_nothing(&stage_run)
                   : execution_run_kernel(&stage_run, primitive.impl->plan);
}

static dnnl_status_t run_stages(struct run *run)
{
    const int last = run->staged->count - 1;
    cl_event before = NULL;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i <= last && st == dnnl_success; i++) {
        cl_event end = NULL;
        st = run_stage(run, i, before, i < last ? &end : run->e->event);
        if (before != NULL) clReleaseEvent(before);
        before = end;
    }
    if (before != NULL) clReleaseEvent(before);
    return st;
}

/* The caller's scratch memory, or a buffer for this execution; no buffer where
 * nothing is moved but empty tensors. */
static dnnl_status_t get_scratch(struct run *run)
{
    const struct dnnl_primitive_desc *pd = run->e->primitive->pd;
    const struct dnnl_memory *given = find_memory(run->e, DNNL_ARG_SCRATCHPAD);
    cl_int error;
    run->scratch.engine = pd->engine;
    if (run->staged->scratch_size == 0) return dnnl_success;
    if (given != NULL) {
        run->scratch.buffer = execution_buffer(run->e, given);
        if (run->scratch.buffer == NULL) return dnnl_invalid_arguments;
        return cl_status(
                clRetainMemObject(run->scratch.buffer), "clRetainMemObject");
    }
    run->scratch.buffer = clCreateBuffer(pd->engine->context, CL_MEM_READ_WRITE,
            run->staged->scratch_size, NULL, &error);
    return cl_status(error, "clCreateBuffer");
}

dnnl_status_t staged_run(const struct execution *e)
{
    struct run run = {.e = e, .staged = e->primitive->pd->staged};
    dnnl_status_t st = get_scratch(&run);
    if (st != dnnl_success) return st;
    st = run_stages(&run);
    /* It lives until what was enqueued is done. */
    if (run.scratch.buffer != NULL) clReleaseMemObject(run.scratch.buffer);
    return st;
}
