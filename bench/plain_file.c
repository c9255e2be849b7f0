/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool plain_file_write(const char *path, const uint8_t *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool done = write(fd, bytes, size) == (ssize_t)size;
    return close(fd) == 0 && done;
}

uint8_t *plain_file_read(const char *path, size_t size)
{
    uint8_t *bytes = malloc(size);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool done =
            bytes != NULL && fd >= 0 && read(fd, bytes, size) == (ssize_t)size;
    if (fd >= 0) close(fd);
    if (done) return bytes;
    free(bytes);
    return NULL;
}
