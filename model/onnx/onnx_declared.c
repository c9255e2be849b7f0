/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/onnx_declared.h"
#include "model/onnx/onnx_tensor.h"

#include <stdio.h>
#include <string.h>

const Onnx__TypeProto__Tensor *onnx_declared_tensor(
        const Onnx__ValueInfoProto *value)
{
    const Onnx__TypeProto *type = value->type;
    return type != NULL
                           && type->value_case
                                      == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
                   ? type->tensor_type
                   : NULL;
}

bool onnx_declared_has_value(const Onnx__TensorShapeProto__Dimension *dim)
{
    return dim->value_case
                   == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE
           && dim->dim_value != -1;
}

/* Converters write "?" for whatever they do not know. */
const char *onnx_declared_symbol(const Onnx__TensorShapeProto__Dimension *dim)
{
    return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                           && dim->dim_param != NULL
                           && strcmp(dim->dim_param, "?") != 0
                   ? dim->dim_param
                   : "";
}

bool onnx_declared_half(const Onnx__ValueInfoProto *value)
{
    const Onnx__TypeProto__Tensor *declared = onnx_declared_tensor(value);
    return declared != NULL
           && declared->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
}

/* ---- Inputs -------------------------------------------------------------- */

static const struct graph_shape *find_given(
        const struct onnx_open *open, const char *name)
{
    for (int i = 0; i < open->source->shape_count; i++)
        if (strcmp(open->source->shapes[i].name, name) == 0)
            return &open->source->shapes[i].shape;
    return NULL;
}

static const Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *value)
{
    const Onnx__TypeProto__Tensor *declared = onnx_declared_tensor(value);
    return declared == NULL ? NULL : declared->shape;
}

static void declared_text(
        char text[graph_shape_text_size], const Onnx__TensorShapeProto *shape)
{
    size_t used = (size_t)snprintf(text, graph_shape_text_size, "[");
    for (size_t d = 0; d < shape->n_dim && used < graph_shape_text_size; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[d];
        const char *symbol = onnx_declared_symbol(dim);
        const char *comma = d > 0 ? ", " : "";
        const size_t room = graph_shape_text_size - used;
        used += (size_t)(onnx_declared_has_value(dim)
                                 ? snprintf(text + used, room, "%s%lld", comma,
                                         (long long)dim->dim_value)
                                 : snprintf(text + used, room, "%s%.24s", comma,
                                         symbol[0] != '\0' ? symbol : "?"));
    }
    if (used < graph_shape_text_size)
        (void)snprintf(text + used, graph_shape_text_size - used, "]");
}

static bool is_input(const struct onnx_open *open, const char *name)
{
    for (size_t i = 0; i < open->file->n_input; i++)
        if (open->file->input[i]->name != NULL
                && strcmp(open->file->input[i]->name, name) == 0)
            return true;
    return false;
}

/* Is it the name of a dimension of an input? */
static bool is_symbol(const struct onnx_open *open, const char *name)
{
    for (size_t i = 0; i < open->file->n_input; i++) {
        const Onnx__TensorShapeProto *shape = shape_of(open->file->input[i]);
        for (size_t d = 0; shape != NULL && d < shape->n_dim; d++)
            if (strcmp(onnx_declared_symbol(shape->dim[d]), name) == 0)
                return true;
    }
    return false;
}

/* What a symbol is, as it was given by its name, or in the shape that another
 * input is given; 0: nothing. */
static int64_t find_symbol(const struct onnx_open *open, const char *symbol)
{
    if (symbol[0] == '\0' || open->source->shape_count == 0) return 0;
    const struct graph_shape *named =
            is_input(open, symbol) ? NULL : find_given(open, symbol);
    if (named != NULL && named->ndims == 1) return named->dims[0];
    for (size_t i = 0; i < open->file->n_input; i++) {
        const Onnx__ValueInfoProto *value = open->file->input[i];
        const Onnx__TensorShapeProto *shape = shape_of(value);
        const struct graph_shape *given =
                value->name == NULL ? NULL : find_given(open, value->name);
        if (shape == NULL || given == NULL
                || shape->n_dim != (size_t)given->ndims)
            continue;
        for (int d = 0; d < given->ndims; d++)
            if (strcmp(onnx_declared_symbol(shape->dim[d]), symbol) == 0)
                return given->dims[d];
    }
    return 0;
}

/* A given shape must be one of those that the file allows. */
static bool check_given(const struct onnx_open *open, const char *what,
        const Onnx__TensorShapeProto *declared, const struct graph_shape *given,
        struct failure *failure)
{
    char is[graph_shape_text_size];
    char needed[graph_shape_text_size];
    bool ok = declared->n_dim == (size_t)given->ndims;
    for (int d = 0; ok && d < given->ndims; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = declared->dim[d];
        ok = !onnx_declared_has_value(dim) || dim->dim_value == given->dims[d];
    }
    declared_text(needed, declared);
    graph_shape_text(is, given);
    if (!ok)
        return fail(failure, "%s has shape %s, which %s does not match", what,
                needed, is);
    for (int d = 0; d < given->ndims; d++) {
        const char *symbol = onnx_declared_symbol(declared->dim[d]);
        const int64_t known = find_symbol(open, symbol);
        if (known != 0 && known != given->dims[d])
            return fail(failure,
                    "%s: '%.40s' is %lld in the shape %s, and %lld in another "
                    "that was given",
                    what, symbol, (long long)given->dims[d], is,
                    (long long)known);
    }
    return true;
}

