/* SPDX-License-Identifier: Apache-2.0 */
/* id_list.h: cache blob IDs, each once, in memory and in a file. One thread at
 * a time. */
#ifndef DNNL_CACHE_MODEL_BASE_ID_LIST_H
#define DNNL_CACHE_MODEL_BASE_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct id_list {
    size_t count;
    size_t *sizes;
    uint8_t **ids; /* owned */
};

/* Adds a copy unless it is there. Returns its place, or SIZE_MAX if memory
 * runs out. */
size_t id_list_add(struct id_list *list, size_t size, const uint8_t *id);

/* Its place, SIZE_MAX if it is not there. */
size_t id_list_find(const struct id_list *list, size_t size, const uint8_t *id);

/* True if both have the same IDs, in any order. */
bool id_list_equal(const struct id_list *a, const struct id_list *b);

/* Adds what a file has, as far as it is whole: a missing file has nothing.
 * Nothing in it is trusted; what is no ID will be found nowhere. */
void id_list_read(struct id_list *list, const char *path);

/* Replaces a file as a whole. What does not work is a warning: the next start
 * is slower. */
void id_list_write(const struct id_list *list, const char *path);

void id_list_fini(struct id_list *list);

#endif /* DNNL_CACHE_MODEL_BASE_ID_LIST_H */
