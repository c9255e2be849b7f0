/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_place.h"

#include "src/includes/includes.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/dnnl_cache/jobs/replay_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct parts {
    const struct dnnl_cache_store_journal_list *list;
    const dnnl_cache_note_t *build;
    size_t count; /* the build, and the objects that are linked */
    struct include_driver driver;
};

/* NULL: that object is not in the list. */
static const dnnl_cache_note_t *part_at(const struct parts *parts, size_t i)
{
    const dnnl_cache_note_t *build = parts->build;
    return i == 0 ? build
                  : refresh_build_find(parts->list,
                          build->input_id_sizes[i - 1],
                          build->input_ids[i - 1]);
}

/* Whether the ID of a part depends on the working directory, though no file is
 * read: it has the name, or says which folder of the options that is. No record
 * tells where that was. */
static bool depends_on_directory(const dnnl_cache_note_t *part)
{
    return part->header_program_count > 0 && part->directory != NULL;
}

/* NULL: no part reads files, nor depends on it. The parent allows files only if
 * it was told to. */
static const char *find_directory(const struct parts *parts)
{
    const char *found = NULL;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part == NULL) continue;
        if (depends_on_directory(part)) return part->directory;
        if (part->reads_files && found == NULL) found = part->directory;
    }
    return found;
}

/* Whether the ID of a part has its name. */
static bool is_directory_named(const struct parts *parts)
{
    if (!include_places_are_working_directory(&parts->driver)) return false;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && depends_on_directory(part)) return true;
    }
    return false;
}

static bool has_headers(const dnnl_cache_note_t *part)
{
    return part->header_count > 0 && part->directory == NULL;
}

static bool have_headers(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && has_headers(part)) return true;
    }
    return false;
}

static bool make_private_folder(char folder[path_size], const char *work)
{
    if ((size_t)snprintf(folder, path_size, "%s/" REFRESH_HEADERS, work)
            >= path_size)
        return false;
    const int error = folder_make(file_here, folder, 0700, false);
    return error == 0 || error == EEXIST;
}

/* Does the part find a file in the working directory, or from it? */
static bool finds_files(
        const struct parts *parts, const dnnl_cache_note_t *part)
{
    const size_t count = part->header_program_count;
    struct includes includes;
    struct include_files files = {0};
    struct include_embedded *headers = calloc(count, sizeof *headers);
    if (headers == NULL) return true;
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_note_header_t *h = &part->header_programs[i];
        headers[i] = (struct include_embedded){h->name, h->text, h->size};
    }
    /* The layer notes one text. */
    const bool is_known = includes_follow_embedded(&includes, &files,
            &parts->driver, count, headers,
            part->source_count > 0 ? part->source_sizes[0] : 0,
            part->source_count > 0 ? part->sources[0] : "", part->options);
    const bool finds = !is_known || files.count > 0;
    if (is_known) include_files_fini(&files);
    free(headers);
    return finds;
}

/* A part that read no file would read one now, and have another ID: so no
 * driver looks at it, whatever a note says that a folder is. */
static bool have_new_files(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && !part->reads_files && depends_on_directory(part)
                && finds_files(parts, part))
            return true;
    }
    return false;
}

/* If the folder is gone, an empty one does for all programs that the compiler
 * found nothing in it for; what is made of others has another ID. */
static enum refresh_worker_exit use_directory(
        const struct parts *parts, const char *work)
{
    char folder[path_size];
    const char *directory = find_directory(parts);
    if (directory == NULL) return refresh_worker_ok;
    if (!path_set_working(directory)) {
        if (is_directory_named(parts)) return refresh_worker_other_id;
        if (!make_private_folder(folder, work) || !path_set_working(folder))
            return refresh_worker_no_room;
    }
    return have_new_files(parts) ? refresh_worker_other_id : refresh_worker_ok;
}

/* Of a record: in a folder of their own, which the compiler works in, but for
 * one that has to work in that of the application, where they are. Of two
 * headers with one name that are found from there the last one counts: what is
 * compiled with another has another ID. What is in folders of the options is in
 * folders of the part's own. */
static bool use_headers(struct refresh_options *options,
        const struct parts *parts, const char *work)
{
    char folder[path_size];
    if (!have_headers(parts)) return true;
    if (!make_private_folder(folder, work)) return false;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && has_headers(part)
                && !replay_headers_enter(&options->list[i], part, folder, i))
            return false;
    }
    return true;
}

enum refresh_worker_exit refresh_place_enter(struct refresh_options *options,
        const struct refresh_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *build, const char *work)
{
    const struct parts parts = {list, build, build->input_count + 1,
            refresh_device_driver(device->id)};
    if (!refresh_options_init(options, parts.count))
        return refresh_worker_no_room;
    const enum refresh_worker_exit code = use_directory(&parts, work);
    if (code != refresh_worker_ok) return code;
    return use_headers(options, &parts, work) ? refresh_worker_ok
                                              : refresh_worker_no_room;
}
