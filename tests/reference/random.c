/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers by place and seed, and what dropout and stochastic rounding
 * make of them. */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

void reference_philox(
        const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (uint32_t round = 0; round < 10; round++) {
        const uint64_t even = (uint64_t)0xD2511F53u * c[0];
        const uint64_t odd = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t mixed[4] = {
                (uint32_t)(odd >> 32) ^ c[1] ^ (key[0] + round * 0x9E3779B9u),
                (uint32_t)odd,
                (uint32_t)(even >> 32) ^ c[3] ^ (key[1] + round * 0xBB67AE85u),
                (uint32_t)even};
        memcpy(c, mixed, sizeof c);
    }
    memcpy(out, c, sizeof c);
}

uint32_t reference_random(uint32_t i, uint32_t seed)
{
    const uint32_t first = i - i % 4;
    const uint32_t counter[4] = {first, first + 1, first + 2, first + 3};
    const uint32_t key[2] = {seed, seed};
    uint32_t out[4];
    reference_philox(counter, key, out);
    return out[i % 4];
}

uint32_t reference_random_from(uint32_t i, int64_t seed, int64_t offset)
{
    const uint32_t counter[4] = {
            (uint32_t)offset, (uint32_t)(offset >> 32), i - i % 4, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    if (offset == 0) return reference_random(i, (uint32_t)seed);
    reference_philox(counter, key, out);
    return out[i % 4];
}

bool reference_is_kept(uint32_t i, uint32_t seed, float probability)
{
    const double p = fmin(fmax((double)probability, 0.0), 1.0);
    return reference_random(i, seed) > 4294967295.0 * p;
}

/* ---- Rounding ------------------------------------------------------------ */

struct format {
    int digits;
    int random_bits;
    double lowest, largest;
    double smallest; /* normal number; 0: of integers */
};

static struct format format_of(dnnl_data_type_t type)
{
    switch (type) {
    case dnnl_f16:
        return (struct format){11, 8, -65504.0, 65504.0, ldexp(1.0, -14)};
    case dnnl_bf16:
        return (struct format){
                8, 8, -ldexp(255.0, 120), ldexp(255.0, 120), (double)FLT_MIN};
    case dnnl_s8:
        return (struct format){7, 16, -128.0, 127.0, 0.0};
    case dnnl_u8:
        return (struct format){8, 16, 0.0, 255.0, 0.0};
    default:
        return (struct format){
                24, 16, (double)-FLT_MAX, (double)FLT_MAX, (double)FLT_MIN};
    }
}

uint32_t reference_random_bits(dnnl_data_type_t type, uint32_t i, uint32_t seed)
{
    const uint32_t bits = (uint32_t)format_of(type).random_bits;
    const uint32_t per_number = 32 / bits;
    return reference_random(i / per_number, seed) >> i % per_number * bits
           & ((1u << bits) - 1);
}

/* A float's last digit is worth 2^(exponent - 24); those of floats that are not
 * normal as much as that of the smallest normal one. */
double reference_add_and_cut(double s, dnnl_data_type_t type, uint32_t added)
{
    const struct format f = format_of(type);
    const double rest = ldexp(1.0, 24 - f.digits); /* of what is cut off */
    int exponent;
    if (isnan(s) || isinf(s)) return s;
    (void)frexp(s, &exponent);
    if (exponent < -125) exponent = -125; /* not normal */
    const double unit = ldexp(1.0, exponent - 24);
    const double sum = fabs(s) / unit + fmod((double)added, rest);
    /* Where the sum has one digit more, less than `rest` is beyond that power
     * of 2: it is cut off, whatever its unit. */
    const double kept = copysign(floor(sum / rest) * rest * unit, s);
    if (kept != 0.0 && fabs(kept) < f.smallest) return 0.0;
    return fmin(fmax(kept, f.lowest), f.largest);
}

double reference_round(
        double s, dnnl_data_type_t type, uint32_t i, uint32_t seed)
{
    return reference_add_and_cut(s, type, reference_random_bits(type, i, seed));
}
