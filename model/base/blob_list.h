/* SPDX-License-Identifier: Apache-2.0 */
/* blob_list.h: cache blobs in memory by their IDs. One thread at a time. */
#ifndef DNNL_CACHE_MODEL_BASE_BLOB_LIST_H
#define DNNL_CACHE_MODEL_BASE_BLOB_LIST_H

#include "model/base/id_list.h"

/* A zeroed one is empty. Blobs stay where they are until blob_list_fini(). */
struct blob_list {
    struct id_list ids;
    size_t *sizes;
    uint8_t **blobs; /* owned; in the order of the IDs */
};

/* Adds copies, unless the ID is there. False if memory runs out. */
bool blob_list_add(struct blob_list *list, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob);

/* The blob of an ID, which stays the list's; NULL if there is none. */
const uint8_t *blob_list_find(const struct blob_list *list, size_t id_size,
        const uint8_t *id, size_t *size);

/* True if a blob is one of the list's own. */
bool blob_list_owns(const struct blob_list *list, const uint8_t *blob);

void blob_list_fini(struct blob_list *list);

#endif /* DNNL_CACHE_MODEL_BASE_BLOB_LIST_H */
