/* SPDX-License-Identifier: Apache-2.0 */
/* record_names.h: what a process has added to a record. */
#ifndef DNNL_CACHE_STORES_JOURNAL_RECORD_NAMES_H
#define DNNL_CACHE_STORES_JOURNAL_RECORD_NAMES_H

#include "stores/core/journal_keys.h"

#include <dnnl_cache/sys/note.h>

/* A program: its IDs on this machine and in the record. */
struct record_name {
    size_t machine_size;
    uint8_t *machine_id; /* owned */
    size_t size;
    const uint8_t *id; /* behind it */
    unsigned launches; /* that were added */
};

/* Zeroed: none. */
struct record_names {
    struct record_name *list; /* owned */
    size_t count;
    struct journal_keys places; /* by hash of the ID on this machine */
};

/* By the ID on this machine; NULL: it was not added. Valid until the next one
 * is. */
struct record_name *record_names_find(
        const struct record_names *names, size_t id_size, const uint8_t *id);

/* False: out of memory. */
bool record_names_add(struct record_names *names, size_t machine_size,
        const uint8_t *machine_id, size_t size, const uint8_t *id);

void record_names_fini(struct record_names *names);

/* The headers of a build, with the texts of files that its compiler read. */
struct record_headers {
    dnnl_cache_note_header_t *list; /* owned */
    char **texts;                   /* owned; of files */
    size_t text_count;
};

/* Puts them into the note: those that it has, and each of its files that has a
 * relative path and is still what was read. False: out of memory. */
bool record_headers_init(
        struct record_headers *headers, dnnl_cache_note_t *note);
void record_headers_fini(struct record_headers *headers);

#endif /* DNNL_CACHE_STORES_JOURNAL_RECORD_NAMES_H */
