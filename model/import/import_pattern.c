/* SPDX-License-Identifier: Apache-2.0 */
/* Constants with a pattern, and what is one of two numbers by such a pattern.
 */
#include "model/graph/fold_parts.h"
#include "model/import/import.h"

#include <math.h>
#include <stdlib.h>

int import_emit_number(struct import *im, enum graph_type type, double value)
{
    struct graph_tensor t = {.type = type, .data = malloc(sizeof(double))};
    if (t.data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    fold_write_float(&t, 0, value);
    return import_emit_constant(
            im, type, &t.shape, t.data, false, import_between);
}

/* Room for a constant's elements; NULL, said. */
static void *make_room(struct import *im, int64_t count, size_t size)
{
    const struct graph_shape shape = {.ndims = 1, .dims = {count}};
    if (!graph_shape_fits(&shape, 0)) {
        (void)import_fail(im, "%lld numbers", (long long)count);
        return NULL;
    }
    if (!import_charge(im, (uint64_t)count * size)) return NULL;
    void *data = malloc((size_t)count * size + 1);
    if (data == NULL) (void)fail_out_of_memory(im->failure);
    return data;
}

int import_emit_count(struct import *im, int64_t count)
{
    const struct graph_shape shape = {.ndims = 1, .dims = {count}};
    int64_t *data = make_room(im, count, sizeof *data);
    if (data == NULL) return graph_none;
    for (int64_t i = 0; i < count; i++)
        data[i] = i;
    return import_emit_constant(
            im, graph_type_i64, &shape, data, false, import_between);
}

/* ---- Diagonals ----------------------------------------------------------- */

enum side { side_on, side_from, side_until };

/* A matrix of bool: where the column less the row is k, or at least, or at
 * most.
 */
static int diagonal(struct import *im, int64_t rows, int64_t columns, int64_t k,
        enum side side)
{
    const struct graph_shape shape = {.ndims = 2, .dims = {rows, columns}};
    if (!graph_shape_fits(&shape, 1)) {
        (void)import_fail(im, "an empty or too large matrix");
        return graph_none;
    }
    uint8_t *data = make_room(im, rows * columns, 1);
    if (data == NULL) return graph_none;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            data[i * columns + j] = side == side_on     ? j - i == k
                                    : side == side_from ? j - i >= k
                                                        : j - i <= k;
    return import_emit_constant(
            im, graph_type_bool, &shape, data, false, import_between);
}

/* No matrix has so many columns. */
static int64_t limit(int64_t k)
{
    const int64_t most = INT64_C(1) << 44;
    return k > most ? most : k < -most ? -most : k;
}

bool import_trilu(struct import *im, enum graph_op op)
{
    int64_t k = 0;
    int count = 1;
    bool upper = true;
    (void)op;
    if (!import_check_inputs(im, 1, 2) || !import_flag(im, "upper", &upper)
            || (import_has_input(im, 1)
                    && !import_constant_ints(im, 1, &k, 1, &count)))
        return false;
    if (count != 1) return import_fail(im, "input 1 is empty");
    int x = import_input(im, 0);
    const struct graph_shape shape = import_tensor(im, x)->shape;
    const enum graph_type type = import_tensor(im, x)->type;
    if (shape.ndims < 2)
        return import_fail(im, "%d dimensions, no matrix", shape.ndims);
    int is_kept = diagonal(im, shape.dims[shape.ndims - 2],
            shape.dims[shape.ndims - 1], limit(k),
            upper ? side_from : side_until);
    if (is_kept == graph_none) return false;
    int nothing = import_emit_number(im, type, 0.0);
    return import_emit_where(im, is_kept, x, nothing, 0) != graph_none;
}

bool import_eye_like(struct import *im, enum graph_op op)
{
    int64_t k = 0;
    int64_t number = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_int(im, "k", &k)
            || !import_int(im, "dtype", &number))
        return false;
    const struct graph_tensor *x = import_tensor(im, import_input(im, 0));
    enum graph_type type = x->type;
    if (number != 0 && !onnx_tensor_type(&type, number, im->label, im->failure))
        return false;
    if (x->shape.ndims != 2)
        return import_fail(im, "%d dimensions, no matrix", x->shape.ndims);
    int ones =
            diagonal(im, x->shape.dims[0], x->shape.dims[1], limit(k), side_on);
    return ones != graph_none
           && import_emit_cast(im, ones, type, 0) != graph_none;
}

/* ---- Rows ---------------------------------------------------------------- */

