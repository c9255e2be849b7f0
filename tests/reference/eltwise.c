/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double clamp(double s, double least, double most)
{
    return s < least ? least : s > most ? most : s;
}

static double soft_plus(double s)
{
    return fmax(s, 0.0) + log1p(exp(-fabs(s)));
}

double reference_function(dnnl_alg_kind_t alg, double s, double a, double b)
{
    const double pi = 3.14159265358979323846;
    switch (alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd:
        return s > 0.0 ? s : a * s;
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd:
        return tanh(s);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return s > 0.0 ? s : a * expm1(s);
    case dnnl_eltwise_square:
        return s * s;
    case dnnl_eltwise_abs:
        return fabs(s);
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd:
        return sqrt(s);
    case dnnl_eltwise_linear:
        return a * s + b;
    case dnnl_eltwise_soft_relu:
        return soft_plus(a * s) / a;
    case dnnl_eltwise_hardsigmoid:
        return clamp(a * s + b, 0.0, 1.0);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd:
        return 1.0 / (1.0 + exp(-s));
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd:
        return exp(s);
    case dnnl_eltwise_gelu_tanh:
        return 0.5 * s
               * (1.0 + tanh(sqrt(2.0 / pi) * s * (1.0 + 0.044715 * s * s)));
    case dnnl_eltwise_gelu_erf:
        return 0.5 * s * (1.0 + erf(s / sqrt(2.0)));
    case dnnl_eltwise_swish:
        return s / (1.0 + exp(-a * s));
    case dnnl_eltwise_log:
        return log(s);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
        return clamp(s, a, b);
    case dnnl_eltwise_pow:
        return a * pow(s, b);
    case dnnl_eltwise_round:
        return nearbyint(s);
    case dnnl_eltwise_mish:
        return s * tanh(soft_plus(s));
    case dnnl_eltwise_hardswish:
        return s * clamp(a * s + b, 0.0, 1.0);
    default:
        return NAN;
    }
}

/* The largest number that the last steps of the function round. */
static double magnitude(
        dnnl_alg_kind_t alg, double s, double a, double b, double result)
{
    switch (alg) {
    case dnnl_eltwise_linear:
    case dnnl_eltwise_hardsigmoid:
        return fabs(a * s) + fabs(b);
    case dnnl_eltwise_hardswish:
        return fabs(s) * (fabs(a * s) + fabs(b));
    case dnnl_eltwise_gelu_tanh: /* 1 + (nearly -1), times s */
    case dnnl_eltwise_gelu_erf:
        return fabs(s);
    default:
        return fabs(result);
    }
}

static double change(double from, double to)
{
    double difference = fabs(to - from);
    return isnan(difference) ? 0.0 : difference;
}

struct reference_value reference_eltwise(
        dnnl_alg_kind_t alg, struct reference_value s, float alpha, float beta)
{
    const double eps = (double)FLT_EPSILON;
    double a = (double)alpha;
    double b = (double)beta;
    struct reference_value v;
    v.value = reference_function(alg, s.value, a, b);
    /* Steps inside the function round, too: as if the input were inexact. An
     * exact input of a function without such steps stays exact. */
    bool has_steps = alg != dnnl_eltwise_round && alg != dnnl_eltwise_relu
                     && alg != dnnl_eltwise_abs && alg != dnnl_eltwise_clip
                     && alg != dnnl_eltwise_clip_v2
                     && alg != dnnl_eltwise_relu_use_dst_for_bwd
                     && alg != dnnl_eltwise_clip_v2_use_dst_for_bwd;
    double reach = s.tolerance + (has_steps ? 4.0 * eps * fabs(s.value) : 0.0);
    double up = reference_function(alg, s.value + reach, a, b);
    double down = reference_function(alg, s.value - reach, a, b);
    v.tolerance = fmax(change(v.value, up), change(v.value, down))
                  + 32.0 * eps * magnitude(alg, s.value, a, b, v.value);
    /* Steps may take a number below the normal range for 0 and multiply. */
    v.tolerance += (double)FLT_MIN * (1.0 + fabs(s.value));
    if (!isfinite(v.value)) v.tolerance = 0.0;
    return v;
}

bool reference_is_close(struct reference_value expected, float actual)
{
    double most = (double)FLT_MAX;
    double value = (double)actual;
    if (isnan(expected.value) || isnan(value))
        return isnan(expected.value) && isnan(value);
    if (isinf(value))
        return signbit(value) == signbit(expected.value)
               && fabs(expected.value) + expected.tolerance >= most;
    if (isinf(expected.value)) return false;
    /* Devices may take numbers below the normal range for 0. */
    return fabs(value - expected.value)
           <= expected.tolerance + 4.0 * (double)FLT_MIN;
}

/* A number as an element of a type holds it. */
static double as_type(double value, dnnl_data_type_t type)
{
    int32_t element = 0; /* room for the largest, aligned for all */
    struct reference_tensor t;
    memset(&t, 0, sizeof t);
    t.type = type;
    t.data = &element;
    (void)reference_convert(value, type, &element);
    return reference_read(&t, 0);
}

bool reference_is_close_as(
        struct reference_value expected, dnnl_data_type_t type, double actual)
{
    if (type == dnnl_f32) return reference_is_close(expected, (float)actual);
    double reach = expected.tolerance + 4.0 * (double)FLT_MIN;
    double least = as_type(expected.value - reach, type);
    double most = as_type(expected.value + reach, type);
    if (isnan(least) || isnan(actual)) return isnan(least) && isnan(actual);
    return actual >= least && actual <= most;
}
