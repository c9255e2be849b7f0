/* SPDX-License-Identifier: Apache-2.0 */
#include "convolutions.h"

#include "onnx_tensor.h"
#include "run_primitive.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct tags plain_tags[3] = {{dnnl_ncw, dnnl_oiw, dnnl_goiw, dnnl_ncw},
        {dnnl_nchw, dnnl_oihw, dnnl_goihw, dnnl_nchw},
        {dnnl_ncdhw, dnnl_oidhw, dnnl_goidhw, dnnl_ncdhw}};

/* ---- Life ---------------------------------------------------------------- */

static dnnl_dim_t out_size(const struct sizes *s, bool is_transposed, int d)
{
    dnnl_dim_t range = (s->kernel[d] - 1) * (s->dilate[d] + 1) + 1;
    dnnl_dim_t padding = s->left[d] + s->right[d];
    if (is_transposed) return (s->size[d] - 1) * s->stride[d] + range - padding;
    return (s->size[d] + padding - range) / s->stride[d] + 1;
}

void convolution_init(struct convolution *c, bool is_transposed,
        const struct sizes *s, const struct tags *tags,
        const struct types *types)
{
    memset(c, 0, sizeof *c);
    int grouped = s->groups > 1;
    dnnl_dims_t src = {s->images, s->in};
    dnnl_dims_t dst = {s->images, s->out};
    dnnl_dims_t weights = {s->groups};
    weights[grouped] = s->out / s->groups;
    weights[grouped + 1] = s->in / s->groups;
    for (int d = 0; d < s->spatial; d++) {
        src[2 + d] = s->size[d];
        weights[grouped + 2 + d] = s->kernel[d];
        dst[2 + d] = out_size(s, is_transposed, d);
        c->window.strides[d] = s->stride[d];
        c->window.dilates[d] = s->dilate[d];
        c->window.padding_l[d] = s->left[d];
        c->padding_r[d] = s->right[d];
    }
    c->window.with_groups = grouped;
    c->window.is_transposed = is_transposed;
    tensor_init(&c->src, types->src, 2 + s->spatial, src, tags->src);
    tensor_init(&c->weights, types->weights, 2 + grouped + s->spatial, weights,
            grouped ? tags->grouped_weights : tags->weights);
    tensor_init(&c->dst, types->dst, 2 + s->spatial, dst, tags->dst);
    c->has_bias = types->bias != dnnl_data_type_undef;
    if (c->has_bias)
        tensor_init(&c->bias, types->bias, 1, (dnnl_dims_t){s->out}, dnnl_a);
}

void convolution_fini(struct convolution *c)
{
    tensor_fini(&c->src);
    tensor_fini(&c->weights);
    tensor_fini(&c->bias);
    tensor_fini(&c->dst);
    tensor_fini(&c->before);
    for (int i = 0; i < CONVOLUTION_NUMBERS; i++)
        tensor_fini(&c->numbers[i]);
}

/* ---- Attributes ---------------------------------------------------------- */

static const int number_args[CONVOLUTION_NUMBERS] = {
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST};

/* Tells the reference. */
static void note_number(struct convolution *c, int number)
{
    const struct reference_tensor *view = &c->numbers[number].view;
    if (number == SRC_ZERO) c->window.src_zero_points = view;
    if (number == WEIGHTS_ZERO) c->window.weights_zero_points = view;
}

void convolution_set_number(
        struct convolution *c, int number, dnnl_data_type_t type, double value)
{
    struct tensor *t = &c->numbers[number];
    tensor_fini(t);
    tensor_init(t, type, 1, (dnnl_dims_t){1}, dnnl_a);
    tensor_set(t, &value, 1);
    note_number(c, number);
}

void convolution_set_numbers(struct convolution *c, int number,
        dnnl_data_type_t type, double low, double high, uint64_t *seed)
{
    struct tensor *t = &c->numbers[number];
    const bool is_src = number == SRC_SCALE || number == SRC_ZERO;
    tensor_fini(t);
    tensor_init(t, type, 1,
            (dnnl_dims_t){is_src ? c->src.view.dims[1] : c->dst.view.dims[1]},
            dnnl_a);
    tensor_randomize(t, seed, low, high);
    note_number(c, number);
}

void convolution_set_weights_scales(struct convolution *c, uint64_t *seed)
{
    convolution_set_numbers(c, WEIGHTS_SCALE, dnnl_f32, 0.001, 0.01, seed);
}

void convolution_add_sum(struct convolution *c, float scale, uint64_t *seed)
{
    c->sum_scale = scale;
    tensor_init_strided(&c->before, c->dst.view.type, c->dst.view.ndims,
            c->dst.view.dims, c->dst.view.strides);
    tensor_randomize_type(&c->before, seed);
    memcpy(c->dst.bytes, c->before.bytes, c->dst.size);
}

/* One number for all, or one a channel: the first dimension of weights, or the
 * first two. */
