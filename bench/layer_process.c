/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_process.h"

#include "failure.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* argv of a process: executable, CHILD, task, platform (empty: any). */
enum { ARG_CHILD = 1, ARG_TASK, ARG_PLATFORM, ARG_COUNT };

static const char child_option[] = "--child";

/* ---- In the parent ------------------------------------------------------- */

static void set_or_unset(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Between fork and exec. */
static void set_environment(
        const struct layer_process *process, const char *folder)
{
    const bool on = process->driver_cache != NULL;
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", on ? "1" : "0", 1);
    setenv("CUDA_CACHE_PATH", folder, 1);
    setenv("CUDA_CACHE_DISABLE", on ? "0" : "1", 1);
    setenv("MESA_SHADER_CACHE_DIR", folder, 1);
    setenv("MESA_SHADER_CACHE_DISABLE", on ? "false" : "true", 1);
    setenv("NEO_CACHE_DIR", folder, 1);
    setenv("NEO_CACHE_PERSISTENT", on ? "1" : "0", 1);
    set_or_unset("OPENCL_LAYERS", process->layer);
    set_or_unset("DNNL_CACHE_DIR", process->store);
    set_or_unset("DNNL_CACHE_STATS", process->statistics);
}

static void become(const struct layer_process *process, enum layer_task task,
        const char *folder, const int ends[2])
{
    char number[16];
    char *argv[ARG_COUNT + 1] = {"dnnl_cache_layer_bench",
            (char *)(uintptr_t)child_option, number,
            (char *)(uintptr_t)(process->platform != NULL ? process->platform
                                                          : "")};
    snprintf(number, sizeof number, "%d", (int)task);
    set_environment(process, folder);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv("/proc/self/exe", argv);
    _exit(127);
}

/* All that comes as text; what is too long is cut. */
static void read_all(int from, char *text, size_t capacity)
{
    size_t size = 0;
    ssize_t got;
    while ((got = read(from, text + size, capacity - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
}

static bool parse(const char *text, double values[LAYER_VALUES])
{
    for (int i = 0; i < LAYER_VALUES; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text) return false;
        text = end;
    }
    return true;
}

static bool run_in(const struct layer_process *process, enum layer_task task,
        const char *folder, double values[LAYER_VALUES])
{
    char text[1024];
    int ends[2], status = 0;
    if (pipe(ends) != 0) {
        failure_set("no pipe");
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) become(process, task, folder, ends);
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        failure_set("no process");
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && parse(text, values))
        return true;
    failure_set("a process failed with status %d: %s", status, text);
    return false;
}

bool layer_process_run(const struct layer_process *process,
        enum layer_task task, double values[LAYER_VALUES])
{
    char folder[4096];
    if (process->driver_cache != NULL)
        return run_in(process, task, process->driver_cache, values);
    if (!scratch_create(folder, sizeof folder)) return false;
    const bool done = run_in(process, task, folder, values);
    scratch_remove(folder);
    return done;
}

/* ---- In the child -------------------------------------------------------- */

bool layer_process_is_meant(int argc, char **argv)
{
    return argc == ARG_COUNT && strcmp(argv[ARG_CHILD], child_option) == 0;
}

int layer_process_main(char **argv)
{
    double values[LAYER_VALUES] = {0};
    const char *platform = argv[ARG_PLATFORM];
    if (!layer_task_run((enum layer_task)atoi(argv[ARG_TASK]),
                platform[0] != '\0' ? platform : NULL, values)) {
        printf("%s\n", failure_text());
        return 1;
    }
    for (int i = 0; i < LAYER_VALUES; i++)
        printf("%.3f ", values[i]);
    return fflush(stdout) == 0 ? 0 : 1;
}
