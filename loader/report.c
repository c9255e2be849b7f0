/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "clock.h"
#include "json.h"
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

/* When the timeline began, in microseconds since 1970: for who started the
 * process. */
static uint64_t began_us(const struct report *report)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const double since_ms = clock_now_ms() - report->began;
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u
           - (uint64_t)(1e3 * since_ms);
}

static void write_all(const struct report *report, FILE *file,
        const char *model, const char *device)
{
    struct json json;
    json_init(&json, file);
    json_begin_object(&json, NULL);
    json_text(&json, "model", model);
    json_text(&json, "device", device);
    json_number(&json, "began", began_us(report));
    for (int p = 0; p < phase_count; p++)
        json_real(&json, names[p], report->ms[p]);
    json_real(&json, "ready", report->ready);
    json_number(&json, "programs_compiled", report->programs_compiled);
    json_number(&json, "programs_loaded", report->programs_loaded);
    json_number(&json, "primitives", (uint64_t)report->primitives);
    json_begin_array(&json, "timeline");
    for (int p = 0; p < phase_count; p++) {
        if (report->end[p] <= 0.0) continue;
        json_begin_object(&json, NULL);
        json_text(&json, "phase", names[p]);
        json_real(&json, "begin", report->begin[p]);
        json_real(&json, "end", report->end[p]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
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
