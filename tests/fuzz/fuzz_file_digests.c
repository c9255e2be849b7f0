/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of digests of drivers' files, once as they are and once
 * with magic, number and checksum made right. What is accepted is within the
 * limits, has no key twice, and is the same when it is written again; trimmed
 * it has digests of one boot of the system alone.
 */
#include "fuzz.h"
#include "stores/digests/file_digest_list.h"

#include <string.h>
#include <xxhash.h>

enum { magic_size = 16, count_at = 24, head_size = 28, sum_size = 16 };

static size_t boot_size(const struct file_digest *item)
{
    size_t size = 0;
    while (size < item->key_size && item->key[size] != ' ')
        size++;
    return size;
}

static void check_items(const struct file_digest_list *list)
{
    REQUIRE(list->count <= file_digest_most);
    for (size_t i = 0; i < list->count; i++) {
        const struct file_digest *item = &list->items[i];
        REQUIRE(item->key_size > 0
                && item->key_size <= file_digest_most_key_size);
        REQUIRE(file_digest_list_find(list, item->key_size, item->key) == item);
    }
}

static void read_list(size_t size, const uint8_t *bytes)
{
    struct file_digest_list list;
    size_t written = 0;
    if (file_digest_list_read(&list, size, bytes)) {
        check_items(&list);
        uint8_t *again = file_digest_list_write(&list, &written);
        REQUIRE(again != NULL && written == size
                && memcmp(again, bytes, size) == 0);
        free(again);
        const size_t count = list.count;
        file_digest_list_trim(&list);
        REQUIRE(list.count <= count && (list.count > 0) == (count > 0));
        check_items(&list);
        for (size_t i = 1; i < list.count; i++)
            REQUIRE(boot_size(&list.items[i]) == boot_size(&list.items[0])
                    && memcmp(list.items[i].key, list.items[0].key,
                               boot_size(&list.items[0]))
                               == 0);
    }
    file_digest_list_fini(&list);
}

/* As anybody can who writes to the file. */
static void repair(size_t size, uint8_t *bytes)
{
    XXH128_canonical_t sum;
    if (size < head_size + sum_size) return;
    memcpy(bytes, "dnnl-cache fdig\1", magic_size);
    bytes[count_at + 1] &= 1; /* else most lists have too many */
    bytes[count_at + 2] = 0;
    bytes[count_at + 3] = 0;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, size - sum_size));
    memcpy(bytes + size - sum_size, sum.digest, sum_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size > 0 ? size : 1);
    REQUIRE(copy != NULL);
    if (size > 0) memcpy(copy, data, size);
    read_list(size, copy);
    repair(size, copy);
    read_list(size, copy);
    free(copy);
    return 0;
}
