/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/progress.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"

#include <inttypes.h>

bool progress_is_shown(const struct tool *tool)
{
    return !tool->options->quiet && process_has_terminal(tool->err);
}

void progress_init(struct progress *progress, const struct tool *tool,
        const char *what, uint64_t total)
{
    *progress = (struct progress){.what = what, .total = total};
    if (!progress_is_shown(tool)) return;
    progress->out = tool->err;
    progress_set(progress, 0);
}

static void draw(const struct progress *progress)
{
    enum { width = 30 };
    char bar[width + 1];
    /* Entries may have been added since they were counted. */
    const uint64_t done =
            progress->done < progress->total ? progress->done : progress->total;
    const double part =
            progress->total > 0 ? (double)done / (double)progress->total : 1;
    for (int i = 0; i < width; i++)
        bar[i] = i < (int)(part * (double)width) ? '#' : '-';
    bar[width] = '\0';
    fprintf(progress->out, "\r%s [%s] %3d%% %" PRIu64 "/%" PRIu64 "\033[K",
            progress->what, bar, (int)(100 * part), done, progress->total);
    fflush(progress->out);
}

void progress_set(struct progress *progress, uint64_t done)
{
    progress->done = done;
    if (progress->out == NULL) return;
    const uint64_t now = clock_ns();
    if (progress->shown_ns != 0 && now - progress->shown_ns < 100000000u)
        return;
    progress->shown_ns = now;
    draw(progress);
}

void progress_clear(struct progress *progress)
{
    if (progress->out == NULL) return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
}
