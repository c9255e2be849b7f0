/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove_budget.h: the processor time that refresh may spend on proofs.
 *
 * It is a part of what one processor has in a day (DNNL_CACHE_PROVE_PERCENT, 1
 * by default, 0: none), of all stores of the user together. No entry is begun
 * without it; one under way is finished, and may exceed it. What was spent is
 * in the file "prove_time" of the user's own folder (state_place.h).
 */
#ifndef DNNL_CACHE_TOOLS_PROVE_PROVE_BUDGET_H
#define DNNL_CACHE_TOOLS_PROVE_PROVE_BUDGET_H

#include "tools/dnnl_cache/base/tool.h"

/* What is left of this day (UTC); 0 also where it cannot be noted what is
 * spent. */
uint64_t prove_budget_left_ns(struct tool *tool);

/* So much was spent. */
void prove_budget_spend(uint64_t ns);

/* The right to spend it, which one process of the user has at a time: two would
 * both spend what is left. It ends with the process. file_none: another one has
 * it, or it cannot be noted what is spent. */
int prove_budget_hold(void);
void prove_budget_let_go(int held);

#endif /* DNNL_CACHE_TOOLS_PROVE_PROVE_BUDGET_H */
