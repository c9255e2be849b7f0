/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h: why a model cannot be loaded, as a text for its user. Functions
 * that can fail return false and fill in one of these, which belongs to the
 * caller; what has failed already keeps its first text.
 */
#ifndef DNNL_CACHE_LOADER_FAILURE_H
#define DNNL_CACHE_LOADER_FAILURE_H

#include <stdbool.h>

struct failure {
    char text[512]; /* "" while nothing failed; one line, no full stop */
};

/* Notes a text unless there is one, cut to the room there is; what a terminal
 * cannot show becomes '?', since names come from files. Returns false. */
bool fail(struct failure *failure, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

bool fail_out_of_memory(struct failure *failure);

#endif /* DNNL_CACHE_LOADER_FAILURE_H */
