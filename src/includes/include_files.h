/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files met while includes are followed: each place is looked at once, each
 * file read once, by whatever path it is reached. One thread at a time.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_FILES_H
#define DNNL_CACHE_INCLUDES_INCLUDE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* An index for a place where no file is. */
#define INCLUDE_NO_FILE ((size_t)-1)

enum {
    include_max_files = 4096,
    include_max_bytes = 64 << 20, /* of all files */
    include_max_places = 1 << 16  /* paths looked at */
};

struct include_file {
    const char *path;   /* how it was reached first */
    size_t folder_size; /* of the path up to the last slash, which counts */
    size_t name_at;     /* in the path: as an include spells it begins there */
    char *text;         /* NULL once it was dropped */
    size_t size;
    uint64_t device;
    uint64_t number;
    uint64_t modified_ns; /* as they were before it was read */
    uint64_t changed_ns;
    size_t first_alias; /* the first file that is the same by another folder,
                    else its own index: compilers read what has #pragma once
                    once */
};

struct include_place {
    UT_hash_handle hh;
    size_t file;
    const char *path; /* behind it */
};

/* All zero is a good one. */
struct include_files {
    struct include_file *list;
    size_t count;
    size_t bytes;
    struct include_place *places; /* a hash table, by path */
    struct include_known
            *known;    /* another one, of the files, by what they are */
    bool lacks_memory; /* and something was refused for that */
};

/* What is at a path: *index is that of a file, read if it is new (then it is
 * the last), or INCLUDE_NO_FILE. False if that cannot be told: something else
 * is there, it cannot be read, a limit is reached, or memory ran out; *reason,
 * of reason_size bytes, says which. Never waits for another process. */
bool include_files_find(struct include_files *files, const char *path,
        size_t *index, size_t reason_size, char *reason);

/* Gives back a file's text; the file itself stays known. */
void include_files_drop_text(struct include_files *files, size_t index);

/* BLAKE2b-256 of what a file holds now; false: it cannot be read. */
bool include_files_digest(const struct include_file *file, uint8_t digest[32]);

void include_files_fini(struct include_files *files);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_FILES_H */
