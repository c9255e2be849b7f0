/* SPDX-License-Identifier: Apache-2.0 */
/* The files that models are in. */
#include "model/onnx/onnx.h"

#include "src/platform/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool onnx_read_file(const char *path, uint8_t **bytes, size_t *size,
        struct failure *failure)
{
    struct file_facts facts;
    int fd;
    int error = file_open_named(&fd, &facts, path);
    if (error != 0)
        return fail(failure, "cannot open %s: %s", path,
                error == EINVAL ? "not a file" : strerror(error));
    uint8_t *read =
            facts.size < SIZE_MAX ? malloc((size_t)facts.size + 1) : NULL;
    if (read == NULL)
        (void)fail_out_of_memory(failure);
    else if ((error = file_read_up_to(size, fd, read, (size_t)facts.size, 0))
             != 0)
        (void)fail(failure, "cannot read %s: %s", path, strerror(error));
    (void)file_close(fd);
    if (read != NULL && error == 0) {
        *bytes = read;
        return true;
    }
    free(read);
    return false;
}

char *onnx_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    return strndup(path, (size_t)(slash - path) + 1);
}
