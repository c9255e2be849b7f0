/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/drain.h"

#include "src/platform/environment.h"
#include "tools/run/layer_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "dnnl-cache"

/* The layer and its reports are the command's, and not the tool's. */
static const char *const of_command[] = {"OPENCL_LAYERS", "DNNL_CACHE_STATS",
        "DNNL_CACHE_TRACE", "DNNL_CACHE_RECORD"};

static void clear_environment(void)
{
    for (size_t i = 0; i < sizeof of_command / sizeof *of_command; i++)
        environment_unset(of_command[i]);
}

static bool is_of_command(const char *variable)
{
    for (size_t i = 0; i < sizeof of_command / sizeof *of_command; i++) {
        const size_t size = strlen(of_command[i]);
        if (strncmp(variable, of_command[i], size) == 0
                && variable[size] == '=')
            return true;
    }
    return false;
}

/* The same without changing this process's, which the command gets. NULL: no
 * memory. */
char **drain_environment(void)
{
    char *const *all = environment_all();
    size_t count = 0;
    size_t kept = 0;
    while (all[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (!is_of_command(all[i])) copy[kept++] = all[i];
    return copy;
}

/* In a store's folder, or beside its file. */
struct drain_before drain_look(const char *store)
{
    static const char *const ends[] = {"/journal", ".journal"};
    struct drain_before before;
    char path[path_size];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if ((size_t)snprintf(path, sizeof path, "%s%s", store, ends[i])
                        < sizeof path
                && file_facts_of_link(&before.journal, file_here, path) == 0)
            return before;
    memset(&before, 0, sizeof before);
    return before;
}

/* A journal is appended to, or replaced. */
static bool is_changed(
        const struct file_facts *before, const struct file_facts *now)
{
    return !file_is_same(now, before) || now->size != before->size
           || now->modified_ns != before->modified_ns;
}

void drain_call_add(struct drain_call *call, const char *argument)
{
    call->arguments[call->count++] = argument;
}

void drain_call_init(struct drain_call *call, const struct drain *drain,
        const char *wait, bool is_quiet)
{
    /* The journal is the user's alone: the command could read the files. */
    const char *const usual[] = {"refresh", "--store", drain->store,
            "--read-files", "--journal-only", "--wait", wait};
    *call = (struct drain_call){.name = TOOL};
    drain_call_add(call,
            layer_file_beside(call->beside, TOOL) ? call->beside : call->name);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        drain_call_add(call, usual[i]);
    if (is_quiet && drain->log < 0) drain_call_add(call, "--quiet");
    if (drain->layer == NULL) return;
    drain_call_add(call, "--layer");
    drain_call_add(call, drain->layer);
}

char *const *drain_call_arguments(const struct drain_call *call)
{
    return (char *const *)(uintptr_t)call->arguments;
}

static struct child_end run_tool(const struct child_signals *signals,
        const struct drain *drain, const char *wait)
{
    struct drain_call call;
    drain_call_init(&call, drain, wait, !drain->is_told);
    clear_environment();
    return child_run(signals, drain_call_arguments(&call), &drain->log, NULL);
}

static void tell_not_all(const struct drain *drain, int code)
{
    fprintf(stderr,
            "dnnl-cache-run: warning: not all was kept: " TOOL
            " refresh --store %s exited with %d\n",
            drain->store, code);
}

void drain(const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before)
{
    const struct drain_before now = drain_look(drain->store);
    if (now.journal.links == 0) return;
    const struct child_end end = run_tool(signals, drain,
            is_changed(&before->journal, &now.journal) ? "10s" : "0");
    if (end.error != 0 && drain->is_told)
        fprintf(stderr,
                "dnnl-cache-run: warning: nothing new was kept: " TOOL
                ": %s; run " TOOL " refresh --store %s\n",
                strerror(end.error), drain->store);
    else if (end.code != 0 && end.asked_to_end == 0 && drain->is_told)
        tell_not_all(drain, end.code);
}

/* ---- Beside the command -------------------------------------------------- */

/* Of a container, which has no share for work of low priority: what is done
 * beside the command is taken from it. 0: no limit. */
static double quota(void)
{
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    double most = 0;
    double period = 0;
    if (file == NULL) return 0;
    const int count = fscanf(file, "%lf %lf", &most, &period);
    (void)fclose(file);
    return count == 2 && period > 0 ? most / period : 0;
}

bool drain_beside_is_possible(void)
{
    const double limit = quota();
    return (limit == 0 || limit >= 2) && process_processors() > 1;
}

/* One without notes is a head of that size. */
bool drain_has_notes(const struct drain_before *before)
{
    enum { head_size = 16 };
    return before->journal.links > 0 && before->journal.size > head_size;
}

bool drain_beside(struct child_beside *beside,
        const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before)
{
    struct drain_call call;
    *beside = (struct child_beside){.number = 0};
    if ((!drain->is_ahead && !drain_has_notes(before))
            || !drain_beside_is_possible())
        return false;
    char **environment = drain_environment();
    if (environment == NULL) return false;
    drain_call_init(&call, drain, "0", true);
    drain_call_add(&call, "--jobs");
    drain_call_add(&call, "1");
    /* A command that uses all processors leaves it next to no time: a program
     * that is late is not given up for that. */
    drain_call_add(&call, "--program-timeout");
    drain_call_add(&call, "1h");
    child_start_beside(beside, signals, drain_call_arguments(&call),
            environment, drain->log);
    free(environment);
    return beside->number > 0;
}

void drain_beside_end(struct child_beside *beside, const struct drain *drain,
        const struct child_end *end)
{
    child_end_beside(beside);
    if (beside->code != 0 && !beside->is_ended_early && end->asked_to_end == 0
            && drain->is_told)
        tell_not_all(drain, beside->code);
}
