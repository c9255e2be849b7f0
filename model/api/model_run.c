/* SPDX-License-Identifier: Apache-2.0 */
/* Models: inputs, runs, outputs. */
#include "model/api/model.h"

#include "model/base/half.h"
#include "model/run/ports.h"

#include <stdlib.h>
#include <string.h>

/* ---- Ports --------------------------------------------------------------- */

static bool complete(struct dnnl_cache_model *model, struct model_port *port,
        const struct graph_tensor *tensor, bool is_half)
{
    int64_t *dims = calloc((size_t)tensor->shape.ndims + 1, sizeof *dims);
    const char **symbols =
            calloc((size_t)tensor->shape.ndims + 1, sizeof *symbols);
    if (dims == NULL || symbols == NULL) {
        free(dims);
        free(symbols);
        return fail_out_of_memory(&model->failure);
    }
    for (int d = 0; d < tensor->shape.ndims; d++) {
        dims[d] = tensor->shape.dims[d];
        symbols[d] = "";
    }
    free(port->dims);
    free(port->symbols);
    port->dims = dims;
    port->symbols = symbols;
    port->is.type =
            is_half ? dnnl_cache_model_type_f16
                    : (dnnl_cache_model_type_t)onnx_type_number(tensor->type);
    port->is.ndims = tensor->shape.ndims;
    port->is.dims = dims;
    port->is.symbols = symbols;
    port->is.size = (size_t)graph_shape_count(&tensor->shape)
                    * dnnl_cache_model_type_size(port->is.type);
    return true;
}

static bool zero_input(struct dnnl_cache_model *model, int i)
{
    const struct plan_port *port = &model->loader.plan.inputs[i];
    void *zeros =
            calloc((size_t)layout_count(&port->view.layout), sizeof(double));
    if (zeros == NULL) return fail_out_of_memory(&model->failure);
    const bool ok = runner_write(
            &model->loader.runner, &port->view, zeros, &model->failure);
    free(zeros);
    return ok;
}

bool model_complete_ports(struct dnnl_cache_model *model)
{
    const struct loader *l = &model->loader;
    bool ok = l->plan.input_count == model->info.input_count
              && l->plan.output_count == model->info.output_count;
    if (!ok)
        return fail(&model->failure,
                "the model's inputs are not those that it declares");
    for (int i = 0; ok && i < l->plan.input_count; i++)
        ok = complete(model, &model->inputs[i],
                     &l->graph.tensors[l->plan.inputs[i].tensor],
                     model->inputs[i].is.type == dnnl_cache_model_type_f16)
             && zero_input(model, i);
    for (int i = 0; ok && i < l->plan.output_count; i++)
        ok = complete(model, &model->outputs[i],
                &l->graph.tensors[l->plan.outputs[i].tensor],
                l->graph.outputs[i].is_half);
    return ok;
}

static dnnl_status_t begin_use(struct dnnl_cache_model *model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state != model_ready)
        return model_refuse(model, dnnl_invalid_arguments,
                "the model has not been prepared");
    if (model->running != NULL)
        return model_refuse(model, dnnl_invalid_arguments,
                "the model runs: wait for its end first");
    return dnnl_success;
}

static dnnl_status_t begin_port(
        struct dnnl_cache_model *model, int count, int index)
{
    const dnnl_status_t st = begin_use(model);
    if (st != dnnl_success) return st;
    if (index >= 0 && index < count) return dnnl_success;
    return model_refuse(model, dnnl_invalid_arguments,
            "there is no input or output of that number");
}

static dnnl_status_t begin_input(struct dnnl_cache_model *model, int index)
{
    return begin_port(
            model, model != NULL ? model->info.input_count : 0, index);
}

static dnnl_status_t begin_output(struct dnnl_cache_model *model, int index)
{
    return begin_port(
            model, model != NULL ? model->info.output_count : 0, index);
}

/* ---- Conversions --------------------------------------------------------- */

/* True if the elements are on the device as the caller has them. */
static bool is_as_given(const struct model_port *port, const struct view *view)
{
    return port->is.type
           == (view->element == element_f32       ? dnnl_cache_model_type_f32
                   : view->element == element_f16 ? dnnl_cache_model_type_f16
                   : view->element == element_f64 ? dnnl_cache_model_type_f64
                                                  : dnnl_cache_model_type_s64);
}

static float *from_halves(const void *data, size_t count)
{
    float *floats = malloc(count * sizeof *floats + 1);
    for (size_t i = 0; floats != NULL && i < count; i++) {
        uint16_t half;
        memcpy(&half, (const char *)data + i * sizeof half, sizeof half);
        floats[i] = half_to_float(half);
    }
    return floats;
}

