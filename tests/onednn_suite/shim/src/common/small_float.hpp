/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floats of 16 bits for oneDNN's tests, which take them from oneDNN's inside:
 * numbers that are computed with as f32 and rounded to nearest, ties to even,
 * when they are stored.
 */
#ifndef ONEDNN_SUITE_SMALL_FLOAT_HPP
#define ONEDNN_SUITE_SMALL_FLOAT_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace dnnl
{
namespace impl
{

/* EXPONENT bits of exponent, MANTISSA stored bits. */
template <int EXPONENT, int MANTISSA> struct small_float {
    uint16_t raw_bits_;

    small_float() = default;
    template <typename number>
    small_float(number value) : raw_bits_(bits_of(static_cast<float>(value)))
    {
    }

    operator float() const
    {
        const int bias = (1 << (EXPONENT - 1)) - 1;
        int exponent = (raw_bits_ >> MANTISSA) & ((1 << EXPONENT) - 1);
        int mantissa = raw_bits_ & ((1 << MANTISSA) - 1);
        float value;
        if (exponent == (1 << EXPONENT) - 1)
            value = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                                  : std::numeric_limits<float>::infinity();
        else if (exponent == 0)
            value = std::ldexp(float(mantissa), 1 - bias - MANTISSA);
        else
            value = std::ldexp(float(mantissa + (1 << MANTISSA)),
                    exponent - bias - MANTISSA);
        return (raw_bits_ >> 15) != 0 ? -value : value;
    }

    small_float &operator+=(float other)
    {
        return *this = float(*this) + other;
    }
    small_float &operator-=(float other)
    {
        return *this = float(*this) - other;
    }
    small_float &operator*=(float other)
    {
        return *this = float(*this) * other;
    }
    small_float &operator/=(float other)
    {
        return *this = float(*this) / other;
    }

  private:
    static uint16_t bits_of(float value)
    {
        const int bias = (1 << (EXPONENT - 1)) - 1;
        const uint16_t infinity = uint16_t(((1 << EXPONENT) - 1) << MANTISSA);
        uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        float size = std::fabs(value);
        if (std::isnan(value)) return uint16_t(sign | infinity | 1);
        if (std::isinf(value)) return uint16_t(sign | infinity);
        if (size == 0) return sign;
        int exponent;
        std::frexp(size, &exponent); /* size = [0.5, 1) * 2^exponent */
        int least = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
        /* In units of the last place; a carry goes on into the exponent. */
        long units = std::lrint(std::ldexp(double(size), MANTISSA - least));
        long bits = units + (long(least + bias - 1) << MANTISSA);
        return uint16_t(sign | (bits > infinity ? infinity : bits));
    }
};

/* Named by the tests, and not computed with. */
struct float8_e5m2_t {
    uint8_t raw_bits_;
};
struct float8_e4m3_t {
    uint8_t raw_bits_;
};

} // namespace impl
} // namespace dnnl

#endif
