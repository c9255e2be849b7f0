/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/id_list.h"

#include "src/common/array.h"
#include "tools/common/text/files.h"

#include <stdlib.h>
#include <string.h>

/* A network has a handful of programs; a list that names more is none. */
enum { max_ids = 4096 };

/* ---- In memory ----------------------------------------------------------- */

size_t id_list_find(const struct id_list *list, size_t size, const uint8_t *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->sizes[i] == size && memcmp(list->ids[i], id, size) == 0)
            return i;
    return SIZE_MAX;
}

size_t id_list_add(struct id_list *list, size_t size, const uint8_t *id)
{
    const size_t at = id_list_find(list, size, id);
    if (at != SIZE_MAX) return at;
    if (!array_grow(&list->sizes, list->count, sizeof *list->sizes)
            || !array_grow(&list->ids, list->count, sizeof *list->ids))
        return SIZE_MAX;
    uint8_t *copy = malloc(size);
    if (copy == NULL) return SIZE_MAX;
    memcpy(copy, id, size);
    list->sizes[list->count] = size;
    list->ids[list->count] = copy;
    return list->count++;
}

bool id_list_equal(const struct id_list *a, const struct id_list *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (id_list_find(b, a->sizes[i], a->ids[i]) == SIZE_MAX) return false;
    return true;
}

void id_list_fini(struct id_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->ids[i]);
    free(list->ids);
    free(list->sizes);
    *list = (struct id_list){0};
}

/* ---- In a file ----------------------------------------------------------- */

/* For each ID its size, 8 bytes as this machine has them, and its bytes. */

void id_list_read(struct id_list *list, const char *path)
{
    uint64_t size;
    size_t left = 0;
    uint8_t *bytes = files_read(path, &left);
    const uint8_t *at = bytes;
    while (bytes != NULL && left > sizeof size && list->count < max_ids) {
        memcpy(&size, at, sizeof size);
        at += sizeof size;
        left -= sizeof size;
        if (size == 0 || size > left) break;
        if (id_list_add(list, (size_t)size, at) == SIZE_MAX) break;
        at += size;
        left -= (size_t)size;
    }
    free(bytes);
}

void id_list_write(const struct id_list *list, const char *path)
{
    size_t size = 0;
    for (size_t i = 0; i < list->count; i++)
        size += sizeof(uint64_t) + list->sizes[i];
    uint8_t *bytes = malloc(size + 1), *at = bytes;
    if (bytes == NULL) return;
    for (size_t i = 0; i < list->count; i++) {
        const uint64_t head = list->sizes[i];
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, list->ids[i], list->sizes[i]);
        at += sizeof head + list->sizes[i];
    }
    files_write(path, size, bytes);
    free(bytes);
}
