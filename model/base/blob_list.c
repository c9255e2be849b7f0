/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/blob_list.h"

#include "src/common/array.h"

#include <stdlib.h>
#include <string.h>

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
