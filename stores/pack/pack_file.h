/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_file.h: the files of a pack store, seen from outside.
 *
 * Nothing here opens the database file: closing any descriptor of it would
 * free the locks that SQLite holds on it in this process. Functions that
 * return an int give 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_FILE_H
#define DNNL_CACHE_STORES_PACK_PACK_FILE_H

#include "stores/core/store_internal.h"

/* Which file a name leads to. */
struct pack_identity {
    uint64_t device;
    uint64_t inode;
};

struct pack_file {
    char *directory; /* absolute, without links; owned */
    char *path;      /* in there; owned */
};

/* Finds out where the file is, making its directory if it may. EPERM: the
 * directory is not safe; the store's log has been told why. */
int pack_file_locate(
        struct pack_file *file, const dnnl_cache_store_handle_t *store);

/* Frees what pack_file_locate() made; a zeroed one is fine. */
void pack_file_fini(struct pack_file *file);

/* Makes an empty file if there is none and make says so, refuses one that is
 * not safe (EPERM, the log has been told), and takes away what has the name of
 * a journal and is no file. */
int pack_file_prepare(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, bool make,
        struct pack_identity *identity);

/* True if the name still leads to that file. */
bool pack_file_is(
        const struct pack_file *file, const struct pack_identity *identity);

/* Is there a link, a FIFO, a directory in place of the journal? Then
 * pack_file_prepare() has to take it away before SQLite comes upon it. */
bool pack_file_is_obstructed(const struct pack_file *file);

/* Has the database or its journal a second name? Then it is in a copy of the
 * store, too, which must not change: see store_detach.h. */
bool pack_file_has_second_name(const struct pack_file *file);

/* Before the file is changed: 0; ESTALE: the name leads to another one; EMLINK:
 * it has a second name, or its journal has. */
int pack_file_may_change(
        const struct pack_file *file, const struct pack_identity *identity);

/* Puts copies in the place of what has a second name. The caller holds SQLite's
 * exclusive lock, so the journal has nothing that is to be undone. */
int pack_file_detach(
        const struct pack_file *file, const dnnl_cache_store_handle_t *store);

/* Takes the name away from a file that has a second one, if it still is that
 * one. */
int pack_file_leave(
        const struct pack_file *file, const struct pack_identity *identity);

/* May this process write to the file and beside it? A missing file counts as
 * its directory does. */
bool pack_file_is_writable(const struct pack_file *file);

/* Is there hardly any room on the disk? */
bool pack_file_disk_is_full(const struct pack_file *file);

/* Bytes of the database; 0 if it is not there. */
uint64_t pack_file_size(const struct pack_file *file);

/* Bytes of the database and all that SQLite keeps beside it. */
uint64_t pack_file_bytes(const struct pack_file *file);

/* "<path>.journal" and "<path>-totals". There are no totals of a database that
 * is not there (ENOENT); a journal outlives it. */
int pack_file_find_place(struct store_place *place,
        const struct pack_file *file, enum store_beside beside);

/* Gives the file another name, if it still is that one. */
int pack_file_move_aside(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store,
        const struct pack_identity *identity);

#endif /* DNNL_CACHE_STORES_PACK_PACK_FILE_H */
