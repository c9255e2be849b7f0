/* SPDX-License-Identifier: Apache-2.0 */
#include "random_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------- */

uint64_t random_calls_draw(struct random_calls *calls, uint64_t below)
{
    /* splitmix64 */
    uint64_t z = calls->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

static bool is_one_in(struct random_calls *calls, uint64_t n)
{
    return random_calls_draw(calls, n) == 0;
}

static dnnl_dim_t extreme(struct random_calls *calls)
{
    static const dnnl_dim_t numbers[] = {-1, INT64_MAX, INT64_MAX - 1,
            DNNL_RUNTIME_DIM_VAL, INT64_MIN + 1, INT32_MAX,
            (dnnl_dim_t)INT32_MAX + 1, (dnnl_dim_t)1 << 32, (dnnl_dim_t)1 << 20,
            (dnnl_dim_t)1 << 29, ((dnnl_dim_t)1 << 29) + 1, (dnnl_dim_t)1 << 30,
            INT32_MAX - (1 << 22), (dnnl_dim_t)1 << 60, (dnnl_dim_t)1 << 61,
            (dnnl_dim_t)1 << 62, INT64_MAX / 3, INT32_MIN, 65536};
    return numbers[random_calls_draw(calls, sizeof numbers / sizeof *numbers)];
}

static dnnl_dim_t number(struct random_calls *calls)
{
    if (calls->is_extreme && is_one_in(calls, 4)) return extreme(calls);
    return (dnnl_dim_t)random_calls_draw(calls, 5);
}

/* One that is often allowed where 0 is not. */
static dnnl_dim_t positive(struct random_calls *calls)
{
    if (is_one_in(calls, 8)) return number(calls);
    return 1 + (dnnl_dim_t)random_calls_draw(calls, 3);
}

static float real(struct random_calls *calls)
{
    static const float numbers[] = {0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 1e30f,
            -1e30f, 1e-40f, (float)INFINITY, -(float)INFINITY, (float)NAN};
    return numbers[random_calls_draw(calls, calls->is_extreme ? 11 : 5)];
}

/* ---- Tensors ------------------------------------------------------------- */

enum { MAX_MDS = 80 };

/* A call under way, and the descriptors to destroy after it. */
struct draft {
    struct random_calls *calls;
    dnnl_data_type_t type; /* of most tensors */
    dnnl_memory_desc_t mds[MAX_MDS];
    int md_count;
    dnnl_primitive_attr_t attr;
    int ndims; /* of dims */
    dnnl_dims_t dims;
};

static dnnl_data_type_t draw_type(struct random_calls *calls)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f32, dnnl_f32,
            dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8};
    if (is_one_in(calls, 16))
        return (dnnl_data_type_t)random_calls_draw(calls, 17);
    return types[random_calls_draw(calls, 8)];
}

static dnnl_data_type_t type_near(struct draft *d, dnnl_data_type_t type)
{
    return is_one_in(d->calls, 8) ? draw_type(d->calls) : type;
}

/* Dense strides with the dimensions in a random order, and gaps now and then.
 * False if they are too large. */
