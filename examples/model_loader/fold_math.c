/* SPDX-License-Identifier: Apache-2.0 */
/* Constants computed from constants: integers in 64 bits that wrap around, f32
 * and f64 in f64, rounded once. */
#include "fold_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- Functions of one ---------------------------------------------------- */

static double float_function(enum graph_op op, double x)
{
    switch (op) {
    case graph_op_abs:
        return fabs(x);
    case graph_op_neg:
        return -x;
    case graph_op_sqrt:
        return sqrt(x);
    case graph_op_reciprocal:
        return 1.0 / x;
    case graph_op_floor:
        return floor(x);
    case graph_op_ceil:
        return ceil(x);
    case graph_op_round:
        return nearbyint(x);
    default: /* cast */
        return x;
    }
}

static int64_t int_function(enum graph_op op, int64_t x)
{
    /* Without overflow: the least number is its own negative. */
    int64_t negative = (int64_t)(0 - (uint64_t)x);
    if (op == graph_op_neg || (op == graph_op_abs && x < 0)) return negative;
    return x;
}

static void fold_unary(enum graph_op op, const struct graph_tensor *x,
        struct graph_tensor *result)
{
    int64_t count = graph_shape_count(&x->shape);
    for (int64_t i = 0; i < count; i++)
        if (fold_is_float(x->type))
            fold_write_float(
                    result, i, float_function(op, fold_read_float(x, i)));
        else
            fold_write_int(result, i, int_function(op, fold_read_int(x, i)));
}

/* ---- Functions of two ---------------------------------------------------- */

static double float_of_two(enum graph_op op, double a, double b)
{
    switch (op) {
    case graph_op_add:
        return a + b;
    case graph_op_sub:
        return a - b;
    case graph_op_mul:
        return a * b;
    case graph_op_div:
        return a / b;
    case graph_op_pow:
        return pow(a, b);
    case graph_op_max:
        return a > b || isnan(a) ? a : b;
    default: /* min */
        return a < b || isnan(a) ? a : b;
    }
}

/* a to a power that is not negative, wrapped around. */
static uint64_t power(uint64_t a, uint64_t b)
{
    uint64_t result = 1;
    for (; b != 0; b >>= 1) {
        if ((b & 1) != 0) result *= a;
        a *= a;
    }
    return result;
}

static int64_t int_power(int64_t a, int64_t b)
{
    if (b >= 0) return (int64_t)power((uint64_t)a, (uint64_t)b);
    return fold_to_int(pow((double)a, (double)b));
}

static bool int_of_two(enum graph_op op, int64_t a, int64_t b, int64_t *result)
{
    uint64_t u = (uint64_t)a;
    uint64_t v = (uint64_t)b;
    switch (op) {
    case graph_op_add:
        *result = (int64_t)(u + v);
        return true;
    case graph_op_sub:
        *result = (int64_t)(u - v);
        return true;
    case graph_op_mul:
        *result = (int64_t)(u * v);
        return true;
    case graph_op_div:
        if (b == 0) return false;
        *result = b == -1 ? (int64_t)(0 - u) : a / b;
        return true;
    case graph_op_pow:
        *result = int_power(a, b);
        return true;
    case graph_op_max:
        *result = a > b ? a : b;
        return true;
    default: /* min */
        *result = a < b ? a : b;
        return true;
    }
}

/* Goes to the next place of a shape, and with it to where the two inputs have
 * their elements. */
static void next_place(const struct graph_shape *shape,
        int64_t place[graph_max_ndims], int64_t strides[2][graph_max_ndims],
        int64_t at[2])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        bool carry = ++place[d] == shape->dims[d];
        for (int k = 0; k < 2; k++)
            at[k] += carry ? -(shape->dims[d] - 1) * strides[k][d]
                           : strides[k][d];
        if (!carry) return;
        place[d] = 0;
    }
}

static bool fold_binary(const struct graph_node *node,
        const struct graph_tensor *a, const struct graph_tensor *b,
        struct graph_tensor *result, struct failure *failure)
{
    int64_t place[graph_max_ndims] = {0};
    int64_t strides[2][graph_max_ndims];
    int64_t at[2] = {0, 0};
    int64_t count = graph_shape_count(&result->shape);
    fold_broadcast_strides(&a->shape, &result->shape, strides[0]);
    fold_broadcast_strides(&b->shape, &result->shape, strides[1]);
    for (int64_t i = 0; i < count; i++) {
        int64_t number = 0;
        if (fold_is_float(result->type))
            fold_write_float(result, i,
                    float_of_two(node->op, fold_read_float(a, at[0]),
                            fold_read_float(b, at[1])));
        else if (int_of_two(node->op, fold_read_int(a, at[0]),
                         fold_read_int(b, at[1]), &number))
            fold_write_int(result, i, number);
        else
            return fail(failure, "%s: division by 0", node->label);
        next_place(&result->shape, place, strides, at);
    }
    return true;
}

