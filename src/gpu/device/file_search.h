/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for files where a driver's compiler or linker would: names in
 * folders, in order. What is found is part of the driver's identity; so is that
 * a name which would be found first is missing.
 */
#ifndef DNNL_CACHE_GPU_FILE_SEARCH_H
#define DNNL_CACHE_GPU_FILE_SEARCH_H

#include "src/gpu/device/file_sights.h"
#include "src/platform/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FILE_SEARCH_PATH_SIZE = 1024,
    FILE_SEARCH_HEAD_SIZE = 4096,
    FILE_SEARCH_OPENED_HEAD = 1 << 14
};

/* The first bytes of a file, with a NUL behind them. */
struct file_head {
    size_t size;
    char bytes[FILE_SEARCH_HEAD_SIZE + 1];
};

/* A plain file that the searcher has open, and its first bytes, which were read
 * after the facts: as many as there are, up to FILE_SEARCH_OPENED_HEAD. */
struct file_opened {
    int fd;
    struct file_facts facts; /* settled */
    const unsigned char *head;
    size_t head_size;
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
    /* The same of one that is looked up, and may not be there, or not be a
     * plain file: an errno value then, EISDIR of the latter. head: NULL, or
     * gets the first bytes. */
    int (*find)(void *user, const char *path, const char *label,
            struct file_head *head);
    /* A file that may be read, and is open. */
    void (*found_open)(void *user, const struct file_opened *opened,
            const char *path, const char *label);
    /* A folder or file that is looked for and is not there. */
    void (*missing)(void *user, const char *path);
    /* What is there, and is not what is looked for: a folder or a socket in
     * place of a file, what may not be run, a file in place of a folder. */
    void (*unfit)(void *user, const char *path);
    /* A folder of which all names are looked at: a new one may be found. */
    void (*listed)(void *user, const struct file_listing *listing);
    /* The search cannot be completed: errno value. */
    void (*failed)(void *user, const char *name, int error);
    /* What was seen before; NULL: each path is looked up. */
    struct file_sights *sights;
};

/* Many names will be looked for in a folder that has these facts. */
void file_search_expect_many(const struct file_search *search,
        const char *folder, const struct file_facts *facts);

/* Is it known, without a look-up, that the path leads to nothing? */
bool file_search_knows_missing(
        const struct file_search *search, const char *path);

/* Tells `missing`, of each path once. */
void file_search_tell_missing(
        const struct file_search *search, const char *path);

/* Does an errno value of stat() say that there is no such file? Where the user
 * may not search, a compiler that runs as the user finds nothing either. */
bool file_search_is_absent(int error);

/* Does a look-up say, too, that a path which could not be opened leads to
 * nothing? An ID without a part of the driver may be another driver's: what one
 * call alone says is not there is not believed. */
bool file_search_lacks(const char *path);

/* "folder/name". False: it is too long, which `failed` was told. */
bool file_search_join(const struct file_search *search,
        char path[FILE_SEARCH_PATH_SIZE], const char *folder, const char *name);

/* Looks for a file; of another thing with its name `unfit` is told. True if it
 * is there. */
bool file_search_try(const struct file_search *search, const char *folder,
        const char *name, const char *label);
/* The same, and what it begins with. */
bool file_search_try_head(const struct file_search *search, const char *folder,
        const char *name, const char *label, struct file_head *head);

/* A file by its path from the root on; a relative one is none. */
void file_search_try_path(
        const struct file_search *search, const char *path, const char *label);

/* Is there such a folder? If not, `missing` is told, or `unfit` of another
 * thing with its name. */
bool file_search_has_folder(
        const struct file_search *search, const char *folder);
/* The same, with its facts. */
bool file_search_find_folder(const struct file_search *search,
        const char *folder, struct file_facts *facts);
/* The same of one in which many names will be looked for. */
bool file_search_has_folder_of_many(
        const struct file_search *search, const char *folder);

/* Calls visit for each entry of a folder whose name begins with the prefix,
 * but those that begin with a dot; in any order. If there is no such folder, or
 * the user may not search what is above it, `missing` is told; of one that
 * cannot be read `failed`. */
void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user);

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
