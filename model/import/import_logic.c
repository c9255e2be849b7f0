/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, logic, bits and remainders. */
#include "model/import/import.h"

#include <string.h>

/* Two inputs of one type. */
static bool check_pair(struct import *im)
{
    if (!import_check_inputs(im, 2, 2)) return false;
    const enum graph_type a = import_tensor(im, import_input(im, 0))->type;
    const enum graph_type b = import_tensor(im, import_input(im, 1))->type;
    return a == b
           || import_fail(im, "input 1 is of type %s after %s",
                   graph_type_name(b), graph_type_name(a));
}

static bool check_type(struct import *im, bool is_right)
{
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return is_right
           || import_fail(im, "input 0 is of type %s", graph_type_name(type));
}

static bool emit_pair(struct import *im, enum graph_op op)
{
    int b = import_second_operand(im);
    return import_emit_binary(im, op, import_input(im, 0), b, 0) != graph_none;
}

bool import_compare(struct import *im, enum graph_op op)
{
    if (!check_pair(im)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, type != graph_type_bool || op == graph_op_equal)
           && emit_pair(im, op);
}

bool import_logic(struct import *im, enum graph_op op)
{
    if (!check_pair(im)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, type == graph_type_bool) && emit_pair(im, op);
}

bool import_bits(struct import *im, enum graph_op op)
{
    if (!check_pair(im)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, graph_type_is_integer(type)) && emit_pair(im, op);
}

bool import_bit_shift(struct import *im, enum graph_op op)
{
    char direction[import_word_size] = "";
    (void)op;
    if (!check_pair(im) || !import_word(im, "direction", direction))
        return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    const bool is_left = strcmp(direction, "LEFT") == 0;
    if (!is_left && strcmp(direction, "RIGHT") != 0)
        return import_fail(im, "attribute direction is '%s'", direction);
    return check_type(im, graph_type_is_unsigned(type))
           && emit_pair(
                   im, is_left ? graph_op_shift_left : graph_op_shift_right);
}

bool import_mod(struct import *im, enum graph_op op)
{
    bool is_of_c = false;
    (void)op;
    if (!check_pair(im) || !import_flag(im, "fmod", &is_of_c)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, graph_type_is_integer(type)
                                  || (graph_type_is_float(type) && is_of_c))
           && emit_pair(im, is_of_c ? graph_op_fmod : graph_op_mod);
}

/* ---- Of one -------------------------------------------------------------- */

static bool emit_one(struct import *im, struct graph_node *node)
{
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    node->input_count = 1;
    node->inputs = &x;
    return import_emit(im, node, graph_type_bool, &shape, 0) != graph_none;
}

bool import_not(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!import_check_inputs(im, 1, 1)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, type == graph_type_bool) && emit_one(im, &node);
}

bool import_is_nan(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!import_check_inputs(im, 1, 1)) return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, graph_type_is_float(type)) && emit_one(im, &node);
}

bool import_is_inf(struct import *im, enum graph_op op)
{
    bool positive = true;
    bool negative = true;
    if (!import_check_inputs(im, 1, 1)
            || !import_flag(im, "detect_positive", &positive)
            || !import_flag(im, "detect_negative", &negative))
        return false;
    struct graph_node node = {
            .op = op,
            .u.eltwise = {.alpha = positive ? 1.0F : 0.0F,
                    .beta = negative ? 1.0F : 0.0F},
    };
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    return check_type(im, graph_type_is_float(type)) && emit_one(im, &node);
}

/* ---- Of three ------------------------------------------------------------ */

bool import_where(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 3, 3)) return false;
    const int inputs[3] = {
            import_input(im, 0), import_input(im, 1), import_input(im, 2)};
    const enum graph_type x = import_tensor(im, inputs[1])->type;
    const enum graph_type y = import_tensor(im, inputs[2])->type;
    if (!check_type(im, import_tensor(im, inputs[0])->type == graph_type_bool))
        return false;
    if (x != y)
        return import_fail(im, "input 2 is of type %s after %s",
                graph_type_name(y), graph_type_name(x));
    return import_emit_where(im, inputs[0], inputs[1], inputs[2], 0)
           != graph_none;
}
