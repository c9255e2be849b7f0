/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h: which programs of a record are made ahead of the application that
 * runs beside this process, and in which order
 * (docs/how_to/record_and_replay.md, "Compiled ahead").
 *
 * The application compiles, too, one program after the other in the order of
 * its record. So the next one to be made is some places ahead of what it asked
 * for last, and none that it has asked for.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_AHEAD_H
#define DNNL_CACHE_TOOLS_REFRESH_AHEAD_H

#include "tools/common/state/ahead_session.h"
#include "tools/dnnl_cache/jobs/refresh_jobs.h"

struct ahead {
    struct ahead_session *session;
    /* What the record has of the application; the items are the record's. */
    struct dnnl_cache_store_journal_list list;
    const struct dnnl_cache_store_journal_item **items; /* owned */

    /* Of the present device. */
    struct refresh_jobs *jobs; /* in the record's order */
    uint64_t *programs;        /* owned; the jobs' hashes */
    size_t position;           /* what follows what was asked for last */
    size_t distance;           /* from there to the next one */
    bool is_foreign;           /* the application uses another one */

    size_t finished; /* devices for which nothing is left */
};

/* The session that dnnl-cache-run has for this process alone; NULL: none. */
struct ahead_session *ahead_open(void);

/* Takes of a record, which outlives it, what the session's application built in
 * the days before its last start, and all launches. False: no memory. Pair with
 * ahead_fini(). */
bool ahead_init(struct ahead *ahead, struct ahead_session *session,
        const struct dnnl_cache_store_journal_list *record);
void ahead_fini(struct ahead *ahead);

/* Is there something to make, and the record another than one that nothing is
 * made of? */
bool ahead_is_wanted(const struct ahead *ahead);

/* Sorts the jobs of a device, which outlive the next call. False: no memory. */
bool ahead_take_jobs(struct ahead *ahead, struct refresh_jobs *jobs);
/* No more of them is made. */
void ahead_leave_jobs(struct ahead *ahead);

/* The next one; NULL: there is none now, or the application uses another
 * device. */
struct refresh_job *ahead_choose(struct ahead *ahead);

/* Around each. */
void ahead_begin(struct ahead *ahead, const struct refresh_job *job);
void ahead_end(struct ahead *ahead, const struct refresh_job *job);

#endif /* DNNL_CACHE_TOOLS_REFRESH_AHEAD_H */
