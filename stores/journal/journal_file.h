/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal_file.h: the file of a journal, and what this process knows of it.
 *
 * Writers hold the file's lock. A file is only ever appended to, and replaced
 * when notes are dropped: so what was read once stays true as long as the name
 * leads to the same file. Functions return 0 or an errno value; EPERM: what has
 * the name is not a journal that may be used.
 */
#ifndef DNNL_CACHE_STORES_JOURNAL_JOURNAL_FILE_H
#define DNNL_CACHE_STORES_JOURNAL_JOURNAL_FILE_H

#include "stores/core/journal_state.h"
#include "stores/core/store_internal.h"
#include "stores/journal/journal_format.h"

/* Larger files are not read, and begun anew by a writer. */
#define JOURNAL_MOST_BYTES (2 * JOURNAL_MAX_BYTES)

/* A journal opened and locked for writing. */
struct journal_file {
    struct store_place place;
    int fd;
};

/* Opens it, made if it is missing, and takes its lock. Then journal->keys and
 * journal->end are up to date, and what a writer that died left behind that end
 * is gone. journal->lock is held. */
int journal_file_open(struct journal_file *file,
        dnnl_cache_store_handle_t *store, unsigned timeout_ms);
void journal_file_close(struct journal_file *file);

/* Has the name of the file that is known changed hands? Needs no file lock;
 * journal->lock is held. */
bool journal_file_is_known(dnnl_cache_store_handle_t *store);

/* Writes bytes at the end, all or nothing. ENOBUFS: the journal is full, which
 * no system call says of the disk or of the process (EFBIG). */
int journal_file_append(struct journal_file *file,
        dnnl_cache_store_handle_t *store, const struct journal_bytes *bytes);

/* Puts a new file of these bytes in its place. */
int journal_file_replace(struct journal_file *file,
        dnnl_cache_store_handle_t *store, const struct journal_bytes *bytes);

/* Takes the lock of who drains the journal. The caller frees *fd. */
int journal_file_lock_drain(
        int *fd, dnnl_cache_store_handle_t *store, unsigned timeout_ms);

/* Reads all of it, without the lock. ENOENT: there is none. The caller frees
 * *data. */
int journal_file_read(
        uint8_t **data, size_t *size, dnnl_cache_store_handle_t *store);

/* Likewise, as much as there is of its head. */
int journal_file_read_head(
        uint8_t **data, size_t *size, dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_FILE_H */
