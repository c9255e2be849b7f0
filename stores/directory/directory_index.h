/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory_index.h: index.bin, the order of a store's entries.
 *
 * It says which entry is the oldest and how many bytes all of them have, so
 * that making room need not read the directory. It can always be made again
 * from the directory. The file is the store's lock file: it is only looked at
 * with the lock held, and changed in place.
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
#ifndef DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_INDEX_H
#define DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_INDEX_H

#include "dnnl_cache/store.h"

/* Where an entry is; what the numbers mean is the layout's business. In an
 * index there is room for the first group only. */
struct directory_slot {
    uint64_t group[4];
    uint32_t number;
};

struct directory_record {
    struct directory_slot slot;
    uint64_t created_ns;
    uint64_t bytes;
    bool live;
};

/* An index whose lock is held. Belongs to one thread. */
struct directory_index {
    int fd;              /* borrowed: the lock file */
    bool dirty;          /* a writer began to change things */
    uint64_t first;      /* index of the first record that may be live */
    uint64_t count;      /* records in the file, dead ones included */
    uint64_t live_count; /* of them live */
    uint64_t live_bytes; /* their files' bytes */
    uint64_t last_created_ns;
};

/* Reads the index of the lock file open at fd. EBADMSG if the directory has to
 * be counted: the index is new, damaged, or left behind by a writer that died;
 * then it is empty. */
int directory_index_read(struct directory_index *index, int fd);

/* Marks the index as being changed: comes before any change to the store. */
int directory_index_begin(struct directory_index *index);

/* Makes the changes good, and drops dead records when they are too many. */
int directory_index_commit(struct directory_index *index);

/* Replaces all records (in order of creation) after a count. */
int directory_index_rebuild(struct directory_index *index,
        const struct directory_record *records, size_t count);

/* Adds the youngest entry. */
int directory_index_append(
        struct directory_index *index, const struct directory_record *record);

/* All live records in order of creation; the caller frees *records. */
int directory_index_list(const struct directory_index *index,
        struct directory_record **records, size_t *count);

/* The oldest live record, which stays; ENOENT if there is none. */
int directory_index_peek_oldest(
        struct directory_index *index, struct directory_record *record);

/* Takes the oldest entry out; ENOENT if there is none. */
int directory_index_take_oldest(
        struct directory_index *index, struct directory_record *record);

/* The record of this number, from first to count - 1, live or not. */
int directory_index_get(const struct directory_index *index,
        struct directory_record *record, uint64_t number);

/* Takes out the live record of this number. */
int directory_index_kill(struct directory_index *index,
        struct directory_record *record, uint64_t number);

/* Takes out the entry in this slot, if there is one. created_ns is its creation
 * time, by which it is found at once; 0, or a wrong one: the index is read
 * through. */
int directory_index_forget(struct directory_index *index,
        const struct directory_slot *slot, uint64_t created_ns);

/* At most so many bytes has the file when so many records are live. */
uint64_t directory_index_most_bytes(uint64_t live);

/* Bytes of the file with this many more records. */
uint64_t directory_index_file_bytes(
        const struct directory_index *index, uint64_t more);

#endif /* DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_INDEX_H */
