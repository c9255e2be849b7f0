/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/replay_headers.h"

#include "src/drivers/option_folders.h"
#include "src/drivers/option_words.h"
#include "src/includes/include_scan.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <dnnl_cache.h>
#include <dnnl_cache/recording.h>
#include <dnnl_cache/sys/layer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is named ------------------------------------------------------- */

/* Is the header's path that name, in some folder? */
static bool is_named(const char *path, const char *name, size_t size)
{
    const size_t length = strlen(path);
    return length >= size && memcmp(path + length - size, name, size) == 0
           && (length == size || path[length - size - 1] == '/');
}

static bool has_header(
        const dnnl_cache_note_t *note, const char *name, size_t size)
{
    for (size_t i = 0; i < note->header_count; i++)
        if (is_named(note->headers[i].name, name, size)) return true;
    for (size_t i = 0; i < note->header_program_count; i++)
        if (is_named(note->header_programs[i].name, name, size)) return true;
    return false;
}

static bool is_given(
        const dnnl_cache_note_t *note, const struct include_directive *include)
{
    char name[256];
    if (include->form == include_macro || include->name_size >= sizeof name)
        return false;
    memcpy(name, include->name, include->name_size);
    name[include->name_size] = '\0';
    return dnnl_cache_recording_is_header_name(name)
           && has_header(note, name, include->name_size);
}

/* *seen is what the texts so far have of assembly, which a macro of one and the
 * asm of another make together; NULL: each text is judged alone. */
static bool text_is_complete(const dnnl_cache_note_t *note, unsigned *seen,
        size_t size, const char *text)
{
    struct include_scan scan;
    struct include_directive include;
    include_scan_init(&scan, text, size);
    if (seen != NULL) scan.seen = *seen;
    while (include_scan_next(&scan, &include))
        if (!is_given(note, &include)) return false;
    if (seen != NULL) *seen = scan.seen;
    return true;
}

/* A compiler sees the sources as one text. */
static bool sources_are_complete(const dnnl_cache_note_t *note, unsigned *seen)
{
    size_t size = 0;
    size_t at = 0;
    if (note->source_count == 0) return true;
    if (note->source_count == 1)
        return text_is_complete(
                note, seen, note->source_sizes[0], note->sources[0]);
    for (size_t i = 0; i < note->source_count; i++)
        size += note->source_sizes[i];
    char *text = malloc(size + 1);
    if (text == NULL) return false;
    for (size_t i = 0; i < note->source_count; i++) {
        memcpy(text + at, note->sources[i], note->source_sizes[i]);
        at += note->source_sizes[i];
    }
    const bool are = text_is_complete(note, seen, size, text);
    free(text);
    return are;
}

static bool headers_are_complete(const dnnl_cache_note_t *note, unsigned *seen,
        size_t count, const dnnl_cache_note_header_t *headers)
{
    for (size_t i = 0; i < count; i++)
        if (!dnnl_cache_recording_is_header_name(headers[i].name)
                || !text_is_complete(
                        note, seen, headers[i].size, headers[i].text))
            return false;
    return true;
}

static bool all_are_complete(const dnnl_cache_note_t *note, unsigned *seen)
{
    return sources_are_complete(note, seen)
           && headers_are_complete(
                   note, seen, note->header_count, note->headers)
           && headers_are_complete(note, seen, note->header_program_count,
                   note->header_programs);
}

bool replay_includes_are_given(const dnnl_cache_note_t *note)
{
    unsigned seen = 0;
    return all_are_complete(note, &seen);
}

bool replay_header_programs_are_safe(const dnnl_cache_note_t *note)
{
    for (size_t i = 0; i < note->header_program_count; i++) {
        const char *name = note->header_programs[i].name;
        if (!dnnl_cache_recording_is_header_name(name)
                || strchr(name, '\\') != NULL)
            return false;
    }
    return true;
}

/* ---- What is missing ----------------------------------------------------- */

static void print_name(
        char text[replay_missing_size], size_t size, const char *name)
{
    enum { around = sizeof ": ''" };
    const size_t most = replay_missing_size - around;
    (void)snprintf(text, replay_missing_size, ": '%.*s'",
            (int)(size < most ? size : most), name);
}

static bool print_include(char text[replay_missing_size],
        const dnnl_cache_note_t *note, size_t size, const char *source)
{
    struct include_scan scan;
    struct include_directive include;
    include_scan_init(&scan, source, size);
    while (include_scan_next(&scan, &include)) {
        if (is_given(note, &include)) continue;
        print_name(text, include.name_size, include.name);
        return true;
    }
    return false;
}

static bool print_include_of(char text[replay_missing_size],
        const dnnl_cache_note_t *note, size_t count,
        const dnnl_cache_note_header_t *headers)
{
    bool found = false;
    for (size_t i = 0; !found && i < count; i++)
        found = print_include(text, note, headers[i].size, headers[i].text);
    return found;
}

/* ---- Folders ------------------------------------------------------------- */

/* A compiler that is told to look in a folder looks whether it is one, and
 * reads what is none. */
static bool is_no_file(const char *path)
{
    struct file_facts facts;
    return path[0] == '/'
           && (file_facts_at(&facts, file_here, path) != 0
                   || facts.kind == file_is_folder);
}

