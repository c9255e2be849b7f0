/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions, with the normalization behind them, and poolings. */
#include "model/lower/lower_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Windows ------------------------------------------------------------- */

/* The window as the library counts it. What is behind the end is what the
 * output's size asks for: it is `small`, the side of the windows, and `large`,
 * the side they walk over. */
static bool set_window(struct lowering *l, const struct graph_node *node,
        struct step *step, const int64_t *large, const int64_t *small)
{
    const struct graph_window *w = &node->u.window;
    for (int d = 0; d < w->spatial; d++) {
        if (w->pads_begin[d] < 0)
            return lower_refuse(l, node, "padding is negative");
        step->strides[d] = w->strides[d];
        step->kernel[d] = w->kernel[d];
        step->dilates[d] = w->dilations[d] - 1;
        step->padding_l[d] = w->pads_begin[d];
        step->padding_r[d] = (small[d] - 1) * w->strides[d]
                             + (w->kernel[d] - 1) * w->dilations[d] + 1
                             - large[d] - w->pads_begin[d];
    }
    return true;
}

/* ---- Convolutions -------------------------------------------------------- */

/* [O, I, ...] as [groups, O / groups, I, ...]. */
static bool split_groups(struct view *weights, int64_t groups)
{
    const struct layout *in = &weights->layout;
    int64_t dims[layout_max_dims];
    if (groups == 1) return true;
    dims[0] = groups;
    memcpy(dims + 1, in->dims, (size_t)in->ndims * sizeof *dims);
    dims[1] /= groups;
    return layout_reshape(&weights->layout, in, in->ndims + 1, dims);
}

/* What a convolution brings along besides its input. */
struct filter {
    struct view weights;
    struct view bias; /* buffer -1: none */
};

/* The BatchNormalization that alone takes a tensor, with constants alone. */
static const struct graph_node *find_norm(const struct lowering *l, int tensor)
{
    if (l->uses[tensor] != 1) return NULL;
    const struct graph_node *node = &l->graph->nodes[l->reader[tensor]];
    if (node->op != graph_op_batch_norm || node->inputs[0] != tensor)
        return NULL;
    for (int i = 1; i < 5; i++)
        if (lower_tensor(l, node, i)->data == NULL
                || lower_tensor(l, node, i)->type != graph_type_f32)
            return NULL;
    return node;
}

/* (x + bias - mean) * factor + shift is x * factor + the new bias. */
static bool scale_by_norm(struct lowering *l, const struct graph_node *norm,
        const float *bias, float *factors, float *shifts)
{
    for (int i = 1; i < 5; i++)
        if (!graph_tensor_read(lower_tensor(l, norm, i), l->failure))
            return false;
    const float *scale = lower_tensor(l, norm, 1)->data;
    const float *shift = lower_tensor(l, norm, 2)->data;
    const float *mean = lower_tensor(l, norm, 3)->data;
    const float *variance = lower_tensor(l, norm, 4)->data;
    const int64_t channels = lower_tensor(l, norm, 1)->shape.dims[0];
    for (int64_t c = 0; c < channels; c++) {
        const double factor =
                (double)scale[c]
                / sqrt((double)variance[c] + (double)norm->u.epsilon);
        const double b = bias != NULL ? (double)bias[c] : 0.0;
        factors[c] = (float)factor;
        shifts[c] = (float)((b - (double)mean[c]) * factor + (double)shift[c]);
    }
    return true;
}

/* Lets weights and bias do what the normalization behind them would. */
static bool fold_norm(
        struct lowering *l, const struct graph_node *norm, struct filter *f)
{
    const int64_t channels = lower_tensor(l, norm, 1)->shape.dims[0];
    const int64_t run = layout_count(&f->weights.layout) / channels;
    const struct buffer *b =
            f->bias.buffer >= 0 ? &l->plan->buffers[f->bias.buffer] : NULL;
    if (b != NULL && !deferred_read(b->deferred, l->failure)) return false;
    const float *bias = b != NULL ? b->data : NULL;
    float *factors = malloc(sizeof *factors * (size_t)channels);
    float *shifts = malloc(sizeof *shifts * (size_t)channels);
    if (factors == NULL || shifts == NULL) {
        free(factors);
        free(shifts);
        return lower_out_of_memory(l);
    }
    if (!scale_by_norm(l, norm, bias, factors, shifts)) {
        free(factors);
        free(shifts);
        return false;
    }
    if (!lower_constant(l, 1, &channels, shifts, &f->bias)) {
        free(factors);
        return false;
    }
    return lower_scale_constant(l, &f->weights, factors, run);
}

/* Zeros, so that convolutions with and without a bias are one program. */
static bool add_zero_bias(struct lowering *l, const struct graph_node *node,
        int64_t channels, struct view *bias)
{
    return lower_charge(l, node, channels, sizeof(float))
           && lower_constant(l, 1, &channels,
                   calloc((size_t)channels, sizeof(float)), bias);
}

static bool read_filter(
        struct lowering *l, const struct graph_node *node, struct filter *f)
{
    f->bias.buffer = -1;
    return lower_input(l, node, 1, &f->weights)
           && (!lower_has_input(node, 2) || lower_input(l, node, 2, &f->bias));
}

