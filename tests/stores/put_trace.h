/* SPDX-License-Identifier: Apache-2.0 */
/* put_trace.h: the steps of a put, as the kernel sees them. */
#ifndef DNNL_CACHE_TESTS_PUT_TRACE_H
#define DNNL_CACHE_TESTS_PUT_TRACE_H

#include "unindexed_suite.h"

enum { put_trace_size = 256 };

/* Puts put_number() in a traced child and notes what it does, in order, a
 * letter for each step and for several of one kind together:
 *
 *     L U  locks, unlocks the size file     C  creates a temporary file
 *     l u  locks, unlocks a directory       W  writes to it
 *     S    writes the size file             R  renames it into place
 *     G    reads a directory                E  takes an entry's file away
 *
 * Files appear and go in the directory that is locked, the size file's or then
 * an item's, and locks are exclusive: "!" or "?" is a step of which that is not
 * so.
 *
 * False if tracing is not allowed here. */
bool trace_put(char steps[put_trace_size], const struct unindexed_kind *kind,
        dnnl_cache_store_handle_t *store, unsigned number, size_t size);

#endif /* DNNL_CACHE_TESTS_PUT_TRACE_H */
