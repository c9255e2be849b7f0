/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_loaders.h: which loaders of OpenCL a command has.
 *
 * The dynamic linker is asked which libOpenCL.so.1 the command's program has,
 * or finds if it loads one: it knows LD_LIBRARY_PATH, LD_PRELOAD, and the
 * folders that are written in the program. Packages of Python bring loaders of
 * their own, which are looked for where such packages are. What a program loads
 * by a path of its own, or starts, is not known.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_COMMAND_LOADERS_H
#define DNNL_CACHE_TOOLS_RUN_COMMAND_LOADERS_H

#include "src/platform/library.h"

#include <stdbool.h>
#include <stddef.h>

enum { command_loaders_max = 8 };

struct command_loaders {
    /* The program's, or "": as in this process. */
    char program[path_size];
    /* Those of packages, without links. */
    char packages[command_loaders_max][path_size];
    size_t package_count;
    const char *unknown; /* why nothing can be told of the program, or NULL */
    bool is_foreign;     /* that is since no layer of this machine fits it */
};

/* command: NULL for any. */
void command_loaders_find(struct command_loaders *loaders, const char *command);

#endif /* DNNL_CACHE_TOOLS_RUN_COMMAND_LOADERS_H */
