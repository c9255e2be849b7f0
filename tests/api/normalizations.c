/* SPDX-License-Identifier: Apache-2.0 */
#include "normalizations.h"

#include "test.h"

#include <math.h>
#include <string.h>

enum { MAX_ARGUMENTS = 8 };

static bool is_given(const struct normalization *n)
{
    return (n->flags & dnnl_use_global_stats) != 0;
}

static bool is_rms(const struct normalization *n)
{
    return (n->flags & dnnl_rms_norm) != 0;
}

static bool saves_statistics(const struct normalization *n)
{
    return !is_given(n) && n->prop_kind == dnnl_forward_training;
}

static bool has_relu(const struct normalization *n)
{
    return (n->flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu)) != 0;
}

static bool has_workspace(const struct normalization *n)
{
    return has_relu(n) && n->prop_kind == dnnl_forward_training;
}

/* ---- Tensors ------------------------------------------------------------- */

/* The shape of mean and variance. */
static int statistics_dims(const struct normalization *n, dnnl_dims_t dims)
{
    const struct reference_tensor *src = &n->src.view;
    switch (n->kind) {
    case dnnl_layer_normalization:
        memcpy(dims, src->dims, sizeof src->dims);
        return src->ndims - 1;
    case dnnl_group_normalization:
        dims[0] = src->dims[0];
        dims[1] = n->groups;
        return 2;
    default:
        dims[0] = src->dims[1];
        return 1;
    }
}

/* The dimension that scale and shift have. */
static int scale_dim(const struct normalization *n)
{
    return n->kind == dnnl_layer_normalization ? n->src.view.ndims - 1 : 1;
}

static void init_numbers(struct tensor *t, int ndims, const dnnl_dims_t dims,
        uint64_t *seed, double low, double high)
{
    tensor_init_strided(t, dnnl_f32, ndims, dims, NULL);
    tensor_randomize(t, seed, low, high);
}

void normalization_init(struct normalization *n, dnnl_primitive_kind_t kind,
        const struct normalization_case *c, uint64_t *seed, double low,
        double high)
{
    dnnl_dims_t dims = {0};
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->prop_kind = c->prop_kind;
    n->flags = c->flags;
    n->groups = c->groups;
    n->epsilon = 1e-4f;
    tensor_init(&n->src, c->src, c->ndims, c->dims, c->src_tag);
    tensor_init(&n->dst, c->dst, c->ndims, c->dims, c->dst_tag);
    tensor_randomize(&n->src, seed, low, high);
    int ndims = statistics_dims(n, dims);
    init_numbers(&n->mean, ndims, dims, seed, low, high);
    init_numbers(&n->variance, ndims, dims, seed, 0.1, high * high);
    const dnnl_dims_t channels = {n->src.view.dims[scale_dim(n)]};
    init_numbers(&n->scale, 1, channels, seed, -2.0, 2.0);
    init_numbers(&n->shift, 1, channels, seed, -2.0, 2.0);
    if ((n->flags & dnnl_fuse_norm_add_relu) != 0) {
        tensor_init(&n->addend, c->dst, c->ndims, c->dims, c->dst_tag);
        tensor_randomize(&n->addend, seed, low, high);
    }
    if (has_workspace(n))
        tensor_init(&n->workspace, dnnl_u8, c->ndims, c->dims, c->dst_tag);
}

void normalization_fini(struct normalization *n)
{
    tensor_fini(&n->src);
    tensor_fini(&n->dst);
    tensor_fini(&n->mean);
    tensor_fini(&n->variance);
    tensor_fini(&n->scale);
    tensor_fini(&n->shift);
    tensor_fini(&n->addend);
    tensor_fini(&n->workspace);
}

/* ---- The primitive ------------------------------------------------------- */

