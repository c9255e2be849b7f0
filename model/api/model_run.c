/* SPDX-License-Identifier: Apache-2.0 */
/* Models: runs. */
#include "model/api/model_io.h"

static bool submit(struct dnnl_cache_model *model, cl_uint wait_count,
        const cl_event *wait_list, cl_event *event)
{
    struct runner *runner = &model->loader.runner;
    bool ok = wait_count == 0
              || model_check_cl(model, "the events to wait for",
                      clEnqueueBarrierWithWaitList(
                              runner->queue, wait_count, wait_list, NULL));
    for (int i = 0; ok && i < model->info.input_count; i++)
        ok = model_io_submit_input(model, i);
    ok = ok && runner_submit(runner, &model->cancelled, &model->failure);
    for (int i = 0; ok && i < model->info.output_count; i++)
        ok = model_io_submit_output(model, i);
    if (ok && event != NULL)
        ok = model_check_cl(model, "the run's event",
                     clEnqueueMarkerWithWaitList(runner->queue, 0, NULL, event))
             && model_check_cl(model, "the queue", clFlush(runner->queue));
    /* What was submitted must not use the caller's memory any more. */
    if (!ok) clFinish(runner->queue);
    return ok;
}

/* rusticl's clFinish() (Mesa 22.3) does not wait for what was flushed before:
 * the results were those of the run before. So only a run that is not waited
 * for at once is flushed, and its event is waited for. */
static bool finish(struct dnnl_cache_model *model)
{
    bool ok = true;
    if (model->running != NULL) {
        ok = model_check_cl(
                model, "the run", clWaitForEvents(1, &model->running));
        clReleaseEvent(model->running);
        model->running = NULL;
    }
    ok = runner_finish(&model->loader.runner, &model->failure) && ok;
    for (int i = 0; ok && i < model->info.output_count; i++)
        if (model->outputs[i].data != NULL)
            ok = model_io_read_output(model, i, model->outputs[i].data);
    return ok;
}

dnnl_status_t dnnl_cache_model_run(dnnl_cache_model_t model)
{
    const dnnl_status_t st = model_begin_use(model);
    if (st != dnnl_success) return st;
    return submit(model, 0, NULL, NULL) && finish(model)
                   ? dnnl_success
                   : model_fail(model, dnnl_runtime_error);
}

dnnl_status_t dnnl_cache_model_run_async(dnnl_cache_model_t model,
        cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    const dnnl_status_t st = model_begin_use(model);
    if (st != dnnl_success) return st;
    if ((wait_count > 0) != (wait_list != NULL))
        return model_refuse(model, dnnl_invalid_arguments,
                "a wait list and its length do not match");
    cl_event submitted = NULL;
    if (!submit(model, wait_count, wait_list, &submitted)) {
        if (submitted != NULL) clReleaseEvent(submitted);
        return model_fail(model, dnnl_runtime_error);
    }
    model->running = submitted;
    if (event != NULL) {
        clRetainEvent(submitted);
        *event = submitted;
    }
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_wait(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->running == NULL) return dnnl_success;
    return finish(model) ? dnnl_success : model_fail(model, dnnl_runtime_error);
}