bool lower_conv(struct lowering *l, const struct graph_node *node)
{
    struct filter f;
    struct view src;
    int tensor = node->output;
    const int64_t *out = l->graph->tensors[tensor].shape.dims;
    if (l->graph->tensors[tensor].type != graph_type_f32)
        return lower_exact_conv(l, node);
    struct step *step = lower_step(l, node, step_convolution, 4);
    if (step == NULL || !lower_input(l, node, 0, &src)
            || !read_filter(l, node, &f)
            || !set_window(l, node, step, src.layout.dims + 2, out + 2))
        return false;
    const struct graph_node *norm = find_norm(l, tensor);
    if (norm != NULL && lower_is_constant(l, &f.weights)
            && (f.bias.buffer < 0 || lower_is_constant(l, &f.bias))) {
        if (!fold_norm(l, norm, &f)) return false;
        l->done[norm - l->graph->nodes] = true;
        tensor = norm->output;
    }
    if (f.bias.buffer < 0 && !add_zero_bias(l, node, out[1], &f.bias))
        return false;
    if (!split_groups(&f.weights, node->u.window.groups))
        return lower_refuse(l, node, "groups do not divide the weights");
    step->alg = dnnl_convolution_direct;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &f.weights);
    step_add_arg(step, DNNL_ARG_BIAS, &f.bias);
    return lower_finish(l, step, tensor);
}

/* [I, O, ...] as [groups, O, I / groups, ...], or [O, I, ...] without. */
static bool turn_weights(struct view *weights, int64_t groups)
{
    int permutation[layout_max_dims];
    if (!split_groups(weights, groups)) return false;
    const int first = groups > 1;
    for (int d = 0; d < weights->layout.ndims; d++)
        permutation[d] = d;
    permutation[first] = first + 1;
    permutation[first + 1] = first;
    weights->layout = layout_permute(&weights->layout, permutation);
    return true;
}

bool lower_conv_transpose(struct lowering *l, const struct graph_node *node)
{
    struct filter f;
    struct view src;
    const int64_t *out = l->graph->tensors[node->output].shape.dims;
    struct step *step = lower_step(l, node, step_deconvolution, 4);
    if (step == NULL || !lower_input(l, node, 0, &src)
            || !read_filter(l, node, &f)
            || !set_window(l, node, step, out + 2, src.layout.dims + 2))
        return false;
    if (f.bias.buffer < 0 && !add_zero_bias(l, node, out[1], &f.bias))
        return false;
    if (!turn_weights(&f.weights, node->u.window.groups))
        return lower_refuse(l, node, "groups do not divide the weights");
    step->alg = dnnl_deconvolution_direct;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &f.weights);
    step_add_arg(step, DNNL_ARG_BIAS, &f.bias);
    return lower_finish(l, step, node->output);
}

/* ---- Poolings ------------------------------------------------------------ */

/* With ceil_mode the last windows may reach beyond the padding, where nothing
 * is that would count. */
static bool reaches_beyond(
        const struct graph_node *node, const struct step *step)
{
    for (int d = 0; d < node->u.window.spatial; d++)
        if (step->padding_r[d] > node->u.window.pads_end[d]) return true;
    return false;
}

static dnnl_alg_kind_t pooling_alg(const struct graph_node *node)
{
    if (node->op == graph_op_max_pool) return dnnl_pooling_max;
    return node->u.window.count_include_pad ? dnnl_pooling_avg_include_padding
                                            : dnnl_pooling_avg_exclude_padding;
}

/* Adds the padding's zeros to a tensor, which count then as elements. */
static bool add_padding(struct lowering *l, const struct graph_node *node,
        struct step *pooling, struct view *src)
{
    const struct graph_window *w = &node->u.window;
    struct graph_node pad = *node;
    struct view padded;
    int64_t dims[layout_max_dims];
    memset(&pad.u.pad, 0, sizeof pad.u.pad);
    pad.u.pad.mode = graph_pad_constant;
    memcpy(dims, src->layout.dims, sizeof dims);
    for (int d = 0; d < w->spatial; d++) {
        pad.u.pad.begin[2 + d] = w->pads_begin[d];
        pad.u.pad.end[2 + d] = w->pads_end[d];
        dims[2 + d] += w->pads_begin[d] + w->pads_end[d];
        pooling->padding_l[d] = 0;
        pooling->padding_r[d] -= w->pads_end[d];
    }
    if (!lower_scratch(l, src->layout.ndims, dims, &padded)
            || !lower_remap_pad(l, &pad, src, &padded))
        return false;
    *src = padded;
    return true;
}

bool lower_pool(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    struct step window = {0};
    const int64_t *out = l->graph->tensors[node->output].shape.dims;
    dnnl_alg_kind_t alg = pooling_alg(node);
    if (!lower_input(l, node, 0, &src)
            || !set_window(l, node, &window, src.layout.dims + 2, out + 2))
        return false;
    if (alg == dnnl_pooling_avg_include_padding
            && reaches_beyond(node, &window)) {
        if (!add_padding(l, node, &window, &src)) return false;
        alg = dnnl_pooling_avg_exclude_padding;
    }
    struct step *step = lower_step(l, node, step_pooling, 2);
    if (step == NULL) return false;
    memcpy(step->strides, window.strides, sizeof step->strides);
    memcpy(step->kernel, window.kernel, sizeof step->kernel);
    memcpy(step->dilates, window.dilates, sizeof step->dilates);
    memcpy(step->padding_l, window.padding_l, sizeof step->padding_l);
    memcpy(step->padding_r, window.padding_r, sizeof step->padding_r);
    step->alg = alg;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish_plain(l, step, node->output);
}
