/* SPDX-License-Identifier: Apache-2.0 */
/* Models: inputs that have one value in all runs. */
#include "model/api/model.h"

#include "src/common/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A new one, or the one that the input was given before. */
static struct onnx_constant *find(
        struct dnnl_cache_model *model, const char *input)
{
    struct loader_options *options = &model->options;
    for (int i = 0; i < options->constant_count; i++)
        if (strcmp(model->constants[i].name, input) == 0)
            return &model->constants[i];
    const bool has_room = array_grow(&model->constants,
            (size_t)options->constant_count, sizeof *model->constants);
    options->constants = model->constants;
    char *name = has_room ? strdup(input) : NULL;
    if (name == NULL) return NULL;
    model->constants[options->constant_count] =
            (struct onnx_constant){.name = name};
    return &model->constants[options->constant_count++];
}

dnnl_status_t dnnl_cache_model_set_constant(
        dnnl_cache_model_t model, const char *input, double value)
{
    if (model == NULL) return dnnl_invalid_arguments;
    model_begin(model);
    if (input == NULL || !isfinite(value))
        return model_refuse_arguments(model, "no input or no value");
    if (model->state != model_new || model->loader.opening.is_begun)
        return model_refuse_arguments(
                model, "the model has been started or loaded");
    struct onnx_constant *constant = find(model, input);
    if (constant == NULL)
        return model_refuse(model, dnnl_out_of_memory, "out of memory");
    constant->value = value;
    return dnnl_success;
}

bool model_fix_inputs(struct dnnl_cache_model *model)
{
    const struct loader_options *options = &model->options;
    struct onnx_info *info = &model->info;
    for (int i = 0; i < options->constant_count; i++) {
        const char *name = options->constants[i].name;
        int k = 0;
        while (k < info->input_count && strcmp(info->inputs[k].name, name) != 0)
            k++;
        if (k == info->input_count)
            return fail_as(&model->failure, dnnl_invalid_arguments,
                    "the model has no input '%.100s' that could be a constant",
                    name);
        onnx_info_remove_input(info, k);
    }
    return true;
}

void model_free_constants(struct dnnl_cache_model *model)
{
    for (int i = 0; i < model->options.constant_count; i++)
        free((void *)(uintptr_t)model->constants[i].name);
    free(model->constants);
}
