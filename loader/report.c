/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "clock.h"
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[phase_count] = {[phase_parse] = "parse",
        [phase_engine] = "engine",
        [phase_identity] = "identity",
        [phase_store] = "store",
        [phase_driver_load] = "driver_load",
        [phase_compile] = "compile",
        [phase_upload] = "upload",
        [phase_describe] = "describe",
        [phase_first_run] = "first_run",
        [phase_steady_run] = "steady_run"};

void report_begin(struct report *report, enum phase phase)
{
    report->begin[phase] = clock_now_ms() - report->began;
}

void report_end(struct report *report, enum phase phase)
{
    report->end[phase] = clock_now_ms() - report->began;
    report->ms[phase] = report->end[phase] - report->begin[phase];
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, "  \"%s\": \"", name);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)c);
        else
            fputc(c, file);
    }
    fputs("\",\n", file);
}

static void write_timeline(FILE *file, const struct report *report)
{
    const char *comma = "";
    fputs("  \"timeline\": [", file);
    for (int p = 0; p < phase_count; p++) {
        if (report->end[p] <= 0.0) continue;
        fprintf(file,
                "%s\n    {\"phase\": \"%s\", \"begin\": %.3f, \"end\": %.3f}",
                comma, names[p], report->begin[p], report->end[p]);
        comma = ",";
    }
    fputs("\n  ]\n", file);
}

static void write_all(const struct report *report, FILE *file,
        const char *model, const char *device)
{
    fputs("{\n", file);
    write_text(file, "model", model);
    write_text(file, "device", device);
    for (int p = 0; p < phase_count; p++)
        fprintf(file, "  \"%s\": %.3f,\n", names[p], report->ms[p]);
    fprintf(file, "  \"ready\": %.3f,\n", report->ready);
    fprintf(file, "  \"programs_compiled\": %llu,\n",
            report->programs_compiled);
    fprintf(file, "  \"programs_loaded\": %llu,\n", report->programs_loaded);
    fprintf(file, "  \"primitives\": %d,\n", report->primitives);
    write_timeline(file, report);
    fputs("}\n", file);
}

bool report_write(const struct report *report, const char *path,
        const char *model, const char *device, struct failure *failure)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) return fail_out_of_memory(failure);
    write_all(report, file, model, device);
    const bool is_whole = !ferror(file);
    const bool ok = fclose(file) == 0 && is_whole
                            ? whole_file_write(path, text, size, failure)
                            : fail_out_of_memory(failure);
    free(text);
    return ok;
}

/* ---- For people ---------------------------------------------------------- */

void report_print(const struct report *report)
{
    printf("ready in %.1f ms: %d primitives, %llu programs compiled, %llu "
           "loaded\n",
            report->ready, report->primitives, report->programs_compiled,
            report->programs_loaded);
    for (int p = 0; p < phase_count; p++)
        if (report->end[p] > 0.0 || report->ms[p] > 0.0)
            printf("  %-12s %10.1f ms\n", names[p], report->ms[p]);
}
