/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element and of two. */
#include "model/import/import.h"

#include <math.h>
#include <string.h>

/* ---- Of one -------------------------------------------------------------- */

/* Does an operator take integers? */
static bool takes_integers(enum graph_op op)
{
    return op == graph_op_abs || op == graph_op_neg || op == graph_op_relu
           || op == graph_op_sign || op == graph_op_shrink
           || op == graph_op_bit_not;
}

/* What alpha and beta are if the file does not say. */
static void default_parameters(struct graph_node *node)
{
    float alpha = 0.0F;
    float beta = 0.0F;
    switch (node->op) {
    case graph_op_leaky_relu:
        alpha = 0.01F;
        break;
    case graph_op_elu:
    case graph_op_celu:
    case graph_op_thresholded_relu:
        alpha = 1.0F;
        break;
    case graph_op_shrink:
        alpha = 0.5F;
        break;
    case graph_op_selu:
        alpha = 1.67326319217681884765625F;
        beta = 1.05070102214813232421875F;
        break;
    case graph_op_hard_sigmoid:
        alpha = 0.2F;
        beta = 0.5F;
        break;
    case graph_op_hard_swish: /* which has no attributes */
        alpha = 1.0F / 6.0F;
        beta = 0.5F;
        break;
    default:
        break;
    }
    node->u.eltwise.alpha = alpha;
    node->u.eltwise.beta = beta;
}

bool import_unary(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!import_check_inputs(im, 1, 1) || !import_check_types(im)) return false;
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    enum graph_type type = import_tensor(im, x)->type;
    if (graph_type_is_float(type) ? op == graph_op_bit_not
                                  : !takes_integers(op))
        return import_fail(im, "input 0 is of type %s", graph_type_name(type));
    default_parameters(&node);
    if (op != graph_op_hard_swish
            && (!import_float(im, op == graph_op_shrink ? "lambd" : "alpha",
                        &node.u.eltwise.alpha)
                    || !import_float(im,
                            op == graph_op_selu     ? "gamma"
                            : op == graph_op_shrink ? "bias"
                                                    : "beta",
                            &node.u.eltwise.beta)))
        return false;
    node.input_count = 1;
    node.inputs = &x;
    return import_emit(im, &node, type, &shape, 0) != graph_none;
}

int import_emit_gelu(struct import *im, int x, bool by_tanh, int output)
{
    int inner = x;
    if (by_tanh) {
        int cube = import_emit_binary(im, graph_op_mul, x, x, import_between);
        cube = import_emit_binary(im, graph_op_mul, cube, x, import_between);
        cube = import_emit_binary(im, graph_op_mul, cube,
                import_emit_scalar(im, 0.044715F), import_between);
        inner = import_emit_binary(im, graph_op_add, x, cube, import_between);
    }
    inner = import_emit_binary(im, graph_op_mul, inner,
            import_emit_scalar(im, by_tanh ? 0.7978845608F : 0.7071067812F),
            import_between);
    int y = import_emit_unary(
            im, by_tanh ? graph_op_tanh : graph_op_erf, inner, import_between);
    y = import_emit_binary(
            im, graph_op_add, y, import_emit_scalar(im, 1.0F), import_between);
    y = import_emit_binary(
            im, graph_op_mul, y, import_emit_scalar(im, 0.5F), import_between);
    return import_emit_binary(im, graph_op_mul, y, x, output);
}

bool import_gelu(struct import *im, enum graph_op op)
{
    char word[import_word_size] = "none";
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)
            || !import_word(im, "approximate", word))
        return false;
    const bool by_tanh = strcmp(word, "tanh") == 0;
    if (!by_tanh && strcmp(word, "none") != 0)
        return import_fail(im, "attribute approximate is '%s'", word);
    return import_emit_gelu(im, import_input(im, 0), by_tanh, 0) != graph_none;
}