dnnl_status_t normalization_describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct normalization *n = user;
    dnnl_primitive_attr_t attr = chain_attr(&n->chain);
    dnnl_status_t st;
    if (n->kind == dnnl_layer_normalization)
        st = dnnl_layer_normalization_forward_primitive_desc_create(pd, engine,
                n->prop_kind, n->src.md, n->dst.md, n->mean.md, n->epsilon,
                n->flags, attr);
    else if (n->kind == dnnl_group_normalization)
        st = dnnl_group_normalization_forward_primitive_desc_create(pd, engine,
                n->prop_kind, n->src.md, n->dst.md, n->groups, n->epsilon,
                n->flags, attr);
    else
        st = dnnl_batch_normalization_forward_primitive_desc_create(pd, engine,
                n->prop_kind, n->src.md, n->dst.md, n->epsilon, n->flags, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

dnnl_status_t normalization_try(const struct normalization *n)
{
    return try_describe(normalization_describe, n);
}

/* ---- What is expected ---------------------------------------------------- */

/* The elements that have their statistics in common with the one at place. */
static struct reference_box box_of(
        const struct normalization *n, const dnnl_dims_t place)
{
    const struct reference_tensor *src = &n->src.view;
    struct reference_box box;
    for (int d = 0; d < src->ndims; d++) {
        box.from[d] = 0;
        box.count[d] = src->dims[d];
    }
    if (n->kind == dnnl_batch_normalization) {
        box.from[1] = place[1];
        box.count[1] = 1;
    } else if (n->kind == dnnl_group_normalization) {
        box.from[0] = place[0];
        box.count[0] = 1;
        box.count[1] = src->dims[1] / n->groups;
        box.from[1] = place[1] / box.count[1] * box.count[1];
    } else {
        memcpy(box.from, place, sizeof box.from);
        for (int d = 0; d < src->ndims - 1; d++)
            box.count[d] = 1;
        box.from[src->ndims - 1] = 0;
    }
    return box;
}

/* The place in mean and variance that belongs to one in src, and back: the
 * first such place. */
static void to_statistics(const struct normalization *n,
        const dnnl_dims_t place, dnnl_dims_t statistics)
{
    memcpy(statistics, place, sizeof(dnnl_dims_t));
    if (n->kind == dnnl_batch_normalization) statistics[0] = place[1];
    if (n->kind == dnnl_group_normalization)
        statistics[1] = place[1] / (n->src.view.dims[1] / n->groups);
}

static void from_statistics(const struct normalization *n,
        const dnnl_dims_t statistics, dnnl_dims_t place)
{
    memset(place, 0, sizeof(dnnl_dims_t));
    for (int d = 0; d < n->mean.view.ndims; d++)
        place[d] = statistics[d];
    if (n->kind == dnnl_batch_normalization) {
        place[0] = 0;
        place[1] = statistics[0];
    }
    if (n->kind == dnnl_group_normalization)
        place[1] = statistics[1] * (n->src.view.dims[1] / n->groups);
}

static struct reference_statistics statistics_at(
        const struct normalization *n, const dnnl_dims_t place)
{
    struct reference_statistics s;
    if (is_given(n)) {
        dnnl_dims_t at;
        to_statistics(n, place, at);
        s.mean = (struct reference_value){reference_at(&n->mean.view, at), 0.0};
        s.variance = (struct reference_value){
                reference_at(&n->variance.view, at), 0.0};
    } else {
        struct reference_box box = box_of(n, place);
        s = reference_statistics(&n->src.view, &box);
    }
    if (is_rms(n)) {
        const double mean = s.mean.value;
        if (!is_given(n)) {
            s.variance.value += mean * mean;
            s.variance.tolerance += 0x1p-18 * s.variance.value;
        }
        s.mean = (struct reference_value){0.0, 0.0};
    }
    return s;
}

/* Before a fused relu. */
static struct reference_value normalized_at(
        const struct normalization *n, const dnnl_dims_t place)
{
    const dnnl_dims_t at = {place[scale_dim(n)]};
    struct reference_statistics s = statistics_at(n, place);
    double scale = (n->flags & dnnl_use_scale) != 0
                           ? reference_at(&n->scale.view, at)
                           : 1.0;
    double shift = (n->flags & dnnl_use_shift) != 0
                           ? reference_at(&n->shift.view, at)
                           : 0.0;
    struct reference_value v = reference_normalize(
            reference_at(&n->src.view, place), &s, n->epsilon, scale, shift);
    if ((n->flags & dnnl_fuse_norm_add_relu) != 0) {
        v.value += reference_at(&n->addend.view, place);
        v.tolerance += 0x1p-23 * fabs(v.value);
    }
    return v;
}

static struct reference_value expected_dst(
        const void *user, const dnnl_dims_t place)
{
    const struct normalization *n = user;
    struct reference_value v = normalized_at(n, place);
    if (has_relu(n)) v = reference_eltwise(dnnl_eltwise_relu, v, 0.0f, 0.0f);
    return chain_apply(&n->chain, v);
}

/* 1 where the result was above 0; either, where it may have been. */
static struct reference_value expected_mask(
        const void *user, const dnnl_dims_t place)
{
    struct reference_value v = normalized_at(user, place);
    struct reference_value mask = {
            v.value > 0.0 ? 1.0 : 0.0, fabs(v.value) > v.tolerance ? 0.0 : 1.0};
    return mask;
}

static struct reference_value expected_mean(
        const void *user, const dnnl_dims_t statistics)
{
    dnnl_dims_t place;
    from_statistics(user, statistics, place);
    return statistics_at(user, place).mean;
}

static struct reference_value expected_variance(
        const void *user, const dnnl_dims_t statistics)
{
    dnnl_dims_t place;
    from_statistics(user, statistics, place);
    return statistics_at(user, place).variance;
}

/* ---- Running ------------------------------------------------------------- */

static int list_arguments(struct normalization *n,
        struct run_argument args[MAX_ARGUMENTS], struct tensor *both)
{
    int count = 0;
    args[count++] =
            (struct run_argument){DNNL_ARG_SRC, both != NULL ? both : &n->src};
    args[count++] =
            (struct run_argument){DNNL_ARG_DST, both != NULL ? both : &n->dst};
    if (is_given(n) || saves_statistics(n)) {
        if (!is_rms(n))
            args[count++] = (struct run_argument){DNNL_ARG_MEAN, &n->mean};
        args[count++] = (struct run_argument){DNNL_ARG_VARIANCE, &n->variance};
    }
    if ((n->flags & dnnl_use_scale) != 0)
        args[count++] = (struct run_argument){DNNL_ARG_SCALE, &n->scale};
    if ((n->flags & dnnl_use_shift) != 0)
        args[count++] = (struct run_argument){DNNL_ARG_SHIFT, &n->shift};
    if ((n->flags & dnnl_fuse_norm_add_relu) != 0)
        args[count++] = (struct run_argument){DNNL_ARG_SRC_1, &n->addend};
    if (has_workspace(n))
        args[count++] =
                (struct run_argument){DNNL_ARG_WORKSPACE, &n->workspace};
    return count;
}

/* Runs it for one of its outputs. */
static bool run_for(int arg, struct normalization *n)
{
    struct run_argument args[MAX_ARGUMENTS];
    int count = list_arguments(n, args, NULL);
    return run_twice_for(arg, normalization_describe, n, args, count);
}

static void run_in_place(struct normalization *n)
{
    struct run_argument args[MAX_ARGUMENTS];
    struct tensor both = n->dst;
    int count = list_arguments(n, args, &both);
    memcpy(both.bytes, n->src.bytes, both.size);
    run_and_expect(normalization_describe, expected_dst, n, args, count);
}

void normalization_run(struct normalization *n, bool in_place)
{
    if (in_place)
        run_in_place(n);
    else if (run_for(DNNL_ARG_DST, n))
        expect_tensor(&n->dst, expected_dst, n);
    if (reference_count(&n->dst.view) == 0) return;
    if (saves_statistics(n)) {
        if (!is_rms(n) && run_for(DNNL_ARG_MEAN, n))
            expect_tensor(&n->mean, expected_mean, n);
        if (run_for(DNNL_ARG_VARIANCE, n))
            expect_tensor(&n->variance, expected_variance, n);
    }
    if (has_workspace(n) && run_for(DNNL_ARG_WORKSPACE, n))
        expect_tensor(&n->workspace, expected_mask, n);
}

void normalization_check(struct normalization *n)
{
    normalization_run(n, false);
    normalization_fini(n);
}

/* ---- Random cases -------------------------------------------------------- */

static struct normalization_case random_case(uint64_t *seed)
{
    static const dnnl_format_tag_t tags[] = {
            dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    struct normalization_case c = {
            TRAINING, SCALED, 0, dnnl_f32, dnnl_f32, 0, {0}, dnnl_ab, dnnl_ab};
    c.ndims = 2 + (int)random_below(seed, 4);
    for (int d = 0; d < c.ndims; d++)
        c.dims[d] = 1 + random_below(seed, c.ndims > 3 ? 5 : 23);
    c.groups = 1 + random_below(seed, 4);
    c.dims[1] *= c.groups;
    c.src_tag = tags[c.ndims - 2];
    c.dst_tag = c.src_tag;
    if (random_below(seed, 2) == 0) c.flags |= GIVEN;
    return c;
}

/* Gives a tensor another layout and new numbers. */
static void lay_out_anew(
        struct tensor *t, uint64_t *seed, double low, double high)
{
    const struct reference_tensor view = t->view;
    tensor_fini(t);
    tensor_init_random(t, view.type, view.ndims, view.dims, seed);
    tensor_randomize(t, seed, low, high);
}

void normalization_check_all(dnnl_primitive_kind_t kind,
        const struct normalization_case *cases, size_t count)
{
    uint64_t seed = test_seed();
    for (size_t i = 0; i < count && !test_has_failed(); i++) {
        struct normalization n;
        normalization_init(&n, kind, &cases[i], &seed, NORMALIZATION_LOW,
                NORMALIZATION_HIGH);
        dnnl_status_t st = normalization_try(&n);
        if (cases[i].src == dnnl_f16 && st == dnnl_unimplemented)
            normalization_fini(&n);
        else
            normalization_check(&n);
        if (test_has_failed()) test_fail(__FILE__, __LINE__, "case %zu", i);
    }
}

void normalization_check_random(dnnl_primitive_kind_t kind)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 40 && !test_has_failed(); i++) {
        struct normalization_case c = random_case(&seed);
        struct normalization n;
        struct tensor dst;
        normalization_init(
                &n, kind, &c, &seed, NORMALIZATION_LOW, NORMALIZATION_HIGH);
        lay_out_anew(&n.src, &seed, -3.0, 4.0);
        tensor_init_random(&dst, dnnl_f32, c.ndims, c.dims, &seed);
        tensor_fini(&n.dst);
        n.dst = dst;
        if (kind == dnnl_layer_normalization) {
            /* Both have one descriptor. */
            lay_out_anew(&n.mean, &seed, -3.0, 4.0);
            tensor_fini(&n.variance);
            tensor_init_strided(&n.variance, dnnl_f32, n.mean.view.ndims,
                    n.mean.view.dims, n.mean.view.strides);
            tensor_randomize(&n.variance, &seed, 0.1, 9.0);
        }
        normalization_check(&n);
        if (test_has_failed())
            test_fail(__FILE__, __LINE__, "case %d, of %d dimensions", i,
                    c.ndims);
    }
}
