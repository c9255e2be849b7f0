/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/runner.h"

#include "model/plan/programs.h"
#include "model/run/describe.h"
#include "model/run/first_launch.h"
#include "model/run/upload.h"

#include <stdlib.h>

/* A step with its memories, ready to be submitted. */
struct bound_step {
    int count;
    dnnl_exec_arg_t *args; /* and their memories, owned */
};

/* ---- Failures ------------------------------------------------------------ */

static bool fail_status(
        struct failure *failure, const char *what, dnnl_status_t status)
{
    return status == dnnl_success
           || fail_as(failure, status, "%s: %s", what, dnnl_status2str(status));
}

static bool fail_error(struct failure *failure, const char *what, cl_int error)
{
    return error == CL_SUCCESS
           || fail_as(failure, dnnl_runtime_error, "%s: OpenCL error %d", what,
                   (int)error);
}

bool runner_fail(const struct runner *runner, int s, dnnl_status_t status,
        struct failure *failure)
{
    char kind[64];
    const struct step *step = runner->plan->steps[s];
    step_describe_kind(step, sizeof kind, kind);
    if (status == dnnl_cache_miss)
        return fail_as(failure, status,
                "%s: %s: not in the store, and may not be compiled here "
                "(cache_miss)",
                step->name, kind);
    return fail_as(failure, status, "%s: %s: %s", step->name, kind,
            dnnl_status2str(status));
}

/* ---- Code ---------------------------------------------------------------- */

bool runner_init(struct runner *runner, const struct plan *plan,
        dnnl_engine_t engine, struct failure *failure)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    dnnl_status_t st = dnnl_ocl_interop_engine_get_context(engine, &context);
    *runner = (struct runner){0};
    if (st == dnnl_success) st = dnnl_ocl_interop_get_device(engine, &device);
    return fail_status(failure, "the device", st)
           && runner_init_memory(runner, plan, context, device, failure)
           && runner_init_code(runner, engine, NULL, failure);
}

bool runner_init_memory(struct runner *runner, const struct plan *plan,
        cl_context context, cl_device_id device, struct failure *failure)
{
    const size_t steps = (size_t)plan->step_count + 1;
    *runner = (struct runner){.plan = plan};
    runner->code = calloc(steps, sizeof *runner->code);
    runner->bound = calloc(steps, sizeof *runner->bound);
    if (runner->code == NULL || runner->bound == NULL)
        return fail_out_of_memory(failure);
    return fail_error(failure, "the device",
            buffers_init(&runner->buffers, plan, context, device));
}

bool runner_init_code(struct runner *runner, dnnl_engine_t engine,
        cl_command_queue queue, struct failure *failure)
{
    runner->engine = engine;
    dnnl_status_t st = queue != NULL ? dnnl_ocl_interop_stream_create(
                               &runner->stream, engine, queue)
                                     : dnnl_stream_create(&runner->stream,
                                             engine, dnnl_stream_default_flags);
    if (st == dnnl_success)
        st = dnnl_ocl_interop_stream_get_command_queue(
                runner->stream, &runner->queue);
    return fail_status(failure, "the device", st);
}

bool runner_describe(
        struct runner *runner, dnnl_status_t *status, struct failure *failure)
{
    *status = dnnl_success;
    for (int s = 0; s < runner->plan->step_count; s++) {
        *status = compiled_describe(&runner->code[s], runner->plan,
                runner->plan->steps[s], runner->engine);
        if (*status != dnnl_success)
            return runner_fail(runner, s, *status, failure);
    }
    return true;
}

dnnl_status_t runner_create(struct runner *runner, int s)
{
    return compiled_create(&runner->code[s]);
}

/* ---- Memory -------------------------------------------------------------- */

bool runner_allocate(struct runner *runner, struct failure *failure)
{
    return fail_error(failure, "memory of the device",
            buffers_allocate(&runner->buffers));
}

bool runner_upload(struct runner *runner, int threads, struct failure *failure)
{
    return upload_constants(&runner->buffers, threads, failure);
}

