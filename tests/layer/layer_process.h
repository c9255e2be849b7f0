/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer_process.h: a process with an environment of its own. The layer reads
 * its settings, and counts, once a process: so each test's steps are children.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_PROCESS_H
#define DNNL_CACHE_TESTS_LAYER_PROCESS_H

#include <sys/types.h>

/* Starts a child that has the variables NAME=value (up to a NULL; NULL: none)
 * and no other DNNL_CACHE_ ones but those for no limit of the capture at exit
 * and no configuration file,
 * runs body and exits with what it returns. Failures of expectations are
 * printed by the child: body returns test_has_failed(). */
pid_t layer_process_start(
        const char *const *variables, int (*body)(void *user), void *user);

/* Waits for it: what it exited with; 128 and more: the signal that ended it. */
int layer_process_wait(pid_t child);

int layer_process_run(
        const char *const *variables, int (*body)(void *user), void *user);

/* As run; *said: what it wrote to stderr, which the caller frees. */
int layer_process_listen(char **said, const char *const *variables,
        int (*body)(void *user), void *user);

/* A whole file as text, which the caller frees; NULL: it cannot be read. */
char *layer_process_read_file(const char *path);

#endif /* DNNL_CACHE_TESTS_LAYER_PROCESS_H */
