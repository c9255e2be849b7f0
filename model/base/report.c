/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/report.h"

#include "src/platform/clock.h"

static const char *const names[phase_count] = {[phase_parse] = "parse",
        [phase_engine] = "engine",
        [phase_identity] = "identity",
        [phase_store] = "store",
        [phase_driver_load] = "driver_load",
        [phase_compile] = "compile",
        [phase_upload] = "upload",
        [phase_describe] = "describe"};

const char *report_phase_name(enum phase phase)
{
    return names[phase];
}

void report_begin(struct report *report, enum phase phase)
{
    report->begin[phase] = clock_ms() - report->began;
}

void report_end(struct report *report, enum phase phase)
{
    report->end[phase] = clock_ms() - report->began;
    report->ms[phase] = report->end[phase] - report->begin[phase];
}
