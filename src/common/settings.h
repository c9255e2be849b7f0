/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h: what the user of an application sets for the library, with
 * environment variables that have the names of the OpenCL layer's where they
 * mean the same. docs/reference/library.md lists them.
 *
 * They are read once, at first use. An empty variable is treated as unset. A
 * program that has more rights than the user who started it ignores them.
 */
#ifndef DNNL_CACHE_COMMON_SETTINGS_H
#define DNNL_CACHE_COMMON_SETTINGS_H

#include "dnnl_cache/objects.h"

#include <stdbool.h>

/* Where a report goes to. */
struct settings_output {
    bool is_on;
    const char *path; /* a file it is appended to; NULL: standard error */
};

struct settings {
    bool persistent; /* else no store is asked, whatever is attached */
    dnnl_cache_compile_mode_t compile_mode; /* unless the application sets it */
    struct settings_output trace;
    struct settings_output statistics; /* at exit */
};

/* Those of the process, which never change. */
const struct settings *settings(void);

/* Tells of variables that make no sense, once. No lock may be held. */
void settings_complain(void);

/* Writes a report at one stroke, so that those of threads and processes do not
 * mix. */
void settings_report(const struct settings_output *output, const char *text);

#endif /* DNNL_CACHE_COMMON_SETTINGS_H */
