/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the list of a working set, once as they are and once with magic
 * and checksum made right. What is accepted has no ID that is empty or too
 * long, and is the same when it is written again.
 */
#include "fuzz.h"
#include "stores/working_set/working_set_list.h"

#include <string.h>
#include <xxhash.h>

enum { sum_size = 16, magic_size = 16, head_size = magic_size + 4 };

struct ids {
    size_t count;
    size_t room;
    struct working_set_id *ids; /* bytes are owned */
};

static void take(void *user, size_t id_size, const uint8_t *id)
{
    struct ids *ids = user;
    REQUIRE(id_size > 0 && id_size <= working_set_most_id_bytes);
    REQUIRE(ids->count < working_set_most_ids);
    if (ids->count == ids->room) {
        ids->room = 2 * ids->room + 16;
        ids->ids = realloc(ids->ids, ids->room * sizeof *ids->ids);
        REQUIRE(ids->ids != NULL);
    }
    uint8_t *copy = malloc(id_size);
    REQUIRE(copy != NULL);
    memcpy(copy, id, id_size);
    ids->ids[ids->count++] = (struct working_set_id){id_size, copy};
}

static void ids_fini(struct ids *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        free((uint8_t *)(uintptr_t)ids->ids[i].bytes);
    free(ids->ids);
}

static void read_list(size_t size, const uint8_t *list)
{
    struct ids ids = {0, 0, NULL};
    size_t written = 0;
    const dnnl_status_t st =
            dnnl_cache_store_working_set_read_list(size, list, take, &ids);
    if (st == dnnl_success) {
        uint8_t *bytes = working_set_list_write(&written, ids.count, ids.ids);
        REQUIRE(bytes != NULL);
        REQUIRE(written == size && memcmp(bytes, list, size) == 0);
        free(bytes);
    }
    ids_fini(&ids);
}

/* As anybody can who writes to the store. */
static void repair(size_t size, uint8_t *list)
{
    XXH128_canonical_t sum;
    if (size < head_size + sum_size) return;
    memcpy(list, "dnnl-cache wset\1", magic_size);
    list[magic_size + 1] &= 0x1f; /* else most lists have too many */
    list[magic_size + 2] = 0;
    list[magic_size + 3] = 0;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(list, size - sum_size));
    memcpy(list + size - sum_size, sum.digest, sum_size);
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
