/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h: a store around a store, which notes what is asked for.
 *
 * What was found or kept is the working set, for the next start. What was not
 * found tells which program a step needs before anything is compiled. And what
 * recorder_fetch() has brought at once is given from memory, so that several
 * threads can load parts of it.
 */
#ifndef DNNL_CACHE_MODEL_LOADER_RECORDER_H
#define DNNL_CACHE_MODEL_LOADER_RECORDER_H

#include "dnnl_cache.h"
#include "id_list.h"

#include <pthread.h>

struct recorder {
    dnnl_cache_store_t callbacks;    /* to be attached */
    const dnnl_cache_store_t *inner; /* NULL: nothing is found or kept */
    pthread_mutex_t lock; /* guards the rest; not held while inner is called */
    struct id_list used;
    struct id_list missed;
    size_t last_miss;
    uint64_t ns; /* spent in inner */
    /* What was fetched; fixed while anybody loads. */
    const struct id_list *fetched; /* borrowed; NULL: nothing */
    size_t *sizes;
    const uint8_t **blobs; /* inner's, until recorder_drop() */
};

/* The recorder must not move while its callbacks are attached. inner must
 * outlive it. */
void recorder_init(struct recorder *recorder, const dnnl_cache_store_t *inner);
void recorder_fini(struct recorder *recorder);

/* Asks the store for all of these with one question, and keeps the answers.
 * The list must stay as it is until recorder_drop(). */
void recorder_fetch(struct recorder *recorder, const struct id_list *list);
void recorder_drop(struct recorder *recorder);

/* The number, in the order of their first miss, of the ID that was missed last;
 * SIZE_MAX if none was since it was forgotten. */
size_t recorder_last_miss(struct recorder *recorder);
void recorder_forget_last_miss(struct recorder *recorder);

#endif /* DNNL_CACHE_MODEL_LOADER_RECORDER_H */
