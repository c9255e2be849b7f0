/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_progress.h"

#include "src/platform/clock.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/jobs/note_kernels.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <inttypes.h>

#define SECOND_NS ((uint64_t)1000000000u)

uint64_t refresh_progress_cost(const struct refresh_job *job)
{
    const uint64_t ns = job->build->note->compile_ns;
    return ns > 0 ? ns : SECOND_NS; /* not known */
}

/* By the time that the jobs so far took; 0: not known yet. */
static uint64_t predict_seconds(const struct refresh_run *r)
{
    uint64_t left = 0;
    const uint64_t elapsed = clock_ns() - r->began_ns;
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.jobs[i].state == refresh_waits
                || r->jobs.jobs[i].state == refresh_ahead
                || r->jobs.jobs[i].state == refresh_runs)
            left += refresh_progress_cost(&r->jobs.jobs[i]);
    if (r->done_ns == 0) return 0;
    return (uint64_t)((double)elapsed * (double)left / (double)r->done_ns / 1e9)
           + 1;
}

void refresh_progress_show(struct refresh_run *r)
{
    struct tool *tool = r->tool;
    const bool is_terminal = progress_is_shown(tool);
    const uint64_t now = clock_ns();
    if ((!is_terminal && !tool->options->progress)
            || now - r->began_ns < SECOND_NS
            || now - r->shown_ns < (is_terminal ? SECOND_NS / 5 : SECOND_NS))
        return;
    const uint64_t seconds = predict_seconds(r);
    char left[64] = "";
    r->shown_ns = now;
    r->is_shown = is_terminal;
    if (seconds > 0)
        snprintf(left, sizeof left, ", %" PRIu64 " s left", seconds);
    fprintf(tool->err, "%skeeping %zu of %zu programs%s; interrupt safely%s",
            is_terminal ? "\r" : "",
            refresh_jobs_count(&r->jobs, refresh_kept) + 1,
            r->jobs.count - refresh_jobs_count(&r->jobs, refresh_refused), left,
            is_terminal ? "\033[K" : "\n");
    fflush(tool->err);
}

void refresh_run_clear(struct refresh_run *r)
{
    if (r->is_shown) fputs("\r\033[K", r->tool->err);
    r->is_shown = false;
}

void refresh_progress_warn(struct refresh_run *r, const struct refresh_job *job)
{
    char name[catalog_name_size];
    char kernels[note_kernels_size];
    char file[replay_missing_size];
    refresh_run_clear(r);
    entry_name(name, job->build->note->id_size, job->build->note->id);
    note_kernels_print(kernels, job->build->note);
    refresh_objection_print_file(file, job->build->note, job->why);
    tool_warn(r->tool, "%.*s%s of %s: %s%s", (int)catalog_short_digits, name,
            kernels, job->build->application, job->why, file);
}
