/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_jobs.h"

#include "src/drivers/option_words.h"
#include "src/platform/file.h"
#include "tools/dnnl_cache/jobs/refresh_build.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- The environment ----------------------------------------------------- */

bool refresh_jobs_set_environment(
        struct process_variables *variables, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    dnnl_cache_id_field_t field;
    char text[refresh_variable_size];
    char *value;
    size_t at = 0;
    while (refresh_id_find(
            &field, &at, note->id_size, note->id, REFRESH_ENVIRONMENT))
        if (!refresh_id_split_variable(text, &value, &field))
            return false;
        else
            process_variables_set(variables, text, value);
    return !variables->has_failed;
}

bool refresh_jobs_share_environment(
        const struct refresh_job *a, const struct refresh_job *b)
{
    const dnnl_cache_note_t *of_a = a->build->note;
    const dnnl_cache_note_t *of_b = b->build->note;
    dnnl_cache_id_field_t in_a, in_b;
    size_t at_a = 0;
    size_t at_b = 0;
    bool has_a, has_b;
    do {
        has_a = refresh_id_find(
                &in_a, &at_a, of_a->id_size, of_a->id, REFRESH_ENVIRONMENT);
        has_b = refresh_id_find(
                &in_b, &at_b, of_b->id_size, of_b->id, REFRESH_ENVIRONMENT);
        if (has_a != has_b
                || (has_a
                        && (in_a.size != in_b.size
                                || memcmp(in_a.value, in_b.value, in_a.size)
                                           != 0)))
            return false;
    } while (has_a);
    return of_a->origin == of_b->origin;
}

/* ---- Notes by their IDs -------------------------------------------------- */

static uint64_t key_of_id(size_t id_size, const uint8_t *id)
{
    return XXH3_64bits(id, id_size);
}

/* Builds before launches, of which there may be many, and in the list's order
 * where IDs are the same. */
static int compare_notes(const void *a, const void *b)
{
    const struct refresh_note *x = a;
    const struct refresh_note *y = b;
    if (x->id_key != y->id_key) return x->id_key < y->id_key ? -1 : 1;
    const bool x_is_build = x->item->note->kind == dnnl_cache_note_build;
    const bool y_is_build = y->item->note->kind == dnnl_cache_note_build;
    if (x_is_build != y_is_build) return x_is_build ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static bool make_notes(struct refresh_jobs *jobs)
{
    const size_t count = jobs->list->count;
    jobs->notes = calloc(count + 1, sizeof *jobs->notes);
    if (jobs->notes == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_note_t *note = jobs->list->items[i]->note;
        jobs->notes[i].item = jobs->list->items[i];
        jobs->notes[i].id_key = key_of_id(note->id_size, note->id);
    }
    qsort(jobs->notes, count, sizeof *jobs->notes, compare_notes);
    return true;
}

/* Takes one note of an ID after the other: *at is NULL at first. False: no
 * more. */
static bool next_note(const struct refresh_note **at,
        const struct refresh_jobs *jobs, size_t id_size, const uint8_t *id)
{
    const struct refresh_note *end = jobs->notes + jobs->list->count;
    const uint64_t key = *at != NULL ? (*at)->id_key : key_of_id(id_size, id);
    if (*at == NULL) {
        size_t low = 0;
        size_t high = jobs->list->count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (jobs->notes[middle].id_key < key)
                low = middle + 1;
            else
                high = middle;
        }
        *at = jobs->notes + low;
    } else {
        ++*at;
    }
    for (; *at < end && (*at)->id_key == key; ++*at) {
        const dnnl_cache_note_t *note = (*at)->item->note;
        if (note->id_size == id_size && memcmp(note->id, id, id_size) == 0)
            return true;
    }
    return false;
}

static bool is_folder(const char *path, void *unused)
{
    struct file_facts facts;
    (void)unused;
    return path[0] != '/'
           || (file_facts_at(&facts, file_here, path) == 0
                   && facts.kind == file_is_folder);
}

/* Are the folders there that it was compiled in and with? */
static bool has_place(const dnnl_cache_note_t *note)
{
    return (note->directory == NULL || is_folder(note->directory, NULL))
           && option_folders_are(note->options, is_folder, NULL);
}

static bool is_better(const struct dnnl_cache_store_journal_item *item,
        const struct dnnl_cache_store_journal_item *other)
{
    if (item->failures != other->failures)
        return item->failures < other->failures;
    return has_place(item->note) && !has_place(other->note);
}

/* A program that was built at several places has a note of each: of those that
 * failed least, any place does that is not removed. NULL: there is no note of
 * the ID. */
static const dnnl_cache_note_t *find_build(
        const struct refresh_jobs *jobs, size_t id_size, const uint8_t *id)
{
    const struct dnnl_cache_store_journal_item *best = NULL;
    const struct refresh_note *at = NULL;
    while (next_note(&at, jobs, id_size, id))
        if (at->item->note->kind == dnnl_cache_note_build
                && (best == NULL || is_better(at->item, best)))
            best = at->item;
    return best != NULL ? best->note : NULL;
}

/* ---- The jobs ------------------------------------------------------------ */

