/* SPDX-License-Identifier: Apache-2.0 */
/* known_texts.h: sources and headers that a record or a journal has, by the
 * digests that IDs and blobs have of them. */
#ifndef DNNL_CACHE_TOOLS_VIEW_KNOWN_TEXTS_H
#define DNNL_CACHE_TOOLS_VIEW_KNOWN_TEXTS_H

#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/view/text_diff.h"

#include <dnnl_cache/journal.h>

/* All zero: nothing is known. */
struct known_texts {
    struct dnnl_cache_store_journal_list *record;  /* NULL: none */
    struct dnnl_cache_store_journal_list *journal; /* NULL: none */
};

/* Is there a record of that path? If not, *complaint is what its reader says,
 * of tool_reason_size. */
bool known_texts_is_record(const char *record, char *complaint);

/* Reads the record of that path (NULL: none) and the journal of the tool's
 * store, if it is open and on this machine. What cannot be read is not known;
 * *complaint is set to what the record's reader says, if it is not, of
 * tool_reason_size. known_texts_fini() follows. */
void known_texts_load(struct known_texts *known, const struct tool *tool,
        const char *record, char *complaint);
void known_texts_fini(struct known_texts *known);

/* The sources of a program, laid end to end, by the ingredient "source" of its
 * ID: owned by the caller, who frees text. False: not known, or no memory. */
bool known_texts_source(struct text_piece *source,
        const struct known_texts *known, size_t digest_size,
        const uint8_t *digest);

/* What an included file held, by the beginning of the digest; the list's. */
bool known_texts_file(struct text_piece *file, const struct known_texts *known,
        size_t digest_size, const uint8_t *digest);

#endif /* DNNL_CACHE_TOOLS_VIEW_KNOWN_TEXTS_H */
