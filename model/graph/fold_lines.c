/* SPDX-License-Identifier: Apache-2.0 */
/* What weights that a file has as integers go through, a line of elements at a
 * time: millions of them, at every start. */
#include "model/graph/fold_parts.h"

#include <string.h>

/* ---- Conversions to f32 -------------------------------------------------- */

#define CONVERT(type)                       \
    do {                                    \
        const type *from = x->data;         \
        for (int64_t i = 0; i < count; i++) \
            to[i] = (float)from[i];         \
    } while (0)

bool fold_convert(const struct graph_tensor *x, struct graph_tensor *result)
{
    const int64_t count = graph_shape_count(&x->shape);
    float *to = result->data;
    if (result->type != graph_type_f32) return false;
    switch (x->type) {
    case graph_type_i8:
        CONVERT(int8_t);
        return true;
    case graph_type_u8:
        CONVERT(uint8_t);
        return true;
    case graph_type_i16:
        CONVERT(int16_t);
        return true;
    case graph_type_u16:
        CONVERT(uint16_t);
        return true;
    case graph_type_i32:
        CONVERT(int32_t);
        return true;
    case graph_type_f32:
        memcpy(to, x->data, (size_t)count * sizeof *to);
        return true;
    default:
        return false;
    }
}

/* ---- Sums and products of f32 -------------------------------------------- */

#define LINE(operation)                                    \
    do {                                                   \
        for (int64_t i = 0; i < count; i++)                \
            to[i] = a[i * a_step] operation b[i * b_step]; \
    } while (0)

/* As rounding the result in f64 once would be: f64 has more than twice the bits
 * of f32. */
static void compute_line(enum graph_op op, float *to, const float *a,
        int64_t a_step, const float *b, int64_t b_step, int64_t count)
{
    switch (op) {
    case graph_op_add:
        LINE(+);
        break;
    case graph_op_sub:
        LINE(-);
        break;
    default: /* mul */
        LINE(*);
        break;
    }
}

bool fold_lines(enum graph_op op, const struct graph_tensor *a,
        const struct graph_tensor *b, struct graph_tensor *result)
{
    int64_t place[graph_max_ndims] = {0};
    int64_t strides[2][graph_max_ndims];
    int64_t at[2] = {0, 0};
    if ((op != graph_op_add && op != graph_op_sub && op != graph_op_mul)
            || a->type != graph_type_f32 || b->type != graph_type_f32
            || result->type != graph_type_f32 || result->shape.ndims == 0)
        return false;
    struct graph_shape lines = result->shape;
    const int last = --lines.ndims;
    const int64_t length = result->shape.dims[last];
    const int64_t count = graph_shape_count(&lines);
    float *to = result->data;
    fold_broadcast_strides(&a->shape, &result->shape, strides[0]);
    fold_broadcast_strides(&b->shape, &result->shape, strides[1]);
    for (int64_t i = 0; i < count; i++) {
        compute_line(op, to + i * length, (const float *)a->data + at[0],
                strides[0][last], (const float *)b->data + at[1],
                strides[1][last], length);
        fold_next_place(&lines, place, strides, at);
    }
    return true;
}
