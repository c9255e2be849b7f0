/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX Runtime's operators of quantized tensors: the operators of floats that
 * they stand for, between conversions; products are of integers, and exact. */
#include "model/import/import_step.h"

#include <stdlib.h>

/* ---- There and back ------------------------------------------------------ */

static int given(const struct import *im, size_t input)
{
    return import_has_input(im, input) ? import_input(im, input)
                                       : import_absent;
}

/* A scale or zero point that must be one number; graph_none after a failure,
 * which an input that is not given is no cause of. */
static int one_number(struct import *im, size_t input)
{
    const struct graph_shape scalar = {.ndims = 0};
    if (!import_has_input(im, input)) return import_absent;
    const int t = import_input(im, input);
    if (graph_shape_count(&import_tensor(im, t)->shape) == 1)
        return import_emit_reshape(im, t, &scalar, import_between);
    (void)import_fail(im, "input %zu is not one number", input);
    return graph_none;
}

/* The floats of an input, whose scale and zero point follow it. */
static int floats_of(struct import *im, size_t input)
{
    const int scale = one_number(im, input + 1);
    const int zero = one_number(im, input + 2);
    if (scale == graph_none || zero == graph_none) return graph_none;
    const struct import_step step = {
            .op = "DequantizeLinear",
            .inputs = {import_input(im, input), scale, zero},
            .input_count = 3,
    };
    return import_emit_step(im, &step, import_between);
}

/* ONNX's number of a type that QuantizeLinear has; of others, that of i32. */
static int64_t number_of(enum graph_type type)
{
    switch (type) {
    case graph_type_u8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    case graph_type_i8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case graph_type_u16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT16;
    case graph_type_i16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT16;
    default:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    }
}

/* Back to integers: of the type of the zero point, or else of input x. */
static bool emit_integers(struct import *im, int y, size_t scale, size_t x)
{
    const int of_scale = one_number(im, scale);
    const int zero = one_number(im, scale + 1);
    if (y == graph_none || of_scale == graph_none || zero == graph_none)
        return false;
    const enum graph_type type = import_tensor(im, import_input(im, x))->type;
    if (zero != import_absent && import_tensor(im, zero)->type != type)
        return import_fail(im, "input %zu is of another type than input %zu",
                scale + 1, x);
    const struct import_step step = {
            .op = "QuantizeLinear",
            .inputs = {y, of_scale, zero},
            .input_count = 3,
            .settings = {{"output_dtype", number_of(type)}},
    };
    return import_emit_step(im, &step, 0) != graph_none;
}

static bool check_given(struct import *im, size_t input)
{
    return import_has_input(im, input)
           || import_fail(im, "input %zu is missing", input);
}

/* ---- Functions of one and two -------------------------------------------- */

/* x, scale, [zero], scale, [zero] */
static int unary_operand(struct import *im)
{
    if (!import_check_inputs(im, 2, 5) || !check_given(im, 3))
        return graph_none;
    return floats_of(im, 0);
}

bool import_qlinear_unary(struct import *im, enum graph_op op)
{
    struct import_step step = {
            .op = op == graph_op_sigmoid ? "Sigmoid" : "LeakyRelu",
            .inputs = {unary_operand(im)},
            .input_count = 1,
            .has_attributes_of_node = true,
    };
    return step.inputs[0] != graph_none
           && emit_integers(
                   im, import_emit_step(im, &step, import_between), 3, 0);
}

bool import_qlinear_softmax(struct import *im, enum graph_op op)
{
    int64_t opset = 0;
    (void)op;
    if (!import_int(im, "opset", &opset)) return false;
    if (opset < 1 || opset > 100)
        return import_fail(im, "attribute opset is %lld", (long long)opset);
    struct import_step step = {
            .op = "Softmax",
            .inputs = {unary_operand(im)},
            .input_count = 1,
            .opset = opset < 13 ? 12 : 13,
            .has_attributes_of_node = true,
    };
    /* ONNX Runtime's default, of both. */
    if (import_attribute(im, "axis") == NULL) {
        step.settings[0].name = "axis";
        step.settings[0].value = -1;
    }
    return step.inputs[0] != graph_none
           && emit_integers(
                   im, import_emit_step(im, &step, import_between), 3, 0);
}

bool import_qlinear_binary(struct import *im, enum graph_op op)
{
    if (!import_check_inputs(im, 2, 8) || !check_given(im, 3)
            || !check_given(im, 4) || !check_given(im, 6))
        return false;
    const int a = floats_of(im, 0);
    const int b = a == graph_none ? graph_none : floats_of(im, 3);
    return emit_integers(
            im, import_emit_binary(im, op, a, b, import_between), 6, 0);
}

/* condition, x, scale, zero, y, scale, zero, scale, zero */
bool import_qlinear_where(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 9, 9)) return false;
    const int x = floats_of(im, 1);
    const int y = x == graph_none ? graph_none : floats_of(im, 4);
    return emit_integers(im,
            import_emit_where(im, import_input(im, 0), x, y, import_between), 7,
            1);
}

