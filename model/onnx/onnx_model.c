/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's file declares. */
#include "model/onnx/onnx_model.h"

#include "model/graph/graph.h"
#include "model/onnx/onnx_declared.h"
#include "model/onnx/onnx_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_message(struct onnx_model *model, struct failure *failure)
{
    model->outline =
            onnx_message_outline(model->source, &model->outline_size, failure);
    if (model->outline == NULL) return false;
    model->message = onnx_message_of_outline(
            model->outline, model->outline_size, failure);
    return model->message != NULL;
}

/* Takes over the source; NULL is a failure that has been told. */
static struct onnx_model *open_source(
        struct byte_source *source, struct failure *failure)
{
    struct onnx_model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        (void)fail_out_of_memory(failure);
        byte_source_release(source);
        return NULL;
    }
    model->source = source;
    if (source != NULL && read_message(model, failure)) return model;
    onnx_model_close(model);
    return NULL;
}

struct onnx_model *onnx_model_open(
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    return open_source(byte_source_borrow(bytes, size, failure), failure);
}

struct onnx_model *onnx_model_open_file(
        const char *path, struct failure *failure)
{
    return open_source(byte_source_open(path, failure), failure);
}

const uint8_t *onnx_model_outline(const struct onnx_model *model, size_t *size)
{
    *size = model->outline_size;
    return model->outline;
}

void onnx_model_close(struct onnx_model *model)
{
    if (model == NULL) return;
    if (model->message != NULL)
        onnx__model_proto__free_unpacked(model->message, NULL);
    byte_source_release(model->source);
    free(model->outline);
    free(model);
}

/* ---- Values -------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    return strdup(text == NULL ? "" : text);
}

static bool describe_dims(struct onnx_value *to,
        const Onnx__TensorShapeProto *shape, struct failure *failure)
{
    to->dims = calloc(shape->n_dim + 1, sizeof *to->dims);
    if (to->dims == NULL) return fail_out_of_memory(failure);
    to->has_shape = true;
    for (size_t d = 0; d < shape->n_dim; d++, to->ndims++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[d];
        to->dims[d].value = onnx_declared_has_value(dim) ? dim->dim_value : -1;
        to->dims[d].symbol = copy_text(onnx_declared_symbol(dim));
        if (to->dims[d].symbol == NULL) return fail_out_of_memory(failure);
    }
    return true;
}

static bool describe_value(struct onnx_value *to,
        const Onnx__ValueInfoProto *value, struct failure *failure)
{
    const Onnx__TypeProto__Tensor *declared = onnx_declared_tensor(value);
    to->name = copy_text(value->name);
    if (to->name == NULL) return fail_out_of_memory(failure);
    if (declared == NULL) return true;
    to->type = declared->elem_type;
    if (declared->shape == NULL) return true;
    if (declared->shape->n_dim > 64)
        return fail(failure, "'%.120s' has %zu dimensions", to->name,
                declared->shape->n_dim);
    return describe_dims(to, declared->shape, failure);
}

static void value_fini(struct onnx_value *value)
{
    for (int d = 0; value->dims != NULL && d <= value->ndims; d++)
        free(value->dims[d].symbol);
    free(value->dims);
    free(value->name);
}

/* ---- Models -------------------------------------------------------------- */

static uint64_t element_bits(int32_t type)
{
    switch (type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
    case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX64:
        return 64;
    case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX128:
        return 128;
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
        return 32;
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
        return 16;
    default:
        return 8;
    }
}

/* Sizes beyond what a graph may have count as the largest that it may have. */
static void count_parameter(struct onnx_info *info, const Onnx__TensorProto *t)
{
    const uint64_t most = UINT64_C(1) << 44;
    uint64_t count = 1;
    for (size_t d = 0; d < t->n_dims && count != 0; d++) {
        const uint64_t dim = t->dims[d] > 0 ? (uint64_t)t->dims[d] : 0;
        count = dim > most / count ? most : count * dim;
    }
    info->parameter_tensors++;
    info->parameter_count += count;
    info->parameter_bytes += count * element_bits(t->data_type) / 8;
}

/* Some exporters write weights as nodes; they write shapes and axes so, too,
 * which are integers. */
static bool is_weight(const Onnx__TensorProto *t)
{
    return t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
           || t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16
           || t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16
           || t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
}

