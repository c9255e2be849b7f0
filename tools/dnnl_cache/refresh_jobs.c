/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_jobs.h"

#include "refresh_build.h"
#include "refresh_id.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- The environment ----------------------------------------------------- */

/* Variables that are set if an ID says so: numbers and words that choose among
 * what a driver does. All others name files or programs, or are not known; they
 * must be set for this process already. */
static const char *const harmless[] = {"CUDA_FORCE_PTX_JIT", "GALLIVM_PERF",
        "LP_NATIVE_VECTOR_WIDTH", "POCL_CPU_LOCAL_MEM_SIZE",
        "POCL_FORCE_PARALLEL_OUTER_LOOP", "POCL_FULL_REPLICATION_THRESHOLD",
        "POCL_LLVM_VERIFY", "POCL_MAX_WORK_GROUP_SIZE",
        "POCL_VECTORIZER_FORCE_VECTOR_WIDTH",
        "POCL_VECTORIZER_PREFER_VECTOR_WIDTH", "POCL_WILOOPS_MAX_UNROLL_COUNT",
        "POCL_WORK_GROUP_METHOD", "POCL_WORK_GROUP_SPECIALIZATION",
        "RUSTICL_FEATURES"};

static const char harmless_characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_,+-";

enum { most_variable_size = 256 };

/* "NAME=value" as a string, cut in two at the sign. */
static bool split(char text[most_variable_size], char **value,
        const dnnl_cache_id_field_t *field)
{
    if (field->size >= most_variable_size
            || memchr(field->value, '\0', field->size) != NULL)
        return false;
    memcpy(text, field->value, field->size);
    text[field->size] = '\0';
    *value = strchr(text, '=');
    if (*value == NULL) return false;
    *(*value)++ = '\0';
    return true;
}

static bool is_harmless(const char *name, const char *value)
{
    const char *set = getenv(name);
    if (set != NULL && strcmp(set, value) == 0) return true;
    if (value[strspn(value, harmless_characters)] != '\0') return false;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(name, harmless[i]) == 0) return true;
    return false;
}

static bool has_harmless_environment(const dnnl_cache_note_t *note)
{
    dnnl_cache_id_field_t field;
    char text[most_variable_size];
    char *value;
    size_t at = 0;
    while (refresh_id_find(
            &field, &at, note->id_size, note->id, REFRESH_ENVIRONMENT))
        if (!split(text, &value, &field) || !is_harmless(text, value))
            return false;
    return true;
}

bool refresh_jobs_set_environment(const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = &job->build->note;
    dnnl_cache_id_field_t field;
    char text[most_variable_size];
    char *value;
    size_t at = 0;
    while (refresh_id_find(
            &field, &at, note->id_size, note->id, REFRESH_ENVIRONMENT))
        if (!split(text, &value, &field) || setenv(text, value, 1) != 0)
            return false;
    return true;
}

bool refresh_jobs_share_environment(
        const struct refresh_job *a, const struct refresh_job *b)
{
    const dnnl_cache_note_t *of_a = &a->build->note;
    const dnnl_cache_note_t *of_b = &b->build->note;
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

/* ---- What may be compiled ------------------------------------------------ */

/* Does the ID say the same of what it says in words? The rest of it is made
 * again by the worker, and compared. */
static bool agrees_with_id(const dnnl_cache_note_t *note)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    const bool is_of_layer = refresh_id_is_of_layer(note->id_size, note->id);
    return is_of_layer == (note->origin == dnnl_cache_note_layer)
           && refresh_id_find(
                   &field, &at, note->id_size, note->id, REFRESH_OPTIONS)
           && field.size == strlen(note->options)
           && memcmp(field.value, note->options, field.size) == 0;
}

/* In any spelling: without quotes and backslashes. */
static bool has_folder_option(const char *options)
{
    char before = '\0';
    for (; *options != '\0'; options++) {
        if (*options == '"' || *options == '\'' || *options == '\\') continue;
        if (before == '-' && *options == 'I') return true;
        before = *options;
    }
    return false;
}

