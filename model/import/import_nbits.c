/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulNBits: weights of 2, 4 or 8 bits in blocks along K, each with a scale,
 * become floats while the model is read. */
#include "model/import/import.h"

#include <stdlib.h>

struct blocks {
    int64_t k, n, bits, size; /* rows and columns, bits, rows of a block */
    int64_t count;            /* blocks of a column */
    int64_t bytes;            /* of a block */
    const uint8_t *data;      /* [n, count, bytes] */
    const float *scales;      /* [n, count] */
    const uint8_t *zeros;     /* [n, bytes of count elements]; NULL */
    const float *float_zeros; /* [n, count]; NULL */
    const struct graph_tensor *groups; /* of each row its block; NULL */
};

/* ---- What there is ------------------------------------------------------- */

/* A constant, read, of so many elements; NULL after a failure. */
static const struct graph_tensor *constant(
        struct import *im, size_t input, int64_t count)
{
    const struct graph_tensor *t = import_tensor(im, import_input(im, input));
    if (t->data == NULL) {
        (void)import_fail(im, "input %zu, '%s', is not constant", input,
                im->node->input[input]);
        return NULL;
    }
    if (graph_shape_count(&t->shape) != count) {
        (void)import_fail(im, "input %zu has %lld elements where it needs %lld",
                input, (long long)graph_shape_count(&t->shape),
                (long long)count);
        return NULL;
    }
    return graph_tensor_read(t, im->failure) ? t : NULL;
}

static bool fail_type(struct import *im, size_t input, enum graph_type type)
{
    return import_fail(
            im, "input %zu is of type %s", input, graph_type_name(type));
}

/* Elements of so many bits, packed into bytes. */
static int64_t bytes_of(int64_t elements, int64_t bits)
{
    return (elements * bits + 7) / 8;
}

static bool read_zeros(struct import *im, struct blocks *b)
{
    if (!import_has_input(im, 3)) return true;
    const enum graph_type type = import_tensor(im, import_input(im, 3))->type;
    if (type != graph_type_u8 && type != graph_type_f32)
        return fail_type(im, 3, type);
    const struct graph_tensor *t = constant(im, 3,
            b->n
                    * (type == graph_type_u8 ? bytes_of(b->count, b->bits)
                                             : b->count));
    if (t == NULL) return false;
    if (type == graph_type_u8)
        b->zeros = t->data;
    else
        b->float_zeros = t->data;
    return true;
}

/* Of each row the number of its block: rows of a block need not follow each
 * other. Rows that fill up the last block may have one, too. */
static bool read_groups(struct import *im, struct blocks *b)
{
    if (!import_has_input(im, 4)) return true;
    const struct graph_tensor *t = import_tensor(im, import_input(im, 4));
    const int64_t given = graph_shape_count(&t->shape);
    if (t->type != graph_type_i32) return fail_type(im, 4, t->type);
    if (b->bits != 4) return import_fail(im, "input 4, and not 4 bits");
    b->groups = constant(im, 4, given == b->count * b->size ? given : b->k);
    if (b->groups == NULL) return false;
    for (int64_t i = 0; i < b->k; i++) {
        const int32_t group = ((const int32_t *)b->groups->data)[i];
        if (group < 0 || group >= b->count)
            return import_fail(im, "row %lld is of block %d of %lld",
                    (long long)i, (int)group, (long long)b->count);
    }
    return true;
}

static bool read_attributes(struct import *im, struct blocks *b)
{
    b->bits = 4;
    if (!import_int(im, "K", &b->k) || !import_int(im, "N", &b->n)
            || !import_int(im, "bits", &b->bits)
            || !import_int(im, "block_size", &b->size))
        return false;
    if (b->bits != 2 && b->bits != 4 && b->bits != 8)
        return import_fail(im, "attribute bits is %lld, 2, 4 and 8 are known",
                (long long)b->bits);
    if (b->size < 16 || b->size > 1 << 20 || (b->size & (b->size - 1)) != 0)
        return import_fail(
                im, "attribute block_size is %lld", (long long)b->size);
    const struct graph_shape shape = {.ndims = 2, .dims = {b->k, b->n}};
    if (!graph_shape_fits(&shape, 1))
        return import_fail(im, "attributes K and N are %lld and %lld",
                (long long)b->k, (long long)b->n);
    b->count = (b->k - 1) / b->size + 1;
    b->bytes = bytes_of(b->size, b->bits);
    const struct graph_shape padded = {
            .ndims = 2, .dims = {b->count * b->size, b->n}};
    return graph_shape_fits(&padded, 1) || import_fail(im, "too large");
}