static const char *find_objection_to_links(const struct refresh_jobs *jobs,
        const dnnl_cache_note_t *note, const struct refresh_policy *policy)
{
    const char *why = NULL;
    size_t text = 0;
    refresh_add_text_sizes(&text, note);
    if (text < refresh_most_text) why = refresh_find_objection(note, policy);
    for (size_t i = 0;
            why == NULL && text < refresh_most_text && i < note->input_count;
            i++) {
        const dnnl_cache_note_t *input =
                find_build(jobs, note->input_id_sizes[i], note->input_ids[i]);
        if (input == NULL || input->type != dnnl_cache_note_object) {
            why = "what is linked is not in the journal";
            break;
        }
        refresh_add_text_sizes(&text, input);
        if (text < refresh_most_text)
            why = refresh_find_objection(input, policy);
    }
    if (text == refresh_most_text) why = "its sources are too large";
    if (why == NULL && note->type != dnnl_cache_note_executable
            && note->origin != dnnl_cache_note_layer)
        why = "the library links nothing";
    return why;
}

static struct refresh_job job_of(const struct refresh_jobs *jobs,
        const struct dnnl_cache_store_journal_item *build,
        const struct refresh_policy *policy)
{
    struct refresh_job job = {.build = build, .state = refresh_waits};
    const struct refresh_note *at = NULL;
    while (next_note(&at, jobs, build->note->id_size, build->note->id))
        if (at->item->note->kind == dnnl_cache_note_launch)
            job.launches++;
        else if (at->item->note->kind == dnnl_cache_note_made)
            job.is_made = true;
    /* What failed is compiled. */
    if (build->failures > 0 || build->note->origin != dnnl_cache_note_layer
            || build->note->type != dnnl_cache_note_executable)
        job.is_made = false;
    job.why = build->failures >= refresh_most_failures
                      ? "failed too often"
                      : find_objection_to_links(jobs, build->note, policy);
    if (job.why != NULL) job.state = refresh_refused;
    return job;
}

/* The most expensive first: what others wait for least is done last. What is
 * linked comes after its objects, which are taken from the store then. */
static int compare_jobs(const void *a, const void *b)
{
    const struct refresh_job *x = a;
    const struct refresh_job *y = b;
    const bool x_is_linked = x->build->note->type == dnnl_cache_note_linked;
    const bool y_is_linked = y->build->note->type == dnnl_cache_note_linked;
    if (x_is_linked != y_is_linked) return x_is_linked ? 1 : -1;
    const uint64_t of_x = x->build->note->compile_ns;
    const uint64_t of_y = y->build->note->compile_ns;
    if (of_x != of_y) return of_x > of_y ? -1 : 1;
    return x->build < y->build ? -1 : x->build > y->build;
}

dnnl_status_t refresh_jobs_make(struct refresh_jobs *jobs,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy)
{
    *jobs = (struct refresh_jobs){
            .list = list, .jobs = calloc(list->count + 1, sizeof *jobs->jobs)};
    if (jobs->jobs == NULL || !make_notes(jobs)) {
        refresh_jobs_fini(jobs);
        return dnnl_out_of_memory;
    }
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        /* Notes of other places are dropped once the entry is there. */
        if (note->kind == dnnl_cache_note_build
                && find_build(jobs, note->id_size, note->id) == note)
            jobs->jobs[jobs->count++] = job_of(jobs, list->items[i], policy);
    }
    qsort(jobs->jobs, jobs->count, sizeof *jobs->jobs, compare_jobs);
    return dnnl_success;
}

dnnl_status_t refresh_jobs_load(struct refresh_jobs *jobs,
        dnnl_cache_store_handle_t *store, const struct refresh_policy *policy)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    *jobs = (struct refresh_jobs){.list = NULL};
    dnnl_status_t st = dnnl_cache_store_journal_load(&list, store);
    if (st == dnnl_success) st = refresh_jobs_make(jobs, list, policy);
    if (st == dnnl_success)
        jobs->loaded = list;
    else
        dnnl_cache_store_journal_free(list);
    return st;
}

void refresh_jobs_fini(struct refresh_jobs *jobs)
{
    dnnl_cache_store_journal_free(jobs->loaded);
    free(jobs->jobs);
    free(jobs->notes);
    *jobs = (struct refresh_jobs){.list = NULL};
}

size_t refresh_jobs_count(
        const struct refresh_jobs *jobs, enum refresh_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        count += jobs->jobs[i].state == state;
    return count;
}

static bool next_of(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job,
        dnnl_cache_note_kind_t kind)
{
    const dnnl_cache_note_t *build = job->build->note;
    while (next_note(at, jobs, build->id_size, build->id))
        if ((*at)->item->note->kind == kind) return true;
    return false;
}

bool refresh_jobs_next_launch(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job)
{
    return next_of(at, jobs, job, dnnl_cache_note_launch);
}

bool refresh_jobs_next_made(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job)
{
    return next_of(at, jobs, job, dnnl_cache_note_made);
}

dnnl_status_t refresh_jobs_write(const struct refresh_jobs *jobs,
        const struct refresh_job *job, dnnl_cache_store_handle_t *store)
{
    const dnnl_cache_note_t *build = job->build->note;
    const struct refresh_note *launch = NULL;
    const struct refresh_note *made = NULL;
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; st == dnnl_success && i < build->input_count; i++)
        st = dnnl_cache_store_journal_append(
                store, find_build(jobs, build->input_id_sizes[i],
                               build->input_ids[i]));
    if (st == dnnl_success) st = dnnl_cache_store_journal_append(store, build);
    while (st == dnnl_success && refresh_jobs_next_launch(&launch, jobs, job))
        st = dnnl_cache_store_journal_append(store, launch->item->note);
    while (st == dnnl_success && job->is_made
            && refresh_jobs_next_made(&made, jobs, job))
        st = dnnl_cache_store_journal_append(store, made->item->note);
    return st;
}
