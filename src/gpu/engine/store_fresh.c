/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was compiled again, so that no store gets an older program after it.
 */
#include "src/common/hash.h"
#include "src/gpu/engine/store.h"

#include <stdlib.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* IDs are known by 64 bits of a hash: two that had the same would cost one of
 * them an offer. */
struct store_fresh {
    UT_hash_handle hh;
    uint64_t id;
    uint64_t made;
};

static struct store_fresh *find_locked(const struct store *store, uint64_t id)
{
    struct store_fresh *found;
    HASH_FIND(hh, store->fresh, &id, sizeof id, found);
    return found;
}

void store_note_fresh(
        struct store *store, const uint8_t *id, size_t id_size, uint64_t made)
{
    uint64_t hash = hash64(id, id_size);
    pthread_mutex_lock(&store->fresh_lock);
    struct store_fresh *fresh = find_locked(store, hash);
    if (fresh == NULL && (fresh = calloc(1, sizeof *fresh)) != NULL) {
        fresh->id = hash;
        HASH_ADD(hh, store->fresh, id, sizeof fresh->id, fresh);
        if (fresh->hh.tbl == NULL) {
            free(fresh);
            fresh = NULL;
        }
    }
    if (fresh != NULL && fresh->made < made) fresh->made = made;
    pthread_mutex_unlock(&store->fresh_lock);
}

bool store_has_fresher(
        struct store *store, const uint8_t *id, size_t id_size, uint64_t made)
{
    uint64_t hash = hash64(id, id_size);
    pthread_mutex_lock(&store->fresh_lock);
    const struct store_fresh *fresh = find_locked(store, hash);
    bool has = fresh != NULL && fresh->made > made;
    pthread_mutex_unlock(&store->fresh_lock);
    return has;
}

void store_forget_fresh(struct store *store)
{
    struct store_fresh *fresh;
    struct store_fresh *following;
    HASH_ITER(hh, store->fresh, fresh, following)
    {
        HASH_DEL(store->fresh, fresh);
        free(fresh);
    }
}