static void count_parameters(
        struct onnx_info *info, const Onnx__GraphProto *file)
{
    for (size_t i = 0; i < file->n_initializer; i++)
        count_parameter(info, file->initializer[i]);
    for (size_t i = 0; i < file->n_node; i++) {
        const Onnx__NodeProto *node = file->node[i];
        if (node->op_type == NULL || strcmp(node->op_type, "Constant") != 0)
            continue;
        for (size_t k = 0; k < node->n_attribute; k++)
            if (node->attribute[k]->t != NULL
                    && is_weight(node->attribute[k]->t))
                count_parameter(info, node->attribute[k]->t);
    }
}

/* A model that was not read yet may name an initializer twice. */
static bool name_initializers(struct name **names, const Onnx__GraphProto *file,
        struct failure *failure)
{
    for (size_t i = 0; i < file->n_initializer; i++) {
        const char *name = file->initializer[i]->name;
        if (name != NULL && names_find(*names, name) == NULL
                && !names_add(names, name, graph_none, failure))
            return false;
    }
    return true;
}

static bool describe_inputs(struct onnx_info *info,
        const Onnx__GraphProto *file, struct failure *failure)
{
    struct name *names = NULL;
    bool ok = name_initializers(&names, file, failure);
    for (size_t i = 0; ok && i < file->n_input; i++) {
        const char *name = file->input[i]->name;
        if (name != NULL && names_find(names, name) != NULL) continue;
        ok = describe_value(
                &info->inputs[info->input_count++], file->input[i], failure);
    }
    names_fini(&names);
    return ok;
}

bool onnx_model_describe(struct onnx_info *info, const struct onnx_model *model,
        struct failure *failure)
{
    const Onnx__ModelProto *message = model->message;
    const Onnx__GraphProto *file = message->graph;
    *info = (struct onnx_info){.opset = 1,
            .ir_version = message->ir_version,
            .producer = copy_text(message->producer_name)};
    if (info->producer == NULL) return fail_out_of_memory(failure);
    if (file == NULL) return fail(failure, "a model without a graph");
    for (size_t i = 0; i < message->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = message->opset_import[i];
        if (set->domain == NULL || set->domain[0] == '\0'
                || strcmp(set->domain, "ai.onnx") == 0)
            info->opset = set->version;
    }
    info->node_count = file->n_node;
    count_parameters(info, file);
    info->inputs = calloc(file->n_input + 1, sizeof *info->inputs);
    info->outputs = calloc(file->n_output + 1, sizeof *info->outputs);
    if (info->inputs == NULL || info->outputs == NULL)
        return fail_out_of_memory(failure);
    if (!describe_inputs(info, file, failure)) return false;
    for (size_t i = 0; i < file->n_output; i++)
        if (!describe_value(&info->outputs[info->output_count++],
                    file->output[i], failure))
            return false;
    return true;
}

void onnx_info_fini(struct onnx_info *info)
{
    for (int i = 0; i < info->input_count; i++)
        value_fini(&info->inputs[i]);
    for (int i = 0; i < info->output_count; i++)
        value_fini(&info->outputs[i]);
    free(info->producer);
    free(info->inputs);
    free(info->outputs);
    *info = (struct onnx_info){0};
}

void onnx_info_remove_input(struct onnx_info *info, int index)
{
    value_fini(&info->inputs[index]);
    info->input_count--;
    memmove(&info->inputs[index], &info->inputs[index + 1],
            (size_t)(info->input_count - index) * sizeof *info->inputs);
}

/* ---- Texts --------------------------------------------------------------- */

int onnx_type_number(enum graph_type type)
{
    switch (type) {
    case graph_type_f32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    case graph_type_f64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE;
    case graph_type_i32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    case graph_type_i64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    case graph_type_bool:
        return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    case graph_type_i8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case graph_type_u8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    case graph_type_i16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT16;
    case graph_type_u16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT16;
    case graph_type_u32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT32;
    }
    return ONNX__TENSOR_PROTO__DATA_TYPE__UNDEFINED;
}

const char *onnx_type_name(int type)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(
            &onnx__tensor_proto__data_type__descriptor, type);
    return known == NULL ? "UNDEFINED" : known->name;
}
