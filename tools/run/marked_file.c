/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/marked_file.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Folders ------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* The folder `name` of one that is open. Whatever the umask: others read what
 * is in a system's folder. */
static int step(int *fd, int above, const char *name, unsigned flags, bool make,
        unsigned mode)
{
    int error = file_open(fd, above, name, flags, 0);
    if (error != ENOENT || !make) return error;
    error = folder_make(above, name, mode, true);
    return error == 0 || error == EEXIST ? file_open(fd, above, name, flags, 0)
                                         : error;
}

/* As far as there are folders, if reached is not NULL: *reached is the rest. */
static int walk(int *fd, const char *root, const char *path, size_t size,
        bool make, unsigned mode, const char **reached)
{
    /* Not for reading: a folder may not be read, such as /home. */
    const unsigned below = root[0] != '\0' ? file_must_be_folder | file_no_link
                                           : file_must_be_folder;
    const char *const end = path + size;
    char name[file_name_size];
    int error = file_open(fd, file_here, root[0] != '\0' ? root : "/",
            file_must_be_folder, 0);
    while (error == 0) {
        struct file_facts facts;
        const int above = *fd;
        while (path < end && *path == '/')
            path++;
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const size_t length = (size_t)((slash != NULL ? slash : end) - path);
        if (length == 0) break;
        if (length < sizeof name) {
            memcpy(name, path, length);
            name[length] = '\0';
            if (reached != NULL
                    && file_facts_of_link(&facts, above, name) == ENOENT)
                break;
            error = step(fd, above, name, below, make, mode);
        } else {
            error = ENAMETOOLONG;
            *fd = file_none;
        }
        (void)file_close(above);
        path += length;
    }
    if (reached != NULL) *reached = path;
    return error;
}

int marked_file_open(
        int *fd, const char *root, const char *folder, bool make, unsigned mode)
{
    int path;
    int error = walk(&path, root, folder, strlen(folder), make, mode, NULL);
    *fd = file_none;
    if (error == 0)
        error = file_open(
                fd, path, ".", file_for_reading | file_must_be_folder, 0);
    (void)file_close(path);
    return error;
}

int marked_file_open_folder(
        int *fd, const char *root, const char *path, bool make, unsigned mode)
{
    const size_t size = (size_t)(name_of(path) - path);
    return walk(fd, root, path, size, make, mode, NULL);
}

int marked_file_check_writable(const char *root, const char *path)
{
    const char *rest;
    const size_t size = (size_t)(name_of(path) - path);
    int folder;
    int error = walk(&folder, root, path, size, false, 0, &rest);
    if (error == 0 && !folder_may_be_changed(folder, ".")) error = errno;
    (void)file_close(folder);
    return error;
}

/* ---- Reading ------------------------------------------------------------- */

int marked_file_read(
        char **text, size_t *size, const char *root, const char *path)
{
    uint8_t *bytes = NULL;
    int folder;
    int error = marked_file_open_folder(&folder, root, path, false, 0);
    if (error == 0) {
        error = file_read_whole(
                &bytes, size, folder, name_of(path), marked_file_size_max);
        if (error == ELOOP || error == ENXIO) error = EINVAL;
    }
    (void)file_close(folder);
    *text = (char *)bytes;
    return error;
}

int marked_file_read_link(char **target, const char *root, const char *path)
{
    char text[path_size];
    int folder;
    int error = marked_file_open_folder(&folder, root, path, false, 0);
    *target = NULL;
    if (error == 0)
        error = file_link_target(text, sizeof text, folder, name_of(path));
    (void)file_close(folder);
    if (error != 0) return error;
    *target = strdup(text);
    return *target != NULL ? 0 : ENOMEM;
}

/* ---- Writing ------------------------------------------------------------- */

/* One name for each file, which nothing reads: what a process that was killed
 * left is gone with the next one. Writers have a lock. */
static void name_temporary(char temporary[file_name_size], const char *path)
{
    (void)snprintf(temporary, file_name_size, ".%.*s.new", file_name_size - 9,
            name_of(path));
}

void marked_file_clean(const char *root, const char *path)
{
    char temporary[file_name_size];
    int folder;
    if (marked_file_open_folder(&folder, root, path, false, 0) != 0) return;
    name_temporary(temporary, path);
    (void)file_remove(folder, temporary);
    (void)file_close(folder);
}

/* Gives the temporary file its name. Another program's file of this name stays,
 * however late it comes. */
static int publish(
        int folder, const char *temporary, const char *name, bool is_new)
{
    struct file_facts facts;
    int error = file_rename(folder, temporary, folder, name, !is_new);
    if (error == 0 || !is_new || error == EEXIST) return error;
    if (file_facts_of_link(&facts, folder, name) == 0) return EEXIST;
    /* A file system that can neither refuse to replace nor link. */
    return file_rename(folder, temporary, folder, name, true);
}

static int write_temporary(int folder, const char *temporary, unsigned mode,
        const char *text, size_t size)
{
    int fd;
    int error = file_open(&fd, folder, temporary,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            0600);
    if (error != 0) return error;
    error = file_write_all(fd, text, size);
    if (error == 0) error = file_set_mode(fd, mode);
    /* Sessions start from it: no torn file after a power failure. */
    if (error == 0) error = file_sync(fd);
    const int closing = file_close(fd);
    return error != 0 ? error : closing;
}

int marked_file_write(const char *root, const char *path, unsigned mode,
        const char *text, size_t size, bool is_new)
{
    char temporary[file_name_size];
    int folder;
    int error = marked_file_open_folder(
            &folder, root, path, true, mode == 0600 ? 0700 : 0755);
    if (error != 0) return error;
    name_temporary(temporary, path);
    (void)file_remove(folder, temporary);
    error = write_temporary(folder, temporary, mode, text, size);
    if (error == 0) error = publish(folder, temporary, name_of(path), is_new);
    if (error != 0) (void)file_remove(folder, temporary);
    (void)file_close(folder);
    return error;
}

int marked_file_link(const char *root, const char *path, const char *target)
{
    int folder;
    int error = marked_file_open_folder(&folder, root, path, true, 0755);
    if (error == 0) error = file_make_link(folder, name_of(path), target);
    (void)file_close(folder);
    return error;
}

int marked_file_remove(const char *root, const char *path)
{
    int folder;
    int error = marked_file_open_folder(&folder, root, path, false, 0);
    if (error == 0) error = file_remove(folder, name_of(path));
    (void)file_close(folder);
    return error;
}
