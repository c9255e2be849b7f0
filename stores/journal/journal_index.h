/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal_index.h: what a process need not read of a long journal.
 *
 * Who writes to a journal must know its keys, and of a record of many megabytes
 * a start read all bytes for them. An index is a record with all keys before
 * it. It is written again when that takes a small part of what it spares: while
 * a journal of many small notes grows by megabytes, indexes of what is new
 * follow it, which have the keys since the last one and say where that is. A
 * tail is a small record behind every later one, which says where the last
 * index is: so a process reads the tail, the indexes, and what is between the
 * last one and the tail. Releases that do not know one of these pass over it,
 * read the file as a whole, and leave it so.
 *
 * Payload of an index: where its record begins (64 bits), the generation of the
 * file (32 bits), 0 (32 bits), the keys (64 bits each) in ascending order. Of
 * an index of what is new: the same, and before the keys where the index before
 * it begins (64 bits). Of a tail: where the index begins (64 bits), the
 * generation (32 bits), up to where the file was read again since the time that
 * follows (32 bits; 0: nowhere), when all of the file was last read (64 bits,
 * ns since the epoch). The key of either is 0. One of another generation or
 * place is none: it was copied.
 *
 * Damage before the index is not seen by who begins with it. So after a day the
 * file is read again, a piece at each start: nobody waits for all of it. Where
 * a piece is damaged, all is read, and what is lost is written again.
 */
#ifndef DNNL_CACHE_STORES_JOURNAL_INDEX_H
#define DNNL_CACHE_STORES_JOURNAL_INDEX_H

#include "stores/core/journal_state.h"
#include "stores/journal/journal_format.h"

/* Less than this behind an index, or in a file without one, is read. */
enum { journal_index_step = 1 << 18 };

/* Begins with the index of the file if it has one: the keys are known then, and
 * journal->end is behind it. If all was last read a day ago, a piece of what is
 * before the index is. False: read all. journal->end is behind the head of a
 * file of that size, whose generation is known. */
bool journal_index_load(struct store_journal *journal, int fd, uint64_t size);

/* A record that was read at this offset. */
void journal_index_note(struct store_journal *journal,
        const struct journal_record *record, uint64_t at, uint64_t end);

/* Is it the key of a record that is known? journal->lock is held. */
bool journal_index_has(const struct store_journal *journal, uint64_t key);

/* What belongs behind journal->end: an index if there is much without one, and
 * a tail unless it is there. Nothing is put if neither is needed. is_full: all
 * of the file was read just now. */
void journal_index_put(struct journal_bytes *bytes,
        struct store_journal *journal, bool is_full);

#endif /* DNNL_CACHE_STORES_JOURNAL_INDEX_H */
