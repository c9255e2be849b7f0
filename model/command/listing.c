/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/command.h"

#include "tools/common/text/json.h"
#include "tools/common/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- For people ---------------------------------------------------------- */

static void print_name(const char *name)
{
    text_print(stdout, name, strlen(name));
}

static void print_shape(const dnnl_cache_model_tensor_t *tensor)
{
    if (tensor->ndims < 0) {
        fputs("[...]", stdout);
        return;
    }
    putchar('[');
    for (int d = 0; d < tensor->ndims; d++) {
        if (d > 0) fputs(", ", stdout);
        if (tensor->dims[d] >= 0)
            printf("%" PRId64, tensor->dims[d]);
        else if (tensor->symbols[d][0] != '\0')
            print_name(tensor->symbols[d]);
        else
            putchar('?');
    }
    putchar(']');
}

typedef dnnl_status_t get_tensor(
        dnnl_cache_model_t model, int index, dnnl_cache_model_tensor_t *tensor);

static void print_tensors(
        struct command *command, const char *kind, int count, get_tensor *get)
{
    for (int i = 0; i < count; i++) {
        dnnl_cache_model_tensor_t tensor = DNNL_CACHE_MODEL_TENSOR_INIT;
        if (!command_check(command, get(command->model, i, &tensor))) return;
        printf("%-6s  ", kind);
        print_name(tensor.name);
        printf("  %s  ", dnnl_cache_model_type_name(tensor.type));
        print_shape(&tensor);
        putchar('\n');
    }
}

static void print_list(
        struct command *command, const dnnl_cache_model_info_t *info)
{
    print_tensors(command, "input", info->inputs, dnnl_cache_model_get_input);
    print_tensors(
            command, "output", info->outputs, dnnl_cache_model_get_output);
    printf("opset %" PRId64 ", %" PRIu64 " nodes, %" PRIu64
           " parameters in %" PRIu64 " tensors, %" PRIu64 " bytes\n",
            info->opset, info->nodes, info->parameters, info->parameter_tensors,
            info->parameter_bytes);
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_shape(
        struct json *json, const dnnl_cache_model_tensor_t *tensor)
{
    if (tensor->ndims < 0) {
        json_null(json, "shape");
        return;
    }
    json_begin_array(json, "shape");
    for (int d = 0; d < tensor->ndims; d++) {
        if (tensor->dims[d] >= 0)
            json_number(json, NULL, (uint64_t)tensor->dims[d]);
        else if (tensor->symbols[d][0] != '\0')
            json_text(json, NULL, tensor->symbols[d]);
        else
            json_null(json, NULL);
    }
    json_end_array(json);
}

static void write_tensors(struct command *command, struct json *json,
        const char *name, int count, get_tensor *get)
{
    json_begin_array(json, name);
    for (int i = 0; i < count; i++) {
        dnnl_cache_model_tensor_t tensor = DNNL_CACHE_MODEL_TENSOR_INIT;
        if (!command_check(command, get(command->model, i, &tensor))) break;
        json_begin_object(json, NULL);
        json_text(json, "name", tensor.name);
        json_text(json, "type", dnnl_cache_model_type_name(tensor.type));
        write_shape(json, &tensor);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_list(struct command *command, const void *what, FILE *file)
{
    const dnnl_cache_model_info_t *info = what;
    struct json json;
    json_init(&json, file);
    json_begin_object(&json, NULL);
    json_text(&json, "model", command->options->model);
    json_text(&json, "producer", info->producer);
    json_number(&json, "ir_version", (uint64_t)info->ir_version);
    json_number(&json, "opset", (uint64_t)info->opset);
    json_number(&json, "nodes", info->nodes);
    json_number(&json, "parameters", info->parameters);
    json_number(&json, "parameter_tensors", info->parameter_tensors);
    json_number(&json, "parameter_bytes", info->parameter_bytes);
    write_tensors(
            command, &json, "inputs", info->inputs, dnnl_cache_model_get_input);
    write_tensors(command, &json, "outputs", info->outputs,
            dnnl_cache_model_get_output);
    json_end_object(&json);
}

int command_list(struct command *command)
{
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    if (!command_check(command, dnnl_cache_model_load_file(command->model,
                                        command->options->model))
            || !command_check(
                    command, dnnl_cache_model_get_info(command->model, &info)))
        return exit_failed;
    print_list(command, &info);
    if (command->options->json != NULL
            && !command_write_json(command, &info, write_list))
        return exit_unwritten;
    return exit_ok;
}

/* ---- Devices ------------------------------------------------------------- */

static void print_device(int number, const char *platform, const char *device,
        const char *driver, cl_device_id id, void *user)
{
    (void)id;
    ++*(int *)user;
    printf("%d  ", number);
    print_name(device);
    fputs("  (", stdout);
    print_name(platform);
    fputs(", ", stdout);
    print_name(driver);
    puts(")");
}

int command_list_devices(struct failure *failure)
{
    int count = 0;
    if (dnnl_cache_model_list_devices(print_device, &count) != dnnl_success) {
        fail_out_of_memory(failure);
        return exit_failed;
    }
    if (count > 0) return exit_ok;
    fail(failure, "no OpenCL device");
    return exit_failed;
}
