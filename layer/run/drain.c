/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include "layer_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "dnnl-cache"

/* The layer and its reports are the command's, and not the tool's. */
static void clear_environment(void)
{
    static const char *const names[] = {
            "OPENCL_LAYERS", "DNNL_CACHE_STATS", "DNNL_CACHE_TRACE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unsetenv(names[i]);
}

/* In a store's folder, or beside its file. */
static bool has_journal(const char *store)
{
    static const char *const ends[] = {"/journal", ".journal"};
    char path[PATH_MAX];
    bool has = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        has = has
              || ((size_t)snprintf(path, sizeof path, "%s%s", store, ends[i])
                              < sizeof path
                      && access(path, F_OK) == 0);
    return has;
}

void drain(const struct child_signals *signals, const char *store, bool is_told)
{
    char beside[PATH_MAX];
    char name[] = TOOL;
    char *const tool = layer_file_beside(beside, TOOL) ? beside : name;
    char refresh[] = "refresh";
    char option[] = "--store";
    /* The journal is the user's alone: the command could read the files. */
    char files[] = "--read-files";
    char quiet[] = "--quiet";
    char *path = has_journal(store) ? strdup(store) : NULL;
    if (path == NULL) return;
    char *const arguments[] = {
            tool, refresh, option, path, files, is_told ? NULL : quiet, NULL};
    clear_environment();
    const struct child_end end = child_run(signals, arguments, true);
    if (end.error != 0 && is_told)
        fprintf(stderr,
                "dnnl-cache-run: warning: nothing new was kept: " TOOL
                ": %s; run " TOOL " refresh --store %s\n",
                strerror(end.error), store);
    else if (end.code != 0 && end.asked_to_end == 0 && is_told)
        fprintf(stderr,
                "dnnl-cache-run: warning: not all was kept: " TOOL
                " refresh --store %s exited with %d\n",
                store, end.code);
    free(path);
}
