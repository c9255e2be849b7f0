/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_store.h: a whole store in one SQLite database file.
 *
 *     options.path = "/home/me/.cache/my_app/blobs.pack";
 *     dnnl_cache_store_open_pack(&store, &options);
 *
 * For an application that would rather look after one file than after a
 * directory of many, and that brings many blobs into memory at once: get_many()
 * reads them in one transaction. A get costs more than one of a bucket store,
 * and one writer keeps readers waiting while its pages move into the file
 * (docs/STORES.md has numbers).
 *
 * Files
 *   options.path is the database; missing parents are made. While somebody
 *   writes, "<path>-journal" beside it has what is needed to undo it; after
 *   that it is empty, or gone. Both count: the files together never have more
 *   than the capacity. ("<path>-new" is an empty file that is about to become
 *   the database.) Some of the capacity is kept free for the journal: of the
 * pages that the capacity has room for 64, and of all of them
 *
 *     1/64    with a capacity below 4 MiB, where a page has 1 KiB
 *     1/256   below 64 MiB, with pages of 4 KiB
 *     1/512   else, with pages of 8 KiB
 *
 *   (The size of pages is fixed when the file is made, and the share goes by
 *   it.) What does not fit is "too large", which everything is with a capacity
 *   below some 80 KiB. Space of evicted entries is used again;
 *   dnnl_cache_store_trim() gives it back to the file system. The limit of
 *   SQLite itself is 1e9 bytes a blob.
 *
 *   With private sharing the file and its directory must belong to this user
 *   or root, and nobody else may write to either, for whoever can put a journal
 *   beside the file can write into it. No link is followed but in the
 *   directories above.
 *
 * Damage
 *   An entry with damaged bytes is a miss that the next put heals (bytes that
 *   somebody changes in a file while it is open may first be noticed by a get
 *   after that put; then by the put after it).
 *
 *   If the database itself is damaged, all of it is dropped, under its own
 *   lock, and it starts anew. A file that shows no sign of having been a
 *   store is moved aside, to "<path>.aside-..." (which counts no longer); a
 *   sound database of another application, and a store of a newer format, are
 *   refused and left alone.
 *
 * Threads, processes, fork()
 *   An open store has two database connections, one to read and one to write;
 *   threads take turns with each of them, and readers do not wait for a writer
 *   that waits for those of other processes.
 *
 *   An open store may be used on both sides of a fork(): fork() waits until no
 *   other thread is inside a call, and the child opens connections of its own;
 *   those of its parent it leaves as they are. So options.log must neither
 *   fork() nor use the store.
 *
 * Waiting
 *   put, remove, trim and verify wait at most lock_timeout_ms for other
 *   writers. So does get where it meets one that is moving pages into the
 *   file: after that it is a miss.
 *
 * Network file systems
 *   The journal is a rollback journal, not a write-ahead log, which needs
 *   memory shared between all users of the file. It is as safe there as the
 *   file system's locks (fcntl) are; damage that comes of bad ones is found.
 *
 * Durability
 *   none: SQLite does not sync, and a power failure may cost the whole file;
 *   data: synchronous=FULL; data_and_directory: synchronous=EXTRA. Of a disk
 *   that fails for good right after a blob was committed put() says that it
 *   has failed, and the blob may be there all the same.
 *
 * Last uses (LRU, cost) are noted in memory, and in the file with the next put
 * of this process, after 128 of them, and when the store is closed.
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

/* Opens the store, makes it if it is not there, and evicts what is above the
 * capacity or too old. A file or directory that cannot be written to is opened
 * read-only. The caller closes the store. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, an option that makes no sense);
 * dnnl_out_of_memory; dnnl_runtime_error (the file cannot be made or opened, is
 * not safe, or is somebody else's: the log callback is told why). */
dnnl_status_t dnnl_cache_store_open_pack(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_PACK_H */
