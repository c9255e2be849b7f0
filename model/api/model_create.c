/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what all calls do, a model's life and its settings. */
#include "model/api/model.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"

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

dnnl_status_t model_refuse_arguments(
        struct dnnl_cache_model *model, const char *text)
{
    return model_refuse(model, dnnl_invalid_arguments, text);
}

bool model_check_cl(
        struct dnnl_cache_model *model, const char *what, cl_int error)
{
    return error == CL_SUCCESS
           || fail_as(&model->failure, dnnl_runtime_error,
                   "%s: OpenCL error %d", what, (int)error);
}

dnnl_status_t model_begin_answer(
        struct dnnl_cache_model *model, const void *answer)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    return answer != NULL ? dnnl_success
                          : model_refuse(model, dnnl_invalid_arguments,
                                  "no place for the answer");
}

dnnl_status_t model_begin_use(struct dnnl_cache_model *model)
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

/* Settings are for models of which nothing has begun. */
static dnnl_status_t begin_setting(struct dnnl_cache_model *model)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (!model->loader.opening.is_begun && model->state <= model_loaded)
        return dnnl_success;
    return model_refuse_arguments(model, "the model has been started");
}

dnnl_status_t model_set_text(struct dnnl_cache_model *model, char **text,
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

dnnl_status_t dnnl_cache_model_destroy(dnnl_cache_model_t model)
{
    if (model == NULL) return dnnl_success;
    if (model->running != NULL) clReleaseEvent(model->running);
    loader_close(&model->loader);
    model_free_ports(model->inputs, model->info.input_count);
    model_free_ports(model->outputs, model->info.output_count);
    onnx_info_fini(&model->info);
    for (int i = 0; i < model->options.shape_count; i++)
        free((void *)(uintptr_t)model->shapes[i].name);
    free(model->shapes);
    model_free_constants(model);
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
    st = model_set_text(model, &model->platform, &choice->platform, platform);
    if (st == dnnl_success)
        st = model_set_text(model, &model->device, &choice->text, device);
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
    return model_set_text(
            model, &model->folder, &model->options.session.folder, folder);
}

dnnl_status_t dnnl_cache_model_set_remote(
        dnnl_cache_model_t model, const char *url)
{
    const dnnl_status_t st = begin_setting(model);
    if (st != dnnl_success) return st;
    return model_set_text(
            model, &model->remote, &model->options.session.remote, url);
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
    return model_set_text(
            model, &model->weights, &model->options.weights, path);
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
