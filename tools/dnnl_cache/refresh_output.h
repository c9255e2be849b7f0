/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_output.h: what drivers print in a process that compiles for this
 * command. It is no part of a report, and may come from several such processes
 * at once.
 */
#ifndef DNNL_CACHE_TOOL_REFRESH_OUTPUT_H
#define DNNL_CACHE_TOOL_REFRESH_OUTPUT_H

#include <stdbool.h>

/* From now on what this process and its children print on standard output and
 * standard error goes to standard error line by line, with "dnnl-cache: WHO: "
 * before each; or, if this is to be quiet, nowhere. A process of its own, which
 * ends with the last of them, does that; without one the lines are passed on as
 * they are. */
void refresh_output_begin(bool is_quiet, const char *who);

#endif /* DNNL_CACHE_TOOL_REFRESH_OUTPUT_H */
