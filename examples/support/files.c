/* SPDX-License-Identifier: Apache-2.0 */
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void files_warn(const char *path, const char *what)
{
    fprintf(stderr, "%s: warning: %s %s\n", program_invocation_short_name, path,
            what);
}

static void warn(const char *what, const char *path)
{
    fprintf(stderr, "%s: warning: cannot %s %s: %s\n",
            program_invocation_short_name, what, path, strerror(errno));
}

/* All of an open file, or NULL after a warning; errno is not changed by
 * success. */
static uint8_t *read_open_file(FILE *file, const char *path, size_t *size)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0) {
        warn("read", path);
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        files_warn(path, "is a folder");
        errno = EISDIR;
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        files_warn(path, "is no regular file");
        errno = EINVAL;
        return NULL;
    }
    if (status.st_size == 0) {
        files_warn(path, "is empty");
        errno = ENODATA;
        return NULL;
    }
    uint8_t *bytes = malloc((size_t)status.st_size);
    /* Shorter than it was a moment ago is no different from damaged. */
    if (bytes != NULL)
        *size = fread(bytes, 1, (size_t)status.st_size, file);
    else
        warn("read", path);
    return bytes;
}

uint8_t *files_read(const char *path, size_t *size)
{
    /* Do not wait for a pipe without a writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (file == NULL) {
        const int error = errno;
        if (error != ENOENT) warn("open", path);
        if (fd >= 0) close(fd);
        errno = error;
        return NULL;
    }
    uint8_t *bytes = read_open_file(file, path, size);
    const int error = errno;
    fclose(file);
    errno = error;
    return bytes;
}

/* Makes what is missing of the folders above a path; false after a warning. */
static bool make_folders_of(const char *path)
{
    char folder[files_path_size];
    for (const char *end = strchr(path + 1, '/'); end != NULL;
            end = strchr(end + 1, '/')) {
        const size_t length = (size_t)(end - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
        if (mkdir(folder, 0700) == 0 || errno == EEXIST) continue;
        warn("make folder", folder);
        return false;
    }
    return true;
}

void files_write(const char *path, size_t size, const uint8_t *bytes)
{
    char temporary[files_path_size];
    if (path[0] == '\0') return;
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        errno = ENAMETOOLONG;
        warn("write", path);
        return;
    }
    if (!make_folders_of(path)) return;
    const int fd = mkstemp(temporary); /* for this user only */
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL) {
        warn("make a file beside", path);
        if (fd >= 0) {
            close(fd);
            unlink(temporary);
        }
        return;
    }
    /* Not synced: what a power failure tears is noticed when it is read. */
    bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) != 0) written = false;
    if (written && rename(temporary, path) == 0) return;
    warn("write", path);
    unlink(temporary);
}
