/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/fixed_input.h"

#include "model/base/half.h"
#include "model/base/weight_memory.h"
#include "model/graph/fold_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct onnx_constant *fixed_input_find(
        const struct onnx_source *source, const char *name)
{
    for (int i = 0; i < source->constant_count; i++)
        if (strcmp(source->constants[i].name, name) == 0)
            return &source->constants[i];
    return NULL;
}

/* ---- The number ---------------------------------------------------------- */

/* Above, not every integer is a double. */
static const double most_whole = 9007199254740992.0;

static bool is_whole(double value, enum graph_type type)
{
    return value == floor(value) && fabs(value) <= most_whole
           && (type == graph_type_i64
                   || (value >= (double)import_least(type)
                           && value <= (double)import_most(type)));
}

/* As a model computes with it; infinite, and refused, if it is too large. */
static double rounded(double value, enum graph_type type, bool is_half)
{
    if (is_half) return half_to_float(half_from_float((float)value));
    return type == graph_type_f32 ? (double)(float)value : value;
}

static bool is_number_of(double value, enum graph_type type, bool is_half)
{
    if (type == graph_type_bool) return value == 0.0 || value == 1.0;
    return graph_type_is_float(type) ? isfinite(rounded(value, type, is_half))
                                     : is_whole(value, type);
}

/* ---- The elements -------------------------------------------------------- */

bool fixed_input_make(void **data, struct import *im,
        const struct onnx_constant *fixed, enum graph_type type,
        const struct graph_shape *shape, bool is_half)
{
    const int64_t count = graph_shape_count(shape);
    const size_t size = (size_t)count * graph_type_size(type);
    (void)snprintf(im->label, sizeof im->label, "input '%.120s'", fixed->name);
    if (!is_number_of(fixed->value, type, is_half))
        return import_fail(im, "%.17g is not a number of type %s", fixed->value,
                is_half ? "f16" : graph_type_name(type));
    if (!import_charge(im, size)) return false;
    struct graph_tensor made = {.type = type, .data = weight_malloc(size)};
    if (made.data == NULL) return fail_out_of_memory(im->failure);
    for (int64_t i = 0; i < count; i++)
        if (graph_type_is_float(type))
            fold_write_float(&made, i, rounded(fixed->value, type, is_half));
        else
            fold_write_int(&made, i, (int64_t)fixed->value);
    *data = made.data;
    return true;
}

/* What an initializer has the name of is none. */
static bool is_input(const struct onnx_open *open, const char *name)
{
    for (size_t i = 0; i < open->file->n_initializer; i++)
        if (open->file->initializer[i]->name != NULL
                && strcmp(open->file->initializer[i]->name, name) == 0)
            return false;
    for (size_t i = 0; i < open->file->n_input; i++)
        if (open->file->input[i]->name != NULL
                && strcmp(open->file->input[i]->name, name) == 0)
            return true;
    return false;
}

bool fixed_inputs_check(const struct onnx_open *open, struct failure *failure)
{
    for (int i = 0; i < open->source->constant_count; i++)
        if (!is_input(open, open->source->constants[i].name))
            return fail(failure,
                    "a value is given for '%.120s', and no input has that name",
                    open->source->constants[i].name);
    return true;
}