static dnnl_status_t note_include(
        const dnnl_cache_include_t *include, void *user)
{
    (void)include;
    *(bool *)user = true;
    return dnnl_success;
}

/* All sources as the one text that the compiler sees; NULL: no memory. */
static char *join_sources(const dnnl_cache_note_t *note, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < note->source_count; i++)
        *size += note->source_sizes[i];
    char *text = malloc(*size + 1);
    char *at = text;
    for (size_t i = 0; text != NULL && i < note->source_count; i++) {
        memcpy(at, note->sources[i], note->source_sizes[i]);
        at += note->source_sizes[i];
    }
    return text;
}

/* Does a source name a file? The headers of a program of the library come with
 * it, and the library makes no ID if one is missing. */
static bool has_includes(const dnnl_cache_note_t *note)
{
    bool has = false;
    size_t size;
    if (note->header_count > 0 || note->source_count == 0) return false;
    char *text = join_sources(note, &size);
    if (text == NULL
            || dnnl_cache_find_includes(size, text, note_include, &has)
                       != dnnl_success)
        has = true;
    free(text);
    return has;
}

static bool options_are_known(const char *options)
{
    int reads_files = 1;
    return dnnl_cache_options_read_files(options, &reads_files) == dnnl_success
           && !reads_files;
}

/* A whole journal has no more. */
enum { most_text = 64 << 20 };

static void add_size(size_t *sum, size_t size)
{
    *sum = size > most_text - *sum ? most_text : *sum + size;
}

/* Of all texts, each as often as it is named; most_text if it is too much. */
static void add_text_sizes(size_t *sum, const dnnl_cache_note_t *note)
{
    add_size(sum, note->il_size);
    for (size_t i = 0; i < note->source_count; i++)
        add_size(sum, note->source_sizes[i]);
    for (size_t i = 0; i < note->header_count; i++)
        add_size(sum, note->headers[i].size);
}

/* Why the build must not be made; NULL: it may. */
static const char *find_objection(
        const dnnl_cache_note_t *note, bool reads_files)
{
    if (!agrees_with_id(note)) return "the note does not match its ID";
    if (!options_are_known(note->options))
        return "the options may read a file, or are not known";
    if (!has_harmless_environment(note))
        return "built with environment variables that are not set here";
    if (note->reads_files == 2)
        return "reads files that the application alone knows";
    if (!reads_files
            && (note->reads_files || has_includes(note)
                    || has_folder_option(note->options)))
        return "reads files (pass --read-files)";
    if (note->origin == dnnl_cache_note_layer && note->header_count > 0)
        return "compiled with headers that are programs";
    return NULL;
}

/* ---- Notes by their IDs -------------------------------------------------- */

static uint64_t key_of_id(size_t id_size, const uint8_t *id)
{
    return XXH3_64bits(id, id_size);
}

