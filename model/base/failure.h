/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h: why a model cannot be loaded, as a text for its user. Functions
 * that can fail return false and fill in one of these, which belongs to the
 * caller; what has failed already keeps its first text.
 */
#ifndef DNNL_CACHE_MODEL_BASE_FAILURE_H
#define DNNL_CACHE_MODEL_BASE_FAILURE_H

#include <stdbool.h>

struct failure {
    char text[512]; /* "" while nothing failed; one line, no full stop. The
                     * last byte, behind every text, is failure_status()'s */
};

/* Notes a text unless there is one, cut to the room there is; what a terminal
 * cannot show becomes '?', since names come from files. Returns false. */
bool fail(struct failure *failure, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* The status of what failed, a dnnl_status_t below 128, if one tells more than
 * the text; else 0. */
unsigned failure_status(const struct failure *failure);

/* The same with a status. */
bool fail_as(struct failure *failure, unsigned status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

bool fail_out_of_memory(struct failure *failure);

#endif /* DNNL_CACHE_MODEL_BASE_FAILURE_H */
