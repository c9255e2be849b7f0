/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what they declare. */
#include "model/api/model.h"

#include "src/common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Inputs and outputs -------------------------------------------------- */

/* What a file declares, for users. */
static bool declare(struct model_port *port, const struct onnx_value *value)
{
    const size_t room = (size_t)value->ndims + 1;
    const uint64_t most = (uint64_t)graph_most_elements();
    uint64_t count = 1;
    bool is_open = !value->has_shape;
    port->dims = calloc(room, sizeof *port->dims);
    port->symbols = calloc(room, sizeof *port->symbols);
    if (port->dims == NULL || port->symbols == NULL) return false;
    for (int d = 0; d < value->ndims; d++) {
        const int64_t dim = value->dims[d].value;
        port->dims[d] = dim;
        port->symbols[d] = value->dims[d].symbol;
        is_open = is_open || dim < 0;
        if (!is_open && dim > 0 && count > most / (uint64_t)dim) is_open = true;
        if (!is_open) count *= (uint64_t)dim;
    }
    port->is = (dnnl_cache_model_tensor_t){.struct_size = sizeof port->is,
            .name = value->name,
            .type = (dnnl_cache_model_type_t)value->type,
            .ndims = value->has_shape ? value->ndims : -1,
            .dims = port->dims,
            .symbols = port->symbols};
    if (!is_open)
        port->is.size =
                (size_t)count * dnnl_cache_model_type_size(port->is.type);
    return true;
}

bool model_declare_ports(struct dnnl_cache_model *model)
{
    const struct onnx_info *info = &model->info;
    model->inputs =
            calloc((size_t)info->input_count + 1, sizeof *model->inputs);
    model->outputs =
            calloc((size_t)info->output_count + 1, sizeof *model->outputs);
    bool ok = model->inputs != NULL && model->outputs != NULL;
    for (int i = 0; ok && i < info->input_count; i++)
        ok = declare(&model->inputs[i], &info->inputs[i]);
    for (int i = 0; ok && i < info->output_count; i++)
        ok = declare(&model->outputs[i], &info->outputs[i]);
    return ok || fail_out_of_memory(&model->failure);
}

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

void model_free_ports(struct model_port *ports, int count)
{
    for (int i = 0; ports != NULL && i < count; i++) {
        if (ports[i].buffer != NULL) clReleaseMemObject(ports[i].buffer);
        free(ports[i].dims);
        free(ports[i].symbols);
        free(ports[i].staging);
    }
    free(ports);
}

/* ---- What it declares ---------------------------------------------------- */

const char *dnnl_cache_model_type_name(dnnl_cache_model_type_t type)
{
    return onnx_type_name((int)type);
}

size_t dnnl_cache_model_type_size(dnnl_cache_model_type_t type)
{
    switch (type) {
    case dnnl_cache_model_type_f64:
    case dnnl_cache_model_type_s64:
        return 8;
    case dnnl_cache_model_type_f32:
    case dnnl_cache_model_type_s32:
    case dnnl_cache_model_type_u32:
        return 4;
    case dnnl_cache_model_type_f16:
    case dnnl_cache_model_type_s16:
    case dnnl_cache_model_type_u16:
        return 2;
    case dnnl_cache_model_type_u8:
    case dnnl_cache_model_type_s8:
    case dnnl_cache_model_type_boolean:
        return 1;
    default:
        return 0;
    }
}

static dnnl_status_t begin_question(
        struct dnnl_cache_model *model, const void *answer)
{
    const dnnl_status_t st = model_begin_answer(model, answer);
    if (st != dnnl_success) return st;
    return model->state == model_new || model->state == model_failed
                   ? model_refuse_arguments(model, "no model has been loaded")
                   : dnnl_success;
}

dnnl_status_t dnnl_cache_model_get_info(
        dnnl_cache_model_t model, dnnl_cache_model_info_t *info)
{
    const dnnl_status_t st = begin_question(model, info);
    if (st != dnnl_success) return st;
    if (info->struct_size != sizeof *info)
        return model_refuse(model, dnnl_invalid_arguments, "bad struct_size");
    *info = (dnnl_cache_model_info_t){.struct_size = sizeof *info,
            .opset = model->info.opset,
            .ir_version = model->info.ir_version,
            .producer = model->info.producer,
            .nodes = model->info.node_count,
            .parameter_tensors = model->info.parameter_tensors,
            .parameters = model->info.parameter_count,
            .parameter_bytes = model->info.parameter_bytes,
            .inputs = model->info.input_count,
            .outputs = model->info.output_count};
    return dnnl_success;
}

