/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/command.h"

#include "model/command/value_file.h"
#include "model/onnx/tensor_file.h"
#include "src/platform/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool get_input(
        struct command *command, int index, dnnl_cache_model_tensor_t *input)
{
    *input = (dnnl_cache_model_tensor_t)DNNL_CACHE_MODEL_TENSOR_INIT;
    return command_check(
            command, dnnl_cache_model_get_input(command->model, index, input));
}

static int count_inputs(struct command *command)
{
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    return command_check(
                   command, dnnl_cache_model_get_info(command->model, &info))
                   ? info.inputs
                   : -1;
}

/* ---- Shapes -------------------------------------------------------------- */

/* "1x3x224x224", or with commas; "" has no dimensions. */
static bool parse_dims(
        const char *text, int *ndims, int64_t dims[value_max_ndims])
{
    *ndims = 0;
    while (*text != '\0') {
        char *end;
        if (*text < '0' || *text > '9' || *ndims == value_max_ndims)
            return false;
        errno = 0;
        const long long dim = strtoll(text, &end, 10);
        if (errno != 0 || dim < 1) return false;
        dims[(*ndims)++] = dim;
        text = end;
        if (*text == '\0') break;
        if ((*text != 'x' && *text != ',') || text[1] == '\0') return false;
        text++;
    }
    return true;
}

/* True if an input has the name, or if it has an open dimension of that name.
 */
static bool is_name_of(const dnnl_cache_model_tensor_t *input, const char *name,
        bool *is_symbol)
{
    *is_symbol = false;
    if (strcmp(input->name, name) == 0) return true;
    for (int d = 0; d < input->ndims && !*is_symbol; d++)
        *is_symbol = input->dims[d] < 0 && strcmp(input->symbols[d], name) == 0;
    return *is_symbol;
}

/* Is it the name of an open dimension, and not of an input? */
static bool is_symbol_name(struct command *command, const char *name)
{
    const int count = count_inputs(command);
    bool found = false;
    for (int i = 0; i < count; i++) {
        dnnl_cache_model_tensor_t input;
        bool is_symbol;
        if (!get_input(command, i, &input)
                || !is_name_of(&input, name, &is_symbol))
            continue;
        if (!is_symbol) return false;
        found = true;
    }
    return found;
}

/* The dimension that "--shape SYMBOL=N" says; -1: none does. */
static int64_t find_symbol(const struct command *command, const char *symbol)
{
    const struct option_list *shapes = &command->options->shapes;
    for (int i = 0; symbol[0] != '\0' && i < shapes->count; i++) {
        const char *text = shapes->values[i];
        const char *equals = strrchr(text, '=');
        int64_t dims[value_max_ndims];
        int ndims;
        if (equals != NULL && strlen(symbol) == (size_t)(equals - text)
                && memcmp(symbol, text, strlen(symbol)) == 0
                && parse_dims(equals + 1, &ndims, dims) && ndims == 1)
            return dims[0];
    }
    return -1;
}

/* The shape of an input whose open dimensions are all said by their names;
 * false: it has none, or not all are. */
static bool resolve(const struct command *command,
        const dnnl_cache_model_tensor_t *input, int64_t dims[value_max_ndims])
{
    bool was_open = false;
    if (input->ndims > value_max_ndims) return false;
    for (int d = 0; d < input->ndims; d++) {
        dims[d] = input->dims[d];
        if (dims[d] >= 0) continue;
        was_open = true;
        dims[d] = find_symbol(command, input->symbols[d]);
        if (dims[d] < 0) return false;
    }
    return was_open;
}

/* An input that has a value is none of the loaded model's. What name it or its
 * dimensions have the library checks, before anything is compiled. */
static bool may_be_of_constant(
        const struct command *command, const char *name, int ndims)
{
    const struct option_list *constants = &command->options->constants;
    for (int i = 0; i < constants->count; i++) {
        size_t size = 0;
        double value = 0.0;
        (void)options_constant(constants->values[i], &size, &value);
        if (strlen(name) == size
                && memcmp(name, constants->values[i], size) == 0)
            return true;
    }
    return constants->count > 0 && ndims == 1;
}

