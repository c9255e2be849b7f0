/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookups.h: a store around a store, which notes what is asked for.
 *
 * What was found or kept is the working set, for the next start. What was not
 * found tells which program a step needs before anything is compiled. What
 * lookups_fetch() has brought at once is given from memory, so that several
 * threads can load parts of it. And what the store does not keep, because it is
 * full, read-only or not there, is known, and can be kept here.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_LOOKUPS_H
#define DNNL_CACHE_MODEL_COMPILE_LOOKUPS_H

#include "dnnl_cache.h"
#include "model/base/blob_list.h"

#include <pthread.h>

struct lookups {
    dnnl_cache_store_t callbacks;    /* to be attached */
    const dnnl_cache_store_t *inner; /* NULL: nothing is found or kept */
    pthread_mutex_t lock; /* guards the rest; not held while inner is called */
    struct id_list used;
    struct id_list missed;
    size_t last_miss;
    uint64_t ns;             /* spent in inner */
    bool has_unkept;         /* the store did not keep all that it was given */
    struct id_list compiled; /* here: put by others than lookups_take() */
    struct id_list loaded;   /* found */
    size_t engine_size;    /* of the ID of the engine's facts, which are not */
    const uint8_t *engine; /* counted as found; borrowed, fixed as above */
    const struct blob_list *lent; /* borrowed; NULL: nothing */
    /* What it did not keep, of a worker; or, of others, what workers sent. */
    struct blob_list unkept;
    bool keeps_unkept; /* fixed before the first call */
    /* What was fetched; fixed while anybody loads. */
    const struct id_list *fetched; /* borrowed; NULL: nothing */
    size_t *sizes;
    const uint8_t **blobs; /* inner's, until lookups_drop() */
};

/* The lookups must not move while its callbacks are attached. inner must
 * outlive it. */
void lookups_init(struct lookups *lookups, const dnnl_cache_store_t *inner);
void lookups_fini(struct lookups *lookups);

/* Asks the store for all of these with one question, and keeps the answers.
 * The list must stay as it is until lookups_drop(). */
void lookups_fetch(struct lookups *lookups, const struct id_list *list);
void lookups_drop(struct lookups *lookups);

/* Takes what another process could not put into the store: copies, which are
 * found from now on. The store is offered the first again, which then says why
 * it does not keep it. */
void lookups_take(struct lookups *lookups, const struct blob_list *unkept);

/* Programs that were compiled here, and those that were found; the engine's
 * facts do not count as found. */
unsigned long long lookups_compiled(struct lookups *lookups);
unsigned long long lookups_loaded(struct lookups *lookups);

/* Blobs that are found before the store is asked, until others or NULL are
 * lent; while nobody else uses the lookups. */
void lookups_lend(struct lookups *lookups, const struct blob_list *blobs);

/* The number, in the order of their first miss, of the ID that was missed last;
 * SIZE_MAX if none was since it was forgotten. */
size_t lookups_last_miss(struct lookups *lookups);
void lookups_forget_last_miss(struct lookups *lookups);

#endif /* DNNL_CACHE_MODEL_COMPILE_LOOKUPS_H */
