/* SPDX-License-Identifier: Apache-2.0 */
/* Models: settings, loading, and what they declare. */
#include "model/api/model.h"

#include "src/common/array.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Calls --------------------------------------------------------------- */

void model_begin(struct dnnl_cache_model *model)
{
    model->failure = (struct failure){""};
}

dnnl_status_t model_fail(struct dnnl_cache_model *model, dnnl_status_t tried)
{
    const bool was_cancelled = atomic_exchange(&model->cancelled, false);
    if (was_cancelled && strcmp(model->failure.text, "cancelled") == 0)
        return dnnl_runtime_error;
    const unsigned status = failure_status(&model->failure);
    return status != 0 ? (dnnl_status_t)status : tried;
}

dnnl_status_t model_refuse(
        struct dnnl_cache_model *model, dnnl_status_t status, const char *text)
{
    fail_as(&model->failure, status, "%s", text);
    return status;
}

static dnnl_status_t out_of_order(
        struct dnnl_cache_model *model, const char *text)
{
    return model_refuse(model, dnnl_invalid_arguments, text);
}

/* Settings are for models of which nothing has begun. */
static dnnl_status_t begin_setting(struct dnnl_cache_model *model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (!model->loader.opening.is_begun && model->state <= model_loaded)
        return dnnl_success;
    return out_of_order(model, "the model has been started");
}

static dnnl_status_t set_text(struct dnnl_cache_model *model, char **text,
        const char **option, const char *value)
{
    char *copy = NULL;
    if (value != NULL && value[0] != '\0') {
        copy = strdup(value);
        if (copy == NULL)
            return model_refuse(model, dnnl_out_of_memory, "out of memory");
    }
    free(*text);
    *text = copy;
    *option = copy;
    return dnnl_success;
}

/* ---- Life ---------------------------------------------------------------- */

static int count_processors(void)
{
    const unsigned count = process_processors();
    return count < 256 ? (int)count : 1;
}

static void pass_progress(void *user, int done, int total, const char *what)
{
    const struct dnnl_cache_model *model = user;
    model->progress(done, total, what, model->progress_user);
}

dnnl_status_t dnnl_cache_model_create(dnnl_cache_model_t *model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    struct dnnl_cache_model *created = calloc(1, sizeof *created);
    if (created == NULL) return dnnl_out_of_memory;
    atomic_init(&created->cancelled, false);
    created->options.session.threads = count_processors();
    created->options.cancelled = &created->cancelled;
    loader_init(&created->loader, &created->options);
    *model = created;
    return dnnl_success;
}

static void free_ports(struct model_port *ports, int count)
{
    for (int i = 0; ports != NULL && i < count; i++) {
        if (ports[i].buffer != NULL) clReleaseMemObject(ports[i].buffer);
        free(ports[i].dims);
        free(ports[i].symbols);
        free(ports[i].staging);
    }
    free(ports);
}

dnnl_status_t dnnl_cache_model_destroy(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_success;
    if (model->running != NULL) clReleaseEvent(model->running);
    loader_close(&model->loader);
    free_ports(model->inputs, model->info.input_count);
    free_ports(model->outputs, model->info.output_count);
    onnx_info_fini(&model->info);
    for (int i = 0; i < model->options.shape_count; i++)
        free((void *)(uintptr_t)model->shapes[i].name);
    free(model->shapes);
    if (model->options.queue != NULL)
        clReleaseCommandQueue(model->options.queue);
    if (model->options.session.device.context != NULL)
        clReleaseContext(model->options.session.device.context);
    free(model->platform);
    free(model->device);
    free(model->folder);
    free(model->remote);
    free(model->path);
    free(model->data_folder);
    free(model->weights);
    free(model);
    return dnnl_success;
}

const char *dnnl_cache_model_get_error(dnnl_cache_model_t model)
{
    return model == NULL ? "there is no model" : model->failure.text;
}

dnnl_status_t dnnl_cache_model_cancel(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    atomic_store(&model->cancelled, true);
    return dnnl_success;
}

/* ---- Settings ------------------------------------------------------------ */

dnnl_status_t dnnl_cache_model_choose_device(
        dnnl_cache_model_t model, const char *platform, const char *device)
{
    dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    struct model_device_choice *choice = &model->options.session.device;
    st = set_text(model, &model->platform, &choice->platform, platform);
    if (st == dnnl_success)
        st = set_text(model, &model->device, &choice->text, device);
    return st;
}

