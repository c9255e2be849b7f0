/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/progress.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"

#include <stdio.h>

enum { bar_width = 24 };

static void show(const struct progress *p, const char *text)
{
    const double spent = (clock_ms() - p->began) * 1e-3;
    const int filled = p->total > 0 ? bar_width * p->done / p->total : 0;
    char bar[bar_width + 1], rest[48] = "";
    for (int i = 0; i < bar_width; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[bar_width] = '\0';
    if (p->done > 0 && p->done < p->total)
        snprintf(rest, sizeof rest, ", about %.0f s left",
                spent / p->done * (p->total - p->done));
    if (p->is_terminal)
        fprintf(stderr, "\r\033[Kcompiling [%s] %d of %d%s: %s", bar, p->done,
                p->total, rest, text);
    else
        fprintf(stderr, "compiled %d of %d%s: %s\n", p->done, p->total, rest,
                text);
}

void progress_begin(struct progress *progress, int total)
{
    *progress = (struct progress){.total = total,
            .began = clock_ms(),
            .is_terminal = process_has_terminal(stderr)};
    if (progress->is_terminal) show(progress, "begins");
}

void progress_step(struct progress *progress, const char *text)
{
    progress->done++;
    show(progress, text);
}

void progress_end(struct progress *progress)
{
    /* Nothing was shown if nothing had to be compiled. */
    if (progress->is_terminal) fputs("\r\033[K", stderr);
}