/* Without a name: of the only input. */
static bool set_shape(struct command *command, const char *text)
{
    int64_t dims[value_max_ndims];
    int ndims;
    const char *equals = strrchr(text, '=');
    dnnl_cache_model_tensor_t only;
    if (!parse_dims(equals != NULL ? equals + 1 : text, &ndims, dims))
        return fail(command->failure,
                "--shape %s: dimensions are numbers such as 1x3x224x224, at "
                "most %d",
                text, (int)value_max_ndims);
    char *name = NULL;
    if (equals != NULL) {
        name = strndup(text, (size_t)(equals - text));
    } else {
        if (count_inputs(command) != 1)
            return fail(command->failure,
                    "--shape %s: the model has several inputs, of which one "
                    "has to be named, as in --shape NAME=%s",
                    text, text);
        if (!get_input(command, 0, &only)) return false;
        name = strdup(only.name);
    }
    if (name == NULL) return fail_out_of_memory(command->failure);
    int index;
    const bool ok =
            (may_be_of_constant(command, name, ndims)
                    || (ndims == 1 && is_symbol_name(command, name))
                    || command_check(
                            command, dnnl_cache_model_find_input(
                                             command->model, name, &index)))
            && command_check(command, dnnl_cache_model_set_shape(command->model,
                                              name, ndims, dims));
    free(name);
    return ok;
}

/* What is wrong with them is said when the model is here. */
bool command_set_named_shapes(struct command *command)
{
    const struct option_list *shapes = &command->options->shapes;
    for (int i = 0; i < shapes->count; i++) {
        int64_t dims[value_max_ndims];
        int ndims;
        const char *text = shapes->values[i];
        const char *equals = strrchr(text, '=');
        if (equals == NULL || !parse_dims(equals + 1, &ndims, dims)) continue;
        char *name = strndup(text, (size_t)(equals - text));
        if (name == NULL) return fail_out_of_memory(command->failure);
        (void)dnnl_cache_model_set_shape(command->model, name, ndims, dims);
        free(name);
    }
    return true;
}

/* One without a name is of the only input there is. */
static bool have_one_name(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '='), *end_b = strrchr(b, '=');
    return end_a == NULL || end_b == NULL
           || (end_a - a == end_b - b
                   && memcmp(a, b, (size_t)(end_a - a)) == 0);
}

bool command_set_shapes(struct command *command)
{
    const struct option_list *shapes = &command->options->shapes;
    for (int i = 0; i < shapes->count; i++) {
        for (int k = 0; k < i; k++)
            if (have_one_name(shapes->values[k], shapes->values[i]))
                return fail(command->failure,
                        "--shape %s: that input has a shape already, %s",
                        shapes->values[i], shapes->values[k]);
        if (!set_shape(command, shapes->values[i])) return false;
    }
    return true;
}

/* ---- Which file is which input's ------------------------------------------
 */

/* The file of "NAME=FILE", and the number of NAME; NULL if that is no name of
 * an input. */
static const char *find_named(
        struct command *command, const char *text, int count, int *index)
{
    for (const char *equals = strchr(text, '='); equals != NULL;
            equals = strchr(equals + 1, '=')) {
        const size_t size = (size_t)(equals - text);
        for (int i = 0; i < count; i++) {
            dnnl_cache_model_tensor_t input;
            if (get_input(command, i, &input) && strlen(input.name) == size
                    && memcmp(input.name, text, size) == 0) {
                *index = i;
                return equals + 1;
            }
        }
    }
    return NULL;
}

static bool fail_name(struct command *command, const char *text, int count)
{
    dnnl_cache_model_tensor_t input;
    if (count < 1 || !get_input(command, 0, &input)) return false;
    return fail(command->failure,
            "cannot open %s: %s, and no input of the model has a name before "
            "'='; the first is '%.100s'",
            text, strerror(errno), input.name);
}

