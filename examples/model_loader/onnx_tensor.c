/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "external_data.h"

#include <stdlib.h>
#include <string.h>

bool onnx_tensor_type(enum graph_type *type, int64_t number, const char *what,
        struct failure *failure)
{
    switch (number) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        *type = graph_type_f32;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
        *type = graph_type_f64;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
        *type = graph_type_i32;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        *type = graph_type_i64;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
        *type = graph_type_bool;
        return true;
    default:
        break;
    }
    const ProtobufCEnumValue *known =
            number < INT32_MIN || number > INT32_MAX
                    ? NULL
                    : protobuf_c_enum_descriptor_get_value(
                            &onnx__tensor_proto__data_type__descriptor,
                            (int)number);
    return fail(failure, "%s has elements of type %s (%lld), which is not read",
            what, known == NULL ? "that is none" : known->name,
            (long long)number);
}

static bool read_shape(struct graph_shape *shape,
        const Onnx__TensorProto *message, const char *what,
        struct failure *failure)
{
    if (message->n_dims > graph_max_ndims)
        return fail(failure, "%s has %zu dimensions, more than %d", what,
                message->n_dims, (int)graph_max_ndims);
    *shape = (struct graph_shape){.ndims = (int)message->n_dims};
    for (int d = 0; d < shape->ndims; d++)
        shape->dims[d] = message->dims[d];
    char text[graph_shape_text_size];
    graph_shape_text(text, shape);
    return graph_shape_fits(shape, 0)
           || fail(failure, "%s: no tensor has dimensions %s", what, text);
}

/* The message's field for elements of a type; NULL if they are not as many as
 * they should be. */
static const void *typed_data(
        const Onnx__TensorProto *m, enum graph_type type, size_t count)
{
    switch (type) {
    case graph_type_f32:
        return m->n_float_data == count ? m->float_data : NULL;
    case graph_type_f64:
        return m->n_double_data == count ? m->double_data : NULL;
    case graph_type_i64:
        return m->n_int64_data == count ? m->int64_data : NULL;
    case graph_type_i32:
    case graph_type_bool:
        return m->n_int32_data == count ? m->int32_data : NULL;
    }
    return NULL;
}

static bool copy_typed(struct graph_tensor *tensor,
        const Onnx__TensorProto *message, const char *what,
        struct failure *failure)
{
    size_t count = (size_t)graph_shape_count(&tensor->shape);
    size_t size = graph_tensor_size(tensor);
    const void *data = typed_data(message, tensor->type, count);
    if (data == NULL && count != 0)
        return fail(failure, "%s does not have the %zu elements of its shape",
                what, count);
    tensor->data = malloc(size == 0 ? 1 : size);
    if (tensor->data == NULL) return fail_out_of_memory(failure);
    if (tensor->type == graph_type_bool)
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)tensor->data)[i] = ((const int32_t *)data)[i] != 0;
    else if (count != 0)
        memcpy(tensor->data, data, size);
    return true;
}

/* Any byte but 0 is true. */
static void clean_booleans(struct graph_tensor *tensor)
{
    uint8_t *bytes = tensor->data;
    size_t size = graph_tensor_size(tensor);
    for (size_t i = 0; tensor->type == graph_type_bool && i < size; i++)
        bytes[i] = bytes[i] != 0;
}

static bool take_raw(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, struct failure *failure)
{
    size_t size = graph_tensor_size(tensor);
    if (message->raw_data.len != size)
        return fail(failure, "%s has %zu bytes where its shape needs %zu", what,
                message->raw_data.len, size);
    tensor->data = message->raw_data.data;
    message->raw_data.data = NULL;
    message->raw_data.len = 0;
    return true;
}

bool onnx_tensor_read(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, const char *folder, struct failure *failure)
{
    struct graph_tensor read = {.producer = graph_none};
    bool ok;
    if (message->segment != NULL)
        return fail(failure, "%s is a segment of a tensor", what);
    if (!onnx_tensor_type(&read.type, message->data_type, what, failure)
            || !read_shape(&read.shape, message, what, failure))
        return false;
    size_t size = graph_tensor_size(&read);
    bool is_external = message->data_location
                       == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    /* Each finds that the elements are there before it makes room for them. */
    if (size != 0 && is_external)
        ok = external_data_read(
                &read.data, size, message, folder, what, failure);
    else if (size != 0 && message->has_raw_data)
        ok = take_raw(&read, message, what, failure);
    else
        ok = copy_typed(&read, message, what, failure);
    if (!ok) return false;
    clean_booleans(&read);
    tensor->type = read.type;
    tensor->shape = read.shape;
    tensor->data = read.data;
    return true;
}
