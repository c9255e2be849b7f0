/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample stores by name, for rows that are the same for each of them.
 */
#ifndef BENCH_STORE_KIND_H
#define BENCH_STORE_KIND_H

#include <dnnl_cache/store.h>

struct store_kind {
    const char *name;
    /* Drops what room there is inside; a capacity at which the store in
     * `path`, with so many entries, is full. */
    uint64_t (*full)(dnnl_cache_store_handle_t *store, const char *path,
            unsigned entries);
    /* Bounds: get and put over those of plain files. */
    double get_target;
    double put_target;
};

enum { store_kind_count = 4 };
extern const struct store_kind store_kinds[store_kind_count];

/* NULL: there is none of this name. */
const struct store_kind *store_kind_find(const char *name, size_t length);

#endif /* BENCH_STORE_KIND_H */