static dnnl_status_t set_number(
        dnnl_primitive_attr_t attr, const struct convolution *c, int number)
{
    const struct tensor *t = &c->numbers[number];
    int arg = number_args[number] & ~DNNL_ARG_ATTR_SCALES
              & ~DNNL_ARG_ATTR_ZERO_POINTS;
    int channels = arg != DNNL_ARG_WEIGHTS ? 2 : c->window.with_groups ? 3 : 1;
    int mask = t->view.dims[0] == 1 ? 0 : channels;
    if (number >= SRC_ZERO)
        return dnnl_primitive_attr_set_zero_points(
                attr, arg, mask, 0, NULL, t->view.type);
    return dnnl_primitive_attr_set_scales(
            attr, arg, mask, 0, NULL, t->view.type);
}

static void append_chain(dnnl_post_ops_t ops, const struct chain *chain)
{
    for (int i = 0; i < chain->count; i++)
        EXPECT_OK(dnnl_post_ops_append_eltwise(ops, chain->steps[i].alg,
                chain->steps[i].alpha, chain->steps[i].beta));
}

static dnnl_primitive_attr_t make_attr(const struct convolution *c)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    if (c->before.md != NULL)
        EXPECT_OK(dnnl_post_ops_append_sum(
                ops, c->sum_scale, 0, dnnl_data_type_undef));
    append_chain(ops, &c->chain);
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_OK(dnnl_post_ops_destroy(ops));
    for (int i = 0; i < CONVOLUTION_NUMBERS; i++)
        if (c->numbers[i].md != NULL) EXPECT_OK(set_number(attr, c, i));
    return attr;
}

/* ---- Running ------------------------------------------------------------- */

