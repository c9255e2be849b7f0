/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders with scales and zero points, in plain layouts and in blocks. */
#include "run_primitive.h"
#include "tag_loops.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SRC_ZERO, SRC_SCALE, DST_SCALE, DST_ZERO, KINDS, NO_MASK = -1 };

static const int arguments[KINDS] = {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO};

static bool is_scale(int kind)
{
    return kind == SRC_SCALE || kind == DST_SCALE;
}

/* Tensors are lines of all elements there are, padding included. */
struct reorder {
    int ndims;
    dnnl_dims_t dims;
    struct tag_loops src_loops, dst_loops;
    struct tensor src, dst;
    int masks[KINDS]; /* NO_MASK: none */
    struct tensor numbers[KINDS];
};

/* ---- The reference ------------------------------------------------------- */

/* The number for an element: the last dimension of the mask runs fastest. */
static double number_at(
        const struct reorder *r, int kind, const dnnl_dims_t place)
{
    dnnl_dim_t index = 0;
    for (int d = 0; d < r->ndims; d++)
        if ((r->masks[kind] >> d & 1) != 0)
            index = index * r->dims[d] + place[d];
    return reference_read(&r->numbers[kind].view, index);
}

/* (src - zero) * scale / scale + zero; each step rounds once, the division
 * by 2.5 ulp. */
static struct reference_value expect_at(
        const struct reorder *r, const dnnl_dims_t place)
{
    const double eps = 0x1p-23;
    double v = reference_read(
            &r->src.view, tag_loops_offset(&r->src_loops, place));
    double tolerance = 0.0;
    if (r->masks[SRC_ZERO] != NO_MASK) {
        v -= number_at(r, SRC_ZERO, place);
        tolerance += eps * fabs(v);
    }
    if (r->masks[SRC_SCALE] != NO_MASK) {
        double scale = number_at(r, SRC_SCALE, place);
        v *= scale;
        tolerance = tolerance * fabs(scale) + eps * fabs(v);
    }
    if (r->masks[DST_SCALE] != NO_MASK) {
        double scale = number_at(r, DST_SCALE, place);
        v /= scale;
        tolerance = tolerance / fabs(scale) + 3.0 * eps * fabs(v);
    }
    if (r->masks[DST_ZERO] != NO_MASK) {
        v += number_at(r, DST_ZERO, place);
        tolerance += eps * fabs(v);
    }
    return (struct reference_value){v, tolerance};
}

static bool is_inside(const struct reorder *r, const dnnl_dims_t place)
{
    for (int d = 0; d < r->ndims; d++)
        if (place[d] >= r->dims[d]) return false;
    return true;
}

static void expect_all(const struct reorder *r)
{
    for (dnnl_dim_t i = 0; i < tag_loops_size(&r->dst_loops); i++) {
        dnnl_dims_t place;
        struct reference_value expected = {0.0, 0.0};
        double actual = reference_read(&r->dst.view, i);
        tag_loops_place(&r->dst_loops, i, place);
        if (is_inside(r, place)) expected = expect_at(r, place);
        if (reference_is_close_as(expected, r->dst.view.type, actual)) continue;
        test_fail(__FILE__, __LINE__,
                "element at %lld is %.9g, expected %.9g +- %g", (long long)i,
                actual, expected.value, expected.tolerance);
        return;
    }
}

/* ---- Running ------------------------------------------------------------- */

static void side_init(struct tensor *t, struct tag_loops *loops,
        const struct reorder *r, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    *loops = tag_loops_of(dnnl_fmt_tag2str(tag), r->dims);
    if (dnnl_memory_desc_create_with_tag(&md, r->ndims, r->dims, type, tag)
            != dnnl_success)
        abort();
    tensor_init(t, type, 1, (dnnl_dims_t){tag_loops_size(loops)}, dnnl_a);
    dnnl_memory_desc_destroy(t->md);
    t->md = md;
}

static void init(struct reorder *r, const dnnl_dims_t dims,
        dnnl_data_type_t from, dnnl_format_tag_t src, dnnl_data_type_t to,
        dnnl_format_tag_t dst)
{
    memset(r, 0, sizeof *r);
    r->ndims = tag_letters(dnnl_fmt_tag2str(src));
    memcpy(r->dims, dims, (size_t)r->ndims * sizeof dims[0]);
    side_init(&r->src, &r->src_loops, r, from, src);
    side_init(&r->dst, &r->dst_loops, r, to, dst);
    for (int kind = 0; kind < KINDS; kind++)
        r->masks[kind] = NO_MASK;
}

