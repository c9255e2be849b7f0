/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element, and of two. */
#include "lower_internal.h"

#include <string.h>

/* ---- Of one -------------------------------------------------------------- */

/* Those that the library has none for: programs.c has them. */
static const char *own_function(enum graph_op op)
{
    switch (op) {
    case graph_op_softsign:
        return "softsign";
    case graph_op_thresholded_relu:
        return "thresholded_relu";
    case graph_op_floor:
        return "floor";
    case graph_op_ceil:
        return "ceil";
    case graph_op_erf:
        return "erf";
    default:
        return NULL;
    }
}

/* Those of elements that are no floats. */
static const char *wide_function(enum graph_op op, enum element element)
{
    switch (op) {
    case graph_op_neg:
        return "neg";
    case graph_op_abs:
        return "abs";
    case graph_op_relu:
        return "relu";
    default:
        break;
    }
    if (element == element_i64) return NULL;
    switch (op) {
    case graph_op_exp:
        return "exp";
    case graph_op_log:
        return "log";
    case graph_op_sqrt:
        return "sqrt";
    case graph_op_tanh:
        return "tanh";
    case graph_op_sigmoid:
        return "sigmoid";
    case graph_op_reciprocal:
        return "reciprocal";
    case graph_op_round:
        return "rint";
    default:
        return own_function(op);
    }
}

static bool add_map(struct lowering *l, const struct graph_node *node,
        const char *function, const struct view *src, int tensor)
{
    struct step *step = lower_step(l, node, step_map, 2);
    if (step == NULL) return false;
    step->function = function;
    if (node->op == graph_op_thresholded_relu)
        step->alpha = node->u.eltwise.alpha;
    step_add_arg(step, DNNL_ARG_SRC, src);
    return lower_finish_plain(l, step, tensor);
}

bool lower_function(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    const char *own = src.element == element_f32
                              ? own_function(node->op)
                              : wide_function(node->op, src.element);
    if (src.element != element_f32 && own == NULL)
        return lower_refuse(l, node, "it is there for f32 alone");
    if (own != NULL) return add_map(l, node, own, &src, node->output);
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

/* Numbers lose what is behind the point, or above 32 bits, and become 0 or 1 as
 * bool. What only has another name stays where it is. */
bool lower_cast(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    const enum graph_type from = lower_tensor(l, node, 0)->type;
    const enum graph_type to = l->graph->tensors[node->output].type;
    if (!lower_input(l, node, 0, &src)) return false;
    if (to == graph_type_bool && from != graph_type_bool)
        return add_map(l, node, "is_true", &src, node->output);
    if (to == graph_type_i32 && from != graph_type_i32
            && from != graph_type_bool)
        return add_map(l, node, "to_i32", &src, node->output);
    if (src.element != lower_element(to))
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
            [graph_op_div - graph_op_add] = dnnl_binary_div,
            [graph_op_max - graph_op_add] = dnnl_binary_max,
            [graph_op_min - graph_op_add] = dnnl_binary_min};
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
    step_add_arg(step, DNNL_ARG_SRC_0, a);
    step_add_arg(step, DNNL_ARG_SRC_1, b);
    return lower_finish_plain(l, step, node->output);
}

/* Integers are divided towards 0. */
static const char *wide_function_of_two(enum graph_op op, enum element element)
{
    static const char *const names[] = {[graph_op_add - graph_op_add] = "add",
            [graph_op_sub - graph_op_add] = "sub",
            [graph_op_mul - graph_op_add] = "mul",
            [graph_op_div - graph_op_add] = "div",
            [graph_op_max - graph_op_add] = "max",
            [graph_op_min - graph_op_add] = "min"};
    if (op == graph_op_div && element == element_i64) return "divide";
    return names[op - graph_op_add];
}

bool lower_binary(struct lowering *l, const struct graph_node *node)
{
    struct view a, b;
    if (!read_both(l, node, &a, &b)) return false;
    if (a.element != element_f32)
        return add_map_of_two(
                l, node, wide_function_of_two(node->op, a.element), &a, &b);
    struct step *step = lower_step(l, node, step_binary, 3);
    if (step == NULL) return false;
    step->alg = binary_alg(node->op);
    step_add_arg(step, DNNL_ARG_SRC_0, &a);
    step_add_arg(step, DNNL_ARG_SRC_1, &b);
    return lower_finish(l, step, node->output);
}

/* The exponent may be of another type. */
bool lower_pow(struct lowering *l, const struct graph_node *node)
{
    struct view a, b;
    if (!read_both(l, node, &a, &b)) return false;
    return add_map_of_two(
            l, node, a.element == element_i64 ? "pow_integer" : "pow", &a, &b);
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
