/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marked_file.h: small files below a root folder, which are written and removed
 * as a whole, and only if they are this program's.
 *
 * A path is absolute, and is looked for below the root, "" for the system's
 * own. Below another root no link is followed: it would lead out of an image.
 * Functions return 0 or an errno value.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_MARKED_FILE_H
#define DNNL_CACHE_TOOLS_RUN_MARKED_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { marked_file_size_max = 65536 };

/* The first bytes of a file that dnnl-cache-run wrote. */
#define MARKED_FILE_MARK "# Written by dnnl-cache-run --enable"

/* The folder of a path, which is made with what is above it if make is true.
 * The caller closes *fd, file_none if it fails. */
int marked_file_open_folder(
        int *fd, const char *root, const char *path, bool make, unsigned mode);
/* The same of a folder's own path. */
int marked_file_open(int *fd, const char *root, const char *folder, bool make,
        unsigned mode);

/* Why nothing can be written to the path's folder, or cannot be made there. */
int marked_file_check_writable(const char *root, const char *path);

/* A regular file's text with a NUL behind it, which the caller frees; NULL if
 * it fails. EFBIG for a large one, EINVAL for what is no file. */
int marked_file_read(
        char **text, size_t *size, const char *root, const char *path);
/* A link's target, likewise. */
int marked_file_read_link(char **target, const char *root, const char *path);

/* Removes what a process that was killed while it wrote the file has left. */
void marked_file_clean(const char *root, const char *path);

/* Replaces a file, or makes it; one process at a time. is_new: EEXIST if there
 * is one. If it fails all is as it was. */
int marked_file_write(const char *root, const char *path, unsigned mode,
        const char *text, size_t size, bool is_new);
int marked_file_link(const char *root, const char *path, const char *target);
int marked_file_remove(const char *root, const char *path);

#endif /* DNNL_CACHE_TOOLS_RUN_MARKED_FILE_H */