static void add_numbers(struct reorder *r, int kind, int mask, uint64_t *seed)
{
    dnnl_dims_t count = {1};
    for (int d = 0; d < r->ndims; d++)
        if ((mask >> d & 1) != 0) count[0] *= r->dims[d];
    r->masks[kind] = mask;
    tensor_init(&r->numbers[kind], is_scale(kind) ? dnnl_f32 : dnnl_s32, 1,
            count, dnnl_a);
    tensor_randomize(&r->numbers[kind], seed, is_scale(kind) ? 0.25 : -9.0,
            is_scale(kind) ? 4.0 : 9.0);
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct reorder *r = user;
    dnnl_primitive_attr_t attr = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    for (int kind = 0; kind < KINDS; kind++) {
        int arg = kind == SRC_ZERO || kind == SRC_SCALE ? DNNL_ARG_FROM
                                                        : DNNL_ARG_TO;
        if (r->masks[kind] == NO_MASK) continue;
        EXPECT_OK(is_scale(kind) ? dnnl_primitive_attr_set_scales_mask(
                          attr, arg, r->masks[kind])
                                 : dnnl_primitive_attr_set_zero_points_mask(
                                         attr, arg, r->masks[kind]));
    }
    dnnl_status_t st = dnnl_reorder_primitive_desc_create(
            pd, r->src.md, engine, r->dst.md, engine, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static void check(struct reorder *r, uint64_t *seed)
{
    struct run_argument args[2 + KINDS] = {
            {DNNL_ARG_FROM, &r->src}, {DNNL_ARG_TO, &r->dst}};
    int count = 2;
    for (int kind = 0; kind < KINDS; kind++)
        if (r->masks[kind] != NO_MASK)
            args[count++] =
                    (struct run_argument){arguments[kind], &r->numbers[kind]};
    tensor_randomize(&r->src, seed, -60.0, 60.0);
    if (run_twice(describe, r, args, count)) expect_all(r);
    tensor_fini(&r->src);
    tensor_fini(&r->dst);
    for (int kind = 0; kind < KINDS; kind++)
        tensor_fini(&r->numbers[kind]);
}

/* ---- Cases --------------------------------------------------------------- */

static const dnnl_dims_t dims = {3, 19, 2, 5};

TEST_C(ReorderNumbers, OneForTheWholeTensor)
{
    uint64_t seed = test_seed();
    for (int kind = 0; kind < KINDS; kind++) {
        struct reorder r;
        init(&r, dims, dnnl_f32, dnnl_nchw, dnnl_f32, dnnl_nhwc);
        add_numbers(&r, kind, 0, &seed);
        check(&r, &seed);
    }
}

TEST_C(ReorderNumbers, OneForEachChannel)
{
    uint64_t seed = test_seed();
    struct reorder r;
    /* oneDNN's example: to bytes, channels last, with scales of dst. */
    init(&r, dims, dnnl_f32, dnnl_nchw, dnnl_s8, dnnl_nhwc);
    add_numbers(&r, DST_SCALE, 1 << 1, &seed);
    check(&r, &seed);
    init(&r, dims, dnnl_s8, dnnl_nhwc, dnnl_f32, dnnl_nchw);
    add_numbers(&r, SRC_ZERO, 1 << 1, &seed);
    add_numbers(&r, SRC_SCALE, 1 << 1, &seed);
    check(&r, &seed);
}

TEST_C(ReorderNumbers, AllAtOnceInSeveralDimensions)
{
    uint64_t seed = test_seed();
    struct reorder r;
    init(&r, dims, dnnl_u8, dnnl_nchw, dnnl_s8, dnnl_bacd);
    add_numbers(&r, SRC_ZERO, 0, &seed);
    add_numbers(&r, SRC_SCALE, 1 << 0 | 1 << 1, &seed);
    add_numbers(&r, DST_SCALE, 1 << 1 | 1 << 3, &seed);
    add_numbers(&r, DST_ZERO, 1 << 2, &seed);
    check(&r, &seed);
}

TEST_C(ReorderNumbers, ToAndFromBlocks)
{
    uint64_t seed = test_seed();
    struct reorder r;
    init(&r, dims, dnnl_f32, dnnl_nchw, dnnl_s8, dnnl_nChw16c);
    add_numbers(&r, SRC_SCALE, 1 << 0, &seed);
    add_numbers(&r, DST_SCALE, 1 << 1, &seed);
    add_numbers(&r, DST_ZERO, 0, &seed);
    check(&r, &seed);
    init(&r, dims, dnnl_s8, dnnl_OIhw8i16o2i, dnnl_f32, dnnl_oihw);
    add_numbers(&r, SRC_ZERO, 1 << 0, &seed);
    add_numbers(&r, SRC_SCALE, 1 << 0 | 1 << 1, &seed);
    check(&r, &seed);
}