static bool draw_strides(struct random_calls *calls, int ndims,
        const dnnl_dims_t dims, dnnl_dims_t strides)
{
    int order[DNNL_MAX_NDIMS] = {0};
    dnnl_dim_t stride = 1;
    for (int i = 0; i < ndims; i++) {
        int j = (int)random_calls_draw(calls, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < ndims; i++) {
        dnnl_dim_t size = dims[order[i]] > 1 ? dims[order[i]] : 1;
        if (is_one_in(calls, 8)) stride += number(calls) & INT32_MAX;
        strides[order[i]] = stride;
        if (calls->is_extreme && is_one_in(calls, 16))
            strides[order[i]] = extreme(calls);
        if (__builtin_mul_overflow(stride, size, &stride)
                || stride > (dnnl_dim_t)1 << 62)
            return false;
    }
    return true;
}

static dnnl_memory_desc_t in_blocks(struct random_calls *calls, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t type)
{
    static const dnnl_format_tag_t tags[][3] = {
            {dnnl_format_tag_undef, dnnl_format_tag_undef,
                    dnnl_format_tag_undef},
            {dnnl_a, dnnl_a, dnnl_a}, {dnnl_ab, dnnl_AB16b16a, dnnl_ba},
            {dnnl_aBc16b, dnnl_ABc16a16b, dnnl_acb},
            {dnnl_aBcd16b, dnnl_ABcd8b8a, dnnl_acdb},
            {dnnl_aBcde16b, dnnl_aBCde2b4c2b, dnnl_acdeb},
            {dnnl_aBCdef16b16c, dnnl_abcdef, dnnl_aBcdef4b}};
    dnnl_memory_desc_t md = NULL;
    if (ndims >= (int)(sizeof tags / sizeof *tags)) return NULL;
    (void)dnnl_memory_desc_create_with_tag(
            &md, ndims, dims, type, tags[ndims][random_calls_draw(calls, 3)]);
    return md;
}

/* Part of a tensor that is larger. */
static dnnl_memory_desc_t part(struct random_calls *calls, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t type)
{
    dnnl_dims_t whole;
    dnnl_dims_t offsets;
    dnnl_memory_desc_t parent = NULL;
    dnnl_memory_desc_t md = NULL;
    for (int i = 0; i < ndims; i++) {
        offsets[i] = (dnnl_dim_t)random_calls_draw(calls, 3);
        if (__builtin_add_overflow(dims[i], offsets[i], &whole[i])) return NULL;
    }
    (void)dnnl_memory_desc_create_with_strides(
            &parent, ndims, whole, type, NULL);
    if (parent != NULL)
        (void)dnnl_memory_desc_create_submemory(&md, parent, dims, offsets);
    dnnl_memory_desc_destroy(parent);
    return md;
}

static dnnl_memory_desc_t draw_layout(struct random_calls *calls, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t type)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_dims_t strides;
    switch (random_calls_draw(calls, 8)) {
    case 0:
        return in_blocks(calls, ndims, dims, type);
    case 1:
        return part(calls, ndims, dims, type);
    case 2:
        if (draw_strides(calls, ndims, dims, strides))
            (void)dnnl_memory_desc_create_with_strides(
                    &md, ndims, dims, type, strides);
        return md;
    case 3:
        (void)dnnl_memory_desc_create_with_tag(
                &md, ndims, dims, type, dnnl_format_tag_any);
        return md;
    default:
        return NULL;
    }
}

/* NULL, now and then, if such a tensor cannot be described. */
static dnnl_memory_desc_t add_md(
        struct draft *d, int ndims, const dnnl_dims_t dims)
{
    dnnl_data_type_t type = type_near(d, d->type);
    if (d->md_count == MAX_MDS || is_one_in(d->calls, 64)) return NULL;
    dnnl_memory_desc_t md = draw_layout(d->calls, ndims, dims, type);
    if (md == NULL)
        (void)dnnl_memory_desc_create_with_strides(
                &md, ndims, dims, type, NULL);
    if (md != NULL) d->mds[d->md_count++] = md;
    return md;
}

static dnnl_memory_desc_t add_vector(struct draft *d, dnnl_dim_t size)
{
    return add_md(d, 1, (dnnl_dims_t){size});
}

/* The same of nearly these dimensions. */
static dnnl_memory_desc_t add_near(
        struct draft *d, int ndims, const dnnl_dims_t dims)
{
    dnnl_dims_t changed;
    memcpy(changed, dims, (size_t)ndims * sizeof dims[0]);
    if (is_one_in(d->calls, 16))
        changed[random_calls_draw(d->calls, (uint64_t)ndims)] =
                number(d->calls);
    return add_md(d, ndims, changed);
}

static void draw_dims(struct draft *d, int least, int most)
{
    d->ndims = least
               + (int)random_calls_draw(d->calls, (uint64_t)(most - least + 1));
    memset(d->dims, 0, sizeof d->dims);
    for (int i = 0; i < d->ndims; i++)
        d->dims[i] =
                is_one_in(d->calls, 2) ? positive(d->calls) : number(d->calls);
}

/* Some dimensions become 1. */
static void repeat_some(struct draft *d, dnnl_dims_t dims)
{
    for (int i = 0; i < d->ndims; i++)
        if (is_one_in(d->calls, 3)) dims[i] = 1;
}

