/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later_forms.h: finalised forms that were left out of entries, since making
 * one takes as long as compiling did (NVIDIA), and that are made when there is
 * time.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H
#define DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H

#include "layer/capture/capture_ask.h"

/* ---- Of one build -------------------------------------------------------- */

/* Until missing_forms_end() the journal has the build. */
struct missing_forms {
    struct missing_forms *next;    /* the holder's */
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    struct captured *devices;      /* owned; of capture_ask() */
    unsigned count;                /* captured_count() of them */
};

/* Of a build that was put. NULL: there is nothing to be done later, as without
 * memory, or without a journal for what this process does not come to; the
 * caller keeps what was captured then. */
struct missing_forms *missing_forms_leave(struct layer_program *program,
        struct build *build, struct captured *all, unsigned count);

/* Makes the forms, or leaves them to the journal, and frees what is given. */
void missing_forms_end(struct missing_forms *forms, bool make);

/* Leaves a form that this process could not make to dnnl-cache refresh. Of a
 * link the objects are not at hand. */
void missing_forms_note(struct layer_program *program, struct build *build);

/* ---- Of several ---------------------------------------------------------- */

/* The oldest first. The capture's lock guards a list that threads share.
 * Zeroed: none. */
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
 * within the budget (DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT), and leaves the rest
 * to the journal. */
void later_forms_spend(struct later_forms *list);

/* In a child of fork(): they are the parent's. */
void later_forms_forget(struct later_forms *list);

#endif /* DNNL_CACHE_LAYER_CAPTURE_LATER_FORMS_H */
