/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_cuts.h: where a sum of products of integers is cut, so that f32 has
 * each part exactly. A part's products are at most 2^24 together, whatever
 * their signs are; so all sums on the way are, too, in any order.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_CUTS_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_CUTS_H

#include "model/import/import.h"

enum { import_most_parts = 64 };

/* Part i has the terms from at[i] to at[i + 1]. */
struct import_cuts {
    int count;
    int64_t at[import_most_parts + 1];
};

/* One operand of each term is at most `a`, the other at most `b`, which says
 * how many go together. False if that is none, or the parts are too many. */
bool import_cut_evenly(
        struct import_cuts *cuts, int64_t terms, int64_t a, int64_t b);

/* Whole numbers [outer, terms, inner] that are known. A sum is of the terms
 * that differ in the middle alone, or, if it spans them, also in the last. */
struct import_factors {
    const float *data;
    int64_t outer, terms, inner;
    bool spans;
};

/* As import_cut_evenly() with the numbers themselves instead of their largest.
 * False as well, and said, if memory runs out: *ok. */
bool import_cut_by_sums(struct import *im, struct import_cuts *cuts,
        const struct import_factors *factors, int64_t a, bool *ok);

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_CUTS_H */