static dnnl_prop_kind_t draw_prop(struct random_calls *calls)
{
    if (is_one_in(calls, 32))
        return (dnnl_prop_kind_t)random_calls_draw(calls, 200);
    return is_one_in(calls, 2) ? dnnl_forward_training : dnnl_forward_inference;
}

/* One of an algorithm's kinds, or now and then another. */
static dnnl_alg_kind_t draw_alg(
        struct random_calls *calls, dnnl_alg_kind_t first, int count)
{
    int by = (int)random_calls_draw(calls, (uint64_t)count);
    if (is_one_in(calls, 32)) by += (int)random_calls_draw(calls, 100);
    return (dnnl_alg_kind_t)((int)first + by);
}

/* ---- Attributes ---------------------------------------------------------- */

static void append_post_op(struct draft *d, dnnl_post_ops_t ops)
{
    struct random_calls *calls = d->calls;
    dnnl_dims_t dims;
    dnnl_memory_desc_t md;
    switch (random_calls_draw(calls, 5)) {
    case 0:
        (void)dnnl_post_ops_append_eltwise(ops,
                draw_alg(calls, dnnl_eltwise_relu, 20), real(calls),
                real(calls));
        break;
    case 1:
        (void)dnnl_post_ops_append_sum(ops, real(calls),
                (int32_t)random_calls_draw(calls, 3),
                is_one_in(calls, 2) ? dnnl_data_type_undef : draw_type(calls));
        break;
    case 2:
        memcpy(dims, d->dims, sizeof dims);
        repeat_some(d, dims);
        md = d->ndims > 0 ? add_near(d, d->ndims, dims) : NULL;
        (void)dnnl_post_ops_append_binary(
                ops, draw_alg(calls, dnnl_binary_add, 12), md);
        break;
    case 3:
        if (is_one_in(calls, 4))
            (void)dnnl_post_ops_append_dw(ops, draw_type(calls),
                    draw_type(calls), draw_type(calls), positive(calls),
                    positive(calls), number(calls));
        break;
    default:
        (void)dnnl_post_ops_append_prelu(
                ops, (int)random_calls_draw(calls, 18));
        break;
    }
}

static int draw_numbered_arg(struct random_calls *calls)
{
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
            DNNL_ARG_SRC_1, DNNL_ARG_MULTIPLE_SRC};
    return args[random_calls_draw(calls, 5)];
}

static void set_numbers(struct draft *d)
{
    struct random_calls *calls = d->calls;
    static const int masks[] = {0, 0, 0, 1, 2, 3, 4, 8, 2048};
    int arg = draw_numbered_arg(calls);
    int mask = masks[random_calls_draw(calls, 9)];
    dnnl_dims_t groups = {positive(calls), positive(calls)};
    int ndims = is_one_in(calls, 6) ? 2 : 0;
    if (is_one_in(calls, 2))
        (void)dnnl_primitive_attr_set_scales(
                d->attr, arg, mask, ndims, groups, type_near(d, dnnl_f32));
    else
        (void)dnnl_primitive_attr_set_zero_points(
                d->attr, arg, mask, ndims, groups, type_near(d, dnnl_s32));
}

/* What only refuses descriptors, or not even that. */
static void set_unused(struct draft *d)
{
    const float factors[] = {1.0f, (float)random_calls_draw(d->calls, 3)};
    const int mask = (int)random_calls_draw(d->calls, 99);
    switch (random_calls_draw(d->calls, 4)) {
    case 0:
        (void)dnnl_primitive_attr_set_rnn_data_qparams(
                d->attr, factors[1], factors[0] - 1.0f);
        break;
    case 1:
        (void)dnnl_primitive_attr_set_rnn_weights_qparams(
                d->attr, 2, mask, factors);
        break;
    case 2:
        (void)dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                d->attr, 1, mask, factors);
        break;
    default:
        (void)dnnl_primitive_attr_set_rounding(
                d->attr, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic);
    }
}

/* A mask is dst's now and then. */
static void set_random(struct draft *d)
{
    struct random_calls *calls = d->calls;
    if (is_one_in(calls, 2))
        (void)dnnl_primitive_attr_set_rounding(d->attr,
                is_one_in(calls, 4) ? draw_numbered_arg(calls) : DNNL_ARG_DST,
                dnnl_rounding_mode_stochastic);
    if (is_one_in(calls, 2) && d->ndims > 0)
        (void)dnnl_primitive_attr_set_dropout(
                d->attr, add_near(d, d->ndims, d->dims));
}

