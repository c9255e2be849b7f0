/* SPDX-License-Identifier: Apache-2.0 */
/*
 * working_set_internal.h: what the parts of a working set know of each other.
 *
 * working_set.c has the items, the callbacks and its life,
 * working_set_fetch.c gets the list and what it names, working_set_save.c puts
 * a list, working_set_list.c knows its bytes.
 */
#ifndef DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_INTERNAL_H
#define DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_INTERNAL_H

#include "src/platform/fork.h"
#include "stores/working_set/working_set_list.h"

/* An ID that is listed, or was asked for. */
struct item {
    uint64_t hash;
    size_t id_size;
    uint8_t *id; /* owned, unchanged until the set is closed */
    size_t size;
    uint8_t *blob;  /* owned; NULL: not in memory */
    unsigned loans; /* of blob, not released yet */
    bool is_listed;
    bool is_asked; /* for, or put */
};

struct dnnl_cache_store_working_set {
    dnnl_cache_store_t callbacks; /* fixed, as is all before the lock */
    dnnl_cache_store_t inner;
    bool has_near;
    dnnl_cache_store_t near;
    char *application;
    uint64_t max_bytes;
    uint64_t save_every_ns;
    /* Guards all below, by working_set_lock(); leaf, the stores are called
     * without it. What it guards is whole at every moment, so that a child of
     * fork() can go on with it: a thread of the parent's loses a blob there at
     * the most. */
    struct fork_mutex lock;
    /* The list's own ID; NULL: the first ID that is asked for makes it. Never
     * changed again. */
    size_t list_id_size;
    uint8_t *list_id;
    struct item *items;    /* only added to */
    struct places *places; /* of items; working_set.c alone */
    size_t count;
    size_t capacity;
    uint64_t kept_bytes; /* of blobs that are or were in memory */
    bool has_unsaved;    /* an ID was asked for that is not listed */
    bool is_saving;
    uint64_t saved_ns; /* when the last list was put; or the set was opened */
    struct dnnl_cache_store_working_set_statistics statistics;
};

/* ---- working_set.c ------------------------------------------------------- */

/* Left by fork_unlock(). */
void working_set_lock(struct dnnl_cache_store_working_set *set);

/* The item, added if it is not there; NULL: there is no room for it. */
struct item *working_set_add_locked(struct dnnl_cache_store_working_set *set,
        size_t id_size, const uint8_t *id);

/* The blob, from malloc, is the item's, which has had none. */
void working_set_keep_locked(struct dnnl_cache_store_working_set *set,
        struct item *item, size_t size, uint8_t *blob);

/* ---- working_set_fetch.c ------------------------------------------------- */

/* What is not in memory, gathered for one question. */
struct question {
    size_t count;
    size_t *places; /* of the caller's arrays */
    size_t *id_sizes;
    const uint8_t **ids;
    size_t *sizes;
    const uint8_t **blobs;
};

bool question_init(struct question *q, size_t most);
void question_fini(struct question *q);

/* Asks the store: with one call, if it has that. */
dnnl_status_t question_ask(struct question *q, const dnnl_cache_store_t *store);

/* Makes it a question for up to so many IDs that are listed, from that item on;
 * returns the number of the first item behind them. */
size_t working_set_gather_listed(struct question *q,
        struct dnnl_cache_store_working_set *set, size_t from, size_t most);

/* Gets the list, and what it names. */
dnnl_status_t working_set_fetch(struct dnnl_cache_store_working_set *set);

/* The list's ID is made of this one, and it is brought, if it is the first that
 * is asked for and the set was opened so. */
void working_set_begin(struct dnnl_cache_store_working_set *set, size_t id_size,
        const uint8_t *id);

/* ---- working_set_save.c -------------------------------------------------- */

/* Notes that the ID was asked for, or put. */
void working_set_note_asked(struct dnnl_cache_store_working_set *set,
        size_t id_size, const uint8_t *id);

/* Saves if it is time to. */
void working_set_save_in_time(struct dnnl_cache_store_working_set *set);

#endif /* DNNL_CACHE_STORES_WORKING_SET_WORKING_SET_INTERNAL_H */
