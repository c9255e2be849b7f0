/* SPDX-License-Identifier: Apache-2.0 */
/* named_files.h: two lists of files with digests, and in which files they
 * differ. */
#ifndef DNNL_CACHE_TOOLS_VIEW_NAMED_FILES_H
#define DNNL_CACHE_TOOLS_VIEW_NAMED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named_file {
    const char *name;
    size_t digest_size;
    const uint8_t *digest; /* or whatever tells its content */
};

struct named_files {
    struct named_file *items; /* owned, but for what they point to */
    size_t count;
};

/* False: no memory. */
bool named_files_add(struct named_files *files, const struct named_file *file);
void named_files_fini(struct named_files *files);

/* Calls visit for each file that has other content in the other list, or that
 * is not there (NULL); of several of one name the first with the first. Those
 * of a come first, in its order. */
void named_files_compare(const struct named_files *a,
        const struct named_files *b,
        void (*visit)(void *user, const struct named_file *a,
                const struct named_file *b),
        void *user);

#endif /* DNNL_CACHE_TOOLS_VIEW_NAMED_FILES_H */
