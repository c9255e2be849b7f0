/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/weights.h"

#include <math.h>
#include <stdlib.h>

/* ---- What a weight is used for ------------------------------------------- */

/* Numbers between two limits, all as likely. */
struct range {
    float least, most;
};

static struct range around_0(double most)
{
    return (struct range){(float)-most, (float)most};
}

/* The product of dimensions from one on. */
static int64_t count_from(const struct graph_shape *shape, int from)
{
    int64_t count = 1;
    for (int d = from; d < shape->ndims; d++)
        count *= shape->dims[d];
    return count;
}

/* How many products of weights and activations a sum has. */
static int64_t terms(
        const struct graph *graph, const struct graph_node *node, int input)
{
    const struct graph_shape *w = &graph->tensors[node->inputs[input]].shape;
    switch (node->op) {
    case graph_op_conv:
        return count_from(w, 1);
    case graph_op_conv_transpose: {
        /* Windows overlap as often as strides go into them. */
        const struct graph_window *window = &node->u.window;
        int64_t count = w->dims[0] / window->groups;
        for (int i = 0; i < window->spatial; i++)
            count *= (window->kernel[i] - 1) / window->strides[i] + 1;
        return count;
    }
    case graph_op_gemm:
        return w->dims[input == 0 ? !node->u.gemm.transpose_a
                                  : node->u.gemm.transpose_b];
    default: /* matmul */
        return w->dims[w->ndims - (input == 0 ? 1 : 2)];
    }
}

/* Sums of n products with numbers of this variance, half of which a ReLU will
 * cut off, have the magnitude of what they are made of. */
static struct range for_products(int64_t n)
{
    return around_0(sqrt(6.0 / (double)n));
}

/* What a normalization does with its result is more than one number may undo:
 * where it is added to something else it stays small, or networks of many such
 * branches would grow with each. */
static struct range for_norm(
        const struct graph *graph, const struct graph_node *node, int input)
{
    if (input == 2 || input == 3) return around_0(0.2);
    for (int i = 0; input == 1 && i < graph->node_count; i++)
        if (graph->nodes[i].op == graph_op_add
                && (graph->nodes[i].inputs[0] == node->output
                        || graph->nodes[i].inputs[1] == node->output))
            return (struct range){0.2F, 0.6F};
    return (struct range){0.75F, 1.25F};
}

static struct range for_input(
        const struct graph *graph, const struct graph_node *node, int input)
{
    switch (node->op) {
    case graph_op_conv:
    case graph_op_conv_transpose:
    case graph_op_gemm:
    case graph_op_matmul:
        if (input == 2) return around_0(0.1); /* what is added to sums */
        return for_products(terms(graph, node, input));
    case graph_op_batch_norm:
    case graph_op_instance_norm:
    case graph_op_layer_norm:
        return for_norm(graph, node, input);
    case graph_op_mul:
    case graph_op_div:
    case graph_op_pow:
        return (struct range){0.75F, 1.25F};
    case graph_op_prelu:
        return (struct range){0.1F, 0.4F};
    case graph_op_gather:
        return around_0(1.0);
    default:
        return around_0(0.1);
    }
}

/* ---- Numbers ------------------------------------------------------------- */

static void fill(struct graph_tensor *tensor, struct range range, uint64_t key)
{
    if (tensor->deferred != NULL && !tensor->deferred->is_read)
        deferred_randomize(tensor->deferred, range.least, range.most, key);
    else
        deferred_fill_random(tensor->data, graph_shape_count(&tensor->shape),
                range.least, range.most, key);
}

static bool is_replaced(const struct graph_tensor *tensor)
{
    return tensor->is_weight && tensor->type == graph_type_f32
           && tensor->data != NULL && graph_shape_count(&tensor->shape) > 1;
}

bool weights_randomize(
        struct graph *graph, uint64_t seed, struct failure *failure)
{
    bool *done = calloc((size_t)graph->tensor_count + 1, sizeof *done);
    if (done == NULL) return fail_out_of_memory(failure);
    /* Where a weight is used first decides. */
    for (int i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];
        for (int k = 0; k < node->input_count; k++) {
            int t = node->inputs[k];
            if (t == graph_none || done[t] || !is_replaced(&graph->tensors[t]))
                continue;
            done[t] = true;
            fill(&graph->tensors[t], for_input(graph, node, k),
                    deferred_mix(deferred_mix(seed) + ((uint64_t)t << 40)));
        }
    }
    free(done);
    return true;
}
