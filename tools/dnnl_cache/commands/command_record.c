/* SPDX-License-Identifier: Apache-2.0 */
/* record: shows and changes records of what applications compile. */
#include "src/drivers/launch_class.h"
#include "src/platform/clock.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/record_view.h"

#include <dnnl_cache/recording.h>

#include <stdlib.h>
#include <string.h>

/* ---- Opening ------------------------------------------------------------- */

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    tool_error(user, "%s", text);
}

static enum tool_exit open_record(dnnl_cache_store_handle_t **record,
        struct tool *tool, const char *path, bool read_only)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = path,
            .read_only = read_only,
            .log = hear,
            .log_user = tool};
    return dnnl_cache_recording_open(record, &options) == dnnl_success
                   ? exit_ok
                   : exit_store;
}

/* A record that is read as a whole; zeroed: none. */
struct loaded {
    dnnl_cache_store_handle_t *record;
    struct dnnl_cache_store_journal_list *list;
    struct record_view view;
};

static enum tool_exit load(
        struct loaded *loaded, struct tool *tool, const char *path)
{
    enum tool_exit code = open_record(&loaded->record, tool, path, true);
    if (code != exit_ok) return code;
    if (dnnl_cache_store_journal_load(&loaded->list, loaded->record)
            != dnnl_success) {
        tool_error(tool, "%s: cannot be read", path);
        return exit_io;
    }
    return record_view_make(&loaded->view, loaded->list) ? exit_ok
                                                         : tool_no_memory(tool);
}

static void unload(struct loaded *loaded)
{
    record_view_fini(&loaded->view);
    dnnl_cache_store_journal_free(loaded->list);
    dnnl_cache_store_close(loaded->record);
}

/* ---- list ---------------------------------------------------------------- */

static const char *type_of(const dnnl_cache_note_t *note)
{
    switch (note->type) {
    case dnnl_cache_note_object:
        return note->il != NULL ? "object of IL" : "object";
    case dnnl_cache_note_linked:
        return "linked";
    default:
        return note->il != NULL ? "IL" : "source";
    }
}

static const char *origin_of(const dnnl_cache_note_t *note)
{
    switch (note->origin) {
    case dnnl_cache_note_layer:
        return "layer";
    case dnnl_cache_note_primitive:
        return "library, of a primitive";
    default:
        return "library";
    }
}

