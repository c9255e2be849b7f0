/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include "failure.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bytes_resize(struct bytes *bytes, size_t size)
{
    free(bytes->data);
    bytes->size = 0;
    bytes->data = malloc(size > 0 ? size : 1);
    if (bytes->data == NULL) {
        failure_set("no memory for %zu bytes", size);
        return false;
    }
    bytes->size = size;
    return true;
}

bool bytes_copy(struct bytes *bytes, const void *data, size_t size)
{
    if (!bytes_resize(bytes, size)) return false;
    memcpy(bytes->data, data, size);
    return true;
}

void bytes_fini(struct bytes *bytes)
{
    free(bytes->data);
    bytes->data = NULL;
    bytes->size = 0;
}

static FILE *file_open(const char *dir, const char *name, const char *mode)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, mode);
    if (file == NULL) failure_set("%s cannot be opened", path);
    return file;
}

bool bytes_read(struct bytes *bytes, const char *dir, const char *name)
{
    struct stat status;
    FILE *file = file_open(dir, name, "rb");
    if (file == NULL) return false;
    bool done = fstat(fileno(file), &status) == 0
                && bytes_resize(bytes, (size_t)status.st_size)
                && fread(bytes->data, 1, bytes->size, file) == bytes->size;
    fclose(file);
    if (!done) failure_set("%s cannot be read", name);
    return done;
}

bool bytes_write(
        const void *data, size_t size, const char *dir, const char *name)
{
    FILE *file = file_open(dir, name, "wb");
    if (file == NULL) return false;
    bool done = fwrite(data, 1, size, file) == size;
    done = fclose(file) == 0 && done;
    if (!done) failure_set("%s cannot be written", name);
    return done;
}
