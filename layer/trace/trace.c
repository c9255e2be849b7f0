/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/trace/trace.h"

#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/trace/nearest.h"
#include "src/drivers/option_folders.h"
#include "src/platform/environment.h"
#include "tools/common/id/difference.h"
#include "tools/common/id/fields.h"
#include "tools/common/state/crashes.h"
#include "tools/common/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trace_is_on(void)
{
    return layer_settings()->trace.on;
}

/* Every ingredient, and each step, or a line a program. */
static bool is_full(void)
{
    return layer_settings()->trace_full;
}

bool trace_wants_facts(void)
{
    return trace_is_on() && !is_full();
}

/* ---- A record ------------------------------------------------------------ */

struct record {
    FILE *out;
    char *text;
    size_t size;
};

/* Under the name that dnnl-cache has for entries. */
static void write_name(FILE *out, size_t id_size, const uint8_t *id)
{
    const struct crash_key key = crash_key_of(id_size, id);
    fprintf(out, "%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

/* False: memory ran out, and nothing is to be ended. */
static bool begin(struct record *record, const char *what, size_t id_size,
        const uint8_t *id)
{
    *record = (struct record){.text = NULL};
    record->out = open_memstream(&record->text, &record->size);
    if (record->out == NULL) return false;
    fprintf(record->out, "dnnl_cache layer: process %ld: ", process_number());
    if (id == NULL)
        fputs("a program without an ID", record->out);
    else
        write_name(record->out, id_size, id);
    fprintf(record->out, ": %s", what);
    return true;
}

static void end(struct record *record)
{
    if (fclose(record->out) == 0)
        print_report(
                &layer_settings()->trace, "trace", record->text, record->size);
    free(record->text);
}

/* What is between sources and drivers may hold anything. */
static void write_printable(FILE *out, char *shown)
{
    fputs(shown != NULL ? shown : "(no memory)", out);
    free(shown);
}

/* Every ingredient of the key. */
static void write_ingredients(FILE *out, size_t id_size, const uint8_t *id)
{
    dnnl_cache_id_field_t field;
    size_t position = 0;
    while (fields_next(&field, &position, id_size, id)) {
        fprintf(out, "    %s: ", field.name);
        write_printable(out, fields_show_whole(&field));
        fputc('\n', out);
    }
}

/* What the numbers of folders mean in this process. */
static void write_folders(FILE *out, const char *options)
{
    struct option_folders folders = {.count = 0};
    if (options == NULL) return;
    (void)option_folders_init(&folders, options);
    for (size_t i = 0; i < folders.count; i++) {
        fprintf(out, "    <folder %zu> is here: ", i + 1);
        text_print(out, folders.list[i], strlen(folders.list[i]));
        fputc('\n', out);
    }
    option_folders_fini(&folders);
}

/* ---- Why an entry is missing --------------------------------------------- */

struct row_writer {
    FILE *out;
    const char *name;
};

static void write_value(
        FILE *out, const struct difference_value *value, size_t at)
{
    if (value == NULL)
        fputc('-', out);
    else
        write_printable(out, fields_show_part(&value->field, at));
}

static void write_row(void *user, const struct difference_value *ours,
        const struct difference_value *theirs)
{
    const struct row_writer *w = user;
    const size_t at = difference_position(ours, theirs);
    char title[difference_title_size];
    difference_title(title, w->name, ours != NULL ? ours : theirs, at);
    fputs("    ", w->out);
    text_print(w->out, title, strlen(title));
    fputs(": ", w->out);
    write_value(w->out, ours, at);
    fputs(", there ", w->out);
    write_value(w->out, theirs, at);
    fputc('\n', w->out);
}

static void write_difference(void *user, const char *name,
        const struct difference_values *ours,
        const struct difference_values *theirs)
{
    struct row_writer w = {user, name};
    if (ours->count + theirs->count == 0)
        fprintf(w.out, "    %s: in another order\n", name);
    difference_for_each_row(ours, theirs, write_row, &w);
}

static void write_nearest(FILE *out, size_t id_size, const uint8_t *id)
{
    const struct difference_id ours = {id_size, id};
    struct nearest nearest;
    nearest_find(&nearest, &ours);
    if (nearest.id == NULL) {
        fputs("  the store has no entry of a program\n", out);
    } else {
        const struct difference_id theirs = {nearest.id_size, nearest.id};
        fputs(nearest.distance < difference_names_size
                        ? "  the nearest entry, "
                        : "  no entry of the same source; the nearest, ",
                out);
        write_name(out, nearest.id_size, nearest.id);
        fprintf(out, ", differs in: %s\n", nearest.names);
        (void)difference_for_each(
                nearest.names, &ours, &theirs, write_difference, out);
    }
    nearest_fini(&nearest);
}

/* ---- A line -------------------------------------------------------------- */

static void write_time(FILE *out, const char *before, uint64_t ns)
{
    if (ns > 0)
        fprintf(out, "%s%.*f ms", before, ns < 10000000 ? 2 : 0,
                (double)ns * 1e-6);
}

/* OpenCL's list has semicolons; of many the first. */
static void write_kernels(FILE *out, const char *list)
{
    enum { most = 4 };
    size_t count = 0;
    size_t left = 0;
    if (list == NULL || list[0] == '\0') return;
    for (const char *at = list; *at != '\0'; count++) {
        const size_t size = strcspn(at, ";");
        if (count < most) {
            fputs(count == 0 ? ", kernels " : " ", out);
            text_print(out, at, size);
        } else {
            left++;
        }
        at += size + (at[size] == ';');
    }
    if (left > 0) fprintf(out, " and %zu more", left);
}

static void write_facts(
        FILE *out, const struct trace_facts *facts, const char *verb)
{
    if (facts == NULL) return;
    write_kernels(out, facts->kernels);
    if (facts->took_ns > 0) {
        fprintf(out, ", %s in", verb);
        write_time(out, " ", facts->took_ns);
    }
    write_time(out, ", compiling took ", facts->compile_ns);
}

/* In what the entry differs that is most like it. */
static void write_nearest_names(FILE *out, size_t id_size, const uint8_t *id)
{
    const struct difference_id ours = {id_size, id};
    struct nearest nearest;
    nearest_find(&nearest, &ours);
    if (nearest.id != NULL && nearest.distance < difference_names_size)
        fprintf(out, ", the nearest entry differs in %s", nearest.names);
    else
        fputs(", no entry of the same source", out);
    nearest_fini(&nearest);
}

/* ---- Calls --------------------------------------------------------------- */

void trace_hit(size_t id_size, const uint8_t *id, bool from_memory,
        const char *options, const struct trace_facts *facts)
{
    struct record record;
    if (!trace_is_on()
            || !begin(&record, from_memory ? "hit in memory" : "hit on disk",
                    id_size, id))
        return;
    if (!is_full()) write_facts(record.out, facts, "loaded");
    fputc('\n', record.out);
    if (is_full()) {
        write_ingredients(record.out, id_size, id);
        write_folders(record.out, options);
    }
    end(&record);
}

void trace_incomplete(size_t id_size, const uint8_t *id, const char *kernel,
        const char *launch)
{
    struct record record;
    if (!trace_is_on() || !begin(&record, "incomplete, ", id_size, id)) return;
    fputs("the entry lacks kernel ", record.out);
    text_print(record.out, kernel, strlen(kernel));
    fprintf(record.out, " launched as %s\n", launch);
    end(&record);
}

static void write_reason(
        FILE *out, enum layer_reason reason, const char *detail)
{
    fputs(layer_reason_name(reason), out);
    if (detail != NULL && detail[0] != '\0') {
        fputs(": ", out);
        text_print(out, detail, strlen(detail));
    }
}

/* True if an entry like it tells more. */
static bool has_nearest(enum layer_reason reason, const uint8_t *id)
{
    return id != NULL
           && (reason == layer_reason_missing
                   || reason == layer_reason_partial);
}

/* Of a program that was damaged, or of no use. */
static bool is_replaced(enum layer_reason reason)
{
    return reason == layer_reason_damaged || reason == layer_reason_stale
           || reason == layer_reason_refused || reason == layer_reason_differs;
}

static void write_miss_line(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id, const struct trace_facts *facts)
{
    struct record record;
    if (!begin(&record, "miss, ", id_size, id)) return;
    write_reason(record.out, reason, detail);
    if (has_nearest(reason, id)) write_nearest_names(record.out, id_size, id);
    if (is_replaced(reason) && facts != NULL)
        fputs(": compiled again and replaced", record.out);
    if (facts != NULL) write_facts(record.out, facts, facts->what_ended);
    fputc('\n', record.out);
    end(&record);
}

void trace_miss_end(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id, const struct trace_facts *facts)
{
    if (trace_wants_facts())
        write_miss_line(reason, detail, id_size, id, facts);
}

void trace_miss_begin(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id, const char *options)
{
    struct record record;
    if (!trace_is_on() || !is_full() || !begin(&record, "miss, ", id_size, id))
        return;
    write_reason(record.out, reason, detail);
    fputc('\n', record.out);
    if (id != NULL) write_ingredients(record.out, id_size, id);
    write_folders(record.out, options);
    if (has_nearest(reason, id)) write_nearest(record.out, id_size, id);
    end(&record);
}

void trace_miss(enum layer_reason reason, const char *detail, size_t id_size,
        const uint8_t *id, const char *options)
{
    trace_miss_begin(reason, detail, id_size, id, options);
    trace_miss_end(reason, detail, id_size, id, NULL);
}

void trace_failed(size_t id_size, const uint8_t *id, const char *what)
{
    struct record record;
    if (!trace_is_on() || !begin(&record, "failed build, ", id_size, id))
        return;
    fprintf(record.out, "%s\n", what);
    if (id != NULL && is_full()) write_ingredients(record.out, id_size, id);
    end(&record);
}

void trace_kept(size_t id_size, const uint8_t *id)
{
    struct record record;
    if (trace_is_on() && is_full() && begin(&record, "kept\n", id_size, id))
        end(&record);
}

void trace_not_kept(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id)
{
    struct record record;
    if (!trace_is_on() || !begin(&record, "not kept, ", id_size, id)) return;
    write_reason(record.out, reason, detail);
    fputc('\n', record.out);
    end(&record);
}