/* Of a result of d->dims. */
static void draw_attr(struct draft *d)
{
    struct random_calls *calls = d->calls;
    dnnl_post_ops_t ops = NULL;
    if (is_one_in(calls, 2) || dnnl_primitive_attr_create(&d->attr) != 0)
        return;
    for (uint64_t i = random_calls_draw(calls, 3); i > 0; i--)
        set_numbers(d);
    if (is_one_in(calls, 16)) set_unused(d);
    if (is_one_in(calls, 8)) set_random(d);
    if (is_one_in(calls, 2) || dnnl_post_ops_create(&ops) != 0) return;
    for (uint64_t i = random_calls_draw(calls, 4); i > 0; i--)
        append_post_op(d, ops);
    (void)dnnl_primitive_attr_set_post_ops(d->attr, ops);
    dnnl_post_ops_destroy(ops);
}

/* ---- Element by element -------------------------------------------------- */

static dnnl_status_t make_eltwise(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 1, 6);
    draw_attr(d);
    return dnnl_eltwise_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), draw_alg(c, dnnl_eltwise_relu, 21),
            add_near(d, d->ndims, d->dims), add_near(d, d->ndims, d->dims),
            real(c), real(c), d->attr);
}

static dnnl_status_t make_binary(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    dnnl_dims_t repeated[3];
    draw_dims(d, 1, 6);
    draw_attr(d);
    for (int i = 0; i < 3; i++) {
        memcpy(repeated[i], d->dims, sizeof d->dims);
        if (i > 0) repeat_some(d, repeated[i]);
    }
    bool is_select = is_one_in(c, 8);
    return dnnl_binary_primitive_desc_create_v2(pd, c->engine,
            is_select ? dnnl_binary_select : draw_alg(c, dnnl_binary_add, 12),
            add_near(d, d->ndims, repeated[0]),
            add_near(d, d->ndims, repeated[1]),
            is_select ? add_near(d, d->ndims, repeated[2]) : NULL,
            add_near(d, d->ndims, d->dims), d->attr);
}

static dnnl_status_t make_prelu(struct draft *d, dnnl_primitive_desc_t *pd)
{
    dnnl_dims_t repeated;
    draw_dims(d, 1, 6);
    draw_attr(d);
    memcpy(repeated, d->dims, sizeof repeated);
    repeat_some(d, repeated);
    return dnnl_prelu_forward_primitive_desc_create(pd, d->calls->engine,
            draw_prop(d->calls), add_near(d, d->ndims, d->dims),
            add_near(d, d->ndims, repeated), add_near(d, d->ndims, d->dims),
            d->attr);
}

static dnnl_status_t make_reorder(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    uint64_t side = random_calls_draw(c, 4);
    draw_dims(d, 1, 6);
    draw_attr(d);
    return dnnl_reorder_primitive_desc_create(pd,
            add_near(d, d->ndims, d->dims), side == 1 ? c->host : c->engine,
            add_near(d, d->ndims, d->dims), side == 2 ? c->host : c->engine,
            d->attr);
}

static dnnl_status_t make_sum(struct draft *d, dnnl_primitive_desc_t *pd)
{
    enum { MOST = 70 };
    struct random_calls *c = d->calls;
    const_dnnl_memory_desc_t srcs[MOST];
    float scales[MOST];
    int n = is_one_in(c, 16) ? (int)random_calls_draw(c, MOST)
                             : 1 + (int)random_calls_draw(c, 4);
    draw_dims(d, 1, 6);
    draw_attr(d);
    for (int i = 0; i < n; i++) {
        scales[i] = real(c);
        srcs[i] = i > 0 && is_one_in(c, 2) ? srcs[0]
                                           : add_md(d, d->ndims, d->dims);
    }
    return dnnl_sum_primitive_desc_create(pd, c->engine,
            is_one_in(c, 4) ? NULL : add_near(d, d->ndims, d->dims), n, scales,
            srcs, d->attr);
}

