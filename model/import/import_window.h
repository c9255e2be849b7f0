/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_window.h: what convolutions and poolings share: their attributes, and
 * how many windows there are.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_WINDOW_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_WINDOW_H

#include "model/import/import.h"

/* Kernels, strides, dilations and padding beyond this are no network's, and
 * would make sizes that do not fit. */
#define WINDOW_MOST INT64_C(0x1000000)

enum window_auto_pad {
    window_pad_explicit,
    window_pad_same_upper,
    window_pad_same_lower,
    window_pad_valid
};

/* What the attributes say, before it becomes numbers for each dimension. */
struct window_request {
    struct graph_window window;
    enum window_auto_pad auto_pad;
    bool ceil_mode;
};

/* Reads all but the kernel, which starts as nothing, of an operator whose input
 * has so many dimensions. */
bool window_read(struct import *im, int ndims, struct window_request *request);

/* An attribute with a number for each spatial dimension, at least `least`. */
bool window_numbers(struct import *im, const char *name, int spatial,
        int64_t least, int64_t values[graph_max_spatial]);

/* From the first element of a window to its last, both counted. */
int64_t window_extent(const struct graph_window *w, int i);

/* Splits the padding of a dimension as auto_pad says; less than 0 is none. */
void window_pad(struct window_request *request, int i, int64_t total);

/* Makes the padding of a dimension numbers, and says how many windows there
 * are. */
bool window_count(struct import *im, struct window_request *request, int i,
        int64_t in, int64_t *out);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_WINDOW_H */
