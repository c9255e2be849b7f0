/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_store.h: a whole store in one SQLite database file.
 *
 *     options.path = "/home/me/.cache/my_app/blobs.pack";
 *     dnnl_cache_store_open_pack(&store, &options);
 *
 * For an application that prefers one file to a directory of many, and that
 * loads many blobs at once: get_many() reads them in one transaction. A get
 * takes longer than with a bucket store, and readers wait while a writer's
 * pages are moved into the file (docs/STORES.md has numbers).
 *
 * Files
 *   options.path is the database; missing parents are created. During a write
 *   the file "<path>-journal" contains what is needed to undo the write;
 *   afterwards it is empty or removed. Both files together never exceed the
 *   capacity. ("<path>-new" is an empty file that will become the database.)
 *   Some of the capacity is kept free for the journal: 64 of the pages that fit
 *   into the capacity, and of all pages
 *
 *     1/64    with a capacity below 4 MiB, where a page has 1 KiB
 *     1/256   below 64 MiB, with pages of 4 KiB
 *     1/512   else, with pages of 8 KiB
 *
 *   (The size of pages is fixed when the file is created, and decides the
 *   share.) A blob that does not fit counts as too large; with a capacity below
 *   about 80 KiB that is every blob. Space of evicted entries is reused;
 *   dnnl_cache_store_trim() returns it to the file system. SQLite limits a blob
 *   to 1e9 bytes.
 *
 *   With private sharing the file and its directory must belong to this user or
 *   root, and no other user may write to either, because whoever can create a
 *   journal beside the file can change the file. Links are followed only in the
 *   directories above.
 *
 * Damage
 *   An entry with damaged bytes is a miss, and the next put replaces it. (If
 *   bytes are changed while the file is open, the damage may be detected only
 * by a get after that put; then the put after that get replaces the entry.)
 *
 *   If the database itself is damaged, all entries are dropped, under the
 *   database's lock, and it starts empty. A file that was evidently never a
 *   store is moved to "<path>.aside-..." (which does not count towards the
 *   capacity). An intact database of another application, and a store of a
 * newer format, are refused and left unchanged.
 *
 * Threads, processes, fork()
 *   An open store has two database connections, one to read and one to write.
 *   Threads take turns with each of them; readers do not wait for a writer that
 *   waits for writers of other processes.
 *
 *   After fork() both processes may use an open store: fork() waits until no
 *   other thread is inside a call, and the child opens connections of its own
 *   and leaves those of the parent unchanged. So options.log must neither call
 *   fork() nor use the store.
 *
 * Waiting
 *   put, remove, trim and verify wait at most lock_timeout_ms for other
 *   writers. So does get, for a writer that is moving pages into the file; then
 *   the get is a miss.
 *
 * Network file systems
 *   The journal is a rollback journal, not a write-ahead log, which needs
 *   memory shared between all users of the file. It is as safe there as the
 *   file system's locks (fcntl); damage caused by faulty locks is detected.
 *
 * Durability
 *   none: SQLite does not sync, and a power failure may cost the whole file;
 *   data: synchronous=FULL; data_and_directory: synchronous=EXTRA. If a disk
 *   fails for good right after a blob was committed, put() reports a failure
 *   although the blob may be stored.
 *
 * Last uses (LRU, cost) are recorded in memory, and written to the file with
 * the next put of this process, after 128 uses, and when the store is closed.
 */
#ifndef DNNL_CACHE_STORE_PACK_H
#define DNNL_CACHE_STORE_PACK_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Opens the store, creates it if it does not exist, and evicts what is above
 * the capacity or too old. A file or directory that cannot be written to is
 * opened read-only. The caller closes the store. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, an invalid option); dnnl_out_of_memory;
 * dnnl_runtime_error (the file cannot be created or opened, is not safe, or
 * belongs to another application: the reason is logged). */
dnnl_status_t dnnl_cache_store_open_pack(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_PACK_H */
