/* SPDX-License-Identifier: Apache-2.0 */
/* timed_child.h: a program that is asked something, and has some seconds. */
#ifndef DNNL_CACHE_TOOLS_RUN_TIMED_CHILD_H
#define DNNL_CACHE_TOOLS_RUN_TIMED_CHILD_H

#include <stdbool.h>
#include <stddef.h>

struct timed_child_end {
    bool is_late; /* and was killed */
    int signal;   /* that ended it, or 0 */
    int code;     /* its exit status; -1: it did not run */
};

/* Runs the program at arguments[0] with the variables NAME, value, ..., NULL on
 * top of the environment, a value of NULL removes one. Its standard output is
 * read into out, which ends with a NUL and holds what has room; the other
 * streams are /dev/null. */
struct timed_child_end timed_child_run(char *const arguments[],
        const char *const *variables, char out[], size_t capacity);

#endif /* DNNL_CACHE_TOOLS_RUN_TIMED_CHILD_H */
