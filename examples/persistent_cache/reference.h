/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h: layers in plain C, for checking results.
 *
 * Slow and simple; sums are kept in double. Tensors are dense, the last
 * dimension innermost. All functions may be called from any thread.
 */
#ifndef DNNL_CACHE_EXAMPLES_REFERENCE_H
#define DNNL_CACHE_EXAMPLES_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Square images and filters, one image. */
struct reference_convolution {
    size_t in_channels;
    size_t in_size; /* height and width */
    size_t out_channels;
    size_t out_size;
    size_t kernel;
    size_t stride;
    size_t padding;
    bool relu;
};

/* dst [oc, o, o], src [ic, i, i], weights [oc, ic, k, k], bias [oc]. */
void reference_convolution(float *dst, const float *src, const float *weights,
        const float *bias, const struct reference_convolution *shape);

/* dst [n] = src [k] * weights [k, n] + bias [n]. dst may not overlap. False if
 * memory for the sums runs out. */
bool reference_matmul(float *dst, const float *src, const float *weights,
        const float *bias, size_t k, size_t n, bool relu);

/* Each row of [rows, columns] by itself. */
void reference_softmax(
        float *dst, const float *src, size_t rows, size_t columns);

/* dst = a * x + b * y. */
void reference_axpby(float *dst, float a, const float *x, float b,
        const float *y, size_t count);

/* The largest |actual - expected| / (tolerance * (1 + |expected|)): above 1
 * is wrong, and so is what is no number. */
double reference_error(const float *expected, const float *actual, size_t count,
        double tolerance);

#endif /* DNNL_CACHE_EXAMPLES_REFERENCE_H */
