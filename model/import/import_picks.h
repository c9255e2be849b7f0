/* SPDX-License-Identifier: Apache-2.0 */
/* import_picks.h: indices of several numbers each, those of GatherND and
 * ScatterND. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_PICKS_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_PICKS_H

#include "model/import/import.h"

struct picks {
    struct graph_shape x;
    int batch; /* dimensions at the front that data and indices have in common
                */
    int depth; /* numbers in an index */
    struct graph_shape indices;
    struct graph_shape places; /* of indices: all dimensions but the last */
};

/* Those that input 1 of the node in hand has for input 0. */
bool import_read_picks(struct import *im, int64_t batch, struct picks *p);

/* One index for each place, into the dimensions that `count` elements of data
 * have: beyond them if one of its numbers is out of range, so that the device
 * finds it. graph_none after a failure. */
int import_emit_picks(struct import *im, const struct picks *p, int64_t count);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_PICKS_H */
