/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h: which of the costly queries are made at the end of a process, and
 * in which order (DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT).
 *
 * Those come first that save the most compile time for their own time. A query
 * that is expected to exceed the budget is left to the journal.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_BUDGET_H
#define DNNL_CACHE_LAYER_CAPTURE_BUDGET_H

#include "layer/programs/objects.h"

struct budget_item {
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    size_t kernels;
};

struct budget {
    struct budget_item *items; /* owned */
    size_t count;
};

void budget_init(struct budget *budget);

/* Takes over the references. Without memory the build is left at once. */
void budget_add(struct budget *budget, struct layer_program *program,
        struct build *build);

/* Makes the queries, leaves the rest, and frees what was added. */
void budget_spend(struct budget *budget);

#endif /* DNNL_CACHE_LAYER_CAPTURE_BUDGET_H */
