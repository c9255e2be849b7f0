/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove: compiles entries again and compares (prove.h), in one store or
 * several.
 */
#include "src/common/array.h"
#include "src/platform/thread.h"
#include "tools/common/text/json.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/prove/prove.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sums of all stores. */
struct sums {
    uint64_t states[prove_states];
    uint64_t tried;
    uint64_t spent_ns;
    bool is_interrupted;
    bool is_begun; /* the document */
    struct json json;
};

/* ---- Reports ------------------------------------------------------------- */

static bool is_shown(const struct prove_entry *e)
{
    return e->state == prove_differed || e->state == prove_open
           || e->state == prove_failed || e->state == prove_refused;
}

/* What is not proved, with the reason. */
static enum tool_exit write_table(const struct prove *p)
{
    static const char *const heads[] = {"NAME", "APPLICATION", "RESULT", "WHY"};
    struct table table;
    size_t rows = 0;
    table_init(&table, sizeof heads / sizeof *heads, heads);
    for (size_t i = 0; i < p->count; i++) {
        const struct prove_entry *e = &p->entries[i];
        char name[catalog_name_size];
        char why[512];
        if (!is_shown(e)) continue;
        snprintf(name, sizeof name, "%.*s", (int)catalog_short_digits,
                e->entry->name);
        snprintf(why, sizeof why, "%s%s%s", e->why != NULL ? e->why : "",
                e->where[0] != '\0' ? ": " : "", e->where);
        table_add(&table, name);
        table_add(&table, e->application);
        table_add(&table, prove_state_name(e->state));
        table_add(&table, why);
        rows++;
    }
    const enum tool_exit code =
            rows > 0 ? table_write(&table, p->tool) : exit_ok;
    table_fini(&table);
    return code;
}

static void write_counts(const struct prove *p)
{
    char time[units_text_size];
    FILE *out = p->tool->out;
    fprintf(out, "%zu programs: proved %zu, differed %zu", p->count,
            prove_count(p, prove_proved), prove_count(p, prove_differed));
    for (int state = prove_no_record; state < prove_proved; state++)
        if (prove_count(p, (enum prove_state)state) > 0)
            fprintf(out, ", %zu %s", prove_count(p, (enum prove_state)state),
                    prove_state_name((enum prove_state)state));
    units_print_duration(time, p->spent_ns);
    fprintf(out, "; processor time %s\n", time);
}

/* ---- Why something is not proved ----------------------------------------- */

struct reason {
    enum prove_state state;
    const char *why;
    size_t count;
};

struct reasons {
    struct reason *items; /* owned */
    size_t count;
};

static bool is_same_reason(
        const struct reason *reason, const struct prove_entry *e)
{
    return reason->state == e->state && strcmp(reason->why, e->why) == 0;
}

/* False: no memory. */
static bool reasons_add(struct reasons *reasons, const struct prove_entry *e)
{
    for (size_t i = 0; i < reasons->count; i++)
        if (is_same_reason(&reasons->items[i], e)) {
            reasons->items[i].count++;
            return true;
        }
    if (!array_grow(&reasons->items, reasons->count, sizeof *reasons->items))
        return false;
    reasons->items[reasons->count++] = (struct reason){e->state, e->why, 1};
    return true;
}

static int compare_reasons(const void *left, const void *right)
{
    const struct reason *a = left;
    const struct reason *b = right;
    if (a->state != b->state) return a->state < b->state ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->why, b->why);
}

/* Of what has one, the most frequent first. False: no memory. */
static bool reasons_make(struct reasons *reasons, const struct prove *p)
{
    *reasons = (struct reasons){.count = 0};
    for (size_t i = 0; i < p->count; i++) {
        const struct prove_entry *e = &p->entries[i];
        if (is_shown(e) && e->state != prove_differed && e->why != NULL
                && !reasons_add(reasons, e))
            return false;
    }
    if (reasons->count > 1)
        qsort(reasons->items, reasons->count, sizeof *reasons->items,
                compare_reasons);
    return true;
}

static enum tool_exit write_reasons(const struct prove *p)
{
    struct reasons reasons;
    const bool is_made = reasons_make(&reasons, p);
    for (size_t i = 0; is_made && i < reasons.count; i++)
        fprintf(p->tool->out, "  %zu %s: %s\n", reasons.items[i].count,
                prove_state_name(reasons.items[i].state), reasons.items[i].why);
    free(reasons.items);
    return is_made ? exit_ok : tool_no_memory(p->tool);
}

static bool write_json_reasons(struct json *json, const struct prove *p)
{
    struct reasons reasons;
    const bool is_made = reasons_make(&reasons, p);
    json_begin_array(json, "reasons");
    for (size_t i = 0; is_made && i < reasons.count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "result", prove_state_name(reasons.items[i].state));
        json_text(json, "why", reasons.items[i].why);
        json_number(json, "count", reasons.items[i].count);
        json_end_object(json);
    }
    json_end_array(json);
    free(reasons.items);
    return is_made;
}

/* ---- Documents ----------------------------------------------------------- */

static void write_json_entry(struct json *json, const struct prove_entry *e)
{
    json_begin_object(json, NULL);
    json_text(json, "name", e->entry->name);
    json_text(json, "application", e->application);
    json_text(json, "result", prove_state_name(e->state));
    json_text(json, "why", e->why);
    json_text(json, "where", e->where[0] != '\0' ? e->where : NULL);
    json_text(json, "may_lack",
            e->state == prove_differed ? proof_suspect_text(e->suspect) : NULL);
    json_bool(json, "removed", e->is_removed);
    json_end_object(json);
}