dnnl_status_t dnnl_cache_model_set_device(
        dnnl_cache_model_t model, cl_device_id device, cl_context context)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    if (device == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no device");
    if (context != NULL && clRetainContext(context) != CL_SUCCESS)
        return model_refuse(model, dnnl_invalid_arguments, "not a context");
    struct model_device_choice *choice = &model->options.session.device;
    if (choice->context != NULL) clReleaseContext(choice->context);
    choice->id = device;
    choice->context = context;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_engine(
        dnnl_cache_model_t model, dnnl_engine_t engine)
{
    cl_device_id device = NULL;
    cl_context context = NULL;
    dnnl_status_t st = begin_setting(model);
    if (st == dnnl_success) st = dnnl_ocl_interop_get_device(engine, &device);
    if (st == dnnl_success)
        st = dnnl_ocl_interop_engine_get_context(engine, &context);
    else if (model != NULL)
        (void)model_refuse(model, st, "not an engine");
    if (st != dnnl_success) return st;
    return dnnl_cache_model_set_device(model, device, context);
}

dnnl_status_t dnnl_cache_model_set_queue(
        dnnl_cache_model_t model, cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    if (queue != NULL
            && (clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                        sizeof properties, &properties, NULL)
                            != CL_SUCCESS
                    || clRetainCommandQueue(queue) != CL_SUCCESS))
        return model_refuse(model, dnnl_invalid_arguments, "not a queue");
    if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
        clReleaseCommandQueue(queue);
        return model_refuse(model, dnnl_invalid_arguments,
                "the queue is out of order, and a model's steps need an order");
    }
    if (model->options.queue != NULL)
        clReleaseCommandQueue(model->options.queue);
    model->options.queue = queue;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_folder(
        dnnl_cache_model_t model, const char *folder)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    return set_text(
            model, &model->folder, &model->options.session.folder, folder);
}

dnnl_status_t dnnl_cache_model_set_remote(
        dnnl_cache_model_t model, const char *url)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    return set_text(model, &model->remote, &model->options.session.remote, url);
}

dnnl_status_t dnnl_cache_model_set_store(
        dnnl_cache_model_t model, const dnnl_cache_store_t *store)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    if (store != NULL
            && (store->struct_size < offsetof(dnnl_cache_store_t, get_many)
                    || store->struct_size > sizeof *store || store->get == NULL
                    || store->release == NULL || store->put == NULL
                    || store->remove == NULL))
        return model_refuse(model, dnnl_invalid_arguments,
                "a store needs get, release, put and remove");
    model->store = (dnnl_cache_store_t){0};
    if (store != NULL) memcpy(&model->store, store, store->struct_size);
    model->options.session.store = store != NULL ? &model->store : NULL;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_threads(
        dnnl_cache_model_t model, int threads)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    if (threads < 0)
        return model_refuse(
                model, dnnl_invalid_arguments, "fewer threads than none");
    model->options.session.threads = threads > 0 ? threads : count_processors();
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_cached_only(
        dnnl_cache_model_t model, int cached_only)
{
    const dnnl_status_t st = begin_setting(model);
    if (st == dnnl_success)
        model->options.session.cached_only = cached_only != 0;
    return st;
}

dnnl_status_t dnnl_cache_model_set_helper(
        dnnl_cache_model_t model, const char *path)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    const size_t size = path != NULL ? strlen(path) : 0;
    if (size >= sizeof model->helper)
        return model_refuse(
                model, dnnl_invalid_arguments, "the helper's path is too long");
    if (size > 0 && !file_may_be_run(path))
        return model_refuse(
                model, dnnl_runtime_error, "the helper cannot be run");
    memcpy(model->helper, path != NULL ? path : "", size + 1);
    model->helper_is_set = path != NULL;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_log_callback(dnnl_cache_model_t model,
        dnnl_cache_log_callback_t callback, void *user)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    model->options.session.log = callback;
    model->options.session.log_user = user;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_progress_callback(dnnl_cache_model_t model,
        dnnl_cache_model_progress_t callback, void *user)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    model->progress = callback;
    model->progress_user = user;
    model->options.progress = callback != NULL ? pass_progress : NULL;
    model->options.progress_user = model;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_set_weights_file(
        dnnl_cache_model_t model, const char *path)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    model->options.is_random = false;
    return set_text(model, &model->weights, &model->options.weights, path);
}

dnnl_status_t dnnl_cache_model_set_random_weights(
        dnnl_cache_model_t model, uint64_t seed)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    model->options.is_random = true;
    model->options.seed = seed;
    return dnnl_success;
}

/* ---- Loading ------------------------------------------------------------- */

