/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store with a number of entries, and the same as plain files. At first it
 * has large entries to get; when it has been made full it has small ones only
 * and evicts for each that is put.
 */
#ifndef BENCH_SCALE_SET_H
#define BENCH_SCALE_SET_H

#include "scale_files.h"
#include "store_kind.h"

enum { scale_batches_most = 64 };

struct scale_set {
    const struct store_kind *kind;
    char folder[4096];
    char path[4200]; /* of the store */
    unsigned entries;
    unsigned large; /* got last */
    unsigned next;  /* to be put */
    dnnl_cache_store_handle_t *store;
    uint64_t evicted; /* entries, up to the last put */
    /* Of puts that evicted a good part at once: nanoseconds for each entry that
     * went. */
    double batches[scale_batches_most];
    size_t batch_count;
    struct scale_files files;
};

/* Makes and fills both in a new folder. False: failure.h says why, as below.
 * Fini in either case. */
bool scale_set_init(struct scale_set *set, const struct store_kind *kind,
        const char *folder, unsigned entries);

/* Of a zeroed one, too. Removes the folder. */
void scale_set_fini(struct scale_set *set);

/* From now on there is nothing to get, and no room. */
bool scale_set_make_full(struct scale_set *set);

/* Sides of a measurement; arg is a struct scale_set. */
bool scale_set_get(void *arg, double *value);
bool scale_set_put(void *arg, double *value);

/* A store that evicts a good part of itself at once does so in one put of
 * many, which no median shows: what that costs each put whose room it makes. 0
 * in a store where each put makes its own. */
double scale_set_room_ns(const struct scale_set *set);

#endif /* BENCH_SCALE_SET_H */
