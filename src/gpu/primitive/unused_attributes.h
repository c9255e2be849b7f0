/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that are kept for whoever sets them and that no primitive here
 * uses: descriptors that they would change are refused.
 */
#ifndef DNNL_CACHE_GPU_UNUSED_ATTRIBUTES_H
#define DNNL_CACHE_GPU_UNUSED_ATTRIBUTES_H

#include "src/gpu/engine/lacks.h"
#include "src/gpu/memory/memory_desc.h"

/* One factor for each place in the dimensions of the mask. */
struct rnn_scales {
    dnnl_dim_t count;
    int mask;
    float *values; /* owned; NULL: one, 1 */
};

/* Whose factors there are. */
enum { RNN_WEIGHTS, RNN_PROJECTION, RNN_SCALES };

struct unused_attributes {
    float rnn_scale;
    float rnn_shift;
    struct rnn_scales rnn_scales[RNN_SCALES];
};

/* Makes *copy, which is overwritten, equal; NULL is NULL. */
dnnl_status_t unused_attributes_copy(struct unused_attributes **copy,
        const struct unused_attributes *unused);
void unused_attributes_destroy(struct unused_attributes *unused);

/* What of them would change results; LACK_NONE: nothing, nor does unused
 * NULL. */
enum lack unused_attributes_lack(const struct unused_attributes *unused);

/* As attr_write_id() and attr_id_size(); nothing where nothing would change. */
uint8_t *unused_attributes_write_id(
        const struct unused_attributes *unused, uint8_t *at);
size_t unused_attributes_id_size(const struct unused_attributes *unused);

#endif /* DNNL_CACHE_GPU_UNUSED_ATTRIBUTES_H */