dnnl_status_t dnnl_cache_model_start(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state > model_loaded || model->loader.opening.is_begun)
        return out_of_order(model, "the model has been started");
    if (!model->helper_is_set)
        model_find_helper(sizeof model->helper, model->helper);
    model->options.helper = model->helper[0] != '\0' ? model->helper : NULL;
    loader_start(&model->loader);
    return dnnl_success;
}

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

static bool declare_all(struct dnnl_cache_model *model)
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

static dnnl_status_t finish_load(struct dnnl_cache_model *model, bool is_read)
{
    model->state = model_failed;
    if (!is_read
            || !onnx_model_describe(
                    &model->info, model->loader.model, &model->failure)
            || !declare_all(model))
        return model_fail(model, dnnl_invalid_graph);
    model->state = model_loaded;
    return dnnl_success;
}

static dnnl_status_t begin_load(struct dnnl_cache_model *model)
{
    model_begin(model);
    return model->state == model_new
                   ? dnnl_success
                   : out_of_order(model, "a model has been loaded before");
}

dnnl_status_t dnnl_cache_model_load_file(
        dnnl_cache_model_t model, const char *path)
{
    if (model == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = begin_load(model);
    if (st != dnnl_success) return st;
    if (path == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no path");
    st = set_text(model, &model->path, &model->options.path, path);
    if (st != dnnl_success) return st;
    if (model->path == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "an empty path");
    model->data_folder = onnx_folder(path);
    if (model->data_folder == NULL)
        return model_refuse(model, dnnl_out_of_memory, "out of memory");
    model->options.folder = model->data_folder;
    if (!file_may_be_read(path)) {
        /* The reader says why. */
        finish_load(model, loader_read(&model->loader, &model->failure));
        return dnnl_runtime_error;
    }
    return finish_load(model, loader_read(&model->loader, &model->failure));
}

dnnl_status_t dnnl_cache_model_load_memory(dnnl_cache_model_t model,
        const void *bytes, size_t size, const char *folder)
{
    if (model == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = begin_load(model);
    if (st != dnnl_success) return st;
    if (bytes == NULL || size == 0)
        return model_refuse(model, dnnl_invalid_arguments, "no bytes");
    st = set_text(model, &model->data_folder, &model->options.folder, folder);
    if (st != dnnl_success) return st;
    return finish_load(
            model, loader_take(&model->loader, size, bytes, &model->failure));
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
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (answer == NULL)
        return model_refuse(
                model, dnnl_invalid_arguments, "no place for the answer");
    return model->state == model_new || model->state == model_failed
                   ? out_of_order(model, "no model has been loaded")
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
    fail(&model->failure, "the model has no %s '%.100s'", kind, name);
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
        return out_of_order(model, "the model has been prepared");
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

/* ---- Preparing ----------------------------------------------------------- */

static dnnl_status_t prepare(struct dnnl_cache_model *model, bool only_fills)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state != model_loaded)
        return out_of_order(model, model->state == model_new
                                           ? "no model has been loaded"
                                           : "the model has been prepared");
    if (!model->loader.opening.is_begun) {
        const dnnl_status_t st = dnnl_cache_model_start(model);
        if (st != dnnl_success) return st;
    }
    model->options.prepare = only_fills;
    model->state = model_failed;
    if (!loader_open(&model->loader, &model->failure)
            || (!only_fills && !model_complete_ports(model)))
        return model_fail(model, dnnl_invalid_graph);
    model->state = only_fills ? model_filled : model_ready;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_prepare(dnnl_cache_model_t model)
{
    return prepare(model, false);
}

dnnl_status_t dnnl_cache_model_fill_store(dnnl_cache_model_t model)
{
    return prepare(model, true);
}

dnnl_status_t dnnl_cache_model_get_device(
        dnnl_cache_model_t model, cl_device_id *device, cl_context *context)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state != model_ready && model->state != model_filled)
        return out_of_order(model, "the model has not been prepared");
    if (device != NULL) *device = model->loader.session.device.id;
    if (context != NULL) *context = model->loader.session.device.context;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_model_list_devices(
        dnnl_cache_model_device_callback_t callback, void *user)
{
    enum { most = 64 };
    if (callback == NULL) return dnnl_invalid_arguments;
    struct model_device *devices = calloc(most, sizeof *devices);
    if (devices == NULL) return dnnl_out_of_memory;
    const int count = model_device_list(devices, most);
    for (int i = 0; i < count && i < most; i++)
        callback(i, devices[i].platform_name, devices[i].name,
                devices[i].driver, devices[i].id, user);
    free(devices);
    return dnnl_success;
}