/* ---- Reductions ---------------------------------------------------------- */

/* The function of two that a reduction repeats. */
static enum graph_op step_of(enum graph_op op)
{
    switch (op) {
    case graph_op_reduce_max:
        return graph_op_max;
    case graph_op_reduce_min:
        return graph_op_min;
    case graph_op_reduce_prod:
        return graph_op_mul;
    default:
        return graph_op_add;
    }
}

static void reduce_one(enum graph_op step, const struct graph_tensor *x,
        int64_t from, struct graph_tensor *result, int64_t to, bool first)
{
    if (fold_is_float(x->type)) {
        double value = fold_read_float(x, from);
        if (!first)
            value = float_of_two(step, fold_read_float(result, to), value);
        fold_write_float(result, to, value);
    } else {
        int64_t value = fold_read_int(x, from);
        if (!first)
            (void)int_of_two(step, fold_read_int(result, to), value, &value);
        fold_write_int(result, to, value);
    }
}

/* Elements in their order; the first that reaches a result begins it. */
static void reduce_all(enum graph_op step, const struct graph_tensor *x,
        struct graph_tensor *result)
{
    int64_t place[graph_max_ndims] = {0};
    int64_t strides[2][graph_max_ndims];
    int64_t at[2] = {0, 0};
    int64_t count = graph_shape_count(&x->shape);
    fold_strides(&x->shape, strides[0]);
    fold_broadcast_strides(&result->shape, &x->shape, strides[1]);
    for (int64_t i = 0; i < count; i++) {
        bool first = true;
        for (int d = 0; d < x->shape.ndims; d++)
            first = first && (strides[1][d] != 0 || place[d] == 0);
        reduce_one(step, x, at[0], result, at[1], first);
        next_place(&x->shape, place, strides, at);
    }
}

/* Sums of f32 are f64 until they are complete. */
static bool fold_reduction(const struct graph_node *node,
        const struct graph_tensor *x, struct graph_tensor *result,
        struct failure *failure)
{
    struct graph_tensor wide = *result;
    if (graph_shape_count(&x->shape) == 0
            && graph_shape_count(&result->shape) != 0)
        return fail(failure, "%s: nothing to reduce", node->label);
    if (result->type != graph_type_f32) {
        reduce_all(step_of(node->op), x, result);
        return true;
    }
    wide.type = graph_type_f64;
    wide.data = malloc(graph_tensor_size(&wide) + 1);
    if (wide.data == NULL) return fail_out_of_memory(failure);
    reduce_all(step_of(node->op), x, &wide);
    fold_unary(graph_op_cast, &wide, result);
    free(wide.data);
    return true;
}

/* ---- All of them --------------------------------------------------------- */

enum kind { kind_none, kind_unary, kind_binary, kind_reduction };

static enum kind kind_of(enum graph_op op)
{
    switch (op) {
    case graph_op_abs:
    case graph_op_neg:
    case graph_op_sqrt:
    case graph_op_reciprocal:
    case graph_op_floor:
    case graph_op_ceil:
    case graph_op_round:
    case graph_op_cast:
        return kind_unary;
    case graph_op_add:
    case graph_op_sub:
    case graph_op_mul:
    case graph_op_div:
    case graph_op_pow:
    case graph_op_max:
    case graph_op_min:
        return kind_binary;
    case graph_op_reduce_sum:
    case graph_op_reduce_max:
    case graph_op_reduce_min:
    case graph_op_reduce_prod:
        return kind_reduction;
    default:
        return kind_none;
    }
}

bool fold_is_math(enum graph_op op)
{
    return kind_of(op) != kind_none;
}

bool fold_math(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure)
{
    const struct graph_tensor *x = &graph->tensors[node->inputs[0]];
    switch (kind_of(node->op)) {
    case kind_unary:
        fold_unary(node->op, x, result);
        return true;
    case kind_binary:
        return fold_binary(
                node, x, &graph->tensors[node->inputs[1]], result, failure);
    default:
        return fold_reduction(node, x, result, failure);
    }
}