bool import_dropout(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 1, 3)) return false;
    if (import_has_input(im, 2)) {
        const struct graph_tensor *training =
                import_tensor(im, import_input(im, 2));
        if (training->data == NULL || training->type != graph_type_bool
                || graph_shape_count(&training->shape) != 1
                || *(const uint8_t *)training->data != 0)
            return import_fail(im, "only inference");
    }
    return import_alias(im, import_input(im, 0), 0);
}

/* ---- Limits -------------------------------------------------------------- */

/* A limit, which is one number, as one that any shape goes together with. */
static int limit_of(struct import *im, size_t input)
{
    const struct graph_shape scalar = {.ndims = 0};
    const int limit = import_input(im, input);
    if (graph_shape_count(&import_tensor(im, limit)->shape) == 1)
        return import_emit_reshape(im, limit, &scalar, import_between);
    (void)import_fail(im, "input %zu is not one number", input);
    return graph_none;
}

/* Limits of other types are tensors, since a float cannot hold them all, and
 * those that are not known yet. */
static bool clip_by_tensors(struct import *im)
{
    int x = import_input(im, 0);
    bool has_max = import_has_input(im, 2);
    if (import_has_input(im, 1))
        x = import_emit_binary(im, graph_op_max, x, limit_of(im, 1),
                has_max ? import_between : 0);
    if (x != graph_none && has_max)
        x = import_emit_binary(im, graph_op_min, x, limit_of(im, 2), 0);
    return x != graph_none
           && (import_has_input(im, 1) || has_max || import_alias(im, x, 0));
}

static bool is_at_run_time(const struct import *im, size_t input)
{
    return import_has_input(im, input)
           && import_tensor(im, import_input(im, input))->data == NULL;
}

static bool read_limit(struct import *im, size_t input, float *limit)
{
    int count;
    if (!import_has_input(im, input)) return true;
    if (!import_constant_floats(im, input, limit, 1, &count)) return false;
    return count == 1 || import_fail(im, "input %zu is empty", input);
}

bool import_clip(struct import *im, enum graph_op op)
{
    float min = -INFINITY;
    float max = INFINITY;
    if (!import_check_inputs(im, 1, 3) || !import_check_types(im)) return false;
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (import_tensor(im, x)->type != graph_type_f32 || is_at_run_time(im, 1)
            || is_at_run_time(im, 2))
        return clip_by_tensors(im);
    if (!import_float(im, "min", &min) || !import_float(im, "max", &max)
            || !read_limit(im, 1, &min) || !read_limit(im, 2, &max))
        return false;
    if (isnan(min) || isnan(max)) return import_fail(im, "a limit is NaN");
    struct graph_node node = {
            .op = op,
            .input_count = 1,
            .inputs = &x,
            .u.eltwise = {.alpha = min, .beta = max},
    };
    return import_emit(im, &node, graph_type_f32, &shape, 0) != graph_none;
}

/* ---- Of two -------------------------------------------------------------- */

/* Before operator set 7 the second operand began at an axis of the first, if
 * there was one: it gets dimensions of 1 behind. graph_none after a failure. */
int import_second_operand(struct import *im)
{
    int b = import_input(im, 1);
    const struct graph_shape *a =
            &import_tensor(im, import_input(im, 0))->shape;
    struct graph_shape shape = import_tensor(im, b)->shape;
    int axis = 0;
    if (im->opset >= 7 || import_attribute(im, "axis") == NULL
            || shape.ndims == 0)
        return b;
    if (!import_axis_attribute(im, 0, a->ndims, &axis)) return graph_none;
    if (axis + shape.ndims > a->ndims) {
        (void)import_fail(im, "%d dimensions from axis %d of %d on",
                shape.ndims, axis, a->ndims);
        return graph_none;
    }
    while (axis + shape.ndims < a->ndims)
        shape.dims[shape.ndims++] = 1;
    return import_emit_reshape(im, b, &shape, import_between);
}

/* The exponent may be of another type: integers to the power of others are
 * computed as those, and cut. */
