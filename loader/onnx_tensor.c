/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tensor.h"
#include "external_data.h"
#include "half.h"
#include "weight_memory.h"

#include <stdlib.h>
#include <string.h>

bool onnx_tensor_type(enum graph_type *type, int64_t number, const char *what,
        struct failure *failure)
{
    switch (number) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
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
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
        *type = graph_type_i8;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
        *type = graph_type_u8;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
        *type = graph_type_i16;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
        *type = graph_type_u16;
        return true;
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
        *type = graph_type_u32;
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
    case graph_type_u32:
        return m->n_uint64_data == count ? m->uint64_data : NULL;
    case graph_type_i32:
    case graph_type_bool:
    case graph_type_i8:
    case graph_type_u8:
    case graph_type_i16:
    case graph_type_u16:
        return m->n_int32_data == count ? m->int32_data : NULL;
    }
    return NULL;
}

/* Elements that a message has in wider fields. */
static void narrow(struct graph_tensor *tensor, const void *data, size_t count)
{
    const int32_t *ints = data;
    const uint64_t *longs = data;
    for (size_t i = 0; i < count; i++)
        switch (tensor->type) {
        case graph_type_bool:
            ((uint8_t *)tensor->data)[i] = ints[i] != 0;
            break;
        case graph_type_i8:
        case graph_type_u8:
            ((uint8_t *)tensor->data)[i] = (uint8_t)ints[i];
            break;
        case graph_type_i16:
        case graph_type_u16:
            ((uint16_t *)tensor->data)[i] = (uint16_t)ints[i];
            break;
        default: /* u32 */
            ((uint32_t *)tensor->data)[i] = (uint32_t)longs[i];
        }
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
    tensor->data = weight_malloc(size);
    if (tensor->data == NULL) return fail_out_of_memory(failure);
    if (size < count * sizeof(int32_t) || tensor->type == graph_type_u32)
        narrow(tensor, data, count);
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

/* The halves of a message, which the caller frees. */
static bool read_halves(void **halves, size_t count,
        const Onnx__TensorProto *message, const char *what, const char *folder,
        struct failure *failure)
{
    const size_t size = count * sizeof(uint16_t);
    if (message->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return external_data_read(halves, size, message, folder, what, failure);
    if (message->has_raw_data ? message->raw_data.len != size
                              : message->n_int32_data != count)
        return fail(failure, "%s does not have the %zu elements of its shape",
                what, count);
    uint16_t *read = malloc(size);
    if (read == NULL) return fail_out_of_memory(failure);
    if (message->has_raw_data)
        memcpy(read, message->raw_data.data, size);
    else
        for (size_t i = 0; i < count; i++)
            read[i] = (uint16_t)message->int32_data[i];
    *halves = read;
    return true;
}

static bool widen_halves(struct graph_tensor *tensor,
        const Onnx__TensorProto *message, const char *what, const char *folder,
        struct failure *failure)
{
    const size_t count = (size_t)graph_shape_count(&tensor->shape);
    void *halves = NULL;
    if (!read_halves(&halves, count, message, what, folder, failure))
        return false;
    float *data = weight_malloc(count * sizeof *data);
    for (size_t i = 0; data != NULL && i < count; i++)
        data[i] = half_to_float(((const uint16_t *)halves)[i]);
    free(halves);
    tensor->data = data;
    return data != NULL || fail_out_of_memory(failure);
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
    read.is_half = message->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    /* Each finds that the elements are there before it makes room for them. */
    if (size != 0 && read.is_half)
        ok = widen_halves(&read, message, what, folder, failure);
    else if (size != 0 && is_external)
        ok = external_data_read(
                &read.data, size, message, folder, what, failure);
    else if (size != 0 && message->has_raw_data)
        ok = take_raw(&read, message, what, failure);
    else
        ok = copy_typed(&read, message, what, failure);
    if (!ok) return false;
    clean_booleans(&read);
    tensor->type = read.type;
    tensor->is_half = read.is_half;
    tensor->shape = read.shape;
    tensor->data = read.data;
    return true;
}
