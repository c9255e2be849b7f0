/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_driver.h: where a worker's driver keeps its files, and where it
 * prints.
 *
 * PoCL compiles a copy of the source in its folder, and looks there for what
 * the source includes: one folder with POCL_CACHE_DIR, two without. IDs tell
 * these apart, so the worker sets that variable only if it is set.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_DRIVER_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_DRIVER_H

#include "src/platform/library.h"
#include "src/platform/process.h"

#include <stdbool.h>

/* Has the drivers of a process use the folder. They look for a linker in PATH,
 * and IDs tell which one is found: the system's usual PATH if there is none. */
void refresh_driver_set_variables(
        struct process_variables *variables, const char *folder);

/* The same PATH for drivers that this process loads from now on. */
bool refresh_driver_set_path(void);

/* Where PoCL's files are, with its cache off. False: it is not set. */
bool refresh_driver_find_pocl(char path[path_size]);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_DRIVER_H */
