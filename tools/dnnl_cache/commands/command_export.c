/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/environment.h"
#include "tools/common/text/json.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/archive/archive.h"
#include "tools/dnnl_cache/archive/seed_writer.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/subject.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { export_max_warnings = 10 };

struct exporter {
    struct tool *tool;
    const char *path;
    bool to_output;                /* the path is "-" */
    struct archive_writer *writer; /* of an archive, or */
    struct seed_writer *seed;
    struct progress progress;
    uint64_t written;
    uint64_t working_sets;
    uint64_t left_out; /* damaged, foreign, of a newer format */
    uint64_t bytes;
};

/* Leaves the entries that the command line names. */
static enum tool_exit select_entries(struct catalog *catalog, struct tool *tool)
{
    const struct options *options = tool->options;
    enum tool_exit code = exit_ok;
    if (options->argument_count == 1) return exit_ok;
    bool *wanted = calloc(catalog->count + 1, sizeof *wanted);
    if (wanted == NULL) return tool_no_memory(tool);
    catalog_sort_by_name(catalog);
    for (size_t i = 1; i < options->argument_count && code == exit_ok; i++) {
        const struct entry *entry;
        code = catalog_find(catalog, &entry, tool, options->arguments[i]);
        if (code == exit_ok) wanted[entry - catalog->entries] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < catalog->count; i++)
        if (wanted[i])
            catalog->entries[kept++] = catalog->entries[i];
        else
            entry_fini(&catalog->entries[i]);
    catalog->count = kept;
    free(wanted);
    return code;
}

static enum tool_exit writing_failed(struct exporter *e, int error)
{
    progress_clear(&e->progress);
    tool_error(e->tool, "%s: %s", e->path, strerror(error));
    return exit_io;
}

static void leave_out(
        struct exporter *e, const struct entry *entry, const char *reason)
{
    /* A store of another use may have thousands of them. */
    if (e->left_out++ >= export_max_warnings) return;
    progress_clear(&e->progress);
    tool_warn(e->tool, "%s skipped: %s", entry->name, reason);
}

static enum tool_exit add_blob(struct exporter *e, const struct entry *entry,
        size_t size, const uint8_t *blob)
{
    dnnl_cache_blob_info_t info;
    const struct dnnl_cache_store_entry *item = &entry->item;
    /* Another store gets its own once an application has used it. */
    if (entry->is_working_set) {
        e->working_sets++;
        return exit_ok;
    }
    if (subject_check_blob(e->tool, &info, item->id_size, item->id, size, blob)
            != dnnl_success) {
        leave_out(e, entry, e->tool->reason);
        return exit_ok;
    }
    const struct archive_entry added = {.kind = info.kind,
            .compile_ns = item->compile_ns,
            .id_size = item->id_size,
            .id = item->id,
            .blob_size = size,
            .blob = blob};
    enum tool_exit code = exit_ok;
    if (e->seed != NULL) {
        code = seed_writer_add(e->seed, &added);
    } else {
        const int error = archive_writer_add(e->writer, &added);
        if (error != 0) code = writing_failed(e, error);
    }
    e->written += code == exit_ok;
    return code;
}

static enum tool_exit add_entry(struct exporter *e, const struct entry *entry)
{
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(e->tool->store);
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    const uint8_t *blob;
    size_t size;
    (void)dnnl_cache_store_get_statistics(e->tool->store, &before);
    const dnnl_status_t st = store->get(
            store->user, entry->item.id_size, entry->item.id, &size, &blob);
    (void)dnnl_cache_store_get_statistics(e->tool->store, &after);
    if (st == dnnl_cache_miss) {
        /* Else it was removed since it was listed, which is no damage. */
        if (after.damaged > before.damaged)
            leave_out(e, entry, "damaged (see dnnl-cache verify)");
        return exit_ok;
    }
    if (st != dnnl_success) {
        progress_clear(&e->progress);
        return tool_check(e->tool, "get", st);
    }
    const enum tool_exit code = add_blob(e, entry, size, blob);
    store->release(store->user, size, blob);
    return code;
}

static enum tool_exit open_file(struct exporter *e)
{
    if (e->tool->options->seed)
        return seed_writer_open(&e->seed, e->tool, e->path);
    const int error =
            e->to_output ? archive_writer_open_stream(&e->writer, e->tool->out)
                         : archive_writer_open(&e->writer, e->path);
    return error != 0 ? writing_failed(e, error) : exit_ok;
}

