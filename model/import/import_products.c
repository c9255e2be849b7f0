/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "model/import/import.h"

bool import_gemm(struct import *im, enum graph_op op)
{
    struct graph_gemm gemm = {.alpha = 1.0F, .beta = 1.0F};
    if (!import_check_inputs(im, 2, 3) || !import_check_f32(im)
            || !import_float(im, "alpha", &gemm.alpha)
            || !import_float(im, "beta", &gemm.beta)
            || !import_flag(im, "transA", &gemm.transpose_a)
            || !import_flag(im, "transB", &gemm.transpose_b))
        return false;
    int inputs[3] = {
            import_input(im, 0), import_input(im, 1), import_input(im, 2)};
    const struct graph_shape *a = &import_tensor(im, inputs[0])->shape;
    const struct graph_shape *b = &import_tensor(im, inputs[1])->shape;
    if (a->ndims != 2 || b->ndims != 2)
        return import_fail(
                im, "matrices of %d and %d dimensions", a->ndims, b->ndims);
    if (a->dims[!gemm.transpose_a] != b->dims[gemm.transpose_b])
        return import_fail(im, "%lld columns times %lld rows",
                (long long)a->dims[!gemm.transpose_a],
                (long long)b->dims[gemm.transpose_b]);
    struct graph_shape out = {.ndims = 2,
            .dims = {a->dims[gemm.transpose_a], b->dims[!gemm.transpose_b]}};
    struct graph_node node = {
            .op = op, .input_count = 2, .inputs = inputs, .u.gemm = gemm};
    if (import_has_input(im, 2)) {
        struct graph_shape with_c;
        node.input_count = 3;
        if (!import_broadcast(
                    im, &out, &import_tensor(im, inputs[2])->shape, &with_c))
            return false;
        if (!graph_shape_equal(&out, &with_c))
            return import_fail(im, "input 2 is larger than the product");
    }
    return import_emit(im, &node, graph_type_f32, &out, 0) != graph_none;
}

/* ---- Of any number of dimensions ----------------------------------------- */

/* An operand as a matrix: a vector is a row of the first, a column of the
 * second. graph_none after a failure. */
static int matrix(struct import *im, int x, int input)
{
    if (x == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (shape.ndims == 0) {
        (void)import_fail(im, "operand %d is no matrix", input);
        return graph_none;
    }
    if (shape.ndims > 1) return x;
    int64_t size = shape.dims[0];
    shape = input == 0 ? (struct graph_shape){.ndims = 2, .dims = {1, size}}
                       : (struct graph_shape){.ndims = 2, .dims = {size, 1}};
    return import_emit_reshape(im, x, &shape, import_between);
}

/* The product's shape, of operands with two dimensions or more. */
static bool product_shape(struct import *im, struct graph_shape a,
        struct graph_shape b, struct graph_shape *out)
{
    int64_t rows = a.dims[a.ndims - 2];
    int64_t columns = b.dims[b.ndims - 1];
    if (a.dims[a.ndims - 1] != b.dims[b.ndims - 2])
        return import_fail(im, "%lld columns times %lld rows",
                (long long)a.dims[a.ndims - 1], (long long)b.dims[b.ndims - 2]);
    a.ndims -= 2;
    b.ndims -= 2;
    if (!import_broadcast(im, &a, &b, out)) return false;
    out->dims[out->ndims++] = rows;
    out->dims[out->ndims++] = columns;
    return true;
}

int import_emit_matmul(struct import *im, int a, int b, int output)
{
    if (a == graph_none || b == graph_none) return graph_none;
    int inputs[2] = {matrix(im, a, 0), matrix(im, b, 1)};
    if (inputs[0] == graph_none || inputs[1] == graph_none) return graph_none;
    bool row = import_tensor(im, a)->shape.ndims == 1;
    bool column = import_tensor(im, b)->shape.ndims == 1;
    struct graph_shape out;
    if (!product_shape(im, import_tensor(im, inputs[0])->shape,
                import_tensor(im, inputs[1])->shape, &out))
        return graph_none;
    struct graph_node node = {
            .op = graph_op_matmul, .input_count = 2, .inputs = inputs};
    int product = import_emit(im, &node, import_tensor(im, a)->type, &out,
            row || column ? import_between : output);
    if (product == graph_none || (!row && !column)) return product;
    /* What was made a matrix is a vector again. */
    int64_t last = out.dims[out.ndims - 1];
    out.ndims -= (int)row + (int)column;
    if (row && !column) out.dims[out.ndims - 1] = last;
    return import_emit_reshape(im, product, &out, output);
}

bool import_matmul(struct import *im, enum graph_op op)
{
    (void)op;
    return import_check_inputs(im, 2, 2) && import_check_types(im)
           && import_emit_matmul(
                      im, import_input(im, 0), import_input(im, 1), 0)
                      != graph_none;
}
