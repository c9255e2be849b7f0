/* SPDX-License-Identifier: Apache-2.0 */
/* working_set_list.h: the bytes of a list of IDs, and the ID of the list. */
#ifndef DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_LIST_H
#define DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_LIST_H

#include "dnnl_cache/working_set.h"

/* A list that names more is damaged. */
enum {
    working_set_most_ids = 4096,
    working_set_most_id_bytes = 1 << 20,
    working_set_most_bytes = 1 << 26 /* of all IDs, written out */
};

/* An ID of a list to write. */
struct working_set_id {
    size_t size;
    const uint8_t *bytes;
};

/* The list's own ID, from malloc; NULL: out of memory. */
uint8_t *working_set_list_id(size_t *size, const char *application,
        size_t device_id_size, const uint8_t *device_id);

/* The list's bytes, from malloc; NULL: out of memory. The IDs are put into the
 * order in which they are written. */
uint8_t *working_set_list_write(
        size_t *size, size_t count, struct working_set_id *ids);

#endif /* DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_LIST_H */
