/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "failure.h"
#include "samples.h"
#include "scratch.h"
#include "task.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* argv of a child: executable, CHILD, task, subject, folder of the files,
 * scratch folder, platform (empty: any). */
enum {
    ARG_CHILD = 1,
    ARG_TASK,
    ARG_SUBJECT,
    ARG_DIR,
    ARG_SCRATCH,
    ARG_PLATFORM,
    ARG_COUNT
};
static const char child_option[] = "--child";

extern char **environ;

/* ---- In the parent ------------------------------------------------------- */

/* Starts the executable anew; its standard output is to be read from *out. */
static bool start(char *argv[], pid_t *pid, int *out)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) {
        failure_set("no pipe");
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error =
            posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        failure_set("no process: %s", strerror(error));
        return false;
    }
    *out = ends[0];
    return true;
}

/* All of the child's output as text; what is too long is cut. */
static void read_all(int from, char *text, size_t capacity)
{
    size_t size = 0;
    ssize_t got;
    while ((got = read(from, text + size, capacity - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
    close(from);
}

static bool parse(const char *text, double values[TASK_VALUES])
{
    for (int i = 0; i < TASK_VALUES; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text) return false;
        text = end;
    }
    return true;
}

bool child_run(const struct bench *bench, enum task task,
        const struct subject *subject, double values[TASK_VALUES])
{
    char scratch[PATH_MAX];
    char number[12];
    char text[256];
    char *argv[ARG_COUNT + 1];
    pid_t pid;
    int out;
    int status = -1;
    snprintf(scratch, sizeof scratch, "%s/process", bench->dir);
    snprintf(number, sizeof number, "%d", (int)task);
    if (mkdir(scratch, 0700) != 0) {
        failure_set("%s cannot be made", scratch);
        return false;
    }
    /* argv is not changed: its type is posix_spawn()'s wish. */
    const char *arguments[ARG_COUNT + 1] = {"dnnl_cache_bench", child_option,
            number, subject->name, bench->dir, scratch,
            bench->platform != NULL ? bench->platform : "", NULL};
    memcpy(argv, arguments, sizeof argv);
    bool done = start(argv, &pid, &out);
    if (done) {
        read_all(out, text, sizeof text);
        done = waitpid(pid, &status, 0) == pid && status == 0
               && parse(text, values);
        if (!done) {
            text[strcspn(text, "\n")] = '\0';
            failure_set("a fresh process failed (status 0x%x): %.160s",
                    (unsigned)status, text);
        }
    }
    scratch_remove(scratch);
    return done;
}

/* ---- In the child -------------------------------------------------------- */

bool child_is_meant(int argc, char **argv)
{
    return argc == ARG_COUNT && strcmp(argv[ARG_CHILD], child_option) == 0;
}

int child_main(char **argv)
{
    double values[TASK_VALUES] = {0, 0, 0};
    struct device device;
    const char *platform = argv[ARG_PLATFORM];
    enum task task = (enum task)atoi(argv[ARG_TASK]);
    const struct subject *subject =
            strcmp(argv[ARG_SUBJECT], subject_program.name) == 0
                    ? &subject_program
                    : &subject_primitive;
    if (!environment_prepare(argv[ARG_SCRATCH])
            || !device_find(platform[0] != '\0' ? platform : NULL, &device)
            || !task_run(task, subject, &device, argv[ARG_DIR], values)) {
        printf("%s\n", failure_text());
        return 1;
    }
    for (int i = 0; i < TASK_VALUES; i++)
        printf("%.0f ", values[i]);
    return fflush(stdout) == 0 ? 0 : 1;
}