static enum tool_exit finish_file(struct exporter *e)
{
    progress_clear(&e->progress);
    if (e->seed != NULL) return seed_writer_finish(e->seed, &e->bytes);
    const int error = archive_writer_finish(e->writer);
    e->bytes = archive_writer_bytes(e->writer);
    return error != 0 ? writing_failed(e, error) : exit_ok;
}

static enum tool_exit write_file(
        struct exporter *e, const struct catalog *catalog)
{
    enum tool_exit code = open_file(e);
    if (code != exit_ok) return code;
    progress_init(&e->progress, e->tool, "exporting", catalog->count);
    for (size_t i = 0; i < catalog->count && code == exit_ok; i++) {
        code = add_entry(e, &catalog->entries[i]);
        progress_set(&e->progress, i + 1);
    }
    if (code == exit_ok) code = finish_file(e);
    progress_clear(&e->progress);
    return code;
}

static void report(const struct exporter *e, struct tool *tool)
{
    if (tool->options->json) {
        struct json json;
        tool_json_begin(&json, tool, "export");
        json_text(&json, "file", e->path);
        json_number(&json, "entries", e->written);
        json_number(&json, "left_out", e->left_out);
        json_number(&json, "archive_bytes", e->bytes);
        json_end_object(&json);
    } else if (tool_reports(tool)) {
        char size[units_text_size];
        units_print_size(size, e->bytes);
        fprintf(e->to_output ? tool->err : tool->out,
                "%" PRIu64 " exported with %s, %" PRIu64 " skipped", e->written,
                size, e->left_out);
        if (e->working_sets > 0)
            fprintf(e->to_output ? tool->err : tool->out,
                    "; lists of working sets that stay here: %" PRIu64,
                    e->working_sets);
        fputc('\n', e->to_output ? tool->err : tool->out);
    }
}

/* May the archive be written where it is to be? */
static enum tool_exit check_output(const struct exporter *e, struct tool *tool)
{
    char place[place_path_size];
    if (tool->options->sign_key != NULL && !tool->options->seed) {
        tool_error(tool, "--sign-key is for a seed: add --seed");
        return exit_usage;
    }
    if (!e->to_output) {
        if (!place_path(place, tool->options) || !place_has(place, e->path))
            return exit_ok;
        tool_error(tool, "%s is part of the store: name another file", e->path);
        return exit_usage;
    }
    if (tool->options->seed)
        tool_error(
                tool, "a seed is not written to standard output: name a file");
    else if (tool->options->json)
        tool_error(tool, "cannot write the archive and --json to one output");
    else if (process_has_terminal(tool->out))
        tool_error(tool,
                "refusing to write an archive to a terminal: name a file");
    else
        return exit_ok;
    return exit_usage;
}

static int run_export(struct tool *tool)
{
    struct exporter e = {.tool = tool, .path = tool->options->arguments[0]};
    struct catalog catalog = {0};
    e.to_output = strcmp(e.path, "-") == 0;
    enum tool_exit code = check_output(&e, tool);
    if (code == exit_ok) code = tool_open(tool, tool_access_read);
    if (code == exit_ok) code = catalog_load(&catalog, tool, catalog_keep_ids);
    if (code == exit_ok) code = select_entries(&catalog, tool);
    if (code == exit_ok) {
        catalog_sort_by_id(&catalog);
        code = write_file(&e, &catalog);
    }
    if (e.left_out > export_max_warnings)
        tool_warn(tool, "%" PRIu64 " more skipped (see dnnl-cache verify)",
                e.left_out - export_max_warnings);
    if (code == exit_ok) report(&e, tool);
    if (code == exit_ok && e.left_out > 0) code = exit_found;
    if (code <= exit_found) code = tool_report_damage(tool, code);
    archive_writer_close(e.writer);
    seed_writer_close(e.seed);
    catalog_fini(&catalog);
    return (int)code;
}

static const char export_help[] =
        "FILE - is standard output. The same entries give the same "
        "bytes.\nDamaged entries and those of a newer format are skipped, and "
        "the exit\nstatus is 1. --seed writes a store in one file, to be "
        "shipped with an\napplication or an image and named by "
        "DNNL_CACHE_SEED; with --sign-key\neach of its entries is signed, for "
        "who names the public key with\nDNNL_CACHE_SEED_PUBLIC_KEY. Lists of "
        "working sets are not exported.\n";

const struct command command_export = {.name = "export",
        .arguments = "FILE [ENTRY ...]",
        .purpose = "Write all entries, or those named, to an archive",
        .details = export_help,
        .options = "seed sign-key id-list",
        .takes_url = true,
        .min_arguments = 1,
        .max_arguments = SIZE_MAX,
        .run = run_export};