/* A file for each input, or NULL. */
static bool assign(struct command *command, const char **paths, int count)
{
    const struct option_list *given = &command->options->inputs;
    int next = 0;
    if (given->count > count)
        return fail(command->failure, "the model has %d inputs, not %d", count,
                given->count);
    for (int i = 0; i < given->count; i++) {
        const char *text = given->values[i];
        int index = -1;
        const char *path = find_named(command, text, count, &index);
        if (path == NULL) {
            path = text;
            index = next++;
            if (strchr(text, '=') != NULL && !file_may_be_read(text))
                return fail_name(command, text, count);
        }
        if (index >= count || paths[index] != NULL)
            return fail(command->failure,
                    "--input %s: that input has a file already", text);
        paths[index] = path;
    }
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

/* True if all dimensions are known, from the model or the options. */
static bool is_given(
        struct command *command, const dnnl_cache_model_tensor_t *input)
{
    const struct option_list *shapes = &command->options->shapes;
    const char *name = input->name;
    int64_t dims[value_max_ndims];
    if (resolve(command, input, dims)) return true;
    for (int i = 0; i < shapes->count; i++) {
        const char *equals = strrchr(shapes->values[i], '=');
        if (equals == NULL
                || (strlen(name) == (size_t)(equals - shapes->values[i])
                        && memcmp(name, shapes->values[i], strlen(name)) == 0))
            return true;
    }
    return false;
}

static bool has_open(const dnnl_cache_model_tensor_t *input)
{
    for (int d = 0; d < input->ndims; d++)
        if (input->dims[d] < 0) return true;
    return input->ndims < 0;
}

static void dims_text(size_t size, char *text,
        const dnnl_cache_model_tensor_t *input, bool is_example)
{
    size_t used = 0;
    text[0] = '\0';
    for (int d = 0; d < input->ndims && used < size; d++) {
        const char *between = d == 0 ? "" : is_example ? "x" : ", ";
        const char *symbol = input->dims[d] < 0 ? input->symbols[d] : "";
        used += (size_t)(input->dims[d] >= 0
                                 ? snprintf(text + used, size - used,
                                         "%s%" PRId64, between, input->dims[d])
                                 : snprintf(text + used, size - used, "%s%.24s",
                                         between,
                                         is_example          ? "1"
                                         : symbol[0] != '\0' ? symbol
                                                             : "?"));
    }
}

static bool ask_for_shape(
        struct command *command, const dnnl_cache_model_tensor_t *input)
{
    char is[160], example[160];
    dims_text(sizeof is, is, input, false);
    dims_text(sizeof example, example, input, true);
    return fail(command->failure,
            "input '%.100s' has shape [%s]: say its dimensions, for example "
            "--shape %.100s=%s",
            input->name, is, input->name, input->ndims < 0 ? "1x3" : example);
}

/* The input as the options and the data have it; `dims` is where they go. */
static bool apply_shape(struct command *command,
        dnnl_cache_model_tensor_t *input, int64_t dims[value_max_ndims])
{
    const struct option_list *shapes = &command->options->shapes;
    if (resolve(command, input, dims)) input->dims = dims;
    for (int i = 0; i < shapes->count; i++) {
        const char *text = shapes->values[i];
        const char *equals = strrchr(text, '=');
        int ndims;
        if (equals != NULL
                && (strlen(input->name) != (size_t)(equals - text)
                        || memcmp(input->name, text, strlen(input->name)) != 0))
            continue;
        if (!parse_dims(equals != NULL ? equals + 1 : text, &ndims, dims))
            return false;
        input->ndims = ndims;
        input->dims = dims;
    }
    return true;
}

/* What the library would say after it has compiled. Dimensions that are not
 * known fit. */
static bool check_value(struct command *command, const struct value *value,
        const dnnl_cache_model_tensor_t *input)
{
    bool fits = value->type == input->type
                && (input->ndims < 0 || value->ndims == input->ndims);
    char needed[160], is[160];
    for (int d = 0; fits && d < input->ndims; d++)
        fits = input->dims[d] < 0 || input->dims[d] == value->dims[d];
    if (fits) return true;
    const dnnl_cache_model_tensor_t given = value_tensor(value);
    dims_text(sizeof needed, needed, input, false);
    dims_text(sizeof is, is, &given, false);
    return fail(command->failure,
            "input '%.100s' needs %s [%s], and was given %s [%s]", input->name,
            dnnl_cache_model_type_name(input->type), needed,
            dnnl_cache_model_type_name(value->type), is);
}

/* A picture is a batch of one, if only the batch is left open. */
static void take_one(
        dnnl_cache_model_tensor_t *input, int64_t dims[value_max_ndims])
{
    if (input->ndims < 3 || input->ndims > value_max_ndims
            || input->dims[0] >= 0)
        return;
    memcpy(dims, input->dims, (size_t)input->ndims * sizeof *dims);
    dims[0] = 1;
    input->dims = dims;
}

static bool read_input(
        struct command *command, int i, const char *path, struct value *value)
{
    dnnl_cache_model_tensor_t input;
    int64_t dims[value_max_ndims];
    if (!get_input(command, i, &input)) return false;
    const bool is_open = has_open(&input) && !is_given(command, &input);
    if (path == NULL || strcmp(path, "ramp") == 0) return true;
    const dnnl_cache_model_tensor_t declared = input;
    if (is_open && value_file_is_picture(path)) take_one(&input, dims);
    if (is_open && has_open(&input) && !value_file_has_shape(path))
        return ask_for_shape(command, &declared);
    if (!apply_shape(command, &input, dims)
            || !value_file_read(value, path, &input, &command->options->image,
                    command->failure)
            || !check_value(command, value, &input))
        return false;
    return !is_open
           || command_check(
                   command, dnnl_cache_model_set_shape(command->model,
                                    input.name, value->ndims, value->dims));
}

/* A symbol of another input may say what is open: then the library knows. */
static bool check_open(struct command *command, const struct inputs *inputs)
{
    bool some_given = command->options->shapes.count > 0;
    for (int i = 0; i < inputs->count; i++)
        some_given = some_given || inputs->values[i].data != NULL;
    for (int i = 0; i < inputs->count && !some_given; i++) {
        dnnl_cache_model_tensor_t input;
        if (!get_input(command, i, &input)) return false;
        if (has_open(&input)) return ask_for_shape(command, &input);
    }
    return true;
}

bool command_read_inputs(struct command *command, struct inputs *inputs)
{
    const int count = count_inputs(command);
    if (count < 0) return false;
    const char **paths = calloc((size_t)count + 1, sizeof *paths);
    inputs->values = calloc((size_t)count + 1, sizeof *inputs->values);
    bool ok = paths != NULL && inputs->values != NULL;
    if (!ok) fail_out_of_memory(command->failure);
    inputs->count = ok ? count : 0;
    ok = ok && assign(command, paths, count);
    for (int i = 0; ok && i < count; i++)
        ok = read_input(command, i, paths[i], &inputs->values[i]);
    free(paths);
    return ok && check_open(command, inputs);
}

/* ---- Writing ------------------------------------------------------------- */

/* i / n, rounded; of integers i. */
static bool make_ramp(struct command *command, struct value *value,
        const dnnl_cache_model_tensor_t *input)
{
    uint64_t count;
    *value = (struct value){.type = input->type, .ndims = input->ndims};
    for (int d = 0; d < input->ndims; d++)
        value->dims[d] = input->dims[d];
    if (!value_allocate(value, command->failure)) return false;
    value_count(value->ndims, value->dims, &count);
    if (input->type == dnnl_cache_model_type_f16) {
        float *ramp = tensor_file_ramp((int64_t)count);
        if (ramp == NULL) return fail_out_of_memory(command->failure);
        for (uint64_t i = 0; i < count; i++)
            value_put(value, (size_t)i, (double)ramp[i]);
        free(ramp);
        return true;
    }
    const bool is_real = input->type == dnnl_cache_model_type_f32
                         || input->type == dnnl_cache_model_type_f64;
    for (uint64_t i = 0; i < count; i++)
        value_put(value, (size_t)i,
                is_real ? (double)i / (double)count : (double)i);
    return true;
}

bool command_write_inputs(struct command *command, const struct inputs *inputs)
{
    bool ok = true;
    for (int i = 0; ok && i < inputs->count; i++) {
        struct value ramp = {0};
        const struct value *value = &inputs->values[i];
        dnnl_cache_model_tensor_t input;
        if (!get_input(command, i, &input)) return false;
        if (value->data == NULL) {
            ok = make_ramp(command, &ramp, &input);
            value = &ramp;
        }
        if (ok) {
            const dnnl_cache_model_tensor_t is = value_tensor(value);
            ok = command_check(
                    command, dnnl_cache_model_write_input(command->model, i,
                                     &is, value->data, value->size));
        }
        value_fini(&ramp);
    }
    return ok;
}

void command_drop_inputs(struct inputs *inputs)
{
    for (int i = 0; i < inputs->count; i++)
        value_fini(&inputs->values[i]);
    free(inputs->values);
    *inputs = (struct inputs){0};
}
