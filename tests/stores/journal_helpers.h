/* SPDX-License-Identifier: Apache-2.0 */
/* journal_helpers.h: notes for tests, and what a journal has. */
#ifndef DNNL_CACHE_TESTS_JOURNAL_HELPERS_H
#define DNNL_CACHE_TESTS_JOURNAL_HELPERS_H

#include "dnnl_cache/journal.h"
#include "dnnl_cache/store_types.h"

#include <stdbool.h>
#include <stddef.h>

/* A build of one source under a short ID; static lists, for one at a time. */
dnnl_cache_note_t note_of_build(const char *id, const char *source);
dnnl_cache_note_t note_of_launch(
        const char *id, const char *kernel, size_t local_size);

/* A store of a type, in the test's directory. */
dnnl_cache_store_handle_t *open_type(
        const struct dnnl_cache_store_type *type, bool read_only);

/* That store's journal: a static text; its size is 0 if it is not there. */
const char *journal_path(const struct dnnl_cache_store_type *type);
size_t size_of_journal(const struct dnnl_cache_store_type *type);

/* Such notes, appended. */
dnnl_status_t append_build(
        dnnl_cache_store_handle_t *store, const char *id, const char *text);
dnnl_status_t append_launch(dnnl_cache_store_handle_t *store, const char *id,
        const char *kernel, size_t local_size);

/* All notes, a line each: "build ID source|source options", "launch ID kernel
 * local", in the journal's order. The text is static. */
const char *journal_lines(dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_TESTS_JOURNAL_HELPERS_H */