static dnnl_status_t make_concat(struct draft *d, dnnl_primitive_desc_t *pd)
{
    enum { MOST = 6 };
    struct random_calls *c = d->calls;
    const_dnnl_memory_desc_t srcs[MOST];
    dnnl_dims_t dims;
    dnnl_dim_t all = 0;
    int n = 1 + (int)random_calls_draw(c, MOST);
    draw_dims(d, 1, 6);
    draw_attr(d);
    int axis = (int)random_calls_draw(c, (uint64_t)d->ndims);
    for (int i = 0; i < n; i++) {
        memcpy(dims, d->dims, sizeof dims);
        dims[axis] = number(c);
        srcs[i] = add_near(d, d->ndims, dims);
        if (__builtin_add_overflow(all, dims[axis], &all)) all = 1;
    }
    dims[axis] = all;
    return dnnl_concat_primitive_desc_create(pd, c->engine,
            is_one_in(c, 2) ? NULL : add_near(d, d->ndims, dims), n,
            is_one_in(c, 32) ? (int)number(c) : axis, srcs, d->attr);
}

static dnnl_status_t make_shuffle(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 1, 6);
    if (is_one_in(c, 8)) draw_attr(d);
    int axis = (int)random_calls_draw(c, (uint64_t)d->ndims);
    d->type = type_near(d, dnnl_f32);
    return dnnl_shuffle_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), add_near(d, d->ndims, d->dims),
            add_near(d, d->ndims, d->dims),
            is_one_in(c, 32) ? (int)number(c) : axis,
            is_one_in(c, 2) ? positive(c) : d->dims[axis], d->attr);
}

static dnnl_status_t make_softmax(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 1, 6);
    draw_attr(d);
    int axis = (int)random_calls_draw(c, (uint64_t)d->ndims);
    return dnnl_softmax_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), draw_alg(c, dnnl_softmax_accurate, 2),
            add_near(d, d->ndims, d->dims), add_near(d, d->ndims, d->dims),
            is_one_in(c, 32) ? (int)number(c) : axis, d->attr);
}

static dnnl_status_t make_reduction(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 1, 6);
    dnnl_memory_desc_t src = add_near(d, d->ndims, d->dims);
    repeat_some(d, d->dims);
    draw_attr(d);
    return dnnl_reduction_primitive_desc_create(pd, c->engine,
            draw_alg(c, dnnl_reduction_max, 9), src,
            add_near(d, d->ndims, d->dims), real(c), real(c), d->attr);
}

/* ---- Normalizations ------------------------------------------------------ */

static unsigned draw_flags(struct random_calls *calls)
{
    return (unsigned)random_calls_draw(calls, is_one_in(calls, 8) ? 64 : 8);
}

static dnnl_status_t make_batch_normalization(
        struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    draw_attr(d);
    return dnnl_batch_normalization_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), add_near(d, d->ndims, d->dims),
            add_near(d, d->ndims, d->dims), real(c), draw_flags(c), d->attr);
}

static dnnl_status_t make_group_normalization(
        struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    draw_attr(d);
    return dnnl_group_normalization_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), add_near(d, d->ndims, d->dims),
            add_near(d, d->ndims, d->dims),
            is_one_in(c, 2) ? positive(c) : d->dims[1], real(c), draw_flags(c),
            d->attr);
}

static dnnl_status_t make_layer_normalization(
        struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    draw_attr(d);
    dnnl_memory_desc_t src = add_near(d, d->ndims, d->dims);
    dnnl_memory_desc_t dst = add_near(d, d->ndims, d->dims);
    d->type = dnnl_f32;
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd,
            c->engine, draw_prop(c), src, dst,
            is_one_in(c, 2) ? NULL : add_near(d, d->ndims - 1, d->dims),
            type_near(d, dnnl_f32), real(c), draw_flags(c), d->attr);
}

static dnnl_status_t make_lrn(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    draw_attr(d);
    return dnnl_lrn_forward_primitive_desc_create(pd, c->engine, draw_prop(c),
            draw_alg(c, dnnl_lrn_across_channels, 2),
            add_near(d, d->ndims, d->dims), add_near(d, d->ndims, d->dims),
            positive(c), real(c), real(c), real(c), d->attr);
}

/* ---- Products ------------------------------------------------------------ */

