/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_place.h: where a store has the files that are beside its entries. A
 * layout or a pack says so once for all of them: find_place in struct
 * store_calls.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_PLACE_H
#define DNNL_CACHE_STORES_CORE_STORE_PLACE_H

#include "dnnl_cache/store.h"
#include "src/platform/file.h"

enum store_beside {
    store_beside_journal, /* journal.h */
    store_beside_totals   /* store_totals.h */
};

/* Their names in the directory of a store. Beside a pack they are suffixes. */
#define STORE_JOURNAL_FILE "journal"
#define STORE_TOTALS_FILE "dnnl_cache_totals"

/* A folder of the OpenCL layer's beside entries (state_folder.h). */
#define STORE_LAYER_FOLDER "layer"

struct store_place {
    int folder_fd; /* store_place_leave() gives it back */
    char name[file_name_size];
    /* Whose it is, and how it is given back; NULL: it is closed. */
    void (*leave)(void *owner);
    void *owner;
};

/* 0 or an errno value: ENOTSUP if the store is off or has no such files. */
int store_place_find(struct store_place *place,
        const dnnl_cache_store_handle_t *store, enum store_beside file);

void store_place_leave(const struct store_place *place);

#endif /* DNNL_CACHE_STORES_CORE_STORE_PLACE_H */
