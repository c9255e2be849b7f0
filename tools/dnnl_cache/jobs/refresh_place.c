/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_place.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/dnnl_cache/jobs/refresh_build.h"
#include "tools/dnnl_cache/jobs/replay_headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct parts {
    const struct dnnl_cache_store_journal_list *list;
    const dnnl_cache_note_t *build;
    size_t count; /* the build, and the objects that are linked */
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

/* NULL: no part reads files. The parent allows files only if it was told to. */
static const char *find_directory(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && part->reads_files) return part->directory;
    }
    return NULL;
}

static bool have_headers(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        if (part != NULL && part->header_count > 0) return true;
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

/* If the folder is gone, an empty one does for all programs that the compiler
 * found nothing in it for; what is made of others has another ID. */
static bool use_directory(const char *directory, const char *work)
{
    char folder[path_size];
    return directory == NULL || path_set_working(directory)
           || (make_private_folder(folder, work) && path_set_working(folder));
}

/* Of a record: in a folder of their own, which the compiler works in. Of two
 * headers with one name the last one counts: what is compiled with another has
 * another ID. */
static bool use_headers(
        char **options, const struct parts *parts, const char *work)
{
    char folder[path_size];
    if (!have_headers(parts)) return true;
    if (!make_private_folder(folder, work)) return false;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_note_t *part = part_at(parts, i);
        char *of_part = NULL;
        if (part == NULL || part->header_count == 0) continue;
        if (!replay_headers_enter(&of_part, part, folder)) return false;
        if (i == 0)
            *options = of_part;
        else
            free(of_part);
    }
    return true;
}

enum refresh_worker_exit refresh_place_enter(char **options,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *build, const char *work)
{
    const struct parts parts = {list, build, build->input_count + 1};
    return use_directory(find_directory(&parts), work)
                           && use_headers(options, &parts, work)
                   ? refresh_worker_ok
                   : refresh_worker_no_room;
}
