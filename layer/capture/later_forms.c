/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/later_forms.h"

#include "layer/capture/quiet.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "src/platform/clock.h"

#include <stdlib.h>

void later_forms_add(struct later_forms *list, struct missing_forms *forms)
{
    struct missing_forms **end = &list->first;
    if (forms == NULL) return;
    while (*end != NULL)
        end = &(*end)->next;
    *end = forms;
    list->count++;
}

static struct missing_forms *take_first(struct later_forms *list)
{
    struct missing_forms *first = list->first;
    if (first == NULL) return NULL;
    list->first = first->next;
    list->count--;
    first->next = NULL;
    return first;
}

struct missing_forms *later_forms_take(
        struct later_forms *list, uint64_t *next_ns)
{
    const uint64_t now = clock_ns();
    const uint64_t quiet_ns = quiet_from_ns(now);
    if (list->first == NULL || quiet_ns <= now) return take_first(list);
    if (*next_ns == 0 || *next_ns > quiet_ns) *next_ns = quiet_ns;
    return NULL;
}

/* One is not begun if it may exceed the budget, by what the longest took. */
void later_forms_spend(struct later_forms *list)
{
    static const uint64_t second = 1000000000u;
    const struct layer_settings *settings = layer_settings();
    const uint64_t limit_ns =
            settings->persistent ? settings->harvest_exit_ns : 0;
    const uint64_t begin = clock_ns();
    uint64_t longest_ns = 0;
    bool is_told = false;
    struct missing_forms *forms;
    while ((forms = take_first(list)) != NULL) {
        const uint64_t start = clock_ns();
        const uint64_t spent_ns = start - begin;
        const bool is_in =
                spent_ns < limit_ns && longest_ns <= limit_ns - spent_ns;
        if (is_in && !is_told && spent_ns > second) {
            print_progress("adding machine code to %zu programs; interrupt "
                           "safely",
                    list->count + 1);
            is_told = true;
        }
        missing_forms_end(forms, is_in);
        const uint64_t took_ns = clock_ns() - start;
        if (took_ns > longest_ns) longest_ns = took_ns;
    }
}

void later_forms_forget(struct later_forms *list)
{
    struct missing_forms *forms;
    while ((forms = take_first(list)) != NULL)
        free(forms);
}
