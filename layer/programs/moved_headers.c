/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/moved_headers.h"

#include "src/drivers/option_folders.h"
#include "src/platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_file = 1 << 24 };

/* Takes the text, and frees it if there is no room. */
static bool add(struct moved_headers *headers, size_t folder, const char *rest,
        char *text, size_t size)
{
    const size_t room = strlen(rest) + 64;
    char *name = malloc(room);
    if (name == NULL || text == NULL) {
        free(name);
        free(text);
        return false;
    }
    snprintf(name, room, "<folder %zu>/%s", folder + 1, rest);
    headers->list[headers->count++] =
            (dnnl_cache_note_header_t){name, size, text};
    return true;
}

/* What the path is below the folder; NULL: it is not. */
static const char *rest_of(const char *folder, const char *path)
{
    const size_t size = strlen(folder);
    if (strncmp(path, folder, size) != 0 || path[size] != '/') return NULL;
    return path + size + strspn(path + size, "/");
}

static bool add_folder(
        struct moved_headers *headers, const char *path, size_t number)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, path) != 0
           || facts.kind != file_is_folder
           || add(headers, number, ".", strdup(""), 0);
}

/* Of a file that has changed since it was looked at the replay makes an ID that
 * nobody asks for, and of one that is gone nothing. */
static bool add_file(struct moved_headers *headers,
        const struct option_folders *folders, const char *path)
{
    for (size_t i = 0; i < folders->count; i++) {
        const char *rest = rest_of(folders->list[i], path);
        uint8_t *text = NULL;
        size_t size;
        if (rest == NULL) continue;
        return file_read_whole(&text, &size, file_here, path, most_file) != 0
               || add(headers, i, rest, (char *)text, size);
    }
    return true;
}

bool moved_headers_init(
        struct moved_headers *headers, const struct build *build)
{
    struct option_folders folders;
    *headers = (struct moved_headers){0};
    if (!build->is_apart || !build->reads_files) return true;
    bool done = option_folders_init(&folders, build_options(build));
    headers->list = calloc(
            folders.count + build->file_count + 1, sizeof *headers->list);
    done = done && headers->list != NULL;
    for (size_t i = 0; done && i < folders.count; i++)
        done = add_folder(headers, folders.list[i], i);
    for (size_t i = 0; done && i < build->file_count; i++)
        done = add_file(headers, &folders, build->files[i].path);
    option_folders_fini(&folders);
    if (!done) moved_headers_fini(headers);
    return done;
}

void moved_headers_fini(struct moved_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        free((char *)(uintptr_t)headers->list[i].name);
        free((char *)(uintptr_t)headers->list[i].text);
    }
    free(headers->list);
    *headers = (struct moved_headers){0};
}