/* The elements as the device has them, which the caller frees. */
static void *to_device(struct dnnl_cache_model *model, int i, const void *data)
{
    const struct plan_port *port = &model->loader.plan.inputs[i];
    struct graph_tensor tensor = model->loader.graph.tensors[port->tensor];
    const size_t count = (size_t)graph_shape_count(&tensor.shape);
    void *converted;
    if (model->inputs[i].is.type == dnnl_cache_model_type_f16) {
        converted = from_halves(data, count);
    } else {
        tensor.data = (void *)(uintptr_t)data; /* only read */
        converted = ports_widen(&tensor, port->view.element);
    }
    if (converted == NULL) fail_out_of_memory(&model->failure);
    return converted;
}

/* A view's elements as the model has them. */
static bool from_device(struct dnnl_cache_model *model, int number,
        const struct view *view, bool is_half, void *data)
{
    struct graph_tensor tensor = model->loader.graph.tensors[number];
    const size_t count = (size_t)layout_count(&view->layout);
    void *wide = malloc(count * sizeof(double) + 1);
    void *narrow = is_half ? malloc(count * sizeof(float) + 1) : data;
    bool ok = wide != NULL && narrow != NULL;
    if (!ok) fail_out_of_memory(&model->failure);
    ok = ok && runner_read(&model->loader.runner, view, wide, &model->failure);
    if (ok) {
        tensor.data = narrow;
        ports_narrow(&tensor, wide);
    }
    for (size_t i = 0; ok && is_half && i < count; i++) {
        const uint16_t half = half_from_float(((const float *)narrow)[i]);
        memcpy((char *)data + i * sizeof half, &half, sizeof half);
    }
    if (is_half) free(narrow);
    free(wide);
    return ok;
}

/* ---- Inputs -------------------------------------------------------------- */

static void shape_text(
        char text[graph_shape_text_size], int ndims, const int64_t *dims)
{
    struct graph_shape shape = {.ndims = ndims};
    if (ndims < 0 || ndims > graph_max_ndims) {
        memcpy(text, "[...]", 6);
        return;
    }
    for (int d = 0; d < ndims; d++)
        shape.dims[d] = dims[d];
    graph_shape_text(text, &shape);
}

