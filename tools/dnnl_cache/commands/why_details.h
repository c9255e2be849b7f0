/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_details.h: what is known of two subjects that differ, for
 * why_changes.c: loaded by why_details.c, written by why_files.c (files that
 * differ) and why_lines.c (their lines).
 */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_WHY_DETAILS_H
#define DNNL_CACHE_TOOLS_COMMANDS_WHY_DETAILS_H

#include "tools/common/state/driver_names.h"
#include "tools/dnnl_cache/commands/why_changes.h"
#include "tools/dnnl_cache/view/known_texts.h"
#include "tools/dnnl_cache/view/named_files.h"
#include "tools/dnnl_cache/view/parts.h"

/* What is known of one of the two. */
struct why_side {
    const struct subject *subject;
    char name[catalog_short_digits + 1];
    struct parts parts;
    struct named_files included;
    bool includes_nothing; /* false: it does, or that cannot be told */
    struct driver_part *driver_parts; /* owned */
    size_t driver_part_count;
    struct named_files driver;
};

struct why_details {
    const struct why_changes *changes;
    struct tool *tool;
    struct why_side a;
    struct why_side b;
    struct known_texts texts;
    struct json *json; /* NULL: text */
    bool out_of_memory;
};

/* Does this ingredient differ? */
bool why_details_has(const struct why_details *d, const char *ingredient);

/* Do the included files differ, or where they are? Else another key does. */
bool why_details_has_other_includes(const struct why_details *d);

/* json: NULL for text. To be ended by why_details_fini(), whatever it returns.
 */
enum tool_exit why_details_load(struct why_details *d,
        const struct why_changes *changes, struct tool *tool,
        struct json *json);
void why_details_fini(struct why_details *d);

/* Included files and files of the driver that differ. */
void why_files_write(struct why_details *d);
void why_files_write_json(struct why_details *d);

/* Lines of the source and of included files that differ, where the texts of
 * both are known; as text or as elements of an array. */
void why_lines_show(struct why_details *d);

#endif /* DNNL_CACHE_TOOLS_COMMANDS_WHY_DETAILS_H */
