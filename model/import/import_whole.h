/* SPDX-License-Identifier: Apache-2.0 */
/* import_whole.h: integers as f32, which holds them to 2^24. Networks are
 * computed with floats, so what is quantized stays floats as long as nothing
 * else is done with it. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_WHOLE_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_WHOLE_H

#include "model/import/import.h"

enum { import_most_whole = 1 << 24 };

/* Says of a tensor of f32 that it has whole numbers from least to most alone.
 * graph_none is fine. */
void import_mark_whole(struct import *im, int x, int64_t least, int64_t most);

/* The tensor of f32 that integers were made of, and that has the same numbers;
 * graph_none, which is no failure: there is none. */
int import_whole(const struct import *im, int x);

/* Integers as f32, rounded once, as a Cast is; graph_none: they are none that
 * were computed as floats, or a failure. Nothing was added without `*done`. */
int import_emit_whole_cast(struct import *im, int x, int output, bool *done);

/* True for a node that moves integers to where they can as well be floats. */
bool import_moves_whole(const struct import *im, const struct graph_node *node,
        enum graph_type type);
/* Adds it for floats, and makes integers of the result. */
int import_emit_moved(struct import *im, const struct graph_node *node,
        enum graph_type type, const struct graph_shape *shape, int output);

/* Integers of 8 or 16 bits, less their zero point (graph_none: 0), as f32. */
int import_emit_less(struct import *im, int x, int zero);

/* The same times a scale. */
int import_emit_scaled(
        struct import *im, int x, int zero, int scale, int output);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_WHOLE_H */
