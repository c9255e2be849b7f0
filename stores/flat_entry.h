/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_entry.h: one file of a flat store: the blob, its ID, and the tail that
 * store_trailer.h describes, which says how long either is.
 *
 * Reading needs no lock: files are never changed, only replaced or removed as a
 * whole. Functions return 0 or an errno value: ENOENT (nothing there), EBADMSG
 * (damaged: whatever is there is not an intact entry), ENOMEM, or a failure of
 * the file system.
 */
#ifndef DNNL_CACHE_STORES_FLAT_ENTRY_H
#define DNNL_CACHE_STORES_FLAT_ENTRY_H

#include "directory_store.h"

/* Reads the blob of this ID, which the caller frees and which has room for what
 * follows it too. ENOMSG if the file is another ID's. */
int flat_entry_read_blob(uint8_t **blob, size_t *size,
        const struct directory_store *store, const char *name, size_t id_size,
        const uint8_t *id);

/* Reads the ID, which is item->id and the caller's to free, and what else is
 * known of the entry. Does not read the blob, so damage is not seen. */
int flat_entry_read_item(struct dnnl_cache_store_item *item, uint8_t **id,
        const struct directory_store *store, const char *name);

/* Is the entry intact, whatever its ID? *size: its blob's. */
int flat_entry_check(
        size_t *size, const struct directory_store *store, const char *name);

/* Fills in all but the slot. Never EBADMSG. */
int flat_entry_measure(struct directory_entry *entry,
        const struct directory_store *store, const char *name);

#endif /* DNNL_CACHE_STORES_FLAT_ENTRY_H */
