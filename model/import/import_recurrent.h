/* SPDX-License-Identifier: Apache-2.0 */
/* import_recurrent.h: what RNN, GRU and LSTM have, and two ways to compute
 * them: as one layer (import_recurrent_layer.c), or step by step, where the
 * layer has no such activation or computes no integers (import_recurrent.c).
 * Functions give a tensor's number, graph_none after a failure, which they
 * say, and for graph_none. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_RECURRENT_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_RECURRENT_H

#include "model/import/import.h"

enum recurrent_kind { kind_rnn, kind_gru, kind_lstm };

enum { recurrent_most_activations = 6 };

struct recurrent {
    struct import *im;
    enum recurrent_kind kind;
    int gates;
    int64_t steps, batch, size, directions;
    bool is_batch_first; /* layout 1 */
    bool is_backward;    /* of one direction */
    bool resets_product; /* GRU: linear_before_reset */
    bool is_quantized;   /* products are of integers */
    /* Three for each direction. */
    enum graph_op activations[recurrent_most_activations];
    int x; /* [steps, batch, inputs] */
};

/* Elements along an axis. */
int recurrent_part(
        struct recurrent *r, int x, int axis, int64_t start, int64_t count);
/* One element along the first axis, which is dropped. */
int recurrent_element(struct recurrent *r, int x, int64_t at);
/* Some dimensions in another order. */
int recurrent_turned(
        struct recurrent *r, int x, int ndims, const int *perm, int output);
int recurrent_joined(
        struct recurrent *r, int *parts, int count, int axis, int output);

/* Can it be one layer? */
bool recurrent_is_layer(const struct recurrent *r);
/* Emits it, and the outputs. */
bool recurrent_emit_layer(struct recurrent *r);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_RECURRENT_H */
