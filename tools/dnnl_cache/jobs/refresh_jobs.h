/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_jobs.h: what a journal says is to be made, and what of it may be.
 *
 * A journal is not trusted: nothing of it is compiled unless it reads no file,
 * its options are known, and its environment is harmless.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_JOBS_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_JOBS_H

#include "src/platform/process.h"
#include "tools/dnnl_cache/jobs/refresh_objection.h"

enum refresh_state {
    refresh_waits,
    refresh_ahead, /* waits for a worker that has another job */
    refresh_runs,
    refresh_kept,
    refresh_failed,   /* may be tried again */
    refresh_refused,  /* not tried; why says why not */
    refresh_not_here, /* no device of this machine has the ID */
};

struct refresh_job {
    const struct dnnl_cache_store_journal_item *build; /* of the list */
    size_t launches;
    /* Its entry is in the store, and lacks a finalised form that only a worker
     * makes (missing_form.h). */
    bool is_form;
    uint64_t entry_key; /* of that entry's bytes, when it was looked at last */
    bool was_replaced;  /* then, by somebody else: it was looked at again */
    bool wants_form;    /* the worker is to make the form: of is_form, and of
                           what is compiled for the first time */
    /* Of PoCL's, whose entry is one of those that are asked for their binary:
     * it stays one (form_is_for_queries()). */
    bool is_for_queries;
    bool keeps_note; /* its entry is kept, and another refresh makes its form */
    /* Notes say where the driver has what it compiled (refresh_made.h): made by
     * a worker whose driver's cache is on. */
    bool is_made;
    enum refresh_state state;
    const char *why;    /* static */
    bool is_blamed;     /* it failed, and its program may be why */
    bool is_over_limit; /* of time or memory */
};

/* Notes of one ID are neighbours. */
struct refresh_note {
    uint64_t id_key;
    const struct dnnl_cache_store_journal_item *item; /* of the list */
};

struct refresh_jobs {
    const struct dnnl_cache_store_journal_list *list;
    struct dnnl_cache_store_journal_list *loaded; /* owned: the list; or NULL */
    struct refresh_note *notes; /* owned; all of the list, by ID */
    struct refresh_job *jobs;   /* owned; the most expensive first */
    size_t count;
};

/* After so many failures a build is not tried again. */
enum { refresh_most_failures = 3 };

/* Those of a list, which outlives them. Statuses: dnnl_success;
 * dnnl_out_of_memory. */
dnnl_status_t refresh_jobs_make(struct refresh_jobs *jobs,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy);
/* Those of the store's journal. Statuses: as dnnl_cache_store_journal_load().
 */
dnnl_status_t refresh_jobs_load(struct refresh_jobs *jobs,
        dnnl_cache_store_handle_t *store, const struct refresh_policy *policy);
/* Zeroed jobs are fine. */
void refresh_jobs_fini(struct refresh_jobs *jobs);

size_t refresh_jobs_count(
        const struct refresh_jobs *jobs, enum refresh_state state);

/* Sets the environment of a process that makes the entry: exactly what the ID
 * says, as far as refresh_jobs_load() allows it. False: out of memory. */
bool refresh_jobs_set_environment(
        struct process_variables *variables, const struct refresh_job *job);

/* May one process make both, one after the other? */
bool refresh_jobs_share_environment(
        const struct refresh_job *a, const struct refresh_job *b);

/* Takes one launch of the job after the other: *at is NULL at first. False: no
 * more. */
bool refresh_jobs_next_launch(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job);

/* The same of notes of files that were made. */
bool refresh_jobs_next_made(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job);

/* Writes the job's notes to the journal of a store of its own: what is linked,
 * the build, its launches. */
dnnl_status_t refresh_jobs_write(const struct refresh_jobs *jobs,
        const struct refresh_job *job, dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_JOBS_H */
