/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: how far a cold start is, on standard error: a bar on a terminal,
 * else a line for each program. One thread at a time. */
#ifndef DNNL_CACHE_MODEL_COMMAND_PROGRESS_H
#define DNNL_CACHE_MODEL_COMMAND_PROGRESS_H

#include <stdbool.h>

struct progress {
    int total, done;
    double began;
    bool is_terminal;
};

void progress_begin(struct progress *progress, int total);
/* One more is done; text is what it was. */
void progress_step(struct progress *progress, const char *text);
void progress_end(struct progress *progress);

#endif /* DNNL_CACHE_MODEL_COMMAND_PROGRESS_H */
