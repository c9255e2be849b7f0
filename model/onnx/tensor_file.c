/* SPDX-License-Identifier: Apache-2.0 */
#include "model/onnx/tensor_file.h"
#include "model/base/half.h"
#include "model/base/whole_file.h"
#include "model/onnx/onnx.h"
#include "model/onnx/onnx_tensor.h"

#include <stdlib.h>
#include <string.h>

bool tensor_file_parse(struct graph_tensor *tensor, const uint8_t *bytes,
        size_t size, struct failure *failure)
{
    struct graph_tensor read = {.producer = graph_none};
    Onnx__TensorProto *message = onnx_message_tensor(bytes, size, failure);
    bool ok = message != NULL
              && onnx_tensor_read(&read, message, "tensor", NULL, failure);
    if (ok) {
        read.name = strdup(message->name == NULL ? "" : message->name);
        if (read.name == NULL) ok = fail_out_of_memory(failure);
    }
    if (ok)
        *tensor = read;
    else
        free(read.data);
    if (message != NULL) onnx__tensor_proto__free_unpacked(message, NULL);
    return ok;
}

bool tensor_file_read(
        struct graph_tensor *tensor, const char *path, struct failure *failure)
{
    uint8_t *bytes;
    size_t size;
    struct failure reason = {""};
    if (!onnx_read_file(path, &bytes, &size, failure)) return false;
    bool ok = tensor_file_parse(tensor, bytes, size, &reason);
    if (!ok) (void)fail(failure, "%s: %s", path, reason.text);
    free(bytes);
    return ok;
}

void tensor_file_fini(struct graph_tensor *tensor)
{
    free(tensor->name);
    free(tensor->data);
    memset(tensor, 0, sizeof *tensor);
}

/* ---- Writing ------------------------------------------------------------- */

static int32_t type_number(const struct graph_tensor *tensor)
{
    if (tensor->is_half) return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    return onnx_type_number(tensor->type);
}

/* data: `size` bytes of elements, as the file has them. */
static bool write_message(const char *path, const struct graph_tensor *tensor,
        void *data, size_t size, struct failure *failure)
{
    Onnx__TensorProto message = ONNX__TENSOR_PROTO__INIT;
    struct graph_shape shape = tensor->shape;
    message.name = tensor->name;
    message.n_dims = (size_t)shape.ndims;
    message.dims = shape.dims;
    message.has_data_type = 1;
    message.data_type = type_number(tensor);
    message.has_raw_data = 1;
    message.raw_data.data = data;
    message.raw_data.len = size;
    uint8_t *bytes = malloc(onnx__tensor_proto__get_packed_size(&message));
    if (bytes == NULL) return fail_out_of_memory(failure);
    size_t packed = onnx__tensor_proto__pack(&message, bytes);
    bool ok = whole_file_write(path, bytes, packed, failure);
    free(bytes);
    return ok;
}

bool tensor_file_write(const char *path, const struct graph_tensor *tensor,
        struct failure *failure)
{
    if (!tensor->is_half)
        return write_message(
                path, tensor, tensor->data, graph_tensor_size(tensor), failure);
    size_t count = (size_t)graph_shape_count(&tensor->shape);
    uint16_t *halves = malloc(count * sizeof *halves + 1);
    if (halves == NULL) return fail_out_of_memory(failure);
    for (size_t i = 0; i < count; i++)
        halves[i] = half_from_float(((const float *)tensor->data)[i]);
    bool ok = write_message(
            path, tensor, halves, count * sizeof *halves, failure);
    free(halves);
    return ok;
}

float *tensor_file_ramp(int64_t count)
{
    float *ramp = malloc((size_t)count * sizeof *ramp);
    for (int64_t i = 0; ramp != NULL && i < count; i++)
        ramp[i] = (float)((double)i / (double)count);
    return ramp;
}
