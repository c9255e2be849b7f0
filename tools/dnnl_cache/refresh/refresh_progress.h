/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_progress.h: what a run says while it lasts. */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_PROGRESS_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_PROGRESS_H

#include "tools/dnnl_cache/refresh/refresh_run.h"

/* What compiling it took the application, or a guess. */
uint64_t refresh_progress_cost(const struct refresh_job *job);

/* A line that is written over, and on request a line each second. */
void refresh_progress_show(struct refresh_run *run);

/* Why a job came to nothing. */
void refresh_progress_warn(
        struct refresh_run *run, const struct refresh_job *job);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_PROGRESS_H */
