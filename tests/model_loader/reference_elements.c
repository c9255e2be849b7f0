/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element and of two. */
#include "reference_nodes.h"

#include <math.h>

/* ---- Of one -------------------------------------------------------------- */

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static double activation(const struct graph_node *node, double x)
{
    double alpha = (double)node->u.eltwise.alpha;
    double beta = (double)node->u.eltwise.beta;
    switch (node->op) {
    case graph_op_relu:
        return x > 0 || isnan(x) ? x : 0.0;
    case graph_op_leaky_relu:
        return x < 0 ? alpha * x : x;
    case graph_op_elu:
        return x < 0 ? alpha * expm1(x) : x;
    case graph_op_selu:
        return beta * (x < 0 ? alpha * expm1(x) : x);
    case graph_op_celu:
        return x < 0 ? alpha * expm1(x / alpha) : x;
    case graph_op_sigmoid:
        return 1.0 / (1.0 + exp(-x));
    case graph_op_hard_sigmoid:
        return clamp(alpha * x + beta, 0.0, 1.0);
    case graph_op_hard_swish:
        return x * clamp(x / 6.0 + 0.5, 0.0, 1.0);
    case graph_op_softplus:
        return softplus(x);
    case graph_op_softsign:
        return x / (1.0 + fabs(x));
    case graph_op_thresholded_relu:
        return x > alpha ? x : 0.0;
    case graph_op_shrink:
        return x < -alpha ? x + beta : x > alpha ? x - beta : 0.0;
    case graph_op_is_inf:
        return isinf(x) && (x > 0 ? alpha : beta) != 0.0;
    case graph_op_mish:
        return x * tanh(softplus(x));
    case graph_op_saturate:
        return isnan(x) ? 0.0 : clamp(x, alpha, beta);
    default: /* clip */
        return x < alpha ? alpha : x > beta ? beta : x;
    }
}

static double trigonometric(const struct graph_node *node, double x)
{
    switch (node->op) {
    case graph_op_sin:
        return sin(x);
    case graph_op_cos:
        return cos(x);
    case graph_op_tan:
        return tan(x);
    case graph_op_asin:
        return asin(x);
    case graph_op_acos:
        return acos(x);
    case graph_op_atan:
        return atan(x);
    case graph_op_sinh:
        return sinh(x);
    case graph_op_cosh:
        return cosh(x);
    case graph_op_asinh:
        return asinh(x);
    case graph_op_acosh:
        return acosh(x);
    case graph_op_atanh:
        return atanh(x);
    default:
        return activation(node, x);
    }
}

static double function(const struct graph_node *node, double x)
{
    switch (node->op) {
    case graph_op_tanh:
        return tanh(x);
    case graph_op_abs:
        return fabs(x);
    case graph_op_neg:
        return -x;
    case graph_op_exp:
        return exp(x);
    case graph_op_log:
        return log(x);
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
    case graph_op_erf:
        return erf(x);
    case graph_op_sign:
        return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
    case graph_op_is_nan:
        return isnan(x);
    case graph_op_not:
        return x == 0.0;
    case graph_op_bit_not:
        return -x - 1.0;
    default:
        return trigonometric(node, x);
    }
}

/* What a function's last steps may have as their largest number, if that is
 * not the result: e^x near 1 less 1, and the like. */
static double step_magnitude(const struct graph_node *node, double x)
{
    double alpha = fabs((double)node->u.eltwise.alpha);
    double beta = fabs((double)node->u.eltwise.beta);
    switch (node->op) {
    case graph_op_elu:
    case graph_op_celu:
        return x < 0 ? alpha : 0.0;
    case graph_op_selu:
        return x < 0 ? alpha * beta : 0.0;
    case graph_op_hard_sigmoid:
        return alpha * fabs(x) + beta;
    case graph_op_softplus:
    case graph_op_tanh:
    case graph_op_erf:
    case graph_op_log:
    case graph_op_sin:
    case graph_op_cos:
    case graph_op_asin:
    case graph_op_acos:
    case graph_op_atan:
    case graph_op_asinh:
    case graph_op_acosh:
    case graph_op_atanh:
        return 1.0;
    case graph_op_shrink:
        return fabs(x) + beta;
    case graph_op_hard_swish:
    case graph_op_mish:
        return fabs(x);
    default:
        return 0.0;
    }
}

