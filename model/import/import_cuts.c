/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_cuts.h"
#include "model/import/import_whole.h"

#include <stdlib.h>
#include <string.h>

bool import_cut_evenly(
        struct import_cuts *cuts, int64_t terms, int64_t a, int64_t b)
{
    if (a < 1) a = 1;
    if (b < 1) b = 1;
    /* Operands have 17 bits at most. */
    const int64_t together = import_most_whole / (a * b);
    if (terms < 1 || together < 1
            || (terms - 1) / together >= import_most_parts)
        return false;
    cuts->count = (int)((terms - 1) / together + 1);
    for (int i = 0; i < cuts->count; i++)
        cuts->at[i] = i * together;
    cuts->at[cuts->count] = terms;
    return true;
}

/* Adds a term to all sums; the largest of them. */
static int32_t add_term(
        const struct import_factors *f, int32_t *sums, int64_t term)
{
    const int64_t width = f->spans ? 1 : f->inner;
    int32_t most = 0;
    for (int64_t o = 0; o < f->outer; o++) {
        const float *from = f->data + (o * f->terms + term) * f->inner;
        int32_t *to = sums + o * width;
        for (int64_t i = 0; i < f->inner; i++) {
            int32_t *sum = to + (f->spans ? 0 : i);
            *sum += abs((int)from[i]);
            if (*sum > most) most = *sum;
        }
    }
    return most;
}

static bool cut(struct import_cuts *cuts, const struct import_factors *f,
        int32_t limit, int32_t *sums)
{
    const size_t size =
            (size_t)(f->outer * (f->spans ? 1 : f->inner)) * sizeof *sums;
    cuts->count = 1;
    cuts->at[0] = 0;
    for (int64_t term = 0; term < f->terms; term++) {
        if (add_term(f, sums, term) <= limit) continue;
        if (term != cuts->at[cuts->count - 1]) {
            if (cuts->count == import_most_parts) return false;
            cuts->at[cuts->count++] = term;
            memset(sums, 0, size);
            if (add_term(f, sums, term) <= limit) continue;
        }
        return false;
    }
    cuts->at[cuts->count] = f->terms;
    return true;
}

/* So that a term added to a sum at its limit is no more than 2^31. */
enum { most_spanned = 4096 };

bool import_cut_by_sums(struct import *im, struct import_cuts *cuts,
        const struct import_factors *factors, int64_t a, bool *ok)
{
    const int64_t count =
            factors->outer * (factors->spans ? 1 : factors->inner);
    if (factors->spans && factors->inner > most_spanned) return false;
    int32_t *sums = calloc((size_t)count + 1, sizeof *sums);
    *ok = sums != NULL || fail_out_of_memory(im->failure);
    const bool is_cut =
            *ok
            && cut(cuts, factors,
                    (int32_t)(import_most_whole / (a < 1 ? 1 : a)), sums);
    free(sums);
    return is_cut;
}
