/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the primitives compute, done the obvious way: plain loops, double
 * precision, no thought of speed. And how far an f32 device may be from it.
 *
 * Every result comes with a tolerance that is derived from its own inputs:
 *   - a sum of n products may be off by (n + 2) * eps * sum of |products|,
 *     eps = 2^-23, whatever the order of the additions and whether or not
 *     multiply and add are fused (twice the textbook bound, for what is
 *     rounded besides);
 *   - a sum of products of integers is exact; making it a float and adding a
 *     bias to that are two roundings;
 *   - an element-wise function carries the error of its input over to its
 *     result and adds that of its own steps, see reference_eltwise().
 *   - softmax loses (|d| + 4) * eps of a term e^d, d the distance from the
 *     line's maximum: eps * |d| since d is rounded, 4 * eps for exp (3 ulp);
 *     the sum of n positive terms loses as much as they do on average, and
 *     n * eps; the division or the logarithm another 3 ulp each.
 * A result is right if it is no further from the reference than that; see
 * reference_is_close().
 */
#ifndef DNNL_CACHE_TESTS_REFERENCE_REFERENCE_H
#define DNNL_CACHE_TESTS_REFERENCE_REFERENCE_H

#include "dnnl_cache/onednn/types.h"

#include <stdbool.h>

/* A tensor in host memory; data is borrowed. */
struct reference_tensor {
    dnnl_data_type_t type; /* f32, f16, bf16, s32, s8, u8, s4 or u4 */
    int ndims;
    dnnl_dims_t dims;
    dnnl_dims_t strides; /* elements */
    void *data;
};

/* A number and how far from it a device may be. */
struct reference_value {
    double value;
    double tolerance;
};

/* ---- Tensors ------------------------------------------------------------- */

/* Number of elements, 0 for an empty tensor. */
dnnl_dim_t reference_count(const struct reference_tensor *t);

/* Splits an element's number, counted with the last dimension running fastest,
 * into its place in each dimension. */
void reference_place(
        const struct reference_tensor *t, dnnl_dim_t index, dnnl_dims_t place);

/* Where the element at a place is in data, in elements. A dimension of size 1
 * has its one element at every place. */
dnnl_dim_t reference_offset(
        const struct reference_tensor *t, const dnnl_dims_t place);

/* The element at an offset. */
double reference_read(const struct reference_tensor *t, dnnl_dim_t offset);
/* The same at a place. */
double reference_at(const struct reference_tensor *t, const dnnl_dims_t place);

/* f16 bits as a number, and a number as f16 bits: rounded to nearest even,
 * infinite beyond the largest. */
double reference_from_half(uint16_t bits);
uint16_t reference_to_half(double value);
/* The same of bf16; NaN becomes a quiet one. */
double reference_from_bf16(uint16_t bits);
uint16_t reference_to_bf16(double value);

/* ---- Operations ---------------------------------------------------------- */
/* Each gives one result, for the place of dst that it belongs to. */

/* src * weights + bias; bias may be NULL. */
struct reference_value reference_matmul(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias, int ndims,
        const dnnl_dims_t place);

/* The same of src [N, C, ...] and weights [O, C, ...]; bias [O]. */
struct reference_value reference_inner_product(
        const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias, const dnnl_dims_t place);

/* The element of src that a shuffle puts there: exact. */
struct reference_value reference_shuffle(const struct reference_tensor *src,
        int axis, dnnl_dim_t group_size, const dnnl_dims_t place);

/* The element of the source that lies there when all are side by side: exact.
 */
struct reference_value reference_concat(
        const struct reference_tensor *const *srcs, int axis,
        const dnnl_dims_t place);

/* The sum of scales[i] * srcs[i], which is one of n products. */
struct reference_value reference_sum(const struct reference_tensor *const *srcs,
        const float *scales, int n, const dnnl_dims_t place);

/* softmax_accurate or softmax_log of src along axis. */
struct reference_value reference_softmax(const struct reference_tensor *src,
        dnnl_alg_kind_t alg, int axis, const dnnl_dims_t place);

/* A binary algorithm of two elements as f32: eps for the rounding of the
 * result, 3 eps of a quotient; the others are exact. */
struct reference_value reference_binary(
        dnnl_alg_kind_t alg, double a, double b);

/* s above 0, else s times the slope. */
struct reference_value reference_prelu(double s, double slope);

/* A reduction of src over the dimensions that are 1 in dst. A sum of n terms
 * may be off by (n + 2) eps of their magnitudes, a product of n factors by as
 * much of itself; pow loses 16 eps. */
struct reference_value reference_reduction(const struct reference_tensor *src,
        const struct reference_tensor *dst, dnnl_alg_kind_t alg, float p,
        float eps, const dnnl_dims_t place);

/* A box of elements: `count` of them in each dimension, from `from` on. */
struct reference_box {
    dnnl_dims_t from;
    dnnl_dims_t count;
};

struct reference_statistics {
    struct reference_value mean;
    struct reference_value variance;
};

