/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <stdlib.h>

/* Where activations begin, in words: lines of a cache, and what any vector
 * load of a kernel may want. */
enum { alignment = 64 / word_bytes };

/* ---- Lifetimes ----------------------------------------------------------- */

static void use(struct plan *plan, const struct view *view, int step)
{
    int64_t base;
    struct buffer *b = &plan->buffers[plan_root(plan, view->buffer, &base)];
    if (b->first > b->last) b->first = b->last = step;
    if (step < b->first) b->first = step;
    if (step > b->last) b->last = step;
}

static void find_lifetimes(struct plan *plan)
{
    for (int s = 0; s < plan->step_count; s++) {
        const struct step *step = plan->steps[s];
        for (int i = 0; i < step->arg_count; i++)
            use(plan, &step->args[i].view, s);
        for (int i = 0; i < step->post_op_count; i++)
            if (step->post_ops[i].src1.layout.ndims > 0)
                use(plan, &step->post_ops[i].src1, s);
    }
    /* Outputs are read when all is done. */
    for (int i = 0; i < plan->output_count; i++)
        use(plan, &plan->outputs[i].view, plan->step_count);
}

/* ---- Places -------------------------------------------------------------- */

static bool is_placed(const struct buffer *b)
{
    return b->kind == buffer_activation && b->parent < 0 && b->first <= b->last;
}

static bool meet(const struct buffer *a, const struct buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Large ones first; of equal ones the earlier. */
static int compare(const void *a, const void *b)
{
    const struct buffer *x = *(struct buffer *const *)a;
    const struct buffer *y = *(struct buffer *const *)b;
    if (x->words != y->words) return x->words < y->words ? 1 : -1;
    return x < y ? -1 : 1;
}

/* The lowest place at which nothing that was placed before, and is needed at
 * the same time, has any of it. */
static int64_t find_place(
        struct buffer *const *placed, int count, const struct buffer *b)
{
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        const struct buffer *other = placed[i];
        if (!meet(b, other) || at >= other->offset + other->words
                || other->offset >= at + b->words)
            continue;
        at = (other->offset + other->words + alignment - 1) / alignment
             * alignment;
        i = -1; /* look at all of them again from there */
    }
    return at;
}

bool plan_place(struct plan *plan)
{
    struct buffer **placed =
            malloc(sizeof *placed * ((size_t)plan->buffer_count + 1));
    /* What the arena's bytes are counted in must hold them (32 bits do not hold
     * 2 GiB of tensors that are needed at once). */
    const int64_t most = (int64_t)(SIZE_MAX / 2 / word_bytes);
    bool fits = true;
    int count = 0;
    if (placed == NULL) return false;
    find_lifetimes(plan);
    for (int i = 0; i < plan->buffer_count; i++)
        if (is_placed(&plan->buffers[i])) placed[count++] = &plan->buffers[i];
    qsort(placed, (size_t)count, sizeof *placed, compare);
    plan->arena = 0;
    for (int i = 0; fits && i < count; i++) {
        struct buffer *b = placed[i];
        b->offset = find_place(placed, i, b);
        fits = b->words <= most && b->offset <= most - b->words;
        if (fits && b->offset + b->words > plan->arena)
            plan->arena = b->offset + b->words;
    }
    free(placed);
    return fits;
}
