/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <math.h>
#include <string.h>

dnnl_dim_t reference_count(const struct reference_tensor *t)
{
    dnnl_dim_t count = t->ndims > 0;
    for (int d = 0; d < t->ndims; d++)
        count *= t->dims[d];
    return count;
}

void reference_place(
        const struct reference_tensor *t, dnnl_dim_t index, dnnl_dims_t place)
{
    for (int d = t->ndims - 1; d >= 0; d--) {
        place[d] = index % t->dims[d];
        index /= t->dims[d];
    }
}

dnnl_dim_t reference_offset(
        const struct reference_tensor *t, const dnnl_dims_t place)
{
    dnnl_dim_t offset = 0;
    for (int d = 0; d < t->ndims; d++)
        if (t->dims[d] > 1) offset += place[d] * t->strides[d];
    return offset;
}

/* Of two elements in a byte the first has the lower bits. */
static int half_byte(const struct reference_tensor *t, dnnl_dim_t offset)
{
    int byte = ((const uint8_t *)t->data)[offset / 2];
    return byte >> offset % 2 * 4 & 0xf;
}

double reference_read(const struct reference_tensor *t, dnnl_dim_t offset)
{
    switch (t->type) {
    case dnnl_f32:
        return (double)((const float *)t->data)[offset];
    case dnnl_f16:
        return reference_from_half(((const uint16_t *)t->data)[offset]);
    case dnnl_bf16:
        return reference_from_bf16(((const uint16_t *)t->data)[offset]);
    case dnnl_s32:
        return ((const int32_t *)t->data)[offset];
    case dnnl_s8:
        return ((const int8_t *)t->data)[offset];
    case dnnl_u8:
        return ((const uint8_t *)t->data)[offset];
    case dnnl_s4:
        return (half_byte(t, offset) ^ 8) - 8;
    case dnnl_u4:
        return half_byte(t, offset);
    default:
        return NAN;
    }
}

double reference_at(const struct reference_tensor *t, const dnnl_dims_t place)
{
    return reference_read(t, reference_offset(t, place));
}

/* ---- f16: 1 sign bit, 5 of exponent, 10 of fraction ---------------------- */

double reference_from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    double magnitude;
    if (exponent == 0x1f)
        magnitude = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -24);
    else
        magnitude = ldexp(fraction + 0x400, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t reference_to_half(double value)
{
    uint16_t sign = signbit(value) != 0 ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;
    if (isnan(value)) return 0x7e00;
    /* The first number that rounds up past the largest one. */
    if (magnitude >= 65520.0) return sign | 0x7c00;
    if (magnitude == 0.0) return sign;
    frexp(magnitude, &exponent); /* 2^(exponent-1) <= magnitude */
    if (exponent < -13) exponent = -13;
    /* In units of the last place; 2^10 of them carry into the exponent. */
    double units = nearbyint(ldexp(magnitude, 11 - exponent));
    return (uint16_t)(sign + (int)units + (exponent + 13) * 0x400);
}

/* ---- bf16: 1 sign bit, 8 of exponent, 7 of fraction ---------------------- */

double reference_from_bf16(uint16_t bits)
{
    int exponent = bits >> 7 & 0xff;
    int fraction = bits & 0x7f;
    double magnitude;
    if (exponent == 0xff)
        magnitude = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -133);
    else
        magnitude = ldexp(fraction + 0x80, exponent - 134);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t reference_to_bf16(double value)
{
    uint16_t sign = signbit(value) != 0 ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;
    if (isnan(value)) return 0x7fc0;
    /* The first number that rounds up past the largest one. */
    if (magnitude >= 0x1.ffp127) return sign | 0x7f80;
    if (magnitude == 0.0) return sign;
    frexp(magnitude, &exponent); /* 2^(exponent-1) <= magnitude */
    if (exponent < -125) exponent = -125;
    /* In units of the last place; 2^7 of them carry into the exponent. */
    double units = nearbyint(ldexp(magnitude, 8 - exponent));
    return (uint16_t)(sign + (int)units + (exponent + 125) * 0x80);
}

/* ---- Conversion ---------------------------------------------------------- */

static double saturate(double value, double least, double most)
{
    if (isnan(value)) return 0.0;
    value = nearbyint(value);
    return value < least ? least : value > most ? most : value;
}

size_t reference_convert(double value, dnnl_data_type_t type, void *bytes)
{
    float f32 = (float)value;
    uint16_t f16 = reference_to_half((double)f32);
    uint16_t bf16 = reference_to_bf16((double)f32);
    int32_t s32 = (int32_t)saturate(value, INT32_MIN, INT32_MAX);
    int8_t s8 = (int8_t)saturate(value, INT8_MIN, INT8_MAX);
    uint8_t u8 = (uint8_t)saturate(value, 0, UINT8_MAX);
    uint8_t s4 = (uint8_t)((int)saturate(value, -8, 7) & 0xf);
    uint8_t u4 = (uint8_t)saturate(value, 0, 15);
    switch (type) {
    case dnnl_f32:
        memcpy(bytes, &f32, sizeof f32);
        return sizeof f32;
    case dnnl_f16:
        memcpy(bytes, &f16, sizeof f16);
        return sizeof f16;
    case dnnl_bf16:
        memcpy(bytes, &bf16, sizeof bf16);
        return sizeof bf16;
    case dnnl_s32:
        memcpy(bytes, &s32, sizeof s32);
        return sizeof s32;
    case dnnl_s8:
        memcpy(bytes, &s8, sizeof s8);
        return sizeof s8;
    case dnnl_u8:
        memcpy(bytes, &u8, sizeof u8);
        return sizeof u8;
    case dnnl_s4:
        memcpy(bytes, &s4, sizeof s4);
        return sizeof s4;
    case dnnl_u4:
        memcpy(bytes, &u4, sizeof u4);
        return sizeof u4;
    default:
        return 0;
    }
}