/* Of the elements in a box. A device may compute the mean in two steps, the
 * second of differences from what the first gave: the tolerances are those of
 * sums of n differences, and the first step's error squared. */
struct reference_statistics reference_statistics(
        const struct reference_tensor *src, const struct reference_box *box);

/* (s - mean) / sqrt(variance + epsilon) * scale + shift: how much it changes
 * over the tolerances of mean and variance, and 3 ulp each for square root and
 * division. */
struct reference_value reference_normalize(double s,
        const struct reference_statistics *statistics, float epsilon,
        double scale, double shift);

/* resampling_nearest, which is exact, or resampling_linear, where a weight may
 * be off by 8 eps a dimension, of src at a place of dst. */
struct reference_value reference_resampling(const struct reference_tensor *src,
        const struct reference_tensor *dst, dnnl_alg_kind_t alg,
        const dnnl_dims_t place);

struct reference_lrn {
    dnnl_alg_kind_t alg;
    dnnl_dim_t local_size;
    float alpha, beta, k;
};

/* k + alpha times the average of squares: a sum of n products, and eps for the
 * addition. */
struct reference_value reference_lrn_base(const struct reference_tensor *src,
        const struct reference_lrn *lrn, const dnnl_dims_t place);
/* src times that to the power of -beta: how much the power changes over the
 * tolerance of its base, 32 eps of its own, 2 eps for the product. */
struct reference_value reference_lrn(const struct reference_tensor *src,
        const struct reference_lrn *lrn, const dnnl_dims_t place);

struct reference_window {
    int with_groups;
    dnnl_dims_t strides;
    dnnl_dims_t dilates;
    dnnl_dims_t padding_l;
    dnnl_dims_t kernel; /* pooling: the window's size */
    bool is_transposed; /* deconvolution */
    /* What is taken off the factors: one number, one a channel of src, one a
     * channel of dst. NULL: nothing. */
    const struct reference_tensor *src_zero_points;
    const struct reference_tensor *weights_zero_points;
};

/* Convolution, or deconvolution. */
struct reference_value reference_convolution(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias,
        const struct reference_window *window, const dnnl_dims_t place);

/* Largest or average of a window; an average of n may be off by what a sum of
 * n products may, and 3 eps for the division. */
struct reference_value reference_pooling(const struct reference_tensor *src,
        dnnl_alg_kind_t alg, const struct reference_window *window,
        const dnnl_dims_t place);

/* The function of an eltwise algorithm. */
double reference_function(
        dnnl_alg_kind_t alg, double s, double alpha, double beta);

/* The same of an inexact input. The tolerance is how much the function changes
 * over the input's own tolerance and a few roundings of the input, plus
 * 32 eps of the largest number in the function's last steps. */
struct reference_value reference_eltwise(
        dnnl_alg_kind_t alg, struct reference_value s, float alpha, float beta);

/* The bytes (1 to 4, in the machine's order) of a number in another type:
 * rounded to nearest even, integers saturated, NaN as integer 0. Of s4 and u4
 * it is a byte's lower half. Returns their number. */
size_t reference_convert(double value, dnnl_data_type_t type, void *bytes);

/* ---- Chance -------------------------------------------------------------- */

/* Philox4x32-10 of Salmon, Moraes, Dror and Shaw, 2011. */
void reference_philox(
        const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* A seed's number for the element at offset i: oneDNN's choice of counter and
 * key. */
uint32_t reference_random(uint32_t i, uint32_t seed);
/* The same from an offset on, with all bits of the seed. */
uint32_t reference_random_from(uint32_t i, int64_t seed, int64_t offset);
/* Is it kept by a dropout of such a probability? */
bool reference_is_kept(uint32_t i, uint32_t seed, float probability);
/* The bits that stochastic rounding to a type adds to the element at offset i:
 * 8 or 16. */
uint32_t reference_random_bits(
        dnnl_data_type_t type, uint32_t i, uint32_t seed);
/* What a float becomes by adding so much, in units of its last digit, and
 * cutting off the digits that the type does not have: still to be rounded to an
 * integer, if the type is one. */
double reference_add_and_cut(double s, dnnl_data_type_t type, uint32_t added);
/* Both. */
double reference_round(
        double s, dnnl_data_type_t type, uint32_t i, uint32_t seed);

/* ---- Comparison ---------------------------------------------------------- */

/* True if a device may give this. What is beyond f32's range may be infinite,
 * what is below it 0; NaN is close to NaN only. */
bool reference_is_close(struct reference_value expected, float actual);

/* The same for an element of a type that the device rounded its f32 result to.
 * Rounding and saturation are monotone: what is no further from the reference
 * than its tolerance becomes an element between those that the ends of that
 * range become. For f32 it is reference_is_close(). */
bool reference_is_close_as(
        struct reference_value expected, dnnl_data_type_t type, double actual);

#endif /* DNNL_CACHE_TESTS_REFERENCE_REFERENCE_H */