static dnnl_status_t make_matmul(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    dnnl_dims_t src, weights, bias;
    memcpy(src, d->dims, sizeof src);
    memcpy(weights, d->dims, sizeof weights);
    memcpy(bias, d->dims, sizeof bias);
    src[d->ndims - 1] = weights[d->ndims - 2] = number(c);
    for (int i = 0; i < d->ndims - 2; i++)
        if (is_one_in(c, 4)) src[i] = 1;
    repeat_some(d, bias);
    draw_attr(d);
    return dnnl_matmul_primitive_desc_create(pd, c->engine,
            add_near(d, d->ndims, src), add_near(d, d->ndims, weights),
            is_one_in(c, 2) ? NULL : add_near(d, d->ndims, bias),
            add_near(d, d->ndims, d->dims), d->attr);
}

static dnnl_status_t make_inner_product(
        struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    draw_dims(d, 2, 5);
    dnnl_dims_t weights;
    int ndims = d->ndims;
    memcpy(weights, d->dims, sizeof weights);
    weights[0] = number(c);
    dnnl_memory_desc_t src = add_near(d, ndims, d->dims);
    d->ndims = 2;
    d->dims[1] = weights[0];
    draw_attr(d);
    return dnnl_inner_product_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), src, add_near(d, ndims, weights),
            is_one_in(c, 2) ? NULL : add_vector(d, weights[0]),
            add_near(d, 2, d->dims), d->attr);
}

/* ---- Windows ------------------------------------------------------------- */

struct drawn_window {
    int spatial;
    dnnl_dims_t in, out, kernel, strides, dilates, padding_l, padding_r;
};

/* What comes out, as far as it can be counted. */
static dnnl_dim_t count_out(const struct drawn_window *w, int i)
{
    dnnl_dim_t range, rest;
    if (w->strides[i] < 1 || __builtin_add_overflow(w->dilates[i], 1, &range)
            || __builtin_mul_overflow(range, w->kernel[i] - 1, &range)
            || __builtin_sub_overflow(w->in[i], range, &rest)
            || __builtin_add_overflow(rest, w->padding_l[i], &rest)
            || __builtin_add_overflow(rest, w->padding_r[i], &rest)
            || rest == INT64_MIN)
        return 0;
    return (rest - 1) / w->strides[i] + 1;
}

static void draw_window(struct random_calls *c, struct drawn_window *w)
{
    memset(w, 0, sizeof *w);
    w->spatial = 1 + (int)random_calls_draw(c, 3);
    for (int i = 0; i < w->spatial; i++) {
        w->in[i] = number(c);
        w->kernel[i] = positive(c);
        if (w->kernel[i] == INT64_MIN) w->kernel[i]++;
        w->strides[i] = positive(c);
        w->dilates[i] = is_one_in(c, 2) ? number(c) : 0;
        w->padding_l[i] = is_one_in(c, 2) ? number(c) : 0;
        w->padding_r[i] = is_one_in(c, 2) ? number(c) : 0;
        w->out[i] = count_out(w, i);
    }
}

static dnnl_status_t make_pooling(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    struct drawn_window w;
    draw_window(c, &w);
    dnnl_dims_t src = {number(c), number(c)};
    memcpy(d->dims, src, sizeof src);
    memcpy(src + 2, w.in, 3 * sizeof *src);
    memcpy(d->dims + 2, w.out, 3 * sizeof *src);
    d->ndims = w.spatial + 2;
    draw_attr(d);
    return dnnl_pooling_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), draw_alg(c, dnnl_pooling_max, 3),
            add_near(d, d->ndims, src), add_near(d, d->ndims, d->dims),
            w.strides, w.kernel, w.dilates, w.padding_l, w.padding_r, d->attr);
}

/* The dimensions of a convolution, with groups or without. */
static int draw_channels(struct random_calls *c, const struct drawn_window *w,
        dnnl_dims_t image, dnnl_dims_t result, dnnl_dims_t weights)
{
    int with_groups = is_one_in(c, 3);
    dnnl_dim_t groups = with_groups ? positive(c) : 1;
    dnnl_dim_t in = number(c), out = number(c);
    image[0] = result[0] = number(c);
    if (__builtin_mul_overflow(groups, in, &image[1])) image[1] = 1;
    if (__builtin_mul_overflow(groups, out, &result[1])) result[1] = 1;
    weights[0] = groups;
    weights[with_groups] = out;
    weights[with_groups + 1] = in;
    memcpy(weights + with_groups + 2, w->kernel, 3 * sizeof *weights);
    return with_groups;
}