static dnnl_status_t bind_view(struct runner *runner, struct bound_step *bound,
        int arg, const struct view *view)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_memory_t memory = NULL;
    dnnl_status_t st = describe_view(runner->plan, view, &md);
    if (st == dnnl_success)
        st = dnnl_memory_create(&memory, md, runner->engine,
                buffers_of(&runner->buffers, view));
    if (st == dnnl_success)
        bound->args[bound->count++] = (dnnl_exec_arg_t){arg, memory};
    dnnl_memory_desc_destroy(md);
    return st;
}

static dnnl_status_t bind_primitive(struct runner *runner,
        const struct step *step, struct bound_step *bound)
{
    dnnl_status_t st = dnnl_success;
    bound->args = calloc((size_t)step->arg_count + (size_t)step->post_op_count,
            sizeof *bound->args);
    if (bound->args == NULL) return dnnl_out_of_memory;
    for (int i = 0; i < step->arg_count && st == dnnl_success; i++)
        st = bind_view(runner, bound, step->args[i].arg, &step->args[i].view);
    for (int i = 0; i < step->post_op_count && st == dnnl_success; i++)
        if (step->post_ops[i].src1.layout.ndims > 0)
            st = bind_view(runner, bound,
                    DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1,
                    &step->post_ops[i].src1);
    return st;
}

static dnnl_status_t bind_program(
        struct runner *runner, const struct step *step, cl_kernel kernel)
{
    cl_mem mems[3];
    for (int i = 0; i < step->arg_count; i++)
        mems[i] = buffers_of(&runner->buffers, &step->args[i].view);
    return program_set_arguments(
                   runner->plan, step, kernel, mems, runner->fault)
                   ? dnnl_success
                   : dnnl_runtime_error;
}

/* ---- Faults -------------------------------------------------------------- */

static bool set_fault(struct runner *runner, cl_int number)
{
    return clEnqueueWriteBuffer(runner->queue, runner->fault, CL_TRUE, 0,
                   sizeof number, &number, 0, NULL, NULL)
           == CL_SUCCESS;
}

/* An int for all steps that can fail, if there are any. */
static bool make_fault(struct runner *runner, struct failure *failure)
{
    bool is_needed = false;
    cl_int error = CL_SUCCESS;
    for (int s = 0; s < runner->plan->step_count; s++)
        is_needed = is_needed || step_can_fail(runner->plan->steps[s]);
    if (is_needed && runner->fault == NULL)
        runner->fault = clCreateBuffer(runner->buffers.context,
                CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &error);
    return fail_error(failure, "memory of the device", error);
}

/* Says which step met an index that is out of range, and forgets it. */
static bool check_fault(struct runner *runner, struct failure *failure)
{
    cl_int number = 0;
    if (runner->fault == NULL) return true;
    if (clEnqueueReadBuffer(runner->queue, runner->fault, CL_TRUE, 0,
                sizeof number, &number, 0, NULL, NULL)
                    != CL_SUCCESS
            || (number != 0 && !set_fault(runner, 0)))
        return fail(failure, "the device does not say what was out of range");
    if (number < 1 || number > runner->plan->step_count) return true;
    return fail(failure, "%s: an index is out of range",
            runner->plan->steps[number - 1]->name);
}

/* The first run shall not be the one that meets new pages. */
static bool touch_arena(struct runner *runner, struct failure *failure)
{
    const cl_short zero = 0;
    if (runner->buffers.arena == NULL) return true;
    cl_int error = clEnqueueFillBuffer(runner->queue, runner->buffers.arena,
            &zero, sizeof zero, 0, (size_t)runner->plan->arena * sizeof zero, 0,
            NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(runner->queue);
    return fail_error(failure, "memory of activations", error);
}

/* ---- Runs ---------------------------------------------------------------- */

static dnnl_status_t submit(struct runner *runner, int s)
{
    const struct step *step = runner->plan->steps[s];
    const struct compiled *code = &runner->code[s];
    const struct bound_step *bound = &runner->bound[s];
    if (code->kernel != NULL)
        return program_enqueue(step, code->kernel, runner->queue)
                       ? dnnl_success
                       : dnnl_runtime_error;
    return dnnl_primitive_execute(
            code->primitive, runner->stream, bound->count, bound->args);
}

/* What is computed here, of zeros, nobody looks at. */
static bool launch_first(struct runner *runner, struct failure *failure)
{
    int *chosen =
            malloc(sizeof *chosen * ((size_t)runner->plan->step_count + 1));
    if (chosen == NULL) return fail_out_of_memory(failure);
    const int count = first_launch_choose(runner->plan, chosen);
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < count && st == dnnl_success; i++) {
        st = submit(runner, chosen[i]);
        if (st != dnnl_success) runner_fail(runner, chosen[i], st, failure);
    }
    free(chosen);
    return st == dnnl_success
           && fail_status(
                   failure, "the device", dnnl_stream_wait(runner->stream));
}

