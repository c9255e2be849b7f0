/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/blob_list.h"

#include "src/common/array.h"
#include "src/platform/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- In memory ----------------------------------------------------------- */

bool blob_list_add(struct blob_list *list, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob)
{
    if (id_list_find(&list->ids, id_size, id) != SIZE_MAX) return true;
    const size_t count = list->ids.count;
    if (!array_grow(&list->sizes, count, sizeof *list->sizes)
            || !array_grow(&list->blobs, count, sizeof *list->blobs))
        return false;
    uint8_t *copy = malloc(size);
    if (copy == NULL) return false;
    memcpy(copy, blob, size);
    const size_t at = id_list_add(&list->ids, id_size, id);
    if (at == SIZE_MAX) {
        free(copy);
        return false;
    }
    list->sizes[at] = size;
    list->blobs[at] = copy;
    return true;
}

const uint8_t *blob_list_find(const struct blob_list *list, size_t id_size,
        const uint8_t *id, size_t *size)
{
    const size_t at = id_list_find(&list->ids, id_size, id);
    if (at == SIZE_MAX) return NULL;
    *size = list->sizes[at];
    return list->blobs[at];
}

bool blob_list_owns(const struct blob_list *list, const uint8_t *blob)
{
    for (size_t i = 0; i < list->ids.count; i++)
        if (list->blobs[i] == blob) return true;
    return false;
}

void blob_list_fini(struct blob_list *list)
{
    for (size_t i = 0; i < list->ids.count; i++)
        free(list->blobs[i]);
    free(list->blobs);
    free(list->sizes);
    id_list_fini(&list->ids);
    *list = (struct blob_list){0};
}

/* ---- Through a pipe ------------------------------------------------------ */

/* More than any blob: a length beyond it is none. */
#define MOST_BYTES (UINT64_C(1) << 32)

bool blob_pipe_write(int fd, const void *bytes, size_t size)
{
    return file_write_all(fd, bytes, size) == 0;
}

bool blob_pipe_read(int fd, void *bytes, size_t size)
{
    return file_read_all(fd, bytes, size) == 0;
}

bool blob_list_write(const struct blob_list *list, int fd)
{
    const uint64_t count = list->ids.count;
    bool ok = blob_pipe_write(fd, &count, sizeof count);
    for (size_t i = 0; ok && i < list->ids.count; i++) {
        const uint64_t sizes[] = {list->ids.sizes[i], list->sizes[i]};
        ok = blob_pipe_write(fd, sizes, sizeof sizes)
             && blob_pipe_write(fd, list->ids.ids[i], list->ids.sizes[i])
             && blob_pipe_write(fd, list->blobs[i], list->sizes[i]);
    }
    return ok;
}

static bool read_one(struct blob_list *list, int fd)
{
    uint64_t sizes[2];
    if (!blob_pipe_read(fd, sizes, sizeof sizes) || sizes[0] == 0
            || sizes[0] > MOST_BYTES || sizes[1] == 0 || sizes[1] > MOST_BYTES)
        return false;
    uint8_t *id = malloc((size_t)sizes[0]);
    uint8_t *blob = malloc((size_t)sizes[1]);
    const bool ok = id != NULL && blob != NULL
                    && blob_pipe_read(fd, id, (size_t)sizes[0])
                    && blob_pipe_read(fd, blob, (size_t)sizes[1])
                    && blob_list_add(
                            list, (size_t)sizes[0], id, (size_t)sizes[1], blob);
    free(id);
    free(blob);
    return ok;
}

bool blob_list_read(struct blob_list *list, int fd)
{
    uint64_t count;
    bool ok = blob_pipe_read(fd, &count, sizeof count);
    for (uint64_t i = 0; ok && i < count; i++)
        ok = read_one(list, fd);
    return ok;
}
