/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include "src/common/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_fini(struct plan *plan)
{
    for (int i = 0; i < plan->buffer_count; i++) {
        free(plan->buffers[i].owned);
        free(plan->buffers[i].factors);
    }
    for (int i = 0; i < plan->step_count; i++) {
        free(plan->steps[i]->args);
        free(plan->steps[i]);
    }
    free(plan->buffers);
    free(plan->steps);
    free(plan->inputs);
    free(plan->outputs);
    *plan = (struct plan){0};
}

int plan_add_buffer(struct plan *plan, enum buffer_kind kind, int64_t words)
{
    if (!array_grow(&plan->buffers, (size_t)plan->buffer_count,
                sizeof *plan->buffers))
        return -1;
    plan->buffers[plan->buffer_count] = (struct buffer){
            .kind = kind, .words = words, .parent = -1, .first = 1, .last = 0};
    return plan->buffer_count++;
}

struct step *plan_add_step(struct plan *plan, enum step_kind kind, int room)
{
    if (!array_grow(
                &plan->steps, (size_t)plan->step_count, sizeof *plan->steps))
        return NULL;
    struct step *step = calloc(1, sizeof *step);
    struct step_arg *args = calloc((size_t)room, sizeof *args);
    if (step == NULL || args == NULL) {
        free(step);
        free(args);
        return NULL;
    }
    step->kind = kind;
    step->args = args;
    plan->steps[plan->step_count++] = step;
    step->number = plan->step_count;
    return step;
}

void step_add_arg(struct step *step, int arg, const struct view *view)
{
    step->args[step->arg_count++] = (struct step_arg){arg, *view};
}

const struct view *step_find_arg(const struct step *step, int arg)
{
    for (int i = 0; i < step->arg_count; i++)
        if (step->args[i].arg == arg) return &step->args[i].view;
    return NULL;
}

int plan_root(const struct plan *plan, int buffer, int64_t *base)
{
    *base = 0;
    while (plan->buffers[buffer].parent >= 0) {
        *base += plan->buffers[buffer].offset;
        buffer = plan->buffers[buffer].parent;
    }
    return buffer;
}

int64_t plan_base(const struct plan *plan, const struct view *view)
{
    int64_t base;
    const struct buffer *root =
            &plan->buffers[plan_root(plan, view->buffer, &base)];
    if (root->kind == buffer_activation) base += root->offset;
    return base / element_words(view->element);
}

bool element_is_float(enum element element)
{
    return element == element_f32 || element == element_f16;
}

int element_words(enum element element)
{
    if (element == element_f16) return 1;
    return element == element_f32 ? 2 : 4;
}

int64_t view_words(const struct view *view)
{
    const struct layout *l = &view->layout;
    int64_t reach = 1;
    for (int d = 0; d < l->ndims; d++)
        reach += (l->dims[d] - 1) * l->strides[d];
    return reach * element_words(view->element);
}

const struct view *step_result(const struct step *step)
{
    return step->whole.layout.ndims > 0 ? &step->whole
                                        : step_find_arg(step, DNNL_ARG_DST);
}

static const char *kind_name(enum step_kind kind)
{
    static const char *const names[] = {[step_convolution] = "convolution",
            [step_deconvolution] = "deconvolution",
            [step_matmul] = "matmul",
            [step_pooling] = "pooling",
            [step_softmax] = "softmax",
            [step_lrn] = "lrn",
            [step_batch_normalization] = "batch_normalization",
            [step_group_normalization] = "group_normalization",
            [step_layer_normalization] = "layer_normalization",
            [step_eltwise] = "eltwise",
            [step_binary] = "binary",
            [step_prelu] = "prelu",
            [step_reduction] = "reduction",
            [step_reorder] = "reorder",
            [step_concat] = "concat",
            [step_resampling] = "resampling",
            [step_recurrent] = "recurrent",
            [step_map] = "map",
            [step_where] = "where",
            [step_remap] = "remap",
            [step_take] = "take",
            [step_pick] = "pick",
            [step_scatter] = "scatter",
            [step_line] = "line",
            [step_product] = "product",
            [step_window] = "window",
            [step_fold] = "fold"};
    return names[kind];
}

/* "relu" of eltwise_relu, "add" of binary_add. */
static const char *short_name(dnnl_alg_kind_t alg)
{
    const char *name = dnnl_alg_kind2str(alg);
    const char *rest = strchr(name, '_');
    return rest != NULL ? rest + 1 : name;
}

/* Relu is a clip from 0 on, see lower_tail.c. */
static const char *post_op_name(const struct post_op *op)
{
    return op->alg == dnnl_eltwise_clip_v2 && op->alpha == 0.0f
                           && isinf(op->beta)
                   ? "relu"
                   : short_name(op->alg);
}

void step_describe_kind(const struct step *step, size_t size, char *text)
{
    size_t used = 0;
    const bool has_alg = step->kind == step_eltwise || step->kind == step_binary
                         || step->kind == step_pooling
                         || step->kind == step_reduction
                         || step->kind == step_recurrent;
    const struct post_op first = {
            .alg = step->alg, .alpha = step->alpha, .beta = step->beta};
    const char *what = has_alg                  ? post_op_name(&first)
                       : step->function != NULL ? step->function
                                                : "";
    int n = snprintf(text, size, "%s%s%s", kind_name(step->kind),
            what[0] != '\0' ? " " : "", what);
    for (int i = 0; i < step->post_op_count && n >= 0; i++) {
        used += (size_t)n;
        if (used >= size) return;
        n = snprintf(text + used, size - used, "+%s",
                post_op_name(&step->post_ops[i]));
    }
}
