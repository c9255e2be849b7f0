/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of any type, as the widest integer or number. */
#include "model/graph/fold_parts.h"

#include <math.h>

bool fold_is_float(enum graph_type type)
{
    return graph_type_is_float(type);
}

int64_t fold_to_int(double value)
{
    if (isnan(value)) return 0;
    if (value >= 0x1p63) return INT64_MAX;
    if (value < -0x1p63) return INT64_MIN;
    return (int64_t)value;
}

int64_t fold_read_int(const struct graph_tensor *tensor, int64_t at)
{
    switch (tensor->type) {
    case graph_type_i32:
        return ((const int32_t *)tensor->data)[at];
    case graph_type_i64:
        return ((const int64_t *)tensor->data)[at];
    case graph_type_bool:
    case graph_type_u8:
        return ((const uint8_t *)tensor->data)[at];
    case graph_type_i8:
        return ((const int8_t *)tensor->data)[at];
    case graph_type_i16:
        return ((const int16_t *)tensor->data)[at];
    case graph_type_u16:
        return ((const uint16_t *)tensor->data)[at];
    case graph_type_u32:
        return ((const uint32_t *)tensor->data)[at];
    default:
        return fold_to_int(fold_read_float(tensor, at));
    }
}

double fold_read_float(const struct graph_tensor *tensor, int64_t at)
{
    switch (tensor->type) {
    case graph_type_f32:
        return (double)((const float *)tensor->data)[at];
    case graph_type_f64:
        return ((const double *)tensor->data)[at];
    default:
        return (double)fold_read_int(tensor, at);
    }
}

void fold_write_int(struct graph_tensor *tensor, int64_t at, int64_t value)
{
    switch (tensor->type) {
    case graph_type_i32: /* two's complement, as ONNX's casts are */
    case graph_type_u32:
        ((uint32_t *)tensor->data)[at] = (uint32_t)value;
        break;
    case graph_type_i64:
        ((int64_t *)tensor->data)[at] = value;
        break;
    case graph_type_bool:
        ((uint8_t *)tensor->data)[at] = value != 0;
        break;
    case graph_type_i8:
    case graph_type_u8:
        ((uint8_t *)tensor->data)[at] = (uint8_t)value;
        break;
    case graph_type_i16:
    case graph_type_u16:
        ((uint16_t *)tensor->data)[at] = (uint16_t)value;
        break;
    default:
        fold_write_float(tensor, at, (double)value);
        break;
    }
}

void fold_write_float(struct graph_tensor *tensor, int64_t at, double value)
{
    if (tensor->type == graph_type_f32)
        ((float *)tensor->data)[at] = (float)value;
    else if (tensor->type == graph_type_f64)
        ((double *)tensor->data)[at] = value;
    else if (tensor->type == graph_type_bool)
        ((uint8_t *)tensor->data)[at] = value != 0.0;
    else
        fold_write_int(tensor, at, fold_to_int(value));
}
