// SPDX-License-Identifier: Apache-2.0
// Layers of networks in plain loops, for the programs to compare with: images
// in nchw, numbers that floats have exactly.
#ifndef DNNL_CACHE_TESTS_CPP_PLAIN_HPP
#define DNNL_CACHE_TESTS_CPP_PLAIN_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plain
{

struct images {
    size_t n, c, h, w;
    std::vector<float> values;

    images(size_t an, size_t ac, size_t ah, size_t aw)
        : n(an), c(ac), h(ah), w(aw), values(an * ac * ah * aw)
    {
    }
    float &at(size_t i, size_t channel, size_t y, size_t x)
    {
        return values[((i * c + channel) * h + y) * w + x];
    }
    float at(size_t i, size_t channel, size_t y, size_t x) const
    {
        return values[((i * c + channel) * h + y) * w + x];
    }
};

// With square kernels; 0 around the images. weights are in oihw.
inline images convolve(const images &src, const std::vector<float> &weights,
        const std::vector<float> &bias, size_t kernel, size_t stride,
        size_t padding)
{
    images dst(src.n, bias.size(), (src.h + 2 * padding - kernel) / stride + 1,
            (src.w + 2 * padding - kernel) / stride + 1);
    for (size_t d = 0; d < dst.values.size(); d++) {
        const size_t x = d % dst.w, y = d / dst.w % dst.h;
        const size_t o = d / dst.w / dst.h % dst.c;
        const size_t i = d / dst.w / dst.h / dst.c;
        float sum = bias[o];
        for (size_t k = 0; k < src.c * kernel * kernel; k++) {
            const size_t c = k / kernel / kernel;
            // Wraps around above the image, and is then too large.
            const size_t sy = y * stride + k / kernel % kernel - padding;
            const size_t sx = x * stride + k % kernel - padding;
            if (sy < src.h && sx < src.w)
                sum += src.at(i, c, sy, sx)
                       * weights[o * src.c * kernel * kernel + k];
        }
        dst.values[d] = sum;
    }
    return dst;
}

inline images relu(images src)
{
    for (float &value : src.values)
        value = std::max(value, 0.0f);
    return src;
}

// The largest of each window; no padding.
inline images pool(const images &src, size_t kernel, size_t stride)
{
    images dst(src.n, src.c, (src.h - kernel) / stride + 1,
            (src.w - kernel) / stride + 1);
    for (size_t d = 0; d < dst.values.size(); d++) {
        const size_t x = d % dst.w * stride, y = d / dst.w % dst.h * stride;
        const size_t c = d / dst.w / dst.h % dst.c;
        const size_t i = d / dst.w / dst.h / dst.c;
        float largest = src.at(i, c, y, x);
        for (size_t k = 1; k < kernel * kernel; k++)
            largest = std::max(
                    largest, src.at(i, c, y + k / kernel, x + k % kernel));
        dst.values[d] = largest;
    }
    return dst;
}

// src of lines x inner, weights of columns x inner.
inline std::vector<float> multiply(const std::vector<float> &src,
        const std::vector<float> &weights, const std::vector<float> &bias)
{
    const size_t columns = bias.size(), inner = weights.size() / columns;
    std::vector<float> dst(src.size() / inner * columns);
    for (size_t d = 0; d < dst.size(); d++) {
        dst[d] = bias[d % columns];
        for (size_t k = 0; k < inner; k++)
            dst[d] += src[d / columns * inner + k]
                      * weights[d % columns * inner + k];
    }
    return dst;
}

} // namespace plain

#endif // DNNL_CACHE_TESTS_CPP_PLAIN_HPP
