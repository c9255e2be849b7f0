/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: what one store has and another lacks. Each entry is checked before it
 * is put, and what the other would hand out is not put again, so a copy that
 * was interrupted goes on where it stopped. What is there and is of another
 * key, or damaged, is replaced.
 */
#include "src/platform/file.h"
#include "tools/common/text/json.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/subject.h"

#include <inttypes.h>
#include <string.h>

enum { copy_max_warnings = 10 };

/* A store beside the run's own. */
struct side {
    struct tool tool;
    struct options options;
};

struct copy {
    struct tool *tool;
    struct side from;
    struct side to;
    struct progress progress;
    uint64_t copied;
    uint64_t unchanged;
    uint64_t left_out; /* damaged, foreign, of a newer format */
    uint64_t bytes;
};

static enum tool_exit side_open(struct side *side, struct tool *tool,
        const char *place, enum tool_access access)
{
    side->options = *tool->options;
    side->options.store = place;
    side->tool = *tool;
    side->tool.options = &side->options;
    side->tool.store = NULL;
    const enum tool_exit code = place_open(&side->tool, access, true);
    tool->is_store_told = side->tool.is_store_told;
    return code;
}

static void side_close(struct side *side)
{
    dnnl_cache_store_close(side->tool.store);
    side->tool.store = NULL;
}

/* Would it hand out the entry? What it refuses is put again: no message. */
static enum tool_exit has(bool *is_there, struct copy *copy,
        const struct dnnl_cache_store_entry *item)
{
    struct tool *to = &copy->to.tool;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(to->store);
    const uint8_t *blob = NULL;
    size_t size = 0;
    to->is_hushed = true;
    const dnnl_status_t st =
            s->get(s->user, item->id_size, item->id, &size, &blob);
    to->is_hushed = false;
    *is_there = st == dnnl_success;
    if (*is_there) s->release(s->user, size, blob);
    if (st != dnnl_success && st != dnnl_cache_miss)
        return tool_check(to, "look up", st);
    to->complaint[0] = '\0';
    return exit_ok;
}

static void leave_out(
        struct copy *copy, const struct entry *entry, const char *reason)
{
    if (copy->left_out++ >= copy_max_warnings) return;
    progress_clear(&copy->progress);
    tool_warn(copy->tool, "%s skipped: %s", entry->name, reason);
}

static enum tool_exit put(struct copy *copy, const struct entry *entry,
        size_t size, const uint8_t *blob)
{
    dnnl_cache_blob_info_t info;
    if (subject_check_blob(copy->tool, &info, entry->item.id_size,
                entry->item.id, size, blob)
            != dnnl_success) {
        leave_out(copy, entry, copy->tool->reason);
        return exit_ok;
    }
    const struct archive_entry kept = {.kind = info.kind,
            .compile_ns = entry->item.compile_ns,
            .id_size = entry->item.id_size,
            .id = entry->item.id,
            .blob_size = size,
            .blob = blob};
    switch (keep_or_tell(&copy->to.tool, &copy->progress, &kept)) {
    case kept_new:
        copy->copied++;
        copy->bytes += size;
        return exit_ok;
    case kept_unchanged:
        copy->unchanged++;
        return exit_ok;
    case kept_not:
    case kept_not_full:
    case kept_not_too_large:
        break;
    }
    return exit_io;
}

static enum tool_exit copy_entry(struct copy *copy, const struct entry *entry)
{
    struct tool *from = &copy->from.tool;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(from->store);
    const uint8_t *blob;
    size_t size;
    bool is_there = false;
    enum tool_exit code = has(&is_there, copy, &entry->item);
    if (code != exit_ok || is_there) {
        copy->unchanged += is_there;
        return code;
    }
    bool is_damaged = false;
    const dnnl_status_t st = dnnl_cache_store_find(from->store,
            entry->item.id_size, entry->item.id, &size, &blob, &is_damaged);
    if (st == dnnl_cache_miss) {
        /* Else it was removed since it was listed, which is no damage. */
        if (is_damaged) leave_out(copy, entry, "damaged");
        return exit_ok;
    }
    if (st != dnnl_success) {
        progress_clear(&copy->progress);
        return tool_check(from, "get", st);
    }
    code = put(copy, entry, size, blob);
    s->release(s->user, size, blob);
    return code;
}

