/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/ahead.h"

#include "src/platform/environment.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* While the application compiles so many, this process makes about as many; on
 * a busy machine, whose time the application has, fewer. */
enum { least_distance = 3, most_distance = 96 };

/* A use is noted once in seven days (stores/journal/recording.c): what was used
 * at the last start may seem that much older. */
static const uint64_t used_together_ns = UINT64_C(8 * 86400) * 1000000000u;

struct ahead_session *ahead_open(void)
{
    const char *path = environment_get(AHEAD_SESSION_VARIABLE);
    struct ahead_session *session =
            path != NULL && path[0] == '/' ? ahead_session_open(path) : NULL;
    if (session != NULL && !ahead_session_claim(session)) {
        ahead_session_close(session);
        session = NULL;
    }
    return session;
}

/* ---- The record ---------------------------------------------------------- */

static bool is_build_of(const struct dnnl_cache_store_journal_item *item,
        const char *application)
{
    return item->note->kind == dnnl_cache_note_build
           && strncmp(item->application, application, ahead_application_size)
                      == 0;
}

static uint64_t find_last_use(
        const struct dnnl_cache_store_journal_list *record,
        const char *application)
{
    uint64_t last_ns = 0;
    for (size_t i = 0; i < record->count; i++)
        if (is_build_of(record->items[i], application)
                && record->items[i]->used_ns > last_ns)
            last_ns = record->items[i]->used_ns;
    return last_ns;
}

bool ahead_init(struct ahead *ahead, struct ahead_session *session,
        const struct dnnl_cache_store_journal_list *record)
{
    const char *application = session->application;
    const uint64_t last_ns = find_last_use(record, application);
    uint64_t contents = 0;
    *ahead = (struct ahead){.session = session,
            .list = {.struct_size = sizeof ahead->list},
            .items = calloc(record->count + 1, sizeof(void *))};
    if (ahead->items == NULL) return false;
    ahead->list.items = ahead->items;
    for (size_t i = 0; i < record->count; i++) {
        const struct dnnl_cache_store_journal_item *item = record->items[i];
        const bool is_its = is_build_of(item, application);
        if (is_its)
            contents = XXH3_64bits_withSeed(
                    item->note->id, item->note->id_size, contents + 1);
        if (item->note->kind != dnnl_cache_note_build
                || (is_its && last_ns - item->used_ns <= used_together_ns))
            ahead->items[ahead->list.count++] = item;
    }
    atomic_store(&session->contents, contents);
    return true;
}

void ahead_fini(struct ahead *ahead)
{
    /* Nobody waits for what was not ended. */
    if (ahead->session != NULL) ahead_session_end(ahead->session, false);
    free((void *)ahead->items);
    free(ahead->programs);
    *ahead = (struct ahead){.session = NULL};
}

bool ahead_is_wanted(const struct ahead *ahead)
{
    const uint64_t contents = atomic_load(&ahead->session->contents);
    return contents != 0 && contents != atomic_load(&ahead->session->stopped);
}

/* ---- A device ------------------------------------------------------------ */

/* Items of one list are neighbours, in its order. */
static int compare_jobs(const void *a, const void *b)
{
    const struct refresh_job *x = a;
    const struct refresh_job *y = b;
    return x->build < y->build ? -1 : x->build > y->build;
}

bool ahead_take_jobs(struct ahead *ahead, struct refresh_jobs *jobs)
{
    free(ahead->programs);
    ahead->programs = calloc(jobs->count + 1, sizeof *ahead->programs);
    if (ahead->programs == NULL) return false;
    if (jobs->count > 1)
        qsort(jobs->jobs, jobs->count, sizeof *jobs->jobs, compare_jobs);
    for (size_t i = 0; i < jobs->count; i++) {
        const dnnl_cache_note_t *note = jobs->jobs[i].build->note;
        ahead->programs[i] = ahead_hash(note->id_size, note->id);
    }
    ahead->jobs = jobs;
    ahead->position = 0;
    ahead->is_foreign = false;
    ahead->distance = least_distance;
    return true;
}

static bool is_asked(const struct ahead *ahead, size_t i)
{
    return ahead_session_is_asked(ahead->session, ahead->programs[i]);
}

/* Has it asked for some programs, and for none of this device? Not all that it
 * asks for is in the record. */
static bool is_of_another_device(const struct ahead *ahead)
{
    enum { some = 3 };
    if (atomic_load(&ahead->session->asked_count) < some) return false;
    for (size_t i = 0; i < ahead->jobs->count; i++)
        if (is_asked(ahead, i)) return false;
    return true;
}

static void find_position(struct ahead *ahead, uint64_t last)
{
    for (size_t i = 0; i < ahead->jobs->count; i++)
        if (ahead->programs[i] == last) ahead->position = i + 1;
}

/* Forms of entries that are there make a start faster that is fast already. */
static bool is_open(const struct ahead *ahead, size_t i)
{
    const struct refresh_job *job = &ahead->jobs->jobs[i];
    return job->state == refresh_waits && job->why == NULL && !job->is_form
           && !is_asked(ahead, i);
}

/* Not finished with a device of which some are left, for any reason. */
void ahead_leave_jobs(struct ahead *ahead)
{
    bool is_left = ahead->is_foreign;
    for (size_t i = 0; i < ahead->jobs->count && !is_left; i++)
        is_left = is_open(ahead, i);
    ahead->jobs = NULL;
    ahead->finished += !is_left;
}

struct refresh_job *ahead_choose(struct ahead *ahead)
{
    const uint64_t last = atomic_load(&ahead->session->last);
    const size_t count = ahead->jobs->count;
    ahead->is_foreign = is_of_another_device(ahead);
    if (ahead->is_foreign
            || atomic_load(&ahead->session->made_count) >= ahead_most_made)
        return NULL;
    find_position(ahead, last);
    for (size_t i = ahead->position + ahead->distance; i < count; i++)
        if (is_open(ahead, i)) return &ahead->jobs->jobs[i];
    /* The farthest of those that are left. */
    for (size_t i = count; i-- > 0;)
        if (is_open(ahead, i)) return &ahead->jobs->jobs[i];
    return NULL;
}

void ahead_begin(struct ahead *ahead, const struct refresh_job *job)
{
    const size_t i = (size_t)(job - ahead->jobs->jobs);
    ahead_session_begin(
            ahead->session, ahead->programs[i], job->build->note->compile_ns);
}

void ahead_end(struct ahead *ahead, const struct refresh_job *job)
{
    const size_t i = (size_t)(job - ahead->jobs->jobs);
    ahead_session_end(ahead->session, job->state == refresh_kept);
    /* The application was there first. */
    if (is_asked(ahead, i) && ahead->distance < most_distance)
        ahead->distance *= 2;
}
