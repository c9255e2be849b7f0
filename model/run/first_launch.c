/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/first_launch.h"

#include <stdio.h>
#include <string.h>

enum { key_size = 96 };

/* Rows of a product, of each group: kernels differ for few and many. */
static int64_t rows_of(const struct step *step)
{
    const struct view *weights = step_find_arg(step, DNNL_ARG_WEIGHTS);
    const struct view *dst = step_find_arg(step, DNNL_ARG_DST);
    const int last = dst->layout.ndims - 1;
    switch (step->kind) {
    case step_convolution:
    case step_deconvolution:
        return weights->layout
                .dims[weights->layout.ndims > dst->layout.ndims ? 1 : 0];
    case step_matmul:
        return last > 0 ? dst->layout.dims[last - 1] : 1;
    default:
        return 1;
    }
}

/* Steps with different keys are different programs, or nearly never one. */
static void make_key(const struct step *step, char key[key_size])
{
    char kind[key_size / 2];
    int magnitude = 0;
    for (int64_t rows = rows_of(step); rows > 1 && magnitude < 6; rows /= 2)
        magnitude++;
    step_describe_kind(step, sizeof kind, kind);
    snprintf(key, key_size, "%s %d", kind, magnitude);
}

/* About how many numbers a step looks at. */
static double cost_of(const struct step *step)
{
    const struct view *weights = step_find_arg(step, DNNL_ARG_WEIGHTS);
    const struct view *dst = step_find_arg(step, DNNL_ARG_DST);
    double cost = 0.0;
    for (int i = 0; i < step->arg_count; i++)
        cost += (double)layout_count(&step->args[i].view.layout);
    if (weights != NULL && dst->layout.ndims > 2)
        cost += (double)layout_count(&dst->layout)
                * (double)layout_count(&weights->layout)
                / (double)dst->layout.dims[1];
    return cost;
}

/* What the first launch of a program costs, its code and its kernel's object,
 * is lost in a long step. */
static bool is_long(const struct step *step)
{
    static const double most_numbers = 2e7;
    return cost_of(step) > most_numbers;
}

int first_launch_choose(const struct plan *plan, int *chosen)
{
    int count = 0;
    for (int s = 0; s < plan->step_count; s++) {
        char key[key_size], other[key_size];
        int i = 0;
        if (is_long(plan->steps[s])) continue;
        make_key(plan->steps[s], key);
        for (; i < count; i++) {
            make_key(plan->steps[chosen[i]], other);
            if (strcmp(key, other) == 0) break;
        }
        if (i == count)
            chosen[count++] = s;
        else if (cost_of(plan->steps[s]) < cost_of(plan->steps[chosen[i]]))
            chosen[i] = s;
    }
    return count;
}
