/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element, and of two. */
#include "model/lower/lower_internal.h"

#include <string.h>

/* ---- Of one -------------------------------------------------------------- */

/* Functions that programs.c has, and who has others: the library for floats,
 * nobody for integers. */
struct own_function {
    const char *name;
    bool is_for_floats;   /* also of 32 bits */
    bool is_for_integers; /* and bool */
};

static struct own_function own_function(enum graph_op op)
{
    static const struct own_function table[graph_op_count] = {
            [graph_op_softsign] = {"softsign", true, false},
            [graph_op_thresholded_relu] = {"thresholded_relu", true, false},
            [graph_op_floor] = {"floor", true, false},
            [graph_op_ceil] = {"ceil", true, false},
            [graph_op_erf] = {"erf", true, false},
            [graph_op_sign] = {"sign", true, true},
            [graph_op_sin] = {"sin", true, false},
            [graph_op_cos] = {"cos", true, false},
            [graph_op_tan] = {"tan", true, false},
            [graph_op_asin] = {"asin", true, false},
            [graph_op_acos] = {"acos", true, false},
            [graph_op_atan] = {"atan", true, false},
            [graph_op_sinh] = {"sinh", true, false},
            [graph_op_cosh] = {"cosh", true, false},
            [graph_op_asinh] = {"asinh", true, false},
            [graph_op_acosh] = {"acosh", true, false},
            [graph_op_atanh] = {"atanh", true, false},
            [graph_op_shrink] = {"shrink", true, true},
            [graph_op_is_nan] = {"is_nan", true, false},
            [graph_op_is_inf] = {"is_inf", true, false},
            [graph_op_not] = {"not", false, true},
            [graph_op_bit_not] = {"bit_not", false, true},
            [graph_op_neg] = {"neg", false, true},
            [graph_op_abs] = {"abs", false, true},
            [graph_op_relu] = {"relu", false, true},
            [graph_op_leaky_relu] = {"leaky_relu", false, false},
            [graph_op_elu] = {"elu", false, false},
            [graph_op_softplus] = {"softplus", false, false},
            [graph_op_exp] = {"exp", false, false},
            [graph_op_log] = {"log", false, false},
            [graph_op_sqrt] = {"sqrt", false, false},
            [graph_op_tanh] = {"tanh", false, false},
            [graph_op_sigmoid] = {"sigmoid", false, false},
            [graph_op_reciprocal] = {"reciprocal", false, false},
            [graph_op_round] = {"rint", false, false}};
    return table[op];
}

/* The type that a tensor's integers wrap around in; NULL: they fill those of
 * programs. */
static const char *narrow_type(enum graph_type type)
{
    switch (type) {
    case graph_type_i8:
        return "char";
    case graph_type_u8:
        return "uchar";
    case graph_type_i16:
        return "short";
    case graph_type_u16:
        return "ushort";
    case graph_type_i32:
        return "int";
    case graph_type_u32:
        return "uint";
    default:
        return NULL;
    }
}

const char *lower_narrow_type(const struct lowering *l, int tensor)
{
    return narrow_type(l->graph->tensors[tensor].type);
}

static bool add_map(struct lowering *l, const struct graph_node *node,
        const char *function, const struct view *src, int tensor)
{
    struct step *step = lower_step(l, node, step_map, 2);
    if (step == NULL) return false;
    step->function = function;
    step->narrow = lower_narrow_type(l, tensor);
    if (node->op != graph_op_cast) {
        step->alpha = node->u.eltwise.alpha;
        step->beta = node->u.eltwise.beta;
    }
    step_add_arg(step, DNNL_ARG_SRC, src);
    return lower_finish_plain(l, step, tensor);
}

bool lower_function(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    const struct own_function own = own_function(node->op);
    const bool is_own = element_is_float(src.element) ? own.is_for_floats
                        : src.element == element_f64  ? own.name != NULL
                                                      : own.is_for_integers;
    if (!element_is_float(src.element) && !is_own)
        return lower_refuse(l, node, "not supported for this type");
    if (is_own) return add_map(l, node, own.name, &src, node->output);
    struct step *step = lower_step(l, node, step_eltwise, 2);
    if (step == NULL) return false;
    /* The first of the chain is the step's own. */
    if (!lower_append_function(step, node))
        return lower_refuse(l, node, "no such function");
    step->alg = step->post_ops[0].alg;
    step->alpha = step->post_ops[0].alpha;
    step->beta = step->post_ops[0].beta;
    step->post_op_count--;
    memmove(step->post_ops, step->post_ops + 1,
            (size_t)step->post_op_count * sizeof *step->post_ops);
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish(l, step, node->output);
}