bool runner_bind(struct runner *runner, struct failure *failure)
{
    if (!make_fault(runner, failure)) return false;
    for (int s = 0; s < runner->plan->step_count; s++) {
        const struct step *step = runner->plan->steps[s];
        const dnnl_status_t st =
                step_is_program(step)
                        ? bind_program(runner, step, runner->code[s].kernel)
                        : bind_primitive(runner, step, &runner->bound[s]);
        if (st != dnnl_success) return runner_fail(runner, s, st, failure);
    }
    return touch_arena(runner, failure) && launch_first(runner, failure)
           && (runner->fault == NULL || set_fault(runner, 0)
                   || fail(failure, "writing to the device"));
}

bool runner_submit_step(struct runner *runner, int s, struct failure *failure)
{
    const dnnl_status_t st = submit(runner, s);
    return st == dnnl_success || runner_fail(runner, s, st, failure);
}

bool runner_submit(struct runner *runner, const atomic_bool *cancelled,
        struct failure *failure)
{
    for (int s = 0; s < runner->plan->step_count; s++) {
        if (cancelled != NULL && atomic_load(cancelled))
            return fail(failure, "cancelled");
        if (!runner_submit_step(runner, s, failure)) return false;
    }
    return true;
}

bool runner_finish(struct runner *runner, struct failure *failure)
{
    return fail_error(failure, "the device", clFinish(runner->queue))
           && check_fault(runner, failure);
}

bool runner_use_queue(
        struct runner *runner, cl_command_queue queue, struct failure *failure)
{
    dnnl_stream_t stream = NULL;
    dnnl_status_t st = dnnl_success;
    if (queue != NULL)
        st = dnnl_ocl_interop_stream_create(&stream, runner->engine, queue);
    if (st != dnnl_success) return fail_status(failure, "the queue", st);
    if (runner->first_stream != NULL) {
        dnnl_stream_destroy(runner->stream);
        runner->stream = runner->first_stream;
        runner->first_stream = NULL;
    }
    if (stream != NULL) {
        runner->first_stream = runner->stream;
        runner->stream = stream;
    }
    return fail_status(failure, "the queue",
            dnnl_ocl_interop_stream_get_command_queue(
                    runner->stream, &runner->queue));
}

bool runner_read(struct runner *runner, const struct view *view, void *data,
        struct failure *failure)
{
    return fail_error(failure, "reading results",
            buffers_read(&runner->buffers, view, data));
}

bool runner_write(struct runner *runner, const struct view *view,
        const void *data, struct failure *failure)
{
    return fail_error(failure, "writing inputs",
            buffers_write(&runner->buffers, view, data));
}

void runner_fini(struct runner *runner)
{
    const int steps = runner->plan != NULL ? runner->plan->step_count : 0;
    for (int s = 0; s < steps && runner->bound != NULL; s++) {
        for (int i = 0; i < runner->bound[s].count; i++)
            dnnl_memory_destroy(runner->bound[s].args[i].memory);
        free(runner->bound[s].args);
    }
    for (int s = 0; s < steps && runner->code != NULL; s++)
        compiled_fini(&runner->code[s]);
    free(runner->bound);
    free(runner->code);
    dnnl_stream_destroy(runner->stream);
    dnnl_stream_destroy(runner->first_stream);
    if (runner->fault != NULL) clReleaseMemObject(runner->fault);
    buffers_fini(&runner->buffers);
    *runner = (struct runner){0};
}
