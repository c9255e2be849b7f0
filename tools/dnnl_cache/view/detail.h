/* SPDX-License-Identifier: Apache-2.0 */
/* detail.h: by what people know an entry: options, operation, kernels. */
#ifndef DNNL_CACHE_TOOLS_VIEW_DETAIL_H
#define DNNL_CACHE_TOOLS_VIEW_DETAIL_H

#include "tools/dnnl_cache/view/catalog.h"
#include "tools/dnnl_cache/view/parts.h"

struct detail {
    char *build_options;  /* "" if its ID has none */
    char *implementation; /* of a primitive, else "" */
    bool has_parts;       /* its blob was there, and intact */
    struct parts parts;   /* points into the blob */
    size_t size;
    const uint8_t *blob; /* the store's, until detail_fini() */
};

/* The entry is kept with its ID; its blob is read. Damage is counted in
 * tool->damaged. exit_ok, or a message and exit_io; detail_fini() either way.
 */
enum tool_exit detail_load(
        struct detail *detail, struct tool *tool, const struct entry *entry);
void detail_fini(struct detail *detail, struct tool *tool);

/* Kernels' names, each once, the caller's to free: "copy, fill"; NULL if memory
 * ran out. */
char *detail_kernels(const struct detail *detail);

/* Members of the object that was begun; null what is not known. */
void detail_write_json(const struct detail *detail, struct json *json);

#endif /* DNNL_CACHE_TOOLS_VIEW_DETAIL_H */
