/* SPDX-License-Identifier: Apache-2.0 */
/* replay_list.h: a record's notes with the IDs of one device. */
#ifndef DNNL_CACHE_TOOLS_REPLAY_REPLAY_LIST_H
#define DNNL_CACHE_TOOLS_REPLAY_REPLAY_LIST_H

#include "tools/dnnl_cache/replay/replay_names.h"

/* An item and its note, with the ID that it has here. */
struct replay_item {
    struct dnnl_cache_store_journal_item item;
    dnnl_cache_note_t note;
};

struct replay_list {
    struct dnnl_cache_store_journal_list list; /* of those that have an ID */
    /* Owned: the list's items, and what they point to. */
    const struct dnnl_cache_store_journal_item **pointers;
    struct replay_item *items;
    size_t *input_sizes;    /* owned */
    const uint8_t **inputs; /* owned */
    size_t nameless;        /* builds that have no ID here */
    size_t unfit;           /* launches that are too large for the device */
};

/* What it points to outlives it. False: out of memory. */
bool replay_list_make(struct replay_list *list,
        const struct dnnl_cache_store_journal_list *record,
        const struct replay_names *names);
void replay_list_fini(struct replay_list *list);

#endif /* DNNL_CACHE_TOOLS_REPLAY_REPLAY_LIST_H */
