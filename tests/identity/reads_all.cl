/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a compiler or linker open more files: functions of the libraries
 * that are linked into binaries, arithmetic that a processor does not have,
 * text, images, atomics, and an included file. */
#ifdef WITH_FILE
#include "included.h"
#endif

#ifndef NO_LAUNCH
kernel void launched(global int *out)
{
    const int i = get_global_id(0);
    out[i] = i * 7 + i % 8;
}
#endif

kernel void integers(global long *x, global ulong *y, global char16 *z)
{
    const size_t i = get_global_id(0);
    x[i] = x[i] / (x[i + 1] | 1) % 7 + mul_hi(x[i], x[i + 2]);
    y[i] = y[i] / (y[i + 1] | 1) + popcount(y[i]) + clz(y[i + 2]);
    z[i] = rotate(z[i], (char16)(3)) / (char16)(5) + mad_sat(z[i], z[i], z[i]);
    y[i + 3] = (ulong)(float)y[i] + convert_ulong_sat_rte(1.5f * (float)x[i]);
}

kernel void functions(global float *x, global int *e)
{
    const size_t i = get_global_id(0);
    float whole;
    int exponent, quotient;
    x[i] = sin(x[i]) + pow(x[i], 2.5f) + native_exp(x[i]) + lgamma(x[i]);
    x[i] += fract(x[i], &whole) + frexp(x[i], &exponent);
    x[i] += remquo(x[i], 3.0f, &quotient) + erf(x[i]) + cbrt(x[i]) + whole;
    e[i] = exponent + quotient + ilogb(x[i]) + isnan(x[i]);
    vstore_half(x[i], i, (global half *)x);
    x[i] += distance(vload4(i, x), (float4)(1)) + as_float(atomic_inc(e));
    if (i == 0) printf("%f %v4d\n", x[0], (int4)(1));
}

#ifdef cl_khr_fp64
kernel void doubles(global double *x, global long *y)
{
    const size_t i = get_global_id(0);
    x[i] = fma(x[i], sqrt(x[i + 1]), fmod(x[i], 3.0)) + tgamma(x[i]);
    x[i] += (double)y[i] + sincos(x[i], &x[i + 1]);
    y[i] = convert_long_sat(x[i]);
}
#endif

#ifdef __IMAGE_SUPPORT__
kernel void images(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT
                              | CLK_FILTER_LINEAR;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, sampler, convert_float2(at)));
}
#endif
