/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_index.h: index.bin, the order of a bucket store's entries.
 *
 * It says which entry is the oldest and how many bytes all of them have, so
 * that making room need not read the directory. It can always be made again
 * from the directory. The file is also the lock of the store's writers: it is
 * only looked at with the lock held, and changed in place.
 *
 *      0  8  magic "dnnlcidx"                   then records of 40 bytes:
 *      8  4  version, 1                          0  8  bucket
 *     12  4  1 while a writer changes things     8  8  creation time, ns
 *     16  8  records before the oldest entry    16  8  bytes of all its files
 *     24  8  records in all                     24  4  entry's number
 *     32  8  records that are live              28  4  1 if live
 *     40  8  bytes of the live records          32  8  XXH3-64 of the above
 *     48  8  latest creation time, ns
 *     56  8  XXH3-64 of the above
 *
 * Records stand in order of creation. A writer that dies leaves the mark at 12
 * behind; what the index says is then worthless, and the next writer counts
 * again. The calls below return 0 or an errno value; EBADMSG: the file is
 * damaged, count again.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_INDEX_H
#define DNNL_CACHE_STORES_BUCKET_INDEX_H

#include "store.h"

extern const char bucket_index_name[]; /* in the store's directory */

/* Where an entry is: <bucket>/<entry>. */
struct bucket_slot {
    uint64_t bucket;
    uint32_t entry;
};

struct bucket_record {
    struct bucket_slot slot;
    uint64_t created_ns;
    uint64_t bytes;
    bool live;
};

/* An index whose lock is held. Belongs to one thread. */
struct bucket_index {
    int fd;
    bool dirty;          /* a writer began to change things */
    uint64_t first;      /* index of the first record that may be live */
    uint64_t count;      /* records in the file, dead ones included */
    uint64_t live_count; /* of them live */
    uint64_t live_bytes; /* their files' bytes */
    uint64_t last_created_ns;
};

/* Waits for the lock and reads the index. *valid is false if the directory has
 * to be counted: index new, damaged, or left behind by a writer that died.
 * 0, ETIMEDOUT or another errno value; after 0, unlock. */
int bucket_index_lock(struct bucket_index *index, bool *valid, int root_fd,
        const struct dnnl_cache_store_options *options, unsigned timeout_ms);

/* Frees the lock. A zeroed index with fd -1 is fine. */
void bucket_index_unlock(struct bucket_index *index);

/* Marks the index as being changed: comes before any change to the store. */
int bucket_index_begin(struct bucket_index *index);

/* Makes the changes good, and drops dead records when they are too many. */
int bucket_index_commit(struct bucket_index *index);

/* Replaces all records (in order of creation) after a count. */
int bucket_index_rebuild(struct bucket_index *index,
        const struct bucket_record *records, size_t count);

/* Adds the youngest entry. */
int bucket_index_append(
        struct bucket_index *index, const struct bucket_record *record);

/* All live records in order of creation; the caller frees *records. */
int bucket_index_list(const struct bucket_index *index,
        struct bucket_record **records, size_t *count);

/* The oldest live record, which stays; ENOENT if there is none. */
int bucket_index_peek_oldest(
        struct bucket_index *index, struct bucket_record *record);

/* Takes the oldest entry out; ENOENT if there is none. */
int bucket_index_take_oldest(
        struct bucket_index *index, struct bucket_record *record);

/* The record of this number, from first to count - 1, live or not. */
int bucket_index_read(const struct bucket_index *index,
        struct bucket_record *record, uint64_t number);

/* Takes out the live record of this number. */
int bucket_index_kill(struct bucket_index *index, struct bucket_record *record,
        uint64_t number);

/* Takes out the entry in this slot, if there is one. created_ns is its creation
 * time, by which it is found at once; 0, or a wrong one: the index is read
 * through. */
int bucket_index_forget(struct bucket_index *index, struct bucket_slot slot,
        uint64_t created_ns);

/* Bytes of the file with this many more records. */
uint64_t bucket_index_file_bytes(
        const struct bucket_index *index, uint64_t more);

#endif /* DNNL_CACHE_STORES_BUCKET_INDEX_H */
