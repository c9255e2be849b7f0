/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_nodes.h"

#include <math.h>

/* A matrix in a slot: where its first element is, and its steps. */
struct matrix {
    const struct reference_slot *slot;
    int64_t at, row, column;
};

/* A sum of products, and its tolerance. */
struct sum {
    double value, tolerance;
};

static struct sum dot(const struct matrix *a, const struct matrix *b,
        int64_t row, int64_t column, int64_t terms)
{
    struct sum sum = {0.0, 0.0};
    double loss = (double)(terms + 4) * REFERENCE_EPS;
    for (int64_t k = 0; k < terms; k++) {
        int64_t i = a->at + row * a->row + k * a->column;
        int64_t j = b->at + k * b->row + column * b->column;
        double x = reference_value_at(a->slot, i);
        double y = reference_value_at(b->slot, j);
        double x_off = reference_tolerance_at(a->slot, i);
        double y_off = reference_tolerance_at(b->slot, j);
        sum.value += x * y;
        sum.tolerance += fabs(x * y) * loss + x_off * fabs(y) + y_off * fabs(x)
                         + x_off * y_off;
    }
    return sum;
}

static void write(const struct reference_call *call, int64_t at, struct sum sum)
{
    call->output->values[at] = sum.value;
    call->output->tolerances[at] = sum.tolerance;
}

/* ---- Gemm ---------------------------------------------------------------- */

static struct matrix of_gemm(const struct reference_slot *slot, bool transposed)
{
    int64_t columns = slot->tensor->shape.dims[1];
    return transposed ? (struct matrix){slot, 0, 1, columns}
                      : (struct matrix){slot, 0, columns, 1};
}

/* alpha * sum + beta * c: three roundings more. */
static struct sum scale(const struct reference_call *call, struct sum sum,
        const int64_t place[graph_max_ndims])
{
    const struct graph_gemm *gemm = &call->node->u.gemm;
    const struct reference_slot *c =
            call->input_count > 2 ? call->inputs[2] : NULL;
    double alpha = (double)gemm->alpha;
    double beta = (double)gemm->beta;
    struct sum result = {alpha * sum.value, fabs(alpha) * sum.tolerance};
    if (c != NULL) {
        const struct graph_shape *out = &call->output->tensor->shape;
        int64_t strides[graph_max_ndims];
        reference_broadcast(&c->tensor->shape, out, strides);
        int64_t at = reference_locate(out, place, strides);
        double added = beta * reference_value_at(c, at);
        result.value += added;
        result.tolerance += fabs(beta) * reference_tolerance_at(c, at)
                            + 3 * REFERENCE_EPS * fabs(added);
    }
    result.tolerance +=
            3 * REFERENCE_EPS * (fabs(result.value) + fabs(alpha * sum.value));
    return result;
}

void reference_gemm(const struct reference_call *call)
{
    const struct graph_gemm *gemm = &call->node->u.gemm;
    struct matrix a = of_gemm(call->inputs[0], gemm->transpose_a);
    struct matrix b = of_gemm(call->inputs[1], gemm->transpose_b);
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t terms = call->inputs[0]->tensor->shape.dims[!gemm->transpose_a];
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        struct sum sum = dot(&a, &b, place[0], place[1], terms);
        write(call, i, scale(call, sum, place));
    }
}

/* ---- MatMul -------------------------------------------------------------- */

/* The matrix that a place of the output takes: leading dimensions are
 * broadcast. */
static struct matrix of_matmul(const struct reference_slot *slot,
        const struct graph_shape *out, const int64_t place[graph_max_ndims])
{
    struct graph_shape leading = slot->tensor->shape;
    struct graph_shape leading_out = *out;
    int64_t rows = leading.dims[leading.ndims - 2];
    int64_t columns = leading.dims[leading.ndims - 1];
    int64_t strides[graph_max_ndims];
    leading.ndims -= 2;
    leading_out.ndims -= 2;
    reference_broadcast(&leading, &leading_out, strides);
    int64_t number = reference_locate(&leading_out, place, strides);
    return (struct matrix){slot, number * rows * columns, columns, 1};
}

void reference_matmul_node(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct graph_shape *x = &call->inputs[0]->tensor->shape;
    int64_t terms = x->dims[x->ndims - 1];
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        struct matrix a = of_matmul(call->inputs[0], out, place);
        struct matrix b = of_matmul(call->inputs[1], out, place);
        write(call, i,
                dot(&a, &b, place[out->ndims - 2], place[out->ndims - 1],
                        terms));
    }
}
