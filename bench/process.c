/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char child_option[] = "--child";

/* ---- In the parent ------------------------------------------------------- */

static void become(const char *const arguments[],
        void (*set_environment)(const void *user), const void *user,
        const int ends[2])
{
    char *argv[process_arguments_most + 3];
    /* argv is not changed: its type is execv()'s wish. */
    const char *const head[] = {program_invocation_short_name, child_option};
    size_t count = 2;
    memcpy(argv, head, sizeof head);
    while (*arguments != NULL)
        memcpy(&argv[count++], arguments++, sizeof *argv);
    argv[count] = NULL;
    if (set_environment != NULL) set_environment(user);
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
    close(from);
}

static bool parse(const char *text, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text) return false;
        text = end;
    }
    return true;
}

bool process_run(const char *const arguments[],
        void (*set_environment)(const void *user), const void *user,
        double *values, int count)
{
    char text[1024];
    int ends[2], status = -1;
    if (pipe(ends) != 0) {
        failure_set("no pipe");
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) become(arguments, set_environment, user, ends);
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        failure_set("no process");
        return false;
    }
    if (status == 0 && parse(text, values, count)) return true;
    text[strcspn(text, "\n")] = '\0';
    failure_set("a fresh process failed (status 0x%x): %.160s",
            (unsigned)status, text);
    return false;
}

/* ---- In the child -------------------------------------------------------- */

char **process_arguments(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], child_option) == 0 ? argv + 2 : NULL;
}

int process_answer(bool done, const double *values, int count)
{
    for (int i = 0; done && i < count; i++)
        printf("%.3f ", values[i]);
    if (!done) printf("%s\n", failure_text());
    return fflush(stdout) == 0 && done ? 0 : 1;
}
