/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list is
 *
 *     16  magic, whose last byte is the version
 *      4  number of IDs
 *         for each, in ascending order: 4 bytes, how many of its first bytes
 *         are those of the ID before; 4 bytes, how many follow; these
 *     16  XXH3-128 of all before
 *
 * in little-endian order. IDs of one device have kilobytes in common.
 */
#include "stores/working_set/working_set_list.h"

#include "src/common/byte_order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { magic_size = 16, head_size = magic_size + 4, sum_size = 16 };

static const char list_magic[magic_size + 1] = "dnnl-cache wset\1";
static const char id_magic[] = "dnnl-cache working set";

/* ---- The list's ID ------------------------------------------------------- */

uint8_t *working_set_list_id(size_t *size, const char *application,
        size_t device_id_size, const uint8_t *device_id)
{
    /* Each with its NUL, so that no name and device make another's. */
    const size_t name_size = strlen(application) + 1;
    uint8_t *id = malloc(sizeof id_magic + name_size + device_id_size);
    if (id == NULL) return NULL;
    memcpy(id, id_magic, sizeof id_magic);
    memcpy(id + sizeof id_magic, application, name_size);
    *size = sizeof id_magic + name_size;
    if (device_id_size > 0) memcpy(id + *size, device_id, device_id_size);
    *size += device_id_size;
    return id;
}

bool dnnl_cache_store_working_set_is_list(size_t id_size, const uint8_t *id)
{
    return id_size > sizeof id_magic
           && memcmp(id, id_magic, sizeof id_magic) == 0;
}

/* ---- Writing ------------------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
    const struct working_set_id *a = left;
    const struct working_set_id *b = right;
    const size_t size = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->bytes, b->bytes, size);
    if (order != 0) return order;
    return a->size < b->size ? -1 : a->size > b->size;
}

static size_t common_size(
        const struct working_set_id *a, const struct working_set_id *b)
{
    size_t size = 0;
    while (size < a->size && size < b->size && a->bytes[size] == b->bytes[size])
        size++;
    return size;
}

static void put_sum(uint8_t *at, const uint8_t *bytes, size_t size)
{
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, size));
    memcpy(at, sum.digest, sum_size);
}

uint8_t *working_set_list_write(
        size_t *size, size_t count, struct working_set_id *ids)
{
    static const struct working_set_id none = {0, NULL};
    size_t most = head_size + sum_size;
    for (size_t i = 0; i < count; i++)
        most += 8 + ids[i].size;
    uint8_t *list = malloc(most);
    if (list == NULL) return NULL;
    if (count > 1) qsort(ids, count, sizeof *ids, compare_ids);
    memcpy(list, list_magic, magic_size);
    store_le32(list + magic_size, (uint32_t)count);
    uint8_t *at = list + head_size;
    for (size_t i = 0; i < count; i++) {
        const size_t same = common_size(i > 0 ? &ids[i - 1] : &none, &ids[i]);
        const size_t rest = ids[i].size - same;
        store_le32(at, (uint32_t)same);
        store_le32(at + 4, (uint32_t)rest);
        memcpy(at + 8, ids[i].bytes + same, rest);
        at += 8 + rest;
    }
    put_sum(at, list, (size_t)(at - list));
    *size = (size_t)(at - list) + sum_size;
    return list;
}

/* ---- Reading ------------------------------------------------------------- */

static dnnl_status_t check_frame(size_t size, const uint8_t *list)
{
    uint8_t sum[sum_size];
    if (size < head_size + sum_size
            || memcmp(list, list_magic, magic_size - 1) != 0)
        return dnnl_cache_blob_corrupt;
    if (list[magic_size - 1] != (uint8_t)list_magic[magic_size - 1])
        return dnnl_cache_blob_unsupported;
    put_sum(sum, list, size - sum_size);
    return memcmp(sum, list + size - sum_size, sum_size) == 0
                   ? dnnl_success
                   : dnnl_cache_blob_corrupt;
}

dnnl_status_t dnnl_cache_store_working_set_read_list(size_t size,
        const uint8_t *list,
        void (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user)
{
    dnnl_status_t st = check_frame(size, list);
    if (st != dnnl_success) return st;
    const uint32_t count = load_le32(list + magic_size);
    const uint8_t *at = list + head_size;
    size_t left = size - head_size - sum_size;
    size_t before = 0; /* bytes of the ID before */
    size_t all = 0;    /* bytes that the list stands for */
    if (count > working_set_most_ids) return dnnl_cache_blob_corrupt;
    uint8_t *id = malloc(working_set_most_id_bytes);
    if (id == NULL) return dnnl_out_of_memory;
    for (uint32_t i = 0; i < count && st == dnnl_success; i++) {
        const size_t same = left < 8 ? SIZE_MAX : load_le32(at);
        const size_t rest = left < 8 ? 0 : load_le32(at + 4);
        /* Each ID is greater than the one before it. */
        if (same > before || rest == 0 || rest > left - 8
                || rest > working_set_most_id_bytes - same
                || (same < before && at[8] <= id[same])) {
            st = dnnl_cache_blob_corrupt;
            break;
        }
        memcpy(id + same, at + 8, rest);
        at += 8 + rest;
        left -= 8 + rest;
        before = same + rest;
        all += before;
        /* A short list may stand for very long IDs. */
        if (all > working_set_most_bytes) {
            st = dnnl_cache_blob_corrupt;
            break;
        }
        visit(user, before, id);
    }
    if (st == dnnl_success && left != 0) st = dnnl_cache_blob_corrupt;
    free(id);
    return st;
}
