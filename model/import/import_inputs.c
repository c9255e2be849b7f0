/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the node in hand. */
#include "model/graph/fold_parts.h"
#include "model/import/import.h"
#include "model/import/import_inline.h"
#include "model/onnx/onnx_names.h"

#include <stdarg.h>
#include <stdio.h>

bool import_fail(struct import *im, const char *format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(im->failure, "%s: %s", im->label, text);
}

bool import_has_input(const struct import *im, size_t input)
{
    if (input >= im->node->n_input || im->node->input[input][0] == '\0')
        return false;
    /* A function's parameter may have nothing. */
    const char *name = import_name(im, im->node->input[input]);
    return name != NULL && name[0] != '\0';
}

int import_input(const struct import *im, size_t input)
{
    if (!import_has_input(im, input)) return graph_none;
    /* The reader made sure that it is there. */
    return names_find(im->names, import_name(im, im->node->input[input]))
            ->tensor;
}

const struct graph_tensor *import_tensor(const struct import *im, int tensor)
{
    return &im->graph->tensors[tensor];
}

bool import_check_inputs(struct import *im, size_t least, size_t most)
{
    size_t count = im->node->n_input;
    if (count > most)
        return import_fail(im, "%zu inputs, %zu are known", count, most);
    for (size_t i = 0; i < least; i++)
        if (!import_has_input(im, i))
            return import_fail(im, "input %zu is missing", i);
    return true;
}

bool import_check_f32(struct import *im)
{
    for (size_t i = 0; i < im->node->n_input; i++) {
        if (!import_has_input(im, i)) continue;
        const struct graph_tensor *t = import_tensor(im, import_input(im, i));
        if (t->type != graph_type_f32)
            return import_fail(im, "input %zu is of type %s, not f32", i,
                    graph_type_name(t->type));
    }
    return true;
}

bool import_check_types(struct import *im)
{
    enum graph_type first = graph_type_bool;
    for (size_t i = 0; i < im->node->n_input; i++) {
        if (!import_has_input(im, i)) continue;
        enum graph_type type = import_tensor(im, import_input(im, i))->type;
        if (i == 0) first = type;
        if (type == graph_type_bool || type != first)
            return import_fail(im, "input %zu is of type %s after %s", i,
                    graph_type_name(type), graph_type_name(first));
    }
    return true;
}

bool import_check_shape(
        struct import *im, size_t input, const struct graph_shape *shape)
{
    char is[graph_shape_text_size];
    char needed[graph_shape_text_size];
    if (!import_has_input(im, input)) return true;
    const struct graph_tensor *t = import_tensor(im, import_input(im, input));
    if (graph_shape_equal(&t->shape, shape)) return true;
    graph_shape_text(is, &t->shape);
    graph_shape_text(needed, shape);
    return import_fail(im, "input %zu has dimensions %s where it needs %s",
            input, is, needed);
}

/* The input as a constant of at most so many elements in a row; NULL after a
 * failure. */
static const struct graph_tensor *constant_input(
        struct import *im, size_t input, int most)
{
    const struct graph_tensor *t = import_tensor(im, import_input(im, input));
    if (t->data == NULL) {
        (void)import_fail(im, "input %zu, '%s', is not constant", input,
                im->node->input[input]);
        return NULL;
    }
    if (t->shape.ndims > 1 || graph_shape_count(&t->shape) > most) {
        (void)import_fail(im, "input %zu has more than %d elements in a row",
                input, most);
        return NULL;
    }
    return t;
}

bool import_constant_ints(
        struct import *im, size_t input, int64_t *values, int most, int *count)
{
    const struct graph_tensor *t = constant_input(im, input, most);
    if (t == NULL) return false;
    *count = (int)graph_shape_count(&t->shape);
    for (int i = 0; i < *count; i++) {
        if (graph_type_is_float(t->type))
            return import_fail(im, "input %zu is of type %s, not i64", input,
                    graph_type_name(t->type));
        values[i] = fold_read_int(t, i);
    }
    return true;
}

bool import_constant_floats(
        struct import *im, size_t input, float *values, int most, int *count)
{
    const struct graph_tensor *t = constant_input(im, input, most);
    if (t == NULL) return false;
    *count = (int)graph_shape_count(&t->shape);
    for (int i = 0; i < *count; i++) {
        if (t->type == graph_type_f32)
            values[i] = ((const float *)t->data)[i];
        else if (t->type == graph_type_f64)
            values[i] = (float)((const double *)t->data)[i];
        else
            return import_fail(im, "input %zu is of type %s, not f32", input,
                    graph_type_name(t->type));
    }
    return true;
}
