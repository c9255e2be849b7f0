/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that leave results to chance: dropout, and stochastic rounding.
 * Seeds come with each execution.
 */
#ifndef DNNL_CACHE_GPU_RANDOM_ATTRIBUTES_H
#define DNNL_CACHE_GPU_RANDOM_ATTRIBUTES_H

#include "src/gpu/memory/memory_desc.h"

/* The arguments that can be rounded stochastically: DNNL_ARG_DST first, then
 * those of backward primitives, which none here has. */
enum { ROUNDED_DST, ROUNDED_ARGS = 3 };

struct random_attributes {
    struct dnnl_memory_desc mask; /* of dropout; zero: none is written */
    dnnl_data_type_t seed_type;   /* of dropout; undef: there is no dropout */
    bool has_offset;              /* dropout's seed has an offset */
    bool is_on_host; /* dropout's probability, seed and offset are */
    bool is_stochastic[ROUNDED_ARGS];
};

/* Makes *copy, which is overwritten, equal; NULL is NULL. */
dnnl_status_t random_attributes_copy(struct random_attributes **copy,
        const struct random_attributes *random);
void random_attributes_destroy(struct random_attributes *random);

/* Of random NULL all are false. */
bool random_attributes_drop_out(const struct random_attributes *random);
bool random_attributes_round(const struct random_attributes *random, int which);
bool random_attributes_round_any(const struct random_attributes *random);
bool random_attributes_are_set(const struct random_attributes *random);

/* Does execution bring a number for this argument as a host scalar? */
bool random_attributes_are_on_host(
        const struct random_attributes *random, int arg);

/* As attr_write_id() and attr_id_size(); nothing where nothing is set. */
uint8_t *random_attributes_write_id(
        const struct random_attributes *random, uint8_t *at);
size_t random_attributes_id_size(const struct random_attributes *random);

#endif /* DNNL_CACHE_GPU_RANDOM_ATTRIBUTES_H */
