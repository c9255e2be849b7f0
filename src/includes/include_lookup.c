/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_walk.h"

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stdio.h>
#include <string.h>

/* What a driver may search that is told by no option. */
static const char *const system_folders[] = {
        "/usr/local/include", "/usr/include"};

bool walk_look_at(struct walk *w, struct lookup *l, size_t folder_size,
        const char *folder, bool certain)
{
    char path[path_size];
    const size_t known = w->files.count;
    size_t index;
    if (folder_size >= sizeof path - 1
            || l->name_size >= sizeof path - 1 - folder_size)
        return walk_refuse(w, "the path of %.*s is too long",
                walk_shown(l->name_size), l->name);
    size_t size = folder_size;
    if (folder_size > 0) {
        memcpy(path, folder, folder_size);
        if (path[size - 1] != '/') path[size++] = '/';
    }
    memcpy(path + size, l->name, l->name_size);
    path[size + l->name_size] = '\0';
    if (!include_files_find(
                &w->files, path, &index, sizeof w->out->reason, w->out->reason))
        return false;
    if (index == INCLUDE_NO_FILE) {
        walk_note(w, mark_absent, 0);
        return true;
    }
    l->found = true;
    l->certain = certain;
    walk_note(w, mark_present, index);
    if (w->files.count > known) {
        w->files.list[index].name_at = size;
        walk_note(w, mark_alias, w->files.list[index].first_alias);
        walk_note(w, mark_text, w->files.list[index].size);
        walk_note_bytes(
                w, w->files.list[index].text, w->files.list[index].size);
    }
    return true;
}

bool walk_look_into(struct walk *w, struct lookup *l,
        const struct path_list *folders, bool certain)
{
    for (size_t i = 0; i < folders->count && !l->certain; i++)
        if (!walk_look_at(
                    w, l, strlen(folders->list[i]), folders->list[i], certain))
            return false;
    return true;
}

/* The working directory is such a place for every form with PoCL, for quoted
 * names with others. */
bool walk_look_everywhere(struct walk *w, struct lookup *l)
{
    if (l->name[0] == '/') return walk_look_at(w, l, 0, NULL, true);
    if (l->form == mark_quoted && w->includer != INCLUDE_NO_FILE) {
        const struct include_file *f = &w->files.list[w->includer];
        if (!walk_look_at(w, l, f->folder_size, f->path, true)) return false;
    }
    if (l->form == mark_quoted && w->includer == INCLUDE_NO_FILE
            && !walk_look_into(w, l, &w->places.beside, false))
        return false;
    if (w->header_count > 0
            && ((w->header != NULL && !walk_look_beside_header(w, l))
                    || !walk_look_into(w, l, &w->places.embedded, false)))
        return false;
    return (l->certain || walk_look_at(w, l, 0, NULL, false))
           && walk_look_into(w, l, &w->paths.folders, !w->paths.doubt)
           && walk_look_into(w, l, &w->places.own, false);
}

static bool check_folder(
        struct walk *w, const struct lookup *l, const char *folder)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)l->name_size, l->name);
    return !file_is_there(path)
           || walk_refuse(w, "%.60s includes a file that is also at %.60s",
                   walk_includer(w), path);
}

bool walk_check_system_folders(struct walk *w, const struct lookup *l)
{
    struct path_list folders;
    bool done = include_places_of_compilers(&folders);
    if (!done) walk_refuse_for_memory(w);
    for (size_t i = 0; i < 2 && done; i++)
        done = check_folder(w, l, system_folders[i]);
    for (size_t i = 0; i < folders.count && done; i++)
        done = check_folder(w, l, folders.list[i]);
    path_list_fini(&folders);
    return done;
}
