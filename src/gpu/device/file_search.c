/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_search.h"

#include "src/common/array.h"
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

/* ---- Folders in which many names are looked for -------------------------- */

struct file_search_sight {
    char *path;  /* owned */
    char *names; /* owned, a NUL each; NULL: each name is looked up */
    size_t size;
};

void file_search_sights_fini(struct file_search_sights *sights)
{
    for (size_t i = 0; i < sights->count; i++) {
        free(sights->list[i].path);
        free(sights->list[i].names);
    }
    free(sights->list);
    *sights = (struct file_search_sights){.list = NULL};
}

static const struct file_search_sight *find_sight(
        const struct file_search_sights *sights, const char *folder)
{
    for (size_t i = 0; i < sights->count; i++)
        if (strcmp(sights->list[i].path, folder) == 0) return &sights->list[i];
    return NULL;
}

static bool tells_all(
        struct file_search_sights *sights, int fd, uint64_t device)
{
    if (!sights->device_is_known || sights->device != device)
        sights->device_tells_all = folder_tells_all_names(fd);
    sights->device = device;
    sights->device_is_known = true;
    return sights->device_tells_all;
}

/* Some folders do not tell cases apart; beyond ASCII the file system alone
 * knows which names are equal. */
static bool is_ascii(const char *names, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)names[i] & 0x80u) != 0) return false;
    return true;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Of ASCII, whatever the locale is. */
static bool is_equal_but_for_case(const char *a, const char *b)
{
    for (; lower(*a) == lower(*b); a++, b++)
        if (*a == '\0') return true;
    return false;
}

/* NULL: they are not known. */
static char *read_all_names(struct file_search_sights *sights,
        const char *folder, uint64_t device, size_t *size)
{
    char *names = NULL;
    int fd;
    int error = file_open(
            &fd, file_here, folder, file_for_reading | file_must_be_folder, 0);
    if (error != 0) return NULL;
    if (!tells_all(sights, fd, device)) error = ENOTSUP;
    if (error == 0) error = folder_read_names(&names, size, fd);
    (void)file_close(fd);
    if (error == 0 && names == NULL) names = calloc(1, 1);
    if (error == 0 && names != NULL && is_ascii(names, *size)) return names;
    free(names);
    return NULL;
}

void file_search_expect_many(const struct file_search *search,
        const char *folder, const struct file_facts *facts)
{
    enum { small = 1 << 14 }; /* the bytes that a folder of few names has */
    struct file_search_sights *sights = search->sights;
    if (sights == NULL || facts->size > small
            || find_sight(sights, folder) != NULL
            || !array_grow(&sights->list, sights->count, sizeof *sights->list))
        return;
    struct file_search_sight sight = {.path = strdup(folder)};
    if (sight.path == NULL) return;
    sight.names = read_all_names(sights, folder, facts->device, &sight.size);
    sights->list[sights->count++] = sight;
}

bool file_search_knows_missing(
        const struct file_search *search, const char *folder, const char *name)
{
    const struct file_search_sight *sight =
            search->sights != NULL && strchr(name, '/') == NULL
                    ? find_sight(search->sights, folder)
                    : NULL;
    if (sight == NULL || sight->names == NULL || !is_ascii(name, strlen(name)))
        return false;
    /* These are there, and never among the names. */
    if (name[strspn(name, ".")] == '\0') return false;
    for (size_t at = 0; at < sight->size; at += strlen(sight->names + at) + 1)
        if (is_equal_but_for_case(sight->names + at, name)) return false;
    return true;
}

/* ---- One name ------------------------------------------------------------ */

/* What has the path; other, if nothing has it, which is told. */
static enum file_kind look(struct file_facts *facts,
        const struct file_search *search, const char *path)
{
    const int error = file_facts_at(facts, file_here, path);
    if (file_search_is_absent(error))
        search->missing(search->user, path);
    else if (error != 0)
        search->failed(search->user, path, error);
    return facts->kind;
}

static enum file_kind kind_of(
        const struct file_search *search, const char *path)
{
    struct file_facts facts;
    return look(&facts, search, path);
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
    if (file_search_knows_missing(search, folder, name)) {
        search->missing(search->user, path);
        return false;
    }
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

void file_search_try_quietly(
        const struct file_search *search, const char *path, const char *label)
{
    const int error = search->find(search->user, path, label, NULL);
    /* There may be a file that cannot be opened. */
    if (error != 0 && error != EISDIR && file_is_there(path))
        (void)file_search_try(search, "", path + 1, label);
}

bool file_search_has_folder(
        const struct file_search *search, const char *folder)
{
    return kind_of(search, folder) == file_is_folder;
}

bool file_search_find_folder(const struct file_search *search,
        const char *folder, struct file_facts *facts)
{
    return look(facts, search, folder) == file_is_folder;
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
    int error = file_facts_settled(&listing.facts, fd, NULL);
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

void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user)
{
    int fd;
    const int error = file_open(
            &fd, file_here, folder, file_for_reading | file_must_be_folder, 0);
    if (error == 0)
        visit_entries(search, fd, folder, prefix, visit, user);
    else if (error == ENOENT || error == ENOTDIR)
        search->missing(search->user, folder);
    else if (file_search_has_folder(search, folder))
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
