/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the driver's library, constants that the compiler folds, and
 * numbers in every notation. */
kernel void math(global float *x, float a)
{
    const size_t i = get_global_id(0);
    float v = x[i];
    v += sin(v) + cos(v * 0x1.8p3f) + tan(0.1f) + exp(v) + log(fabs(v) + 1.f);
    v += pow(2.5f, a) + rsqrt(v * v + 1e-30f) + fma(v, a, 1.0f / 3.0f);
    v += native_exp(a) + half_cos(v) + hypot(3.0f, 4.0f) + sqrt(2.0f);
    v += (float)ilogb(v) + ldexp(v, 3) + erf(0.3f) + tgamma(4.5f) + cbrt(v);
    x[i] = clamp(v, -FLT_MAX, FLT_MAX);
}

#ifdef cl_khr_fp64
kernel void math64(global double *x)
{
    const size_t i = get_global_id(0);
    x[i] = sin(x[i]) + exp(1.0) + pow(x[i], 0.3) + 0x1.921fb54442d18p+1
           + log1p(x[i] * x[i]) + atan2(1.0, x[i]) + remainder(x[i], 3.7);
}
#endif

kernel void numbers(global ulong *out, global const uchar16 *in)
{
    const size_t i = get_global_id(0);
    ulong4 v = convert_ulong4(in[i].lo.hi) * (ulong4)(3, 5, 7, 0xffffffffffUL);
    out[i] = v.x ^ popcount(v.y) ^ rotate(v.z, 13UL) ^ mul_hi(v.w, v.x)
             ^ (v.x / 7) ^ (v.y % 11) ^ mad_sat(v.x, v.y, v.z);
}
