/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and deconvolutions for tests, made of a few numbers. */
#ifndef DNNL_CACHE_TESTS_API_CONVOLUTIONS_H
#define DNNL_CACHE_TESTS_API_CONVOLUTIONS_H

#include "tensors.h"

/* What numbers of attributes are for: scales, then zero points. */
enum {
    SRC_SCALE,
    WEIGHTS_SCALE,
    DST_SCALE,
    SRC_ZERO,
    WEIGHTS_ZERO,
    DST_ZERO,
    CONVOLUTION_NUMBERS
};

struct convolution {
    struct tensor src, weights, bias, dst;
    struct tensor numbers[CONVOLUTION_NUMBERS]; /* md NULL: none */
    struct tensor before; /* dst's, for a sum post-op; md NULL: none */
    float sum_scale;
    bool has_bias;
    struct reference_window window; /* says if it is transposed */
    dnnl_dims_t padding_r;
    struct chain chain;
};

/* A problem by its numbers; dst follows from them. Spatial sizes are those of
 * `spatial` dimensions of src. */
struct sizes {
    int spatial;
    dnnl_dim_t images, groups, in, out; /* channels of all groups */
    dnnl_dim_t size[3], kernel[3], stride[3], dilate[3], left[3], right[3];
};

/* Parts of struct sizes that most cases have in common. */
#define ONE     \
    {           \
        1, 1, 1 \
    }
#define NONE    \
    {           \
        0, 0, 0 \
    }

/* Layouts. Weights in groups have another. */
struct tags {
    dnnl_format_tag_t src, weights, grouped_weights, dst;
};

/* The plain ones, by the number of spatial dimensions less 1. */
extern const struct tags plain_tags[3];

/* Types; bias undef: there is none. */
struct types {
    dnnl_data_type_t src, weights, bias, dst;
};

static const struct types all_f32 = {
        dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32};
static const struct types all_f32_and_bias = {
        dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32};

/* Makes the tensors. Pair with convolution_fini(), or convolution_check(). */
void convolution_init(struct convolution *c, bool is_transposed,
        const struct sizes *sizes, const struct tags *tags,
        const struct types *types);
void convolution_fini(struct convolution *c);

/* Gives an attribute one number, or one a channel: of src for src, else of dst.
 */
void convolution_set_number(
        struct convolution *c, int number, dnnl_data_type_t type, double value);
void convolution_set_numbers(struct convolution *c, int number,
        dnnl_data_type_t type, double low, double high, uint64_t *seed);
void convolution_set_weights_scales(struct convolution *c, uint64_t *seed);

/* Adds a sum with what is in dst before, as the first post-op. */
void convolution_add_sum(struct convolution *c, float scale, uint64_t *seed);

/* The creation call for a struct convolution: a describe_primitive. */
dnnl_status_t convolution_describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user);

/* Runs twice on the input that is there. */
bool convolution_run(struct convolution *c);

/* Compares with the reference. */
void convolution_expect(const struct convolution *c);

/* Runs on the input of an ONNX case, compares with its output, and frees the
 * tensors. */
void convolution_run_onnx(struct convolution *c, const char *name);

/* Draws input, of integers in the type's whole range, runs, compares with the
 * reference, and frees the tensors. */
void convolution_check(struct convolution *c, uint64_t *seed);

/* The same for some problems. tags NULL: plain. */
void convolution_check_all(bool is_transposed, const struct sizes *sizes,
        size_t count, const struct tags *tags, const struct types *types);

/* Random problems, each with no image, no channel or an image of no size. */
void convolution_check_empty(bool is_transposed, int count);

#endif /* DNNL_CACHE_TESTS_API_CONVOLUTIONS_H */
