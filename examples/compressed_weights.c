/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compressed_weights.c: multiplies a vector by weights of 4 bits each, as
 * language models do.
 *
 *     compressed_weights       on the first OpenCL device
 *     compressed_weights 1     on the second
 *
 * Weights are numbers from 0 to 15 (dnnl_u4, two in a byte). For every column,
 * and every group of 64 rows, there are a zero point and a scale: the weight
 * that is meant is (number - zero point) * scale. The kernel computes that
 * while it multiplies; there is no copy of the weights as floats.
 */
#include "dnnl_cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 512, columns = 320, group = 64, groups = rows / group };

static float vector[rows];
static float weights[rows][columns];
/* What becomes of them. */
static uint8_t numbers[rows * columns / 2];
static uint8_t zero_points[groups * columns];
static float scales[groups * columns];

/* Ends the program if a call fails. */
static void check(dnnl_status_t status, const char *call)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "compressed_weights: %s: %s\n", call,
            dnnl_status2str(status));
    exit(1);
}
#define CHECK(call) check(call, #call)

/* ---- Compression --------------------------------------------------------- */

static void make_numbers(void)
{
    for (int k = 0; k < rows; k++) {
        vector[k] = sinf(0.37f * (float)k);
        for (int n = 0; n < columns; n++)
            weights[k][n] = cosf(0.11f * (float)(k * 7 + n * 13));
    }
}

/* Of two elements in a byte the first has the lower four bits. */
static void put(int index, int number)
{
    numbers[index / 2] |= (uint8_t)(number << (index % 2 * 4));
}

/* Finds the zero point and the scale with which 0 to 15 cover a group. */
static void compress(int g, int n)
{
    float low = 0.0f, high = 0.0f;
    for (int k = g * group; k < (g + 1) * group; k++) {
        low = fminf(low, weights[k][n]);
        high = fmaxf(high, weights[k][n]);
    }
    const float scale = high > low ? (high - low) / 15.0f : 1.0f;
    const float zero = roundf(-low / scale);
    scales[g * columns + n] = scale;
    zero_points[g * columns + n] = (uint8_t)zero;
    for (int k = g * group; k < (g + 1) * group; k++) {
        const float number = roundf(weights[k][n] / scale) + zero;
        put(k * columns + n, (int)fminf(fmaxf(number, 0.0f), 15.0f));
    }
}

/* ---- The product --------------------------------------------------------- */

static dnnl_memory_desc_t matrix_of(
        dnnl_dim_t height, dnnl_dim_t width, dnnl_data_type_t type)
{
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(
            &md, 2, (dnnl_dims_t){height, width}, type, dnnl_ab));
    return md;
}

/* Device memory of a matrix with these bytes; takes the descriptor over. */
static dnnl_memory_t send(
        dnnl_engine_t engine, dnnl_memory_desc_t md, const void *bytes)
{
    dnnl_memory_t memory;
    void *mapped;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_map_data(memory, &mapped));
    memcpy(mapped, bytes, dnnl_memory_desc_get_size(md));
    CHECK(dnnl_memory_unmap_data(memory, mapped));
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

/* A product of f32 and u4: the floating-point mode has to apply to integers,
 * and weights have numbers by column (bit 1 of the mask) and by rows (bit 0) in
 * groups of 64. */
static dnnl_primitive_t make_product(dnnl_engine_t engine)
{
    const dnnl_dims_t shape = {group, 1};
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    dnnl_memory_desc_t src = matrix_of(1, rows, dnnl_f32);
    dnnl_memory_desc_t packed = matrix_of(rows, columns, dnnl_u4);
    dnnl_memory_desc_t dst = matrix_of(1, columns, dnnl_f32);
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_fpmath_mode_v2(
            attr, dnnl_fpmath_mode_any, 1));
    CHECK(dnnl_primitive_attr_set_zero_points(
            attr, DNNL_ARG_WEIGHTS, 3, 2, shape, dnnl_u8));
    CHECK(dnnl_primitive_attr_set_scales(
            attr, DNNL_ARG_WEIGHTS, 3, 2, shape, dnnl_f32));
    CHECK(dnnl_matmul_primitive_desc_create(
            &pd, engine, src, packed, NULL, dst, attr));
    CHECK(dnnl_primitive_create(&product, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(packed));
    CHECK(dnnl_memory_desc_destroy(dst));
    return product;
}

/* ---- The result ---------------------------------------------------------- */

/* The largest distance from the product of the weights as they were. */
static double find_error(const float *result)
{
    double most = 0.0;
    for (int n = 0; n < columns; n++) {
        double sum = 0.0;
        for (int k = 0; k < rows; k++)
            sum += (double)vector[k] * (double)weights[k][n];
        const double error = fabs(sum - (double)result[n]);
        if (error > most) most = error; /* fmax() breaks gcc 12 for ARM */
    }
    return most;
}

/* What it can be: a weight is at most a step from what it was, half of it since
 * it is rounded, half since its zero point is. */
static double find_limit(void)
{
    double sum = 0.0;
    for (int k = 0; k < rows; k++)
        sum += fabs((double)vector[k]) * 2.0 / 15.0;
    return sum;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: compressed_weights [NUMBER OF THE DEVICE]\n");
        return 0;
    }
    const size_t index = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    static const float zeros[columns];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    void *result;

    make_numbers();
    for (int g = 0; g < groups; g++)
        for (int n = 0; n < columns; n++)
            compress(g, n);

    CHECK(dnnl_engine_create(&engine, dnnl_gpu, index));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_primitive_t product = make_product(engine);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, send(engine, matrix_of(1, rows, dnnl_f32), vector)},
            {DNNL_ARG_WEIGHTS,
                    send(engine, matrix_of(rows, columns, dnnl_u4), numbers)},
            {DNNL_ARG_DST,
                    send(engine, matrix_of(1, columns, dnnl_f32), zeros)},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
                    send(engine, matrix_of(groups, columns, dnnl_u8),
                            zero_points)},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                    send(engine, matrix_of(groups, columns, dnnl_f32),
                            scales)}};
    CHECK(dnnl_primitive_execute(product, stream, 5, args));
    CHECK(dnnl_stream_wait(stream));

    CHECK(dnnl_memory_map_data(args[2].memory, &result));
    const double error = find_error(result);
    const int right = error <= find_limit();
    CHECK(dnnl_memory_unmap_data(args[2].memory, result));
    printf("%d weights in %zu bytes, with zero points and scales: the largest "
           "error of a result is %.3g, %s\n",
            rows * columns, sizeof numbers + sizeof zero_points + sizeof scales,
            error, right ? "right" : "WRONG");

    for (int i = 0; i < 5; i++)
        CHECK(dnnl_memory_destroy(args[i].memory));
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return right ? 0 : 3;
}
