/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/command.h"

#include "model/command/value_file.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What ONNX's own tests allow; and of float16, which who computed it rounded to
 * more than once. */
static const double relative = 1e-3, absolute = 1e-7;
static const double half_relative = 1e-2, half_absolute = 1e-3;

enum { path_size = 4096 };

/* ---- Outputs ------------------------------------------------------------- */

static bool get_output(
        struct command *command, int index, dnnl_cache_model_tensor_t *output)
{
    *output = (dnnl_cache_model_tensor_t)DNNL_CACHE_MODEL_TENSOR_INIT;
    return command_check(command,
            dnnl_cache_model_get_output(command->model, index, output));
}

bool command_read_output(
        struct command *command, int index, struct value *value)
{
    dnnl_cache_model_tensor_t output;
    if (!get_output(command, index, &output)) return false;
    *value = (struct value){.type = output.type, .ndims = output.ndims};
    for (int d = 0; d < output.ndims && d < value_max_ndims; d++)
        value->dims[d] = output.dims[d];
    return value_allocate(value, command->failure)
           && command_check(
                   command, dnnl_cache_model_read_output(command->model, index,
                                    value->data, value->size));
}

void command_file_name(size_t size, char *to, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    snprintf(to, size, "%s", name);
    for (char *c = to; *c != '\0'; c++)
        if (strchr(plain, *c) == NULL) *c = '_';
}

static bool write_output(struct command *command, int index, const char *path)
{
    struct value value = {0};
    dnnl_cache_model_tensor_t output;
    const bool ok =
            get_output(command, index, &output)
            && command_read_output(command, index, &value)
            && value_file_write(path, output.name, &value, command->failure);
    value_fini(&value);
    return ok;
}

/* Names that come to the same file get a number. */
static bool write_all(struct command *command, int count)
{
    const struct options *options = command->options;
    const int error = folder_make(file_here, options->output_dir, 0777, false);
    if (error != 0 && error != EEXIST)
        return fail(command->failure, "cannot make folder %s: %s",
                options->output_dir, strerror(error));
    for (int i = 0; i < count; i++) {
        dnnl_cache_model_tensor_t output;
        char path[path_size], name[128], before[128];
        bool is_taken = false;
        if (!get_output(command, i, &output)) return false;
        command_file_name(sizeof name, name, output.name);
        for (int k = 0; k < i && !is_taken; k++) {
            dnnl_cache_model_tensor_t other;
            if (!get_output(command, k, &other)) return false;
            command_file_name(sizeof before, before, other.name);
            is_taken = strcmp(before, name) == 0;
        }
        char number[16] = "";
        if (is_taken || name[0] == '.')
            snprintf(number, sizeof number, "_%d", i);
        const int n = snprintf(path, sizeof path, "%s/%s%s%s.%s",
                options->output_dir, name[0] == '.' ? "_" : "", name, number,
                options->output_format);
        if (n < 0 || n >= path_size)
            return fail(command->failure, "%s: %s", options->output_dir,
                    strerror(ENAMETOOLONG));
        if (!write_output(command, i, path)) return false;
    }
    return true;
}

/* The file of "NAME=FILE", or a file for the first output. */
static const char *find_file(
        struct command *command, const char *text, int count, int *index)
{
    for (const char *equals = strchr(text, '='); equals != NULL;
            equals = strchr(equals + 1, '='))
        for (int i = 0; i < count; i++) {
            dnnl_cache_model_tensor_t output;
            if (get_output(command, i, &output)
                    && strlen(output.name) == (size_t)(equals - text)
                    && memcmp(output.name, text, strlen(output.name)) == 0) {
                *index = i;
                return equals + 1;
            }
        }
    *index = 0;
    return text;
}

bool command_check_outputs(struct command *command)
{
    const struct option_list *outputs = &command->options->outputs;
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    dnnl_cache_model_tensor_t first;
    if (outputs->count == 0) return true;
    if (!command_check(
                command, dnnl_cache_model_get_info(command->model, &info))
            || !get_output(command, 0, &first))
        return false;
    for (int i = 0; i < outputs->count; i++) {
        int index;
        const char *text = outputs->values[i];
        const size_t plain = strcspn(text, "/=");
        if (text[plain] == '='
                && find_file(command, text, info.outputs, &index) == text)
            return fail(command->failure,
                    "--output %s: the model has no output '%.*s', the first is "
                    "'%.100s'; a file of that name is ./%s",
                    text, (int)plain, text, first.name, text);
    }
    return true;
}

static bool write_one(struct command *command, const char *text, int count)
{
    int index;
    const char *path = find_file(command, text, count, &index);
    return write_output(command, index, path);
}

static bool write_outputs(struct command *command, int count)
{
    const struct option_list *outputs = &command->options->outputs;
    for (int i = 0; i < outputs->count; i++)
        if (!write_one(command, outputs->values[i], count)) return false;
    return command->options->output_dir == NULL || write_all(command, count);
}

/* ---- Comparing ----------------------------------------------------------- */

static bool same_shape(const struct value *a, const struct value *b)
{
    return a->type == b->type && a->ndims == b->ndims
           && memcmp(a->dims, b->dims, (size_t)a->ndims * sizeof *a->dims) == 0;
}

static bool is_near(double e, double a, double relatively, double absolutely)
{
    return e == a
           || (isnan(e) && isnan(a))
           /* Everything is within a part of infinity. */
           || (isfinite(e) && fabs(e - a) <= relatively * fabs(e) + absolutely);
}

static int compare(struct command *command, const struct value *output)
{
    struct value expected = {0};
    uint64_t count, wrong = 0;
    if (!value_file_read_any(
                &expected, command->options->expect, command->failure))
        return exit_failed;
    const bool is_half = expected.type == dnnl_cache_model_type_f16;
    value_count(expected.ndims, expected.dims, &count);
    if (!same_shape(&expected, output)) {
        wrong = count > 0 ? count : 1;
        printf("result: another type or shape than expected\n");
    }
    for (uint64_t i = 0; i < count && wrong < count; i++)
        if (same_shape(&expected, output)
                && !is_near(value_element(&expected, (size_t)i),
                        value_element(output, (size_t)i),
                        is_half ? half_relative : relative,
                        is_half ? half_absolute : absolute))
            wrong++;
    value_fini(&expected);
    if (wrong == 0) {
        printf("result: as expected, %" PRIu64 " elements\n", count);
        return exit_ok;
    }
    printf("result: WRONG, %" PRIu64 " of %" PRIu64 " elements\n", wrong,
            count);
    return exit_wrong;
}

int command_finish(struct command *command)
{
    const struct options *options = command->options;
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    struct value first = {0};
    int code = exit_failed;
    if (!command_check(
                command, dnnl_cache_model_get_info(command->model, &info)))
        return exit_failed;
    if (info.outputs < 1) {
        fail(command->failure, "the model has no output");
    } else if (command_read_output(command, 0, &first)) {
        code = options->expect != NULL ? compare(command, &first) : exit_ok;
        if (options->top > 0 && !command_print_top(command, &first)
                && code == exit_ok)
            code = exit_failed;
        if (!write_outputs(command, info.outputs) && code == exit_ok)
            code = exit_unwritten;
    }
    value_fini(&first);
    return code;
}