/* Does every number of a type have the same value in another? */
static bool holds(enum graph_type to, enum graph_type from)
{
    const size_t to_size = graph_type_size(to);
    const size_t from_size = graph_type_size(from);
    if (to == from || from == graph_type_bool) return true;
    if (graph_type_is_unsigned(to))
        return graph_type_is_unsigned(from) && to_size >= from_size;
    return graph_type_is_unsigned(from) ? to_size > from_size
                                        : to_size >= from_size;
}

/* Numbers lose what is behind the point, or above the bits that there are, and
 * become 0 or 1 as bool. What only has another name stays where it is. */
bool lower_cast(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    const enum graph_type from = lower_tensor(l, node, 0)->type;
    const enum graph_type to = l->graph->tensors[node->output].type;
    if (!lower_input(l, node, 0, &src)) return false;
    if (to == graph_type_bool && from != graph_type_bool)
        return add_map(l, node, "is_true", &src, node->output);
    if (graph_type_is_integer(to)
            && (graph_type_is_float(from) || !holds(to, from)))
        return add_map(l, node, "to_integer", &src, node->output);
    if (src.element != lower_element(l, to))
        return add_map(l, node, "copy", &src, node->output);
    l->views[node->output] = src;
    return true;
}

/* ---- Of two -------------------------------------------------------------- */

static bool read_both(struct lowering *l, const struct graph_node *node,
        struct view *a, struct view *b)
{
    const int ndims = l->graph->tensors[node->output].shape.ndims;
    if (!lower_input(l, node, 0, a) || !lower_input(l, node, 1, b))
        return false;
    a->layout = layout_lift(&a->layout, ndims);
    b->layout = layout_lift(&b->layout, ndims);
    return true;
}

static dnnl_alg_kind_t binary_alg(enum graph_op op)
{
    static const dnnl_alg_kind_t algs[] = {
            [graph_op_add - graph_op_add] = dnnl_binary_add,
            [graph_op_sub - graph_op_add] = dnnl_binary_sub,
            [graph_op_mul - graph_op_add] = dnnl_binary_mul,
            [graph_op_div - graph_op_add] = dnnl_binary_div};
    return algs[op - graph_op_add];
}

/* By a program of our own. */
static bool add_map_of_two(struct lowering *l, const struct graph_node *node,
        const char *function, struct view *a, struct view *b)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct step *step = lower_step(l, node, step_map, 3);
    if (step == NULL) return false;
    if (!layout_broadcast(&a->layout, &a->layout, shape->ndims, shape->dims)
            || !layout_broadcast(
                    &b->layout, &b->layout, shape->ndims, shape->dims))
        return lower_refuse(l, node, "shapes do not fit");
    step->function = function;
    step->narrow = lower_narrow_type(l, node->output);
    step_add_arg(step, DNNL_ARG_SRC_0, a);
    step_add_arg(step, DNNL_ARG_SRC_1, b);
    return lower_finish_plain(l, step, node->output);
}

/* Integers are divided towards 0. */
static const char *function_of_two(enum graph_op op, enum element element)
{
    static const char *const names[graph_op_count] = {[graph_op_add] = "add",
            [graph_op_sub] = "sub",
            [graph_op_mul] = "mul",
            [graph_op_div] = "div",
            [graph_op_pow] = "pow",
            [graph_op_max] = "max",
            [graph_op_min] = "min",
            [graph_op_mod] = "mod",
            [graph_op_fmod] = "fmod",
            [graph_op_equal] = "equal",
            [graph_op_less] = "less",
            [graph_op_less_or_equal] = "less_or_equal",
            [graph_op_greater] = "less",
            [graph_op_greater_or_equal] = "less_or_equal",
            [graph_op_and] = "and",
            [graph_op_or] = "or",
            [graph_op_xor] = "xor",
            [graph_op_bit_and] = "and",
            [graph_op_bit_or] = "or",
            [graph_op_bit_xor] = "xor",
            [graph_op_shift_left] = "shift_left",
            [graph_op_shift_right] = "shift_right"};
    if (element == element_i64) {
        if (op == graph_op_div) return "divide";
        if (op == graph_op_pow) return "pow_integer";
        if (op == graph_op_mod) return "mod_integer";
        if (op == graph_op_fmod) return "fmod_integer";
    }
    return names[op];
}

