/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/half.h"

#include <math.h>
#include <string.h>

/* A half: a sign, 5 bits of exponent, 10 of mantissa. A float has 8 and 23. */
enum { exponents_apart = 127 - 15, bits_apart = 23 - 10 };

float half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    uint32_t bits;
    float value;
    if (magnitude < 0x0400) { /* 0, or below the least exponent: multiples */
        value = ldexpf((float)magnitude, -24);
        return sign != 0 ? -value : value;
    }
    bits = (magnitude << bits_apart) + ((uint32_t)exponents_apart << 23);
    /* Infinity and what is no number have the largest exponent of each. */
    if (magnitude >= 0x7c00) bits |= UINT32_C(0x7f800000);
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000;
    const float magnitude = fabsf(value);
    bits &= UINT32_C(0x7fffffff);
    if (isnan(value)) return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 65520.0F) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x1p-14F)
        return (uint16_t)(sign | (uint32_t)nearbyintf(magnitude * 0x1p24F));
    /* What is cut off rounds up from a half on, of odd ones; a carry goes into
     * the exponent, where it belongs. */
    bits += 0x0fff + (bits >> bits_apart & 1);
    return (uint16_t)(sign
                      | ((bits >> bits_apart)
                              - ((uint32_t)exponents_apart << 10)));
}
