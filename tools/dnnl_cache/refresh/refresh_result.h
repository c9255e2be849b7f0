/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_result.h: what a worker has made, checked and put into the store. */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_RESULT_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_RESULT_H

#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/refresh/refresh_pool.h"

/* Writes the job into the slot's job_folder: its notes, and what the
 * application keeps in the present entry. The slot's worker may have another
 * job. False: the folder cannot be written. */
bool refresh_result_prepare(struct tool *tool, const struct refresh_jobs *jobs,
        struct refresh_job *job, const struct refresh_slot *slot);

/* Just before that job begins, while the worker has none: brings what is to be
 * linked, and takes away what earlier jobs left. */
void refresh_result_begin(struct tool *tool, const struct refresh_job *job,
        const struct refresh_slot *slot);

enum refresh_taken {
    refresh_taken,         /* it is in the store */
    refresh_taken_none,    /* there is no entry of the wanted ID */
    refresh_taken_damaged, /* it is not an intact program of the wanted ID */
    /* The store's capacity is needed by what this command has put and found. */
    refresh_taken_full,
    refresh_taken_too_large, /* it exceeds the store's capacity by itself */
    refresh_taken_not_kept,  /* the store did not take it: see its log */
    /* Of a form: the entry is another one meanwhile, or was removed. */
    refresh_taken_replaced,
    refresh_taken_removed,
};

/* The entry that a worker made. */
struct refresh_made {
    dnnl_cache_store_handle_t *store; /* of the slot; NULL: not opened */
    size_t size;
    const uint8_t *blob; /* NULL: there is none */
};

/* Takes it out of the slot's folder, while the worker has no job. True: there
 * is one, and of the job nothing else is left, so that the next one may begin.
 */
bool refresh_result_fetch(struct refresh_made *made,
        const struct refresh_job *job, const struct refresh_slot *slot);

/* Takes it into the store, which makes room for it. */
enum refresh_taken refresh_result_take(struct tool *tool,
        const struct refresh_job *job, struct refresh_made *made);

/* Has the store the entry already, for all launches in the journal? Of drivers
 * that do not tell launches apart it is not known. */
bool refresh_result_is_there(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job);

/* The same, where what cannot be told from the entry counts as there: which
 * local size the driver chose, and, of an entry that the layer has not made,
 * which of two classes that differ in the size of the grid alone. Of drivers
 * without classes: is there an entry? */
bool refresh_result_has_all(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, bool has_classes);

/* Has the store the job's entry, without the form that it can have? */
bool refresh_result_awaits_form(
        struct tool *tool, const struct refresh_job *job);

/* Takes the entry of an engine into the store, if the worker made one of that
 * ID. */
void refresh_result_take_engine(struct tool *tool,
        const struct refresh_slot *slot, size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_RESULT_H */
