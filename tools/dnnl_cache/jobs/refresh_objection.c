/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_objection.h"

#include "tools/dnnl_cache/jobs/refresh_id.h"

#include "src/drivers/option_folders.h"

#include <dnnl_cache.h>
#include <dnnl_cache/sys/layer.h>
#include <stdlib.h>
#include <string.h>

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
    char text[refresh_variable_size];
    char *value;
    size_t at = 0;
    while (refresh_id_find(
            &field, &at, note->id_size, note->id, REFRESH_ENVIRONMENT))
        if (!refresh_id_split_variable(text, &value, &field)
                || !is_harmless(text, value))
            return false;
    return true;
}

/* ---- What may be compiled ------------------------------------------------ */

/* Are these the note's options? The layer's IDs may tell its folders by their
 * numbers. */
static bool has_options(
        const dnnl_cache_note_t *note, size_t size, const uint8_t *options)
{
    if (size == strlen(note->options)
            && memcmp(options, note->options, size) == 0)
        return true;
    if (note->origin != dnnl_cache_note_layer) return false;
    char *named = option_folders_name(note->options);
    const bool has = named != NULL && size == strlen(named)
                     && memcmp(options, named, size) == 0;
    free(named);
    return has;
}

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
           && has_options(note, field.size, field.value);
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
 * it, and the library makes no ID if one is missing. Those of the layer that
 * are programs come with the note. */
static bool has_includes(const dnnl_cache_note_t *note)
{
    bool has = false;
    size_t size;
    if (note->header_program_count > 0) return !replay_includes_are_given(note);
    if (note->header_count > 0 || note->source_count == 0) return false;
    char *text = join_sources(note, &size);
    if (text == NULL
            || dnnl_cache_find_includes(size, text, note_include, &has)
                       != dnnl_success)
        has = true;
    free(text);
    return has;
}

/* As dnnl_cache_options_read_files() says. */
static int options_read_files(const char *options)
{
    int reads_files = 1;
    (void)dnnl_cache_options_read_files(options, &reads_files);
    return reads_files;
}

/* ---- Texts --------------------------------------------------------------- */

static void add_size(size_t *sum, size_t size)
{
    *sum = size > refresh_most_text - *sum ? refresh_most_text : *sum + size;
}

void refresh_add_text_sizes(size_t *sum, const dnnl_cache_note_t *note)
{
    add_size(sum, note->il_size);
    for (size_t i = 0; i < note->source_count; i++)
        add_size(sum, note->source_sizes[i]);
    for (size_t i = 0; i < note->header_count; i++)
        add_size(sum, note->headers[i].size);
    for (size_t i = 0; i < note->header_program_count; i++)
        add_size(sum, note->header_programs[i].size);
}

/* ---- All ----------------------------------------------------------------- */

static bool is_record_complete(const dnnl_cache_note_t *note)
{
    return note->origin == dnnl_cache_note_layer || note->header_count == 0
                   ? replay_headers_are_complete(note)
                   : replay_folders_are_safe(note->options, false);
}

static bool may_read_files(
        const dnnl_cache_note_t *note, const struct refresh_policy *policy)
{
    if (policy->reads_files) return false;
    return policy->is_record
                   ? !is_record_complete(note)
                   : note->reads_files != 0 || has_includes(note)
                             || !replay_folders_are_safe(note->options, false);
}

static const char reads[] = "reads files (pass --read-files)";
static const char reads_others[] =
        "reads files that the record lacks (pass --read-files)";

void refresh_objection_print_file(char text[replay_missing_size],
        const dnnl_cache_note_t *note, const char *why)
{
    text[0] = '\0';
    if (why == reads || why == reads_others)
        replay_headers_print_missing(text, note);
}

const char *refresh_find_text_objection(
        const dnnl_cache_note_t *note, const struct refresh_policy *policy)
{
    size_t text = 0;
    refresh_add_text_sizes(&text, note);
    if (text == refresh_most_text) return "its sources are too large";
    /* Whatever may be read: drivers write them to files. */
    if (!replay_header_programs_are_safe(note))
        return "has a header whose name may lead out of the driver's folder";
    const int reading = options_read_files(note->options);
    if (reading == 1) return "the options may read a file, or are not known";
    if (note->reads_files == 2)
        return "reads files that the application alone knows";
    /* The worker makes the ID again: there is none if assembly is reached. */
    if (reading != 0 && !policy->reads_files)
        return "its options make strings, and assembly could take one for the "
               "name of a file (pass --read-files)";
    if (policy->is_record && note->directory != NULL && !policy->reads_files)
        return "was compiled in a folder that its options name (pass "
               "--read-files)";
    if (may_read_files(note, policy))
        return policy->is_record ? reads_others : reads;
    if (!policy->is_record && note->origin == dnnl_cache_note_layer
            && note->header_count > 0)
        return "has headers, which notes of the layer have not";
    return NULL;
}

const char *refresh_find_objection(
        const dnnl_cache_note_t *note, const struct refresh_policy *policy)
{
    if (!agrees_with_id(note)) return "the note does not match its ID";
    const char *why = refresh_find_text_objection(note, policy);
    if (why == NULL && !has_harmless_environment(note))
        why = "built with environment variables that are not set here";
    return why;
}