/* Functions that only choose or change a sign have nothing to round. */
static bool is_exact(enum graph_op op)
{
    return op == graph_op_relu || op == graph_op_clip || op == graph_op_saturate
           || op == graph_op_abs || op == graph_op_neg || op == graph_op_floor
           || op == graph_op_ceil || op == graph_op_round
           || op == graph_op_thresholded_relu || op == graph_op_sign
           || (op >= graph_op_is_nan && op <= graph_op_bit_not);
}

void reference_unary(const struct reference_call *call)
{
    const struct graph_node *node = call->node;
    int64_t count = graph_shape_count(&call->output->tensor->shape);
    bool exact = is_exact(node->op);
    for (int64_t i = 0; i < count; i++) {
        double x = reference_value_at(call->inputs[0], i);
        double off = reference_tolerance_at(call->inputs[0], i);
        double y =
                reference_wrap(call->output->tensor->type, function(node, x));
        double tolerance = 0.0;
        if (!exact) {
            off += 2 * REFERENCE_EPS * fabs(x);
            tolerance =
                    32 * REFERENCE_EPS * fmax(fabs(y), step_magnitude(node, x));
        }
        if (off > 0.0)
            tolerance += fmax(fabs(function(node, x + off) - y),
                    fabs(function(node, x - off) - y));
        call->output->values[i] = y;
        /* NaN beside the domain's edge: whatever it is, it is no number. */
        call->output->tolerances[i] = isnan(tolerance) ? INFINITY : tolerance;
    }
}

void reference_cast(const struct reference_call *call)
{
    enum graph_type type = call->output->tensor->type;
    int64_t count = graph_shape_count(&call->output->tensor->shape);
    for (int64_t i = 0; i < count; i++) {
        double x = reference_value_at(call->inputs[0], i);
        double y = x;
        if (type == graph_type_f32)
            y = (double)(float)x;
        else if (type == graph_type_bool)
            y = x != 0.0;
        else if (type != graph_type_f64)
            y = reference_wrap(type, trunc(x));
        call->output->values[i] = y;
        call->output->tolerances[i] =
                reference_tolerance_at(call->inputs[0], i);
    }
}

/* ---- Of two -------------------------------------------------------------- */

static bool is_integer(enum graph_type type)
{
    return !graph_type_is_float(type);
}

double reference_wrap(enum graph_type type, double value)
{
    if (graph_type_is_float(type) || type == graph_type_bool
            || type == graph_type_i64)
        return value;
    const double range = ldexp(1.0, 8 * (int)graph_type_size(type));
    double rest = fmod(value, range);
    if (rest < 0) rest += range;
    return !graph_type_is_unsigned(type) && rest >= range / 2 ? rest - range
                                                              : rest;
}

/* Of bits; the numbers are integers that a double holds. */
static double of_bits(enum graph_op op, double a, double b)
{
    const int64_t x = (int64_t)a;
    const int64_t y = (int64_t)b;
    switch (op) {
    case graph_op_and:
    case graph_op_bit_and:
        return (double)(x & y);
    case graph_op_or:
    case graph_op_bit_or:
        return (double)(x | y);
    case graph_op_shift_left:
        return ldexp(a, (int)y);
    case graph_op_shift_right:
        return floor(ldexp(a, (int)-y));
    default:
        return (double)(x ^ y);
    }
}

