/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_search.h"

#include "src/gpu/device/file_digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool file_search_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES
           || error == ELOOP || error == ENAMETOOLONG;
}

bool file_search_lacks(const char *path)
{
    struct file_facts facts;
    return file_search_is_absent(file_facts_at(&facts, file_here, path));
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

/* ---- One name ------------------------------------------------------------ */

void file_search_tell_missing(
        const struct file_search *search, const char *path)
{
    const int error = search->sights != NULL
                              ? file_sights_note(search->sights, path, NULL)
                              : 0;
    if (error == 0)
        search->missing(search->user, path);
    else if (error != EEXIST)
        search->failed(search->user, path, error);
}

bool file_search_knows_missing(
        const struct file_search *search, const char *path)
{
    return search->sights != NULL && file_sights_lack(search->sights, path);
}

/* Has something the path? If not, that is told. */
static bool look(struct file_facts *facts, const struct file_search *search,
        const char *path)
{
    const struct file_facts *seen =
            search->sights != NULL ? file_sights_find(search->sights, path)
                                   : NULL;
    if (seen != NULL) {
        *facts = *seen;
        return facts->device != 0 || facts->number != 0;
    }
    const int error = file_facts_at(facts, file_here, path);
    if (file_search_is_absent(error))
        file_search_tell_missing(search, path);
    else if (error != 0)
        search->failed(search->user, path, error);
    else if (search->sights != NULL)
        (void)file_sights_note(search->sights, path, facts);
    return error == 0;
}

/* What is no folder, and has its name, may become one. */
static bool is_folder(struct file_facts *facts,
        const struct file_search *search, const char *path)
{
    if (!look(facts, search, path)) return false;
    if (facts->kind == file_is_folder) return true;
    search->unfit(search->user, path);
    return false;
}

static bool is_plain(const struct file_search *search, const char *path)
{
    struct file_facts facts;
    return look(&facts, search, path) && facts.kind == file_is_plain;
}

bool file_search_try_head(const struct file_search *search, const char *folder,
        const char *name, const char *label, struct file_head *head)
{
    char path[FILE_SEARCH_PATH_SIZE];
    int error = EISDIR;
    if (head != NULL) {
        head->size = 0;
        head->bytes[0] = '\0';
    }
    if (!file_search_join(search, path, folder, name)) return false;
    if (file_search_knows_missing(search, path))
        error = ENOENT;
    else if (path[0] == '/')
        error = search->find(search->user, path, label, head);
    else if (is_plain(search, path))
        error = ESTALE; /* after chdir() another file would have this name */
    if (file_search_is_absent(error))
        file_search_tell_missing(search, path);
    else if (error == EISDIR && path[0] == '/')
        search->unfit(search->user, path);
    else if (error != 0 && error != EISDIR)
        search->failed(search->user, path, error);
    return error == 0 || error == ESTALE;
}

bool file_search_try(const struct file_search *search, const char *folder,
        const char *name, const char *label)
{
    return file_search_try_head(search, folder, name, label, NULL);
}

void file_search_try_path(
        const struct file_search *search, const char *path, const char *label)
{
    if (path[0] == '/') (void)file_search_try(search, "", path + 1, label);
}

bool file_search_has_folder(
        const struct file_search *search, const char *folder)
{
    struct file_facts facts;
    return is_folder(&facts, search, folder);
}

bool file_search_find_folder(const struct file_search *search,
        const char *folder, struct file_facts *facts)
{
    return is_folder(facts, search, folder);
}

void file_search_expect_many(const struct file_search *search,
        const char *folder, const struct file_facts *facts)
{
    if (search->sights != NULL)
        file_sights_expect_many(search->sights, folder, facts);
}

bool file_search_has_folder_of_many(
        const struct file_search *search, const char *folder)
{
    struct file_facts facts;
    if (!file_search_find_folder(search, folder, &facts)) return false;
    file_search_expect_many(search, folder, &facts);
    return true;
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

/* The folder, which is open, is closed. */
static void visit_entries(const struct file_search *search, int fd,
        const char *folder, const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user)
{
    struct file_listing listing = {.path = folder, .prefix = prefix};
    char *names = NULL;
    const int error =
            folder_names_settled(&listing.facts, &names, &listing.size, fd);
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

void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user)
{
    int fd;
    struct file_facts facts;
    /* Most are not there. */
    if (!is_folder(&facts, search, folder)) return;
    const int error = file_open(
            &fd, file_here, folder, file_for_reading | file_must_be_folder, 0);
    if (error == 0)
        visit_entries(search, fd, folder, prefix, visit, user);
    else
        search->failed(search->user, folder, error);
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