/* The library's maximum and minimum are the number if the other is NaN; ONNX's
 * are NaN. */
static bool is_of_library(const struct graph_node *node, enum element element)
{
    return element_is_float(element) && node->op >= graph_op_add
           && node->op <= graph_op_div;
}

/* The power of one constant exponent, which is a function of one element. */
static bool add_power(struct lowering *l, const struct graph_node *node,
        const struct view *a, float exponent)
{
    struct step *step = lower_step(l, node, step_eltwise, 2);
    if (step == NULL) return false;
    step->alg = dnnl_eltwise_pow;
    step->alpha = 1.0f;
    step->beta = exponent;
    step_add_arg(step, DNNL_ARG_SRC, a);
    return lower_finish(l, step, node->output);
}

bool lower_binary(struct lowering *l, const struct graph_node *node)
{
    struct view a, b;
    float exponent;
    if (node->op == graph_op_pow && lower_exponent(l, node, &exponent)) {
        if (!lower_input(l, node, 0, &a)) return false;
        a.layout = layout_lift(
                &a.layout, l->graph->tensors[node->output].shape.ndims);
        return add_power(l, node, &a, exponent);
    }
    if (!read_both(l, node, &a, &b)) return false;
    if (node->op == graph_op_greater || node->op == graph_op_greater_or_equal)
        return add_map_of_two(
                l, node, function_of_two(node->op, a.element), &b, &a);
    if (!is_of_library(node, a.element))
        return add_map_of_two(
                l, node, function_of_two(node->op, a.element), &a, &b);
    struct step *step = lower_step(l, node, step_binary, 3);
    if (step == NULL) return false;
    step->alg = binary_alg(node->op);
    step_add_arg(step, DNNL_ARG_SRC_0, &a);
    step_add_arg(step, DNNL_ARG_SRC_1, &b);
    return lower_finish(l, step, node->output);
}

/* ---- Of three ------------------------------------------------------------ */

/* An input in the shape of the result. */
static bool read_broadcast(struct lowering *l, const struct graph_node *node,
        int i, struct view *view)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    return lower_input(l, node, i, view)
           && (layout_broadcast(
                       &view->layout, &view->layout, shape->ndims, shape->dims)
                   || lower_refuse(l, node, "shapes do not fit"));
}

/* All of y is copied, and then x to where the condition is true. */
bool lower_where(struct lowering *l, const struct graph_node *node)
{
    struct view condition, x, y, dst;
    if (!read_broadcast(l, node, 0, &condition)
            || !read_broadcast(l, node, 1, &x)
            || !read_broadcast(l, node, 2, &y))
        return false;
    struct step *all = lower_step(l, node, step_map, 2);
    if (all == NULL || !lower_result(l, node->output, &dst)) return false;
    all->function = "copy";
    step_add_arg(all, DNNL_ARG_SRC, &y);
    step_add_arg(all, DNNL_ARG_DST, &dst);
    struct step *some = lower_step(l, node, step_where, 3);
    if (some == NULL) return false;
    some->tensor = l->graph->tensors[node->output].name;
    step_add_arg(some, DNNL_ARG_SRC_0, &condition);
    step_add_arg(some, DNNL_ARG_SRC_1, &x);
    step_add_arg(some, DNNL_ARG_DST, &dst);
    return true;
}

bool lower_prelu(struct lowering *l, const struct graph_node *node)
{
    struct view x, slope;
    if (!read_both(l, node, &x, &slope)) return false;
    struct step *step = lower_step(l, node, step_prelu, 3);
    if (step == NULL) return false;
    step_add_arg(step, DNNL_ARG_SRC, &x);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &slope);
    return lower_finish_plain(l, step, node->output);
}
