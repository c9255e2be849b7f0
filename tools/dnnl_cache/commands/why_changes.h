/* SPDX-License-Identifier: Apache-2.0 */
/* why_changes.h: what stands behind ingredients that are digests: which files
 * are others, and in which lines. */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_WHY_CHANGES_H
#define DNNL_CACHE_TOOLS_COMMANDS_WHY_CHANGES_H

#include "tools/common/text/json.h"
#include "tools/dnnl_cache/view/subject.h"

struct why_changes {
    const struct subject *a;
    const struct subject *b;
    const char *names; /* of the ingredients that differ */
    bool nearest;      /* b is the entry that was there before */
};

/* After the table of ingredients. exit_ok, or a message and exit_io. */
enum tool_exit why_changes_write(
        const struct why_changes *changes, struct tool *tool);

/* The members "included_files", "driver_files" (null: the ingredients do not
 * differ, or the files are not known) and "lines". */
enum tool_exit why_changes_write_json(const struct why_changes *changes,
        struct tool *tool, struct json *json);

#endif /* DNNL_CACHE_TOOLS_COMMANDS_WHY_CHANGES_H */
