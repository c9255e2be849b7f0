/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recognise.h: is there a store at a place, and of which type?
 *
 * Opening a store makes one where there is none, and lays its files over those
 * of others. So a place is looked at first; nothing here writes or locks.
 */
#ifndef DNNL_CACHE_TOOL_RECOGNISE_H
#define DNNL_CACHE_TOOL_RECOGNISE_H

#include <stdbool.h>

/* What of a store is there: the file in which it keeps its account, or entries,
 * which tell more. */
enum trace { trace_none, trace_book, trace_entries };

/* fd: the place, open for reading. Those of folders give trace_none for a file,
 * and the other way round. */
enum trace recognise_bucket(int fd);
enum trace recognise_flat(int fd);
enum trace recognise_tree(int fd);

/* A file of SQLite's with our number in its header, or without any table, or a
 * damaged one with one of our tables' names at its beginning. Closing fd frees
 * the locks that this process has on the file: not for one that it has opened
 * as a store. */
enum trace recognise_pack(int fd);

/* A folder or file with nothing in it; what a store's writer was writing when
 * it died does not count. */
bool recognise_nothing(int fd);

#endif /* DNNL_CACHE_TOOL_RECOGNISE_H */
