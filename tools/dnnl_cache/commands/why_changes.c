/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/why_details.h"

static enum tool_exit end(struct why_details *d, enum tool_exit code)
{
    if (code == exit_ok && d->out_of_memory) code = tool_no_memory(d->tool);
    why_details_fini(d);
    return code;
}

enum tool_exit why_changes_write(
        const struct why_changes *changes, struct tool *tool)
{
    struct why_details d;
    const enum tool_exit code = why_details_load(&d, changes, tool, NULL);
    if (code == exit_ok) {
        why_files_write(&d);
        why_lines_show(&d);
    }
    return end(&d, code);
}

enum tool_exit why_changes_write_json(
        const struct why_changes *changes, struct tool *tool, struct json *json)
{
    struct why_details d;
    const enum tool_exit code = why_details_load(&d, changes, tool, json);
    why_files_write_json(&d);
    json_begin_array(json, "lines");
    why_lines_show(&d);
    json_end_array(json);
    return end(&d, code);
}
