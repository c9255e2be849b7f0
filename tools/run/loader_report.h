/* SPDX-License-Identifier: Apache-2.0 */
/* loader_report.h: by which loaders a command will be served, or why it will
 * not be, found out by trying (loader_probe.h). */
#ifndef DNNL_CACHE_TOOLS_RUN_LOADER_REPORT_H
#define DNNL_CACHE_TOOLS_RUN_LOADER_REPORT_H

#include "tools/run/command_loaders.h"
#include "tools/run/loader_probe.h"

#include <stdio.h>

struct loader_report {
    struct command_loaders found;
    struct loader_probe program; /* the program's loader */
    struct loader_probe packages[command_loaders_max];
};

/* command: NULL for any. The caller frees it; NULL: no memory. */
struct loader_report *loader_report_make(
        const char *command, const char *layer);

/* "takes the layer in by clInitLayer" and the like. */
const char *loader_report_text(
        const struct loader_probe *probe, char text[], size_t capacity);

/* Says what will not be served, and what to do; is_verbose: also what will. */
void loader_report_print(FILE *out, const struct loader_report *report,
        const char *command, const char *layer, bool is_verbose);

#endif /* DNNL_CACHE_TOOLS_RUN_LOADER_REPORT_H */
