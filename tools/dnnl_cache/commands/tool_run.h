/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_run.h: dnnl-cache as a function of its arguments and two streams, so
 * that tests can run it a thousand times in one process. Not for several
 * threads.
 */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_TOOL_RUN_H
#define DNNL_CACHE_TOOLS_COMMANDS_TOOL_RUN_H

#include <stdio.h>

/* Runs the program with main()'s arguments, returns an enum tool_exit. */
int tool_run(int argc, char **argv, FILE *out, FILE *err);

#endif /* DNNL_CACHE_TOOLS_COMMANDS_TOOL_RUN_H */
