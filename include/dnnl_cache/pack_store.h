/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_store.h: a whole store in one SQLite database file.
 *
 *     options.path = "/home/me/.cache/my_app/blobs.pack";
 *     dnnl_cache_store_open(&store, "pack", &options);
 *
 * For applications that want one file instead of a directory of many, or that
 * load many blobs at once: get_many() reads them in one transaction. A single
 * get costs more than that of a bucket store, and readers wait while a writer
 * moves pages into the file (docs/reference/numbers.md has measured times).
 *
 * Files
 *   options.path is the database; missing parent directories are created.
 *   During a write, "<path>-journal" beside it holds what is needed to undo the
 *   write; afterwards it is empty or removed. "<path>-totals", 168 bytes, says
 *   what all processes did with the store. The database, the journal and the
 *   totals together never exceed the capacity. ("<path>-new" is an empty file
 * that is about to become the database.) Part of the capacity is reserved for
 * the journal: 64 pages, and a share of all pages:
 *
 *     1/64    if the capacity is below 4 MiB; a page has 1 KiB
 *     1/256   if it is below 64 MiB; a page has 4 KiB
 *     1/512   else; a page has 8 KiB
 *
 *   (The page size is fixed when the file is created, and decides the share.)
 *   An entry that does not fit into the rest is "too large"; with a capacity
 *   below about 80 KiB every entry is. Space of evicted entries is reused;
 *   dnnl_cache_store_trim() gives it back to the file system. The limit of
 *   SQLite itself is 1e9 bytes a blob.
 *
 *   With private sharing the file and its directory must belong to this user
 *   or root and must not be writable for others: a user who can create a
 *   journal beside the file can change the file. Symbolic links are followed
 *   only in the directories above.
 *
 * Damage
 *   An entry with damaged bytes is a miss; the next put of its ID replaces it.
 *   (If another program changes bytes of the file while it is open, a get may
 *   notice only after that put, and the put after it replaces the entry.)
 *
 *   If the database itself is damaged, the store is emptied under the
 *   database's lock. A file that shows no sign of having been a store is
 *   renamed to "<path>.aside-...", which no longer counts. An intact database
 *   of another application and a store of a newer format are refused and not
 *   changed.
 *
 * Threads, processes, fork()
 *   An open store has two database connections, one to read and one to write.
 *   One thread at a time uses each. Readers do not wait for a writer that waits
 *   for other processes.
 *
 *   Parent and child may both use an open store after fork(): fork() waits
 *   until no other thread is inside a call, and the child opens new connections
 *   and leaves the parent's alone. So options.log must neither call fork() nor
 *   use the store.
 *
 * Waiting
 *   put, remove, trim and verify wait at most lock_timeout_ms for other
 *   writers. get waits as long for a writer that moves pages into the file, and
 *   is a miss after that.
 *
 * Network file systems
 *   The journal is a rollback journal. (A write-ahead log would need memory
 *   shared between all users of the file.) A pack is as safe there as the file
 *   system's fcntl() locks are; damage caused by broken locks is detected.
 *
 * Durability
 *   none: SQLite does not sync, and a power failure may cost the whole file;
 *   data: synchronous=FULL; data_and_directory: synchronous=EXTRA. If the disk
 *   fails for good right after a blob was committed, put() reports a failure
 *   although the blob may be there.
 *
 * Times of use (LRU, cost) are kept in memory. They are written to the file
 * with the next put of this process, after 128 uses, and when the store is
 * closed.
 */
#ifndef DNNL_CACHE_STORE_PACK_H
#define DNNL_CACHE_STORE_PACK_H

#include "dnnl_cache/store.h"

#endif /* DNNL_CACHE_STORE_PACK_H */
