/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of subject_primitive.c, row_compressed.c, row_convolution.c and
 * row_kinds.c where the library has no primitives: no object of this subject
 * can be opened.
 */
#include "row.h"

#include "failure.h"

static bool no_primitives(struct object *o)
{
    failure_set("the library on %s was built without primitives",
            o->device->platform);
    return false;
}

static void nothing(struct object *o)
{
    o->primitive = NULL;
}

const struct subject subject_primitive = {
        .name = "primitive",
        .prepare = no_primitives,
        .forget = nothing,
        .drop = nothing,
        .finish = nothing,
};

static bool no_convolution(struct bench *bench)
{
    failure_set("the library on %s was built without primitives",
            bench->device.platform);
    return false;
}

bool measure_convolution(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    (void)row;
    (void)subject;
    (void)result;
    return no_convolution(bench);
}

bool measure_convolution_batch(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure_convolution(bench, row, subject, result);
}

bool measure_compressed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure_convolution(bench, row, subject, result);
}

bool measure_compressed_transposed(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure_convolution(bench, row, subject, result);
}

bool measure_kind(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    return measure_convolution(bench, row, subject, result);
}
