/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred.h: the numbers of a constant that are still where the model's file
 * has them. Weights are read once it is known that the device has room for
 * them, straight to where the device takes them from.
 */
#ifndef DNNL_CACHE_LOADER_DEFERRED_H
#define DNNL_CACHE_LOADER_DEFERRED_H

#include "byte_source.h"

struct deferred {
    struct byte_source *source; /* retained; NULL: it has been closed */
    uint64_t offset;            /* of the first number */
    int64_t count;
    bool is_half; /* float16 in the file; floats here */
    bool is_read; /* they are in data */
    float *data;  /* room for them, the tensor's; not touched before */
};

/* A smaller tensor is not worth the trouble. */
enum { deferred_least_bytes = 16 << 10 };

/* Retains the source; NULL when out of memory. */
struct deferred *deferred_create(struct byte_source *source, uint64_t offset,
        int64_t count, bool is_half, float *data, struct failure *failure);
void deferred_destroy(struct deferred *deferred); /* NULL is fine */

/* Reads some of the numbers to other memory. Any thread may. */
bool deferred_copy(const struct deferred *deferred, int64_t from, int64_t count,
        float *to, struct failure *failure);

/* Reads all of them to data, once. NULL is fine: then they are there. */
bool deferred_read(struct deferred *deferred, struct failure *failure);

/* Nothing is read any more. Fails if the file was written to in between. */
bool deferred_close(struct deferred *deferred, struct failure *failure);

#endif /* DNNL_CACHE_LOADER_DEFERRED_H */
