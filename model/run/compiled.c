/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/compiled.h"

#include "model/plan/programs.h"
#include "model/run/describe.h"

#include <dnnl_cache/sys/layer.h>

dnnl_status_t compiled_describe(struct compiled *compiled,
        const struct plan *plan, const struct step *step, dnnl_engine_t engine)
{
    *compiled = (struct compiled){.step = step, .engine = engine};
    if (step_is_program(step))
        return program_describe(step, engine, &compiled->program_desc);
    return describe_step(plan, step, engine, &compiled->primitive_desc);
}

/* A program that was compiled is launched before its binary is taken, so that
 * what drivers compile at the first launch is in it. */
static dnnl_status_t capture(struct compiled *c)
{
    dnnl_stream_t stream = NULL;
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    dnnl_status_t st =
            dnnl_stream_create(&stream, c->engine, dnnl_stream_default_flags);
    if (st == dnnl_success)
        st = dnnl_ocl_interop_stream_get_command_queue(stream, &queue);
    if (st == dnnl_success)
        st = dnnl_ocl_interop_engine_get_context(c->engine, &context);
    if (st == dnnl_success
            && !program_warm_up(c->step, c->kernel, context, queue))
        st = dnnl_runtime_error;
    if (st == dnnl_success) {
        st = dnnl_cache_program_capture_launched(c->program);
        if (st == dnnl_unimplemented) st = dnnl_success; /* it has no ID */
    }
    dnnl_stream_destroy(stream);
    return st;
}

static dnnl_status_t create_program(struct compiled *c)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_status_t st = dnnl_cache_program_create(&c->program, c->program_desc);
    if (st != dnnl_success) return st;
    st = dnnl_cache_program_get_kernel(
            c->program, program_kernel(c->step), &c->kernel);
    if (st == dnnl_success)
        st = program_note_launch(c->program, program_kernel(c->step));
    if (st == dnnl_success)
        st = dnnl_cache_program_get_creation_info(c->program, &info);
    if (st == dnnl_success && info.origin == dnnl_cache_origin_compiled)
        st = capture(c);
    return st;
}

dnnl_status_t compiled_create(struct compiled *compiled)
{
    if (compiled->primitive != NULL || compiled->kernel != NULL)
        return dnnl_success;
    if (compiled->program_desc != NULL) return create_program(compiled);
    return dnnl_primitive_create(
            &compiled->primitive, compiled->primitive_desc);
}

void compiled_fini(struct compiled *compiled)
{
    if (compiled->kernel != NULL) clReleaseKernel(compiled->kernel);
    dnnl_cache_program_destroy(compiled->program);
    dnnl_cache_program_desc_destroy(compiled->program_desc);
    dnnl_primitive_destroy(compiled->primitive);
    dnnl_primitive_desc_destroy(compiled->primitive_desc);
    *compiled = (struct compiled){0};
}