/* ---- Poolings ------------------------------------------------------------ */

/* Channels from the last place to the second, or back. */
static int move_channels(struct import *im, int x, bool to_second)
{
    int perm[graph_max_ndims] = {0};
    if (x == graph_none) return graph_none;
    const int ndims = import_tensor(im, x)->shape.ndims;
    for (int d = 1; d < ndims; d++)
        perm[d] = to_second ? (d == 1 ? ndims - 1 : d - 1)
                            : (d == ndims - 1 ? 1 : d + 1);
    return import_emit_transpose(im, x, perm, import_between);
}

bool import_qlinear_pool(struct import *im, enum graph_op op)
{
    bool is_last = false;
    struct import_step step = {
            .op = op == graph_op_average_pool ? "AveragePool"
                                              : "GlobalAveragePool",
            .inputs = {unary_operand(im)},
            .input_count = 1,
            .has_attributes_of_node = true,
    };
    if (step.inputs[0] == graph_none
            || !import_flag(im, "channels_last", &is_last))
        return false;
    if (import_tensor(im, step.inputs[0])->shape.ndims < 3)
        return import_fail(im, "nothing to pool over");
    if (is_last) step.inputs[0] = move_channels(im, step.inputs[0], true);
    int y = import_emit_step(im, &step, import_between);
    if (is_last) y = move_channels(im, y, false);
    return emit_integers(im, y, 3, 0);
}

/* ---- Joined -------------------------------------------------------------- */

static bool emit_joined(struct import *im, int *parts, int count, int axis)
{
    struct graph_shape shape = {0};
    struct graph_node node = {
            .op = graph_op_concat,
            .input_count = count,
            .inputs = parts,
            .u.axis = axis,
    };
    for (int i = 0; i < count; i++) {
        parts[i] = floats_of(im, 2 + 3 * (size_t)i);
        if (parts[i] == graph_none) return false;
        const struct graph_shape *x = &import_tensor(im, parts[i])->shape;
        const int64_t before = i == 0 ? 0 : shape.dims[axis];
        if (i == 0) shape = *x;
        shape.dims[axis] = x->dims[axis];
        if (!graph_shape_equal(&shape, x))
            return import_fail(im, "part %d does not go together", i);
        shape.dims[axis] += before;
        if (!graph_shape_fits(&shape, 1)) return import_fail(im, "too large");
    }
    const int y = count == 1 ? parts[0]
                             : import_emit(im, &node, graph_type_f32, &shape,
                                     import_between);
    return emit_integers(im, y, 0, 2);
}

/* scale, zero, and three inputs for each part */
bool import_qlinear_concat(struct import *im, enum graph_op op)
{
    const size_t inputs = im->node->n_input;
    int axis = 0;
    (void)op;
    if (inputs < 5 || inputs > INT32_MAX || (inputs - 2) % 3 != 0)
        return import_fail(im, "%zu inputs", inputs);
    if (!import_check_inputs(im, inputs, inputs)) return false;
    if (import_attribute(im, "axis") == NULL)
        return import_fail(im, "no axis is given");
    if (!import_axis_attribute(im, 0,
                import_tensor(im, import_input(im, 2))->shape.ndims, &axis))
        return false;
    const size_t count = (inputs - 2) / 3;
    int *parts = malloc(count * sizeof *parts);
    if (parts == NULL) return fail_out_of_memory(im->failure);
    const bool ok = emit_joined(im, parts, (int)count, axis);
    free(parts);
    return ok;
}

/* ---- Products ------------------------------------------------------------ */

/* A scale of f32: one number, or one for each of so many columns. */
static int scale_of(struct import *im, size_t input, int64_t columns)
{
    const struct graph_shape row = {.ndims = 1, .dims = {columns}};
    const int t = import_input(im, input);
    if (import_tensor(im, t)->type != graph_type_f32) {
        (void)import_fail(im, "input %zu is no scale of f32", input);
        return graph_none;
    }
    if (graph_shape_equal(&import_tensor(im, t)->shape, &row)) return t;
    return one_number(im, input);
}

struct product {
    int a, b, a_zero, b_zero; /* zero points may be import_absent */
    int a_scale;              /* one number */
    size_t b_scale, bias;     /* inputs; no bias if that is not given */
};

