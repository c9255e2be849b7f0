/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.h: launches for which an entry has no code yet, by the journal. */
#ifndef DNNL_CACHE_TOOLS_VIEW_WAITING_H
#define DNNL_CACHE_TOOLS_VIEW_WAITING_H

#include "tools/dnnl_cache/base/tool.h"

#include <dnnl_cache/journal.h>

struct waiting {
    struct dnnl_cache_store_journal_list *list; /* NULL: none */
};

/* Reads the journal of the open store. One that cannot be read has nothing. */
void waiting_load(struct waiting *waiting, struct tool *tool);
void waiting_fini(struct waiting *waiting);

/* Calls visit for each launch of an entry that its blob (NULL: not known)
 * lacks: "KERNEL CLASS", as launch_class.h writes classes. */
void waiting_for_each(const struct waiting *waiting, size_t id_size,
        const uint8_t *id, size_t blob_size, const uint8_t *blob,
        void (*visit)(void *user, const char *launch), void *user);

/* The same as one text with commas, the caller's to free; "" for none; NULL if
 * memory ran out. */
char *waiting_text(const struct waiting *waiting, size_t id_size,
        const uint8_t *id, size_t blob_size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_VIEW_WAITING_H */