/* The folder that the build is made in is a private one. */
static bool stays_below(const char *path)
{
    if (path[0] == '/') return false;
    for (const char *part = path; *part != '\0';) {
        const size_t size = strcspn(part, "/");
        if (size == 2 && memcmp(part, "..", 2) == 0) return false;
        part += size + (part[size] == '/');
    }
    return true;
}

static bool is_safe(const char *folder, void *names_nothing)
{
    return stays_below(folder)
           || (*(const bool *)names_nothing && is_no_file(folder));
}

bool replay_folders_are_safe(const char *options, bool names_nothing)
{
    return option_folders_are(options, is_safe, &names_nothing);
}

/* Behind "<folder 1>/", and the number; NULL: the name has no such. */
static const char *behind_number(const char *name, unsigned long *number)
{
    static const char begin[] = "<folder ";
    char *end;
    if (strncmp(name, begin, sizeof begin - 1) != 0) return NULL;
    *number = strtoul(name + sizeof begin - 1, &end, 10);
    return end[0] == '>' && end[1] == '/' ? end + 2 : NULL;
}

/* Does it bring headers of folders that the options name? It is compiled with
 * others in place of those. */
static bool headers_move(const dnnl_cache_note_t *note)
{
    unsigned long number;
    for (size_t i = 0; i < note->header_count; i++)
        if (behind_number(note->headers[i].name, &number) != NULL) return true;
    return false;
}

/* The options with other folders, if it brings what was in these; the caller's.
 * NULL: no memory. */
static char *options_at(const dnnl_cache_note_t *note, const char *parent)
{
    return headers_move(note) ? option_folders_put(note->options, parent)
                              : strdup(note->options);
}

static bool has_safe_folders(const dnnl_cache_note_t *note)
{
    char *options = options_at(note, "folders");
    const bool names_nothing =
            note->header_count == 0 && note->header_program_count == 0;
    const bool are =
            options != NULL && replay_folders_are_safe(options, names_nothing);
    free(options);
    return are;
}

/* The first that is not safe; the folder is copied at once. */
struct unsafe {
    char *text;
    bool names_nothing;
};

static bool print_unsafe(const char *folder, void *user)
{
    struct unsafe *unsafe = user;
    if (is_safe(folder, &unsafe->names_nothing)) return true;
    if (unsafe->text[0] == '\0')
        print_name(unsafe->text, strlen(folder), folder);
    return false;
}

static void print_folder(
        char text[replay_missing_size], const dnnl_cache_note_t *note)
{
    char *options = options_at(note, "folders");
    struct unsafe unsafe = {
            text, note->header_count == 0 && note->header_program_count == 0};
    if (options != NULL)
        (void)option_folders_are(options, print_unsafe, &unsafe);
    free(options);
}

void replay_headers_print_missing(
        char text[replay_missing_size], const dnnl_cache_note_t *note)
{
    bool found = false;
    text[0] = '\0';
    for (size_t i = 0; !found && i < note->source_count; i++)
        found = print_include(
                text, note, note->source_sizes[i], note->sources[i]);
    found = found
            || print_include_of(text, note, note->header_count, note->headers)
            || print_include_of(text, note, note->header_program_count,
                    note->header_programs);
    if (!found) print_folder(text, note);
}

bool replay_headers_are_complete(const dnnl_cache_note_t *note)
{
    return has_safe_folders(note) && all_are_complete(note, NULL);
}

/* ---- The folder ---------------------------------------------------------- */

/* In it the build is made; the others are beside it, those of each part in one.
 */
#define WORKING "working"
#define OF_PART "part"

static bool parent_of(char path[path_size], const char *folder, size_t part)
{
    const int size =
            snprintf(path, path_size, "%s/" OF_PART "%zu", folder, part);
    return size > 0 && size < path_size;
}

static bool path_of(char path[path_size], const char *folder,
        const char *parent, const char *name)
{
    unsigned long number;
    const char *rest = behind_number(name, &number);
    const int size = rest == NULL ? snprintf(
                             path, path_size, "%s/" WORKING "/%s", folder, name)
                                  : snprintf(path, path_size,
                                          "%s/%lu" OPTION_FOLDERS_BEHIND "/%s",
                                          parent, number, rest);
    return size > 0 && size < path_size;
}

static bool is_folder_alone(const char *name)
{
    unsigned long number;
    const char *rest = behind_number(name, &number);
    return rest != NULL && strcmp(rest, ".") == 0;
}

static bool write_header(const dnnl_cache_note_header_t *header,
        const char *folder, const char *parent)
{
    char path[path_size];
    size_t failed;
    return dnnl_cache_recording_is_header_name(header->name)
           && path_of(path, folder, parent, header->name)
           && folder_make_above(path, 0700, &failed) == 0
           && (is_folder_alone(header->name)
                   || file_write_whole(file_here, path, 0, 0600, header->text,
                              header->size)
                              == 0);
}

bool replay_headers_enter(char **options, const dnnl_cache_note_t *note,
        const char *folder, size_t part)
{
    char working[path_size];
    char parent[path_size];
    size_t failed;
    bool done = parent_of(parent, folder, part)
                && path_of(working, folder, parent, "")
                && folder_make_above(working, 0700, &failed) == 0;
    for (size_t i = 0; done && i < note->header_count; i++)
        done = write_header(&note->headers[i], folder, parent);
    *options =
            done && path_set_working(working) ? options_at(note, parent) : NULL;
    return *options != NULL;
}
