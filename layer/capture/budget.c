/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/budget.h"

#include "layer/capture/capture_build.h"
#include "layer/driver/answer_time.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "src/platform/clock.h"

#include <inttypes.h>
#include <stdlib.h>

void budget_init(struct budget *budget)
{
    *budget = (struct budget){.items = NULL};
}

static void put(const struct budget_item *item)
{
    build_release(item->build);
    objects_put_program(item->program);
}

static void leave(const struct budget_item *item)
{
    capture_leave_to_journal(item->program, item->build);
    put(item);
}

void budget_add(struct budget *budget, struct layer_program *program,
        struct build *build)
{
    struct budget_item item = {.program = program, .build = build};
    struct budget_item *items =
            realloc(budget->items, (budget->count + 1) * sizeof *budget->items);
    if (items == NULL) {
        leave(&item);
        return;
    }
    const size_t kernels = capture_kernel_count(program, build);
    item.kernels = kernels > 0 ? kernels : 1;
    budget->items = items;
    budget->items[budget->count++] = item;
}

/* By the compile time of a kernel, since a query takes its time for each. */
static int compare(const void *left, const void *right)
{
    const struct budget_item *a = left;
    const struct budget_item *b = right;
    const uint64_t gain_a = a->build->compile_ns / a->kernels;
    const uint64_t gain_b = b->build->compile_ns / b->kernels;
    return (gain_a < gain_b) - (gain_a > gain_b);
}

/* What the rest of the queries will take that fit in; *count counts them. */
static uint64_t predict(const struct budget *budget, size_t from,
        uint64_t left_ns, size_t *count)
{
    uint64_t total = 0;
    *count = 0;
    for (size_t i = from; i < budget->count; i++) {
        const uint64_t ns = answer_time_predict_ns(budget->items[i].kernels);
        if (ns > left_ns - total) continue;
        total += ns;
        ++*count;
    }
    return total;
}

/* Once, if the end is delayed by more than a second. */
static bool tell(const struct budget *budget, size_t from, uint64_t spent_ns,
        uint64_t left_ns)
{
    static const uint64_t second = 1000000000u;
    size_t count;
    const uint64_t more_ns = predict(budget, from, left_ns, &count);
    if (spent_ns + more_ns <= second || count == 0) return false;
    print_progress("keeping %zu of %zu programs, %" PRIu64
                   " s left; interrupt safely",
            from + count, budget->count, more_ns / second + 1);
    return true;
}

/* What is noted is made by the process that drains the journal, and by no other
 * one at the same time. */
static bool is_ours(const struct budget_item *item, bool drains)
{
    return drains || !atomic_load(&item->build->is_noted);
}

static void spend(const struct budget *budget, uint64_t limit_ns, bool drains)
{
    const uint64_t start = clock_ns();
    bool is_told = false;
    for (size_t i = 0; i < budget->count; i++) {
        const struct budget_item *item = &budget->items[i];
        const uint64_t spent_ns = clock_ns() - start;
        const uint64_t left_ns = limit_ns > spent_ns ? limit_ns - spent_ns : 0;
        if (!is_told && i > 0) is_told = tell(budget, i, spent_ns, left_ns);
        if (left_ns == 0 || answer_time_predict_ns(item->kernels) > left_ns
                || !is_ours(item, drains)) {
            leave(item);
            continue;
        }
        struct missing_forms *left = capture_build(item->program, item->build);
        if (left != NULL)
            missing_forms_end(left, false); /* the journal has it */
        put(item);
    }
}

void budget_spend(struct budget *budget)
{
    const struct layer_settings *settings = layer_settings();
    const uint64_t limit_ns =
            settings->persistent ? settings->capture_exit_ns : 0;
    const bool drains =
            limit_ns > 0 && budget->count > 0 && storage_begin_drain();
    if (budget->count > 1)
        qsort(budget->items, budget->count, sizeof *budget->items, compare);
    spend(budget, limit_ns, drains);
    if (drains) storage_end_drain();
    free(budget->items);
    budget_init(budget);
}
