/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This executable as a fresh process, which measures one thing and answers with
 * numbers.
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>

enum { process_arguments_most = 8 };

/* Starts the executable with these arguments, up to a NULL, in an environment
 * that set_environment() changes (NULL: the same), and waits for its answer.
 * False: failure.h. */
bool process_run(const char *const arguments[],
        void (*set_environment)(const void *user), const void *user,
        double *values, int count);

/* In main(): the arguments that process_run() was given; NULL: this is no such
 * process. */
char **process_arguments(int argc, char **argv);

/* The process's answer; what its main() returns. False: failure.h says why. */
int process_answer(bool done, const double *values, int count);

#endif /* BENCH_PROCESS_H */
