/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_declared.h"
#include "onnx_tensor.h"

#include <stdio.h>

/* NULL if it is said to be no tensor, or nothing is said. */
static const Onnx__TypeProto__Tensor *tensor_type(
        const Onnx__ValueInfoProto *value)
{
    const Onnx__TypeProto *type = value->type;
    return type != NULL
                           && type->value_case
                                      == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
                   ? type->tensor_type
                   : NULL;
}

static bool has_value(const Onnx__TensorShapeProto__Dimension *dim)
{
    return dim->value_case
           == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
}

bool onnx_declared_half(const Onnx__ValueInfoProto *value)
{
    const Onnx__TypeProto__Tensor *declared = tensor_type(value);
    return declared != NULL
           && declared->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
}

bool onnx_declared_input(const Onnx__ValueInfoProto *value,
        enum graph_type *type, struct graph_shape *shape,
        struct failure *failure)
{
    char what[160];
    char text[graph_shape_text_size];
    const Onnx__TypeProto__Tensor *declared = tensor_type(value);
    (void)snprintf(what, sizeof what, "input '%.120s'", value->name);
    if (declared == NULL || declared->shape == NULL)
        return fail(failure, "%s is no tensor with dimensions", what);
    if (!onnx_tensor_type(type, declared->elem_type, what, failure))
        return false;
    if (declared->shape->n_dim > graph_max_ndims)
        return fail(failure, "%s has %zu dimensions, more than %d", what,
                declared->shape->n_dim, (int)graph_max_ndims);
    *shape = (struct graph_shape){.ndims = (int)declared->shape->n_dim};
    for (int d = 0; d < shape->ndims; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = declared->shape->dim[d];
        shape->dims[d] = has_value(dim) ? dim->dim_value : 1;
    }
    graph_shape_text(text, shape);
    return graph_shape_fits(shape, 1)
           || fail(failure, "%s: no input may have dimensions %s", what, text);
}

bool onnx_declared_check(const Onnx__ValueInfoProto *value,
        const struct graph_tensor *tensor, struct failure *failure)
{
    char what[160];
    char text[graph_shape_text_size];
    enum graph_type type;
    const Onnx__TypeProto__Tensor *declared = tensor_type(value);
    (void)snprintf(what, sizeof what, "'%.120s'", value->name);
    if (declared == NULL) return true;
    if (declared->elem_type != 0
            && (!onnx_tensor_type(&type, declared->elem_type, what, failure)
                    || (type != tensor->type
                            && !fail(failure, "%s is of type %s, not %s", what,
                                    graph_type_name(tensor->type),
                                    graph_type_name(type)))))
        return false;
    if (declared->shape == NULL) return true;
    bool same = declared->shape->n_dim == (size_t)tensor->shape.ndims;
    for (int d = 0; same && d < tensor->shape.ndims; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = declared->shape->dim[d];
        same = !has_value(dim) || dim->dim_value == tensor->shape.dims[d];
    }
    graph_shape_text(text, &tensor->shape);
    return same
           || fail(failure,
                   "%s has dimensions %s, which is not what the file says",
                   what, text);
}
