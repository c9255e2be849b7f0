/* SPDX-License-Identifier: Apache-2.0 */
/* Constants computed from constants: integers in 64 bits, f32 and f64 in f64,
 * rounded once. Integers are the shapes of what follows: one that does not fit
 * is refused, not wrapped around. */
#include "model/graph/fold_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "a number beyond 64 bits";

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
    case graph_op_sign:
        return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case graph_op_is_nan:
        return isnan(x);
    default: /* cast */
        return x;
    }
}

/* NULL, or why there is no such integer. */
static const char *int_function(enum graph_op op, int64_t x, int64_t *result)
{
    *result = x;
    if (op == graph_op_not) *result = !x;
    if (op == graph_op_bit_not) *result = ~x;
    if (op == graph_op_sign) *result = (x > 0) - (x < 0);
    if (op == graph_op_neg || (op == graph_op_abs && x < 0))
        return __builtin_sub_overflow(0, x, result) ? too_large : NULL;
    return NULL;
}

static const char *fold_unary(enum graph_op op, const struct graph_tensor *x,
        struct graph_tensor *result)
{
    int64_t count = graph_shape_count(&x->shape);
    const char *why = NULL;
    if (op == graph_op_cast && fold_convert(x, result)) return NULL;
    for (int64_t i = 0; i < count && why == NULL; i++) {
        int64_t number = 0;
        if (fold_is_float(x->type)) {
            fold_write_float(
                    result, i, float_function(op, fold_read_float(x, i)));
        } else {
            why = int_function(op, fold_read_int(x, i), &number);
            fold_write_int(result, i, number);
        }
    }
    return why;
}

/* ---- Functions of two ---------------------------------------------------- */