static dnnl_status_t make_convolution(
        struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    struct drawn_window w;
    dnnl_dims_t src, weights;
    memset(src, 0, sizeof src);
    memset(weights, 0, sizeof weights);
    draw_window(c, &w);
    int with_groups = draw_channels(c, &w, src, d->dims, weights);
    bool is_back = is_one_in(c, 2);
    memcpy(src + 2, is_back ? w.out : w.in, 3 * sizeof *src);
    memcpy(d->dims + 2, is_back ? w.in : w.out, 3 * sizeof *src);
    d->ndims = w.spatial + 2;
    draw_attr(d);
    if (d->type == dnnl_u8 || d->type == dnnl_s32) d->type = dnnl_s8;
    return (is_back ? dnnl_deconvolution_forward_primitive_desc_create
                    : dnnl_convolution_forward_primitive_desc_create)(pd,
            c->engine, draw_prop(c),
            is_one_in(c, 32) ? draw_alg(c, dnnl_convolution_direct, 6)
            : is_back        ? dnnl_deconvolution_direct
                             : dnnl_convolution_direct,
            add_near(d, d->ndims, src),
            add_near(d, d->ndims + with_groups, weights),
            is_one_in(c, 2) ? NULL : add_vector(d, d->dims[1]),
            add_near(d, d->ndims, d->dims), w.strides, w.dilates, w.padding_l,
            w.padding_r, d->attr);
}

static dnnl_status_t make_resampling(struct draft *d, dnnl_primitive_desc_t *pd)
{
    struct random_calls *c = d->calls;
    const float factors[] = {real(c), real(c), real(c)};
    draw_dims(d, 3, 5);
    dnnl_memory_desc_t src = add_near(d, d->ndims, d->dims);
    for (int i = 2; i < d->ndims; i++)
        d->dims[i] = number(c);
    draw_attr(d);
    bool has_factors = is_one_in(c, 3);
    return dnnl_resampling_forward_primitive_desc_create(pd, c->engine,
            draw_prop(c), draw_alg(c, dnnl_resampling_nearest, 2),
            has_factors ? factors : NULL, src,
            has_factors && is_one_in(c, 2) ? NULL
                                           : add_near(d, d->ndims, d->dims),
            d->attr);
}

/* ---- All ----------------------------------------------------------------- */

static const struct {
    const char *name;
    dnnl_status_t (*make)(struct draft *d, dnnl_primitive_desc_t *pd);
} kinds[] = {{"eltwise", make_eltwise}, {"binary", make_binary},
        {"prelu", make_prelu}, {"reorder", make_reorder}, {"sum", make_sum},
        {"concat", make_concat}, {"shuffle", make_shuffle},
        {"softmax", make_softmax}, {"reduction", make_reduction},
        {"batch_normalization", make_batch_normalization},
        {"group_normalization", make_group_normalization},
        {"layer_normalization", make_layer_normalization}, {"lrn", make_lrn},
        {"matmul", make_matmul}, {"inner_product", make_inner_product},
        {"pooling", make_pooling}, {"convolution", make_convolution},
        {"resampling", make_resampling}};

void random_calls_make(struct random_calls *calls, struct random_call *call)
{
    struct draft d;
    memset(&d, 0, sizeof d);
    d.calls = calls;
    d.type = draw_type(calls);
    uint64_t kind = random_calls_draw(calls, sizeof kinds / sizeof *kinds);
    call->kind = kinds[kind].name;
    call->pd = NULL;
    call->status = kinds[kind].make(&d, &call->pd);
    dnnl_primitive_attr_destroy(d.attr);
    for (int i = 0; i < d.md_count; i++)
        dnnl_memory_desc_destroy(d.mds[i]);
}

dnnl_dim_t random_calls_number(struct random_calls *calls)
{
    return number(calls);
}

dnnl_memory_desc_t random_calls_md(struct random_calls *calls)
{
    struct draft d;
    memset(&d, 0, sizeof d);
    d.calls = calls;
    d.type = draw_type(calls);
    draw_dims(&d, 1, 6);
    return add_md(&d, d.ndims, d.dims);
}