/* Of a store that cannot be opened there is no document. */
static void begin_json(struct sums *sums, struct tool *tool)
{
    if (sums->is_begun) return;
    sums->is_begun = true;
    tool_json_begin(&sums->json, tool, "prove");
    json_begin_array(&sums->json, "stores");
}

static enum tool_exit write_json_store(struct sums *sums, const struct prove *p)
{
    struct json *json = &sums->json;
    char path[place_path_size] = "";
    (void)place_path(path, p->tool->options);
    begin_json(sums, p->tool);
    json_begin_object(json, NULL);
    json_text(json, "store", path);
    json_begin_array(json, "programs");
    for (size_t i = 0; i < p->count; i++)
        write_json_entry(json, &p->entries[i]);
    json_end_array(json);
    const bool is_written = write_json_reasons(json, p);
    json_end_object(json);
    return is_written ? exit_ok : tool_no_memory(p->tool);
}

static void write_json_sums(struct sums *sums)
{
    static const struct {
        const char *name;
        enum prove_state state;
    } numbers[] = {{"proved", prove_proved}, {"differed", prove_differed},
            {"no_record", prove_no_record}, {"other_driver", prove_elsewhere},
            {"proved_before", prove_recent}, {"refused", prove_refused},
            {"not_compiled", prove_failed}, {"not_comparable", prove_open},
            {"not_tried", prove_left}};
    struct json *json = &sums->json;
    json_end_array(json);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_number(json, numbers[i].name, sums->states[numbers[i].state]);
    json_number(json, "processor_ms", sums->spent_ns / 1000000);
    json_bool(json, "interrupted", sums->is_interrupted);
    json_end_object(json);
}

/* ---- The command --------------------------------------------------------- */

static void add_sums(struct sums *sums, const struct prove *p)
{
    for (size_t i = 0; i < p->count; i++)
        sums->states[p->entries[i].state]++;
    sums->tried += p->tried;
    sums->spent_ns += p->spent_ns;
    sums->is_interrupted = sums->is_interrupted || p->is_interrupted;
}

/* The store of the tool's options. */
static enum tool_exit prove_one(struct tool *tool, struct sums *sums)
{
    const struct options *options = tool->options;
    struct prove p = {.tool = tool,
            .record = options->record,
            .most_entries = options->limit > 0 && options->limit > sums->tried
                                    ? options->limit - sums->tried
                                    : 0,
            .again = options->again,
            .by_use = options->most_used,
            .may_remove = !options->keep};
    if (options->limit > 0 && options->limit <= sums->tried) return exit_ok;
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok) code = prove_store(&p);
    if (code == exit_ok && options->json)
        code = write_json_store(sums, &p);
    else if (code == exit_ok && tool_reports(tool))
        code = write_table(&p);
    if (code == exit_ok && tool_reports(tool)) write_counts(&p);
    if (code == exit_ok && tool_reports(tool)) code = write_reasons(&p);
    add_sums(sums, &p);
    prove_fini(&p);
    dnnl_cache_store_close(tool->store);
    tool->store = NULL;
    return code;
}

static enum tool_exit prove_stores(struct tool *tool, struct sums *sums)
{
    const struct options *options = tool->options;
    enum tool_exit code = exit_ok;
    if (options->argument_count == 0) return prove_one(tool, sums);
    for (size_t i = 0; code == exit_ok && !sums->is_interrupted
                       && i < options->argument_count;
            i++) {
        struct options own = *options;
        own.store = options->arguments[i];
        tool->options = &own;
        if (options->argument_count > 1 && tool_reports(tool))
            fprintf(tool->out, "%s%s:\n", i > 0 ? "\n" : "", own.store);
        code = prove_one(tool, sums);
        tool->options = options;
    }
    return code;
}

static enum tool_exit judge(const struct sums *sums)
{
    if (sums->states[prove_differed] > 0) return exit_found;
    return sums->states[prove_proved] + sums->states[prove_recent] > 0
                   ? exit_ok
                   : exit_nothing;
}

static int run_prove(struct tool *tool)
{
    struct sums sums = {.tried = 0};
    if (tool->options->store != NULL && tool->options->argument_count > 0) {
        tool_error(tool, "prove: --store or STORE, not both");
        return exit_usage;
    }
    if (tool->options->nice > 0) thread_be_nice((int)tool->options->nice);
    const enum tool_exit code = prove_stores(tool, &sums);
    if (sums.is_begun) write_json_sums(&sums);
    return (int)(code == exit_ok ? judge(&sums) : code);
}

static const char prove_help[] =
        "Compiles programs again from the record beside the store (or "
        "--record FILE),\neach in a worker process of its own, in the "
        "environment that the entry's ID\nnames, and compares: the driver's "
        "binary, or, with PoCL, kernels, arguments\nand machine code. No "
        "kernel "
        "is launched. An entry that differs is told, with\nwhat its ID may "
        "lack, and removed, if the store is this user's own. Entries\nthat "
        "were proved within 30 days with the same build of the driver are "
        "left\nout, but with --again. Entries without a record are counted, "
        "and never as\nproved. The exit status is 1 if an entry differed, and "
        "6 if none could be\nproved.\n";

const struct command command_prove = {.name = "prove",
        .arguments = "[STORE ...]",
        .purpose = "Compile entries again, and compare",
        .details = prove_help,
        .options = "record limit most-used again keep timeout layer "
                   "read-files device nice program-timeout memory id-list",
        .takes_url = true,
        .max_arguments = 64,
        .run = run_prove};
