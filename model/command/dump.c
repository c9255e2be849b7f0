/* SPDX-License-Identifier: Apache-2.0 */
/* What each layer computes, in files, to compare with another's. */
#include "model/command/command.h"

#include "model/command/value_file.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <string.h>

enum { path_size = 4096 };

struct dump {
    struct command *command;
    bool is_written;
};

/* DIR/STEP_TENSOR.pb; the file itself has the name as it is. */
static int write_layer(const dnnl_cache_model_layer_t *layer, void *user)
{
    struct dump *dump = user;
    struct failure *failure = dump->command->failure;
    const char *folder = dump->command->options->dump;
    char path[path_size], name[128];
    if (layer->tensor == NULL) return 0;
    struct value value = {.type = layer->tensor->type,
            .ndims = layer->tensor->ndims,
            .size = layer->tensor->size,
            .data = (void *)(uintptr_t)layer->data}; /* only read */
    for (int d = 0; d < value.ndims && d < value_max_ndims; d++)
        value.dims[d] = layer->tensor->dims[d];
    command_file_name(sizeof name, name, layer->tensor->name);
    const int n = snprintf(
            path, sizeof path, "%s/%04d_%s.pb", folder, layer->index, name);
    dump->is_written = n >= 0 && n < path_size ? value_file_write(
                               path, layer->tensor->name, &value, failure)
                                               : fail(failure, "%s: %s", folder,
                                                       strerror(ENAMETOOLONG));
    return dump->is_written ? 0 : 1;
}

bool command_dump(struct command *command, bool *is_written)
{
    const char *folder = command->options->dump;
    struct dump dump = {command, true};
    const int error = folder_make(file_here, folder, 0777, false);
    *is_written = error == 0 || error == EEXIST;
    if (!*is_written)
        return fail(command->failure, "cannot make folder %s: %s", folder,
                strerror(error));
    const bool ok = command_check(
            command, dnnl_cache_model_run_layers(command->model,
                             dnnl_cache_model_layers_data, write_layer, &dump));
    *is_written = dump.is_written;
    return ok && dump.is_written;
}
