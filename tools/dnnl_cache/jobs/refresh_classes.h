/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_classes.h: launches for which a driver is to compile, though nothing
 * is launched.
 *
 * PoCL compiles a kernel once more for each class of launches (launch_class.h).
 * With POCL_BINARY_SPECIALIZE_WG set it compiles for these classes when it is
 * asked for the binary. The variable is a part of IDs: so it is set only for
 * that query, when the ID is known. PoCL reads it once in a process, and then
 * compiles every kernel for all of its classes: those that a kernel is not
 * launched with are kept from it (refresh_stand_in.h).
 *
 * Of two classes that differ in the size of the grid alone PoCL 3.1 compiles a
 * kernel for the first one named: a list has one of them, and the next process
 * makes the other, as it does what is too much for one list.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_CLASSES_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_CLASSES_H

#include "src/drivers/launch_class.h"
#include "tools/dnnl_cache/jobs/refresh_device.h"

#include <dnnl_cache/journal.h>

enum { refresh_most_classes = 96, refresh_most_chosen = 32 };

/* The classes that the driver of this process is asked for; zeroed: none yet.
 */
struct refresh_class_list {
    struct launch_class all[refresh_most_classes];
    size_t count;
    bool is_read; /* by the driver: it stays as it is */
    /* Those whose local size the driver chooses: which, is known when there is
     * a program. */
    struct launch_class chosen[refresh_most_chosen];
    size_t chosen_count;
};

/* Adds the classes of a text with commas, as far as they fit. */
void refresh_class_list_add(struct refresh_class_list *list, const char *text);
/* The other way round, of both kinds; the caller frees it, NULL: out of memory.
 */
char *refresh_class_list_text(const struct refresh_class_list *list);
char *refresh_class_list_chosen_text(const struct refresh_class_list *list);

/* Adds the class of a note, if it is of a launch. */
void refresh_class_list_add_note(
        struct refresh_class_list *list, const dnnl_cache_note_t *note);

/* Whether the functions for all launches are compiled, too. */
enum refresh_all_launches {
    refresh_all_launches_no,
    /* If machine code alone can be made of it then: each kernel has a class,
     * and there are no variables of program scope. */
    refresh_all_launches_for_form,
    refresh_all_launches_yes
};

enum refresh_compiled {
    refresh_compiled_all,
    /* As much as a binary has room for (launch_class.h), or as this driver can
     * be made to compile. */
    refresh_compiled_some,
    refresh_compiled_failed, /* the driver, or memory */
    /* One of the classes cannot be on the list that the driver has read: a new
     * process can do it, which takes over what this one has made. */
    refresh_compiled_too_late,
};

/* Has the driver compile a built program for all launches of that ID in the
 * notes, and make its binary: what it makes at the first query is what it
 * returns from then on. Their classes are added to the list. made: folder that
 * one process leaves to the next what it has compiled for the same program. */
enum refresh_compiled refresh_classes_compile(
        const struct refresh_device *device, cl_program program,
        const struct dnnl_cache_store_journal_list *notes, size_t id_size,
        const uint8_t *id, enum refresh_all_launches all_launches,
        struct refresh_class_list *list, const char *made);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_CLASSES_H */
