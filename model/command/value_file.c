/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/value_file.h"

#include "model/base/half.h"
#include "model/base/whole_file.h"
#include "model/command/npy.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"

#include <stdlib.h>
#include <string.h>

enum kind { kind_proto, kind_npy, kind_raw };

static bool ends_with(const char *path, const char *ending)
{
    const size_t size = strlen(path), end = strlen(ending);
    return size > end && strcmp(path + size - end, ending) == 0;
}

static enum kind kind_of(const char *path)
{
    return ends_with(path, ".npy")                              ? kind_npy
           : ends_with(path, ".raw") || ends_with(path, ".bin") ? kind_raw
                                                                : kind_proto;
}

bool value_file_is_picture(const char *path)
{
    static const char *const pictures[] = {
            ".png", ".PNG", ".jpg", ".JPG", ".jpeg", ".JPEG"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (ends_with(path, pictures[i])) return true;
    return false;
}

bool value_file_has_shape(const char *path)
{
    return !value_file_is_picture(path) && kind_of(path) != kind_raw;
}

/* ---- TensorProto --------------------------------------------------------- */

/* What is float16 in the file is so again: nothing was rounded. */
static bool take_halves(struct value *value, const struct graph_tensor *tensor,
        struct failure *failure)
{
    if (!value_allocate(value, failure)) return false;
    for (size_t i = 0; i < value->size / 2; i++)
        ((uint16_t *)value->data)[i] =
                half_from_float(((const float *)tensor->data)[i]);
    return true;
}

static bool read_proto(struct value *value, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    struct graph_tensor tensor = {0};
    if (!tensor_file_parse(&tensor, bytes, size, failure)) return false;
    *value = (struct value){
            .type = (dnnl_cache_model_type_t)onnx_type_number(tensor.type),
            .ndims = tensor.shape.ndims};
    for (int d = 0; d < value->ndims; d++)
        value->dims[d] = tensor.shape.dims[d];
    bool ok = true;
    if (tensor.is_half) {
        value->type = dnnl_cache_model_type_f16;
        ok = take_halves(value, &tensor, failure);
    } else {
        value->size = graph_tensor_size(&tensor);
        value->data = tensor.data;
        tensor.data = NULL;
    }
    tensor_file_fini(&tensor);
    return ok;
}

static bool to_graph_type(enum graph_type *type, dnnl_cache_model_type_t from)
{
    for (int t = graph_type_f32; graph_type_size((enum graph_type)t) != 0; t++)
        if (onnx_type_number((enum graph_type)t) == (int)from) {
            *type = (enum graph_type)t;
            return true;
        }
    return false;
}

static bool write_proto(const char *path, const char *name,
        const struct value *value, struct failure *failure)
{
    struct graph_tensor tensor = {.name = (char *)(uintptr_t)name,
            .type = graph_type_f32,
            .shape.ndims = value->ndims,
            .data = value->data,
            .is_half = value->type == dnnl_cache_model_type_f16,
            .producer = graph_none};
    float *floats = NULL;
    for (int d = 0; d < value->ndims; d++)
        tensor.shape.dims[d] = value->dims[d];
    if (tensor.is_half) {
        floats = malloc(value->size * 2 + 1);
        if (floats == NULL) return fail_out_of_memory(failure);
        for (size_t i = 0; i < value->size / 2; i++)
            floats[i] = half_to_float(((const uint16_t *)value->data)[i]);
        tensor.data = floats;
    } else if (!to_graph_type(&tensor.type, value->type)) {
        return fail(failure, "%s: elements of type %s are not written", path,
                dnnl_cache_model_type_name(value->type));
    }
    const bool ok = tensor_file_write(path, &tensor, failure);
    free(floats);
    return ok;
}

/* ---- All ----------------------------------------------------------------- */

static bool read_raw(struct value *value, uint8_t **bytes, size_t size,
        const dnnl_cache_model_tensor_t *input, struct failure *failure)
{
    struct value read = {.type = input->type, .ndims = input->ndims};
    uint64_t count;
    for (int d = 0; d < input->ndims; d++)
        read.dims[d] = input->dims[d];
    if (!value_count(read.ndims, read.dims, &count)
            || count * dnnl_cache_model_type_size(read.type) != size)
        return fail(failure,
                "%zu bytes, and input '%.100s' needs %zu of type %s", size,
                input->name, input->size,
                dnnl_cache_model_type_name(input->type));
    read.size = size;
    read.data = *bytes;
    *bytes = NULL;
    *value = read;
    return true;
}

static bool read_picture(struct value *value, const uint8_t *bytes, size_t size,
        const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure)
{
    struct image image = {0};
    const bool ok = image_parse(&image, bytes, size, failure)
                    && image_to_value(value, &image, options, input, failure);
    image_fini(&image);
    return ok;
}

/* input NULL: what does not say what it is is refused. */
static bool read_bytes(struct value *value, const char *path, uint8_t **bytes,
        size_t size, const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure)
{
    if (npy_is(*bytes, size)) return npy_parse(value, *bytes, size, failure);
    if (input != NULL && kind_of(path) == kind_raw)
        return read_raw(value, bytes, size, input, failure);
    if (input != NULL && image_is(*bytes, size))
        return read_picture(value, *bytes, size, input, options, failure);
    struct failure reason = {""};
    if (read_proto(value, *bytes, size, &reason)) return true;
    if (input == NULL || ends_with(path, ".pb")
            || failure_status(&reason) == dnnl_out_of_memory)
        return fail_as(failure, failure_status(&reason), "%s", reason.text);
    return fail(failure, "not a picture (PNG, JPEG), an array of NumPy (.npy) "
                         "or a tensor (TensorProto)");
}

static bool read_path(struct value *value, const char *path,
        const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure)
{
    uint8_t *bytes;
    size_t size;
    struct failure reason = {""};
    if (!onnx_read_file(path, &bytes, &size, failure)) return false;
    const bool ok =
            read_bytes(value, path, &bytes, size, input, options, &reason);
    if (!ok)
        fail_as(failure, failure_status(&reason), "%s: %s", path, reason.text);
    free(bytes);
    return ok;
}

bool value_file_read(struct value *value, const char *path,
        const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure)
{
    return read_path(value, path, input, options, failure);
}

bool value_file_read_any(
        struct value *value, const char *path, struct failure *failure)
{
    return read_path(value, path, NULL, NULL, failure);
}

bool value_file_write(const char *path, const char *name,
        const struct value *value, struct failure *failure)
{
    size_t size;
    const enum kind kind = kind_of(path);
    if (kind == kind_proto) return write_proto(path, name, value, failure);
    if (kind == kind_raw)
        return whole_file_write(path, value->data, value->size, failure);
    uint8_t *bytes = npy_format(value, &size);
    if (bytes == NULL) return fail_out_of_memory(failure);
    const bool ok = whole_file_write(path, bytes, size, failure);
    free(bytes);
    return ok;
}