/* In the list's order where IDs are the same. */
static int compare_notes(const void *a, const void *b)
{
    const struct refresh_note *x = a;
    const struct refresh_note *y = b;
    if (x->id_key != y->id_key) return x->id_key < y->id_key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static bool make_notes(struct refresh_jobs *jobs)
{
    const size_t count = jobs->list->count;
    jobs->notes = calloc(count + 1, sizeof *jobs->notes);
    if (jobs->notes == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_note_t *note = &jobs->list->items[i].note;
        jobs->notes[i].item = &jobs->list->items[i];
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
        const dnnl_cache_note_t *note = &(*at)->item->note;
        if (note->id_size == id_size && memcmp(note->id, id, id_size) == 0)
            return true;
    }
    return false;
}

static const dnnl_cache_note_t *find_build(
        const struct refresh_jobs *jobs, size_t id_size, const uint8_t *id)
{
    const struct refresh_note *at = NULL;
    while (next_note(&at, jobs, id_size, id))
        if (at->item->note.kind == dnnl_cache_note_build)
            return &at->item->note;
    return NULL;
}

/* ---- The jobs ------------------------------------------------------------ */

static const char *find_objection_to_links(const struct refresh_jobs *jobs,
        const dnnl_cache_note_t *note, bool reads_files)
{
    const char *why = NULL;
    size_t text = 0;
    add_text_sizes(&text, note);
    if (text < most_text) why = find_objection(note, reads_files);
    for (size_t i = 0; why == NULL && text < most_text && i < note->input_count;
            i++) {
        const dnnl_cache_note_t *input =
                find_build(jobs, note->input_id_sizes[i], note->input_ids[i]);
        if (input == NULL || input->type != dnnl_cache_note_object) {
            why = "what is linked is not in the journal";
            break;
        }
        add_text_sizes(&text, input);
        if (text < most_text) why = find_objection(input, reads_files);
    }
    if (text == most_text) why = "its sources are too large";
    if (why == NULL && note->type != dnnl_cache_note_executable
            && note->origin == dnnl_cache_note_library)
        why = "the library links nothing";
    return why;
}

static struct refresh_job job_of(const struct refresh_jobs *jobs,
        const struct dnnl_cache_store_journal_item *build, bool reads_files)
{
    struct refresh_job job = {.build = build, .state = refresh_waits};
    const struct refresh_note *at = NULL;
    while (next_note(&at, jobs, build->note.id_size, build->note.id))
        job.launches += at->item->note.kind == dnnl_cache_note_launch;
    job.why =
            build->failures >= refresh_most_failures
                    ? "failed too often"
                    : find_objection_to_links(jobs, &build->note, reads_files);
    if (job.why != NULL) job.state = refresh_refused;
    return job;
}

/* The most expensive first: what others wait for least is done last. */
static int compare_jobs(const void *a, const void *b)
{
    const struct refresh_job *x = a;
    const struct refresh_job *y = b;
    const uint64_t of_x = x->build->note.compile_ns;
    const uint64_t of_y = y->build->note.compile_ns;
    if (of_x != of_y) return of_x > of_y ? -1 : 1;
    return x->build < y->build ? -1 : x->build > y->build;
}

dnnl_status_t refresh_jobs_load(struct refresh_jobs *jobs,
        struct dnnl_cache_store_handle *store, bool reads_files)
{
    *jobs = (struct refresh_jobs){.list = NULL};
    const dnnl_status_t st = dnnl_cache_store_journal_load(&jobs->list, store);
    if (st != dnnl_success) return st;
    jobs->jobs = calloc(jobs->list->count + 1, sizeof *jobs->jobs);
    if (jobs->jobs == NULL || !make_notes(jobs)) {
        refresh_jobs_fini(jobs);
        return dnnl_out_of_memory;
    }
    for (size_t i = 0; i < jobs->list->count; i++)
        if (jobs->list->items[i].note.kind == dnnl_cache_note_build)
            jobs->jobs[jobs->count++] =
                    job_of(jobs, &jobs->list->items[i], reads_files);
    qsort(jobs->jobs, jobs->count, sizeof *jobs->jobs, compare_jobs);
    return dnnl_success;
}

void refresh_jobs_fini(struct refresh_jobs *jobs)
{
    dnnl_cache_store_journal_free(jobs->list);
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

bool refresh_jobs_next_launch(const struct refresh_note **at,
        const struct refresh_jobs *jobs, const struct refresh_job *job)
{
    const dnnl_cache_note_t *build = &job->build->note;
    while (next_note(at, jobs, build->id_size, build->id))
        if ((*at)->item->note.kind == dnnl_cache_note_launch) return true;
    return false;
}

dnnl_status_t refresh_jobs_write(const struct refresh_jobs *jobs,
        const struct refresh_job *job, struct dnnl_cache_store_handle *store)
{
    const dnnl_cache_note_t *build = &job->build->note;
    const struct refresh_note *launch = NULL;
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; st == dnnl_success && i < build->input_count; i++)
        st = dnnl_cache_store_journal_append(
                store, find_build(jobs, build->input_id_sizes[i],
                               build->input_ids[i]));
    if (st == dnnl_success) st = dnnl_cache_store_journal_append(store, build);
    while (st == dnnl_success && refresh_jobs_next_launch(&launch, jobs, job))
        st = dnnl_cache_store_journal_append(store, &launch->item->note);
    return st;
}
