/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/onnx_tensor.h"
#include "model/base/half.h"
#include "model/base/weight_memory.h"
#include "model/onnx/external_data.h"

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

/* The halves that a message has itself. */
static bool widen_halves(struct graph_tensor *tensor,
        const Onnx__TensorProto *message, const char *what,
        struct failure *failure)
{
    const size_t count = (size_t)graph_shape_count(&tensor->shape);
    const uint8_t *raw = message->raw_data.data;
    if (message->has_raw_data ? message->raw_data.len != count * 2
                              : message->n_int32_data != count)
        return fail(failure, "%s does not have the %zu elements of its shape",
                what, count);
    float *data = weight_malloc(count * sizeof *data);
    if (data == NULL) return fail_out_of_memory(failure);
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        if (message->has_raw_data)
            memcpy(&half, raw + i * sizeof half, sizeof half);
        else
            half = (uint16_t)message->int32_data[i];
        data[i] = half_to_float(half);
    }
    tensor->data = data;
    return true;
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

/* ---- Where they are ------------------------------------------------------ */

/* Elements that are not in the message. */
struct place {
    struct byte_source *source; /* retained */
    uint64_t offset;
    bool may_stay_open;
};

/* A file that is open already, or room for it; NULL: there is none. */
static struct onnx_file *find_file(struct onnx_files *files, const char *path)
{
    for (int i = 0; i < files->count; i++)
        if (strcmp(files->external[i].path, path) == 0)
            return &files->external[i];
    return files->count < onnx_files_most ? &files->external[files->count]
                                          : NULL;
}

static bool open_external(struct place *place, size_t size,
        const Onnx__TensorProto *message, const char *what,
        struct onnx_files *files, struct failure *failure)
{
    struct external_place at;
    if (!external_data_find(&at, size, message, files->folder, what, failure))
        return false;
    struct onnx_file *file = find_file(files, at.path);
    place->offset = at.offset;
    place->may_stay_open = file != NULL;
    if (file != NULL && file->source != NULL)
        place->source = byte_source_retain(file->source);
    else
        place->source = external_data_open(&at, files->folder, what, failure);
    if (place->source == NULL
            || !external_data_check(&at, size, place->source, what, failure))
        return false;
    if (file == NULL || file->source != NULL) return true;
    file->path = strdup(at.path);
    if (file->path == NULL) return fail_out_of_memory(failure);
    file->source = byte_source_retain(place->source);
    files->count++;
    return true;
}

/* Elements that the outline of the model has left out. */
static bool find_in_model(struct place *place, size_t size,
        const struct onnx_message_place *at, const char *what,
        const struct onnx_files *files, struct failure *failure)
{
    if (at->size != size)
        return fail(failure, "%s has %llu bytes where its shape needs %zu",
                what, (unsigned long long)at->size, size);
    place->source = byte_source_retain(files->source);
    place->offset = at->offset;
    place->may_stay_open = true;
    return true;
}

/* place->source stays NULL if they are in the message. */
static bool find_elements(struct place *place,
        const struct graph_tensor *tensor, const Onnx__TensorProto *message,
        const char *what, struct onnx_files *files, struct failure *failure)
{
    struct onnx_message_place at;
    const size_t size = tensor->is_half ? graph_tensor_size(tensor) / 2
                                        : graph_tensor_size(tensor);
    *place = (struct place){0};
    if (size == 0) return true;
    if (message->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return open_external(place, size, message, what, files, failure);
    if (files->source == NULL) return true;
    if (onnx_message_find_raw(message, &at)
            || (!message->has_raw_data && tensor->type == graph_type_f32
                    && !tensor->is_half
                    && onnx_message_find_floats(message, &at)))
        return find_in_model(place, size, &at, what, files, failure);
    return true;
}

/* ---- Bringing them ------------------------------------------------------- */

/* Reads floats from where they are, or notes where that is. */
static bool bring_floats(struct graph_tensor *tensor, const struct place *place,
        bool may_wait, struct failure *failure)
{
    tensor->deferred = deferred_create(place->source, place->offset,
            graph_shape_count(&tensor->shape), tensor->is_half, tensor->data,
            failure);
    if (tensor->deferred == NULL) return false;
    if (may_wait && place->may_stay_open
            && graph_tensor_size(tensor) >= deferred_least_bytes)
        return true;
    const bool ok = deferred_read(tensor->deferred, failure);
    deferred_destroy(tensor->deferred);
    tensor->deferred = NULL;
    return ok;
}

static bool bring(struct graph_tensor *tensor, const struct place *place,
        bool may_wait, struct failure *failure)
{
    tensor->data = weight_malloc(graph_tensor_size(tensor));
    if (tensor->data == NULL) return fail_out_of_memory(failure);
    const bool ok =
            tensor->type == graph_type_f32
                    ? bring_floats(tensor, place, may_wait, failure)
                    : byte_source_read(place->source, place->offset,
                            graph_tensor_size(tensor), tensor->data, failure);
    if (!ok) {
        free(tensor->data);
        tensor->data = NULL;
    }
    return ok;
}

/* Each finds that the elements are there before it makes room for them. */
static bool take(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, struct failure *failure)
{
    if (graph_tensor_size(tensor) != 0 && tensor->is_half)
        return widen_halves(tensor, message, what, failure);
    if (graph_tensor_size(tensor) != 0 && message->has_raw_data)
        return take_raw(tensor, message, what, failure);
    return copy_typed(tensor, message, what, failure);
}

void onnx_files_close(struct onnx_files *files)
{
    for (int i = 0; i < files->count; i++) {
        free(files->external[i].path);
        byte_source_release(files->external[i].source);
    }
    files->count = 0;
}

bool onnx_tensor_find(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, struct onnx_files *files, bool may_wait,
        struct failure *failure)
{
    struct graph_tensor read = {.producer = graph_none};
    struct place place;
    if (message->segment != NULL)
        return fail(failure, "%s is a segment of a tensor", what);
    if (!onnx_tensor_type(&read.type, message->data_type, what, failure)
            || !read_shape(&read.shape, message, what, failure))
        return false;
    read.is_half = message->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    bool ok = find_elements(&place, &read, message, what, files, failure);
    if (ok && place.source != NULL)
        ok = bring(&read, &place, may_wait, failure);
    else if (ok)
        ok = take(&read, message, what, failure);
    byte_source_release(place.source);
    if (!ok) return false;
    clean_booleans(&read);
    tensor->type = read.type;
    tensor->is_half = read.is_half;
    tensor->shape = read.shape;
    tensor->data = read.data;
    tensor->deferred = read.deferred;
    return true;
}

bool onnx_tensor_read(struct graph_tensor *tensor, Onnx__TensorProto *message,
        const char *what, const char *folder, struct failure *failure)
{
    struct onnx_files files = {.folder = folder};
    const bool ok =
            onnx_tensor_find(tensor, message, what, &files, false, failure);
    onnx_files_close(&files);
    return ok;
}
