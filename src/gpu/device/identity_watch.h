/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the files that are in the identities of this process are as they were
 * when the identities were established.
 *
 * A driver's compiler reads some of its files at each build, and may be updated
 * while the process runs. What it makes then belongs to another identity than
 * the one that the process has. So before something that was compiled here is
 * given to others, the files are looked at again, after the compilation: if
 * they are unchanged then, they were while it ran.
 */
#ifndef DNNL_CACHE_GPU_IDENTITY_WATCH_H
#define DNNL_CACHE_GPU_IDENTITY_WATCH_H

#include "src/common/hash.h"
#include "src/platform/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one driver's identity was made of; a zeroed one is empty. One thread at
 * a time. */
struct identity_watch {
    struct watched *list;
    size_t count;
    bool failed; /* memory ran out */
};

/* The names of a folder that count: those that begin with prefix, in any order.
 * A zeroed one has none. */
struct folder_names {
    uint64_t sum;
    size_t count;
};
void folder_names_add(struct folder_names *names, const char *name);
/* Those of a list, with a NUL each, that begin with the prefix and not with a
 * dot. */
void folder_names_add_all(struct folder_names *names, const char *list,
        size_t size, const char *prefix);

/* Adds a file by its path, with what file_facts_settled() said before the file
 * was read. A path that does not begin with '/' is not found again after
 * chdir(): the file counts as changed then. */
void identity_watch_add_file(struct identity_watch *watch, const char *path,
        const struct file_facts *facts);
/* The facts of a file that was added by this path, if one was. */
bool identity_watch_find_file(struct file_facts *facts,
        const struct identity_watch *watch, const char *path);
/* Adds a name that leads to no file. */
void identity_watch_add_absent(struct identity_watch *watch, const char *path);
/* Adds a folder in which names were searched, with its settled facts of
 * before.
 */
void identity_watch_add_folder(struct identity_watch *watch, const char *path,
        const char *prefix, const struct file_facts *facts,
        const struct folder_names *names);

/* What was added for one identity in use; lives until the process ends. */
struct identity_files;

/* The identity, one of that driver's, is in use from now on: takes over what
 * was added. The key, not NULL, tells drivers apart and is not looked at: a
 * cl_platform_id. NULL: memory ran out, and nothing was taken. */
struct identity_files *identity_watch_begin(
        struct identity_watch *watch, const void *key);
void identity_watch_fini(struct identity_watch *watch);

/* A digest of them: another one for files that were replaced or written to
 * since, whatever they hold, and for places and folders that names came to or
 * left. The same in each process, and after a restart of the system. The first
 * call looks at the places, and few processes need that. */
struct digest256 identity_files_stamp(struct identity_files *files);

/* Looks at the files of the driver's identities in use; of all drivers if the
 * key is NULL. Returns the path of one that has changed, is missing, or is new;
 * NULL: none. The first one that is found is returned for ever, and a warning
 * is logged once a driver. Any thread, with no lock held. */
const char *identity_changed_file(const void *key);

/* The same, without a look. */
const char *identity_known_changed_file(const void *key);

#endif /* DNNL_CACHE_GPU_IDENTITY_WATCH_H */
