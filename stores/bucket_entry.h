/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_entry.h: one entry of a bucket store, <bucket>/<entry>/key.bin and
 * kernel.bin: reading and checking it.
 *
 * Reading needs no lock: files of an entry are never changed, only replaced
 * or removed as a whole, and the checksum ties them together. Functions
 * return 0 or an errno value: ENOENT (nothing there), EBADMSG (damaged:
 * whatever is there is not an intact entry, or the disk cannot read it),
 * ENOMEM, or a failure of the file system.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_ENTRY_H
#define DNNL_CACHE_STORES_BUCKET_ENTRY_H

#include "bucket_index.h"
#include "store_internal.h"
#include "store_trailer.h"

enum { bucket_entry_path_size = 64 };

/* "<bucket>/<entry>" and, if file is not NULL, "/<file>". */
void bucket_entry_path(char path[bucket_entry_path_size],
        struct bucket_slot slot, const char *file);

/* 0 if the slot's key is this ID, ENOMSG if it is another, EIO if the disk does
 * not tell. */
int bucket_entry_compare_key(int root_fd, struct bucket_slot slot,
        size_t id_size, const uint8_t *id);

/* Reads and checks the blob, by the store's limits and key. EBADMSG also if it
 * is another ID's. The caller frees *blob, which has room for what follows it
 * too. */
int bucket_entry_read_blob(uint8_t **blob, size_t *size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot, size_t id_size, const uint8_t *id);

/* Reads the key, which is item->id and the caller's to free, and what else is
 * known of the entry. Does not read the blob, so damage in there is not
 * seen. */
int bucket_entry_read_item(struct dnnl_cache_store_item *item, uint8_t **id,
        int root_fd, struct bucket_slot slot);

/* The key alone, if it is one of this bucket, whatever the blob's state. The
 * caller frees *id. */
int bucket_entry_read_key(uint8_t **id, size_t *id_size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot);

/* Is nothing there any more, as after somebody else removed the entry? */
bool bucket_entry_is_gone(int root_fd, struct bucket_slot slot);

/* Is the entry intact, whatever its key? *size (may be NULL): its blob's. */
int bucket_entry_check(size_t *size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot);

/* The same as item without the key, which costs one file less. */
int bucket_entry_read_times(struct dnnl_cache_store_item *item, int root_fd,
        struct bucket_slot slot);

/* Notes that the blob is being used. */
void bucket_entry_touch(int root_fd, struct bucket_slot slot);

/* Has the slot a directory of somebody else's, with files in it and none of
 * ours? Then it is none of our business: there are people who name directories
 * by year and month. */
bool bucket_entry_is_foreign(int root_fd, struct bucket_slot slot);

/* The bytes of an entry's files and its creation time, 0 if it is damaged.
 * Never ENOENT or EBADMSG: for counting what is there. */
int bucket_entry_measure(
        struct bucket_record *record, int root_fd, struct bucket_slot slot);

#endif /* DNNL_CACHE_STORES_BUCKET_ENTRY_H */
