/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, and what is known of tensors before they are computed. */
#include "model/base/weight_memory.h"
#include "model/import/import.h"
#include "model/import/import_inline.h"

#include <stdlib.h>
#include <string.h>

/* ---- Constant ------------------------------------------------------------ */

static bool emit_message(struct import *im, Onnx__TensorProto *message)
{
    struct graph_tensor read = {0};
    if (message == NULL) return import_fail(im, "attribute value is no tensor");
    return import_read_tensor(im, &read, message)
           && import_emit_constant(
                      im, read.type, &read.shape, read.data, false, 0)
                      != graph_none;
}

/* A scalar for ndims 0, else a row; the elements are copied. */
static bool emit_row(struct import *im, enum graph_type type, int ndims,
        size_t count, const void *elements)
{
    struct graph_shape shape = {.ndims = ndims, .dims = {(int64_t)count}};
    size_t size = count * graph_type_size(type);
    if (!import_charge(im, size)) return false;
    void *data = weight_malloc(size);
    if (data == NULL) return fail_out_of_memory(im->failure);
    if (size != 0) memcpy(data, elements, size);
    return import_emit_constant(im, type, &shape, data, false, 0) != graph_none;
}

bool import_constant(struct import *im, enum graph_op op)
{
    (void)op;
    if (im->node->n_attribute != 1)
        return import_fail(im, "%zu values", im->node->n_attribute);
    const Onnx__AttributeProto *a = im->node->attribute[0];
    const char *name = a->name == NULL ? "" : a->name;
    a = import_attribute(im, name); /* it may be a function's */
    if (a == NULL) return import_fail(im, "attribute %s is not given", name);
    if (strcmp(name, "value") == 0) return emit_message(im, a->t);
    if (strcmp(name, "value_int") == 0)
        return emit_row(im, graph_type_i64, 0, 1, &a->i);
    if (strcmp(name, "value_ints") == 0)
        return emit_row(im, graph_type_i64, 1, a->n_ints, a->ints);
    if (strcmp(name, "value_float") == 0)
        return emit_row(im, graph_type_f32, 0, 1, &a->f);
    if (strcmp(name, "value_floats") == 0)
        return emit_row(im, graph_type_f32, 1, a->n_floats, a->floats);
    return import_fail(im, "attribute %s is not known here", name);
}

/* ---- ConstantOfShape ----------------------------------------------------- */

static void fill(void *data, int64_t count, const void *value, size_t size)
{
    for (int64_t i = 0; i < count; i++)
        memcpy((uint8_t *)data + (size_t)i * size, value, size);
}

/* Floats come this way that are weights of networks without their numbers: they
 * are made when the device has room for them. */
static bool defer_filled(
        struct import *im, int tensor, const struct graph_tensor *value)
{
    struct graph_tensor *t = &im->graph->tensors[tensor];
    float number;
    memcpy(&number, value->data, sizeof number);
    t->deferred = deferred_create_value(
            number, graph_shape_count(&t->shape), t->data, im->failure);
    return t->deferred != NULL;
}

static bool emit_filled(struct import *im, const struct graph_shape *shape,
        const struct graph_tensor *value)
{
    const int64_t count = graph_shape_count(shape);
    const size_t element = graph_type_size(value->type);
    const size_t size = (size_t)count * element;
    const bool waits =
            value->type == graph_type_f32 && size >= deferred_least_bytes;
    if (!import_charge(im, size)) return false;
    void *data = weight_malloc(size);
    if (data == NULL) return fail_out_of_memory(im->failure);
    if (!waits) fill(data, count, value->data, element);
    const int tensor = import_emit_constant(
            im, value->type, shape, data, value->type == graph_type_f32, 0);
    if (tensor == graph_none) return false;
    im->graph->tensors[tensor].is_half = value->is_half;
    return !waits || defer_filled(im, tensor, value);
}

bool import_constant_of_shape(struct import *im, enum graph_op op)
{
    struct graph_shape shape = {0};
    struct graph_tensor value = {.type = graph_type_f32};
    float zero = 0.0F;
    (void)op;
    if (!import_check_inputs(im, 1, 1)
            || !import_constant_ints(
                    im, 0, shape.dims, graph_max_ndims, &shape.ndims))
        return false;
    if (!graph_shape_fits(&shape, 0)) return import_fail(im, "no such shape");
    const Onnx__AttributeProto *a = import_attribute(im, "value");
    if (a == NULL) {
        value.data = &zero;
        return emit_filled(im, &shape, &value);
    }
    if (a->t == NULL) return import_fail(im, "attribute value is no tensor");
    if (!import_read_tensor(im, &value, a->t)) return false;
    bool ok = graph_shape_count(&value.shape) == 1
                      ? emit_filled(im, &shape, &value)
                      : import_fail(im, "attribute value is not one element");
    free(value.data);
    return ok;
}

/* ---- Shape and Size ------------------------------------------------------ */

bool import_shape(struct import *im, enum graph_op op)
{
    int64_t start = 0;
    int64_t end = graph_max_ndims;
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_int(im, "start", &start)
            || !import_int(im, "end", &end))
        return false;
    struct graph_shape of = import_tensor(im, import_input(im, 0))->shape;
    /* What is beyond the dimensions is cut off. */
    if (start < 0) start = start < -of.ndims ? 0 : start + of.ndims;
    if (end < 0) end = end < -of.ndims ? 0 : end + of.ndims;
    if (start > of.ndims) start = of.ndims;
    if (end > of.ndims) end = of.ndims;
    if (end < start) end = start;
    return emit_row(
            im, graph_type_i64, 1, (size_t)(end - start), of.dims + start);
}

bool import_size(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 1, 1)) return false;
    int64_t count =
            graph_shape_count(&import_tensor(im, import_input(im, 0))->shape);
    return emit_row(im, graph_type_i64, 0, 1, &count);
}

/* ---- Cast ---------------------------------------------------------------- */

/* The number of a type's name: operator set 1 had words. */
static int64_t type_number(const char *word)
{
    const ProtobufCEnumValue *value =
            protobuf_c_enum_descriptor_get_value_by_name(
                    &onnx__tensor_proto__data_type__descriptor, word);
    return value == NULL ? 0 : value->value;
}

bool import_cast(struct import *im, enum graph_op op)
{
    int64_t to = 0;
    char word[import_word_size] = "";
    enum graph_type type;
    if (!import_check_inputs(im, 1, 1)) return false;
    const Onnx__AttributeProto *a = import_attribute(im, "to");
    if (a != NULL && a->has_s) {
        if (!import_word(im, "to", word)) return false;
        to = type_number(word);
    } else if (!import_int(im, "to", &to)) {
        return false;
    }
    int x = import_input(im, 0);
    (void)op;
    if (to == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) im->graph->has_float = true;
    return onnx_tensor_type(&type, to, im->label, im->failure)
           && import_emit_cast(im, x, type, 0) != graph_none;
}

bool import_cast_like(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 2, 2)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 1))->type;
    return import_emit_cast(im, import_input(im, 0), type, 0) != graph_none;
}
