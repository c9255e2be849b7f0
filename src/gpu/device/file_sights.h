/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_sights.h: what a search of a driver's files has seen: which paths lead
 * to nothing, what folders are there, and which names small folders have. Each
 * path is looked up once, so that all parts of a search have the same answer.
 */
#ifndef DNNL_CACHE_GPU_FILE_SIGHTS_H
#define DNNL_CACHE_GPU_FILE_SIGHTS_H

#include "src/platform/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { file_sights_lists = 256 };

/* A zeroed one is empty. For one search, of one thread. */
struct file_sights {
    struct file_sight *sights[file_sights_lists];      /* owned, by path */
    struct file_names_sight *names[file_sights_lists]; /* the same */
    uint64_t device; /* of the last folder, and whether its names tell all */
    bool device_is_known;
    bool device_tells_all;
};

void file_sights_fini(struct file_sights *sights);

/* What a path leads to: all 0 of one that leads to nothing. NULL: it was not
 * looked up yet, or memory ran out. Until the sights end. */
const struct file_facts *file_sights_find(
        const struct file_sights *sights, const char *path);

/* Notes what it leads to; NULL: nothing. EEXIST: that is known already. */
int file_sights_note(struct file_sights *sights, const char *path,
        const struct file_facts *facts);

/* Many names will be looked for in a folder that has these facts: the names of
 * a small one are read, which takes fewer calls of the system than to look each
 * of them up. */
void file_sights_expect_many(struct file_sights *sights, const char *folder,
        const struct file_facts *facts);

/* Is it known, without a look-up, that the path leads to nothing? */
bool file_sights_lack(const struct file_sights *sights, const char *path);

#endif /* DNNL_CACHE_GPU_FILE_SIGHTS_H */