static bool read_blocks(struct import *im, struct blocks *b)
{
    const enum graph_type types[] = {
            import_tensor(im, import_input(im, 1))->type,
            import_tensor(im, import_input(im, 2))->type};
    if (!read_attributes(im, b)) return false;
    if (types[0] != graph_type_u8) return fail_type(im, 1, types[0]);
    if (types[1] != graph_type_f32) return fail_type(im, 2, types[1]);
    const struct graph_tensor *data =
            constant(im, 1, b->n * b->count * b->bytes);
    const struct graph_tensor *scales =
            data == NULL ? NULL : constant(im, 2, b->n * b->count);
    if (scales == NULL) return false;
    b->data = data->data;
    b->scales = scales->data;
    return read_zeros(im, b) && read_groups(im, b);
}

/* ---- What it becomes ----------------------------------------------------- */

/* Element `at` of those that are packed; the first has the lowest bits. */
static unsigned packed(const uint8_t *data, int64_t at, int64_t bits)
{
    const int64_t bit = at * bits;
    return (unsigned)data[bit / 8] >> (bit % 8) & ((1U << bits) - 1);
}

static float zero_of(const struct blocks *b, int64_t column, int64_t block)
{
    if (b->float_zeros != NULL)
        return b->float_zeros[column * b->count + block];
    if (b->zeros == NULL) return (float)(1U << (b->bits - 1));
    return (float)packed(
            b->zeros + column * bytes_of(b->count, b->bits), block, b->bits);
}

/* A column, as a row of [n, k]. */
static void write_column(float *to, const struct blocks *b, int64_t column)
{
    const uint8_t *data = b->data + column * b->count * b->bytes;
    for (int64_t i = 0; i < b->k; i++) {
        const int64_t block = b->groups != NULL
                                      ? ((const int32_t *)b->groups->data)[i]
                                      : i / b->size;
        const float value = (float)packed(data, i, b->bits);
        to[i * b->n + column] = (value - zero_of(b, column, block))
                                * b->scales[column * b->count + block];
    }
}

static int emit_weights(struct import *im, const struct blocks *b)
{
    const struct graph_shape shape = {.ndims = 2, .dims = {b->k, b->n}};
    const size_t size = (size_t)(b->k * b->n) * sizeof(float);
    if (!import_charge(im, size)) return graph_none;
    float *data = malloc(size);
    if (data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    for (int64_t i = 0; i < b->n; i++)
        write_column(data, b, i);
    return import_emit_constant(
            im, graph_type_f32, &shape, data, true, import_between);
}

/* x, weights, scales, [zero points], [groups], [bias] */
bool import_matmul_nbits(struct import *im, enum graph_op op)
{
    struct blocks b = {.groups = NULL};
    (void)op;
    if (!import_check_inputs(im, 3, 6) || !read_blocks(im, &b)) return false;
    const struct graph_shape row = {.ndims = 1, .dims = {b.n}};
    const bool has_bias = import_has_input(im, 5);
    if (!import_check_shape(im, 5, &row)) return false;
    if (has_bias
            && import_tensor(im, import_input(im, 5))->type != graph_type_f32)
        return import_fail(im, "input 5 is not of type f32");
    const int weights = emit_weights(im, &b);
    const int y = import_emit_matmul(
            im, import_input(im, 0), weights, has_bias ? import_between : 0);
    if (!has_bias) return y != graph_none;
    return import_emit_binary(im, graph_op_add, y, import_input(im, 5), 0)
           != graph_none;
}
