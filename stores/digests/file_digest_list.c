/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/digests/file_digest_list.h"

#include "src/common/array.h"
#include "src/common/byte_order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    magic_size = 16,
    head_size = magic_size + 8 + 4,
    sum_size = 16,
    digest_size = DNNL_CACHE_FILE_DIGEST_SIZE
};

static const char magic[magic_size + 1] = "dnnl-cache fdig\1";

static void item_fini(struct file_digest *item)
{
    free(item->key);
}

void file_digest_list_fini(struct file_digest_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        item_fini(&list->items[i]);
    free(list->items);
    *list = (struct file_digest_list){.items = NULL};
}

struct file_digest *file_digest_list_find(const struct file_digest_list *list,
        size_t key_size, const uint8_t *key)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].key_size == key_size
                && memcmp(list->items[i].key, key, key_size) == 0)
            return &list->items[i];
    return NULL;
}

void file_digest_list_remove(
        struct file_digest_list *list, const struct file_digest *item)
{
    const size_t at = (size_t)(item - list->items);
    item_fini(&list->items[at]);
    list->count--;
    memmove(&list->items[at], &list->items[at + 1],
            (list->count - at) * sizeof *list->items);
}

/* The key is not there. */
static bool append(struct file_digest_list *list, size_t key_size,
        const uint8_t *key, const uint8_t *digest)
{
    uint8_t *copy = array_grow(&list->items, list->count, sizeof *list->items)
                            ? malloc(key_size)
                            : NULL;
    if (copy == NULL) return false;
    memcpy(copy, key, key_size);
    struct file_digest *item = &list->items[list->count++];
    *item = (struct file_digest){.key_size = key_size, .key = copy};
    memcpy(item->digest, digest, digest_size);
    return true;
}

static bool is_key_size(size_t size)
{
    return size > 0 && size <= file_digest_most_key_size;
}

bool file_digest_list_put(struct file_digest_list *list, size_t key_size,
        const uint8_t *key, const uint8_t *digest)
{
    if (!is_key_size(key_size)) return false;
    const struct file_digest *old = file_digest_list_find(list, key_size, key);
    if (old != NULL) file_digest_list_remove(list, old);
    return append(list, key_size, key, digest);
}

/* ---- What is worth being kept -------------------------------------------- */

/* Of the beginning of a key, which names the boot. */
static size_t boot_size(const struct file_digest *item)
{
    const uint8_t *end = memchr(item->key, ' ', item->key_size);
    return end != NULL ? (size_t)(end - item->key) : item->key_size;
}

static bool is_of_boot(
        const struct file_digest *item, const struct file_digest *other)
{
    const size_t size = boot_size(item);
    return size == boot_size(other) && memcmp(item->key, other->key, size) == 0;
}

static size_t size_of(const struct file_digest *item)
{
    return 4 + item->key_size + digest_size;
}

void file_digest_list_trim(struct file_digest_list *list)
{
    size_t size = head_size + sum_size;
    size_t kept = 0;
    if (list->count == 0) return;
    /* The newest first: they are kept. */
    const struct file_digest last = list->items[list->count - 1];
    for (size_t i = list->count; i-- > 0;) {
        struct file_digest *item = &list->items[i];
        const size_t more = size_of(item);
        if (is_of_boot(item, &last) && kept < file_digest_most
                && more <= file_digest_most_file_size - size) {
            size += more;
            kept++;
        } else {
            item_fini(item);
            item->key = NULL;
        }
    }
    kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].key != NULL) list->items[kept++] = list->items[i];
    list->count = kept;
}

/* ---- Bytes --------------------------------------------------------------- */

static void put_sum(uint8_t *at, const uint8_t *bytes, size_t size)
{
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, size));
    memcpy(at, sum.digest, sum_size);
}

/* Magic and checksum. */
static bool is_whole(size_t size, const uint8_t *bytes)
{
    uint8_t sum[sum_size];
    if (size < head_size + sum_size || size > file_digest_most_file_size
            || memcmp(bytes, magic, magic_size) != 0)
        return false;
    put_sum(sum, bytes, size - sum_size);
    return memcmp(sum, bytes + size - sum_size, sum_size) == 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct file_digest *const *a = left;
    const struct file_digest *const *b = right;
    if ((*a)->key_size != (*b)->key_size)
        return (*a)->key_size < (*b)->key_size ? -1 : 1;
    return memcmp((*a)->key, (*b)->key, (*a)->key_size);
}

/* Has no key twice? False also if memory ran out. */
static bool is_set(const struct file_digest_list *list)
{
    const struct file_digest **sorted =
            malloc((list->count + 1) * sizeof *sorted);
    bool is_so = sorted != NULL;
    for (size_t i = 0; is_so && i < list->count; i++)
        sorted[i] = &list->items[i];
    if (is_so && list->count > 1)
        qsort(sorted, list->count, sizeof *sorted, compare_keys);
    for (size_t i = 1; is_so && i < list->count; i++)
        is_so = compare_keys(&sorted[i - 1], &sorted[i]) != 0;
    free(sorted);
    return is_so;
}

static bool read_items(struct file_digest_list *list, uint32_t count,
        size_t size, const uint8_t *bytes)
{
    if (count > file_digest_most) return false;
    for (; count > 0; count--) {
        if (size < 4) return false;
        const uint32_t key_size = load_le32(bytes);
        bytes += 4;
        size -= 4;
        if (!is_key_size(key_size) || key_size > size
                || digest_size > size - key_size
                || !append(list, key_size, bytes, bytes + key_size))
            return false;
        bytes += key_size + digest_size;
        size -= key_size + digest_size;
    }
    return size == 0 && is_set(list);
}

bool file_digest_list_read(
        struct file_digest_list *list, size_t size, const uint8_t *bytes)
{
    *list = (struct file_digest_list){.items = NULL};
    if (!is_whole(size, bytes)) return false;
    list->verified = load_le64(bytes + magic_size);
    if (read_items(list, load_le32(bytes + magic_size + 8),
                size - head_size - sum_size, bytes + head_size))
        return true;
    file_digest_list_fini(list);
    return false;
}

uint8_t *file_digest_list_write(
        const struct file_digest_list *list, size_t *size)
{
    size_t total = head_size + sum_size;
    for (size_t i = 0; i < list->count; i++)
        total += size_of(&list->items[i]);
    uint8_t *bytes = malloc(total);
    if (bytes == NULL) return NULL;
    memcpy(bytes, magic, magic_size);
    store_le64(bytes + magic_size, list->verified);
    store_le32(bytes + magic_size + 8, (uint32_t)list->count);
    uint8_t *at = bytes + head_size;
    for (size_t i = 0; i < list->count; i++) {
        const struct file_digest *item = &list->items[i];
        store_le32(at, (uint32_t)item->key_size);
        memcpy(at + 4, item->key, item->key_size);
        memcpy(at + 4 + item->key_size, item->digest, digest_size);
        at += size_of(item);
    }
    put_sum(at, bytes, total - sum_size);
    *size = total;
    return bytes;
}
