/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_search.h"

#include "src/gpu/device/file_digest.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool file_search_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES
           || error == ELOOP || error == ENAMETOOLONG;
}

bool file_search_join(const struct file_search *search,
        char path[FILE_SEARCH_PATH_SIZE], const char *folder, const char *name)
{
    const int size =
            snprintf(path, FILE_SEARCH_PATH_SIZE, "%s/%s", folder, name);
    if (size > 0 && size < FILE_SEARCH_PATH_SIZE) return true;
    search->failed(search->user, name, ENAMETOOLONG);
    return false;
}

/* What has the path; other, if nothing has it, which is told. */
static enum file_kind kind_of(
        const struct file_search *search, const char *path)
{
    struct file_facts facts;
    const int error = file_facts_at(&facts, file_here, path);
    if (file_search_is_absent(error))
        search->missing(search->user, path);
    else if (error != 0)
        search->failed(search->user, path, error);
    return facts.kind;
}

bool file_search_try_head(const struct file_search *search, const char *folder,
        const char *name, const char *label, struct file_head *head)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (head != NULL) {
        head->size = 0;
        head->bytes[0] = '\0';
    }
    if (!file_search_join(search, path, folder, name)) return false;
    if (path[0] == '/') {
        const int error = search->find(search->user, path, label, head);
        if (error == 0 || error == EISDIR) return error == 0;
        if (error == ENOENT || error == ENOTDIR) {
            search->missing(search->user, path);
            return false;
        }
        if (!file_search_is_absent(error)) {
            search->failed(search->user, path, error);
            return false;
        }
    }
    /* There may be a file that cannot be opened. */
    if (kind_of(search, path) != file_is_plain) return false;
    /* After chdir() another file would have this name. */
    if (path[0] != '/')
        search->failed(search->user, path, ESTALE);
    else
        search->found(search->user, path, label);
    return true;
}

bool file_search_try(const struct file_search *search, const char *folder,
        const char *name, const char *label)
{
    return file_search_try_head(search, folder, name, label, NULL);
}

bool file_search_has_folder(
        const struct file_search *search, const char *folder)
{
    return kind_of(search, folder) == file_is_folder;
}

/* Keeps those that count. */
static size_t choose_names(char *names, size_t size, const char *prefix)
{
    size_t kept = 0;
    for (size_t at = 0; at < size;) {
        const char *name = names + at;
        const size_t length = strlen(name) + 1;
        at += length;
        if (name[0] == '.' || strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        memmove(names + kept, name, length);
        kept += length;
    }
    return kept;
}

void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user)
{
    struct file_listing listing = {.path = folder, .prefix = prefix};
    char *names = NULL;
    int fd;
    int error = file_open(
            &fd, file_here, folder, file_for_reading | file_must_be_folder, 0);
    if (error == ENOENT || error == ENOTDIR) {
        search->missing(search->user, folder);
        return;
    }
    if (error == 0) error = file_facts_settled(&listing.facts, fd, NULL);
    if (error == 0) error = folder_read_names(&names, &listing.size, fd);
    (void)file_close(fd);
    if (error != 0) {
        search->failed(search->user, folder, error);
        return;
    }
    listing.size = choose_names(names, listing.size, prefix);
    listing.names = names;
    search->listed(search->user, &listing);
    for (size_t at = 0; at < listing.size; at += strlen(names + at) + 1)
        visit(search, folder, names + at, user);
    free(names);
}

int file_search_open(const struct file_search *search, const char *path)
{
    struct file_facts facts = {.kind = file_is_other};
    int fd;
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error == 0) error = file_facts(&facts, fd);
    if (error == 0 && facts.kind == file_is_plain) return fd;
    if (error != 0) search->failed(search->user, path, error);
    (void)file_close(fd);
    return file_none;
}

/* 0 if a file ends there or before; else an errno value. */
static int check_end(int fd, uint64_t offset)
{
    struct file_facts facts;
    const int error = file_facts(&facts, fd);
    return error == 0 && offset < facts.size ? ESTALE : error;
}

bool file_search_read(const struct file_search *search, int fd,
        const char *path, void *out, size_t size, uint64_t offset,
        size_t *read_size)
{
    int error = file_read_up_to(read_size, fd, out, size, offset);
    if (error == 0 && *read_size < size)
        error = check_end(fd, offset + *read_size);
    if (error != 0) search->failed(search->user, path, error);
    return error == 0;
}

void file_search_list(const char *list, const char *separators,
        bool (*visit)(const char *folder, void *user), void *user)
{
    char folder[FILE_SEARCH_PATH_SIZE];
    if (list == NULL || list[0] == '\0') return;
    for (const char *part = list;; part++) {
        const size_t size = strcspn(part, separators);
        /* A longer one is no folder's. */
        if (size < sizeof folder) {
            memcpy(folder, size > 0 ? part : ".", size > 0 ? size : 1);
            folder[size > 0 ? size : 1] = '\0';
            if (!visit(folder, user)) return;
        }
        part += size;
        if (*part == '\0') return;
    }
}
