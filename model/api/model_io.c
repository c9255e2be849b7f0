/* SPDX-License-Identifier: Apache-2.0 */
/* Models: the elements of inputs and outputs. */
#include "model/api/model_io.h"

#include "model/base/half.h"
#include "model/run/ports.h"

#include <stdlib.h>
#include <string.h>

static dnnl_status_t begin_port(
        struct dnnl_cache_model *model, int count, int index)
{
    const dnnl_status_t st = model_begin_use(model);
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
void *model_io_to_device(
        struct dnnl_cache_model *model, int i, const void *data)
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
bool model_io_from_device(struct dnnl_cache_model *model, int number,
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
    void *converted = is_direct ? NULL : model_io_to_device(model, index, data);
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

bool model_io_read_output(struct dnnl_cache_model *model, int i, void *data)
{
    const struct plan_port *port = &model->loader.plan.outputs[i];
    return model_io_from_device(model, port->tensor, &port->view,
            model->loader.graph.outputs[i].is_half, data);
}

dnnl_status_t dnnl_cache_model_read_output(
        dnnl_cache_model_t model, int index, void *data, size_t size)
{
    dnnl_status_t st = begin_output(model, index);
    if (st == dnnl_success) st = check_output(model, index, data, size);
    if (st != dnnl_success) return st;
    return model_io_read_output(model, index, data)
                   ? dnnl_success
                   : model_fail(model, dnnl_runtime_error);
}

/* ---- At a run ------------------------------------------------------------ */

/* Elements that need a conversion are kept until the run is over. */
bool model_io_submit_input(struct dnnl_cache_model *model, int i)
{
    struct model_port *port = &model->inputs[i];
    const struct runner *runner = &model->loader.runner;
    const struct view *view = &model->loader.plan.inputs[i].view;
    const size_t begin = buffers_begin(&runner->buffers, view);
    cl_mem mem = buffers_of(&runner->buffers, view);
    if (port->buffer != NULL)
        return model_check_cl(model, "an input's buffer",
                clEnqueueCopyBuffer(runner->queue, port->buffer, mem,
                        port->offset, begin, port->is.size, 0, NULL, NULL));
    if (port->data == NULL) return true;
    const void *data = port->data;
    size_t size = port->is.size;
    if (!is_as_given(port, view)) {
        free(port->staging);
        port->staging = model_io_to_device(model, i, port->data);
        if (port->staging == NULL) return false;
        data = port->staging;
        size = (size_t)view_words(view) * word_bytes;
    }
    return model_check_cl(model, "writing an input",
            clEnqueueWriteBuffer(runner->queue, mem, CL_FALSE, begin, size,
                    data, 0, NULL, NULL));
}

bool model_io_submit_output(struct dnnl_cache_model *model, int i)
{
    const struct model_port *port = &model->outputs[i];
    const struct runner *runner = &model->loader.runner;
    const struct view *view = &model->loader.plan.outputs[i].view;
    if (port->buffer == NULL) return true;
    return model_check_cl(model, "an output's buffer",
            clEnqueueCopyBuffer(runner->queue,
                    buffers_of(&runner->buffers, view), port->buffer,
                    buffers_begin(&runner->buffers, view), port->offset,
                    port->is.size, 0, NULL, NULL));
}