static dnnl_status_t get_port(struct dnnl_cache_model *model,
        const struct model_port *ports, int count, int index,
        dnnl_cache_model_tensor_t *tensor)
{
    if (tensor->struct_size != sizeof *tensor)
        return model_refuse(model, dnnl_invalid_arguments, "bad struct_size");
    if (index < 0 || index >= count)
        return model_refuse(model, dnnl_invalid_arguments,
                "there is no input or output of that number");
    *tensor = ports[index].is;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_get_input(
        dnnl_cache_model_t model, int index, dnnl_cache_model_tensor_t *input)
{
    const dnnl_status_t st = begin_question(model, input);
    if (st != dnnl_success) return st;
    return get_port(
            model, model->inputs, model->info.input_count, index, input);
}

dnnl_status_t dnnl_cache_model_get_output(
        dnnl_cache_model_t model, int index, dnnl_cache_model_tensor_t *output)
{
    const dnnl_status_t st = begin_question(model, output);
    if (st != dnnl_success) return st;
    return get_port(
            model, model->outputs, model->info.output_count, index, output);
}

/* "'a', 'b', ...", or "none". */
static void list_names(
        size_t size, char *text, const struct model_port *ports, int count)
{
    size_t used = (size_t)snprintf(text, size, "%s", count == 0 ? "none" : "");
    for (int i = 0; i < count; i++) {
        const char *name = ports[i].is.name;
        const char *between = i > 0 ? ", " : "";
        /* Room for the dots of those that have none. */
        if (used + strlen(name) + sizeof ", '', ..." > size) {
            (void)snprintf(text + used, size - used, "%s...", between);
            return;
        }
        used += (size_t)snprintf(
                text + used, size - used, "%s'%s'", between, name);
    }
}

static dnnl_status_t find_port(struct dnnl_cache_model *model,
        const struct model_port *ports, int count, const char *kind,
        const char *name, int *index)
{
    if (name == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no name");
    for (int i = 0; i < count; i++)
        if (strcmp(ports[i].is.name, name) == 0) {
            *index = i;
            return dnnl_success;
        }
    char names[160];
    list_names(sizeof names, names, ports, count);
    fail(&model->failure, "the model has no %s '%.100s', but %s", kind, name,
            names);
    return dnnl_invalid_arguments;
}

dnnl_status_t dnnl_cache_model_find_input(
        dnnl_cache_model_t model, const char *name, int *index)
{
    const dnnl_status_t st = begin_question(model, index);
    if (st != dnnl_success) return st;
    return find_port(model, model->inputs, model->info.input_count, "input",
            name, index);
}

dnnl_status_t dnnl_cache_model_find_output(
        dnnl_cache_model_t model, const char *name, int *index)
{
    const dnnl_status_t st = begin_question(model, index);
    if (st != dnnl_success) return st;
    return find_port(model, model->outputs, model->info.output_count, "output",
            name, index);
}

/* A new one, or the one that the input was given before. */
static struct onnx_shape *find_shape(
        struct dnnl_cache_model *model, const char *input)
{
    struct loader_options *options = &model->options;
    for (int i = 0; i < options->shape_count; i++)
        if (strcmp(model->shapes[i].name, input) == 0) return &model->shapes[i];
    const bool has_room = array_grow(&model->shapes,
            (size_t)options->shape_count, sizeof *model->shapes);
    options->shapes = model->shapes;
    char *name = has_room ? strdup(input) : NULL;
    if (name == NULL) return NULL;
    model->shapes[options->shape_count] = (struct onnx_shape){.name = name};
    return &model->shapes[options->shape_count++];
}

dnnl_status_t dnnl_cache_model_set_shape(dnnl_cache_model_t model,
        const char *input, int ndims, const int64_t *dims)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (input == NULL || ndims < 0 || (ndims > 0 && dims == NULL))
        return model_refuse(
                model, dnnl_invalid_arguments, "no input or no dimensions");
    if (model->state > model_loaded)
        return model_refuse_arguments(model, "the model has been prepared");
    if (ndims > graph_max_ndims)
        return model_refuse(
                model, dnnl_invalid_shape, "more than eight dimensions");
    struct graph_shape shape = {.ndims = ndims};
    for (int d = 0; d < ndims; d++)
        shape.dims[d] = dims[d];
    if (!graph_shape_fits(&shape, 1))
        return model_refuse(
                model, dnnl_invalid_shape, "no tensor has such dimensions");
    struct onnx_shape *to = find_shape(model, input);
    if (to == NULL)
        return model_refuse(model, dnnl_out_of_memory, "out of memory");
    to->shape = shape;
    return dnnl_success;
}
