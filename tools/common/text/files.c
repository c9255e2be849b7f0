/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/files.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/common/text/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_warning(const char *what, const char *path, int error)
{
    fprintf(stderr, "%s: warning: cannot %s %s: %s\n", process_program_name(),
            what, path, strerror(error));
}

/* 0, or an errno value after a warning. */
static int check_file(const struct file_facts *facts, const char *path)
{
    const char *what = facts->kind == file_is_folder  ? "is a folder"
                       : facts->kind != file_is_plain ? "is no regular file"
                       : facts->size == 0             ? "is empty"
                                                      : NULL;
    if (what == NULL) return 0;
    message_warn(path, what);
    return facts->kind == file_is_folder  ? EISDIR
           : facts->kind != file_is_plain ? EINVAL
                                          : ENODATA;
}

/* All of an open file. 0, or an errno value after a warning. */
static int read_open_file(
        uint8_t **bytes, size_t *size, int fd, const char *path)
{
    struct file_facts facts;
    int error = file_facts(&facts, fd);
    if (error != 0) {
        give_warning("read", path, error);
        return error;
    }
    error = check_file(&facts, path);
    if (error != 0) return error;
    uint8_t *read = malloc((size_t)facts.size);
    /* Shorter than it was a moment ago is no different from damaged. */
    error = read != NULL
                    ? file_read_up_to(size, fd, read, (size_t)facts.size, 0)
                    : ENOMEM;
    if (error == 0) {
        *bytes = read;
        return 0;
    }
    give_warning("read", path, error);
    free(read);
    return error;
}

uint8_t *files_read(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    int fd;
    /* Do not wait for a pipe without a writer. */
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0 && error != ENOENT) give_warning("open", path, error);
    if (error == 0) error = read_open_file(&bytes, size, fd, path);
    (void)file_close(fd);
    if (error != 0) errno = error;
    return bytes;
}

/* Replaced as a whole, in its folder. Not synced: what a power failure tears is
 * noticed when it is read. 0 or an errno value. */
static int replace(const char *path, size_t size, const uint8_t *bytes)
{
    const struct file_part all = {bytes, size};
    char folder[files_path_size];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    int fd;
    const int length = slash != NULL ? snprintf(folder, sizeof folder, "%.*s",
                               (int)(name - path), path)
                                     : snprintf(folder, sizeof folder, ".");
    if (length < 0 || (size_t)length >= sizeof folder) return ENAMETOOLONG;
    int error = file_open(&fd, file_here, folder, file_must_be_folder, 0);
    if (error != 0) return error;
    error = file_replace(
            fd, fd, name, &all, 1, 0600, false, file_durability_none);
    (void)file_close(fd);
    return error;
}

void files_write(const char *path, size_t size, const uint8_t *bytes)
{
    size_t length;
    if (path[0] == '\0') return;
    int error = folder_make_above(path, 0700, &length);
    if (error != 0) {
        char folder[files_path_size];
        (void)snprintf(folder, sizeof folder, "%.*s", (int)length, path);
        give_warning("make folder", folder, error);
        return;
    }
    error = replace(path, size, bytes);
    if (error != 0) give_warning("write", path, error);
}