static enum tool_exit copy_all(struct copy *copy, const struct catalog *catalog)
{
    enum tool_exit code = exit_ok;
    progress_init(&copy->progress, copy->tool, "copying", catalog->count);
    for (size_t i = 0; i < catalog->count && code == exit_ok; i++) {
        code = copy_entry(copy, &catalog->entries[i]);
        progress_set(&copy->progress, i + 1);
    }
    progress_clear(&copy->progress);
    return code;
}

/* Two on one pack would take each other's locks. */
static bool is_one_store(const char *from, const char *to)
{
    struct file_facts a;
    struct file_facts b;
    return strcmp(from, to) == 0
           || (file_facts_at(&a, file_here, from) == 0
                   && file_facts_at(&b, file_here, to) == 0
                   && file_is_same(&a, &b));
}

static enum tool_exit check_places(struct tool *tool)
{
    char **places = tool->options->arguments;
    if (tool->options->store != NULL)
        tool_error(tool, "copy: name both stores as arguments, not --store");
    else if (is_one_store(places[0], places[1]))
        tool_error(tool, "copy: both arguments name one store");
    else
        return exit_ok;
    return exit_usage;
}

static void report(const struct copy *copy, struct tool *tool)
{
    if (tool->options->json) {
        struct json json;
        tool_json_begin(&json, tool, "copy");
        json_number(&json, "copied", copy->copied);
        json_number(&json, "unchanged", copy->unchanged);
        json_number(&json, "left_out", copy->left_out);
        json_number(&json, "bytes", copy->bytes);
        json_end_object(&json);
    } else if (tool_reports(tool)) {
        char size[units_text_size];
        units_print_size(size, copy->bytes);
        fprintf(tool->out,
                "%" PRIu64 " copied with %s, %" PRIu64
                " already there, %" PRIu64 " skipped\n",
                copy->copied, size, copy->unchanged, copy->left_out);
    }
}

/* What there is to be copied is known before a store is made for it. */
static int run_copy(struct tool *tool)
{
    char **places = tool->options->arguments;
    struct copy copy = {.tool = tool};
    struct catalog catalog = {0};
    enum tool_exit code = check_places(tool);
    if (code == exit_ok)
        code = side_open(&copy.from, tool, places[0], tool_access_read);
    if (code == exit_ok)
        code = catalog_load(&catalog, &copy.from.tool, catalog_keep_ids);
    if (code == exit_ok)
        code = side_open(&copy.to, tool, places[1], tool_access_make);
    if (code == exit_ok) code = keep_open(&copy.to.tool, tool_access_make);
    if (code == exit_ok) {
        catalog_sort_by_id(&catalog);
        code = copy_all(&copy, &catalog);
    }
    if (code == exit_ok) {
        report(&copy, tool);
        tool->damaged = copy.from.tool.damaged;
        if (copy.left_out > 0) code = exit_found;
        code = tool_report_damage(tool, code);
    }
    side_close(&copy.from);
    side_close(&copy.to);
    catalog_fini(&catalog);
    return (int)code;
}

static const char copy_help[] =
        "FROM and TO are places or URLs; TO is created as by import. "
        "Damaged\nentries and those of a newer format are skipped, and the "
        "exit status is 1. What TO has and does not accept, such as entries "
        "of\nanother key, is replaced.\nInterrupt it at any time: the next "
        "copy goes on.\n";

const struct command command_copy = {.name = "copy",
        .arguments = "FROM TO",
        .purpose = "Copy what one store has and another lacks",
        .details = copy_help,
        .options = "id-list",
        .takes_url = true,
        .min_arguments = 2,
        .max_arguments = 2,
        .run = run_copy};
