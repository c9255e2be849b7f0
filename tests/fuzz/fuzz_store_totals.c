/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of totals of a store, once as they are and once with
 * size, magic, version and checksum made right. What is read is the same when
 * it is read again, grows by what is recorded, and what is somebody else's
 * stays as it is.
 */
#include "dnnl_cache/store_types.h"
#include "pieces.h"
#include "scratch.h"
#include "src/common/byte_order.h"
#include "stores/core/store_totals.h"

#include <xxhash.h>

static const char file_name[] = "store/dnnl_cache_totals";

static dnnl_cache_store_handle_t *open_store(void)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    char path[scratch_path_size];
    dnnl_cache_store_handle_t *store = NULL;
    scratch_path(path, "store");
    options.path = path;
    REQUIRE(dnnl_cache_store_open(&store, "bucket", &options) == dnnl_success);
    return store;
}

static struct dnnl_cache_store_totals read_totals(
        dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    REQUIRE(dnnl_cache_store_get_totals(store, &totals) == dnnl_success);
    REQUIRE(totals.policy >= dnnl_cache_store_policy_default
            && totals.policy <= dnnl_cache_store_policy_none);
    return totals;
}

static bool is_unchanged(size_t size, const uint8_t *bytes)
{
    size_t there = 0;
    uint8_t *file = scratch_read(file_name, &there);
    REQUIRE(file != NULL);
    const bool is = there == size && memcmp(file, bytes, size) == 0;
    if (!is) REQUIRE(there == store_totals_bytes);
    free(file);
    return is;
}

static void use(
        dnnl_cache_store_handle_t *store, size_t size, const uint8_t *bytes)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    size_t found_size;
    const uint8_t *found;
    scratch_write(file_name, bytes, size);
    const struct dnnl_cache_store_totals first = read_totals(store);
    REQUIRE(s->get(s->user, 1, bytes, &found_size, &found) == dnnl_cache_miss);
    const struct dnnl_cache_store_totals more = read_totals(store);
    REQUIRE(more.misses == first.misses + (first.misses < UINT64_MAX));
    REQUIRE(dnnl_cache_store_record_totals(store) == dnnl_success);
    const struct dnnl_cache_store_totals last = read_totals(store);
    if (!is_unchanged(size, bytes))
        REQUIRE(last.hits >= first.hits && last.misses == more.misses
                && last.puts == first.puts && last.refused == first.refused
                && last.capacity_bytes > 0);
    /* What a file that is another's has not got is still to come. */
    scratch_write(file_name, "", 0);
    REQUIRE(s->get(s->user, 1, bytes, &found_size, &found) == dnnl_cache_miss);
    REQUIRE(dnnl_cache_store_record_totals(store) == dnnl_success);
    REQUIRE(!is_unchanged(0, bytes));
    REQUIRE(dnnl_cache_store_reset_totals(store) == dnnl_success);
    REQUIRE(read_totals(store).misses == 0);
}

static void repair(uint8_t *bytes, size_t size, uint32_t version)
{
    memcpy(bytes, "dnnlctot", 8);
    store_le32(bytes + 8, version);
    store_le64(bytes + size - 8, XXH3_64bits(bytes, size - 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dnnl_cache_store_handle_t *store;
    uint8_t bytes[store_totals_bytes] = {0};
    if (store == NULL) store = open_store();
    use(store, size, size > 0 ? data : bytes);
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    repair(bytes, store_totals_bytes, 2);
    use(store, store_totals_bytes, bytes);
    repair(bytes, store_totals_old_bytes, 1);
    use(store, store_totals_old_bytes, bytes);
    return 0;
}
