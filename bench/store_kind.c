/* SPDX-License-Identifier: Apache-2.0 */
#include "store_kind.h"

#include <string.h>
#include <sys/stat.h>

/* ---- When it is full ----------------------------------------------------- */

static uint64_t recorded_bytes(const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_get_statistics(store, &statistics);
    return statistics.bytes;
}

/* The index counts, too: 40 bytes an entry. */
static uint64_t bucket_full(
        dnnl_cache_store_handle_t *store, const char *path, unsigned entries)
{
    (void)path;
    return recorded_bytes(store) + 40 * (uint64_t)entries;
}

/* A little more than there is: what is above the capacity when the store is
 * opened would be evicted there, half of all entries at once. */
static uint64_t unindexed_full(
        dnnl_cache_store_handle_t *store, const char *path, unsigned entries)
{
    (void)path;
    (void)entries;
    return recorded_bytes(store) + 4096;
}

/* Free pages are given back a few at a time, until an entry would go. Then the
 * whole file, and what pack_store.h says is kept free for the journal. */
static uint64_t pack_full(
        dnnl_cache_store_handle_t *store, const char *path, unsigned entries)
{
    enum { page_size = 8192, step = 8 * page_size, journal = 64 * page_size };
    struct stat st = {.st_size = 0};
    uint64_t before = UINT64_MAX;
    uint64_t removed = 0;
    (void)entries;
    while (removed == 0 && stat(path, &st) == 0 && st.st_size > step
            && (uint64_t)st.st_size < before) {
        before = (uint64_t)st.st_size;
        if (dnnl_cache_store_trim(store, before - step, UINT64_MAX, &removed)
                != dnnl_success)
            break;
    }
    return (uint64_t)st.st_size + (uint64_t)st.st_size / 256 + journal;
}

/* ---- The stores ---------------------------------------------------------- */

/* 1.5 is the project's target; the others are bounds that a change for the
 * worse would break. */
const struct store_kind store_kinds[store_kind_count] = {
        {"bucket", bucket_full, 1.5, 30},
        {"tree", unindexed_full, 3, 30},
        {"flat", unindexed_full, 1.5, 30},
        {"pack", pack_full, 6, 30},
};

const struct store_kind *store_kind_find(const char *name, size_t length)
{
    for (size_t i = 0; i < store_kind_count; i++)
        if (strlen(store_kinds[i].name) == length
                && strncmp(store_kinds[i].name, name, length) == 0)
            return &store_kinds[i];
    return NULL;
}