static double of_two(enum graph_op op, double a, double b, bool integers)
{
    switch (op) {
    case graph_op_mod:
        return a - b * floor(a / b);
    case graph_op_fmod:
        return fmod(a, b);
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
    case graph_op_add:
        return a + b;
    case graph_op_sub:
        return a - b;
    case graph_op_mul:
        return a * b;
    case graph_op_div:
        return integers ? trunc(a / b) : a / b;
    case graph_op_pow:
        return pow(a, b);
    case graph_op_max:
        return a > b || isnan(a) ? a : b;
    case graph_op_min:
        return a < b || isnan(a) ? a : b;
    default:
        return of_bits(op, a, b);
    }
}

/* How much the function changes at the corners of what its inputs may be. */
static double spread(enum graph_op op, double a, double a_off, double b,
        double b_off, double y)
{
    double most = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        double x = a + (corner & 1 ? a_off : -a_off);
        double z = b + (corner & 2 ? b_off : -b_off);
        double difference = fabs(of_two(op, x, z, false) - y);
        if (!(difference <= most)) most = difference;
    }
    return most;
}

static double tolerance_of_two(enum graph_op op, double a, double a_off,
        double b, double b_off, double y)
{
    double own = 3.0;
    if (op == graph_op_max || op == graph_op_min || op >= graph_op_equal)
        own = 0.0;
    if (op == graph_op_pow) {
        /* By logarithm and exponential, whose error grows with the result's. */
        own = 32.0;
        if (a > 0.0) own += 4.0 * fabs(b * log(a));
    }
    double tolerance = own * REFERENCE_EPS * fabs(y);
    if (a_off > 0.0 || b_off > 0.0)
        tolerance += spread(op, a, a_off, b, b_off, y);
    return isnan(tolerance) ? INFINITY : tolerance;
}

void reference_binary_node(const struct reference_call *call)
{
    enum graph_op op = call->node->op;
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct reference_slot *a = call->inputs[0];
    const struct reference_slot *b = call->inputs[1];
    bool integers = is_integer(a->tensor->type);
    int64_t a_strides[graph_max_ndims];
    int64_t b_strides[graph_max_ndims];
    reference_broadcast(&a->tensor->shape, out, a_strides);
    reference_broadcast(&b->tensor->shape, out, b_strides);
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        int64_t at_a = reference_locate(out, place, a_strides);
        int64_t at_b = reference_locate(out, place, b_strides);
        double x = reference_value_at(a, at_a);
        double y = reference_value_at(b, at_b);
        double result = of_two(op, x, y, integers);
        call->output->values[i] =
                reference_wrap(call->output->tensor->type, result);
        if (!integers)
            call->output->tolerances[i] =
                    tolerance_of_two(op, x, reference_tolerance_at(a, at_a), y,
                            reference_tolerance_at(b, at_b), result);
    }
}

void reference_prelu_node(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct reference_slot *slopes = call->inputs[1];
    int64_t strides[graph_max_ndims];
    reference_broadcast(&slopes->tensor->shape, out, strides);
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        int64_t at = reference_locate(out, place, strides);
        double x = reference_value_at(call->inputs[0], i);
        double off = reference_tolerance_at(call->inputs[0], i);
        double slope = reference_value_at(slopes, at);
        double slope_off = reference_tolerance_at(slopes, at);
        call->output->values[i] = x < 0 ? slope * x : x;
        call->output->tolerances[i] =
                off * fmax(1.0, fabs(slope) + slope_off)
                + (x < 0 ? fabs(x)
                                        * (slope_off
                                                + 2 * REFERENCE_EPS
                                                          * fabs(slope))
                         : 0.0);
    }
}

/* ---- Of three ------------------------------------------------------------ */

void reference_where(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t strides[3][graph_max_ndims];
    for (int k = 0; k < 3; k++)
        reference_broadcast(&call->inputs[k]->tensor->shape, out, strides[k]);
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        const int64_t condition = reference_locate(out, place, strides[0]);
        const int k =
                reference_value_at(call->inputs[0], condition) != 0.0 ? 1 : 2;
        const int64_t at = reference_locate(out, place, strides[k]);
        call->output->values[i] = reference_value_at(call->inputs[k], at);
        call->output->tolerances[i] =
                reference_tolerance_at(call->inputs[k], at);
    }
}
