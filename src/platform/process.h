/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h: programs that this process starts, in an application, too: no
 * handler of fork() runs, no file of the application's is inherited, and who
 * reaps all of its children may do so. Functions return 0 or an errno value.
 * Any thread; a process belongs to one at a time.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_PROCESS_H
#define DNNL_CACHE_SRC_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the new process has process_plan's file, and how it can open it. */
enum { process_file = 3 };
#define PROCESS_FILE_PATH "/proc/self/fd/3"

/* Exit statuses by which shells and dynamic linkers say that a program cannot
 * be run. */
enum { process_exit_not_executable = 126, process_exit_not_found = 127 };

/* A zeroed one with file_none in all of its files is the usual. */
struct process_plan {
    const char *program; /* its path; NULL: the program that this process is */
    char *const *arguments;   /* the name first, NULL last */
    char *const *environment; /* NULL: this process's */
    int input;                /* its standard input; file_none: an empty one */
    int output; /* standard output; file_none: where its standard error goes */
    int error;  /* standard error; file_none: this process's */
    int file;   /* another one; file_none: there is none */
    /* A group of its own: a terminal interrupts this process alone, and what
     * the process has started is killed with it. No signal is ignored then. */
    bool has_group;
    bool dies_with_parent; /* killed when the thread that starts it ends */
    bool leaves_no_core;
    /* It is not ended by what asks all processes of a terminal or a service to
     * end: it ends with those that it works for. */
    bool ignores_end;
};

#define PROCESS_PLAN_NONE \
    ((struct process_plan){.input = -1, .output = -1, .error = -1, .file = -1})

/* A zeroed one is none. */
struct process {
    long number; /* 0: none */
    bool has_group;
};

struct process_end {
    int code;   /* its exit status; -1: it did not exit, or is not known */
    int signal; /* that ended it; 0: none */
};

/* Also an error if the program cannot be run, where the system tells at once;
 * else the process ends with process_exit_not_found. */
int process_start(struct process *process, const struct process_plan *plan);

/* The same of a copy of this process, with this thread alone, which has no file
 * but those of the plan, whose program, arguments and environment do not count.
 * It ends with what run returns, without handlers of exit(). For programs whose
 * main is ours. */
int process_start_copy(struct process *process, const struct process_plan *plan,
        int (*run)(void *user), void *user);

/* What lists of processes call this one; at most 15 bytes. */
void process_set_name(const char *name);

/* Others go before that process (0: this one), by so much (1 to 19: UNIX's
 * niceness). */
void process_be_nice(long number, int niceness);

/* Waits for its end, at most until then (0: not at all; UINT64_MAX: for ever).
 * False: it runs. After that it is none. */
bool process_ended(
        struct process *process, struct process_end *end, uint64_t until_ns);

/* Its end is still to be waited for. None is fine. */
void process_kill(const struct process *process);

/* It goes on if it was stopped. None is fine. */
void process_resume(const struct process *process);

/* Was the process asked to end, as whoever stops a service or a session asks
 * all of its processes? */
bool process_was_asked_to_end(const struct process_end *end);

/* By a mistake of its own: a bad address, abort()? */
bool process_has_crashed(const struct process_end *end);

/* By process_kill(), or by the system, which lacks memory? */
bool process_was_killed(const struct process_end *end);

/* This process becomes the program that it is once more, with the plan's
 * arguments, environment and input. Returns if that fails. */
int process_become(const struct process_plan *plan);

/* This process becomes that program, which is found as a shell finds it, with
 * all that this one has. Returns if that fails. */
int process_become_command(char *const arguments[]);

/* ---- Environments -------------------------------------------------------- */

/* What a process is to get, made from what this one has. */
struct process_variables {
    char **list; /* "NAME=value" up to a NULL; owned, as the texts are */
    size_t count;
    bool has_failed; /* memory ran out: to be asked for at the end */
};

void process_variables_init(struct process_variables *variables);
void process_variables_fini(struct process_variables *variables);

/* A value of NULL removes it. */
void process_variables_set(struct process_variables *variables,
        const char *name, const char *value);

/* All whose names begin so. */
void process_variables_remove(
        struct process_variables *variables, const char *prefix);

/* NULL: it is not set. Valid until the variable changes. */
const char *process_variables_get(
        const struct process_variables *variables, const char *name);

#endif /* DNNL_CACHE_SRC_PLATFORM_PROCESS_H */
