/* SPDX-License-Identifier: Apache-2.0 */
/* The files that models are in. */
#include "model/onnx/onnx.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_stream(FILE *file, const char *path, uint8_t **bytes,
        size_t *size, struct failure *failure)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || end == LONG_MAX || fseek(file, 0, SEEK_SET) != 0)
        return fail(failure, "cannot read %s: not a file", path);
    uint8_t *read = malloc((size_t)end + 1);
    if (read == NULL) return fail_out_of_memory(failure);
    *size = fread(read, 1, (size_t)end, file);
    if (ferror(file) != 0) {
        free(read);
        return fail(failure, "cannot read %s: %s", path, strerror(errno));
    }
    *bytes = read;
    return true;
}

/* Without waiting for whoever writes to a pipe. NULL, with errno: it cannot be
 * opened, or is no file. */
static FILE *open_file(const char *path)
{
    struct stat facts = {0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        (void)close(fd);
        errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    return fdopen(fd, "rb");
}

bool onnx_read_file(const char *path, uint8_t **bytes, size_t *size,
        struct failure *failure)
{
    FILE *file = open_file(path);
    if (file == NULL)
        return fail(failure, "cannot open %s: %s", path,
                errno == EINVAL ? "not a file" : strerror(errno));
    bool ok = read_stream(file, path, bytes, size, failure);
    (void)fclose(file);
    return ok;
}

char *onnx_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    return strndup(path, (size_t)(slash - path) + 1);
}
