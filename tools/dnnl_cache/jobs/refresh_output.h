/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_output.h: what drivers print in a process that compiles for this
 * command. It is no part of a report, and may come from several such processes
 * at once.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_OUTPUT_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_OUTPUT_H

#include "src/platform/process.h"

#include <stdbool.h>

/* Where a child's output goes. */
struct refresh_output {
    int to;                /* file_none: as it is */
    struct process reader; /* may be none */
};

/* Before the child is made, whose plan has `to` as output and error. What it
 * and its children print on standard output and standard error will go to
 * standard error line by line, with "dnnl-cache: WHO: " before each; or, if
 * this is to be quiet, nowhere. A process of its own, which ends with the last
 * of them, does that; without one the lines are passed on as they are. */
void refresh_output_open(
        struct refresh_output *output, bool is_quiet, const char *who);
/* In the parent, once there is the child, or will be none. */
void refresh_output_leave(struct refresh_output *output);
/* When the child has ended and was waited for: until all it has printed was
 * passed on, and for a second at most, as who reads it may be slow. */
void refresh_output_finish(struct refresh_output *output);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_OUTPUT_H */
