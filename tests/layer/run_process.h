/* SPDX-License-Identifier: Apache-2.0 */
/* run_process.h: programs that run in the test's directory, dnnl-cache-run for
 * one, and what came of them. */
#ifndef DNNL_CACHE_TEST_RUN_PROCESS_H
#define DNNL_CACHE_TEST_RUN_PROCESS_H

#include <sys/types.h>

enum { arguments_max = 19 };

struct ended {
    int code;
    char *out;
    char *err;
};

void ended_fini(struct ended *ended);

/* What a child does: signals as usual, streams to the files "out" and "err",
 * the variables, and the program. */
_Noreturn void run_become(const char *program, const char *const *variables,
        const char *const *arguments);

/* Runs a program in the test's directory. */
struct ended run_program(const char *program, const char *const *variables,
        const char *const *arguments);

/* It ended with this code, and standard error has the text. */
void expect_said(const struct ended *ended, int code, const char *text);

void copy_file(const char *from, const char *to);
void write_file(const char *path, mode_t mode, const char *text);

#endif /* DNNL_CACHE_TEST_RUN_PROCESS_H */
