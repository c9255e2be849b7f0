/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What build options say about files: the folders of -I and its like, the files
 * of -include. Drivers split options in different ways (at blanks alone, at
 * those between no quotes, which PoCL then makes spaces, with backslashes). If
 * that makes a difference, the paths of all ways are here and `doubt` is set.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_PATHS_H
#define DNNL_CACHE_INCLUDES_INCLUDE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct path_entry;

struct path_list {
    size_t count;
    char **list;
    struct path_entry *entries; /* a hash table; their paths are the list's */
};

/* Adds a path unless it is there; false: no memory. */
bool path_list_add(struct path_list *paths, const char *path);
/* A zeroed one is fine. */
void path_list_fini(struct path_list *paths);

struct include_paths {
    struct path_list folders; /* in order, each once */
    struct path_list files;   /* of -include, in order, each once */
    /* The order of the folders, or which of them count, is not certain. */
    bool doubt;
    bool lacks_memory; /* which is why they could not be read */
};

/* Reads options (NULL: none). False: they may read files in a way that cannot
 * be followed, or look for them elsewhere, or memory ran out, and *reason, of
 * reason_size bytes, says so; *paths is empty then, but for lacks_memory. */
bool include_paths_init(struct include_paths *paths, const char *options,
        size_t reason_size, char *reason);

/* A zeroed one is fine. */
void include_paths_fini(struct include_paths *paths);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_PATHS_H */
