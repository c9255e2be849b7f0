/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>

static double compute(dnnl_alg_kind_t alg, double a, double b)
{
    switch (alg) {
    case dnnl_binary_add:
        return a + b;
    case dnnl_binary_mul:
        return a * b;
    case dnnl_binary_max:
        return fmax(a, b);
    case dnnl_binary_min:
        return fmin(a, b);
    case dnnl_binary_div:
        return a / b;
    case dnnl_binary_sub:
        return a - b;
    case dnnl_binary_ge:
        return a >= b;
    case dnnl_binary_gt:
        return a > b;
    case dnnl_binary_le:
        return a <= b;
    case dnnl_binary_lt:
        return a < b;
    case dnnl_binary_eq:
        return a == b;
    case dnnl_binary_ne:
        return a != b;
    default:
        return NAN;
    }
}

struct reference_value reference_binary(dnnl_alg_kind_t alg, double a, double b)
{
    struct reference_value v = {compute(alg, a, b), 0.0};
    bool is_rounded = alg == dnnl_binary_add || alg == dnnl_binary_sub
                      || alg == dnnl_binary_mul || alg == dnnl_binary_div;
    double roundings = alg == dnnl_binary_div ? 3.0 : 1.0;
    if (is_rounded && isfinite(v.value))
        v.tolerance = roundings * (double)FLT_EPSILON * fabs(v.value);
    return v;
}

struct reference_value reference_prelu(double s, double slope)
{
    struct reference_value v = {s, 0.0};
    return s > 0.0 ? v : reference_binary(dnnl_binary_mul, s, slope);
}