static double float_of_two(enum graph_op op, double a, double b)
{
    switch (op) {
    case graph_op_equal:
        return a == b;
    case graph_op_less:
        return a < b;
    case graph_op_less_or_equal:
        return a <= b;
    case graph_op_greater:
        return a > b;
    case graph_op_greater_or_equal:
        return a >= b;
    case graph_op_mod:
        return a - b * floor(a / b);
    case graph_op_fmod:
        return fmod(a, b);
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

/* False if it does not fit. */
static bool int_power(int64_t a, int64_t b, int64_t *result)
{
    *result = 1;
    if (b < 0) {
        *result = fold_to_int(pow((double)a, (double)b));
        return true;
    }
    for (bool fits = true; b != 0; b >>= 1) {
        if ((b & 1) != 0
                && (!fits || __builtin_mul_overflow(*result, a, result)))
            return false;
        /* The last square is not needed. */
        fits = fits && !__builtin_mul_overflow(a, a, &a);
    }
    return true;
}

/* Those that always fit. */
static int64_t int_logic(enum graph_op op, int64_t a, int64_t b)
{
    switch (op) {
    case graph_op_equal:
        return a == b;
    case graph_op_less:
        return a < b;
    case graph_op_less_or_equal:
        return a <= b;
    case graph_op_greater:
        return a > b;
    case graph_op_greater_or_equal:
        return a >= b;
    case graph_op_and:
    case graph_op_bit_and:
        return a & b;
    case graph_op_or:
    case graph_op_bit_or:
        return a | b;
    case graph_op_max:
        return a > b ? a : b;
    case graph_op_min:
        return a < b ? a : b;
    case graph_op_fmod:
        return b == -1 ? 0 : a % b;
    case graph_op_mod: {
        const int64_t rest = b == -1 ? 0 : a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    default: /* xor */
        return a ^ b;
    }
}

static bool int_fits(enum graph_op op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case graph_op_add:
        return !__builtin_add_overflow(a, b, result);
    case graph_op_sub:
        return !__builtin_sub_overflow(a, b, result);
    case graph_op_mul:
        return !__builtin_mul_overflow(a, b, result);
    case graph_op_div:
        if (b == -1) return !__builtin_sub_overflow(0, a, result);
        *result = a / b;
        return true;
    case graph_op_pow:
        return int_power(a, b, result);
    default:
        *result = int_logic(op, a, b);
        return true;
    }
}

/* NULL, or why there is no such integer. */
static const char *int_of_two(
        enum graph_op op, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0
            && (op == graph_op_div || op == graph_op_mod
                    || op == graph_op_fmod))
        return "division by 0";
    return int_fits(op, a, b, result) ? NULL : too_large;
}

void fold_next_place(const struct graph_shape *shape,
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
    if (fold_lines(node->op, a, b, result)) return true;
    fold_broadcast_strides(&a->shape, &result->shape, strides[0]);
    fold_broadcast_strides(&b->shape, &result->shape, strides[1]);
    for (int64_t i = 0; i < count; i++) {
        int64_t number = 0;
        const char *why = NULL;
        if (fold_is_float(a->type))
            fold_write_float(result, i,
                    float_of_two(node->op, fold_read_float(a, at[0]),
                            fold_read_float(b, at[1])));
        else
            why = int_of_two(node->op, fold_read_int(a, at[0]),
                    fold_read_int(b, at[1]), &number);
        if (why != NULL) return fail(failure, "%s: %s", node->label, why);
        if (!fold_is_float(a->type)) fold_write_int(result, i, number);
        fold_next_place(&result->shape, place, strides, at);
    }
    return true;
}

/* ---- Where --------------------------------------------------------------- */

static void fold_where(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result)
{
    const struct graph_tensor *inputs[3];
    int64_t place[graph_max_ndims] = {0};
    int64_t strides[2][graph_max_ndims];
    int64_t condition[graph_max_ndims];
    int64_t at[2] = {0, 0};
    const int64_t count = graph_shape_count(&result->shape);
    const size_t size = graph_type_size(result->type);
    for (int i = 0; i < 3; i++)
        inputs[i] = &graph->tensors[node->inputs[i]];
    fold_broadcast_strides(&inputs[0]->shape, &result->shape, condition);
    fold_broadcast_strides(&inputs[1]->shape, &result->shape, strides[0]);
    fold_broadcast_strides(&inputs[2]->shape, &result->shape, strides[1]);
    for (int64_t i = 0; i < count; i++) {
        int64_t where = 0;
        for (int d = 0; d < result->shape.ndims; d++)
            where += place[d] * condition[d];
        const int from = fold_read_int(inputs[0], where) != 0 ? 0 : 1;
        memcpy((uint8_t *)result->data + (size_t)i * size,
                (const uint8_t *)inputs[1 + from]->data
                        + (size_t)at[from] * size,
                size);
        fold_next_place(&result->shape, place, strides, at);
    }
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

static const char *reduce_one(enum graph_op step, const struct graph_tensor *x,
        int64_t from, struct graph_tensor *result, int64_t to, bool first)
{
    const char *why = NULL;
    if (fold_is_float(x->type)) {
        double value = fold_read_float(x, from);
        if (!first)
            value = float_of_two(step, fold_read_float(result, to), value);
        fold_write_float(result, to, value);
    } else {
        int64_t value = fold_read_int(x, from);
        if (!first)
            why = int_of_two(step, fold_read_int(result, to), value, &value);
        fold_write_int(result, to, value);
    }
    return why;
}

/* Elements in their order; the first that reaches a result begins it. */
static const char *reduce_all(enum graph_op step, const struct graph_tensor *x,
        struct graph_tensor *result)
{
    const char *why = NULL;
    int64_t place[graph_max_ndims] = {0};
    int64_t strides[2][graph_max_ndims];
    int64_t at[2] = {0, 0};
    int64_t count = graph_shape_count(&x->shape);
    fold_strides(&x->shape, strides[0]);
    fold_broadcast_strides(&result->shape, &x->shape, strides[1]);
    for (int64_t i = 0; i < count && why == NULL; i++) {
        bool first = true;
        for (int d = 0; d < x->shape.ndims; d++)
            first = first && (strides[1][d] != 0 || place[d] == 0);
        why = reduce_one(step, x, at[0], result, at[1], first);
        fold_next_place(&x->shape, place, strides, at);
    }
    return why;
}

/* Sums of f32 are f64 until they are complete. */
static bool fold_reduction(const struct graph_node *node,
        const struct graph_tensor *x, struct graph_tensor *result,
        struct failure *failure)
{
    struct graph_tensor wide = *result;
    if (graph_shape_count(&x->shape) == 0)
        return fail(failure, "%s: nothing to reduce", node->label);
    if (result->type != graph_type_f32) {
        const char *why = reduce_all(step_of(node->op), x, result);
        return why == NULL || fail(failure, "%s: %s", node->label, why);
    }
    wide.type = graph_type_f64;
    wide.data = malloc(graph_tensor_size(&wide) + 1);
    if (wide.data == NULL) return fail_out_of_memory(failure);
    (void)reduce_all(step_of(node->op), x, &wide);
    (void)fold_unary(graph_op_cast, &wide, result);
    free(wide.data);
    return true;
}

/* ---- All of them --------------------------------------------------------- */

enum kind { kind_none, kind_unary, kind_binary, kind_where, kind_reduction };

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
    case graph_op_sign:
    case graph_op_not:
    case graph_op_bit_not:
    case graph_op_is_nan:
    case graph_op_cast:
        return kind_unary;
    case graph_op_where:
        return kind_where;
    case graph_op_add:
    case graph_op_sub:
    case graph_op_mul:
    case graph_op_div:
    case graph_op_pow:
    case graph_op_max:
    case graph_op_min:
    case graph_op_mod:
    case graph_op_fmod:
    case graph_op_equal:
    case graph_op_less:
    case graph_op_less_or_equal:
    case graph_op_greater:
    case graph_op_greater_or_equal:
    case graph_op_and:
    case graph_op_or:
    case graph_op_xor:
    case graph_op_bit_and:
    case graph_op_bit_or:
    case graph_op_bit_xor:
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
    const char *why;
    switch (kind_of(node->op)) {
    case kind_unary:
        why = fold_unary(node->op, x, result);
        return why == NULL || fail(failure, "%s: %s", node->label, why);
    case kind_binary:
        return fold_binary(
                node, x, &graph->tensors[node->inputs[1]], result, failure);
    case kind_where:
        fold_where(graph, node, result);
        return true;
    default:
        return fold_reduction(node, x, result, failure);
    }
}
