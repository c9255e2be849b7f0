/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_outcome.h: what came of a job of a run, told to the command (its
 * hooks), to the list of failed forms and to the user.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_OUTCOME_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_OUTCOME_H

#include "tools/dnnl_cache/refresh/present.h"
#include "tools/dnnl_cache/refresh/refresh_run.h"

/* After so many results that the store did not take, one after another, the
 * disk is full, or the server gone. */
enum { refresh_most_not_kept = 3 };

/* Nothing of the job is left to do. */
void refresh_outcome_drop(
        struct refresh_run *run, const struct refresh_job *job);

/* May a form be tried, or did that fail with this driver before? */
bool refresh_outcome_may_make_form(
        struct refresh_run *run, const struct refresh_job *job);

/* Can a worker add a form to an entry that lacks this? */
bool refresh_outcome_is_form(enum present_lack lack);

/* And is this run to do that? */
bool refresh_outcome_makes_form(struct refresh_run *run,
        const struct refresh_job *job, enum present_lack lack);

/* The entry of the job, which lacks that, is in the store. */
void refresh_outcome_keep(struct refresh_run *run, struct refresh_job *job,
        enum present_lack lack);

/* Why a job failed whose program the driver does not compile, as its reason. */
extern const char refresh_driver_failed[];

/* It failed; but if there is no room for temporary files in the slot's folder,
 * for that reason, which is not the program's fault. */
void refresh_outcome_fail(struct refresh_run *run,
        const struct refresh_slot *slot, struct refresh_job *job,
        const char *why);

/* Checks what a worker made, and puts it into the store. */
void refresh_outcome_take(struct refresh_run *run,
        const struct refresh_slot *slot, struct refresh_job *job,
        struct refresh_made *made);

/* The worker of the slot's job made nothing, and ended with this code
 * (refresh_worker.h). */
void refresh_outcome_finish(
        struct refresh_run *run, const struct refresh_slot *slot, int code);

/* The run ended because the store is full: a message. */
void refresh_outcome_report_full(struct refresh_run *run);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_OUTCOME_H */