/* The one number of an input that must be a constant. */
static bool read_number(struct import *im, size_t input, double *value)
{
    const struct graph_tensor *t = import_tensor(im, import_input(im, input));
    if (t->data == NULL)
        return import_fail(im, "input %zu, '%s', is not constant", input,
                im->node->input[input]);
    if (graph_shape_count(&t->shape) != 1)
        return import_fail(im, "input %zu is not one number", input);
    *value = fold_read_float(t, 0);
    return true;
}

bool import_range(struct import *im, enum graph_op op)
{
    double start, end, step;
    (void)op;
    if (!import_check_inputs(im, 3, 3) || !import_check_types(im)
            || !read_number(im, 0, &start) || !read_number(im, 1, &end)
            || !read_number(im, 2, &step))
        return false;
    /* Beyond, a double does not hold all integers. */
    if (!graph_type_is_float(import_tensor(im, import_input(im, 0))->type)
            && !(fabs(start) <= 0x1p53 && fabs(end) <= 0x1p53
                    && fabs(step) <= 0x1p53))
        return import_fail(im, "from %g to %g by %g", start, end, step);
    const double count = ceil((end - start) / step);
    if (!(fabs(count) < 0x1p43))
        return import_fail(im, "from %g to %g by %g", start, end, step);
    struct graph_tensor t = {
            .type = import_tensor(im, import_input(im, 0))->type,
            .shape = {.ndims = 1, .dims = {count > 0 ? (int64_t)count : 0}},
    };
    t.data = make_room(im, t.shape.dims[0], graph_type_size(t.type));
    if (t.data == NULL) return false;
    for (int64_t i = 0; i < t.shape.dims[0]; i++)
        if (graph_type_is_float(t.type))
            fold_write_float(&t, i, start + (double)i * step);
        else
            fold_write_int(&t, i, (int64_t)start + i * (int64_t)step);
    return import_emit_constant(im, t.type, &t.shape, t.data, false, 0)
           != graph_none;
}

/* One of two values, by which of the numbers 0 .. depth - 1 the index is. */
bool import_one_hot(struct import *im, enum graph_op op)
{
    double depth;
    int64_t axis = -1;
    int at;
    (void)op;
    if (!import_check_inputs(im, 3, 3) || !read_number(im, 1, &depth)
            || !import_int(im, "axis", &axis))
        return false;
    if (!(depth >= 1.0 && depth <= 0x1p31))
        return import_fail(im, "a depth of %g", depth);
    struct graph_shape indices = import_tensor(im, import_input(im, 0))->shape;
    const struct graph_shape pair = {.ndims = 1, .dims = {2}};
    if (indices.ndims + 1 > graph_max_ndims)
        return import_fail(im, "%d dimensions", indices.ndims);
    if (!import_axis(im, axis, indices.ndims + 1, &at)
            || !import_check_shape(im, 2, &pair))
        return false;
    for (int d = indices.ndims++; d > at; d--)
        indices.dims[d] = indices.dims[d - 1];
    indices.dims[at] = 1;
    struct graph_shape wide = {.ndims = indices.ndims - at,
            .dims = {(int64_t)depth, 1, 1, 1, 1, 1, 1, 1}};
    int places = import_emit_count(im, (int64_t)depth);
    if (places == graph_none) return false;
    int x = import_emit_cast(
            im, import_input(im, 0), graph_type_i64, import_between);
    x = import_emit_reshape(im, x, &indices, import_between);
    /* Negative ones count from the end. */
    int zero = import_emit_number(im, graph_type_i64, 0.0);
    int size = import_emit_number(im, graph_type_i64, depth);
    if (x == graph_none || zero == graph_none || size == graph_none)
        return false;
    int is_negative =
            import_emit_binary(im, graph_op_less, x, zero, import_between);
    int from_end =
            import_emit_binary(im, graph_op_add, x, size, import_between);
    x = import_emit_where(im, is_negative, from_end, x, import_between);
    places = import_emit_reshape(im, places, &wide, import_between);
    int is_hot =
            import_emit_binary(im, graph_op_equal, x, places, import_between);
    int values[2];
    for (int i = 0; i < 2; i++) {
        int pair_of = import_input(im, 2);
        const struct graph_shape one = {.ndims = 1, .dims = {1}};
        const struct graph_shape scalar = {.ndims = 0};
        struct graph_node node = {
                .op = graph_op_slice,
                .input_count = 1,
                .inputs = &pair_of,
                .u.slice = {.starts = {i}, .steps = {1}},
        };
        values[i] = import_emit(im, &node, import_tensor(im, pair_of)->type,
                &one, import_between);
        values[i] = import_emit_reshape(im, values[i], &scalar, import_between);
    }
    return import_emit_where(im, is_hot, values[1], values[0], 0) != graph_none;
}
