/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_result.h: what a worker has made, checked and put into the store. */
#ifndef DNNL_CACHE_TOOL_REFRESH_RESULT_H
#define DNNL_CACHE_TOOL_REFRESH_RESULT_H

#include "refresh_pool.h"
#include "tool.h"

/* Writes the job into the slot's folder: its notes, and what the application
 * keeps in the present entry. False: the folder cannot be written. */
bool refresh_result_prepare(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, const struct refresh_slot *slot);

enum refresh_taken {
    refresh_taken,          /* it is in the store */
    refresh_taken_none,     /* there is no entry of the wanted ID */
    refresh_taken_damaged,  /* it is not an intact program of the wanted ID */
    refresh_taken_not_kept, /* the store did not take it: see its log */
};

/* Takes the entry that the worker made into the store. */
enum refresh_taken refresh_result_take(struct tool *tool,
        const struct refresh_job *job, const struct refresh_slot *slot);

#endif /* DNNL_CACHE_TOOL_REFRESH_RESULT_H */
