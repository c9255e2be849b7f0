/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import: the archive is read twice. First all of it is checked, so that of a
 * damaged one nothing is imported; then each entry is checked again and put.
 */
#include "src/platform/environment.h"
#include "tools/common/text/json.h"
#include "tools/dnnl_cache/archive/archive.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/subject.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct import {
    struct tool *tool;
    const char *path;
    struct archive_reader *reader;
    struct progress progress;
    const char *damage; /* NULL: none */
    char reason[tool_reason_size + 80];
    uint64_t entries;
    uint64_t imported;
    uint64_t unchanged; /* were in the store already */
    uint64_t left_out;  /* of a newer format */
};

static enum tool_exit is_damaged(struct import *im, const char *reason)
{
    snprintf(im->reason, sizeof im->reason, "%s", reason);
    im->damage = im->reason;
    return exit_found;
}

/* Is it the blob of its ID? False after a note of the damage if not; *newer if
 * this library cannot tell. */
static bool check_entry(
        struct import *im, bool *newer, const struct archive_entry *entry)
{
    dnnl_cache_blob_info_t info;
    const dnnl_status_t st = subject_check_blob(im->tool, &info, entry->id_size,
            entry->id, entry->blob_size, entry->blob);
    *newer = st == dnnl_cache_blob_unsupported;
    if (*newer || (st == dnnl_success && info.kind == entry->kind)) return true;
    char name[catalog_name_size];
    char reason[sizeof im->reason];
    entry_name(name, entry->id_size, entry->id);
    snprintf(reason, sizeof reason, "entry %s: %s", name,
            st == dnnl_success ? "a blob of another kind" : im->tool->reason);
    (void)is_damaged(im, reason);
    return false;
}

static enum tool_exit put_entry(
        struct import *im, const struct archive_entry *entry)
{
    switch (keep_or_tell(im->tool, &im->progress, entry)) {
    case kept_new:
        im->imported++;
        return exit_ok;
    case kept_unchanged:
        im->unchanged++;
        return exit_ok;
    case kept_not:
    case kept_not_full:
    case kept_not_too_large:
        break;
    }
    return exit_io;
}

/* Reads the archive from the beginning to the end, and puts the entries into
 * the store if put is true. */
static enum tool_exit pass(struct import *im, bool put)
{
    struct archive_entry entry;
    enum archive_status st;
    im->entries = 0;
    im->left_out = 0;
    progress_init(&im->progress, im->tool, put ? "importing" : "checking",
            archive_reader_size(im->reader));
    while ((st = archive_reader_next(im->reader, &entry)) == archive_ok) {
        bool newer;
        enum tool_exit code = exit_ok;
        if (!check_entry(im, &newer, &entry))
            code = exit_found;
        else if (newer)
            im->left_out++;
        else if (put)
            code = put_entry(im, &entry);
        if (code != exit_ok) return code;
        im->entries++;
        progress_set(&im->progress, archive_reader_at(im->reader));
    }
    if (st == archive_end) return exit_ok;
    if (st != archive_failed)
        return is_damaged(im, archive_reader_reason(im->reader));
    progress_clear(&im->progress);
    tool_error(im->tool, "%s: %s", im->path, strerror(errno));
    return exit_io;
}

static enum tool_exit read_archive(struct import *im)
{
    const bool from_input = strcmp(im->path, "-") == 0;
    if (from_input && process_has_terminal(stdin)) {
        tool_error(im->tool,
                "refusing to read an archive from a terminal: name a file");
        return exit_usage;
    }
    int error = from_input ? archive_reader_open_stream(&im->reader, stdin)
                           : archive_reader_open(&im->reader, im->path);
    if (error != 0) {
        tool_error(im->tool, "%s: %s", im->path,
                error == EINVAL ? "not a regular file" : strerror(error));
        return exit_io;
    }
    enum tool_exit code = pass(im, false);
    progress_clear(&im->progress);
    if (code == exit_ok) code = keep_open(im->tool, tool_access_make);
    if (code == exit_ok) {
        error = archive_reader_rewind(im->reader);
        if (error != 0) {
            tool_error(im->tool, "%s: %s", im->path, strerror(error));
            return exit_io;
        }
        code = pass(im, true);
        progress_clear(&im->progress);
    }
    return code;
}

static void report(const struct import *im, struct tool *tool)
{
    if (tool->options->json) {
        struct json json;
        tool_json_begin(&json, tool, "import");
        json_text(&json, "file", im->path);
        json_number(&json, "entries", im->entries);
        json_number(&json, "imported", im->imported);
        json_number(&json, "unchanged", im->unchanged);
        json_number(&json, "left_out", im->left_out);
        json_text(&json, "damage", im->damage);
        json_end_object(&json);
    } else if (tool_reports(tool) && im->damage == NULL) {
        fprintf(tool->out,
                "%" PRIu64 " imported, %" PRIu64 " already there, %" PRIu64
                " skipped\n",
                im->imported, im->unchanged, im->left_out);
    }
}

static int run_import(struct tool *tool)
{
    struct import im = {.tool = tool, .path = tool->options->arguments[0]};
    enum tool_exit code = read_archive(&im);
    if (code == exit_ok || code == exit_found) report(&im, tool);
    if (im.damage != NULL)
        tool_error(tool, "%s: %s: %s", im.path, im.damage,
                im.imported + im.unchanged > 0
                        ? "the file changed while it was read"
                        : "nothing was imported");
    if (code == exit_ok && im.left_out > 0) {
        tool_warn(tool,
                "%s: %" PRIu64 " entries have a newer format than this "
                "library supports",
                im.path, im.left_out);
        code = exit_found;
    }
    archive_reader_close(im.reader);
    return (int)code;
}

static const char import_help[] =
        "FILE - is standard input. The store is created if its place does "
        "not\nexist or is an empty directory. The whole archive is checked "
        "first: if\nit is damaged, nothing is imported and the exit status is "
        "1. Entries\nof a newer format are skipped, and the exit status is "
        "1.\n";

const struct command command_import = {.name = "import",
        .arguments = "FILE",
        .purpose = "Add the entries of an archive to the store",
        .details = import_help,
        .takes_url = true,
        .min_arguments = 1,
        .max_arguments = 1,
        .run = run_import};
