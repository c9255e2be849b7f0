/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h: the entry on disk that is most like one that is not there. */
#ifndef DNNL_CACHE_LAYER_TRACE_NEAREST_H
#define DNNL_CACHE_LAYER_TRACE_NEAREST_H

#include "tools/common/id/difference.h"

struct nearest {
    const struct difference_id *wanted;
    uint8_t *id; /* NULL: there is none */
    size_t id_size;
    uint64_t created_ns;
    size_t distance;
    char names[difference_names_size]; /* in which it differs */
};

/* Looks through the whole store. */
void nearest_find(struct nearest *nearest, const struct difference_id *wanted);
void nearest_fini(struct nearest *nearest);

#endif /* DNNL_CACHE_LAYER_TRACE_NEAREST_H */