/* `is` NULL: only the size is known. */
static dnnl_status_t check_input(struct dnnl_cache_model *model, int i,
        const dnnl_cache_model_tensor_t *is, const void *data, size_t size)
{
    const dnnl_cache_model_tensor_t *needed = &model->inputs[i].is;
    char needed_text[graph_shape_text_size];
    char is_text[graph_shape_text_size];
    if (data == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no data");
    shape_text(needed_text, needed->ndims, needed->dims);
    if (is != NULL
            && (is->struct_size != sizeof *is
                    || (is->ndims > 0 && is->dims == NULL)))
        return model_refuse(model, dnnl_invalid_arguments, "bad struct_size");
    if (is != NULL) {
        const bool same_shape =
                is->ndims == needed->ndims
                && (is->ndims == 0
                        || memcmp(is->dims, needed->dims,
                                   (size_t)is->ndims * sizeof *is->dims)
                                   == 0);
        const dnnl_status_t st = is->type != needed->type
                                         ? dnnl_invalid_data_type
                                 : !same_shape ? dnnl_invalid_shape
                                               : dnnl_success;
        shape_text(is_text, is->ndims, is->dims);
        if (st != dnnl_success) {
            fail_as(&model->failure, st,
                    "input '%.100s' needs %s %s, and was given %s %s",
                    needed->name, dnnl_cache_model_type_name(needed->type),
                    needed_text, dnnl_cache_model_type_name(is->type), is_text);
            return st;
        }
    }
    if (size == needed->size) return dnnl_success;
    fail_as(&model->failure, dnnl_invalid_shape,
            "input '%.100s' needs %s %s, which are %zu bytes, and was given "
            "%zu bytes",
            needed->name, dnnl_cache_model_type_name(needed->type), needed_text,
            needed->size, size);
    return dnnl_invalid_shape;
}

dnnl_status_t dnnl_cache_model_write_input(dnnl_cache_model_t model, int index,
        const dnnl_cache_model_tensor_t *is, const void *data, size_t size)
{
    dnnl_status_t st = begin_input(model, index);
    if (st == dnnl_success) st = check_input(model, index, is, data, size);
    if (st != dnnl_success) return st;
    const struct view *view = &model->loader.plan.inputs[index].view;
    /* What is written are floats, also if they become halves again. */
    const bool is_direct = is_as_given(&model->inputs[index], view)
                           && view->element != element_f16;
    void *converted = is_direct ? NULL : to_device(model, index, data);
    const bool ok = (is_direct || converted != NULL)
                    && runner_write(&model->loader.runner, view,
                            is_direct ? data : converted, &model->failure);
    free(converted);
    return ok ? dnnl_success : model_fail(model, dnnl_runtime_error);
}

/* Forgets what a port was bound to. */
static void unbind(struct model_port *port)
{
    if (port->buffer != NULL) clReleaseMemObject(port->buffer);
    port->buffer = NULL;
    port->data = NULL;
}

dnnl_status_t dnnl_cache_model_bind_input(dnnl_cache_model_t model, int index,
        const dnnl_cache_model_tensor_t *is, const void *data, size_t size)
{
    dnnl_status_t st = begin_input(model, index);
    if (st == dnnl_success && data != NULL)
        st = check_input(model, index, is, data, size);
    if (st != dnnl_success) return st;
    unbind(&model->inputs[index]);
    model->inputs[index].data = (void *)(uintptr_t)data;
    model->inputs[index].size = size;
    return dnnl_success;
}

/* A buffer can be copied to or from the device's elements. */
static dnnl_status_t bind_buffer(struct dnnl_cache_model *model,
        struct model_port *port, const struct view *view, cl_mem buffer,
        size_t offset)
{
    size_t size = 0;
    if (buffer == NULL) {
        unbind(port);
        return dnnl_success;
    }
    if (!is_as_given(port, view) || !layout_is_dense(&view->layout)) {
        fail_as(&model->failure, dnnl_unimplemented,
                "'%.100s' is not on the device as %s in row-major order: use "
                "memory",
                port->is.name, dnnl_cache_model_type_name(port->is.type));
        return dnnl_unimplemented;
    }
    if (clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL)
            != CL_SUCCESS)
        return model_refuse(model, dnnl_invalid_arguments, "not a buffer");
    if (offset > size || port->is.size > size - offset) {
        fail_as(&model->failure, dnnl_invalid_shape,
                "'%.100s' needs %zu bytes, and the buffer has %zu from there "
                "on",
                port->is.name, port->is.size,
                offset > size ? 0 : size - offset);
        return dnnl_invalid_shape;
    }
    clRetainMemObject(buffer);
    unbind(port);
    port->buffer = buffer;
    port->offset = offset;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_bind_input_buffer(
        dnnl_cache_model_t model, int index, cl_mem buffer, size_t offset)
{
    const dnnl_status_t st = begin_input(model, index);
    if (st != dnnl_success) return st;
    return bind_buffer(model, &model->inputs[index],
            &model->loader.plan.inputs[index].view, buffer, offset);
}

/* ---- Outputs ------------------------------------------------------------- */

static dnnl_status_t check_output(
        struct dnnl_cache_model *model, int i, const void *data, size_t size)
{
    const dnnl_cache_model_tensor_t *is = &model->outputs[i].is;
    if (data == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no data");
    if (size == is->size) return dnnl_success;
    fail_as(&model->failure, dnnl_invalid_shape,
            "output '%.100s' has %zu bytes, and there is room for %zu",
            is->name, is->size, size);
    return dnnl_invalid_shape;
}

dnnl_status_t dnnl_cache_model_bind_output(
        dnnl_cache_model_t model, int index, void *data, size_t size)
{
    dnnl_status_t st = begin_output(model, index);
    if (st == dnnl_success && data != NULL)
        st = check_output(model, index, data, size);
    if (st != dnnl_success) return st;
    unbind(&model->outputs[index]);
    model->outputs[index].data = data;
    model->outputs[index].size = size;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_bind_output_buffer(
        dnnl_cache_model_t model, int index, cl_mem buffer, size_t offset)
{
    const dnnl_status_t st = begin_output(model, index);
    if (st != dnnl_success) return st;
    return bind_buffer(model, &model->outputs[index],
            &model->loader.plan.outputs[index].view, buffer, offset);
}

static bool read_output(struct dnnl_cache_model *model, int i, void *data)
{
    const struct plan_port *port = &model->loader.plan.outputs[i];
    return from_device(model, port->tensor, &port->view,
            model->loader.graph.outputs[i].is_half, data);
}

dnnl_status_t dnnl_cache_model_read_output(
        dnnl_cache_model_t model, int index, void *data, size_t size)
{
    dnnl_status_t st = begin_output(model, index);
    if (st == dnnl_success) st = check_output(model, index, data, size);
    if (st != dnnl_success) return st;
    return read_output(model, index, data)
                   ? dnnl_success
                   : model_fail(model, dnnl_runtime_error);
}

/* ---- Runs ---------------------------------------------------------------- */

static bool fail_error(
        struct dnnl_cache_model *model, const char *what, cl_int error)
{
    return error == CL_SUCCESS
           || fail_as(&model->failure, dnnl_runtime_error,
                   "%s: OpenCL error %d", what, (int)error);
}

/* Elements that need a conversion are kept until the run is over. */
static bool submit_input(struct dnnl_cache_model *model, int i)
{
    struct model_port *port = &model->inputs[i];
    const struct runner *runner = &model->loader.runner;
    const struct view *view = &model->loader.plan.inputs[i].view;
    const size_t begin = buffers_begin(&runner->buffers, view);
    cl_mem mem = buffers_of(&runner->buffers, view);
    if (port->buffer != NULL)
        return fail_error(model, "an input's buffer",
                clEnqueueCopyBuffer(runner->queue, port->buffer, mem,
                        port->offset, begin, port->is.size, 0, NULL, NULL));
    if (port->data == NULL) return true;
    const void *data = port->data;
    size_t size = port->is.size;
    if (!is_as_given(port, view)) {
        free(port->staging);
        port->staging = to_device(model, i, port->data);
        if (port->staging == NULL) return false;
        data = port->staging;
        size = (size_t)view_words(view) * word_bytes;
    }
    return fail_error(model, "writing an input",
            clEnqueueWriteBuffer(runner->queue, mem, CL_FALSE, begin, size,
                    data, 0, NULL, NULL));
}

static bool submit_output(struct dnnl_cache_model *model, int i)
{
    const struct model_port *port = &model->outputs[i];
    const struct runner *runner = &model->loader.runner;
    const struct view *view = &model->loader.plan.outputs[i].view;
    if (port->buffer == NULL) return true;
    return fail_error(model, "an output's buffer",
            clEnqueueCopyBuffer(runner->queue,
                    buffers_of(&runner->buffers, view), port->buffer,
                    buffers_begin(&runner->buffers, view), port->offset,
                    port->is.size, 0, NULL, NULL));
}

static bool submit(struct dnnl_cache_model *model, cl_uint wait_count,
        const cl_event *wait_list, cl_event *event)
{
    struct runner *runner = &model->loader.runner;
    bool ok = wait_count == 0
              || fail_error(model, "the events to wait for",
                      clEnqueueBarrierWithWaitList(
                              runner->queue, wait_count, wait_list, NULL));
    for (int i = 0; ok && i < model->info.input_count; i++)
        ok = submit_input(model, i);
    ok = ok && runner_submit(runner, &model->cancelled, &model->failure);
    for (int i = 0; ok && i < model->info.output_count; i++)
        ok = submit_output(model, i);
    if (ok && event != NULL)
        ok = fail_error(model, "the run's event",
                     clEnqueueMarkerWithWaitList(runner->queue, 0, NULL, event))
             && fail_error(model, "the queue", clFlush(runner->queue));
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
        ok = fail_error(model, "the run", clWaitForEvents(1, &model->running));
        clReleaseEvent(model->running);
        model->running = NULL;
    }
    ok = runner_finish(&model->loader.runner, &model->failure) && ok;
    for (int i = 0; ok && i < model->info.output_count; i++)
        if (model->outputs[i].data != NULL)
            ok = read_output(model, i, model->outputs[i].data);
    return ok;
}

dnnl_status_t dnnl_cache_model_run(dnnl_cache_model_t model)
{
    const dnnl_status_t st = begin_use(model);
    if (st != dnnl_success) return st;
    return submit(model, 0, NULL, NULL) && finish(model)
                   ? dnnl_success
                   : model_fail(model, dnnl_runtime_error);
}

dnnl_status_t dnnl_cache_model_run_async(dnnl_cache_model_t model,
        cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    const dnnl_status_t st = begin_use(model);
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

/* ---- Layers -------------------------------------------------------------- */

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
    return fail_error(layers->model, "an event", error);
}

static bool end_of(struct layers *layers, int i, cl_ulong *ns)
{
    return fail_error(layers->model, "an event's time",
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
             && from_device(model, number, step_find_arg(step, DNNL_ARG_DST),
                     false, data);
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
        return fail_error(model, "a queue with profiling", error);
    bool ok = runner_use_queue(runner, queue, &model->failure);
    for (int i = 0; ok && i < model->info.input_count; i++)
        ok = submit_input(model, i);
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
    const dnnl_status_t st = begin_use(model);
    if (st != dnnl_success) return st;
    if (callback == NULL
            || (what != dnnl_cache_model_layers_time
                    && what != dnnl_cache_model_layers_data))
        return model_refuse(model, dnnl_invalid_arguments, "no callback");
    struct layers layers = {.model = model, .callback = callback, .user = user};
    return run_layers(&layers, what) ? dnnl_success
                                     : model_fail(model, dnnl_runtime_error);
}
