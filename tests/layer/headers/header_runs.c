/* SPDX-License-Identifier: Apache-2.0 */
#include "header_runs.h"

#include "test.h"
#include "test_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_arguments = 120 };

static int runs_begun;

void path_of(char path[path_size], const char *name)
{
    snprintf(path, path_size, "%s/%s", test_directory(), name);
}

void name_driver_cache(char name[40])
{
    snprintf(name, 40, "driver%d", runs_begun);
}

/* Empty if there is no such file. */
static void read_text(const char *name, char *text, size_t size)
{
    char path[path_size];
    path_of(path, name);
    FILE *in = fopen(path, "re");
    text[0] = '\0';
    if (in == NULL) return;
    text[fread(text, 1, size - 1, in)] = '\0';
    (void)fclose(in);
}

static void set_path(const char *variable, const char *name)
{
    char path[path_size];
    path_of(path, name);
    setenv(variable, path, 1);
}

/* The driver's own cache is new for each process. */
static void set_environment(const char *layers, const char *driver_cache)
{
    static const char library[] = "library";
    const char *end = strstr(layers, library);
    char others[path_size];
    const int size = end != NULL ? (int)(end - layers) : (int)strlen(layers);
    snprintf(others, sizeof others, "%.*s", size, layers);
    if (end != NULL) setenv("HEADER_LIBRARY", "1", 1);
    if (size > 0 && others[size - 1] == ':') others[size - 1] = '\0';
    setenv("OPENCL_LAYERS", others, 1);
    setenv("ONEDNN_VERBOSE", "none", 1); /* only numbers are printed */
    set_path("DNNL_CACHE_DIR", "store");
    set_path("DNNL_CACHE_STATS", "statistics");
    setenv("DNNL_CACHE_CAPTURE_SECONDS", "0", 1);
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "unlimited", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    set_path("POCL_CACHE_DIR", driver_cache);
    setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    /* Drivers keep memory to the end, which is not what is tested. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

struct run run_under(const char *layers, const char *const *commands)
{
    struct run run;
    char cache[40];
    char path[path_size];
    const char *arguments[most_arguments + 1] = {CLIENT, test_platform_name()};
    size_t count = 2;
    int status = -1;
    name_driver_cache(cache);
    runs_begun++;
    path_of(path, cache);
    EXPECT_TRUE(mkdir(path, 0700) == 0 || errno == EEXIST);
    while (*commands != NULL && count < most_arguments)
        arguments[count++] = *commands++;
    path_of(path, "statistics");
    (void)unlink(path);
    path_of(path, "printed");
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0
                || chdir(test_directory()) != 0)
            _exit(126);
        set_environment(layers, cache);
        execv(CLIENT, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    read_text("printed", run.printed, sizeof run.printed);
    read_text("statistics", run.statistics, sizeof run.statistics);
    return run;
}

long count_of(const struct run *run, const char *part, const char *name)
{
    char quoted[60];
    const char *from = run->statistics;
    const char *end = from + strlen(from);
    if (part != NULL) {
        snprintf(quoted, sizeof quoted, "\"%s\":{", part);
        from = strstr(from, quoted);
        EXPECT_NOT_NULL(from);
        if (from == NULL) return -1;
        end = strchr(from, '}');
    }
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(from, quoted);
    return at != NULL && at < end ? strtol(at + strlen(quoted), NULL, 10) : 0;
}
