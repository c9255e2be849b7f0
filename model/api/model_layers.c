/* SPDX-License-Identifier: Apache-2.0 */
/* Models: runs, layer by layer. */
#include "model/api/model_io.h"

#include <stdlib.h>

struct layers {
    struct dnnl_cache_model *model;
    dnnl_cache_model_layer_callback_t callback;
    void *user;
    cl_event *marks; /* before the first step, and behind each */
    int mark_count;
};

static void describe_layer(dnnl_cache_model_layer_t *layer,
        const struct plan *plan, int s, size_t size, char *kind)
{
    step_describe_kind(plan->steps[s], size, kind);
    *layer = (dnnl_cache_model_layer_t){.struct_size = sizeof *layer,
            .index = s,
            .node = plan->steps[s]->name,
            .kind = kind};
}

static bool mark(struct layers *layers)
{
    const struct runner *runner = &layers->model->loader.runner;
    const cl_int error = clEnqueueMarkerWithWaitList(
            runner->queue, 0, NULL, &layers->marks[layers->mark_count]);
    if (error == CL_SUCCESS) layers->mark_count++;
    return model_check_cl(layers->model, "an event", error);
}

static bool end_of(struct layers *layers, int i, cl_ulong *ns)
{
    return model_check_cl(layers->model, "an event's time",
            clGetEventProfilingInfo(layers->marks[i], CL_PROFILING_COMMAND_END,
                    sizeof *ns, ns, NULL));
}

static bool tell_times(struct layers *layers)
{
    const struct plan *plan = &layers->model->loader.plan;
    cl_ulong before, after;
    char kind[96];
    if (!end_of(layers, 0, &before)) return false;
    for (int s = 0; s < plan->step_count; s++, before = after) {
        dnnl_cache_model_layer_t layer;
        if (!end_of(layers, s + 1, &after)) return false;
        describe_layer(&layer, plan, s, sizeof kind, kind);
        if (after > before) layer.ms = 1e-6 * (double)(after - before);
        if (layers->callback(&layer, layers->user) != 0) return true;
    }
    return true;
}

static bool time_layers(struct layers *layers)
{
    struct dnnl_cache_model *model = layers->model;
    struct runner *runner = &model->loader.runner;
    const int steps = model->loader.plan.step_count;
    layers->marks = calloc((size_t)steps + 1, sizeof *layers->marks);
    if (layers->marks == NULL) return fail_out_of_memory(&model->failure);
    bool ok = mark(layers);
    for (int s = 0; ok && s < steps; s++)
        ok = runner_submit_step(runner, s, &model->failure) && mark(layers);
    ok = runner_finish(runner, &model->failure) && ok;
    ok = ok && tell_times(layers);
    for (int i = 0; i < layers->mark_count; i++)
        clReleaseEvent(layers->marks[i]);
    free(layers->marks);
    return ok;
}

/* *go_on: the callback wants to see more. */
static bool show_layer(struct layers *layers, int s, bool *go_on)
{
    struct dnnl_cache_model *model = layers->model;
    const struct step *step = model->loader.plan.steps[s];
    const struct graph *graph = &model->loader.graph;
    dnnl_cache_model_layer_t layer;
    dnnl_cache_model_tensor_t is = DNNL_CACHE_MODEL_TENSOR_INIT;
    char kind[96];
    void *data = NULL;
    bool ok = true;
    describe_layer(&layer, &model->loader.plan, s, sizeof kind, kind);
    /* A step that writes no tensor of the model's is a part of the next. */
    if (step->tensor != NULL) {
        const int number = graph_find_tensor(graph, step->tensor);
        const struct graph_tensor *tensor = &graph->tensors[number];
        is.name = step->tensor;
        is.type = (dnnl_cache_model_type_t)onnx_type_number(tensor->type);
        is.ndims = tensor->shape.ndims;
        is.dims = tensor->shape.dims;
        is.size = graph_tensor_size(tensor);
        data = malloc(is.size + 1);
        ok = data != NULL || fail_out_of_memory(&model->failure);
        ok = ok
             && model_io_from_device(
                     model, number, step_result(step), false, data);
        layer.tensor = &is;
        layer.data = data;
    }
    if (ok) *go_on = layers->callback(&layer, layers->user) == 0;
    free(data);
    return ok;
}

static bool show_layers(struct layers *layers)
{
    struct dnnl_cache_model *model = layers->model;
    struct runner *runner = &model->loader.runner;
    bool ok = true, go_on = true;
    for (int s = 0; ok && go_on && s < model->loader.plan.step_count; s++)
        ok = runner_submit_step(runner, s, &model->failure)
             && runner_finish(runner, &model->failure)
             && show_layer(layers, s, &go_on);
    return ok;
}

/* What is bound is written as for any run. */
static bool run_layers(struct layers *layers, dnnl_cache_model_layers_t what)
{
    struct dnnl_cache_model *model = layers->model;
    struct runner *runner = &model->loader.runner;
    cl_int error = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(
            model->loader.session.device.context,
            model->loader.session.device.id, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS)
        return model_check_cl(model, "a queue with profiling", error);
    bool ok = runner_use_queue(runner, queue, &model->failure);
    for (int i = 0; ok && i < model->info.input_count; i++)
        ok = model_io_submit_input(model, i);
    ok = ok
         && (what == dnnl_cache_model_layers_time ? time_layers(layers)
                                                  : show_layers(layers));
    clFinish(queue);
    ok = runner_use_queue(runner, NULL, &model->failure) && ok;
    clReleaseCommandQueue(queue);
    return ok;
}

dnnl_status_t dnnl_cache_model_run_layers(dnnl_cache_model_t model,
        dnnl_cache_model_layers_t what,
        dnnl_cache_model_layer_callback_t callback, void *user)
{
    const dnnl_status_t st = model_begin_use(model);
    if (st != dnnl_success) return st;
    if (callback == NULL
            || (what != dnnl_cache_model_layers_time
                    && what != dnnl_cache_model_layers_data))
        return model_refuse(model, dnnl_invalid_arguments, "no callback");
    struct layers layers = {.model = model, .callback = callback, .user = user};
    return run_layers(&layers, what) ? dnnl_success
                                     : model_fail(model, dnnl_runtime_error);
}