dnnl_status_t convolution_describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct convolution *c = user;
    dnnl_primitive_attr_t attr = make_attr(c);
    dnnl_status_t st =
            c->window.is_transposed
                    ? dnnl_deconvolution_forward_primitive_desc_create(pd,
                            engine, dnnl_forward_inference,
                            dnnl_deconvolution_direct, c->src.md, c->weights.md,
                            c->bias.md, c->dst.md, c->window.strides,
                            c->window.dilates, c->window.padding_l,
                            c->padding_r, attr)
                    : dnnl_convolution_forward_primitive_desc_create(pd, engine,
                            dnnl_forward_inference, dnnl_convolution_direct,
                            c->src.md, c->weights.md, c->bias.md, c->dst.md,
                            c->window.strides, c->window.dilates,
                            c->window.padding_l, c->padding_r, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

bool convolution_run(struct convolution *c)
{
    struct run_argument args[4 + CONVOLUTION_NUMBERS];
    int n = 0;
    args[n++] = (struct run_argument){DNNL_ARG_SRC, &c->src};
    args[n++] = (struct run_argument){DNNL_ARG_WEIGHTS, &c->weights};
    if (c->has_bias) args[n++] = (struct run_argument){DNNL_ARG_BIAS, &c->bias};
    args[n++] = (struct run_argument){DNNL_ARG_DST, &c->dst};
    for (int i = 0; i < CONVOLUTION_NUMBERS; i++)
        if (c->numbers[i].md != NULL)
            args[n++] = (struct run_argument){number_args[i], &c->numbers[i]};
    return run_twice(convolution_describe, c, args, n);
}

/* Integers from end to end: nothing is rounded. */
static bool is_exact(const struct convolution *c)
{
    for (int i = 0; i < CONVOLUTION_NUMBERS; i++)
        if (i != SRC_ZERO && i != WEIGHTS_ZERO && c->numbers[i].md != NULL)
            return false;
    return tensor_is_integer(&c->src) && tensor_is_integer(&c->dst)
           && c->chain.count == 0 && c->before.md == NULL
           && (!c->has_bias || tensor_is_integer(&c->bias));
}

/* A device may take 2.5 units in the last place for a division. */
enum { ROUNDINGS = 3 };

static struct reference_value times(struct reference_value v, double factor)
{
    v.value *= factor;
    v.tolerance = v.tolerance * fabs(factor)
                  + (double)ROUNDINGS * (double)FLT_EPSILON * fabs(v.value);
    return v;
}

static struct reference_value plus(struct reference_value v, double addend)
{
    v.value += addend;
    v.tolerance += (double)FLT_EPSILON * fabs(v.value);
    return v;
}

/* The number for a channel of dst. */
static double number_of(
        const struct convolution *c, int number, dnnl_dim_t channel)
{
    const struct reference_tensor *t = &c->numbers[number].view;
    return reference_read(t, t->dims[0] == 1 ? 0 : channel);
}

static struct reference_value scaled(
        const struct convolution *c, const dnnl_dims_t place)
{
    struct reference_value v = reference_convolution(
            &c->src.view, &c->weights.view, NULL, &c->window, place);
    for (int i = SRC_SCALE; i <= WEIGHTS_SCALE; i++)
        if (c->numbers[i].md != NULL) v = times(v, number_of(c, i, place[1]));
    if (c->has_bias)
        v = plus(v, reference_read(
                            &c->bias.view, place[1] * c->bias.view.strides[0]));
    return v;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct convolution *c = user;
    struct reference_value v = scaled(c, place);
    if (is_exact(c)) v.tolerance = 0.0;
    if (c->before.md != NULL)
        v = plus(
                v, (double)c->sum_scale * reference_at(&c->before.view, place));
    v = chain_apply(&c->chain, v);
    if (c->numbers[DST_SCALE].md != NULL)
        v = times(v, 1.0 / number_of(c, DST_SCALE, place[1]));
    if (c->numbers[DST_ZERO].md != NULL)
        v = plus(v, number_of(c, DST_ZERO, place[1]));
    return v;
}

static void randomize(struct tensor *t, uint64_t *seed)
{
    double high = t->view.type == dnnl_s8    ? 127.0
                  : t->view.type == dnnl_u8  ? 255.0
                  : t->view.type == dnnl_s32 ? 1e6
                                             : 1.0;
    tensor_randomize(t, seed, -high, high);
}

void convolution_expect(const struct convolution *c)
{
    expect_tensor(&c->dst, expected, c);
}

void convolution_check(struct convolution *c, uint64_t *seed)
{
    randomize(&c->src, seed);
    randomize(&c->weights, seed);
    if (c->has_bias) randomize(&c->bias, seed);
    if (convolution_run(c)) convolution_expect(c);
    convolution_fini(c);
}

void convolution_check_all(bool is_transposed, const struct sizes *sizes,
        size_t count, const struct tags *tags, const struct types *types)
{
    uint64_t seed = test_seed();
    for (size_t i = 0; i < count && !test_has_failed(); i++) {
        struct convolution c;
        convolution_init(&c, is_transposed, &sizes[i],
                tags != NULL ? tags : &plain_tags[sizes[i].spatial - 1], types);
        convolution_check(&c, &seed);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

/* One spatial dimension, which an empty image has a result in, too. */
static void draw_window(struct sizes *s, int d, bool is_transposed,
        bool is_empty, uint64_t *seed)
{
    s->kernel[d] = 2 + random_below(seed, 2);
    s->dilate[d] = random_below(seed, 2);
    s->stride[d] = 1 + random_below(seed, 2);
    const dnnl_dim_t range = (s->kernel[d] - 1) * (s->dilate[d] + 1) + 1;
    s->left[d] = is_transposed ? 0 : random_below(seed, 3);
    s->right[d] = is_transposed ? 0 : random_below(seed, 3);
    s->size[d] = (is_transposed ? 1 : range) + random_below(seed, 3);
    if (!is_empty) return;
    s->size[d] = 0;
    if (!is_transposed) s->left[d] += range;
}

void convolution_check_empty(bool is_transposed, int count)
{
    static const struct types types[] = {
            {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_s32}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    for (int i = 0; i < count && !test_has_failed(); i++) {
        if (!is_in_sample((size_t)i, first)) continue;
        struct sizes s = {.spatial = 1 + (int)random_below(&seed, 3)};
        struct convolution c;
        /* What is empty: images, channels, or one of the spatial sizes. */
        const dnnl_dim_t empty = random_below(&seed, 2 + s.spatial);
        s.groups = 1 + random_below(&seed, 2);
        s.images = empty == 0 ? 0 : 1 + random_below(&seed, 2);
        s.in = empty == 1 ? 0 : s.groups * (1 + random_below(&seed, 5));
        s.out = s.groups * (1 + random_below(&seed, 9));
        for (int d = 0; d < s.spatial; d++)
            draw_window(&s, d, is_transposed, empty == 2 + d, &seed);
        convolution_init(&c, is_transposed, &s, &plain_tags[s.spatial - 1],
                &types[random_below(&seed, COUNT(types))]);
        tensor_lay_out_randomly(&c.src, &seed);
        tensor_lay_out_randomly(&c.weights, &seed);
        tensor_lay_out_randomly(&c.dst, &seed);
        convolution_check(&c, &seed);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "case %d, empty: %d", i, (int)empty);
    }
}

/* ---- ONNX ---------------------------------------------------------------- */

/* Fills a tensor with a file's, whose groups may be part of a dimension. */
static void take(struct tensor *t, const char *name, const char *part)
{
    char file[64];
    struct tensor from;
    snprintf(file, sizeof file, "%s_%s", name, part);
    onnx_tensor_init(&from, file);
    EXPECT_EQ(t->size, from.size);
    if (t->size == from.size) memcpy(t->bytes, from.bytes, from.size);
    tensor_fini(&from);
}

void convolution_run_onnx(struct convolution *c, const char *name)
{
    char file[64];
    take(&c->src, name, "input_0");
    take(&c->weights, name, "weights");
    if (c->has_bias) take(&c->bias, name, "bias");
    snprintf(file, sizeof file, "%s_output_0", name);
    if (convolution_run(c)) {
        convolution_expect(c);
        /* Sums of some dozen products below 1 or so, in another order. */
        onnx_expect(&c->dst, file, 1e-5);
    }
    convolution_fini(c);
}