/* The sums of integers, as floats. */
static bool emit_floats(struct import *im, const struct product *p)
{
    const bool has_bias = import_has_input(im, p->bias);
    const struct import_step step = {
            .op = "MatMulInteger",
            .inputs = {p->a, p->b, p->a_zero, p->b_zero},
            .input_count = 4,
    };
    int y = import_emit_step(im, &step, import_between);
    if (y == graph_none) return false;
    const struct graph_shape shape = import_tensor(im, y)->shape;
    const int64_t columns = shape.ndims == 0 ? 1 : shape.dims[shape.ndims - 1];
    const struct graph_shape row = {.ndims = 1, .dims = {columns}};
    if (!import_check_shape(im, p->bias, &row)) return false;
    int scale = scale_of(im, p->b_scale, columns);
    y = import_emit_cast(im, y, graph_type_f32, import_between);
    scale = import_emit_binary(
            im, graph_op_mul, p->a_scale, scale, import_between);
    y = import_emit_binary(
            im, graph_op_mul, y, scale, has_bias ? import_between : 0);
    if (has_bias)
        y = import_emit_binary(
                im, graph_op_add, y, import_input(im, p->bias), 0);
    return y != graph_none;
}

bool import_matmul_integer_to_float(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 4, 7)) return false;
    const struct product p = {
            .a = import_input(im, 0),
            .b = import_input(im, 1),
            .a_zero = one_number(im, 4),
            .b_zero = given(im, 5),
            .a_scale = scale_of(im, 2, 1),
            .b_scale = 3,
            .bias = 6,
    };
    return p.a_zero != graph_none && p.a_scale != graph_none
           && emit_floats(im, &p);
}

bool import_dynamic_quantize_matmul(struct import *im, enum graph_op op)
{
    int quantized[3]; /* y, its scale and its zero point */
    (void)op;
    if (!import_check_inputs(im, 3, 5)) return false;
    const struct import_step step = {
            .op = "DynamicQuantizeLinear",
            .inputs = {import_input(im, 0)},
            .input_count = 1,
            .output_count = 3,
    };
    if (!import_steps(im, &step, quantized)) return false;
    const struct product p = {
            .a = quantized[0],
            .b = import_input(im, 1),
            .a_zero = quantized[2],
            .b_zero = given(im, 3),
            .a_scale = quantized[1],
            .b_scale = 2,
            .bias = 4,
    };
    return emit_floats(im, &p);
}

/* An operand of a Gemm, with its rows and columns turned if it says so. */
static int matrix_of(struct import *im, size_t input, const char *flag)
{
    static const int turn[graph_max_ndims] = {1, 0};
    bool is_turned = false;
    const int x = import_input(im, input);
    if (!import_flag(im, flag, &is_turned)) return graph_none;
    if (import_tensor(im, x)->shape.ndims != 2) {
        (void)import_fail(im, "input %zu is no matrix", input);
        return graph_none;
    }
    return is_turned ? import_emit_transpose(im, x, turn, import_between) : x;
}

/* a, scale, zero, b, scale, zero, [c], [scale], [zero]: c is added to the sums
 * of integers; without a scale of the result that is of floats. */
static int gemm_sums(struct import *im)
{
    const int a = matrix_of(im, 0, "transA");
    const int b = a == graph_none ? graph_none : matrix_of(im, 3, "transB");
    const int zero = one_number(im, 2);
    if (b == graph_none || zero == graph_none) return graph_none;
    const struct import_step step = {
            .op = "MatMulInteger",
            .inputs = {a, b, zero, import_input(im, 5)},
            .input_count = 4,
    };
    const int sums = import_emit_step(im, &step, import_between);
    if (sums == graph_none || !import_has_input(im, 6)) return sums;
    const struct graph_shape shape = import_tensor(im, sums)->shape;
    const struct graph_tensor *c = import_tensor(im, import_input(im, 6));
    struct graph_shape with_c;
    if (!import_broadcast(im, &shape, &c->shape, &with_c)) return graph_none;
    if (!graph_shape_equal(&shape, &with_c) || c->type != graph_type_i32) {
        (void)import_fail(im, "input 6 is not of i32, or too large");
        return graph_none;
    }
    return import_emit_binary(
            im, graph_op_add, sums, import_input(im, 6), import_between);
}

bool import_qgemm(struct import *im, enum graph_op op)
{
    float alpha = 1.0F;
    (void)op;
    if (!import_check_inputs(im, 6, 9) || !import_float(im, "alpha", &alpha))
        return false;
    const int sums = gemm_sums(im);
    if (sums == graph_none) return false;
    const int64_t columns = import_tensor(im, sums)->shape.dims[1];
    int scale = scale_of(im, 1, 1);
    if (scale == graph_none) return false;
    scale = import_emit_binary(
            im, graph_op_mul, scale, scale_of(im, 4, columns), import_between);
    if (alpha != 1.0F)
        scale = import_emit_binary(im, graph_op_mul, scale,
                import_emit_scalar(im, alpha), import_between);
    const bool has_scale = import_has_input(im, 7);
    int y = import_emit_cast(im, sums, graph_type_f32, import_between);
    y = import_emit_binary(
            im, graph_op_mul, y, scale, has_scale ? import_between : 0);
    return has_scale ? emit_integers(im, y, 7, 0) : y != graph_none;
}
