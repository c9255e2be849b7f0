/* SPDX-License-Identifier: Apache-2.0 */
/* record_view.h: the programs of a record, each with what belongs to it. */
#ifndef DNNL_CACHE_TOOLS_VIEW_RECORD_VIEW_H
#define DNNL_CACHE_TOOLS_VIEW_RECORD_VIEW_H

#include <dnnl_cache/journal.h>

enum { record_name_size = 13 };

/* Of a program, by its ID in the record. */
void record_name(
        char name[record_name_size], size_t id_size, const uint8_t *id);

struct record_program {
    const struct dnnl_cache_store_journal_item *build;
    char name[record_name_size];
    /* Kernels and launches, in the record's order; the view's. */
    const struct dnnl_cache_store_journal_item **parts;
    size_t part_count;
    size_t kernel_count;
    size_t launch_count;
    bool stays; /* for its user to set */
};

struct record_view {
    const struct dnnl_cache_store_journal_list *list;
    struct record_program *programs; /* owned; in the record's order */
    size_t count;
    const struct dnnl_cache_store_journal_item **parts; /* owned */
    void *table;                                        /* owned */
};

/* Of a list, which outlives it. False: out of memory. */
bool record_view_make(struct record_view *view,
        const struct dnnl_cache_store_journal_list *list);
/* A zeroed view is fine. */
void record_view_fini(struct record_view *view);

/* What is linked to programs that stay has to stay, too. */
void record_view_keep_inputs(struct record_view *view);

/* NULL: it is not in the record. */
const struct record_program *record_view_find(
        const struct record_view *view, size_t id_size, const uint8_t *id);

/* What it is made of: sources, IL and headers. */
uint64_t record_program_bytes(const struct record_program *program);

#endif /* DNNL_CACHE_TOOLS_VIEW_RECORD_VIEW_H */
