/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "failure.h"
#include "tools/common/text/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line line_of(const struct row *row)
{
    struct line line = {.target = row->target, .unit = row->unit};
    snprintf(line.row, sizeof line.row, "%s", row->name);
    snprintf(line.what, sizeof line.what, "%s", row->what);
    return line;
}

bool line_is_met(const struct line *line)
{
    return line->result.measured
           && (line->target <= 0 || line->result.ratio <= line->target);
}

void report_fini(struct report *report)
{
    free(report->lines);
    *report = (struct report){.lines = NULL};
}

/* ---- For people ---------------------------------------------------------- */

void report_fact(struct report *report, const char *key, const char *text)
{
    report->facts[report->fact_count++] = (struct fact){key, text};
    printf("%-11s %s\n", key, text);
}

static void print_line(const struct line *line)
{
    const struct result *r = &line->result;
    char target[16] = "";
    if (line->target > 0) snprintf(target, sizeof target, "%g", line->target);
    if (r->measured)
        printf("%-26s %9.4f %9s  %-6s %14.1f %14.1f %-4s %8zu\n", line->row,
                r->ratio, target,
                line->target <= 0   ? "told"
                : line_is_met(line) ? "met"
                                    : "MISSED",
                r->ours, r->reference, line->unit, r->samples);
    else
        printf("%-26s NOT MEASURED: %s\n", line->row, r->reason);
    fflush(stdout);
}

void report_line(struct report *report, const struct line *line)
{
    if (report->count == 0)
        printf("\n%-26s %9s %9s  %-6s %14s %14s %-4s %8s\n", "row", "ratio",
                "target", "", "ours", "reference", "unit", "samples");
    struct line *lines =
            realloc(report->lines, (report->count + 1) * sizeof *lines);
    if (lines == NULL) {
        perror("the report");
        exit(EXIT_FAILURE);
    }
    report->lines = lines;
    lines[report->count++] = *line;
    print_line(line);
}

/* ---- For programs -------------------------------------------------------- */

static void put_numbers(struct json *json, const struct line *line)
{
    const struct result *r = &line->result;
    if (r->measured) {
        json_real(json, "ours", r->ours);
        json_real(json, "reference", r->reference);
        json_real(json, "ratio", r->ratio);
    } else {
        json_null(json, "ours");
        json_null(json, "reference");
        json_null(json, "ratio");
        json_text(json, "reason", r->reason);
    }
    if (line->target > 0)
        json_real(json, "target", line->target);
    else
        json_null(json, "target");
    json_bool(json, "met", line_is_met(line));
    json_number(json, "samples", r->samples);
}

static void put_line(
        struct json *json, const struct report *report, const struct line *line)
{
    json_begin_object(json, NULL);
    json_text(json, "row", line->row);
    json_text(json, "unit", line->unit);
    put_numbers(json, line);
    json_text(json, "what", line->what);
    if (line->store != NULL) {
        json_text(json, "store", line->store);
        json_text(json, "operation", line->operation);
        json_text(json, "versus", line->versus);
        json_number(json, "entries", line->entries);
        json_number(json, "base", line->base);
    }
    for (size_t i = 0; i < report->fact_count; i++)
        json_text(json, report->facts[i].key, report->facts[i].text);
    json_end_object(json);
}

bool report_write_json(const struct report *report, const char *path)
{
    struct json json;
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        failure_set("%s: %s", path, strerror(errno));
        return false;
    }
    json_init(&json, file);
    json_begin_array(&json, NULL);
    for (size_t i = 0; i < report->count; i++)
        put_line(&json, report, &report->lines[i]);
    json_end_array(&json);
    bool done = ferror(file) == 0;
    done = fclose(file) == 0 && done;
    if (!done) failure_set("%s cannot be written", path);
    return done;
}
