/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later_forms.h: entries that were put without their finalised forms (keep.h),
 * the oldest first. The harvest's lock guards a list that threads share.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H
#define DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H

#include "layer/capture/keep.h"

/* Zeroed: none. */
struct later_forms {
    struct missing_forms *first;
    size_t count;
};

/* Takes over what is added; NULL: nothing is. */
void later_forms_add(struct later_forms *list, struct missing_forms *forms);

/* Takes out the oldest if the application is quiet (quiet.h). NULL: there is
 * none, or not yet; then *next_ns, a time to look again or 0, is that or
 * earlier. */
struct missing_forms *later_forms_take(
        struct later_forms *list, uint64_t *next_ns);

/* Ends the list at the end of the process, or of the drivers: makes forms
 * within the budget (DNNL_CACHE_HARVEST_SECONDS_AT_EXIT), and leaves the rest
 * to the journal. */
void later_forms_spend(struct later_forms *list);

/* In a child of fork(): they are the parent's. */
void later_forms_forget(struct later_forms *list);

#endif /* DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H */
