/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/drain.h"

#include "tools/run/layer_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "dnnl-cache"

/* The layer and its reports are the command's, and not the tool's. */
static void clear_environment(void)
{
    static const char *const names[] = {"OPENCL_LAYERS", "DNNL_CACHE_STATS",
            "DNNL_CACHE_TRACE", "DNNL_CACHE_RECORD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unsetenv(names[i]);
}

/* In a store's folder, or beside its file. */
struct drain_before drain_look(const char *store)
{
    static const char *const ends[] = {"/journal", ".journal"};
    struct drain_before before;
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if ((size_t)snprintf(path, sizeof path, "%s%s", store, ends[i])
                        < sizeof path
                && lstat(path, &before.journal) == 0)
            return before;
    memset(&before, 0, sizeof before);
    return before;
}

/* A journal is appended to, or replaced. */
static bool is_changed(const struct stat *before, const struct stat *now)
{
    return now->st_ino != before->st_ino || now->st_dev != before->st_dev
           || now->st_size != before->st_size
           || now->st_mtim.tv_sec != before->st_mtim.tv_sec
           || now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static struct child_end run_tool(const struct child_signals *signals,
        const struct drain *drain, const char *wait)
{
    char beside[PATH_MAX];
    char name[] = TOOL;
    char *const tool = layer_file_beside(beside, TOOL) ? beside : name;
    /* The journal is the user's alone: the command could read the files. */
    const char *arguments[] = {tool, "refresh", "--store", drain->store,
            "--read-files", "--journal-only", "--wait", wait, NULL, NULL, NULL,
            NULL};
    size_t count = 8;
    if (!drain->is_told) arguments[count++] = "--quiet";
    if (drain->layer != NULL) {
        arguments[count++] = "--layer";
        arguments[count++] = drain->layer;
    }
    clear_environment();
    return child_run(signals, (char *const *)(uintptr_t)arguments, true);
}

void drain(const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before)
{
    const struct drain_before now = drain_look(drain->store);
    if (now.journal.st_nlink == 0) return;
    const struct child_end end = run_tool(signals, drain,
            is_changed(&before->journal, &now.journal) ? "10s" : "0");
    if (end.error != 0 && drain->is_told)
        fprintf(stderr,
                "dnnl-cache-run: warning: nothing new was kept: " TOOL
                ": %s; run " TOOL " refresh --store %s\n",
                strerror(end.error), drain->store);
    else if (end.code != 0 && end.asked_to_end == 0 && drain->is_told)
        fprintf(stderr,
                "dnnl-cache-run: warning: not all was kept: " TOOL
                " refresh --store %s exited with %d\n",
                drain->store, end.code);
}