static enum tool_exit write_list(
        const struct record_view *view, struct tool *tool)
{
    static const char *const heads[] = {"NAME", "APPLICATION", "TAG", "BY",
            "MADE OF", ">BYTES", ">KERNELS", ">LAUNCHES", "LAST USED"};
    struct table table;
    table_init(&table, sizeof heads / sizeof *heads, heads);
    for (size_t i = 0; i < view->count; i++) {
        const struct record_program *p = &view->programs[i];
        const dnnl_cache_note_t *note = p->build->note;
        table_add(&table, p->name);
        table_add(&table, p->build->application);
        table_add(&table, p->build->tag);
        table_add(&table, origin_of(note));
        table_add(&table, type_of(note));
        table_add_number(&table, record_program_bytes(p));
        table_add_number(&table, p->kernel_count);
        table_add_number(&table, p->launch_count);
        table_add_time(&table, p->build->used_ns);
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

/* ---- inspect ------------------------------------------------------------- */

static bool class_of(char text[launch_class_text_size],
        const struct dnnl_cache_store_journal_item *item)
{
    struct launch_class class;
    if (!launch_class_of_note(&class, item->note)) return false;
    launch_class_write(text, &class);
    return true;
}

static void write_program_json(
        struct json *json, const struct record_program *p)
{
    const dnnl_cache_note_t *note = p->build->note;
    json_begin_object(json, NULL);
    json_text(json, "name", p->name);
    json_text(json, "application", p->build->application);
    json_text(json, "tag", p->build->tag);
    json_text(json, "origin", origin_of(note));
    json_text(json, "made_of", type_of(note));
    json_text(json, "options", note->options);
    json_number(json, "bytes", record_program_bytes(p));
    json_number(json, "compile_ns", note->compile_ns);
    json_bool(json, "reads_files", note->reads_files != 0);
    if (note->directory != NULL) json_text(json, "directory", note->directory);
    json_time(json, "first_used", p->build->written_ns);
    json_time(json, "last_used", p->build->used_ns);
    json_begin_array(json, "headers");
    for (size_t i = 0; i < note->header_count; i++)
        json_text(json, NULL, note->headers[i].name);
    json_end_array(json);
    json_begin_array(json, "header_programs");
    for (size_t i = 0; i < note->header_program_count; i++)
        json_text(json, NULL, note->header_programs[i].name);
    json_end_array(json);
    json_number(json, "constants", note->constant_count);
    json_begin_array(json, "linked");
    for (size_t i = 0; i < note->input_count; i++) {
        char name[record_name_size];
        record_name(name, note->input_id_sizes[i], note->input_ids[i]);
        json_text(json, NULL, name);
    }
    json_end_array(json);
    json_begin_array(json, "kernels");
    for (size_t i = 0; i < p->part_count; i++) {
        const struct dnnl_cache_store_journal_item *item = p->parts[i];
        if (item->note->kind != dnnl_cache_note_kernel) continue;
        json_begin_object(json, NULL);
        json_text(json, "name", item->note->kernel);
        json_text(json, "arguments", item->note->arguments);
        json_end_object(json);
    }
    json_end_array(json);
    json_begin_array(json, "launches");
    for (size_t i = 0; i < p->part_count; i++) {
        char class[launch_class_text_size];
        const struct dnnl_cache_store_journal_item *item = p->parts[i];
        if (item->note->kind != dnnl_cache_note_launch
                || !class_of(class, item))
            continue;
        json_begin_object(json, NULL);
        json_text(json, "kernel", item->note->kernel);
        json_number(json, "dimensions", item->note->work_dim);
        json_text(json, "class", class);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_json(
        const struct record_view *view, struct tool *tool, const char *verb)
{
    struct json json;
    tool_json_begin(&json, tool, "record");
    json_text(&json, "verb", verb);
    json_begin_array(&json, "programs");
    for (size_t i = 0; i < view->count; i++)
        write_program_json(&json, &view->programs[i]);
    json_end_array(&json);
    json_end_object(&json);
}

static void write_line(FILE *out, const char *label, const char *text)
{
    fprintf(out, "  %s ", label);
    text_print(out, text, strlen(text));
    fputc('\n', out);
}

static void write_program(FILE *out, const struct record_program *p)
{
    const dnnl_cache_note_t *note = p->build->note;
    fprintf(out, "%s  %s of ", p->name, type_of(note));
    text_print(out, p->build->application, strlen(p->build->application));
    fprintf(out, ", by the %s\n", origin_of(note));
    if (p->build->tag[0] != '\0') write_line(out, "tag     ", p->build->tag);
    if (note->options[0] != '\0') write_line(out, "options ", note->options);
    for (size_t i = 0; i < note->header_count; i++)
        write_line(out, "header  ", note->headers[i].name);
    for (size_t i = 0; i < note->header_program_count; i++)
        write_line(out, "header program ", note->header_programs[i].name);
    for (size_t i = 0; i < note->input_count; i++) {
        char name[record_name_size];
        record_name(name, note->input_id_sizes[i], note->input_ids[i]);
        write_line(out, "linked  ", name);
    }
    for (size_t i = 0; i < p->part_count; i++) {
        const dnnl_cache_note_t *part = p->parts[i]->note;
        char class[launch_class_text_size];
        if (part->kind == dnnl_cache_note_kernel) {
            fputs("  kernel   ", out);
            text_print(out, part->kernel, strlen(part->kernel));
            fputs("(", out);
            if (part->arguments != NULL)
                text_print(out, part->arguments, strlen(part->arguments));
            fputs(")\n", out);
        } else if (class_of(class, p->parts[i])) {
            fputs("  launch   ", out);
            text_print(out, part->kernel, strlen(part->kernel));
            fprintf(out, " %s, %u dimensions\n", class, part->work_dim);
        }
    }
}

static enum tool_exit show(struct tool *tool, const char *path, bool is_long)
{
    struct loaded loaded = {.record = NULL};
    enum tool_exit code = load(&loaded, tool, path);
    if (code == exit_ok && tool->options->json)
        write_json(&loaded.view, tool, is_long ? "inspect" : "list");
    else if (code == exit_ok && !is_long)
        code = write_list(&loaded.view, tool);
    for (size_t i = 0; code == exit_ok && !tool->options->json && is_long
                       && i < loaded.view.count;
            i++)
        write_program(tool->out, &loaded.view.programs[i]);
    unload(&loaded);
    return code;
}

/* ---- merge --------------------------------------------------------------- */

static enum tool_exit merge_one(
        dnnl_cache_store_handle_t *out, struct tool *tool, const char *path)
{
    struct loaded loaded = {.record = NULL};
    enum tool_exit code = load(&loaded, tool, path);
    for (size_t i = 0; code == exit_ok && i < loaded.list->count; i++)
        if (dnnl_cache_recording_copy(out, loaded.list->items[i])
                != dnnl_success) {
            tool_error(tool, "%s: not all of %s is in it",
                    tool->options->output, path);
            code = exit_io;
        }
    unload(&loaded);
    return code;
}

static enum tool_exit merge(struct tool *tool)
{
    const struct options *options = tool->options;
    dnnl_cache_store_handle_t *out = NULL;
    if (options->output == NULL) {
        tool_error(tool, "record merge: name the result with --output FILE");
        return exit_usage;
    }
    enum tool_exit code = open_record(&out, tool, options->output, false);
    for (size_t i = 1; code == exit_ok && i < options->argument_count; i++)
        code = merge_one(out, tool, options->arguments[i]);
    dnnl_cache_store_close(out);
    return code;
}

/* ---- diff ---------------------------------------------------------------- */

/* A program, or of one that both records have a launch. */
static void tell_alone(struct tool *tool, struct json *json,
        const struct record_program *p, const char *path,
        const struct dnnl_cache_store_journal_item *launch)
{
    char class[launch_class_text_size];
    if (launch != NULL && !class_of(class, launch)) return;
    if (tool->options->json) {
        json_begin_object(json, NULL);
        json_text(json, "name", p->name);
        json_text(json, "only_in", path);
        json_text(json, "application", p->build->application);
        if (launch != NULL) {
            json_text(json, "kernel", launch->note->kernel);
            json_text(json, "class", class);
        }
        json_end_object(json);
    } else if (tool_reports(tool)) {
        fprintf(tool->out, "%s  ", p->name);
        if (launch != NULL) {
            fputs("launch of ", tool->out);
            text_print(tool->out, launch->note->kernel,
                    strlen(launch->note->kernel));
            fprintf(tool->out, " %s ", class);
        }
        fputs("only in ", tool->out);
        text_print(tool->out, path, strlen(path));
        fputc('\n', tool->out);
    }
}

static bool has_launch(const struct record_program *p,
        const struct dnnl_cache_store_journal_item *launch)
{
    struct launch_class wanted, class;
    if (!launch_class_of_note(&wanted, launch->note)) return true;
    for (size_t i = 0; i < p->part_count; i++) {
        const dnnl_cache_note_t *part = p->parts[i]->note;
        if (part->kind == dnnl_cache_note_launch
                && launch_class_of_note(&class, part)
                && launch_class_is_same(&class, &wanted)
                && strcmp(part->kernel, launch->note->kernel) == 0)
            return true;
    }
    return false;
}

static size_t tell_launches_alone(struct tool *tool, struct json *json,
        const struct record_program *p, const struct record_program *other,
        const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        const struct dnnl_cache_store_journal_item *part = p->parts[i];
        if (part->note->kind != dnnl_cache_note_launch
                || has_launch(other, part))
            continue;
        tell_alone(tool, json, p, path, part);
        count++;
    }
    return count;
}

static size_t tell_all_alone(struct tool *tool, struct json *json,
        const struct record_view *of, const struct record_view *other,
        const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct record_program *p = &of->programs[i];
        const dnnl_cache_note_t *note = p->build->note;
        const struct record_program *same =
                record_view_find(other, note->id_size, note->id);
        if (same != NULL) {
            count += tell_launches_alone(tool, json, p, same, path);
            continue;
        }
        tell_alone(tool, json, p, path, NULL);
        count++;
    }
    return count;
}

static enum tool_exit diff(struct tool *tool)
{
    char **paths = tool->options->arguments;
    struct loaded a = {.record = NULL};
    struct loaded b = {.record = NULL};
    struct json json;
    size_t alone = 0;
    if (tool->options->argument_count != 3) {
        tool_error(tool, "record diff: name two records");
        return exit_usage;
    }
    enum tool_exit code = load(&a, tool, paths[1]);
    if (code == exit_ok) code = load(&b, tool, paths[2]);
    if (code == exit_ok) {
        if (tool->options->json) {
            tool_json_begin(&json, tool, "record");
            json_text(&json, "verb", "diff");
            json_begin_array(&json, "programs");
        }
        alone = tell_all_alone(tool, &json, &a.view, &b.view, paths[1])
                + tell_all_alone(tool, &json, &b.view, &a.view, paths[2]);
        if (tool->options->json) {
            json_end_array(&json);
            json_end_object(&json);
        }
    }
    unload(&a);
    unload(&b);
    return code == exit_ok && alone > 0 ? exit_found : code;
}

/* ---- prune --------------------------------------------------------------- */

/* With all that is a program's, and what is no program's: of one that was
 * pruned while a process used it. */
static enum tool_exit drop_programs(dnnl_cache_store_handle_t *record,
        struct record_view *view, size_t *dropped, uint64_t before_ns)
{
    const struct dnnl_cache_store_journal_list *list = view->list;
    size_t count = 0;
    uint64_t *keys = calloc(list->count + 1, sizeof *keys);
    if (keys == NULL) return exit_io;
    for (size_t i = 0; i < view->count; i++)
        view->programs[i].stays = view->programs[i].build->used_ns >= before_ns;
    record_view_keep_inputs(view);
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        const struct record_program *p =
                record_view_find(view, note->id_size, note->id);
        if (p != NULL && p->stays) continue;
        *dropped += note->kind == dnnl_cache_note_build;
        keys[count++] = list->items[i]->key;
    }
    const dnnl_status_t st = dnnl_cache_store_journal_drop(record, count, keys);
    free(keys);
    return st == dnnl_success ? exit_ok : exit_io;
}

static enum tool_exit prune(struct tool *tool)
{
    const struct options *options = tool->options;
    struct loaded loaded = {.record = NULL};
    size_t dropped = 0;
    if (options->older_than_seconds == 0) {
        tool_error(tool, "record prune: say how old with --older-than AGE");
        return exit_usage;
    }
    const uint64_t age = options->older_than_seconds;
    const uint64_t now_s = clock_epoch_ns() / 1000000000u;
    const uint64_t before_ns = age < now_s ? (now_s - age) * 1000000000u : 0;
    enum tool_exit code =
            open_record(&loaded.record, tool, options->arguments[1], false);
    if (code == exit_ok
            && dnnl_cache_store_journal_load(&loaded.list, loaded.record)
                       != dnnl_success)
        code = exit_io;
    if (code == exit_ok && !record_view_make(&loaded.view, loaded.list))
        code = tool_no_memory(tool);
    if (code == exit_ok)
        code = drop_programs(loaded.record, &loaded.view, &dropped, before_ns);
    if (code == exit_ok && tool_reports(tool))
        fprintf(tool->out, "%zu programs removed, %zu left\n", dropped,
                loaded.view.count - dropped);
    unload(&loaded);
    return code;
}

/* ---- The command --------------------------------------------------------- */

static enum tool_exit run(struct tool *tool)
{
    const char *verb = tool->options->arguments[0];
    const char *path = tool->options->arguments[1];
    if (strcmp(verb, "merge") == 0) return merge(tool);
    if (strcmp(verb, "diff") == 0) return diff(tool);
    if (tool->options->argument_count > 2) {
        tool_error(tool, "record %s: name one record", verb);
        return exit_usage;
    }
    if (strcmp(verb, "list") == 0) return show(tool, path, false);
    if (strcmp(verb, "inspect") == 0) return show(tool, path, true);
    if (strcmp(verb, "prune") == 0) return prune(tool);
    tool_error(tool, "record: %s: list, inspect, merge, diff or prune", verb);
    return exit_usage;
}

static int run_record(struct tool *tool)
{
    return (int)run(tool);
}

static const char record_help[] = "list shows the programs by application, "
                                  "inspect each with its kernels and\n"
                                  "launches. merge writes what several records "
                                  "have to --output; diff tells\n"
                                  "which programs and launches one of two has "
                                  "alone, and its exit status is 1\n"
                                  "if there are any. prune removes programs "
                                  "not used within --older-than.\n";

const struct command command_record = {.name = "record",
        .arguments =
                "list|inspect FILE | merge|diff FILE FILE ... | prune FILE",
        .purpose = "Show and change records of what applications compile",
        .details = record_help,
        .options = "output older-than",
        .min_arguments = 2,
        .max_arguments = SIZE_MAX,
        .run = run_record};
