/* SPDX-License-Identifier: Apache-2.0 */
/* journal_append.h: writes notes to a journal, or to a record (recording.h). */
#ifndef DNNL_CACHE_STORES_JOURNAL_JOURNAL_APPEND_H
#define DNNL_CACHE_STORES_JOURNAL_JOURNAL_APPEND_H

#include "stores/core/store_internal.h"
#include "stores/journal/journal_note.h"

/* Can notes be written? */
bool journal_is_writable(const dnnl_cache_store_handle_t *store);

/* A caller built with an older or newer header has another struct. False: it
 * cannot be read. */
bool journal_copy_note(dnnl_cache_note_t *copy, const dnnl_cache_note_t *note);

/* When builds are used: once in a period it is noted. */
struct journal_uses {
    uint64_t time_ns; /* since the epoch */
    uint64_t period_ns;
};

/* As dnnl_cache_store_journal_append(), of any kind of note. uses: NULL: they
 * are not noted. */
dnnl_status_t journal_append(dnnl_cache_store_handle_t *store,
        const dnnl_cache_note_t *note, const struct journal_writer *writer,
        const struct journal_uses *uses);

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_APPEND_H */
