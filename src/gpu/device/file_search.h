/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for files where a driver's compiler or linker would: names in
 * folders, in order. What is found is part of the driver's identity; so is that
 * a name which would be found first is missing.
 */
#ifndef DNNL_CACHE_GPU_FILE_SEARCH_H
#define DNNL_CACHE_GPU_FILE_SEARCH_H

#include "src/platform/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_SEARCH_PATH_SIZE = 1024, FILE_SEARCH_HEAD_SIZE = 4096 };

/* The first bytes of a file, with a NUL behind them. */
struct file_head {
    size_t size;
    char bytes[FILE_SEARCH_HEAD_SIZE + 1];
};

/* A folder, and the names in it that begin with the prefix and not with a dot,
 * each with a NUL. */
struct file_listing {
    const char *path;
    const char *prefix;
    struct file_facts facts; /* settled, of before its names were read */
    size_t size;
    const char *names;
};

/* Who is told what. Texts are borrowed for the call. */
struct file_search {
    void *user;
    /* A file that may be read; label: how the identity names it. */
    void (*found)(void *user, const char *path, const char *label);
    /* The same of one that may not be there, or not be a plain file: an errno
     * value then, EISDIR of the latter. head: NULL, or gets the first bytes. */
    int (*find)(void *user, const char *path, const char *label,
            struct file_head *head);
    /* A folder or file that is looked for and is not there. */
    void (*missing)(void *user, const char *path);
    /* A folder of which all names are looked at: a new one may be found. */
    void (*listed)(void *user, const struct file_listing *listing);
    /* The search cannot be completed: errno value. */
    void (*failed)(void *user, const char *name, int error);
};

/* Does an errno value of stat() say that there is no such file? Where the user
 * may not search, a compiler that runs as the user finds nothing either. */
bool file_search_is_absent(int error);

/* "folder/name". False: it is too long, which `failed` was told. */
bool file_search_join(const struct file_search *search,
        char path[FILE_SEARCH_PATH_SIZE], const char *folder, const char *name);

/* Looks for a file; a folder of that name is none. True if it is there. */
bool file_search_try(const struct file_search *search, const char *folder,
        const char *name, const char *label);
/* The same, and what it begins with. */
bool file_search_try_head(const struct file_search *search, const char *folder,
        const char *name, const char *label, struct file_head *head);

/* Is there such a folder? If not, `missing` is told. */
bool file_search_has_folder(
        const struct file_search *search, const char *folder);

/* Calls visit for each entry of a folder whose name begins with the prefix,
 * but those that begin with a dot; in any order. */
void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user);

/* Opens a file that is there for reading, if it is a regular one. file_none: it
 * is not, or it cannot be opened, which `failed` was told. */
int file_search_open(const struct file_search *search, const char *path);

/* Reads as much of size bytes as the file has at the offset. False: it cannot
 * be read, which `failed` was told. */
bool file_search_read(const struct file_search *search, int fd,
        const char *path, void *out, size_t size, uint64_t offset,
        size_t *read_size);

/* The folders of a list as in PATH, or in LD_LIBRARY_PATH: visit returns true
 * to go on. An empty part is the working directory. */
void file_search_list(const char *list, const char *separators,
        bool (*visit)(const char *folder, void *user), void *user);

#endif /* DNNL_CACHE_GPU_FILE_SEARCH_H */
