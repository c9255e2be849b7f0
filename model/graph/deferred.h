/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred.h: the numbers of a constant that are still where the model's file
 * has them, or that are easily made. They are brought once it is known that the
 * device has room for them, straight to where the device takes them from.
 */
#ifndef DNNL_CACHE_MODEL_GRAPH_DEFERRED_H
#define DNNL_CACHE_MODEL_GRAPH_DEFERRED_H

#include "model/base/byte_source.h"

enum deferred_kind {
    deferred_file,
    deferred_value, /* all are the same */
    deferred_random
};

struct deferred {
    enum deferred_kind kind;
    struct byte_source *source; /* retained; NULL: there is none, or none any
                                 * more */
    uint64_t offset;            /* of the first number */
    int64_t count;
    bool is_half;      /* float16 in the file; floats here */
    float value, span; /* random numbers are from value to value + span */
    uint64_t key;      /* of random ones */
    bool is_read;      /* they are in data */
    float *data;       /* room for them, the tensor's; not touched before */
};

/* A smaller tensor is not worth the trouble. */
enum { deferred_least_bytes = 16 << 10 };

/* Each returns NULL when out of memory. The source is retained. */
struct deferred *deferred_create(struct byte_source *source, uint64_t offset,
        int64_t count, bool is_half, float *data, struct failure *failure);
struct deferred *deferred_create_value(
        float value, int64_t count, float *data, struct failure *failure);
void deferred_destroy(struct deferred *deferred); /* NULL is fine */

/* Makes them random numbers, the same ones for the same key, wherever they were
 * to come from. They must not have been read. */
void deferred_randomize(
        struct deferred *deferred, float least, float most, uint64_t key);

/* Any two numbers that differ in a bit have unlike results. */
uint64_t deferred_mix(uint64_t x);

/* The same numbers at once. */
void deferred_fill_random(
        float *to, int64_t count, float least, float most, uint64_t key);

/* Brings some of the numbers to other memory, from an even one on. Any thread
 * may. */
bool deferred_copy(const struct deferred *deferred, int64_t from, int64_t count,
        float *to, struct failure *failure);

/* Are halves what the file has? Then they can be read as they are. */
bool deferred_has_halves(const struct deferred *deferred);
bool deferred_copy_halves(const struct deferred *deferred, int64_t from,
        int64_t count, uint16_t *to, struct failure *failure);

/* Brings all of them to data, once. NULL is fine: then they are there. */
bool deferred_read(struct deferred *deferred, struct failure *failure);

/* Nothing is read any more. Fails if the file was written to in between. */
bool deferred_close(struct deferred *deferred, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_GRAPH_DEFERRED_H */
