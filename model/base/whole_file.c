/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/whole_file.h"

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls return 0 or an error number. */

static int write_through(const char *path, const void *bytes, size_t size)
{
    int fd;
    int error = file_open(&fd, file_here, path, file_for_writing, 0);
    if (error != 0) return error;
    error = file_write_all(fd, bytes, size);
    /* Some file systems say only at the end that there was no room. */
    const int closing = file_close(fd);
    return error != 0 ? error : closing;
}

/* By a new file in the same folder. */
static int replace(
        const char *path, unsigned mode, const void *bytes, size_t size)
{
    const struct file_part all = {bytes, size};
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1)
                                 : strdup(".");
    int fd;
    if (folder == NULL) return ENOMEM;
    int error = file_open(&fd, file_here, folder, file_must_be_folder, 0);
    free(folder);
    if (error != 0) return error;
    error = file_replace(fd, fd, slash != NULL ? slash + 1 : path, &all, 1,
            mode, false, file_durability_none);
    (void)file_close(fd);
    return error;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    struct file_facts facts;
    int error = file_facts_at(&facts, file_here, path);
    if (error == ENOENT) return replace(path, 0666, bytes, size);
    if (error != 0) return error;
    if (facts.kind != file_is_plain) return write_through(path, bytes, size);
    /* A link stays one: what it leads to is replaced. */
    char *resolved = path_absolute(path);
    if (resolved == NULL) return errno;
    error = replace(resolved, facts.mode & 0777, bytes, size);
    free(resolved);
    return error;
}

bool whole_file_write(const char *path, const void *bytes, size_t size,
        struct failure *failure)
{
    const int error = write_file(path, bytes, size);
    return error == 0
           || fail(failure, "cannot write %s: %s", path, strerror(error));
}
