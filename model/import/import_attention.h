/* SPDX-License-Identifier: Apache-2.0 */
/* import_attention.h: what operators that attend have in common. All return a
 * tensor, or graph_none after a failure. */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_ATTENTION_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_ATTENTION_H

#include "model/import/import_step.h"

struct attention {
    int q, k, v; /* [batch, heads, length, size]; heads of q may be a multiple
                  * of those of k and v, which then serve several each */
    int mask;    /* added to the scores, which it is broadcast to;
                  * import_absent */
    float scale;
    float cap; /* scores are no larger, by tanh; 0: they may be */
};

/* What the scores go through. */
enum attention_scores {
    attention_scaled,
    attention_capped,
    attention_masked,
    attention_softmax
};

/* The softmax of the scores, times v: [batch, heads, length, size of v]. */
int import_emit_attention(
        struct import *im, const struct attention *a, int output);
/* In two steps: scores [batch, heads, length, keys] as they are after each, and
 * that of the softmax times v. */
bool import_emit_scores(
        struct import *im, const struct attention *a, int scores[4]);
int import_emit_weighted(
        struct import *im, const struct attention *a, int scores, int output);

/* [batch, length, heads * size] as [batch, heads, length, size], and back. */
int import_emit_heads(struct import *im, int x, int64_t heads);
int import_emit_merged(struct import *im, int x, int output);

/* A part of a tensor along an axis. */
int import_emit_part(
        struct import *im, int x, int axis, int64_t start, int64_t count);

/* Two tensors one after the other along an axis; the first may be
 * import_absent. */
int import_emit_joined(struct import *im, int a, int b, int axis, int output);

/* What turns pairs of numbers: x [batch, heads, length, size], of which the
 * first `turned` of each size turn by angles [batch or 1, 1, length, turned /
 * 2] of which cos and sin are given. Pairs are neighbours, or a half apart. */
struct rotation {
    int x, cos, sin;
    int64_t turned;
    bool is_interleaved;
};
int import_emit_rotation(struct import *im, const struct rotation *r);
/* Rows of a table for places, [batch or 1, length] of them, as such angles. */
int import_emit_angles(
        struct import *im, int table, int places, int64_t length);

/* [length, keys] to be added to scores: a query sees keys up to its own number
 * and `before` more. */
struct attention_view {
    int64_t length, keys, before;
    float hidden; /* what is added to scores of others */
};
int import_emit_view(struct import *im, const struct attention_view *view);

/* Keys that queries see by their places. Query i has place past + i, or that
 * and what a length is beyond `length`, if there are lengths. */
struct attention_reach {
    int64_t length, keys, past;
    int64_t before, after; /* a query sees; -1: all of them */
    int lengths;           /* [batch, 1, 1, 1] of i64; import_absent */
    bool is_causal;        /* nothing behind its own place */
};
/* A mask, which may be import_absent, that hides the others, too; import_absent
 * if nothing is hidden. */
int import_emit_reach(
        struct import *im, const struct attention_reach *r, int mask);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_ATTENTION_H */
