/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

static float finish(double sum, bool relu)
{
    return relu && sum < 0 ? 0.0f : (float)sum;
}

/* The sum over one filter at one place of the output. */
static double convolve_at(const float *src, const float *weights,
        const struct reference_convolution *s, size_t oy, size_t ox)
{
    double sum = 0;
    for (size_t c = 0; c < s->in_channels; c++) {
        for (size_t ky = 0; ky < s->kernel; ky++) {
            const size_t y = oy * s->stride + ky; /* in the padded image */
            if (y < s->padding || y - s->padding >= s->in_size) continue;
            const float *row =
                    src + (c * s->in_size + (y - s->padding)) * s->in_size;
            const float *w = weights + (c * s->kernel + ky) * s->kernel;
            for (size_t kx = 0; kx < s->kernel; kx++) {
                const size_t x = ox * s->stride + kx;
                if (x < s->padding || x - s->padding >= s->in_size) continue;
                sum += (double)row[x - s->padding] * (double)w[kx];
            }
        }
    }
    return sum;
}

void reference_convolution(float *dst, const float *src, const float *weights,
        const float *bias, const struct reference_convolution *shape)
{
    const size_t filter = shape->in_channels * shape->kernel * shape->kernel;
    for (size_t c = 0; c < shape->out_channels; c++)
        for (size_t y = 0; y < shape->out_size; y++)
            for (size_t x = 0; x < shape->out_size; x++)
                *dst++ = finish((double)bias[c]
                                        + convolve_at(src, weights + c * filter,
                                                shape, y, x),
                        shape->relu);
}

bool reference_matmul(float *dst, const float *src, const float *weights,
        const float *bias, size_t k, size_t n, bool relu)
{
    /* Row by row of the weights, as they lie in memory. */
    double *sums = malloc(n * sizeof *sums);
    if (sums == NULL) return false;
    for (size_t j = 0; j < n; j++)
        sums[j] = (double)bias[j];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++)
            sums[j] += (double)src[i] * (double)weights[i * n + j];
    for (size_t j = 0; j < n; j++)
        dst[j] = finish(sums[j], relu);
    free(sums);
    return true;
}

/* In place of fmax(), of whose loops gcc 12 makes code for 64-bit ARM by ending
 * with an internal error. */
static double larger(double a, double b)
{
    return a < b ? b : a;
}

void reference_softmax(
        float *dst, const float *src, size_t rows, size_t columns)
{
    for (; rows > 0; rows--, src += columns, dst += columns) {
        double largest = (double)src[0];
        double sum = 0;
        for (size_t i = 1; i < columns; i++)
            largest = larger(largest, (double)src[i]);
        for (size_t i = 0; i < columns; i++)
            sum += exp((double)src[i] - largest);
        for (size_t i = 0; i < columns; i++)
            dst[i] = (float)(exp((double)src[i] - largest) / sum);
    }
}

void reference_axpby(float *dst, float a, const float *x, float b,
        const float *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = (float)((double)a * (double)x[i] + (double)b * (double)y[i]);
}

double reference_error(const float *expected, const float *actual, size_t count,
        double tolerance)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference =
                fabs((double)actual[i] - (double)expected[i])
                / (tolerance * (1 + fabs((double)expected[i])));
        if (isnan(difference)) return INFINITY;
        worst = larger(worst, difference);
    }
    return worst;
}