/* Dimensions that nothing is known of stay 0. */
static void fill_shape(const struct onnx_open *open, struct graph_shape *shape,
        const Onnx__TensorShapeProto *declared)
{
    *shape = (struct graph_shape){.ndims = (int)declared->n_dim};
    for (int d = 0; d < shape->ndims; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = declared->dim[d];
        const int64_t known = find_symbol(open, onnx_declared_symbol(dim));
        shape->dims[d] = onnx_declared_has_value(dim) ? dim->dim_value
                         : known != 0                 ? known
                                      : open->source->open_dimension;
    }
}

static bool has_open(
        const Onnx__TensorShapeProto *declared, const struct graph_shape *shape)
{
    for (int d = 0; d < shape->ndims; d++)
        if (!onnx_declared_has_value(declared->dim[d]) && shape->dims[d] == 0)
            return true;
    return false;
}

bool onnx_declared_input(const struct onnx_open *open,
        const Onnx__ValueInfoProto *value, enum graph_type *type,
        struct graph_shape *shape, struct failure *failure)
{
    char what[160];
    char text[graph_shape_text_size];
    const Onnx__TypeProto__Tensor *declared = onnx_declared_tensor(value);
    const struct graph_shape *given = find_given(open, value->name);
    (void)snprintf(what, sizeof what, "input '%.120s'", value->name);
    if (declared == NULL || (declared->shape == NULL && given == NULL))
        return fail(failure, "%s is no tensor with dimensions", what);
    if (!onnx_tensor_type(type, declared->elem_type, what, failure))
        return false;
    if (declared->shape != NULL && declared->shape->n_dim > graph_max_ndims)
        return fail(failure, "%s has %zu dimensions, more than %d", what,
                declared->shape->n_dim, (int)graph_max_ndims);
    if (given != NULL && declared->shape != NULL
            && !check_given(open, what, declared->shape, given, failure))
        return false;
    if (given != NULL)
        *shape = *given;
    else
        fill_shape(open, shape, declared->shape);
    if (declared->shape != NULL) declared_text(text, declared->shape);
    if (given == NULL && has_open(declared->shape, shape))
        return fail(failure,
                "%s has shape %s: the model leaves dimensions open, which have "
                "to be given",
                what, text);
    graph_shape_text(text, shape);
    return graph_shape_fits(shape, 1)
           || fail(failure, "%s: no input may have dimensions %s", what, text);
}

bool onnx_declared_given(const struct onnx_open *open,
        const struct graph *graph, struct failure *failure)
{
    for (int i = 0; i < open->source->shape_count; i++) {
        const char *name = open->source->shapes[i].name;
        bool found = false;
        for (int k = 0; !found && k < graph->input_count; k++)
            found = strcmp(graph->tensors[graph->inputs[k]].name, name) == 0;
        for (int k = 0; !found && k < open->source->constant_count; k++)
            found = strcmp(open->source->constants[k].name, name) == 0;
        if (!found
                && !(open->source->shapes[i].shape.ndims == 1
                        && !is_input(open, name) && is_symbol(open, name)))
            return fail(failure,
                    "a shape is given for '%.120s', and no input "
                    "has that name",
                    name);
    }
    return true;
}

/* ---- All tensors --------------------------------------------------------- */

/* Dimensions that a file got wrong are no reason to refuse it: exporters write
 * those of an example, and files outlive changes of their inputs. */
static void check_shape(struct graph *graph, const char *what,
        const Onnx__TensorShapeProto *declared, const struct graph_shape *shape)
{
    char is[graph_shape_text_size];
    char said[graph_shape_text_size];
    bool same = declared->n_dim == (size_t)shape->ndims;
    for (int d = 0; same && d < shape->ndims; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = declared->dim[d];
        same = !onnx_declared_has_value(dim)
               || dim->dim_value == shape->dims[d];
    }
    if (same || graph->warning[0] != '\0') return;
    graph_shape_text(is, shape);
    declared_text(said, declared);
    (void)snprintf(graph->warning, sizeof graph->warning,
            "%s has shape %s, not %s as the file says", what, is, said);
}

bool onnx_declared_check(struct graph *graph, const Onnx__ValueInfoProto *value,
        const struct graph_tensor *tensor, struct failure *failure)
{
    char what[160];
    enum graph_type type;
    const Onnx__TypeProto__Tensor *declared = onnx_declared_tensor(value);
    (void)snprintf(what, sizeof what, "'%.120s'", value->name);
    if (declared == NULL) return true;
    if (declared->elem_type != 0
            && (!onnx_tensor_type(&type, declared->elem_type, what, failure)
                    || (type != tensor->type
                            && !fail(failure, "%s is of type %s, not %s", what,
                                    graph_type_name(tensor->type),
                                    graph_type_name(type)))))
        return false;
    if (declared->shape != NULL)
        check_shape(graph, what, declared->shape, &tensor->shape);
    return true;
}
