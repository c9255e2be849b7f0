/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/later_forms.h"

#include "layer/capture/capture_build.h"
#include "layer/capture/capture_put.h"
#include "layer/capture/quiet.h"
#include "layer/programs/notes.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "src/platform/clock.h"

#include <stdlib.h>

/* ---- Of one build -------------------------------------------------------- */

void missing_forms_note(struct layer_program *program, struct build *build)
{
    if (build->lacks_form && build->kind != build_linked
            && !layer_settings()->capture_now)
        notes_add_build(program, build, NULL);
}

static void put_with_forms(struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL && all[i].form_waits)
            (void)capture_put_with_form(build, i, &all[i]);
}

struct missing_forms *missing_forms_leave(struct layer_program *program,
        struct build *build, struct captured *all, unsigned count)
{
    bool is_any = false;
    for (size_t i = 0; all != NULL && i < build->count; i++)
        is_any = is_any || (all[i].adopted != NULL && all[i].form_waits);
    if (!is_any) return NULL;
    struct missing_forms *forms = malloc(sizeof *forms);
    if (!atomic_load(&build->is_noted)) notes_add_build(program, build, NULL);
    if (forms == NULL || !atomic_load(&build->is_noted)) {
        free(forms);
        put_with_forms(build, all);
        return NULL;
    }
    *forms = (struct missing_forms){
            .program = program, .build = build, .devices = all, .count = count};
    build_hold(build);
    objects_hold_program(program);
    return forms;
}

void missing_forms_end(struct missing_forms *forms, bool make)
{
    if (make) put_with_forms(forms->build, forms->devices);
    capture_build_end(
            forms->program, forms->build, forms->devices, forms->count);
    build_release(forms->build);
    objects_put_program(forms->program);
    free(forms);
}

/* ---- Of several ---------------------------------------------------------- */

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
            settings->persistent ? settings->capture_exit_ns : 0;
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
