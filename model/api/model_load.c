/* SPDX-License-Identifier: Apache-2.0 */
/* Models: from a file or from memory, and made ready. */
#include "model/api/model.h"

#include "src/platform/file.h"

#include <stdlib.h>

/* ---- Loading ------------------------------------------------------------- */

dnnl_status_t dnnl_cache_model_start(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state > model_loaded || model->loader.opening.is_begun)
        return model_refuse_arguments(model, "the model has been started");
    if (!model->helper_is_set)
        model_find_helper(sizeof model->helper, model->helper);
    model->options.helper = model->helper[0] != '\0' ? model->helper : NULL;
    loader_start(&model->loader);
    return dnnl_success;
}

static dnnl_status_t finish_load(struct dnnl_cache_model *model, bool is_read)
{
    model->state = model_failed;
    if (!is_read
            || !onnx_model_describe(
                    &model->info, model->loader.model, &model->failure)
            || !model_fix_inputs(model) || !model_declare_ports(model))
        return model_fail(model, dnnl_invalid_graph);
    model->state = model_loaded;
    return dnnl_success;
}

static dnnl_status_t begin_load(struct dnnl_cache_model *model)
{
    model_begin(model);
    return model->state == model_new ? dnnl_success
                                     : model_refuse_arguments(model,
                                             "a model has been loaded before");
}

dnnl_status_t dnnl_cache_model_load_file(
        dnnl_cache_model_t model, const char *path)
{
    if (model == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = begin_load(model);
    if (st != dnnl_success) return st;
    if (path == NULL)
        return model_refuse(model, dnnl_invalid_arguments, "no path");
    st = model_set_text(model, &model->path, &model->options.path, path);
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
    st = model_set_text(
            model, &model->data_folder, &model->options.folder, folder);
    if (st != dnnl_success) return st;
    return finish_load(
            model, loader_take(&model->loader, size, bytes, &model->failure));
}

/* ---- Preparing ----------------------------------------------------------- */

static dnnl_status_t prepare(struct dnnl_cache_model *model, bool only_fills)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (model->state != model_loaded)
        return model_refuse_arguments(model,
                model->state == model_new ? "no model has been loaded"
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
        return model_refuse_arguments(model, "the model has not been prepared");
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