static bool import_mixed_pow(struct import *im, int a, int b)
{
    const enum graph_type type = import_tensor(im, a)->type;
    const enum graph_type other = import_tensor(im, b)->type;
    if (graph_type_is_float(type) || !graph_type_is_float(other)) {
        b = import_emit_cast(im, b, type, import_between);
        return b != graph_none
               && import_emit_binary(im, graph_op_pow, a, b, 0) != graph_none;
    }
    a = import_emit_cast(im, a, other, import_between);
    if (a == graph_none) return false;
    int y = import_emit_binary(im, graph_op_pow, a, b, import_between);
    return y != graph_none && import_emit_cast(im, y, type, 0) != graph_none;
}

bool import_binary(struct import *im, enum graph_op op)
{
    if (!import_check_inputs(im, 2, 2)
            || (op != graph_op_pow && !import_check_types(im)))
        return false;
    int a = import_input(im, 0);
    enum graph_type type = import_tensor(im, a)->type;
    if (type == graph_type_bool)
        return import_fail(im, "input 0 is of type bool");
    int b = import_second_operand(im);
    if (b != graph_none && import_tensor(im, b)->type != type)
        return import_mixed_pow(im, a, b);
    return b != graph_none && import_emit_binary(im, op, a, b, 0) != graph_none;
}

/* Of any number of tensors: one after the other. */
static int chain(struct import *im, enum graph_op op, int output)
{
    int x = import_input(im, 0);
    size_t count = im->node->n_input;
    for (size_t i = 1; i < count && x != graph_none; i++)
        x = import_emit_binary(im, op, x, import_input(im, i),
                i + 1 == count ? output : import_between);
    return x;
}

/* All of any number of inputs must be given. */
static bool check_chain(struct import *im)
{
    return import_check_inputs(
                   im, im->node->n_input == 0 ? 1 : im->node->n_input, SIZE_MAX)
           && import_check_types(im);
}

bool import_variadic(struct import *im, enum graph_op op)
{
    if (!check_chain(im)) return false;
    int x = chain(im, op, 0);
    return x != graph_none && (im->node->n_input > 1 || import_alias(im, x, 0));
}

bool import_mean(struct import *im, enum graph_op op)
{
    (void)op;
    if (!check_chain(im) || !import_check_f32(im)) return false;
    if (im->node->n_input == 1) return import_alias(im, import_input(im, 0), 0);
    int sum = chain(im, graph_op_add, import_between);
    if (sum == graph_none) return false;
    int count = import_emit_scalar(im, (float)im->node->n_input);
    return count != graph_none
           && import_emit_binary(im, graph_op_div, sum, count, 0) != graph_none;
}

/* Before operator set 7 a slope for each channel had one dimension. */
static int slope(struct import *im)
{
    int slope = import_input(im, 1);
    struct graph_shape shape = import_tensor(im, slope)->shape;
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    if (im->opset >= 7 || shape.ndims != 1 || shape.dims[0] == 1
            || x->ndims < 3)
        return slope;
    shape.ndims = x->ndims - 1;
    for (int d = 1; d < shape.ndims; d++)
        shape.dims[d] = 1;
    return import_emit_reshape(im, slope, &shape, import_between);
}

bool import_prelu(struct import *im, enum graph_op op)
{
    struct graph_shape broadcast;
    if (!import_check_inputs(im, 2, 2) || !import_check_f32(im)) return false;
    int inputs[2] = {import_input(im, 0), slope(im)};
    if (inputs[1] == graph_none) return false;
    struct graph_shape x = import_tensor(im, inputs[0])->shape;
    if (!import_broadcast(
                im, &x, &import_tensor(im, inputs[1])->shape, &broadcast))
        return false;
    if (!graph_shape_equal(&x, &broadcast))
        return import_fail(im, "the slope is larger than input 0");
    struct graph_node node = {.op = op, .input_count = 2, .inputs = inputs};
    return import_emit(im, &node, graph_type_f32, &x, 0) != graph_none;
}
